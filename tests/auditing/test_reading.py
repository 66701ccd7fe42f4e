"""What a report says to read first, beside and not at all, and that the documentation agrees."""

from __future__ import annotations

import copy
import functools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from kinds import Kind
from report_cases import AMPLIFIED, ERRORS, GROUP, TRUTH, row_of

import biasamp_adapters as bam
from biasamp_adapters.auditing.reading import RULES, what_to_read
from biasamp_adapters.auditing.runs import summarize_reports

CHOOSING = Path(__file__).parents[2] / "docs" / "user_guide" / "choosing.rst"

#: Groups and classes are of equal size, and predictions as frequent as the truth: nothing to leave
#: but MALS.
EVEN = AMPLIFIED

#: 100 times 50 rows a group. Of 30 and 20 positives, 18 and 12 are found, and 10 negatives of each
#: group are called positive: rates of 28 and 22 of 50, where mistakes as frequent (40 of 100)
#: that fall at random would leave 26 and 24.
NARROWED = (
    ([1] * 18 + [0] * 12 + [1] * 10 + [0] * 10) + ([1] * 12 + [0] * 8 + [1] * 10 + [0] * 20)
) * 100


def audit(y_pred: Any = EVEN, y_true: Any = TRUTH, **options: Any) -> bam.AuditReport:
    """The audit of the plain table, some of it changed."""
    return bam.audit(y_true, y_pred, **{"sensitive_features": GROUP, "n_boot": 200, **options})


def advice(report: bam.AuditReport, metric: str, model: str = "model") -> tuple[str, str]:
    """The place of a metric and the reason for it; nothing if no rule speaks of it."""
    rows = report.summary["reading"]
    found = [row for row in rows if row["metric"] == metric and model in row["models"]]
    assert len(found) < 2
    return (found[0]["place"], found[0]["reason"]) if found else ("", "")


def places(report: bam.AuditReport, place: str) -> list[str]:
    """What is to be read at a place."""
    return [row["metric"] for row in report.summary["reading"] if row["place"] == place]


def test_plain_data() -> None:
    report = audit(EVEN * 5, TRUTH * 5, sensitive_features=GROUP * 5)
    assert places(report, "first") == ["BA A->T"]
    assert "MALS" in places(report, "leave")
    assert advice(report, "DPA A->T") == ("", "")
    order = [row["place"] for row in report.summary["reading"]]
    assert order == sorted(order, key=["first", "beside", "leave"].index)


def test_balanced_reference(kind: Kind) -> None:
    apart = {} if kind.name == "labels" else {"keep_rows": True}
    balanced = [1] * 25 + [0] * 25 + [1] * 25 + [0] * 25
    report = bam.audit_counts(kind.count(balanced, AMPLIFIED, GROUP, **apart), n_boot=200)
    assert advice(report, "BA A->T") == (
        "leave",
        "The reference is balanced: BA-> is 0 by construction, whatever the model does.",
    )
    # 35 and 15 of 50 are called positive.
    place, reason = advice(report, "selection_rate_difference")
    assert place == "first"
    task = "class 1" if kind.name == "labels" else "0"
    assert reason == (
        f"The reference is balanced, and selection rates of {task} differ by 40.0 points between "
        "groups."
    )
    # 25 of the 50 positives are of each group.
    assert advice(report, "MALS") == (
        "leave",
        "Every group is equally frequent among the positives of the reference: MALS is 0 by "
        "construction, whatever the model does.",
    )
    if kind.name == "labels":
        reason = advice(report, "Multi undirected")[1]
        assert reason.endswith("Multi undirected is 0 by construction, whatever the model does.")
    assert advice(report, "Multi A->T")[0] == "beside"
    if kind.name == "labels":
        assert advice(report, "DPA A->T")[0] == "first"


def test_nearly_balanced_reference() -> None:
    # 26 and 24 of 50: z = .4.
    report = audit(y_true=[1] * 26 + [0] * 24 + [1] * 24 + [0] * 26)
    place, reason = advice(report, "BA A->T")
    assert place == "leave"
    assert "The reference hardly correlates the pairs that move" in reason
    assert advice(report, "selection_rate_difference")[0] == "first"


