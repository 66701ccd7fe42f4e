"""Rows of files that meet a condition of SQL on any of the columns."""

from pathlib import Path

import pandas as pd
import pytest

import biasamp_adapters as bam
from biasamp_adapters.counting.paths import Selection

NAMES = {"y_true": "y", "y_pred": "y", "sensitive_features": "g"}
TABLE = pd.DataFrame(
    {
        "y": [0, 1, 1, 0],
        "g": ["a", "b", "c", "d"],
        "age": [5, 18, 100, 20],
        "Sex": ["F", "M", "F", "it's"],
        "c0": [1, 2, 3, 4],
        'a "b"': [0.5, 1.5, 2.5, 10],
        "day": ["2020-01-02", "2020-01-03", None, "n/k"],
    }
)


@pytest.fixture(params=["csv", "jsonl", "parquet"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = tmp_path / f"table.{request.param}"
    if request.param == "csv":
        TABLE.to_csv(file, index=False)
    elif request.param == "jsonl":
        TABLE.to_json(file, orient="records", lines=True)
    else:
        TABLE.to_parquet(file)
    return file


def groups_of(*paths: Path, where: str, **options: object) -> str:
    counts = bam.Counts.from_frame(Selection(paths, where), **NAMES, **options)
    return "".join(counts.group_labels)


@pytest.mark.parametrize(
    ("where", "groups"),
    [
        ("age >= 18", "bcd"),  # As text, 100 would be less than 18.
        ("AGE BETWEEN 6 AND 30 AND sex <> 'M' -- a comment", "d"),
        ("Sex = 'it''s' OR g = 'a'", "ad"),
        ("c0 > 2", "cd"),
        ('"a ""b""" < 2', "ab"),
        ("lower(sex) = 'f'", "ac"),
        ("day IS NULL OR day = 'n/k'", "cd"),
        ("y = 1", "bc"),
        ("age IN (SELECT 5)", "a"),
        ("true", "abcd"),
    ],
)
def test_selection_has_rows_that_meet_the_condition(path, where, groups) -> None:
    assert groups_of(path, where=where) == groups


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("ages < 10", r"There is no column 'ages'\. .* Did you mean 'age'\?"),
        ("age > 1000", r"No row meets where; received 'age > 1000'\."),
        ("", "where must be one condition of SQL, such as .*; received '': "),
        ("age >", "received 'age >': syntax error"),
        ("true; DROP TABLE x", "one condition"),
        ("g = 1", "has text in a column that where compares with a number"),
        ("exists (FROM glob('/*'))", "Cannot access file"),
        ("exists (FROM read_text('table.csv'))", "Cannot access file"),
        ("max(age) > 1", "cannot contain aggregates"),
        ("Random() < 0.5", r"where must choose the same rows each time; received random\(\)"),
        ("age < CURRENT_DATE", "same rows each time; received current_date"),
        ("day < today()", r"received today\(\)"),
        ("nothing(age)", "nothing does not exist"),
    ],
)
def test_condition_that_cannot_be_met_raises(path, where, message) -> None:
    with pytest.raises(ValueError, match=message) as error:
        groups_of(path, where=where)
    assert "\n" not in str(error.value)


def test_selection_of_several_files_compares_them_as_one_type(tmp_path) -> None:
    paths = [tmp_path / "first.csv", tmp_path / "second.csv"]
    TABLE.to_csv(paths[0], index=False)
    TABLE.assign(g="e", age="9.5").iloc[:, ::-1].to_csv(paths[1], index=False)
    assert groups_of(*paths, where="age < 10") == "ae"
    TABLE.drop(columns="age").to_csv(paths[1], index=False)
    with pytest.raises(ValueError, match=r"second\.csv' must have one column 'age'"):
        groups_of(*paths, where="age < 10")


def test_missing_values_are_missing_in_the_condition(tmp_path) -> None:
    file = tmp_path / "table.csv"
    TABLE.assign(age=[5, 18, "?", 20]).to_csv(file, index=False)
    assert groups_of(file, where="age > 9", missing_values=["?"]) == "bd"


def test_selection_of_a_label_matrix_reads_its_columns(tmp_path) -> None:
    file = tmp_path / "table.csv"
    TABLE.assign(t_1=[0, 1, 0, 1], t_2=1).to_csv(file, index=False)
    names = {"y_true": "t_*", "y_pred": "t_*", "sensitive_features": "g"}
    counts = bam.Counts.from_frame(Selection([file], "t_1 = 1"), **names)
    assert (counts.n_rows, counts.class_labels) == (2, ("1", "2"))
