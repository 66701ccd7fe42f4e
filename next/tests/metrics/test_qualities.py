"""The best scores of attackers that know a table: by hand, and by scikit-learn's own metrics."""

from __future__ import annotations

from math import inf, isnan, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from biasamp_adapters.metrics.quality import (
    QUALITIES,
    chance_share,
    entropy,
    get_quality,
    is_dependent,
    leave_one_out,
)

#: Inputs by targets.
TABLE = [[6, 2], [1, 3]]


def score(name: str, table: Any, values: Any = None) -> float:
    """Return the score of a table: a loss of inverse qualities."""
    numbers = None if values is None else np.array(values, dtype=float)
    return float(get_quality(name).score(np.array(table, dtype=float), numbers))


CASES = [
    # The first input is guessed to be target 0, the second target 1.
    ("accuracy", TABLE, (6 + 3) / 12),
    # A tie of 2 and 2 is worth 2, however it is broken.
    ("accuracy", [[2, 2], [1, 3]], (2 + 3) / 8),
    # Recalls are 6/7 and 3/5.
    ("balanced_accuracy", TABLE, (6 / 7 + 3 / 5) / 2),
    # Accuracy would guess target 0 twice; of target 1 the second input has 5/10, of target 0 20/80.
    ("balanced_accuracy", [[60, 5], [20, 5]], (60 / 80 + 5 / 10) / 2),
    # A class without rows is no class.
    ("balanced_accuracy", [[6, 2, 0], [1, 3, 0]], (6 / 7 + 3 / 5) / 2),
    # F1 is 2 hits / (rows + guesses): target 0 has 7 rows and 8 guesses, target 1 has 5 and 4.
    ("f1_macro", TABLE, (2 * 6 / (7 + 8) + 2 * 3 / (5 + 4)) / 2),
    # An input that is tied guesses either target for 2 of its 4 rows, and is right for 1 each.
    ("f1_macro", [[2, 2], [1, 3]], (2 * 1 / (3 + 2) + 2 * (1 + 3) / (5 + 2 + 4)) / 2),
    # Target 1 is never guessed.
    ("f1_macro", [[5, 1], [4, 2]], (2 * 9 / (9 + 12) + 0) / 2),
    ("f1_macro", [[6, 2, 0], [1, 3, 0]], (2 * 6 / (7 + 8) + 2 * 3 / (5 + 4)) / 2),
    ("f1_macro", [[3, 3, 3]], 2 * 1 / (3 + 3)),
    # Each class is guessed for its best cut of the inputs: target 0 for 8 rows, target 1 for 4.
    ("f1", TABLE, (2 * 6 / (7 + 8) + 2 * 3 / (5 + 4)) / 2),
    # Target 1 is guessed for the second input, where it is the rarer one.
    ("f1", [[5, 1], [4, 2]], (2 * 9 / (9 + 12) + 2 * 2 / (3 + 6)) / 2),
    ("f1", [[6, 2, 0], [1, 3, 0]], (2 * 6 / (7 + 8) + 2 * 3 / (5 + 4)) / 2),
    (
        "inverse_cross_entropy",
        TABLE,
        -(6 * log(6 / 8) + 2 * log(2 / 8) + 1 * log(1 / 4) + 3 * log(3 / 4)) / 12,
    ),
    ("inverse_cross_entropy", [[4, 4], [0, 0]], log(2)),  # An input without rows adds nothing.
    ("inverse_cross_entropy", [[4, 0], [0, 3]], 0),
    # 3 of 12 guesses are wrong, and each of these costs 100.
    ("hard_inverse_cross_entropy", TABLE, 100 * 3 / 12),
    ("hard_inverse_cross_entropy", [[2, 2], [1, 3]], 100 * 3 / 8),
    ("one_minus_cross_entropy", [[1, 1, 1]], 1 - log(3)),  # Below 0.
    ("one_minus_cross_entropy", [[4, 0], [0, 3]], 1),
    # Independent: rows of 1 to 3.
    ("uncertainty_coefficient", [[1, 3], [2, 6]], 0),
    ("uncertainty_coefficient", [[4, 0], [0, 3]], 1),
    ("uncertainty_coefficient", [[4, 0], [3, 0]], 0),  # One target has nothing to explain.
]


@pytest.mark.parametrize(("name", "table", "expected"), CASES)
def test_quality_of_a_table_by_hand(name: str, table: Any, expected: float) -> None:
    assert score(name, table) == pytest.approx(expected, abs=1e-14)


