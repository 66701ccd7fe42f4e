"""Summarize the reports of several runs (seeds, folds) by means with intervals over runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Row, is_whole
from biasamp_adapters.auditing.findings import DIRECTIONAL, MOST_PAIRS
from biasamp_adapters.auditing.notes import NO_INTERVALS
from biasamp_adapters.auditing.report import AuditReport
from biasamp_adapters.auditing.run_means import SHARES, common_signs, difference, mean, verdict_of
from biasamp_adapters.auditing.summary import (
    Summary,
    grouped,
    headline,
    identity,
    rates_of,
    reading,
    verdict_row,
    with_answer,
)
from biasamp_adapters.cards.strips import side
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.inference.estimates import UNLIMITED, Interval, check_confidence
from biasamp_adapters.metrics import AmplificationResult
from biasamp_adapters.metrics.plain import plain
from biasamp_adapters.metrics.verdict import Verdict

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

#: What must be the same in all runs.
_SAME = ("task", "attributes", "positive", "tasks_are_columns")


def summarize_reports(
    reports: Mapping[str, AuditReport] | Mapping[int, AuditReport],
    confidence: float = 0.95,
    title: str | None = None,
) -> AuditReport:
    """One report for several runs of the same audit.

    Parameters
    ----------
    reports : mapping of str or int to AuditReport
        One report per run, over the same metrics. Whole numbers, such as seeds, are shown as text;
        other keys are refused.
    confidence : float
        Level of the intervals over runs (Student's t).
    title : str, optional
        Heading of the report; by default that of the reports, if they have the same one.

    Returns
    -------
    AuditReport
        Every value is the mean over runs; its interval says how much runs differ, not how few
        rows there are. It ends where the range of the number does, and there is none where all
        runs gave the same value. The runs themselves are listed with their own intervals.

    Raises
    ------
    TypeError
        If ``reports`` is no mapping to reports.
    ValueError
        If there are fewer than two runs, a key is neither a string nor a whole number, two keys are
        the same as text, a report is itself a summary of runs, or runs are of different tasks or
        attributes.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> from biasamp_adapters.datasets import load_diabetes_audit
    >>> reports = {}
    >>> for seed in range(3):
    ...     demo = load_diabetes_audit(random_state=seed)
    ...     reports[seed] = bam.audit(
    ...         demo.y_true, demo.y_pred, sensitive_features=demo.sensitive_features, n_boot=0
    ...     )
    >>> bam.summarize_reports(reports).summary["data"]["runs"]
    3
    """
    check_confidence(confidence)
    confidence, named = float(confidence), _named(reports)
    runs = {run: report.summary for run, report in named.items()}
    n_runs, summaries = len(runs), list(runs.values())
    metrics = list(_metrics(named))
    rows = [metric.row(confidence) for metric in metrics]
    verdicts = [
        (row, metric.verdict(row))
        for metric, row in zip(metrics, rows, strict=True)
        if any(result.facts is not None for result in metric.results)
    ]
    for row, verdict in verdicts:
        row["reading"] = reading(row, verdict)
    meaning = (
        f"Every value without the name of a run is the mean of {n_runs} runs. Its interval is "
        "Student's t over them, within the range of the number: it says how much runs differ, not "
        "how few rows there are. It is left out where all runs gave the same value, as it would "
        "say nothing there. The runs were not pooled: the same row in two runs is the same person "
        "twice. A note without the name of a run holds for each run."
    )
    summary = {
        **summaries[0],
        "title": title or _common_title(summaries),
        "data": _data(summaries),
        "headlines": [headline(*judged) for judged in verdicts],
        "verdicts": [verdict_row(*judged) for judged in verdicts],
        "metrics": rows,
        "differences": list(_differences(summaries, metrics, confidence)),
        "trends": list(_trends(summaries, confidence)),
        "pairs": [row for metric in metrics for row in metric.pairs(confidence)],
        "fairness": _largest_first(_fairness(summaries, "fairness", confidence)),
        "prevalence": _rows_with_run(runs, "prevalence"),
        "drift": _rows_with_run(runs, "drift"),
        "sweeps": _rows_with_run(runs, "sweeps"),
        "runs": _rows_with_run(runs, "metrics"),
        "notes": [meaning, *_notes(runs)],
        "method": _method(summaries, confidence),
    }
    if with_aif360 := [one for one in summaries if "aif360" in one]:
        summary["aif360"] = list(_aif360(with_aif360, "aif360"))
    return AuditReport(with_answer(summary))


def _common_title(summaries: Sequence[Row]) -> str | None:
    """The title of the reports, if all have the same one."""
    titles = {summary["title"] for summary in summaries}
    return titles.pop() if len(titles) == 1 else None


def _named(reports: Mapping[Any, AuditReport]) -> dict[str, AuditReport]:
    """The reports by the names of their runs as text."""
    if not isinstance(reports, Mapping):
        raise TypeError(
            "reports must be a mapping from names of runs to reports; received a "
            f"{type(reports).__name__}"
        )
    if len(reports) < 2:
        raise ValueError(f"a summary of runs needs at least two; received {list(reports)}")
    named: dict[str, AuditReport] = {}
    for run, report in reports.items():
        if not (isinstance(run, str) or is_whole(run)):
            raise ValueError(f"runs must be named by strings or whole numbers; received {run!r}")
        if str(run) in named:
            raise ValueError(
                f"names of runs must differ as text; received {listing([*reports])}, of which two "
                f"are {str(run)!r}"
            )
        if not isinstance(report, AuditReport):
            raise TypeError(
                f"reports must be of type AuditReport; received a {type(report).__name__} for "
                f"{run!r}"
            )
        if "runs" in report.summary["data"]:
            raise ValueError(
                f"reports must be of one run each; received a summary of runs for {run!r}"
            )
        named[str(run)] = report
    return named


class _Metric(NamedTuple):
    """A metric of a model in several runs.

    Attributes
    ----------
    found : dict of str to (dict, AmplificationResult)
        By the name of the run, the row of the table of metrics and the result behind it.
    n_runs : int
        Also those in which it is not there.
    """

    found: dict[str, tuple[Row, AmplificationResult]]
    n_runs: int

    @property
    def rows(self) -> list[Row]:
        return [row for row, _ in self.found.values()]

    @property
    def results(self) -> list[AmplificationResult]:
        return [result for _, result in self.found.values()]

    def limits(self, name: str = "value") -> Interval:
        """The range of one of its scores."""
        measurement = self.results[0].measurement
        return UNLIMITED if measurement is None else measurement.limits(name)

    def row(self, confidence: float) -> Row:
        """The row of the table of metrics."""
        rows = self.rows
        value = self._value(confidence)
        # What is said of the interval of a run does not hold of that over runs.
        caveats = {
            run: () if result.measurement is None else result.measurement.caveats
            for run, (_, result) in self.found.items()
        }
        notes = [f"mean of {len(rows)} runs", value["note"], *_said(caveats)]
        out = {**rows[0], **value, "note": "; ".join(filter(None, notes))}
        # Of a score, the limits; the variance has another name in a row.
        for name in ("blind_errors", "excess", "spread"):
            known = [row[name] for row in rows]
            if any(known):
                values = [number and number["value"] for number in known]
                limits = self.limits("variance" if name == "spread" else name)
                out[name] = mean(values, confidence, limits)
        if out["spread"] is not None:
            out["variance"] = out["spread"]["value"]
        levels = {name: [row["levels"][name]["value"] for row in rows] for name in out["levels"]}
        out["levels"] = {
            name: mean(values, confidence, self.limits(name)) for name, values in levels.items()
        }
        if rows[0]["uncertain_signs"] is not None:
            out["uncertain_signs"] = _sum(rows, "uncertain_signs") / len(rows)
        out["zero_by_construction"] = any(row["zero_by_construction"] for row in rows)
        # An interval over runs does not get narrower with more rows.
        out |= {"confidence": confidence, "n": _sum(rows, "n"), "detectable": None}
        out["n_boot"] = max(row["n_boot"] for row in rows)
        out["reading"] = reading(out, None)
        return out

    def _value(self, confidence: float) -> Row:
        ratios = [result.measurement.difference for result in self.results if result.measurement]
        if any(not np.array_equal(ratio, ratios[0]) for ratio in ratios):
            note = "a ratio of levels in some runs and a difference in others: compare the levels"
            return {"value": None, "low": None, "high": None, "note": note}
        values = [row["value"] for row in self.rows]
        return _of_some(values, self.n_runs, confidence, self.limits())

    def verdict(self, row: Row) -> Verdict:
        """The verdict on the means over runs."""
        facts = [result.facts for result in self.results]
        facts += [None] * (self.n_runs - len(facts))
        return verdict_of(facts, row["confidence"], self.limits())

    def pairs(self, confidence: float) -> Iterator[Row]:
        """The pairs of BA-> with the largest means over runs, if defined in all that have it."""
        result = self.results[0]
        if result.metric != DIRECTIONAL:
            return
        tables = [result.by_pair.assign(**rates_of(result)) for result in self.results]
        by_labels = pd.concat(tables).groupby(["attribute", "task"], sort=False)
        pairs = [pair for pair in by_labels if pair[1]["contribution"].count() == len(tables)]
        pairs.sort(key=lambda pair: -abs(pair[1]["contribution"].mean()))
        # Bonferroni's inequality: intervals of so much higher a level hold for all pairs at once.
        at_once = 1 - (1 - confidence) / max(len(pairs), 1)
        for (attribute, task), rows in pairs[:MOST_PAIRS]:
            values, limits = rows["contribution"].tolist(), self.limits()
            band = mean(values, at_once, limits)
            sign, uncertain = common_signs(rows["sign"].to_numpy(), rows["uncertain"].to_numpy())
            yield identity(self.rows[0]["model"], result) | {
                "attribute": show(attribute),
                "task": show(task),
                **{name: plain(rows[name].mean()) for name in rates_of(result)},
                "sign": int(sign),
                "uncertain": bool(uncertain),
                **_of_some(values, self.n_runs, confidence, limits),
                "band_low": band["low"],
                "band_high": band["high"],
                "clear": bool(side(band)),
            }


def _metrics(reports: Mapping[str, AuditReport]) -> Iterator[_Metric]:
    """The metrics of each model that occur in any run."""
    found: dict[tuple[str, str], dict[str, tuple[Row, AmplificationResult]]] = {}
    for run, report in reports.items():
        results = {
            (model, result.short_name): result for (model, _), result in report.results.items()
        }
        for row in report.summary["metrics"]:
            key = row["model"], row["name"]
            found.setdefault(key, {})[run] = row, results[key]
    for by_run in found.values():
        yield _Metric(by_run, len(reports))


def _of_some(values: list[float | None], n_runs: int, confidence: float, limits: Interval) -> Row:
    """The mean over the runs that have a number; its note says how many do not."""
    found = mean(values, confidence, limits)
    if len(values) < n_runs:
        missing = f"not there in {n_runs - len(values)} of {n_runs} runs"
        found["note"] = "; ".join(filter(None, [missing, found["note"]]))
    return found


def _said(texts: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """What is said of runs, once: with the names of the runs, unless all of them have it."""
    said: dict[str, list[str]] = {}
    for run, of_run in texts.items():
        for text in of_run:
            said.setdefault(text, []).append(run)
    for text, names in said.items():
        yield text if len(names) == len(texts) else f"in run {', '.join(names)}: {text}"


def _notes(runs: Mapping[str, Summary]) -> Iterator[str]:
    """Each note once; ``NO_INTERVALS`` is left out."""
    for note in _said({run: summary["notes"] for run, summary in runs.items()}):
        if note.partition(": ")[2] != NO_INTERVALS and note != NO_INTERVALS:
            yield f"{note[0].upper()}{note[1:]}"


def _matching_rows(summaries: Iterable[Summary], part: str) -> list[list[Row]]:
    """The rows of one part of the summaries, grouped by what they describe."""
    rows = (row for summary in summaries for row in summary[part])
    return list(grouped(rows, *_IDENTITY).values())


def _rows_with_run(runs: Mapping[str, Summary], part: str) -> list[Row]:
    """The rows of all runs, with the name of the run."""
    return [{"run": run, **row} for run, summary in runs.items() for row in summary[part]]


def _sum(rows: Iterable[Row], name: str) -> Any:
    return sum(row[name] for row in rows)


def _data(summaries: list[Summary]) -> Row:
    """What was audited: numbers of rows as sums, shares as means.

    Raises
    ------
    ValueError
        If runs are of different tasks or attributes.
    """
    data = [summary["data"] for summary in summaries]
    for name in _SAME:
        different = [row for row in data if row[name] != data[0][name]]
        if different:
            raise ValueError(
                f"runs must be of the same {name.replace('_', ' ')}; received {data[0][name]!r} "
                f"and {different[0][name]!r}"
            )
    clusters = [row["clusters"] for row in data if row["clusters"] is not None]
    return {
        **data[0],
        "runs": len(data),
        **{name: _sum(data, name) for name in ("rows", "dropped", "abstained")},
        "weighted": any(row["weighted"] for row in data),
        "clusters": sum(clusters) if clusters else None,
        "models": list(dict.fromkeys(model for row in data for model in row["models"])),
        "reference": _each(row["reference"] for row in data),
        **{part: _shares(data, part) for part in ("groups", "classes")},
    }


def _each(texts: Iterable[str]) -> str:
    """Different texts of runs as one."""
    return ", or ".join(dict.fromkeys(texts))


def _shares(data: list[Row], part: str) -> list[Row]:
    """The number of rows of each label in all runs, and the mean of its shares."""

    def share(rows: list[Row]) -> float:
        # Rounded once, so that no order of runs changes the last digit.
        return math.fsum(row["share"] for row in rows) / len(data)

    return [
        rows[0] | {"rows": _sum(rows, "rows"), "share": share(rows)}
        for rows in _matching_rows(data, part)
    ]


def _method(summaries: list[Summary], confidence: float) -> Row:
    """How the numbers were computed."""
    methods = [summary["method"] for summary in summaries]
    seeds = {method["random_state"] for method in methods}
    of_one_run = _each(method["interval"] for method in methods)
    return {
        **methods[0],
        "n_boot": max(method["n_boot"] for method in methods),
        "random_state": seeds.pop() if len(seeds) == 1 else None,
        "confidence": confidence,
        "interval": f"Student's t over {len(methods)} runs; each run's own by {of_one_run}",
    }


def _differences(
    summaries: list[Summary], metrics: Iterable[_Metric], confidence: float
) -> Iterator[Row]:
    """The means of the differences between models."""
    limits = {metric.rows[0]["name"]: difference(metric.limits()) for metric in metrics}
    for rows in _matching_rows(summaries, "differences"):
        values = [row["value"] for row in rows]
        yield rows[0] | _of_some(values, len(summaries), confidence, limits[rows[0]["name"]])


def _fairness(summaries: Iterable[Summary], part: str, confidence: float) -> Iterator[Row]:
    """The means of fairness measures, or of the rates of groups."""
    summaries = [*summaries]
    for rows in _matching_rows(summaries, part):
        values = [row["value"] for row in rows]
        found = rows[0] | _of_some(values, len(summaries), confidence, SHARES)
        if "groups" in found:
            found["groups"] = list(_fairness(rows, "groups", confidence))
        yield found


def _largest_first(rows: Iterable[Row]) -> list[Row]:
    """The rows of each measure of a model, those of the largest values first."""
    by_measure = grouped(rows, "model", "measure").values()

    def order(row: Row) -> tuple[float, str]:
        # Undefined values are last; ties must not depend on which run comes first.
        return -round(row["value"] or 0, 12), row["task"]

    return [row for same in by_measure for row in sorted(same, key=order)]


def _aif360(summaries: Iterable[Row], part: str) -> Iterator[Row]:
    """The means of AIF360's own measures, which have no interval."""
    for rows in _matching_rows(summaries, part):
        values = [row["value"] for row in rows]
        value = None if None in values else math.fsum(values) / len(values)
        found = rows[0] | {"value": value, "note": f"{rows[0]['note']}; mean of {len(rows)} runs"}
        if "groups" in found:
            found["groups"] = list(_aif360(rows, "groups"))
        yield found


def _trends(summaries: list[Summary], confidence: float) -> Iterator[Row]:
    """Means over runs of the trends that occur in all runs."""
    ranges = {"contribution": (-1.0, 1.0), "mean_abs_delta": SHARES}
    for rows in _matching_rows(summaries, "trends"):
        if len(rows) < len(summaries):
            continue
        found = {
            name: mean([row[name]["value"] for row in rows], confidence, limits)
            for name, limits in ranges.items()
        }
        pairs = sorted(row["pairs"] for row in rows)
        if pairs[0] < pairs[-1]:
            for number in found.values():
                note = f"of {pairs[0]:,} to {pairs[-1]:,} pairs in each run"
                number["note"] = "; ".join(filter(None, [note, number["note"]]))
        yield rows[0] | found | {"pairs": round(sum(pairs) / len(pairs))}
