"""Attackers of scikit-learn: beside the exact one, on tables of known scores, and refused."""

from __future__ import annotations

from functools import partial
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
    recall_score,
)
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam

Columns = dict[str, Any]

LEAKAGE, A_TO_T, T_TO_A = "LA", "DPA A->T", "DPA T->A"

SEARCH = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
SEVERAL = [("bayes", GaussianNB()), ("discriminant", LinearDiscriminantAnalysis())]


def new_metric(name: str, **settings: Any) -> Any:
    """Return LA, or DPA in a direction."""
    if name == LEAKAGE:
        return bam.LeakageAmplification(**settings)
    return bam.DirectionalPredictabilityAmplification(direction=name[4:], **settings)


def levels(metric: Any, columns: Columns) -> tuple[float, float]:
    """Return the levels of the labels and of the predictions."""
    result = metric.result(**columns, n_boot=0)
    return result.estimates["psi_dataset"].value, result.estimates["psi_model"].value


# Beside the exact attacker.


@pytest.fixture(scope="module")
def compas(data_folder: Path) -> Columns:
    """3,000 people of two groups, with decisions at decile 5 and groups guessed from their record.

    60 % of them are African-American.
    """
    frame = pd.read_csv(data_folder / "compas-scores-two-years.csv.gz", keep_default_na=False)
    frame = frame[frame["race"].isin(["African-American", "Caucasian"])].sample(
        3000, random_state=0
    )
    is_young_or_known = (frame["age"] < 40) | (frame["priors_count"] > 3)
    return {
        "y_true": frame["two_year_recid"].to_numpy(),
        "y_pred": (frame["decile_score"] >= 5).to_numpy().astype(int),
        "sensitive_features": frame["race"].to_numpy(),
        "sensitive_features_pred": np.where(is_young_or_known, "African-American", "Caucasian"),
    }


#: Estimators that take weights, that hand them on, that take none, and that have no probabilities.
CLASSIFIERS = {
    "logistic": "logistic",
    "logistic regression": LogisticRegression(),
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(),
    "forest": RandomForestClassifier(10),
    "boosting": HistGradientBoostingClassifier(max_iter=10),
    "discriminant": LinearDiscriminantAnalysis(),
    "neighbours in a radius": RadiusNeighborsClassifier(0.5),
    "search": SEARCH,
    "search of weightless": GridSearchCV(LinearDiscriminantAnalysis(), {"tol": [1e-4]}, cv=3),
    "random search": RandomizedSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, n_iter=2, cv=3),
    "pipeline": make_pipeline(StandardScaler(), SEARCH),
    "soft vote": VotingClassifier(SEVERAL, voting="soft"),
    "stack": StackingClassifier([("regression", LogisticRegression()), SEVERAL[0]]),
    "stack of weightless": StackingClassifier(SEVERAL[1:]),
    "calibrated": CalibratedClassifierCV(LinearSVC(), cv=2),
}
WITHOUT_PROBABILITIES = {
    "support vectors": LinearSVC(),
    "ridge": RidgeClassifier(),
    "hard vote": VotingClassifier([SEVERAL[0], ("regression", LogisticRegression())]),
    "hard vote of weightless": VotingClassifier(SEVERAL),
}


@pytest.mark.parametrize("name", [LEAKAGE, A_TO_T, T_TO_A])
@pytest.mark.parametrize("attacker", CLASSIFIERS.values(), ids=CLASSIFIERS)
def test_fitted_classifier_is_within_two_points_of_exact(
    attacker: Any, name: str, compas: Columns
) -> None:
    fitted = new_metric(name, attacker=attacker, n_trials=2)(**compas)
    assert fitted == pytest.approx(new_metric(name)(**compas), abs=0.02)


@pytest.mark.parametrize("name", [LEAKAGE, A_TO_T, T_TO_A])
@pytest.mark.parametrize("attacker", WITHOUT_PROBABILITIES.values(), ids=WITHOUT_PROBABILITIES)
def test_fitted_classifier_without_probabilities_is_within_two_points_of_exact(
    attacker: Any, name: str, compas: Columns
) -> None:
    quality = "balanced_accuracy" if name == LEAKAGE else "accuracy"
    fitted = new_metric(name, attacker=attacker, quality=quality, n_trials=3)(**compas)
    assert fitted == pytest.approx(new_metric(name, quality=quality)(**compas), abs=0.02)


