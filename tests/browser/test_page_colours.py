"""Light or dark as the reader prefers, pictures too: everything stands out from what is behind."""

from __future__ import annotations

from typing import Any

import pytest
from audited_reports import every_part, html_of
from pages import COLOURS, Opener, Visit, opened

__all__ = ["opened"]

#: JavaScript: a text of a picture with its colour, and that of what lies behind it.
TEXTS = f"""all => {{
  {COLOURS}
  const surface = getComputedStyle(document.querySelector(".biasamp")).backgroundColor;
  return all.flatMap((picture) => {{
    picture.scrollIntoView({{ block: "center" }});
    return [...picture.querySelectorAll("text")].map((text) => {{
      const box = text.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const cell = document.elementsFromPoint(x, y).find((one) => {{
        const fill = one.tagName === "path" ? getComputedStyle(one).fill : "none";
        return fill !== "none" && channels(fill)[3] === 255;
      }});
      const behind = cell ? getComputedStyle(cell).fill : surface;
      const ink = getComputedStyle(text).fill;
      return {{ text: text.textContent, ink, cell: Boolean(cell), ratio: contrast(ink, behind) }};
    }});
  }});
}}"""

#: JavaScript: the colours of the marks and lines of pictures without cells, with the contrast of
#: each to the surface. What is nearly transparent is a band behind a line of the same colour, and
#: what is only defined is drawn where it is used.
MARKS = f"""all => {{
  {COLOURS}
  const surface = getComputedStyle(document.querySelector(".biasamp")).backgroundColor;
  const marks = all.flatMap((picture) => [...picture.querySelectorAll("path, use")])
    .filter((one) => !one.closest("defs"));
  const found = marks.flatMap((one) => {{
    const style = getComputedStyle(one);
    const drawn = [[style.fill, style.fillOpacity], [style.stroke, style.strokeOpacity]];
    return drawn.filter(([colour, opacity]) => colour !== "none" && Number(opacity) > 0.5)
      .map(([colour]) => colour);
  }});
  return [...new Set(found)].map((colour) => [colour, contrast(colour, surface)]);
}}"""


@pytest.fixture(scope="module")
def schemes(opened: Opener) -> dict[str, Visit]:
    """The same page for readers who prefer light pages, and dark ones."""
    html = html_of(every_part)
    return {name: opened(html, color_scheme=name) for name in ("light", "dark")}


def luminances(visit: Visit, name: str) -> tuple[float, float]:
    """How bright the surface and the ink of an element are, from 0 to 1."""
    surface, ink = visit.page.evaluate(
        f"""(name) => {{
          {COLOURS}
          const style = getComputedStyle(document.querySelector(name));
          return [luminance(style.backgroundColor), luminance(style.color)];
        }}""",
        name,
    )
    return surface, ink


def test_surface_and_ink_change_places(schemes: dict[str, Visit]) -> None:
    light, dark = (luminances(schemes[name], "main") for name in ("light", "dark"))
    assert light[0] > 0.9
    assert light[1] < 0.05
    assert dark[0] < 0.05
    assert dark[1] > 0.7


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_whole_page_has_the_colour(schemes: dict[str, Visit], scheme: str) -> None:
    # No frame of another colour around the report, which is not as wide as the screen.
    visit = schemes[scheme]
    assert visit.page.evaluate("document.querySelector('main').offsetWidth < innerWidth")
    behind = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    surface = visit.page.evaluate(
        "getComputedStyle(document.querySelector('main')).backgroundColor"
    )
    # A transparent body is white.
    assert behind == surface or (scheme == "light" and behind == "rgba(0, 0, 0, 0)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_of_pictures_stand_out(schemes: dict[str, Visit], scheme: str) -> None:
    texts: list[dict[str, Any]] = schemes[scheme].page.locator("svg").evaluate_all(TEXTS)
    assert sum(one["cell"] for one in texts) >= 8
    # WCAG 2.2, 1.4.3.
    assert [one for one in texts if one["ratio"] < 4.5] == []
    ink = schemes[scheme].page.evaluate("getComputedStyle(document.querySelector('main')).color")
    # Cells keep their colours, so their numbers keep theirs; all else is the ink of the page.
    assert {one["ink"] for one in texts if not one["cell"]} == {ink}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_of_pictures_stand_out(schemes: dict[str, Visit], scheme: str) -> None:
    marks = schemes[scheme].page.locator("#r1-pairs ~ .pictures svg").first
    assert marks.count() == 1
    strips = schemes[scheme].page.locator(".pictures").first.locator("svg")
    found = strips.evaluate_all(MARKS)
    assert len(found) >= 3
    # WCAG 2.2, 1.4.11.
    assert [mark for mark in found if mark[1] < 3] == []


def test_marks_of_pictures_follow_the_scheme(schemes: dict[str, Visit]) -> None:
    light, dark = (
        {
            colour
            for colour, _ in schemes[name]
            .page.locator(".pictures")
            .first.locator("svg")
            .evaluate_all(MARKS)
        }
        for name in ("light", "dark")
    )
    # The edge of the axes is a grey that stands out from both.
    assert len(light & dark) <= 1
    assert len(light) == len(dark)


def test_cells_of_heat_maps_keep_their_colours(schemes: dict[str, Visit]) -> None:
    def cells(visit: Visit) -> list[str]:
        found = visit.page.locator("#r1-pairs ~ .pictures").first.locator("svg path")
        colours: list[str] = found.evaluate_all(
            "all => all.map((one) => getComputedStyle(one).fill)"
        )
        return [colour for colour in colours if colour.startswith("rgb(")]

    light, dark = cells(schemes["light"]), cells(schemes["dark"])
    # 3 groups of 2 classes, of 2 models.
    assert len(light) >= 3 * 2 * 2
    assert len(set(light) & set(dark)) >= 4


def test_reader_can_change_their_mind(opened: Opener) -> None:
    visit = opened(html_of(every_part), color_scheme="light")
    before = luminances(visit, "main")
    visit.page.emulate_media(color_scheme="dark")
    after = luminances(visit, "main")
    assert before[0] - after[0] > 0.8
