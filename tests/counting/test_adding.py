"""Counts of parts add up to the counts of all."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import biasamp_adapters as bam


def make_counts(**changed: Any) -> bam.Counts:
    arrays = {"y_true": [0, 1, 1], "y_pred": [0, 1, 0], "sensitive_features": [*"aab"]}
    return bam.Counts.from_arrays(**arrays | changed)


def test_labels_of_only_one_part_are_those_of_the_sum() -> None:
    counts = make_counts() + make_counts(y_true=[0, 2, 2], sensitive_features=[*"bcc"])
    assert counts.class_labels == (0, 1, 2)
    assert counts.group_labels == ("a", "b", "c")
    assert counts.n_rows == 6


def test_dropped_rows_add_up() -> None:
    part = make_counts(y_true=[0, 1, None], missing="drop")
    result = bam.DirectionalBiasAmplification().result(part + make_counts() + part, n_boot=0)
    assert result.notes[0] == "2 rows with missing values were left out."


def test_clusters_of_parts_are_different_ones() -> None:
    part = make_counts(clusters=[7, 7, 8])
    assert (part + part).rows.n_clusters == 4
    # Those of chunks of one table are the same: [1, a, k], [0, b, l] and [1, b, l], [1, a, k].
    frame = pd.DataFrame({"y": [1, 0, 1, 1], "g": [*"abba"], "who": [*"kllk"]})
    names = {"y_true": "y", "y_pred": "y", "sensitive_features": "g", "clusters": "who"}
    assert bam.Counts.from_chunks([frame[:2], frame[2:]], **names).rows.n_clusters == 2
    with pytest.raises(ValueError, match="clusters holds 1 and '1', which look the same"):
        bam.Counts.from_chunks([frame.assign(who=1), frame.assign(who="1")], **names)


@pytest.mark.parametrize(
    ("other", "fragment"),
    [
        (make_counts(y_true=["0", "1", "1"], y_pred=["0", "1", "0"]), "which look the same"),
        (make_counts(y_true=[*"nyy"], y_pred=[*"nyn"]), "must share labels of y_true; .* 1 and 'n"),
        (make_counts(y_pred={"m": [0, 1, 0]}), r"must be alike; only some have 'y_pred\[m"),
        (make_counts(clusters=[1, 2, 3]), "must be alike; only some have 'clusters'"),
        (
            make_counts(y_true=np.eye(3, 2, dtype=int), y_pred=np.eye(3, 2, dtype=int)),
            "must be alike; only some have 'y_true: 0', 'y_true: 1'",
        ),
    ],
)
def test_counts_that_do_not_fit_are_refused(other, fragment) -> None:
    with pytest.raises(ValueError, match=fragment):
        make_counts() + other


def test_counts_of_other_columns_are_refused() -> None:
    frame = {"y": [0, 1, 1], "p": [0, 1, 0], "race": [*"aab"], "sex": [*"fmf"]}
    race, sex = (
        bam.Counts.from_frame(frame, y_true="y", y_pred="p", sensitive_features=name)
        for name in ("race", "sex")
    )
    with pytest.raises(ValueError, match=r"must be of one sensitive_features; .* 'race' and 'sex'"):
        race + sex


def test_metric_that_drops_missing_predictions_drops_those_of_counts() -> None:
    predicted = [0, 1, None, 1, 0, 1]
    arrays = {"y_true": [0, 1, 1, 0, 1, 1], "sensitive_features": [*"aabbab"]}
    counts = bam.Counts.from_arrays(y_pred=predicted, **arrays, missing="abstain")
    metric = bam.DirectionalBiasAmplification(missing="drop")
    assert metric.result(counts, n_boot=0).value == (
        metric.result(y_pred=predicted, **arrays, n_boot=0).value
    )
    with pytest.raises(ValueError, match="missing_values is read where rows are counted"):
        bam.DirectionalBiasAmplification(missing_values=["?"]).result(counts)


NAMES = {"y_true": "y_true", "y_pred": "y_pred", "sensitive_features": "sensitive_features"}


def make_frames() -> list[dict[str, Any]]:
    """Return ten frames, each of one row that shares no label of its prediction with its truth."""
    labels = [*"xyxyxyxyxy"]
    return [
        {"y_true": [label], "y_pred": [other], "sensitive_features": [group]}
        for label, other, group in zip(labels, labels[::-1], [*"aabbaabbab"], strict=True)
    ]


def test_chunks_are_checked_together() -> None:
    counts = bam.Counts.from_chunks(make_frames(), **NAMES)
    assert counts.n_rows == 10
    assert counts.class_labels == ("x", "y")


def test_chunks_with_missing_values_name_the_number_of_all_rows() -> None:
    frames = make_frames()
    for i in (1, 4, 8):
        frames[i]["y_true"] = [None]
    with pytest.raises(ValueError, match="y_true must not have missing values; received 3"):
        bam.Counts.from_chunks(frames, **NAMES)
    assert bam.Counts.from_chunks(frames, **NAMES, missing="drop").n_rows == 7


def test_chunks_without_rows_are_as_if_absent() -> None:
    frame = pd.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0], "g": [*"aab"], "w": [1.0, 2.0, 3.0]})
    names = {"y_true": "y", "y_pred": "p", "sensitive_features": "g", "sample_weight": "w"}
    counts = bam.Counts.from_chunks([frame[:0], frame, frame[:0]], **names)
    assert counts == bam.Counts.from_frame(frame, **names)


ROWS = {"y_true": [0, 1], "y_pred": [0, 1], "sensitive_features": [0, 1]}


@pytest.mark.parametrize(
    ("frames", "fragment"),
    [
        ("rows.parquet", "one, or a path, is for from_frame"),
        (pd.DataFrame({"y": [0]}), "one, or a path, is for from_frame; received DataFrame"),
        (ROWS, "one, or a path, is for from_frame; received dict"),
        (5, "takes several frames; one, or a path, is for from_frame; received int"),
        ([], "at least one row; received none"),
        ([ROWS, ROWS | {"sensitive_features": ["1", "not stated"]}], "1 and '1', which look the s"),
    ],
)
def test_chunks_that_cannot_be_counted_are_refused(frames, fragment) -> None:
    with pytest.raises(ValueError, match=fragment):
        bam.Counts.from_chunks(frames, **NAMES)


def test_from_frame_unknown_argument_raises_with_its_name() -> None:
    with pytest.raises(ValueError, match=r"'sensitive_feature'; arguments are .*_pred, y_score"):
        bam.Counts.from_frame({"y": [0]}, y_true="y", sensitive_feature="g")
