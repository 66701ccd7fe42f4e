"""Simulate intervals of BA-> where few rows have a class or a group, with and without the rule.

``python -m benchmarks.coverage_few_rows`` draws samples in which one class or group is rare, and
counts how often an interval is given, and how often it holds the true value; and how often the
percentile interval would hold it if it were always given. It takes about five minutes and writes a
table of the documentation.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import biasamp_adapters as bam
from benchmarks.coverage_populations import TablePopulation
from benchmarks.simulation import of_both_classes, parser_of, people_of, write_means
from biasamp_adapters.inference.replicates import BlockDraws
from biasamp_adapters.metrics.base import Metric

Array = NDArray[Any]

_A_TO_T = bam.DirectionalBiasAmplification(direction="A->T")
_T_TO_A = bam.DirectionalBiasAmplification(direction="T->A")


@cache
def rare_class(share: float, classes: int) -> TablePopulation:
    """Two groups; the last class has a ``share`` of the rows, the others are alike."""
    size = np.r_[np.full(classes - 1, (1 - share) / (classes - 1)), share]
    group = of_both_classes(np.where(np.arange(classes) % 2, 0.55, 0.3))
    task = (size[:, None] * group).T
    task = task / task.sum(axis=1, keepdims=True)
    said = 0.85 * np.eye(classes) + 0.15 * task[:, None, :]
    named = np.broadcast_to(of_both_classes([0.12, 0.85])[:, None], (2, classes, 2))
    joint = np.einsum("a,at,atb,atp->atbp", (size[:, None] * group).sum(axis=0), task, named, said)
    table = people_of(joint[..., None])
    return TablePopulation(table, ("a", "b"), np.ones(1))


@cache
def rare_group(share: float, groups: int) -> TablePopulation:
    """Binary task; the last group has a ``share`` of the rows, the others are alike."""
    group = np.r_[np.full(groups - 1, (1 - share) / (groups - 1)), share]
    rate = np.linspace(0.3, 0.6, groups)
    said = np.stack([np.full(groups, 0.15), np.full(groups, 0.8)], axis=1)
    named = np.broadcast_to(np.eye(groups)[:, None], (groups, 2, groups))
    joint = np.einsum(
        "a,at,atb,atp->atbp", group, of_both_classes(rate), named, of_both_classes(said)
    )
    table = people_of(joint[..., None])
    return TablePopulation(table, tuple(f"{i:02}" for i in range(groups)), np.ones(1))


#: What is simulated: a metric, a population with one rare label, its labels, rows of a sample.
_CASES: list[tuple[Metric, Any, int, int]] = [
    (metric, rare_class, labels, rows)
    for metric, labels, rows in [
        (_T_TO_A, 2, 500),
        (_T_TO_A, 2, 2_000),
        (_T_TO_A, 5, 1_000),
        (_T_TO_A, 20, 4_000),
        (bam.MALS(), 2, 500),
    ]
] + [(_A_TO_T, rare_group, labels, rows) for labels, rows in [(2, 500), (6, 1_000), (24, 2_400)]]

#: The same with the number of rows that have the rare label.
DESIGNS = [(*case, rare) for case in _CASES for rare in (5, 10, 20, 40)]


def observe(
    metric: Metric, make: Any, labels: int, rows: int, rare: int, seed: int, n_boot: int
) -> dict[str, float]:
    """One sample, in which about ``rare`` rows have the rare label."""
    people = make(rare / rows, labels)
    rng = np.random.default_rng([seed, rows, rare, labels])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        known = people.counts()
        counts = people.count(people.sample(rows, rng))
        result = type(metric)(
            **({"direction": metric.direction} if hasattr(metric, "direction") else {}),
            labels=known.labels,
            groups=known.groups,
        ).from_counts(counts, n_boot=n_boot, random_state=rng)
        measurement: Any = result.measurement
        tables = known.tables(known.first_model)
        true = float(measurement.scores(tables, tables, BlockDraws())["value"])
    if result.replicated is None or result.replicated.replicates is None:
        return {"given": 0.0, "held": np.nan, "held without the rule": np.nan}
    low, high = np.nanquantile(result.replicated.replicates, [0.025, 0.975])
    given = result.interval
    return {
        "given": float(given is not None),
        "held": np.nan if given is None else float(given[0] <= true <= given[1]),
        "held without the rule": float(low <= true <= high),
    }


def line(
    metric: Metric, make: Any, labels: int, rows: int, rare: int, seen: pd.DataFrame
) -> dict[str, Any]:
    """One line of the table."""
    means = seen.mean()
    return {
        "metric": metric.__name__.replace("DirectionalBiasAmplification", "BA"),
        "labels": f"{labels} {'classes' if make is rare_class else 'groups'}",
        "rows": f"{rows:,}",
        "rows of the rare one": rare,
        "given, %": f"{100 * means['given']:.0f}",
        "of these held, %": "" if np.isnan(means["held"]) else f"{100 * means['held']:.0f}",
        "held were all given, %": f"{100 * means['held without the rule']:.0f}",
    }


def main() -> None:
    """Run all of it."""
    options = parser_of(__doc__, samples=200, n_boot=500).parse_args()
    write_means(DESIGNS, observe, line, options, "few_rows.csv")


if __name__ == "__main__":
    # Other processes can import this module, but not the script that is run.
    from benchmarks.coverage_few_rows import main as run

    run()
