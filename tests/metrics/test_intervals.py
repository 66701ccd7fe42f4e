"""Intervals: drawing tables is resampling rows, and what an interval is not given for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from metric_cases import quietly

from biasamp_adapters import (
    MALS,
    AmplificationWarning,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    JointCounts,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters._typing import Array
from biasamp_adapters.inference.replicates import replicate
from biasamp_adapters.reference import align

SE = 5  # exceeded once in 1.7 million
COLUMNS = {
    "task": "T",
    "prediction": "T_hat",
    "attribute": "A",
    "attribute_prediction": "A_hat",
}


def people(n: int, seed: int = 0) -> pd.DataFrame:
    """Rows in which A and T go together and the model errs towards that."""
    rng = np.random.default_rng(seed)
    a = rng.integers(2, size=n)
    t = (rng.random(n) < np.where(a == 1, 0.65, 0.4)).astype(int)
    t_hat = np.where(rng.random(n) < 0.25, a, t)
    a_hat = np.where(rng.random(n) < 0.2, t, a)
    return pd.DataFrame({"A": a, "T": t, "A_hat": a_hat, "T_hat": t_hat})


def given(frame: pd.DataFrame) -> dict[str, Any]:
    return {
        "y_true": frame["T"],
        "y_pred": frame["T_hat"],
        "sensitive_features": frame["A"],
        "sensitive_features_pred": frame["A_hat"],
    }


def replicates(metric: Any, counts: JointCounts, n_boot: int, random_state: int = 0) -> Array:
    """The values that an interval is read from."""
    evaluation = align(counts, getattr(metric, "reference", None))
    measurement = quietly(metric.measure, evaluation, evaluation.counts.tables().model)
    return replicate({0: measurement}, evaluation, n_boot, random_state)[0]["value"]


def spread(values: Array) -> tuple[float, float]:
    """The standard deviation and its standard error, from the fourth moment."""
    centred = values - values.mean()
    variance = (centred**2).mean()
    error = np.sqrt(((centred**4).mean() - variance**2) / len(values))
    return float(np.sqrt(variance)), float(error / (2 * np.sqrt(variance)))


def assert_same_spread(first: Array, second: Array) -> None:
    (sd, error), (other, other_error) = spread(first), spread(second)
    assert abs(sd - other) <= SE * np.hypot(error, other_error)
    mean_error = np.hypot(sd / np.sqrt(len(first)), other / np.sqrt(len(second)))
    assert abs(first.mean() - second.mean()) <= SE * mean_error


def resampled(metric: Any, frame: pd.DataFrame, draws: int) -> Array:
    """The metric of rows drawn with replacement, the plain way."""
    rng = np.random.default_rng(9)
    columns = {name: values.to_numpy() for name, values in given(frame).items()}
    out = []
    for _ in range(draws):
        rows = rng.integers(len(frame), size=len(frame))
        out.append(quietly(metric, **{name: values[rows] for name, values in columns.items()}))
    return np.array(out)


# Few rows for the 16 cells are drawn one by one, many rows by cells.
@pytest.mark.parametrize(
    ("kind", "direction", "n"),
    [
        (DirectionalBiasAmplification, "A->T", 150),
        (DirectionalBiasAmplification, "T->A", 1000),
        (MultiAttributeBiasAmplification, "A->T", 1000),
        (MultiAttributeBiasAmplification, "T->A", 150),
    ],
)
def test_tables_are_rows_resampled(kind: type, direction: str, n: int) -> None:
    frame = people(n)
    metric = kind(direction=direction)
    drawn = replicates(metric, JointCounts.from_frame(frame, **COLUMNS), 4000)
    # Signs stay those of all rows.
    fixed = kind(direction=direction, reference=(frame["T"], frame["A"]))
    assert_same_spread(drawn, resampled(fixed, frame, 500))


def test_mals_without_reference_is_resampled_with_its_truth() -> None:
    frame = people(1000)
    drawn = replicates(MALS(), JointCounts.from_frame(frame, **COLUMNS), 4000)
    assert_same_spread(drawn, resampled(MALS(), frame, 500))


@pytest.mark.parametrize("kind", [DirectionalPredictabilityAmplification, LeakageAmplification])
def test_labels_are_flipped_in_every_replicate(kind: type) -> None:
    frame = people(1000)
    drawn = replicates(kind(), JointCounts.from_frame(frame, **COLUMNS), 4000)
    rng = np.random.default_rng(8)
    once = kind(equalize="sampled", n_trials=1, random_state=rng)  # one more draw a call
    assert_same_spread(drawn, resampled(once, frame, 500))


def test_the_interval_does_not_depend_on_how_the_value_is_equalised() -> None:
    counts = JointCounts.from_frame(people(300), **COLUMNS)
    by_way = {
        how: DirectionalPredictabilityAmplification(equalize=how).from_counts(counts, n_boot=50)
        for how in ("expected", "sampled", "auto")
    }
    assert by_way["expected"].value != by_way["sampled"].value
    assert by_way["expected"].interval == by_way["sampled"].interval == by_way["auto"].interval
    unflipped = DirectionalPredictabilityAmplification(equalize=None)
    assert unflipped.from_counts(counts, n_boot=50).interval != by_way["auto"].interval


@pytest.mark.parametrize("kind", [DirectionalBiasAmplification, MALS])
def test_a_common_weight_changes_no_interval(kind: type) -> None:
    """Weights of .01 make 300 rows, not three: a multinomial on their sum would."""
    frame = people(300)
    plain = kind().result(**given(frame), n_boot=200)
    light = kind().result(**given(frame), sample_weight=np.full(300, 0.01), n_boot=200)
    assert light.value == pytest.approx(plain.value, abs=1e-12)
    assert light.interval == pytest.approx(plain.interval, abs=1e-12)


@pytest.mark.parametrize("kind", [DirectionalPredictabilityAmplification, LeakageAmplification])
def test_a_common_weight_changes_no_spread_of_flips(kind: type) -> None:
    frame = people(300)
    plain = JointCounts.from_frame(frame, **COLUMNS)
    light = JointCounts.from_frame(frame.assign(w=0.01), **COLUMNS, weight="w", by_weight=True)
    # Flips of weighted rows are drawn in another order.
    assert_same_spread(replicates(kind(), plain, 4000), replicates(kind(), light, 4000))


def weighted(frame: pd.DataFrame) -> tuple[JointCounts, JointCounts]:
    """Counts that keep each row's weight, and counts of the sums only."""
    rng = np.random.default_rng(3)
    frame = frame.assign(w=rng.choice([0.2, 1.0, 3.0], size=len(frame)))
    exact, merged = (
        JointCounts.from_frame(frame, **COLUMNS, weight="w", by_weight=by_weight)
        for by_weight in (True, False)
    )
    assert exact.knows_rows
    assert not merged.knows_rows
    return exact, merged


