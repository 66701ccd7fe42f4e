"""The distinct rows of the data, and how often each occurs: all that metrics are functions of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from operator import methodcaller
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from biasamp_adapters.counting.labels import (
    ALL,
    ATTRIBUTE,
    CONTROL,
    LABELLED,
    MISSING,
    MODEL,
    PREDICTED,
    PREDICTION,
    RIGHT,
    SCORE,
    TASK,
    TRUTH,
    UNANSWERED,
    Array,
    Label,
    Lists,
    argument_of,
    listing,
    ordered,
    positive_class,
    show,
    without,
)
from biasamp_adapters.counting.variables import (
    Codes,
    Variable,
    Variables,
    append,
    cells_of,
    count_cells,
    indicator,
    right_labels,
)

#: Up to so many possible cells are counted by position, without hashing.
_MOST_POSITIONS = 2**20

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
    w : ndarray of float, or None
        The weight of each of these rows, which is the same; None if it is 1.
    cluster : ndarray of int, or None
        Which distinct rows belong together, and are drawn as a whole.
    names : dict of str to object
        "y_true": the name of the task; "sensitive_features": those of the attributes.
    listed : dict of str to tuple
        The labels of each true variable that were listed explicitly.
    dropped : int
        Rows with missing values that were left out.
    digest : int or None
        A number that data of the same labels and groups in the same order share; None if their
        order is not known.
    block_sums : dict of (role, role, model) to ndarray, or None
        Sums by two variables of random blocks of rows, where no rows were kept: arrays of shape
        (blocks, labels, labels). Each block is then a row and a cluster, w is the mean weight of
        its rows by their weights, and a variable has a row for each label of the sums.
    undrawn : tuple of labels
        Groups whose rows are one sum, so that numbers about them have no interval.
    gone : tuple of labels
        Groups of which no row is left. Reports tell of them, and metrics do not know them.
    undropped : Rows or None
        Groups before rows were left out, and labels if each row has one; the prediction of the rows
        that were left out is missing.
    """

    variables: Variables
    n: Array
    w: Array | None = None
    cluster: Array | None = None
    names: dict[str, Any] = field(default_factory=dict)
    listed: Lists = field(default_factory=dict)
    dropped: int = 0
    digest: int | None = None
    block_sums: dict[tuple[str, str, str | None], Array] | None = None
    undrawn: tuple[Label, ...] = ()
    gone: tuple[Label, ...] = ()
    undropped: Rows | None = None
    _derived: Variables = field(default_factory=dict, init=False, repr=False)

    # What was counted.

    def __len__(self) -> int:
        return len(self.n)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(dict.fromkeys(model for _, model in self.variables if model is not None))

    def has(self, role: str, model: str | None = None) -> bool:
        """Return whether a variable was counted; of any model if none is named."""
        if model is None or role in PREDICTED:
            return any(role == other for other, _ in self.variables)
        return (role, model) in self.variables

    def variable(self, role: str, model: str | None = None) -> Variable:
        """Return a variable of the rows, or one that follows from them."""
        if role in TRUTH:
            return self.variables[role, None if role in PREDICTED else model]
        if (role, model) not in self._derived:
            self._derived[role, model] = self._derive(role, model)
        return self._derived[role, model]

    def _derive(self, role: str, model: str | None) -> Variable:
        """Return a variable that follows from others."""
        are_sums = self.block_sums is not None
        if role == ALL or (role == LABELLED and are_sums):
            return indicator(np.ones(1 if are_sums else len(self), dtype=bool))
        if role == LABELLED:
            truths = [self.variable(truth) for truth in PREDICTED if self.has(truth)]
            if any(isinstance(v, Codes) and not v.has_missing for v in truths):
                return self.variable(ALL)
            has_label = [v.sparse[:, : len(v.labels)].sum(axis=1) > 0 for v in truths]
            return indicator(np.logical_or.reduce(has_label))
        truth = TASK if role in (RIGHT[TASK], MISSING[TASK], UNANSWERED[TASK]) else ATTRIBUTE
        prediction = self.variable(PREDICTED[truth], model)
        if role == UNANSWERED[truth]:
            labels: Any = self.variable(truth)
            return replace(labels, codes=np.where(prediction.missing, labels.codes, labels.width))
        if role == MISSING[truth]:
            return indicator(prediction.missing)
        return right_labels(self.variable(truth), prediction)

    def n_missing(self, role: str, model: str) -> int:
        """Return how many predictions of a model are missing."""
        if not self.has(role) or not self.variable(role, model).has_missing:
            return 0
        return int(self.n[self.variable(role, model).missing].sum())

    @property
    def dropped_groups(self) -> int | None:
        """Rows that were left out without a group; None if only the number of all is known."""
        if not (self.dropped and self.has(ATTRIBUTE)):
            return 0
        if self.undropped is None:
            return None
        return self.dropped - self.undropped.n_missing(PREDICTION, MODEL)

    def scores(self, model: str) -> Array:
        """Return the score of each row; NaN if it is missing."""
        score: Any = self.variables[SCORE, model]
        return np.array([*score.labels, np.nan], dtype=np.float64)[score.codes]

    def labels_of(self, truth: str) -> tuple[Label, ...]:
        """Return the classes of "y_true", or the groups of "sensitive_features"."""
        labels = [v.labels for (role, _), v in self.variables.items() if TRUTH[role] == truth]
        return labels[0] if labels else ()

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
        return any(v.is_matrix for (role, _), v in self.variables.items() if TRUTH[role] == truth)

    def positive(self, chosen: Label | None = None) -> Label | None:
        """Return the chosen class, or the positive one of two; None of a label matrix."""
        return None if self.is_matrix(TASK) else positive_class(self.class_labels, chosen)

    @cached_property
    def weight(self) -> Array:
        """The weight of each distinct row."""
        if self.block_sums is not None:
            return self.block_sums[ALL, ALL, None][:, 0, 0]
        return self.n if self.w is None else self.n * self.w

    @property
    def unit(self) -> Array:
        """The weight of one row of each distinct row."""
        return np.broadcast_to(1.0, len(self)) if self.w is None else self.w

    @property
    def n_rows(self) -> int:
        """Rows of the data."""
        return int(self.n.sum())

    @property
    def effective_rows(self) -> float:
        """Rows of equal weight that are worth as much."""
        if self.w is None:
            return float(self.n_rows)
        return float(self.weight.sum() ** 2 / (self.weight * self.w).sum())

    @property
    def size_unit(self) -> str:
        """What decides whether a group has rows enough; blocks are no clusters."""
        if self.cluster is not None and self.block_sums is None:
            return "clusters"
        return "rows" if self.w is None or (self.w == self.w[:1]).all() else "effective rows"

    @property
    def n_clusters(self) -> int | None:
        """Clusters of rows, if there are any."""
        return None if self.cluster is None else int(self.cluster.max(initial=0)) + 1

    def in_stratum(self, label: Label) -> Array:
        """Return the positions of the rows of one stratum."""
        control = self.variable(CONTROL)
        return control.sparse[:, [control.labels.index(label)]].nonzero()[0]

    # Changing.

    def take(self, positions: Array) -> Rows:
        """Return some of the distinct rows."""
        kept = {key: v.take(positions) for key, v in self.variables.items()}
        w = None if self.w is None else self.w[positions]
        cluster = None if self.cluster is None else pd.factorize(self.cluster[positions])[0]
        return replace(self, variables=kept, n=self.n[positions], w=w, cluster=cluster)

    def without(self, role: str) -> Rows:
        """Return the rows, and those left out, without the variables of a role."""
        kept = {key: v for key, v in self.variables.items() if key[0] != role}
        undropped = self.undropped and self.undropped.without(role)
        return replace(self, variables=kept, undropped=undropped)

    def unweighted(self) -> Rows:
        """Return the rows with a weight of 1 each."""
        return replace(self, w=None)

    def with_variables(self, truth: str, change: Callable[[Any], Variable]) -> Rows:
        """Return the rows with a true variable and its predictions changed."""
        moved = {key: change(v) for key, v in self.variables.items() if TRUTH[key[0]] == truth}
        return replace(self, variables=self.variables | moved)

    def with_labels(self, lists: Mapping[str, Sequence[Label]]) -> Rows:
        """Return the rows on other lists of labels, by truth."""
        rows = self
        for truth, labels in lists.items():
            rows = rows.with_variables(truth, methodcaller("with_labels", labels))
        return rows

    def complete(self, missing: str) -> Rows:
        """Return the rows without those that have missing values, or raise."""
        if not isinstance(missing, str) or missing not in ("error", "drop", "abstain"):
            rule = "missing must be 'error', 'drop' or 'abstain'"
            raise ValueError(f"{rule}; received {listing([missing])}")
        allowed = PREDICTED.values() if missing == "abstain" else ()
        keys = [k for k, v in self.variables.items() if v.has_missing and k[0] not in allowed]
        if not keys:
            return self
        if missing != "drop":
            n = self.n[self.variables[keys[0]].missing].sum()
            rule = f"{argument_of(keys[0])} must not have missing values; received {n}"
            other = " or 'abstain'" if keys[0][0] in PREDICTED.values() else ""
            raise ValueError(f"{rule}. Drop them, as audit does with missing='drop'{other}")
        is_dropped = np.logical_or.reduce([self.variables[key].missing for key in keys])
        kept = self.take(np.flatnonzero(~is_dropped))
        gone = ordered([*self.gone, *without(self._groups_seen(), kept._groups_seen())])
        n = int(self.n[is_dropped].sum())
        return replace(kept, dropped=n, gone=gone, undropped=self._undropped(is_dropped))

    def _undropped(self, is_dropped: Array) -> Rows | None:
        """Return which rows of known groups are left out, with labels of one column."""
        truth, group = (self.variables.get((role, None)) for role in PREDICTED)
        if group is None:
            return None
        variables: Variables = {(ATTRIBUTE, None): group}
        if isinstance(truth, Codes) and not truth.has_missing:
            variables[TASK, None] = truth
        variables[PREDICTION, MODEL] = indicator(~is_dropped)
        known = np.flatnonzero(~group.missing)
        return replace(self, variables=variables).take(known).tallied()

    def _groups_seen(self) -> list[Label]:
        """Return groups and predicted groups that occur."""
        groups = (v for (role, _), v in self.variables.items() if TRUTH[role] == ATTRIBUTE)
        return [label for variable in groups for label in variable.seen]

    # Merging equal rows.

    def merged(self) -> Rows:
        """Return the rows with equal ones as one; as they are if most of them differ."""
        if self.block_sums is not None:
            return self
        tallied = self.tallied()
        if tallied is not self:
            return tallied
        step = len(self) // _SAMPLE
        if step > 4 and len(cells_of(self._keys(step))[1]) > _SAMPLE / 2:
            return self
        cell, first = cells_of(self._keys(1))
        if len(first) == len(self):
            return self
        n = np.bincount(cell, self.n, len(first)).astype(np.int64)
        cluster = None if self.cluster is None else self.cluster[first]
        return replace(self.take(first), n=n, cluster=cluster)

    def _keys(self, step: int) -> list[Array]:
        """Return what tells rows apart, of one in so many: values, weight and cluster."""
        rows = slice(None, None, step)
        keys = [v.take(rows).keys() for v in self.variables.values()]
        keys += [array[rows] for array in (self.w, self.cluster) if array is not None]
        return keys

    def tallied(self) -> Rows:
        """Return the rows with equal ones as one, counted by position; as they are if too many."""
        variables = {key: v for key, v in self.variables.items() if isinstance(v, Codes)}
        if len(variables) < len(self.variables):
            return self
        codes, sizes = [v.codes for v in variables.values()], [v.width for v in variables.values()]
        weights: Any = None
        if self.w is not None:
            if len(np.unique(self.w[:_SAMPLE])) > _FEW_WEIGHTS:
                return self
            weight_codes, weights = pd.factorize(self.w, sort=True)
            codes.append(weight_codes)
            sizes.append(len(weights))
        if self.cluster is not None and self.n_clusters is not None:
            codes.append(self.cluster)
            sizes.append(self.n_clusters)
        if prod(sizes) > _MOST_POSITIONS:
            return self
        n = count_cells(codes, sizes, self.n)
        cells = np.flatnonzero(n)
        codes = list(np.unravel_index(cells, sizes))
        cluster = None if self.cluster is None else codes.pop()
        w = None if self.w is None else weights[codes.pop()]
        tallied: Variables = {
            key: Codes(v.labels, code.astype(np.min_scalar_type(len(v.labels))))
            for (key, v), code in zip(variables.items(), codes, strict=True)
        }
        return replace(self, variables=tallied, n=n[cells].astype(np.int64), w=w, cluster=cluster)

    # Adding.

    def append(self, other: Rows) -> Rows:
        """Return the rows of both; one number means one cluster."""
        _check_summands(self, other)
        lists = {}
        for truth in (*PREDICTED, CONTROL):
            ours, theirs = self.labels_of(truth), other.labels_of(truth)
            lists[truth] = ours if ours == theirs else _united(ours, theirs, truth)
        first, second = self.with_labels(lists), other.with_labels(lists)
        w = cluster = None
        if first.w is not None or second.w is not None:
            w = np.concatenate([first.unit, second.unit])
        if first.cluster is not None and second.cluster is not None:
            cluster = np.concatenate([first.cluster, second.cluster])
        variables = {k: append(v, second.variables[k]) for k, v in first.variables.items()}
        n, dropped = np.concatenate([first.n, second.n]), first.dropped + second.dropped
        added = replace(first, variables=variables, n=n, w=w, cluster=cluster)
        gone = tuple(dict.fromkeys(first.gone + second.gone))
        return replace(added, dropped=dropped, gone=gone, digest=None, undropped=None).merged()

    @property
    def variable_names(self) -> list[str]:
        """Names of the variables, with their models."""
        return [role if m is None else f"{role}[{m}]" for role, m in self.variables]


