"""Counts as frames of pandas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from biasamp_adapters.counting.labels import ATTRIBUTE, PREDICTION, TASK, TRUTH, show
from biasamp_adapters.counting.margins import margins_of_data
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Codes, Variable


def frame_of_rows(rows: Rows) -> pd.DataFrame:
    """Return one row of a frame for each distinct row."""
    rows = replace(rows, cluster=None).merged()
    columns: dict[str | None, Any] = {}
    for (role, model), variable in rows.variables.items():
        name = model if role == PREDICTION else role if model is None else f"{role}[{model}]"
        columns[name] = _column(variable)
    columns["count"] = rows.n
    if rows.w is not None:
        columns["sum_of_weights"] = rows.weight
    return pd.DataFrame(columns).infer_objects()


def _column(variable: Variable) -> Any:
    """Return the labels of the rows, or the probabilities of class 1."""
    if not isinstance(variable, Codes):
        return variable.values[:, 1]
    labels = [show(label) if isinstance(label, tuple) else label for label in variable.labels]
    return pd.Series([*labels, None], dtype=object).to_numpy()[variable.codes]


def frame_of_pairs(rows: Rows) -> pd.DataFrame:
    """Return sums of truth and predictions for each group and class or column."""
    margins = margins_of_data(rows)
    groups = [show(label) for label in rows.group_labels]
    names = ["group", "class"]
    index = pd.MultiIndex.from_product([groups, rows.class_labels], names=names)
    sums = {
        model or role: margins.of_model(model).joint(ATTRIBUTE, role)[0].ravel()
        for role, model in rows.variables
        if TRUTH[role] == TASK
    }
    return pd.DataFrame(sums, index=index).reset_index()
