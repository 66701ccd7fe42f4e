"""Counts of arrays do not depend on the container that holds the rows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from biasamp_adapters import JointCounts
from biasamp_adapters.inputs import columns

# Attribute, truth and prediction of six rows, as positions in a list of two labels.
ATTRIBUTE = [0, 0, 0, 1, 1, 1]
TRUTH = [0, 1, 1, 0, 1, 1]
PREDICTION = [0, 1, 0, 0, 1, 1]
# The distinct rows in order. Only the row (1, 1, 1) occurs twice.
CELLS = [[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1]]
ROWS = [1, 1, 1, 1, 2]

NUMBERS: dict[str, Callable[[list[int]], Any]] = {
    "list": list,
    "tuple": tuple,
    "list of floats": lambda rows: [float(row) for row in rows],
    "list of bools": lambda rows: [bool(row) for row in rows],
    "range-free generator": lambda rows: (row for row in rows),
    "int8": lambda rows: np.array(rows, dtype=np.int8),
    "int64": lambda rows: np.array(rows, dtype=np.int64),
    "uint64": lambda rows: np.array(rows, dtype=np.uint64),
    "bool": lambda rows: np.array(rows, dtype=bool),
    "float32": lambda rows: np.array(rows, dtype=np.float32),
    "float64": lambda rows: np.array(rows, dtype=np.float64),
    "object": lambda rows: np.array(rows, dtype=object),
    "strided": lambda rows: np.array([rows, rows]).T.ravel()[::2],
    "pandas int64": pd.Series,
    "pandas Int64": lambda rows: pd.Series(rows, dtype="Int64"),
    "pandas boolean": lambda rows: pd.Series(rows, dtype="boolean"),
    "pandas Float64": lambda rows: pd.Series(rows, dtype="Float64"),
    "pandas category": lambda rows: pd.Series(rows, dtype="category"),
    "pandas int64[pyarrow]": lambda rows: pd.Series(rows, dtype="int64[pyarrow]"),
    "pandas, another index": lambda rows: pd.Series(rows, index=range(len(rows), 0, -1)),
    "pandas Index": pd.Index,
    "pandas array": lambda rows: pd.array(rows, dtype="Int64"),
    "polars Int64": pl.Series,
    "polars UInt8": lambda rows: pl.Series(rows, dtype=pl.UInt8),
    "polars Boolean": lambda rows: pl.Series([bool(row) for row in rows]),
    "polars Float64": lambda rows: pl.Series(rows, dtype=pl.Float64),
    "arrow": pa.array,
    "arrow chunked": lambda rows: pa.chunked_array([rows[:2], rows[2:]]),
}

STRINGS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "numpy str": np.array,
    "numpy object": lambda rows: np.array(rows, dtype=object),
    "pandas object": lambda rows: pd.Series(rows, dtype=object),
    "pandas str": pd.Series,
    "pandas string": lambda rows: pd.Series(rows, dtype="string"),
    "pandas string[python]": lambda rows: pd.Series(rows, dtype="string[python]"),
    "pandas string[pyarrow]": lambda rows: pd.Series(rows, dtype="string[pyarrow]"),
    "pandas arrow": lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda rows: pd.Series(rows, dtype="category"),
    "pandas category, reversed": lambda rows: pd.Categorical(rows, ["unseen", "yes", "no"]),
    "polars String": pl.Series,
    "polars Categorical": lambda rows: pl.Series(rows, dtype=pl.Categorical),
    "polars Enum": lambda rows: pl.Series(rows, dtype=pl.Enum(["yes", "unseen", "no"])),
    "arrow": pa.array,
    "arrow chunked": lambda rows: pa.chunked_array([rows[:2], rows[2:]]),
    "arrow dictionary": lambda rows: pa.array(rows).dictionary_encode(),
}


def _check(counts: JointCounts, labels: tuple[Any, ...]) -> None:
    assert counts.labels == labels
    assert counts.groups == labels
    assert counts.cells.codes.tolist() == CELLS
    assert counts.n.tolist() == ROWS
    assert counts.w is None


@pytest.mark.parametrize("chunk_rows", [2**17, 1, 4])
@pytest.mark.parametrize("container", NUMBERS)
def test_containers_of_numbers(
    container: str, chunk_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "CHUNK_ROWS", chunk_rows)
    make = NUMBERS[container]
    counts = JointCounts.from_arrays(make(TRUTH), make(PREDICTION), make(ATTRIBUTE))
    _check(counts, (0, 1))
    assert counts == JointCounts.from_arrays(TRUTH, PREDICTION, ATTRIBUTE)
    # Saved counts and messages show labels, so they are Python's and not numpy's.
    assert {type(label) for label in counts.labels} <= {int, float, bool}


@pytest.mark.parametrize("chunk_rows", [2**17, 1, 4])
@pytest.mark.parametrize("container", STRINGS)
def test_containers_of_strings(
    container: str, chunk_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "CHUNK_ROWS", chunk_rows)
    truth, prediction, attribute = (
        STRINGS[container](["yes" if row else "no" for row in rows])
        for rows in (TRUTH, PREDICTION, ATTRIBUTE)
    )
    counts = JointCounts.from_arrays(truth, prediction, attribute)
    _check(counts, ("no", "yes"))
    assert {type(label) for label in counts.labels} == {str}


def test_equal_labels_of_different_types_are_one_label() -> None:
    counts = JointCounts.from_arrays(
        [1, 1.0, True, 0, 0.0, False],
        np.array([1, 1, 1, 0, 0, 0], dtype=np.float64),
        np.array([1, 1, 1, 0, 0, 0], dtype=np.int8),
        np.array([1, 1, 1, 0, 0, 0], dtype=bool),
    )
    assert counts.labels == (0, 1)
    assert counts.groups == (0, 1)
    assert counts.cells.codes.tolist() == [[0, 0, 0, 0], [1, 1, 1, 1]]
    assert counts.n.tolist() == [3, 3]


def test_equal_labels_of_different_types_in_different_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(columns, "CHUNK_ROWS", 2)
    counts = JointCounts.from_arrays([1, 0, 1.0, 0.0, True, False])
    assert counts.labels == (0, 1)
    assert counts.n.tolist() == [3, 3]


def test_a_string_is_not_the_number_it_shows() -> None:
    counts = JointCounts.from_arrays([1, "1", 1, "1", 1])
    assert counts.labels == (1, "1")
    assert counts.n.tolist() == [3, 2]


@pytest.mark.parametrize("column", [0, 1, 2, 3], ids=["truth", "prediction", "a", "a predicted"])
def test_a_label_of_a_later_chunk(column: int) -> None:
    n_rows = 2 * columns.CHUNK_ROWS + 5
    rows = [np.arange(n_rows) % 2 for _ in range(4)]
    rows[column][-3:] = 7
    counts = JointCounts.from_arrays(*rows)
    assert counts.n_rows == n_rows
    late = counts.groups if column > 1 else counts.labels
    assert late == (0, 1, 7)
    # n_rows is odd: rows -3 and -1 are even ones, row -2 is odd. Axes are A, T, A^, T^.
    axis = [1, 3, 0, 2][column]
    both = {
        tuple(code): n
        for code, n in zip(counts.cells.codes.tolist(), counts.n.tolist(), strict=True)
    }
    replaced = [[value] * 4 for value in (0, 1)]
    for codes in replaced:
        codes[axis] = 2
    assert both == {
        (0, 0, 0, 0): (n_rows + 1) // 2 - 2,
        (1, 1, 1, 1): (n_rows - 1) // 2 - 1,
        tuple(replaced[0]): 2,
        tuple(replaced[1]): 1,
    }


@pytest.mark.parametrize(
    "values",
    [
        np.array([-(2**63), 2**63 - 1, 0, 0]),
        np.array([-(2**62), 2**62, 5, 5]),
        np.array([2**63 + 5, 2**64 - 1, 3, 3], dtype=np.uint64),
        np.array([-128, 127, 0, 0], dtype=np.int8),
        np.array([-3, -2, -1, -1]),
        np.array([10**9, 10**9 + 1, 10**9 + 2, 10**9 + 2], dtype=np.int32),
        np.array([-7, 4095 - 7, 0, 0]),
        np.array([-7, 4096 - 7, 0, 0]),
        np.array([0.1, -0.1, 1e300, 1e300]),
    ],
    ids=str,
)
def test_ranges_of_numbers(values: np.ndarray) -> None:
    counts = JointCounts.from_arrays(values)
    expected = dict.fromkeys(values[:2].tolist(), 1) | {values[2].item(): 2}
    assert counts.labels == tuple(sorted(expected))
    assert counts.n.tolist() == [expected[label] for label in sorted(expected)]


def test_five_hundred_groups_and_classes() -> None:
    pairs = np.array(list(product(range(500), range(500))))
    again = pairs[:1000]
    group, label = np.concatenate([pairs, again]).T
    names = np.array([f"class {i:03}" for i in range(500)], dtype=object)
    counts = JointCounts.from_arrays(names[label], names[label[::-1]], group)
    assert counts.groups == tuple(range(500))
    assert counts.labels == tuple(names)
    tables = counts.tables()
    expected = np.ones((500, 500), dtype=int)
    # The thousand repeated rows are the first two groups with all classes.
    expected[:2] += 1
    np.testing.assert_array_equal(tables.joint("attribute", "task"), expected)
    np.testing.assert_array_equal(tables.marginal("prediction"), np.full(500, 502))


def test_more_distinct_cells_than_are_kept_apart_at_once() -> None:
    n_rows = 1_300_000
    row = np.arange(n_rows)
    # Multiplying by an odd number permutes the numbers below 2^20, so these are as good as random.
    first, second = np.divmod(row * 1_103_515_245 % 2**20, 2**10)
    counts = JointCounts.from_arrays(first, sensitive_features=second)
    assert len(counts.n) == 2**20
    # The permutation starts again after 2^20 rows.
    assert np.bincount(counts.n).tolist() == [0, 2**21 - n_rows, n_rows - 2**20]


@pytest.mark.parametrize("n_labels", [254, 255, 256, 257])
def test_more_combinations_than_an_integer_can_number(n_labels: int) -> None:
    # Ten columns of about 2^8 labels: numbered in 64 bits, the first one would be shifted out.
    row = np.arange(n_labels)
    models = {"first": np.concatenate([row, row])}
    for i in range(9):
        models[f"other {i}"] = np.concatenate([row, np.zeros_like(row)])
    counts = JointCounts.from_arrays(y_pred=models)
    # (i, i, ..., i) and (i, 0, ..., 0) differ but for i = 0.
    frame = counts.to_frame()
    assert frame["n"].tolist() == [2] + [1] * (2 * n_labels - 2)
    assert frame["first"].tolist() == [0, *np.repeat(row[1:], 2).tolist()]
    assert frame["other 8"].tolist() == [0, *[label for i in row[1:].tolist() for label in (0, i)]]


SEX = ["f", "f", "m", "m"]
AGE = [20, 30, 20, 20]
CROSSED: dict[str, Callable[[], Any]] = {
    "pandas frame": lambda: pd.DataFrame({"sex": SEX, "age": AGE}),
    "polars frame": lambda: pl.DataFrame({"sex": SEX, "age": AGE}),
    "arrow table": lambda: pa.table({"sex": SEX, "age": AGE}),
    "mapping": lambda: {"sex": SEX, "age": np.array(AGE)},
    "mapping of Series": lambda: {"sex": pl.Series(SEX), "age": pd.Series(AGE)},
}


@pytest.mark.parametrize("container", CROSSED)
def test_crossed_attributes(container: str) -> None:
    counts = JointCounts.from_arrays([0, 1, 0, 0], [1, 1, 1, 1], CROSSED[container]())
    assert counts.attributes == ("sex", "age")
    # Only observed combinations are groups: no man is 30.
    assert counts.groups == (("f", 20), ("f", 30), ("m", 20))
    assert counts.cells.codes.tolist() == [[0, 0, 1], [1, 1, 1], [2, 0, 1]]
    assert counts.n.tolist() == [1, 1, 2]


@pytest.mark.parametrize("make", [lambda rows: np.array(rows, dtype=object), list])
def test_crossed_attributes_without_names(make: Callable[[list[list[Any]]], Any]) -> None:
    rows = [list(row) for row in zip(SEX, AGE, strict=True)]
    counts = JointCounts.from_arrays(sensitive_features=make(rows))
    assert counts.attributes == ("sensitive_features_0", "sensitive_features_1")
    assert counts.groups == (("f", 20), ("f", 30), ("m", 20))
    assert counts.n.tolist() == [1, 1, 2]


def test_an_attribute_of_one_column_is_not_a_cross() -> None:
    series = pd.Series(SEX, name="sex")
    counts = JointCounts.from_arrays(sensitive_features=series)
    assert counts.attributes == ("sex",)
    assert counts.groups == ("f", "m")
    assert counts == JointCounts.from_arrays(sensitive_features=series.to_frame())
    assert counts == JointCounts.from_arrays(sensitive_features=pl.Series("sex", SEX))


def test_several_models() -> None:
    models = {"old": [0, 1, 1], "new": np.array([0, 0, 1])}
    guesses = {"old": ["a", "a", "b"], "new": ["b", "a", "b"]}
    counts = JointCounts.from_arrays([0, 1, 1], models, ["a", "a", "b"], guesses)
    assert counts.models == ("old", "new")
    # Axes: A, T, A^ of both models, T^ of both models.
    assert counts.cells.codes.tolist() == [
        [0, 0, 0, 1, 0, 0],
        [0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1],
    ]
    for name in models:
        alone = JointCounts.from_arrays(
            [0, 1, 1], {name: models[name]}, ["a", "a", "b"], {name: guesses[name]}
        )
        assert counts.model(name) == alone


def test_models_share_a_predicted_attribute() -> None:
    models = {"old": [0, 1], "new": [1, 1]}
    counts = JointCounts.from_arrays([0, 1], models, ["a", "b"], ["b", "b"])
    assert counts == JointCounts.from_arrays(
        [0, 1], models, ["a", "b"], {"old": ["b", "b"], "new": ["b", "b"]}
    )


def test_listed_labels_keep_their_order_and_may_be_unseen() -> None:
    counts = JointCounts.from_arrays(
        [0, 1], [1, 1], ["a", "b"], labels=np.array([2, 1, 0]), groups=["b", "c", "a"]
    )
    assert counts.labels == (2, 1, 0)
    assert counts.groups == ("b", "c", "a")
    assert counts.declared == {"labels", "groups"}
    assert counts.cells.codes.tolist() == [[0, 1, 1], [2, 2, 1]]
