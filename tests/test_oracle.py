"""Numbers of large random cases are those of the package at commit 6d3b716.

``benchmarks/write_oracle.py`` wrote them. They show what loops in exact fractions are too slow for:
thousands of rows, many labels, flips that are drawn, rows left out one by one, and intervals.
"""

import gzip
import json
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from package_values import CLASSES, TOLERANCE, arguments, package_numbers, settings_of
from random_rows import METRICS, draw_large_case

from biasamp_adapters.metrics.rates import RateMeasurement

VALUES = Path(__file__).parent / "oracle" / "values.json.gz"

#: Replicates of stored intervals, and the flips behind a stored mean and behind ours.
N_BOOT, STORED_TRIALS, OUR_TRIALS = 400, 1000, 100

#: Seeds of intervals that one package alone gives: this one counts effective rows or clusters of
#: groups; in case 150, the replicates are about one standard error from the value.
UNLIKE = {50, 74, 90, 142, 358, 400, 438, 464, 490} | {150}

#: Numbers that differ, by the seeds of their cases, and why.
EXPLAINED: dict[tuple[int, str], str] = dict.fromkeys(
    ((seed, name) for seed in (154, 262, 416) for name in ("equal_errors", "excess")),
    "errors of labels whose predictions are probabilities; exact fractions agree with this package",
)
EXPLAINED |= dict.fromkeys(
    ((449, name) for name in ("value", "psi_dataset")),
    "rows of several weights in one cell of a pair are flipped as rows of equal weight",
)
EXPLAINED[151, "psi_dataset"] = "of 1,000 flips some have a loss of 0, and of our 100 none has"


@cache
def stored_numbers() -> dict[int, dict[str, Any]]:
    with gzip.open(VALUES, "rt") as file:
        return {int(seed): numbers for seed, numbers in json.load(file).items()}


def seeds_of(metric: str) -> list[int]:
    return [seed for seed in stored_numbers() if METRICS[seed % len(METRICS)] == metric]


def is_equal(stored: Any, computed: float) -> bool:
    """Return whether a number is the stored one, or lies within 5 errors of a stored mean."""
    if isinstance(stored, list):
        mean, spread = stored
        if isnan(spread):  # Some flips have a loss of 0, whose inverse is infinite.
            return mean == computed or (isnan(mean) and isnan(computed))
        error = spread * np.sqrt(1 / STORED_TRIALS + 1 / OUR_TRIALS)
        return bool(abs(computed - mean) <= 5 * error + 1e-8 * max(1, abs(mean)))
    if isnan(stored):
        return isnan(computed)
    return stored == computed or abs(stored - computed) <= TOLERANCE * max(1, abs(stored))


@pytest.mark.parametrize("metric", METRICS)
def test_numbers_of_large_cases_are_the_stored_ones(metric) -> None:
    differing = []
    for seed in seeds_of(metric):
        numbers = package_numbers(draw_large_case(seed))
        for name, stored in stored_numbers()[seed].items():
            if name == "interval" or (seed, name) in EXPLAINED:
                continue
            if not is_equal(stored, numbers[name]):
                differing.append(f"seed {seed}: {name} is {numbers[name]}, stored {stored}")
    assert differing == []


@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
def test_intervals_of_large_cases_are_about_as_wide_as_the_stored_ones(monkeypatch) -> None:
    # Stored intervals do not reach three rows of the smallest group to both sides.
    monkeypatch.setattr(RateMeasurement, "one_row", 0.0)
    ratios, unlike = [], set()
    for seed in list(stored_numbers())[::2]:
        stored, case = stored_numbers()[seed]["interval"], draw_large_case(seed)
        metric = CLASSES[case.name](**settings_of(case))
        result = metric.result(**arguments(case), clusters=case.clusters, n_boot=N_BOOT)
        interval = result.interval
        is_0_of_all_models = stored == [0, 0] and result.measurement.reason_for_0 == result.reason
        if not is_0_of_all_models and (stored is None) != (interval is None):
            unlike.add(seed)
        if stored is not None and interval is not None and np.ptp(stored) > 1e-9:
            ratios.append(np.ptp(interval) / np.ptp(stored))
    # Draws differ where rows are drawn in another order; widths of 400 have a noise of some 7 %.
    assert np.median(ratios) == pytest.approx(1, abs=0.01)
    assert np.quantile(ratios, [0.1, 0.9]) == pytest.approx([1, 1], abs=0.15)
    assert unlike <= UNLIKE
