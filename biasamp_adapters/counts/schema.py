"""What counts are of: variables, labels, groups and models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Label
from biasamp_adapters.counts.variables import MODEL, Axis, LabelSet


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
    """

    labels: tuple[Label, ...]
    groups: tuple[Label, ...]
    attributes: tuple[str, ...]
    axes: tuple[Axis, ...]
    matrices: frozenset[str] = frozenset()
    sets: tuple[LabelSet, ...] = ()

    @abstractmethod
    def abstentions(self, role: str, model: str) -> int:
        """Rows of which a model predicted nothing."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models whose predictions are counted."""
        return tuple(dict.fromkeys(axis.model for axis in self.axes if axis.model is not None))

    @property
    def first_model(self) -> str:
        """The model that is read where none is named."""
        return (self.models or (MODEL,))[0]

    @property
    def label_sets(self) -> tuple[tuple[Label, ...], ...]:
        """Label sets that were counted, as labels."""
        return tuple(tuple(self.labels[i] for i in members) for members in self.sets)

    def has(self, role: str, model: str | None = None) -> bool:
        """Whether a variable was counted, for ``model`` if one is given."""
        return any(axis.role == role and model in (None, axis.model) for axis in self.axes)

    def is_matrix(self, role: str) -> bool:
        """Whether a variable was given as a matrix: each column is a variable of its own."""
        return ("groups" if Role(role).of_attribute else "labels") in self.matrices

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
