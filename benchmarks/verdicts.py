"""Simulate the verdicts on BA->: how often is each given, where it is known what models do?

``python -m benchmarks.verdicts`` draws tables of counts from populations whose amplification is
known exactly, prints how often each verdict is given, and writes a CSV file and the tables of the
documentation. It takes about half an hour of one core; ``--quick`` takes two minutes.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import biasamp_adapters as bam
from benchmarks.simulation import write_results
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


def simulate(design: Design, seeds: range) -> dict[str, Any]:
    """One line: what is true of the population, and how often each verdict is given."""
    people, rows, samples = design.population, design.rows, len(seeds)
    given: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for seed in seeds:
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


def head(design: Design) -> str:
    """What is simulated."""
    people = design.population
    return (
        f"{design.family:9} {design.name:32} {people.direction} {people.groups:2}x{people.tasks} "
        f"{design.rows:6} {design.reference:8}"
    )


def line(design: Design, row: dict[str, Any]) -> str:
    """One line of the printed table."""
    often = sorted(((row[code], code) for code in WORDS if row[code]), reverse=True)[:4]
    told = ", ".join(f"{code} {share:.1%}" for share, code in often)
    return (
        f"{head(design)} BA {row['amplification_se']:+6.1f} se, "
        f"excess {row['excess_se']:+6.1f} se, z {row['least_z']:4.1f}: right "
        f"{row['given_right']:6.1%} | {told} | {row['reasons']}\n"
    )


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few samples of 1,000 rows, no files")
    parser.add_argument("--family", help="one family of designs only")
    parser.add_argument("--only", help="designs whose printed line begins with a match of this")
    parser.add_argument("--samples", type=int, default=300, help="samples of each design")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--out", type=Path, help="folder; for all of it that of the documentation")
    options = parser.parse_args()
    every = list(designs(options.quick))
    chosen = [design for design in every if options.family in (None, design.family)]
    chosen = [design for design in chosen if re.match(options.only or "", head(design))]
    whole = not options.quick and len(chosen) == len(every)
    out = options.out or (Path("docs/_static/verdicts") if whole else None)
    samples = 20 if options.quick else options.samples
    seeds = range(options.first, options.first + samples)
    rows = []
    parallel = Parallel(n_jobs=options.jobs, return_as="generator")
    found = parallel(delayed(simulate)(design, seeds) for design in chosen)
    for design, row in zip(chosen, found, strict=True):
        rows.append(row)
        sys.stdout.write(line(design, row))
        sys.stdout.flush()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_results(rows, _COLUMNS, out / "results.csv")
        write_tables(out)


if __name__ == "__main__":
    main()
