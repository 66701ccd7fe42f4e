"""BaseRates: rates set by hand, where there is no ground truth to take them from."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label, as_float, is_real
from biasamp_adapters.counts.labels import listing

#: Rates closer than this, relatively, are tied; shares this near to 1 sum to 1.
_TIE, _SUM = 1e-12, 1e-6


@dataclass(frozen=True, eq=False, init=False, repr=False)
class BaseRates:
    """Rates of groups and tasks that are set by hand and taken for the truth.

    For predictions without a right answer, such as a word that completes a sentence. They replace
    the truth in every difference: A->T needs ``task_given_attribute`` and the observed attribute,
    T->A ``attribute_given_task`` and the observed task. What they are is a choice of values: say in
    a report where they come from.

    Parameters
    ----------
    task_given_attribute : DataFrame or mapping, optional
        P(T_t = 1 | A_a = 1): rows, or outer keys, are groups; columns, or inner keys, are tasks.
    attribute_given_task : DataFrame or mapping, optional
        P(A_a = 1 | T_t = 1): rows, or outer keys, are tasks; columns, or inner keys, are groups.
    attribute : Series or mapping, optional
        P(A_a): shares of the groups, which sum to 1.
    direction : DataFrame or mapping, optional
        The sign of each correlation, -1, 0 or 1: rows, or outer keys, are groups; columns, or inner
        keys, are tasks. Without it, the sign compares P(T_t | a) with its mean over the groups, or
        P(A_a | t) with P(A_a).

    Raises
    ------
    ValueError
        If there is no table, a rate lies outside [0, 1], the tables do not cover the same groups
        and tasks, or two of them imply opposite signs.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Sec. 5.3, A.3 and Table 2.

    Examples
    --------
    A model fills in a pronoun. Equal rates say nothing of the direction, so it is given.

    >>> import biasamp_adapters as bam
    >>> even = bam.BaseRates(
    ...     attribute_given_task={
    ...         "cook": {"he": 0.5, "she": 0.5},
    ...         "nurse": {"he": 0.5, "she": 0.5},
    ...     },
    ...     direction={"he": {"cook": 1, "nurse": -1}, "she": {"cook": -1, "nurse": 1}},
    ... )
    >>> metric = bam.DirectionalBiasAmplification(direction="T->A", reference=even)
    >>> pronoun = bam.Indicators([[0.9, 0.1], [0.3, 0.7]], names=["he", "she"])
    >>> value = metric(
    ...     ["cook", "nurse"], None, sensitive_features=None, sensitive_features_pred=pronoun
    ... )
    >>> round(value, 4)
    0.3
    """

    groups: tuple[Label, ...]
    labels: tuple[Label, ...]
    task_given_attribute: Array | None
    attribute_given_task: Array | None
    attribute: Array | None
    direction: Array | None

    def __init__(
        self,
        *,
        task_given_attribute: Any = None,
        attribute_given_task: Any = None,
        attribute: Any = None,
        direction: Any = None,
    ) -> None:
        given = {
            "task_given_attribute": _frame(task_given_attribute, "task_given_attribute"),
            "attribute_given_task": _frame(attribute_given_task, "attribute_given_task"),
            "direction": _frame(direction, "direction"),
        }
        if given["attribute_given_task"] is not None:
            given["attribute_given_task"] = given["attribute_given_task"].T
        rates = [given[name] for name in ("task_given_attribute", "attribute_given_task")]
        first = next((table for table in rates if table is not None), None)
        if first is None:
            raise ValueError(
                "BaseRates needs task_given_attribute or attribute_given_task; received neither"
            )
        groups, labels = tuple(first.index), tuple(first.columns)
        arrays = {name: _aligned(table, name, groups, labels) for name, table in given.items()}
        shares = None
        if attribute is not None:
            shares = _shares(attribute, groups)
        self._set(groups=groups, labels=labels, attribute=shares, **arrays)
        self._check_values()
        if self.direction is None and shares is not None:
            self._check_signs(shares)

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _check_values(self) -> None:
        for name in ("task_given_attribute", "attribute_given_task"):
            table = getattr(self, name)
            if table is not None and not ((table >= 0) & (table <= 1)).all():
                bad = table[~((table >= 0) & (table <= 1))][0]
                raise ValueError(f"rates in {name} must lie in [0, 1]; received {bad:g}")
        if self.direction is not None and not np.isin(self.direction, (-1, 0, 1)).all():
            bad = self.direction[~np.isin(self.direction, (-1, 0, 1))][0]
            raise ValueError(f"direction must hold -1, 0 and 1; received {bad:g}")

    def _check_signs(self, shares: Array | None) -> None:
        signs = [self._sign_from_tasks(shares), self._sign_from_attributes()]
        if any(sign is None for sign in signs):
            return
        first, second = signs
        opposite = np.argwhere(first * second < 0)  # type: ignore[operator]  # neither is None
        if len(opposite):
            a, t = opposite[0].tolist()
            raise ValueError(
                "task_given_attribute and attribute_given_task must imply the same directions; "
                f"they contradict each other for {len(opposite)} pair(s), the first "
                f"{self.groups[a]!r} and {self.labels[t]!r}"
            )

    def _sign_from_tasks(self, shares: Array | None) -> Array | None:
        """Whether P(t | a) exceeds its mean over groups."""
        table = self.task_given_attribute
        if table is None or shares is None:
            return None
        # Weights of a mean sum to 1 exactly, or equal rates would not be a tie.
        return sign_of_difference(
            table, np.broadcast_to(shares / shares.sum() @ table, table.shape)
        )

    def _sign_from_attributes(self) -> Array | None:
        """Whether P(a | t) exceeds P(a)."""
        table = self.attribute_given_task
        if table is None or self.attribute is None:
            return None
        return sign_of_difference(table, np.broadcast_to(self.attribute[:, None], table.shape))

    def sign(self, direction: str, observed: Array | None) -> Array:
        """Sign of each correlation, of shape (groups, tasks).

        Parameters
        ----------
        direction : {"A->T", "T->A"}
        observed : array of shape (groups,), optional
            Shares of the groups in the data, for where none were given.

        Raises
        ------
        ValueError
            If the rates alone do not tell it, or contradict each other.
        """
        if self.direction is not None:
            return self.direction.astype(np.int64)
        shares = self.attribute if self.attribute is not None else observed
        self._check_signs(shares)
        signs = [self._sign_from_tasks(shares), self._sign_from_attributes()]
        known = [
            each for each in (signs if direction == "A->T" else signs[::-1]) if each is not None
        ]
        if not known:
            raise ValueError(
                f"{direction} needs the directions of the correlations: attribute= (the shares of "
                "the groups) or direction= must be given; received neither"
            )
        return known[0]

    def tells_sign(self, observed: Array | None) -> bool:
        """Whether the rates, with the shares of the groups in the data, tell directions."""
        shares = self.attribute if self.attribute is not None else observed
        of_tasks = self._sign_from_tasks(shares), self._sign_from_attributes()
        return self.direction is not None or any(sign is not None for sign in of_tasks)

    def rates(self, given: str) -> Array:
        """The rates of shape (groups, tasks), given the "attribute" or the "task".

        Raises
        ------
        ValueError
            If they were not set.
        """
        name = "task_given_attribute" if given == "attribute" else "attribute_given_task"
        table: Array | None = getattr(self, name)
        if table is None:
            raise ValueError(f"BaseRates must hold {name} for this metric and direction")
        return table

    def check_sums(self, given: str) -> None:
        """Raise unless rates given the "attribute" or the "task", if they were set, sum to 1.

        So do those of variables with one label in each row; labels that are columns need not.
        """
        by_attribute = given == "attribute"
        table = self.task_given_attribute if by_attribute else self.attribute_given_task
        if table is None:
            return
        totals = table.sum(axis=1 if by_attribute else 0)
        names = self.groups if by_attribute else self.labels
        wrong = np.flatnonzero(np.abs(totals - 1) > _SUM)
        if len(wrong):
            name = "task_given_attribute" if by_attribute else "attribute_given_task"
            raise ValueError(
                f"rates in {name} must sum to 1 for each {given}, as each row has one label; "
                f"received {totals[wrong[0]]:g} for {names[wrong[0]]!r}"
            )

    def has(self, direction: str) -> bool:
        """Whether the rates that a direction, or MALS, compares with were set."""
        table = self.task_given_attribute if direction == "A->T" else self.attribute_given_task
        return table is not None

    def over_represented(self) -> Array:
        """Whether P(a | t) > 1 / number of groups; 0 or 1."""
        table = self.rates("task")
        return np.maximum(sign_of_difference(table, np.full(table.shape, 1 / len(self.groups))), 0)

    def align(self, labels: Sequence[Label], groups: Sequence[Label]) -> BaseRates:
        """The same rates for labels and groups in another order."""
        rows = [self.groups.index(group) for group in groups]
        columns = [self.labels.index(label) for label in labels]

        def moved(table: Array | None) -> Array | None:
            return None if table is None else table[np.ix_(rows, columns)]

        out = object.__new__(BaseRates)
        out._set(
            groups=tuple(groups),
            labels=tuple(labels),
            task_given_attribute=moved(self.task_given_attribute),
            attribute_given_task=moved(self.attribute_given_task),
            attribute=None if self.attribute is None else self.attribute[rows],
            direction=moved(self.direction),
        )
        return out

    def __repr__(self) -> str:
        names = ("task_given_attribute", "attribute_given_task", "attribute", "direction")
        there = [name for name in names if getattr(self, name) is not None]
        return (
            f"<BaseRates: {', '.join(there)} of {len(self.groups)} groups and "
            f"{len(self.labels)} tasks>"
        )


def sign_of_difference(left: Array, right: Array) -> Array:
    """Sign of left - right, 0 where the two are the same but for rounding."""
    tied = np.abs(left - right) <= _TIE * np.maximum(np.abs(left), np.abs(right))
    return np.where(tied, 0, np.sign(left - right)).astype(np.int64)


def _frame(table: Any, name: str) -> pd.DataFrame | None:
    """A table with what is given as its rows."""
    if table is None:
        return None
    if isinstance(table, Mapping):
        if not all(isinstance(row, Mapping | pd.Series) for row in table.values()):
            raise ValueError(f"{name} must map to mappings; received {table!r}")
        table = pd.DataFrame.from_dict({key: dict(row) for key, row in table.items()}, "index")
    if not isinstance(table, pd.DataFrame):
        raise ValueError(
            f"{name} must be a DataFrame or a mapping of mappings; received {type(table).__name__}"
        )
    if not (table.index.is_unique and table.columns.is_unique) or table.empty:
        received = f"{listing(table.index.tolist())} by {listing(table.columns.tolist())}"
        raise ValueError(f"{name} must name every group and task once; received {received}")
    for value in table.to_numpy(dtype=object).ravel().tolist():
        if not (is_real(value) or pd.isna(value)):
            raise ValueError(f"{name} must hold numbers; received values such as {value!r}")
    numbers = table.astype(object).map(as_float)
    if numbers.isna().to_numpy().any():
        raise ValueError(f"{name} must hold a number for every pair; received a missing value")
    return numbers


def _aligned(
    table: pd.DataFrame | None,
    name: str,
    groups: tuple[Hashable, ...],
    labels: tuple[Hashable, ...],
) -> Array | None:
    if table is None:
        return None
    for found, known in ((table.index, groups), (table.columns, labels)):
        if set(found) != set(known):
            raise ValueError(
                "the tables of BaseRates must cover the same groups and tasks; "
                f"{name} has {listing(list(found))}, another {listing(known)}"
            )
    # By position: False and True as labels would be taken for a mask.
    rows = table.index.get_indexer(pd.Index(groups))
    columns = table.columns.get_indexer(pd.Index(labels))
    return table.to_numpy()[np.ix_(rows, columns)]


def _shares(attribute: Any, groups: tuple[Label, ...]) -> Array:
    if not isinstance(attribute, Mapping | pd.Series):
        raise ValueError(
            f"attribute must be a Series or mapping from groups to shares; received {attribute!r}"
        )
    if isinstance(attribute, pd.Series) and not attribute.index.is_unique:
        raise ValueError(
            f"attribute must name every group once; received {attribute.index.tolist()}"
        )
    shares = dict(attribute)
    if set(shares) != set(groups):
        raise ValueError(
            f"attribute must give a share for each of {listing(groups)}; "
            f"received {listing(list(shares))}"
        )
    if not all(map(is_real, shares.values())):
        raise ValueError(f"attribute must hold numbers; received {list(shares.values())}")
    values = np.array([as_float(shares[group]) for group in groups])
    if not (values >= 0).all() or abs(values.sum() - 1) > _SUM:
        raise ValueError(
            f"shares in attribute must not be negative and sum to 1; received {values.tolist()}"
        )
    return values
