"""What the scores imply, and which rule decisions follow."""

from collections.abc import Sequence

import numpy as np
import pytest

from biasamp_adapters.thresholds.sweep import bin_scores, decision_rule, implied_rates


def count(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the number of rows with each pair of codes, as one draw."""
    table = np.zeros((1, first.max() + 1, second.max() + 1))
    np.add.at(table[0], (first, second), 1)
    return table


def test_implied_rates_of_draws_are_those_of_each_draw() -> None:
    rng = np.random.default_rng(0)
    codes, binned = rng.integers(2, size=(2, 600)), bin_scores(rng.integers(1, 11, 600) * 1.0)
    tables, alone = [], []
    for _ in range(3):
        rows = rng.integers(len(binned), size=len(binned))
        both = [count(code[rows], binned.codes[rows]) for code in codes]  # Groups and labels.
        tables.append(both)
        alone.append(implied_rates(*both)[0])
    by_group, by_class = (np.concatenate(draws) for draws in zip(*tables, strict=True))
    assert np.array_equal(implied_rates(by_group, by_class), np.stack(alone))


def test_implied_rates_of_a_score_that_is_the_label_are_those_of_the_labels() -> None:
    group, label = np.array([0, 0, 0, 1, 1]), np.array([1, 0, 0, 1, 0])
    rates = implied_rates(count(group, label), count(label, label))
    assert rates[0, :, 1].tolist() == [pytest.approx(1 / 3), 0.5]


def test_implied_rates_of_a_group_without_rows_are_nan() -> None:
    rates = implied_rates(np.array([[[2, 0.0], [0.0, 0.0]]]), np.array([[[1, 0.0], [1, 0.0]]]))
    assert rates[0, 0].tolist() == [0.5, 0.5]
    assert np.isnan(rates[0, 1]).all()


def test_bin_scores_of_few_scores_keeps_each() -> None:
    assert bin_scores(np.array([0.5, -1.0, 0.5])).labels == (-1.0, 0.5)
    assert bin_scores(np.array([0.5, -1.0, 0.5])).codes.tolist() == [1, 0, 1]
    assert len(bin_scores(np.arange(20.0)).labels) == 20


def test_bin_scores_of_many_scores_makes_20_equally_full_bins() -> None:
    score = np.random.default_rng(0).permutation(2000.0 + np.arange(2000))
    binned = bin_scores(score)
    assert binned.labels[:3] == (2000.0, 2099.0, 2199.0)
    assert len(binned.labels) == 20
    sizes = np.bincount(binned.codes)
    assert sizes.min() >= 99
    assert sizes.max() <= 101
    for code, lowest in enumerate(binned.labels):
        assert score[binned.codes == code].min() == lowest


def test_bin_scores_of_weighted_rows_fills_bins_by_weight() -> None:
    score, weight = np.arange(40.0), np.r_[np.full(20, 19.0), np.full(20, 1.0)]
    labels = bin_scores(score, weight).labels
    assert labels[:3] == (0.0, 1.0, 2.0)
    assert labels[-1] == 19.0
    assert len(bin_scores(score).labels) == 20


RULES: list[tuple[Sequence[float], Sequence[int], str | None]] = [
    ([1, 4, 5, 9], [0, 0, 1, 1], "5 or more"),
    ([0.4997, 0.5003], [0, 1], "0.5 or more"),
    ([0.28, 0.29], [0, 1], "0.29 or more"),
    ([-0.53, -0.2], [0, 1], "-0.2 or more"),
    ([3, 5], [1, 1], "3 or more"),
    ([1e307, np.nextafter(1e307, 2e307)], [0, 1], "1.0000000000000001e+307 or more"),
    ([3, 5], [0, 0], "more than 5"),
    ([3, 5], [1, 0], None),
    ([3, 5, 5], [0, 0, 1], None),
    ([3, 5, 7], [0, 1, 0], None),
]


@pytest.mark.parametrize(("score", "positive", "rule"), RULES)
def test_decision_rule_is_the_shortest_threshold_or_none(score, positive, rule) -> None:
    assert decision_rule(np.array(score, float), np.array(positive, bool)) == rule


@pytest.mark.parametrize("seed", range(20))
def test_decision_rule_gives_the_decisions_when_it_is_applied(seed) -> None:
    rng = np.random.default_rng(seed)
    score = rng.normal(size=200) * 10.0 ** rng.integers(-6, 6)
    is_positive = score >= rng.choice(score)
    rule = decision_rule(score, is_positive)
    assert rule is not None
    assert np.array_equal(score >= float(rule.removesuffix(" or more")), is_positive)