@pytest.mark.parametrize(("positives", "place"), [(55, ""), (56, "leave")])
def test_unequal_classes(positives: int, place: str) -> None:
    # 55 / 45 is 1.22, within 1.25; 56 / 44 is 1.27.
    truth = [1] * 40 + [0] * 10 + [1] * (positives - 40) + [0] * (90 - positives)
    report = audit(truth, truth)
    assert advice(report, "DPA A->T")[0] == place
    if place:
        assert (
            "classes are of unequal size (shares from 44.0% to 56.0%)"
            in (advice(report, "DPA A->T")[1])
        )


def test_columns_are_yes_against_no() -> None:
    truth = np.array([[1, 0], [0, 0], [0, 0], [0, 1]] * 25)
    report = audit(truth, truth)
    assert (
        "yes and no of the tasks are of unequal size (shares from 25.0% to 75.0%)"
        in (advice(report, "DPA A->T")[1])
    )


def test_unequal_groups() -> None:
    report = audit(sensitive_features=["a"] * 60 + ["b"] * 40, sensitive_features_pred=GROUP)
    place, reason = advice(report, "LA")
    assert place == "beside"
    assert "groups are of unequal size (shares from 40.0% to 60.0%)" in reason
    assert advice(report, "DPA T->A")[0] == "leave"
    assert advice(audit(), "LA") == ("", "")


def test_constant_model(kind: Kind) -> None:
    apart = {} if kind.name == "labels" else {"keep_rows": True}
    report = bam.audit_counts(kind.count(TRUTH, [0] * 100, GROUP, **apart), n_boot=200)
    if kind.name == "labels":
        assert places(report, "first") == ["selection_rate_difference"]
        for name in ("BA A->T", "MALS", "DPA A->T", "LA"):
            place, reason = advice(report, name)
            assert place == "leave", name
            assert "The model predicts class 0 for everybody" in reason


def test_nothing_predicted_in_a_matrix() -> None:
    truth = np.array([[1, 0]] * 60 + [[0, 1]] * 40)
    report = audit(truth * 0, truth, sensitive_features=["a"] * 50 + ["b"] * 50)
    assert "model predicts nothing for everybody" in advice(report, "BA A->T")[1]


@pytest.mark.parametrize("positives", [25, 26])
def test_constant_model_where_the_reference_is_balanced(positives: int) -> None:
    # 26 and 24 of 50 cannot be told from equal rates.
    truth = [1] * positives + [0] * 25 + [1] * (50 - positives) + [0] * 25
    groups = ["a"] * (positives + 25) + ["b"] * (75 - positives)
    report = audit([0] * 100, truth, sensitive_features=groups)
    (verdict,) = report.verdicts
    assert verdict["reason"] == "reference_balanced"
    assert verdict["constant"] == "class 0"
    assert verdict["sentence"].endswith("say the same of everybody (class 0).")
    assert advice(report, "selection_rate_difference") == (
        "first",
        "The model predicts class 0 for everybody, so selection rates are the same in all groups.",
    )
    assert "for everybody" in advice(report, "DPA A->T")[1]
    assert advice(report, "trends") == ("", "")


def test_model_without_mistakes_where_the_reference_is_balanced() -> None:
    balanced = ([1] * 25 + [0] * 25) * 2
    (verdict,) = audit(balanced, balanced).verdicts
    assert "makes no mistakes on these rows; selection rates of class 1 are" in verdict["sentence"]


@pytest.mark.parametrize("truth", [TRUTH, ([1] * 25 + [0] * 25) * 2], ids=["apart", "balanced"])
def test_model_that_is_silent_on_every_row(truth: list[int]) -> None:
    report = audit([None] * 100, truth, missing="abstain", labels=[0, 1])
    (verdict,) = report.verdicts
    assert "The model abstains from every prediction of the task".lower() in (
        verdict["sentence"].lower()
    )
    assert places(report, "first") == ["abstention_rate_difference"]
    assert advice(report, "abstention_rate_difference")[1] == (
        "The model abstains from every prediction: there is nothing else to read."
    )


def test_silence_on_one_group_where_the_reference_is_balanced() -> None:
    said = [None] * 20 + [1] * 5 + [0] * 25 + [1] * 25 + [0] * 25
    report = audit(said * 5, ([1] * 25 + [0] * 25) * 10, sensitive_features=GROUP * 5,
                   missing="abstain")  # fmt: skip
    assert advice(report, "abstention_rate_difference")[0] == "first"
    assert "cannot be told from a change" in advice(report, "DPA(U) A->T")[1]


