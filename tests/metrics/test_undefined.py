"""Pairs without rows: NaN, left out of the mean, and named by a warning; never a silent 0."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest
from exact_oracle import Row
from metric_cases import arguments, quiet, quietly

from biasamp_adapters import (
    MALS,
    AmplificationWarning,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    JointCounts,
    MultiAttributeBiasAmplification,
)

# Groups a and b, tasks 0 and 1; the model gets one row of each kind of error.
ROWS = [Row("a", 0, "a", 0)] * 3 + [Row("a", 1, "b", 0)] + [Row("b", 1, "b", 1)] * 3
ROWS += [Row("b", 0, "b", 1)]
BOTH = [DirectionalBiasAmplification, MultiAttributeBiasAmplification]


@pytest.mark.parametrize("metric", BOTH)
def test_a_group_without_rows(metric: type) -> None:
    lists = {"groups": ["a", "b", "c"]}
    absent = metric(direction="A->T", **lists)
    with pytest.warns(AmplificationWarning, match="2 of 6 pairs are undefined.*group 'c'"):
        result = absent.result(**arguments(ROWS))
    assert result.value == metric(direction="A->T")(**arguments(ROWS)) != 0
    deltas = result.by_pair.set_index("attribute")["delta"]
    assert deltas.isna().to_dict() == {"a": False, "b": False, "c": True}


def test_a_task_without_rows() -> None:
    metric = DirectionalBiasAmplification(direction="T->A", labels=[0, 1, 2])
    with pytest.warns(AmplificationWarning, match="2 of 6 pairs are undefined.*of class 2"):
        result = metric.result(**arguments(ROWS))
    assert result.value == DirectionalBiasAmplification(direction="T->A")(**arguments(ROWS)) != 0
    deltas = result.by_pair.set_index("task")["delta"]
    assert deltas.groupby("task").agg(lambda d: d.isna().all()).to_dict() == {
        0: False,
        1: False,
        2: True,
    }


def test_lists_of_the_counts_are_heeded() -> None:
    frame = arguments(ROWS)
    counts = JointCounts.from_arrays(*frame.values(), groups=["a", "b", "c"])
    # y_true, y_pred, sensitive_features, sensitive_features_pred is the order of from_arrays.
    with pytest.warns(AmplificationWarning, match="group 'c'"):
        value = DirectionalBiasAmplification().from_counts(counts).value
    assert value == DirectionalBiasAmplification()(**frame)


def test_a_task_absent_from_a_to_t_is_no_undefined_pair() -> None:
    """A->T conditions on the group: a task without rows has rates of 0, and counts as one."""
    metric = DirectionalBiasAmplification(direction="A->T", labels=[0, 1, 2])
    with pytest.warns(AmplificationWarning, match="2 of 6 pairs are 0 .* of class 2"):
        result = metric.result(**arguments(ROWS))
    four_pairs = DirectionalBiasAmplification(direction="A->T")(**arguments(ROWS))
    assert result.value == pytest.approx(four_pairs * 4 / 6, abs=1e-15)


def test_absence_from_the_reference_is_sign_zero_and_counted() -> None:
    reference = ([0, 0, 1, 1, 0], ["a", "a", "b", "b", "b"])
    rows = [*ROWS, Row("c", 0, "c", 1), Row("c", 1, "c", 1)]
    metric = DirectionalBiasAmplification(reference=reference)
    with pytest.warns(AmplificationWarning, match="no rows of group 'c': their sign is 0"):
        result = metric.result(**arguments(rows))
    pairs = result.by_pair.set_index("attribute")
    assert (pairs.loc["c", "sign"] == 0).all()
    # One of two rows of c moves from task 0 to task 1.
    assert pairs.loc["c", "delta"].tolist() == [-0.5, 0.5]
    # Four of six pairs have a sign.
    without = DirectionalBiasAmplification(reference=reference)(**arguments(ROWS))
    assert without != 0
    assert result.value == pytest.approx(without * 4 / 6, abs=1e-15)


def undefined_everywhere() -> list[Any]:
    no_positives = [Row("a", 0, "a", 0), Row("b", 0, "b", 0)]
    only_one = {"labels": [0, 1], "pos_label": 1}
    return [
        # No row has T = 1, the one task to look at.
        (DirectionalBiasAmplification(direction="T->A", **only_one), no_positives),
        # Positives in neither truth nor predictions, then in one of the two.
        (MALS(**only_one), no_positives),
        (MALS(**only_one), [Row("a", 1, "a", 0), Row("b", 1, "b", 0)]),
        (MALS(**only_one), [Row("a", 0, "a", 1), Row("b", 0, "b", 1)]),
        # Task 1 is no observed set.
        (MultiAttributeBiasAmplification(direction="T->A", **only_one), no_positives),
    ]


@pytest.mark.parametrize(("metric", "rows"), undefined_everywhere())
def test_nothing_defined_is_nan_and_never_zero(metric: Any, rows: list[Row]) -> None:
    with pytest.warns(AmplificationWarning, match="every pair is undefined"):
        result = metric.result(**arguments(rows))
    assert isnan(result.value)
    assert metric.__name__.split()[0] == result.metric
    assert result.to_dict()["value"] is None


def test_mals_leaves_out_tasks_without_predicted_positives() -> None:
    rows = [Row("a", t, "a", t_hat) for t, t_hat in [(0, 0), (0, 0), (1, 0), (1, 0), (2, 2)]]
    rows += [Row("b", 0, "b", 0), Row("b", 2, "b", 2), Row("b", 2, "b", 2)]
    with pytest.warns(AmplificationWarning, match="2 of 6 pairs are undefined.*of class 1"):
        value = MALS()(**arguments(rows))
    # P(a | T = 0) = 2/3 favours a, predicted 4/5; P(b | T = 2) = 2/3 favours b, predicted 2/3.
    assert value == pytest.approx(((4 / 5 - 2 / 3) + (2 / 3 - 2 / 3)) / 2, abs=1e-15)


@pytest.mark.parametrize("direction", ["A->T", "T->A"])
def test_an_absent_group_of_dpa_is_a_class_of_the_channel_only(direction: str) -> None:
    options = {"direction": direction, "equalize": None}
    declared = DirectionalPredictabilityAmplification(groups=["a", "b", "c"], **options)
    plain = DirectionalPredictabilityAmplification(**options)
    result = quiet(declared, ROWS)
    assert result.value == plain(**arguments(ROWS))
    pairs = result.by_pair.set_index("attribute")
    assert pairs.loc["c"].drop(columns="task").isna().all(axis=None)  # A_c is constant
    assert pairs.loc[["a", "b"]].notna().all(axis=None)


def test_two_groups_are_the_least() -> None:
    rows = [Row("a", 0, "a", 0), Row("a", 1, "a", 1)]
    with pytest.raises(ValueError, match="at least two groups; received only 'a'"):
        DirectionalBiasAmplification()(**arguments(rows))


def test_a_bare_number_needs_rows_of_two_groups_unless_a_reference_has_them() -> None:
    rows = [Row("a", 0, "a", 1), Row("a", 1, "a", 1)]
    listed = DirectionalBiasAmplification(groups=["a", "b"])
    with pytest.raises(ValueError, match="at least two groups; received only 'a'"):
        listed(**arguments(rows))
    # T = 1 in 1 of 2 rows of a and in none of b, so a leans to it; predicted in 2 of 2.
    reference = ([0, 1, 0, 0], ["a", "a", "b", "b"])
    told = DirectionalBiasAmplification(groups=["a", "b"], reference=reference)
    assert quiet(told, rows).value == quietly(told, **arguments(rows)) == 2 / 2 - 1 / 2


def test_a_warning_points_at_the_caller() -> None:
    metric = DirectionalBiasAmplification(groups=["a", "b", "c"])
    for call in (metric, metric.result):
        with pytest.warns(AmplificationWarning) as caught:
            call(**arguments(ROWS))
        assert caught[0].filename == __file__
