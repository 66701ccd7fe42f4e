"""A metric at every threshold: what calling it there gives, from one count of the rows."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from drawn_rows import row_of
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import quietly
from sweep_cases import BA, DATA, DPA, GROUP, Y_SCORE, Y_TRUE, Multi, called

from biasamp_adapters import (
    MALS,
    AmplificationResult,
    JointCounts,
    LeakageAmplification,
)
from biasamp_adapters.datasets import load_compas_cells
from biasamp_adapters.thresholds import calibrated_threshold, threshold_free, threshold_sweep


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # Positives of a and b: 0 0, 2 0, 3 1, 4 3, 4 4 of 4, against 3 and 1. Group a goes with 1,
        # so the value is the mean of (positives of a - 3) / 4 and (1 - positives of b) / 4.
        (BA(), [-2 / 8, 0, 0, (1 - 2) / 8, (1 - 3) / 8]),
        # The mean of |positives - 3| / 4 and |positives - 1| / 4.
        (Multi(), [4 / 8, 2 / 8, 0, 3 / 8, 4 / 8]),
        # P(a | T = 1) is 3/4, which is more than one half; of no positives there is no rate.
        (MALS(), [nan, 2 / 2 - 3 / 4, 3 / 4 - 3 / 4, 4 / 7 - 3 / 4, 4 / 8 - 3 / 4]),
    ],
)
def test_by_hand(metric: Any, expected: list[float]) -> None:
    sweep = threshold_sweep(metric, **DATA)
    assert list(sweep.columns) == ["threshold", "share", "value"]
    assert sweep["threshold"].tolist() == [inf, 0.9, 0.7, 0.3, 0.1]
    assert sweep["share"].tolist() == [0, 2 / 8, 4 / 8, 7 / 8, 1]
    assert sweep["value"].tolist() == pytest.approx(expected, abs=1e-15, nan_ok=True)


def test_threshold_free_by_hand() -> None:
    # Trapezoids under -2/8, 0, 0, -1/8, -2/8 at shares 0, 2/8, 4/8, 7/8, 1.
    area = (2 * (-2 / 8 + 0) + 2 * 0 + 3 * (0 - 1 / 8) + 1 * (-1 / 8 - 2 / 8)) / 8 / 2
    assert threshold_free(BA(), **DATA) == pytest.approx(area, abs=1e-15)
    # MALS is undefined at share 0, so 1/4, 0, 4/7 - 3/4 and -1/4 at the other shares are left.
    drop = 4 / 7 - 3 / 4
    area = (2 * (1 / 4 + 0) + 3 * (0 + drop) + 1 * (drop - 1 / 4)) / 8 / 2
    assert threshold_free(MALS(), **DATA) == pytest.approx(area, abs=1e-15)


TWO = {"groups": [0, 1, 2], "labels": [0, 1]}
PLAIN: list[Any] = [
    MALS(**TWO),
    BA(**TWO),
    Multi(**TWO),
    Multi(direction="undirected", **TWO),
    DPA(equalize="expected", **TWO),
    LeakageAmplification(equalize="expected", **TWO),
]
DRAWN: list[Any] = [
    DPA(equalize="sampled", n_trials=2, **TWO),
    LeakageAmplification(quality="uncertainty_coefficient", n_trials=2, **TWO),
]
row = row_of(
    [0, 1, 2], [0, 1], [0, 1, 2], [-1.5, 0.0, 0.1, 0.2, 0.3, 7.0], [1.0, 0.1, 0.7, 3.0, 0.0]
)
rows = st.lists(row, min_size=1, max_size=25).filter(lambda drawn: any(each[4] for each in drawn))


def as_arguments(drawn: list[Any], weighted: bool, predicted: bool) -> dict[str, Any]:
    """Rows of (A, T, A^, score, weight) as a sweep takes them."""
    a, t, a_hat, score, weight = (list(values) for values in zip(*drawn, strict=True))
    out = {"y_true": t, "y_score": score, "sensitive_features": a}
    if predicted:
        out["sensitive_features_pred"] = a_hat
    if weighted:
        out["sample_weight"] = weight
    return out


@given(rows, st.booleans(), st.booleans(), st.sampled_from(PLAIN + DRAWN))
def test_every_point_is_the_metric_there(
    drawn: list[Any], weighted: bool, predicted: bool, metric: Any
) -> None:
    data = as_arguments(drawn, weighted, predicted)
    sweep = quietly(threshold_sweep, metric, **data)
    scores = np.array(data["y_score"])
    assert sweep["threshold"].tolist() == [inf, *sorted({*scores.tolist()}, reverse=True)]
    weight = np.array(data.get("sample_weight", np.ones(len(scores))))
    for _, point in sweep.iterrows():
        share = weight[scores >= point["threshold"]].sum() / weight.sum()
        assert point["share"] == pytest.approx(share, abs=1e-12)
        value = called(metric, threshold=point["threshold"], **data)
        assert point["value"] == pytest.approx(value, abs=1e-12, nan_ok=True)


@given(rows, st.lists(st.integers(1, 4), min_size=25, max_size=25), st.sampled_from(PLAIN))
def test_whole_weights_equal_repetition(drawn: list[Any], weights: list[int], metric: Any) -> None:
    weighted = [(*each[:4], w) for each, w in zip(drawn, weights, strict=False)]
    repeated = [each for each, w in zip(drawn, weights, strict=False) for _ in range(w)]
    one = quietly(threshold_sweep, metric, **as_arguments(weighted, True, True))
    other = quietly(threshold_sweep, metric, **as_arguments(repeated, False, True))
    pd.testing.assert_frame_equal(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("metric", PLAIN + DRAWN, ids=lambda metric: metric.__name__)
def test_many_rows_of_many_weights(metric: Any) -> None:
    rng = np.random.default_rng(1)
    data = {
        "y_true": rng.integers(2, size=400),
        "y_score": rng.normal(size=400).round(1),
        "sensitive_features": rng.integers(3, size=400),
        "sensitive_features_pred": rng.integers(3, size=400),
        "sample_weight": rng.random(400),
    }
    sweep = quietly(threshold_sweep, metric, **data)
    assert len(sweep) > 50
    # A point follows from all before it, so that some of them prove the others.
    for threshold, _, value in sweep[::8].itertuples(index=False):
        expected = called(metric, threshold=threshold, **data)
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    "reference",
    [
        ([1, 0, 0, 1, 1], ["a", "a", "b", "b", "c"]),
        # An order of groups and labels of its own.
        JointCounts.from_arrays(
            [1, 0, 0, 1], None, ["a", "a", "b", "b"], groups=["b", "c", "a"], labels=[1, 0]
        ),
    ],
)
@pytest.mark.parametrize("kind", [MALS, BA, Multi])
def test_with_a_reference(kind: Any, reference: Any) -> None:
    metric = kind(reference=reference)
    sweep = quietly(threshold_sweep, metric, **DATA)
    for threshold, _, value in sweep.itertuples(index=False):
        expected = called(metric, threshold=threshold, **DATA)
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_no_truth_is_needed_where_the_metric_needs_none() -> None:
    metric = MALS(reference=(Y_TRUE, GROUP))
    without = threshold_sweep(metric, None, Y_SCORE, sensitive_features=GROUP)
    pd.testing.assert_frame_equal(without, threshold_sweep(metric, **DATA))
    with pytest.raises(ValueError, match="y_true must be given"):
        threshold_sweep(MALS(), None, Y_SCORE, sensitive_features=GROUP)


def test_shares_are_weighted() -> None:
    # The two highest scores have 2 * 3 of 2 * 3 + 6 * 1 = 12, the next two 2 more.
    weights = [3 if score == 0.9 else 1 for score in Y_SCORE]
    sweep = threshold_sweep(BA(), **DATA, sample_weight=weights)
    assert sweep["share"].tolist() == [0, 6 / 12, 8 / 12, 11 / 12, 1]


@pytest.mark.parametrize(
    ("q", "thresholds"),
    [
        (1, [10, 5, 0]),  # half of the 11 rows: 6 rows are the first to reach it
        (3, [10, 8, 5, 2, 0]),  # 2.75, 5.5 and 8.25 rows: 3, 6 and 9
        (10, [*range(10, -1, -1)]),  # each row is a share of 1/11
        (1000, [*range(10, -1, -1)]),
    ],
)
def test_quantiles(q: int, thresholds: list[int]) -> None:
    y_score = [*range(11)]
    data = {"y_true": [0, 1] * 5 + [1], "sensitive_features": [0, 0, 1] * 3 + [1, 1]}
    every = threshold_sweep(BA(), y_score=y_score, **data)
    sweep = threshold_sweep(BA(), y_score=y_score, q=q, **data)
    assert sweep["threshold"].tolist()[1:] == [t for t in thresholds if t < 10 or q >= 10]
    assert sweep["share"].iloc[[0, -1]].tolist() == [0, 1]
    expected = every[every["threshold"].isin(sweep["threshold"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(sweep, expected)


def test_quantiles_of_weighted_rows() -> None:
    # Shares are 6/12, 8/12, 11/12: the first to reach 1/3 and 2/3.
    weights = [3 if score == 0.9 else 1 for score in Y_SCORE]
    sweep = threshold_sweep(BA(), **DATA, sample_weight=weights, q=2)
    assert sweep["threshold"].tolist() == [inf, 0.9, 0.7, 0.1]


def test_draws_repeat() -> None:
    metric = DPA(equalize="sampled", n_trials=3)
    sweep = threshold_sweep(metric, **DATA)
    pd.testing.assert_frame_equal(threshold_sweep(metric, **DATA), sweep)
    other = threshold_sweep(DPA(equalize="sampled", n_trials=3, random_state=1), **DATA)
    assert not other["value"].equals(sweep["value"])


def test_compas_deciles() -> None:
    """The risk score that was in use: 1 to 10, of 5,278 people."""
    cells = load_compas_cells().query("within_30_days == 1")
    cells = cells[cells["race"].isin(["African-American", "Caucasian"])]
    people = cells.loc[cells.index.repeat(cells["n"])]
    data = {"y_true": people["is_recid"], "sensitive_features": people["race"]}
    decile = people["decile_score"]
    sweep = threshold_sweep(BA(), y_score=decile, **data)
    assert sweep["threshold"].tolist() == [inf, *range(10, 0, -1)]
    assert sweep["share"].tolist() == [(decile >= t).mean() for t in sweep["threshold"]]
    # Of 3,175 African-Americans 1,773 have a new arrest, of 2,103 Caucasians 874. At both ends all
    # are predicted alike, and half of the difference of these rates is what both lose.
    ends = -(1773 / 3175 - 874 / 2103) / 2
    assert sweep["value"].iloc[[0, -1]].tolist() == pytest.approx([ends, ends], abs=1e-12)
    for threshold, _, value in sweep.itertuples(index=False):
        predicted = (decile >= threshold).astype(int)
        assert value == pytest.approx(BA()(y_pred=predicted, **data), abs=1e-12)
    # 2,647 of 5,278 rows are positive; 2,525 have a decile of 5 or more, 3,105 one of 4 or more.
    assert calibrated_threshold(decile, 2647 / 5278) == 5


class _Cells(MALS):
    """A metric of one's own: how many combinations there are rows of."""

    def from_counts(self, counts: Any, **options: Any) -> AmplificationResult:
        result = super().from_counts(counts, **options)
        return replace(result, value=float(len(counts.cells.n)), measurement=None)


def test_other_metrics_see_no_empty_cells() -> None:
    sweep = quietly(threshold_sweep, _Cells(), **DATA)
    hits = [np.asarray(Y_SCORE) >= threshold for threshold in sweep["threshold"]]
    assert sweep["value"].tolist() == [len({*zip(GROUP, Y_TRUE, hit, strict=True)}) for hit in hits]
