"""Functions of one's own as qualities of the exact attacker."""

from __future__ import annotations

import pickle
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pytest
from metric_cases import quietly
from sklearn.linear_model import LogisticRegression

from biasamp_adapters import (
    AmplificationWarning,
    DirectionalPredictabilityAmplification,
    JointCounts,
    LeakageAmplification,
    get_quality,
)
from biasamp_adapters._typing import Array

GROUP = ["a"] * 50 + ["b"] * 50
TRUTH = ([1] * 25 + [0] * 25) * 2
SAID = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
ROWS: dict[str, Any] = {"y_true": TRUTH, "y_pred": SAID, "sensitive_features": GROUP}


def agreement(tables: Array, values: Array | None) -> Array:
    """The chance that two rows with the same input have the same target (Gini)."""
    row = tables.sum(axis=-1)
    return ((tables**2).sum(axis=-1) / np.maximum(row, 1e-9)).sum(axis=-1) / row.sum(axis=-1)


def brier(tables: Array) -> Array:
    return 1 - agreement(tables, None)


def inverse_brier(tables: Array, values: Array | None) -> Array:
    return 1 / brier(tables)


def shifted(tables: Array, values: Array | None) -> Array:
    """The same less .55, which is below 0 for the even truth."""
    return agreement(tables, values) - 0.55


def dpa(quality: Any, **parameters: Any) -> DirectionalPredictabilityAmplification:
    return DirectionalPredictabilityAmplification(quality=quality, **parameters)


# Half of the truth and .6 or .4 of the predictions are 1 in each group.
EVEN, UNEVEN = 0.5**2 + 0.5**2, 0.6**2 + 0.4**2


@pytest.mark.parametrize(
    ("function", "change", "expected"),
    [
        (agreement, "relative", (UNEVEN - EVEN) / (UNEVEN + EVEN)),
        (agreement, "absolute", UNEVEN - EVEN),
        # (1/L_M - 1/L_D) / (1/L_M + 1/L_D) = (L_D - L_M) / (L_D + L_M), with L = 1 - agreement
        (inverse_brier, "relative", ((1 - EVEN) - (1 - UNEVEN)) / ((1 - EVEN) + (1 - UNEVEN))),
        (shifted, "absolute", UNEVEN - EVEN),
    ],
)
def test_worked_values(function: Any, change: Any, expected: float) -> None:
    metric = dpa(function, change=change, equalize=None)
    assert metric(**ROWS) == pytest.approx(expected, abs=1e-12)


def test_it_has_all_that_other_qualities_have() -> None:
    metric = dpa(agreement, n_trials=5)
    result = metric.result(**ROWS, n_boot=200)
    assert result.interval is not None
    assert result.interval[0] < result.value < result.interval[1]
    assert (result.short_name, result.slug) == ("DPA(agreement) A->T", "dpa_agreement_a_to_t")
    assert result.measurement.recipe["quality"] == "agreement"
    assert result.limits == (-1, 1)
    assert len(result.by_trial) == 5
    assert result.by_pair["value"].notna().all()
    assert pickle.loads(pickle.dumps(metric))(**ROWS) == result.value
    assert metric.from_counts(JointCounts.from_arrays(TRUTH, SAID, GROUP)).value == result.value


def test_leakage_takes_it_too() -> None:
    # Of the group, seen the truth, agreement is .5; seen the prediction, it is .6^2 + .4^2.
    metric = LeakageAmplification(quality=agreement, equalize=None)
    assert metric(**ROWS) == pytest.approx(UNEVEN - EVEN, abs=1e-12)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ((0, 1), [0.0, 1.0]),
        ((3, 7.5), [3.0, 7.5]),
        ((Decimal(0), Decimal("2.5")), [0.0, 2.5]),
        (("n", "y"), None),
    ],
)
def test_it_is_told_the_numbers_of_the_target(labels: Any, expected: Any) -> None:
    told = []

    def note(tables: Array, values: Array | None) -> Array:
        told.append(values)
        return agreement(tables, values)

    metric = dpa(note, equalize=None)
    tried = len(told)
    rows = {"y_true": [labels[x] for x in TRUTH], "y_pred": [labels[x] for x in SAID]}
    metric(**rows, sensitive_features=GROUP)
    assert len(told) > tried
    assert all(expected == (None if x is None else x.tolist()) for x in told[tried:])


