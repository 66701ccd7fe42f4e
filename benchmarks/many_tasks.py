"""Default audits of label matrices with many tasks, whose rows have about as many label sets."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

import biasamp_adapters as bam
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
