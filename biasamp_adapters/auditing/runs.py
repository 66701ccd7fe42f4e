"""Reports of several runs (seeds, folds) as one: means with intervals over runs, never pooled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from biasamp_adapters.auditing.audits import TITLE
from biasamp_adapters.auditing.evaluate import MOST_PAIRS
from biasamp_adapters.auditing.notes import NO_INTERVALS
from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.auditing.summarise import headlines, reading
from biasamp_adapters.counts.labels import show
from biasamp_adapters.uncertainty import check_confidence, summarize_runs

#: What a row is, as against what was measured.
_IDENTITY = ("model", "name", "metric", "direction", "measure", "task", "group", "compared_with")


def summarise_reports(
    reports: Mapping[str, AuditReport], confidence: float = 0.95, title: str = TITLE
) -> AuditReport:
    """One report for several runs of the same audit.

    Parameters
    ----------
    reports : mapping of str to AuditReport
        One a run, over the same metrics.
    confidence : float
        Level of the intervals over runs (Student's t).
    title : str

    Returns
    -------
    AuditReport
        Every value is the mean over runs; its interval says how much runs differ, not how few
        rows there are. The runs themselves are listed with their own intervals.

    Raises
    ------
    ValueError
        If there are fewer than two runs.
    """
    check_confidence(confidence)
    confidence = float(confidence)
    if len(reports) < 2:
        raise ValueError(f"a summary of runs needs at least two; received {list(reports)}")
    summaries = [report.summary for report in reports.values()]
    first = summaries[0]
    rows = [_with_reading(row, confidence, len(reports)) for row in _merged(summaries, "metrics")]
    spread = (
        f"Every value is the mean of {len(reports)} runs, its interval Student's t over them: it "
        "says how much runs differ, not how few rows there are. The runs were not pooled: the same "
        "row in two runs is the same person twice."
    )
    return AuditReport(
        {
            **first,
            "title": title,
            "data": {
                **first["data"],
                "runs": len(reports),
                **{
                    name: sum(summary["data"][name] for summary in summaries)
                    for name in ("rows", "dropped", "abstained")
                },
                "groups": _shares(summaries, "groups"),
                "classes": _shares(summaries, "classes"),
            },
            "headlines": headlines(rows),
            "metrics": rows,
            "differences": _over_runs(_merged(summaries, "differences"), confidence),
            "trends": _trends(summaries),
            "pairs": _pairs(reports, confidence),
            "fairness": _over_runs(_merged(summaries, "fairness"), confidence),
            "sweeps": [
                {"run": run, **curve}
                for run, report in reports.items()
                for curve in report.summary["sweeps"]
            ],
            "runs": [
                {"run": run, **row}
                for run, report in reports.items()
                for row in report.summary["metrics"]
            ],
            "notes": [spread, *_notes(reports)],
            "method": {
                **first["method"],
                "confidence": confidence,
                "interval": f"Student's t over {len(reports)} runs; each run's own by percentile "
                "bootstrap",
            },
        }
    )


def _merged(summaries: list[dict[str, Any]], part: str) -> list[list[dict[str, Any]]]:
    """Rows of one part of the summaries that say the same thing, brought together."""
    together: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for summary in summaries:
        for row in summary[part]:
            together.setdefault(tuple(row.get(name) for name in _IDENTITY), []).append(row)
    return list(together.values())


def _notes(reports: Mapping[str, AuditReport]) -> Iterator[str]:
    """Notes of all runs once, those of some with their runs; not that a run has no interval."""
    runs: dict[str, list[str]] = {}
    for run, report in reports.items():
        for note in report.summary["notes"]:
            runs.setdefault(note, []).append(run)
    for note, of in runs.items():
        if note != NO_INTERVALS:
            yield note if len(of) == len(reports) else f"In run {', '.join(of)}: {note}"


def _mean(values: list[float | None], confidence: float) -> dict[str, Any]:
    """Mean and ends; undefined where a run is."""
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        note = f"undefined in {len(values) - len(numbers)} of {len(values)} runs"
        return {"value": None, "low": None, "high": None, "note": note}
    summary = summarize_runs(numbers, confidence)
    low, high = summary.interval or (None, None)
    note = "" if summary.interval else "a single run has it"
    return {"value": summary.value, "low": low, "high": high, "note": note}


def _with_reading(rows: list[dict[str, Any]], confidence: float, n_runs: int) -> dict[str, Any]:
    mean = _mean([row["value"] for row in rows], confidence)
    notes = [f"mean of {len(rows)} runs", mean["note"], *(row["note"] for row in rows)]
    if len(rows) < n_runs:
        notes.insert(1, f"not there in {n_runs - len(rows)} of {n_runs} runs")
    out = {**rows[0], **mean, "note": "; ".join(dict.fromkeys(filter(None, notes)))}
    for name, number in (("baseline", "random_error"), ("spread", "variance")):
        if rows[0][name] is not None:
            out[name] = _mean([row[number] for row in rows], confidence)
            out[number] = out[name]["value"]
    out["levels"] = {
        name: _mean([row["levels"][name]["value"] for row in rows], confidence)
        for name in rows[0]["levels"]
    }
    if rows[0]["uncertain_signs"] is not None:
        out["uncertain_signs"] = sum(row["uncertain_signs"] for row in rows) / len(rows)
    out |= {"confidence": confidence, "n": sum(row["n"] for row in rows)}
    out["reading"] = reading(out)
    return out


def _over_runs(merged: list[list[dict[str, Any]]], confidence: float) -> list[dict[str, Any]]:
    out = []
    for rows in merged:
        row = {**rows[0], **_mean([each["value"] for each in rows], confidence)}
        if "groups" in row:
            row["groups"] = _over_runs(_merged(rows, "groups"), confidence)
        out.append(row)
    return out


def _shares(summaries: list[dict[str, Any]], part: str) -> list[dict[str, Any]]:
    rows: dict[str, int] = {}
    share: dict[str, float] = {}
    for summary in summaries:
        for row in summary["data"][part]:
            rows[row["label"]] = rows.get(row["label"], 0) + row["rows"]
            mean = row["share"] / len(summaries)
            share[row["label"]] = share.get(row["label"], 0.0) + mean
    return [{"label": label, "rows": rows[label], "share": share[label]} for label in rows]


def _trends(summaries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over runs of the trends that all runs show."""
    together: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in (row for summary in summaries for row in summary["trends"]):
        key = tuple(row[name] for name in ("model", "name", "attribute", "sign"))
        together.setdefault(key, []).append(row)
    return [
        rows[0]
        | {
            name: sum(row[name] for row in rows) / len(rows)
            for name in ("contribution", "mean_abs_delta")
        }
        for rows in together.values()
        if len(rows) == len(summaries)
    ]


def _pairs(reports: Mapping[str, AuditReport], confidence: float) -> list[dict[str, Any]]:
    """The pairs of BA-> whose mean over runs is largest, of those that all runs define."""
    out = []
    for key, result in next(iter(reports.values())).results.items():
        if result.metric != "DirectionalBiasAmplification":
            continue
        tables = [
            report.results[key].by_pair.set_index(["attribute", "task"])
            for report in reports.values()
            if key in report.results
        ]
        runs = pd.concat([table["contribution"] for table in tables], axis=1).dropna()
        strongest = runs.mean(axis=1).abs().sort_values(ascending=False, kind="stable").index
        for pair in strongest[:MOST_PAIRS]:
            first = tables[0].loc[[pair]].iloc[0]
            out.append(
                {
                    "model": key[0],
                    "name": f"BA {result.direction}",
                    "metric": result.metric,
                    "direction": result.direction,
                    "attribute": show(pair[0]),
                    "task": show(pair[1]),
                    "sign": int(first["sign"]),
                    "uncertain": any(table.loc[[pair]]["uncertain"].any() for table in tables),
                    **_mean(runs.loc[[pair]].iloc[0].tolist(), confidence),
                }
            )
    return out
