"""Tables of a page can be sorted, by mouse and by keyboard, and long ones filtered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from audited_reports import ANIMALS, TASKS, every_part, html_of, many_pairs, two_models
from pages import Opener, Visit, column, opened, table

from biasamp_adapters.auditing.page import to_html

__all__ = ["opened"]

PAIRS, FAIRNESS = (
    "Strongest pairs of BA->",
    "Fairness measures: largest less smallest rate over groups",
)
LEVELS = "Predictability behind LA and DPA"


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


def said(numbers: Iterable[float], sign: str = "+") -> list[str]:
    """Numbers as a table says them."""
    return [f"{number:{sign}z.4f}" for number in numbers]


def head(box: Any, name: str) -> Any:
    """The button that sorts by a column."""
    return box.get_by_role("button", name=name, exact=True)


def sorts(box: Any) -> list[tuple[str, str]]:
    """The heads that say how the table is sorted."""
    found = box.locator("th[aria-sort]").evaluate_all(
        "all => all.map((one) => [one.textContent, one.getAttribute('aria-sort')])"
    )
    return [(name, how) for name, how in found]


def test_table_comes_in_the_order_of_the_report(pairs: Any) -> None:
    expected = said(values(many_pairs().summary["pairs"]))
    assert column(pairs, "contribution") == expected
    assert sorts(pairs) == []
    # So that a click changes something.
    assert expected != said(sorted(values(many_pairs().summary["pairs"])))


def test_clicks_sort_by_number_up_and_down_and_up(pairs: Any) -> None:
    up = said(sorted(values(many_pairs().summary["pairs"])))
    down = said(sorted(values(many_pairs().summary["pairs"]), reverse=True))
    # As text, +0.01 and -0.01 would stand the other way round.
    assert up != sorted(up)
    button = head(pairs, "contribution")
    for expected, how in ((up, "ascending"), (down, "descending"), (up, "ascending")):
        button.click()
        assert column(pairs, "contribution") == expected
        assert sorts(pairs) == [("contribution", how)]


def test_rows_stay_whole(pairs: Any) -> None:
    head(pairs, "contribution").click()
    rows = sorted(many_pairs().summary["pairs"], key=lambda row: row["value"])
    expected = {(row["attribute"], row["task"], f"{row['value']:+z.4f}") for row in rows}
    shown = zip(
        *(column(pairs, name) for name in ("attribute", "task", "contribution")), strict=True
    )
    assert set(shown) == expected
    assert len(expected) == 132


def test_intervals_are_sorted_by_their_lower_end(pairs: Any) -> None:
    head(pairs, "95% interval").click()
    lows = sorted(values(many_pairs().summary["pairs"], "low"))
    shown = [text.strip("[]").split(", ")[0] for text in column(pairs, "95% interval")]
    assert shown == said(lows)


def test_text_is_sorted_by_the_alphabet(pairs: Any) -> None:
    button = head(pairs, "task")
    twice = sorted(TASKS * 2)
    for expected in (twice, twice[::-1]):
        button.click()
        assert column(pairs, "task") == expected
    assert twice[:3] == ["amber cat", "amber cat", "amber dog"]


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
    assert column(pairs, "contribution") == said(sorted(values(many_pairs().summary["pairs"])))
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
    undefined = ["undefined"] * len(gone)
    assert len(undefined) == 3
    button = head(box, "value")
    for reverse in (False, True):
        button.click()
        assert column(box, "value") == said(sorted(values(rest), reverse=reverse), "") + undefined


def test_what_is_no_number_comes_last_whatever_its_note_says(models: Any) -> None:
    box = table(models, LEVELS)
    rows = [row for row in two_models().summary["metrics"] if row["levels"]]
    levels = [row["levels"]["psi_model"]["value"] for row in rows]
    bounded = sorted(level for level in levels if level is not None and level < 1e12)
    # "unbounded (no error) (no interval: the value is unbounded: a loss is 0)" holds a digit.
    unbounded = [text for text in column(box, "model output") if text.startswith("unbounded")]
    assert len(unbounded) == len(levels) - len(bounded) > 0
    button = head(box, "model output")
    for expected in (bounded, bounded[::-1]):
        button.click()
        shown = [text.split(" ")[0] for text in column(box, "model output")]
        assert shown == said(expected, "") + ["unbounded"] * len(unbounded)


def shown_rows(page: Any, box: Any) -> tuple[int, str]:
    """How many rows are shown, and how many the page says."""
    count = page.locator(".controls:visible output", has_text="of 132 rows")
    return len(column(box, "task")), count.inner_text()


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("", 66 * 2),
        ("fox", 11 * 2),
        ("FOX  Amber", 1 * 2),
        ("amber", 6 * 2),
        ("south", 66),
        ("mouse north", 11),
        ("no such task", 0),
        # What it says is searched for as it stands.
        ("[", 66 * 2),
        (".*", 0),
    ],
)
def test_words_filter(pairs: Any, pairs_page: Visit, words: str, rows: int) -> None:
    filters = pairs_page.page.locator(".controls:visible", has_text="of 132 rows")
    filters.get_by_label("Filter").fill(words)
    assert shown_rows(pairs_page.page, pairs) == (rows, f"{rows} of 132 rows")
    every = words.lower().split()
    texts = pairs.locator("tbody tr:visible").all_inner_texts()
    assert all(word in text.lower() for word in every for text in texts)


def test_checkbox_leaves_intervals_without_0(pairs: Any, pairs_page: Visit) -> None:
    summary = many_pairs().summary["pairs"]
    clear = [row for row in summary if row["clear"]]
    foxes = [row for row in clear if row["task"].endswith("fox")]
    assert 0 < len(foxes) < len(clear) < len(summary)
    filters = pairs_page.page.locator(".controls:visible", has_text="of 132 rows")
    box = filters.get_by_label("only intervals without 0")
    box.check()
    assert column(pairs, "contribution") == said(values(clear))
    assert shown_rows(pairs_page.page, pairs) == (len(clear), f"{len(clear)} of 132 rows")
    # Both conditions hold at once, and in the order that a reader chose.
    filters.get_by_label("Filter").fill("fox")
    head(pairs, "contribution").click()
    assert column(pairs, "contribution") == said(sorted(values(foxes)))
    box.uncheck()
    assert len(column(pairs, "task")) == 11 * 2
    assert len(ANIMALS) * 11 == len(TASKS)


@pytest.mark.parametrize("make", [every_part, many_pairs, two_models])
def test_only_long_tables_have_a_filter(opened: Opener, make: Any) -> None:
    tables = (
        opened(html_of(make))
        .page.locator(".scroll")
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
        opened(html_of(every_part))
        .page.locator(".controls:visible")
        .evaluate_all(
            """all => all.map((one) => [
          one.nextElementSibling.querySelector("caption").textContent,
          Boolean(one.querySelector("input[type=checkbox]")),
          [...one.nextElementSibling.querySelectorAll("th")]
            .some((head) => head.textContent.endsWith("interval")),
        ])"""
        )
    )
    assert any(offered for _, offered, _ in shown)
    assert [caption for caption, offered, there in shown if offered and not there] == []
