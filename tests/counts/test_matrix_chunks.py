"""However the rows are cut, their counts are exact, and memory does not grow with them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from good_matrices import (
    GROUP,
    INDICATORS,
    NAN,
    PREDICTION,
    TRUE,
    TRUTH,
    count,
    joint,
)
from scipy import sparse

from biasamp_adapters import CooccurrenceCounts, Indicators
from biasamp_adapters.counts import counting

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"sample_weight": [0.5, 2, 0, 1, 3, 0.25]},
    "label sets": {"label_sets": "observed"},
    "rows": {"keep_rows": True, "label_sets": [[0, 2], [1]]},
    "probabilities": {"y_pred": np.array(PREDICTION) / 4},
    "groups": {"sensitive_features": Indicators(INDICATORS)},
    "abstentions": {"y_pred": [*PREDICTION[:5], [NAN] * 3], "missing": "abstain"},
    "dropped": {"y_pred": [[NAN] * 3, *PREDICTION[1:]], "missing": "drop"},
}


@pytest.mark.parametrize("chunk", [(2**20, 5), (1, 2**14), (2**20, 2)], ids=str)
@pytest.mark.parametrize("kind", OPTIONS)
def test_rows_in_chunks(kind: str, chunk: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = count(**OPTIONS[kind])
    for name, size in zip(("_CHUNK", "_CHUNK_ROWS"), chunk, strict=True):
        monkeypatch.setattr(counting, name, size)
    assert count(**OPTIONS[kind]) == whole


N_ROWS = 3 * 2**14 + 5


@pytest.mark.parametrize("keep_rows", [False, True])
@pytest.mark.parametrize(
    "make", [np.array, pd.DataFrame, sparse.csr_array], ids=["numpy", "pandas", "csr"]
)
def test_more_rows_than_a_chunk(make: Any, keep_rows: bool) -> None:
    times = N_ROWS // 6
    rows = {name: np.tile(rows, (times, 1)) for name, rows in (("t", TRUTH), ("p", PREDICTION))}
    counts = count(
        y_true=make(rows["t"]),
        y_pred=make(rows["p"]),
        sensitive_features=GROUP * times,
        keep_rows=keep_rows,
    )
    assert counts.n_rows == 6 * times
    np.testing.assert_array_equal(counts.moments["n"], times * count().moments["n"])
    if keep_rows:
        assert counts.rows is not None
        # The six rows are distinct, and each is kept once.
        assert counts.rows.n.tolist() == [times] * 6


@pytest.mark.parametrize("position", [0, 2**14 - 1, 2**14, -1])
def test_each_row_is_read_once(position: int) -> None:
    rows = np.zeros((N_ROWS, 2), dtype=np.int8)
    rows[position] = 1, 0
    groups = np.zeros(N_ROWS, dtype=int)
    groups[position] = 1
    counts = CooccurrenceCounts.from_arrays(rows, rows, groups)
    assert joint(counts, "attribute", "task") == [[0, 0], [1, 0]]
    assert counts.tables().marginal("attribute").tolist() == [N_ROWS - 1, 1]


def test_sums_past_the_whole_numbers_of_float32() -> None:
    # 2^24 + 1 is the first whole number that a float32 cannot hold.
    n_rows = 2**24 + 1
    rows = np.ones((n_rows, 1), dtype=np.int8)
    counts = CooccurrenceCounts.from_arrays(rows, rows)
    assert int(np.float32(n_rows)) != n_rows
    assert counts.n_rows == n_rows
    assert counts.tables().marginal("task").tolist() == [n_rows]
    assert counts.tables().agreement("task").tolist() == [n_rows]


@pytest.mark.parametrize("keep_rows", [False, True])
def test_counts_added_to_themselves_stay_exact(keep_rows: bool) -> None:
    one = counts = count(keep_rows=keep_rows, label_sets=[[0, 2]])
    for _ in range(40):
        counts = counts + counts
    # An odd multiple, of which every bit matters.
    counts = counts + one
    times = 2**40 + 1
    assert counts.n_rows == 6 * times
    assert joint(counts, "attribute", "task") == [[n * times for n in row] for row in TRUE]
    # Only row 0 holds tasks 0 and 2.
    assert counts.tables().marginal("task_sets").tolist() == [times]
    if keep_rows:
        assert counts.observed_sets()[0, 2] == times


def _data(n_rows: int, n_tasks: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    tasks = [(rng.random((n_rows, n_tasks)) < 0.1).astype(np.int8) for _ in range(2)]
    groups = rng.integers(0, 2, n_rows)
    return {"y_true": tasks[0], "y_pred": tasks[1], "sensitive_features": groups}


def _weighted(rows: dict[str, Any]) -> dict[str, Any]:
    return rows | {"sample_weight": np.linspace(0, 1, len(rows["y_true"]))}


def _soft(rows: dict[str, Any]) -> dict[str, Any]:
    return rows | {"y_pred": rows["y_pred"] * 0.5}


def _dropped(rows: dict[str, Any]) -> dict[str, Any]:
    soft = rows["y_pred"] * 0.5
    soft[::7] = NAN
    return rows | {"y_pred": soft, "missing": "drop"}


def _probability_vector(rows: dict[str, Any]) -> dict[str, Any]:
    # Memory grows with the distinct probabilities of a vector, as in joint counts.
    p = np.linspace(0, 1, len(rows["y_true"])).round(3)
    group = Indicators(rows["y_true"][:, :2])
    return {"y_true": rows["y_true"][:, 0], "y_pred": p, "sensitive_features": group}


KINDS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "plain": lambda rows: rows,
    "predicted groups": lambda rows: rows | {"sensitive_features_pred": rows["sensitive_features"]},
    "weights": _weighted,
    "label sets": lambda rows: rows | {"label_sets": [[i, i + 1] for i in range(30)]},
    "pandas": lambda rows: rows | {"y_true": pd.DataFrame(rows["y_true"])},
    "csr": lambda rows: rows | {"y_pred": sparse.csr_array(rows["y_pred"])},
    "probabilities": _soft,
    "dropped": _dropped,
    "a vector of probabilities": _probability_vector,
}


@pytest.mark.parametrize("kind", KINDS)
def test_memory_does_not_grow_with_the_rows(kind: str) -> None:
    rows = KINDS[kind](_data(300_000, 40))
    # The two matrices alone take 24 MB.
    tracemalloc.start()
    try:
        CooccurrenceCounts.from_arrays(**rows)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 12_000_000
