"""Counts of the slices of a table: disjoint parts, and unions of them, that are drawn together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import algebra
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.counts.cells import Cells
from biasamp_adapters.counts.collect import Collected, collect_arrays
from biasamp_adapters.counts.draws import BLOCK, batches, by_rows, poisson, resample
from biasamp_adapters.counts.joint import JointCounts
from biasamp_adapters.counts.tables import JointTables, sum_by
from biasamp_adapters.counts.tally import Tallied
from biasamp_adapters.inputs.columns import Column

#: The values that the rows of a slice share, one a column.
Key = tuple[Label, ...]


def count_slices(
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    sensitive_features_pred: Any,
    sample_weight: Any,
    *,
    slices: Sequence[Column],
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
) -> tuple[JointCounts, dict[Key, JointCounts]]:
    """Count arrays as a whole and by the values of further columns, in one pass.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight
        As in ``JointCounts.from_arrays``.
    slices : sequence of Column
        Rows are in one slice where they agree in all of them.
    labels, groups, missing
        As in ``JointCounts.from_arrays``.

    Returns
    -------
    whole : JointCounts
    parts : dict
        The counts of each slice, over the label lists of the whole. A slice whose rows were all
        dropped is not there.

    Raises
    ------
    ValueError
        As ``JointCounts.from_arrays`` does, and where a value in ``slices`` is missing.
    """
    collected = collect_arrays(
        y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, True, slices
    )
    tallied = collected.tally.cells()
    first = collected.n_columns
    last = first + collected.n_slices
    codes = tallied.codes[:, first:last]
    for column, values in zip(slices, codes.T, strict=True):
        if (values < 0).any():
            count = int(tallied.sums[0][values < 0].sum())
            raise ValueError(f"{column.name} must not have missing values; received {count}")
    of_axes = Tallied(
        np.delete(tallied.codes, slice(first, last), axis=1),
        tallied.sums,
        tallied.books[:first] + tallied.books[last:],
    )
    whole = JointCounts.of_tally(collected, of_axes, labels, groups, missing)
    whole.check_weights()
    keys, which = np.unique(codes, axis=0, return_inverse=True)
    parts = {}
    for i, key in enumerate(keys.tolist()):
        part = _part(collected, of_axes, which.reshape(-1) == i, whole, missing)
        if part is not None:
            names = tallied.books[first:last]
            parts[tuple(book[code] for book, code in zip(names, key, strict=True))] = part
    return whole, parts


def _part(
    collected: Collected, tallied: Tallied, keep: Array, whole: JointCounts, missing: Missing
) -> JointCounts | None:
    """Counts of some of the cells that were tallied; None where all of their rows are dropped."""
    if missing == "drop":
        columns = [i for source in collected.sources for i in source.columns]
        keep = keep & (tallied.codes[:, columns] >= 0).all(axis=1)
        if not keep.any():
            return None
    cells = Tallied(tallied.codes[keep], [values[keep] for values in tallied.sums], tallied.books)
    part = JointCounts.of_tally(collected, cells, whole.labels, whole.groups, missing)
    return algebra.over_levels(part, whole.levels)


@dataclass(frozen=True, eq=False)
class SlicedTables:
    """Tables drawn for unions of slices.

    Attributes
    ----------
    tables : dict of int to JointTables
        By the identity of the counts they are draws of.
    """

    tables: Mapping[int, JointTables]

    def __len__(self) -> int:
        return len(next(iter(self.tables.values())))

    def of(self, counts: object) -> JointTables:
        """The tables of one union."""
        return self.tables[id(counts)]


class Slices:
    """Unions of disjoint parts, whose tables come from the same draws of rows.

    Parameters
    ----------
    parts : sequence of JointCounts
        Disjoint, over the same label lists.
    unions : sequence of (JointCounts, positions)
        Counts of the rows of some of the parts.
    """

    def __init__(
        self,
        parts: Sequence[JointCounts],
        unions: Sequence[tuple[JointCounts, Sequence[int]]],
    ) -> None:
        arrays = [part.cells.arrays() for part in parts]
        self._n = np.concatenate([each["n"] for each in arrays])
        self._sums: tuple[Array, Array] | None = None
        if not parts[0].knows_rows:
            w, w2 = (np.concatenate([each[name] for each in arrays]) for name in ("w", "w2"))
            self._sums = w, w2
        starts = np.cumsum([0, *(len(part.n) for part in parts)])
        self._unions = []
        for counts, members in unions:
            columns = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in members])
            inside = [parts[i] for i in members]
            self._unions.append((counts, columns, _positions(inside, counts)))

    def replicates_at_once(self, width: int) -> int:
        """Replicates that one block may hold, ``width`` numbers each beside the cells."""
        per_replicate = max(len(self._n) * (1 + len(self._unions)), width)
        if by_rows(self._n):
            per_replicate = max(per_replicate, int(self._n.sum()))
        return max(1, BLOCK // per_replicate)

    def draw(self, n_boot: int, rng: np.random.Generator, block: int) -> Iterator[SlicedTables]:
        """The tables of all unions that resampled rows would give, ``block`` at a time."""
        for size in batches(n_boot, block):
            if self._sums is not None:
                drawn = poisson(*self._sums, size, rng)
            else:
                drawn = resample(self._n, np.full(size, self._n.sum()), rng)
            yield SlicedTables(
                {
                    id(counts): self._tables(counts, drawn[:, columns], cell)
                    for counts, columns, cell in self._unions
                }
            )

    def _tables(self, counts: JointCounts, drawn: Array, cell: Array) -> JointTables:
        sums = sum_by(drawn, cell, len(counts.n))
        if self._sums is not None:
            return JointTables(counts, sums, None, counts.first_model)
        unit = counts.cells.unit
        return JointTables(counts, sums if unit is None else sums * unit, sums, counts.first_model)


def _positions(parts: Sequence[JointCounts], union: JointCounts) -> Array:
    """The cell of ``union`` that each cell of the parts belongs to."""
    if len(parts) == 1 and parts[0] is union:
        return np.arange(len(union.n))
    keys = [_keys(part.cells, union.cells.unit is not None) for part in (union, *parts)]
    _, which = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
    which = which.reshape(-1)
    position = np.empty(len(union.n), dtype=np.intp)
    position[which[: len(union.n)]] = np.arange(len(union.n))
    return position[which[len(union.n) :]]


def _keys(cells: Cells, by_weight: bool) -> Array:
    if not by_weight or cells.unit is None:
        return cells.codes.astype(np.float64)
    return np.column_stack([cells.codes, cells.unit])
