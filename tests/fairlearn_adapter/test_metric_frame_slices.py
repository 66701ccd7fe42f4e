"""MetricFrame grouped by something else than the attribute: by_group is a call on each slice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from fairlearn.metrics import MetricFrame, selection_rate
from function_cases import (
    DIRECTED,
    FUNCTIONS,
    REFERENCED,
    Columns,
    by_hand,
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

from biasamp_adapters import MALS, DirectionalBiasAmplification
from biasamp_adapters.fairlearn import (
    directional_bias_amplification,
    leakage_amplification,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)

ROWS = fixed_rows()
GIVEN = params(ROWS)
BOUND = [partial(f, direction=way) for f, ways in DIRECTED.items() for way in ways]
#: Training data that lean to one group, and to the other.
REFERENCES = [(list("nyynn"), list("aaabb")), (list("nyynn"), list("bbbaa"))]


@pytest.mark.parametrize("metric", [*FUNCTIONS, *objects()], ids=named)
def test_one_metric_gives_a_number_and_a_series(metric: Any) -> None:
    y_true, y_pred, region = ROWS["y_true"], ROWS["y_pred"], ROWS["region"]
    frame = quietly(
        MetricFrame,
        metrics=metric,
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features=pd.Series(region, name="region"),
        sample_params=GIVEN,
    )
    assert frame.overall == quietly(metric, y_true, y_pred, **GIVEN)
    expected = [by_hand(metric, ROWS, region == level, GIVEN) for level in ("n", "s")]
    assert frame.by_group.to_dict() == dict(zip(("n", "s"), expected, strict=True))
    assert frame.by_group.name == metric.__name__
    assert expected[0] != expected[1]


@some
@given(sliced_rows(), st.sampled_from([*FUNCTIONS, *BOUND, *objects()]), st.booleans())
def test_each_slice_is_a_call_on_its_rows(rows: Columns, metric: Any, weighted: bool) -> None:
    given_ = params(rows)
    if not weighted:
        del given_["sample_weight"]
    frame = frame_of(metric, rows, rows["slice"], given_)
    expected = [by_hand(metric, rows, rows["slice"] == i, given_) for i in range(2)]
    assert frame.by_group["value"].tolist() == expected
    assert frame.overall["value"] == by_hand(metric, rows, rows["slice"] >= 0, given_)


@some
@given(sliced_rows(4), st.sampled_from([*FUNCTIONS, *BOUND]))
def test_control_features(rows: Columns, metric: Any) -> None:
    given_ = params(rows)
    control, level = rows["slice"] // 2, rows["slice"] % 2
    frame = frame_of(metric, rows, level, given_, control_features=control)
    of_controls = [by_hand(metric, rows, control == i, given_) for i in range(2)]
    of_slices = [by_hand(metric, rows, rows["slice"] == i, given_) for i in range(4)]
    assert frame.overall["value"].tolist() == of_controls
    assert frame.by_group["value"].tolist() == of_slices
    low_high = zip(of_slices[::2], of_slices[1::2], strict=True)
    assert frame.difference()["value"].tolist() == [max(pair) - min(pair) for pair in low_high]


@some
@given(sliced_rows(3), st.sampled_from(FUNCTIONS))
def test_two_features_to_group_by(rows: Columns, metric: Any) -> None:
    by = pd.DataFrame({"region": rows["slice"] // 2, "year": rows["slice"] % 2})
    given_ = params(rows)
    found = frame_of(metric, rows, by, given_).by_group["value"]
    assert found.index.names == ["region", "year"]
    for i in range(3):
        assert found[i // 2, i % 2] == by_hand(metric, rows, rows["slice"] == i, given_)
    assert np.isnan(found[1, 1])  # of which there are no rows


def test_several_metrics_with_columns_of_their_own() -> None:
    metrics = {
        "plain": directional_bias_amplification,
        "weighted": directional_bias_amplification,
        "T->A": DirectionalBiasAmplification(direction="T->A"),
        "leak": leakage_amplification,
        "selected": selection_rate,
    }
    names = ["sensitive_features", "sensitive_features_pred", "sample_weight"]
    attribute, guess, weight = ({name: GIVEN[name]} for name in names)
    given_ = {
        "plain": attribute,
        "weighted": {**attribute, **weight},
        "T->A": {**attribute, **guess},
        "leak": attribute,
    }
    frame = MetricFrame(
        metrics=metrics,
        y_true=ROWS["y_true"],
        y_pred=ROWS["y_pred"],
        sensitive_features=ROWS["region"],
        sample_params=given_,
    )
    for level in ("n", "s"):
        where = ROWS["region"] == level
        expected = [by_hand(m, ROWS, where, given_.get(name, {})) for name, m in metrics.items()]
        assert frame.by_group.loc[level].tolist() == expected
        assert len(set(expected)) == 5


def crossed(rows: Columns) -> tuple[np.ndarray, np.ndarray]:
    """The attribute and its prediction crossed with a second one, as matrices of strings."""
    half = np.where(rows["weight"] > 1, "old", "young")
    return np.c_[rows["group"], half], np.c_[rows["guess"], half]


@some
@given(sliced_rows(), st.sampled_from([*FUNCTIONS, *BOUND]))
def test_crossed_attributes_as_series_of_rows(rows: Columns, metric: Any) -> None:
    pair, guess = crossed(rows)
    as_series = {
        "sensitive_features": pd.Series(list(pair)),
        "sensitive_features_pred": pd.Series(list(guess)),
    }
    columns = {"sensitive_features": pair, "sensitive_features_pred": guess}
    # Guesses may be groups that the slice itself does not have.
    metric = partial(metric, groups=[(g, h) for g in "ab" for h in ("old", "young")])
    frame = frame_of(metric, rows, rows["slice"], as_series)
    expected = [by_hand(metric, rows, rows["slice"] == i, columns) for i in range(2)]
    assert frame.by_group["value"].tolist() == expected


def test_crossed_attributes_are_those_of_a_frame() -> None:
    columns = pd.DataFrame({"group": ROWS["group"], "year": ROWS["year"]})
    series = {"sensitive_features": pd.Series(list(columns.to_numpy()))}
    found = frame_of(directional_bias_amplification, ROWS, ROWS["region"], series)
    whole = directional_bias_amplification(
        ROWS["y_true"], ROWS["y_pred"], sensitive_features=columns
    )
    alone = directional_bias_amplification(
        ROWS["y_true"], ROWS["y_pred"], sensitive_features=ROWS["group"]
    )
    assert found.overall["value"] == whole != alone


@some
@given(sliced_rows(), st.sampled_from(REFERENCED), st.sampled_from(REFERENCES))
def test_slices_with_the_directions_of_training_data(
    rows: Columns, function: Callable[..., float], reference: Any
) -> None:
    metric = partial(function, reference=reference)
    given_ = params(rows)
    frame = frame_of(metric, rows, rows["slice"], given_)
    expected = [by_hand(metric, rows, rows["slice"] == i, given_) for i in range(2)]
    assert frame.by_group["value"].tolist() == expected


def test_labels_bound_once_for_slices_that_lack_some() -> None:
    # The truth of the slice x is 0 throughout, and the model says 1 in one of its 4 rows: of
    # group a, P(T^ = 1 | a) = 1/2. A and T are independent where T is constant.
    columns = {
        "y_true": np.array([0, 0, 0, 0, 1, 1, 1, 0]),
        "y_pred": np.array([1, 0, 0, 0, 1, 1, 1, 1]),
    }
    given_ = {"sensitive_features": np.array(list("aabbaabb"))}
    by = np.array(list("xxxxyyyy"))
    with pytest.raises(ValueError, match=r"y_pred must hold only labels known from .*labels=; "):
        frame_of(multi_attribute_bias_amplification, columns, by, given_)
    for function, expected in [
        # |D| is 1/2 in one of the pairs of each class of x; Multi leaves out sets without rows.
        (multi_attribute_bias_amplification, [(1 / 2 + 0) / 2, (0 + 0 + 1 / 2 + 1 / 2) / 4]),
        # Group b of y leans to 0, of which the model has 1/2 less.
        (directional_bias_amplification, [0, (0 + 0 - 1 / 2 - 1 / 2) / 4]),
    ]:
        bound = partial(function, labels=[0, 1])
        assert frame_of(bound, columns, by, given_).by_group["value"].tolist() == expected


@pytest.mark.parametrize(
    "attribute",
    [
        pd.Series(ROWS["group"], dtype="category"),
        pd.Series(ROWS["group"], dtype="string"),
        pd.Series(ROWS["group"], dtype=object, index=range(100, 140)),
        ROWS["group"].tolist(),
        ROWS["group"] == "b",
        (ROWS["group"] == "b") * 1.5,
        pd.to_datetime(pd.Series(ROWS["group"]).map({"a": "2001-01-01", "b": "2002-02-02"})),
        pd.Categorical(ROWS["group"], categories=["c", "b", "a"]),
    ],
    ids=["category", "string", "object", "list", "bool", "float", "dates", "unused level"],
)
def test_types_of_the_attribute(attribute: Any) -> None:
    given_ = {"sensitive_features": attribute, "sample_weight": GIVEN["sample_weight"]}
    of_truth = {**GIVEN, "sensitive_features_pred": None}
    expected = frame_of(mals_bias_amplification, ROWS, ROWS["region"], of_truth).by_group
    found = frame_of(mals_bias_amplification, ROWS, ROWS["region"], given_).by_group
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_the_other_name_of_the_attribute_in_a_frame() -> None:
    expected = frame_of(MALS(), ROWS, ROWS["region"], GIVEN).by_group
    renamed = {"attribute": GIVEN["sensitive_features"], **GIVEN, "sensitive_features": None}
    for metric in (MALS(), mals_bias_amplification):
        found = frame_of(metric, ROWS, ROWS["region"], renamed).by_group
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
