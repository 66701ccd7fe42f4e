"""Audits of fitted estimators, against audits of their predictions."""

from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import biasamp_adapters as bam

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(400, 2)), columns=["age", "priors"])
X["race"] = rng.integers(2, size=400)
y = pd.Series((X["age"] + X["race"] > rng.normal(size=400)).astype(int), name="recid")


class ByGroup(ClassifierMixin, BaseEstimator):
    """Predicts 1 for one group, which it is told; `predict` requests it as metadata."""

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any, sensitive_features: Any = None) -> Any:
        assert sensitive_features is not None
        return np.asarray(sensitive_features == 1, dtype=int)


class Coin(ByGroup):
    def predict(self, X: Any, random_state: Any = None) -> Any:
        return np.random.RandomState(random_state).randint(2, size=len(X))


def verdicts_of(report: bam.AuditReport) -> Any:
    return report.summary["verdicts"], report.summary["gaps"]


def test_from_estimator_is_the_audit_of_its_predictions() -> None:
    models = {"a": LogisticRegression().fit(X, y), "b": LogisticRegression(C=0.01).fit(X, y)}
    report = bam.AuditReport.from_estimator(models, X, y, sensitive_features="race", n_boot=100)
    predicted = {name: model.predict(X) for name, model in models.items()}
    expected = bam.audit(y, predicted, sensitive_features=X["race"], n_boot=100)
    assert verdicts_of(report) == verdicts_of(expected)
    assert report.summary["data"]["scores"] == ["a", "b"]
    assert (report.summary["data"]["feature"], report.summary["data"]["label"]) == ("race", "recid")


@pytest.mark.parametrize("is_routed", [False, True])
def test_from_estimator_gives_the_groups_to_predict_that_asks_for_them(is_routed) -> None:
    groups = X["race"].rename("group")
    labels = y.set_axis(pd.Index(groups))
    model: Any = ByGroup()
    with sklearn.config_context(enable_metadata_routing=is_routed):
        if is_routed:
            model.set_predict_request(sensitive_features=True)
            model = make_pipeline(StandardScaler(), model)
        options: Any = {"sensitive_features": "group", "n_boot": 0}
        report = bam.AuditReport.from_estimator(model.fit(X, labels), X, labels, **options)
    rates = report.to_frame("rates").query("of_class == 1").set_index("group")["predicted"]
    assert rates.to_dict() == {0: 0.0, 1: 1.0}


@pytest.mark.parametrize("pos_label", [None, 0, 1])
@pytest.mark.parametrize("model", [LogisticRegression(), LinearSVC(), ByGroup()])
def test_from_estimator_has_the_scores_of_the_positive_class(model, pos_label) -> None:
    options = {"sensitive_features": X["race"], "pos_label": pos_label, "n_boot": 100}
    report = bam.AuditReport.from_estimator(model.fit(X, y), X, y, **options)
    scores = None
    if isinstance(model, LogisticRegression):
        scores = model.predict_proba(X)[:, 0 if pos_label == 0 else 1]
    elif isinstance(model, LinearSVC):
        scores = model.decision_function(X) * (-1 if pos_label == 0 else 1)
    predicted = model.predict(X, X["race"]) if scores is None else model.predict(X)
    expected = bam.audit(y, predicted, y_score=scores, **options)
    assert report.summary["data"]["scores"] == ([] if scores is None else ["model"])
    assert report.summary["scores"] == expected.summary["scores"]
    assert not any("No threshold of the scores" in note for note in report.summary["notes"])


@pytest.mark.parametrize("columns", ["race", ["race", "age"]])
def test_from_estimator_has_strata_by_columns_of_x(columns) -> None:
    model, old = LogisticRegression().fit(X, y), np.where(X["age"] > 0, "old", "young")
    features = {"sensitive_features": old, "n_boot": 0}
    report = bam.AuditReport.from_estimator(model, X, y, control_features=columns, **features)
    expected = bam.audit(y, model.predict(X), control_features=X[columns], **features)
    assert report.summary["strata"] == expected.summary["strata"] != []


def test_from_estimator_repeats_what_predict_draws_by_its_seed() -> None:
    options = {"sensitive_features": "race", "n_boot": 0}
    first, same, other = (
        bam.AuditReport.from_estimator(Coin().fit(X, y), X, y, random_state=seed, **options)
        for seed in (3, 3, None)
    )
    assert first.to_frame().equals(same.to_frame())
    assert not first.to_frame().equals(other.to_frame())


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (LogisticRegression, {}, "must be fitted, or a dict of such; received <class"),
        ({"a": "model"}, {}, "received 'model'"),
        (LinearSVC().fit(X, y), {"threshold": 0.3}, "threshold needs y_score= without y_pred="),
        (LinearSVC().fit(X, y), {"y_pred": y}, "multiple values for keyword argument 'y_pred'"),
        (LinearSVC(), {"sensitive_features": "rase"}, "no column 'rase'.* Did you mean 'race'"),
    ],
)
def test_from_estimator_bad_argument_raises(model, options, message) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        bam.AuditReport.from_estimator(model, X, y, **{"sensitive_features": "race"} | options)


def test_audit_of_an_estimator_raises() -> None:
    model = LogisticRegression().fit(X, y)
    with pytest.raises(TypeError, match=r"by AuditReport\.from_estimator\(model, X, y, \.\.\.\)"):
        bam.audit(model, X)
    with pytest.raises(TypeError, match="positional arguments"):
        bam.audit(model, X, y)  # type: ignore[misc]
