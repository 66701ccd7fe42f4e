"""Where a scorer finds a variable that is not ``y``: a column of X, or a level of y's index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters.inputs.matrices import Indicators
from biasamp_adapters.inputs.order import index_of

#: A name, several names, or positions of the columns of an array.
Place: TypeAlias = str | int | Sequence[str | int] | None


def row_count(values: Any) -> int:
    """Rows of an array, table or Indicators."""
    return int(np.shape(values.values if isinstance(values, Indicators) else values)[0])


def names_of(place: Place) -> list[str | int]:
    """The names in a place."""
    return [place] if isinstance(place, str | int | np.integer) else list(place or ())


def located(
    place: Place,
    argument: str,
    y: Any,
    X: Any = None,  # noqa: N803
) -> pd.DataFrame | pd.Series[Any]:
    """Levels of the index of ``y``, or columns of ``X``, as a table, one alone as a Series.

    Raises
    ------
    ValueError
        If a name is in neither, twice in one, or in both with different values.
    """
    sources = {"levels of y's index": _levels(y), "columns of X": _columns(X)}
    table = {}
    for name in names_of(place):
        found = []
        for source, columns in sources.items():
            same = [values for other, values in columns if other == name]
            if len(same) > 1:
                raise ValueError(f"{source} must have different names; received {name!r} twice")
            found += same
        if not found:
            levels, columns = ([other for other, _ in named] for named in sources.values())
            places = "a level of y's index"
            has = f"y's index has the levels {levels}" if levels else "y has no index with names"
            if X is not None:
                places += " or a column of X"
                has += f", X the columns {columns}" if columns else ", X no columns"
            raise ValueError(
                f"{argument} must name {places}; received {name!r}, but {has} (RFECV and stacking "
                "turn y and X into arrays, without names: they need metadata routing)"
            )
        # As objects, the same labels are equal whatever the types of the columns.
        first, *others = (pd.Series([*values], dtype=object) for values in found)
        if not all(first.equals(other) for other in others):
            raise ValueError(
                f"{argument}={name!r} names a level of y's index and a column of X: they must hold "
                "the same values; received different ones"
            )
        table[name] = found[0]
    index = index_of(X)
    frame = pd.DataFrame(table, index=index_of(y) if index is None else index)
    return frame if len(table) > 1 else frame.iloc[:, 0]


def _levels(y: Any) -> list[tuple[Any, Any]]:
    """Levels of the index of y that have a name, with their names."""
    index = pd.Index([]) if index_of(y) is None else y.index
    names = enumerate(index.names)
    return [(name, index.get_level_values(i).array) for i, name in names if name is not None]


def _columns(X: Any) -> list[tuple[Any, Any]]:  # noqa: N803
    """Columns of X, with their names or positions."""
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return list(enumerate(X.T))
    if isinstance(X, pd.DataFrame):
        return [(name, X.iloc[:, i].array) for i, name in enumerate(X.columns)]
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return [(name, frame[name].to_list()) for name in frame.columns]
    return []
