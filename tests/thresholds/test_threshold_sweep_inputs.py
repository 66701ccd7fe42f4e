"""What a sweep takes, what it warns of, and what it refuses."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from metric_cases import quietly
from sweep_cases import BA, DATA, DPA, GROUP, Y_TRUE, Multi, called, messages

from biasamp_adapters import (
    MALS,
    AmplificationWarning,
    LeakageAmplification,
)
from biasamp_adapters.thresholds import threshold_free, threshold_sweep


@pytest.mark.parametrize("kind", [MALS, BA, Multi])
@pytest.mark.parametrize("names", [{0: "no", 1: "yes"}, {0: "z", 1: "a"}, {0: 7, 1: 3}])
def test_other_labels_with_a_positive_one(kind: Any, names: dict[int, Any]) -> None:
    by_number = threshold_sweep(kind(pos_label=1), **DATA)
    named = DATA | {"y_true": [names[label] for label in Y_TRUE]}
    by_name = threshold_sweep(kind(pos_label=names[1]), **named)
    pd.testing.assert_frame_equal(by_name, by_number)


def test_the_score_is_that_of_the_positive_label() -> None:
    flipped = {**DATA, "y_true": [1 - label for label in Y_TRUE]}
    for kind in (MALS, BA):
        expected = threshold_sweep(kind(pos_label=1), **DATA)
        pd.testing.assert_frame_equal(threshold_sweep(kind(pos_label=0), **flipped), expected)


def test_truth_of_other_types() -> None:
    expected = threshold_sweep(BA(), **DATA)
    for kind in (bool, float):
        typed = DATA | {"y_true": np.array(Y_TRUE).astype(kind)}
        pd.testing.assert_frame_equal(threshold_sweep(BA(), **typed), expected)


def _polars(values: Any) -> Any:
    return pytest.importorskip("polars").Series(values)


@pytest.mark.parametrize("construct", [np.array, tuple, pd.Series, _polars])
def test_inputs_of_any_kind(construct: Callable[[Any], Any]) -> None:
    given_as = {name: construct(values) for name, values in DATA.items()}
    given_as["sample_weight"] = construct([2.0] * 8)
    expected = threshold_sweep(BA(), **DATA)
    pd.testing.assert_frame_equal(threshold_sweep(BA(), **given_as), expected)


def test_crossed_attributes() -> None:
    crossed = {"sex": list("ffmmffmm"), "age": list("oyoyoyoy")}
    data = DATA | {"sensitive_features": crossed}
    sweep = threshold_sweep(Multi(), **data)
    for threshold, _, value in sweep.itertuples(index=False):
        assert value == pytest.approx(called(Multi(), threshold=threshold, **data), abs=1e-15)


def test_missing_values_follow_the_metric() -> None:
    data = {name: [*values, values[0]] for name, values in DATA.items()}
    data["y_true"][-1] = None
    with pytest.raises(ValueError, match="y_true must not have missing values; received 1"):
        threshold_sweep(BA(), **data)
    with pytest.warns(AmplificationWarning) as caught:
        sweep = threshold_sweep(BA(missing="drop"), **data)
    assert [str(each.message) for each in caught] == [
        "DirectionalBiasAmplification A->T: 1 row(s) with missing values were left out"
    ]
    assert caught[0].filename == __file__
    pd.testing.assert_frame_equal(sweep, threshold_sweep(BA(), **DATA))
    # The one row of a score is left out, and its threshold with it.
    data["y_score"][-1] = 0.99
    pd.testing.assert_frame_equal(quietly(threshold_sweep, BA(missing="drop"), **data), sweep)


def test_abstentions_of_the_attribute() -> None:
    predicted = ["a", None, "a", "b", "b", None, "b", "a"]
    data = {**DATA, "sensitive_features_pred": predicted}
    metric = MALS(missing="abstain")
    for threshold, _, value in threshold_sweep(metric, **data).itertuples(index=False):
        expected = called(metric, threshold=threshold, **data)
        assert value == pytest.approx(expected, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("metric", [MALS(), BA(), DPA()])
def test_an_undefined_point_is_nan_without_a_warning(metric: Any) -> None:
    assert messages(metric, **DATA) == []


def test_what_holds_at_every_threshold_is_said_once() -> None:
    assert messages(BA(groups=["a", "b", "c"]), **DATA) == [
        "DirectionalBiasAmplification A->T: 2 of 6 pairs are undefined and left out of the mean: "
        "no rows of group 'c'"
    ]


def test_what_holds_at_some_thresholds_is_said_once() -> None:
    data = DATA | {"y_true": [1 - label for label in Y_TRUE]}
    # Right predictions: all 4 negatives and 0 of 4 positives at share 0, then 2, 1, ... of 8.
    right = [4, 2, 2, 3, 4]
    metric = LeakageAmplification(n_trials=2)
    said = messages(metric, **data)
    assert len(said) == 1
    assert f"caveats apply at {sum(n < 4 for n in right)} of 5 thresholds, such as: " in said[0]
    assert "accuracy of 0.250 is below 1/2" in said[0]


def test_nothing_defined_is_said() -> None:
    data = DATA | {"y_true": [0] * 8}
    metric = MALS(labels=[0, 1])
    assert messages(metric, **data) == ["MALS: every pair is undefined"]
    with pytest.warns(AmplificationWarning, match="needs two .* there are 0"):
        assert np.isnan(quietly_but_for_the_value(metric, data))


def quietly_but_for_the_value(metric: Any, data: dict[str, Any]) -> float:
    """The threshold-free value, where the metric's own warning is tested elsewhere."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "MALS: every pair")
        return threshold_free(metric, **data)


