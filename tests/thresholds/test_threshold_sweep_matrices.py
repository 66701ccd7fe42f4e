"""A sweep of a label matrix, with one threshold for all columns, and of indicators."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pytest
from metric_cases import quietly
from sweep_cases import BA, DATA, DPA, GROUP, Y_SCORE, Y_TRUE, Multi, called, messages

from biasamp_adapters import MALS, Indicators, JointCounts
from biasamp_adapters.thresholds import sweep as sweeping
from biasamp_adapters.thresholds import threshold_free, threshold_sweep

# Two tasks of rows a, a, b, b: all of a and none of b show the first, one of each the second.
TASKS = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
SCORES = np.array([[0.9, 0.2], [0.3, 0.8], [0.6, 0.4], [0.1, 0.7]])
MATRIX = {"y_true": TASKS, "y_score": SCORES, "sensitive_features": ["a", "a", "b", "b"]}


@pytest.fixture(params=["called", "at once"], autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test is made both with few thresholds and with so many that they are scored at once."""
    if request.param == "at once":
        monkeypatch.setattr(sweeping, "_MANY", 0)


def test_one_threshold_for_all_columns_by_hand() -> None:
    sweep = threshold_sweep(BA(), **MATRIX)
    assert sweep["threshold"].tolist() == [inf, 0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
    assert sweep["share"].tolist() == [i / 8 for i in range(9)]
    # The second task is a tie and counts 0. Of the first, group a gets one row at .9, the other
    # at .3, and b one at .6, the other at .1: (rate of a - 1) + (0 - rate of b), over 4 pairs.
    a = np.array([0, 1, 1, 1, 1, 1, 2, 2, 2]) / 2
    b = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2]) / 2
    assert sweep["value"].tolist() == (((a - 1) + (0 - b)) / 4).tolist()
    quartered = threshold_sweep(BA(), **MATRIX, q=3)
    expected = sweep.iloc[[0, 2, 4, 6, 8]].reset_index(drop=True)
    pd.testing.assert_frame_equal(quartered, expected)
    area = np.array([1, 2, 2, 2, 2, 2, 2, 2, 1]) @ sweep["value"] / 16
    assert threshold_free(BA(), **MATRIX) == pytest.approx(area, abs=1e-15)


def test_shares_of_a_matrix_are_weighted_by_row() -> None:
    sweep = threshold_sweep(BA(), **MATRIX, sample_weight=[3, 1, 1, 0])
    # The rows of .9, .8, .7, .6, .4, .3, .2, .1 weigh 3, 1, 0, 1, 1, 1, 3, 0 of 10.
    assert sweep["share"].tolist() == [0, 0.3, 0.4, 0.4, 0.5, 0.6, 0.7, 1, 1]
    with pytest.raises(ValueError, match="weights must have a positive sum; received only zeros"):
        threshold_sweep(BA(), **MATRIX, sample_weight=[0] * 4)
    with pytest.raises(ValueError, match="same length; received sample_weight 1, y_score 4"):
        threshold_sweep(BA(), **MATRIX, sample_weight=[1])


