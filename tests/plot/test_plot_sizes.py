"""Pictures stay legible in any size: no text lies on another, and numbers lie in their cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from plot_cases import PICTURES, ticks

import biasamp_adapters as bam

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning:matplotlib"),
    # The font of matplotlib has no emoji; a box stands for them.
    pytest.mark.filterwarnings("ignore:Glyph .* missing from:UserWarning"),
    pytest.mark.filterwarnings("ignore:Matplotlib currently does not support:UserWarning"),
]

CROSSED = [
    f"{race}, {sex}" for race in ("African-American", "Caucasian") for sex in ("Men", "Women")
]
REGIONS = [f"Region Lakeside, district {i} of the northern coast" for i in range(40)]
HOSTILE = [
    "$x$ <b>",
    "שלום of a name that is long",
    "\U0001f469\u200d\U0001f680 $\\frac$",
    "x" * 300,
]
CASES = {
    "2 groups, 66 tasks": (["man", "woman"], 66),
    "4 long groups, 2 tasks": (CROSSED, 2),
    "12 groups, 6 tasks": (REGIONS[:12], 6),
    "40 groups, 20 tasks": (REGIONS, 20),
    "hostile": (HOSTILE, 3),
}


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Sizes are those of the default style."""
    with plt.style.context("default"):
        yield


def table(groups: list[str], n_tasks: int) -> pd.DataFrame:
    """Pairs with rates and intervals."""
    rng = np.random.default_rng(0)
    n = len(groups) * n_tasks
    true, move = rng.uniform(0.1, 0.6, n), rng.normal(0.03, 0.05, n)
    return pd.DataFrame(
        {
            "attribute": groups * n_tasks,
            "task": np.repeat([f"occupation {i}" for i in range(n_tasks)], len(groups)),
            "value": move,
            "sign": np.sign(true - 0.3).astype(int),
            "low": move - 0.04,
            "high": move + 0.04,
            "true": true,
            "predicted": (true + move).clip(0, 1),
            "overall": 0.35,
        }
    )


def boxes(ax: Axes) -> dict[Text, Bbox]:
    """The boxes of all texts that are visible in a drawn figure."""
    figure = ax.figure
    figure.draw_without_rendering()  # type: ignore[union-attr]
    left = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    # Ticks that lie outside of the limits are not drawn.
    view = Bbox.from_bounds(0, 0, figure.bbox.width, figure.bbox.height)
    drawn = {text: text.get_window_extent() for text in left}
    return {text: box for text, box in drawn.items() if view.overlaps(box)}


def is_turned(text: Text) -> bool:
    return text.get_rotation() % 90 != 0


def check(ax: Axes) -> None:
    """No text lies on another; all but numbers lie in the figure."""
    # Boxes of turned texts overlap without the texts; their distance is tested by itself.
    found = {text: box for text, box in boxes(ax).items() if not is_turned(text)}
    low, high = (
        np.array([box.min for box in found.values()]),
        np.array([box.max for box in found.values()]),
    )
    common = np.minimum(high, high[:, None]) - np.maximum(low, low[:, None])
    overlap = np.triu((common >= 1).all(axis=-1), k=1)
    names = [text.get_text() for text in found]
    assert not [(names[i], names[j]) for i, j in np.argwhere(overlap)]


LOOKS = [
    (case, *look)
    for case in CASES
    for look in [("default", "map"), ("default", "rows"), ("seaborn-v0_8", "auto")]
]


# The dark style has other colours than the default one, and texts of the same size.
@pytest.mark.parametrize(
    ("case", "style", "kind"), [*LOOKS, ("hostile", "dark_background", "auto")]
)
def test_pairs_in_a_new_figure(case: str, style: str, kind: Any) -> None:
    with plt.style.context(style):
        ax = bam.plot.pairs(table(*CASES[case]), kind=kind)
        check(ax)
        rows = len(ticks(ax))
        # Each row has its height, whatever the labels need.
        assert ax.get_window_extent().height / ax.figure.dpi == pytest.approx(0.28 * rows, abs=0.02)


