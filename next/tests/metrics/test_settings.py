"""Metric objects: their names and keys, settings that do not change, and settings that are bad."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import biasamp_adapters as bam
from biasamp_adapters.metrics.functions import get_metric

BA, MALS = bam.DirectionalBiasAmplification, bam.MALSBiasAmplification
Multi = bam.MultiAttributeBiasAmplification
LA, DPA = bam.LeakageAmplification, bam.DirectionalPredictabilityAmplification
KINDS = [MALS, BA, Multi, LA, DPA]

#: Rows whose values differ with each setting of the functions.
COLUMNS: dict[str, Any] = {
    "y_true": [1, 1, 2, 2, 0, 0, 2, 2, 0, 0, 2, 1],
    "y_pred": [1, 0, 2, 2, 0, 0, 2, 0, 0, 0, 2, 2],
    "sensitive_features": [*"aaaabbaaaabb"],
    "sensitive_features_pred": [*"aaaabbabaabb"],
}

#: The table of names and keys in the documentation.
NAMES = {
    "MALS": "mals",
    "BA A->T": "ba_a_to_t",
    "BA T->A": "ba_t_to_a",
    "Multi A->T": "multi_a_to_t",
    "Multi T->A": "multi_t_to_a",
    "Multi undirected": "multi_undirected",
    "LA": "la",
    "DPA A->T": "dpa_a_to_t",
    "DPA T->A": "dpa_t_to_a",
    "DPA(U) A->T": "dpa_u_a_to_t",
    "DPA(U) T->A": "dpa_u_t_to_a",
}


# Names.


@pytest.mark.parametrize(("name", "key"), NAMES.items())
def test_name_and_key_stand_for_the_metric(name: str, key: str) -> None:
    for written in (name, name.replace("->", "→"), key):
        metric = get_metric(written)
        assert (metric.name, metric.key, metric.__name__) == (name, key, name)
    short = name.removesuffix(" A->T")
    assert get_metric(short).name == name
    direction = name.split(" ")[1] if " " in name else "undirected"
    assert metric.direction == direction


FUNCTIONS = {
    "MALS": bam.mals_bias_amplification,
    "BA": bam.directional_bias_amplification,
    "Multi": bam.multi_attribute_bias_amplification,
    "LA": bam.leakage_amplification,
    "DPA": bam.directional_predictability_amplification,
}
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    *((name, {"pos_label": 0}) for name in ("MALS", "BA", "Multi")),
    ("LA", {"quality": "f1", "pos_label": "a"}),
    ("DPA", {"quality": "f1", "pos_label": 0}),
    *((name, {"reference": ([0, 1, 1, 2], [*"aabb"])}) for name in ("MALS", "BA")),
    # A class and a group that have no rows in the data.
    *((name, {"reference": ([0, 1, 2, 3], [*"abbc"])}) for name in ("LA", "DPA")),
    *((name, {"direction": "T->A"}) for name in ("BA", "Multi", "DPA")),
    *((name, {"quality": "accuracy"}) for name in ("LA", "DPA")),
    *((name, {"attacker": DummyClassifier(strategy="prior")}) for name in ("LA", "DPA")),
]


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
@pytest.mark.filterwarnings("ignore:.*which the reference has")
def test_function_with_a_setting_is_a_call_of_the_object(
    name: str, settings: dict[str, Any]
) -> None:
    value = FUNCTIONS[name](**COLUMNS, **settings)
    kind = type(get_metric(name))
    assert value == kind(**settings)(**COLUMNS)
    # The last setting matters.
    *others, _ = settings
    default = FUNCTIONS[name](**COLUMNS, **{other: settings[other] for other in others})
    assert abs(value - default) > 0.001


def test_multi_function_with_a_reference_compares_its_label_sets() -> None:
    # Both columns together occur in the last two rows only, which the reference lacks.
    truth = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 0]])
    predicted = np.array([[1, 0], [0, 1], [0, 1], [1, 1], [1, 0], [1, 0]])
    groups, reference = [*"aababb"], (truth[:4], [*"aaba"])
    columns: Any = {"y_true": truth, "y_pred": predicted, "sensitive_features": groups}
    value = bam.multi_attribute_bias_amplification(**columns, reference=reference)
    assert value == Multi(reference=reference)(**columns)
    assert abs(value - bam.multi_attribute_bias_amplification(**columns)) > 0.001


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_with_weights_is_a_call_of_the_object(name: str) -> None:
    weights = [1, 2, 1, 1, 3, 1] * 2
    value = FUNCTIONS[name](**COLUMNS, sample_weight=weights)
    assert value == get_metric(name)(**COLUMNS, sample_weight=weights)
    assert abs(value - FUNCTIONS[name](**COLUMNS)) > 0.001


@pytest.mark.parametrize(
    ("metric", "name", "key"),
    [
        (LA(quality="accuracy"), "LA(accuracy)", "la_accuracy"),
        (LA(quality="uncertainty_coefficient"), "LA(U)", "la_u"),
        (DPA(quality="accuracy"), "DPA(accuracy) A->T", "dpa_accuracy_a_to_t"),
        (DPA(change="absolute"), "DPA(absolute) A->T", "dpa_absolute_a_to_t"),
        (
            DPA(change="absolute", quality="accuracy", direction="T->A"),
            "DPA(accuracy, absolute) T->A",
            "dpa_accuracy_absolute_t_to_a",
        ),
    ],
)
def test_name_tells_what_is_not_the_default(metric: Any, name: str, key: str) -> None:
    assert (metric.name, metric.key) == (name, key)
    result = metric.result(**COLUMNS, n_boot=0)
    assert (result.metric, result.key) == (name, key)


def test_unknown_name_raises_with_a_guess() -> None:
    with pytest.raises(ValueError, match=r"unknown metric 'BA T-A'; did you mean 'BA T->A'\?"):
        get_metric("BA T-A")
    with pytest.raises(ValueError, match=r"The metrics are MALS, BA, BA T->A, .* DPA\(U\) T->A\."):
        get_metric("recall")
    with pytest.raises(ValueError, match=r"an object, MALSBiasAmplification\(\); received the cl"):
        get_metric(MALS)


# Objects.


@pytest.mark.parametrize("kind", KINDS)
def test_settings_are_keywords_and_never_change(kind: Any) -> None:
    with pytest.raises(TypeError, match="positional argument"):
        kind("A->T")
    with pytest.raises(FrozenInstanceError):
        kind().missing = "drop"


def test_repr_has_what_differs_from_the_defaults() -> None:
    assert repr(MALS()) == "MALSBiasAmplification()"
    assert repr(LA(n_trials=3)) == "LeakageAmplification(n_trials=3)"
    metric = BA(direction="T->A", pos_label=1, group_labels=["b", "a"])
    expected = "pos_label=1, group_labels=['b', 'a'], direction='T->A'"
    assert repr(metric) == f"DirectionalBiasAmplification({expected})"
    # The values of a reference are long.
    assert repr(MALS(reference=([0, 1] * 500, [*"ab"] * 500))) == (
        "MALSBiasAmplification(reference=<tuple>)"
    )


@pytest.mark.parametrize("kind", [BA, Multi, DPA])
def test_direction_may_have_the_typographic_arrow(kind: Any) -> None:
    values = {}
    for written, plain in (("A→T", "A->T"), ("T→A", "T->A")):
        assert kind(direction=written).direction == plain
        values[plain] = kind(direction=plain)(**COLUMNS)
        assert kind(direction=written)(**COLUMNS) == values[plain]
    assert values["A->T"] != values["T->A"]


# Bad settings.


@pytest.mark.parametrize("kind", [BA, Multi, DPA])
@pytest.mark.parametrize("direction", ["sideways", " A->T", "A-> T", "a->t", None, 1])
def test_bad_direction_raises(kind: Any, direction: Any) -> None:
    rule = "'A->T' or 'T->A'"
    rule += " or 'undirected'" if kind is Multi else ""
    with pytest.raises(ValueError, match=f"direction must be {rule}; received {direction!r}"):
        kind(direction=direction)


LOO = {"evaluation": "loo"}
BAD_ATTACKS: list[tuple[dict[str, Any], str]] = [
    ({"quality": "auc"}, "quality must be .*; received 'auc'"),
    ({"equalize": "always"}, "equalize must be .*; received 'always'"),
    ({"evaluation": "train"}, "evaluation must be .*; received 'train'"),
    ({"n_trials": 0}, "n_trials must be a whole number from 1 on; received 0"),
    ({"n_trials": 2.5}, "n_trials must be a whole number from 1 on; received 2.5"),
    (
        {"equalize": "expected", "quality": "uncertainty_coefficient"},
        "equalize='expected' is for the exact attacker, and not for 'uncertainty",
    ),
    (
        {"equalize": "expected", "attacker": LogisticRegression()},
        "equalize='expected' is for the exact attacker",
    ),
    (LOO | {"attacker": LogisticRegression()}, "evaluation='loo' is of attacker='exact'"),
]


@pytest.mark.parametrize("kind", [LA, DPA])
@pytest.mark.parametrize(("settings", "fragment"), BAD_ATTACKS)
def test_bad_setting_of_an_attack_raises(
    kind: Any, settings: dict[str, Any], fragment: str
) -> None:
    with pytest.raises(ValueError, match=fragment):
        kind(**settings)


def test_leave_one_out_is_of_log_loss_and_of_rows_without_weights() -> None:
    rule = "evaluation='loo' is for unweighted rows and quality='inverse_cross_entropy'"
    with pytest.raises(ValueError, match=rule):
        DPA(**LOO, quality="accuracy")(**COLUMNS)
    with pytest.raises(ValueError, match=rule):
        DPA(**LOO)(**COLUMNS, sample_weight=[0.5] * 12)
    # One trial of flips is that of the first seed.
    assert np.isfinite(DPA(**LOO, n_trials=1)(**COLUMNS))


BAD_MULTI: list[tuple[dict[str, Any], str]] = [
    ({"combinations": "all"}, "combinations must be 'observed' or 'subsets'; received 'all'"),
    ({"min_size": 0}, "min_size must be a whole number from 1 on; received 0"),
    ({"max_size": 1.5}, "max_size must be a whole number from 1 on; received 1.5"),
    ({"min_support": -1}, "min_support must be a whole number from 1 on; received -1"),
    ({"min_size": 3, "max_size": 2}, "max_size must be a whole number from 3 on; received 2"),
]


@pytest.mark.parametrize(("settings", "fragment"), BAD_MULTI)
def test_bad_setting_of_multi_raises(settings: dict[str, Any], fragment: str) -> None:
    with pytest.raises(ValueError, match=fragment):
        Multi(**settings)
    assert Multi(min_size=2, max_size=2).max_size == 2


def test_bad_change_of_dpa_raises() -> None:
    with pytest.raises(ValueError, match=r"change must be .*; received 'log'"):
        DPA(change="log")


@pytest.mark.parametrize(
    ("asked", "fragment"),
    [
        ({"n_boot": -1}, "n_boot must be a whole number from 0 on; received -1"),
        ({"n_boot": 10.0}, "n_boot must be a whole number from 0 on; received 10.0"),
        ({"n_boot": True}, "n_boot must be a whole number from 0 on; received True"),
        ({"confidence": 1.0}, "confidence must lie between 0 and 1; received 1.0"),
        ({"confidence": 0.0}, "confidence must lie between 0 and 1; received 0.0"),
        ({"confidence": 95}, "confidence must lie between 0 and 1; received 95"),
    ],
)
def test_bad_request_of_a_result_raises(asked: dict[str, Any], fragment: str) -> None:
    with pytest.raises(ValueError, match=fragment):
        BA().result(**COLUMNS, **asked)


SEVEN_LABELS, TWO_GROUPS = [*range(7)] * 2, ["a"] * 7 + ["b"] * 7


def test_bad_pos_label_raises_with_five_of_the_labels() -> None:
    rule = "pos_label must be one of 0, 1, 2, 3, 4 and 2 more; received 9"
    with pytest.raises(ValueError, match=rule):
        BA(pos_label=9)(SEVEN_LABELS, SEVEN_LABELS, sensitive_features=TWO_GROUPS)


def test_classes_without_rows_leave_a_note_with_three_of_them() -> None:
    note = "there are no rows of 7, 8, 9 and 1 more."
    metric = BA(direction="T->A", class_labels=[*range(11)])
    result = metric.result(
        y_true=SEVEN_LABELS,
        sensitive_features=TWO_GROUPS,
        sensitive_features_pred=TWO_GROUPS,
        n_boot=0,
    )
    assert result.notes[0].endswith(note)


@pytest.mark.parametrize("kind", KINDS)
def test_argument_that_a_metric_needs_is_named(kind: Any) -> None:
    with pytest.raises(ValueError, match="y_pred must be given for"):
        kind()(**COLUMNS | {"y_pred": None})
    with pytest.raises(ValueError, match="`sensitive_features` is missing"):
        kind()(**COLUMNS | {"sensitive_features": None})
    with pytest.raises(ValueError, match="y_true or a reference must be given; received neither"):
        kind()(**COLUMNS | {"y_true": None})
    if kind in (BA, Multi, DPA):
        with pytest.raises(ValueError, match=r"sensitive_features_pred must be given for .* T->A"):
            kind(direction="T->A")(**COLUMNS | {"sensitive_features_pred": None})
