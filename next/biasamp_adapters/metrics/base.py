"""What all metrics share: settings, how they are called, and results."""

from __future__ import annotations

import reprlib
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.counts import MODEL, Counts, read_counts
from biasamp_adapters.counting.labels import ATTRIBUTE, PREDICTION, Array, Label, name_list
from biasamp_adapters.counting.reference import Evaluation, align, read_reference
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Codes
from biasamp_adapters.inference.replicates import read_seed, replicate
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.progress import watch
from biasamp_adapters.result import AmplificationResult
from biasamp_adapters.warning import AmplificationWarning

A_TO_T, T_TO_A, UNDIRECTED = "A->T", "T->A", "undirected"

#: Intervals that rest on a group with rows in fewer clusters may be too narrow.
_ENOUGH_CLUSTERS = 60


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Metric(ABC):
    """A measure of bias amplification: its settings, which never change.

    Parameters
    ----------
    reference : pair (y_true, sensitive_features), Counts, BaseRates, frame or path, optional
        Data that decide the signs; by default the labels of the evaluated rows. A frame or a path
        has the columns of the data.
    pos_label : label, optional
        The only class that is evaluated.
    class_labels, group_labels : sequence of labels, optional
        All classes and groups, in their order; by default those that occur.
    missing : {"error", "drop", "abstain"}
        What becomes of rows with missing values; "abstain" keeps missing predictions.
    missing_values : sequence of labels
        Labels that mean a missing value.
    """

    reference: Any = None
    pos_label: Label | None = None
    class_labels: Sequence[Label] | None = None
    group_labels: Sequence[Label] | None = None
    missing: str = "error"
    missing_values: Sequence[Label] = ()

    short: ClassVar[str] = ""
    directions: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if not self.directions:
            return
        direction = getattr(self, "direction", UNDIRECTED)
        if str(direction).replace("→", "->") not in self.directions:
            allowed = " or ".join(map(repr, self.directions))
            raise ValueError(f"direction must be {allowed}; received {direction!r}")
        object.__setattr__(self, "direction", direction.replace("→", "->"))

    @abstractmethod
    def measure(self, evaluation: Evaluation, model: str | None, seed: int) -> Measurement:
        """Fix what no draw changes: signs, classes, how to equalize accuracy."""

    @property
    def name(self) -> str:
        """The short name, such as "BA A->T" or "LA"."""
        return f"{self.short} {self.measured_direction}" if self.directions else self.short

    @property
    def key(self) -> str:
        """The name in letters, digits and underscores, such as "ba_a_to_t"."""
        plain = self.name.lower().replace("->", "_to_").replace("(", " ").replace(")", "")
        return "_".join(plain.replace(",", " ").split())

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def measured_direction(self) -> str:
        """ "A->T", "T->A" or "undirected"."""
        return str(getattr(self, "direction", UNDIRECTED))

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        sensitive_features: Any = None,
        sensitive_features_pred: Any = None,
        sample_weight: Any = None,
    ) -> float:
        """Return the value.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (rows,) or (rows, columns)
            Labels, or a label matrix of 0 and 1; ``y_pred`` may hold probabilities.
        sensitive_features : array-like of shape (rows,), OverlappingGroups or str
            Groups. Several columns are crossed; a text is a level of ``y_true``'s index.
        sensitive_features_pred : array-like, optional
            Predicted groups.
        sample_weight : array-like of shape (rows,), optional

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If an input cannot be read, or lacks what the metric needs.
        """
        counts = Counts.from_arrays(
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            sensitive_features_pred=sensitive_features_pred,
            sample_weight=sample_weight,
            **self._reading_options(),
        )
        evaluation = self.evaluate(counts.rows, None)
        measurement = self.measure(evaluation, _only_model(counts.rows), 0)
        for note in (*evaluation.notes, *measurement.notes):
            warnings.warn(f"{self.name}: {note}", AmplificationWarning, stacklevel=2)
        return float(measurement.value)

    def result(
        self,
        data: Any = None,
        y_pred: Any = None,
        *,
        y_true: Any = None,
        sensitive_features: Any = None,
        sensitive_features_pred: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        n_boot: int = 2000,
        confidence: float = 0.95,
        random_state: Any = 0,
    ) -> AmplificationResult:
        """Return the value with its interval and tables.

        Parameters
        ----------
        data : frame, path, list of paths or Counts; or the values of ``y_true``
            One positional argument is data, and the others are names of its columns. Two are
            ``y_true`` and ``y_pred``.
        y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight : object
            As in a call, or names of columns: a list or a pattern such as "true_*" for a label
            matrix, a list for crossed groups.
        clusters : array-like of shape (rows,), or name of a column, optional
            Rows of one cluster are drawn together.
        n_boot : int
            Bootstrap replicates.
        confidence : float
        random_state : int, Generator or None
            The seed of everything that is drawn.
        """
        columns = {
            "y_true": y_true,
            "sensitive_features": sensitive_features,
            "sensitive_features_pred": sensitive_features_pred,
            "sample_weight": sample_weight,
            "clusters": clusters,
        }
        counts, names = self.count(data, y_pred, columns)
        model = _only_model(counts.rows)
        results = self.results(counts, names, n_boot, confidence, random_state)
        return results[model]

    def count(
        self, data: Any, y_pred: Any, columns: Mapping[str, Any]
    ) -> tuple[Counts, Mapping[str, Any] | None]:
        """Return counts of arrays or data, and the names of columns."""
        return read_counts(data, y_pred, columns=columns, options=self._reading_options())

    def _reading_options(self) -> dict[str, Any]:
        return {
            "class_labels": self.class_labels,
            "group_labels": self.group_labels,
            "missing": self.missing,
            "missing_values": self.missing_values,
        }

    def evaluate(self, rows: Rows, names: Mapping[str, Any] | None) -> Evaluation:
        """Return rows beside the reference, on common labels."""
        reference = read_reference(self.reference, names, self.missing)
        return align(rows, reference, self.class_labels, self.group_labels)

    def results(
        self,
        counts: Counts,
        names: Mapping[str, Any] | None,
        n_boot: int,
        confidence: float,
        random_state: Any,
    ) -> dict[str, AmplificationResult]:
        """Return the result of each model, from the same draws."""
        check_levels(n_boot, confidence)
        seed = read_seed(random_state)
        evaluation = self.evaluate(counts.rows, names)
        models = counts.rows.models or (MODEL,)
        watched = watch(models, len(models), "values", "fewer models in a call")
        measurements = [self.measure(evaluation, model, seed) for model in watched]
        drawn = [m for m in measurements if n_boot and not m.reason_not_to_draw]
        scores, drawing = _replicate(drawn, n_boot, seed)
        results = {}
        for model, measurement in zip(models, measurements, strict=True):
            replicates = scores.get(model, {})
            notes = [*evaluation.notes, *measurement.notes, *measurement.further_notes]
            notes += [*drawing, _note_on_undefined(replicates)]
            if (
                counts.rows.has(PREDICTION, model)
                and counts.rows.variable(PREDICTION, model).is_soft
            ):
                notes.append(words.PROBABILITIES)
            results[model] = AmplificationResult(
                measurement=measurement,
                estimates=measurement.estimates(replicates, confidence),
                confidence=confidence,
                n_boot=n_boot if replicates else 0,
                notes=tuple(filter(None, notes)),
            )
        return results

    def __repr__(self) -> str:
        changed = [
            f"{field.name}={_short_repr(getattr(self, field.name))}"
            for field in fields(self)
            if getattr(self, field.name) is not field.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _short_repr(value: Any) -> str:
    """Return the repr of a setting, without the values of a reference."""
    text = reprlib.repr(value)
    return text if len(text) <= 40 and "\n" not in text else f"<{type(value).__name__}>"


def _note_on_undefined(replicates: Mapping[str, Array]) -> str:
    """Return how many replicates are undefined; an empty text if none are."""
    values = replicates.get("value")
    if values is None or np.isfinite(values).all():
        return ""
    n_undefined = int((~np.isfinite(values)).sum())
    return words.REPLICATES_UNDEFINED.format(k=n_undefined, n=len(values))


def _note_on_clusters(rows: Rows) -> str:
    """Return which groups have rows in few clusters; an empty text if none have."""
    if rows.cluster is None or not rows.has(ATTRIBUTE):
        return ""
    groups = rows.variable(ATTRIBUTE)
    if not isinstance(groups, Codes) or rows.block_sums is not None:
        return ""
    has_rows = np.zeros((len(groups.labels) + 1, rows.cluster.max() + 1), dtype=bool)
    has_rows[groups.codes, rows.cluster] = True
    n = has_rows.sum(axis=1)
    few = [label for label, k in zip(groups.labels, n, strict=False) if 0 < k < _ENOUGH_CLUSTERS]
    return words.FEW_CLUSTERS.format(names=name_list(few)) if few else ""


def check_levels(n_boot: Any, confidence: Any) -> None:
    """Raise unless the number of replicates and the level are possible."""
    if not isinstance(n_boot, int | np.integer) or isinstance(n_boot, bool) or n_boot < 0:
        raise ValueError(f"n_boot must be a whole number from 0 on; received {n_boot!r}")
    if not isinstance(confidence, float) or not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1; received {confidence!r}")


def _only_model(rows: Rows) -> str:
    """Return the model of counts of one model, or raise."""
    models = rows.models or (MODEL,)
    if len(models) > 1:
        raise ValueError(f"a metric reads one model; received {list(models)[:5]}: use compare")
    return models[0]


def _replicate(
    measurements: Sequence[Measurement], n_boot: int, seed: int
) -> tuple[dict[str | None, dict[str, Array]], tuple[str, ...]]:
    """Return the replicates of each model's scores, and notes on how they were drawn."""
    if not measurements:
        return {}, ()
    first = measurements[0]
    reference = first.evaluation.reference if first.reads_reference else None
    scores, note = replicate(measurements, first.evaluation.rows, reference, n_boot, seed)
    models = [measurement.model for measurement in measurements]
    notes = tuple(filter(None, (note, _note_on_clusters(first.evaluation.rows))))
    return dict(zip(models, scores, strict=True)), notes


def check_has(rows: Rows, model: str | None, roles: Sequence[str], direction: str) -> None:
    """Raise unless the rows hold what a direction reads."""
    for role in roles:
        if not rows.has(role, model):
            raise ValueError(f"{role} must be given for {direction}; received None")
