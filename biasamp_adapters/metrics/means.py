"""Rates, and means over the pairs that are defined."""

from __future__ import annotations

import numpy as np

from biasamp_adapters._typing import Array


def rate(joint: Array, given: Array) -> Array:
    """joint / given, NaN where nothing is given."""
    joint, given = np.broadcast_arrays(joint, given)
    out = np.full(joint.shape, np.nan)
    return np.divide(joint, given, out=out, where=given > 0)


def sum_defined(pairs: Array) -> tuple[Array, Array]:
    """Sum over the defined pairs, and how many they are."""
    flat = pairs.reshape(*pairs.shape[:-2], -1)
    defined = ~np.isnan(flat)
    return np.where(defined, flat, 0).sum(axis=-1), defined.sum(axis=-1)


def mean_over_tasks(pairs: Array) -> Array:
    """Mean over the defined pairs of each group: (..., groups, tasks) to (..., groups)."""
    return rate(*sum_defined(pairs[..., None, :]))
