"""Rates, and means over the pairs that are defined."""

from __future__ import annotations

import numpy as np

from biasamp_adapters._typing import Array


def rate(joint: Array, given: Array, undefined: float = np.nan) -> Array:
    """joint / given; ``undefined`` where nothing is given."""
    known, shape = np.greater(given, 0), np.broadcast(joint, given).shape
    if known.all():
        return np.divide(joint, given, out=np.empty(shape))
    return np.divide(joint, given, out=np.full(shape, undefined), where=known)


def sum_defined(pairs: Array) -> tuple[Array, Array]:
    """Sum over the defined pairs, and how many they are."""
    flat = pairs.reshape(*pairs.shape[:-2], -1)
    total = flat.sum(axis=-1)
    if not np.isnan(total).any():
        return total, np.full(total.shape, flat.shape[-1])
    defined = ~np.isnan(flat)
    return np.where(defined, flat, 0).sum(axis=-1), defined.sum(axis=-1)


def mean_over_tasks(pairs: Array) -> Array:
    """Mean over the defined pairs of each group: (..., groups, tasks) to (..., groups)."""
    return rate(*sum_defined(pairs[..., None, :]))
