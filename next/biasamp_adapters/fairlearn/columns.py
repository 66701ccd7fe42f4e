"""The columns of a frame: a number of all rows and of each group, in the data and in draws."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import fairlearn.metrics as host
import numpy as np
from sklearn.metrics import accuracy_score, zero_one_loss

from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, PREDICTION, RIGHT, TASK, Array
from biasamp_adapters.counting.margins import Margins, divide, margins_of_data
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.counting.variables import Codes
from biasamp_adapters.metrics import functions
from biasamp_adapters.metrics.attacks import (
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
)
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.multi import MultiAttributeBiasAmplification
from biasamp_adapters.metrics.rates import DirectionalBiasAmplification, MALSBiasAmplification
from biasamp_adapters.result import Measurement

#: Our functions, whose settings may be bound with ``functools.partial``.
_METRIC_OF: dict[Any, Callable[..., Metric]] = {
    functions.mals_bias_amplification: MALSBiasAmplification,
    functions.directional_bias_amplification: DirectionalBiasAmplification,
    functions.multi_attribute_bias_amplification: MultiAttributeBiasAmplification,
    functions.leakage_amplification: LeakageAmplification,
    functions.directional_predictability_amplification: DirectionalPredictabilityAmplification,
}

#: A rate of the host is data: what its numerator and its denominator are made of.
_TRUE, _PREDICTED, _RIGHT, _ROWS = np.eye(4)
_NEGATIVE = _ROWS - _TRUE
_WRONG = _TRUE + _PREDICTED - 2 * _RIGHT
RATES = {
    host.selection_rate: (_PREDICTED, _ROWS),
    host.true_positive_rate: (_RIGHT, _TRUE),
    host.false_negative_rate: (_TRUE - _RIGHT, _TRUE),
    host.false_positive_rate: (_PREDICTED - _RIGHT, _NEGATIVE),
    host.true_negative_rate: (_NEGATIVE - _PREDICTED + _RIGHT, _NEGATIVE),
    accuracy_score: (_ROWS - _WRONG, _ROWS),
    zero_one_loss: (_WRONG, _ROWS),
}


def read_metric(metric: Any) -> Any:
    """Return the metric object of a name or of one of our functions; others as they are."""
    function, settings = metric, {}
    if isinstance(metric, partial) and not metric.args:
        function, settings = metric.func, dict(metric.keywords)
    try:
        ours = _METRIC_OF.get(function)
    except TypeError:  # Functions of users may have no hash.
        ours = None
    if ours is not None:
        return ours(**settings)
    if isinstance(metric, str):
        return functions.get_metric(metric)
    if not callable(metric):
        raise ValueError(f"metrics must be callables or names; received {metric!r:.80}")
    return metric


@dataclass(frozen=True, eq=False)
class AmplificationColumn:
    """A metric of ours: its value, and the mean over the pairs of each group.

    Attributes
    ----------
    measurement : Measurement
    """

    measurement: Measurement

    @property
    def model(self) -> str | None:
        return self.measurement.model

    @property
    def evaluation(self) -> Evaluation:
        return self.measurement.evaluation

    @property
    def width(self) -> int:
        return self.measurement.width

    @property
    def n_pairs(self) -> int:
        return self.measurement.n_pairs

    @property
    def reads_reference(self) -> bool:
        return self.measurement.reads_reference

    @property
    def reason_not_to_draw(self) -> str:
        return self.measurement.reason_not_to_draw

    @property
    def rate(self) -> None:
        return None

    def trusted(self, scores: dict[str, Array], confidence: float) -> tuple[Array, str]:
        """Return the replicates of the value, NaN if no interval is trusted, and why."""
        estimate = self.measurement.result(scores, (), confidence).estimate
        return np.where(estimate.reason != "", np.nan, estimate.replicates), estimate.reason

    def point(self) -> dict[str, Array]:
        """Return the numbers of the data."""
        pairs = self.measurement.pairs()
        values = pairs["contribution" if "contribution" in pairs else "value"]
        defined = ~np.isnan(values)
        groups = divide(np.where(defined, values, 0).sum(axis=1), defined.sum(axis=1))
        return {"value": np.array(self.measurement.value), "groups": groups}

    def score(self, margins: Margins, origin: Margins | None, rng: Any) -> dict[str, Array]:
        """Return the numbers of a batch."""
        groups = self.measurement.by_group(margins, origin, rng)
        return {**self.measurement.score(margins, origin, rng), "groups": groups}


@dataclass(frozen=True, eq=False)
class HostColumn:
    """A function of labels and predictions, on the distinct rows with drawn weights.

    Attributes
    ----------
    name : str
    function : callable
    evaluation : Evaluation
    model : str or None
    """

    name: str
    function: Any
    evaluation: Evaluation
    model: str | None
    n_pairs = 0
    reads_reference = False
    reason_not_to_draw = ""

    def trusted(self, scores: dict[str, Array], confidence: float) -> tuple[Array, str]:
        """Return the replicates of the value."""
        return scores["value"], ""

    def __post_init__(self) -> None:
        rows = self.evaluation.rows
        for role in (TASK, PREDICTION):
            variable = rows.variable(role, self.model)
            if not isinstance(variable, Codes) or variable.has_missing:
                raise ValueError(f"{self.name} must have one label in each row of {role}")
        if rows.w is not None and not self._takes("sample_weight"):
            raise ValueError(f"{self.name} must take sample_weight, as rows have weights")

    @property
    def width(self) -> int:
        return 4 * (1 + len(self.evaluation.rows.group_labels))

    @cached_property
    def rate(self) -> tuple[Array, Array] | None:
        """What a known rate of the labels 0 and 1 is made of; None of other functions."""
        try:
            known = RATES.get(self.function)
        except TypeError:
            return None
        return known if self.evaluation.rows.class_labels == (0, 1) else None

    def point(self) -> dict[str, Array]:
        """Return the numbers of the data."""
        margins = margins_of_data(self.evaluation.rows).of_model(self.model)
        return {name: numbers[0] for name, numbers in self.score(margins, None).items()}

    def score(self, margins: Margins, origin: Margins | None, rng: Any = None) -> dict[str, Array]:
        """Return the numbers of a batch; NaN without rows, and where the function raises."""
        if self.rate is None:
            parts, weight = margins.partition.part, margins.partition.weight
            called = [self._call(times[parts] * weight) for times in margins.times]
            return {
                "value": np.array([x[0] for x in called]),
                "groups": np.array([x[1:] for x in called]),
            }
        of_groups = [
            margins.joint(ATTRIBUTE, role)[:, :, [-1]] for role in (TASK, PREDICTION, RIGHT[TASK])
        ]
        sums = np.concatenate([*of_groups, margins.joint(ATTRIBUTE, ALL)], axis=2)
        sums = np.concatenate([sums.sum(axis=1, keepdims=True), sums], axis=1)
        numerator, denominator = (sums @ part for part in self.rate)
        rates = np.where(sums[..., 3] > 0, divide(numerator, denominator, 0.0), np.nan)
        return {"value": rates[:, 0], "groups": rates[:, 1:]}

    def _takes(self, argument: str) -> bool:
        try:
            return argument in inspect.signature(self.function).parameters
        except (TypeError, ValueError):  # Compiled functions have no signature.
            return False

    @cached_property
    def _columns(self) -> tuple[Array, Array, Array]:
        """Labels, predictions and the position of the group of each distinct row."""
        rows = self.evaluation.rows
        labels = np.array(rows.class_labels)
        codes = (rows.variable(role, self.model).keys() for role in (TASK, PREDICTION))
        return (*(labels[code] for code in codes), rows.variable(ATTRIBUTE).keys())

    def _call(self, weight: Array) -> list[float]:
        """Return the value of all rows and, unless it compares groups, of those of each group."""
        groups = range(len(self.evaluation.rows.group_labels))
        if self._takes(ATTRIBUTE):
            return [self._value(weight > 0, weight), *(np.nan for _ in groups)]
        members = [(weight > 0) & (self._columns[2] == group) for group in groups]
        return [self._value(rows, weight) for rows in (weight > 0, *members)]

    def _value(self, rows: Array, weight: Array) -> float:
        if not rows.any():
            return np.nan
        kept, params = np.flatnonzero(rows), dict[str, Any]()
        if self._takes("sample_weight"):
            params["sample_weight"] = weight[kept].astype(np.float64)
        else:
            kept = np.repeat(kept, weight[kept].astype(np.int64))
        y_true, y_pred, groups = (values[kept] for values in self._columns)
        if self._takes(ATTRIBUTE):
            params[ATTRIBUTE] = groups
        value = np.asarray(self.function(y_true, y_pred, **params))
        if value.size != 1 or value.dtype.kind not in "biuf":
            raise ValueError(f"{self.name} must return one number; received {value!r:.80}")
        return float(value.item())
