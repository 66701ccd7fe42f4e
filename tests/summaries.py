"""Summaries made by hand. Rates, gaps and changes are given in points, as sentences print them.

Unless a test says otherwise, the gap between A and B in hired = 1 grows from 12 to 24 points.
"""

from typing import Any

OF_MODEL = {"model": "model", "direction": "A->T"}
PARTS = ("errors", "scores", "metrics", "rates", "largest", "differences", "thresholds", "missing")
PARTS += ("equal_errors", "levels", "pairs", "frequency", "strata", "rows_needed", "notes")
PARTS += ("left_out",)


def number(value=None, low=None, high=None, reason="") -> dict[str, Any]:
    ends = {"value": value, "low": low, "high": high}
    return {key: x if x is None else x / 100 for key, x in ends.items()} | {"reason": reason}


def gap(first="A", second="B", of_class=1, *, labels=(51, 39), predictions=(59, 35), band=(9, 15),
        status="grows", rows=(3000, 2000), clear=(True, True), equal=None, beyond=None,
        **more: Any) -> dict[str, Any]:  # fmt: skip
    """A gap from the rates of both sides, and the band of its change.

    ``equal`` is the gap with equal error rates, and ``beyond`` the ends of the one beyond it.
    """
    true, predicted = labels[0] - labels[1], predictions[0] - predictions[1]
    ends = (None, None) if beyond is None else beyond
    sides = {"true": labels, "predicted": predictions}
    sides["equal"] = (None, None) if equal is None else (50 + equal / 2, 50 - equal / 2)
    points = {f"first_{name}": side[0] for name, side in sides.items()}
    points |= {f"second_{name}": side[1] for name, side in sides.items()}
    points |= {"true": true, "predicted": predicted, "equal_errors": equal}
    points |= {
        "beyond": beyond and predicted - equal,
        "beyond_low": ends[0],
        "beyond_high": ends[1],
    }
    record = {key: x if x is None else x / 100 for key, x in points.items()} | OF_MODEL
    record |= {"first": first, "second": second, "of_class": of_class, "status": status}
    record |= {"first_rows": rows[0], "second_rows": rows[1], "in_mean": True}
    record |= {"true_clear": clear[0], "predicted_clear": clear[1]}
    return number(predicted - true, *band) | record | more


def gaps(**statuses: int) -> list[dict[str, Any]]:
    """So many gaps of each status, all alike but for it."""
    bands = {"unclear": (-8, 8)}
    return [
        gap(status=status, band=bands.get(status, (9, 15)))
        for status, n in statuses.items()
        for _ in range(n)
    ]


def verdict(code="amplifies", mean=(12, 9, 15), **more: Any) -> dict[str, Any]:
    """A verdict; its number is the mean change."""
    record = {"code": code, "why": "", "comparison": "pairs", "n_gaps": 1, "n_in_mean": 1}
    record |= {"named": [0], "no_errors": False, "constant": [], "half": True}
    return number(*mean) | OF_MODEL | record | {"signs": 4, "signs_unclear": 0} | more


def unjudged(why: str, reason: str = "", **parts: Any) -> dict[str, Any]:
    record = verdict("cannot_say", (), why=why, n_gaps=6200, n_in_mean=0, named=[], half=False)
    return {"gaps": [], "verdicts": [record | {"reason": reason}]} | parts


def of_gaps(code="amplifies", mean=(12, 9, 15), records=None, n_in_mean=7, named=(0,),
            direction="A->T", models=("model",), **statuses: int) -> dict[str, Any]:  # fmt: skip
    """The parts of a summary whose models have these gaps each, or so many of each status."""
    records = gaps(**statuses) if records is None else records
    counts = {"n_gaps": len(records), "n_in_mean": n_in_mean, "named": [*named]}
    about = [{"model": model, "direction": direction} for model in models]
    return {
        "gaps": [record | of_model for of_model in about for record in records],
        "verdicts": [verdict(code, mean, half=False) | counts | of_model for of_model in about],
    }


def members(sizes: dict[Any, float]) -> list[dict[str, Any]]:
    total = sum(sizes.values())
    return [
        {"name": label, "rows": int(rows), "size": rows, "share": rows / total}
        for label, rows in sizes.items()
    ]


def groups(names: Any) -> dict[str, Any]:
    """The part of a summary that has groups of 99 rows each."""
    return {"groups": members(dict.fromkeys(names, 99))}


def metric(key: str, value: float, low=None, high=None, model="model") -> dict[str, Any]:
    return number(value, low, high) | {"model": model, "name": key, "key": key, "direction": ""}


def error(labelled: str, first: float, second: float, low: float, high: float) -> dict[str, Any]:
    """How often both groups are predicted 1 among rows labelled alike, in per cent."""
    rates = {"first": first / 100, "second": second / 100, "labelled": labelled, "gap": 0}
    return number(first - second, low, high) | rates | OF_MODEL


def difference(key: str, model: str, first: str, value: float, low: float, high: float) -> Any:
    """A number of a model minus that of the first one, in points."""
    direction = "T->A" if key.endswith("t_to_a") else "A->T"
    record = {"key": key, "name": key, "direction": direction, "first": first, "model": model}
    return number(value, low, high) | record


THREE_CLASSES = {"classes": members({0: 9, 1: 9, 2: 9}), "positive": None}
#: Tasks by gender; and gender by tasks, which compares tasks in the share of a gender.
TASKS = {"kind": "tasks", "label": None, "feature": "gender", "positive": None}
TASKS |= groups(["man", "woman"]) | {"classes": members({"horse": 266, "umbrella": 293, "car": 99})}
BY_TASK = TASKS | {"directions": ["T->A"]}


def make(**parts: Any) -> dict[str, Any]:
    """A summary; parts, and keys of `data` and `method`, are replaced.

    ``scored`` are the models with scores, ``missing_predictions`` their numbers by model.
    """
    data = {"rows": 5000, "models": ["model"], "label": "hired", "feature": "race", "positive": 1}
    data |= {"kind": "classes", "probabilities": [], "directions": ["A->T"], "favorable": None}
    data |= {"groups": members({"A": 3000, "B": 2000}), "classes": members({0: 2700, 1: 2300})}
    data |= {"compared_with": "labels", "reference": None, "weights": None, "clusters": None}
    data |= {"n_clusters": None, "unit": "rows", "left_out": 0, "missing_groups": {}}
    data |= {"in_no_group": 0, "in_several_groups": 0, "left_out_groups": 0}
    data |= {key: parts.pop(key) for key in data.keys() & parts.keys()}
    data |= {"scores": parts.pop("scored", []), "missing": parts.pop("missing_predictions", {})}
    method = {"confidence": 0.95, "n_boot": 2000, "random_state": 0, "versions": {}, "files": {}}
    method |= {key: parts.pop(key) for key in method.keys() & parts.keys()}
    summary = {"version": 1, "title": "", "data": data, "method": method}
    summary |= {"verdicts": [verdict()], "gaps": [gap()], **{part: [] for part in PARTS}}
    return summary | parts
