"""Columns of 0 and 1 that are not what the command needs, or whose names look like a list."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command import Ended, biasamp, process, write_csv, write_parquet

TASKS = ["--task", "t_*", "--prediction", "p_*"]
COLUMNS = [*TASKS, "--attribute", "A"]
OUTPUTS = ["--html", "out/report.html", "--json", "out/report.json"]
FAST = ["--n-boot", "20"]


def table() -> pd.DataFrame:
    """20 rows a group; the predictions are right."""
    frame = pd.DataFrame(
        {
            "A": ["a"] * 20 + ["b"] * 20,
            "t_dog": [1] * 15 + [0] * 10 + [1] * 15,
            "t_cat": [0, 1] * 10 + [1] * 20,
        }
    )
    frame["p_dog"], frame["p_cat"] = frame["t_dog"], frame["t_cat"]
    frame["g_x"], frame["g_y"] = frame["A"].eq("a").astype(int), frame["A"].eq("b").astype(int)
    frame["h_y"], frame["h_x"] = frame["g_y"], frame["g_x"]
    return frame


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a folder for the outputs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    return tmp_path


def check(ended: Ended, message: str, folder: Path) -> None:
    """The call said ``message`` in one line, and left nothing."""
    assert ended.code == 2, ended.out
    assert ended.err.startswith("biasamp: error: ")
    assert len(ended.err.splitlines()) == 1
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert re.search(message, ended.err), ended.err
    assert [*(folder / "out").iterdir()] == []


def attribute(*names: str) -> list[str]:
    return [*TASKS, *(part for name in names for part in ("--attribute", name))]


OPTIONS: dict[str, tuple[list[str], str]] = {
    "task of no column": (
        ["--task", "u_*", "--prediction", "p_*", "--attribute", "A"],
        r"--task 'u_\*' must match a column; none of 'A', 't_dog', .* has this prefix",
    ),
    "prediction of no column": (
        ["--task", "t_*", "--prediction", "q_*", "--attribute", "A"],
        r"--prediction 'q_\*' must match a column",
    ),
    "attribute of no column": (attribute("k_*"), r"--attribute 'k_\*' must match a column"),
    "fewer predictions": (
        ["--task", "t_*", "--prediction", "p_dog", "--attribute", "A"],
        "--task and --prediction 'p_dog' must have the same names behind a prefix .or give both as "
        "lists, in one order.; received the columns 't_dog', 't_cat' and 'p_dog'",
    ),
    "more predictions": (
        ["--task", "t_dog,t_cat", "--prediction", "p_dog,p_cat,g_x", "--attribute", "A"],
        "must name as many columns, in their order; received the columns 't_dog', 't_cat' and "
        "'p_dog', 'p_cat', 'g_x'",
    ),
    "predictions of other tasks": (
        ["--task", "t_*", "--prediction", "h_*", "--attribute", "A"],
        r"--prediction 'h_\*' must have the same names behind a prefix .*; received the columns "
        "'t_dog', 't_cat' and 'h_y', 'h_x'",
    ),
    "more predicted groups": (
        [*attribute("g_x,g_y"), "--attribute-prediction", "h_x,h_y,p_dog"],
        "must name as many columns, in their order; received the columns 'g_x', 'g_y' and 'h_x'",
    ),
    "task named twice": (
        ["--task", "t_*", "--task", "t_dog", "--prediction", "p_*", "--attribute", "A"],
        "--task must name each column once",
    ),
    "model named twice": (
        [*COLUMNS, "--prediction", "p_*"],
        "--prediction must name each model once",
    ),
    "list of what is not there": (
        ["--task", "t_dog,t_fox", "--prediction", "p_dog,p_cat", "--attribute", "A"],
        "'t_fox' is not among",
    ),
    "groups that are columns, crossed": (
        attribute("A", "g_*"),
        r"groups that are columns cannot be crossed; received --attribute \['A', 'g_\*'\]",
    ),
    "other predicted groups": (
        [*attribute("g_*"), "--attribute-prediction", "p_*"],
        r"--attribute 'g_\*' and --attribute-prediction 'p_\*' must have the same names",
    ),
    "too many predicted groups": (
        [*attribute("g_*"), *["--attribute-prediction", "h_*"] * 2],
        r"--attribute-prediction must be given 1 time\(s\).* received \['h_\*', 'h_\*'\]",
    ),
    "prefix that is a whole name": (attribute("g_x*"), r"--attribute 'g_x\*' must match a column"),
    "list that goes on": (attribute("g_x,"), "'' is not among"),
    "predictions of many tasks for one": (
        ["--task", "t_dog", "--prediction", "p_*", "--attribute", "A"],
        r"'p_\*' is not among",
    ),
    "positive label": ([*COLUMNS, "--pos-label", "fox"], "one of the classes 'dog', 'cat'"),
    "gate": (
        [*COLUMNS, "--fail-above", "LAA=0"],
        "a gate must name a number of the report",
    ),
}


@pytest.mark.parametrize(("options", "message"), OPTIONS.values(), ids=OPTIONS.keys())
def test_options(folder: Path, options: list[str], message: str) -> None:
    write_csv(table(), folder / "images.csv")
    check(biasamp("audit", "images.csv", *options, *FAST, *OUTPUTS), message, folder)


#: A column of predictions whose name ends like that of another task.
ENDINGS: dict[str, tuple[list[str], str]] = {
    "two prefixes": (
        ["--task", "t_*", "--prediction", "p_*"],
        "'t_cat', 't_dog' and 'p_bobcat', 'p_dog'",
    ),
    "one column of each": (["--task", "t_c*", "--prediction", "p_bob*"], "'t_cat' and 'p_bobcat'"),
    "a prefix beside a list": (
        ["--task", "t_*", "--prediction", "p_bobcat,p_dog"],
        "'t_cat', 't_dog' and 'p_bobcat', 'p_dog'",
    ),
    "a prefix beside repeated options": (
        ["--task", "t_*", "--prediction", "p_dog", "--prediction", "p_bobcat"],
        "'t_cat', 't_dog' and 'p_dog', 'p_bobcat'",
    ),
    "a list beside a prefix": (
        ["--task", "t_cat,t_dog", "--prediction", "p_*"],
        "'t_cat', 't_dog' and 'p_bobcat', 'p_dog'",
    ),
}


@pytest.mark.parametrize(("options", "lists"), ENDINGS.values(), ids=ENDINGS)
def test_names_are_not_matched_by_their_endings(
    folder: Path, options: list[str], lists: str
) -> None:
    frame = table()[["A", "t_cat", "t_dog", "p_cat", "p_dog"]]
    write_csv(frame.rename(columns={"p_cat": "p_bobcat"}), folder / "images.csv")
    ended = biasamp("audit", "images.csv", *options, "--attribute", "A", *FAST, *OUTPUTS)
    check(ended, f"same names behind a prefix .*; received the columns {lists}$", folder)


def test_groups_are_not_matched_by_their_endings(folder: Path) -> None:
    frame = table().rename(columns={"g_x": "a_man", "g_y": "a_boy", "h_x": "b_woman"})
    write_csv(frame.rename(columns={"h_y": "b_boy"}), folder / "images.csv")
    ended = biasamp(
        "audit", "images.csv", *attribute("a_*"), "--attribute-prediction", "b_*", *FAST, *OUTPUTS
    )
    check(ended, "the columns 'a_man', 'a_boy' and 'b_boy', 'b_woman'", folder)


def changed(**columns: Any) -> Callable[[], pd.DataFrame]:
    return lambda: table().assign(**columns)


GAP = [None, *[0, 1] * 19, 0]
VALUES: dict[str, tuple[Callable[[], pd.DataFrame], list[str], str]] = {
    "truth of 2": (changed(t_dog=2), COLUMNS, "must hold 0 and 1; received 2"),
    "truth of 1/2": (changed(t_dog=0.5), COLUMNS, "must hold 0 and 1; received 0.5"),
    "prediction of 2": (
        changed(p_dog=2),
        COLUMNS,
        "must hold 0 and 1, or probabilities between them; received 2",
    ),
    "negative prediction": (changed(p_dog=-0.5), COLUMNS, "probabilities .*; received -0.5"),
    "words": (changed(t_dog="dog"), COLUMNS, "must hold numbers, 0 and 1; .* such as 'dog'"),
    "group of 1/2": (changed(g_x=0.5), attribute("g_*"), "must hold 0 and 1; received 0.5"),
    "row missing in part": (
        changed(p_dog=GAP),
        [*COLUMNS, "--missing", "drop"],
        "must be missing as a whole or not at all; received one with 1 of 2 values missing",
    ),
    "row missing": (
        changed(p_dog=GAP, p_cat=GAP),
        COLUMNS,
        "must not have missing values; received 1",
    ),
    "truth missing": (
        changed(t_dog=GAP, t_cat=GAP),
        [*COLUMNS, "--missing", "abstain"],
        "must not have missing values; received 1",
    ),
    "no rows": (lambda: table().iloc[:0], COLUMNS, "at least one row; received none"),
}


@pytest.mark.parametrize(("make", "options", "message"), VALUES.values(), ids=VALUES.keys())
def test_values(
    folder: Path, make: Callable[[], pd.DataFrame], options: list[str], message: str
) -> None:
    write_csv(make(), folder / "images.csv")
    check(biasamp("audit", "images.csv", *options, *FAST, *OUTPUTS), message, folder)


@pytest.mark.parametrize("column", ["t_dog", "p_cat", "g_y"])
def test_wrong_values_are_named_by_their_columns(folder: Path, column: str) -> None:
    # A user of the command knows columns, not the arguments of a function.
    write_csv(table().assign(**{column: 2}), folder / "images.csv")
    ended = biasamp("audit", "images.csv", *attribute("g_*"), *FAST, *OUTPUTS)
    check(ended, "received 2", folder)
    assert column[:2] in ended.err


def test_reference_without_a_task(folder: Path) -> None:
    write_csv(table(), folder / "images.csv")
    write_csv(table().drop(columns="t_cat"), folder / "training.csv")
    options = [*COLUMNS, "--reference", "training.csv", *FAST, *OUTPUTS]
    check(biasamp("audit", "images.csv", *options), "in the reference, .*'t_cat' is not", folder)


def test_process(folder: Path) -> None:
    write_csv(table().assign(t_dog=7), folder / "images.csv")
    ended = process("audit", "images.csv", *COLUMNS, *FAST, *OUTPUTS, cwd=folder)
    check(ended, "must hold 0 and 1; received 7", folder)


def value_of(folder: Path, name: str, *options: str) -> Any:
    """BA A->T of a file."""
    ended = biasamp("audit", name, *options, *FAST, "--json", "out/report.json")
    assert (ended.code, ended.err) == (0, "")
    summary = json.loads((folder / "out/report.json").read_text())
    (row,) = (row for row in summary["metrics"] if row["name"] == "BA A->T")
    return row["value"], [of["label"] for of in summary["data"]["classes"]]


LITERAL = {"t_dog": "a,b", "t_cat": "t*", "p_dog": "p,q", "p_cat": "p*"}


def test_columns_of_such_names_are_taken_literally(folder: Path) -> None:
    # "t_more" and "p_more" would be matched by the prefixes, and there are no columns "a" and "b".
    frame = table().rename(columns=LITERAL).assign(t_more=1, p_more=1)
    write_csv(frame, folder / "images.csv")
    alone = ["--task", "t*", "--prediction", "p*", "--attribute", "A"]
    assert value_of(folder, "images.csv", *alone) == (0, ["0", "1"])
    listed = ["--task", "a,b", "--task", "t*", "--prediction", "p,q", "--prediction", "p*"]
    assert value_of(folder, "images.csv", *listed, "--attribute", "A") == (0, ["a,b", "t*"])


@pytest.mark.parametrize("name", ["A,B", "A*"])
def test_attributes_of_such_names_are_taken_literally(folder: Path, name: str) -> None:
    write_csv(table().rename(columns={"A": name}).assign(A=1, B=1), folder / "images.csv")
    value, _ = value_of(folder, "images.csv", *attribute(name))
    assert value == 0


KINDS = {"csv": write_csv, "parquet": write_parquet}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("said", [["p_dog", "p_cat"], []])
def test_booleans_are_0_and_1(folder: Path, kind: str, said: list[str]) -> None:
    # As pandas writes a comparison; predictions may be of another type than the truth.
    frame = table().astype(dict.fromkeys(["t_dog", "t_cat", *said], bool))
    KINDS[kind](frame, folder / f"images.{kind}")
    assert value_of(folder, f"images.{kind}", *COLUMNS) == (0, ["dog", "cat"])


def test_boolean_truth_beside_probabilities(folder: Path) -> None:
    frame = table().astype({"t_dog": bool, "t_cat": bool}).assign(p_dog=0.5, p_cat=0.5)
    write_parquet(frame, folder / "images.parquet")
    # Dogs are 15/20 of both groups, a tie; of cats 10/20 of a and 20/20 of b.
    value, _ = value_of(folder, "images.parquet", *COLUMNS)
    assert value == pytest.approx((10 / 20 - 0.5 + 0.5 - 20 / 20) / 4)
