"""Light or dark as the reader prefers, pictures too: everything stands out from what is behind."""

from __future__ import annotations

import pytest
from audited_reports import every_part, html_of
from pages import COLOURS, Opener, Visit, opened

__all__ = ["opened"]

#: JavaScript: what pictures are drawn with, and its contrast to the surface. A band is nearly
#: transparent, behind a line of the same colour; what is drawn as the surface has a stroke.
MARKS = f"""all => {{
  {COLOURS}
  const surface = getComputedStyle(document.querySelector(".biasamp")).backgroundColor;
  const marks = all.flatMap((one) => [...one.querySelectorAll("line, circle, path, polyline")]);
  const found = marks.flatMap((one) => {{
    const style = getComputedStyle(one);
    return [style.fill, style.stroke].filter((colour) => colour !== "none" && colour !== surface)
      .filter((colour) => !(one.tagName === "line" && colour === style.fill));
  }});
  return [...new Set(found)].map((colour) => [colour, contrast(colour, surface)]);
}}"""


@pytest.fixture(scope="module")
def schemes(opened: Opener) -> dict[str, Visit]:
    """The same page for readers who prefer light pages, and dark ones."""
    html = html_of(every_part)
    return {name: opened(html, width=1600, color_scheme=name) for name in ("light", "dark")}


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
def test_marks_of_pictures_stand_out(schemes: dict[str, Visit], scheme: str) -> None:
    found = schemes[scheme].page.locator("svg").evaluate_all(MARKS)
    assert len(found) >= 4
    # WCAG 2.2, 1.4.11.
    assert [mark for mark in found if mark[1] < 3] == []


def test_marks_of_pictures_follow_the_scheme(schemes: dict[str, Visit]) -> None:
    light, dark = (
        {colour for colour, _ in schemes[name].page.locator("svg").evaluate_all(MARKS)}
        for name in ("light", "dark")
    )
    # The lines of 0 are a grey that stands out from both.
    assert len(light & dark) <= 1
    assert len(light) == len(dark)


def test_reader_can_change_their_mind(opened: Opener) -> None:
    visit = opened(html_of(every_part), color_scheme="light")
    before = luminances(visit, "main")
    visit.page.emulate_media(color_scheme="dark")
    after = luminances(visit, "main")
    assert before[0] - after[0] > 0.8
