"""Lines of text: as wide as asked for, and no word or number is broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from biasamp_adapters.auditing.layout import GridColumn, fitted, grid, wrapped

WORDS = st.text("abc12\u00e9\u6f22\u2212+.", min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("model", 5, "model"),
        ("high_progression", 10, "high_p\u2026ion"),
        # Characters that take two columns.
        ("\u6f22\u5b57\u6f22\u5b57", 5, "\u6f22\u2026"),
        ("\u6f22\u5b57\u6f22\u5b57", 7, "\u6f22\u5b57\u2026\u5b57"),
    ],
)
def test_what_is_too_long_lacks_its_middle(text: str, width: int, shown: str) -> None:
    assert fitted(text, width) == shown


@given(WORDS, st.integers(1, 70))
def test_shortened_text_has_its_width(text: str, width: int) -> None:
    shown = fitted(text, width)
    assert cell_len(shown) <= width
    assert shown == text or cell_len(text) > width


@given(st.lists(WORDS, min_size=1), st.integers(10, 80))
def test_sentences_break_at_spaces(words: list[str], width: int) -> None:
    lines = wrapped([(" ".join(words), "bold")], width, "  ")
    assert max(line.cell_len for line in lines) <= width
    shown = " ".join(line.plain for line in lines).split()
    assert shown == [fitted(word, width - 2) for word in words]


def test_columns_without_room_continue_below_with_the_first_again() -> None:
    columns = [
        GridColumn("group", ["a", "b"], False),
        GridColumn("rate", ["12.5%", "3%"], True),
        GridColumn("change", ["+1.5 (\u22122 to +5)", "0"], True),
    ]
    lines = [line.plain for line in grid(columns, 24)]
    assert lines == [
        "group   rate",
        "a      12.5%",
        "b         3%",
        "",
        f"group{'change':>17}",
        "a      +1.5 (\u22122 to +5)",
        f"b{'0':>21}",
    ]
    assert [line.plain for line in grid(columns, 40)][1] == "a      12.5%  +1.5 (\u22122 to +5)"


def test_text_wraps_within_its_column() -> None:
    columns = [
        GridColumn("what", ["leave"], False),
        GridColumn("because", ["a mean over pairs hides that some are amplified"], False),
    ]
    lines = [line.plain for line in grid(columns, 30)]
    assert lines[1:] == ["leave  a mean over pairs hides", "       that some are amplified"]


@given(
    st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=6),
    # Two numbers with their intervals, and the space between them, take 42.
    st.integers(42, 100),
)
def test_a_table_is_as_wide_as_asked_for(cells: list[tuple[str, bool]], width: int) -> None:
    columns = [
        GridColumn(f"column {i}", ["+9.1 (+6.3 to +11.7)" if number else text], number)
        for i, (text, number) in enumerate(cells)
    ]
    lines = grid(columns, width)
    assert max(line.cell_len for line in lines) <= width
    shown = "\n".join(line.plain for line in lines)
    assert shown.count("+9.1 (+6.3 to +11.7)") >= sum(number for _, number in cells)
