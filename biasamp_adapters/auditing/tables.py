"""The tables and facts of a summary, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from biasamp_adapters._text import clean, shortened
from biasamp_adapters.auditing.summary import Row, Summary, grouped, side
from biasamp_adapters.metrics.result import percent

#: A larger level is the inverse of a loss of 0.
_UNBOUNDED = 1e12

#: Most pairs of a model and direction, and points of a sweep, in a short table.
_FEW_PAIRS, _FEW_POINTS = 10, 10

#: Most labels in a list, and most characters of a label.
_LABELS, _LABEL = 8, 60

_SIGNS = {-1: "-", 0: "0", 1: "+"}


def number(value: float | None, sign: str = "+") -> str:
    """A number with four decimals, or "undefined"."""
    if value is None:
        return "undefined"
    return "unbounded (no error)" if abs(value) > _UNBOUNDED else f"{value:{sign}z.4f}"


def interval(row: Row, sign: str = "+") -> str:
    """The interval of a row, or "none"."""
    return _ends(row["low"], row["high"], sign)


def _ends(low: float | None, high: float | None, sign: str = "+") -> str:
    return "none" if low is None else f"[{number(low, sign)}, {number(high, sign)}]"


def estimate(row: Row | None, sign: str = "+") -> str:
    """A number with its interval, or with the reason why it has none; empty without a number."""
    if row is None:
        return ""
    value = number(row["value"], sign)
    if row["low"] is None:
        return f"{value} (no interval: {row['note']})"
    return f"{value} {interval(row, sign)}"


def _or_empty(value: float | None) -> str:
    return "" if value is None else number(value, "")


class Column(NamedTuple):
    """A column of a table: its name, the text of a row in it, and whether that is a number."""

    name: str
    text: Callable[[Row], str]
    number: bool = False


def _text(key: str, name: str = "") -> Column:
    """A column that shows an entry of a row unchanged."""
    return Column(name or key, lambda row: str(row[key]))


def _number(name: str, key: str, sign: str = "+") -> Column:
    return Column(name, lambda row: number(row[key], sign), True)


def _estimate(name: str, key: str, sign: str = "+") -> Column:
    return Column(name, lambda row: estimate(row[key], sign), True)


def _share(name: str) -> Column:
    return Column(name, lambda row: f"{row['share']:.1%}", True)


def _metric(row: Row) -> str:
    """The metric, with the class if it is about a single one."""
    one_class = f" (class {row['pos_label']})" if row.get("pos_label") is not None else ""
    return f"{row['name']}{one_class}"


def _sign(row: Row) -> str:
    """The sign of a correlation in the reference."""
    return _SIGNS[row["sign"]] + " (uncertain)" * row.get("uncertain", False)


def _threshold(row: Row) -> str:
    return "above all" if row["threshold"] is None else f"{row['threshold']:.6g}"


def _by_group(row: Row) -> str:
    """The rate of each group."""
    return "; ".join(f"{group['group']}: {estimate(group, '')}" for group in row["groups"])


def _values_by_group(row: Row) -> str:
    """The rate of each group, without intervals."""
    return "; ".join(f"{group['group']}: {number(group['value'], '')}" for group in row["groups"])


def _recipe(row: Row) -> str:
    return "; ".join(f"{name}: {how}" for name, how in row["recipe"].items())


_METRIC = Column("metric", _metric)
_MODEL, _NOTE, _DIRECTION = _text("model"), _text("note"), _text("direction")
# Only a summary of runs has them.
_RUN = Column("run", lambda row: row.get("run", ""))
_ATTRIBUTE, _TASK = _text("attribute"), _text("task")
_VALUE, _INTERVAL = _number("value", "value"), Column("interval", interval, True)
_PLAIN_INTERVAL = Column("interval", lambda row: interval(row, ""), True)
_BAND = Column("interval for all pairs", lambda row: _ends(row["band_low"], row["band_high"]), True)
_CLEAR = Column("clear", lambda row: "yes" if row["clear"] else "")
_DETECTABLE = Column("smallest change seen", lambda row: _or_empty(row["detectable"]), True)
_SIGN, _GROUPS = Column("reference sign", _sign), Column("by group", _by_group)
_ROWS = Column("rows", lambda row: f"{row['rows']:,}", True)
_SHARE = _share("share")


class Kind(NamedTuple):
    """A kind of table: its part of the report, its caption, its rows and its columns.

    ``rows`` is a key of ``_lists``. ``shorten`` selects the rows of a short table from those of one
    model and direction, or of one sweep.
    """

    part: str
    caption: str
    rows: str
    columns: list[Column]
    shorten: Callable[[list[Row]], list[Row]] = list


def _lists(summary: Summary) -> dict[str, Any]:
    """The lists of a summary, and further ones that are made for tables."""
    data = summary["data"]
    points = [
        {"model": curve["model"], "run": curve.get("run", ""), **point}
        for curve in summary["sweeps"]
        for point in curve["points"]
    ]
    with_levels = [row | row["levels"] for row in summary["metrics"] if row["levels"]]
    classes = "tasks" if data["tasks_are_columns"] else "classes"
    return summary | {
        "advice": list(_advice(summary)),
        "points": points,
        "with levels": with_levels,
        classes: data["classes"],
        "groups": data["groups"],
    }


#: Parts of a report by the name that they have in it, and places in words.
_READ = {"trends": "what the mean hides", "sweeps": "thresholds"}
_PLACES = {"first": "read first", "beside": "read beside", "leave": "leave"}


def _advice(summary: Summary) -> Iterator[Row]:
    """What to read, with the numbers of one reason in one row, and models if there are several."""
    models = summary["data"]["models"]
    merged: dict[tuple[str, str, str], list[str]] = {}
    for row in summary["reading"]:
        names = ", ".join(row["models"]) if len(models) > 1 else ""
        shown = _READ.get(row["metric"], row["metric"].replace("_", " "))
        merged.setdefault((row["place"], names, row["reason"]), []).append(shown)
    for (place, names, reason), numbers in merged.items():
        yield {"place": place, "models": names, "reason": reason, "numbers": ", ".join(numbers)}


KINDS = (
    Kind(
        "reading",
        "What to read",
        "advice",
        [
            Column("what", lambda row: _PLACES[row["place"]]),
            _text("numbers", "number"),
            _text("models"),
            _text("reason", "because"),
        ],
    ),
    Kind(
        "results",
        "Bias amplification",
        "metrics",
        [
            _METRIC,
            _VALUE,
            _INTERVAL,
            _text("reading"),
            _estimate("blind errors", "blind_errors"),
            _estimate("excess", "excess"),
            _estimate("variance", "spread", ""),
            _NOTE,
        ],
    ),
    Kind(
        "results",
        "Predictability behind LA and DPA",
        "with levels",
        [
            _METRIC,
            _estimate("dataset", "psi_dataset", ""),
            _estimate("model output", "psi_model", ""),
        ],
    ),
    Kind(
        "results",
        "Prevalence: labels per row, all tasks together or one",
        "prevalence",
        [
            _RUN,
            _TASK,
            _number("true", "true", ""),
            _number("predicted", "predicted", ""),
            Column("predicted / true", lambda row: number(row["ratio"], ""), True),
            _PLAIN_INTERVAL,
            Column("rates that fall", lambda row: f"{row['falling']:,} of {row['pairs']:,}", True),
            _NOTE,
        ],
    ),
    Kind(
        "differences",
        "Differences between models (paired)",
        "differences",
        [_METRIC, _text("compared_with", "less"), _VALUE, _INTERVAL, _NOTE],
    ),
    Kind(
        "hidden",
        "What the mean hides: BA-> by the sign of the reference correlation",
        "trends",
        [
            _DIRECTION,
            _ATTRIBUTE,
            _SIGN,
            Column("pairs", lambda row: f"{row['pairs']:,}", True),
            _estimate("mean contribution", "contribution"),
            _estimate("mean size of D", "mean_abs_delta", ""),
        ],
    ),
    Kind(
        "pairs",
        "Strongest pairs of BA->",
        "pairs",
        [
            _DIRECTION,
            _ATTRIBUTE,
            _TASK,
            _SIGN,
            _number("contribution", "value"),
            _INTERVAL,
            _BAND,
            _CLEAR,
            _NOTE,
        ],
        lambda pairs: pairs[:_FEW_PAIRS],
    ),
    Kind(
        "sweeps",
        "Thresholds of the score: BA A->T and the difference of false positive rates",
        "points",
        [
            _RUN,
            Column("threshold", _threshold, True),
            _share("predicted positive"),
            _estimate("BA A->T", "amplification"),
            _estimate("blind errors", "blind_errors"),
            _estimate("FPR difference", "fpr_difference", ""),
        ],
        # About ten thresholds, evenly spaced.
        lambda points: points[:: max(1, (len(points) - 1) // _FEW_POINTS)],
    ),
    Kind(
        "fairness",
        "Fairness measures: largest less smallest rate over groups",
        "fairness",
        [
            Column("measure", lambda row: row["measure"].replace("_", " ")),
            _TASK,
            _number("value", "value", ""),
            _PLAIN_INTERVAL,
            _GROUPS,
            _NOTE,
        ],
    ),
    Kind(
        "fairness",
        "AIF360's own measures",
        "aif360",
        [_text("measure"), _VALUE, _text("ideal"), Column("by group", _values_by_group)],
    ),
    Kind(
        "data",
        "Gaps in the reference and in the evaluated truth",
        "drift",
        [
            _RUN,
            _TASK,
            Column("groups", lambda row: f"{row['group']} less {row['other']}"),
            Column("reference", lambda row: number(row["reference"]["gap"]), True),
            Column("truth", lambda row: number(row["truth"]["gap"]), True),
            _number("difference", "value"),
            _INTERVAL,
            _NOTE,
        ],
    ),
    Kind("data", "Groups", "groups", [_text("label", "group"), _ROWS, _SHARE]),
    Kind("data", "Classes", "classes", [_text("label", "class"), _ROWS, _SHARE]),
    Kind("data", "Tasks", "tasks", [_text("label", "task"), _ROWS, _SHARE]),
    Kind("runs", "Runs", "runs", [_RUN, _METRIC, _VALUE, _INTERVAL, _NOTE]),
    Kind(
        "method",
        "How each metric was computed",
        "metrics",
        [_METRIC, _text("source"), Column("computed with", _recipe), _DETECTABLE],
    ),
)


class Table(NamedTuple):
    """A table as text, for a part of the report.

    ``numbers`` tells which columns are numbers, ``clear`` which rows have an interval without 0; of
    pairs, one that holds for all of them at once.
    """

    part: str
    caption: str
    names: list[str]
    rows: list[list[str]]
    numbers: list[bool]
    clear: list[bool]


def tables(summary: Summary, *, short: bool) -> Iterator[Table]:
    """The tables of a summary that have rows; long ones may be shortened."""
    several = len({row["model"] for row in summary["metrics"]}) > 1
    level = f"{percent(summary['method']['confidence'])} interval"
    lists = _lists(summary)
    for part, caption, key, columns, shorten in KINDS:
        rows = lists.get(key)
        if not rows:
            continue
        if short:
            row_groups = grouped(rows, "model", "name", "run").values()
            shown = [row for group in row_groups for row in shorten(group)]
            if len(shown) < len(rows):
                caption = f"{caption} ({len(shown):,} of {len(rows):,})"
            rows = shown
        if several and "model" in rows[0]:
            columns = [_MODEL, *columns]
        cells = [[clean(column.text(row)) for row in rows] for column in columns]
        # Leave out empty columns.
        kept = [i for i, column in enumerate(cells) if any(column)]
        names = [columns[i].name for i in kept]
        yield Table(
            part,
            caption,
            [level if name == _INTERVAL.name else name for name in names],
            [list(row) for row in zip(*(cells[i] for i in kept), strict=True)],
            [columns[i].number for i in kept],
            [bool(row["clear"] if "clear" in row else "low" in row and side(row)) for row in rows],
        )


def data_facts(summary: Summary) -> list[tuple[str, str]]:
    """Facts about the audited data, as pairs of a term and a text."""
    data = summary["data"]
    runs = f" in {data['runs']} runs, not pooled" if "runs" in data else ""
    missing = [f"{data['dropped']:,} rows left out"] * (data["dropped"] > 0)
    missing += [f"{data['abstained']:,} predictions abstained"] * (data["abstained"] > 0)
    clusters = f" in {data['clusters']:,} clusters" if data["clusters"] else ""
    lines = {
        "Rows": f"{data['rows']:,}{clusters}{runs}",
        "Weights": "sampling weights" if data["weighted"] else "none",
        "Task": data["task"] or "",
        "Attributes": ", ".join(data["attributes"]),
        "Groups": _listed(data["groups"]),
        "Tasks" if data["tasks_are_columns"] else "Classes": _listed(data["classes"]),
        "Positive class": data["positive"] or "",
        "Models": ", ".join(data["models"]),
        "Reference": data["reference"],
        "Missing values": ", ".join(missing) or "0 rows",
    }
    return [(term, clean(text)) for term, text in lines.items() if text]


def method_facts(summary: Summary) -> list[tuple[str, str]]:
    """Facts about the computation, in the same form."""
    method = summary["method"]
    level, draws = percent(method["confidence"]), f"{method['n_boot']:,} replicates"
    seed = f", seed {method['random_state']}"
    seed = "" if not method["n_boot"] or method["random_state"] is None else seed
    versions = (f"{name} {version}" for name, version in method["versions"].items())
    return [
        ("Intervals", f"{level}, {method['interval']}, {draws}{seed}"),
        ("Versions", ", ".join(versions)),
    ]


def _listed(shares: list[Row]) -> str:
    """The labels with the most rows, as text."""
    largest = sorted(shares, key=lambda row: -row["rows"])[:_LABELS]
    rest = f" and {len(shares) - _LABELS} more" if len(shares) > _LABELS else ""
    named = (f"{shortened(row['label'], _LABEL)} ({row['rows']:,})" for row in largest)
    return ", ".join(named) + rest
