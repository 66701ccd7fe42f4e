"""What holds for every label matrix: invariances, weights, and agreement with single labels."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest
from exact_oracle import Row
from hypothesis import assume, given
from hypothesis import strategies as st
from matrix_cases import GROUPS, Case, cases, metrics_for, value_from
from metric_cases import DIRECTIONS, any_rows, quiet, quietly, rows_over

import biasamp_adapters as bam
from biasamp_adapters import (
    MALS,
    DirectionalBiasAmplification,
    MultiAttributeBiasAmplification,
)


@given(cases())
def test_a_perfect_model_scores_zero(case: Case) -> None:
    case = case._replace(y_pred=case.y_true, attribute_pred=case.attribute, reference=None)
    counts = case.counts(keep_rows=True)
    for metric in metrics_for(case):
        result = quietly(metric.from_counts, counts)
        assert result.value == 0 or isnan(result.value)
        # A mean of nothing: no group, or no task, has a row.
        if isnan(result.value):
            assert result.by_pair["delta"].isna().all()


@given(cases(hard=True), st.randoms(use_true_random=False))
def test_row_order_changes_nothing(case: Case, random: Any) -> None:
    order = random.sample(range(len(case.y_true)), len(case.y_true))
    counts, shuffled = (rows.counts(keep_rows=True) for rows in (case, case.chosen(order)))
    for metric in metrics_for(case):
        assert quietly(metric.from_counts, shuffled).value == value_from(metric, counts)


def _in_order(rows: list[Any], order: list[int]) -> list[Any]:
    return [None if row is None else [row[j] for j in order] for row in rows]


@given(cases(hard=True), st.randoms(use_true_random=False))
def test_column_order_changes_nothing(case: Case, random: Any) -> None:
    tasks = random.sample(range(len(case.y_true[0])), len(case.y_true[0]))
    groups: list[int] = []
    if case.indicators:
        groups = random.sample(range(len(case.attribute[0])), len(case.attribute[0]))

    def attributes(rows: list[Any]) -> list[Any]:
        return _in_order(rows, groups) if groups else rows

    reference = case.reference
    if reference is not None:
        reference = (_in_order(reference[0], tasks), attributes(reference[1]))
    turned = case._replace(
        y_true=_in_order(case.y_true, tasks),
        y_pred=_in_order(case.y_pred, tasks),
        attribute=attributes(case.attribute),
        attribute_pred=attributes(case.attribute_pred),
        reference=reference,
    )
    counts, others = (columns.counts(keep_rows=True) for columns in (case, turned))
    for metric, other in zip(metrics_for(case), metrics_for(turned), strict=True):
        assert quietly(other.from_counts, others).value == value_from(metric, counts)


@given(cases(hard=True), st.lists(st.integers(1, 4), min_size=10, max_size=10))
def test_whole_weights_equal_repetition(case: Case, weights: list[int]) -> None:
    weights = weights[: len(case.y_true)]
    repeated = [i for i, w in enumerate(weights) for _ in range(w)]
    weighted = case._replace(weights=weights).counts(keep_rows=True)
    case = case._replace(weights=None)
    repetitions = case.chosen(repeated).counts(keep_rows=True)
    for metric in metrics_for(case):
        assert quietly(metric.from_counts, weighted).value == value_from(metric, repetitions)


def one_hot(rows: list[Row], **changed: Any) -> dict[str, Any]:
    """Tasks as one-hot matrices, attributes as labels."""
    return {
        "y_true": [[int(row.t == label) for label in GROUPS] for row in rows],
        "y_pred": [[int(row.t_hat == label) for label in GROUPS] for row in rows],
        "sensitive_features": [row.a for row in rows],
        "sensitive_features_pred": [row.a_hat for row in rows],
        **changed,
    }


@given(any_rows, st.one_of(st.none(), any_rows))
def test_one_hot_matrices_are_single_labels(rows: list[Row], training: list[Row] | None) -> None:
    labels = matrix = None
    if training is not None:
        labels = [row.t for row in training], [row.a for row in training]
        matrix = one_hot(training)["y_true"], labels[1]
    kinds: list[Any] = [(DirectionalBiasAmplification, way) for way in DIRECTIONS]
    if {row.t for row in rows} & {row.t for row in training or rows}:
        kinds += [(MultiAttributeBiasAmplification, w) for w in [*DIRECTIONS, "undirected"]]
    for kind, direction in kinds:
        single = kind(direction=direction, reference=labels, groups=GROUPS, labels=GROUPS)
        many = kind(direction=direction, reference=matrix, groups=GROUPS)
        expected, result = quiet(single, rows), quietly(many.result, **one_hot(rows))
        assert result.value == pytest.approx(expected.value, abs=1e-12, nan_ok=True)
        if kind is MultiAttributeBiasAmplification:
            assert result.variance == pytest.approx(expected.variance, abs=1e-12, nan_ok=True)


two_classes = rows_over([0, 1], [0, 1])


@given(two_classes)
def test_one_column_is_a_positive_class(rows: list[Row]) -> None:
    lists: Any = {"groups": [0, 1]}
    column = {
        "y_true": [[row.t] for row in rows],
        "y_pred": [[row.t_hat] for row in rows],
        "sensitive_features": [row.a for row in rows],
        "sensitive_features_pred": [row.a_hat for row in rows],
    }
    for kind, options in [
        (MALS, {}),
        *((DirectionalBiasAmplification, {"direction": way}) for way in DIRECTIONS),
    ]:
        single = quiet(kind(pos_label=1, labels=[0, 1], **options, **lists), rows)
        many = quietly(kind(**options, **lists).result, **column)
        assert many.value == pytest.approx(single.value, abs=1e-12, nan_ok=True)
        assert many.blind_errors is not None
        assert single.blind_errors is not None
        expected = pytest.approx(single.blind_errors.value, abs=1e-12, nan_ok=True)
        assert many.blind_errors.value == expected


@given(any_rows)
def test_one_hot_groups_are_labels(rows: list[Row]) -> None:
    """All but the random errors: indicators flip one by one."""
    given = one_hot(rows)
    wrapped = {
        key: bam.Indicators([[int(label == group) for group in GROUPS] for label in given[key]])
        for key in ("sensitive_features", "sensitive_features_pred")
    }
    for kind in [
        MALS(),
        *(DirectionalBiasAmplification(direction=way) for way in DIRECTIONS),
        *(MultiAttributeBiasAmplification(direction=way) for way in DIRECTIONS),
    ]:
        labels = type(kind)(**_changed(kind), groups=GROUPS)
        expected = quietly(labels.result, **given).value
        value = quietly(kind.result, **(given | wrapped)).value
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def _changed(metric: Any) -> dict[str, Any]:
    return {} if isinstance(metric, MALS) else {"direction": metric.direction}


@given(any_rows, st.sampled_from(DIRECTIONS))
def test_labels_beside_indicators_are_one_hot(rows: list[Row], direction: str) -> None:
    """Tasks may be labels where groups are columns."""
    assume(len({row.t for row in rows}) == len(GROUPS))
    given = one_hot(rows)
    groups = {
        key: bam.Indicators([[int(label == 0), int(label > 0)] for label in given[key]])
        for key in ("sensitive_features", "sensitive_features_pred")
    }
    labels = {"y_true": [row.t for row in rows], "y_pred": [row.t_hat for row in rows]}
    for kind in (DirectionalBiasAmplification, MultiAttributeBiasAmplification):
        metric = kind(direction=direction)
        expected = quietly(metric.result, **(given | groups)).value
        value = quietly(metric.result, **(labels | groups)).value
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)