@pytest.mark.parametrize("quality", ["balanced_accuracy", "accuracy", "inverse_cross_entropy"])
def test_exact_attacker_cross_fitted_is_within_two_points_of_exact(
    quality: str, compas: Columns
) -> None:
    fitted = new_metric(LEAKAGE, evaluation="cv", quality=quality, n_trials=3)(**compas)
    assert fitted == pytest.approx(new_metric(LEAKAGE, quality=quality)(**compas), abs=0.02)


def test_dense_attacker_is_within_two_points_of_exact(compas: Columns) -> None:
    first = {name: values[:600] for name, values in compas.items()}
    fitted = new_metric(LEAKAGE, attacker="dense", n_trials=1, equalize=None)(**first)
    assert fitted == pytest.approx(new_metric(LEAKAGE, equalize=None)(**first), abs=0.02)


@pytest.mark.parametrize("name", [LEAKAGE, A_TO_T, T_TO_A])
@pytest.mark.parametrize("n_neighbors", [5, 50])
def test_neighbours_among_equal_rows_raise(name: str, n_neighbors: int, compas: Columns) -> None:
    attackers = [
        KNeighborsClassifier(n_neighbors),
        make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors)),
        VotingClassifier([*SEVERAL, ("near", KNeighborsClassifier(n_neighbors))], voting="soft"),
    ]
    for attacker in attackers:
        with pytest.raises(ValueError, match=f"equal input.*n_neighbors={n_neighbors} and 1,"):
            new_metric(name, attacker=attacker)(**compas)


# Scores of a table: an attacker that knows it by heart.

#: Of 10 rows of group a, 6 are labelled 1, and 2 are predicted 1. Of 30 rows of b, 6 and 15.
GROUPS = np.repeat(["a", "b"], [10, 30])
LABELS = np.r_[np.arange(10) < 6, np.arange(30) < 6].astype(int)
PREDICTIONS = np.r_[np.arange(10) < 2, np.arange(30) < 15].astype(int)
TABLE: Columns = {"y_true": LABELS, "y_pred": PREDICTIONS, "sensitive_features": GROUPS}
BY_HEART: Columns = {"evaluation": "resubstitution", "equalize": None, "n_trials": 1}

#: The guesses of labels are 1 in a and 0 in b; those of predictions are 0 in a, and either in b.
RIGHT = (6 + 24, 8 + 15)


def entropy(share: float) -> float:
    return -share * log(share) - (1 - share) * log(1 - share)


LOSSES = [
    (10 * entropy(6 / 10) + 30 * entropy(6 / 30)) / 40,
    (10 * entropy(2 / 10) + 30 * entropy(15 / 30)) / 40,
]


@pytest.mark.parametrize(
    ("quality", "of_labels", "of_predictions"),
    [
        ("accuracy", RIGHT[0] / 40, RIGHT[1] / 40),
        ("hard_inverse_cross_entropy", 40 / (100 * 10), 40 / (100 * 17)),
        # Of 12 labelled 1, 6 are guessed, and of 28 labelled 0, 24. Shares of predictions are 2/17
        # and 8/23 in group a, 15/17 and 15/23 in b: weighed alike, a is more often 0, b is 1.
        ("balanced_accuracy", (6 / 12 + 24 / 28) / 2, (15 / 17 + 8 / 23) / 2),
        # 1 is guessed in group a alone or everywhere, and in group b alone or everywhere.
        ("f1", max(12 / (12 + 10), 24 / (12 + 40)), max(30 / (17 + 30), 34 / (17 + 40))),
        ("inverse_cross_entropy", 1 / LOSSES[0], 1 / LOSSES[1]),
        ("one_minus_cross_entropy", 1 - LOSSES[0], 1 - LOSSES[1]),
        (
            "uncertainty_coefficient",
            1 - LOSSES[0] / entropy(12 / 40),
            1 - LOSSES[1] / entropy(17 / 40),
        ),
    ],
)
def test_quality_of_known_table_is_the_best_score(
    quality: str, of_labels: float, of_predictions: float
) -> None:
    metric = new_metric(A_TO_T, attacker=DecisionTreeClassifier(), quality=quality, **BY_HEART)
    assert levels(metric, TABLE) == pytest.approx((of_labels, of_predictions), abs=1e-12)


