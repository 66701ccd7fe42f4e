"""Audits of AIF360's datasets, with AIF360's own measures."""

import numpy as np
import pytest
from aif360_cases import SEXES, classified, compas, dataset, drawn, hiring, metric_of
from whole_audits import text_of

import biasamp_adapters as bam
from biasamp_adapters.aif360 import BiasAmplificationMetric, audit_report

# isort: split
from aif360.metrics import BinaryLabelDatasetMetric, ClassificationMetric

MEASURES = [
    *("accuracy", "theil_index", "differential_fairness_bias_amplification"),
    *("statistical_parity_difference", "disparate_impact", "equal_opportunity_difference"),
    *("false_positive_rate_difference", "average_odds_difference", "error_rate_difference"),
    "between_group_theil_index",
]


def test_report_of_the_host_s_metric_is_that_of_arrays() -> None:
    test, predicted = compas()
    report = audit_report(ClassificationMetric(test, predicted, [{"r": 0}], [{"r": 1}]))
    frame = report.to_frame().set_index("key")
    assert round(frame["value"]["ba_a_to_t"], 4) == 0.0598
    expected = bam.audit(
        test.labels.ravel(),
        predicted.labels.ravel(),
        sensitive_features=test.protected_attributes.ravel(),
        y_score=predicted.scores.ravel(),
        pos_label=0,
    )
    assert frame.equals(expected.to_frame().set_index("key"))
    assert report.to_frame("thresholds").equals(expected.to_frame("thresholds"))
    text = text_of(report)
    assert "two_year_recid = 0 is marked as favourable" in text
    assert "the gap between r = 1 and r = 0 in two_year_recid = 0 grows from 12 points" in text
    assert "In the decisions at 0.6 or more" in text
    assert "Give scores" not in text
    assert "the unprivileged group is r = 0, and the privileged one is r = 1." in text
    assert "AIF360's own measures measure value ideal" in text
    # 41.2% minus 65.2%, of the table of rates.
    assert "statistical parity difference −0.2402 0" in text


@pytest.mark.parametrize("n_labels", [2, 3])
def test_report_has_the_host_s_measures(n_labels) -> None:
    frame = drawn(n_labels)
    truth = dataset(frame, weighted=True)
    predicted = classified(truth, frame["y_pred"])
    host = ClassificationMetric(truth, predicted, **SEXES)
    ours = BiasAmplificationMetric(truth, predicted, **SEXES)
    records = audit_report(ours, n_boot=0).to_frame("aif360")
    assert records["value"].tolist() == [float(getattr(host, name)()) for name in MEASURES]
    assert records["ideal"].tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    assert records["measure"].tolist()[-1] == "between group Theil index"
    theirs, report = (audit_report(metric, n_boot=0) for metric in (host, ours))
    assert theirs.to_frame().equals(report.to_frame())
    assert ("favourable labels (1, 2) with" in text_of(report)) == (n_labels == 3)
    assert "does not know" not in text_of(report)


def test_report_without_two_groups_has_measures_of_all_rows() -> None:
    report = audit_report(metric_of(drawn()), n_boot=0)
    assert len(report.to_frame("aif360")) == 3
    assert "y = 1 by sex × age" in report.to_text()
    assert "unprivileged" not in report.to_text(full=True)


def test_measure_that_does_not_exist_is_none() -> None:
    frame = hiring().assign(y=1.0, y_pred=1.0)
    records = audit_report(metric_of(frame, **SEXES), n_boot=0).to_frame("aif360")
    values = records.set_index("measure")["value"]
    # Nobody is unfavourable, so there is no false positive rate.
    assert np.isnan(values["false positive rate difference"])
    assert values["accuracy"] == 1


def test_report_knows_reference_predicted_groups_and_clusters() -> None:
    frame = drawn()
    metric = metric_of(
        frame,
        weighted=True,
        **SEXES,
        reference_dataset=dataset(drawn(n=90)),
        predicted_protected_attributes=frame["sex_pred"],
        clusters=np.arange(240) // 2,
    )
    text = " ".join(audit_report(metric, n_boot=100).to_text().split())
    assert "signs of BA from 90 reference rows · weighted by instance_weights" in text
    assert "120 clusters · 95%" in text
    assert "y = 1 by sex, and sex predicted" in text


