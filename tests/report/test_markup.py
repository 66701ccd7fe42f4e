"""Pages, cards and Markdown."""

import re

import pytest
from report.reader import Reader
from whole_audits import CASES, summary_of

from biasamp_adapters.report.compose import compose
from biasamp_adapters.report.document import Cell, Column, Document, Part, Table
from biasamp_adapters.report.markup import escape_markdown, to_card, to_html, to_markdown

DOCUMENTS = {name: compose(summary_of(name), date="2026-11-26") for name in CASES}


def test_page_says_what_the_document_says_and_asks_for_nothing_else():
    document = DOCUMENTS["compas"]
    page = Reader(to_html(document))
    sentences = [document.headline, *document.verdicts[0].named[0], *document.verdicts[0].more]
    sentences += [sentence for box in document.boxes for _, told in box for sentence in told]
    assert all(sentence in page.text for sentence in [*sentences, *document.folds[0].points])
    policy = [x["content"] for x in page.named("meta") if "http-equiv" in x]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert page.named("details") == [{}, {}, {}, {}]  # All of them are closed.
    labels = [x["aria-label"] for x in page.named("section") if "aria-label" in x]
    assert [label.replace("\u00a0", " ") for label in labels] == [document.alternative]
    assert to_html(compose(summary_of("compas"), date="2026-11-26")) == to_html(document)


def test_page_title_is_the_headline():
    title = re.search("<title>(.*)</title>", to_html(DOCUMENTS["reverses"]))[1]
    assert title.replace("\u00a0", " ") == DOCUMENTS["reverses"].headline


def test_page_smaller_gaps_have_an_outlined_tag():
    page = to_html(DOCUMENTS["two_models"])
    assert '<span class="tag down">smaller gaps</span>' in page
    assert "span.tag.down { background: var(--surface)" in page


@pytest.mark.parametrize("render", [to_html, to_card])
def test_page_hostile_names_stay_text(render):
    page = Reader(render(DOCUMENTS["hostile"]))  # All elements are closed, and none may act.
    assert "<img src=x onerror=alert(1)>" in page.text
    assert "{{ 7*7 }}" in page.text
    assert not {"\x1b", "\u202e"} & {*page.text}


def document_of(boxes=(), **part):
    return Document("t", [], [], [], [], [*boxes], [Part("Tables", **part)])


def test_page_tables_stop_at_40_rows():
    rows = [[Cell(f"row {i}"), Cell("1")] for i in range(45)]
    table = Table("Long", [Column("group"), Column("rows", "number")], rows, part="gaps")
    page = Reader(to_html(document_of(tables=[table]))).text
    assert ("row 39" in page, "row 40" in page) == (True, False)
    assert "40 of 45 rows are shown; to_frame('gaps') has all." in page


def test_page_joined_box_has_heads_in_bold():
    box = [("How sure", ["Short."]), ("What to read", ["Also short."])]
    assert "<strong>How sure.</strong> Short.</p>" in to_html(document_of(boxes=[box]))


def test_card_has_its_own_styles_and_folded_boxes():
    card = to_card(DOCUMENTS["compas"], "report-1")
    assert card.lstrip().startswith("<style>#report-1 {")
    assert '<div id="report-1" class="card">' in card
    assert to_card(DOCUMENTS["compas"]) != to_card(DOCUMENTS["compas"])  # Its name is random.
    boxes = ["How sure", "What to read", "What to do"]
    folds = ["Behind the verdict", "Tables", "How to read this", "Notes and facts"]
    assert re.findall(r"<summary>(.*?)</summary>", card) == [*boxes, *folds]


def test_markdown_two_groups_has_tables():
    text = to_markdown(DOCUMENTS["compas"])
    head = "# two\\_year\\_recid = 1 by race\n\n6,150 rows · predictions are classes"
    assert text.startswith(head)
    assert "**Larger gaps. In these rows, the gap between African-American and Caucasian" in text
    table = """\
| group | rate | FPR | TPR |
| --- | --: | --: | --: |
| African-American, 3,696 rows | 51 → 59% | 45% | 72% |
| Caucasian, 2,454 rows | 39 → 35% | 23% | 52% |
| gap in the labels | 12 points |  |  |
"""
    assert table in text


@pytest.mark.parametrize("case", DOCUMENTS)
def test_markdown_rows_have_as_many_cells_as_heads(case):
    lines = to_markdown(DOCUMENTS[case]).splitlines()
    cells = [len(re.split(r"(?<!\\)\|", line)) if line.startswith("|") else 0 for line in lines]
    for i, line in enumerate(lines):
        if line.startswith("| ---"):
            end = next(j for j in range(i, len(cells)) if cells[j] == 0)
            assert len(set(cells[i - 1 : end])) == 1


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", "a\\|b"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("[x](y)", "\\[x\\](y)"),
        ("- item", "\\- item"),
        ("1. item", "1\\. item"),
        ("+10.0", "+10.0"),
        ("https://a.b", "https:\\//a.b"),
        ("www.a.b", "www\\.a.b"),
        ("a@b", "a\\@b"),
        ("$x$", "\\$x\\$"),
        ("two\nlines", "two lines"),
    ],
)
def test_escape_markdown_text_stays_text(text, escaped):
    assert str(escape_markdown(text)) == escaped
