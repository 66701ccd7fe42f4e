"""Default audits of many tasks, whose rows have about as many label sets, and of many classes."""

from __future__ import annotations

import sys
import time
import warnings
from typing import NamedTuple

import numpy as np

import biasamp_adapters as bam
from benchmarks.measure import run_process
from benchmarks.table import Scale, Table


class Case(NamedTuple):
    """Independent tasks: how many, the share of ones, and the share of predictions that err."""

    rows: int
    tasks: int
    groups: int
    ones: float
    errors: float


#: Seconds of process time that an audit may take. The second one has the size of COCO.
_MOST = 15
_CASES = (Case(20_000, 66, 6, 0.2, 0.1), Case(40_000, 80, 2, 0.04, 0.02))

#: Rows of labels, and as many groups as classes; megabytes that the whole process may take.
_ROWS, _LABELS, _MEMORY = 1_000_000, 500, 500


def many_tasks(table: Table, scale: Scale) -> None:
    """Process time of a default audit, with all metrics and 1,000 replicates."""
    rng = np.random.default_rng(0)
    for case in _CASES:
        shape = scale.of(case.rows), case.tasks
        truth = (rng.random(shape) < case.ones).astype(int)
        predicted = np.where(rng.random(shape) < case.errors, 1 - truth, truth)
        group = rng.integers(0, case.groups, shape[0])
        start = time.process_time()
        bam.audit(truth, predicted, sensitive_features=group)
        what = f"audit of {shape[0]:,} rows, {case.tasks} tasks, {case.groups} groups"
        table.ratio(what, time.process_time() - start, f"<= {_MOST}", "", " s")


def many_classes(table: Table, scale: Scale) -> None:
    """Process time and peak memory of a default audit, in a process of its own."""
    n_rows, n_labels = scale.of(_ROWS), _LABELS // 5 if scale.quick else _LABELS
    process = run_process([sys.executable, "-m", __name__, str(n_rows), str(n_labels)])
    what = f"audit of {n_rows:,} rows, {n_labels} classes, {n_labels} groups"
    table.ratio(what, float(process.output), f"<= {_MOST}", "", " s")
    table.ratio("    memory of its process", process.megabytes, f"<= {_MEMORY}", "", "MB")


def _audit_classes(n_rows: int, n_labels: int) -> float:
    """Seconds of process time of an audit of predictions that are right in four of five rows."""
    rng = np.random.default_rng(0)
    truth, other, group = rng.integers(0, n_labels, (3, n_rows))
    predicted = np.where(rng.random(n_rows) < 0.8, truth, other)
    start = time.process_time()
    bam.audit(truth, predicted, sensitive_features=group)
    return time.process_time() - start


if __name__ == "__main__":
    warnings.simplefilter("ignore", bam.AmplificationWarning)
    sys.stdout.write(f"{_audit_classes(*map(int, sys.argv[1:]))}")
