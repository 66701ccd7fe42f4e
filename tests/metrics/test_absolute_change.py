"""DPA as an absolute change of predictability, as [T25] Appendix D has it beside the relative one.

[T25] is Tokas, Nair and Kerner, "DPA", 2025.
"""

from __future__ import annotations

import json
from math import log
from typing import Any

import numpy as np
import pytest
from exact_oracle import Row
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import DIRECTIONS, LISTS, any_rows, counted, quietly
from sklearn.linear_model import LinearRegression, LogisticRegression

from biasamp_adapters import (
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    compare,
    quality_names,
)
from biasamp_adapters.metrics.attacks.sparse_tables import ratio_bias

GROUP = ["a"] * 50 + ["b"] * 50
#: The truth is even in both groups; of the predictions, 30 of 50 are 1 in a and 20 of 50 in b.
TRUTH = ([1] * 25 + [0] * 25) * 2
SAID = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30

#: Cross-entropies of the truth and of the predictions, given the group.
EVEN, UNEVEN = log(2), -(0.6 * log(0.6) + 0.4 * log(0.4))


def absolute(**parameters: Any) -> DirectionalPredictabilityAmplification:
    return DirectionalPredictabilityAmplification(change="absolute", **parameters)


@pytest.mark.parametrize(
    ("quality", "expected"),
    [
        ("accuracy", 0.6 - 0.5),
        ("inverse_cross_entropy", 1 / UNEVEN - 1 / EVEN),
        # Half of the guesses are wrong, then .4; each costs 100.
        ("hard_inverse_cross_entropy", 1 / (100 * 0.4) - 1 / (100 * 0.5)),
        # Standard deviations within groups: 1/2, and the root of .6 * .4.
        ("inverse_rmse", 1 / (0.6 * 0.4) ** 0.5 - 1 / 0.5),
        ("uncertainty_coefficient", 1 - UNEVEN / log(2)),
    ],
)
def test_it_is_the_difference_of_the_levels(quality: str, expected: float) -> None:
    metric = absolute(quality=quality, equalize=None)
    assert metric(TRUTH, SAID, sensitive_features=GROUP) == pytest.approx(expected, abs=1e-12)


@given(any_rows, st.sampled_from(quality_names()), st.sampled_from(DIRECTIONS))
def test_levels_are_those_of_the_relative_change(
    rows: list[Row], quality: str, direction: str
) -> None:
    counts, options = counted(rows), {"quality": quality, "direction": direction, "n_trials": 3}
    ratio = quietly(DirectionalPredictabilityAmplification(**options, **LISTS).from_counts, counts)
    found = quietly(absolute(**options, **LISTS).from_counts, counts)
    names = ["psi_dataset", "psi_model"]
    levels = [found.levels[name].value for name in names]
    if found.measurement.mode == ratio.measurement.mode:
        assert levels == pytest.approx([ratio.levels[name].value for name in names], nan_ok=True)
    if np.isfinite(levels).all():
        assert found.value == pytest.approx(levels[1] - levels[0], abs=1e-9)


