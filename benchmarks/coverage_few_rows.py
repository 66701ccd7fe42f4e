"""Simulate intervals of BA-> where few rows have a class or a group, with and without the rule.

``python -m benchmarks.coverage_few_rows`` draws samples in which one class or group is rare, and
counts how often an interval is given, and how often it holds the true value; and how often the
percentile interval would hold it if it were always given. It takes about five minutes and writes a
table of the documentation.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

import biasamp_adapters as bam
from benchmarks.coverage_populations import TablePopulation
from biasamp_adapters.metrics.base import Metric

Array = NDArray[Any]

_PEOPLE = 10**9

_A_TO_T = bam.DirectionalBiasAmplification(direction="A->T")
_T_TO_A = bam.DirectionalBiasAmplification(direction="T->A")


def _yes(rates: Any) -> Array:
    rates = np.asarray(rates, dtype=float)
    return np.stack([1 - rates, rates], axis=-1)


@cache
def rare_class(share: float, classes: int) -> TablePopulation:
    """Two groups; the last class has a ``share`` of the rows, the others are alike."""
    size = np.r_[np.full(classes - 1, (1 - share) / (classes - 1)), share]
    group = _yes(np.where(np.arange(classes) % 2, 0.55, 0.3))
    task = (size[:, None] * group).T
    task = task / task.sum(axis=1, keepdims=True)
    said = 0.85 * np.eye(classes) + 0.15 * task[:, None, :]
    named = np.broadcast_to(_yes([0.12, 0.85])[:, None], (2, classes, 2))
    joint = np.einsum("a,at,atb,atp->atbp", (size[:, None] * group).sum(axis=0), task, named, said)
    table = np.rint(_PEOPLE * joint[..., None]).astype(np.int64)
    return TablePopulation(table, ("a", "b"), np.ones(1))


@cache
def rare_group(share: float, groups: int) -> TablePopulation:
    """Binary task; the last group has a ``share`` of the rows, the others are alike."""
    group = np.r_[np.full(groups - 1, (1 - share) / (groups - 1)), share]
    rate = np.linspace(0.3, 0.6, groups)
    said = np.stack([np.full(groups, 0.15), np.full(groups, 0.8)], axis=1)
    named = np.broadcast_to(np.eye(groups)[:, None], (groups, 2, groups))
    joint = np.einsum("a,at,atb,atp->atbp", group, _yes(rate), named, _yes(said))
    table = np.rint(_PEOPLE * joint[..., None]).astype(np.int64)
    return TablePopulation(table, tuple(f"{i:02}" for i in range(groups)), np.ones(1))


#: What is simulated: a metric, a population with one rare label, rows of a sample.
DESIGNS: list[tuple[str, Metric, Any, int, int]] = [
    ("class", metric, rare_class, labels, rows)
    for metric, labels, rows in [
        (_T_TO_A, 2, 500),
        (_T_TO_A, 2, 2_000),
        (_T_TO_A, 5, 1_000),
        (_T_TO_A, 20, 4_000),
        (bam.MALS(), 2, 500),
    ]
] + [
    ("group", _A_TO_T, rare_group, labels, rows)
    for labels, rows in [(2, 500), (6, 1_000), (24, 2_400)]
]


def observe(
    metric: Metric, make: Any, labels: int, rows: int, rare: int, seed: int
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
        ).from_counts(counts, n_boot=500, random_state=rng)
        measurement: Any = result.bound
        tables = known.tables(known.first_model)
        true = float(measurement.scores(tables, tables, rng)["value"])
    if result.replicated is None or result.replicated.replicates is None:
        return {"given": 0.0, "held": np.nan, "held without the rule": np.nan}
    low, high = np.nanquantile(result.replicated.replicates, [0.025, 0.975])
    given = result.interval
    return {
        "given": float(given is not None),
        "held": np.nan if given is None else float(given[0] <= true <= given[1]),
        "held without the rule": float(low <= true <= high),
    }


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("docs/_static/coverage"))
    options = parser.parse_args()
    lines = []
    for kind, metric, make, labels, rows in DESIGNS:
        for rare in (5, 10, 20, 40):
            seen = pd.DataFrame(
                Parallel(n_jobs=options.jobs)(
                    delayed(observe)(metric, make, labels, rows, rare, seed)
                    for seed in range(options.samples)
                )
            ).mean()
            name = metric.__name__.replace("DirectionalBiasAmplification", "BA")
            held = "" if np.isnan(seen["held"]) else f"{100 * seen['held']:.0f}"
            lines.append(
                {
                    "metric": name,
                    "labels": f"{labels} {'classes' if kind == 'class' else 'groups'}",
                    "rows": f"{rows:,}",
                    "rows of the rare one": rare,
                    "given, %": f"{100 * seen['given']:.0f}",
                    "of these held, %": held,
                    "held were all given, %": f"{100 * seen['held without the rule']:.0f}",
                }
            )
            sys.stdout.write(f"{lines[-1]}\n")
            sys.stdout.flush()
    pd.DataFrame(lines).to_csv(options.out / "few_rows.csv", index=False)


if __name__ == "__main__":
    main()
