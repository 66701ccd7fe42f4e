"""A page can be read on a phone and on paper: nothing is cut off, and no number is torn apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from audited_reports import every_part, fragment_of, html_of, many_pairs, two_models
from pages import AROUND, DESK, PHONE, Opener, Visit, opened, overflow, table

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
    for (const found of text?.data?.matchAll(/[+-]?\d+\.\d+/g) ?? []) {
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
    box = visit.page.locator(".controls:visible", has_text="of 132 rows").get_by_label("Filter")
    box.fill("fox")
    assert visit.page.locator("tr[hidden]").count() == 132 - 11 * 2
    visit.page.emulate_media(media="print")
    return visit


@pytest.mark.parametrize("width", [320, PHONE])
@pytest.mark.parametrize("make", [every_part, many_pairs])
def test_document_is_no_wider_than_a_phone(opened: Opener, width: int, make: Any) -> None:
    page = opened(html_of(make), width=width).page
    assert overflow(page) == 0
    assert page.evaluate("document.documentElement.clientWidth") == width


def test_fragment_is_no_wider_than_a_phone(opened: Opener) -> None:
    html = AROUND.format(fragment=fragment_of(two_models), style="")
    assert overflow(opened(html, width=PHONE).page) == 0


def test_overflow_would_be_seen(opened: Opener) -> None:
    wide = AROUND.format(fragment="<p style='width: 500px'>wide</p>", style="body { margin: 0 }")
    assert overflow(opened(wide, width=PHONE).page) == 500 - PHONE


def test_wide_tables_scroll_in_their_own_box(phone: Visit) -> None:
    box = table(phone.page, "Bias amplification")
    inner, outer = box.evaluate("one => [one.scrollWidth, one.clientWidth]")
    assert inner > outer
    assert outer <= PHONE
    assert box.evaluate("one => { one.scrollLeft = 1e6; return one.scrollLeft; }") == inner - outer


def test_pictures_are_as_wide_as_a_phone(phone: Visit) -> None:
    widths = phone.page.locator("svg").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().width)"
    )
    assert PHONE * 0.8 < min(widths) <= max(widths) <= PHONE


@pytest.mark.parametrize("width", [PHONE, PAPER, DESK])
def test_no_number_is_torn_apart(opened: Opener, width: int) -> None:
    page = opened(html_of(every_part), width=width).page
    if width == PAPER:
        page.emulate_media(media="print")
    assert page.locator("td", has_text="0.").count() > 50
    torn = page.evaluate(TORN)
    assert torn == [], f"{len(torn)} numbers"


def test_texts_of_a_picture_do_not_overlap(opened: Opener) -> None:
    # T->A is 0 of both models: scales of nothing but zeros have the longest numbers.
    page = opened(html_of(two_models), width=PHONE).page
    overlapping = page.locator("svg").evaluate_all(
        """all => all.flatMap((picture) => {
          const boxes = [...picture.querySelectorAll("text")]
            .map((text) => [text.textContent, text.getBoundingClientRect()]);
          return boxes.flatMap(([one, a], i) => boxes.slice(i + 1).filter(([, b]) =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > a.height / 2
          ).map(([other]) => `${one} and ${other}`));
        })"""
    )
    assert overlapping == []


def test_texts_of_a_picture_are_within_it(phone: Visit) -> None:
    cut = phone.page.locator("svg").evaluate_all(
        """all => all.flatMap((picture) => {
          const edge = picture.getBoundingClientRect();
          return [...picture.querySelectorAll("text")].filter((text) => {
            const box = text.getBoundingClientRect();
            return box.left < edge.left - 1 || box.right > edge.right + 1;
          }).map((text) => text.textContent);
        })"""
    )
    assert cut == []


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
    assert visible(paper.page, "tbody tr") == paper.page.locator("tbody tr").count() > 132


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
    # 132 rows do not fit on two pages; each page is an object of its own.
    assert pdf.count(b"/Type /Page\n") > 2
