"""Reports as plain text."""

from __future__ import annotations

import re
from io import StringIO

import pytest
import whole_summaries as summaries
from rich.cells import cell_len
from rich.console import Console

from biasamp_adapters.report.compose import compose
from biasamp_adapters.report.document import Cell, Column, Document, Part, Table
from biasamp_adapters.report.terminal import show, to_text

DOCUMENTS = {name: compose(make()) for name, make in summaries.CASES.items()}


def text_of(table, width=80):
    """The lines of one table."""
    part = Part("Heading", tables=[table])
    document = Document("t", [], [], [], [], [], [part])
    lines = to_text(document, full=True, width=width).splitlines()
    return lines[lines.index("Heading") + 1 :]


def test_text_two_groups_draws_rates_and_bars():
    text = to_text(DOCUMENTS["compas"])
    assert (
        """\
group                        0%                     60%       rate
──────────────────────────────────────────────────────────────────
African-American 3,696 rows                       ○──●    51 → 59%
Caucasian 2,454 rows                       ●─○    ┆       39 → 35%
gap in the labels                            ░░░░░░      12 points
gap that the scores imply                     ░░░░░      10 points
gap in the predictions                     ███████████   24 points
with equal error rates                       ░░░          4 points
"""
        in text
    )


def test_text_80_columns_leaves_out_wide_columns():
    text = to_text(DOCUMENTS["compas"])
    assert (
        """\
                                                                        bias
                                        gap,                   amplification
model         verdict      accuracy   points   change, points   (BA), points
────────────────────────────────────────────────────────────────────────────
decile_score  larger gaps     65.1%  12 → 24  +12 (+9 to +15)           +5.9
"""
        in text
    )


def test_text_120_columns_has_strip_interval_and_errors():
    text = to_text(DOCUMENTS["compas"], width=120)
    assert "+4.5 to +7.4" in text
    assert "━●" in text
    assert "FPR" in text


@pytest.mark.parametrize("case", DOCUMENTS)
@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_text_no_line_is_wider_than_the_terminal(case, width):
    lines = to_text(DOCUMENTS[case], full=True, width=width).splitlines()
    assert max(map(cell_len, lines)) <= min(width, 120)


@pytest.mark.parametrize("case", DOCUMENTS)
def test_text_80_columns_loses_no_number(case):
    """Wide and narrow tables hold the same verdicts and gaps."""
    words = to_text(DOCUMENTS[case], width=80).split()
    for table in DOCUMENTS[case].models:
        for row in table.rows:
            for column, cell in zip(table.columns, row, strict=True):
                pieces = [] if column.wide else f"{cell.text} {cell.note}".split()
                assert all(piece in words for piece in pieces)


def test_text_brief_says_where_the_rest_is():
    brief, full = (to_text(DOCUMENTS["compas"], full=full) for full in (False, True))
    assert "All tables and 6 notes: --full, or to_text(full=True)." in brief
    assert "Behind the verdict" not in brief
    assert "--full" not in full
    assert "Behind the verdict" in full
    assert "FPR, TPR: False and true positive rate" in full


def test_text_verdict_is_the_first_and_the_last():
    lines = to_text(DOCUMENTS["reverses"]).splitlines()
    assert lines[3].startswith("REVERSED GAPS  In these rows, the gap between North and South")
    assert any(line.startswith("Verdict: reversed gaps (reverses).") for line in lines[-3:])


def test_text_two_directions_stand_under_their_heads():
    lines = to_text(DOCUMENTS["matrix"]).splitlines()
    assert lines.count("tasks by gender (A→T)") == 2
    assert "gender by tasks (T→A): Share of woman by task" in lines


def test_text_hostile_names_stay_text():
    text = to_text(DOCUMENTS["hostile"], full=True)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold]x[/bold]" in text


def test_show_colours_the_tag():
    file = StringIO()
    show(DOCUMENTS["compas"], Console(file=file, width=80, color_system="256", force_terminal=True))
    # Rich keeps the codes of a style for the first kind of terminal that it meets.
    assert re.search(r"\x1b\[1;(38;5;208|91)mLARGER GAPS", file.getvalue())


NUMBERS = [Column("model"), Column("change of all, points", "number")]


def test_table_head_breaks_first():
    table = Table("", NUMBERS, [[Cell("a long name"), Cell("+12", "(+9 to +15)")]])
    assert text_of(table, 30) == [
        "              change of all,",
        "model                 points",
        "────────────────────────────",
        "a long name  +12 (+9 to +15)",
    ]


def test_table_interval_breaks_next():
    table = Table("", NUMBERS, [[Cell("a long name"), Cell("+12", "(+9 to +15)")]])
    lines = text_of(table, 24)
    assert [line.split() for line in lines[-2:]] == [
        ["a", "long", "name", "+12"],
        ["(+9", "to", "+15)"],
    ]


def test_table_names_break_last():
    table = Table("", NUMBERS, [[Cell("a long name"), Cell("+12", "(+9 to +15)")]])
    lines = text_of(table, 20)
    assert [line.split() for line in lines[-2:]] == [
        ["a", "long", "+12"],
        ["name", "(+9", "to", "+15)"],
    ]


def test_table_names_get_the_room_that_is_left():
    columns = [Column("groups"), *[Column(f"number {i}", "number") for i in range(5)], Column("is")]
    cells = ["African-American − Native American", *["+10 to +20"] * 5, "not clear"]
    table = Table("", columns, [[Cell(text) for text in cells]])
    lines = text_of(table, 100)
    assert [line.split("  ")[0].strip() for line in lines[-2:]] == [
        "African-American − Native",
        "American",
    ]
    assert lines[-2].endswith("not clear")


def test_text_leaves_out_the_picture_of_gaps():
    text = to_text(compose(summaries.five_groups()), full=True)
    assert "Pale band" not in text
    assert "African-American − Other" in text


def test_table_without_part_is_shortened_without_a_frame():
    rows = [[Cell(f"row {i}"), Cell("1")] for i in range(45)]
    assert text_of(Table("", NUMBERS, rows))[-1] == "40 of 45 rows are shown."


def test_table_over_40_rows_is_shortened():
    rows = [[Cell(f"row {i}"), Cell("1")] for i in range(45)]
    lines = text_of(Table("", NUMBERS, rows, part="gaps"))
    assert lines[-1] == "40 of 45 rows are shown; to_frame('gaps') has all."
