"""A MetricFrame of Fairlearn whose intervals come from drawn tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame

from biasamp_adapters.counting.labels import Array
from biasamp_adapters.inference.bands import simultaneous_bands
from biasamp_adapters.inference.largest import largest_gap

#: The number of a metric in a stratum: of all rows, and of each group that has rows.
Numbers = Mapping[str, Array]


class AmplificationFrame(MetricFrame):  # type: ignore[misc]
    """A ``MetricFrame`` with intervals; :func:`amplification_frame` makes it.

    Values are those of the host's own aggregations. Intervals of single numbers are percentiles of
    the draws; those of differences, ratios, minima and maxima come from bands that hold at once.

    Attributes
    ----------
    notes : tuple of str
        Caveats, and why numbers have no interval: its ends are then NaN.
    """

    def __init__(
        self,
        *,
        is_single: bool,
        features: pd.DataFrame,
        n_controls: int,
        numbers: Mapping[Any, Sequence[Numbers]],
        sizes: Sequence[Array],
        signed: Sequence[Any],
        rates: Sequence[Any],
        notes: Sequence[str],
        n_boot: int | None,
        ci_quantiles: Sequence[float] | None,
    ) -> None:
        self.notes, self._signed, self._rates = tuple(notes), signed, rates
        self._numbers, self._sizes, self._names = numbers, sizes, list(numbers)
        # The host gets a row for each group of each stratum, and metrics that look numbers up.
        positions = np.arange(len(features))
        strata = np.repeat(np.arange(len(sizes)), [len(x) for x in sizes])
        found = {
            name: partial(
                _look_up,
                strata,
                np.array([part["value"][0] for part in parts]),
                np.concatenate([part["groups"][0] for part in parts]),
            )
            for name, parts in numbers.items()
        }
        for name, function in found.items():
            function.__name__ = str(name)  # type: ignore[attr-defined]
        super().__init__(
            metrics=next(iter(found.values())) if is_single else found,
            y_true=positions,
            y_pred=positions,
            sensitive_features=features.iloc[:, n_controls:],
            control_features=features.iloc[:, :n_controls] if n_controls else None,
        )
        self._keys = [*features.itertuples(index=False, name=None)]
        self._strata = [*dict.fromkeys(key[:n_controls] for key in self._keys)]
        self._draws, self._quantiles = n_boot, ci_quantiles

    @property
    def n_boot(self) -> int | None:
        """Replicates that were drawn."""
        return self._draws

    @property
    def ci_quantiles(self) -> list[float] | None:
        """The quantiles that intervals are made of."""
        return None if self._quantiles is None else list(self._quantiles)

    @property
    def overall_ci(self) -> list[Any]:
        """The ends of the intervals of ``overall``."""
        return self._intervals(self.overall, self._strata, self._of_all)

    @property
    def by_group_ci(self) -> list[Any]:
        """The ends of the intervals of ``by_group``."""
        return self._intervals(self.by_group, self._keys, self._of_groups)

    def difference_ci(self, method: str = "between_groups") -> list[Any]:
        """Return the ends of the intervals of ``difference``."""
        measure = self._difference if method == "between_groups" else self._from_overall
        return self._intervals(self.difference(method), self._strata, measure)

    def ratio(self, method: str = "between_groups", errors: str = "coerce") -> Any:
        """Return the smallest ratio; NaN of metrics that have a sign."""
        ratio = super().ratio(method, errors)
        names = [name for name in self._names if name in self._signed]
        if not names:
            return ratio
        if not isinstance(ratio, pd.Series | pd.DataFrame) or self._user_supplied_callable:
            return ratio * np.nan
        ratio = ratio.astype(float).copy()
        if isinstance(ratio, pd.Series):
            ratio[names] = np.nan
        else:
            ratio.loc[:, names] = np.nan
        return ratio

    def ratio_ci(self, method: str = "between_groups") -> list[Any]:
        """Return the ends of the intervals of ``ratio``; there are none to ``overall``."""
        measure = self._ratio if method == "between_groups" else _no_ends
        return self._intervals(self.ratio(method), self._strata, measure)

    def group_min_ci(self) -> list[Any]:
        """Return the ends of the intervals of ``group_min``."""
        return self._intervals(self.group_min(), self._strata, partial(self._extreme, np.min))

    def group_max_ci(self) -> list[Any]:
        """Return the ends of the intervals of ``group_max``."""
        return self._intervals(self.group_max(), self._strata, partial(self._extreme, np.max))

    # Ends: each function returns those of a level, (low, high), as arrays of the keys of a stratum.

    def _of_all(self, name: Any, stratum: int, level: float) -> Array:
        draws = self._numbers[name][stratum]["value"][1:]
        return _percentiles(draws[:, None], level)

    def _of_groups(self, name: Any, stratum: int, level: float) -> Array:
        return _percentiles(self._numbers[name][stratum]["groups"][1:], level)

    def _largest(self, name: Any, stratum: int, level: float) -> Any:
        draws, rows = self._numbers[name][stratum]["groups"], self._sizes[stratum]
        groups = [str(i) for i in range(len(rows))]
        return largest_gap(draws, rows, groups, is_rate=name in self._rates, confidence=level)

    def _difference(self, name: Any, stratum: int, level: float) -> Array:
        found = self._largest(name, stratum, level).difference
        return np.array([[found.low], [found.high]])

    def _ratio(self, name: Any, stratum: int, level: float) -> Array:
        if name in self._signed:
            return np.full((2, 1), np.nan)
        found = self._largest(name, stratum, level).ratio
        return np.array([[found.low], [found.high]])

    def _from_overall(self, name: Any, stratum: int, level: float) -> Array:
        numbers = self._numbers[name][stratum]
        differences = numbers["groups"] - numbers["value"][:, None]
        low, high = self._bands(name, stratum, differences, level)
        sizes = np.maximum(np.abs(low), np.abs(high))
        nearest = np.maximum(low, -high).max()
        return np.array([[max(nearest, 0.0)], [sizes.max()]])

    def _extreme(self, choose: Callable[..., Any], name: Any, stratum: int, level: float) -> Array:
        draws = self._numbers[name][stratum]["groups"]
        low, high = self._bands(name, stratum, draws, level)
        return np.array([[choose(low)], [choose(high)]])

    def _bands(self, name: Any, stratum: int, draws: Array, level: float) -> tuple[Array, Array]:
        half_row = 0.5 / self._sizes[stratum] if name in self._rates else 0.0
        return simultaneous_bands(draws[0], draws[1:], half_row, level)

    def _intervals(self, shape: Any, keys: Sequence[Any], ends: Callable[..., Array]) -> list[Any]:
        """Return a number like another one for each quantile that was asked for."""
        if self._quantiles is None:
            raise ValueError("intervals need n_boot and ci_quantiles; received neither")
        found = []
        for quantile in self._quantiles:
            level, side = abs(2 * quantile - 1), int(quantile > 0.5)
            table = {
                name: np.concatenate([ends(name, i, level)[side] for i in range(len(self._sizes))])
                for name in self._names
            }
            found.append(self._as(shape, pd.DataFrame(table, index=_index(keys))))
        return found

    def _as(self, shape: Any, table: pd.DataFrame) -> Any:
        """Return a table of all keys and metrics in the form of a number of the host."""
        if not isinstance(shape, pd.Series | pd.DataFrame):
            return table.to_numpy()[0, 0]
        if isinstance(shape, pd.Series) and not self._user_supplied_callable:
            return pd.Series(table.iloc[0].reindex(shape.index), name=shape.name)
        index = pd.Index([_key(x) for x in shape.index], tupleize_cols=False)
        table = table.reindex(index).set_axis(shape.index)
        if isinstance(shape, pd.DataFrame):
            return table
        return pd.Series(table.iloc[:, 0], name=shape.name)


def _look_up(strata: Array, values: Array, of_groups: Array, y_true: Any, y_pred: Any) -> float:
    """Return the number of a group, or that of all rows of a stratum."""
    positions = np.atleast_1d(y_true)
    return float(of_groups[positions[0]] if len(positions) == 1 else values[strata[positions[0]]])


def _percentiles(draws: Array, level: float) -> Array:
    """Return both ends of percentile intervals; NaN where draws are undefined."""
    return np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)


def _no_ends(name: Any, stratum: int, level: float) -> Array:
    return np.full((2, 1), np.nan)


def _key(label: Any) -> tuple[Any, ...]:
    return label if isinstance(label, tuple) else (label,)


def _index(keys: Sequence[Any]) -> pd.Index[Any]:
    return pd.Index([_key(key) for key in keys], tupleize_cols=False)
