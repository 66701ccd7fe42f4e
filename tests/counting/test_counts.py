"""Counts as a frame, as a sum of parts of other kinds, and in words."""

from typing import Any

import pandas as pd
import pytest

import biasamp_adapters as bam

COLUMNS: dict[str, Any] = {
    "y_true": [0, 1, 1, 1],
    "y_pred": [0, 1, 0, 1],
    "sensitive_features": [*"aabb"],
}


def test_frame_of_counts_has_a_row_for_each_distinct_row() -> None:
    counts = bam.Counts.from_arrays(
        [0, 1, 1, 1],
        {"old": [0, 1, None, 1], "new": [0.25, 1, 1, 1]},
        sensitive_features={"sex": [*"fmmm"], "age": ["old", "old", "young", "old"]},
        sample_weight=[1, 2, 0.5, 2],
        missing="abstain",
    )
    frame = counts.to_frame()
    columns = ["y_true", "sensitive_features", "old", "new"]
    assert [*frame] == [*columns, "count", "sum_of_weights"]
    rows = frame.sort_values("sum_of_weights").to_numpy(object).tolist()
    assert pd.isna(rows[0].pop(2))
    assert rows[0] == [1, "m × young", 1.0, 1, 0.5]
    assert rows[1] == [0, "f × old", 0, 0.25, 1, 1.0]
    assert rows[2] == [1, "m × old", 1, 1.0, 2, 4.0]


@pytest.mark.parametrize("weighted_first", [True, False])
def test_rows_without_weights_count_once_beside_rows_with_weights(weighted_first) -> None:
    plain = bam.Counts.from_arrays(**COLUMNS)
    weighted = bam.Counts.from_arrays(**COLUMNS, sample_weight=[2, 1, 0.5, 3])
    total = weighted + plain if weighted_first else plain + weighted
    twice = {name: values * 2 for name, values in COLUMNS.items()}
    expected = bam.Counts.from_arrays(**twice, sample_weight=[2, 1, 0.5, 3, 1, 1, 1, 1])
    metric = bam.DirectionalBiasAmplification()
    assert metric.result(total, n_boot=0).value == metric.result(expected, n_boot=0).value
    assert total.to_frame()["sum_of_weights"].sum() == 10.5
    assert total.n_rows == 8


def test_sums_without_rows_are_not_added(tmp_path) -> None:
    counts = bam.Counts.from_arrays(**{name: values * 300 for name, values in COLUMNS.items()})
    counts.save(tmp_path / "sums.json", rows=False)
    sums = bam.Counts.load(tmp_path / "sums.json")
    for first, second in ((counts, sums), (sums, counts), (sums, sums)):
        with pytest.raises(ValueError, match="must hold rows; received sums of blocks"):
            first + second


def test_counts_are_equal_if_their_rows_are() -> None:
    counts = bam.Counts.from_arrays(**COLUMNS)
    turned = {name: values[::-1] for name, values in COLUMNS.items()}
    assert counts == bam.Counts.from_arrays(**turned)
    assert counts != bam.Counts.from_arrays(**COLUMNS | {"y_pred": [0, 1, 1, 1]})
    assert counts != bam.Counts.from_arrays(**COLUMNS, sample_weight=[1, 1, 1, 2])
    assert counts != 4


def test_rows_that_any_model_has_not_predicted_are_dropped() -> None:
    models = {"old": [None, 1, 1, 1], "new": [0, 0, None, 1]}
    counts = bam.Counts.from_arrays(**COLUMNS | {"y_pred": models}, missing="drop")
    kept = {name: [values[1], values[3]] for name, values in COLUMNS.items()}
    assert counts == bam.Counts.from_arrays(**kept | {"y_pred": {"old": [1, 1], "new": [0, 1]}})
    assert counts.rows.dropped == 2


def test_rows_of_many_models_that_differ_in_one_label_stay_distinct() -> None:
    # 2^82 combinations of labels are more than whole numbers of 64 bits can tell apart.
    models = {str(i): [0, 0, 1, 1] for i in range(80)}
    counts = bam.Counts.from_arrays([0, 1, 0, 1], models, sensitive_features=[*"abab"])
    assert counts.to_frame()["count"].tolist() == [1] * 4


def test_data_that_counts_hold_are_not_given_again() -> None:
    counts = bam.Counts.from_arrays(**COLUMNS)
    rule = "counts hold all variables, so sensitive_features must not be given"
    with pytest.raises(ValueError, match=rule):
        bam.DirectionalBiasAmplification().result(counts, sensitive_features="race")
