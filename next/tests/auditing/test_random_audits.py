"""Audits of random data of every kind have all their surfaces, and contradict no summary."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import biasamp_adapters as bam

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from contradictions.cases import random_case
from contradictions.cells import wrong_cells
from contradictions.check import check_report

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")


@pytest.mark.parametrize("seed", range(20))
def test_audit_random_data_has_all_surfaces_and_no_contradiction(seed: int) -> None:
    report = bam.audit(**random_case(seed))
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
    assert "<b>" not in page
    findings = check_report(report)
    assert findings.wrong == findings.unknown == list(wrong_cells(report)) == []
    assert findings.held.total() > 20


@pytest.mark.parametrize(
    ("part", "key", "other"),
    [
        ("gaps", "value", 0.03),
        ("gaps", "first_predicted", 0.03),
        ("gaps", "status", "appears"),
        ("verdicts", "code", "reduces"),
        ("errors", "first", 0.03),
        ("metrics", "value", 0.03),
        ("largest", "low", 0.0),
        ("rates", "true", 0.03),
        ("rates", "tpr", 0.03),
    ],
)
def test_contradiction_is_found(part: str, key: str, other: Any) -> None:
    truth, groups = [1] * 30 + [0] * 70 + [1] * 60 + [0] * 40, ["a"] * 100 + ["b"] * 100
    predicted = [1] * 15 + [0] * 85 + [1] * 80 + [0] * 20
    report = bam.audit(truth, predicted, sensitive_features=groups, n_boot=100)
    summary, text, markdown = report.summary, report.to_text(full=True), report.to_markdown()
    changed = SimpleNamespace(
        summary=copy.deepcopy(summary), to_text=lambda full: text, to_markdown=lambda: markdown
    )
    assert not check_report(changed).wrong
    record = next(x for x in changed.summary[part] if x.get("of_class", 1) == 1)
    record[key] = other if isinstance(other, str) or not other else record[key] + other
    assert check_report(changed).wrong or list(wrong_cells(changed))
