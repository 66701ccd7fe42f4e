"""Equalising accuracy: T~ is T with labels changed at random until it is as wrong as the model.

A label keeps its value with probability ``accuracy`` and otherwise becomes one of the other
classes, each equally likely ([T25] 3.1). In a count table these flips are binomial and multinomial
draws; in expectation they are a channel.
"""

from __future__ import annotations

import math

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.draws import by_rows
from biasamp_adapters.counts.keys import sum_by
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.replicates import Draws
from biasamp_adapters.metrics.means import rate

#: Flipped rows that are drawn one by one at a time.
_BLOCK = 2**22

#: Rows whose labels are redrawn at a time, so that they stay in the processor's cache.
_IN_CACHE = 2**15

#: Tables of so many cells are flipped row by row if that is faster; smaller ones together.
_MANY_CELLS = 1000

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


def flip_table(table: Array, axis: int, accuracy: Array, rng: Draws) -> Array:
    """Integer tables with the labels of one axis flipped at random, one draw for each table.

    Parameters
    ----------
    table : array of int, shape (..., rows, columns)
    axis : {-2, -1}
        The axis whose labels flip.
    accuracy : array that broadcasts to (...)
    rng : Generator or SharedDraws
    """
    if axis == -2:
        return flip_table(table.swapaxes(-1, -2), -1, accuracy, rng).swapaxes(-1, -2)
    classes = table.shape[-1]
    if classes == 1:
        return table
    accuracy = np.broadcast_to(accuracy, table.shape[:-2])
    # Choosing a wrong class with probability 1 - accuracy is the same as redrawing the class, the
    # old one included, with the probability ``redraw``; the old class then does not matter.
    redraw = (1 - accuracy) * classes / (classes - 1)
    below_chance = redraw > 1
    if math.prod(table.shape[-2:]) >= _MANY_CELLS and by_rows(table):
        out = _redraw_rows(table, redraw, rng)
    else:
        gone = rng.binomial(table, np.minimum(redraw, 1)[..., None, None])
        out = table - gone + rng.multinomial(gone.sum(axis=-1), np.full(classes, 1 / classes))
    if below_chance.any():
        out[below_chance] = _flip_cells(table[below_chance], 1 - accuracy[below_chance], rng)
    return out


def _redraw_rows(table: Array, redraw: Array, rng: Draws) -> Array:
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


def _flip_cells(table: Array, wrong_share: Array, rng: Draws) -> Array:
    """Flips of the columns of (tables, rows, columns), cell by cell: at any accuracy."""
    classes = table.shape[-1]
    wrong = rng.binomial(table, wrong_share[:, None, None])
    out = table - wrong
    for label in range(classes):
        others = np.arange(classes) != label
        uniform = np.full(classes - 1, 1 / (classes - 1))
        out[..., others] += rng.multinomial(wrong[..., label], uniform)
    return out


def flip_rows(
    times: Array,
    stays: Array,
    flips: Array,
    *,
    sizes: tuple[int, int],
    accuracy: Array,
    rng: Draws,
    weight: Array,
) -> Array:
    """Flip one label of weighted rows, and sum their weights by both labels.

    Parameters
    ----------
    times : array of int, shape (..., rows)
        How often each distinct row occurs.
    stays, flips : arrays of int, shape (rows,)
        Codes of the label that stays and of the one that flips.
    sizes : (int, int)
        How many labels each has.
    accuracy : array that broadcasts to (...)
    rng : Generator or SharedDraws
    weight : array of shape (rows,)
        Weight of each distinct row.

    Returns
    -------
    ndarray of float, shape (..., sizes[0], sizes[1])
    """
    weights, stratum = np.unique(weight, return_inverse=True)
    shape = (len(weights), *sizes)
    if math.prod(shape) <= times.sum(axis=-1).max(initial=0):
        # There are few distinct weights, so each gets one table.
        key = np.ravel_multi_index((stratum, stays, flips), shape)
        strata = sum_by(times, key, math.prod(shape)).reshape(*times.shape[:-1], *shape)
        flipped = flip_table(strata, -1, np.asarray(accuracy)[..., None], rng)
        return (flipped * weights[:, None, None]).sum(axis=-3)
    batch, n_distinct, n_pairs = times.shape[:-1], times.shape[-1], math.prod(sizes)
    times = times.reshape(-1, n_distinct)
    wrong_share = np.clip(1 - np.broadcast_to(accuracy, batch).reshape(-1, 1), 0, 1)
    out = np.empty((len(times), n_pairs))
    step = max(1, _BLOCK // max(int(times.sum(axis=1).max(initial=1)), n_distinct))
    for start in range(0, len(times), step):
        part = times[start : start + step]
        wrong = rng.binomial(part, wrong_share[start : start + step])
        table, row = np.indices(part.shape).reshape(2, -1)
        key = table * n_pairs + stays[row] * sizes[1] + flips[row]
        total = np.bincount(key, (part - wrong).ravel() * weight[row], len(part) * n_pairs)
        if sizes[1] > 1:
            moved = np.repeat(np.arange(key.size), wrong.ravel())
            label = (flips[row[moved]] + rng.integers(1, sizes[1], len(moved))) % sizes[1]
            key = table[moved] * n_pairs + stays[row[moved]] * sizes[1] + label
            total += np.bincount(key, weight[row[moved]], len(part) * n_pairs)
        out[start : start + step] = total.reshape(len(part), n_pairs)
    return out.reshape(*batch, *sizes)
