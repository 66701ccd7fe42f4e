"""How far gaps in a reference are from those in the evaluated truth, and when a report says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kinds import Kind
from report_cases import AMPLIFIED, GROUP, TRUTH, has_note

import biasamp_adapters as bam
from biasamp_adapters.auditing.drift import Drift
from biasamp_adapters.auditing.runs import summarize_reports
from biasamp_adapters.inference.bands import simultaneous
from biasamp_adapters.inference.estimates import side_of_zero
from biasamp_adapters.inference.replicates import replicate
from biasamp_adapters.reference import align

CLEAR = "Reference and evaluated truth differ clearly"
PLAIN = "Reference and evaluated truth differ: "

#: 500 rows a group: rates of 60 % and 40 % in training, and of 75 % and 25 % in the test.
GROUPS = ["a"] * 500 + ["b"] * 500
TRAINING = [1] * 300 + [0] * 200 + [1] * 200 + [0] * 300
TEST = [1] * 375 + [0] * 125 + [1] * 125 + [0] * 375


def audit(y_true: Any = TEST, reference: Any = (TRAINING, GROUPS), **options: Any) -> Any:
    """The audit of a model that repeats the rates of the training data."""
    arguments = {"sensitive_features": GROUPS, "n_boot": 400, "reference": reference}
    return bam.audit(y_true, TRAINING, **{**arguments, **options})


def test_gap_of_truth_and_reference() -> None:
    report = audit()
    (row,) = report.summary["drift"]
    assert (row["task"], row["group"], row["other"]) == ("1", "a", "b")
    assert row["reference"] == pytest.approx({"group": 0.6, "other": 0.4, "gap": 0.2})
    assert row["truth"] == pytest.approx({"group": 0.75, "other": 0.25, "gap": 0.5})
    assert row["value"] == pytest.approx(0.3)
    # One pair: 1.96 standard errors, of rates of .75 and .25, and of .6 and .4, of 500 rows each.
    half = 1.96 * np.sqrt((2 * 0.75 * 0.25 + 2 * 0.6 * 0.4) / 500)
    assert (row["low"], row["high"]) == pytest.approx((0.3 - half, 0.3 + half), abs=0.015)
    gaps = (
        "20.0 points (60.0% against 40.0%) in the reference and 50.0 points (75.0% against 25.0%)"
    )
    assert has_note(report, f"{CLEAR}: the gap between a and b in class 1 is {gaps} in the truth")
    assert has_note(report, "a difference of +30.0 points (95% interval for all pairs +2")
    assert has_note(report, "Predictions are compared with the evaluated truth, not with what")


def test_the_answer_gives_the_two_gaps_only() -> None:
    (told,) = audit().summary["answer"]["directions"]
    assert told["details"][-1] == (
        f"{CLEAR}: the gap between a and b in class 1 is 20.0 points in the reference and 50.0 "
        "points in the truth."
    )


def test_labels_and_matrix_alike(kind: Kind) -> None:
    apart = {} if kind.name == "labels" else {"keep_rows": True}
    counts = kind.count(TEST, TRAINING, GROUPS, **apart)
    training = kind.count(TRAINING, None, GROUPS, **apart)
    report = bam.audit_counts(counts, training, n_boot=300)
    (row, *rest) = report.summary["drift"]
    assert abs(row["value"]) == pytest.approx(0.3)
    # Of a matrix, class 0 is a column of its own; its gap is the same the other way.
    assert [abs(other["value"]) for other in rest] == [pytest.approx(0.3)] * len(rest)
    assert len(rest) == (kind.name == "matrix")
    assert has_note(report, CLEAR)


def test_equal_gaps_are_no_note() -> None:
    report = audit(TRAINING)
    (row,) = report.summary["drift"]
    assert row["value"] == 0
    assert row["low"] < 0 < row["high"]
    assert not has_note(report, "Reference and evaluated truth")
    assert not has_note(audit(TRAINING, n_boot=0), "Reference and evaluated truth")


def test_without_draws_the_difference_is_stated_plainly() -> None:
    report = audit(n_boot=0)
    assert has_note(report, PLAIN)
    (row,) = report.summary["drift"]
    assert row["note"] == "no replicates were drawn"


def test_sums_of_a_reference_cannot_be_drawn() -> None:
    def matrix(tasks: list[int], **options: Any) -> bam.CooccurrenceCounts:
        columns = [[task, 1 - task] for task in tasks]
        return bam.CooccurrenceCounts.from_arrays(columns, columns, GROUPS, **options)

    sums = matrix(TRAINING, label_sets="observed")
    report = bam.audit_counts(matrix(TEST, keep_rows=True), sums, n_boot=50)
    row = report.summary["drift"][0]
    assert row["low"] is None
    assert row["note"].startswith("of the reference, label matrices are resampled by rows")
    assert has_note(report, PLAIN)


def test_the_pair_that_differs_most() -> None:
    # Of three groups, b and c keep their rates; a goes from half to nine tenths.
    group = ["a"] * 200 + ["b"] * 200 + ["c"] * 200
    training = ([1] * 100 + [0] * 100) + ([1] * 120 + [0] * 80) + ([1] * 40 + [0] * 160)
    test = ([1] * 180 + [0] * 20) + ([1] * 120 + [0] * 80) + ([1] * 40 + [0] * 160)
    report = bam.audit(
        test, test, sensitive_features=group, reference=(training, group), n_boot=200
    )
    (row,) = report.summary["drift"]
    assert "a" in (row["group"], row["other"])
    assert abs(row["value"]) == pytest.approx(0.4)
    # The reference's gap is never negative.
    assert row["reference"]["gap"] > 0


def test_groups_of_few_rows_are_not_compared() -> None:
    # Of group c all 12 rows are positive, and 4 of 8 in training: pooled 16 of 20, of which one
    # expects 2.4 negatives among 12, fewer than 5.
    test, training = [*TRAINING, *[1] * 12], [*TRAINING, *[1, 0] * 4]
    report = bam.audit(
        test,
        test,
        sensitive_features=[*GROUPS, *["c"] * 12],
        reference=(training, [*GROUPS, *["c"] * 8]),
        n_boot=100,
    )
    (row,) = report.summary["drift"]
    assert {row["group"], row["other"]} == {"a", "b"}


def test_no_reference_and_rates_by_hand() -> None:
    assert bam.audit(TEST, TRAINING, sensitive_features=GROUPS, n_boot=0).summary["drift"] == []
    rates = {"a": {0: 0.4, 1: 0.6}, "b": {0: 0.6, 1: 0.4}}
    by_hand = bam.BaseRates(task_given_attribute=rates)
    assert audit(reference=by_hand, n_boot=0).summary["drift"] == []
    assert audit(None, n_boot=0).summary["drift"] == []


def test_the_note_on_the_reference_promises_no_comparison_with_it() -> None:
    own = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, n_boot=0)
    assert has_note(own, "rates are compared with the evaluated truth either way")
    given = audit(n_boot=0)
    assert has_note(given, "Rates are compared with those of the evaluated truth all the same")
    # As it is: the model repeats the training rates, and BA counts what that takes from the truth.
    value = bam.DirectionalBiasAmplification(reference=(TRAINING, GROUPS))(
        TEST, TRAINING, sensitive_features=GROUPS
    )
    assert value == pytest.approx((0.2 - 0.5) / 2)


def test_runs_keep_theirs() -> None:
    report = summarize_reports({"x": audit(n_boot=0), "y": audit(TRAINING, n_boot=0)})
    found = {row["run"]: row["value"] for row in report.summary["drift"]}
    assert found == pytest.approx({"x": 0.3, "y": 0.0})
    assert len(report.to_frame("drift")) == 2


def test_intervals_allow_for_rates_that_are_extreme_by_chance() -> None:
    test, training = (
        bam.JointCounts.from_arrays(truth, None, GROUPS) for truth in (TEST, TRAINING)
    )
    evaluation = align(test, training)
    drift = Drift(evaluation=evaluation, model=test.first_model, columns=np.array([1]))
    drawn = replicate({"": drift}, evaluation, 400, 0)[""]["drift"]
    (narrow,) = simultaneous(drift.point()["drift"], drawn, 0.95, groups=2)
    (found,) = drift.estimates(drawn, 0.95, None)
    assert narrow.interval is not None
    assert found.interval is not None
    # Rates of .75 and .6 are .675 together, those of .25 and .4 are .325.
    pooled, single = 2 * 0.675 * 0.325, 0.75 * 0.25 + 0.6 * 0.4
    assert np.ptp(found.interval) / np.ptp(narrow.interval) == pytest.approx(
        np.sqrt(pooled / single)
    )


def test_null_gaps_are_rarely_clear() -> None:
    """Twelve groups with the same rate on both sides, 66 pairs of them: 1 of 20 may be clear."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(12), 60)
    clear = 0
    for seed in range(60):
        test, training = (
            bam.JointCounts.from_arrays(rng.integers(0, 2, len(group)), None, group)
            for _ in range(2)
        )
        evaluation = align(test, training)
        drift = Drift(evaluation=evaluation, model=test.first_model, columns=np.array([1]))
        drawn = replicate({"": drift}, evaluation, 200, seed)[""]["drift"]
        intervals = [estimate.interval for estimate in drift.estimates(drawn, 0.95, None)]
        assert len(intervals) == 66
        clear += any(side_of_zero(interval) for interval in intervals if interval)
    # Binomial(60, .05) is above 8 once in 500 times.
    assert clear <= 8
