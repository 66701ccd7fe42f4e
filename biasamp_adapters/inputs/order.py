"""A check that pandas inputs are in the same order, since rows are paired by position."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from biasamp_adapters._warnings import warn

#: The index of a pandas input; None of any other.
Index: TypeAlias = "pd.Index[Any] | None"


def index_of(values: Any) -> Index:
    """The index of a pandas Series or frame, or of what is made of one; None of others."""
    index = getattr(values, "index", None)
    return index if isinstance(index, pd.Index) else None


def warn_of_order(inputs: Iterable[tuple[str, Any]], *, fold: bool = False) -> None:
    """Warn if an input has the unique index labels of the first input in another order.

    This is no error, since predictions in a new Series may have a new index. Folds are cut by
    position, so inputs in different orders share only some of their labels; there, an ascending
    index may be a new one and gives no warning.
    """
    indexes = [(name, index) for name, values in inputs if (index := index_of(values)) is not None]
    for name, index in indexes[1:]:
        first, other = indexes[0]
        if _in_another_order(index, other, fold):
            warn(
                f"{first} and {name} have indexes with the same labels in another order, but rows "
                "are paired by position (reorder one of them with .loc to pair rows by label, or "
                "pass arrays to pair them by position without this warning)"
            )
            return


def _in_another_order(index: pd.Index[Any], other: pd.Index[Any], fold: bool) -> bool:
    if len(index) != len(other) or index.nlevels != other.nlevels or index.equals(other):
        return False
    if index.is_monotonic_increasing if fold else _add_up_to_others(index, other):
        return False
    try:
        if not (index.is_unique and other.is_unique):
            return False
        # As objects: indexes of other types, such as Int64, may hold the same labels.
        positions = other.astype(object).get_indexer(index.astype(object))
    except TypeError:
        # Labels without a hash pair with nothing.
        return False
    shared = positions >= 0
    moved = shared & (positions != np.arange(len(index)))
    return bool(moved.any() and (fold or shared.all()))


def _add_up_to_others(index: pd.Index[Any], other: pd.Index[Any]) -> bool:
    """Whether two integer indexes have different sums: a fast test that their labels differ."""
    dtypes = index.dtype, other.dtype
    kinds = {dtype.kind if isinstance(dtype, np.dtype) else "O" for dtype in dtypes}
    # Equal numbers have equal sums even if these overflow.
    return kinds == {"i"} and bool(index.to_numpy().sum() != other.to_numpy().sum())
