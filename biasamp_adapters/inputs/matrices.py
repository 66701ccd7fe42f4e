"""Matrices of indicators, one column per label or group, read in dense chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters._typing import REAL, Array, Label, is_real
from biasamp_adapters.inputs.order import Index, index_of


class Indicators:
    """A matrix whose columns are the groups of a protected attribute.

    A row may belong to no group or to several. The wrapper is needed because two plain columns
    would be taken for two attributes to be crossed.

    Parameters
    ----------
    values : array-like of shape (n, groups)
        0 or 1; of a predicted attribute also probabilities. A numpy array, a pandas, polars or
        pyarrow table, a scipy sparse matrix or a list of rows. For counts from a frame: the names
        of its columns.
    names : sequence, optional
        Names of the groups. By default the column names, or 0, 1, ... if there are none.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> group = bam.Indicators([[1, 0], [1, 1], [0, 1], [0, 0]], names=["woman", "man"])
    >>> dog = [[1], [1], [0], [0]]
    >>> metric = bam.DirectionalBiasAmplification(direction="A->T")
    >>> metric(dog, [[1], [1], [1], [0]], sensitive_features=group)
    -0.25
    """

    def __init__(self, values: Any, names: Sequence[Label] | None = None) -> None:
        self.values = values
        self.names = names if names is None or isinstance(names, str) else tuple(names)

    @property
    def index(self) -> Index:
        """The index of the rows of a pandas frame; None of other values."""
        return index_of(self.values)

    def __repr__(self) -> str:
        names = "" if self.names is None else f", names={[*self.names]}"
        shape = self.values.shape if hasattr(self.values, "shape") else len(self.values)
        return f"<Indicators: {shape}{names}>"


def is_matrix(values: Any) -> bool:
    """Whether an input has columns: a two-dimensional array, a table, a list of rows."""
    if isinstance(values, np.ndarray):
        return values.ndim == 2
    if isinstance(values, Indicators | pd.DataFrame) or hasattr(values, "tocsr"):
        return True
    if isinstance(values, pd.Series):
        return False
    if isinstance(values, list | tuple):
        rows = (list, tuple, np.ndarray)
        return len(values) > 0 and isinstance(values[0], rows)
    if hasattr(values, "detach"):
        return bool(values.ndim == 2)
    return isinstance(nw.from_native(values, pass_through=True), nw.DataFrame)


def without_gradients(values: Any) -> Any:
    """A PyTorch tensor on any device as a numpy array; other values unchanged."""
    return np.asarray(values.detach().cpu()) if hasattr(values, "detach") else values


def one_shape(tasks: Sequence[Any]) -> list[Any]:
    """Task arrays; if one of them is a vector, matrices of one column become vectors.

    Otherwise such a matrix is a label matrix. Arrays may be None.
    """
    if not any(values is not None and not is_matrix(values) for values in tasks):
        return list(tasks)
    return [_only_column(values) for values in tasks]


def _only_column(values: Any) -> Any:
    """The only column of a matrix as a vector; anything else unchanged."""
    if values is None or isinstance(values, Indicators) or not is_matrix(values):
        return values
    if isinstance(values, list | tuple):
        alone = all(isinstance(row, list | tuple | np.ndarray) and len(row) == 1 for row in values)
        return [row[0] for row in values] if alone else values
    if values.shape[1] != 1:
        return values
    if isinstance(values, pd.DataFrame):
        return values.iloc[:, 0]
    if hasattr(values, "tocsr"):
        return values.toarray()[:, 0]
    values = without_gradients(values)
    if isinstance(values, np.ndarray):
        return values[:, 0]
    frame = nw.from_native(values)
    return frame[frame.columns[0]]


class Matrix:
    """An n x K input that is read in chunks.

    Parameters
    ----------
    values : array-like of shape (n, K)
    name : str
        Name of the input, for errors.
    names : sequence, optional
        Names of the columns.
    soft : bool
        Whether probabilities are allowed beside 0 and 1.

    Attributes
    ----------
    labels : tuple
        Names of the columns: those given, the table's own, or 0, 1, ...
    named : bool
        Whether the columns have names, by which they are matched with others.
    index : pandas.Index or None
        The index of a pandas input.
    found_soft : bool
        Whether a chunk so far held a number strictly between 0 and 1.
    """

    def __init__(
        self, values: Any, name: str, names: Sequence[Label] | None = None, *, soft: bool
    ) -> None:
        self.name = name
        self.index = index_of(values)
        self._values, own_names = _two_dimensional(values, name)
        width = self._values.shape[1]
        if width == 0:
            raise ValueError(f"{name} must have at least one column; received none")
        if names is not None and len(names) != width:
            raise ValueError(
                f"names must name each of the {width} columns of {name}; received {list(names)}"
            )
        self.named = names is not None or own_names is not None
        self.labels: tuple[Label, ...] = tuple(names or own_names or range(width))
        if len(set(self.labels)) < width:
            raise ValueError(f"{name} must have distinct columns; received {list(self.labels)}")
        self._soft = soft
        self.found_soft = False

    def __len__(self) -> int:
        return int(self._values.shape[0])

    def read(self, start: int, stop: int, order: Array) -> tuple[Array, Array | None]:
        """Rows ``start`` to ``stop``, with the columns in ``order``.

        Returns
        -------
        values : ndarray of int8 or float64, shape (rows, K)
            int8 where all are 0 or 1, whatever their type was; otherwise probabilities.
        missing : ndarray of bool, shape (rows,), or None
            Rows with a missing value, which are 0 in ``values``.
        """
        block = _dense(self._values[start:stop], self.name)
        if len(order) != block.shape[1] or (order != np.arange(len(order))).any():
            block = block[:, order]
        if block.dtype.kind in "biu":
            block = block if block.dtype.isnative else block.astype(block.dtype.newbyteorder("="))
            # As unsigned integers, negative values are far above 1, so one pass finds both.
            unsigned = block.view(f"u{block.dtype.itemsize}")
            if unsigned.max(initial=0) > 1:
                self._refuse(block, unsigned > 1, order)
            return np.ascontiguousarray(block, dtype=np.int8), None
        whole = _as_whole(block)
        if whole is not None:
            return whole, None
        block = block.astype(np.float64, order="C")
        absent = np.isnan(block)
        missing = np.asarray(absent.any(axis=1))
        self._check_whole_rows(absent, missing)
        block[missing] = 0
        outside = (block < 0) | (block > 1)
        if outside.any():
            self._refuse(block, outside, order)
        whole = _as_whole(block)
        if whole is None:
            self.found_soft = True
            if not self._soft:
                self._refuse(block, (block > 0) & (block < 1), order)
        return block if whole is None else whole, missing if missing.any() else None

    def _refuse(self, values: Array, wrong: Array, order: Array) -> None:
        row, column = np.argwhere(wrong)[0].tolist()
        label = self.labels[order[column]]
        rule = "0 and 1, or probabilities between them" if self._soft else "0 and 1"
        value = float(values[row, column])
        short = f"{value:g}"
        shown = short if float(short) == value else repr(value)
        raise ValueError(f"{self.name} must hold {rule}; received {shown} in column {label!r}")

    def _check_whole_rows(self, absent: Array, missing: Array) -> None:
        some = missing & ~absent.all(axis=1)
        if some.any():
            row = int(np.flatnonzero(some)[0])
            raise ValueError(
                f"a row of {self.name} must be missing as a whole or not at all; received one with "
                f"{int(absent[row].sum())} of {absent.shape[1]} values missing"
            )


def _two_dimensional(values: Any, name: str) -> tuple[Any, Sequence[Label] | None]:
    """Values whose rows can be sliced, and their column names or None."""
    values = without_gradients(values)
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        values = np.where(mask, np.nan, values.data) if mask.any() else values.data
    if isinstance(values, pd.DataFrame):
        return _Frame(values), values.columns.tolist()
    if hasattr(values, "tocsr"):
        if len(values.shape) != 2:
            raise ValueError(
                f"{name} must have two dimensions, rows and columns; received the shape "
                f"{values.shape}"
            )
        return values.tocsr(), None
    if isinstance(values, Mapping):
        return _Frame(pd.DataFrame(values)), list(values)
    if not isinstance(values, np.ndarray | list | tuple):
        frame = nw.from_native(values, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return frame, frame.columns
        if not hasattr(values, "__array__"):
            raise ValueError(
                f"{name} must be a matrix or table; received a {type(values).__name__}"
            )
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2:
        shape = f"the shape {array.shape}" if array.size else "rows of different lengths"
        raise ValueError(f"{name} must have two dimensions, rows and columns; received {shape}")
    return array, None


class _Frame:
    """A pandas frame whose rows are sliced by position."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self.shape = frame.shape
        dtypes = set(frame.dtypes)
        extended = [dtype for dtype in dtypes if not isinstance(dtype, np.dtype)]
        self._conversion: dict[str, Any] = {}
        if np.dtype(object) in dtypes or not all(map(pd.api.types.is_numeric_dtype, extended)):
            self._conversion = {"dtype": object}
        elif extended:
            self._conversion = {"dtype": np.float64, "na_value": np.nan}
        elif dtypes and all(dtype.kind in "biuf" for dtype in dtypes):
            # pandas would make objects of booleans and integers.
            self._conversion = {"dtype": np.result_type(*dtypes)}

    def __getitem__(self, rows: slice) -> Array:
        return self._frame.iloc[rows].to_numpy(**self._conversion)


def _as_whole(block: Array) -> Array | None:
    """A block of floats that are all 0 or 1 as int8; otherwise None."""
    ones, others = np.equal(block, 1, order="C"), np.not_equal(block, 0, order="C")
    return ones.view(np.int8) if np.array_equal(ones, others) else None


def _dense(block: Any, name: str) -> Array:
    """A block of rows as a numeric array, NaN where a value is missing."""
    if hasattr(block, "toarray"):
        block = block.toarray()
    array = np.asarray(block.to_numpy() if isinstance(block, nw.DataFrame) else block)
    if array.dtype.kind in "biuf":
        return array
    items = array.ravel().tolist()
    if all(issubclass(kind, REAL | None) for kind in set(map(type, items))):
        return array.astype(np.float64)
    wrong = [item for item in items if not (item is None or item is pd.NA or is_real(item))]
    if wrong:
        raise ValueError(f"{name} must hold numbers, 0 and 1; received values such as {wrong[0]!r}")
    return np.array(
        [float(item) if is_real(item) else np.nan for item in items], dtype=np.float64
    ).reshape(array.shape)