def test_functions_of_the_same_name_are_told_apart() -> None:
    """Also where metrics share the tables that they read."""
    first = dpa(lambda tables, values: agreement(tables, values), n_trials=3)
    second = dpa(lambda tables, values: agreement(tables, values) / 2 + 0.5, n_trials=3)
    counts = JointCounts.from_arrays(TRUTH, SAID, GROUP)
    evaluation = first._evaluation(counts)
    found = [metric.measure(evaluation, counts.first_model).point() for metric in (first, second)]
    assert found[1]["psi_model"] == pytest.approx(found[0]["psi_model"] / 2 + 0.5, abs=1e-12)
    assert found[1]["psi_dataset"] == pytest.approx(found[0]["psi_dataset"] / 2 + 0.5, abs=1e-12)


# Levels without a relative change.


def test_below_0_there_is_no_relative_change() -> None:
    with pytest.warns(AmplificationWarning, match="shifted is below 0, where no relative change"):
        result = dpa(shifted, equalize=None).result(**ROWS)
    assert np.isnan(result.value)
    assert result.levels["psi_dataset"].value == pytest.approx(EVEN - 0.55, abs=1e-12)


def test_one_minus_cross_entropy_of_three_even_classes_is_below_0() -> None:
    rows = {"y_true": [0, 1, 2] * 40, "y_pred": [0, 0, 1] * 40, "sensitive_features": [1, 2] * 60}
    options: Any = {"quality": "one_minus_cross_entropy", "equalize": None}
    note = "one_minus_cross_entropy is below 0, where no relative change is defined"
    with pytest.warns(AmplificationWarning, match=note):
        assert np.isnan(DirectionalPredictabilityAmplification(**options)(**rows))
    loss = np.log(3), -(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3))
    metric = DirectionalPredictabilityAmplification(**options, change="absolute")
    assert metric(**rows) == pytest.approx(loss[0] - loss[1], abs=1e-12)  # 1 cancels


def test_one_minus_cross_entropy_of_two_classes_is_at_least_1_less_log_2() -> None:
    data, model = 1 - np.log(2), 1 + 0.6 * np.log(0.6) + 0.4 * np.log(0.4)
    metric = dpa("one_minus_cross_entropy", equalize=None)
    assert metric(**ROWS) == pytest.approx((model - data) / (model + data), abs=1e-12)


@pytest.mark.parametrize(
    ("dataset", "model", "expected"),
    [(2.0, np.inf, 1), (np.inf, 2.0, -1), (np.inf, np.inf, 0), (2.0, 2.0, 0), (1.0, 3.0, 0.5)],
)
def test_an_infinite_level_has_the_limit(dataset: float, model: float, expected: float) -> None:
    change = get_quality(inverse_brier).relative_change(np.array(dataset), np.array(model))
    assert float(change) == expected


def test_a_perfect_table_may_have_an_infinite_quality() -> None:
    sure = dict(ROWS, y_pred=[1] * 50 + [0] * 50)
    with np.errstate(divide="ignore"):
        assert dpa(inverse_brier, equalize=None)(**sure) == 1


# Functions that cannot be scored from tables.


def wrong_shape(tables: Array, values: Array | None) -> Array:
    return tables.max(axis=-1)


def of_the_batch(tables: Array, values: Array | None) -> Array:
    return agreement(tables, values) / (agreement(tables, values).max() + 1)


def words(tables: Array, values: Array | None) -> Any:
    return np.full(tables.shape[:-2], "high")


def unbounded(tables: Array, values: Array | None) -> Any:
    return np.full(tables.shape[:-2], np.inf)


def loss(tables: Array, values: Array | None) -> Array:
    return brier(tables)


def changing(tables: Array, values: Array | None) -> Array:
    tables += 1
    return agreement(tables, values)


@pytest.mark.parametrize(
    ("function", "rule"),
    [
        (lambda tables: 0.5, r"take two arguments, .* <lambda>: the arguments \(tables\)"),
        (wrong_shape, r"one number per table, \(2, 2\) for tables \(2, 2, 3, 2\) .*\(2, 2, 3\)"),
        (lambda tables, values: 0.5, r"one number per table.* from <lambda>: the shape \(\)"),
        (words, r"one number per table.* received from words: the shape \(2, 2\) of <U4"),
        (unbounded, "finite, or NaN .* from unbounded: inf for a table without a certain answer"),
        (of_the_batch, r"alike in a batch and alone .* from of_the_batch: 0\.\d+ in a batch and"),
        (loss, "be higher where the input tells more .* from loss: 0.5 .* nothing and 0.0"),
        (changing, "leave the tables as they are .* from changing: a function that changes them"),
    ],
)
def test_a_function_that_cannot_be_scored_is_refused(function: Any, rule: str) -> None:
    for metric in (DirectionalPredictabilityAmplification, LeakageAmplification):
        with pytest.raises(ValueError, match=f"a function as quality must .*{rule}"):
            metric(quality=function)
    with pytest.raises(ValueError, match=f"a function as quality must .*{rule}"):
        get_quality(function)


