"""Labels and names that would like to be code: in every rendering they are text and no more."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import unicodedata
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pytest
from report_cases import AMPLIFIED, ERRORS, GROUP, TRUTH
from rich.cells import cell_len

import biasamp_adapters as bam
from biasamp_adapters.auditing.page import to_html

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": '"><img src=x onerror=alert(1)>',
    "single quote": "' onmouseover='alert(1)",
    "entity": "&lt;script&gt;&#x3C;b&#x3E;",
    "style": "</style></title></table><style>*{display:none}",
    "comment": "<!-- --><!DOCTYPE",
    "template": "{{ 7 * 7 }}{% raw %}",
    "formula": '=cmd()|"/c calc"!A1',
    "link": "[x](javascript:alert(1)) ![x](http://e.test/x.png) <http://e.test>",
    "pipe": r"a|b\|c\\|d",
    "backticks": "```\n`code`",
    "newlines": "one\ntwo\r\n\n# three\u2028four\x0b\x0cfive\x85six",
    "escape code": "\x1b[31mred\x1b]0;title\x07\x9b1mbold\x08\x7f\x00",
    "right to left": "\u05e9\u05dc\u05d5\u05dd\u202eabc",
    "isolate": "\u2067abc\u2066",
    "emoji": "\U0001f469\u200d\U0001f680 e\u0301 \ufeff",
    "long": "x" * 10_000,
    "html": "<a href=http://e.test><iframe src=//e.test>",
    "space": " ",
    "rule": "---",
    "bullet": "* - + 1. > # ~~gone~~ __bold__",
}


def audit(*labels: str) -> bam.AuditReport:
    """A report whose group, class, column, model and title have these names, or all the one."""
    first, task, column, model, title = labels * (5 // len(labels))
    truth = [task if positive else "0" for positive in TRUTH]
    models = {
        name: [task if positive else "0" for positive in said]
        for name, said in ((model, AMPLIFIED), ("other", ERRORS))
    }
    group = [first if name == "a" else name for name in GROUP]
    return bam.audit(
        truth,
        models,
        sensitive_features=pd.DataFrame({column: group}),
        n_boot=20,
        labels=["0", task],
        groups=[first, "b"],
        title=title,
    )


def fives() -> dict[str, tuple[str, ...]]:
    """Each label in one place of a page, where a picture shows how it begins, and all in each."""
    names, labels = [*HOSTILE] * 2, [*HOSTILE.values()] * 2
    starts = range(0, len(HOSTILE), 5)
    pages = {", ".join(names[at : at + 5]): tuple(labels[at : at + 5]) for at in starts}
    return {**pages, "all of them": (" ".join(HOSTILE.values()),)}


class Page(HTMLParser):
    """The elements of a page but for those within pictures, which are kept apart, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.drawn: list[tuple[str, tuple[str, ...]]] = []
        self.links: list[str] = []
        self.other: list[str] = []
        self.text = ""
        self._in_picture = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_picture |= tag == "svg"
        # How many ticks an axis has depends on how long the names beside it are.
        elements = self.drawn if self._in_picture else self.elements
        elements.append((tag, tuple(name for name, _ in attrs)))
        self.links += [value or "" for name, value in attrs if name == "href"]
        self.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        if not self._in_picture:
            self.elements.append((f"/{tag}", ()))
        self._in_picture &= tag != "svg"
        self.text += "\n"

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.other.append(data)

    def handle_decl(self, decl: str) -> None:
        self.other.append(decl)


@cache
def html(report: bam.AuditReport) -> str:
    """The page of a report; drawing its pictures takes a while."""
    return report.to_html() or ""


@cache
def parsed(report: bam.AuditReport) -> Page:
    """The page of a report, parsed."""
    page = Page()
    page.feed(html(report))
    page.close()
    return page


@pytest.fixture(scope="module")
def harmless() -> bam.AuditReport:
    """The same report with a plain label."""
    return audit("plain")


@pytest.fixture(params=HOSTILE.values(), ids=HOSTILE.keys(), scope="module")
def label(request: pytest.FixtureRequest) -> Any:
    """A label that would like to be code."""
    return request.param


@pytest.fixture(scope="module")
def report(label: str) -> bam.AuditReport:
    """A report full of the label."""
    return audit(label)


@pytest.fixture(params=fives().values(), ids=fives(), scope="module")
def shown(request: pytest.FixtureRequest) -> tuple[bam.AuditReport, tuple[str, ...]]:
    """A report of which the page is made, and the labels in it."""
    return audit(*request.param), request.param


def test_html_has_the_same_elements(
    shown: tuple[bam.AuditReport, Any], harmless: bam.AuditReport
) -> None:
    page, plain = parsed(shown[0]), parsed(harmless)
    assert page.elements == plain.elements
    assert page.other == plain.other == ["DOCTYPE html"]


