"""Axes, colours, names and legends that all pictures share."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy

from biasamp_adapters import words
from biasamp_adapters.figures import MINUS, clean

GREY = "#5f6973"

#: How the line of no change is drawn.
ZERO: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "zorder": 0}

#: The colours of reports on a light ground, by meaning.
COLOURS = {"up": "#b84f00", "down": "#0a66a8", "turned": "#7b4ba0", "unclear": GREY, "": GREY}

#: Inches: the width of a new figure, its height without rows, a row, and each further line of one.
_WIDTH, _AROUND, _ROW, _FURTHER = 7.0, 1.2, 0.3, 0.14

#: Characters of a line of names, and of one of a title or of all names below the axes.
_LINE, _TITLE = 30, 58

#: Most names below the axes, and the look of those that are turned.
_MOST_NAMES = 20
_TURN: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}

#: The columns of a number; ends are NaN where there is no interval.
NUMBER = ["value", "low", "high"]

#: Names of which the side of 0 has a meaning; of relative changes, and of those of a named quality;
#: of shares; and of what looks like a share and is none.
_SIGNED = r"(?i)(ba|mals|la|dpa|excess|(mean.)?change|part of ba)(?![a-z])"
_RELATIVE = r"(?i)dpa|la\("
_SHARE = (
    r"(?i)multi|.*(rate|share|accuracy|precision|recall|f1|auc|[ft][np]r|difference)s?(?![a-z])"
)
_NO_SHARE = r"(?i).*(ratio|loss|error)"


def axes_for(ax: Axes | None, height: float) -> Axes:
    """Return the axes given, or those of a new figure of so many inches."""
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=(_WIDTH, height), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def axes_with_rows(ax: Axes | None, names: Sequence[str]) -> Axes:
    """Return axes with named rows at 0, 1, ... from the top; each side of a gap has its line."""
    lines = [wrap(name).count("\n") for name in names]
    ax = axes_for(ax, _AROUND + len(names) * (_ROW + _FURTHER * max(lines)))
    ax.set_yticks(range(len(names)), map(wrap, names), parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0, labelsize="small" if any(lines) else "medium")
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


def check_columns(frame: Any, *columns: Any) -> pd.DataFrame:
    """Return a frame with its values and their ends as floats; raise unless it has columns."""
    known = list(frame) if isinstance(frame, pd.DataFrame) else []
    if not all(column in known for column in columns):
        received = ", ".join(map(str, known)) or f"a {type(frame).__name__}"
        raise ValueError(f"a frame needs {', '.join(map(str, columns))}; received {received:.150}")
    return frame.assign(**frame.filter(regex="^(value|(band_)?(low|high))$").astype(float))


def name_columns(ax: Axes, names: Sequence[str]) -> None:
    """Name places 0, 1, ... of the x axis: turned if they are wide, and not all if too many."""
    step = math.ceil(len(names) / _MOST_NAMES)
    turn = _TURN if sum(map(len, names)) > _TITLE else {}
    ax.set_xticks(range(0, len(names), step), names[::step], parse_math=False, **turn)


def write_beside(ax: Axes, y: float, text: str, colour: str) -> None:
    """Write a text at the right of a row."""
    look: dict[str, Any] = {"color": colour, "va": "center", "parse_math": False}
    ax.annotate(text, (1, y), (6, 0), ax.get_yaxis_transform(), "offset points", **look)


def add_title(ax: Axes, title: str) -> None:
    """Write a title, on as many lines as it needs."""
    ax.set_title(fill(title, _TITLE), loc="left", fontsize="medium", parse_math=False)


def scale_in_hundredths(axis: Axis, unit: str = "") -> None:
    """Print fractions times 100, perhaps with a unit, at a few round ticks."""
    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(lambda x, _: f"{round(100 * x, 6):g}{unit}".replace("-", MINUS))


def label_numbers(axis: Axis, names: Sequence[str], unit: str) -> None:
    """Label an axis with its unit, in which it then is, and with the name if there is only one."""
    if unit:
        scale_in_hundredths(axis)
    label = [*(names if len(names) == 1 else []), unit]
    axis.set_label_text(", ".join(filter(None, label)), parse_math=False)


def is_signed(metric: str) -> bool:
    """Return whether the side of 0 has a meaning for a metric."""
    return re.match(_SIGNED, metric) is not None


def unit_of(metric: str) -> str:
    """Return the unit of what is drawn in hundredths; what is not known to be a share has none."""
    if re.match(_RELATIVE, metric):
        return "times 100"
    is_share = re.match(_SHARE, metric) and not re.match(_NO_SHARE, metric)
    return "points" if is_share or is_signed(metric) else ""


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


def tone_marks(tones: Any, *look: str, texts: Any = words.PICTURE_SIDES) -> list[Line2D]:
    """Return entries of a legend for the colours that occur and have a text."""
    return [mark(text, COLOURS[x], *look) for x, text in texts.items() if x in tones]


def add_legend(ax: Axes, marks: Sequence[Line2D]) -> None:
    """Add a legend below the label of the x axis, if it has entries."""
    if not marks:
        return
    figure: Any = ax.figure
    turned = [len(x.get_text()) for x in ax.get_xticklabels() if x.get_rotation()]
    depth = (4.2 + 0.4 * max(turned, default=0)) * mpl.rcParams["font.size"]
    below = offset_copy(ax.transAxes, figure, y=-depth, units="points")
    look: dict[str, Any] = {"frameon": False, "fontsize": "small", "bbox_transform": below}
    legend = ax.legend(handles=marks, ncols=2, loc="upper left", bbox_to_anchor=(0, 0), **look)
    for text in legend.get_texts():
        text.set_parse_math(False)
