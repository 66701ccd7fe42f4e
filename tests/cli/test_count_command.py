"""``biasamp count``, and audits of the counts that it saved: on other machines, of several days."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command import COLUMNS, biasamp, process, table, write_csv, write_parquet

from biasamp_adapters import CooccurrenceCounts, JointCounts, load_counts

OUT = ["--n-boot", 50, "--json"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two days of people, and the training rows."""
    monkeypatch.chdir(tmp_path)
    rows = table().sample(frac=1, random_state=0)
    write_csv(rows[:80], tmp_path / "monday.csv")
    write_csv(rows[80:], tmp_path / "tuesday.csv")
    write_csv(rows, tmp_path / "both.csv")
    write_csv(table()[::3], tmp_path / "training.csv")
    return tmp_path


def _audited(*arguments: object) -> dict[str, Any]:
    ended = biasamp("audit", *arguments, *OUT, "report.json")
    assert ended.code == 0, ended.err
    report: dict[str, Any] = json.loads(Path("report.json").read_text())
    return report


CHOICES = [
    [],
    ["--attribute-prediction", "AP"],
    ["--prediction", "Q"],
    ["--attribute", "B"],
    ["--weight", "w"],
]


@pytest.mark.parametrize("more", CHOICES, ids=lambda more: " ".join(more) or "plain")
def test_an_audit_of_counts_is_that_of_the_rows(folder: Path, more: list[str]) -> None:
    endings = ("json", "parquet")
    for name in [f"{day}.{ending}" for day in ("monday", "tuesday") for ending in endings]:
        ended = biasamp("count", f"{Path(name).stem}.csv", "-o", name, *COLUMNS, *more)
        assert ended.code == 0, ended.err
        assert ended.out.endswith(f"wrote {name}\n")
    ended = biasamp(
        "count",
        "training.csv",
        "-o",
        "training.json",
        *COLUMNS[:2],
        *COLUMNS[4:],
        *(more if "B" in more else []),
    )
    assert ended.code == 0, ended.err
    by_rows = _audited("both.csv", *COLUMNS, *more, "--reference", "training.csv")
    for ending in endings:
        assert _audited(f"*day.{ending}", "--reference", "training.json") == by_rows
    mixed = _audited("both.csv", *COLUMNS, *more, "--reference", "training.json")
    assert mixed == by_rows


def test_counts_are_merged(folder: Path) -> None:
    for day in ("monday", "tuesday"):
        biasamp("count", f"{day}.csv", "-o", f"{day}.json", *COLUMNS)
    ended = biasamp("count", "monday.json", "tuesday.json", "-o", "week.parquet")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("<JointCounts: 200 rows in ")
    expected = JointCounts.from_frame(table(), task="T", prediction="P", attribute="A")
    assert load_counts("week.parquet") == expected


def test_files_of_counts_may_end_in_either_way(folder: Path) -> None:
    biasamp("count", "monday.csv", "-o", "monday.parquet", *COLUMNS)
    biasamp("count", "tuesday.csv", "-o", "tuesday.json", *COLUMNS)
    for files in (("monday.parquet", "tuesday.json"), ("tuesday.json", "monday.parquet")):
        assert _audited(*files)["data"]["rows"] == 200


def test_files_of_counts_may_be_runs(folder: Path) -> None:
    for day in ("monday", "tuesday"):
        biasamp("count", f"{day}.csv", "-o", f"{day}.json", *COLUMNS)
    runs = _audited("monday.json", "tuesday.json", "--run", "filename")
    assert runs["data"]["runs"] == 2
    assert {row["run"] for row in runs["runs"]} == {"monday.json", "tuesday.json"}


def test_label_matrices_become_sums(folder: Path) -> None:
    rows = pd.DataFrame({"A": ["a", "b"] * 300})
    for i in range(3):
        rows[f"t_{i}"] = [(k * (i + 2)) % 7 < 3 for k in range(600)]
        rows[f"p_{i}"] = [(k * (i + 2)) % 7 < 3 or k % 11 == i for k in range(600)]
    write_parquet(rows, folder / "images.parquet")
    columns = ["--task", "t_*", "--prediction", "p_*", "--attribute", "A"]
    ended = biasamp("count", "images.parquet", "-o", "sums.parquet", *columns)
    assert ended.code == 0, ended.err
    counts = load_counts("sums.parquet")
    assert isinstance(counts, CooccurrenceCounts)
    assert counts.is_normal
    by_counts, by_rows = _audited("sums.parquet"), _audited("images.parquet", *columns)
    rows_of = {row["name"]: row for row in by_rows["metrics"]}
    names = {row["name"] for row in by_counts["metrics"]}
    # What is fitted needs rows; all else is there, with the same values.
    assert names >= {"MALS", "BA A->T", "Multi A->T", "DPA A->T"}
    assert set(rows_of) - names == {"LA"}
    for row in by_counts["metrics"]:
        assert row["value"] == pytest.approx(rows_of[row["name"]]["value"])


