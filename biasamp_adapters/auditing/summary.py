"""Build the summary of an audit: one plain dict, which all renderings show."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any, TypeAlias

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import seed_of
from biasamp_adapters.auditing.findings import (
    ACCURACY,
    BY_GROUP,
    DIRECTIONAL,
    MOST_TASKS,
    Findings,
    by_column,
)
from biasamp_adapters.auditing.notes import abstentions, notes, reference_in_words
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import show
from biasamp_adapters.inference.estimates import NOT_DRAWN, side_of_zero
from biasamp_adapters.metrics.result import AmplificationResult, about, numbers, percent

FORMAT, VERSION = "biasamp-audit", 1

#: All that a report shows, and one row of a list in it.
Summary: TypeAlias = dict[str, Any]
Row: TypeAlias = dict[str, Any]


def summarize(findings: Findings, title: str, sweeps: list[Row]) -> Summary:
    """Everything that a report shows, as dicts, lists, strings and numbers."""
    counts, options = findings.counts, findings.options
    rows = [metric_row(model, result) for (model, _), result in findings.results.items()]
    one_class = findings.rates and len(findings.columns) == 1
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "data": {
            "rows": counts.n_rows,
            "weighted": counts.weighted,
            "dropped": counts.dropped,
            "abstained": sum(abstentions(counts).values()),
            "attributes": list(counts.attributes),
            "models": list(counts.models),
            "positive": show(counts.labels[findings.columns[0]]) if one_class else None,
            "tasks_are_columns": counts.is_matrix(Role.TASK),
            "reference": reference_in_words(findings),
            "groups": _shares(counts, Role.ATTRIBUTE),
            "classes": _shares(counts, Role.TASK),
        },
        "headlines": headlines(rows),
        "metrics": rows,
        "differences": [
            identity(key[0], findings.results[key])
            | {"compared_with": counts.models[0], **numbers(estimate)}
            for key, estimate in findings.differences.items()
        ],
        "trends": list(_trend_rows(findings)),
        "pairs": list(_pair_rows(findings)),
        "fairness": list(_fairness_rows(findings)),
        "sweeps": sweeps,
        "runs": [],
        "notes": [*notes(findings), *map(_like_random_errors, filter(is_like_random_errors, rows))],
        "method": {
            "n_boot": options.n_boot,
            "confidence": options.confidence,
            "interval": _interval_method(counts),
            "random_state": seed_of(options.random_state),
            "versions": versions(),
        },
    }


def _interval_method(counts: Counts) -> str:
    if counts.is_normal:
        return "percentiles of normal draws with the second moments of the rows"
    by_table = "" if by_column(counts) else ", drawn as count tables"
    return f"percentile bootstrap over rows{by_table}"


def versions() -> dict[str, str]:
    """Versions of the packages that the numbers depend on."""
    packages = ("biasamp-adapters", "numpy", "scipy", "scikit-learn", "pandas")
    return {name: version(name) for name in packages} | {"python": platform.python_version()}


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
    del row["notes"]
    signs = float(result.by_pair["uncertain"].mean()) if result.metric == DIRECTIONAL else None
    return row | {
        "source": about(result.metric).source,
        "recipe": {} if result.bound is None else result.bound.recipe,
        "note": note_of(result),
        "reading": reading(row),
        "uncertain_signs": signs,
    }


def note_of(result: AmplificationResult) -> str:
    """The caveats of a value and its interval, or the reason why there is no interval."""
    caveats = list(result.notes)
    if result.interval is not None:
        caveats.append(numbers(result.estimate)["note"])
    elif not any(note.startswith("no interval") for note in caveats):
        caveats.append(NOT_DRAWN)
    return "; ".join(filter(None, caveats))


#: What the interval of a row means, in a word and in a headline, by its side of 0.
_READINGS = {
    1: ("amplified", "amplifies bias"),
    -1: ("reduced", "reduces bias"),
    0: ("no clear change", "shows no clear change of bias"),
    None: ("no interval", "gives no interval to judge by for"),
}


def reading(row: Row) -> str:
    """What the interval of a row means, in a word."""
    if not about(row["metric"]).signed:
        return "no sign"
    return _READINGS[side(row)][0]


def side(row: Row) -> int | None:
    """The side of 0 on which the interval of a row lies: 1, -1, 0 if it contains 0, or None."""
    return None if row["low"] is None else side_of_zero((row["low"], row["high"]))


def _headline(row: Row) -> str:
    """One sentence on a row of the table of metrics."""
    text = f"{row['model']} {_READINGS[side(row)][1]} {row['direction']}: {row['name']} is "
    text += "undefined" if row["value"] is None else f"{row['value']:+z.4f}"
    if row["low"] is not None:
        level = f"{percent(row['confidence'])} interval"
        text += f" ({level} {row['low']:+z.4f} to {row['high']:+z.4f})"
    if row["random_error"] is not None:
        text += f"; random errors of this accuracy would give {row['random_error']:+z.4f}"
        if is_like_random_errors(row):
            text += ", which is no different"
    if row["uncertain_signs"]:
        text += f"; {row['uncertain_signs']:.0%} of the reference's signs may be noise"
    return text + "."


def is_like_random_errors(row: Row) -> bool:
    """Whether the interval contains the value that random errors would give.

    False if the interval has no width, as for a perfect model or a balanced reference.
    """
    baseline = row["random_error"]
    if baseline is None or row["low"] is None or row["low"] == row["high"]:
        return False
    return bool(row["low"] <= baseline <= row["high"])


def _like_random_errors(row: Row) -> str:
    return (
        f"{row['name']} of {row['model']} is no different from what random errors of the same "
        f"accuracy would give ({row['random_error']:+z.4f}): read it as mistakes, not as a change "
        "of bias."
    )


def headlines(rows: list[Row]) -> list[str]:
    """Sentences on the directional metric, whose sign and size are the easiest to read."""
    return [_headline(row) for row in rows if row["metric"] == DIRECTIONAL]


def _pair_rows(findings: Findings) -> Iterator[Row]:
    """The strongest pairs of BA->."""
    for key, (positions, contributions) in findings.pairs.items():
        result = findings.results[key]
        pairs = result.by_pair.iloc[positions].to_dict("records")
        for pair, contribution in zip(pairs, contributions, strict=True):
            yield identity(key[0], result) | {
                "attribute": show(pair["attribute"]),
                "task": show(pair["task"]),
                "sign": int(pair["sign"]),
                "uncertain": bool(pair["uncertain"]),
                **numbers(contribution.estimate(findings.options.confidence)),
            }


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
    confidence = findings.options.confidence
    tasks = [show(labels[column]) for column in findings.columns]
    for model, rates in findings.rates.items():
        for measure in (name for name in rates if not name.endswith(BY_GROUP)):
            by_group = rates.get(measure + BY_GROUP, [])
            named = zip(["all"] if measure == ACCURACY else tasks, rates[measure], strict=True)
            largest = sorted(named, key=lambda pair: -np.nan_to_num(pair[1].value, nan=-1.0))
            for task, difference in largest[:MOST_TASKS]:
                yield {
                    "model": model,
                    "measure": f"{measure}_difference",
                    "task": task,
                    **numbers(difference.estimate(confidence)),
                    "groups": [
                        {"group": show(group), **numbers(rate.estimate(confidence))}
                        for group, rate in zip(groups, by_group, strict=bool(by_group))
                    ],
                }