@pytest.mark.parametrize("width", [3.3, 6, 10])
@pytest.mark.parametrize("case", CASES)
def test_numbers_lie_in_their_cells(case: str, width: float) -> None:
    _, ax = plt.subplots(figsize=(width, 5), layout="constrained")
    groups, n_tasks = CASES[case]
    bam.plot.pairs(table(groups, n_tasks), kind="map", ax=ax)
    found = boxes(ax)
    cell = ax.get_window_extent().width / len(groups)
    drawn = [box for text, box in found.items() if text in ax.texts]
    assert all(box.width <= 0.9 * cell for box in drawn)
    # All of them, or none.
    assert len(drawn) in (0, len(groups) * n_tasks)


def test_numbers_follow_the_size_of_the_figure() -> None:
    ax = bam.plot.pairs(table(REGIONS[:12], 2), kind="map")
    seen = []
    for width in (14, 6, 2.5, 14):
        ax.figure.set_size_inches(width, 4)  # type: ignore[union-attr]
        ax.figure.canvas.draw()
        seen.append((ax.texts[0].get_visible(), len(ax.texts[0].get_text().split())))
    # With the triangle, without it, no number at all, and all again.
    assert [shown for shown, _ in seen] == [True, True, False, True]
    assert [words for _, words in seen][:2] == [2, 1]
    assert seen[3] == seen[0]


def test_turned_labels_are_apart() -> None:
    ax = bam.plot.pairs(table(CROSSED, 2))
    ax.figure.canvas.draw()
    labels = ax.get_xticklabels()
    assert {label.get_rotation() for label in labels} == {40}
    step = ax.get_window_extent().width / len(labels)
    labels[0].set_rotation(0)
    assert step * np.sin(np.radians(40)) > labels[0].get_window_extent().height


def test_long_names_lose_what_they_share() -> None:
    ax = bam.plot.pairs(table(REGIONS[:12], 2))
    assert ticks(ax, "x") == [f"…{i}…" for i in range(12)]
    # Short names stay as they are.
    assert ticks(bam.plot.pairs(table(["group a", "group b", "group c"], 2)), "x")[0] == "group a"


def test_missing_pairs_are_hatched_and_counted() -> None:
    ax = bam.plot.pairs(table(CROSSED, 2).iloc[:-1])
    assert ax.patch.get_hatch()
    assert ax.get_title(loc="left") == "7 of 8 pairs; hatched ones have no value"


@pytest.mark.parametrize("layout", [None, "constrained"])
@pytest.mark.parametrize("picture", ["intervals", "runs", "curves", "sweep"])
def test_legend_covers_nothing(picture: str, layout: Any) -> None:
    # Three panels of a low figure, each with a title.
    figure, axes = plt.subplots(1, 3, figsize=(6, 1.6 if layout is None else 2.2), layout=layout)
    for ax in axes:
        PICTURES[picture](ax)
        ax.set_title("a title", fontsize="small")
        if layout is not None:
            # Labels may be set afterwards, and larger than those before.
            ax.set_xlabel("a label", fontsize="large")
    figure.canvas.draw()
    legends = [ax.get_legend().get_window_extent() for ax in axes]
    for ax, box in zip(axes, legends, strict=True):
        assert not box.overlaps(ax.title.get_window_extent())
        assert not box.overlaps(ax.xaxis.label.get_window_extent())
        assert not any(box.overlaps(other.get_window_extent()) for other in axes if other is not ax)
        for line in ax.lines:
            points = np.column_stack([np.ravel(of) for of in line.get_data()])
            if line.get_transform() == ax.transData:
                places = ax.transData.transform(points)
                assert not box.count_contains(places), line
    assert not any(one.overlaps(other) for one, other in combinations(legends, 2))


NEW: dict[str, Callable[[Axes | None], Axes]] = {
    name: draw for name, draw in PICTURES.items() if name != "behaviour"
}


@pytest.mark.parametrize("name", NEW)
def test_texts_of_a_new_figure_are_apart(name: str) -> None:
    check(NEW[name](None))
