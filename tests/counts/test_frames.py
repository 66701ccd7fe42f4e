"""Every engine counts a frame as its columns are counted as arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import duckdb_takes_quotes
from kinds import Kind

from biasamp_adapters import JointCounts

Engine = Callable[[pd.DataFrame], Any]


def _objects(*values: Any) -> pd.Series:
    """A column in which None stays None, for engines that tell it from NaN."""
    return pd.Series(values, dtype=object)


@pytest.fixture
def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "group": ["a", "a", "b", "b", "b", "a"],
            "site": [1, 1, 1, 2, 2, 2],
            "truth": [0, 1, 1, 0, 1, 0],
            "old": [0, 1, 0, 0, 1, 0],
            "new": [0, 1, 1, 0, 1, 1],
            "guess": ["a", "b", "b", "b", "b", "a"],
            "site guess": [1, 1, 2, 2, 2, 2],
            # Quarters: sums of them and of their squares are exact in any order.
            "weight": [0.25, 1.0, 2.5, 0.25, 3.0, 0.25],
        }
    )


def test_the_counts_themselves(rows: pd.DataFrame, engine: Engine) -> None:
    counts = JointCounts.from_frame(engine(rows), task="truth", prediction="old", attribute="group")
    assert counts.labels == (0, 1)
    assert counts.groups == ("a", "b")
    assert counts.attributes == ("group",)
    assert counts.models == ("old",)
    # Rows 1 and 6 are both (a, 0, 0).
    assert counts.cells.codes.tolist() == [[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert counts.n.tolist() == [2, 1, 1, 1, 1]
    assert {type(label) for label in counts.labels} == {int}


@pytest.mark.parametrize("by_weight", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("models", [["old"], ["old", "new"]], ids=len)
@pytest.mark.parametrize("attributes", [["group"], ["group", "site"]], ids=len)
def test_a_frame_counts_as_its_columns(
    rows: pd.DataFrame,
    engine: Engine,
    attributes: list[str],
    models: list[str],
    weighted: bool,
    by_weight: bool,
) -> None:
    guesses = ["guess", "site guess"][: len(attributes)]
    counted = JointCounts.from_frame(
        engine(rows),
        task="truth",
        prediction=models,
        attribute=attributes,
        attribute_prediction=guesses * len(models),
        weight="weight" if weighted else None,
        by_weight=by_weight,
    )
    assert counted == JointCounts.from_arrays(
        rows["truth"],
        {name: rows[name] for name in models},
        rows[attributes],
        dict.fromkeys(models, rows[guesses]),
        rows["weight"] if weighted else None,
        by_weight=by_weight,
    )


def test_weights_are_summed(rows: pd.DataFrame, engine: Engine) -> None:
    counts = JointCounts.from_frame(engine(rows), attribute="group", weight="weight")
    assert counts.n.tolist() == [3, 3]
    assert counts.w is not None
    assert counts.w.tolist() == [0.25 + 1 + 0.25, 2.5 + 0.25 + 3]
    assert counts.cells.w2 is not None
    assert counts.cells.w2.tolist() == [0.0625 + 1 + 0.0625, 6.25 + 0.0625 + 9]


def test_rows_of_different_weights_are_kept_apart(rows: pd.DataFrame, engine: Engine) -> None:
    counts = JointCounts.from_frame(
        engine(rows), attribute="group", weight="weight", by_weight=True
    )
    assert counts.cells.codes.tolist() == [[0], [0], [1], [1], [1]]
    assert counts.cells.unit is not None
    assert counts.cells.unit.tolist() == [0.25, 1, 0.25, 2.5, 3]
    assert counts.n.tolist() == [2, 1, 1, 1, 1]


def test_integer_weights(engine: Engine) -> None:
    frame = pd.DataFrame({"truth": [0, 1, 1], "weight": [2, 3, 4]})
    counts = JointCounts.from_frame(engine(frame), task="truth", weight="weight")
    assert counts.w is not None
    assert counts.w.tolist() == [2, 3 + 4]


WITH_NULLS: dict[str, tuple[list[Any], list[Any]]] = {
    "strings": (["x", "y", "y", "x"], ["x", None, "y", None]),
    "integers": ([0, 1, 1, 0], [0, None, 1, None]),
    "booleans": ([False, True, True, False], [False, None, True, None]),
    "floats": ([0.5, 1.5, 1.5, 0.5], [0.5, None, 1.5, None]),
    "NaN": ([0.5, 1.5, 1.5, 0.5], [0.5, float("nan"), 1.5, float("nan")]),
}


@pytest.mark.parametrize("kind", WITH_NULLS)
def test_missing_predictions(engine: Engine, kind: str) -> None:
    truth, prediction = WITH_NULLS[kind]
    frame = engine(pd.DataFrame({"truth": _objects(*truth), "p": _objects(*prediction)}))
    columns = {"task": "truth", "prediction": "p"}
    abstained = JointCounts.from_frame(frame, missing="abstain", **columns)
    # A code past the two labels is an abstention.
    assert abstained.cells.codes.tolist() == [[0, 0], [0, 2], [1, 1], [1, 2]]
    assert abstained == JointCounts.from_arrays(truth, {"p": prediction}, missing="abstain")
    dropped = JointCounts.from_frame(frame, missing="drop", **columns)
    assert dropped.cells.codes.tolist() == [[0, 0], [1, 1]]
    assert dropped.dropped == 2
    assert dropped == JointCounts.from_arrays(truth, {"p": prediction}, missing="drop")
    with pytest.raises(ValueError, match=r"column 'p' must not have missing values; received 2 "):
        JointCounts.from_frame(frame, **columns)


def test_missing_levels_of_crossed_attributes(engine: Engine) -> None:
    attributes = {"s": ["f", "f", None, "m"], "r": [1, None, 2, 2]}
    frame = pd.DataFrame({name: _objects(*values) for name, values in attributes.items()})
    counts = JointCounts.from_frame(engine(frame), attribute=["s", "r"], missing="drop")
    assert counts.groups == (("f", 1), ("m", 2))
    assert counts.dropped == 2
    assert counts == JointCounts.from_arrays(sensitive_features=attributes, missing="drop")
    with pytest.raises(ValueError, match=r"column 's' x 'r' must not have .* received 2 \("):
        JointCounts.from_frame(engine(frame), attribute=["s", "r"])


def test_integers_stay_integers_beside_nulls(engine: Engine) -> None:
    # The neighbours 2^60 and 2^60 + 1 are the same number as floats.
    frame = pd.DataFrame({"g": _objects(2**60, 2**60 + 1, None, 2**60 + 1)})
    counts = JointCounts.from_frame(engine(frame), attribute="g", missing="drop")
    assert counts.groups == (2**60, 2**60 + 1)
    assert counts.n.tolist() == [1, 2]
    assert {type(group) for group in counts.groups} == {int}


def test_probabilities(engine: Engine) -> None:
    frame = pd.DataFrame({"truth": [0, 1, 1, 0], "p": [0.25, 1.0, 0.25, 0.25]})
    counts = JointCounts.from_frame(engine(frame), task="truth", prediction="p")
    assert counts.labels == (0, 1)
    assert counts.levels.tolist() == [0.25]
    # Codes: two labels, the abstention, then the first probability.
    assert counts.cells.codes.tolist() == [[0, 3], [1, 1], [1, 3]]
    assert counts.n.tolist() == [2, 1, 1]


KINDS: dict[str, list[Any]] = {
    "booleans": [False, True, True],
    "floats": [-0.5, 2.5, 2.5],
    "negative integers": [-(2**40), 7, 7],
    "strings": ["", "ä 'quoted\"", "ä 'quoted\""],
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_labels(engine: Engine, kind: str) -> None:
    values = KINDS[kind]
    counts = JointCounts.from_frame(engine(pd.DataFrame({"truth": values})), task="truth")
    assert counts.labels == (values[0], values[1])
    assert [type(label) for label in counts.labels] == [type(value) for value in values[:2]]
    assert counts.n.tolist() == [1, 2]


AWKWARD = ["len", "n", "a b", "Ünï", "count(*)", 'qu"ote', "it's", "select", "bam_key_1", "bam_n"]


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_column_names(engine: Engine, name: str, request: pytest.FixtureRequest) -> None:
    if '"' in name and "duckdb" in request.node.name and not duckdb_takes_quotes():
        pytest.skip("DuckDB before 2.0 cannot name such a column")
    # The name stands where keys go, where weights go, and beside a column of an ordinary name.
    frame = engine(pd.DataFrame({name: [1, 2, 2], "other": ["x", "y", "y"]}))
    plain = {"task": [1, 2, 2], "attribute": ["x", "y", "y"]}
    counts = JointCounts.from_frame(frame, task=name, attribute="other", weight=name)
    assert counts == JointCounts.from_arrays(
        plain["task"], sensitive_features={"other": plain["attribute"]}, sample_weight=[1, 2, 2]
    )
    crossed = JointCounts.from_frame(frame, attribute=[name, "other"], prediction=name)
    assert crossed.attributes == (name, "other")
    assert crossed.models == (name,)
    assert crossed.groups == ((1, "x"), (2, "y"))
    assert crossed.n.tolist() == [1, 2]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_names_that_differ_in_case(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    # DuckDB has no such names: there "a" and "A" are one.
    frame = make({"a": [0, 1, 1], "A": ["x", "y", "x"]})
    counts = JointCounts.from_frame(frame, task="a", attribute="A")
    assert counts == JointCounts.from_arrays([0, 1, 1], sensitive_features={"A": ["x", "y", "x"]})


@pytest.mark.parametrize("kind", ["category", "string[pyarrow]", "Int64", "boolean"])
def test_pandas_types_with_nulls(kind: str) -> None:
    values = {"Int64": [3, None, 4], "boolean": [False, None, True]}.get(kind, ["x", None, "y"])
    frame = pd.DataFrame({"p": pd.Series(values, dtype=kind), "truth": [0, 0, 1]})
    counts = JointCounts.from_frame(
        frame, attribute_prediction="p", attribute="truth", missing="abstain"
    )
    assert counts == JointCounts.from_arrays(
        sensitive_features=frame["truth"],
        sensitive_features_pred=frame["p"],
        missing="abstain",
    )
    assert counts.n_rows == 3
    assert counts.groups[-1] == values[-1] or counts.groups[-1] == "y"


def test_unobserved_categories_are_no_labels() -> None:
    column = pd.Series(["x", "y"], dtype=pd.CategoricalDtype(["z", "y", "x"]))
    counts = JointCounts.from_frame(pd.DataFrame({"truth": column}), task="truth")
    assert counts.labels == ("x", "y")


def test_listed_labels(engine: Engine) -> None:
    frame = engine(pd.DataFrame({"truth": [0, 1], "group": ["a", "b"]}))
    columns = {"task": "truth", "attribute": "group"}
    counts = JointCounts.from_frame(frame, labels=[2, 1, 0], groups=["b", "a"], **columns)
    assert counts.labels == (2, 1, 0)
    assert counts.cells.codes.tolist() == [[0, 1], [1, 2]]
    with pytest.raises(ValueError, match=r"column 'group' must hold only labels listed in groups"):
        JointCounts.from_frame(frame, groups=["a", "c"], **columns)


def test_more_groups_than_fit_a_dense_table(engine: Engine) -> None:
    group, label = np.divmod(np.arange(160_000), 400)
    frame = pd.DataFrame({"group": group, "truth": label})
    counts = JointCounts.from_frame(engine(frame), task="truth", attribute="group")
    assert counts.n.tolist() == [1] * 160_000
    np.testing.assert_array_equal(counts.cells.codes, np.stack([group, label], axis=1))


def test_a_column_that_is_not_there(kind: Kind, rows: pd.DataFrame, engine: Engine) -> None:
    with pytest.raises(
        ValueError, match=r"columns must be in the frame; 'nope' is not among \['group', 'site'"
    ):
        kind.from_frame(engine(rows), "nope", attribute="group")
    with pytest.raises(ValueError, match=r"'nope', 'W' are not among"):
        kind.from_frame(engine(rows), "truth", attribute="nope", weight="W")


def test_an_empty_frame(kind: Kind, rows: pd.DataFrame, engine: Engine) -> None:
    empty = nw.from_native(engine(rows)).head(0).to_native()
    # Engines that hold their rows hand those of matrices over as arrays.
    what = "the frame" if kind.name == "labels" else "(the frame|inputs)"
    for weight in (None, "weight"):
        with pytest.raises(ValueError, match=rf"{what} must have at least one row; .* none"):
            kind.from_frame(empty, "truth", weight=weight)


def test_no_columns(kind: Kind, rows: pd.DataFrame, engine: Engine) -> None:
    with pytest.raises(ValueError, match="at least one column; received none"):
        kind.from_frame(engine(rows))


WEIGHTS: dict[str, tuple[list[Any], str]] = {
    # The rows of these are alike, so that engines group them.
    "negative": ([1.0, -0.5, 2.0, -0.5], r"finite and not negative; received -0\.5.* 2 row"),
    "NaN": ([1.0, 2.0, float("nan"), 3.0], r"finite and not negative; received nan.* 1 row"),
    "null": ([1.0, 2.0, None, 3.0], r"finite and not negative; received .* 1 row"),
    "infinite": ([1.0, 2.0, float("inf"), 3.0], r"finite and not negative; received inf.* 1 row"),
    "strings": (["1", "2", "3", "4"], r"column 'weight' must hold numbers.*; received "),
    "zeros": ([0.0, 0.0, 0.0, 0.0], r"positive sum; received only zeros"),
}


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_weights_that_are_none(engine: Engine, kind: Kind, weights: str, apart: bool) -> None:
    values, message = WEIGHTS[weights]
    dtype = None if weights == "strings" else float
    frame = engine(pd.DataFrame({"truth": [0, 1, 0, 1], "weight": pd.Series(values, dtype=dtype)}))
    with pytest.raises(ValueError, match=message):
        kind.from_frame(frame, "truth", weight="weight", **(kind.apart if apart else {}))


@pytest.mark.parametrize("frame", [None, 5, "rows.csv", [1, 2], {"truth": [1]}, np.eye(2)])
def test_not_a_frame(kind: Kind, frame: Any) -> None:
    # The type is wrong, not a value of it: either class of error is fair, if the rule is stated.
    with pytest.raises((TypeError, ValueError), match=r"frame must be a dataframe or relation"):
        kind.from_frame(frame, "truth")


def test_predicted_attributes_must_match(rows: pd.DataFrame, engine: Engine) -> None:
    with pytest.raises(ValueError, match=r"must name 2 column\(s\).* received \['guess'\]"):
        JointCounts.from_frame(
            engine(rows), attribute=["group", "site"], attribute_prediction="guess"
        )


def test_a_model_counted_twice(rows: pd.DataFrame, engine: Engine) -> None:
    # Two axes of the same name could not be told apart afterwards.
    with pytest.raises(ValueError, match=r"prediction must .* \['old', 'old'\]"):
        JointCounts.from_frame(engine(rows), task="truth", prediction=["old", "old"])
