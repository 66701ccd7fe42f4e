"""From findings to one plain dict: what every rendering of a report shows."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Label, RandomState
from biasamp_adapters.auditing.evaluate import STRONGEST, Findings
from biasamp_adapters.auditing.notes import notes, reference_in_words
from biasamp_adapters.auditing.standard import ACCURACY
from biasamp_adapters.counts.labels import show
from biasamp_adapters.metrics.result import AmplificationResult, Estimate, plain

FORMAT, VERSION = "biasamp-audit", 1


def summarise(findings: Findings, random_state: RandomState, title: str) -> dict[str, Any]:
    """Everything that a report shows, as dicts, lists, strings and numbers."""
    counts = findings.evaluation.counts
    rows = [metric_row(model, result) for (model, _), result in findings.results.items()]
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "data": {
            "rows": counts.n_rows,
            "weighted": counts.w is not None,
            "dropped": counts.dropped,
            "attributes": list(counts.attributes),
            "models": list(counts.models),
            "reference": reference_in_words(findings),
            "groups": _shares(findings, "attribute", counts.groups),
            "classes": _shares(findings, "task", counts.labels),
        },
        "headlines": headlines(rows),
        "metrics": rows,
        "differences": [
            {
                "model": model,
                "compared_with": counts.models[0],
                **_identity(findings.results[model, name]),
                **_numbers(estimate),
            }
            for (model, name), estimate in findings.differences.items()
        ],
        "pairs": [row for key in findings.pairs for row in _pair_rows(findings, key)],
        "fairness": _fairness_rows(findings),
        "notes": notes(findings),
        "method": {
            "n_boot": findings.n_boot,
            "confidence": findings.confidence,
            "interval": "percentile bootstrap over rows, drawn as count tables",
            "random_state": _seed(random_state),
            "versions": versions(),
        },
    }


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    return {
        "biasamp-adapters": version("biasamp-adapters"),
        "numpy": np.__version__,
        "pandas": pd.__version__,
        "python": platform.python_version(),
    }


def _seed(random_state: RandomState) -> int | str:
    if random_state is None:
        return 0
    return int(random_state) if isinstance(random_state, int) else "a generator of the caller's"


def _identity(result: AmplificationResult) -> dict[str, str]:
    return {
        "name": short_name(result.metric, result.direction),
        "metric": result.metric,
        "direction": result.direction,
    }


def _numbers(estimate: Estimate) -> dict[str, float | None]:
    low, high = estimate.interval or (None, None)
    return {"value": plain(estimate.value), "low": low, "high": high}


def _shares(findings: Findings, role: str, labels: tuple[Label, ...]) -> list[dict[str, Any]]:
    counts = findings.evaluation.counts
    if not counts.has(role):
        return []
    rows = counts.unweighted().tables().marginal(role)
    weight = counts.tables().marginal(role) / counts.tables().total
    return [
        {"label": show(label), "rows": int(n), "share": float(share)}
        for label, n, share in zip(labels, rows, weight, strict=True)
    ]


SHORT = {
    "MALS": "MALS",
    "DirectionalBiasAmplification": "BA",
    "MultiAttributeBiasAmplification": "Multi",
    "LeakageAmplification": "LA",
    "DirectionalPredictabilityAmplification": "DPA",
    "DirectionalPredictabilityAmplification (uncertainty_coefficient)": "DPA(U)",
}


def short_name(metric: str, direction: str) -> str:
    """What the field calls a metric, such as "BA A->T"."""
    name = SHORT[metric]
    return name if direction == "undirected" and name != "Multi" else f"{name} {direction}"


def metric_row(model: str, result: AmplificationResult) -> dict[str, Any]:
    """One row of the table of metrics."""
    row = {"model": model, **_identity(result), **result.to_dict()}
    row["note"] = "; ".join([*row.pop("notes"), *_width_note(result)])
    row["reading"] = reading(row)
    return row


def _width_note(result: AmplificationResult) -> list[str]:
    if result.interval is None or result.interval[0] < result.interval[1]:
        return []
    return ["every replicate gave the same value, so the interval says nothing of sampling error"]


def reading(row: dict[str, Any]) -> str:
    """What the interval of a row says, in a word."""
    if row["metric"] == "MultiAttributeBiasAmplification":
        return "no sign"
    if row["low"] is None:
        return "no interval"
    if row["low"] > 0:
        return "amplified"
    return "reduced" if row["high"] < 0 else "no clear change"


_SAYS = {
    "amplified": "amplifies bias",
    "reduced": "reduces bias",
    "no clear change": "shows no clear change of bias",
    "no interval": "gives no interval to judge by for",
}


def headline(row: dict[str, Any]) -> str:
    """One sentence on a row of the table of metrics."""
    text = f"{row['model']} {_SAYS[row['reading']]} {row['direction']}: {row['name']} is "
    text += "undefined" if row["value"] is None else f"{row['value']:+.4f}"
    if row["low"] is not None:
        level = f"{row['confidence']:.0%} interval"
        text += f" ({level} {row['low']:+.4f} to {row['high']:+.4f})"
    if row["random_error"] is not None:
        text += f"; random errors of this accuracy would give {row['random_error']:+.4f}"
    return text + "."


def headlines(rows: list[dict[str, Any]]) -> list[str]:
    """Sentences on the directional metric, whose sign and size are the easiest to read."""
    return [headline(row) for row in rows if row["metric"] == "DirectionalBiasAmplification"]


def _pair_rows(findings: Findings, key: tuple[str, str]) -> list[dict[str, Any]]:
    result = findings.results[key]
    positions, estimates = findings.pairs[key]
    table = result.by_pair.iloc[positions]
    return [
        {
            "model": key[0],
            **_identity(result),
            "attribute": pair["attribute"],
            "task": show(pair["task"]),
            "sign": int(pair["sign"]),
            "uncertain": bool(pair["uncertain"]),
            **_numbers(estimate),
        }
        for pair, estimate in zip(table.to_dict("records"), estimates, strict=True)
    ]


def _fairness_rows(findings: Findings) -> list[dict[str, Any]]:
    rows = []
    groups = [show(group) for group in findings.evaluation.counts.groups]
    for model, (rates, estimates) in findings.rates.items():
        tasks = [show(findings.evaluation.counts.labels[i]) for i in rates.columns]
        for measure, values in estimates.items():
            if measure.endswith("_by_group"):
                continue
            by_group = estimates.get(f"{measure}_by_group", [])
            named = zip(["all"] if measure == ACCURACY else tasks, values, strict=True)
            largest = sorted(named, key=lambda pair: -np.nan_to_num(pair[1].value, nan=-1.0))
            rows += [
                {
                    "model": model,
                    "measure": f"{measure}_difference",
                    "task": task,
                    **_numbers(estimate),
                    "groups": [
                        {"group": group, **_numbers(of_group)}
                        for group, of_group in zip(groups, by_group, strict=bool(by_group))
                    ],
                }
                for task, estimate in largest[:STRONGEST]
            ]
    return rows
