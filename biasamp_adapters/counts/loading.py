"""Counts from files, of whichever kind these are."""

from __future__ import annotations

import os

from biasamp_adapters.counts.cooccurrence import CooccurrenceCounts
from biasamp_adapters.counts.counts import Counts
from biasamp_adapters.counts.joint import JointCounts
from biasamp_adapters.counts.saved import fields_of


def load_counts(path: str | os.PathLike[str]) -> Counts:
    """Read counts that their ``save`` wrote.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    JointCounts or CooccurrenceCounts

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is not a file that ``save`` wrote, or was changed since: its checksum tells.

    Warns
    -----
    AmplificationWarning
        If an earlier version of this package wrote it, without a checksum.
    """
    kind, fields = fields_of(path)
    return (JointCounts if kind == "JointCounts" else CooccurrenceCounts)(**fields)
