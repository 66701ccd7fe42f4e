"""Families of cases of MALS, BA and Multi."""

from __future__ import annotations

import numpy as np

from oracle.drawing import Draws
from oracle.parts import (
    RATE_METRICS,
    Case,
    Labels,
    balanced,
    dense,
    exact_shares,
    give_lists,
    guessed_overlap,
    keys,
    matrix_arrays,
    nested,
    new_case,
    overlapping,
    probabilities,
    rate_metric,
    reads_predicted_groups,
    reference_like,
    with_rows,
)


def labels(draws: Draws) -> Case:
    """Labels: 2 to 30 classes and groups, lists, crossed attributes, one class alone."""
    metric, settings = rate_metric(draws)
    data = Labels(draws, draws.n_rows())
    arrays = data.arrays(predicted_groups=reads_predicted_groups(draws, settings))
    if draws.chance(0.12):
        arrays = data.crossed(arrays)
    else:
        give_lists(draws, data, settings, 0.12)
    if draws.chance(0.12):
        settings["pos_label"] = data.classes[draws.choose(data.truth.tolist())]
    return new_case(metric, settings, with_rows(draws, arrays, data.n_rows))


def ties(draws: Draws) -> Case:
    """Balanced labels, whose signs are ties or close to them."""
    metric, settings = rate_metric(draws)
    data = balanced(draws)
    arrays = data.arrays(predicted_groups=reads_predicted_groups(draws, settings))
    return new_case(metric, settings, with_rows(draws, arrays, data.n_rows))


def matrix(draws: Draws) -> Case:
    """Label matrices in all forms."""
    metric, settings = rate_metric(draws)
    n_rows = draws.n_rows()
    predicted_groups = reads_predicted_groups(draws, settings)
    arrays = matrix_arrays(draws, n_rows, predicted_groups=predicted_groups)
    if metric == "Multi":
        settings["max_size"] = 2
    elif draws.chance(0.1):
        settings["pos_label"] = "cat" if "frame" in keys(arrays["y_true"]) else 1
    return new_case(metric, settings, with_rows(draws, arrays, n_rows))


def overlap(draws: Draws) -> Case:
    """Groups that overlap, with classes or label matrices."""
    metric, settings = rate_metric(draws)
    data = Labels(draws, draws.n_rows())
    arrays = data.arrays(predicted_groups=False)
    if draws.chance(0.4):
        arrays = matrix_arrays(draws, data.n_rows, predicted_groups=False)
        if metric == "Multi":
            settings["max_size"] = 2
    groups = overlapping(draws, data.truth, draws.chance(0.5))
    arrays["sensitive_features"] = groups
    if reads_predicted_groups(draws, settings):
        soft = metric != "Multi" and draws.chance(0.5)
        arrays["sensitive_features_pred"] = guessed_overlap(draws, groups, data.truth, soft=soft)
    return new_case(metric, settings, with_rows(draws, arrays, data.n_rows))


def soft(draws: Draws) -> Case:
    """Probabilities of class 1 or, of matrices, of each column."""
    metric, settings = draws.choose(RATE_METRICS[:3])
    settings = dict(settings)
    n_rows = draws.n_rows()
    predicted_groups = reads_predicted_groups(draws, settings)
    if draws.chance(0.4):
        arrays = matrix_arrays(draws, n_rows, predicted_groups=predicted_groups)
        arrays["y_true"] = dense(arrays["y_true"])
        arrays["y_pred"] = probabilities(draws, dense(arrays["y_pred"]))
    else:
        data = Labels(draws, n_rows, 2)
        arrays = data.arrays(predicted_groups=predicted_groups)
        arrays["y_true"] = data.truth.astype(draws.choose([int, int, float, bool]))
        arrays["y_pred"] = probabilities(draws, data.prediction)
    return new_case(metric, settings, with_rows(draws, arrays, n_rows))


def sets(draws: Draws) -> Case:
    """Multi on label sets, observed and subsets, with their limits."""
    settings = dict(draws.choose(RATE_METRICS[3:])[1])
    n_rows = draws.n_rows()
    settings["combinations"] = draws.choose(["observed", "subsets"])
    settings["min_size"] = draws.choose([1, 1, 2])
    settings["max_size"] = draws.choose([None, 2, 3])
    settings["min_support"] = draws.choose([1, 2, 5, 20])
    predicted_groups = reads_predicted_groups(draws, settings)
    arrays = matrix_arrays(draws, n_rows, predicted_groups=predicted_groups)
    reference = None
    if draws.chance(0.35):
        reference = reference_like(draws, arrays)
    return new_case("Multi", settings, with_rows(draws, arrays, n_rows), reference)