@pytest.mark.parametrize("direction", ["A->T", "T->A"])
def test_poisson_draws_of_merged_weights_agree_with_exact_ones(direction: str) -> None:
    exact, merged = weighted(people(2000))
    metric = DirectionalBiasAmplification(direction=direction)
    drawn = replicates(metric, exact, 4000)
    assert_same_spread(drawn, replicates(metric, merged, 4000, random_state=1))
    # Rows of unequal weight are worth fewer (Kish): mean and mean square of the three weights are
    # 1.4 and 3.347, so the spread is wider by sqrt(3.347) / 1.4 = 1.31. Five standard errors of
    # the ratio of two spreads are 8 %; the rates and the drawn shares of weights differ too.
    plain = replicates(metric, exact.unweighted(), 4000)
    assert spread(drawn)[0] / spread(plain)[0] == pytest.approx(1.31, rel=0.1)


def test_poisson_draws_have_the_mean_and_variance_of_the_weights() -> None:
    """Cells of mean w and variance w2 that do not depend on each other; none is negative."""
    frame = people(2000)
    frame["w"] = np.random.default_rng(3).choice([0.2, 1.0, 3.0], size=len(frame))
    counts = JointCounts.from_frame(frame, task="T", attribute="A", weight="w")
    size = 20_000
    (tables,) = counts.draw(size, np.random.default_rng(5), block=size)
    by_cell = frame.groupby(["A", "T"])["w"]
    w, w2 = by_cell.sum().to_numpy(), by_cell.apply(lambda x: (x**2).sum()).to_numpy()
    assert tables.times is None
    assert (tables.weights >= 0).all()
    assert_moments(tables.weights, w, np.diag(w2))


