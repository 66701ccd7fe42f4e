"""Rates that are set by hand, for predictions without a ground truth."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.inputs.numbers import read_numbers

#: Rates with a smaller relative difference are tied; a sum of shares may differ from 1 by this.
_TIE, _SUM = 1e-12, 1e-6

#: The name of the table of rates given each variable.
_RATES: dict[str, str] = {Role.ATTRIBUTE: "task_given_attribute", Role.TASK: "attribute_given_task"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BaseRates:
    """Rates of groups and tasks that are set by hand and replace the true rates.

    They are for predictions without a right answer, such as a word that completes a sentence. A->T
    needs ``task_given_attribute`` and the observed attribute; T->A needs ``attribute_given_task``
    and the observed task. The rates are a choice of values: a report should say where they come
    from.

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
        keys, are tasks. By default, the sign compares P(T_t | a) with its mean over the groups, or
        P(A_a | t) with P(A_a).
    file : str, optional
        The file that the rates were read from, for reports and errors. Its names are text, and
        stand for the labels that are shown like them.

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
    A model fills in a pronoun. Equal rates do not determine the directions, so they are given.

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

    # __post_init__ turns these into arrays of shape (groups, tasks) or (groups,).
    task_given_attribute: Any = None
    attribute_given_task: Any = None
    attribute: Any = None
    direction: Any = None
    file: str | None = None
    groups: tuple[Label, ...] = field(init=False)
    labels: tuple[Label, ...] = field(init=False)

    def __post_init__(self) -> None:
        tables = {
            name: _read_table(getattr(self, name), name)
            for name in (*_RATES.values(), "direction")
            if getattr(self, name) is not None
        }
        if not tables.keys() - {"direction"}:
            raise ValueError(
                "BaseRates needs task_given_attribute or attribute_given_task; received neither"
            )
        if "attribute_given_task" in tables:
            tables["attribute_given_task"] = tables["attribute_given_task"].T
        first = next(iter(tables.values()))
        fields: dict[str, Any] = {"groups": tuple(first.index), "labels": tuple(first.columns)}
        for name, table in tables.items():
            for labels, first_labels in zip(table.axes, first.axes, strict=True):
                if set(labels) != set(first_labels):
                    raise ValueError(
                        "the tables of BaseRates must cover the same groups and tasks; "
                        f"{name} has {listing(list(labels))}, another {listing(list(first_labels))}"
                    )
            fields[name] = table.reindex_like(first).to_numpy()
        if self.attribute is not None:
            fields["attribute"] = _read_shares(self.attribute, fields["groups"])
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        signs = self._signs(None)
        opposite = np.argwhere(signs.get("A->T", 0) * signs.get("T->A", 0) < 0)
        if len(opposite):
            group, task = opposite[0].tolist()
            raise ValueError(
                "task_given_attribute and attribute_given_task must imply the same directions; "
                f"they contradict each other for {len(opposite)} pair(s), the first "
                f"{self.groups[group]!r} and {self.labels[task]!r}"
            )

    def _signs(self, observed: Array | None) -> dict[str, Array]:
        """The known signs of the correlations, by the direction whose rates they are from."""
        if self.direction is not None:
            direction = self.direction.astype(np.int64)
            return {"A->T": direction, "T->A": direction}
        signs = {}
        shares = observed if self.attribute is None else self.attribute
        if self.task_given_attribute is not None and shares is not None:
            # The weights of the mean must sum to exactly 1, so that equal rates are tied.
            mean = shares / shares.sum() @ self.task_given_attribute
            signs["A->T"] = sign_of_difference(self.task_given_attribute, mean)
        if self.attribute_given_task is not None and self.attribute is not None:
            signs["T->A"] = sign_of_difference(self.attribute_given_task, self.attribute[:, None])
        return signs

    def sign(self, direction: str, observed: Array | None) -> Array:
        """Sign of each correlation, of shape (groups, tasks).

        Parameters
        ----------
        direction : {"A->T", "T->A", "undirected"}
        observed : array of shape (groups,), optional
            Shares of the groups in the data, used unless ``attribute`` was given.

        Raises
        ------
        ValueError
            If the rates do not determine the signs.
        """
        signs = self._signs(observed)
        if not signs:
            raise ValueError(
                f"{direction} needs the directions of the correlations: attribute= (the shares of "
                "the groups) or direction= must be given; received neither"
            )
        first = "A->T" if direction == "A->T" else "T->A"
        return signs[first] if first in signs else next(iter(signs.values()))

    def tells_sign(self, observed: Array | None) -> bool:
        """Whether the rates, with the shares of the groups in the data, determine the signs."""
        return bool(self._signs(observed))

    def rates(self, given: str) -> Array:
        """The rates of shape (groups, tasks), given the attribute or the task.

        Raises
        ------
        ValueError
            If they were not set.
        """
        table: Array | None = getattr(self, _RATES[given])
        if table is None:
            raise ValueError(f"BaseRates must hold {_RATES[given]} for this metric and direction")
        return table

    def with_labels_of(self, labels: Collection[Label], groups: Collection[Label]) -> BaseRates:
        """The same rates; names in a file become the labels of the data that are shown like them.

        Parameters
        ----------
        labels, groups : collection of labels
            Those of the data.
        """
        if self.file is None:
            return self
        renamed = copy(self)
        object.__setattr__(renamed, "groups", _shown_alike(self.groups, groups))
        object.__setattr__(renamed, "labels", _shown_alike(self.labels, labels))
        return renamed

    def check_sums(self, given: str) -> None:
        """Raise unless rates given the attribute or the task, if they were set, sum to 1.

        Call it for variables with one label per row. Rates of label matrices need not sum to 1.
        """
        if getattr(self, _RATES[given]) is None:
            return
        by_attribute = given == Role.ATTRIBUTE
        totals = self.rates(given).sum(axis=1 if by_attribute else 0)
        names = self.groups if by_attribute else self.labels
        wrong = np.flatnonzero(np.abs(totals - 1) > _SUM)
        if len(wrong):
            raise ValueError(
                f"rates in {_RATES[given]} must sum to 1 for each {given}, as each row has one "
                f"label; received {totals[wrong[0]]:g} for {names[wrong[0]]!r}"
            )

    def has(self, direction: str) -> bool:
        """Whether the rates that a direction, or MALS, needs were set."""
        table = self.task_given_attribute if direction == "A->T" else self.attribute_given_task
        return table is not None

    def over_represented(self) -> Array:
        """Whether P(a | t) > 1 / number of groups; 0 or 1."""
        return np.maximum(sign_of_difference(self.rates(Role.TASK), 1 / len(self.groups)), 0)

    def __repr__(self) -> str:
        names = (*_RATES.values(), "attribute", "direction")
        present = [name for name in names if getattr(self, name) is not None]
        return (
            f"<BaseRates: {', '.join(present)} of {len(self.groups)} groups and "
            f"{len(self.labels)} tasks>"
        )


