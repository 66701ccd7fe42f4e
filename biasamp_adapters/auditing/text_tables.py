"""The tables and facts of a summary, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from biasamp_adapters._text import MINUS, arrows, clean, number, shortened
from biasamp_adapters._typing import Row
from biasamp_adapters.auditing.summary import Summary, grouped
from biasamp_adapters.auditing.table_rows import lists_of
from biasamp_adapters.cards.card import Cell, Footnotes
from biasamp_adapters.cards.rounded import UNBOUNDED, percent, rounded
from biasamp_adapters.cards.strips import side
from biasamp_adapters.metrics.result import about
from biasamp_adapters.metrics.result import percent as level_of

#: Most pairs of a model and direction in a long and in a short table.
_PAIRS, _FEW_PAIRS = 40, 10

#: Points of a sweep in a long and in a short table; the curve has all.
_POINTS, _FEW_POINTS = 25, 10

#: Most labels in a list, and most characters of a label.
_LABELS, _LABEL = 8, 60

_SIGNS = {-1: MINUS, 0: "0", 1: "+"}


def estimate(row: Row, sign: str = "+") -> str:
    """A number with its interval or the reason why it has none, with four decimals."""
    value = _exact(row["value"], sign)
    if row["low"] is None:
        return f"{value} (no interval: {row['note']})"
    return f"{value} [{_exact(row['low'], sign)}, {_exact(row['high'], sign)}]"


def _exact(value: float | None, sign: str) -> str:
    if value is None:
        return "undefined"
    return "unbounded (no error)" if abs(value) > UNBOUNDED else f"{value:{sign}z.4f}"


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    name : str
    text : callable
        The text of a row in it.
    number : bool
        Whether that is a number.
    note : callable
        What a footnote says of it; empty for none.
    """

    name: str
    text: Callable[[Row], str]
    number: bool = False
    note: Callable[[Row], str] = lambda row: ""


def _text(key: str, name: str = "") -> Column:
    """A column that shows an entry of a row unchanged."""
    return Column(name or key, lambda row: str(row[key]))


def _note_of(row: Row | None) -> str:
    """Why a number has no interval, or what to know of it."""
    return "" if row is None else str(row["note"] or "")


def _own(name: str, scale: float = 100.0, sign: str = "+") -> Column:
    """The number of a row itself, with its interval."""
    return Column(name, lambda row: rounded(row, scale, sign).both, True, _note_of)


def _of(name: str, key: str, scale: float = 100.0, sign: str = "+") -> Column:
    """A number in a row, with its interval; there may be none."""

    def text(row: Row) -> str:
        return rounded(row[key], scale, sign).both if row[key] else ""

    return Column(name, text, True, lambda row: _note_of(row[key]))


def _share(name: str) -> Column:
    return Column(name, lambda row: percent(row["share"], 1), True)


def _metric(row: Row) -> str:
    """The metric, with the class if it is about a single one, and its unit."""
    one_class = f" (class {row['pos_label']})" if row.get("pos_label") is not None else ""
    return f"{arrows(row['name'])}{one_class}{', points' if about(row['metric']).in_points else ''}"


def _sign(row: Row) -> str:
    """The sign of a correlation in the reference."""
    return _SIGNS[row["sign"]] + " (uncertain)" * row.get("uncertain", False)


def _threshold(row: Row) -> str:
    return "above all" if row["threshold"] is None else f"{row['threshold']:.6g}"


def _by_group(row: Row) -> str:
    """The rate of each group."""
    return "; ".join(f"{group['group']}: {rounded(group, 100, '').both}" for group in row["groups"])


def _values_by_group(row: Row) -> str:
    """The rate of each group, without intervals."""
    return "; ".join(f"{group['group']}: {_exact(group['value'], '')}" for group in row["groups"])


def _recipe(row: Row) -> str:
    return "; ".join(f"{name}: {how}" for name, how in row["recipe"].items())


def _detectable(row: Row) -> str:
    change = row["detectable"]
    if change is None:
        return ""
    alone = {"value": change, "low": None, "high": None}
    return rounded(alone, about(row["metric"]).scale, "").value


_METRIC = Column("metric", _metric)
_MODEL = _text("model")
_DIRECTION = Column("direction", lambda row: arrows(row["direction"]))
# Only a summary of runs has them.
_RUN = Column("run", lambda row: row.get("run", ""))
_ATTRIBUTE, _TASK = _text("attribute"), _text("task")
_VALUE = Column("value", lambda row: rounded(row, about(row["metric"]).scale).both, True, _note_of)
_BAND = Column(
    "interval for all pairs",
    lambda row: rounded({**row, "low": row["band_low"], "high": row["band_high"]}).interval,
    True,
)
_CLEAR = Column("clear", lambda row: "yes" if row["clear"] else "")
_SIGN, _GROUPS = Column("reference sign", _sign), Column("by group", _by_group)
_ROWS = Column("rows", lambda row: f"{row['rows']:,}", True)
_SHARE = _share("share")


