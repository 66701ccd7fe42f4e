"""Label matrices and overlapping groups: containers, types, names, missing rows, and errors."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import biasamp_adapters as bam

TRUTH = [[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0], [0, 0, 0]]
PREDICTED = [[1, 1, 1], [1, 0, 0], [0, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 0]]
GROUPS = [*"aabbab"]
NAMES = ["c0", "c1", "c2"]
ARGUMENTS = ["y_true", "y_pred", "sensitive_features", "sensitive_features_pred"]

#: Sums by group and column.
TRUE_SUMS = [[2, 1, 1], [0, 1, 2]]
PREDICTED_SUMS = [[3, 2, 1], [0, 1, 1]]


def read(**changed: Any) -> Any:
    rows: dict[str, Any] = {"y_true": TRUTH, "y_pred": PREDICTED, "sensitive_features": GROUPS}
    return bam.Counts.from_arrays(**rows | changed)


def sums(counts: Any, column: str) -> list[list[float]]:
    frame = counts.to_frame().set_index(["group", "class"])
    return frame[column].unstack(sort=False).values.tolist()


def named(rows: list[list[int]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=NAMES)


def halves(matrix: Any) -> Any:
    """Return a sparse matrix in which every number is stored as two halves."""
    coo = sparse.coo_array(np.array(matrix, dtype=float))
    data, row, column = (np.concatenate([x, x]) for x in (coo.data / 2, coo.row, coo.col))
    return sparse.coo_array((data, (row, column)), shape=coo.shape)


class Tensor:
    """What a tensor of PyTorch with gradients looks like, which numpy cannot read as it is."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, *options: Any) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

    def detach(self) -> Self:
        return self

    def cpu(self) -> Self:
        return self

    def numpy(self) -> Any:
        return self.values


Container = Callable[[list[list[int]]], Any]

UNNAMED: dict[str, Container] = {
    "lists": lambda rows: [list(row) for row in rows],
    "tuples": lambda rows: tuple(map(tuple, rows)),
    "int8": lambda rows: np.array(rows, dtype=np.int8),
    "bool": lambda rows: np.array(rows, dtype=bool),
    "float16": lambda rows: np.array(rows, dtype=np.float16),
    "big-endian": lambda rows: np.array(rows, dtype=">f4"),
    "objects": lambda rows: np.array(rows, dtype=object),
    "columns first": lambda rows: np.asfortranarray(rows),
    "strided": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "csr": sparse.csr_array,
    "csc matrix": sparse.csc_matrix,
    "coo of bools": lambda rows: sparse.coo_array(np.array(rows, dtype=bool)),
    "lil": sparse.lil_array,
    "halves": halves,
    "tensor": Tensor,
}

NAMED: dict[str, Container] = {
    "pandas": named,
    "pandas Int64": lambda rows: named(rows).astype("Int64"),
    "pandas of several types": lambda rows: named(rows).astype({"c0": "boolean", "c1": "float32"}),
    "pandas sparse": lambda rows: named(rows).astype("Sparse[int]"),
    "polars": lambda rows: pl.DataFrame(named(rows).to_dict("list")),
    "polars Boolean": lambda rows: pl.DataFrame(named(rows).astype(bool).to_dict("list")),
    "arrow": lambda rows: pa.table(named(rows).to_dict("list")),
    "arrow batch": lambda rows: pa.record_batch(named(rows).to_dict("list")),
}


@pytest.mark.parametrize("container", [*UNNAMED, *NAMED])
def test_container_of_a_matrix_changes_nothing(container) -> None:
    make = (UNNAMED | NAMED)[container]
    counts = read(y_true=make(TRUTH), y_pred=make(PREDICTED))
    assert counts.class_labels == (tuple(NAMES) if container in NAMED else (0, 1, 2))
    assert sums(counts, "y_true") == TRUE_SUMS
    assert sums(counts, "model") == PREDICTED_SUMS
    metric = bam.MultiAttributeBiasAmplification()
    value = metric(make(TRUTH), make(PREDICTED), sensitive_features=GROUPS)
    assert value == metric(TRUTH, PREDICTED, sensitive_features=GROUPS)


def test_columns_with_names_are_matched_by_name() -> None:
    turned = named(PREDICTED)[NAMES[::-1]]
    assert sums(read(y_true=named(TRUTH), y_pred=turned), "model") == PREDICTED_SUMS
    groups = bam.OverlappingGroups(named(TRUTH))
    guesses = bam.OverlappingGroups(turned)
    metric = bam.DirectionalBiasAmplification(direction="T->A")
    straight = bam.OverlappingGroups(named(PREDICTED))
    value = metric([0, 1] * 3, None, sensitive_features=groups, sensitive_features_pred=guesses)
    guesses = {"sensitive_features_pred": straight}
    assert value == metric([0, 1] * 3, None, sensitive_features=groups, **guesses)


