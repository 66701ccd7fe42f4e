"""Rows of label matrices in, their moments out, chunk by chunk in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.assemble import missing_message
from biasamp_adapters.counts.base import Axis
from biasamp_adapters.counts.matrices.layout import SILENT, Layout
from biasamp_adapters.counts.matrices.readers import Variables
from biasamp_adapters.counts.matrices.rows import Rows, compact, stacked
from biasamp_adapters.counts.matrices.second_moments import SecondMoments
from biasamp_adapters.counts.matrices.wanted import Wanted
from biasamp_adapters.inputs.columns import Column, Weights, check_lengths

#: Bytes that one chunk of rows may take, and rows: their sums are exact in float32.
_CHUNK, _CHUNK_ROWS = 2**22, 2**14


@dataclass
class Accumulated:
    """What adding up rows gave."""

    moments: dict[str, Array]
    dropped: int = 0
    soft_axes: frozenset[Axis] = frozenset()
    kept: list[Rows] = field(default_factory=list)
    second: SecondMoments | None = None

    @classmethod
    def zeros(cls, layout: Layout, *, weighted: bool) -> Accumulated:
        """The sums of no rows."""
        shape = layout.left.stop - layout.left.start, layout.width
        kinds = ("n", "w", "w2") if weighted else ("n",)
        return cls({kind: np.zeros(shape) for kind in kinds})

    def add(self, layout: Layout, rows: Array, n: Array | None, w: Array | None) -> None:
        """Add complete rows, each ``n`` times and of weight ``w``, to the moments."""
        weights = {"n": n}
        if w is not None:
            once = 1 if n is None else n
            weights |= {"w": once * w, "w2": once * w**2}
        for name, weight in weights.items():
            self.moments[name] += layout.moments(rows, weight)

    @property
    def rows(self) -> Rows | None:
        """The rows, if they were kept."""
        if not self.kept:
            return None
        units = [part.unit for part in self.kept if part.unit is not None]
        return Rows(
            stacked([part.base for part in self.kept]),
            np.concatenate([part.n for part in self.kept]),
            np.concatenate(units) if units else None,
        ).merged()


def accumulate(
    variables: Variables,
    layout: Layout,
    weight: Weights | None,
    wanted: Wanted,
    repeated: Array | None,
) -> Accumulated:
    """Add up the rows of all variables, each ``repeated`` times."""
    readers = variables.readers
    columns: list[Column] = [*readers.values(), *([] if weight is None else [weight])]  # type: ignore[list-item]  # names, lengths and indexes are read
    n_rows = check_lengths(columns)
    orders = {axis: variables.order(axis) for axis in readers}
    split = any(reader.may_be_split for reader in readers.values())
    exact = split or weight is not None or repeated is not None
    out = Accumulated.zeros(layout, weighted=weight is not None)
    absent = dict.fromkeys(readers, 0)
    dtype = np.dtype(np.float64 if exact else np.float32)
    step = min(_CHUNK_ROWS, max(1, _CHUNK // (layout.width * dtype.itemsize)))
    buffer = np.empty((step, layout.width), dtype=dtype)
    for start in range(0, n_rows, step):
        rows = buffer[: min(step, n_rows - start)]
        rows[:, layout.base] = 0
        stop = start + len(rows)
        n = np.ones(len(rows), dtype=np.int64) if repeated is None else repeated[start:stop]
        keep = np.ones(len(rows), dtype=bool)
        for axis, reader in readers.items():
            where = layout.blocks[axis]
            lost = reader.read(start, stop, rows[:, where], orders[axis])
            if lost is None:
                continue
            absent[axis] += int(n[lost].sum())
            if wanted.missing == "abstain" and axis.predicted:
                rows[lost, layout.blocks[SILENT[axis.role], axis.model]] = 1
            else:
                keep &= ~lost
        w = None if weight is None else weight.numbers(start, stop, n)
        out.dropped += int(n[~keep].sum())
        if not keep.all():
            rows, n = rows[keep], n[keep]
            w = None if w is None else w[keep]
        if not len(rows):
            continue
        layout.complete(rows)
        out.add(layout, rows, None if repeated is None else n, w)
        if wanted.squares:
            more = SecondMoments.of_rows(layout, rows, None if repeated is None else n, w)
            out.second = more if out.second is None else out.second + more
        if wanted.collects_rows:
            out.kept.append(Rows(compact(rows[:, layout.base]), n, w).merged())
    if weight is not None:
        weight.check()
    every = n_rows if repeated is None else int(repeated.sum())
    rule_missing(variables, absent, out, wanted, every)
    out.soft_axes = frozenset(axis for axis, reader in readers.items() if reader.found_soft)
    return out


def rule_missing(
    variables: Variables,
    absent: dict[Axis, int],
    out: Accumulated,
    wanted: Wanted,
    n_rows: int,
) -> None:
    """Raise for missing values that the rule does not allow."""
    for axis, count in absent.items():
        name = variables.readers[axis].name
        if count == n_rows and not wanted.partial:
            raise ValueError(f"{name} must hold values; all {count} are missing")
        allowed = wanted.missing == "drop" or (wanted.missing == "abstain" and axis.predicted)
        if count and not allowed:
            raise ValueError(missing_message(name, count, predicted=axis.predicted))
    if out.dropped == n_rows and not wanted.partial:
        raise ValueError(f"missing='drop' must leave rows; all {n_rows} have a missing value")
