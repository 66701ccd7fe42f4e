"""Fairlearn's aggregates over groups, for one frame or for many replicates of it at once."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from biasamp_adapters._typing import Array

Kind: TypeAlias = Literal["difference", "ratio", "group_min", "group_max"]
Method: TypeAlias = Literal["between_groups", "to_overall"]


def aggregate(kind: Kind, method: Method, groups: Array, overall: Array) -> Array:
    """One number from those of the groups.

    Parameters
    ----------
    kind : {"difference", "ratio", "group_min", "group_max"}
    method : {"between_groups", "to_overall"}
        What differences and ratios compare a group with.
    groups : array of shape (..., groups)
    overall : array of shape (...)

    Returns
    -------
    ndarray of shape (...)
        NaN where a group is.
    """
    low, high = groups.min(axis=-1), groups.max(axis=-1)
    if kind in ("group_min", "group_max"):
        return low if kind == "group_min" else high
    with np.errstate(divide="ignore", invalid="ignore"):
        if method == "between_groups":
            return high - low if kind == "difference" else low / high
        if kind == "difference":
            return np.abs(groups - overall[..., None]).max(axis=-1)
        ratios = groups / overall[..., None]
        return np.where(ratios > 1, 1 / ratios, ratios).min(axis=-1)
