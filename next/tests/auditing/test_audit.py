"""What an audit computes, against the metrics, the published example and visible arithmetic."""

from __future__ import annotations

import hashlib
import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam
from biasamp_adapters.auditing.model_audit import sort_gaps

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")


@pytest.fixture(scope="module")
def compas() -> pd.DataFrame:
    table = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
    return table.assign(high=(table["decile_score"] >= 5).astype(int))


@pytest.fixture(scope="module")
def report(compas: pd.DataFrame) -> bam.AuditReport:
    return bam.audit(compas, "high", y_true="two_year_recid", sensitive_features="race")


def by_key(report: bam.AuditReport) -> pd.DataFrame:
    return report.to_frame().set_index("key")


# Two groups and two classes


def test_audit_compas_gap_grows_from_12_to_24_points(report: bam.AuditReport) -> None:
    # 3,696 rows of which 1,901 have 1, and 2,454 of which 966 have 1; predicted 2,174 and 854.
    [gap] = report.summary["gaps"]
    assert (gap["first"], gap["second"], gap["of_class"]) == ("African-American", "Caucasian", 1)
    assert gap["true"] == pytest.approx(1901 / 3696 - 966 / 2454)
    assert gap["predicted"] == pytest.approx(2174 / 3696 - 854 / 2454)
    assert (gap["status"], gap["first_rows"], gap["second_rows"]) == ("grows", 3696, 2454)
    assert (round(gap["low"], 2), round(gap["high"], 2)) == (0.09, 0.15)
    [verdict] = report.verdicts
    assert (verdict.model, verdict.direction, verdict.code) == ("high", "A->T", "amplifies")


def test_audit_two_groups_mean_change_is_twice_ba(report: bam.AuditReport) -> None:
    numbers = by_key(report)["value"]
    assert numbers["ba_a_to_t"] == pytest.approx(0.0598, abs=5e-5)
    assert numbers["mean_change_a_to_t"] == pytest.approx(2 * numbers["ba_a_to_t"])
    assert report.summary["verdicts"][0]["half"]


def test_audit_compas_error_rates_of_the_gap(report: bam.AuditReport) -> None:
    errors = {record["labelled"]: record for record in report.summary["errors"]}
    rates = [errors[kind][side] for kind in errors for side in ("first", "second")]
    assert np.round(rates, 2).tolist() == [0.45, 0.23, 0.72, 0.52]
    assert all(record["low"] > 0 for record in errors.values())


def test_audit_equal_error_rates_give_the_gap_of_pooled_errors(report: bam.AuditReport) -> None:
    # Of all rows, the share predicted 1 is .6247 where the label is 1 and .3399 where it is 0...
    [gap] = report.summary["gaps"]
    rates = report.to_frame("rates").query("of_class == 1").set_index("group")
    ones = {g: rates.loc[g, "true"] * rates.loc[g, "rows"] for g in rates.index}
    hits = sum(rates.loc[g, "tpr"] * ones[g] for g in rates.index) / sum(ones.values())
    zeros = {g: rates.loc[g, "rows"] - ones[g] for g in rates.index}
    false = sum(rates.loc[g, "fpr"] * zeros[g] for g in rates.index) / sum(zeros.values())
    # ... and so the gap is the true one times the difference of the two.
    assert gap["equal_errors"] == pytest.approx(gap["true"] * (hits - false))
    assert gap["beyond"] == pytest.approx(gap["predicted"] - gap["equal_errors"])
    assert gap["beyond_low"] < gap["beyond"] < gap["beyond_high"]


def test_audit_metrics_are_those_of_the_metrics_with_the_same_seed(
    compas: pd.DataFrame, report: bam.AuditReport
) -> None:
    numbers = by_key(report)
    for metric in (bam.DirectionalBiasAmplification(), bam.LeakageAmplification()):
        result = metric.result(compas, "high", y_true="two_year_recid", sensitive_features="race")
        assert numbers.loc[result.key, "value"] == result.value
        assert numbers.loc[result.key, ["low", "high"]].tolist() == [*result.interval]


def test_audit_largest_differences_of_compas(report: bam.AuditReport) -> None:
    largest = report.to_frame("largest").set_index("measure")
    assert largest.loc["selection_rate", "value"] == pytest.approx(2174 / 3696 - 854 / 2454)
    ratio = largest.loc["selection_rate", ["ratio", "ratio_low", "ratio_high"]].astype(float)
    assert ratio.round(2).tolist() == [0.59, 0.56, 0.63]
    assert largest.loc["false_positive_rate", ["low", "high"]].astype(float).round(2).tolist() == [
        0.18,
        0.25,
    ]


