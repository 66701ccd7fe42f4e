"""Scores as numbers: a vector, or a matrix with a column a task."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.inputs.columns import Column, check_lengths, read_columns
from biasamp_adapters.inputs.matrices import is_matrix


def read_scores(y_score: Any) -> tuple[Array, list[str] | None]:
    """Finite scores of shape (n,), or (n, K) of a table, and the names of a table's columns.

    Raises
    ------
    ValueError
        If a score is not a number, or NaN or infinite.
    """
    if hasattr(y_score, "toarray"):
        y_score = np.asarray(y_score.toarray())
    named = read_columns(y_score, "y_score")
    check_lengths([column for _, column in named])
    scores = np.stack([_numbers(column) for _, column in named], axis=1)
    bad = int((~np.isfinite(scores)).sum())
    if bad:
        raise ValueError(f"y_score must be finite; received {bad} NaN or infinite value(s)")
    if not is_matrix(y_score):
        return scores[:, 0], None
    plain = isinstance(y_score, np.ndarray | list)
    return scores, None if plain else [name for name, _ in named]


def _numbers(column: Column) -> Array:
    codes, values = column.chunk(0, len(column))
    if not all(issubclass(kind, Real) for kind in {type(value) for value in values}):
        wrong = next(value for value in values if not _is_real(value))
        raise ValueError(f"{column.name} must hold numbers; received values such as {wrong!r}")
    # What is missing has the code -1, which is the last.
    return np.array([*values, np.nan], dtype=np.float64)[codes]


def _is_real(item: object) -> bool:
    return isinstance(item, Real)
