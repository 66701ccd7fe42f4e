"""The label sets that rows contain, against a comparison of every row with every set."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from biasamp_adapters.counts.label_sets import rows_that_contain

N_LABELS = 4
SETS = st.sets(st.integers(0, N_LABELS - 1), max_size=N_LABELS)


@given(st.lists(SETS, max_size=12), st.lists(SETS.filter(bool), max_size=8))
def test_a_row_contains_the_sets_whose_labels_it_has(
    rows: list[set[int]], sets: list[set[int]]
) -> None:
    labels = np.array([[i in row for i in range(N_LABELS)] for row in rows], dtype=np.float32)
    members = np.array([[i in labels_ for i in range(N_LABELS)] for labels_ in sets])
    labels, members = labels.reshape(-1, N_LABELS), members.reshape(-1, N_LABELS).T
    row, of_set = rows_that_contain(
        members.astype(np.float32), labels.nonzero(), lambda where: labels[where]
    )
    expected = {(i, j) for i, row in enumerate(rows) for j, x in enumerate(sets) if x <= row}
    assert len(row) == len(expected)
    assert set(zip(row.tolist(), of_set.tolist(), strict=True)) == expected