def test_the_class_is_named_as_the_user_names_it() -> None:
    # Each group has 90 rows; that of a is "cook" for 60 and predicted for 80, "pilot" for none.
    jobs = ["cook", "nurse", "pilot"]
    truth = pd.Series(np.repeat(jobs * 2, [60, 20, 10, 20, 50, 20]), name="job")
    said = np.repeat(jobs * 2, [80, 10, 0, 10, 50, 30])
    report = audit(said, truth, sensitive_features=["a"] * 90 + ["b"] * 90)
    gaps = [row for row in report.summary["fairness"] if row["measure"].startswith("false_pos")]
    reason = advice(report, "false_positive_rate_difference")[1]
    # Of 30 rows of a that are no cooks 20 are called cooks, and of 70 of b none.
    assert gaps[0]["value"] == pytest.approx(2 / 3)
    assert reason.endswith(
        "false positive rates of job = cook differ by 66.7 points between groups."
    )


def test_a_class_without_rows_has_no_size() -> None:
    report = audit(EVEN * 5, TRUTH * 5, sensitive_features=GROUP * 5, labels=[0, 1, 2])
    assert advice(report, "DPA A->T") == ("", "")


def test_silence_on_one_group() -> None:
    silent = [None] * 20 + AMPLIFIED[20:]
    said = {"silent": silent * 5, "loud": AMPLIFIED * 5}
    report = audit(said, TRUTH * 5, sensitive_features=GROUP * 5, missing="abstain")
    place, reason = advice(report, "abstention_rate_difference", "silent")
    assert place == "first"
    assert "by 40.0 points" in reason
    assert advice(report, "BA A->T", "silent")[0] == "leave"
    assert advice(report, "BA A->T", "loud")[0] == "first"
    assert advice(report, "abstention_rate_difference", "loud") == ("", "")


def test_silence_on_all_groups_alike() -> None:
    silent = [None] * 5 + AMPLIFIED[5:50] + [None] * 5 + AMPLIFIED[55:]
    report = audit(silent * 5, TRUTH * 5, sensitive_features=GROUP * 5, missing="abstain")
    assert advice(report, "abstention_rate_difference")[0] == "beside"
    assert advice(report, "BA A->T")[0] == "first"


def test_what_is_undefined_is_not_told() -> None:
    # Group "nobody" has no rows, so rates of abstention have no difference.
    silent = [None] * 20 + AMPLIFIED[20:50]
    report = audit(
        silent, TRUTH[:50], sensitive_features=["a"] * 50, groups=["a", "nobody"], missing="abstain"
    )
    assert advice(report, "abstention_rate_difference") == ("", "")
    for name in ("BA A->T", "DPA(U) A->T", "Multi A->T"):
        assert advice(report, name) == (
            "leave",
            "Only the group a has rows, so there is no gap.",
        )


def test_rates_set_by_hand() -> None:
    rates = {"a": {0: 0.4, 1: 0.6}, "b": {0: 0.6, 1: 0.4}}
    reference = bam.BaseRates(task_given_attribute=rates)
    found = audit(y_true=None, reference=reference)
    assert "Rates were set by hand" in advice(found, "BA A->T")[1]
    with_truth = audit(reference=reference)
    assert advice(with_truth, "LA")[0] == "leave"


def test_no_truth_of_the_audited_rows() -> None:
    report = audit(y_true=None, reference=(TRUTH, GROUP))
    assert places(report, "first") == ["MALS"]
    assert places(report, "beside") == ["Multi undirected"]


def test_predicted_attribute() -> None:
    groups = {"sensitive_features": GROUP * 5, "sensitive_features_pred": GROUP * 5}
    report = audit(EVEN * 5, TRUTH * 5, **groups)
    place, reason = advice(report, "BA T->A")
    assert place == "beside"
    assert "ask first whether that is needed" in reason
    assert advice(report, "BA A->T")[0] == "first"


def test_opposite_pairs() -> None:
    assert advice(audit(), "trends") == ("", "")
    # Of both groups five more are called positive: along the correlation of a, against that of b.
    found = audit([1] * 35 + [0] * 15 + [1] * 25 + [0] * 25)
    assert row_of(found, "BA A->T")["value"] == pytest.approx(0)
    assert advice(found, "trends")[0] == "beside"


