"""Counts of label matrices come back from a file as they were, without their rows."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from good_matrices import GROUP, GUESSES, INDICATORS, NAN, PREDICTION, TRUTH, count, joint

from biasamp_adapters import (
    CooccurrenceCounts,
    DirectionalBiasAmplification,
    Indicators,
    JointCounts,
)

SUFFIXES = [".json", ".parquet"]
TIMES = 20


def _many(values: Any) -> Any:
    """Each row so often that no cell is small."""
    if isinstance(values, dict):
        return {name: _many(each) for name, each in values.items()}
    if isinstance(values, Indicators):
        return Indicators(_many(values.values), values.names)
    return values if values is None else list(values) * TIMES


def _count(**changed: Any) -> CooccurrenceCounts:
    rows = {"y_true": TRUTH, "y_pred": PREDICTION, "sensitive_features": GROUP}
    options = {k: changed.pop(k) for k in [*changed] if k in ("labels", "groups", "missing")}
    options |= {k: changed.pop(k) for k in [*changed] if k in ("label_sets", "keep_rows")}
    return count(**_many(rows | changed), **options)


ABSTAINED = [*PREDICTION[:5], [NAN] * 3]
KINDS: dict[str, Callable[[], CooccurrenceCounts]] = {
    "plain": _count,
    "truth only": lambda: _count(y_pred=None, sensitive_features=None),
    "groups by column": lambda: _count(
        sensitive_features=Indicators(INDICATORS, names=["m", "w"]),
        sensitive_features_pred=Indicators(GUESSES, names=["m", "w"]),
    ),
    "labels": lambda: _count(
        y_true=list("aabbcc"), y_pred=None, sensitive_features=Indicators(INDICATORS)
    ),
    "crossed": lambda: _count(sensitive_features={"sex": GROUP, "age": [20, 30, 20] * 2}),
    "weights": lambda: _count(sample_weight=[0.1, 1 / 3, 2, 0, 1e-9, 1e9]),
    "probabilities alone": lambda: _count(
        y_true=None, y_pred=(np.array(PREDICTION) / 3).tolist(), sensitive_features=None
    ),
    "probabilities": lambda: _count(y_pred=(np.array(PREDICTION) / 3).tolist()),
    "abstentions": lambda: _count(y_pred=ABSTAINED, missing="abstain"),
    "dropped": lambda: _count(y_pred=ABSTAINED, missing="drop"),
    "several models": lambda: _count(
        y_pred={"it's": PREDICTION, 'a "b"': TRUTH}, sensitive_features_pred=GROUP
    ),
    "listed": lambda: _count(labels=["z", "x", "y"], groups=["b", "c", "a"]),
    "label sets": lambda: _count(label_sets=[[0], [0, 2], [0, 1, 2]]),
    "observed": lambda: _count(label_sets="observed"),
    "other labels": lambda: _count(labels=[2**60, 0.5, "é日本\n"], groups=["a", "b", "it's"]),
    "booleans": lambda: _count(sensitive_features=[True, False] * 3),
    "one column": lambda: _count(y_true=[[1]] * 6, y_pred=[[0]] * 6),
    "from labels": lambda: CooccurrenceCounts.from_joint(
        JointCounts.from_arrays([0, 1] * TIMES, [1, 1] * TIMES, ["a", "b"] * TIMES)
    ).without_rows(),
}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", KINDS)
def test_round_trip(kind: str, suffix: str, tmp_path: Path) -> None:
    counts = KINDS[kind]()
    counts.save(tmp_path / f"counts{suffix}")
    loaded = CooccurrenceCounts.load(tmp_path / f"counts{suffix}")
    assert loaded == counts
    assert loaded.soft == counts.soft
    # Equality lets 1 pass for True and a list of axes for a tuple.
    for name in ("labels", "groups", "axes", "sets", "attributes"):
        assert repr(getattr(loaded, name)) == repr(getattr(counts, name))
    for name in ("matrices", "declared"):
        # Not by repr: two equal sets may list their members in another order.
        made = getattr(loaded, name)
        assert isinstance(made, frozenset)
        assert made == getattr(counts, name)
    for name, values in counts.moments.items():
        assert loaded.moments[name].dtype == values.dtype
    assert loaded + counts == counts + loaded == counts + counts


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_loaded_counts_are_as_good_as_those_saved(suffix: str, tmp_path: Path) -> None:
    counts = KINDS["several models"]()
    counts.save(tmp_path / f"counts{suffix}")
    loaded = CooccurrenceCounts.load(tmp_path / f"counts{suffix}")
    for name in counts.models:
        assert loaded.model(name) == counts.model(name)
        for role in ("prediction", "attribute_prediction"):
            assert joint(loaded, "attribute", role, name) == joint(counts, "attribute", role, name)
        metric = DirectionalBiasAmplification()
        value = metric.from_counts(counts.model(name)).value
        assert metric.from_counts(loaded.model(name)).value == value


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_rows_are_not_saved(suffix: str, tmp_path: Path) -> None:
    counts = _count(keep_rows=True, label_sets="observed")
    counts.save(tmp_path / f"counts{suffix}")
    counts.without_rows().save(tmp_path / f"sums{suffix}")
    if suffix == ".json":
        written = [(tmp_path / f"{name}.json").read_text("utf-8") for name in ("counts", "sums")]
        assert written[0] == written[1]
    loaded = CooccurrenceCounts.load(tmp_path / f"counts{suffix}")
    assert loaded.rows is None
    assert loaded.no_draws is not None
    assert loaded.observed_sets() == counts.observed_sets()
    with pytest.raises(ValueError, match="count with keep_rows=True"):
        next(loaded.draw(1, np.random.default_rng(0), 1))
    with pytest.raises(ValueError, match="label sets of the reference must be counted"):
        loaded.with_sets(((0, 1, 2),))
    # The sum has no rows either, since those of one part are unknown.
    assert (loaded + counts).rows is None


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_large_numbers_survive(suffix: str, tmp_path: Path) -> None:
    one = counts = _count()
    for _ in range(35):
        counts = counts + counts
    counts = counts + one
    counts.save(tmp_path / f"counts{suffix}")
    loaded = CooccurrenceCounts.load(tmp_path / f"counts{suffix}")
    assert loaded == counts
    assert loaded.n_rows == 6 * TIMES * (2**35 + 1)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_many_label_sets(suffix: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.random((200, 60)) < 0.1, 5, axis=0)
    counts = CooccurrenceCounts.from_arrays(rows, rows, rows[:, 0], label_sets="observed")
    assert len(counts.sets) > 150
    counts.save(tmp_path / f"counts{suffix}")
    assert CooccurrenceCounts.load(tmp_path / f"counts{suffix}") == counts


@pytest.mark.parametrize("label", [b"x", date(2020, 1, 1)], ids=["bytes", "date"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_labels_that_no_file_can_hold(suffix: str, label: Any, tmp_path: Path) -> None:
    counts = _count(groups=["a", "b", label])
    with pytest.raises(ValueError, match=r"labels must be .* to be saved; received"):
        counts.save(tmp_path / f"counts{suffix}")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_from_an_array_are_labels_that_a_file_can_hold(suffix: str, tmp_path: Path) -> None:
    named = Indicators(INDICATORS, names=np.array([10, 20]))
    counts = _count(sensitive_features=named)
    assert {type(group) for group in counts.groups} == {int}
    counts.save(tmp_path / f"counts{suffix}")
    assert CooccurrenceCounts.load(tmp_path / f"counts{suffix}") == counts


@pytest.mark.filterwarnings("ignore::biasamp_adapters.SmallCellsWarning")
def test_counts_of_labels_are_equal_with_rows_and_without(tmp_path: Path) -> None:
    rows = [0, 1, 1], [0, 1, 0], [*"aab"]
    labels = JointCounts.from_arrays(*rows, sample_weight=[1, 2, 0.5], by_weight=True)
    counts = CooccurrenceCounts.from_joint(labels)
    assert counts == counts.without_rows()
    counts.save(tmp_path / "counts.json")
    assert CooccurrenceCounts.load(tmp_path / "counts.json") == counts
    assert counts != labels
