"""Scorers and the rule for refit in real searches, on COMPAS."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam
from biasamp_adapters.sklearn import MostAccurateWithin, amplification_scorer

BY_RACE = {"sensitive_features": "race"}
DEPTHS = {"decisiontreeclassifier__max_depth": range(1, 6)}


@pytest.fixture(scope="module")
def compas():
    table = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
    X = table[["race", "sex", "age_cat", "priors_cat", "c_charge_degree"]]
    return X, table["two_year_recid"], table["race"]


def pipeline(X, model):
    return make_pipeline(make_column_transformer((OneHotEncoder(), list(X.columns[1:]))), model)


def test_search_by_level_and_by_routing_picks_the_same_candidate(compas) -> None:
    X, y, race = compas
    model = pipeline(X, DecisionTreeClassifier(random_state=0))
    rule = MostAccurateWithin(bound=0.02)
    options = {"refit": rule, "error_score": "raise", "n_jobs": 2}
    scorer = amplification_scorer(sensitive_features="race", reference=(y, race))
    scoring = {"accuracy": "accuracy", "amplification": scorer}
    search = GridSearchCV(model, DEPTHS, scoring=scoring, **options).fit(X, y.set_axis(race))
    assert rule.explain(search.cv_results_).startswith(
        "1 of 5 candidates keeps the bound: the mean of amplification is at most 0.02."
    )
    with sklearn.config_context(enable_metadata_routing=True):
        scoring["amplification"] = amplification_scorer(reference=(y, race))
        routed = GridSearchCV(model, DEPTHS, scoring=scoring, **options)
        routed.fit(X, y, sensitive_features=race)
    assert routed.best_params_ == search.best_params_
    amplification = (x.cv_results_["mean_test_amplification"] for x in (search, routed))
    np.testing.assert_allclose(*amplification, atol=1e-12)
    report = bam.AuditReport.from_estimator(search, X, y, sensitive_features="race", n_boot=0)
    ba = bam.directional_bias_amplification(y, search.predict(X), sensitive_features=race)
    assert report.to_frame().set_index("key")["value"]["ba_a_to_t"] == pytest.approx(ba)
    assert len(report.summary["data"]["scores"]) == 1  # Of predict_proba.


def test_scorer_of_a_constant_is_minus_half_of_the_gap_in_the_labels(compas) -> None:
    X, y, race = compas
    score = amplification_scorer(sensitive_features="race", reference=(y, race))
    rates = y.groupby(race).mean()
    half = (rates["African-American"] - rates["Caucasian"]) / 2
    model = DummyClassifier().fit(X, y)
    assert score(model, X, y.set_axis(race)) == pytest.approx(-half, abs=1e-12)
    assert pickle.loads(pickle.dumps(score))(model, X, y.set_axis(race)) == pytest.approx(-half)
    assert clone(model) is not model
    with pytest.raises(ValueError, match=r"no level 'race'. Write y.set_axis\(pd.Index\(race, n"):
        score(model, X, y)
    with pytest.raises(ValueError, match=r"y_pred must hold predicted classes; received 0\."):
        score(pipeline(X, LinearRegression()).fit(X, y), X, y.set_axis(race))


@pytest.mark.parametrize("metric", ["MALS", "Multi", "LA", "DPA", bam.LeakageAmplification()])
def test_scorer_of_each_metric_scores_minus_its_size(compas, metric) -> None:
    X, y, race = compas
    reference = (y, race) if metric == "MALS" else None
    score = amplification_scorer(metric, sensitive_features="race", reference=reference)
    model = pipeline(X, LogisticRegression()).fit(X, y)
    name = metric if isinstance(metric, str) else metric.name
    models = {"a": model.predict(X), "b": y}
    compared = bam.compare(y, models, metric=name, sensitive_features=race, n_boot=0)
    value = compared.frame["value"][0]
    assert score(model, X, y.set_axis(race)) == pytest.approx(-abs(value), abs=1e-12)


def test_scorer_works_in_halving_nested_and_tuned_searches(compas) -> None:
    X, y, race = compas
    X, y, race = X[:1500], y[:1500], race[:1500]
    score = amplification_scorer(sensitive_features="race", reference=(y, race))
    indexed = y.set_axis(race)
    tree = pipeline(X, DecisionTreeClassifier(random_state=0))
    options = {"scoring": score, "cv": 2, "error_score": "raise"}
    halving = HalvingGridSearchCV(tree, DEPTHS, random_state=0, **options)
    assert halving.fit(X, indexed).best_score_ <= 0
    inner = GridSearchCV(tree, DEPTHS, **options)
    assert (cross_val_score(inner, X, indexed, **options) <= 0).all()
    tuned = TunedThresholdClassifierCV(pipeline(X, LogisticRegression()), scoring=score, cv=2)
    assert -0.02 < tuned.fit(X, indexed).best_score_ <= 0


class Counting(DecisionTreeClassifier):
    n_predictions = 0

    def predict(self, X, check_input=True):
        Counting.n_predictions += 1
        return super().predict(X, check_input)


def test_search_with_four_scorers_predicts_once_per_fold(compas) -> None:
    X, y, race = compas
    X = pd.get_dummies(X[["sex", "age_cat"]])
    options = {"sensitive_features": "race", "reference": (y, race)}
    scoring = {name: amplification_scorer(name, **options) for name in ("BA", "MALS")}
    scoring |= {"LA": amplification_scorer("LA", **BY_RACE), "accuracy": "accuracy"}
    Counting.n_predictions = 0
    grid = {"max_depth": range(1, 5)}
    search = GridSearchCV(Counting(), grid, scoring=scoring, refit=False, error_score="raise")
    search.fit(X, y.set_axis(race))
    assert Counting.n_predictions == 4 * 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sensitive_features": ["a"], "reference": "evaluated"}, "level of y's index; received"),
        ({"reference": ([0, 1], [*"ab"])}, r"y's index .*=\"race\"\), or enable metadata routing"),
        (BY_RACE, r"BA needs reference=\(y_train, .*, or reference='evalua"),
        (BY_RACE | {"reference": "all"}, "reference must be 'evaluated'"),
        (BY_RACE | {"reference": [1, 0, 1]}, "reference must be a pair"),
        (BY_RACE | {"reference": pd.DataFrame({"race": [0, 1]})}, "pair, .* received a DataFrame"),
        (BY_RACE | {"reference": ([0, 1], ["a"])}, "^reference: .* y_true 2, sensitive_features 1"),
        (BY_RACE | {"metric": "BA T->A"}, "must read predicted classes"),
        (BY_RACE | {"metric": "XY"}, "unknown metric 'XY'. The metrics are "),
    ],
)
def test_scorer_that_cannot_work_is_refused_at_once(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        amplification_scorer(**options)


def test_scorer_with_routing_names_what_was_not_passed_on(compas) -> None:
    X, y, race = compas
    with sklearn.config_context(enable_metadata_routing=True):
        score = amplification_scorer(reference=(y, race))
        with pytest.raises(ValueError, match=r"search.fit\(X, y, sensitive_features=race\)"):
            score(DummyClassifier().fit(X, y), X, y)


@pytest.mark.parametrize(
    ("rule", "picked"),
    [
        # Means .11, .06 and .0133; Student's t reaches .0248, .0497 and .0143 to either side.
        ({"bound": 0.05}, 2),
        ({"bound": 0.07}, 1),
        ({"bound": 0.05, "judged": "low"}, 1),
        ({"bound": 0.10, "judged": "high"}, 2),
        ({"bound": 0.12}, 0),
    ],
)
def test_rule_picks_the_most_accurate_candidate_within_the_bound(rule, picked) -> None:
    results = {
        "mean_test_accuracy": [0.80, 0.75, 0.70],
        "split0_test_amplification": [-0.10, -0.04, -0.01],
        "split1_test_amplification": [-0.11, -0.06, -0.02],
        "split2_test_amplification": [-0.12, -0.08, -0.01],
    }
    assert MostAccurateWithin(**rule)(results) == picked


@pytest.mark.parametrize(
    ("rule", "results", "message"),
    [
        ({"bound": 0.001}, {}, r"bound of 0.001: the mean of .*: refit=False, then MostAccurateW"),
        ({"bound": 0.1, "accuracy": "f1"}, {}, r"key 'f1'; .*, or name another: accuracy="),
        ({"bound": 0.1}, {"mean_test_accuracy": [np.nan, 1]}, "scores must not be NaN; received 1"),
        # A metric with a sign, of make_scorer.
        ({"bound": 0.1}, {"split0_test_amplification": [0.05, -0.2]}, r"size, .*; received 0\.05"),
        ({"bound": np.nan}, {}, "bound must be a number from 0 on; received nan"),
        ({"bound": -1}, {}, "bound must be a number from 0 on; received -1"),
        ({"bound": True}, {}, "bound must be a number from 0 on; received True"),
        ({"bound": "2pt"}, {}, "a number from 0 on; received '2pt'"),
        ({"bound": 0.1, "judged": "end"}, {}, "judged must be 'low' or 'mean' or 'high'"),
        ({"bound": 0.1, "judged": "low"}, {}, "folds for judged='low' must be .* from 2 on; rec"),
    ],
)
def test_rule_bad_input_raises(rule, results, message) -> None:
    good = {"mean_test_accuracy": [0.8, 0.7], "split0_test_amplification": [-0.1, -0.2]}
    with pytest.raises(ValueError, match=message):
        MostAccurateWithin(**rule)(good | results)


def test_rule_explain_of_a_search_names_what_it_reads() -> None:
    search = GridSearchCV(DummyClassifier(), {})
    with pytest.raises(ValueError, match=r"must be search\.cv_results_; received a GridS"):
        MostAccurateWithin(0.1).explain(search)