def sign_of_difference(left: Array, right: Array | float) -> Array:
    """Sign of left - right; 0 if both are equal up to rounding."""
    tied = np.abs(left - right) <= _TIE * np.maximum(np.abs(left), np.abs(right))
    return np.where(tied, 0, np.sign(left - right)).astype(np.int64)


def _shown_alike(names: Collection[Label], labels: Collection[Label]) -> tuple[Label, ...]:
    """The label that is shown like each name; the name itself where there is none."""
    by_text = {show(label): label for label in labels}
    return tuple(by_text.get(show(name), name) for name in names)


def _read_table(table: Any, name: str) -> pd.DataFrame:
    """A table of numbers, with the given variable as its rows."""
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
    numbers, _ = read_numbers(table.to_numpy(dtype=object).ravel(), name)
    values = numbers.reshape(table.shape)
    if np.isnan(values).any():
        rule, wrong = f"{name} must hold a number for every pair", np.isnan(values)
    elif name == "direction":
        rule, wrong = "direction must hold -1, 0 and 1", ~np.isin(values, (-1, 0, 1))
    else:
        rule, wrong = f"rates in {name} must lie in [0, 1]", (values < 0) | (values > 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        value = values[row, column]
        received = "a missing value" if np.isnan(value) else f"{value:g}"
        pair = f"{table.index[row]!r} and {table.columns[column]!r}"
        raise ValueError(f"{rule}; received {received} for {pair}")
    # As objects, True and 1 are the same label, as in the check that tables have the same labels.
    return pd.DataFrame(values, table.index.astype(object), table.columns.astype(object))


def _read_shares(attribute: Any, groups: tuple[Label, ...]) -> Array:
    """The shares of the groups, in their order."""
    shares = dict(attribute) if isinstance(attribute, Mapping | pd.Series) else None
    if shares is None or len(shares) < len(attribute):
        raise ValueError(
            "attribute must be a Series or mapping from groups, each named once, to shares; "
            f"received {attribute!r}"
        )
    if set(shares) != set(groups):
        raise ValueError(
            f"attribute must give a share for each of {listing(groups)}; "
            f"received {listing(list(shares))}"
        )
    values = read_numbers([shares[group] for group in groups], "attribute")[0][:, 0]
    if not (values >= 0).all() or abs(values.sum() - 1) > _SUM:
        raise ValueError(
            f"shares in attribute must not be negative and sum to 1; received {values.tolist()}"
        )
    return values
