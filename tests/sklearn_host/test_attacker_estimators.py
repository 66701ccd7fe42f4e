"""Attackers, whose values are exact, and a wrapper pass scikit-learn's checks of estimators."""

import warnings

import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from biasamp_adapters.sklearn import (
    ContingencyAttacker,
    DenseAttacker,
    PrevalenceThresholdClassifier,
    WithSensitiveFeatures,
)


@parametrize_with_checks(
    [
        ContingencyAttacker(),
        ContingencyAttacker(alpha=0.5),
        DenseAttacker("coco"),
        DenseAttacker(),
        WithSensitiveFeatures(LogisticRegression()),
        PrevalenceThresholdClassifier(LogisticRegression()),
    ]
)
def test_estimator_passes_the_checks_of_scikit_learn(estimator, check) -> None:
    # Networks take weights from 1.7 on, which also gives equal rows to the same fold; the other
    # check of 1.6 subtracts a mean from its integers.
    has_weights = isinstance(estimator, DenseAttacker | PrevalenceThresholdClassifier)
    fails = "sample_weight" if has_weights else "check_positive_only_tag_during_fit"
    if parse_version(sklearn.__version__) < parse_version("1.7") and fails in str(check):
        pytest.skip("fails with scikit-learn 1.6")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("attacker", [ContingencyAttacker(), DenseAttacker()])
def test_attacker_of_a_negative_weight_raises(attacker) -> None:
    with pytest.raises(ValueError, match=r"finite and not negative; received -1\.0"):
        attacker.fit([[0], [1]], [0, 1], sample_weight=[1, -1])
