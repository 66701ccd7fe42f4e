"""Inputs of any array library as numpy and pandas arrays. No other module inspects input types."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from scipy import sparse

from biasamp_adapters.counting.labels import Array, Label
from biasamp_adapters.counting.variables import OverlappingGroups
from biasamp_adapters.warning import AmplificationWarning

#: Weights with a sum outside of this and its inverse have products that floats cannot hold.
_LARGEST_WEIGHT = 1e100


class Table(NamedTuple):
    """Several columns.

    Attributes
    ----------
    names : tuple
        Their names, or numbers from 0 on.
    columns : sequence of arrays, ndarray of shape (rows, columns), or csr_array
    are_groups : bool
        Whether each column is a group, and not an attribute.
    """

    names: tuple[Label, ...]
    columns: Any
    are_groups: bool = False

    def column(self, i: int) -> Any:
        """Return one column."""
        if sparse.issparse(self.columns):
            return self.columns[:, [i]].toarray()[:, 0]
        return self.columns[:, i] if isinstance(self.columns, np.ndarray) else self.columns[i]

    def matrix(self) -> Any:
        """Return the columns as an array or a csr_array."""
        if isinstance(self.columns, np.ndarray) or sparse.issparse(self.columns):
            return self.columns
        return np.column_stack(self.columns)


def read_input(values: Any, argument: str) -> Any:
    """Return an input as one column, a numpy or pandas array, or as a table of several."""
    if isinstance(values, np.ndarray):
        return _read_array(values, argument)
    if isinstance(values, pd.Series | pd.Categorical):
        return values
    if isinstance(values, OverlappingGroups):
        return _read_groups(values, argument)
    if hasattr(values, "detach") and hasattr(values, "cpu"):  # A tensor on any device.
        return _read_array(values.detach().cpu().numpy(), argument)
    if sparse.issparse(values):
        is_column = values.ndim == 1
        return values.toarray() if is_column else _unnamed(sparse.csr_array(values))
    if isinstance(values, Mapping | pd.DataFrame):
        names = tuple(values)
        _check_distinct(names, argument)
        return Table(names, [to_array(values[name], argument) for name in names])
    if isinstance(values, list | tuple) and len(values):
        if isinstance(values[0], np.ndarray | pd.Series):
            raise ValueError(
                f"several columns of {argument} must be a frame or a mapping, such as "
                "{'race': race, 'sex': sex}; received a list of arrays"
            )
        if isinstance(values[0], list | tuple):
            return _unnamed(_rows_to_matrix(values, argument))
    frame = nw.from_native(values, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError(f"{argument} must be in memory; received a {type(values).__name__}")
    if isinstance(frame, nw.DataFrame):
        columns = [to_array(frame[name].to_native(), argument) for name in frame.columns]
        return Table(tuple(frame.columns), columns)
    return to_array(values, argument)


def _read_array(values: Array, argument: str) -> Any:
    if values.ndim not in (1, 2):
        raise ValueError(f"{argument} must have one or two dimensions; received {values.ndim}")
    return values if values.ndim == 1 else _unnamed(values)


def _read_groups(groups: OverlappingGroups, argument: str) -> Table:
    table = read_input(groups.values, argument)
    if not isinstance(table, Table):
        raise ValueError(f"OverlappingGroups must have columns; received one column as {argument}")
    return Table(table.names if groups.names is None else groups.names, table.columns, True)


def _unnamed(matrix: Any) -> Table:
    return Table(tuple(range(matrix.shape[1])), matrix)


def _rows_to_matrix(rows: Sequence[Any], argument: str) -> Array:
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"{argument} must have as many values in each row; received other lengths")
    return np.array([list(row) for row in rows], dtype=object)


def _check_distinct(names: Sequence[Any], argument: str) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"columns of {argument} must have distinct names; received {twice!r} twice"
        )


def to_array(values: Any, argument: str) -> Any:
    """Return one column as a numpy or pandas array."""
    if isinstance(values, np.ndarray | pd.Series | pd.Categorical):
        return values
    if hasattr(values, "to_pylist"):  # Arrow arrays, whose numbers must not become floats.
        return _to_objects(values.to_pylist()) if values.null_count else values.to_numpy(False)
    series = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        if series.null_count():
            return _to_objects(series.to_list())
        return to_array(series.to_numpy(), argument)
    if hasattr(values, "__array__") and not isinstance(values, pd.Index):
        return np.asarray(values)
    if isinstance(values, str | bytes):
        raise ValueError(
            f"{argument}={values!r:.80} names a column, so data must come first: (frame, ...)"
        )
    is_unordered = isinstance(values, set | frozenset | dict)
    if is_unordered or not (hasattr(values, "__len__") and hasattr(values, "__iter__")):
        raise ValueError(
            f"{argument} must be a column of values, such as a list or an array; "
            f"received a {type(values).__name__}"
        )
    return _to_objects(values)


def _to_objects(values: Any) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array


# The index of pandas inputs.


def level_of_index(values: Any, level: str, argument: str) -> Any:
    """Return a level of the index of a pandas input, which a text in place of labels names."""
    index = getattr(values, "index", None)
    if not isinstance(index, pd.Index):
        raise ValueError(
            f"{argument}={level!r} names a level of y_true's index, and y_true has no index; "
            "with columns of a frame, data must come first"
        )
    if list(index.names).count(level) != 1:
        problem = "two levels" if level in index.names else "no level"
        raise ValueError(
            f"y_true's index has {problem} {level!r}. "
            f"Write y.set_axis(pd.Index({level}, name={level!r}))."
        )
    return index.get_level_values(level).to_series(index=index, name=level)


def warn_of_order(inputs: Iterable[tuple[str, Any]]) -> None:
    """Warn if pandas inputs have the same index labels in another order: rows pair by position."""
    first: tuple[str, pd.Index[Any]] | None = None
    for argument, values in inputs:
        index = getattr(values, "index", None)
        if not isinstance(index, pd.Index) or isinstance(index, pd.RangeIndex):
            continue
        if first is None:
            first = argument, index
        elif _is_in_another_order(first[1], index):
            warnings.warn(
                f"{first[0]} and {argument} have the same index labels in another order, but rows "
                "are paired by position; reorder one with .loc, or pass arrays",
                AmplificationWarning,
                stacklevel=2,
            )
            return


def _is_in_another_order(first: pd.Index[Any], second: pd.Index[Any]) -> bool:
    if len(first) != len(second) or first.nlevels != second.nlevels or first.equals(second):
        return False
    if not (first.is_unique and second.is_unique):
        return False
    positions = first.astype(object).get_indexer(second.astype(object))
    return bool((positions >= 0).all() and (positions != np.arange(len(first))).any())


# Numbers.


def read_weights(values: Any) -> Array:
    """Return weights of rows: finite, not negative, and not all 0."""
    weights = _read_numbers(values, "sample_weight", "finite and not negative")
    total = float(weights.sum())
    if len(weights) and not 1 / _LARGEST_WEIGHT <= total <= _LARGEST_WEIGHT:
        raise ValueError(
            f"sample_weight must have a sum between 1e-100 and 1e100; received {total:g}"
        )
    return weights


def read_count(values: Any) -> Array:
    """Return numbers of rows, which are whole and not negative."""
    numbers = _read_numbers(values, "count", "whole and not negative")
    is_whole = numbers % 1 == 0
    if not is_whole.all():
        raise ValueError(f"count must be whole and not negative; received {numbers[~is_whole][0]}")
    return numbers.astype(np.int64)


def _read_numbers(values: Any, argument: str, rule: str) -> Array:
    """Return numbers that are finite and not negative."""
    array = to_array(values, argument)
    try:
        numbers = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        received = next((x for x in array if isinstance(x, str)), array.dtype)
        raise ValueError(f"{argument} must hold numbers; received {received!r:.60}") from None
    if numbers.ndim != 1:
        raise ValueError(f"{argument} must be one column; received the shape {numbers.shape}")
    is_valid = np.isfinite(numbers) & (numbers >= 0)
    if not is_valid.all():
        raise ValueError(f"{argument} must be {rule}; received {numbers[~is_valid][0]}")
    return numbers


def read_clusters(values: Any) -> Array:
    """Return the number of the cluster of each row."""
    column = read_input(values, "clusters")
    if isinstance(column, Table):
        if len(column.names) != 1:
            raise ValueError(f"clusters must be one column; received {len(column.names)}")
        column = column.column(0)
    clusters = pd.factorize(column)[0]
    if clusters.min(initial=0) < 0:
        n_missing = int((clusters < 0).sum())
        raise ValueError(f"clusters must not have missing values; received {n_missing}")
    return clusters
