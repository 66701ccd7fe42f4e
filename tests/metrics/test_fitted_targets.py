"""What is said of several targets of a fitted attacker is said of each."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from biasamp_adapters import AmplificationWarning, DirectionalPredictabilityAmplification
from biasamp_adapters.metrics.attacks.fitted_attack import finds_nothing


def test_dependence_is_judged_target_by_target() -> None:
    # G = 2 n H U = 200 log(2) U is significant above 3.84, so U above .028: that of the first
    # target is, its mean with the second would be as well.
    scores = np.array([[0.2, 0.0], [0.2, 0.0]])
    assert 200 * log(2) * scores.mean() > 3.84
    classes = np.array([[50, 50], [50, 50]])
    found = finds_nothing(scores, scores, classes, 100, 1)
    assert found.tolist() == [False, True]


@pytest.mark.parametrize("attribute", [np.linspace(0.1, 0.9, 40), np.arange(40) // 20])
@pytest.mark.parametrize("n_columns", [2, 4])
def test_a_column_has_two_classes_however_many_columns_there_are(
    n_columns: int, attribute: np.ndarray
) -> None:
    truth = np.tile([[0], [1]], (20, n_columns))
    made = truth.copy()
    made[:24] = 1 - made[:24]  # right in 16 of 40 rows
    metric = DirectionalPredictabilityAmplification(attacker=LogisticRegression(), n_trials=1)
    with pytest.warns(AmplificationWarning, match="accuracy of 0.400 is below 1/2"):
        metric.result(truth, made, sensitive_features=attribute)


def test_numbers_have_no_replicates() -> None:
    truth, made = np.tile([0, 1], 20), np.tile([0, 1, 1, 1], 10)
    metric = DirectionalPredictabilityAmplification(attacker=LogisticRegression(), n_trials=1)
    result = metric.result(truth, made, sensitive_features=np.linspace(0.1, 0.9, 40))
    assert (result.interval, result.n_boot) == (None, 0)


def test_regressors_give_no_probability_that_could_be_clipped() -> None:
    truth, made = np.tile([0, 1], 20), np.tile([0, 1, 1, 1], 10)
    metric = DirectionalPredictabilityAmplification(
        attacker=LinearRegression(), quality="inverse_rmse", equalize=None, n_trials=1
    )
    assert metric.result(truth, made, sensitive_features=np.arange(40) // 20).notes == ()


def test_columns_of_labels_that_are_predicted_by_numbers_stay_columns() -> None:
    rng = np.random.default_rng(0)
    group, truth = np.arange(40) % 2, rng.integers(2, size=(40, 2))
    made = np.round(rng.normal(size=(40, 2)), 2)
    options = {"evaluation": "resubstitution", "quality": "inverse_rmse", "n_trials": 1}
    metric = DirectionalPredictabilityAmplification(
        attacker=LinearRegression(), equalize=None, **options
    )
    alone = [metric(truth[:, [j]], made[:, [j]], sensitive_features=group) for j in (0, 1)]
    both = metric(truth, made, sensitive_features=group)
    assert both == pytest.approx(np.mean(alone), abs=1e-12)


def test_a_line_through_two_groups_is_the_exact_attacker_of_columns() -> None:
    rng = np.random.default_rng(1)
    group, truth, made = np.arange(40) % 2, *rng.integers(2, size=(2, 40, 3))
    options = {"quality": "inverse_rmse", "equalize": None}
    exact = DirectionalPredictabilityAmplification(**options)
    line = DirectionalPredictabilityAmplification(
        attacker=LinearRegression(), evaluation="resubstitution", n_trials=1, **options
    )
    value = exact(truth, made, sensitive_features=group)
    assert line(truth, made, sensitive_features=group) == pytest.approx(value, abs=1e-12)
