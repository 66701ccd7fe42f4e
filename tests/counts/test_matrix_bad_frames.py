"""Frames that hold no label matrices: the same rules and messages on every engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pytest

from biasamp_adapters import CooccurrenceCounts, Indicators

Engine = Callable[[pd.DataFrame], Any]


@pytest.fixture
def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "x": [1, 0, 1, 0],
            "y": [0, 1, 1, 0],
            "p": [1, 1, 0, 0],
            "q": [0, 1, 1, 0],
            "g": ["a", "b", "a", "b"],
            "two": [0, 2, 1, 2],
            "half": [0.5, 1.0, 0.0, 0.5],
            "weight": [1.0, 2.0, 0.5, 1.0],
        }
    )


def test_the_rows_of_this_file_are_good(rows: pd.DataFrame, engine: Engine) -> None:
    counts = CooccurrenceCounts.from_frame(
        engine(rows), task=["x", "y"], prediction=["p", "q"], attribute="g", weight="weight"
    )
    assert counts.n_rows == 4


def test_a_column_that_is_not_there(rows: pd.DataFrame, engine: Engine) -> None:
    message = r"columns must be in the frame; 'nope' is not among \['x', 'y', 'p', 'q'"
    with pytest.raises(ValueError, match=message):
        CooccurrenceCounts.from_frame(engine(rows), task=["x", "nope"], attribute="g")
    with pytest.raises(ValueError, match=r"'nope', 'no', 'W' are not among"):
        CooccurrenceCounts.from_frame(
            engine(rows), task=["nope"], attribute=Indicators(["no", "x"]), weight="W"
        )
    with pytest.raises(ValueError, match=r"'nope' is not among"):
        CooccurrenceCounts.from_frame(
            engine(rows), task=["x"], prediction={"old": ["p"], "new": ["nope"]}
        )


def test_an_empty_frame(rows: pd.DataFrame, engine: Engine) -> None:
    empty = nw.from_native(engine(rows)).head(0).to_native()
    for weight in (None, "weight"):
        with pytest.raises(ValueError, match=r"must have at least one row; received none"):
            CooccurrenceCounts.from_frame(empty, task=["x", "y"], weight=weight)


def test_no_columns(rows: pd.DataFrame, engine: Engine) -> None:
    with pytest.raises(ValueError, match="counts need at least one column; received none"):
        CooccurrenceCounts.from_frame(engine(rows))
    with pytest.raises(ValueError, match="must have at least one column; received none"):
        CooccurrenceCounts.from_frame(engine(rows), task=[], attribute="g")


def test_a_column_named_twice(rows: pd.DataFrame, engine: Engine) -> None:
    with pytest.raises(ValueError, match=r"must have distinct columns; received \['x', 'x'\]"):
        CooccurrenceCounts.from_frame(engine(rows), task=["x", "x"])


def test_predictions_of_another_width(rows: pd.DataFrame, engine: Engine) -> None:
    message = r"there must be a column for each of the 2 tasks; received 1: \['p'\]"
    with pytest.raises(ValueError, match=message):
        CooccurrenceCounts.from_frame(engine(rows), task=["x", "y"], prediction=["p"])
    with pytest.raises(ValueError, match=r"each of the 1 tasks; received 2: \['x', 'y'\]"):
        CooccurrenceCounts.from_frame(engine(rows), task=["x", "y"], labels=["one"])


def test_a_column_of_labels_beside_a_matrix(rows: pd.DataFrame, engine: Engine) -> None:
    message = r"must have the shape of y_true; received labels for a matrix"
    with pytest.raises(ValueError, match=message):
        CooccurrenceCounts.from_frame(engine(rows), task=["x", "y"], prediction="p")


def test_predicted_attributes_must_match(rows: pd.DataFrame, engine: Engine) -> None:
    with pytest.raises(ValueError, match=r"must have one column for each of the 2 attribute\(s\)"):
        CooccurrenceCounts.from_frame(
            engine(rows), task=["x"], attribute=["g", "two"], attribute_prediction="g"
        )
    with pytest.raises(ValueError, match=r"must name the models of y_pred, \['old'\]; .*\['new'\]"):
        CooccurrenceCounts.from_frame(
            engine(rows),
            task=["x"],
            prediction={"old": ["p"]},
            attribute="g",
            attribute_prediction={"new": "g"},
        )


@pytest.mark.parametrize(
    ("column", "rule"),
    [
        ("two", r"0 and 1; received 2"),
        ("half", r"0 and 1; received 0\.5"),
        ("g", r"numbers, 0 and 1; received values such as '[ab]'"),
    ],
)
def test_values_that_are_neither_0_nor_1(
    rows: pd.DataFrame, engine: Engine, column: str, rule: str
) -> None:
    with pytest.raises(ValueError, match=f"must hold {rule}"):
        CooccurrenceCounts.from_frame(engine(rows), task=["x", column])
    with pytest.raises(ValueError, match=f"must hold {rule}"):
        CooccurrenceCounts.from_frame(engine(rows), attribute=Indicators(["x", column]))


WEIGHTS: dict[str, tuple[list[Any], str]] = {
    "negative": ([1.0, -0.5, 2.0, -0.5], r"finite and not negative; received -0\.5.* 2 row"),
    "NaN": ([1.0, 2.0, float("nan"), 3.0], r"finite and not negative; received nan.* 1 row"),
    "null": ([1.0, 2.0, None, 3.0], r"finite and not negative; received .* 1 row"),
    "infinite": ([1.0, 2.0, float("inf"), 3.0], r"finite and not negative; received inf.* 1 row"),
    "strings": (["1", "2", "3", "4"], r"column 'weight' must hold numbers.*; received "),
    "zeros": ([0.0, 0.0, 0.0, 0.0], r"positive sum; received only zeros"),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_that_are_none(engine: Engine, kind: str) -> None:
    values, message = WEIGHTS[kind]
    dtype = None if kind == "strings" else float
    # The rows of the negative weights are alike, so that engines group them.
    columns = {"x": [1, 0, 1, 0], "weight": pd.Series(values, dtype=dtype)}
    with pytest.raises(ValueError, match=message):
        CooccurrenceCounts.from_frame(engine(pd.DataFrame(columns)), task=["x"], weight="weight")


@pytest.mark.parametrize("frame", [None, 5, "rows.csv", [1, 2], {"x": [1]}, np.eye(2)])
def test_not_a_frame(frame: Any) -> None:
    # The type is wrong, not a value of it: either class of error is fair, if the rule is stated.
    with pytest.raises((TypeError, ValueError), match=r"frame must be a dataframe or relation"):
        CooccurrenceCounts.from_frame(frame, task=["x"])
