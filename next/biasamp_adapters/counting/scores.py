"""Scores: numbers in each row, of which a threshold makes predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters.counting.arrays import Table, check_all, to_numbers
from biasamp_adapters.counting.labels import (
    PREDICTION,
    SCORE,
    TASK,
    Label,
    find_label,
    listing,
    positive_class,
)
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Codes, Variables


def read_scores(values: Any, argument: str) -> Codes:
    """Return numbers as codes, in the order of the distinct numbers, which are the labels."""
    if isinstance(values, Table):
        if len(values.names) != 1:
            raise ValueError(explain_width(argument, len(values.names), TASK))
        values = values.column(0)
    score = to_numbers(values, argument)
    check_all(~np.isinf(score), score, f"{argument} must be finite")
    codes, distinct = pd.factorize(score, sort=True)  # -1 is a missing value in pandas.
    labels = tuple(distinct.tolist())
    codes = np.where(codes < 0, len(labels), codes)
    return Codes(labels, codes.astype(np.min_scalar_type(len(labels))))


def explain_width(role: str, width: int, other: str) -> str:
    """Return what is wrong with columns beside one column of labels."""
    widths = f"{role} has {width} columns and {other} 1"
    if role == TASK:
        return f"{widths}. Pass the column of the labels."
    return f"{widths}. Pass predict_proba(X)[:, 1], or y_score= with threshold=."


def check_threshold(columns: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raise unless scores come with predictions, or else with a threshold that makes them."""
    has_score, has_prediction = (columns.get(name) is not None for name in (SCORE, PREDICTION))
    has_threshold = options.get("threshold") is not None
    if has_score and not (has_prediction or has_threshold):
        raise ValueError("y_score needs threshold= or y_pred=.")
    if has_threshold and (has_prediction or not has_score):
        raise ValueError("threshold needs y_score= without y_pred=.")


def decide(rows: Rows, threshold: Any, pos_label: Label | None) -> Variables:
    """Return the positive class where a score is at least the threshold, else the other class."""
    if not isinstance(threshold, int | float | np.number) or not np.isfinite(threshold):
        raise ValueError(f"threshold must be a finite number; received {threshold!r:.60}")
    classes = rows.listed.get(TASK, rows.class_labels)
    if len(classes) < 2 and set(classes) <= {0, 1}:  # The other class may not occur.
        classes = (0, 1)
    positive = positive_class(classes) if pos_label is None else find_label(pos_label, classes)
    if rows.is_matrix(TASK) or len(classes) != 2 or positive not in classes:
        rule = "threshold needs two classes in y_true, one of which is pos_label"
        raise ValueError(f"{rule}; received {listing(classes)}")
    code = classes.index(positive)
    predictions: Variables = {}
    for (role, model), score in rows.variables.items():
        if role == SCORE and isinstance(score, Codes):
            codes = np.where(np.array(score.labels) >= threshold, code, 1 - code)
            predictions[PREDICTION, model] = Codes(classes, codes.astype(np.uint8)[score.codes])
    return predictions