def test_audit_arrays_and_names_give_the_same_summary(
    compas: pd.DataFrame, report: bam.AuditReport
) -> None:
    y, pred, race = (compas[name] for name in ("two_year_recid", "high", "race"))
    other = bam.audit(y, {"high": pred}, sensitive_features=race)
    assert json.loads(other.to_json()) == json.loads(report.to_json())


def test_audit_json_has_no_number_that_is_not_one(report: bam.AuditReport, tmp_path: Any) -> None:
    report.to_json(tmp_path / "audit.json")
    summary = json.loads((tmp_path / "audit.json").read_text())
    assert summary["version"] == 1
    assert summary["data"]["rows"] == 6150
    assert (summary["data"]["label"], summary["data"]["feature"]) == ("two_year_recid", "race")


# Other data


def test_audit_without_replicates_cannot_say(compas: pd.DataFrame) -> None:
    report = bam.audit(compas, "high", y_true="two_year_recid", sensitive_features="race", n_boot=0)
    [verdict] = report.verdicts
    assert (verdict.code, verdict.reason) == ("cannot_say", "no_interval")
    assert by_key(report).loc["ba_a_to_t", "reason"] == "no intervals were requested (n_boot=0)"


def test_audit_models_differ_from_the_first_in_bands(compas: pd.DataFrame) -> None:
    models = {"at 5": compas["high"], "all": [1] * len(compas)}
    report = bam.audit(compas["two_year_recid"], models, sensitive_features=compas["race"])
    differences = report.to_frame("differences").set_index("key")
    assert set(differences["model"]) == {"all"}
    # One prediction for all takes away both gaps: BA is minus half of the gap in the labels.
    numbers = report.to_frame().query("key == 'ba_a_to_t'").set_index("model")["value"]
    assert numbers["all"] == pytest.approx(-(1901 / 3696 - 966 / 2454) / 2)
    assert differences.loc["ba_a_to_t", "value"] == pytest.approx(numbers["all"] - numbers["at 5"])
    assert differences.loc["ba_a_to_t", "high"] < 0
    assert report.summary["verdicts"][1]["constant"] == [1]
    assert report.verdicts[1].sentence == (
        "In these rows, all predicts two_year_recid = 1 for every row, so all predicted gaps are 0."
    )


def test_audit_matrix_with_predicted_groups_has_both_directions() -> None:
    rng = np.random.default_rng(4)
    gender = rng.choice(["man", "woman"], 2000)
    truth = (rng.random((2000, 3)) < np.where(gender == "man", 0.5, 0.3)[:, None]).astype(int)
    images = pd.DataFrame(truth, columns=["true_a", "true_b", "true_c"]).assign(
        pred_a=truth[:, 0], pred_b=truth[:, 1], pred_c=1, gender=gender, guess=gender
    )
    report = bam.audit(
        images,
        "pred_*",
        y_true="true_*",
        sensitive_features="gender",
        sensitive_features_pred="guess",
        n_boot=200,
    )
    assert report.summary["data"]["kind"] == "tasks"
    assert [v.direction for v in report.verdicts] == ["A->T", "T->A"]
    gaps = report.to_frame("gaps")
    assert len(gaps.query("direction == 'A->T'")) == 3
    # Groups are compared between three pairs of tasks, in the share of the second group.
    of_tasks = gaps.query("direction == 'T->A'")
    assert set(of_tasks["of_class"]) == {"woman"}
    assert len(of_tasks) == 3
    # The accuracy of predicted tasks stands with these alone.
    lines = report.to_markdown().splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("| model | verdict |")]
    assert [lines[i + 2].split(" | ")[2] == "–" for i in heads] == [False, True]


