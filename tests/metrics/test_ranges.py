"""The range of metrics that sum over groups: of exclusive groups, and of groups that overlap."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from metric_cases import quietly

import biasamp_adapters as bam

ROUNDING = 1e-9
MALS = bam.MALS(labels=[0, 1])
UNDIRECTED = bam.MultiAttributeBiasAmplification(direction="undirected", labels=[0, 1])


@st.composite
def rows(draw: Any, *, overlapping: bool) -> tuple[int, dict[str, Any]]:
    """A number of groups, and rows whose true and predicted groups may overlap, or do not."""
    n, k = draw(st.integers(2, 12)), draw(st.integers(2, 4))
    bits = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    if overlapping:
        of_row = st.lists(st.integers(0, 1), min_size=k, max_size=k)
    else:
        of_row = st.integers(0, k - 1).map(lambda group: [int(i == group) for i in range(k)])
    groups = st.lists(of_row, min_size=n, max_size=n).map(bam.Indicators)
    return k, {
        "y_true": draw(bits),
        "y_pred": draw(bits),
        "sensitive_features": draw(groups),
        "sensitive_features_pred": draw(st.one_of(st.none(), groups)),
    }


def value(metric: Any, arrays: dict[str, Any]) -> float:
    result = quietly(metric.result, **arrays)
    assume(result.value == result.value)
    return float(result.value)


@given(rows(overlapping=False))
def test_exclusive_groups(case: Any) -> None:
    # The shares of all groups add up to 1, and those that count begin above 1/k.
    k, arrays = case
    assert -1 - ROUNDING <= value(MALS, arrays) < 1 - 1 / k + ROUNDING
    assert 0 <= value(UNDIRECTED, arrays) < 2


@given(rows(overlapping=True))
def test_groups_that_overlap(case: Any) -> None:
    # Each of k groups loses at most 1, and gains less than 1 - 1/k.
    k, arrays = case
    assert -k - ROUNDING <= value(MALS, arrays) < k - 1 + ROUNDING
    assert 0 <= value(UNDIRECTED, arrays) <= k + ROUNDING


def in_all(n: int, k: int) -> list[list[int]]:
    return [[1] * k] * n


@pytest.mark.parametrize("k", [2, 3])
def test_ends_of_the_range(k: int) -> None:
    # All positives are in all groups, and the predicted positives in none: k * (0 - 1).
    arrays: dict[str, Any] = {"y_true": [1] * 5 + [0] * 5, "y_pred": [0] * 5 + [1] * 5}
    groups = bam.Indicators(in_all(5, k) + [[0] * k] * 5)
    assert quietly(MALS, **arrays, sensitive_features=groups) == -k
    # Both labels are classes of Multi, and nobody who is negative is in a group: (k + 0) / 2.
    assert quietly(UNDIRECTED, **arrays, sensitive_features=groups) == k / 2
    # Of 100 k positives 101 are in each group, just above 1/k; all are predicted in all groups.
    n = 100 * k
    groups = bam.Indicators(in_all(101, k) + [[0] * k] * (n - 101))
    named = bam.Indicators(in_all(n, k))
    rows = {"y_true": [1] * n, "y_pred": [1] * n, "sensitive_features": groups}
    found = quietly(MALS, **rows, sensitive_features_pred=named)
    assert found == pytest.approx(k * (1 - 101 / n))


def test_an_interval_may_lie_above_two() -> None:
    # All positives are in all of five groups and the predicted positives in none: 5 * |0 - 1|.
    truth = [1] * 50 + [0] * 50
    groups = bam.Indicators(in_all(50, 5) + [[0] * 5] * 50)
    metric = bam.MultiAttributeBiasAmplification(direction="undirected", pos_label=1)
    said = [1 - task for task in truth]
    result = quietly(metric.result, truth, said, sensitive_features=groups, n_boot=100)
    assert (result.value, result.interval) == (5, (5, 5))
