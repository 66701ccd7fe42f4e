"""The explainers: every new metric, every inherited one, and JSON that any parser reads."""

from __future__ import annotations

import copy
import json
import math
import pickle
import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

import dataset_cases  # noqa: F401  # before AIF360, for the log
from aif360.explainers import MetricJSONExplainer, MetricTextExplainer
from dataset_cases import (
    CASES,
    SEXES,
    ClassificationMetric,
    case_name,
    classified,
    dataset,
    fixed_frame,
    hiring,
    metric_of,
    quiet,
    rows_of,
)

from biasamp_adapters import (
    MALS,
    AmplificationWarning,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.aif360 import (
    BiasAmplificationJSONExplainer,
    BiasAmplificationMetric,
    BiasAmplificationTextExplainer,
)

EXPLAINERS = [BiasAmplificationTextExplainer, BiasAmplificationJSONExplainer]
TYPO = "falses_omission_rate_difference"
INHERITED = [
    name
    for name in dir(MetricTextExplainer)
    if not name.startswith("_") and callable(getattr(MetricTextExplainer, name)) and name != TYPO
]
CONDITIONED = [
    name
    for name in INHERITED
    if "privileged" in getattr(MetricTextExplainer, name).__code__.co_varnames
]
NEW = sorted({method for method, _, _ in CASES})


def complete(**options: Any) -> Any:
    """A metric on which everything can be explained."""
    frame = fixed_frame()
    return metric_of(frame, **SEXES, predicted_protected_attributes=frame["sex_pred"], **options)


@cache
def inherited() -> tuple[Any, Any]:
    """That metric, and AIF360's own of the same labels: explanations change neither."""
    truth = dataset(fixed_frame())
    return complete(), ClassificationMetric(
        truth, classified(truth, fixed_frame()["T_pred"]), **SEXES
    )


def read(text: str) -> dict[str, Any]:
    """The object that strict JSON holds."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


ZERO = {
    MALS: "no amplification",
    DirectionalBiasAmplification: "no amplification",
    MultiAttributeBiasAmplification: "no rate changes; it has no sign, and chance alone makes it",
    LeakageAmplification: "predicted and true labels give as much away)",
    DirectionalPredictabilityAmplification: "as predictable as in the data)",
}


def undefined() -> Any:
    """A metric of two rows: nothing but 0 / 0 and what is made of it."""
    frame = rows_of([[1, 0], [0, 1]], "sex", "T").astype(float)
    return metric_of(frame.assign(T_pred=0.0), **SEXES)


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_texts_of_new_metrics(case: Any) -> None:
    method, kind, parameters = case
    metric = complete()
    text = getattr(BiasAmplificationTextExplainer(metric), method)(**parameters)
    value = getattr(metric, method)(**parameters)
    head, _, last = text.rpartition(": ")
    assert last == f"{value:z.4f}"
    assert f"(0 = {ZERO[kind]}" in head
    way = parameters.get("direction", "")
    assert way in head or (way == "undirected" and "->" not in head)
    assert ("blind errors = " in head) == (
        kind.__name__ in ("MALS", "DirectionalBiasAmplification")
    )


def test_a_text_in_full() -> None:
    explain = BiasAmplificationTextExplainer(metric_of(hiring(), **SEXES))
    # Of 50 men 40 are hired, of 50 women 10 by the truth and none by the model.
    assert explain.statistical_parity_difference().endswith(": -0.8")
    text = explain.mals()
    assert text.startswith("BiasAmp_MALS of label 1 (0 = no amplification, blind errors = ")
    assert float(text.rpartition(": ")[2]) == pytest.approx(40 / 40 - 40 / 50, abs=1e-12)
    text = explain.directional_bias_amplification("A->T")
    assert text.startswith("Directional Bias Amplification A->T (0 = no amplification, blind")


@pytest.mark.parametrize("case", CASES, ids=case_name)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_json_of_new_metrics(case: Any, weighted: bool) -> None:
    method, _, parameters = case
    metric = complete(weighted=weighted)
    found = read(getattr(BiasAmplificationJSONExplainer(metric), method)(**parameters))
    assert list(found) == [
        "metric",
        "message",
        "value",
        "direction",
        "label",
        "blindErrors",
        "excess",
        "verdict",
        "numInstances",
        "notes",
        "description",
        "ideal",
    ]
    assert found["value"] == getattr(metric, method)(**parameters)
    assert found["direction"] == parameters.get("direction", found["direction"])
    text = getattr(BiasAmplificationTextExplainer(metric), method)(**parameters)
    assert found["message"] == text
    assert found["numInstances"] == 120


@pytest.mark.parametrize("method", NEW)
def test_ideal_says_0_and_which_way_is_worse(method: str) -> None:
    ideal = read(getattr(BiasAmplificationJSONExplainer(complete()), method)())["ideal"]
    assert ideal.startswith("The ideal value of this metric is 0.")
    multi = method.startswith("multi")
    worse = "It has no sign: a larger value" if multi else "A value of > 0 implies that"
    assert worse in ideal
    assert ("Chance alone makes it positive." in ideal) == multi
    assert "worse" in ideal


def test_no_noise_of_rounding() -> None:
    """Four of six rows are of group 1, the likeliest whatever is said: 4/6 less 4/6."""
    columns = {"sex": [1] * 4 + [0] * 2, "T": [0, 0, 0, 1, 0, 0], "T_pred": [0, 0, 1, 1, 0, 0]}
    frame = pd.DataFrame(columns, dtype=float)
    metric = metric_of(frame, **SEXES)
    options = {"quality": "accuracy", "equalize": "expected"}
    text = BiasAmplificationTextExplainer(metric).leakage_amplification(**options)
    assert text.endswith(": 0.0000")
    found = read(BiasAmplificationJSONExplainer(metric).leakage_amplification(**options))
    assert str(found["value"]) == "0.0"
    assert found["message"] == text


def test_every_new_metric_has_its_own_words() -> None:
    explain = BiasAmplificationJSONExplainer(complete())
    said = [read(getattr(explain, method)()) for method in NEW]
    assert len({one["metric"] for one in said}) == len({one["description"] for one in said}) == 5


def test_inherited_texts_are_there() -> None:
    assert len(INHERITED) >= 50
    assert {"accuracy", "disparate_impact", "theil_index", "consistency"} < set(INHERITED)


@pytest.mark.parametrize("method", INHERITED)
def test_inherited_texts_and_json(method: str) -> None:
    metric, plain = inherited()
    text = getattr(BiasAmplificationTextExplainer(metric), method)()
    assert text == getattr(MetricTextExplainer(plain), method)()
    found = getattr(BiasAmplificationJSONExplainer(metric), method)()
    assert read(found) == json.loads(getattr(MetricJSONExplainer(plain), method)())


@pytest.mark.parametrize("privileged", [True, False])
@pytest.mark.parametrize("method", CONDITIONED)
def test_inherited_explanations_of_one_group(method: str, privileged: bool) -> None:
    metric, plain = inherited()
    text = getattr(BiasAmplificationTextExplainer(metric), method)(privileged=privileged)
    assert text == getattr(MetricTextExplainer(plain), method)(privileged=privileged)
    found = getattr(BiasAmplificationJSONExplainer(metric), method)(privileged)
    assert read(found) == json.loads(getattr(MetricJSONExplainer(plain), method)(privileged))


@pytest.mark.parametrize("explainer", EXPLAINERS)
def test_the_typo_of_aif360(explainer: Any) -> None:
    with pytest.raises(AttributeError, match=TYPO):
        getattr(explainer(complete()), TYPO)()


@pytest.mark.parametrize("method", INHERITED)
def test_undefined_rates_are_valid_json(method: str) -> None:
    frame = rows_of([[5, 0], [0, 5]], "sex", "T").astype(float)
    metric = metric_of(frame.assign(T_pred=0.0), **SEXES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = read(getattr(BiasAmplificationJSONExplainer(metric), method)())
        text = getattr(BiasAmplificationTextExplainer(metric), method)()
    assert found["message"] == text


def test_an_undefined_number_is_null() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = read(BiasAmplificationJSONExplainer(undefined()).disparate_impact())
    assert found["message"].endswith(": nan")


def test_an_undefined_new_metric_is_null() -> None:
    # The model never says 1, so P(sex | predicted 1) is not there, and MALS of class 1 neither.
    metric = undefined()
    assert math.isnan(quiet(metric.mals))
    found = read(quiet(BiasAmplificationJSONExplainer(metric).mals))
    assert found["value"] is None
    assert found["notes"]
    assert found["message"].endswith(": nan")


def test_weights_of_integers_are_valid_json() -> None:
    truth = dataset(fixed_frame())
    predicted = classified(truth, fixed_frame()["T_pred"])
    for one in (truth, predicted):
        one.instance_weights = one.instance_weights.astype(np.int64)
    explain = BiasAmplificationJSONExplainer(BiasAmplificationMetric(truth, predicted, **SEXES))
    assert read(explain.accuracy())["numPositives"] == truth.labels.sum()
    assert read(explain.num_instances())["message"].endswith("120.0")
    for method in INHERITED:
        read(getattr(explain, method)())
    assert read(explain.mals())["numInstances"] == 120


@pytest.mark.parametrize("method", NEW)
def test_multi_class_and_crossed_attributes(method: str) -> None:
    metric = metric_of(fixed_frame(n_labels=3), weighted=True)
    text = getattr(BiasAmplificationTextExplainer(metric), method)()
    found = read(getattr(BiasAmplificationJSONExplainer(metric), method)())
    assert found["message"] == text
    assert found["value"] == getattr(metric, method)()


def test_rows_left_out_are_noted_and_not_counted() -> None:
    frame = fixed_frame()
    frame.loc[:2, "sex"] = 2.0
    explain = BiasAmplificationJSONExplainer(metric_of(frame, **SEXES))
    with pytest.warns(AmplificationWarning, match=r"3 row\(s\) of the dataset are in none"):
        found = read(explain.directional_bias_amplification())
    assert found["numInstances"] == 117
    assert found["notes"] == ["3 row(s) of the dataset are in none of the groups and left out"]


@pytest.mark.parametrize("explainer", EXPLAINERS)
def test_explanations_follow_a_changed_dataset(explainer: Any) -> None:
    metric = metric_of(hiring(), **SEXES)
    explain = explainer(metric)
    first = explain.mals(), explain.accuracy()
    metric.classified_dataset.labels[:] = metric.dataset.labels
    assert explain.mals() != first[0]
    assert explain.accuracy() == explainer(metric).accuracy() != first[1]


@pytest.mark.parametrize("explainer", EXPLAINERS)
def test_explainers_need_a_metric(explainer: Any) -> None:
    with pytest.raises(TypeError, match=r"metric must be a Metric\."):
        explainer(3)


@pytest.mark.parametrize("explainer", EXPLAINERS)
def test_bad_parameters_of_explanations(explainer: Any) -> None:
    with pytest.raises(ValueError, match="direction must be"):
        explainer(complete()).directional_bias_amplification("up")


@pytest.mark.parametrize("explainer", EXPLAINERS)
@pytest.mark.parametrize(
    "twin_of",
    [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_explainers_are_copied(explainer: Any, twin_of: Any) -> None:
    explain = explainer(complete())
    twin = twin_of(explain)
    assert (twin.mals(), twin.accuracy()) == (explain.mals(), explain.accuracy())


def test_explainers_are_those_of_aif360() -> None:
    text, in_json = (explainer(complete()) for explainer in EXPLAINERS)
    assert isinstance(text, MetricTextExplainer)
    assert isinstance(in_json, MetricJSONExplainer)
    assert isinstance(in_json.metric.dataset, type(dataset(fixed_frame())))