@pytest.mark.parametrize("metric", [MALS(), BA(), Multi(), DPA(equalize="expected")])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_point_of_a_matrix_is_the_metric_there(metric: Any, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    data = {
        "y_true": rng.integers(2, size=(30, 3)),
        "y_score": (2 * rng.normal(size=(30, 3))).round(),
        "sensitive_features": rng.integers(2, size=30),
        "sample_weight": rng.random(30) if weighted else None,
    }
    sweep = quietly(threshold_sweep, metric, **data)
    for threshold, _, value in sweep.itertuples(index=False):
        expected = called(metric, threshold=threshold, **data)
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_named_columns_of_scores_are_matched() -> None:
    expected = threshold_sweep(BA(), **MATRIX)
    scores = pd.DataFrame(SCORES, columns=["oven", "dog"])
    named = MATRIX | {"y_true": pd.DataFrame(TASKS, columns=["oven", "dog"])}
    for order in (["oven", "dog"], ["dog", "oven"]):
        sweep = threshold_sweep(BA(), **named | {"y_score": scores[order]})
        pd.testing.assert_frame_equal(sweep, expected)


def test_one_column_is_one_task() -> None:
    column = {"y_true": [[t] for t in Y_TRUE], "y_score": [[score] for score in Y_SCORE]}
    expected = threshold_sweep(BA(pos_label=1), **DATA)
    pd.testing.assert_frame_equal(threshold_sweep(BA(), **DATA | column), expected)


@pytest.mark.parametrize("names", [{0: 0, 1: 1}, {0: "no", 1: "yes"}])
def test_indicators_of_groups(names: dict[int, Any]) -> None:
    indicators = Indicators([[int(g == "a"), int(g == "b")] for g in GROUP], names=["a", "b"])
    data = DATA | {"y_true": [names[t] for t in Y_TRUE], "sensitive_features": indicators}
    sweep = threshold_sweep(BA(pos_label=names[1]), **data, sample_weight=[2] * 8)
    pd.testing.assert_frame_equal(sweep, threshold_sweep(BA(pos_label=1), **DATA))


def test_caveats_of_a_matrix_are_said_once() -> None:
    # Below .9 the first task has predicted positives, below .8 the second: of 5 points, at one
    # MALS is undefined, and at one more one of its tasks is.
    said = messages(MALS(), **MATRIX, q=7)
    assert len(said) == 1
    assert "caveats apply at 1 of 8 thresholds, such as: 2 of 4 pairs are undefined" in said[0]


@pytest.mark.parametrize("metric", [MALS(), BA(direction="T->A")])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_point_of_scores_of_groups_is_the_metric_there(metric: Any, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    data = {
        "y_true": rng.integers(2, size=(30, 2)),
        "y_pred": rng.integers(2, size=(30, 2)),
        "sensitive_features": rng.choice(["a", "b", "c"], 30),
        "sample_weight": rng.random(30) if weighted else None,
    }
    scores = (2 * rng.normal(size=(30, 3))).round()
    sweep = quietly(threshold_sweep, metric, **data, attribute_score=scores)
    for threshold, _, value in sweep.itertuples(index=False):
        above = Indicators(scores >= threshold, names=["a", "b", "c"])
        expected = quietly(metric.result, **data, sensitive_features_pred=above).value
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_rows_without_a_group_are_left_out_of_every_point() -> None:
    kept = threshold_sweep(BA(), **MATRIX)
    more = {name: [*rows, rows[0]] for name, rows in MATRIX.items()}
    more["sensitive_features"][-1] = None
    sweep = quietly(threshold_sweep, BA(missing="drop"), **more)
    assert sweep["value"].tolist() == kept["value"].tolist()


def test_many_thresholds_of_a_matrix_are_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.arange(210.0).reshape(70, 3)
    data = {"y_true": scores.astype(int) % 2, "y_score": scores, "sensitive_features": [1, 2] * 35}
    fewer = threshold_sweep(BA(), **data, q=99)
    called, result = [], BA.result
    monkeypatch.setattr(BA, "result", lambda *args, **x: called.append(1) or result(*args, **x))
    every = threshold_sweep(BA(), **data)
    assert (len(every), len(called)) == (211, 1)
    same = every[every["threshold"].isin(fewer["threshold"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(same, fewer)


def test_groups_of_the_reference_alone_are_never_predicted() -> None:
    # Group "c" has no rows and no scores here, so it is predicted of nobody at any threshold.
    truth, group = [0, 1, 1, 0, 1, 1], ["a", "b", "c", "a", "b", "c"]
    metric = MALS(reference=JointCounts.from_arrays(truth, sensitive_features=group))
    scores = np.array([[0.9, 0.1], [0.2, 0.7], [0.6, 0.4], [0.3, 0.8]])
    given = {"y_true": [0, 1, 0, 1], "y_pred": [1, 1, 0, 1], "sensitive_features": list("abab")}
    sweep = quietly(
        threshold_sweep, metric, attribute_score=Indicators(scores, ["a", "b"]), **given
    )
    for threshold, value in zip(sweep["threshold"], sweep["value"], strict=True):
        made = Indicators((scores >= threshold) * 1, ["a", "b"])
        assert value == pytest.approx(quietly(metric, **given, sensitive_features_pred=made))
