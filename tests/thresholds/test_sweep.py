"""A metric at the thresholds of a score, and its integral over them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biasamp_adapters as bam
from biasamp_adapters.metrics.functions import get_metric

METRICS = ["BA", "MALS", "Multi", "Multi undirected", "LA", "DPA", "DPA(U)"]
TRUTH, SCORE, GROUP = [1, 1, 0, 1, 0, 0], [5, 4, 3, 3, 2, 1], [*"aaabbb"]


def rows(n: int = 300, seed: int = 0) -> dict[str, Any]:
    """Return rows of two groups, one of which has higher scores."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    score = np.clip(rng.normal(5 + group, 2, size=n).round(), 1, 10)
    truth = (rng.random(n) < score / 12).astype(int)
    return {"y_true": truth, "y_score": score, "sensitive_features": np.array(["a", "b"])[group]}


def test_sweep_by_hand_has_the_metric_at_each_score() -> None:
    """Of group a 2/3 are positive, of b 1/3; both signs are along the gap."""
    sweep = bam.threshold_sweep(TRUTH, SCORE, sensitive_features=GROUP, n_boot=0)
    frame = sweep.frame
    assert frame["threshold"].tolist() == [np.inf, 5, 4, 3, 2, 1]
    assert frame["share"].tolist() == pytest.approx([0, 1 / 6, 2 / 6, 4 / 6, 5 / 6, 1])
    # The predicted rates of a minus those of b: 0, 1/3, 2/3, 2/3, 1/3 and 0.
    assert frame["value"].tolist() == pytest.approx([-1 / 6, 0, 1 / 6, 1 / 6, 0, -1 / 6])
    # Trapezoids of (-1/12, 1/12, 1/6, 1/12, -1/12) over shares of (1, 1, 2, 1, 1) / 6.
    assert sweep.integral.value == pytest.approx(1 / 18)
    assert sweep.integral.interval is None
    assert (sweep.metric, sweep.key) == ("BA A->T", "ba_a_to_t")


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
def test_sweep_has_the_values_of_each_threshold_alone(name) -> None:
    data = rows()
    sweep = bam.threshold_sweep(**data, metric=name, n_boot=0)
    others = {key: data[key] for key in ("y_true", "sensitive_features")}
    for threshold, value in sweep.frame[["threshold", "value"]].itertuples(index=False):
        predicted = (data["y_score"] >= threshold).astype(int)
        # Constant predictions need the list of classes, which the sweep knows.
        counts = bam.Counts.from_arrays(y_pred=predicted, **others, class_labels=[0, 1])
        expected = get_metric(name).result(counts, n_boot=0).value
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_sweep_of_mals_leaves_the_undefined_threshold_out_of_the_integral() -> None:
    one_class = bam.MALSBiasAmplification(pos_label=1)
    sweep = bam.threshold_sweep(**rows(), metric=one_class, n_boot=200)
    share, value = (sweep.frame[name].to_numpy() for name in ("share", "value"))
    assert np.isnan(value[0])
    assert sweep.frame["reason"][0] != ""
    assert sweep.integral.value == pytest.approx(np.trapezoid(value[1:], share[1:]))
    assert sweep.integral.interval is not None


