"""Audits without a ground truth: rates set by hand take its place, and the report says so."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pandas as pd
import pytest
from base_rate_cases import (
    ARGUMENTS,
    HALF_OF_JOBS,
    HALF_OF_PRONOUNS,
    LEANING,
    LEANS,
    PRONOUNS,
    VALUES,
    a_to_t,
    t_to_a,
)
from metric_cases import DIRECTIONS
from report_cases import has_note, names, numbers, pairs_of, row_of

import biasamp_adapters as bam
from biasamp_adapters import BaseRates
from biasamp_adapters.cards.rounded import rounded

SET_BY_HAND = "Rates and directions were set by hand"
EVEN = BaseRates(
    task_given_attribute=HALF_OF_JOBS, attribute_given_task=HALF_OF_PRONOUNS, direction=LEANS
)

#: 40 sentences: "he" cooks in 16 of 20, "she" in 8 of 20.
WHO = ["he"] * 20 + ["she"] * 20
SAID = ["cook"] * 16 + ["nurse"] * 4 + ["cook"] * 8 + ["nurse"] * 12
A_TO_T = (2 * (0.8 - 0.5) + 2 * (0.5 - 0.4)) / 4


def audit(direction: str = "A->T", reference: Any = EVEN, **changed: Any) -> bam.AuditReport:
    """The audit of hard predictions in one direction, the truth of which is not there."""
    rows: dict[str, Any] = {"y_true": None, "y_pred": SAID, "sensitive_features": WHO}
    if direction == "T->A":
        # The same table: of "cook" 16 of 20 are "he", of "nurse" 8 of 20.
        job = [{"he": "cook", "she": "nurse"}[pronoun] for pronoun in WHO]
        pronoun = [{"cook": "he", "nurse": "she"}[job] for job in SAID]
        rows = {"y_true": job, "y_pred": None, "sensitive_features": None}
        rows["sensitive_features_pred"] = pronoun
    return bam.audit(**{**rows, "reference": reference, "n_boot": 100, **changed})


def test_advice_reads_only_what_is_there() -> None:
    """Fairness measures need a truth, which base rates are not."""
    against = ["nurse"] * 16 + ["cook"] * 4 + ["cook"] * 16 + ["nurse"] * 4
    by_hand = audit(y_pred=against)
    # In truth 16 and 8 of 20 cook, and 12 of each are predicted to: the gap is gone.
    alike = (["cook"] * 12 + ["nurse"] * 8) * 2
    with_truth = audit(
        y_true=SAID * 5, y_pred=alike * 5, sensitive_features=WHO * 5, reference=None
    )
    assert [report.verdicts[0]["verdict"] for report in (by_hand, with_truth)] == ["reduces"] * 2
    assert by_hand.summary["answer"]["do"] == []
    assert with_truth.summary["answer"]["do"][0].startswith("Read the fairness measures")


APPEAR = {
    "A->T": ["MALS", "BA A->T", "Multi A->T", "Multi undirected"],
    "T->A": ["BA T->A", "Multi T->A"],
}


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_metrics_and_values(direction: str) -> None:
    report = audit(direction)
    assert names(report) == APPEAR[direction]
    assert row_of(report, f"BA {direction}")["value"] == pytest.approx(A_TO_T)
    assert row_of(report, f"Multi {direction}")["value"] == pytest.approx(A_TO_T)
    assert all(row["low"] <= row["value"] <= row["high"] for row in report.summary["metrics"])
    # Errors, TPR and FPR are against a truth.
    assert all(row["blind_errors"] is None for row in report.summary["metrics"])
    assert all(row["excess"] is None for row in report.summary["metrics"])
    assert report.summary["fairness"] == []


ONE_TABLE = {
    "task_given_attribute": (HALF_OF_JOBS, ["BA A->T", "Multi A->T"]),
    "attribute_given_task": (HALF_OF_PRONOUNS, ["MALS", "Multi undirected"]),
}


@pytest.mark.parametrize("given", ONE_TABLE)
def test_metrics_of_one_table_of_rates(given: str) -> None:
    table, expected = ONE_TABLE[given]
    assert names(audit(reference=BaseRates(**{given: table}, direction=LEANS))) == expected


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_probabilities(direction: str) -> None:
    report = bam.audit(**ARGUMENTS[direction](), reference=EVEN, n_boot=0)
    expected = [name for name in APPEAR[direction] if "Multi" not in name]
    assert names(report) == expected
    assert row_of(report, f"BA {direction}")["value"] == pytest.approx(VALUES[direction])
    assert has_note(report, "Predictions are probabilities and enter as expected counts")


def test_both_directions_and_a_truth() -> None:
    report = audit(y_true=SAID, sensitive_features_pred=WHO)
    found = names(report)
    assert [name for name in found if name.startswith("BA")] == ["BA A->T", "BA T->A"]
    # LA, DPA and the rates by group compare with the truth that is there, not with base rates.
    assert {"LA", "DPA A->T", "DPA T->A"} <= set(found)
    assert {row["value"] for row in report.summary["fairness"]} >= {0}
    # Predicted are the truth and its groups: of jobs .8 and .4, of pronouns 16/24 and 4/16.
    assert row_of(report, "BA A->T")["value"] == pytest.approx(A_TO_T)
    assert row_of(report, "BA T->A")["value"] == pytest.approx(
        (2 * (16 / 24 - 0.5) + 2 * (0.5 - 4 / 16)) / 4
    )


def test_a_predicted_job_beside_a_predicted_pronoun() -> None:
    """Without a true pronoun, no rates of groups can fall, and its columns tell no widths."""
    jobs = {"he": "cook", "she": "nurse"}
    people = pd.DataFrame({"job": [jobs[pronoun] for pronoun in WHO], "guess": SAID})
    pronouns = {job: pronoun for pronoun, job in jobs.items()}
    people["word"] = [pronouns[job] for job in SAID]
    report = audit("T->A", y_pred={"guess": people["guess"]})
    # Of "cook" 16 of 20 are "he", of "nurse" 8 of 20.
    assert row_of(report, "BA T->A")["value"] == pytest.approx(A_TO_T)
    assert report.summary["prevalence"] == []
    named = bam.audit_frame(
        people,
        task="job",
        prediction="guess",
        attribute_prediction="word",
        reference=EVEN,
        n_boot=100,
    )
    assert named.summary["metrics"] == report.summary["metrics"]
    assert "guess amplifies bias" in named.to_text()


def test_the_metric_alone_gives_the_same() -> None:
    row = row_of(audit(n_boot=200, random_state=3), "BA A->T")
    metric = bam.DirectionalBiasAmplification(reference=EVEN)
    result = metric.result(None, SAID, sensitive_features=WHO, n_boot=200)
    assert row["value"] == result.value
    assert row["n"] == result.n == 40


def test_counts_take_rates() -> None:
    counts = bam.JointCounts.from_arrays(None, SAID, WHO)
    assert bam.audit_counts(counts, EVEN, n_boot=100).summary == audit().summary


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_the_reference_is(direction: str) -> None:
    report = audit(direction)
    assert has_note(report, SET_BY_HAND)
    assert report.summary["data"]["reference"] == "base rates set by hand"
    # There are no data that they could come from, and no sign that could be noise.
    assert not has_note(report, "The directions of correlations come from")
    assert not has_note(report, "may be noise")
    assert report.summary["data"]["rows"] == 40


def test_what_is_there_is_listed() -> None:
    by_group, by_class = (audit(direction).summary["data"] for direction in DIRECTIONS)
    assert [(of["label"], of["rows"]) for of in by_group["groups"]] == [("he", 20), ("she", 20)]
    assert by_group["classes"] == []
    assert [(of["label"], of["rows"]) for of in by_class["classes"]] == [
        ("cook", 20),
        ("nurse", 20),
    ]
    assert by_class["groups"] == []


def test_attribute_has_a_name_where_only_its_prediction_is_given() -> None:
    # "Attributes: " with nothing behind it says that none was audited.
    assert all(audit("T->A").summary["data"]["attributes"])
    assert len(audit("T->A").summary["data"]["attributes"]) == 1


def test_equal_rates_without_directions_say_that_nothing_can_be_amplified() -> None:
    ties = BaseRates(task_given_attribute=HALF_OF_JOBS, attribute=dict.fromkeys(PRONOUNS, 0.5))
    report = audit(reference=ties)
    assert row_of(report, "BA A->T")["value"] == 0
    (advice,) = (row for row in report.summary["reading"] if row["metric"] == "BA A->T")
    assert advice["place"] == "leave"
    assert "BA-> is 0 by construction" in advice["reason"]


def test_equal_shares_of_groups_say_so_of_mals() -> None:
    report = audit()
    assert row_of(report, "MALS")["value"] == 0
    assert has_note(report, "MALS is 0 by construction")


def test_opposite_trends() -> None:
    # "he" cooks by .8 for .7, along; "she" by .4 for .3, against.
    rates = {"he": {"cook": 0.7, "nurse": 0.3}, "she": {"cook": 0.3, "nurse": 0.7}}
    report = audit(reference=BaseRates(task_given_attribute=rates))
    assert row_of(report, "BA A->T")["value"] == pytest.approx(0)
    moves = sorted(pair["value"] for pair in pairs_of(report, "A->T"))
    assert moves == pytest.approx([-0.1, -0.1, 0.1, 0.1])
    assert "trends" in {row["metric"] for row in report.summary["reading"]}


def test_predicting_the_attribute_is_said() -> None:
    assert has_note(audit("T->A"), "T->A means that the model predicts a protected attribute")


def test_trends() -> None:
    # Of "he" the job that leans to it moves by .8 - .5, of "she" by .6 - .5.
    rows = audit().summary["trends"]
    found = {(row["attribute"], row["sign"]): row["contribution"]["value"] for row in rows}
    expected = {("he", 1): 0.3, ("he", -1): 0.3, ("she", 1): 0.1, ("she", -1): 0.1}
    assert found == pytest.approx(expected)
    assert {row["pairs"] for row in rows} == {1}


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_models_are_compared(direction: str) -> None:
    first = audit(direction)
    if direction == "A->T":
        report = audit(y_pred={"model": SAID, "reversed": SAID[::-1]})
    else:
        pronoun = ["he"] * 16 + ["she"] * 4 + ["he"] * 8 + ["she"] * 12
        made = {"model": pronoun, "reversed": pronoun[::-1]}
        report = audit("T->A", y_pred=dict.fromkeys(made), sensitive_features_pred=made)
    name = f"BA {direction}"
    assert names(report, "reversed") == names(report, "model") == APPEAR[direction]
    assert row_of(report, name, "model")["value"] == row_of(first, name)["value"]
    # Turned around, "he" cooks in 8 of 20 and "she" in 16: against the directions of both.
    turned = (2 * (8 / 20 - 0.5) + 2 * (0.5 - 16 / 20)) / 4
    assert row_of(report, name, "reversed")["value"] == pytest.approx(turned)
    (paired,) = (row for row in report.summary["differences"] if row["name"] == name)
    assert paired["value"] == pytest.approx(turned - A_TO_T)
    assert paired["low"] <= paired["value"] <= paired["high"]


FORMS = ["text", "markdown", "html", "json"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_renderings(direction: str, soft: bool, form: str) -> None:
    report = audit(direction)
    if soft:
        report = bam.audit(**ARGUMENTS[direction](), reference=EVEN, n_boot=50)
    if form == "json":
        assert json.loads(report.to_json(), parse_constant=pytest.fail) == report.summary
        return
    text = report.to_text(full=True) if form == "text" else getattr(report, f"to_{form}")()
    text = re.sub(r"\n *", " ", text) if form == "text" else text
    text = re.sub(r"\\(.)", r"\1", unescape(text))
    assert SET_BY_HAND in text
    joined = 'Reference</dt><dd dir="auto">' if form == "html" else "Reference: "
    assert f"{joined}base rates set by hand" in text
    row = row_of(report, f"BA {direction}")
    assert rounded(row).value in text
    assert not re.search(r"\bnan\b", text)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_number_has_an_interval_or_a_reason(direction: str) -> None:
    for where, row in numbers(audit(direction).summary):
        assert row["low"] is not None or row["note"], where


def test_directions_that_are_not_told() -> None:
    with pytest.raises(ValueError, match=r"attribute= \(the shares of the groups\) or direction="):
        audit("T->A", BaseRates(attribute_given_task=HALF_OF_PRONOUNS))


def test_rates_of_other_jobs() -> None:
    other = BaseRates(task_given_attribute={"he": {"pilot": 1}, "she": {"pilot": 1}})
    with pytest.raises(ValueError, match=r"BaseRates must cover .* y_pred holds 'cook', 'nurse'"):
        audit(reference=other)


def test_an_audit_without_a_metric_is_an_error() -> None:
    # Rates of the tasks of groups, where only the groups of tasks were predicted.
    with pytest.raises(ValueError, match="attribute_given_task"):
        audit("T->A", BaseRates(task_given_attribute=LEANING))


def test_no_truth_without_rates() -> None:
    with pytest.raises(ValueError, match="y_true must be given"):
        bam.audit(**a_to_t())
    with pytest.raises(ValueError, match="sensitive_features must be given"):
        bam.audit(**t_to_a())
