"""What holds for all data: perfect models, order, names, repetition, parts, weights of 0."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biasamp_adapters as bam
from biasamp_adapters.metrics import quality
from biasamp_adapters.metrics.functions import get_metric

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")

LABELS = [0, 1, 2]
LISTS: dict[str, Any] = {"class_labels": LABELS, "group_labels": LABELS}
QUALITIES = [name for name in quality.QUALITIES if name != quality.UNCERTAINTY]


class Row(NamedTuple):
    """The labels of a row, 0, 1 or 2, and its weight."""

    y_true: int
    y_pred: int
    sensitive_features: int
    sensitive_features_pred: int
    sample_weight: float = 1.0


codes = st.integers(0, 3**4 - 1)
rows_of_labels = st.lists(codes, min_size=1, max_size=40).map(
    lambda drawn: [Row(*np.unravel_index(code, (3,) * 4)) for code in drawn]
)
#: Sums of these weights are exact.
weights = st.lists(st.sampled_from([0.25, 0.5, 1.0, 3.0]), min_size=40, max_size=40)


def columns_of(rows: Sequence[Row]) -> dict[str, list[Any]]:
    columns = map(list, zip(*rows, strict=True))
    return dict(zip(Row._fields, columns, strict=True))


def all_metrics() -> dict[str, Any]:
    metrics = {
        name: replace(get_metric(name), **LISTS)
        for name in ("MALS", "BA A->T", "BA T->A", "Multi A->T", "Multi T->A")
    }
    for name in ("LA", "DPA A->T", "DPA T->A"):
        for score in QUALITIES:
            settings = {"quality": score, "equalize": "expected", **LISTS}
            metrics[f"{name} {score}"] = replace(get_metric(name), **settings)
    return metrics


METRICS = all_metrics()


def counts_of(rows: Sequence[Row], **lists: Any) -> bam.Counts:
    return bam.Counts.from_arrays(**columns_of(rows), **LISTS | lists)


def values_of(counts: bam.Counts, metrics: dict[str, Any] = METRICS) -> dict[str, float]:
    return {name: metric.result(counts, n_boot=0).value for name, metric in metrics.items()}


def same_values(values: dict[str, float]) -> Any:
    """Return what a comparison takes for the same values; infinite ones are equal exactly."""
    return pytest.approx(values, rel=1e-11, abs=1e-12, nan_ok=True)


@given(rows_of_labels)
def test_metrics_perfect_model_scores_zero(rows) -> None:
    right = [Row(y, y, group, group) for y, _, group, _, _ in rows]
    drawn = {"quality": "uncertainty_coefficient", "n_trials": 2, **LISTS}
    names = ("LA", "DPA A->T", "DPA T->A")
    metrics = METRICS | {f"{name} U": replace(get_metric(name), **drawn) for name in names}
    assert set(values_of(counts_of(right), metrics).values()) == {0}


@given(rows_of_labels, st.randoms(use_true_random=False))
def test_metrics_row_order_changes_nothing(rows, random) -> None:
    metrics = METRICS | {
        "drawn": bam.DirectionalPredictabilityAmplification(equalize="sampled", n_trials=3, **LISTS)
    }
    values = values_of(counts_of(rows), metrics)
    shuffled = values_of(counts_of(random.sample(rows, len(rows))), metrics)
    for name, value in values.items():
        assert shuffled[name] == value or (isnan(value) and isnan(shuffled[name]))


@given(rows_of_labels, st.lists(st.integers(1, 5), min_size=40, max_size=40))
def test_metrics_whole_weights_equal_repetition(rows, numbers) -> None:
    weighted = [row._replace(sample_weight=n) for row, n in zip(rows, numbers, strict=False)]
    repeated = [row for row, n in zip(rows, numbers, strict=False) for _ in range(n)]
    assert values_of(counts_of(weighted)) == same_values(values_of(counts_of(repeated)))


@given(rows_of_labels, weights, st.lists(codes, max_size=5), st.randoms(use_true_random=False))
def test_metrics_parts_and_weights_of_zero_change_nothing(rows, weights, absent, random) -> None:
    rows = [row._replace(sample_weight=w) for row, w in zip(rows, weights, strict=False)]
    added = [Row(*np.unravel_index(code, (3,) * 4), 0.0) for code in absent]
    middle = random.randint(1, len(rows))
    first = random.sample([*rows[:middle], *added], middle + len(added))
    total = sum(counts_of(part) for part in (first, rows[middle:]) if part)
    assert total == counts_of(rows)
    assert values_of(total) == same_values(values_of(counts_of(rows)))


@pytest.mark.parametrize("weight", [0.1, 1 / 3, 1e-9, 7.3])
def test_directional_ties_survive_weights_that_are_not_whole(weight) -> None:
    # 3 to 21 is as 7 to 49, but sums of such weights differ from the products by rounding.
    group, truth = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], [3, 21, 7, 49], axis=1)
    result = bam.DirectionalBiasAmplification().result(
        truth, 0 * truth, sensitive_features=group, sample_weight=np.full(80, weight), n_boot=0
    )
    assert result.value == 0
    assert (result.by_pair["sign"] == 0).all()


@pytest.mark.parametrize("doublings", [29, 33])
def test_directional_one_row_in_billions_has_a_sign(doublings) -> None:
    # Counts (m + 1, m, m, m - 1) are off a tie by 1 of 4 m^2, which floats miss: n n_00 - n_0 n_0
    # = 4 m (m + 1) - (2 m + 1)^2 = -1, and 4 m m - (2 m + 1) (2 m - 1) = 1.
    lists: dict[str, Any] = {"class_labels": [0, 1], "group_labels": [0, 1]}
    groups, labels = [0, 0, 1, 1], [0, 1, 0, 1]
    counts = bam.Counts.from_arrays(labels, labels, sensitive_features=groups, **lists)
    for _ in range(doublings):
        counts = counts + counts
    groups, labels = [0, 0, 0, 1], [0, 0, 1, 0]
    counts += bam.Counts.from_arrays(labels, labels, sensitive_features=groups, **lists)
    result = bam.DirectionalBiasAmplification().result(counts, n_boot=0)
    assert result.by_pair["sign"].tolist() == [-1, 1, 1, -1]


@given(st.lists(st.sampled_from([0.1, 0.3, 0.7, 4 / 3]), min_size=20, max_size=20))
def test_attacks_constant_group_of_rounding_weights_has_no_pairs(some) -> None:
    columns: dict[str, Any] = {
        "y_true": [0, 1] * 10,
        "y_pred": [0, 0, 1, 1] * 5,
        "sensitive_features": [0] * 20,
        "sensitive_features_pred": [0, 0, 1, 0] * 5,
        "sample_weight": some,
    }
    result = get_metric("DPA T->A").result(**columns, n_boot=0)
    assert result.by_pair["value"].isna().all()
