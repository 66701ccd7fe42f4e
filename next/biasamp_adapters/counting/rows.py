"""The distinct rows of the data, and how often each occurs: all that metrics are functions of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters.counting.labels import (
    ALL,
    ATTRIBUTE,
    LABELLED,
    MISSING,
    PREDICTED,
    RIGHT,
    TASK,
    TRUTH,
    Array,
    Label,
    listing,
    ordered,
)
from biasamp_adapters.counting.reading import Key
from biasamp_adapters.counting.variables import (
    MOST_POSITIONS,
    Block,
    Codes,
    Variable,
    cells_of,
    count_cells,
    indicator,
    label_sets,
    right_labels,
)

#: Rows that are looked at to see whether most are distinct, and the most distinct weights of these
#: with which rows are still merged.
_SAMPLE, _FEW_WEIGHTS = 2**12, 2**8


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows of the variables, and how many rows of the data each stands for.

    Attributes
    ----------
    variables : dict of (role, model) to Variable
        Roles are the names of arguments, such as "y_true"; the model is None for the truth.
    n : ndarray of int, shape (rows,)
        Rows of the data that each distinct row stands for.
    w, w2 : ndarray of float, or None
        Sums of their weights and of the squares of these.
    cluster : ndarray of int, or None
        Which distinct rows belong together, and are drawn as a whole.
    names : dict of str to object
        "y_true": the name of the task; "sensitive_features": those of the attributes.
    listed : dict of str to sequence or None
        The labels of each true variable that were listed explicitly.
    dropped : int
        Rows with missing values that were left out.
    block_sums : dict of (role, role, model) to ndarray, or None
        Sums by two variables of random blocks of rows, where no rows were kept. Each block is then
        a row and a cluster, and the variables hold labels only.
    undrawn : tuple of labels
        Groups whose rows are one sum, so that numbers about them have no interval.
    """

    variables: dict[Key, Variable]
    n: Array
    w: Array | None = None
    w2: Array | None = None
    cluster: Array | None = None
    names: dict[str, Any] = field(default_factory=dict)
    listed: dict[str, Any] = field(default_factory=dict)
    dropped: int = 0
    block_sums: dict[tuple[str, str, str | None], Array] | None = None
    undrawn: tuple[Label, ...] = ()

    # What was counted.

    def __len__(self) -> int:
        return len(self.n)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        models = dict.fromkeys(model for _, model in self.variables)
        return tuple(model for model in models if model is not None)

    def has(self, role: str, model: str | None = None) -> bool:
        """Return whether a variable was counted; of any model if none is named."""
        if role in PREDICTED and (role, None) in self.variables:
            return True
        if model is not None:
            return (role, model) in self.variables
        return any(role == other for other, _ in self.variables)

    def variable(self, role: str, model: str | None = None) -> Variable:
        """Return a variable of the rows, or one that follows from them."""
        if role not in _DERIVED:
            return self.variables[role, model if role in PREDICTED.values() else None]
        if (role, model) not in self._derived:
            derive, truth = _DERIVED[role]
            self._derived[role, model] = derive(self, truth, model)
        return self._derived[role, model]

    @cached_property
    def _derived(self) -> dict[Key, Variable]:
        return {}

    def _of_truth(self, truth: str) -> Variable | None:
        """Return a variable on the labels of "y_true" or of "sensitive_features"."""
        for (role, _), variable in self.variables.items():
            if TRUTH[role] == truth:
                return variable
        return None

    def labels_of(self, truth: str) -> tuple[Label, ...]:
        """Return the classes of "y_true", or the groups of "sensitive_features"."""
        variable = self._of_truth(truth)
        return () if variable is None else variable.labels

    @property
    def class_labels(self) -> tuple[Label, ...]:
        """Classes, or the columns of a label matrix."""
        return self.labels_of(TASK)

    @property
    def group_labels(self) -> tuple[Label, ...]:
        """Groups."""
        return self.labels_of(ATTRIBUTE)

    def is_matrix(self, truth: str) -> bool:
        """Return whether the labels of a true variable and of its predictions are columns."""
        variable = self._of_truth(truth)
        return variable is not None and variable.is_matrix

    @property
    def weight(self) -> Array:
        """The weight of each distinct row."""
        return self.n if self.w is None else self.w

    @cached_property
    def unit(self) -> Array:
        """The weight of one row of each distinct row: w2 / w, which is exact for equal weights."""
        if self.w is None or self.w2 is None:
            return np.broadcast_to(1.0, len(self))
        return np.divide(self.w2, self.w, out=np.ones(len(self)), where=self.w > 0)

    @property
    def n_rows(self) -> int:
        """Rows of the data."""
        return int(self.n.sum())

    @property
    def effective_rows(self) -> float:
        """Rows of equal weight that are worth as much."""
        if self.w is None:
            return float(self.n_rows)
        return float(self.w.sum() ** 2 / (self.w * self.unit).sum())

    @property
    def n_clusters(self) -> int | None:
        """Clusters of rows, if there are any."""
        return None if self.cluster is None else int(self.cluster.max(initial=0)) + 1

    # Changing.

    def take(self, positions: Array) -> Rows:
        """Return some of the distinct rows."""
        kept = {key: v.take(positions) for key, v in self.variables.items()}
        w, w2 = (None if x is None else x[positions] for x in (self.w, self.w2))
        cluster = None if self.cluster is None else pd.factorize(self.cluster[positions])[0]
        return replace(self, variables=kept, n=self.n[positions], w=w, w2=w2, cluster=cluster)

    def unweighted(self) -> Rows:
        """Return the rows with a weight of 1 each."""
        return replace(self, w=None, w2=None)

    def with_labels(self, classes: Sequence[Label], groups: Sequence[Label]) -> Rows:
        """Return the rows on other lists of labels."""
        lists = {TASK: classes, ATTRIBUTE: groups}
        moved = {key: v.with_labels(lists[TRUTH[key[0]]]) for key, v in self.variables.items()}
        return replace(self, variables=moved)

    def with_sets(self, sets: Sequence[tuple[int, ...]]) -> Rows:
        """Return the rows with label sets as the columns of the tasks."""
        moved = dict(self.variables)
        for key, variable in self.variables.items():
            if TRUTH[key[0]] == TASK and isinstance(variable, Block):
                moved[key] = label_sets(variable, sets)
        return replace(self, variables=moved)

    def complete(self, missing: str) -> Rows:
        """Return the rows without those that have missing values, or raise."""
        if missing not in ("error", "drop", "abstain"):
            raise ValueError(f"missing must be 'error', 'drop' or 'abstain'; received {missing!r}")
        incomplete = {}
        for (role, _), variable in self.variables.items():
            is_allowed = missing == "abstain" and role in PREDICTED.values()
            if variable.has_missing and not is_allowed:
                incomplete[role] = variable.missing
        if not incomplete:
            return self
        if missing != "drop":
            role, is_missing = next(iter(incomplete.items()))
            hint = "missing='drop' leaves such rows out"
            if role in PREDICTED.values():
                hint += ", missing='abstain' keeps missing predictions"
            raise ValueError(
                f"{role} must not have missing values; received {self.n[is_missing].sum()} ({hint})"
            )
        is_dropped = np.logical_or.reduce(list(incomplete.values()))
        kept = self.take(np.flatnonzero(~is_dropped))
        return replace(kept, dropped=int(self.n[is_dropped].sum()))

    # Merging equal rows.

    def merged(self) -> Rows:
        """Return the rows with equal ones as one; as they are if most of them differ."""
        tallied = self.tallied()
        if tallied is not self:
            return tallied
        variables, step = [*self.variables.values()], len(self) // _SAMPLE
        if step > 4:
            sample = slice(None, None, step)
            if len(cells_of(self._keys(variables, sample))[1]) > _SAMPLE / 2:
                return self
        cell, first = cells_of(self._keys(variables, slice(None)))
        if len(first) == len(self):
            return self
        return replace(
            self,
            variables={key: v.take(first) for key, v in self.variables.items()},
            n=np.bincount(cell, self.n, len(first)).astype(np.int64),
            w=None if self.w is None else np.bincount(cell, self.w, len(first)),
            w2=None if self.w2 is None else np.bincount(cell, self.w2, len(first)),
            cluster=None if self.cluster is None else self.cluster[first],
        )

    def _keys(self, variables: Sequence[Variable], rows: slice) -> list[Array]:
        """Return what tells rows apart: values, the weight of one row, the cluster."""
        keys = [v.take(rows).keys() for v in variables]
        if self.w is not None:
            keys.append(self.unit[rows])
        if self.cluster is not None:
            keys.append(self.cluster[rows])
        return keys

    def tallied(self) -> Rows:
        """Return the rows with equal ones as one, counted by position; as they are if too many."""
        codes: list[Array] = []
        sizes: list[int] = []
        for variable in self.variables.values():
            if not isinstance(variable, Codes):
                return self
            codes.append(variable.codes)
            sizes.append(variable.width)
        units = np.ones(1)
        if self.w is not None:
            if len(np.unique(self.unit[:_SAMPLE])) > _FEW_WEIGHTS:
                return self
            unit_codes, units = pd.factorize(self.unit, sort=True)
            codes.append(unit_codes)
            sizes.append(len(units))
        if self.cluster is not None and self.n_clusters is not None:
            codes.append(self.cluster)
            sizes.append(self.n_clusters)
        if prod(sizes) > MOST_POSITIONS:
            return self
        n = count_cells(codes, sizes, self.n)
        cells = np.flatnonzero(n)
        codes = list(np.unravel_index(cells, sizes))
        n = n[cells].astype(np.int64)
        cluster = None if self.cluster is None else codes.pop()
        unit = None if self.w is None else units[codes.pop()]
        tallied: dict[Key, Variable] = {
            key: Codes(v.labels, code.astype(np.min_scalar_type(len(v.labels))))
            for (key, v), code in zip(self.variables.items(), codes, strict=True)
        }
        w = w2 = None
        if unit is not None:
            w, w2 = unit * n, unit**2 * n
        return replace(self, variables=tallied, n=n, w=w, w2=w2, cluster=cluster)

    # Adding.

    def __add__(self, other: Rows) -> Rows:
        """Return the rows of both; their clusters are taken to be different ones."""
        if self.block_sums is not None or other.block_sums is not None:
            raise ValueError(
                "counts that are added must hold rows; received sums of blocks: "
                "add first, and then save(rows=False)"
            )
        if self.variables.keys() != other.variables.keys():
            raise ValueError(
                "counts that are added must have the same variables and models; received "
                f"{_describe(self)} and {_describe(other)}"
            )
        for truth in (TASK, ATTRIBUTE):
            names = self.names.get(truth), other.names.get(truth)
            if None not in names and names[0] != names[1]:
                raise ValueError(
                    f"counts that are added must be of the same columns; received {truth} "
                    f"{names[0]!r} and {names[1]!r}"
                )
            labels = set(self.labels_of(truth)), set(other.labels_of(truth))
            if self.is_matrix(truth) and other.is_matrix(truth) and labels[0] != labels[1]:
                raise ValueError(
                    f"counts that are added must have the same columns of {truth}; only some have "
                    f"{listing(labels[0] ^ labels[1])}"
                )
            if self.is_matrix(truth) != other.is_matrix(truth):
                raise ValueError(
                    f"counts that are added must both have columns of {truth}, or labels"
                )
        lists = [
            ordered([*self.labels_of(truth), *other.labels_of(truth)], truth)
            if self.labels_of(truth) != other.labels_of(truth)
            else self.labels_of(truth)
            for truth in (TASK, ATTRIBUTE)
        ]
        first, second = self.with_labels(*lists), other.with_labels(*lists)
        w = w2 = cluster = None
        if self.w is not None or other.w is not None:
            w = np.concatenate([first.weight, second.weight]).astype(np.float64)
            w2 = np.concatenate([first.weight * first.unit, second.weight * second.unit])
        if (self.cluster is None) != (other.cluster is None):
            raise ValueError("counts that are added must all have clusters, or none of them")
        if first.cluster is not None and second.cluster is not None:
            second_cluster = second.cluster + first.cluster.max(initial=-1) + 1
            cluster = np.concatenate([first.cluster, second_cluster])
        added = replace(
            first,
            variables={
                key: v.appended(second.variables[key]) for key, v in first.variables.items()
            },
            n=np.concatenate([first.n, second.n]),
            w=w,
            w2=w2,
            cluster=cluster,
            dropped=self.dropped + other.dropped,
        )
        return added.merged()


