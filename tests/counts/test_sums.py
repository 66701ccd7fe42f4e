"""Parts of a table, counted as labels or as a matrix, add up to the counts of the table."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from drawn_rows import row_of
from hypothesis import assume, given
from hypothesis import strategies as st
from kinds import Kind

# A row is (attribute, truth, predicted attribute, prediction, whole weight, part it goes to); None
# is an abstention.
CLASSES = ["cat", "dog", "eel", "fly"]
N_PARTS = 4


def rows_with(predictions: list[Any]) -> st.SearchStrategy[list[Any]]:
    """Lists of rows."""
    row = row_of("abc", CLASSES, "abc", predictions, range(6), range(N_PARTS))
    return st.lists(row, min_size=1, max_size=30)


ROWS, ABSTAINED_ROWS = rows_with(CLASSES), rows_with([*CLASSES, *[None] * 4])


def count(kind: Kind, rows: list[Any], *, weighted: bool = False, **options: Any) -> Any:
    """Counts of rows."""
    attribute, truth, guess, prediction, weight, _ = map(list, zip(*rows, strict=True))
    weights = weight if weighted else None
    return kind.count(
        truth, prediction, attribute, guess, classes=CLASSES, sample_weight=weights, **options
    )


def parts_of(rows: list[Any]) -> list[list[Any]]:
    """The rows of each part that has any."""
    parts = [[row for row in rows if row[-1] == part] for part in range(N_PARTS)]
    return [part for part in parts if part]


@given(ROWS)
def test_parts_add_up_exactly(kind: Kind, rows: list[Any]) -> None:
    assert reduce(add, [count(kind, part) for part in parts_of(rows)]) == count(kind, rows)


@given(ROWS, st.booleans())
def test_whole_weights_add_up_exactly(kind: Kind, rows: list[Any], apart: bool) -> None:
    parts, options = parts_of(rows), kind.apart if apart else {}
    assume(all(any(row[4] for row in part) for part in parts))
    added = reduce(add, [count(kind, part, weighted=True, **options) for part in parts])
    assert added == count(kind, rows, weighted=True, **options)


@given(ROWS, st.floats(1e-3, 1e3), st.booleans())
def test_other_weights_add_up_to_rounding(
    kind: Kind, rows: list[Any], scale: float, apart: bool
) -> None:
    rows = [(*row[:4], (row[4] + 1) * scale, row[5]) for row in rows]
    options = kind.apart if apart else {}
    parts = [count(kind, part, weighted=True, **options) for part in parts_of(rows)]
    added, whole = reduce(add, parts), count(kind, rows, weighted=True, **options)
    assert added.n_rows == whole.n_rows
    for first, second in (("attribute", "task"), ("attribute", "prediction")):
        # At most 30 positive numbers are added up, in another order.
        np.testing.assert_allclose(
            added.tables().joint(first, second),
            whole.tables().joint(first, second),
            rtol=30 * np.finfo(float).eps,
        )


@given(ABSTAINED_ROWS, st.sampled_from(["abstain", "drop"]))
def test_missing_predictions_add_up(kind: Kind, rows: list[Any], missing: str) -> None:
    parts = parts_of(rows)
    # A part without any prediction is an error of its own.
    assume(all(any(row[3] is not None for row in part) for part in parts))
    added = reduce(add, [count(kind, part, missing=missing) for part in parts])
    assert added == count(kind, rows, missing=missing)
    missed = sum(row[3] is None for row in rows)
    assert added.dropped == (missed if missing == "drop" else 0)
    assert added.n_rows == len(rows) - added.dropped


@given(ROWS, ROWS)
def test_addition_commutes(kind: Kind, first: list[Any], second: list[Any]) -> None:
    one, other = count(kind, first), count(kind, second)
    assert one + other == other + one


@given(ROWS, ROWS, ROWS)
def test_addition_is_associative(
    kind: Kind, first: list[Any], second: list[Any], third: list[Any]
) -> None:
    a, b, c = (count(kind, rows) for rows in (first, second, third))
    assert (a + b) + c == a + (b + c)


@given(ROWS, ROWS, st.booleans())
def test_counts_without_weights_count_each_row_once(
    kind: Kind, first: list[Any], second: list[Any], apart: bool
) -> None:
    assume(any(row[4] for row in first))
    options = kind.apart if apart else {}
    weighted, plain = count(kind, first, weighted=True, **options), count(kind, second, **options)
    ones = [(*row[:4], 1, row[5]) for row in second]
    expected = count(kind, first + ones, weighted=True, **options)
    assert weighted + plain == plain + weighted == expected


def test_sum_adds_all_parts(kind: Kind) -> None:
    parts = [kind.count([0, 1], [0, 1], ["a", "b"]) for _ in range(3)]
    assert sum(parts) == kind.count([0, 1] * 3, [0, 1] * 3, ["a", "b"] * 3)
    with pytest.raises(TypeError):
        1 + parts[0]


@pytest.mark.parametrize("other", [0, None, [1], "counts"])
def test_counts_add_to_counts_only(kind: Kind, other: Any) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        kind.count([0, 1]) + other


def test_several_models_and_crossed_attributes_add_up(kind: Kind) -> None:
    truth = [0, 1, 1, 0, 1]
    models = {"old": [0, 1, 0, 0, 1], "new": [1, 1, 1, 0, 1]}
    attributes = {"s": list("ffmmf"), "r": [1, 2, 1, 2, 2]}
    parts = [
        kind.count(
            truth[rows],
            {name: values[rows] for name, values in models.items()},
            {name: values[rows] for name, values in attributes.items()},
        )
        for rows in (slice(0, 2), slice(2, 5))
    ]
    assert parts[0] + parts[1] == kind.count(truth, models, attributes)


def test_the_parts_do_not_change(kind: Kind) -> None:
    def made() -> tuple[Any, Any]:
        first = kind.count([0, 1], [1, 1], ["a", "b"], **kind.apart)
        return first, kind.count([1, 1], [0, 1], ["b", "c"], **kind.apart)

    first, second = made()
    assert first + second == first + second
    assert (first, second) == made()


def test_counts_of_other_variables_do_not_add(kind: Kind) -> None:
    whole = kind.count([0, 1], [0, 1], {"s": ["a", "b"]})
    with pytest.raises(ValueError, match=r"must have the same axes; received .*prediction.* and "):
        whole + kind.count([0, 1], sensitive_features={"s": ["a", "b"]})
    with pytest.raises(
        ValueError, match=r"must be of the same models; received .*'model'.* and .*'k'"
    ):
        whole + kind.count([0, 1], {"k": [0, 1]}, {"s": ["a", "b"]})
    with pytest.raises(ValueError, match=r"same attributes; received \('s',\) and \('r',\)"):
        whole + kind.count([0, 1], [0, 1], {"r": ["a", "b"]})


def test_counts_differ_in_all_that_they_hold(kind: Kind) -> None:
    rows: dict[str, Any] = {"y_true": [0, 1], "y_pred": [0, 1], "sensitive_features": ["a", "b"]}
    counts = kind.count(**rows)
    others = [
        kind.count(**rows | {"y_true": [0, 0]}),
        kind.count(**rows | {"sensitive_features": ["a", "c"]}),
        kind.count(**rows, sensitive_features_pred=["a", "b"]),
        kind.count(**rows | {"y_pred": {"other": [0, 1]}}),
        kind.count(**rows, labels=[0, 1] if kind.name == "labels" else ["x", "y"]),
        kind.count(**rows, groups=["a", "b"]),
        kind.count(**rows, sample_weight=[1, 1]),
        counts + counts,
    ]
    assert counts == kind.count(**rows)
    for other in others:
        assert counts != other
    assert counts != "counts"
    with pytest.raises(TypeError, match="unhashable"):
        hash(counts)
