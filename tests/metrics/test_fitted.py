"""The rows that attackers are fitted on: matrices, weights, numbers, folds, flips and trials."""

from math import log
from typing import Any

import numpy as np
import pandas as pd
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
    levels,
    matrix_columns,
    new_metric,
)
from joblib import parallel_config
from sklearn import config_context
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam
from biasamp_adapters.counting.variables import Block
from biasamp_adapters.metrics.fitted import flip_rows, shares_of_classes

TREE = DecisionTreeClassifier()
U = "uncertainty_coefficient"

# Data that are refused.

NAMES = {name: np.array(["no", "yes"])[TABLE[name]] for name in ("y_true", "y_pred")}
NUMBERS = {name: TABLE[name] + 0.5 for name in ("y_true", "y_pred")}
MATRIX, ZEROS = matrix_columns(), np.zeros(40, dtype=int)
LOGISTIC, LINEAR = {"attacker": "logistic"}, {"attacker": LinearRegression()}
OF_NO_TABLE = "y_true is no column of labels, so a ratio of"


def each_row(true: Any, guess: Any) -> Any:
    return true == guess


@pytest.mark.parametrize(
    ("name", "settings", "columns", "message"),
    [
        (A_TO_T, LOGISTIC, NUMBERS, "y_true must hold classes .*received other"),
        (A_TO_T, LINEAR | {"quality": "r2"}, NAMES, "y_true must hold numbers"),
        (A_TO_T, LOGISTIC, {"clusters": ZEROS}, "two clusters or more; received 1"),
        (A_TO_T, LOGISTIC | {"quality": "roc_auc"}, {"y_pred": ZEROS}, "cannot score LogisticReg"),
        (A_TO_T, LOGISTIC | {"quality": each_row}, {}, "cannot score LogisticRegression: only"),
        # The exact attacker knows no table of a matrix.
        (T_TO_A, {"equalize": "expected"}, MATRIX, "'expected' is for the exact attacker"),
        (T_TO_A, {"quality": lambda tables, values: tables[..., 0, 0]}, MATRIX, "cannot score Log"),
        (T_TO_A, {"quality": U}, MATRIX, OF_NO_TABLE),
        (T_TO_A, {"quality": U, "attacker": "logistic"}, MATRIX, OF_NO_TABLE),
    ],
)
def test_data_that_do_not_suit_an_attacker_raise(name, settings, columns, message) -> None:
    metric = new_metric(name, n_trials=1, **settings)
    with pytest.raises(ValueError, match=message):
        metric.result(**(TABLE | columns), n_boot=0)


@pytest.mark.parametrize("argument", ["y_pred", "sensitive_features"])
def test_columns_that_are_guessed_are_guessed_one_by_one(argument) -> None:
    # Predictions are a matrix, or groups overlap: the first one, and the even rows.
    two = np.column_stack([LABELS, np.arange(40) % 2])
    name, columns = LEAKAGE, {"y_true": PREDICTIONS, "y_pred": LABELS}
    alone: list[Columns] = [{"sensitive_features": group} for group in two.T]
    together: Columns = {"sensitive_features": bam.OverlappingGroups(two)}
    if argument == "y_pred":
        name, columns = A_TO_T, {"sensitive_features": GROUPS}
        alone = [{"y_true": PREDICTIONS, "y_pred": predicted} for predicted in two.T]
        together = {"y_true": np.column_stack([PREDICTIONS, PREDICTIONS]), "y_pred": two}
    metric = new_metric(name, attacker=TREE, **BY_HEART)
    values = [metric(**columns, **each) for each in alone]
    assert abs(values[0] - values[1]) > 0.1
    assert metric(**columns, **together) == pytest.approx(np.mean(values), abs=1e-12)


def test_matrix_as_input_is_read_whole() -> None:
    # The two predicted columns differ exactly in group 1; each alone tells nothing, nor do labels.
    first, group = np.indices((2, 2)).reshape(2, -1).repeat(50, axis=1)
    columns = {
        "y_true": np.tile([[0, 1], [1, 0]], (100, 1)),
        "y_pred": np.column_stack([first, first ^ group]),
        "sensitive_features": group,
    }
    metric = new_metric(LEAKAGE, attacker=TREE, **BY_HEART)
    assert levels(metric, columns) == pytest.approx((1 / 2, 1), abs=1e-12)


def test_matrix_without_attacker_is_that_of_logistic() -> None:
    value = new_metric(T_TO_A, n_trials=2)(**MATRIX)
    assert value == new_metric(T_TO_A, attacker="logistic", n_trials=2)(**MATRIX)


CHANCES = np.where(GROUPS == "a", 0.9, 0.2)


