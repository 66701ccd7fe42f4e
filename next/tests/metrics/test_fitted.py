"""The rows that attackers are fitted on: matrices, weights, numbers, folds, flips and trials."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from fitted_cases import (
    A_TO_T,
    BY_HEART,
    GROUPS,
    LABELS,
    LEAKAGE,
    PREDICTIONS,
    RIGHT,
    SEVERAL,
    T_TO_A,
    TABLE,
    Columns,
    entropy,
    levels,
    matrix_columns,
    new_metric,
)
from joblib import parallel_config
from sklearn import config_context
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam

# Data that are refused.


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
            "could not convert string to float: .*no",
        ),
        ({"attacker": "logistic"}, {"clusters": np.zeros(40)}, "two clusters or more; received 1"),
        (
            {"attacker": "logistic", "quality": "roc_auc"},
            {"y_pred": np.zeros(40, dtype=int)},
            "'roc_auc' cannot score LogisticRegression",
        ),
        (
            {"attacker": "logistic", "quality": "roc_auc", "missing": "abstain"},
            {"y_pred": np.where(np.arange(40) % 5 == 0, np.nan, PREDICTIONS)},
            "'roc_auc' cannot score",
        ),
        (
            {"attacker": "logistic", "quality": lambda tables, values: tables.sum(axis=(-2, -1))},
            {},
            "cannot score LogisticRegression: axis",
        ),
        (
            {"attacker": "logistic", "quality": lambda true, guess: true == guess},
            {},
            "cannot score LogisticRegression: only",
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
    "settings",
    [
        {"equalize": "expected"},
        {"evaluation": "loo"},
        {"quality": "f1"},
        {"quality": lambda tables, values: tables[..., 0, 0]},
        {"quality": "uncertainty_coefficient"},
        {"quality": "uncertainty_coefficient", "attacker": "logistic"},
    ],
)
def test_matrix_is_not_read_by_the_exact_attacker(settings: Columns) -> None:
    columns = matrix_columns()
    with pytest.raises(ValueError, match="y_true is no column of labels, so only a fitted"):
        new_metric(T_TO_A, **settings).result(**columns, n_boot=0)


# Variables.


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
    assert levels(metric, columns) == pytest.approx((1 / 2, 1), abs=1e-12)


def test_matrix_without_attacker_is_that_of_logistic() -> None:
    columns = matrix_columns()
    value = new_metric(T_TO_A, n_trials=2)(**columns)
    assert value == new_metric(T_TO_A, attacker="logistic", n_trials=2)(**columns)


def test_overlapping_groups_are_guessed_one_by_one() -> None:
    # Predictions are the first group, and the second is the even rows.
    first, second = LABELS, np.arange(40) % 2
    both = bam.OverlappingGroups(np.column_stack([first, second]))
    metric = new_metric(LEAKAGE, attacker=DecisionTreeClassifier(), **BY_HEART)
    columns = {"y_true": PREDICTIONS, "y_pred": LABELS}
    alone = [metric(**columns, sensitive_features=group) for group in (first, second)]
    assert alone[0] > 0.1 > abs(alone[1])
    value = metric(**columns, sensitive_features=both)
    assert value == pytest.approx(np.mean(alone), abs=1e-12)


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


def test_value_of_a_pipeline_is_the_same_though_metadata_are_routed() -> None:
    attacker = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    metric = new_metric(LEAKAGE, attacker=attacker, n_trials=1)
    value = metric(**TABLE)
    with config_context(enable_metadata_routing=True):
        assert metric(**TABLE) == value


@pytest.mark.parametrize(("n", "n_trials"), [(800_000, 6), (1_250_000, 5)])
def test_many_rows_have_fewer_trials_and_a_note(n: int, n_trials: int) -> None:
    # 5,000,000 rows are 6 trials of 800,000, and 4 of 1,250,000; five are the fewest.
    group = np.arange(n) % 2
    columns = {"y_true": group, "y_pred": group, "sensitive_features": group}
    metric = new_metric(
        A_TO_T, attacker=DummyClassifier(), quality="accuracy", evaluation="resubstitution"
    )
    notes = metric.result(**columns, n_boot=0).notes
    note = f"Mean of {n_trials} trials; flips and folds leave a standard error of 0 in the value."
    assert notes == (note,)


def test_levels_without_clear_dependence_are_subtracted() -> None:
    # Labels tell nothing of the group. Of 100 rows of each group, 56 and 44 are predicted 1: G is
    # 2.89, below the limit of 3.84. A ratio of the levels would be 1.
    columns = {
        "y_true": np.tile([0, 1], 100),
        "y_pred": np.repeat([1, 0, 1, 0], [56, 44, 44, 56]),
        "sensitive_features": np.repeat([0, 1], 100),
    }
    metric = new_metric(
        A_TO_T, attacker=DecisionTreeClassifier(), quality="uncertainty_coefficient", **BY_HEART
    )
    result = metric.result(**columns, n_boot=0)
    assert result.value == pytest.approx(1 - entropy(0.56) / log(2), abs=1e-12)
    assert any("is a difference of its two levels, not a ratio" in note for note in result.notes)


def test_pairs_of_a_scorer_of_a_fitted_attacker_have_no_levels() -> None:
    metric = new_metric(A_TO_T, attacker=GaussianNB(), quality="roc_auc", n_trials=1)
    result = metric.result(**TABLE, n_boot=0)
    assert result.by_pair[["psi_dataset", "psi_model"]].isna().all(axis=None)


def test_attacker_with_class_weights_is_not_balanced_twice() -> None:
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(4)
    groups = (rng.random(2000) < 0.25) * 1
    truth = (rng.random(2000) < np.where(groups == 1, 0.6, 0.35)) * 1
    values = [
        bam.LeakageAmplification(
            attacker=LogisticRegression(class_weight=weight), equalize=None, n_trials=1
        )(truth, truth[::-1], sensitive_features=groups)
        for weight in (None, "balanced")
    ]
    assert values[0] == values[1]
