"""Probabilities of one step, merged into their mean where each would make a cell of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label, as_float, is_real
from biasamp_adapters.counts.rows import Rows, runs

#: With more cells than this, rows of different weights are no longer kept apart, and probabilities
#: are merged.
MOST_CELLS = 2**17

#: Widths of the steps within which probabilities are merged. Each divides the next, so that what is
#: merged in one step is never split by a wider one.
STEPS = (0.001, 0.01, 0.1)

#: Three decimals times 1,000 may be slightly less than whole, and must not be in the bin below.
ROUNDING = 1e-9


def fit(n_cells: int) -> bool:
    """Whether this many cells may stay as they are."""
    return n_cells <= MOST_CELLS


def next_step(step: float | None) -> float | None:
    """The first step that is wider, or None after the last."""
    return next((wider for wider in STEPS if step is None or wider > step), None)


def strictly_between(labels: Sequence[Label]) -> Array | None:
    """The labels that lie strictly between 0 and 1, NaN for others; None unless all are numbers."""
    numbers = np.array(labels)
    if numbers.dtype.kind not in "biuf":
        if not all(map(is_real, labels)):
            return None
        numbers = np.array([as_float(label) for label in labels])
    return np.where((numbers > 0) & (numbers < 1), numbers.astype(np.float64), np.nan)


def binned(codes: Array, numbers: Array, step: float) -> Array:
    """Codes that are the same for probabilities of one step; those of labels do not change.

    Parameters
    ----------
    codes : array of int
        -1 where missing.
    numbers : array of float
        The probability that each code stands for, strictly between 0 and 1; NaN for labels.
    step : float
    """
    in_bins = np.where(np.isnan(numbers), np.arange(len(numbers)), len(numbers))
    is_split = ~np.isnan(numbers)
    in_bins[is_split] += _bins(numbers[is_split], step)
    return np.append(in_bins, -1)[codes]


def lower_ends(numbers: Array, step: float) -> Array:
    """The least number of the step in which each probability lies."""
    return np.round(_bins(numbers, step) * step, 3)


def _bins(numbers: Array, step: float) -> Array:
    narrow = np.floor(numbers / STEPS[0] + ROUNDING).astype(np.int64)
    # What is rounded to 1 is in the last bin: 1 itself is a label.
    return np.minimum(narrow, round(1 / STEPS[0]) - 1) // round(step / STEPS[0])


def means(numbers: Array, weight: Array, starts: Array) -> Array:
    """Weighted means of adjacent numbers; NaN where these are NaN.

    Parameters
    ----------
    numbers, weight : arrays of shape (rows,)
    starts : array of int, shape (cells,)
        The first row of each cell.
    """
    least = np.minimum.reduceat(numbers, starts)
    # The sum of small differences loses fewer digits.
    beyond = weight * (numbers - np.repeat(least, np.diff(starts, append=len(numbers))))
    total = np.add.reduceat(weight, starts)
    mean = least + np.add.reduceat(beyond, starts) / np.where(total > 0, total, 1)
    return np.minimum(mean, np.maximum.reduceat(numbers, starts))


def rows_in_steps(
    rows: Rows, levels: Array, n_labels: int, step: float | None = None
) -> tuple[Rows, Array, float | None]:
    """Rows whose probabilities are merged until they fit, or as far as that is possible.

    Parameters
    ----------
    rows : Rows
    levels : array
        The probabilities that codes of predictions stand for.
    n_labels : int
        Labels, whose codes come before these and before that of the abstention.
    step : float, optional
        Width of the steps in which some of the rows were merged before.

    Returns
    -------
    rows, levels, step
    """
    if rows.soft:
        return rows, levels, step
    if step is not None:
        rows, levels = _merged(rows, levels, n_labels, step)
    while len(levels) and not fit(len(rows)) and (wider := next_step(step)):
        step = wider
        rows, levels = _merged(rows, levels, n_labels, step)
    return rows, levels, step


def _merged(rows: Rows, levels: Array, n_labels: int, step: float) -> tuple[Rows, Array]:
    numbers = np.concatenate([np.full(n_labels + 1, np.nan), levels])
    soft = {axis: codes for axis, codes in rows.codes.items() if axis.role == Role.PREDICTION}
    in_bins = {axis: binned(codes, numbers, step) for axis, codes in soft.items()}
    coarse = replace(rows, codes={**rows.codes, **in_bins})
    order, starts = runs(coarse.keys())
    mean_of = {
        axis: means(numbers[codes[order]], rows.weight[order], starts)
        for axis, codes in soft.items()
    }
    kept = np.unique(np.concatenate([mean[~np.isnan(mean)] for mean in mean_of.values()]))
    codes = {
        axis: np.where(
            np.isnan(mean), soft[axis][order[starts]], n_labels + 1 + np.searchsorted(kept, mean)
        ).astype(np.int32)
        for axis, mean in mean_of.items()
    }
    merged = coarse.merged()
    return replace(merged, codes={**merged.codes, **codes}).merged(), kept