def test_rounding_is_no_opposite_trend() -> None:
    # Probabilities that add up to the positives of each group, 30 and 20 of 50, but in floats only
    # nearly so: nothing is amplified and nothing reduced.
    found = audit([0.6] * 50 + [0.4] * 50)
    assert row_of(found, "BA A->T")["value"] == pytest.approx(0, abs=1e-12)
    assert advice(found, "trends") == ("", "")


def test_few_predictions() -> None:
    # 20 of 50 positives are found.
    report = audit([1] * 12 + [0] * 38 + [1] * 8 + [0] * 42)
    assert advice(report, "prevalence")[0] == "beside"
    place, reason = advice(report, "BA A->T")
    assert place == "first"
    assert "The model predicts 40% as many rows with class 1 as there are" in reason
    # The truth's classes are of equal size, and predictions are not.
    assert advice(report, "DPA A->T")[0] == "leave"


def test_scores() -> None:
    report = audit(y_score=[i / 100 for i in range(100)], n_boot=0)
    assert advice(report, "sweeps")[0] == "beside"


def test_crossed_attributes() -> None:
    attributes = pd.DataFrame({"sex": GROUP, "age": ["old", "young"] * 50})
    report = audit(sensitive_features=attributes)
    assert advice(report, "Multi A->T")[0] == "beside"


def test_no_interval_that_can_be_trusted() -> None:
    report = audit(TRUTH)
    assert row_of(report, "DPA(U) A->T")["low"] is None
    assert advice(report, "DPA(U) A->T") == (
        "leave",
        "It has no interval that can be trusted; its note says why.",
    )
    # Where no interval was asked for, none is missing.
    assert advice(audit(TRUTH, n_boot=0), "DPA(U) A->T")[0] == ""


def verdict_of(report: bam.AuditReport) -> str:
    """The code of the one verdict."""
    (verdict,) = report.verdicts
    return str(verdict["verdict"])


def test_dpa_above_zero_where_only_mistakes_keep_rates_together() -> None:
    report = audit(NARROWED, TRUTH * 100, sensitive_features=GROUP * 100)
    assert verdict_of(report) == "amplifies_beneath_errors"
    assert row_of(report, "BA A->T")["high"] < 0 < row_of(report, "DPA A->T")["low"]
    place, reason = advice(report, "DPA A->T")
    assert place == "beside"
    assert reason.startswith("It is above 0 where BA-> is not, and both hold")


def test_classes_of_unequal_size_hide_no_amplification_beneath_errors() -> None:
    # Of 50 rows 20 and 10 are positive and called positive, 14 and 5 of them rightly: FPR 6/30 and
    # 5/40, TPR 14/20 and 5/10. DPA of 1/cross-entropy reads size; the others do not.
    truth = ([1] * 20 + [0] * 30 + [1] * 10 + [0] * 40) * 50
    said = ([1] * 14 + [0] * 6 + [1] * 6 + [0] * 24 + [1] * 5 + [0] * 5 + [1] * 5 + [0] * 35) * 50
    report = audit(said, truth, sensitive_features=GROUP * 50)
    assert verdict_of(report) == "amplifies_beneath_errors"
    for name in ("LA", "DPA(U) A->T"):
        assert row_of(report, name)["low"] > 0
        place, reason = advice(report, name)
        assert (place, "both hold" in reason) == ("beside", True), name
    assert advice(report, "DPA A->T")[0] == "leave"


def test_metrics_that_contradict_each_other() -> None:
    # The gap of 20 points becomes one of -80; DPA does not see which way it goes.
    turned = [1] * 5 + [0] * 45 + [1] * 45 + [0] * 5
    report = audit(turned * 10, TRUTH * 10, sensitive_features=GROUP * 10)
    assert verdict_of(report) == "reverses"
    assert row_of(report, "DPA A->T")["low"] > 0
    assert advice(report, "DPA A->T") == (
        "beside",
        'It is above 0 where the verdict is "reverses the gap". Believe the verdict: this sees how '
        "strong a dependence is, not which way it goes.",
    )


@pytest.mark.parametrize(
    ("verdict", "belief"),
    [
        ("reduces", "Believe the verdict for how rates moved"),
        ("mistakes_only", "it allows for mistakes that are of one class more often"),
        ("amplifies", ""),
    ],
)
def test_what_to_believe_depends_on_the_verdict(verdict: str, belief: str) -> None:
    report = audit(NARROWED, TRUTH * 100, sensitive_features=GROUP * 100)
    summary = copy.deepcopy(report.summary)
    summary["verdicts"][0]["verdict"] = verdict
    reasons = [row["reason"] for row in what_to_read(summary) if row["metric"] == "DPA A->T"]
    assert [belief in reason for reason in reasons] == [True] * bool(belief)


