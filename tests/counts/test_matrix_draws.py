"""Tables drawn from the rows of label matrices are those that resampled rows would give."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from good_matrices import GROUP, GUESSES, INDICATORS, PREDICTION, TRUTH, count, moments_of

from biasamp_adapters import CooccurrenceCounts, Indicators
from biasamp_adapters.counts import draws
from biasamp_adapters.counts import rows as rows_module
from biasamp_adapters.counts.draws import poisson_rows

N_BOOT = 4_000

#: A mean of independent draws lies this many standard errors from its expectation once in
#: 1.7 million times. The seed is fixed, and at most a few hundred means are looked at in a test.
WITHIN = 5.0

TIMES = 20
WEIGHTS = [0.5, 2.0, 1.0, 4.0, 1.5, 0.25]
#: As the groups are counted by, these numbers weigh the rest of a row.
SOFT_GUESSES = [[0.5, 0.25], *GUESSES[1:4], [0.25, 0.5], [0.0, 0.0]]
SOFT = [[0.5, 0.0, 1.0], [0.0, 0.25, 0.0], *PREDICTION[2:]]

KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "groups by column": {
        "sensitive_features": INDICATORS * TIMES,
        "sensitive_features_pred": GUESSES * TIMES,
    },
    "weights": {"sample_weight": WEIGHTS * TIMES},
    "probabilities": {"y_pred": SOFT * TIMES},
    "probabilities of groups": {
        "sensitive_features": INDICATORS * TIMES,
        "sensitive_features_pred": SOFT_GUESSES * TIMES,
    },
    "label sets": {"label_sets": [[0], [0, 2], [1, 2]]},
    "models": {"y_pred": {"old": PREDICTION * TIMES, "new": TRUTH[::-1] * TIMES}},
}


def _count(kind: str, **changed: Any) -> CooccurrenceCounts:
    """The good rows many times over, with their rows kept."""
    many = {"y_true": TRUTH, "y_pred": PREDICTION, "sensitive_features": GROUP}
    given = {name: rows * TIMES for name, rows in many.items()} | KINDS[kind] | changed
    for name in ("sensitive_features", "sensitive_features_pred"):
        if isinstance(given.get(name, [None])[0], list):
            given[name] = Indicators(given[name])
    return count(**given, keep_rows=True)


def _drawn(counts: CooccurrenceCounts, n_boot: int = N_BOOT, block: int = 512) -> np.ndarray:
    tables = counts.draw(n_boot, np.random.default_rng(0), block)
    return np.concatenate([moments_of(part) for part in tables])


def _check_distribution(counts: CooccurrenceCounts, moments: np.ndarray) -> None:
    """Means and variances of drawn sums are those of n rows drawn with replacement.

    A moment is the sum over the n drawn rows of one number x of each: its mean is the sum S of x
    over all rows, and its variance the sum of x squared less S^2 / n.
    """
    assert counts.rows is not None
    rows, n = counts.rows, counts.n_rows
    complete = np.hstack([counts.values.dense(block) for block in counts.layout.blocks])
    left = complete[:, counts.layout.left]
    unit = np.ones(len(rows.n)) if rows.unit is None else rows.unit
    x = left[:, :, None] * complete[:, None, :] * unit[:, None, None]
    mean = np.tensordot(rows.n, x, axes=1)
    variance = np.tensordot(rows.n, x**2, axes=1) - mean**2 / n
    # What rounding leaves of a variance of 0 is not a spread.
    variance[variance < 1e-9 * mean**2] = 0
    off = np.abs(moments.mean(axis=0) - mean)
    assert (off <= WITHIN * np.sqrt(variance / len(moments)) + 1e-9 * mean).all()
    spread = variance > 0
    # The relative standard error of a variance is sqrt((2 + excess kurtosis) / replicates). Each
    # value of x has a share of at least 1/6, so its kurtosis is at most 6, and the excess of the
    # sum of n of them at most 3 / n.
    ratio = moments.var(axis=0)[spread] / variance[spread]
    assert (np.abs(ratio - 1) <= WITHIN * np.sqrt((2 + 3 / n) / len(moments))).all()


@pytest.mark.parametrize("way", ["by rows", "by cells"])
@pytest.mark.parametrize("kind", KINDS)
def test_draws_are_resampled_rows(kind: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "by_rows", lambda n: way == "by rows")
    counts = _count(kind)
    _check_distribution(counts, _drawn(counts))


@pytest.mark.parametrize("kind", KINDS)
def test_draws_of_many_blocks_of_rows(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = _apart(_count(kind))
    # Blocks of a few of the 120 rows.
    monkeypatch.setattr(rows_module, "_BLOCK", 50)
    _check_distribution(counts, _drawn(counts))


def _apart(counts: CooccurrenceCounts) -> CooccurrenceCounts:
    """The same rows, each kept by itself."""
    rows = counts.rows
    assert rows is not None
    each = np.repeat(np.arange(len(rows.n)), rows.n)
    unit = None if rows.unit is None else rows.unit[each]
    weights = {} if unit is None else {"w": unit, "w2": unit**2}
    apart = replace(rows.taken(each), n=np.ones(len(each), dtype=np.int64), **weights)
    return replace(counts, rows=apart)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_are_alike_may_be_kept_together_or_apart(kind: str) -> None:
    together = _count(kind)
    apart = _apart(together)
    assert together.rows is not None
    assert apart.rows is not None
    if not together.soft:
        # The six rows are distinct.
        assert together.rows.n.tolist() == [TIMES] * 6
    assert apart.rows.n.tolist() == [1] * 6 * TIMES
    for name, values in together.moments.items():
        np.testing.assert_array_equal(apart.moments[name], values)
    _check_distribution(together, _drawn(apart))
    merged = replace(apart, rows=apart.rows.merged())
    np.testing.assert_array_equal(merged.moments["n"], together.moments["n"])


@pytest.mark.parametrize("block", [1, 7, 1000])
@pytest.mark.parametrize("kind", ["plain", "probabilities", "label sets", "models"])
def test_each_table_has_as_many_rows_as_the_data(kind: str, block: int) -> None:
    counts = _count(kind)
    tables = [*counts.draw(100, np.random.default_rng(0), block)]
    assert sum(map(len, tables)) == 100
    for part in tables:
        assert part.total.tolist() == [6 * TIMES] * len(part)
        # Every row is of one group.
        assert part.marginal("attribute").sum(axis=-1).tolist() == part.total.tolist()
        assert (part.joint("attribute", "task") <= part.marginal("attribute")[..., None]).all()


def test_sums_of_drawn_columns_belong_together() -> None:
    counts = _count("models")
    for part in counts.draw(50, np.random.default_rng(0), 20):
        old, new = part.for_model("old"), part.for_model("new")
        # One draw of rows serves all models.
        np.testing.assert_array_equal(
            old.joint("attribute", "task"), new.joint("attribute", "task")
        )
        agreed = old.agreement("task")
        assert (agreed <= old.marginal("task")).all()
        assert (agreed <= old.marginal("prediction")).all()
        np.testing.assert_array_equal(agreed, old.agreement("task", by_group=True).sum(axis=-2))


def test_a_seed_fixes_the_draws_and_the_counts_stay_as_they_are() -> None:
    counts = _count("weights")
    before = {name: values.copy() for name, values in counts.moments.items()}
    first, again = _drawn(counts, 20), _drawn(counts, 20)
    np.testing.assert_array_equal(first, again)
    assert (first[0] != first[1]).any()
    for name, values in counts.moments.items():
        np.testing.assert_array_equal(values, before[name])


def test_draws_of_sums_model_by_model_and_after_aligning() -> None:
    whole = _count("models")
    parts = [whole.model("new"), whole + whole, whole.align((2, 9, 0, 1), ("b", "a"))]
    for counts in parts:
        _check_distribution(counts, _drawn(counts))


def test_unweighted_draws_of_weighted_rows() -> None:
    counts = _count("weights").unweighted()
    assert counts == _count("plain")
    moments = _drawn(counts, 20)
    np.testing.assert_array_equal(moments, np.floor(moments))
    assert counts.no_draws is None


def test_one_row() -> None:
    counts = CooccurrenceCounts.from_arrays([[1, 0]], [[1, 1]], ["a"], keep_rows=True)
    np.testing.assert_array_equal(
        _drawn(counts, 3), np.repeat(counts.moments["n"][None], 3, axis=0)
    )


def test_counts_without_rows_say_why_they_draw_nothing() -> None:
    counts = count()
    assert counts.rows is None
    assert counts.no_draws == (
        "label matrices are resampled by rows, and these counts hold only their sums: count with "
        "keep_rows=True or second_moments=True"
    )
    assert count(keep_rows=True).no_draws is None
    assert count(keep_rows=True).without_rows().no_draws == counts.no_draws


def test_poisson_numbers_from_a_table() -> None:
    n = np.array([1] * 50 + [7, 3000])
    drawn = poisson_rows(n, 40_000, np.random.default_rng(0))
    # Mean and variance of each are n; five standard errors of either.
    assert np.abs(drawn.mean(axis=0) - n).max() < 5 * np.sqrt(3000 / 40_000)
    ones = drawn[:, :50]
    assert abs(ones.mean() - 1) < 5 / np.sqrt(ones.size)
    assert abs(ones.var() - 1) < 5 * np.sqrt(3 / ones.size)
    shares = np.bincount(ones.astype(int).ravel(), minlength=5)[:5] / ones.size
    expected = np.exp(-1) / np.array([1, 1, 2, 6, 24])
    assert np.abs(shares - expected).max() < 5 * np.sqrt(0.25 / ones.size)


def test_draws_of_parts_add_up_to_draws_of_the_whole() -> None:
    # Rows are drawn apart from each other, so that parts may be drawn on different machines.
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, (4000, 12))
    group = rng.integers(0, 2, 4000)
    whole, *parts = (
        CooccurrenceCounts.from_arrays(truth[keep], None, group[keep], keep_rows=True)
        for keep in (slice(None), slice(0, 1500), slice(1500, None))
    )
    drawn = [
        moments_of(next(counts.draw(2000, np.random.default_rng(seed), 2000)))
        for seed, counts in enumerate([whole, *parts])
    ]
    summed = drawn[1] + drawn[2]
    spread = np.sqrt(np.maximum(whole.moments["n"], 1))
    assert np.abs(drawn[0].mean(axis=0) - summed.mean(axis=0)).max() < 6 * np.sqrt(2 * 4000 / 2000)
    ratio = drawn[0].std(axis=0)[spread > 20] / summed.std(axis=0)[spread > 20]
    assert np.abs(ratio - 1).max() < 6 / np.sqrt(2000)
