"""Which pairs of BA-> are clear: an interval that holds for all pairs at once does not reach 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from kinds import Kind

import biasamp_adapters as bam
from biasamp_adapters.auditing import findings
from biasamp_adapters.auditing.runs import summarize_reports
from biasamp_adapters.auditing.text_tables import tables

CLASSES = range(12)


def rows(seed: int = 0, moved: bool = False) -> dict[str, Any]:
    """12 groups and classes that know nothing of each other, and predictions at the same rates."""
    rng = np.random.default_rng(seed)
    group, truth = rng.integers(12, size=6_000), rng.integers(12, size=6_000)
    said = np.where(rng.random(6_000) < 0.3, rng.integers(12, size=6_000), truth)
    if moved:
        said[(group == 3) & (rng.random(6_000) < 0.5)] = 7
    return {"y_true": truth, "y_pred": said, "sensitive_features": group}


def pairs_of(report: bam.AuditReport) -> pd.DataFrame:
    return report.to_frame("pairs")


def without_zero(table: pd.DataFrame, low: str, high: str) -> pd.Series:
    return (table[low] > 0) | (table[high] < 0)


def test_chance_is_not_clear(kind: Kind) -> None:
    data = rows()
    counts = kind.count(
        data["y_true"], data["y_pred"], data["sensitive_features"], classes=CLASSES, **kind.apart
    )
    pairs = pairs_of(bam.audit_counts(counts, n_boot=300))
    assert len(pairs) == 144
    # 7 of 144 are expected.
    assert without_zero(pairs, "low", "high").sum() >= 3
    assert not pairs["clear"].any()
    # The pointwise interval stays, and is narrower.
    assert ((pairs["band_low"] < pairs["low"]) & (pairs["high"] < pairs["band_high"])).all()


def test_what_moved_is_clear() -> None:
    report = bam.audit(**rows(moved=True), n_boot=300)
    pairs = pairs_of(report)
    assert pairs["clear"].equals(without_zero(pairs, "band_low", "band_high"))
    clear = pairs[pairs["clear"]]
    assert set(clear["attribute"]) == {"3"}
    assert "7" in set(clear["task"])
    note = next(note for note in report.summary["notes"] if "by chance alone" in note)
    assert "7 of 144 intervals of pairs would lie above or below 0 by chance alone" in note
    assert f"clear: {len(clear)} of 144" in note
    table = next(table for table in tables(report.summary, short=False) if table.part == "pairs")
    assert "interval for all pairs" in table.names
    column = table.names.index("clear")
    marked = [row[column].text == "yes" for row in table.rows]
    # The clear ones come first.
    assert marked == table.clear == [True] * len(clear) + [False] * (len(marked) - len(clear))


def test_the_band_is_that_of_all_pairs() -> None:
    pairs = pairs_of(bam.audit(**rows(), n_boot=300))
    half = (pairs["band_high"] - pairs["band_low"]) / 2
    own = (pairs["high"] - pairs["low"]) / 2 / 1.96
    # Bonferroni's inequality asks for 3.58 standard deviations of 144 normal numbers.
    assert 3.0 < (half / own).median() < 4.2


def test_two_classes_tell_each_fact_twice() -> None:
    truth = [1] * 60 + [0] * 40 + [1] * 40 + [0] * 60
    said = [1] * 80 + [0] * 20 + [1] * 20 + [0] * 80
    group = ["a"] * 100 + ["b"] * 100
    both = pairs_of(bam.audit(truth, said, sensitive_features=group, n_boot=400))
    one = pairs_of(bam.audit(truth, said, sensitive_features=group, n_boot=400, pos_label=1))
    assert len(both) == 2 * len(one) == 4
    of_one = both[both["task"] == "1"].sort_values("attribute")
    one = one.sort_values("attribute")
    for end in ("band_low", "band_high"):
        np.testing.assert_allclose(of_one[end], one[end], atol=1e-9)
    assert one["clear"].all()


def test_more_pairs_than_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    every = pairs_of(bam.audit(**rows(), n_boot=300))
    monkeypatch.setattr(findings, "MOST_PAIRS", 10)
    monkeypatch.setattr(findings, "_MOST_SCORES", 300)
    few = pairs_of(bam.audit(**rows(), n_boot=300))
    assert few["value"].tolist() == every["value"].tolist()[: len(few)]
    # As wide as .05 / (2 * 144) in each tail of the normal distribution, 3.58, asks for.
    half = (few["band_high"] - few["band_low"]) / (few["high"] - few["low"]) * 1.96
    assert len(few) == 10
    assert half.median() == pytest.approx(3.58, rel=0.15)


def test_pairs_without_draws_have_no_band() -> None:
    pairs = pairs_of(bam.audit(**rows(), n_boot=0))
    assert pairs[["band_low", "band_high"]].isna().all(axis=None)
    assert not pairs["clear"].any()
    assert set(pairs["note"]) == {"no replicates were drawn"}


def test_runs_ask_more_of_many_pairs() -> None:
    reports = {str(seed): bam.audit(**rows(seed), n_boot=40) for seed in range(4)}
    pairs = pairs_of(summarize_reports(reports))
    assert (pairs["band_low"] < pairs["low"]).all()
    assert pairs["clear"].equals(without_zero(pairs, "band_low", "band_high"))


def test_pairs_that_are_not_listed_are_counted_too() -> None:
    rng = np.random.default_rng(0)
    group, truth = rng.integers(0, 30, 9000), rng.integers(0, 20, 9000)
    said = np.where(rng.random(9000) < 0.5, truth, rng.integers(0, 20, 9000))
    report = bam.audit(truth, said, sensitive_features=group, n_boot=9)
    assert len(report.summary["pairs"]) == 500
    # 30 groups of 20 classes.
    assert "10 clearest of 600 pairs" in (report.to_html() or "")
    pairs = report.results["model", "DirectionalBiasAmplification A->T"].by_pair
    doubt = (
        f"{100 * pairs['uncertain'].mean():.0f}% of the correlations of the reference may be noise."
    )
    assert doubt in report.summary["answer"]["sure"]
