"""One scorer of several metrics gives the scores of single scorers, from one prediction."""

from __future__ import annotations

import pickle
from functools import wraps
from typing import Any

import numpy as np
import pytest
from search_cases import (
    DEPTHS,
    GROUP,
    METRICS,
    OF_ATTRIBUTES,
    REFERENCE,
    SIGNED,
    SPLITS,
    TREE,
    WAYS,
    WEIGHT,
    X,
    Y,
    keep,
    routing,
)
from sklearn.base import clone
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import (
    MALS,
    AmplificationWarning,
    DirectionalBiasAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.sklearn import (
    MostAccurateWithin,
    amplification_scorer,
    amplification_scorers,
)

NAMED = {str(i): metric for i, metric in enumerate(METRICS)}
SCORES = {"accuracy": "accuracy", "loss": "neg_log_loss", "area": "roc_auc"}


GRID = {"tree__max_depth": DEPTHS}
RAISE: dict[str, Any] = {"cv": SPLITS, "error_score": "raise"}


@pytest.mark.parametrize("weights", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("objective", ["absolute", "signed"])
def test_scores_are_those_of_single_scorers(objective: Any, weights: Any) -> None:
    fitted = clone(TREE).fit(X, Y)
    metadata = {"sensitive_features": GROUP, "sample_weight": weights}
    several = amplification_scorers(NAMED, others=SCORES, objective=objective)
    scores = several(fitted, X, Y, **metadata)
    assert [*scores] == [*NAMED, *SCORES]
    for name, metric in NAMED.items():
        single = amplification_scorer(metric, objective=objective)
        assert scores[name] == single(fitted, X, Y, **metadata)
    for name, scorer in SCORES.items():
        assert scores[name] == get_scorer(scorer)(fitted, X, Y, sample_weight=weights)


def test_an_estimator_of_the_attribute_is_scored_in_all_metrics() -> None:
    fitted = clone(TREE).fit(X, GROUP)
    metrics = {metric.title: metric for metric in OF_ATTRIBUTES}
    scores = amplification_scorers(metrics, predicts="attribute")(fitted, X, GROUP, task=Y)
    for name, metric in metrics.items():
        single = amplification_scorer(metric, predicts="attribute")
        assert scores[name] == single(fitted, X, GROUP, task=Y)


@pytest.mark.parametrize("way", WAYS)
def test_searches_find_the_attribute_in_each_place(way: str) -> None:
    given = WAYS[way]()
    place = {"sensitive_features": given.place}
    several = amplification_scorers({"ba": SIGNED}, others={"accuracy": "accuracy"}, **place)
    dictionary = {"ba": amplification_scorer(SIGNED, **place), "accuracy": "accuracy"}
    tables = []
    for scoring in (several, dictionary):
        with routing(way == "metadata"):
            search = GridSearchCV(keep(given.features), GRID, scoring=scoring, refit="ba", **RAISE)
            tables.append(search.fit(given.X, given.y, **given.metadata).cv_results_)
    for key in ("mean_test_ba", "mean_test_accuracy", "rank_test_ba"):
        assert tables[0][key].tolist() == tables[1][key].tolist()


def test_a_search_asks_each_fitted_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for name in ("predict", "predict_proba"):
        respond = getattr(DecisionTreeClassifier, name)

        @wraps(respond)
        def counted(self: Any, X: Any, respond: Any = respond) -> Any:  # noqa: N803
            asked.append(respond.__name__)
            return respond(self, X)

        monkeypatch.setattr(DecisionTreeClassifier, name, counted)
    scoring = amplification_scorers(NAMED, others=SCORES)
    search = GridSearchCV(TREE, {"max_depth": DEPTHS}, scoring=scoring, refit=False, **RAISE)
    with routing():
        search.fit(X, Y, sensitive_features=GROUP)
    # Three candidates in three folds; the loss and the area share the probabilities.
    assert sorted(asked) == ["predict"] * 9 + ["predict_proba"] * 9


def test_routed_weights_reach_the_scorers_that_request_them() -> None:
    fitted = clone(TREE).fit(X, Y)
    metadata = {"sensitive_features": GROUP, "sample_weight": WEIGHT}
    with routing():
        accuracy = make_scorer(accuracy_score)
        others = {
            "with": make_scorer(accuracy_score).set_score_request(sample_weight=True),
            "without": accuracy.set_score_request(sample_weight=False),
        }
        scores = amplification_scorers({"ba": SIGNED}, others=others)(fitted, X, Y, **metadata)
    right = fitted.predict(X) == Y
    assert scores["with"] == pytest.approx(np.average(right, weights=WEIGHT), abs=1e-15)
    assert scores["without"] == right.mean()
    assert scores["ba"] == amplification_scorer(SIGNED)(fitted, X, Y, **metadata)


def test_a_scorer_that_takes_no_weights_gets_none() -> None:
    def share(estimator: Any, X: Any, y: Any) -> float:  # noqa: N803
        return float(estimator.predict(X).mean())

    fitted = clone(TREE).fit(X, Y)
    scorer = amplification_scorers({"ba": SIGNED}, others={"share": share})
    scores = scorer(fitted, X, Y, sensitive_features=GROUP, sample_weight=WEIGHT)
    assert scores["share"] == fitted.predict(X).mean()


def test_a_bound_chooses_by_its_scores() -> None:
    metrics = {"amplification": SIGNED, "mals": MALS(reference=REFERENCE)}
    scoring = amplification_scorers(metrics, others={"accuracy": "accuracy"})
    refit = MostAccurateWithin(bound=1.0)
    search = GridSearchCV(TREE, {"max_depth": DEPTHS}, scoring=scoring, refit=refit, **RAISE)
    with routing():
        search.fit(X, Y, sensitive_features=GROUP)
    means = search.cv_results_["mean_test_accuracy"]
    assert search.best_index_ == int(np.argmax(means))


def test_an_undefined_metric_is_an_error_or_a_score() -> None:
    metrics = {"ba": SIGNED, "multi": MultiAttributeBiasAmplification()}
    fitted, one_group = clone(TREE).fit(X, Y), GROUP == "a"
    fold = X[one_group], Y[one_group]
    rows = {"sensitive_features": GROUP[one_group]}
    with pytest.raises(ValueError, match="at least two groups"):
        amplification_scorers({"multi": metrics["multi"]})(fitted, *fold, **rows)
    scorer = amplification_scorers(metrics, others={"accuracy": "accuracy"}, error_score=-9.0)
    with (
        pytest.warns(AmplificationWarning, match="multi: .*at least two groups.*score is -9"),
        pytest.warns(AmplificationWarning, match="2 of 4 pairs are undefined"),
    ):
        scores = scorer(fitted, *fold, **rows)
    with pytest.warns(AmplificationWarning, match="2 of 4 pairs are undefined"):
        # Inside a group, BA A->T with a reference is the contribution of the group.
        assert scores["ba"] == amplification_scorer(SIGNED)(fitted, *fold, **rows)
    assert scores["multi"] == -9.0
    assert scores["accuracy"] == fitted.score(*fold)


def test_other_scorers_cannot_change_what_a_model_said() -> None:
    def median(y_true: Any, y_pred: Any) -> float:
        y_pred.sort()
        return float(y_pred[len(y_pred) // 2])

    fitted = clone(TREE).fit(X, Y)
    others = {"median": make_scorer(median), "accuracy": "accuracy"}
    scorer = amplification_scorers({"ba": SIGNED}, others=others)
    scores = scorer(fitted, X, Y, sensitive_features=GROUP)
    assert scores["accuracy"] == fitted.score(X, Y)


def test_a_scorer_of_ones_own_gets_the_model() -> None:
    def depth(estimator: Any, X: Any, y: Any) -> float:  # noqa: N803
        return float(isinstance(estimator, DecisionTreeClassifier) and estimator.get_depth())

    scorer = amplification_scorers({"ba": SIGNED}, others={"self": depth})
    fitted = clone(TREE).fit(X, Y)
    for enabled in (False, True):
        with routing(enabled):
            assert scorer(fitted, X, Y, sensitive_features=GROUP)["self"] == 2.0


def test_copies_give_the_same_scores() -> None:
    fitted = clone(TREE).fit(X, Y)
    scorer = amplification_scorers(NAMED, others=SCORES)
    scores = scorer(fitted, X, Y, sensitive_features=GROUP)
    for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert copy(fitted, X, Y, sensitive_features=GROUP) == scores


@pytest.mark.parametrize(
    ("metrics", "options", "message"),
    [
        ({}, {}, r"metrics must be a mapping .* at least one; received \{\}"),
        ([SIGNED], {}, r"metrics must be a mapping .* received \["),
        ({"ba": SIGNED}, {"others": {"f": SIGNED}}, "scorers of one number; received .* for 'f'"),
        ({"ba": SIGNED}, {"error_score": "nan"}, "error_score must be 'raise' or a number"),
        ({1: SIGNED}, {}, "names of scores must be strings; received 1"),
        (
            {"accuracy": SIGNED},
            {"others": {"accuracy": "accuracy"}},
            r"scores must have different names; received \['accuracy'\] twice",
        ),
        ({"ba": "ba"}, {}, "metric must be a metric object of biasamp_adapters"),
        ({"ba": DirectionalBiasAmplification()}, {}, "must have a reference"),
    ],
)
def test_bad_input_is_refused(metrics: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        amplification_scorers(metrics, **options)


def test_unknown_metadata_are_refused() -> None:
    scorer = amplification_scorers({"ba": SIGNED})
    with pytest.raises(ValueError, match=r"received \['colour'\]"):
        scorer(clone(TREE).fit(X, Y), X, Y, sensitive_features=GROUP, colour=GROUP)