def test_uncertainty_is_the_share_of_the_entropy_that_is_explained() -> None:
    whole = -(7 * log(7 / 12) + 5 * log(5 / 12)) / 12
    assert float(entropy(np.array(TABLE))) == pytest.approx(whole, abs=1e-14)
    expected = 1 - score("inverse_cross_entropy", TABLE) / whole
    assert score("uncertainty_coefficient", TABLE) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("table", "values", "expected"),
    [
        # Means of 2/8 and 3/4: squares of 8 * 1/4 * 3/4 + 4 * 3/4 * 1/4 in 12 rows.
        (TABLE, [0, 1], sqrt((8 * 3 / 16 + 4 * 3 / 16) / 12)),
        # The mean of 10 and 14 is 12; a row alone is its own mean.
        ([[1, 1, 0], [0, 0, 1]], [10, 14, 20], sqrt((4 + 4 + 0) / 3)),
        ([[3, 0], [0, 2]], [-1, 5], 0),
    ],
)
def test_squared_error_is_that_of_means(table: Any, values: Any, expected: float) -> None:
    assert score("inverse_rmse", table, values) == pytest.approx(expected, abs=1e-14)
    assert score("inverse_mse", table, values) == pytest.approx(expected**2, abs=1e-13)


@pytest.mark.parametrize(
    ("table", "positive", "expected"),
    [
        (TABLE, [1, 0], 2 * 6 / (7 + 8)),
        (TABLE, [0, 1], 2 * 3 / (5 + 4)),
        # Under independence all inputs are guessed: 2 p / (1 + p) of p = 1/4.
        ([[3, 1], [6, 2], [9, 3]], [0, 1], 2 * 0.25 / 1.25),
        # The inputs of 3 in 4 and 2 in 4: more than the first alone, 6/10, or all, 12/20.
        ([[1, 3], [5, 1], [2, 2]], [0, 1], 2 * 5 / (6 + 8)),
        ([[4, 0], [2, 0]], [0, 1], 0),
        # A missing prediction is one more column, and no class.
        ([[6, 2, 1], [1, 3, 0]], [0, 1, 0], 2 * 3 / (5 + 4)),
    ],
)
def test_f1_of_one_class_is_that_of_its_best_cut(
    table: Any, positive: Any, expected: float
) -> None:
    assert score("f1", table, positive) == pytest.approx(expected, abs=1e-14)


def test_leave_one_out_sees_all_rows_but_one() -> None:
    # Without itself, each of 6 rows sees 5 + 1/2 of its class among 7 + 2 / 2.
    expected = -(6 * log(5.5 / 8) + 2 * log(1.5 / 8) + 1 * log(0.5 / 4) + 3 * log(2.5 / 4)) / 12
    assert float(leave_one_out(np.array(TABLE))) == pytest.approx(expected, abs=1e-14)
    assert expected > score("inverse_cross_entropy", TABLE)
    # Classes that do not occur are none, and a single class is sure: log(.5 / .5).
    assert float(leave_one_out(np.array([[6, 2, 0], [1, 3, 0]]))) == pytest.approx(expected)
    assert float(leave_one_out(np.array([[5], [1]]))) == 0


@pytest.mark.parametrize("name", QUALITIES)
def test_quality_of_several_tables_is_that_of_each(name: str) -> None:
    tables = np.random.default_rng(0).integers(0, 5, (3, 4, 2, 3)) + np.eye(3, dtype=int)[:2]
    values = np.array([0.0, 1.0, 5.0])
    of_all = get_quality(name).score(tables, values)
    one_by_one = [[score(name, table, values) for table in row] for row in tables]
    assert of_all == pytest.approx(np.array(one_by_one), abs=1e-14)


# scikit-learn scores rows of each cell, whose attacker answers with the shares of its input.


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    """Draw tables of 1 to 4 inputs and 2 or 3 targets, each with rows."""
    shape = draw(st.integers(1, 4)), draw(st.integers(2, 3))
    cells = draw(st.lists(st.integers(0, 12), min_size=12, max_size=12))
    table = np.array(cells[: shape[0] * shape[1]]).reshape(shape)
    table[0] += 1
    table[:, 0] += 1
    return table


