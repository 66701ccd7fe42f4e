"""Columns of any array type, read in chunks as integer codes and their labels."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label, as_float, is_real
from biasamp_adapters.inputs.matrices import Indicators, without_gradients
from biasamp_adapters.inputs.order import index_of, warn_of_order

#: Rows coded at a time. Small enough to stay in the cache and to bound the memory of a count.
CHUNK_ROWS = 2**16

#: An integer chunk whose values span at most this much is coded by subtraction, without a hash.
_MAX_INTEGER_SPAN = 2**12 - 1

MISSING = -1

#: The hint for those who hand over a table, a path or the name of a column as an array.
OF_TABLES = "audit_frame takes a table or files, and the names of columns"

#: Floats cannot hold squares and products of weights above this, nor of totals outside of this and
#: its inverse.
LARGEST_WEIGHT = 1e100


class NoRowsError(ValueError):
    """There is not a single row to count; in a stream, such chunks are skipped."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} must have at least one row; received none")


class Column:
    """A one-dimensional input that is read in chunks of codes.

    Parameters
    ----------
    values : array-like of shape (n,)
        A list, tuple, numpy array, or a Series or column of pandas, polars or pyarrow.
    name : str
        Name of the argument or column, for errors.

    Attributes
    ----------
    index : pandas.Index or None
        The index of a pandas input.
    """

    def __init__(self, values: Any, name: str) -> None:
        self.name = name
        self.index = index_of(values)
        self._values = _one_dimensional(values, name)

    def __len__(self) -> int:
        return len(self._values)

    def chunk(self, start: int, stop: int) -> tuple[Array, Sequence[Label]]:
        """Codes of rows ``start`` to ``stop`` and the labels they stand for.

        Codes are unsigned, or signed with -1 where a value is missing.
        """
        values = self._values[start:stop]
        try:
            if isinstance(values, nw.Series):
                present = ~values.is_null().to_numpy().astype(bool)
                codes = np.full(len(values), MISSING, dtype=np.intp)
                codes[present], labels = _code(values.drop_nulls().to_numpy())
            else:
                codes, labels = _code(values)
            hash(tuple(labels))
            self._check(labels)
        except TypeError:
            raise ValueError(
                f"{self.name} must hold labels such as strings, numbers or booleans; "
                f"received {values[0]!r}"
            ) from None
        return codes, labels

    def numbers(self, start: int, stop: int) -> Array:
        """Numbers of rows ``start`` to ``stop``, NaN where a value is missing.

        Raises
        ------
        ValueError
            If a value is not a number.
        """
        return _numbers(self._values[start:stop], self.name)

    def _check(self, labels: Sequence[Label]) -> None:
        """Raise for values that a conversion turned into labels: missing values and Indicators."""
        kind = getattr(getattr(self._values, "dtype", None), "kind", "")
        if kind == "U" and "nan" in labels:
            raise ValueError(
                f"{self.name} must not hold the text 'nan' in a numpy array of strings: numpy, and "
                "Fairlearn's MetricFrame with it, writes a missing value so; pass a list, a Series "
                "or an array of objects, where a missing value stays one (a MetricFrame always "
                "makes text of it: leave such rows out before, or use amplification_frame)"
            )
        if Indicators in map(type, labels):
            raise ValueError(
                f"{self.name} must hold labels; received Indicators repeated once a row: a "
                "MetricFrame cannot split them; call the metric itself, or amplification_frame"
            )


class Weights(Column):
    """A column of weights, which must be finite, not negative and not above 1e100."""

    def __init__(self, values: Any, name: str) -> None:
        super().__init__(values, name)
        self._bad: list[float] = []
        self._n_bad = 0

    def numbers(self, start: int, stop: int, n: Array | None = None) -> Array:
        """The weights of rows ``start`` to ``stop``, each of which occurs ``n`` times.

        Invalid weights are returned as 0 and reported by :meth:`check`.
        """
        weight = super().numbers(start, stop)
        bad = ~((weight <= LARGEST_WEIGHT) & (weight >= 0))
        if bad.any():
            self._bad += weight[bad][:1].tolist()
            self._n_bad += int(bad.sum() if n is None else n[bad].sum())
            weight = np.where(bad, 0, weight)
        return weight

    def check(self) -> None:
        """Raise if any weight so far broke the rule."""
        if self._n_bad:
            raise ValueError(bad_weights(self.name, self._bad[0], self._n_bad))


