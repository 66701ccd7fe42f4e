"""What all counts have in common: variables, labels, models, and tables drawn from them."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import ordered

if TYPE_CHECKING:
    from biasamp_adapters.counts.tables import Tables

#: A label set, as ascending positions in the label list.
LabelSet = tuple[int, ...]

#: The name of the model when there is only one and it was not named.
MODEL = "model"


class Axis(NamedTuple):
    """One variable of the counts: what it is and, for a prediction, whose."""

    role: str
    model: str | None = None

    @property
    def predicted(self) -> bool:
        """Whether a model gave the values."""
        return self.model is not None

    @property
    def of_attribute(self) -> bool:
        """Whether the labels are groups."""
        return self.role.startswith("attribute")


class Counts(ABC):
    """Sufficient statistics of rows: what metrics, audits and intervals read.

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
    declared : frozenset of str
        Which of "labels" and "groups" were listed explicitly.
    dropped : int
        Rows that ``missing="drop"`` left out.
    """

    labels: tuple[Label, ...]
    groups: tuple[Label, ...]
    attributes: tuple[str, ...]
    axes: tuple[Axis, ...]
    declared: frozenset[str]
    dropped: int
    sets: tuple[LabelSet, ...] = ()

    @property
    def knows_sets(self) -> bool:
        """Whether label sets were counted, or can be."""
        return True

    def observed_sets(self) -> dict[LabelSet, int]:
        """The exact label sets that rows of the truth show, and how many rows show each."""
        n = self.unweighted().tables().marginal("task")
        return {(i,): int(count) for i, count in enumerate(n) if count}

    @property
    def knows_all_sets(self) -> bool:
        """Whether every label set that rows of the truth show is among those observed."""
        return True

    def with_sets(self, sets: tuple[LabelSet, ...]) -> Self:
        """The same counts with these label sets as columns."""
        return self

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Rows counted."""

    @property
    @abstractmethod
    def effective_rows(self) -> float:
        """Rows of equal weight that the weighted rows are worth (Kish): (sum w)^2 / sum w^2."""

    @property
    @abstractmethod
    def weighted(self) -> bool:
        """Whether rows have weights."""

    @property
    @abstractmethod
    def knows_rows(self) -> bool:
        """Whether labels can be flipped row by row."""

    @property
    @abstractmethod
    def no_draws(self) -> str | None:
        """Why no tables can be drawn from these counts, if they cannot."""

    @property
    def is_normal(self) -> bool:
        """Whether tables are drawn from a normal distribution, for want of rows."""
        return False

    @property
    @abstractmethod
    def soft(self) -> frozenset[str]:
        """The predicted variables that hold probabilities."""

    @abstractmethod
    def is_matrix(self, role: str) -> bool:
        """Whether a variable was given as a matrix: each column is a variable of its own."""

    @abstractmethod
    def one_each(self, role: str) -> bool:
        """Whether every row has exactly one label of a true variable."""

    @abstractmethod
    def abstentions(self, role: str, model: str) -> int:
        """Rows of which a model predicted nothing."""

    @abstractmethod
    def seen(self, role: str, model: str | None = None) -> set[Label]:
        """Labels of a variable that occur."""

    @abstractmethod
    def tables(self, model: str | None = None) -> Tables:
        """The counts themselves as the one table of a batch without axes."""

    @abstractmethod
    def unweighted(self) -> Self:
        """The same rows, each counted once."""

    @abstractmethod
    def model(self, name: str) -> Self:
        """The counts of one model, the others left out."""

    @abstractmethod
    def align(self, labels: Sequence[Label], groups: Sequence[Label]) -> Self:
        """The same counts over other label lists, which must contain the labels seen here."""

    @abstractmethod
    def replicates_at_once(self, width: int) -> int:
        """Replicates that one block may hold, ``width`` numbers each beside what is drawn."""

    @abstractmethod
    def draw(self, n_boot: int, rng: np.random.Generator, block: int) -> Iterator[Tables]:
        """The tables that resampled rows would give, ``block`` at a time."""

    @property
    @abstractmethod
    def no_jackknife(self) -> str | None:
        """Why rows cannot be left out one by one, if they cannot."""

    @abstractmethod
    def without_one(self, width: int) -> Iterator[tuple[Tables, Array]]:
        """The tables without one row of each kind, in blocks, and how many rows are of each kind.

        ``width`` numbers are needed beside each table.
        """

    @abstractmethod
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a file."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models whose predictions are counted."""
        return tuple(dict.fromkeys(axis.model for axis in self.axes if axis.model is not None))

    @property
    def first_model(self) -> str:
        """The model that is read where none is named."""
        return (self.models or (MODEL,))[0]

    def has(self, role: str, model: str | None = None) -> bool:
        """Whether a variable was counted, for ``model`` if one is given."""
        return any(axis.role == role and model in (None, axis.model) for axis in self.axes)

    def labels_of(self, role: str) -> tuple[Label, ...]:
        """The labels of a variable, or its groups."""
        return self.groups if Axis(role).of_attribute else self.labels

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
        raise ValueError(f"counts must hold the {role}; these hold {[*self.axes]}")

    def __radd__(self, other: object) -> Any:
        # The start of sum(parts).
        return self if other == 0 else NotImplemented


def require_alike(first: Counts, second: Counts, *names: str) -> None:
    """Raise for counts that do not add up, as they differ in what they count."""
    if first.models and second.models and first.models != second.models:
        raise ValueError(
            f"counts to be added must be of the same models; received {[*first.models]} and "
            f"{[*second.models]} (to audit models side by side, count them together: prediction= "
            "takes several columns, y_pred a mapping)"
        )
    for name in names:
        mine, theirs = getattr(first, name), getattr(second, name)
        if name == "axes":
            mine, theirs = ([axis.role for axis in axes] for axes in (mine, theirs))
        if mine != theirs:
            raise ValueError(
                f"counts to be added must have the same {name}; received {mine} and {theirs}"
            )


def joined(first: Counts, second: Counts, name: str) -> tuple[Label, ...]:
    """The labels or the groups of both.

    Only a list that both were given keeps its order: so sums do not depend on theirs.
    """
    mine, theirs = getattr(first, name), getattr(second, name)
    given = name in first.declared & second.declared and mine == theirs
    return mine if given else ordered([*mine, *theirs])
