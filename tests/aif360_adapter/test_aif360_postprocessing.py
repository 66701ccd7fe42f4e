"""Thresholds of each group as AIF360's post-processing: values, hosts' habits and held-out rows."""

from __future__ import annotations

import pickle
from copy import deepcopy
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

from dataset_cases import SEXES, ClassificationMetric, dataset, fixed_frame, row_frames
from hypothesis import given
from hypothesis import strategies as st
from scored_datasets import applicants, labels_of, scored, three_grades, two_sexes

import biasamp_adapters as bam
from biasamp_adapters.aif360 import BiasAmplificationMetric, PrevalenceThresholdPostprocessing

TO_TASK = bam.DirectionalBiasAmplification(direction="A->T")

#: Codes of the favourable and the unfavourable label.
CODES = [(1.0, 0.0), (0.0, 1.0), (2.0, 1.0), (1.0, 2.0), (-1.0, 7.0)]


@pytest.mark.parametrize(("favorable", "unfavorable"), CODES)
@pytest.mark.parametrize("groups", [{}, SEXES], ids=["all", "two"])
def test_high_scores_get_the_favourable_label_whatever_its_code(
    favorable: float, unfavorable: float, groups: Any
) -> None:
    truth, predicted = two_sexes(favorable, unfavorable)
    assert labels_of(predicted) == [favorable] * 4 + [unfavorable] * 4
    # Three rows of sex 1, and one of sex 0, as in the truth.
    mitigated = PrevalenceThresholdPostprocessing(**groups).fit_predict(truth, predicted)
    assert labels_of(mitigated) == labels_of(truth)
    before, after = (
        BiasAmplificationMetric(truth, found, **groups).directional_bias_amplification("A->T")
        for found in (predicted, mitigated)
    )
    # The rates move from 3/4 and 1/4 to 1 and 0.
    assert before == pytest.approx(1 / 4, abs=1e-12)
    assert after == pytest.approx(0, abs=1e-12)


@given(row_frames(), st.booleans(), st.sampled_from(CODES), st.randoms())
def test_rates_of_crossed_groups_are_those_of_the_truth(
    frame: pd.DataFrame, weighted: bool, codes: tuple[float, float], random: Any
) -> None:
    favorable, unfavorable = codes
    # Each group has a row of each label.
    every = pd.DataFrame([*product([0.0, 1.0], repeat=3)], columns=["sex", "age", "T"])
    frame = pd.concat([frame, every.assign(weight=1.0)], ignore_index=True)
    positive = frame["T"] == 1
    truth = dataset(
        frame.assign(T=np.where(positive, favorable, unfavorable)).drop(columns="T_pred"),
        weighted=weighted,
        favorable_label=favorable,
        unfavorable_label=unfavorable,
    )
    scores = [*np.linspace(0.1, 0.9, len(frame))]
    random.shuffle(scores)
    mitigated = PrevalenceThresholdPostprocessing().fit_predict(truth, scored(truth, scores))
    found = pd.Series(mitigated.labels.ravel() == favorable)
    weight = frame["weight"] if weighted else pd.Series(1.0, frame.index)
    for _, rows in frame.groupby(["sex", "age"]).groups.items():
        gap = abs((weight * found)[rows].sum() - (weight * positive)[rows].sum())
        # All sums of rows from above are possible: half of one weight is between them at most.
        assert gap <= (weight[rows].max() / 2 if weighted else 0) + 1e-12
    if not weighted:
        metric = BiasAmplificationMetric(truth, mitigated)
        assert metric.amplification(TO_TASK).value == pytest.approx(0, abs=1e-12)


def test_the_same_labels_as_the_thresholds_of_arrays() -> None:
    frame = fixed_frame()
    truth = dataset(frame.drop(columns="T_pred"), weighted=True)
    scores = np.random.default_rng(1).random(len(frame))
    options: dict[str, Any] = {"tolerance": 0.1, "other_groups": "pooled"}
    ours = PrevalenceThresholdPostprocessing(**options)
    mitigated = ours.fit_predict(truth, scored(truth, scores))
    plain = bam.group_thresholds(
        frame["T"],
        scores,
        sensitive_features=frame[["sex", "age"]],
        sample_weight=frame["weight"],
        **options,
    )
    expected = plain.predict(scores, sensitive_features=frame[["sex", "age"]])
    assert labels_of(mitigated) == expected.tolist()
    assert ours.group_thresholds is not None
    pd.testing.assert_frame_equal(ours.group_thresholds.to_frame(), plain.to_frame())


def test_weights_that_are_whole_numbers_are_repeated_rows() -> None:
    frame = fixed_frame().drop(columns="T_pred").assign(weight=1.0 + np.arange(120) % 3)
    scores = np.random.default_rng(2).random(120)
    times = frame["weight"].to_numpy(dtype=int)
    repeated = dataset(frame.loc[frame.index.repeat(times)].reset_index(drop=True))
    truth, post = dataset(frame, weighted=True), PrevalenceThresholdPostprocessing()
    once = post.fit_predict(truth, scored(truth, scores))
    more = post.fit_predict(repeated, scored(repeated, np.repeat(scores, times)))
    assert np.repeat(labels_of(once), times).tolist() == labels_of(more)