def bad_weights(name: str, value: float, n_rows: int) -> str:
    """The error message for invalid weights."""
    rule = f"at most {LARGEST_WEIGHT:g}" if 0 <= value < np.inf else "finite and not negative"
    return f"{name} must be {rule}; received {value} in {n_rows} row(s)"


def check_total_weight(total: float) -> None:
    """Raise for weights whose sum is 0, or too small or large for products of sums."""
    if not total > 0:
        raise ValueError("weights must have a positive sum; received only zeros")
    if not 1 / LARGEST_WEIGHT <= total <= LARGEST_WEIGHT:
        raise ValueError(
            f"weights must have a sum between {1 / LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}; "
            f"received {total:g} (multiply all by the same number)"
        )


def read_weights(sample_weight: Any, beside: tuple[str, int] | None = None) -> Array:
    """Weights of all rows, which must be finite and not negative, and not all 0.

    ``beside`` is the name and the length of an input that must have as many rows.
    """
    weights = Weights(sample_weight, "sample_weight")
    if beside is not None:
        check_same_length(dict([("sample_weight", len(weights)), beside]))
    numbers = weights.numbers(0, len(weights))
    weights.check()
    check_total_weight(float(numbers.sum()))
    return numbers


def check_same_length(lengths: Mapping[str, int]) -> None:
    """Raise unless inputs, whose lengths are given by their names, are equally long."""
    if len(set(lengths.values())) > 1:
        received = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ValueError(f"inputs must have the same length; received {received}")


def _one_dimensional(values: Any, name: str) -> Any:
    """Values that can be sliced: a numpy array, a pandas array or a narwhals Series."""
    if type(values) is np.ndarray and values.ndim == 1:
        return values
    if hasattr(values, "toarray"):
        raise ValueError(
            f"{name} must be a column of values; received a sparse array of the shape "
            f"{values.shape} (columns that are groups are wrapped in Indicators)"
        )
    values = without_gradients(values)
    if isinstance(values, np.ma.MaskedArray):
        values = _unmasked(values)
    if isinstance(values, pd.Series | pd.Index) and not isinstance(values, pd.MultiIndex):
        values = values.array
        return values.to_numpy() if isinstance(values, pd.arrays.NumpyExtensionArray) else values
    if isinstance(values, pd.api.extensions.ExtensionArray):
        return values
    unordered = isinstance(values, str | bytes | Mapping | Set | pd.MultiIndex)
    if isinstance(values, Iterator):
        values = list(values)
    plain = isinstance(values, np.ndarray | list | tuple)
    native = None if plain else nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(native, nw.Series):
        return native
    if isinstance(values, str | os.PathLike) or isinstance(native, nw.LazyFrame):
        table = f"a {type(values).__name__}" if isinstance(native, nw.LazyFrame) else repr(values)
        raise ValueError(f"{name} must be a column of values; received {table} ({OF_TABLES})")
    if unordered or not hasattr(values, "__len__"):
        # A collection would be shown with all that it holds.
        many = unordered and not isinstance(values, str | bytes)
        received = f"a {type(values).__name__}" if many else repr(values)
        raise ValueError(f"{name} must be a column of values; received {received}")
    if not isinstance(values, np.ndarray):
        values = np.asarray(values) if hasattr(values, "__array__") else _from_items(values, name)
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension; received the shape {values.shape}")
    return values


def _unmasked(values: Any) -> Array:
    """A masked array as a plain one, None where it is masked."""
    mask = np.ma.getmaskarray(values)
    plain = values.data
    return np.asarray(np.where(mask, None, plain.astype(object)) if mask.any() else plain)


def _holds_rows(items: Any) -> bool:
    """Whether a list holds lists or arrays, which its few types tell faster than its items."""
    return any(issubclass(kind, list | np.ndarray) for kind in set(map(type, items)))


def _from_items(items: Any, name: str) -> Array:
    if _holds_rows(items):
        try:
            return np.asarray(items)
        except ValueError:
            raise ValueError(
                f"{name} must have one dimension; received rows of different lengths"
            ) from None
    # As objects: numpy would turn [1, "a"] into two strings, and tuples into rows of a matrix.
    values = np.empty(len(items), dtype=object)
    values[:] = list(items)
    return values


