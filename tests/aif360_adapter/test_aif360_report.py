"""The audit of AIF360 datasets: ours as the core audits the rows, and AIF360's own beside it."""

from __future__ import annotations

import json
import re
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

from dataset_cases import (
    SEXES,
    ClassificationMetric,
    classified,
    dataset,
    fixed_frame,
    hiring,
    metric_of,
    quiet,
    rows_of,
    sides,
)

import biasamp_adapters as bam
from biasamp_adapters.aif360 import BiasAmplificationMetric, audit_report

COMPARED = {
    "accuracy": "accuracy",
    "Theil index": "theil_index",
    "statistical parity difference": "statistical_parity_difference",
    "disparate impact": "disparate_impact",
    "equal opportunity difference": "equal_opportunity_difference",
    "false positive rate difference": "false_positive_rate_difference",
    "average odds difference": "average_odds_difference",
    "error rate difference": "error_rate_difference",
    "between-group Theil index": "between_group_theil_index",
}
FOULDS = "differential fairness bias amplification (Foulds et al.; without a direction)"


def report_of(metric: Any, **options: Any) -> bam.AuditReport:
    """The report, without intervals if nothing else is said."""
    return audit_report(metric, **{"n_boot": 0, **options})


def own(report: bam.AuditReport) -> dict[str, dict[str, Any]]:
    """AIF360's measures of a report by name."""
    return {row["measure"]: row for row in report.summary["aif360"]}


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("n_labels", [2, 3], ids=["binary", "multi-class"])
def test_ours_as_the_core_audits_the_rows(n_labels: int, weighted: bool) -> None:
    frame, train = fixed_frame(n_labels=n_labels), fixed_frame(90, n_labels)
    metric = metric_of(
        frame,
        weighted=weighted,
        **SEXES,
        reference_dataset=dataset(train, weighted=weighted),
        predicted_protected_attributes=frame["sex_pred"],
    )
    weight = frame["weight"] if weighted else None
    seen = bam.JointCounts.from_arrays(
        train["T"].to_numpy(),
        sensitive_features=sides(train["sex"]),
        sample_weight=train["weight"].to_numpy() if weighted else None,
    )
    expected = bam.audit(
        frame["T"],
        frame["T_pred"],
        sensitive_features=sides(frame["sex"]),
        sensitive_features_pred=sides(frame["sex_pred"]),
        reference=seen,
        sample_weight=weight,
        n_boot=0,
    ).to_frame()
    found = report_of(metric).to_frame()
    assert found["metric"].tolist() == expected["metric"].tolist()
    assert found["direction"].tolist() == expected["direction"].tolist()
    assert len(found) > 8
    for column in ("value", "blind_errors", "excess"):
        ours, theirs = found[column].tolist(), expected[column].tolist()
        assert ours == pytest.approx(theirs, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("n_labels", [2, 3], ids=["binary", "multi-class"])
def test_measures_of_aif360(n_labels: int, weighted: bool) -> None:
    frame = fixed_frame(n_labels=n_labels)
    truth = dataset(frame, weighted=weighted)
    plain = ClassificationMetric(truth, classified(truth, frame["T_pred"]), **SEXES)
    found = own(report_of(metric_of(frame, weighted=weighted, **SEXES)))
    expected = {name: float(getattr(plain, method)()) for name, method in COMPARED.items()}
    expected[FOULDS] = float(plain.differential_fairness_bias_amplification())
    assert {name: row["value"] for name, row in found.items()} == expected
    assert found["disparate impact"]["ideal"] == found["accuracy"]["ideal"] == 1
    assert found[FOULDS]["ideal"] == 0


def test_the_task_has_the_name_of_the_label() -> None:
    assert report_of(metric_of(hiring(), **SEXES)).summary["data"]["task"] == "T"


def test_rates_of_both_groups() -> None:
    found = own(report_of(metric_of(hiring(), **SEXES)))["equal opportunity difference"]
    assert found["value"] == pytest.approx(0 / 10 - 40 / 40)
    assert [(of["group"], of["value"], of["low"], of["high"]) for of in found["groups"]] == [
        ("unprivileged", 0.0, None, None),
        ("privileged", 1.0, None, None),
    ]
    for number in (found, *found["groups"]):
        assert number["note"].startswith("AIF360 computes it without an interval")
    found = own(report_of(metric_of(hiring(), **SEXES)))["statistical parity difference"]
    assert [of["value"] for of in found["groups"]] == [0 / 50, 40 / 50]


def test_without_groups_only_measures_of_all_rows() -> None:
    report = report_of(metric_of(fixed_frame()))
    assert list(own(report)) == ["accuracy", "Theil index", FOULDS]
    assert len(report.summary["data"]["groups"]) == 4


def test_measures_that_divide_by_0_are_none() -> None:
    # Sex 1 is never predicted to be hired: 0 / 0 by disparate impact, and no TPR of sex 0.
    frame = rows_of([[10, 0], [5, 5]], "sex", "T").astype(float).assign(T_pred=0.0)
    report = quiet(report_of, metric_of(frame, **SEXES))
    assert own(report)["disparate impact"]["value"] is None
    assert own(report)["equal opportunity difference"]["groups"][0]["value"] is None
    json.loads(report.to_json(), parse_constant=pytest.fail)


def test_one_combination_of_attributes() -> None:
    # Directions come from the training data, so one group is enough for ours.
    frame = rows_of([[6, 4]], "sex", "T").astype(float).assign(T_pred=[0.0] * 5 + [1.0] * 5)
    train = dataset(hiring())
    metric = metric_of(frame, reference_dataset=train)
    report = quiet(report_of, metric)
    assert own(report)["accuracy"]["value"] == 0.9
    assert own(report)[FOULDS]["value"] is None


def test_all_renderings_hold_the_table() -> None:
    report = report_of(metric_of(fixed_frame(), **SEXES), n_boot=100)
    value = own(report)["statistical parity difference"]["value"]
    page = re.sub(r"<[^>]+>", "", report.to_html() or "")
    for text in (report.to_text(full=True), report.to_markdown(), page):
        assert text is not None
        for name in ("AIF360's own measures", *COMPARED, f"{value:+.4f}"):
            assert name.replace("'", "&#39;") in text or name in text
        assert "Foulds et al.; without a direction" in text
    data = json.loads(report.to_json() or "", parse_constant=pytest.fail)
    assert data["aif360"] == report.summary["aif360"]


def test_intervals_and_title() -> None:
    frame = fixed_frame()
    options = {"n_boot": 200, "random_state": 1, "confidence": 0.9, "title": "Our model"}
    report = report_of(metric_of(frame, **SEXES), **options)
    expected = bam.audit(
        frame["T"], frame["T_pred"], sensitive_features=sides(frame["sex"]), **options
    )
    columns = ["value", "low", "high"]
    pd.testing.assert_frame_equal(
        report.to_frame()[columns], expected.to_frame()[columns], rtol=0, atol=1e-12
    )
    assert report.to_frame()["low"].notna().any()
    assert (report.to_markdown() or "").startswith("# Our model")


@pytest.mark.parametrize("n_labels", [2, 3], ids=["binary", "multi-class"])
def test_meanings_of_codes_are_in_the_notes(n_labels: int) -> None:
    frame = fixed_frame(n_labels=n_labels)
    maps = {
        "label_maps": [{0.0: "denied", 1.0: "short", 2.0: "long"}],
        "protected_attribute_maps": [{1.0: "male", 0.0: "female"}, {1: "old", 0: "young"}],
    }
    truth = dataset(frame, metadata=maps)
    metric = BiasAmplificationMetric(truth, classified(truth, frame["T_pred"]), **SEXES)
    report = report_of(metric)
    for note in (
        "T: 0 is denied, 1 is short, 2 is long",
        "sex: 1 is male, 0 is female",
        "age: 1 is old, 0 is young",
    ):
        assert note in report.summary["notes"]
        assert note in " ".join(report.to_text(full=True).split())


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"label_maps": [], "protected_attribute_maps": []},
        {"label_maps": None, "protected_attribute_maps": None},
        {"label_maps": [{"1": "yes", "0": "no"}]},
    ],
    ids=["none", "empty", "None", "codes as text"],
)
def test_other_metadata(metadata: dict[str, Any]) -> None:
    frame = fixed_frame()
    truth = dataset(frame, metadata=dict(metadata))
    metric = BiasAmplificationMetric(truth, classified(truth, frame["T_pred"]), **SEXES)
    assert len(own(report_of(metric))) == 10


