"""Bad input to the command: one line on standard error, exit code 2, and no file left behind."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import COLUMNS, Ended, biasamp, process, table, write_csv, write_parquet

OUTPUTS = ["--html", "out/report.html", "--json", "out/report.json"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: a good file, and a folder for the outputs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    write_csv(table(), tmp_path / "people.csv")
    return tmp_path


def check(ended: Ended, message: str, folder: Path) -> None:
    """The call said ``message`` in one line, and left nothing."""
    assert ended.code == 2
    assert ended.err.startswith("biasamp: error: ")
    assert ended.err.endswith("\n")
    assert len(ended.err.splitlines()) == 1
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert re.search(message, ended.err), ended.err
    assert [*(folder / "out").iterdir()] == []


def changed(**columns: object) -> Callable[[Path], object]:
    """Write the table with some columns replaced."""
    return lambda path: write_csv(table().assign(**columns), path)


def content(text: str | bytes) -> Callable[[Path], object]:
    """Write a file of this content."""
    return lambda path: path.write_bytes(text if isinstance(text, bytes) else text.encode())


GAPS = [None, *[0, 1] * 99, 0]
CASES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing column": (content("T,A\n1,a\n0,b\n"), r"'P' is not among \['T', 'A'"),
    "unknown predicted label": (changed(P=[7] * 200), r"'P'.* received '?7'?, known are"),
    "empty file": (content(""), r"a file must have rows; 'bad\.csv' is empty"),
    "header only": (content("T,P,A\n"), "at least one row; received none"),
    "one group": (changed(A="a"), "at least two groups; received only 'a'"),
    "all missing": (changed(P=None), "column 'P' must hold values; all 200 are missing"),
    "missing truth": (changed(T=GAPS), "column 'T' must not have missing values; received 1"),
    "missing group": (changed(A=[None, *["a", "b"] * 99, "a"]), "column 'A' must not have missing"),
    "NaN": (changed(P=["NaN", *[0.5] * 199]), "column 'P' must not have missing values"),
    "above 1": (changed(P=[1.5, *[0.5] * 199]), r"'P' must lie in \[0, 1\]; received 1\.5"),
    "below 0": (changed(P=[-0.1, *[0.5] * 199]), r"'P' must lie in \[0, 1\]; received -0\.1"),
    "infinite": (changed(P=["inf", *[0.5] * 199]), r"'P'.*received .*inf"),
    "not text": (content(b"T,P,A\n1,1,\xff\xfe\n0,0,b\n"), r"cannot read bad\.csv"),
    "binary": (content(b"\x00\x01\x02\xff" * 50), r"biasamp: error: .*(cannot read|columns)"),
}


@pytest.mark.parametrize(("write", "message"), CASES.values(), ids=CASES.keys())
def test_bad_file(folder: Path, write: Callable[[Path], object], message: str) -> None:
    write(folder / "bad.csv")
    check(biasamp("audit", "bad.csv", *COLUMNS, *OUTPUTS), message, folder)


@pytest.mark.parametrize(
    "text",
    [
        "T,P,A\n1,1,a\n0,1\n1,1,b\n0,0,a\n",
        "T,P,A\n1,1,a\n0,1,b,5,6,7\n1,1,b\n0,0,a\n",
        'T,P,A\n1,1,a\n0,1,"b\n1,1,b\n0,0,a\n',
    ],
    ids=["row too short", "row too long", "quote left open"],
)
def test_malformed_csv_is_called_so(folder: Path, text: str) -> None:
    # The columns are there; it is a row that is wrong, and that is what helps to find it.
    (folder / "bad.csv").write_text(text)
    ended = biasamp("audit", "bad.csv", *COLUMNS, *OUTPUTS)
    check(ended, r"cannot read bad\.csv", folder)
    assert "must be in the file" not in ended.err


@pytest.mark.parametrize("first", ["#1", "// 1"])
def test_row_like_a_comment_is_a_row(folder: Path, first: str) -> None:
    frame = table().astype({"T": str, "P": str})
    frame.loc[0, ["T", "P"]] = first
    write_csv(frame, folder / "people.csv")
    ended = biasamp("audit", "people.csv", *COLUMNS, "--n-boot", "0")
    assert (ended.code, ended.err) == (0, "")
    assert "\n200 rows \u00b7 " in ended.out


def test_words_stay_words(folder: Path) -> None:
    frame = table()
    frame[["T", "P"]] = frame[["T", "P"]].replace({0: "no", 1: "yes"})
    write_csv(frame, folder / "people.csv")
    ended = biasamp("audit", "people.csv", *COLUMNS, "--n-boot", "0", "--full")
    assert ended.code == 0
    classes = ended.out.partition("\nClasses\n")[2].splitlines()
    assert [line.split()[0] for line in classes[1:3]] == ["no", "yes"]


def test_type_of_a_column_does_not_depend_on_the_file(folder: Path) -> None:
    # Only the training data know group "n/k"; 1 and 2 are the same groups all the same.
    frame = table()
    frame["A"] = frame["A"].map({"a": 1, "b": 2})
    write_csv(frame, folder / "people.csv")
    training = frame.astype({"A": str})
    training.loc[::10, "A"] = "n/k"
    write_csv(training, folder / "training.csv")
    arguments = [*COLUMNS, "--reference", "training.csv", "--n-boot", "0"]
    ended = biasamp("audit", "people.csv", *arguments)
    assert (ended.code, ended.err) == (0, "")


def test_type_of_a_column_does_not_depend_on_the_column(folder: Path) -> None:
    # A class that the model never says makes a column of words beside a column of numbers.
    frame = table().astype({"T": str})
    frame.loc[::20, "T"] = "n/k"
    write_csv(frame, folder / "people.csv")
    ended = biasamp("audit", "people.csv", *COLUMNS, "--n-boot", "0")
    assert (ended.code, ended.err) == (0, "")


FILES: dict[str, tuple[list[str], str]] = {
    "no such file": (["none.csv"], r"there is none for 'none\.csv'"),
    "glob without files": (["none*.csv"], r"there is none for 'none\*\.csv'"),
    "empty folder": (["out"], r"a folder must hold files that end in \.csv.* none in 'out'"),
    "suffix": (["people.txt"], r"must end in \.csv, .*received 'people\.txt'"),
    "no suffix": (["people"], r"must end in \.csv, .*received 'people'"),
    "two kinds": (["people.csv", "fake.parquet"], r"cannot read fake\.parquet"),
    "not Parquet": (["fake.parquet"], r"cannot read fake\.parquet"),
    "not gzip": (["fake.csv.gz"], r"cannot read fake\.csv\.gz"),
    "half a gzip": (["half.csv.gz"], r"cannot read half\.csv\.gz"),
    "one of several empty": (["people.csv", "empty.csv"], r"'empty\.csv' is empty"),
}


@pytest.mark.parametrize(("files", "message"), FILES.values(), ids=FILES.keys())
@pytest.mark.parametrize("option", [None, "--reference"])
def test_file_that_is_none(
    folder: Path, files: list[str], message: str, option: str | None
) -> None:
    text = (folder / "people.csv").read_bytes()
    for name in ("people.txt", "people", "fake.parquet", "fake.csv.gz"):
        (folder / name).write_bytes(text)
    (folder / "half.csv.gz").write_bytes(gzip.compress(text)[:60])
    (folder / "empty.csv").touch()
    given = files if option is None else ["people.csv", *[f"{option}={name}" for name in files]]
    check(biasamp("audit", *given, *COLUMNS, *OUTPUTS), message, folder)


def test_parts_without_a_column(folder: Path) -> None:
    write_csv(table().drop(columns="P"), folder / "part.csv")
    ended = biasamp("audit", "people.csv", "part.csv", *COLUMNS, *OUTPUTS)
    check(ended, "column 'P' must not have missing values; received 200", folder)


def test_reference_of_other_groups(folder: Path) -> None:
    write_csv(table().replace({"A": {"a": "c"}}), folder / "training.csv")
    ended = biasamp("audit", "people.csv", *COLUMNS, *OUTPUTS, "--reference", "training.csv")
    check(ended, "reference must have the same groups .*received 'b', 'c' for 'a', 'b'", folder)


def test_reference_says_that_it_is_the_reference(folder: Path) -> None:
    (folder / "training.csv").write_text("T,P\n1,1\n")
    ended = biasamp("audit", "people.csv", *COLUMNS, *OUTPUTS, "--reference", "training.csv")
    check(ended, "in the reference, .*'A' is not among", folder)


def test_negative_weights(folder: Path) -> None:
    write_csv(table().assign(w=[-1.5, *[1] * 199]), folder / "bad.csv")
    ended = biasamp("audit", "bad.csv", *COLUMNS, *OUTPUTS, "--weight", "w")
    check(ended, r"'w' must .*finite and not negative; received -1\.5", folder)


OPTIONS: dict[str, tuple[list[str], str]] = {
    "unknown option": (["--bogus"], "No such option: --bogus"),
    "n-boot a word": (["--n-boot", "many"], "'--n-boot'"),
    "seed below 0": (["--seed", "-1"], "--seed must be a whole number, not negative; received -1$"),
    "a model twice": (["--prediction", "P"], "--prediction must name each column once; received"),
    "confidence": (["--confidence", "95"], "--confidence must lie strictly between 0 and 1"),
    "missing rule": (["--missing", "ignore"], "'--missing'.*'ignore'"),
    "gate without number": (["--fail-above", "BA"], "--fail-above must be METRIC=X"),
    "gate with a word": (["--fail-above", "BA=much"], "--fail-above must be METRIC=X"),
    "gate of nan": (["--fail-above", "BA=nan"], "--fail-above must be METRIC=X"),
    "gate of no metric": (
        ["--fail-above", "Nope=1"],
        "must name a number of the report, one of .* received 'Nope'",
    ),
    "gate of two signs": (["--fail-above", "BA==1"], "a gate must name .* received 'BA='"),
    "gate of a size": (["--require-below", "|BA|=1"], r"a gate must name .* received '\|BA\|'"),
    "gate on a verdict": (["--fail-above", "verdict=1"], "a verdict has no bound.*--fail-verdict"),
    "run without column": (
        ["--run", "sed"],
        r"columns must be in the file; 'sed' is not among .*did you mean 'seed'",
    ),
    "two clusters": (
        ["--cluster", "seed", "--cluster=B"],
        r"Option '--cluster' must be given once; received it 2 times$",
    ),
    "three seeds": (
        ["--seed", "1", "--seed", "1", "--seed", "2"],
        r"Option '--seed' must be given once; received it 3 times$",
    ),
    "two levels": (["--confidence", ".9", "--confidence", ".8"], "Option '--confidence' must"),
    "two rules": (["--missing", "drop", "--missing", "error"], "Option '--missing' must be given"),
    "two pages": (["--html", "out/other.html"], "Option '--html' must be given once"),
    "one run": (["--run", "filename"], "needs at least two"),
    "weight of words": (["--weight", "B"], "'B' must hold numbers to be a weight"),
    "attribute as weight": (["--weight", "A"], "'A' as attribute .*, and as weight"),
    "weight without column": (["--weight", "u"], "'u' is not among"),
    "too many predicted attributes": (
        ["--attribute-prediction", "AP", "--attribute-prediction", "B"],
        r"attribute.prediction must .*received \['AP', 'B'\]",
    ),
    "predicted attribute of one of two": (
        ["--separate", "--attribute", "B", "--attribute-prediction", "AP"],
        "--attribute-prediction must be given once for each --attribute",
    ),
    "unknown predicted group": (["--attribute-prediction", "B"], "received 'x', 'y', known are"),
}


@pytest.mark.parametrize(("options", "message"), OPTIONS.values(), ids=OPTIONS.keys())
def test_bad_option(folder: Path, options: list[str], message: str) -> None:
    ended = biasamp("audit", "people.csv", *COLUMNS, "--n-boot", "20", *OUTPUTS, *options)
    check(ended, message, folder)


def test_replicates_below_0(folder: Path) -> None:
    ended = biasamp("audit", "people.csv", *COLUMNS, *OUTPUTS, "--n-boot", "-1")
    check(ended, "--n-boot must be a whole number.*received -1", folder)


def test_flags_may_be_repeated(folder: Path) -> None:
    ended = biasamp("audit", "people.csv", *COLUMNS, "--n-boot", "0", *["--many-groups"] * 2)
    assert (ended.code, ended.err) == (0, "")


def test_run_with_missing_values(folder: Path) -> None:
    write_csv(table().assign(seed=GAPS), folder / "bad.csv")
    ended = biasamp("audit", "bad.csv", *COLUMNS, *OUTPUTS, "--run", "seed")
    check(ended, "column 'seed' must say for every row which run it is of; received", folder)


def test_bad_input_in_one_run_leaves_nothing(folder: Path) -> None:
    frame = pd.concat([table(), table().assign(A="a", seed=11)])
    write_csv(frame, folder / "bad.csv")
    ended = biasamp("audit", "bad.csv", *COLUMNS, *OUTPUTS, "--run", "seed", "--n-boot", "20")
    check(ended, "in run '11', --attribute must have at least two groups", folder)


@pytest.mark.parametrize("option", ["--task", "--prediction", "--attribute"])
def test_option_that_is_needed(folder: Path, option: str) -> None:
    rest = [*COLUMNS]
    del rest[rest.index(option) : rest.index(option) + 2]
    check(biasamp("audit", "people.csv", *rest, *OUTPUTS), f"Missing option '{option}'", folder)


def test_no_file(folder: Path) -> None:
    check(biasamp("audit", *COLUMNS, *OUTPUTS), "Missing argument 'FILE", folder)


def test_unknown_command(folder: Path) -> None:
    check(biasamp("adit", "people.csv", *COLUMNS), "No such command 'adit'", folder)


@pytest.mark.parametrize("option", ["--html", "--json"])
def test_output_folder_that_is_not_there(folder: Path, option: str) -> None:
    ended = biasamp("audit", "people.csv", *COLUMNS, option, "absent/report")
    check(ended, r"folder of an output file must exist; received 'absent.report'", folder)
    assert not (folder / "absent").exists()


@pytest.mark.parametrize("option", ["--html", "--json"])
def test_output_that_is_a_folder(folder: Path, option: str) -> None:
    (folder / "taken").mkdir()
    call = ["audit", "people.csv", *COLUMNS, option, "taken", "--n-boot", "20"]
    ended = biasamp(*call)
    check(ended, "'taken'", folder)
    # The name of a temporary file helps nobody.
    assert ended.err.count("taken") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["out", "people.csv", "taken"]


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="no folder that nobody can write to")
def test_output_in_a_folder_that_cannot_be_written(folder: Path) -> None:
    ended = biasamp("audit", "people.csv", *COLUMNS, "--n-boot", "0", "--json", "/proc/self/x.json")
    check(ended, r"biasamp: error: \[Errno \d+\] .*: '/proc/self/x.json'$", folder)


def test_one_file_for_two_outputs(folder: Path) -> None:
    same = ["--html", "out/report", "--json", "out/report"]
    ended = biasamp("audit", "people.csv", *COLUMNS, *same, "--n-boot", "20")
    check(ended, "out/report", folder)


def test_old_output_survives_bad_input(folder: Path) -> None:
    (folder / "old.html").write_text("old")
    (folder / "bad.csv").write_text("T,P,A\n1,1,a\n0,7,b\n")
    assert biasamp("audit", "bad.csv", *COLUMNS, "--html", "old.html").code == 2
    assert (folder / "old.html").read_text() == "old"


@pytest.mark.parametrize("name", ["unknown predicted label", "empty file"])
def test_process(folder: Path, name: str) -> None:
    write, message = CASES[name]
    write(folder / "bad.csv")
    check(process("audit", "bad.csv", *COLUMNS, *OUTPUTS, cwd=folder), message, folder)


@pytest.mark.parametrize(("groups", "rows"), [(101, 4), (20, 1)])
@pytest.mark.parametrize("saved", [False, True], ids=["table", "counts"])
def test_groups_that_are_hardly_meant(groups: int, rows: int, saved: bool, tmp_path: Path) -> None:
    frame = pd.DataFrame({"A": [f"g{i}" for i in range(groups)] * rows})
    frame["T"] = frame["P"] = np.arange(len(frame)) % 2
    path: Path = write_csv(frame, tmp_path / "rows.csv")
    columns = ["--task", "T", "--prediction", "P", "--attribute", "A"]
    if saved:
        biasamp("count", path, *columns, "-o", tmp_path / "counts.json")
        path, columns = tmp_path / "counts.json", []
    ended = biasamp("audit", path, *columns, "--n-boot", "0")
    assert ended.code == 2
    assert f"received {groups} groups in {groups * rows} rows (--many-groups audits" in ended.err
    ended = biasamp("audit", path, *columns, "--n-boot", "0", "--many-groups")
    assert ended.code == 0
    assert f"the attribute has {groups} groups in {groups * rows} rows" in ended.err
    assert "groups=" not in ended.err


def test_errors_name_the_options(tmp_path: Path) -> None:
    frame = pd.DataFrame({"A": ["a"] * 8, "T": [0, 1] * 4, "P": [0, 1] * 4})
    path = write_csv(frame, tmp_path / "rows.csv")
    ended = biasamp("audit", path, "--task", "T", "--prediction", "P", "--attribute", "A")
    assert ended.code == 2
    assert ended.err.endswith("--attribute must have at least two groups; received only 'a'\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--n-boot", "1000001"], "--n-boot must be a whole number from 0 to 1,000,000; received"),
        (["--confidence", "2"], "--confidence must lie strictly between 0 and 1; received 2"),
        (["--seed", "-1"], "--seed must be a whole number, not negative; received -1"),
        (["--weight", "w"], "columns must be in the file; 'w' is not among"),
    ],
)
def test_options_and_not_arguments(options: list[str], message: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"A": ["a", "b"] * 4, "T": [0, 1] * 4, "P": [0, 1] * 4})
    path = write_csv(frame, tmp_path / "rows.csv")
    columns = ["--task", "T", "--prediction", "P", "--attribute", "A"]
    ended = biasamp("audit", path, *columns, *options)
    assert ended.code == 2
    assert message in ended.err


@pytest.mark.parametrize("infinite", ["inf", "-Infinity", "+INF"])
@pytest.mark.parametrize("column", ["A", "T"])
def test_infinity_is_no_label_of_a_file(infinite: str, column: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"A": [0, 1] * 4, "T": [0, 0, 1, 1] * 2, "P": [0, 1] * 4}).astype(object)
    frame.loc[0, column] = infinite
    path = write_csv(frame, tmp_path / "rows.csv")
    ended = biasamp("audit", path, "--task", "T", "--prediction", "P", "--attribute", "A")
    assert ended.code == 2
    assert f"column '{column}' must hold finite numbers; received infinite ones" in ended.err
    # A word among words is a label.
    frame[column] = frame[column].map({0: "no", 1: "yes", infinite: infinite})
    frame["P"] = frame["T"]
    write_csv(frame, path)
    assert biasamp("audit", path, "--task", "T", "--prediction", "P", "--attribute", "A").code == 0


def test_a_reference_read_as_other_labels(tmp_path: Path) -> None:
    frame = pd.DataFrame({"A": ["a", "b"] * 8, "T": [0, 0, 1, 1] * 4, "P": [0, 1] * 8})
    path = write_parquet(frame, tmp_path / "rows.parquet")
    words = frame.assign(T=frame["T"].map({0: "no", 1: "yes"}))
    training = write_parquet(words, tmp_path / "training.parquet")
    columns = ["--task", "T", "--prediction", "P", "--attribute", "A"]
    ended = biasamp("audit", path, *columns, "--reference", training)
    assert ended.code == 2
    # Read as one kind of column, which is text.
    assert ended.err.endswith("in common with the data; received 'no', 'yes' for '0', '1'\n")