@pytest.mark.parametrize(("quality", "power"), [("inverse_mse", 1), ("inverse_rmse", 0.5)])
def test_regressor_of_known_table_guesses_means(quality: str, power: float) -> None:
    # The variance of 0 and 1 is p (1 - p).
    metric = new_metric(A_TO_T, attacker=LinearRegression(), quality=quality, **BY_HEART)
    of_labels = (10 * 0.6 * 0.4 + 30 * 0.2 * 0.8) / 40
    of_predictions = (10 * 0.2 * 0.8 + 30 * 0.5 * 0.5) / 40
    expected = of_labels**-power, of_predictions**-power
    assert levels(metric, TABLE) == pytest.approx(expected, abs=1e-12)


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
def test_leakage_of_a_small_group_is_seen(attacker: Any) -> None:
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


# Qualities of one's own.


@pytest.mark.parametrize(
    ("quality", "of_labels", "of_predictions"),
    [
        # With one cut, the area is the mean of the shares of 1 and of 0 that are ranked right.
        ("roc_auc", (6 / 12 + 24 / 28) / 2, (15 / 17 + 8 / 23) / 2),
        ("neg_log_loss", -LOSSES[0], -LOSSES[1]),
        ("recall", 6 / 12, 0),
        (accuracy_score, RIGHT[0] / 40, RIGHT[1] / 40),
        (partial(recall_score, pos_label="no", zero_division=0), 24 / 28, 1),
    ],
)
def test_own_quality_of_known_table_scores_guesses(
    quality: Any, of_labels: float, of_predictions: float
) -> None:
    # Of ties, the tree guesses the first class: no prediction of 1 is guessed.
    columns = TABLE
    if isinstance(quality, partial):
        columns = TABLE | {
            name: np.array(["no", "yes"])[TABLE[name]] for name in ("y_true", "y_pred")
        }
    metric = new_metric(A_TO_T, attacker=DecisionTreeClassifier(), quality=quality, **BY_HEART)
    assert levels(metric, columns) == pytest.approx((of_labels, of_predictions), abs=1e-12)


def test_scorer_of_regressor_is_share_of_variance() -> None:
    metric = new_metric(A_TO_T, attacker=LinearRegression(), quality="r2", **BY_HEART)
    of_labels = 1 - (10 * 0.6 * 0.4 + 30 * 0.2 * 0.8) / (40 * 12 / 40 * 28 / 40)
    of_predictions = 1 - (10 * 0.2 * 0.8 + 30 * 0.5 * 0.5) / (40 * 17 / 40 * 23 / 40)
    assert levels(metric, TABLE) == pytest.approx((of_labels, of_predictions), abs=1e-12)


def test_scorer_below_zero_has_no_relative_change() -> None:
    metric = new_metric(A_TO_T, attacker=GaussianNB(), quality="neg_log_loss", n_trials=1)
    result = metric.result(**TABLE, n_boot=0)
    assert np.isnan(result.value)
    assert any("neg_log_loss is below 0" in note for note in result.notes)


def test_pos_label_is_the_class_of_a_scorer() -> None:
    # Of 28 labelled 0, 24 are guessed, and of 23 predicted 0 all, as ties go to the first class.
    metric = new_metric(
        A_TO_T, attacker=DecisionTreeClassifier(), quality="recall", pos_label=0, **BY_HEART
    )
    assert levels(metric, TABLE)[0] == pytest.approx(24 / 28, abs=1e-12)


def test_own_quality_is_the_name_of_the_metric() -> None:
    metric = new_metric(A_TO_T, attacker=GaussianNB(), quality=partial(f1_score, average="macro"))
    assert metric.name == "DPA(f1_score) A->T"


