"""Sums by keys against loops over the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasamp_adapters.counts.keys import Keys

#: Up to 60 keys: sums of floats by few of them are products, all others are added in order.
KEYS = st.lists(st.integers(-1, 59), max_size=40)


@given(KEYS, st.sampled_from([np.int64, np.float64]), st.booleans())
def test_sums(of_rows: list[int], dtype: type, batch: bool) -> None:
    size = max(of_rows, default=0) + 1
    # Whole numbers, whose sums are exact in any order.
    values = np.arange(3 * len(of_rows)).reshape(3, -1).astype(dtype)
    expected = np.zeros((3, size), dtype=dtype)
    for row, key in enumerate(of_rows):
        if key >= 0:
            expected[:, key] += values[:, row]
    keys, rows = Keys(np.array(of_rows, dtype=np.int64), size), slice(None) if batch else 1
    for _ in range(2):
        np.testing.assert_array_equal(keys.sums(values[rows]), expected[rows], strict=True)
    assert keys.occurring.tolist() == sorted({*of_rows} - {-1})
    found = keys.sums_of_occurring(values[rows])
    np.testing.assert_array_equal(found, expected[rows][..., keys.occurring], strict=True)


def test_rows_in_order_are_not_copied() -> None:
    values = np.arange(4.0)
    keys = Keys(np.array([0, 0, 2, 5]), 6)
    assert keys.sums(values).tolist() == [1, 0, 2, 0, 0, 3]
    assert isinstance(keys._sorted[0], slice)


@pytest.mark.parametrize("of_rows", [[], [-1, -1]])
def test_no_row_has_a_key(of_rows: list[int]) -> None:
    keys = Keys(np.array(of_rows, dtype=np.int64), 2)
    assert keys.sums(np.ones(len(of_rows))).tolist() == [0, 0]
    assert keys.sums_of_occurring(np.ones((5, len(of_rows)))).shape == (5, 0)
