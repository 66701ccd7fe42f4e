"""The best scores of attackers that know a table: by hand, and by scikit-learn's own metrics."""

from math import isnan, log

import numpy as np
import pytest

from biasamp_adapters.metrics.quality import chance_share, get_quality, is_dependent, leave_one_out


def test_leave_one_out_sees_all_rows_but_one() -> None:
    # Without itself, each of 6 rows sees 5 + 1/2 of its class among 7 + 2 / 2.
    expected = -(6 * log(5.5 / 8) + 2 * log(1.5 / 8) + 1 * log(0.5 / 4) + 3 * log(2.5 / 4)) / 12
    assert float(leave_one_out(np.array([[6, 2], [1, 3]]))) == pytest.approx(expected, abs=1e-14)
    # Classes that do not occur are none, and a single class is sure: log(.5 / .5).
    assert float(leave_one_out(np.array([[6, 2, 0], [1, 3, 0]]))) == pytest.approx(expected)
    assert float(leave_one_out(np.array([[5], [1]]))) == 0


# Changes from one score to another.


def change(name: str, dataset: float, model: float, *, is_difference: bool = False) -> float:
    levels = np.array([dataset]), np.array([model])
    return float(get_quality(name).compare(*levels, is_difference)["value"][0])


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
def test_relative_change_by_hand(name, dataset, model, expected) -> None:
    assert change(name, dataset, model) == pytest.approx(expected, abs=1e-15)
    assert (change(name, dataset, model) == 0) == (expected == 0)


@pytest.mark.parametrize(("dataset", "model"), [(-0.1, 0.2), (0.2, -0.1), (-0.1, -0.2)])
def test_relative_change_of_levels_below_0_is_undefined(dataset, model) -> None:
    assert isnan(change("one_minus_cross_entropy", dataset, model))
    difference = change("one_minus_cross_entropy", dataset, model, is_difference=True)
    assert difference == pytest.approx(model - dataset, abs=1e-15)


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
def test_dependence_passes_the_test_of_chi_square(table, expected) -> None:
    tables = np.array([table], dtype=float)
    assert bool(is_dependent(tables, tables.sum())) == expected
    # It counts rows, and not weights.
    assert bool(is_dependent(tables / 10, tables.sum())) == expected
    # Of several tables the mean counts.
    assert bool(is_dependent(np.concatenate([tables, tables]), tables.sum())) == expected


def test_class_that_some_tables_have_is_a_class() -> None:
    # G is 3.93 of the first, as above, and more of the second; with two degrees it takes 5.99.
    tables = np.array([[[57, 43, 0], [43, 57, 0]], [[57, 42, 1], [43, 57, 0]]])
    assert is_dependent(tables[:1], 200)
    assert not is_dependent(tables, 200)


def test_share_of_chance_is_degrees_of_freedom_over_g() -> None:
    g = 2 * (2 * 57 * log(57 / 50) + 2 * 43 * log(43 / 50))
    clear, even = np.array([[[57, 43], [43, 57]]]), np.array([[[50, 50], [50, 50]]])
    assert chance_share(clear, even, 200) == pytest.approx((1 + 1) / g, abs=1e-12)
    assert chance_share(clear, clear, 200) == pytest.approx((1 + 1) / (2 * g), abs=1e-12)
    assert chance_share(clear, clear, 20_000) == pytest.approx(2 / (200 * g), abs=1e-12)
    assert chance_share(even, even, 200) == 1
