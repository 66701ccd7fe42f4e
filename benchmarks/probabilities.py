"""Distinct probabilities: counted, audited, and compared with their means in plain numpy."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import biasamp_adapters as bam
from benchmarks.measure import peak_megabytes
from benchmarks.table import Scale, Table


def probabilities(table: Table, scale: Scale) -> None:
    """Processor time and memory of one probability per row, with the default 2,000 replicates."""
    n_rows = scale.of(1_000_000)
    rng = np.random.default_rng(0)
    truth, group = rng.integers(0, 2, (2, n_rows))
    # Models are surer of the rows they are right about; scores of one group are higher.
    chance = np.clip(0.6 * rng.random(n_rows) + 0.3 * truth + 0.1 * group, 0, 1)
    count = partial(bam.JointCounts.from_arrays, truth, chance, group)
    audit = partial(bam.audit, truth, chance, sensitive_features=group)
    size = f"distinct probabilities, n = {n_rows:.0e}"
    table.ratio(f"counting {size}", _process_seconds(count), "<= 10", "", unit="s")
    table.ratio(f"default audit of {size}", _process_seconds(audit), "<= 15", "", unit="s")
    table.ratio("extra memory of that audit", peak_megabytes(audit), "<= 200", "", unit="MB")
    metric = bam.DirectionalBiasAmplification(pos_label=1)
    found = metric.from_counts(count()).value
    table.close("BA-> A->T equals means of the rows", found, _by_rows(truth, chance, group))


def _process_seconds(work: Callable[[], Any]) -> float:
    """Processor time of one call, which the load of the machine hardly changes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _by_rows(truth: Any, chance: Any, group: Any) -> float:
    """BA-> A->T of the positive class, over two groups."""
    change = [(chance - truth)[group == one].mean() for one in (0, 1)]
    rate = [truth[group == one].mean() for one in (0, 1)]
    sign = np.sign(rate[1] - rate[0])
    return float(sign * (change[1] - change[0]) / 2)
