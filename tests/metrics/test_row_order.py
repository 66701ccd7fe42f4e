"""Inputs whose pandas indexes hold the same labels in another order: paired by position, aloud."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

import biasamp_adapters as bam
from biasamp_adapters import AmplificationWarning, DirectionalBiasAmplification
from biasamp_adapters.fairlearn import amplification_frame
from biasamp_adapters.sklearn import amplification_scorer

ORDER = [*range(1, 24), 0]
GROUP = pd.Series(["a"] * 12 + ["b"] * 12)
Y_TRUE = pd.Series([1, 1, 0] * 4 + [1, 0, 0] * 4)
Y_PRED = pd.Series([1, 1, 1] * 4 + [0, 0, 0] * 4)
WEIGHT = pd.Series([1.0] * 24)
TABLE = pd.DataFrame({"cat": Y_TRUE, "dog": 1 - Y_TRUE})

Call = Callable[[Callable[[Any], Any]], Any]

#: A call for each entry, with one input that ``of`` may put into another order.
CALLS: dict[str, Call] = {
    "metric": lambda of: DirectionalBiasAmplification()(
        Y_TRUE, of(Y_PRED), sensitive_features=GROUP
    ),
    "crossed": lambda of: DirectionalBiasAmplification()(
        Y_TRUE, Y_PRED, sensitive_features=of(pd.DataFrame({"g": GROUP}))
    ),
    "columns": lambda of: DirectionalBiasAmplification()(
        Y_TRUE, Y_PRED, sensitive_features={"g": of(GROUP)}
    ),
    "weights": lambda of: DirectionalBiasAmplification()(
        Y_TRUE, Y_PRED, sensitive_features=GROUP, sample_weight=of(WEIGHT)
    ),
    "reference": lambda of: DirectionalBiasAmplification(reference=(Y_TRUE, of(GROUP))),
    "counts": lambda of: bam.JointCounts.from_arrays(Y_TRUE, of(Y_PRED), GROUP),
    "matrices": lambda of: DirectionalBiasAmplification()(
        TABLE, of(TABLE), sensitive_features=GROUP
    ),
    "indicators": lambda of: DirectionalBiasAmplification()(
        TABLE, TABLE, sensitive_features=bam.Indicators(of(TABLE))
    ),
    "numbers": lambda of: bam.LeakageAmplification(attacker=LogisticRegression(), n_trials=1)(
        Y_TRUE + 0.5, Y_PRED + 0.5, sensitive_features=of(GROUP)
    ),
    "audit": lambda of: bam.audit(
        Y_TRUE, {"model": of(Y_PRED)}, sensitive_features=GROUP, n_boot=0
    ),
    "scores of an audit": lambda of: bam.audit(
        Y_TRUE, Y_PRED, y_score=of(Y_PRED + 0.5), sensitive_features=GROUP, n_boot=0
    ),
    "comparison": lambda of: bam.compare(
        DirectionalBiasAmplification(),
        Y_TRUE,
        {"one": Y_PRED, "two": of(Y_PRED)},
        sensitive_features=GROUP,
        n_boot=0,
    ),
    "sweep": lambda of: bam.threshold_sweep(
        DirectionalBiasAmplification(), Y_TRUE, of(Y_PRED + 0.5), sensitive_features=GROUP
    ),
    "frame": lambda of: amplification_frame(Y_TRUE, Y_PRED, sensitive_features=of(GROUP)),
    "control features": lambda of: amplification_frame(
        Y_TRUE,
        Y_PRED,
        sensitive_features=GROUP,
        control_features=of(pd.Series(["x", "y"] * 12)),
        metrics=DirectionalBiasAmplification(),
    ),
}


def in_another_order(values: Any) -> Any:
    return values.iloc[ORDER]


def about_order() -> AbstractContextManager[Any]:
    return pytest.warns(AmplificationWarning, match="same labels in another order, but rows are pa")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_another_order_is_warned_of(call: Call) -> None:
    with about_order():
        call(in_another_order)


@pytest.mark.parametrize(
    "same",
    [
        lambda values: values,
        lambda values: values.to_numpy(),
        # Labels that the others do not have, as of predictions in a Series of their own.
        lambda values: in_another_order(values).set_axis(np.arange(24) + 1),
        # The same labels in an index of another type, or among others in one of several levels.
        lambda values: values.set_axis(pd.Index(np.arange(24)).astype("Int64")),
        lambda values: in_another_order(values).set_axis(
            pd.MultiIndex.from_arrays([np.arange(24), np.arange(24)])
        ),
        lambda values: values.set_axis(pd.Index([{"row": i} for i in range(24)])),
        # Labels that are there twice pair with nothing.
        lambda values: in_another_order(values).set_axis([*range(23), 0]),
    ],
)
def test_other_indexes_are_not(same: Callable[[Any], Any]) -> None:
    metric = DirectionalBiasAmplification()
    arrays = same(Y_PRED), same(GROUP)
    by_position = (np.asarray(values) for values in arrays)
    value = metric(Y_TRUE, arrays[0], sensitive_features=arrays[1])
    assert value == metric(Y_TRUE, next(by_position), sensitive_features=next(by_position))


@pytest.mark.parametrize("dtype", ["Int64", "string", object, float, "datetime64[ns]"])
def test_labels_of_any_type_are_compared(dtype: Any) -> None:
    index = pd.Index(np.arange(24)).astype(dtype)
    rows = [values.set_axis(index) for values in (Y_TRUE, Y_PRED, GROUP)]
    metric = DirectionalBiasAmplification()
    assert metric(rows[0], rows[1], sensitive_features=rows[2]) > 0
    with about_order():
        metric(rows[0], in_another_order(rows[1]), sensitive_features=rows[2])


def test_positions_count() -> None:
    # As in the hosts: the first prediction is of the first row, whatever the labels are.
    with about_order():
        value = DirectionalBiasAmplification()(
            Y_TRUE, in_another_order(Y_PRED), sensitive_features=GROUP
        )
    arrays = Y_PRED.to_numpy()[ORDER]
    assert value == DirectionalBiasAmplification()(Y_TRUE, arrays, sensitive_features=GROUP)


@pytest.mark.parametrize(
    ("order_of_y", "change", "warned"),
    [
        ("sorted", lambda group: group, False),
        ("shuffled", lambda group: group, False),
        ("sorted", lambda group: group.sample(frac=1, random_state=0), True),
        # Rows that train_test_split has shuffled, with metadata that were numbered anew.
        ("shuffled", lambda group: group.reset_index(drop=True), False),
        # Rows that were filtered.
        ("filtered", lambda group: group.reset_index(drop=True), False),
    ],
)
def test_metadata_of_a_search(order_of_y: str, change: Callable[[Any], Any], warned: bool) -> None:
    # Within a fold, metadata in another order share only some labels with y.
    rng = np.random.default_rng(0)
    orders = {"sorted": np.arange(300), "filtered": np.arange(300) * 2}
    index = orders.get(order_of_y, rng.permutation(300))
    y = pd.Series(rng.integers(2, size=300), index=index)
    group = pd.Series(rng.integers(2, size=300), index=index)
    metric = DirectionalBiasAmplification(reference=(y, group))
    given = change(group)
    with (
        sklearn.config_context(enable_metadata_routing=True),
        about_order() if warned else nullcontext(),
    ):
        cross_validate(
            DummyClassifier(strategy="uniform", random_state=0),
            np.zeros((300, 1)),
            y,
            scoring=amplification_scorer(metric),
            params={"sensitive_features": given},
            error_score="raise",
        )


def test_a_column_of_x_has_the_order_of_x() -> None:
    x = pd.DataFrame({"g": (GROUP == "a").astype(int)})
    metric = DirectionalBiasAmplification(reference=(Y_TRUE, x["g"]))
    scorer = amplification_scorer(metric, sensitive_features="g")
    model = DummyClassifier(strategy="constant", constant=1).fit(x, Y_TRUE)
    # Both in another order, and the table of a frame without an index.
    scorer(model, in_another_order(x), in_another_order(Y_TRUE))
    with about_order():
        scorer(model, in_another_order(x), Y_TRUE)


def test_functions_of_aif360() -> None:
    pytest.importorskip("aif360")
    from biasamp_adapters.aif360 import directional_bias_amplification

    index = pd.MultiIndex.from_arrays([np.arange(24), GROUP], names=["row", "group"])
    y_true, y_pred = Y_TRUE.set_axis(index), Y_PRED.set_axis(index)
    assert directional_bias_amplification(y_true, y_pred, prot_attr="group") > 0
    with about_order():
        directional_bias_amplification(y_true, in_another_order(y_pred), prot_attr="group")
    with about_order():
        directional_bias_amplification(Y_TRUE, Y_PRED.to_numpy(), prot_attr=in_another_order(GROUP))