def test_own_quality_with_weights_is_that_of_repeated_rows() -> None:
    weight = np.tile([1, 2, 3, 4], 10)
    repeated = {name: np.repeat(values, weight) for name, values in TABLE.items()}
    metric = new_metric(A_TO_T, attacker=DecisionTreeClassifier(), quality="roc_auc", **BY_HEART)
    weighted = levels(metric, TABLE | {"sample_weight": weight})
    assert weighted == pytest.approx(levels(metric, repeated), abs=1e-12)


@pytest.mark.parametrize("name", get_scorer_names())
def test_scorer_suits_either_classifiers_or_regressors(name: str) -> None:
    """A scorer of numbers is one that scores numbers that are not whole, without a warning."""
    inputs, target = np.arange(6.0)[:, None], np.arange(6) + 0.5
    is_of_numbers = True
    try:
        get_scorer(name)(LinearRegression().fit(inputs, target), inputs, target)
    except (AttributeError, ValueError, UserWarning):
        is_of_numbers = False
    suits = {"classes": not is_of_numbers and not name.endswith("_samples")}
    suits["numbers"] = is_of_numbers
    for guessed, attacker in (("classes", GaussianNB()), ("numbers", LinearRegression())):
        if suits[guessed]:
            new_metric(A_TO_T, attacker=attacker, quality=name)
            continue
        with pytest.raises(ValueError, match=r"does not guess|cannot score"):
            new_metric(A_TO_T, attacker=attacker, quality=name)


# What is refused when a metric is made.