def _code(values: Any) -> tuple[Array, Sequence[Label]]:
    """Codes and labels; unsigned codes say that nothing is missing."""
    if isinstance(values, pd.Categorical):
        return values.codes, values.categories.tolist()
    if isinstance(values, np.ndarray) and not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if isinstance(values, np.ndarray) and values.dtype.kind in "iub" and len(values):
        if values.dtype.kind == "b":
            return values.view(np.uint8), [False, True]
        low, high = values.min().item(), values.max().item()
        span = high - low
        if span <= _MAX_INTEGER_SPAN:
            # Wrapping around is harmless: the difference fits the unsigned type.
            narrow = values.astype(np.min_scalar_type(span))
            if low:
                narrow -= np.array(low).astype(narrow.dtype)
            return narrow, range(low, high + 1)
    codes, labels = pd.factorize(values)
    if getattr(labels, "dtype", None) is not None and labels.dtype.kind in "mM":
        labels = pd.Series(labels)
    names = labels.tolist()
    if not isinstance(values, np.ndarray):
        # Arrow distinguishes NaN from null, and pandas then factorizes NaN as a label.
        undefined = [
            i for i, label in enumerate(names) if isinstance(label, float) and label != label
        ]
        codes = np.where(np.isin(codes, undefined), MISSING, codes) if undefined else codes
    return codes, names


def _numbers(values: Any, name: str) -> Array:
    numeric = values.dtype.is_numeric() if isinstance(values, nw.Series) else None
    if numeric is None:
        numeric = pd.api.types.is_numeric_dtype(values.dtype) and values.dtype.kind != "c"
    if numeric and isinstance(values, pd.api.extensions.ExtensionArray):
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if numeric:
        return array.astype(np.float64)
    items = array.tolist()
    wrong = [item for item in items if not (item is None or item is pd.NA or is_real(item))]
    if wrong:
        raise ValueError(f"{name} must hold numbers; received values such as {wrong[0]!r}")
    return np.array([as_float(item) for item in items])


def name_of(values: Any) -> str | None:
    """The name that a column has itself, as a Series of pandas or polars may, or None."""
    label = None if isinstance(values, pd.MultiIndex) else getattr(values, "name", None)
    return None if label in (None, "") else str(label)


def read_columns(values: Any, name: str) -> list[tuple[str, Column]]:
    """Named columns of a one- or two-dimensional input: several columns are to be crossed.

    A frame keeps its column names and a mapping its keys; a matrix gets ``name_0, name_1, ...``,
    a Series its own name.

    Raises
    ------
    ValueError
        If there is no column, or the input is neither a column nor a table of them.
    """
    if isinstance(values, list) and _holds_rows(values):
        matrix = _from_items(values, name)
        if matrix.ndim == 2:
            # Transposed as objects, so that a row of a string and a number keeps both.
            rows = [list(row) for row in values]
            values = {
                f"{name}_{i}": list(column) for i, column in enumerate(zip(*rows, strict=True))
            }
    if isinstance(values, pd.DataFrame) and not values.columns.is_unique:
        raise ValueError(f"{name} must have distinct columns; received {values.columns.tolist()}")
    known = isinstance(values, np.ndarray | list | pd.Series | pd.DataFrame)
    native = values if known else nw.from_native(values, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        raise ValueError(f"{name} must be in memory; received a {type(values).__name__}")
    values = without_gradients(values)
    columns: list[tuple[str, Any]]
    if isinstance(values, Mapping):
        columns = [(str(key), column) for key, column in values.items()]
    elif isinstance(values, pd.DataFrame):
        columns = [(str(key), values.iloc[:, i]) for i, key in enumerate(values.columns)]
    elif isinstance(values, np.ndarray) and values.ndim == 2:
        columns = [(f"{name}_{i}", values[:, i]) for i in range(values.shape[1])]
    elif isinstance(native, nw.DataFrame):
        columns = [(key, native[key]) for key in native.columns]
    else:
        return [(name_of(values) or name, Column(values, name))]
    if not columns:
        raise ValueError(f"{name} must have at least one column; received none")
    return [(key, Column(column, f"{name}[{key!r}]")) for key, column in columns]


def check_lengths(columns: Sequence[Column]) -> int:
    """The common length of all columns; warns if their rows seem to be in different orders."""
    lengths = {column.name: len(column) for column in columns}
    check_same_length(lengths)
    n_rows = next(iter(lengths.values()))
    if n_rows == 0:
        raise NoRowsError("inputs")
    warn_of_order((column.name, column) for column in columns)
    return n_rows


def chunks(n_rows: int) -> Iterator[tuple[int, int]]:
    """Bounds of the chunks that cover ``n_rows`` rows."""
    for start in range(0, n_rows, CHUNK_ROWS):
        yield start, min(start + CHUNK_ROWS, n_rows)
