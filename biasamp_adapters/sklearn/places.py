"""Where a variable that an estimator does not read is found: in an index, or in a column of X."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters.inputs.order import Index, index_of

#: The place of a variable: a name, several names, or positions of columns of an array.
Place: TypeAlias = str | int | Sequence[str | int] | None

#: Names or positions of columns, and a function that gives the values of the one at a position.
Named: TypeAlias = tuple[list[Any], Callable[[int], Any]]


def names_of(place: Place) -> list[str | int]:
    """The names in a place."""
    if place is None:
        return []
    return [*place] if isinstance(place, Iterable) and not isinstance(place, str) else [place]


def look_up(
    place: Place, argument: str, sources: Mapping[str, Named], index: Index
) -> pd.DataFrame | pd.Series[Any]:
    """The variables of a place as a table with this index, or as a Series if there is one.

    Parameters
    ----------
    place : str, int or list of them
    argument : str
        Name of the argument that names the place, for errors.
    sources : mapping of str to Named
        What there is, by what it is called, such as "columns of X".
    index : pandas.Index or None

    Raises
    ------
    ValueError
        If there is no name, or one is in no source, twice in one, or in several with different
        values.
    """
    names_in_place = names_of(place)
    if not names_in_place:
        raise ValueError(f"{argument} must name at least one variable; received {place!r}")
    table = {}
    for name in names_in_place:
        matches: list[Any] = []
        for source, (names, values_at) in sources.items():
            same = [i for i, other in enumerate(names) if other == name]
            if len(same) > 1:
                raise ValueError(f"{source} must have different names; received {name!r} twice")
            matches += map(values_at, same)
        if not matches:
            has = ", ".join(
                f"the {source} {[x for x in names if x is not None] or 'without names'}"
                for source, (names, _) in sources.items()
            )
            raise ValueError(
                f"{argument} must be among the {' or the '.join(sources)}; received {name!r}, but "
                f"there are {has} (RFECV and stacking turn y and X into arrays, without names: "
                "they need metadata routing)"
            )
        # As objects, equal labels match even if the columns have different types.
        objects = [pd.Series([*values], dtype=object) for values in matches if len(matches) > 1]
        if not all(objects[0].equals(other) for other in objects):
            raise ValueError(
                f"{argument}={name!r} is among the {' and the '.join(sources)}: they must hold the "
                "same values; received different ones"
            )
        table[name] = matches[0]
    frame = pd.DataFrame(table, index=index)
    return frame if len(table) > 1 else frame.iloc[:, 0]


def levels_of(values: Any) -> Named:
    """Levels of the index of a table or column; None is the name of one without a name."""
    index = pd.Index([]) if index_of(values) is None else values.index
    return list(index.names), lambda i: index.get_level_values(i).array


def columns_of(X: Any) -> Named:  # noqa: N803
    """Columns of a table or array, with their names or positions."""
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return list(range(X.shape[1])), lambda i: X[:, i]
    if isinstance(X, pd.DataFrame):
        return X.columns.tolist(), lambda i: X.iloc[:, i].array
    frame = nw.from_native(X, pass_through=True)
    names = frame.columns if isinstance(frame, nw.DataFrame) else []
    return names, lambda i: frame[:, i].to_list()
