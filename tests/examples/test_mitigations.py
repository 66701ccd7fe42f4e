"""Mitigations on COMPAS: what is left of the amplification, and what it costs."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from documented import STUDIES

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")


@pytest.fixture(scope="module")
def documented() -> pd.DataFrame:
    """The committed table."""
    text = (STUDIES / "mitigations_methods.csv").read_text(encoding="utf-8")
    return pd.read_csv(io.StringIO(text)).set_index("method")


def test_each_row_is_in_one_part_of_a_split(example: Any, shared_data: Path) -> None:
    rows = example.compas(shared_data)
    split = example.Split.of(rows, 0)
    sizes = [len(part.label) for part in split]
    assert [round(size / 5278, 2) for size in sizes] == [0.4, 0.3, 0.3]
    assert not set(split.valid.label.index) & set(split.test.label.index)
    assert np.sum([part.label.sum() for part in split]) == rows.label.sum()


@pytest.mark.parametrize("name", ["none", "one threshold", "threshold per group, 0"])
def test_the_table_is_what_thresholds_give(
    name: str, example: Any, shared_data: Path, documented: pd.DataFrame
) -> None:
    found = example.measured(example.compas(shared_data), example.methods()[name])
    assert found == pytest.approx(documented.loc[name].to_dict(), abs=1e-4)


def test_thresholds_per_group_undo_most_for_little(documented: pd.DataFrame) -> None:
    none, ours = documented.loc["none"], documented.loc["threshold per group, 0"]
    assert ours["mean size of BA"] < 0.3 * none["mean size of BA"]
    assert ours["accuracy"] > none["accuracy"] - 0.01


def test_a_tolerance_costs_amplification_and_buys_accuracy(documented: pd.DataFrame) -> None:
    """The frontier is monotone, but for the noise of twelve splits of 1,584 people."""
    path = documented[documented.index.str.startswith("threshold per group")]
    noise = np.sqrt(0.25 / 1584 / 12)
    assert (path["accuracy"].diff().dropna() > -noise).all()
    assert (path["mean size of BA"].diff().dropna() > -noise).all()
    assert path["mean size of BA"].iloc[-1] > 2 * path["mean size of BA"].iloc[0]


def test_zero_amplification_needs_no_attribute_to_predict(documented: pd.DataFrame) -> None:
    none, ours = documented.loc["none"], documented.loc["ExponentiatedGradient, zero amplification"]
    assert ours["mean size of BA"] < 0.02
    assert ours["accuracy"] > none["accuracy"] - 0.05


def test_parity_turns_amplification_around(documented: pd.DataFrame) -> None:
    for name in ("ThresholdOptimizer, parity", "ExponentiatedGradient, parity"):
        assert documented.loc[name, "BA A->T"] < -documented.loc["none", "BA A->T"]


def test_a_reduction_and_a_threshold_optimizer_of_two_splits(
    example: Any, shared_data: Path
) -> None:
    rows, methods = example.compas(shared_data), example.methods()
    values = {
        name: example.measured(rows, methods[name], seeds=2)
        for name in (
            "none",
            "ThresholdOptimizer, parity",
            "ExponentiatedGradient, zero amplification",
        )
    }
    none, parity, zero = values.values()
    assert parity["BA A->T"] < 0 < none["BA A->T"]
    assert zero["mean size of BA"] < none["mean size of BA"] / 2
