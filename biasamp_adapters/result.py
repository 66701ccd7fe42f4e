"""A metric on the data, and what it returns: the value, its interval, and the tables behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters import words
from biasamp_adapters.counting.labels import ATTRIBUTE, PREDICTION, TASK, Array, name_list, show
from biasamp_adapters.counting.margins import Margins, mean_of_pairs
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.figures import agree
from biasamp_adapters.inference.intervals import FEW_ROWS, Estimate, Trust, estimate

#: Fewer clusters do not tell how much clusters differ.
_FEWEST_CLUSTERS = 8


@dataclass(frozen=True, eq=False, kw_only=True)
class Measurement:
    """A metric of one model, with all that no draw changes. The formula is that of the metric.

    Attributes
    ----------
    metric : Metric
    evaluation : Evaluation
    model : str or None
    margins, origin : Margins
        Those of the data, and of what decides the signs.
    reads_reference : bool
        Whether scores read rates of the reference, as those of undirected metrics do; it is then
        drawn too.
    """

    metric: Any
    evaluation: Evaluation
    model: str | None
    margins: Margins
    origin: Margins
    reads_reference: bool = False

    @property
    def is_ratio(self) -> bool:
        """Whether the value is a relative change, which a difference must not be compared with."""
        return False

    @property
    def half_row(self) -> float:
        """Half a row of the smallest group that is compared, which widens bands of differences."""
        return 0.0

    @property
    def reason_for_0(self) -> str:
        """Why the value is 0 whatever is predicted, and has no interval; empty if it is not."""
        return ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats on the value."""
        return ()

    @property
    def further_notes(self) -> tuple[str, ...]:
        """Notes that results have, and of which a call for a float does not warn."""
        return ()

    @property
    def value(self) -> float:
        """The value of the data."""
        return self.point()["value"]

    def point(self) -> dict[str, float]:
        """Return the scores of the data."""
        return {name: float(x[0]) for name, x in self.score(self.margins, self.origin).items()}

    def score(self, margins: Margins, origin: Margins | None, rng: Any = None) -> dict[str, Array]:
        """Return named scores of a batch, each of shape (batch,)."""
        scores: dict[str, Array] = self.metric.score(margins)
        return scores

    def by_group(self, margins: Margins, origin: Margins | None, rng: Any = None) -> Array:
        """Return the mean over the pairs of each group, (batch, groups)."""
        return mean_of_pairs(self.metric.contributions(margins), 2)

    def pairs(self) -> dict[str, Array]:
        """Return scores of each pair, (groups, classes)."""
        return {"contribution": self.metric.contributions(self.margins)[0]}

    @property
    def pair_labels(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Groups and classes."""
        return self.evaluation.rows.group_labels, self.evaluation.rows.class_labels

    @property
    def width(self) -> int:
        """Numbers that one replicate takes, about."""
        rows = self.evaluation.rows
        n_classes, n_groups = len(rows.class_labels), len(rows.group_labels)
        confusion = 0 if rows.is_matrix(TASK) else max(n_classes, n_groups) ** 2
        return 4 * n_groups * max(n_classes, n_groups) + confusion

    @property
    def n_pairs(self) -> int:
        """Pairs of a group and a class that have rows enough to matter."""
        if not (self.margins.has(TASK) and self.margins.has(ATTRIBUTE)):
            groups, classes = self.pair_labels
            return len(groups) * len(classes)
        return int((self.margins.joint(ATTRIBUTE, TASK) >= FEW_ROWS).sum())

    def trust(self, name: str, value: float, scores: Mapping[str, Array]) -> Trust:
        """Return what is known of a score in addition to its replicates."""
        return Trust(scores[name])

    @property
    def reason_not_to_draw(self) -> str:
        """Why no replicates can be drawn; empty if they can."""
        reference = self.evaluation.reference if self.reads_reference else None
        for rows in filter(None, (self.evaluation.rows, reference)):
            if rows.undrawn:
                return words.ONE_SUM.format(names=name_list(rows.undrawn, rows.group_labels))
            if rows.n_clusters is not None and rows.n_clusters < _FEWEST_CLUSTERS:
                if rows.block_sums is not None:
                    return words.ONE_SUM.format(names="all rows")
                return words.FEW_CLUSTERS_IN_ALL.format(n=rows.n_clusters, fewest=_FEWEST_CLUSTERS)
        return ""

    def trust_or_reason(self, name: str, value: float, scores: Mapping[str, Array]) -> Trust:
        """Return what is known of a score, or why it has no interval."""
        if scores and not self.reason_for_0:
            return self.trust(name, value, scores)
        reason = self.reason_for_0 or self.reason_not_to_draw
        return Trust(scores.get(name, np.empty(0)), reason)

    def result(
        self, scores: Mapping[str, Array], drawing: Sequence[str], confidence: float
    ) -> AmplificationResult:
        """Return the scores of the data, with intervals from replicates of them if there are any.

        ``drawing`` are notes on how these were drawn.
        """
        estimates = {}
        for name, value in self.point().items():
            trust = self.trust_or_reason(name, value, scores)
            estimates[name] = estimate(value, trust, confidence)
        notes = [*self.evaluation.notes, *self.notes, *self.further_notes, *drawing]
        replicates = scores.get("value", np.empty(0))
        n_undefined = len(replicates) - int(np.isfinite(replicates).sum())
        if n_undefined and not estimates["value"].reason:
            name = self.metric.name.replace("->", "→")
            parts = {"k": n_undefined, "n": len(replicates), "are": agree(n_undefined, "is", "are")}
            notes.append(words.REPLICATES_UNDEFINED.format(metric=name, **parts))
        if self.margins.has(PREDICTION) and self.margins.variable(PREDICTION).is_soft:
            notes.append(words.PROBABILITIES)
        return AmplificationResult(
            measurement=self,
            metric=self.metric.name,
            key=self.metric.key,
            direction=self.metric.direction,
            n_rows=self.evaluation.rows.n_rows,
            estimates=estimates,
            confidence=confidence,
            n_boot=len(replicates),
            notes=tuple(filter(None, notes)),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class AmplificationResult:
    """The value of a metric with its interval, and the tables behind it.

    Attributes
    ----------
    metric, key : str
        The name of the metric, such as "BA A->T", and in letters, digits and underscores, such as
        "ba_a_to_t".
    direction : {"A->T", "T->A", "undirected"}
    n_rows : int
        Rows evaluated.
    estimates : dict of str to Estimate
        The value, and the numbers that belong to it: ``equal_errors`` and ``excess`` (BA, MALS),
        ``variance`` (Multi), ``psi_dataset`` and ``psi_model`` (LA, DPA).
    confidence : float
    n_boot : int
        Replicates that were drawn.
    notes : tuple of str
        Caveats on the value.
    """

    measurement: Measurement
    metric: str
    key: str
    direction: str
    n_rows: int
    estimates: dict[str, Estimate]
    confidence: float
    n_boot: int
    notes: tuple[str, ...]

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
    def equal_errors(self) -> Estimate | None:
        """The value if all groups had the same error rates (BA, MALS)."""
        return self.estimates.get("equal_errors")

    @property
    def excess(self) -> Estimate | None:
        """The value minus ``equal_errors``, from the same replicates."""
        return self.estimates.get("excess")

    @property
    def pos_label(self) -> Any:
        """The only class that is evaluated; None for all."""
        classes = self.measurement.pair_labels[1]
        is_one_of_several = len(classes) == 1 < len(self.measurement.evaluation.rows.class_labels)
        return classes[0] if is_one_of_several else None

    @cached_property
    def by_pair(self) -> pd.DataFrame:
        """One row for each pair of a group and a class."""
        groups, classes = self.measurement.pair_labels
        shown = [show(group) if isinstance(group, tuple) else group for group in groups]
        pairs = [(group, label) for group in shown for label in classes]
        frame = pd.DataFrame(pairs, columns=["group", "class"], dtype=object).infer_objects()
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
        if "change" in table:  # Changes of all classes of a group, or of all groups, sum to 0.
            table["size_of_change"] = table.pop("change").abs()
        return table.groupby(self.by_pair[key], sort=False).mean().reset_index()

    def plot(self, ax: Any = None) -> Any:
        """Draw what each pair adds, by :func:`biasamp_adapters.plot.pairs`; return the axes."""
        from biasamp_adapters.plot import pairs

        return pairs(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects; NaN and missing ends are None."""
        names = ("metric", "key", "direction", "n_rows", "n_boot", "confidence")
        about = {name: getattr(self, name) for name in names}
        numbers = {name: _to_dict(number) for name, number in self.estimates.items()}
        return {**about, **numbers, "notes": list(self.notes)}

    def __repr__(self) -> str:
        of_class = "" if self.pos_label is None else f" of {show(self.pos_label)}"
        lines = [f"{self.metric}{of_class}: {self.estimate}"]
        lines += [f"  {name}: {x}" for name, x in self.estimates.items() if name != "value"]
        if self.reason:
            lines.append(f"  No interval: {self.reason}.")
        lines.append(f"  {self.n_rows:,} rows")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _to_dict(number: Estimate) -> dict[str, Any]:
    ends = {"value": number.value, "low": number.low, "high": number.high}
    finite = {name: x if np.isfinite(x) else None for name, x in ends.items()}
    return {**finite, "reason": number.reason}
