"""Published values, and values whose arithmetic fits on a line.

[W21] is Wang and Russakovsky, "Directional Bias Amplification", 2021; [T25] is Tokas, Nair and
Kerner, "DPA", 2025.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compas_trees import COMPAS_TREES

import biasamp_adapters as bam

Columns = dict[str, np.ndarray]


def spread_out(counts: Any) -> list[np.ndarray]:
    """Return a column of codes for each axis of a table of counts, with a row for each count."""
    counts = np.asarray(counts)
    return list(np.repeat(np.indices(counts.shape).reshape(counts.ndim, -1), counts.ravel(), 1))


# [W21] Sec. 3.2: "When A_1 = 1: 10 exs. of T = 0 and 40 exs. of T = 1", and so on.
THREE_GROUPS = {1: (10, 40), 2: (40, 10), 3: (10, 20)}
TWO_GROUPS = {1: (10, 40), 2: (40, 10)}
IMBALANCED = {1: (60, 30), 2: (10, 20)}


def scenario(groups: dict[int, tuple[int, int]], always: dict[int, int]) -> Columns:
    """Return rows of ``groups`` whose model is right, but for groups that ``always`` get a class.

    The group is always predicted right.
    """
    position, truth = spread_out(list(groups.values()))
    group = np.array(list(groups))[position]
    predicted = [always.get(a, t) for a, t in zip(group.tolist(), truth.tolist(), strict=True)]
    return {
        "y_true": truth,
        "y_pred": np.array(predicted),
        "sensitive_features": group,
        "sensitive_features_pred": group,
    }


SHORTCOMING_1 = scenario(THREE_GROUPS, {2: 0, 3: 1})
SHORTCOMING_2 = scenario(IMBALANCED, {1: 0, 2: 1})


@pytest.mark.parametrize(
    ("columns", "published"),
    [
        # Only group 1 has more than 1/3 of the positives, 40 of 70. Predicted positives are its 40
        # and the 30 rows of group 3.
        (SHORTCOMING_1, 40 / 70 - 40 / 70),  # 0
        (scenario(TWO_GROUPS, {2: 0}), 40 / 40 - 40 / 50),  # .2
        (scenario(TWO_GROUPS, {1: 1}), 50 / 60 - 40 / 50),  # .033
        (SHORTCOMING_2, 0 / 30 - 30 / 50),  # -.6
    ],
    ids=["three groups", "two groups, first model", "two groups, second model", "imbalanced"],
)
def test_mals_w21_section_3_2_as_published(columns: Columns, published: float) -> None:
    assert bam.MALSBiasAmplification()(**columns) == pytest.approx(published, abs=1e-12)


@pytest.mark.parametrize("pos_label", [None, 0, 1])
@pytest.mark.parametrize(
    ("columns", "published"),
    [
        # [W21] Sec. 4.1. The signs for T = 1 are +, -, +: 40/50, 10/50 and 20/30 beside 70/130.
        # D is 0, 0 - 10/50 and 1 - 20/30.
        (SHORTCOMING_1, (0 + 10 / 50 + (1 - 20 / 30)) / 3),  # .1778
        # The signs are - and +: 30/90 and 20/30 beside 50/120. D is 0 - 30/90 and 1 - 20/30.
        (SHORTCOMING_2, (30 / 90 + (1 - 20 / 30)) / 2),  # .3333
    ],
    ids=["shortcoming 1", "shortcoming 2"],
)
def test_directional_w21_section_4_1_as_published(
    columns: Columns, published: float, pos_label: int | None
) -> None:
    a_to_t, t_to_a = (
        bam.DirectionalBiasAmplification(direction=direction, pos_label=pos_label)
        for direction in ("A->T", "T->A")
    )
    assert a_to_t(**columns) == pytest.approx(published, abs=1e-12)
    assert t_to_a(**columns) == 0  # Groups are always predicted right.


@pytest.mark.parametrize("share", [0, 0.5, 0.75, 1])
def test_painting_of_w21_figure_2_follows_its_formulas(share: float) -> None:
    # 30 of 40 women and 10 of 40 men paint; the model is right about all men, and says that a
    # share of the women paint. The caption: below 0 under .75, above 0 over it.
    woman = np.repeat([1, 0], 40)
    paints = np.concatenate([np.arange(40) < 30, np.arange(40) < 10]).astype(int)
    predicted = np.concatenate([np.arange(40) < 40 * share, np.arange(40) < 10]).astype(int)
    columns: Any = {"y_true": paints, "y_pred": predicted, "sensitive_features": woman}
    a_to_t = bam.DirectionalBiasAmplification()(**columns)
    assert a_to_t == pytest.approx((share - 0.75) / 2, abs=1e-12)
    # Of the people who are said to paint, the share of women is share / (share + 10/40).
    mals = bam.MALSBiasAmplification()(**columns)
    assert mals == pytest.approx(share / (share + 0.25) - 0.75, abs=1e-12)


# [T25] Table 6: rows are T = 0, 1 (or T^ = 0, 1), columns A = 0, 1 (or A^ = 0, 1).
TABLE_6 = {
    "unbalanced": {
        "A by T": [[1229, 1402], [874, 1773]],
        "A^ by T": [[1056, 1575], [1115, 1532]],
        "A by T^": [[1165, 1546], [938, 1629]],
    },
    "balanced": {
        "A by T": [[874, 874], [874, 874]],
        "A^ by T": [[1083, 665], [896, 852]],
        "A by T^": [[1145, 948], [603, 800]],
    },
}


def rates_of_table_6(name: str, direction: str) -> tuple[np.ndarray, np.ndarray]:
    """Return counts of what is predicted (columns) by what it is predicted from: true, guessed."""
    tables = {kind: np.array(table) for kind, table in TABLE_6[name].items()}
    if direction == "T->A":
        return tables["A by T"], tables["A^ by T"]
    return tables["A by T"].T, tables["A by T^"].T


def matched(true: np.ndarray, guessed: np.ndarray, accuracy: float | None = None) -> np.ndarray:
    """Return counts by what is given, the truth and the guess, with the sums of both tables.

    The tables leave open which guesses are right. By default as many as can be; else a share
    ``accuracy`` of them, to within a row.
    """
    most = np.minimum(true[:, 0], guessed[:, 0])
    fewest = np.maximum(0, true[:, 0] + guessed[:, 0] - true.sum(axis=1))
    both = most
    if accuracy is not None:
        # Right are the rows that are 0 in both, and those that are 1 in both.
        needed = (true[:, 0].sum() + guessed[:, 0].sum() - (1 - accuracy) * true.sum()) / 2
        share = (needed - fewest.sum()) / (most - fewest).sum()
        first = round(fewest[0] + share * (most[0] - fewest[0]))
        both = np.array([first, round(needed) - first])
    zeros = np.stack([both, true[:, 0] - both], axis=-1)
    ones = np.stack([guessed[:, 0] - both, true[:, 1] - guessed[:, 0] + both], axis=-1)
    return np.stack([zeros, ones], axis=1)


def columns_of_table_6(name: str, direction: str, accuracy: float | None = None) -> Columns:
    """Return rows with the published counts of one direction."""
    given, truth, guess = spread_out(matched(*rates_of_table_6(name, direction), accuracy))
    if direction == "A->T":
        return {"y_true": truth, "y_pred": guess, "sensitive_features": given}
    return {
        "y_true": given,
        "y_pred": given,
        "sensitive_features": truth,
        "sensitive_features_pred": guess,
    }


@pytest.mark.parametrize(
    ("name", "direction", "published_ba", "published_multi", "changes"),
    [
        # Table 7 prints three digits. |1056 - 1229| of 2631 rows with T = 0 and |1115 - 874| of
        # 2647 with T = 1, both against the correlation.
        ("unbalanced", "T->A", -0.078, 0.078, (173 / 2631, 241 / 2647)),  # .0784
        # |1165 - 1229| of 2103 rows with A = 0, and |1546 - 1402| of 3175 with A = 1.
        ("unbalanced", "A->T", -0.038, 0.038, (64 / 2103, 144 / 3175)),  # .0379
        # Balanced sets have no correlation. 1083 - 874 and 896 - 874 of 1748 rows each.
        ("balanced", "T->A", 0.000, 0.066, (209 / 1748, 22 / 1748)),  # .0661
        # 1145 - 874 and 948 - 874 of 1748 rows each.
        ("balanced", "A->T", 0.000, 0.099, (271 / 1748, 74 / 1748)),  # .0987
    ],
)
def test_directional_and_multi_t25_table_7_follow_from_table_6(
    name: str, direction: str, published_ba: float, published_multi: float, changes: Any
) -> None:
    columns, size = columns_of_table_6(name, direction), sum(changes) / 2
    ba = bam.DirectionalBiasAmplification(direction=direction)(**columns)
    assert ba == pytest.approx(-size if name == "unbalanced" else 0, abs=1e-12)
    assert ba == pytest.approx(published_ba, abs=0.0005)
    metric = bam.MultiAttributeBiasAmplification(direction=direction)
    multi = metric.result(**columns, n_boot=0)
    assert multi.value == pytest.approx(size, abs=1e-12)
    assert multi.value == pytest.approx(published_multi, abs=0.0005)
    # Each change occurs with both signs, so their mean is 0 and the variance the mean square.
    variance = multi.estimates["variance"].value
    assert variance == pytest.approx(sum(d**2 for d in changes) / 2, abs=1e-12)


# Decision trees, whose counts test_published.py gets from the data.


def columns_of_trees() -> Columns:
    """Return the rows of the COMPAS trees."""
    names = ("y_true", "sensitive_features", "y_pred", "sensitive_features_pred")
    return dict(zip(names, spread_out(COMPAS_TREES), strict=True))


def test_dpa_compas_trees_by_hand() -> None:
    # Accuracy, A->T. Of Caucasians 1466 and 637 are predicted 0 and 1, of others 1612 and 1563. So
    # the attacker names 0 for both: 1466 + 1612 of 5278 are right.
    predicted = np.array(COMPAS_TREES).sum(axis=(0, 3))
    assert predicted.tolist() == [[1466, 637], [1612, 1563]]
    of_model = (1466 + 1612) / 5278
    # The trees err in 164 and 281 rows with T = 0, and are right in 473 and 1282 with T = 1.
    accuracy = (1229 - 164 + 1402 - 281 + 473 + 1282) / 5278
    # Flips keep that share of the labels: 0 stays likelier for Caucasians, and 1 for others.
    named = [1229 * accuracy + 874 * (1 - accuracy), 1773 * accuracy + 1402 * (1 - accuracy)]
    of_dataset = sum(named) / 5278
    metric = bam.DirectionalPredictabilityAmplification(quality="accuracy", equalize="expected")
    expected = (of_model - of_dataset) / (of_model + of_dataset)
    assert metric(**columns_of_trees()) == pytest.approx(expected, abs=1e-12)


def test_equal_errors_compas_trees_shrink_the_gap_by_all_errors() -> None:
    # Of two groups and classes, BA A->T is half of what the gap grows by. Equal error rates leave
    # TPR - FPR of a gap of 1773/3175 - 874/2103.
    result = bam.DirectionalBiasAmplification().result(**columns_of_trees(), n_boot=0)
    gap = 1773 / 3175 - 874 / 2103
    predicted_gap = 1563 / 3175 - 637 / 2103
    assert result.value == pytest.approx((predicted_gap - gap) / 2, abs=1e-12)  # .0233
    kept = (473 + 1282) / 2647 - (164 + 281) / 2631
    equal_errors = result.estimates["equal_errors"].value
    assert equal_errors == pytest.approx((kept - 1) * gap / 2, abs=1e-12)  # -.036
    assert equal_errors == pytest.approx(-0.036, abs=0.0005)
    excess = result.estimates["excess"].value
    assert excess == pytest.approx((predicted_gap - kept * gap) / 2, abs=1e-12)


def dpa_of_hard_guesses(name: str, direction: str, accuracy: float, **options: Any) -> float:
    """Return DPA by 1/cross-entropy of hard guesses: (e_D - e_M) / (e_D + e_M) of error rates."""
    metric = bam.DirectionalPredictabilityAmplification(
        direction=direction, quality="hard_inverse_cross_entropy", **options
    )
    return metric(**columns_of_table_6(name, direction, accuracy))


#: The mean of 4,000 draws with a standard deviation below .01 is known to within .0005, which is
#: three standard errors.
DRAWS_OF_FLIPS = 4000


@pytest.mark.parametrize(
    ("name", "direction", "accuracy", "ours", "published", "is_within"),
    [
        # [T25] Table 7 prints means and half widths, and does not say how accurate the trees are.
        ("balanced", "T->A", 0.69, 0.0618, (0.061, 0.008), True),
        ("balanced", "A->T", 0.69, 0.1007, (0.100, 0.004), True),
        ("unbalanced", "A->T", 0.74, -0.0039, (-0.004, 0.002), True),
        ("unbalanced", "T->A", 0.68, 0.0590, (0.063, 0.005), True),
        # E.2.1 has "approx. 69%" for unbalanced T->A; at .685 the value is the end of the interval.
        ("unbalanced", "T->A", 0.685, 0.0580, (0.063, 0.0055), True),
        ("unbalanced", "T->A", 0.69, 0.0570, (0.063, 0.005), False),
    ],
)
def test_dpa_of_hard_guesses_is_near_t25_table_7(
    name: str, direction: str, accuracy: float, ours: float, published: Any, is_within: bool
) -> None:
    value = dpa_of_hard_guesses(
        name, direction, accuracy, equalize="sampled", n_trials=DRAWS_OF_FLIPS
    )
    assert value == pytest.approx(ours, abs=0.0005)
    mean, half_width = published
    assert (abs(value - mean) <= half_width) == is_within


def test_dpa_of_hard_guesses_in_expectation_by_hand() -> None:
    # T->A, at .69. The attacker errs in the rarer label: 1229 * .69 + 1402 * .31 = 1282.63 of the
    # rows with T = 0, and 874 * .69 + 1773 * .31 = 1152.69 with T = 1. The model's are 1056, 1115.
    e_d, e_m = (1282.63 + 1152.69) / 5278, (1056 + 1115) / 5278
    value = dpa_of_hard_guesses("unbalanced", "T->A", 0.69, equalize="expected")
    assert value == pytest.approx((e_d - e_m) / (e_d + e_m), abs=1e-4)
    # Balanced A->T is a tie in expectation, so half of the guesses are wrong. The model has 603 and
    # 800.
    e_m = (603 + 800) / 3496
    value = dpa_of_hard_guesses("balanced", "A->T", 0.69, equalize="expected")
    assert value == pytest.approx((0.5 - e_m) / (0.5 + e_m), abs=1e-12)


# [T25] Sec. 5.1: 50 of 200 men and 25 of 100 women are hired, so A and T are independent.
HIRED_MEN_AND_WOMEN = [[150, 50], [75, 25]]


@pytest.mark.parametrize(
    ("quality", "expected"),
    [
        # A constant prediction has cross-entropy 0: (L_D - 0) / (L_D + 0).
        ("inverse_cross_entropy", 1),
        # A model that hires nobody is right in .75 of the rows, so .75 * .75 + .25 * .25 = .625 of
        # T~ are 0. Guesses of 0 are right for all predictions and for .625 of T~.
        ("accuracy", (1 - 0.625) / (1 + 0.625)),  # +.23
    ],
)
def test_dpa_hiring_nobody_is_the_skew(quality: str, expected: float) -> None:
    group, truth = spread_out(HIRED_MEN_AND_WOMEN)
    metric = bam.DirectionalPredictabilityAmplification(quality=quality, equalize="expected")
    value = metric(truth, np.zeros_like(truth), sensitive_features=group)
    assert value == pytest.approx(expected, abs=1e-12)


def test_leakage_by_hand() -> None:
    # 40 of 50 rows have the class of their group. Five rows of (0, 0) and five of (1, 1) are wrong,
    # so predictions give the group away in 35 of 50; flips of 10 % leave .8 * .9 + .2 * .1 = .74.
    group, truth = spread_out([[40, 10], [10, 40]])
    is_wrong = np.zeros(100, dtype=int)
    is_wrong[:5] = is_wrong[-5:] = 1
    metric = bam.LeakageAmplification(equalize="expected")
    value = metric(truth, truth ^ is_wrong, sensitive_features=group)
    assert value == pytest.approx(0.70 - 0.74, abs=1e-12)
