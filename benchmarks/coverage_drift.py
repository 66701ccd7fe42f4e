"""Simulate how often gaps of a reference are found to be clearly others than those of the truth.

``python -m benchmarks.coverage_drift`` draws a truth and a reference of the same population, in
which all groups have one rate, and counts how often any gap is clear: with intervals of the
replicates alone, and with those of an audit, which also pool rates and ask for Tukey's range.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

import biasamp_adapters as bam
from biasamp_adapters.auditing.drift import Drift
from biasamp_adapters.inference.bands import simultaneous
from biasamp_adapters.inference.estimates import Estimate, side_of_zero
from biasamp_adapters.inference.replicates import replicate
from biasamp_adapters.reference import align

_N_BOOT = 300

#: Groups, rows on each side, the rate of all groups, and whether the k-th group is a k-th as large.
DESIGNS = (
    (2, 1_000, 0.3, False),
    (6, 1_200, 0.3, False),
    (12, 2_400, 0.3, False),
    (12, 720, 0.5, True),
    (24, 2_400, 0.2, False),
    (24, 2_400, 0.5, False),
    (24, 4_800, 0.2, True),
)


def sample(groups: int, rows: int, rate: float, falling: bool, rng: np.random.Generator) -> object:
    """Counts of one side."""
    shares = 1 / np.arange(1, groups + 1) if falling else np.ones(groups)
    drawn = rng.multinomial(rows, shares / shares.sum())
    positive = rng.binomial(drawn, rate)
    weight = np.stack([drawn - positive, positive], axis=1).ravel().astype(float)
    group, task = np.repeat(np.arange(groups), 2), np.tile([0, 1], groups)
    lists = {"groups": [*range(groups)], "labels": [0, 1]}
    counts = bam.JointCounts.from_arrays(task, None, group, sample_weight=weight, **lists)
    return counts.as_frequencies()


def are_clear(design: tuple[int, int, float, bool], seed: int) -> tuple[bool, bool]:
    """Whether any gap is clear, by the replicates alone and in an audit."""
    rng = np.random.default_rng([seed, *design[:2]])
    evaluation = align(sample(*design, rng), sample(*design, rng))
    model = evaluation.counts.first_model
    drift = Drift(evaluation=evaluation, model=model, columns=np.array([1]))
    drawn = replicate({"": drift}, evaluation, _N_BOOT, rng)[""]["drift"]
    alone = simultaneous(drift.point()["drift"], drawn, 0.95, drift.gaps.family)
    return _any_clear(alone), _any_clear(drift.estimates(drawn, 0.95, None))


def _any_clear(estimates: list[Estimate]) -> bool:
    return any(side_of_zero(one.interval) for one in estimates if one.interval)


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1_000)
    options = parser.parse_args()
    for design in DESIGNS:
        clear = [are_clear(design, seed) for seed in range(options.samples)]
        alone, audit = np.mean(clear, axis=0)
        sys.stdout.write(f"{design}: replicates alone {alone:.3f}, audit {audit:.3f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
