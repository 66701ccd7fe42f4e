"""Scores of a DuckDB relation as positions among a few thresholds, so that rows can be counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.inputs.files import identifier

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation


def ranked_scores(
    relation: DuckDBPyRelation, column: str, levels: Sequence[float]
) -> tuple[Array, DuckDBPyRelation, str]:
    """Thresholds of a score, highest first; the relation with the first that each row reaches.

    Parameters
    ----------
    relation : relation
    column : str
        The score.
    levels : sequence of float
        Thresholds are the scores at which the share of rows reaches one of them.

    Returns
    -------
    thresholds : array of shape (thresholds,)
    relation : relation
    name : str
        Of the column with the positions of the thresholds.

    Raises
    ------
    ValueError
        If the column is not there, or a score is missing, infinite or no number.
    """
    if column not in relation.columns:
        raise ValueError(f"column {column!r} must be in the files; received {relation.columns}")
    score = f"TRY_CAST({identifier(column)} AS DOUBLE)"
    # In whatever order SQL evaluates it, NaN is no finite number.
    bad = f"count(*) FILTER (NOT coalesce(isfinite({score}), false))"
    quantiles = f"quantile_disc(-{score}, {list(levels)})"
    ((n_bad, found),) = relation.aggregate(f"{bad}, {quantiles}").fetchall()
    if n_bad:
        raise ValueError(
            f"scores must be finite numbers; column {column!r} has {n_bad:,} value(s) that are not"
        )
    # The sum makes 0 of a zero that has a minus.
    thresholds = -np.unique(np.asarray(found, dtype=float)) + 0.0
    # As text, since SQL would read a number with a point as a decimal and round it twice.
    above = " + ".join(f"({score} < '{limit!r}'::DOUBLE)::BIGINT" for limit in thresholds.tolist())
    name = f"rank of {column}"
    while name.lower() in map(str.lower, relation.columns):
        name += "_"
    return thresholds, relation.select(f"*, {above} AS {identifier(name)}"), name
