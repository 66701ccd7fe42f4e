"""What label matrices may stand beside: vectors, models, crossed attributes, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from good_matrices import (
    AGREED,
    GROUP,
    INDICATORS,
    PREDICTED,
    PREDICTION,
    TRUE,
    TRUTH,
    column_sums,
    count,
    joint,
)
from scipy import sparse

from biasamp_adapters import CooccurrenceCounts, Indicators
from biasamp_adapters.inputs import columns

LABELS = ["cat", "dog", "dog", "eel", "cat", "dog"]
MADE = ["cat", "cat", "dog", "eel", "dog", "fly"]


def _one_hot(labels: list[str]) -> list[list[int]]:
    return [[int(label == name) for name in ("cat", "dog", "eel", "fly")] for label in labels]


@pytest.mark.parametrize("chunk_rows", [2**16, 1, 4])
def test_label_vectors_are_a_column_a_class(
    chunk_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "CHUNK_ROWS", chunk_rows)
    group = Indicators(INDICATORS)
    counts = count(y_true=LABELS, y_pred=MADE, sensitive_features=group)
    # A class that is only predicted is a class.
    assert counts.labels == ("cat", "dog", "eel", "fly")
    assert joint(counts, "attribute", "task") == [[1, 2, 0, 0], [1, 1, 1, 0]]
    matrix = count(y_true=_one_hot(LABELS), y_pred=_one_hot(MADE), sensitive_features=group)
    np.testing.assert_array_equal(counts.moments["n"], matrix.moments["n"])
    assert counts.matrices == {"groups"}
    assert matrix.matrices == {"labels", "groups"}
    assert counts.one_each("task")


def test_predicted_groups_may_be_labels_beside_indicators() -> None:
    group = Indicators(INDICATORS, names=["m", "w"])
    guesses = ["m", "w", "w", "w", "w", "m"]
    counts = count(sensitive_features=group, sensitive_features_pred=guesses)
    rows = [[int(guess == name) for name in ("m", "w")] for guess in guesses]
    as_columns = Indicators(rows, names=["m", "w"])
    assert counts == count(sensitive_features=group, sensitive_features_pred=as_columns)


@pytest.mark.parametrize("guesses", [None, "shared", "each"])
def test_each_model_is_counted_as_if_alone(guesses: str | None) -> None:
    models = {"old": PREDICTION, "new": np.array(TRUTH)}
    shared = list("aabbbb")
    given: Any = {"old": shared, "new": list("aaabba")} if guesses == "each" else None
    if guesses == "shared":
        given = shared
    counts = count(y_pred=models, sensitive_features_pred=given)
    assert counts.models == ("old", "new")
    assert joint(counts, "attribute", "prediction", "old") == PREDICTED
    assert joint(counts, "attribute", "prediction", "new") == TRUE
    for name, rows in models.items():
        guess = given[name] if guesses == "each" else given
        assert counts.model(name) == count(y_pred={name: rows}, sensitive_features_pred=guess)


def test_crossed_attributes() -> None:
    crossed = pd.DataFrame({"sex": list("ffmmff"), "age": [20, 30, 20, 20, 20, 30]})
    counts = count(sensitive_features=crossed)
    assert counts.attributes == ("sex", "age")
    assert counts.groups == (("f", 20), ("f", 30), ("m", 20))
    # Rows 0 and 4 of the truth, rows 1 and 5, rows 2 and 3.
    assert joint(counts, "attribute", "task") == [[1, 1, 1], [1, 0, 0], [0, 1, 2]]
    as_mapping = {"sex": crossed["sex"], "age": pl.Series(crossed["age"].tolist())}
    assert counts == count(sensitive_features=as_mapping)
    assert counts.to_frame()["attribute"].tolist()[::3] == ["f × 20", "f × 30", "m × 20"]


SOFT = [[0.25, 0.0, 1.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.75]]


@pytest.mark.parametrize("container", [list, np.float16, pd.DataFrame, sparse.csr_matrix])
def test_probabilities_are_expected_counts(container: Any) -> None:
    counts = CooccurrenceCounts.from_arrays(TRUTH[1:4], container(SOFT), GROUP[1:4])
    assert joint(counts, "attribute", "prediction") == [[0.25 + 0.5, 0, 1], [0, 0, 0.75]]
    # Of tasks that are true: task 0 in row 0, task 2 in rows 1 and 2.
    assert counts.tables().agreement("task").tolist() == [0.25, 0, 0 + 0.75]
    assert counts.soft == {"prediction"}


def test_probabilities_of_groups() -> None:
    guesses = Indicators([[0.5, 0.25], [1, 0], [0, 1], [0, 0], [0.25, 0.5], [0, 0]])
    counts = count(sensitive_features=Indicators(INDICATORS), sensitive_features_pred=guesses)
    # The tasks of rows 0, 1 and 4, and of rows 0, 2 and 4.
    assert joint(counts, "attribute_prediction", "task") == [
        [0.5 + 1, 0.25, 0.5],
        [0.25, 0.5, 0.25 + 1],
    ]
    assert counts.soft == {"attribute_prediction"}


def test_probabilities_of_groups_that_are_labels() -> None:
    guesses = Indicators([[0.5, 0.5], [1, 0], [0, 1], [0, 0], [0.25, 0.75], [0, 1]])
    counts = count(sensitive_features_pred=guesses, groups=["a", "b"])
    # Rows 0, 1 and 4 may be of group a, rows 0, 2, 4 and 5 of group b.
    assert joint(counts, "attribute_prediction", "task") == [
        [0.5 + 1, 0.25, 0.5],
        [0.5, 0.75, 0.5 + 1],
    ]
    assert not counts.is_matrix("attribute")
    named = Indicators(guesses.values, names=["a", "b"])
    assert counts == count(sensitive_features_pred=named)


@pytest.mark.parametrize("chunk_rows", [2**16, 1])
def test_a_vector_of_probabilities_is_that_of_class_1(
    chunk_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "CHUNK_ROWS", chunk_rows)
    probabilities = [0.25, 0.75, 1.0, 0.0, 0.5, 0.5]
    group = Indicators(INDICATORS)
    counts = count(y_true=[0, 1, 1, 0, 1, 0], y_pred=probabilities, sensitive_features=group)
    assert counts.labels == (0, 1)
    # Group 0 is rows 0, 1 and 2; group 1 is rows 2, 3 and 4.
    assert joint(counts, "attribute", "prediction") == [
        [0.75 + 0.25 + 0, 0.25 + 0.75 + 1],
        [0 + 1 + 0.5, 1 + 0 + 0.5],
    ]
    both = [[1 - p, p] for p in probabilities]
    truth = [[1, 0], [0, 1], [0, 1], [1, 0], [0, 1], [1, 0]]
    matrix = count(y_true=truth, y_pred=both, sensitive_features=group)
    np.testing.assert_array_equal(counts.moments["n"], matrix.moments["n"])


def test_weights_and_their_squares_are_added_up() -> None:
    counts = count(sample_weight=[0.5, 2, 0, 1, 3, 0.25])
    assert counts.n_rows == 6
    assert column_sums(counts, "n", "task") == [2, 2, 3]
    # Task 0 is true in rows 0 and 1, task 1 in rows 3 and 4, task 2 in rows 0, 2 and 3.
    assert column_sums(counts, "w", "task") == [0.5 + 2, 1 + 3, 0.5 + 0 + 1]
    assert column_sums(counts, "w2", "task") == [0.25 + 4, 1 + 9, 0.25 + 0 + 1]
    assert joint(counts, "attribute", "task") == [[0.5 + 2, 0, 0.5 + 0], [0, 1 + 3, 1]]
    # The sum of the weights is 27/4, that of their squares 229/16.
    assert counts.effective_rows == (27 / 4) ** 2 / (229 / 16)
    assert counts.unweighted() == count()


def test_one_column_is_a_matrix_of_one_column() -> None:
    task = [[row[0]] for row in TRUTH]
    made = np.array(PREDICTION)[:, [0]]
    counts = count(y_true=task, y_pred=made)
    assert counts.labels == (0,)
    assert joint(counts, "attribute", "task") == [[2], [0]]
    assert joint(counts, "attribute", "prediction") == [[1], [0]]
    assert counts.tables().agreement("task").tolist() == AGREED[:1]
    one_group = count(sensitive_features=Indicators([[row[0]] for row in INDICATORS]))
    assert joint(one_group, "attribute", "task") == TRUE[:1]


@pytest.mark.parametrize("given", ["y_true", "y_pred", "sensitive_features"])
def test_one_variable_alone(given: str) -> None:
    rows = {"y_true": TRUTH, "y_pred": PREDICTION, "sensitive_features": Indicators(INDICATORS)}
    counts = CooccurrenceCounts.from_arrays(**{given: rows[given]})
    role = {"y_true": "task", "y_pred": "prediction", "sensitive_features": "attribute"}[given]
    sums = {"y_true": [2, 2, 3], "y_pred": [1, 3, 5], "sensitive_features": [3, 3]}
    assert counts.tables().marginal(role).tolist() == sums[given]
    assert counts.n_rows == 6


def test_marks_of_rows() -> None:
    counts = count(sensitive_features=Indicators(INDICATORS))
    # Only row 5 has no label of either kind; rows 1, 2 and 4 have one task each; rows 0, 1, 3
    # and 4 have one group each.
    assert counts.tables().labelled == 5
    marks = [column_sums(counts, "n", mark)[0] for mark in ("unlabelled", "one_group", "one_task")]
    assert marks == [1, 4, 3]


def test_the_frame_has_a_row_a_pair() -> None:
    counts = count(y_pred={"old": PREDICTION, "new": TRUTH}, labels=["x", "y", "z"])
    expected = pd.DataFrame(
        {
            "attribute": ["a"] * 3 + ["b"] * 3,
            "task": ["x", "y", "z"] * 2,
            "n": TRUE[0] + TRUE[1],
            "old": PREDICTED[0] + PREDICTED[1],
            "new": TRUE[0] + TRUE[1],
        }
    )
    pd.testing.assert_frame_equal(counts.to_frame(), expected)
    weighted = count(sample_weight=[0.5, 2, 0, 1, 3, 0.25]).to_frame()
    assert weighted["n"].tolist() == [0.5 + 2, 0, 0.5 + 0, 0, 1 + 3, 1]
    halves = count(y_pred=np.array(PREDICTION) / 2).to_frame()
    assert halves["model"].tolist() == [n / 2 for n in PREDICTED[0] + PREDICTED[1]]


@pytest.mark.parametrize(
    "models", [("attribute", "task"), ("n", "n_"), ("n_", "n"), ("task", "task_")], ids=str
)
def test_the_frame_has_a_column_a_model_whatever_its_name(models: tuple[str, str]) -> None:
    counts = count(y_pred=dict(zip(models, (PREDICTION, TRUTH), strict=True)))
    frame = counts.to_frame()
    assert frame.columns.is_unique
    assert frame.shape == (6, 5)
    assert frame["n"].tolist() == TRUE[0] + TRUE[1]
    assert frame.iloc[:, 3].tolist() == PREDICTED[0] + PREDICTED[1]
    assert frame.iloc[:, 4].tolist() == TRUE[0] + TRUE[1]


def test_the_input_does_not_change() -> None:
    arrays = [np.array(rows, dtype=float) for rows in (TRUTH, PREDICTION)]
    arrays[1][5] = np.nan
    copies = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    count(y_true=arrays[0], y_pred=arrays[1], missing="abstain", keep_rows=True)
    for array, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("labels", [[0, 1, 2], [2, 1, 0]])
def test_a_listed_class_that_has_no_probability_has_none(labels: list[int]) -> None:
    groups = Indicators([[1, 0], [1, 0], [0, 1]], names=["a", "b"])
    counts = CooccurrenceCounts.from_arrays([0, 1, 1], [0.25, 0.5, 1.0], groups, labels=labels)
    found = dict(zip(labels, counts.tables().marginal("prediction").tolist(), strict=True))
    # .75 + .5 + 0, .25 + .5 + 1, and nothing.
    assert found == {0: 1.25, 1: 1.75, 2: 0}
