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
    columns : list of arrays, ndarray of shape (rows, columns), or csr_array
    are_groups : bool
        Whether each column is a group, and not an attribute.
    """

    names: tuple[Label, ...]
    columns: Any
    are_groups: bool = False

    def column(self, i: int) -> Any:
        """Return one column."""
        if isinstance(self.columns, list):
            return self.columns[i]
        column = self.columns[:, [i]]
        return column.toarray()[:, 0] if sparse.issparse(column) else column[:, 0]

    def matrix(self) -> Any:
        """Return the columns as an array or a csr_array."""
        return np.column_stack(self.columns) if isinstance(self.columns, list) else self.columns


def read_input(values: Any, argument: str) -> Any:
    """Return an input as one column, a numpy or pandas array, or as a table of several."""
    if isinstance(values, OverlappingGroups):
        table = read_input(values.values, argument)
        if not isinstance(table, Table):
            raise ValueError(f"{argument}: OverlappingGroups must have columns; received one")
        return Table(values.names or table.names, table.columns, are_groups=True)
    if hasattr(values, "detach") and hasattr(values, "cpu"):  # A tensor on any device.
        values = values.detach().cpu().numpy()
    elif isinstance(values, list | tuple) and len(values):
        values = _read_list(values, argument)
    elif sparse.issparse(values):
        values = values.toarray() if values.ndim == 1 else sparse.csr_array(values)
    if isinstance(values, np.ndarray) or sparse.issparse(values):
        if values.ndim not in (1, 2):
            raise ValueError(f"{argument} must have one or two dimensions; received {values.ndim}")
        return values if values.ndim == 1 else Table(tuple(range(values.shape[1])), values)
    if isinstance(values, pd.DataFrame) and not values.columns.is_unique:
        name = values.columns[values.columns.duplicated()][0]
        raise ValueError(f"columns of {argument} must have distinct names; received {name!r} twice")
    if not isinstance(values, Mapping | pd.DataFrame):
        frame = nw.from_native(values, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            raise ValueError(f"{argument} must be in memory; received a {type(values).__name__}")
        if not isinstance(frame, nw.DataFrame):
            return to_array(values, argument)
        values = {name: frame[name].to_native() for name in frame.columns}
    return Table(tuple(values), [to_array(values[name], argument) for name in values])


def _read_list(values: Sequence[Any], argument: str) -> Any:
    """Return a list of rows as a matrix, and any other list as it is; raise for several columns."""
    if isinstance(values[0], np.ndarray | pd.Series):
        raise ValueError(
            f"several columns of {argument} must be a frame or a mapping, such as "
            "{'race': race, 'sex': sex}; received a list of arrays"
        )
    if not isinstance(values[0], list | tuple):
        return values
    if len({len(row) for row in values}) > 1:
        raise ValueError(f"{argument} must have as many values in each row; received other lengths")
    return np.array([list(row) for row in values], dtype=object)


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
    if level not in index.names:
        raise ValueError(
            f"y_true's index has no level {level!r}. "
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
        first = first or (argument, index)
        if _is_in_another_order(first[1], index):
            problem = "have the same index labels in another order, but rows pair by position"
            message = f"{first[0]} and {argument} {problem}"
            warnings.warn(message, AmplificationWarning, stacklevel=2)
            return


def _is_in_another_order(first: pd.Index[Any], second: pd.Index[Any]) -> bool:
    if len(first) != len(second) or first.equals(second):
        return False
    labels, others = list(first), list(second)
    are_distinct = len(set(labels)) == len(labels)
    return are_distinct and labels != others and set(labels) == set(others)


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
    rule = "whole and not negative"
    numbers = _read_numbers(values, "count", rule)
    check_all(numbers % 1 == 0, numbers, f"count must be {rule}")
    return numbers.astype(np.int64)


def _read_numbers(values: Any, argument: str, rule: str) -> Array:
    """Return numbers that are finite and not negative."""
    numbers = to_numbers(to_array(values, argument), argument)
    if numbers.ndim != 1:
        raise ValueError(f"{argument} must be one column; received the shape {numbers.shape}")
    check_all(np.isfinite(numbers) & (numbers >= 0), numbers, f"{argument} must be {rule}")
    return numbers


def to_numbers(values: Any, argument: str) -> Array:
    """Return numbers of any type as floats; missing ones are NaN."""
    try:
        if not isinstance(values, np.ndarray) or values.dtype == object:
            values = np.where(pd.isna(values), np.nan, values)
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        texts = (x for x in np.ravel(values).tolist() if isinstance(x, str))
        received = next(texts, values.dtype)
        raise ValueError(f"{argument} must hold numbers; received {received!r:.60}") from None


def check_all(are_valid: Array, numbers: Array, rule: str) -> None:
    """Raise with the first number that is not valid, if there is one."""
    if not are_valid.all():
        raise ValueError(f"{rule}; received {numbers[~are_valid][0]}")


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
