"""Quantiles of shared uniform numbers: the right distributions, alike for models that are alike."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.stats import chisquare

import biasamp_adapters as bam
from biasamp_adapters.inference import replicates
from biasamp_adapters.inference.replicates import SharedDraws
from biasamp_adapters.metrics.equalize import flip_table

N = 50_000


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (7, 0.5), (40, 0.05), (1000, 0.9)])
def test_binomial_numbers(n: int, p: float) -> None:
    drawn = SharedDraws(0).binomial(np.full(N, n), p)
    plain = np.random.default_rng(1).binomial(n, p, N)
    # Means and variances of both are those of the distribution, within five standard errors.
    for numbers in (drawn, plain):
        assert abs(numbers.mean() - n * p) < 5 * np.sqrt(n * p * (1 - p) / N)
        assert numbers.var() == pytest.approx(n * p * (1 - p), rel=5 * np.sqrt(2.5 / N))
    seen = np.bincount(drawn[drawn <= 7], minlength=8)
    if n == 7:
        expected = np.array([1, 7, 21, 35, 35, 21, 7, 1]) / 2**7 * N
        assert chisquare(seen, expected).pvalue > 1e-6


def test_certain_numbers() -> None:
    rng = SharedDraws(0)
    assert rng.binomial(np.array([5, 0, 5, 5]), np.array([1.0, 0.5, 0.0, 1.0])).tolist() == [
        5, 0, 0, 5,
    ]  # fmt: skip


def test_multinomial_numbers() -> None:
    drawn = SharedDraws(0).multinomial(np.full(N, 12), [0.5, 0.25, 0.25])
    assert drawn.shape == (N, 3)
    assert (drawn.sum(axis=1) == 12).all()
    assert drawn.mean(axis=0) == pytest.approx([6, 3, 3], abs=5 * np.sqrt(3 / N))
    # -n p q for each pair.
    assert np.cov(drawn.T)[0, 1] == pytest.approx(-12 * 0.5 * 0.25, abs=0.1)


def test_multinomial_numbers_of_several_draws() -> None:
    rows = np.array([[12, 0, 3], [1, 5, 20]])
    drawn = SharedDraws(0).multinomial(rows, [0.5, 0.25, 0.125, 0.125])
    assert drawn.shape == (2, 3, 4)
    assert (drawn.sum(axis=-1) == rows).all()


def test_nearly_equal_parameters_give_nearly_equal_numbers() -> None:
    n = np.full(N, 1000)
    one, two = (SharedDraws(0).binomial(n, p) for p in (0.2, 0.21))
    # 10 more on average, and never fewer; independent ones would differ by 18 either way.
    assert (two >= one).all()
    assert np.std(two - one) < 1.5
    assert (SharedDraws(0).binomial(n, 0.2) == one).all()


def test_what_follows_is_the_same_for_both() -> None:
    first, second = SharedDraws(3), SharedDraws(3)
    first.binomial(np.full(10, 100), 0.3)
    second.binomial(np.full(10, 7), 0.9)
    assert first.integers(0, 2**40, 3).tolist() == second.integers(0, 2**40, 3).tolist()


def test_too_many_at_once_are_drawn_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replicates, "_MOST_QUANTILES", 10)
    drawn = SharedDraws(0).binomial(np.full(11, 100), 0.5)
    expected = np.random.Generator(np.random.PCG64(0)).binomial(np.full(11, 100), 0.5)
    assert drawn.tolist() == expected.tolist()


def test_differences_have_little_of_the_noise_of_flips() -> None:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 600)
    truth = (rng.random(600) < 0.3 + 0.3 * group).astype(int)
    old = np.where(rng.random(600) < 0.2, 1 - truth, truth)
    new = np.where(rng.random(600) < 0.03, 1 - old, old)
    found = bam.compare(
        bam.DirectionalPredictabilityAmplification(),
        truth,
        {"old": old, "new": new},
        sensitive_features=group,
    )
    widths = [np.ptp(result.interval) for result in found.results.values() if result.interval]
    assert found.difference.interval is not None
    assert np.ptp(found.difference.interval) < 0.5 * min(widths)


def test_models_that_err_nearly_as_often_flip_nearly_the_same_rows_of_large_tables() -> None:
    table = np.full((40, 30), 5)  # 6,000 rows
    one, two, other = (
        flip_table(table, -1, np.array(accuracy), SharedDraws(seed))
        for accuracy, seed in ((0.8, 0), (0.79, 0), (0.79, 1))
    )
    # 30/29 x .01 of the rows are redrawn for one model alone: 62, give or take 8. Each of them
    # leaves one cell and enters another.
    assert 0 < np.abs(one - two).sum() <= 2 * (62 + 5 * 8)
    assert np.abs(one - other).sum() > 1000


def test_no_copy_becomes_a_plain_generator() -> None:
    with pytest.raises(TypeError, match="made anew from their seed"):
        copy.deepcopy(SharedDraws(0))
