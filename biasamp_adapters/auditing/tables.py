"""The tables of a report: which rows of a summary they show, and what each column says of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from biasamp_adapters._text import clean, shortened
from biasamp_adapters.metrics.result import percent

Row: TypeAlias = dict[str, Any]
Summary: TypeAlias = dict[str, Any]

#: A level beyond it is the inverse of a loss of 0.
_UNBOUNDED = 1e12

#: Pairs of a model and direction, and points of a sweep, where there is little room.
FEW_PAIRS, FEW_POINTS = 10, 10

#: Characters of a label in a list of them.
_LABEL = 60


def number(value: float | None, sign: str = "+") -> str:
    """A number of four decimals, signed unless it is a level, or that it is undefined."""
    if value is None:
        return "undefined"
    return "unbounded (no error)" if abs(value) > _UNBOUNDED else f"{value:{sign}z.4f}"


def ends(row: Row, sign: str = "+") -> str:
    """The interval of a row, or that there is none; the note says why."""
    if row["low"] is None:
        return "none"
    return f"[{number(row['low'], sign)}, {number(row['high'], sign)}]"


def estimate(row: Row | None, sign: str = "+") -> str:
    """A number and its interval, or why there is none; nothing where there is no number."""
    if row is None:
        return ""
    if row["low"] is None:
        return f"{number(row['value'], sign)} (no interval: {row['note']})"
    return f"{number(row['value'], sign)} {ends(row, sign)}"


_SIGNS = {-1: "-", 0: "0", 1: "+"}


def _sign(row: Row) -> str:
    return _SIGNS[row["sign"]] + " (uncertain)" * row["uncertain"]


class Column(NamedTuple):
    """What a column says of a row, and whether that is a number."""

    say: Callable[[Row], str]
    number: bool = False


Columns: TypeAlias = dict[str, Column]


def _text(name: str) -> Column:
    return Column(lambda row: str(row[name]))


_NAME: Columns = {"metric": _text("name")}
_VALUE: Columns = {
    "value": Column(lambda row: number(row["value"]), True),
    "interval": Column(ends, True),
    "note": _text("note"),
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
            "reading": _text("reading"),
            "random errors": Column(lambda row: estimate(row["baseline"]), True),
            "variance": Column(lambda row: estimate(row["spread"], ""), True),
            "note": _text("note"),
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
        _NAME | {"less": _text("compared_with")} | _VALUE,
    ),
    Kind(
        "hidden",
        "What the mean hides: BA-> by the sign of the reference correlation",
        lambda summary: summary["trends"],
        {
            "direction": _text("direction"),
            "attribute": _text("attribute"),
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
            "direction": _text("direction"),
            "attribute": _text("attribute"),
            "task": _text("task"),
            "reference sign": Column(_sign),
            "contribution": Column(lambda row: number(row["value"]), True),
            "interval": Column(ends, True),
            "note": _text("note"),
        },
        _strongest,
    ),
    Kind(
        "sweeps",
        "Thresholds of the score: BA A->T and the difference of false positive rates",
        _points,
        {
            "run": _text("run"),
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
            "task": _text("task"),
            "value": Column(lambda row: number(row["value"], ""), True),
            "interval": Column(lambda row: ends(row, ""), True),
            "by group": Column(
                lambda row: "; ".join(f"{of['group']}: {estimate(of, '')}" for of in row["groups"])
            ),
            "note": _text("note"),
        },
    ),
    Kind(
        "fairness",
        "AIF360's own measures",
        lambda summary: summary.get("aif360", []),
        {
            "measure": _text("measure"),
            "value": Column(lambda row: number(row["value"]), True),
            "ideal": _text("ideal"),
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
        {"group": _text("label")} | _SHARE,
    ),
    Kind(
        "data",
        "Classes",
        lambda summary: _classes(summary, False),
        {"class": _text("label")} | _SHARE,
    ),
    Kind(
        "data",
        "Tasks",
        lambda summary: _classes(summary, True),
        {"task": _text("label")} | _SHARE,
    ),
    Kind(
        "runs",
        "Runs",
        lambda summary: summary["runs"],
        {"run": _text("run")} | _NAME | _VALUE,
    ),
    Kind(
        "method",
        "How each metric was computed",
        lambda summary: summary["metrics"],
        _NAME
        | {
            "source": _text("source"),
            "computed with": Column(
                lambda row: "; ".join(f"{name}: {how}" for name, how in row["recipe"].items())
            ),
        },
    ),
)


@dataclass(frozen=True)
class Table:
    """A table as text.

    Attributes
    ----------
    part : str
        The part of the report that it belongs to.
    caption : str
    names : list of str
        Of the columns.
    rows : list of list of str
    numbers : list of bool
        Which columns are numbers.
    clear : list of bool
        Which rows have an interval that does not hold 0.
    """

    part: str
    caption: str
    names: list[str]
    rows: list[list[str]]
    numbers: list[bool]
    clear: list[bool]


def tables(summary: Summary, *, few: bool) -> Iterator[Table]:
    """The tables of a summary that have rows; with ``few`` of the long ones a part."""
    several = len({row["model"] for row in summary["metrics"]}) > 1
    interval = f"{percent(summary['method']['confidence'])} interval"
    for kind in KINDS:
        rows, caption = kind.rows(summary), kind.caption
        if few and kind.few is not None and len(kind.few(rows)) < len(rows):
            rows, n = kind.few(rows), len(rows)
            caption = f"{caption} ({len(rows):,} of {n:,})"
        columns = kind.columns
        if several and rows and "model" in rows[0]:
            columns = {"model": _text("model"), **columns}
        cells = {name: [clean(of.say(row)) for row in rows] for name, of in columns.items()}
        # A column that says nothing is left out.
        kept = [name for name, column in cells.items() if any(column)]
        if rows:
            yield Table(
                kind.part,
                caption,
                [interval if name == "interval" else name for name in kept],
                [list(row) for row in zip(*(cells[name] for name in kept), strict=True)],
                [columns[name].number for name in kept],
                [is_clear(row) for row in rows],
            )


def is_clear(row: Row) -> bool:
    """Whether a row has an interval that does not hold 0."""
    return row.get("low") is not None and not row["low"] <= 0 <= row["high"]


def audited(summary: Summary) -> list[tuple[str, str]]:
    """What was audited: terms, and what is said of them."""
    data = summary["data"]
    runs = f" in {data['runs']} runs, not pooled" if "runs" in data else ""
    missing = [f"{data['dropped']:,} rows left out"] * (data["dropped"] > 0)
    missing += [f"{data['abstained']:,} predictions abstained"] * (data["abstained"] > 0)
    tasks = "Tasks" if data["tasks_are_columns"] else "Classes"
    lines = [
        ("Rows", f"{data['rows']:,}{runs}" + (" (weighted)" if data["weighted"] else "")),
        ("Attributes", ", ".join(data["attributes"])),
        ("Groups", _listed(data["groups"])),
        (tasks, _listed(data["classes"])),
        ("Positive class", data["positive"] or ""),
        ("Models", ", ".join(data["models"])),
        ("Reference", data["reference"]),
        ("Missing values", ", ".join(missing) or "0 rows"),
    ]
    return [(term, clean(text)) for term, text in lines if text]


def computed(summary: Summary) -> list[tuple[str, str]]:
    """How it was computed, in the same form."""
    method = summary["method"]
    seed = f", seed {method['random_state']}" if method["n_boot"] else ""
    return [
        (
            "Intervals",
            f"{percent(method['confidence'])}, {method['interval']}, "
            f"{method['n_boot']:,} replicates{seed}",
        ),
        ("Versions", ", ".join(f"{name} {of}" for name, of in method["versions"].items())),
    ]


def _listed(shares: list[Row], most: int = 8) -> str:
    """The largest of several labels, with their rows."""
    largest = sorted(shares, key=lambda row: -row["rows"])[:most]
    rest = f" and {len(shares) - most} more" if len(shares) > most else ""
    named = (f"{shortened(row['label'], _LABEL)} ({row['rows']:,})" for row in largest)
    return ", ".join(named) + rest
