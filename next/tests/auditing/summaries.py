"""Summaries made by hand: rates, gaps and changes are given in points, as sentences print them."""

from __future__ import annotations

from typing import Any


def number(value: float | None = None, low=None, high=None, reason: str = "") -> dict[str, Any]:
    """A number with its interval, in points."""
    ends = {"value": value, "low": low, "high": high}
    return {key: None if end is None else end / 100 for key, end in ends.items()} | {
        "reason": reason
    }


def gap(
    first: Any = "African-American",
    second: Any = "Caucasian",
    of_class: Any = 1,
    *,
    labels: tuple[float, float] = (51.4, 39.3),
    predictions: tuple[float, float] = (58.8, 34.8),
    band: tuple[float, float] = (9, 15),
    status: str = "grows",
    rows: tuple[int, int] = (3696, 2454),
    clear: tuple[bool, bool] = (True, True),
    equal: float | None = None,
    beyond: tuple[float, float] | None = None,
    model: str = "model",
    direction: str = "A->T",
    in_mean: bool = True,
) -> dict[str, Any]:
    """A gap from the rates of both sides and the band of its change."""
    true, predicted = labels[0] - labels[1], predictions[0] - predictions[1]
    return number(predicted - true, *band) | {
        "model": model,
        "direction": direction,
        "first": first,
        "second": second,
        "of_class": of_class,
        "first_rows": rows[0],
        "second_rows": rows[1],
        "first_true": labels[0] / 100,
        "second_true": labels[1] / 100,
        "first_predicted": predictions[0] / 100,
        "second_predicted": predictions[1] / 100,
        "true": true / 100,
        "predicted": predicted / 100,
        "status": status,
        "true_clear": clear[0],
        "predicted_clear": clear[1],
        "in_mean": in_mean,
        "first_equal": None if equal is None else (50 + equal / 2) / 100,
        "second_equal": None if equal is None else (50 - equal / 2) / 100,
        "equal_errors": None if equal is None else equal / 100,
        "beyond": None if equal is None or not beyond else (predicted - equal) / 100,
        "beyond_low": beyond[0] / 100 if beyond else None,
        "beyond_high": beyond[1] / 100 if beyond else None,
    }


def gaps(**statuses: int) -> list[dict[str, Any]]:
    """So many gaps of each status, all alike but for it."""
    return [
        gap(status=status, band=(-8, 8) if status == "unclear" else (9, 15))
        for status, n in statuses.items()
        for _ in range(n)
    ]


def verdict(
    code: str = "amplifies",
    mean: dict[str, Any] | None = None,
    *,
    model: str = "model",
    direction: str = "A->T",
    why: str = "",
    n_gaps: int = 1,
    n_in_mean: int = 1,
    named: tuple[int, ...] = (0,),
    no_errors: bool = False,
    constant: tuple[Any, ...] = (),
    signs: int = 4,
    signs_unclear: int = 0,
    half: bool = True,
) -> dict[str, Any]:
    """A verdict; its number is the mean change."""
    return (mean or number(12, 9, 15)) | {
        "model": model,
        "direction": direction,
        "code": code,
        "why": why,
        "comparison": "pairs",
        "n_gaps": n_gaps,
        "n_in_mean": n_in_mean,
        "named": list(named),
        "no_errors": no_errors,
        "constant": list(constant),
        "signs": signs,
        "signs_unclear": signs_unclear,
        "half": half,
    }


def members(sizes: dict[Any, float]) -> list[dict[str, Any]]:
    """Groups or classes with their rows."""
    total = sum(sizes.values())
    return [
        {"name": label, "rows": int(rows), "size": rows, "share": rows / total}
        for label, rows in sizes.items()
    ]


COMPAS_GROUPS = {"African-American": 3696, "Caucasian": 2454}
COMPAS_CLASSES = {0: 3283, 1: 2867}


def metric(key: str, value: float, low=None, high=None, model: str = "model", **more: Any):
    """A metric in points."""
    return number(value, low, high) | {"model": model, "name": key, "key": key, "direction": ""}


def make(**parts: Any) -> dict[str, Any]:
    """A summary of COMPAS in two groups; parts and keys of `data` and `method` are replaced.

    ``scored`` are the models with scores, ``missing_predictions`` their numbers by model.
    """
    data = {
        "rows": 6150,
        "models": ["model"],
        "label": "two_year_recid",
        "feature": "race",
        "kind": "classes",
        "probabilities": False,
        "directions": ["A->T"],
        "groups": members(COMPAS_GROUPS),
        "classes": members(COMPAS_CLASSES),
        "positive": 1,
        "favorable": None,
        "compared_with": "labels",
        "reference": None,
        "weights": None,
        "clusters": None,
        "n_clusters": None,
        "unit": "rows",
        "missing": parts.pop("missing_predictions", {}),
        "left_out": 0,
        "missing_groups": {},
        "in_no_group": 0,
        "in_several_groups": 0,
        "scores": parts.pop("scored", []),
    }
    method = {"confidence": 0.95, "n_boot": 2000, "random_state": 0, "versions": {}, "files": {}}
    own = data.keys() & parts.keys() - {"missing", "scores"}
    listed = ("errors", "scores", "metrics", "rates", "largest", "differences", "thresholds")
    more = ("missing", "equal_errors", "levels", "pairs", "frequency", "strata", "rows_needed")
    empty: dict[str, Any] = {part: [] for part in (*listed, *more, "notes")}
    summary = {
        "version": 1,
        "title": "",
        "data": data | {key: parts.pop(key) for key in own},
        "method": method | {key: parts.pop(key) for key in method.keys() & parts.keys()},
        "verdicts": [verdict()],
        "gaps": [gap()],
        **empty,
    }
    return summary | parts
