"""Counts in files: with rows, and without them."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import biasamp_adapters as bam

METRICS = [
    bam.MALSBiasAmplification(),
    bam.DirectionalBiasAmplification(),
    bam.MultiAttributeBiasAmplification(),
    bam.LeakageAmplification(),
    bam.DirectionalPredictabilityAmplification(),
]


def make_counts(shares: tuple[float, ...] = (0.6, 0.4), n: int = 5000, **options: Any) -> Any:
    """Return counts of groups of these shares, with predictions that err in a fifth of the rows."""
    rng = np.random.default_rng(11)
    groups = rng.choice(np.array([*"abc"])[: len(shares)], n, p=shares)
    truth = (rng.random(n) < np.where(groups == "a", 0.5, 0.3)) * 1
    predicted = np.where(rng.random(n) < 0.8, truth, 1 - truth)
    return bam.Counts.from_arrays(truth, predicted, sensitive_features=groups, **options)


def make_matrix_counts(n: int = 3000, overlap: bool = False) -> Any:
    """Return counts of a matrix of eight columns, and of two groups that may overlap."""
    rng = np.random.default_rng(12)
    truth = (rng.random((n, 8)) < 0.2) * 1
    predicted = np.where(rng.random((n, 8)) < 0.9, truth, 1 - truth)
    groups: Any = rng.choice([*"ab"], n)
    if overlap:
        groups = bam.OverlappingGroups((rng.random((n, 2)) < 0.4) * 1, names=[*"uv"])
    return bam.Counts.from_arrays(truth, predicted, sensitive_features=groups)


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes"],
        [0, 1],
        [False, True],
        [0.5, 1.25],
        [dt.date(2020, 1, 1), dt.date(2020, 1, 2)],
        [dt.datetime(2020, 1, 1, 8), dt.datetime(2020, 1, 2, 9)],
    ],
)
def test_saved_counts_load_as_they_were(tmp_path, labels) -> None:
    rows = [labels[i] for i in (0, 1, 1, 0) * 5]
    counts = bam.Counts.from_arrays(rows, rows[::-1], sensitive_features=[*"aabb"] * 5)
    counts.save(tmp_path / "counts.json")
    loaded = bam.Counts.load(tmp_path / "counts.json")
    assert loaded == counts
    assert loaded.class_labels == tuple(labels)
    assert [type(label) for label in loaded.class_labels] == [type(label) for label in labels]


def test_saved_counts_keep_weights_clusters_groups_and_missing_predictions(tmp_path) -> None:
    n = 400
    rng = np.random.default_rng(5)
    truth, predicted = rng.integers(0, 2, n), rng.integers(0, 2, n).astype(object)
    predicted[:40] = None
    counts = bam.Counts.from_arrays(
        truth,
        predicted,
        sensitive_features={"sex": rng.choice([*"fm"], n), "age": rng.choice([*"oy"], n)},
        sample_weight=rng.choice([0.5, 2.0], n),
        clusters=rng.integers(0, 60, n),
        missing="abstain",
    )
    with pytest.warns(bam.AmplificationWarning, match="may identify people") as caught:
        counts.save(tmp_path / "counts.json")
    assert caught[0].filename == __file__
    loaded = bam.Counts.load(tmp_path / "counts.json")
    metric = bam.DirectionalBiasAmplification()
    assert metric.result(loaded).to_dict() == metric.result(counts).to_dict()


def test_save_warns_of_rows_that_stand_for_fewer_than_five(tmp_path) -> None:
    counts = bam.Counts.from_arrays([0, 1], sensitive_features=[*"ab"], count=[4, 5])
    with pytest.warns(bam.AmplificationWarning, match="^1 of 2 distinct rows stand for fewer than"):
        counts.save(tmp_path / "counts.json")
    # One row of class 2 stands for itself among labels of a group, and among all labels.
    counts = bam.Counts.from_arrays([0, 1, 2], sensitive_features=[*"aba"], count=[999, 999, 1])
    with pytest.warns(bam.AmplificationWarning, match="^2 of 10 sums stand for fewer than 5"):
        counts.save(tmp_path / "sums.json", rows=False)


@pytest.mark.parametrize("kind", ["probabilities", "matrix", "sparse with a zero"])
def test_saved_indicators_keep_values_and_missing_rows(tmp_path, kind) -> None:
    rng = np.random.default_rng(6)
    truth: Any = rng.integers(0, 2, (60, 3))
    predicted: Any = rng.integers(0, 2, (60, 3)) * 1.0
    if kind == "probabilities":
        truth, predicted = truth[:, 0], rng.random(60)
    if kind == "sparse with a zero":
        predicted = sparse.csr_array(predicted)
        predicted.data[0] = 0
    else:
        predicted[:9] = np.nan
    counts = bam.Counts.from_arrays(
        truth, predicted, sensitive_features=[*"ab"] * 30, missing="abstain"
    )
    with pytest.warns(bam.AmplificationWarning, match="may identify people"):
        counts.save(tmp_path / "counts.json")
    loaded = bam.Counts.load(tmp_path / "counts.json")
    assert loaded == counts
    assert loaded.n_rows == 60
    metric = bam.DirectionalPredictabilityAmplification(equalize=None)  # It guesses missing rows.
    value, expected = (metric.result(x, n_boot=0).value for x in (loaded, counts))
    assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        ("", "is empty"),
        ("no JSON", "JSON with the format 'biasamp-counts-1'; received no whole object"),
        ("[1, 2]", "with the format 'biasamp-counts-1'"),
        ('{"format": "biasamp-counts-0"}', "counts-1'; received 'biasamp-counts-0'"),
        ('{"format": "biasamp-counts-1"}', "its checksum differs"),
    ],
)
def test_file_that_holds_no_counts_is_refused(tmp_path, content, fragment) -> None:
    (tmp_path / "counts.json").write_text(content)
    with pytest.raises(ValueError, match=fragment):
        bam.Counts.load(tmp_path / "counts.json")


def test_random_byte_changes_never_load_in_silence(tmp_path) -> None:
    path, rng = tmp_path / "counts.json", np.random.default_rng(2)
    counts = make_counts()
    counts.save(path)
    whole = path.read_bytes()
    for _ in range(200):
        changed = bytearray(whole)
        changed[rng.integers(len(whole))] = rng.integers(32, 127)
        path.write_bytes(changed)
        try:
            loaded = bam.Counts.load(path)
        except ValueError:
            continue
        assert loaded == counts


def test_save_into_no_file_or_a_missing_folder_is_refused(tmp_path) -> None:
    with pytest.raises(TypeError, match="NoneType"):
        make_counts().save(None)
    with pytest.raises(OSError, match=r"missing/counts\.json cannot be written"):
        make_counts().save(tmp_path / "missing" / "counts.json")


def test_results_take_saved_counts_of_one_path_several_or_a_pattern(tmp_path) -> None:
    counts, metric = make_counts(), bam.DirectionalBiasAmplification()
    for day in ("mon", "tue"):
        counts.save(tmp_path / f"{day}.json")
    value = metric.result(counts, n_boot=0).value
    assert metric.result(tmp_path / "mon.json", n_boot=0).value == value
    both = [str(tmp_path / "mon.json"), str(tmp_path / "tue.json")]
    assert metric.result(both, n_boot=0).n_rows == 2 * counts.n_rows
    assert metric.result(tmp_path / "*.json", n_boot=0).n_rows == 2 * counts.n_rows


def save_without_rows(counts: Any, folder: Path) -> Any:
    counts.save(folder / "sums.json", rows=False)
    return bam.Counts.load(folder / "sums.json")


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_block_sums_of_labels_give_values_and_close_intervals(tmp_path, metric) -> None:
    counts = make_counts()
    expected, result = metric.result(counts), metric.result(save_without_rows(counts, tmp_path))
    for name, estimate in expected.estimates.items():
        assert result.estimates[name].value == pytest.approx(estimate.value, abs=1e-12)
    # 83 blocks are a noise of 1 / sqrt(2 * 83) = 8 % in the width, and four times that is a third.
    width, expected_width = (np.ptp(x.interval) for x in (result, expected))
    assert 2 / 3 < width / expected_width < 3 / 2


@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("metric", METRICS[:2], ids=repr)
def test_block_sums_of_a_matrix_give_the_values(tmp_path, metric, overlap) -> None:
    counts = make_matrix_counts(overlap=overlap)
    result = metric.result(save_without_rows(counts, tmp_path), n_boot=200)
    assert result.value == pytest.approx(metric.result(counts, n_boot=0).value, abs=1e-12)
    # Where groups overlap, none has more than an even share, so MALS is 0 for every model.
    assert (result.interval is None) == (overlap and metric.short == "MALS")


def test_block_sums_on_other_lists_of_labels_give_the_pairs_of_the_rows(tmp_path) -> None:
    counts, lists = make_counts(), {"class_labels": [2, 1, 0], "group_labels": [*"bAa"]}
    metric = type(METRICS[1])(reference=([0, 1, 2], [*"bAa"]), **lists)
    both = save_without_rows(counts, tmp_path), counts
    pairs, expected = (metric.result(x, n_boot=0).by_pair for x in both)
    pd.testing.assert_frame_equal(pairs, expected, rtol=0, atol=1e-12)


def test_block_sums_of_weights_give_the_values_and_effective_rows(tmp_path) -> None:
    # The group d is listed, and has no rows.
    weights = np.random.default_rng(3).choice([0.5, 2.0, 3.0], 5000)
    counts = make_counts(sample_weight=weights, group_labels=[*"abd"])
    loaded = save_without_rows(counts, tmp_path)
    result, expected = (METRICS[1].result(x, n_boot=0) for x in (loaded, counts))
    assert result.value == pytest.approx(expected.value, abs=1e-12)
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert loaded.rows.effective_rows == pytest.approx(effective)
    audits = (bam.audit(x, n_boot=0).summary["data"]["groups"] for x in (loaded, counts))
    sizes, of_rows = ([group["size"] for group in groups] for groups in audits)
    assert sizes == pytest.approx(of_rows, rel=0.02)


def test_block_sums_hold_no_rows(tmp_path) -> None:
    make_counts().save(tmp_path / "sums.json", rows=False)
    written = json.loads((tmp_path / "sums.json").read_text())
    assert all(variable["codes"] == [] for variable in written["variables"])
    assert min(written["n"]) >= 50
    assert len(written["n"]) >= 20
    loaded = bam.Counts.load(tmp_path / "sums.json")
    loaded.save(tmp_path / "again.json")
    assert bam.Counts.load(tmp_path / "again.json") == loaded
    many = bam.Counts.from_arrays([0, 1], sensitive_features=[*"ab"], count=[200_000] * 2)
    assert len(save_without_rows(many, tmp_path).rows.n) == 1000


def test_small_group_is_one_sum_without_interval(tmp_path) -> None:
    # 5,000 rows, of which some 150 are of group c: fewer than ten for each of 20 blocks.
    counts = make_counts((0.57, 0.4, 0.03))
    loaded = save_without_rows(counts, tmp_path)
    result, expected = METRICS[1].result(loaded), METRICS[1].result(counts)
    assert result.value == pytest.approx(expected.value, abs=1e-12)
    assert (result.interval, result.reason) == (None, "the saved counts hold one sum of c")
    report = bam.audit(loaded)
    assert report.verdicts[0].sentence.endswith(f"without intervals: {result.reason}.")
    assert "n_boot=" not in report.to_text(full=True) + report.to_json()
    # MALS also draws the reference, whose rates it reads.
    compared = bam.MALSBiasAmplification(reference=loaded).result(counts)
    assert compared.reason == "the saved counts hold one sum of c"


@pytest.mark.parametrize(("n", "undrawn"), [(199, ("b",)), (200, ())])
def test_group_of_fewer_than_200_rows_is_one_sum(tmp_path, n, undrawn) -> None:
    # 20 blocks with ten rows of the group on average.
    counts = bam.Counts.from_arrays([0, 1], sensitive_features=[*"ab"], count=[4000, n])
    assert save_without_rows(counts, tmp_path).rows.undrawn == undrawn


def test_few_rows_are_one_sum(tmp_path) -> None:
    loaded = save_without_rows(make_counts(n=300), tmp_path)
    assert loaded.rows.n.tolist() == [300]
    assert METRICS[1].result(loaded).reason == "the saved counts hold one sum of all rows"


def test_block_sums_are_not_used_where_rows_are_needed(tmp_path) -> None:
    matrix = make_matrix_counts()
    with pytest.raises(ValueError, match="needs rows; received counts of block sums"):
        METRICS[2].result(save_without_rows(matrix, tmp_path))
    with pytest.raises(ValueError, match="needs rows here; received counts of block sums"):
        METRICS[3].result(save_without_rows(matrix, tmp_path))


def test_block_sums_refuse_missing_predictions(tmp_path) -> None:
    counts = bam.Counts.from_arrays(
        [0, 1] * 50, [0, None] * 50, sensitive_features=[*"ab"] * 50, missing="abstain"
    )
    with pytest.raises(ValueError, match="must have no missing predictions"):
        counts.save(tmp_path / "sums.json", rows=False)