def test_poisson_draws_of_cells_of_one_row_are_not_shifted() -> None:
    # 200 groups, each with one positive of weight .5 or 2: a draw that was cut at 0 would raise
    # the share of positives.
    group = np.repeat(np.arange(200), 10)
    truth = np.tile([1] + [0] * 9, 200)
    weight = np.tile([0.5, 2.0], 1000)
    counts = JointCounts.from_arrays(truth, None, group, sample_weight=weight)
    (tables,) = counts.draw(2000, np.random.default_rng(0), block=2000)
    share = tables.marginal("task")[:, 1] / tables.marginal("task").sum(axis=1)
    expected = weight[truth == 1].sum() / weight.sum()
    assert abs(share.mean() - expected) <= SE * share.std() / np.sqrt(2000)


def assert_moments(values: Array, mean: Array, covariance: Array) -> None:
    centred = values - mean
    products = centred[:, :, None] * centred[:, None, :]
    root = np.sqrt(len(values))
    assert (np.abs(values.mean(axis=0) - mean) <= SE * values.std(axis=0) / root).all()
    error = products.std(axis=0) / root
    assert (np.abs(products.mean(axis=0) - covariance) <= SE * error).all()


@pytest.mark.parametrize("random_state", [None, 0, 7])
def test_the_same_state_repeats(random_state: int | None) -> None:
    metric = DirectionalPredictabilityAmplification()

    def interval(state: Any) -> Any:
        return metric.result(**given(people(200)), n_boot=40, random_state=state).interval

    first = interval(random_state)
    assert interval(random_state) == first
    assert interval(np.random.default_rng(random_state or 0)) == first
    assert interval(99) != first


def test_percentile_and_basic_mirror_each_other() -> None:
    frame = people(200)
    metric = DirectionalBiasAmplification()
    counts = JointCounts.from_frame(frame, **COLUMNS)
    by_percentile = metric.from_counts(counts, n_boot=500, confidence=0.9)
    basic = metric.from_counts(counts, n_boot=500, confidence=0.9, interval_method="basic")
    low, high = by_percentile.interval
    value = by_percentile.value
    assert basic.interval == pytest.approx((2 * value - high, 2 * value - low), abs=1e-15)
    values = replicates(metric, counts, 500)
    # 5 % of the replicates lie on either side.
    assert [(values < low).sum(), (values > high).sum()] == [25, 25]


def test_a_reference_that_is_a_sample_adds_its_own_variance_to_mals() -> None:
    frame, training = people(800), people(400, seed=1)
    counts = JointCounts.from_frame(frame, **COLUMNS)
    reference = JointCounts.from_arrays(training["T"], sensitive_features=training["A"])
    many = reference
    for _ in range(14):  # 6.5 million rows of the same rates vary by next to nothing
        many = many + many
    sampled = replicates(MALS(reference=reference), counts, 4000)
    fixed = replicates(MALS(reference=many), counts, 4000)
    # Only P(A = 1 | T = 1) is read from the reference, for the one favoured group: p (1 - p) / n_1,
    # with the number of positives of each draw. It is independent of what the predictions add.
    positive = training.loc[training["T"] == 1, "A"]
    p, n_1 = positive.mean(), len(positive)
    assert p > 1 / 2
    (sd, error), (fixed_sd, fixed_error) = spread(sampled), spread(fixed)
    gain_error = np.hypot(2 * sd * error, 2 * fixed_sd * fixed_error)
    # E[1 / n_1] exceeds 1 / E[n_1] by less than 1 in 100 here.
    expected = p * (1 - p) / n_1
    assert abs(sd**2 - fixed_sd**2 - expected) <= SE * gain_error + expected / 100
    assert expected > 2 * SE * gain_error  # so that a missing part would show


def test_fixed_signs_of_a_balanced_truth_leave_no_spread() -> None:
    frame = people(400)
    frame["T"] = np.arange(400) % 2
    frame["A"] = np.arange(400) // 2 % 2
    metric = DirectionalBiasAmplification()
    fixed = metric.result(**given(frame), n_boot=100)
    assert (fixed.value, fixed.interval) == (0, (0, 0))
    free = metric.result(**given(frame), n_boot=100, signs="reestimated")
    assert free.value == 0
    assert free.interval[0] < free.interval[1]
    # A tie has no sign that could be uncertain.
    assert not fixed.by_pair["uncertain"].any()


