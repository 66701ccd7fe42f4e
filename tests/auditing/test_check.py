"""The gate: what passes, what fails and what cannot be judged."""

import pandas as pd
import pytest

import biasamp_adapters as bam


@pytest.mark.parametrize("bound", [0.02, "2pt", "2%", " 2pt "])
def test_check_ba_above_its_bound_fails_in_one_sentence(compas_report, bound) -> None:
    [failure] = compas_report.check(fail_above={"BA": bound})
    assert repr(failure) == (
        "high: BA A→T is +0.060 or +6.0 points (+4.5 to +7.4), "
        "and its whole interval lies above 0.02 or 2 points."
    )
    assert failure.judged


@pytest.mark.parametrize(
    ("rules", "n_failures"),
    [
        ({"fail_above": {"BA": 0.05}}, 0),
        ({"require_below": {"BA": 0.05}}, 1),
        ({"require_below": {"ba_a_to_t": 0.08}}, 0),
        ({"require_within": {"BA A→T": 0.08}}, 0),
        ({"require_within": {"gaps": "10pt"}}, 1),
        ({"require_within": {"gaps": 0.16}}, 0),
        ({"fail_below": {"accuracy": 0.7}}, 1),
        ({"require_above": {"accuracy": 0.6, "selection_rate_ratio": 0.6}}, 1),
        ({"forbid": ["amplifies"]}, 1),
        ({"forbid": ["grows"]}, 1),
        ({"forbid": ["reverses", "mixed"]}, 0),
    ],
)
def test_check_rule_fails_by_the_interval(compas_report, rules, n_failures) -> None:
    assert len(compas_report.check(**rules)) == n_failures


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (
            {"fail_below": {"selection_rate_ratio": 0.8}},
            "selection rate ratio is 0.59 (0.56 to 0.63), and its whole interval lies below 0.8.",
        ),
        (
            {"require_above": {"accuracy": 0.7}},
            "accuracy is 0.651 or 65.1% (63.9 to 66.3), "
            "and its interval does not lie wholly above 0.7 or 70%.",
        ),
        (
            {"fail_above": {"DPA(U)": -0.02}},
            "DPA(U) A→T is +0.95 (+0.88 to +1.00), and its whole interval lies above −0.02.",
        ),
    ],
)
def test_check_ratios_rates_and_shares_have_their_units(compas_report, rules, sentence) -> None:
    [failure] = compas_report.check(**rules)
    assert repr(failure) == f"high: {sentence}"


def test_check_number_without_an_interval_is_not_judged_and_one_not_computed_raises() -> None:
    report = bam.audit([0, 1] * 20, [0.5] * 40, sensitive_features=["a", "b"] * 20, n_boot=0)
    failures = report.check(fail_above={"BA": 1}, require_within={"gaps": 1}, forbid="amplifies")
    assert not any(failure.judged for failure in failures)
    sentence = "model: {} cannot be judged: no intervals were requested (n_boot=0)."
    names = ("BA A→T", "gaps", "verdict")
    assert list(map(repr, failures)) == [*map(sentence.format, names)]
    with pytest.raises(ValueError, match="'Multi' is not computed in this report"):
        report.check(fail_above={"Multi": 0.02})


EQUAL, ONES_FOR_A = [1, 0] * 40, [1, 1, 1, 0] * 20  # The gap goes from 0 to 50 points.


