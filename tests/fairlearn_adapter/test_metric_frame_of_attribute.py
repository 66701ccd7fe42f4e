"""MetricFrame grouped by the attribute itself: a slice sees one group, so a reference is bound."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from conftest import rows_of
from fairlearn.metrics import MetricFrame
from function_cases import (
    FUNCTIONS,
    KINDS,
    REFERENCED,
    Columns,
    fixed_rows,
    frame_of,
    named,
    objects,
    params,
    sliced_rows,
    some,
)
from hypothesis import given
from hypothesis import strategies as st
from metric_cases import quietly

from biasamp_adapters import AmplificationWarning, JointCounts
from biasamp_adapters.fairlearn import (
    directional_bias_amplification,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)

#: What the error on one group says next.
WAY_OUT = (
    r"at least two groups; .*\. To get a value for each group, use "
    r"biasamp_adapters\.fairlearn\.amplification_frame; inside one group"
)
ROWS = fixed_rows()
GIVEN = params(ROWS)
GROUPS = ["a", "b"]

#: What of a group A->T can be computed inside it: [W21] 4.1, rows of (T = 0, T = 1) by group.
THREE = rows_of([[10, 40], [40, 10], [10, 20]], "A", "T")
#: The model is right about the first group, says 0 of the second, and 1 of the third.
MODEL = THREE["T"].where(THREE["A"] == 0, THREE["A"] == 2).astype(int)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        # 0 of the first group; -10/50 of the second, which leans to 0; 1 - 20/30 of the third.
        (directional_bias_amplification, [0, 10 / 50, 1 - 20 / 30]),
        (multi_attribute_bias_amplification, [0, 10 / 50, 1 - 20 / 30]),
    ],
    ids=named,
)
def test_contributions_of_w21_section_4_1(
    function: Callable[..., float], expected: list[float]
) -> None:
    bound = partial(function, reference=(THREE["T"], THREE["A"]), groups=[0, 1, 2])
    columns = {"y_true": THREE["T"], "y_pred": MODEL}
    frame = frame_of(bound, columns, THREE["A"], {"sensitive_features": THREE["A"]})
    assert frame.by_group["value"].tolist() == pytest.approx(expected, abs=1e-12)
    # Every group has both classes, so the mean of the groups is the mean of the pairs.
    assert frame.overall["value"] == pytest.approx(sum(expected) / 3, abs=1e-12)
    assert frame.difference()["value"] == pytest.approx(1 - 20 / 30, abs=1e-12)


@some
@given(
    sliced_rows(1),
    sliced_rows(1),
    st.sampled_from([directional_bias_amplification, multi_attribute_bias_amplification]),
    st.booleans(),
    st.booleans(),
)
def test_each_group_gives_its_mean_contribution(
    rows: Columns,
    training: Columns,
    function: Callable[..., float],
    as_object: bool,
    listed: bool,
) -> None:
    parameters: dict[str, Any] = {"reference": (training["y_true"], training["group"])}
    if listed:
        parameters["groups"] = GROUPS
    kind = KINDS[function](**parameters)
    metric = kind if as_object else partial(function, **parameters)
    frame = frame_of(metric, rows, rows["group"], params(rows))
    result = quietly(kind.result, rows["y_true"], rows["y_pred"], **params(rows))
    assert frame.by_group["value"].tolist() == pytest.approx(
        result.by_attribute[GROUPS].tolist(), abs=1e-12
    )
    assert frame.overall["value"] == result.value


def test_counts_as_the_reference_of_every_group() -> None:
    columns = ROWS["y_true"], ROWS["group"]
    as_counts = JointCounts.from_arrays(columns[0], sensitive_features=columns[1])
    values = [
        frame_of(
            partial(directional_bias_amplification, reference=reference, groups=GROUPS),
            ROWS,
            ROWS["group"],
            GIVEN,
        ).by_group["value"]
        for reference in (columns, as_counts)
    ]
    assert values[0].tolist() == values[1].tolist()
    assert values[0]["a"] != values[0]["b"]


def test_what_a_group_leaves_undefined_is_said() -> None:
    bound = partial(directional_bias_amplification, reference=(ROWS["y_true"], ROWS["group"]))
    said = "2 of 4 pairs are undefined and left out of the mean: no rows of group "
    with (
        pytest.warns(AmplificationWarning, match=f"{said}'a'"),
        pytest.warns(AmplificationWarning, match=f"{said}'b'"),
    ):
        MetricFrame(
            metrics={"value": bound},
            y_true=ROWS["y_true"],
            y_pred=ROWS["y_pred"],
            sensitive_features=ROWS["group"],
            sample_params={"value": {"sensitive_features": ROWS["group"]}},
        )


@pytest.mark.parametrize("metric", [*FUNCTIONS, *objects()], ids=named)
def test_one_group_alone_needs_a_reference(metric: Any) -> None:
    message = "must have at least two groups; received only 'a'.*bind reference= and groups="
    with pytest.raises(ValueError, match=message):
        frame_of(metric, ROWS, ROWS["group"], GIVEN)


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
@pytest.mark.parametrize("as_object", [False, True])
def test_a_list_of_groups_is_no_reference(function: Callable[..., float], as_object: bool) -> None:
    bound = KINDS[function](groups=GROUPS) if as_object else partial(function, groups=GROUPS)
    with pytest.raises(ValueError, match="at least two groups; received only 'a'"):
        frame_of(bound, ROWS, ROWS["group"], GIVEN)


@pytest.mark.parametrize("metric", [*FUNCTIONS, *objects()], ids=named)
def test_a_finer_grouping_than_the_attribute(metric: Any) -> None:
    by = np.char.add(ROWS["group"], ROWS["region"])
    with pytest.raises(ValueError, match="at least two groups; received only 'a'"):
        frame_of(metric, ROWS, by, GIVEN)


def test_mals_says_nothing_of_one_group() -> None:
    """Inside a group all predictions are of the group: P(A^ = a | T^) is 1 whatever they are."""
    bound = partial(mals_bias_amplification, reference=(THREE["T"], THREE["A"]))
    columns = {"y_true": THREE["T"], "y_pred": THREE["T"]}
    with pytest.raises(ValueError, match=WAY_OUT):
        frame_of(bound, columns, THREE["A"], {"sensitive_features": THREE["A"]})


@pytest.mark.parametrize("function", REFERENCED[1:], ids=named)
def test_t_to_a_says_nothing_of_one_group(function: Callable[..., float]) -> None:
    """Inside a group P(A = a | T) is 1, so only what it loses to others would show."""
    truth, guess = np.array([0, 0, 1, 1, 0, 1, 1, 1]), np.array(list("aaabbbba"))
    columns = {"y_true": truth, "y_pred": truth, "group": np.array(list("aaaabbbb"))}
    given_ = {"sensitive_features": columns["group"], "sensitive_features_pred": guess}
    bound = partial(function, direction="T->A", reference=(truth, columns["group"]))
    with pytest.raises(ValueError, match=WAY_OUT):
        frame_of(bound, columns, columns["group"], given_)