def test_size_that_contradicts() -> None:
    # All but a tenth of the positives of both groups are missed.
    truth = [1] * 300 + [0] * 200 + [1] * 200 + [0] * 300
    few = [1] * 30 + [0] * 470 + [1] * 20 + [0] * 480
    report = audit(few, truth, sensitive_features=["a"] * 500 + ["b"] * 500)
    place, reason = advice(report, "DPA A->T")
    assert place == "leave"
    assert verdict_of(report) == "mistakes_only"
    assert reason == (
        "Here predicted classes are of unequal size (shares from 5.0% to 95.0%), and "
        '1/cross-entropy reads size as bias. It is above 0 where the verdict is "mistakes only": '
        "believe the verdict."
    )


def test_groups_of_few_rows() -> None:
    summary = copy.deepcopy(audit().summary)
    sentence = "The group b has 10 rows: rates of so few rows are noise."
    summary["verdicts"][0] |= {"verdict": "cannot_say", "reason": "few_rows", "sentence": sentence}
    found = {row["metric"]: row for row in what_to_read(summary)}
    assert (found["BA A->T"]["place"], found["BA A->T"]["reason"]) == ("leave", sentence)


def test_models_share_what_is_the_same() -> None:
    report = audit({"x": AMPLIFIED, "y": ERRORS})
    (row,) = (row for row in report.summary["reading"] if row["metric"] == "MALS")
    assert row["models"] == ["x", "y"]


def test_runs_are_read_by_their_means() -> None:
    balanced = [1] * 25 + [0] * 25 + [1] * 25 + [0] * 25
    runs = {str(seed): audit(y_true=balanced, random_state=seed) for seed in (0, 1)}
    report = summarize_reports(runs)
    assert advice(report, "BA A->T")[0] == "leave"
    assert "differ by 40.0 points" in advice(report, "selection_rate_difference")[1]


def test_every_rendering_shows_it() -> None:
    report = audit()
    reason = "It mixes both directions, and takes the larger group for the correlated one."
    for text in (report.to_text(full=True), report.to_markdown(), report.to_html()):
        assert "What to read" in text
        # The reason is in a column of text, which may wrap.
        assert set(reason.split()) <= set(text.replace("<", " <").replace(">", "> ").split())
    assert re.search(r"Leave aside: .*MALS\.", report.to_text())
    assert set(report.to_frame("reading")["metric"]) >= {"BA A->T", "MALS"}


def table() -> dict[str, list[str]]:
    """The rows of the documentation's table, by the bold name at their head."""
    text = CHOOSING.read_text(encoding="utf-8").partition(".. list-table::")[2]
    rows = text.partition("\n\n\n")[0].split("   * - ")[2:]
    cells = [re.split(r"\n     - ", row.partition("\n\n")[0]) for row in rows]
    names = [re.match(r"\*\*(.+?)\*\*", row[0]) for row in cells]
    return {
        name[1]: [" ".join(cell.split()) for cell in row[1:]]
        for name, row in zip(names, cells, strict=True)
        if name
    }


#: What counts do not show.
BEYOND_COUNTS = {"risk prediction", "continuous attribute or task"}


def test_documentation_has_the_same_rules() -> None:
    assert {rule.name for rule in RULES} == set(table()) - BEYOND_COUNTS


