"""Which columns of a table arguments name, and what is said where they name none."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import biasamp_adapters as bam
from biasamp_adapters.counting.tables import read_table

FRAME = pd.DataFrame(
    {
        "y": [0, 1, 1],
        "p": [0, 1, 0],
        "q": [1, 1, 0],
        "g": ["a", "b", "b"],
        "h": [7, 7, 8],
        "s": [0.25, 0.5, 0.75],
        "true_a": [1, 0, 1],
        "true_b": [0, 0, 1],
        "pred_b": [1, 0, 1],
        "pred_a": [0, 1, 0],
    }
)


def read(frame: Any = FRAME, **arguments: Any) -> dict[str, Any]:
    (chunk,) = read_table(frame, arguments)
    return chunk


def values(group: Any) -> list[Any]:
    if isinstance(group, bam.OverlappingGroups):
        return np.column_stack(list(group.values.values())).tolist()
    return np.asarray(group).tolist()


# Names, lists and patterns.


def test_columns_single_names_give_columns_and_titles() -> None:
    chunk = read(y_true="y", y_pred="p", sensitive_features="g", sample_weight="s", clusters="h")
    assert values(chunk["y_true"]) == [0, 1, 1]
    assert {model: values(column) for model, column in chunk["y_pred"].items()} == {"p": [0, 1, 0]}
    assert values(chunk["sensitive_features"]) == ["a", "b", "b"]
    assert values(chunk["sample_weight"]) == [0.25, 0.5, 0.75]
    names = {"y_true": "y", "sensitive_features": "g", "sample_weight": "s", "clusters": "h"}
    assert chunk["names"] == names


def test_columns_list_of_features_is_crossed() -> None:
    chunk = read(y_true="y", sensitive_features=["g", "h"], control_features=["p", "q"])
    crossed = {name: values(x) for name, x in chunk["sensitive_features"].items()}
    assert crossed == {"g": ["a", "b", "b"], "h": [7, 7, 8]}
    assert list(chunk["control_features"]) == ["p", "q"]
    assert chunk["names"]["sensitive_features"] == ("g", "h")
    # A list of one is that feature.
    assert read(y_true="y", sensitive_features=["g"])["names"]["sensitive_features"] == "g"


def test_columns_mapping_names_models() -> None:
    chunk = read(y_true="y", y_pred={"old": "p", 2: "q"}, y_score={2: "s"})
    predictions = {model: values(x) for model, x in chunk["y_pred"].items()}
    assert predictions == {"old": [0, 1, 0], 2: [1, 1, 0]}
    assert {model: values(x) for model, x in chunk["y_score"].items()} == {2: [0.25, 0.5, 0.75]}


def test_columns_score_and_predicted_feature_belong_to_the_only_model() -> None:
    chunk = read(y_true="y", y_pred="p", y_score="s", sensitive_features_pred="g")
    assert list(chunk["y_pred"]) == list(chunk["y_score"]) == ["p"]
    assert list(chunk["sensitive_features_pred"]) == ["p"]
    assert list(read(y_true="y", y_score="s")["y_score"]) == ["s"]


@pytest.mark.parametrize("prediction", ["pred_*", ["pred_a", "pred_b"]])
def test_columns_matrix_predictions_stand_in_the_order_of_the_truth(prediction) -> None:
    chunk = read(y_true="true_*", y_pred=prediction)
    assert chunk["y_true"].names == ("a", "b")
    assert values(chunk["y_true"]) == [[1, 0], [0, 0], [1, 1]]
    ((model, matrix),) = chunk["y_pred"].items()
    assert model == ("pred" if prediction == "pred_*" else "model")
    assert matrix.names == ("a", "b")
    assert values(matrix) == [[0, 1], [1, 0], [0, 1]]
    assert chunk["names"] == {"y_true": None}


def test_columns_list_of_tasks_keeps_its_names_and_pairs_by_position() -> None:
    chunk = read(y_true=["true_b", "true_a"], y_pred={"m": ["pred_a", "pred_b"]})
    assert chunk["y_true"].names == chunk["y_pred"]["m"].names == ("true_b", "true_a")
    assert values(chunk["y_pred"]["m"]) == [[0, 1], [1, 0], [0, 1]]


def test_columns_pattern_may_begin_with_its_star_and_an_exact_name_wins() -> None:
    frame = FRAME.rename(columns={"true_a": "a_true", "true_b": "b_true"})
    chunk = read(frame, y_true="*_true", y_pred="pred_*")
    assert chunk["y_true"].names == chunk["y_pred"]["pred"].names == ("a", "b")
    frame = FRAME.assign(**{"true_*": [1, 1, 0]})
    assert values(read(frame, y_true="true_*")["y_true"]) == [1, 1, 0]


@pytest.mark.parametrize(
    ("columns", "pattern", "names", "title"),
    [
        (["race_white", "race_black"], "race_*", ("white", "black"), "race"),
        (["African", "Asian"], "A*", ("African", "Asian"), "A"),
        (["x.1", "x.2"], "x.*", ("1", "2"), "x"),
        (["white_group", "black_group"], "*_group", ("white_group", "black_group"), "group"),
    ],
)
def test_columns_pattern_of_features_names_groups(columns, pattern, names, title) -> None:
    frame = pd.DataFrame([[1, 0], [1, 1], [0, 0]], columns=columns)
    chunk = read(frame, sensitive_features=pattern)
    assert isinstance(chunk["sensitive_features"], bam.OverlappingGroups)
    assert chunk["sensitive_features"].names == names
    assert values(chunk["sensitive_features"]) == [[1, 0], [1, 1], [0, 0]]
    assert chunk["names"]["sensitive_features"] == title


def test_columns_predicted_groups_pair_by_stem() -> None:
    frame = pd.DataFrame(
        {"r_a": [1], "r_b": [0], "guess_b": [0.25], "guess_a": [0.75], "label": ["b"]}
    )
    # Labels may stand beside columns of groups.
    labels = read(frame, sensitive_features="r_*", sensitive_features_pred="label")
    assert values(labels["sensitive_features_pred"]["label"]) == ["b"]
    chunk = read(frame, sensitive_features="r_*", sensitive_features_pred="guess_*")
    (predicted,) = chunk["sensitive_features_pred"].values()
    assert predicted.names == ("a", "b")
    assert values(predicted) == [[0.75, 0.25]]


def test_columns_names_may_be_numbers_and_tuples() -> None:
    frame = pd.DataFrame([[0, 1], [1, 1]])
    assert values(read(frame, y_true=0, y_pred={"m": 1})["y_pred"]["m"]) == [1, 1]
    levels = pd.MultiIndex.from_tuples([("t", "y"), ("t", "p")])
    frame = pd.DataFrame([[0, 1], [1, 1]], columns=levels)
    assert values(read(frame, y_true=("t", "y"))["y_true"]) == [0, 1]


def test_columns_level_of_an_index_is_found_by_its_name() -> None:
    index = pd.MultiIndex.from_tuples([("x", 1), ("y", 2), ("y", 2)], names=["race", "sex"])
    chunk = read(FRAME.set_axis(index), y_true="y", sensitive_features=["race", "sex"])
    crossed = {name: values(x) for name, x in chunk["sensitive_features"].items()}
    assert crossed == {"race": ["x", "y", "y"], "sex": [1, 2, 2]}
    # A column wins over a level of its name.
    frame = FRAME.set_axis(pd.Index([5, 6, 7], name="g"))
    assert values(read(frame, sensitive_features="g")["sensitive_features"]) == ["a", "b", "b"]


def test_columns_that_cannot_be_read_matter_only_if_they_are_asked_for() -> None:
    frame = pd.concat([FRAME, FRAME[["h", "h"]]], axis=1)
    frame["lists"] = [[1], [2, 3], None]
    assert values(read(frame, y_true="y", y_pred="p")["y_true"]) == [0, 1, 1]
    with pytest.raises(ValueError, match=r"^3 columns have the name 'h': rename them\.$"):
        read(frame, y_true="y", sensitive_features="h")


# Names of no column.


@pytest.mark.parametrize(
    ("columns", "name", "hint"),
    [
        (["age", "race", "compas"], "Compas", "'age', 'race', 'compas'. Did you mean 'compas'?"),
        ([" race", "other"], "race", "' race', 'other'. Did you mean ' race'?"),
        (["race", "other"], "race ", "'race', 'other'. Did you mean 'race'?"),
        ([*"abcdefghijklm"], "y", ", ".join(f"'{x}'" for x in "abcdefghij") + " and 3 more."),
    ],
)
def test_columns_unknown_name_raises_with_a_guess(columns, name, hint) -> None:
    with pytest.raises(ValueError, match="There is no column") as raised:
        read(pd.DataFrame([[1] * len(columns)], columns=columns), y_true=name)
    assert str(raised.value) == f"There is no column {name!r}. The columns are {hint}"


@pytest.mark.parametrize("name", ["y", "column of a wide table", "x" * 1000])
def test_columns_unknown_name_in_a_wide_table_raises_in_one_short_line(name) -> None:
    many = pd.DataFrame({f"column {i} of a wide table": [1] for i in range(500)})
    with pytest.raises(ValueError, match=r"^There is no column .*$") as raised:
        read(many, y_true=name)
    assert len(str(raised.value)) <= 300
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("argument", "given"),
    [
        ("y_pred", np.array([0, 1, 0])),
        ("y_pred", [0, 1, 0]),
        ("y_pred", {"m": pl.Series([0, 1, 0])}),
        ("sensitive_features", FRAME[["g"]]),
        ("sensitive_features", [FRAME["g"], FRAME["h"]]),
        ("sample_weight", 2.5),
    ],
)
def test_columns_values_with_data_raise_with_the_line_that_works(argument, given) -> None:
    message = (
        f"With data, arguments are names of columns, and {argument} holds values. "
        f"Pass arrays for all, or data.assign({argument}=...)."
    )
    with pytest.raises(ValueError, match="With data") as raised:
        read(**{"y_true": "y", argument: given})
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ({"y_true": "true_*", "y_pred": ["pred_a"]}, "y_pred must name as many columns as y_true"),
        ({"y_true": "true_a", "y_pred": ["pred_a", "pred_b"]}, "Several models are a mapping"),
        ({"y_true": "y", "y_pred": ["p", "q"]}, "received 'p', 'q' for 'y'"),
        ({"y_true": "true_*", "y_pred": "p"}, "received 'p' for 'true_a', 'true_b'"),
        (
            {"y_true": "y", "y_pred": {"m": "p", "n": "q"}, "y_score": "s"},
            "y_score must be a mapping of the models 'm', 'n'; received 's'",
        ),
        (
            {"sensitive_features": ["g", "h"], "sensitive_features_pred": "g"},
            "sensitive_features_pred must name as many columns as sensitive_features",
        ),
        ({"y_true": "y", "sample_weight": ["s", "h"]}, "sample_weight must name one column"),
        ({"y_true": "y", "clusters": "true_*"}, "clusters must name one column"),
        ({"sensitive_features": ["g", "g"]}, "must name different columns; received 'g', 'g'"),
        ({"y_true": []}, "y_true must name different columns; received none"),
        ({}, "y_true, y_pred or sensitive_features must name a column of the data"),
    ],
)
def test_columns_that_do_not_fit_together_raise(arguments, fragment) -> None:
    with pytest.raises(ValueError, match=fragment):
        bam.Counts.from_frame(FRAME, **arguments)


def test_columns_that_have_no_partner_raise_with_its_name() -> None:
    models = {"old": "pred_*", "new": "new_*"}
    with pytest.raises(ValueError, match="There is no column 'new_b' to go with 'true_b'"):
        read(FRAME.assign(new_a=[1, 0, 1]), y_true="true_*", y_pred=models)
    with pytest.raises(ValueError, match="no column 'true_score' to go with 'pred_score'"):
        read(FRAME.assign(pred_score=[1, 0, 1]), y_true="true_*", y_pred="pred_*")
