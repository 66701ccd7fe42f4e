"""BCa: the jackknife by cells, the quantiles it leads to, and where there is none."""

from __future__ import annotations

import inspect
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import bootstrap, norm

from biasamp_adapters import (
    MALS,
    CooccurrenceCounts,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    JointCounts,
    LeakageAmplification,
)
from biasamp_adapters.inference.estimates import Replicated
from biasamp_adapters.inference.replicates import acceleration_of, accelerations
from biasamp_adapters.reference import align

#: 40 rows: group a has 12 of 20 positives and is predicted 15, group b 6 of 20 and 4.
GROUP = np.repeat(["a", "b"], 20)
TRUTH = np.r_[[1] * 12, [0] * 8, [1] * 6, [0] * 14]
MADE = np.r_[[1] * 11, [0], [1] * 4, [0] * 4, [1] * 3, [0] * 3, [1], [0] * 13]


def test_acceleration_of_a_mean() -> None:
    # Values 0 (8 rows) and 1 (2 rows): the mean is .2; without a 0 it is 2/9, without a 1, 1/9.
    zero, one = Fraction(2, 9), Fraction(1, 9)
    mean = (8 * zero + 2 * one) / 10
    cubes = 8 * (mean - zero) ** 3 + 2 * (mean - one) ** 3
    squares = 8 * (mean - zero) ** 2 + 2 * (mean - one) ** 2
    expected = float(cubes) / (6 * float(squares) ** 1.5)
    assert acceleration_of(np.array([2 / 9, 1 / 9]), np.array([8, 2])) == pytest.approx(expected)
    # A score that no row changes has no skew.
    assert acceleration_of(np.ones(3), np.array([4, 1, 7])) == 0


def test_the_quantiles_that_it_reads() -> None:
    replicates = np.arange(1000) / 1000
    # 400 of 1,000 lie below .4, and that one ties: z0 is the quantile .4005.
    bias, a = norm.ppf(0.4005), 0.05
    ends = [bias + z for z in norm.ppf([0.05, 0.95])]
    levels = [norm.cdf(bias + z / (1 - a * z)) for z in ends]
    found = Replicated(0.4, replicates).estimate(0.9, "bca", acceleration=a).interval
    assert found == pytest.approx(np.quantile(replicates, levels))
    # Without bias and skew it reads those of the percentile method.
    plain = Replicated(0.4995, replicates).estimate(0.9).interval
    found = Replicated(0.4995, replicates).estimate(0.9, "bca").interval
    assert found == pytest.approx(plain)


def _counts(kind: str) -> JointCounts | CooccurrenceCounts:
    if kind == "labels":
        return JointCounts.from_arrays(TRUTH, MADE, GROUP)
    if kind == "weights":
        weight = np.where(GROUP == "a", 1.0, 1.5)
        return JointCounts.from_arrays(TRUTH, MADE, GROUP, sample_weight=weight, by_weight=True)
    # Of two classes one column tells all: MALS looks at the positive one, BA-> at both alike.
    return CooccurrenceCounts.from_arrays(TRUTH[:, None], MADE[:, None], GROUP, keep_rows=True)


@pytest.mark.parametrize("metric", [DirectionalBiasAmplification(), MALS()], ids=str)
@pytest.mark.parametrize("kind", ["labels", "matrix", "weights"])
def test_cells_leave_out_what_rows_do(kind: str, metric: MALS) -> None:
    counts = _counts(kind)
    evaluation = align(counts, None)
    measurement = metric.measure(evaluation, "model")
    fixed = metric.__class__(reference=(TRUTH, GROUP))
    options = {"groups": ("a", "b")}
    weight = np.where(GROUP == "a", 1.0, 1.5) if kind == "weights" else np.ones(40)
    # One row after the other, the signs being those of all rows.
    scores = []
    for i in range(40):
        keep = np.arange(40) != i
        of_rows = JointCounts.from_arrays(
            TRUTH[keep], MADE[keep], GROUP[keep], sample_weight=weight[keep], **options
        )
        # MALS reads rates of its reference, which here is the evaluated truth itself.
        result = (MALS() if isinstance(metric, MALS) else fixed).from_counts(of_rows)
        scores.append([result.value, result.excess.value])
    found = accelerations([measurement], [1])
    for name, of_name in zip(("value", "excess"), np.transpose(scores), strict=True):
        assert found[name] == pytest.approx(acceleration_of(of_name, np.ones(40)), rel=1e-9)


