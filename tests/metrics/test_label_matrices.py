"""Label matrices and indicators against plain loops over rows in exact fractions.

Cases have tasks and groups without rows, rows without a label, overlapping groups, ties,
probabilities, abstentions and weights; the seeded ones are larger.
"""

from __future__ import annotations

from fractions import Fraction
from math import isnan, nan
from typing import Any

import matrix_oracle as oracle
import pytest
from exact_oracle import mean
from hypothesis import given
from hypothesis import strategies as st
from matrix_cases import (
    CHANCES,
    GROUPS,
    Case,
    cases,
    check_pairs,
    name_of,
    result_of,
    seeded,
)
from metric_cases import DIRECTIONS, quietly, same

import biasamp_adapters as bam
from biasamp_adapters import (
    MALS,
    AmplificationResult,
    AmplificationWarning,
    DirectionalBiasAmplification,
    MultiAttributeBiasAmplification,
)

seeds = pytest.mark.parametrize("seed", range(12))


def check_signs(result: AmplificationResult, scores: oracle.Scores) -> None:
    by_name = {(group, name_of(labels)): x for (group, labels), x in scores.coefficients.items()}
    for pair in result.by_pair.itertuples():
        assert pair.sign == by_name[pair.attribute, str(pair.task)]


def check_blind_errors(result: AmplificationResult, expected: Fraction | None) -> None:
    assert result.blind_errors is not None
    assert result.excess is not None
    assert same(result.blind_errors.value, expected)
    excess = result.value - result.blind_errors.value
    assert same(result.excess.value, None if isnan(excess) else excess)


def check_directional(case: Case, direction: str) -> None:
    result = result_of(DirectionalBiasAmplification(direction=direction, **case.lists), case)
    expected = oracle.directional(case.data(), direction, case.training())
    assert same(result.value, expected.value)
    check_pairs(result, expected)
    check_signs(result, expected)
    contributions = {
        pair: None if d is None else expected.coefficients[pair] * d
        for pair, d in expected.deltas.items()
    }
    for group, score in result.by_attribute.items():
        assert same(score, mean(c for (g, _), c in contributions.items() if g == group))
    for task, score in result.by_task.items():
        assert same(score, mean(c for (_, t), c in contributions.items() if t == (task,)))
    blind = oracle.blind_directional(case.data(), direction, case.training())
    check_blind_errors(result, blind)


@given(cases(), st.sampled_from(DIRECTIONS))
def test_directional(case: Case, direction: str) -> None:
    check_directional(case, direction)


@seeds
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_directional_of_more_rows(seed: int, direction: str) -> None:
    check_directional(seeded(seed), direction)


def check_mals(case: Case, predicts_attribute: bool) -> None:
    metric = MALS(**case.lists)
    if predicts_attribute:
        result = result_of(metric, case)
    else:
        result = result_of(metric, case, sensitive_features_pred=None)
        case = case.true_attribute()
    expected = oracle.mals(case.data(), case.training())
    assert same(result.value, expected.value)
    check_pairs(result, expected)
    check_signs(result, expected)
    check_blind_errors(result, oracle.blind_mals(case.data(), case.training()))


@given(cases(), st.booleans())
def test_mals(case: Case, predicts_attribute: bool) -> None:
    check_mals(case, predicts_attribute)


@seeds
def test_mals_of_more_rows(seed: int) -> None:
    check_mals(seeded(seed), predicts_attribute=seed % 2 == 0)


@seeds
def test_mals_needs_no_truth_beside_a_reference(seed: int) -> None:
    case = seeded(seed, reference=True)
    without = result_of(MALS(**case.lists), case, y_true=None)
    assert without.value == result_of(MALS(**case.lists), case).value
    assert without.blind_errors is None
    assert without.excess is None


options = st.fixed_dictionaries(
    {
        "combinations": st.sampled_from(["observed", "subsets"]),
        "min_size": st.integers(1, 2),
        "max_size": st.sampled_from([None, 2, 3]),
        "min_support": st.integers(1, 3),
    }
)


def signs_of(case: Case, scores: oracle.Scores) -> dict[Any, int]:
    """The signs of the reference correlations, which Multi shows and does not use."""
    reference = case.training() or case.data()
    return {pair: oracle.sign(reference, *pair) for pair in scores.deltas}


def check_multi(case: Case, direction: str, chosen: dict[str, Any]) -> None:
    metric = MultiAttributeBiasAmplification(direction=direction, **chosen, **case.lists)
    sets = oracle.task_sets(case.data(), case.training(), **chosen)
    if not sets:
        with pytest.raises(ValueError, match="Multi needs task sets"):
            quietly(metric.result, **case.arguments())
        return
    result = result_of(metric, case)
    expected = oracle.multi(case.data(), direction, sets, case.training())
    assert same(result.value, expected.value)
    assert same(result.variance, expected.variance)
    check_pairs(result, expected, magnitude=True)
    if direction != "undirected":
        expected = expected._replace(coefficients=signs_of(case, expected))
    check_signs(result, expected)


@given(cases(hard=True), st.sampled_from([*DIRECTIONS, "undirected"]), options)
def test_multi(case: Case, direction: str, chosen: dict[str, Any]) -> None:
    check_multi(case, direction, chosen)


