"""Means over runs and steps of models in order."""

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")


def flip(labels: pd.Series, share: float, seed: int) -> np.ndarray:
    """Exchange the labels of so many rows, drawn at random."""
    is_flipped = np.random.default_rng(seed).random(len(labels)) < share
    return np.where(is_flipped, 1 - labels, labels)


@pytest.fixture(scope="module")
def report(compas: pd.DataFrame) -> bam.AuditReport:
    seeds = {str(seed): flip(compas["high"], 0.1, seed) for seed in range(5)}
    return bam.audit(compas["two_year_recid"], seeds, sensitive_features=compas["race"])


def row(frame: pd.DataFrame, metric: str) -> pd.Series:
    return frame.set_index("metric").loc[metric]


def test_over_runs_of_seeds_adds_the_spread_of_rows(report) -> None:
    ba = row(bam.over_runs(report), "BA")
    values = report.to_frame().query("key == 'ba_a_to_t'")["value"].astype(float)
    assert (ba["runs"], ba["mean"]) == (5, pytest.approx(values.mean()))
    # Of 4 degrees of freedom, t is 2.776. The mean of five runs varies with the rows nearly
    # as much as one run, whose standard error is .0077: at least .7 times as much.
    between, reach = 2.776 * values.std() / np.sqrt(5), (ba["high"] - ba["low"]) / 2
    assert np.hypot(between, 0.7 * 1.96 * 0.0077) < reach < np.hypot(between, 1.96 * 0.0077)


def test_over_runs_of_folds_is_students_t_alone(compas) -> None:
    names = {"y_true": "two_year_recid", "y_pred": "high", "sensitive_features": "race"}
    folds = [bam.audit(compas[i::3], **names, n_boot=200) for i in range(3)]
    ba = row(bam.over_runs(folds), "BA")
    values = [fold.to_frame().set_index("key").loc["ba_a_to_t", "value"] for fold in folds]
    # Of 2 degrees of freedom, t is 4.303.
    reach = 4.303 * np.std(values, ddof=1) / np.sqrt(3)
    ends = (ba["mean"] - reach, ba["mean"] + reach)
    assert (ba["low"], ba["high"]) == pytest.approx(ends, rel=1e-3)
    for other, received in [
        ({"sensitive_features": "sex"}, "feature; received race, sex"),
        ({"confidence": 0.9}, "confidence; received 0.95, 0.9"),
        ({"pos_label": 0}, "positive; received 1, 0"),
        ({"sensitive_features_pred": "race"}, "directions; received .'A->T'., .'A->T', 'T->A'."),
    ]:
        with pytest.raises(ValueError, match=f"reports must have one {received}"):
            bam.over_runs([folds[0], bam.audit(compas[1::3], **names | other, n_boot=0)])


@pytest.mark.parametrize("form", ["arrays", "frames", "columns", "counts"])
def test_over_runs_of_reports_with_the_same_labels_raises(form) -> None:
    truth, first, second = np.random.default_rng(1).integers(2, size=(3, 200))
    groups = np.where(np.arange(200) % 2, "a", "b")

    def audit(truth: np.ndarray, predicted: np.ndarray) -> bam.AuditReport:
        if form == "frames":
            frame = pd.DataFrame({"y": truth, "p": predicted, "g": groups})
            return bam.audit(frame, "p", y_true="y", sensitive_features="g", n_boot=0)
        if form == "columns":
            truth, predicted = (np.column_stack([x, x]) for x in (truth, predicted))
        if form == "counts":
            return bam.audit(bam.Counts.from_arrays(truth, predicted, sensitive_features=groups))
        return bam.audit(truth, predicted, sensitive_features=groups, n_boot=0)

    with pytest.raises(ValueError, match=r"two have the same labels.*over_runs\(audit\(y_true"):
        bam.over_runs([audit(truth, first), audit(truth, second)])
    # The same labels in another order are other rows.
    folds = bam.over_runs([audit(truth, first), audit(truth[::-1], first[::-1])])
    assert set(folds["runs"]) == {2}


@pytest.mark.parametrize(
    ("function", "given", "message"),
    [
        (bam.over_runs, {"model": "reports"}, "received a str. Runs on the same rows"),
        (bam.over_runs, 5, "received a int. Runs"),
        (bam.track, ["report"], r"received a list. Write track\(audit\(y_true, "),
    ],
)
def test_runs_of_no_report_raise(function, given, message) -> None:
    with pytest.raises(TypeError, match=message):
        function(given)