def test_one_point_is_no_integral() -> None:
    data = DATA | {"y_score": [0.5] * 8}
    with pytest.warns(AmplificationWarning, match="MALS: the value is NaN, .* there are 1$"):
        assert np.isnan(threshold_free(MALS(), **data))
    # The mean of both ends, where all rows are predicted alike.
    assert threshold_free(BA(), **data) == pytest.approx(-2 / 8, abs=1e-15)


@pytest.mark.parametrize("kind", [BA, Multi, DPA])
@pytest.mark.parametrize("direction", ["T->A", "task_to_attribute"])
def test_scores_of_the_task_do_not_enter_t_to_a(kind: Any, direction: str) -> None:
    metric = kind(direction=direction)
    rule = f"the task's scores do not enter T->A.*received {metric.__name__}"
    for function in (threshold_sweep, threshold_free):
        with pytest.raises(ValueError, match=rule):
            function(metric, **DATA, sensitive_features_pred=GROUP)


@pytest.mark.parametrize(
    ("metric", "changed", "message"),
    [
        (BA(), {"y_true": [0, 1, 2, 0, 1, 0, 1, 0]}, "must have two labels; received 0, 1, 2"),
        (DPA(), {"y_true": list("nymnymny")}, "must have two labels; received 'm', 'n', 'y'"),
        (BA(), {"y_true": [0] * 8}, "must have two labels; received 0"),
        (BA(pos_label="x"), {}, "two labels, one of them pos_label='x'; received 0, 1"),
        (BA(labels=[0, 1]), {"y_true": [0, 3] * 4}, "labels known from labels=; received 3"),
        (BA(), {"y_score": [0.1] * 7 + [nan]}, r"finite; received 1 NaN or infinite value\(s\)"),
        (BA(), {"y_score": [0.1] * 7}, "same length; received .* y_true 8, y_score 7"),
        (BA(), {"sensitive_features": ["a"] * 8}, "at least two groups; received only 'a'"),
        (BA(), {"sensitive_features": ["a", "b"]}, "same length; .* sensitive_features 2"),
        (BA(), {"sample_weight": [1.0]}, "same length; .* sample_weight 1"),
        (BA(), {"sample_weight": [0.0] * 8}, "weights must have a positive sum; received only"),
        (BA(), {"q": 0}, "q must be a whole number of at least 1; received 0"),
        (BA(), {"q": 2.5}, "q must be a whole number of at least 1; received 2.5"),
        (BA(), {"q": True}, "q must be a whole number of at least 1; received True"),
        (BA, {}, r"metric must be a metric object such as MALS\(\); received <class"),
    ],
)
def test_bad_input(metric: Any, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        threshold_sweep(metric, **DATA | changed)
