"""What the audit's tests share: small tables whose rates are plain, and ways into a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biasamp_adapters import AuditReport

#: Of 50 rows a group, 30 and 20 are positive.
GROUP = ["a"] * 50 + ["b"] * 50
TRUTH = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
#: The same with 35 and 15: of each pair, the rate moves by 5/50 along the correlation.
AMPLIFIED = [1] * 35 + [0] * 15 + [1] * 15 + [0] * 35
#: The errors of a model that is wrong once in five rows whatever the truth and the group.
ERRORS = [1] * 24 + [0] * 6 + [0] * 16 + [1] * 4 + [1] * 16 + [0] * 4 + [0] * 24 + [1] * 6


def names(report: AuditReport, model: str | None = None) -> list[str]:
    """The metrics and directions of a report, as it calls them."""
    rows = report.summary["metrics"]
    return [row["name"] for row in rows if model in (None, row["model"])]


def row_of(report: AuditReport, name: str, model: str | None = None) -> dict[str, Any]:
    """The one row of a metric and direction."""
    (row,) = (
        row
        for row in report.summary["metrics"]
        if row["name"] == name and model in (None, row["model"])
    )
    return row


def fairness_of(report: AuditReport, measure: str, task: str) -> dict[str, Any]:
    """The one row of a fairness measure."""
    (row,) = (
        row
        for row in report.summary["fairness"]
        if row["measure"] == measure and row["task"] == task
    )
    return row


def has_note(report: AuditReport, fragment: str) -> bool:
    """Whether one of the report's notes holds ``fragment``."""
    return any(fragment in note for note in report.summary["notes"])


def pairs_of(report: AuditReport, direction: str) -> list[dict[str, Any]]:
    """The strongest pairs of one direction, as listed."""
    return [row for row in report.summary["pairs"] if row["direction"] == direction]


def numbers(summary: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything of a summary that is a number with an interval, and where it stands."""
    for part in ("metrics", "differences", "pairs", "fairness"):
        for row in summary[part]:
            where = f"{part}: {row.get('name', row.get('measure'))}"
            yield where, row
            yield from ((f"{where} of {of['group']}", of) for of in row.get("groups", []))


def trend_values(report: AuditReport) -> dict[tuple[Any, ...], float]:
    """Pairs, contribution and size of each trend, without intervals."""
    out = {}
    for row in report.summary["trends"]:
        key = (row["model"], row["direction"], row["attribute"], row["sign"])
        out[*key, "pairs"] = row["pairs"]
        for name in ("contribution", "mean_abs_delta"):
            out[*key, name] = row[name]["value"]
    return out
