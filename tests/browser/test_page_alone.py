"""A page opens from a file, alone: no network, no message, no script but its own, none needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from audited_reports import every_part, html_of, many_pairs, two_models
from pages import Opener, Visit, opened

from biasamp_adapters.auditing.drawing import clearness
from biasamp_adapters.auditing.page import to_html
from biasamp_adapters.cards.rounded import rounded

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["opened"]

#: JavaScript: what a label would do if it became markup. It says whether it ran.
INJECTED = """() => {
  const script = document.createElement("script");
  script.textContent = "window.hit = 'script'";
  document.body.append(script);
  const button = document.createElement("button");
  button.setAttribute("onclick", "window.hit = 'handler'");
  document.body.append(button);
  button.click();
  return window.hit ?? null;
}"""


@pytest.fixture(scope="module")
def visit(opened: Opener) -> Visit:
    """Everything that a report can show."""
    return opened(html_of(every_part))


def test_page_asks_for_itself_only(visit: Visit) -> None:
    assert visit.requests == [visit.page.url]
    assert visit.page.url.startswith("file:///")


def test_page_says_nothing_to_the_console(visit: Visit) -> None:
    # The script ran: it made the buttons.
    assert visit.page.locator("th button").count() > 0
    assert visit.trouble == []


def test_page_has_the_title_of_the_report(visit: Visit) -> None:
    assert visit.page.title() == every_part().summary["title"]
    assert visit.page.locator("h1").all_inner_texts() == [every_part().summary["title"]]


def test_no_other_script_runs(opened: Opener) -> None:
    guarded = opened(html_of(two_models))
    assert guarded.page.evaluate(INJECTED) is None
    refused = [said for kind, said in guarded.trouble if kind == "console"]
    assert len(refused) == 2
    assert all("Content Security Policy" in said for said in refused)


def test_scripts_would_run_without_the_policy(browser: Browser) -> None:
    # What the test above injects does act on a page that has no policy.
    page = browser.new_page()
    assert page.evaluate(INJECTED) == "handler"
    page.close()


def test_nothing_is_fetched_from_elsewhere(opened: Opener) -> None:
    guarded = opened(html_of(two_models))
    loaded = guarded.page.evaluate(
        """() => new Promise((resolve) => {
          const image = document.createElement("img");
          image.onload = () => resolve(true);
          image.onerror = () => resolve(false);
          image.src = "http://127.0.0.1:9/x.png";
          document.body.append(image);
        })"""
    )
    assert loaded is False
    assert any("Content Security Policy" in said for _, said in guarded.trouble)


@pytest.fixture(scope="module")
def without_script(opened: Opener) -> Visit:
    """A page with many pairs, in a browser that runs no script."""
    return opened(html_of(many_pairs), java_script_enabled=False)


def test_without_script_no_control_is_shown(without_script: Visit) -> None:
    page = without_script.page
    controls = page.locator("input, output, button, select, .controls").all()
    # They are there, for whom the script can show them.
    assert len(controls) > 0
    assert [one.inner_text() for one in controls if one.is_visible()] == []


def test_without_script_every_row_can_be_read(without_script: Visit) -> None:
    page = without_script.page
    page.get_by_text("Pairs", exact=True).click()
    rows = page.get_by_role("group", name="Pairs of BA→").locator("tbody tr")
    pairs = sorted(many_pairs().summary["pairs"], key=clearness)[:40]
    assert rows.count() == len(pairs)
    heights = rows.evaluate_all("rows => rows.map((row) => row.offsetHeight)")
    assert min(heights) > 10
    for row, pair in ((rows.first, pairs[0]), (rows.last, pairs[-1])):
        said = row.inner_text()
        assert pair["task"] in said
        assert rounded(pair).both in said


def test_without_script_pictures_are_there(without_script: Visit) -> None:
    pictures: list[Any] = without_script.page.locator("svg:visible").all()
    # A strip, and a dumbbell for each of the ten clearest pairs.
    assert len([one for one in pictures if one.bounding_box()["width"] > 50]) == 1 + 10


def test_several_reports_are_one_page(opened: Opener) -> None:
    summaries = [two_models().summary, many_pairs().summary]
    visit = opened(to_html(summaries))
    assert visit.requests == [visit.page.url]
    assert visit.trouble == []
    assert visit.page.locator("section > h2:first-child").all_inner_texts() == [
        one["title"] for one in summaries
    ]
