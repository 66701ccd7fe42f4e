"""Equalising accuracy: T~ is T with labels changed at random until it is as wrong as the model.

A label keeps its value with probability ``accuracy`` and else becomes one of the other classes,
each as likely ([T25] 3.1). In a count table that is a binomial, then a
multinomial; in expectation it is a channel.
"""

from __future__ import annotations

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.tables import Tables

#: Numbers that flipped labels may take at a time.
_BLOCK = 2**22


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


def flip(
    tables: Tables, roles: tuple[str, str], axis: int, accuracy: Array, rng: np.random.Generator
) -> Array:
    """Two-way tables with the labels of one axis flipped at random, one draw a table.

    Parameters
    ----------
    tables : Tables
        With rows: flips happen to rows, whatever they weigh.
    roles : (str, str)
        The true variables of the two axes.
    axis : {-2, -1}
        The axis whose labels flip.
    accuracy : array of shape (...)
    rng : numpy.random.Generator
    """
    if tables.counts.cells.unit is None:
        return flip_table(tables.joint(*roles), axis, accuracy, rng)
    if tables.rows is None:
        raise ValueError("flips need rows; these tables hold only sums of weights")
    codes = [tables.counts.axis_codes(role, tables.model) for role in roles]
    sizes = [tables.counts.n_labels(role) for role in roles]
    other = 0 if axis == -1 else 1
    out = flip_cells(
        tables.rows,
        codes[other],
        codes[1 - other],
        (sizes[other], sizes[1 - other]),
        accuracy,
        rng,
        tables.counts.cells.unit,
    )
    return out if axis == -1 else out.swapaxes(-1, -2)


def flip_table(table: Array, axis: int, accuracy: Array, rng: np.random.Generator) -> Array:
    """:func:`flip` for integer tables of shape (..., rows, columns)."""
    if axis == -2:
        return flip_table(table.swapaxes(-1, -2), -1, accuracy, rng).swapaxes(-1, -2)
    others, classes = table.shape[-2:]
    other, own = np.indices((others, classes)).reshape(2, -1)
    rows = table.reshape(*table.shape[:-2], -1)
    return flip_cells(rows, other, own, (others, classes), accuracy, rng)


def flip_cells(
    rows: Array,
    other: Array,
    own: Array,
    sizes: tuple[int, int],
    accuracy: Array,
    rng: np.random.Generator,
    unit: Array | None = None,
) -> Array:
    """Flip the label ``own`` of the rows of each cell, and sum up by ``(other, own)``.

    Parameters
    ----------
    rows : array of int, shape (..., cells)
    other, own : arrays of shape (cells,)
        Codes of the label that stays and of the one that flips.
    sizes : (int, int)
        How many labels each has.
    accuracy : array that broadcasts to (...)
    rng : numpy.random.Generator
    unit : array of shape (cells,), optional
        Weight of one row of each cell.

    Returns
    -------
    ndarray of shape (..., sizes[0], sizes[1])
    """
    batch = rows.shape[:-1]
    rows = rows.reshape(-1, rows.shape[-1])
    accuracy = np.broadcast_to(accuracy, batch).reshape(-1)
    order = np.argsort(other, kind="stable")
    rows, own, other = rows[:, order], own[order], other[order]
    starts = np.flatnonzero(np.r_[True, other[1:] != other[:-1]])
    dtype = rows.dtype if unit is None else np.float64
    out = np.zeros((len(rows), *sizes), dtype=dtype)
    step = max(1, _BLOCK // (rows.shape[1] * sizes[1]))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        flipped = _flip_rows(rows[part], own, accuracy[part], sizes[1], rng)
        if unit is not None:
            flipped = flipped * unit[order][:, None]
        out[part, other[starts]] = np.add.reduceat(flipped, starts, axis=1)
    return out.reshape(*batch, *sizes)


def _flip_rows(
    rows: Array, own: Array, accuracy: Array, classes: int, rng: np.random.Generator
) -> Array:
    """Labels of ``rows`` (batch, cells) after flips, of shape (batch, cells, classes)."""
    wrong = rng.binomial(rows, np.clip(1 - accuracy, 0, 1)[:, None])
    out = np.zeros((*rows.shape, classes), dtype=rows.dtype)
    cells = np.arange(len(own))
    if classes > 2:
        spread = rng.multinomial(wrong, np.full(classes - 1, 1 / (classes - 1)))
        out[:, cells[:, None], (own[:, None] + np.arange(1, classes)) % classes] = spread
    elif classes == 2:
        out[:, cells, 1 - own] = wrong
    out[:, cells, own] = rows - wrong if classes > 1 else rows
    return out


def predicted_bias(
    table: Array, flipped: Array, accuracy: Array, axis: int, n_rows: Array
) -> Array:
    """Bias of the expected channel in cross-entropy: what smoothing hides of plug-in optimism.

    Flips give a cell of the flipped table a variance; the plug-in cross-entropy of one draw is
    lower by half of variance over expectation, summed, than that of the expected table. For flips
    of the target this is the numerator of B in the docs on predictability. Flips of the input move
    the totals of the inputs too, whose variance counts the other way.

    Parameters
    ----------
    table, flipped : arrays of shape (..., inputs, targets)
        Before and after :func:`expected_flips`.
    accuracy : array of shape (...)
    axis : {-2, -1}
        The axis that was flipped.
    n_rows : array of shape (...)
        Rows behind the table; with weights, the rows of equal weight that are worth as much.
    """
    classes = table.shape[axis]
    if classes == 1:
        return np.zeros(table.shape[:-2])
    stay = np.asarray(accuracy)[..., None, None]
    move = (1 - stay) / (classes - 1)
    variance = (
        move * (1 - move) * table.sum(axis=axis, keepdims=True)
        + (stay * (1 - stay) - move * (1 - move)) * table
    )
    bias = _ratio(variance, flipped).sum(axis=(-2, -1))
    if axis == -2:
        bias -= _ratio(variance.sum(axis=-1), flipped.sum(axis=-1)).sum(axis=-1)
    return bias / (2 * n_rows)


def clear_winners(flipped: Array, scale: Array) -> Array:
    """Whether in every input the two likeliest targets differ by three standard errors.

    Parameters
    ----------
    flipped : array of shape (..., inputs, targets)
        Weights after :func:`expected_flips`.
    scale : array of shape (...)
        Rows that one unit of weight is worth.
    """
    if flipped.shape[-1] == 1:
        return np.ones(flipped.shape[:-2], dtype=bool)
    total = flipped.sum(axis=-1)
    share = _ratio(flipped, total[..., None])
    second, first = np.moveaxis(np.sort(share, axis=-1)[..., -2:], -1, 0)
    gap = first - second
    rows = total * np.asarray(scale)[..., None]
    error = np.sqrt(_ratio(first + second - gap**2, rows))
    return ((gap >= 3 * error) | (total == 0)).all(axis=-1)


def _ratio(numerator: Array, denominator: Array) -> Array:
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    return np.divide(numerator, denominator, out=np.zeros(shape), where=denominator > 0)
