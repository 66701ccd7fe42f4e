"""What may be an attacker, what it must be able to do, and what does not go together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attacker_cases import ATTACKS, binary_rows, matrix_rows, metric_of, value_of
from metric_cases import quietly
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from biasamp_adapters import (
    DirectionalPredictabilityAmplification,
    JointCounts,
    LeakageAmplification,
)
from biasamp_adapters.sklearn import ContingencyAttacker

WEIGHTED = binary_rows() | {"sample_weight": np.tile([1, 2, 3, 4], 50)}
#: Too little regularisation to matter, so that scaling the input does not change the answers.
REGRESSION = LogisticRegression(C=1e6, tol=1e-8, max_iter=1000)


def nested() -> Pipeline:
    """A pipeline whose last step is a pipeline."""
    return Pipeline([("first", StandardScaler()), ("then", make_pipeline(REGRESSION))])


@pytest.mark.parametrize("attacker", [make_pipeline(StandardScaler(), REGRESSION), nested()])
@pytest.mark.parametrize("rows", [binary_rows(), WEIGHTED], ids=["rows", "weighted"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_pipeline_is_its_last_step_on_what_the_others_make(
    attack: str, rows: dict[str, Any], attacker: Pipeline
) -> None:
    """Scaling tells a regression nothing, so the losses agree to its tolerance of 1e-8."""
    options: dict[str, Any] = {"quality": "inverse_cross_entropy", "n_trials": 2}
    plain = value_of(attack, rows, attacker=REGRESSION, **options)
    assert value_of(attack, rows, attacker=attacker, **options) == pytest.approx(plain, abs=1e-5)


@pytest.mark.parametrize("last", [ContingencyAttacker(), make_pipeline(ContingencyAttacker())])
def test_weights_reach_the_last_step_of_a_pipeline(last: Any) -> None:
    """On the rows it knows the weighted table is the exact attacker; scaling renames its values."""
    options: dict[str, Any] = {"equalize": None, "quality": "inverse_cross_entropy"}
    attacker = make_pipeline(StandardScaler(), last)
    found = value_of("A->T", WEIGHTED, attacker=attacker, evaluation="resubstitution", **options)
    assert found == pytest.approx(value_of("A->T", WEIGHTED, **options), abs=1e-12)
    unweighted = value_of("A->T", binary_rows(), **options)
    assert abs(found - unweighted) > 1e-3


NO_WEIGHTS = [
    KNeighborsClassifier(),
    make_pipeline(StandardScaler(), KNeighborsClassifier()),
]


@pytest.mark.parametrize("attacker", NO_WEIGHTS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_weighted_rows_need_an_attacker_that_takes_weights(attack: str, attacker: Any) -> None:
    rule = "need an attacker whose fit takes sample_weight; received KNeighborsClassifier"
    with pytest.raises(ValueError, match=rule):
        value_of(attack, WEIGHTED, attacker=attacker, n_trials=1)


def test_weights_of_one_are_none() -> None:
    rows = binary_rows()
    options: dict[str, Any] = {"attacker": KNeighborsClassifier(), "n_trials": 1}
    ones = value_of("LA", rows | {"sample_weight": np.ones(200)}, **options)
    assert ones == value_of("LA", rows, **options)


@pytest.mark.parametrize("attacker", [LinearSVC(), RidgeClassifier()])
@pytest.mark.parametrize(
    "quality", ["accuracy", "balanced_accuracy", "f1_macro", "hard_inverse_cross_entropy"]
)
def test_predicted_classes_are_enough_for_qualities_of_classes(attacker: Any, quality: str) -> None:
    """With groups that have other majorities, in truth and model, any attacker finds these."""
    options: dict[str, Any] = {"quality": quality, "equalize": None}
    rows = binary_rows()
    found = value_of(
        "A->T", rows, attacker=attacker, evaluation="resubstitution", n_trials=1, **options
    )
    assert found == pytest.approx(value_of("A->T", rows, **options), abs=1e-12)
    assert abs(found) > 0.01


@pytest.mark.parametrize("quality", ["inverse_cross_entropy", "uncertainty_coefficient"])
@pytest.mark.parametrize("rows", [binary_rows(), matrix_rows()], ids=["labels", "matrix"])
@pytest.mark.parametrize("attacker", [LinearSVC(), RidgeClassifier()])
def test_log_losses_need_probabilities(attacker: Any, rows: dict[str, Any], quality: str) -> None:
    rule = f"need an attacker with predict_proba; received {type(attacker).__name__}"
    with pytest.raises(ValueError, match=rule):
        value_of("A->T", rows, attacker=attacker, quality=quality, n_trials=1)


def test_a_search_is_an_attacker() -> None:
    """It finds what its only candidate finds."""
    search = GridSearchCV(REGRESSION, {"C": [1e6]}, cv=2)
    options: dict[str, Any] = {"n_trials": 2, "quality": "inverse_cross_entropy"}
    found = value_of("A->T", binary_rows(), attacker=search, **options)
    assert found == value_of("A->T", binary_rows(), attacker=REGRESSION, **options)


METRICS = [LeakageAmplification, DirectionalPredictabilityAmplification]


@pytest.mark.parametrize(
    "attacker", ["logistic", LogisticRegression, lambda rows: rows, None, 3, ["exact"]]
)
@pytest.mark.parametrize("metric", METRICS)
def test_an_attacker_is_exact_or_an_estimator(metric: Any, attacker: Any) -> None:
    rule = "attacker must be 'exact' or an instance of a classifier or regressor; received"
    with pytest.raises(ValueError, match=rule):
        metric(attacker=attacker)


@pytest.mark.parametrize("attacker", [StandardScaler(), KMeans(), make_pipeline(StandardScaler())])
@pytest.mark.parametrize("metric", METRICS)
def test_an_estimator_must_be_a_classifier_or_a_regressor(metric: Any, attacker: Any) -> None:
    rule = f"'exact', a classifier or a regressor; received a {type(attacker).__name__}"
    with pytest.raises(ValueError, match=rule):
        metric(attacker=attacker)


@pytest.mark.parametrize(
    ("attacker", "quality"),
    [
        (LinearRegression(), "accuracy"),
        (LinearRegression(), "inverse_cross_entropy"),
        (make_pipeline(StandardScaler(), LinearRegression()), "uncertainty_coefficient"),
        (LogisticRegression(), "inverse_rmse"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "inverse_rmse"),
    ],
)
@pytest.mark.parametrize("metric", METRICS)
def test_regressors_and_the_rmse_need_each_other(metric: Any, attacker: Any, quality: str) -> None:
    rule = f"a regressor needs quality='inverse_rmse', .*received quality='{quality}' for a"
    with pytest.raises(ValueError, match=rule):
        metric(attacker=attacker, quality=quality)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (
            {"attacker": LogisticRegression(), "evaluation": "loo"},
            "evaluation='loo' is a closed form of attacker='exact' only; received a Logistic",
        ),
        (
            {"attacker": LogisticRegression(), "equalize": "expected"},
            "an attacker that is fitted needs rows, so equalize='sampled', 'auto' or None",
        ),
        (
            {"evaluation": "cv", "equalize": "expected"},
            "an attacker that is fitted needs rows, so equalize='sampled', 'auto' or None",
        ),
        ({"n_jobs": 0}, "n_jobs must be a whole number, not 0; received 0"),
        ({"n_jobs": 1.5}, "n_jobs must be a whole number, not 0; received 1.5"),
        ({"n_jobs": "all"}, "n_jobs must be a whole number, not 0; received 'all'"),
        ({"n_trials": 0}, "n_trials must be a whole number from 1 to 1,000,000; received 0"),
        ({"evaluation": "holdout"}, r"evaluation must be one of \['auto', 'resub.*'holdout'"),
    ],
)
@pytest.mark.parametrize("metric", METRICS)
def test_what_does_not_go_together(metric: Any, options: dict[str, Any], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        metric(quality="inverse_cross_entropy", **options)


@pytest.mark.parametrize("options", [{"attacker": LogisticRegression()}, {"evaluation": "cv"}])
def test_sums_of_weights_have_no_rows_to_fit_on(options: dict[str, Any]) -> None:
    rows = binary_rows()
    sums = JointCounts.from_arrays(
        rows["y_true"], rows["y_pred"], rows["sensitive_features"],
        sample_weight=np.tile([0.5, 2.0], 100),
    )  # fmt: skip
    assert not sums.knows_rows
    with pytest.raises(ValueError, match="a fitted attacker needs rows; received counts that hold"):
        quietly(metric_of("A->T", **options).from_counts, sums)


@pytest.mark.parametrize("attack", ATTACKS)
def test_counts_with_rows_have_the_value_of_the_rows(attack: str) -> None:
    rows = binary_rows()
    metric = metric_of(attack, attacker=LogisticRegression(), n_trials=2)
    counted = quietly(metric.from_counts, JointCounts.from_arrays(**rows)).value
    assert counted == quietly(metric, **rows)
