"""Rows of different weights are kept apart as long as that makes a small table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from conftest import ENGINES

from biasamp_adapters import AmplificationWarning, JointCounts, LeakageAmplification, audit_counts
from biasamp_adapters.counts.probabilities import MOST_CELLS


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """A row more than may be kept apart, each with a weight of its own."""
    rng = np.random.default_rng(0)
    n_rows = MOST_CELLS + 1
    frame = pd.DataFrame(rng.integers(0, 2, (n_rows, 3)), columns=["T", "P", "A"])
    return frame.assign(w=1 + np.arange(n_rows) / 1024)


COLUMNS = {"task": "T", "prediction": "P", "attribute": "A", "weight": "w"}


@pytest.mark.parametrize("name", ["pandas", "duckdb"])
def test_too_many_weights_are_summed(rows: pd.DataFrame, name: str) -> None:
    frame = ENGINES[name](rows)
    counts = JointCounts.from_frame(frame, **COLUMNS, by_weight=True)
    assert len(counts.n) == 8
    assert not counts.knows_rows
    assert counts == JointCounts.from_frame(frame, **COLUMNS)
    few = ENGINES[name](rows.iloc[1:])
    assert JointCounts.from_frame(few, **COLUMNS, by_weight=True).knows_rows


@pytest.mark.parametrize("name", ["pandas", "duckdb"])
def test_bad_weights_among_too_many_are_all_counted(rows: pd.DataFrame, name: str) -> None:
    frame = pd.concat([rows, rows.assign(w=-rows["w"])], ignore_index=True)
    with pytest.raises(ValueError, match=rf"not negative; received .* in {len(rows)} row\(s\)"):
        JointCounts.from_frame(ENGINES[name](frame), **COLUMNS, by_weight=True)


def test_what_needs_rows_says_so(rows: pd.DataFrame) -> None:
    counts = JointCounts.from_frame(rows, **COLUMNS, by_weight=True)
    with pytest.warns(AmplificationWarning, match="no interval: its flips need rows"):
        LeakageAmplification(equalize="expected").from_counts(counts, n_boot=50)
    report = audit_counts(counts, n_boot=50)
    assert any("Only sums of weights are left" in note for note in report.summary["notes"])
    by_name = {row["name"]: row for row in report.summary["metrics"]}
    assert by_name["BA A->T"]["low"] is not None
    assert by_name["LA"]["low"] is None


@pytest.mark.parametrize("by_weight", [False, True])
def test_rows_that_weights_are_worth(by_weight: bool) -> None:
    weight = [1, 1, 4, 2]
    counts = JointCounts.from_arrays([0, 0, 1, 1], sample_weight=weight, by_weight=by_weight)
    assert counts.n_rows == 4
    assert counts.effective_rows == (1 + 1 + 4 + 2) ** 2 / (1 + 1 + 16 + 4)
