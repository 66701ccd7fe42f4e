"""Plot the predicted rate of each pair against its true rate, or its base rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from biasamp_adapters._typing import Array, Label, is_whole
from biasamp_adapters.plot.canvas import (
    TONES,
    UNCLEAR,
    axes_of,
    few_ticks,
    group_marks,
    in_hundredths,
    lay_out,
    legend,
    tone_marks,
)
from biasamp_adapters.plot.pair_table import PairTable, Source, pair_table, tone
from biasamp_adapters.plot.rates import MOST_ROWS

#: Width and height of a new figure, in inches; the axes are square.
_SIZE = 4.6

#: The shapes of groups, while there are as many; of more groups, points have one shape.
_SHAPES = ("o", "s", "^", "D", "v", "P")

#: Points between a mark and its name, and the sides of the mark on which the name may be.
_BESIDE = 5
_PLACES = [(x, y) for x, y in product((1, -1, 0), (0, 1, -1)) if (x, y) != (0, 0)]
_ALIGN = {1: "left", -1: "right", 0: "center"}
_ALIGN_UP = {1: "bottom", -1: "top", 0: "center"}


def scatter(
    result: Source,
    *,
    model: str | None = None,
    direction: str | None = None,
    tasks: Sequence[Label] | None = None,
    groups: Sequence[Label] | None = None,
    most: int = MOST_ROWS,
    ax: Axes | None = None,
) -> Axes:
    """Plot the predicted rate of each pair against its true rate, as in [W21] Fig. 5.

    Points on the diagonal have the same rate in the predictions as in the truth, or as the base
    rates that were set by hand. Above it, the model predicts the pair more often. Colours are those
    of :func:`rates`: orange clearly amplifies bias, blue clearly reduces it, and grey is not clear.
    With a positive correlation, orange points are above the diagonal; with a negative one, below.

    The points that are farthest from the diagonal are named, as long as their names overlap neither
    each other nor points. Names are placed again whenever the figure changes its size.

    Parameters
    ----------
    result : AmplificationResult, AuditReport or DataFrame
        A result of BA->, a report, or its ``to_frame("pairs")``, which keeps the strongest of very
        many pairs only. Of two classes, only the positive one is shown of a report or a result.
    model, direction : str, optional
        The model and the direction ("A->T" or "T->A") to show of a report or a table that has
        several.
    tasks, groups : sequence, optional
        The tasks and groups to show. By default, all. Of two groups T->A, each is the mirror image
        of the other.
    most : int
        The number of points that are named at most; 0 for none.
    ax : matplotlib Axes, optional
        The axes to draw on. By default, those of a new figure, which alone has a legend.

    Returns
    -------
    Axes
        The axes that were drawn on: true rates on the x axis, predicted ones on the y axis.

    Raises
    ------
    ValueError
        If no pair has both rates, as in results of other metrics, several models or directions are
        left, or a task or group is missing.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Fig. 5 ([W21]).

    Examples
    --------
    A model says "he" of cooks in 9 of 10 sentences and of nurses in 4. The base rates are .6 and
    .1.

    >>> import biasamp_adapters as bam
    >>> of_pronouns = {"cook": {"he": 0.6, "she": 0.4}, "nurse": {"he": 0.1, "she": 0.9}}
    >>> rates = bam.BaseRates(
    ...     attribute_given_task=of_pronouns, attribute={"he": 0.5, "she": 0.5}
    ... )
    >>> metric = bam.DirectionalBiasAmplification(direction="T->A", reference=rates)
    >>> pronoun = ["he"] * 9 + ["she"] * 1 + ["he"] * 4 + ["she"] * 6
    >>> result = metric.result(
    ...     ["cook"] * 10 + ["nurse"] * 10,
    ...     None,
    ...     sensitive_features=None,
    ...     sensitive_features_pred=pronoun,
    ... )
    >>> ax = bam.plot.scatter(result, groups=["he"])
    >>> [(text.get_text(), *map(float, text.xy)) for text in ax.texts]
    [('cook', 0.6, 0.9), ('nurse', 0.1, 0.4)]
    """
    if not is_whole(most) or most < 0:
        raise ValueError(f"most must be a whole number, not negative; received {most!r}")
    table = pair_table(result, tasks, groups, model, direction, positive=True)
    table.check_rates("a scatter plot of rates")
    new, ax = ax is None, axes_of(ax, _SIZE)
    if new:
        ax.figure.figure.set_figwidth(_SIZE)
    pairs = table.with_rates.to_dict("records")
    points = np.array([(pair["true"], pair["predicted"]) for pair in pairs])
    top = float(points.max()) or 0.05
    ax.axline((0, 0), slope=1, color=UNCLEAR, linestyle=":", linewidth=1, zorder=0)
    ax.set(xlim=(-0.04 * top, 1.08 * top), ylim=(-0.04 * top, 1.08 * top), aspect="equal")
    shapes = dict.fromkeys(table.groups, _SHAPES[0])
    if len(table.groups) <= len(_SHAPES):
        shapes |= dict(zip(table.groups, _SHAPES, strict=False))
    for pair, (x, y) in zip(pairs, points.tolist(), strict=True):
        ax.plot(x, y, shapes[pair["attribute"]], color=TONES[tone(pair)], markersize=5, alpha=0.85)
    _label(ax, table, len(pairs))
    marks = tone_marks("", {tone(pair) for pair in pairs})
    if len({*shapes.values()}) > 1:
        marks += group_marks(table.groups, shapes.values())
    if new:
        lay_out(ax)
        legend(ax, marks)
    ax.add_artist(_Names(ax, points, table.names(pairs), most))
    return ax


def _label(ax: Axes, table: PairTable, n_pairs: int) -> None:
    """Ticks in per cent, and what the axes show."""
    for axis in (ax.xaxis, ax.yaxis):
        few_ticks(axis, 5)
        in_hundredths(axis, "%")
    ax.set(xlabel="true rate or base rate", ylabel="predicted rate")
    ax.spines[["top", "right"]].set_visible(False)
    if n_pairs < table.total:
        ax.set_title(f"{n_pairs} of {table.total} pairs", loc="left", fontsize="small")


class _Names(Artist):
    """Places the names of points whenever these are drawn, those farthest from the diagonal first.

    Only then the size of the axes is known. A name for which there is no room is not shown.
    """

    def __init__(self, ax: Axes, points: Array, names: Sequence[str], most: int) -> None:
        super().__init__()
        self._ax, self._points = ax, points
        # Before the names are drawn.
        self.set(zorder=0, in_layout=False)
        far = np.argsort(-np.abs(points[:, 1] - points[:, 0]), kind="stable")[:most].tolist()
        self._texts: list[Annotation] = [
            ax.annotate(
                names[i],
                points[i].tolist(),
                xytext=(_BESIDE, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
                in_layout=False,
                parse_math=False,
            )
            for i in far
        ]

    def draw(self, renderer: RendererBase) -> None:
        """Place the names that are drawn next."""
        pixel = self._ax.figure.figure.dpi / 72
        marks = self._ax.transData.transform(self._points)
        taken = [Bbox.from_extents(*(mark - 3 * pixel), *(mark + 3 * pixel)) for mark in marks]
        room = self._ax.get_window_extent(renderer)
        for text in self._texts:
            for box in self._boxes(text, renderer):
                inside = room.x0 <= box.x0 and box.x1 <= room.x1
                inside &= room.y0 <= box.y0 and box.y1 <= room.y1
                if inside and not box.count_overlaps(taken):
                    taken.append(box)
                    text.set_visible(True)
                    break
            else:
                text.set_visible(False)

    def _boxes(self, text: Annotation, renderer: RendererBase) -> Iterator[Bbox]:
        """The place of a name on each side of its point, to which it is moved."""
        text.set_visible(True)
        for x, y in _PLACES:
            text.set_position((x * _BESIDE, y * _BESIDE))
            text.set(horizontalalignment=_ALIGN[x], verticalalignment=_ALIGN_UP[y])
            text.update_positions(renderer)
            yield Text.get_window_extent(text, renderer)
