"""The arrays of cases as the inputs that both packages take."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse


def as_input(values: Any, overlapping: Any) -> Any:
    """Return an array of a case as an input of a metric.

    Parameters
    ----------
    values : ndarray, None or mapping
        An array as it is, or ``{"sparse": matrix}``, ``{"frame": {name: column}}`` or
        ``{"overlapping": matrix, "names": names}``.
    overlapping : type
        The class for groups that overlap: OverlappingGroups, in the old package Indicators.
    """
    if not isinstance(values, Mapping):
        return values
    if "sparse" in values:
        return sparse.csr_array(values["sparse"])
    if "frame" in values:
        return pd.DataFrame(values["frame"])
    return overlapping(values["overlapping"], values["names"])


def fingerprint(case: Mapping[str, Any]) -> str:
    """Return a short text that tells whether the data of a case are those of the stored values."""
    return f"{zlib.crc32(repr(_plain(dict(case))).encode()):08x}"


def _plain(values: Any) -> Any:
    """Return values as lists and dicts of plain numbers, whose text numpy does not shorten."""
    if isinstance(values, Mapping):
        return {str(key): _plain(value) for key, value in values.items()}
    if isinstance(values, np.ndarray):
        return [str(values.dtype.kind), values.tolist()]
    return values


def chosen_pairs(n_pairs: int, most: int) -> Any:
    """Return the positions of the pairs whose numbers are stored, spread evenly over the table."""
    return np.unique(np.linspace(0, n_pairs - 1, min(n_pairs, most)).round().astype(int))


def weighted_sum(column: Any) -> list[float]:
    """Return what stands for a whole column: the number of NaN, and a sum with many weights."""
    values = np.asarray(column, dtype=float)
    defined = np.isfinite(values)
    weights = 1 + np.arange(len(values)) * 7919 % 97 / 97
    return [int((~defined).sum()), float((weights * np.where(defined, values, 0)).sum())]
