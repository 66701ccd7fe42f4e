"""What an audit computes, against the metrics, the published example and visible arithmetic."""

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from whole_audits import text_of

import biasamp_adapters as bam
from biasamp_adapters.auditing.evaluate import sort_gaps

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")

NAMES: dict[str, Any] = {"y_true": "two_year_recid", "sensitive_features": "race"}


def by_key(report: bam.AuditReport) -> pd.DataFrame:
    return report.to_frame().set_index("key")


def value(report: bam.AuditReport, key: str = "ba_a_to_t") -> float:
    return float(by_key(report).loc[key, "value"])


def test_audit_compas_gap_grows_from_12_to_24_points(compas_report) -> None:
    [gap], [verdict] = compas_report.summary["gaps"], compas_report.verdicts
    assert (gap["first"], gap["second"], gap["of_class"]) == ("African-American", "Caucasian", 1)
    assert gap["true"] == pytest.approx(1901 / 3696 - 966 / 2454)
    assert gap["predicted"] == pytest.approx(2174 / 3696 - 854 / 2454)
    assert (gap["status"], gap["first_rows"], gap["second_rows"]) == ("grows", 3696, 2454)
    assert (round(gap["low"], 2), round(gap["high"], 2)) == (0.09, 0.15)
    assert (verdict.model, verdict.direction, verdict.code) == ("high", "A->T", "amplifies")
    ba = value(compas_report)
    assert round(ba, 4) == 0.0598
    assert value(compas_report, "mean_change_a_to_t") == pytest.approx(2 * ba)
    assert compas_report.summary["verdicts"][0]["half"]
    numbers = by_key(compas_report)["value"].dropna()
    assert all(key.isidentifier() for key in numbers.index)
    assert (round(numbers["mals"], 4), round(numbers["accuracy"], 3)) == (0.0549, 0.651)


def test_audit_compas_error_rates_and_largest_differences(compas_report) -> None:
    errors = compas_report.summary["errors"]
    rates = [record[side] for record in errors for side in ("first", "second")]
    assert np.round(rates, 2).tolist() == [0.45, 0.23, 0.72, 0.52]
    assert all(record["low"] > 0 for record in errors)
    largest = compas_report.to_frame("largest").set_index("measure").round(2)
    assert largest.loc["false_positive_rate", ["low", "high"]].tolist() == [0.18, 0.25]


def test_audit_equal_error_rates_give_the_gap_of_pooled_errors(compas_report) -> None:
    # Of all rows, the share predicted 1 is .6247 where the label is 1 and .3399 where it is 0...
    [gap] = compas_report.summary["gaps"]
    rates = compas_report.to_frame("rates").query("of_class == 1")
    ones = rates["true"] * rates["rows"]
    zeros = rates["rows"] - ones
    hits, false = np.average(rates["tpr"], weights=ones), np.average(rates["fpr"], weights=zeros)
    # ... and so the gap is the true one times the difference of the two.
    assert gap["equal_errors"] == pytest.approx(gap["true"] * (hits - false))
    assert gap["beyond"] == pytest.approx(gap["predicted"] - gap["equal_errors"])
    assert gap["beyond_low"] < gap["beyond"] < gap["beyond_high"]


def test_audit_metrics_are_those_of_the_metrics_with_the_same_seed(compas, compas_report) -> None:
    numbers = by_key(compas_report)
    for metric in (bam.DirectionalBiasAmplification(), bam.LeakageAmplification()):
        result = metric.result(compas, "high", **NAMES)
        expected = [result.value, *result.interval]
        assert numbers.loc[result.key, ["value", "low", "high"]].tolist() == expected


