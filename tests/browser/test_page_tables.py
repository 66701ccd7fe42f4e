"""Tables of a page can be sorted, by mouse and by keyboard, and long ones filtered."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest
from audited_reports import every_part, html_of, many_pairs, two_models
from pages import Opener, Visit, column, opened, table, unfold

from biasamp_adapters._text import MINUS
from biasamp_adapters.auditing.drawing import clearness
from biasamp_adapters.auditing.page import to_html
from biasamp_adapters.cards.rounded import rounded

__all__ = ["opened"]

PAIRS = "Pairs of BA→, the clearest first, in points (40 of 132)"
FAIRNESS = "Fairness measures: largest less smallest rate over groups, in points; rates in per cent"
LEVELS = "Predictability behind LA and DPA"

#: Rows of the table of pairs of a model with many.
SHOWN = 40


def shown_pairs() -> list[dict[str, Any]]:
    """The pairs that the table has, the clearest first."""
    return sorted(many_pairs().summary["pairs"], key=clearness)[:SHOWN]


@pytest.fixture(scope="module")
def pairs_page(opened: Opener) -> Visit:
    """A page with 132 pairs."""
    return opened(html_of(many_pairs))


@pytest.fixture(scope="module")
def models_page(opened: Opener) -> Visit:
    """A page of two models, some of whose numbers are undefined."""
    return opened(html_of(two_models))


@pytest.fixture
def pairs(pairs_page: Visit) -> Any:
    """The table of pairs as it is at first."""
    pairs_page.page.reload()
    return table(pairs_page.page, PAIRS)


@pytest.fixture
def models(models_page: Visit) -> Any:
    """The page of two models as it is at first."""
    models_page.page.reload()
    return models_page.page


def values(rows: Iterable[dict[str, Any]], name: str = "value") -> list[float]:
    """A number of each row."""
    return [row[name] for row in rows]


def said(rows: Iterable[dict[str, Any]], sign: str = "+") -> list[str]:
    """Contributions as the table says them, in points."""
    return [rounded(row, 100, sign).both for row in rows]


def by_value(rows: Iterable[dict[str, Any]], *, reverse: bool = False) -> list[float]:
    """Contributions in their order, as the table rounds them."""
    return sorted((first_number(text) for text in said(rows)), reverse=reverse)


def first_number(text: str) -> float:
    """The number that a cell begins with."""
    return float(text.split(" ")[0].replace(MINUS, "-"))


def head(box: Any, name: str) -> Any:
    """The button that sorts by a column."""
    return box.get_by_role("button", name=name, exact=True)


def sorts(box: Any) -> list[tuple[str, str]]:
    """The heads that say how the table is sorted."""
    found = box.locator("th[aria-sort]").evaluate_all(
        "all => all.map((one) => [one.textContent, one.getAttribute('aria-sort')])"
    )
    return [(name, how) for name, how in found]


def test_clear_pairs_come_first(pairs: Any) -> None:
    expected = said(shown_pairs())
    assert column(pairs, "contribution") == expected
    assert sorts(pairs) == []
    marks = [text == "yes" for text in column(pairs, "clear")]
    assert marks == sorted(marks, reverse=True)
    assert 0 < sum(marks) < SHOWN


def test_clicks_sort_by_number_up_and_down_and_up(pairs: Any) -> None:
    up, down = by_value(shown_pairs()), by_value(shown_pairs(), reverse=True)
    # As text, +5 and −5 would stand the other way round.
    texts = [f"{value:+g}" for value in up]
    assert texts != sorted(texts)
    button = head(pairs, "contribution")
    for expected, how in ((up, "ascending"), (down, "descending"), (up, "ascending")):
        button.click()
        assert list(map(first_number, column(pairs, "contribution"))) == expected
        assert sorts(pairs) == [("contribution", how)]


def test_rows_stay_whole(pairs: Any) -> None:
    head(pairs, "contribution").click()
    rows = shown_pairs()
    expected = {
        (row["attribute"], row["task"], text) for row, text in zip(rows, said(rows), strict=True)
    }
    shown = zip(
        *(column(pairs, name) for name in ("attribute", "task", "contribution")), strict=True
    )
    assert set(shown) == expected
    assert len(expected) == SHOWN


def test_intervals_are_sorted_by_their_lower_end(pairs: Any) -> None:
    head(pairs, "interval for all pairs").click()
    shown = column(pairs, "interval for all pairs")
    lows = [first_number(text) for text in shown if text]
    # Where there is none, it comes last.
    assert shown[len(lows) :] == [""] * (SHOWN - len(lows))
    assert lows == sorted(lows)


def test_text_is_sorted_by_the_alphabet(pairs: Any) -> None:
    button = head(pairs, "task")
    tasks = sorted(row["task"] for row in shown_pairs())
    for expected in (tasks, tasks[::-1]):
        button.click()
        assert column(pairs, "task") == expected


def test_one_column_is_sorted_at_a_time(pairs: Any) -> None:
    head(pairs, "contribution").click()
    head(pairs, "task").click()
    assert sorts(pairs) == [("task", "ascending")]


def test_keyboard_sorts_too(pairs: Any, pairs_page: Visit) -> None:
    page = pairs_page.page
    pairs.focus()
    # The heads follow the box, in their order: attribute, task, reference sign, contribution.
    heads = pairs.locator("thead th").all_inner_texts()
    for _ in range(heads.index("contribution") + 1):
        page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert focused.evaluate("one => one.closest('th').textContent") == "contribution"
    assert focused.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert list(map(first_number, column(pairs, "contribution"))) == by_value(shown_pairs())
    page.keyboard.press("Space")
    assert sorts(pairs) == [("contribution", "descending")]
    # Sorting moves rows, not the reader.
    assert page.locator(":focus").evaluate("one => one.closest('th').textContent") == "contribution"


def test_undefined_values_come_last_in_either_order(opened: Opener) -> None:
    summary = two_models().summary
    # Of a task that nobody of a group has, the rate of true positives is undefined there.
    rows = summary["fairness"]
    gone = [{**row, "value": None, "low": None, "note": ""} for row in rows[1::3]]
    rest = [row for i, row in enumerate(rows) if i % 3 != 1]
    box = table(opened(to_html([summary | {"fairness": [*gone, *rest]}])).page, FAIRNESS)
    assert len(gone) == 3
    button = head(box, "difference")
    for reverse in (False, True):
        button.click()
        shown = column(box, "difference")
        assert shown[-3:] == ["–"] * 3
        assert list(map(first_number, shown[:-3])) == by_value(rest, reverse=reverse)


def test_what_is_no_number_comes_last_whatever_its_note_says(models: Any) -> None:
    box = table(models, LEVELS)
    rows = [row for row in two_models().summary["metrics"] if row["levels"]]
    levels = [row["levels"]["psi_model"]["value"] for row in rows]
    bounded = sorted(level for level in levels if level is not None and level < 1e12)
    # The number of a footnote is a digit behind such a level.
    others = len(levels) - len(bounded)
    assert others > 0
    button = head(box, "model output")
    for expected in (bounded, bounded[::-1]):
        button.click()
        shown = column(box, "model output")
        assert all(text.startswith("unbounded") for text in shown[len(bounded) :])
        found = [first_number(re.sub(r"\[.*", "", text)) for text in shown[: len(bounded)]]
        assert found == sorted(found, reverse=expected != bounded)


def filter_of(page: Any) -> Any:
    """The controls of the table of pairs."""
    return page.locator(".controls:visible", has_text=f"of {SHOWN} rows")


@pytest.mark.parametrize(
    "words",
    ["", "fox", "FOX  Amber", "amber", "south", "mouse north", "no such task", "[", ".*"],
)
def test_words_filter(pairs: Any, pairs_page: Visit, words: str) -> None:
    before = pairs.locator("tbody tr").all_inner_texts()
    every = words.lower().split()
    # What it says is searched for as it stands.
    expected = [text for text in before if all(word in text.lower() for word in every)]
    controls = filter_of(pairs_page.page)
    controls.get_by_label("Filter").fill(words)
    assert pairs.locator("tbody tr:visible").all_inner_texts() == expected
    assert controls.locator("output").inner_text() == f"{len(expected)} of {SHOWN} rows"
    assert 0 < len(expected) < SHOWN or words in ("", "no such task", "[", ".*", "FOX  Amber")


def test_checkbox_leaves_intervals_without_0(pairs: Any, pairs_page: Visit) -> None:
    clear = [row for row in shown_pairs() if row["clear"]]
    south = [row for row in clear if row["attribute"] == "south"]
    assert 0 < len(south) < len(clear) < SHOWN
    controls = filter_of(pairs_page.page)
    box = controls.get_by_label("only intervals without 0")
    box.check()
    assert column(pairs, "contribution") == said(clear)
    assert controls.locator("output").inner_text() == f"{len(clear)} of {SHOWN} rows"
    # Both conditions hold at once, and in the order that a reader chose.
    controls.get_by_label("Filter").fill("south")
    head(pairs, "contribution").click()
    assert list(map(first_number, column(pairs, "contribution"))) == by_value(south)
    box.uncheck()
    assert len(column(pairs, "task")) == sum(row["attribute"] == "south" for row in shown_pairs())


@pytest.mark.parametrize("make", [every_part, many_pairs, two_models])
def test_only_long_tables_have_a_filter(opened: Opener, make: Any) -> None:
    tables = (
        unfold(opened(html_of(make)).page)
        .locator(".scroll")
        .evaluate_all(
            """all => all.map((box) => {
          const before = box.previousElementSibling;
          const filter = before.matches(".controls") && before.offsetHeight > 0;
          return [box.querySelectorAll("tbody tr").length, filter];
        })"""
        )
    )
    filtered = [rows for rows, has in tables if has]
    others = [rows for rows, has in tables if not has]
    # A dozen rows are seen at a glance.
    assert min(filtered, default=13) > 12
    assert max(others) <= 12


def test_checkbox_is_offered_where_intervals_are_shown(opened: Opener) -> None:
    shown = (
        unfold(opened(html_of(every_part)).page)
        .locator(".controls:visible")
        .evaluate_all(
            """all => all.map((one) => [
          one.nextElementSibling.querySelector("caption").textContent,
          Boolean(one.querySelector("input[type=checkbox]")),
          [...one.nextElementSibling.querySelectorAll("td.number")]
            .some((cell) => cell.textContent.includes(" to ")),
        ])"""
        )
    )
    assert any(offered for _, offered, _ in shown)
    assert [caption for caption, offered, there in shown if offered and not there] == []
