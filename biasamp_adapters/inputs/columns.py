"""Columns of any array type, read in chunks as integer codes and their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label

#: Rows coded at a time. Small enough to stay in the cache and to bound the memory of a count.
CHUNK_ROWS = 2**17

#: An integer chunk whose values span at most this many is coded by subtraction, without a hash.
_MAX_INTEGER_SPAN = 2**12

MISSING = -1


class Column:
    """A one-dimensional input that hands out chunks of codes.

    Parameters
    ----------
    values : array-like of shape (n,)
        A list, tuple, numpy array, or a Series or column of pandas, polars or pyarrow.
    name : str
        What to call the input in an error: the argument or the column.
    """

    def __init__(self, values: Any, name: str) -> None:
        self.name = name
        self._values = _one_dimensional(values, name)

    def __len__(self) -> int:
        return len(self._values)

    def chunk(self, start: int, stop: int) -> tuple[Array, Sequence[Label]]:
        """Codes of rows ``start`` to ``stop`` (-1 where missing) and the labels they stand for."""
        values = self._values[start:stop]
        if isinstance(values, nw.Series):
            present = ~values.is_null().to_numpy().astype(bool)
            codes = np.full(len(values), MISSING, dtype=np.intp)
            codes[present], labels = _code(values.drop_nulls().to_numpy())
            return codes, labels
        return _code(values)

    def numbers(self, start: int, stop: int) -> Array:
        """Rows ``start`` to ``stop`` as floats."""
        values = self._values[start:stop]
        if isinstance(values, nw.Series):
            values = values.to_numpy()
        try:
            return np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"{self.name} must hold numbers; received values such as {values[0]!r}"
            ) from None


def _one_dimensional(values: Any, name: str) -> Any:
    """Something to slice: a numpy array, a pandas array or a narwhals Series."""
    if isinstance(values, pd.Series | pd.Index):
        values = values.array
        return values.to_numpy() if isinstance(values, pd.arrays.NumpyExtensionArray) else values
    if isinstance(values, pd.api.extensions.ExtensionArray):
        return values
    if isinstance(values, str | bytes) or values is None or np.isscalar(values):
        raise ValueError(f"{name} must be a column of values; received {values!r}")
    if not isinstance(values, np.ndarray | list | tuple):
        try:
            return nw.from_native(values, series_only=True)
        except TypeError:
            pass
    if not isinstance(values, np.ndarray):
        values = np.asarray(values) if hasattr(values, "__array__") else _from_items(list(values))
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension; received the shape {values.shape}")
    return values


def _from_items(items: list[Any]) -> Array:
    if any(isinstance(item, list | np.ndarray) for item in items):
        return np.asarray(items)
    # As objects: numpy would turn [1, "a"] into two strings, and tuples into rows of a matrix.
    values = np.empty(len(items), dtype=object)
    values[:] = items
    return values


def _code(values: Any) -> tuple[Array, Sequence[Label]]:
    if isinstance(values, pd.Categorical):
        return values.codes.astype(np.intp), values.categories.tolist()
    # Unsigned 64-bit values may not fit the signed offsets, so they take the hash below.
    if (
        isinstance(values, np.ndarray)
        and values.dtype.kind in "iub"
        and values.dtype != np.uint64
        and len(values)
    ):
        low, high = values.min().item(), values.max().item()
        if high - low < _MAX_INTEGER_SPAN:
            if isinstance(low, bool):
                return values.astype(np.intp), [False, True]
            offsets = np.subtract(values, low, dtype=np.int64)
            return offsets, range(low, high + 1)
    codes, labels = pd.factorize(values)
    if getattr(labels, "dtype", None) is not None and labels.dtype.kind in "mM":
        labels = pd.Series(labels)
    return codes, labels.tolist()


def read_columns(values: Any, name: str) -> list[tuple[str, Column]]:
    """Named columns of a one- or two-dimensional input: several columns are to be crossed.

    A frame keeps its column names and a mapping its keys; a matrix gets ``name_0, name_1, ...``,
    a Series its own name.
    """
    if isinstance(values, Mapping):
        return [(str(key), Column(column, f"{name}[{key!r}]")) for key, column in values.items()]
    if isinstance(values, pd.DataFrame):
        return [
            (str(key), Column(values.iloc[:, i], f"{name}[{key!r}]"))
            for i, key in enumerate(values.columns)
        ]
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return [
            (f"{name}_{i}", Column(values[:, i], f"{name}[:, {i}]")) for i in range(values.shape[1])
        ]
    if not isinstance(values, np.ndarray | list | tuple | pd.Series | pd.Index):
        frame = nw.from_native(values, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return [(key, Column(frame[key], f"{name}[{key!r}]")) for key in frame.columns]
    label = getattr(values, "name", None)
    return [(str(label) if label not in (None, "") else name, Column(values, name))]


def check_lengths(columns: Sequence[Column]) -> int:
    """The length that all columns share."""
    lengths = {column.name: len(column) for column in columns}
    if len(set(lengths.values())) > 1:
        received = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ValueError(f"inputs must have the same length; received {received}")
    n_rows = next(iter(lengths.values()))
    if n_rows == 0:
        raise ValueError("inputs must have at least one row; received none")
    return n_rows


def chunks(n_rows: int) -> Iterator[tuple[int, int]]:
    """Bounds of the chunks that cover ``n_rows`` rows."""
    for start in range(0, n_rows, CHUNK_ROWS):
        yield start, min(start + CHUNK_ROWS, n_rows)


def check_weights(weight: Array, name: str) -> Array:
    """Weights that are finite and not negative."""
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        raise ValueError(
            f"{name} must be finite and not negative; "
            f"received {weight[bad][0]} in {int(bad.sum())} row(s)"
        )
    return weight
