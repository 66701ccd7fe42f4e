"""One case for the package and for the oracles: rows, a metric and its options."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple, Self


class Reference(NamedTuple):
    """True tasks and groups of the reference, and its weights."""

    y_true: list[Any]
    groups: list[Any]
    weights: list[Fraction] | None


class RateTable(NamedTuple):
    """Rates, signs and shares of groups that are set by hand, by (group, class) and by group."""

    rates: dict[tuple[Any, Any], Fraction]
    signs: dict[tuple[Any, Any], int] | None
    group_shares: dict[Any, Fraction] | None


@dataclass(frozen=True, kw_only=True)
class Case:
    """Rows, a metric and its options.

    Attributes
    ----------
    metric : str
        Its short name, such as "BA A->T".
    task_kind : {"labels", "chances", "matrix", "soft matrix"}
        "chances" are labels 0 and 1 with predicted probabilities of 1; a row of a matrix is a list
        of indicators, of a soft matrix predicted probabilities.
    group_kind : {"labels", "crossed", "overlapping", "soft overlapping", "mixed"}
        "crossed" labels are pairs; rows of overlapping groups are lists of indicators. "mixed"
        groups are labels with predicted probabilities; both are here lists of indicators.
    y_true, y_pred, groups, groups_pred : list
        A missing value is None; ``groups_pred`` is None as a whole if it is not given.
    class_labels, group_labels : list
        Labels in their order, or the names of columns.
    lists_labels : bool
        Whether the package is given the lists of labels.
    container : {"list", "array", "frame", "sparse"}
        How the package is given columns.
    route : {"result", "counts", "sum", "frame", "count"}
        How the package is given rows: arrays, counts, added counts, a frame, or distinct rows with
        their numbers.
    """

    metric: str
    task_kind: str
    group_kind: str
    y_true: list[Any] | None
    y_pred: list[Any]
    groups: list[Any]
    groups_pred: list[Any] | None
    class_labels: list[Any]
    group_labels: list[Any]
    weights: list[Fraction] | None = None
    clusters: list[int] | None = None
    missing: str = "error"
    lists_labels: bool = True
    pos_label: Any = None
    reference: Reference | None = None
    base_rates: RateTable | None = None
    options: dict[str, Any] = field(default_factory=dict)
    container: str = "list"
    route: str = "result"

    def __len__(self) -> int:
        return len(self.y_pred)

    @property
    def name(self) -> str:
        """The metric without its direction."""
        return self.metric.split()[0]

    @property
    def direction(self) -> str:
        """ "A->T", "T->A" or "undirected"."""
        return [*self.metric.split(), "undirected"][1]

    @property
    def is_attack(self) -> bool:
        return self.name in ("LA", "DPA")

    @property
    def attack(self) -> str:
        """The oracle's name of an attack: "LA", "A->T" or "T->A"."""
        return "LA" if self.name == "LA" else self.direction

    @property
    def is_absolute(self) -> bool:
        """Whether an attack is the difference of its levels."""
        return self.name == "LA" or self.options["change"] == "absolute"

    @property
    def tasks_are_matrix(self) -> bool:
        """Whether each class is a column of its own."""
        return self.task_kind.endswith("matrix")

    @property
    def groups_are_matrix(self) -> bool:
        """Whether each group is a column of its own."""
        return self.group_kind.endswith(("overlapping", "mixed"))

    @property
    def has_matrix(self) -> bool:
        return self.tasks_are_matrix or self.groups_are_matrix

    @property
    def reads_groups(self) -> bool:
        """Whether true groups are read: not where rates set by hand stand for them."""
        has_prediction = self.direction != "A->T" and self.groups_pred is not None
        return self.base_rates is None or not has_prediction

    @property
    def target_labels(self) -> list[Any]:
        """The labels that an attack guesses; 0 and 1 of columns."""
        if self.attack == "A->T":
            return [0, 1] if self.tasks_are_matrix else self.class_labels
        return [0, 1] if self.groups_are_matrix else self.group_labels

    @property
    def positive_class(self) -> Any:
        """The positive class of two, which MALS evaluates; None for all classes."""
        labels = self.class_labels
        if self.tasks_are_matrix or len(labels) != 2:
            return None
        is_coded = set(labels) in ({0, 1}, {-1, 1})
        return labels[labels.index(1)] if is_coded else labels[-1]

    @property
    def evaluated_classes(self) -> list[Any]:
        """The classes whose pairs enter the value."""
        positive = self.pos_label
        if positive is None and self.name == "MALS":
            positive = self.positive_class
        return self.class_labels if positive is None else [positive]

    @property
    def effective_rows(self) -> float:
        """Rows of equal weight that are worth as much: (sum of w)^2 / (sum of w^2)."""
        if self.weights is None:
            return len(self)
        return float(sum(self.weights) ** 2 / sum(w**2 for w in self.weights))

    def pair_name(self, group: Any, label: Any) -> str:
        """Return the name of a pair.

        Groups and label sets that are columns are given as positions.
        """
        if self.groups_are_matrix:
            group = self.group_labels[group]
        elif self.group_kind == "crossed":
            group = " × ".join(group)
        if isinstance(label, tuple):
            label = " + ".join(str(self.class_labels[column]) for column in label)
        return f"{group} | {label}"

    def kept(self) -> Self:
        """Return the case without rows of weight 0, and without those that are dropped."""
        columns = [self.y_true, self.y_pred, self.groups_pred]
        if self.reads_groups:
            columns.append(self.groups)
        kept = [i for i in range(len(self)) if self.weights is None or self.weights[i]]
        if self.missing == "drop":
            present = [column for column in columns if column is not None]
            kept = [i for i in kept if all(column[i] is not None for column in present)]
        reference = self.reference
        if reference is not None and reference.weights is not None:
            positive = [i for i, w in enumerate(reference.weights) if w]
            reference = Reference(*(take(column, positive) for column in reference))
        return replace(self.taken(kept), reference=reference)

    def taken(self, rows: Sequence[int]) -> Self:
        names = ("y_true", "y_pred", "groups", "groups_pred", "weights", "clusters")
        return replace(self, **{name: take(getattr(self, name), rows) for name in names})


def take(column: list[Any] | None, rows: Sequence[int]) -> list[Any] | None:
    return None if column is None else [column[i] for i in rows]