@pytest.mark.parametrize(
    ("name", "predicted", "right", "attacker"),
    [
        # Every fifth is missing, one more class: of group a 1 of 2 is a 1, of b 3 of 6. That leaves
        # 7 of 0 and 1 of 1 in a, and 12 of each in b.
        (A_TO_T, np.where(np.arange(40) % 5 == 0, np.nan, PREDICTIONS), 7 + 12, TREE),
        # Probabilities: each of a is 1 with .9, each of b with .2, as a target or as what is seen.
        (A_TO_T, CHANCES, 10 * 0.9 + 30 * 0.8, TREE),
        (A_TO_T, CHANCES, 10 * 0.9 + 30 * 0.8, LinearDiscriminantAnalysis()),
        (LEAKAGE, CHANCES, 10 * 0.9 + 30 * 0.8, TREE),
        (LEAKAGE, CHANCES, 10 * 0.9 + 30 * 0.8, LinearDiscriminantAnalysis()),
    ],
)
def test_missing_predictions_and_probabilities_are_guessed(
    name, predicted, right, attacker
) -> None:
    metric = new_metric(name, attacker=attacker, quality="accuracy", missing="abstain", **BY_HEART)
    expected = RIGHT[0] / 40, right / 40
    assert levels(metric, TABLE | {"y_pred": predicted}) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("quality", ["inverse_cross_entropy", "roc_auc"])
def test_weights_are_repetitions_for_an_attacker_that_takes_them(quality) -> None:
    weight = np.tile([1, 2, 3, 4], 10)
    repeated = {name: np.repeat(values, weight) for name, values in TABLE.items()}
    metric = new_metric(A_TO_T, attacker=TREE, quality=quality, **BY_HEART)
    weighted = levels(metric, TABLE | {"sample_weight": weight})
    assert weighted == pytest.approx(levels(metric, repeated), abs=1e-12)


@pytest.mark.parametrize("attacker", [LinearDiscriminantAnalysis(), VotingClassifier(SEVERAL)])
@pytest.mark.parametrize(
    ("quality", "level"),
    [
        # Rows of group a weigh 8 times as much: 80 and 30. The majorities stay what they were.
        ("accuracy", (8 * 6 + 24) / 110),
        ("balanced_accuracy", (48 / (48 + 6) + 24 / (32 + 24)) / 2),
    ],
)
def test_weights_reach_attackers_that_take_none(attacker, quality, level) -> None:
    columns = TABLE | {"sample_weight": np.where(GROUPS == "a", 0.008, 0.001)}
    metric = new_metric(A_TO_T, attacker=attacker, quality=quality, **BY_HEART)
    assert levels(metric, columns)[0] == pytest.approx(level, abs=1e-12)


def test_attacker_with_class_weights_is_not_balanced_twice() -> None:
    values = [
        new_metric(LEAKAGE, attacker=LogisticRegression(class_weight=weight), **BY_HEART)(**TABLE)
        for weight in (None, "balanced")
    ]
    assert values[0] == values[1] != 0


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
    metric = new_metric(A_TO_T, attacker=TREE, equalize=None, n_trials=1, group_labels=[0, 1])
    unseen = 0.5 / 17
    loss = -log(unseen / (1 + unseen)) + 3 * log(1 + unseen) - 16 * log(15 / 16)
    assert 1 / levels(metric, columns)[0] == pytest.approx(loss / 20, abs=1e-12)


AGE = np.tile([20.5, 30.5, 50.5, 60.5], 100)


