"""Matrices, labels and weights of every kind of number that arrays hold, laid out in any way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from biasamp_adapters import CooccurrenceCounts, Indicators, JointCounts
from biasamp_adapters.inputs.matrices import Matrix

N = 60
RNG = np.random.default_rng(7)
GROUP = np.array(["a", "b", "c"])[RNG.integers(0, 3, N)]
TRUTH, MADE, GROUPS = (RNG.integers(0, 2, (N, 4)) for _ in range(3))
#: Multiples of 1/8, which every float holds.
CHANCE = RNG.integers(0, 9, (N, 4)) / 8

WHOLE = ["bool", "int8", "uint8", "int16", "int64", "uint64", ">i2", ">u4", ">i8"]
FLOATS = ["float16", "float32", "float64", "longdouble", ">f2", ">f4", ">f8"]


def by_hand(made: np.ndarray = MADE) -> list[list[float]]:
    """P(a, t^) times the rows: sums over the rows of each group, column by column."""
    return [
        [math.fsum(made[a == GROUP, t].astype(float).tolist()) for t in range(4)] for a in "abc"
    ]


def predicted(truth: Any, made: Any, **options: Any) -> list[list[float]]:
    counts = CooccurrenceCounts.from_arrays(truth, made, GROUP, **options)
    return counts.tables().joint("attribute", "prediction").tolist()


def _columns_apart(matrix: np.ndarray) -> np.ndarray:
    """A view of every second row and column of a larger array."""
    large = np.ones((2 * len(matrix), 2 * matrix.shape[1]), dtype=matrix.dtype)
    large[::2, ::2] = matrix
    return large[::2, ::2]


def _backwards(matrix: np.ndarray) -> np.ndarray:
    return matrix[::-1, ::-1].copy()[::-1, ::-1]


def _read_only(matrix: np.ndarray) -> np.ndarray:
    out = matrix.copy()
    out.flags.writeable = False
    return out


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": _columns_apart,
    "backwards": _backwards,
    "read-only": _read_only,
    "list": np.ndarray.tolist,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [*WHOLE, *FLOATS])
def test_matrices_of_any_type_and_layout(dtype: str, layout: str) -> None:
    laid_out = [LAYOUTS[layout](values.astype(dtype)) for values in (TRUTH, MADE)]
    assert predicted(*laid_out) == by_hand()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_probabilities_of_any_type_and_layout(dtype: str, layout: str) -> None:
    made = LAYOUTS[layout](CHANCE.astype(dtype))
    assert predicted(TRUTH, made) == by_hand(CHANCE)


@pytest.mark.parametrize("dtype", [*WHOLE, *FLOATS, "object"])
def test_0_and_1_of_any_type_are_read_as_bytes(dtype: str) -> None:
    values, missing = Matrix(TRUTH.astype(dtype), "y_true", soft=False).read(0, N, np.arange(4))
    assert values.dtype == np.int8
    assert missing is None
    assert values.tolist() == TRUTH.tolist()


def test_columns_of_booleans_beside_integers_are_numbers() -> None:
    mixed = pd.DataFrame(TRUTH).astype({0: bool, 1: "uint64", 2: "float32"})
    # pandas alone would make objects of them.
    assert mixed.to_numpy().dtype == object
    assert Matrix(mixed, "y_true", soft=False)._values[:N].dtype == np.float64
    assert predicted(TRUTH, mixed) == by_hand(TRUTH)


@pytest.mark.parametrize("dtype", WHOLE[1:] + FLOATS)
def test_what_is_neither_0_nor_1_is_refused(dtype: str) -> None:
    truth = TRUTH.astype(dtype)
    truth[3, 2] = 2
    with pytest.raises(ValueError, match="y_true must hold 0 and 1; received 2 in column 2"):
        CooccurrenceCounts.from_arrays(truth, None, GROUP)


@pytest.mark.parametrize("dtype", ["int8", ">i2", "int64", "float16", ">f8"])
def test_what_is_below_0_is_refused(dtype: str) -> None:
    made = MADE.astype(dtype)
    made[3, 2] = -1
    with pytest.raises(
        ValueError, match=r"y_pred must hold 0 and 1, or .* received -1 in column 2"
    ):
        CooccurrenceCounts.from_arrays(TRUTH, made, GROUP)


def _long_indices(matrix: np.ndarray) -> Any:
    csr = sparse.csr_array(matrix)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


def _explicit_zeros(matrix: np.ndarray) -> Any:
    """Every number stored, the zeros too."""
    row, column = np.indices(matrix.shape).reshape(2, -1)
    return sparse.coo_array((matrix.ravel(), (row, column)), shape=matrix.shape)


def _halves(matrix: np.ndarray) -> Any:
    """Every number stored as two halves, which add up."""
    coo = sparse.coo_array(matrix.astype(np.float32))
    twice = [np.concatenate([each, each]) for each in (coo.data / 2, coo.row, coo.col)]
    return sparse.coo_array((twice[0], (twice[1], twice[2])), shape=matrix.shape)


def _unsorted_halves(matrix: np.ndarray) -> Any:
    """The same in a CSR matrix whose columns are neither in order nor distinct."""
    data, columns, starts = [], [], [0]
    for row in matrix:
        there = np.flatnonzero(row)[::-1]
        columns += [*there, *there]
        data += [*row[there] / 2, *row[there] / 2]
        starts.append(len(data))
    return sparse.csr_array((np.array(data, dtype=np.float32), columns, starts), matrix.shape)


SPARSE: dict[str, Callable[[np.ndarray], Any]] = {
    "csr_matrix": sparse.csr_matrix,
    "csc_array": sparse.csc_array,
    "coo_array": sparse.coo_array,
    "lil_array": sparse.lil_array,
    "bsr_array": sparse.bsr_array,
    "64-bit indices": _long_indices,
    "explicit zeros": _explicit_zeros,
    "halves": _halves,
    "unsorted halves": _unsorted_halves,
}


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
@pytest.mark.parametrize("form", SPARSE)
def test_sparse_matrices(form: str, dtype: str) -> None:
    assert predicted(*(SPARSE[form](values.astype(dtype)) for values in (TRUTH, MADE))) == by_hand()


def test_sparse_probabilities() -> None:
    for form in SPARSE.values():
        assert predicted(form(TRUTH), form(CHANCE.astype(np.float32))) == by_hand(CHANCE)


def test_dictionaries_of_keys() -> None:
    assert predicted(sparse.dok_array(TRUTH), sparse.dok_array(MADE)) == by_hand()


def test_numbers_stored_twice_add_up_beyond_1() -> None:
    coo = sparse.coo_array(TRUTH)
    twice = [np.concatenate([each, each]) for each in (coo.data, coo.row, coo.col)]
    doubled = sparse.coo_array((twice[0], (twice[1], twice[2])), shape=TRUTH.shape)
    with pytest.raises(ValueError, match="y_true must hold 0 and 1; received 2 in column"):
        CooccurrenceCounts.from_arrays(doubled, None, GROUP)


@pytest.mark.parametrize("dtype", ["int8", ">f4", "float16"])
def test_groups_as_columns(dtype: str) -> None:
    counts = CooccurrenceCounts.from_arrays(TRUTH, None, Indicators(GROUPS.astype(dtype)))
    assert counts.tables().joint("attribute", "task").tolist() == (GROUPS.T @ TRUTH).tolist()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_probabilities_are_summed_in_double_precision(dtype: str) -> None:
    n = 70_000  # several chunks
    chance = np.random.default_rng(0).random((n, 3)).astype(dtype)
    group = np.arange(n) % 2
    counts = CooccurrenceCounts.from_arrays(chance > 0.5, chance, group)
    found = counts.tables().joint("attribute", "prediction")
    for a in (0, 1):
        for t in range(3):
            exact = math.fsum(chance[group == a, t].tolist())
            # 35,000 additions to sums below 2^15 are off by half a unit of 2^-38 each at most.
            assert abs(found[a, t] - exact) <= 35_000 * 2.0**-39


def test_rows_beyond_2_to_the_24_are_streamed_and_added() -> None:
    # 33 parts of 2^19 + 1 rows of ones: 2^24 + 2^19 + 33 rows.
    n = 2**19 + 1
    ones = np.ones((n, 1), dtype=np.int8)
    part = CooccurrenceCounts.from_arrays(ones, ones, Indicators(ones))
    total = sum([part] * 33)
    assert total.n_rows == 2**24 + 2**19 + 33
    assert total.tables().joint("attribute", "prediction").tolist() == [[33 * n]]
    for _ in range(28):
        total = total + total
    assert total.n_rows == 33 * n * 2**28  # past 2^52
    assert total.to_frame()["n"].tolist() == [33 * n * 2**28]


LABELS = np.array([0, 1, 1, 0, 1, 0])
WHERE = np.array(["a", "a", "b", "b", "a", "b"])


def counted(labels: np.ndarray) -> list[list[Any]]:
    counts = JointCounts.from_arrays(labels, labels, WHERE)
    return counts.to_frame()[["sensitive_features", "task", "n"]].to_numpy().tolist()


@pytest.mark.parametrize("dtype", [*WHOLE, "float16", "float32", "longdouble", ">f2", ">U1"])
def test_label_vectors_of_any_type(dtype: str) -> None:
    one, zero = (np.array([x]).astype(dtype)[0] for x in (1, 0))
    expected = [["a", zero, 1], ["a", one, 2], ["b", zero, 2], ["b", one, 1]]
    assert counted(LABELS.astype(dtype)) == expected


@pytest.mark.parametrize("dtype", [">f4", ">f8"])
def test_big_endian_label_vectors(dtype: str) -> None:
    assert counted(LABELS.astype(dtype)) == counted(LABELS.astype(float))


@pytest.mark.parametrize("dtype", [">f4", ">f8"])
@pytest.mark.parametrize("kind", [JointCounts, CooccurrenceCounts])
def test_big_endian_vectors_of_probabilities(kind: Any, dtype: str) -> None:
    chance = LABELS / 2 + 0.25
    counts = kind.from_arrays(LABELS, chance.astype(dtype), WHERE)
    assert counts == kind.from_arrays(LABELS, chance, WHERE)


def test_big_endian_integers_far_apart() -> None:
    labels = LABELS * 10**6
    assert counted(labels.astype(">i4")) == counted(labels)


@pytest.mark.parametrize("by_weight", [False, True])
@pytest.mark.parametrize("dtype", [*WHOLE, *FLOATS])
def test_weights_of_any_type(dtype: str, by_weight: bool) -> None:
    weights = np.array([1, 0, 1, 1, 1, 0])
    counts = JointCounts.from_arrays(
        LABELS, None, WHERE, sample_weight=weights.astype(dtype), by_weight=by_weight
    )
    found = counts.tables().joint("attribute", "task").tolist()
    assert found == [[1, 1], [1, 1]]


def test_masked_entries_are_missing() -> None:
    mask = np.zeros(TRUTH.shape, dtype=bool)
    mask[3] = True
    with pytest.raises(ValueError, match="y_true must not have missing values; received 1"):
        CooccurrenceCounts.from_arrays(np.ma.masked_array(TRUTH, mask), None, GROUP)


def test_masked_labels_are_missing() -> None:
    labels = np.ma.masked_array(LABELS, [True, False, False, False, False, False])
    with pytest.raises(ValueError, match="y_true must not have missing values; received 1"):
        JointCounts.from_arrays(labels, None, WHERE)


@pytest.mark.parametrize("n_tasks", [129, 256, 257])
def test_more_labels_in_a_row_than_a_byte_counts(n_tasks: int) -> None:
    counts = CooccurrenceCounts.from_arrays(
        np.ones((4, n_tasks), dtype=int), None, [*"aabb"], keep_rows=True
    )
    # As a byte 256 labels are none, and 257 are one.
    assert not counts.one_each("task")
    assert counts.tables().labelled == 4
    every = counts.with_sets((tuple(range(n_tasks)),))
    assert every.tables().marginal("exact_sets").tolist() == [4]
