"""Simulate how often as many rows as ``rows_needed`` asks for show a change.

``python -m benchmarks.coverage_power`` draws pilot samples of populations whose value is not 0,
asks each how many rows would show that value, and draws samples of as many rows. Their intervals
should lie on the side of the true value in 80 % of them. It takes about five minutes and writes a
table of the documentation.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import biasamp_adapters as bam
from benchmarks.coverage_designs import population as population_of
from benchmarks.coverage_populations import TablePopulation
from benchmarks.simulation import of_both_classes, parser_of, people_of, write_means
from biasamp_adapters.metrics.base import Metric


@cache
def _binary(more: float) -> TablePopulation:
    """Two groups of which 30 and 55 % are positive; predictions move them apart by ``more``."""
    said = np.array([[0.15 - more, 0.60 - more], [0.25 + more, 0.75 + more]])
    group, named = np.array([0.6, 0.4]), of_both_classes([[0.10, 0.25], [0.75, 0.90]])
    joint = np.einsum(
        "a,at,atb,atp->atbp", group, of_both_classes([0.30, 0.55]), named, of_both_classes(said)
    )
    return TablePopulation(people_of(joint[..., None]), ("a", "b"), np.ones(1))


_A_TO_T = bam.DirectionalBiasAmplification(direction="A->T")
_T_TO_A = bam.DirectionalBiasAmplification(direction="T->A")

#: A population, a metric and the rows of a pilot.
DESIGNS: list[tuple[str, Metric, int]] = [
    ("binary, .02 more", _A_TO_T, 500),
    ("binary, .02 more", _A_TO_T, 2_000),
    ("binary, .06 more", _A_TO_T, 500),
    ("binary, .06 more", _A_TO_T, 2_000),
    ("binary, .06 more", _T_TO_A, 500),
    ("binary, .06 more", _T_TO_A, 2_000),
    ("weights", _T_TO_A, 2_000),
    ("intersections", _T_TO_A, 2_000),
    ("12 labels", _A_TO_T, 500),
    ("12 labels", _A_TO_T, 2_000),
]


def _people(data: str) -> Any:
    if data.startswith("binary, ."):
        return _binary(float(data.split()[1]))
    return population_of(data)


def _audited(data: str, metric: Metric, rows: int, rng: Any, n_boot: int) -> Any:
    people = _people(data)
    counts = people.count(people.sample(rows, rng))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        return metric.from_counts(counts, n_boot=n_boot, random_state=rng)


def observe(data: str, metric: Metric, rows: int, seed: int, n_boot: int) -> dict[str, float]:
    """One pilot, and one sample of as many rows as it asks for."""
    rng = np.random.default_rng([seed, rows, *data.encode(), *metric.short_direction.encode()])
    true = _true(data, metric)
    pilot = _audited(data, metric, rows, rng, n_boot)
    if pilot.detectable is None:
        return {"rows needed": np.nan, "seen": np.nan}
    needed = max(30, round(rows * (pilot.detectable / abs(true)) ** 2))
    found = _audited(data, metric, needed, rng, n_boot)
    interval = found.interval or (0.0, 0.0)
    return {"rows needed": needed, "seen": interval[0] > 0 if true > 0 else interval[1] < 0}


@cache
def _true(data: str, metric: Metric) -> float:
    return float(metric.from_counts(_people(data).counts()).value)


def line(data: str, metric: Metric, rows: int, seen: pd.DataFrame) -> dict[str, Any]:
    """One line of the table."""
    return {
        "data": data,
        "metric": f"BA {metric.short_direction}",
        "true value": f"{_true(data, metric):+.4f}",
        "rows of the pilot": f"{rows:,}",
        "rows needed (median)": f"{seen['rows needed'].median():,.0f}",
        "samples": int(seen["seen"].notna().sum()),
        "seen, %": f"{100 * seen['seen'].astype(float).mean():.0f}",
    }


if __name__ == "__main__":
    options = parser_of(__doc__, samples=200, n_boot=400).parse_args()
    write_means(DESIGNS, observe, line, options, "power.csv")