def test_it_agrees_with_scipy() -> None:
    metric = DirectionalBiasAmplification(reference=(TRUTH, GROUP))

    def value(rows: np.ndarray) -> float:
        rows = rows.astype(int)
        gaps = [
            (MADE[rows][GROUP[rows] == group] == label).mean()
            - (TRUTH[rows][GROUP[rows] == group] == label).mean()
            for group, label in (("a", 1), ("a", 0), ("b", 1), ("b", 0))
        ]
        # Group a has the positives more often than b.
        return float((gaps[0] - gaps[1] - gaps[2] + gaps[3]) / 4)

    # Older versions of scipy know the seed by another name.
    seed = "rng" if "rng" in inspect.signature(bootstrap).parameters else "random_state"
    theirs = bootstrap(
        (np.arange(40),), value, method="BCa", n_resamples=4000, vectorized=False, **{seed: 0}
    )
    ours = metric.result(
        TRUTH, MADE, sensitive_features=GROUP, n_boot=40_000, interval_method="bca"
    )
    assert ours.interval is not None
    ends = theirs.confidence_interval
    # Monte Carlo error of a 2.5 % quantile of 4,000 normal replicates: 2.7 sd / sqrt(4,000).
    error = 2.7 * theirs.standard_error / np.sqrt(4000)
    assert ours.interval == pytest.approx((ends.low, ends.high), abs=4 * error)


def test_rows_of_the_reference_are_left_out_too() -> None:
    own, other = JointCounts.from_arrays(TRUTH, MADE, GROUP), (TRUTH[:30], GROUP[:30])
    alone = MALS().from_counts(own, n_boot=4000, interval_method="bca").interval
    against = MALS(reference=other).from_counts(own, n_boot=4000, interval_method="bca").interval
    assert alone is not None
    assert against is not None
    # Thirty rows that are drawn on their own add more than the forty that are paired.
    assert against[1] - against[0] > alone[1] - alone[0]


@pytest.mark.parametrize(
    "metric", [LeakageAmplification(), DirectionalPredictabilityAmplification()], ids=str
)
def test_the_attacks(metric: LeakageAmplification) -> None:
    rows = {"sensitive_features": np.tile(GROUP, 10)}
    truth, made = np.tile(TRUTH, 10), np.tile(MADE, 10)
    plain = metric.result(truth, made, n_boot=1000, **rows)
    found = metric.result(truth, made, n_boot=1000, interval_method="bca", **rows)
    assert found.interval is not None
    assert found.interval[0] < found.value < found.interval[1]
    # Levels are moved already, so that they stay those of the percentile method.
    assert found.levels == plain.levels


@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
def test_sums_of_weights_have_no_rows_to_leave_out() -> None:
    weight = np.arange(40) + 1.0
    counts = JointCounts.from_arrays(TRUTH, MADE, GROUP, sample_weight=weight)
    metric = DirectionalBiasAmplification()
    result = metric.from_counts(counts, n_boot=200, interval_method="bca")
    assert result.interval is None
    note = "BCa leaves out one row at a time, and these counts hold only sums"
    assert result.notes == (f"no interval: {note}: use interval_method='percentile'",)


def test_undefined_without_one_of_the_rows() -> None:
    reason = acceleration_of(np.array([np.nan, 0.5]), np.array([1, 9]))
    assert reason == "without one of the rows it is undefined, and BCa leaves out each"
    found = Replicated(0.4, np.arange(1000) / 1000).estimate(0.95, "bca", acceleration=reason)
    assert found.interval is None
    assert found.reason == f"{reason}: use interval_method='percentile'"


def test_replicates_that_do_not_differ() -> None:
    assert Replicated(0.5, np.full(1000, 0.5)).estimate(0.95, "bca").interval == (0.5, 0.5)


def test_too_few_replicates_for_its_quantiles() -> None:
    found = Replicated(0.4, np.arange(100) / 100).estimate(0.95, "bca", acceleration=0.3)
    assert found.interval is None
    assert "100 replicates are too few for it" in str(found.reason)