@seeds
@pytest.mark.parametrize("combinations", ["observed", "subsets"])
@pytest.mark.parametrize("direction", [*DIRECTIONS, "undirected"])
def test_multi_of_more_rows(seed: int, combinations: str, direction: str) -> None:
    chosen = {"combinations": combinations, "min_support": 1 + seed % 4, "max_size": 3}
    check_multi(seeded(seed, hard=True), direction, chosen)


@seeds
def test_labels_may_be_predicted_by_probabilities(seed: int) -> None:
    """The true attribute is one label per row, the predicted one a chance of each."""
    case = seeded(seed, indicators=False)
    chances = [[CHANCES[(i + j * seed) % 4] for j in range(3)] for i in range(len(case.y_true))]
    columns = {group: [Fraction(row[group]) for row in chances] for group in GROUPS}
    rows = case.data()._replace(a_hat=columns)
    made = bam.Indicators(chances, names=GROUPS)
    t_to_a = DirectionalBiasAmplification(direction="T->A", **case.lists)
    result = result_of(t_to_a, case, sensitive_features_pred=made)
    check_pairs(result, oracle.directional(rows, "T->A", case.training()))
    assert same(result.value, oracle.directional(rows, "T->A", case.training()).value)
    check_blind_errors(result, oracle.blind_directional(rows, "T->A", case.training()))
    result = result_of(MALS(**case.lists), case, sensitive_features_pred=made)
    assert same(result.value, oracle.mals(rows, case.training()).value)


def test_a_task_without_rows_is_named() -> None:
    # T->A of task 1 has no rows. Task 0: n n_at - n_a n_t = 2 * 1 - 1 * 1 for group 0 and
    # 2 * 0 - 1 * 1 for group 1; D = 0 - 1 and 1 - 0.
    group = bam.Indicators([[1, 0], [0, 1]])
    metric = DirectionalBiasAmplification(direction="T->A")
    with pytest.warns(AmplificationWarning, match=r"2 of 4 pairs are undefined.*task 1"):
        result = metric.result(
            [[1, 0], [0, 0]],
            [[1, 0], [0, 0]],
            sensitive_features=group,
            sensitive_features_pred=bam.Indicators([[0, 1], [0, 1]]),
        )
    assert result.value == (1 * -1 + -1 * 1) / 2
    undefined = result.by_pair["task"] == 1
    assert result.by_pair["delta"].isna().tolist() == undefined.tolist()
    assert result.by_pair["contribution"].isna().tolist() == undefined.tolist()


def test_a_group_without_rows_is_named() -> None:
    # Group 0 has all rows, so its sign is 2 * 1 - 2 * 1, a tie.
    group = bam.Indicators([[1, 0], [1, 0]], names=["woman", "man"])
    metric = DirectionalBiasAmplification(direction="A->T")
    with pytest.warns(AmplificationWarning, match=r"1 of 2 pairs are undefined.*group 'man'"):
        result = metric.result([[1], [0]], [[1], [1]], sensitive_features=group)
    assert result.value == 0
    assert result.by_pair["delta"].tolist() == pytest.approx([1 - 1 / 2, nan], nan_ok=True)


def test_without_any_defined_pair_the_value_is_undefined() -> None:
    nobody = bam.Indicators([[0, 0], [0, 0]])
    with pytest.warns(AmplificationWarning, match="every pair is undefined"):
        value = DirectionalBiasAmplification()([[1], [0]], [[1], [1]], sensitive_features=nobody)
    assert isnan(value)


def test_absence_from_the_reference_is_a_tie_and_counts() -> None:
    # Task 1 and group 1 are not in the reference. Its row without a label is left out, so the sign
    # of group 0 and task 0 is that of 1 * 1 - 1 * 1.
    reference = ([[1, 0], [0, 0]], bam.Indicators([[1, 0], [0, 0]]))
    metric = DirectionalBiasAmplification(reference=reference)
    with pytest.warns(AmplificationWarning, match="the reference has no rows of group '?1"):
        result = metric.result(
            [[1, 1], [0, 1]], [[0, 1], [0, 1]], sensitive_features=bam.Indicators([[1, 0], [0, 1]])
        )
    assert result.by_pair["sign"].tolist() == [0, 0, 0, 0]
    assert result.value == 0


@pytest.mark.parametrize("weight", [0.1, 1 / 3, 1e-9, 7.3])
def test_a_tie_of_columns_survives_weights_that_are_not_whole(weight: float) -> None:
    # Both tasks are in 3 of the 24 rows of group 0 and in 7 of the 56 of group 1.
    rows = [(a, t) for a, t, n in [(0, 1, 3), (0, 0, 21), (1, 1, 7), (1, 0, 49)] for _ in range(n)]
    tasks, groups = [[t, 1 - t] for _, t in rows], bam.Indicators([[1 - a, a] for a, _ in rows])
    made = [[1, 0]] * len(rows)
    metric = DirectionalBiasAmplification()
    result = quietly(
        metric.result,
        tasks,
        made,
        sensitive_features=groups,
        sample_weight=[weight] * len(rows),
    )
    assert result.value == 0
    assert (result.by_pair["sign"] == 0).all()
