"""Values, signs and baselines of random tables, against plain loops in exact fractions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import isnan
from typing import Any

import exact_oracle as oracle
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
    quiet,
    quietly,
    reference_of,
    rows_over,
    same,
)

from biasamp_adapters import (
    MALS,
    AmplificationResult,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)

#: Metrics with the oracle's value for the same rows.
WITH_ORACLE: list[tuple[Any, Callable[[list[Row]], Any]]] = [
    (MALS(**LISTS), lambda rows: oracle.mals(rows, GROUPS, LABELS).value),
    (
        LeakageAmplification(equalize="expected", **LISTS),
        lambda rows: oracle.leakage(rows, "balanced_accuracy", LABELS),
    ),
]
for way, flipped in zip(DIRECTIONS, (LABELS, GROUPS), strict=True):
    WITH_ORACLE += [
        (
            DirectionalBiasAmplification(direction=way, **LISTS),
            lambda rows, way=way: oracle.directional(rows, way, GROUPS, LABELS).value,
        ),
        (
            DirectionalPredictabilityAmplification(direction=way, equalize="expected", **LISTS),
            lambda rows, way=way, flipped=flipped: oracle.dpa(
                rows, way, "inverse_cross_entropy", flipped
            ),
        ),
    ]
MULTI = (
    MultiAttributeBiasAmplification(direction="A->T", **LISTS),
    lambda rows: oracle.multi(rows, "A->T", GROUPS, LABELS).value,
)

#: Of few groups and labels, so that dataset and model are often equally predictable.
two_by_two = rows_over([0, 1], [0, 1])
a_reference = st.one_of(st.none(), any_rows)


def check_pairs(result: AmplificationResult, scores: oracle.Scores, *, signs: bool) -> None:
    assert len(result.by_pair) == len(scores.deltas)
    for pair in result.by_pair.itertuples():
        key: Any = int(pair.attribute), pair.task
        assert same(pair.delta, scores.deltas[key])
        if signs:
            assert pair.sign == scores.coefficients[key]


def check_blind_errors(
    result: AmplificationResult, expected: oracle.Scores, blind: oracle.Scores
) -> None:
    assert result.blind_errors is not None
    assert result.excess is not None
    assert same(result.blind_errors.value, blind.value)
    if expected.value is None or blind.value is None:
        assert isnan(result.excess.value)
    else:
        assert same(result.excess.value, expected.value - blind.value)


@given(any_rows, a_reference, st.sampled_from(DIRECTIONS))
def test_directional(rows: list[Row], training: list[Row] | None, direction: str) -> None:
    reference = reference_of(training)
    metric = DirectionalBiasAmplification(direction=direction, reference=reference, **LISTS)
    result = quiet(metric, rows)
    expected = oracle.directional(rows, direction, GROUPS, LABELS, training)
    assert same(result.value, expected.value)
    check_pairs(result, expected, signs=True)

    errors = oracle.with_blind_errors(rows, "t" if direction == "A->T" else "a")
    blind = oracle.directional(errors, direction, GROUPS, LABELS, training or rows)
    check_blind_errors(result, expected, blind)


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

    errors = oracle.with_blind_errors(oracle.with_blind_errors(rows, "t"), "a")
    check_blind_errors(result, expected, oracle.mals(errors, GROUPS, LABELS, training or rows))


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


@given(any_rows, st.sampled_from(list(oracle.SCORES)), st.sampled_from(DIRECTIONS), st.booleans())
def test_dpa(rows: list[Row], quality: str, direction: str, channel: bool) -> None:
    metric = DirectionalPredictabilityAmplification(
        quality=quality, direction=direction, equalize="expected" if channel else None, **LISTS
    )
    labels = LABELS if direction == "A->T" else GROUPS
    expected = oracle.dpa(rows, direction, quality, labels if channel else None)
    assert same(quiet(metric, rows).value, expected)


@given(any_rows, st.sampled_from(["accuracy", "balanced_accuracy", "f1_macro"]), st.booleans())
def test_leakage(rows: list[Row], quality: str, channel: bool) -> None:
    metric = LeakageAmplification(
        quality=quality, equalize="expected" if channel else None, **LISTS
    )
    expected = oracle.leakage(rows, quality, LABELS if channel else None)
    assert same(quiet(metric, rows).value, expected)


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


@given(any_rows, st.lists(st.sampled_from([0.25, 0.5, 1.0, 3.0]), min_size=40, max_size=40))
def test_weights(rows: list[Row], weights: list[float]) -> None:
    weighted = [r._replace(w=Fraction(w)) for r, w in zip(rows, weights, strict=False)]
    for metric, value in [*WITH_ORACLE, MULTI]:
        result = quiet(metric, rows, sample_weight=weights[: len(rows)])
        assert same(result.value, value(weighted))


@given(any_rows, st.lists(st.tuples(st.booleans(), st.booleans()), min_size=40, max_size=40))
def test_abstentions(rows: list[Row], says: list[tuple[bool, bool]]) -> None:
    """An abstention is no label, is wrong, and to an attacker a category of its own."""
    rows = [
        r._replace(t_hat=r.t_hat if task else None, a_hat=r.a_hat if attribute else None)
        for r, (task, attribute) in zip(rows, says, strict=False)
    ]
    assume(any(r.t_hat is not None for r in rows) and any(r.a_hat is not None for r in rows))
    for metric, value in [*WITH_ORACLE, MULTI]:
        assert same(quiet(replace(metric, missing="abstain"), rows).value, value(rows))


@given(any_rows, st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=40, max_size=40))
def test_probabilities_enter_as_expected_counts(rows: list[Row], chances: list[float]) -> None:
    rows = [row._replace(t=row.t % 2) for row in rows]
    chances = [0.5, *chances][: len(rows)]  # whole numbers alone would be labels
    split = [
        row._replace(t_hat=label, w=Fraction(chance if label else 1 - chance))
        for row, chance in zip(rows, chances, strict=True)
        for label in (0, 1)
    ]
    two = {"groups": GROUPS, "labels": [0, 1]}
    for metric, expected in [
        (MALS(pos_label=1, **two), oracle.mals(split, GROUPS, [1]).value),
        (
            DirectionalBiasAmplification(**two),
            oracle.directional(split, "A->T", GROUPS, [0, 1]).value,
        ),
        (
            DirectionalPredictabilityAmplification(equalize="expected", **two),
            oracle.dpa(split, "A->T", "inverse_cross_entropy", [0, 1]),
        ),
    ]:
        assert same(quiet(metric, rows, y_pred=chances).value, expected)


@given(two_by_two, st.sampled_from(["accuracy", "balanced_accuracy"]), st.sampled_from([None, 0.1]))
def test_equal_levels_are_exactly_equal(
    rows: list[Row], quality: str, weight: float | None
) -> None:
    """An accuracy such as 5/6 is no float, and must not leave 1e-16 where nothing is amplified."""
    metric = LeakageAmplification(
        equalize="expected" if quality == "accuracy" else None, quality=quality
    )
    assume(len({row.a for row in rows}) > 1 and {row.t_hat for row in rows} <= {r.t for r in rows})
    labels = sorted({row.t for row in rows}) if quality == "accuracy" else None
    assume(labels is None or len(labels) > 1)
    expected = oracle.leakage(rows, quality, labels)
    weights = None if weight is None else [weight] * len(rows)
    value = quietly(metric, **arguments(rows, sample_weight=weights))
    assert (value == 0) == (expected == 0)


def test_largest_groups_are_told_as_often_from_either() -> None:
    """Four of six rows are of group 1, the likeliest whatever is said: 4/6 and 4/6.

    One of six is wrong. In expectation 16/6 and 8/6 rows of it have the labels 0 and 1, and of the
    other group 10/6 and 2/6.
    """
    rows = [Row(1, 0, 1, 0)] * 2 + [Row(1, 0, 1, 1), Row(1, 1, 1, 1)] + [Row(0, 0, 0, 0)] * 2
    metric = LeakageAmplification(quality="accuracy", equalize="expected")
    value = quietly(metric, **arguments(rows))
    assert str(value) == "0.0"
