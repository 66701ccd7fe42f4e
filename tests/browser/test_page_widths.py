"""A page can be read on a phone and on paper: nothing is cut off, and no number is torn apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from audited_reports import card_of, every_part, html_of, many_pairs, two_models
from pages import AROUND, DESK, PHONE, Opener, Visit, opened, overflow, unfold

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["opened"]

#: Pixels of A4 within usual margins.
PAPER = 700

#: JavaScript: the numbers that a line ends within.
TORN = r"""() => {
  const torn = [];
  for (const cell of document.querySelectorAll("td")) {
    const text = cell.firstChild;
    for (const found of text?.data?.matchAll(/[+\u2212]?\d+\.\d+/g) ?? []) {
      const range = document.createRange();
      range.setStart(text, found.index);
      range.setEnd(text, found.index + found[0].length);
      const lines = new Set([...range.getClientRects()].map((line) => Math.round(line.top)));
      if (lines.size > 1) torn.push(found[0]);
    }
  }
  return torn;
}"""


@pytest.fixture(scope="module")
def phone(opened: Opener) -> Visit:
    """Everything that a report can show, on a phone."""
    return opened(html_of(every_part), width=PHONE, is_mobile=True, has_touch=True)


@pytest.fixture(scope="module")
def paper(opened: Opener) -> Visit:
    """The same on paper, printed by a reader of dark pages who has filtered a table before."""
    visit = opened(html_of(many_pairs), width=PAPER, color_scheme="dark")
    unfold(visit.page)
    box = visit.page.locator(".controls:visible", has_text="of 40 rows").get_by_label("Filter")
    box.fill("fox")
    assert visit.page.locator("tr[hidden]").count() > 20
    visit.page.emulate_media(media="print")
    return visit


@pytest.mark.parametrize("width", [320, PHONE])
@pytest.mark.parametrize("make", [every_part, many_pairs])
def test_document_is_no_wider_than_a_phone(opened: Opener, width: int, make: Any) -> None:
    page = unfold(opened(html_of(make), width=width).page)
    assert overflow(page) == 0
    assert page.evaluate("document.documentElement.clientWidth") == width


def test_card_is_no_wider_than_a_phone(opened: Opener) -> None:
    html = AROUND.format(fragment=card_of(two_models), style="")
    assert overflow(opened(html, width=PHONE).page) == 0


def test_overflow_would_be_seen(opened: Opener) -> None:
    wide = AROUND.format(fragment="<p style='width: 500px'>wide</p>", style="body { margin: 0 }")
    assert overflow(opened(wide, width=PHONE).page) == 500 - PHONE


def test_wide_tables_scroll_in_their_own_box(phone: Visit) -> None:
    widths = (
        unfold(phone.page)
        .locator(".scroll")
        .evaluate_all("all => all.map((one) => [one.scrollWidth, one.clientWidth])")
    )
    assert any(inner > outer for inner, outer in widths)
    assert max(outer for _, outer in widths) <= PHONE


def test_first_screen_is_no_wider_than_a_phone(phone: Visit) -> None:
    # Nothing of it scrolls sideways, and all of it is shown.
    boxes = phone.page.locator(
        ".verdict, .ranking td, .ranking th, .panel tr:not(.axis) > *, .boxes"
    )
    cut = boxes.evaluate_all(
        """all => all.filter((one) => one.getClientRects().length > 0)
          .filter((one) => one.scrollWidth > one.clientWidth + 1
            || one.getBoundingClientRect().right > innerWidth)
          .map((one) => one.textContent)"""
    )
    assert cut == []


@pytest.mark.parametrize("width", [PHONE, PAPER, DESK])
def test_no_number_is_torn_apart(opened: Opener, width: int) -> None:
    page = unfold(opened(html_of(every_part), width=width).page)
    if width == PAPER:
        page.emulate_media(media="print")
    assert page.locator("td", has_text=".").count() > 50
    torn = page.evaluate(TORN)
    assert torn == [], f"{len(torn)} numbers"


def test_cells_of_the_first_screen_do_not_overlap(opened: Opener) -> None:
    page = opened(html_of(two_models), width=DESK).page
    overlapping = page.locator(".ranking tr, .panel tr:not(.axis)").evaluate_all(
        """all => all.flatMap((row) => [...row.cells].filter((cell) =>
          cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent))"""
    )
    assert overlapping == []


def visible(page: Page, what: str) -> int:
    """How many elements can be seen."""
    count: int = page.locator(what).evaluate_all(
        "all => all.filter((one) => one.getClientRects().length > 0).length"
    )
    return count


def test_paper_has_no_controls(paper: Visit) -> None:
    assert visible(paper.page, ".controls, input, output") == 0
    arrows = paper.page.locator("th button").evaluate_all(
        "all => [...new Set(all.map((one) => getComputedStyle(one, '::after').content))]"
    )
    assert arrows == ["none"]


def test_paper_has_every_row(paper: Visit) -> None:
    # Without the controls nobody can see that a table was filtered.
    assert visible(paper.page, "tbody tr") == paper.page.locator("tbody tr").count() > 40


def test_paper_cuts_nothing_off(paper: Visit) -> None:
    assert overflow(paper.page) == 0
    cut = paper.page.locator(".scroll").evaluate_all(
        """all => all.filter((one) => one.scrollHeight > one.clientHeight + 1
          || one.getBoundingClientRect().right > innerWidth
          || one.querySelector("table").getBoundingClientRect().right > innerWidth + 1).length"""
    )
    assert cut == 0


def test_paper_is_white(paper: Visit) -> None:
    # The pages are dark on the screen of this reader.
    seen = paper.page.evaluate(
        """() => ["body", "main", "td", "h1"].map((name) => {
          const style = getComputedStyle(document.querySelector(name));
          return [style.backgroundColor, style.color];
        })"""
    )
    assert seen[0][0] == seen[1][0] == "rgb(255, 255, 255)"
    assert {ink for _, ink in seen[1:]} == {"rgb(0, 0, 0)"}


def test_page_becomes_a_pdf(paper: Visit) -> None:
    pdf = paper.page.pdf(format="A4")
    assert pdf.startswith(b"%PDF-")
    # With all parts open it does not fit on two pages; each page is an object of its own.
    assert pdf.count(b"/Type /Page\n") > 2


def test_three_models_are_five_pages_of_paper(opened: Opener) -> None:
    pages = opened(html_of(every_part)).page.pdf(format="A4").count(b"/Type /Page\n")
    assert pages <= 5
