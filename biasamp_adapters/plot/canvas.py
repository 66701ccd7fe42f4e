"""Colours, axes, labels and scales that all pictures share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import CenteredNorm, LinearSegmentedColormap

from biasamp_adapters._text import clean, shortened
from biasamp_adapters._typing import Array

#: From Okabe and Ito, "Color Universal Design", 2008: most readers can distinguish these.
REDUCED, AMPLIFIED, UNCLEAR = "#0072b2", "#d55e00", "#6e7781"
SERIES = (REDUCED, AMPLIFIED, "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
#: Line styles of curves, which differ in colour too.
LINES = ("-", "--", "-.", ":")

#: The colour between the cells of a table.
GAP = "#fefefe"

#: Close to REDUCED and AMPLIFIED but not equal: a page in dark mode replaces those two colours, and
#: must not replace the colours of cells.
DIVERGING = LinearSegmentedColormap.from_list("biasamp", ["#0571b1", "#f6f6f6", "#d65f05"])

#: Width of a new figure, and height of a row in it, in inches.
WIDTH, ROW = 6.0, 0.32

#: The number of characters that fit beside an axis.
NAME = 28


def axes_of(ax: Axes | None, height: float) -> Axes:
    """The given axes, or those of a new figure that is ``height`` inches high."""
    if ax is None:
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(figsize=(WIDTH, height), layout="constrained")
    if not isinstance(ax, Axes):
        raise ValueError(f"ax must be matplotlib Axes or None; received {ax!r}")
    return ax


def shown(text: object) -> str:
    """A name for a picture: one line without control characters, shortened to fit."""
    return shortened(clean(str(text)), NAME)


def named_rows(ax: Axes, names: Iterable[object], axis: str = "y") -> None:
    """Set named ticks at 0, 1, ...; rows run from the top down, and dollar signs stay text."""
    labels = [shown(name) for name in names]
    set_ticks = ax.set_yticks if axis == "y" else ax.set_xticks
    set_ticks(range(len(labels)), labels, parse_math=False)
    ax.tick_params(axis=axis, length=0)  # type: ignore[arg-type]  # "x" or "y"
    if axis == "y":
        ax.set_ylim(len(labels) - 0.5, -0.5)


def zero_line(ax: Axes, axis: str = "x") -> None:
    """Draw the line of no amplification."""
    draw = ax.axvline if axis == "x" else ax.axhline
    draw(0, color=mpl.rcParams["axes.edgecolor"], linewidth=0.8, zorder=0)


def reach_of(numbers: Any) -> float:
    """How far from 0 a scale must reach to show all finite numbers."""
    values = np.asarray(numbers, dtype=float)
    finite = np.abs(values[np.isfinite(values)])
    # If all numbers are 0, any scale is suitable.
    return 1.1 * float(finite.max(initial=0.0)) or 0.01


def heat_map(
    ax: Axes, x: Array, y: Array, cells: Array, reach: float | None = None, **options: Any
) -> QuadMesh:
    """Draw cells in colours centred on 0 and strongest at ``reach``; NaN stays empty."""
    norm = CenteredNorm(0, reach_of(cells) if reach is None else reach)
    return ax.pcolormesh(x, y, np.ma.masked_invalid(cells), cmap=DIVERGING, norm=norm, **options)


def ink_on(colours: Array) -> list[str]:
    """Black or white for text on each colour, whichever contrasts more."""
    channels = np.asarray(colours)[..., :3]
    # Relative luminance, and the level at which both have the same contrast ratio (WCAG 2.2).
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return ["#000000" if light > 0.179 else "#ffffff" for light in np.ravel(luminance)]
