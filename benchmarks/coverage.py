"""Simulate the bootstrap intervals of all metrics: how often do they contain the true value?

``python -m benchmarks.coverage`` draws samples of five kinds of data from populations whose values
are known exactly, prints how often 95 % intervals contain them, and writes a CSV file, tables
and curves of the documentation. It takes about twenty minutes; ``--quick`` takes one.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import biasamp_adapters as bam
from benchmarks.coverage_curves import write_curves
from benchmarks.coverage_designs import Design, designs
from benchmarks.coverage_observe import METHODS, Seen, Way, observe
from benchmarks.coverage_tables import write_tables
from benchmarks.simulation import samples_of, write_results
from benchmarks.sparse_tables import kind

_COLUMNS = [
    "data",
    "reference",
    "rows",
    "metric",
    "signs",
    "draws",
    "method",
    "samples",
    "true_value",
    "bias",
    "bias_error",
    "deviation",
    "given",
    "coverage",
    "coverage_error",
    "too_low",
    "too_high",
    "width",
    "own_coverage",
    "same_signs",
    "reason",
]


def simulate(design: Design, n_boot: int, jobs: int) -> Iterator[dict[str, Any]]:
    """One line for each metric and method, over independent samples."""
    every: dict[Way, list[Seen]] = {}
    samples = samples_of(quietly, design, samples=design.samples, n_boot=n_boot, jobs=jobs)
    for sample in samples:
        for way, seen in sample:
            every.setdefault(way, []).append(seen)
    for way, seen_all in every.items():
        head = {"data": design.data, "reference": design.reference, "rows": design.rows}
        for method in METHODS:
            yield head | way._asdict() | {"method": method} | summary(method, seen_all)


def quietly(design: Design, seed: int, n_boot: int) -> list[tuple[Way, Seen]]:
    """One sample, without the notes of its results."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        return list(observe(design, seed, n_boot))


def summary(method: str, seen: list[Seen]) -> dict[str, Any]:
    """Means over samples; shares of the given intervals that hold the value they are for."""
    values = np.array([one.value for one in seen])
    errors = values - np.array([one.target for one in seen])
    errors = errors[np.isfinite(errors)]
    given = [(one, one.intervals[method]) for one in seen if one.intervals[method] is not None]
    out: dict[str, Any] = {
        "samples": len(seen),
        "true_value": seen[0].own,
        "bias": errors.mean() if len(errors) else np.nan,
        "bias_error": errors.std() / np.sqrt(max(len(errors), 1)),
        "deviation": errors.std(),
        "given": len(given) / len(seen),
        "same_signs": np.mean([one.same_signs for one in seen]),
    }
    if given:
        ends = np.array([interval for _, interval in given])
        target, own = np.array([(one.target, one.own) for one, _ in given]).T
        below, above = ends[:, 1] < target - _ROUNDING, ends[:, 0] > target + _ROUNDING
        hold = 1 - np.mean(below | above)
        # Two more successes and two more failures avoid an error of 0 if all intervals hold.
        steady = (hold * len(given) + 2) / (len(given) + 4)
        out |= {
            "coverage": hold,
            "coverage_error": np.sqrt(steady * (1 - steady) / (len(given) + 4)),
            "too_low": below.mean(),
            "too_high": above.mean(),
            "width": (ends[:, 1] - ends[:, 0]).mean(),
            "own_coverage": np.mean(
                (ends[:, 0] <= own + _ROUNDING) & (own - _ROUNDING <= ends[:, 1])
            ),
        }
    reasons = Counter(kind(one.reasons[method]) for one in seen if one.reasons[method])
    out["reason"] = next((reason for reason, _ in reasons.most_common(1)), "")
    return out


#: Largest difference between floating-point sums in different orders.
_ROUNDING = 1e-9


def line(row: dict[str, Any]) -> str:
    """One line of the printed table."""
    names = ("data", "reference", "rows", "metric", "signs", "draws", "method")
    head = " ".join(f"{row[name]!s:{width}}" for name, width in zip(names, _WIDTHS, strict=True))
    covers = "   -         "
    if "coverage" in row:
        covers = f"{row['coverage']:5.3f} ± {row['coverage_error']:.3f}"
    return (
        f"{head} covers {covers} given {row['given']:4.2f} width {row.get('width', np.nan):.4f} "
        f"bias {row['bias']:+.4f} ± {row['bias_error']:.4f} {row['reason'][:50]}\n"
    )


_WIDTHS = (18, 8, 5, 18, 11, 7, 10)


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few samples of few rows, no files")
    parser.add_argument("--data", help="one kind of data only")
    parser.add_argument("--samples", type=float, default=1.0, help="times as many samples")
    parser.add_argument("--n-boot", type=int, default=1000, help="replicates of an interval")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--out", type=Path, help="folder; for all of it that of the documentation")
    options = parser.parse_args()
    whole = not options.quick and options.data is None
    out = options.out or (Path("docs/_static/coverage") if whole else None)
    rows = []
    for design in designs(options.quick, options.samples):
        if options.data in (None, design.data):
            for row in simulate(design, options.n_boot, options.jobs):
                rows.append(row)
                sys.stdout.write(line(row))
            sys.stdout.flush()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_results(rows, _COLUMNS, out / "results.csv")
        write_tables(out)
        write_curves(out)


if __name__ == "__main__":
    main()
