"""Label matrices of many distinct rows, whose sums are drawn and not the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from metric_cases import quietly

import biasamp_adapters as bam
from biasamp_adapters.counts import second_moments

N = 400
METRIC = bam.DirectionalBiasAmplification()
MULTI = bam.MultiAttributeBiasAmplification(direction="A->T")


def images(**more: Any) -> dict[str, Any]:
    """Rows of eight tasks, of which nearly all differ."""
    rng = np.random.default_rng(0)
    truth = (rng.random((N, 8)) < 0.4).astype(int)
    made = np.where(rng.random((N, 8)) < 0.1, 1 - truth, truth)
    rows = {"y_true": truth, "y_pred": made, "sensitive_features": rng.integers(0, 2, N)}
    return rows | {name: values(rng, truth, made) for name, values in more.items()}


def counted(**more: Any) -> bam.CooccurrenceCounts:
    return bam.CooccurrenceCounts.from_arrays(**images(**more), keep_rows=True)


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a hundred distinct rows are many."""
    monkeypatch.setattr(second_moments, "MOST_DRAWN", 100)


@pytest.mark.usefixtures("many")
def test_draws_are_those_of_second_moments() -> None:
    rows = images()
    sums = bam.CooccurrenceCounts.from_arrays(**rows, second_moments=True)
    expected = METRIC.from_counts(sums, n_boot=200)
    for found in (METRIC.result(**rows, n_boot=200), METRIC.from_counts(counted(), n_boot=200)):
        assert found.interval == pytest.approx(expected.interval, rel=1e-12)
        assert found.value == pytest.approx(expected.value, abs=1e-15)


def test_as_many_rows_as_the_limit_are_drawn_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    distinct = len(counted().values.rows)
    monkeypatch.setattr(second_moments, "MOST_DRAWN", distinct)
    assert not counted().has_many_rows
    monkeypatch.setattr(second_moments, "MOST_DRAWN", distinct - 1)
    assert counted().has_many_rows


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    "more",
    [
        # As few as 400 / (1 + 4) rows of equal weight, by Kish.
        {"sample_weight": lambda rng, truth, made: rng.permuted(np.repeat([1, 101], [N - 4, 4]))},
        {"clusters": lambda rng, truth, made: rng.integers(0, 50, N)},
        {
            "sensitive_features_pred": lambda rng, truth, made: bam.Indicators(
                np.stack([p := rng.random(N), 1 - p], axis=1), [0, 1]
            )
        },
    ],
    ids=["large weights", "clusters", "probabilities of groups"],
)
def test_rows_that_are_drawn_one_by_one(more: dict[str, Any]) -> None:
    assert not counted(**more).has_many_rows


@pytest.mark.parametrize(
    "metric",
    [
        METRIC,
        bam.DirectionalPredictabilityAmplification(equalize="expected"),
        bam.DirectionalPredictabilityAmplification(equalize="sampled"),
    ],
    ids=str,
)
def test_weighted_sums_vary_as_weighted_rows(metric: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, n_boot = images(sample_weight=lambda rng, truth, made: rng.gamma(2, size=N)), 1000
    by_rows = metric.result(**rows, n_boot=n_boot)
    monkeypatch.setattr(second_moments, "MOST_DRAWN", 100)
    by_sums = metric.result(**rows, n_boot=n_boot)
    assert by_sums.value == by_rows.value
    # Of both ends, the Monte Carlo error of two 2.5 % quantiles of normal replicates, and of 100
    # draws of flips; normal draws of 400 rows are within 5 % of the width of resampled ones.
    width = np.ptp(by_rows.interval)
    error = 5 * 2.7 * width / 3.92 * np.sqrt(2 / n_boot) + 0.05 * width
    assert by_sums.interval == pytest.approx(by_rows.interval, abs=error)
    assert by_sums.interval != by_rows.interval


@pytest.mark.parametrize("name", ["MOST_COLUMNS", "MOST_PRODUCTS"])
def test_rows_whose_second_moments_are_large(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_moments, "MOST_DRAWN", 100)
    assert counted().has_many_rows
    # 1, two groups, a mark of silence, four other marks, and three blocks of eight tasks.
    columns = counted().layout.width
    monkeypatch.setattr(second_moments, name, columns - 1)
    assert not counted().has_many_rows


@pytest.mark.usefixtures("many")
def test_multi_says_why_it_has_no_interval() -> None:
    result = quietly(MULTI.result, **images(), n_boot=100)
    assert result.interval is None
    reason = "distinct rows are drawn as sums of their columns, which do not tell of label sets"
    assert any(reason in note for note in result.notes)
    assert result.value == quietly(MULTI.result, **images()).value


@pytest.mark.usefixtures("many")
def test_an_audit_says_so() -> None:
    rows = images()
    note = "distinct rows: intervals come from a normal"
    report = quietly(bam.audit, **rows, n_boot=50)
    assert [text for text in report.summary["notes"] if note in text]
    drawn = {row["name"]: row["low"] is not None for row in report.summary["metrics"]}
    assert drawn == {
        "MALS": True,
        "BA A->T": True,
        "Multi A->T": False,
        "Multi undirected": False,
        "DPA A->T": True,
        "DPA(U) A->T": drawn["DPA(U) A->T"],
        "LA": False,
    }
    report = quietly(bam.audit, **rows, n_boot=0)
    assert not [text for text in report.summary["notes"] if note in text]
