"""Every engine counts label matrices in a frame as their columns are counted as arrays."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import duckdb_takes_quotes
from good_matrices import GROUP, GUESSES, INDICATORS, NAN, PREDICTION, TRUTH, count, joint

from biasamp_adapters import CooccurrenceCounts, Indicators

Engine = Callable[[pd.DataFrame], Any]

TASKS, MADE, OTHER = (["x", "y", "z"], ["px", "py", "pz"], ["ox", "oy", "oz"])
GROUPS, GUESSED = ["m", "w"], ["pm", "pw"]
SITE = [1, 2, 1, 1, 2, 2]
#: Quarters: sums of them and of their squares are exact in any order.
WEIGHT = [0.25, 1.0, 2.5, 0.25, 0.0, 3.0]


def _columns(rows: list[list[Any]], names: list[str]) -> dict[str, Any]:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _objects(*values: Any) -> pd.Series:
    """A column in which None stays None, for engines that tell it from NaN."""
    return pd.Series(values, dtype=object)


@pytest.fixture
def rows() -> pd.DataFrame:
    """The good rows twice over, so that an engine has something to group."""
    columns = {
        **_columns(TRUTH, TASKS),
        **_columns(PREDICTION, MADE),
        **_columns(TRUTH[::-1], OTHER),
        **_columns(INDICATORS, GROUPS),
        **_columns(GUESSES, GUESSED),
        "group": GROUP,
        "site": SITE,
        "weight": WEIGHT,
    }
    frame = pd.DataFrame(columns)
    return pd.concat([frame, frame], ignore_index=True)


def _arrays(rows: pd.DataFrame, *lists: list[str]) -> list[np.ndarray]:
    return [rows[names].to_numpy() for names in lists]


def test_the_counts_themselves(rows: pd.DataFrame, engine: Engine) -> None:
    counts = CooccurrenceCounts.from_frame(
        engine(rows), task=TASKS, prediction=MADE, attribute="group"
    )
    assert counts.labels == ("x", "y", "z")
    assert counts.groups == ("a", "b")
    assert counts.attributes == ("group",)
    assert counts.n_rows == 12
    once = count()
    for role in ("task", "prediction"):
        doubled = [[2 * n for n in row] for row in joint(once, "attribute", role)]
        assert joint(counts, "attribute", role) == doubled


@pytest.mark.parametrize("kept", [{}, {"label_sets": "observed"}, {"keep_rows": True}], ids=str)
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("attribute", ["group", ["group", "site"], Indicators(GROUPS)], ids=str)
def test_a_frame_counts_as_its_columns(
    rows: pd.DataFrame, engine: Engine, attribute: Any, weight: str | None, kept: dict[str, Any]
) -> None:
    counts = CooccurrenceCounts.from_frame(
        engine(rows), task=TASKS, prediction=MADE, attribute=attribute, weight=weight, **kept
    )
    truth, made = _arrays(rows, TASKS, MADE)
    by_column = isinstance(attribute, Indicators)
    groups = Indicators(rows[GROUPS]) if by_column else rows[np.atleast_1d(attribute)]
    expected = CooccurrenceCounts.from_arrays(
        truth, made, groups, sample_weight=weight and rows[weight], labels=TASKS, **kept
    )
    assert counts == expected
    if "keep_rows" in kept:
        assert counts.observed_sets() == expected.observed_sets()
        assert counts.rows is not None
        assert int(counts.rows.n.sum()) == 12


def test_models(rows: pd.DataFrame, engine: Engine) -> None:
    counts = CooccurrenceCounts.from_frame(
        engine(rows),
        task=TASKS,
        prediction={"old": MADE, "new": OTHER},
        attribute=Indicators(GROUPS),
        attribute_prediction={
            "old": Indicators(GUESSED, names=GROUPS),
            "new": Indicators(["w", "m"], names=GROUPS),
        },
    )
    truth, old, new = _arrays(rows, TASKS, MADE, OTHER)
    guesses = {
        "old": Indicators(rows[GUESSED], names=GROUPS),
        "new": Indicators(rows[["w", "m"]], names=GROUPS),
    }
    models = {"old": old, "new": new}
    assert counts == CooccurrenceCounts.from_arrays(
        truth, models, Indicators(rows[GROUPS]), guesses, labels=TASKS
    )
    assert counts.models == ("old", "new")


def test_predicted_groups_for_every_model(rows: pd.DataFrame, engine: Engine) -> None:
    counts = CooccurrenceCounts.from_frame(
        engine(rows),
        task=TASKS,
        prediction={"old": MADE, "new": OTHER},
        attribute="group",
        attribute_prediction="group",
    )
    expected = [[6, 0], [0, 6]]
    for name in ("old", "new"):
        assert joint(counts, "attribute", "attribute_prediction", name) == expected


def test_columns_of_predicted_groups_are_in_the_order_of_the_true_ones(
    rows: pd.DataFrame, engine: Engine
) -> None:
    # As those of tasks: a frame has no two columns of one name.
    counts = CooccurrenceCounts.from_frame(
        engine(rows),
        task=TASKS,
        attribute=Indicators(GROUPS),
        attribute_prediction=Indicators(GUESSED),
    )
    assert counts.groups == ("m", "w")
    named = Indicators(GUESSED, names=GROUPS)
    assert counts == CooccurrenceCounts.from_frame(
        engine(rows), task=TASKS, attribute=Indicators(GROUPS), attribute_prediction=named
    )


def test_labels_beside_groups_that_are_columns(rows: pd.DataFrame, engine: Engine) -> None:
    frame = rows.assign(truth=["cat", "dog"] * 6, made=["cat", "cat", "dog"] * 4)
    counts = CooccurrenceCounts.from_frame(
        engine(frame), task="truth", prediction="made", attribute=Indicators(GROUPS)
    )
    assert counts == CooccurrenceCounts.from_arrays(
        frame["truth"], frame["made"], Indicators(frame[GROUPS])
    )
    soft = frame.assign(truth=[0, 1] * 6, made=[0.25, 1.0, 0.5] * 4)
    counts = CooccurrenceCounts.from_frame(
        engine(soft), task="truth", prediction="made", attribute=Indicators(GROUPS)
    )
    assert counts.soft == {"prediction"}
    assert counts == CooccurrenceCounts.from_arrays(
        soft["truth"], soft["made"], Indicators(soft[GROUPS])
    )


def test_probabilities(rows: pd.DataFrame, engine: Engine) -> None:
    rows[MADE] = rows[MADE] / 4
    counts = CooccurrenceCounts.from_frame(
        engine(rows), task=TASKS, prediction=MADE, attribute="group"
    )
    assert counts.soft == {"prediction"}
    quarters = [[2 * n / 4 for n in row] for row in joint(count(), "attribute", "prediction")]
    assert joint(counts, "attribute", "prediction") == quarters


def test_names_for_the_columns(rows: pd.DataFrame, engine: Engine) -> None:
    counts = CooccurrenceCounts.from_frame(
        engine(rows),
        task=TASKS,
        prediction=MADE,
        attribute=Indicators(GROUPS, names=["man", "woman"]),
        labels=["cat", "dog", "eel"],
    )
    assert counts.labels == ("cat", "dog", "eel")
    assert counts.groups == ("man", "woman")
    assert counts.declared == {"labels", "groups"}


AWKWARD = ["len", "n", "a b", "Ünï", "count(*)", 'qu"ote', "it's", "select", "bam_key_1", "bam_n"]


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_column_names(engine: Engine, name: str, request: pytest.FixtureRequest) -> None:
    if '"' in name and "duckdb" in request.node.name and not duckdb_takes_quotes():
        pytest.skip("DuckDB before 2.0 cannot name such a column")
    frame = pd.DataFrame({name: [1, 0, 1], "other": [0, 1, 1], "g": ["u", "v", "u"]})
    tasks = [name, "other"]
    # The name stands where tasks go, where groups go, where weights go and where labels go.
    counts = CooccurrenceCounts.from_frame(
        engine(frame), task=tasks, attribute=Indicators(tasks), weight=name
    )
    values = frame[tasks].to_numpy()
    assert counts == CooccurrenceCounts.from_arrays(
        values, None, Indicators(values, tasks), sample_weight=frame[name], labels=tasks
    )
    by_label = CooccurrenceCounts.from_frame(engine(frame), task=tasks, attribute=name)
    assert by_label.attributes == (name,)
    assert joint(by_label, "attribute", "task") == [[0, 1], [2, 1]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_names_that_differ_in_case(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    # DuckDB has no such names: there "a" and "A" are one.
    frame = make({"a": [0, 1, 1], "A": [1, 0, 1]})
    counts = CooccurrenceCounts.from_frame(frame, task=["a", "A"], attribute=Indicators(["A", "a"]))
    assert counts.labels == ("a", "A")
    assert joint(counts, "attribute", "task") == [[1, 2], [2, 1]]


#: Two missing rows of predictions, and how their columns look.
HOLES: dict[str, Any] = {
    "integers": [(1, 0), (None, None), (0, 1), (None, None)],
    "booleans": [(True, False), (None, None), (False, True), (None, None)],
    "floats": [(1.0, 0.5), (None, None), (0.25, 1.0), (None, None)],
    "NaN": [(1.0, 0.5), (NAN, NAN), (0.25, 1.0), (NAN, NAN)],
}


@pytest.mark.parametrize("kind", HOLES)
def test_missing_predictions(engine: Engine, kind: str) -> None:
    made = {name: _objects(*values) for name, values in _columns(HOLES[kind], ["p", "q"]).items()}
    truth = [[1, 0], [0, 1], [0, 1], [1, 1]]
    frame = engine(pd.DataFrame({**_columns(truth, ["x", "y"]), **made}))
    columns = {"task": ["x", "y"], "prediction": ["p", "q"]}
    rows = [[NAN if value is None else value for value in row] for row in HOLES[kind]]
    for missing in ("drop", "abstain"):
        counts = CooccurrenceCounts.from_frame(frame, missing=missing, **columns)
        assert counts == CooccurrenceCounts.from_arrays(
            truth, rows, missing=missing, labels=["x", "y"]
        )
        lost = counts.dropped if missing == "drop" else counts.abstentions("prediction", "model")
        assert lost == 2
    with pytest.raises(ValueError, match=r"must not have missing values; received 2 "):
        CooccurrenceCounts.from_frame(frame, **columns)
    # As truths the same columns cannot abstain.
    if kind in ("integers", "booleans"):
        with pytest.raises(ValueError, match=r"must not have missing values; received 2 "):
            CooccurrenceCounts.from_frame(frame, task=["p", "q"], missing="abstain")


def test_missing_labels(engine: Engine) -> None:
    frame = pd.DataFrame({"x": [1, 0, 1, 1], "g": _objects("a", None, "b", "a"), "s": [1, 2, 1, 1]})
    for attribute in ("g", ["g", "s"]):
        with pytest.raises(ValueError, match=r"must not have missing values; received 1 "):
            CooccurrenceCounts.from_frame(engine(frame), task=["x"], attribute=attribute)
        counts = CooccurrenceCounts.from_frame(
            engine(frame), task=["x"], attribute=attribute, missing="drop"
        )
        assert counts.dropped == 1
        assert joint(counts, "attribute", "task") == [[2], [1]]


def test_rows_missing_in_part(engine: Engine) -> None:
    frame = engine(pd.DataFrame({"x": _objects(1, None, 0), "y": [0, 1, 1]}))
    message = r"must be missing as a whole or not at all; received one with 1 of 2 values missing"
    with pytest.raises(ValueError, match=message):
        CooccurrenceCounts.from_frame(frame, task=["x", "y"], missing="drop")


def test_more_rows_than_the_whole_numbers_of_float32() -> None:
    n_rows = 2**24 + 3
    relation = duckdb.sql(f"SELECT (range % 2)::INT AS x, 1 AS one FROM range({n_rows})")
    counts = CooccurrenceCounts.from_frame(relation, task=["x", "one"], keep_rows=True)
    assert counts.n_rows == n_rows
    # The numbers below 2^24 + 3 hold 2^23 + 1 odd ones.
    assert counts.tables().marginal("task").tolist() == [2**23 + 1, n_rows]
    assert counts.observed_sets() == {(0, 1): 2**23 + 1, (1,): 2**23 + 2}


DECIMALS = {"x": [Decimal("1.0"), Decimal("0.0")], "y": [Decimal("0.0"), Decimal("1.0")]}
AS_DECIMALS: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(DECIMALS),
    "polars": lambda: pl.DataFrame(DECIMALS),
    "polars-lazy": lambda: pl.LazyFrame(DECIMALS),
    "pyarrow": lambda: pa.table(DECIMALS),
    "duckdb": lambda: duckdb.sql("SELECT * FROM (VALUES (1.0, 0.0), (0.0, 1.0)) AS t(x, y)"),
}


@pytest.mark.parametrize("name", AS_DECIMALS)
def test_decimals_are_numbers(name: str) -> None:
    # DuckDB takes a written 1.0 for one, and so do its sums.
    counts = CooccurrenceCounts.from_frame(AS_DECIMALS[name](), task=["x", "y"])
    assert counts == CooccurrenceCounts.from_arrays([[1, 0], [0, 1]], labels=["x", "y"])
