"""How many rows an audit needs to show a change."""

from __future__ import annotations

import math

import pandas as pd

from biasamp_adapters._typing import Row, as_float
from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.inference.rules import FEW_ROWS

#: More rows than numbers can tell apart.
_MOST_ROWS = 2**53


def rows_needed(report: AuditReport, change: float) -> pd.DataFrame:
    """How many rows would show a change from 0, for planning the next audit.

    The standard deviation of a value falls with the square root of the rows. So a change is seen in
    80 % of the samples of ``n (detectable / change)^2`` rows, if ``n`` rows show one of
    ``detectable``. That holds for rows like those of the report: with the same groups, classes,
    weights and errors of the model.

    However large the change, no fewer rows are asked for than hold 15 of each group and class, as
    rates of fewer than 15 rows give no interval that can be trusted. Only a report of still fewer
    rows shows that these can do.

    Parameters
    ----------
    report : AuditReport
        With intervals.
    change : float
        The change of a value that is to be seen, above 0 and in the unit of the values.

    Returns
    -------
    DataFrame
        One row per model, metric and direction: ``model``, ``metric``, ``direction``,
        ``detectable`` (the smallest change that the rows of the report show, see
        ``AmplificationResult.detectable``), ``rows``, and ``note``, which says why these
        two are missing, or that groups and classes need more rows than the change.

    Raises
    ------
    ValueError
        If ``change`` is not a finite number above 0 or needs more than 2^53 rows, or the report has
        no value with an interval, or is a summary of runs.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> from biasamp_adapters.datasets import load_diabetes_audit
    >>> demo = load_diabetes_audit()
    >>> report = bam.audit(
    ...     demo.y_true, demo.y_pred, sensitive_features=demo.sensitive_features, n_boot=500
    ... )
    >>> needed = bam.rows_needed(report, 0.02).query("metric == 'DirectionalBiasAmplification'")
    >>> needed[["detectable", "rows"]].round({"detectable": 1, "rows": -4}).values.tolist()
    [[0.1, 10000]]
    """
    if not isinstance(report, AuditReport):
        raise TypeError(f"report must be an AuditReport; received a {type(report).__name__}")
    size = math.nan if isinstance(change, bool) else as_float(change)
    if not 0 < size < math.inf:
        raise ValueError(f"change must be a finite number above 0; received {change!r}")
    summary = report.summary
    if "runs" in summary["data"]:
        raise ValueError(
            "report must be of one audit, whose intervals get narrower with more rows; received a "
            f"summary of {summary['data']['runs']} runs"
        )
    rows = summary["metrics"]
    if all(row["detectable"] is None for row in rows):
        raise ValueError(
            "report must have intervals, from which rows are extrapolated; received one without "
            f"any: {rows[0]['note']}"
        )
    rows_of = [_rows(row, size) for row in rows]
    fewest = _fewest(summary)
    return pd.DataFrame(
        {
            "model": [row["model"] for row in rows],
            "metric": [row["metric"] for row in rows],
            "direction": [row["direction"] for row in rows],
            "detectable": pd.array([row["detectable"] for row in rows], dtype=float),
            "rows": pd.array([n and max(n, fewest) for n in rows_of], dtype="Int64"),
            "note": [_note(row, n, fewest) for row, n in zip(rows, rows_of, strict=True)],
        }
    )


def _rows(row: Row, change: float) -> int | None:
    """The rows that show a change, one or more; None of a value without an interval."""
    if row["detectable"] is None:
        return None
    rows = row["n"] * (row["detectable"] / change) * (row["detectable"] / change)
    if rows > _MOST_ROWS:
        raise ValueError(
            f"change must be one that at most 2^53 rows show; received {change!r}, which needs "
            f"{rows:.3g}"
        )
    return max(math.ceil(rows), 1)


def _fewest(summary: Summary) -> int:
    """The rows that hold ``FEW_ROWS`` of each group and class, or those of the report."""
    data = summary["data"]
    n, listed = data["rows"], [row["rows"] for row in (*data["groups"], *data["classes"])]
    if data["tasks_are_columns"]:
        listed += [n - row["rows"] for row in data["classes"]]
    smallest = min((rows for rows in listed if rows > 0), default=n)
    return min(n, math.ceil(FEW_ROWS * n / smallest))


def _note(row: Row, rows: int | None, fewest: int) -> str:
    if rows is None:
        return str(row["note"])
    if rows < fewest:
        return (
            f"{rows:,} row(s) would show it, but there must be {FEW_ROWS} of each group and class"
        )
    return ""
