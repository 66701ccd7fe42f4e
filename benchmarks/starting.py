"""The time of the import, relative to that of the light dependencies."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from benchmarks.measure import side_by_side
from benchmarks.table import Scale, Table, seconds

_STATEMENTS = (
    "import biasamp_adapters",
    "from biasamp_adapters import JointCounts, MALS, audit",
    "import numpy, pandas, narwhals",
)


def importing(table: Table, scale: Scale) -> None:
    """The package's import, alone and with what an audit needs, in new processes."""
    works = [
        partial(subprocess.run, [sys.executable, "-c", statement], check=True)
        for statement in _STATEMENTS
    ]
    alone, used, light = side_by_side(*works, times=3 if scale.quick else 11)
    what = "import biasamp_adapters / import numpy, pandas, narwhals"
    table.ratio(what, alone / light, "<= 1.2", seconds(alone, light))
    what = "  the same, with JointCounts, MALS and audit"
    table.ratio(what, used / light, "", seconds(used, light))