def test_more_label_sets_than_sums_hold(folder: Path) -> None:
    rows = pd.DataFrame({"A": ["a", "b"] * 256})
    for i in range(8):
        rows[f"t_{i}"] = [k >> i & 1 for k in range(512)]
        rows[f"p_{i}"] = rows[f"t_{i}"]
    write_csv(rows, folder / "images.csv")
    columns = ["--task", "t_*", "--prediction", "p_*", "--attribute", "A"]
    assert biasamp("count", "images.csv", "-o", "sums.json", *columns).code == 0
    # 255 sets, more than the 100 that sums hold.
    report = _audited("sums.json")
    assert any("Multi is left out: label sets were not counted" in x for x in report["notes"])


def test_predicted_groups_may_be_probabilities(folder: Path) -> None:
    rows = pd.DataFrame({"m": [0, 1] * 100, "w": [1, 0] * 100, "t_x": [1, 1, 0, 0] * 50})
    rows["g_m"], rows["g_w"] = rows["m"] * 0.5 + 0.25, rows["w"] * 0.5 + 0.25
    rows["p_x"] = rows["t_x"]
    write_csv(rows, folder / "soft.csv")
    columns = ["--task", "t_*", "--prediction", "p_*", "--attribute", "m,w"]
    ended = biasamp("count", "soft.csv", "-o", "s.json", *columns, "--attribute-prediction", "g_*")
    assert ended.code == 0, ended.err
    counts = load_counts("s.json")
    # Values are there; second moments, and with them intervals, are not.
    assert counts.soft == {"attribute_prediction"}
    assert counts.no_draws is not None
    assert _audited("s.json")["data"]["rows"] == 200


def test_small_cells_are_warned_of_in_a_line(folder: Path) -> None:
    write_csv(table()[::50], folder / "few.csv")
    ended = process("count", "few.csv", "-o", "few.json", *COLUMNS, cwd=folder)
    assert ended.code == 0
    assert ended.err.startswith("biasamp: warning: ")
    assert "may identify people" in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with counts of labels, of truths alone, of matrices, and of nothing."""
    folder = tmp_path_factory.mktemp("inputs")
    rows = write_csv(table(), folder / "both.csv")
    matrix = ["--task", "T,P", "--prediction", "P,T", "--attribute", "A"]
    truth = COLUMNS[:2] + COLUMNS[4:]
    for name, columns in {"day": COLUMNS, "truth": truth, "sums": matrix}.items():
        assert biasamp("count", rows, "-o", folder / f"{name}.json", *columns).code == 0
    (folder / "other.json").write_text('{"format": "something else"}')
    return folder


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["audit", "day.json", "--task", "T"], "--task is for tables: files of counts know"),
        (["audit", "day.json", "--missing", "drop"], "--missing is for tables"),
        (["audit", "day.json", "--score", "S"], "--score is for tables: .* hold no scores"),
        (["audit", "day.json", "--separate"], "--separate is for tables"),
        (["audit", "day.json", "both.csv"], "must all be tables or all be counts"),
        (["audit", "day.json", "--run", "seed"], "--run must be 'filename' for files of counts"),
        (["audit", "other.json"], r"must be a file that JointCounts\.save"),
        (["audit", "truth.json"], "an audit needs predictions"),
        (["audit", "day.json", "truth.json"], r"of truth\.json, counts to be added must have the"),
        (["audit", "day.json", "sums.json"], "must all be of labels, or all of matrices"),
        (["audit", "both.csv"], "Missing option '--task'"),
        (["count", "both.csv", "-o", "x.json"], "Missing option '--task'"),
        (["count", "both.csv", "-o", "x.json", "--task", "T"], "Missing option '--attribute'"),
        (["count", "day.json", "-o", "x.json", "--weight", "w"], "--weight is for tables"),
        (["count", "both.csv", *COLUMNS], "Missing option '--output'"),
        (["count", "both.csv", *COLUMNS, "-o", "x.csv"], r"must end in \.json or \.parquet"),
        (["count", "both.csv", *COLUMNS, "-o", "no/x.json"], "the folder of an output file must"),
        (["count", "no.csv", *COLUMNS, "-o", "x.json"], r"there is none for 'no\.csv'"),
        (["count", "both.csv", "--task", "Z", "--attribute", "A", "-o", "x.json"], "'Z' is not"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input(folder: Path, inputs: Path, arguments: list[str], message: str) -> None:
    shutil.copytree(inputs, folder, dirs_exist_ok=True)
    before = sorted(path.name for path in folder.iterdir())
    ended = biasamp(*arguments)
    assert ended.code == 2
    assert len(ended.err.splitlines()) == 1
    assert re.search(message, ended.err), ended.err
    assert sorted(path.name for path in folder.iterdir()) == before