def digest_of(variables: Variables) -> int:
    """Return a number that data of the same labels and groups in the same order share."""
    truths = [v for (role, _), v in variables.items() if role in PREDICTED]
    some = slice(None, None, len(truths[0]) // _SAMPLE + 1)
    texts = (f"{len(v)} {v.labels}".encode() + v.take(some).keys().tobytes() for v in truths)
    return crc32(b"".join(texts))


def _check_summands(first: Rows, second: Rows) -> None:
    """Raise unless rows can be added: they hold the same variables, of the same columns."""
    if first.block_sums is not None or second.block_sums is not None:
        raise ValueError("counts that are added must hold rows; received sums of blocks")
    for truth, name in first.names.items():
        other = second.names.get(truth)
        if None not in (name, other) and name != other:
            received = f"{listing([name])} and {listing([other])}"
            raise ValueError(f"counts that are added must be of one {truth}; received {received}")
    only_some = listing(sorted(_traits(first) ^ _traits(second)))
    if only_some:
        raise ValueError(f"counts that are added must be alike; only some have {only_some}")


def _united(ours: Sequence[Label], theirs: Sequence[Label], truth: str) -> tuple[Label, ...]:
    """Return the labels of both in order; raise if those of one are text, and of the other none."""
    labels = ordered([*ours, *theirs], truth)
    kinds = [{isinstance(label, str) for label in labels} for labels in (ours, theirs)]
    if all(kinds) and not kinds[0] & kinds[1]:
        received = f"{listing(ours)} and {listing(theirs)}"
        raise ValueError(f"counts that are added must share labels of {truth}; received {received}")
    return labels


def _traits(rows: Rows) -> set[str]:
    """Return what rows that are added must have in common: variables, clusters and columns."""
    traits = {*rows.variable_names, *([] if rows.cluster is None else ["clusters"])}
    for truth in PREDICTED:
        if rows.is_matrix(truth):
            traits |= {f"{truth}: {show(label)}" for label in rows.labels_of(truth)}
    return traits
