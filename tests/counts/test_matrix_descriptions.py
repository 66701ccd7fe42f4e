"""What counts of label matrices say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from biasamp_adapters import CooccurrenceCounts, Indicators

TASKS = [[1, 0, 1], [0, 1, 0]]


def test_a_repr_names_the_model_of_a_prediction() -> None:
    counts = CooccurrenceCounts.from_arrays(TASKS, {"old": TASKS}, ["a", "b"])
    expected = "<CooccurrenceCounts: 2 rows of 2 groups and 3 tasks, attribute x task x "
    assert repr(counts) == expected + "prediction[old]>"


@pytest.mark.parametrize(
    ("truth", "options", "known"),
    [
        (TASKS, {}, False),
        (TASKS, {"keep_rows": True}, True),
        (TASKS, {"label_sets": [[0, 2]]}, True),
        # Of one label per row, the sets are the labels.
        ([0, 1], {}, True),
    ],
)
def test_label_sets_are_known_by_rows_or_where_they_were_listed(
    truth: Any, options: dict[str, Any], known: bool
) -> None:
    groups = Indicators([[1, 0], [0, 1]])
    counts = CooccurrenceCounts.from_arrays(truth, None, groups, **options)
    assert counts.knows_sets == known
