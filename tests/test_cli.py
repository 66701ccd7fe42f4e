"""The command: each option reaches the report, errors are one line, and exit codes mean one thing.

Every table is `rows()`: labels 60 and 40 of 100 in the groups a and b, predictions 70 and 30.
"""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from biasamp_adapters import cli, progress

COLUMNS = ["--y-true", "T", "--y-pred", "P", "--sensitive-features", "A"]
QUICK = ["--n-boot", "200"]
RATES = {"rates": {"a": {"0": 0.5, "1": 0.5}, "b": {"0": 0.6, "1": 0.4}}}


def rows() -> pd.DataFrame:
    table = pd.DataFrame({"T": [1] * 60 + [0] * 40 + [1] * 40 + [0] * 60})
    table["P"] = [1] * 70 + [0] * 30 + [1] * 30 + [0] * 70
    table["new=P"] = table["T"]
    table["S"] = table["P"] / 2 + 0.25
    table["A"] = ["a"] * 100 + ["b"] * 100
    table["AP"] = ["a"] * 90 + ["b"] * 100 + ["a"] * 10
    table["B"] = ["x", "y"] * 100
    table["w"] = [1, 3] * 100
    table["person"] = [row // 2 for row in range(200)]
    table["C?"] = [None] * 40 + ["x"] * 160
    table["U"] = [-1, "?", *table["A"][2:]]
    return table


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the table, counts of it, and rates."""
    monkeypatch.chdir(tmp_path)
    rows().to_csv("rows.csv", index=False)
    rows().to_csv("more.csv", index=False)
    rows().astype({"U": str}).to_parquet("rows.parquet")
    Path("rates.json").write_text(json.dumps(RATES))
    assert cli.main(["count", "rows.csv", *COLUMNS, "-o", "counts.json"]) == 0
    return tmp_path


@pytest.fixture
def biasamp(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """A call of the command, which returns its exit code and what it prints on both streams."""
    capsys.readouterr()

    def call(*arguments: str) -> tuple[int, str]:
        return cli.main(arguments), "".join(capsys.readouterr())

    return call


Biasamp = Callable[..., tuple[int, str]]


def summary_of(biasamp: Biasamp, *arguments: str) -> Any:
    code, printed = biasamp("audit", *arguments, "--json", "out.json")
    assert code == 0, printed
    return json.loads(Path("out.json").read_text())


@pytest.mark.parametrize(
    ("options", "part", "expected"),
    [
        (["--y-pred", "Q=new=P"], "models", ["P", "Q"]),
        (["--y-pred", "new=P"], "models", ["P", "new=P"]),
        (["--sensitive-features", "B"], "feature", "A × B"),
        (["--sensitive-features-pred", "AP"], "directions", ["A->T", "T->A"]),
        (["--sample-weight", "w"], "weights", "w"),
        (["--clusters", "person"], "n_clusters", 100),
        (["--reference", "rows.parquet"], "reference", 200),
        (["--reference", "counts.json"], "reference", 200),
        (["--reference", "rows.csv", "--reference", "more.csv"], "reference", 400),
        (["--where", "w > 2 and B = 'y'"], "rows", 100),
        (["--pos-label", "0"], "positive", 0),
        (["--favorable-label", "1"], "favorable", 1),
        (["--n-boot", "150"], "n_boot", 150),
        (["--confidence", "0.9"], "confidence", 0.9),
        (["--random-state", "7"], "random_state", 7),
    ],
    ids=lambda x: x[0] if isinstance(x, list) else "",
)
def test_option_in_summary(biasamp, options, part, expected) -> None:
    summary = summary_of(biasamp, "rows.csv", *COLUMNS, *options)
    assert (summary["data"] | summary["method"])[part] == expected


def test_audit_given_rates_take_the_place_of_labels(biasamp) -> None:
    summary = summary_of(biasamp, "rows.csv", *COLUMNS[2:], *QUICK, "--reference", "rates.json")
    assert summary["data"]["compared_with"] == "given rates"
    [gap] = summary["gaps"]
    assert (gap["true"], gap["predicted"]) == pytest.approx((0.5 - 0.4, 0.7 - 0.3))


@pytest.mark.parametrize("file", ["rows.csv", "rows.parquet"])
def test_missing_values_given_as_text_are_also_numbers(biasamp, file) -> None:
    columns = [*COLUMNS[:4], "--sensitive-features", "U", "--missing", "drop"]
    data = summary_of(biasamp, file, *columns, *QUICK, "--missing-values", "-1,?")["data"]
    assert (data["rows"], data["left_out"]) == (198, 2)
    numbers = [*COLUMNS[:2], "--y-pred", "P", "--sensitive-features", "w", "--missing", "drop"]
    data = summary_of(biasamp, file, *numbers, *QUICK, "--missing-values", "3")["data"]
    assert (data["rows"], data["left_out"]) == (100, 100)


def test_audit_pattern_is_a_label_matrix(biasamp) -> None:
    table = rows().rename(columns={"T": "true_cat", "P": "pred_cat"})
    table.assign(true_dog=0, pred_dog=0).to_csv("matrix.csv", index=False)
    columns = ["--y-true", "true_*", "--y-pred", "pred_*", "--sensitive-features", "A"]
    data = summary_of(biasamp, "matrix.csv", *columns, *QUICK)["data"]
    assert [task["name"] for task in data["classes"]] == ["cat", "dog"]


def test_audit_where_is_told_in_the_title(biasamp) -> None:
    code, printed = biasamp("audit", "rows.csv", *COLUMNS, *QUICK, "--where", "B = 'x'")
    assert (code, printed.splitlines()[0][:22]) == (0, "Only rows where B = 'x'"[:22])
    options = ["--title", "Day 1.", "--where", "B = 'x'"]
    summary = summary_of(biasamp, "rows.csv", *COLUMNS, *QUICK, *options)
    assert summary["title"] == "Day 1. Only rows where B = 'x'"


def test_audit_full_prints_all_tables(biasamp) -> None:
    (_, short), (_, full) = (
        biasamp("audit", "rows.csv", *COLUMNS, *QUICK, *options) for options in ([], ["--full"])
    )
    assert "--full" in short
    assert "How to read this" in full
    assert "How to read this" not in short


def test_score_at_a_threshold_is_the_prediction(biasamp) -> None:
    # The score is 0.75 where P is 1, and else 0.25.
    columns = ["--y-true", "T", "--y-score", "S", "--threshold", "0.5", "--sensitive-features", "A"]
    for pos_label in ("1", "0"):
        options = [*columns, "--pos-label", pos_label]
        summary = summary_of(biasamp, "rows.csv", *options, *QUICK)
        assert summary["data"]["positive"] == int(pos_label)
        assert abs(summary["gaps"][0]["predicted"]) == pytest.approx(0.7 - 0.3)
    assert biasamp("count", "rows.csv", *columns, "-o", "scores.json")[0] == 0
    [gap] = summary_of(biasamp, "scores.json", *QUICK)["gaps"]
    assert gap["predicted"] == pytest.approx(0.7 - 0.3)


def test_control_features_have_strata(biasamp) -> None:
    summary = summary_of(biasamp, "rows.csv", *COLUMNS, *QUICK, "--control-features", "B")
    # Every other row is x, so each stratum is like the whole: +10 points in a, -10 in b.
    strata = {record["stratum"]: record for record in summary["strata"]}
    for stratum in ("x", "y"):
        assert (strata[stratum]["rows"], strata[stratum]["value"]) == (100, pytest.approx(0.1))


def test_count_of_two_files_adds_and_keeps_rows_that_meet_where(biasamp) -> None:
    where = ["--where", "B = 'x'", "-o", "both.json"]
    code, printed = biasamp("count", "rows.csv", "more.csv", *COLUMNS, *where)
    assert (code, "200 rows" in printed) == (0, True)
    twice = ["both.json", "counts.json", "./both.json"]  # A file that is named twice is read once.
    assert biasamp("count", *twice, "-o", "all.json")[0] == 0
    assert summary_of(biasamp, "all.json", *QUICK)["data"]["rows"] == 400


def test_count_column_of_counts_stands_for_rows(biasamp) -> None:
    distinct = rows().groupby(["T", "P", "A"]).size().rename("n").reset_index()
    distinct.to_csv("distinct.csv", index=False)
    assert biasamp("count", "distinct.csv", *COLUMNS, "--count", "n", "-o", "n.json")[0] == 0
    assert summary_of(biasamp, "n.json", *QUICK)["data"]["rows"] == 200


#: BA is +10 points, with an interval of about 5 to 15.
PASSES = ["--fail-above", "BA=10pt"]
FAILS = ["--require-below", "BA=10%"]
CODES = ["--forbid", "grows", "--forbid", "mixed"]


@pytest.mark.parametrize(
    ("checks", "code", "last"),
    [
        (PASSES, 0, "Checks: all 1 passed."),
        ([*PASSES, "--require-above", "accuracy=0.5"], 0, "Checks: all 2 passed."),
        (["--fail-below", "accuracy=50%"], 0, "Checks: all 1 passed."),
        (["--require-within", "gaps=0.9", "--forbid", "reduces"], 0, "Checks: all 2 passed."),
        (FAILS, 1, "Checks: 1 of 1 failed."),
        ([*PASSES, *FAILS, "--forbid", "grows"], 1, "Checks: 2 of 3 failed."),
        (["--n-boot", "0", *FAILS, *CODES], 3, "Checks: 0 of 3 failed and 3 cannot be judged."),
        (
            [*FAILS, "--fail-above", "false positive rate ratio=0.5"],
            1,
            "Checks: 1 of 2 failed and 1 cannot be judged.",
        ),
    ],
    ids=lambda x: "" if isinstance(x, int) else " ".join(x) if isinstance(x, list) else "",
)
def test_checks_decide_exit_code(biasamp, checks, code, last) -> None:
    outputs = ["--html", "out.html", "--markdown", "out.md", "--json", "out.json"]
    ended, printed = biasamp("audit", "rows.csv", *COLUMNS, *checks, *outputs)
    assert (ended, printed.splitlines()[-1]) == (code, last)
    assert printed.count(": verdict cannot be judged") <= 1
    assert Path("out.html").read_text().startswith("<!")
    assert "BA" in Path("out.md").read_text()
    assert json.loads(Path("out.json").read_text())["data"]["rows"] == 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'FILE'"),
        (["none.csv"], "There is no file 'none.csv'."),
        (["rows.csv"], "--y-true, --y-pred or --sensitive-features must name a column"),
        (["rows.csv", *COLUMNS[:4]], "--sensitive-features is missing. Pass the groups"),
        (["rows.csv", *COLUMNS, "--y-tru", "T"], "--y-tru"),
        (["rows.csv", *COLUMNS, "--random-state", "x"], "Invalid value for '--random-state'"),
        (["rows.csv", *COLUMNS[:4], "--sensitive-features", "a"], "Did you mean 'A'?"),
        (["rows.csv", *COLUMNS, "--y-pred", "P=T"], "must name each model once; received 'P'"),
        (["rows.csv", *COLUMNS, "--pos-label", "2"], "--pos-label must be 0 or 1; received '2'"),
        (["rows.csv", *COLUMNS, "--favorable-label", "no"], "--favorable-label must be 0 or 1"),
        (["rows.csv", *COLUMNS[:2], *COLUMNS[4:], "--y-score", "S"], "--threshold= or --y-pred="),
        (["rows.csv", *COLUMNS, "--missing", "skip"], ": --missing must be 'error', 'drop'"),
        (["rows.csv", *COLUMNS[:5], "U", "--missing-values", "?"], "does with --missing='drop'"),
        (
            ["rows.csv", *COLUMNS, "--y-pred", "new=P", "--y-score", "S"],
            "--y-score must be NAME=COLUMN of the models 'P', 'new=P'; received 'S'",
        ),
        (["rows.csv", *COLUMNS, "--sample-weight", "w", "--sample-weight", "S"], "one column"),
        (["rows.csv", *COLUMNS, "--where", "C = 1"], "There is no column 'C'."),
        (["counts.json", "--where", "B = 'x'"], "count with where instead"),
        (["counts.json", *COLUMNS], "must not be given"),
        (["counts.json", "--reference", "rows.csv"], "or counts (biasamp count) if data"),
        (["rows.csv", *COLUMNS, "--clusters", "C?"], "must not have missing values; received 40."),
        (["rows.csv", *COLUMNS, "--html", "none/out.html"], "There is no folder 'none' for --html"),
        (["*ows.csv", *COLUMNS, "--json", "rows.csv"], "json must not replace an input"),
        (["rows.csv", "--reference", "rates.json", "--json", "./rates.json"], "replace an input"),
        (["rows.csv", "--where", "B = 'x'", "--where", "w > 2"], "--where must be given once"),
        (["rows.csv", *COLUMNS, "--html", "a", "--json", "./a"], "an input or another output"),
        (["rows.csv", *COLUMNS, "--json", "-"], "--json must name a file; received '-'"),
        (["rows.csv", *COLUMNS, "--fail-above", "BA"], "must be METRIC=X, as BA=2pt"),
        (["rows.csv", *COLUMNS, "--fail-above", "BA=5"], "5 points are 0.05."),
        (["rows.csv", *COLUMNS, "--fail-above", "BA=2pt,MALS=3pt"], "and is repeated for several;"),
        (["rows.csv", *COLUMNS, "--forbid", "grows,mixed"], "must be CODE, and is repeated for"),
        (["rows.csv", *COLUMNS, "--forbid", "larger"], "shrinks; received 'larger'"),
    ],
    ids=lambda x: " ".join(x[-2:]) if isinstance(x, list) else "",
)
def test_bad_input_is_one_line(biasamp, capsys, arguments, message) -> None:
    code = cli.main(["audit", *arguments, *(QUICK if arguments else [])])
    line = capsys.readouterr().err
    assert (code, line.count("\n")) == (2, 1)
    assert line.startswith("biasamp: ")
    assert message in line


def test_file_without_command_is_told_the_command(biasamp) -> None:
    code, printed = biasamp("rows.csv")
    expected = "biasamp: No such command 'rows.csv'. Write biasamp audit FILE ...\n"
    assert (code, printed) == (2, expected)


def test_defect_is_a_line_with_a_remedy(biasamp, monkeypatch) -> None:
    def break_down(*_: Any, **__: Any) -> None:
        raise KeyError("x\ny")

    monkeypatch.setattr("biasamp_adapters.audit", break_down, raising=False)
    code, printed = biasamp("audit", "rows.csv", *COLUMNS)
    assert (code, printed.count("\n")) == (4, 1)
    assert re.search("a defect of this program: KeyError.* BIASAMP_TRACEBACK=1 ", printed)
    monkeypatch.setenv("BIASAMP_TRACEBACK", "1")
    assert "in break_down" in biasamp("audit", "rows.csv", *COLUMNS)[1]


# What is printed.


def test_help_names_options_of_audit(biasamp, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    code, printed = biasamp("audit", "--help")
    assert code == 0
    names = [name for names in cli._OPTIONS.values() for name in names]
    listed = {name for name in names if f"--{name.replace('_', '-')} " in printed}
    assert {*names} - listed == {"files", "count", "output"}
    assert "control-features" not in biasamp("count", "--help")[1]
    assert biasamp("--version")[1].startswith("biasamp-adapters ")


def test_long_work_names_a_remedy(biasamp, monkeypatch) -> None:
    monkeypatch.setattr(progress, "_SECONDS_TO_FORECAST", -1.0)
    monkeypatch.setattr(progress, "_SECONDS_TO_WARNING", 0.0)
    expected = r"biasamp: warning: the replicates will .*; a smaller --n-boot makes"
    assert re.search(expected, biasamp("audit", "rows.csv", *COLUMNS)[1])


def test_terminal_has_colours_and_width(biasamp, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    plain = biasamp("audit", "rows.csv", *COLUMNS, *QUICK)[1]
    assert 100 < max(map(len, plain.splitlines())) <= 120
    assert not any(line != line.rstrip() for line in plain.splitlines())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1" in biasamp("audit", "rows.csv", *COLUMNS, *QUICK)[1]


def test_ascii_stream_gets_utf_8(folder, monkeypatch) -> None:
    file = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(file, encoding="ascii"))
    assert cli.main(["audit", "rows.csv", *COLUMNS, *QUICK, *FAILS]) == 1
    assert "BA A→T is +0.10" in file.getvalue().decode("utf-8")


def test_closed_pipe_leaves_the_exit_code_of_a_failed_check(folder) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "biasamp_adapters", "audit", "rows.csv", *COLUMNS, *FAILS]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, "")
