"""Counts from files, of whichever kind these are."""

from __future__ import annotations

import os

from biasamp_adapters.counts import storage
from biasamp_adapters.counts.base import Counts
from biasamp_adapters.counts.cooccurrence import CooccurrenceCounts
from biasamp_adapters.counts.documents import kind_of, parquet_kind
from biasamp_adapters.counts.joint import JointCounts
from biasamp_adapters.counts.matrices import storage as matrix_storage


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a Parquet file holds counts, and not a table.

    Raises
    ------
    ValueError
        If it is damaged: it may have held either.
    """
    return parquet_kind(path) in (storage.FORM.kind, matrix_storage.FORM.kind)


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
    matrix = kind_of(path) == matrix_storage.FORM.kind
    return CooccurrenceCounts.load(path) if matrix else JointCounts.load(path)
