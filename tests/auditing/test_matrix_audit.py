"""Audits whose tasks, or groups, are columns of a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from image_cases import GROUP, MOVES, SAID, TASKS, TRUTH, VALUE, audit, images
from report_cases import fairness_of, has_note, names, numbers, row_of, trend_values

import biasamp_adapters as bam

#: Those whose values are plain sums over pairs, in the order of a report.
PLAIN = ["MALS", "BA A->T", "Multi A->T", "Multi undirected"]


def values(report: bam.AuditReport, model: str | None = None) -> dict[str, Any]:
    """The values that are plain sums."""
    return {name: row_of(report, name, model)["value"] for name in PLAIN}


@pytest.fixture(scope="module")
def report() -> bam.AuditReport:
    """The audit of the images."""
    return audit(n_boot=200)


@pytest.fixture(scope="module")
def plain() -> bam.AuditReport:
    """The same with as few replicates as the audits that are compared with it."""
    return audit()


def test_values(report: bam.AuditReport) -> None:
    assert names(report)[:4] == PLAIN
    assert "DPA A->T" in names(report)
    assert row_of(report, "BA A->T")["value"] == pytest.approx(VALUE)
    assert row_of(report, "Multi A->T")["value"] == pytest.approx(VALUE)
    # Dogs favour a, by 12/18 and predicted 16/20; cats favour b, by 10/14 and predicted 11/14.
    mals = ((16 / 20 - 12 / 18) + (11 / 14 - 10 / 14)) / 2
    assert row_of(report, "MALS")["value"] == pytest.approx(mals)


def test_trends(report: bam.AuditReport) -> None:
    rows = report.summary["trends"]
    assert {(row["attribute"], row["sign"]): row["pairs"] for row in rows} == dict.fromkeys(
        MOVES, 1
    )
    for key in ("contribution", "mean_abs_delta"):
        found = {(row["attribute"], row["sign"]): row[key]["value"] for row in rows}
        assert found == pytest.approx(MOVES)
    result = report.results["model", "DirectionalBiasAmplification A->T"]
    assert result.by_attribute_and_sign["contribution"].to_dict() == pytest.approx(MOVES)
    assert result.mean_abs_delta == pytest.approx(VALUE)
    assert result.by_sign["contribution"].to_dict() == pytest.approx({-1: 3 / 40, 1: 5 / 40})


def test_trends_that_the_mean_hides() -> None:
    # Of a all rates grow by 1/20, of b all shrink: along for the one task, against for the other.
    report = audit(images((13, 5), (5, 9)))
    assert row_of(report, "BA A->T")["value"] == pytest.approx(0)
    found = {
        (row["attribute"], row["sign"]): row["contribution"]["value"]
        for row in report.summary["trends"]
    }
    expected = {("a", 1): 0.05, ("a", -1): -0.05, ("b", -1): 0.05, ("b", 1): -0.05}
    assert found == pytest.approx(expected)
    sizes = [row["mean_abs_delta"]["value"] for row in report.summary["trends"]]
    assert sizes == pytest.approx([0.05] * 4)
    assert "trends" in {row["metric"] for row in report.summary["reading"]}


FAIRNESS = {
    ("selection_rate_difference", "dog"): 16 / 20 - 4 / 20,
    ("selection_rate_difference", "cat"): 11 / 20 - 3 / 20,
    ("true_positive_rate_difference", "dog"): 12 / 12 - 4 / 6,
    ("true_positive_rate_difference", "cat"): 10 / 10 - 3 / 4,
    ("false_positive_rate_difference", "dog"): 4 / 8 - 0 / 14,
    ("false_positive_rate_difference", "cat"): 1 / 10 - 0 / 16,
    # Both tasks together: of a 4 dogs and a cat are wrong, of b 2 dogs and a cat.
    ("accuracy_difference", "all"): 37 / 40 - 35 / 40,
}


def test_fairness(report: bam.AuditReport) -> None:
    rows = report.summary["fairness"]
    assert {(row["measure"], row["task"]): row["value"] for row in rows} == pytest.approx(FAIRNESS)
    accuracy = fairness_of(report, "accuracy_difference", "all")
    by_group = {of["group"]: of["value"] for of in accuracy["groups"]}
    assert by_group == pytest.approx({"a": 35 / 40, "b": 37 / 40})


def test_intervals_hold_the_values(report: bam.AuditReport) -> None:
    assert row_of(report, "BA A->T")["low"] is not None
    for where, row in numbers(report.summary):
        assert row["low"] is not None or row["note"], where
        assert row["low"] is None or row["low"] <= row["value"] <= row["high"], where


CONTAINERS: dict[str, Callable[[], bam.AuditReport]] = {
    "numpy": lambda: audit(SAID.to_numpy(), TRUTH.to_numpy(), labels=TASKS),
    "lists": lambda: audit(SAID.to_numpy().tolist(), TRUTH.to_numpy().tolist(), labels=TASKS),
    "bool": lambda: audit(SAID.astype(bool), TRUTH.astype(bool)),
    "columns in another order": lambda: audit(SAID[["cat", "dog"]]),
    "indicators of groups": lambda: audit(sensitive_features=one_hot()),
}


def one_hot() -> bam.Indicators:
    return bam.Indicators([[int(g == "a"), int(g == "b")] for g in GROUP], names=["a", "b"])


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_containers(make: Callable[[], bam.AuditReport], plain: bam.AuditReport) -> None:
    found, expected = make(), plain
    assert names(found) == names(expected)
    assert values(found) == pytest.approx(values(expected), abs=1e-12)
    for part in ("groups", "classes", "attributes"):
        assert found.summary["data"][part] == expected.summary["data"][part]
    assert trend_values(found) == pytest.approx(trend_values(expected), abs=1e-12)


def test_groups_that_overlap() -> None:
    # Image 0 shows both: 20 of a, 21 of b, which then has 7 dogs of 21, and 5 are called so.
    both = [[int(g == "a"), int(g == "b" or i == 0)] for i, g in enumerate(GROUP)]
    report = audit(sensitive_features=bam.Indicators(both, names=["a", "b"]))
    assert [of["rows"] for of in report.summary["data"]["groups"]] == [20, 21]
    moves = [4 / 20, 1 / 20, 7 / 21 - 5 / 21, 11 / 21 - 10 / 21]
    assert row_of(report, "BA A->T")["value"] == pytest.approx(sum(moves) / 4)


def test_predicted_groups_that_are_probabilities() -> None:
    # Whatever is seen, the model says a by 3/4: of dogs a is 12/18, of cats 4/14.
    made = bam.Indicators([[0.75, 0.25]] * 40, names=["a", "b"])
    report = audit(sensitive_features=one_hot(), sensitive_features_pred=made)
    assert row_of(report, "BA T->A")["value"] == pytest.approx(
        (2 * (3 / 4 - 12 / 18) + 2 * (4 / 14 - 3 / 4)) / 4
    )
    assert "Multi T->A" not in names(report)
    assert "Multi A->T" in names(report)


def test_models_are_compared_in_pairs(plain: bam.AuditReport) -> None:
    models = {"first": SAID, "truth": TRUTH, "same": SAID}
    report = audit(models)
    assert values(report, "first") == values(plain)
    assert values(report, "truth") == dict.fromkeys(PLAIN, 0)
    found = {
        (row["model"], row["name"]): row
        for row in report.summary["differences"]
        if row["name"] in PLAIN
    }
    assert {row["compared_with"] for row in found.values()} == {"first"}
    assert found["truth", "BA A->T"]["value"] == pytest.approx(-VALUE)
    for name in PLAIN:
        row = found["same", name]
        assert (row["value"], row["low"], row["high"]) == (0, 0, 0)
    assert {row["model"] for row in report.summary["trends"]} == set(models)


def test_weights() -> None:
    weight = [2] * 10 + [1] * 30
    twice = [*range(40), *range(10)]
    weighted = audit(sample_weight=weight)
    repeated = audit(
        SAID.iloc[twice], TRUTH.iloc[twice], sensitive_features=[GROUP[i] for i in twice]
    )
    assert values(weighted) == pytest.approx(values(repeated), abs=1e-12)
    assert weighted.summary["data"]["weighted"]
    rows = [(row["measure"], row["task"], row["value"]) for row in weighted.summary["fairness"]]
    for measure, task, value in rows:
        assert fairness_of(repeated, measure, task)["value"] == pytest.approx(value, abs=1e-12)
    assert row_of(weighted, "BA A->T")["low"] is not None
    # Rows are flipped with their weight, so that nothing is left out for want of flips.
    assert row_of(weighted, "DPA A->T")["low"] is not None
    assert "DPA(U) A->T" in names(weighted)


def test_probabilities() -> None:
    soft = SAID * 0.5 + 0.25
    report = audit(soft)
    # Rates of .8, .2 and so on move half way to 1/2.
    rates = {0.8: 12 / 20, 0.15: 4 / 20, 0.2: 6 / 20, 0.55: 10 / 20}
    moves = [(said / 2 + 0.25 - true) for said, true in rates.items()]
    expected = (moves[0] - moves[1] - moves[2] + moves[3]) / 4
    assert row_of(report, "BA A->T")["value"] == pytest.approx(expected)
    assert not [name for name in names(report) if name.startswith("Multi")]
    assert has_note(report, "Predictions are probabilities and enter as expected counts")


def abstaining() -> bam.AuditReport:
    """The model says nothing of the 20 images of a, and is right of those of b."""
    said = TRUTH.astype(float)
    said.iloc[:20] = np.nan
    return audit(said, missing="abstain")


def test_abstentions_stay_in_the_denominators() -> None:
    report = abstaining()
    # Rates of a fall to 0: along for cats, against for dogs.
    assert row_of(report, "BA A->T")["value"] == pytest.approx((-12 / 20 + 4 / 20) / 4)
    assert has_note(report, "model abstained from 20 predictions of the task")
    selection = fairness_of(report, "selection_rate_difference", "dog")
    assert selection["value"] == pytest.approx(6 / 20 - 0)


def test_abstentions_predict_no_label() -> None:
    assert has_note(abstaining(), "stay in every denominator, and no label counts as predicted")


def test_missing_predictions_need_a_rule() -> None:
    said = SAID.astype(float)
    said.iloc[3] = np.nan
    with pytest.raises(ValueError, match="y_pred must not have missing values; received 1"):
        audit(said)
    dropped = audit(said, missing="drop")
    assert has_note(dropped, "1 rows with missing values were left out")
    assert dropped.summary["data"]["rows"] == 39


def test_reference_sets_the_signs() -> None:
    swapped = [{"a": "b", "b": "a"}[group] for group in GROUP]
    report = audit(reference=(TRUTH, swapped))
    assert row_of(report, "BA A->T")["value"] == pytest.approx(-VALUE)
    assert report.summary["data"]["reference"] == "reference data of 40 rows"
    assert {(row["attribute"], row["sign"]) for row in report.summary["trends"]} == set(MOVES)