def test_audit_of_arrays_files_and_counts_is_the_same(compas, compas_report, tmp_path) -> None:
    y, pred, race = (compas[name] for name in ("two_year_recid", "high", "race"))
    other = bam.audit(y, {"high": pred}, sensitive_features=race)
    assert json.loads(other.to_json(tmp_path / "audit.json")) == compas_report.summary
    summary = json.loads((tmp_path / "audit.json").read_text())
    assert (summary["version"], summary["data"]["rows"]) == (1, 6150)
    assert (summary["data"]["label"], summary["data"]["feature"]) == ("two_year_recid", "race")
    parts = [compas[compas["sex"] == sex] for sex in ("Male", "Female")]
    counts = sum(bam.Counts.from_frame(part, y_pred="high", **NAMES) for part in parts)
    counts.save(tmp_path / "counts.json")
    gaps = compas_report.to_frame("gaps")
    assert bam.audit(tmp_path / "counts.json").to_frame("gaps").equals(gaps)
    compas.to_csv(tmp_path / "rows.csv", index=False)
    of_file = bam.audit(tmp_path / "rows.csv", y_pred="high", **NAMES)
    assert of_file.to_frame("gaps").equals(gaps)


def test_rows_needed_fall_with_the_square_of_the_change(compas_report) -> None:
    # The standard error of BA is .0075 in 6,150 rows: 6,150 (2.8 * .0075 / .02)^2 is 6,780.
    rows = compas_report.rows_needed(0.02)
    assert rows["high", "A->T"] == pytest.approx(6780, rel=0.06)
    assert compas_report.rows_needed(0.01).iloc[0] == pytest.approx(4 * rows.iloc[0], rel=1e-3)
    y, groups = [0, 1] * 40, ["a", "a", "b", "b"] * 20  # Balanced: BA is 0 for every model.
    assert bam.audit(y, [1] * 80, sensitive_features=groups).rows_needed(0.02).isna().all()
    for change in ("2pt", None, True, 0):
        with pytest.raises(ValueError, match="change must"):
            compas_report.rows_needed(change)


def test_audit_models_differ_from_the_first_in_bands(compas) -> None:
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
    assert "all predicts two_year_recid = 1 for every row" in report.verdicts[1].sentence


def test_audit_matrix_with_predicted_groups_has_both_directions() -> None:
    rng = np.random.default_rng(4)
    gender = rng.choice(["man", "woman"], 2000)
    truth = (rng.random((2000, 3)) < np.where(gender == "man", 0.5, 0.3)[:, None]).astype(int)
    images = pd.DataFrame(truth, columns=["true_a", "true_b", "true_c"])
    images = images.assign(pred_a=truth[:, 0], pred_b=truth[:, 1], pred_c=1, gender=gender)
    groups = {"sensitive_features": "gender", "sensitive_features_pred": "gender"}
    report = bam.audit(images, "pred_*", y_true="true_*", **groups, n_boot=200)
    assert report.summary["data"]["kind"] == "tasks"
    assert [v.direction for v in report.verdicts] == ["A->T", "T->A"]
    assert "the verdict T→A is" in str([report.check(forbid=v.code) for v in report.verdicts])
    gaps = report.to_frame("gaps")
    assert len(gaps.query("direction == 'A->T'")) == 3
    # Groups are compared between three pairs of tasks, in the share of the second group.
    assert gaps.query("direction == 'T->A'")["of_class"].tolist() == ["woman"] * 3
    # The accuracy of predicted tasks stands with these alone.
    lines = report.to_markdown().splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("| model | verdict |")]
    assert [lines[i + 2].split(" | ")[2] == "–" for i in heads] == [False, True]


def test_audit_reference_gives_the_ba_of_the_metric(compas) -> None:
    train, test = compas[:3075], compas[3075:]
    report = bam.audit(test, "high", reference=train, **NAMES)
    metric = bam.DirectionalBiasAmplification(reference=(train["two_year_recid"], train["race"]))
    expected = metric(test["two_year_recid"], test["high"], sensitive_features=test["race"])
    assert value(report) == expected
    assert "signs of BA from 3,075 reference rows" in text_of(report)


