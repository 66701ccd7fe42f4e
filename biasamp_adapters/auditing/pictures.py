"""The pictures of a report: those of `plot`, drawn from a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from biasamp_adapters import plot
from biasamp_adapters._text import clean, shortened
from biasamp_adapters.auditing.cells import Row, estimate, number
from biasamp_adapters.auditing.table_kinds import Summary
from biasamp_adapters.metrics.bound import A_TO_T, T_TO_A, UNDIRECTED
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.plot.canvas import NAME
from biasamp_adapters.uncertainty import Estimate

#: Inches: a phone shows this width with text that can be read.
WIDTH = 4.7

#: Inches of a strip without its rows, and of a row.
_STRIP, _ROW = 0.5, 0.28

#: What a heat map shows of many pairs.
MOST_TASKS, MOST_GROUPS = 70, 12

DIRECTIONS = {
    A_TO_T: "A->T: does the attribute push the predicted task?",
    T_TO_A: "T->A: does the task push the predicted attribute?",
    UNDIRECTED: "Undirected",
}


class Picture(NamedTuple):
    """A picture that is still to be drawn on a figure.

    Attributes
    ----------
    part : str
        The part of the report that it belongs to.
    title : str
    caption : str
    alt : str
        What it says, in words.
    draw : callable
    height : float
        In inches.
    """

    part: str
    title: str
    caption: str
    alt: str
    draw: Callable[[Figure], None]
    height: float


def pictures(summary: Summary) -> Iterator[Picture]:
    """All pictures of a summary, in the order of its parts."""
    yield from _intervals(summary["metrics"], "results")
    yield from _intervals(summary["differences"], "differences")
    yield from _heat_maps(summary)
    yield from map(_sweep, summary["sweeps"])
    yield from _runs(summary)


def result_of(row: Row) -> AmplificationResult:
    """The result that a row of a summary shows, without the counts behind it."""
    return AmplificationResult(
        metric=row["metric"],
        direction=row["direction"],
        value=_float(row["value"]),
        n=row.get("n", 0),
        interval=None if row["low"] is None else (row["low"], row["high"]),
        baseline=_estimate(row.get("baseline")),
    )


def _float(value: float | None) -> float:
    return float("nan") if value is None else value


def _estimate(row: Row | None) -> Estimate | None:
    if row is None:
        return None
    return Estimate(_float(row["value"]), None if row["low"] is None else (row["low"], row["high"]))


def by_name(rows: list[Row]) -> dict[str, dict[str, Row]]:
    """Rows of models, by metric and direction."""
    out: dict[str, dict[str, Row]] = {}
    for row in rows:
        out.setdefault(row["name"], {})[row["model"]] = row
    return out


def strips(
    axes: Mapping[str, Axes], rows: Mapping[str, Mapping[str, Row]], *, signed: bool | None = None
) -> None:
    """Draw a strip for each metric, on axes and so on a scale of its own."""
    for name, ax in axes.items():
        results = {model: result_of(row) for model, row in rows[name].items()}
        plot.intervals(_headed(ax, name, results), signed=signed, ax=ax, legend=False)
        ax.set_xlabel("")


def _headed(ax: Axes, name: str, models: Mapping[str, Any]) -> dict[str, Any]:
    """What a strip shows by the names of its rows: of the metric alone, or of models below it."""
    if len(models) == 1:
        (only,) = models.values()
        return {name: only}
    ax.set_title(name, loc="left", fontsize="medium", fontweight="bold")
    return dict(models)


def _draw_strips(
    figure: Figure, rows: Mapping[str, Mapping[str, Row]], signed: bool | None
) -> None:
    strips(stacked(figure, rows), rows, signed=signed)


def height_of(rows: Mapping[str, Mapping[str, Any]]) -> float:
    """Inches of the strips of some metrics."""
    return sum(_heights(rows)) + 0.1


def _heights(rows: Mapping[str, Mapping[str, Any]]) -> list[float]:
    return [_STRIP + _ROW * len(models) + 0.2 * (len(models) > 1) for models in rows.values()]


def stacked(figure: Figure, rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Axes]:
    """Axes for the strips of some metrics, one below the other."""
    ratios = {"height_ratios": _heights(rows)}
    axes = figure.subplots(len(rows), 1, squeeze=False, gridspec_kw=ratios)
    return dict(zip(rows, axes[:, 0], strict=True))


def _intervals(rows: list[Row], part: str) -> Iterator[Picture]:
    for direction, title in DIRECTIONS.items():
        named = by_name([row for row in rows if row["direction"] == direction])
        if named:
            yield Picture(
                part,
                title,
                "",
                "; ".join(_said(name, models) for name, models in named.items()),
                # A difference has a sign, even one of magnitudes.
                partial(_draw_strips, rows=named, signed=True if part == "differences" else None),
                height_of(named),
            )


def _said(name: str, models: Mapping[str, Row]) -> str:
    several = len(models) > 1
    values = (
        f"{shortened(model, NAME)} {estimate(row)}" if several else estimate(row)
        for model, row in models.items()
    )
    return clean(f"{name}: {', '.join(values)}")


def _heat_maps(summary: Summary) -> Iterator[Picture]:
    of: dict[tuple[str, str], list[Row]] = {}
    for row in summary["pairs"]:
        of.setdefault((row["model"], row["name"]), []).append(row)
    several = len(summary["data"]["models"]) > 1
    # Models are to be compared, so their colours are the same.
    reach = {
        name: max(abs(row["value"]) for row in summary["pairs"] if row["name"] == name) or None
        for _, name in of
    }
    order = [each["label"] for each in summary["data"]["groups"]]
    for (model, name), rows in of.items():
        table = pd.DataFrame(rows)
        # Pairs come in the order of their strength.
        tasks = list(dict.fromkeys(table["task"]))[:MOST_TASKS]
        groups = list(dict.fromkeys(table["attribute"]))[:MOST_GROUPS]
        groups.sort(key=lambda group: order.index(group) if group in order else len(order))
        shown = table["task"].isin(tasks) & table["attribute"].isin(groups)
        caption = ""
        if not shown.all():
            caption = f"{shown.sum():,} of {len(table):,} pairs, the strongest among them."
        yield Picture(
            "pairs",
            f"{name} of {shortened(clean(model), NAME)}" if several else name,
            caption,
            clean(
                f"Heat map of {shown.sum()} pairs of {name}; the strongest is "
                f"{shortened(rows[0]['attribute'], NAME)} with {shortened(rows[0]['task'], NAME)}: "
                f"{estimate(rows[0])}. The table below has the numbers."
            ),
            partial(_draw_heat_map, table=table, tasks=tasks, groups=groups, reach=reach[name]),
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

    def line(of: Callable[[Row], Any]) -> pd.DataFrame:
        rows = [of(point) for point in points]
        parts = {
            part: pd.Series([row.get(part) for row in rows], dtype=float)
            for part in ("value", "low", "high")
        }
        return pd.DataFrame(parts).assign(share=share)

    named = {
        curve["name"]: line(lambda point: point["amplification"]),
        "FPR difference": line(lambda point: point["fpr_difference"]),
        "random errors": line(lambda point: {"value": point["random_error"]}),
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
            f"{estimate(nearest['fpr_difference'], '')}; random errors "
            f"{number(nearest['random_error'])}."
        ),
        partial(_draw_sweep, curves=named, at=at),
        3.3,
    )


def _draw_sweep(figure: Figure, curves: Mapping[str, pd.DataFrame], at: float) -> None:
    plot.sweep(curves, at=at, ax=figure.subplots())


def _runs(summary: Summary) -> Iterator[Picture]:
    results: dict[str, dict[str, list[AmplificationResult]]] = {}
    for row in summary["runs"]:
        results.setdefault(row["name"], {}).setdefault(row["model"], []).append(result_of(row))
    defined = {
        name: models
        for name, models in results.items()
        if all(np.isfinite(run.value) for runs in models.values() for run in runs)
    }
    for direction, title in DIRECTIONS.items():
        named = {
            name: models
            for name, models in defined.items()
            if next(iter(models.values()))[0].direction == direction
        }
        if named:
            yield Picture(
                "runs",
                title,
                "",
                f"Runs of {', '.join(named)}; the table has the numbers.",
                partial(_draw_runs, named=named, confidence=summary["method"]["confidence"]),
                height_of(named) + 0.1 * len(named),
            )


def _draw_runs(
    figure: Figure,
    named: Mapping[str, Mapping[str, list[AmplificationResult]]],
    confidence: float,
) -> None:
    for name, ax in stacked(figure, named).items():
        plot.runs(_headed(ax, name, named[name]), confidence=confidence, ax=ax)
        ax.set_xlabel("")
