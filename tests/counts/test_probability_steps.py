"""Probabilities that would make too many cells are merged into the mean of their step."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import ENGINES
from drawn_rows import row_of
from hypothesis import given
from hypothesis import strategies as st

import biasamp_adapters as bam
from biasamp_adapters import CooccurrenceCounts, Indicators, JointCounts
from biasamp_adapters._roles import Inputs
from biasamp_adapters.counts import count_arrays, probabilities

LIMIT = "biasamp_adapters.counts.probabilities.MOST_CELLS"


@pytest.fixture(autouse=True)
def few_cells() -> Iterator[None]:
    """Eight cells are as many as may be kept; set once for all examples of a property."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMIT, 8)
        yield


def exact(*rows: Any, **options: Any) -> JointCounts:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMIT, 10**6)
        return JointCounts.from_arrays(*rows, **options)


def cells(counts: JointCounts) -> pd.DataFrame:
    frame = counts.to_frame()
    return frame.sort_values([*frame.columns]).reset_index(drop=True)


def same_cells(first: JointCounts, second: JointCounts) -> None:
    """The same cells, and probabilities up to the last digits of a mean."""
    assert first.probability_step == second.probability_step
    pd.testing.assert_frame_equal(cells(first), cells(second), rtol=1e-12, atol=0)


def test_each_step_of_a_cell_is_kept_at_its_mean() -> None:
    probability = [0.1001, 0.1003, 0.1009, 0.101, 0.5, 0.7001, 0.7009, 0.0, 1.0]
    counts = JointCounts.from_arrays([0] * 5 + [1] * 4, probability)
    assert counts.probability_step == 0.001
    assert cells(counts)["model"].tolist() == pytest.approx(
        # (.1001 + .1003 + .1009) / 3; .101 begins the next step; 0 and 1 are labels.
        [0.1004 + 1 / 30000, 0.101, 0.5, 0, 0.7005, 1],
        abs=1e-15,
    )
    assert cells(counts)["n"].tolist() == [3, 1, 1, 1, 2, 1]


def test_as_many_cells_as_fit_stay_as_they_are() -> None:
    counts = JointCounts.from_arrays([0] * 8, np.arange(1, 9) / 1e5)
    assert counts.probability_step is None
    assert counts.levels.tolist() == (np.arange(1, 9) / 1e5).tolist()


@pytest.mark.parametrize(("width", "step"), [(1e-4, 0.001), (1e-3, 0.01), (1e-2, 0.1)])
def test_the_narrowest_step_that_fits(width: float, step: float) -> None:
    counts = JointCounts.from_arrays([0] * 30, width * (0.5 + np.arange(30)))
    assert counts.probability_step == step
    assert counts.n.tolist() == [10, 10, 10]
    assert counts.levels == pytest.approx(step * np.array([0.5, 1.5, 2.5]))


def test_the_widest_step_where_none_fits() -> None:
    group = np.repeat(np.arange(10), 2)
    counts = JointCounts.from_arrays([0] * 20, [0.31, 0.33] * 10, group)
    assert counts.probability_step == 0.1
    assert counts.levels == pytest.approx([0.32])


def test_three_decimals_are_steps_of_their_own() -> None:
    three = np.round(np.arange(1, 1000) / 1000, 3)
    assert probabilities.lower_ends(three, 0.001).tolist() == three.tolist()
    two = np.round(np.arange(1, 100) / 100, 2)
    assert probabilities.lower_ends(two, 0.01).tolist() == two.tolist()
    near = np.array([np.nextafter(0, 1), np.nextafter(0.001, 0) - 1e-11, np.nextafter(1, 0)])
    assert probabilities.lower_ends(near, 0.001).tolist() == [0, 0, 0.999]


# Of rows of (attribute, truth, probability or label, part it goes to, weight).
ROWS = st.lists(
    row_of(
        "ab", (0, 1), (0.0, 0.12, 0.1231, 0.1233, 0.129, 0.5, 0.55, 0.98, 1.0), range(3), (1, 4)
    ),
    min_size=1,
    max_size=60,
)


@given(ROWS, st.booleans(), st.randoms(use_true_random=False))
def test_neither_order_nor_parts_matter(rows: list[Any], weighted: bool, random: Any) -> None:
    def count(some: list[Any]) -> JointCounts:
        group, truth, probability, _, weight = map(list, zip(*some, strict=True))
        return JointCounts.from_arrays(
            truth, probability, group, sample_weight=weight if weighted else None
        )

    # Whether predictions are probabilities must show in every part.
    parts = [
        [("a", 0, 0.5, part, 1)] + [row for row in rows if row[3] == part] for part in range(3)
    ]
    rows = [row for part in parts for row in part]
    whole = count(rows)
    same_cells(reduce(add, map(count, parts)), whole)
    random.shuffle(rows)
    same_cells(count(rows), whole)


