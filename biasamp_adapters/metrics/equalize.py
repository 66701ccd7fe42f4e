"""Equalising accuracy: T~ is T with labels changed at random until it is as wrong as the model.

A label keeps its value with probability ``accuracy`` and else becomes one of the other classes,
each as likely ([T25] 3.1). In a count table that is a binomial, then a
multinomial; in expectation it is a channel.
"""

from __future__ import annotations

import math

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.tables import PREDICTED, JointTables, Tables, sum_by
from biasamp_adapters.metrics.means import rate

#: Flipped rows that are drawn one by one at a time.
_BLOCK = 2**22

#: An accuracy that rounding keeps from 1 is 1: else it would leave errors of 1e-16 to compare.
_ROUNDING = 1e-12


def accuracy_of(tables: Tables, role: str) -> Array:
    """Share of the weight whose prediction of ``role`` is right, of shape (...)."""
    right, total = tables.agreement(role).sum(axis=-1), np.asarray(tables.total)
    share = rate(right, total)
    # Whole numbers of rows are equal or not; sums of weights may differ by rounding alone.
    rounded = right.dtype.kind == "f"
    return np.where(1 - share < (_ROUNDING if rounded else 0), 1.0, share)


def column_accuracy(tables: Tables, role: str) -> Array:
    """Share of the weight whose indicator of each label is predicted right, (..., labels)."""
    truth, made = tables.marginal(role), tables.marginal(PREDICTED[role])
    wrong = truth + made - 2 * tables.agreement(role)
    share = 1 - rate(wrong, np.asarray(tables.total)[..., None])
    return np.where(1 - share < _ROUNDING, 1.0, share)


def accuracy_with_silence(tables: Tables, role: str) -> Array:
    """:func:`column_accuracy` with silence wrong, also of a label that is not there."""
    right_by_silence = tables.silent(role) - tables.silent(role, by=role)
    share = rate(right_by_silence, np.asarray(tables.total)[..., None])
    return column_accuracy(tables, role) - share


def random_errors(
    tables: Tables, role: str, joint: Array, other: Array, own: Array
) -> tuple[Array, Array]:
    """Co-occurrences and counts of a variable if the model's errors fell at random.

    Each column of a matrix is a variable of its own, with its own accuracy.

    Parameters
    ----------
    tables : Tables
    role : {"task", "attribute"}
    joint : array of shape (..., groups, tasks)
    other, own : arrays of shape (..., labels)
        Counts of the variable that stays and of the one that errs.
    """
    axis = -1 if role == "task" else -2
    if not tables.counts.is_matrix(role):
        accuracy = accuracy_of(tables, role)
        flipped = expected_flips(own[..., None, :], accuracy, -1)[..., 0, :]
        return expected_flips(joint, accuracy, axis), flipped
    stay = column_accuracy(tables, role)
    flipped = stay * own + (1 - stay) * (tables.total[..., None] - own)
    stay = np.expand_dims(stay, -2 if axis == -1 else -1)
    return stay * joint + (1 - stay) * (np.expand_dims(other, axis) - joint), flipped


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
    """:func:`expected_flips` on a scale on which whole rows stay whole, for scores that have none.

    Where a whole number of rows is right, expectations are whole multiples of 1 / (total * wrong
    classes). Scores that are equal by arithmetic are equal on that scale, where a rounded accuracy
    would set them 1e-16 apart. Tables without errors stay as they are.
    """
    classes = table.shape[axis]
    if classes == 1:
        return table.astype(np.float64)
    total = table.sum(axis=(-2, -1), keepdims=True)
    right = np.asarray(accuracy)[..., None, None] * total
    whole = np.rint(right)
    right = np.where(np.abs(right - whole) <= _ROUNDING * total, whole, right)
    wrong = total - right
    flipped = wrong * table.sum(axis=axis, keepdims=True) + ((classes - 1) * right - wrong) * table
    return np.where(wrong == 0, table, flipped)


def flip(
    tables: JointTables,
    roles: tuple[str, str],
    axis: int,
    accuracy: Array,
    rng: np.random.Generator,
    trials: int | None = None,
) -> Array:
    """Two-way tables with the labels of one axis flipped at random, one draw a table.

    Parameters
    ----------
    tables : JointTables
        With rows: flips happen to rows, whatever they weigh.
    roles : (str, str)
        The true variables of the two axes.
    axis : {-2, -1}
        The axis whose labels flip.
    accuracy : array of shape (...)
    rng : numpy.random.Generator
    trials : int, optional
        Draws of the same tables, along a new first axis.
    """

    def repeated(values: Array) -> Array:
        return values if trials is None else np.broadcast_to(values, (trials, *values.shape))

    counts = tables.counts
    if counts.cells.unit is None:
        return flip_table(repeated(tables.joint(*roles)), axis, accuracy, rng)
    if tables.rows is None:
        raise ValueError("flips need rows; these tables hold only sums of weights")
    other, own = roles if axis == -1 else roles[::-1]
    out = flip_weighted(
        repeated(tables.rows),
        counts.axis_codes(other, tables.model),
        counts.axis_codes(own, tables.model),
        sizes=(counts.n_labels(other), counts.n_labels(own)),
        accuracy=accuracy,
        rng=rng,
        unit=counts.cells.unit,
    )
    return out if axis == -1 else out.swapaxes(-1, -2)