def test_numbers_are_read_as_numbers() -> None:
    # Four ages, of which a tree of one split finds the middle. 20 % of the labels are wrong.
    old = (AGE > 40).astype(int)
    truth = old ^ (np.arange(400) // 4 % 5 == 0)
    columns = {"y_true": truth, "y_pred": old, "sensitive_features": AGE}
    stump = DecisionTreeClassifier(max_depth=1)
    metric = new_metric(A_TO_T, attacker=stump, quality="accuracy", **BY_HEART)
    assert levels(metric, columns) == pytest.approx((0.8, 1), abs=1e-12)


def test_numbers_are_guessed_by_regression() -> None:
    # Labels are off by 1 in either direction, predictions by 2: the root of the error is 1 and 2.
    off = np.repeat([-1, 1], 200)
    columns = {"y_true": AGE + off, "y_pred": AGE + 2 * off, "sensitive_features": AGE}
    settings = BY_HEART | {"equalize": "auto"}
    metric = new_metric(
        A_TO_T, attacker=LinearRegression(), quality="inverse_rmse",
        class_labels=sorted({*(AGE + off), *(AGE + 2 * off)}), **settings,
    )  # fmt: skip
    result = metric.result(**columns, n_boot=0)
    assert result.value == pytest.approx((1 - 2) / (1 + 2), abs=1e-12)
    assert any("numbers have no accuracy" in note for note in result.notes)


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


def test_trials_share_folds_and_seeds_between_dataset_and_model() -> None:
    # 40 rows in ten clusters, each with a number of its own that tells which rows are fitted.
    NotingTree.fits.clear()
    attacker, rng = NotingTree(), np.random.default_rng(0)
    new_metric(A_TO_T, attacker=attacker, quality="accuracy", n_trials=2).result(
        rng.integers(2, size=40), rng.integers(2, size=40),
        sensitive_features=np.arange(40) + 0.5, clusters=np.arange(40) // 4, n_boot=0,
    )  # fmt: skip
    assert not hasattr(attacker, "classes_")  # Clones are fitted.
    noted = [note for note in NotingTree.fits if len(note["inputs"]) < 40]
    assert len(noted) == 2 * 2 * 5
    for note in noted:
        fitted, asked = (set(note[name] // 4) for name in ("inputs", "asked"))
        assert not fitted & asked
        assert len(note["asked"]) == 8
        # Searches and stacks split the rows as they come, so these must not be sorted.
        assert np.any(np.diff(note["inputs"]) < 0)
        assert len(np.unique(note["target"])) == 2
    for trial in (noted[:10], noted[10:]):
        for of_dataset, of_model in zip(trial[:5], trial[5:], strict=True):
            assert of_dataset["seed"] == of_model["seed"]
            np.testing.assert_array_equal(of_dataset["inputs"], of_model["inputs"])
    assert noted[0]["seed"] != noted[10]["seed"]
    assert noted[0]["inputs"].tolist() != noted[10]["inputs"].tolist()


def test_labels_are_flipped_as_often_as_the_model_errs() -> None:
    # Labels follow from the group, and predictions are right in 75 % of both groups. In a trial of
    # 4,000 rows the share of labels that stay is .75 within 5 * sqrt(.75 * .25 / 4000) = .034.
    group = np.arange(4000) % 2
    predicted = group ^ (np.arange(4000) // 2 % 4 == 0)
    columns = {"y_true": group, "y_pred": predicted, "sensitive_features": group}
    metric = new_metric(A_TO_T, attacker=TREE, quality="accuracy", n_trials=1)
    of_labels, of_predictions = levels(metric, columns)
    assert of_predictions == pytest.approx(0.75, abs=1e-12)
    assert 0 < abs(of_labels - 0.75) < 0.034
    # Entries of a matrix are flipped as often as those of their column are wrong.
    zeros = Block((0, 1), np.zeros((4000, 2), np.uint8), np.zeros(4000, bool), is_matrix=True)
    flipped = flip_rows(zeros, np.array([0.75, 0.9]), np.random.default_rng(0))
    assert flipped.values.mean(axis=0) == pytest.approx([0.25, 0.1], abs=0.034)


def test_missing_row_of_a_matrix_is_a_class_of_each_column() -> None:
    column = Block((0,), np.array([[1], [0], [0]]), np.array([False, False, True]), is_matrix=True)
    assert next(shares_of_classes(column)).toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_models_of_equal_accuracy_have_the_same_flips() -> None:
    # The second model errs in other rows, as many; a model without errors amplifies nothing.
    first, second = LABELS.copy(), LABELS.copy()
    first[[0, 39]], second[[9, 20]] = 1 - first[[0, 39]], 1 - second[[9, 20]]
    metric = new_metric(A_TO_T, attacker="logistic", n_trials=2)
    of_labels = [levels(metric, TABLE | {"y_pred": model})[0] for model in (first, second)]
    assert of_labels[0] == of_labels[1]
    assert metric(**TABLE | {"y_pred": LABELS}) == 0


def test_value_is_the_same_again_in_another_order_and_in_parallel() -> None:
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    metric = new_metric(LEAKAGE, attacker=forest, n_trials=2)
    value = metric(**MATRIX)
    order = np.random.default_rng(1).permutation(400)
    assert metric(**{name: values[order] for name, values in MATRIX.items()}) == value
    with parallel_config("threading", n_jobs=2):
        assert metric(**MATRIX) == value
    with config_context(enable_metadata_routing=True):
        assert metric(**MATRIX) == value
    assert metric.result(**MATRIX, n_boot=0, random_state=1).value != value


@pytest.mark.parametrize(("most", "n_trials"), [(6 * 40 + 39, 6), (4 * 40, 5)])
def test_many_rows_have_fewer_trials_and_a_note(most, n_trials, monkeypatch) -> None:
    # Trials of 40 rows; five are the fewest.
    monkeypatch.setattr("biasamp_adapters.metrics.fitted._ROWS_OF_TRIALS", most)
    metric = new_metric(A_TO_T, attacker=GaussianNB(), evaluation="resubstitution")
    notes = metric.result(**TABLE | {"y_pred": LABELS}, n_boot=0).notes
    note = f"Mean of {n_trials} trials; flips and folds leave a standard error of 0 in the value."
    assert notes == (note,)


def test_pairs_of_a_fitted_attacker_are_those_of_drawn_flips() -> None:
    predicted = np.where(np.arange(40) % 8 == 0, 1 - LABELS, LABELS)
    tables = [
        new_metric(A_TO_T, **settings).result(**TABLE | {"y_pred": predicted}, n_boot=0).by_pair
        for settings in ({"attacker": TREE, "n_trials": 5}, {"equalize": "sampled", "n_trials": 5})
    ]
    pd.testing.assert_frame_equal(*tables)


def test_pairs_of_a_scorer_of_a_fitted_attacker_have_no_levels() -> None:
    metric = new_metric(A_TO_T, attacker=GaussianNB(), quality="roc_auc", n_trials=1)
    result = metric.result(**TABLE, n_boot=0)
    assert result.by_pair[["psi_dataset", "psi_model"]].isna().all(axis=None)
