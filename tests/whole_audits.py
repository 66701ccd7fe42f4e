"""Summaries of small audits of every kind, which reports are tried on."""

import copy
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import biasamp_adapters as bam

HOSTILE = "<img src=x onerror=alert(1)>|`*_[x](javascript:1)\x1b[31m\n# {{ 7*7 }} \u202eevil"


def table_of(cells: dict[str, tuple[int, int, int, int]]) -> pd.DataFrame:
    """Rows by group: how many, labelled 1, and predicted 1 among these and among the others."""
    parts = []
    for group, (n, ones, hits, false) in cells.items():
        numbers = [hits, ones - hits, false, n - ones - false]
        y, p = np.repeat([1, 1, 0, 0], numbers), np.repeat([1, 0, 1, 0], numbers)
        parts.append(pd.DataFrame({"region": group, "hired": y, "pred": p}))
    return pd.concat(parts, ignore_index=True)


def audit(table: pd.DataFrame, y_true="hired", groups="region", y_pred="pred", **more: Any) -> Any:
    names = {"y_true": y_true, "y_pred": y_pred, "sensitive_features": groups}
    return bam.audit(table, **{**names, "n_boot": 200, **more}).summary


def records(*races: str) -> pd.DataFrame:
    table = bam.datasets.load_compas().query("race in @races" if races else "within_30_days == 1")
    return table.assign(model=(table["decile_score"] >= 5) * 1).reset_index(drop=True)


RACES = ("African-American", "Caucasian")


def compas() -> Any:
    """Two groups and two classes, with scores: the gap grows from 12 to 24 points."""
    of_scores = {"y_pred": None, "y_score": "decile_score", "threshold": 5}
    return audit(records(*RACES), "two_year_recid", "race", **of_scores)


def five_groups() -> Any:
    """Six groups, one of which is too small: of ten gaps, some grow."""
    return audit(records(), "two_year_recid", "race", "model")


def two_models() -> Any:
    table = records(*RACES)
    coin = np.random.default_rng(0).integers(0, 2, len(table))
    models = {"old": "model", "coin": "coin"}
    return audit(table.assign(coin=coin), "two_year_recid", "race", models)


def matrix() -> Any:
    """Twelve tasks by two genders, in both directions."""
    rng = np.random.default_rng(1)
    gender = rng.choice(["man", "woman"], 4000, p=[0.6, 0.4])
    side = np.where(gender == "man", 1, -1)[:, None]
    label = rng.random((4000, 12)) < 0.2 + 0.01 * side * np.arange(-5, 7)
    said = rng.random((4000, 12)) < np.where(label, 0.7, 0.1 + 0.01 * side * np.arange(-2, 10))
    table = pd.DataFrame(
        {"gender": gender, "guess": np.where(rng.random(4000) < 0.8, gender, "man")}
    )
    for name, values in (("true", label), ("pred", said)):
        columns = [f"{name}_task {i}" for i in range(12)]
        table = table.join(pd.DataFrame(values.astype(int), columns=columns))
    return audit(table, "true_*", "gender", "pred_*", sensitive_features_pred="guess")


def no_verdict() -> Any:
    return audit(table_of({"A": (20, 10, 8, 4), "B": (10, 4, 3, 0)}))


def reverses() -> Any:
    """Two regions of which the other one has the higher rate in the predictions."""
    return audit(table_of({"North": (3000, 1050, 600, 180), "South": (3000, 750, 600, 420)}))


def mixed() -> Any:
    """Three groups of which two come apart and two come together."""
    a, b, c = (3000, 600, 400, 200), (3000, 900, 800, 550), (3000, 1800, 1500, 360)
    return audit(table_of({"A": a, "B": b, "C": c}))


def hostile() -> Any:
    """Names that try to leave their place on every surface."""
    second, label = "</style></title><script>alert(1)</script>", "[bold]x[/bold] | y"
    table = table_of({HOSTILE: (300, 150, 100, 80), second: (300, 120, 60, 30)})
    classes = {0: "0' onclick='x", 1: "1' onclick='x"}
    table = table.replace({"hired": classes, "pred": classes})
    table = table.rename(columns={"region": "{% raw %}", "hired": label})
    models, title = {'"><svg onload=alert(2)>': "pred"}, f"https://evil.example {HOSTILE}"
    summary = audit(table, label, "{% raw %}", models, title=title)
    summary["notes"] = [f"Classes {HOSTILE} differ.", "www.evil.example a@b.example"]
    summary["method"]["files"] = {second: "abc"}
    return summary


CASES = {
    make.__name__: make
    for make in (compas, five_groups, two_models, matrix, no_verdict, reverses, mixed, hostile)
}


@cache
def _audited(name: str) -> Any:
    return CASES[name]()


def summary_of(name: str) -> Any:
    """Return the summary of a case, which a test may change."""
    return copy.deepcopy(_audited(name))


def text_of(report: bam.AuditReport, full: bool = True) -> str:
    """Return the text of a report without its line ends."""
    return " ".join(report.to_text(full).split())
