"""The numbers of a frame with their replicates, and the levels they belong to."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.uncertainty import Interval, doubt

#: The level whose interval must hold a value, whatever quantiles are asked for.
_HELD_AT = 0.95


def outer_level(quantiles: Sequence[float]) -> float:
    """The level that the outermost quantiles enclose; 0 for the median alone."""
    return max(1 - 2 * min(min(quantiles), 1 - max(quantiles)), 0.0)


@dataclass(frozen=True, eq=False)
class Track:
    """One number of a frame with its replicates.

    Attributes
    ----------
    value : float
    replicates : ndarray of shape (n_boot,), or None
    reason : str or None
        Why there is no interval, where replicates cannot say.
    margin : (float, float)
        How much further down and up an interval must reach.
    limits : (float, float)
        The range of the number.
    slack : float
        How far the value may lie outside its replicates, for noise of its own.
    """

    value: float
    replicates: Array | None = None
    reason: str | None = None
    margin: Interval = (0.0, 0.0)
    limits: Interval = (-np.inf, np.inf)
    slack: float = 0.0

    def doubt(self, quantiles: Sequence[float]) -> str | None:
        """Why the replicates give no such quantiles, if they do not."""
        if self.reason or self.replicates is None:
            return self.reason
        level = outer_level(quantiles)
        held_at = max(level, _HELD_AT)
        return doubt(self.value, self.replicates, level, self.slack, held_at)

    def at(self, quantiles: Sequence[float]) -> Array:
        """Quantiles of the replicates; NaN where there is a doubt."""
        if self.replicates is None or self.doubt(quantiles):
            return np.full(len(quantiles), np.nan)
        defined = self.replicates[np.isfinite(self.replicates)]
        side = np.sign(np.asarray(quantiles) - 0.5)
        move = np.where(side < 0, -self.margin[0], np.where(side > 0, self.margin[1], 0.0))
        return np.clip(np.quantile(defined, quantiles) + move, *self.limits)


@dataclass(frozen=True, eq=False)
class FrameColumn:
    """One metric of a frame.

    Attributes
    ----------
    name : hashable
    overall : sequence of Track
        One a control level.
    groups : sequence of Track
        One a combination of levels that has rows.
    signed : bool
        Whether values may be negative, so that ratios mean nothing.
    """

    name: Hashable
    overall: Sequence[Track]
    groups: Sequence[Track]
    signed: bool


@dataclass(frozen=True, eq=False)
class Levels:
    """The combinations of levels that have rows, and their names.

    Attributes
    ----------
    control_names, sensitive_names : list of str
    control_levels : list of tuple
    combinations : list of tuple
        Levels of the control features, then those of the sensitive ones.
    """

    control_names: list[str]
    sensitive_names: list[str]
    control_levels: list[tuple[Any, ...]]
    combinations: list[tuple[Any, ...]]