def test_held_out_rows_amplify_less_for_little_accuracy() -> None:
    post = PrevalenceThresholdPostprocessing().fit(*applicants(4000, seed=0))
    truth, predicted = applicants(4000, seed=1)
    values, accuracy = [], []
    for found in (predicted, post.predict(predicted)):
        metric = BiasAmplificationMetric(truth, found)
        values.append(metric.directional_bias_amplification("A->T"))
        accuracy.append(metric.accuracy())
    # What the design asks for: 70 % less amplification, for a point of accuracy at most.
    assert values[0] > 0.05
    assert abs(values[1]) < 0.3 * values[0]
    assert accuracy[1] > accuracy[0] - 0.01


@pytest.mark.parametrize("tolerance", [0.02, 0.1])
def test_a_tolerance_gives_rates_within_it_and_no_less_accuracy(tolerance: float) -> None:
    truth, predicted = applicants(2000, seed=0)
    tables = []
    for allowed in (0.0, tolerance):
        post = PrevalenceThresholdPostprocessing(tolerance=allowed).fit(truth, predicted)
        assert post.group_thresholds is not None
        tables.append(post.group_thresholds.to_frame())
        mitigated = BiasAmplificationMetric(truth, post.predict(predicted))
        # The mean over pairs of changes that are each within the tolerance.
        assert abs(mitigated.amplification(TO_TASK).value) <= allowed + 1e-12
    assert ((tables[1]["true"] - tables[1]["predicted"]).abs() <= tolerance + 1e-12).all()
    assert (tables[1]["accuracy"] >= tables[0]["accuracy"]).all()
    assert tables[1]["accuracy"].sum() > tables[0]["accuracy"].sum()


def test_several_classes() -> None:
    truth, predicted = three_grades()
    raw = predicted.scores.argmax(axis=1)
    assert raw.tolist() == [0, 1, 2, 0, 1, 0, 1]
    post = PrevalenceThresholdPostprocessing()
    mitigated = post.fit_predict(truth, predicted)
    # Each sex has as many of each grade as in the truth, and the ranks are right.
    assert labels_of(mitigated) == labels_of(truth)
    assert BiasAmplificationMetric(truth, mitigated).amplification(TO_TASK).value == 0
    # A matrix of scores stays with the rows wherever AIF360 cuts them.
    assert labels_of(post.predict(predicted.subset([4, 5, 6]))) == [1, 2, 2]
    assert labels_of(post.predict(predicted.split([3])[1])) == [0, 1, 2, 2]


def test_two_labels_of_a_multi_class_dataset() -> None:
    truth, predicted = two_sexes()
    frame = pd.DataFrame({"sex": truth.protected_attributes.ravel(), "T": truth.labels.ravel()})
    grades = dataset(frame.assign(T_pred=2.0), unfavorable_label=[0.0], favorable_label=[1.0])
    scores = np.column_stack([1 - predicted.scores, predicted.scores])
    found = PrevalenceThresholdPostprocessing().fit_predict(grades, scored(grades, scores))
    assert labels_of(found) == labels_of(truth)


def test_a_prediction_is_what_a_transformer_of_aif360_returns() -> None:
    truth, predicted = two_sexes()
    kept = deepcopy((truth, predicted))
    post = PrevalenceThresholdPostprocessing(**SEXES, tolerance=0)
    assert post.fit(truth, predicted) is post
    mitigated = post.predict(predicted)
    for given_one, before in zip((truth, predicted), kept, strict=True):
        assert given_one == before
        assert given_one.metadata["transformer"] == before.metadata["transformer"]
    assert type(mitigated) is type(predicted)
    assert mitigated.labels.shape == (8, 1)
    assert mitigated.labels.dtype == np.float64
    assert not np.shares_memory(mitigated.labels, predicted.labels)
    assert np.array_equal(mitigated.scores, predicted.scores)
    mitigated.validate_dataset()
    # The metadata say where the labels come from, as those of AIF360's own algorithms do.
    name = "PrevalenceThresholdPostprocessing"
    params = {**SEXES, "tolerance": 0, "other_groups": "error"}
    assert mitigated.metadata["transformer"] == f"{name}.predict"
    assert mitigated.metadata["params"] == params
    assert mitigated.metadata["previous"][0] is predicted
    at_once = PrevalenceThresholdPostprocessing(**params).fit_predict(truth, predicted)
    assert at_once == mitigated
    assert at_once.metadata["transformer"] == f"{name}.fit_predict"
    # AIF360's own metrics take it.
    assert ClassificationMetric(truth, mitigated, **SEXES).accuracy() == 1
    with pytest.raises(NotImplementedError, match="'transform' is not supported"):
        post.transform(predicted)


def test_a_vector_of_scores_is_a_column() -> None:
    truth, predicted = two_sexes()
    predicted.scores = predicted.scores.ravel()
    found = PrevalenceThresholdPostprocessing().fit_predict(truth, predicted)
    assert labels_of(found) == labels_of(truth)


def test_fitted_thresholds_can_be_saved() -> None:
    truth, predicted = two_sexes()
    post = PrevalenceThresholdPostprocessing().fit(truth, predicted)
    for copied in (pickle.loads(pickle.dumps(post)), deepcopy(post)):
        assert labels_of(copied.predict(predicted)) == labels_of(truth)


def test_rows_without_weight_set_no_threshold() -> None:
    truth, predicted = applicants(200, seed=0)
    for data in (truth, predicted):
        data.instance_weights = (np.arange(200) < 150).astype(float)
    part = slice(0, 150)
    alone = PrevalenceThresholdPostprocessing().fit(
        truth.subset([*range(150)]), predicted.subset([*range(150)])
    )
    whole = PrevalenceThresholdPostprocessing().fit(truth, predicted)
    expected = labels_of(alone.predict(predicted))[part]
    assert labels_of(whole.predict(predicted))[part] == expected
