"""Label matrices of any kind: BA-> against bare products by BLAS, and kinds against each other."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

import biasamp_adapters as bam
from benchmarks.data import TASKS, images
from benchmarks.measure import processor_time
from benchmarks.table import Scale, Table, seconds

_ROWS = 100_000

#: The kinds of matrices, and for some another kind with the most that they may take of its time.
_KINDS: dict[str, tuple[Any, str, str]] = {
    "int8": (np.asarray, "", ""),
    "int64": (lambda values: values.astype(np.int64), "int8", ""),
    "uint8": (lambda values: values.astype(np.uint8), "int8", "<= 1.2"),
    "boolean": (lambda values: values.astype(bool), "int8", "<= 1.2"),
    "float32": (lambda values: values.astype(np.float32), "int64", "<= 1.2"),
    "float64": (lambda values: values.astype(np.float64), "int64", "<= 1.2"),
    "scipy csr": (csr_array, "int8", "<= 3"),
    "frame of int64": (lambda values: pd.DataFrame(values.astype(np.int64)), "int8", "<= 4"),
    "frame of booleans": (lambda values: pd.DataFrame(values.astype(bool)), "int8", "<= 4"),
    "frame of both": (
        lambda values: pd.DataFrame(values.astype(np.int64)).astype({0: bool}),
        "int8",
        "<= 4",
    ),
}


def three_lines(truth: Any, predicted: Any, group: Any) -> float:
    """BA A->T with the products of BLAS, without any check."""
    groups = np.stack([1 - group, group]).astype(np.float32)
    rows, true, made = groups.sum(axis=1), groups @ truth, groups @ predicted
    sign = np.sign(true * rows.sum() - np.outer(rows, true.sum(axis=0)))
    return float((sign * (made - true) / rows[:, None]).mean())


def products(table: Table, scale: Scale) -> None:
    """BA-> of a label matrix against three lines of BLAS, in process time."""
    truth, predicted, group, _ = images(scale.of(_ROWS))
    metrics = [bam.DirectionalBiasAmplification(), bam.MALS()]
    floats = [values.astype(np.float32) for values in (truth, predicted)]

    def cast_first() -> float:
        return three_lines(truth.astype(np.float32), predicted.astype(np.float32), group)

    works = [partial(metric, truth, predicted, sensitive_features=group) for metric in metrics]
    # Sums of 1e5 rows are exact in float32, but not their quotients.
    table.close("three lines give the same", works[0](), cast_first(), within=1e-6)
    *ours, cast, ready = processor_time(*works, cast_first, partial(three_lines, *floats, group))
    for metric, mine in zip(metrics, ours, strict=True):
        what = f"three lines of BLAS / {type(metric).__name__}, {len(group):,} x {TASKS}"
        table.ratio(what, cast / mine, ">= 1", seconds(cast, mine))
        table.ratio("  the same of floats that are there", ready / mine, "", seconds(ready, mine))


def kinds(table: Table, scale: Scale) -> None:
    """BA-> of the same label matrix in any kind of array or table, in process time."""
    truth, predicted, group, _ = images(scale.of(_ROWS))
    metric = bam.DirectionalBiasAmplification()
    works = {
        kind: partial(metric, form(truth), form(predicted), sensitive_features=group)
        for kind, (form, _, _) in _KINDS.items()
    }
    values = {work() for work in works.values()}
    table.check("all kinds give the same value", len(values) == 1)
    taken = dict(zip(works, processor_time(*works.values(), times=9), strict=True))
    for kind, (_, other, goal) in _KINDS.items():
        if other:
            what = f"{kind} / {other}, {len(group):,} x {TASKS}"
            mine, theirs = taken[kind], taken[other]
            table.ratio(what, mine / theirs, goal, seconds(mine, theirs))
