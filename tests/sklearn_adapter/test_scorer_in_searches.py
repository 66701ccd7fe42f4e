"""The scorer in what scikit-learn selects models with, the attribute in each of its places."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from search_cases import (
    DEPTHS,
    GROUP,
    METRICS,
    SIGNED,
    SPLITS,
    TREE,
    WAYS,
    Given,
    X,
    Y,
    best,
    keep,
    routing,
    scores,
    tree,
)
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    validation_curve,
)

from biasamp_adapters.sklearn import amplification_scorer

GRID = {"tree__max_depth": DEPTHS}
RAISE: dict[str, Any] = {"cv": SPLITS, "error_score": "raise"}


def _folds(search: Any, key: str = "score") -> np.ndarray:
    """Scores of shape (candidates, folds)."""
    results = search.cv_results_
    return np.column_stack([results[f"split{fold}_test_{key}"] for fold in range(3)])


def _grid(model: Any, given: Given, scorer: Any, **options: Any) -> np.ndarray:
    search = GridSearchCV(model, GRID, scoring=scorer, **RAISE, **options)
    return _folds(search.fit(given.X, given.y, **given.metadata))


def _halving(model: Any, given: Given, scorer: Any) -> np.ndarray:
    # 60 rows for three candidates, then 180 for the better one.
    search = HalvingGridSearchCV(
        model, GRID, scoring=scorer, min_resources=60, random_state=0, **RAISE
    )
    return _folds(search.fit(given.X, given.y, **given.metadata))


def _random(model: Any, given: Given, scorer: Any) -> np.ndarray:
    search = RandomizedSearchCV(model, GRID, n_iter=2, random_state=0, scoring=scorer, **RAISE)
    return _folds(search.fit(given.X, given.y, **given.metadata))


def _several(model: Any, given: Given, scorer: Any) -> np.ndarray:
    scoring = {"accuracy": "accuracy", "amplification": scorer}
    search = GridSearchCV(model, GRID, scoring=scoring, refit="amplification", **RAISE)
    search.fit(given.X, given.y, **given.metadata)
    return np.append(_folds(search, "amplification"), [search.best_params_["tree__max_depth"]])


def _nested(model: Any, given: Given, scorer: Any) -> np.ndarray:
    search = GridSearchCV(model, GRID, scoring=scorer, cv=KFold(3), error_score="raise")
    params = given.metadata or None
    found = cross_validate(search, given.X, given.y, scoring=scorer, params=params, **RAISE)
    return found["test_score"]


def _validated(model: Any, given: Given, scorer: Any) -> np.ndarray:
    params = given.metadata or None
    return cross_val_score(model, given.X, given.y, scoring=scorer, params=params, **RAISE)


def _learnt(model: Any, given: Given, scorer: Any) -> np.ndarray:
    curve = {"train_sizes": [0.5, 1.0], "scoring": scorer, "params": given.metadata or None}
    return learning_curve(model, given.X, given.y, **curve, **RAISE)[2]


def _parameters(model: Any, given: Given, scorer: Any) -> np.ndarray:
    curve = {"param_name": "tree__max_depth", "param_range": DEPTHS, "scoring": scorer}
    curve["params"] = given.metadata or None
    return validation_curve(model, given.X, given.y, **curve, **RAISE)[1]


#: What selects models, and how many scores it gives.
HOSTS: dict[str, tuple[Callable[..., np.ndarray], int]] = {
    "GridSearchCV": (_grid, 9),
    "HalvingGridSearchCV": (_halving, 12),
    "RandomizedSearchCV": (_random, 6),
    "several scorers": (_several, 10),
    "nested search": (_nested, 3),
    "cross_val_score": (_validated, 3),
    "learning_curve": (_learnt, 6),
    "validation_curve": (_parameters, 9),
}


@cache
def run(name: str, way: str, enabled: bool, **options: Any) -> np.ndarray:
    """Scores of a host, of the pipeline that keeps the features alone; many tests read them."""
    given = WAYS[way]()
    scorer = amplification_scorer(SIGNED, sensitive_features=given.place)
    with routing(enabled):
        return HOSTS[name][0](keep(given.features), given, scorer, **options)


@pytest.mark.parametrize("way", [way for way in WAYS if way != "metadata"])
@pytest.mark.parametrize("name", HOSTS)
def test_scores_do_not_depend_on_where_the_attribute_is(name: str, way: str) -> None:
    metadata = run(name, "metadata", True)
    assert metadata.size == HOSTS[name][1]
    assert len(np.unique(metadata)) > 2
    assert np.array_equal(run(name, way, False), metadata)


@pytest.mark.parametrize("way", ["level", "column of pandas"])
@pytest.mark.parametrize("name", HOSTS)
def test_a_place_is_read_with_metadata_routing_too(name: str, way: str) -> None:
    assert np.array_equal(run(name, way, True), run(name, way, False))


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_a_grid_is_searched_for_the_least_amplification(metric: Any) -> None:
    with routing():
        search = GridSearchCV(
            TREE, {"max_depth": DEPTHS}, scoring=amplification_scorer(metric), **RAISE
        ).fit(X, Y, sensitive_features=GROUP)
        again = search.score(X, Y, sensitive_features=GROUP)
    assert _folds(search).tolist() == [scores(metric, tree(depth)) for depth in DEPTHS]
    assert search.best_params_ == {"max_depth": best(metric)}
    said = clone(tree(best(metric))).fit(X, Y).predict(X)
    assert again == -abs(metric(Y, said, sensitive_features=GROUP))


def test_a_random_search_scores_what_it_draws() -> None:
    with routing():
        search = RandomizedSearchCV(
            TREE,
            {"max_depth": DEPTHS},
            n_iter=2,
            random_state=1,
            scoring=amplification_scorer(SIGNED),
            **RAISE,
        ).fit(X, Y, sensitive_features=GROUP)
    drawn = [params["max_depth"] for params in search.cv_results_["params"]]
    assert len(drawn) == 2
    assert _folds(search).tolist() == [scores(SIGNED, tree(depth)) for depth in drawn]


def test_a_halving_search_scores_all_rows_in_the_end() -> None:
    with routing():
        search = HalvingGridSearchCV(
            TREE,
            {"max_depth": DEPTHS},
            scoring=amplification_scorer(SIGNED),
            min_resources=240,
            random_state=0,
            **RAISE,
        ).fit(X, Y, sensitive_features=GROUP)
    expected = [scores(SIGNED, tree(depth)) for depth in DEPTHS]
    assert search.n_resources_ == [240]
    assert _folds(search).tolist() == expected


@pytest.mark.parametrize("objective", ["signed", "absolute"])
def test_several_scorers_and_which_of_them_refits(objective: Any) -> None:
    scoring = {"accuracy": "accuracy"}
    scoring |= {"amplification": amplification_scorer(SIGNED, objective=objective)}
    expected = [scores(SIGNED, tree(depth), objective) for depth in DEPTHS]
    right = [cross_val_score(tree(depth), X, Y, cv=SPLITS).tolist() for depth in DEPTHS]
    for refit, of in (("accuracy", right), ("amplification", expected)):
        with routing():
            search = GridSearchCV(
                TREE, {"max_depth": DEPTHS}, scoring=scoring, refit=refit, **RAISE
            ).fit(X, Y, sensitive_features=GROUP)
        assert _folds(search, "amplification").tolist() == expected
        assert _folds(search, "accuracy").tolist() == right
        assert search.best_params_ == {"max_depth": DEPTHS[int(np.argmax(np.mean(of, axis=1)))]}


def test_a_nested_search_by_hand() -> None:
    expected = []
    for train, test in SPLITS:
        inner = [(train[fit], train[score]) for fit, score in KFold(3).split(train)]
        depth = best(SIGNED, splits=inner)
        expected += scores(SIGNED, tree(depth), splits=[(train, test)])
    assert run("nested search", "metadata", True).tolist() == expected


def test_a_learning_curve_by_hand() -> None:
    halves = [(train[: len(train) // 2], test) for train, test in SPLITS]
    found = run("learning_curve", "metadata", True)
    assert found.tolist() == [scores(SIGNED, splits=halves), scores(SIGNED)]


@pytest.mark.parametrize("way", ["metadata", "level"])
def test_features_are_selected_one_by_one(way: str) -> None:
    given = WAYS[way]()
    with routing(way == "metadata"):
        selector = SequentialFeatureSelector(
            TREE,
            scoring=amplification_scorer(SIGNED, sensitive_features=given.place),
            n_features_to_select=1,
            cv=SPLITS,
        ).fit(X[["z", "v", "u"]], given.y, **given.metadata)
    means = [np.mean(scores(SIGNED, keep([name]))) for name in ("z", "v", "u")]
    assert selector.get_support().tolist() == [mean == max(means) for mean in means]
    assert np.argmax(means) != 0  # what the first would be if all scores were the same


def test_two_processes_score_as_one_does() -> None:
    two = run("GridSearchCV", "column of polars", False, n_jobs=2)
    assert np.array_equal(two, run("GridSearchCV", "metadata", True))


def test_searches_are_cloned_and_pickled() -> None:
    with routing():
        scoring = {"accuracy": "accuracy", "amplification": amplification_scorer(SIGNED)}
        search = GridSearchCV(
            TREE, {"max_depth": DEPTHS}, scoring=scoring, refit="amplification", **RAISE
        )
        twins = [one.fit(X, Y, sensitive_features=GROUP) for one in (clone(search), search)]
        twins.append(pickle.loads(pickle.dumps(search)))
        again = [one.score(X, Y, sensitive_features=GROUP) for one in twins]
    assert [_folds(one, "amplification").tolist() for one in twins] == [
        [scores(SIGNED, tree(depth)) for depth in DEPTHS]
    ] * 3
    said = tree(best(SIGNED)).fit(X, Y).predict(X)
    assert again == [-abs(SIGNED(Y, said, sensitive_features=GROUP))] * 3


def test_an_index_with_several_levels_is_read_by_name() -> None:
    index = pd.MultiIndex.from_arrays([GROUP[::-1], GROUP], names=["other", "group"])
    scorer = amplification_scorer(SIGNED, sensitive_features="group")
    found = cross_val_score(TREE, X, pd.Series(Y, index), scoring=scorer, **RAISE)
    assert found.tolist() == scores(SIGNED)
