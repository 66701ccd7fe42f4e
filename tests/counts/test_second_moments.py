"""Second moments: sums of products that add up, and the draws that they allow without rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from good_matrices import moments_of
from hypothesis import given
from hypothesis import strategies as st

import biasamp_adapters as bam
from biasamp_adapters import CooccurrenceCounts, Indicators, SmallCellsWarning
from biasamp_adapters._typing import Array

N = 400
QUIET = pytest.mark.filterwarnings("ignore::biasamp_adapters.SmallCellsWarning")


def _images(n: int = N, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    chance = np.array([[0.3, 0.5, 0.2], [0.5, 0.4, 0.3]])[group]
    truth = (rng.random((n, 3)) < chance).astype(int)
    return {
        "y_true": truth,
        "y_pred": np.where(rng.random((n, 3)) < 0.15, 1 - truth, truth),
        "sensitive_features": group,
        "sensitive_features_pred": np.where(rng.random(n) < 0.1, 1 - group, group),
    }


def _count(rows: dict[str, Any], keep: Any = slice(None), **options: Any) -> CooccurrenceCounts:
    return CooccurrenceCounts.from_arrays(
        **{name: values[keep] for name, values in rows.items()},
        groups=[0, 1],
        second_moments=True,
        **options,
    )


def _close(first: CooccurrenceCounts, second: CooccurrenceCounts) -> None:
    assert first.second is not None
    assert second.second is not None
    for name in ("left", "sums", "squares"):
        ours, theirs = getattr(first.second, name), getattr(second.second, name)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=0)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_products_row_by_row(weighted: bool) -> None:
    rows = _images(40)
    weight = np.arange(40) / 8 if weighted else None
    counts = _count(rows, sample_weight=weight)
    layout, second = counts.layout, counts.second
    assert second is not None
    expected: dict[tuple[float, ...], Array] = {}
    for i in range(40):
        y = np.zeros((1, layout.width))
        for axis, name in zip(counts.axes, ("A", "T", "A^", "T^"), strict=True):
            values = {
                "A": np.eye(2)[rows["sensitive_features"][i]],
                "A^": np.eye(2)[rows["sensitive_features_pred"][i]],
                "T": rows["y_true"][i],
                "T^": rows["y_pred"][i],
            }
            role = {"attribute": "A", "attribute_prediction": "A^", "task": "T", "prediction": "T^"}
            y[0, layout.blocks[axis.role, axis.model]] = values[role[axis.role]]
            assert name in values
        n_tasks, row = rows["y_true"][i].sum(), {name: x[i] for name, x in rows.items()}
        y[0, layout.blocks["one", None]] = 1
        y[0, layout.blocks["one_group", None]] = 1
        y[0, layout.blocks["one_task", None]] = n_tasks == 1
        y[0, layout.blocks["no_task", None]] = n_tasks == 0
        y[0, layout.blocks["task_agreement", "model"]] = row["y_true"] * row["y_pred"]
        same = row["sensitive_features"] == row["sensitive_features_pred"]
        y[0, layout.blocks["attribute_agreement", "model"]] = (
            same * np.eye(2)[row["sensitive_features"]]
        )
        w = 1 if weight is None else weight[i]
        key = tuple(y[0, layout.left].tolist())
        expected[key] = expected.get(key, 0) + w**2 * np.outer(y[0], y[0])
    assert [tuple(left) for left in second.left.tolist()] == sorted(expected)
    for left, squares in zip(second.left.tolist(), second.squares, strict=True):
        np.testing.assert_allclose(squares, expected[tuple(left)], rtol=1e-12)
    # The sums that metrics read follow from those of the patterns.
    np.testing.assert_allclose(second.left.T @ second.sums, moments_of(counts.tables()), rtol=1e-12)


@given(st.integers(1, N - 1), st.booleans())
def test_they_add_up(cut: int, weighted: bool) -> None:
    rows = _images()
    if weighted:
        rows["sample_weight"] = np.arange(N) / 4 + 0.25
    parts = [_count(rows, slice(None, cut)), _count(rows, slice(cut, None))]
    _close(parts[0] + parts[1], _count(rows))


def test_of_rows_that_were_kept() -> None:
    rows = _images()
    kept = _count(rows, keep_rows=True)
    again = CooccurrenceCounts.from_arrays(**rows, keep_rows=True).with_second_moments()
    _close(kept, again)
    assert not kept.is_normal
    assert kept.without_rows().is_normal


def test_other_lists_and_one_model() -> None:
    rows = _images()
    models = {"old": rows["y_pred"], "new": rows["y_true"]}
    guesses = {"old": rows["sensitive_features_pred"], "new": rows["sensitive_features"]}
    both = _count({**rows, "y_pred": rows["y_pred"]})
    two = CooccurrenceCounts.from_arrays(
        rows["y_true"], models, rows["sensitive_features"], guesses, second_moments=True
    )
    one = CooccurrenceCounts.from_arrays(
        rows["y_true"],
        {"old": rows["y_pred"]},
        rows["sensitive_features"],
        {"old": rows["sensitive_features_pred"]},
        second_moments=True,
    )
    _close(two.model("old"), one)
    np.testing.assert_array_equal(one.second.squares, both.second.squares)  # type: ignore[union-attr]
    turned = one.align((2, 0, 1), (1, 0))
    expected = CooccurrenceCounts.from_arrays(
        rows["y_true"][:, [2, 0, 1]],
        {"old": rows["y_pred"][:, [2, 0, 1]]},
        rows["sensitive_features"],
        {"old": rows["sensitive_features_pred"]},
        labels=[2, 0, 1],
        groups=[1, 0],
        second_moments=True,
    )
    _close(turned, expected)


def test_from_frames_and_chunks() -> None:
    rows = _images()
    frame = pd.DataFrame(rows["y_true"], columns=["x", "y", "z"])
    frame[["px", "py", "pz"]] = rows["y_pred"]
    frame["g"] = rows["sensitive_features"]
    columns: dict[str, Any] = {
        "task": ["x", "y", "z"], "prediction": ["px", "py", "pz"], "attribute": "g",
        "second_moments": True,
    }  # fmt: skip
    whole = CooccurrenceCounts.from_frame(frame, **columns)
    parts = (frame.iloc[i : i + 90] for i in range(0, N, 90))
    _close(CooccurrenceCounts.from_chunks(parts, **columns), whole)
    parts = (frame.iloc[i : i + 90] for i in range(0, N, 90))
    observed = CooccurrenceCounts.from_chunks(parts, **columns, label_sets="observed")
    _close(observed, CooccurrenceCounts.from_frame(frame, **columns, label_sets="observed"))
    assert observed.sets


METRICS = [
    bam.DirectionalBiasAmplification(),
    bam.DirectionalBiasAmplification(direction="T->A"),
    bam.MALS(),
    bam.DirectionalPredictabilityAmplification(),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_intervals_are_those_of_resampled_rows(metric: Any, weighted: bool) -> None:
    rows = _images(3000)
    if weighted:
        if isinstance(metric, bam.DirectionalPredictabilityAmplification):
            pytest.skip("weighted rows that were not kept cannot be flipped")
        rows["sample_weight"] = np.random.default_rng(3).uniform(0.5, 2, 3000)
    sums = _count(rows)
    kept = CooccurrenceCounts.from_arrays(**rows, keep_rows=True)
    normal = metric.from_counts(sums, n_boot=4000)
    drawn = metric.from_counts(kept, n_boot=4000)
    assert normal.value == pytest.approx(drawn.value)
    assert drawn.interval is not None
    # Monte Carlo error of the difference of two 2.5 % quantiles of 4,000 normal replicates.
    error = 2.7 * np.ptp(drawn.interval) / 3.92 * np.sqrt(2 / 4000)
    assert normal.interval == pytest.approx(drawn.interval, abs=4 * error)


def test_draws_have_the_moments_of_resampled_sums() -> None:
    counts = _count(_images(5000))
    drawn = np.concatenate(
        [moments_of(tables) for tables in counts.draw(20_000, np.random.default_rng(0), 4000)]
    )
    assert drawn.shape == (20_000, *counts.moments["n"].shape)
    # Columns that no row has do not vary, but for rounding.
    error = np.maximum(drawn.std(axis=0), 1e-6) / np.sqrt(20_000)
    assert (np.abs(drawn.mean(axis=0) - counts.moments["n"]) / error).max() < 5
    # The variance of the sum of indicators over Poisson draws of the rows is the sum itself.
    variance = counts.moments["n"]
    seen = variance > 50
    assert drawn.var(axis=0)[seen] == pytest.approx(variance[seen], rel=5 * np.sqrt(2 / 20_000))


def test_draws_are_sums_that_rows_can_have() -> None:
    # A task of three rows: half of the normal draws would be below 0.
    rows = _images()
    rows["y_true"][:, 2] = np.arange(N) < 3
    counts = _count(rows)
    for tables in counts.draw(500, np.random.default_rng(1), 100):
        assert (moments_of(tables) >= 0).all()
        true, made = tables.marginal("task"), tables.marginal("prediction")
        both = tables.agreement("task")
        slack = 1e-9 * N
        assert (both <= np.minimum(true, made) + slack).all()
        assert (both >= true + made - tables.total[:, None] - slack).all()


@QUIET
@pytest.mark.parametrize("ending", [".json", ".parquet"])
@pytest.mark.parametrize("weighted", [False, True])
def test_files(tmp_path: Path, ending: str, weighted: bool) -> None:
    rows = _images()
    if weighted:
        rows["sample_weight"] = np.arange(N) / 3
    counts = _count(rows, label_sets=[[0, 1]])
    path = tmp_path / f"counts{ending}"
    counts.save(path)
    again = CooccurrenceCounts.load(path)
    assert again == counts
    _close(again, counts)
    metric = bam.DirectionalBiasAmplification()
    assert (
        metric.from_counts(again, n_boot=100).interval
        == metric.from_counts(counts, n_boot=100).interval
    )


@QUIET
@pytest.mark.parametrize("name", ["second_left", "second_sums", "second_squares"])
def test_files_that_were_changed(tmp_path: Path, name: str) -> None:
    path = tmp_path / "counts.json"
    _count(_images()).save(path)
    document = json.loads(path.read_text())
    for wrong in ([], document[name][:-1], [document[name][0] + 1, *document[name][1:]]):
        path.write_text(json.dumps({**document, name: wrong}))
        if name == "second_squares" and len(wrong) == len(document[name]):
            # The diagonal alone cannot be told from another one; products of two columns can.
            wrong = [*document[name]]
            wrong[1] += 1
            path.write_text(json.dumps({**document, name: wrong}))
        with pytest.raises(
            ValueError, match=r"must be a file that .*CooccurrenceCounts\.save wrote"
        ):
            CooccurrenceCounts.load(path)


def test_small_products_are_warned_of(tmp_path: Path) -> None:
    rows = _images(5000)
    # Of each pair there are hundreds, but two of the tasks are together in three rows only.
    rows["y_true"][:, 0] = np.arange(5000) < 2500
    rows["y_true"][:, 1] = np.arange(5000) >= 2497
    with pytest.warns(SmallCellsWarning):
        _count(rows).save(tmp_path / "counts.json")


def test_what_they_cannot_be_kept_for() -> None:
    rows = _images()
    soft = Indicators(np.random.default_rng(0).random((N, 2)), names=[0, 1])
    with pytest.raises(ValueError, match="second moments need predicted attributes of 0 and 1"):
        CooccurrenceCounts.from_arrays(
            rows["y_true"], rows["y_pred"], rows["sensitive_features"], soft, second_moments=True
        )
    many = Indicators(np.random.default_rng(0).integers(0, 2, (4000, 14)))
    with pytest.raises(ValueError, match=r"up to 1024 combinations of groups.*; received "):
        CooccurrenceCounts.from_arrays(
            np.ones((4000, 1)), np.ones((4000, 1)), many, second_moments=True
        )
    with pytest.raises(ValueError, match="second moments need rows: count with second_moments="):
        CooccurrenceCounts.from_arrays(**rows).with_second_moments()


def test_an_audit_says_how_it_drew() -> None:
    report = bam.audit_counts(_count(_images(), label_sets="observed"), n_boot=200)
    assert report.summary["method"]["interval"].startswith("percentiles of normal draws")
    assert any("The rows are gone" in note for note in report.summary["notes"])
    table = report.to_frame().set_index(["metric", "direction"])
    assert np.isfinite(table.loc[("DirectionalBiasAmplification", "A->T"), "low"])
    assert ("MultiAttributeBiasAmplification", "A->T") in table.index
    assert ("LeakageAmplification", "undirected") not in table.index
