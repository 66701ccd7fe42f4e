"""Groups without a value, and ratios that mean nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, matthews_corrcoef

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from frame_cases import METHODS, ours, people, quietly

from biasamp_adapters import (
    AmplificationWarning,
    DirectionalBiasAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.fairlearn import amplification_frame

BA = {"BA": DirectionalBiasAmplification()}
KINDS = ["difference", "ratio", "group_min", "group_max"]


def lonely() -> pd.DataFrame:
    """Rows of which slice u holds one group only."""
    rows = people()
    rows.loc[rows["B"] == "u", "A"] = 0
    return rows


def test_a_slice_of_one_group_is_undefined_and_noted() -> None:
    rows = lonely()
    with pytest.warns(AmplificationWarning, match="BA, 'u': undefined: no two groups"):
        frame = ours(rows, BA | {"accuracy": accuracy_score}, group_features=rows["B"])
    assert frame.by_group["BA"].isna().tolist() == [True, False, False]
    assert frame.by_group["accuracy"].notna().all()
    assert any("'u': undefined" in note for note in frame.notes)


def test_a_slice_of_one_group_is_defined_where_it_is_compared() -> None:
    rows, training = lonely(), people(seed=1)
    reference = training["T"], training["A"]
    metric = DirectionalBiasAmplification(reference=reference, groups=[0, 1], labels=[0, 1])
    part = rows[rows["B"] == "u"]
    given = {"sensitive_features": part["A"]}
    expected = quietly(metric, part["T"], part["T_hat"], **given)
    frame = quietly(ours, rows, BA, group_features=rows["B"], reference=reference)
    assert frame.by_group.loc["u", "BA"] == expected


def test_a_control_level_of_one_group_is_undefined() -> None:
    rows = lonely()
    frame = quietly(ours, rows, BA, control_features=rows["B"])
    assert frame.overall["BA"].isna().tolist() == [True, False, False]
    assert frame.by_group["BA"].isna().tolist() == [True, True, False, False, False, False]
    for kind in KINDS:
        found = quietly(getattr(frame, kind))["BA"]
        assert np.isnan(found["u"])
        assert found[["v", "w"]].isna().all() == (kind == "ratio")


@pytest.mark.parametrize("kind", KINDS)
def test_undefined_groups_are_left_out_with_a_warning(kind: str) -> None:
    rows = lonely()
    metrics = {"Multi": MultiAttributeBiasAmplification()}
    frame = quietly(ours, rows, metrics, group_features=rows["B"])
    _, v, w = frame.by_group["Multi"]
    expected = {
        "difference": abs(v - w),
        "ratio": min(v, w) / max(v, w),
        "group_min": min(v, w),
        "group_max": max(v, w),
    }
    with pytest.warns(AmplificationWarning, match=f"{kind} of 'Multi' leaves out .* 'u'"):
        assert getattr(frame, kind)()["Multi"] == pytest.approx(expected[kind], abs=1e-12)


def test_one_defined_group_has_no_difference() -> None:
    rows = lonely()
    rows.loc[rows["B"] == "w", "A"] = 1
    frame = quietly(ours, rows, BA, group_features=rows["B"])
    assert frame.by_group["BA"].notna().tolist() == [False, True, False]
    with pytest.warns(AmplificationWarning, match="leaves out undefined groups: 'u', 'w'"):
        assert np.isnan(frame.difference()["BA"])
    to_overall = quietly(frame.difference, method="to_overall")["BA"]
    assert to_overall == abs(frame.by_group.loc["v", "BA"] - frame.overall["BA"])


def test_a_metric_that_fails_in_a_group_is_not_skipped() -> None:
    rows = people()
    rows.loc[rows["A"] == 1, "T"] = 1
    y = rows["T"], rows["T_hat"]
    metrics = {"halves": lambda y_true, y_pred: np.nan if y_true.all() else 0.5}
    frame = amplification_frame(*y, sensitive_features=rows["A"], metrics=metrics)
    with pytest.warns(AmplificationWarning, match="difference of 'halves' leaves out .* '1'"):
        assert np.isnan(frame.difference()["halves"])


@pytest.mark.parametrize("method", METHODS)
def test_ratios_of_signed_values_mean_nothing(method: str) -> None:
    rows = people()
    metrics = BA | {"LA": LeakageAmplification(), "accuracy": accuracy_score}
    frame = ours(rows, metrics, n_boot=50, ci_quantiles=[0.1, 0.9])
    for member in (frame.ratio, frame.ratio_ci):
        with pytest.warns(AmplificationWarning, match="a ratio of .* sign .* NaN: 'BA', 'LA'"):
            found = member(method=method)
        for values in found if isinstance(found, list) else [found]:
            assert values.isna().tolist() == [True, True, False]


def test_a_host_metric_with_negative_values_has_no_ratio() -> None:
    rows = people()
    wrong = rows.assign(T_hat=1 - rows["T_hat"])
    with pytest.warns(AmplificationWarning, match="values that have a sign"):
        assert np.isnan(ours(wrong, matthews_corrcoef).ratio())
    assert 0 < ours(rows, matthews_corrcoef).ratio() < 1


@pytest.mark.parametrize("method", METHODS)
def test_multi_has_ratios(method: str) -> None:
    rows = people()
    frame = ours(rows, {"Multi": MultiAttributeBiasAmplification()})
    groups, overall = frame.by_group["Multi"], frame.overall["Multi"]
    expected = groups.min() / groups.max()
    if method == "to_overall":
        expected = min(min(each / overall, overall / each) for each in groups)
    assert frame.ratio(method=method)["Multi"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_unknown_ways_to_aggregate(kind: str) -> None:
    frame = ours(people(), accuracy_score, n_boot=9, ci_quantiles=[0.5])
    with pytest.raises(ValueError, match="errors must be 'raise' or 'coerce'; received 'ignore'"):
        getattr(frame, kind)(errors="ignore")
    if kind in ("difference", "ratio"):
        for member in (getattr(frame, kind), getattr(frame, f"{kind}_ci")):
            with pytest.raises(ValueError, match="method must be 'between_groups' or 'to_overall'"):
                member(method="to_best")
