"""Counts know the task by the name that it has in the data: of a Series, or of a column."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import biasamp_adapters as bam
from biasamp_adapters._roles import Inputs
from biasamp_adapters.auditing.text_tables import data_facts
from biasamp_adapters.counts.arrays import count_slices
from biasamp_adapters.inputs.columns import Column

TRUTH = [1, 1, 0, 0] * 10
SAID = [1, 0, 0, 1] * 10
GROUP = ["a", "b"] * 20
TABLE = pd.DataFrame({"recid": TRUTH, "said": SAID, "race": GROUP})

OLD = Path(__file__).parent / "data"


def named() -> bam.JointCounts:
    """Counts of a task with a name."""
    return bam.JointCounts.from_arrays(TABLE["recid"], SAID, GROUP)


@pytest.mark.parametrize(
    ("y_true", "name"),
    [
        (pd.Series(TRUTH, name="recid"), "recid"),
        (pl.Series("recid", TRUTH), "recid"),
        (pd.Series(TRUTH, name=3), "3"),
        (pd.Index(TRUTH, name="recid"), "recid"),
        (pd.Series(TRUTH), None),
        (pl.Series(TRUTH), None),
        (np.array(TRUTH), None),
        (TRUTH, None),
        # A frame of one column beside a vector is that column.
        (TABLE[["recid"]], "recid"),
        (pl.DataFrame({"recid": TRUTH}), "recid"),
    ],
)
def test_arrays(y_true: Any, name: str | None) -> None:
    report = bam.audit(y_true, SAID, sensitive_features=GROUP, n_boot=0)
    assert report.summary["data"]["task"] == name
    facts = dict(data_facts(report.summary))
    assert facts.get("Task") == name
    counts = bam.JointCounts.from_arrays(np.ravel(y_true), SAID, GROUP)
    assert counts.task_name is None


def test_frames(engine: Callable[[pd.DataFrame], Any]) -> None:
    columns = {"task": "recid", "prediction": "said", "attribute": "race"}
    assert bam.JointCounts.from_frame(engine(TABLE), **columns).task_name == "recid"
    # A single name is a column of labels, counted as one column per class.
    columns["prediction"] = None  # type: ignore[assignment]
    counts = bam.CooccurrenceCounts.from_frame(engine(TABLE), **columns)
    assert counts.task_name == "recid"


def test_columns_of_a_matrix_are_names_themselves() -> None:
    matrix = TABLE[["recid"]].assign(arrested=TABLE["said"])
    counts = bam.CooccurrenceCounts.from_arrays(matrix, matrix, GROUP)
    assert (counts.task_name, counts.labels) == (None, ("recid", "arrested"))
    counts = bam.CooccurrenceCounts.from_frame(TABLE, task=["recid"], attribute="race")
    assert (counts.task_name, counts.labels) == (None, ("recid",))


def test_no_truth_has_no_name() -> None:
    counts = bam.JointCounts.from_arrays(None, pd.Series(SAID, name="said"), GROUP)
    assert counts.task_name is None


def test_what_is_made_of_counts_keeps_the_name() -> None:
    counts = named()
    matrix = bam.CooccurrenceCounts.from_joint(counts)
    models = bam.JointCounts.from_frame(
        TABLE.assign(other=1), task="recid", prediction=["said", "other"], attribute="race"
    )
    made = [
        counts.align([1, 0, 2], ["b", "a"]),
        counts.unweighted(),
        matrix,
        matrix.without_rows(),
        matrix.with_second_moments(),
        models.model("other"),
        next(counts.draw(2, np.random.default_rng(0), 2)).counts,
        *count_slices(Inputs(TABLE["recid"], SAID, GROUP), [Column(SAID, "slices")])[1].values(),
    ]
    assert [one.task_name for one in made] == ["recid"] * len(made)


def test_a_sum_has_the_name_that_all_parts_have() -> None:
    counts = named()
    unnamed = bam.JointCounts.from_arrays(TRUTH, SAID, GROUP)
    other = bam.JointCounts.from_arrays(TABLE["recid"].rename("arrested"), SAID, GROUP)
    assert sum([counts, counts, counts]).task_name == "recid"
    assert [(counts + part).task_name for part in (unnamed, other)] == [None, None]
    # The name is not part of what was counted.
    assert counts == unnamed == other
    chunks = [TABLE[:20], TABLE[20:]]
    streamed = bam.JointCounts.from_chunks(chunks, task="recid", attribute="race")
    assert streamed.task_name == "recid"


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
@pytest.mark.parametrize("kind", ["joint", "cooccurrence"])
def test_files(kind: str, suffix: str, tmp_path: Path) -> None:
    counts: Any = named() if kind == "joint" else bam.CooccurrenceCounts.from_joint(named())
    counts.save(path := tmp_path / f"counts{suffix}")
    assert bam.load_counts(path).task_name == "recid"
    # As the version before this one wrote the same counts.
    old = bam.load_counts(OLD / f"{kind}-version-3{suffix}")
    assert old == counts
    assert old.task_name is None


def test_a_file_with_a_name_that_is_no_text(tmp_path: Path) -> None:
    named().save(path := tmp_path / "counts.json")
    path.write_text(path.read_text().replace('"task_name": "recid"', '"task_name": 3'))
    with pytest.raises(ValueError, match=r"path must be a file that JointCounts\.save wrote"):
        bam.JointCounts.load(path)


def test_a_name_that_cannot_be_written() -> None:
    with pytest.raises(ValueError, match=r"the title and names of a report must hold text without"):
        bam.audit(TABLE["recid"].rename("\ud800"), SAID, sensitive_features=GROUP, n_boot=0)
