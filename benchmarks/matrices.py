"""Label matrices: one product for all pairs, against the formula pair by pair."""

from __future__ import annotations

import time
import tracemalloc
from functools import partial
from typing import Any

import numpy as np

import biasamp_adapters as bam
from benchmarks.measure import line, median

TASKS = 66


def images(n_rows: int) -> tuple[Any, ...]:
    """Truth and predictions of 66 tasks, attribute and predicted attribute, all 0 or 1."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, n_rows)
    guess = np.where(rng.random(n_rows) < 0.1, 1 - group, group)
    chance = rng.uniform(0.01, 0.1, (2, TASKS))[group]
    truth = (rng.random((n_rows, TASKS)) < chance).astype(np.int64)
    wrong = rng.random((n_rows, TASKS)) < 0.02
    return truth, np.where(wrong, 1 - truth, truth), group, guess


def pair_by_pair(truth: Any, predicted: Any, group: Any, guess: Any) -> tuple[float, float]:
    """BA-> of both directions as [W21] Eq. 2 is written: every pair and direction by itself."""
    values = []
    for given_group in (True, False):
        contributions = []
        for a in (0, 1):
            for t in range(TASKS):
                of_group, of_task = group == a, truth[:, t] == 1
                y = np.mean(of_group & of_task) - np.mean(of_group) * np.mean(of_task)
                if given_group:
                    made = np.sum((predicted[:, t] == 1) & of_group) / np.sum(of_group)
                    true = np.sum(of_task & of_group) / np.sum(of_group)
                else:
                    made = np.sum((guess == a) & of_task) / np.sum(of_task)
                    true = np.sum(of_group & of_task) / np.sum(of_task)
                contributions.append(np.sign(round(y, 15)) * (made - true))
        values.append(float(np.mean(contributions)))
    return values[0], values[1]


def one_product(truth: Any, predicted: Any, group: Any, guess: Any) -> tuple[float, float]:
    """The same from counts."""
    counts = bam.CooccurrenceCounts.from_arrays(truth, predicted, group, guess)
    metrics = [bam.DirectionalBiasAmplification(direction=each) for each in ("A->T", "T->A")]
    first, second = (metric.from_counts(counts).value for metric in metrics)
    return first, second


def matrices() -> None:
    """BA-> of 66 tasks in both directions, its memory, and its bootstrap."""
    for n_rows, goal in ((10_000, 30), (1_000_000, 60)):
        data = images(n_rows)
        gaps = np.subtract(one_product(*data), pair_by_pair(*data))
        if np.abs(gaps).max() > 1e-12:
            raise RuntimeError(f"the values differ by {gaps}")
        ours = median(partial(one_product, *data), 5 if n_rows < 1e5 else 3)
        theirs = median(partial(pair_by_pair, *data), 3 if n_rows < 1e5 else 1)
        what = f"BA-> pair by pair / by counts, 66 tasks, n = {n_rows:.0e}"
        line(what, theirs / ours, f">= {goal} of released code", f"{ours:.4f} s")
    tracemalloc.start()
    one_product(*data)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    line("extra memory while counting a matrix, MB", peak, "<= 10", "")
    data = images(10_000)
    metric = bam.DirectionalBiasAmplification()
    start = time.perf_counter()
    metric.result(*data[:2], sensitive_features=data[2], n_boot=1_000)
    drawn = (time.perf_counter() - start) / 1_000
    once = median(lambda: pair_by_pair(*data), 3)
    line("a replicate by masks / by products, n = 1e4", once / drawn, "", f"{drawn:.2e} s")
