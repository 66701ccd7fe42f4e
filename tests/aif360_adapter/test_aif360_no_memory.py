"""Nothing is remembered: values follow datasets, draws are new, and instances are freed."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from typing import Any

import numpy as np
import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

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
)

import biasamp_adapters as bam
from biasamp_adapters.aif360 import BiasAmplificationMetric, BiasAmplificationTextExplainer

every_case = pytest.mark.parametrize("case", CASES, ids=case_name)
#: What is called on an instance that is to be freed, or whose dataset is to change.
HOSTS_OWN = [
    "accuracy",
    "statistical_parity_difference",
    "performance_measures",
    "theil_index",
    "differential_fairness_bias_amplification",
    "equal_opportunity_difference",
]


def complete(frame: Any = None) -> Any:
    """A metric on which every method can be called."""
    frame = fixed_frame() if frame is None else frame
    return metric_of(frame, **SEXES, predicted_protected_attributes=fixed_frame()["sex_pred"])


@every_case
def test_new_metrics_follow_a_changed_prediction(case: Any) -> None:
    method, _, parameters = case
    metric, other = complete(), fixed_frame()
    other["T_pred"] = other["T"].where(other["sex"] == 0, 1.0)
    before = getattr(metric, method)(**parameters)
    metric.classified_dataset.labels[:] = other[["T_pred"]]
    after = getattr(metric, method)(**parameters)
    assert after == getattr(complete(other), method)(**parameters)
    if parameters.get("direction") != "T->A":
        assert after != before
    pairs = getattr(metric, f"{method}_by_pair")(**parameters)
    assert pairs.equals(getattr(complete(other), f"{method}_by_pair")(**parameters))


@pytest.mark.parametrize("field", ["instance_weights", "protected_attributes", "labels"])
def test_new_metrics_follow_every_field(field: str) -> None:
    metric = complete()
    before = metric.directional_bias_amplification()
    for one in (metric.dataset, metric.classified_dataset):
        values = getattr(one, field)
        values[:40] = 3 if field == "instance_weights" else 1 - values[:40]
    assert metric.directional_bias_amplification() != before


@pytest.mark.parametrize("method", HOSTS_OWN)
def test_inherited_metrics_follow_a_changed_prediction(method: str) -> None:
    metric, frame = complete(), fixed_frame()
    before = getattr(metric, method)()
    labels = frame["T_pred"].where(frame["sex"] == 0, 1.0)
    metric.classified_dataset.labels[:] = labels.to_numpy()[:, None]
    plain = ClassificationMetric(dataset(frame), classified(dataset(frame), labels), **SEXES)
    np.testing.assert_equal(getattr(metric, method)(), getattr(plain, method)())
    assert getattr(metric, method)() != before


def test_a_plain_metric_does_remember() -> None:
    truth = dataset(hiring())
    plain = ClassificationMetric(truth, classified(truth, hiring()["T_pred"]), **SEXES)
    assert plain.accuracy() == 0.9
    plain.classified_dataset.labels[:] = truth.labels
    assert plain.accuracy() == 0.9


def changed_and_asked(metric: Any, ask: Any) -> tuple[float, float]:
    """What is answered before and after the prediction became the truth."""
    before = ask(metric)
    metric.classified_dataset.labels[:] = metric.dataset.labels
    return before, ask(metric)


@pytest.mark.parametrize(
    ("method", "expected"),
    [("mals", (0.2, 0.0)), ("directional_bias_amplification", (0.1, 0.0)), ("accuracy", (0.9, 1))],
)
def test_calls_through_a_subclass(method: str, expected: tuple[float, float]) -> None:
    class Logged(BiasAmplificationMetric):
        def mals(self, **parameters: Any) -> float:
            return super().mals(**parameters)

        def directional_bias_amplification(self, *given: Any, **parameters: Any) -> float:
            return super().directional_bias_amplification(*given, **parameters)

        def accuracy(self, privileged: bool | None = None) -> float:
            return super().accuracy(privileged=privileged)

    truth = dataset(hiring())
    metric = Logged(truth, classified(truth, hiring()["T_pred"]), **SEXES)
    found = changed_and_asked(metric, lambda one: getattr(one, method)())
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("method", "expected"),
    [("mals", (0.2, 0.0)), ("directional_bias_amplification", (0.1, 0.0)), ("accuracy", (0.9, 1))],
)
def test_calls_through_the_class(method: str, expected: tuple[float, float]) -> None:
    ask = getattr(BiasAmplificationMetric, method)
    found = changed_and_asked(metric_of(hiring(), **SEXES), ask)
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_generator_moves_on() -> None:
    metric = complete()
    rng = np.random.default_rng(0)
    random = {"equalize": "sampled", "n_trials": 2, "random_state": rng}
    assert len({metric.leakage_amplification(**random) for _ in range(12)}) > 1


@pytest.mark.parametrize(
    "parameters",
    [
        {"labels": [0.0, 1.0]},
        {"labels": np.array([0.0, 1.0])},
        {"groups": ["privileged", "unprivileged"]},
    ],
    ids=["list", "array", "groups"],
)
def test_arguments_without_a_hash(parameters: dict[str, Any]) -> None:
    metric = complete()
    expected = metric.directional_bias_amplification()
    assert metric.directional_bias_amplification(**parameters) == expected
    assert metric.directional_bias_amplification("A->T", **parameters) == expected


def test_positional_arguments_without_a_hash() -> None:
    core = bam.DirectionalBiasAmplification()
    metric = complete()
    assert metric.amplification(core).value == metric.directional_bias_amplification()
    assert metric.difference(metric.selection_rate) == metric.statistical_parity_difference()


def freed(watched: weakref.ref[Any]) -> bool:
    gc.collect()
    return watched() is None


def test_an_instance_is_freed_with_its_datasets() -> None:
    metric = complete()
    for method, _, parameters in CASES:
        quiet(getattr(metric, method), **parameters)
        quiet(getattr(metric, f"{method}_by_pair"), **parameters)
    for method in HOSTS_OWN:
        getattr(metric, method)()
    for privileged in (True, False):
        metric.binary_confusion_matrix(privileged=privileged)
    BiasAmplificationTextExplainer(metric).accuracy()
    watched = [weakref.ref(metric), weakref.ref(metric.dataset)]
    del metric
    assert all(freed(one) for one in watched)


@pytest.mark.parametrize("method", ["mals", "accuracy"])
def test_an_instance_asked_through_its_class_is_freed(method: str) -> None:
    metric = complete()
    getattr(BiasAmplificationMetric, method)(metric)
    watched = weakref.ref(metric)
    del metric
    assert freed(watched)


@pytest.mark.parametrize(
    "twin_of",
    [copy.deepcopy, copy.copy, lambda metric: pickle.loads(pickle.dumps(metric))],
    ids=["deepcopy", "copy", "pickle"],
)
def test_copies_give_the_same(twin_of: Any) -> None:
    train = fixed_frame().assign(T=1 - fixed_frame()["T"])
    metric = metric_of(
        fixed_frame(),
        weighted=True,
        **SEXES,
        reference_dataset=dataset(train),
        predicted_protected_attributes=fixed_frame()["sex_pred"],
    )
    twin = twin_of(metric)
    assert type(twin) is BiasAmplificationMetric
    for method, _, parameters in CASES:
        assert getattr(twin, method)(**parameters) == getattr(metric, method)(**parameters)
    assert twin.accuracy() == metric.accuracy()


def test_a_deep_copy_has_its_own_datasets() -> None:
    metric = metric_of(hiring(), **SEXES)
    twin = copy.deepcopy(metric)
    twin.classified_dataset.labels[:] = twin.dataset.labels
    assert (metric.accuracy(), twin.accuracy()) == (0.9, 1.0)
    assert twin.mals() == 0
    assert metric.mals() == pytest.approx(0.2, abs=1e-12)
