"""Thresholds at which scores win a given share of the rows."""

from __future__ import annotations

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.thresholds.calibrated import calibrate

#: Rounds over the classes in which their thresholds are fitted to each other.
_ROUNDS = 50


def between(scores: Array, share: float, weight: Array) -> float:
    """A threshold half way between the last score that is predicted and the next one."""
    lowest = calibrate(scores, share, weight)
    below = scores[scores < lowest]
    highest = float(below.max()) if below.size else -np.inf
    if np.isinf(lowest) or np.isinf(highest):
        return highest if np.isinf(highest) else lowest
    middle = (lowest + highest) / 2
    # Of neighbouring numbers, the middle is one of the two.
    return middle if middle < lowest else highest


def of_classes(scores: Array, shares: Array, weight: Array) -> Array:
    """What to take from the score of each class, so that the highest ones have the shares."""
    offsets = np.zeros(len(shares))
    # A class that always or never wins has no finite threshold; this one is out of reach.
    far = 1000 * (1 + float(np.ptp(scores)))
    for _ in range(_ROUNDS):
        before = offsets.copy()
        for k in range(len(shares)):
            rest = np.delete(scores - offsets, k, axis=1).max(axis=1)
            offsets[k] = np.clip(between(scores[:, k] - rest, shares[k], weight), -far, far)
        if np.array_equal(offsets, before):
            break
    return offsets
