"""Searches over Fairlearn's mitigations, some of which read the attribute to predict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

import sklearn
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import DemographicParity, ExponentiatedGradient, GridSearch
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from biasamp_adapters import DirectionalBiasAmplification
from biasamp_adapters.fairlearn import ZeroAmplification
from biasamp_adapters.sklearn import (
    WithSensitiveFeatures,
    amplification_scorer,
    amplification_scorers,
)

RNG = np.random.default_rng(0)
GROUP = RNG.choice(["a", "b"], 200)
Y = (RNG.random(200) < np.where(GROUP == "a", 0.6, 0.4)).astype(int)
X = pd.DataFrame(RNG.normal(size=(200, 2)), columns=["u", "v"])
X += np.column_stack([2 * (GROUP == "a"), 0.5 * Y])
INDEXED = pd.Series(Y, pd.Index(GROUP, name="group"))

PLAIN = LogisticRegression()
OPTIMIZER = ThresholdOptimizer(estimator=PLAIN, predict_method="predict_proba", grid_size=20)
REDUCTION = ExponentiatedGradient(PLAIN, ZeroAmplification(), max_iter=2)
CANDIDATES = [PLAIN, OPTIMIZER, REDUCTION]
CONSTRAINTS = ["demographic_parity", "equalized_odds"]
METRIC = DirectionalBiasAmplification(reference=(Y, GROUP))
SPLITS = list(KFold(2).split(X))


def by_hand(candidate: Any, **predict: Any) -> list[float]:
    """Minus the size of the metric in each fold; Fairlearn's own calls."""
    scores = []
    for train, test in SPLITS:
        model, attribute = clone(candidate), {"sensitive_features": GROUP[train]}
        is_plain = isinstance(candidate, LogisticRegression)
        model.fit(X.iloc[train], Y[train], **({} if is_plain else attribute))
        options = {} if is_plain else {"random_state": 0}
        if isinstance(candidate, ThresholdOptimizer):
            options["sensitive_features"] = GROUP[test]
        y_pred = model.predict(X.iloc[test], **options)
        scores.append(-abs(METRIC(Y[test], y_pred, sensitive_features=GROUP[test])))
    return scores


def found(search: Any) -> list[list[float]]:
    """The scores of each candidate in each fold."""
    names = [f"split{fold}_test_score" for fold in range(len(SPLITS))]
    return np.column_stack([search.cv_results_[name] for name in names]).tolist()


class Fixed(ThresholdOptimizer):  # type: ignore[misc]
    """An optimizer that draws the same thresholds in each call."""

    def predict(self, X: Any, *, sensitive_features: Any) -> Any:  # noqa: N803
        return super().predict(X, sensitive_features=sensitive_features, random_state=0)


FIXED = Fixed(estimator=PLAIN, predict_method="predict_proba", grid_size=20)


@pytest.mark.parametrize("place", ["metadata", "column", "level"])
def test_a_search_chooses_between_kinds_of_mitigation(place: str) -> None:
    column = "group" if place == "column" else None
    wrapped = WithSensitiveFeatures(PLAIN, sensitive_features=column)
    scorer = amplification_scorer(
        METRIC, sensitive_features=None if place == "metadata" else "group"
    )
    search = GridSearchCV(
        wrapped, {"estimator": CANDIDATES}, scoring=scorer, cv=SPLITS, error_score="raise"
    )
    with sklearn.config_context(enable_metadata_routing=place == "metadata"):
        if place == "column":
            search.fit(X.assign(group=GROUP), Y)
        else:
            y = INDEXED if place == "level" else Y
            search.fit(X.set_axis(INDEXED.index), y, sensitive_features=GROUP)
    expected = [by_hand(candidate) for candidate in CANDIDATES]
    assert found(search) == expected
    assert search.best_index_ == np.argmax(np.mean(expected, axis=1))


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("routed", [False, True])
@pytest.mark.parametrize("piped", [False, True])
def test_thresholds_need_no_wrapper_among_themselves(
    piped: bool, routed: bool, several: bool
) -> None:
    place = None if routed else "group"
    scoring: Any = amplification_scorer(METRIC, sensitive_features=place)
    if several:
        scoring = amplification_scorers(
            {"score": METRIC}, others={"accuracy": "accuracy"}, sensitive_features=place
        )
    with sklearn.config_context(enable_metadata_routing=routed):
        model: Any = clone(FIXED)
        if routed:
            model.set_fit_request(sensitive_features=True)
            model.set_predict_request(sensitive_features=True)
        grid = {"constraints": CONSTRAINTS}
        argument = "sensitive_features"
        if piped:
            model = make_pipeline("passthrough", model)
            grid = {"fixed__constraints": CONSTRAINTS}
            argument = argument if routed else "fixed__sensitive_features"
        search = GridSearchCV(
            model, grid, scoring=scoring, cv=SPLITS, error_score="raise", refit=False
        )
        search.fit(X, Y if routed else INDEXED, **{argument: GROUP})
    expected = [by_hand(clone(OPTIMIZER).set_params(constraints=name)) for name in CONSTRAINTS]
    assert found(search) == expected
    if several:
        model = clone(OPTIMIZER).set_params(constraints=CONSTRAINTS[1])
        train, test = SPLITS[0]
        model.fit(X.iloc[train], Y[train], sensitive_features=GROUP[train])
        y_pred = model.predict(X.iloc[test], sensitive_features=GROUP[test], random_state=0)
        accuracy = search.cv_results_["split0_test_accuracy"][1]
        assert accuracy == accuracy_score(Y[test], y_pred)


