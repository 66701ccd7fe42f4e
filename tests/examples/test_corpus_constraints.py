"""Constraints on a corpus of predictions: what they hold, and what they cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from documented import assert_documented


def test_coco(example: Any, shared_data: Path) -> None:
    tables = example.find(shared_data)
    assert_documented("corpus_constraints", tables)
    table = tables["margins"]
    before, after = table.loc["none"], table.loc["0"]
    assert after["mean change of shares"] < 0.1 * before["mean change of shares"]
    assert after["F1 of objects"] > before["F1 of objects"] - 0.004
    # MALS reads shares of genders; the rates of objects, which BA A->T reads, hardly move.
    assert after["BA A->T"] == pytest.approx(before["BA A->T"], abs=0.002)
    thresholds = table.loc["thresholds by gender"]
    assert abs(thresholds["BA A->T"]) < 0.1 * before["BA A->T"]
    assert thresholds["F1 of objects"] > before["F1 of objects"] - 0.01


def test_wide_margins_change_nothing(example: Any) -> None:
    rng = np.random.default_rng(0)
    scores = example.Scores(rng.normal(size=50), rng.normal(size=(50, 3)))
    free = example.unconstrained(scores)
    held = example.constrained(scores, free.shares, 1.0)
    assert np.array_equal(held.objects, free.objects)
    assert np.array_equal(held.man, free.man)


def test_a_price_moves_one_object(example: Any) -> None:
    """Eight of ten images of the object are predicted with a man; half of them should be."""
    scores = example.Scores(
        np.array([2.0] * 7 + [0.1] + [-2.0] * 2), np.array([[1.0], [0.9], [0.8]] * 3 + [[0.5]])
    )
    shares = np.array([0.5])
    assert example.unconstrained(scores).shares == pytest.approx([0.8])
    assert abs(example.constrained(scores, shares, 0.05).shares - shares).item() <= 0.2
