"""Simulate the intervals of pairs of BA->, each by itself and all at once.

``python -m benchmarks.coverage_pairs`` draws samples of populations in which predictions have the
rates of the truth, so that no pair changes, and of those of ``benchmarks.coverage``. It counts
how many intervals of single pairs miss, and in how many samples any interval that is for all pairs
at once does. It takes about ten minutes and writes a table of the documentation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import biasamp_adapters as bam
from benchmarks.coverage_designs import population as population_of
from benchmarks.coverage_populations import MatrixPopulation, Population, TablePopulation
from benchmarks.simulation import parser_of, people_of, write_means
from biasamp_adapters.auditing.findings import evaluate
from biasamp_adapters.inference.estimates import IntervalOptions
from biasamp_adapters.inference.replicates import BlockDraws
from biasamp_adapters.reference import Evaluation, align

Array = NDArray[Any]

#: The share of predictions that repeat the truth; the others are drawn from the rates of the group.
_KEPT = 0.7


def _unchanged(groups: int, classes: int) -> TablePopulation:
    """Predictions with the rates of the truth in every group, which differ between groups."""
    rng = np.random.default_rng([groups, classes])
    size = 1 / np.arange(1, groups + 1) ** 0.5
    task = rng.dirichlet(np.full(classes, 2.0), size=groups)
    said = _KEPT * np.eye(classes) + (1 - _KEPT) * task[:, None, :]
    joint = np.einsum("g,gt,gtp->gtp", size / size.sum(), task, said)[:, :, None, :, None]
    names = tuple(f"{i:02}" for i in range(groups))
    return TablePopulation(people_of(joint), names, np.ones(1))


def _unchanged_matrix(tasks: int) -> MatrixPopulation:
    """The same of a label matrix."""
    of = population_of(f"{tasks} labels")
    rng, rows = np.random.default_rng(tasks), dict(of.rows)  # type: ignore[attr-defined]
    for group in np.unique(rows["sensitive_features"]):
        among = rows["sensitive_features"] == group
        truth = rows["y_true"][among]
        # A permutation has exactly the rates of the truth.
        again = rng.permuted(truth, axis=0)
        swapped = rng.random(truth.shape) < 1 - _KEPT
        rows["y_pred"] = rows["y_pred"].copy()
        rows["y_pred"][among] = np.where(swapped, again, truth)
    return MatrixPopulation(rows, 1)


POPULATIONS: dict[str, Callable[[], Population]] = {
    "unchanged, 20 groups, 20 classes": lambda: _unchanged(20, 20),
    "unchanged, 2 groups, 2 classes": lambda: _unchanged(2, 2),
    "unchanged, 6 groups, 30 classes": lambda: _unchanged(6, 30),
    "unchanged, 66 labels": lambda: _unchanged_matrix(66),
    "20 classes": lambda: population_of("20 classes"),
    "intersections": lambda: population_of("intersections"),
    "weights": lambda: population_of("weights"),
    "12 labels": lambda: population_of("12 labels"),
    "66 labels": lambda: population_of("66 labels"),
}

#: Name of the population and rows of a sample; the first is what the rule was tried on first.
DESIGNS = [
    ("unchanged, 20 groups, 20 classes", 10_000),
    ("unchanged, 20 groups, 20 classes", 4_000),
    ("unchanged, 20 groups, 20 classes", 1_000),
    ("unchanged, 2 groups, 2 classes", 1_000),
    ("unchanged, 6 groups, 30 classes", 3_000),
    ("unchanged, 66 labels", 1_000),
    ("20 classes", 1_000),
    ("20 classes", 10_000),
    ("intersections", 1_000),
    ("weights", 1_000),
    ("12 labels", 1_000),
    ("66 labels", 1_000),
]

_METRIC = bam.DirectionalBiasAmplification(direction="A->T")


@cache
def _known(data: str) -> tuple[Population, Evaluation]:
    people = POPULATIONS[data]()
    return people, align(people.counts(), None)


def observe(data: str, rows: int, seed: int, n_boot: int) -> dict[str, float]:
    """One sample."""
    people, every = _known(data)
    rng = np.random.default_rng([seed, rows, *data.encode()])
    drawn = people.sample(rows, rng)
    del drawn["sensitive_features_pred"]
    lists = every.counts
    evaluation = align(people.count(drawn), None, lists.labels, lists.groups)
    model = evaluation.counts.first_model
    findings = evaluate(
        evaluation, IntervalOptions(n_boot, 0.95, random_state=rng), {model: [_METRIC]}, None
    )
    ((key, pairs),) = findings.pairs.items()
    measurement: Any = findings.results[key].measurement
    tables = every.counts.tables(every.counts.first_model)
    true = measurement.scores(tables, None, BlockDraws())["pairs"]
    own = [pair.number.estimate(0.95).interval for pair in pairs]
    judged = [i for i, pair in enumerate(pairs) if pair.band.interval]
    missed = [_misses(pairs[i].band.interval, true[i]) for i in judged]
    return {
        "pairs": len(judged),
        "alone": np.mean([_misses(own[i], true[i]) for i in judged]),
        "any alone": any(_misses(own[i], true[i]) for i in judged),
        "any at once": any(missed),
        "clear": sum(pair.is_clear for pair in pairs),
    }


def _misses(interval: tuple[float, float] | None, true: float) -> bool:
    return interval is not None and not interval[0] - 1e-9 <= true <= interval[1] + 1e-9


def line(data: str, rows: int, seen: pd.DataFrame) -> dict[str, Any]:
    """One line of the table."""
    means = seen.mean()
    return {
        "data": data,
        "rows": f"{rows:,}",
        "samples": len(seen),
        "pairs": f"{means['pairs']:.0f}",
        "single intervals that miss, %": f"{100 * means['alone']:.1f}",
        "samples with one that misses, %": f"{100 * means['any alone']:.0f}",
        "samples in which one for all pairs misses, %": f"{100 * means['any at once']:.1f}",
        "clear pairs": f"{means['clear']:.2f}",
    }


def main() -> None:
    """Run all of it."""
    options = parser_of(__doc__, samples=200, n_boot=600).parse_args()
    write_means(DESIGNS, observe, line, options, "pairs.csv")


if __name__ == "__main__":
    # Other processes can import this module, but not the script that is run.
    from benchmarks.coverage_pairs import main as run

    run()
