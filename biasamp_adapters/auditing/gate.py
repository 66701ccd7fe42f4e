"""Gates for continuous integration: does a metric exceed a bound beyond its uncertainty?"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.metrics.bound import as_arrow


class Gate(NamedTuple):
    """A metric, by its name in a report, and the bound it must not exceed."""

    metric: str
    bound: float


def parse_gate(text: str) -> Gate:
    """The gate that ``METRIC=X`` describes.

    Raises
    ------
    ValueError
        If the text has another form or X is not a number.
    """
    metric, equals, bound = text.rpartition("=")
    try:
        if not (metric.strip() and equals and math.isfinite(float(bound))):
            raise ValueError
        return Gate(_as_in_reports(metric.strip()), float(bound))
    except ValueError:
        raise ValueError(
            f"--fail-above must be METRIC=X with a number X, as in 'BA A->T=0.02'; "
            f"received {text!r}"
        ) from None


def _as_in_reports(metric: str) -> str:
    """The name of a metric with its direction, if it ends in one, written as reports do."""
    name, space, direction = metric.rpartition(" ")
    return f"{name}{space}{as_arrow(direction) or direction}"


def gated(report: AuditReport, gate: Gate) -> list[dict[str, Any]]:
    """Rows of the report that a gate judges.

    A metric is named as in the report ("BA A->T"), by its class and direction, or without the
    direction for all of its directions.

    Raises
    ------
    ValueError
        If the report has no such metric.
    """
    rows = [row for row in report.summary["metrics"] if gate.metric in _names(row)]
    if not rows:
        known = dict.fromkeys(row["name"] for row in report.summary["metrics"])
        raise ValueError(
            f"--fail-above must name a metric of the report, one of {list(known)}; "
            f"received {gate.metric!r}"
        )
    return rows


def exceeded(report: AuditReport, gate: Gate) -> list[str]:
    """One line for each value whose whole interval lies above the bound.

    Raises
    ------
    ValueError
        If the report has no such metric, or none of its values exceeds and one has no interval to
        judge by.
    """
    rows = gated(report, gate)
    above = [row for row in rows if row["low"] is not None and row["low"] > gate.bound]
    unknown = [row for row in rows if row["low"] is None]
    if unknown and not above:
        row = unknown[0]
        raise ValueError(
            f"--fail-above is judged on the interval, and {row['name']} has none: {row['note']}"
        )
    return [
        f"{row['model']}: {row['name']} is {row['value']:+z.4f} "
        f"[{row['low']:+z.4f}, {row['high']:+z.4f}], above {gate.bound:g}"
        for row in above
    ]


def _names(row: dict[str, Any]) -> set[str]:
    short = row["name"].removesuffix(f" {row['direction']}")
    return {row["name"], short, row["metric"], f"{row['metric']} {row['direction']}"}