@pytest.mark.parametrize(
    ("attacker", "quality"),
    [
        (LogisticRegression(), "accuracy"),
        (LogisticRegression(), "inverse_cross_entropy"),
        (LinearRegression(), "inverse_rmse"),
    ],
)
def test_of_fitted_attackers(attacker: Any, quality: str) -> None:
    metric = absolute(attacker=attacker, quality=quality, n_trials=3)
    result = metric.result(TRUTH, SAID, sensitive_features=[ord(x) for x in GROUP])
    levels = result.by_trial
    expected = levels["psi_model"] - levels["psi_dataset"]
    assert levels["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    assert result.value == pytest.approx(expected.mean(), abs=1e-12)


def test_each_pair_too() -> None:
    pairs = absolute(quality="accuracy").result(TRUTH, SAID, sensitive_features=GROUP).by_pair
    expected = pairs["psi_model"] - pairs["psi_dataset"]
    assert pairs["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-12)


def test_no_rule_for_ratios_of_noise_is_needed() -> None:
    """Where neither side shows a dependence, the relative change is replaced, with a warning."""
    even = ([1] * 24 + [0] * 26) * 2
    rows = {"y_true": TRUTH, "y_pred": even, "sensitive_features": GROUP}
    options: Any = {"quality": "uncertainty_coefficient", "equalize": None}
    with pytest.warns(UserWarning, match="neither dataset nor model shows a dependence"):
        replaced = DirectionalPredictabilityAmplification(**options)(**rows)
    assert absolute(**options)(**rows) == replaced  # without a warning


def test_its_interval_has_the_range_of_differences() -> None:
    result = absolute(quality="accuracy").result(
        TRUTH, SAID, sensitive_features=GROUP, n_boot=200, random_state=1
    )
    assert result.interval is not None
    low, high = result.interval
    assert low < result.value < high
    assert result.limits == (-1, 1)
    unbounded = quietly(absolute().result, TRUTH, SAID, sensitive_features=GROUP)
    assert unbounded.limits == (-np.inf, np.inf)


@pytest.mark.parametrize(
    ("parameters", "name", "slug"),
    [
        ({}, "DPA(absolute) A->T", "dpa_absolute_a_to_t"),
        ({"quality": "accuracy"}, "DPA(accuracy, absolute) A->T", "dpa_accuracy_absolute_a_to_t"),
        ({"quality": "uncertainty_coefficient"}, "DPA(U, absolute) A->T", "dpa_u_absolute_a_to_t"),
    ],
)
def test_its_name_tells(parameters: Any, name: str, slug: str) -> None:
    result = quietly(absolute(**parameters).result, TRUTH, SAID, sensitive_features=GROUP)
    assert (result.short_name, result.slug) == (name, slug)
    assert result.measurement.recipe["change"] == "absolute"


def test_the_recipe_is_silent_where_there_is_no_choice() -> None:
    for metric in (DirectionalPredictabilityAmplification(), LeakageAmplification()):
        result = metric.result(TRUTH, SAID, sensitive_features=GROUP)
        assert "change" not in result.measurement.recipe


def test_models_are_compared_by_it() -> None:
    models = {"even": TRUTH, "uneven": SAID}
    metric = absolute(quality="accuracy", equalize=None)
    found = compare(metric, TRUTH, models, sensitive_features=GROUP, n_boot=200)
    assert found.difference.value == pytest.approx(0.6 - 0.5, abs=1e-12)


def test_another_change_is_refused() -> None:
    rule = r"change must be one of \['relative', 'absolute'\]; received 'difference'"
    with pytest.raises(ValueError, match=rule):
        DirectionalPredictabilityAmplification(change="difference")  # type: ignore[arg-type]


# The way to equalise.


@pytest.mark.parametrize(("d", "m"), [(0.2, 0.1), (0.3, 0.3), (0.05, 0.4)])
def test_the_bias_of_hard_guesses_is_half_the_second_derivative_times_the_variance(
    d: float, m: float
) -> None:
    def share(x: float) -> float:
        """The absolute change as a share of the sum of the levels at d."""
        return (1 / m - 1 / x) / (1 / m + 1 / d)

    step, n = 1e-4, 500
    second = (share(d + step) - 2 * share(d) + share(d - step)) / step**2
    expected = abs(second) / 2 * d * (1 - d) / n
    found = float(ratio_bias(np.array(d), np.array(m), n, absolute=True))
    assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_where_auto_takes_the_channel_its_bias_is_small(direction: str) -> None:
    """As a share of the sum of the levels, which the limit of .0005 is for."""
    rng = np.random.default_rng(3)
    group, truth = rng.integers(2, size=1500), rng.integers(2, size=1500)
    wrong = rng.random((2, 1500)) < 0.15
    rows = {
        "y_true": truth,
        "y_pred": np.where(wrong[0], 1 - truth, truth),
        "sensitive_features": group,
        "sensitive_features_pred": np.where(wrong[1], 1 - group, group),
    }
    found = absolute(direction=direction).result(**rows)
    assert found.measurement is not None
    assert found.measurement.recipe["equalised"] == "in expectation"
    drawn = absolute(direction=direction, equalize="sampled", n_trials=2000).result(**rows)
    levels = sum(level.value for level in drawn.levels.values())
    assert abs(found.value - drawn.value) / levels < 0.0005


# Hosts.


def test_functions_for_fairlearn_take_it() -> None:
    fairlearn = pytest.importorskip("biasamp_adapters.fairlearn")
    value = fairlearn.directional_predictability_amplification(
        TRUTH, SAID, sensitive_features=GROUP, quality="accuracy", equalize=None, change="absolute"
    )
    assert value == pytest.approx(0.1, abs=1e-12)
    metric = absolute(quality="accuracy", equalize=None)
    frame = fairlearn.amplification_frame(
        TRUTH, SAID, sensitive_features=GROUP, metrics={"DPA": metric}, n_boot=None
    )
    assert frame.overall["DPA"] == pytest.approx(0.1, abs=1e-12)


def test_functions_and_explainers_of_aif360_take_it() -> None:
    pytest.importorskip("aif360")
    import pandas as pd
    from aif360.datasets import BinaryLabelDataset

    from biasamp_adapters import aif360

    index = pd.Index(GROUP, name="sex")
    options: Any = {"quality": "accuracy", "equalize": None, "change": "absolute"}
    value = aif360.directional_predictability_amplification(
        pd.Series(TRUTH, index=index), SAID, prot_attr="sex", **options
    )
    assert value == pytest.approx(0.1, abs=1e-12)

    rows = pd.DataFrame({"sex": [float(x == "a") for x in GROUP], "y": np.array(TRUTH, float)})
    columns: Any = {"label_names": ["y"], "protected_attribute_names": ["sex"]}
    truth = BinaryLabelDataset(df=rows, **columns)
    said = BinaryLabelDataset(df=rows.assign(y=np.array(SAID, float)), **columns)
    explain = aif360.BiasAmplificationJSONExplainer(aif360.BiasAmplificationMetric(truth, said))
    told = json.loads(explain.directional_predictability_amplification("A->T", **options))
    assert told["value"] == pytest.approx(0.1, abs=1e-12)
    assert "as the difference in how well the best attacker predicts" in told["description"]
    assert told["metric"] == "Directional Predictability Amplification (absolute)"
    usual = json.loads(explain.directional_predictability_amplification("A->T"))
    assert "as the relative change in how well" in usual["description"]