def test_rows_in_neither_group_are_noted() -> None:
    frame = fixed_frame()
    frame.loc[:3, "sex"] = 2.0
    guess = frame["sex"].replace(2.0, 1.0)
    guess[10] = 5.0
    train = fixed_frame(50)
    train.loc[:1, "sex"] = 2.0
    metric = metric_of(
        frame,
        **SEXES,
        reference_dataset=dataset(train),
        predicted_protected_attributes=guess,
    )
    notes = report_of(metric).summary["notes"]
    for note in (
        "4 row(s) of the dataset are in none of the groups and left out",
        "1 row(s) are predicted to be in none of the groups and count as wrong",
        "2 row(s) of the reference are in none of the groups and left out",
        "AIF360's measures of all rows count the rows that are in none of the groups",
    ):
        assert note in notes


def test_no_note_where_every_row_is_in_a_group() -> None:
    notes = report_of(metric_of(fixed_frame(), **SEXES)).summary["notes"]
    assert not any("none of the groups" in note for note in notes)


def test_a_report_follows_a_changed_dataset() -> None:
    metric = metric_of(hiring(), **SEXES)
    assert own(report_of(metric))["accuracy"]["value"] == 0.9
    metric.classified_dataset.labels[:] = metric.dataset.labels
    report = report_of(metric)
    assert own(report)["accuracy"]["value"] == 1
    assert report.to_frame()["value"].abs().max() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("metric", [3, None, hiring()], ids=["number", "None", "frame"])
