"""What a sweep varies: the predicted task or attribute, and the score that gives it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from biasamp_adapters._roles import ARGUMENTS, Inputs, Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import listing, positive_class
from biasamp_adapters.inputs.columns import read_columns
from biasamp_adapters.inputs.matrices import Indicators, is_matrix, one_shape
from biasamp_adapters.inputs.order import warn_of_order
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.predictability import PredictabilityMetric
from biasamp_adapters.thresholds.scores import read_scores

#: What a metric must read for a sweep, and what the metrics that do not read it compare.
_RULES = {
    Role.PREDICTION: "metric must read the predicted task: the task's scores do not enter T->A, "
    "which compares predicted and true attributes (give attribute_score)",
    Role.ATTRIBUTE_PREDICTION: "metric must read the predicted attribute: the attribute's scores "
    "do not enter A->T and LA, which compare predicted and true tasks (give y_score)",
}


class Swept(NamedTuple):
    """What is swept: the predicted task or attribute, and which of two labels is positive.

    Attributes
    ----------
    role : Role
        The prediction that the score gives at a threshold.
    positive : label, optional
        By default, 1 of 0/1, -1/1 and booleans, and the last one of two other labels.
    """

    role: Role = Role.PREDICTION
    positive: Label | None = None

    @property
    def argument(self) -> str:
        """The argument that holds the score."""
        return "attribute_score" if self.role.of_attribute else "y_score"

    def position(self, labels: Sequence[Label]) -> int:
        """The position of the positive label.

        Raises
        ------
        ValueError
            If there are not two labels, or the positive one is none of them.
        """
        if len(labels) == 2 and self.positive in (None, *labels):
            positive = positive_class(labels) if self.positive is None else self.positive
            return labels.index(positive)
        truth = ARGUMENTS[self.role.truth]
        what, name, hint = "labels", "pos_label", ""
        if self.role.of_attribute:
            what, name = "groups", "pos_group"
            hint = " (the scores of several groups are a matrix, with a column for each)"
        rule = "" if self.positive is None else f", one of them {name}={self.positive!r}"
        raise ValueError(f"{truth} must have two {what}{rule}; received {listing(labels)}{hint}")


def swept_by(metric: Metric, y_score: Any, attribute_score: Any, pos_group: Label | None) -> Swept:
    """What the thresholds of the one score that is given decide.

    Raises
    ------
    ValueError
        If there are two scores or none, or the metric does not read what the score predicts.
    """
    if not isinstance(metric, Metric):
        raise ValueError(f"metric must be a metric object such as MALS(); received {metric!r}")
    if (y_score is None) == (attribute_score is None):
        raise ValueError(
            "either y_score (scores of the task) or attribute_score (scores of the attribute) must "
            "be given, since the thresholds of one score are swept; received "
            f"{'neither' if y_score is None else 'both'}"
        )
    swept = Swept(Role.PREDICTION, getattr(metric, "pos_label", None))
    if attribute_score is not None:
        swept = Swept(Role.ATTRIBUTE_PREDICTION, pos_group)
    elif pos_group is not None:
        raise ValueError(f"pos_group is for attribute_score; received {pos_group!r} with y_score")
    if swept.role not in metric.predictions:
        raise ValueError(f"{_RULES[swept.role]}; received {metric.__name__}")
    return swept


class SweepInputs(NamedTuple):
    """The inputs of a sweep, with the scores in the place of the prediction that they give.

    Attributes
    ----------
    swept : Swept
    inputs : Inputs
    names : sequence of label, or None
        The names of the columns of a matrix of scores.
    """

    swept: Swept
    inputs: Inputs
    names: Sequence[Label] | None

    @classmethod
    def of(cls, swept: Swept, inputs: Inputs, score: Any) -> SweepInputs:
        """The inputs, checked as far as a metric does not check them.

        Raises
        ------
        ValueError
            If the prediction is given beside its score, a score is no finite number, or it is not
            known which group scores are of.
        """
        argument, name = swept.argument, ARGUMENTS[swept.role]
        if getattr(inputs, name) is not None:
            raise ValueError(
                f"{name} must not be given with {argument}, which gives it at each threshold; "
                "received both"
            )
        inputs = inputs._replace(**{name: score})
        fields = (argument if field == name else field for field in inputs._fields)
        warn_of_order(zip(fields, inputs, strict=True))
        inputs = inputs.to_read_again()
        y_true, y_pred = one_shape([inputs.y_true, inputs.y_pred])
        inputs = inputs._replace(y_true=y_true, y_pred=y_pred)
        score, names = getattr(inputs, name), None
        if isinstance(score, Indicators):
            score, names = score.values, score.names
        scores, columns = read_scores(score, argument)
        if swept.role.of_attribute:
            _check_groups(swept, scores, inputs.sensitive_features)
        return cls(swept, inputs._replace(**{name: scores}), names or columns)

    @property
    def name(self) -> str:
        """The argument for predictions in whose place the scores are."""
        return ARGUMENTS[self.swept.role]

    @property
    def scores(self) -> Array:
        """The scores, of shape (n,) or (n, K)."""
        return np.asarray(getattr(self.inputs, self.name))

    def predicting(self, values: Any) -> Inputs:
        """The inputs with a prediction in the place of the scores."""
        return self.inputs._replace(**{self.name: values})

    def can_be_counted(self, metric: Metric) -> bool:
        """Whether the counts at all thresholds follow from one count of the rows."""
        by_column = is_matrix(self.inputs.y_true) or is_matrix(self.inputs.y_pred)
        return (
            self.scores.ndim == 1
            and not any(isinstance(values, Indicators) for values in self.inputs)
            # Attackers read the rows of label matrices themselves.
            and not (by_column and isinstance(metric, PredictabilityMetric))
        )


def _check_groups(swept: Swept, scores: Array, sensitive_features: Any) -> None:
    """Raise for scores of which it is not known which group each is of."""
    if scores.ndim == 2:
        if swept.positive is not None:
            raise ValueError(
                "pos_group is for a vector of scores; received "
                f"{swept.positive!r} with a matrix, whose columns are groups"
            )
        return
    if sensitive_features is None or isinstance(sensitive_features, Indicators):
        return
    n_attributes = len(read_columns(sensitive_features, "sensitive_features"))
    if n_attributes > 1:
        raise ValueError(
            "attribute_score must be a matrix with a column for each group where attributes are "
            f"crossed; received a vector for {n_attributes} attributes"
        )
