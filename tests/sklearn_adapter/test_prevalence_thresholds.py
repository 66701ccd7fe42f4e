"""PrevalenceThresholdClassifier on two classes: shares, thresholds, and that they stay."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prevalence_cases import Given, counts, nearest_count
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import calibrated_threshold
from biasamp_adapters.sklearn import PrevalenceThresholdClassifier

N = 200


def drawn() -> tuple[np.ndarray, np.ndarray]:
    """Two features, and 60 of 200 rows that are positive, not well told apart."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(N, 2))
    noisy = features[:, 0] + 1.5 * rng.normal(size=N)
    return features, (noisy.argsort().argsort() >= 140).astype(int)


X, Y = drawn()
MODELS = [LogisticRegression(), RidgeClassifier()]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_as_many_are_predicted_as_there_are(model: Any) -> None:
    calibrated = PrevalenceThresholdClassifier(model, cv=None).fit(X, Y)
    assert calibrated.predict(X).sum() == Y.sum() == 60
    assert calibrated.prevalence_ == 0.3
    assert clone(model).fit(X, Y).predict(X).sum() < 50  # what there is to repair


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize(
    ("prevalence", "expected"),
    [
        (0.1, 20),
        ([0.9, 0.1], 20),
        (np.array([0.25, 0.75]), 150),
        ({0: 0.6, 1: 0.4}, 80),
        ({1: 0.4, 0: 0.6}, 80),  # in any order
        (0.3024, 60),  # 60.48 rows
        (0.3026, 61),  # 60.52 rows
        (0.3025, 60),  # 60.5 rows: the smaller
        (0, 0),
        (1, 200),
        ("train", 60),
    ],
)
def test_a_share_that_is_given(model: Any, prevalence: Any, expected: int) -> None:
    calibrated = PrevalenceThresholdClassifier(model, prevalence, cv=None).fit(X, Y)
    assert calibrated.predict(X).sum() == expected
    assert calibrated.prevalence_ == pytest.approx(expected / N, abs=0.0026)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 1], [3.0, 7.0]])
def test_the_second_class_is_the_one_that_is_counted(labels: list[Any]) -> None:
    y = np.array(labels)[Y]
    for prevalence in (0.1, [0.9, 0.1], dict(zip(labels, [0.9, 0.1], strict=True))):
        calibrated = PrevalenceThresholdClassifier(MODELS[0], prevalence, cv=None).fit(X, y)
        assert counts(calibrated.predict(X), labels) == [180, 20]
        assert calibrated.classes_.tolist() == labels


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(max_depth=3, random_state=0),
        KNeighborsClassifier(7),
        KNeighborsClassifier(2),
    ],
    ids=repr,
)
@pytest.mark.parametrize("positives", [10, 60, 111])
def test_where_ties_forbid_the_share_the_nearest_is_taken(model: Any, positives: int) -> None:
    share = Fraction(positives, N)
    calibrated = PrevalenceThresholdClassifier(model, float(share), cv=None).fit(X, Y)
    scores = clone(model).fit(X, Y).predict_proba(X)[:, 1]
    assert len(np.unique(scores)) < 10
    assert calibrated.predict(X).sum() == nearest_count(scores, share)


few_scores = st.lists(st.integers(-8, 8), min_size=2, max_size=25)


@given(few_scores, st.integers(0, 25), st.data())
def test_the_predicted_count_is_the_nearest(
    scores: list[int], positives: int, data: st.DataObject
) -> None:
    y = data.draw(st.permutations([0, 1] * len(scores)).map(lambda drawn: drawn[: len(scores)]))
    y[0], y[-1] = 0, 1
    share = Fraction(min(positives, len(scores)), len(scores))
    features = np.array(scores, dtype=float)[:, None]
    model = PrevalenceThresholdClassifier(Given(), float(share), cv=None).fit(features, y)
    assert model.predict(features).sum() == nearest_count(scores, share)
    plain = PrevalenceThresholdClassifier(Given(), cv=None).fit(features, y)
    assert plain.predict(features).sum() == nearest_count(scores, Fraction(sum(y), len(y)))


