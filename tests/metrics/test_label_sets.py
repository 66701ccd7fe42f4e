"""Label sets by support are those of the power set, and counts hold those that rows show."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrix_cases import Case, cases

from biasamp_adapters import CooccurrenceCounts, MultiAttributeBiasAmplification, audit
from biasamp_adapters.auditing import notes
from biasamp_adapters.counts import counting
from biasamp_adapters.metrics import multi
from biasamp_adapters.metrics.multi import subsets_by_support

N_LABELS = 5
Sets = dict[tuple[int, ...], int]

#: Exact label sets of rows, and how many rows show each.
observed = st.dictionaries(
    st.sets(st.integers(0, N_LABELS - 1), min_size=1).map(lambda of: tuple(sorted(of))),
    st.integers(1, 4),
    max_size=8,
)


def _power_set(shown: Sets, max_size: int | None, min_support: int) -> Sets:
    """Every set of labels that enough rows contain, by going through all sets there are."""
    out: Sets = {}
    for size in range(1, 1 + (max_size or N_LABELS)):
        for of in combinations(range(N_LABELS), size):
            support = sum(n for row, n in shown.items() if set(of) <= set(row))
            if support >= min_support:
                out[of] = support
    return out


@given(observed, st.none() | st.integers(1, N_LABELS + 1), st.integers(1, 6))
def test_supported_sets_are_those_of_the_power_set(
    shown: Sets, max_size: int | None, min_support: int
) -> None:
    found = subsets_by_support(shown, N_LABELS, max_size, min_support)
    assert found == _power_set(shown, max_size, min_support)
    assert [*found] == sorted(found)


@given(observed, st.permutations(range(N_LABELS)))
def test_labels_may_be_renamed(shown: Sets, order: list[int]) -> None:
    def renamed(sets: Sets) -> Sets:
        return {tuple(sorted(order[label] for label in of)): n for of, n in sets.items()}

    found = subsets_by_support(shown, N_LABELS, None, 2)
    assert subsets_by_support(renamed(shown), N_LABELS, None, 2) == renamed(found)


def test_no_rows_hold_no_sets() -> None:
    assert subsets_by_support({}, N_LABELS, None, 1) == {}
    assert subsets_by_support({(0, 3): 2}, N_LABELS, None, 3) == {}


def test_the_power_set_is_never_walked() -> None:
    # 2^400 sets of labels, of which rows contain 399 pairs and 400 single labels.
    shown = {(i, i + 1): 1 for i in range(399)}
    found = subsets_by_support(shown, 400, None, 1)
    assert len(found) == 399 + 400
    assert found[7,] == 2
    # A row of 60 labels has 2^60 subsets; two of its labels are in no other row.
    wide = {tuple(range(60)): 1, (3, 40): 1}
    assert subsets_by_support(wide, 60, None, 2) == {(3,): 2, (3, 40): 2, (40,): 2}
    assert len(subsets_by_support(wide, 60, 2, 1)) == 60 + 60 * 59 // 2


def test_the_limit_on_sets() -> None:
    # A row of 16 labels has 2^16 - 1 = 65,535 subsets, one of 17 has 131,071.
    assert len(subsets_by_support({tuple(range(16)): 3}, 16, None, 1)) == 2**16 - 1
    message = (
        r"^more than 100,000 label sets have the support min_support=2: raise it, or give a "
        r"smaller max_size$"
    )
    with pytest.raises(ValueError, match=message):
        subsets_by_support({tuple(range(17)): 3}, 17, None, 2)


@pytest.mark.parametrize(("limit", "fits"), [(7, True), (6, False)])
def test_as_many_sets_as_the_limit(limit: int, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multi, "MAX_SETS", limit)
    # Three labels make 2^3 - 1 sets.
    if fits:
        assert len(subsets_by_support({(0, 1, 2): 1}, 3, None, 1)) == 7
        return
    with pytest.raises(ValueError, match="more than 6 label sets"):
        subsets_by_support({(0, 1, 2): 1}, 3, None, 1)


def _counter(rows: list[list[int]]) -> Sets:
    """How many rows show each label set, without the empty one."""
    shown = Counter(tuple(int(i) for i in np.flatnonzero(row)) for row in rows)
    return {of: n for of, n in sorted(shown.items()) if of}


def _counts(case: Case, **options: Any) -> CooccurrenceCounts:
    declared = {} if case.indicators else {"groups": [0, 1, 2]}
    return CooccurrenceCounts.from_arrays(
        **case.arguments(), **declared, missing="abstain", **options
    )


@given(cases(hard=True))
def test_observed_sets_are_those_of_the_rows(case: Case) -> None:
    expected = _counter(case.y_true)
    kept = _counts(case, keep_rows=True)
    assert kept.observed_sets() == expected
    assert [*kept.observed_sets()] == sorted(expected)
    if expected:
        counted = _counts(case, label_sets="observed")
        assert counted.rows is None
        assert counted.sets == tuple(sorted(expected))
        # Rows are counted and not their weights.
        assert counted.observed_sets() == expected


@given(cases(hard=True), st.integers(1, 3), st.none() | st.integers(1, 3))
def test_observed_sets_of_a_size_that_several_rows_show(
    case: Case, min_rows: int, max_size: int | None
) -> None:
    expected = {
        labels: n
        for labels, n in _counter(case.y_true).items()
        if n >= min_rows and len(labels) <= (max_size or N_LABELS)
    }
    kept = _counts(case, keep_rows=True)
    for counts in (kept, kept.with_sets(tuple(kept.observed_sets())).without_rows()):
        if counts.rows is not None or counts.sets:
            assert counts.observed_sets(min_rows, max_size) == expected
            assert counts.n_observed_sets(min_rows, max_size) == len(expected)


# Seven rows show seven sets.
ROWS = [[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(1, 8)]


@pytest.fixture
def six_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most six label sets are counted."""
    for module in (multi, counting, notes):
        monkeypatch.setattr(module, "MAX_SETS", 6)