def test_html_shows_the_labels(shown: tuple[bam.AuditReport, tuple[str, ...]]) -> None:
    report, labels = shown
    text = parsed(report).text
    for label in labels:
        # Control characters become spaces and overrides of the direction go; the rest is kept.
        kept = re.split(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+", label)
        assert all(part.strip() in text for part in kept)


def test_html_needs_nothing_from_elsewhere(shown: tuple[bam.AuditReport, Any]) -> None:
    page = parsed(shown[0])
    loading = {"src", "srcset", "action", "data", "background", "poster"}
    names = {name for _, names in [*page.elements, *page.drawn] for name in names}
    assert not names & loading
    assert not any(name.startswith("on") for name in names)
    # Within the page itself: to its parts, and of pictures to the marks that they repeat.
    assert all(link.startswith("#") for link in page.links)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"link", "img", "iframe", "object", "embed", "base", "form"}
    assert {tag for tag, _ in page.drawn} <= {
        "svg",
        "line",
        "circle",
        "path",
        "polyline",
        "polygon",
    }


def test_only_the_own_script_may_run(
    shown: tuple[bam.AuditReport, Any], harmless: bam.AuditReport
) -> None:
    report, _ = shown

    def scripts(page: str) -> list[str]:
        return re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)

    assert scripts(html(report)) == scripts(html(harmless))
    (script,) = scripts(html(report))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'\"" in html(report)


def test_html_of_several_reports_has_them_all(harmless: bam.AuditReport) -> None:
    page, alone = Page(), parsed(harmless)
    page.feed(to_html([harmless.summary, audit(HOSTILE["style"]).summary]))
    assert page.elements.count(("section", ("id",))) == 2
    assert alone.elements.count(("section", ("id",))) == 1
    assert len(page.drawn) > 1.5 * len(alone.drawn)


def test_notebooks_get_no_script() -> None:
    page = Page()
    page.feed(audit(HOSTILE["script"])._repr_html_())
    assert "script" not in {tag for tag, _ in [*page.elements, *page.drawn]}


def test_style_sheet_needs_nothing_from_elsewhere(harmless: bam.AuditReport) -> None:
    assert not re.search(r"https?:|url\(|@import|//", html(harmless).partition("</style>")[0])


def test_markdown_tables_keep_their_columns(report: bam.AuditReport) -> None:
    lines = (report.to_markdown() or "").split("\n")
    # A backslash takes away the meaning of the character after it, of a second backslash too.
    bars = [len(re.sub(r"\\.", "", line).split("|")) - 1 for line in lines]
    heads = [i for i, line in enumerate(lines) if re.fullmatch(r"\|( (---|--:) \|)+", line)]
    assert len(heads) >= 6
    for i in heads:
        rows = [i - 1]
        while i < len(lines) and lines[i]:
            rows.append(i)
            i += 1
        assert {bars[row] for row in rows} == {bars[rows[0]]}


def test_markdown_has_the_same_blocks(report: bam.AuditReport, harmless: bam.AuditReport) -> None:
    def blocks(text: str) -> list[str]:
        return [re.match(r"#+ |- |\||", line).group() for line in text.split("\n")]

    assert blocks(report.to_markdown() or "") == blocks(harmless.to_markdown() or "")


def test_markdown_holds_no_live_markup(report: bam.AuditReport) -> None:
    text = re.sub(r"\\.", "", report.to_markdown() or "")
    assert "<" not in text
    assert "`" not in text
    # Neither a link nor an image is left; intervals have their brackets escaped as well.
    assert "](" not in text
    assert not re.search(r"[\[\]]", text)


@pytest.fixture(scope="module")
def text(report: bam.AuditReport) -> str:
    """All of the report as text."""
    return report.to_text(full=True)


def test_text_has_no_control_characters(text: str) -> None:
    text = text.replace("\n", "")
    assert [char for char in text if unicodedata.category(char) in ("Cc", "Zl", "Zp")] == []


def test_text_is_as_wide_as_promised(report: bam.AuditReport, text: str) -> None:
    assert max(map(cell_len, report.to_text().splitlines())) <= 80
    assert max(map(cell_len, text.splitlines())) <= 100


def test_text_is_not_turned_around(text: str) -> None:
    # An override that is left open reverses the rest of its line, the numbers too.
    turning = {"LRE", "RLE", "LRO", "RLO", "LRI", "RLI", "FSI"}
    assert [char for char in text if unicodedata.bidirectional(char) in turning] == []


def test_json_keeps_the_label(report: bam.AuditReport, label: str) -> None:
    found = json.loads(report.to_json() or "", parse_constant=pytest.fail)
    assert found == report.summary
    data = found["data"]
    assert data["attributes"] == [label]
    assert data["models"] == [label, "other"]
    assert [of["label"] for of in data["groups"]] == [label, "b"]
    assert [of["label"] for of in data["classes"]] == ["0", label]


def test_numbers_do_not_depend_on_labels(
    report: bam.AuditReport, harmless: bam.AuditReport
) -> None:
    for part in ("metrics", "differences", "pairs", "fairness"):
        ours = [row["value"] for row in report.summary[part]]
        assert ours == [row["value"] for row in harmless.summary[part]]
