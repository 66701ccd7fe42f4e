"""Simulate the verdicts on BA->: how often is each given, where it is known what models do?

``python -m benchmarks.verdicts`` draws tables of counts from populations whose amplification is
known exactly, prints how often each verdict is given, and writes a CSV file and the tables of the
documentation. It takes about fifteen minutes of one core; ``--quick`` takes one.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import biasamp_adapters as bam
from benchmarks.coverage import cell
from benchmarks.verdict_designs import Design, designs
from benchmarks.verdict_tables import write_tables
from biasamp_adapters.metrics.verdict import WORDS

_N_BOOT = 300

_COLUMNS = [
    "family",
    "design",
    "direction",
    "groups",
    "tasks",
    "rows",
    "reference",
    "samples",
    "amplification",
    "excess",
    "amplification_se",
    "excess_se",
    "least_z",
    "right",
    "given_right",
    *WORDS,
    "reasons",
]


def simulate(design: Design, samples: int) -> dict[str, Any]:
    """One line: what is true of the population, and how often each verdict is given."""
    people, rows = design.population, design.rows
    given: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for seed in range(samples):
        verdict = judged(design, seed)
        given[verdict.code] += 1
        if verdict.reason is not None:
            reasons[verdict.reason] += 1
    return {
        "family": design.family,
        "design": design.name,
        "direction": people.direction,
        "groups": people.groups,
        "tasks": people.tasks,
        "rows": rows,
        "reference": design.reference,
        "samples": samples,
        "amplification": people.amplification,
        "excess": people.excess,
        "amplification_se": people.clearness(rows),
        "excess_se": people.clearness(rows, is_excess=True),
        "least_z": people.least_z(rows),
        "right": design.right,
        "given_right": given[design.right] / samples,
        **{code: given[code] / samples for code in WORDS},
        "reasons": "; ".join(f"{reason} {n / samples:.3f}" for reason, n in reasons.most_common()),
    }


def judged(design: Design, seed: int) -> Any:
    """The verdict on one sample."""
    people = design.population
    rng = np.random.default_rng([seed, design.rows, *design.name.encode()])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        counts = people.sample(design.rows, rng)
        reference = people.sample(design.rows, rng) if design.reference == "training" else None
        metric = bam.DirectionalBiasAmplification(direction=people.direction, reference=reference)
        return metric.from_counts(counts, n_boot=_N_BOOT, random_state=rng).verdict


def line(row: dict[str, Any]) -> str:
    """One line of the printed table."""
    head = (
        f"{row['family']:9} {row['design']:32} {row['direction']} {row['groups']:2}x{row['tasks']}"
    )
    often = sorted(((row[code], code) for code in WORDS if row[code]), reverse=True)[:4]
    told = ", ".join(f"{code} {share:.1%}" for share, code in often)
    return (
        f"{head} {row['rows']:6} {row['reference']:8} BA {row['amplification_se']:+6.1f} se, "
        f"excess {row['excess_se']:+6.1f} se, z {row['least_z']:4.1f}: right "
        f"{row['given_right']:6.1%} | {told} | {row['reasons']}\n"
    )


def write_results(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """The lines as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few samples of 1,000 rows, no files")
    parser.add_argument("--family", help="one family of designs only")
    parser.add_argument("--samples", type=int, default=300, help="samples of each design")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--out", type=Path, help="folder; for all of it that of the documentation")
    options = parser.parse_args()
    whole = not options.quick and options.family is None
    out = options.out or (Path("docs/_static/verdicts") if whole else None)
    chosen = [one for one in designs(options.quick) if options.family in (None, one.family)]
    samples = 20 if options.quick else options.samples
    rows = []
    parallel = Parallel(n_jobs=options.jobs, return_as="generator")
    for row in parallel(delayed(simulate)(design, samples) for design in chosen):
        rows.append(row)
        sys.stdout.write(line(row))
        sys.stdout.flush()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_results(rows, out / "results.csv")
        write_tables(out)


if __name__ == "__main__":
    main()
