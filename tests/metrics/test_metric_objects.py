"""Metric objects as values: parameters, copies, names, and errors that state the rule."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from exact_oracle import Row
from metric_cases import arguments

import biasamp_adapters
from biasamp_adapters import (
    MALS,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    JointCounts,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)

ROWS = [Row("a", 0, "a", 0)] * 3 + [Row("a", 1, "b", 0)] + [Row("b", 1, "b", 1)] * 2
ROWS += [Row("b", 0, "b", 1)]
DATA = arguments(ROWS)
REFERENCE = ([0, 1, 1, 0, 1], ["a", "a", "b", "b", "b"])

DIRECTED = [
    DirectionalBiasAmplification,
    MultiAttributeBiasAmplification,
    DirectionalPredictabilityAmplification,
]
REFERENCED = [MALS, DirectionalBiasAmplification, MultiAttributeBiasAmplification]
PREDICTABILITY = [LeakageAmplification, DirectionalPredictabilityAmplification]
ALL = [*REFERENCED, *PREDICTABILITY]


@pytest.mark.parametrize("kind", ALL)
def test_parameters_are_keywords_and_fixed(kind: type) -> None:
    with pytest.raises(TypeError, match="positional argument"):
        kind("A->T")
    with pytest.raises(FrozenInstanceError, match="missing"):
        kind().missing = "drop"


def with_parameters() -> list[Any]:
    return [
        MALS(reference=REFERENCE, pos_label=1),
        DirectionalBiasAmplification(direction="T->A", reference=REFERENCE),
        MultiAttributeBiasAmplification(direction="undirected", min_support=2),
        LeakageAmplification(equalize="sampled", n_trials=4, random_state=3),
        DirectionalPredictabilityAmplification(direction="T->A", quality="accuracy", labels=[1, 0]),
    ]


@pytest.mark.parametrize("metric", with_parameters(), ids=lambda metric: metric.__name__)
@pytest.mark.parametrize(
    "duplicate", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy], ids=["pickle", "copy"]
)
def test_copies_do_the_same_and_are_not_equal(metric: Any, duplicate: Any) -> None:
    twin = duplicate(metric)
    assert twin(**DATA) == metric(**DATA)
    assert repr(twin) == repr(metric)
    assert metric == metric  # by identity
    assert twin != metric
    assert len({twin, metric}) == 2


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        (MALS(), "MALS"),
        (DirectionalBiasAmplification(), "DirectionalBiasAmplification A->T"),
        (
            DirectionalBiasAmplification(direction="task_to_attribute"),
            "DirectionalBiasAmplification T->A",
        ),
        (
            MultiAttributeBiasAmplification(direction="undirected"),
            "MultiAttributeBiasAmplification undirected",
        ),
        (LeakageAmplification(), "LeakageAmplification"),
        (
            DirectionalPredictabilityAmplification(direction="T->A"),
            "DirectionalPredictabilityAmplification T->A",
        ),
    ],
)
def test_names(metric: Any, name: str) -> None:
    assert metric.__name__ == name


def test_repr_shows_what_differs_from_the_defaults() -> None:
    assert repr(MALS()) == "MALS()"
    assert repr(LeakageAmplification(n_trials=3)) == "LeakageAmplification(n_trials=3)"
    metric = DirectionalBiasAmplification(direction="T->A", pos_label=1, groups=["b", "a"])
    assert repr(metric) == (
        "DirectionalBiasAmplification(groups=('b', 'a'), pos_label=1, direction='T->A')"
    )
    reference = MALS(reference=REFERENCE)
    assert repr(reference).startswith("MALS(reference=<JointCounts: 5 rows")


@pytest.mark.parametrize("kind", DIRECTED)
@pytest.mark.parametrize(
    ("long", "short"), [("attribute_to_task", "A->T"), ("task_to_attribute", "T->A")]
)
def test_both_forms_of_a_direction(kind: type, long: str, short: str) -> None:
    assert kind(direction=long)(**DATA) == kind(direction=short)(**DATA)
    assert kind(direction=long).result(**DATA).direction == short


@pytest.mark.parametrize("kind", DIRECTED)
@pytest.mark.parametrize(
    ("written", "short"),
    [
        ("A\u2192T", "A->T"),
        ("t\u2192a", "T->A"),
        ("a->t", "A->T"),
        ("Attribute_To_Task", "A->T"),
        ("TASK_TO_ATTRIBUTE", "T->A"),
    ],
)
def test_a_direction_in_any_case_and_with_the_sign_of_an_arrow(
    kind: type, written: str, short: str
) -> None:
    assert kind(direction=written)(**DATA) == kind(direction=short)(**DATA)
    assert kind(direction=written).short_direction == short


def test_undirected_in_any_case() -> None:
    assert MultiAttributeBiasAmplification(direction="Undirected").short_direction == "undirected"


@pytest.mark.parametrize("direction", [" A->T", "A->T ", "A-> T", "A>T", None, 1])
@pytest.mark.parametrize("kind", DIRECTED)
def test_other_spellings_of_a_direction(kind: type, direction: Any) -> None:
    with pytest.raises(ValueError, match=rf"direction must be .*; received {direction!r}$"):
        kind(direction=direction)


@pytest.mark.parametrize("kind", DIRECTED)
def test_an_unknown_direction(kind: type) -> None:
    with pytest.raises(ValueError, match=r"direction must be .*\(A->T\).*; received 'sideways'"):
        kind(direction="sideways")


@pytest.mark.parametrize(
    "kind", [DirectionalBiasAmplification, DirectionalPredictabilityAmplification]
)
def test_only_multi_is_undirected(kind: type) -> None:
    with pytest.raises(ValueError, match=r"direction must be .*; received 'undirected'"):
        kind(direction="undirected")


@pytest.mark.parametrize("kind", DIRECTED)
def test_t_to_a_needs_the_predicted_attribute(kind: type) -> None:
    data = {**DATA, "sensitive_features_pred": None}
    with pytest.raises(ValueError, match="sensitive_features_pred must be given; received None"):
        kind(direction="T->A")(**data)


def test_mals_and_undirected_multi_do_without() -> None:
    data = {**DATA, "sensitive_features_pred": None}
    same = {**DATA, "sensitive_features_pred": DATA["sensitive_features"]}
    for metric in (MALS(), MultiAttributeBiasAmplification(direction="undirected")):
        assert metric(**data) == metric(**same)


@pytest.mark.parametrize("kind", ALL)
def test_predictions_and_the_attribute_are_needed(kind: type) -> None:
    with pytest.raises(ValueError, match="y_pred must be given; received None"):
        kind()(**{**DATA, "y_pred": None})
    with pytest.raises(ValueError, match="sensitive_features must be given; received None"):
        kind()(**{**DATA, "sensitive_features": None})


@pytest.mark.parametrize("kind", ALL)
def test_the_truth_is_needed_without_a_reference(kind: type) -> None:
    with pytest.raises(ValueError, match=r"y_true must be given.*; received None"):
        kind()(**{**DATA, "y_true": None})


def test_directions_from_a_reference_need_the_truth_too() -> None:
    metric = DirectionalBiasAmplification(reference=REFERENCE)
    with pytest.raises(ValueError, match=r"y_true must be given.*; received None"):
        metric(**{**DATA, "y_true": None})


def test_mals_with_a_reference_needs_no_test_truth() -> None:
    metric = MALS(reference=REFERENCE)
    assert metric(**{**DATA, "y_true": None}) == metric(**DATA)
    undirected = MultiAttributeBiasAmplification(direction="undirected", reference=REFERENCE)
    assert undirected(**{**DATA, "y_true": None}) == undirected(**DATA)


@pytest.mark.parametrize("kind", REFERENCED)
def test_references(kind: type) -> None:
    as_counts = JointCounts.from_arrays(REFERENCE[0], sensitive_features=REFERENCE[1])
    expected = kind(reference=REFERENCE)(**DATA)
    assert kind(reference=as_counts)(**DATA) == expected
    assert kind(reference=list(REFERENCE))(**DATA) == expected
    with pytest.raises(
        ValueError, match=r"\(y_true, sensitive_features\), counts or .* received ndarray"
    ):
        kind(reference=np.zeros(3))
    with pytest.raises(ValueError, match="a reference must count task and attribute"):
        kind(reference=JointCounts.from_arrays([0, 1]))
    with pytest.raises(ValueError, match="in the reference, inputs must have the same length"):
        kind(reference=([0, 1], ["a"]))
    with pytest.raises(ValueError, match="same groups as the data; received 'a', 'c'"):
        kind(reference=([0, 1], ["a", "c"]))(**DATA)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"missing": "ignore"}, "missing must be 'error', 'drop' or 'abstain'; received 'ignore'"),
        ({"labels": "01"}, "labels must be a list of labels; received the string '01'"),
        ({"groups": ["a", "a"]}, r"groups must list .* each once; received \['a', 'a'\]"),
        ({"groups": []}, "groups must list at least one label"),
    ],
)
def test_bad_parameters_of_every_metric(kind: type, parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(**parameters)


@pytest.mark.parametrize("kind", PREDICTABILITY)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"quality": "auc"}, "quality must be one of .*; received 'auc'"),
        ({"attacker": "forest"}, "attacker must be .*'exact'.*; received 'forest'"),
        ({"equalize": "always"}, "equalize must be one of .*; received 'always'"),
        ({"evaluation": "train"}, "evaluation must be one of .*; received 'train'"),
        ({"n_trials": 0}, "n_trials must be a whole number from 1 to 1,000,000; received 0"),
        ({"n_trials": 2.5}, "n_trials must be a whole number from 1 to 1,000,000; received 2.5"),
        (
            {"evaluation": "loo", "quality": "accuracy"},
            "evaluation='loo' is for quality='inverse_cross_entropy' only; received 'accuracy'",
        ),
        (
            {
                "evaluation": "loo",
                "quality": "inverse_cross_entropy",
                "equalize": "expected",
            },
            "evaluation='loo' needs rows, so equalize='sampled'.*; received 'expected'",
        ),
    ],
)
def test_bad_parameters_of_predictability(kind: type, parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(**parameters)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"combinations": "all"}, "combinations must be 'observed' or 'subsets'; received 'all'"),
        ({"min_size": 0}, "min_size must be a whole number of at least 1; received 0"),
        ({"max_size": 1.5}, "max_size must be a whole number of at least 1; received 1.5"),
        ({"min_support": -1}, "min_support must be a whole number of at least 1; received -1"),
    ],
)
def test_bad_parameters_of_multi(parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MultiAttributeBiasAmplification(**parameters)


def test_multi_needs_sets_of_the_asked_support() -> None:
    # Tasks 0 and 1 have 4 and 3 rows.
    only_0 = MultiAttributeBiasAmplification(min_support=4).result(**DATA)
    assert set(only_0.by_pair["task"]) == {0}
    with pytest.raises(ValueError, match="received min_size=1 and min_support=5"):
        MultiAttributeBiasAmplification(min_support=5)(**DATA)
    with pytest.raises(ValueError, match="received min_size=2 and min_support=1"):
        MultiAttributeBiasAmplification(min_size=2)(**DATA)


@pytest.mark.parametrize("kind", REFERENCED)
def test_an_unknown_positive_label(kind: type) -> None:
    with pytest.raises(ValueError, match="pos_label must be one of the labels 0, 1; received 2"):
        kind(pos_label=2)(**DATA)


def test_rmse_needs_numeric_targets() -> None:
    metric = DirectionalPredictabilityAmplification(quality="inverse_rmse", direction="T->A")
    with pytest.raises(ValueError, match="numeric target; received the labels 'a', 'b'"):
        metric(**DATA)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"n_boot": -1}, "n_boot must be a whole number from 0 to 1,000,000; received -1"),
        ({"n_boot": 10.0}, "n_boot must be a whole number from 0 to 1,000,000; received 10.0"),
        ({"confidence": 1.0}, "confidence must lie strictly between 0 and 1; received 1.0"),
        ({"confidence": 95}, "confidence must lie strictly between 0 and 1; received 95"),
        ({"interval_method": "exact"}, "interval_method must be one of .*; received 'exact'"),
        ({"signs": "free"}, "signs must be 'reference' or 'reestimated'; received 'free'"),
    ],
)
def test_bad_requests_of_a_result(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DirectionalBiasAmplification().result(**DATA, **asked)


def test_counts_of_two_models_need_a_choice() -> None:
    counts = JointCounts.from_arrays(
        DATA["y_true"],
        {"tree": DATA["y_pred"], "truth": DATA["y_true"]},
        DATA["sensitive_features"],
    )
    metric = DirectionalBiasAmplification()
    with pytest.raises(ValueError, match=r"these counts hold \['tree', 'truth'\]"):
        metric.from_counts(counts)
    assert metric.from_counts(counts.model("tree")).value == metric(**DATA) != 0
    assert metric.from_counts(counts.model("truth")).value == 0


def test_the_package_lists_every_metric() -> None:
    assert {kind.__name__ for kind in ALL} <= set(biasamp_adapters.__all__)