@pytest.mark.parametrize(
    ("groups", "reference", "key", "reason"),
    [
        ("aabb", None, "BA", "no rate differs between groups in the labels, so it is 0 for every"),
        ("aabb", ([1, 0], ["a", "a"]), "excess", "no rate differs between groups in the reference"),
        ("aabb", None, "MALS", "no group is over-represented in the labels, so it is 0 for every"),
        ("aaaa", None, "BA", "there is only one group, so it is 0 for every model"),
        ("aaaa", None, "LA", "there is only one group, so it is 0 for every model"),
        ("aaaa", None, "selection_rate_difference", "there is only one group"),
    ],
)
def test_check_number_of_0_for_every_model_is_not_judged(groups, reference, key, reason) -> None:
    columns = {"sensitive_features": [*groups] * 20, "reference": reference, "n_boot": 100}
    report = bam.audit(EQUAL, ONES_FOR_A, **columns)
    failures = report.check(fail_above={key: "2pt"}, require_below={key: "2pt"})
    assert [failure.judged for failure in failures] == [False, False]
    assert f"cannot be judged: {reason}" in failures[0].sentence


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"fail_above": {"BA": 5}}, "must lie between -1 and 1; received 5. 5 points are 0.05."),
        ({"fail_above": {"BA": "2pts"}}, "a number, such as 0.02, '2pt' or '2%'; received '2pts'"),
        ({"require_above": {"BA": 0.1}}, "is for accuracy and ratios"),
        ({"fail_above": {"gaps": 0.1}}, "'gaps' is for require_within; received it in fail_above."),
        ({"require_within": {"gap": 0.1}}, "did you mean 'gaps'?"),
        ({"fail_above": {"ba": 0.1}}, "unknown number 'ba'; did you mean 'BA'? The numbers are"),
        ({"require_within": {"gaps T->A": 0.1}}, "must be those of A->T in this report; received"),
        ({"fail_above": {"Demographic_parity_ratio": 0.8}}, "did you mean 'selection rate ratio'?"),
        ({"fail_above": {"FPR_ratio": 0.8}}, "did you mean 'false positive rate ratio'?"),
        ({"forbid": "larger"}, "grows, appears, shrinks; received 'larger'"),
        ({"forbid": 5}, "received 5"),
        ({"fail_above": {"BA": "200pt"}}, "between -1 and 1; received 200pt."),
        ({"fail_above": {"BA": float("inf")}}, "between -1 and 1; received inf."),
        ({"require_within": {"gaps": "-5pt"}}, "must lie between 0 and 1; received -5pt."),
        ({}, "a check needs at least one bound."),
        ({"fail_above": {"Multi": -0.1}}, "must lie between 0 and 1; received -0.1."),
        ({"require_below": 0}, 'require_below must be a mapping, as in {"BA": 0.02}; received 0'),
    ],
)
def test_check_bad_rule_raises(compas_report, rules, message) -> None:
    with pytest.raises(ValueError, match=r".*") as error:
        compas_report.check(**rules)
    assert message in str(error.value)
    assert str(error.value).endswith(message) or not message.endswith(".")


LEFT_OUT = [([0] * 14, {}), ([None] * 99, {"missing": "drop"}), ([], {"group_labels": [*"abc"]})]


@pytest.mark.parametrize(("of_c", "options"), LEFT_OUT)
def test_check_gaps_of_a_group_that_is_left_out_are_not_judged(of_c, options) -> None:
    # a and b have no errors, and all rows of c go from 1 to 0, or are missing.
    truth, groups = [0, 1] * 100, ["a", "b", "b", "a"] * 50 + ["c"] * len(of_c)
    columns = {"y_true": truth + [1] * len(of_c), "y_pred": truth + of_c}
    report = bam.audit(**columns, sensitive_features=groups, n_boot=100, **options)
    assert "· 2 of 3 groups compared: c (" in report.to_markdown()
    sentence = "model: gaps of c cannot be judged: a gap needs two groups with 15 rows or more."
    failures = report.check(require_within={"gaps": 0.1}, forbid=["reverses", "mixed", "grows"])
    assert list(map(repr, failures)) == [sentence, sentence]  # The verdict itself is judged.
    assert "A change of more than" not in report.to_text(full=True)  # The bound would be 0.


def test_check_gaps_of_several_tasks_name_their_task() -> None:
    truth, predicted = (pd.DataFrame({"x": task, "y": task}) for task in (EQUAL, ONES_FOR_A))
    report = bam.audit(truth, predicted, sensitive_features=[*"aabb"] * 20, n_boot=100)
    sentence = "model: the gap between a and b in {} appears, which is forbidden."
    assert list(map(repr, report.check(forbid="appears"))) == [*map(sentence.format, "xy")]


def test_frame_of_metrics_has_all_numbers_that_checks_know(compas_report) -> None:
    frame = compas_report.to_frame()
    assert frame["key"].is_unique
    for key in frame["key"]:
        assert not any(failure.judged for failure in compas_report.check(fail_above={key: 1}))
    ratio = frame.set_index("key").loc["selection_rate_ratio"]
    assert [round(ratio[end], 2) for end in ("value", "low", "high")] == [0.59, 0.56, 0.63]