@pytest.mark.filterwarnings("ignore:Rows in neither")
def test_report_with_sides_of_several_attributes_says_what_they_are() -> None:
    sides = {"unprivileged_groups": [{"sex": 0, "age": 0}], "privileged_groups": [{"sex": 1}]}
    text = text_of(audit_report(metric_of(drawn(), **sides), n_boot=100))
    assert "the gap between privileged and unprivileged" in text
    assert "unprivileged group is sex = 0, age = 0, and the privileged one is sex = 1." in text
    assert "in neither of the two groups are left out" in text


def test_report_of_three_classes_knows_the_favourable_one() -> None:
    truth = dataset(drawn(3), favorable_label=[2.0], unfavorable_label=[0.0, 1.0])
    metric = ClassificationMetric(truth, classified(truth, drawn(3)["y_pred"]), **SEXES)
    text = text_of(audit_report(metric, n_boot=0))
    assert "y = 2 is marked as favourable" in text
    assert "AIF360's measures compare the favourable labels (2) with all the others" in text


def test_report_of_a_label_that_no_row_has_compares_it() -> None:
    frame = hiring().assign(y=1.0, y_pred=1.0)
    truth = dataset(frame, favorable_label=0, unfavorable_label=1)
    metric = ClassificationMetric(truth, classified(truth, frame["y_pred"]), **SEXES)
    assert "y = 0 is marked as favourable" in audit_report(metric, n_boot=0).to_markdown()


def test_report_with_sides_of_several_values_says_what_they_are() -> None:
    frame = drawn(3).assign(sex=lambda x: x["y"] + x["age"]).assign(y=lambda x: x["y"] > 0)
    frame = frame.assign(y_pred=lambda x: x["y_pred"] > 0).astype(float)
    sides = {"unprivileged_groups": [{"sex": 0}, {"sex": 2}], "privileged_groups": [{"sex": 1}]}
    with pytest.warns(bam.AmplificationWarning, match="neither"):
        report = audit_report(metric_of(frame, **sides), n_boot=0)
    groups = [group["name"] for group in report.summary["data"]["groups"]]
    assert groups == ["privileged", "unprivileged"]
    assert "unprivileged group is sex = 0 or sex = 2, and the privileged one is" in text_of(report)


def test_settings_reach_the_audit() -> None:
    settings = {"n_boot": 50, "confidence": 0.9, "random_state": 3}
    report = audit_report(metric_of(drawn(), **SEXES), title="Hiring", **settings)
    assert settings.items() <= report.summary["method"].items()
    assert report.to_text().startswith("Hiring")


def test_scores_that_are_labels_are_no_scores() -> None:
    frame = drawn()
    assert audit_report(metric_of(frame, **SEXES), n_boot=0).summary["data"]["scores"] == []
    truth = dataset(frame)
    scored = classified(truth, frame["y_pred"], 0.2 + 0.6 * frame["y_pred"])
    report = audit_report(BiasAmplificationMetric(truth, scored, **SEXES), n_boot=0)
    assert report.summary["data"]["scores"] == ["model"]
    scored.scores[0] = np.nan
    with pytest.raises(
        ValueError, match=r"classified_dataset\.scores must be finite; received nan"
    ):
        audit_report(BiasAmplificationMetric(truth, scored, **SEXES), n_boot=0)


def test_report_of_another_metric_raises() -> None:
    with pytest.raises(TypeError, match=r"dataset, \.\.\.\); received a BinaryLabelDatasetM"):
        audit_report(BinaryLabelDatasetMetric(dataset(hiring()), **SEXES))
    report = bam.audit([0, 1], [0, 1], sensitive_features=["a", "b"], n_boot=0)
    with pytest.raises(ValueError, match="part must be one of"):
        report.to_frame("aif360")
