"""Audits of label matrices at their limits: no label sets, no rows, many tasks."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from image_cases import GROUP, SAID, TRUTH, audit
from metric_cases import quietly
from report_cases import has_note, names, numbers, row_of, trend_values

import biasamp_adapters as bam


def test_reference_without_a_label_set_of_the_data() -> None:
    # Its images show both or nothing, those audited never both: no set for Multi, all else is well.
    both = pd.DataFrame({"dog": [1, 0] * 20, "cat": [1, 0] * 20})
    report = audit(reference=(both, GROUP))
    assert row_of(report, "BA A->T")["value"] == 0
    assert not [name for name in names(report) if name.startswith("Multi")]
    assert has_note(report, "Multi is left out")


def test_truth_without_any_label() -> None:
    report = quietly(audit, SAID, TRUTH * 0)
    assert row_of(report, "BA A->T")["value"] == 0
    assert has_note(report, "Multi is left out")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bam.AuditReport:
    """The audit of counts that were saved, and so hold no rows."""
    path: Path = tmp_path_factory.mktemp("counts") / "counts.json"
    counts = bam.CooccurrenceCounts.from_arrays(TRUTH, SAID, GROUP)
    with pytest.warns(bam.SmallCellsWarning):
        counts.save(path)
    return bam.audit_counts(bam.CooccurrenceCounts.load(path), n_boot=50)


def test_saved_counts_give_the_values(saved: bam.AuditReport) -> None:
    report = audit()
    for name in ("MALS", "BA A->T", "DPA A->T"):
        assert row_of(saved, name)["value"] == pytest.approx(row_of(report, name)["value"])
    assert trend_values(saved) == pytest.approx(trend_values(report), abs=1e-12)
    for row, other in zip(saved.summary["fairness"], report.summary["fairness"], strict=True):
        assert row["value"] == pytest.approx(other["value"])


def test_saved_counts_say_what_they_leave_out(saved: bam.AuditReport) -> None:
    assert has_note(
        saved, "hold only their sums: count with keep_rows=True or second_moments=True."
    )
    assert has_note(saved, "Multi is left out: label sets were not counted")
    assert has_note(saved, "LA, and DPA from tasks that are columns, need an attacker")
    assert not [name for name in names(saved) if name.startswith(("Multi", "LA"))]


def test_every_number_of_saved_counts_says_why_it_has_no_interval(saved: bam.AuditReport) -> None:
    for where, row in numbers(saved.summary):
        assert row["low"] is None
        # Replicates were asked for; that none were drawn is no reason.
        assert "hold only their sums" in row["note"], where


THINGS = ["dining_table", "hair drier", "wine glass", "T-shirt", "cup|mug", "*star*", "caf\u00e9"]
MANY = [f"{thing} {i}" for i in range(10) for thing in THINGS][:66]
PEOPLE = ["woman (light)", "woman (dark)", "man_light", "man [dark]"]


@pytest.fixture(scope="module")
def many() -> bam.AuditReport:
    """An audit of 66 tasks and four groups."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, 300)
    lean = rng.random((4, 66)) < 0.5
    truth = pd.DataFrame((rng.random((300, 66)) < 0.2 + 0.3 * lean[group]).astype(int))
    truth.columns = pd.Index(MANY)
    flipped = rng.random(truth.shape) < 0.1
    people = bam.Indicators(np.eye(4, dtype=int)[group], names=PEOPLE)
    return bam.audit(truth, truth.where(~flipped, 1 - truth), sensitive_features=people, n_boot=20)


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_names_of_many_tasks_and_groups_are_whole(many: bam.AuditReport, form: str) -> None:
    text = many.to_text(full=True) if form == "text" else getattr(many, f"to_{form}")()
    if form == "markdown":
        text = re.sub(r"\\(.)", r"\1", text)
    text = json.dumps(json.loads(text), ensure_ascii=False) if form == "json" else unescape(text)
    assert [name for name in [*MANY, *PEOPLE] if name not in text] == []
    for pair in many.summary["pairs"]:
        assert pair["task"] in MANY
        assert pair["attribute"] in PEOPLE


def test_trends_of_many_tasks(many: bam.AuditReport) -> None:
    trends = many.summary["trends"]
    assert sum(row["pairs"] for row in trends) == 66 * 4
    weighted = sum(row["pairs"] * row["contribution"]["value"] for row in trends)
    assert weighted / (66 * 4) == pytest.approx(row_of(many, "BA A->T")["value"])
    assert len(many.summary["pairs"]) == 66 * 4
    assert [of["label"] for of in many.summary["data"]["classes"]] == MANY
    assert [of["label"] for of in many.summary["data"]["groups"]] == PEOPLE
