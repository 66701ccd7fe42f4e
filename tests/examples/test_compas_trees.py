"""[T25] Appendix E, with trees of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from documented import assert_documented


def test_trees_of_our_own(example: Any, shared_data: Path) -> None:
    tables = example.find(shared_data)
    assert_documented("compas_trees", tables)
    table = tables["metrics"].set_index(["set", "direction", "metric"])
    ours = table["ours"]
    # The worked values of this project (docs/user_guide/metrics.rst).
    assert ours["unbalanced", "A->T", "DPA"] == pytest.approx(0.0218, abs=5e-5)
    assert ours["unbalanced", "T->A", "DPA"] == pytest.approx(0.0478, abs=5e-5)
    assert ours["unbalanced", "A->T", "BA"] == pytest.approx(0.0233, abs=5e-5)
    # 874 of each pair are balanced: every sign is a tie, in every draw.
    for direction in ("A->T", "T->A"):
        row = table.loc[("balanced", direction, "BA")]
        assert row["ours"] == 0
        assert row[["low", "high"]].isna().all()
    # Two values agree with the paper within their intervals, both A->T of the balanced set.
    agrees = (table["low"] < table["Table 7"]) & (table["Table 7"] < table["high"])
    assert table.index[agrees].tolist() == [
        ("balanced", "A->T", "Multi"),
        ("balanced", "A->T", "DPA of hard guesses"),
    ]


def test_the_set_is_that_of_table_6(example: Any, shared_data: Path) -> None:
    counts = example.find(shared_data)["counts"]
    assert counts["unbalanced"].tolist() == [1229, 1402, 874, 1773]
    assert counts["balanced"].tolist() == [874] * 4
