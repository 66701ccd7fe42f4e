"""Fairlearn's make_derived_metric, which keeps the name sensitive_features for its groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from fairlearn.metrics import make_derived_metric
from function_cases import (
    DIRECTED,
    FUNCTIONS,
    KINDS,
    Columns,
    by_hand,
    fixed_rows,
    named,
    objects,
    params,
    sliced_rows,
    some,
)
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import quietly

from biasamp_adapters import MALS
from biasamp_adapters.fairlearn import (
    directional_bias_amplification,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)

ROWS = fixed_rows()
SAMPLE_PARAMS = ["attribute", "sensitive_features_pred", "sample_weight"]


def renamed(rows: Columns) -> dict[str, Any]:
    """The columns of a metric, the attribute under its other name."""
    given_ = params(rows)
    return {"attribute": given_.pop("sensitive_features"), **given_}


def derived(metric: Any, rows: Columns, by: Any, transform: str, **parameters: Any) -> float:
    """The number of the derived metric."""
    function = make_derived_metric(
        metric=metric, transform=transform, sample_param_names=SAMPLE_PARAMS
    )
    return quietly(
        function,
        rows["y_true"],
        rows["y_pred"],
        sensitive_features=by,
        **renamed(rows),
        **parameters,
    )


@some
@given(sliced_rows(3), st.sampled_from([*FUNCTIONS, *objects()]))
def test_transforms_of_the_values_of_slices(rows: Columns, metric: Any) -> None:
    given_ = params(rows)
    values = [by_hand(metric, rows, rows["slice"] == i, given_) for i in range(3)]
    whole = by_hand(metric, rows, rows["slice"] >= 0, given_)
    for transform, method, expected in [
        ("group_min", {}, min(values)),
        ("group_max", {}, max(values)),
        ("difference", {}, max(values) - min(values)),
        (
            "difference",
            {"method": "to_overall"},
            max(abs(value - whole) for value in values),
        ),
    ]:
        found = derived(metric, rows, rows["slice"], transform, **method)
        assert found == pytest.approx(expected, abs=1e-12)


def test_worked_values_by_region() -> None:
    # North: 2 of 4 rows of each group are true; the model adds one row of a. A and T are
    # independent, so only a magnitude sees it. South: all rows of a, and none of b, are true;
    # the model says so too.
    columns = {
        "y_true": np.array([0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]),
        "y_pred": np.array([0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]),
        "group": np.array(list("aaaabbbb") * 2),
        "weight": np.ones(16),
    }
    columns["guess"] = columns["group"]
    by = np.array(list("n" * 8 + "s" * 8))
    of_n = (1 / 4 + 1 / 4 + 0 + 0) / 4
    function = multi_attribute_bias_amplification
    assert derived(function, columns, by, "difference") == pytest.approx(of_n, abs=1e-12)
    assert derived(function, columns, by, "group_max") == pytest.approx(of_n, abs=1e-12)
    assert derived(function, columns, by, "ratio") == 0
    assert derived(directional_bias_amplification, columns, by, "difference") == 0


@pytest.mark.parametrize(
    ("function", "direction"),
    [(function, way) for function, ways in DIRECTED.items() for way in ways],
)
def test_parameters_in_the_call_are_bound_whole(
    function: Callable[..., float], direction: str
) -> None:
    parameters = {"direction": direction, "groups": ["a", "b"], "labels": [0, 1]}
    found = derived(function, ROWS, ROWS["region"], "group_max", **parameters)
    assert found == derived(KINDS[function](**parameters), ROWS, ROWS["region"], "group_max")


def test_a_reference_in_the_call_is_bound_whole() -> None:
    # Leans the other way than the rows, so the least value becomes the greatest.
    reference = ([1, 0, 0, 0, 1, 1, 1, 0], ["a"] * 4 + ["b"] * 4)
    rows = {**ROWS, "y_pred": np.where(ROWS["group"] == "a", 1, 0)}
    own = [
        derived(directional_bias_amplification, rows, ROWS["region"], f"group_{end}")
        for end in ("min", "max")
    ]
    turned = [
        derived(
            directional_bias_amplification,
            rows,
            ROWS["region"],
            f"group_{end}",
            reference=reference,
        )
        for end in ("max", "min")
    ]
    assert turned == pytest.approx([-value for value in own], abs=1e-12)
    assert 0 < own[0] < own[1]


@pytest.mark.parametrize("metric", [*FUNCTIONS, *objects()], ids=named)
def test_the_attribute_is_needed_beside_the_groups(metric: Any) -> None:
    function = make_derived_metric(metric=metric, transform="difference")
    with pytest.raises(ValueError, match="sensitive_features must be given; received None"):
        function(ROWS["y_true"], ROWS["y_pred"], sensitive_features=ROWS["region"])


class Both:
    """A metric that passes the attribute on under both of its names."""

    def __init__(self, metric: Any) -> None:
        self.metric = metric
        self.__name__ = metric.__name__

    def __call__(self, y_true: Any, y_pred: Any, *, attribute: Any) -> float:
        return self.metric(y_true, y_pred, attribute=attribute, sensitive_features=attribute)


@pytest.mark.parametrize("metric", [mals_bias_amplification, MALS()], ids=named)
def test_both_names_of_the_attribute(metric: Any) -> None:
    function = make_derived_metric(
        metric=Both(metric), transform="difference", sample_param_names=["attribute"]
    )
    with pytest.raises(ValueError, match="only one must be given; received both"):
        function(
            ROWS["y_true"],
            ROWS["y_pred"],
            sensitive_features=ROWS["region"],
            attribute=ROWS["group"],
        )


@pytest.mark.parametrize("metric", [mals_bias_amplification, MALS()], ids=named)
def test_an_attribute_that_is_not_a_sample_parameter(metric: Any) -> None:
    function = make_derived_metric(metric=metric, transform="difference")
    rule = "inputs must have the same length; received sensitive_features 40, y_true 20, y_pred 20"
    with pytest.raises(ValueError, match=rule):
        function(
            ROWS["y_true"],
            ROWS["y_pred"],
            sensitive_features=ROWS["region"],
            attribute=ROWS["group"],
        )
