"""Simulate the intervals of LA by balanced accuracy where groups are of unequal size.

``python -m benchmarks.coverage_leakage`` draws samples of 2 to 6 groups, each .55 times as large
as the one before, from populations whose leakage is known, and writes ``leakage.csv`` for the
documentation. It takes about five minutes on one core; ``--quick`` takes half of one.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import biasamp_adapters as bam
from benchmarks.simulation import people_of

Array = NDArray[Any]

#: How much rates differ between groups, and how much more those of the predictions do.
BEHAVIOURS = {
    "groups alike, errors at random": (0.0, 0.0),
    "groups differ, errors at random": (0.4, 0.0),
    "groups differ much, errors at random": (1.0, 0.0),
    "groups differ, predictions more so": (0.4, 1.0),
    "groups alike, predictions differ": (0.0, 2.0),
}

#: Groups and classes.
SHAPES = [(2, 2), (3, 3), (4, 2), (6, 2), (6, 5)]


def population(shape: tuple[int, int], behaviour: str) -> Array:
    """Whole numbers of people over (group, task, predicted task)."""
    groups, classes = shape
    differ, more = BEHAVIOURS[behaviour]
    rng = np.random.default_rng([groups, classes])
    share = 0.55 ** np.arange(groups)
    base = rng.dirichlet(np.full(classes, 4.0))
    tilt = rng.normal(0, 1, (groups, classes))

    def rates(strength: float) -> Array:
        out = base * np.exp(strength * tilt)
        return np.asarray(out / out.sum(axis=1, keepdims=True))

    given = 0.9 * (0.8 * np.eye(classes) + 0.2 * base) + 0.1 * rates(differ + 1.5 * more)[:, None]
    joint = share[:, None, None] * rates(differ)[:, :, None] * given
    return people_of(joint / joint.sum())


def counted(table: Array) -> Any:
    """Counts of a table of people."""
    a, t, predicted = np.nonzero(table)
    times = table[a, t, predicted].astype(float)
    return bam.JointCounts.from_arrays(t, predicted, a, sample_weight=times).as_frequencies()


def simulate(
    shape: tuple[int, int], behaviour: str, n_rows: int, samples: int, n_boot: int
) -> dict[str, float]:
    """Shares of the intervals of independent samples."""
    table = population(shape, behaviour)
    lists = {"groups": [*range(shape[0])], "labels": [*range(shape[1])]}
    true = bam.LeakageAmplification(equalize="expected", **lists).from_counts(counted(table)).value
    metric, rng = bam.LeakageAmplification(**lists), np.random.default_rng([*shape, n_rows])
    chance, ends, values = table.ravel() / table.sum(), [], []
    for seed in range(samples):
        sample = rng.multinomial(n_rows, chance).reshape(table.shape)
        result = metric.from_counts(counted(sample), n_boot=n_boot, random_state=seed)
        values.append(result.value)
        if result.interval is not None:
            ends.append(result.interval)
    low, high = np.array(ends).reshape(-1, 2).T
    return {
        "true": true,
        "bias": np.mean(values) - true,
        "deviation": np.std(values),
        "given": len(ends) / samples,
        "hold": np.mean((low <= true + 1e-9) & (high >= true - 1e-9)),
        "excludes 0": np.mean((low > 0) | (high < 0)),
        "width": np.mean(high - low) / (3.92 * np.std(values)),
    }


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few samples, no file")
    parser.add_argument("--samples", type=int, default=150, help="samples of a design")
    parser.add_argument("--n-boot", type=int, default=300, help="replicates of an interval")
    parser.add_argument("--out", type=Path, default=Path("docs/_static/coverage/leakage.csv"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", bam.AmplificationWarning)
    samples, lines = (5 if options.quick else options.samples), []
    for behaviour in BEHAVIOURS:
        for n_rows in (500, 2_000, 10_000):
            found = [simulate(s, behaviour, n_rows, samples, options.n_boot) for s in SHAPES]
            for shape, one in zip(SHAPES, found, strict=True):
                shown = " ".join(f"{name} {x:.4f}" for name, x in one.items())
                sys.stdout.write(f"{behaviour} {shape} {n_rows}: {shown}\n")
            sys.stdout.flush()
            columns = {name: [one[name] for one in found] for name in found[0]}
            line = [behaviour, n_rows, f"{100 * np.mean(columns['given']):.0f}"]
            line += [f"{100 * np.mean(columns['hold']):.1f}", f"{100 * min(columns['hold']):.1f}"]
            line += [f"{100 * np.mean(columns['excludes 0']):.1f}"]
            lines.append([*line, f"{min(columns['width']):.1f} to {max(columns['width']):.1f}"])
    if not options.quick:
        with options.out.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            head = ["predictions", "rows", "given", "hold", "hold, worst design", "exclude 0"]
            writer.writerows([[*head, "width, over the needed"], *lines])


if __name__ == "__main__":
    main()