@pytest.mark.parametrize("name", ["accuracy", "absolute"])
def test_a_name_of_its_own_is_needed(name: str) -> None:
    """Names of results show the quality, and whether the change is absolute."""

    def function(tables: Array, values: Array | None) -> Array:
        return agreement(tables, values)

    function.__name__ = name
    rule = f"must have a name of its own, as results show it; received a function called '{name}'"
    with pytest.raises(ValueError, match=rule):
        dpa(function)


def test_undefined_scores_are_allowed_and_told() -> None:
    def careless(tables: Array, values: Array | None) -> Array:
        # An input without rows gives 0/0.
        with np.errstate(invalid="ignore"):
            return (tables.max(axis=-1) / tables.sum(axis=-1)).mean(axis=-1)

    assert dpa(careless, equalize=None)(**ROWS) == pytest.approx((0.6 - 0.5) / (0.6 + 0.5))
    for change in ("absolute", "relative"):
        metric = dpa(careless, equalize=None, groups=["a", "b", "c"], change=change)
        with pytest.warns(AmplificationWarning, match="careless is NaN for the tables of data"):
            assert np.isnan(metric(**ROWS))


@pytest.mark.parametrize("levels", [(np.nan, np.nan), (np.nan, 0.5), (0.5, np.nan)])
def test_a_change_from_or_to_an_undefined_level_is_undefined(levels: tuple[float, float]) -> None:
    dataset, model = map(np.array, levels)
    quality = get_quality(agreement)
    assert np.isnan(quality.relative_change(dataset, model))
    assert np.isnan(quality.absolute_change(dataset, model))


def test_one_trial_below_0_is_enough_for_no_relative_change() -> None:
    """The mean of the levels is above 0, but drawn flips take some below it."""

    def near(tables: Array, values: Array | None) -> Array:
        return agreement(tables, values) - 0.501

    result = quietly(dpa(near, equalize="sampled", n_trials=50).result, **ROWS)
    trials = result.by_trial["psi_dataset"]
    assert trials.min() < 0 < trials.mean()
    assert np.isnan(result.value)
    assert any("no relative change is defined" in note for note in result.notes)


def test_callables_without_a_name_are_shown_by_their_type() -> None:
    result = dpa(partial(agreement), equalize=None).result(**ROWS)
    assert result.short_name == "DPA(partial) A->T"


# What has no table.


def test_a_fitted_attacker_has_no_table() -> None:
    rule = "a function is scored from the table that attacker='exact' is; received <function agree"
    with pytest.raises(ValueError, match=rule):
        dpa(agreement, attacker=LogisticRegression())
    with pytest.raises(ValueError, match="from tables, which evaluation='cv' has none of"):
        dpa(agreement, evaluation="cv")


def test_of_a_matrix_only_pairs_are_scored() -> None:
    labels = np.column_stack([TRUTH, SAID])
    rows = {"y_true": labels, "y_pred": labels[:, ::-1], "sensitive_features": GROUP}
    result = quietly(LeakageAmplification(quality=agreement).result, **rows)
    assert np.isnan(result.value)
    assert result.by_pair["value"].notna().all()


# Hosts.


def test_functions_of_hosts_and_scorers_take_it() -> None:
    from biasamp_adapters.sklearn import amplification_scorer

    expected = (UNEVEN - EVEN) / (UNEVEN + EVEN)
    fairlearn = pytest.importorskip("biasamp_adapters.fairlearn")
    options: Any = {"quality": agreement, "equalize": None}
    value = fairlearn.directional_predictability_amplification(**ROWS, **options)
    assert value == pytest.approx(expected, abs=1e-12)

    metric = dpa(agreement, equalize=None)
    frame = fairlearn.amplification_frame(**ROWS, metrics=metric)
    assert frame.overall == pytest.approx(expected, abs=1e-12)

    scorer = amplification_scorer(metric, objective="signed")

    class Same:
        def predict(self, X: Any) -> Any:  # noqa: N803
            return np.array(SAID)

    score = scorer(Same(), np.zeros((100, 1)), TRUTH, sensitive_features=GROUP)
    assert score == pytest.approx(-expected, abs=1e-12)
