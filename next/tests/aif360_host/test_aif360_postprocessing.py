"""Thresholds by group as a postprocessing of AIF360."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from aif360_cases import SEXES, classified, dataset, drawn
from sklearn.exceptions import NotFittedError

import biasamp_adapters as bam
from biasamp_adapters.aif360 import BiasAmplificationMetric, PrevalenceThresholdPostprocessing

FRAME = drawn(n=2000)
SCORE = 0.4 * FRAME["y"] + 0.3 * FRAME["sex"] + np.random.default_rng(1).random(2000) * 0.3


def rates(values: Any) -> list[float]:
    """Return the share of 1 in each sex."""
    return [float(np.mean(np.ravel(values)[FRAME["sex"] == sex])) for sex in (0, 1)]


@pytest.mark.parametrize("favorable", [1, 0])
def test_predictions_keep_the_rates_of_the_labels(favorable: int) -> None:
    truth = dataset(FRAME, favorable_label=favorable, unfavorable_label=1 - favorable)
    score = SCORE if favorable else 1 - SCORE
    scored = classified(truth, SCORE > 0.5, score)
    thresholds = PrevalenceThresholdPostprocessing(**SEXES)
    predicted = thresholds.fit_predict(truth, scored)
    expected = bam.PrevalenceThreshold(pos_label=favorable)
    expected.fit(score, FRAME["y"], sensitive_features=FRAME["sex"])
    labels = expected.predict(score, sensitive_features=FRAME["sex"])
    assert predicted.labels.ravel().tolist() == labels.tolist()
    assert rates(predicted.labels) == pytest.approx(rates(FRAME["y"]), abs=0.002)
    metric = BiasAmplificationMetric(truth, predicted, **SEXES)
    assert abs(metric.directional_bias_amplification()) < 0.002
    assert predicted.metadata["transformer"] == "PrevalenceThresholdPostprocessing.fit_predict"
    assert scored.labels.ravel().tolist() == (SCORE > 0.5).astype(float).tolist()


def test_weights_and_settings_reach_the_thresholds() -> None:
    truth = dataset(FRAME, weighted=True)
    scored = classified(truth, FRAME["y"], SCORE)
    settings: dict[str, Any] = {"prevalence": {0: 0.25, 1: 0.75}, "tolerance": 0.01}
    thresholds = PrevalenceThresholdPostprocessing(**SEXES, **settings).fit(truth, scored)
    expected = bam.PrevalenceThreshold(**settings).fit(
        SCORE, FRAME["y"], sensitive_features=FRAME["sex"], sample_weight=FRAME["weight"]
    )
    assert thresholds.rule.thresholds_.tolist() == expected.thresholds_.tolist()


def test_rows_in_neither_group_have_the_pooled_threshold() -> None:
    sides = {"unprivileged_groups": [{"sex": 0, "age": 0}], "privileged_groups": [{"sex": 1}]}
    truth = dataset(FRAME)
    scored = classified(truth, FRAME["y"], SCORE)
    pooled = PrevalenceThresholdPostprocessing(**sides, unknown_groups="pooled")
    labels = pooled.fit_predict(truth, scored).labels.ravel()
    outside = (FRAME["sex"] == 0) & (FRAME["age"] == 1)
    above = SCORE[outside] >= pooled.rule.pooled_threshold_
    assert labels[outside].tolist() == above.tolist()
    with pytest.raises(ValueError, match="received 'neither group'"):
        PrevalenceThresholdPostprocessing(**sides).fit_predict(truth, scored)


def with_two_columns_of_scores() -> Any:
    scored = classified(dataset(FRAME), FRAME["y"])
    scored.scores = np.column_stack([SCORE, SCORE])
    return scored


def fitted(**options: Any) -> Any:
    """Ask for thresholds of other datasets."""
    truth = options.get("truth", dataset(FRAME))
    scored = options.get("scored", classified(dataset(FRAME), FRAME["y"], SCORE))
    return lambda: PrevalenceThresholdPostprocessing(**SEXES).fit(truth, scored)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            fitted(scored=classified(dataset(FRAME), FRAME["y_pred"])),
            ValueError,
            "dataset_pred.scores must be scores of the favourable label; received only 0 and 1",
        ),
        (
            fitted(scored=classified(dataset(FRAME.assign(age=0)), FRAME["y"], SCORE)),
            ValueError,
            "dataset_pred may differ from dataset_true in labels and scores",
        ),
        (
            fitted(truth=classified(dataset(FRAME), FRAME["y"] + 0.5)),
            ValueError,
            "dataset_true.labels must be labels of the dataset",
        ),
        (
            fitted(scored=classified(dataset(FRAME[:9]), FRAME["y"][:9], SCORE[:9])),
            ValueError,
            "dataset_pred may differ from dataset_true in labels and scores",
        ),
        (
            fitted(scored=with_two_columns_of_scores()),
            ValueError,
            r"dataset_pred.scores must be one column; received \(2000, 2\)",
        ),
        (
            lambda: fitted()().predict(dataset(FRAME, favorable_label=0, unfavorable_label=1)),
            ValueError,
            r"dataset must have the favorable_label 1\.0; received 0\.0",
        ),
        (fitted(truth=FRAME), TypeError, "must be a BinaryLabelDataset; received a DataFrame"),
        (fitted(truth=dataset(drawn(3))), TypeError, "received a MulticlassLabelDataset"),
        (
            lambda: PrevalenceThresholdPostprocessing().predict(dataset(FRAME)),
            NotFittedError,
            "is not fitted yet",
        ),
    ],
)
def test_postprocessing_bad_input_raises(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
