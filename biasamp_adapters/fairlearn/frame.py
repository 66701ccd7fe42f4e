"""A MetricFrame of Fairlearn whose intervals come from drawn tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame

from biasamp_adapters import words
from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, TASK, Array, Label, name_list, show
from biasamp_adapters.counting.margins import mean_of_pairs
from biasamp_adapters.fairlearn.host_functions import HostMetric
from biasamp_adapters.inference.bands import Largest, largest_gap, simultaneous_bands
from biasamp_adapters.inference.intervals import FEW_ROWS, Estimate, Trust, are_few, estimate
from biasamp_adapters.result import Measurement
from biasamp_adapters.warning import warn


class AmplificationFrame(MetricFrame):  # type: ignore[misc]
    """A ``MetricFrame`` with intervals; :func:`amplification_frame` makes it.

    Values are those of the host's own aggregations. Intervals of ``overall`` and ``by_group`` are
    each for itself; those of differences, ratios, minima and maxima come from bands that hold at
    once. Those of known rates, such as ``true_positive_rate``, reach at least three rows to both
    sides in ``overall`` and ``by_group``.

    Where there is no interval, its ends are NaN. A group of fewer than 15 rows (effective rows,
    clusters), of a known rate in its denominator, has none. A number of several groups has none if
    one of them has none, a difference or ratio also if no replicate differs, and a ratio of rates
    also if a group has fewer than five positives.

    Attributes
    ----------
    notes : tuple of str
        Caveats, and why numbers of ``overall`` or ``by_group``, and else a difference or ratio
        between groups, have no interval.
    """

    def __init__(
        self,
        columns: Mapping[Any, Sequence[Column]],
        sensitive: Any,
        control: Any,
        is_single: bool,
        notes: Sequence[str],
        n_boot: int | None,
        ci_quantiles: Sequence[float],
    ) -> None:
        self.notes, self._columns = tuple(notes), columns
        self._features = pd.concat([control, sensitive], axis=1)
        # The host gets a row for each group of each stratum, and metrics that look numbers up.
        positions = np.arange(len(sensitive))
        functions = {name: _look_up(name, strata) for name, strata in columns.items()}
        metrics = next(iter(functions.values())) if is_single else functions
        features = {"sensitive_features": sensitive, "control_features": control}
        super().__init__(metrics=metrics, y_true=positions, y_pred=positions, **features)
        self._n_boot, self._ci_quantiles = n_boot, ci_quantiles or None  # The host reads them.

    @property
    def overall(self) -> Any:
        """The numbers of all rows; those of a stratum's only group are not the same."""
        numbers = {
            name: [x.numbers[0, -1] for x in strata] for name, strata in self._columns.items()
        }
        return self._shape(pd.DataFrame(numbers, dtype=float), super().overall)

    @property
    def overall_ci(self) -> list[Any]:
        """The ends of the intervals of ``overall``."""
        return self._intervals(self.overall, Column.estimates, slice(-1, None))

    @property
    def by_group_ci(self) -> list[Any]:
        """The ends of the intervals of ``by_group``."""
        return self._intervals(self.by_group, Column.estimates, slice(-1))

    def difference_ci(self, method: str = "between_groups") -> list[Any]:
        """Return the ends of the intervals of ``difference``."""
        return self._intervals(self.difference(method), Column.difference, method)

    def ratio(self, method: str = "between_groups", errors: str = "coerce") -> Any:
        """Return the smallest ratio; NaN of metrics that have a sign."""
        factors = [np.nan if strata[0].has_sign else 1.0 for strata in self._columns.values()]
        ratio = super().ratio(method, errors)
        return ratio * (factors[0] if self._user_supplied_callable else factors)

    def ratio_ci(self, method: str = "between_groups") -> list[Any]:
        """Return the ends of the intervals of ``ratio``; there are none to ``overall``."""
        if method != "between_groups":
            warn(words.NO_RATIO_TO_OVERALL)
        return self._intervals(self.ratio(method), Column.ratio, method)

    def group_min_ci(self) -> list[Any]:
        """Return the ends of the intervals of ``group_min``."""
        return self._intervals(self.group_min(), Column.extreme, np.min)

    def group_max_ci(self) -> list[Any]:
        """Return the ends of the intervals of ``group_max``."""
        return self._intervals(self.group_max(), Column.extreme, np.max)

    @property
    def kinds(self) -> dict[Any, str]:
        """What each column holds: one of our metrics by its name, or "rate" for a known rate."""
        return {name: strata[0].name_of_kind for name, strata in self._columns.items()}

    def plot(self, ax: Any = None) -> Any:
        """Draw each metric by group by :func:`biasamp_adapters.plot.intervals`; return the axes."""
        from biasamp_adapters.plot import intervals

        return intervals(self, ax=ax)

    def _intervals(self, numbers: Any, judge: Callable[..., Any], *given: Any) -> list[Any]:
        """Return the ends for each quantile, in the form that the host gave numbers."""
        self._check_bootstrap_initialized()
        tables = []
        for quantile in self.ci_quantiles:
            level, end = abs(2 * quantile - 1), "high" if quantile > 0.5 else "low"
            ends = {
                name: [getattr(x, end) for column in strata for x in judge(column, level, *given)]
                for name, strata in self._columns.items()
            }
            tables.append(self._shape(pd.DataFrame(ends, dtype=float), numbers))
        return tables

    def _shape(self, table: pd.DataFrame, numbers: Any) -> Any:
        """Return the rows of a table in the order and form of other numbers."""
        names = numbers.index.names if hasattr(numbers, "index") else []
        levels = [name for name in self._features if name in names]
        if not levels:
            row = table.iloc[0].rename(None)
            return row.iloc[0] if self._user_supplied_callable else row
        keys = self._features[levels].drop_duplicates()
        table = table.set_index([keys[level] for level in levels]).reindex(numbers.index)
        return table.iloc[:, 0].rename(numbers.name) if self._user_supplied_callable else table


