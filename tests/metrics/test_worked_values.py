"""Published values, and values whose arithmetic fits on a line.

[W21] is Wang and Russakovsky, "Directional Bias Amplification", 2021; [T25] is Tokas, Nair and
Kerner, "DPA", 2025.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pandas as pd
import pytest
from conftest import rows_of

from biasamp_adapters import (
    MALS,
    AmplificationWarning,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    JointCounts,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)

# [W21] 3.2: of each group, rows of (T = 0, T = 1).
THREE_GROUPS = {1: (10, 40), 2: (40, 10), 3: (10, 20)}
TWO_GROUPS = {1: (10, 40), 2: (40, 10)}
IMBALANCED = {1: (60, 30), 2: (10, 20)}


def scenario(groups: dict[int, tuple[int, int]], always: dict[int, int]) -> dict[str, np.ndarray]:
    """Rows of ``groups``; the model is right but in the groups where it ``always`` says one task.

    A is always predicted rightly.
    """
    rows = rows_of(list(groups.values()), "A", "T")
    attribute = rows["A"].map(dict(enumerate(groups)))
    predicted = attribute.map(always).fillna(rows["T"]).astype(int)
    return {
        "y_true": rows["T"].to_numpy(),
        "y_pred": predicted.to_numpy(),
        "sensitive_features": attribute.to_numpy(),
        "sensitive_features_pred": attribute.to_numpy(),
    }


# Group 1 keeps its 40 of 40 + 10 + 20 positives; predicted positives are those 40 and the 30 rows
# of group 3, so D_1 = 40/70 - 40/70. Published as 0.
THREE = scenario(THREE_GROUPS, {2: 0, 3: 1})
SHORTCOMING_2 = scenario(IMBALANCED, {1: 0, 2: 1})


@pytest.mark.parametrize(
    ("data", "published"),
    [
        (THREE, 40 / 70 - 40 / 70),
        (scenario(TWO_GROUPS, {2: 0}), 40 / 40 - 40 / 50),  # 0.2
        (scenario(TWO_GROUPS, {1: 1}), 50 / 60 - 40 / 50),  # 1/30
        (SHORTCOMING_2, 0 / 30 - 30 / 50),  # -0.6
    ],
    ids=["three groups", "two groups, first model", "two groups, second model", "imbalanced"],
)
def test_mals_of_w21_section_3_2(data: dict[str, np.ndarray], published: float) -> None:
    assert MALS()(**data) == pytest.approx(published, abs=1e-12)


def test_mals_takes_the_true_attribute_for_a_missing_predicted_one() -> None:
    data = scenario(TWO_GROUPS, {2: 0})
    del data["sensitive_features_pred"]
    assert MALS()(**data) == pytest.approx(0.2, abs=1e-12)


@pytest.mark.parametrize("pos_label", [None, 0, 1])
@pytest.mark.parametrize(
    ("data", "published"),
    [
        # [W21] 4.1. Signs +, -, + for T = 1; D = 0, 0 - 10/50, 1 - 20/30.
        (THREE, (0 + 10 / 50 + (1 - 20 / 30)) / 3),  # .1778
        # Signs - and +: 30/90 of group 1 and 20/30 of group 2 are positive; D = 0 - 1/3, 1 - 2/3.
        (SHORTCOMING_2, (30 / 90 + (1 - 20 / 30)) / 2),  # .3333
    ],
    ids=["shortcoming 1", "shortcoming 2"],
)
def test_directional_of_w21_section_4_1(
    data: dict[str, np.ndarray], published: float, pos_label: int | None
) -> None:
    a_to_t = DirectionalBiasAmplification(direction="A->T", pos_label=pos_label)
    t_to_a = DirectionalBiasAmplification(direction="T->A", pos_label=pos_label)
    assert a_to_t(**data) == pytest.approx(published, abs=1e-12)
    assert t_to_a(**data) == 0  # A is always predicted rightly


# [T25] Table 6. Rows of the first table of each: T = 0, 1 by A = 0, 1. Then A^ by T, then T^ by A.
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


def table_6(which: str, direction: str) -> JointCounts:
    """Counts with the published margins of one direction.

    The margins leave open which rows the model gets wrong; neither metric depends on it, so rows
    are matched in order.
    """
    margins = TABLE_6[which]
    by_t = rows_of(margins["A by T"], "T", "A")
    if direction == "T->A":
        rows = by_t.assign(A_hat=rows_of(margins["A^ by T"], "T", "A")["A"])
        return JointCounts.from_frame(rows, task="T", attribute="A", attribute_prediction="A_hat")
    rows = by_t.sort_values("A", kind="stable", ignore_index=True)
    rows = rows.assign(T_hat=rows_of(np.transpose(margins["A by T^"]), "A", "T")["T"])
    return JointCounts.from_frame(rows, task="T", attribute="A", prediction="T_hat")


# Table 7 prints three digits; the arithmetic from Table 6 is beside each value.
@pytest.mark.parametrize(
    ("which", "direction", "published", "exact"),
    [
        # |1056 - 1229| of 2631 rows with T = 0, |1115 - 874| of 2647 with T = 1, both against bias
        ("unbalanced", "T->A", -0.078, -(173 / 2631 + 241 / 2647) / 2),
        # |1165 - 1229| of 2103 rows with A = 0, |1546 - 1402| of 3175 with A = 1
        ("unbalanced", "A->T", -0.038, -(64 / 2103 + 144 / 3175) / 2),
        ("balanced", "T->A", 0.000, 0),
        ("balanced", "A->T", 0.000, 0),
    ],
)
def test_directional_of_t25_table_7(
    which: str, direction: str, published: float, exact: float
) -> None:
    value = (
        DirectionalBiasAmplification(direction=direction)
        .from_counts(table_6(which, direction))
        .value
    )
    assert value == pytest.approx(exact, abs=1e-12)
    assert value == pytest.approx(published, abs=0.0005)


@pytest.mark.parametrize(
    ("which", "direction", "published", "deltas"),
    [
        ("unbalanced", "T->A", 0.078, (173 / 2631, 241 / 2647)),
        ("unbalanced", "A->T", 0.038, (64 / 2103, 144 / 3175)),
        # 1083 - 874 and 896 - 874 of 1748 rows each
        ("balanced", "T->A", 0.066, (209 / 1748, 22 / 1748)),
        # 1145 - 874 and 948 - 874 of 1748 rows each
        ("balanced", "A->T", 0.099, (271 / 1748, 74 / 1748)),
    ],
)
def test_multi_of_t25_table_7(
    which: str, direction: str, published: float, deltas: tuple[float, float]
) -> None:
    result = MultiAttributeBiasAmplification(direction=direction).from_counts(
        table_6(which, direction)
    )
    assert result.value == pytest.approx(sum(deltas) / 2, abs=1e-12)
    assert result.value == pytest.approx(published, abs=0.0005)
    # Each D comes with both signs, one a class, so their mean is 0 and the variance mean D^2.
    assert result.variance == pytest.approx(sum(d**2 for d in deltas) / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("pos_label", "expected"),
    [(1, -241 / 2647), (0, -173 / 2631)],  # -0.0910 in the definitions, and -0.0658
)
def test_t_to_a_depends_on_which_task_is_positive(pos_label: int, expected: float) -> None:
    metric = DirectionalBiasAmplification(direction="T->A", pos_label=pos_label)
    value = metric.from_counts(table_6("unbalanced", "T->A")).value
    assert value == pytest.approx(expected, abs=1e-12)


def compas_arguments(compas: pd.DataFrame) -> dict[str, pd.Series]:
    return {
        "y_true": compas["T"],
        "y_pred": compas["T_pred"],
        "sensitive_features": compas["A"],
        "sensitive_features_pred": compas["A_pred"],
    }


def test_compas_truth_is_table_6(compas: pd.DataFrame) -> None:
    truth = pd.crosstab(compas["T"], compas["A"]).to_numpy().tolist()
    assert truth == TABLE_6["unbalanced"]["A by T"]


# Values of the definitions, section 5: a tree fitted and read on the same rows.
@pytest.mark.parametrize(
    ("quality", "direction", "documented"),
    [
        ("inverse_cross_entropy", "A->T", 0.0218),
        ("inverse_cross_entropy", "T->A", 0.0478),
        ("accuracy", "A->T", 0.0441),
        ("accuracy", "T->A", 0.1005),
    ],
)
def test_predictability_on_compas(
    compas: pd.DataFrame, quality: str, direction: str, documented: float
) -> None:
    metric = DirectionalPredictabilityAmplification(
        quality=quality, direction=direction, equalize="expected"
    )
    assert metric(**compas_arguments(compas)) == pytest.approx(documented, abs=0.00005)


def test_directional_on_compas(compas: pd.DataFrame) -> None:
    metric = DirectionalBiasAmplification(direction="A->T")
    result = metric.result(**compas_arguments(compas))
    assert result.value == pytest.approx(0.023, abs=0.0005)


# [T25] 5.1: 50 of 200 men and 25 of 100 women are hired, so A and T are independent.
HIRING = rows_of([[50, 150], [25, 75]], "A", "T")
ALWAYS_NO = {
    "y_true": HIRING["T"],
    "y_pred": np.ones(300, dtype=int),
    "sensitive_features": HIRING["A"],
}


def test_always_no_scores_one_for_inverse_cross_entropy() -> None:
    metric = DirectionalPredictabilityAmplification(quality="inverse_cross_entropy")
    # A constant prediction has cross-entropy 0: (L_D - 0) / (L_D + 0).
    assert metric(**ALWAYS_NO) == 1


def test_always_no_scores_what_its_skew_is_worth_for_accuracy() -> None:
    metric = DirectionalPredictabilityAmplification(quality="accuracy", equalize="expected")
    # Three quarters say no and the model is right as often: .75 * .75 + .25 * .25 = .625 of T~
    # say no. The attacker gets 1 of the model's and .625 of T~ right. Documented as +.23.
    assert metric(**ALWAYS_NO) == pytest.approx((1 - 0.625) / (1 + 0.625), abs=1e-12)


def test_always_no_has_no_dependence_on_the_group() -> None:
    metric = DirectionalPredictabilityAmplification(quality="uncertainty_coefficient")
    with pytest.warns(AmplificationWarning, match="the difference of the uncertainty"):
        result = metric.result(**ALWAYS_NO)
    assert result.levels["psi_model"].value == 0
    # 2 n H U of T~ is chi-square with one degree of freedom, so 1 in the mean; the value is the
    # mean of 100 draws of U, whose standard error is sqrt(2 / 100).
    h = -(0.625 * log(0.625) + 0.375 * log(0.375))
    assert -2 * 300 * h * result.value == pytest.approx(1, abs=5 * sqrt(2 / 100))


def test_leakage_by_hand() -> None:
    # T~ against A with 10 % errors: P(A=1 | T~) from .8 by T to .8 * .9 + .2 * .1 = .74.
    rows = rows_of([[40, 10], [10, 40]], "A", "T")
    wrong = np.zeros(100, dtype=bool)
    wrong[[0, 1, 2, 3, 4, 95, 96, 97, 98, 99]] = True  # five errors in (0, 0), five in (1, 1)
    metric = LeakageAmplification(equalize="expected")
    value = metric(rows["T"], rows["T"] ^ wrong, sensitive_features=rows["A"])
    # T^ = T has 35 and 15 rows a group: 70 of 100 right.
    assert value == pytest.approx(0.70 - 0.74, abs=1e-12)


def test_a_metric_without_flips_has_no_trials() -> None:
    result = DirectionalBiasAmplification().result(**THREE)
    assert result.by_trial.columns.tolist() == ["psi_dataset", "psi_model", "value"]
    assert len(result.by_trial) == 0


def test_pairs_of_leakage_by_rmse() -> None:
    # T is 1 for 1 of 4 rows of group 0 and 3 of 4 of group 1, T^ for 2 of 4 of both. Guesses of
    # the group are shares, so squared errors have the means 1/4 * 3/4 and 1/2 * 1/2.
    group = [0, 0, 0, 0, 1, 1, 1, 1]
    truth, made = [1, 0, 0, 0, 1, 1, 1, 0], [1, 1, 0, 0, 1, 1, 0, 0]
    metric = LeakageAmplification(quality="inverse_rmse", equalize=None)
    result = metric.result(truth, made, sensitive_features=group)
    expected = 1 / sqrt(1 / 4) - 1 / sqrt(3 / 16)
    assert result.value == pytest.approx(expected)
    assert result.by_pair["value"].tolist() == pytest.approx([expected] * len(result.by_pair))


@pytest.mark.parametrize(("times", "uncertain"), [(1, True), (2, True), (3, False)])
def test_signs_within_1_96_standard_errors_are_uncertain(times: int, uncertain: bool) -> None:
    # 12 of 20 against 8 of 20: phi = (12 * 12 - 8 * 8) / (20 * 20) = .2, and z = .2 sqrt(40 times),
    # which is 1.26, 1.79 and 2.19.
    rows = rows_of([[12 * times, 8 * times], [8 * times, 12 * times]], "A", "T")
    result = DirectionalBiasAmplification().result(
        rows["T"], rows["T"], sensitive_features=rows["A"]
    )
    assert (result.by_pair["uncertain"] == uncertain).all()
