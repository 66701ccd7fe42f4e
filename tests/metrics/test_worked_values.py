"""Published values, and values whose arithmetic fits on a line.

[W21] is Wang and Russakovsky, "Directional Bias Amplification", 2021; [T25] is Tokas, Nair and
Kerner, "DPA", 2025.
"""

from typing import Any

import numpy as np
import pytest

import biasamp_adapters as bam


def spread_out(counts: Any) -> list[np.ndarray]:
    """Return a column of codes for each axis of a table of counts, with a row for each count."""
    counts = np.asarray(counts)
    return list(np.repeat(np.indices(counts.shape).reshape(counts.ndim, -1), counts.ravel(), 1))


def scenario(name: str) -> dict[str, Any]:
    """Return counts of [W21] Sec. 3.2, in which the group is always predicted right."""
    cells = bam.studies.load_published("w21_shortcomings").query("scenario == @name")
    columns = {role: cells[role] for role in ("y_true", "y_pred")}
    columns |= dict.fromkeys(("sensitive_features", "sensitive_features_pred"), cells["group"])
    return columns | {"sample_weight": cells["count"]}


@pytest.mark.parametrize(
    ("name", "published"),
    [
        # 10 rows of group 1 have T = 0 and 40 T = 1, of group 2 40 and 10, of group 3 10 and 20.
        # Only group 1 has more than 1/3 of the positives, 40 of 70. Predicted positives are its 40
        # and the 30 rows of group 3.
        ("three groups", 40 / 70 - 40 / 70),  # 0
        ("two groups, first model", 40 / 40 - 40 / 50),  # .2
        ("two groups, second model", 50 / 60 - 40 / 50),  # .033
        ("imbalanced groups", 0 / 30 - 30 / 50),  # -.6
    ],
)
def test_mals_w21_section_3_2_as_published(name, published) -> None:
    assert bam.MALSBiasAmplification()(**scenario(name)) == pytest.approx(published, abs=1e-12)


@pytest.mark.parametrize("pos_label", [None, 0, 1])
@pytest.mark.parametrize(
    ("name", "published"),
    [
        # [W21] Sec. 4.1. The signs for T = 1 are +, -, +: 40/50, 10/50 and 20/30 beside 70/130.
        # D is 0, 0 - 10/50 and 1 - 20/30.
        ("three groups", (0 + 10 / 50 + (1 - 20 / 30)) / 3),  # .1778
        # The signs are - and +: 30/90 and 20/30 beside 50/120. D is 0 - 30/90 and 1 - 20/30.
        ("imbalanced groups", (30 / 90 + (1 - 20 / 30)) / 2),  # .3333
    ],
)
def test_ba_w21_section_4_1_as_published(name, published, pos_label) -> None:
    a_to_t, t_to_a = (
        bam.DirectionalBiasAmplification(direction=direction, pos_label=pos_label)
        for direction in ("A->T", "T->A")
    )
    assert a_to_t(**scenario(name)) == pytest.approx(published, abs=1e-12)
    assert t_to_a(**scenario(name)) == 0  # Groups are always predicted right.


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
def test_dpa_hiring_nobody_is_the_skew(quality, expected) -> None:
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
