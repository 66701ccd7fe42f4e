"""What calls a function instead of a scorer, or turns y into an array: the loss, and its limits."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from search_cases import (
    GROUP,
    REFERENCE,
    SIGNED,
    SIZES,
    SPLITS,
    TREE,
    WAYS,
    X,
    Y,
    keep,
    routing,
    scores,
)
from sklearn.base import clone
from sklearn.feature_selection import RFE, RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV, cross_val_score

from biasamp_adapters import MALS, DirectionalPredictabilityAmplification
from biasamp_adapters.sklearn import AmplificationLoss, amplification_scorer

MODEL = LogisticRegression()
LIMITS = [0.2, 0.4, 0.5, 0.8]
#: Defined at each threshold of LIMITS in each fold, where some thresholds leave no positives.
LOSSES = [SIGNED, MALS(reference=REFERENCE), DirectionalPredictabilityAmplification()]
NO_NAMES = r"RFECV and stacking turn y and X into arrays, without names: they need metadata routing"


def made(loss: AmplificationLoss, *, requested: bool) -> Any:
    """The scorer that make_scorer makes of a loss."""
    scorer = make_scorer(loss, greater_is_better=False)
    return scorer.set_score_request(sensitive_features=True) if requested else scorer


def at(limit: float, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """What is predicted on the test rows at a threshold."""
    model = clone(MODEL).fit(X.iloc[train], Y[train])
    return (model.predict_proba(X.iloc[test])[:, 1] >= limit).astype(int)


@pytest.mark.parametrize("objective", ["signed", "absolute"])
@pytest.mark.parametrize("way", ["metadata", "level"])
@pytest.mark.parametrize("metric", LOSSES, ids=repr)
def test_a_threshold_is_tuned_to_the_least_amplification(
    metric: Any, way: str, objective: Any
) -> None:
    given = WAYS[way]()
    loss = AmplificationLoss(metric, objective=objective, sensitive_features=given.place)
    with routing(way == "metadata"):
        tuned = TunedThresholdClassifierCV(
            MODEL,
            scoring=made(loss, requested=way == "metadata"),
            thresholds=LIMITS,
            cv=SPLITS,
            store_cv_results=True,
        ).fit(X, given.y, **given.metadata)
    size = SIZES[objective]
    means = [
        np.mean(
            [
                size(metric(Y[test], at(limit, train, test), sensitive_features=GROUP[test]))
                for train, test in SPLITS
            ]
        )
        for limit in LIMITS
    ]
    # The host averages folds in another order.
    assert tuned.cv_results_["scores"].tolist() == pytest.approx(np.negative(means), abs=1e-12)
    assert tuned.best_threshold_ == LIMITS[int(np.argmin(means))]


@pytest.mark.parametrize("enabled", [False, True])
def test_a_scorer_that_is_no_function_is_refused_where_thresholds_are_tuned(enabled: bool) -> None:
    given = WAYS["level"]()
    scorer = amplification_scorer(SIGNED, sensitive_features="group")
    with routing(enabled):
        tuned = TunedThresholdClassifierCV(MODEL, scoring=scorer, cv=SPLITS)
        message = r"takes make_scorer\(AmplificationLoss\(\.\.\.\), greater_is_better=False\)"
        with pytest.raises(AttributeError, match=message):
            tuned.fit(X, given.y)


def eliminated(way: str, scorer: Any, enabled: bool) -> np.ndarray:
    """Scores of RFECV of shape (numbers of features, folds)."""
    given = WAYS[way]()
    with routing(enabled):
        selector = RFECV(MODEL, scoring=scorer, cv=SPLITS)
        results = selector.fit(X, given.y, **given.metadata).cv_results_
    assert list(results["n_features"]) == [1, 2, 3]
    assert selector.n_features_ == 1 + np.argmax(results["mean_test_score"])
    return np.column_stack([results[f"split{fold}_test_score"] for fold in range(3)])


@pytest.mark.parametrize("objective", ["signed", "absolute"])
@pytest.mark.parametrize("metric", LOSSES, ids=repr)
def test_features_are_eliminated_with_metadata_routing(metric: Any, objective: Any) -> None:
    scorer = amplification_scorer(metric, objective=objective)
    loss = made_with_request(AmplificationLoss(metric, objective=objective))
    found = eliminated("metadata", scorer, True)
    by_hand = [
        scores(metric, RFE(MODEL, n_features_to_select=kept), objective) for kept in (1, 2, 3)
    ]
    assert found.tolist() == by_hand
    assert eliminated("metadata", loss, True).tolist() == by_hand
    assert len(np.unique(found)) > 3


def made_with_request(loss: AmplificationLoss) -> Any:
    """A scorer that asks for the attribute, made where that is allowed."""
    with routing():
        return made(loss, requested=True)


def test_features_are_not_eliminated_without_routing() -> None:
    loss = made(AmplificationLoss(SIGNED, sensitive_features="group"), requested=False)
    for scorer in (amplification_scorer(SIGNED, sensitive_features="group"), loss):
        with pytest.raises(ValueError, match=NO_NAMES):
            eliminated("level", scorer, False)
    with pytest.raises(ValueError, match=NO_NAMES):
        RFECV(MODEL, scoring=amplification_scorer(SIGNED, sensitive_features="age"), cv=SPLITS).fit(
            X.assign(age=Y), Y
        )


def test_a_selector_that_turns_columns_into_arrays_warns() -> None:
    # It has no error_score, so what a scorer raises is a warning and NaN.
    scorer = amplification_scorer(SIGNED, sensitive_features="group")
    selector = SequentialFeatureSelector(MODEL, scoring=scorer, n_features_to_select=1)
    with pytest.warns(UserWarning, match=r"received 'group', but there are the levels"):
        selector.fit(X.assign(group=(GROUP == "a") * 1.0), Y)


@pytest.mark.parametrize("way", ["metadata", "level"])
def test_a_loss_scores_folds_as_the_scorer_does(way: str) -> None:
    given = WAYS[way]()
    loss = AmplificationLoss(SIGNED, objective="signed", sensitive_features=given.place)
    with routing(way == "metadata"):
        scorer = made(loss, requested=way == "metadata")
        for twin in (scorer, clone(scorer, safe=False), pickle.loads(pickle.dumps(scorer))):
            found = cross_val_score(
                MODEL,
                X,
                given.y,
                scoring=twin,
                cv=SPLITS,
                params=given.metadata or None,
                error_score="raise",
            )
            assert found.tolist() == scores(SIGNED, MODEL, "signed")


def test_a_loss_without_its_request_is_forgotten_metadata() -> None:
    scorer = made(AmplificationLoss(SIGNED), requested=False)
    message = r"with make_scorer also call \.set_score_request\(sensitive_features=True\)"
    with pytest.raises(ValueError, match=message):
        cross_val_score(MODEL, X, Y, scoring=scorer, cv=SPLITS, error_score="raise")


def test_a_loss_has_no_columns_to_look_into() -> None:
    loss = AmplificationLoss(SIGNED, sensitive_features="group")
    wide = X.assign(group=(GROUP == "a") * 1.0)
    with pytest.raises(
        ValueError, match=r"must be among the levels of y's index; received 'group'"
    ):
        cross_val_score(
            MODEL,
            wide,
            pd.Series(Y, pd.Index(Y, name="other")),
            scoring=made(loss, requested=False),
            cv=SPLITS,
            error_score="raise",
        )


def test_a_frame_of_one_column_as_y() -> None:
    """A tree predicts a vector of it."""
    given = WAYS["level"]()
    scorer = amplification_scorer(SIGNED, sensitive_features="group")
    model = clone(TREE).fit(given.X, given.y)
    assert scorer(model, given.X, given.y.to_frame("y")) == scorer(model, given.X, given.y)


def test_permutation_importance_of_an_attribute_in_the_index() -> None:
    """The pipeline drops the group, so shuffling that column changes nothing."""
    given = WAYS["column of pandas"]()
    y = pd.Series(Y, pd.Index(GROUP, name="code"))
    scorer = amplification_scorer(SIGNED, sensitive_features="code")
    found = permutation_importance(
        keep(given.features).fit(given.X, y), given.X, y, scoring=scorer, random_state=0
    )
    importance = dict(zip(given.X.columns, found.importances.tolist(), strict=True))
    assert importance["group"] == [0, 0, 0, 0, 0]
    assert importance["u"] != [0, 0, 0, 0, 0]


def test_permutation_importance_of_an_attribute_in_a_column_is_that_of_the_scorer() -> None:
    """The scorer reads the shuffled group: what changes is the score, not the predictions."""
    given = WAYS["column of pandas"]()
    model = keep(given.features).fit(given.X, Y)
    scorer = amplification_scorer(SIGNED, objective="signed", sensitive_features="group")
    found = permutation_importance(model, given.X, Y, scoring=scorer, random_state=0, n_repeats=1)
    at = list(given.X.columns).index("group")
    assert abs(found.importances[at, 0]) > 0.01

    shuffled = np.random.default_rng(1).permutation(GROUP)
    score = scorer(model, given.X.assign(group=shuffled), Y)
    assert score == -SIGNED(Y, model.predict(given.X), sensitive_features=shuffled)
