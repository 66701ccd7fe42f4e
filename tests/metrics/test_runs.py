"""Summaries over runs, with the arithmetic of Student's t by hand."""

from __future__ import annotations

from math import inf, isnan, sqrt
from typing import Any

import pytest
from exact_oracle import Row
from metric_cases import arguments

from biasamp_adapters import (
    MALS,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
    summarize_runs,
)

RUNS = [0.01, 0.02, 0.03, 0.04, 0.10]
MEAN = 0.04
#: Squares .03^2 + .02^2 + .01^2 + 0 + .06^2 over 4 degrees of freedom.
STD = sqrt((0.0009 + 0.0004 + 0.0001 + 0.0036) / 4)


@pytest.mark.parametrize(
    ("options", "quantile"),
    [
        # Quantiles .975 and .95 of t with 4 degrees of freedom, and of the normal distribution,
        # from any printed table.
        ({}, 2.776445),
        ({"confidence": 0.9}, 2.131847),
        ({"method": "normal"}, 1.959964),
        ({"method": "normal", "confidence": 0.9}, 1.644854),
    ],
)
def test_mean_with_interval(options: dict[str, Any], quantile: float) -> None:
    summary = summarize_runs(RUNS, **options)
    half = quantile * STD / sqrt(5)
    assert summary.value == pytest.approx(MEAN, abs=1e-15)
    assert summary.std == pytest.approx(STD, abs=1e-15)
    # The tables have six decimals.
    assert summary.interval == pytest.approx((MEAN - half, MEAN + half), abs=1e-6 * STD)
    assert summary.n_runs == 5


def test_one_run_has_no_interval() -> None:
    summary = summarize_runs([0.5])
    assert (summary.value, summary.interval, summary.n_runs) == (0.5, None, 1)
    assert isnan(summary.std)


def test_equal_runs_have_no_interval() -> None:
    summary = summarize_runs([0.1, 0.1, 0.1])
    assert (summary.value, summary.interval) == (pytest.approx(0.1), None)
    assert summary.reason == "all 3 runs gave the same value"
    # Sums in another order differ in the last digit only.
    assert summarize_runs([0.1 + 0.2, 0.3]).interval is None
    assert summarize_runs(RUNS).reason is None


def test_interval_stays_in_the_range() -> None:
    values = [0.9, 0.6, 0.8]
    wide = summarize_runs(values).interval
    assert wide is not None
    assert wide[0] < 0.4
    assert wide[1] > 1
    assert summarize_runs(values, limits=(0, 1)).interval == (wide[0], 1)
    with pytest.raises(ValueError, match=r"must lie in the range \[0, 0.5\]; received"):
        summarize_runs(values, limits=(0, 0.5))


def test_range_of_results_is_that_of_their_metric() -> None:
    def result(wrong: int, **options: Any) -> Any:
        rows = [Row(0, 0, 0, 0)] * 3 + [Row(1, 1, 1, int(i >= wrong)) for i in range(3)]
        return MultiAttributeBiasAmplification(**options).result(**arguments(rows))

    moved = [result(wrong, direction="A->T") for wrong in (0, 3)]
    # All rates of one of the two groups are wrong.
    assert [run.value for run in moved] == [0, 0.5]
    assert moved[0].limits == (0, 1)
    assert summarize_runs(moved).interval == (0, 1)
    assert result(1, direction="undirected").limits == (0, 2)


@pytest.mark.parametrize(
    ("metric", "limits"),
    [
        (MALS(), (-1, 1)),
        (DirectionalBiasAmplification(), (-1, 1)),
        (DirectionalPredictabilityAmplification(), (-1, 1)),
        (DirectionalPredictabilityAmplification(quality="uncertainty_coefficient"), (-1, 1)),
        (LeakageAmplification(), (-1, 1)),
        (LeakageAmplification(quality="inverse_cross_entropy"), (-inf, inf)),
    ],
)
def test_ranges(metric: Any, limits: tuple[float, float]) -> None:
    rows = [Row(0, 0, 0, 0)] * 3 + [Row(0, 1, 0, 1), Row(1, 1, 1, 1), Row(1, 0, 1, 1)]
    assert metric.result(**arguments(rows * 20)).limits == limits


def test_results_are_runs() -> None:
    rows = [Row(0, 0, 0, 0)] * 3 + [Row(0, 1, 0, 1), Row(1, 1, 1, 1), Row(1, 1, 1, 1)]
    wrong = [*rows, Row(1, 1, 1, 0)]
    right = [*rows, Row(1, 1, 1, 1)]
    results = [DirectionalBiasAmplification().result(**arguments(r)) for r in (wrong, right)]
    # One of the 3 rows of group 1 is wrong, against the bias.
    assert [result.value for result in results] == pytest.approx([-1 / 6, 0], abs=1e-15)
    summary = summarize_runs(results)
    assert summary == summarize_runs([result.value for result in results], limits=(-1, 1))
    assert summary == summarize_runs(dict(zip(["seed 1", "seed 2"], results, strict=True)))


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ([], {}, "runs must give at least one value and no NaN"),
        ([0.1, float("nan")], {}, "runs must give at least one value and no NaN"),
        (["text"], {}, "runs must be numbers or results of a metric; received 'text'"),
        ([[0.1]], {}, "runs must be numbers or results of a metric; received a list"),
        (RUNS, {"method": "bootstrap"}, "method must be 't' or 'normal'; received 'bootstrap'"),
        (RUNS, {"confidence": 0}, "confidence must lie strictly between 0 and 1; received 0"),
    ],
)
def test_what_cannot_be_summarised(runs: list[float], options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        summarize_runs(runs, **options)


def test_runs_of_other_classes_are_not_averaged() -> None:
    rows = arguments([Row(0, 0, 0, 0), Row(0, 1, 0, 1), Row(1, 1, 1, 1)])
    results = [MALS(pos_label=label).result(**rows) for label in (0, 1)]
    with pytest.raises(ValueError, match="must be of one metric, direction and class; received"):
        summarize_runs(results)
