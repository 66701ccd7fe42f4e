"""Colours, axes, labels and scales that all pictures share."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import QuadMesh
from matplotlib.colors import CenteredNorm, LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox

from biasamp_adapters._text import MINUS, clean, shortened
from biasamp_adapters._typing import Array

#: From Okabe and Ito, "Color Universal Design", 2008: most readers can distinguish these.
REDUCED, AMPLIFIED, UNCLEAR = "#0072b2", "#d55e00", "#6e7781"
SERIES = (REDUCED, AMPLIFIED, "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
#: Line styles of curves, which differ in colour too.
LINES = ("-", "--", "-.", ":")

#: What is clearly above 0, clearly below it, and neither: its colour, and a word for pairs.
TONES = {1: AMPLIFIED, -1: REDUCED, 0: UNCLEAR}
_WORDS = {1: "amplifies", -1: "reduces", 0: "unclear"}

#: The colour between the cells of a table.
GAP = "#fefefe"

#: Close to REDUCED and AMPLIFIED but not equal: a page in dark mode replaces those two colours, and
#: must not replace the colours of cells.
DIVERGING = LinearSegmentedColormap.from_list("biasamp", ["#0571b1", "#f6f6f6", "#d65f05"])

#: Width of a new figure, and height of a row in it, in inches.
WIDTH, ROW = 6.0, 0.32

#: The number of characters that fit beside an axis, and what longer names may grow to, if they
#: would be equal otherwise.
NAME, _LONGER = 28, (40, 56)

#: Width of the edge of hollow marks, which some styles leave out.
EDGE = 1.1

#: The space around a legend, in points.
_GAP = 4


def axes_of(ax: Axes | None, height: float) -> Axes:
    """The given axes, or those of a new figure that is ``height`` inches high."""
    if ax is None:
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(figsize=(WIDTH, height), layout="constrained")
    if not isinstance(ax, Axes):
        raise ValueError(f"ax must be matplotlib Axes or None; received {ax!r}")
    return ax


def fit_height(ax: Axes, rows: float) -> None:
    """Make a figure of one picture so high that rows of these inches fit, and all labels."""
    figure = ax.figure.figure
    figure.set_size_inches(figure.get_figwidth(), rows + 4)
    lay_out(ax)
    around = figure.get_figheight() - ax.get_window_extent().height / figure.dpi
    figure.set_size_inches(figure.get_figwidth(), rows + around)
    lay_out(ax)


def finish(ax: Axes, rows: float | None, marks: Sequence[Line2D] = ()) -> None:
    """Add a legend of marks by their labels; a new figure has rows of so many inches in height."""
    if marks:
        if rows is not None:
            lay_out(ax)
        legend(ax, marks)
    if rows is not None:
        fit_height(ax, rows)


def mark(
    name: str, colour: str, shape: str = "o", *, hollow: bool = False, size: float | None = None
) -> Line2D:
    """An entry of a legend."""
    face = "none" if hollow else colour
    options: dict[str, Any] = {"linestyle": "", "marker": shape, "markeredgewidth": EDGE}
    options |= {"markerfacecolor": face, "markersize": size}
    return Line2D([], [], color=colour, label=name, **options)


def tone_marks(prefix: str, tones: Collection[int]) -> list[Line2D]:
    """The entries of a legend for the colours of some pairs."""
    return [mark(prefix + word, TONES[i]) for i, word in _WORDS.items() if i in tones]


def group_marks(groups: Sequence[object], shapes: Iterable[str]) -> list[Line2D]:
    """The entries of a legend for the shapes of groups."""
    names = told_apart(groups)
    return [mark(name, UNCLEAR, shape) for name, shape in zip(names, shapes, strict=True)]


def few_ticks(axis: Axis, most: int) -> None:
    """Round ticks, few enough for the width of a phone."""
    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))


def in_hundredths(axis: Axis, unit: str = "") -> None:
    """Write the ticks of rates in per cent or, without a unit, those of differences in points."""
    axis.set_major_formatter(lambda x, _: f"{round(100 * x, 9):g}{unit}".replace("-", MINUS))


def lay_out(ax: Axes) -> None:
    """Place axes as their figure will, so that sizes can be measured."""
    engine = ax.figure.get_layout_engine()
    if engine is not None:
        with warnings.catch_warnings():
            # Drawing gives the same warnings, of glyphs and of figures that are too small.
            warnings.simplefilter("ignore")
            engine.execute(ax.figure.figure)
    ax.apply_aspect()


def shown(text: object) -> str:
    """A name for a picture: one line without control characters, shortened to fit."""
    return shortened(clean(str(text)), NAME)


def told_apart(names: Iterable[object], most: int = NAME) -> list[str]:
    """Names for a picture, shortened so that different ones stay different.

    Long names first lose the words with which all begin or end, and only then their middle.

    Examples
    --------
    >>> told_apart([f"Region Lakeside, {number} district of the city" for number in ("1st", "2nd")])
    ['…1st…', '…2nd…']
    """
    texts = [clean(str(name)) for name in names]
    different = len(set(texts))
    if different > 1 and max(map(len, texts)) > most:
        start = _shared_words(texts)
        rest = [text[start:] for text in texts]
        end = _shared_words([text[::-1] for text in rest])
        texts = [
            "\u2026" * (start > 0) + text[: len(text) - end] + "\u2026" * (end > 0) for text in rest
        ]
    for room in (most, *_LONGER):
        cut = [shortened(text, room) for text in texts]
        if len(set(cut)) == different:
            break
    return cut


def _shared_words(texts: list[str]) -> int:
    """The length of the whole words with which all texts begin."""
    # What the first and the last in alphabetical order share, all share.
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    same = next((i for i, (one, other) in pairs if one != other), len(first))
    return len(re.sub(r"\w+$", "", first[:same]))


def named_rows(ax: Axes, names: Iterable[object], axis: str = "y") -> None:
    """Set named ticks at 0, 1, ...; rows run from the top down, and dollar signs stay text."""
    labels = told_apart(names)
    set_ticks = ax.set_yticks if axis == "y" else ax.set_xticks
    set_ticks(range(len(labels)), labels, parse_math=False)
    ax.tick_params(axis=axis, length=0)  # type: ignore[arg-type]  # "x" or "y"
    if axis == "y":
        ax.set_ylim(len(labels) - 0.5, -0.5)
        ax.spines[["top", "right", "left"]].set_visible(False)


def legend(ax: Axes, marks: Sequence[Line2D]) -> None:
    """A legend of marks by their labels that covers neither data nor titles nor labels.

    It lies below axes whose figure makes room for it. Where no layout engine does, axes are made
    longer at their lower end, or at their upper end if they are curves, and it lies in there.
    """
    options: dict[str, Any] = {"frameon": False, "fontsize": "small", "handlelength": 1.6}
    options |= {"borderaxespad": 0, "borderpad": 0.2, "columnspacing": 1.4}
    figure, size, room = ax.figure.figure, ax.get_window_extent(), ax.get_tightbbox()
    below = ax.figure.get_layout_engine() is not None
    if below and room is not None:
        # The names of rows leave room below them.
        widest = size.x1 - min(size.x0, room.x0)
    else:
        widest = size.width
        options |= {"frameon": True, "framealpha": 1, "facecolor": ax.get_facecolor()}
        options |= {"edgecolor": "none", "borderaxespad": 0.2}
    for columns in range(len(marks), 0, -1):
        # The names are set afterwards: matplotlib leaves out those that begin with "_".
        box = ax.legend(marks, [str(i) for i in range(len(marks))], ncols=columns, **options)
        for text, entry in zip(box.get_texts(), marks, strict=True):
            text.set_parse_math(False)
            text.set_text(shown(entry.get_label()))
        drawn = box.get_window_extent()
        if drawn.width <= widest:
            break
    if below:
        # A legend that is wider than the axes begins below the names of their rows.
        box.set_loc("upper center" if drawn.width <= size.width else "upper right")
        # The label of the axis may be set later.
        setattr(box, "get_bbox_to_anchor", partial(_below, ax))  # noqa: B010  # for mypy
        return
    share = min(0.6, (drawn.height + 2 * _GAP * figure.dpi / 72) / size.height)
    low, high = ax.get_ylim()
    more = (high - low) * share / (1 - share)
    if low > high:
        ax.set_ylim(low - more, high)
        box.set_loc("lower right")
    else:
        ax.set_ylim(low, high + more)
        box.set_loc("upper left")


def _below(ax: Axes) -> Bbox:
    """The line below the ticks and the label of the x axis."""
    size, labels = ax.get_window_extent(), ax.xaxis.get_tightbbox()
    lowest = size.y0 if labels is None else min(size.y0, labels.y0)
    return Bbox([[size.x0, size.y0 - size.height], [size.x1, lowest - _GAP * ax.figure.dpi / 72]])


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


def with_unit(name: str, *, points: bool) -> str:
    """A metric, if its name is known, with its unit, if it has one."""
    return f"{name}, points" if name and points else name


def scale_of_values(
    ax: Axes, numbers: Sequence[float], name: str, *, points: bool, signed: bool = True
) -> None:
    """A scale for values of a metric: 0 is in the middle or, of magnitudes, near the lower end."""
    reach = reach_of(numbers)
    # A magnitude is at least 0, but its interval over runs may begin below.
    least = min(-0.03 * reach, 1.1 * min(filter(np.isfinite, numbers), default=0.0))
    ax.set_xlim(-reach if signed else least, reach)
    few_ticks(ax.xaxis, 4)
    if points:
        in_hundredths(ax.xaxis)
    zero_line(ax)
    ax.set_xlabel(with_unit(name, points=points))


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
