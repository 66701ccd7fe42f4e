"""The tables and facts of a summary, as text that is ready to be shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from biasamp_adapters._text import clean, shortened
from biasamp_adapters.auditing.cells import Row
from biasamp_adapters.auditing.table_kinds import KINDS, Summary, text_of
from biasamp_adapters.metrics.result import percent
from biasamp_adapters.uncertainty import side_of_zero

#: Characters of a label in a list of them.
_LABEL = 60


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
            columns = {"model": text_of("model"), **columns}
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
    return row.get("low") is not None and side_of_zero((row["low"], row["high"])) != 0


def audited(summary: Summary) -> list[tuple[str, str]]:
    """What was audited: terms, and what is said of them."""
    data = summary["data"]
    runs = f" in {data['runs']} runs, not pooled" if "runs" in data else ""
    missing = [f"{data['dropped']:,} rows left out"] * (data["dropped"] > 0)
    missing += [f"{data['abstained']:,} predictions abstained"] * (data["abstained"] > 0)
    tasks = "Tasks" if data["tasks_are_columns"] else "Classes"
    lines = [
        ("Rows", f"{data['rows']:,}{runs}"),
        ("Weights", "sampling weights" if data["weighted"] else "none"),
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
