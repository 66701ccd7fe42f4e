"""MostAccurateWithin as refit= of real searches, where accuracy is traded against bias."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from search_cases import routing
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import DirectionalBiasAmplification
from biasamp_adapters.sklearn import MostAccurateWithin, amplification_scorer

N = 600
DEPTHS = [1, 4, 8, None]


def drawn() -> tuple[np.ndarray, pd.Series]:
    """The group and noise; of a group 70 % are positive, of the other 30 %.

    The best a tree can do is to say the group: 70 % are right, and all of one group and none of the
    other positive. A tree that learns the noise by heart is right in 58 %, and keeps the rates.
    """
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, N)
    task = (rng.random(N) < np.where(group == 1, 0.7, 0.3)).astype(int)
    return np.c_[group, rng.normal(size=(N, 3))], pd.Series(task, pd.Index(group, name="group"))


X, Y = drawn()
GROUP = Y.index.to_numpy()
METRIC = DirectionalBiasAmplification(reference=(Y, GROUP))
TREE = DecisionTreeClassifier(random_state=0)


def search(bound: float, *, by_name: bool = True, kind: Any = GridSearchCV, **options: Any) -> Any:
    """A search for the most accurate tree within a bound."""
    place = "group" if by_name else None
    return kind(
        TREE,
        options.pop("grid", {"max_depth": DEPTHS}),
        scoring={
            "accuracy": "accuracy",
            "amplification": amplification_scorer(METRIC, sensitive_features=place),
        },
        refit=MostAccurateWithin(bound=bound, **{"judged": "low"} | options.pop("rule", {})),
        cv=KFold(5),
        error_score="raise",
        **options,
    )


def ends(results: dict[str, Any], confidence: float = 0.95) -> np.ndarray:
    """The lower end of the t interval for the mean amplification of each candidate."""
    folds = -np.column_stack([results[f"split{k}_test_amplification"] for k in range(5)])
    error = folds.std(axis=1, ddof=1) / np.sqrt(5)
    return folds.mean(axis=1) - t.ppf((1 + confidence) / 2, 4) * error


def test_accuracy_is_traded_against_bias() -> None:
    results = search(1).fit(X, Y).cv_results_
    assert np.argmax(results["mean_test_accuracy"]) == 0  # the least deep tree
    assert np.argmax(results["mean_test_amplification"]) == 3  # the deepest
    assert results["mean_test_amplification"][0] == pytest.approx(-0.3, abs=0.05)
    assert results["mean_test_amplification"][3] > -0.1


def test_a_bound_changes_the_pick() -> None:
    picks = [search(bound).fit(X, Y).best_params_["max_depth"] for bound in (0.5, 0.2, 0.12, 0.05)]
    assert picks == [1, 4, 8, None]


@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("bound", [0.5, 0.2, 0.12, 0.05])
def test_the_pick_is_the_most_accurate_within_the_bound(bound: float, confidence: float) -> None:
    found = search(bound, rule={"confidence": confidence}).fit(X, Y)
    low = ends(found.cv_results_, confidence)
    accuracy = np.where(low <= bound, found.cv_results_["mean_test_accuracy"], -1)
    assert found.best_index_ == np.argmax(accuracy)
    chosen = clone(TREE).set_params(max_depth=DEPTHS[found.best_index_])
    assert np.array_equal(found.predict(X), chosen.fit(X, Y).predict(X))


@pytest.mark.parametrize("bound", [0.5, 0.2, 0.12, 0.05])
def test_the_mean_of_what_is_picked_is_within_the_bound(bound: float) -> None:
    found = search(bound, rule={"judged": "mean"})
    results = search(1).fit(X, Y).cv_results_
    mean = -results["mean_test_amplification"]
    if mean.min() > bound:
        with pytest.raises(ValueError, match="no candidate keeps the bound"):
            found.fit(X, Y)
        return
    found.fit(X, Y)
    assert mean[found.best_index_] <= bound
    accuracy = np.where(mean <= bound, results["mean_test_accuracy"], -1)
    assert found.best_index_ == np.argmax(accuracy)


def test_bounds_that_no_tree_keeps() -> None:
    low = ends(search(1).fit(X, Y).cv_results_).min()
    message = f"no candidate keeps the bound of .*: .* lower end, is at least {low:.4g}"
    with pytest.raises(ValueError, match=message):
        search(low - 1e-6).fit(X, Y)
    assert search(low + 1e-6).fit(X, Y)


def test_metadata_routing_gives_the_same_pick() -> None:
    by_name = search(0.12).fit(X, Y)
    with routing():
        routed = search(0.12, by_name=False).fit(X, Y.to_numpy(), sensitive_features=GROUP)
    assert routed.best_index_ == by_name.best_index_
    assert ends(routed.cv_results_).tolist() == ends(by_name.cv_results_).tolist()


def test_two_processes_clones_and_pickles_give_the_same_pick() -> None:
    one = search(0.12).fit(X, Y)
    two = clone(search(0.12, n_jobs=2)).fit(X, Y)
    back = pickle.loads(pickle.dumps(two))
    assert one.best_index_ == two.best_index_ == back.best_index_
    assert back.refit == MostAccurateWithin(bound=0.12, judged="low")
    said = one.refit.explain(one.cv_results_)
    assert said == back.refit.explain(back.cv_results_)
    assert f"candidate {one.best_index_} {one.best_params_}" in said
    assert np.array_equal(one.predict(X), back.predict(X))


def test_a_nested_search_keeps_the_bound_in_each_outer_fold() -> None:
    outer = list(KFold(3).split(X))
    found = cross_validate(
        search(0.12),
        X,
        Y,
        scoring=amplification_scorer(METRIC, objective="signed", sensitive_features="group"),
        cv=outer,
        return_estimator=True,
        error_score="raise",
    )
    expected = []
    for train, test in outer:
        inner = search(0.12).fit(X[train], Y.iloc[train])
        low = ends(inner.cv_results_)
        accuracy = np.where(low <= 0.12, inner.cv_results_["mean_test_accuracy"], -1)
        model = clone(TREE).set_params(max_depth=DEPTHS[int(np.argmax(accuracy))])
        said = model.fit(X[train], Y.iloc[train]).predict(X[test])
        expected.append(-METRIC(Y.iloc[test], said, sensitive_features=GROUP[test]))
    assert found["test_score"].tolist() == expected


def test_a_random_search_and_other_names_of_scores() -> None:
    scoring = {
        "balanced": "balanced_accuracy",
        "bias": amplification_scorer(METRIC, sensitive_features="group"),
        "f1": "f1",
    }
    keys = {"amplification": "bias", "accuracy": "balanced"}
    rule = MostAccurateWithin(bound=0.12, judged="low", **keys)
    found = search(1, kind=RandomizedSearchCV, n_iter=4, random_state=0)
    found.set_params(scoring=scoring, refit=rule).fit(X, Y)
    renamed = {key.replace("bias", "amplification"): of for key, of in found.cv_results_.items()}
    accuracy = np.where(ends(renamed) <= 0.12, renamed["mean_test_balanced"], -1)
    assert found.best_index_ == np.argmax(accuracy)


def test_a_search_with_one_scorer_has_not_both() -> None:
    single = search(0.1).set_params(
        scoring=amplification_scorer(METRIC, sensitive_features="group")
    )
    with pytest.raises(
        ValueError, match=r"scoring must have the key 'accuracy'; received \['score'\]"
    ):
        single.fit(X, Y)
