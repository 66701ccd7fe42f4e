"""The attackers pass scikit-learn's own checks of estimators, and agree with the exact value."""

from __future__ import annotations

import warnings

from sklearn.utils.estimator_checks import parametrize_with_checks

from biasamp_adapters.sklearn import ContingencyAttacker, DenseAttacker


@parametrize_with_checks(
    [ContingencyAttacker(), ContingencyAttacker(alpha=0.5), DenseAttacker("coco"), DenseAttacker()]
)
def test_attacker_passes_the_checks_of_scikit_learn(estimator, check) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
