"""The metrics of a report as strips, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from biasamp_adapters import plot
from biasamp_adapters.auditing.summary import Row, as_estimate, grouped
from biasamp_adapters.metrics.result import AmplificationResult

#: Width in inches, at which the text is large enough to read on a phone.
WIDTH = 4.7

#: Height in inches of a strip without its rows, and of a row.
_STRIP, _ROW = 0.5, 0.28


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

    def draw(self, figure: Figure, signed: bool | None = None) -> dict[str, Axes]:
        """Draw values with their intervals."""
        axes = self._axes(figure)
        for name, ax in axes.items():
            results = {label: result for label, (result,) in self._results(name, ax).items()}
            plot.intervals(results, signed=signed, ax=ax, legend=False).set_xlabel("")
        return axes

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
