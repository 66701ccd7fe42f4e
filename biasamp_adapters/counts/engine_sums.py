"""Sums of label matrices in a frame whose engine adds them up: no rows come back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.blocks import (
    EXACT_SETS,
    NO_TASK,
    ONE_TASK,
    UNLABELLED,
    Block,
    Layout,
    Values,
    agreement,
    sets_of,
)
from biasamp_adapters.counts.counting import RowReader, lists_of, schema_of
from biasamp_adapters.counts.frame_sources import labelled_frame
from biasamp_adapters.counts.lists import Lists
from biasamp_adapters.counts.options import Options
from biasamp_adapters.counts.rows import Rows
from biasamp_adapters.counts.sources import FrameColumns, Sources, read_table
from biasamp_adapters.counts.variables import TASK, Axis, LabelSet
from biasamp_adapters.inputs.frame_sums import BadRow, Sums, row_sum, summed
from biasamp_adapters.inputs.frames import as_frame, one_where
from biasamp_adapters.inputs.matrices import Matrix

#: With more cells than this, the distinct rows of a frame are not many more.
_MAX_CELLS = 2**14


def count_on_engine(frame: Any, columns: FrameColumns, options: Options) -> dict[str, Any] | None:
    """The fields of counts of a frame that is not in memory, added up by its engine.

    Rows are grouped by the attributes, true and predicted, and the columns of the tasks are summed.
    None where this cannot be: tasks that are one column of labels, columns that are not numbers,
    and predicted attributes with nearly as many values as rows.
    """
    tasks = columns.task_columns
    if not tasks or isinstance(as_frame(frame), nw.DataFrame):
        return None
    axes, labels = list(tasks), options.labels or tuple(next(iter(tasks.values())))
    found = summed(
        frame,
        columns.keys,
        columns.weight,
        [(names, axis.role.predicted) for axis, names in tasks.items()],
        lambda values: [*_derived(dict(zip(axes, values, strict=True)), options.sets(labels))],
        _MAX_CELLS,
    )
    if isinstance(found, BadRow):
        _refuse(found, axes[found.matrix])
    if not isinstance(found, Sums):
        return None
    n_cells = len(found.totals["n"])
    # Only the names of these columns are read; their sums are already known.
    every = dict.fromkeys(chain.from_iterable(tasks.values()))
    cells = labelled_frame(columns.keys, found.keys, n_cells)
    indicators = nw.from_dict(dict.fromkeys(every, [0] * n_cells), backend="pandas")
    of_cells = replace(columns, weight=None)
    sources = read_table(cells, of_cells, options.labels, indicators)
    return _counted(found, axes, sources, options)


def _refuse(bad: BadRow, axis: Axis) -> None:
    """Raise what a row in memory would raise."""
    name = f"{axis.role} column(s) {[*bad.row.columns]}"
    Matrix(bad.row, name, soft=axis.role.predicted).read(
        0, 1, np.empty((1, bad.row.shape[1])), np.arange(bad.row.shape[1])
    )


def _derived(
    values: dict[Axis, Sequence[nw.Expr]], sets: tuple[LabelSet, ...]
) -> Iterator[nw.Expr]:
    """What is summed beside the columns themselves: agreement, marks of rows and label sets."""
    truth = values.get(TASK)
    for axis, made in values.items():
        if axis.role.predicted and truth is not None:
            yield from (t * p for t, p in zip(truth, made, strict=False))
        for members in sets:
            yield one_where(row_sum([made[i] for i in members]) == len(members))
    if truth is not None:
        total = row_sum(truth)
        yield one_where(total == 0)
        yield one_where(total == 1)
        for members in sets:
            held = row_sum([truth[i] for i in members]) == len(members)
            yield one_where(held & (total == len(members)))


def _counted(
    found: Sums, axes: Sequence[Axis], sources: Sources, options: Options
) -> dict[str, Any]:
    """The fields of counts of cells whose attributes are known and whose tasks are summed."""
    lists = lists_of(sources, options)
    n = found.totals["n"].astype(np.int64)
    reader = RowReader(replace(sources, repeated=n, part=np.arange(len(n))), lists, options, float)
    lost = dict(zip(axes, found.missing.T, strict=True))
    rows = reader.read(slice(0, len(n)), lost)
    reader.check(int(n.sum()))
    fields, cells = schema_of(sources, lists, options), rows.part
    layout = Layout(fields["axes"], len(lists.labels), len(lists.groups), fields["sets"])
    stored = {
        kind: _moments(
            layout,
            replace(rows, n=total[cells], part=None),
            _blocks(found.sums[kind][cells], axes, sources, lists, layout),
        )
        for kind, total in found.totals.items()
    }
    soft = {axis for axis, split in zip(axes, found.split, strict=True) if split}
    return fields | {
        "stored": stored,
        "soft_axes": fields["soft_axes"] | soft,
        "dropped": reader.dropped,
    }


def _moments(layout: Layout, rows: Rows, sums: dict[Block, Array]) -> Array:
    """The sums of products, from the sums of the tasks in each cell of ``rows``."""
    attributes = tuple(axis for axis in layout.axes if axis.role.of_attribute)
    values = Values(layout, rows)
    # What says nothing of the tasks holds for all rows of a cell, or for none.
    of_attributes = Values(replace(layout, axes=attributes, sets=()), rows)
    without_group = of_attributes.dense(UNLABELLED) if attributes else np.ones((len(rows), 1))
    known = dict(sums)
    if NO_TASK in sums:
        known[UNLABELLED] = without_group * sums[NO_TASK]
    else:
        known[UNLABELLED] = of_attributes.dense(UNLABELLED) * rows.n[:, None]
    left = np.concatenate([values.dense(block) for block in layout.left_blocks], axis=1)
    out = layout.zeros()
    for block, where in layout.blocks.items():
        of_block = known[block] if block in known else values.dense(block) * rows.n[:, None]
        out[:, where] = left.T @ of_block
    return out


def _blocks(
    sums: Array, axes: Sequence[Axis], sources: Sources, lists: Lists, layout: Layout
) -> dict[Block, Array]:
    """Sums of the columns, in the order in which they were asked for, by the block they fill."""
    taken = 0

    def take(width: int) -> Array:
        nonlocal taken
        taken += width
        return sums[:, taken - width : taken]

    out: dict[Block, Array] = {}
    n_sets = len(layout.sets)
    order = {source.axis: lists.order(source) for source in sources.matrices}
    for axis in axes:
        out[axis] = take(layout.n_labels)[:, order[axis]]
    for axis in axes:
        if axis.role.predicted and TASK in axes:
            out[agreement(axis)] = take(layout.n_labels)
        if n_sets:
            out[sets_of(axis)] = take(n_sets)
    if TASK in axes:
        out[NO_TASK], out[ONE_TASK] = take(1), take(1)
        if n_sets:
            out[EXACT_SETS] = take(n_sets)
    return out
