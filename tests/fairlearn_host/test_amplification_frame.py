"""The frame with intervals is a MetricFrame: values of the host, and intervals of drawn tables."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from fairlearn.experimental.enable_metric_frame_plotting import plot_metric_frame
from fairlearn.metrics import (
    MetricFrame,
    count,
    demographic_parity_difference,
    false_positive_rate,
    selection_rate,
    true_positive_rate,
)
from sklearn.metrics import f1_score, make_scorer, mean_absolute_error, roc_auc_score, zero_one_loss

import biasamp_adapters as bam
from biasamp_adapters.fairlearn import amplification_frame
from biasamp_adapters.fairlearn.host_functions import RATES

EYES = dict.fromkeys(("y_true", "y_pred"), np.eye(80)[:, :2])
ENDS = {"n_boot": 400, "ci_quantiles": [0.025, 0.975]}


@pytest.fixture(scope="module")
def columns(compas):
    names = {"y_true": "two_year_recid", "y_pred": "high", "sensitive_features": "race"}
    return {argument: compas[name] for argument, name in names.items()}


def test_frame_of_compas_has_what_each_race_adds_to_ba(columns) -> None:
    metrics = {"BA": "BA", "FPR": false_positive_rate}
    frame = amplification_frame(metrics=metrics, **columns, **ENDS)
    assert isinstance(frame, MetricFrame)
    assert frame.by_group.round(3).to_numpy().tolist() == [[0.074, 0.448], [0.046, 0.235]]
    assert frame.overall["BA"] == frame.by_group["BA"].mean()
    low, high = frame.overall_ci
    assert ((low < frame.overall) & (frame.overall < high)).all()
    low, high = frame.difference_ci()
    assert low["FPR"] < frame.difference()["FPR"] < high["FPR"]
    assert np.isnan(frame.ratio()["BA"])
    assert frame.ratio()["FPR"] == pytest.approx(0.523, abs=5e-4)
    assert np.isnan(frame.ratio_ci()[0]["BA"])


def test_frame_with_control_features_has_the_signs_of_all_rows(columns, compas) -> None:
    sex = compas["sex"]
    frame = amplification_frame(metrics={"BA": "BA"}, **columns, control_features=sex, **ENDS)
    assert frame.overall["BA"].round(3).tolist() == [0.047, 0.066]
    assert frame.by_group["BA"].round(3).tolist() == [0.138, -0.044, 0.06, 0.073]
    assert frame.control_levels == ["sex"]
    assert [end.shape for end in frame.overall_ci] == [(2, 1)] * 2
    assert frame.difference_ci()[0].index.tolist() == ["Female", "Male"]


def test_overall_of_a_stratum_is_that_of_all_its_rows_where_one_group_has_some() -> None:
    groups = bam.OverlappingGroups({"a": [1, 0, 0, 1, 1, 0], "b": [0, 1, 0, 0, 0, 0]})
    columns = {"y_true": [0, 1, 1, 1, 0, 1], "y_pred": [1, 0, 1, 0, 1, 1]}
    columns |= {"sensitive_features": groups, "control_features": [*"uuvvvv"]}
    frame = amplification_frame(metrics=selection_rate, **columns)
    assert frame.by_group["v"]["a"] == 1 / 2
    assert frame.overall["v"] == 3 / 4


def test_frame_without_metrics_has_all_that_suit(columns) -> None:
    frame = amplification_frame(**columns)
    assert frame.overall.index.tolist() == ["MALS", "BA", "Multi", "LA", "DPA"]
    assert frame.overall["LA"] == bam.leakage_amplification(**columns)
    by_both = amplification_frame(**columns, sensitive_features_pred=columns["sensitive_features"])
    of_t_to_a = ["BA T->A", "Multi T->A", "DPA T->A"]
    assert sorted([*frame.overall.index, *of_t_to_a]) == sorted(by_both.overall.index)
    with pytest.raises(ValueError, match="n_boot and ci_quantiles were not specified"):
        frame.overall_ci  # noqa: B018


@pytest.mark.parametrize(("weighted", "alike"), [(0, None), (1, None), (1, 0), (1, 1)])
def test_frame_of_host_metrics_has_the_values_of_the_host(columns, weighted, alike) -> None:
    columns = {name: values[:800] for name, values in columns.items()}
    if alike is not None:
        columns["y_pred"] = np.full(800, alike)
    metrics = {"f1": f1_score, "precision of 1": partial(f1_score, pos_label=1)}
    metrics |= {function.__name__: function for function in RATES}
    weight = np.random.default_rng(0).random(800) if weighted else None
    params = {name: {"sample_weight": weight} for name in metrics} if weighted else None
    metrics |= {} if weighted else {"count": count}
    frame = amplification_frame(metrics=metrics, **columns, sample_weight=weight)
    host = MetricFrame(metrics=metrics, **columns, sample_params=params)
    tables = frame.by_group, host.by_group
    pd.testing.assert_frame_equal(*tables, rtol=1e-12, atol=0, check_dtype=False)
    for name in ("overall", "difference", "ratio", "group_min", "group_max"):
        ours, theirs = (getattr(x, name) for x in (frame, host))
        ours, theirs = (x() if callable(x) else x for x in (ours, theirs))
        pd.testing.assert_series_equal(ours, theirs, rtol=1e-12, check_dtype=False)


def test_frame_of_a_known_rate_draws_as_one_that_is_called(columns) -> None:
    metrics = {"known": true_positive_rate, "called": partial(true_positive_rate, pos_label=1)}
    ends = {"n_boot": 30, "ci_quantiles": [0.1, 0.5, 0.9]}
    frame = amplification_frame(metrics=metrics, **columns, **ends)
    for table in (*frame.overall_ci, *(end.T for end in frame.by_group_ci)):
        np.testing.assert_allclose(table.loc["known"], table.loc["called"], rtol=1e-12)


def test_frame_of_one_metric_has_the_types_of_the_host(columns, compas) -> None:
    frame = amplification_frame(metrics=selection_rate, **columns, **ENDS)
    assert frame.overall == columns["y_pred"].mean()
    assert frame.by_group.name == "selection_rate"
    low, high = frame.overall_ci
    assert low < frame.overall < high
    assert isinstance(frame.by_group_ci[0], pd.Series)
    by_sex = amplification_frame(metrics="BA", **columns, control_features=compas["sex"], **ENDS)
    assert isinstance(by_sex.overall_ci[0], pd.Series)


def test_frame_of_a_function_that_compares_groups_has_no_value_of_one(columns) -> None:
    frame = amplification_frame(metrics={"DP": demographic_parity_difference}, **columns)
    assert frame.overall["DP"] == pytest.approx(0.588203 - 0.348003, abs=2e-6)
    assert frame.by_group["DP"].isna().all()


def test_frame_of_equal_groups_has_differences_from_0() -> None:
    rng = np.random.default_rng(1)
    y, groups = rng.integers(2, size=2000), rng.integers(4, size=2000)
    metrics = {"selected": selection_rate, "loss": zero_one_loss}
    columns = {"y_true": y, "y_pred": rng.permutation(y), "sensitive_features": groups}
    frame = amplification_frame(metrics=metrics, **columns, **ENDS)
    for method in ("between_groups", "to_overall"):
        low, high = frame.difference_ci(method)
        assert (low == 0).all()
        assert (frame.difference(method) < high).all()
    assert (frame.ratio_ci()[1] == 1).all()
    with pytest.warns(bam.AmplificationWarning, match="ratios to overall have no interval"):
        assert frame.ratio_ci("to_overall")[1].isna().all()
    least, most = frame.group_min_ci()
    assert ((least < frame.group_min()) & (frame.group_min() < most)).all()


def test_frame_is_plotted_by_the_host(columns) -> None:
    frame = amplification_frame(metrics={"selected": selection_rate}, **columns, **ENDS)
    axes = plot_metric_frame(frame, kind="point", metrics=["selected"], conf_intervals=None)
    assert np.size(axes) >= 1


@pytest.mark.parametrize(
    ("y_true", "y_pred", "groups"),
    [
        ([1, 1, 1, 0, 1, 0, 1], [1, 1, 1, 1, 1, 0, 0], "aaabbbb"),  # Of a, all rows are equal.
        ([0.5, 1.5, 3, 2], [1, 2.5, 2, 2.5], "abab"),  # A regression.
        ([0, 1, 1, 0], [0, 1, 0, 1], "aaaa"),
    ],
)
def test_frame_calls_functions_as_the_host_does(y_true, y_pred, groups) -> None:
    def metric(y_true, y_pred, sample_weight=None):
        return len(y_true) + mean_absolute_error(y_true, y_pred, sample_weight=sample_weight)

    rows = {"y_true": y_true, "y_pred": y_pred, "sensitive_features": list(groups)}
    ours, host = (frame(metrics=metric, **rows) for frame in (amplification_frame, MetricFrame))
    assert ours.by_group.to_dict() == host.by_group.to_dict()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_boot": 100}, "must be given together; received 100 and None"),
        ({"n_boot": 100, "ci_quantiles": [2.5]}, "ci_quantiles must be floats between 0 and 1"),
        ({"metrics": {}}, "metrics must hold at least one metric"),
        ({"metrics": {"BA": 3}}, 'its name, or a dict such as {"BA": "BA"}; received int'),
        ({"metrics": {"BA": bam.DirectionalBiasAmplification}}, "metric must be an object"),
        ({"metrics": {"BA": "B A"}}, "unknown metric 'B A'; did you mean 'BA'?"),
        ({"metrics": {"x": lambda y, p: [[1, 2], [3, 4]]}}, "one number; received [[1, 2], [3"),
        ({"metrics": {"x": make_scorer(f1_score)}}, "x must be a function of y_true and y_pred"),
        ({"metrics": {"x": partial(f1_score, [1])}}, "whose call fails: too many positional"),
        ({"metrics": partial(bam.leakage_amplification, foo=0)}, "a setting of LA must be 'refer"),
        ({"sensitive_features": None}, "must be the group of each row; received None"),
        ({"metrics": {"x": len}, **EYES}, "one label in each row of y_true; received 2"),
        ({"missing": "abstain"}, "missing must be 'error' or 'drop'"),
        ({"y_pred": {"a": [0, 1] * 40, "b": [0, 1] * 40}}, "reads one model; received 'a', 'b'"),
        ({"metrics": {"x": len}, "sample_weight": [0.5] * 80}, "x must take sample_weight, as "),
    ],
)
def test_frame_bad_input_raises(changed, message) -> None:
    columns = {"y_true": [0, 1] * 40, "y_pred": [0, 1] * 40, "sensitive_features": ["a", "b"] * 40}
    with pytest.raises(ValueError, match=re.escape(message)):
        amplification_frame(**columns | changed)


LABELS = np.tile([[1, 1, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1], [1, 1, 1]], (60, 1))
MATRIX = {
    "y_true": LABELS,
    "y_pred": np.roll(LABELS, 7, axis=1) | np.roll(LABELS, 1, axis=0),
    "sensitive_features": ["a", "b", "a"] * 100,
}


@pytest.mark.parametrize("n_rows", [30, 400])
@pytest.mark.parametrize(
    "metric",
    [
        bam.DirectionalBiasAmplification(),
        bam.DirectionalBiasAmplification(reference=([0, 1, 1, 0], ["Caucasian", "x", "y", "x"])),
        bam.DirectionalBiasAmplification(class_labels=[2, 1, 0]),
        bam.MALSBiasAmplification(),
        bam.MultiAttributeBiasAmplification(),
        bam.LeakageAmplification(),
        bam.DirectionalPredictabilityAmplification(),
    ],
)
def test_frame_of_a_metric_has_the_interval_of_its_result(columns, metric, n_rows) -> None:
    columns = {name: values[:n_rows] for name, values in columns.items()}
    label_sets = [MATRIX] if isinstance(metric, bam.MultiAttributeBiasAmplification) else []
    for data in (columns, *label_sets):
        frame = amplification_frame(metrics=metric, **data, **ENDS)
        result = metric.result(**data, n_boot=400)
        expected = result.interval or (np.nan, np.nan)
        assert frame.overall == result.value
        of_pairs = "contribution" if "contribution" in result.by_pair else "value"
        by_group = result.by_group.set_index("group")[of_pairs][frame.by_group.index]
        assert frame.by_group.tolist() == pytest.approx(by_group.tolist(), nan_ok=True)
        assert frame.overall_ci == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert not result.reason or f"{metric.name}: {result.reason}" in frame.notes


def test_frame_of_overlapping_groups_has_a_row_for_each() -> None:
    members = np.array([[1, 0], [1, 1], [0, 1], [0, 1]] * 20)
    columns = {"y_true": [0, 1, 1, 0] * 20, "y_pred": [0, 1, 1, 1] * 20}
    columns["sensitive_features"] = bam.OverlappingGroups(members, ["a", "b"])
    metrics = {"BA": "BA", "selected": selection_rate, "f1": f1_score}
    frame = amplification_frame(metrics=metrics, **columns, **ENDS)
    assert frame.by_group["selected"].tolist() == [1 / 2, 1]
    assert frame.by_group["f1"].tolist() == [1, pytest.approx(2 * 2 / (2 * 2 + 1))]
    assert frame.overall["selected"] == 3 / 4
    assert frame.overall["BA"] == bam.directional_bias_amplification(**columns)


def test_frame_of_scores_has_the_intervals_of_these_rows() -> None:
    rng = np.random.default_rng(0)  # More distinct rows than are drawn one by one.
    y, groups = rng.integers(2, size=5500), rng.integers(2, size=5500)
    columns = {"y_true": y, "y_pred": 0.9 * rng.random(5500) + 0.1 * y}
    metrics = {"auc": roc_auc_score, "error": mean_absolute_error}
    ends = {"n_boot": 60, "ci_quantiles": np.array([0.05, 0.95])}
    frame = amplification_frame(metrics=metrics, **columns, sensitive_features=groups, **ends)
    host = MetricFrame(metrics=metrics, **columns, sensitive_features=groups)
    pd.testing.assert_frame_equal(frame.by_group, host.by_group)
    for name in ("overall", "by_group"):
        low, high = getattr(frame, f"{name}_ci")
        assert ((low < getattr(frame, name)) & (getattr(frame, name) < high)).all(axis=None)


def test_frame_of_a_count_has_a_fixed_number_of_all_rows(columns) -> None:
    frame = amplification_frame(metrics=count, **columns, **ENDS)
    assert frame.overall_ci == [6150, 6150]
    low, high = frame.by_group_ci
    variance = frame.by_group * (1 - frame.by_group / 6150)  # Of a binomial number.
    np.testing.assert_allclose(high - low, 2 * 1.96 * variance**0.5, rtol=0.15)


def test_frame_of_a_rate_of_0_or_1_reaches_three_rows() -> None:
    metrics = {"TPR": true_positive_rate, "FPR": false_positive_rate}
    columns = {"y_true": [0, 1] * 60, "y_pred": [0] * 60 + [0, 1] * 30}
    groups = np.arange(120) // 60
    frame = amplification_frame(metrics=metrics, **columns, sensitive_features=groups, **ENDS)
    low, high = frame.by_group_ci
    three = -np.log(0.05)  # A rate of three / n gives no event in 5 of 100 samples of n rows.
    assert low["TPR"].tolist() == pytest.approx([0, 1 - three / 30])
    assert high["TPR"].tolist() == pytest.approx([three / 30, 1])
    of_all = frame.overall_ci[1]["FPR"], frame.group_min_ci()[1]["FPR"]
    assert of_all == pytest.approx((three / 60, three / 30))


def refuse_odd_weights(y_true, y_pred, sample_weight):
    if sample_weight.sum() % 2:
        raise ValueError("the weights are odd")
    return 0.5


def one_heavy(row: int, rate: object) -> dict[str, object]:
    weight = np.where(np.arange(80) == row, 5, 1)
    groups = ["a"] * 40 + ["b"] * 40
    return {"metrics": {"x": rate}, "sample_weight": weight, "sensitive_features": groups}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"metrics": {"x": "BA"}, "clusters": [0, 1, 2, 3] * 20}, "x: intervals need at least 8"),
        ({"metrics": {"x": refuse_odd_weights}}, "replicates are undefined"),
        ({"n_boot": 20}, "x: a level of 95% needs at least 40"),
        ({"control_features": ["u"] * 70 + ["v"] * 10}, "x of a and b in v: fewer than 15 rows"),
        ({"sensitive_features": ["a"] * 70 + ["b"] * 10}, "x of b: fewer than 15 rows"),
        ({"metrics": {"x": true_positive_rate}}, "x of a: fewer than 15 rows labelled 1"),
        ({"metrics": {"x": false_positive_rate}}, "x of b: fewer than 15 rows labelled 0"),
        ({"sample_weight": [50] + [1] * 79}, "x of a: fewer than 15 effective rows"),
        # Of 20 rows labelled alike one weighs 5: they are worth (19 + 5)^2 / (19 + 25) = 13.1 rows.
        (one_heavy(41, true_positive_rate), "x of b: fewer than 15 effective rows labelled 1"),
        (one_heavy(40, false_positive_rate), "x of b: fewer than 15 effective rows labelled 0"),
        ({"clusters": [i % 9 for i in range(80)]}, "x of a and b: fewer than 15 clusters"),
        ({"metrics": {"x": "Multi"}}, "x (ratio): a value is not above 0 in every replicate"),
        ({"y_pred": [1] * 80}, "x (difference): every replicate gives the same value"),
    ],
)
def test_frame_says_why_numbers_have_no_interval(options, reason) -> None:
    columns = {"y_true": [[0], [1]] * 40, "y_pred": [0, 1, 1, 1] * 20}
    columns |= {"sensitive_features": ["a", "b", "a", "b"] * 20, "metrics": {"x": selection_rate}}
    frame = amplification_frame(**columns | ENDS | options)
    assert frame.ratio_ci()[1].isna().any(axis=None)
    assert frame.group_max_ci()[1].isna().any(axis=None) == ("(" not in reason)
    assert frame.difference_ci("to_overall")[1].isna().any(axis=None) == ("ratio" not in reason)
    assert any(reason in note for note in frame.notes)
