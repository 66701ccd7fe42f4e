"""Gates for continuous integration: does a metric exceed a bound beyond its uncertainty?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.auditing.summary import Row
from biasamp_adapters.auditing.tables import estimate
from biasamp_adapters.metrics.measurement import as_arrow


class Gate(NamedTuple):
    """A metric, by its name in a report, and the bound it must not exceed."""

    metric: str
    bound: float


def parse_gate(text: str) -> Gate:
    """The gate that ``METRIC=X`` describes."""
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
    """The name of a metric, with its direction (if it has one) written as in reports."""
    name, space, direction = metric.rpartition(" ")
    return f"{name}{space}{as_arrow(direction) or direction}"


def _judged_rows(report: AuditReport, gate: Gate) -> list[Row]:
    """Rows of the report that a gate judges.

    A metric is named as in the report ("BA A->T"), by its class and direction, or without the
    direction for all of its directions.
    """
    rows: list[Row] = report.summary["metrics"]
    judged = [row for row in rows if gate.metric in _names(row)]
    if not judged:
        names = dict.fromkeys(row["name"] for row in rows)
        raise ValueError(
            f"--fail-above must name a metric of the report, one of {list(names)}; "
            f"received {gate.metric!r}"
        )
    return judged


def _names(row: Row) -> set[str]:
    short = row["name"].removesuffix(f" {row['direction']}")
    return {row["name"], short, row["metric"], f"{row['metric']} {row['direction']}"}


def judge(reports: Sequence[AuditReport], gates: Sequence[Gate]) -> tuple[list[str], list[str]]:
    """One line for each value whose whole interval lies above the bound of a gate, and one for each
    value of which the data do not say whether it does.

    Raises
    ------
    ValueError
        If a report has no such metric.
    """
    above, unknown = [], []
    for gate, report in product(gates, reports):
        for row in _judged_rows(report, gate):
            name = f"{row['model']}: {row['name']}"
            if row["low"] is None:
                unknown.append(f"{name} cannot be judged: it has no interval ({row['note']})")
            elif _is_balanced(report, row):
                unknown.append(
                    f"{name} cannot be judged: the reference is balanced, or of one class or "
                    "group: it is 0 by construction, whatever the model does"
                )
            elif row["low"] > gate.bound:
                above.append(f"{name} is {estimate(row)}, above {gate.bound:g}")
    return above, unknown


def _is_balanced(report: AuditReport, row: Row) -> bool:
    """Whether a value is 0 because all of its pairs have the sign 0."""
    # A summary of runs has no results. Its pairs show the signs of BA in the first run.
    signs = [
        pair["sign"]
        for pair in report.summary["pairs"]
        if (pair["model"], pair["name"]) == (row["model"], row["name"])
    ]
    for (model, _), result in report.results.items():
        if (model, result.short_name) == (row["model"], row["name"]):
            signs = list(result.by_pair.get("sign", ()))
    return row["value"] == 0 and bool(signs) and not any(signs)
