"""Simulate how often 95 % intervals hold the value of the population.

`python coverage.py` draws samples from the designs of populations.py and prints a table. Intervals
of BA and of its excess have to hold it in 92 to 97 % of the samples and those of all other numbers
in at least 92 %; a number may have no interval if it has a reason. In designs of few errors, where
intervals reach three rows of the smallest group to both sides, BA may be covered more often.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from populations import DESIGNS, Design
from threadpoolctl import threadpool_limits

import biasamp_adapters as bam

_LOWEST, _HIGHEST = 0.92, 0.97

#: Numbers whose intervals must not be too wide either.
_TWO_SIDED = ("BA", "BA excess", "BA T->A", "BA T->A excess")

#: Sums in another order may differ by so much.
_ROUNDING = 1e-9

_HEAD = ("design", "number", "true", "mean", "given", "covers", "below", "above", "pass", "reasons")


class Seen(NamedTuple):
    """A number of one sample: its value, its interval or the reason why it has none."""

    value: float
    low: float
    high: float
    reason: str | None


def observe(design: Design, n_boot: int, seed: int) -> dict[str, Seen]:
    """Return all numbers of one sample."""
    arrays = design.draw(np.random.default_rng([20_261_126, seed]))
    options = {"n_boot": n_boot, "random_state": seed}
    seen = {}
    for name, (metric, settings) in design.metrics.items():
        result = getattr(bam, metric)(**settings).result(**arrays, **options)
        for number in design.values[name]:
            key = name if number == "value" else f"{name} {number}"
            seen[key] = as_seen(result.estimates[number], 1.0)
    seen["rate gap"] = rate_gap(arrays, options)
    return seen


def as_seen(estimate: Any, factor: float) -> Seen:
    """Return a multiple of an estimate."""
    value, low, high = (
        np.nan if end is None else factor * end
        for end in (estimate.value, estimate.low, estimate.high)
    )
    return Seen(value, low, high, estimate.reason)


def rate_gap(arrays: dict[str, Any], options: dict[str, Any]) -> Seen:
    """Return how much more often the last class is predicted for the second group.

    It is BA with even rates set by hand, and with signs for this pair of groups only.
    """
    truth, groups = np.asarray(arrays["y_true"]), np.unique(arrays["sensitive_features"]).tolist()
    classes = list(range(truth.shape[1])) if truth.ndim == 2 else np.unique(truth).tolist()
    rates = {group: dict.fromkeys(classes, 1 / len(classes)) for group in groups}
    signs = {group: dict.fromkeys(classes, 0) for group in groups}
    signs[groups[0]][classes[-1]], signs[groups[1]][classes[-1]] = -1, 1
    given = {name: x for name, x in arrays.items() if name != "sensitive_features_pred"}
    metric = bam.DirectionalBiasAmplification(reference=bam.BaseRates(rates, signs=signs))
    return as_seen(metric.result(**given, **options).estimates["value"], len(groups) * len(classes))


def start_worker() -> None:
    """Keep a process on one thread, and ignore the notes of results."""
    threadpool_limits(1)
    warnings.simplefilter("ignore", bam.AmplificationWarning)


def true_values(design: Design) -> dict[str, float]:
    """Return the values of the population by the names of the table."""
    names = (*design.metrics, "rate gap")
    return {
        name if number == "value" else f"{name} {number}": value
        for name in names
        for number, value in design.values[name].items()
    }


def summarize(number: str, true: float, seen: list[Seen], highest: float) -> tuple[list[str], bool]:
    """Return the cells of one number, and whether it passes."""
    given = [each for each in seen if np.isfinite(each.low)]
    withheld = [each for each in seen if not np.isfinite(each.low)]
    reasons = Counter(shorten(each.reason) for each in withheld)
    passes = all(each.reason for each in withheld)
    covers, below, above = "–", "–", "–"
    if given:
        is_below = np.array([each.high < true - _ROUNDING for each in given])
        is_above = np.array([each.low > true + _ROUNDING for each in given])
        share = np.mean(~(is_below | is_above))
        # Two more of either kind, so that the error is not 0 where all intervals hold the value.
        steady = (share * len(given) + 2) / (len(given) + 4)
        error = np.sqrt(steady * (1 - steady) / (len(given) + 4))
        covers = f"{share:.3f} ± {error:.3f}"
        below, above = f"{is_below.mean():.3f}", f"{is_above.mean():.3f}"
        passes &= _LOWEST <= share <= highest
    mean = np.nanmean([each.value for each in seen])
    told = "; ".join(f"{n} x {reason}" for reason, n in reasons.most_common())
    cells = [f"{true:.5f}", f"{mean:.5f}", f"{len(given) / len(seen):.3f}", covers, below, above]
    return [number, *cells, "yes" if passes else "NO", told], passes


def shorten(reason: str | None) -> str:
    """Return the first words of a reason, without its numbers."""
    if not reason:
        return "NO REASON"
    words = ("#" if any(x.isdigit() for x in word) else word for word in reason.split())
    return " ".join(words)[:60]


def simulate(design: Design, samples: int, n_boot: int, pool: Any) -> Iterable[tuple[Any, bool]]:
    """Return the rows of one design."""
    work = partial(observe, design, n_boot)
    seen = list(pool.imap_unordered(work, range(samples), chunksize=5))
    for number, true in true_values(design).items():
        highest = _HIGHEST if number in _TWO_SIDED and "few errors" not in design.name else 1.0
        cells, passes = summarize(number, true, [sample[number] for sample in seen], highest)
        yield [design.name, *cells], passes


def main() -> None:
    """Print the table, and fail if a number fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000, help="samples of each design")
    parser.add_argument("--n-boot", type=int, default=1000, help="replicates of an interval")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--designs", default="", help="only designs whose names contain this")
    options = parser.parse_args()
    sys.stdout.write(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}\n")
    failed = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs, start_worker) as pool:
        for design in (x for x in DESIGNS if options.designs in x.name):
            start = time.perf_counter()
            for cells, passes in simulate(design, options.samples, options.n_boot, pool):
                failed += not passes
                sys.stdout.write(f"| {' | '.join(cells)} |\n")
            sys.stdout.flush()
            sys.stderr.write(f"{design.name}: {time.perf_counter() - start:.0f} s\n")
    sys.stdout.write(f"\n{failed} numbers fail; {options.samples} samples of each design.\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
