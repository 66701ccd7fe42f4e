"""``--cluster``: the column of a file that says which rows belong together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import COLUMNS, biasamp, table, write_csv, write_parquet

import biasamp_adapters as bam
from biasamp_adapters import JointCounts

FAST = ["--n-boot", "50"]


def people() -> pd.DataFrame:
    """The table, with two rows of each of 100 persons, whose codes only look like numbers."""
    rows = table().sample(frac=1, random_state=0, ignore_index=True)
    return rows.assign(who=[f"{i % 100:03d}" for i in range(200)])


def summary_of(tmp_path: Path, *arguments: object) -> Any:
    ended = biasamp("audit", *arguments, *FAST, "--json", tmp_path / "out.json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads((tmp_path / "out.json").read_text())


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_files_as_rows_in_memory(tmp_path: Path, write: Any) -> None:
    path = write(people(), tmp_path / f"people.{'csv' if write is write_csv else 'parquet'}")
    rows = people()
    expected = bam.audit(
        rows["T"],
        {"P": rows["P"]},
        sensitive_features=rows["A"],
        clusters=rows["who"],
        n_boot=50,
    )
    found = summary_of(tmp_path, path, *COLUMNS, "--cluster", "who")
    assert found == expected.summary
    assert found["data"]["clusters"] == 100


def test_label_matrices(tmp_path: Path) -> None:
    rows = people()
    rows[["t_0", "t_1"]] = np.column_stack([rows["T"], 1 - rows["T"]])
    rows[["p_0", "p_1"]] = np.column_stack([rows["P"], 1 - rows["P"]])
    path = write_csv(rows, tmp_path / "people.csv")
    columns = ["--task", "t_*", "--prediction", "p_*", "--attribute", "A", "--cluster", "who"]
    found = summary_of(tmp_path, path, *columns)
    assert found["data"]["clusters"] == 100
    assert found["method"]["interval"] == "percentile bootstrap over whole clusters of rows"
    ended = biasamp("count", path, *columns, "-o", tmp_path / "counts.json")
    assert ended.code == 2
    assert "--cluster needs the rows of label matrices" in ended.err


def test_counts_keep_clusters(tmp_path: Path) -> None:
    path = write_csv(people(), tmp_path / "people.csv")
    counts = tmp_path / "counts.json"
    ended = biasamp("count", path, *COLUMNS, "--cluster", "who", "-o", counts)
    assert ended.code == 0
    assert JointCounts.load(counts).n_clusters == 100
    again = summary_of(tmp_path, counts)
    assert again == summary_of(tmp_path, path, *COLUMNS, "--cluster", "who")
    ended = biasamp("audit", counts, "--cluster", "who")
    assert (ended.code, "--cluster is for tables" in ended.err) == (2, True)


def test_runs_sum_their_clusters(tmp_path: Path) -> None:
    path = write_csv(people().assign(seed=[1, 2] * 100), tmp_path / "people.csv")
    found = summary_of(tmp_path, path, *COLUMNS, "--cluster", "who", "--run", "seed")
    # Rows 0 and 100 are of one person and in the same run.
    assert found["data"]["clusters"] == 100


def test_errors_name_the_option(tmp_path: Path) -> None:
    path = write_csv(people().assign(row=range(200)), tmp_path / "people.csv")
    ended = biasamp("audit", path, *COLUMNS, "--cluster", "row")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "biasamp: error: --cluster must hold several rows; received 200 clusters of one row each: "
        "such rows are independent, and --cluster must be left out\n"
    )


def test_files_of_counts_may_share_clusters_unseen(tmp_path: Path) -> None:
    # The second table holds a row of 50 persons of the first; only tables know their names.
    rows = people()
    tables = [
        write_csv(rows.iloc[part], tmp_path / f"{i}.csv")
        for i, part in enumerate((slice(0, 150), slice(150, 200)))
    ]
    options = [*COLUMNS, "--cluster", "who"]
    counts = [tmp_path / f"{i}.json" for i in (0, 1)]
    for table_of_part, path in zip(tables, counts, strict=True):
        assert biasamp("count", table_of_part, *options, "-o", path).code == 0
    together = tmp_path / "together.json"
    assert biasamp("count", *tables, *options, "-o", together).code == 0
    added = tmp_path / "added.json"
    assert biasamp("count", *counts, "-o", added).code == 0
    known, *unseen = (summary_of(tmp_path, *files) for files in ([together], counts, [added]))
    assert known["data"]["clusters"] == 100
    assert not any("parts were added" in note for note in known["notes"])
    for summary in unseen:
        assert summary["data"]["clusters"] == 150
        assert any(note.startswith("Counts of 2 parts were added") for note in summary["notes"])
    assert "no names of clusters" in biasamp("count", "--help").out