def tables_are_scored(tables: Any, values: Any, more: Any) -> Any:
    return tables


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"attacker": "forest"}, "a classifier or regressor with fit.*received 'forest'"),
        ({"attacker": LogisticRegression}, "a classifier or regressor .*received <class"),
        ({"attacker": None}, "a classifier or regressor .*received None"),
        ({"attacker": KMeans()}, "a classifier or regressor .*received KMeans"),
        ({"attacker": make_pipeline(StandardScaler())}, "a classifier or regressor .*Pipeline"),
        ({"attacker": SVC()}, "'inverse_cross_entropy' needs .*predict_proba; received SVC"),
        (
            {"attacker": LinearSVC(), "quality": "f1"},
            "'f1' needs .*predict_proba; received LinearSVC",
        ),
        (
            {"attacker": VotingClassifier(SEVERAL), "quality": "roc_auc"},
            "'roc_auc' cannot score .*VotingClassifier has none",
        ),
        ({"attacker": LinearRegression()}, "scores classes, which LinearRegression does not guess"),
        ({"attacker": SEARCH, "quality": "r2"}, "'r2' scores numbers, which GridSearchCV does not"),
        ({"attacker": "dense", "quality": "inverse_mse"}, "scores numbers, which MLPClassifier"),
        ({"attacker": "logistic", "quality": "jaccard_samples"}, "'jaccard_samples' cannot score"),
        ({"attacker": "logistic", "quality": "auc"}, "quality must be one of .*received 'auc'"),
        (
            {"attacker": "logistic", "quality": make_scorer(f1_score)},
            "must take y_true and y_pred .*received make_scorer",
        ),
        (
            {"attacker": "logistic", "quality": tables_are_scored},
            "must take y_true and y_pred .*received <function tables_are_scored",
        ),
        ({"attacker": "logistic", "equalize": "expected"}, "equalize='expected' is for the exact"),
        ({"attacker": "logistic", "evaluation": "loo"}, "evaluation='loo' is of attacker='exact'"),
    ],
)
def test_metric_of_what_does_not_go_together_raises(settings: Columns, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        new_metric(A_TO_T, **settings)


# What the data refuse.


@pytest.mark.parametrize(
    ("settings", "columns", "message"),
    [
        (
            {"attacker": "logistic"},
            {"y_true": LABELS + 0.5, "y_pred": PREDICTIONS + 0.5},
            "y_true must hold classes .*received other numbers for LogisticRegression",
        ),
        (
            {"attacker": LinearRegression(), "quality": "r2"},
            {name: np.array(["no", "yes"])[TABLE[name]] for name in ("y_true", "y_pred")},
            "a regressor guesses a number in every row",
        ),
        (
            {"attacker": KNeighborsRegressor(), "quality": "r2"},
            {},
            "KNeighborsRegressor must read all rows .*n_neighbors=5 and 30",
        ),
        ({"attacker": "logistic"}, {"clusters": np.zeros(40)}, "two clusters or more; received 1"),
        (
            {"attacker": "logistic", "quality": "roc_auc"},
            {"y_pred": np.zeros(40, dtype=int)},
            "'roc_auc' cannot score these guesses of LogisticRegression",
        ),
        (
            {"attacker": "logistic", "quality": "roc_auc", "missing": "abstain"},
            {"y_pred": np.where(np.arange(40) % 5 == 0, np.nan, PREDICTIONS)},
            "'roc_auc' cannot score .*predictions are missing",
        ),
        (
            {"attacker": "logistic", "quality": lambda tables, values: tables.sum(axis=(-2, -1))},
            {},
            "cannot score these guesses of LogisticRegression: axis",
        ),
        (
            {"attacker": "logistic", "quality": lambda true, guess: true == guess},
            {},
            "cannot score these guesses of LogisticRegression: only",
        ),
    ],
)
def test_data_that_do_not_suit_an_attacker_raise(
    settings: Columns, columns: Columns, message: str
) -> None:
    metric = new_metric(A_TO_T, n_trials=1, **settings)
    with pytest.raises(ValueError, match=message):
        metric.result(**(TABLE | columns), n_boot=0)


@pytest.mark.parametrize(
    "settings", [{"equalize": "expected"}, {"evaluation": "loo"}, {"quality": lambda x, y: 0}]
)
def test_matrix_is_not_read_by_the_exact_attacker(settings: Columns) -> None:
    columns = matrix_columns()
    with pytest.raises(ValueError, match="y_true is a matrix, which only a fitted attacker can"):
        new_metric(T_TO_A, **settings).result(**columns, n_boot=0)


# Variables.


def matrix_columns(n: int = 400) -> Columns:
    """Return a matrix whose columns lean to group 1, and predictions of it and of the group."""
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=n)
    truth = (rng.random((n, 3)) < 0.3 + 0.4 * group[:, None]).astype(int)
    return {
        "y_true": truth,
        "y_pred": truth ^ (rng.random((n, 3)) < 0.15),
        "sensitive_features": group,
        "sensitive_features_pred": group ^ (rng.random(n) < 0.2),
    }


def test_matrix_as_target_is_the_mean_over_columns() -> None:
    columns = matrix_columns()
    metric = new_metric(A_TO_T, attacker=DecisionTreeClassifier(), **BY_HEART)
    alone = [
        metric(**(columns | {name: columns[name][:, j] for name in ("y_true", "y_pred")}))
        for j in range(3)
    ]
    assert metric(**columns) == pytest.approx(np.mean(alone), abs=1e-12)


def test_matrix_as_input_is_read_whole() -> None:
    # The two predicted columns differ exactly in group 1; each alone tells nothing, nor do labels.
    first, group = np.indices((2, 2)).reshape(2, -1).repeat(50, axis=1)
    columns = {
        "y_true": np.tile([[0, 1], [1, 0]], (100, 1)),
        "y_pred": np.column_stack([first, first ^ group]),
        "sensitive_features": group,
    }
    metric = new_metric(LEAKAGE, attacker=DecisionTreeClassifier(), **BY_HEART)
    assert levels(metric, columns) == (1 / 2, 1)


def test_matrix_without_attacker_is_that_of_logistic() -> None:
    columns = matrix_columns()
    value = new_metric(T_TO_A, n_trials=2)(**columns)
    assert value == new_metric(T_TO_A, attacker="logistic", n_trials=2)(**columns)


