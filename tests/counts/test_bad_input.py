"""Input that breaks a rule: a ValueError that states the rule and what was received."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from good_rows import GROUP, PREDICTION, TRUTH, count, measure
from kinds import Kind

from biasamp_adapters import DirectionalBiasAmplification, JointCounts
from biasamp_adapters.inputs.columns import CHUNK_ROWS

ROWS: dict[str, Any] = {
    "y_true": TRUTH,
    "y_pred": PREDICTION,
    "sensitive_features": GROUP,
    "sensitive_features_pred": GROUP,
}


def test_the_rows_of_this_file_are_good(kind: Kind) -> None:
    assert count().n_rows == kind.count(**ROWS).n_rows == 4
    assert measure(TRUTH, PREDICTION, GROUP) == 0


@pytest.mark.parametrize("argument", [*ROWS, "sample_weight"])
def test_lengths_that_differ(kind: Kind, argument: str) -> None:
    message = rf"inputs must have the same length; received .*{argument} 3"
    with pytest.raises(ValueError, match=message):
        kind.count(**ROWS | {argument: [1, 1, 1]})


def test_crossed_attributes_of_different_lengths(kind: Kind) -> None:
    with pytest.raises(ValueError, match=r"same length; .*sensitive_features\['r'\] 1"):
        kind.count(TRUTH, PREDICTION, {"s": GROUP, "r": [1]})


def test_no_rows(kind: Kind) -> None:
    none = np.empty(0) if kind.name == "labels" else np.empty((0, 2))
    with pytest.raises(ValueError, match="inputs must have at least one row; received none"):
        kind.counts.from_arrays(none, none, [], [])


def test_no_columns(kind: Kind) -> None:
    with pytest.raises(ValueError, match="counts need at least one column; received none"):
        kind.counts.from_arrays()


@pytest.mark.parametrize("empty", [{}, pd.DataFrame(index=range(4)), np.zeros((4, 0))], ids=type)
def test_an_attribute_of_no_columns(empty: Any) -> None:
    with pytest.raises(ValueError, match="sensitive_features must have at least one column"):
        count(sensitive_features=empty, sensitive_features_pred=None)


def test_no_models() -> None:
    with pytest.raises(ValueError, match="y_pred must name at least one model"):
        count(y_pred={}, sensitive_features_pred=None)


@pytest.mark.parametrize(
    "value",
    ["labels", b"labels", 5, 0.5, np.float64(2), np.array(3), object(), date(2020, 1, 1)],
    ids=lambda value: type(value).__name__,
)
def test_a_value_instead_of_a_column(value: Any) -> None:
    with pytest.raises(ValueError, match=r"y_pred\['m'\] must (be a column|have one dimension)"):
        count(y_pred={"k": PREDICTION, "m": value}, sensitive_features_pred=None)


@pytest.mark.parametrize("argument", ["y_true", "y_pred", "sensitive_features"])
def test_a_string_instead_of_a_column(argument: str) -> None:
    with pytest.raises(ValueError, match=rf"^{argument} must be a column of values; .* 'column'"):
        count(**{argument: "column"})


@pytest.mark.parametrize("value", [{"a": 1, "b": 0}, {0, 1, 2, 3}], ids=["mapping", "set"])
def test_a_column_without_an_order(value: Any) -> None:
    # The rows of a set are in no order, and a mapping's keys are not its values.
    with pytest.raises(ValueError, match=r"^y_true must be a column of values"):
        JointCounts.from_arrays(value, list(value), list(value))


@pytest.mark.parametrize(
    "matrix",
    [
        np.eye(4),
        np.eye(4).tolist(),
        pd.DataFrame(np.eye(4)),
        pl.DataFrame({"x": TRUTH, "y": TRUTH}),
    ],
    ids=["numpy", "list", "pandas", "polars"],
)
@pytest.mark.parametrize("argument", ["y_true", "y_pred"])
def test_a_matrix_of_labels(argument: str, matrix: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{argument} must have one dimension; .* \(4, \d\)"):
        count(**{argument: matrix})


def test_two_matrices_of_one_column() -> None:
    column = np.array(TRUTH).reshape(-1, 1)
    with pytest.raises(ValueError, match=r"^y_true must have one dimension; .* \(4, 1\)"):
        count(y_true=column, y_pred=column)


def test_rows_of_different_lengths() -> None:
    with pytest.raises(ValueError, match=r"^y_true must"):
        count(y_true=[[0, 1], [1], [0], [1]])


@pytest.mark.parametrize(
    "values",
    [[{}, {}, {}, {}], pd.Series([[0], [1], [1], [0]]), pl.Series([[0], [1], [1], [0]])],
    ids=["mappings", "pandas lists", "polars lists"],
)
def test_labels_that_cannot_be_labels(values: Any) -> None:
    with pytest.raises(ValueError, match=r"^y_true must hold"):
        count(y_true=values)


def test_a_cube_of_attributes() -> None:
    with pytest.raises(ValueError, match=r"sensitive_features must have .* \(4, 1, 1\)"):
        count(sensitive_features=np.zeros((4, 1, 1)), sensitive_features_pred=None)


@pytest.mark.parametrize(
    "frame",
    [
        pl.LazyFrame({"s": GROUP, "r": TRUTH}),
        pd.MultiIndex.from_arrays([GROUP, TRUTH]),
    ],
    ids=["lazy frame", "index of several levels"],
)
def test_attributes_that_cannot_be_read_as_arrays(frame: Any) -> None:
    with pytest.raises(ValueError, match=r"^sensitive_features must"):
        count(sensitive_features=frame, sensitive_features_pred=None)


def test_a_predicted_attribute_of_other_columns() -> None:
    message = r"must have one column for each of the 2 attribute\(s\); received 1"
    with pytest.raises(ValueError, match=message):
        count(sensitive_features={"s": GROUP, "r": TRUTH})


def test_predicted_attributes_of_other_models() -> None:
    message = r"must name the models of y_pred, \['old', 'new'\]; received \['old'\]"
    with pytest.raises(ValueError, match=message):
        count(
            y_pred={"old": PREDICTION, "new": PREDICTION},
            sensitive_features_pred={"old": GROUP},
        )


WEIGHTS: list[tuple[Any, str]] = [
    ([1, -1, 1, -2], r"must be finite and not negative; received -1\.0 in 2 row\(s\)"),
    ([1, np.nan, 1, 1], r"must be finite and not negative; received nan in 1 row\(s\)"),
    ([1, None, 1, 1], r"must be finite and not negative; received nan in 1 row\(s\)"),
    ([1, np.inf, np.inf, 1], r"must be finite and not negative; received inf in 2 row\(s\)"),
    ([1, -np.inf, 1, 1], r"must be finite and not negative; received -inf in 1 row\(s\)"),
    (pd.array([1, None, 1, 1], dtype="Int64"), r"must be finite .* received nan in 1 row\(s\)"),
    (pl.Series([1.0, None, 1.0, 1.0]), r"must be finite .* received nan in 1 row\(s\)"),
    (["many"] * 4, r"must hold numbers; received values such as 'many'"),
    (pd.Series(["many"] * 4), r"must hold numbers; received values such as 'many'"),
    (pl.Series(["many"] * 4), r"must hold numbers; received values such as 'many'"),
    ([1, 2, "many", 4], r"must hold numbers; received values such as 'many'"),
    (np.array([1j] * 4), r"must hold numbers; received"),
    (np.array(["2020-01-01"] * 4, dtype="datetime64[D]"), r"must hold numbers; received"),
    (np.ones((4, 1)), r"must have one dimension; received the shape \(4, 1\)"),
    (2, r"must be a column of values; received 2"),
    ("weight", r"must be a column of values; received 'weight'"),
]


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(("weight", "message"), WEIGHTS)
def test_weights(kind: Kind, weight: Any, message: str, apart: bool) -> None:
    with pytest.raises(ValueError, match=f"^sample_weight {message}"):
        kind.count(**ROWS, sample_weight=weight, **(kind.apart if apart else {}))


def test_bad_weights_are_counted_over_all_rows(kind: Kind) -> None:
    # More than a chunk of labels, and than two of the rows of a matrix.
    n_rows = CHUNK_ROWS + 10
    truth = np.zeros(n_rows if kind.name == "labels" else (n_rows, 1))
    with pytest.raises(ValueError, match=rf"received -1\.0 in {n_rows} row\(s\)"):
        kind.counts.from_arrays(truth, sample_weight=np.full(n_rows, -1.0))


@pytest.mark.parametrize("apart", [False, True])
def test_weights_of_zero_only(kind: Kind, apart: bool) -> None:
    with pytest.raises(ValueError, match="weights must have a positive sum; received only zeros"):
        kind.count(**ROWS, sample_weight=[0] * 4, **(kind.apart if apart else {}))


def test_one_group() -> None:
    with pytest.raises(ValueError, match=r"^sensitive_features must have at least two groups; "
                       r"received only 'a'"):  # fmt: skip
        measure(TRUTH, PREDICTION, ["a"] * 4)


def test_arguments_that_a_metric_needs() -> None:
    with pytest.raises(ValueError, match=r"^sensitive_features must be given; received None"):
        measure(TRUTH, PREDICTION, None)
    with pytest.raises(ValueError, match="y_pred must be given; received None"):
        measure(TRUTH, None, GROUP)
    with pytest.raises(ValueError, match="sensitive_features_pred must be given; received None"):
        measure(TRUTH, PREDICTION, GROUP, direction="T->A")
    with pytest.raises(ValueError, match="y_true must be given"):
        measure(None, PREDICTION, GROUP)


def test_a_reference_of_other_groups() -> None:
    message = "^the reference must have the same groups as the data; received 'b', 'c' for 'a', 'b'"
    with pytest.raises(ValueError, match=message):
        measure(TRUTH, PREDICTION, GROUP, reference=(TRUTH, ["b", "c", "b", "c"]))


def test_matrices_without_names_are_no_table_given_twice() -> None:
    tasks, groups = pd.DataFrame([[0, 1], [1, 0]] * 2), pd.DataFrame([[0, 1], [1, 1]] * 2)
    metric = DirectionalBiasAmplification(reference=(tasks, groups))
    assert metric.reference.n_rows == 4


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (5, r"reference must be \(y_true, sensitive_features\), counts or BaseRates; received int"),
        ((TRUTH,), r"reference must be \(y_true, sensitive_features\), .* received tuple"),
        (
            [pd.DataFrame({"y": TRUTH, "g": GROUP})] * 2,
            r"reference must be .*; received two frames with the same columns 'y', 'g' \(join",
        ),
        ((TRUTH, GROUP[:3]), r"in the reference, inputs must have the same length; .*_features 3"),
        ((TRUTH, [None] * 4), r"in the reference, sensitive_features must hold values; all 4 "),
        (JointCounts.from_arrays(TRUTH), "a reference must count task and attribute; received <"),
    ],
)
def test_references(reference: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DirectionalBiasAmplification(reference=reference)


def test_a_model_that_is_not_there() -> None:
    with pytest.raises(ValueError, match=r"model must be one of \['model'\]; received 'other'"):
        count().model("other")
    with pytest.raises(ValueError, match=r"reads one model; these counts hold \['old', 'new'\]"):
        measure(TRUTH, {"old": PREDICTION, "new": PREDICTION}, GROUP)


def test_aligning_to_fewer_labels() -> None:
    with pytest.raises(ValueError, match="label lists must contain every label that was counted"):
        count().align([0, 1], ["a"])
