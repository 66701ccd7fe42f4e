"""Summarize the reports of several runs (seeds, folds) by means with intervals over runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters.auditing.findings import DIRECTIONAL, MOST_PAIRS
from biasamp_adapters.auditing.notes import NO_INTERVALS
from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.auditing.summary import (
    Row,
    Summary,
    as_estimate,
    grouped,
    headline,
    identity,
    rates_of,
    reading,
    verdict_row,
    with_answer,
)
from biasamp_adapters.cards.strips import side
from biasamp_adapters.counts.labels import show
from biasamp_adapters.inference.estimates import Estimate, check_confidence, summarize_runs
from biasamp_adapters.metrics.result import AmplificationResult, plain
from biasamp_adapters.metrics.verdict import Facts, Verdict, judge

#: A sign is uncertain over runs where it is in more of them than this share.
_HALF = 0.5

#: Keys that identify a row, unlike those of its results.
_IDENTITY = (
    "model",
    "name",
    "compared_with",
    "attribute",
    "sign",
    "measure",
    "task",
    "group",
    "label",
)


def summarize_reports(
    reports: Mapping[str, AuditReport], confidence: float = 0.95, title: str | None = None
) -> AuditReport:
    """One report for several runs of the same audit.

    Parameters
    ----------
    reports : mapping of str to AuditReport
        One report per run, over the same metrics.
    confidence : float
        Level of the intervals over runs (Student's t).
    title : str, optional
        Heading of the report; by default that of the first run.

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
    confidence, n_runs = float(confidence), len(reports)
    if n_runs < 2:
        raise ValueError(f"a summary of runs needs at least two; received {list(reports)}")
    runs = {str(run): report.summary for run, report in reports.items()}
    summaries = list(runs.values())
    first, data = summaries[0], [summary["data"] for summary in summaries]
    rows = [_metric_row(same, confidence, n_runs) for same in _matching_rows(summaries, "metrics")]
    verdicts = list(_verdicts([*reports.values()], rows))
    meaning = (
        f"Every value is the mean of {n_runs} runs, its interval Student's t over them: it says "
        "how much runs differ, not how few rows there are. The runs were not pooled: the same row "
        "in two runs is the same person twice."
    )
    summary = {
        **first,
        "title": first["title"] if title is None else title,
        "data": {
            **first["data"],
            "runs": n_runs,
            **{name: _sum(data, name) for name in ("rows", "dropped", "abstained")},
            "clusters": _sum_if_any(data, "clusters"),
            **{part: _shares(data, part) for part in ("groups", "classes")},
        },
        "headlines": [headline(row, verdict) for row, _, verdict in verdicts],
        "verdicts": [verdict_row(*judged) for judged in verdicts],
        "metrics": rows,
        "differences": _over_runs(summaries, "differences", confidence),
        "trends": _trends(summaries, confidence),
        "pairs": list(_pairs([*reports.values()], confidence)),
        "fairness": _over_runs(summaries, "fairness", confidence),
        "prevalence": _rows_with_run(runs, "prevalence"),
        "drift": _rows_with_run(runs, "drift"),
        "sweeps": _rows_with_run(runs, "sweeps"),
        "runs": _rows_with_run(runs, "metrics"),
        "notes": [meaning, *_notes(runs)],
        "method": {
            **first["method"],
            "confidence": confidence,
            "interval": f"Student's t over {n_runs} runs; each run's own by percentile bootstrap",
        },
    }
    return AuditReport(with_answer(summary))


def _matching_rows(summaries: Iterable[Summary], part: str) -> list[list[Row]]:
    """The rows of one part of the summaries, grouped by what they describe."""
    rows = (row for summary in summaries for row in summary[part])
    return list(grouped(rows, *_IDENTITY).values())


def _rows_with_run(runs: Mapping[str, Summary], part: str) -> list[Row]:
    """The rows of all runs, with the name of the run."""
    return [{"run": run, **row} for run, summary in runs.items() for row in summary[part]]


def _notes(runs: Mapping[str, Summary]) -> Iterator[str]:
    """Each note once, with its runs unless all have it; ``NO_INTERVALS`` is left out."""
    noted: dict[str, list[str]] = {}
    for run, summary in runs.items():
        for note in summary["notes"]:
            noted.setdefault(note, []).append(run)
    for note, names in noted.items():
        if note != NO_INTERVALS:
            yield note if len(names) == len(runs) else f"In run {', '.join(names)}: {note}"


def _sum(rows: Iterable[Row], name: str) -> Any:
    return sum(row[name] for row in rows)


def _sum_if_any(rows: Iterable[Row], name: str) -> Any:
    numbers = [row[name] for row in rows if row[name] is not None]
    return sum(numbers) if numbers else None


def _mean(values: list[float | None], confidence: float) -> Row:
    """The mean and its interval; undefined if the value of any run is."""
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        note = f"undefined in {len(values) - len(numbers)} of {len(values)} runs"
        return {"value": None, "low": None, "high": None, "note": note}
    summary = summarize_runs(numbers, confidence)
    low, high = summary.interval or (None, None)
    note = "" if summary.interval else "a single run has it, and an interval over runs needs two"
    return {"value": summary.value, "low": low, "high": high, "note": note}


def _metric_row(rows: list[Row], confidence: float, n_runs: int) -> Row:
    """The row of one metric, from its rows in some or all runs."""
    mean = _mean([row["value"] for row in rows], confidence)
    # An interval over runs needs none of their own.
    own = (row["note"] for row in rows if mean["low"] is None or row["low"] is not None)
    notes = [f"mean of {len(rows)} runs", mean["note"], *own]
    if len(rows) < n_runs:
        notes.insert(1, f"not there in {n_runs - len(rows)} of {n_runs} runs")
    out = {**rows[0], **mean, "note": "; ".join(dict.fromkeys(filter(None, notes)))}
    for name in ("blind_errors", "excess", "spread"):
        if rows[0][name] is not None:
            out[name] = _mean([row[name]["value"] for row in rows], confidence)
    if out["spread"] is not None:
        out["variance"] = out["spread"]["value"]
    out["levels"] = {
        name: _mean([row["levels"][name]["value"] for row in rows], confidence)
        for name in rows[0]["levels"]
    }
    if rows[0]["uncertain_signs"] is not None:
        out["uncertain_signs"] = _sum(rows, "uncertain_signs") / len(rows)
    out["zero_by_construction"] = any(row["zero_by_construction"] for row in rows)
    # An interval over runs does not get narrower with more rows.
    out |= {"confidence": confidence, "n": _sum(rows, "n"), "detectable": None}
    out["reading"] = reading(out, None)
    return out


def _verdicts(reports: list[AuditReport], rows: list[Row]) -> Iterator[tuple[Row, Facts, Verdict]]:
    """The rows of BA-> with the verdict on the means over runs."""
    for row in rows:
        results = [
            result
            for report in reports
            for (model, _), result in report.results.items()
            if (model, result.short_name) == (row["model"], row["name"])
        ]
        known = [result.facts for result in results if result.facts is not None]
        if len(known) == len(reports) and len({facts.true.shape for facts in known}) == 1:
            facts = _mean_facts(known, row)
            verdict = judge(facts)
            row["reading"] = reading(row, verdict)
            yield row, facts, verdict


def _mean_facts(runs: list[Facts], row: Row) -> Facts:
    """What is known of a model over runs: means, with intervals over the runs."""
    first, confidence = runs[0], row["confidence"]

    def mean(name: str) -> Any:
        arrays = [getattr(facts, name) for facts in runs]
        return None if any(array is None for array in arrays) else np.mean(arrays, axis=0)

    def estimate(name: str) -> Estimate | None:
        found = [getattr(facts, name) for facts in runs]
        if any(one is None for one in found):
            return None
        return as_estimate(_mean([plain(one.value) for one in found], confidence))

    def doubtful(name: str, mean: Estimate | None) -> Estimate | None:
        """The interval for other signs: the mean of its ends, as runs may share a reference."""
        known = [getattr(facts, f"doubtful_{name}") or getattr(facts, name) for facts in runs]
        ends = [one.interval for one in known if one is not None and one.interval is not None]
        if mean is None or mean.interval is None or len(ends) < len(runs):
            return None
        (low, high), (least, most) = np.mean(ends, axis=0).tolist(), mean.interval
        return Estimate(mean.value, (min(low, least), max(high, most)), None)

    def same(name: str) -> Any:
        found = {getattr(facts, name) for facts in runs}
        return found.pop() if len(found) == 1 else None

    value, excess = as_estimate(row), estimate("excess")
    return replace(
        first,
        uncertain=mean("uncertain") > _HALF,
        true=mean("true"),
        predicted=mean("predicted"),
        overall=mean("overall"),
        accuracy=mean("accuracy"),
        blind=mean("blind"),
        is_right=all(facts.is_right for facts in runs),
        constant=same("constant"),
        only_group=same("only_group"),
        followed=mean("followed"),
        silent=mean("silent"),
        value=value,
        association=estimate("association") or first.association,
        excess=excess,
        doubtful_value=doubtful("value", value),
        doubtful_excess=doubtful("excess", excess),
        silence=estimate("silence"),
        few_rows=same("few_rows"),
    )


def _over_runs(summaries: Iterable[Summary], part: str, confidence: float) -> list[Row]:
    """The means of the rows of a part, and of the groups in each row."""
    out = []
    for rows in _matching_rows(summaries, part):
        mean = _mean([row["value"] for row in rows], confidence)
        groups = {"groups": _over_runs(rows, "groups", confidence)} if "groups" in rows[0] else {}
        out.append({**rows[0], **mean, **groups})
    return out


def _shares(data: list[Row], part: str) -> list[Row]:
    """The number of rows of each label in all runs, and the mean of its shares."""
    return [
        rows[0] | {"rows": _sum(rows, "rows"), "share": _sum(rows, "share") / len(data)}
        for rows in _matching_rows(data, part)
    ]


def _trends(summaries: list[Summary], confidence: float) -> list[Row]:
    """Means over runs of the trends that occur in all runs."""
    names = ("contribution", "mean_abs_delta")
    return [
        rows[0] | {name: _mean([row[name]["value"] for row in rows], confidence) for name in names}
        for rows in _matching_rows(summaries, "trends")
        if len(rows) == len(summaries)
    ]


def _pairs(reports: list[AuditReport], confidence: float) -> Iterator[Row]:
    """The pairs of BA-> with the largest means over runs, if defined in all runs."""
    for key, result in reports[0].results.items():
        if result.metric != DIRECTIONAL:
            continue
        tables = [_with_rates(report.results[key]) for report in reports if key in report.results]
        by_labels = pd.concat(tables).groupby(["attribute", "task"], sort=False)
        pairs = [pair for pair in by_labels if pair[1]["contribution"].count() == len(tables)]
        pairs.sort(key=lambda pair: -abs(pair[1]["contribution"].mean()))
        # Bonferroni's inequality: intervals of so much higher a level hold for all pairs at once.
        at_once = 1 - (1 - confidence) / max(len(pairs), 1)
        for (attribute, task), rows in pairs[:MOST_PAIRS]:
            band = _mean(rows["contribution"].tolist(), at_once)
            yield identity(key[0], result) | {
                "attribute": show(attribute),
                "task": show(task),
                **{name: plain(rows[name].mean()) for name in ("true", "predicted", "overall")},
                "sign": int(rows["sign"].iloc[0]),
                "uncertain": bool(rows["uncertain"].any()),
                **_mean(rows["contribution"].tolist(), confidence),
                "band_low": band["low"],
                "band_high": band["high"],
                "clear": bool(side(band)),
            }


def _with_rates(result: AmplificationResult) -> pd.DataFrame:
    """The pairs of a result with their rates."""
    rates = [rates_of(result.facts, position) for position in range(len(result.by_pair))]
    return result.by_pair.assign(**pd.DataFrame(rates, index=result.by_pair.index, dtype=float))
