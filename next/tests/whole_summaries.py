"""Summaries of audits, made by hand from rates: what reports are tried on."""

from __future__ import annotations

import itertools
import math
from typing import Any

from biasamp_adapters.auditing.summary import VERSION

#: Rates of one class: (true, predicted, FPR, TPR) by group.
Rates = dict[Any, tuple[float, float, float | None, float | None]]

HOSTILE = "<img src=x onerror=alert(1)>|`*_[x](javascript:1)\x1b[31m\n# {{ 7*7 }} \u202eevil"


def number(value: float | None, half: float | None = None, reason: str = "") -> dict[str, Any]:
    """Return a number with its interval."""
    if value is None or half is None:
        return {"value": value, "low": None, "high": None, "reason": reason}
    return {"value": value, "low": value - half, "high": value + half, "reason": ""}


def gap(
    model: str, direction: str, of: Any, first: Any, second: Any, rows: dict, rates: Rates
) -> dict:
    """Return a gap with a normal band, and what happens to it."""
    if rates[first][0] < rates[second][0]:
        first, second = second, first
    (p1, q1, *_), (p2, q2, *_) = rates[first], rates[second]
    se = math.sqrt(p1 * (1 - p1) / rows[first] + p2 * (1 - p2) / rows[second])
    half = 2.4 * se + 0.5 / min(rows[first], rows[second])
    true, predicted = p1 - p2, q1 - q2
    change = predicted - true
    true_clear, predicted_clear = abs(true) > half, abs(predicted) > half
    status = "unclear"
    if true_clear and predicted_clear and predicted < 0:
        status = "reverses"
    elif abs(change) > half and change < 0:
        status = "shrinks"
    elif abs(change) > half:
        status = "grows" if true_clear else "appears"
    equal = (p1 * 0.35 + 0.25, p2 * 0.35 + 0.25)
    return {
        "model": model,
        "direction": direction,
        "first": first,
        "second": second,
        "of_class": of,
        "first_rows": rows[first],
        "second_rows": rows[second],
        "first_true": p1,
        "second_true": p2,
        "first_predicted": q1,
        "second_predicted": q2,
        "true": true,
        "predicted": predicted,
        "status": status,
        "true_clear": true_clear,
        "predicted_clear": predicted_clear,
        "in_mean": abs(true + predicted) > 2 * half,
        "first_equal": equal[0],
        "second_equal": equal[1],
        "equal_errors": equal[0] - equal[1],
        "beyond": predicted - equal[0] + equal[1],
        "beyond_low": predicted - equal[0] + equal[1] - half,
        "beyond_high": predicted - equal[0] + equal[1] + half,
        **number(change, half),
    }


def verdict(model: str, direction: str, gaps: list[dict], why: str = "") -> dict:
    """Return the verdict that follows from gaps."""
    statuses = {gap["status"] for gap in gaps}
    grow, fall = statuses & {"grows", "appears"}, statuses & {"shrinks", "reverses"}
    code = "no_clear_change" if gaps else "cannot_say"
    if grow:
        code = "mixed" if fall else "amplifies"
    elif fall:
        code = "reverses" if "reverses" in statuses else "reduces"
    named = [0] if len(gaps) == 1 or statuses - {"unclear"} else []
    if code == "mixed":
        grows = [gap["status"] in ("grows", "appears") for gap in gaps]
        falls = [gap["status"] in ("shrinks", "reverses") for gap in gaps]
        named = sorted((grows.index(True), falls.index(True)))
    changes = [gap["value"] for gap in gaps if gap["in_mean"]]
    mean = number(None, reason="no gap has a certain direction")
    if changes:
        mean = number(sum(changes) / len(changes), 0.03)
    return {
        "model": model,
        "direction": direction,
        "code": code,
        "why": why,
        "comparison": "pairs",
        "n_gaps": len(gaps),
        "n_in_mean": len(changes),
        "named": named,
        "no_errors": False,
        "constant": [],
        "signs": 2,
        "signs_unclear": 0,
        "half": len(gaps) == 1,
        **mean,
    }


def members(rows: dict[Any, int]) -> list[dict]:
    """Return groups or classes."""
    total = sum(rows.values())
    return [
        {"name": name, "rows": n, "size": float(n), "share": n / total} for name, n in rows.items()
    ]


