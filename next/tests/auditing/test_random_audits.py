"""Audits of random data of every kind have all their surfaces."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import biasamp_adapters as bam

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")

NAMES = np.array(
    ["A", "B ", "<b>x</b>", "Male and Female", "o'k", "{a}", "Ünï", "x" * 60, "|", "1"]
)


def random_inputs(seed: int) -> dict[str, Any]:
    """Return labels or a matrix, up to six groups with hostile names, and sometimes all else."""
    rng = np.random.default_rng(seed)
    n, n_groups = int(rng.choice([12, 30, 60, 200, 1000])), int(rng.integers(1, 7))
    names = rng.permutation(NAMES)[:n_groups]
    groups, kind = names[rng.integers(0, n_groups, n)], rng.choice(["labels", "matrix", "soft"])
    shape = (n, int(rng.integers(1, 6))) if kind == "matrix" else (n,)
    n_classes = int(rng.integers(2, 6)) if kind == "labels" else 2
    truth, other = rng.integers(0, n_classes, (2, *shape))
    predicted = np.where(rng.random(shape) < rng.choice([0.6, 0.9, 1.0]), truth, other)
    inputs: dict[str, Any] = {"y_true": truth, "y_pred": predicted, "sensitive_features": groups}
    if kind == "soft":
        inputs["y_pred"] = truth / 2 + rng.random(n) / 2
    elif rng.random() < 0.3:
        inputs["y_pred"] = {
            "old": predicted,
            "new": np.where(rng.random(shape) < 0.5, truth, other),
        }
    elif kind == "labels" and rng.random() < 0.3:
        missing = np.where(rng.random(n) < 0.1, None, predicted.astype(object))
        inputs |= {"y_pred": missing, "missing": "abstain"}
    if rng.random() < 0.3:
        models = inputs["y_pred"] if isinstance(inputs["y_pred"], dict) else {"": None}
        guesses = {model: names[rng.integers(0, n_groups, n)] for model in models}
        inputs["sensitive_features_pred"] = guesses.get("", guesses)
    if rng.random() < 0.3:
        inputs["sample_weight"] = rng.random(n) + 0.1
    if rng.random() < 0.3:
        inputs["clusters"] = rng.integers(0, max(n // 3, 2), n)
    if rng.random() < 0.5:
        score = np.round(rng.normal(size=n) + truth.reshape(n, -1)[:, 0], rng.integers(0, 9))
        if isinstance(inputs["y_pred"], dict):
            inputs["y_score"] = {"new": score}
        elif kind == "labels" and n_classes == 2 and rng.random() < 0.5:
            inputs |= {"y_pred": None, "y_score": score, "threshold": float(score[0])}
        else:
            inputs["y_score"] = score
    inputs["n_boot"] = int(rng.choice([0, 50, 100]))
    if rng.random() < 0.3:
        inputs["control_features"] = NAMES[rng.integers(0, rng.integers(1, 8), n)]
    return inputs


@pytest.mark.parametrize("seed", [*range(60), 316])
def test_audit_random_data_has_all_surfaces(seed: int) -> None:
    report = bam.audit(**random_inputs(seed))
    assert json.loads(report.to_json())["version"] == 1
    text, page = report.to_text(full=True), report.to_html()
    for verdict in report.verdicts:
        assert verdict.sentence.endswith(".")
        if verdict.code == "cannot_say":
            assert verdict.reason in ("one_group", "too_few_rows", "no_interval", "too_many_gaps")
            assert verdict.gaps == ()
    for shown in (text, page, report.to_markdown(), report._repr_html_()):
        assert "nan" not in shown.lower().split()
        assert "None" not in shown
    assert "<b>x</b>" not in page