def test_audit_few_clusters_of_many_rows_are_said_to_be_clusters() -> None:
    group, truth = np.arange(200) % 2, np.arange(200) // 2 % 2
    rows: Any = {"y_true": truth, "y_pred": truth, "sensitive_features": group, "n_boot": 100}
    reports = [bam.audit(**rows, clusters=np.arange(200) // n) for n in (20, 10)]
    few, enough = (x.to_frame("largest").set_index("measure")["reason"] for x in reports)
    assert few["selection_rate"] == "0 and 1 have fewer than 15 clusters"
    assert few["true_positive_rate"] == "0 and 1 have fewer than 15 clusters labelled 1"
    # Each of 20 clusters has rows of both groups and classes.
    assert set(enough) == {"every replicate gives the same value"}


def test_gaps_that_are_not_clear_come_last() -> None:
    bands = [("unclear", 0.2, 0.4), ("grows", 0.01, 0.1), ("shrinks", -0.3, -0.1)]
    gaps: Any = [SimpleNamespace(status=status, low=low, high=high) for status, low, high in bands]
    assert [gap.status for gap in sort_gaps(gaps)] == ["shrinks", "grows", "unclear"]


def test_audit_error_rates_of_fifteen_rows_are_told_in_spite_of_rounding() -> None:
    truth = [1] * 15 + [0] * 7 + [1, 0] * 50  # 15 / 22 * 22 is a bit below 15.
    predicted, groups = [1] * 22 + [0] * 100, ["a"] * 22 + ["b"] * 100
    report = bam.audit(truth, predicted, sensitive_features=groups, n_boot=100)
    assert "positive" in [record["labelled"] for record in report.summary["errors"]]


def test_audit_weights_that_add_up_to_1_but_for_noise_make_no_errors() -> None:
    truth, groups = [1, 0, 0, 1] * 25, ["a", "a", "b", "b"] * 25
    weight = np.linspace(0.1, 0.9, 100)
    report = bam.audit(truth, truth, sensitive_features=groups, sample_weight=weight)
    assert {rate["tpr"] for rate in report.summary["rates"]} == {1.0}
    for key in ("excess_a_to_t", "dpa_u_a_to_t"):
        assert by_key(report).loc[key, ["value", "low", "high"]].tolist() == [0, 0, 0]
    assert "model makes no errors" in report.verdicts[0].sentence


def test_audit_whose_gaps_reverse_names_one_that_does() -> None:
    # From a to b the gap goes from 80 points to 0, from c to b from 30 to -30, from a to c to 30.
    rates = {"a": (90, 50), "b": (10, 50), "c": (40, 20)}
    rows = [(i < true, i < then, x) for x, (true, then) in rates.items() for i in range(100)]
    truth, predicted, groups = zip(*rows, strict=True)
    summary = bam.audit(truth, predicted, sensitive_features=groups, n_boot=200).summary
    [verdict] = summary["verdicts"]
    named = [summary["gaps"][position] for position in verdict["named"]]
    told = [(gap["first"], gap["second"], gap["status"]) for gap in named]
    assert told == [("a", "b", "shrinks"), ("c", "b", verdict["code"])]


def test_audit_that_cannot_say_has_its_reason() -> None:
    truth, predicted, groups = [0, 1, 1] * 10, [0, 1, 0] * 10, ["a"] * 20 + ["b"] * 10
    one = bam.audit(truth, predicted, sensitive_features=["a"] * 30, n_boot=100)
    few = bam.audit(truth, predicted, sensitive_features=groups, n_boot=100)
    none = bam.audit(truth, predicted, sensitive_features=["a", "b"] * 15, n_boot=0)
    # 75 classes of 75 groups with 15 rows are 5,625 gaps even with all rows together.
    many_groups, many = np.divmod(np.arange(75 * 75), 75)
    too_many = bam.audit(many, many, sensitive_features=many_groups, n_boot=50)
    reasons = ("one_group", "too_few_rows", "no_interval", "too_many_gaps")
    for reason, report in zip(reasons, (one, few, none, too_many), strict=True):
        [verdict] = report.verdicts
        assert (verdict.code, verdict.reason, report.summary["gaps"]) == ("cannot_say", reason, [])
    assert by_key(none).loc["accuracy", "reason"] == "no intervals were requested (n_boot=0)"
    assert by_key(too_many).loc["accuracy", "reason"].startswith("there are too many groups")


def test_gap_to_all_rows_of_tasks_counts_each_row_once() -> None:
    # 102 tasks are 5,151 pairs, more than are judged, so each is compared with all 200 rows.
    tasks, groups = np.indices((200, 102)).sum(axis=0) % 3 > 0, ["a", "b"] * 100
    report = bam.audit(
        y_true=tasks, sensitive_features=groups, sensitive_features_pred=groups, n_boot=50
    )
    sides = report.to_frame("gaps")[["first_rows", "second_rows"]]
    assert set(sides.max(axis=1)) == {200}


def test_audit_draws_fewer_replicates_of_wide_tables_unless_they_are_chosen(monkeypatch) -> None:
    # 2 x 2 tables take 20 numbers: 5,000 allow 250 replicates, and those of two models 200.
    monkeypatch.setattr("biasamp_adapters.inference.replicates._MOST_NUMBERS", 5000)
    truth, groups = [0, 1, 1, 1] * 20, ["a", "b"] * 40

    def drawn(y: Any, predicted: Any, **options: Any) -> int:
        report = bam.audit(y, predicted, sensitive_features=groups, **options)
        note = "250 replicates were drawn instead of 2,000; set n_boot=2000 to draw all."
        assert (note in report.summary["notes"]) == (report.summary["method"]["n_boot"] == 250)
        return report.summary["method"]["n_boot"]

    assert drawn(truth, [0, 1, 1, 0] * 20) == 250
    assert drawn(truth, {"x": truth, "y": [1] * 80}) == 200  # Ten lie outside of an interval.
    assert drawn(truth, truth, n_boot=2000) == 2000
    matrix = np.column_stack([truth, truth])
    assert drawn(matrix, matrix) == 2000


def test_audit_two_tasks_whose_signs_agree_do_not_have_half_the_change() -> None:
    # b has 60 of the 80 rows of the first task and 40 of the 50 of the second, and half of all.
    groups, tasks = np.repeat(["a", "b"], 100), np.zeros((200, 2), dtype=int)
    tasks[80:160, 0], tasks[90:140, 1] = 1, 1
    predicted = {"sensitive_features_pred": groups[::-1], "n_boot": 200}
    report = bam.audit(tasks, tasks, sensitive_features=groups, **predicted)
    signs = report.to_frame("rates").query("direction == 'T->A' and of_class == 'b'")["sign"]
    assert signs.nunique() == 1
    verdict = report.summary["verdicts"][1]
    assert (verdict["direction"], verdict["n_gaps"], verdict["half"]) == ("T->A", 1, False)


def test_audit_small_groups_that_differ_leave_ba_a_sign() -> None:
    truth, groups = [0, 1] * 40 + [1] * 5, ["a", "a", "b", "b"] * 20 + ["c"] * 5
    text = text_of(bam.audit(truth, truth[::-1], sensitive_features=groups))
    assert "so close that their order is not clear, so BA may have the wrong sign" in text


def test_audit_group_without_positives_has_no_rate_and_valid_json() -> None:
    truth, groups = [0, 1] * 20 + [0] * 40, ["a"] * 40 + ["b"] * 40
    report = bam.audit(truth, [1, 1, 0, 0] * 20, sensitive_features=groups, n_boot=100)
    largest = report.to_frame("largest").set_index("measure").loc["true_positive_rate"]
    assert (largest["rates"], largest["reason"]) == ([0.5, None], "b has no value")
    json.loads(report.to_json())
    assert "b has no value" in text_of(report)


#: Of (group, label): rows, predictions of 1, and missing predictions.
CELLS = {
    ("F", 0): (300, 30, 15),
    ("F", 1): (200, 140, 40),
    ("M", 0): (200, 30, 8),
    ("M", 1): (300, 250, 12),
    ("few", 1): (14, 0, 14),
}


def rows_of_cells() -> tuple[list[str], list[int], list[int | None]]:
    groups, truth, predicted = [], [], []
    for (group, label), (n, ones, missing) in CELLS.items():
        groups += [group] * n
        truth += [label] * n
        predicted += [None] * missing + [1] * ones + [0] * (n - ones - missing)
    return groups, truth, predicted


def test_missing_predictions_differ_within_rows_labelled_alike() -> None:
    groups, truth, predicted = rows_of_cells()
    models = {"some": predicted, "none": truth}
    report = bam.audit(truth, models, sensitive_features=groups, missing="abstain", n_boot=500)
    # 40 of 200 and 12 of 300; the rates of rows labelled 0 are 5 % and 4 %, and "few" has 14 rows.
    [record] = report.summary["missing"]
    assert (record["model"], record["labelled"]) == ("some", 1)
    assert (record["first"], record["first_rate"]) == ("F", 40 / 200)
    assert (record["second"], record["second_rate"]) == ("M", 12 / 300)
    note = "ithin rows labelled 1, predictions of some are missing for 20% of F and 4% of M"
    assert note in text_of(report)
    # The signs of all rows are also those of the answered ones, so BA is that of missing="drop".
    metric = bam.DirectionalBiasAmplification(missing="drop")
    dropped = metric.result(truth, predicted, sensitive_features=groups, n_boot=500)
    assert record["ba"]["value"] == pytest.approx(dropped.value, abs=1e-12)
    assert (record["ba"]["low"], record["ba"]["high"]) == pytest.approx(dropped.interval, abs=3e-3)
    of_m = [None if g == "F" else label for g, label in zip(groups, truth, strict=True)]
    report = bam.audit(truth, of_m, sensitive_features=groups, missing="abstain", n_boot=99)
    rates = [(x["first"], x["first_rate"], x["second_rate"]) for x in report.summary["missing"]]
    assert rates == [("F", 1, 0)] * 2


def test_rows_left_out_that_differ_between_groups_are_told_on_the_first_screen() -> None:
    groups, truth, predicted = rows_of_cells()
    models = {"some": predicted, "none": truth}
    report = bam.audit(truth, models, sensitive_features=groups, missing="drop", n_boot=500)
    [record] = report.summary["left_out"]
    rates = {"first_rate": 40 / 200, "second_rate": 12 / 300}
    assert record == {"labelled": 1, "first": "F", "second": "M"} | rates
    note = "Within rows labelled 1, 20% of F and 4% of M are left out, as values are missing;"
    assert note in " ".join(report.to_text().split())
    scores = [None if x is None else x / 2 for x in predicted]
    report = bam.audit(y_true=truth, y_score=scores, threshold=0.5, sensitive_features=groups,
                       missing="drop", n_boot=500)  # fmt: skip
    assert report.summary["left_out"] == [record]


def test_rows_left_out_without_a_group_are_counted_where_rows_are_known(tmp_path) -> None:
    groups, truth, predicted = rows_of_cells()
    # 15 of the first 20 predictions are missing, and all of their groups.
    given = {"sensitive_features": [None] * 20 + groups[20:], "missing": "drop"}
    data = bam.audit(truth, predicted, **given, n_boot=0).summary["data"]
    assert (data["left_out"], data["left_out_groups"]) == (89 + 5, 20)
    counts = bam.Counts.from_arrays(truth, predicted, **given)
    counts.save(tmp_path / "counts.json")
    for saved_or_added in (tmp_path / "counts.json", counts + counts):
        data = bam.audit(saved_or_added, n_boot=0).summary["data"]
        assert (data["left_out"] in (94, 188), data["left_out_groups"]) == (True, None)


def test_missing_predicted_groups_differ_between_classes_within_a_group() -> None:
    groups, truth, predicted = rows_of_cells()
    guesses = [g if p is not None else None for g, p in zip(groups, predicted, strict=True)]
    given = {"sensitive_features": groups, "sensitive_features_pred": guesses}
    report = bam.audit(y_true=truth, **given, missing="abstain", n_boot=500)
    [record] = report.summary["missing"]
    assert (record["labelled"], record["first"], record["second"]) == ("F", 1, 0)
    assert (record["first_rate"], record["second_rate"]) == (40 / 200, 15 / 300)
    what = "within rows of F, predicted groups are missing for 20% of class 1 and 5% of class 0."
    assert f"Find out why, {what}" in text_of(report)
    assert record["ba"]["value"] == 0  # No group that is predicted is a wrong one.
    # Models that predict alike are told on the first screen of T->A, too.
    alike = {"sensitive_features": groups, "sensitive_features_pred": {"a": guesses, "b": guesses}}
    report = bam.audit(y_true=truth, **alike, missing="abstain", n_boot=50)
    assert "a and b have the same predictions" in " ".join(report.to_text().split())


@pytest.mark.parametrize("missing", ["abstain", "drop"])
def test_missing_predictions_beside_given_rates_are_not_told_by_labels(missing) -> None:
    groups, truth, predicted = rows_of_cells()
    rates = bam.BaseRates({group: {0: 0.5, 1: 0.5} for group in ("F", "M", "few")})
    report = bam.audit(truth, predicted, sensitive_features=groups, reference=rates,
                       missing=missing, n_boot=500)  # fmt: skip
    [record] = report.summary["left_out" if missing == "drop" else "missing"]
    assert (record["labelled"], record["first_rate"], record["second_rate"]) == (None, 0.11, 0.04)
    assert "labelled" not in report.to_text()


@pytest.mark.parametrize("kind", ["labels", "matrix"])
def test_models_that_predict_alike_in_every_row_are_named_on_the_first_screen(kind) -> None:
    groups, truth, _ = rows_of_cells()
    y, other = np.array(truth), 1 - np.array(truth)
    if kind == "matrix":
        y, other = np.column_stack([y, y]), np.column_stack([y, other])
    models = {"a": y, "b": other, "c": y.copy()}
    report = bam.audit(y, models, sensitive_features=groups, n_boot=50)
    told = "The models a and c have the same predictions in every row."
    assert told in " ".join(report.to_text().split())


@pytest.mark.parametrize("form", ["matrix", "no intervals", "at random"])
def test_missing_predictions_without_a_clear_difference_have_no_record(form) -> None:
    groups, truth, predicted = rows_of_cells()
    y, pred = np.array(truth), np.array([np.nan if x is None else x for x in predicted])
    if form == "at random":
        pred = np.where(np.random.default_rng(5).random(len(truth)) < 0.08, np.nan, truth)
    if form == "matrix":
        y, pred = np.column_stack([y, y]), np.column_stack([pred, pred])
    n_boot = 0 if form == "no intervals" else 200
    report = bam.audit(y, pred, sensitive_features=groups, missing="abstain", n_boot=n_boot)
    assert sum(report.summary["data"]["missing"].values()) > 0
    # In a matrix, 55 of 500 and 20 of 500 rows of any label are missing, or left out.
    assert [x["labelled"] for x in report.summary["missing"]] == [None] * (form == "matrix")
    dropped = bam.audit(y, pred, sensitive_features=groups, missing="drop", n_boot=n_boot).summary
    assert dropped["data"]["left_out"] > 0
    assert [x["labelled"] for x in dropped["left_out"]] == [None] * (form == "matrix")