@pytest.mark.usefixtures("six_sets")
def test_more_observed_sets_than_the_limit() -> None:
    rows: dict[str, Any] = {"sensitive_features": list("aababab") * 2}
    metric = MultiAttributeBiasAmplification(direction="A->T")
    message = (
        r"^more than 6 label sets, 7, .* min_support=1 rows or more: raise it, or give a small"
    )
    with pytest.raises(ValueError, match=message):
        metric(ROWS * 2, ROWS * 2, **rows)
    assert replace(metric, max_size=2)(ROWS * 2, ROWS * 2, **rows) == 0
    one_less = [*ROWS, *ROWS[:6], ROWS[0]]
    assert replace(metric, min_support=2)(one_less, one_less, **rows) == 0
    message = r"^label_sets='observed' counts at most 6 sets; rows show 7: label_sets= lists those"
    with pytest.raises(ValueError, match=message):
        CooccurrenceCounts.from_arrays(ROWS, label_sets="observed")


@pytest.mark.usefixtures("six_sets")
def test_an_audit_leaves_out_multi_of_too_many_sets() -> None:
    report = audit(ROWS, ROWS, sensitive_features=list("aababab"), n_boot=0)
    assert not [row for row in report.summary["metrics"] if row["name"].startswith("Multi")]
    note = "Multi is left out: rows show 7 label sets, and at most 6 are read. "
    assert [text for text in report.summary["notes"] if text.startswith(note)]


@given(cases(hard=True), st.data())
def test_rows_that_hold_a_set_are_counted(case: Case, data: Any) -> None:
    labels = range(len(case.y_true[0]))
    sets = data.draw(st.lists(st.sets(st.sampled_from(labels), min_size=1), min_size=1, max_size=4))
    weights = case.weights or [1.0] * len(case.y_true)
    counts = _counts(case, label_sets=[[*of] for of in sets])
    assert counts.sets == tuple(sorted({tuple(sorted(of)) for of in sets}))
    columns = {"task_sets": case.y_true, "prediction_sets": case.y_pred}
    for role, rows in columns.items():
        held = [
            sum(w for row, w in zip(rows, weights, strict=True) if row and all(row[i] for i in of))
            for of in counts.sets
        ]
        # Weights are sums of powers of 2, so these are exact.
        assert counts.tables().marginal(role).tolist() == held
    assert counts == _counts(case, keep_rows=True).with_sets(counts.sets)


def test_a_label_named_twice_in_a_set_is_there_once() -> None:
    counts = CooccurrenceCounts.from_arrays([[1, 0], [1, 1]], label_sets=[[0, 0], [1, 0, 1]])
    assert counts.label_sets == ((0,), (0, 1))
    assert counts.tables().marginal("task_sets").tolist() == [2, 1]
