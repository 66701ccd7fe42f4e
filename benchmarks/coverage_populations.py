"""Populations whose values are known exactly, and samples of their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import biasamp_adapters as bam

Array = NDArray[Any]


class Population(ABC):
    """A population, its counts, and samples of its rows."""

    @abstractmethod
    def counts(self) -> Any:
        """Counts of all of it."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> dict[str, Any]:
        """Rows drawn independently, as arguments of the counts."""

    @abstractmethod
    def count(self, rows: dict[str, Any]) -> Any:
        """Counts of rows of a sample."""

    @property
    @abstractmethod
    def single_label(self) -> bool:
        """Whether a row has one label."""

    @property
    @abstractmethod
    def sets(self) -> dict[str, Any]:
        """Which label sets Multi is about."""

    def metrics(self) -> dict[str, Any]:
        """The metrics that are looked at, by the names of the tables."""
        both = ("A->T", "T->A")
        out: dict[str, Any] = {"MALS": bam.MALS()}
        for way in both:
            out[f"BA {way}"] = bam.DirectionalBiasAmplification(direction=way)
        for way in both:
            out[f"Multi {way}"] = bam.MultiAttributeBiasAmplification(direction=way, **self.sets)
        for quality, name in (("inverse_cross_entropy", "1/CE"), ("accuracy", "accuracy")):
            # An attacker that sees a label matrix is fitted, and has no interval.
            for way in both if self.single_label else both[:1]:
                out[f"DPA {way} {name}"] = bam.DirectionalPredictabilityAmplification(
                    direction=way, quality=quality
                )
            if self.single_label:
                out[f"LA {name}"] = bam.LeakageAmplification(quality=quality)
        return out


@dataclass(frozen=True)
class TablePopulation(Population):
    """A table of people over (group, task, named group, predicted task, stratum).

    Attributes
    ----------
    table : ndarray of int64
    inclusion : ndarray of float, shape (strata,)
        How likely a person of each stratum is to be drawn, relative to others. Its inverse is the
        weight of a row; if all are equal, there are no weights.
    groups : tuple
        Their names; tuples where attributes are crossed.
    by_weight : bool
        Whether rows of different weights are kept apart.
    """

    table: Array
    groups: tuple[Any, ...]
    inclusion: Array
    by_weight: bool = True

    @property
    def single_label(self) -> bool:
        """Always."""
        return True

    @property
    def sets(self) -> dict[str, Any]:
        """The labels themselves."""
        return {}

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return len(self.inclusion) > 1

    def _arrays(self, cells: tuple[Array, ...]) -> dict[str, Any]:
        group, task, named, predicted, stratum = cells
        people = np.array(self.groups)
        rows = {
            "y_true": task,
            "y_pred": predicted,
            "sensitive_features": people[group],
            "sensitive_features_pred": people[named],
        }
        if self.weighted:
            rows["sample_weight"] = 1 / self.inclusion[stratum]
        return rows

    def counts(self) -> bam.JointCounts:
        """Counts of all people, as whole numbers."""
        cells = np.nonzero(self.table)
        rows = self._arrays(cells) | {"sample_weight": self.table[cells].astype(float)}
        return bam.JointCounts.from_arrays(**rows).as_frequencies()

    def sample(self, n: int, rng: np.random.Generator) -> dict[str, Any]:
        """Rows of people, drawn with the probabilities of their strata."""
        chance = (self.table * self.inclusion).ravel()
        drawn = rng.multinomial(n, chance / chance.sum())
        cells = np.repeat(np.arange(drawn.size), drawn)
        return self._arrays(np.unravel_index(cells, self.table.shape))

    def count(self, rows: dict[str, Any]) -> bam.JointCounts:
        """The table of the sample."""
        return bam.JointCounts.from_arrays(**rows, by_weight=self.by_weight and self.weighted)


@dataclass(frozen=True)
class PairPopulation(TablePopulation):
    """The same with the predicted task of a second model in the place of the strata."""

    @property
    def weighted(self) -> bool:
        """Never: the last axis is no stratum."""
        return False

    def metrics(self) -> dict[str, Any]:
        """Those that read the predicted task, of which there are two."""
        return {name: metric for name, metric in super().metrics().items() if "T->A" not in name}

    def _arrays(self, cells: tuple[Array, ...]) -> dict[str, Any]:
        rows, second = super()._arrays(cells), cells[-1]
        named = rows["sensitive_features_pred"]
        return rows | {
            "y_pred": {"first": rows["y_pred"], "second": second},
            "sensitive_features_pred": {"first": named, "second": named},
        }


@dataclass(frozen=True)
class MatrixPopulation(Population):
    """Images with many labels, and a group each.

    Attributes
    ----------
    rows : dict of str to array
        The images themselves: all there are.
    largest_set : int
        Labels of the largest sets that Multi looks at.
    """

    rows: dict[str, Array]
    largest_set: int

    @property
    def single_label(self) -> bool:
        """Never."""
        return False

    @property
    def sets(self) -> dict[str, Any]:
        """All label sets that are not too large."""
        return {"combinations": "subsets", "max_size": self.largest_set}

    def counts(self) -> bam.CooccurrenceCounts:
        """Counts of all images."""
        return bam.CooccurrenceCounts.from_arrays(**self.rows, keep_rows=True)

    def sample(self, n: int, rng: np.random.Generator) -> dict[str, Any]:
        """Images drawn independently, with replacement."""
        chosen = rng.integers(len(self.rows["y_true"]), size=n)
        return {name: values[chosen] for name, values in self.rows.items()}

    def count(self, rows: dict[str, Any]) -> bam.CooccurrenceCounts:
        """Co-occurrences, with the rows."""
        return bam.CooccurrenceCounts.from_arrays(**rows, keep_rows=True)

    def count_moments(self, rows: dict[str, Any]) -> bam.CooccurrenceCounts:
        """Co-occurrences with what is drawn without rows."""
        return bam.CooccurrenceCounts.from_arrays(**rows, second_moments=True)
