"""What a metric returns: the value, its interval, and the tables behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters.counting.labels import Label, show
from biasamp_adapters.inference.intervals import Estimate


@dataclass(frozen=True, eq=False, kw_only=True)
class AmplificationResult:
    """The value of a metric with its interval, and the tables behind it.

    Attributes
    ----------
    estimates : dict of str to Estimate
        The value, and the numbers that belong to it: ``equal_errors`` and ``excess`` (BA, MALS),
        ``variance`` (Multi), ``psi_dataset`` and ``psi_model`` (LA, DPA).
    confidence : float
    n_boot : int
        Replicates that were drawn.
    notes : tuple of str
        Caveats on the value.
    """

    measurement: Any = field(repr=False)
    estimates: dict[str, Estimate]
    confidence: float
    n_boot: int
    notes: tuple[str, ...]

    @property
    def metric(self) -> str:
        """The name of the metric, such as "BA A->T"."""
        return self.measurement.metric.name

    @property
    def key(self) -> str:
        """The name in letters, digits and underscores, such as "ba_a_to_t"."""
        return self.measurement.metric.key

    @property
    def direction(self) -> str:
        """ "A->T", "T->A" or "undirected"."""
        return self.measurement.metric.measured_direction

    @property
    def estimate(self) -> Estimate:
        """The value with its interval."""
        return self.estimates["value"]

    @property
    def value(self) -> float:
        """The value."""
        return self.estimate.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the value; None where none can be trusted."""
        return self.estimate.interval

    @property
    def reason(self) -> str:
        """Why there is no interval; empty if there is one."""
        return self.estimate.reason

    @property
    def n_rows(self) -> int:
        """Rows evaluated."""
        return self.measurement.evaluation.rows.n_rows

    @property
    def equal_errors(self) -> Estimate | None:
        """The value if all groups had the same error rates (BA, MALS)."""
        return self.estimates.get("equal_errors")

    @property
    def excess(self) -> Estimate | None:
        """The value minus ``equal_errors``, from the same replicates."""
        return self.estimates.get("excess")

    @property
    def pos_label(self) -> Label | None:
        """The only class that is evaluated; None for all."""
        classes = self.measurement.pair_labels[1]
        if len(classes) == 1 and len(self.measurement.evaluation.rows.class_labels) > 1:
            return classes[0]
        return None

    @cached_property
    def by_pair(self) -> pd.DataFrame:
        """One row for each pair of a group and a class."""
        groups, classes = self.measurement.pair_labels
        columns = {
            "group": [show(x) if isinstance(x, tuple) else x for x in groups for _ in classes],
            "class": [label for _ in groups for label in classes],
        }
        frame = pd.DataFrame(
            {name: pd.Series(values, dtype=object) for name, values in columns.items()}
        ).infer_objects()
        for name, scores in self.measurement.pairs().items():
            frame[name] = np.asarray(scores).ravel()
        return frame

    @cached_property
    def by_group(self) -> pd.DataFrame:
        """Means over the pairs of each group."""
        return self._means("group")

    @cached_property
    def by_class(self) -> pd.DataFrame:
        """Means over the pairs of each class."""
        return self._means("class")

    def _means(self, key: str) -> pd.DataFrame:
        """Return means over pairs that are defined."""
        table = self.by_pair.drop(columns=["group", "class", "sign", "uncertain"], errors="ignore")
        if "change" in table:
            table["size_of_change"] = table["change"].abs()
        return table.groupby(self.by_pair[key], sort=False).mean().reset_index()

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects; NaN and missing ends are None."""
        numbers = {
            name: {
                "value": _finite(x.value),
                "low": _finite(x.low),
                "high": _finite(x.high),
                "reason": x.reason,
            }
            for name, x in self.estimates.items()
        }
        return {
            "metric": self.metric,
            "key": self.key,
            "direction": self.direction,
            "n_rows": self.n_rows,
            **numbers,
            "n_boot": self.n_boot,
            "confidence": self.confidence,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        of_class = "" if self.pos_label is None else f" of {show(self.pos_label)}"
        lines = [f"{self.metric}{of_class}: {self.estimate}"]
        lines += [f"  {name}: {x}" for name, x in self.estimates.items() if name != "value"]
        if self.reason:
            lines.append(f"  No interval: {self.reason}.")
        lines.append(f"  {self.n_rows:,} rows")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _finite(number: float) -> float | None:
    return number if np.isfinite(number) else None
