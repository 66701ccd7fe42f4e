"""Which deviations from the package at commit 6d3b716 are meant, and why."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from biasamp_adapters import words
from oracle.calls import intervals
from oracle.parts import Case

#: Qualities of attackers that name one label.
_OF_GUESSES = ("accuracy", "balanced_accuracy", "hard_inverse_cross_entropy")

#: Other draws with which an interval is compared, and how far beyond theirs a width may lie.
_SEEDS, _BEYOND = range(1, 21), 1.1


def is_class_of_predictions_alone(case: Case, deviation: Any) -> bool:
    """Return whether predictions have a label that no truth has, which was refused."""
    return deviation.kind == "accepted" and "known from truth" in str(deviation.old)


def is_group_of_one_side(case: Case, deviation: Any) -> bool:
    """Return whether data and reference each have a group that the other lacks."""
    return deviation.kind == "accepted" and "have the same groups" in str(deviation.old)


def is_matrix_of_signs(case: Case, deviation: Any) -> bool:
    """Return whether a matrix of -1 and 1 is read."""
    return deviation.kind == "accepted" and case["family"] == "signed"


def is_certain_tie(case: Case, deviation: Any) -> bool:
    """Return whether all pairs whose doubt differs have the sign 0."""
    return deviation.kind == "uncertain ties"


def is_not_judged(case: Case, deviation: Any) -> bool:
    """Return whether the mean over drawn flips depends on the seed."""
    return deviation.kind == "not judged"


def is_rare_draw(case: Case, deviation: Any) -> bool:
    """Return whether a few of many draws of flips move the score of a pair far."""
    return deviation.kind == "pairs" and case["id"] in ("attack_overlap-034", "attack_overlap-046")


def is_flip_of_mixed_weights(case: Case, deviation: Any) -> bool:
    """Return whether the flipped cells of a pair hold rows of several weights."""
    return deviation.kind == "pairs" and case["id"] == "attack_soft-031"


def is_doubt_of_clusters(case: Case, deviation: Any) -> bool:
    """Return whether the doubt of a sign differs where rows have clusters."""
    return deviation.kind == "uncertain" and "clusters" in case["arrays"]


# Intervals.


def is_noise_of_draws(case: Case, deviation: Any) -> bool:
    """Return whether some of 20 other draws give what the old package gave, or none as it did."""
    if not deviation.kind.startswith(("interval", "width")):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        others = intervals(case, deviation.name, _SEEDS)
    given = [np.ptp(interval) for interval in others if interval is not None]
    if deviation.kind == "interval given":
        return len(given) < len(others)
    if deviation.kind == "interval withheld" or not given:
        return bool(given)
    return bool(min(given) / _BEYOND <= np.ptp(deviation.old) <= _BEYOND * max(given))


def is_wider(deviation: Any) -> bool:
    """Return whether the interval of this package is the wider one."""
    return deviation.kind == "width" and bool(np.ptp(deviation.new) > np.ptp(deviation.old))


def is_mean_of_few_clusters(case: Case, deviation: Any) -> bool:
    """Return whether at most 20 clusters make an interval wider."""
    clusters = case["arrays"].get("clusters", range(len(case["arrays"]["y_pred"])))
    return is_wider(deviation) and len(np.unique(clusters)) <= 20


def is_lower_end_of_a_clear_size(case: Case, deviation: Any) -> bool:
    """Return whether the lower end alone is another one, and above 0."""
    if case["metric"] != "Multi" or deviation.kind != "width":
        return False
    (low, high), (new_low, new_high) = deviation.old, deviation.new
    return low < new_low and abs(new_high - high) < 0.1 * (high - low)


def is_level_that_is_guessed(case: Case, deviation: Any) -> bool:
    """Return whether the level of an attacker that names one label has a wider interval."""
    is_of_guesses = case["settings"].get("quality") in _OF_GUESSES
    return is_of_guesses and deviation.name.startswith("psi") and is_wider(deviation)


def is_tie_of_several_labels(case: Case, deviation: Any) -> bool:
    """Return whether more than two labels may be tied."""
    if case["settings"].get("quality") != "balanced_accuracy" or deviation.kind != "width":
        return False
    target = "y_true" if case["settings"].get("direction") == "A->T" else "sensitive_features"
    return len(np.unique(case["arrays"][target])) > 2 and not is_wider(deviation)


def is_few_rows_of_clusters(case: Case, deviation: Any) -> bool:
    """Return whether the old package found few rows where rows have clusters."""
    is_of_clusters = deviation.kind == "interval given" and "clusters" in case["arrays"]
    return is_of_clusters and ("fewer than 15 rows" in deviation.old)


def is_half_a_row(case: Case, deviation: Any) -> bool:
    """Return whether half a row of a small group would move the mean out of its interval."""
    return deviation.kind == "interval withheld" and deviation.new == words.HALF_A_ROW


#: The predicates of deviations that are meant, and the reason of each.
EXPLAINED = {
    is_class_of_predictions_alone: (
        "labels are those of truth and predictions together; one that predictions have alone was "
        "refused"
    ),
    is_group_of_one_side: (
        "a group that reference or data lack has no sign, and its pairs count as 0; it was refused "
        "where each side has one"
    ),
    is_matrix_of_signs: "matrices of -1 and 1 are read as 0 and 1; they were refused",
    is_certain_tie: "a tie within rounding is certain; with real weights it was uncertain",
    is_rare_draw: (
        "the guess of F1 turns in 1 or 2 of 100 draws of flips, so the spread of other draws does "
        "not tell how far their mean may lie"
    ),
    is_flip_of_mixed_weights: (
        "rows of several weights in one cell of a pair are flipped as rows of equal weight"
    ),
    is_doubt_of_clusters: "the doubt of a sign counts rows and not clusters",
    is_not_judged: (
        "a level that is infinite in some flips, or a ratio of U that only some show, has no mean "
        "that seeds share"
    ),
    is_noise_of_draws: "other draws of the same number give what the old package gave",
    is_mean_of_few_clusters: (
        "each cluster is drawn a Poisson number of times, so that the number of all that are drawn "
        "varies too; of few clusters, intervals are wider"
    ),
    is_lower_end_of_a_clear_size: (
        "the lower end of Multi is not lowered because only values that are clear exclude 0"
    ),
    is_level_that_is_guessed: (
        "levels of attackers that name one label cover the replicates as they are and mirrored; "
        "they covered the mirrored ones"
    ),
    is_tie_of_several_labels: (
        "the margin for ties of balanced accuracy is that of two labels, also where more are tied"
    ),
    is_few_rows_of_clusters: (
        "the rule of few rows counts rows; it counted the rows that clustered ones are worth"
    ),
    is_half_a_row: (
        "a small group none of whose rows changes leaves no interval; replicates do not show how "
        "it varies"
    ),
}


def explanation(case: Case, deviation: Any) -> str | None:
    """Return why a deviation is meant, or None."""
    for is_meant, reason in EXPLAINED.items():
        if is_meant(case, deviation):
            return reason
    return None
