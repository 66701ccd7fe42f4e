"""What counts of label matrices hold, made from rows or from joint counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.assemble import Missing
from biasamp_adapters.counts.base import Axis, LabelSet
from biasamp_adapters.counts.joint import JointCounts
from biasamp_adapters.counts.layout import SILENT, Layout
from biasamp_adapters.counts.moments import Accumulated, accumulate
from biasamp_adapters.counts.readers import Variables
from biasamp_adapters.counts.rows import Rows, compact
from biasamp_adapters.inputs.columns import Weights
from biasamp_adapters.inputs.matrices import Matrix


def fields_of_rows(
    variables: Variables,
    weight: Weights | None,
    missing: Missing,
    sets: tuple[LabelSet, ...],
    keep_rows: bool,
    repeated: Array | None,
    partial: bool,
    second_moments: bool,
) -> dict[str, Any]:
    """The fields of the counts of rows that are read.

    Raises
    ------
    ValueError
        If values are missing or wrong.
    """
    layout = Layout(tuple(variables.readers), len(variables.labels), len(variables.groups), sets)
    found = accumulate(
        variables, layout, weight, missing, keep_rows, repeated, partial, second_moments
    )
    return fields_of_sums(variables, layout, found)


def fields_of_sums(variables: Variables, layout: Layout, found: Accumulated) -> dict[str, Any]:
    """The fields of counts whose rows were added up."""
    return {
        "labels": variables.labels,
        "groups": variables.groups,
        "attributes": variables.attributes,
        "axes": layout.axes,
        "matrices": _matrices(variables),
        "moments": found.moments,
        "sets": layout.sets,
        "soft_axes": found.soft_axes,
        "declared": variables.declared,
        "dropped": found.dropped,
        "rows": found.rows,
        "second": found.second,
    }


def fields_of_joint(counts: JointCounts) -> dict[str, Any]:
    """The fields of the counts of the same rows, with a column for each label and group.

    Raises
    ------
    ValueError
        If the counts hold only sums of weights.
    """
    if counts.w is not None and counts.cells.unit is None:
        raise ValueError(
            "columns of indicators need the weight of each row; received counts that hold only "
            "sums of weights (count with by_weight=True)"
        )
    layout = Layout(counts.axes, len(counts.labels), len(counts.groups))
    rows = Rows(compact(_indicators(counts, layout)), counts.n, counts.cells.unit)
    return {
        "labels": counts.labels,
        "groups": counts.groups,
        "attributes": counts.attributes,
        "axes": counts.axes,
        "matrices": frozenset(),
        "moments": rows.moments(layout),
        "soft_axes": frozenset(axis for axis in counts.axes if axis.role in counts.soft),
        "declared": counts.declared,
        "dropped": counts.dropped,
        "rows": rows,
    }


def _matrices(variables: Variables) -> frozenset[str]:
    """Which lists are columns of a matrix in the truth or, without one, in the predictions."""
    out = set()
    for name, truth in (("labels", Axis("task")), ("groups", Axis("attribute"))):
        axes = [a for a in variables.readers if a.of_attribute == truth.of_attribute]
        read = [truth] if truth in axes else axes
        if any(isinstance(variables.readers[axis], Matrix) for axis in read):
            out.add(name)
    return frozenset(out)


def _indicators(counts: JointCounts, layout: Layout) -> Array:
    """The cells of joint counts as rows of the base columns."""
    out = np.zeros((len(counts.n), layout.base.stop - layout.base.start))
    for i, axis in enumerate(counts.axes):
        codes, where = counts.cells.codes[:, i], layout.in_base(axis)
        n_labels = layout.size(axis)
        hard = np.flatnonzero(codes < n_labels)
        out[hard, where.start + codes[hard]] = 1
        soft = np.flatnonzero(codes > n_labels)
        if len(soft):
            p = counts.levels[codes[soft] - n_labels - 1]
            out[soft, where.start + counts.labels.index(1)] = p
            out[soft, where.start + counts.labels.index(0)] = 1 - p
        if axis.predicted:
            silent = layout.blocks[SILENT[axis.role], axis.model].start - layout.base.start
            out[codes == n_labels, silent] = 1
    return out
