"""Reading of counts of either kind from files."""

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
        If ``save`` did not write the file, or its checksum shows that it was changed.

    Warns
    -----
    AmplificationWarning
        If an earlier version of this package wrote it, without a checksum.
    """
    kind, fields = fields_of(path)
    return (JointCounts if kind == "JointCounts" else CooccurrenceCounts)(**fields)
