"""What a metric returns: the value, its interval, and the tables behind it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biasamp_adapters.counts.labels import show
from biasamp_adapters.uncertainty import Interval

if TYPE_CHECKING:
    from biasamp_adapters.metrics.bound import Bound


@dataclass(frozen=True)
class Estimate:
    """A number with its interval, if it has one."""

    value: float
    interval: Interval | None = None

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.value:+.4f}"
        low, high = self.interval
        return f"{self.value:+.4f} [{low:+.4f}, {high:+.4f}]"


@dataclass(frozen=True, eq=False)
class AmplificationResult:
    """The value of a metric with its interval and the tables behind it.

    Attributes
    ----------
    metric : str
        Name of the metric.
    direction : str
        "A->T", "T->A" or "undirected".
    value : float
    interval : (low, high) or None
        None without replicates, or where none can be trusted; ``notes`` then says why.
    confidence : float
        Level of the interval.
    random_error : float or None
        The value that randomly wrong predictions of the same accuracy would give (BA-> and MALS).
    random_error_interval : (low, high) or None
    variance : float or None
        Spread of the differences (Multi).
    variance_interval : (low, high) or None
    levels : dict of str to Estimate
        Predictability of dataset and model, "psi_dataset" and "psi_model" (LA and DPA).
    n : int
        Rows evaluated.
    n_boot : int
        Bootstrap replicates.
    notes : tuple of str
        Caveats that apply to this value.
    """

    metric: str
    direction: str
    value: float
    n: int
    interval: Interval | None = None
    confidence: float = 0.95
    random_error: float | None = None
    random_error_interval: Interval | None = None
    variance: float | None = None
    variance_interval: Interval | None = None
    levels: dict[str, Estimate] = field(default_factory=dict)
    n_boot: int = 0
    notes: tuple[str, ...] = ()
    bound: Bound | None = field(default=None, repr=False)

    @cached_property
    def by_pair(self) -> pd.DataFrame:
        """One row a pair of group and task: attribute, task, and what the metric says of it.

        BA->, MALS and Multi give ``sign`` (of the reference correlation; for MALS 1 where the
        group is over-represented), ``delta`` and ``contribution``; LA and DPA ``psi_dataset``,
        ``psi_model`` and ``value``. Undefined pairs are NaN. Crossed attributes have a column
        each beside their one label.
        """
        if self.bound is None:
            raise ValueError("this result was made without counts; it has no pairs")
        pairs = self.bound.pairs()
        groups, tasks = self.bound.pair_labels()
        names = self.bound.evaluation.counts.attributes
        first, second = np.indices((len(groups), len(tasks))).reshape(2, -1)
        columns: dict[str, Any] = {"attribute": [show(groups[i]) for i in first]}
        columns["task"] = [tasks[i] for i in second]
        columns |= {name: values.reshape(-1) for name, values in pairs.items()}
        if len(names) > 1:
            for j, name in enumerate(names):
                key = name if name not in columns else f"attribute:{name}"
                columns[key] = [groups[i][j] for i in first]
        return pd.DataFrame(columns)

    @property
    def _score(self) -> str:
        return "contribution" if "contribution" in self.by_pair else "value"

    @property
    def by_attribute(self) -> pd.Series[float]:
        """Mean over the defined pairs of each group."""
        return self.by_pair.groupby("attribute", sort=False)[self._score].mean()

    @property
    def by_task(self) -> pd.Series[float]:
        """Mean over the defined pairs of each task."""
        return self.by_pair.groupby("task", sort=False)[self._score].mean()

    @property
    def by_sign(self) -> pd.DataFrame:
        """What the mean hides: pairs, mean contribution, mean ``|delta|``, by the reference's sign.

        Raises
        ------
        ValueError
            For LA and DPA, whose pairs have no sign.
        """
        pairs = self.by_pair
        if "sign" not in pairs:
            raise ValueError(f"{self.metric} has no sign; received a request for by_sign")
        grouped = pairs.dropna(subset="delta").assign(abs_delta=pairs["delta"].abs())
        return grouped.groupby("sign").agg(
            pairs=("delta", "size"),
            contribution=("contribution", "mean"),
            mean_abs_delta=("abs_delta", "mean"),
        )

    def with_note(self, note: str) -> AmplificationResult:
        """The same result with one more caveat."""
        return replace(self, notes=(*self.notes, note))

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain Python objects, ready for JSON; NaN as None."""
        return {
            "metric": self.metric,
            "direction": self.direction,
            **_entries("", self.value, self.interval),
            "confidence": self.confidence,
            **_entries("random_error", self.random_error, self.random_error_interval),
            **_entries("variance", self.variance, self.variance_interval),
            "levels": {
                name: _entries("", level.value, level.interval)
                for name, level in self.levels.items()
            },
            "n": self.n,
            "n_boot": self.n_boot,
            "notes": list(self.notes),
        }

    def _lines(self) -> list[str]:
        level = f", {self.confidence:.0%} interval" if self.interval else ""
        lines = [f"{self.metric} {self.direction}: {Estimate(self.value, self.interval)}{level}"]
        if self.random_error is not None:
            baseline = Estimate(self.random_error, self.random_error_interval)
            lines.append(f"  random errors of the same accuracy: {baseline}")
        if self.variance is not None:
            spread = Estimate(self.variance, self.variance_interval)
            lines.append(f"  variance over pairs: {spread}")
        lines += [f"  {name}: {estimate}" for name, estimate in self.levels.items()]
        lines.append(f"  rows: {self.n}")
        return lines + [f"  note: {note}" for note in self.notes]

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        head, *rest = self._lines()
        items = "".join(f"<li>{escape(line.strip())}</li>" for line in rest)
        return f"<div><strong>{escape(head)}</strong><ul>{items}</ul></div>"


def plain(value: float | None) -> float | None:
    """A float that JSON can hold: None for NaN and infinities."""
    return None if value is None or not np.isfinite(value) else float(value)


def _entries(
    prefix: str, value: float | None, interval: Interval | None
) -> dict[str, float | None]:
    low, high = interval or (None, None)
    under = f"{prefix}_" if prefix else ""
    return {prefix or "value": plain(value), f"{under}low": low, f"{under}high": high}
