"""How far the gaps of a reference are from those of the truth that is evaluated.

With a reference, predictions are still compared with the evaluated truth, and the reference gives
directions alone. Where its gaps are other ones, a value does not say what a model made of those
that it learned from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._text import number
from biasamp_adapters._typing import Array, Row
from biasamp_adapters.auditing.group_rates import MOST_TASKS
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import show, task_in_words
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.bands import simultaneous
from biasamp_adapters.inference.estimates import NOT_DRAWN, Estimate, side_of_zero
from biasamp_adapters.inference.replicates import BlockDraws, Scored
from biasamp_adapters.metrics.means import rate
from biasamp_adapters.metrics.plain import numbers
from biasamp_adapters.metrics.result import percent

#: Most gaps that are drawn: those that differ most.
_MOST_GAPS = 500

#: A rate is compared where so many rows with the task, and as many without, are expected.
_FEWEST_EXPECTED = 5


class Gaps(NamedTuple):
    """Pairs of groups, with a task each.

    Attributes
    ----------
    group, other, column : ndarray of int
        Positions of the two groups, and of the task among those that are evaluated.
    family : int
        How many pairs these were selected from.
    """

    group: Array
    other: Array
    column: Array
    family: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Drift(Scored):
    """Gaps between groups in the evaluated truth less those in the reference.

    Attributes
    ----------
    columns : ndarray of int
        Positions of the tasks.
    """

    columns: Array

    reads_reference = True

    @property
    def measured(self) -> bool:
        """Whether there are a reference of its own and a truth."""
        evaluation = self.evaluation
        return evaluation.reference is not None and evaluation.counts.has(Role.TASK)

    @property
    def width(self) -> int:
        counts = self.evaluation.counts
        return max(len(counts.groups) * len(counts.labels), _MOST_GAPS)

    @property
    def reference(self) -> Counts:
        """The reference; an error where there is none."""
        if self.evaluation.reference is None:
            raise ValueError("drift needs a reference of its own; received none")
        return self.evaluation.reference

    def rates(self, tables: Tables) -> Array:
        """Share of each group that has each task, of shape (..., groups, columns)."""
        rows = tables.marginal(Role.ATTRIBUTE)[..., :, None]
        return rate(tables.joint(Role.ATTRIBUTE, Role.TASK), rows)[..., self.columns]

    @cached_property
    def known(self) -> tuple[Array, Array]:
        """The rates of the truth and of the reference, each of shape (groups, columns)."""
        return self.rates(self.evaluation.counts.tables()), self.rates(self.reference.tables())

    @cached_property
    def _rows(self) -> tuple[Array, Array]:
        """The rows of each group in the truth and in the reference, each of shape (groups, 1)."""
        truth, reference = (
            counts.unweighted().tables().marginal(Role.ATTRIBUTE)[:, None]
            for counts in (self.evaluation.counts, self.reference)
        )
        return truth, reference

    @cached_property
    def _pooled(self) -> Array:
        """The rates of truth and reference together, of shape (groups, columns)."""
        truth, reference = map(np.nan_to_num, self.known)
        n_truth, n_reference = self._rows
        return rate(truth * n_truth + reference * n_reference, n_truth + n_reference)

    def _enough_rows(self) -> Array:
        """Which rates have rows enough on both sides, of shape (groups, columns)."""
        least = np.minimum(*self._rows) * np.minimum(self._pooled, 1 - self._pooled)
        return np.asarray(least >= _FEWEST_EXPECTED)

    def _widening(self) -> Array:
        """How much larger the standard deviation of each gap is if rates are pooled, at least 1.

        Of many gaps, those whose rates are extreme by chance on one side seem the most certain, and
        are found clear. Without drift both sides have one rate, whose variance is that of both.
        """
        group, other, column, _ = self.gaps
        pooled = sum(self._pooled * (1 - self._pooled) / n for n in self._rows)
        apart = sum(part * (1 - part) / n for part, n in zip(self.known, self._rows, strict=True))
        alike, single = (part[group, column] + part[other, column] for part in (pooled, apart))
        return np.sqrt(np.fmax(rate(alike, single), 1))

    @cached_property
    def gaps(self) -> Gaps:
        """The pairs of groups whose gaps differ most, the farthest first."""
        shift = np.where(self._enough_rows(), self.known[0] - self.known[1], np.nan)
        group, other = np.triu_indices(len(shift), 1)
        distance = np.abs(shift[group] - shift[other])
        order = np.argsort(-distance, axis=None, kind="stable")
        family = int((~np.isnan(distance)).sum())
        pair, column = np.unravel_index(order[: min(family, _MOST_GAPS)], distance.shape)
        return Gaps(group[pair], other[pair], column, family)

    def scores(
        self, tables: Tables, reference: Tables | None, draws: BlockDraws
    ) -> dict[str, Array]:
        """How much larger each gap is in the truth."""
        origin = self.reference.tables() if reference is None else reference
        shift, gaps = self.rates(tables) - self.rates(origin), self.gaps
        shifts = (shift[..., group, gaps.column] for group in (gaps.group, gaps.other))
        return {"drift": np.subtract(*shifts)}

    def estimates(
        self, replicates: Array | None, confidence: float, reason: str | None
    ) -> list[Estimate]:
        """The differences of the gaps, with intervals that hold for all of them at once.

        Without replicates, a ``reason`` says why there are none.
        """
        values = self.point()["drift"]
        if replicates is None:
            return [Estimate(value, None, reason or NOT_DRAWN) for value in values.tolist()]
        compared = len({*self.gaps.group.tolist(), *self.gaps.other.tolist()})
        return simultaneous(
            values,
            replicates,
            confidence,
            self.gaps.family,
            widening=self._widening(),
            groups=compared or None,
        )

    def rows(
        self, replicates: Array | None, reason: str | None, confidence: float
    ) -> Iterator[Row]:
        """For each task the pair of groups whose gap differs most, the clearest tasks first."""
        differences = self.estimates(replicates, confidence, reason)
        order = sorted(range(len(differences)), key=lambda i: -_clearness(differences[i]))
        seen = set[int]()
        for i in order:
            column = int(self.gaps.column[i])
            if column in seen or len(seen) == MOST_TASKS:
                continue
            seen.add(column)
            yield self._row(i, differences[i])

    def _row(self, i: int, difference: Estimate) -> Row:
        gaps, counts = self.gaps, self.evaluation.counts
        column = gaps.column[i]
        truth, reference = self.known
        first, second = int(gaps.group[i]), int(gaps.other[i])
        if reference[first, column] < reference[second, column]:
            # The reference's gap is not negative, so that its sign can be read.
            first, second = second, first
            interval = difference.interval
            turned = None if interval is None else (-interval[1], -interval[0])
            difference = Estimate(-difference.value, turned, difference.reason)
        sides = {
            name: {"group": float(rates[first, column]), "other": float(rates[second, column])}
            for name, rates in (("reference", reference), ("truth", truth))
        }
        return {
            "task": show(counts.labels[self.columns[column]]),
            "group": show(counts.groups[first]),
            "other": show(counts.groups[second]),
            **{
                name: {**side, "gap": side["group"] - side["other"]} for name, side in sides.items()
            },
            **numbers(difference),
        }


def _clearness(difference: Estimate) -> float:
    """How far an interval is from 0 or, below 0, how far it reaches beyond."""
    if difference.interval is None:
        return abs(difference.value)
    low, high = difference.interval
    return max(low, -high)


def in_words(
    rows: Sequence[Row],
    confidence: float,
    name: str | None,
    is_column: bool,
    *,
    briefly: bool = False,
) -> Iterator[str]:
    """What to know of the row whose gaps differ most, if they clearly do or nothing was drawn.

    Parameters
    ----------
    rows : list of dict
    confidence : float
    name : str or None
        The name of the task.
    is_column : bool
        Whether tasks are columns.
    briefly : bool
        Whether to give the two gaps only, without their rates and an interval.
    """
    for row in rows[:1]:
        clearly, interval = "", ""
        if row["low"] is not None:
            if not side_of_zero((row["low"], row["high"])):
                return
            clearly = " clearly"
            ends = " to ".join(_points(row[end]) for end in ("low", "high"))
            interval = f" ({percent(confidence)} interval for all pairs {ends})"
        elif not row["value"]:
            return
        reference, truth = (_gap(row[side], rates=not briefly) for side in ("reference", "truth"))
        task = task_in_words(row["task"], name, is_column=is_column)
        sentence = (
            f"Reference and evaluated truth differ{clearly}: the gap between {row['group']} and "
            f"{row['other']} in {task} is {reference} in the reference and {truth} in the truth"
        )
        if briefly:
            yield f"{sentence}."
            return
        yield (
            f"{sentence}, a difference of {_points(row['value'])} points{interval}. Predictions "
            "are compared with the evaluated truth, not with what the model learned from."
        )


def _points(change: float) -> str:
    return number(100 * change, 1)


def _gap(side: Row, *, rates: bool) -> str:
    gap = f"{number(100 * side['gap'], 1, '')} points"
    return f"{gap} ({side['group']:.1%} against {side['other']:.1%})" if rates else gap
