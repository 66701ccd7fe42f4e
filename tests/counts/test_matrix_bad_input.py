"""Matrices that break a rule: a ValueError that states the rule and what was received."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from good_matrices import INDICATORS, NAN, PREDICTION, TRUTH, count
from scipy import sparse

from biasamp_adapters import (
    CooccurrenceCounts,
    Indicators,
    JointCounts,
)
from biasamp_adapters.counts.counting import _CHUNK_ROWS

VARIABLES = ["y_true", "y_pred", "sensitive_features", "sensitive_features_pred"]


def _with(name: str, matrix: Any) -> dict[str, Any]:
    """Good rows, one of their variables being that matrix."""
    group = Indicators(INDICATORS)
    rows = {"sensitive_features": group, "sensitive_features_pred": group}
    return rows | {name: Indicators(matrix) if name.startswith("sensitive") else matrix}


def _matrix(name: str) -> list[list[Any]]:
    rows = INDICATORS if name.startswith("sensitive") else TRUTH
    return [list(row) for row in rows]


def test_the_rows_of_this_file_are_good() -> None:
    for name in VARIABLES:
        assert count(**_with(name, _matrix(name))).n_rows == 6


@pytest.mark.parametrize("name", VARIABLES)
def test_lengths_that_differ(name: str) -> None:
    message = rf"inputs must have the same length; received .*{name} 5"
    with pytest.raises(ValueError, match=message):
        count(**_with(name, _matrix(name)[:5]))


@pytest.mark.parametrize(
    "empty", [np.zeros((6, 0)), pd.DataFrame(index=range(6)), sparse.csr_array((6, 0))], ids=type
)
@pytest.mark.parametrize("name", VARIABLES)
def test_no_columns(name: str, empty: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must have at least one column; received none"):
        count(**_with(name, empty))


@pytest.mark.parametrize(
    ("rows", "received"),
    [
        (np.zeros((6, 1, 1)), r"the shape \(6, 1, 1\)"),
        (np.zeros(6), r"the shape \(6,\)"),
        ([[0, 1], [1], [0, 1], [1], [0], [0]], "rows of different lengths"),
    ],
    ids=["cube", "vector", "ragged"],
)
def test_groups_that_are_no_matrix(rows: Any, received: str) -> None:
    message = rf"^sensitive_features must have two dimensions.*; received {received}"
    with pytest.raises(ValueError, match=message):
        count(sensitive_features=Indicators(rows))


@pytest.mark.parametrize(
    "rows", [5, object(), {1, 2}, pl.LazyFrame({"m": [1], "w": [0]})], ids=type
)
def test_groups_that_are_no_table(rows: Any) -> None:
    message = (
        r"^sensitive_features must be a matrix or table; received a (int|object|set|LazyFrame)"
    )
    with pytest.raises(ValueError, match=message):
        count(sensitive_features=Indicators(rows))


@pytest.mark.parametrize("name", ["y_true", "y_pred"])
def test_tasks_of_other_dimensions(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must have (one|two) dimension"):
        count(**{name: np.zeros((6, 1, 1))})
    with pytest.raises(ValueError, match=rf"^{name} must have two dimensions.*different lengths"):
        count(**{name: [*TRUTH[:5], [1]]})


@pytest.mark.parametrize("name", VARIABLES)
def test_a_sparse_vector_is_no_matrix(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must have two dimensions"):
        count(**_with(name, sparse.coo_array(np.ones(6))))


def test_predictions_of_another_shape_than_the_truth() -> None:
    labels = [0, 1, 1, 0, 1, 0]
    rule = r"^y_pred\['new'\] must have the shape of y_true; received"
    with pytest.raises(ValueError, match=rf"{rule} labels for a matrix"):
        count(y_pred={"old": PREDICTION, "new": labels})
    with pytest.raises(ValueError, match=rf"{rule} a matrix for labels"):
        count(y_true=labels, y_pred={"old": labels, "new": PREDICTION})


@pytest.mark.parametrize("name", ["y_pred", "sensitive_features_pred"])
def test_predictions_of_another_width(name: str) -> None:
    truth, width = ("y_true", 3) if name == "y_pred" else ("sensitive_features", 2)
    message = rf"^{name} must have a column for each of the {width} of {truth}; received 1"
    with pytest.raises(ValueError, match=message):
        count(**_with(name, [[1]] * 6))


@pytest.mark.parametrize("value", [2, -1, 0.5, np.inf, -0.25, 1e-50, 1 - 1e-10, 1e39, -1e39])
@pytest.mark.parametrize("name", ["y_true", "sensitive_features"])
def test_a_truth_that_is_neither_0_nor_1(name: str, value: float) -> None:
    rows = np.array(_matrix(name), dtype=float)
    rows[3, 1] = value
    with pytest.raises(ValueError, match=rf"^{name} must hold 0 and 1; received "):
        count(**_with(name, rows))


@pytest.mark.parametrize("value", [2, -1, 1.5, -0.25, np.inf, -np.inf, 1e39, 1 + 1e-10, -1e-50])
@pytest.mark.parametrize("name", ["y_pred", "sensitive_features_pred"])
def test_a_prediction_that_is_no_probability(name: str, value: float) -> None:
    rows = np.array(_matrix(name), dtype=float)
    rows[3, 1] = value
    message = rf"^{name} must hold 0 and 1, or probabilities between them; received "
    with pytest.raises(ValueError, match=message):
        count(**_with(name, rows))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_whole_numbers_other_than_0_and_1(dtype: str) -> None:
    rows = np.array(TRUTH, dtype=dtype)
    rows[-1, -1] = 7
    for name in ("y_true", "y_pred"):
        for matrix in (rows, sparse.csr_array(rows), pd.DataFrame(rows, columns=["x", "y", "z"])):
            with pytest.raises(ValueError, match=rf"^{name} must hold 0 and 1.*; received 7"):
                count(**{name: matrix, "labels": ["x", "y", "z"]})


def test_a_bad_value_of_a_later_chunk() -> None:
    rows = np.zeros((3 * _CHUNK_ROWS, 2), dtype=np.int8)
    rows[-1] = 3
    with pytest.raises(ValueError, match=r"^y_true must hold 0 and 1; received 3"):
        CooccurrenceCounts.from_arrays(rows)


@pytest.mark.parametrize("value", ["1", b"1", 1j, date(2020, 1, 1), [1], {}], ids=repr)
@pytest.mark.parametrize("name", VARIABLES)
def test_values_that_are_no_numbers(name: str, value: Any) -> None:
    rows = np.array(_matrix(name), dtype=object)
    rows[3, 1] = value
    message = rf"^{name} must hold numbers, 0 and 1; received values such as "
    with pytest.raises(ValueError, match=message):
        count(**_with(name, rows))


@pytest.mark.parametrize("make", [np.array, pd.DataFrame, pl.DataFrame], ids=["numpy", "pd", "pl"])
def test_a_matrix_of_strings(make: Any) -> None:
    message = r"^y_true must hold numbers, 0 and 1; received values such as '1'"
    with pytest.raises(ValueError, match=message):
        CooccurrenceCounts.from_arrays(make([["1", "0"], ["0", "1"]]))


@pytest.mark.parametrize("missing", ["error", "drop", "abstain"])
@pytest.mark.parametrize("name", VARIABLES)
def test_a_row_that_is_missing_in_part(name: str, missing: Any) -> None:
    rows = np.array(_matrix(name), dtype=float)
    rows[3, 0] = NAN
    width = rows.shape[1]
    message = (
        rf"^a row of {name} must be missing as a whole or not at all; received one with "
        rf"1 of {width} values missing"
    )
    with pytest.raises(ValueError, match=message):
        count(**_with(name, rows), missing=missing)


@pytest.mark.parametrize("probability", [1.5, -0.25])
def test_a_vector_of_probabilities_outside_0_and_1(probability: float) -> None:
    given = {"y_true": [0, 1] * 3, "y_pred": [0.5, probability] * 3}
    with pytest.raises(ValueError, match=rf"probabilities in y_pred .*; received {probability}"):
        count(**given, sensitive_features=Indicators(INDICATORS))


def test_joint_counts_of_sums_of_weights() -> None:
    joint = JointCounts.from_arrays([0, 1], [0, 1], ["a", "b"], sample_weight=[0.5, 2])
    with pytest.raises(ValueError, match=r"need the weight of each row; .*count with by_weight="):
        CooccurrenceCounts.from_joint(joint)


def test_a_repr_of_any_matrix() -> None:
    for rows in (sparse.csr_array(np.eye(2)), np.eye(2)):
        assert repr(Indicators(rows)) == "<Indicators: (2, 2)>"
    assert repr(Indicators(INDICATORS, ["m", "w"])) == "<Indicators: 6, names=['m', 'w']>"
