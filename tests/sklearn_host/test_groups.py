"""Classifiers that hand groups on: to thresholds, and to Fairlearn's mitigations."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import DemographicParity, ExponentiatedGradient
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import biasamp_adapters as bam
from biasamp_adapters.sklearn import (
    PrevalenceThresholdClassifier,
    WithSensitiveFeatures,
    amplification_scorer,
)

RNG = np.random.default_rng(0)
GROUP = RNG.integers(0, 2, size=1200)
Y = (RNG.random(1200) < np.where(GROUP == 1, 0.6, 0.3)).astype(int)
TABLE = pd.DataFrame({"u": RNG.normal(size=1200) + 0.8 * Y, "v": GROUP + RNG.normal(size=1200)})
WITH_GROUP = TABLE.assign(group=GROUP)
SAME_ROWS = [(np.arange(1200), np.arange(1200))]


def rates(predicted):
    return [float(np.mean(predicted[group == GROUP])) for group in (0, 1)]


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC()])
def test_threshold_classifier_by_column_or_argument_keeps_the_rates_of_groups(estimator) -> None:
    by_column = PrevalenceThresholdClassifier(estimator, sensitive_features="group", cv=SAME_ROWS)
    by_column.fit(WITH_GROUP, Y)
    by_argument = PrevalenceThresholdClassifier(estimator, cv=SAME_ROWS)
    by_argument.fit(TABLE, Y, sensitive_features=GROUP)
    predicted = by_argument.predict(TABLE, sensitive_features=GROUP)
    assert rates(predicted) == pytest.approx(rates(Y), abs=0.002)  # One row of 600.
    assert np.array_equal(predicted, by_column.predict(WITH_GROUP))
    assert by_column.estimator_.n_features_in_ == 2
    one = PrevalenceThresholdClassifier(estimator).fit(TABLE, Y)
    assert one.predict(TABLE, sensitive_features=GROUP).mean() == pytest.approx(Y.mean(), abs=0.03)


def test_threshold_classifier_of_the_first_class_is_the_reverse() -> None:
    plain = PrevalenceThresholdClassifier(LogisticRegression(), cv=SAME_ROWS).fit(TABLE, Y)
    other = PrevalenceThresholdClassifier(LogisticRegression(), cv=SAME_ROWS, pos_label=0).fit(
        TABLE, Y
    )
    assert np.mean(plain.predict(TABLE) != other.predict(TABLE)) < 0.002


def test_threshold_classifier_decides_each_label_of_a_matrix() -> None:
    labels = np.column_stack([Y, 1 - Y])
    model = PrevalenceThresholdClassifier(OneVsRestClassifier(LogisticRegression()), cv=SAME_ROWS)
    predicted = model.fit(TABLE, labels).predict(TABLE)
    assert predicted.mean(axis=0) == pytest.approx(labels.mean(axis=0), abs=0.002)


def test_search_over_mitigations_hands_groups_to_those_that_take_them() -> None:
    plain = LogisticRegression()
    parity = ThresholdOptimizer(estimator=plain, predict_method="predict_proba")
    reduction = ExponentiatedGradient(plain, DemographicParity(), max_iter=5)
    y = pd.Series(Y, index=pd.Index(GROUP, name="group"))
    score = amplification_scorer(sensitive_features="group", reference=(Y, GROUP))
    search = GridSearchCV(
        WithSensitiveFeatures(plain, sensitive_features="group"),
        {"estimator": [plain, parity, reduction]},
        scoring=score,
        cv=2,
        error_score="raise",
    )
    sizes = -search.fit(WITH_GROUP, y).cv_results_["mean_test_score"]
    # Equal rates remove a gap of .3 in the labels, of which BA is the half.
    assert sizes[1:] == pytest.approx(0.15, abs=0.04)
    assert isinstance(search.best_estimator_.estimator, LogisticRegression)


def test_search_with_routing_hands_groups_to_fit() -> None:
    reduction = ExponentiatedGradient(LogisticRegression(), DemographicParity(), max_iter=5)
    with sklearn.config_context(enable_metadata_routing=True):
        score = amplification_scorer(reference=(Y, GROUP))
        model = WithSensitiveFeatures(reduction)
        grid = {"estimator__max_iter": [3, 5]}
        search = GridSearchCV(model, grid, scoring=score, cv=2, error_score="raise")
        search.fit(TABLE, Y, sensitive_features=GROUP)
    assert -search.best_score_ == pytest.approx(0.15, abs=0.04)


PLAIN, BY_GROUP = LogisticRegression(), ThresholdOptimizer(estimator=LogisticRegression())
COLUMN = "must be the name or the position of a column of X.*; received "
ONE_OF_TWO = "estimator must have predict_proba or decision_function"


@pytest.mark.parametrize(
    ("model", "groups", "message"),
    [
        (WithSensitiveFeatures(PLAIN, sensitive_features="race"), None, "received 'u', 'v'"),
        (WithSensitiveFeatures(PLAIN, sensitive_features=2), None, "X must have the column 2"),
        (WithSensitiveFeatures(PLAIN, sensitive_features=TABLE["u"]), None, COLUMN + "a Series"),
        (PrevalenceThresholdClassifier(PLAIN, sensitive_features=["u"]), None, COLUMN + "a list"),
        (PrevalenceThresholdClassifier(PLAIN, cv=SAME_ROWS), None, "must be given: each group has"),
        (WithSensitiveFeatures(BY_GROUP), GROUP + 1, "groups must be among 0, 1; received 2"),
        (WithSensitiveFeatures(BY_GROUP), None, "to predict; in a search, name a column of X"),
        (WithSensitiveFeatures(BY_GROUP), [None, *GROUP[1:]], "received 1200 rows, 1 of them with"),
        (WithSensitiveFeatures(BY_GROUP), GROUP[1:], "received 1199 rows, 0 of them without"),
        (WithSensitiveFeatures(BY_GROUP), {"a": GROUP}, "an array or a frame; received a dict"),
        (PrevalenceThresholdClassifier(PLAIN), "a", r"Classifier\(..., sensitive_features='race'"),
        (PrevalenceThresholdClassifier(VotingClassifier([("a", PLAIN)])), None, ONE_OF_TWO),
        (PrevalenceThresholdClassifier(LinearRegression()), None, ONE_OF_TWO),
        (WithSensitiveFeatures("LR"), None, "it does not seem to be a scikit-learn estimator"),
    ],
)
def test_classifier_with_groups_bad_input_raises(model, groups, message) -> None:
    is_position = isinstance(model.sensitive_features, int)
    X = TABLE.to_numpy() if is_position else TABLE
    of_fit = GROUP if model.sensitive_features is None else None
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(X, Y, sensitive_features=of_fit).predict(X, sensitive_features=groups)


def test_classifier_with_a_column_and_groups_says_which_it_ignores() -> None:
    model = PrevalenceThresholdClassifier(PLAIN, sensitive_features="group", cv=SAME_ROWS)
    with pytest.warns(bam.AmplificationWarning, match="is ignored: X has the column 'group'"):
        model.fit(WITH_GROUP, Y, sensitive_features=1 - GROUP)
    predicted = model.predict(WITH_GROUP, sensitive_features=GROUP)  # The same.
    assert rates(predicted) == pytest.approx(rates(Y), abs=0.002)


def test_classifier_of_random_predictions_repeats_them_unless_its_seed_is_none() -> None:
    reduction = ExponentiatedGradient(PLAIN, DemographicParity(), max_iter=5)
    for estimator in (reduction, make_pipeline(StandardScaler(), reduction)):
        model = WithSensitiveFeatures(estimator).fit(TABLE, Y, sensitive_features=GROUP)
        predicted = model.predict(TABLE)
        assert (model.predict(TABLE) == predicted).all()
        assert (model.set_params(random_state=None).predict(TABLE) != predicted).any()
