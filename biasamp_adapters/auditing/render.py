"""A summary as text, Markdown and HTML. Nothing is computed here, only put into cells."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from biasamp_adapters.metrics.result import percent

#: A caption, the names of the columns, and the cells as text.
Table: TypeAlias = tuple[str, list[str], list[list[str]]]
Row: TypeAlias = dict[str, Any]
Columns: TypeAlias = dict[str, Callable[[Row], str]]


#: A level beyond it is the inverse of a loss of 0.
_UNBOUNDED = 1e12


def number(value: float | None, sign: str = "+") -> str:
    """A number of four decimals, signed unless it is a level, or that it is undefined."""
    if value is None:
        return "undefined"
    return "unbounded (no error)" if abs(value) > _UNBOUNDED else f"{value:{sign}z.4f}"


def ends(row: dict[str, Any], sign: str = "+") -> str:
    """The interval of a row, or that there is none; the note says why."""
    if row["low"] is None:
        return "none"
    return f"[{number(row['low'], sign)}, {number(row['high'], sign)}]"


def estimate(row: dict[str, Any] | None, sign: str = "+") -> str:
    """A number and its interval, or why there is none; nothing where there is no number."""
    if row is None:
        return ""
    if row["low"] is None:
        return f"{number(row['value'], sign)} (no interval: {row['note']})"
    return f"{number(row['value'], sign)} {ends(row, sign)}"


_SIGNS = {-1: "-", 0: "0", 1: "+"}


def _sign(row: Row) -> str:
    return _SIGNS[row["sign"]] + " (uncertain)" * row["uncertain"]


def _by_group(row: Row) -> str:
    return "; ".join(f"{of['group']}: {estimate(of, '')}" for of in row["groups"])


_NAME: Columns = {"metric": lambda row: row["name"]}
_VALUE: Columns = {
    "value": lambda row: number(row["value"]),
    "interval": ends,
    "note": lambda row: row["note"],
}
_SHARE: Columns = {
    "rows": lambda row: f"{row['rows']:,}",
    "share": lambda row: f"{row['share']:.1%}",
}


def _classes(summary: dict[str, Any], are_columns: bool) -> list[Row]:
    """The classes, or tasks that are columns, if that is what they are."""
    data = summary["data"]
    return data["classes"] if data["tasks_are_columns"] == are_columns else []


#: The tables of a report: a caption, where the rows are, and what each column says of a row.
_TABLES: list[tuple[str, Callable[[dict[str, Any]], list[Row]], Columns]] = [
    (
        "Bias amplification",
        lambda summary: summary["metrics"],
        _NAME
        | {
            "value": lambda row: number(row["value"]),
            "interval": ends,
            "reading": lambda row: row["reading"],
            "random errors": lambda row: estimate(row["baseline"]),
            "variance": lambda row: estimate(row["spread"], ""),
            "note": lambda row: row["note"],
        },
    ),
    (
        "Predictability behind LA and DPA",
        lambda summary: [row for row in summary["metrics"] if row["levels"]],
        _NAME
        | {
            "dataset": lambda row: estimate(row["levels"]["psi_dataset"], ""),
            "model output": lambda row: estimate(row["levels"]["psi_model"], ""),
        },
    ),
    (
        "Differences between models (paired)",
        lambda summary: summary["differences"],
        _NAME | {"less": lambda row: row["compared_with"]} | _VALUE,
    ),
    (
        "What the mean hides: BA-> by the sign of the reference correlation",
        lambda summary: summary["trends"],
        {
            "direction": lambda row: row["direction"],
            "attribute": lambda row: row["attribute"],
            "reference sign": lambda row: _SIGNS[row["sign"]],
            "pairs": lambda row: f"{row['pairs']:,}",
            "mean contribution": lambda row: number(row["contribution"]),
            "mean size of D": lambda row: number(row["mean_abs_delta"], ""),
        },
    ),
    (
        "Strongest pairs of BA->",
        lambda summary: summary["pairs"],
        {
            "direction": lambda row: row["direction"],
            "attribute": lambda row: row["attribute"],
            "task": lambda row: row["task"],
            "reference sign": _sign,
            "contribution": lambda row: number(row["value"]),
            "interval": ends,
            "note": lambda row: row["note"],
        },
    ),
    (
        "Fairness measures: largest less smallest rate over groups",
        lambda summary: summary["fairness"],
        {
            "measure": lambda row: row["measure"].replace("_", " "),
            "task": lambda row: row["task"],
            "value": lambda row: number(row["value"], ""),
            "interval": lambda row: ends(row, ""),
            "by group": _by_group,
            "note": lambda row: row["note"],
        },
    ),
    (
        "AIF360's own measures",
        lambda summary: summary.get("aif360", []),
        {
            "measure": lambda row: row["measure"],
            "value": lambda row: number(row["value"]),
            "ideal": lambda row: str(row["ideal"]),
            "by group": lambda row: "; ".join(
                f"{of['group']}: {number(of['value'], '')}" for of in row["groups"]
            ),
        },
    ),
    (
        "Groups",
        lambda summary: summary["data"]["groups"],
        {"group": lambda row: row["label"]} | _SHARE,
    ),
    (
        "Classes",
        lambda summary: _classes(summary, False),
        {"class": lambda row: row["label"]} | _SHARE,
    ),
    (
        "Tasks",
        lambda summary: _classes(summary, True),
        {"task": lambda row: row["label"]} | _SHARE,
    ),
    (
        "Runs",
        lambda summary: summary.get("runs", []),
        {"run": lambda row: row["run"]} | _NAME | _VALUE,
    ),
]


def tables(summary: dict[str, Any]) -> list[Table]:
    """The tables that have rows, as text."""
    several = len({row["model"] for row in summary["metrics"]}) > 1
    interval = f"{percent(summary['method']['confidence'])} interval"
    out = []
    for caption, rows_of, columns in _TABLES:
        rows = rows_of(summary)
        if several and rows and "model" in rows[0]:
            columns = {"model": lambda row: row["model"], **columns}
        names = [interval if name == "interval" else name for name in columns]
        cells = [[cell(row) for cell in columns.values()] for row in rows]
        if rows:
            out.append(_without_empty((caption, names, cells)))
    return out


def _without_empty(table: Table) -> Table:
    """The table without columns that say nothing, its text without what could act on a reader."""
    caption, names, rows = table
    keep = [i for i in range(len(names)) if any(row[i] for row in rows)]
    cells = [[clean(row[i]) for i in keep] for row in rows]
    return caption, [names[i] for i in keep], cells


def facts(summary: dict[str, Any]) -> list[str]:
    """What was audited and how, a line each."""
    data, method = summary["data"], summary["method"]
    seed = f", seed {method['random_state']}" if method["n_boot"] else ""
    used = ", ".join(f"{name} {version}" for name, version in method["versions"].items())
    runs = f" in {data['runs']} runs, not pooled" if "runs" in data else ""
    lines = [
        f"Rows: {data['rows']:,}{runs}" + (" (weighted)" if data["weighted"] else ""),
        f"Attributes: {', '.join(data['attributes'])}",
        f"Models: {', '.join(data['models'])}",
        f"Reference: {data['reference']}",
        f"Intervals: {percent(method['confidence'])}, {method['interval']}, "
        f"{method['n_boot']:,} replicates{seed}",
        f"Versions: {used}",
    ]
    if data["positive"] is not None:
        lines.insert(3, f"Positive class: {data['positive']}")
    return list(map(clean, lines))


def to_text(summary: dict[str, Any]) -> str:
    """The report as plain text."""
    parts = [clean(summary["title"]), "\n".join(facts(summary))]
    if summary["headlines"]:
        parts.append("\n".join(map(clean, summary["headlines"])))
    for caption, names, rows in tables(summary):
        parts.append(f"{caption}\n" + _aligned([names, *rows]))
    parts.append("Notes\n" + "\n".join(f"- {clean(note)}" for note in summary["notes"]))
    return "\n\n".join(parts) + "\n"


def clean(text: str) -> str:
    """Text without what could drive a terminal, break a row or turn the rest of a line around."""
    text = re.sub(r"[\u202a-\u202e\u2066-\u2069]", "", text)
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)


def _aligned(rows: Sequence[Sequence[str]], limit: int = 120) -> str:
    cells = [[*(_shortened(cell, limit) for cell in row[:-1]), row[-1]] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def to_markdown(summary: dict[str, Any]) -> str:
    """The report as Markdown, with tables of the GitHub flavour."""
    parts = [f"# {_escaped(summary['title'])}"]
    parts.append("\n".join(f"- {_escaped(fact)}" for fact in facts(summary)))
    if summary["headlines"]:
        parts.append("\n".join(f"- **{_escaped(line)}**" for line in summary["headlines"]))
    for caption, names, rows in tables(summary):
        lines = [names, ["---"] * len(names), *[list(map(_escaped, row)) for row in rows]]
        body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts.append(f"## {_escaped(caption)}\n\n{body}")
    parts.append("## Notes\n\n" + "\n".join(f"- {_escaped(note)}" for note in summary["notes"]))
    return "\n\n".join(parts) + "\n"


def _escaped(text: str) -> str:
    """Text in which Markdown and HTML find nothing to do."""
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#~!])", r"\\\1", text)


def to_json(document: Any) -> str:
    """A summary, or a list of them, as strict JSON."""
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def to_html(summaries: Sequence[dict[str, Any]]) -> str:
    """One self-contained page with a section for each report."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("biasamp_adapters.auditing"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sections = [
        {
            "title": clean(summary["title"]),
            "headlines": list(map(clean, summary["headlines"])),
            "notes": list(map(clean, summary["notes"])),
            "facts": facts(summary),
            "tables": tables(summary),
        }
        for summary in summaries
    ]
    return environment.get_template("report.html.j2").render(sections=sections)
