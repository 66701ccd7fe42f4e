"""The functions called on their own: published values, definitions, and the metric objects.

[W21] is Wang and Russakovsky, "Directional Bias Amplification", 2021; [T25] is Tokas, Nair and
Kerner, "DPA", 2025.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

import exact_oracle as oracle
from conftest import rows_of
from exact_oracle import Row
from hypothesis import assume, given
from hypothesis import strategies as st
from metric_cases import (
    DIRECTIONS,
    GROUPS,
    LABELS,
    LISTS,
    any_rows,
    arguments,
    quietly,
    same,
)

from biasamp_adapters import BaseRates, Indicators
from biasamp_adapters.fairlearn import (
    directional_bias_amplification,
    directional_predictability_amplification,
    leakage_amplification,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)

# [W21] 3.2: of each group, rows of (T = 0, T = 1).
THREE_GROUPS = {1: (10, 40), 2: (40, 10), 3: (10, 20)}
TWO_GROUPS = {1: (10, 40), 2: (40, 10)}
IMBALANCED = {1: (60, 30), 2: (10, 20)}


def scenario(groups: dict[int, tuple[int, int]], always: dict[int, int]) -> dict[str, Any]:
    """Rows of ``groups``; the model is right but in the groups where it ``always`` says one."""
    rows = rows_of(list(groups.values()), "A", "T")
    group = rows["A"].map(dict(enumerate(groups)))
    return {
        "y_true": rows["T"],
        "y_pred": group.map(always).fillna(rows["T"]).astype(int),
        "sensitive_features": group,
        "sensitive_features_pred": group,
    }


@pytest.mark.parametrize(
    ("data", "published"),
    [
        (scenario(THREE_GROUPS, {2: 0, 3: 1}), 40 / 70 - 40 / 70),
        (scenario(TWO_GROUPS, {2: 0}), 40 / 40 - 40 / 50),
        (scenario(TWO_GROUPS, {1: 1}), 50 / 60 - 40 / 50),
        (scenario(IMBALANCED, {1: 0, 2: 1}), 0 / 30 - 30 / 50),
    ],
    ids=["three groups", "two groups, first model", "two groups, second model", "imbalanced"],
)
def test_mals_of_w21_section_3_2(data: dict[str, Any], published: float) -> None:
    assert mals_bias_amplification(**data) == pytest.approx(published, abs=1e-12)


@pytest.mark.parametrize(
    ("data", "published"),
    [
        (scenario(THREE_GROUPS, {2: 0, 3: 1}), (0 + 10 / 50 + (1 - 20 / 30)) / 3),  # .1778
        (scenario(IMBALANCED, {1: 0, 2: 1}), (30 / 90 + (1 - 20 / 30)) / 2),  # .3333
    ],
    ids=["shortcoming 1", "shortcoming 2"],
)
def test_directional_of_w21_section_4_1(data: dict[str, Any], published: float) -> None:
    assert directional_bias_amplification(**data) == pytest.approx(published, abs=1e-12)
    assert directional_bias_amplification(**data, direction="T->A") == 0  # A^ = A


def test_t25_table_7_from_table_6() -> None:
    # A = 0, 1 by T = 0, 1, and A^ by T: of 2631 rows with T = 0, 1229 have A = 0 and 1056 A^ = 0.
    rows = rows_of([[1229, 1402], [874, 1773]], "T", "A")
    guess = rows_of([[1056, 1575], [1115, 1532]], "T", "A")["A"]
    data = {"y_true": rows["T"], "y_pred": rows["T"], "sensitive_features": rows["A"]}
    data |= {"sensitive_features_pred": guess, "direction": "T->A"}
    moved = (173 / 2631 + 241 / 2647) / 2  # against the correlation in both tasks
    assert directional_bias_amplification(**data) == pytest.approx(-moved, abs=1e-12)
    assert multi_attribute_bias_amplification(**data) == pytest.approx(moved, abs=1e-12)
    assert moved == pytest.approx(0.078, abs=0.0005)  # as printed


def test_always_no_of_t25_section_5_1() -> None:
    # 50 of 200 men and 25 of 100 women are hired; "no" for everybody is foretold without error.
    rows = rows_of([[50, 150], [25, 75]], "A", "T")
    value = directional_predictability_amplification(
        rows["T"], np.ones(300, dtype=int), sensitive_features=rows["A"]
    )
    assert value == 1


def test_leakage_of_a_model_that_says_the_group() -> None:
    # 30 of 50 rows of each group have "their" task; the model gives it to all of them.
    rows = rows_of([[30, 20], [20, 30]], "A", "T")
    value = leakage_amplification(
        rows["T"], rows["A"], sensitive_features=rows["A"], equalize="expected"
    )
    # Three fifths of the model are right, so .6 .6 + .4 .4 = .52 of a group keep their task in T~.
    assert value == pytest.approx(1 - 0.52, abs=1e-12)


EXACT: list[tuple[Any, dict[str, Any], Any]] = [
    (mals_bias_amplification, {}, lambda rows: oracle.mals(rows, GROUPS, LABELS).value),
    (
        leakage_amplification,
        {"equalize": "expected"},
        lambda rows: oracle.leakage(rows, "balanced_accuracy", LABELS),
    ),
]
for way, flipped in zip(DIRECTIONS, (LABELS, GROUPS), strict=True):
    EXACT += [
        (
            directional_bias_amplification,
            {"direction": way},
            lambda rows, way=way: oracle.directional(rows, way, GROUPS, LABELS).value,
        ),
        (
            multi_attribute_bias_amplification,
            {"direction": way},
            lambda rows, way=way: oracle.multi(rows, way, GROUPS, LABELS).value,
        ),
        (
            directional_predictability_amplification,
            {"direction": way, "equalize": "expected"},
            lambda rows, way=way, flipped=flipped: oracle.dpa(
                rows, way, "inverse_cross_entropy", flipped
            ),
        ),
    ]


@given(any_rows, st.sampled_from(EXACT))
def test_values_against_plain_loops(rows: list[Row], exact: Any) -> None:
    function, parameters, expected = exact
    assume(len({row.a for row in rows}) > 1)
    value = quietly(function, **arguments(rows), **parameters, **LISTS)
    assert same(value, expected(rows))


def test_rates_set_by_hand_need_no_predicted_task() -> None:
    even = {"he": 0.5, "she": 0.5}
    leans = {"he": {"cook": 1, "nurse": -1}, "she": {"cook": -1, "nurse": 1}}
    value = directional_bias_amplification(
        ["cook", "nurse"],
        None,
        sensitive_features_pred=Indicators([[0.9, 0.1], [0.3, 0.7]], names=["he", "she"]),
        direction="T->A",
        reference=BaseRates(attribute_given_task={"cook": even, "nurse": even}, direction=leans),
    )
    # .9 - .5 and .5 - .1 of cooks, .5 - .3 and .7 - .5 of nurses
    assert value == pytest.approx((0.4 + 0.4 + 0.2 + 0.2) / 4, abs=1e-12)
