"""The functions are the metric objects: the same parameters, values and errors."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from exact_oracle import Row
from function_cases import DIRECTED, FUNCTIONS, KINDS, REFERENCED, fixed_rows, named, params
from hypothesis import assume, given
from hypothesis import strategies as st
from metric_cases import LISTS, any_rows, arguments, quietly, reference_of

from biasamp_adapters import AmplificationWarning, BaseRates
from biasamp_adapters.fairlearn import (
    directional_bias_amplification,
    directional_predictability_amplification,
    leakage_amplification,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)

Function = Callable[..., float]
Parameters = dict[str, Any]

ROWS = fixed_rows()
DATA: dict[str, Any] = {"y_true": ROWS["y_true"], "y_pred": ROWS["y_pred"], **params(ROWS)}
#: Sets {0, 1} and {2}; the model gives the third row of each group task 1 as well.
MATRICES: dict[str, Any] = {
    "y_true": [[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 1]],
    "y_pred": [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1], [0, 0, 1], [0, 1, 1], [0, 0, 1]],
    "sensitive_features": ["a", "a", "a", "b", "b", "b", "b"],
}
#: Leans the other way than the data: 1 of 4 rows of a, and 3 of 4 of b, are positive.
REFERENCE = ([1, 0, 0, 0, 1, 1, 1, 0], ["a"] * 4 + ["b"] * 4)
RATES = BaseRates(
    task_given_attribute={"a": {0: 0.75, 1: 0.25}, "b": {0: 0.25, 1: 0.75}},
    attribute_given_task={0: {"a": 0.75, "b": 0.25}, 1: {"a": 0.25, "b": 0.75}},
)
SAMPLED = {"equalize": "sampled"}
T_TO_A = {"direction": "T->A"}

#: What a parameter changes, beside those that must be there for it to change anything.
OF_ROWS: list[tuple[Function, Parameters, Parameters]] = [
    *((f, {"direction": way}, {}) for f, ways in DIRECTED.items() for way in ways[1:]),
    *((f, {"reference": REFERENCE}, {}) for f in REFERENCED[:2]),
    *((f, {"reference": RATES}, {}) for f in REFERENCED),
    (mals_bias_amplification, {"pos_label": 0}, {}),
    *((f, {"pos_label": 0}, T_TO_A) for f in REFERENCED[1:]),
    (mals_bias_amplification, {"labels": [0, 1, 2]}, {}),
    (directional_bias_amplification, {"labels": [0, 1, 2]}, {}),
    (mals_bias_amplification, {"groups": ["a", "b", "c"]}, {"pos_label": 0}),
    (leakage_amplification, {"labels": [0, 1, 2]}, {}),
    (directional_predictability_amplification, {"labels": [0, 1, 2]}, {}),
    (directional_predictability_amplification, {"groups": ["a", "b", "c"]}, T_TO_A),
]
for function in (leakage_amplification, directional_predictability_amplification):
    OF_ROWS += [
        (function, {"quality": "accuracy"}, {}),
        (function, {"equalize": None}, {}),
        (function, {"equalize": "expected"}, {}),
        (function, {"n_trials": 3}, SAMPLED),
        (function, {"random_state": 5}, SAMPLED),
        (function, {"evaluation": "loo"}, {**SAMPLED, "quality": "inverse_cross_entropy"}),
    ]
OF_MATRICES: list[tuple[Function, Parameters, Parameters]] = [
    (multi_attribute_bias_amplification, changed, {})
    for changed in (
        {"reference": ([[1, 0, 0], [0, 1, 1]], ["a", "b"])},
        {"combinations": "subsets"},
        {"min_size": 2},
        {"max_size": 1},
        {"min_support": 4},
    )
]


@pytest.mark.parametrize(
    ("data", "function", "changed", "beside"),
    [
        *(pytest.param(DATA, *case, id=f"{named(case[0])} {[*case[1]]}") for case in OF_ROWS),
        *(pytest.param(MATRICES, *case, id=f"matrices {[*case[1]]}") for case in OF_MATRICES),
    ],
)
def test_a_parameter_does_what_it_does_to_the_metric_object(
    data: dict[str, Any], function: Function, changed: Parameters, beside: Parameters
) -> None:
    if "evaluation" in changed:
        data = {**data, "sample_weight": None}  # leave-one-out takes no weights
    value = quietly(function, **data, **beside, **changed)
    assert value == quietly(KINDS[function](**beside, **changed), **data)
    assert value != quietly(function, **data, **beside)


@given(
    any_rows,
    st.one_of(st.none(), any_rows),
    st.sampled_from(REFERENCED),
    st.sampled_from(["A->T", "T->A"]),
)
def test_any_data_and_reference(
    rows: list[Row], training: list[Row] | None, function: Function, direction: str
) -> None:
    assume(len({row.a for row in rows}) > 1)
    assume({row.t for row in rows} & {row.t for row in training or rows})
    parameters = {**LISTS, "reference": reference_of(training)}
    if function in DIRECTED:
        parameters["direction"] = direction
    values = [
        quietly(each, **arguments(rows))
        for each in (partial(function, **parameters), KINDS[function](**parameters))
    ]
    assert values[0] == pytest.approx(values[1], abs=0, nan_ok=True)


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_the_shape_of_a_host_metric(function: Function) -> None:
    signature = inspect.signature(function).parameters
    kinds = [parameter.kind for parameter in signature.values()]
    assert list(signature)[:2] == ["y_true", "y_pred"]
    assert set(kinds[2:]) == {inspect.Parameter.KEYWORD_ONLY}
    of_object = {field.name: field.default for field in fields(KINDS[function])}
    assert {name: signature[name].default for name in of_object} == of_object
    assert "method" not in signature  # make_derived_metric keeps this name for itself
    assert type(function(**DATA)) is float
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_the_other_name_of_the_attribute(function: Function) -> None:
    data = {**DATA, "sensitive_features": None}
    assert function(**data, attribute=ROWS["group"]) == function(**DATA)
    with pytest.raises(ValueError, match="attribute is another name of sensitive_features"):
        function(**DATA, attribute=ROWS["group"])
    with pytest.raises(ValueError, match="sensitive_features must be given; received None"):
        function(**data)


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_weights_are_repetitions(function: Function) -> None:
    repeated = {
        name: np.repeat(values, ROWS["weight"])
        for name, values in DATA.items()
        if name != "sample_weight"
    }
    # Flips are drawn from the number of rows, so they are left out.
    parameters = {} if function in REFERENCED else {"equalize": "expected"}
    assert function(**repeated, **parameters) == pytest.approx(
        function(**DATA, **parameters), abs=1e-12
    )


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_a_perfect_model(function: Function) -> None:
    data = {**DATA, "y_pred": ROWS["y_true"], "sensitive_features_pred": ROWS["group"]}
    for way in DIRECTED.get(function, [None]):
        assert function(**data, **({"direction": way} if way else {})) == 0


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_missing_values_follow_the_rule(function: Function) -> None:
    holes = {**DATA, "y_true": [None, *ROWS["y_true"].tolist()[1:]]}
    with pytest.raises(ValueError, match="y_true must not have missing values; received 1"):
        function(**holes)
    with pytest.warns(AmplificationWarning, match="1 row.* with missing values were left out"):
        value = function(**holes, missing="drop")
    assert value == function(**{name: values[1:] for name, values in DATA.items()})


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"labels": [0]}, "y_true must hold only labels listed in labels; received 1"),
        ({"groups": ["a"]}, "sensitive_features must hold only labels listed in groups"),
        ({"missing": "ignore"}, "missing must be 'error', 'drop' or 'abstain'"),
    ],
)
def test_bad_parameters_of_every_function(
    function: Function, parameters: Parameters, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        function(**DATA, **parameters)


@pytest.mark.parametrize("function", DIRECTED, ids=named)
def test_bad_directions(function: Function) -> None:
    with pytest.raises(ValueError, match=r"direction must be .*; received 'sideways'"):
        function(**DATA, direction="sideways")
    with pytest.raises(ValueError, match="sensitive_features_pred must be given; received None"):
        function(**{**DATA, "sensitive_features_pred": None}, direction="T->A")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (leakage_amplification, "n_trials"),
        (directional_predictability_amplification, "n_trials"),
        (multi_attribute_bias_amplification, "min_size"),
        (multi_attribute_bias_amplification, "max_size"),
        (multi_attribute_bias_amplification, "min_support"),
    ],
)
def test_whole_numbers_of_numpy_are_whole(function: Function, name: str) -> None:
    assert function(**DATA, **{name: np.int64(1)}) == function(**DATA, **{name: 1})


def test_attackers_are_exact() -> None:
    for function in (leakage_amplification, directional_predictability_amplification):
        with pytest.raises(ValueError, match=r"attacker must be .*'exact'.*; received 'forest'"):
            function(**DATA, attacker="forest")