def test_overlapping_groups_are_guessed_one_by_one() -> None:
    group = LABELS
    both = bam.OverlappingGroups(np.column_stack([group, 1 - group]))
    metric = new_metric(LEAKAGE, attacker=DecisionTreeClassifier(), **BY_HEART)
    columns = {"y_true": PREDICTIONS, "y_pred": LABELS}
    one = metric(**columns, sensitive_features=group)
    assert metric(**columns, sensitive_features=both) == pytest.approx(one, abs=1e-12)


def test_missing_predictions_are_one_more_class() -> None:
    # Every fifth prediction is missing: 2 of group a, one of them a 1, and 6 of b, three of them.
    # That leaves 7 of 0 and 1 of 1 in a, and 12 of each in b.
    predicted = np.where(np.arange(40) % 5 == 0, np.nan, PREDICTIONS)
    metric = new_metric(
        A_TO_T, attacker=DecisionTreeClassifier(), quality="accuracy", missing="abstain", **BY_HEART
    )
    expected = RIGHT[0] / 40, (7 + 12) / 40
    assert levels(metric, TABLE | {"y_pred": predicted}) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("attacker", [DecisionTreeClassifier(), LinearDiscriminantAnalysis()])
def test_probabilities_are_guessed_by_their_share(attacker: Any) -> None:
    # Each of group a is 1 with .9, each of b with .2: .9 and .8 are guessed right.
    chance = np.where(GROUPS == "a", 0.9, 0.2)
    metric = new_metric(A_TO_T, attacker=attacker, quality="accuracy", **BY_HEART)
    expected = RIGHT[0] / 40, (10 * 0.9 + 30 * 0.8) / 40
    assert levels(metric, TABLE | {"y_pred": chance}) == pytest.approx(expected, abs=1e-12)


def test_weights_are_repetitions_for_an_attacker_that_takes_them() -> None:
    weight = np.tile([1, 2, 3, 4], 10)
    repeated = {name: np.repeat(values, weight) for name, values in TABLE.items()}
    metric = new_metric(A_TO_T, attacker=DecisionTreeClassifier(), **BY_HEART)
    weighted = levels(metric, TABLE | {"sample_weight": weight})
    assert weighted == pytest.approx(levels(metric, repeated), abs=1e-12)


@pytest.mark.parametrize("attacker", [LinearDiscriminantAnalysis(), VotingClassifier(SEVERAL)])
@pytest.mark.parametrize("quality", ["balanced_accuracy", "accuracy"])
def test_weights_are_heeded_by_an_attacker_that_takes_none(attacker: Any, quality: str) -> None:
    # Rows of group a weigh 8: 80 and 30. The majorities of the groups stay what they were.
    weight = np.where(GROUPS == "a", 8, 1)
    metric = new_metric(A_TO_T, attacker=attacker, quality=quality, **BY_HEART)
    of_labels = {
        "accuracy": (8 * 6 + 24) / 110,
        "balanced_accuracy": (48 / (48 + 6) + 24 / (32 + 24)) / 2,
    }
    level = levels(metric, TABLE | {"sample_weight": weight})[0]
    assert level == pytest.approx(of_labels[quality], abs=1e-12)


def test_constant_predictions_are_guessed_without_loss() -> None:
    columns = TABLE | {"y_pred": np.ones(40, dtype=int)}
    with pytest.warns(bam.AmplificationWarning, match="below chance"):
        assert new_metric(A_TO_T, attacker="logistic", n_trials=1)(**columns) == 1


def test_class_that_is_not_fitted_counts_as_half_a_row() -> None:
    # A single row of 20 is a 1. It is guessed from the 16 rows of the other folds, which are all 0:
    # its chance is .5/17 over 1 + .5/17. In four folds of 4 rows, the attacker knows one row of 1
    # among 16, in rows that all look the same.
    truth = (np.arange(20) == 0).astype(int)
    columns = {"y_true": truth, "y_pred": truth, "sensitive_features": np.zeros(20, dtype=int)}
    metric = new_metric(
        A_TO_T, attacker=DecisionTreeClassifier(), equalize=None, n_trials=1, group_labels=[0, 1]
    )
    unseen = 0.5 / 17
    loss = -log(unseen / (1 + unseen)) + 3 * log(1 + unseen) - 16 * log(15 / 16)
    assert 1 / levels(metric, columns)[0] == pytest.approx(loss / 20, abs=1e-12)


