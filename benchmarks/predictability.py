"""DPA on COMPAS: the closed form against attackers that are trained."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

import biasamp_adapters as bam
from benchmarks.measure import median
from benchmarks.released import compas, trained_dpa
from benchmarks.table import Scale, Table, seconds

#: Calls of the peer whose spread is taken, after a first one that is not timed.
_CALLS = 8


def predictability(table: Table, scale: Scale) -> None:
    """DPA of both directions, 1/cross-entropy: from counts, from rows, and from the peer."""
    try:
        data = compas()
    except FileNotFoundError as error:
        table.text(f"  DPA on COMPAS is skipped: {error}; set BIASAMP_DATA")
        return
    truth, predicted = data["T"].to_numpy(), data["T_pred"].to_numpy()
    group, guess = data["A"].to_numpy(), data["A_pred"].to_numpy()
    counts = bam.JointCounts.from_arrays(truth, predicted, group, guess)
    peers = {"A->T": (group, truth, predicted, "AtoT"), "T->A": (truth, group, guess, "TtoA")}
    for direction, arguments in peers.items():
        metric = bam.DirectionalPredictabilityAmplification(direction=direction)
        value = metric.from_counts(counts).value
        rows = partial(
            metric, truth, predicted, sensitive_features=group, sensitive_features_pred=guess
        )
        table.close(f"DPA {direction} of counts equals that of rows", value, rows())
        by_counts = median(partial(metric.from_counts, counts), 101)
        by_rows = median(rows, 101)
        try:
            theirs, values = _calls(arguments, 3 if scale.quick else _CALLS)
        except ImportError as error:
            table.text(f"  bias-amplification is skipped: {error}")
            table.text(f"    ours: {value:+.4f} in {seconds(by_counts, by_rows)}")
            continue
        mean, spread = np.mean(values), np.std(values, ddof=1)
        detail = f"(ours {value:+.4f}, theirs {mean:+.4f}, sd over calls {spread:.4f})"
        near = abs(value - mean) <= 2 * spread
        table.check(f"DPA {direction} lies within two of their sd", bool(near), detail)
        what = f"DPA {direction} on COMPAS, bias-amplification 0.2.1 / "
        table.ratio(f"{what}counts", theirs / by_counts, ">= 1e4", seconds(theirs, by_counts))
        table.ratio(f"{what}rows", theirs / by_rows, ">= 1e4", seconds(theirs, by_rows))


def _calls(arguments: Any, n_calls: int) -> tuple[float, list[float]]:
    """Median seconds and values of calls of the peer."""
    trained_dpa(*arguments, seed=0)
    taken, values = [], []
    for seed in range(1, 1 + n_calls):
        start = time.perf_counter()
        values.append(trained_dpa(*arguments, seed=seed))
        taken.append(time.perf_counter() - start)
    return float(np.median(taken)), values
