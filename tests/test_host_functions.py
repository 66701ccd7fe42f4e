"""The functions of Fairlearn and AIF360, which are made by one factory, describe themselves."""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from typing import Any, get_type_hints

import pandas as pd
import pytest

from biasamp_adapters.host_functions import MetricFunctions
from biasamp_adapters.metrics import METRICS

NAMES = {
    "mals_bias_amplification": "MALS",
    "directional_bias_amplification": "DirectionalBiasAmplification",
    "multi_attribute_bias_amplification": "MultiAttributeBiasAmplification",
    "leakage_amplification": "LeakageAmplification",
    "directional_predictability_amplification": "DirectionalPredictabilityAmplification",
}
COLUMNS = {
    "fairlearn": ["sensitive_features", "sensitive_features_pred", "sample_weight", "attribute"],
    "aif360": ["prot_attr", "prot_attr_pred", "priv_group", "sample_weight"],
}


@pytest.fixture(params=COLUMNS)
def host(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param, reason=f"the {request.param} extra is not installed")
    return request.param


@pytest.fixture(params=NAMES)
def function(host: str, request: pytest.FixtureRequest) -> Callable[..., float]:
    return getattr(import_module(f"biasamp_adapters.{host}"), request.param)


def metric_of(function: Callable[..., float]) -> Any:
    return getattr(import_module("biasamp_adapters"), NAMES[function.__name__])


def test_each_metric_has_its_function(host: str) -> None:
    public = import_module(f"biasamp_adapters.{host}").__all__
    assert {metric.about.function for metric in METRICS} == set(NAMES) <= set(public)


def test_signature(host: str, function: Callable[..., float]) -> None:
    signature = inspect.signature(function)
    assert list(signature.parameters)[:6] == ["y_true", "y_pred", *COLUMNS[host]]
    defaults = {name: parameter.default for name, parameter in signature.parameters.items()}
    parameters = {field.name: field.default for field in fields(metric_of(function))}
    assert {name: defaults[name] for name in parameters} == parameters
    assert set(defaults) == {"y_true", "y_pred", *COLUMNS[host], *parameters}
    assert signature.return_annotation == "float"


def test_annotations_are_types(function: Callable[..., float]) -> None:
    hints = get_type_hints(function)
    assert hints.pop("return") is float
    assert set(hints) == set(inspect.signature(function).parameters)
    assert not any(isinstance(hint, str) for hint in hints.values())


def test_names(host: str, function: Callable[..., float]) -> None:
    assert function.__module__ == f"biasamp_adapters.{host}.functions"
    assert function.__qualname__ == function.__name__
    assert pickle.loads(pickle.dumps(function)) is function


def test_docstring(function: Callable[..., float]) -> None:
    text = function.__doc__
    assert text is not None
    described = text.partition("Parameters\n----------\n")[2].partition("Returns\n-------")[0]
    entries = [line for line in described.splitlines() if line and not line.startswith(" ")]
    named = [name for line in entries for name in line.partition(" :")[0].split(", ")]
    assert sorted(named) == sorted(inspect.signature(function).parameters)
    for section in ("Raises", "References", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in text
    assert f">>> value = {function.__name__}(\n" in text
    assert not re.search(r"\{[a-z]+\}", text)
    assert max(map(len, text.splitlines())) <= 100


def test_calls_that_lack_or_exceed_arguments(function: Callable[..., float]) -> None:
    name = function.__name__
    with pytest.raises(TypeError, match=rf"^{name}\(\): missing a required argument: 'y_pred'$"):
        function([1])
    with pytest.raises(TypeError, match=rf"^{name}\(\): too many positional arguments$"):
        function([1], [1], ["a"])
    with pytest.raises(TypeError, match=f"^{name} has no argument 'directoin'$"):
        function([1], [1], directoin="A->T")


def test_without_docstrings() -> None:
    """As Python -OO leaves them."""

    def prototype(metric: Any, /, y_true: Any, y_pred: Any, **parameters: Any) -> float:
        return float(len(y_true))

    made = MetricFunctions(prototype, attribute="a", predicted="p")
    for function in made.metrics:
        assert function.__doc__ == ""
        assert function([1, 1], [1, 1]) == 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("class_name", "suffix", "result"),
    [
        ("BiasAmplificationMetric", "", float),
        ("BiasAmplificationMetric", "_by_pair", pd.DataFrame),
        ("BiasAmplificationTextExplainer", "", str),
    ],
)
def test_methods_of_aif360(name: str, class_name: str, suffix: str, result: type) -> None:
    pytest.importorskip("aif360", reason="the aif360 extra is not installed")
    host_class = getattr(import_module("biasamp_adapters.aif360"), class_name)
    name = name.removesuffix("_bias_amplification") if name.startswith("mals") else name
    method = vars(host_class)[name + suffix]
    assert method.__qualname__ == f"{class_name}.{name}{suffix}"
    assert method.__module__ == host_class.__module__
    assert get_type_hints(method)["return"] is result
    directions = ["direction"] if name.startswith(("directional", "multi")) else []
    assert list(inspect.signature(method).parameters) == ["self", *directions, "parameters"]
    described = name if suffix else f"biasamp_adapters.{metric_name(name)}"
    assert f"`{described}`" in method.__doc__


def metric_name(method: str) -> str:
    return NAMES.get(method, "MALS")