def summary(
    rows: dict[Any, int],
    rates: dict[str, dict[Any, Rates]],
    classes: dict[Any, int],
    by_class: dict[str, dict[Any, Rates]] | None = None,
    **data: Any,
) -> dict[str, Any]:
    """Return the summary of an audit.

    `rates` holds the rates of each model by class and group, `by_class` (T->A) by group and class.
    """
    found: dict[str, list] = {"verdicts": [], "gaps": [], "rates": [], "errors": [], "metrics": []}
    sides = [("A->T", rows, rates)]
    if by_class:
        sides.append(("T->A", classes, by_class))
    for direction, sizes, models in sides:
        for model, tables in models.items():
            _add(found, model, direction, sizes, tables)
    for i, model in enumerate(rates):
        found["metrics"].append(
            {"model": model, "name": "accuracy", "key": "accuracy", "direction": ""}
            | number(0.651 - 0.02 * i, 0.012)
        )
    n_rows = sum(rows.values())
    return {
        "version": VERSION,
        "title": "",
        "data": {
            "rows": n_rows,
            "models": list(rates),
            "label": "two_year_recid",
            "feature": "race",
            "kind": "classes",
            "probabilities": False,
            "directions": [direction for direction, *_ in sides],
            "groups": members(rows),
            "classes": members(classes),
            "positive": 1,
            "favorable": None,
            "compared_with": "labels",
            "reference": None,
            "weights": None,
            "clusters": None,
            "n_clusters": None,
            "unit": "rows",
            "missing": {},
            "left_out": 0,
            "missing_groups": {},
            "in_no_group": 0,
            "in_several_groups": 0,
            "scores": [],
            **data,
        },
        "method": {
            "confidence": 0.95,
            "n_boot": 2000,
            "random_state": 0,
            "versions": {"biasamp-adapters": "0.1.0", "numpy": "2.3.0"},
            "files": {"compas.csv": "9f86d081884c7d659a2feaa0c55ad015"},
        },
        **found,
        "scores": [],
        "largest": [],
        "differences": [],
        "thresholds": [],
        "missing": [],
        "equal_errors": [],
        "levels": [],
        "pairs": [],
        "frequency": [],
        "strata": [],
        "rows_needed": [],
        "notes": ["The labels are taken as they are.", "Multi has no sign."],
    }


def _add(found: dict, model: str, direction: str, sizes: dict, tables: dict[Any, Rates]) -> None:
    """Add one model in one direction."""
    large = [name for name, n in sizes.items() if n >= 15]
    gaps = [
        gap(model, direction, of, first, second, sizes, rates)
        for of, rates in tables.items()
        for first, second in itertools.combinations(large, 2)
    ]
    gaps.sort(key=lambda gap: max(gap["low"], -gap["high"]), reverse=True)
    why = "" if gaps else "too_few_rows"
    found["gaps"] += gaps
    found["verdicts"].append(verdict(model, direction, gaps, why))
    for of, rates in tables.items():
        overall = sum(rates[name][1] * n for name, n in sizes.items()) / sum(sizes.values())
        for name, (true, predicted, fpr, tpr) in rates.items():
            half = 2 * math.sqrt(true * (1 - true) / sizes[name]) if sizes[name] >= 15 else None
            change = number(predicted - true, half)
            found["rates"].append(
                {
                    "model": model,
                    "direction": direction,
                    "group": name,
                    "of_class": of,
                    "rows": sizes[name],
                    "true": true,
                    "predicted": predicted,
                    "change": predicted - true,
                    "low": change["low"],
                    "high": change["high"],
                    "overall": overall,
                    "fpr": fpr,
                    "tpr": tpr,
                    "sign": 1,
                    "part": predicted - true,
                }
            )
    mean = found["verdicts"][-1]["value"]
    key = direction.replace("->", "_to_").lower()
    found["metrics"].append(
        {"model": model, "name": f"BA {direction}", "key": f"ba_{key}", "direction": direction}
        | number(0.0 if mean is None else mean / 2, 0.015)
    )
    if gaps:
        for labelled, first, second in (("negative", 0.448, 0.235), ("positive", 0.72, 0.52)):
            found["errors"].append(
                {"model": model, "direction": direction, "gap": 0, "labelled": labelled}
                | {"first": first, "second": second}
                | number(first - second, 0.035)
            )


RACES = {"African-American": 3696, "Caucasian": 2454}
RECID = {0: 3300, 1: 2850}


def compas() -> dict[str, Any]:
    """Return two groups and two classes: the gap grows from 12 to 24 points."""
    rates = {
        "African-American": (0.514, 0.588, 0.448, 0.72),
        "Caucasian": (0.393, 0.348, 0.235, 0.523),
    }
    made = summary(RACES, {"decile_score": {1: rates}}, RECID, scores=["decile_score"])
    made["scores"] = [
        {
            "model": "decile_score",
            "gap": 0,
            "rule": "5 or more",
            "first": 0.507,
            "second": 0.405,
            "by_score": number(-0.018, 0.023),
            "by_threshold": number(0.138, 0.019),
            "reason": "",
        }
    ]
    made["thresholds"] = [
        {
            "model": "decile_score",
            "threshold": threshold,
            "predicted_positive": 0.5,
            "gap": 0.24,
            "ba": 0.06,
            "ba_equal_errors": 0.01,
            "fpr_difference": 0.2,
            "accuracy": 0.65,
            "accuracy_falls": False,
        }
        for threshold in (3.0, 5.0, None)
    ]
    made["largest"] = [
        {
            "model": "decile_score",
            "measure": "selection_rate",
            "groups": ["African-American", "Caucasian"],
            "rates": [0.588, 0.348],
            "ratio": 0.592,
            "ratio_low": 0.56,
            "ratio_high": 0.63,
            "ratio_reason": "",
            **number(0.24, 0.03),
        }
    ]
    return made


