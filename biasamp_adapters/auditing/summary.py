"""Build the summary of an audit: one plain dict, which all renderings show."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from typing import Any, TypeAlias

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Row, seed_of
from biasamp_adapters.auditing import drift, prevalence
from biasamp_adapters.auditing.answer import answer
from biasamp_adapters.auditing.findings import (
    DIRECTIONAL,
    MOST_PAIRS,
    Findings,
    by_column,
)
from biasamp_adapters.auditing.notes import abstentions, notes, reference_in_words
from biasamp_adapters.auditing.reading import what_to_read
from biasamp_adapters.cards.strips import side
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import show
from biasamp_adapters.inference.estimates import NOT_DRAWN, Estimate
from biasamp_adapters.metrics.plain import numbers, plain, plain_verdict
from biasamp_adapters.metrics.result import AmplificationResult, about, percent
from biasamp_adapters.metrics.verdict import WITHOUT_NUMBERS, Verdict

FORMAT, VERSION = "biasamp-audit", 2

#: All that a report shows.
Summary: TypeAlias = dict[str, Any]


def summarize(findings: Findings, title: str | None, sweeps: list[Row]) -> Summary:
    """Everything that a report shows, as dicts, lists, strings and numbers."""
    counts, confidence = findings.counts, findings.options.confidence
    rows = [metric_row(model, result) for (model, _), result in findings.results.items()]
    verdicts = [
        (row, result.verdict)
        for row, result in zip(rows, findings.results.values(), strict=True)
        if result.verdict is not None
    ]
    prevalences, drifts = findings.prevalences, findings.drifts
    task = counts.task_name, counts.is_matrix(Role.TASK)
    of_rows = [
        *drift.in_words(drifts, confidence, *task),
        *(prevalence.in_words(row, confidence, *task) for row in prevalence.far_apart(prevalences)),
    ]
    summary = {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "data": _data(findings),
        "headlines": [headline(*judged) for judged in verdicts],
        "verdicts": [verdict_row(*judged) for judged in verdicts],
        "metrics": rows,
        "differences": [
            identity(key[0], findings.results[key])
            | {"compared_with": counts.models[0], **numbers(estimate)}
            for key, estimate in findings.differences.items()
        ],
        "trends": list(_trend_rows(findings)),
        "pairs": list(_pair_rows(findings)),
        "fairness": list(_fairness_rows(findings)),
        "prevalence": prevalences,
        "drift": drifts,
        "sweeps": sweeps,
        "runs": [],
        "notes": [*of_rows, *notes(findings)],
        "method": {
            "n_boot": int(findings.options.n_boot),
            "confidence": confidence,
            "interval": _interval_method(counts),
            "random_state": seed_of(findings.options.random_state),
            "versions": versions(),
        },
    }
    return with_answer(summary)


def _data(findings: Findings) -> Row:
    """What was audited."""
    counts, columns = findings.counts, findings.columns
    one_class = findings.compares_tasks and len(columns) == 1
    return {
        "rows": counts.n_rows,
        "weighted": counts.weighted,
        "clusters": counts.n_clusters,
        "dropped": counts.dropped,
        "abstained": sum(abstentions(counts).values()),
        "task": counts.task_name,
        "attributes": list(counts.attributes),
        "models": list(counts.models),
        "positive": show(counts.labels[columns[0]]) if one_class else None,
        "tasks_are_columns": counts.is_matrix(Role.TASK),
        "reference": reference_in_words(findings),
        "groups": _shares(counts, Role.ATTRIBUTE),
        "classes": _shares(counts, Role.TASK),
    }


def with_answer(summary: Summary) -> Summary:
    """A summary with what to read of it, and with its answer in a few sentences."""
    summary = summary | {"reading": what_to_read(summary)}
    reply = answer(summary)
    return summary | {"title": summary["title"] or reply["title"], "answer": reply}


def _interval_method(counts: Counts) -> str:
    if counts.is_normal or counts.has_many_rows:
        return "percentiles of normal draws with the second moments of the rows"
    by_table = "" if by_column(counts) else ", drawn as count tables"
    drawn = "rows" if counts.n_clusters is None else "whole clusters of rows"
    return f"percentile bootstrap over {drawn}{by_table}"


#: Looked up once: reading the metadata of packages was a tenth of a small audit.
_version = cache(version)


def versions() -> dict[str, str]:
    """Versions of the packages that the numbers depend on."""
    packages = ("biasamp-adapters", "numpy", "scipy", "scikit-learn", "pandas")
    return {name: _version(name) for name in packages} | {"python": platform.python_version()}


def grouped(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Group rows by their values under some names."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(map(row.get, names)), []).append(row)
    return groups


def identity(model: str, result: AmplificationResult) -> Row:
    """The entries that identify the number of a row."""
    return {
        "model": model,
        "name": result.short_name,
        "slug": result.slug,
        "metric": result.metric,
        "direction": result.direction,
    }


def _shares(counts: Counts, role: Role) -> list[Row]:
    """The labels of a variable, with their rows and their share of the weights."""
    if not counts.has(role):
        return []
    rows = counts.unweighted().tables().marginal(role)
    share = counts.tables().marginal(role) / counts.tables().total
    return [
        {"label": show(label), "rows": int(n), "share": float(part)}
        for label, n, part in zip(counts.labels_of(role), rows, share, strict=True)
    ]


def metric_row(model: str, result: AmplificationResult) -> Row:
    """One row of the table of metrics."""
    row = identity(model, result) | result.to_dict()
    del row["notes"], row["verdict"]
    signs = float(result.by_pair["uncertain"].mean()) if result.metric == DIRECTIONAL else None
    return row | {
        "source": about(result.metric).source,
        "recipe": {} if result.measurement is None else result.measurement.recipe,
        "note": note_of(result),
        "reading": reading(row, result.verdict),
        "uncertain_signs": signs,
        "zero_by_construction": result.measurement is not None
        and result.measurement.zero_by_construction,
    }


def note_of(result: AmplificationResult) -> str:
    """The caveats of a value and its interval, or the reason why there is no interval."""
    caveats = list(result.notes)
    if result.interval is not None:
        caveats.append(numbers(result.estimate)["note"])
    elif not any(note.startswith("no interval") for note in caveats):
        caveats.append(NOT_DRAWN)
    return "; ".join(filter(None, caveats))


#: On which side of 0 the interval of a row lies, in words.
_SIDES = {1: "above 0", -1: "below 0", 0: "not clear", None: "no interval"}


def reading(row: Row, verdict: Verdict | None) -> str:
    """What a row means, in a few words: the verdict of BA->, of others the side of 0."""
    if verdict is not None:
        return verdict.words
    return _SIDES[side(row)] if about(row["metric"]).signed else "no sign"


def as_estimate(row: Row) -> Estimate:
    """The number of a row."""
    value = float("nan") if row["value"] is None else row["value"]
    interval = None if row["low"] is None else (row["low"], row["high"])
    return Estimate(value, interval, row["note"] or None)


def verdict_row(row: Row, verdict: Verdict) -> Row:
    """What a row of the table of metrics says of a model, or why it cannot say anything."""
    words = plain_verdict(verdict)
    return {
        "model": row["model"],
        "direction": row["direction"],
        "verdict": words.pop("code"),
        **words,
        "excess": row["excess"],
    }


def headline(row: Row, verdict: Verdict) -> str:
    """The verdict on a model in a direction, with the numbers behind it."""
    text = f"{row['model']} {row['direction']}: {verdict.words}. {verdict.sentence}"
    if row["low"] is None or verdict.code in WITHOUT_NUMBERS:
        return text
    level = f"{percent(row['confidence'])} interval"
    text += f" {row['name']} is {row['value']:+z.4f} ({level} {row['low']:+z.4f} to "
    text += f"{row['high']:+z.4f})"
    excess = row["excess"]
    if excess is not None and excess["low"] is not None:
        text += f"; its excess over mistakes alone is {excess['value']:+z.4f} "
        text += f"({excess['low']:+z.4f} to {excess['high']:+z.4f})"
    return f"{text}."


def _pair_rows(findings: Findings) -> Iterator[Row]:
    """The strongest pairs of BA->."""
    for key, pairs in findings.pairs.items():
        result, shown = findings.results[key], pairs[:MOST_PAIRS]
        tables = result.by_pair.iloc[[pair.position for pair in shown]].to_dict("records")
        rates = rates_of(result)
        for row, pair in zip(tables, shown, strict=True):
            low, high = pair.band.interval or (None, None)
            yield identity(key[0], result) | {
                "attribute": show(row["attribute"]),
                "task": show(row["task"]),
                **{name: plain(rate[pair.position]) for name, rate in rates.items()},
                "sign": int(row["sign"]),
                "uncertain": bool(row["uncertain"]),
                **numbers(pair.number.estimate(findings.options.confidence)),
                "band_low": plain(low),
                "band_high": plain(high),
                "clear": pair.is_clear,
            }


def rates_of(result: AmplificationResult) -> dict[str, Array]:
    """The rates of the pairs of BA->, in the order of ``by_pair``; NaN where they are not known.

    They are those in the truth, in the predictions, and of all rows of the reference.
    """
    facts, unknown = result.facts, np.full(len(result.by_pair), np.nan)
    if facts is None:
        return {"true": unknown, "predicted": unknown, "overall": unknown}
    overall = unknown if facts.overall is None else facts.overall.ravel()
    return {"true": facts.true.ravel(), "predicted": facts.predicted.ravel(), "overall": overall}


def _trend_rows(findings: Findings) -> Iterator[Row]:
    """BA-> by the group and the sign of its correlations, which the mean over pairs hides."""
    confidence = findings.options.confidence
    for key, trends in findings.trends.items():
        for trend in trends:
            yield identity(key[0], findings.results[key]) | {
                "attribute": show(trend.group),
                "sign": trend.sign,
                "pairs": trend.pairs,
                "contribution": numbers(trend.contribution.estimate(confidence)),
                "mean_abs_delta": numbers(trend.size.estimate(confidence)),
            }


def _fairness_rows(findings: Findings) -> Iterator[Row]:
    """The largest differences of each fairness measure, and the rates of groups for one task."""
    groups, labels = findings.counts.groups, findings.counts.labels
    for model, measures in findings.rates.items():
        for measure, tasks in measures.items():
            for column, gap, rates in tasks:
                yield {
                    "model": model,
                    "measure": f"{measure}_difference",
                    "task": "all" if column is None else show(labels[column]),
                    **numbers(gap),
                    "groups": [
                        {"group": show(group), **numbers(rate)}
                        for group, rate in zip(groups, rates, strict=bool(rates))
                    ],
                }