def _look_up(name: Any, strata: Sequence[Column]) -> Callable[..., float]:
    """Return a function of positions: the number of one group, or of all rows of its stratum."""
    of_groups = np.concatenate([x.numbers[0, :-1] for x in strata])
    of_all = np.repeat([x.numbers[0, -1] for x in strata], [len(x.groups) for x in strata])

    def function(y_true: Any, y_pred: Any) -> float:
        positions = np.atleast_1d(y_true)
        numbers = of_groups if len(positions) == 1 else of_all
        return float(numbers[positions[0]])

    function.__name__ = str(name)
    return function


@dataclass(frozen=True, eq=False)
class Column:
    """A metric in one stratum: its numbers in the data and in draws, and their intervals.

    Attributes
    ----------
    name : object
    measurement : Measurement
    scores : dict of str to ndarray
        Replicates: "value", (n_boot,), and "groups", (n_boot, groups). Empty if none were drawn.
    groups : sequence of labels
        Those that have rows in the stratum.
    confidence : float
        The level at which intervals are judged; all have it or a lower one.
    """

    name: object
    measurement: Measurement
    scores: dict[str, Array]
    groups: Sequence[Label]
    confidence: float

    @cached_property
    def kind(self) -> str | None:
        """The kind of rows that the numbers are known to be shares of; None of other numbers."""
        metric = self.measurement.metric
        rate = isinstance(metric, HostMetric) and metric.rate(self.measurement.margins)
        return rate[1] if rate else None

    @property
    def name_of_kind(self) -> str:
        """The name of the metric, or "rate" of a known rate."""
        return self.measurement.metric.name if self.kind is None else "rate"

    @property
    def has_sign(self) -> bool:
        """Whether the numbers may lie below 0 by their definition, and so have no ratio."""
        metric = self.measurement.metric
        return not isinstance(metric, HostMetric) and metric.short != "Multi"

    @cached_property
    def numbers(self) -> Array:
        """The numbers of the groups and of all rows, (1 + replicates, groups + 1).

        Those of groups are means over the pairs that exist.
        """
        pairs = self.measurement.pairs()  # Those of attacks are means over all flips.
        scores = pairs["contribution" if "contribution" in pairs else "value"]
        of_data = np.append(mean_of_pairs(scores[None], 2), self.measurement.value)
        drawn = [np.c_[self.scores["groups"], self.scores["value"]]] if self.scores else []
        return np.vstack([of_data, *drawn])[:, self._places]

    @cached_property
    def sizes(self) -> Array:
        """Rows, effective rows or clusters in the denominators of the groups, and of all rows."""
        margins, kind = self.measurement.margins, self.kind or ""
        sizes = [margins.sizes_of_kind(x, TASK, 1, kind) for x in (ATTRIBUTE, ALL)]
        return np.concatenate(sizes)[self._places]

    @property
    def _places(self) -> list[int]:
        labels = self.measurement.evaluation.rows.labels_of(ATTRIBUTE)
        return [*map(labels.index, self.groups), -1]

    def caveats(self) -> list[str]:
        """Return notes on the value."""
        return [f"{self.name}{self._where}: {note}" for note in self.measurement.notes]

    def reasons(self) -> list[str]:
        """Return why numbers have no interval."""
        *of_groups, of_all = self.estimates()
        groups_of: dict[str, list[Label]] = {of_all.reason: []}
        for group, number in zip(self.groups, of_groups, strict=True):
            if number.reason != of_all.reason:
                groups_of.setdefault(number.reason, []).append(group)
        names = {reason: f" of {name_list(x)}" if x else "" for reason, x in groups_of.items()}
        if not any(names):  # Else they are those of differences and ratios too.
            largest = self._largest(self.confidence)
            names = {} if self.has_sign else {largest.ratio.reason: " (ratio)"}
            names[largest.difference.reason] = " (difference)"
        return [f"{self.name}{of}{self._where}: {reason}" for reason, of in names.items() if reason]

    @property
    def _where(self) -> str:
        stratum = self.measurement.evaluation.stratum
        return "" if stratum is None else f" in {show(stratum)}"

    # Numbers with their intervals; of a level, if it is lower than that of the column.

    def estimates(self, level: float | None = None, part: slice = slice(None)) -> list[Estimate]:
        """Return the numbers of the groups and then of all rows, or a part of these.

        Intervals of known rates reach at least three rows.
        """
        labelled = {"positive": " labelled 1", "negative": " labelled 0"}.get(self.kind or "", "")
        unit = self.measurement.evaluation.rows.size_unit + labelled
        few = words.FEW_OF_A_KIND.format(have="", n=FEW_ROWS, unit=unit).strip()
        reasons = [few if are_few(size) else "" for size in self.sizes]
        reason, values = self.measurement.reason_not_to_draw, self.numbers[0].tolist()
        trusts = [Trust(x[1:], reason or y) for x, y in zip(self.numbers.T, reasons, strict=True)]
        trusts[-1] = self.measurement.trust_or_reason("value", values[-1], self.scores)
        if self.kind is not None:
            rows = zip(trusts, 1 / np.maximum(self.sizes, 1), strict=True)
            trusts = [trust._replace(limits=(0.0, 1.0), row=row) for trust, row in rows]
        numbers = list(zip(values, trusts, strict=True))[part]
        return [estimate(x, trust, self.confidence, level) for x, trust in numbers]

    def difference(self, level: float, method: str) -> list[Estimate]:
        """Return the largest difference between groups, or of a group from all rows."""
        largest = self._largest(level).difference
        if method == "between_groups" or largest.reason:
            return [largest]
        distances = self.numbers[:, :-1] - self.numbers[:, [-1]]
        low, high = self._bands(distances, level)
        nearest = max(np.maximum(low, -high).max(), 0.0)
        return [Estimate(np.abs(distances[0]).max(), nearest, np.maximum(-low, high).max())]

    def ratio(self, level: float, method: str) -> list[Estimate]:
        """Return the ratio of lowest to highest; without an interval those of signed numbers."""
        if self.has_sign or method != "between_groups":
            return [Estimate(np.nan)]
        return [self._largest(level).ratio]

    def extreme(self, level: float, choose: Callable[[Array], float]) -> list[Estimate]:
        """Return the smallest or largest number of a group, of bands that hold its interval."""
        own, of_groups = self.estimates(level, slice(-1)), self.numbers[:, :-1]
        low, high = self._bands(of_groups, level)
        least = choose(np.minimum(low, [number.low for number in own]))
        most = choose(np.maximum(high, [number.high for number in own]))
        return [Estimate(choose(of_groups[0]), least, most)]

    def _largest(self, level: float) -> Largest:
        numbers = self.numbers[:, :-1], self.sizes[:-1], self.groups
        return largest_gap(*numbers, is_rate=self.kind is not None, confidence=level)

    def _bands(self, draws: Array, level: float) -> tuple[Array, Array]:
        half_row = 0.0 if self.kind is None else 0.5 / np.maximum(self.sizes[:-1], 1)
        return simultaneous_bands(draws[0], draws[1:], half_row, level)