@given(ROWS, st.booleans())
def test_values_are_those_of_all_probabilities(rows: list[Any], weighted: bool) -> None:
    rows = [
        *rows,
        ("a", 0, 0.3, 0, 1),
        ("b", 1, 0.3, 0, 1),
        ("a", 1, 0.6, 0, 4),
        ("b", 0, 0.6, 0, 1),
    ]
    group, truth, probability, _, weight = map(list, zip(*rows, strict=True))
    given_rows = (truth, probability, group, None, weight if weighted else None)
    counts, every = JointCounts.from_arrays(*given_rows), exact(*given_rows)
    assert counts.n_rows == every.n_rows
    for metric in (bam.MALS(), bam.DirectionalBiasAmplification()):
        assert metric.from_counts(counts).value == pytest.approx(
            metric.from_counts(every).value, abs=1e-13
        )


@pytest.mark.parametrize("name", [*ENGINES])
def test_engines_and_chunks_merge_alike(name: str) -> None:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.integers(0, 2, (200, 2)), columns=["T", "A"])
    rows = rows.assign(P=np.where(rng.random(200) < 0.1, 1, rng.random(200)))
    columns = {"task": "T", "attribute": "A", "prediction": {"model": "P"}}
    names = {"y_true": rows["T"], "y_pred": rows["P"], "sensitive_features": {"A": rows["A"]}}
    of_arrays = JointCounts.from_arrays(**names)
    assert of_arrays.probability_step == 0.1
    same_cells(JointCounts.from_frame(ENGINES[name](rows), **columns), of_arrays)
    parts = (ENGINES[name](rows.iloc[start : start + 50]) for start in range(0, 200, 50))
    same_cells(JointCounts.from_chunks(parts, **columns), of_arrays)


@pytest.mark.parametrize("name", ["polars", "pyarrow", "duckdb"])
def test_engines_merge_what_is_odd_alike(name: str) -> None:
    odd = [0.0, 1.0, 1 - 1e-16, np.nextafter(1, 0), np.nextafter(0, 1), None, 0.057, 0.0575]
    rows = pd.DataFrame({"T": [0] * 16 + [1] * 16, "P": odd * 4, "W": [0] * 8 + [1, 2, 3] * 8})
    names = {"y_true": rows["T"], "y_pred": rows["P"], "sample_weight": rows["W"]}
    counts = JointCounts.from_frame(
        ENGINES[name](rows), task="T", prediction={"model": "P"}, weight="W", missing="abstain"
    )
    assert counts.probability_step == 0.1
    same_cells(counts, JointCounts.from_arrays(**names, missing="abstain"))


@pytest.mark.parametrize("name", ["polars", "duckdb"])
def test_engines_refuse_what_is_no_probability(name: str) -> None:
    numbers = pd.DataFrame({"T": [0, 1] * 10, "P": np.arange(1, 21) / 20 + 0.3})
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]; received 1\."):
        JointCounts.from_frame(ENGINES[name](numbers), task="T", prediction="P")
    labels = numbers.assign(T=numbers["P"])
    counts = JointCounts.from_frame(ENGINES[name](labels), task="T", prediction="P")
    assert counts.labels == tuple(labels["T"])


def test_weights_are_dropped_first_and_weigh_in_the_mean() -> None:
    rows = {"y_true": [1] * 12, "y_pred": [0.25, 0.253] * 6}
    counts = JointCounts.from_arrays(**rows, sample_weight=np.arange(1, 13), by_weight=True)
    # Two probabilities fit once the weights are no longer kept apart.
    assert counts.probability_step is None
    assert counts.cells.unit is None
    probability = 0.25 + np.arange(12) / 1e5
    counts = JointCounts.from_arrays([1] * 12, probability, sample_weight=[1, 3] * 6)
    # (0 + 2 + ... + 10) + 3 (1 + 3 + ... + 11) = 30 + 108, of a weight of 24.
    assert counts.levels == pytest.approx([0.25 + 138 / 24 / 1e5])
    assert counts.w.tolist() == [24]


