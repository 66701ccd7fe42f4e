"""The pictures of a report as SVG: `plot` draws them from a summary."""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from biasamp_adapters import plot
from biasamp_adapters._text import clean, shortened
from biasamp_adapters.auditing.summary import Row, Summary, as_estimate, grouped
from biasamp_adapters.auditing.tables import estimate
from biasamp_adapters.metrics.measurement import A_TO_T, T_TO_A, UNDIRECTED
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.plot.canvas import AMPLIFIED, GAP, NAME, REDUCED, SERIES, UNCLEAR

#: Width in inches, at which the text is large enough to read on a phone.
WIDTH = 4.7

#: Height in inches of a strip without its rows, and of a row.
_STRIP, _ROW = 0.5, 0.28

#: Most tasks and groups in a heat map.
_MOST_TASKS, _MOST_GROUPS = 70, 12

_DIRECTIONS = {
    A_TO_T: "A->T: does the attribute push the predicted task?",
    T_TO_A: "T->A: does the task push the predicted attribute?",
    UNDIRECTED: "Undirected",
}


class Picture(NamedTuple):
    """A picture to be drawn, on a figure that is ``height`` inches high.

    ``alt`` is its text alternative for screen readers.
    """

    part: str
    title: str
    caption: str
    alt: str
    draw: Callable[[Figure], Any]
    height: float


def pictures(summary: Summary) -> Iterator[Picture]:
    """All pictures of a summary, in the order of its parts."""
    # A difference has a sign, even if the metric has none.
    for part, name, signed in (("metrics", "results", None), ("differences", "differences", True)):
        for title, strips in _strips(summary[part]):
            draw = partial(strips.draw, signed=signed)
            yield Picture(name, title, "", strips.in_words(), draw, strips.height())
    yield from _heat_maps(summary)
    yield from map(_sweep, summary["sweeps"])
    undefined = {row["name"] for row in summary["runs"] if row["value"] is None}
    for title, strips in _strips(row for row in summary["runs"] if row["name"] not in undefined):
        draw_runs = partial(strips.draw_runs, confidence=summary["method"]["confidence"])
        alt = f"Runs of {', '.join(strips.rows)}; the table has the numbers."
        yield Picture("runs", title, "", alt, draw_runs, strips.height() + 0.1 * len(strips.rows))


@dataclass(frozen=True)
class Strips:
    """Rows of a summary as strips: one strip per metric, each with its own scale.

    ``rows`` maps a metric with its direction, and then a model, to one row or to one row per run.
    """

    rows: dict[str, dict[str, list[Row]]]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Strips:
        strips: dict[str, dict[str, list[Row]]] = {}
        for (name, model), model_rows in grouped(rows, "name", "model").items():
            strips.setdefault(name, {})[model] = model_rows
        return cls(strips)

    def height(self) -> float:
        """The height of all strips in inches."""
        return sum(self._heights()) + 0.1

    def _heights(self) -> list[float]:
        numbers = map(len, self.rows.values())
        return [_STRIP + _ROW * models + 0.2 * (models > 1) for models in numbers]

    def in_words(self) -> str:
        """The numbers of the strips, for screen readers."""
        strips = []
        for name, models in self.rows.items():
            numbers = [
                f"{shortened(model, NAME)} " * (len(models) > 1) + estimate(row)
                for model, (row,) in models.items()
            ]
            strips.append(clean(f"{name}: {', '.join(numbers)}"))
        return "; ".join(strips)

    def draw(self, figure: Figure, signed: bool | None = None) -> dict[str, Axes]:
        """Draw values with their intervals."""
        axes = self._axes(figure)
        for name, ax in axes.items():
            results = {label: result for label, (result,) in self._results(name, ax).items()}
            plot.intervals(results, signed=signed, ax=ax, legend=False).set_xlabel("")
        return axes

    def draw_runs(self, figure: Figure, confidence: float) -> None:
        """Draw runs and their means."""
        for name, ax in self._axes(figure).items():
            plot.runs(self._results(name, ax), confidence=confidence, ax=ax).set_xlabel("")

    def _axes(self, figure: Figure) -> dict[str, Axes]:
        """Axes for the strips, one below the other."""
        ratios = {"height_ratios": self._heights()}
        axes = figure.subplots(len(self.rows), 1, squeeze=False, gridspec_kw=ratios)
        return dict(zip(self.rows, axes[:, 0], strict=True))

    def _results(self, name: str, ax: Axes) -> dict[str, list[AmplificationResult]]:
        """The results of a strip by their label: the metric, or the model if there are several."""
        models = {model: [*map(_result, rows)] for model, rows in self.rows[name].items()}
        if len(models) == 1:
            (results,) = models.values()
            return {name: results}
        ax.set_title(name, loc="left", fontsize="medium", fontweight="bold")
        return models


