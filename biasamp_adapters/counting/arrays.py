"""Inputs of any array library as numpy and pandas arrays. No other module inspects input types."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from scipy import sparse

from biasamp_adapters.counting.labels import PREDICTED, PREDICTION, SCORE, Array, listing, ordered
from biasamp_adapters.counting.variables import OverlappingGroups, factorize
from biasamp_adapters.warning import warn

#: Types that few functions read, and those of the same values that all read.
_COMMON = {"float16": "float32", "halffloat": "float", "string_view": "string"}


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

    names: tuple[Hashable, ...]
    columns: Any
    are_groups: bool = False

    def column(self, i: int) -> Any:
        """Return one column."""
        if isinstance(self.columns, list):
            return self.columns[i]
        columns = self.columns.toarray() if sparse.issparse(self.columns) else self.columns
        return columns[:, i]

    def matrix(self) -> Any:
        """Return the columns as an array, of bytes if they hold 0 and 1, or as a csr_array."""
        if not isinstance(self.columns, list):
            return self.columns
        return np.column_stack([_compact(np.asarray(column)) for column in self.columns])


def _compact(column: Array) -> Array:
    """Return whole numbers as bytes if they are 0 and 1."""
    is_whole = column.dtype.kind in "bui"
    is_binary = is_whole and column.min(initial=0) >= 0 and column.max(initial=0) <= 1
    return column.astype(np.uint8) if is_binary else column


def read_input(values: Any, argument: str) -> Any:
    """Return an input as one column, a numpy or pandas array, or as a table of several."""
    is_groups = isinstance(values, OverlappingGroups)
    given = _read_columns(values.values if is_groups else values, argument)
    if is_groups and not isinstance(given, Table):
        raise ValueError(f"{argument}: OverlappingGroups must have columns; received one")
    if is_groups:
        return Table(values.names or given.names, given.columns, are_groups=True)
    if isinstance(given, Table) and len(given.names) == 1:
        return pd.Series(given.column(0), name=given.names[0])
    return given


def _read_columns(values: Any, argument: str) -> Any:
    """Return one column as an array, or any number of columns as a table."""
    values = to_plain(values)
    if isinstance(values, list | tuple) and len(values):
        values = _read_list(values, argument)
    elif sparse.issparse(values):
        values = values.toarray() if values.ndim == 1 else sparse.csr_array(values)
    if isinstance(values, np.ndarray) or sparse.issparse(values):
        if values.ndim not in (1, 2):
            raise ValueError(f"{argument} must have one or two dimensions; received {values.ndim}")
        return values if values.ndim == 1 else Table(tuple(range(values.shape[1])), values)
    if not isinstance(values, Mapping | pd.DataFrame):
        frame = nw.from_native(values, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            raise ValueError(f"{argument} must be in memory; received a {type(values).__name__}")
        if not isinstance(frame, nw.DataFrame):
            return to_array(values, argument)
        values = {name: frame[name].to_native() for name in frame.columns}
    return Table(tuple(values), [to_array(column, argument) for _, column in values.items()])


def to_plain(values: Any) -> Any:
    """Return tensors, masked arrays, record batches and rare types as what all others read."""
    if hasattr(values, "detach") and hasattr(values, "cpu"):  # A tensor on any device.
        values = values.detach().cpu().numpy()
    if isinstance(values, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(values), to_objects([None]), values.data)
    if isinstance(values, np.ndarray):
        return values.astype(np.float32) if values.dtype == np.float16 else values
    arrow = nw.dependencies.get_pyarrow()
    if arrow is not None and isinstance(values, arrow.RecordBatch):
        return arrow.Table.from_batches([values])
    if hasattr(type(values), "columns"):  # A frame, whose columns may be called "type".
        return values
    dtype = getattr(values, "dtype", getattr(values, "type", None))
    common = _COMMON.get(str(getattr(dtype, "pyarrow_dtype", dtype)))
    if common is None:
        return values
    if isinstance(values, pd.Series):
        return pd.Series(values.to_list(), values.index, dtype=object, name=values.name)
    if arrow is not None and isinstance(values, arrow.Array | arrow.ChunkedArray):
        return arrow.array(values.to_pylist(), common)  # Old versions cast no views.
    return values.astype(common)


def _read_list(values: Sequence[Any], argument: str) -> Any:
    """Return a list of rows as a matrix, and any other list as it is; raise for several columns."""
    if isinstance(values[0], np.ndarray | pd.Series | pd.DataFrame):
        several = "a frame such as pd.DataFrame({'race': race, 'sex': sex})"
        if argument in (PREDICTION, SCORE):
            several = "a mapping of models"
        rule = f"{argument} must be one array, or several in {several}"
        raise ValueError(f"{rule}; received a list of arrays")
    if isinstance(values[0], list | tuple):
        return np.array([list(row) for row in values], dtype=object)
    return values


def name_of(values: Any) -> Any:
    """Return the name of a column, or those of several columns that are crossed, or None."""
    if isinstance(values, Table):
        is_named = not values.are_groups and all(isinstance(name, str) for name in values.names)
        return values.names if is_named else None
    name = getattr(values, "name", None)
    return name if isinstance(name, str) else None


def are_one_column(first: Any, second: Any) -> bool:
    """Return whether two inputs have one name, are one object, or views of the same memory."""
    if isinstance(first, str) and isinstance(second, str):
        return first == second
    # Each time that a frame is asked for a column, pandas makes a new series.
    both = [x.values if isinstance(x, pd.Series) else x for x in (first, second)]
    memory, other = (getattr(x, "__array_interface__", id(x)) for x in both)
    return bool(memory == other)


def to_array(values: Any, argument: str) -> Any:
    """Return one column as a numpy or pandas array."""
    values = to_plain(values)
    if isinstance(values, np.ndarray | pd.Series | pd.Categorical):
        return values
    if isinstance(getattr(values, "null_count", None), int):  # Arrow, whose numbers stay exact.
        if hasattr(values.type, "storage_type"):  # Such as a period, a number for Arrow.
            return values.to_pandas()
        is_plain = not (values.null_count or getattr(values.type, "tz", None))
        return values.to_numpy(False) if is_plain else to_objects(values.to_pylist())
    series = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        dtype = series.dtype
        if dtype == nw.Unknown:
            return to_array(series.to_arrow(), argument)
        # Numpy makes matrices of nested columns, and has no large numbers.
        is_rare = dtype.is_nested() or dtype in (nw.Int128, nw.UInt128)
        if series.null_count() or getattr(dtype, "time_zone", None) or is_rare:
            return to_objects(series.to_list())
        return to_array(series.to_numpy(), argument)
    if hasattr(values, "__array__") and not isinstance(values, pd.Index):
        return np.asarray(values)
    if isinstance(values, str | bytes):
        rule = f"{argument}={values!r:.80} names a column"
        raise ValueError(f"{rule}. Pass an array, or data first as in audit(frame, ...).")
    if not isinstance(values, Collection) or isinstance(values, Set | Mapping):
        received = type(values).__name__
        raise ValueError(f"{argument} must be a column of values; received a {received}")
    return to_objects(values)


def to_objects(values: Iterable[Any]) -> Array:
    """Return values as they are, in an array."""
    objects = list(values)
    array = np.empty(len(objects), dtype=object)
    array[:] = objects
    return array


# The index of pandas inputs.


def level_of_index(values: Any, level: str) -> Any:
    """Return a level of the index of a pandas input, which a text in place of labels names."""
    index: Any = getattr(values, "index", None)
    n = [*index.names].count(level) if isinstance(index, pd.Index) else 0
    if n > 1:
        rule = f"{n} levels of y_true's index have the name {listing([level])}"
        raise ValueError(f"{rule}: rename them.")
    if n == 0:
        remedy = f"Write y.set_axis(pd.Index({level:.40}, name={listing([level])}))"
        raise ValueError(f"y_true's index has no level {listing([level])}. {remedy}.")
    return index.get_level_values(level).to_series(index=index, name=level)


def warn_of_order(inputs: Iterable[tuple[str, Any]]) -> None:
    """Warn if pandas inputs have the same index labels in another order: rows pair by position."""
    first: tuple[str, pd.Index[Any]] | None = None
    for argument, values in inputs:
        for column in values.values() if isinstance(values, Mapping) else [values]:
            index = getattr(column, "index", None)
            if not isinstance(index, pd.Index):
                continue
            # What a model returns has often no index but the positions.
            is_of_model = argument in (*PREDICTED.values(), SCORE)
            if is_of_model and index.equals(pd.RangeIndex(len(index))):
                continue
            first = first or (argument, index)
            if _are_in_another_order(first[1], index):
                problem = "have the same index labels in another order, but rows pair by position"
                warn(f"{first[0]} and {argument} {problem}")
                return


def _are_in_another_order(labels: pd.Index[Any], others: pd.Index[Any]) -> bool:
    """Return whether two indexes hold the same distinct labels in another order."""
    if len(labels) != len(others) or labels.equals(others) or not labels.is_unique:
        return False
    return bool(labels.isin(others).all())


# Numbers.


def read_numbers(values: Any, argument: str, counts: Any = 1) -> Array:
    """Return the weight of each row, its number of rows ("count"), or that of its cluster.

    An error says how many rows have no value; each stands for as many as ``counts`` says.
    """
    column = to_array(values, argument)
    if column.ndim != 1:
        raise ValueError(f"{argument} must be one column; received the shape {column.shape}")
    if argument == "clusters":
        clusters, names = factorize(column, argument)
        if pd.api.types.infer_dtype(names) in ("mixed", "mixed-integer"):
            ordered(names, argument)  # Refuses names that look the same.
        _check_complete(clusters < 0, argument, counts)
        return clusters
    numbers = to_numbers(column, argument)
    _check_complete(np.isnan(numbers), argument, counts)
    is_valid = np.isfinite(numbers) & (numbers >= 0)
    if argument == "count":
        is_valid &= (numbers % 1 == 0) & (numbers.sum() < 2**53)
        check_all(is_valid, numbers, "count must be whole, not negative and below 2**53 in all")
        return numbers.astype(np.int64)
    check_all(is_valid, numbers, f"{argument} must be finite and not negative")
    total = float(numbers.sum())
    # Floats cannot hold the products of others.
    if len(numbers) and not 1e-100 <= total <= 1e100:
        rule = f"{argument} must have a sum between 1e-100 and 1e100, and not be all zero"
        raise ValueError(f"{rule}; received {total:g}")
    return numbers


def _check_complete(is_missing: Array, argument: str, counts: Any) -> None:
    """Raise with the number of rows that have no value, if there are any."""
    if is_missing.any():
        n = np.resize(counts, len(is_missing))[is_missing].sum()
        raise ValueError(f"{argument} must not have missing values; received {n}. Drop them.")


def to_numbers(values: Any, argument: str) -> Array:
    """Return numbers of any type as floats; missing ones are NaN."""
    try:
        if values.dtype.kind in "mM":  # Times, which numpy would take for numbers.
            raise TypeError
        if not isinstance(values, np.ndarray) or values.dtype == object:
            values = np.where(pd.isna(values), np.nan, values)
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        texts = (x for x in np.ravel(values).tolist() if isinstance(x, str))
        received = next(texts, values.dtype)
        raise ValueError(f"{argument} must hold numbers; received {received!r:.60}") from None


def check_all(are_valid: Array, numbers: Array, rule: str) -> None:
    """Raise with the first number that is not valid, if there is one."""
    if not are_valid.all():
        raise ValueError(f"{rule}; received {numbers[~are_valid][0]}")
