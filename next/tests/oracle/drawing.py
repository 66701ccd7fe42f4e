"""Random labels, matrices and weights, from which the cases are composed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any

FEWEST_ROWS, MOST_ROWS = 10, 3000


class Draws:
    """Random numbers of one case.

    A RandomState is used because numpy guarantees that its numbers never change; those of a
    Generator may differ between versions, and stored values would then belong to other data.
    """

    def __init__(self, *seeds: int) -> None:
        self._random = np.random.RandomState(seeds)

    def chance(self, share: float) -> bool:
        """Return True in this share of the calls."""
        return bool(self._random.random_sample() < share)

    def whole(self, lowest: int, highest: int) -> int:
        """Return a whole number from the lowest to the highest."""
        return lowest + int(self._random.random_sample() * (highest - lowest + 1))

    def choose(self, options: Sequence[Any]) -> Any:
        """Return one of the options."""
        return options[self.whole(0, len(options) - 1)]

    def uniform(self, *shape: int) -> Array:
        """Return numbers between 0 and 1."""
        return self._random.random_sample(shape)

    def shuffled(self, values: Sequence[Any]) -> list[Any]:
        """Return the values in another order."""
        return [values[i] for i in np.argsort(self.uniform(len(values)))]

    def n_rows(self) -> int:
        """Return a number of rows; small numbers are as frequent as large ones."""
        span = np.log(MOST_ROWS / FEWEST_ROWS)
        return round(FEWEST_ROWS * float(np.exp(span * self._random.random_sample())))

    def n_labels(self, n_rows: int, most: int = 30) -> int:
        """Return a number of classes or groups: mostly few, and never more than half the rows."""
        highest = self.choose([2, 2, 2, 3, 4, 5, 8, most])
        return min(self.whole(2, max(highest, 2)), max(n_rows // 3, 2), most)

    def codes(self, chances: Array) -> Array:
        """Return one code for each row of chances, of shape (rows, labels)."""
        ends = np.cumsum(chances, axis=1)
        drawn = self.uniform(len(ends), 1) * ends[:, -1:]
        return (drawn >= ends[:, :-1]).sum(axis=1)

    def rates(self, n_given: int, n_labels: int) -> Array:
        """Return chances of labels given others, which depend on these to a random degree."""
        strength = self.choose([0.0, 0.3, 1.0, 2.0])
        base = self.uniform(1, n_labels) + 0.05
        rates = base * np.exp(strength * (2 * self.uniform(n_given, n_labels) - 1))
        return rates / rates.sum(axis=1, keepdims=True)

    def groups(self, n_rows: int, n_groups: int) -> Array:
        """Return group codes, with rows of at least two groups."""
        shares = (self.uniform(1, n_groups) + self.choose([0.02, 0.3, 2.0])) ** 2
        codes = self.codes(np.repeat(shares, n_rows, axis=0))
        codes[:2] = 0, 1
        return codes

    def classes(self, groups: Array, n_classes: int) -> Array:
        """Return class codes that depend on the groups, with rows of at least two classes."""
        codes = self.codes(self.rates(int(groups.max()) + 1, n_classes)[groups])
        codes[-2:] = 0, 1
        return codes

    def guesses(self, truth: Array, given: Array, n_labels: int) -> Array:
        """Return predictions of codes: some right, the others drawn by what is given.

        Labels that no row of the truth has are never predicted.
        """
        accuracy = self.choose([0.2, 0.5, 0.7, 0.9, 1.0])
        wrong = self.codes(self.rates(int(given.max()) + 1, n_labels)[given])
        guesses = np.where(self.uniform(len(truth)) < accuracy, truth, wrong)
        return np.where(np.isin(guesses, truth), guesses, truth)

    def columns(self, given: Array, n_columns: int) -> Array:
        """Return a matrix of 0 and 1 whose rates depend on what is given."""
        rates = self.rates(int(given.max()) + 1, n_columns)
        rates = np.clip(rates * n_columns * self.choose([0.1, 0.3, 0.5]), 0, 0.95)
        return (self.uniform(len(given), n_columns) < rates[given]).astype(np.int64)

    def guessed_columns(self, truth: Array, given: Array) -> Array:
        """Return predictions of a matrix, with errors that depend on what is given."""
        share = self.choose([0.0, 0.1, 0.3])
        others = self.columns(given, truth.shape[1])
        return np.where(self.uniform(*truth.shape) < share, others, truth)

    def label_list(self, n_labels: int) -> list[Any]:
        """Return labels: text, whole numbers, or booleans of two."""
        kinds = ["text", "text", "numbers", "numbers", "spread", "floats"]
        if n_labels == 2:
            kinds += ["numbers", "numbers", "booleans", "signed"]
        kind = self.choose(kinds)
        if kind == "text":
            return [f"{self.choose('abcxyz')}{i:02d}" for i in range(n_labels)]
        if kind == "booleans":
            return [False, True]
        if kind == "signed":
            return [-1, 1]
        if kind == "spread":
            return [3 + 7 * i for i in range(n_labels)]
        if kind == "floats":
            return [float(i) for i in range(n_labels)]
        return list(range(n_labels))

    def weights(self, n_rows: int, share: float = 0.3) -> Array | None:
        """Return sampling weights, or None for most cases."""
        if not self.chance(share):
            return None
        kind = self.choose(["whole", "few", "real", "zeros", "real with zeros"])
        weights = 0.1 + 3 * self.uniform(n_rows)
        if kind == "few":
            weights = np.array([0.5, 1.0, 2.5])[(weights % 3).astype(int)]
        if kind in ("whole", "zeros"):
            weights = np.ceil(weights).astype(np.int64)
        if kind.endswith("zeros"):
            weights = np.where(self.uniform(n_rows) < 0.15, 0, weights)
            weights[:2] = weights[-2:] = 1
        return weights

    def clusters(self, n_rows: int, share: float = 0.15) -> Array | None:
        """Return the names of clusters, or None for most cases."""
        if not self.chance(share):
            return None
        numbers = (self.uniform(n_rows) * max(n_rows // self.whole(2, 6), 2)).astype(np.int64)
        return numbers if self.chance(0.5) else np.array([f"person {i}" for i in numbers])

    def with_missing(self, values: Array, share: float) -> Array:
        """Return values of which some are missing: None or, of numbers, NaN."""
        missing = self.uniform(len(values)) < share
        missing[:2] = missing[-2:] = False
        if values.ndim == 2:
            return np.where(missing[:, None], np.nan, values)
        if values.dtype.kind in "if" and self.chance(0.5):
            return np.where(missing, np.nan, values)
        column = values.astype(object)
        column[missing] = None
        return column