class Kind(NamedTuple):
    """A kind of table: its part of the report, its caption, its rows and its columns.

    ``rows`` is a key of ``lists_of``. ``shorten`` selects the rows of a table, short or not, from
    those of one model and direction, or of one sweep.
    """

    part: str
    caption: str
    rows: str
    columns: list[Column]
    shorten: Callable[[list[Row], bool], list[Row]] = lambda rows, short: rows


#: Places in words.
_PLACES = {"first": "read first", "beside": "read beside", "leave": "leave aside"}


def _evenly(points: list[Row], short: bool) -> list[Row]:
    """Some of the points of a sweep, evenly spaced."""
    most = _FEW_POINTS if short else _POINTS
    return points[:: max(1, (len(points) - 1) // most)]


KINDS = (
    Kind(
        "reading",
        "What to read",
        "advice",
        [
            Column("what", lambda row: _PLACES[row["place"]]),
            _text("numbers", "number"),
            _text("models"),
            Column("because", lambda row: arrows(row["reason"])),
        ],
    ),
    Kind("results", "All metrics", "metrics", [_METRIC, _VALUE]),
    Kind(
        "results",
        "Beside mistakes as frequent as these that know nothing of the attribute, in points",
        "with blind errors",
        [
            Column("metric", lambda row: arrows(row["name"])),
            _VALUE,
            _of("blind errors", "blind_errors"),
            _of("excess", "excess"),
        ],
    ),
    Kind(
        "results",
        "Predictability behind LA and DPA",
        "with levels",
        [
            Column("metric", lambda row: arrows(row["name"])),
            _of("dataset", "psi_dataset", 1, ""),
            _of("model output", "psi_model", 1, ""),
        ],
    ),
    Kind(
        "results",
        "Variance of the changes that Multi averages",
        "with variance",
        [Column("metric", lambda row: arrows(row["name"])), _of("variance", "spread", 1, "")],
    ),
    Kind(
        "results",
        "Prevalence: labels per row, all tasks together or one",
        "prevalence",
        [
            _RUN,
            _TASK,
            Column("true", lambda row: f"{row['true']:.4g}", True),
            Column("predicted", lambda row: f"{row['predicted']:.4g}", True),
            Column(
                "predicted / true, %",
                lambda row: rounded({**row, "value": row["ratio"]}, 100, "").both,
                True,
                _note_of,
            ),
            Column("rates that fall", lambda row: f"{row['falling']:,} of {row['pairs']:,}", True),
        ],
    ),
    Kind(
        "differences",
        "Differences between models (paired)",
        "differences",
        [
            _METRIC,
            Column("difference", lambda row: f"{row['model']} {MINUS} {row['compared_with']}"),
            _VALUE,
        ],
    ),
    Kind(
        "hidden",
        "What the mean hides: BA\u2192 by the sign of the reference correlation, in points",
        "hidden",
        [
            _DIRECTION,
            _ATTRIBUTE,
            _SIGN,
            Column("pairs", lambda row: f"{row['pairs']:,}", True),
            _of("mean contribution", "contribution"),
            _of("mean size of D", "mean_abs_delta", 100, ""),
        ],
    ),
    Kind(
        "pairs",
        "Pairs of BA\u2192, the clearest first, in points",
        "pairs",
        [
            _DIRECTION,
            _ATTRIBUTE,
            _TASK,
            Column("truth", lambda row: percent(row["true"], 1), True),
            Column("prediction", lambda row: percent(row["predicted"], 1), True),
            _SIGN,
            _own("contribution"),
            _BAND,
            _CLEAR,
        ],
        lambda pairs, short: pairs[: _FEW_PAIRS if short else _PAIRS],
    ),
    Kind(
        "sweeps",
        "Thresholds of the score: BA A\u2192T and FPR difference, in points",
        "points",
        [
            _RUN,
            Column("threshold", _threshold, True),
            _share("predicted positive"),
            _of("BA A\u2192T", "amplification"),
            _of("blind errors", "blind_errors"),
            _of("FPR difference", "fpr_difference", 100, ""),
        ],
        _evenly,
    ),
    Kind(
        "sweeps",
        "Thresholds of the score of the attribute: BA T\u2192A and MALS, in points",
        "attribute points",
        [
            _RUN,
            Column("threshold", _threshold, True),
            Column("predicted", lambda row: f"{percent(row['share'], 1)} {row['attribute']}", True),
            _of("BA T\u2192A", "amplification"),
            _of("blind errors", "blind_errors"),
            _of("MALS", "mals"),
        ],
        _evenly,
    ),
    Kind(
        "sweeps",
        "Without a threshold: integrals over the share predicted positive, in points",
        "threshold-free",
        [_RUN, Column("metric", lambda row: arrows(row["integrated"])), _own("integral")],
    ),
    Kind(
        "fairness",
        "Fairness measures: largest less smallest rate over groups, in points; rates in per cent",
        "fairness",
        [
            Column("measure", lambda row: row["measure"].replace("_", " ")),
            _TASK,
            _own("difference", 100, ""),
            _GROUPS,
        ],
    ),
    Kind(
        "fairness",
        "AIF360's own measures",
        "aif360",
        [
            _text("measure"),
            Column("value", lambda row: _exact(row["value"], "+"), True),
            _text("ideal"),
            Column("by group", _values_by_group),
        ],
    ),
    Kind(
        "data",
        "Gaps in the reference and in the evaluated truth, in points",
        "drift",
        [
            _RUN,
            _TASK,
            Column("groups", lambda row: f"{row['group']} {MINUS} {row['other']}"),
            Column("reference", lambda row: number(100 * row["reference"]["gap"], 1), True),
            Column("truth", lambda row: number(100 * row["truth"]["gap"], 1), True),
            _own("difference"),
        ],
    ),
    Kind("data", "Groups", "groups", [_text("label", "group"), _ROWS, _SHARE]),
    Kind("data", "Classes", "classes", [_text("label", "class"), _ROWS, _SHARE]),
    Kind("data", "Tasks", "tasks", [_text("label", "task"), _ROWS, _SHARE]),
    Kind("runs", "Runs", "runs", [_RUN, _METRIC, _VALUE]),
    Kind(
        "method",
        "How each metric was computed",
        "metrics",
        [
            _METRIC,
            _text("source"),
            Column("computed with", _recipe),
            Column("smallest change seen", _detectable, True),
        ],
    ),
)


class Table(NamedTuple):
    """A table as text, for a part of the report.

    Attributes
    ----------
    part, caption : str
    names : list of str
        The heads of the columns.
    rows : list of list of Cell
    numbers : list of bool
        Which columns are numbers.
    clear : list of bool
        Which rows have an interval without 0; of pairs, one that holds for all of them at once.
    footnotes : list of str
        Each reason once; cells refer to them by their number, from 1.
    """

    part: str
    caption: str
    names: list[str]
    rows: list[list[Cell]]
    numbers: list[bool]
    clear: list[bool]
    footnotes: list[str]


def tables(summary: Summary, *, short: bool) -> Iterator[Table]:
    """The tables of a summary that have rows; long ones may be shortened."""
    several = len({row["model"] for row in summary["metrics"]}) > 1
    lists = lists_of(summary)
    for kind in KINDS:
        rows, caption, columns = lists.get(kind.rows), kind.caption, kind.columns
        if not rows:
            continue
        if kind.rows == "metrics" and kind.part == "results" and several:
            yield _by_model(kind, rows)
            continue
        row_groups = grouped(rows, "model", "name", "run").values()
        shown = [row for group in row_groups for row in kind.shorten(group, short)]
        if len(shown) < len(rows):
            caption = f"{caption} ({len(shown):,} of {len(rows):,})"
        rows = shown
        if len({row.get("direction") for row in rows}) == 1:
            columns = [column for column in columns if column is not _DIRECTION]
        if several and "model" in rows[0] and kind.part != "differences":
            columns = [_MODEL, *columns]
        clear = [
            bool(row["clear"] if "clear" in row else "low" in row and side(row)) for row in rows
        ]
        yield table_of(kind.part, caption, columns, rows, clear)


def table_of(
    part: str, caption: str, columns: Sequence[Column], rows: Sequence[Row], clear: list[bool]
) -> Table:
    """A table of rows; columns without any text are left out."""
    notes = Footnotes()
    cells = [(column, [_cell(column, row, notes) for row in rows]) for column in columns]
    kept = [(column, texts) for column, texts in cells if any(cell.text for cell in texts)]
    return Table(
        part,
        caption,
        [column.name for column, _ in kept],
        [list(row) for row in zip(*(texts for _, texts in kept), strict=True)],
        [column.number for column, _ in kept],
        clear,
        list(notes.texts),
    )


def _cell(column: Column, row: Row, notes: Footnotes) -> Cell:
    text = clean(column.text(row))
    return Cell(text, notes.mark(column.note(row)) if text else ())


def _by_model(kind: Kind, rows: list[Row]) -> Table:
    """One row per metric and one column per model."""
    notes = Footnotes()
    models = list(dict.fromkeys(row["model"] for row in rows))
    metric, value = kind.columns
    lines = []
    for of_metric in grouped(rows, "name").values():
        by_model = {row["model"]: row for row in of_metric}
        found = [
            _cell(value, by_model[name], notes) if name in by_model else Cell("") for name in models
        ]
        lines.append([_cell(metric, of_metric[0], notes), *found])
    return Table(
        kind.part,
        kind.caption,
        [metric.name, *map(clean, models)],
        lines,
        [False, *[True] * len(models)],
        [False] * len(lines),
        list(notes.texts),
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
    level, draws = level_of(method["confidence"]), f"{method['n_boot']:,} replicates"
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
