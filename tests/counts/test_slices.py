"""Slices of a table: parts that sum to the whole, and draws of unions that are sums of parts."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasamp_adapters import JointCounts
from biasamp_adapters._roles import Inputs
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.arrays import count_slices
from biasamp_adapters.inputs.columns import Column

SE = 5  # exceeded once in 1.7 million
GROUPS, LABELS, SLICES = ["a", "b", "c"], [0, 1], ["u", "v", "w"]
HARD, SOFT = [0, 1], [0, 0.25, 0.5, 1]


def rows_of(n: int, weights: str = "none", predicted: list[float] = HARD, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "T": rng.choice(LABELS, n),
            "T_hat": rng.choice(predicted, n),
            "A": rng.choice(GROUPS, n, p=[0.6, 0.3, 0.1]),
            "A_hat": rng.choice(GROUPS, n),
            "S": rng.choice(SLICES, n, p=[0.7, 0.2, 0.1]),
        }
    )
    if weights == "few":
        rows["w"] = rng.choice([0.5, 1.0, 3.0], n)
    elif weights == "many":
        rows["w"] = rng.random(n) + 0.5
    return rows


def given_rows(rows: pd.DataFrame) -> tuple[Any, ...]:
    return rows["T"], rows["T_hat"], rows["A"], rows["A_hat"], rows.get("w")


def sliced(rows: pd.DataFrame, **options: Any) -> tuple[JointCounts, dict[Any, JointCounts]]:
    return count_slices(Inputs(*given_rows(rows)), [Column(rows["S"], "S")], **options)


def counted(rows: pd.DataFrame, **options: Any) -> JointCounts:
    return JointCounts.from_arrays(*given_rows(rows), by_weight="w" in rows, **options)


rows_drawn = st.builds(
    rows_of,
    n=st.integers(1, 40),
    weights=st.sampled_from(["none", "few", "many"]),
    predicted=st.sampled_from([HARD, SOFT]),
    seed=st.integers(0, 1000),
)


@given(rows_drawn)
def test_parts_are_counts_of_their_rows(rows: pd.DataFrame) -> None:
    whole, parts = sliced(rows)
    assert whole == counted(rows)
    assert set(parts) == {(level,) for level in rows["S"]}
    lists = {"labels": whole.labels, "groups": whole.groups}
    for (level,), part in parts.items():
        alone = counted(rows[rows["S"] == level], **lists)
        for name, values in alone.to_frame().items():
            assert part.to_frame()[name].tolist() == values.tolist()


@given(rows_drawn)
def test_parts_sum_to_the_whole(rows: pd.DataFrame) -> None:
    whole, parts = sliced(rows, labels=LABELS, groups=GROUPS)
    assert sum(parts.values()) == whole


def test_two_columns_cross() -> None:
    rows = rows_of(100)
    columns = [Column(rows["S"], "S"), Column(rows["A"].to_numpy(), "A again")]
    whole, parts = count_slices(Inputs(*given_rows(rows)), columns)
    sizes = rows.groupby(["S", "A"]).size().to_dict()
    assert {key: part.n_rows for key, part in parts.items()} == sizes
    assert whole.n_rows == 100


def test_dropped_rows_are_in_no_part() -> None:
    rows = rows_of(60).astype(object)
    rows.loc[rows["S"] == "w", "T"] = None
    rows.loc[3, "A"] = None
    whole, parts = sliced(rows, missing="drop")
    kept = rows.dropna()
    assert set(parts) == {("u",), ("v",)}
    assert {key: part.n_rows for (key,), part in parts.items()} == kept.groupby(
        "S"
    ).size().to_dict()
    assert (whole.n_rows, whole.dropped) == (len(kept), 60 - len(kept))


@pytest.mark.parametrize("weights", ["none", "few"])
def test_missing_slices_are_an_error(weights: str) -> None:
    rows = rows_of(20, weights)
    rows.loc[[2, 5], "S"] = None
    with pytest.raises(ValueError, match="S must not have missing values; received 2"):
        sliced(rows)


def slices_of(rows: pd.DataFrame) -> tuple[Any, list[Any], dict[Any, Any]]:
    """The whole, the parts in the order of SLICES, and each pair of parts."""
    whole, by_key = sliced(rows, labels=LABELS, groups=GROUPS)
    parts = [by_key[level,] for level in SLICES]
    pairs = {
        two: whole.subset(np.concatenate([parts[i].rows.origin for i in two]))
        for two in combinations(range(len(parts)), 2)
    }
    return whole, parts, pairs


def margins(tables: Any) -> list[Array]:
    return [
        tables.joint("attribute", "task"),
        tables.joint("attribute", "prediction"),
        tables.joint("attribute_prediction", "task"),
        tables.marginal("attribute"),
        tables.total,
    ]


@pytest.mark.parametrize("weights", ["none", "few", "many"])
@pytest.mark.parametrize("predicted", [HARD, SOFT])
@pytest.mark.parametrize("n", [50, 5000])
def test_draws_of_unions_are_sums_of_draws(weights: str, predicted: list[float], n: int) -> None:
    whole, parts, pairs = slices_of(rows_of(n, weights, predicted))
    (drawn,) = whole.draw(20, np.random.default_rng(0), 20)
    of_parts = [margins(part.drawn(drawn)) for part in parts]
    unions = {tuple(range(len(parts))): whole} | pairs
    for members, union in unions.items():
        for i, margin in enumerate(margins(union.drawn(drawn))):
            expected = sum(of_parts[member][i] for member in members)
            # Sums of thousands of floats, in another order.
            np.testing.assert_allclose(margin, expected, rtol=1e-9, atol=1e-9)
    if weights == "none":
        assert (whole.drawn(drawn).total == n).all()
        assert (whole.drawn(drawn).times.sum(axis=-1) == n).all()


def test_draws_come_in_blocks() -> None:
    whole, *_ = slices_of(rows_of(50))
    blocks = list(whole.draw(25, np.random.default_rng(0), 10))
    assert [len(block) for block in blocks] == [10, 10, 5]
    assert [len(whole.drawn(block).weights) for block in blocks] == [10, 10, 5]


def assert_moments(draws: Array, mean: Array, covariance: Array) -> None:
    """Whether draws, of shape (draws, numbers), have these moments, by a z-test of each."""
    n = len(draws)
    spread = np.sqrt(np.diag(covariance))
    assert (np.abs(draws.mean(axis=0) - mean) <= SE * spread / np.sqrt(n)).all()
    centred = draws - mean
    products = centred[:, :, None] * centred[:, None, :]
    error = products.std(axis=0) / np.sqrt(n)
    assert (np.abs(products.mean(axis=0) - covariance) <= SE * error).all()


# Few rows for their cells are drawn one by one, many rows by cells.
@pytest.mark.parametrize("n", [60, 3000])
@pytest.mark.parametrize("weights", ["none", "few", "many"])
def test_moments_of_resampled_rows(n: int, weights: str) -> None:
    rows = rows_of(n, weights)
    whole, parts, _ = slices_of(rows)
    (drawn,) = whole.draw(4000, np.random.default_rng(1), 4000)
    weight = rows["w"] if "w" in rows else pd.Series(1.0, rows.index)
    # Of each row the weight where it falls; rows are drawn n times, alike and independently.
    keys = [(level, group) for level in SLICES for group in GROUPS]
    each = np.array([weight.where((rows["S"] == s) & (rows["A"] == a), 0) for s, a in keys]).T
    draws = np.hstack([part.drawn(drawn).marginal("attribute") for part in parts])
    mean = each.sum(axis=0)
    covariance = each.T @ each - np.outer(mean, mean) / n
    assert_moments(draws, mean, covariance)


def test_moments_of_sums_of_weights() -> None:
    # More distinct weights than cells that are kept apart: sums are drawn, cell by cell.
    rows = rows_of(140_000, "many")
    whole, parts, _ = slices_of(rows)
    assert not whole.knows_rows
    (drawn,) = whole.draw(1000, np.random.default_rng(2), 1000)
    for level, part in zip(SLICES, parts, strict=True):
        weight = rows.loc[rows["S"] == level, "w"]
        draws = part.drawn(drawn).total[:, None]
        # The number of rows is not fixed then: the variance is the sum of squares.
        assert_moments(draws, np.array([weight.sum()]), np.array([[(weight**2).sum()]]))
    totals = sum(part.drawn(drawn).total for part in parts)
    np.testing.assert_allclose(whole.drawn(drawn).total, totals, rtol=1e-9)
