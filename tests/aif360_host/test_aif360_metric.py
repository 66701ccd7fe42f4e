"""The metric class for AIF360: worked values, the core on the same rows, inherited methods."""

import copy
import gc
import weakref
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import pytest
from aif360_cases import SEXES, classified, dataset, drawn, hiring, metric_of

import biasamp_adapters as bam
from biasamp_adapters.aif360 import BiasAmplificationMetric, BiasAmplificationTextExplainer
from biasamp_adapters.aif360.metric import MetricMethods
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.functions import get_metric

# isort: split
from aif360.datasets import StandardDataset
from aif360.metrics import BinaryLabelDatasetMetric, ClassificationMetric

OF_DPA = "directional_predictability_amplification"
#: Each method with its settings, and the name of the metric behind it.
CASES: list[tuple[str, dict[str, Any], str]] = [
    ("mals_bias_amplification", {}, "MALS"),
    ("directional_bias_amplification", {"direction": "A->T"}, "BA"),
    ("directional_bias_amplification", {"direction": "T->A"}, "BA"),
    ("multi_attribute_bias_amplification", {"direction": "A->T"}, "Multi"),
    ("multi_attribute_bias_amplification", {"direction": "T->A"}, "Multi"),
    ("multi_attribute_bias_amplification", {"direction": "undirected"}, "Multi"),
    ("leakage_amplification", {"quality": "accuracy"}, "LA"),
    (OF_DPA, {}, "DPA"),
    (OF_DPA, {"direction": "T->A", "quality": "uncertainty_coefficient"}, "DPA"),
]


@pytest.mark.parametrize("groups", [SEXES, {}])
def test_metric_of_hiring_gives_worked_values(groups) -> None:
    metric = metric_of(hiring(), **groups, predicted_protected_attributes=hiring()["sex"])
    # All 40 predicted positives are of sex 1, of the labelled ones 40 of 50.
    assert metric.mals_bias_amplification() == pytest.approx(40 / 40 - 40 / 50, abs=1e-12)
    # Sex 1 keeps its rates, sex 0 falls from 10 of 50 to none.
    assert metric.directional_bias_amplification() == pytest.approx((10 / 50) / 2, abs=1e-12)
    assert metric.directional_bias_amplification("T->A") == 0
    pairs = metric.directional_bias_amplification_by_pair().set_index(["group", "class"])
    assert pairs.loc[(0, 1), "change"] == pytest.approx(-0.2)
    if groups:
        assert metric.statistical_parity_difference() == pytest.approx(0 / 50 - 40 / 50)


@pytest.mark.parametrize(("method", "settings", "name"), CASES)
@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_method_is_the_metric_of_the_same_rows(method, settings, name, n_labels, weighted) -> None:
    frame, train = drawn(n_labels), drawn(n_labels, 90)
    guess, attributes = frame[["sex_pred", "age_pred"]], ["sex", "age"]
    options = {"predicted_protected_attributes": guess.to_numpy()}
    reference = dataset(train, weighted=weighted)
    metric = metric_of(frame, weighted=weighted, reference_dataset=reference, **options)
    weights = {"sample_weight": train["weight"]} if weighted else {}
    signs = bam.Counts.from_arrays(train["y"], sensitive_features=train[attributes], **weights)
    of_name = get_metric(name, **settings)
    if type(of_name).measure is not Metric.measure:  # A formula on margins alone reads no signs.
        of_name = replace(of_name, reference=signs)
    expected = of_name.result(
        frame["y"],
        frame["y_pred"],
        sensitive_features=frame[attributes],
        sensitive_features_pred=guess.set_axis(attributes, axis=1),
        sample_weight=frame["weight"] if weighted else None,
        n_boot=0,
    )
    value = getattr(metric, method)(**settings)
    assert value == pytest.approx(expected.value, abs=1e-12)
    assert abs(value) > 1e-6
    pairs = getattr(metric, f"{method}_by_pair")(**settings)
    pd.testing.assert_frame_equal(pairs, expected.by_pair)


