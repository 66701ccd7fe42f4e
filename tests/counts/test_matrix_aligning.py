"""Counts of label matrices over other lists, in another order of columns, and of one model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from good_matrices import GROUP, INDICATORS, PREDICTION, TRUE, TRUTH, count, joint

from biasamp_adapters import MALS, CooccurrenceCounts, Indicators, MultiAttributeBiasAmplification


def _first(n_rows: int, **changed: Any) -> CooccurrenceCounts:
    rows = {"y_true": TRUTH, "y_pred": PREDICTION, "sensitive_features": GROUP}
    return count(**{name: values[:n_rows] for name, values in (rows | changed).items()})


def test_groups_that_only_one_part_knows() -> None:
    first = _first(3, sensitive_features=["b", "b", "d"])
    second = _first(2, sensitive_features=["a", "d"])
    added = first + second
    assert added.groups == ("a", "b", "d")
    # Rows 0 and 1 are of group b, then of groups a and d; row 2 is of group d.
    assert joint(added, "attribute", "task") == [[1, 0, 1], [2, 0, 1], [0 + 1, 0, 1 + 0]]


def test_labels_that_only_one_part_knows_move_label_sets() -> None:
    group = Indicators(INDICATORS[:3])
    parts = [
        CooccurrenceCounts.from_arrays(labels, labels, group, label_sets=[["dog"]])
        for labels in (["cat", "dog", "dog"], ["dog", "eel", "ape"])
    ]
    added = parts[0] + parts[1]
    assert added.labels == ("ape", "cat", "dog", "eel")
    assert added.label_sets == (("dog",),)
    assert added.tables().marginal("task").tolist() == [1, 1, 3, 1]
    assert added.tables().marginal("task_sets").tolist() == [3]


NAMES = ["x", "y", "z"]


def _named(order: list[str], rows: list[list[int]] = TRUTH) -> CooccurrenceCounts:
    truth, made = (pd.DataFrame(each, columns=NAMES)[order] for each in (rows, PREDICTION))
    return count(y_true=truth, y_pred=made, label_sets=[["x", "z"]])


def test_columns_in_another_order_are_matched_by_name() -> None:
    added = _named(NAMES) + _named(["z", "x", "y"])
    twice = [[2 * n for n in row] for row in TRUE]
    assert added.labels == ("x", "y", "z")
    assert joint(added, "attribute", "task") == twice
    # Only row 0 holds both.
    assert added.label_sets == (("x", "z"),)
    assert added.tables().marginal("task_sets").tolist() == [2]


@pytest.mark.filterwarnings("ignore::biasamp_adapters.AmplificationWarning")
def test_columns_in_another_order_stay_columns() -> None:
    # Task x is predicted but never true: as a column of the matrix it is known all the same.
    truth = [[0, *row[1:]] for row in TRUTH]
    same, other = _named(NAMES, truth), _named(["z", "x", "y"], truth)
    value = MALS().from_counts(same + same).value
    assert MALS().from_counts(same + other).value == value


def test_label_lists_stay_declared_where_both_parts_list_them() -> None:
    first, second = count(groups=["b", "a"]), count(groups=["b", "a", "c"])
    assert (first + first).groups == ("b", "a")
    assert (first + first).declared == {"labels", "groups"}
    assert (first + second).groups == ("a", "b", "c")
    assert (first + second).declared == {"labels"}


def test_a_model_of_the_sum_is_the_sum_of_the_model() -> None:
    both = {"y_pred": {"old": PREDICTION, "new": TRUTH}, "sensitive_features_pred": GROUP}
    options: dict[str, Any] = {"keep_rows": True, "label_sets": [[0, 2]]}
    counts = count(**both, **options)
    for name in ("old", "new"):
        one = counts.model(name)
        assert (counts + counts).model(name) == one + one
        assert one.rows is not None
        assert one == counts.without_rows().model(name)


def test_what_one_model_holds_is_not_said_of_another() -> None:
    counts = count(y_pred={"soft": np.array(PREDICTION) / 4, "hard": TRUTH}, keep_rows=True)
    assert counts.soft == {"prediction"}
    hard = counts.model("hard")
    assert hard.soft == frozenset()
    # Multi reads predictions of 0 and 1, and these are.
    assert MultiAttributeBiasAmplification().from_counts(hard).value == 0
    with pytest.raises(ValueError, match="Multi reads 0/1 predictions only; y_pred holds prob"):
        MultiAttributeBiasAmplification().from_counts(counts.model("soft"))


def test_aligning_moves_rows_and_label_sets() -> None:
    counts = count(keep_rows=True, label_sets=[[0, 2], [1]])
    moved = counts.align((2, 5, 0, 1), ("b", "c", "a"))
    assert moved.labels == (2, 5, 0, 1)
    assert joint(moved, "attribute", "task") == [
        [TRUE[1][2], 0, TRUE[1][0], TRUE[1][1]],
        [0, 0, 0, 0],
        [TRUE[0][2], 0, TRUE[0][0], TRUE[0][1]],
    ]
    assert moved.label_sets == ((2, 0), (1,))
    assert moved.tables().marginal("task_sets").tolist() == [1, 2]
    assert moved.rows is not None
    assert moved == counts.without_rows().align((2, 5, 0, 1), ("b", "c", "a"))
    assert moved.align(counts.labels, counts.groups).moments["n"].tolist() == (
        counts.moments["n"].tolist()
    )


@pytest.mark.parametrize("density", [0.02, 0.4], ids=["sparse", "dense"])
@pytest.mark.parametrize("n_tasks", [5, 60, 130])
def test_rows_follow_their_sums(n_tasks: int, density: float) -> None:
    # With 2 % of entries rows are kept as sparse; beyond 64 columns they take several words.
    rng = np.random.default_rng(n_tasks)
    truth, made = (rng.random((2, 200, n_tasks)) < density).astype(float)
    made[1::9] = np.nan
    weights = rng.choice([0.25, 0.5, 2], size=400)
    models = {"old": np.tile(made, (2, 1)), "new": np.tile(made[::-1], (2, 1))}
    counts = CooccurrenceCounts.from_arrays(
        np.tile(truth, (2, 1)),
        models,
        rng.integers(0, 3, 400),
        sample_weight=weights,
        missing="abstain",
        label_sets=[[0], [1, 3]],
        keep_rows=True,
    )
    order = rng.permutation(n_tasks).tolist()
    sums = counts.without_rows()
    lists = (*order, "new"), (2, "none", 0, 1)
    moved = counts.align(*lists)
    turned = [part.align(tuple(order), (2, 0, 1)) for part in (counts, sums)]
    pairs = [
        (moved, sums.align(*lists)),
        (counts.model("new"), sums.model("new")),
        (counts + turned[0], sums + turned[1]),
        (moved.unweighted(), sums.align(*lists).unweighted()),
    ]
    for of_rows, of_sums in pairs:
        assert of_rows.rows is not None
        assert of_rows == of_sums
    tables = [part.tables("old").joint("attribute", "prediction") for part in (counts, moved)]
    np.testing.assert_array_equal(tables[0][:, order], tables[1][[2, 3, 0], :-1])


def test_many_label_sets_are_moved() -> None:
    # All pairs of 150 labels: a search of the whole list for each would take 62 million steps.
    pairs = [[i, j] for j in range(150) for i in range(j)]
    counts = CooccurrenceCounts.from_arrays(np.eye(150), label_sets=pairs)
    moved = counts.align(tuple(reversed(range(150))), ())
    assert len(moved.sets) == len(pairs) == 150 * 149 // 2
    assert set(map(frozenset, moved.label_sets)) == set(map(frozenset, pairs))
