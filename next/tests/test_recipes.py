"""The recipes that need no audit, as people will write them, and the main job on real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam


@pytest.fixture(scope="module")
def compas() -> pd.DataFrame:
    """The records of the two races that the studies compare, with decisions at a score of 5."""
    frame = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
    return frame.assign(high=(frame["decile_score"] >= 5).astype(int))


def test_compas_has_one_row_for_each_record_in_a_fixed_random_order() -> None:
    frame = bam.datasets.load_compas()
    assert frame.shape == (7214, 9)
    assert frame["race"].value_counts()[["African-American", "Caucasian"]].tolist() == [3696, 2454]
    # Known counts of two_year_recid in the two races of all records: 1,901 and 966.
    positives = frame.groupby("race")["two_year_recid"].sum()
    assert positives[["African-American", "Caucasian"]].tolist() == [1901, 966]
    assert frame.equals(bam.datasets.load_compas())
    halves = [part["two_year_recid"].mean() for part in (frame[:3607], frame[3607:])]
    assert abs(halves[0] - halves[1]) < 0.04


def test_attribute_in_the_index_names_the_groups(compas: pd.DataFrame) -> None:
    y, pred = compas["two_year_recid"], compas["high"]
    y_indexed = y.set_axis(pd.MultiIndex.from_frame(compas[["race", "sex"]]))
    value = bam.directional_bias_amplification(
        y_indexed, pred.to_numpy(), sensitive_features="race"
    )
    assert round(value, 4) == 0.0598
    crossed = y_indexed.index.to_frame(index=False)
    value = bam.directional_bias_amplification(
        y_indexed, pred.to_numpy(), sensitive_features=crossed
    )
    assert round(value, 4) == -0.0124


def test_counts_from_partitions_are_those_of_all_rows(compas: pd.DataFrame, tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "compas.parquet"
    compas.to_parquet(path)
    names: dict[str, Any] = {
        "y_true": "two_year_recid",
        "y_pred": "high",
        "sensitive_features": "race",
    }
    columns = "two_year_recid, high, race, count(*) n"
    parts = [
        duckdb.sql(f"select {columns} from '{path}' where sex = '{sex}' group by all")
        for sex in ("Male", "Female")
    ]
    counts = sum(bam.Counts.from_frame(part, **names, count="n") for part in parts)
    counts.save(tmp_path / "counts.json")
    metric = bam.DirectionalBiasAmplification()
    result = metric.result(tmp_path / "counts.json")
    assert result.n_rows == 6150
    assert result.value == metric.result(compas, **names, n_boot=0).value
    assert round(result.value, 4) == 0.0598


def test_reference_as_a_frame_and_as_a_pair_give_one_value(compas: pd.DataFrame) -> None:
    train, test = compas[:3075], compas[3075:]
    names = {"y_true": "two_year_recid", "y_pred": "high", "sensitive_features": "race"}
    of_frame = bam.DirectionalBiasAmplification(reference=train).result(test, **names, n_boot=0)
    of_pair = bam.DirectionalBiasAmplification(reference=(train["two_year_recid"], train["race"]))(
        test["two_year_recid"], test["high"], sensitive_features=test["race"]
    )
    assert of_frame.value == of_pair


def test_given_rates_stand_where_labels_stand() -> None:
    jobs = ["nurse"] * 40 + ["engineer"] * 10 + ["nurse"] * 5 + ["engineer"] * 45
    said = pd.DataFrame({"gender": ["woman"] * 50 + ["man"] * 50, "job": jobs})
    labor = bam.BaseRates(
        {"woman": {"nurse": 0.6, "engineer": 0.4}, "man": {"nurse": 0.2, "engineer": 0.8}}
    )
    metric = bam.DirectionalBiasAmplification(reference=labor, pos_label="nurse")
    result = metric.result(said, y_pred="job", sensitive_features="gender")
    # Nurses: women .6 in the rates and .8 in the predictions, men .2 and .1.
    assert result.value == pytest.approx((0.2 + 0.1) / 2, abs=1e-15)
    assert result.interval is not None


METRICS = ["MALS", "BA", "Multi", "LA", "DPA"]


def test_all_metrics_read_compas_from_csv(data_folder: Path) -> None:
    path = data_folder / "compas-scores-two-years.csv.gz"
    frame = pd.read_csv(path, keep_default_na=False)
    is_kept = frame["race"].isin(["African-American", "Caucasian"])
    arrays = {
        "y_true": frame["two_year_recid"][is_kept],
        "y_pred": (frame["decile_score"][is_kept] >= 5) * 1,
        "sensitive_features": frame["race"][is_kept],
    }
    values = {}
    for name in METRICS:
        result = bam.compare(
            **{**arrays, "y_pred": {"a": arrays["y_pred"], "b": arrays["y_pred"]}},
            metric=name,
            n_boot=200,
        ).results["a"]
        assert result.interval is not None
        values[name] = round(result.value, 4)
    # BA is half of the change of the gap, from 51.4 - 39.4 to 58.8 - 34.8 points.
    assert values["BA"] == 0.0598
    assert values["MALS"] == 0.0549
    assert values["Multi"] == 0.0598


def test_all_metrics_read_the_captions_as_label_matrices(data_folder: Path) -> None:
    labels = pd.read_csv(data_folder / "coco_labels.csv.gz", keep_default_na=False)
    said = pd.read_csv(data_folder / "coco_caption_predictions.csv.gz", keep_default_na=False)
    labels = labels[labels["split"] == "test"].set_index("image_id")
    said = said[said["model"] == "baseline_ft"].set_index("image_id").loc[labels.index]
    truth = labels["objects_human_captions"].str.get_dummies("|")
    predicted = said["objects_pred"].str.get_dummies("|")
    columns = truth.columns.intersection(predicted.columns)[:20]
    frame = pd.concat(
        [
            truth[columns].add_prefix("true_"),
            predicted[columns].add_prefix("pred_"),
            labels["gender"],
        ],
        axis=1,
    )
    names = {"y_true": "true_*", "y_pred": "pred_*", "sensitive_features": "gender"}
    for metric, reason in (
        (bam.MALSBiasAmplification(), "have fewer than 15 rows each and carry 9"),
        (bam.DirectionalBiasAmplification(), ""),
        (bam.MultiAttributeBiasAmplification(min_support=2), ""),
        (bam.DirectionalPredictabilityAmplification(), ""),
        (
            bam.LeakageAmplification(attacker="logistic", n_trials=1),
            "the attacker is a fitted LogisticRegression",
        ),
    ):
        result = metric.result(frame, **names, n_boot=200)
        assert np.isfinite(result.value)
        assert result.n_rows == 5473
        assert reason in result.reason
        assert (result.interval is None) == bool(reason)
