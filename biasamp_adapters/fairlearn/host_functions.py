"""Metric functions of hosts and users, measured on the distinct rows with drawn weights."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import fairlearn.metrics as host
import numpy as np
from sklearn.metrics import accuracy_score, zero_one_loss

from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, PREDICTION, RIGHT, TASK, Array
from biasamp_adapters.counting.margins import Margins, divide
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.counting.variables import Codes
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.result import Measurement

#: Sums of weights that cancel leave so much of all weights.
_ROUNDING = 1e-12

#: A rate of the host is data: what its numerator is made of, and the kind of the rows that it is a
#: share of.
_TRUE, _PREDICTED, _RIGHT, _ROWS = np.eye(4)
_NEGATIVE = _ROWS - _TRUE
_WRONG = _TRUE + _PREDICTED - 2 * _RIGHT
_DENOMINATORS = {"": _ROWS, "positive": _TRUE, "negative": _NEGATIVE}
RATES = {
    host.selection_rate: (_PREDICTED, ""),
    host.true_positive_rate: (_RIGHT, "positive"),
    host.false_negative_rate: (_TRUE - _RIGHT, "positive"),
    host.false_positive_rate: (_PREDICTED - _RIGHT, "negative"),
    host.true_negative_rate: (_NEGATIVE - _PREDICTED + _RIGHT, "negative"),
    accuracy_score: (_ROWS - _WRONG, ""),
    zero_one_loss: (_WRONG, ""),
}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class HostMetric(Metric):
    """A function of labels and predictions, of all rows and of each group.

    Attributes
    ----------
    short : str
        The name of the metric in its frame.
    function : callable
    """

    fewest_groups = 1
    short: str  # type: ignore[misc]  # Other metrics of a class share one.
    function: Any

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of the function by their names."""
        return inspect.signature(self.function).parameters

    def rate(self, margins: Margins) -> tuple[Array, str] | None:
        """Return the numerator of a known rate of the labels 0 and 1, and the kind of its rows."""
        is_binary = margins.rows.class_labels == (0, 1)
        has_labels = isinstance(margins.variable(PREDICTION), Codes)
        return RATES.get(self.function) if is_binary and has_labels else None

    def measure(self, evaluation: Evaluation, model: str | None, seed: int) -> Measurement:
        """Return the function on the rows of a model, if it can read them."""
        rows = evaluation.rows
        if rows.is_matrix(TASK) or not rows.has(TASK):
            n = len(rows.class_labels)
            raise ValueError(f"{self.name} must have one label in each row of y_true; received {n}")
        if rows.w is not None and "sample_weight" not in self.parameters:
            raise ValueError(f"{self.name} must take sample_weight, as rows have weights")
        return super().measure(evaluation, model, seed)

    def score(self, margins: Margins) -> dict[str, Array]:
        """Return the numbers of all rows in a batch."""
        return {"value": self._numbers(margins, ALL)[:, 0]}

    def contributions(self, margins: Margins) -> Array:
        """Return the numbers of each group; NaN of a function that compares groups."""
        if ATTRIBUTE in self.parameters:
            return np.full((len(margins.times), len(margins.rows.group_labels), 1), np.nan)
        return self._numbers(margins, ATTRIBUTE)[:, :, None]

    def _numbers(self, margins: Margins, groups: str) -> Array:
        """Return the numbers of groups or of all rows, (batch, groups)."""
        rate = self.rate(margins)
        if rate is not None:
            return _divide(margins, groups, *rate)
        if self.function is host.count:  # Draws differ in the number of all rows.
            n = margins.joint(groups, ALL)[..., 0] * margins.rows.n_rows
            return divide(n, margins.total[:, 0])
        members = margins.variable(groups).values > 0
        labels = np.array(margins.rows.class_labels)
        truth, prediction = (margins.variable(role) for role in (TASK, PREDICTION))
        is_label = isinstance(prediction, Codes)
        predicted = labels[prediction.keys()] if is_label else prediction.values[:, -1]
        columns = labels[truth.keys()], predicted, margins.variable(ATTRIBUTE).keys()
        part, weight = margins.partition.part, margins.partition.weight
        is_data = len(margins.partition.times) == 1  # They are one part, and draws have several.
        takes = self.parameters.keys() & {ATTRIBUTE, "sample_weight"}
        weights = self.parameters.get("sample_weight")
        if is_data and margins.rows.w is None and weights and weights.default is not weights.empty:
            takes -= {"sample_weight"}  # As the host calls it, which some functions notice.
        values = [
            [self._value(columns, rows & (drawn > 0), drawn, takes, is_data) for rows in members.T]
            for drawn in (times[part] * weight for times in margins.times)
        ]
        return np.array(values)

    def _value(
        self, columns: Sequence[Array], rows: Array, weight: Array, takes: Set[str], is_data: bool
    ) -> float:
        """Return the value of some rows; NaN without rows, or if drawn rows are refused."""
        if not rows.any():
            return np.nan
        kept = np.flatnonzero(rows)
        if "sample_weight" not in takes:
            kept = np.repeat(kept, weight[kept].astype(np.int64))
        y_true, y_pred, groups = (values[kept] for values in columns)
        further = {ATTRIBUTE: groups, "sample_weight": weight[kept].astype(np.float64)}
        params = {name: x for name, x in further.items() if name in takes}
        try:
            value = np.asarray(self.function(y_true, y_pred, **params))
        except TypeError as error:
            rule = f"{self.name} must be a function of y_true and y_pred, as accuracy_score is"
            raise ValueError(f"{rule}; received one whose call fails: {error!s:.100}") from error
        except (ValueError, ArithmeticError):
            if is_data:
                raise
            return np.nan
        if value.size != 1 or value.dtype.kind not in "biuf":
            raise ValueError(f"{self.name} must return one number; received {value.tolist()!r:.60}")
        return float(value.item())


def _divide(margins: Margins, groups: str, numerator: Array, kind: str) -> Array:
    """Return rates of groups or of all rows: 0 without denominator, and NaN without rows."""
    roles = (TASK, PREDICTION, RIGHT[TASK])
    positives = [margins.joint(groups, role)[:, :, [-1]] for role in roles]
    sums = np.concatenate([*positives, margins.joint(groups, ALL)], axis=2)
    parts = sums @ np.column_stack([numerator, _DENOMINATORS[kind]])
    parts = np.where(parts > _ROUNDING * sums[..., 3:], parts, 0.0)
    return np.where(sums[..., 3] > 0, divide(parts[..., 0], parts[..., 1], 0.0), np.nan)
