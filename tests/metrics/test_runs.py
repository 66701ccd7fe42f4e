"""Summaries over runs, with the arithmetic of Student's t by hand."""

from __future__ import annotations

from math import isnan, sqrt
from typing import Any

import pytest
from exact_oracle import Row
from metric_cases import arguments

from biasamp_adapters import MALS, DirectionalBiasAmplification, summarize_runs

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


def test_results_are_runs() -> None:
    rows = [Row(0, 0, 0, 0)] * 3 + [Row(0, 1, 0, 1), Row(1, 1, 1, 1), Row(1, 1, 1, 1)]
    wrong = [*rows, Row(1, 1, 1, 0)]
    right = [*rows, Row(1, 1, 1, 1)]
    results = [DirectionalBiasAmplification().result(**arguments(r)) for r in (wrong, right)]
    # One of the 3 rows of group 1 is wrong, against the bias.
    assert [result.value for result in results] == pytest.approx([-1 / 6, 0], abs=1e-15)
    summary = summarize_runs(results)
    assert summary == summarize_runs([result.value for result in results])
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
