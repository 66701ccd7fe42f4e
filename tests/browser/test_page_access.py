"""A page is for everybody: axe-core finds nothing wrong, and what it does not look at is right."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise

import pytest
from audited_reports import (
    AMPLIFIED,
    GROUP,
    TRUTH,
    card_of,
    every_part,
    html_of,
    many_pairs,
    two_models,
)
from pages import AROUND, Opener, Visit, opened, unfold, violations

import biasamp_adapters as bam
from biasamp_adapters.auditing.page import to_html
from biasamp_adapters.cards.rounded import rounded

__all__ = ["opened"]

#: The parts of a report that has them all, in their order.
HEADINGS = [
    "All metrics",
    "Models compared",
    "What to read",
    "Pairs",
    "Thresholds",
    "Fairness measures",
    "Runs",
    "Groups and classes",
    "How computed",
    "How to read this",
]

#: A notebook has its own style for the tables and links of outputs, whatever the reader's system
#: prefers: a light notebook on a dark desktop.
LIGHT_HOST = """
  body { background: #ffffff; color: #222222; }
  .host a:link { color: #1a5fb4; }
  .host tbody tr:nth-child(odd) { background: #ffffff; }
  .host tbody tr:nth-child(even) { background: #eeeeee; }
"""


@cache
def several() -> str:
    """A page of two reports that have the same title, as reports have that nobody named."""
    small = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, n_boot=0)
    return to_html([small.summary] * 2)


def card(style: str = "") -> str:
    """Another page that holds a report as a notebook shows it."""
    return AROUND.format(fragment=card_of(two_models), style=style)


# Of each kind of page the schemes in which its colours differ from those of another kind.
@pytest.mark.parametrize(
    ("make", "scheme"),
    [
        pytest.param(lambda: html_of(every_part), "light", id="every part, light"),
        pytest.param(lambda: html_of(every_part), "dark", id="every part, dark"),
        pytest.param(several, "light", id="several"),
        pytest.param(card, "light", id="card, light"),
        pytest.param(card, "dark", id="card, dark"),
        pytest.param(lambda: card(LIGHT_HOST), "dark", id="card in a light notebook"),
    ],
)
def test_axe_finds_nothing(opened: Opener, make: Callable[[], str], scheme: str) -> None:
    assert violations(unfold(opened(make(), color_scheme=scheme).page)) == []


def test_axe_finds_what_is_wrong(opened: Opener) -> None:
    # As it would not if it did not run.
    wrong = "<svg role='img'><text>x</text></svg><p style='color: #aaaaaa'>pale</p>"
    found = violations(
        opened(AROUND.format(fragment=wrong, style="body { background: #fff }")).page
    )
    assert [one.partition(" ")[0] for one in found] == ["color-contrast", "svg-img-alt"]


@pytest.fixture(scope="module")
def everything(opened: Opener) -> Visit:
    """Everything that a report can show."""
    return opened(html_of(every_part))


@pytest.fixture(scope="module")
def together(opened: Opener) -> Visit:
    """Several reports on a page."""
    return opened(several())


@pytest.fixture(scope="module")
def embedded(opened: Opener) -> Visit:
    """A report within another page."""
    return opened(card())


@pytest.fixture(params=["everything", "together", "embedded"])
def visit(request: pytest.FixtureRequest) -> Visit:
    """Each kind of page."""
    page: Visit = request.getfixturevalue(request.param)
    return page


def test_headings_are_in_order(visit: Visit) -> None:
    levels = visit.page.locator("h1, h2, h3, h4, h5, h6").evaluate_all(
        "all => all.map((one) => Number(one.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    steps = [after - before for before, after in pairwise(levels)]
    assert max(steps, default=1) == 1


def test_every_part_is_folded_behind_its_heading(everything: Visit) -> None:
    # So that the tests of this page are tests of all parts.
    *parts, caveats = everything.page.locator("details > summary").all_inner_texts()
    assert parts == HEADINGS
    assert caveats == f"Caveats ({len(every_part().summary['notes'])})"
    assert everything.page.locator("details[open]").count() == 0


def test_pictures_are_beside_their_numbers(visit: Visit) -> None:
    # Who cannot see a picture gets the numbers as text, in the same row or in a table below.
    hidden = visit.page.locator("svg").evaluate_all(
        "all => all.map((one) => one.closest('svg[aria-hidden=true]') !== null)"
    )
    images = visit.page.locator("img").evaluate_all("all => all.map((one) => one.alt)")
    assert len(hidden) + len(images) >= 4
    assert all(hidden)
    assert set(images) <= {""}
    rows = visit.page.locator("tr:not(.axis):has(.picture)").all_text_contents()
    # Heads of columns, and rows with a value or rates.
    assert all(re.search(r"\d|picture|blind errors|the line", row) for row in rows)


def test_mean_that_hides_pairs_is_opened_up(opened: Opener) -> None:
    # With one pair of a group and a sign, as above, there is nothing that a mean could hide.
    page = opened(html_of(many_pairs)).page
    assert page.get_by_text("What the mean hides", exact=True).count() == 1


def test_first_screen_says_the_numbers(everything: Visit) -> None:
    summary = every_part().summary
    ranking = everything.page.locator(".ranking").first.inner_text()
    for row in summary["metrics"]:
        if row["name"] == "BA A->T":
            shown = rounded(row)
            assert f"{shown.value}\t{shown.interval or '–'}" in ranking
    for verdict in summary["verdicts"]:
        assert f"{verdict['accuracy']['value']:.1%}" in ranking


def test_tables_have_captions_and_heads(visit: Visit) -> None:
    tables = visit.page.locator("table").evaluate_all(
        """all => all.map((one) => ({
          caption: one.caption?.textContent.trim() ?? "",
          heads: [...one.tHead.rows[0].cells].map((cell) => cell.scope),
          cells: [...one.tBodies[0].rows].map((row) => row.cells.length),
        }))"""
    )
    assert len(tables) >= 5
    for one in tables:
        assert one["caption"]
        assert set(one["heads"]) == {"col"}
        assert set(one["cells"]) == {len(one["heads"])}


def test_identifiers_are_unique(visit: Visit) -> None:
    names = visit.page.locator("[id]").evaluate_all("all => all.map((one) => one.id)")
    assert len(names) >= (0 if visit.page.locator(".biasamp-card").count() else 10)
    assert len(names) == len(set(names))


def test_links_lead_somewhere(together: Visit) -> None:
    links = together.page.locator("a[href]").evaluate_all(
        """all => all.map((one) => {
          const there = document.getElementById(one.getAttribute("href").slice(1));
          return [one.textContent, there?.textContent.trim().slice(0, one.textContent.length)];
        })"""
    )
    # Two reports have two links each: from the contents, and to their explanations.
    assert len(links) == 4
    assert [text for text, there in links if text != there] == []


def test_card_has_neither_script_nor_controls(embedded: Visit) -> None:
    assert embedded.page.locator("script, button, input:visible").count() == 0
    assert embedded.trouble == []
    assert {url.partition(",")[0] for url in embedded.requests[1:]} <= {"data:image/svg+xml;base64"}


def test_link_opens_the_explanations(opened: Opener) -> None:
    page = opened(html_of(every_part)).page
    terms = page.locator("#r1-how dt")
    assert not terms.first.is_visible()
    page.get_by_role("link", name="How to read this").click()
    assert terms.first.is_visible()
