"""Missing and abstained values: an error unless dropped, or kept in every denominator.

What does not name labels is asked of counts of labels and of matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kinds import Kind

from biasamp_adapters import DirectionalBiasAmplification, JointCounts

NAN = float("nan")

# Three rows of ten have no prediction: one of group a, two of group b.
GROUP = ["a"] * 4 + ["b"] * 6
TRUTH = [*[1, 1, 1, 0], *[1, 0, 0, 0, 0, 0]]
PREDICTION: list[Any] = [*[1, 1, None, 0], *[1, 0, 0, 0, None, None]]
COLUMNS: dict[str, list[Any]] = {
    "y_true": [0, 1] * 5,
    "y_pred": [0, 1] * 5,
    "sensitive_features": ["a", "b"] * 5,
    "sensitive_features_pred": ["a", "b"] * 5,
}
ABSTAINING = ["y_pred", "sensitive_features_pred"]


def without(name: str, *lost: int) -> dict[str, list[Any]]:
    """The columns, one of them with missing values at the positions ``lost``."""
    return COLUMNS | {name: [None if i in lost else x for i, x in enumerate(COLUMNS[name])]}


def tables_of(counts: Any) -> list[Any]:
    """Tables of every two variables that metrics read together."""
    tables, roles = counts.tables(), ("attribute", "task")
    pairs = [roles, ("attribute", "prediction"), ("attribute_prediction", "task")]
    joint = [tables.joint(*pair).tolist() for pair in pairs]
    return joint + [tables.agreement(role).tolist() for role in roles]


@pytest.mark.parametrize("argument", COLUMNS)
@pytest.mark.parametrize("received", [1, 2, 4])
def test_the_error_names_the_argument_and_counts(kind: Kind, argument: str, received: int) -> None:
    hint = r"\(missing='drop' leaves such rows out\)$"
    if argument in ABSTAINING:
        hint = r"\(.*, missing='abstain' counts them as abstentions\)$"
    message = rf"^{argument} must not have missing values; received {received} {hint}"
    with pytest.raises(ValueError, match=message):
        kind.count(**without(argument, *range(received)))


def test_the_error_names_the_model(kind: Kind) -> None:
    models = {"old": [0, 1], "new": [0, None]}
    with pytest.raises(ValueError, match=r"^y_pred\['new'\] must not have .*; received 1 "):
        kind.count([0, 1], models)
    guesses = {"old": ["a", None], "new": ["a", "b"]}
    with pytest.raises(ValueError, match=r"^sensitive_features_pred\['old'\] must .* received 1 "):
        kind.count([0, 1], {"old": [0, 1], "new": [0, 1]}, ["a", "b"], guesses)


def test_rows_are_counted_and_not_values_or_cells(kind: Kind) -> None:
    # Row 2 misses both of its crossed attributes, and rows 2 and 3 are one cell.
    crossed = {"s": ["f", None, "m", "m", "m"], "r": [1, None, None, None, 2]}
    with pytest.raises(ValueError, match=r"^sensitive_features must .* received 3 "):
        kind.count([0] * 5, sensitive_features=crossed)
    counts = kind.count([0] * 5, sensitive_features=crossed, missing="drop")
    assert counts.dropped == 3
    assert counts.groups == (("f", 1), ("m", 2))
    assert counts.tables().marginal("attribute").tolist() == [1, 1]


@pytest.mark.parametrize(
    "truth",
    [
        [1, None, 0, None],
        [1, NAN, 0, NAN],
        [1, pd.NA, 0, None],
        np.array([1, NAN, 0, NAN]),
        np.array([1, None, 0, NAN], dtype=object),
        pd.Series([1, None, 0, None], dtype="Int64"),
        pd.Series([True, None, False, None], dtype="boolean"),
        pd.Series(["1", None, "0", None], dtype="string"),
        pd.Series(["1", None, "0", None], dtype="category"),
        pd.Series([1, None, 0, None], dtype="int64[pyarrow]"),
        pd.Series([1, None, 0, None], dtype="Float64"),
        pl.Series([1, None, 0, None]),
        pl.Series([True, None, False, None]),
        pl.Series([1.0, None, 0.0, NAN]),
        pl.Series(["1", None, "0", None]),
        pl.Series(["1", None, "0", None], dtype=pl.Categorical),
        pl.Series(["1", None, "0", None], dtype=pl.Enum(["1", "0"])),
        pa.array([1, None, 0, None]),
        pa.chunked_array([["1", None], ["0", None]]),
    ],
    ids=lambda truth: f"{type(truth).__module__.split('.')[0]} {getattr(truth, 'dtype', '')}",
)
def test_every_container_says_what_is_missing(truth: Any) -> None:
    with pytest.raises(ValueError, match=r"^y_true must not have missing values; received 2 "):
        JointCounts.from_arrays(truth, sensitive_features=["a", "b", "b", "a"])
    counts = JointCounts.from_arrays(truth, sensitive_features=["a", "b", "b", "a"], missing="drop")
    assert counts.dropped == 2
    assert counts.cells.codes.tolist() == [[0, 1], [1, 0]]
    assert counts.n.tolist() == [1, 1]


def test_drop_says_how_many_rows(kind: Kind) -> None:
    counts = kind.count(TRUTH, PREDICTION, GROUP, missing="drop")
    assert counts.dropped == 3
    assert counts.n_rows == 10 - 3
    assert "7 rows" in repr(counts)
    assert "3 dropped" in repr(counts)


@pytest.mark.parametrize("argument", COLUMNS)
def test_drop_leaves_rows_out(kind: Kind, argument: str) -> None:
    counts = kind.count(**without(argument, 0, 5, 7), missing="drop")
    kept = {name: [values[i] for i in (1, 2, 3, 4, 6, 8, 9)] for name, values in COLUMNS.items()}
    assert counts.dropped == 3
    assert counts.n_rows == 7
    assert tables_of(counts) == tables_of(kind.count(**kept))


def test_drop_counts_a_row_once(kind: Kind) -> None:
    counts = kind.count([None, 1, None, 0], [None, 1, 1, 0], ["a", "b", None, None], missing="drop")
    assert counts.dropped == 3
    assert counts.n_rows == 1
    assert counts.groups == ("b",)
    if kind.name == "labels":
        assert counts.labels == (1,)
        assert counts.cells.codes.tolist() == [[0, 0, 0]]


def test_drop_takes_a_row_from_every_model(kind: Kind) -> None:
    # Models are compared on the same rows, so a row that one of them misses is dropped.
    models = {"old": [0, None, 1], "new": [0, 1, 1]}
    counts = kind.count([0, 1, 1], models, ["a", "b", "b"], missing="drop")
    assert counts.dropped == counts.model("new").dropped == 1
    for name in models:
        assert counts.tables(name).joint("attribute", "prediction").tolist() == [[1, 0], [0, 1]]


def test_dropped_labels_and_weights_do_not_count(kind: Kind) -> None:
    counts = kind.count(
        [0, 1, 2],
        [0, 1, None],
        ["a", "b", "c"],
        classes=(0, 1, 2),
        sample_weight=[0.5, 2, 100],
        missing="drop",
    )
    assert counts.groups == ("a", "b")
    assert counts.tables().marginal("attribute").tolist() == [0.5, 2]
    if kind.name == "labels":
        assert counts.labels == (0, 1)


def test_a_metric_notes_what_was_dropped(kind: Kind) -> None:
    metric = DirectionalBiasAmplification(missing="drop")
    rows = [kind.tasks(column, (0, 1)) for column in (TRUTH, PREDICTION)]
    with pytest.warns(UserWarning, match=r"3 row\(s\) with missing values were left out"):
        result = metric.result(*rows, sensitive_features=GROUP)
    assert result.n == 7


def test_abstentions_stay_in_every_denominator(kind: Kind) -> None:
    counts = kind.count(TRUTH, PREDICTION, GROUP, missing="abstain")
    assert counts.dropped == 0
    assert counts.n_rows == 10
    tables = counts.tables()
    assert tables.total == 10
    assert tables.marginal("attribute").tolist() == [4, 6]
    assert tables.marginal("task").tolist() == [6, 4]
    # Predicted 0 and 1; the abstentions, 1 in group a and 2 in group b, are in neither.
    assert tables.joint("attribute", "prediction").tolist() == [[1, 2], [3, 1]]
    assert tables.joint("attribute", "prediction", abstained=True).tolist() == [
        [1, 2, 1],
        [3, 1, 2],
    ]
    assert tables.marginal("prediction").tolist() == [4, 3]
    # Abstentions are wrong: 4 of 6 zeros and 3 of 4 ones are predicted right.
    assert tables.agreement("task").tolist() == [4, 3]


def test_a_metric_of_abstentions_divides_by_all_rows(kind: Kind) -> None:
    metric = DirectionalBiasAmplification(missing="abstain", pos_label=1)
    # P(T^ = 1 | a) - P(T = 1 | a) is 2/4 - 3/4, with sign + as 3/4 > 4/10;
    # P(T^ = 1 | b) - P(T = 1 | b) is 1/6 - 1/6.
    rows = [kind.tasks(column, (0, 1)) for column in (TRUTH, PREDICTION)]
    value = metric(*rows, sensitive_features=GROUP)
    assert value == pytest.approx(((2 / 4 - 3 / 4) - (1 / 6 - 1 / 6)) / 2, abs=1e-15)


def test_abstentions_of_the_predicted_attribute(kind: Kind) -> None:
    counts = kind.count(
        TRUTH, None, GROUP, ["a", "b", None, "a"] + ["b"] * 5 + [None], missing="abstain"
    )
    tables = counts.tables()
    assert tables.joint("attribute_prediction", "task").tolist() == [[1, 1], [4, 2]]
    assert tables.agreement("attribute").tolist() == [2, 5]


def test_abstentions_beside_probabilities() -> None:
    counts = JointCounts.from_arrays(
        [0, 1, 1, 0], [0.25, 0.75, None, 1.0], list("aabb"), missing="abstain"
    )
    # Group a expects 3/4 + 1/4 zeros and 1/4 + 3/4 ones; one row of group b abstains.
    tables = counts.tables()
    assert tables.joint("attribute", "prediction").tolist() == [[1, 1], [0, 1]]
    assert tables.joint("attribute", "prediction", abstained=True).tolist() == [
        [1, 1, 0],
        [0, 1, 1],
    ]


def test_an_abstention_is_none_in_a_frame() -> None:
    counts = JointCounts.from_arrays([0, 1], [0, None], ["a", "b"], missing="abstain")
    frame = counts.to_frame()
    assert frame["model"].tolist() == [0, None]
    assert [type(label) for label in frame["model"]] == [int, type(None)]


@pytest.mark.parametrize("missing", ["error", "drop", "abstain"])
@pytest.mark.parametrize("argument", COLUMNS)
def test_nothing_but_missing_values(kind: Kind, missing: Any, argument: str) -> None:
    columns = COLUMNS | {argument: [None, NAN] * 5}
    with pytest.raises(ValueError, match=rf"^{argument} must hold values; all 10 are missing"):
        kind.count(**columns, missing=missing)


def test_nothing_left_to_count(kind: Kind) -> None:
    with pytest.raises(ValueError, match=r"missing='drop' must leave rows; all 2 have a missing"):
        kind.count([0, None], [None, 1], missing="drop")


@pytest.mark.parametrize("argument", [name for name in COLUMNS if name not in ABSTAINING])
def test_only_predictions_abstain(kind: Kind, argument: str) -> None:
    columns = without(argument, 0) | {"y_pred": [0, None] + [0, 1] * 4}
    message = rf"^{argument} must not have missing values; received 1 \(missing='drop' leaves"
    with pytest.raises(ValueError, match=message):
        kind.count(**columns, missing="abstain")


def test_a_missing_value_of_the_reference(kind: Kind) -> None:
    reference = kind.tasks([0, None], (0, 1)), ["a", "b"]
    with pytest.raises(ValueError, match=r"^in the reference, y_true must not .* received 1 "):
        DirectionalBiasAmplification(reference=reference)


@pytest.mark.parametrize("missing", ["ignore", "Drop", "", None])
def test_an_unknown_rule(kind: Kind, missing: Any) -> None:
    message = rf"^missing must be 'error', 'drop' or 'abstain'; received {missing!r}"
    with pytest.raises(ValueError, match=message):
        kind.count([0, 1], missing=missing)
