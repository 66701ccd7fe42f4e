"""What notebooks show, in the style sheets of notebooks: small, whole and readable."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from audited_reports import (
    AMPLIFIED,
    FOLLOWS,
    GROUP,
    TRUTH,
    card_of,
    every_part,
    hostile,
    many_pairs,
    six_models,
    two_models,
)
from notebook_hosts import HOSTS, Host, sanitized
from pages import COLOURS, Opener, opened, unfold, violations

import biasamp_adapters as bam

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Without IPython, nbconvert colours the code of a cell as plain Python; cells here have no code.
pytestmark = pytest.mark.filterwarnings("ignore:IPython3 lexer unavailable:UserWarning")

__all__ = ["opened"]

#: Pixels that a card may be high, also one whose names have ten thousand characters.
HIGHEST = 450


@cache
def other(kind: str) -> Any:
    """Another kind of object that a notebook shows as a card."""
    metric = bam.DirectionalBiasAmplification(direction="A->T")
    models = {"follows <b>": FOLLOWS, "amplified": AMPLIFIED, "x" * 80: TRUTH}
    if kind == "result":
        return metric.result(TRUTH, AMPLIFIED, sensitive_features=GROUP, n_boot=50)
    if kind == "comparison":
        return bam.compare(metric, TRUTH, models, sensitive_features=GROUP, n_boot=50)
    fairlearn = pytest.importorskip("biasamp_adapters.fairlearn", reason="Fairlearn is missing")
    return fairlearn.amplification_frame(
        TRUTH,
        AMPLIFIED,
        sensitive_features={"region <i>": GROUP},
        metrics={"BA": metric, "MALS": bam.MALS()},
        n_boot=50,
        ci_quantiles=[0.025, 0.975],
    )


#: Cards of all kinds.
CARDS: dict[str, Callable[[], str]] = {
    "two models": lambda: card_of(two_models),
    "every part": lambda: card_of(every_part),
    "many pairs": lambda: card_of(many_pairs),
    "six models": lambda: card_of(six_models),
    "hostile": lambda: card_of(hostile),
    **{
        kind: lambda kind=kind: other(kind)._repr_html_()  # type: ignore[misc]
        for kind in ("result", "comparison", "frame")
    },
}

#: JavaScript: what is not whole in a card. Cells that are cut or cover one another, and words that
#: stand on more than one line.
FAULTS = """(card) => {
  const seen = (one) => one.offsetWidth > 2 && one.offsetHeight > 2;
  const cells = [...card.querySelectorAll("th, td, dt, dd")].filter(seen);
  const cut = cells.filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => `cut: ${one.textContent.slice(0, 40)}`);
  const boxes = cells.slice(0, 200).map((one) => one.getBoundingClientRect());
  const covered = boxes.flatMap((one, i) => boxes.slice(i + 1).filter((other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1)).map(() => "covered");
  const broken = [], range = document.createRange();
  const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!seen(node.parentElement) || node.parentElement.closest("style")) continue;
    for (const word of node.textContent.matchAll(/[\\p{L}\\p{N}_'’.,+−]{2,24}/gu)) {
      if (/[\\p{L}\\p{N}_]{25}/u.test(node.textContent)) continue;  // No line is long enough.
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((one) => Math.round(one.bottom)));
      if (lines.size > 1) broken.push(`broken: ${word[0]}`);
    }
  }
  return [...new Set([...cut, ...covered, ...broken])];
}"""

#: JavaScript: the least contrast of a text of a card to what is behind it.
LEAST_CONTRAST = f"""(card) => {{
  {COLOURS}
  const behind = (one) => {{
    for (let at = one; at; at = at.parentElement) {{
      const colour = getComputedStyle(at).backgroundColor;
      if (channels(colour)[3] === 255) return colour;
    }}
    return "#ffffff";
  }};
  const all = [...card.querySelectorAll("p, th, td, summary, strong, span")]
    .filter((one) => one.offsetHeight > 0 && one.textContent.trim());
  return Math.min(...all.map((one) => contrast(getComputedStyle(one).color, behind(one))));
}}"""


#: Shows all cards in a host, as wide as asked for.
Shown = Callable[..., "Page"]


@pytest.fixture(scope="module")
def shown(opened: Opener, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """A notebook shows all cards, in the same tab for all hosts, as a new one takes much longer."""
    folder = tmp_path_factory.mktemp("notebooks")
    tab = opened("").page

    @cache
    def written(host: Host) -> str:
        file = folder / f"{HOSTS.index(host)}.html"
        file.write_text(host.page(make() for make in CARDS.values()), encoding="utf-8")
        return file.as_uri()

    def to_show(host: Host, width: int = 900) -> Page:
        # The system prefers the other scheme.
        tab.emulate_media(color_scheme="light" if host.dark else "dark")
        tab.set_viewport_size({"width": width, "height": 844})
        tab.goto(written(host))
        return tab

    return to_show


def cards(page: Page) -> dict[str, Locator]:
    """The cards of a page, by their names."""
    return dict(zip(CARDS, page.locator(".biasamp-card").all(), strict=True))


@pytest.mark.parametrize("host", HOSTS, ids=str)
def test_cards_are_whole_in_every_host(shown: Shown, host: Host) -> None:
    page = shown(host)
    for width in (1400, 900, 600):
        page.set_viewport_size({"width": width, "height": 844})
        for name, card in cards(page).items():
            beyond, high = card.evaluate(
                "(one) => [one.scrollWidth - one.clientWidth, one.offsetHeight]"
            )
            assert beyond == 0, f"{name}, {width} pixels"
            assert high <= HIGHEST, f"{name}, {width} pixels"
            assert card.evaluate(FAULTS) == [], f"{name}, {width} pixels"


@pytest.mark.parametrize("host", HOSTS, ids=str)
def test_folded_parts_are_whole_too(shown: Shown, host: Host) -> None:
    found = cards(unfold(shown(host, 1400)))
    for name in ("every part", "frame"):
        assert found[name].evaluate(FAULTS) == [], name


@pytest.mark.parametrize("host", HOSTS, ids=str)
def test_text_stands_out_whatever_the_system_prefers(shown: Shown, host: Host) -> None:
    card = cards(unfold(shown(host)))["every part"]
    # WCAG 2.2, 1.4.3.
    assert card.evaluate(LEAST_CONTRAST) >= 4.5


@pytest.mark.parametrize("host", HOSTS, ids=str)
def test_axe_finds_nothing_in_the_cards(shown: Shown, host: Host) -> None:
    found = violations(shown(host))
    assert [one for one in found if "biasamp" in one or "style=" in one] == []


def test_first_screen_survives_without_trust(shown: Shown) -> None:
    texts, pictures = [], []
    for host in (HOSTS[0], HOSTS[2]):
        found = cards(shown(host))
        texts.append({name: card.inner_text().split() for name, card in found.items()})
        pictures.append({name: card.locator("img").count() for name, card in found.items()})
    assert texts[0] == texts[1]
    assert pictures[0] == pictures[1]
    assert min(pictures[0].values()) > 0
    loaded = "all => all.every((one) => one.complete && one.naturalWidth > 0)"
    assert all(card.locator("img").evaluate_all(loaded) for card in found.values())


def test_what_is_not_trusted_is_removed() -> None:
    drawn = "<style>p {}</style><svg><text>x</text></svg>"
    assert sanitized(f"{drawn}<b onclick='y' title=t>z</b>") == 'x<b title="t">z</b>'
    styled = "<p style='opacity:.5;text-align:start;margin:2px 0'>a</p>"
    assert sanitized(styled) == '<p style="margin: 2px 0">a</p>'


@pytest.mark.parametrize("name", CARDS)
def test_styles_in_place_are_all_let_through(name: str) -> None:
    # Else an untrusted card would look different from what its template says.
    _, _, body = CARDS[name]().partition("</style>")
    before, after = (re.findall('style="([^"]*)"', html) for html in (body, sanitized(body)))
    counts = [[len(style.strip(";").split(";")) for style in styles] for styles in (before, after)]
    assert counts[0] == counts[1]


@pytest.mark.parametrize("make", [two_models, many_pairs])
def test_second_display_is_that_of_the_first(make: Callable[[], bam.AuditReport]) -> None:
    assert make()._repr_html_() is make()._repr_html_()


@pytest.mark.parametrize("kind", ["result", "comparison", "frame"])
def test_small_cards_are_kept(kind: str) -> None:
    assert other(kind)._repr_html_() is other(kind)._repr_html_()
