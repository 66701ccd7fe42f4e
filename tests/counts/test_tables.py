"""Margins of count tables against loops over the rows, and signs that no rounding can turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import permutations
from operator import add
from typing import Any

import numpy as np
import pytest
from conftest import rows_of

from biasamp_adapters import CooccurrenceCounts, JointCounts
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.reference import correlation_sign, over_represented

GROUPS = ["a", "b", "c"]
N_ROWS = 400


def _indicator(values: Sequence[Any], label: Any, *, soft: bool = False) -> np.ndarray:
    """1 for rows with the label; for a probability of class 1, what is expected of the label."""
    out = np.zeros(len(values))
    for i, value in enumerate(values):
        if value is None:
            continue
        if soft:
            out[i] = value if label == 1 else 1 - value
        else:
            out[i] = value == label
    return out


class _Rows:
    """Random rows with, for each role, its labels and its indicators."""

    def __init__(self, kind: str, *, weighted: bool) -> None:
        rng = np.random.default_rng([len(kind), weighted])
        self.labels: list[Any] = [0, 1] if kind == "probabilities" else ["x", "y", "z"]
        choices: list[Any] = [*self.labels]
        if kind == "probabilities":
            choices = [0, 1, 0.25, 0.5, None]
        elif kind == "abstentions":
            choices.append(None)
        self.soft = kind == "probabilities"
        self.columns: dict[str, list[Any]] = {
            "attribute": [GROUPS[i] for i in rng.integers(0, 3, N_ROWS)],
            "task": [self.labels[i] for i in rng.integers(0, len(self.labels), N_ROWS)],
            "attribute_prediction": [
                (*GROUPS, None)[i] for i in rng.integers(0, 3 + (kind != "hard"), N_ROWS)
            ],
            "prediction": [choices[i] for i in rng.integers(0, len(choices), N_ROWS)],
        }
        # Quarters, so that sums are exact in any order.
        self.weight = rng.integers(0, 9, N_ROWS) / 4 if weighted else np.ones(N_ROWS)
        self.counts = JointCounts.from_arrays(
            self.columns["task"],
            self.columns["prediction"],
            self.columns["attribute"],
            self.columns["attribute_prediction"],
            self.weight if weighted else None,
            missing="abstain",
        )

    def indicators(self, role: str) -> list[np.ndarray]:
        labels = GROUPS if role.startswith("attribute") else self.labels
        soft = self.soft and role == "prediction"
        return [_indicator(self.columns[role], label, soft=soft) for label in labels]


@pytest.fixture(params=["hard", "abstentions", "probabilities"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[False, True], ids=["counts", "weights"])
def rows(request: pytest.FixtureRequest, kind: str) -> _Rows:
    return _Rows(kind, weighted=request.param)


ROLES = ["attribute", "task", "attribute_prediction", "prediction"]


@pytest.mark.parametrize(("first", "second"), list(permutations(ROLES, 2)))
def test_joint(rows: _Rows, first: str, second: str) -> None:
    expected = [
        [sum(rows.weight * one * other) for other in rows.indicators(second)]
        for one in rows.indicators(first)
    ]
    # Quarters of weights and of probabilities: equal to the last bit.
    np.testing.assert_array_equal(rows.counts.tables().joint(first, second), expected)


@pytest.mark.parametrize("second", ["attribute_prediction", "prediction"])
@pytest.mark.parametrize("first", ["attribute", "task"])
def test_joint_with_abstentions(rows: _Rows, first: str, second: str) -> None:
    table = rows.counts.tables().joint(first, second, abstained=True)
    missing = np.array([value is None for value in rows.columns[second]], dtype=float)
    last = [missing] if missing.any() else []
    expected = [
        [sum(rows.weight * one * other) for other in (*rows.indicators(second), *last)]
        for one in rows.indicators(first)
    ]
    np.testing.assert_array_equal(table, expected)
    # With its abstentions a row of the table holds every row of the data.
    np.testing.assert_array_equal(table.sum(axis=1), rows.counts.tables().marginal(first))


@pytest.mark.parametrize(
    ("first", "second"), [("task", "prediction"), ("attribute_prediction", "attribute")]
)
def test_pairs_are_the_cells_of_the_joint_margin(rows: _Rows, first: str, second: str) -> None:
    counts, of_all = rows.counts, rows.counts.tables()
    several = counts.weighted_by(np.array([[1], [3]]) * of_all.weights)
    for tables in (of_all, several, *(left for left, _ in _without_one(counts))):
        joint, pairs = tables.joint(first, second), tables.pairs(first, second)
        if rows.soft and "prediction" in (first, second):
            # A probability is of both classes.
            assert pairs is None
            continue
        one, other, weight = pairs
        assert (np.diff(one) >= 0).all()
        table = np.zeros_like(joint)
        table[..., one, other] = weight
        np.testing.assert_array_equal(table, joint)


def _without_one(counts: JointCounts) -> list[tuple[Tables, np.ndarray]]:
    """The tables without one row of each kind; only whole rows can be left out."""
    return [] if counts.no_jackknife else [*counts.without_one(1)]


def test_sums_that_are_stored_tell_no_pairs() -> None:
    counts = CooccurrenceCounts.from_arrays([[1], [0]], [[1], [1]], ["a", "b"], keep_rows=False)
    assert counts.tables().pairs("attribute", "task") is None


@pytest.mark.parametrize("role", ROLES)
def test_marginal(rows: _Rows, role: str) -> None:
    expected = [sum(rows.weight * one) for one in rows.indicators(role)]
    np.testing.assert_array_equal(rows.counts.tables().marginal(role), expected)
    assert rows.counts.tables().total == rows.weight.sum()


@pytest.mark.parametrize(
    ("role", "predicted"), [("attribute", "attribute_prediction"), ("task", "prediction")]
)
def test_agreement(rows: _Rows, role: str, predicted: str) -> None:
    expected = [
        sum(rows.weight * one * other)
        for one, other in zip(rows.indicators(role), rows.indicators(predicted), strict=True)
    ]
    np.testing.assert_array_equal(rows.counts.tables().agreement(role), expected)


def test_batch_axes(rows: _Rows) -> None:
    tables = rows.counts.tables()
    factors = np.array([[1, 0, 2], [3, 1, 5]])
    assert tables.weights is not None
    batch = rows.counts.weighted_by(factors[..., None] * tables.weights)
    assert batch.total.tolist() == (factors * tables.total).tolist()
    for first, second in (("attribute", "prediction"), ("attribute_prediction", "task")):
        for abstained in (False, True):
            single = tables.joint(first, second, abstained=abstained)
            expected = factors[..., None, None] * single
            drawn = batch.joint(first, second, abstained=abstained)
            np.testing.assert_array_equal(drawn, expected)
    for role in ROLES:
        expected = factors[..., None] * tables.marginal(role)
        np.testing.assert_array_equal(batch.marginal(role), expected)
    for role in ("attribute", "task"):
        expected = factors[..., None] * tables.agreement(role)
        np.testing.assert_array_equal(batch.agreement(role), expected)


def test_each_model_has_its_own_margins() -> None:
    counts = JointCounts.from_arrays(
        [0, 1, 1], {"old": [0, 0, 1], "new": [1, 1, None]}, list("aab"), missing="abstain"
    )
    assert counts.tables().joint("attribute", "prediction").tolist() == [[2, 0], [0, 1]]
    new = counts.tables("new")
    assert new.joint("attribute", "prediction").tolist() == [[0, 2], [0, 0]]
    assert new.agreement("task").tolist() == [0, 1]
    again = counts.tables().for_model("new")
    assert again.marginal("prediction").tolist() == new.marginal("prediction").tolist()


def test_unseen_labels_have_zeros() -> None:
    counts = JointCounts.from_arrays(
        [0, 2], [2, 2], ["a", "c"], labels=[0, 1, 2], groups=["a", "b", "c"]
    )
    tables = counts.tables()
    assert tables.joint("attribute", "task").tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert tables.marginal("prediction").tolist() == [0, 0, 2]


def test_a_variable_that_was_not_counted() -> None:
    tables = JointCounts.from_arrays([0, 1]).tables()
    with pytest.raises(ValueError, match=r"counts must hold the attribute; these hold .*task"):
        tables.marginal("attribute")


def _doubled(counts: JointCounts, times: int) -> JointCounts:
    return reduce(lambda total, _: total + total, range(times), counts)


@pytest.mark.parametrize("power", [24, 53, 60])
def test_integers_stay_exact(power: int) -> None:
    rows = rows_of([[1, 2], [0, 3]], "attribute", "task")
    once = JointCounts.from_arrays(rows["task"], rows["task"], rows["attribute"])
    many = _doubled(once, power) + once
    # Neither float32 from 2^24 on nor float64 from 2^53 on tells k from k + 1.
    k = 2**power + 1
    tables = many.tables()
    for table in (tables.joint("attribute", "task"), tables.joint("attribute", "prediction")):
        assert table.dtype == np.int64
        assert table.tolist() == [[k, 2 * k], [0, 3 * k]]
    assert tables.marginal("task").tolist() == [k, 5 * k]
    assert tables.agreement("task").tolist() == [k, 5 * k]
    assert int(tables.total) == many.n_rows == 6 * k


def _of_cells(table: list[list[int]]) -> JointCounts:
    """Counts of groups x tasks, added up from single rows by doubling."""
    parts = []
    for a, row in enumerate(table):
        for t, n in enumerate(row):
            bits = [i for i in range(n.bit_length()) if n >> i & 1]
            one = JointCounts.from_arrays([t], sensitive_features=[a], labels=[0, 1], groups=[0, 1])
            powers = [one]
            for _ in range(max(bits, default=0)):
                powers.append(powers[-1] + powers[-1])
            parts += [powers[bit] for bit in bits]
    return reduce(add, parts)


def _sign(tables: Tables) -> list[list[int]]:
    return correlation_sign(
        tables.joint("attribute", "task"),
        tables.marginal("attribute"),
        tables.marginal("task"),
        tables.total,
    ).tolist()


# Neighbours in Fibonacci's sequence: F(n-1) F(n+1) - F(n)^2 is (-1)^n, as small as a difference of
# products can be. n * n_at - n_a * n_t of a 2 x 2 table is the product of the diagonal less that
# of the other two, and here n * n_at is 2.3e19, past int64 and past the 53 bits of a float.
F45, F46, F47, F48 = 1_134_903_170, 1_836_311_903, 2_971_215_073, 4_807_526_976


@pytest.mark.parametrize(
    ("table", "sign"),
    [
        ([[F47, F46], [F46, F45]], [[1, -1], [-1, 1]]),
        ([[F48, F47], [F47, F46]], [[-1, 1], [1, -1]]),
        ([[4 * 10**9, 4 * 10**9], [4 * 10**9, 4 * 10**9]], [[0, 0], [0, 0]]),
        ([[4 * 10**9, 4 * 10**9], [4 * 10**9, 4 * 10**9 + 1]], [[1, -1], [-1, 1]]),
        ([[6 * 10**9, 3 * 10**9], [2 * 10**9, 10**9]], [[0, 0], [0, 0]]),
        # Products of 8e18 and 1.6e19: int64 holds the first and turns the second negative.
        ([[3 * 10**9, 10**9], [10**9, 3 * 10**9]], [[1, -1], [-1, 1]]),
    ],
)
def test_signs_of_billions_of_rows(table: list[list[int]], sign: list[list[int]]) -> None:
    # What the rows say, in integers of any size.
    (a, b), (c, d) = table
    assert np.sign(a * d - b * c) == sign[0][0]
    counts = _of_cells(table)
    assert counts.n.tolist() == [a, b, c, d]
    assert _sign(counts.tables()) == sign
    weighted = JointCounts.from_arrays(
        [0, 1, 0, 1], sensitive_features=[0, 0, 1, 1], sample_weight=[a, b, c, d]
    )
    # Weights that are whole are as exact as counts.
    assert _sign(weighted.tables()) == sign


def test_signs_of_a_batch() -> None:
    weight = np.array([[F47, F46, F46, F45], [F48, F47, F47, F46], [1, 1, 1, 1], [2, 1, 1, 1]])
    assert _sign(_of_cells([[1, 1], [1, 1]]).weighted_by(weight)) == [
        [[1, -1], [-1, 1]],
        [[-1, 1], [1, -1]],
        [[0, 0], [0, 0]],
        [[1, -1], [-1, 1]],
    ]


@pytest.mark.parametrize("relative", [0.0, 1e-14, -1e-14, 1e-10, -1e-10])
def test_ties_of_weights_that_are_not_whole(relative: float) -> None:
    # Group and task are independent: every weight is the product of one number for each.
    groups, tasks = [0.1, 0.7], [0.3, 1.1]
    weight = [a * t for a in groups for t in tasks]
    weight[0] *= 1 + relative
    tables = JointCounts.from_arrays(
        [0, 1, 0, 1], sensitive_features=[0, 0, 1, 1], sample_weight=weight
    ).tables()
    sign = 0 if abs(relative) < 1e-12 else int(np.sign(relative))
    assert _sign(tables) == [[sign, -sign], [-sign, sign]]


def test_a_tie_by_rounding_is_a_tie() -> None:
    # Ten rows of weight .1 in each cell do not sum to 1.
    truth, group = [0, 1, 0, 1] * 10, [0, 0, 1, 1] * 10
    weight = [0.1, 0.2, 0.3, 0.6] * 10
    # (Python's own sum corrects itself since 3.12.)
    assert np.cumsum([0.1] * 10)[-1] != 1
    tables = JointCounts.from_arrays(truth, sensitive_features=group, sample_weight=weight).tables()
    assert _sign(tables) == [[0, 0], [0, 0]]


@pytest.mark.parametrize(("extra", "over"), [(0, [0, 0]), (1, [1, 0])])
def test_over_representation_of_billions_of_rows(extra: int, over: list[int]) -> None:
    # P(a | t) > 1/2 where 2 n_at > n_t; a float does not tell 2^53 + 1 from 2^53.
    half = 2**53
    tables = _of_cells([[half + extra, 1], [half, 1]]).tables()
    found = over_represented(tables.joint("attribute", "task"), tables.marginal("task"))
    assert found[:, 0].tolist() == over
    assert found[:, 1].tolist() == [0, 0]
