"""Counts far beyond what floats and products of 64-bit integers hold exactly."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import exact_oracle as oracle
import numpy as np
import pytest
from conftest import slow_examples
from exact_oracle import Row
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import DIRECTIONS, GROUPS, LABELS, LISTS, quietly, same, without_draws

from biasamp_adapters import (
    MALS,
    AmplificationResult,
    BaseRates,
    CooccurrenceCounts,
    DirectionalBiasAmplification,
    JointCounts,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
    audit_counts,
)

#: A, T, A^ and T^ of 60 rows that are as likely to be right as wrong, more often in group 0.
SMALL = [(i % 3, i * i % 7 % 3, i * i % 5 % 3, (i * i % 7 + i // 40) % 3) for i in range(60)]
#: Past float32, 32 bits, the products of 64 bits, and the whole numbers of float64.
TIMES = [2**24 + 1, 2**31 + 1, 10**10, 10**12 + 39, 2**53 // 60, 2**53 + 1]
few = slow_examples(2)


def small(**options: Any) -> JointCounts:
    a, t, a_hat, t_hat = map(list, zip(*SMALL, strict=True))
    return JointCounts.from_arrays(t, t_hat, a, a_hat, **options)


def many(counts: Any, times: int) -> Any:
    """The counts of ``times`` copies of the rows, by repeated doubling."""
    total = None
    while times:
        if times % 2:
            total = counts if total is None else total + counts
        counts, times = counts + counts, times // 2
    return total


@cache
def kept(times: int, as_matrix: bool) -> Any:
    """So many copies of the rows, which many tests read."""
    counts = many(small(), times)
    return CooccurrenceCounts.from_joint(counts) if as_matrix else counts


def counted(cells: dict[tuple[Any, ...], int]) -> JointCounts:
    """Counts of cells of (A, T, A^, T^), each as often as said; made without adding."""
    a, t, a_hat, t_hat = map(list, zip(*cells, strict=True))
    weights = list(cells.values())
    return JointCounts.from_arrays(t, t_hat, a, a_hat, weights).as_frequencies()


@pytest.mark.parametrize("times", TIMES)
def test_every_cell_is_exact(times: int) -> None:
    large = many(small(), times)
    assert large.n.tolist() == [n * times for n in small().n.tolist()]
    assert large.n_rows == 60 * times


@pytest.mark.parametrize("ending", ["json", "parquet"])
@pytest.mark.parametrize("times", TIMES)
def test_files_hold_every_row(tmp_path: Path, times: int, ending: str) -> None:
    large = many(small(), times)
    large.save(tmp_path / f"counts.{ending}")
    assert JointCounts.load(tmp_path / f"counts.{ending}") == large


def test_files_hold_sums_of_matrices(tmp_path: Path) -> None:
    large = CooccurrenceCounts.from_joint(many(small(), 10**12 + 39)).without_rows()
    for ending in ("json", "parquet"):
        large.save(tmp_path / f"counts.{ending}")
        assert CooccurrenceCounts.load(tmp_path / f"counts.{ending}") == large


@pytest.mark.parametrize("n", [2**63, 2**64, 10**30, 1e20, 9e15])
def test_a_file_with_no_64_bit_count_is_refused(tmp_path: Path, n: float) -> None:
    path = tmp_path / "counts.json"
    many(small(), 10).save(path)
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "n": [n, *document["n"][1:]]}))
    with pytest.raises(ValueError, match=r"must be a file that JointCounts\.save"):
        JointCounts.load(path)


def test_a_file_whose_sum_is_no_64_bit_count_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    many(small(), 10).save(path)
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "n": [2**62] * len(document["n"])}))
    with pytest.raises(ValueError, match=r"must be a file that JointCounts\.save"):
        JointCounts.load(path)


def test_adding_more_rows_than_64_bits_hold_is_refused() -> None:
    large = many(small(), 2**56)  # 60 * 2^56 is 0.47 * 2^63
    with pytest.raises(ValueError, match=r"fewer than 2\*\*63 rows; received 12970366926827028480"):
        large + large + large


def test_one_more_row_of_a_matrix_is_counted_or_refused() -> None:
    one = CooccurrenceCounts.from_arrays([[1, 0]], [[1, 1]], ["a"])
    try:
        n_rows = (many(one, 2**53) + one).n_rows
    except ValueError:
        return
    assert n_rows == 2**53 + 1


def test_frequencies_beyond_64_bits_are_refused() -> None:
    weighted = JointCounts.from_arrays([0, 1], sample_weight=[2.0**63, 1.0])
    with pytest.raises(ValueError, match="frequency weights"):
        weighted.as_frequencies()


#: Nothing is drawn in the values of these.
METRICS = [
    *without_draws(**LISTS),
    # DPA of the uncertainty coefficient is a ratio or a difference by how many rows there are.
    LeakageAmplification(quality="uncertainty_coefficient", equalize=None, **LISTS),
    LeakageAmplification(quality="inverse_cross_entropy", equalize=None, **LISTS),
    DirectionalBiasAmplification(
        reference=BaseRates(
            task_given_attribute={
                a: {t: (a + t + 1) / (3 * a + 6) for t in LABELS} for a in GROUPS
            },
            attribute={0: 0.25, 1: 0.25, 2: 0.5},
        )
    ),
]


def check_equal(large: AmplificationResult, expected: AmplificationResult) -> None:
    """The same value, blind errors and pairs, to rounding."""
    for name in ("estimate", "blind_errors", "excess", "spread"):
        first, second = (getattr(result, name) for result in (large, expected))
        assert (first is None) == (second is None)
        assert first is None or first.value == pytest.approx(second.value, abs=1e-12, nan_ok=True)
    for name in expected.by_pair.columns.drop(["attribute", "task", "uncertain"], errors="ignore"):
        pairs = [result.by_pair[name].to_numpy() for result in (large, expected)]
        np.testing.assert_allclose(*pairs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("as_matrix", [False, True])
@pytest.mark.parametrize("times", [2**31 + 1, 10**12 + 39, 2**53 + 1])
@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_values_depend_on_shares_alone(metric: Any, times: int, as_matrix: bool) -> None:
    counts = [kept(times, as_matrix), kept(1, as_matrix)]
    check_equal(*(quietly(metric.from_counts, each) for each in counts))


HUGE = st.integers(1, 9 * 10**14) | st.integers(1, 5)
CELLS = st.dictionaries(st.tuples(*[st.sampled_from([0, 1, 2])] * 4), HUGE, min_size=1, max_size=9)


def rows(cells: dict[tuple[Any, ...], int]) -> list[Row]:
    """A row a cell, which the oracle takes as often as its weight says."""
    return [Row(*key, w=n) for key, n in cells.items()]


@few
@given(CELLS)
def test_values_and_signs_of_huge_counts(cells: dict[tuple[Any, ...], int]) -> None:
    counts, weighted = counted(cells), rows(cells)
    for way in DIRECTIONS:
        metric = DirectionalBiasAmplification(direction=way, **LISTS)
        result = quietly(metric.from_counts, counts)
        expected = oracle.directional(weighted, way, GROUPS, LABELS)
        assert same(result.value, expected.value)
        assert result.by_pair["sign"].tolist() == [*expected.coefficients.values()]
        multi = MultiAttributeBiasAmplification(direction=way, **LISTS)
        result = quietly(multi.from_counts, counts)
        assert same(result.value, oracle.multi(weighted, way, GROUPS, LABELS).value)
    result, expected = (
        quietly(MALS(**LISTS).from_counts, counts),
        oracle.mals(weighted, GROUPS, LABELS),
    )
    favoured = {(int(p.attribute), p.task): p.sign for p in result.by_pair.itertuples()}
    assert favoured == expected.coefficients
    assert same(result.value, expected.value)


@few
@given(*[st.integers(2, 10**4)] * 4, st.integers(1, 2 * 10**7))
def test_one_row_more_or_less_than_independence(r0: int, r1: int, c0: int, c1: int, k: int) -> None:
    independent = np.array([[r0 * c0, r0 * c1], [r1 * c0, r1 * c1]]) * k
    one_off = np.array([[1, -1], [-1, 1]])  # the margins stay as they are
    for off in (-1, 0, 1):
        table, expected = independent + off * one_off, (off * one_off).ravel().tolist()
        counts = counted({(a, t, a, t): int(table[a, t]) for a, t in product((0, 1), (0, 1))})
        for each in (counts, CooccurrenceCounts.from_joint(counts)):
            metric = DirectionalBiasAmplification(direction="A->T")
            assert metric.from_counts(each).by_pair["sign"].tolist() == expected
        trained = DirectionalBiasAmplification(direction="A->T", reference=counts)
        found = trained.result([0, 1], [0, 1], sensitive_features=[0, 1])
        assert found.by_pair["sign"].tolist() == expected


@pytest.mark.parametrize("n", [10**10, 10**13, 10**15])
@pytest.mark.parametrize(("off", "favoured"), [(-1, [0, 1]), (0, [0, 0]), (1, [1, 0])])
def test_mals_favours_a_group_by_one_row(n: int, off: int, favoured: list[int]) -> None:
    positives = {(0, 1, 0, 1): n + off, (1, 1, 1, 1): n - off}
    counts = counted({**positives, (0, 0, 0, 0): 5, (1, 0, 1, 0): 5})
    assert MALS().from_counts(counts).by_pair["sign"].tolist() == favoured


#: Of each group, how many of 10 rows have (T, T^).
RIGHT = {0: {(0, 0): 5, (0, 1): 1, (1, 0): 1, (1, 1): 3}, 1: {(0, 0): 2, (0, 1): 2, (1, 1): 6}}
#: T^ - T is 1, -1 or 0: mean square less squared mean, of both groups.
VARIANCE = {0: 2 / 10, 1: 2 / 10 - (2 / 10) ** 2}


def twenty(**options: Any) -> tuple[list[Any], ...]:
    of = [(a, t, t_hat) for a in RIGHT for (t, t_hat), n in RIGHT[a].items() for _ in range(n)]
    a, t, t_hat = map(list, zip(*of, strict=True))
    return t, t_hat, a


KINDS: dict[str, Callable[[], Any]] = {
    "joint": lambda: JointCounts.from_arrays(*twenty()),
    "sums of weights": lambda: JointCounts.from_arrays(*twenty(), sample_weight=[0.3] * 20),
    "by weight": lambda: JointCounts.from_arrays(
        *twenty(), sample_weight=[0.3] * 20, by_weight=True
    ),
    "rows of matrices": lambda: CooccurrenceCounts.from_arrays(*twenty(), keep_rows=True),
}


@pytest.mark.parametrize("times", [2**10, 2**29, 2**40, 2**47])
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_are_as_wide_as_the_number_of_rows_says(kind: str, times: int) -> None:
    n_boot = 2000
    counts = many(KINDS[kind](), times)
    result = DirectionalBiasAmplification().from_counts(counts, n_boot=n_boot)
    # P(T = 1) is 4/10 and 6/10, so the value is half of D_1 - D_0: 2/10 and 0, for T = 1.
    assert result.value == pytest.approx(0.1, abs=1e-12)
    sd = sqrt(sum(v / (10 * times) for v in VARIANCE.values())) / 2
    low, high = result.interval or (0, 0)
    # Each end is a quantile of 2,000 normal draws: sqrt(.025 * .975 / n_boot) / .0584 of an sd.
    noise = sqrt(2) * sqrt(0.025 * 0.975 / n_boot) / 0.0584 * sd
    assert abs(high - low - 2 * 1.96 * sd) < 5 * noise


@pytest.mark.parametrize("times", [2**31 + 1, 2**53 + 1])
def test_draws_have_as_many_rows_as_the_counts(times: int) -> None:
    large = many(small(), times)
    (tables,) = large.draw(50, np.random.default_rng(0), 50)
    assert tables.total.tolist() == [60 * times] * 50
    spread = np.abs(tables.weights - large.n) / np.sqrt(large.n.astype(float))
    assert 0 < spread.max() < 6  # standard deviations, of 50 draws of each cell


@pytest.mark.parametrize("times", [2**24 + 1, 2**40, 2**53 + 1])
def test_an_audit_of_huge_counts(times: int) -> None:
    frames = [
        quietly(audit_counts, counts, n_boot=100).to_frame().set_index(["metric", "direction"])
        for counts in (small(), many(small(), times))
    ]
    of_rates = ["MALS", "DirectionalBiasAmplification", "MultiAttributeBiasAmplification"]
    expected, large = (frame.loc[of_rates] for frame in frames)
    np.testing.assert_allclose(large["value"], expected["value"], atol=1e-12)
    assert (frames[1]["n"] == 60 * times).all()
    found = frames[1].dropna(subset=["low", "high"])
    assert set(of_rates) <= set(found.index.get_level_values("metric"))
    assert (found["low"] <= found["value"]).all()
    assert (found["value"] <= found["high"]).all()
    # Each D is a mean of -1, 0 and 1 over no fewer than 8 rows of 60, so its sd is at most
    # 1 / sqrt(8 times); MALS adds up two of them, of two rates each.
    width = (found["high"] - found["low"]).loc[of_rates]
    assert (width < 4 * 2 * 1.96 / sqrt(8 * times)).all()