def five_groups() -> dict[str, Any]:
    """Return six groups, one of them too small: of ten gaps, some grow."""
    rows = {"African-American": 3175, "Caucasian": 2103, "Hispanic": 509, "Other": 343}
    rows |= {"Asian": 31, "Native American": 11}
    rates = {
        "African-American": (0.523, 0.576, 0.42, 0.72),
        "Caucasian": (0.391, 0.331, 0.22, 0.50),
        "Hispanic": (0.371, 0.277, 0.19, 0.42),
        "Other": (0.362, 0.204, 0.13, 0.34),
        "Asian": (0.258, 0.226, 0.09, 0.62),
        "Native American": (0.455, 0.727, 0.5, 1.0),
    }
    return summary(rows, {"model": {1: rates}}, {0: 3363, 1: 2809})


def two_models() -> dict[str, Any]:
    """Return two models with different verdicts."""
    rates = {
        "old": {
            "African-American": (0.514, 0.588, 0.448, 0.72),
            "Caucasian": (0.393, 0.348, 0.235, 0.523),
        },
        "coin": {
            "African-American": (0.514, 0.497, 0.49, 0.5),
            "Caucasian": (0.393, 0.504, 0.51, 0.5),
        },
    }
    made = summary(RACES, {model: {1: table} for model, table in rates.items()}, RECID)
    made["differences"] = [
        {
            "name": "BA A->T",
            "key": "ba_a_to_t",
            "direction": "A->T",
            "first": "old",
            "model": "coin",
        }
        | number(-0.12, 0.02)
    ]
    return made


def matrix() -> dict[str, Any]:
    """Return twelve tasks by two groups, in both directions."""
    tasks = {f"task {i}": 150 + 120 * i for i in range(12)}
    groups = {"man": 12_000, "woman": 8_000}
    rates = {
        task: {
            "man": (0.05 + 0.01 * i, 0.05 + 0.02 * i, 0.03, 0.75),
            "woman": (0.08, 0.08 - 0.003 * i, 0.02, 0.6 - 0.02 * i),
        }
        for i, task in enumerate(tasks)
    }
    shares = {task: (0.3 + 0.03 * i, 0.25 + 0.04 * i, None, None) for i, task in enumerate(tasks)}
    return summary(
        groups,
        {"model": rates},
        tasks,
        {"model": {"woman": shares}},
        kind="tasks",
        label=None,
        feature="gender",
        positive=None,
    )


def no_verdict() -> dict[str, Any]:
    """Return thirty rows, in which no gap can be judged."""
    rates = {"African-American": (0.5, 0.6, 0.4, 0.8), "Caucasian": (0.4, 0.3, 0.0, 1.0)}
    rows = {"African-American": 20, "Caucasian": 10}
    return summary(rows, {"model": {1: rates}}, {0: 16, 1: 14})


def reverses() -> dict[str, Any]:
    """Return two regions whose order is exchanged."""
    rates = {"North": (0.35, 0.26, 0.1, 0.6), "South": (0.25, 0.34, 0.2, 0.7)}
    rows = {"North": 3000, "South": 3000}
    return summary(rows, {"model": {1: rates}}, {0: 4200, 1: 1800}, label="hired", feature="region")


def mixed() -> dict[str, Any]:
    """Return three groups of which two come apart and two come together."""
    rates = {"A": (0.2, 0.2, 0.1, 0.6), "B": (0.3, 0.45, 0.2, 0.7), "C": (0.6, 0.62, 0.3, 0.8)}
    rows = {"A": 3000, "B": 3000, "C": 3000}
    return summary(rows, {"model": {1: rates}}, {0: 5700, 1: 3300}, label="hired", feature="group")


def hostile() -> dict[str, Any]:
    """Return names that try to leave their place on every surface."""
    second = "</style></title><script>alert(1)</script>"
    rates = {HOSTILE: (0.5, 0.6, 0.4, 0.7), second: (0.4, 0.3, 0.2, 0.5)}
    rows = {HOSTILE: 3000, second: 3000}
    made = summary(
        rows,
        {'"><svg onload=alert(2)>': {"1' onclick='x": rates}},
        {0: 3000, "1' onclick='x": 3000},
        label="[bold]x[/bold] | y",
        feature="{% raw %}",
        positive="1' onclick='x",
    )
    made["title"] = f"https://evil.example {HOSTILE}"
    made["notes"] = [f"Classes {HOSTILE} differ.", "www.evil.example a@b.example"]
    made["method"]["files"] = {second: "abc"}
    return made


CASES = {
    "compas": compas,
    "five": five_groups,
    "two": two_models,
    "matrix": matrix,
    "thirty": no_verdict,
    "reverses": reverses,
    "mixed": mixed,
    "hostile": hostile,
}
