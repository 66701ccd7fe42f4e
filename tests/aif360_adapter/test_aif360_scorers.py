"""Scorers made of the functions, in scikit-learn's own searches and cross-validation."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

import biasamp_adapters.aif360 as baa

# isort: split
from aif360.sklearn.metrics import disparate_impact_ratio, statistical_parity_difference
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import MALS

A_TO_T: list[tuple[Any, dict[str, Any]]] = [
    (baa.mals_bias_amplification, {"pos_label": "yes"}),
    (baa.directional_bias_amplification, {}),
    (baa.multi_attribute_bias_amplification, {"direction": "undirected"}),
    (baa.leakage_amplification, {"equalize": "expected"}),
    (baa.directional_predictability_amplification, {"quality": "accuracy"}),
]
every_function = pytest.mark.parametrize(
    ("function", "parameters"), A_TO_T, ids=[function.__name__ for function, _ in A_TO_T]
)


def drawn() -> tuple[np.ndarray, pd.Series]:
    """Two noisy features of 150 rows, and the task with sex and region in its index."""
    rng = np.random.default_rng(0)
    sex = np.array(["female", "male"], dtype=object)[rng.integers(0, 2, 150)]
    region = np.array(["n", "s"], dtype=object)[rng.integers(0, 2, 150)]
    task = rng.random(150) < np.where(sex == "male", 0.6, 0.4)
    features = np.c_[task, sex == "male"] + rng.normal(size=(150, 2))
    index = pd.MultiIndex.from_arrays([sex, region], names=["sex", "region"])
    return features, pd.Series(np.where(task, "yes", "no").astype(object), index=index)


X, Y = drawn()
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
SPLITS = list(KFold(3).split(X))


def by_hand(function: Any, estimator: Any, **options: Any) -> list[float]:
    """The function on each test fold, of an estimator fitted on the rest."""
    return [
        function(
            Y.iloc[test],
            clone(estimator).fit(X[train], Y.iloc[train]).predict(X[test]),
            **options,
        )
        for train, test in SPLITS
    ]


@every_function
@pytest.mark.parametrize("attribute", ["sex", ["sex", "region"]], ids=["one", "crossed"])
def test_cross_validation_scores_minus_the_value(
    function: Any, parameters: dict[str, Any], attribute: Any
) -> None:
    options = {"prot_attr": attribute, **parameters}
    scorer = baa.make_scorer(function, **options)
    found = cross_validate(TREE, X, Y, scoring=scorer, cv=SPLITS, error_score="raise")
    expected = by_hand(function, TREE, **options)
    assert found["test_score"].tolist() == [-value for value in expected]
    assert len(set(expected)) > 1


@pytest.mark.parametrize("objective", ["signed", "absolute"])
def test_a_grid_is_searched(objective: Any) -> None:
    function, depths = baa.directional_bias_amplification, [1, 2, 5]
    search = GridSearchCV(
        TREE,
        {"max_depth": depths},
        scoring=baa.make_scorer(function, objective=objective, prot_attr="sex"),
        cv=SPLITS,
        error_score="raise",
    ).fit(X, Y)
    size = abs if objective == "absolute" else float
    means = [
        float(np.mean([size(value) for value in by_hand(function, tree, prot_attr="sex")]))
        for tree in (clone(TREE).set_params(max_depth=depth) for depth in depths)
    ]
    found = search.cv_results_["mean_test_score"].tolist()
    assert found == pytest.approx([-mean for mean in means], abs=1e-12)
    assert search.best_params_ == {"max_depth": depths[int(np.argmin(means))]}


class Always(ClassifierMixin, BaseEstimator):
    """Says "yes" to a share of the men, and to the other women."""

    def __init__(self, share: float = 0.5) -> None:
        self.share = share

    def fit(self, X: Any, y: Any) -> Always:  # noqa: N803  # scikit-learn's name
        """Nothing to learn."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        """By the two columns: whether a man, and a number from 0 to 1."""
        yes = np.where(X[:, 0] == 1, X[:, 1] < self.share, X[:, 1] >= self.share)
        return np.where(yes, "yes", "no")


def shares() -> tuple[np.ndarray, pd.Series]:
    """Of 10 men 7 and of 10 women 3 are "yes", a row a tenth."""
    tenths = np.tile(np.arange(10) / 10 + 0.05, 2)
    men = np.repeat([1, 0], 10)
    task = np.where(men == 1, tenths < 0.7, tenths >= 0.7)
    index = pd.Index(np.where(men == 1, "male", "female"), name="sex")
    return np.c_[men, tenths], pd.Series(np.where(task, "yes", "no"), index=index)


@pytest.mark.parametrize(
    ("objective", "scores", "best"),
    [
        # P(yes | man) - 7/10, with the correlation, and P(yes | woman) - 3/10, against it.
        ("signed", [0.2, 0.0, -0.2], 0.5),
        ("absolute", [-0.2, 0.0, -0.2], 0.7),
    ],
)
def test_the_sign_is_kept_unless_told_otherwise(
    objective: Any, scores: list[float], best: float
) -> None:
    features, y = shares()
    rows = np.arange(20)
    search = GridSearchCV(
        Always(),
        {"share": [0.5, 0.7, 0.9]},
        scoring=baa.make_scorer(
            baa.directional_bias_amplification, objective=objective, prot_attr="sex"
        ),
        cv=[(rows, rows)],
        error_score="raise",
    ).fit(features, y)
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx(scores, abs=1e-12)
    assert search.best_params_ == {"share": best}


@every_function
@pytest.mark.parametrize("objective", ["signed", "absolute"])
def test_scorers_are_pickled(function: Any, parameters: dict[str, Any], objective: Any) -> None:
    scorer = baa.make_scorer(function, objective=objective, prot_attr="sex", **parameters)
    twin = pickle.loads(pickle.dumps(scorer))
    model = clone(TREE).fit(X, Y)
    assert twin(model, X, Y) == scorer(model, X, Y)
    value = function(Y, model.predict(X), prot_attr="sex", **parameters)
    assert scorer(model, X, Y) == -(abs(value) if objective == "absolute" else value)


@pytest.mark.parametrize("objective", ["signed", "absolute"])
def test_searches_are_cloned(objective: Any) -> None:
    scorer = baa.make_scorer(
        baa.directional_bias_amplification, objective=objective, prot_attr="sex"
    )
    search = GridSearchCV(TREE, {"max_depth": [1, 2]}, scoring=scorer, cv=SPLITS)
    twin = clone(search)
    means = [one.fit(X, Y).cv_results_["mean_test_score"].tolist() for one in (search, twin)]
    assert means[0] == means[1]
    assert np.isfinite(means[0]).all()


def test_several_scorers_in_two_processes() -> None:
    scoring = {
        function.__name__: baa.make_scorer(function, prot_attr="sex", **parameters)
        for function, parameters in A_TO_T
    }
    found = cross_validate(TREE, X, Y, scoring=scoring, cv=SPLITS, n_jobs=2, error_score="raise")
    for function, parameters in A_TO_T:
        expected = by_hand(function, TREE, prot_attr="sex", **parameters)
        scores = found[f"test_{function.__name__}"].tolist()
        assert scores == pytest.approx([-value for value in expected], abs=1e-12)


def test_privileged_groups_and_training_data_are_bound() -> None:
    opposite = Y.map({"yes": "no", "no": "yes"})
    model = clone(TREE).fit(X, Y)
    plain = baa.make_scorer(baa.directional_bias_amplification, prot_attr="sex", priv_group="male")
    bound = baa.make_scorer(
        baa.directional_bias_amplification, prot_attr="sex", priv_group="male", reference=opposite
    )
    assert bound(model, X, Y) == pytest.approx(-plain(model, X, Y), abs=1e-12)
    assert abs(plain(model, X, Y)) > 1e-3


def test_sample_weights_are_passed_on() -> None:
    model = clone(TREE).fit(X, Y)
    weight = np.arange(150) % 4 + 1
    scorer = baa.make_scorer(baa.directional_bias_amplification, prot_attr="sex")
    value = baa.directional_bias_amplification(
        Y, model.predict(X), prot_attr="sex", sample_weight=weight
    )
    assert scorer(model, X, Y, sample_weight=weight) == -value
    assert value != pytest.approx(-scorer(model, X, Y), abs=1e-6)


@pytest.mark.parametrize("objective", ["unsigned", None, "Absolute"])
def test_another_objective(objective: Any) -> None:
    with pytest.raises(ValueError, match=r"objective must be 'signed' or 'absolute'; received"):
        baa.make_scorer(baa.mals_bias_amplification, objective=objective)


@pytest.mark.parametrize(
    ("y", "options", "error", "message"),
    [
        (Y, {"prot_attr": "race"}, ValueError, "prot_attr must name levels of the index"),
        (Y.to_numpy(), {"prot_attr": "sex"}, TypeError, "protected attributes"),
        (Y, {"prot_attr": "sex", "direction": "T->A"}, ValueError, "needs the predicted attribute"),
        (Y, {"prot_attr": "sex", "priv_group": 1}, ValueError, "priv_group must be one of"),
    ],
    ids=["no such level", "no index", "T->A", "no such group"],
)
def test_a_scorer_raises_what_the_function_says(
    y: Any, options: dict[str, Any], error: type, message: str
) -> None:
    scorer = baa.make_scorer(baa.directional_bias_amplification, **options)
    with pytest.raises(error, match=message):
        cross_val_score(TREE, X, y, scoring=scorer, cv=SPLITS, error_score="raise")


@pytest.mark.parametrize("objective", ["signed", "absolute"])
def test_a_partial_of_ours_is_ours(objective: Any) -> None:
    model = clone(TREE).fit(X, Y)
    whole = baa.make_scorer(
        baa.directional_bias_amplification, objective=objective, prot_attr="sex", priv_group="male"
    )
    bound = partial(partial(baa.directional_bias_amplification, prot_attr="sex"), priv_group="male")
    scorer = baa.make_scorer(bound, objective=objective)
    assert scorer(model, X, Y) == whole(model, X, Y)
    assert pickle.loads(pickle.dumps(scorer))(model, X, Y) == whole(model, X, Y)


def _of_the_same_name(*rows: Any, **parameters: Any) -> float:
    return baa.directional_bias_amplification(*rows, **parameters)


_of_the_same_name.__name__ = "directional_bias_amplification"


@pytest.mark.parametrize(
    "function",
    [
        statistical_parity_difference,
        disparate_impact_ratio,
        partial(statistical_parity_difference, prot_attr="sex", priv_group="male"),
        _of_the_same_name,
        MALS(),
    ],
    ids=["difference", "ratio", "partial", "the same name", "metric object"],
)
def test_a_function_of_others_is_refused(function: Any) -> None:
    """Of AIF360's own differences the lowest are the most unfair: a scorer would prefer those."""
    message = (
        r"^score_func must be a function of biasamp_adapters\.aif360.*; received .* "
        r"\(aif360\.sklearn\.metrics\.make_scorer is for AIF360's own functions"
    )
    with pytest.raises(ValueError, match=message):
        baa.make_scorer(function, prot_attr="sex")
