"""A column of a frame in one stratum: its numbers in the data and in draws, and their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import ATTRIBUTE, Array, Label, name_list, show
from biasamp_adapters.counting.margins import mean_over_classes
from biasamp_adapters.fairlearn.host_functions import HostMeasurement
from biasamp_adapters.inference.bands import simultaneous_bands
from biasamp_adapters.inference.intervals import FEW_ROWS, Estimate, Trust, estimate
from biasamp_adapters.inference.largest import Largest, largest_gap
from biasamp_adapters.result import Measurement

_FEW = words.FEW_OF_A_KIND.format(have="", n=FEW_ROWS, unit="rows").strip()


@dataclass(frozen=True, eq=False)
class Column:
    """A metric in one stratum.

    Attributes
    ----------
    name : object
    measurement : Measurement
    scores : dict of str to ndarray
        Replicates: "value", (n_boot,), and "groups", (n_boot, groups). Empty if none were drawn.
    groups : sequence of labels
        Those that have rows in the stratum.
    rows : ndarray of int, shape (groups,)
    confidence : float
        The level at which intervals are judged; all have it or a lower one.
    """

    name: object
    measurement: Measurement
    scores: dict[str, Array]
    groups: Sequence[Label]
    rows: Array
    confidence: float

    @property
    def is_rate(self) -> bool:
        """Whether the numbers are known to be shares of rows."""
        return isinstance(self.measurement, HostMeasurement) and self.measurement.rate is not None

    @property
    def has_sign(self) -> bool:
        """Whether the numbers may lie below 0 by their definition, and so have no ratio."""
        is_ours = not isinstance(self.measurement, HostMeasurement)
        return is_ours and self.measurement.metric.short != "Multi"

    @cached_property
    def values(self) -> Array:
        """The number of all rows: that of the data, and then replicates."""
        return np.r_[self.measurement.value, self.scores.get("value", [])]

    @cached_property
    def of_groups(self) -> Array:
        """The numbers of the groups, (1 + replicates, groups): means over pairs that exist."""
        pairs = self.measurement.pairs()
        scores = pairs["contribution" if "contribution" in pairs else "value"]
        means = mean_over_classes(scores[None])
        labels = self.measurement.evaluation.rows.labels_of(ATTRIBUTE)
        chosen = [labels.index(group) for group in self.groups]
        return np.vstack([means, self.scores.get("groups", means[:0])])[:, chosen]

    @property
    def keys(self) -> list[tuple[Any, ...]]:
        """The levels of the features of each group, those of control first."""
        stratum = self.measurement.evaluation.stratum
        labels = [() if stratum is None else stratum, *self.groups]
        control, *groups = [x if isinstance(x, tuple) else (x,) for x in labels]
        return [(*control, *group) for group in groups]

    def caveats(self) -> list[str]:
        """Return notes on the value."""
        return [f"{self.name}{self._where}: {note}" for note in self.measurement.notes]

    def reasons(self) -> list[str]:
        """Return why numbers have no interval."""
        reason_of_all, groups_of = self._judge_all().reason, dict[str, list[Label]]()
        for group, number in zip(self.groups, self._judge_groups(), strict=True):
            if number.reason not in ("", reason_of_all):
                groups_of.setdefault(number.reason, []).append(group)
        reasons = [f"{self.name}{self._where}: {reason_of_all}"] if reason_of_all else []
        return reasons + [
            f"{self.name} of {name_list(groups)}{self._where}: {reason}"
            for reason, groups in groups_of.items()
        ]

    @property
    def _where(self) -> str:
        stratum = self.measurement.evaluation.stratum
        return "" if stratum is None else f" in {show(stratum)}"

    def _judge_all(self, level: float | None = None) -> Estimate:
        """Return the number of all rows with its interval."""
        value = self.measurement.value
        trust = Trust(np.empty(0), self.measurement.reason_not_to_draw)
        if self.scores:
            trust = self.measurement.trust("value", value, self.scores)
        return estimate(value, trust, self.confidence, level)

    def _judge_groups(self, level: float | None = None) -> list[Estimate]:
        """Return the numbers of groups with their intervals."""
        reason_of_all = self.measurement.reason_not_to_draw
        few = [reason_of_all or (_FEW if n < FEW_ROWS else "") for n in self.rows]
        return [
            estimate(float(draws[0]), Trust(draws[1:], reason), self.confidence, level)
            for draws, reason in zip(self.of_groups.T, few, strict=True)
        ]

    # Both ends of intervals of a level, (2, numbers).

    def ends_of_all(self, level: float) -> Array:
        """Return the ends of the number of all rows."""
        return _ends(self._judge_all(level))

    def ends_of_groups(self, level: float) -> Array:
        """Return the ends of the numbers of groups."""
        return _ends(*self._judge_groups(level))

    def ends_of_difference(self, level: float) -> Array:
        """Return the ends of the largest difference between groups."""
        return _ends(self._largest(level).difference)

    def ends_of_ratio(self, level: float) -> Array:
        """Return the ends of the ratio of lowest to highest."""
        return no_ends(self, level) if self.has_sign else _ends(self._largest(level).ratio)

    def ends_of_distance(self, level: float) -> Array:
        """Return the ends of the largest difference of a group from all rows."""
        low, high = self._bands(self.of_groups - self.values[:, None], level)
        nearest, farthest = np.maximum(low, -high).max(), np.maximum(-low, high).max()
        return np.array([[max(nearest, 0.0)], [farthest]])

    def ends_of_extreme(self, level: float, choose: Callable[[Array], float]) -> Array:
        """Return the ends of the smallest or largest number of a group."""
        low, high = self._bands(self.of_groups, level)
        return np.array([[choose(low)], [choose(high)]])

    def _largest(self, level: float) -> Largest:
        is_rate = self.is_rate
        return largest_gap(
            self.of_groups, self.rows, self.groups, is_rate=is_rate, confidence=level
        )

    def _bands(self, draws: Array, level: float) -> tuple[Array, Array]:
        half_row = 0.5 / self.rows if self.is_rate else 0.0
        return simultaneous_bands(draws[0], draws[1:], half_row, level)


def no_ends(column: Column, level: float) -> Array:
    """Return the ends of a number that has no interval."""
    return _ends(Estimate(np.nan))


def _ends(*numbers: Estimate) -> Array:
    return np.array([[number.low for number in numbers], [number.high for number in numbers]])
