"""Scores in audits: the two steps of a gap, other thresholds, and what is refused."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from whole_audits import text_of

import biasamp_adapters as bam

NAMES: dict[str, Any] = {"y_true": "y", "sensitive_features": "g"}

#: Rows with each score, and how many of these are positive: of 200 in group "a" 120 are, in "b" 80.
TABLE = {
    "a": {1: (50, 10), 2: (50, 30), 3: (100, 80)},
    "b": {1: (100, 20), 2: (60, 20), 3: (40, 40)},
}


def unfold() -> pd.DataFrame:
    rows = [
        (group, score, label)
        for group, scores in TABLE.items()
        for score, (n, positive) in scores.items()
        for label in [1] * positive + [0] * (n - positive)
    ]
    frame = pd.DataFrame(rows, columns=["g", "s", "y"])
    return frame.assign(p=(frame["s"] >= 3).astype(int), q=0)


FRAME = unfold()


def steps(report: bam.AuditReport) -> dict[str, Any]:
    [record] = report.summary["scores"]
    return dict(record)


def test_scores_of_compas_imply_10_of_24_points(compas) -> None:
    names: Any = {"y_true": "two_year_recid", "sensitive_features": "race"}
    report = bam.audit(compas, y_score="decile_score", threshold=5, **names)
    record, [gap] = steps(report), report.summary["gaps"]
    sizes = [gap["true"], record["first"] - record["second"], gap["predicted"]]
    assert [round(100 * size, 1) for size in sizes] == [12.1, 10.2, 24.0]
    expected = {"by_score": (-1.8, -4.1, 0.5), "by_threshold": (13.8, 11.9, 15.7)}
    for name, numbers in expected.items():
        found = [100 * record[name][key] for key in ("value", "low", "high")]
        assert found == pytest.approx(numbers, abs=0.25)
    assert (record["model"], record["rule"]) == ("decile_score", "5 or more")
    falls = report.to_frame("thresholds").set_index("threshold")["accuracy_falls"]
    assert falls[falls].index.tolist() == [2, 3, 4, 8, 9, 10]


def test_scores_imply_the_mean_share_of_positives_at_the_scores_of_each_group() -> None:
    """At the scores 1, 2 and 3, 30 of 150, 50 of 110 and 120 of 140 rows are positive."""
    record = steps(bam.audit(FRAME, y_score="s", threshold=3, **NAMES))
    a = (50 * 30 / 150 + 50 * 50 / 110 + 100 * 120 / 140) / 200
    b = (100 * 30 / 150 + 60 * 50 / 110 + 40 * 120 / 140) / 200
    assert (record["first"], record["second"]) == pytest.approx((a, b))
    assert record["by_score"]["value"] == pytest.approx(a - b - 0.2)
    assert record["by_threshold"]["value"] == pytest.approx(0.3 - (a - b))


def test_thresholds_give_what_audits_of_their_decisions_give() -> None:
    """Those of groups are 2.5 in "a", where half is nearest to .6, and 1.5 in "b".

    At 2, TPR is .85 and FPR .4: with equal error rates the gap is .45 times that of the labels.
    """
    found = bam.audit(FRAME, y_score="s", threshold=3, **NAMES).to_frame("thresholds")
    columns = ["threshold", "predicted_positive", "gap", "ba", "ba_equal_errors", "accuracy"]
    expected = [
        [2, 0.625, 0.25, 0.025, -0.055, 0.725],
        [3, 0.35, 0.3, 0.05, -0.05, 0.75],
        [np.nan, 0.5, 0.0, -0.1, -0.06, 0.7],
    ]
    assert found[columns].to_numpy() == pytest.approx(np.array(expected), nan_ok=True)
    assert found["fpr_difference"].tolist() == pytest.approx([1 / 2 - 1 / 3, 1 / 4, 1 / 4 - 1 / 3])
    rule = bam.PrevalenceThreshold().fit(FRAME["s"], FRAME["y"], sensitive_features=FRAME["g"])
    assert rule.thresholds_.tolist() == [2.5, 1.5]


def test_scores_beside_predictions_give_the_rule_of_a_threshold() -> None:
    alone = bam.audit(FRAME, y_score="s", threshold=2.5, **NAMES)
    beside = bam.audit(FRAME, y_pred={"s": "p"}, y_score={"s": "s"}, **NAMES)
    assert (steps(alone)["rule"], steps(beside)["rule"]) == ("2.5 or more", "3 or more")
    assert steps(beside) == {**steps(alone), "rule": "3 or more"}
    assert beside.to_frame("thresholds").equals(alone.to_frame("thresholds"))
    assert alone.summary["data"]["scores"] == ["s"]


def test_scores_change_no_other_number() -> None:
    without = bam.audit(FRAME, y_pred={"s": "p"}, **NAMES).summary
    summary = bam.audit(FRAME, y_score="s", threshold=3, **NAMES).summary
    changed = {part for part, records in summary.items() if records != dict(without)[part]}
    assert changed == {"data", "scores", "thresholds"}
    assert {**summary["data"], "scores": []} == without["data"]


def test_scores_are_counted_saved_and_added(tmp_path) -> None:
    names = {**NAMES, "y_score": "s", "threshold": 3}
    whole = bam.Counts.from_frame(FRAME, **names)
    parts = [FRAME[FRAME["s"] < 2], FRAME[FRAME["s"] >= 2]]
    assert bam.Counts.from_chunks(parts, **names) == whole
    assert sum(bam.Counts.from_frame(part, **names) for part in parts) == whole
    arrays = {"y_true": FRAME["y"], "sensitive_features": FRAME["g"], "y_score": FRAME[["s"]]}
    assert bam.Counts.from_arrays(**arrays, threshold=3).n_rows == 400
    whole.save(tmp_path / "counts.json")
    report = bam.audit(tmp_path / "counts.json")
    assert report.summary["scores"] == bam.audit(FRAME, **names).summary["scores"]
    assert whole.to_frame()["y_score[s]"].unique().tolist() == [1, 2, 3]
    whole.save(tmp_path / "sums.json", rows=False)
    assert bam.audit(tmp_path / "sums.json").summary["scores"] == []


def test_threshold_predicts_the_positive_class_of_pos_label() -> None:
    labels, score = ["no", "yes", "no"], [3, 1, 2]
    names = {"sensitive_features": ["u", "v", "v"], "y_score": score, "threshold": 2}
    counts = bam.Counts.from_arrays(labels, **names, pos_label="no").to_frame()
    assert counts.sort_values("y_score[model]")["model"].tolist() == ["yes", "no", "no"]
    other = bam.Counts.from_arrays(labels, **names).to_frame()
    assert other.sort_values("y_score[model]")["model"].tolist() == ["no", "yes", "yes"]
    of_one = bam.Counts.from_arrays([0, 0, 0], **names).to_frame()
    assert sorted(of_one["model"]) == [0, 1, 1]
    # The number of single precision for .7 is below it; other numbers stay as they are.
    single = np.array([0.7, 0.2, 0.5], dtype=np.float32)
    for threshold, expected in [(0.7, [0, 0, 1]), (np.nextafter(0.5, 1), [0, 0, 1])]:
        options = names | {"y_score": single, "threshold": threshold}
        assert sorted(bam.Counts.from_arrays([0, 0, 1], **options).to_frame()["model"]) == expected


REASONS: list[tuple[Any, dict[str, Any], str]] = [
    (lambda t: t.assign(y=t["y"] + (t["s"] == 1), p=t["s"] - 1), {}, "it needs two classes"),
    (lambda t: t, {"y_pred": {1: "q", 2: "p"}, "y_score": {2: "s"}}, "it needs y_score"),
    (lambda t: t[::3], {}, "there are fewer than 200 rows"),
    (lambda t: t.assign(s=t["s"] > 2), {}, "the score has two values only"),
    (lambda t: pd.concat([t.assign(p=t["y"]), t.assign(g="c", p=t["y"])]), {}, "no gap is named"),
    (lambda t: t.assign(g=[*"ab"] * 200), {}, "the gap is not clear in the labels"),
    (
        lambda t: t.assign(p=(t["s"] >= 2 + (t["g"] == "a")) * 1),
        {},
        "the decisions do not follow one threshold of the score",
    ),
]


@pytest.mark.parametrize(("change", "arguments", "reason"), REASONS)
def test_missing_steps_have_a_reason(change, arguments, reason) -> None:
    arguments = {"y_pred": "p", "y_score": "s"} | arguments
    report = bam.audit(change(FRAME), **NAMES, **arguments)
    record = report.summary["scores"][0]
    assert (record["reason"], record["first"], record["by_score"]["value"]) == (reason, None, None)
    assert f"separated: {reason}." in text_of(report)


@pytest.mark.parametrize(
    ("predictions", "note"),
    [
        (lambda t: t["s"] < 3, "The scores of p rank the classes in reverse order."),
        (lambda t: t["s"] == 2, "No threshold of the scores gives the predictions of p."),
        (lambda t: t["s"] >= 2, None),
    ],
)
def test_scores_that_give_other_predictions_have_a_note(predictions, note) -> None:
    report = bam.audit(FRAME.assign(p=predictions(FRAME) * 1), y_pred="p", y_score="s", **NAMES)
    found = [x for x in report.summary["notes"] if "scores of" in x or "the scores" in x]
    assert found == ([] if note is None else [note])


@pytest.mark.parametrize(("share", "n_missing"), [(1, 0), (0.9, 0), (1, 40)])
def test_threshold_is_advised_beside_decisions_on_all_rows_alone(share, n_missing) -> None:
    table = pd.concat([FRAME] * 5, ignore_index=True)
    predictions = (table["p"] * share).where(table.index % 400 >= n_missing)
    arguments = {"y_pred": "p", "y_score": "s", "missing": "abstain"} | NAMES
    report = bam.audit(table.assign(p=predictions), **arguments, n_boot=100)
    are_decisions = share == 1 and not n_missing
    assert report.verdicts[0].code == "amplifies"
    assert ("threshold for all rows" in report.to_text().replace("\n", " ")) is are_decisions
    falls = [record["accuracy_falls"] is None for record in report.summary["thresholds"]]
    assert falls == [not are_decisions] * 3


def test_scores_of_many_values_have_20_bins_and_19_thresholds() -> None:
    rng = np.random.default_rng(0)
    group, score = np.repeat(["a", "b"], 1000), rng.normal(size=2000) + np.repeat([0.5, 0], 1000)
    label = (rng.random(2000) < 1 / (1 + np.exp(-score))).astype(int)
    groups = {"sensitive_features": group}
    report = bam.audit(y_true=label, y_score=score, threshold=0.2, **groups, n_boot=100)
    found = report.to_frame("thresholds")["threshold"]
    assert np.searchsorted(np.sort(score), found[:-1]).tolist() == [*range(99, 1999, 100)]
    assert np.isnan(found.iloc[-1])


def test_thresholds_by_group_of_other_rows_keep_the_gap(compas) -> None:
    valid, test = compas[:3075], compas[3075:]
    columns = ("decile_score", "two_year_recid", "race")
    score, truth, groups = (valid[name] for name in columns)
    rule = bam.PrevalenceThreshold().fit(score, truth, sensitive_features=groups)
    score, truth, groups = (test[name] for name in columns)
    models = {"at 5": test["high"], "by group": rule.predict(score, sensitive_features=groups)}
    scores = dict.fromkeys(models, score)
    report = bam.audit(truth, models, y_score=scores, sensitive_features=groups, n_boot=200)
    note = "No threshold of the scores gives the predictions of by group."
    assert note in report.summary["notes"]
    ba = report.to_frame().query("key == 'ba_a_to_t'").set_index("model")["value"].astype(float)
    assert abs(ba["by group"]) < 0.02 < 0.05 < ba["at 5"]


def test_scores_with_weights_and_clusters_have_steps() -> None:
    people = FRAME.assign(w=np.where(FRAME["g"] == "a", 2.0, 1.0), c=np.arange(400) // 2)
    report = bam.audit(people, y_score="s", threshold=3, sample_weight="w", clusters="c", **NAMES)
    shares = [(2 * 10 + 20) / (2 * 50 + 100), (2 * 30 + 20) / 160, (2 * 80 + 40) / 240]
    a, b = np.average(shares, weights=[50, 50, 100]), np.average(shares, weights=[100, 60, 40])
    record = steps(report)
    assert (record["first"], record["second"]) == pytest.approx((a, b))
    assert record["by_threshold"]["low"] < record["by_threshold"]["value"]


def test_scores_of_overlapping_groups_have_no_threshold_for_each_group() -> None:
    table = FRAME
    groups = pd.DataFrame({"a": table["g"] == "a", "b": table["g"] == "b"}).astype(int)
    report = bam.audit(
        y_true=table["y"],
        y_score=table["s"],
        threshold=3,
        sensitive_features=bam.OverlappingGroups(groups),
    )
    assert report.to_frame("thresholds")["threshold"].tolist() == [2, 3]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"y_score": "s"}, "y_score needs threshold= or y_pred=."),
    ({"y_pred": "p", "threshold": 2}, "threshold needs y_score= without y_pred=."),
    ({"y_score": "s", "y_pred": "p", "threshold": 2}, "threshold needs y_score= without y_pred=."),
    ({"y_score": "s", "threshold": "high"}, "threshold must be a finite number; received 'high'"),
    ({"y_score": "s", "threshold": np.nan}, "threshold must be a finite number; received nan"),
    ({"y_score": "s", "threshold": 2, "y_true": "s"}, "threshold needs two classes in y_true"),
    ({"y_score": "s", "threshold": 2, "pos_label": 7}, "one of which is pos_label; received 0, 1"),
    ({"y_score": "g", "threshold": 2}, "y_score must hold numbers; received"),
    ({"y_score": {"k": "s"}, "y_pred": {"m": "p"}}, "y_score must be a mapping of the models 'm'"),
    ({"y_score": ["s", "p"], "threshold": 2}, "one column, or be a mapping of models to columns"),
    ({"y_score": {}, "y_pred": "p"}, "y_score must name at least one model; received an empty"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_scores_that_break_a_rule_are_refused(arguments, message) -> None:
    with pytest.raises(ValueError, match=r".*") as error:
        bam.audit(FRAME, **NAMES | arguments)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"y_pred": np.full((400, 2), 0.5)},
            "y_pred has 2 columns and y_true 1. Pass predict_proba(X)[:, 1], or in audit "
            "y_score= with threshold=.",
        ),
        (
            {"y_score": np.full((400, 2), 0.5), "threshold": 0.5},
            "y_score has 2 columns and y_true 1. Pass predict_proba(X)[:, 1]",
        ),
        ({"y_score": [None, *[1.0] * 399], "threshold": 0.5}, "y_score must not have missing val"),
        ({"y_score": np.ones(3), "threshold": 1}, "y_score 3"),
        ({"y_pred": FRAME["p"], "y_score": {"k": FRAME["s"]}}, "as y_pred is; received 'k'"),
        ({"y_pred": np.ones(400), "y_score": [np.ones(400)] * 2}, "several in a mapping of models"),
    ],
)
def test_arrays_that_break_a_rule_are_refused(arguments, message) -> None:
    with pytest.raises(ValueError, match=r".*") as error:
        bam.audit(y_true=FRAME["y"], sensitive_features=FRAME["g"], **arguments)
    assert message in str(error.value)


def test_counts_with_a_threshold_are_refused() -> None:
    counts = bam.Counts.from_frame(FRAME, y_pred="p", **NAMES)
    with pytest.raises(ValueError, match="threshold needs y_score= without y_pred="):
        bam.audit(counts, threshold=2)
    with pytest.raises(ValueError, match="pos_label needs threshold="):
        bam.Counts.from_frame(FRAME, y_pred="p", pos_label="banana", **NAMES)
