"""No interval where rates of fewer than 15 rows decide how uncertain a value is."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from kinds import Kind

import biasamp_adapters as bam
from biasamp_adapters import MALS, DirectionalBiasAmplification, MultiAttributeBiasAmplification


def mixed(n: int) -> Any:
    """As many 0 and 1 as chance gives; no table of them is balanced."""
    return np.random.default_rng(5).integers(0, 2, n)


def wrong(labels: Any, every: int = 4) -> Any:
    """The same 0 and 1 with each fourth changed."""
    labels = np.array(labels)
    labels[::every] = 1 - labels[::every]
    return labels


def result_of(metric: Any, *args: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        return metric.result(*args, n_boot=200, **options)


@pytest.mark.parametrize(("positives", "few"), [(14, True), (15, False)])
def test_rates_given_a_class(kind: Kind, positives: int, few: bool) -> None:
    # T->A compares rates of 14 or 15 rows with rates of 486: 1/14 of 1/14 + 1/486 is 97 %.
    truth, group = [1] * positives + [0] * (500 - positives), mixed(500)
    counts = kind.count(truth, None, group, wrong(group), **kind.apart)
    metric = DirectionalBiasAmplification(direction="T->A")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        result = metric.from_counts(counts, n_boot=200)
    assert result.measurement.few_rows is few
    assert (result.interval is None) is few
    what = "class" if kind.name == "labels" else "task"
    reason = f"97% of its variance is due to {what} 1, of which there are fewer than 15 rows"
    assert any(reason in note for note in result.notes) is few


def test_rates_given_a_group() -> None:
    # A->T compares rates given the group, and knows nothing of rare classes.
    group, truth = [0] * 490 + [1] * 10, mixed(500)
    assert (
        result_of(
            DirectionalBiasAmplification(), truth, wrong(truth), sensitive_features=group
        ).interval
        is None
    )
    rare = [1] * 10 + [0] * 490
    assert result_of(
        DirectionalBiasAmplification(), rare, wrong(rare), sensitive_features=mixed(500)
    ).interval


def test_one_rare_task_of_many_does_not_decide() -> None:
    # 1/5 of 1/5 + 65/200 is 38 %. With three tasks it is 1/5 of 1/5 + 2/200, or 95 %.
    positive = np.repeat([1, 0], 200)
    truth = np.random.default_rng(0).permuted(np.tile(positive, (66, 1)), axis=1).T
    truth[:, 0] = np.repeat([1, 0], [5, 395])
    group = mixed(400)
    metric = DirectionalBiasAmplification(direction="T->A")
    rows = {"sensitive_features": group, "sensitive_features_pred": wrong(group, 7)}
    many = result_of(metric, truth, truth, **rows)
    assert many.interval is not None
    assert many.measurement.evidence("value", 0.0).few_share == pytest.approx(
        0.2 / (0.2 + 65 / 200)
    )
    few = result_of(metric, truth[:, :3], truth[:, :3], **rows)
    assert few.interval is None
    assert few.measurement.evidence("value", 0.0).few_share == pytest.approx(0.2 / (0.2 + 2 / 200))


def test_mals_needs_rows_that_are_predicted_positive() -> None:
    # 100 rows are positive, 14 are predicted so.
    truth, group = [1] * 100 + [0] * 400, mixed(500)
    said = [1] * 14 + [0] * 486
    assert result_of(MALS(), truth, said, sensitive_features=group).interval is None
    assert result_of(MALS(), truth, wrong(truth, 50), sensitive_features=group).interval


def test_multi_conditions_like_ba() -> None:
    truth, group = [1] * 14 + [0] * 486, mixed(500)
    rows = {"sensitive_features": group, "sensitive_features_pred": wrong(group)}
    result = result_of(MultiAttributeBiasAmplification(direction="T->A"), truth, truth, **rows)
    assert result.measurement.few_rows
    result = result_of(MultiAttributeBiasAmplification(direction="A->T"), truth, truth, **rows)
    assert not result.measurement.few_rows


def test_weighted_rows_count_as_what_they_are_worth() -> None:
    # 20 rows of the rare class; the others' weights make 500 rows worth fewer.
    truth, group = [1] * 20 + [0] * 480, mixed(500)
    weights = np.resize([0.1, 3.0, 0.1], 500)
    metric = DirectionalBiasAmplification(direction="T->A")
    rows = {"sensitive_features": group, "sensitive_features_pred": wrong(group)}
    assert not result_of(metric, truth, truth, **rows).measurement.few_rows
    assert result_of(metric, truth, truth, **rows, sample_weight=weights).measurement.few_rows


def test_pairs_of_few_rows_have_no_interval() -> None:
    # Ten rows of one group take the intervals of its own pairs, and are little beside 40 groups.
    group = np.repeat([f"{i:02}" for i in range(41)], [10, *[40] * 40])
    truth = np.resize([0, 1, 1], len(group))
    report = bam.audit(truth, wrong(truth), sensitive_features=group, n_boot=200)
    pairs = report.to_frame("pairs").set_index("attribute")
    assert pairs.loc["00", ["low", "band_low"]].isna().all(axis=None)
    assert set(pairs.loc["00", "note"]) == {"its rates are shares of fewer than 15 rows"}
    assert not pairs.loc["00", "clear"].any()
    assert pairs.drop("00")[["low", "band_low"]].notna().all(axis=None)
