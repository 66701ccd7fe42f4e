"""What the pictures share: colours, axes, text that stays text, and a scale centred on 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import CenteredNorm, LinearSegmentedColormap

from biasamp_adapters._text import clean, shortened
from biasamp_adapters._typing import Array

#: Of Okabe and Ito, "Color Universal Design", 2008: most readers tell these apart.
REDUCED, AMPLIFIED, UNCLEAR = "#0072b2", "#d55e00", "#6e7781"
SERIES = (REDUCED, AMPLIFIED, "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
#: Neither colour nor shape alone has to tell curves apart.
LINES = ("-", "--", "-.", ":")

#: What lies between the cells of a table.
GAP = "#fefefe"

#: From nearly the one to nearly the other: in the dark a page has other shades of both themselves,
#: while cells stay as they are.
DIVERGING = LinearSegmentedColormap.from_list("biasamp", ["#0571b1", "#f6f6f6", "#d65f05"])

#: Inches of a picture of its own, and of a row in it.
WIDTH, ROW = 6.0, 0.32

#: Characters of a name that fit beside an axis.
NAME = 28


def axes_of(ax: Axes | None, height: float) -> Axes:
    """The axes to draw on: those given, or of a new figure of ``height`` inches."""
    if ax is None:
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(figsize=(WIDTH, height), layout="constrained")
    if not isinstance(ax, Axes):
        raise ValueError(f"ax must be matplotlib Axes or None; received {ax!r}")
    return ax


def said(text: object, most: int = NAME) -> str:
    """A name as it stands in a picture: one line, without what acts on a reader, not too long."""
    return shortened(clean(str(text)), most)


def named_rows(ax: Axes, names: Iterable[object], axis: str = "y") -> None:
    """Ticks 0, 1, ... with names, read from the top; a dollar sign is no formula."""
    shown = [said(name) for name in names]
    set_ticks = ax.set_yticks if axis == "y" else ax.set_xticks
    set_ticks(range(len(shown)), shown, parse_math=False)
    ax.tick_params(axis=axis, length=0)  # type: ignore[arg-type]  # "x" or "y"


def bare(ax: Axes) -> None:
    """Take away the lines around axes that carry no numbers."""
    ax.spines[["top", "right", "left"]].set_visible(False)


def zero_line(ax: Axes, axis: str = "x") -> None:
    """The line of no amplification."""
    draw = ax.axvline if axis == "x" else ax.axhline
    draw(0, color=mpl.rcParams["axes.edgecolor"], linewidth=0.8, zorder=0)


def reach_of(*numbers: Any) -> float:
    """How far from 0 a scale must go to hold all that is finite."""
    values = np.concatenate([np.ravel(np.asarray(each, dtype=float)) for each in numbers])
    finite = np.abs(values[np.isfinite(values)])
    # Of nothing but zeros any scale shows the same.
    return 1.1 * float(finite.max(initial=0.0)) or 0.01


def centred(values: Array) -> CenteredNorm:
    """Colours of values: 0 in the middle, both sides to the same length."""
    return CenteredNorm(0, reach_of(values))


def ink_on(colours: Array) -> list[str]:
    """Black or white for text on each colour, whichever contrasts more."""
    channels = np.asarray(colours)[..., :3]
    # Relative luminance and the level at which both contrast alike: WCAG 2.2, "contrast ratio".
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return ["#000000" if light > 0.179 else "#ffffff" for light in np.ravel(luminance)]
