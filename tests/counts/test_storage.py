"""Counts come back from a file as they were, and a file is whole or not there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biasamp_adapters import JointCounts

SUFFIXES = [".json", ".parquet"]
FIVE = 5


def _count(truth: list[Any], prediction: Any = None, group: Any = None, **options: Any) -> Any:
    """Counts of each row five times over, so that no cell is small."""

    def repeat(values: Any) -> Any:
        if isinstance(values, dict):
            return {name: repeat(column) for name, column in values.items()}
        return values if values is None else list(values) * FIVE

    if "sample_weight" in options:
        options["sample_weight"] = repeat(options["sample_weight"])
    return JointCounts.from_arrays(repeat(truth), repeat(prediction), repeat(group), **options)


KINDS: dict[str, Callable[[], JointCounts]] = {
    "plain": lambda: _count([0, 1], [1, 1], ["a", "b"]),
    "attribute only": lambda: JointCounts.from_arrays(sensitive_features=["a", "b"] * FIVE),
    "predicted attribute": lambda: JointCounts.from_arrays(
        [0, 1] * FIVE, None, ["a", "b"] * FIVE, ["b", "b"] * FIVE
    ),
    "crossed": lambda: _count([0, 1], [1, 1], {"sex": ["f", "m"], "age": [20, 30]}),
    "weighted": lambda: _count([0, 1], [1, 1], ["a", "b"], sample_weight=[0.1, 1 / 3]),
    "by weight": lambda: _count(
        [0, 1, 1], [1, 1, 1], ["a", "b", "b"], sample_weight=[0.1, 1 / 3, 2], by_weight=True
    ),
    "probabilities": lambda: _count([0, 1], [0.1, 1 / 3], ["a", "b"]),
    "abstentions": lambda: _count([0, 1], [None, 1], ["a", "b"], missing="abstain"),
    "dropped": lambda: _count([0, 1, 1], [None, 1, 0], ["a", "b", "a"], missing="drop"),
    "several models": lambda: _count([0, 1], {"it's": [0, 1], 'a "b"': [1, 1]}, ["a", "b"]),
    "listed labels": lambda: _count(
        [0, 1], [1, 1], ["a", "b"], labels=[2, 1, 0], groups=["b", "a"]
    ),
    "booleans": lambda: _count([False, True], [True, True], [True, False]),
    "floats": lambda: _count([0.1, -1e300], [0.1, 0.1], [1.5, 5e-324]),
    "large integers": lambda: _count([2**63 + 1, -(2**60) - 1], None, [2**53 + 1, 2**53]),
    "mixed": lambda: _count([1, "1"], ["1", "1"], [True, "True"]),
    "tuples": lambda: _count([("a", 1), ("b", 2)], None, [("x", ("y", 1)), ("x", ("y", 2))]),
    "unicode": lambda: _count(["é", "日本", ""], None, ["it's", 'a "quoted" \\ one', "\n\t"]),
}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", KINDS)
def test_round_trip(kind: str, suffix: str, tmp_path: Path) -> None:
    counts = KINDS[kind]()
    counts.save(tmp_path / f"counts{suffix}")
    loaded = JointCounts.load(tmp_path / f"counts{suffix}")
    assert loaded == counts
    # Equality lets 1 pass for True and a list of axes for a tuple.
    assert repr((loaded.labels, loaded.groups, loaded.axes)) == repr(
        (counts.labels, counts.groups, counts.axes)
    )
    for ours, theirs in zip(counts.cells, loaded.cells, strict=True):
        assert (ours is None) == (theirs is None)
        assert ours is None or ours.dtype == theirs.dtype
    assert loaded + counts == counts + counts


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_many_cells(suffix: str, tmp_path: Path) -> None:
    # Parquet files hold several groups of rows from about 120,000 on, and order must survive.
    group, label = np.divmod(np.repeat(np.arange(150_000), FIVE), 300)
    counts = JointCounts.from_arrays(label, sensitive_features=group)
    counts.save(tmp_path / f"counts{suffix}")
    assert JointCounts.load(tmp_path / f"counts{suffix}") == counts


RULE = (
    r"path must be a file that JointCounts\.save wrote, biasamp-counts of version 4 "
    r"or an earlier one; received "
)


CORRUPTED: dict[str, dict[str, Any]] = {
    "another version": {"version": 5},
    "another format": {"format": "counts"},
    "a code past the labels": {"codes": [[0, 0, 9], [1, 1, 1]]},
    "a negative code": {"codes": [[0, 0, -1], [1, 1, 1]]},
    "ragged codes": {"codes": [[0, 0, 1], [1, 1]]},
    "too few axes": {"axes": [["attribute", None]]},
    "an unknown axis": {"axes": [["nothing", None], ["task", None], ["prediction", "model"]]},
    "too few counts": {"n": [5]},
    "a negative count": {"n": [-5, 5]},
    "a count of no rows": {"n": [0, 5]},
    "a count that is not whole": {"n": [5.5, 5]},
    "a count that is no number": {"n": ["many", 5]},
    "weights without their squares": {"w": [5.0, 5.0]},
    "a level that is no number": {"levels": ["half"]},
    "a repeated label": {"labels": [0, 0]},
    "labels as one string": {"labels": "01"},
    "a label of another type": {"labels": [{"a": 1}, 1]},
    "a repeated cell": {"codes": [[0, 0, 1], [0, 0, 1]]},
    "no cells": {"codes": [], "n": []},
    "dropped that is no number": {"dropped": "none"},
    "a negative number dropped": {"dropped": -1},
}


@pytest.mark.parametrize("kind", CORRUPTED)
def test_a_corrupted_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    KINDS["plain"]().save(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(document | CORRUPTED[kind]), encoding="utf-8")
    with pytest.raises(ValueError, match=RULE):
        JointCounts.load(path)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
        [b"x", b"y"],
    ],
    ids=["dates", "bytes"],
)
def test_labels_that_no_file_can_hold(labels: Any, tmp_path: Path) -> None:
    counts = JointCounts.from_arrays(np.repeat(labels, FIVE))
    for suffix in SUFFIXES:
        with pytest.raises(ValueError, match=r"labels must be .* to be saved; received"):
            counts.save(tmp_path / f"counts{suffix}")
    assert os.listdir(tmp_path) == []


def test_files_are_what_they_are_called(tmp_path: Path) -> None:
    counts = KINDS["abstentions"]()
    counts.save(tmp_path / "counts.json")
    document = json.loads((tmp_path / "counts.json").read_text(encoding="utf-8"))
    assert document["format"] == "biasamp-counts"
    assert document["n"] == [5, 5]
    counts.save(tmp_path / "counts.parquet")
    table = pd.read_parquet(tmp_path / "counts.parquet")
    assert table["n"].tolist() == [5, 5]