def test_names_of_the_data_are_those_of_a_reference_without_names() -> None:
    # One of the three rows of a turns to 1 in the first column, of which a has more: 1/3 in one of
    # six pairs.
    predicted = [list(row) for row in TRUTH]
    predicted[4][0] = 1
    metric = bam.DirectionalBiasAmplification(reference=(np.array(TRUTH), GROUPS))
    result = metric.result(named(TRUTH), named(predicted), sensitive_features=GROUPS, n_boot=0)
    assert result.value == pytest.approx(1 / 3 / 6, abs=1e-15)
    assert result.by_class["class"].tolist() == NAMES
    other = bam.DirectionalBiasAmplification(reference=(named(TRUTH).add_prefix("x"), GROUPS))
    with pytest.raises(
        ValueError, match="of the reference must have the same columns as the others"
    ):
        other(named(TRUTH), named(PREDICTED), sensitive_features=GROUPS)


@pytest.mark.parametrize("missing", [np.nan, None])
@pytest.mark.parametrize("width", ["whole", "in part"])
def test_row_with_a_missing_value_is_missing_as_a_whole(missing, width) -> None:
    rows: list[list[Any]] = [list(row) for row in PREDICTED]
    rows[4] = [missing] * 3 if width == "whole" else [1, missing, 0]
    with pytest.raises(ValueError, match="y_pred must not have missing values; received 1"):
        read(y_pred=rows)
    kept = read(y_pred=rows, missing="abstain")
    assert kept.n_rows == 6
    assert sums(kept, "model") == [[2, 1, 1], [0, 1, 1]]
    assert sums(kept, "y_true") == TRUE_SUMS
    dropped = read(y_pred=rows, missing="drop")
    assert dropped.n_rows == 5
    assert sums(dropped, "y_true") == [[2, 0, 1], [0, 1, 2]]
    # A truth has no missing values but where rows are dropped.
    with pytest.raises(ValueError, match="y_true must not have missing values; received 1"):
        read(y_true=rows, missing="abstain")


def with_matrix(argument: str, rows: Any) -> dict[str, Any]:
    """Return rows in which an argument is a matrix; groups are wrapped."""
    if argument.startswith("y"):
        return {argument: rows}
    groups = {"sensitive_features": bam.OverlappingGroups(TRUTH)}
    return groups | {argument: bam.OverlappingGroups(rows)}


@pytest.mark.parametrize("value", [2, -0.25, 1e39, 1 + 1e-10])
@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_number_that_is_neither_0_nor_1_is_refused(argument, form, value) -> None:
    rows: Any = np.array(TRUTH, dtype=float)
    rows[3, 1] = value
    if form == "sparse":
        rows = sparse.csr_array(rows)
    rule = "0 and 1, or probabilities" if argument.endswith("pred") else "0 and 1"
    with pytest.raises(ValueError, match=f"{argument} must hold {rule} in each column; received"):
        read(**with_matrix(argument, rows))
    if argument.endswith("pred"):
        return
    # A truth is no probability.
    rows[3, 1] = 0.5
    with pytest.raises(ValueError, match=f"{argument} must hold 0 and 1 in each column; rec.* 0.5"):
        read(**with_matrix(argument, rows))


BAD: list[tuple[dict[str, Any], str]] = [
    (
        {"y_true": pd.DataFrame(np.eye(6, 2), columns=["g", "g"])},
        "y_true must have a distinct name for each of 2 columns; received 'g', 'g'",
    ),
    ({"y_true": [[1, 0], [1], [0, 1]]}, "y_pred has 3 columns and y_true 1"),
    ({"y_pred": [0, 1] * 3}, "y_true has 3 columns and y_pred 1"),
    ({"y_true": [0, 1] * 3}, "y_pred has 3 columns and y_true 1"),
    ({"y_pred": np.array(PREDICTED)[:, :2]}, "same columns as the others, .* in one alone: 2"),
    ({"y_pred": named(PREDICTED).rename(columns={"c2": 7}), "y_true": named(TRUTH)}, ": 'c2', 7"),
    ({"y_true": 256 * named(TRUTH)}, "y_true must hold 0 and 1 in each column; received 256"),
    ({"y_pred": named(PREDICTED).add_prefix("x"), "y_true": named(TRUTH)}, "alone: 'c0', 'c1'"),
    ({"class_labels": ["x", "y"]}, "or those listed; in one alone: 'x', 'y', 0, 1, 2"),
    (
        {"sensitive_features": bam.OverlappingGroups(TRUTH, names=["x", "x", "y"])},
        "must have a distinct name for each of 3 columns; received 'x', 'x', 'y'",
    ),
    ({"sensitive_features": bam.OverlappingGroups(TRUTH, names=["x", "y"])}, "for each of 3 colu"),
    ({"sensitive_features": bam.OverlappingGroups([0, 1] * 3)}, "OverlappingGroups must have col"),
    (dict.fromkeys(ARGUMENTS[:3]), "y_true and y_pred, or data, must be given; received neither"),
    ({"y_score": [0.5] * 5 + [np.inf]}, "y_score must be finite; received inf"),
    ({"clusters": np.ones((6, 2))}, r"clusters must be one column; received the shape \(6, 2\)"),
    ({"clusters": [None, *"pqrst"]}, "clusters must not have missing values; received 1"),
    ({"clusters": [*"pqr"]}, "must have as many rows; received y_true 6, .*clusters 3"),
]


@pytest.mark.parametrize(("changed", "fragment"), BAD)
def test_bad_matrix_raises_one_line(changed, fragment) -> None:
    with pytest.raises(ValueError, match=fragment) as raised:
        read(**changed)
    assert "\n" not in str(raised.value)
