"""A page is for everybody: axe-core finds nothing wrong, and what it does not look at is right."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import pytest
from audited_reports import (
    AMPLIFIED,
    GROUP,
    TRUTH,
    every_part,
    fragment_of,
    html_of,
    two_models,
)
from pages import AROUND, Opener, Visit, opened, violations

import biasamp_adapters as bam
from biasamp_adapters.auditing.page import to_html

__all__ = ["opened"]

#: The parts of a report that has them all, in their order.
HEADINGS = [
    "What to read",
    "Results",
    "Models compared",
    "What the mean hides",
    "Pairs",
    "Thresholds",
    "Fairness measures",
    "Runs",
    "Groups and classes",
    "How it was computed",
    "Notes",
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


def fragment(style: str = "") -> str:
    """Another page that holds a report as a notebook shows it."""
    return AROUND.format(fragment=fragment_of(two_models), style=style)


# Of each kind of page the schemes in which its colours differ from those of another kind.
@pytest.mark.parametrize(
    ("make", "scheme"),
    [
        pytest.param(lambda: html_of(every_part), "light", id="every part, light"),
        pytest.param(lambda: html_of(every_part), "dark", id="every part, dark"),
        pytest.param(several, "light", id="several"),
        pytest.param(fragment, "light", id="fragment, light"),
        pytest.param(fragment, "dark", id="fragment, dark"),
        pytest.param(lambda: fragment(LIGHT_HOST), "dark", id="fragment in a light notebook"),
    ],
)
def test_axe_finds_nothing(opened: Opener, make: Callable[[], str], scheme: str) -> None:
    assert violations(opened(make(), color_scheme=scheme).page) == []


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
    return opened(fragment())


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
    assert max(steps) == 1


def test_every_part_is_in_the_contents(everything: Visit) -> None:
    # So that the tests of this page are tests of all parts.
    links = everything.page.locator(".contents a").all_inner_texts()
    assert links == HEADINGS


def test_pictures_are_said_in_words(visit: Visit) -> None:
    pictures = visit.page.locator("svg").evaluate_all(
        "all => all.map((one) => [one.getAttribute('role'), one.getAttribute('aria-label')])"
    )
    assert len(pictures) >= 4
    assert {role for role, _ in pictures} == {"img"}
    for _, words in pictures:
        # More than a name: it says what there is to see.
        assert len(words.split()) >= 4


def test_pictures_say_their_numbers(everything: Visit) -> None:
    words = " ".join(
        everything.page.locator("svg").evaluate_all(
            "all => all.map((one) => one.getAttribute('aria-label'))"
        )
    )
    for row in every_part().summary["metrics"]:
        assert f"{row['value']:+z.4f}" in words


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
    assert len(names) > 10
    assert len(names) == len(set(names))


def test_links_lead_somewhere(visit: Visit) -> None:
    links = visit.page.locator("a[href]").evaluate_all(
        """all => all.map((one) => {
          const there = document.getElementById(one.getAttribute("href").slice(1));
          return [one.textContent, there?.textContent.trim().slice(0, one.textContent.length)];
        })"""
    )
    assert len(links) >= 6
    assert [text for text, there in links if text != there] == []


def test_marks_of_pictures_are_those_of_the_picture(visit: Visit) -> None:
    # A picture repeats marks by their identifier, and cuts off lines at the edge of its axes.
    named = visit.page.locator("svg").evaluate_all(
        """all => all.flatMap((picture) => {
          const used = [...picture.querySelectorAll("use")].map((one) => one.getAttribute("href"));
          const cut = [...picture.querySelectorAll("[clip-path]")]
            .map((one) => one.getAttribute("clip-path").slice(4, -1));
          return [...used, ...cut].map((name) => Boolean(picture.querySelector(name)));
        })"""
    )
    assert len(named) > 20
    assert all(named)


def test_fragment_has_neither_script_nor_controls(embedded: Visit) -> None:
    assert embedded.page.locator("script, button, input:visible").count() == 0
    assert embedded.trouble == []
    assert embedded.requests == [embedded.page.url]
