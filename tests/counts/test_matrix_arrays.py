"""Counts of label matrices do not depend on the container that holds the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from good_matrices import (
    AGREED,
    GUESSES,
    INDICATORS,
    PREDICTED,
    PREDICTION,
    TRUE,
    TRUTH,
    count,
    joint,
)
from scipy import sparse

from biasamp_adapters import CooccurrenceCounts, Indicators
from biasamp_adapters.counts import counting

NAMES = ["c0", "c1", "c2"]
Container = Callable[[list[list[int]]], Any]


def _named(rows: list[list[int]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=NAMES[: len(rows[0])])


def _typed(dtype: str) -> Container:
    return lambda rows: _named(rows).astype(dtype)


def _array(dtype: Any) -> Container:
    return lambda rows: np.array(rows, dtype=dtype)


UNNAMED: dict[str, Container] = {
    "list": list,
    "tuple of lists": tuple,
    "list of arrays": lambda rows: [np.array(row) for row in rows],
    "list of floats": lambda rows: [[float(x) for x in row] for row in rows],
    "list of bools": lambda rows: [[bool(x) for x in row] for row in rows],
    **{name: _array(name) for name in ("bool", "int8", "uint8", "int64", "uint64")},
    **{name: _array(name) for name in ("float16", "float32", "float64", "longdouble", "object")},
    "big-endian": _array(">i4"),
    "by column": lambda rows: np.asfortranarray(rows),
    "strided": lambda rows: np.repeat(np.array(rows), 2, axis=1)[:, ::2],
    "backwards": lambda rows: np.array(rows)[::-1, ::-1][::-1, ::-1],
    "csr array": lambda rows: sparse.csr_array(np.array(rows)),
    "csr matrix of floats": lambda rows: sparse.csr_matrix(np.array(rows, dtype=float)),
    "csc array of bools": lambda rows: sparse.csc_array(np.array(rows, dtype=bool)),
    "csc matrix": lambda rows: sparse.csc_matrix(rows),
    "coo array": lambda rows: sparse.coo_array(np.array(rows)),
    "coo matrix": lambda rows: sparse.coo_matrix(rows),
    "lil array": lambda rows: sparse.lil_array(np.array(rows)),
    # The same entry stored in two halves is one of 1.
    "coo, in halves": lambda rows: (
        sparse.coo_array(np.array(rows)) / 2 + sparse.coo_array(np.array(rows)) / 2
    ),
}

NAMED: dict[str, Container] = {
    "pandas": _named,
    **{f"pandas {dtype}": _typed(dtype) for dtype in ("bool", "int8", "float32", "object")},
    **{f"pandas {dtype}": _typed(dtype) for dtype in ("Int64", "UInt8", "boolean", "Float64")},
    "pandas int64[pyarrow]": _typed("int64[pyarrow]"),
    "pandas Sparse[int]": _typed("Sparse[int]"),
    "pandas of several types": lambda rows: _named(rows).astype({"c0": "Int64", "c1": "bool"}),
    "pandas, another index": lambda rows: _named(rows).set_index(np.arange(len(rows))[::-1]),
    "polars": lambda rows: pl.DataFrame(_named(rows).to_dict("list")),
    "polars Boolean": lambda rows: pl.DataFrame(_named(rows).astype(bool).to_dict("list")),
    "polars Float32": lambda rows: NAMED["polars"](rows).cast(pl.Float32),
    "arrow": lambda rows: pa.table(_named(rows).to_dict("list")),
    "arrow of booleans": lambda rows: pa.table(_named(rows).astype(bool).to_dict("list")),
    "arrow in chunks": lambda rows: pa.concat_tables(
        [NAMED["arrow"](rows[:2]), NAMED["arrow"](rows[2:])]
    ),
}


def _check(counts: CooccurrenceCounts, labels: tuple[Any, ...]) -> None:
    assert counts.labels == labels
    assert counts.groups == ("a", "b")
    assert counts.n_rows == 6
    assert joint(counts, "attribute", "task") == TRUE
    assert joint(counts, "attribute", "prediction") == PREDICTED
    assert counts.tables().agreement("task").tolist() == AGREED
    assert counts.soft == frozenset()


@pytest.mark.parametrize("chunk_rows", [2**14, 1, 4])
@pytest.mark.parametrize("container", UNNAMED)
def test_containers(container: str, chunk_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_CHUNK_ROWS", chunk_rows)
    make = UNNAMED[container]
    counts = count(y_true=make(TRUTH), y_pred=make(PREDICTION))
    _check(counts, (0, 1, 2))
    assert counts == count()


@pytest.mark.parametrize("chunk_rows", [2**14, 1, 4])
@pytest.mark.parametrize("container", NAMED)
def test_containers_with_names(
    container: str, chunk_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_CHUNK_ROWS", chunk_rows)
    make = NAMED[container]
    counts = count(y_true=make(TRUTH), y_pred=make(PREDICTION))
    _check(counts, tuple(NAMES))
    assert counts == count(labels=NAMES)


@pytest.mark.parametrize("container", UNNAMED | NAMED)
def test_containers_of_groups(container: str) -> None:
    make = (UNNAMED | NAMED)[container]
    counts = count(
        sensitive_features=Indicators(make(INDICATORS)),
        sensitive_features_pred=Indicators(make(GUESSES)),
    )
    # Rows 0, 1 and 2 are in the first group; rows 2, 3 and 4 in the second.
    assert joint(counts, "attribute", "task") == [[2, 0, 2], [0, 2, 2]]
    # Row 1 is now guessed to be in the second group.
    assert joint(counts, "attribute_prediction", "task") == [[1, 0, 2], [1, 2, 2]]
    assert counts.tables().agreement("attribute").tolist() == [2, 3]
    names = tuple(NAMES[:2]) if container in NAMED else (0, 1)
    assert counts.groups == names
    # Row 5 has neither a group nor a task, and row 2 has two groups.
    assert counts.tables().labelled == 5
    assert not counts.one_each("attribute")


def test_a_mapping_of_columns_is_a_table_of_groups() -> None:
    table = {"m": [1, 1, 1, 0, 0, 0], "w": [0, 0, 1, 1, 1, 0]}
    counts = count(sensitive_features=Indicators(table))
    assert counts == count(sensitive_features=Indicators(INDICATORS, names=["m", "w"]))


@pytest.mark.parametrize("container", ["pandas", "polars", "arrow"])
def test_columns_with_names_are_matched_by_name(container: str) -> None:
    make = NAMED[container]
    turned = _named(PREDICTION)[NAMES[::-1]]
    prediction = {"pandas": turned, "polars": pl.from_pandas(turned), "arrow": pa.table(turned)}
    guesses = Indicators(np.array(GUESSES)[:, ::-1], names=["c1", "c0"])
    straight = count(
        y_true=make(TRUTH),
        sensitive_features=Indicators(make(INDICATORS)),
        sensitive_features_pred=Indicators(make(GUESSES)),
    )
    assert straight == count(
        y_true=make(TRUTH),
        y_pred=prediction[container],
        sensitive_features=Indicators(make(INDICATORS)),
        sensitive_features_pred=guesses,
    )


def test_columns_without_names_are_matched_by_position() -> None:
    named = count(labels=NAMES)
    assert count(y_true=_named(TRUTH)) == named
    assert count(y_pred=_named(PREDICTION)) == named
    assert count(y_true=np.array(TRUTH), y_pred=_named(PREDICTION)) == named


def test_listed_labels_name_columns_or_put_them_in_order() -> None:
    listed = ["c2", "c0", "c1"]
    by_position = count(labels=listed)
    assert by_position.labels == tuple(listed)
    assert joint(by_position, "attribute", "task") == TRUE
    by_name = count(y_true=_named(TRUTH), y_pred=_named(PREDICTION), labels=np.array(listed))
    assert by_name.labels == tuple(listed)
    # The last column now comes first.
    assert joint(by_name, "attribute", "task") == [[row[i] for i in (2, 0, 1)] for row in TRUE]
    assert by_name.tables().agreement("task").tolist() == [AGREED[i] for i in (2, 0, 1)]
    assert {type(label) for label in by_name.labels} == {str}


def test_listed_groups_may_be_unseen_and_name_columns() -> None:
    counts = count(groups=["b", "c", "a"])
    assert joint(counts, "attribute", "task") == [TRUE[1], [0, 0, 0], TRUE[0]]
    assert counts.declared == {"labels", "groups"}
    named = count(sensitive_features=Indicators(INDICATORS), groups=["m", "w"])
    assert named == count(sensitive_features=Indicators(INDICATORS, names=["m", "w"]))
