"""Metric objects: their names and keys, settings that do not change, and settings that are bad."""

from dataclasses import FrozenInstanceError
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

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


@pytest.mark.parametrize(
    ("name", "key", "direction"),
    [
        ("MALS", "mals", "undirected"),
        ("BA A->T", "ba_a_to_t", "A->T"),
        ("BA T->A", "ba_t_to_a", "T->A"),
        ("Multi A->T", "multi_a_to_t", "A->T"),
        ("Multi T->A", "multi_t_to_a", "T->A"),
        ("Multi undirected", "multi_undirected", "undirected"),
        ("LA", "la", "undirected"),
        ("DPA A->T", "dpa_a_to_t", "A->T"),
        ("DPA T->A", "dpa_t_to_a", "T->A"),
        ("DPA(U) A->T", "dpa_u_a_to_t", "A->T"),
        ("DPA(U) T->A", "dpa_u_t_to_a", "T->A"),
    ],
)
def test_name_and_key_stand_for_the_metric(name, key, direction) -> None:
    for written in (name, name.replace("->", "→"), key):
        metric = get_metric(written)
        assert (metric.name, metric.key, metric.__name__) == (name, key, name)
    assert get_metric(name.removesuffix(" A->T")).name == name
    assert metric.direction == direction


F1 = partial(f1_score, average="macro")


@pytest.mark.parametrize(
    ("metric", "name", "key"),
    [
        (LA(quality="accuracy"), "LA(accuracy)", "la_accuracy"),
        (LA(quality="uncertainty_coefficient"), "LA(U)", "la_u"),
        (DPA(change="absolute"), "DPA(absolute) A->T", "dpa_absolute_a_to_t"),
        (
            DPA(change="absolute", quality="accuracy", direction="T->A"),
            "DPA(accuracy, absolute) T->A",
            "dpa_accuracy_absolute_t_to_a",
        ),
        (LA(attacker="logistic", quality=F1), "LA(f1_score)", "la_f1_score"),
    ],
)
def test_name_tells_what_is_not_the_default(metric, name, key) -> None:
    assert (metric.name, metric.key) == (name, key)


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("BA T-A", r"unknown metric 'BA T-A'; did you mean 'BA T->A'\?"),
        ("recall", r"unknown metric 'recall'\. The metrics are .*\bBA T->A, "),
        (bam.mals_bias_amplification, 'an object or a name, such as "BA"; received function'),
    ],
)
def test_unknown_name_raises_with_a_guess(name, fragment) -> None:
    with pytest.raises(ValueError, match=fragment):
        get_metric(name)


FUNCTIONS = {
    "MALS": bam.mals_bias_amplification,
    "BA": bam.directional_bias_amplification,
    "Multi": bam.multi_attribute_bias_amplification,
    "LA": bam.leakage_amplification,
    "DPA": bam.directional_predictability_amplification,
}
WEIGHTS = {"sample_weight": [1, 2, 1, 1, 3, 1] * 2}

#: Label sets of which the reference lacks one: both columns together, in the last two rows.
MATRICES = {
    "y_true": [[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 0]],
    "y_pred": [[1, 0], [0, 1], [0, 1], [1, 1], [1, 0], [1, 0]],
    "sensitive_features": [*"aababb"],
}
OF_MATRIX = {"reference": ([[1, 0], [1, 0], [0, 1], [0, 1]], [*"aaba"])}

SETTINGS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    *((name, COLUMNS, {"pos_label": 0}) for name in ("MALS", "BA", "Multi")),
    ("LA", COLUMNS, {"quality": "f1", "pos_label": "a"}),
    ("DPA", COLUMNS, {"quality": "f1", "pos_label": 0}),
    *((name, COLUMNS, {"reference": ([0, 1, 1, 2], [*"aabb"])}) for name in ("MALS", "BA")),
    # A class and a group that have no rows in the data.
    *((name, COLUMNS, {"reference": ([0, 1, 2, 3], [*"abbc"])}) for name in ("LA", "DPA")),
    ("Multi", MATRICES, OF_MATRIX),
    *((name, COLUMNS, {"direction": "T->A"}) for name in ("BA", "Multi", "DPA")),
    *((name, COLUMNS, {"quality": "accuracy"}) for name in ("LA", "DPA")),
    *((name, COLUMNS, {"attacker": LogisticRegression()}) for name in ("LA", "DPA")),
]