def test_every_metric_has_its_pairs_and_explanations_with_its_parameters() -> None:
    names = [name for name in vars(MetricMethods) if not name.startswith("_")]
    assert set(names) == {method for method, *_ in CASES}
    for name in names:
        expected = list(signature(getattr(BiasAmplificationMetric, name)).parameters)
        pairs = getattr(BiasAmplificationMetric, f"{name}_by_pair")
        texts = getattr(BiasAmplificationTextExplainer, name)
        assert list(signature(pairs).parameters) == list(signature(texts).parameters) == expected
        assert pairs.__name__ == f"{name}_by_pair"


def test_favourable_label_is_the_class_of_mals_and_f1() -> None:
    frame = drawn()
    turned = frame.assign(y=1 - frame["y"], y_pred=1 - frame["y_pred"])
    truth = dataset(turned, favorable_label=0, unfavorable_label=1)
    metric = BiasAmplificationMetric(truth, classified(truth, turned["y_pred"]), **SEXES)
    plain = metric_of(frame, **SEXES)
    assert metric.mals_bias_amplification() == pytest.approx(plain.mals_bias_amplification())
    of_other = plain.mals_bias_amplification(pos_label=0)
    assert metric.mals_bias_amplification(pos_label=1) == pytest.approx(of_other)
    f1 = {"quality": "f1", "equalize": "expected"}
    values = [x.directional_predictability_amplification(**f1) for x in (metric, plain)]
    assert values[0] == pytest.approx(values[1])
    assert plain.directional_predictability_amplification(pos_label=0, **f1) != values[1]


def test_favourable_label_says_nothing_about_predicted_groups() -> None:
    frame = drawn()
    truth = dataset(frame, favorable_label=0, unfavorable_label=1)
    predicted, guess = classified(truth, frame["y_pred"]), frame["sex_pred"]
    metric = BiasAmplificationMetric(truth, predicted, **SEXES, **{GUESS: guess})
    f1 = {"direction": "T->A", "quality": "f1", "equalize": "expected"}
    expected = bam.DirectionalPredictabilityAmplification(**f1)(
        frame["y"], frame["y_pred"], sensitive_features=frame["sex"], sensitive_features_pred=guess
    )
    assert metric.directional_predictability_amplification(**f1) == pytest.approx(expected)


def test_groups_of_several_attributes_leave_out_the_other_rows() -> None:
    frame = drawn()
    sides = {"unprivileged_groups": [{"sex": 0, "age": 0}], "privileged_groups": [{"sex": 1}]}
    n = int(((frame["sex"] == 0) & (frame["age"] == 1)).sum())
    rule = f"Rows in neither of the two groups are left out: {n}. AIF360's measures of all rows"
    with pytest.warns(bam.AmplificationWarning, match=rule):
        metric = metric_of(frame, **sides, predicted_protected_attributes=frame[["age", "sex"]])
    kept = frame[(frame["sex"] == 1) | (frame["age"] == 0)]
    groups = kept["sex"].map({0: "unprivileged", 1: "privileged"})
    expected = bam.directional_bias_amplification(kept.y, kept.y_pred, sensitive_features=groups)
    assert metric.directional_bias_amplification() == pytest.approx(expected, abs=1e-12)
    assert metric.directional_bias_amplification("T->A") == 0


@pytest.mark.parametrize("kind", [pd.DataFrame, dict, np.column_stack])
def test_predicted_attributes_of_any_kind_are_the_same(kind) -> None:
    frame = drawn()
    # Columns with names may be in any order.
    columns = {"age": frame["age_pred"].to_numpy(), "sex": frame["sex_pred"].to_numpy()}
    guess = kind(columns) if kind is not np.column_stack else kind([columns["sex"], columns["age"]])
    expected = bam.directional_bias_amplification(
        frame["y"],
        frame["y_pred"],
        sensitive_features=frame[["sex", "age"]],
        sensitive_features_pred=frame[["sex_pred", "age_pred"]],
        direction="T->A",
    )
    metric = metric_of(frame, predicted_protected_attributes=guess)
    assert metric.directional_bias_amplification("T->A") == pytest.approx(expected, abs=1e-12)


