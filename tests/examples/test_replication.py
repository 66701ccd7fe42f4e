"""The tables of docs/replication.md are those that the script makes; verdicts follow rules."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from biasamp_adapters.datasets import load_published

PAGE = Path(__file__).resolve().parents[2] / "docs" / "replication.md"


def test_the_page_is_up_to_date(example: Any) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert example.filled(text) == text, (
        "python examples/replication.py --write docs/replication.md"
    )


def test_every_published_table_has_its_place(example: Any) -> None:
    # The jobs are what [W21] Table 2 is compared by.
    tables = sorted({*example.TABLES, "w21_jobs"})
    with pytest.raises(ValueError, match=re.escape(f"name must be one of {tables};")):
        load_published("another")


@pytest.mark.parametrize(("direction", "expected"), [("T->A", 0.1368 + 0.1254), ("A->T", 0.0173)])
def test_the_labor_force_is_as_far_from_even_rates_as_printed(
    example: Any, direction: str, expected: float
) -> None:
    # .0084 + .0089 = .0173; [W20] has .1875 + .0747 and .0156 + .0017, the same.
    assert example.labor_force_shift(direction) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("printed", "decimals", "half_width", "ours", "expected"),
    [
        (0.078, 3, 0.031, 0.0784, "exact"),
        (0.078, 3, 0.031, 0.0786, "within interval"),
        (0.078, 3, 0.0, 0.0786, "differs"),
        (0.061, 3, 0.008, 0.0106, "differs"),
    ],
)
def test_verdicts(
    example: Any, printed: float, decimals: int, half_width: float, ours: float, expected: str
) -> None:
    assert example.verdict(printed, decimals, half_width, ours) == expected


def test_a_page_without_a_mark_is_refused(example: Any) -> None:
    with pytest.raises(ValueError, match="marks of w21_shortcomings once"):
        example.filled("nothing")