def flip_table(table: Array, axis: int, accuracy: Array, rng: np.random.Generator) -> Array:
    """:func:`flip` for integer tables of shape (..., rows, columns)."""
    if axis == -2:
        return flip_table(table.swapaxes(-1, -2), -1, accuracy, rng).swapaxes(-1, -2)
    classes = table.shape[-1]
    if classes == 1:
        return table
    accuracy = np.broadcast_to(accuracy, table.shape[:-2])
    # A wrong class with probability 1 - accuracy is the same as any class, the old one included,
    # with this probability; and what is redrawn need not know where it came from.
    redraw = (1 - accuracy) * classes / (classes - 1)
    below_chance = redraw > 1
    gone = rng.binomial(table, np.minimum(redraw, 1)[..., None, None])
    back = rng.multinomial(gone.sum(axis=-1), np.full(classes, 1 / classes))
    out = table - gone + back
    if below_chance.any():
        tables = table[below_chance]
        out[below_chance] = _flip_each(tables, 1 - accuracy[below_chance], rng)
    return out


def _flip_each(table: Array, wrong_share: Array, rng: np.random.Generator) -> Array:
    """Flips of the columns of (tables, rows, columns), cell by cell: at any accuracy."""
    classes = table.shape[-1]
    wrong = rng.binomial(table, wrong_share[:, None, None])
    out = table - wrong
    for own in range(classes):
        others = np.arange(classes) != own
        uniform = np.full(classes - 1, 1 / (classes - 1))
        out[..., others] += rng.multinomial(wrong[..., own], uniform)
    return out


def flip_weighted(
    rows: Array,
    other: Array,
    own: Array,
    *,
    sizes: tuple[int, int],
    accuracy: Array,
    rng: np.random.Generator,
    unit: Array,
) -> Array:
    """Flip the label ``own`` of the rows of each cell, and sum their weights by both labels.

    Parameters
    ----------
    rows : array of int, shape (..., cells)
    other, own : arrays of shape (cells,)
        Codes of the label that stays and of the one that flips.
    sizes : (int, int)
        How many labels each has.
    accuracy : array that broadcasts to (...)
    rng : numpy.random.Generator
    unit : array of shape (cells,)
        Weight of one row of each cell.

    Returns
    -------
    ndarray of float, shape (..., sizes[0], sizes[1])
    """
    units, stratum = np.unique(unit, return_inverse=True)
    shape = (len(units), *sizes)
    if math.prod(shape) > rows.sum(axis=-1).max(initial=0):
        return _flip_rows(rows, other, own, sizes, accuracy, rng, unit)
    # Few weights for the rows: a table for each of them.
    key = np.ravel_multi_index((stratum, other, own), shape)
    strata = sum_by(rows, key, math.prod(shape)).reshape(*rows.shape[:-1], *shape)
    flipped = flip_table(strata, -1, np.asarray(accuracy)[..., None], rng)
    return (flipped * units[:, None, None]).sum(axis=-3)


def _flip_rows(
    rows: Array,
    other: Array,
    own: Array,
    sizes: tuple[int, int],
    accuracy: Array,
    rng: np.random.Generator,
    unit: Array,
) -> Array:
    """:func:`flip_weighted` one row after the other."""
    batch, n_cells, n_pairs = rows.shape[:-1], rows.shape[-1], sizes[0] * sizes[1]
    rows = rows.reshape(-1, n_cells)
    wrong_share = np.clip(1 - np.broadcast_to(accuracy, batch).reshape(-1, 1), 0, 1)
    out = np.empty((len(rows), n_pairs))
    step = max(1, _BLOCK // max(int(rows.sum(axis=1).max(initial=1)), n_cells))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        wrong = rng.binomial(part, wrong_share[start : start + step])
        table, cell = np.indices(part.shape).reshape(2, -1)
        key = table * n_pairs + other[cell] * sizes[1] + own[cell]
        total = np.bincount(key, (part - wrong).ravel() * unit[cell], len(part) * n_pairs)
        if sizes[1] > 1:
            moved = np.repeat(np.arange(key.size), wrong.ravel())
            label = (own[cell[moved]] + rng.integers(1, sizes[1], len(moved))) % sizes[1]
            key = table[moved] * n_pairs + other[cell[moved]] * sizes[1] + label
            total += np.bincount(key, unit[cell[moved]], len(part) * n_pairs)
        out[start : start + step] = total.reshape(len(part), n_pairs)
    return out.reshape(*batch, *sizes)
