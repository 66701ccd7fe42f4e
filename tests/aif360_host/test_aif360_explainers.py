"""Explainers of AIF360, in text and in JSON that any parser reads."""

import json
from typing import Any

import numpy as np
import pytest
from aif360_cases import SEXES, classified, dataset, drawn, hiring, metric_of

from biasamp_adapters.aif360 import BiasAmplificationJSONExplainer, BiasAmplificationTextExplainer
from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, PREDICTION
from biasamp_adapters.counting.margins import Margins, divide
from biasamp_adapters.metrics.base import Metric

# isort: split
from aif360.explainers import MetricJSONExplainer, MetricTextExplainer
from aif360.metrics import BinaryLabelDatasetMetric, ClassificationMetric


def strict(text: str) -> Any:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_text_names_metric_class_and_meaning() -> None:
    explain = BiasAmplificationTextExplainer(metric_of(hiring(), **SEXES))
    assert explain.mals_bias_amplification() == (
        "MALS of label 1: 0.2000. The mean increase of the shares of over-represented groups, in "
        "which both directions are mixed."
    )
    text = explain.directional_bias_amplification()
    assert text.startswith("BA A->T: 0.1000. Directional bias amplification, the mean change of")
    assert explain.multi_attribute_bias_amplification("undirected").startswith("Multi undirected: ")


def test_json_has_numbers_and_meaning() -> None:
    frame = drawn()
    metric = metric_of(frame, **SEXES, predicted_protected_attributes=frame["sex_pred"])
    explain = BiasAmplificationJSONExplainer(metric)
    record = strict(explain.directional_bias_amplification("T->A"))
    assert record["metric"] == "BA T->A"
    assert record["value"] == metric.directional_bias_amplification("T->A")
    assert record["n_rows"] == 240
    assert record["message"].startswith("BA T->A: ")
    for method in ("leakage_amplification", "directional_predictability_amplification"):
        assert strict(getattr(explain, method)())["value"] == getattr(metric, method)()


def test_json_of_an_undefined_value_is_null() -> None:
    # No row is predicted positive, so MALS has no shares.
    explain = BiasAmplificationJSONExplainer(metric_of(hiring().assign(y_pred=0.0), **SEXES))
    assert strict(explain.mals_bias_amplification())["value"] is None


class Frequency(Metric):
    """The mean rate of a predicted class, whatever the reference."""

    short = "Frequency"

    def contributions(self, margins: Margins) -> Any:
        return divide(margins.joint(ATTRIBUTE, PREDICTION), margins.joint(ATTRIBUTE, ALL))


class OwnText(BiasAmplificationTextExplainer):
    def frequency(self, **settings: Any) -> Any:
        return self._answer(Frequency(), settings)


def test_text_of_own_metric_ignores_the_reference_and_is_its_first_line() -> None:
    metric = metric_of(hiring(), **SEXES, reference_dataset=dataset(hiring()))
    first_line = "The mean rate of a predicted class, whatever the reference."
    assert OwnText(metric).frequency() == f"Frequency: 0.5000. {first_line}"


INHERITED = [
    name
    for name in dir(MetricTextExplainer)
    if not name.startswith("_") and callable(getattr(MetricTextExplainer, name))
]


def explanation(explainer: Any, method: str) -> Any:
    try:
        return getattr(explainer, method)()
    except (AttributeError, TypeError) as error:
        return repr(error)


@pytest.mark.parametrize("kind", ["ours", "host"])
def test_inherited_explanations_are_those_of_the_host(kind) -> None:
    frame = drawn()
    truth = dataset(frame)
    host = ClassificationMetric(truth, classified(truth, frame["y_pred"]), **SEXES)
    metric = host if kind == "host" else metric_of(frame, **SEXES)
    text, theirs = BiasAmplificationTextExplainer(metric), MetricTextExplainer(host)
    in_json, theirs_in_json = BiasAmplificationJSONExplainer(metric), MetricJSONExplainer(host)
    assert len(INHERITED) > 45
    for name in INHERITED:
        expected = explanation(theirs, name).replace("ClassificationMetric", type(metric).__name__)
        assert explanation(text, name) == expected
        expected = explanation(theirs_in_json, name)
        if expected.startswith("{"):
            assert strict(explanation(in_json, name)) == strict(expected)


def test_inherited_json_of_an_undefined_number_is_null() -> None:
    truth = dataset(hiring())
    truth.instance_weights[0] = np.nan
    metric = BinaryLabelDatasetMetric(truth, **SEXES)
    record = strict(BiasAmplificationJSONExplainer(metric).statistical_parity_difference())
    assert record["numInstancesPrivileged"] is None
    assert record["numPositivesPrivileged"] == 40
