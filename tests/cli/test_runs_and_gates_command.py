"""``biasamp audit --run`` and ``--fail-above``."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command import COLUMNS, biasamp, process, table, write_csv, write_parquet

import biasamp_adapters as bam
from biasamp_adapters.auditing.runs import summarize_reports

FAST = ["--n-boot", "50"]
#: The 97.5 % quantile of Student's t with two degrees of freedom.
T_975 = 4.30265


def run(positives_of_a: int, positives_of_b: int) -> pd.DataFrame:
    """100 people a group, 60 and 40 of them positive, and how many the model calls so."""
    says = [(positives_of_a, 100 - positives_of_a), (positives_of_b, 100 - positives_of_b)]
    frame = table()[["T", "A"]]
    frame["P"] = [label for yes, no in says for label in [1] * yes + [0] * no]
    return frame


#: BA A->T of each run: rates of .6 and .4 move by so much along the correlation.
RUNS = {"1": run(70, 30), "2": run(65, 35), "10": run(60, 40)}
MOVES = [0.1, 0.05, 0.0]
HALF = T_975 * 0.05 / sqrt(3)  # 0.05 is the standard deviation of .1, .05 and 0


def audit(*arguments: object, **files: Path) -> Any:
    """What a call of the command writes as JSON."""
    path = files["folder"] / "out.json"
    ended = biasamp("audit", *arguments, *COLUMNS, *FAST, "--json", path)
    assert (ended.code, ended.err) == (0, "")
    return json.loads(path.read_text(), parse_constant=pytest.fail)


def row_of(summary: dict[str, Any], name: str) -> dict[str, Any]:
    """The row of a metric and direction."""
    (row,) = (row for row in summary["metrics"] if row["name"] == name)
    return row


def check(found: dict[str, Any], names: list[str]) -> None:
    """The mean of the three runs with its interval, and the runs."""
    row = row_of(found, "BA A->T")
    assert row["value"] == pytest.approx(0.05)
    assert [row["low"], row["high"]] == pytest.approx([0.05 - HALF, 0.05 + HALF], rel=1e-4)
    runs = {of["run"]: of["value"] for of in found["runs"] if of["name"] == "BA A->T"}
    assert runs == pytest.approx(dict(zip(names, MOVES, strict=True)))
    # In the order of their numbers, not of their text.
    assert [*runs] == names


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_values_of_a_column_are_runs(tmp_path: Path, kind: str) -> None:
    frame = pd.concat([rows.assign(seed=int(seed)) for seed, rows in RUNS.items()])
    write = {"csv": write_csv, "parquet": write_parquet}[kind]
    path = write(frame.sample(frac=1, random_state=0), tmp_path / f"runs.{kind}")
    found = audit(path, "--run", "seed", folder=tmp_path)
    check(found, ["1", "2", "10"])
    reports = {
        name: bam.audit(rows["T"], {"P": rows["P"]}, sensitive_features=rows["A"], n_boot=50)
        for name, rows in RUNS.items()
    }
    assert found == summarize_reports(reports).summary


def test_files_are_runs(tmp_path: Path) -> None:
    paths = [
        write_csv(rows, tmp_path / f"{letter}.csv")
        for letter, rows in zip("abc", RUNS.values(), strict=True)
    ]
    found = audit(tmp_path / "*.csv", "--run", "filename", folder=tmp_path)
    check(found, [str(path) for path in paths])


def test_column_of_that_name_is_taken_before_the_files(tmp_path: Path) -> None:
    frame = pd.concat([rows.assign(filename=f"run {i}") for i, rows in enumerate(RUNS.values())])
    found = audit(write_csv(frame, tmp_path / "all.csv"), "--run", "filename", folder=tmp_path)
    check(found, ["run 0", "run 1", "run 2"])


def test_runs_of_each_attribute(tmp_path: Path) -> None:
    frame = pd.concat([rows.assign(seed=int(seed)) for seed, rows in RUNS.items()])
    frame["B"] = ["x", "y"] * 300
    path = write_csv(frame, tmp_path / "runs.csv")
    both = audit(path, "--run", "seed", "--attribute", "B", "--separate", folder=tmp_path)
    assert [found["data"]["attributes"] for found in both] == [["B"], ["A"]]
    check(both[1], ["1", "2", "10"])


@pytest.fixture(scope="module")
def amplifying(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose model amplifies: rates of 1 and 0 for .6 and .4, so BA A->T is .4."""
    return write_csv(run(100, 0), tmp_path_factory.mktemp("gate") / "people.csv")


def test_gate_that_holds(amplifying: Path) -> None:
    ended = biasamp("audit", amplifying, *COLUMNS, *FAST, "--fail-above", "BA A->T=0.5")
    assert (ended.code, ended.err) == (0, "")


def test_gate_that_is_exceeded(amplifying: Path, tmp_path: Path) -> None:
    outputs = ["--html", tmp_path / "out.html", "--json", tmp_path / "out.json"]
    gate = ["--fail-above", "BA A->T=0.2"]
    ended = process("audit", amplifying, *COLUMNS, *FAST, *gate, *outputs)
    assert ended.code == 1
    (line,) = ended.err.splitlines()
    assert line.startswith("biasamp: P: BA A->T is +0.4000 [")
    assert line.endswith(", above 0.2")
    # The report is what says why, so it is there.
    assert ended.out.count("wrote ") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.html", "out.json"]


def test_gate_is_judged_on_the_interval(tmp_path: Path) -> None:
    # The value is .1; with 100 rows a group, its interval reaches below .09.
    path = write_csv(run(70, 30), tmp_path / "people.csv")
    ended = biasamp("audit", path, *COLUMNS, *FAST, "--fail-above", "BA A->T=0.09")
    assert (ended.code, ended.err) == (0, "")


def test_every_gate_is_judged(amplifying: Path) -> None:
    gates = ["--fail-above", "BA=0.2", "--fail-above", "MALS=0.9", "--fail-above", "LA=0.1"]
    ended = biasamp("audit", amplifying, *COLUMNS, *FAST, *gates)
    assert ended.code == 1
    # MALS moves from 60/100 to 1; LA from an accuracy of .6, or less, to 1.
    assert [line.split()[2] for line in ended.err.splitlines()] == ["BA", "LA"]


def test_gate_over_runs_is_judged_between_them(tmp_path: Path) -> None:
    frame = pd.concat([rows.assign(seed=int(seed)) for seed, rows in RUNS.items()])
    path = write_csv(frame, tmp_path / "runs.csv")
    arguments = ["audit", path, *COLUMNS, *FAST, "--run", "seed", "--fail-above"]
    below, above = 0.05 - HALF - 0.001, 0.05 - HALF + 0.001
    assert biasamp(*arguments, f"BA A->T={above}").code == 0
    assert biasamp(*arguments, f"BA A->T={below}").code == 1
