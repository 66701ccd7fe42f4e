"""The rates by group that stand beside bias amplification."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from kinds import Kind
from report_cases import GROUP, TRUTH, fairness_of, has_note, row_of

import biasamp_adapters as bam

MEASURES = ("selection_rate", "true_positive_rate", "false_positive_rate", "accuracy")


def rates(frame: pd.DataFrame, positive: Any = 1) -> dict[str, pd.Series]:
    """Rates of each group, by plain group-bys; ``w`` weighs the rows."""
    said, true = frame["T_pred"].eq(positive), frame["T"].eq(positive)
    right = frame["T_pred"].eq(frame["T"])

    def mean(values: pd.Series, among: pd.Series) -> pd.Series:
        part = frame.assign(hit=values * frame["w"])[among]
        sums = part.groupby("A")[["hit", "w"]].sum()
        return sums["hit"] / sums["w"]

    everyone = true | ~true
    return {
        "selection_rate": mean(said, everyone),
        "true_positive_rate": mean(said, true),
        "false_positive_rate": mean(said, ~true),
        "accuracy": mean(right, everyone),
    }


@pytest.mark.parametrize("weighted", [False, True])
def test_compas_against_group_bys(compas: pd.DataFrame, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    frame = compas.assign(w=rng.choice([0.5, 1.0, 2.5], len(compas)) if weighted else 1.0)
    report = bam.audit(
        frame["T"],
        frame["T_pred"],
        sensitive_features=frame["A"],
        sample_weight=frame["w"] if weighted else None,
        n_boot=200,
    )
    assert len(report.summary["fairness"]) == len(MEASURES)
    for measure, by_group in rates(frame).items():
        task = "all" if measure == "accuracy" else "1"
        row = fairness_of(report, f"{measure}_difference", task)
        assert row["value"] == pytest.approx(by_group.max() - by_group.min(), abs=1e-12)
        assert row["low"] < row["high"]
        found = {of["group"]: of["value"] for of in row["groups"]}
        assert found == pytest.approx({str(g): rate for g, rate in by_group.items()}, abs=1e-12)
        assert all(of["low"] < of["value"] < of["high"] for of in row["groups"])


def test_largest_less_smallest_of_three_groups() -> None:
    # Ten rows a group, half of them positive; 2, 5 and 9 are called so. Fairlearn's
    # demographic_parity_difference is the largest less the smallest selection rate.
    group = ["a"] * 10 + ["b"] * 10 + ["c"] * 10
    truth = ([1] * 5 + [0] * 5) * 3
    said = [1] * 2 + [0] * 8 + [1] * 5 + [0] * 5 + [1] * 9 + [0]
    report = bam.audit(truth, said, sensitive_features=group, n_boot=0)
    expected = {
        "selection_rate": 9 / 10 - 2 / 10,
        "true_positive_rate": 5 / 5 - 2 / 5,
        # equalized_odds_difference is the larger of this and the one before.
        "false_positive_rate": 4 / 5 - 0 / 5,
    }
    for measure, value in expected.items():
        row = fairness_of(report, f"{measure}_difference", "1")
        assert row["value"] == pytest.approx(value)
    # 7, 10 and 6 of ten are right.
    assert fairness_of(report, "accuracy_difference", "all")["value"] == pytest.approx(
        10 / 10 - 6 / 10
    )


def test_every_class_of_more_than_two_is_a_task() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (600, 3)), columns=["T", "T_pred", "A"])
    report = bam.audit(frame["T"], frame["T_pred"], sensitive_features=frame["A"], n_boot=20)
    for positive in range(3):
        by_measure = rates(frame.assign(w=1.0), positive)
        for measure in MEASURES[:3]:
            row = fairness_of(report, f"{measure}_difference", str(positive))
            spread = by_measure[measure].max() - by_measure[measure].min()
            assert row["value"] == pytest.approx(spread, abs=1e-12)
    for measure in MEASURES[:3]:
        values = [
            row["value"]
            for row in report.summary["fairness"]
            if row["measure"] == f"{measure}_difference"
        ]
        assert values == sorted(values, reverse=True)


def test_rate_without_rows_is_undefined() -> None:
    # Group b has no positive, so it has no true positive rate to compare.
    report = bam.audit(
        [1, 0] * 10 + [0] * 20, [1, 0] * 20, sensitive_features=["a"] * 20 + ["b"] * 20, n_boot=20
    )
    row = fairness_of(report, "true_positive_rate_difference", "1")
    assert (row["value"], row["low"], row["high"]) == (None, None, None)
    assert {of["group"]: of["value"] for of in row["groups"]} == {"a": 1.0, "b": None}
    assert fairness_of(report, "selection_rate_difference", "1")["value"] == 0


def test_each_model_has_its_own() -> None:
    never = [0] * 100
    report = bam.audit(TRUTH, {"truth": TRUTH, "never": never}, sensitive_features=GROUP, n_boot=20)
    found = {
        row["model"]: row["value"]
        for row in report.summary["fairness"]
        if row["measure"] == "selection_rate_difference"
    }
    assert found == pytest.approx({"truth": 30 / 50 - 20 / 50, "never": 0})


def test_interval_holds_the_value_where_groups_are_equal() -> None:
    # Of each of eight groups of 40 rows, ten of each kind: all rates are one half. Resampling makes
    # them differ, so that no replicate of a difference is as small as its value, 0.
    group = [name for name in "abcdefgh" for _ in range(40)]
    truth, said = [1, 1, 0, 0] * 80, [1, 0, 1, 0] * 80
    report = bam.audit(truth, said, sensitive_features=group, n_boot=500)
    for row in report.summary["fairness"]:
        assert row["value"] == 0
        assert row["low"] <= 0 <= row["high"], row["measure"]


def test_a_magnitude_that_chance_explains_has_an_interval_from_0() -> None:
    # The same rows: in each group as many are called positive as are, so that Multi is 0, and it
    # is the mean of magnitudes, which chance can only raise.
    group = [name for name in "abcdefgh" for _ in range(40)]
    truth, said = [1, 1, 0, 0] * 80, [1, 0, 1, 0] * 80
    report = bam.audit(truth, said, sensitive_features=group, n_boot=500)
    row = row_of(report, "Multi A->T")
    assert (row["value"], row["low"]) == (0, 0)
    assert 0 < row["high"] < 0.1


def groups_of(hits: list[int]) -> dict[str, Any]:
    """A hundred rows of each group, of which so many are predicted positive; half are positive."""
    return {
        "y_true": [1, 0] * 50 * len(hits),
        "y_pred": [int(i < hit) for hit in hits for i in range(100)],
        "sensitive_features": [f"{g:02}" for g in range(len(hits)) for _ in range(100)],
    }


def test_chance_keeps_the_extremes_of_many_groups_apart() -> None:
    # 40 and 60 of 100 lie 2.86 standard errors apart, sqrt(.24/100 + .24/100) = .069. Of two groups
    # that is clear; of 24, two lie further apart by chance in most samples (Tukey: 3.64).
    few = fairness_of(
        bam.audit(**groups_of([40, 60]), n_boot=400), "selection_rate_difference", "1"
    )
    assert few["low"] > 0
    hits = [40, *[50] * 22, 60]
    many = bam.audit(**groups_of(hits), n_boot=400)
    row = fairness_of(many, "selection_rate_difference", "1")
    assert row["value"] == pytest.approx(0.2)
    # 0 and .2 + 3.64 * .071 (with the pooled rate, sqrt(2 * .25 / 100) = .0707).
    assert (row["low"], row["high"]) == (0, pytest.approx(0.2 + 3.64 * 0.0707, abs=0.02))


def test_a_difference_that_is_clear_of_24_groups() -> None:
    row = fairness_of(
        bam.audit(**groups_of([20, *[50] * 22, 80]), n_boot=400), "selection_rate_difference", "1"
    )
    # .6 less 3.64 * sqrt(.0025 + .0025), and each of the two differs from the rest as well.
    assert row["low"] == pytest.approx(0.6 - 3.64 * 0.0707, abs=0.02)


def test_a_group_of_two_rows_hides_nothing() -> None:
    # Nothing is known of it, so its true rate may be anything; the others' interval stays.
    rows = groups_of([50, 50])
    rows = {
        name: [*values, *{"y_true": [1, 0], "y_pred": [0, 0]}.get(name, ["c", "c"])]
        for name, values in rows.items()
    }
    row = fairness_of(bam.audit(**rows, n_boot=400), "selection_rate_difference", "1")
    # 0 of 2 are predicted positive, where 50 of 100 are. In two rows the pooled rate of .4950 has a
    # standard error of .3535, which makes the upper end .5 + 2.34 * .357, or 1.
    assert (row["value"], row["low"], row["high"]) == (0.5, 0, 1)


def test_weights_count_as_the_rows_that_they_are_worth() -> None:
    rows = groups_of([50, 100])
    equal = fairness_of(bam.audit(**rows, n_boot=400), "selection_rate_difference", "1")
    weights = fairness_of(
        bam.audit(**rows, sample_weight=[7.0] * 200, n_boot=400), "selection_rate_difference", "1"
    )
    assert weights["low"] == pytest.approx(equal["low"], abs=0.02)
    assert weights["high"] == pytest.approx(equal["high"], abs=0.02)


def test_differences_without_draws_say_why() -> None:
    counts = bam.CooccurrenceCounts.from_arrays(
        [[1, 0], [0, 1]] * 20,
        [[1, 0], [0, 0]] * 20,
        sensitive_features=["a", "a", "b", "b"] * 10,
        keep_rows=False,
    )
    report = bam.audit_counts(counts)
    assert {row["low"] for row in report.summary["fairness"]} == {None}
    assert {row["note"] for row in report.summary["fairness"]} == {
        "label matrices are resampled by rows, and these counts hold only their sums: count with "
        "keep_rows=True or second_moments=True"
    }


#: Of 100 rows a group, 50 and 30 are positive; one model is silent on 10 positives of a, 40
#: negatives of a and 5 positives of b, another on nothing.
SILENT_GROUP = ["a"] * 100 + ["b"] * 100
SILENT_TRUTH = [1] * 50 + [0] * 50 + [1] * 30 + [0] * 70
SILENT = [None] * 10 + [1] * 40 + [None] * 40 + [0] * 10 + [None] * 5 + [1] * 25 + [0] * 70


def test_abstention_rates_by_group(kind: Kind) -> None:
    counts = kind.count(
        SILENT_TRUTH,
        {"silent": SILENT, "outspoken": SILENT_TRUTH},
        SILENT_GROUP,
        missing="abstain",
        **({} if kind.name == "labels" else {"keep_rows": True}),
    )
    report = bam.audit_counts(counts, n_boot=300)
    (row,) = (row for row in report.summary["fairness"] if "abstention" in row["measure"])
    assert (row["model"], row["measure"], row["task"]) == (
        "silent",
        "abstention_rate_difference",
        "all",
    )
    assert row["value"] == pytest.approx(50 / 100 - 5 / 100)
    assert 0.3 < row["low"] < row["value"] < row["high"] < 0.6
    assert {of["group"]: of["value"] for of in row["groups"]} == {"a": 0.5, "b": 0.05}
    assert all(of["low"] < of["value"] < of["high"] for of in row["groups"])
    assert has_note(report, "Groups differ clearly: it abstained from 50.0% of group a and 5.0%")


def test_abstention_from_the_attribute_and_without_intervals() -> None:
    guessed = [None] * 30 + ["a"] * 70 + [None] * 30 + ["b"] * 70
    report = bam.audit(
        SILENT_TRUTH,
        {"m": SILENT_TRUTH},
        sensitive_features=SILENT_GROUP,
        sensitive_features_pred={"m": guessed},
        missing="abstain",
        n_boot=200,
    )
    row = fairness_of(report, "attribute_abstention_rate_difference", "all")
    assert row["value"] == 0
    # Both groups are silent on 30 of 100 rows, so there is nothing to say of groups.
    assert has_note(report, "m abstained from 60 predictions of the attribute")
    assert not has_note(report, "Groups differ")
    plain = bam.audit(
        SILENT_TRUTH, SILENT, sensitive_features=SILENT_GROUP, missing="abstain", n_boot=0
    )
    assert has_note(plain, "Groups differ: it abstained from 50.0% of group a and 5.0%")


def test_abstention_is_measured_without_a_truth() -> None:
    even = bam.BaseRates(
        task_given_attribute={"a": {0: 0.6, 1: 0.4}, "b": {0: 0.4, 1: 0.6}},
    )
    report = bam.audit(
        None, SILENT, sensitive_features=SILENT_GROUP, reference=even, missing="abstain", n_boot=50
    )
    (row,) = report.summary["fairness"]
    assert (row["measure"], row["value"]) == ("abstention_rate_difference", pytest.approx(0.45))
    assert report.summary["data"]["positive"] is None


def test_no_abstention_no_rate() -> None:
    report = bam.audit(TRUTH, TRUTH, sensitive_features=GROUP, n_boot=0)
    assert not [row for row in report.summary["fairness"] if "abstention" in row["measure"]]
