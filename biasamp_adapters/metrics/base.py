"""What all metrics share: settings, how they are called, and results."""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.counts import columns_among, count_arrays, read_counts
from biasamp_adapters.counting.labels import (
    ATTRIBUTE,
    ATTRIBUTE_PREDICTION,
    MODEL,
    PREDICTION,
    TASK,
    Array,
    Label,
    find_label,
    listing,
)
from biasamp_adapters.counting.margins import Margins, mean_of_pairs
from biasamp_adapters.counting.reference import Evaluation, align, check_reference, read_reference
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.figures import agree, count, name
from biasamp_adapters.inference.replicates import read_seed, replicate
from biasamp_adapters.progress import watch
from biasamp_adapters.result import AmplificationResult, Measurement
from biasamp_adapters.warning import warn

A_TO_T, T_TO_A, UNDIRECTED = "A->T", "T->A", "undirected"

#: The settings that say how data are read.
READING = ("class_labels", "group_labels", "missing", "missing_values")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Metric:
    """A measure of bias amplification: its settings, which never change, and its formula.

    A metric of one's own names what it ``needs``, and computes ``contributions`` or ``score`` from
    margins, of the data and of every draw. One whose parts no draw changes, such as signs,
    overrides ``measure``. :class:`DirectionalBiasAmplification` describes the settings.

    Attributes
    ----------
    short : str
        What names begin with.
    directions : tuple of str
        The directions to choose from; none of a metric that has none.
    needs : tuple of str
        The variables that must be given.
    """

    reference: Any = None
    pos_label: Label | None = None
    class_labels: Sequence[Label] | None = None
    group_labels: Sequence[Label] | None = None
    missing: str = "error"
    missing_values: Sequence[Label] = ()
    direction: str = field(default=UNDIRECTED, init=False)

    short: ClassVar[str] = ""
    fewest_groups: ClassVar[int] = 2
    directions: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = (TASK, PREDICTION, ATTRIBUTE)

    def __post_init__(self) -> None:
        for setting in ("direction", "pos_label", "equalize"):
            value: Any = getattr(self, setting, None)
            if np.ndim(value):
                rule = f"{setting} must be one value; received several"
                raise ValueError(f"{rule}. In a MetricFrame, functools.partial binds settings")
        if isinstance(self.direction, str):
            object.__setattr__(self, "direction", self.direction.replace("→", "->"))
        if self.directions:
            check_choice("direction", self.direction, self.directions)
        check_reference(self.reference)

    def contributions(self, margins: Margins) -> Array:
        """Return what each pair adds to the mean, (batch, groups, classes); NaN without rows."""
        raise NotImplementedError(f"{self.name} has no numbers of pairs or groups")

    def score(self, margins: Margins) -> dict[str, Array]:
        """Return named scores of a batch, each of shape (batch,): "value" and others."""
        return {"value": mean_of_pairs(self.contributions(margins))}

    def measure(self, evaluation: Evaluation, model: str | None, seed: int) -> Measurement:
        """Fix what no draw changes: signs, classes, how to equalize accuracy.

        A formula on margins alone reads neither signs nor one class.
        """
        for setting in ("reference", "pos_label"):
            value = getattr(self, setting)
            if value is not None:
                rule = f"{setting} must be None for {self.name}, whose formula does not read it"
                raise ValueError(f"{rule}; received {_short_repr(value)}")
        self.check_has(evaluation.rows, model, self.needs)
        margins, origin = evaluation.margins(model)
        return Measurement(
            metric=self, evaluation=evaluation, model=model, margins=margins, origin=origin
        )

    @property
    def name(self) -> str:
        """The short name, such as "BA A->T" or "LA"."""
        return f"{self.short} {self.direction}" if self.directions else self.short

    @property
    def key(self) -> str:
        """The name in letters, digits and underscores, such as "ba_a_to_t"."""
        return re.sub("[^a-z0-9]+", "_", self.name.lower().replace("->", "_to_")).strip("_")

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(
        self,
        y_true: Any,
        y_pred: Any = None,
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
        columns = columns_among(locals())
        evaluation = self.evaluate(count_arrays(columns, self.reading_options()))
        measurement = self.measure(evaluation, only_model(evaluation.rows), 0)
        for note in (*evaluation.notes, *measurement.notes):
            warn(f"{self.name}: {note}")
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
            As in a call, or names of columns: several or a pattern such as "true_*" for a label
            matrix, a list for crossed groups.
        clusters : array-like of shape (rows,), or name of a column, optional
            Rows of one cluster are drawn together.
        n_boot : int
            Bootstrap replicates.
        confidence : float
            The level of intervals, between 0 and 1.
        random_state : int, Generator or None
            The seed of everything that is drawn, except for random blocks; None is a fresh one.

        Returns
        -------
        AmplificationResult

        Raises
        ------
        ValueError
            If an input cannot be read, or lacks what the metric needs.
        """
        evaluation = self.read(data, columns_among(locals()))
        model = only_model(evaluation.rows)
        return self.results(evaluation, n_boot, confidence, random_state)[model]

    def read(self, data: Any, columns: Mapping[str, Any]) -> Evaluation:
        """Return the rows of arrays or data, with the reference."""
        counts, names = read_counts(data, columns, self.reading_options())
        return self.evaluate(counts.rows, names)

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """Return the metric with other settings; raise for one that it has not."""
        known = [field.name for field in fields(self) if field.init]
        for setting in settings:
            check_choice(f"a setting of {self.short}", setting, known)
        return replace(self, **settings)

    def reading_options(self) -> dict[str, Any]:
        """Return the settings that say how data are read."""
        return {name: getattr(self, name) for name in READING}

    def check_has(self, rows: Rows, model: str | None, roles: Sequence[str]) -> None:
        """Raise unless the rows hold what the metric reads."""
        for role in roles:
            if not rows.has(role, model):
                raise ValueError(f"{role} must be given for {self.name}; received None")

    def evaluate(self, rows: Rows, names: Mapping[str, Any] | None = None) -> Evaluation:
        """Return rows and the reference, on common labels; ``names`` are those of columns."""
        options = self.reading_options()
        reference = read_reference(self.reference, names, options)
        return align(rows, reference, options, self.fewest_groups, self.short)

    def results(
        self, evaluation: Evaluation, n_boot: int, confidence: float, random_state: Any
    ) -> dict[str, AmplificationResult]:
        """Return the result of each model, from the same draws."""
        seed = check_draws(n_boot, confidence, random_state)
        models = evaluation.rows.models or (MODEL,)
        watched = watch(models, len(models), "values", "fewer models in a call")
        measurements = [self.measure(evaluation, model, seed) for model in watched]
        scores, notes = replicate(measurements, n_boot, seed)
        results = {}
        for model, measurement in zip(models, measurements, strict=True):
            of_model = [*_missing_predictions(evaluation.rows, model), *notes]
            results[model] = measurement.result(scores.get(measurement, {}), of_model, confidence)
        return results

    def __repr__(self) -> str:
        changed = [
            f"{field.name}={_short_repr(getattr(self, field.name))}"
            for field in fields(self)
            if getattr(self, field.name) is not field.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _missing_predictions(rows: Rows, model: str) -> Iterator[str]:
    """Yield how many predictions of a model are missing."""
    nouns = {PREDICTION: "prediction", ATTRIBUTE_PREDICTION: "predicted group"}
    for role, noun in nouns.items():
        if n := rows.n_missing(role, model):
            parts = {"predictions": count(n, noun), "model": name(model)}
            yield f"{words.ARE_MISSING.format(**parts, are=agree(n, 'is', 'are'))}."


def _short_repr(value: Any) -> str:
    """Return the repr of a setting, without the values of a reference."""
    text = reprlib.repr(value)
    return text if len(text) <= 40 and "\n" not in text else f"<{type(value).__name__}>"


def check_choice(name: str, choice: Any, allowed: Sequence[Any]) -> None:
    """Raise unless a choice is one of those that are allowed."""
    if choice not in allowed:
        few = len(allowed) < 6
        shown = " or ".join(listing([x]) for x in allowed) if few else listing(allowed)
        guesses = difflib.get_close_matches(str(choice), map(str, allowed), 1)
        end = f". Did you mean {guesses[0]!r}?" if guesses and len(allowed) > 5 else ""
        raise ValueError(f"{name} must be {shown}; received {listing([choice])}{end}")


def find_class(argument: str, label: Label | None, classes: Sequence[Label]) -> Label | None:
    """Return the class that a label or its text stands for."""
    if label is not None:
        label = find_label(label, classes)
        check_choice(argument, label, classes)
    return label


def check_confidence(confidence: Any) -> None:
    """Raise unless a level is a share."""
    if not isinstance(confidence, float) or not 0 < confidence < 1:
        rule = "confidence must be a float between 0 and 1"
        raise ValueError(f"{rule}; received {listing([confidence])}")


def check_draws(n_boot: Any, confidence: Any, random_state: Any) -> int:
    """Return the seed of draws; raise unless their number and the level of intervals are right."""
    check_whole("n_boot", n_boot, 0)
    check_confidence(confidence)
    return read_seed(random_state)


def check_whole(name: str, number: Any, fewest: int) -> None:
    """Raise unless a number is whole and not too small."""
    if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < fewest:
        rule = f"{name} must be a whole number from {fewest} on"
        raise ValueError(f"{rule}; received {listing([number])}")


def check_number(name: str, number: Any, low: float, high: float = np.inf) -> None:
    """Raise unless a number is finite and in a range."""
    end = "on" if high == np.inf else f"to {high}"
    is_number = isinstance(number, Real) and not isinstance(number, bool)
    if not is_number or not low <= number <= high or number == np.inf:
        raise ValueError(f"{name} must be a number from {low} {end}; received {listing([number])}")


def only_model(rows: Rows) -> str:
    """Return the model of counts of one model, or raise."""
    models = rows.models or (MODEL,)
    if len(models) > 1:
        raise ValueError(f"a metric reads one model; received {listing(models)}: use compare")
    return models[0]
