"""Tables of what an attacker sees and guesses, and flips that make them as wrong as the model's.

Tables have the shape (..., inputs, targets). The labels of either axis are flipped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, PREDICTED, TASK, Array
from biasamp_adapters.counting.margins import Margins, accuracy_by_label, accuracy_of, divide, minus
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A, UNDIRECTED

#: Binomial numbers of a larger variance are quantiles of a corrected normal distribution.
_LARGE_VARIANCE = 25.0


@dataclass(frozen=True)
class Attack:
    """What an attacker sees and guesses, in the dataset and in the model's output.

    Attributes
    ----------
    data, model : (str, str)
        Input and target.
    flipped : str
        The true variable whose labels are flipped.
    kind : {"labels", "columns", "pairs"}
        Tables are of all labels, of each column of the target, or of each pair of indicators.
    is_equalized : bool
        Whether labels are flipped until they are as wrong as the model's.
    """

    data: tuple[str, str]
    model: tuple[str, str]
    flipped: str
    kind: str = "labels"
    is_equalized: bool = True

    @property
    def axis(self) -> int:
        """The axis of the table of the dataset that is flipped."""
        return -1 if self.flipped == self.data[1] else -2

    def tables(self, margins: Margins, roles: tuple[str, str]) -> Array:
        """Return tables of input and target, (batch, inputs, targets).

        Those of columns are (batch, columns, inputs, targets), and those of pairs (batch, groups,
        classes, inputs, targets).
        """
        if self.kind == "labels":
            return margins.joint(*roles, missing=True)
        if self.kind == "columns":
            return _column_tables(margins, *roles)
        return _pair_tables(margins, *roles)

    def accuracy(self, margins: Margins) -> Array:
        """Return the share of right predictions of what is flipped, for each table of a batch."""
        if self.kind == "pairs":
            accuracy = accuracy_by_label(margins, self.flipped, missing_is_wrong=False)
            return np.expand_dims(accuracy, 2 if self.flipped == ATTRIBUTE else 1)
        if margins.variable(self.flipped).is_matrix:
            return accuracy_by_label(margins, self.flipped)
        accuracy = accuracy_of(margins, self.flipped)
        return accuracy if self.kind == "columns" else accuracy[:, 0]

    def flip(self, margins: Margins, rng: np.random.Generator | None, n_trials: int = 1) -> Array:
        """Return tables of the dataset, made as wrong as the model; without rng in expectation."""
        table = self.tables(margins, self.data)
        if not self.is_equalized:
            return table
        accuracy = self.accuracy(margins)
        if rng is None:
            return expected_flips(table, accuracy, self.axis)
        unit = np.ones_like(table)
        if margins.rows.w is not None:
            unit = divide(self.tables(margins.squared, self.data), table, 0.0)
        return drawn_flips(np.repeat(table, n_trials, axis=0), accuracy, self.axis, rng, unit)


ATTACKS = {
    A_TO_T: Attack((ATTRIBUTE, TASK), (ATTRIBUTE, PREDICTED[TASK]), TASK),
    T_TO_A: Attack((TASK, ATTRIBUTE), (TASK, PREDICTED[ATTRIBUTE]), ATTRIBUTE),
    UNDIRECTED: Attack((TASK, ATTRIBUTE), (PREDICTED[TASK], ATTRIBUTE), TASK),
}


def _column_tables(margins: Margins, source: str, target: str) -> Array:
    """Return tables of each column of the target: no, yes and missing."""
    n_labels = len(margins.variable(target).labels)
    joint = margins.joint(source, target, missing=True)
    yes, missing = joint[..., :n_labels], joint[..., n_labels:]
    rows = margins.joint(source, ALL, missing=True)
    parts = [minus(rows, yes + missing.sum(axis=-1, keepdims=True)), yes]
    if missing.shape[-1]:
        parts.append(np.broadcast_to(missing, yes.shape))
    return np.stack(parts, axis=-1).swapaxes(-2, -3)


def _pair_tables(margins: Margins, source: str, target: str) -> Array:
    """Return 2 x 2 tables of all pairs of indicators; a missing value is a 0."""
    both = margins.joint(source, target)
    seen, guessed = margins.joint(source, ALL), margins.joint(ALL, target)
    only_seen, only_guessed = minus(seen, both), minus(guessed, both)
    neither = minus(margins.total, both + only_seen + only_guessed)
    rows = [np.stack([neither, only_guessed], -1), np.stack([only_seen, both], -1)]
    tables = np.stack(rows, axis=-2)
    return tables if source == ATTRIBUTE else tables.swapaxes(1, 2)


# Flips of labels.


def expected_flips(table: Array, accuracy: Array, axis: int) -> Array:
    """Return tables whose labels are kept with the chance ``accuracy``, in expectation."""
    n_labels = table.shape[axis]
    if n_labels == 1:
        return table
    stay = accuracy[..., None, None]
    wrong = (1 - stay) / (n_labels - 1)
    return wrong * table.sum(axis=axis, keepdims=True) + (stay - wrong) * table


def bias_of_expectation(
    table: Array, flipped: Array, accuracy: Array, axis: int, n_rows: float
) -> Array:
    """Return how much lower the cross-entropy of drawn tables is than that of the expected one.

    It is half of variance over expectation, added up over cells. Flips of the input also move the
    totals of the inputs, whose variance counts the other way.
    """
    n_labels = table.shape[axis]
    if n_labels == 1:
        return np.zeros(table.shape[:-2])
    stay = accuracy[..., None, None]
    move = (1 - stay) / (n_labels - 1)
    variance = (stay * (1 - stay) - move * (1 - move)) * table
    variance = variance + move * (1 - move) * table.sum(axis=axis, keepdims=True)
    bias = divide(variance, flipped, 0.0).sum(axis=(-2, -1))
    if axis == -2:
        bias = bias - divide(variance.sum(axis=-1), flipped.sum(axis=-1), 0.0).sum(axis=-1)
    return bias / (2 * n_rows)


def drawn_flips(
    table: Array, accuracy: Array, axis: int, rng: np.random.Generator, unit: Array
) -> Array:
    """Return tables whose labels are kept with the chance ``accuracy``, each drawn by itself.

    Parameters
    ----------
    table : ndarray of shape (..., inputs, targets)
    accuracy : ndarray of shape (...)
    axis : {-1, -2}
        Whether targets or inputs are flipped.
    unit : ndarray of the shape of ``table``
        The weight of one row of each cell.
    """
    if table.shape[axis] == 1:
        return table
    if axis == -2:
        flipped = drawn_flips(table.swapaxes(-1, -2), accuracy, -1, rng, unit.swapaxes(-1, -2))
        return flipped.swapaxes(-1, -2)
    # A cell of weight w has whole rows, which together weigh w exactly.
    rows = np.where(table > 0, np.maximum(np.rint(divide(table, unit, 0.0)), 1), 0)
    unit, n_labels = divide(table, rows, 0.0), table.shape[-1]
    wrong = np.clip(np.broadcast_to(1 - accuracy, table.shape[:-2]), 0, 1)
    # To take a wrong label is to draw any label, the old one included, somewhat more often.
    redrawn = wrong * n_labels / (n_labels - 1)
    taken = binomial(rows, np.minimum(redrawn, 1)[..., None, None], rng)
    returned = spread_evenly(taken.sum(axis=-1), n_labels, rng)
    weight = (taken * unit).sum(axis=-1, keepdims=True)
    mean = divide(weight, taken.sum(axis=-1, keepdims=True), 0.0)
    flipped = (rows - taken) * unit + returned * mean
    for place in map(tuple, np.argwhere(redrawn > 1)):
        flipped[place] = _flip_below_chance(rows[place], unit[place], wrong[place], rng)
    return flipped


def _flip_below_chance(rows: Array, unit: Array, wrong: float, rng: np.random.Generator) -> Array:
    """Return one table whose moved rows take another label: row by row where labels are many."""
    moved, n_labels = binomial(rows, wrong, rng), rows.shape[-1]
    flipped = (rows - moved) * unit
    if moved.sum() < moved.size * n_labels:
        cell = np.repeat(np.arange(moved.size), moved.ravel().astype(np.int64))
        label = (cell + rng.integers(1, n_labels, len(cell))) % n_labels
        taken = np.bincount(cell - cell % n_labels + label, unit.ravel()[cell], moved.size)
        return flipped + taken.reshape(moved.shape)
    for distance in range(1, n_labels):
        left = n_labels - distance
        part = binomial(moved, 1 / left, rng) if left > 1 else moved
        flipped += np.roll(part * unit, distance, axis=-1)
        moved = moved - part
    return flipped


def spread_evenly(n: Array, n_labels: int, rng: np.random.Generator) -> Array:
    """Return multinomial numbers of labels that are equally likely, (..., labels)."""
    left, parts = n, []
    for remaining in range(n_labels, 1, -1):
        parts.append(binomial(left, 1 / remaining, rng))
        left = left - parts[-1]
    return np.stack([*parts, left], axis=-1)


def binomial(n: Array, p: Array | float, rng: np.random.Generator) -> Array:
    """Return binomial numbers that are quantiles of uniform numbers.

    Models that err nearly as often then flip nearly the same labels with the same seed, and their
    difference has little of the noise of flips.
    """
    p = np.broadcast_to(p, n.shape)
    uniform, variance = rng.random(n.shape), n * p * (1 - p)
    numbers = np.where(p >= 1, n, 0.0)
    is_large = variance >= _LARGE_VARIANCE
    is_small = (variance > 0) & ~is_large
    numbers[is_large] = _large_quantile(
        uniform[is_large], n[is_large], p[is_large], variance[is_large]
    )
    numbers[is_small] = _small_quantile(uniform[is_small], n[is_small], p[is_small])
    return numbers


def _large_quantile(uniform: Array, n: Array, p: Array, variance: Array) -> Array:
    """Return quantiles by the expansion of Cornish and Fisher, within some 1e-4 of the chance."""
    z, spread = ndtri(uniform), np.sqrt(variance + 1 / 12)
    skew = (1 - 2 * p) / spread
    curvature = (1 - 6 * p * (1 - p)) / spread**2
    square = z**2
    corrected = z * (1 + curvature * (square - 3) / 24 - skew**2 * (2 * square - 5) / 36)
    corrected += skew * (square - 1) / 6
    return np.clip(np.rint(n * p + spread * corrected), 0, n)


def _small_quantile(uniform: Array, n: Array, p: Array) -> Array:
    """Return quantiles by adding up chances from 0 on; of p above 1/2 from the other end.

    Those of scipy.stats took four times as long, and 40 % of the time of an audit of a matrix.
    """
    is_high = p > 0.5
    p, uniform = np.where(is_high, 1 - p, p), np.where(is_high, 1 - uniform, uniform)
    k, chance, odds = np.zeros(n.shape), (1 - p) ** n, p / (1 - p)
    left = uniform - chance
    open_ = np.flatnonzero(left > 0)
    while len(open_):
        chance[open_] *= (n[open_] - k[open_]) / (k[open_] + 1) * odds[open_]
        k[open_] += 1
        left[open_] -= chance[open_]
        open_ = open_[(left[open_] > 0) & (k[open_] < n[open_])]
    return np.where(is_high, n - k, k)