@pytest.mark.parametrize(("name", "columns", "settings"), SETTINGS)
@pytest.mark.filterwarnings("ignore:.*which the reference has")
def test_function_with_a_setting_is_a_call_of_the_object(name, columns, settings) -> None:
    value = FUNCTIONS[name](**columns, **settings)
    assert value == type(get_metric(name))(**settings)(**columns)
    # The last setting matters.
    *others, _ = settings
    default = FUNCTIONS[name](**columns, **{other: settings[other] for other in others})
    assert abs(value - default) > 0.001


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_with_weights_is_a_call_of_the_object(name) -> None:
    value = FUNCTIONS[name](**COLUMNS, **WEIGHTS)
    assert value == get_metric(name)(**COLUMNS, **WEIGHTS)
    assert abs(value - FUNCTIONS[name](**COLUMNS)) > 0.001


def test_groups_of_a_text_are_a_level_of_the_index(compas) -> None:
    y, levels = compas["two_year_recid"], compas[["race", "sex"]]
    indexed, predicted = y.set_axis(pd.MultiIndex.from_frame(levels)), compas["high"].to_numpy()
    for groups, expected in (("race", 0.0598), (levels.reset_index(drop=True), -0.0124)):
        value = bam.directional_bias_amplification(indexed, predicted, sensitive_features=groups)
        assert round(value, 4) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_settings_are_keywords_and_never_change(kind) -> None:
    with pytest.raises(TypeError, match="positional argument"):
        kind("A->T")
    with pytest.raises(FrozenInstanceError):
        kind().missing = "drop"
    if not kind.directions:
        with pytest.raises(TypeError, match="unexpected keyword argument 'direction'"):
            kind(direction="A->T")


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (MALS(), "MALSBiasAmplification()"),
        (LA(n_trials=3), "LeakageAmplification(n_trials=3)"),
        (BA(direction="T→A", pos_label=1), "(pos_label=1, direction='T->A')"),
        # The values of a reference are long.
        (MALS(reference=([0, 1] * 500, [*"ab"] * 500)), "(reference=<tuple>)"),
    ],
)
def test_repr_has_what_differs_from_the_defaults(metric, expected) -> None:
    assert repr(metric).endswith(expected)


@pytest.mark.parametrize("kind", [BA, Multi, DPA])
@pytest.mark.parametrize("direction", ["sideways", " A->T", "a->t", None, 1])
def test_bad_direction_raises(kind, direction) -> None:
    rule = "'A->T' or 'T->A'"
    rule += " or 'undirected'" if kind is Multi else ""
    with pytest.raises(ValueError, match=f"direction must be {rule}; received {direction!r}"):
        kind(direction=direction)


FITTED = {"attacker": LogisticRegression()}
OF_EXACT = "equalize='expected' is for the exact attacker, and not for 'uncertainty"