def test_group_predicted_to_be_neither_counts_as_wrong() -> None:
    frame = hiring()
    guess = frame["sex"].where(frame.index != 99, 2)
    metric = metric_of(frame, **SEXES, predicted_protected_attributes=guess)
    # Of 50 hired rows, the 10 of sex 0 are predicted as such, but one that is in neither group.
    # Its sign is that of hiring: positive for sex 1, so the fall of sex 0 counts positive.
    assert metric.directional_bias_amplification("T->A") == pytest.approx((1 / 50) / 4)


def test_words_of_a_standard_dataset_name_the_groups() -> None:
    words = hiring().replace({"sex": {0: "woman", 1: "man"}}).astype({"sex": object})
    maps = {"protected_attribute_maps": [{1.0: "man", 0.0: "woman"}]}
    columns = {"protected_attribute_names": ["sex"], "privileged_classes": [["man"]]}
    truth = StandardDataset(words[["sex", "y"]], "y", [1], **columns, metadata=maps)
    metric = BiasAmplificationMetric(truth, classified(truth, hiring()["y_pred"]), **SEXES)
    pairs = metric.directional_bias_amplification_by_pair()
    assert pairs["group"].unique().tolist() == ["man", "woman"]


GIVEN = {"difference", "ratio", "rich_subgroup"}
METHODS = {name: getattr(ClassificationMetric, name) for name in dir(ClassificationMetric)}
PLAIN = [x for x in METHODS if x[0] != "_" and callable(METHODS[x]) and x not in GIVEN]
OF_ONE_GROUP = [x for x in PLAIN if "privileged" in METHODS[x].__wrapped__.__code__.co_varnames]


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_inherited_methods_are_equal(n_labels, weighted) -> None:
    frame = drawn(n_labels)
    truth = dataset(frame, weighted=weighted)
    predicted = classified(truth, frame["y_pred"], np.where(frame["y_pred"] > 0, 0.75, 0.25))
    plain, ours = (
        kind(truth, predicted, **SEXES) for kind in (ClassificationMetric, BiasAmplificationMetric)
    )
    calls: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in PLAIN]
    calls += [(name, {"privileged": one}) for name in OF_ONE_GROUP for one in (True, False)]
    assert len(calls) > 130
    for name, settings in calls:
        expected = getattr(plain, name)(**settings)
        np.testing.assert_equal(getattr(ours, name)(**settings), expected, err_msg=name)
    assert ours.difference(ours.selection_rate) == plain.difference(plain.selection_rate)
    assert ours.rich_subgroup((1,) * 240) == plain.rich_subgroup((1,) * 240)


def test_metric_of_ours_remembers_nothing() -> None:
    metric = metric_of(hiring(), **SEXES)
    asked = ("directional_bias_amplification", "mals_bias_amplification")
    assert [getattr(metric, name)() for name in asked] == pytest.approx([0.1, 0.2])
    before = metric.mals_bias_amplification_by_pair()
    metric.classified_dataset.labels[:] = metric.dataset.labels
    assert [getattr(metric, name)() for name in asked] == [0, 0]
    assert not metric.mals_bias_amplification_by_pair().equals(before)
    assert copy.deepcopy(metric).accuracy() == 1
    watched = weakref.ref(metric)
    del metric
    gc.collect()
    assert watched() is None


def metric_with(labels: Any = None, favorable: int = 1, **options: Any) -> Any:
    truth = dataset(hiring(), favorable_label=favorable, unfavorable_label=1 - favorable)
    predicted = classified(truth, hiring()["y_pred"] if labels is None else labels)
    return BiasAmplificationMetric(truth, predicted, **{**SEXES, **options})


