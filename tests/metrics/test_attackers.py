"""Attackers of scikit-learn: beside the exact one, on tables of known scores, and refused."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fitted_cases import (
    A_TO_T,
    BY_HEART,
    LEAKAGE,
    LOSSES,
    RIGHT,
    SEVERAL,
    T_TO_A,
    TABLE,
    Columns,
    entropy,
    levels,
    new_metric,
)
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import accuracy_score, f1_score, make_scorer, recall_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

SEARCH = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)


@pytest.fixture(scope="module")
def compas(data_folder: Path) -> Columns:
    """3,000 people of two groups, 60 % of them African-American, and groups guessed from records.

    Decisions are at decile 4 for African-American people and at decile 6 for others, so that all
    values are more than three times two points.
    """
    frame = pd.read_csv(data_folder / "compas-scores-two-years.csv.gz", keep_default_na=False)
    frame = frame[frame["race"].isin(["African-American", "Caucasian"])].sample(
        3000, random_state=0
    )
    is_african_american = frame["race"] == "African-American"
    is_young_or_known = (frame["age"] < 40) | (frame["priors_count"] > 3)
    return {
        "y_true": frame["two_year_recid"].to_numpy(),
        "y_pred": (frame["decile_score"] >= np.where(is_african_american, 4, 6)).to_numpy() * 1,
        "sensitive_features": frame["race"].to_numpy(),
        "sensitive_features_pred": np.where(is_young_or_known, "African-American", "Caucasian"),
    }


#: Estimators that take weights, that hand them on, that take none, and that have no probabilities.
CLASSIFIERS = {
    "logistic": "logistic",
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(),
    "forest": RandomForestClassifier(10),
    "boosting": HistGradientBoostingClassifier(max_iter=10),
    "discriminant": LinearDiscriminantAnalysis(),
    "neighbours in a radius": RadiusNeighborsClassifier(0.5),
    "search": SEARCH,
    "search of weightless": GridSearchCV(LinearDiscriminantAnalysis(), {"tol": [1e-4]}, cv=3),
    "pipeline": make_pipeline(StandardScaler(), SEARCH),
    "soft vote": VotingClassifier(SEVERAL, voting="soft"),
    "stack": StackingClassifier([("regression", LogisticRegression()), SEVERAL[0]]),
    "stack of weightless": StackingClassifier(SEVERAL[1:]),
    "calibrated": CalibratedClassifierCV(LinearSVC(), cv=2),
    "support vectors": LinearSVC(),
    "ridge": RidgeClassifier(),
    "hard vote": VotingClassifier([SEVERAL[0], ("regression", LogisticRegression())]),
    "hard vote of weightless": VotingClassifier(SEVERAL),
}
WITHOUT_PROBABILITIES = ("support vectors", "ridge", "hard vote", "hard vote of weightless")


@pytest.mark.parametrize("name", [LEAKAGE, A_TO_T, T_TO_A])
@pytest.mark.parametrize("attacker", CLASSIFIERS)
def test_fitted_classifier_is_near_the_exact_one(attacker, name, compas) -> None:
    settings = {}
    if name != LEAKAGE and attacker in WITHOUT_PROBABILITIES:
        settings["quality"] = "accuracy"
    exact = new_metric(name, **settings)(**compas)
    assert exact > 3 * 0.02
    fitted = new_metric(name, attacker=CLASSIFIERS[attacker], n_trials=2, **settings)(**compas)
    assert fitted == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(
    ("n_rows", "settings", "fitted"),
    [
        (3000, {"quality": "balanced_accuracy"}, {"evaluation": "cv", "n_trials": 3}),
        (3000, {"quality": "accuracy"}, {"evaluation": "cv", "n_trials": 3}),
        (3000, {"quality": "inverse_cross_entropy"}, {"evaluation": "cv", "n_trials": 3}),
        (600, {"equalize": None}, {"attacker": "dense", "n_trials": 1}),
    ],
)
def test_leakage_to_named_attackers_is_near_the_exact_one(n_rows, settings, fitted, compas) -> None:
    first = {name: values[:n_rows] for name, values in compas.items()}
    exact = new_metric(LEAKAGE, **settings)(**first)
    assert exact > 3 * 0.02
    assert new_metric(LEAKAGE, **settings, **fitted)(**first) == pytest.approx(exact, abs=0.02)


# Scores of a table: an attacker that knows it by heart.

TREE, SHARE = DecisionTreeClassifier(), "uncertainty_coefficient"

#: The variance of 0 and 1 is p (1 - p); its mean over the rows of a and b.
ERRORS = (10 * 0.6 * 0.4 + 30 * 0.2 * 0.8) / 40, (10 * 0.2 * 0.8 + 30 * 0.5 * 0.5) / 40


@pytest.mark.parametrize(
    ("attacker", "quality", "of_labels", "of_predictions"),
    [
        (TREE, "accuracy", RIGHT[0] / 40, RIGHT[1] / 40),
        (TREE, "hard_inverse_cross_entropy", 40 / (100 * 10), 40 / (100 * 17)),
        # Of 12 labelled 1, 6 are guessed, and of 28 labelled 0, 24. Shares of predictions are 2/17
        # and 8/23 in group a, 15/17 and 15/23 in b: weighed alike, a is more often 0, b is 1.
        (TREE, "balanced_accuracy", (6 / 12 + 24 / 28) / 2, (15 / 17 + 8 / 23) / 2),
        # F1 of guesses is 2 hits / (rows + guesses); of ties in the predictions, 0 is guessed.
        (TREE, "f1_macro", (2 * 6 / 22 + 2 * 24 / 58) / 2, (0 + 2 * 23 / 63) / 2),
        (TREE, "inverse_cross_entropy", 1 / LOSSES[0], 1 / LOSSES[1]),
        (TREE, "one_minus_cross_entropy", 1 - LOSSES[0], 1 - LOSSES[1]),
        # Of all rows, 12/40 = .3 are 1 in the labels and 17/40 = .425 in the predictions.
        (TREE, SHARE, 1 - LOSSES[0] / entropy(0.3), 1 - LOSSES[1] / entropy(0.425)),
        (LinearRegression(), "inverse_mse", 1 / ERRORS[0], 1 / ERRORS[1]),
        (LinearRegression(), "inverse_rmse", ERRORS[0] ** -0.5, ERRORS[1] ** -0.5),
        # Scorers of scikit-learn, and functions of labels. With one cut, the area is the mean of
        # the shares of 1 and of 0 that are ranked right. No prediction of 1 is guessed.
        (TREE, "roc_auc", (6 / 12 + 24 / 28) / 2, (15 / 17 + 8 / 23) / 2),
        (TREE, "neg_log_loss", -LOSSES[0], -LOSSES[1]),
        (TREE, "recall", 6 / 12, 0),
        (TREE, accuracy_score, RIGHT[0] / 40, RIGHT[1] / 40),
        (TREE, partial(recall_score, pos_label=0, zero_division=0), 24 / 28, 1),
        (LinearRegression(), "r2", 1 - ERRORS[0] / (0.3 * 0.7), 1 - ERRORS[1] / (0.425 * 0.575)),
    ],
)
def test_quality_of_known_table_is_best(attacker, quality, of_labels, of_predictions) -> None:
    metric = new_metric(A_TO_T, attacker=attacker, quality=quality, **BY_HEART)
    assert levels(metric, TABLE) == pytest.approx((of_labels, of_predictions), abs=1e-12)


def test_own_quality_reads_labels_as_they_are() -> None:
    names = {name: np.array(["no", "yes"])[TABLE[name]] for name in ("y_true", "y_pred")}
    quality = partial(recall_score, pos_label="no", zero_division=0)
    metric = new_metric(A_TO_T, attacker=TREE, quality=quality, **BY_HEART)
    assert levels(metric, TABLE | names) == pytest.approx((24 / 28, 1), abs=1e-12)


@pytest.mark.parametrize(
    "attacker",
    [
        DecisionTreeClassifier(),
        RadiusNeighborsClassifier(0.5),
        VotingClassifier([("near", RadiusNeighborsClassifier(0.5))]),
        GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2),
    ],
    ids=["weights", "probabilities", "drawn rows", "weights handed on"],
)
def test_leakage_of_a_small_group_is_seen(attacker) -> None:
    # 40 of 200 rows are of group b. Of these, 30 are predicted 1; of the 160 of a, 40. Who guesses
    # b where 1 is predicted is right in 30/40 of b and in 120/160 of a. Labels tell nothing.
    group = np.repeat(["a", "b"], [160, 40])
    columns = {
        "y_true": np.arange(200) % 2,
        "y_pred": np.r_[np.arange(160) < 40, np.arange(40) < 30].astype(int),
        "sensitive_features": group,
    }
    metric = new_metric(LEAKAGE, attacker=attacker, **BY_HEART)
    assert levels(metric, columns) == pytest.approx((1 / 2, (30 / 40 + 120 / 160) / 2), abs=1e-12)


def test_attacker_far_from_the_exact_one_is_noted() -> None:
    # Of labels the error is 1/2; predictions are the group in 3/4: 1 / sqrt(3/16) - 1 / (1/2).
    columns: Columns = {"y_true": [0, 1] * 1000, "sensitive_features": np.repeat([0, 1], 1000)}
    columns["y_pred"] = columns["sensitive_features"] ^ (np.arange(2000) % 4 == 0)
    settings = {"quality": "inverse_rmse", "equalize": None, "n_trials": 1}
    for attacker, n_notes in ((Lasso(0.1), 1), (LinearRegression(), 0)):
        notes = new_metric(LEAKAGE, attacker=attacker, **settings).result(**columns).notes
        assert sum("attacker='exact' gives +0.309" in note for note in notes) == n_notes


def test_level_below_zero_has_no_relative_change() -> None:
    metric = new_metric(A_TO_T, attacker=GaussianNB(), quality="neg_log_loss", n_trials=1)
    result = metric.result(**TABLE, n_boot=0)
    assert np.isnan(result.value)
    assert any("neg_log_loss is below 0" in note for note in result.notes)


def test_scorer_with_pos_label_scores_that_class() -> None:
    # Of 28 labelled 0, 24 are guessed. The positive class is the second one for a scorer, so that
    # ties of predictions in group b go to 1: of 23 predicted 0 the 8 of group a are guessed.
    metric = new_metric(A_TO_T, attacker=TREE, quality="recall", pos_label=0, **BY_HEART)
    assert levels(metric, TABLE) == pytest.approx((24 / 28, 8 / 23), abs=1e-12)


NEAR = KNeighborsClassifier()


def tables_are_scored(tables: Any, values: Any, more: Any) -> Any:
    return tables


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"attacker": "forest"}, "a classifier or regressor of .*received 'forest'"),
        ({"attacker": LogisticRegression}, "a classifier or regressor .*received <class"),
        ({"attacker": None}, "a classifier or regressor .*received None"),
        ({"attacker": KMeans()}, "a classifier or regressor .*received KMeans"),
        ({"attacker": make_pipeline(StandardScaler())}, "a classifier or regressor .*Pipeline"),
        ({"attacker": KNeighborsRegressor(), "quality": "r2"}, "received KNeighborsRegressor"),
        ({"attacker": KNeighborsClassifier(50)}, "all rows of equal input; received KNeighborsC"),
        ({"attacker": make_pipeline(StandardScaler(), NEAR)}, "received KNeighborsClassifier"),
        ({"attacker": VotingClassifier([("near", NEAR)])}, "received KNeighborsClassifier"),
        ({"attacker": SVC()}, "'inverse_cross_entropy' cannot score SVC: .*predict_proba"),
        (
            {"attacker": VotingClassifier(SEVERAL), "quality": "roc_auc"},
            "'roc_auc' cannot score VotingClassifier: .*predict_proba",
        ),
        ({"attacker": "logistic", "quality": "f1"}, "the best threshold, which only attacker="),
        ({"attacker": LinearRegression()}, "it scores classes, which the attacker does not guess"),
        ({"attacker": LinearRegression(), "quality": "jaccard"}, "it scores classes, which"),
        ({"attacker": GaussianNB(), "quality": "neg_max_error"}, "it scores numbers, which"),
        ({"attacker": SEARCH, "quality": "r2"}, "'r2' cannot score GridSearchCV: .* numbers"),
        ({"attacker": "dense", "quality": "inverse_mse"}, "cannot score MLPClassifier: .* numbers"),
        ({"attacker": "logistic", "quality": "jaccard_samples"}, "'jaccard_samples' cannot score"),
        ({"attacker": "logistic", "quality": "auc"}, "'auc' is not a valid scoring value"),
        (
            {"attacker": "logistic", "quality": make_scorer(f1_score)},
            r"quality=make_scorer.* must take labels and guesses, as f1_score and functools",
        ),
        (
            {"attacker": "logistic", "quality": tables_are_scored},
            "tables_are_scored .* cannot score LogisticRegression: it must take labels and guesses",
        ),
    ],
)
def test_metric_of_what_does_not_go_together_raises(settings, message) -> None:
    with pytest.raises(ValueError, match=message):
        new_metric(A_TO_T, **settings)


@pytest.mark.parametrize("attacker", [RadiusNeighborsClassifier(), MultinomialNB()])
def test_attacker_that_does_not_see_its_input_raises(attacker) -> None:
    with pytest.raises(ValueError, match="attacker must guess by what it sees, y_true"):
        new_metric(LEAKAGE, attacker=attacker)(
            [0, 1] * 9, [0, 1] * 9, sensitive_features=[0, 1] * 9
        )
