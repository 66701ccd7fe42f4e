"""What MetricFrame swallows: missing values, parameters as columns, groups that are columns."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("fairlearn", reason="the fairlearn extra is not installed")

from fairlearn.metrics import MetricFrame
from function_cases import DIRECTED, FUNCTIONS, REFERENCED, fixed_rows, frame_of, named, params

from biasamp_adapters import (
    MALS,
    BaseRates,
    DirectionalBiasAmplification,
    Indicators,
    JointCounts,
    LeakageAmplification,
)
from biasamp_adapters.fairlearn import (
    directional_bias_amplification,
    directional_predictability_amplification,
    leakage_amplification,
    mals_bias_amplification,
    multi_attribute_bias_amplification,
)

ROWS = fixed_rows()
GIVEN = params(ROWS)
N = len(ROWS["group"])
#: The same rows with tasks and attributes as text, and as numbers.
TEXTS = {**ROWS, "y_true": np.array(["no", "yes"])[ROWS["y_true"]]}
TEXTS["y_pred"] = np.array(["no", "yes"])[ROWS["y_pred"]]
NUMBERS = {**ROWS, **{name: (ROWS[name] == "b").astype(int) for name in ("group", "guess")}}

#: What a list becomes before MetricFrame sees it.
OF_TEXTS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "object array": lambda values: np.array(values, dtype=object),
    "Series": pd.Series,
    "object Series": lambda values: pd.Series(values, dtype=object),
    "str Series": lambda values: pd.Series(values, dtype="str"),
    "string Series": lambda values: pd.Series(values, dtype="string"),
    "category": lambda values: pd.Series(values, dtype="category"),
}
OF_NUMBERS = {name: OF_TEXTS[name] for name in ("list", "array", "Series", "category")} | {
    "float Series": lambda values: pd.Series(values, dtype=float),
    "Int64 Series": lambda values: pd.Series(values, dtype="Int64"),
}
CONTAINERS = [
    *(pytest.param(TEXTS, make, id=f"texts, {name}") for name, make in OF_TEXTS.items()),
    *(pytest.param(NUMBERS, make, id=f"numbers, {name}") for name, make in OF_NUMBERS.items()),
]
#: Columns by the argument they are given as.
COLUMNS = {
    "y_true": "y_true",
    "y_pred": "y_pred",
    "sensitive_features": "group",
    "sensitive_features_pred": "guess",
}
READS_GUESS = [mals_bias_amplification, DirectionalBiasAmplification(direction="T->A")]


def with_a_hole(values: np.ndarray, missing: Any) -> list[Any]:
    """The values as a list whose last one is missing."""
    return [*values.tolist()[:-1], missing]


@pytest.mark.parametrize("argument", COLUMNS)
@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA], ids=repr)
@pytest.mark.parametrize(("rows", "make"), CONTAINERS)
def test_a_missing_value_is_no_label(
    rows: dict[str, np.ndarray], make: Callable[[list[Any]], Any], missing: Any, argument: str
) -> None:
    name = COLUMNS[argument]
    if missing is pd.NA and make is OF_NUMBERS["float Series"]:
        missing = None  # pandas has no NA of floats
    columns = {**rows, name: make(with_a_hole(rows[name], missing))}
    # Which of the two is said depends on whether the host has made a text of it.
    rule = f"{argument} must not (have missing values; received 1|hold the text 'nan')"
    for metric in READS_GUESS:
        with pytest.raises(ValueError, match=rule):
            frame_of(metric, columns, rows["region"], params(columns))


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_a_missing_value_under_the_other_name(function: Callable[..., float]) -> None:
    given_ = {"attribute": with_a_hole(ROWS["group"], np.nan)}
    with pytest.raises(ValueError, match="sensitive_features must not hold the text 'nan'"):
        frame_of(function, ROWS, ROWS["region"], given_)


@pytest.mark.parametrize("missing", [None, np.nan], ids=repr)
def test_a_missing_level_of_crossed_attributes(missing: Any) -> None:
    rows = [[group, year] for group, year in zip(ROWS["group"], ROWS["year"], strict=True)]
    rows[-1] = [rows[-1][0], missing]
    given_ = {"sensitive_features": pd.Series(rows)}
    rule = r"sensitive_features.* must not (have missing values; received 1|hold the text 'nan')"
    with pytest.raises(ValueError, match=rule):
        frame_of(directional_bias_amplification, ROWS, ROWS["region"], given_)


@pytest.mark.parametrize(
    ("weight", "received"), [(None, "nan"), (np.nan, "nan"), (-1, r"-1\.0"), (np.inf, "inf")]
)
def test_bad_weights(weight: Any, received: str) -> None:
    given_ = {**GIVEN, "sample_weight": with_a_hole(ROWS["weight"], weight)}
    rule = rf"sample_weight must be finite and not negative; received {received} in 1 row"
    with pytest.raises(ValueError, match=rule):
        frame_of(mals_bias_amplification, ROWS, ROWS["region"], given_)


ONE_VALUE: list[tuple[Callable[..., float], dict[str, Any]]] = [
    *((f, {"direction": "T->A"}) for f in DIRECTED),
    *((f, {"pos_label": 1}) for f in REFERENCED),
    *((f, {"missing": "drop"}) for f in FUNCTIONS),
    (multi_attribute_bias_amplification, {"combinations": "subsets"}),
    (multi_attribute_bias_amplification, {"min_size": 1}),
    (multi_attribute_bias_amplification, {"max_size": 1}),
    (multi_attribute_bias_amplification, {"min_support": 1}),
]
for name, value in {
    "attacker": "exact",
    "quality": "accuracy",
    "equalize": "sampled",
    "evaluation": "auto",
    "n_trials": 10,
    "random_state": 1,
}.items():
    for function in (leakage_amplification, directional_predictability_amplification):
        ONE_VALUE.append((function, {name: value}))


def with_ids(cases: list[tuple[Callable[..., float], dict[str, Any]]]) -> list[Any]:
    """The cases, each with an id that says what it is."""
    return [pytest.param(*case, id=f"{named(case[0])} {case[1]}") for case in cases]


@pytest.mark.parametrize(("function", "parameter"), with_ids(ONE_VALUE))
def test_parameters_are_not_columns(
    function: Callable[..., float], parameter: dict[str, Any]
) -> None:
    (name,) = parameter
    rule = rf"{name} must be one value; received an array of {N}: .* functools\.partial"
    with pytest.raises(ValueError, match=rule):
        frame_of(function, ROWS, ROWS["region"], {**GIVEN, **parameter})


COUNTS = JointCounts.from_arrays(ROWS["y_true"], sensitive_features=ROWS["group"])
RATES = BaseRates(task_given_attribute={"a": {0: 0.5, 1: 0.5}, "b": {0: 0.4, 1: 0.6}})


@pytest.mark.parametrize(
    ("function", "parameter"),
    with_ids(
        [
            *((f, {"labels": 1}) for f in FUNCTIONS),
            *((f, {"groups": "ab"}) for f in FUNCTIONS),
            *((f, {"groups": {"a": 1}}) for f in FUNCTIONS),
            *((f, {"reference": COUNTS}) for f in REFERENCED),
            *((f, {"reference": RATES}) for f in REFERENCED),
        ]
    ),
)
def test_lists_and_references_are_not_columns(
    function: Callable[..., float], parameter: dict[str, Any]
) -> None:
    (name,) = parameter
    with pytest.raises(ValueError, match=rf"{name} must .*functools\.partial") as raised:
        frame_of(function, ROWS, ROWS["region"], {**GIVEN, **parameter})
    assert len(str(raised.value)) < 400  # whatever the number of rows


@pytest.mark.parametrize("metric", [MALS(), LeakageAmplification()], ids=named)
def test_objects_take_no_parameters_when_called(metric: Any) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'pos_label'"):
        frame_of(metric, ROWS, ROWS["region"], {**GIVEN, "pos_label": 1})


INDICATORS = Indicators(np.c_[ROWS["group"] == "a", ROWS["group"] == "b"].astype(int), ["a", "b"])


@pytest.mark.parametrize("metric", [*FUNCTIONS, MALS(), LeakageAmplification()], ids=named)
@pytest.mark.parametrize("name", ["sensitive_features", "attribute"])
def test_indicators_are_not_split(metric: Any, name: str) -> None:
    given_ = {**GIVEN, "sensitive_features": None, name: INDICATORS}
    rule = "sensitive_features must hold labels; received Indicators .*amplification_frame"
    with pytest.raises(ValueError, match=rule):
        frame_of(metric, ROWS, ROWS["region"], given_)


@pytest.mark.parametrize("metric", READS_GUESS, ids=named)
def test_predicted_indicators_are_not_split(metric: Any) -> None:
    given_ = {**GIVEN, "sensitive_features_pred": INDICATORS}
    rule = "sensitive_features_pred must hold labels; received Indicators .*amplification_frame"
    with pytest.raises(ValueError, match=rule):
        frame_of(metric, ROWS, ROWS["region"], given_)


@pytest.mark.parametrize("function", FUNCTIONS, ids=named)
def test_the_groups_of_the_frame_are_not_the_attribute(function: Callable[..., float]) -> None:
    with pytest.raises(ValueError, match="sensitive_features must be given; received None"):
        MetricFrame(
            metrics=function,
            y_true=ROWS["y_true"],
            y_pred=ROWS["y_pred"],
            sensitive_features=ROWS["group"],
        )


@pytest.mark.parametrize("attribute", ["a", {"a": ROWS["group"]}], ids=["text", "dict"])
def test_one_value_for_all_rows_is_one_group(attribute: Any) -> None:
    with pytest.raises(ValueError, match="at least two groups; received only 'a'"):
        frame_of(mals_bias_amplification, ROWS, ROWS["region"], {"sensitive_features": attribute})


def test_labels_of_two_types_become_texts() -> None:
    mixed = [1 if group == "a" else "b" for group in ROWS["group"]]
    with pytest.raises(ValueError, match=re.escape("received '1' in 20 row(s), listed are 1, 'b'")):
        frame_of(MALS(groups=[1, "b"]), ROWS, ROWS["region"], {"sensitive_features": mixed})
    assert frame_of(
        MALS(groups=["1", "b"]), ROWS, ROWS["region"], {"sensitive_features": mixed}
    ).overall["value"] == MALS()(ROWS["y_true"], ROWS["y_pred"], sensitive_features=ROWS["group"])