NAN = hiring()["y"].where(hiring().index > 0)
SCORES = hiring()["y"] * 0.8 + 0.1
LABELS = r"classified_dataset.labels must be labels of the dataset, 0\.0, 1\.0; received "
GUESS = "predicted_protected_attributes"
OTHER_LABEL = dataset(hiring(), favorable_label=0, unfavorable_label=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        # Scores in place of labels, of either favourable label.
        ({"labels": SCORES}, LABELS + r"0\.1, 0\.9"),
        ({"labels": SCORES, "favorable": 0}, LABELS + r"0\.1, 0\.9"),
        ({"labels": NAN}, LABELS + "nan"),
        ({"privileged_groups": None}, "a list of dicts .* of 'sex', or both be None; received"),
        ({"privileged_groups": {"sex": 1}}, "privileged_groups must be a list of dicts"),
        ({"privileged_groups": [{"race": 1}]}, r"of 'sex'.*; received \[{'race': 1}\]"),
        ({"privileged_groups": [{}]}, r"list of dicts with values of 'sex'.*; received \[{}\]"),
        ({"privileged_groups": []}, r"list of dicts with values of 'sex'.*; received \[\]"),
        ({"privileged_groups": [{"sex": 5}]}, "rows of both groups; none have sex = 5"),
        ({"privileged_groups": [{"sex": 0}]}, "must be disjoint"),
        ({"clusters": [1, 2]}, r"must have as many rows; received {'y_true': 100,.*: 2}"),
        ({GUESS: [1, 0]}, "must have 100 rows of 'sex', none missing; received 2 rows of 'sex'"),
        ({GUESS: NAN}, "none missing; received 99 rows of 'sex'"),
        ({GUESS: drawn(n=100)[["age_pred"]].assign(x=1)}, "received 100 rows of 'age_pred', 'x'"),
        ({GUESS: ["man"] * 100}, f"{GUESS} must hold numbers; received 'man'"),
        ({GUESS: hiring()["sex"] + 5}, r"codes of 'sex' in the dataset; received 5\.0, 6\.0"),
        ({GUESS: SCORES}, r"codes of 'sex' in the dataset; received 0\.1, 0\.9"),
        ({GUESS: [0, 0.5] * 50}, r"codes of 'sex' in the dataset; received 0\.5"),
        ({"reference_dataset": OTHER_LABEL}, r"favorable_label 1\.0; received 0\.0"),
    ],
)
def test_metric_bad_input_raises(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        metric_with(**options)


def test_metric_of_labels_in_a_row_reads_them() -> None:
    predicted = classified(dataset(hiring()), hiring()["y_pred"])
    predicted.labels = predicted.labels.T
    metric = BiasAmplificationMetric(dataset(hiring()), predicted, **SEXES)
    assert metric.directional_bias_amplification() == pytest.approx(0.1)


def test_metric_of_other_rows_raises() -> None:
    truth, without = dataset(hiring()), dataset(hiring())
    with pytest.raises(ValueError, match=r"as many rows; received {'y_true': 100, .*'y_pred': 60}"):
        BiasAmplificationMetric(truth, dataset(hiring().head(60)))
    without.labels = None
    with pytest.raises(ValueError, match=LABELS + "None"):
        BiasAmplificationMetric(truth, without)


def test_method_that_lacks_what_it_needs_raises() -> None:
    metric = metric_of(hiring())
    rule = "compares groups, so one group has no value; see ..._by_pair"
    with pytest.raises(ValueError, match=f"LA {rule}"):
        metric.leakage_amplification(privileged=True)
    with pytest.raises(ValueError, match=f"BA {rule}"):
        metric.difference(metric.directional_bias_amplification)
    with pytest.raises(ValueError, match=r"direction must be .*; received True"):
        metric.directional_bias_amplification(True)  # As in AIF360's own methods.
    with pytest.raises(ValueError, match=r"a setting of MALS must be .*'direction'"):
        metric.mals_bias_amplification(direction="T->A")
    with pytest.raises(ValueError, match="sensitive_features_pred must be given for BA T->A"):
        metric.directional_bias_amplification("T->A")


def test_metric_of_shared_labels_warns() -> None:
    truth = dataset(hiring())
    with pytest.warns(bam.AmplificationWarning, match="the very labels of dataset"):
        BiasAmplificationMetric(truth, truth.copy())


def test_metric_of_no_dataset_raises_as_the_host_does() -> None:
    with pytest.raises(TypeError, match="'dataset' should be a"):
        BiasAmplificationMetric(hiring(), hiring())
    assert issubclass(BiasAmplificationMetric, BinaryLabelDatasetMetric)
