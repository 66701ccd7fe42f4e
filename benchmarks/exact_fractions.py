"""Compare random cases of all metrics with loops in exact fractions.

    python benchmarks/exact_fractions.py --seeds 20000

Prints the number of cases and of numbers compared, the largest difference, and a line for each
number that differs by more than 1e-12 or case that fails. The exit code is 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from package_values import TOLERANCE, compare_numbers, describe, difference
from random_rows import METRICS

import biasamp_adapters as bam


def main() -> int:
    """Compare the seeds and print the figures; return 1 if a number differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20_000, help="number of cases")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    warnings.simplefilter("error")
    start, n_numbers, largest = perf_counter(), 0, 0.0
    failures: list[str] = []
    by_metric: Counter[str] = Counter()
    for seed in range(given.first, given.first + given.seeds):
        by_metric[METRICS[seed % len(METRICS)]] += 1
        try:
            numbers = compare_numbers(seed)
        except Exception as error:  # One case that fails is a line, and the others still run.
            place = traceback.extract_tb(error.__traceback__)[-1]
            failures.append(
                f"seed {seed}: {type(error).__name__}: {error} ({place.name}, line {place.lineno})"
            )
            continue
        n_numbers += len(numbers)
        for name, (expected, computed) in numbers.items():
            gap = difference(expected, computed)
            if gap <= TOLERANCE:
                largest = max(largest, gap)
            else:
                failures.append(describe(seed, name, expected, computed))
    print(f"{bam.__name__} {bam.__version__} in {Path(bam.__file__).parent.parent.name}")
    print(f"cases: {given.seeds:,} from seed {given.first}, in {perf_counter() - start:.0f} s")
    print(", ".join(f"{metric} {n:,}" for metric, n in sorted(by_metric.items())))
    print(f"numbers compared: {n_numbers:,}")
    print(f"largest difference of those within {TOLERANCE}: {largest:.2g}")
    print(f"failures: {len(failures):,}")
    for line in failures:
        print(line)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
