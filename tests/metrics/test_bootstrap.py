"""Replicates vary as rows that are drawn with replacement would: of weights, clusters, flips."""

from typing import Any

import numpy as np
import pytest

import biasamp_adapters as bam

pytestmark = pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")

Array = np.ndarray
Columns = dict[str, Array]

#: Replicates and plain draws. A standard deviation of n numbers has a relative error of
#: 1 / sqrt(2 n), so that of a ratio of both is .025; five of them are allowed.
N_BOOT, N_PLAIN, SPREAD = 4000, 1000, 5 * 0.025


def people(n: int, seed: int = 0) -> Columns:
    """Return rows of two groups and classes, in which the model errs towards their correlation."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    truth = (rng.random(n) < np.where(group == 1, 0.65, 0.4)).astype(int)
    return {
        "y_true": truth,
        "y_pred": np.where(rng.random(n) < 0.25, group, truth),
        "sensitive_features": group,
        "sensitive_features_pred": np.where(rng.random(n) < 0.2, truth, group),
    }


def spread(metric: Any, columns: Columns) -> float:
    result = metric.result(**columns, n_boot=N_BOOT, random_state=1)
    return float(result.estimate.replicates.std())


#: Changes of rates P(class | group), and of shares P(group | class), from tables (draws, group,
#: class, predicted class, predicted group). Group 1 has class 1 more often.
SIGNS = np.array([[1, -1], [-1, 1]])


def ba_a_to_t(tables: Array) -> Array:
    true, predicted = tables.sum(axis=(3, 4)), tables.sum(axis=(2, 4))
    return (SIGNS * (predicted - true) / true.sum(axis=2, keepdims=True)).mean(axis=(1, 2))


def ba_t_to_a(tables: Array) -> Array:
    true, predicted = tables.sum(axis=(3, 4)), tables.sum(axis=(1, 3)).swapaxes(1, 2)
    return (SIGNS * (predicted - true) / true.sum(axis=1, keepdims=True)).mean(axis=(1, 2))


@pytest.mark.parametrize(("direction", "formula"), [("A->T", ba_a_to_t), ("T->A", ba_t_to_a)])
@pytest.mark.parametrize("n", [150, 1000])
def test_ba_varies_as_that_of_numpys_multinomial(direction, formula, n) -> None:
    columns, table = people(n), np.zeros((2, 2, 2, 2))
    roles = ("sensitive_features", "y_true", "y_pred", "sensitive_features_pred")
    np.add.at(table, tuple(columns[role] for role in roles), 1)
    draws = np.random.default_rng(9).multinomial(n, table.ravel() / n, N_PLAIN)
    plain = formula(draws.reshape(-1, 2, 2, 2, 2))
    metric = bam.DirectionalBiasAmplification(direction=direction)
    result = metric.result(**columns, n_boot=N_BOOT, random_state=1)
    replicates = result.estimate.replicates
    assert result.value == pytest.approx(formula(table[None])[0], abs=1e-12)
    assert replicates.std() / plain.std() == pytest.approx(1, abs=SPREAD)
    assert replicates.mean() == pytest.approx(plain.mean(), abs=5 * plain.std() / 30)


def test_reference_that_is_a_sample_adds_its_own_variance_to_mals() -> None:
    # Of the reference P(group 1 | class 1) alone is read: p (1 - p) / n_1 of n_1 positives.
    columns, training = people(4000), people(200, seed=1)
    groups = {"sensitive_features": training["sensitive_features"]}
    counts = bam.Counts.from_arrays(training["y_true"], **groups)
    many = counts
    for _ in range(14):  # Three million rows of the same rates vary by next to nothing.
        many = many + many
    sampled, fixed = (
        spread(bam.MALSBiasAmplification(reference=reference), columns) ** 2
        for reference in (counts, many)
    )
    positives = training["sensitive_features"][training["y_true"] == 1]
    expected = positives.mean() * (1 - positives.mean()) / len(positives)
    assert fixed < expected / 5
    assert (sampled - fixed) / expected == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize(
    "kind", [bam.DirectionalPredictabilityAmplification, bam.LeakageAmplification]
)
def test_labels_are_flipped_in_every_replicate(kind) -> None:
    columns, rng = people(1000), np.random.default_rng(9)
    once = kind(equalize="sampled", n_trials=1)
    plain = []
    for seed in range(500):
        rows = rng.integers(1000, size=1000)
        drawn = {name: values[rows] for name, values in columns.items()}
        plain.append(once.result(**drawn, n_boot=0, random_state=seed).value)
    # Of 500 draws the error is 1 / sqrt(1000) = .032.
    replicates = kind().result(**columns, n_boot=N_BOOT).estimate.replicates
    assert replicates.std() / np.std(plain) == pytest.approx(1, abs=5 * 0.032)
    # Their centre is the value of drawn flips, whatever resampling adds.
    value = kind(equalize="sampled").result(**columns, n_boot=0).value
    error = replicates.std() / np.sqrt(N_BOOT)
    assert replicates.mean() == pytest.approx(value, abs=3.001 * error)


def test_interval_does_not_depend_on_how_the_value_is_equalized() -> None:
    columns, results = people(300), {}
    for equalize in ("expected", "sampled", "auto", None):
        metric = bam.DirectionalPredictabilityAmplification(equalize=equalize)
        results[equalize] = metric.result(**columns, n_boot=50)
    assert results["expected"].value != results["sampled"].value
    assert results["expected"].interval == results["sampled"].interval == results["auto"].interval
    assert results[None].interval != results["auto"].interval


def test_replicates_of_several_batches_are_all_there(monkeypatch) -> None:
    monkeypatch.setattr("biasamp_adapters.inference.replicates._BATCH", 400)
    result = bam.DirectionalBiasAmplification().result(**people(200), n_boot=45)
    assert len(np.unique(result.estimate.replicates)) == 45


def test_seed_repeats_its_interval() -> None:
    metric, columns = bam.DirectionalPredictabilityAmplification(), people(200)

    def interval(state: Any) -> Any:
        return metric.result(**columns, n_boot=40, random_state=state).interval

    assert interval(0) == metric.result(**columns, n_boot=40).interval
    assert interval(np.int64(7)) == interval(7) != interval(0)
    assert interval(np.random.default_rng(3)) == interval(np.random.default_rng(3)) != interval(0)
    old = np.random.RandomState
    assert interval(old(3)) == interval(old(3)) != interval(old(4))
    assert interval(None) != interval(None)


@pytest.mark.parametrize("weight", [2.0**-330, 0.25, 8.0, 2.0**40, 2.0**80])
@pytest.mark.parametrize(
    "metric", [bam.DirectionalBiasAmplification(), bam.MALSBiasAmplification()], ids=repr
)
def test_weight_that_all_rows_share_changes_nothing(metric, weight) -> None:
    # 300 rows of weight 1/4 are 300 rows, and not 75. Sums of these weights are exact.
    columns = people(300)
    plain = metric.result(**columns, n_boot=200)
    weighted = metric.result(**columns, sample_weight=np.full(300, weight), n_boot=200)
    assert weighted.value == pytest.approx(plain.value, abs=1e-12)
    assert weighted.interval == pytest.approx(plain.interval, abs=1e-12)


def test_weights_widen_an_interval_by_the_rows_that_they_are_worth() -> None:
    # Of weights .2, 1 and 3 the rows are worth (sum w)^2 / (n sum w^2) = 1.4^2 / 3.347 = .586 as
    # many, so that an error is 1.31 times as large.
    columns = {name: np.tile(values, 3) for name, values in people(1000).items()}
    weights = {"sample_weight": np.repeat([0.2, 1.0, 3.0], 1000)}
    metric = bam.DirectionalBiasAmplification()
    ratio = spread(metric, columns | weights) / spread(metric, columns)
    assert ratio == pytest.approx(np.sqrt(3.347) / 1.4, rel=5 / np.sqrt(N_BOOT))


METRICS = [
    bam.MALSBiasAmplification(),
    bam.DirectionalBiasAmplification(),
    bam.DirectionalBiasAmplification(direction="T->A"),
    bam.MultiAttributeBiasAmplification(),
    bam.DirectionalPredictabilityAmplification(equalize=None),
    bam.LeakageAmplification(equalize=None),
]


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_copies_of_rows_in_clusters_tell_no_more_than_the_rows(metric) -> None:
    columns = people(400)
    copies = {name: np.repeat(values, 9) for name, values in columns.items()}
    in_clusters = spread(metric, copies | {"clusters": np.repeat(np.arange(400), 9)})
    # Student's t of 399 degrees of freedom is .3 % wider than the normal distribution.
    assert in_clusters / spread(metric, columns) == pytest.approx(1, abs=5 / np.sqrt(N_BOOT))
    if not isinstance(metric, bam.MultiAttributeBiasAmplification):
        # As if they were independent, the interval would be a third as wide.
        ratio = in_clusters / spread(metric, copies)
        assert ratio == pytest.approx(3, rel=5 / np.sqrt(N_BOOT))


def test_value_of_a_balanced_truth_is_0_for_every_model_and_has_no_interval() -> None:
    columns = people(400) | {"y_true": np.arange(400) % 2}
    columns["sensitive_features"] = np.arange(400) // 2 % 2
    result = bam.DirectionalBiasAmplification().result(**columns, n_boot=100)
    reason = "no rate differs between groups in the labels, so it is 0 for every model"
    assert (result.value, result.interval, result.reason) == (0, None, reason)
    assert not result.by_pair["uncertain"].any()  # A tie has no sign that may be the other one.


def test_model_that_changes_no_rate_has_an_interval_of_multi_that_begins_at_0() -> None:
    # Of 40 rows of each group 20 are positive, and other 20 are predicted so.
    groups = np.repeat([0, 1, 2], 40)
    columns = {"y_true": [1, 1, 0, 0] * 30, "sensitive_features": groups}
    metric = bam.MultiAttributeBiasAmplification()
    moved = metric.result(**columns, y_pred=[1, 0, 1, 0] * 30, n_boot=200)
    low, high = moved.interval
    assert moved.value == low == 0 < high
    right = metric.result(**columns, y_pred=columns["y_true"], n_boot=200)
    assert right.interval == (0, 0)


def test_variance_of_changes_of_few_rows_begins_at_0_as_their_size_does() -> None:
    # All changes are in 4 of 24 groups: 7 of their 14 rows, which chance may change.
    groups = np.repeat(range(24), [14] * 4 + [30] * 20)
    truth = np.arange(len(groups)) % 2
    columns = {"y_true": truth, "y_pred": np.where(groups < 4, 1, truth)}
    metric = bam.MultiAttributeBiasAmplification()
    result = metric.result(**columns, sensitive_features=groups, n_boot=200)
    variance = result.estimates["variance"]
    assert variance.value == pytest.approx(0.5**2 * 4 / 24, abs=1e-12)
    assert (result.estimate.low, variance.low) == (0, 0)


@pytest.mark.parametrize(("moved", "is_clear"), [(18, False), (20, True)])
def test_multi_of_four_errors_more_than_chance_makes_is_clear(moved, is_clear) -> None:
    # Of 200 rows of each group 30 + m/2 change one way and 30 - m/2 the other, so each rate moves
    # by m / 200 with an error of sqrt(60) / 200 = .0387. The mean size of two such errors is .8 of
    # it, .031, and varies by .6 / sqrt(2) of it, .0164: .031 + 4 * .0164 = .0966.
    truth, wrong = np.tile(np.repeat([1, 0], 100), 2), (30 - moved // 2, 30 + moved // 2)
    is_wrong = np.concatenate([np.arange(100) < k for k in (*wrong, *wrong[::-1])])
    groups = np.repeat([0, 1], 200)
    metric = bam.MultiAttributeBiasAmplification()
    result = metric.result(truth, truth ^ is_wrong, sensitive_features=groups, n_boot=500)
    assert result.value == pytest.approx(moved / 200)
    assert (result.estimate.low > 0) == is_clear


def test_multi_of_clear_changes_has_the_interval_of_ba() -> None:
    # Each rate moves by .2 along its correlation: .4 to .2, and .6 to .8.
    truth = np.repeat([1, 0, 1, 0], [400, 600, 600, 400])
    predicted = np.repeat([1, 0, 1, 0], [200, 800, 800, 200])
    columns = {"y_true": truth, "y_pred": predicted, "sensitive_features": np.repeat([0, 1], 1000)}
    multi = bam.MultiAttributeBiasAmplification().result(**columns)
    ba = bam.DirectionalBiasAmplification().result(**columns)
    assert multi.value == pytest.approx(0.2, abs=1e-12)
    assert multi.interval == pytest.approx(ba.interval, abs=5e-4)
