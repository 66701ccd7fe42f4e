"""Several models on the same rows: differences from the first, and their intervals."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import biasamp_adapters as bam
from biasamp_adapters.metrics.functions import get_metric

Columns = dict[str, Any]


def models_of(n: int = 400, seed: int = 0) -> Columns:
    """Return rows of two groups, and the predictions of two models that err alike."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    truth = (rng.random(n) < np.where(group == 1, 0.6, 0.4)).astype(int)
    old = np.where(rng.random(n) < 0.25, group, truth)
    new = np.where(rng.random(n) < 0.1, truth, old)
    return {"y_true": truth, "y_pred": {"old": old, "new": new}, "sensitive_features": group}


METRICS = ["MALS", "BA", "Multi", "LA", "DPA", "DPA(U)"]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
def test_compare_values_are_those_of_results_of_each_model(name) -> None:
    columns = models_of()
    comparison = bam.compare(**columns, metric=name, n_boot=100)
    for model, predicted in columns["y_pred"].items():
        alone = get_metric(name).result(**columns | {"y_pred": predicted}, n_boot=0)
        assert comparison.results[model].value == alone.value
    values = [result.value for result in comparison.results.values()]
    assert comparison.differences["new"].value == pytest.approx(values[1] - values[0])


@pytest.mark.parametrize("name", METRICS[:-1])
@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
def test_model_differs_from_itself_by_nothing(name) -> None:
    columns = models_of()
    columns["y_pred"] = {"one": columns["y_pred"]["old"], "two": columns["y_pred"]["old"]}
    difference = bam.compare(**columns, metric=name, n_boot=100).differences["two"]
    assert (difference.value, difference.interval) == (0, (0, 0))


def test_interval_of_a_difference_is_a_band_of_paired_replicates() -> None:
    metric = bam.DirectionalBiasAmplification(group_labels=[0, 1, 2])  # 2 has no rows.
    comparison = bam.compare(**models_of(4000), metric=metric, n_boot=1000)
    old, new = (result.estimate.replicates for result in comparison.results.values())
    difference = comparison.differences["new"]
    # k standard errors and half a row of the smaller group, which is .5 / 2000 or so.
    t = np.abs(new - old - difference.value) / (new - old).std()
    n_smallest = np.bincount(models_of(4000)["sensitive_features"]).min()
    reach = np.quantile(t, 0.95) * (new - old).std() + 0.5 / n_smallest
    assert difference.low == pytest.approx(difference.value - reach, abs=1e-12)
    assert difference.high == pytest.approx(difference.value + reach, abs=1e-12)
    # Of independent samples the widths would add up as squares.
    widths = [np.ptp(result.interval) for result in comparison.results.values()]
    assert np.ptp(difference.interval) < 0.7 * np.hypot(*widths)


def test_clear_is_an_interval_that_excludes_0() -> None:
    columns = models_of(2000)
    columns["y_pred"] = {
        "old": columns["y_pred"]["old"],
        "same": columns["y_pred"]["old"],
        "right": columns["y_true"],
        "group": columns["sensitive_features"],
    }
    frame = bam.compare(**columns, n_boot=200).frame.set_index("model")
    assert frame["clear"].tolist() == [False, False, True, True]
    assert frame.loc["right", "difference_high"] < 0 < frame.loc["group", "difference_low"]


FITTED = bam.LeakageAmplification(attacker=LogisticRegression(), n_trials=1)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"n_boot": 0}, "no intervals were requested (n_boot=0)"),
        ({"n_boot": 10}, "old has no interval (a level of 95% needs at least 40 replicates)"),
        ({"metric": FITTED}, "old has no interval (the attacker is a fitted LogisticRegression,"),
    ],
)
def test_difference_without_an_interval_has_a_reason(options, reason) -> None:
    difference = bam.compare(**models_of(), **options).differences["new"]
    assert difference.interval is None
    assert difference.reason.startswith(reason)
    assert np.isfinite(difference.value)


def test_second_model_without_an_interval_is_named_and_leaves_the_others() -> None:
    # Of "few" 14 rows are predicted positive.
    columns = models_of(500)
    few = np.arange(500) < 14
    columns["y_pred"] = columns["y_pred"] | {"few": few * 1}
    differences = bam.compare(**columns, metric="MALS", n_boot=100).differences
    assert differences["few"].reason.startswith("few has no interval (class 1 has fewer than")
    assert differences["new"].reason == ""


def test_ratio_and_difference_are_not_compared() -> None:
    # Only "new" depends on the group; of "old" and the labels, U gives a difference.
    groups = [0] * 2000 + [1] * 2000
    truth = [0, 1] * 2000
    new = [0] * 1500 + [1] * 1000 + [0] * 500 + [1] * 1000
    metric = bam.DirectionalPredictabilityAmplification(
        quality="uncertainty_coefficient", equalize=None
    )
    comparison = bam.compare(
        truth, {"old": truth, "new": new}, metric=metric, sensitive_features=groups, n_boot=100
    )
    assert [result.reason for result in comparison.results.values()] == ["", ""]
    assert comparison.differences["new"].reason == "one value is a difference and the other a ratio"


@pytest.mark.parametrize(
    ("changed", "fragment"),
    [
        ({"y_pred": {"only": [0, 1] * 200}}, "compare needs at least two models, as a dict"),
        ({"y_pred": [0, 1] * 200}, "compare needs at least two models, as a dict"),
        ({"y_pred": {}}, "y_pred must name at least one model; received an"),
        ({"y_pred": {"1": [0, 1] * 200, 1: [0, 1] * 200}}, "'1' and 1, which look the same"),
        (
            {"metric": bam.MALSBiasAmplification(), "reference": ([0, 1], [0, 1])},
            "reference must be a setting of the metric object",
        ),
    ],
)
def test_bad_comparison_raises(changed, fragment) -> None:
    with pytest.raises(ValueError, match=fragment):
        bam.compare(**models_of() | changed)


def test_arrays_frames_and_counts_are_compared_alike() -> None:
    columns = models_of()
    of_arrays = bam.compare(**columns, n_boot=100).frame
    frame = pd.DataFrame(columns["y_pred"])
    frame["y"], frame["g"] = columns["y_true"], columns["sensitive_features"]
    names: Columns = {"y_true": "y", "sensitive_features": "g"}
    models = {"old": "old", "new": "new"}
    of_frame = bam.compare(frame, models, **names, n_boot=100).frame
    counts = bam.Counts.from_frame(frame, y_pred=models, **names)
    of_counts = bam.compare(counts, n_boot=100).frame
    pd.testing.assert_frame_equal(of_arrays, of_frame)
    pd.testing.assert_frame_equal(of_arrays, of_counts)


def test_comparison_is_shown_as_a_table_with_names_escaped() -> None:
    columns = models_of(60)
    columns["y_pred"] = {"old": columns["y_pred"]["old"], "<b>": columns["y_pred"]["new"]}
    columns["y_true"] = [None, *columns["y_true"][1:]]
    metric = bam.DirectionalBiasAmplification(missing="drop")
    comparison = bam.compare(**columns, metric=metric, n_boot=0)
    header, first, _, note, *_ = repr(comparison).splitlines()
    assert note == "  1 row with missing values was left out."
    assert f"<p>{note.strip()}</p>" in comparison._repr_html_()
    assert header.split() == [*comparison.frame]
    assert first.split()[0] == "old"
    assert "&lt;b&gt;" in comparison._repr_html_()
    assert "<b>" not in comparison._repr_html_()
