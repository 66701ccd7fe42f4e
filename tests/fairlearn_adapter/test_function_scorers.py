"""The functions and the metric objects as scikit-learn scorers, with metadata routing."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

import sklearn
from function_cases import FUNCTIONS, named
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import (
    MALS,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    Indicators,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.fairlearn import (
    directional_bias_amplification,
    directional_predictability_amplification,
    leakage_amplification,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)


@pytest.fixture(autouse=True)
def _routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def drawn() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Two noisy features, the task, the group and weights of 150 rows."""
    rng = np.random.default_rng(0)
    group = np.array(["a", "b"])[rng.integers(0, 2, 150)]
    task = (rng.random(150) < np.where(group == "a", 0.6, 0.4)).astype(int)
    features = np.c_[task, group == "a"] + rng.normal(size=(150, 2))
    return features, task, group, rng.integers(1, 4, 150)


X, Y, GROUP, WEIGHT = drawn()
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
SPLITS = list(KFold(3).split(X))
#: What a scorer can know: without a predicted attribute, A->T and MALS.
METRICS = [
    *FUNCTIONS,
    MALS(reference=(Y, GROUP)),
    DirectionalBiasAmplification(pos_label=1),
    MultiAttributeBiasAmplification(),
    LeakageAmplification(equalize="expected"),
    DirectionalPredictabilityAmplification(quality="accuracy"),
]
BOUND = partial(mals_bias_amplification, reference=(Y, GROUP))


def scorer(metric: Any, **options: Any) -> Any:
    """A scorer that asks for the attribute."""
    return make_scorer(metric, **options).set_score_request(sensitive_features=True)


def by_hand(metric: Any, estimator: Any, **columns: np.ndarray) -> list[float]:
    """The metric on each test fold, of an estimator fitted on the rest."""
    return [
        metric(
            Y[test],
            clone(estimator).fit(X[train], Y[train]).predict(X[test]),
            **{name: values[test] for name, values in columns.items()},
        )
        for train, test in SPLITS
    ]


def scores(scoring: Any, **columns: Any) -> list[float]:
    """What cross-validation gives."""
    found = cross_validate(
        TREE, X, Y, scoring=scoring, cv=SPLITS, params=columns, error_score="raise"
    )
    return found["test_score"].tolist()


@pytest.mark.parametrize("metric", [*METRICS, BOUND], ids=named)
def test_cross_validation_scores_each_fold(metric: Any) -> None:
    expected = by_hand(metric, TREE, sensitive_features=GROUP)
    assert scores(scorer(metric), sensitive_features=GROUP) == expected
    assert len(set(expected)) == 3


@pytest.mark.parametrize("metric", METRICS, ids=named)
def test_weights_are_split_like_rows(metric: Any) -> None:
    weighted = make_scorer(metric).set_score_request(sensitive_features=True, sample_weight=True)
    found = cross_validate(
        clone(TREE).set_fit_request(sample_weight=False),
        X,
        Y,
        scoring={"weighted": weighted, "plain": scorer(metric)},
        cv=SPLITS,
        params={"sensitive_features": GROUP, "sample_weight": WEIGHT},
        error_score="raise",
    )
    columns = {"sensitive_features": GROUP, "sample_weight": WEIGHT}
    assert found["test_weighted"].tolist() == by_hand(metric, TREE, **columns)
    assert found["test_plain"].tolist() == by_hand(metric, TREE, sensitive_features=GROUP)
    assert found["test_weighted"].tolist() != found["test_plain"].tolist()


@pytest.mark.parametrize("metric", [*METRICS, BOUND], ids=named)
def test_scorers_are_pickled(metric: Any) -> None:
    twin = pickle.loads(pickle.dumps(scorer(metric)))
    assert scores(twin, sensitive_features=GROUP) == scores(
        scorer(metric), sensitive_features=GROUP
    )


