"""WithSensitiveFeatures around estimators that do not read the attribute, and its bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from search_cases import AGE, GROUP, TREE, WAYS, X, Y
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from biasamp_adapters import AmplificationWarning
from biasamp_adapters.sklearn import WithSensitiveFeatures


# parametrize_with_checks of 1.6 hands pytest an iterator.
@pytest.mark.parametrize(
    ("estimator", "check"),
    list(estimator_checks_generator(WithSensitiveFeatures(LogisticRegression()))),
)
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


class Shown(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts the attribute, and "nothing" without one."""

    def fit(self, X: Any, y: Any) -> Shown:  # noqa: N803
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any, sensitive_features: Any = None) -> np.ndarray:  # noqa: N803
        given = ["nothing"] * len(X) if sensitive_features is None else sensitive_features
        return np.asarray(given)


@pytest.mark.parametrize("piped", [False, True])
def test_an_attribute_that_may_be_left_out_is_handed_over_if_it_is_there(piped: bool) -> None:
    wrapped = WithSensitiveFeatures(make_pipeline("passthrough", Shown()) if piped else Shown())
    wrapped.fit(X, Y, sensitive_features=GROUP)
    assert wrapped.predict(X, sensitive_features=GROUP).tolist() == GROUP.tolist()
    assert set(wrapped.predict(X)) == {"nothing"}


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_group_is_refused_where_it_is_read(missing: Any) -> None:
    unknown = [missing, *GROUP[1:]]
    wrapped = WithSensitiveFeatures(Shown()).fit(X, Y, sensitive_features=GROUP)
    rule = "sensitive_features must not have missing values; received 1"
    with pytest.raises(ValueError, match=rule):
        wrapped.predict(X, sensitive_features=unknown)
    with pytest.raises(ValueError, match=rule):
        clone(wrapped).fit(X, Y, sensitive_features=unknown)
    plain = WithSensitiveFeatures(TREE).fit(X, Y, sensitive_features=unknown)
    assert plain.predict(X, sensitive_features=unknown).shape == Y.shape


def test_rows_in_another_order_warn() -> None:
    group = pd.Series(GROUP, index=X.index[::-1])
    with pytest.warns(AmplificationWarning, match="X and sensitive_features have indexes"):
        WithSensitiveFeatures(Shown()).fit(X, Y, sensitive_features=group)


def test_score_takes_the_attribute() -> None:
    wrapped = WithSensitiveFeatures(Shown()).fit(X, Y, sensitive_features=Y)
    assert wrapped.score(X, Y, sensitive_features=Y) == 1
    assert wrapped.score(X, Y, sensitive_features=1 - Y) == 0


def test_what_is_fitted_is_the_column() -> None:
    wide = X.assign(group=GROUP)
    wrapped = WithSensitiveFeatures(Shown(), sensitive_features="group")
    wrapped.fit(wide, Y, sensitive_features=pd.Series(GROUP))
    with pytest.raises(ValueError, match="received both, with different values"):
        wrapped.fit(wide, Y, sensitive_features=GROUP[::-1])
    # A scorer may measure by another attribute than that of the thresholds.
    assert wrapped.predict(wide, sensitive_features=AGE).tolist() == GROUP.tolist()


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
