"""Addition of counts."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.clusters import by_content, with_other_clusters
from biasamp_adapters.counts.counts import Counts
from biasamp_adapters.counts.labels import listing, ordered
from biasamp_adapters.counts.probabilities import rows_in_steps
from biasamp_adapters.counts.rows import Rows, compact
from biasamp_adapters.counts.variables import Axis

#: Sums are floats, which are exact up to this.
_MOST_ROWS = 2**53

C = TypeVar("C", bound=Counts)


def added(first: C, second: C, *, same_clusters: bool = False) -> C:
    """The counts of the rows of both parts.

    Parameters
    ----------
    first, second : Counts
    same_clusters : bool
        Whether clusters with the same number are the same. Otherwise the two parts are taken to
        have none in common: counts do not hold the names of clusters, so this cannot be checked.

    Raises
    ------
    ValueError
        If they do not count the same variables or label sets, or only one has clusters.
    """
    _check_alike(first, second)
    lists = {name: _joined(first, second, name) for name in ("labels", "groups")}
    levels = np.union1d(first.levels, second.levels)
    parts = [part.align(**lists) for part in (first, second)]
    same_sets = parts[0].sets == parts[1].sets
    step = max(filter(None, (first.probability_step, second.probability_step)), default=None)
    rows = stored = None
    nonempty = [part for part in parts if part.n_rows or part.rows is not None]
    if len({part.clustered for part in nonempty}) > 1:
        raise ValueError(
            "counts to be added must both have clusters, or neither; received one with and one "
            "without (clusters are lost where rows are: count with keep_rows=True)"
        )
    if nonempty and all(part.rows is not None for part in nonempty):
        of_parts = [*_recoded(nonempty, levels)]
        if not same_clusters:
            of_parts = with_other_clusters(of_parts)
        rows = functools.reduce(operator.add, of_parts)
        rows, levels, step = rows_in_steps(rows, levels, len(parts[0].labels), step)
        rows = rows if same_clusters else by_content(rows)
    elif same_sets:
        stored = _sums(parts)
    else:
        raise ValueError(
            "counts to be added must count the same label sets; received "
            f"{len(parts[0].sets)} and {len(parts[1].sets)} that differ (count both with those "
            "of the reference as label_sets=)"
        )
    seconds = [part.second for part in parts if part.n_rows or part.second is not None]
    has_moments = bool(seconds) and None not in seconds and same_sets
    return replace(
        parts[0],
        sets=tuple(sorted({*parts[0].sets, *parts[1].sets})),
        rows=rows,
        stored=stored,
        levels=levels,
        probability_step=step,
        second=functools.reduce(operator.add, seconds) if has_moments else None,
        soft_axes=first.soft_axes | second.soft_axes,
        declared=frozenset(
            name
            for name in first.declared & second.declared
            if name in first.matrices or getattr(first, name) == getattr(second, name)
        ),
        dropped=first.dropped + second.dropped,
        cluster_parts=_cluster_parts(nonempty, same_clusters=same_clusters),
        task_name=first.task_name if first.task_name == second.task_name else None,
    )


def _cluster_parts(parts: Sequence[Counts], *, same_clusters: bool) -> int:
    """How many parts have clusters that are taken to be different from those of the others."""
    numbers = [part.cluster_parts for part in parts if part.clustered]
    return max(numbers, default=1) if same_clusters else sum(numbers) or 1


def _sums(parts: Sequence[Counts]) -> dict[str, Array]:
    """The sums of rows that are not kept; beside weighted rows, unweighted ones weigh 1."""
    n_rows = sum(part.n_rows for part in parts)
    if n_rows > _MOST_ROWS:
        raise ValueError(f"counts of matrices must hold at most 2**53 rows; received {n_rows}")
    kinds = ("n", "w", "w2") if any(part.weighted for part in parts) else ("n",)
    first, second = (part.moments for part in parts)
    return {kind: first.get(kind, first["n"]) + second.get(kind, second["n"]) for kind in kinds}


def _recoded(parts: Sequence[Counts], levels: Array) -> Iterator[Rows]:
    """The rows of all parts with the same kind of each variable, and positions in ``levels``."""
    by_column = {axis for part in parts for axis in part.values.rows.indicators}
    for part in parts:
        rows = part.values.rows
        position = np.concatenate([[0], 1 + np.searchsorted(levels, part.levels)])
        codes: dict[Axis, Array] = {}
        indicators, silent = dict(rows.indicators), dict(rows.silent)
        for axis, values in rows.codes.items():
            n_labels = part.n_labels(axis.role)
            if axis in by_column:
                indicators[axis] = compact(part.values.dense(axis))
                if axis.role.predicted:
                    silent[axis] = values == n_labels
            else:
                beyond = np.maximum(values - n_labels, 0)
                codes[axis] = values + (position[beyond] - beyond).astype(np.int32)
        yield replace(rows, codes=codes, indicators=indicators, silent=silent)


def _check_alike(first: Counts, second: Counts) -> None:
    """Raise for counts that cannot be added because they count different things."""
    if first.models and second.models and first.models != second.models:
        raise ValueError(
            f"counts to be added must be of the same models; received {[*first.models]} and "
            f"{[*second.models]} (to audit models side by side, count them together: prediction= "
            "takes several columns, y_pred a mapping)"
        )
    for name in ("axes", "attributes", "matrices"):
        received = [getattr(part, name) for part in (first, second)]
        if name == "axes":
            received = [[axis.role.value for axis in axes] for axes in received]
        if received[0] != received[1]:
            raise ValueError(
                f"counts to be added must have the same {name}; received {received[0]} and "
                f"{received[1]}"
            )


def _joined(first: Counts, second: Counts, name: str) -> tuple[Label, ...]:
    """The labels or the groups of both parts.

    A list keeps its order only if it was given explicitly for both parts, so that sums do not
    depend on the order of the parts.
    """
    mine, theirs = getattr(first, name), getattr(second, name)
    if name in first.matrices and set(mine) != set(theirs):
        raise ValueError(
            "counts to be added must have the same columns; received "
            f"{listing(mine)} and {listing(theirs)}"
        )
    keeps_order = name in first.declared & second.declared and mine == theirs
    return mine if keeps_order else ordered([*mine, *theirs])