@pytest.mark.parametrize(
    "metric",
    [directional_bias_amplification, DirectionalBiasAmplification(), MALS(reference=(Y, GROUP))],
    ids=named,
)
def test_a_grid_is_searched_for_the_least_amplification(metric: Any) -> None:
    depths = [1, 2, 5]
    search = GridSearchCV(
        TREE,
        {"max_depth": depths},
        scoring=scorer(metric, greater_is_better=False),
        cv=SPLITS,
        error_score="raise",
    ).fit(X, Y, sensitive_features=GROUP)
    expected = [
        float(
            np.mean(by_hand(metric, clone(TREE).set_params(max_depth=d), sensitive_features=GROUP))
        )
        for d in depths
    ]
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx(
        [-value for value in expected], abs=1e-12
    )
    assert search.best_params_ == {"max_depth": depths[int(np.argmin(expected))]}
    assert search.score(X, Y, sensitive_features=GROUP) == -metric(
        Y, search.best_estimator_.predict(X), sensitive_features=GROUP
    )


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        (mals_bias_amplification, {"reference": (Y, GROUP[::-1])}),
        (mals_bias_amplification, {"pos_label": 0}),
        (directional_bias_amplification, {"reference": (1 - Y, GROUP), "labels": [1, 0]}),
        (multi_attribute_bias_amplification, {"direction": "undirected"}),
        (leakage_amplification, {"equalize": None}),
        (directional_predictability_amplification, {"quality": "accuracy"}),
    ],
)
def test_parameters_of_make_scorer(function: Any, parameters: dict[str, Any]) -> None:
    bound = partial(function, **parameters)
    expected = by_hand(bound, TREE, sensitive_features=GROUP)
    assert scores(scorer(function, **parameters), sensitive_features=GROUP) == expected
    assert expected != by_hand(function, TREE, sensitive_features=GROUP)


@pytest.mark.parametrize("metric", [directional_bias_amplification, MALS()], ids=named)
def test_crossed_attributes(metric: Any) -> None:
    half = np.where(WEIGHT > 1, "old", "young")
    matrix = np.c_[GROUP, half]
    frame = pd.DataFrame({"group": GROUP, "age": half})
    expected = by_hand(metric, TREE, sensitive_features=matrix)
    assert scores(scorer(metric), sensitive_features=matrix) == expected
    assert scores(scorer(metric), sensitive_features=frame) == expected
    assert expected != by_hand(metric, TREE, sensitive_features=GROUP)


@pytest.mark.parametrize("metric", [directional_bias_amplification, MALS()], ids=named)
def test_the_other_name_of_the_attribute_is_requested(metric: Any) -> None:
    renamed = make_scorer(metric).set_score_request(attribute=True)
    assert scores(renamed, attribute=GROUP) == scores(scorer(metric), sensitive_features=GROUP)


def test_probabilities_of_the_positive_class() -> None:
    model = LogisticRegression().fit(X, Y)
    soft = scorer(directional_bias_amplification, response_method="predict_proba")
    expected = directional_bias_amplification(
        Y, model.predict_proba(X)[:, 1], sensitive_features=GROUP
    )
    assert soft(model, X, Y, sensitive_features=GROUP) == expected
    hard = scorer(directional_bias_amplification)(model, X, Y, sensitive_features=GROUP)
    assert hard != expected


def test_a_threshold_is_tuned() -> None:
    metric = DirectionalBiasAmplification(reference=(Y, GROUP), labels=[0, 1])
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(),
        scoring=scorer(metric, greater_is_better=False),
        thresholds=[0.3, 0.5, 0.7],
        cv="prefit",
        refit=False,
    )
    model = LogisticRegression().fit(X, Y)
    tuned.set_params(estimator=model).fit(X, Y, sensitive_features=GROUP)
    chance = model.predict_proba(X)[:, 1]
    values = {
        limit: metric(Y, (chance >= limit).astype(int), sensitive_features=GROUP)
        for limit in (0.3, 0.5, 0.7)
    }
    assert tuned.best_threshold_ == min(values, key=lambda limit: values[limit])
    assert tuned.best_score_ == -min(values.values())


@pytest.mark.parametrize("metric", METRICS, ids=named)
def test_a_forgotten_attribute(metric: Any) -> None:
    with pytest.raises(ValueError, match="sensitive_features must be given; received None"):
        scores(scorer(metric))


@pytest.mark.parametrize("metric", METRICS, ids=named)
@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ([None, *GROUP[1:]], "sensitive_features must not have missing values; received 1"),
        (np.array([np.nan, *GROUP[1:]]), "sensitive_features must not hold the text 'nan'"),
        (GROUP[:140], "inputs must have the same length; received sensitive_features 140, y_true"),
    ],
    ids=["missing", "missing in an array of strings", "short"],
)
def test_bad_attributes(metric: Any, attribute: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scores(scorer(metric), sensitive_features=attribute)


def test_indicators_are_not_split_into_folds() -> None:
    indicators = Indicators(np.c_[GROUP == "a", GROUP == "b"].astype(int))
    with pytest.raises(ValueError, match="inputs must have the same length; received sensitive"):
        scores(scorer(mals_bias_amplification), sensitive_features=indicators)


def test_a_scorer_that_raises_scores_nan_unless_told_to_raise() -> None:
    with pytest.warns(UserWarning, match="sensitive_features must be given; received None"):
        found = cross_val_score(TREE, X, Y, scoring=scorer(MALS()), cv=SPLITS)
    assert np.isnan(found).all()