@functools.cache
def reasons() -> list[tuple[str, str, str]]:
    """What reports on all kinds of data of the table say: place, metric and reason."""
    base = {"sensitive_features": GROUP * 5}
    truth, even = TRUTH * 5, ([1] * 25 + [0] * 25) * 10
    silent = [None] * 20 + AMPLIFIED[20:]
    some = [None] * 5 + AMPLIFIED[5:50] + [None] * 5 + AMPLIFIED[55:]
    crossed = pd.DataFrame({"sex": GROUP * 5, "age": ["old", "young"] * 250})
    by_hand = bam.BaseRates(
        task_given_attribute={"a": {0: 0.4, 1: 0.6}, "b": {0: 0.6, 1: 0.4}},
        attribute_given_task={0: {"a": 0.4, "b": 0.6}, 1: {"a": 0.6, "b": 0.4}},
    )
    # Groups of 60 and 40 rows, and a truth of which each group has 52 % and 48 %.
    sizes = (["a"] * 60 + ["b"] * 40) * 5
    no_group = [None] * 20 + GROUP[20:]
    some_groups = [None] * 5 + GROUP[5:50] + [None] * 5 + GROUP[55:]
    by_group = {**base, "missing": "abstain", "groups": ["a", "b"]}
    near = [1] * 26 + [0] * 24 + [1] * 24 + [0] * 26
    # Of three classes, two are correlated with the group and the one that moves hardly is.
    third = [2] * 100 + [1] * 60 + [0] * 40
    drifting = third + [2] * 97 + [1] * 40 + [0] * 63
    moved = [2] * 60 + [1] * 100 + [0] * 40 + [2] * 97 + [1] * 40 + [0] * 63
    one_group = {"sensitive_features": ["a"] * 250, "groups": ["a", "b"]}
    reports = [
        audit(AMPLIFIED[:50] * 5, TRUTH[:50] * 5, **one_group),
        audit(AMPLIFIED * 5, truth, **base, sensitive_features_pred=GROUP * 5),
        audit(AMPLIFIED * 5, truth, sensitive_features=sizes, sensitive_features_pred=sizes),
        audit([1, 0] * 8, [1] * 5 + [0] * 6 + [1] * 3 + [0] * 2, sensitive_features=["a", "b"] * 8),
        audit(EVEN * 5, truth, sensitive_features_pred=[None] * 500, **by_group),
        audit(EVEN * 5, truth, sensitive_features_pred=no_group * 5, **by_group),
        audit(EVEN * 5, truth, sensitive_features_pred=some_groups * 5, **by_group),
        audit(AMPLIFIED, TRUTH[:12] + [0] * 88, n_boot=100),
        audit(AMPLIFIED, sensitive_features=["z"] * 5 + GROUP[5:]),
        audit(AMPLIFIED * 5, truth, reference=by_hand, **base),
        audit(AMPLIFIED * 5, None, reference=(truth, GROUP * 5), **base),
        audit([0] * 500, truth, **base),
        audit(silent * 5, truth, missing="abstain", **base),
        audit([None] * 500, truth, missing="abstain", labels=[0, 1], **base),
        audit(some * 5, truth, missing="abstain", **base),
        audit(AMPLIFIED * 5, even, **base),
        audit(AMPLIFIED, near),
        audit(moved, drifting, sensitive_features=["a"] * 200 + ["b"] * 200),
        audit(truth, truth, **base),
        audit(NARROWED, TRUTH * 100, sensitive_features=GROUP * 100),
        audit(([1] * 5 + [0] * 45 + [1] * 45 + [0] * 5) * 10, TRUTH * 10,
              sensitive_features=GROUP * 10),
        audit(([1] * 35 + [0] * 15 + [1] * 25 + [0] * 25) * 5, truth, **base),
        audit(([1] * 12 + [0] * 38 + [1] * 8 + [0] * 42) * 5, truth, **base),
        audit(AMPLIFIED * 5, truth, y_score=[i / 500 for i in range(500)], **base),
        audit(AMPLIFIED * 5, truth, sensitive_features=crossed),
    ]  # fmt: skip
    rows = [row for report in reports for row in report.summary["reading"]]
    return [(row["place"], row["metric"], row["reason"]) for row in rows]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.name}: {rule.numbers[0]}")
def test_every_rule_is_given(rule: Any) -> None:
    parts = re.split(r"\{.+?\}", rule.sentence)
    pattern = ".*".join(map(re.escape, parts))
    for number in rule.numbers:
        given = [
            metric
            for place, metric, reason in reasons()
            if place == rule.place
            and metric.split(" ")[0] == number
            and re.fullmatch(pattern, reason)
        ]
        assert given, f"{number}: {rule.sentence}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.name}: {rule.numbers[0]}")
def test_documentation_says_the_same(rule: Any) -> None:
    to_read, to_leave, _ = table()[rule.name]
    cell = to_leave if rule.place == "leave" else to_read
    shown = {"BA": "BA→", "trends": "what a mean hides", "sweeps": "the sweep"}
    for name in rule.numbers:
        words = shown.get(name, name.removesuffix("_difference").replace("_", " "))
        assert words.lower() in cell.lower(), f"{words} in {cell!r}"
