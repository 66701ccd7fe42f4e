"""Counts add: the counts of the rows of both parts."""

from __future__ import annotations

import functools
import operator
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.counts import Counts
from biasamp_adapters.counts.labels import listing, ordered
from biasamp_adapters.counts.rows import Rows, compact
from biasamp_adapters.counts.variables import Axis

#: Sums are floats, exact up to this.
_MOST_ROWS = 2**53

C = TypeVar("C", bound=Counts)


def added(first: C, second: C) -> C:
    """The counts of the rows of both.

    Raises
    ------
    ValueError
        If they do not count the same variables or label sets.
    """
    _check_alike(first, second)
    lists = {name: _joined(first, second, name) for name in ("labels", "groups")}
    levels = np.union1d(first.levels, second.levels)
    parts = [part.align(**lists) for part in (first, second)]
    kept = [part for part in parts if part.n_rows or part.rows is not None]
    rows = stored = moments = None
    if kept and all(part.rows is not None for part in kept):
        rows = functools.reduce(operator.add, _rows_alike(kept, levels))
        sets = tuple(sorted({*parts[0].sets, *parts[1].sets}))
    else:
        if parts[0].sets != parts[1].sets:
            raise ValueError(
                "counts to be added must count the same label sets; received "
                f"{len(parts[0].sets)} and {len(parts[1].sets)} that differ (count both with those "
                "of the reference as label_sets=)"
            )
        sets = parts[0].sets
        if first.n_rows + second.n_rows > _MOST_ROWS:
            raise ValueError(
                "counts of matrices must hold at most 2**53 rows; received "
                f"{first.n_rows + second.n_rows}"
            )
        moments = [_with_weights(part, any(p.weighted for p in parts)) for part in parts]
        stored = {name: moments[0][name] + moments[1][name] for name in moments[0]}
    seconds = [part.second for part in parts if part.n_rows or part.second is not None]
    known = bool(seconds) and None not in seconds and parts[0].sets == parts[1].sets
    return replace(
        parts[0],
        sets=sets,
        rows=rows,
        stored=stored,
        levels=levels,
        second=functools.reduce(operator.add, seconds) if known else None,
        soft_axes=first.soft_axes | second.soft_axes,
        declared=frozenset(
            name
            for name in first.declared & second.declared
            if name in first.matrices or getattr(first, name) == getattr(second, name)
        ),
        dropped=first.dropped + second.dropped,
    )


def _with_weights(part: Counts, weighted: bool) -> dict[str, Array]:
    n = part.moments["n"]
    return part.moments if "w" in part.moments or not weighted else {"n": n, "w": n, "w2": n}


def _rows_alike(parts: Sequence[Counts], levels: Array) -> list[Rows]:
    """The rows of all parts with the same kind of each variable, and positions in ``levels``."""
    every = [part.values.rows for part in parts]
    by_column = {axis for rows in every for axis in rows.indicators}
    return [
        _recoded(part, rows, levels, by_column) for part, rows in zip(parts, every, strict=True)
    ]


def _recoded(part: Counts, rows: Rows, levels: Array, by_column: Collection[Axis]) -> Rows:
    position = np.concatenate([[0], 1 + np.searchsorted(levels, part.levels)])
    codes: dict[Axis, Array] = {}
    indicators, silent = dict(rows.indicators), dict(rows.silent)
    for axis, values in rows.codes.items():
        n_labels = part.n_labels(axis.role)
        if axis not in by_column:
            beyond = np.maximum(values - n_labels, 0)
            codes[axis] = values + (position[beyond] - beyond).astype(np.int32)
            continue
        indicators[axis] = compact(part.values.dense(axis))
        if axis.role.predicted:
            silent[axis] = values == n_labels
    return replace(rows, codes=codes, indicators=indicators, silent=silent)


def _check_alike(first: Counts, second: Counts) -> None:
    """Raise for counts that do not add up, as they differ in what they count."""
    if first.models and second.models and first.models != second.models:
        raise ValueError(
            f"counts to be added must be of the same models; received {[*first.models]} and "
            f"{[*second.models]} (to audit models side by side, count them together: prediction= "
            "takes several columns, y_pred a mapping)"
        )
    for name in ("axes", "attributes", "matrices"):
        mine, theirs = getattr(first, name), getattr(second, name)
        if name == "axes":
            mine, theirs = ([axis.role.value for axis in axes] for axes in (mine, theirs))
        if mine != theirs:
            raise ValueError(
                f"counts to be added must have the same {name}; received {mine} and {theirs}"
            )


def _joined(first: Counts, second: Counts, name: str) -> tuple[Label, ...]:
    """The labels or the groups of both.

    Only a list that both were given keeps its order: so sums do not depend on theirs.
    """
    mine, theirs = getattr(first, name), getattr(second, name)
    if name in first.matrices and set(mine) != set(theirs):
        raise ValueError(
            "counts to be added must have the same columns; received "
            f"{listing(mine)} and {listing(theirs)}"
        )
    given = name in first.declared & second.declared and mine == theirs
    return mine if given else ordered([*mine, *theirs])
