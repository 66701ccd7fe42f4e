"""The training dataset as the reference: whose directions count, and what is refused."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

from dataset_cases import (
    SEXES,
    MulticlassLabelDataset,
    StandardDataset,
    classified,
    core_result,
    dataset,
    fixed_frame,
    hiring,
    metric_of,
    quiet,
    row_frames,
    sides,
)
from hypothesis import given
from hypothesis import strategies as st

import biasamp_adapters as bam
from biasamp_adapters.aif360 import BiasAmplificationMetric

REFERENCED = [
    ("mals", bam.MALS),
    ("directional_bias_amplification", bam.DirectionalBiasAmplification),
    ("multi_attribute_bias_amplification", bam.MultiAttributeBiasAmplification),
]


@given(row_frames(), row_frames(), st.booleans())
def test_two_groups_against_training_data(
    frame: pd.DataFrame, train: pd.DataFrame, weighted: bool
) -> None:
    metric = metric_of(
        frame, weighted=weighted, **SEXES, reference_dataset=dataset(train, weighted=weighted)
    )
    seen = bam.JointCounts.from_arrays(
        train["T"].to_numpy(),
        sensitive_features=sides(train["sex"]),
        sample_weight=train["weight"].to_numpy() if weighted else None,
    )
    for method, kind in REFERENCED:
        core = quiet(kind, reference=seen)
        expected = core_result(core, frame, sides(frame["sex"]), weighted=weighted)
        value = quiet(getattr(metric, method))
        assert value == pytest.approx(expected.value, abs=1e-12, nan_ok=True), method


def test_the_reference_sets_the_direction() -> None:
    # In training, sex 0 is hired more often; the model that hires no sex 0 works against that.
    opposite = dataset(hiring().assign(T=1 - hiring()["T"]))
    metric = metric_of(hiring(), **SEXES, reference_dataset=opposite)
    assert metric.directional_bias_amplification() == pytest.approx(-(10 / 50) / 2, abs=1e-12)
    assert metric.multi_attribute_bias_amplification() == pytest.approx(0.1, abs=1e-12)


def test_the_reference_of_a_metric_object_comes_first() -> None:
    opposite = hiring().assign(T=1 - hiring()["T"])
    metric = metric_of(hiring(), **SEXES, reference_dataset=dataset(opposite))
    own = bam.DirectionalBiasAmplification(reference=(hiring()["T"], sides(hiring()["sex"])))
    assert metric.amplification(own).value == pytest.approx(0.1, abs=1e-12)
    given_by_name = metric.directional_bias_amplification(reference=own.reference)
    assert given_by_name == pytest.approx(0.1, abs=1e-12)


def test_a_part_of_the_data_as_reference() -> None:
    frame = fixed_frame()
    whole = dataset(frame)
    metric = metric_of(frame, **SEXES, reference_dataset=whole.subset(list(range(60))))
    half = frame[:60]
    core = bam.DirectionalBiasAmplification(reference=(half["T"], sides(half["sex"])))
    expected = core_result(core, frame, sides(frame["sex"])).value
    assert metric.directional_bias_amplification() == pytest.approx(expected, abs=1e-12)


def test_a_reference_changed_in_place() -> None:
    train = dataset(hiring())
    metric = metric_of(hiring(), **SEXES, reference_dataset=train)
    before = metric.directional_bias_amplification()
    train.labels[:] = 1 - train.labels
    assert metric.directional_bias_amplification() == pytest.approx(-before, abs=1e-12)


@pytest.mark.parametrize("reference", [hiring(), 3, "train", [hiring()]], ids=type)
def test_references_of_another_type(reference: Any) -> None:
    message = "reference_dataset must be a BinaryLabelDataset, as the dataset is; received a"
    with pytest.raises(ValueError, match=message):
        metric_of(fixed_frame(), reference_dataset=reference)


def test_a_multi_class_reference_of_a_binary_dataset() -> None:
    frame = hiring()
    train = MulticlassLabelDataset(
        df=frame[["sex", "T"]], label_names=["T"], protected_attribute_names=["sex"]
    )
    with pytest.raises(ValueError, match="received a MulticlassLabelDataset"):
        metric_of(frame, reference_dataset=train)


def test_a_reference_of_other_protected_attributes() -> None:
    message = r"must have the protected_attribute_names of the dataset, \['sex'\]; received"
    with pytest.raises(ValueError, match=message):
        metric_of(hiring(), reference_dataset=dataset(hiring(group="age")))
    with pytest.raises(ValueError, match=message):
        metric_of(hiring(), reference_dataset=dataset(fixed_frame()))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"favorable_label": 0, "unfavorable_label": 1}, "favorable_label of the dataset, 1.0"),
        ({"favorable_label": 1, "unfavorable_label": 2}, "unfavorable_label of the dataset, 0.0"),
    ],
    ids=["swapped", "other unfavourable"],
)
def test_a_reference_of_other_codes(labels: dict[str, Any], message: str) -> None:
    frame = hiring()[["sex", "T"]]
    if labels["unfavorable_label"] == 2:
        frame = frame.assign(T=2 - frame["T"])
    train = type(dataset(hiring()))(
        df=frame, label_names=["T"], protected_attribute_names=["sex"], **labels
    )
    with pytest.raises(ValueError, match=f"reference_dataset must have the {message}"):
        metric_of(hiring(), reference_dataset=train)


def test_a_reference_of_another_label() -> None:
    train = type(dataset(hiring()))(
        df=hiring()[["sex", "T"]].rename(columns={"T": "promoted"}),
        label_names=["promoted"],
        protected_attribute_names=["sex"],
    )
    with pytest.raises(ValueError, match=r"label_names of the dataset, \['T'\]; .*promoted"):
        metric_of(hiring(), reference_dataset=train)


def test_a_reference_without_rows_in_the_groups() -> None:
    train = dataset(hiring().assign(sex=hiring()["sex"] + 5))
    with pytest.raises(ValueError, match=r"reference.* which hold none"):
        metric_of(hiring(), **SEXES, reference_dataset=train).mals()


@pytest.mark.parametrize("standard_first", [True, False])
def test_a_standard_dataset_beside_a_binary_one(standard_first: bool) -> None:
    # A StandardDataset is a BinaryLabelDataset; only how it was read differs.
    binary = dataset(hiring())
    standard = StandardDataset(hiring()[["sex", "T"]], "T", [1.0], ["sex"], [[1.0]])
    truth, train = (standard, binary) if standard_first else (binary, standard)
    predicted = classified(truth, hiring()["T_pred"])
    metric = BiasAmplificationMetric(truth, predicted, **SEXES, reference_dataset=train)
    assert metric.directional_bias_amplification() == pytest.approx(0.1, abs=1e-12)


def test_a_reference_with_rows_in_both_groups() -> None:
    # No evaluated row has both, so that AIF360 does not object.
    frame = hiring().assign(age=1 - hiring()["sex"])
    groups = {"privileged_groups": [{"sex": 1}], "unprivileged_groups": [{"age": 1}]}
    metric = metric_of(frame, **groups, reference_dataset=dataset(frame.assign(age=1.0)))
    with pytest.raises(ValueError, match=r"must be disjoint; received 50 row\(s\) in both"):
        metric.directional_bias_amplification()
