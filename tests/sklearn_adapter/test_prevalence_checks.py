"""PrevalenceThresholdClassifier against all that scikit-learn asks of a classifier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from biasamp_adapters.sklearn import PrevalenceThresholdClassifier

MODELS = [
    PrevalenceThresholdClassifier(LogisticRegression()),
    PrevalenceThresholdClassifier(RidgeClassifier()),
    PrevalenceThresholdClassifier(DecisionTreeClassifier(random_state=0)),
    PrevalenceThresholdClassifier(LogisticRegression(), cv=None),
]
#: Warnings that scikit-learn's own data cause in scikit-learn's own code, by the check.
EXPECTED = {
    # It casts NaN to integers, to see what kind y is.
    "check_supervised_y_no_nan": "ignore:invalid value encountered in cast:RuntimeWarning",
    # In version 1.6 a class has four rows, for five folds.
    "check_n_features_in_after_fitting": "ignore:The least populated class in y:UserWarning",
}


def cases() -> Iterator[Any]:
    """Each model with each check; parametrize_with_checks of 1.6 hands pytest an iterator."""
    for model in MODELS:
        for _, check in estimator_checks_generator(model):
            name = getattr(check, "func", check).__name__
            quiet = [pytest.mark.filterwarnings(EXPECTED[name])] if name in EXPECTED else []
            yield pytest.param(model, check, id=f"{model}-{name}", marks=quiet)


@pytest.mark.parametrize(("estimator", "check"), list(cases()))
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_checks_are_there() -> None:
    names = {case.id.split("-")[-1] for case in cases()}
    assert len(names) > 50
    assert {"check_classifiers_train", "check_methods_sample_order_invariance"} <= names