def test_a_pipeline_that_requests_nothing_says_so() -> None:
    model = make_pipeline(StandardScaler(), clone(FIXED))
    model.fit(X, Y, fixed__sensitive_features=GROUP)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = amplification_scorer(METRIC)
        with pytest.raises(ValueError, match=r"set_predict_request|not explicitly set"):
            scorer(model, X, Y, sensitive_features=GROUP)


@pytest.mark.parametrize("several", [False, True])
def test_an_attribute_that_is_missing_is_missed_before_the_prediction(several: bool) -> None:
    model = clone(OPTIMIZER).fit(X, Y, sensitive_features=GROUP)
    scorer = amplification_scorers({"ba": METRIC}) if several else amplification_scorer(METRIC)
    with pytest.raises(ValueError, match="sensitive_features must reach the scorer; received None"):
        scorer(model, X, Y)
    with pytest.raises(ValueError, match="a row for each row of the fold; received 199 for 200"):
        scorer(model, X, Y, sensitive_features=GROUP[1:])


@pytest.mark.parametrize(
    "candidate",
    [
        OPTIMIZER,
        REDUCTION,
        ExponentiatedGradient(PLAIN, DemographicParity(), max_iter=2),
        GridSearch(PLAIN, DemographicParity(), grid_size=3),
    ],
    ids=lambda candidate: f"{type(candidate).__name__}-{len(repr(candidate))}",
)
def test_the_wrapper_misses_the_attribute_where_it_is_needed(candidate: Any) -> None:
    wrapped = WithSensitiveFeatures(candidate)
    name = type(candidate).__name__
    with pytest.raises(ValueError, match=f"must reach fit of {name}; received"):
        wrapped.fit(X, Y)
    wrapped.fit(X, Y, sensitive_features=GROUP)
    assert wrapped.classes_.tolist() == [0, 1]
    if candidate is not OPTIMIZER:
        assert set(wrapped.predict(X)) <= {0, 1}
        return
    with pytest.raises(ValueError, match=f"must reach predict of {name}; received"):
        wrapped.predict(X)
    with pytest.raises(ValueError, match="must hold groups that were there in fit; received 'c'"):
        wrapped.predict(X, sensitive_features=["c"] * 200)


def test_the_wrapper_draws_by_its_random_state() -> None:
    predicted = [
        WithSensitiveFeatures(OPTIMIZER, random_state=seed)
        .fit(X, Y, sensitive_features=GROUP)
        .predict(X, sensitive_features=GROUP)
        .tolist()
        for seed in (None, 0, 1)
    ]
    assert predicted[0] == predicted[1] != predicted[2]


def test_weights_reach_a_mitigation() -> None:
    weight = 1 + (GROUP == "a")
    wrapped = WithSensitiveFeatures(REDUCTION)
    wrapped.fit(X, Y, sensitive_features=GROUP, sample_weight=weight)
    model = clone(REDUCTION).fit(X, Y, sensitive_features=GROUP, sample_weight=weight)
    assert (wrapped.predict(X) == model.predict(X, random_state=0)).all()


@pytest.mark.parametrize("candidate", [PLAIN, OPTIMIZER, REDUCTION], ids=lambda c: type(c).__name__)
def test_a_mitigation_may_end_a_pipeline(candidate: Any) -> None:
    inputs = {"sensitive_features": GROUP, "sample_weight": 1 + (GROUP == "a")}
    piped = WithSensitiveFeatures(make_pipeline(StandardScaler(), candidate)).fit(X, Y, **inputs)
    alone = WithSensitiveFeatures(candidate).fit(StandardScaler().fit_transform(X), Y, **inputs)
    predicted = piped.predict(X, sensitive_features=GROUP)
    features = StandardScaler().fit_transform(X)
    assert (predicted == alone.predict(features, sensitive_features=GROUP)).all()


def test_tools_that_only_know_x_find_the_column() -> None:
    # Crossed with a column that is constant, the groups are the same.
    wide = X.assign(group=GROUP, region="r")
    wrapped = WithSensitiveFeatures(OPTIMIZER, sensitive_features=["group", "region"])
    predicted = cross_val_predict(wrapped, wide, Y, cv=SPLITS)
    for (_, test), score in zip(SPLITS, by_hand(OPTIMIZER), strict=True):
        value = METRIC(Y[test], predicted[test], sensitive_features=GROUP[test])
        assert -abs(value) == score