def _result(row: Row) -> AmplificationResult:
    """The result that a row of a summary shows, without the counts behind it."""
    value, blind = as_estimate(row), row.get("blind_errors")
    return AmplificationResult(
        metric=row["metric"],
        direction=row["direction"],
        value=value.value,
        n=row.get("n", 0),
        interval=value.interval,
        blind_errors=None if blind is None else as_estimate(blind),
    )


def _strips(rows: Iterable[Row]) -> Iterator[tuple[str, Strips]]:
    """The title and the strips of each direction that has rows."""
    by_direction = grouped(rows, "direction")
    for direction, title in _DIRECTIONS.items():
        if (direction,) in by_direction:
            yield title, Strips.of(by_direction[direction,])


def _heat_maps(summary: Summary) -> Iterator[Picture]:
    several = len(summary["data"]["models"]) > 1
    order = [group["label"] for group in summary["data"]["groups"]]
    for (model, name), rows in grouped(summary["pairs"], "model", "name").items():
        table = pd.DataFrame(rows)
        # Pairs come in the order of their strength.
        tasks = list(dict.fromkeys(table["task"]))[:_MOST_TASKS]
        groups = list(dict.fromkeys(table["attribute"]))[:_MOST_GROUPS]
        groups.sort(key=lambda group: order.index(group) if group in order else len(order))
        shown = table["task"].isin(tasks) & table["attribute"].isin(groups)
        caption = ""
        if not shown.all():
            caption = f"{shown.sum():,} of {len(table):,} pairs, the strongest among them."
        # Models share one colour scale, so that they can be compared.
        reach = max(abs(row["value"]) for row in summary["pairs"] if row["name"] == name) or None
        strongest = (shortened(rows[0][label], NAME) for label in ("attribute", "task"))
        yield Picture(
            "pairs",
            f"{name} of {shortened(clean(model), NAME)}" if several else name,
            caption,
            clean(
                f"Heat map of {shown.sum()} pairs of {name}; the strongest is "
                f"{' with '.join(strongest)}: {estimate(rows[0])}. The table below has the numbers."
            ),
            partial(_draw_heat_map, table=table, tasks=tasks, groups=groups, reach=reach),
            0.8 + 0.24 * len(tasks) + 0.5 * (len(groups) > 3),
        )


def _draw_heat_map(figure: Figure, table: pd.DataFrame, **options: Any) -> None:
    table = table.assign(value=table["value"].astype(float))
    ax = plot.pairs(table, ax=figure.subplots(), **options)
    ax.tick_params(labelsize="small")
    ax.xaxis.tick_top()


def _sweep(curve: Row) -> Picture:
    points = curve["points"]
    share = [point["share"] for point in points]

    def line(rows: list[Row]) -> pd.DataFrame:
        parts = ("value", "low", "high")
        return pd.DataFrame(rows, columns=parts, dtype=float).assign(share=share)

    lines = {
        curve["name"]: line([point["amplification"] for point in points]),
        "FPR difference": line([point["fpr_difference"] for point in points]),
        "blind errors": line([point["blind_errors"] for point in points]),
    }
    at = curve["audited_share"]
    nearest = points[int(np.argmin(np.abs(np.array(share) - at)))]
    run = f", run {curve['run']}" if "run" in curve else ""
    return Picture(
        "sweeps",
        clean(f"{shortened(curve['model'], NAME)}{run}: class {shortened(curve['task'], NAME)}"),
        f"The dotted line is what was audited, {at:.1%} predicted positive; "
        f"{curve['reference_share']:.1%} are positive in the reference.",
        clean(
            f"{curve['name']} and the FPR difference over thresholds. Where {nearest['share']:.1%} "
            f"are predicted positive: {estimate(nearest['amplification'])} and "
            f"{estimate(nearest['fpr_difference'], '')}; blind errors "
            f"{estimate(nearest['blind_errors'])}."
        ),
        lambda figure: plot.sweep(lines, at=at, ax=figure.subplots()),
        3.3,
    )


