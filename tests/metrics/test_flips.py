"""Labels made as inaccurate as predictions: drawn, row by row, or in expectation."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, poisson

from biasamp_adapters import DirectionalPredictabilityAmplification, LeakageAmplification
from biasamp_adapters.metrics.attack_tables import (
    bias_of_expectation,
    binomial,
    drawn_flips,
    expected_flips,
)
from biasamp_adapters.metrics.quality import cross_entropy

Array = np.ndarray

TABLE = np.array([[5.0, 2.0, 1.0], [3.0, 4.0, 6.0]])
DRAWS = 5000

#: Standard errors that are allowed: they are exceeded once in 1.7 million.
ALLOWED = 5


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng([77, seed])


def draw(table: Array, accuracy: float, axis: int, unit: Any = None, draws: int = DRAWS) -> Array:
    repeated = np.broadcast_to(table, (draws, *table.shape))
    unit = np.ones_like(repeated) if unit is None else unit
    return drawn_flips(repeated, np.full(draws, accuracy), axis, generator(), unit)


def chance(accuracy: float, n_labels: int) -> Array:
    """Return the chance of each label (rows) to become another one (columns)."""
    wrong = (1 - accuracy) / (n_labels - 1)
    return np.full((n_labels, n_labels), wrong) + np.eye(n_labels) * (accuracy - wrong)


@pytest.mark.parametrize("axis", [-1, -2])
def test_flips_in_expectation_are_a_product_of_matrices(axis) -> None:
    flipped = expected_flips(TABLE, np.array(0.7), axis)
    by_hand = TABLE @ chance(0.7, 3) if axis == -1 else chance(0.7, 2) @ TABLE
    assert flipped == pytest.approx(by_hand, abs=1e-12)
    # A single label cannot be wrong.
    alone = TABLE[:, :1] if axis == -1 else TABLE[:1]
    assert expected_flips(alone, np.array(0.7), axis).tolist() == alone.tolist()
    assert draw(alone, 0.7, axis)[0].tolist() == alone.tolist()


@pytest.mark.parametrize(
    ("accuracy", "draws"), [(0.7, DRAWS), (0.1, 500)], ids=["above chance", "below chance"]
)
@pytest.mark.parametrize("size", [1, 100], ids=["few rows", "many rows"])
@pytest.mark.parametrize("axis", [-1, -2])
def test_drawn_flips_are_those_of_rows(axis, size, accuracy, draws) -> None:
    table = TABLE * size
    drawn = draw(table, accuracy, axis, draws=draws)
    mean, error = expected_flips(table, np.array(accuracy), axis), drawn.std(0) / np.sqrt(draws)
    assert (np.abs(drawn.mean(axis=0) - mean) <= ALLOWED * error).all()
    assert (drawn.sum(axis=axis) == table.sum(axis=axis)).all()
    assert (drawn >= 0).all()
    # Each row goes to a label with its own chance q: variances q (1 - q) add up.
    chances = chance(accuracy, table.shape[axis])
    variances = chances * (1 - chances)
    variance = table @ variances if axis == -1 else variances @ table
    # Kurtosis of binomial numbers of few rows is below 5.
    allowed = ALLOWED * np.sqrt(5 / draws)
    assert drawn.var(axis=0) == pytest.approx(variance, rel=allowed)
    # Counts of two labels that share rows vary in opposite directions: minus the sum of q q'.
    rows, of_input = (table, drawn) if axis == -1 else (table.T, drawn.swapaxes(-1, -2))
    covariance = -(rows[0] @ (chances[:, 0] * chances[:, 1]))
    first, second = of_input[:, 0, 0], of_input[:, 0, 1]
    scale = np.sqrt(first.var() * second.var())
    assert np.cov(first, second)[0, 1] == pytest.approx(covariance, abs=allowed * scale)


@pytest.mark.parametrize(("accuracy", "moved"), [(1.0, False), (1 + 3e-16, False), (-3e-16, True)])
def test_flips_of_certain_accuracy_move_all_rows_or_none(accuracy, moved) -> None:
    # Sums of weights may leave the range of a probability by rounding.
    table = np.array([[7.0, 2.0], [1.0, 6.0]])
    expected = table[:, ::-1] if moved else table
    assert draw(table, accuracy, -1, draws=5).tolist() == [expected.tolist()] * 5


def test_flips_of_many_labels_below_chance_take_no_step_for_each_pair_of_labels() -> None:
    numbers, metric = np.arange(2000), LeakageAmplification(quality="accuracy")
    result = metric.result(numbers, numbers[::-1], sensitive_features=numbers % 2, n_boot=0)
    # Each number gets two Poisson numbers of rows, with means of 1/2, and the larger is right.
    chances, n = poisson.pmf(range(20), 0.5), np.arange(20)
    right = chances @ np.maximum.outer(n, n) @ chances
    assert result.estimates["psi_dataset"].value == pytest.approx(right, abs=0.01)


@pytest.mark.parametrize("axis", [-1, -2])
def test_rows_flip_with_all_their_weight(axis) -> None:
    # Two rows of weight 4 and three of 4 in one input, five of 1/2 and one of 1/2 in the other.
    table, unit = np.array([[8.0, 12.0], [2.5, 0.5]]), np.array([[4.0, 4.0], [0.5, 0.5]])
    if axis == -2:
        table, unit = table.T, unit.T
    drawn = draw(table, 0.7, axis, unit)
    mean, error = expected_flips(table, np.array(0.7), axis), drawn.std(0) / np.sqrt(DRAWS)
    assert (np.abs(drawn.mean(axis=0) - mean) <= ALLOWED * error).all()
    assert drawn.sum(axis=axis) == pytest.approx(np.tile(table.sum(axis=axis), (DRAWS, 1)))
    assert (drawn % unit == 0).all()
    # Each row with the chance .7 * .3: variances are sums of weight times the weight of one row.
    variance = 0.7 * 0.3 * (table * unit).sum(axis=axis)
    of_draws = drawn.take(0, axis=axis).var(axis=0)
    assert of_draws == pytest.approx(variance, rel=ALLOWED * np.sqrt(5 / DRAWS))
    # Labels of one input whose rows weigh 4 and 1/2 flip as often: 56 + 3 and 7 + 24.
    drawn = draw(np.array([[80.0, 10.0]]), 0.7, -1, np.array([[4.0, 0.5]]))
    error = drawn.std(0) / np.sqrt(DRAWS)
    assert (np.abs(drawn.mean(axis=0) - [[59, 31]]) <= ALLOWED * error).all()


@pytest.mark.parametrize(
    ("table", "axis"),
    [
        (np.array([[1000.0, 1000, 1000], [500, 500, 500]]), -1),
        (np.array([[1000.0, 500], [600, 300], [800, 400]]), -2),
    ],
    ids=["target", "input"],
)
def test_bias_is_what_flips_in_expectation_hide(table, axis) -> None:
    # Target and input are independent, which leaves no linear term and so little noise.
    expected, n = expected_flips(table, np.array(0.7), axis), table.sum()
    losses = cross_entropy(draw(table, 0.7, axis))
    hidden, error = float(cross_entropy(expected)) - losses.mean(), losses.std() / np.sqrt(DRAWS)
    bias = float(bias_of_expectation(table, expected, np.array(0.7), axis, n))
    # The next term is smaller by the inverse of a cell, at most 1/300.
    assert hidden == pytest.approx(bias, abs=ALLOWED * error + bias / 300)
    assert bias > 50 * error


@pytest.mark.parametrize("predicted", [[0, 1, 1, 1], [1, 0, 0, 0]], ids=["right", "wrong"])
def test_certain_flips_keep_the_weight_of_their_rows(predicted) -> None:
    # A model that is always right flips no row, one that is always wrong flips them all. Group 0
    # has T = 1 with .2 of .3, group 1 always.
    rows = {"sensitive_features": [0, 0, 1, 1], "sample_weight": [0.1, 0.2, 0.3, 0.4]}
    metric = DirectionalPredictabilityAmplification(
        quality="accuracy", equalize="sampled", n_trials=3
    )
    result = metric.result([0, 1, 1, 1], predicted, **rows, n_boot=0)
    levels = [result.estimates[name].value for name in ("psi_dataset", "psi_model")]
    assert levels == pytest.approx([0.2 + 0.7] * 2, abs=1e-12)
    assert result.value == pytest.approx(0, abs=1e-12)


# Numbers that are quantiles of uniform numbers.


@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.3), (7, 0.5), (12, 0.8), (40, 0.05), (400, 0.5), (1000, 0.9), (4000, 0.03)]
)
def test_binomial_numbers_are_quantiles_of_uniform_numbers(n, p) -> None:
    numbers = np.full(50_000, float(n))
    drawn, uniform = binomial(numbers, p, generator()), generator().random(50_000)
    differs = drawn != binom.ppf(uniform, n, p)
    # Large ones are those of an expansion, which misses less than 1 % of them, by 1.
    assert differs.mean() < 0.01
    assert np.abs(drawn - binom.ppf(uniform, n, p)).max() <= 1


def test_binomial_numbers_of_each_kind_stand_in_their_places() -> None:
    # None, all, none of none, few and many at once.
    n, p = np.array([5.0, 5.0, 0.0, 8.0, 10_000.0]), np.array([0.0, 1.0, 0.5, 0.5, 0.5])
    drawn = np.array([binomial(n, p, generator(i)) for i in range(2000)])
    assert drawn[:, :3].tolist() == [[0, 5, 0]] * 2000
    assert drawn.mean(axis=0)[3:] == pytest.approx([4, 5000], rel=0.05)
    assert drawn.std(axis=0)[3:] == pytest.approx([np.sqrt(2), 50], rel=0.1)


@pytest.mark.parametrize("n", [20, 1000])
def test_models_that_err_nearly_as_often_flip_nearly_the_same_rows(n) -> None:
    numbers = np.full(20_000, float(n))
    fewer, more = (binomial(numbers, p, generator()) for p in (0.2, 0.21))
    # n / 100 more on average and never fewer, where independent ones would go either way.
    assert (more >= fewer).all()
    assert (more - fewer).mean() == pytest.approx(n / 100, rel=0.1)
    assert (more - fewer).std() < 0.3 * np.sqrt(2 * n * 0.2 * 0.8)
