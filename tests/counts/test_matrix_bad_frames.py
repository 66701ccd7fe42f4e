"""Frames that hold no label matrices: the same rules and messages on every engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    with pytest.raises(ValueError, match=r"'nope', 'no', 'W' are not among"):
        CooccurrenceCounts.from_frame(
            engine(rows), task=["nope"], attribute=Indicators(["no", "x"]), weight="W"
        )
    with pytest.raises(ValueError, match=r"'nope' is not among"):
        CooccurrenceCounts.from_frame(
            engine(rows), task=["x"], prediction={"old": ["p"], "new": ["nope"]}
        )


def test_no_columns(rows: pd.DataFrame, engine: Engine) -> None:
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