#: Colours of a figure that the page replaces by its own, light or dark.
_INK, _EDGE = "#1b1f24", "#8b949e"
_THEMED = {
    _INK: "ink",
    _EDGE: "edge",
    GAP: "surface",
    UNCLEAR: "unclear",
    REDUCED: "below",
    AMPLIFIED: "above",
    SERIES[2]: "third",
    SERIES[3]: "fourth",
}

#: Matplotlib measures text in this font; the page shows it in a font of the reader's system.
_FONT = "DejaVu Sans"

_STYLE: Any = {
    "text.parse_math": False,
    "font.sans-serif": [_FONT],
    "svg.fonttype": "none",
    "svg.hashsalt": "biasamp",
    "font.size": 9.5,
    "axes.linewidth": 0.8,
    **dict.fromkeys(["text.color", "axes.labelcolor", "xtick.color", "ytick.color"], _INK),
    "axes.edgecolor": _EDGE,
}

#: All threads share matplotlib's settings. Without a lock, two pages drawn at once would mix them
#: up, and leave them changed.
_settings = threading.Lock()


@contextmanager
def _own_settings() -> Iterator[None]:
    """Use the settings of the page, whatever style a notebook has set.

    Settings that another thread changes in the meantime are kept.
    """
    with _settings:
        before = mpl.rcParams.copy()
        # This does not change the backend.
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        ours = mpl.rcParams.copy()
        try:
            yield
        finally:
            # The methods of dict skip the validation, which these values have passed before.
            for name, value in before.items():
                if dict.__getitem__(mpl.rcParams, name) == dict.__getitem__(ours, name):
                    dict.__setitem__(mpl.rcParams, name, value)


def drawn(draw: Callable[[Figure], None], width: float, height: float, name: str, alt: str) -> str:
    """Draw a figure of the given size in inches as SVG; one thread draws at a time.

    ``name`` is the prefix of all identifiers in the SVG, so that a page can hold several.
    """
    with _own_settings(), warnings.catch_warnings():
        # The page uses other fonts, which have more glyphs than matplotlib's.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        file = io.StringIO()
        undated = dict.fromkeys(["Date", "Creator", "Format", "Type"])
        # The page shows through. `Figure.savefig` would lay out and draw the figure once more.
        for patch in (figure.patch, *(ax.patch for ax in figure.axes)):
            patch.set(facecolor="none", edgecolor="none")
        FigureCanvasSVG(figure).print_svg(file, metadata=undated)  # type: ignore[no-untyped-call]
    return _inlined(file.getvalue(), name, alt)


def _inlined(text: str, name: str, alt: str) -> str:
    root = ElementTree.fromstring(text)
    for element in root.iter():
        # In HTML, names need no namespace.
        element.tag = _local(element.tag)
        attributes = {_local(key): value for key, value in element.attrib.items()}
        element.attrib.clear()
        for key, value in attributes.items():
            if key == "id":
                value = f"{name}-{value}"
            elif key == "href":
                value = value.replace("#", f"#{name}-", 1)
            elif key != "version":
                value = _themed(value).replace("url(#", f"url(#{name}-")
            element.set(key, value)
    for tag in ("metadata", "defs"):
        for element in root.findall(tag):
            # They hold a date, and a style that would apply to the whole page.
            if element.find("clipPath") is None:
                root.remove(element)
    # The page sets the width; the view box keeps the proportions.
    for size in ("width", "height"):
        root.attrib.pop(size)
    root.set("role", "img")
    root.set("aria-label", alt)
    return ElementTree.tostring(root, encoding="unicode")


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _themed(style: str) -> str:
    style = re.sub(f"'{_FONT}'[^;]*", "system-ui, sans-serif", style)
    for colour, variable in _THEMED.items():
        style = style.replace(colour, f"var(--{variable})")
    return style
