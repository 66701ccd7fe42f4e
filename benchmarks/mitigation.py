"""Thresholds of each group: one sort of the scores, against OxonFair where it is installed."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import biasamp_adapters as bam
from benchmarks.measure import side_by_side
from benchmarks.table import Scale, Table, seconds

#: Milliseconds of process time that thresholds of eight groups may take.
_MOST = 50


def mitigation(table: Table, scale: Scale) -> None:
    """The time to set the thresholds of crossed groups, and of two groups beside OxonFair."""
    rng = np.random.default_rng(0)
    n_rows = scale.of(100_000)
    score = rng.random(n_rows)
    truth = (rng.random(n_rows) < score).astype(int)
    groups = pd.DataFrame(
        {"race": rng.choice([*"abcd"], n_rows), "sex": rng.choice([*"fm"], n_rows)}
    )
    for tolerance in (0.0, 0.02):
        found = []
        for _ in range(5):
            start = time.process_time()
            bam.group_thresholds(truth, score, sensitive_features=groups, tolerance=tolerance)
            found.append(time.process_time() - start)
        what = f"thresholds of 8 crossed groups, n = {n_rows:.0e}, tolerance {tolerance:g}"
        table.ratio(what, 1000 * min(found), f"<= {_MOST}", "", " ms")
    _beside_oxonfair(table, score[:5000], truth[:5000], groups["sex"].to_numpy()[:5000])


def _beside_oxonfair(table: Table, score: Any, truth: Any, group: Any) -> None:
    try:
        import oxonfair
    except ImportError as error:
        table.text(f"  OxonFair is skipped: {error}")
        return
    data = {"target": truth, "groups": group, "data": np.c_[1 - score, score]}
    metrics = oxonfair.group_metrics

    def theirs() -> None:
        fair = oxonfair.FairPredictor(None, data)
        fair.fit(metrics.accuracy, metrics.bias_amplification.average, 0.01)

    ours = partial(bam.group_thresholds, truth, score, sensitive_features=group, tolerance=0.01)
    mine, other = side_by_side(ours, theirs, times=5)
    table.ratio(
        "OxonFair / thresholds of 2 groups, n = 5e+03", other / mine, "", seconds(other, mine)
    )
