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
from biasamp_adapters.auditing.findings import default_metrics
from biasamp_adapters.inference.replicates import replicate
from biasamp_adapters.reference import align


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

#: Seconds that it may take without replicates, and milliseconds that all metrics of one may take.
_FIXED, _EACH = 6, 50

#: Replicates that are timed by themselves.
_REPLICATES = 40


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
    command = [sys.executable, "-m", __name__, str(n_rows), str(n_labels)]
    fixed = float(run_process([*command, "0"]).output)
    table.ratio("audit without replicates", fixed, f"<= {_FIXED}", "", " s")
    table.ratio("metrics of a replicate", _replicate(n_rows, n_labels), f"<= {_EACH}", "", "ms")
    process = run_process(command)
    what = f"audit of {n_rows:,} rows, {n_labels} classes, {n_labels} groups"
    table.ratio(what, float(process.output), f"<= {_MOST}", "", " s")
    table.ratio("    memory of its process", process.megabytes, f"<= {_MEMORY}", "", "MB")


def _classes(n_rows: int, n_labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, predictions that are right in four of five rows, and groups."""
    rng = np.random.default_rng(0)
    truth, other, group = rng.integers(0, n_labels, (3, n_rows))
    return truth, np.where(rng.random(n_rows) < 0.8, truth, other), group


def _replicate(n_rows: int, n_labels: int) -> float:
    """Milliseconds of process time that the metrics of a default audit take for a replicate."""
    evaluation = align(bam.JointCounts.from_arrays(*_classes(n_rows, n_labels)), None)
    model = evaluation.counts.first_model
    metrics = default_metrics(evaluation, model, None)
    measured = {metric.__name__: metric.measure(evaluation, model) for metric in metrics}
    start = time.process_time()
    replicate(measured, evaluation, _REPLICATES, 0)
    return 1000 * (time.process_time() - start) / _REPLICATES


def _audit_classes(n_rows: int, n_labels: int, n_boot: int | None = None) -> float:
    """Seconds of process time of an audit."""
    replicates = {} if n_boot is None else {"n_boot": n_boot}
    truth, predicted, group = _classes(n_rows, n_labels)
    start = time.process_time()
    bam.audit(truth, predicted, sensitive_features=group, **replicates)
    return time.process_time() - start


if __name__ == "__main__":
    warnings.simplefilter("ignore", bam.AmplificationWarning)
    sys.stdout.write(f"{_audit_classes(*map(int, sys.argv[1:]))}")
