"""Counts of arrays, of the kind that these need, as a whole and by slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biasamp_adapters._roles import Inputs
from biasamp_adapters._typing import Label
from biasamp_adapters.counts.cooccurrence import CooccurrenceCounts
from biasamp_adapters.counts.counting import count, finished
from biasamp_adapters.counts.counts import Counts
from biasamp_adapters.counts.joint import JointCounts
from biasamp_adapters.counts.options import Options
from biasamp_adapters.counts.sources import Sources, read_arrays
from biasamp_adapters.counts.variables import Missing
from biasamp_adapters.inputs.columns import Column, check_lengths
from biasamp_adapters.inputs.combinations import Key, combinations


def count_arrays(
    inputs: Inputs,
    *,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
    keep_rows: bool = True,
    merges: bool = True,
) -> Counts:
    """Count arrays: joint counts of labels, co-occurrences of matrices.

    Parameters
    ----------
    inputs : Inputs
        Arrays, as ``from_arrays`` takes them.
    labels, groups, missing
        As in ``from_arrays``.
    keep_rows : bool
        Whether counts of matrices keep their rows, which intervals need. Clusters keep them always.
    merges : bool
        Whether probabilities are merged where they make too many cells. Whatever is linear in them
        does not change.
    """
    sources = read_arrays(inputs, matrices=True)
    keep_rows = keep_rows or inputs.clusters is not None
    options = Options.of(labels, groups, missing=missing, keep_rows=keep_rows, merges=merges)
    return _counted(sources, options)


def count_slices(
    inputs: Inputs,
    slices: Sequence[Column],
    *,
    labels: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    missing: Missing = "error",
    merges: bool = True,
) -> tuple[Counts, dict[Key, Counts]]:
    """Count arrays as a whole and by the values of further columns, in one pass.

    Parameters
    ----------
    inputs : Inputs
        Arrays, as ``from_arrays`` takes them.
    slices : sequence of Column
        Rows are in the same slice if they agree in all of these.
    labels, groups, missing
        As in ``from_arrays``.
    merges : bool
        As in :func:`count_arrays`.

    Returns
    -------
    whole : Counts
    parts : dict of Key to Counts
        The counts of each slice, over the label lists of the whole. Slices whose rows were all
        dropped are left out. Tables of the parts are read from draws of the whole.

    Raises
    ------
    ValueError
        As ``from_arrays`` does, and where a value in ``slices`` is missing.
    """
    sources = read_arrays(inputs, matrices=True)
    check_lengths([*sources.parts, *slices])
    part, keys = combinations(slices)
    options = Options.of(labels, groups, missing=missing, keep_rows=True, merges=merges)
    whole = _counted(replace(sources, part=part), options)
    number = whole.part
    every = np.unique(number).tolist()
    parts = {keys[i]: whole.subset(np.flatnonzero(number == i)) for i in every}
    return whole.subset(np.arange(len(number))), parts


def _counted(sources: Sources, options: Options) -> Counts:
    fields = count(sources, options)
    if not sources.matrices:
        return JointCounts(**fields)
    return finished(CooccurrenceCounts(**fields), options)
