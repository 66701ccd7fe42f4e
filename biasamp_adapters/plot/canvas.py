"""Axes, colours, names and legends that all pictures share."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from textwrap import fill
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from biasamp_adapters import words
from biasamp_adapters.figures import MINUS, clean

GREY = "#5f6973"

#: How the line of no change is drawn.
ZERO: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "zorder": 0}

#: The colours of reports on a light ground, by meaning.
COLOURS = {"up": "#b84f00", "down": "#0a66a8", "turned": "#7b4ba0", "unclear": GREY, "": GREY}

#: Inches: the width of a new figure, its height without rows, a row, and each further line of one.
_WIDTH, _AROUND, _ROW, _FURTHER = 7.0, 1.2, 0.3, 0.14

#: Characters of a line of names, and of one of a legend with three columns.
_LINE, _LEGEND = 30, 20

#: Metrics of which the side of 0 has a meaning.
_SIGNED = re.compile(r"(ba|mals|la|dpa|excess|mean change)\b", re.IGNORECASE)


def axes_for(ax: Axes | None, height: float) -> Axes:
    """Return the axes given, or those of a new figure: so many inches high with usual fonts."""
    if ax is None:
        from matplotlib import pyplot

        scale = mpl.rcParams["font.size"] / 10
        size = _WIDTH * scale, height * scale
        ax = pyplot.subplots(figsize=size, layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise ValueError(f"ax must be matplotlib Axes; received a {type(ax).__name__}")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def axes_with_rows(ax: Axes | None, names: Sequence[str]) -> Axes:
    """Return axes with named rows at 0, 1, ... from the top; each side of a gap has its line."""
    lines = [wrap(name).count("\n") for name in names]
    ax = axes_for(ax, _AROUND + len(names) * (_ROW + _FURTHER * max(lines)))
    size = "small" if any(lines) else "medium"
    ax.set_yticks(range(len(names)), map(wrap, names), parse_math=False, fontsize=size)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return ax


def wrap(name: str) -> str:
    """Return a name on as many lines as it needs."""
    if len(name) > _LINE:
        name = name.replace(f" {MINUS} ", f" {MINUS}\n")
    return "\n".join(fill(line, _LINE, break_on_hyphens=False) for line in name.split("\n"))


def printed(labels: Iterable[Any], most: int = 2 * _LINE) -> list[str]:
    """Return names on one line each; long ones lose their middle, unless some become equal."""
    texts = [clean(str(label)).replace("->", "→") for label in labels]
    half = most // 2
    cut = [x if len(x) <= most else f"{x[:half].rstrip()}…{x[-half:].lstrip()}" for x in texts]
    return cut if len(set(cut)) == len(set(texts)) else texts


def check_columns(frame: Any, *columns: str) -> None:
    """Raise unless something is a frame with these columns."""
    known = list(map(str, frame)) if isinstance(frame, pd.DataFrame) else []
    if not {*columns} <= {*known}:
        received = ", ".join(known) or f"a {type(frame).__name__}"
        raise ValueError(f"a frame needs {', '.join(columns)}; received {received:.150}")


def write_beside(ax: Axes, y: float, text: str, colour: str) -> None:
    """Write a text at the right of a row."""
    look: dict[str, Any] = {"color": colour, "va": "center", "parse_math": False}
    ax.annotate(text, (1, y), (6, 0), ax.get_yaxis_transform(), "offset points", **look)


def scale_in_hundredths(axis: Axis, unit: str = "") -> None:
    """Print fractions as points or, with a unit, in per cent, at a few round ticks."""
    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(lambda x, _: f"{round(100 * x, 6):g}{unit}".replace("-", MINUS))


def is_signed(metric: str) -> bool:
    """Return whether the side of 0 has a meaning for a metric."""
    return _SIGNED.match(metric.replace("_", " ")) is not None


def is_share(metric: str, largest: float) -> bool:
    """Return whether the numbers of a metric are fractions, unlike ratios, counts and losses."""
    return is_signed(metric) or not (largest > 1 or "ratio" in re.split("[ _]", metric.lower()))


def side_of(metric: str, low: float, high: float) -> str:
    """Return the side of 0 of an interval, or plain if there is none."""
    if not (low <= high and is_signed(metric)):
        return "plain"
    return "up" if low > 0 else "down" if high < 0 else "unclear"


def colour_of(side: str) -> str:
    """Return the colour of a side; numbers without one look as text does."""
    return COLOURS.get(side, mpl.rcParams["text.color"])


def mark(label: str, colour: str, shape: str = "o", line: str = "", face: Any = None) -> Line2D:
    """Return an entry of a legend."""
    return Line2D([], [], color=colour, marker=shape, ls=line, mfc=face or colour, label=label)


def tone_marks(
    tones: Collection[str], *look: str, texts: Mapping[str, str] = words.PICTURE_SIDES
) -> list[Line2D]:
    """Return entries of a legend for the colours that occur and have a text."""
    return [mark(text, COLOURS[x], *look) for x, text in texts.items() if x in tones]


def add_legend(ax: Axes, marks: Sequence[Line2D]) -> None:
    """Add a legend below the label of the x axis, if it has entries."""
    if not marks:
        return
    longest = max(len(line) for x in marks for line in str(x.get_label()).split("\n"))
    down = ScaledTranslation(0, -4.2 * mpl.rcParams["font.size"] / 72, ax.figure.dpi_scale_trans)
    place: dict[str, Any] = {"bbox_to_anchor": (0, 0), "bbox_transform": ax.transAxes + down}
    look: dict[str, Any] = {"loc": "upper left", "frameon": False, "fontsize": "small"}
    for text in ax.legend(
        handles=marks, ncols=2 if longest > _LEGEND else 3, **place, **look
    ).get_texts():
        text.set_parse_math(False)
