"""Random flips that models share: the same uniform numbers, whatever is drawn from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from biasamp_adapters._typing import Array

#: Quantiles cost about two microseconds each; more of them at once are drawn as usual.
_MOST = 2**18


class CommonNumbers(np.random.Generator):
    """A generator whose binomials and multinomials are quantiles of uniform numbers.

    Each takes as many uniform numbers as it has entries, whatever their parameters. So from the
    same seed, models that err nearly as often flip nearly the same labels, and their difference has
    little of the noise of flips (common random numbers).

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int) -> None:
        super().__init__(np.random.PCG64(seed))

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Binomial numbers, of the shape of ``n`` and ``p``."""
        n, p = np.broadcast_arrays(n, p)
        if n.size > _MOST:
            return super().binomial(n, p, size)
        return _quantile(self.random(n.shape), n, p)

    def multinomial(self, n: Any, pvals: Any, size: Any = None, **options: Any) -> Any:
        """Multinomial numbers, of the shape of ``n`` with one more axis."""
        pvals = np.asarray(pvals, dtype=np.float64)
        left, out, rest = np.asarray(n), [], 1.0
        for p in pvals[:-1]:
            out.append(self.binomial(left, min(p / rest, 1.0)))
            left, rest = left - out[-1], rest - p
        return np.stack([*out, left], axis=-1)


def _quantile(u: Array, n: Array, p: Array) -> Array:
    from scipy.stats import binom

    certain = (n == 0) | (p <= 0) | (p >= 1)
    out = np.where(p >= 1, n, 0).astype(np.int64)
    if not certain.all():
        drawn = ~certain
        out[drawn] = binom.ppf(u[drawn], n[drawn], p[drawn]).astype(np.int64)
    return out
