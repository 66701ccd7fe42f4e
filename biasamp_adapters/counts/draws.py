"""Draws of rows: how often each row, or cell of rows, is there in a replicate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from biasamp_adapters._typing import Array

#: Numbers that one block of replicates may hold.
BLOCK = 2**21

#: Numbers that leaving out one row of each kind may take: a few seconds.
MOST_LEFT_OUT = 2**27

#: A draw by cells costs about as much as one of this many rows for each cell.
_ROWS_PER_CELL = 14


def batches(n_boot: int, block: int) -> Iterator[int]:
    """Sizes of the blocks that make up ``n_boot`` replicates."""
    for start in range(0, n_boot, block):
        yield min(block, n_boot - start)


def by_rows(n: Array) -> bool:
    """Whether rows are so few for their cells that they are better drawn one by one."""
    return bool(n.sum() < _ROWS_PER_CELL * len(n))


def resample(n: Array, size: Array, rng: np.random.Generator) -> Array:
    """How often each cell is drawn if rows are resampled, of shape (replicates, cells).

    Parameters
    ----------
    n : array of int, shape (cells,)
        Rows of each cell.
    size : array of int, shape (replicates,)
        Rows that each replicate draws.
    rng : numpy.random.Generator
    """
    if not by_rows(n):
        return rng.multinomial(size, n / n.sum())
    cell_of_row = np.repeat(np.arange(len(n)), n)
    drawn = cell_of_row[rng.integers(len(cell_of_row), size=int(size.sum()))]
    drawn += np.repeat(np.arange(len(size)) * len(n), size)
    return np.bincount(drawn, minlength=len(size) * len(n)).reshape(len(size), len(n))


def poisson(w: Array, w2: Array, size: int, rng: np.random.Generator) -> Array:
    """Sums of weights with mean ``w`` and variance ``w2``, never negative.

    A cell is taken for rows of one weight, w2 / w, of which a Poisson number is drawn: as if the
    number of rows were not fixed, which rates do not notice.
    """
    rows = np.divide(w**2, w2, out=np.zeros_like(w), where=w2 > 0)
    weight = np.divide(w2, w, out=np.zeros_like(w), where=w > 0)
    return rng.poisson(rows, (size, len(w))) * weight


def poisson_rows(n: Array, size: int, rng: np.random.Generator) -> Array:
    """Poisson numbers of mean ``n``, of shape (cells, replicates).

    Those of mean 1, which nearly all rows of label matrices have, are read from a table by 16
    random bits: several times cheaper than any other draw, and right to within 2^-16.
    """
    out = _poisson_table()[rng.integers(2**16, size=(len(n), size), dtype=np.uint16)]
    several = np.flatnonzero(n != 1)
    if len(several):
        drawn = rng.poisson(n[several, None], (len(several), size))
        # Numbers this large are not exact in the floats of the table.
        out = out if drawn.max() < 2**24 else out.astype(np.float64)
        out[several] = drawn
    return out


@cache
def _poisson_table() -> Array:
    """The Poisson number of mean 1 for each of 2^16 equally likely draws, as products want it."""
    chance = np.cumsum([1 / math.factorial(k) for k in range(12)]) / math.e
    return np.searchsorted(chance, (np.arange(2**16) + 0.5) / 2**16).astype(np.float32)