def test_a_wider_level_gives_a_wider_interval() -> None:
    counts = JointCounts.from_frame(people(200), **COLUMNS)
    metric = DirectionalBiasAmplification()
    narrow, wide = (
        metric.from_counts(counts, n_boot=300, confidence=level).interval for level in (0.5, 0.99)
    )
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_arrays_have_the_interval_of_their_counts() -> None:
    frame = people(200)
    options = {"n_boot": 300, "confidence": 0.5, "interval_method": "basic", "random_state": 3}
    of_arrays = DirectionalBiasAmplification().result(**given(frame), **options)
    counts = JointCounts.from_frame(frame, **COLUMNS)
    of_counts = DirectionalBiasAmplification().from_counts(counts, **options)
    assert of_arrays.interval == of_counts.interval
    assert (of_arrays.confidence, of_arrays.n_boot) == (0.5, 300)


def test_without_replicates_there_is_no_interval() -> None:
    result = DirectionalBiasAmplification().result(**given(people(50)))
    assert (result.interval, result.n_boot, result.notes) == (None, 0, ())


@pytest.mark.parametrize("n", [19, 20])
def test_an_attack_needs_twenty_rows_for_an_interval(n: int) -> None:
    metric = DirectionalPredictabilityAmplification(quality="accuracy")
    result = quietly(metric.result, **given(people(n)), n_boot=50)
    assert any("19 rows are too few" in note for note in result.notes) == (n == 19)


def test_no_interval_of_leave_one_out() -> None:
    options = {"quality": "inverse_cross_entropy", "evaluation": "loo"}
    metric = DirectionalPredictabilityAmplification(**options)
    with pytest.warns(AmplificationWarning, match="leave-one-out is invalid on bootstrap samples"):
        result = metric.result(**given(people(50)), n_boot=20)
    assert result.interval is None


def test_no_interval_around_an_undefined_value() -> None:
    metric = DirectionalBiasAmplification(direction="T->A", pos_label=1, labels=[0, 1])
    frame = people(50).assign(T=0)
    with pytest.warns(AmplificationWarning) as caught:
        result = metric.result(**given(frame), n_boot=20)
    assert result.interval is None
    assert any("no interval: the value is undefined" in str(w.message) for w in caught)


def test_no_interval_where_few_rows_decide() -> None:
    # The only rate is that of one row.
    frame = people(30).assign(T=0, T_hat=0)
    frame.loc[4, ["T", "T_hat"]] = 1
    metric = DirectionalBiasAmplification(direction="T->A", pos_label=1)
    reason = "no interval: 100% of its variance is due to class 1, of which there are fewer than 15"
    with pytest.warns(AmplificationWarning, match=reason):
        result = metric.result(**given(frame), n_boot=400)
    assert result.interval is None


def test_no_interval_where_flips_have_no_rows() -> None:
    _, merged = weighted(people(5000))
    metric = DirectionalPredictabilityAmplification(equalize="expected")
    with pytest.warns(AmplificationWarning, match="no interval: its flips need rows"):
        result = metric.from_counts(merged, n_boot=50)
    assert (result.interval, result.n_boot) == (None, 0)
    unflipped = DirectionalPredictabilityAmplification(equalize=None)
    assert unflipped.from_counts(merged, n_boot=50).interval is not None


def test_an_unbounded_leakage_has_no_interval_and_says_why() -> None:
    # The predicted task gives the group away, so the model's loss is 0.
    group = ["a"] * 50 + ["b"] * 50
    truth = [0] * 45 + [1] * 5 + [1] * 45 + [0] * 5
    metric = LeakageAmplification(quality="inverse_cross_entropy")
    with pytest.warns(AmplificationWarning, match="no interval: the value is unbounded"):
        result = metric.result(truth, [0] * 50 + [1] * 50, sensitive_features=group, n_boot=50)
    assert result.value == np.inf
    assert "unbounded" in repr(result)


def test_whole_weights_as_frequencies_are_repetition() -> None:
    # Also where flips are drawn: a sampling weight would flip with its row as one.
    frame = people(60)
    weight = np.random.default_rng(4).integers(0, 4, len(frame))
    weighted_counts = JointCounts.from_frame(frame.assign(w=weight), **COLUMNS, weight="w")
    repeated = JointCounts.from_frame(frame.loc[frame.index.repeat(weight)], **COLUMNS)
    assert weighted_counts.as_frequencies() == repeated
    metric = DirectionalPredictabilityAmplification(equalize="sampled")
    assert (
        metric.from_counts(weighted_counts.as_frequencies()).value
        == metric.from_counts(repeated).value
    )
    half = JointCounts.from_arrays([0, 1], sample_weight=[0.5, 1])
    with pytest.raises(ValueError, match="frequency weights must be whole"):
        half.as_frequencies()
