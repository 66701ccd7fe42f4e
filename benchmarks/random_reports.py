"""Random reports, of which no sentence and no cell of a table contradicts the summary.

    python benchmarks/random_reports.py --reports 1000

The sentences of the Markdown and of the full text are read back by patterns that do not come from
the wording code. A sentence that no pattern knows counts as a failure too. With `--families`, the
number of times that each pattern was met is printed.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter

from contradictions.cases import random_case
from contradictions.cells import wrong_cells
from contradictions.check import check_report
from contradictions.directions import FAMILIES

import biasamp_adapters as bam


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reports", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--families", action="store_true")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", bam.AmplificationWarning)
    held, codes, failures = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(chosen.first, chosen.first + chosen.reports):
        report = bam.audit(**random_case(seed))
        findings, cells = check_report(report), list(wrong_cells(report))
        held += findings.held
        codes.update(verdict.code for verdict in report.verdicts)
        found = {"wrong": findings.wrong, "unknown": findings.unknown, "cell": cells}
        for kind, texts in found.items():
            failures[kind] += len(texts)
            for text in texts:
                print(f"{seed} {kind}: {text}", flush=True)
    print(f"{chosen.reports} reports: {held.total():,} sentences of {len(held)} families hold")
    print(", ".join(f"{code} {n}" for code, n in codes.most_common()))
    print(", ".join(f"{kind} {failures[kind]}" for kind in ("wrong", "unknown", "cell")))
    if chosen.families:
        for pattern, _ in FAMILIES:
            print(f"{held[pattern]:7,}  {pattern}")
    return 1 if failures.total() else 0


if __name__ == "__main__":
    sys.exit(main())
