"""WithSensitiveFeatures around estimators that do not read the attribute, and its bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from search_cases import GROUP, TREE, WAYS, X, Y
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from biasamp_adapters.sklearn import WithSensitiveFeatures


@parametrize_with_checks([WithSensitiveFeatures(LogisticRegression())])
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("way", WAYS)
def test_an_estimator_that_reads_no_attribute_predicts_as_without_the_wrapper(way: str) -> None:
    given = WAYS[way]()
    place = given.place if way.startswith("column") else None
    wrapped = WithSensitiveFeatures(TREE, sensitive_features=place).fit(given.X, given.y)
    plain = clone(TREE).fit(X.to_numpy(), Y).predict(X.to_numpy())
    assert (wrapped.predict(given.X) == plain).all()
    assert wrapped.classes_.tolist() == [0, 1]


def test_a_column_and_an_argument_must_agree() -> None:
    wide = X.assign(group=GROUP)
    wrapped = WithSensitiveFeatures(TREE, sensitive_features="group")
    wrapped.fit(wide, Y, sensitive_features=pd.Series(GROUP))
    with pytest.raises(ValueError, match="received both, with different values"):
        wrapped.predict(wide, sensitive_features=GROUP[::-1])


@pytest.mark.parametrize(
    ("features", "place", "message"),
    [
        (X, "race", r"must name columns of X; received 'race', but X has 'u', 'v', 'z'"),
        (X, ["u", "race"], r"received \['u', 'race'\]"),
        (X, [], r"must name columns of X; received \[\]"),
        (X.to_numpy(), 3, "received 3, but X has 0, 1, 2"),
        (X.to_numpy().tolist(), "race", "but X has no columns with names"),
    ],
)
def test_a_name_that_is_no_column_is_refused(features: Any, place: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WithSensitiveFeatures(TREE, sensitive_features=place).fit(features, np.asarray(Y))
