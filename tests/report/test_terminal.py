"""Reports as plain text."""

import re
from io import StringIO

import pytest
from rich.console import Console
from whole_audits import CASES, summary_of

from biasamp_adapters.report.compose import compose
from biasamp_adapters.report.document import Cell, Column, Document, Part, Table
from biasamp_adapters.report.terminal import show, to_text

DOCUMENTS = {name: compose(summary_of(name)) for name in CASES}


def test_text_of_80_columns_draws_rates():
    assert """\
group                        0%                     60%       rate
──────────────────────────────────────────────────────────────────
African-American 3,696 rows                       ○───●   51 → 59%
Caucasian 2,454 rows                        ●○    ┆       39 → 35%
gap in the labels                            ░░░░░░      12 points
gap that the scores imply                     ░░░░░      10 points
gap in the predictions                      ███████████  24 points
with equal error rates                           ░░       4 points
""" in to_text(DOCUMENTS["compas"])


def test_text_120_columns_has_strip_interval_and_errors():
    text = to_text(DOCUMENTS["compas"], width=120)
    assert all(part in text for part in ("+4.4 to +7.2", "━●", "FPR"))


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
    assert "All tables and 5 notes: --full, or to_text(full=True)." in brief
    assert "FPR, TPR: False and true positive rate" in full
    for text, is_full in ((brief, False), (full, True)):
        assert ("Behind the verdict" in text, "--full" in text) == (is_full, not is_full)


def test_show_colours_the_tag():
    file = StringIO()
    show(DOCUMENTS["compas"], Console(file=file, width=80, color_system="256", force_terminal=True))
    # Rich keeps the codes of a style for the first kind of terminal that it meets.
    assert re.search(r"\x1b\[1;(38;5;208|91)mLARGER GAPS", file.getvalue())


def lines_of(table, width=80):
    part = Part("Heading", tables=[table])
    lines = to_text(Document("t", [], [], [], [], [], [part]), full=True, width=width).splitlines()
    return lines[lines.index("Heading") + 1 :]


NUMBERS = [Column("model"), Column("change of all, points", "number")]
ONE_ROW = Table("", NUMBERS, [[Cell("a long name"), Cell("+12", "(+9 to +15)")]])


def test_table_breaks_its_head_first_then_intervals_and_then_names():
    assert lines_of(ONE_ROW, 30) == [
        "              change of all,",
        "model                 points",
        "────────────────────────────",
        "a long name  +12 (+9 to +15)",
    ]
    interval, name = (
        [line.split() for line in lines_of(ONE_ROW, width)[-2:]] for width in (24, 20)
    )
    assert interval == [["a", "long", "name", "+12"], ["(+9", "to", "+15)"]]
    assert name == [["a", "long", "+12"], ["name", "(+9", "to", "+15)"]]


def test_table_names_get_the_room_that_is_left():
    columns = [Column("groups"), *[Column(f"number {i}", "number") for i in range(5)], Column("is")]
    cells = ["African-American − Native American", *["+10 to +20"] * 5, "not clear"]
    lines = lines_of(Table("", columns, [[Cell(text) for text in cells]]), 100)
    names = [line.split("  ")[0].strip() for line in lines[-2:]]
    assert names == ["African-American − Native", "American"]
    assert lines[-2].endswith("not clear")


@pytest.mark.parametrize(("part", "more"), [("", "."), ("gaps", "; to_frame('gaps') has all.")])
def test_table_over_40_rows_is_shortened(part, more):
    rows = [[Cell(f"row {i}"), Cell("1")] for i in range(45)]
    assert lines_of(Table("", NUMBERS, rows, part=part))[-1] == f"40 of 45 rows are shown{more}"