def test_reports_of_something_else(metric: Any) -> None:
    with pytest.raises(TypeError, match="metric must be a BiasAmplificationMetric; received"):
        report_of(metric)


def test_reports_of_a_plain_metric() -> None:
    truth = dataset(hiring())
    with pytest.raises(TypeError, match=r"must be a BiasAmplificationMetric; .*ClassificationM"):
        report_of(ClassificationMetric(truth, truth.copy(), **SEXES))


@pytest.mark.parametrize(
    ("changed", "guess", "message"),
    [
        ({"sex": 1.0}, None, "^protected_attributes must have at least two groups"),
        ({}, 7.0, "^predicted_protected_attributes must hold only labels known .* received 7.0"),
    ],
    ids=["one group", "unknown guess"],
)
def test_errors_have_the_names_of_aif360(
    changed: dict[str, float], guess: float | None, message: str
) -> None:
    frame = hiring().assign(**changed)
    predicted = None if guess is None else [guess] * len(frame)
    metric = metric_of(frame, predicted_protected_attributes=predicted)
    for read in (report_of, lambda metric: metric.directional_bias_amplification("T->A")):
        with pytest.raises(ValueError, match=message):
            read(metric)


def test_reports_have_gates() -> None:
    report = report_of(metric_of(fixed_frame(), **SEXES), n_boot=50)
    lows = {row["slug"]: row["low"] for row in report.summary["metrics"] if row["low"] is not None}
    assert len(lows) > 3
    assert report.failures(lows) == []
    exceeded = report.failures({slug: low - 0.001 for slug, low in lows.items()})
    assert len(exceeded) == len(lows)