def test_over_runs_of_one_run_or_of_equal_runs_has_no_interval() -> None:
    truth, groups = [0, 1, 1, 1] * 20, ["a", "b"] * 40
    one = bam.audit(truth, truth, sensitive_features=groups, n_boot=100)
    assert row(bam.over_runs(one), "BA")["reason"] == "an interval over runs needs at least 2 runs"
    with pytest.raises(ValueError, match="track needs at least two models"):
        bam.track(one)
    two = bam.audit(truth, {"x": truth, "y": truth}, sensitive_features=groups, n_boot=100)
    assert row(bam.over_runs(two), "BA")["reason"] == "all runs give the same value"
    none = bam.over_runs(bam.audit(truth, truth, sensitive_features=groups, n_boot=0))
    assert row(none, "mean change")["reason"] == "no intervals were requested (n_boot=0)"
    five = {"sensitive_features": groups, "clusters": np.arange(80) % 5}
    clustered = bam.over_runs(bam.audit(truth, {"x": [1] * 80, "y": truth}, **five))
    assert clustered["reason"].str.contains("at least 8 clusters").all()


def test_over_runs_of_equal_runs_with_errors_has_the_interval_of_their_rows(compas) -> None:
    names = {"y_true": "two_year_recid", "y_pred": {"x": "high", "y": "high"}}
    ba = row(bam.over_runs(bam.audit(compas, **names, sensitive_features="race")), "BA")
    # The standard error of BA is .0077.
    assert (ba["high"] - ba["low"]) / 2 == pytest.approx(1.96 * 0.0077, rel=0.15)


def test_over_runs_without_an_interval_of_each_run_has_none() -> None:
    # 12 rows of b are too few for an interval, and a fold of a alone has BA 0 by construction.
    truth, groups = [0, 1, 1] * 24, ["a"] * 60 + ["b"] * 12
    report = bam.audit(truth, {"x": [1] * 72, "y": [0, 1, 0] * 24}, sensitive_features=groups)
    assert np.isnan(row(bam.over_runs(report), "BA")["low"])
    folds = [bam.audit(truth[:n], [0] * n, sensitive_features=groups[:n]) for n in (60, 71)]
    means = bam.over_runs([*folds, bam.audit(truth, truth, sensitive_features=groups)])
    assert np.isnan(row(means, "BA")["mean"])
    assert "it is 0 for every model" in row(means, "BA")["reason"]
    # Accuracies of .33, .34 and 1: t is 4.3, and reaches below 0 and above 1.
    assert row(means, "accuracy")[["low", "high"]].tolist() == [0, 1]


def test_over_runs_with_given_rates_has_no_excess_and_no_accuracy() -> None:
    rates = bam.BaseRates({"a": {0: 0.4, 1: 0.6}, "b": {0: 0.6, 1: 0.4}})
    runs = {"x": [0, 1] * 40, "y": [0, 1, 1, 1] * 20}
    report = bam.audit(y_pred=runs, sensitive_features=["a", "b"] * 40, reference=rates, n_boot=100)
    assert bam.over_runs(report)["metric"].tolist() == ["BA", "mean change"]


def test_track_steps_are_differences_from_the_model_before(report) -> None:
    steps = bam.track(report).query("metric == 'BA'")
    assert steps["model"].tolist() == [*"01234"]
    assert steps["difference"].iloc[1:].to_numpy() == pytest.approx(np.diff(steps["value"]))
    assert np.isnan(steps["difference"].iloc[0])
    bands = steps["difference_high"] - steps["difference_low"]
    assert (bands.iloc[1:] > 0).all()
    assert not steps["clear"].any()


def test_track_steps_of_epochs_that_learn_are_clear(compas) -> None:
    truth = compas["two_year_recid"]
    epochs = {1: flip(truth, 0.4, 1), 5: flip(truth, 0.3, 2), 20: flip(truth, 0.1, 3)}
    steps = bam.track(bam.audit(truth, epochs, sensitive_features=compas["race"], n_boot=200))
    assert steps.query("metric == 'accuracy'")["clear"].tolist() == [False, True, True]
