"""Names that would like to be code, or to break the page, are text in a browser and no more."""

from __future__ import annotations

import re
from typing import Any

import pytest
from audited_reports import HOSTILE, hostile, html_of, two_models
from pages import AROUND, PHONE, Opener, Visit, opened, overflow, unfold

__all__ = ["opened"]

#: JavaScript: what of the window is not the browser's own.
OWN = "Object.keys(window)"


@pytest.fixture(scope="module")
def harmless(opened: Opener) -> Visit:
    """A page of plain names."""
    return opened(html_of(two_models), width=PHONE)


@pytest.fixture(scope="module")
def page(opened: Opener) -> Visit:
    """A page of hostile names."""
    return opened(html_of(hostile), width=PHONE)


@pytest.fixture(scope="module")
def embedded(opened: Opener) -> Visit:
    """The same in a page that would let any script run."""
    html = AROUND.format(fragment=hostile()._repr_html_(), style="")
    return opened(html, width=PHONE)


@pytest.fixture(params=["page", "embedded"])
def visit(request: pytest.FixtureRequest) -> Visit:
    """Each of them."""
    found: Visit = request.getfixturevalue(request.param)
    return found


def test_nothing_happens(visit: Visit) -> None:
    assert visit.trouble == []
    assert [url for url in visit.requests if not url.startswith("data:")] == [visit.page.url]
    assert visit.page.evaluate("window.hit ?? null") is None


def test_window_is_untouched(visit: Visit, harmless: Visit) -> None:
    assert visit.page.evaluate(OWN) == harmless.page.evaluate(OWN)


def test_pointer_wakes_nothing(page: Visit) -> None:
    page.page.evaluate(
        """document.querySelectorAll(".biasamp *").forEach((one) => {
          for (const kind of ["mouseover", "click", "focus", "error", "load"])
            one.dispatchEvent(new Event(kind));
        })"""
    )
    assert page.trouble == []
    assert page.page.evaluate("window.hit ?? null") is None
    page.page.reload()


def test_elements_are_those_of_any_report(visit: Visit) -> None:
    names = set(visit.page.evaluate("[...document.querySelectorAll('*')].map((e) => e.localName)"))
    assert not names & {"iframe", "object", "embed", "link", "base", "form"}
    on = visit.page.evaluate(
        """[...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames())
          .filter((name) => name.startsWith("on"))"""
    )
    assert on == []
    sources = visit.page.locator("[src]").evaluate_all("all => all.map((one) => one.src)")
    assert {source.partition(",")[0] for source in sources} <= {"data:image/svg+xml;base64"}


def test_scripts_and_styles_are_as_many_as_ever(page: Visit, embedded: Visit) -> None:
    assert page.page.locator("script").count() == 1
    assert page.page.locator("style").count() == 1
    assert embedded.page.locator("script").count() == 0


def test_names_are_shown(page: Visit) -> None:
    found = page.page.locator("td, th").evaluate_all(
        "all => all.map((one) => one.textContent.trim())"
    )
    cells = {cell for text in found for cell in (text, *text.split(", "))}
    for name in HOSTILE:
        # Line breaks become spaces, and what turns the direction goes.
        said = re.sub(r"[\n\u2028]", " ", name).replace("\u202e", "")
        assert said in cells
    assert page.page.title() == HOSTILE[4]
    assert page.page.locator("h1").inner_text() == HOSTILE[4]


def test_page_is_no_wider_than_a_phone(visit: Visit) -> None:
    assert overflow(visit.page) == 0


def test_texts_do_not_leave_their_boxes(page: Visit) -> None:
    beyond = (
        unfold(page.page)
        .locator("h1, h2, h3, h4, p, li, dd, td, figcaption")
        .evaluate_all(
            "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.outerHTML)"  # noqa: E501
        )
    )
    assert beyond == []


def test_pictures_name_them_shortened(page: Visit) -> None:
    labels = page.page.locator(".panel tbody th").all_inner_texts()
    assert len(labels) >= 10
    assert max(map(len, labels)) <= 48


@pytest.mark.parametrize("name", HOSTILE[:10], ids=range(10))
def test_names_can_be_searched_for(page: Visit, name: str) -> None:
    filters: Any = unfold(page.page).locator(".controls:visible").first
    words = name.replace("\u202e", "")
    filters.get_by_label("Filter").fill(words)
    box = page.page.locator(".controls:visible + .scroll").first
    shown = box.locator("tbody tr:visible").all_inner_texts()
    assert all(word in text.lower() for text in shown for word in words.lower().split())
    assert filters.locator("output").inner_text().startswith(f"{len(shown)} of ")
    assert page.trouble == []
