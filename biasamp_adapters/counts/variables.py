"""The variables of counts, with their labels, and the rule for missing values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Label

#: A label set, as ascending positions in the label list.
LabelSet: TypeAlias = tuple[int, ...]

#: The name of the model when there is only one and it was not named.
MODEL = "model"

Missing: TypeAlias = Literal["error", "drop", "abstain"]

_MISSING = get_args(Missing)


class Axis(NamedTuple):
    """One variable of the counts: its role and, for a prediction, the model."""

    role: Role
    model: str | None = None


ATTRIBUTE, TASK = Axis(Role.ATTRIBUTE), Axis(Role.TASK)


def model_in_words(model: str, *, starts: bool = False) -> str:
    """A model as a sentence names it: without a name, "the model", or "The model" at the start."""
    return model if model != MODEL else "The model" if starts else "the model"


def check_missing(missing: str) -> None:
    """Raise for an unknown rule for missing values."""
    if missing not in _MISSING:
        raise ValueError(f"missing must be 'error', 'drop' or 'abstain'; received {missing!r}")


def missing_message(argument: str, count: int, *, predicted: bool) -> str:
    """The error for missing values that no rule allows."""
    remedy = "missing='drop' leaves such rows out"
    if predicted:
        remedy += ", missing='abstain' counts them as abstentions"
    return f"{argument} must not have missing values; received {count} ({remedy})"


@dataclass(frozen=True, eq=False, repr=False)
class Schema(ABC):
    """The variables of counts, with their labels.

    Attributes
    ----------
    labels : tuple
        Task labels, in order.
    groups : tuple
        Groups of the protected attribute, in order; tuples where several attributes are crossed.
    attributes : tuple of str
        Names of the protected attributes.
    axes : tuple of Axis
        The variables.
    matrices : frozenset of str
        Which of "labels" and "groups" were columns of a matrix, each a variable of its own.
    sets : tuple of LabelSet
        Label sets that were counted.
    task_name : str or None
        Name of the task, where the labels had one. The columns of a matrix are names themselves.
    """

    labels: tuple[Label, ...]
    groups: tuple[Label, ...]
    attributes: tuple[str, ...]
    axes: tuple[Axis, ...]
    matrices: frozenset[str] = frozenset()
    sets: tuple[LabelSet, ...] = ()
    task_name: str | None = None

    @abstractmethod
    def abstentions(self, role: str, model: str) -> int:
        """Rows for which a model predicted nothing."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models whose predictions are counted."""
        return tuple(dict.fromkeys([axis.model for axis in self.axes if axis.model is not None]))

    @property
    def first_model(self) -> str:
        """The model that is read if none is named."""
        return (self.models or (MODEL,))[0]

    @property
    def label_sets(self) -> tuple[tuple[Label, ...], ...]:
        """Label sets that were counted, as labels."""
        return tuple(tuple(self.labels[i] for i in members) for members in self.sets)

    def has(self, role: str, model: str | None = None) -> bool:
        """Whether a variable was counted, for ``model`` if one is given."""
        if model is None:
            return role in [axis.role for axis in self.axes]
        return (role, model) in self.axes

    def is_matrix(self, role: str) -> bool:
        """Whether a variable was given as a matrix: each column is a variable of its own."""
        return Role(role).domain in self.matrices

    def labels_of(self, role: str) -> tuple[Label, ...]:
        """The labels of a variable, or its groups."""
        return self.groups if Role(role).of_attribute else self.labels

    def n_labels(self, role: str) -> int:
        """How many labels a variable has."""
        return len(self.labels_of(role))

    def axis(self, role: str, model: str | None) -> Axis:
        """The variable of a role, for a prediction that of ``model``.

        Raises
        ------
        ValueError
            If it was not counted.
        """
        for axis in self.axes:
            if axis.role == role and axis.model in (None, model):
                return axis
        counted = [axis.role.value for axis in self.axes]
        raise ValueError(f"counts must hold the {role}; these hold {', '.join(counted)}")

    def _axes_in_words(self) -> str:
        """The variables, for a representation."""
        return " x ".join(
            axis.role if axis.model is None else f"{axis.role}[{axis.model}]" for axis in self.axes
        )
