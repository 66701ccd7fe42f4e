"""The kinds of tables of a report: which rows of a summary each has, and what its columns say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from biasamp_adapters.auditing.cells import Row, ends, estimate, number

Summary: TypeAlias = dict[str, Any]

#: Pairs of a model and direction, and points of a sweep, where there is little room.
FEW_PAIRS, FEW_POINTS = 10, 10

_SIGNS = {-1: "-", 0: "0", 1: "+"}


def _sign(row: Row) -> str:
    return _SIGNS[row["sign"]] + " (uncertain)" * row["uncertain"]


class Column(NamedTuple):
    """What a column says of a row, and whether that is a number."""

    say: Callable[[Row], str]
    number: bool = False


Columns: TypeAlias = dict[str, Column]


def text_of(name: str) -> Column:
    """An entry of a row as it is."""
    return Column(lambda row: str(row[name]))


def _name(row: Row) -> str:
    """The metric, with the class that it looks at if it is one."""
    of_class = f" (class {row['pos_label']})" if row.get("pos_label") is not None else ""
    return f"{row['name']}{of_class}"


_NAME: Columns = {"metric": Column(_name)}
_VALUE: Columns = {
    "value": Column(lambda row: number(row["value"]), True),
    "interval": Column(ends, True),
    "note": text_of("note"),
}
_SHARE: Columns = {
    "rows": Column(lambda row: f"{row['rows']:,}", True),
    "share": Column(lambda row: f"{row['share']:.1%}", True),
}


@dataclass(frozen=True)
class Kind:
    """A kind of table.

    Attributes
    ----------
    part : str
        The part of the report that it belongs to.
    caption : str
    rows : callable
        Its rows in a summary.
    columns : dict of str to Column
    few : callable, optional
        Of many rows those to show where there is little room.
    """

    part: str
    caption: str
    rows: Callable[[Summary], list[Row]]
    columns: Columns
    few: Callable[[list[Row]], list[Row]] | None = None


def _classes(summary: Summary, are_columns: bool) -> list[Row]:
    """The classes, or tasks that are columns, if that is what they are."""
    data = summary["data"]
    return data["classes"] if data["tasks_are_columns"] == are_columns else []


def _strongest(rows: list[Row]) -> list[Row]:
    """The first pairs of each model and direction."""
    alike = groupby(rows, key=lambda row: (row["model"], row["name"]))
    return [row for _, each in alike for row in list(each)[:FEW_PAIRS]]


def _points(summary: Summary) -> list[Row]:
    """Every point of every sweep, with the model it is of."""
    return [
        {"model": curve["model"], "run": curve.get("run", ""), **point}
        for curve in summary["sweeps"]
        for point in curve["points"]
    ]


def _some(rows: list[Row]) -> list[Row]:
    """Points at a tenth of the thresholds, and the ends, of each sweep."""
    alike = groupby(rows, key=lambda row: (row["model"], row["run"]))
    sweeps = [list(each) for _, each in alike]
    return [row for points in sweeps for row in points[:: max(1, (len(points) - 1) // FEW_POINTS)]]


def _threshold(row: Row) -> str:
    return "above all" if row["threshold"] is None else f"{row['threshold']:.6g}"


KINDS = (
    Kind(
        "results",
        "Bias amplification",
        lambda summary: summary["metrics"],
        _NAME
        | {
            "value": Column(lambda row: number(row["value"]), True),
            "interval": Column(ends, True),
            "reading": text_of("reading"),
            "random errors": Column(lambda row: estimate(row["baseline"]), True),
            "variance": Column(lambda row: estimate(row["spread"], ""), True),
            "note": text_of("note"),
        },
    ),
    Kind(
        "results",
        "Predictability behind LA and DPA",
        lambda summary: [row for row in summary["metrics"] if row["levels"]],
        _NAME
        | {
            "dataset": Column(lambda row: estimate(row["levels"]["psi_dataset"], ""), True),
            "model output": Column(lambda row: estimate(row["levels"]["psi_model"], ""), True),
        },
    ),
    Kind(
        "differences",
        "Differences between models (paired)",
        lambda summary: summary["differences"],
        _NAME | {"less": text_of("compared_with")} | _VALUE,
    ),
    Kind(
        "hidden",
        "What the mean hides: BA-> by the sign of the reference correlation",
        lambda summary: summary["trends"],
        {
            "direction": text_of("direction"),
            "attribute": text_of("attribute"),
            "reference sign": Column(lambda row: _SIGNS[row["sign"]]),
            "pairs": Column(lambda row: f"{row['pairs']:,}", True),
            "mean contribution": Column(lambda row: number(row["contribution"]), True),
            "mean size of D": Column(lambda row: number(row["mean_abs_delta"], ""), True),
        },
    ),
    Kind(
        "pairs",
        "Strongest pairs of BA->",
        lambda summary: summary["pairs"],
        {
            "direction": text_of("direction"),
            "attribute": text_of("attribute"),
            "task": text_of("task"),
            "reference sign": Column(_sign),
            "contribution": Column(lambda row: number(row["value"]), True),
            "interval": Column(ends, True),
            "note": text_of("note"),
        },
        _strongest,
    ),
    Kind(
        "sweeps",
        "Thresholds of the score: BA A->T and the difference of false positive rates",
        _points,
        {
            "run": text_of("run"),
            "threshold": Column(_threshold, True),
            "predicted positive": Column(lambda row: f"{row['share']:.1%}", True),
            "BA A->T": Column(lambda row: estimate(row["amplification"]), True),
            "random errors": Column(lambda row: number(row["random_error"]), True),
            "FPR difference": Column(lambda row: estimate(row["fpr_difference"], ""), True),
        },
        _some,
    ),
    Kind(
        "fairness",
        "Fairness measures: largest less smallest rate over groups",
        lambda summary: summary["fairness"],
        {
            "measure": Column(lambda row: row["measure"].replace("_", " ")),
            "task": text_of("task"),
            "value": Column(lambda row: number(row["value"], ""), True),
            "interval": Column(lambda row: ends(row, ""), True),
            "by group": Column(
                lambda row: "; ".join(f"{of['group']}: {estimate(of, '')}" for of in row["groups"])
            ),
            "note": text_of("note"),
        },
    ),
    Kind(
        "fairness",
        "AIF360's own measures",
        lambda summary: summary.get("aif360", []),
        {
            "measure": text_of("measure"),
            "value": Column(lambda row: number(row["value"]), True),
            "ideal": text_of("ideal"),
            "by group": Column(
                lambda row: "; ".join(
                    f"{of['group']}: {number(of['value'], '')}" for of in row["groups"]
                )
            ),
        },
    ),
    Kind(
        "data",
        "Groups",
        lambda summary: summary["data"]["groups"],
        {"group": text_of("label")} | _SHARE,
    ),
    Kind(
        "data",
        "Classes",
        lambda summary: _classes(summary, False),
        {"class": text_of("label")} | _SHARE,
    ),
    Kind(
        "data",
        "Tasks",
        lambda summary: _classes(summary, True),
        {"task": text_of("label")} | _SHARE,
    ),
    Kind(
        "runs",
        "Runs",
        lambda summary: summary["runs"],
        {"run": text_of("run")} | _NAME | _VALUE,
    ),
    Kind(
        "method",
        "How each metric was computed",
        lambda summary: summary["metrics"],
        _NAME
        | {
            "source": text_of("source"),
            "computed with": Column(
                lambda row: "; ".join(f"{name}: {how}" for name, how in row["recipe"].items())
            ),
        },
    ),
)
