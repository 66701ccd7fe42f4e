"""Thresholds by group as a postprocessing of AIF360."""

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
    return [float(np.mean(np.ravel(values)[FRAME["sex"] == sex])) for sex in (0, 1)]


@pytest.mark.parametrize("favorable", [1, 0])
def test_predictions_keep_the_rates_of_the_labels(favorable) -> None:
    truth = dataset(FRAME, favorable_label=favorable, unfavorable_label=1 - favorable)
    score = SCORE if favorable else 1 - SCORE
    scored = classified(truth, SCORE > 0.5, score)
    predicted = PrevalenceThresholdPostprocessing(**SEXES).fit_predict(truth, scored)
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


def with_scores(scores: Any) -> Any:
    scored = classified(dataset(FRAME), FRAME["y"])
    scored.scores = scores
    return scored


TRUE, SCORED = dataset(FRAME), classified(dataset(FRAME), FRAME["y"], SCORE)
OTHER_LABEL = dataset(FRAME, favorable_label=0, unfavorable_label=1)
OTHER_ROWS = classified(dataset(FRAME[:9]), FRAME["y"][:9], SCORE[:9])
OTHER_GROUPS = classified(dataset(FRAME.assign(age=0)), FRAME["y"], SCORE)
SCORES, THREE = np.column_stack([SCORE, SCORE]), dataset(drawn(3))
MAY_DIFFER = "dataset_pred may differ from dataset_true in labels and scores"


@pytest.mark.parametrize(
    ("truth", "scored", "error", "message"),
    [
        (TRUE, classified(TRUE, FRAME["y_pred"]), ValueError, "favourable label; received only 0"),
        (TRUE, OTHER_GROUPS, ValueError, MAY_DIFFER),
        (TRUE, OTHER_ROWS, ValueError, MAY_DIFFER),
        (classified(TRUE, FRAME["y"] + 0.5), SCORED, ValueError, "dataset_true.labels must be"),
        (TRUE, with_scores(SCORES), ValueError, "as many rows; received .*'y_score': 4000"),
        (TRUE, with_scores(None), ValueError, "as many rows; received .*'y_score': 1"),
        (THREE, classified(THREE, SCORE[:240], SCORE[:240]), ValueError, "two classes, or columns"),
    ],
)
def test_fit_bad_input_raises(truth, scored, error, message) -> None:
    with pytest.raises(error, match=message):
        PrevalenceThresholdPostprocessing(**SEXES).fit(truth, scored)


def test_predict_of_other_datasets_raises() -> None:
    with pytest.raises(TypeError, match="multiple values for keyword argument 'pos_label'"):
        PrevalenceThresholdPostprocessing(pos_label=1)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        PrevalenceThresholdPostprocessing().predict(TRUE)
    fitted = PrevalenceThresholdPostprocessing(**SEXES).fit(TRUE, SCORED)
    with pytest.raises(ValueError, match=r"the favorable_label 1\.0; received 0\.0"):
        fitted.predict(OTHER_LABEL)
