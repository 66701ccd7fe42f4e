"""The recipe for model cards with skops."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from recipe_cases import ignoring_warnings, recipe

import biasamp_adapters as bam
from biasamp_adapters.datasets import load_diabetes_audit

pytestmark = ignoring_warnings


def test_card(tmp_path: Path) -> None:
    module = recipe("skops_card", "skops")
    from sklearn.tree import DecisionTreeClassifier

    demo = load_diabetes_audit()
    features = demo.frame[["age", "bmi", "bp"]]
    estimator = DecisionTreeClassifier(max_depth=2, random_state=0).fit(features, demo.y_true)
    report = bam.AuditReport.from_estimator(
        estimator, features, demo.y_true, sensitive_features=demo.sensitive_features, n_boot=100
    )
    module.card_with_audit(estimator, report).save(tmp_path / "README.md")
    text = (tmp_path / "README.md").read_text()
    assert "max_depth" in text
    value = report.results["model", "DirectionalBiasAmplification A->T"].value
    # Among the metrics of the card, and in the table with the intervals.
    (listed,) = re.findall(r"\| +ba_a_to_t +\| +(\S+) +\|", text)
    assert float(listed) == pytest.approx(value, abs=1e-5)
    row = report.to_frame().set_index("slug").loc["ba_a_to_t", ["value", "low", "high"]]
    (shown,) = re.findall(r"DirectionalBiasAmplification +\| +A->T +\|(.*)\|", text)
    assert [float(cell) for cell in shown.split("|")] == pytest.approx([*row], abs=1e-4)
    assert report.summary["headlines"][0] in text
    assert all(f"- {note}" in text for note in report.summary["notes"])
