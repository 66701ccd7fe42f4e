"""Several models on the same rows: paired differences and their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from metric_cases import quietly
from sklearn.linear_model import LogisticRegression

import biasamp_adapters as bam
from biasamp_adapters.metrics.base import Metric

METRICS = [
    bam.MALS(),
    bam.DirectionalBiasAmplification(),
    bam.DirectionalBiasAmplification(direction="T->A"),
    bam.MultiAttributeBiasAmplification(),
    bam.LeakageAmplification(),
    bam.DirectionalPredictabilityAmplification(),
    bam.DirectionalPredictabilityAmplification(direction="T->A", quality="accuracy"),
]


def _rows(n: int = 400, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    truth = (rng.random(n) < 0.3 + 0.4 * group).astype(int)
    old = np.where(rng.random(n) < 0.3, group, truth)
    # The new model differs in one row of ten.
    new = np.where(rng.random(n) < 0.1, 1 - old, old)
    guess = np.where(rng.random(n) < 0.2, truth, group)
    return {
        "y_true": truth,
        "y_pred": {"old": old, "new": new},
        "sensitive_features": group,
        "sensitive_features_pred": guess,
    }


@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_values_are_those_of_each_model(metric: Metric) -> None:
    rows = _rows()
    found = bam.compare(metric, **rows, n_boot=200)
    alone = {
        name: metric.result(**{**rows, "y_pred": made}, n_boot=0).value
        for name, made in rows["y_pred"].items()
    }
    assert {name: result.value for name, result in found.results.items()} == pytest.approx(alone)
    assert found.difference.value == pytest.approx(alone["new"] - alone["old"])


@pytest.mark.parametrize("interval_method", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_a_model_differs_from_itself_by_nothing(metric: Metric, interval_method: Any) -> None:
    rows = _rows()
    twice = {"one": rows["y_pred"]["old"], "two": rows["y_pred"]["old"]}
    found = bam.compare(
        metric, **{**rows, "y_pred": twice}, n_boot=200, interval_method=interval_method
    )
    assert found.difference.value == 0
    assert found.difference.interval is not None
    low, high = found.difference.interval
    if isinstance(metric, bam.LeakageAmplification) or "accuracy" in metric.__name__:
        # What ties may have added to an accuracy is added to the interval of each side.
        assert -0.05 < low <= 0 <= high < 0.05
    else:
        assert (low, high) == (0, 0)


def test_the_difference_by_hand() -> None:
    # P(1 | a) is 12/20 and P(1 | b) is 6/20, so that a has the positives and b the negatives.
    group = np.repeat(["a", "b"], 20)
    truth = np.r_[[1] * 12, [0] * 8, [1] * 6, [0] * 14]
    old = np.r_[[1] * 16, [0] * 4, [1] * 4, [0] * 16]
    new = np.r_[[1] * 13, [0] * 7, [1] * 5, [0] * 15]
    found = bam.compare(
        bam.DirectionalBiasAmplification(),
        truth,
        {"old": old, "new": new},
        sensitive_features=group,
        n_boot=100,
    )
    # Old: 4/20 more positives of a, 2/20 fewer of b; new: 1/20 of each. Of both classes alike.
    assert found.results["old"].value == pytest.approx((4 / 20 + 2 / 20) / 2)
    assert found.results["new"].value == pytest.approx((1 / 20 + 1 / 20) / 2)
    assert found.difference.value == pytest.approx(0.05 - 0.15)


def test_pairing_makes_intervals_narrower() -> None:
    rows = _rows(4000)
    found = bam.compare(bam.DirectionalBiasAmplification(), **rows)
    widths = [np.ptp(result.interval) for result in found.results.values() if result.interval]
    assert found.difference.interval is not None
    # Of independent samples the widths would add up as squares.
    assert np.ptp(found.difference.interval) < 0.7 * np.hypot(*widths)


def test_the_interval_is_that_of_resampled_rows() -> None:
    rows = _rows(300)
    metric = bam.DirectionalBiasAmplification(
        reference=(rows["y_true"], rows["sensitive_features"])
    )
    found = bam.compare(metric, **rows, n_boot=20_000).difference
    # Group 1 has the positives, and the truth is the same for both models: the difference of BA,
    # the mean over two groups and two classes, is half that of the groups' changes.
    rng = np.random.default_rng(1)
    drawn_rows = rng.integers(0, 300, (1000, 300))
    moved = (rows["y_pred"]["new"] - rows["y_pred"]["old"])[drawn_rows]
    first, second = (rows["sensitive_features"][drawn_rows] == group for group in (0, 1))
    drawn = (np.average(moved, 1, second) - np.average(moved, 1, first)) / 2
    assert found.interval is not None
    # Monte Carlo error of a 2.5 % quantile of 1,000 normal replicates: 2.7 sd / sqrt(1,000).
    error = 2.7 * np.std(drawn) / np.sqrt(1000)
    assert found.interval == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=4 * error)


def test_several_models_against_the_first() -> None:
    rows = _rows()
    models = {**rows["y_pred"], "truth": rows["y_true"]}
    # With predicted groups, MALS would not be 0 for the truth.
    rows |= {"y_pred": models, "sensitive_features_pred": None}
    found = bam.compare(bam.MALS(), **rows, n_boot=100)
    assert [*found.differences] == ["new", "truth"]
    table = found.to_frame().set_index("model")
    assert table["value"]["truth"] == pytest.approx(0, abs=1e-15)
    assert table["difference"]["truth"] == pytest.approx(-table["value"]["old"])
    assert np.isnan(table["difference"]["old"])
    assert table["difference_low"]["new"] <= table["difference"]["new"]
    with pytest.raises(ValueError, match=r"differences names several models: \['new', 'truth'\]"):
        _ = found.difference
    assert "truth - old: " in repr(found)


def test_label_matrices() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, (200, 3))
    models = {"same": truth, "flipped": 1 - truth}
    group = rng.integers(0, 2, 200)
    metric = bam.DirectionalBiasAmplification()
    found = bam.compare(metric, truth, models, sensitive_features=group, n_boot=100)
    assert found.results["same"].value == 0
    assert found.difference.value == metric(truth, 1 - truth, sensitive_features=group)
    assert found.difference.interval is not None


def test_counts_of_other_machines() -> None:
    rows = _rows()
    names = ("y_true", "y_pred", "sensitive_features")
    counts = bam.JointCounts.from_arrays(*(rows[name] for name in names))
    metric = bam.DirectionalBiasAmplification()
    found = bam.compare_counts(metric, counts, n_boot=100)
    again = bam.compare(metric, **{name: rows[name] for name in names}, n_boot=100)
    assert found.difference == again.difference


@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
def test_fitted_attackers_have_values_only() -> None:
    rows = _rows()
    metric = bam.LeakageAmplification(attacker=LogisticRegression(), n_trials=2)
    for scores in (False, True):
        models = {
            name: made + 0.1 * scores * np.sin(np.arange(400))
            for name, made in rows["y_pred"].items()
        }
        given = {**rows, "y_pred": models}
        if scores:
            given["y_true"] = rows["y_true"] + 0.1 * np.cos(np.arange(400))
        found = bam.compare(metric, **given, n_boot=50)
        assert found.difference.interval is None
        assert "fitted" in str(found.difference.reason)
        assert np.isfinite(found.difference.value)


@pytest.mark.parametrize(
    ("y_pred", "message"),
    [
        ({"only": [0, 1]}, r"at least two models; received \['only'\]"),
        ([0, 1], "y_pred must map names of models to predictions; received a list"),
        ({}, "y_pred must name at least one model"),
    ],
)
def test_bad_models(y_pred: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bam.compare(bam.MALS(), [0, 1], y_pred, sensitive_features=["a", "b"])


def test_bad_options() -> None:
    rows = _rows()
    with pytest.raises(ValueError, match=r"must be one of \['percentile', 'basic', 'bca'\]"):
        bam.compare(bam.MALS(), **rows, interval_method="student")
    with pytest.raises(ValueError, match="n_boot must be a whole number"):
        bam.compare(bam.MALS(), **rows, n_boot=-1)


def test_numbers_are_compared_by_the_values_of_each_model() -> None:
    rows = _rows(60)
    age = np.random.default_rng(1).normal(size=60)
    metric = bam.DirectionalPredictabilityAmplification(
        attacker=LogisticRegression(), equalize=None, n_trials=1
    )
    found = bam.compare(metric, rows["y_true"], rows["y_pred"], sensitive_features=age)
    alone = {
        name: metric(rows["y_true"], made, sensitive_features=age)
        for name, made in rows["y_pred"].items()
    }
    assert {name: result.value for name, result in found.results.items()} == alone
    with pytest.raises(ValueError, match=r"at least two models; received \['old'\]"):
        bam.compare(metric, rows["y_true"], {"old": rows["y_pred"]["old"]}, sensitive_features=age)


def test_counts_of_one_model_have_nothing_to_compare() -> None:
    counts = bam.JointCounts.from_arrays([0, 1, 1, 0], {"old": [0, 1, 0, 1]}, [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"at least two models; received \['old'\]"):
        bam.compare_counts(bam.DirectionalBiasAmplification(), counts)


def test_a_comparison_in_words_has_a_line_a_model() -> None:
    rows = _rows(60)
    found = bam.compare(bam.DirectionalBiasAmplification(), **rows, n_boot=0)
    lines = str(found).splitlines()
    for name, result in found.results.items():
        assert any(line.startswith(f"  {name}: {result.value:+.4f}") for line in lines)


def test_the_table_says_why_a_difference_has_no_interval() -> None:
    metric = bam.DirectionalBiasAmplification()
    found = quietly(bam.compare, metric, **_rows(), n_boot=10).to_frame()
    first, second = found["note"]
    assert "of the difference" not in first
    assert "no interval of the difference: 10 replicates are too few" in second


def test_a_ratio_and_a_difference_are_not_subtracted() -> None:
    # Only what "new" says depends on the group: of "old" and the truth, U gives a difference.
    group, truth = [0] * 200 + [1] * 200, [0, 1] * 200
    models = {"old": truth, "new": group}
    metric = bam.DirectionalPredictabilityAmplification(quality="uncertainty_coefficient")
    found = quietly(
        bam.compare, metric, truth, models, sensitive_features=group, n_boot=0
    ).differences["new"]
    assert np.isnan(found.value)
    assert found.reason == (
        "one of the two is a difference of levels, the other a ratio: compare the levels of both"
    )


def test_card_says_which_model_is_above() -> None:
    group = ["a"] * 50 + ["b"] * 50
    truth = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    models = {
        "old": [1] * 40 + [0] * 10 + [1] * 15 + [0] * 35,
        "same": [1] * 40 + [0] * 10 + [1] * 15 + [0] * 35,
        "<b>truth</b>": truth,
    }
    metric = bam.DirectionalBiasAmplification(direction="A->T")
    options = {"sensitive_features": group, "random_state": 0}
    card = bam.compare(metric, truth, models, **options)._repr_html_()
    # Rates of .8 and .3 for .6 and .4: each pair moves by (.2 + .1) / 2 = .15, or 15 points.
    assert "+15" in card
    assert "same cannot be told from old. &lt;b&gt;truth&lt;/b&gt; is clearly below old." in card
    without = bam.compare(metric, truth, models, n_boot=0, **options)._repr_html_()
    assert "same has no interval of its difference from old." in without
    assert "<sup>1</sup> no replicates were drawn" in without
