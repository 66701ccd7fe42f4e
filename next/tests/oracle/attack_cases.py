"""Families of cases of LA and DPA."""

from __future__ import annotations

import numpy as np

from oracle.drawing import Draws
from oracle.parts import (
    Case,
    Labels,
    balanced,
    dense,
    guessed_overlap,
    matrix_arrays,
    new_case,
    overlapping,
    probabilities,
    with_rows,
)

QUALITIES = (
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "f1",
    "inverse_cross_entropy",
    "hard_inverse_cross_entropy",
    "one_minus_cross_entropy",
    "uncertainty_coefficient",
    "inverse_mse",
    "inverse_rmse",
)
OF_NUMBERS = ("inverse_mse", "inverse_rmse")

LEAKAGE, OF_CLASSES, OF_GROUPS = ("LA", ""), ("DPA", "A->T"), ("DPA", "T->A")


def attack_settings(draws: Draws, direction: str, qualities: tuple[str, ...]) -> Case:
    """Return quality, change and the way to equalize, which suit each other."""
    settings: Case = {"quality": draws.choose(qualities)}
    settings["equalize"] = draws.choose(["auto", "auto", "expected", "sampled", None])
    if settings["quality"] == "uncertainty_coefficient" and settings["equalize"] == "expected":
        settings["equalize"] = "sampled"
    if draws.chance(0.2):
        settings["n_trials"] = draws.choose([20, 50])
    if direction:
        settings["direction"] = direction
        settings["change"] = draws.choose(["relative", "relative", "absolute"])
    return settings


def target_of(data: Labels, direction: str) -> str:
    """Return the name of the list of labels that the attacker guesses."""
    return "classes" if direction == "A->T" else "groups"


def arrays_of(data: Labels, direction: str) -> Case:
    """Return the arguments of a call; predicted groups of T->A alone."""
    return data.arrays(predicted_groups=direction == "T->A")


def attack(draws: Draws) -> Case:
    """Labels: every quality, equalized in every way."""
    metric, direction = draws.choose([LEAKAGE, OF_CLASSES, OF_GROUPS])
    settings = attack_settings(draws, direction, QUALITIES)
    if draws.chance(0.15):
        data = balanced(draws)
    else:
        n_rows = draws.n_rows()
        most = draws.choose([4, 30])
        sizes = draws.n_labels(n_rows, most), draws.n_labels(n_rows, most)
        data = Labels(draws, n_rows, *sizes)
    target = target_of(data, direction)
    labels = getattr(data, target)
    if settings["quality"] in OF_NUMBERS:
        step = draws.choose([1, 0.5, 10])
        setattr(data, target, [step * (i + 1) for i in range(len(labels))])
    if settings["quality"] == "f1" and draws.chance(0.5):
        settings["pos_label"] = labels[0]
    arrays = with_rows(draws, arrays_of(data, direction), data.n_rows)
    can_leave_one_out = settings["quality"] == "inverse_cross_entropy"
    if can_leave_one_out and settings["equalize"] != "expected" and draws.chance(0.3):
        settings["evaluation"] = "loo"
        arrays["sample_weight"] = None
    return new_case(metric, settings, arrays)


def attack_matrix(draws: Draws) -> Case:
    """Label matrices that are guessed column by column; some are probabilities."""
    settings = attack_settings(draws, "A->T", QUALITIES)
    n_rows = draws.n_rows()
    arrays = matrix_arrays(draws, n_rows, predicted_groups=False)
    if draws.chance(0.25):
        arrays["y_true"] = dense(arrays["y_true"])
        arrays["y_pred"] = probabilities(draws, dense(arrays["y_pred"]))
    return new_case("DPA", settings, with_rows(draws, arrays, n_rows))


def attack_overlap(draws: Draws) -> Case:
    """Groups that overlap, guessed column by column from the class."""
    metric, direction = draws.choose([LEAKAGE, OF_GROUPS])
    settings = attack_settings(draws, direction, QUALITIES)
    data = Labels(draws, draws.n_rows())
    arrays = arrays_of(data, "")
    groups = overlapping(draws, data.truth, draws.chance(0.5))
    arrays["sensitive_features"] = groups
    if direction:
        soft = draws.chance(0.3)
        arrays["sensitive_features_pred"] = guessed_overlap(draws, groups, data.truth, soft=soft)
    return new_case(metric, settings, with_rows(draws, arrays, data.n_rows))


def attack_soft(draws: Draws) -> Case:
    """Probabilities of class 1."""
    metric, direction = draws.choose([LEAKAGE, OF_CLASSES])
    settings = attack_settings(draws, direction, QUALITIES[:8])
    data = Labels(draws, draws.n_rows(), 2)
    arrays = arrays_of(data, direction)
    arrays["y_true"] = data.truth.astype(np.int64)
    arrays["y_pred"] = probabilities(draws, data.prediction)
    return new_case(metric, settings, with_rows(draws, arrays, data.n_rows))


def attack_abstain(draws: Draws) -> Case:
    """Missing predictions, which are left out or count as one more class."""
    metric, direction = draws.choose([LEAKAGE, OF_CLASSES, OF_GROUPS])
    settings = attack_settings(draws, direction, QUALITIES[:8])
    settings["missing"] = draws.choose(["drop", "abstain", "abstain"])
    n_rows = 60 + draws.n_rows()
    data = Labels(draws, n_rows, draws.whole(2, 4), draws.whole(2, 4))
    arrays = arrays_of(data, direction)
    role = "sensitive_features_pred" if direction == "T->A" else "y_pred"
    arrays[role] = draws.with_missing(arrays[role], draws.choose([0.05, 0.3]))
    settings |= {"class_labels": data.classes, "group_labels": data.groups}
    return new_case(metric, settings, with_rows(draws, arrays, n_rows))