@pytest.mark.parametrize(
    ("kind", "settings", "fragment"),
    [
        (LA, {"quality": "x" * 900}, "quality must be .*; received 'xxx"),
        (LA, {"quality": None} | FITTED, "quality must be .*; received None"),
        (LA, {"quality": F1}, "tables .*; received one that returns an error. .* needs attacker="),
        (LA, {"equalize": "always"}, "equalize must be .*; received 'always'"),
        (DPA, {"evaluation": "train"}, "evaluation must be .*; received 'train'"),
        (DPA, {"n_trials": 0}, "n_trials must be a whole number from 1 on; received 0"),
        (LA, {"equalize": "expected", "quality": "uncertainty_coefficient"}, OF_EXACT),
        (DPA, {"equalize": "expected"} | FITTED, OF_EXACT),
        (DPA, {"evaluation": "loo"} | FITTED, "evaluation='loo' is of attacker='exact'"),
        (DPA, {"change": "log"}, "change must be .*; received 'log'"),
        (BA, {"direction": np.array(["A->T"] * 2)}, "one value; received several. In a MetricFr"),
        (MALS, {"pos_label": [1, 1]}, "pos_label must be one value; received several"),
        (Multi, {"combinations": "all"}, "must be 'observed' or 'subsets'; received 'all'"),
        (Multi, {"min_size": 0}, "min_size must be a whole number from 1 on; received 0"),
        (Multi, {"max_size": 1.5}, "max_size must be a whole number from 1 on; received 1.5"),
        (Multi, {"min_support": -1}, "min_support must be a whole number from 1 on; received -1"),
        (Multi, {"min_size": 3, "max_size": 2}, "max_size must be .* from 3 on; received 2"),
    ],
)
def test_bad_setting_raises(kind, settings, fragment) -> None:
    with pytest.raises(ValueError, match=fragment) as raised:
        kind(**settings)
    assert len(str(raised.value)) <= 300


# What is missing or bad in a call.

LOO = {"evaluation": "loo"}
OF_LOG_LOSS = "evaluation='loo' is for unweighted rows and quality='inverse_cross_entropy'"
NEITHER = "y_true or a reference must be given; received neither"
SEVEN = {"y_true": [*range(7)] * 2, "y_pred": [*range(7)] * 2, "sensitive_features": [*"ab"] * 7}
FIVE_OF_SEVEN = "pos_label must be 0, 1, 2, 3, 4 and 2 more; received 9"


@pytest.mark.parametrize(
    ("metric", "changed", "fragment"),
    [
        *((kind(), {"y_pred": None}, "y_pred must be given for") for kind in KINDS),
        *((kind(), {"sensitive_features": None}, "`sensitive_features` is miss") for kind in KINDS),
        *((kind(), {"y_true": None}, NEITHER) for kind in KINDS),
        *(
            (kind(direction="T->A"), {"sensitive_features_pred": None}, "_pred must be given")
            for kind in (BA, Multi, DPA)
        ),
        (DPA(**LOO, quality="accuracy"), {}, OF_LOG_LOSS),
        (DPA(**LOO), WEIGHTS, OF_LOG_LOSS),
        (BA(pos_label=9), SEVEN | {"sensitive_features_pred": None}, FIVE_OF_SEVEN),
        (BA(reference=([0, 1], ["a"])), {}, "reference: all inputs must have as many rows"),
        (BA(reference="evaluated"), {}, "reference: There is no file 'evaluated'"),
        (BA(), {"n_boot": -1}, "n_boot must be a whole number from 0 on; received -1"),
        (BA(), {"n_boot": 10.0}, "n_boot must be a whole number from 0 on; received 10.0"),
        (BA(), {"n_boot": True}, "n_boot must be a whole number from 0 on; received True"),
        (BA(), {"confidence": 1.0}, "confidence must be a float between 0 and 1; received 1.0"),
        (BA(), {"confidence": np.float32(0.9)}, "a float between 0 and 1; received np.float32"),
        (BA(), {"confidence": 95}, "confidence must be a float between 0 and 1; received 95"),
        (BA(), {"random_state": -1}, "random_state must be a whole number from 0 on"),
        (BA(), {"random_state": np.eye(2)}, r"random_state .* received array.*1\.\]\]\)$"),
    ],
)
def test_bad_call_raises(metric, changed, fragment) -> None:
    with pytest.raises(ValueError, match=fragment):
        metric.result(**COLUMNS | changed)


def test_classes_without_rows_leave_a_note_with_three_of_them() -> None:
    groups = SEVEN["sensitive_features"]
    metric = BA(direction="T->A", class_labels=[*range(11)])
    result = metric.result(**SEVEN, sensitive_features_pred=groups, n_boot=0)
    assert result.notes[0].endswith("there are no rows of 7, 8, 9 and 1 more.")
