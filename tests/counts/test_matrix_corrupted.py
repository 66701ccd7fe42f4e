"""Files that hold no counts of label matrices, or what no rows can give, are refused."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from good_matrices import GROUP, NAN, PREDICTION, TRUTH, count

from biasamp_adapters import CooccurrenceCounts, JointCounts
from biasamp_adapters.counts import saved as saved_counts

SUFFIXES = [".json", ".parquet"]
TIMES = 20


def _count(**options: Any) -> CooccurrenceCounts:
    """The good rows so often that no cell is small."""
    rows = {"y_true": TRUTH, "y_pred": PREDICTION, "sensitive_features": GROUP}
    return count(**{name: values * TIMES for name, values in rows.items()}, **options)


RULE = (
    r"path must be a file that CooccurrenceCounts\.save wrote, biasamp-counts of version 4 "
    r"or an earlier one; received "
)

FOREIGN = {
    "empty": b"",
    "text": b"truth,prediction\n0,1\n",
    "binary": bytes(range(256)),
    "a number": b"3",
    "a list": b"[1, 2]",
    "another object": b'{"format": "biasamp-cooccurrence-counts", "version": 1}',
    "pickle": pickle.dumps({"format": saved_counts.FORMAT, "version": saved_counts.VERSION}),
}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", FOREIGN)
def test_a_file_of_something_else(kind: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"foreign{suffix}"
    path.write_bytes(FOREIGN[kind])
    with pytest.raises(ValueError, match=RULE + f".*foreign{suffix}"):
        CooccurrenceCounts.load(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_counts_of_another_kind(suffix: str, tmp_path: Path) -> None:
    labels = JointCounts.from_arrays([0, 1] * TIMES, [0, 1] * TIMES, ["a", "b"] * TIMES)
    labels.save(tmp_path / f"labels{suffix}")
    with pytest.raises(ValueError, match=RULE):
        CooccurrenceCounts.load(tmp_path / f"labels{suffix}")
    _count().save(tmp_path / f"matrices{suffix}")
    with pytest.raises(ValueError, match=r"a file that JointCounts\.save wrote"):
        JointCounts.load(tmp_path / f"matrices{suffix}")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_file_cut_short(suffix: str, cut: int, tmp_path: Path) -> None:
    path = tmp_path / f"counts{suffix}"
    _count().save(path)
    # The last byte of the JSON file is a line end, which nothing hangs on.
    path.write_bytes(path.read_bytes().rstrip(b"\n")[:-cut])
    with pytest.raises(ValueError, match=RULE):
        CooccurrenceCounts.load(path)


CORRUPTED: dict[str, dict[str, Any]] = {
    "another version": {"version": 5},
    "another format": {"format": "biasamp-joint-counts"},
    "too few sums": {"sum_n": [20.0]},
    "a sum that is no number": {"sum_n": ["many"]},
    "weights without their squares": {"w": [1.0]},
    "an axis less": {"axes": [["attribute", None], ["task", None]]},
    "an unknown axis": {"axes": [["nothing", None], ["task", None], ["prediction", "model"]]},
    "a truth of a model": {"axes": [["attribute", None], ["task", "m"], ["prediction", "model"]]},
    "a repeated label": {"labels": [0, 0, 1]},
    "labels as one string": {"labels": "012"},
    "a label of another type": {"labels": [{"a": 1}, 1, 2]},
    "a group more": {"groups": ["a", "b", "c"]},
    "groups that are not crossed": {"attributes": ["sex", "age"]},
    "an unknown matrix": {"matrices": ["tasks"]},
    "another number of label sets": {"sets": [[0], [0, 2]]},
    "an empty label set": {"sets": [[], [0, 2], [0, 1, 2]]},
    "a label set past the labels": {"sets": [[0], [0, 3], [0, 1, 2]]},
    "a label set in descending order": {"sets": [[0], [2, 0], [0, 1, 2]]},
    "a repeated label set": {"sets": [[0], [0], [0, 2]]},
    "label sets out of order": {"sets": [[1], [0, 2], [0]]},
    "label sets that are not whole": {"sets": [[0.0], [0.0, 2.0], [0, 1, 2]]},
    "dropped that is no number": {"dropped": "none"},
    "a negative number dropped": {"dropped": -1},
    "an unknown variable of probabilities": {"soft": ["nothing"]},
    "probabilities of the truth": {"soft": ["task"]},
    "an unknown list": {"declared": ["tasks"]},
}


def _corrupted(folder: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Path:
    path = folder / "counts.json"
    _count(label_sets=[[0], [0, 2], [1, 2]]).save(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(document | change(document)), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", CORRUPTED)
def test_a_corrupted_file(kind: str, tmp_path: Path) -> None:
    path = _corrupted(tmp_path, lambda _: CORRUPTED[kind])
    with pytest.raises(ValueError, match=RULE):
        CooccurrenceCounts.load(path)


SUMS: dict[str, Callable[[list[float]], list[float]]] = {
    "negative": lambda n: [-1.0, *n[1:]],
    "not a number": lambda n: [NAN, *n[1:]],
    "infinite": lambda n: [float("inf"), *n[1:]],
    "halves of rows": lambda n: [x / 8 for x in n],
    "of no rows": lambda n: [0.0] * len(n),
    "of more rows than there are": lambda n: [*n[:-1], 1e6],
    # Column 12 of 26 is a predicted task, and group a, the second of the rows, has 60 rows.
    "of more predictions than rows of a group": lambda n: [*n[: 26 + 12], 100.0, *n[26 + 13 :]],
    "that contradict each other": lambda n: [x + 20 * (i == 5) for i, x in enumerate(n)],
}


@pytest.mark.parametrize("kind", SUMS)
def test_sums_that_no_rows_have(kind: str, tmp_path: Path) -> None:
    path = _corrupted(tmp_path, lambda document: {"sum_n": SUMS[kind](document["sum_n"])})
    with pytest.raises(ValueError, match=RULE):
        CooccurrenceCounts.load(path)


def test_the_file_that_is_corrupted_is_good(tmp_path: Path) -> None:
    loaded = CooccurrenceCounts.load(_corrupted(tmp_path, lambda _: {}))
    assert loaded == _count(label_sets=[[0], [0, 2], [1, 2]])