def test_audit_given_rates_take_the_place_of_labels() -> None:
    said = pd.DataFrame(
        {
            "gender": ["woman"] * 50 + ["man"] * 50,
            "job": ["nurse"] * 40 + ["engineer"] * 10 + ["nurse"] * 5 + ["engineer"] * 45,
        }
    )
    rates = {"woman": {"nurse": 0.6, "engineer": 0.4}, "man": {"nurse": 0.2, "engineer": 0.8}}
    report = bam.audit(
        said,
        y_pred="job",
        sensitive_features="gender",
        reference=bam.BaseRates(rates),
        pos_label="nurse",
    )
    [gap] = report.summary["gaps"]
    assert gap["of_class"] == "nurse"
    assert (gap["true"], gap["predicted"]) == pytest.approx((0.4, 0.7))
    assert by_key(report).loc["ba_a_to_t", "value"] == pytest.approx(0.15)
    assert report.summary["data"]["compared_with"] == "given rates"
    assert "LA is not computed: it needs labels." in report.summary["notes"]
    text = report.to_text(full=True)
    assert text.startswith("class nurse by gender")
    assert "class           given rates  predictions" in text
    assert "\nClasses\n" not in text


def test_audit_clusters_and_weights_are_named(compas: pd.DataFrame) -> None:
    people = compas.assign(w=1.0 + (compas["sex"] == "Female"), person=np.arange(6150) // 2)
    report = bam.audit(
        people,
        "high",
        y_true="two_year_recid",
        sensitive_features="race",
        sample_weight="w",
        clusters="person",
        n_boot=200,
    )
    data = report.summary["data"]
    assert (data["weights"], data["clusters"], data["n_clusters"]) == ("w", "person", 3075)
    assert data["unit"] == "clusters"
    assert all(group["size"] <= group["rows"] for group in data["groups"])


def test_audit_few_clusters_of_many_rows_are_said_to_be_clusters() -> None:
    group, truth = np.arange(200) % 2, np.arange(200) // 2 % 2
    report = bam.audit(truth, truth, sensitive_features=group, clusters=np.arange(200) // 20)
    reasons = report.to_frame("largest").set_index("measure")["reason"]
    assert reasons["selection_rate"] == "0 and 1 have fewer than 15 clusters"
    assert reasons["true_positive_rate"] == "0 and 1 have fewer than 15 clusters labelled 1"


def test_gaps_that_are_not_clear_come_last() -> None:
    bands = [("unclear", 0.2, 0.4), ("grows", 0.01, 0.1), ("shrinks", -0.3, -0.1)]
    gaps = [SimpleNamespace(status=status, low=low, high=high) for status, low, high in bands]
    ordered = sort_gaps(gaps)
    assert [gap.status for gap in ordered] == ["shrinks", "grows", "unclear"]


def test_audit_error_rates_of_fifteen_rows_are_told_in_spite_of_rounding() -> None:
    truth = [1] * 15 + [0] * 7 + [1, 0] * 50  # 15 / 22 * 22 is a bit below 15.
    predicted = [1] * 22 + [0] * 100
    report = bam.audit(truth, predicted, sensitive_features=["a"] * 22 + ["b"] * 100, n_boot=100)
    assert "positive" in [record["labelled"] for record in report.summary["errors"]]


def test_audit_weights_that_add_up_to_1_but_for_noise_make_no_errors() -> None:
    truth, weight = [1, 0, 0, 1] * 25, np.linspace(0.1, 0.9, 100)
    report = bam.audit(
        truth, truth, sensitive_features=["a", "a", "b", "b"] * 25, sample_weight=weight
    )
    for key in ("excess_a_to_t", "dpa_u_a_to_t"):
        number = by_key(report).loc[key]
        assert (number["value"], number["low"], number["high"]) == (0, 0, 0)
    [verdict] = report.verdicts
    assert verdict.sentence == "In these rows, model makes no errors, so no gap changes."


def test_rows_needed_fall_with_the_square_of_the_change(report: bam.AuditReport) -> None:
    # The standard error of BA is .0075 in 6,150 rows: 6,150 (2.8 * .0075 / .02)^2 is 6,780.
    rows = report.rows_needed(0.02)
    assert rows["high", "A->T"] == pytest.approx(6780, rel=0.06)
    assert report.rows_needed(0.01)["high", "A->T"] == pytest.approx(4 * rows.iloc[0], rel=1e-3)


def test_audit_of_one_group_cannot_say() -> None:
    report = bam.audit([0, 1, 1] * 20, [0, 1, 0] * 20, sensitive_features=["a"] * 60, n_boot=100)
    [verdict] = report.verdicts
    assert (verdict.code, verdict.reason) == ("cannot_say", "one_group")


def test_audit_of_few_rows_cannot_say() -> None:
    groups = ["a"] * 20 + ["b"] * 10
    report = bam.audit([0, 1, 1] * 10, [0, 1, 0] * 10, sensitive_features=groups, n_boot=100)
    assert report.verdicts[0].reason == "too_few_rows"
    assert report.summary["gaps"] == []


def test_audit_draws_fewer_replicates_of_wide_tables_unless_they_are_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 2 x 2 tables take 20 numbers: 5,000 allow 250 replicates, and those of two models 200.
    monkeypatch.setattr("biasamp_adapters.inference.replicates._MOST_NUMBERS", 5000)
    truth, groups = [0, 1, 1, 1] * 20, ["a", "b"] * 40
    wide = bam.audit(truth, [0, 1, 1, 0] * 20, sensitive_features=groups)
    assert wide.summary["method"]["n_boot"] == 250
    note = "250 replicates were drawn instead of 2,000; set n_boot=2000 to draw all."
    assert note in wide.summary["notes"]
    two = bam.audit(truth, {"x": truth, "y": [1] * 80}, sensitive_features=groups)
    assert two.summary["method"]["n_boot"] == 200  # Ten lie outside of an interval.
    chosen = bam.audit(truth, truth, sensitive_features=groups, n_boot=2000)
    assert chosen.summary["method"]["n_boot"] == 2000
    matrix = np.column_stack([truth, truth])
    assert bam.audit(matrix, matrix, sensitive_features=groups).summary["method"]["n_boot"] == 2000


def test_audit_of_too_many_rates_says_so_of_numbers_without_interval() -> None:
    # 75 classes of 75 groups with 15 rows are 5,625 gaps even with all rows together.
    groups, truth = np.divmod(np.arange(75 * 75), 75)
    report = bam.audit(truth, truth, sensitive_features=groups, n_boot=50)
    assert report.verdicts[0].reason == "too_many_gaps"
    reason = "there are too many groups and classes to draw all rates"
    assert by_key(report).loc["accuracy", "reason"] == reason


# Surfaces


def test_report_first_screen_of_compas(report: bam.AuditReport) -> None:
    text = " ".join(report.to_text().split())
    assert "LARGER GAPS In these rows, the gap between African-American and Caucasian" in text
    assert "grows from 12 points in the labels to 24 points in the predictions." in text
    assert "The gap changes by +12 points (+9 to +15)." in text
    assert "45% of African-American and 23% of Caucasian are predicted 1" in text
    assert repr(report) == report.to_text().rstrip()


def test_report_surfaces_are_written_and_hold_the_headline(
    report: bam.AuditReport, tmp_path: Any
) -> None:
    headline = "grows from 12 points in the labels to 24 points in the predictions."
    report.to_html(tmp_path / "audit.html", date="2026-11-26")
    report.to_markdown(tmp_path / "audit.md")
    page = (tmp_path / "audit.html").read_text()
    assert headline in page
    assert "2026-11-26" in page
    assert "<script" not in page
    assert headline in (tmp_path / "audit.md").read_text()
    assert headline in report._repr_html_()


def test_report_of_two_tasks_with_the_same_sign_does_not_halve_the_gap() -> None:
    # b has 60 of the 80 rows of the first task and 40 of the 50 of the second, and half of all.
    groups = np.repeat(["a", "b"], 100)
    tasks = np.zeros((200, 2), dtype=int)
    tasks[80:160, 0], tasks[90:140, 1] = 1, 1
    report = bam.audit(
        tasks, tasks, sensitive_features=groups, sensitive_features_pred=groups[::-1]
    )
    t_to_a = next(x for x in report.summary["verdicts"] if x["direction"] == "T->A")
    assert (t_to_a["n_gaps"], t_to_a["half"]) == (1, False)


def test_report_counts_the_signs_of_one_of_two_classes_once() -> None:
    # The rates of the groups are .50 and .52 in the labels, of 100 rows each.
    truth, groups = [1] * 50 + [0] * 50 + [1] * 52 + [0] * 48, ["a"] * 100 + ["b"] * 100
    text = bam.audit(truth, truth[::-1], sensitive_features=groups).to_text(full=True)
    text = " ".join(text.split())
    assert "The sign of 2 of 2 rates in BA is not clear, so BA may have" in text
    assert "|z| below" not in text


def test_report_of_models_whose_names_hold_braces_has_their_tables() -> None:
    truth, groups, predicted = [0, 1] * 40, ["a"] * 40 + ["b"] * 40, [0, 1, 1, 0] * 20
    models = {"{x": predicted, "{{ 7 }}{%": truth}
    text = bam.audit(truth, models, sensitive_features=groups, n_boot=0).to_text(full=True)
    assert "Rates by group, class 1, {x\n" in text
    assert "Rates by group, class 1, {{ 7 }}{%\n" in text


def test_report_escapes_hostile_names() -> None:
    groups = ["<script>alert(1)</script>", "b"] * 40
    report = bam.audit([0, 1, 1, 1] * 20, [1, 0, 1, 1] * 20, sensitive_features=groups, n_boot=100)
    for text in (report.to_html(), report._repr_html_(), report.to_markdown()):
        assert "<script>" not in text
    assert "<script>alert(1)</script>" in report.to_text()


@pytest.mark.parametrize(
    "part",
    ["metrics", "gaps", "rates", "differences", "pairs", "levels", "equal_errors", "frequency",
     "thresholds", "largest", "strata"],
)  # fmt: skip
def test_report_part_is_a_frame(report: bam.AuditReport, part: str) -> None:
    assert isinstance(report.to_frame(part), pd.DataFrame)


def test_report_unknown_part_raises(report: bam.AuditReport) -> None:
    with pytest.raises(ValueError, match="part must be one of metrics, gaps"):
        report.to_frame("all")


def test_audit_group_without_positives_has_no_rate_and_valid_json() -> None:
    truth, groups = [0, 1] * 20 + [0] * 40, ["a"] * 40 + ["b"] * 40
    report = bam.audit(truth, [1, 1, 0, 0] * 20, sensitive_features=groups, n_boot=100)
    largest = report.to_frame("largest").set_index("measure").loc["true_positive_rate"]
    assert largest["rates"] == [0.5, None]
    assert largest["reason"] == "b has no value"
    json.loads(report.to_json())
    assert "b has no value" in report.to_text(full=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"confidence": 95}, "confidence must lie between 0 and 1; received 95"),
        ({"n_boot": -1}, "n_boot must be a whole number from 0 on; received -1"),
        ({"pos_label": "yes"}, "pos_label must be 0 or 1; received 'yes'"),
        ({"favorable_label": 2}, "favorable_label must be 0 or 1; received 2"),
    ],
)
def test_audit_bad_argument_raises(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bam.audit([0, 1] * 20, [0, 1] * 20, sensitive_features=["a", "b"] * 20, **arguments)


def test_audit_two_tasks_whose_signs_agree_do_not_have_half_the_change() -> None:
    groups, guesses = ["a", "b"] * 20 + ["b"] * 4, ["a", "b"] * 20 + ["b", "a"] * 2
    tasks = np.array([[1, 1]] * 30 + [[1, 0]] * 10 + [[0, 0]] * 4)
    report = bam.audit(
        tasks, tasks, sensitive_features=groups, sensitive_features_pred=guesses, n_boot=100
    )
    signs = report.to_frame("rates").query("direction == 'T->A' and of_class == 'b'")["sign"]
    assert signs.tolist() == [-1, -1]
    assert [verdict["half"] for verdict in report.summary["verdicts"]] == [False, False]


def test_audit_small_groups_that_differ_leave_ba_a_sign() -> None:
    truth = [0, 1] * 40 + [1] * 5
    report = bam.audit(truth, truth[::-1], sensitive_features=["a", "a", "b", "b"] * 20 + ["c"] * 5)
    text = " ".join(report.to_text().split())
    assert "so close that their order is not clear, so BA may have the wrong sign" in text


def test_audit_of_files_gives_their_names_and_digests(tmp_path) -> None:
    rows = pd.DataFrame({"y": [0, 1] * 20, "p": [1, 1] * 20, "g": ["a", "b"] * 20})
    names = {"y_true": "y", "y_pred": "p", "sensitive_features": "g"}
    path, counts = tmp_path / "rows.csv", tmp_path / "counts.json"
    rows.to_csv(path, index=False)
    with pytest.warns(bam.AmplificationWarning, match="may identify people"):
        bam.Counts.from_frame(rows.head(3), **names).save(counts)
    report = bam.audit(path, **names, n_boot=0)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert report.summary["method"]["files"] == {"rows.csv": digest}
    assert f"SHA-256 {digest}" in report.to_html()
    assert [*bam.audit([counts], n_boot=0).summary["method"]["files"]] == ["counts.json"]
    assert bam.audit(rows, **names, n_boot=0).summary["method"]["files"] == {}
    labels = ["no", "yes"] * 20
    report = bam.audit(labels, labels, sensitive_features=rows["g"], n_boot=0)
    assert report.summary["method"]["files"] == {}