# Numbers.

AGE = np.tile([20.5, 30.5, 50.5, 60.5], 100)
STUMP = DecisionTreeClassifier(max_depth=1)


def test_numbers_are_read_as_numbers() -> None:
    # Four ages, of which a tree of one split finds the middle. 20 % of the labels are wrong.
    old = (AGE > 40).astype(int)
    truth = old ^ (np.arange(400) // 4 % 5 == 0)
    columns = {"y_true": truth, "y_pred": old, "sensitive_features": AGE}
    metric = new_metric(A_TO_T, attacker=STUMP, quality="accuracy", **BY_HEART)
    assert levels(metric, columns) == pytest.approx((0.8, 1), abs=1e-12)


def test_numbers_are_guessed_by_regression() -> None:
    # Labels are off by 1 in either direction, predictions by 2: the root of the error is 1 and 2.
    off = np.repeat([-1, 1], 200)
    columns = {"y_true": AGE + off, "y_pred": AGE + 2 * off, "sensitive_features": AGE}
    metric = new_metric(
        A_TO_T,
        attacker=LinearRegression(),
        quality="inverse_rmse",
        class_labels=sorted({*(AGE + off), *(AGE + 2 * off)}),
        evaluation="resubstitution",
        n_trials=1,
    )
    result = metric.result(**columns, n_boot=0)
    assert result.value == pytest.approx((1 - 2) / (1 + 2), abs=1e-12)
    assert any("numbers have no accuracy" in note for note in result.notes)


# Trials.


class NotingTree(DecisionTreeClassifier):
    """A tree that notes the seed, inputs and targets of its fits, and the inputs it is asked."""

    fits: list[dict[str, Any]] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:  # noqa: N803
        note = {"seed": self.random_state, "inputs": X[:, 0], "target": y, "asked": None}
        self.fits.append(note)
        return super().fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:  # noqa: N803
        self.fits[-1]["asked"] = X[:, 0]
        return super().predict(X)


@pytest.fixture
def noted() -> list[dict[str, Any]]:
    """Rows with a number of their own, in ten clusters, that a tree was fitted on in two trials."""
    rng = np.random.default_rng(0)
    attacker = NotingTree()
    columns = {
        "y_true": rng.integers(2, size=40),
        "y_pred": rng.integers(2, size=40),
        "sensitive_features": np.arange(40) + 0.5,
        "clusters": np.arange(40) // 4,
    }
    metric = new_metric(A_TO_T, attacker=attacker, quality="accuracy", n_trials=2)
    NotingTree.fits.clear()
    metric.result(**columns, n_boot=0)
    assert not hasattr(attacker, "classes_")
    return [note for note in NotingTree.fits if len(note["inputs"]) < 40]


def test_folds_keep_clusters_together(noted: list[dict[str, Any]]) -> None:
    assert len(noted) == 2 * 2 * 5
    for note in noted:
        fitted, asked = (set(note[name] // 4) for name in ("inputs", "asked"))
        assert not fitted & asked
        assert len(note["asked"]) == 8


def test_dataset_and_model_have_the_same_folds_and_seeds(noted: list[dict[str, Any]]) -> None:
    for trial in (noted[:10], noted[10:]):
        for of_dataset, of_model in zip(trial[:5], trial[5:], strict=True):
            assert of_dataset["seed"] == of_model["seed"]
            np.testing.assert_array_equal(of_dataset["inputs"], of_model["inputs"])
    assert noted[0]["seed"] != noted[10]["seed"]
    assert noted[0]["inputs"].tolist() != noted[10]["inputs"].tolist()


def test_rows_are_fitted_in_random_order(noted: list[dict[str, Any]]) -> None:
    """Searches and stacks split the rows as they come, so these must not be sorted."""
    for note in noted:
        assert np.any(np.diff(note["inputs"]) < 0)
        assert len(np.unique(note["target"])) == 2


def test_labels_are_flipped_as_often_as_the_model_errs() -> None:
    # Labels follow from the group, and predictions are right in 75 % of both groups. In a trial of
    # 4,000 rows the share of labels that stay is .75 within 5 * sqrt(.75 * .25 / 4000) = .034.
    group = np.arange(4000) % 2
    columns = {
        "y_true": group,
        "y_pred": group ^ (np.arange(4000) // 2 % 4 == 0),
        "sensitive_features": group,
    }
    metric = new_metric(A_TO_T, attacker=DecisionTreeClassifier(), quality="accuracy", n_trials=1)
    of_labels, of_predictions = levels(metric, columns)
    assert of_predictions == pytest.approx(0.75, abs=1e-12)
    assert 0 < abs(of_labels - 0.75) < 0.034


def test_perfect_model_amplifies_nothing() -> None:
    columns = TABLE | {"y_pred": LABELS}
    for name in (LEAKAGE, A_TO_T):
        assert new_metric(name, attacker=RandomForestClassifier(3), n_trials=2)(**columns) == 0


def test_value_is_the_same_again_and_in_another_order_of_rows() -> None:
    columns = matrix_columns()
    metric = new_metric(LEAKAGE, attacker=RandomForestClassifier(3), n_trials=2)
    value = metric(**columns)
    assert metric(**columns) == value
    order = np.random.default_rng(1).permutation(400)
    assert metric(**{name: values[order] for name, values in columns.items()}) == value
    assert metric.result(**columns, n_boot=0, random_state=1).value != value


def test_models_of_equal_accuracy_have_the_same_flips() -> None:
    # The second model errs in other rows, as many.
    first, second = LABELS.copy(), LABELS.copy()
    first[[0, 39]], second[[9, 20]] = 1 - first[[0, 39]], 1 - second[[9, 20]]
    metric = new_metric(A_TO_T, attacker="logistic", n_trials=2)
    of_labels = [levels(metric, TABLE | {"y_pred": model})[0] for model in (first, second)]
    assert of_labels[0] == of_labels[1]


def test_trials_in_parallel_have_the_same_value() -> None:
    metric = new_metric(A_TO_T, attacker="logistic", n_trials=4)
    value = metric(**TABLE)
    with parallel_config("threading", n_jobs=2):
        assert metric(**TABLE) == value


def test_weights_reach_a_pipeline_though_metadata_are_routed() -> None:
    attacker = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    metric = new_metric(LEAKAGE, attacker=attacker, n_trials=1)
    value = metric(**TABLE)
    with config_context(enable_metadata_routing=True):
        assert metric(**TABLE) == value


def test_many_rows_have_fewer_trials_and_a_note() -> None:
    # 5,000,000 rows are 6 trials of 800,000.
    group = np.arange(800_000) % 2
    columns = {"y_true": group, "y_pred": group, "sensitive_features": group}
    metric = new_metric(
        A_TO_T, attacker=DummyClassifier(), quality="accuracy", evaluation="resubstitution"
    )
    notes = metric.result(**columns, n_boot=0).notes
    assert notes == ("Mean of 6 trials; flips and folds leave a standard error of 0 in the value.",)


def test_levels_without_dependence_are_subtracted() -> None:
    columns = {
        "y_true": np.tile([0, 0, 1, 1], 50),
        "y_pred": np.tile([0, 1, 1, 0], 50),
        "sensitive_features": np.tile([0, 1], 100),
    }
    metric = new_metric(
        A_TO_T, attacker="logistic", quality="uncertainty_coefficient", n_trials=1, equalize=None
    )
    result = metric.result(**columns, n_boot=0)
    assert result.value == 0
    assert any("is a difference of U, not a ratio" in note for note in result.notes)


def test_fitted_attacker_has_no_interval_and_no_pairs_of_own_qualities() -> None:
    metric = new_metric(A_TO_T, attacker=GaussianNB(), quality="roc_auc", n_trials=1)
    result = metric.result(**TABLE)
    assert result.interval is None
    assert "a fitted GaussianNB" in result.reason
    assert result.by_pair[["psi_dataset", "psi_model"]].isna().all(axis=None)
