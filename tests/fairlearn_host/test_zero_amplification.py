"""The constraint in Fairlearn's own reductions."""

import numpy as np
import pandas as pd
import pytest
from fairlearn.reductions import ExponentiatedGradient, GridSearch
from sklearn.linear_model import LogisticRegression

from biasamp_adapters.fairlearn import ZeroAmplification

RNG = np.random.default_rng(0)
GROUP = RNG.integers(3, size=600)
Y = (RNG.random(600) < np.array([0.3, 0.5, 0.7])[GROUP]).astype(int)
X = RNG.normal(size=(600, 2)) + np.column_stack([2 * GROUP, 0.5 * Y])


def test_constraint_of_two_groups_gamma_is_the_excess_of_each_rate() -> None:
    constraint = ZeroAmplification(difference_bound=np.float32(0.5))
    # Rates in the labels are 2/4 and 1/2; those of the predictions 1/4 and 2/2.
    features = np.array([[1], [0], [0], [0], [1], [1]])
    constraint.load_data(features, [1, 1, 0, 0, 1, 0], sensitive_features=list("aaaabb"))
    gamma = constraint.gamma(lambda values: values[:, 0])
    assert gamma.tolist() == [-0.25, 0.5, 0.25, -0.5]
    assert gamma.index.tolist() == [(s, "all", g) for s in "+-" for g in "ab"]
    assert constraint.bound().tolist() == [0.5] * 4
    multipliers = pd.Series([3.0, 0.0, 1.0, 2.0], index=constraint.index)
    assert constraint.project_lambda(multipliers).tolist() == [2, 0, 0, 2]
    # A positive of group a costs (3 - 1) * 6/4, one of b gains 2 * 6/2.
    assert constraint.signed_weights(multipliers).tolist() == [-3, -3, -3, -3, 6, 6]


def test_reduction_holds_each_group_at_the_rate_of_its_labels() -> None:
    held = ExponentiatedGradient(LogisticRegression(), ZeroAmplification(difference_bound=0.02))
    held.fit(X, Y, sensitive_features=GROUP)
    predicted = held._pmf_predict(X)[:, 1]
    plain = LogisticRegression().fit(X, Y).predict(X)
    for group in range(3):
        rows = group == GROUP
        # Within the bound and its convergence.
        assert predicted[rows].mean() == pytest.approx(Y[rows].mean(), abs=0.03)
    assert abs(plain[GROUP == 0].mean() - Y[GROUP == 0].mean()) > 0.1
    with pytest.raises(ValueError, match="control_features must be columns of sensitive_features"):
        held.fit(X, Y, sensitive_features=GROUP, control_features=GROUP)


def test_grid_search_of_fairlearn_accepts_the_constraint() -> None:
    search = GridSearch(LogisticRegression(), ZeroAmplification(), grid_size=13)
    search.fit(X, Y, sensitive_features=GROUP > 0)
    assert set(search.predict(X)) <= {0, 1}


@pytest.mark.parametrize(
    ("options", "y", "groups", "message"),
    [
        ({}, Y, np.zeros(600), "must hold at least two groups; received 0"),
        ({}, Y[:0], GROUP[:0], "must hold at least two groups; received none"),
        ({}, Y + 1, GROUP, "y must hold the labels 0 and 1; received 1, 2"),
        ({}, Y, GROUP[1:], "sensitive_features"),
        ({}, Y, None, r"the group of each row, such as X\['race'\]; received None"),
        ({}, Y, "race", r"the group of each row, such as X\['race'\]; received 'race'"),
        ({}, Y, [None, *GROUP[1:]], "sensitive_features must not have missing values; received 1"),
        ({"difference_bound": 2}, Y, GROUP, "difference_bound must be a number from 0 to 1"),
    ],
)
def test_constraint_bad_input_raises(options, y, groups, message) -> None:
    with pytest.raises(ValueError, match=message):
        ZeroAmplification(**options).load_data(X, y, sensitive_features=groups)
