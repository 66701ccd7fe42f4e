"""Predicted against true prevalence, and when a report says that they are far apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from kinds import Kind
from report_cases import AMPLIFIED, GROUP, TRUTH, has_note

import biasamp_adapters as bam
from biasamp_adapters.auditing.runs import summarize_reports

FAR = "% as many"

#: 50 of 100 rows are positive, 30 of group a and 20 of b; half of each are found.
HALF = [1] * 15 + [0] * 35 + [1] * 10 + [0] * 40


def audit(y_pred: Any, y_true: Any = TRUTH, **options: Any) -> bam.AuditReport:
    """The audit of the plain table, some of it changed."""
    return bam.audit(y_true, y_pred, **{"sensitive_features": GROUP, "n_boot": 300, **options})


def prevalence(report: bam.AuditReport, task: str, model: str = "model") -> dict[str, Any]:
    """The one row of a task."""
    rows = report.summary["prevalence"]
    (row,) = (row for row in rows if (row["task"], row["model"]) == (task, model))
    return row


def test_positive_class() -> None:
    report = audit(HALF)
    row = prevalence(report, "1")
    assert (row["true"], row["predicted"], row["ratio"]) == (0.5, 0.25, 0.5)
    # A share of 50 positives: its standard error is the root of .25 / 50, .071.
    ends = 0.5 - 1.96 * 0.071, 0.5 + 1.96 * 0.071
    assert (row["low"], row["high"]) == pytest.approx(ends, abs=0.02)
    assert (row["falling"], row["pairs"]) == (2, 2)
    assert has_note(
        report, "The model predicts class 1 for 25.0% of the rows, and it is true of 50.0%."
    )
    assert has_note(report, "That is 50% as many (95% interval")


def test_the_task_has_its_name() -> None:
    report = audit(HALF, pd.Series(TRUTH, name="recid"))
    assert has_note(report, "The model predicts recid = 1 for 25.0% of the rows")


def test_kept_prevalence_is_no_note() -> None:
    report = audit(AMPLIFIED)
    row = prevalence(report, "1")
    # The rate of group a rises from 30 to 35 of 50, that of b falls from 20 to 15.
    assert (row["ratio"], row["falling"], row["pairs"]) == (1, 1, 2)
    assert not has_note(report, FAR)


def test_far_by_the_whole_interval() -> None:
    # 38 of 50: .76 is below 1 / 1.25 = .8, but the interval is not.
    near = [1] * 23 + [0] * 27 + [1] * 15 + [0] * 35
    report = audit(near)
    row = prevalence(report, "1")
    assert row["ratio"] == pytest.approx(0.76)
    assert row["high"] > 0.8
    assert not has_note(report, FAR)
    assert has_note(audit(near, n_boot=0), "it is true of 50.0%. That is 76% as many, and 2 of 2")


def test_labels_and_matrix_alike(kind: Kind) -> None:
    classes = [0, 1, 2]
    truth = [0] * 60 + [1] * 30 + [2] * 10
    said = [0] * 90 + [1] * 5 + [2] * 5
    apart = {} if kind.name == "labels" else {"keep_rows": True}
    counts = kind.count(truth, said, ["a", "b"] * 50, classes=classes, **apart)
    report = bam.audit_counts(counts, n_boot=200)
    rows = [row for row in report.summary["prevalence"] if row["task"] != "all"]
    # Farthest apart first: 5 of 30 is a sixth, 5 of 10 a half, 90 of 60 half as many more.
    found = [(row["task"], row["ratio"]) for row in rows]
    assert [task for task, _ in found] == ["1", "2", "0"]
    assert [ratio for _, ratio in found] == pytest.approx([1 / 6, 1 / 2, 3 / 2])
    assert [(row["falling"], row["pairs"]) for row in rows] == [(2, 2), (2, 2), (0, 2)]
    if kind.name == "matrix":
        assert prevalence(report, "all")["ratio"] == 1


def test_all_columns_of_a_matrix_together() -> None:
    # Ten labels in ten rows, of which four are found: none of column x in group b.
    truth = np.array(
        [[1, 0], [0, 1], [1, 0], [0, 1], [1, 1], [1, 0], [0, 1], [1, 0], [0, 1], [0, 0]]
    )
    said = truth * np.array([[1, 1]] * 4 + [[0, 0]] * 6)
    report = audit(
        {"short": said, "exact": truth}, truth, sensitive_features=["a"] * 5 + ["b"] * 5, n_boot=0
    )
    row = prevalence(report, "all", "short")
    assert (row["true"], row["predicted"], row["ratio"]) == (1.0, 0.4, 0.4)
    # Two groups and two columns; every rate falls.
    assert (row["falling"], row["pairs"]) == (4, 4)
    sentence = (
        "short predicts 0.40 labels per row, and the truth has 1.00. That is 40% as many, and 4 of "
        "4 rates of groups fall."
    )
    assert [note for note in report.summary["notes"] if FAR in note] == [sentence]


def test_soft_predictions_and_weights() -> None:
    report = audit([0.25] * 100, sample_weight=[1.0, 3.0] * 50)
    row = prevalence(report, "1")
    assert row["predicted"] == pytest.approx(0.25)
    assert row["ratio"] == pytest.approx(0.25 / row["true"])


def test_what_is_never_true_has_no_ratio() -> None:
    report = audit([2, *AMPLIFIED[1:]], labels=[0, 1, 2])
    row = prevalence(report, "2")
    assert (row["true"], row["predicted"], row["ratio"], row["low"]) == (0, 0.01, None, None)
    assert row["note"] == "the value is undefined"


def test_runs_keep_theirs() -> None:
    report = summarize_reports({"x": audit(HALF), "y": audit(AMPLIFIED)})
    found = {row["run"]: row["ratio"] for row in report.summary["prevalence"]}
    assert found == {"x": 0.5, "y": 1.0}
    assert has_note(report, "In run x: The model predicts class 1 for 25.0% of the rows")
    assert list(report.to_frame("prevalence")["run"]) == ["x", "y"]


@pytest.mark.parametrize("n_boot", [0, 300])
def test_reading_of_runs_names_the_mean_of_their_ratios(n_boot: int) -> None:
    # Predicted .5, .3 and .1 times as often as it is true.
    few = [1] * 5 + [0] * 95, [1] * 15 + [0] * 85, [1] * 15 + [0] * 35 + [1] * 10 + [0] * 40
    reports = {i: audit(y_pred, n_boot=n_boot) for i, y_pred in enumerate(few)}
    for order in ((0, 1, 2), (2, 1, 0)):
        advice = summarize_reports({i: reports[i] for i in order}).summary["reading"]
        said = [row["reason"] for row in advice if FAR in row["reason"]]
        assert len(said) == 2
        for reason in said:
            assert "30% as many rows with class 1 as there are, on average over 3" in reason


def test_runs_that_differ_from_the_truth_either_way_are_not_far() -> None:
    # Predicted .5 and 1.5 times as often, so as often on average.
    more = [1] * 40 + [0] * 10 + [1] * 35 + [0] * 15
    found = summarize_reports({1: audit(HALF), 2: audit(more)})
    assert not any(FAR in row["reason"] for row in found.summary["reading"])


def test_without_a_truth_there_is_nothing_to_compare() -> None:
    report = bam.audit(
        None, AMPLIFIED, sensitive_features=GROUP, reference=(TRUTH, GROUP), n_boot=0
    )
    assert report.summary["prevalence"] == []
