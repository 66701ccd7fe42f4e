"""[W21] Fig. 4, on COMPAS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from documented import assert_documented


@pytest.fixture(scope="module")
def tables(example: Any, shared_data: Path) -> dict[str, pd.DataFrame]:
    """Models and ratios, over five runs."""
    found: dict[str, pd.DataFrame] = example.find(shared_data)
    return found


def overlap(rows: pd.DataFrame) -> bool:
    """Whether all intervals share a point."""
    return bool(rows["low"].max() < rows["high"].min())


def test_runs_do_not_tell_models_apart_but_ratios(tables: dict[str, pd.DataFrame]) -> None:
    models = tables["models"].groupby("measure")
    assert not overlap(models.get_group("average precision"))
    assert overlap(models.get_group("FPR difference"))
    assert overlap(models.get_group("BA A->T"))
    ratios = tables["ratios"].query("measure == 'BA A->T'").set_index("ratio")
    # 0 by construction in every run, so that there is no interval.
    assert ratios.loc[1.0, "mean"] == 0
    assert ratios.loc[1.0, ["low", "high"]].isna().all()
    assert ratios.loc[1.5, "high"] < ratios.loc[2.0, "low"]
    assert ratios.loc[2.0, "high"] < ratios.loc[3.0, "low"]
    # Balanced training hides from BA what it does not hide from the FPR difference.
    fpr = tables["ratios"].query("measure == 'FPR difference' and ratio == 1").iloc[0]
    assert fpr["high"] < 0


def test_tables_are_documented(tables: dict[str, pd.DataFrame]) -> None:
    assert_documented("runs_and_ratios", tables)


def test_a_ratio_keeps_the_size_of_groups(example: Any, shared_data: Path) -> None:
    train, _ = example.halves(shared_data, 0)
    for ratio in (1.0, 3.0):
        kept = example.at_ratio(train, ratio, 0)
        counts = kept.groupby(["race", "task"]).size().unstack()
        assert counts.sum(axis=1).nunique() == 1
        ratios = [counts.loc["African-American", 1] / counts.loc["African-American", 0],
                  counts.loc["Caucasian", 0] / counts.loc["Caucasian", 1]]  # fmt: skip
        assert ratios == pytest.approx([ratio, ratio], rel=0.02)