def _describe(rows: Rows) -> str:
    """Return the variables and models of rows for a message."""
    return ", ".join(role if m is None else f"{role}[{m}]" for role, m in rows.variables)


# Variables that follow from others: how each is derived, and from which true variable.


def _derive_all(rows: Rows, truth: str, model: str | None) -> Variable:
    """Return a variable whose only label is that of all rows."""
    return indicator(np.ones(len(rows), dtype=bool))


def _derive_labelled(rows: Rows, truth: str, model: str | None) -> Variable:
    is_labelled = np.zeros(len(rows), dtype=bool)
    for role in (TASK, ATTRIBUTE):
        if rows.has(role):
            variable = rows.variable(role)
            is_labelled |= variable.sparse[:, : len(variable.labels)].sum(axis=1) > 0
    return indicator(is_labelled)


def _derive_right(rows: Rows, truth: str, model: str | None) -> Variable:
    return right_labels(rows.variable(truth), rows.variable(PREDICTED[truth], model))


def _derive_missing(rows: Rows, truth: str, model: str | None) -> Variable:
    return indicator(rows.variable(PREDICTED[truth], model).missing)


_DERIVED: dict[str, tuple[Callable[[Rows, str, str | None], Variable], str]] = {
    ALL: (_derive_all, TASK),
    LABELLED: (_derive_labelled, TASK),
    RIGHT[TASK]: (_derive_right, TASK),
    RIGHT[ATTRIBUTE]: (_derive_right, ATTRIBUTE),
    MISSING[TASK]: (_derive_missing, TASK),
    MISSING[ATTRIBUTE]: (_derive_missing, ATTRIBUTE),
}
