"""Populations whose amplification is known exactly, and tables of counts drawn from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import biasamp_adapters as bam

Array = NDArray[np.float64]

#: How much of the dependence is in the truth, and how many rows the model gets wrong or guesses.
_DEPENDENCE, _GUESSED = 0.3, 0.2

#: Larger tables take minutes each.
_MAX_ROWS = {"DPA": 20_000, "LA": 10_000}


@dataclass(frozen=True)
class Design:
    """One population, and how many rows are drawn from it.

    Attributes
    ----------
    metric : {"DPA", "LA"}
        DPA A->T: the groups are the values that the attacker sees, the tasks the classes it
        guesses. DPA T->A is the same with the names changed. LA: the tasks are the values.
    truth : {"independent", "amplified"}
        The value tells nothing of class, prediction or error, so there is nothing to amplify; or
        each value has a favoured class, which the model favours more.
    sizes : {"even", "uneven"}
        Whether all values and all classes are equally frequent.
    values, classes, rows : int
        Values of what the attacker sees, classes of what it guesses, mean rows per value.
    """

    metric: Literal["DPA", "LA"]
    truth: Literal["independent", "amplified"]
    sizes: Literal["even", "uneven"]
    values: int
    classes: int
    rows: int

    @property
    def favoured(self) -> NDArray[np.bool_]:
        """Which class each value favours, of shape (values, classes)."""
        return np.equal.outer(np.arange(self.values) % self.classes, np.arange(self.classes))

    @property
    def truth_table(self) -> Array:
        """P(value, class)."""
        uneven = self.sizes == "uneven"
        value = np.arange(1.0, self.values + 1) ** (-0.7 * uneven)
        class_ = np.array([0.9, 0.1]) if uneven else np.ones(2)
        if self.classes > 2:
            class_ = np.arange(1.0, self.classes + 1) ** (-1.0 * uneven)
        value, class_ = value / value.sum(), class_ / class_.sum()
        strength = _DEPENDENCE * (self.truth == "amplified")
        joint: Array = value[:, None] * ((1 - strength) * class_ + strength * self.favoured)
        return joint

    @property
    def population(self) -> Array:
        """P(group, task, predicted task)."""
        joint = self.truth_table if self.metric == "DPA" else self.truth_table.T
        favoured = self.favoured if self.metric == "DPA" else self.favoured.T
        tasks = joint.shape[1]
        same = np.eye(tasks)
        if self.truth == "independent":
            guess = (1 - same)[None] / (tasks - 1)
        else:
            # With more classes than values, no value favours some classes: any guess is allowed.
            liked = np.where(favoured.any(axis=1, keepdims=True), favoured, 1)
            guess = (liked / liked.sum(axis=1, keepdims=True))[:, None, :]
        full: Array = joint[:, :, None] * ((1 - _GUESSED) * same + _GUESSED * guess)
        return full

    def draw(self, rng: np.random.Generator) -> bam.JointCounts:
        """Counts of rows drawn from the population."""
        population = self.population
        n = rng.multinomial(self.values * self.rows, population.ravel() / population.sum())
        cells = np.unravel_index(np.repeat(np.arange(n.size), n), population.shape)
        group, task, predicted = cells
        labels, groups = list(range(population.shape[1])), list(range(population.shape[0]))
        return bam.JointCounts.from_arrays(task, predicted, group, labels=labels, groups=groups)

    def exact(self, quality: str) -> dict[str, float]:
        """What an infinite sample gives: both levels, and DPA or LA as ratio and difference."""
        population = self.population
        tasks = population.shape[1]
        accuracy = np.einsum("att->", population)
        channel = np.full((tasks, tasks), (1 - accuracy) / (tasks - 1))
        np.fill_diagonal(channel, accuracy)
        dataset, model = population.sum(axis=2) @ channel, population.sum(axis=1)
        if self.metric == "LA":
            dataset, model = dataset.T, model.T
        of = bam.get_quality(quality)
        # A table that is independent up to rounding is independent.
        scores = [np.round(of.score(table, None), 12) for table in (dataset, model)]
        return {
            "psi_dataset": float(of.level(scores[0])),
            "psi_model": float(of.level(scores[1])),
            "ratio": float(of.relative_change(*scores)),
            "difference": float(of.absolute_change(*scores)),
        }


#: The case that made the expected channel suspect: 2,000 rows, and nothing to amplify.
KNOWN_CASE = Design("DPA", "independent", "even", 200, 2, 10)


def designs(quick: bool) -> Iterator[Design]:
    """All combinations of even sizes, some of uneven ones, and the known case."""
    truths, rows = ["independent", "amplified"], (5, 20, 50, 100, 200, 500)
    limit = {"DPA": 2_000, "LA": 1_000} if quick else _MAX_ROWS
    grids = [
        product(["DPA"], truths, ["even"], (2, 20, 200), (2, 10, 20), rows),
        product(["DPA"], truths, ["uneven"], (20, 200), (2, 10), rows[1:5]),
        product(["LA"], truths, ["even"], (2, 20, 200), (2, 10), rows[:5]),
    ]
    yield KNOWN_CASE
    for grid in grids:
        for design in (Design(*each) for each in grid):
            if design.values * design.rows <= limit[design.metric]:
                yield design
