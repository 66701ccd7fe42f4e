"""Values, signs and baselines of random tables, against plain loops in exact fractions."""

from __future__ import annotations

from typing import Any

import exact_oracle as oracle
from exact_oracle import Row
from hypothesis import assume, given
from hypothesis import strategies as st
from metric_cases import DIRECTIONS, GROUPS, LABELS, LISTS, any_rows, few, quiet, reference_of, same

from biasamp_adapters import (
    MALS,
    AmplificationResult,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)

a_reference = st.one_of(st.none(), any_rows)


def check_pairs(result: AmplificationResult, scores: oracle.Scores, *, signs: bool) -> None:
    assert len(result.by_pair) == len(scores.deltas)
    for pair in result.by_pair.itertuples():
        key: Any = int(pair.attribute), pair.task
        assert same(pair.delta, scores.deltas[key])
        if signs:
            assert pair.sign == scores.coefficients[key]


@few
@given(any_rows, a_reference, st.sampled_from(DIRECTIONS))
def test_directional(rows: list[Row], training: list[Row] | None, direction: str) -> None:
    reference = reference_of(training)
    metric = DirectionalBiasAmplification(direction=direction, reference=reference, **LISTS)
    result = quiet(metric, rows)
    expected = oracle.directional(rows, direction, GROUPS, LABELS, training)
    assert same(result.value, expected.value)
    check_pairs(result, expected, signs=True)

    variable, labels = ("t", LABELS) if direction == "A->T" else ("a", GROUPS)
    errors = oracle.with_random_errors(rows, variable, labels)
    baseline = oracle.directional(errors, direction, GROUPS, LABELS, training or rows)
    assert same(result.random_error, baseline.value)


@few
@given(any_rows, a_reference, st.booleans())
def test_mals(rows: list[Row], training: list[Row] | None, predicts_attribute: bool) -> None:
    metric = MALS(reference=reference_of(training), **LISTS)
    if predicts_attribute:
        result = quiet(metric, rows)
    else:
        result = quiet(metric, rows, sensitive_features_pred=None)
        rows = oracle.with_truth(rows, "a")  # A^ = A
    expected = oracle.mals(rows, GROUPS, LABELS, training)
    assert same(result.value, expected.value)
    check_pairs(result, expected, signs=True)

    errors = oracle.with_random_errors(rows, "t", LABELS)
    errors = oracle.with_random_errors(errors, "a", GROUPS)
    assert same(result.random_error, oracle.mals(errors, GROUPS, LABELS, training or rows).value)


@few
@given(any_rows, a_reference, st.sampled_from([*DIRECTIONS, "undirected"]))
def test_multi(rows: list[Row], training: list[Row] | None, direction: str) -> None:
    assume({row.t for row in rows} & {row.t for row in training or rows})
    reference = reference_of(training)
    metric = MultiAttributeBiasAmplification(direction=direction, reference=reference, **LISTS)
    result = quiet(metric, rows)
    expected = oracle.multi(rows, direction, GROUPS, LABELS, training)
    assert same(result.value, expected.value)
    assert same(result.variance, expected.variance)
    check_pairs(result, expected, signs=direction == "undirected")


@few
@given(any_rows, st.sampled_from(list(oracle.SCORES)), st.sampled_from(DIRECTIONS), st.booleans())
def test_dpa(rows: list[Row], quality: str, direction: str, channel: bool) -> None:
    metric = DirectionalPredictabilityAmplification(
        quality=quality, direction=direction, equalize="expected" if channel else None, **LISTS
    )
    labels = LABELS if direction == "A->T" else GROUPS
    expected = oracle.dpa(rows, direction, quality, labels if channel else None)
    assert same(quiet(metric, rows).value, expected)


@few
@given(any_rows, st.sampled_from(["accuracy", "balanced_accuracy", "f1_macro"]), st.booleans())
def test_leakage(rows: list[Row], quality: str, channel: bool) -> None:
    metric = LeakageAmplification(
        quality=quality, equalize="expected" if channel else None, **LISTS
    )
    expected = oracle.leakage(rows, quality, LABELS if channel else None)
    assert same(quiet(metric, rows).value, expected)


@few
@given(any_rows)
def test_leakage_of_a_loss(rows: list[Row]) -> None:
    """Only where both losses are clear of 0, whose inverse is clipped for display alone."""
    data = oracle.with_random_errors(rows, "t", LABELS)
    losses = [oracle.loss_cross_entropy(side, "t_hat", "a") for side in (data, rows)]
    assume(min(losses) > 0.01)
    metric = LeakageAmplification(quality="inverse_cross_entropy", equalize="expected", **LISTS)
    expected = 1 / losses[1] - 1 / losses[0]
    # 1 / L magnifies rounding by 1 / L^2 <= 10^4.
    assert abs(quiet(metric, rows).value - expected) < 1e-11
