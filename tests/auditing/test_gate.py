"""Gates for continuous integration, judged on intervals and verdicts."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from kinds import Kind
from report_cases import AMPLIFIED, GROUP, TRUTH, fairness_of, row_of

import biasamp_adapters as bam
from biasamp_adapters.auditing.gate import (
    Bound,
    ForbiddenVerdicts,
    parse_gate,
)
from biasamp_adapters.auditing.runs import summarize_reports

SAID = [1] * 50 + [0] * 50


@pytest.fixture(scope="module")
def report() -> bam.AuditReport:
    """Rates of 1 and 0 where the truth has 30/50 and 20/50: clearly amplified."""
    return bam.audit(
        TRUTH * 5,
        SAID * 5,
        sensitive_features=GROUP * 5,
        sensitive_features_pred=GROUP * 5,
        n_boot=200,
    )


BA = "DirectionalBiasAmplification"


def names(failures: list[Any]) -> list[str]:
    return [failure.name for failure in failures]


# What the command line is given.


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("BA A->T=0.02", Bound("BA A->T", 0.02)),
        (" BA A->T = -1e-3 ", Bound("BA A->T", -0.001)),
        ("MALS=0", Bound("MALS", 0)),
        ("a=b=1", Bound("a=b", 1)),
    ],
)
def test_parse_bounds(text: str, bound: Bound) -> None:
    assert parse_gate("--fail-above", text) == bound
    assert parse_gate("--require-below", text) == replace(bound, required=True)


@pytest.mark.parametrize("option", ["--fail-above", "--require-below"])
@pytest.mark.parametrize(
    # Nothing is above NaN: such a gate would let everything pass.
    "text",
    ["", "BA", "BA=", "=1", " =1", "BA=x", "BA=1,5", "BA>1", "BA=nan", "BA=inf"],
)
def test_other_forms_are_refused(option: str, text: str) -> None:
    with pytest.raises(
        ValueError, match=rf"^{option} must be METRIC=X with a number X.*received {text!r}$"
    ):
        parse_gate(option, text)


def test_parse_verdicts() -> None:
    both = ForbiddenVerdicts("verdict", ("amplifies", "reverses"))
    assert parse_gate("--fail-verdict", "amplifies, reverses") == both
    constant = ForbiddenVerdicts("A->T", ("constant",))
    assert parse_gate("--fail-verdict", "A->T=constant") == constant


@pytest.mark.parametrize("text", ["verdict=0.1", "verdict A->T=amplifies", "verdict"])
def test_a_bound_on_a_verdict_is_refused_in_words(text: str) -> None:
    for option in ("--fail-above", "--require-below"):
        message = rf"^a verdict has no bound, .*--fail-verdict amplifies.*; received '{text}'$"
        with pytest.raises(ValueError, match=message):
            parse_gate(option, text)


@pytest.mark.parametrize("text", ["", ",", "amplified", "amplifies,", "A->T=", "amplifies=A->T"])
def test_other_verdicts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"verdicts must be some of \['cannot_say', .*received"):
        parse_gate("--fail-verdict", text)


@pytest.mark.parametrize(
    ("code", "near"),
    [("amplified", "amplifies"), ("Reverse", "reverses"), ("says the same to all", "constant")],
)
def test_the_nearest_code_is_named(code: str, near: str) -> None:
    with pytest.raises(ValueError, match=rf"received \['{code}'\] for .*did you mean '{near}'"):
        ForbiddenVerdicts("verdict", (code,))


# Names.


@pytest.mark.parametrize(
    "name",
    [
        "BA A->T",
        "ba a->t",
        "BA A\u2192T",
        "BA attribute_to_task",
        "ba_a_to_t",
        "ba_attribute_to_task",
        "BA-> A->T",
        "BA\u2192 A\u2192T",
        f"{BA} A->T",
        " LA ",
        "la",
        "LA undirected",
        "LeakageAmplification",
        "MALS undirected",
        "DPA(U) A->T",
        "dpa_u_a_to_t",
        "DPA(U) Task_To_Attribute",
        "multi undirected",
        "multi_undirected",
        "selection_rate_difference",
        "selection rate difference",
        "accuracy_difference",
        # As a failure shows it.
        "selection rate difference of class 1",
    ],
)
def test_one_number_by_its_names(report: bam.AuditReport, name: str) -> None:
    assert len(report.failures({name: -9})) == 1


@pytest.mark.parametrize(
    ("name", "directions"),
    [
        ("BA", 2),
        (BA, 2),
        ("ba", 2),
        # As the papers write them.
        ("BA->", 2),
        ("BA\u2192", 2),
        ("Multi->", 2),
        ("Multi", 3),
        ("DPA", 2),
        ("DPA(U)", 2),
    ],
)
def test_all_directions_without_one(report: bam.AuditReport, name: str, directions: int) -> None:
    assert len(report.failures({name: -9})) == directions
    assert len(report.failures(require_below={name: -9})) == directions


@pytest.mark.parametrize(
    "name",
    [
        *("bax", "A->T", "", "excess DPA A->T", "BA A->T of a", "value"),
        # Not the number, but something of it.
        *("|BA|", "BA=", "BA<", "BA>", "BA A->T >", "-BA", "1 - BA", "BA + LA", "\u0394BA", "BA^2"),
    ],
)
def test_unknown_name(report: bam.AuditReport, name: str) -> None:
    known = r"\['MALS', .*'BA A->T', .*'selection rate difference', .*\], or several without"
    for gates in ({"above": {name: 0}}, {"require_below": {name: 0}}):
        with pytest.raises(
            ValueError, match=rf"{known}.*received {re.escape(repr(name))}( \(did .*)?$"
        ):
            report.failures(**gates)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("bax", "'BA'"),
        ("BA_MALS", "'MALS'"),
        ("A->T", "'BA A->T' or 'DPA A->T'"),
        ("directional_bias_amplification", f"'{BA}' or 'excess {BA}'"),
        ("selection_rate_diff", "'selection_rate_difference'"),
    ],
)
def test_the_nearest_name_is_named(report: bam.AuditReport, name: str, near: str) -> None:
    with pytest.raises(ValueError, match=rf"received '{name}' \(did you mean {near}\?\)$"):
        report.failures({name: 0})


def test_direction_that_the_report_lacks() -> None:
    report = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, n_boot=20)
    with pytest.raises(ValueError, match="received 'BA T->A'"):
        report.failures({"BA T->A": 0})


# Bounds.


def test_above_is_judged_on_the_lower_end(report: bam.AuditReport) -> None:
    row = row_of(report, "BA A->T")
    assert row["low"] < row["value"] < row["high"]
    # A value above the bound is not enough: the whole interval must be.
    assert report.failures({"BA A->T": (row["low"] + row["value"]) / 2}) == []
    assert report.failures({"BA A->T": row["low"]}) == []
    (failure,) = report.failures({"BA A->T": 0.02})
    # Group a moves from .6 to 1, group b from .4 to 0.
    interval = f"[{row['low']:+.4f}, {row['high']:+.4f}]"
    assert str(failure) == f"model: BA A->T is +0.4000 {interval}, above 0.02"
    assert repr(failure) == f"<GateFailure: {failure}>"
    assert (failure.model, failure.name, failure.judged) == ("model", "BA A->T", True)


def test_required_is_judged_on_the_upper_end(report: bam.AuditReport) -> None:
    row = row_of(report, "BA A->T")
    assert report.failures(require_below={"BA A->T": row["high"] + 1e-6}) == []
    # A value below the bound is not enough: the whole interval must be.
    (failure,) = report.failures(require_below={"BA A->T": (row["value"] + row["high"]) / 2})
    assert failure.judged
    assert "is +0.4000 [" in failure.sentence
    assert "], not shown to be below 0." in failure.sentence
    assert len(report.failures(require_below={"BA A->T": row["high"]})) == 1


def test_every_number_of_a_report_has_its_gate(kind: Kind) -> None:
    counts = kind.count(
        TRUTH,
        {"more": AMPLIFIED, "said": SAID},
        GROUP,
        {"more": GROUP, "said": GROUP},
        **kind.apart,
    )
    report = bam.audit_counts(counts, n_boot=100)
    doubtful = {
        (row["model"], f"BA {row['direction']}")
        for row in report.summary["verdicts"]
        if row["reason"] in ("direction_unknown", "reference_balanced")
    }
    rows = [(row["slug"], row) for row in report.summary["metrics"]]
    rows += [(row["measure"], row) for row in report.summary["fairness"]]
    for name in dict.fromkeys(name for name, _ in rows):
        named = [row for other, row in rows if other == name]
        assert {row["model"] for row in named} == {"more", "said"}
        judged = [row for row in named if row["low"] is not None]
        # A number without an interval fails either way.
        unjudged = [row["model"] for row in named if row["low"] is None]
        for bound in [-9, 9, *(row[end] for row in judged for end in ("value", "low", "high"))]:
            above = [failure.model for failure in report.failures({name: bound})]
            assert above == [row["model"] for row in judged if row["low"] > bound] + unjudged
            below = [failure.model for failure in report.failures(require_below={name: bound})]
            failed = [row["model"] for row in judged if row["high"] >= bound]
            # Where the sign may be noise, a value far below 0 may be one far above it.
            either = [
                row["model"]
                for row in judged
                if (row["model"], row.get("name")) in doubtful
                and row["low"] <= -bound < -row["high"]
            ]
            assert below[: len(failed)] == failed
            assert sorted(below[len(failed) :]) == sorted(either + unjudged)


def test_few_rows_pass_one_gate_and_not_the_other() -> None:
    """Both files hold a model that changes nothing; only many rows show it."""

    def audited(times: int) -> bam.AuditReport:
        # Errors that keep the rate of each group: one in ten positives, as many negatives.
        said = [0] * 3 + [1] * 27 + [1] * 3 + [0] * 17 + [0] * 2 + [1] * 18 + [1] * 2 + [0] * 28
        rows = [TRUTH * times, said * times]
        return bam.audit(*rows, sensitive_features=GROUP * times, n_boot=200)

    few, many = audited(1), audited(50)
    assert few.failures({"BA A->T": 0.02}) == many.failures({"BA A->T": 0.02}) == []
    assert names(few.failures(require_below={"BA A->T": 0.02})) == ["BA A->T"]
    assert many.failures(require_below={"BA A->T": 0.02}) == []


def test_a_sign_that_may_be_noise_is_not_shown_to_be_below() -> None:
    # 52 and 48 of 100 are positive, so that nothing tells which group is favoured; the model says
    # 20 and 75. BA is ((.20 - .52) - (.75 - .48)) / 2 = -.295, or +.295 with the other sign.
    truth, said = [1] * 52 + [0] * 48 + [1] * 48 + [0] * 52, [1] * 20 + [0] * 80 + [1] * 75
    groups = ["a"] * 100 + ["b"] * 100
    report = bam.audit(truth, said + [0] * 25, sensitive_features=groups, n_boot=200)
    assert row_of(report, "BA A->T")["value"] == pytest.approx(-0.295)
    (failure,) = report.failures(require_below={"BA A->T": 0.02})
    assert not failure.judged
    assert failure.sentence.endswith("and cannot be judged: its direction may be noise")
    # Whichever sign it has, it is below .5; and it is not shown to be above .02.
    assert report.failures(require_below={"BA A->T": 0.5}) == []
    assert report.failures({"BA A->T": 0.02}) == []


def test_each_model_is_judged() -> None:
    models = {"truth": TRUTH, "extreme": SAID, "more": AMPLIFIED}
    report = bam.audit(TRUTH, models, sensitive_features=GROUP, n_boot=200)
    (failure,) = report.failures({"BA A->T": 0.2})
    assert str(failure).startswith("extreme: BA A->T")
    required = report.failures(require_below={"BA A->T": 0.2})
    assert [failure.model for failure in required] == ["extreme"]


def test_fairness_measures(report: bam.AuditReport) -> None:
    # Group a: 50 of 50 are selected, group b: 0 of 50.
    row = fairness_of(report, "selection_rate_difference", "1")
    assert report.failures({"selection_rate_difference": row["low"]}) == []
    (failure,) = report.failures({"selection_rate_difference": 0.5})
    interval = f"[{row['low']:.4f}, {row['high']:.4f}]"
    assert str(failure) == (
        f"model: selection rate difference of class 1 is 1.0000 {interval}, above 0.5"
    )
    # 30 of 50 and 30 of 50 are right.
    (failure,) = report.failures(require_below={"accuracy_difference": 0.01})
    assert failure.sentence.startswith("accuracy difference is 0.0000 [")


def test_the_task_has_the_name_that_the_user_gave() -> None:
    truth = pd.Series(TRUTH, name="hired")
    report = bam.audit(truth, SAID, sensitive_features=GROUP, n_boot=50)
    (failure,) = report.failures({"selection_rate_difference": 0.5})
    assert failure.sentence.startswith("selection rate difference of hired = 1 is 1.0000 [")


def test_every_task_of_a_fairness_measure_is_judged() -> None:
    truth = np.array([TRUTH, TRUTH, TRUTH]).T
    said = np.array([SAID, TRUTH, AMPLIFIED]).T
    report = bam.audit(truth, said, sensitive_features=GROUP, n_boot=200)
    # The rates of the groups are 1 and 0; 30/50 and 20/50; 35/50 and 15/50.
    found = report.failures({"selection_rate_difference": 0.15})
    assert [failure.sentence.partition(" is ")[0] for failure in found] == [
        "selection rate difference of task 0",
        "selection rate difference of task 2",
    ]


# What cannot be judged.


def test_no_interval() -> None:
    report = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, n_boot=0)
    for gates in ({"above": {"BA A->T": 0}}, {"require_below": {"BA A->T": 0}}):
        (failure,) = report.failures(**gates)
        assert not failure.judged
        assert str(failure) == (
            "model: BA A->T cannot be judged: it has no interval (no replicates were drawn)"
        )
    (failure,) = report.failures({"selection_rate_difference": 0})
    assert not failure.judged


@pytest.mark.parametrize(("n_boot", "drawn"), [(1, "1 replicate is"), (10, "10 replicates are")])
def test_too_few_replicates_are_said_once(n_boot: int, drawn: str) -> None:
    report = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, n_boot=n_boot)
    for name in ("BA A->T", "excess A->T", "accuracy_difference"):
        (failure,) = report.failures({name: 0})
        assert failure.sentence == (
            f"{failure.name} cannot be judged: it has no interval ({drawn} too few: a level of "
            "0.95 needs n_boot=40 or more)"
        )


def test_runs_have_intervals_without_replicates() -> None:
    # Student's t over runs needs none, so that n_boot=0 is no reason to refuse a gate.
    said = [AMPLIFIED, SAID, SAID[::-1]]
    audits = [bam.audit(TRUTH, x, sensitive_features=GROUP, n_boot=0) for x in said]
    runs = summarize_reports({str(i): audit for i, audit in enumerate(audits)})
    (failure,) = runs.failures({"DPA A->T": -1})
    assert failure.judged


def test_undefined_is_said_to_be_so() -> None:
    # Nothing is called positive, so MALS has no rate to compare.
    report = bam.audit(TRUTH, [0] * 100, sensitive_features=GROUP, n_boot=20)
    (failure,) = report.failures({"MALS": 0})
    assert failure.sentence == (
        "MALS cannot be judged: it has no interval (every pair is undefined; the value is "
        "undefined)"
    )


@pytest.fixture(scope="module")
def balanced() -> bam.AuditReport:
    """Both groups have 25 of 50; the model calls all of one group positive."""
    truth = ([1] * 25 + [0] * 25) * 2
    return bam.audit(
        truth, SAID, sensitive_features=GROUP, sensitive_features_pred=GROUP, n_boot=200
    )


@pytest.mark.parametrize(
    ("name", "judged"),
    [
        ("MALS", False),
        ("BA A->T", False),
        ("BA T->A", False),
        ("Multi undirected", False),
        # No sign of the reference enters these.
        ("Multi A->T", True),
        ("LA", True),
        ("DPA A->T", True),
        ("selection_rate_difference", True),
    ],
)
def test_a_balanced_reference(balanced: bam.AuditReport, name: str, judged: bool) -> None:
    (failure,) = balanced.failures({name: -0.1})
    assert failure.judged is judged
    if not judged:
        assert failure.sentence.endswith(
            "the reference is balanced, or of one class or group: it is 0 by construction, "
            "whatever the model does"
        )
        (required,) = balanced.failures(require_below={name: 0.1})
        assert not required.judged


def test_runs_of_a_balanced_reference(balanced: bam.AuditReport, report: bam.AuditReport) -> None:
    # A summary of runs has no results to ask, and the mean would hold a 0 that says nothing.
    for others in ({"2": balanced}, {"2": report}):
        runs = summarize_reports({"1": balanced} | others)
        found = runs.failures({"MALS": 0.1, "BA": 0.1})
        assert [failure.judged for failure in found] == [False] * 3
    assert row_of(runs, "LA")["zero_by_construction"] is False


def test_what_exceeds_comes_first(balanced: bam.AuditReport) -> None:
    found = balanced.failures({"BA A->T": 0, "LA": 0}, require_below={"MALS": 1, "Multi A->T": 0})
    assert names(found) == ["LA", "Multi A->T", "BA A->T", "MALS"]
    assert [failure.judged for failure in found] == [True, True, False, False]


# Bad gates.


@pytest.mark.parametrize("bound", [float("nan"), float("inf"), True, "0.02", None])
def test_bounds_must_be_finite_numbers(report: bam.AuditReport, bound: Any) -> None:
    for gates in ({"above": {"BA": bound}}, {"require_below": {"BA": bound}}):
        with pytest.raises(ValueError, match=r"must be a finite number; received .* for 'BA'$"):
            report.failures(**gates)


@pytest.mark.parametrize("bound", [np.float32(0.5), np.int64(0), Decimal("0.25")])
def test_any_real_number_is_a_bound(report: bam.AuditReport, bound: Any) -> None:
    assert bool(report.failures({"BA A->T": bound})) == (bound < row_of(report, "BA A->T")["low"])


@pytest.mark.parametrize("gates", [["BA"], "BA A->T", {("BA", "A->T"): 0}, 0.02])
def test_gates_must_be_a_mapping_of_names(report: bam.AuditReport, gates: Any) -> None:
    for argument in ("above", "require_below"):
        with pytest.raises(ValueError, match=r"must be a mapping from names to bounds; received"):
            report.failures(**{argument: gates})


def test_no_gate_at_all(report: bam.AuditReport) -> None:
    # It would pass whatever the model does.
    for above in (None, {}):
        with pytest.raises(ValueError, match="at least one bound or set of verdicts"):
            report.failures(above)


# Excess and verdicts.


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("excess A->T", ["excess A->T"]),
        ("excess_a_to_t", ["excess A->T"]),
        ("excess_ba_a_to_t", ["excess A->T"]),
        ("BA A->T excess", ["excess A->T"]),
        ("excess_ba", ["excess A->T", "excess T->A"]),
        ("excess BA->", ["excess A->T", "excess T->A"]),
        (f"excess {BA}", ["excess A->T", "excess T->A"]),
        ("excess", ["excess A->T", "excess T->A"]),
        ("excess MALS", ["excess MALS"]),
        ("excess_mals", ["excess MALS"]),
    ],
)
def test_excess_by_its_names(report: bam.AuditReport, name: str, found: list[str]) -> None:
    assert names(report.failures({name: -9})) == found
    assert names(report.failures(require_below={name: -9})) == found


def test_excess_is_judged_on_its_own_interval(report: bam.AuditReport) -> None:
    excess = row_of(report, "BA A->T")["excess"]
    assert report.failures({"excess A->T": excess["low"]}) == []
    # 60 of 100 rows are right, as many of each class: blind errors give every group a gap of
    # .2 x .2 = .04 for one of .2, so BA is -.08 and the excess .4 + .08.
    (failure,) = report.failures({"excess A->T": excess["low"] - 1e-6})
    assert failure.sentence.startswith(f"excess A->T is +0.4800 [{excess['low']:+.4f}, ")
    (failure,) = report.failures(require_below={"excess A->T": excess["high"]})
    assert "not shown to be below" in failure.sentence


def test_excess_of_a_balanced_reference(balanced: bam.AuditReport) -> None:
    (failure,) = balanced.failures({"excess A->T": -0.1})
    assert not failure.judged


#: What models say, and the verdict on each.
SAYINGS = {
    "amplifies": SAID,
    "reverses": [0] * 50 + [1] * 50,
    "no_errors": TRUTH,
    "constant": [1] * 100,
    # One positive and one negative of each group are wrong, so that rates stay.
    "no_clear_change": [0, *[1] * 30, *[0] * 19, 0, *[1] * 20, *[0] * 29],
}


@pytest.fixture(scope="module")
def models() -> bam.AuditReport:
    """One model for each verdict, named after it."""
    said = {name: said * 5 for name, said in SAYINGS.items()}
    return bam.audit(TRUTH * 5, said, sensitive_features=GROUP * 5, n_boot=200)


@pytest.mark.parametrize("code", SAYINGS)
def test_a_verdict_can_be_forbidden(models: bam.AuditReport, code: str) -> None:
    sentences = {row["model"]: row["sentence"] for row in models.summary["verdicts"]}
    (failure,) = models.failures({"verdict": {code, "reduces"}})
    assert str(failure) == f"{code}: verdict A->T is {code}: {sentences[code]}"
    assert failure.judged


def test_several_verdicts_can_be_forbidden(models: bam.AuditReport) -> None:
    found = models.failures({"verdict A->T": ["amplifies", "reverses"]})
    assert [failure.model for failure in found] == ["amplifies", "reverses"]
    assert models.failures({"verdict": {"reduces", "mistakes_only"}}) == []


def test_where_the_report_cannot_say(balanced: bam.AuditReport) -> None:
    # So it cannot say either that nothing forbidden is the case.
    (failure,) = balanced.failures({"verdict A->T": {"amplifies"}})
    assert not failure.judged
    assert failure.sentence.startswith(
        "verdict A->T cannot be judged: The reference is balanced, so BA is 0 whatever"
    )
    (failure,) = balanced.failures({"verdict A->T": {"cannot_say"}})
    assert failure.judged
    assert failure.sentence.startswith("verdict A->T is cannot_say: The reference is balanced")


def test_verdicts_of_one_direction(report: bam.AuditReport) -> None:
    # The attribute is predicted without an error.
    both = {"amplifies", "no_errors"}
    assert names(report.failures({"verdict": both})) == ["verdict A->T", "verdict T->A"]
    assert names(report.failures({"verdict T\u2192A": both})) == ["verdict T->A"]
    assert names(report.failures({"verdict_a_to_t": both})) == ["verdict A->T"]


@pytest.mark.parametrize(
    ("name", "directions"),
    [("verdict", 2), ("BA", 2), ("verdict BA->", 2), ("A->T", 1), ("BA A->T", 1), ("t_to_a", 1)],
)
def test_verdicts_by_their_names(report: bam.AuditReport, name: str, directions: int) -> None:
    assert len(report.failures({name: {"Amplifies", "no errors"}})) == directions
    gate = parse_gate("--fail-verdict", f"{name}=amplifies")
    assert gate == ForbiddenVerdicts(name, ("amplifies",))


def test_a_single_code_needs_no_set(report: bam.AuditReport) -> None:
    assert names(report.failures({"verdict A->T": "amplifies"})) == ["verdict A->T"]


@pytest.mark.parametrize("codes", [0.02, None, set(), "amplified", {"amplified"}, [["reduces"]]])
def test_verdicts_must_be_a_set_of_codes(report: bam.AuditReport, codes: Any) -> None:
    with pytest.raises(ValueError, match=r"a verdict has no bound|must be some of .*; received"):
        report.failures({"verdict": codes})


def test_a_verdict_is_of_ba_only(report: bam.AuditReport) -> None:
    known = r"a verdict of the report, one of \['verdict A->T', 'verdict T->A'\]"
    with pytest.raises(ValueError, match=rf"{known}.*received 'MALS'$"):
        report.failures({"MALS": {"amplifies"}})


def test_a_verdict_that_the_report_lacks(models: bam.AuditReport) -> None:
    with pytest.raises(ValueError, match=r"\['verdict A->T'\].*received 'verdict T->A'"):
        models.failures({"verdict T->A": {"amplifies"}})


def test_verdicts_over_runs(report: bam.AuditReport, balanced: bam.AuditReport) -> None:
    other = bam.audit(
        TRUTH, SAID, sensitive_features=GROUP, sensitive_features_pred=GROUP, n_boot=50
    )
    runs = summarize_reports({"1": report, "2": other})
    assert names(runs.failures({"verdict": {"amplifies"}})) == ["verdict A->T"]
