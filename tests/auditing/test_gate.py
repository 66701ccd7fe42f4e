"""Gates for continuous integration, judged on the interval."""

from __future__ import annotations

import pytest
from report_cases import AMPLIFIED, GROUP, TRUTH, row_of

import biasamp_adapters as bam
from biasamp_adapters.auditing.gate import Gate, judge, parse_gate


def exceeded(report: bam.AuditReport, gate: Gate) -> list[str]:
    """What is above the bound of one gate."""
    return judge([report], [gate])[0]


def not_judged(report: bam.AuditReport, gate: Gate) -> list[str]:
    """What one gate cannot judge."""
    return judge([report], [gate])[1]


@pytest.fixture(scope="module")
def report() -> bam.AuditReport:
    """Rates of 1 and 0 where the truth has 30/50 and 20/50: clearly amplified."""
    said = [1] * 50 + [0] * 50
    return bam.audit(
        TRUTH, said, sensitive_features=GROUP, sensitive_features_pred=GROUP, n_boot=200
    )


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("BA A->T=0.02", Gate("BA A->T", 0.02)),
        (" BA A->T = -1e-3 ", Gate("BA A->T", -0.001)),
        ("BA A\u2192T=0.02", Gate("BA A->T", 0.02)),
        ("BA a->t=0.02", Gate("BA A->T", 0.02)),
        ("DPA(U) Task_To_Attribute=0.02", Gate("DPA(U) T->A", 0.02)),
        ("Multi Undirected=0.02", Gate("Multi undirected", 0.02)),
        ("MALS=0", Gate("MALS", 0)),
        ("a=b=1", Gate("a=b", 1)),
    ],
)
def test_parse(text: str, gate: Gate) -> None:
    assert parse_gate(text) == gate


@pytest.mark.parametrize("text", ["", "BA", "BA=", "=1", " =1", "BA=x", "BA=1,5", "BA>1"])
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"--fail-above must be METRIC=X with a number X.*received"
    ):
        parse_gate(text)


def test_not_a_number_is_refused() -> None:
    # Nothing is above NaN: such a gate would let everything pass.
    with pytest.raises(ValueError, match=r"--fail-above must be METRIC=X with a number X"):
        parse_gate("BA=nan")


@pytest.mark.parametrize(
    "name",
    ["BA A->T", "DirectionalBiasAmplification A->T", "LA", "LeakageAmplification", "DPA(U) A->T"],
)
def test_one_metric_by_its_names(report: bam.AuditReport, name: str) -> None:
    assert len([*exceeded(report, Gate(name, -9))]) == 1


@pytest.mark.parametrize(
    ("name", "directions"),
    [("BA", 2), ("DirectionalBiasAmplification", 2), ("Multi", 3), ("DPA", 2)],
)
def test_all_directions_without_one(report: bam.AuditReport, name: str, directions: int) -> None:
    assert len([*exceeded(report, Gate(name, -9))]) == directions


def test_judged_on_the_lower_end(report: bam.AuditReport) -> None:
    row = row_of(report, "BA A->T")
    assert row["low"] < row["value"] < row["high"]
    # A value above the bound is not enough: the whole interval must be.
    assert [*exceeded(report, Gate("BA A->T", (row["low"] + row["value"]) / 2))] == []
    assert [*exceeded(report, Gate("BA A->T", row["low"]))] == []
    (line,) = exceeded(report, Gate("BA A->T", row["low"] - 1e-6))
    # Group a moves from .6 to 1, group b from .4 to 0.
    assert "BA A->T is +0.4000" in line
    assert f"[{row['low']:+.4f}, {row['high']:+.4f}]" in line


def test_each_model_is_judged() -> None:
    models = {"truth": TRUTH, "extreme": [1] * 50 + [0] * 50, "more": AMPLIFIED}
    report = bam.audit(TRUTH, models, sensitive_features=GROUP, n_boot=200)
    (line,) = exceeded(report, Gate("BA A->T", 0.2))
    assert line.startswith("extreme: BA A->T")


def test_unknown_metric(report: bam.AuditReport) -> None:
    with pytest.raises(ValueError, match=r"one of \['MALS', 'BA A->T', .*received 'ba'"):
        [*exceeded(report, Gate("ba", 0))]


def test_direction_that_the_report_lacks() -> None:
    report = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, n_boot=20)
    with pytest.raises(ValueError, match="received 'BA T->A'"):
        [*exceeded(report, Gate("BA T->A", 0))]


def test_nothing_to_judge_by() -> None:
    report = bam.audit(TRUTH, AMPLIFIED, sensitive_features=GROUP, n_boot=0)
    (line,) = not_judged(report, Gate("BA A->T", 0))
    assert line.startswith("model: BA A->T cannot be judged: it has no interval (")
    assert exceeded(report, Gate("BA A->T", 0)) == []


def test_undefined_is_said_to_be_so() -> None:
    # Nothing is called positive, so MALS has no rate to compare.
    report = bam.audit(TRUTH, [0] * 100, sensitive_features=GROUP, n_boot=20)
    (line,) = not_judged(report, Gate("MALS", 0))
    assert "MALS cannot be judged: it has no interval (" in line
    assert "undefined" in line


def test_a_balanced_reference_judges_no_metric_with_signs() -> None:
    # Both groups have 25 of 50; DPA and LA need no sign.
    truth = ([1] * 25 + [0] * 25) * 2
    report = bam.audit(truth, [1] * 50 + [0] * 50, sensitive_features=GROUP, n_boot=200)
    (line,) = not_judged(report, Gate("BA A->T", 0.1))
    assert line.endswith(
        "the reference is balanced, or of one class or group: it is 0 by construction, "
        "whatever the model does"
    )
    assert [*not_judged(report, Gate("LA", 0.1))] == []
