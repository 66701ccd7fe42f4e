"""Label matrices as y_true and y_pred of a MetricFrame."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from drawn_rows import row_of
from function_cases import DIRECTED, FUNCTIONS, REFERENCED, Columns, by_hand, frame_of, some
from good_matrices import GROUP, PREDICTION, TRUTH
from hypothesis import given
from hypothesis import strategies as st

from biasamp_adapters import (
    AmplificationWarning,
    DirectionalBiasAmplification,
    LeakageAmplification,
)
from biasamp_adapters.fairlearn import (
    directional_bias_amplification,
    directional_predictability_amplification,
    leakage_amplification,
    multi_attribute_bias_amplification,
)

#: In every slice, each group has a row with all tasks and one with none.
FLOOR = [(group, [task] * 3) for group in "ab" for task in (0, 1)]
#: LA, and DPA T->A, read a matrix with a classifier; they are left to one test.
FORMULAS = [f for f in FUNCTIONS if f is not leakage_amplification]
METRICS = [
    *FORMULAS,
    *(partial(f, direction=way) for f in REFERENCED[1:] for way in DIRECTED[f][1:]),
]


@st.composite
def matrix_rows(draw: st.DrawFn, chances: bool = False) -> Columns:
    """Columns of rows with three tasks, over two groups and two slices."""
    truth = product([0, 1], repeat=3)
    made = product([0.0, 0.25, 1.0] if chances else [0, 1], repeat=3)
    row = row_of("ab", "ab", truth, made, [1, 2, 3], [0, 1])
    rows = draw(st.lists(row, max_size=20))
    rows += [(g, g, t, t, 1, s) for s in range(2) for g, t in FLOOR]
    names = ["group", "guess", "y_true", "y_pred", "weight", "slice"]
    by_name = zip(names, zip(*rows, strict=True), strict=True)
    return {name: np.array(values) for name, values in by_name}


def columns_beside(rows: Columns) -> dict[str, Any]:
    return {"sensitive_features": rows["group"], "sensitive_features_pred": rows["guess"]}


@some
@given(matrix_rows(), st.sampled_from(METRICS), st.booleans())
def test_matrices_are_split_by_rows(rows: Columns, metric: Any, weighted: bool) -> None:
    beside = columns_beside(rows) | ({"sample_weight": rows["weight"]} if weighted else {})
    frame = frame_of(metric, rows, rows["slice"], beside)
    expected = [by_hand(metric, rows, rows["slice"] == i, beside) for i in range(2)]
    assert frame.by_group["value"].tolist() == expected
    assert frame.overall["value"] == by_hand(metric, rows, rows["slice"] >= 0, beside)


@some
@given(matrix_rows(chances=True), st.sampled_from(DIRECTED[directional_bias_amplification]))
def test_probabilities(rows: Columns, direction: str) -> None:
    metric = DirectionalBiasAmplification(direction=direction)
    frame = frame_of(metric, rows, rows["slice"], columns_beside(rows))
    expected = [by_hand(metric, rows, rows["slice"] == i, columns_beside(rows)) for i in range(2)]
    assert frame.by_group["value"].tolist() == expected


TABLES = {"y_true": TRUTH, "y_pred": PREDICTION}
ATTRIBUTE = {"sensitive_features": GROUP}


def test_each_task_is_compared_with_itself() -> None:
    # Of the 3 rows of each group, task by task: true 2, 0, 2 and 0, 2, 1; predicted 1, 1, 2 and
    # 0, 2, 3. Group a leans to tasks 0 and 2, and away from 1.
    moved_of_a, moved_of_b = (-1 / 3 - 1 / 3 + 0), (0 + 0 - 2 / 3)
    frame = frame_of(directional_bias_amplification, TABLES, list("xyxyxy"), ATTRIBUTE)
    assert frame.overall["value"] == pytest.approx((moved_of_a + moved_of_b) / 6, abs=1e-12)
    swapped = {"y_true": TRUTH, "y_pred": [row[::-1] for row in PREDICTION]}
    assert frame_of(directional_bias_amplification, swapped, list("xyxyxy"), ATTRIBUTE).overall[
        "value"
    ] == pytest.approx(
        # predicted 2, 1, 1 and 3, 2, 0
        ((0 - 1 / 3 - 1 / 3) + (-3 / 3 + 0 + 1 / 3)) / 6,
        abs=1e-12,
    )


@pytest.mark.parametrize("make", [list, np.array, pd.DataFrame], ids=["list", "array", "frame"])
def test_types_of_matrices(make: Any) -> None:
    tables = {name: make(rows) for name, rows in TABLES.items()}
    frame = frame_of(directional_bias_amplification, tables, list("xyxyxy"), ATTRIBUTE)
    whole = directional_bias_amplification(TRUTH, PREDICTION, sensitive_features=GROUP)
    assert frame.overall["value"] == whole != 0


def test_names_of_tasks_are_bound() -> None:
    # MetricFrame hands over arrays: the names of the columns are gone.
    named = partial(directional_bias_amplification, labels=["cook", "drive", "run"])
    for task, expected in [("cook", (-1 / 3 + 0) / 2), ("run", (0 - 2 / 3) / 2)]:
        metric = partial(named, pos_label=task)
        frame = frame_of(metric, TABLES, list("xyxyxy"), ATTRIBUTE)
        assert frame.overall["value"] == pytest.approx(expected, abs=1e-12)


def test_a_named_reference_for_nameless_matrices() -> None:
    names = ["cook", "drive", "run"]
    # Each task leans the other way than in the data.
    training = pd.DataFrame(TRUTH, columns=names), GROUP[::-1]
    metric = partial(directional_bias_amplification, reference=training, pos_label="run")
    frame = frame_of(metric, TABLES, list("xyxyxy"), ATTRIBUTE)
    assert frame.overall["value"] == pytest.approx((0 + 2 / 3) / 2, abs=1e-12)


#: Trials differ in their folds alone.
UNFLIPPED: dict[str, Any] = {"equalize": None, "n_trials": 2}


@pytest.mark.parametrize(
    "metric",
    [
        LeakageAmplification(**UNFLIPPED),
        partial(leakage_amplification, **UNFLIPPED),
        partial(directional_predictability_amplification, direction="T->A", **UNFLIPPED),
    ],
    ids=["LA object", "LA", "DPA T->A"],
)
def test_classifiers_that_read_matrices(metric: Any) -> None:
    many = {name: np.tile(rows, (8, 1)) for name, rows in TABLES.items()}
    beside = {"sensitive_features": np.tile(GROUP, 8), "sensitive_features_pred": ["a", "b"] * 24}
    beside = {name: np.array(values) for name, values in beside.items()}
    by = np.repeat(["x", "y"], 24)
    with pytest.warns(AmplificationWarning, match="the value is that of a logistic regression"):
        metric(**many, **beside)
    frame = frame_of(metric, many, by, beside)
    expected = [by_hand(metric, many, by == x, beside) for x in ("x", "y")]
    assert frame.by_group["value"].tolist() == expected


ONE_TRUE, ONE_MADE = ([row[2:] for row in rows] for rows in (TRUTH, PREDICTION))
#: Of the 3 rows with the task, 2 are of group a, which leans to it; 1 is predicted to be.
GUESS = {"sensitive_features_pred": list("aabbbb")}


@pytest.mark.parametrize("function", REFERENCED)
def test_a_single_column_becomes_a_vector(function: Any) -> None:
    tables = {"y_true": np.array(ONE_TRUE), "y_pred": np.array(ONE_MADE)}
    frame = frame_of(function, tables, list("xyxyxy"), ATTRIBUTE)
    as_vectors = function(np.ravel(ONE_TRUE), np.ravel(ONE_MADE), **ATTRIBUTE)
    as_matrices = function(**tables, **ATTRIBUTE)
    assert frame.overall["value"] == as_vectors == pytest.approx(as_matrices, abs=1e-12) != 0


@pytest.mark.parametrize(
    ("function", "moved"),
    [
        (directional_bias_amplification, -1 / 3),
        (multi_attribute_bias_amplification, 1 / 3),
    ],
)
def test_the_one_task_of_a_column_is_bound_for_t_to_a(function: Any, moved: float) -> None:
    metric = partial(function, direction="T->A")
    tables = {"y_true": np.array(ONE_TRUE), "y_pred": np.array(ONE_MADE)}
    beside = ATTRIBUTE | GUESS
    assert metric(**tables, **beside) == pytest.approx(moved, abs=1e-12)
    bound = frame_of(partial(metric, pos_label=1), tables, list("xyxyxy"), beside)
    assert bound.overall["value"] == pytest.approx(moved, abs=1e-12)
    # As a vector it has two classes, and the attribute of the rows without the task is right.
    two_classes = frame_of(metric, tables, list("xyxyxy"), beside)
    assert two_classes.overall["value"] == pytest.approx((moved + 0) / 2, abs=1e-12)


def hole(missing: Any, whole_row: bool) -> np.ndarray:
    rows = [list(row) for row in TRUTH]
    rows[2] = [missing] * 3 if whole_row else [missing, *rows[2][1:]]
    return np.array(rows)


@pytest.mark.parametrize("metric", FORMULAS)
@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_values_in_matrices(metric: Any, missing: Any) -> None:
    tables = {**TABLES, "y_true": hole(missing, whole_row=True)}
    with pytest.raises(ValueError, match="y_true must not have missing values; received 1"):
        frame_of(metric, tables, list("xyxyxy"), ATTRIBUTE)
    tables = {**TABLES, "y_true": hole(missing, whole_row=False)}
    with pytest.raises(ValueError, match="a row of y_true must be missing as a whole"):
        frame_of(metric, tables, list("xyxyxy"), ATTRIBUTE)


@pytest.mark.parametrize("metric", FORMULAS)
def test_a_matrix_for_a_vector(metric: Any) -> None:
    with pytest.raises(ValueError, match="y_pred must have the shape of y_true; received labels"):
        frame_of(metric, {**TABLES, "y_pred": [0, 1] * 3}, list("xyxyxy"), ATTRIBUTE)
    texts = {**TABLES, "y_true": np.array(TRUTH).astype(str)}
    with pytest.raises(ValueError, match="y_true must hold numbers, 0 and 1; received"):
        frame_of(metric, texts, list("xyxyxy"), ATTRIBUTE)


def test_predictability_of_matrices_by_hand() -> None:
    # Task 0 is true of one row of two in group a and in b, task 1 of all of b. The model says
    # task 0 of group a and task 1 of group b.
    truth = np.array([[1, 0], [0, 0], [1, 1], [0, 1]] * 2)
    made = np.array([[1, 0], [1, 0], [0, 1], [0, 1]] * 2)
    metric = partial(directional_predictability_amplification, quality="accuracy", equalize=None)
    given_ = {"sensitive_features": list("aabbaabb")}
    frame = frame_of(metric, {"y_true": truth, "y_pred": made}, list("xxxxyyyy"), given_)
    # The group gives away half of task 0 in the truth, and all of it in the model.
    expected = ((1 - 1 / 2) / (1 + 1 / 2) + 0) / 2
    assert frame.by_group["value"].tolist() == pytest.approx([expected] * 2, abs=1e-12)