def cells_of(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return target and weight of each cell, and the shares of the targets of its input."""
    target = np.tile(np.arange(table.shape[1]), table.shape[0])
    share = np.repeat(table / table.sum(axis=1, keepdims=True), table.shape[1], axis=0)
    return target, table.ravel().astype(float), share


@given(tables(), st.integers(0, 1))
def test_qualities_are_those_of_scikit_learn(table: np.ndarray, positive: int) -> None:
    target, weight, share = cells_of(table)
    guess, options = share.argmax(axis=1), {"sample_weight": weight}
    loss = metrics.log_loss(target, share, labels=range(table.shape[1]), **options)
    wrong = metrics.zero_one_loss(target, guess, **options)
    by_cut = [
        metrics.f1_score(target == positive, share[:, positive] >= cut, **options)
        for cut in np.unique(share[:, positive])
    ]
    expected = {
        "inverse_cross_entropy": loss,
        "one_minus_cross_entropy": 1 - loss,
        "accuracy": 1 - wrong,
        "hard_inverse_cross_entropy": 100 * wrong,
    }
    assert {name: score(name, table) for name in expected} == pytest.approx(expected, abs=1e-12)
    best = score("f1", table, np.eye(table.shape[1])[positive])
    assert best == pytest.approx(max(by_cut), abs=1e-12)


@given(tables(), st.lists(st.integers(-5, 5), min_size=3, max_size=3))
def test_squared_errors_are_those_of_scikit_learn(table: np.ndarray, numbers: list[int]) -> None:
    target, weight, share = cells_of(table)
    values = np.array(numbers[: table.shape[1]], dtype=float)
    error = metrics.mean_squared_error(values[target], share @ values, sample_weight=weight)
    assert score("inverse_mse", table, values) == pytest.approx(error, abs=1e-12)


# Changes from one score to another.


def change(name: str, dataset: float, model: float, *, is_difference: bool = False) -> float:
    levels = np.array([dataset]), np.array([model])
    scores = get_quality(name).compare(*levels, is_difference)
    return float(scores["value"][0])


@pytest.mark.parametrize(
    ("name", "dataset", "model", "expected"),
    [
        ("accuracy", 0.6, 0.8, (0.8 - 0.6) / (0.8 + 0.6)),
        # (1/.2 - 1/.6) / (1/.2 + 1/.6) = (.6 - .2) / (.6 + .2).
        ("inverse_cross_entropy", 0.6, 0.2, (0.6 - 0.2) / (0.6 + 0.2)),
        ("inverse_mse", 4.0, 1.0, (4 - 1) / (4 + 1)),
        ("inverse_rmse", 0.5, 0.0, 1),
        ("inverse_cross_entropy", 0.0, 0.5, -1),
        ("inverse_cross_entropy", 0.0, 0.0, 0),
        ("uncertainty_coefficient", 0.0, 0.0, 0),
        ("one_minus_cross_entropy", 0.2, 0.4, 0.2 / 0.6),
        ("one_minus_cross_entropy", -0.1, -0.1, 0),  # Nothing has changed.
        ("accuracy", 0.3, 0.3 * (1 + 1e-13), 0),  # Nor here, but for rounding.
    ],
)
def test_relative_change_by_hand(
    name: str, dataset: float, model: float, expected: float
) -> None:
    assert change(name, dataset, model) == pytest.approx(expected, abs=1e-15)
    assert (change(name, dataset, model) == 0) == (expected == 0)


@pytest.mark.parametrize(("dataset", "model"), [(-0.1, 0.2), (0.2, -0.1), (-0.1, -0.2)])
def test_relative_change_of_levels_below_0_is_undefined(dataset: float, model: float) -> None:
    assert isnan(change("one_minus_cross_entropy", dataset, model))
    difference = change("one_minus_cross_entropy", dataset, model, is_difference=True)
    assert difference == pytest.approx(model - dataset, abs=1e-15)


@pytest.mark.parametrize(
    ("dataset", "model", "expected"),
    [(0.5, 0.25, 4 - 2), (0.5, 0.0, inf), (0.0, 0.5, -inf), (0.0, 0.0, 0)],
)
def test_difference_of_a_loss_is_that_of_its_inverse(
    dataset: float, model: float, expected: float
) -> None:
    assert change("inverse_cross_entropy", dataset, model, is_difference=True) == expected


# Dependence.


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # G = 2 (2 * 57 log(57/50) + 2 * 43 log(43/50)) = 3.93, above 1.96^2 = 3.84.
        ([[57, 43], [43, 57]], True),
        ([[56, 44], [44, 56]], False),  # 2.89.
        # A third class that never occurs adds no degree of freedom, and one that does adds one:
        # G is 3.93 still, below 5.99.
        ([[57, 43, 0], [43, 57, 0]], True),
        ([[57, 43, 50], [43, 57, 50]], False),
        ([[9, 0], [5, 0]], False),
    ],
)
def test_dependence_passes_the_test_of_chi_square(table: Any, expected: bool) -> None:
    tables = np.array([table], dtype=float)
    assert bool(is_dependent(tables, tables.sum())) == expected
    # It counts rows, and not weights.
    assert bool(is_dependent(tables / 10, tables.sum())) == expected
    # Of several tables the mean counts.
    assert bool(is_dependent(np.concatenate([tables, tables]), tables.sum())) == expected


def test_share_of_chance_is_degrees_of_freedom_over_g() -> None:
    g = 2 * (2 * 57 * log(57 / 50) + 2 * 43 * log(43 / 50))
    clear, even = np.array([[[57, 43], [43, 57]]]), np.array([[[50, 50], [50, 50]]])
    assert chance_share(clear, even, 200) == pytest.approx((1 + 1) / g, abs=1e-12)
    assert chance_share(clear, clear, 200) == pytest.approx((1 + 1) / (2 * g), abs=1e-12)
    assert chance_share(clear, clear, 20_000) == pytest.approx(2 / (200 * g), abs=1e-12)
    assert chance_share(even, even, 200) == 1