def test_sweep_with_pos_label_0_predicts_0_above_the_threshold() -> None:
    data = rows()
    metric = bam.DirectionalBiasAmplification(pos_label=0)
    sweep = bam.threshold_sweep(**data | {"y_score": -data["y_score"]}, metric=metric, n_boot=0)
    predicted = np.where(-data["y_score"] >= -5, 0, 1)
    expected = metric(data["y_true"], predicted, sensitive_features=data["sensitive_features"])
    at_5 = sweep.frame.set_index("threshold").loc[-5.0]
    assert at_5["value"] == pytest.approx(expected)
    assert at_5["share"] == pytest.approx((predicted == 0).mean())


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_sweep_of_few_thresholds_takes_those_of_equal_shares(seed, n) -> None:
    data = rows(200, seed) | {"y_score": np.random.default_rng(seed).normal(size=200)}
    every = bam.threshold_sweep(**data, n_boot=0, n_thresholds=None).frame
    some = bam.threshold_sweep(**data, n_boot=0, n_thresholds=n).frame
    assert len(every) == 201
    assert len(some) == n + 1
    for k, share in enumerate(some["share"].tolist()):
        assert k / n <= share + 1e-9 < k / n + 1 / 200 + 1e-6
    kept = every[every["threshold"].isin(some["threshold"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, some)


@given(st.integers(0, 2**32 - 1))
def test_sweep_with_whole_weights_is_that_of_repeated_rows(seed) -> None:
    data, weight = rows(60, seed), np.random.default_rng(seed).integers(0, 3, 60)
    repeated = {name: np.repeat(values, weight) for name, values in data.items()}
    weighted = bam.threshold_sweep(**data, sample_weight=weight, n_boot=0)
    again = bam.threshold_sweep(**repeated, n_boot=0)
    pd.testing.assert_frame_equal(weighted.frame, again.frame)
    assert weighted.integral.value == pytest.approx(again.integral.value)


def test_sweep_with_a_reference_reads_its_signs() -> None:
    data = rows()
    opposite = (1 - data["y_true"], data["sensitive_features"])
    plain = bam.threshold_sweep(**data, n_boot=0)
    turned = bam.threshold_sweep(**data, reference=opposite, n_boot=0)
    assert turned.frame["value"].tolist() == pytest.approx((-plain.frame["value"]).tolist())
    metric = bam.DirectionalBiasAmplification(reference=opposite)
    sweep = bam.threshold_sweep(**data, metric=metric, n_boot=0)
    assert sweep.integral.value == turned.integral.value


@pytest.mark.parametrize("name", ["BA", "MALS", "LA", "DPA"])
def test_sweep_has_the_intervals_of_each_threshold_alone(name) -> None:
    """Draws share their seed, so that those of the same cells differ by chance only."""
    data = rows(2000)
    sweep = bam.threshold_sweep(**data, metric=name, n_boot=1000)
    row = sweep.frame.set_index("threshold").loc[5.0]
    predicted = {"model": (data.pop("y_score") >= 5).astype(int), "truth": data["y_true"]}
    alone = bam.compare(y_pred=predicted, **data, metric=name, n_boot=1000).frame.iloc[0]
    width = alone["high"] - alone["low"]
    assert row["value"] == pytest.approx(alone["value"])
    assert row["low"] == pytest.approx(alone["low"], abs=0.12 * width)
    assert row["high"] == pytest.approx(alone["high"], abs=0.12 * width)
    assert row["band_low"] < row["low"]
    assert row["band_high"] > row["high"]


def test_sweep_draws_a_reference_whose_rates_are_read() -> None:
    data, small = rows(2000), rows(100, seed=1)
    pair = (small["y_true"], small["sensitive_features"])
    own = bam.threshold_sweep(**data, metric="MALS", n_boot=300).integral
    other = bam.threshold_sweep(**data, metric="MALS", reference=pair, n_boot=300).integral
    assert other.high - other.low > 2 * (own.high - own.low)


def test_integral_covers_that_of_many_rows() -> None:
    truth = bam.threshold_sweep(**rows(400_000, 99), n_boot=0).integral.value
    sweeps = (bam.threshold_sweep(**rows(400, seed), n_boot=200) for seed in range(100))
    assert 89 <= sum(x.integral.low <= truth <= x.integral.high for x in sweeps) <= 100


def test_sweep_of_a_small_group_has_no_interval_but_values() -> None:
    data = rows(40) | {"sensitive_features": ["a"] * 36 + ["b"] * 4}
    sweep = bam.threshold_sweep(**data, n_boot=200)
    assert sweep.frame["value"].notna().all()
    assert sweep.frame[["low", "high", "band_low", "band_high"]].isna().all(axis=None)
    assert "b" in sweep.integral.reason
    assert sweep.integral.interval is None


def test_sweep_with_clusters_is_wider() -> None:
    data = rows(100)
    repeated = {name: np.repeat(values, 5) for name, values in data.items()}
    clusters, plain = np.arange(500) // 5, bam.threshold_sweep(**repeated, n_boot=400).integral
    clustered = bam.threshold_sweep(**repeated, clusters=clusters, n_boot=400).integral
    assert clustered.value == pytest.approx(plain.value)
    assert clustered.high - clustered.low > 1.8 * (plain.high - plain.low)


def test_sweep_of_a_frame_is_that_of_its_columns() -> None:
    data = rows()
    of_frame = bam.threshold_sweep(pd.DataFrame(data), **{x: x for x in data}, n_boot=50)
    of_arrays = bam.threshold_sweep(data.pop("y_true"), data.pop("y_score"), **data, n_boot=50)
    pd.testing.assert_frame_equal(of_arrays.frame, of_frame.frame)
    assert of_arrays.integral == of_frame.integral


def test_sweep_with_a_reference_frame_reads_the_same_columns() -> None:
    frame, train = pd.DataFrame(rows()), pd.DataFrame(rows(seed=1)).drop(columns="y_score")
    by_frame = bam.threshold_sweep(frame, **{x: x for x in frame}, reference=train, n_boot=0)
    pair = (train["y_true"], train["sensitive_features"])
    by_pair = bam.threshold_sweep(**rows(), reference=pair, n_boot=0)
    assert by_frame.integral.value == by_pair.integral.value


@pytest.mark.parametrize("kind", ["crossed", "overlapping", "predicted"])
@pytest.mark.parametrize("name", ["BA", "MALS"])
def test_sweep_of_other_groups_has_the_value_of_a_threshold_alone(kind, name) -> None:
    data, rng = rows(), np.random.default_rng(0)
    groups = data["sensitive_features"]
    member = np.c_[groups == "a", rng.random(300) < 0.5].astype(int)
    data |= {
        "crossed": {"sensitive_features": {"x": groups, "y": rng.choice([*"fm"], 300)}},
        "overlapping": {"sensitive_features": bam.OverlappingGroups(member, ["a", "old"])},
        "predicted": {"sensitive_features_pred": np.where(rng.random(300) < 0.2, "a", groups)},
    }[kind]
    sweep = bam.threshold_sweep(**data, metric=name, n_boot=0)
    predicted = (data.pop("y_score") >= 5).astype(int)
    at_5 = get_metric(name).result(y_pred=predicted, **data, n_boot=0).value
    assert sweep.frame.set_index("threshold").loc[5.0, "value"] == pytest.approx(at_5)


def test_sweep_with_missing_labels_drops_rows_on_request() -> None:
    data = rows()
    kept = {name: values[10:] for name, values in data.items()}
    data["y_true"] = [None] * 10 + data["y_true"][10:].tolist()
    metric = bam.DirectionalBiasAmplification(missing="drop")
    sweep = bam.threshold_sweep(**data, metric=metric, n_boot=0)
    assert sweep.integral.value == bam.threshold_sweep(**kept, n_boot=0).integral.value
    assert "10" in sweep.notes[0]


ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"metric": "BA T->A"}, "metric must read predicted classes; BA T->A reads none"),
    ({"metric": "BAA"}, "unknown metric 'BAA'; did you mean 'BA'"),
    ({"metric": "ba"}, "unknown metric 'ba'; did you mean 'BA'"),
    ({"y_true": [0, 1, 2] * 100}, "one of which is pos_label; received 0, 1, 2"),
    ({"y_true": [None] * 10 + [0, 1] * 145}, "y_true must not have missing values; received 10"),
    ({"y_score": None}, "y_true and y_score must be given; received None"),
    ({"y_true": None}, "y_true and y_score must be given"),
    ({"y_true": np.eye(300, 2)}, "two classes in y_true"),
    ({"y_score": ["high"] * 300}, "y_score must hold numbers; received 'high'"),
    ({"sensitive_features": None}, "`sensitive_features` is missing"),
    ({"n_boot": -1}, "n_boot must be a whole number from 0 on; received -1"),
    ({"y_score": dict.fromkeys("ab", range(300))}, "reads one model; received 'a'"),
    ({"n_thresholds": 0}, "n_thresholds must be a whole number from 1 on; received 0"),
    ({"metric": bam.DirectionalBiasAmplification(), "reference": ()}, "setting of the metric o"),
]


@pytest.mark.parametrize(("inputs", "message"), ERRORS)
def test_sweep_with_wrong_inputs_says_the_rule(inputs, message) -> None:
    with pytest.raises(ValueError, match=message):
        bam.threshold_sweep(**rows() | inputs)


def test_sweep_of_sets_of_groups_has_intervals() -> None:
    groups = {"sex": [*"fm"] * 150, "age": [*"yyo"] * 100}
    data = rows() | {"sensitive_features": groups, "metric": get_metric("Multi", group_sets=True)}
    assert (bam.threshold_sweep(**data, n_boot=200).frame["reason"] == "").any()


def test_sweep_of_too_many_thresholds_is_refused() -> None:
    n = 50_000
    with pytest.raises(ValueError, match="n_thresholds must be smaller; received 50000 thresholds"):
        bam.threshold_sweep(**rows(n) | {"y_score": np.arange(n)}, n_thresholds=None)


def test_sweep_shows_its_integral_and_thresholds() -> None:
    sweep = bam.threshold_sweep(TRUTH, SCORE, sensitive_features=GROUP, n_boot=0)
    assert repr(sweep).startswith("BA A->T over all thresholds: +0.0556\n")
    assert "<table" in sweep._repr_html_()
