"""Print the costs of counting, auditing and drawing tables, relative to what they replace.

Every line is a ratio of median times of two tasks, which take turns in this run; the run also
checks that their results are equal. Absolute times only give the scale: first the numerator, then
the denominator.

``--only`` runs some sections. ``--quick`` uses less data and does not judge the goals. What is not
installed is skipped with a message: engines for frames, ``bias-amplification`` with
torch for DPA, and the code released with [W21], whose file ``BIASAMP_W21`` names. COMPAS and the
captions are read from ``BIASAMP_DATA``, or from ``shared/data`` beside the repository.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import traceback
import warnings
from collections.abc import Callable

import biasamp_adapters as bam
from benchmarks import (
    arrays,
    calls,
    captions,
    classes,
    default_audits,
    fetched,
    frames,
    growth,
    matrices,
    matrix_kinds,
    million,
    mitigation,
    pages,
    predictability,
    probabilities,
    replicates,
    searches,
    starting,
)
from benchmarks.table import Scale, Table

SECTIONS: dict[str, Callable[[Table, Scale], None]] = {
    "import": starting.importing,
    "calls": calls.calls,
    "integers": arrays.integers,
    "strings": arrays.strings,
    "memory": arrays.memory,
    "engines": frames.labels,
    "engine-matrices": frames.matrices,
    "fetched": fetched.fetched,
    "audit": replicates.audits,
    "bootstrap": replicates.bootstrap,
    "classes": classes.classes,
    "many-tasks": default_audits.many_tasks,
    "many-classes": default_audits.many_classes,
    "captions": captions.captions,
    "million": million.million,
    "matrices": matrices.directional,
    "loops": matrices.loops,
    "blas": matrix_kinds.products,
    "matrix-kinds": matrix_kinds.kinds,
    "probabilities": probabilities.probabilities,
    "mitigation": mitigation.mitigation,
    "dpa": predictability.predictability,
    "pages": pages.pages,
    "search": searches.searches,
    "growth": growth.growth,
    "command": growth.command,
}


def main() -> int:
    """Run the sections; 1 if a check failed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=float, help="rows of the arrays to count (1e7)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="sections to run")
    parser.add_argument("--quick", action="store_true", help="a short run on less data")
    options = parser.parse_args()
    n_rows = options.rows or (500_000 if options.quick else 10_000_000)
    scale, table = Scale(int(n_rows), options.quick), Table(judged=not options.quick)
    warnings.simplefilter("ignore", bam.AmplificationWarning)
    table.text(f"Python {platform.python_version()}, {os.cpu_count()} processors")
    for name in options.only or SECTIONS:
        table.text(f"\n{name}: {(SECTIONS[name].__doc__ or '').strip()}")
        try:
            SECTIONS[name](table, scale)
        except Exception as error:
            # An error in one section should not lose the lines of the others.
            traceback.print_exc()
            table.check(f"section {name} ran", False, f"{type(error).__name__}: {error}")
    table.summary()
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
