"""What a bootstrap draws: distinct rows, cells, clusters, or random blocks; and how often."""

from typing import Any

import numpy as np
import pytest

import biasamp_adapters as bam
from biasamp_adapters.counting.labels import ATTRIBUTE, PREDICTION, TASK
from biasamp_adapters.counting.margins import Margins, margins_of_data
from biasamp_adapters.counting.partition import Partition
from biasamp_adapters.inference.replicates import _DRAWS, FLIPS, generator

#: Draws of a partition; a variance of so many has an error of sqrt(2 / 20,000) = 1 %.
SIZE, ALLOWED = 20_000, 5


def matrix_rows(n: int, n_columns: int = 20, **others: Any) -> Any:
    """Return rows of a matrix, nearly all of which are distinct."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, (n, n_columns))
    groups = rng.integers(0, 2, n)
    return bam.Counts.from_arrays(truth, truth, sensitive_features=groups, **others).rows


def label_rows(n: int, **others: Any) -> Any:
    truth, predicted, groups = np.random.default_rng(4).integers(0, 2, (3, n))
    return bam.Counts.from_arrays(truth, predicted, sensitive_features=groups, **others).rows


def parts_of(rows: Any, n_pairs: int = 4) -> tuple[int, str]:
    """Return the number of parts, and whether these are distinct rows, clusters or blocks."""
    partition = Partition.to_draw(rows, n_pairs)
    kind = "clusters" if rows.cluster is not None else "rows"
    return len(partition.times), "blocks" if partition.note else kind


# What is drawn.


def cells_of_four(n: int) -> Any:
    """Return n cells of 201 groups and 250 classes, with four rows each."""
    groups, truth = np.indices((201, 250)).reshape(2, -1)[:, :n]
    return bam.Counts.from_arrays(truth, sensitive_features=groups, count=np.full(n, 4)).rows


def clustered(n: int) -> Any:
    return label_rows(2 * n, clusters=np.arange(2 * n) % n)


@pytest.mark.parametrize(
    ("make", "n", "expected"),
    [
        # Labels are drawn as cells. Up to 5,000 distinct rows or clusters are drawn one by one.
        (label_rows, 100_000, (8, "rows")),
        (lambda n: matrix_rows(n, 40), 5000, (5000, "rows")),
        (lambda n: matrix_rows(n, 40), 5001, (1000, "blocks")),
        # Two columns and two groups have eight distinct rows.
        (lambda n: matrix_rows(n, 2), 25_000, (8, "rows")),
        (clustered, 5000, (5000, "clusters")),
        (clustered, 5001, (1000, "blocks")),
        # So are up to 50,000 distinct rows that stand for four rows on average.
        (lambda n: matrix_rows(6000, 40, count=np.full(6000, n)), 4, (6000, "rows")),
        (lambda n: matrix_rows(6000, 40, count=np.full(6000, n)), 3, (1000, "blocks")),
        (cells_of_four, 50_000, (50_000, "rows")),
        (cells_of_four, 50_001, (1000, "blocks")),
    ],
)
def test_what_is_drawn_follows_from_the_number_of_rows(make, n, expected) -> None:
    assert parts_of(make(n)) == expected


@pytest.mark.parametrize(
    ("n_pairs", "n_blocks"), [(0, 1000), (250, 1000), (300, 1200), (1000, 4000), (2000, 4000)]
)
def test_blocks_are_four_for_each_pair_of_enough_rows(n_pairs, n_blocks) -> None:
    assert parts_of(matrix_rows(6000, 40), n_pairs) == (n_blocks, "blocks")


def test_pairs_of_15_rows_count() -> None:
    # Groups 0 and 1 have 15 rows of each class, and 2 has 14.
    groups, classes = np.repeat([[0, 0, 1, 1, 2, 2], [0, 1] * 3], [15, 15, 15, 15, 14, 14], axis=1)
    result = bam.DirectionalBiasAmplification().result(classes, classes, sensitive_features=groups)
    assert result.measurement.n_pairs == 4


def test_blocks_hold_whole_clusters_and_all_rows() -> None:
    rows = label_rows(18_000, clusters=np.arange(18_000) % 6000)
    partition = Partition.to_draw(rows, 4)
    block_of = {}
    for cluster, block in zip(partition.rows.cluster, partition.part, strict=True):
        assert block_of.setdefault(cluster, block) == block
    table = partition.sums(ATTRIBUTE, TASK, None)
    expected = margins_of_data(rows).joint(ATTRIBUTE, TASK)
    assert table.sum(axis=0).reshape(2, 2).tolist() == expected[0].tolist()
    note = "Intervals draw 1,000 random blocks of clusters, because there are more than 5,000"
    assert partition.note.startswith(note)


@pytest.mark.parametrize(("numbers", "mean"), [([1, 3, 5], 18), ([2, 2, 2], 12)])
def test_blocks_split_the_rows_of_a_distinct_row(numbers, mean) -> None:
    rows = matrix_rows(6000, 40, count=numbers * 2000, sample_weight=np.full(6000, 0.5))
    partition = Partition.to_draw(rows, 4)
    assert len(partition.part) == 1000 * mean
    assert partition.weight.tolist() == [0.5] * 1000 * mean
    assert partition.squared.weight.tolist() == [0.25] * 1000 * mean
    assert sorted(partition.rows.n) == [1] * 1000 * mean
    # So many rows in each of 1,000 blocks on average, and a variance of as many.
    sizes = np.bincount(partition.part, minlength=1000)
    assert sizes.var() == pytest.approx(mean, rel=ALLOWED * np.sqrt(2 / 1000))


def test_random_numbers_are_those_of_no_seed_of_a_user() -> None:
    blocks = Partition.to_draw(matrix_rows(6000, 40), 4).part
    for seed in (0, 1, 42):
        user = np.random.default_rng(seed).integers(1000, size=6000)
        # As many are equal as chance makes: 6, give or take 2.4.
        assert (blocks == user).sum() < 6 + ALLOWED * np.sqrt(6)
        streams = np.random.default_rng(seed), generator(_DRAWS, seed), generator(FLIPS, seed)
        assert len({number for stream in streams for number in stream.random(5)}) == 15


# How often.


@pytest.mark.parametrize("kind", ["few rows", "many rows", "weights", "clusters"])
def test_parts_are_drawn_a_poisson_number_of_times(kind) -> None:
    others: dict[str, dict[str, Any]] = {
        "weights": {"sample_weight": np.resize([0.5, 2.0], 200)},
        "clusters": {"clusters": np.arange(200) % 40},
    }
    rows = label_rows(20_000 if kind == "many rows" else 200, **others.get(kind, {}))
    partition = Partition.to_draw(rows, 4)
    drawn = partition.draw(SIZE, np.random.default_rng(1))
    mean = partition.share * partition.times
    if kind != "clusters":
        assert partition.share == 1
        assert partition.times.sum() == pytest.approx(rows.n_rows)
    assert (drawn == np.rint(drawn)).all()
    assert np.abs(drawn.mean(axis=0) - mean).max() < ALLOWED * np.sqrt(mean.max() / SIZE)
    # A variance has an error of sqrt(2 / n + 1 / (n mean)).
    allowed = ALLOWED * np.sqrt(2 / SIZE + 1 / (SIZE * mean.min()))
    assert drawn.var(axis=0) == pytest.approx(mean, rel=allowed)
    # Parts are independent: covariances have an error of 1 / sqrt(n).
    correlation = np.corrcoef(drawn[:, :8].T) - np.eye(min(8, len(mean)))
    assert np.abs(correlation).max() < ALLOWED / np.sqrt(SIZE)


@pytest.mark.parametrize(
    ("n", "wider"),
    [
        # Student's t of n - 1 degrees of freedom beside 1.96, and n / (n - 1) of the variance.
        (10, 10 / 9 * (2.262 / 1.960) ** 2),
        (40, 40 / 39 * (2.0227 / 1.960) ** 2),
        (2, None),  # 12.7 squared is 84: at least one part is drawn.
    ],
)
def test_few_clusters_are_drawn_less_often(n, wider) -> None:
    share = Partition.to_draw(label_rows(200, clusters=np.arange(200) % n), 4).share
    expected = 1 / n if wider is None else 1 / wider
    assert share == pytest.approx(expected, rel=1e-3)
    assert Partition.to_draw(label_rows(20, clusters=[7] * 20), 4).share == 1


# Sums of parts, of every kind of variable, beside loops over the rows.


@pytest.mark.parametrize("kind", ["labels", "matrix", "sparse", "probabilities", "missing"])
def test_sums_of_drawn_parts_are_those_of_drawn_rows(kind) -> None:
    from scipy import sparse

    rng = np.random.default_rng(8)
    n = 300
    groups = rng.integers(0, 3, n)
    truth: Any = rng.integers(0, 2, (n, 4))
    predicted: Any = rng.integers(0, 2, (n, 4))
    if kind == "labels":
        truth, predicted = truth[:, 0], predicted[:, 0]
    if kind == "probabilities":
        predicted = rng.random((n, 4))
    if kind == "missing":
        predicted = predicted.astype(float)
        predicted[:50] = np.nan
    dense = np.nan_to_num(np.asarray(predicted, dtype=float))
    if kind == "sparse":
        truth, predicted = sparse.csr_array(truth), sparse.csr_array(predicted)
    clusters, weight = rng.integers(0, 30, n), rng.choice([0.5, 1.0, 4.0], n)
    counts = bam.Counts.from_arrays(
        truth, predicted, sensitive_features=groups, sample_weight=weight, clusters=clusters,
        missing="abstain",
    )  # fmt: skip
    partition = Partition.to_draw(counts.rows, 4)
    times = partition.draw(5, np.random.default_rng(1))
    table = Margins(partition, "model", times).joint(ATTRIBUTE, PREDICTION)
    # Clusters are numbered in the order of their first row.
    number = {name: i for i, name in enumerate(dict.fromkeys(clusters.tolist()))}
    of_row = times[:, [number[name] for name in clusters.tolist()]] * weight
    indicators = np.stack([dense == 0, dense == 1], -1) if kind == "labels" else dense
    for group in range(3):
        inside = of_row * (groups == group)
        expected = inside @ indicators
        assert table[:, group] == pytest.approx(expected, abs=1e-9)
