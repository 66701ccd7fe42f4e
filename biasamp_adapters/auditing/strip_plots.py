"""The metrics of a report as strips, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from biasamp_adapters import plot
from biasamp_adapters._text import arrows
from biasamp_adapters._typing import Row
from biasamp_adapters.auditing.summary import as_estimate, grouped
from biasamp_adapters.metrics.result import AmplificationResult

#: Width in inches, at which the text is large enough to read on a phone.
_WIDTH = 4.7

#: Height in inches of a strip without its rows, and of a row.
_STRIP, _ROW = 0.6, 0.28


class MetricAxes(dict[str, Axes]):
    """The axes of each metric, shown in one line, as a notebook shows the picture anyway."""

    @property
    def figure(self) -> FigureBase:
        """The figure that has all of these axes."""
        return next(iter(self.values())).figure

    def __repr__(self) -> str:
        return f"<axes of one figure: {', '.join(self)}>"


def draw_metrics(rows: Sequence[Row]) -> MetricAxes:
    """Draw the rows of a summary on a new figure: a strip per metric, each with its own scale."""
    strips = {
        name: {row["model"]: _result(row) for row in of_metric}
        for (name,), of_metric in grouped(rows, "name").items()
    }
    heights = [_STRIP + _ROW * len(results) for results in strips.values()]
    figure = plt.figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
    ratios = {"height_ratios": heights}
    axes = figure.subplots(len(strips), 1, squeeze=False, gridspec_kw=ratios)[:, 0]
    for ax, (name, results) in zip(axes, strips.items(), strict=True):
        if len(results) == 1:
            results = {arrows(name): result for result in results.values()}
        else:
            ax.set_title(arrows(name), loc="left", fontsize="medium", fontweight="bold")
        plot.intervals(results, ax=ax, legend=False)
        unit = "points" if ax.get_xlabel().endswith("points") else ""
        ax.set_xlabel(unit, fontsize="small")
    return MetricAxes(zip(strips, axes, strict=True))


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
