"""Scorers of estimators that predict the attribute."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from search_cases import (
    DEPTHS,
    GROUP,
    METRICS,
    OF_ATTRIBUTES,
    REFERENCE,
    SIZES,
    SPLITS,
    TREE,
    WEIGHT,
    X,
    Y,
    keep,
    routing,
    tree,
)
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate

from biasamp_adapters import DirectionalBiasAmplification
from biasamp_adapters.sklearn import AmplificationLoss, amplification_scorer

NAMES = list(X.columns)


@cache
def guessed(depth: int, fold: int) -> np.ndarray:
    """What a tree says of the attribute of the rows of a fold."""
    train, test = SPLITS[fold]
    return tree(depth).fit(X.iloc[train], GROUP[train]).predict(X.iloc[test])


def by_hand(metric: Any, objective: str, depth: int = 2, **columns: np.ndarray) -> list[float]:
    """Minus the value or its size on each fold: the true task, true and predicted attribute."""
    out = []
    for fold, (_, test) in enumerate(SPLITS):
        value = metric(
            Y[test],
            None,
            sensitive_features=GROUP[test],
            sensitive_features_pred=guessed(depth, fold),
            **{name: column[test] for name, column in columns.items()},
        )
        out.append(-SIZES[objective](value))
    return out


#: As metadata, as a column of X, and as a level of the index of what is predicted.
TASKS: dict[str, tuple[Any, Any, dict[str, Any], Any]] = {
    "metadata": (X, GROUP, {"task": Y}, None),
    "column": (X.assign(task=Y), GROUP, {}, "task"),
    "level": (X, pd.Series(GROUP, pd.Index(Y, name="task")), {}, "task"),
}


@pytest.mark.parametrize("way", TASKS)
@pytest.mark.parametrize("objective", ["signed", "absolute"])
@pytest.mark.parametrize("metric", OF_ATTRIBUTES, ids=repr)
def test_a_grid_over_estimators_of_the_attribute(metric: Any, objective: Any, way: str) -> None:
    features, y, metadata, place = TASKS[way]
    scorer = amplification_scorer(metric, predicts="attribute", objective=objective, task=place)
    with routing(way == "metadata"):
        search = GridSearchCV(
            keep(NAMES), {"tree__max_depth": DEPTHS}, scoring=scorer, cv=SPLITS, error_score="raise"
        ).fit(features, y, **metadata)
    found = np.column_stack([search.cv_results_[f"split{k}_test_score"] for k in range(3)])
    expected = [by_hand(metric, objective, depth) for depth in DEPTHS]
    assert found.tolist() == expected
    assert search.best_params_ == {"tree__max_depth": DEPTHS[np.argmax(np.mean(expected, axis=1))]}


@pytest.mark.parametrize("metric", OF_ATTRIBUTES, ids=repr)
def test_weights_of_estimators_of_the_attribute(metric: Any) -> None:
    with routing():
        found = cross_validate(
            clone(TREE).set_fit_request(sample_weight=False),
            X,
            GROUP,
            scoring=amplification_scorer(metric, predicts="attribute"),
            cv=SPLITS,
            params={"task": Y, "sample_weight": WEIGHT},
            error_score="raise",
        )
    weighted = by_hand(metric, "absolute", sample_weight=WEIGHT)
    assert found["test_score"].tolist() == weighted
    assert weighted != by_hand(metric, "absolute")


def test_a_direct_call_by_arithmetic() -> None:
    # Of four positives 3 are "a", of four negatives 1, as in the reference. Predicted: P(a | 1) is
    # 2/4, against the correlation by 1/4, and P(a | 0) 1/4, as it is; so for "b": -1/8.
    task = np.repeat([1, 0], 4)
    group = np.array([*"aaab", *"abbb"])
    said = [*"aabb", *"abbb"]
    model = tree(8).fit(np.eye(8), said)
    assert model.predict(np.eye(8)).tolist() == said
    metric = DirectionalBiasAmplification(reference=(task, group), direction="T->A")
    scorer = amplification_scorer(metric, predicts="attribute", objective="signed")
    assert scorer(model, np.eye(8), group, task=task) == pytest.approx(1 / 8, abs=1e-12)


@pytest.mark.parametrize("metric", OF_ATTRIBUTES, ids=repr)
@pytest.mark.parametrize("make", [amplification_scorer, AmplificationLoss])
def test_a_metric_that_reads_no_predicted_task_is_refused(make: Any, metric: Any) -> None:
    message = "reads no predicted task, so every estimator .* predicts must be 'attribute'"
    with pytest.raises(ValueError, match=message):
        make(metric)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@pytest.mark.parametrize("make", [amplification_scorer, AmplificationLoss])
def test_a_metric_that_needs_predicted_tasks_is_refused(make: Any, metric: Any) -> None:
    message = r"needs predicted tasks, .* direction must be 'T->A' with predicts='attribute'"
    with pytest.raises(ValueError, match=message):
        make(metric, predicts="attribute")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "task"}, "task must not be given with predicts='task', where it is y"),
        (
            {"predicts": "attribute", "sensitive_features": "group"},
            "sensitive_features must not be given with predicts='attribute', where it is y",
        ),
    ],
)
def test_the_place_of_what_is_y_is_refused(options: dict[str, Any], message: str) -> None:
    way = "T->A" if "predicts" in options else "A->T"
    metric = DirectionalBiasAmplification(reference=REFERENCE, direction=way)
    with pytest.raises(ValueError, match=message):
        amplification_scorer(metric, **options)


def test_what_is_y_is_refused_as_metadata() -> None:
    metric = DirectionalBiasAmplification(reference=REFERENCE, direction="T->A")
    loss = AmplificationLoss(metric, predicts="attribute")
    with pytest.raises(ValueError, match="sensitive_features is y with predicts='attribute'"):
        loss(GROUP, GROUP, task=Y, sensitive_features=GROUP)
    scorer = amplification_scorer(metric, predicts="attribute")
    model = clone(TREE).fit(X, GROUP)
    message = r"must be task and sample_weight; received \['sensitive_features'\]"
    with pytest.raises(ValueError, match=message):
        scorer(model, X, GROUP, task=Y, sensitive_features=GROUP)
