"""Clusters: rows that belong together are counted apart, numbered by what they hold, and added."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from drawn_rows import row_of
from hypothesis import given
from hypothesis import strategies as st
from kinds import KINDS, Kind

from biasamp_adapters import CooccurrenceCounts, JointCounts
from biasamp_adapters._roles import Inputs
from biasamp_adapters.counts.arrays import count_slices
from biasamp_adapters.counts.draws import resample_clusters
from biasamp_adapters.inputs.columns import Column

#: A row is (group, truth, prediction, person), and persons of a part have no row in another one.
PERSONS = "pqrstu"
ROWS = st.lists(row_of("ab", (0, 1), (0, 1), PERSONS), min_size=2, max_size=30)
PART = dict(zip(PERSONS, (0, 0, 1, 1, 2, 2), strict=True))

#: Two rows of each of four persons, whose names are no help in ordering them.
FRAME = pd.DataFrame(
    {
        "T": [0, 1, 1, 1, 0, 0, 1, 0],
        "P": [0, 1, 1, 0, 0, 1, 1, 0],
        "A": ["a", "a", "b", "b", "a", "a", "b", "b"],
        "who": ["zoe", "zoe", "amy", "amy", "max", "max", "kim", "kim"],
    }
)


def counted(kind: Kind, rows: list[Any], **options: Any) -> Any:
    group, truth, prediction, person = map(list, zip(*rows, strict=True))
    return kind.count(
        truth, prediction, group, clusters=person, groups=["a", "b"], **kind.apart, **options
    )


def test_each_person_has_cells_of_their_own() -> None:
    counts = JointCounts.from_arrays([1, 1, 1, 0], clusters=["x", "x", "y", "y"])
    # One of them has the same row twice, and the other one two different rows.
    by_cluster = counts.to_frame().groupby("cluster")["n"].agg(list)
    assert sorted(by_cluster) == [[1, 1], [2]]
    assert (counts.n_rows, counts.n_clusters) == (4, 2)
    assert sorted(set(counts.cells.cluster.tolist())) == [0, 1]


@pytest.mark.parametrize(
    "names", [[(1,), (1, 2)], [1.5, "x"], [pd.Timestamp(2026, 1, 1), True], [2**70, -1]]
)
def test_clusters_are_called_anything(kind: Kind, names: list[Any]) -> None:
    clusters = [names[i] for i in (0, 0, 1, 1)]
    counts = kind.count([0, 1, 0, 0], None, list("abab"), clusters=clusters, **kind.apart)
    assert counts.n_clusters == 2


def test_without_clusters_there_are_none(kind: Kind) -> None:
    counts = kind.count([1, 0], [1, 0], ["a", "b"], **kind.apart)
    assert (counts.n_clusters, counts.clustered, counts.rows.cluster) == (None, False, None)


@given(ROWS, st.randoms(use_true_random=False), st.sampled_from([*KINDS]))
def test_names_and_order_change_no_draw(rows: list[Any], random: Any, name: str) -> None:
    kind = KINDS[name]
    shuffled = random.sample(rows, len(rows))
    renamed = dict(zip(PERSONS, random.sample(range(100), len(PERSONS)), strict=True))
    others = [(*row[:3], renamed[row[3]]) for row in shuffled]
    first, second = counted(kind, rows), counted(kind, others)
    np.testing.assert_array_equal(first.rows.cluster, second.rows.cluster)
    np.testing.assert_array_equal(first.rows.n, second.rows.n)
    drawn = [next(x.draw(3, np.random.default_rng(0), 3)).weights for x in (first, second)]
    np.testing.assert_array_equal(*drawn)


@given(ROWS, st.sampled_from([*KINDS]))
def test_parts_add_up(rows: list[Any], name: str) -> None:
    kind = KINDS[name]
    parts = [[row for row in rows if PART[row[3]] == part] for part in range(3)]
    options = {"labels": [0, 1]}
    of_parts = [counted(kind, part, **options) for part in parts if part]
    whole = counted(kind, rows, **options)
    for parts_in_order in (of_parts, of_parts[::-1]):
        added = reduce(add, parts_in_order)
        np.testing.assert_array_equal(added.rows.cluster, whole.rows.cluster)
        np.testing.assert_array_equal(added.rows.n, whole.rows.n)
        assert added == whole


def test_clusters_of_two_parts_are_different_ones(kind: Kind) -> None:
    part = counted(kind, [("a", 1, 1, "p"), ("b", 0, 0, "p"), ("a", 1, 0, "q"), ("a", 1, 0, "q")])
    assert part.n_clusters == 2
    assert (part + part).n_clusters == 4


def test_added_counts_know_of_how_many_parts_their_clusters_are(kind: Kind) -> None:
    part = counted(kind, [("a", 1, 1, "p"), ("b", 0, 0, "p"), ("a", 1, 0, "q"), ("b", 1, 0, "q")])
    assert part.cluster_parts == 1
    assert (part + part).cluster_parts == 2
    assert reduce(add, [part, part + part, part]).cluster_parts == 4
    without = kind.count([1, 0], [1, 0], ["a", "b"], groups=["a", "b"], **kind.apart)
    assert (without + without).cluster_parts == 1


def test_with_clusters_and_without_are_not_added(kind: Kind) -> None:
    rows = [("a", 1, 1, "p"), ("b", 0, 0, "p")]
    without = kind.count([1, 0], [1, 0], ["a", "b"], groups=["a", "b"], **kind.apart)
    with pytest.raises(ValueError, match="must both have clusters, or neither"):
        counted(kind, rows) + without


def test_chunks_share_clusters(kind: Kind) -> None:
    options: dict[str, Any] = {"attribute": "A", "clusters": "who", **kind.apart}
    if kind.name == "matrix":
        options |= {"prediction": ["P"]}
        task: Any = ["T"]
    else:
        options |= {"prediction": "P"}
        task = "T"
    whole = kind.counts.from_frame(FRAME, task=task, **options)
    # Every chunk splits a person.
    chunks = [FRAME[:1], FRAME[1:4], FRAME[4:5], FRAME[5:]]
    found = kind.counts.from_chunks(chunks, task=task, **options)
    assert (found.n_clusters, found.cluster_parts) == (4, 1)
    np.testing.assert_array_equal(found.rows.cluster, whole.rows.cluster)
    np.testing.assert_array_equal(found.rows.n, whole.rows.n)


def test_chunks_of_labels_that_are_read_as_columns_share_clusters() -> None:
    options: dict[str, Any] = {"task": "T", "attribute": "A", "clusters": "who", "keep_rows": True}
    whole = CooccurrenceCounts.from_frame(FRAME, **options)
    found = CooccurrenceCounts.from_chunks([FRAME[:3], FRAME[3:]], **options)
    np.testing.assert_array_equal(found.rows.cluster, whole.rows.cluster)


def test_engines(engine: Callable[[pd.DataFrame], Any], kind: Kind) -> None:
    prediction: Any = "P" if kind.name == "labels" else ["P"]
    options = {"prediction": prediction, "attribute": "A", "clusters": "who", **kind.apart}
    found = kind.from_frame(engine(FRAME), "T", **options)
    whole = kind.from_frame(FRAME, "T", **options)
    assert found.n_clusters == 4
    np.testing.assert_array_equal(found.rows.cluster, whole.rows.cluster)
    np.testing.assert_array_equal(found.rows.n, whole.rows.n)


@pytest.mark.parametrize("suffix", ["json", "parquet"])
@pytest.mark.filterwarnings("ignore::biasamp_adapters.SmallCellsWarning")
def test_files_hold_numbers_and_no_names(tmp_path: Path, suffix: str) -> None:
    counts = JointCounts.from_frame(FRAME, task="T", prediction="P", attribute="A", clusters="who")
    path = tmp_path / f"counts.{suffix}"
    counts.save(path)
    assert JointCounts.load(path) == counts
    assert JointCounts.load(path).n_clusters == 4
    assert not re.search(rb"zoe|amy|max|kim|who", path.read_bytes())


@pytest.mark.parametrize("suffix", ["json", "parquet"])
@pytest.mark.filterwarnings("ignore::biasamp_adapters.SmallCellsWarning")
def test_files_keep_the_number_of_parts(tmp_path: Path, suffix: str) -> None:
    part = JointCounts.from_frame(FRAME, task="T", prediction="P", attribute="A", clusters="who")
    path = tmp_path / f"counts.{suffix}"
    (part + part).save(path)
    loaded = JointCounts.load(path)
    assert loaded.cluster_parts == 2
    assert (loaded + part).cluster_parts == 3


@pytest.mark.parametrize("parts", [0, -1, 1.5, "2", True, None])
@pytest.mark.filterwarnings("ignore::biasamp_adapters.SmallCellsWarning")
def test_files_of_no_parts_are_refused(tmp_path: Path, parts: Any) -> None:
    path = tmp_path / "counts.json"
    JointCounts.from_arrays([0, 1, 0, 1], clusters=[5, 5, 6, 6]).save(path)
    document = json.loads(path.read_text())
    assert "cluster_parts" not in document
    path.write_text(json.dumps(document | {"cluster_parts": parts}))
    with pytest.raises(ValueError, match="must be a file that"):
        JointCounts.load(path)


@pytest.mark.parametrize("clusters", [[0, 0], [0, 2, 2, 2], [-1, 0, 1, 1], [[0], [1], [2], [3]]])
@pytest.mark.filterwarnings("ignore::biasamp_adapters.SmallCellsWarning")
def test_files_with_other_clusters_are_refused(tmp_path: Path, clusters: Any) -> None:
    path = tmp_path / "counts.json"
    JointCounts.from_arrays([0, 1, 0, 1], clusters=[5, 5, 6, 6]).save(path)
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"cluster": clusters}))
    with pytest.raises(ValueError, match="must be a file that"):
        JointCounts.load(path)


def test_slices_keep_clusters(kind: Kind) -> None:
    # Each person has a row in each slice.
    inputs = Inputs(kind.tasks([0, 1] * 20, (0, 1)), None, list("aaab") * 10)
    inputs = inputs._replace(clusters=np.repeat([*range(20)], 2))
    whole, parts = count_slices(inputs, [Column(["u", "v"] * 20, "S")])
    assert whole.n_clusters == 20
    drawn = next(whole.draw(50, np.random.default_rng(0), 50))
    first, second = (part.drawn(drawn).total for part in parts.values())
    np.testing.assert_array_equal(first, second)
    assert len(np.unique(drawn.marginal("attribute"), axis=0)) > 1


@pytest.mark.parametrize("copies", [2, 5])
def test_copies_of_a_row_are_worth_one_row(kind: Kind, copies: int) -> None:
    rng = np.random.default_rng(0)
    truth, group = rng.integers(0, 2, 12), rng.integers(0, 2, 12)
    alone = kind.count(truth, None, group, **kind.apart)
    copied = kind.count(
        np.repeat(truth, copies),
        None,
        np.repeat(group, copies),
        clusters=np.repeat(np.arange(12), copies),
        **kind.apart,
    )
    assert alone.effective_rows == 12
    assert copied.effective_rows == pytest.approx(12)
    assert copied.n_rows == 12 * copies


def test_weights_and_clusters_lower_the_effective_rows(kind: Kind) -> None:
    # 8 rows of weight 1 and 2, each twice: (4 + 8)^2 / (4 + 16) = 7.2, and half of that.
    truth, group, weight = [0, 0, 1, 1] * 2, [0, 1, 0, 1] * 2, [1, 1, 1, 1, 2, 2, 2, 2]
    alone = kind.count(truth, None, group, sample_weight=weight, **kind.apart)
    assert alone.effective_rows == pytest.approx(7.2)
    copied = kind.count(
        truth * 2,
        None,
        group * 2,
        sample_weight=weight * 2,
        clusters=[*range(8)] * 2,
        **kind.apart,
    )
    assert copied.effective_rows == pytest.approx(7.2)


def test_rows_that_balance_each_other_are_worth_no_more_rows(kind: Kind) -> None:
    # Each person has one row of each cell, so the correlation is the same in all of them.
    counts = kind.count(
        [0, 0, 1, 1] * 5, None, [0, 1] * 10, clusters=np.repeat([*range(5)], 4), **kind.apart
    )
    assert counts.effective_rows == 20


def test_rows_that_do_not_vary_are_worth_a_cluster(kind: Kind) -> None:
    # Where truth and group agree in halves, (A - .5)(T - .5) is .25 in every row.
    counts = kind.count(
        [0] * 6 + [1] * 6, None, [0] * 6 + [1] * 6, clusters=np.repeat([*range(4)], 3), **kind.apart
    )
    assert counts.effective_rows == 4


def test_slices_have_effective_rows_of_their_own() -> None:
    # Persons are in one of the slices each: copies of 20 rows, and copies of 20 other ones.
    rng = np.random.default_rng(0)
    truth, group = rng.integers(0, 2, 40), rng.integers(0, 2, 40)
    who, slices = np.repeat([*range(40)], 3), np.repeat(rng.permutation(["u", "v"] * 20), 3)
    inputs = Inputs(np.repeat(truth, 3), None, np.repeat(group, 3), clusters=who)
    _, parts = count_slices(inputs, [Column(slices, "S")])
    assert [part.effective_rows for part in parts.values()] == pytest.approx([20, 20])


def test_one_variable_has_a_design_effect() -> None:
    counts = JointCounts.from_arrays([0, 0, 0, 1, 1, 1], clusters=[1, 1, 1, 2, 2, 2])
    assert counts.effective_rows == pytest.approx(2)


def test_clusters_of_a_variable(kind: Kind) -> None:
    counts = kind.count(
        [0, 1, 1, 1], None, list("aabb"), clusters=["p", "q", "q", "q"], **kind.apart
    )
    # Group a has rows of both persons, group b of one; so have classes 0 and 1.
    assert counts.clusters_of("attribute").tolist() == [2, 1]
    assert counts.clusters_of("task").tolist() == [1, 1]
    without = kind.count([0, 1], None, list("ab"), **kind.apart)
    with pytest.raises(ValueError, match="have no clusters"):
        without.clusters_of("task")


@pytest.mark.parametrize(("n", "drawn"), [(60, 57), (15, 12), (8, 5), (1000, 997), (3, 1)])
def test_fewer_clusters_are_drawn_than_there_are(n: int, drawn: int) -> None:
    # 60: 60 / 59 * (2.001 / 1.960)^2 = 1.060 times the variance, and 60 / 1.060 = 56.6.
    times = resample_clusters(n, 30, np.random.default_rng(0))
    assert times.shape == (30, n)
    np.testing.assert_array_equal(times.sum(axis=1), drawn)


# What is refused


def test_lengths_must_agree(kind: Kind) -> None:
    with pytest.raises(ValueError, match=r"same length; received .*clusters 3"):
        kind.count([0, 1], [0, 1], ["a", "b"], clusters=[1, 2, 3], **kind.apart)


def test_clusters_are_one_column(kind: Kind) -> None:
    with pytest.raises(ValueError, match="clusters must have one dimension"):
        kind.count([0, 1], [0, 1], ["a", "b"], clusters=np.zeros((2, 2)), **kind.apart)


@pytest.mark.parametrize("missing", ["error", "abstain"])
def test_a_row_without_a_cluster_is_refused(kind: Kind, missing: str) -> None:
    with pytest.raises(ValueError, match=r"clusters must not have missing values; received 1 \("):
        kind.count([0, 1], [0, 1], list("ab"), clusters=["p", None], missing=missing, **kind.apart)


def test_rows_without_a_cluster_are_dropped(kind: Kind) -> None:
    options: dict[str, Any] = {"missing": "drop", **kind.apart}
    counts = kind.count(
        [0, 1, 1, 0], [0, 1, 1, 1], list("abab"), clusters=["p", None, "p", "q"], **options
    )
    assert (counts.n_rows, counts.dropped, counts.n_clusters) == (3, 1, 2)


def test_the_column_must_be_there(kind: Kind) -> None:
    with pytest.raises(ValueError, match="'whom' is not among"):
        kind.from_frame(FRAME, "T", attribute="A", clusters="whom", **kind.apart)


def test_matrices_need_their_rows() -> None:
    rows: dict[str, Any] = {"y_true": [[1], [0]], "clusters": ["p", "p"]}
    with pytest.raises(ValueError, match="keep_rows must be True; received False"):
        CooccurrenceCounts.from_arrays(**rows)
    with pytest.raises(ValueError, match="second_moments are of independent rows"):
        CooccurrenceCounts.from_arrays(**rows, keep_rows=True, second_moments=True)
    with pytest.raises(ValueError, match="second moments are of independent rows"):
        CooccurrenceCounts.from_arrays(**rows, keep_rows=True).with_second_moments()
