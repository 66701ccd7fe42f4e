"""A browser for the tests of pages, and what they ask of a page that it opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

PHONE, DESK = 390, 1200

#: A page around a fragment, with nothing that the fragment might lean on.
AROUND = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Notebook</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style>'
    '</head><body><main class="host"><h1>Notebook</h1>{fragment}</main></body></html>'
)


@dataclass
class Visit:
    """A page that is open, and what happened on it since it was asked for."""

    page: Page
    events: list[tuple[str, str]] = field(default_factory=list)

    @property
    def requests(self) -> list[str]:
        """The addresses that were asked for."""
        return [said for kind, said in self.events if kind == "request"]

    @property
    def trouble(self) -> list[tuple[str, str]]:
        """Messages, errors and dialogs."""
        return [event for event in self.events if event[0] != "request"]


#: Writes a page to a file and opens it; options are those of a browser context.
Opener = Callable[..., Visit]


@pytest.fixture(scope="module")
def opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opener]:
    """Opens pages; they are closed with the module.

    Pages of the same options share a context, as one of its own costs more than a page.
    """
    folder: Path = tmp_path_factory.mktemp("pages")
    contexts: dict[tuple[Any, ...], Any] = {}
    numbers = count()

    def to_open(html: str, *, width: int = DESK, **options: Any) -> Visit:
        file = folder / f"{next(numbers)}.html"
        file.write_text(html, encoding="utf-8")
        kind = (width, *sorted(options.items()))
        if kind not in contexts:
            viewport = {"width": width, "height": 844}
            contexts[kind] = browser.new_context(viewport=viewport, **options)
        visit = Visit(contexts[kind].new_page())
        page, seen = visit.page, visit.events
        page.on("console", lambda message: seen.append(("console", message.text)))
        page.on("pageerror", lambda error: seen.append(("error", str(error))))
        page.on("request", lambda request: seen.append(("request", request.url)))

        def dismiss(dialog: Any) -> None:
            seen.append(("dialog", dialog.message))
            dialog.dismiss()

        page.on("dialog", dismiss)
        page.goto(file.as_uri())
        return visit

    yield to_open
    for context in contexts.values():
        context.close()


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong with a page: each rule with the elements that break it."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    found = axe.Axe().run(page).response
    # Rules that had nothing to look at would not find anything wrong.
    assert found["testEngine"]["name"] == "axe-core"
    return [
        f"{rule['id']} ({rule['impact']}): "
        + " | ".join(one["html"][:120] for one in rule["nodes"])
        for rule in found["violations"]
    ]


def unfold(page: Page) -> Page:
    """The page with all its parts open."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    return page


def table(page: Page, caption: str) -> Locator:
    """The box of the table with a caption, in a part that is opened for it."""
    unfold(page)
    return page.get_by_role("group", name=caption, exact=True)


def column(box: Locator, name: str) -> list[str]:
    """The cells of a column that are shown, from top to bottom, without marks of footnotes."""
    shown: list[str] = box.evaluate(
        """(box, name) => {
          const heads = [...box.querySelectorAll("thead th")].map((head) => head.textContent);
          const rows = [...box.querySelectorAll("tbody tr")].filter((row) => row.offsetHeight > 0);
          return rows.map((row) => {
            const cell = row.cells[heads.indexOf(name)].cloneNode(true);
            cell.querySelector("sup")?.remove();
            return cell.textContent;
          });
        }""",
        name,
    )
    return shown


def overflow(page: Page) -> int:
    """How many pixels of the document are beyond the width of the screen."""
    width: int = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return max(0, width)


#: JavaScript: what any colour is as red, green, blue and alpha, and its relative luminance as
#: WCAG 2.2 defines it.
COLOURS = """
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };
"""
