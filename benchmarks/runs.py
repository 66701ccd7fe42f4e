"""Simulate how often intervals over runs on the same rows hold the values of the population.

`python runs.py` draws rows of two groups whose rates every model keeps, so that BA is 0, although
30 % of the positives are missed. Runs share a part of their mistakes. Intervals of `over_runs` have
to hold the values in at least 93 % of the samples; Student's t over runs alone is shown beside.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import warnings
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t
from threadpoolctl import threadpool_limits

import biasamp_adapters as bam

_LOWEST = 0.93

#: The rates of both groups, and the share of the positives that models miss.
_RATES, _MISSED = np.array([0.35, 0.55]), 0.3

#: The values of the population: as many negatives are predicted 1 as positives are missed.
_TRUE = {"BA": 0.0, "mean change": 0.0, "accuracy": 1 - 2 * _MISSED * float(_RATES.mean())}

_HEAD = ("rows", "runs", "mistakes in common", "number", "over_runs", "Student's t alone", "pass")


class Design(NamedTuple):
    """Runs on the same rows.

    Attributes
    ----------
    n_rows, n_runs : int
    common : float
        The share of the mistakes that all runs share.
    """

    n_rows: int
    n_runs: int
    common: float


DESIGNS = (
    Design(500, 5, 0.9),
    Design(500, 3, 0.9),
    Design(2000, 5, 0.9),
    Design(2000, 5, 0.5),
    Design(2000, 5, 0.0),
    Design(1000, 10, 0.8),
)


def observe(design: Design, n_boot: int, seed: int) -> dict[str, tuple[float, float, float]]:
    """Return the mean over runs and the reaches of both intervals of each number of a sample."""
    rng, n = np.random.default_rng([20_261_126, seed]), design.n_rows
    group = rng.integers(2, size=n)
    rate = _RATES[group]
    truth, common = (rng.random(n) < rate).astype(int), rng.random(n)
    runs = {}
    for run in range(design.n_runs):
        drawn = np.where(rng.random(n) < design.common, common, rng.random(n))
        is_hit, is_false = drawn >= _MISSED, drawn < _MISSED * rate / (1 - rate)
        runs[run] = np.where(truth == 1, is_hit, is_false).astype(int)
    report = bam.audit(truth, runs, sensitive_features=group, n_boot=n_boot, random_state=seed)
    values = report.to_frame().set_index("name")["value"].astype(float)
    names = {"BA": "BA A->T", "mean change": "mean change A->T", "accuracy": "accuracy"}
    factor = t.ppf(0.975, design.n_runs - 1) / np.sqrt(design.n_runs)
    seen = {}
    for record in bam.over_runs(report).itertuples():
        if record.metric in names:
            student = factor * values[names[record.metric]].std()
            seen[record.metric] = record.mean, (record.high - record.low) / 2, student
    return seen


def start_worker() -> None:
    """Keep a process on one thread, and ignore the notes of audits."""
    threadpool_limits(1)
    warnings.simplefilter("ignore", bam.AmplificationWarning)


def summarize(number: str, seen: list[Any]) -> tuple[list[str], bool]:
    """Return the cells of one number, and whether it passes."""
    mean, reach, student = np.array([sample[number] for sample in seen]).T
    is_given = np.isfinite(reach)
    distance = np.abs(mean - _TRUE[number])[is_given]
    share, of_student = (np.mean(distance <= x[is_given]) for x in (reach, student))
    error = np.sqrt(share * (1 - share) / is_given.sum())
    passes = bool(share >= _LOWEST)
    cells = [number, f"{share:.3f} ± {error:.3f}", f"{of_student:.3f}", "yes" if passes else "NO"]
    return cells, passes


def main() -> None:
    """Print the table, and fail if a number fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000, help="samples of each design")
    parser.add_argument("--n-boot", type=int, default=200, help="replicates of an audit")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    options = parser.parse_args()
    sys.stdout.write(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}\n")
    failed = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs, start_worker) as pool:
        for design in DESIGNS:
            work = partial(observe, design, options.n_boot)
            seen = list(pool.imap(work, range(options.samples), chunksize=5))
            for number in _TRUE:
                cells, passes = summarize(number, seen)
                failed += not passes
                sys.stdout.write(f"| {' | '.join([*map(str, design), *cells])} |\n")
            sys.stdout.flush()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
