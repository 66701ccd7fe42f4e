"""The variables of a data set, and the arrays that hold them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

#: The two lists of labels: those of the task, and the groups of the attribute.
Domain: TypeAlias = Literal["labels", "groups"]


class Role(StrEnum):
    """What a variable is: the task or the protected attribute, true or predicted.

    Attributes
    ----------
    predicted : bool
        Whether a model gave the values.
    domain : {"labels", "groups"}
        The list that its labels are in.
    of_attribute : bool
        Whether its labels are groups.
    """

    TASK = "task"
    ATTRIBUTE = "attribute"
    PREDICTION = "prediction"
    ATTRIBUTE_PREDICTION = "attribute_prediction"

    def __init__(self, name: str) -> None:
        self.predicted = name.endswith("prediction")
        self.of_attribute = name.startswith("attribute")
        self.domain: Domain = "groups" if self.of_attribute else "labels"

    @property
    def truth(self) -> Role:
        """The true variable that this one is, or predicts."""
        return Role.ATTRIBUTE if self.of_attribute else Role.TASK

    @property
    def prediction(self) -> Role:
        """The predicted variable that this one is, or that predicts it."""
        return Role.ATTRIBUTE_PREDICTION if self.of_attribute else Role.PREDICTION


#: The argument name of each variable.
ARGUMENTS = {
    Role.ATTRIBUTE: "sensitive_features",
    Role.TASK: "y_true",
    Role.ATTRIBUTE_PREDICTION: "sensitive_features_pred",
    Role.PREDICTION: "y_pred",
}


class Inputs(NamedTuple):
    """The arrays that metrics are called with, in the order of ``from_arrays``."""

    y_true: Any = None
    y_pred: Any = None
    sensitive_features: Any = None
    sensitive_features_pred: Any = None
    sample_weight: Any = None
    clusters: Any = None

    def to_read_again(self) -> Inputs:
        """The same arrays, those of iterators as lists, which can be read more than once."""
        return Inputs(*map(_listed, self))


def _listed(values: Any) -> Any:
    if isinstance(values, dict):
        return {name: _listed(of_model) for name, of_model in values.items()}
    return list(values) if isinstance(values, Iterator) else values
