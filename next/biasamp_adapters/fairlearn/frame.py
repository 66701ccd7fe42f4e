"""A MetricFrame of Fairlearn whose intervals come from drawn tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame

from biasamp_adapters.counting.labels import Array
from biasamp_adapters.fairlearn.column import Column, no_ends


class AmplificationFrame(MetricFrame):  # type: ignore[misc]
    """A ``MetricFrame`` with intervals; :func:`amplification_frame` makes it.

    Values are those of the host's own aggregations. Intervals of ``overall`` and ``by_group`` are
    each for itself; those of differences, ratios, minima and maxima come from bands that hold at
    once. Where there is no interval, its ends are NaN. A difference or ratio has none if a group
    has none or no replicate differs, and a ratio of rates none if a group has fewer than five
    positives.

    Attributes
    ----------
    notes : tuple of str
        Caveats, and why numbers of ``overall`` and ``by_group`` have no interval.
    """

    def __init__(
        self,
        columns: Mapping[Any, Sequence[Column]],
        features: pd.DataFrame,
        *,
        n_controls: int,
        is_single: bool,
        notes: Sequence[str],
        n_boot: int | None,
        ci_quantiles: Sequence[float] | None,
    ) -> None:
        self.notes, self._columns, self._features = tuple(notes), columns, features
        # The host gets a row for each group of each stratum, and metrics that look numbers up.
        positions = np.arange(len(features))
        functions = {name: _look_up(name, strata) for name, strata in columns.items()}
        super().__init__(
            metrics=next(iter(functions.values())) if is_single else functions,
            y_true=positions,
            y_pred=positions,
            sensitive_features=features.iloc[:, n_controls:],
            control_features=features.iloc[:, :n_controls] if n_controls else None,
        )
        self._n_boot = n_boot  # What properties of the host read.
        self._ci_quantiles: list[float] | None = None if ci_quantiles is None else [*ci_quantiles]

    @property
    def overall_ci(self) -> list[Any]:
        """The ends of the intervals of ``overall``."""
        return self._intervals(self.overall, Column.ends_of_all)

    @property
    def by_group_ci(self) -> list[Any]:
        """The ends of the intervals of ``by_group``."""
        levels = [*(self.control_levels or []), *self.sensitive_levels]
        return self._intervals(self.by_group, Column.ends_of_groups, levels)

    def difference_ci(self, method: str = "between_groups") -> list[Any]:
        """Return the ends of the intervals of ``difference``."""
        is_between = method == "between_groups"
        ends = Column.ends_of_difference if is_between else Column.ends_of_distance
        return self._intervals(self.difference(method), ends)

    def ratio(self, method: str = "between_groups", errors: str = "coerce") -> Any:
        """Return the smallest ratio; NaN of metrics that have a sign."""
        ratio = super().ratio(method, errors)
        with_sign = [name for name, strata in self._columns.items() if strata[0].has_sign]
        if not with_sign:
            return ratio
        if self._user_supplied_callable:
            return ratio * np.nan
        ratio = ratio.astype(float)
        ratio[with_sign] = np.nan
        return ratio

    def ratio_ci(self, method: str = "between_groups") -> list[Any]:
        """Return the ends of the intervals of ``ratio``; there are none to ``overall``."""
        ends = Column.ends_of_ratio if method == "between_groups" else no_ends
        return self._intervals(self.ratio(method), ends)

    def group_min_ci(self) -> list[Any]:
        """Return the ends of the intervals of ``group_min``."""
        return self._intervals(self.group_min(), partial(Column.ends_of_extreme, choose=np.min))

    def group_max_ci(self) -> list[Any]:
        """Return the ends of the intervals of ``group_max``."""
        return self._intervals(self.group_max(), partial(Column.ends_of_extreme, choose=np.max))

    def plot(self, ax: Any = None) -> Any:
        """Draw each metric by group by :func:`biasamp_adapters.plot.intervals`; return the axes."""
        from biasamp_adapters.plot.intervals import intervals

        return intervals(self, ax=ax)

    def _intervals(
        self,
        numbers: Any,
        ends: Callable[[Column, float], Array],
        levels: Sequence[str] | None = None,
    ) -> list[Any]:
        """Return the ends for each quantile, in the form that the host gave numbers.

        ``levels`` are the features that index the numbers; by default those of control.
        """
        self._check_bootstrap_initialized()
        levels = (self.control_levels or []) if levels is None else levels
        tables = []
        for quantile in self.ci_quantiles or []:
            level, side = abs(2 * quantile - 1), int(quantile > 0.5)
            of_names = {
                name: np.concatenate([ends(column, level)[side] for column in strata])
                for name, strata in self._columns.items()
            }
            tables.append(self._shape(pd.DataFrame(of_names), levels, numbers))
        return tables

    def _shape(self, table: pd.DataFrame, levels: Sequence[str], numbers: Any) -> Any:
        """Return the rows of a table in the order and form of other numbers."""
        if not levels:
            row = table.iloc[0].rename(None)
            return row.iloc[0] if self._user_supplied_callable else row
        keys = self._features[levels].drop_duplicates()
        is_one = len(levels) == 1
        index = pd.Index(keys[levels[0]]) if is_one else pd.MultiIndex.from_frame(keys)
        table = table.set_axis(index).reindex(numbers.index)
        return table.iloc[:, 0].rename(numbers.name) if self._user_supplied_callable else table


def _look_up(name: Any, strata: Sequence[Column]) -> Callable[..., float]:
    """Return a function of positions: the number of one group, or of all rows of its stratum."""
    of_groups = np.concatenate([column.of_groups[0] for column in strata])
    of_all = np.repeat([column.values[0] for column in strata], [len(x.groups) for x in strata])

    def function(y_true: Any, y_pred: Any) -> float:
        positions = np.atleast_1d(y_true)
        numbers = of_groups if len(positions) == 1 else of_all
        return float(numbers[positions[0]])

    function.__name__ = str(name)
    return function