def test_rows_without_weight_keep_a_probability() -> None:
    probability = np.arange(1, 13) / 1e4
    counts = JointCounts.from_arrays([1] * 12, probability, sample_weight=[0] * 9 + [1] * 3)
    assert counts.levels == pytest.approx([1e-4, 0.0011])


def test_abstentions_and_whole_predictions_stay() -> None:
    prediction = [None, None, 0, 1, *(np.arange(1, 11) / 1e5)]
    counts = JointCounts.from_arrays([0] * 14, prediction, missing="abstain")
    assert counts.abstentions("prediction", "model") == 2
    assert counts.n.tolist() == [1, 1, 2, 10]


def test_numbers_that_are_no_probabilities_after_all() -> None:
    truth, numbers = np.array([0, 1] * 50000 + [2]), np.arange(1, 100002) / 1e6
    with pytest.raises(ValueError, match=r"y_pred must hold labels, or probabilities beside a tru"):
        JointCounts.from_arrays(truth, numbers)
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]; received 7"):
        JointCounts.from_arrays(truth % 2, np.append(numbers[1:], 7))


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_files_know_the_step(ending: str, tmp_path: Path) -> None:
    counts = JointCounts.from_arrays([0, 1] * 10, np.arange(1, 21) / 1e5)
    counts.save(tmp_path / f"counts.{ending}")
    loaded = JointCounts.load(tmp_path / f"counts.{ending}")
    assert loaded == counts
    # More rows are merged in the same step, though they would fit.
    one = JointCounts.from_arrays([0], [0.00011])
    assert (loaded + one).probability_step == 0.001
    assert (loaded + one).n.tolist() == [11, 10]


@pytest.mark.parametrize("step", ["0.002", "true", '"0.001"', "null"])
def test_files_of_other_steps_are_refused(step: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    JointCounts.from_arrays([0, 1] * 10, np.arange(1, 21) / 1e5).save(path)
    text = path.read_text()
    assert '"probability_step": 0.001' in text
    path.write_text(text.replace('"probability_step": 0.001', f'"probability_step": {step}'))
    with pytest.raises(ValueError, match=r"path must be a file (that|as) JointCounts.save wrote"):
        JointCounts.load(path)


def test_a_report_names_the_step() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, 100), np.clip(rng.random(100), 0.01, 0.99), rng.integers(0, 2, 100)
    report = bam.audit(*rows[:2], sensitive_features=rows[2], n_boot=20)
    (note,) = [note for note in report.summary["notes"] if "within a step of 0.1 " in note]
    for text in (report.to_markdown(), report.to_html(), report.to_text(full=True)):
        assert "within a step of 0.1" in " ".join(text.split())
    assert "rounded to few enough values beforehand" in note
    notes = bam.audit_counts(exact(*rows), n_boot=20).summary["notes"]
    assert not any("within a step" in note for note in notes)


def test_thresholds_of_merged_scores_split_no_step() -> None:
    truth, score = [0, 1] * 20, np.arange(40) / 41
    scores = JointCounts.from_arrays(truth, score, ["a", "b", "b", "a"] * 10)
    calls = JointCounts.from_arrays(truth, score >= 0.5, ["a", "b", "b", "a"] * 10)
    assert scores.probability_step == 0.1
    (sweep,) = bam.audit_counts(calls, y_score=scores, n_boot=0).summary["sweeps"]
    found = {point["threshold"]: point["share"] for point in sweep["points"][1:]}
    assert found == pytest.approx({x / 10: (score >= x / 10).mean() for x in range(10)})


def test_attackers_that_are_fitted_read_every_probability() -> None:
    rng = np.random.default_rng(0)
    truth, group = rng.integers(0, 2, (2, 50))
    score = (truth + rng.random(50)) / 2
    leakage = bam.LeakageAmplification(evaluation="cv", n_trials=2)
    found = leakage(truth, score, sensitive_features=group)
    every = leakage.from_counts(exact(truth, score, group)).value
    assert found == pytest.approx(every, abs=1e-12)


def test_labels_beside_groups_that_are_columns() -> None:
    rng = np.random.default_rng(0)
    truth, score, group = rng.integers(0, 2, 60), rng.random(60), rng.integers(0, 2, (60, 2))
    counts = CooccurrenceCounts.from_arrays(truth, score, Indicators(group), keep_rows=True)
    assert counts.probability_step == 0.1
    every = count_arrays(Inputs(truth, score, Indicators(group)), merges=False)
    assert every.probability_step is None
    metric = bam.DirectionalBiasAmplification(direction="A->T")
    assert metric.from_counts(counts).value == pytest.approx(metric.from_counts(every).value)
