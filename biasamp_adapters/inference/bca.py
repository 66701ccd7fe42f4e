"""BCa: other quantiles of the replicates, for their bias and for skew.

Neither a bias of their median nor a standard error that grows with the value then shifts the
interval (Efron 1987, "Better bootstrap confidence intervals", section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biasamp_adapters._typing import Array

#: Differences that floating-point sums in another order may make.
_ROUNDING = 1e-12


def acceleration_of(scores: Array, n: Array) -> float | str:
    """Acceleration of BCa from the jackknife, or why it is not known.

    Parameters
    ----------
    scores : array of shape (kinds,)
        The score without one row of each kind.
    n : array of shape (kinds,)
        Rows of each kind.
    """
    if not np.isfinite(scores).all():
        return "without one of the rows it is undefined, and BCa leaves out each"
    gap = np.average(scores, weights=n) - scores
    spread = float((n * gap**2).sum())
    return 0.0 if spread == 0 else float((n * gap**3).sum() / (6 * spread**1.5))


@dataclass(frozen=True, eq=False)
class CorrectedQuantiles:
    """The quantiles of replicates that BCa reads.

    Attributes
    ----------
    value : float
    replicates : ndarray
        Those that are defined.
    confidence : float
    acceleration : float or str
        How fast the standard error changes with the value, of :func:`acceleration_of`, or why that
        is not known.
    """

    value: float
    replicates: Array
    confidence: float
    acceleration: float | str

    @property
    def n(self) -> int:
        """Replicates."""
        return len(self.replicates)

    @cached_property
    def below(self) -> float:
        """Share of the replicates below the value; of ties, half lie below."""
        # Rounding must not decide on which side ties are.
        tied = np.abs(self.replicates - self.value) <= _ROUNDING * max(abs(self.value), 1)
        return float(np.mean(np.where(tied, 0.5, self.replicates < self.value)))

    @cached_property
    def _shifted(self) -> Array:
        from scipy.stats import norm

        tail = (1 - self.confidence) / 2
        return np.asarray(norm.ppf(self.below) + norm.ppf([tail, 1 - tail]))

    @cached_property
    def levels(self) -> Array:
        """The two levels, of an acceleration that is known."""
        from scipy.stats import norm

        slowed = self._shifted / (1 - float(self.acceleration) * self._shifted)
        return np.asarray(norm.cdf(norm.ppf(self.below) + slowed))

    @property
    def outermost(self) -> float:
        """How far the outer of the two levels is from 0 or 1."""
        return float(min(self.levels[0], 1 - self.levels[1]))

    @property
    def too_far(self) -> bool:
        """Whether replicates are too few for these levels."""
        steep = float(self.acceleration) * self._shifted >= 1
        return bool(self.outermost * self.n < 1 or steep.any())
