"""LA and DPA of label matrices against exact fractions: the mean over tasks, and pair by pair."""

from __future__ import annotations

from math import isnan
from typing import Any

import matrix_attack_oracle as attacks
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matrix_cases import GROUPS, Case, cases, result_of, seeded
from metric_cases import quietly, same

import biasamp_adapters as bam
from biasamp_adapters import (
    AmplificationWarning,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
)

seeds = pytest.mark.parametrize("seed", range(8))
qualities = st.sampled_from(["inverse_cross_entropy", "accuracy"])
equalizings = st.sampled_from(["expected", None])


def metric_for(case: Case, name: str, quality: str, equalize: Any) -> Any:
    """LA, or DPA in a direction; neither has a reference."""
    lists = {key: value for key, value in case.lists.items() if key != "reference"}
    options = {"quality": quality, "equalize": equalize, **lists}
    if name == "LA":
        return LeakageAmplification(**options)
    return DirectionalPredictabilityAmplification(direction=name, **options)


def check_dpa(case: Case, quality: str, equalize: Any) -> None:
    result = result_of(metric_for(case, "A->T", quality, equalize), case)
    assert same(result.value, attacks.dpa(case.data(), quality, equalize is not None))


@given(cases(indicators=False), qualities, equalizings)
def test_dpa(case: Case, quality: str, equalize: Any) -> None:
    check_dpa(case, quality, equalize)


@seeds
@pytest.mark.parametrize("quality", ["inverse_cross_entropy", "accuracy"])
@pytest.mark.parametrize("equalize", ["expected", None])
def test_dpa_of_more_rows(seed: int, quality: str, equalize: Any) -> None:
    check_dpa(seeded(seed, indicators=False), quality, equalize)


def check_scores(case: Case, name: str, quality: str, equalize: Any) -> None:
    # Counts without rows: with them, a fitted attacker would read a matrix that is the input.
    metric = metric_for(case, name, quality, equalize)
    pairs = quietly(metric.from_counts, case.counts()).by_pair
    expected = attacks.pairs(case.data(), name, quality, equalize is not None)
    assert len(pairs) == len(expected)
    inverse = quality == "inverse_cross_entropy"
    for pair in pairs.itertuples():
        score = expected[pair.attribute, (pair.task,)]
        if score is None:
            assert all(same(x, None) for x in (pair.value, pair.psi_dataset, pair.psi_model))
            continue
        if not (inverse and name == "LA"):
            assert same(pair.value, score.value)
        levels = score.of_dataset, score.of_model
        if not inverse:
            assert [pair.psi_dataset, pair.psi_model] == pytest.approx(levels, abs=1e-12)
        elif min(levels) > 0.01:
            # The inverse of a loss near 0 is clipped for display, and magnifies its rounding.
            psi = [1 / level for level in levels]
            assert [pair.psi_dataset, pair.psi_model] == pytest.approx(psi, rel=1e-12)
            if name == "LA":
                assert pair.value == pytest.approx(psi[1] - psi[0], abs=1e-12 * max(psi))


@given(cases(), st.sampled_from(list(attacks.ATTACKS)), qualities, equalizings)
def test_pairs_of_indicators(case: Case, name: str, quality: str, equalize: Any) -> None:
    check_scores(case, name, quality, equalize)


@seeds
@pytest.mark.parametrize("name", list(attacks.ATTACKS))
def test_pairs_of_more_rows(seed: int, name: str) -> None:
    for quality in ("inverse_cross_entropy", "accuracy"):
        check_scores(seeded(seed), name, quality, "expected")


def swapped(case: Case, **changed: Any) -> dict[str, Any]:
    """Tasks as groups and attribute labels as tasks."""
    given = case.arguments()
    return {
        "y_true": given["sensitive_features"],
        "y_pred": given["sensitive_features_pred"],
        "sensitive_features": bam.Indicators(given["y_true"]),
        "sensitive_features_pred": bam.Indicators(given["y_pred"]),
        "sample_weight": case.weights,
        **changed,
    }


@given(cases(indicators=False), qualities, equalizings)
def test_labels_that_predict_groups_are_labels_that_predict_tasks(
    case: Case, quality: str, equalize: Any
) -> None:
    """T->A with labels of T and a matrix of A is A->T with the two exchanged."""
    assume(len(case.y_true[0]) > 1)  # one group is no attribute
    options: Any = {"quality": quality, "equalize": equalize, "missing": "abstain"}
    metric = DirectionalPredictabilityAmplification(direction="T->A", labels=GROUPS, **options)
    result = quietly(metric.result, **swapped(case))
    assert same(result.value, attacks.dpa(case.data(), quality, equalize is not None))


@given(cases(indicators=False), qualities, equalizings)
def test_indicators_of_one_group_each_are_labels(case: Case, quality: str, equalize: Any) -> None:
    groups = [[int(label == group) for group in GROUPS] for label in case.attribute]
    metric = metric_for(case._replace(indicators=True), "A->T", quality, equalize)
    one_each = bam.Indicators(groups)
    result = result_of(metric, case, sensitive_features=one_each, sensitive_features_pred=one_each)
    assert same(result.value, attacks.dpa(case.data(), quality, equalize is not None))


def test_a_matrix_that_predicts_has_pairs_alone_in_counts() -> None:
    overlapping = bam.Indicators([[1, 1], [0, 1], [1, 0], [0, 0]])
    tasks, made = [[1], [1], [0], [0]], [[1], [0], [0], [0]]
    counts = bam.CooccurrenceCounts.from_arrays(tasks, made, overlapping)
    metric = DirectionalPredictabilityAmplification(direction="A->T", equalize="expected")
    with pytest.warns(AmplificationWarning, match="only pairs are scored"):
        result = metric.from_counts(counts)
    assert isnan(result.value)
    assert result.by_pair["value"].notna().all()
