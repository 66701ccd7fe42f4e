"""Frames and streams of frames, read as variables or tallied on their own engines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from biasamp_adapters._progress import progress
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.counting import (
    MAX_WEIGHTED_CELLS,
    add_rows,
    count_tally,
    tally_for,
)
from biasamp_adapters.counts.labels import lookup, ordered
from biasamp_adapters.counts.options import Options
from biasamp_adapters.counts.sources import FrameColumns, Sources, read_table
from biasamp_adapters.inputs.columns import Column, NoRowsError, Weights, check_lengths
from biasamp_adapters.inputs.frames import as_frame, check_columns, grouped

T = TypeVar("T")


def read_frame(frame: Any, columns: FrameColumns, options: Options) -> Sources:
    """The variables of a frame; of one on an engine, only its distinct rows are fetched."""
    names, repeated = columns.every, None
    table = as_frame(frame)
    if not isinstance(table, nw.DataFrame):
        table, repeated = _distinct_rows(frame, names)
    check_columns(table.columns, names)
    return replace(read_table(table, columns, options.labels), repeated=repeated)


def _distinct_rows(frame: Any, names: Sequence[str]) -> tuple[nw.DataFrame[Any], Array]:
    """The distinct rows of some columns, fetched from their engine, and how often each is there."""
    coded, sums = grouped(frame, names, None)
    # Engines promise no order of rows; what is drawn from them should not depend on it.
    order = np.lexsort([_ranks(codes, labels) for codes, labels in coded])
    ordered_keys = [(codes[order], labels) for codes, labels in coded]
    return labelled_frame(names, ordered_keys, len(order)), sums[0][order]


def labelled_frame(
    names: Sequence[str], coded: Sequence[tuple[Array, Sequence[Label]]], n_rows: int
) -> nw.DataFrame[Any]:
    """A frame of columns that are given as codes and their labels; None where missing."""
    values = {}
    for name, (codes, labels) in zip(names, coded, strict=True):
        book = np.empty(len(labels) + 1, dtype=object)
        book[: len(labels)], book[-1] = list(labels), None
        column = pd.Series(book[codes.astype(np.intp)])
        # Beside None, pandas would infer floats for whole numbers that they do not hold.
        values[name] = column if (codes < 0).any() else column.infer_objects()
    return nw.from_native(pd.DataFrame(values, index=range(n_rows)), eager_only=True)


def _ranks(codes: Array, labels: Sequence[Label]) -> Array:
    """Codes in the order of the labels and not of their appearance; -1 where missing."""
    return np.append(lookup(labels, ordered(labels)), -1)[codes.astype(np.intp)]


class FrameTally:
    """Tallies the label columns of frames, one after the other, each on its own engine."""

    def __init__(self, columns: FrameColumns, options: Options) -> None:
        self._keys = columns.keys_of_labels
        self._weight, self._options = columns.weight, options
        self._by_weight = options.by_weight and columns.weight is not None
        self._sources = columns.sources()
        self._tally = tally_for(len(self._keys), by_weight=self._by_weight)

    def add(self, frame: Any) -> None:
        """Tally the rows of a frame.

        Raises
        ------
        NoRowsError
            If it has none.
        """
        keys, weight = self._keys, self._weight
        if not isinstance(frame, pd.DataFrame):
            most = MAX_WEIGHTED_CELLS if self._by_weight else None
            self._tally.add(*grouped(frame, keys, weight, most))
            return
        # Several times faster through numpy than through the frame's own group-by.
        check_columns(frame.columns, [*keys, *([] if weight is None else [weight])])
        if frame.empty:
            raise NoRowsError("the frame")
        columns = [Column(frame[key], f"column {key!r}") for key in keys]
        weights = None if weight is None else Weights(frame[weight], f"column {weight!r}")
        check_lengths([*columns, *([] if weights is None else [weights])])
        add_rows(self._tally, columns, weights, by_weight=self._by_weight)

    def counted(self) -> dict[str, Any]:
        """The fields of the counts of all frames."""
        return count_tally(self._tally.cells(), self._sources, self._options)


def each_chunk(
    chunks_of_rows: Iterable[Any], function: Callable[[Any], T], total: int | None
) -> Iterator[T]:
    """What a function makes of each chunk that has rows; a bar shows progress on a terminal.

    Raises
    ------
    NoRowsError
        If no chunk has a row.
    ValueError
        What the function raises, with the number of the chunk.
    """
    counted = False
    steps = ((1, chunk) for chunk in chunks_of_rows)
    for number, chunk in enumerate(progress(steps, total, "Counting chunks"), start=1):
        try:
            found = function(chunk)
        except NoRowsError:
            continue
        except (TypeError, ValueError) as error:
            raise type(error)(f"in chunk {number}, {error}") from None
        counted = True
        yield found
    if not counted:
        raise NoRowsError("chunks")


def balanced_sum(parts: Iterable[Any]) -> Any:
    """The sum of at least one part; like with like, so that large sums are added up rarely."""
    sums: list[tuple[int, Any]] = []
    for part in parts:
        sums.append((1, part))
        while len(sums) > 1 and sums[-2][0] <= sums[-1][0]:
            _add_last(sums)
    while len(sums) > 1:
        _add_last(sums)
    return sums[0][1]


def _add_last(sums: list[tuple[int, Any]]) -> None:
    (n, first), (m, second) = sums[-2:]
    sums[-2:] = [(n + m, first + second)]
