"""Equalising accuracy: T~ is T with labels changed at random until it is as wrong as the model.

A label keeps its value with probability ``accuracy`` and otherwise becomes one of the other
classes, each equally likely ([T25] 3.1). In a count table these flips are binomial and multinomial
draws; in expectation they are a channel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.draws import by_rows
from biasamp_adapters.counts.rows import runs
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.metrics.means import rate

#: Rows whose labels are redrawn at a time, so that they stay in the processor's cache.
_IN_CACHE = 2**15

#: Tables of so many cells are flipped row by row if that is faster; smaller ones together.
_MANY_CELLS = 1000

#: Rows of at most so many distinct weights are flipped weight by weight, others by ranges of them.
_FEW_WEIGHTS = 32

#: An accuracy that differs from 1 by rounding alone is 1: otherwise it would leave errors of 1e-16.
ROUNDING = 1e-12


def repeated(values: Array, trials: int | None) -> Array:
    """The values repeated for each trial along a new first axis; unchanged without trials."""
    return values if trials is None else np.broadcast_to(values, (trials, *values.shape))


def accuracy_of(tables: Tables, role: Role) -> Array:
    """Share of the weight whose prediction of ``role`` is right, of shape (...)."""
    right, total = tables.agreement(role).sum(axis=-1), np.asarray(tables.total)
    share = rate(right, total)
    # Whole numbers of rows are equal or not; sums of weights may differ by rounding alone.
    rounded = right.dtype.kind == "f"
    return np.where(1 - share < (ROUNDING if rounded else 0), 1.0, share)


def column_accuracy(tables: Tables, role: Role, *, silence_is_wrong: bool = False) -> Array:
    """Share of the weight whose indicator of each label is predicted right, (..., labels).

    A model that predicted nothing counts as a no to every label, unless ``silence_is_wrong``.
    """
    truth, predicted = tables.marginal(role), tables.marginal(role.prediction)
    total = np.asarray(tables.total)[..., None]
    wrong = truth + predicted - 2 * tables.agreement(role)
    share = 1 - rate(wrong, total)
    share = np.where(1 - share < ROUNDING, 1.0, share)
    if silence_is_wrong:
        share = share - rate(tables.silent(role) - tables.silent(role, by=role), total)
    return share


def expected_flips(table: Array, accuracy: Array, axis: int) -> Array:
    """The table after flips of ``axis``, in expectation.

    Parameters
    ----------
    table : array of shape (..., rows, columns)
    accuracy : array of shape (...)
    axis : {-2, -1}
        The axis whose labels flip; all its labels are classes.
    """
    classes = table.shape[axis]
    if classes == 1:
        return table.astype(np.float64)
    accuracy = np.asarray(accuracy)[..., None, None]
    wrong = (1 - accuracy) / (classes - 1)
    return wrong * table.sum(axis=axis, keepdims=True) + (accuracy - wrong) * table


def scaled_flips(table: Array, accuracy: Array, axis: int) -> Array:
    """:func:`expected_flips` on a scale on which whole rows stay whole.

    Where a whole number of rows is right, expectations are whole multiples of 1 / (total * wrong
    classes). Scores that do not depend on the scale, and are mathematically equal, then have equal
    floats; with a rounded accuracy they would differ by 1e-16. Tables without errors stay as they
    are.
    """
    classes = table.shape[axis]
    if classes == 1:
        return table.astype(np.float64)
    total = table.sum(axis=(-2, -1), keepdims=True)
    right = np.asarray(accuracy)[..., None, None] * total
    whole = np.rint(right)
    right = np.where(np.abs(right - whole) <= ROUNDING * total, whole, right)
    wrong = total - right
    flipped = wrong * table.sum(axis=axis, keepdims=True) + ((classes - 1) * right - wrong) * table
    return np.where(wrong == 0, table, flipped)


def flip_table(
    table: Array, axis: int, accuracy: Array, rng: np.random.Generator, weight: Array | None = None
) -> Array:
    """Tables with the labels of one axis flipped at random, one draw for each table.

    Parameters
    ----------
    table : array of int, shape (..., rows, columns)
    axis : {-2, -1}
        The axis whose labels flip.
    accuracy : array that broadcasts to (...)
    rng : numpy.random.Generator
    weight : array of float, shape (..., rows, columns), optional
        What each row of a cell weighs; the tables that are returned are then sums of weights.
    """
    if axis == -2:
        weight = None if weight is None else weight.swapaxes(-1, -2)
        return flip_table(table.swapaxes(-1, -2), -1, accuracy, rng, weight).swapaxes(-1, -2)
    classes = table.shape[-1]
    if classes == 1:
        return table if weight is None else table * weight
    # Sums of weights have rounding noise, which may leave the range of a probability.
    accuracy = np.clip(np.broadcast_to(accuracy, table.shape[:-2]), 0.0, 1.0)
    # Choosing a wrong class with probability 1 - accuracy is the same as redrawing the class, the
    # old one included, with the probability ``redraw``; the old class then does not matter.
    redraw = (1 - accuracy) * classes / (classes - 1)
    below_chance = redraw > 1
    if weight is None and math.prod(table.shape[-2:]) >= _MANY_CELLS and by_rows(table):
        out = _redraw_rows(table, redraw, rng)
    else:
        gone = rng.binomial(table, np.minimum(redraw, 1)[..., None, None])
        back = rng.multinomial(gone.sum(axis=-1), np.full(classes, 1 / classes))
        if weight is None:
            out = table - gone + back
        else:
            moved = (gone * weight).sum(axis=-1, keepdims=True)
            mean = rate(moved, gone.sum(axis=-1, keepdims=True), undefined=0.0)
            out = (table - gone) * weight + back * mean
    if below_chance.any():
        alike = 1 if weight is None else weight[below_chance]
        wrong = 1 - accuracy[below_chance]
        out[below_chance] = _flip_cells(table[below_chance], alike, wrong, rng)
    return out


def rows_alike(weight: Array) -> Iterator[Array]:
    """Positions of the rows of each of few weights or, of many, of each of few ranges of them.

    A range is at most so wide that rows flipped as equals vary as the rows themselves do, within a
    fraction of a percent.
    """
    few, which = np.unique(weight, return_inverse=True)
    if len(few) > _FEW_WEIGHTS:
        positive = np.log(weight, out=np.full(len(weight), -np.inf), where=weight > 0)
        edges = np.linspace(positive[weight > 0].min(), positive.max(), _FEW_WEIGHTS + 1)
        which = np.searchsorted(edges[1:-1], positive)
    order, starts = runs([which])
    yield from np.split(order, starts[1:])


def _redraw_rows(table: Array, redraw: Array, rng: np.random.Generator) -> Array:
    """Tables (..., inputs, columns) whose rows each redraw their column with a chance (...).

    Each row draws a number and a column, whether or not it then takes it. Models that share their
    draws and err nearly as often therefore flip nearly the same rows to the same labels.
    """
    classes, out = table.shape[-1], np.empty(table.shape, dtype=np.int64)
    lines, drawn = (x.reshape(-1, classes) for x in (table, out))
    chance, totals = np.repeat(redraw, table.shape[-2]), lines.sum(axis=1)
    starts = np.flatnonzero(np.diff(totals.cumsum() // _IN_CACHE)) + 1
    for at in np.split(np.arange(len(lines)), starts):
        part, ends = lines[at], lines[at].cumsum()
        redrawn = rng.random(ends[-1]) < np.repeat(chance[at], totals[at])
        column = rng.integers(0, classes, ends[-1])[np.flatnonzero(redrawn)]
        before = np.concatenate(([0], redrawn.cumsum()))[ends]
        gone = np.diff(before, prepend=0).reshape(part.shape)
        first = np.repeat(np.arange(len(part)) * classes, gone.sum(axis=1))
        back = np.bincount(first + column, minlength=part.size)
        drawn[at] = part - gone + back.reshape(part.shape)
    return out


def _flip_cells(
    table: Array, weight: Array | int, wrong_share: Array, rng: np.random.Generator
) -> Array:
    """Flips of the columns of (tables, rows, columns), cell by cell: at any accuracy."""
    classes = table.shape[-1]
    wrong = rng.binomial(table, wrong_share[:, None, None])
    out, weight = (table - wrong) * weight, np.broadcast_to(weight, table.shape)
    for label in range(classes):
        others = np.arange(classes) != label
        uniform = np.full(classes - 1, 1 / (classes - 1))
        flipped = rng.multinomial(wrong[..., label], uniform)
        out[..., others] += flipped * weight[..., label, None]
    return out