def group_sets(draws: Draws) -> Case:
    """Multi on groups and sets of groups of two or three attributes."""
    settings: Case = dict(draws.choose(RATE_METRICS[3:])[1])
    data = Labels(draws, 30 + draws.n_rows(), 0, draws.choose([4, 6, 8]))
    arrays = data.arrays(predicted_groups=reads_predicted_groups(draws, settings))
    arrays = data.crossed(arrays)
    groups = [{"race": race} for race in "pqr"] + [{"age": age} for age in (0, 1)]
    both = [{"race": race, "age": age} for race in "pq" for age in (0, 1)]
    settings["group_sets"] = groups + both[: draws.whole(0, 4)]
    return new_case("Multi", settings, with_rows(draws, arrays, data.n_rows))


# Families with references.


def reference(draws: Draws) -> Case:
    """A pair of arrays as reference, which may lack labels of the data, or the reverse."""
    metric, settings = rate_metric(draws)
    data = Labels(draws, draws.n_rows())
    other = Labels(draws, 20 + draws.n_rows(), len(data.classes), len(data.groups))
    other.classes, other.groups = data.classes, data.groups
    for lists, codes, name in (
        (data.classes, ("truth", "prediction"), "class_labels"),
        (data.groups, ("group", "predicted_group"), "group_labels"),
    ):
        kind = draws.choose(["alike", "alike", "fewer here", "fewer there", "listed"])
        if kind == "listed":
            settings[name] = draws.shuffled(lists)
        elif len(lists) > 2 and kind != "alike":
            part = data if kind == "fewer here" else other
            for role in codes:
                setattr(part, role, getattr(part, role) % (len(lists) - 1))
    arrays = data.arrays(predicted_groups=reads_predicted_groups(draws, settings))
    if settings.get("direction") in (None, "undirected") and draws.chance(0.3):
        arrays["y_true"] = None
        settings["class_labels"] = list(data.classes)
    if draws.chance(0.1):
        settings["pos_label"] = data.classes[0]
    of_other = other.arrays(predicted_groups=False)
    names = ("y_true", "sensitive_features")
    case = {name: of_other[name] for name in names}
    return new_case(metric, settings, with_rows(draws, arrays, data.n_rows, 0.2), case)


def matrix_reference(draws: Draws) -> Case:
    """A reference of label matrices, or of groups that overlap."""
    metric, settings = rate_metric(draws)
    n_rows = draws.n_rows()
    predicted_groups = reads_predicted_groups(draws, settings)
    arrays = matrix_arrays(draws, n_rows, predicted_groups=predicted_groups)
    if metric == "Multi":
        settings["max_size"] = 2
    if draws.chance(0.3):
        groups = overlapping(draws, (dense(arrays["y_true"])[:, 0] > 0).astype(int), True)
        arrays["sensitive_features"] = groups
        if predicted_groups:
            given = np.zeros(n_rows, dtype=int)
            guessed = guessed_overlap(draws, groups, given, soft=False)
            arrays["sensitive_features_pred"] = guessed
    like = reference_like(draws, arrays)
    return new_case(metric, settings, with_rows(draws, arrays, n_rows), like)


def base_rates(draws: Draws) -> Case:
    """Rates set by hand, of A->T or T->A, with signs or shares of the groups."""
    metric, settings = rate_metric(draws)
    data = Labels(draws, draws.n_rows(), draws.whole(2, 6), draws.whole(2, 5))
    needs_groups = settings.get("direction") != "A->T"
    given, of = (data.classes, data.groups) if needs_groups else (data.groups, data.classes)
    rates = exact_shares(draws.rates(len(given), len(of)))
    if draws.chance(0.2):
        rates[:] = 1 / len(of)
    arrays = data.arrays(predicted_groups=reads_predicted_groups(draws, settings))
    if settings.get("direction") == "A->T":
        arrays["y_true"] = None if draws.chance(0.6) else arrays["y_true"]
    elif settings.get("direction") == "T->A":
        arrays["sensitive_features"] = None
    elif draws.chance(0.6):
        arrays["y_true"] = None
    reference: Case = {
        "rates": nested(given, of, rates),
        "direction": "T->A" if needs_groups else "A->T",
    }
    shares = exact_shares(draws.rates(1, len(data.groups)))[0]
    needs_signs = metric == "BA" and needs_groups
    kind = draws.choose(["signs", "shares"] if needs_signs else ["signs", "shares", "none"])
    if kind == "signs":
        signs = np.floor(3 * draws.uniform(len(given), len(of))).astype(int) - 1
        reference["signs"] = nested(given, of, signs)
    elif kind == "shares":
        pairs = zip(data.groups, shares.tolist(), strict=True)
        reference["group_shares"] = dict(pairs)
    return new_case(metric, settings, with_rows(draws, arrays, data.n_rows), reference)