@given(few_scores, st.integers(0, 25))
def test_it_predicts_what_a_calibrated_threshold_does(scores: list[int], positives: int) -> None:
    # [W21] 3.3, on the same scores.
    share = min(positives, len(scores)) / len(scores)
    features = np.array(scores, dtype=float)[:, None]
    y = [0, 1] * (len(scores) // 2) + [0] * (len(scores) % 2)
    model = PrevalenceThresholdClassifier(Given(), share, cv=None).fit(features, y)
    lowest = calibrated_threshold(scores, share)
    assert model.predict(features).tolist() == (np.array(scores) >= lowest).tolist()
    below = [score for score in scores if score < lowest]
    if below and lowest < np.inf:
        assert model.threshold_ == (lowest + max(below)) / 2


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("folds", [5, KFold(4), StratifiedKFold(3, shuffle=True, random_state=0)])
def test_thresholds_are_those_of_scores_of_models_that_did_not_see_the_row(
    model: Any, folds: Any
) -> None:
    calibrated = PrevalenceThresholdClassifier(model, cv=folds).fit(X, Y)
    method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    scores = cross_val_predict(model, X, Y, cv=folds, method=method)
    scores = scores[:, 1] if scores.ndim == 2 else scores
    assert (scores > calibrated.threshold_).sum() == 60
    own = getattr(clone(model).fit(X, Y), method)(X)
    own = own[:, 1] if own.ndim == 2 else own
    assert calibrated.predict(X).tolist() == (own > calibrated.threshold_).tolist()
    assert (
        calibrated.threshold_ != PrevalenceThresholdClassifier(model, cv=None).fit(X, Y).threshold_
    )


def test_a_threshold_lies_half_way_between_two_scores() -> None:
    # A tree that knows its rows by heart scores them 0 and 1.
    own = PrevalenceThresholdClassifier(DecisionTreeClassifier(random_state=0), cv=None).fit(X, Y)
    assert own.threshold_ == 0.5
    # The three highest of four: above 2, not above 1.
    given = PrevalenceThresholdClassifier(Given(), 0.75, cv=None)
    assert given.fit([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]).threshold_ == 1.5


@pytest.mark.parametrize("low", [1.0, float(np.nextafter(1, 2))])
def test_between_neighbouring_numbers_there_is_no_half_way(low: float) -> None:
    # Half way is rounded to the lower one or, of the second pair, to the higher.
    high = float(np.nextafter(low, 2))
    model = PrevalenceThresholdClassifier(Given(), 0.5, cv=None).fit([[low], [high]], [0, 1])
    assert model.predict([[low], [high]]).tolist() == [0, 1]
    assert model.threshold_ == low


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_thresholds_do_not_move_with_the_data_that_are_predicted(model: Any) -> None:
    calibrated = PrevalenceThresholdClassifier(model).fit(X, Y)
    before = calibrated.threshold_
    together = calibrated.predict(X)
    one_by_one = [int(calibrated.predict(X[[row]])[0]) for row in range(N)]
    assert one_by_one == together.tolist()
    high = calibrated.predict(X + np.array([5, 0]))  # likelier positives all
    assert high.sum() > 150
    assert calibrated.threshold_ == before


def test_unseen_rows_have_about_the_prevalence() -> None:
    # Of 4,000 rows like the others 30 % +- 5 standard errors of the 200 that the threshold knows.
    rng = np.random.default_rng(1)
    calibrated = PrevalenceThresholdClassifier(LogisticRegression()).fit(X, Y)
    share = calibrated.predict(rng.normal(size=(4000, 2))).mean()
    assert share == pytest.approx(0.3, abs=5 * np.sqrt(0.3 * 0.7 / N))
    assert LogisticRegression().fit(X, Y).predict(rng.normal(size=(4000, 2))).mean() < 0.2


def test_what_is_known_of_the_features() -> None:
    frame = pd.DataFrame(X, columns=["u", "v"])
    calibrated = PrevalenceThresholdClassifier(LogisticRegression()).fit(frame, Y)
    assert calibrated.n_features_in_ == 2
    assert calibrated.feature_names_in_.tolist() == ["u", "v"]
    expected = PrevalenceThresholdClassifier(LogisticRegression()).fit(X, Y).predict(X)
    assert np.array_equal(calibrated.predict(frame), expected)


def test_it_is_cloned_and_pickled_and_runs_side_by_side() -> None:
    model = PrevalenceThresholdClassifier(LogisticRegression(C=0.1), 0.2, cv=3, n_jobs=2)
    alone = clone(model).set_params(n_jobs=None).fit(X, Y)
    assert clone(model).get_params()["prevalence"] == 0.2
    fitted = clone(model).fit(X, Y)
    for twin in (fitted, pickle.loads(pickle.dumps(fitted))):
        assert twin.threshold_ == alone.threshold_
        assert np.array_equal(twin.predict(X), alone.predict(X))
    assert not hasattr(model.estimator, "classes_")  # what was handed over is not fitted
