"""Which deviations from the package at commit 6d3b716 are meant, and why."""

from __future__ import annotations

from typing import Any

from oracle.parts import Case


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
}


def explanation(case: Case, deviation: Any) -> str | None:
    """Return why a deviation is meant, or None."""
    for is_meant, reason in EXPLAINED.items():
        if is_meant(case, deviation):
            return reason
    return None
