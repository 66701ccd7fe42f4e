"""The main job on real files: all metrics of the captions of images."""

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (bam.MALSBiasAmplification(), "have fewer than 15 rows each and carry 9"),
        (bam.DirectionalBiasAmplification(), ""),
        (bam.MultiAttributeBiasAmplification(min_support=2), ""),
        (bam.DirectionalPredictabilityAmplification(), ""),
        (
            bam.LeakageAmplification(attacker="logistic", n_trials=1),
            "the attacker is a fitted LogisticRegression",
        ),
    ],
)
def test_all_metrics_read_the_captions_as_label_matrices(data_folder, metric, reason) -> None:
    labels = pd.read_csv(data_folder / "coco_labels.csv.gz", keep_default_na=False)
    said = pd.read_csv(data_folder / "coco_caption_predictions.csv.gz", keep_default_na=False)
    labels = labels[labels["split"] == "test"].set_index("image_id")
    said = said[said["model"] == "baseline_ft"].set_index("image_id").loc[labels.index]
    truth = labels["objects_human_captions"].str.get_dummies("|")
    predicted = said["objects_pred"].str.get_dummies("|")
    columns = truth.columns.intersection(predicted.columns)[:20]
    parts = [truth[columns].add_prefix("true_"), predicted[columns].add_prefix("pred_")]
    frame = pd.concat([*parts, labels["gender"]], axis=1)
    names = {"y_true": "true_*", "y_pred": "pred_*", "sensitive_features": "gender"}
    result = metric.result(frame, **names, n_boot=200)
    assert (np.isfinite(result.value), result.n_rows) == (True, 5473)
    assert reason in result.reason
    assert (result.interval is None) == bool(reason)
