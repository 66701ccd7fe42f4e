"""sample_weight in searches: it reaches the scorer as it reaches scikit-learn's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from search_cases import (
    DEPTHS,
    GROUP,
    METRICS,
    SIGNED,
    SPLITS,
    TREE,
    VERSION,
    WAYS,
    WEIGHT,
    X,
    Y,
    keep,
    routing,
    scores,
    tree,
)
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate

from biasamp_adapters.sklearn import AmplificationLoss, amplification_scorer

forwarded = pytest.mark.skipif(
    VERSION < (1, 7),
    reason="searches hand weights to scorers, without routing, since scikit-learn 1.7 (its #30743)",
)


def requesting(asks: bool) -> Any:
    """The model with its request for weights; made where requests are allowed."""
    with routing():
        return clone(TREE).set_fit_request(sample_weight=asks)


def searched(model: Any, scoring: Any, way: str, **options: Any) -> GridSearchCV:
    """A search with weights."""
    given = WAYS[way]()
    search = GridSearchCV(
        model, options.pop("grid", {"max_depth": DEPTHS}), scoring=scoring, cv=SPLITS, **options
    )
    return search.set_params(error_score="raise").fit(
        X, given.y, sample_weight=WEIGHT, **given.metadata
    )


def folds(search: GridSearchCV, key: str = "score") -> list[list[float]]:
    """Scores by candidate and fold."""
    results = search.cv_results_
    return np.column_stack([results[f"split{k}_test_{key}"] for k in range(3)]).tolist()


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_weights_are_split_like_rows(metric: Any) -> None:
    with routing():
        found = cross_validate(
            requesting(False),
            X,
            Y,
            scoring=amplification_scorer(metric),
            cv=SPLITS,
            params={"sensitive_features": GROUP, "sample_weight": WEIGHT},
            error_score="raise",
        )
    weighted = scores(metric, sample_weight=WEIGHT)
    assert found["test_score"].tolist() == weighted
    assert weighted != scores(metric)


@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize("way", ["metadata", "level"])
def test_with_routing_the_scorer_always_asks_for_weights(way: str, asks: bool) -> None:
    place = WAYS[way]().place
    with routing():
        scorer = amplification_scorer(SIGNED, sensitive_features=place)
        search = searched(requesting(asks), scorer, way)
    weight = {"fit_weight": WEIGHT if asks else None, "sample_weight": WEIGHT}
    assert folds(search) == [scores(SIGNED, tree(depth), **weight) for depth in DEPTHS]


def test_with_routing_scikit_learn_wants_to_know_whether_the_model_is_weighted() -> None:
    with (
        routing(),
        pytest.raises(UnsetMetadataPassedError, match=r"\[sample_weight\] are passed but"),
    ):
        searched(TREE, amplification_scorer(SIGNED), "metadata")


def test_weights_pass_through_a_pipeline() -> None:
    with routing():
        search = searched(
            keep(list(X.columns), requesting(True)),
            amplification_scorer(SIGNED),
            "metadata",
            grid={"tree__max_depth": DEPTHS},
        )
    weight = {"fit_weight": WEIGHT, "sample_weight": WEIGHT}
    assert folds(search) == [scores(SIGNED, tree(depth), **weight) for depth in DEPTHS]


@forwarded
def test_without_routing_a_search_hands_weights_to_model_and_scorer() -> None:
    scorer = amplification_scorer(SIGNED, sensitive_features="group")
    weight = {"fit_weight": WEIGHT, "sample_weight": WEIGHT}
    expected = [scores(SIGNED, tree(depth), **weight) for depth in DEPTHS]
    assert folds(searched(TREE, scorer, "level")) == expected
    both = searched(TREE, {"amplification": scorer, "f1": "f1"}, "level", refit="f1")
    assert folds(both, "amplification") == expected
    assert expected != [scores(SIGNED, tree(depth), fit_weight=WEIGHT) for depth in DEPTHS]


@pytest.mark.skipif(VERSION >= (1, 7), reason="scikit-learn 1.7 and newer hand weights to scorers")
def test_in_old_versions_without_routing_a_search_keeps_weights_from_scorers() -> None:
    search = searched(TREE, amplification_scorer(SIGNED, sensitive_features="group"), "level")
    assert folds(search) == [scores(SIGNED, tree(depth), fit_weight=WEIGHT) for depth in DEPTHS]


@forwarded
def test_without_routing_a_loss_is_weighted_in_a_search() -> None:
    loss = AmplificationLoss(SIGNED, sensitive_features="group")
    search = searched(TREE, make_scorer(loss, greater_is_better=False), "level")
    weight = {"fit_weight": WEIGHT, "sample_weight": WEIGHT}
    assert folds(search) == [scores(SIGNED, tree(depth), **weight) for depth in DEPTHS]


def test_without_routing_cross_validation_hands_weights_to_the_model_alone() -> None:
    given = WAYS["level"]()
    found = cross_val_score(
        TREE,
        X,
        given.y,
        scoring=amplification_scorer(SIGNED, sensitive_features="group"),
        cv=SPLITS,
        params={"sample_weight": WEIGHT},
        error_score="raise",
    )
    assert found.tolist() == scores(SIGNED, fit_weight=WEIGHT)


#: Without draws, whose number is that of the rows.
EXACT = [metric for metric in METRICS if getattr(metric, "equalize", "expected") == "expected"]


@pytest.mark.parametrize("metric", EXACT, ids=repr)
def test_weights_are_repeated_rows(metric: Any) -> None:
    model = clone(TREE).fit(X, Y)
    rows = np.repeat(np.arange(len(Y)), WEIGHT)
    scorer = amplification_scorer(metric)
    weighted = scorer(model, X, Y, sensitive_features=GROUP, sample_weight=WEIGHT)
    repeated = scorer(model, X.iloc[rows], Y[rows], sensitive_features=GROUP[rows])
    assert weighted == pytest.approx(repeated, abs=1e-12)
    assert weighted != pytest.approx(scorer(model, X, Y, sensitive_features=GROUP), abs=1e-6)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (WEIGHT[:-1], "sample_weight must have a row for each row of the fold; received 239 for"),
        (
            np.ones((240, 1)),
            r"sample_weight must have one dimension; received the shape \(240, 1\)",
        ),
        (-WEIGHT, r"sample_weight must be finite and not negative; received -\d\.0 in 240 row"),
        (0 * WEIGHT, "weights must have a positive sum; received only zeros"),
    ],
    ids=["short", "a matrix", "negative", "zero"],
)
def test_what_are_no_weights(weight: Any, message: str) -> None:
    model = clone(TREE).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        amplification_scorer(SIGNED)(model, X, Y, sensitive_features=GROUP, sample_weight=weight)
