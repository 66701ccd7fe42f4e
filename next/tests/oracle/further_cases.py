"""Families of cases with missing values, and of cases that the old package refuses."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from oracle.drawing import Array, Draws
from oracle.parts import (
    Case,
    Labels,
    dense,
    guessed_overlap,
    matrix_arrays,
    new_case,
    overlapping,
    rate_metric,
    reads_predicted_groups,
    with_rows,
)


def missing(draws: Draws) -> Case:
    """Missing labels, which are left out, or missing predictions, which stay."""
    metric, settings = rate_metric(draws)
    n_rows = 60 + draws.n_rows()
    data = Labels(draws, n_rows, draws.whole(2, 5), draws.whole(2, 4))
    arrays = data.arrays(predicted_groups=reads_predicted_groups(draws, settings))
    settings["missing"] = draws.choose(["drop", "abstain"])
    names = ["y_pred", "sensitive_features_pred"]
    if settings["missing"] == "drop":
        names += ["y_true", "sensitive_features"]
    share = draws.choose([0.03, 0.2])
    for name in names:
        if arrays[name] is not None and draws.chance(0.6):
            arrays[name] = draws.with_missing(arrays[name], share)
    settings |= {"class_labels": data.classes, "group_labels": data.groups}
    if draws.chance(0.25):
        _name_missing(arrays, data, settings)
    return new_case(metric, settings, with_rows(draws, arrays, n_rows))


def _name_missing(arrays: Case, data: Labels, settings: Case) -> None:
    """Replace missing values by labels that settings name as missing."""
    marks = {}
    for name, values in arrays.items():
        labels = data.classes if name.startswith("y_") else data.groups
        mark: Any = "?" if isinstance(labels[0], str) else -9
        if values is None or values.dtype.kind not in "Of":
            continue
        column = values.astype(object)
        column[[x is None or x != x for x in values.tolist()]] = mark
        arrays[name] = column
        marks[mark] = None
    settings["missing_values"] = list(marks)


def matrix_missing(draws: Draws) -> Case:
    """Missing rows of matrices."""
    metric, settings = rate_metric(draws)
    if metric == "Multi":
        settings["max_size"] = 2
    n_rows = 60 + draws.n_rows()
    predicted_groups = reads_predicted_groups(draws, settings)
    arrays = matrix_arrays(draws, n_rows, predicted_groups=False)
    for name in ("y_true", "y_pred"):
        arrays[name] = dense(arrays[name]).astype(float)
    groups = overlapping(draws, (arrays["y_true"][:, 0] > 0).astype(int), True)
    arrays["sensitive_features"] = groups
    settings["missing"] = draws.choose(["drop", "abstain"])
    arrays["y_pred"] = draws.with_missing(arrays["y_pred"], 0.15)
    if settings["missing"] == "drop" and draws.chance(0.5):
        arrays["y_true"] = draws.with_missing(arrays["y_true"], 0.1)
    if predicted_groups:
        given = np.zeros(n_rows, dtype=int)
        guessed = guessed_overlap(draws, groups, given, soft=metric != "Multi")
        guessed["overlapping"] = draws.with_missing(guessed["overlapping"], 0.1)
        arrays["sensitive_features_pred"] = guessed
    return new_case(metric, settings, with_rows(draws, arrays, n_rows))


# Pairs of cases: the old package gives the value of the first, and refuses the second.


def unseen(draws: Draws) -> list[Case]:
    """A class that predictions have alone, listed and not listed."""
    metric, settings = rate_metric(draws)
    data = Labels(draws, 40 + draws.n_rows(), draws.whole(3, 6), draws.whole(2, 4))
    data.classes = sorted(data.classes)
    data.truth %= len(data.classes) - 1
    arrays = data.arrays(predicted_groups=reads_predicted_groups(draws, settings))
    arrays = with_rows(draws, arrays, data.n_rows)
    listed = {**settings, "class_labels": data.classes}
    return [new_case(metric, listed, arrays), new_case(metric, settings, arrays)]


def other_groups(draws: Draws) -> list[Case]:
    """A reference and data that each have a group which the other lacks, listed and not listed."""
    metric, settings = rate_metric(draws)
    data = Labels(draws, 40 + draws.n_rows(), draws.whole(2, 4), draws.whole(4, 6))
    data.groups = sorted(data.groups)
    other = {"y_true": np.array(data.classes)[data.truth]}
    shifted = data.group % (len(data.groups) - 1) + 1
    other["sensitive_features"] = np.array(data.groups)[shifted]
    for name in ("group", "predicted_group"):
        setattr(data, name, getattr(data, name) % (len(data.groups) - 1))
    arrays = data.arrays(predicted_groups=reads_predicted_groups(draws, settings))
    groups = sorted({data.groups[code] for code in [*data.group.tolist(), *shifted.tolist()]})
    listed = {**settings, "group_labels": groups}
    return [new_case(metric, x, arrays, other) for x in (listed, settings)]


def signed(draws: Draws) -> list[Case]:
    """Matrices of 0 and 1, and of -1 and 1."""
    metric, settings = rate_metric(draws)
    n_rows = draws.n_rows()
    if metric == "Multi":
        settings["max_size"] = 2
    predicted_groups = reads_predicted_groups(draws, settings)
    arrays = matrix_arrays(draws, n_rows, predicted_groups=predicted_groups)
    for name in ("y_true", "y_pred"):
        arrays[name] = dense(arrays[name]).astype(int)
    other = {**arrays, **{name: 2 * arrays[name] - 1 for name in ("y_true", "y_pred")}}
    return [new_case(metric, settings, arrays), new_case(metric, settings, other)]


# Calls that both packages refuse.


def refused(draws: Draws) -> Case:
    """A call that breaks a rule."""
    data = Labels(draws, 50 + draws.n_rows(), 3, 3)
    data.classes, data.groups = [1, 2, 3], ["a", "b", "c"]
    arrays = data.arrays(predicted_groups=True)
    case = new_case("BA", {"direction": "A->T"}, arrays)
    breaks = _BREAKS[draws.whole(0, len(_BREAKS) - 1)]
    return breaks(deepcopy(case), data)


def _probabilities_in_multi(case: Case, data: Labels) -> Case:
    truth = (data.truth > 0).astype(int)
    case["arrays"] |= {"y_true": truth, "y_pred": 0.25 + truth / 2}
    return {**case, "metric": "Multi"}


def _class_not_listed(case: Case, data: Labels) -> Case:
    case["settings"]["class_labels"] = [1, 2]
    return case


def _one_group(case: Case, data: Labels) -> Case:
    case["arrays"]["sensitive_features"] = np.array(["a"] * data.n_rows)
    del case["arrays"]["sensitive_features_pred"]
    return case


def _weighted_leave_one_out(case: Case, data: Labels) -> Case:
    case["arrays"]["sample_weight"] = np.arange(1, data.n_rows + 1)
    settings = {"direction": "A->T", "evaluation": "loo", "equalize": None}
    return {**case, "metric": "DPA", "settings": settings}


def _text_as_numbers(case: Case, data: Labels) -> Case:
    return {**case, "metric": "LA", "settings": {"quality": "inverse_mse"}}


def _missing_prediction(case: Case, data: Labels) -> Case:
    case["arrays"]["y_pred"] = _with_none(case["arrays"]["y_pred"])
    return case


def _missing_truth(case: Case, data: Labels) -> Case:
    case["arrays"]["y_true"] = _with_none(case["arrays"]["y_true"])
    case["settings"]["missing"] = "abstain"
    return case


def _no_predicted_groups(case: Case, data: Labels) -> Case:
    del case["arrays"]["sensitive_features_pred"]
    case["settings"]["direction"] = "T->A"
    return case


def _no_probabilities(case: Case, data: Labels) -> Case:
    truth = (data.truth > 0).astype(int)
    case["arrays"] |= {"y_true": truth, "y_pred": 0.5 + truth}
    return case


def _other_length(case: Case, data: Labels) -> Case:
    case["arrays"]["y_pred"] = case["arrays"]["y_pred"][1:]
    return case


def _negative_weight(case: Case, data: Labels) -> Case:
    case["arrays"]["sample_weight"] = np.linspace(-0.1, 1, data.n_rows)
    return case


def _unknown_class(case: Case, data: Labels) -> Case:
    case["settings"]["pos_label"] = 7
    return case


def _unknown_direction(case: Case, data: Labels) -> Case:
    case["settings"]["direction"] = "undirected"
    return case


def _with_none(values: Array) -> Array:
    column = values.astype(object)
    column[3] = None
    return column


_BREAKS = (
    _probabilities_in_multi,
    _class_not_listed,
    _one_group,
    _weighted_leave_one_out,
    _text_as_numbers,
    _missing_prediction,
    _missing_truth,
    _no_predicted_groups,
    _no_probabilities,
    _other_length,
    _negative_weight,
    _unknown_class,
    _unknown_direction,
)
