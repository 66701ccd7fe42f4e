"""The smallest change that rows show, and the rows that show a change."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from kinds import Kind
from report_cases import AMPLIFIED, GROUP, TRUTH, row_of

import biasamp_adapters as bam
from biasamp_adapters.auditing.runs import summarize_reports


def audited(**options: Any) -> bam.AuditReport:
    return bam.audit(
        TRUTH, AMPLIFIED, sensitive_features=GROUP, **{"n_boot": 2000, "random_state": 1} | options
    )


@pytest.mark.parametrize(
    ("confidence", "times"),
    # Quantiles of the normal distribution: 1.9600 or 1.6449 or 2.5758, and .8416 of 80 % power.
    [(0.95, 2.8016), (0.9, 2.4865), (0.99, 3.4174)],
)
def test_detectable_is_a_multiple_of_the_standard_error(confidence: float, times: float) -> None:
    metric = bam.DirectionalBiasAmplification(direction="A->T")
    options = {"n_boot": 2000, "confidence": confidence, "random_state": 1}
    result = metric.result(TRUTH, AMPLIFIED, sensitive_features=GROUP, **options)
    assert result.replicated is not None
    assert result.replicated.replicates is not None
    assert result.detectable == pytest.approx(times * result.replicated.replicates.std(), rel=1e-4)
    assert result.to_dict()["detectable"] == result.detectable


def test_detectable_of_a_proportion(kind: Kind) -> None:
    # BA A->T of two classes is the mean over two groups of a difference of rates. In each group of
    # 100 rows 20 are wrong in one way only, which has a variance of .2 * .8 / 100: the mean of two
    # has a standard error of sqrt(2 * .16/100) / 2 = .0283, and 2.80 of them are .079.
    truth = [1] * 60 + [0] * 40 + [1] * 40 + [0] * 60
    said = [1] * 80 + [0] * 20 + [1] * 20 + [0] * 80
    counts = kind.count(truth, said, ["a"] * 100 + ["b"] * 100, **kind.apart)
    metric = bam.DirectionalBiasAmplification(direction="A->T")
    result = metric.from_counts(counts, n_boot=4000)
    assert result.detectable == pytest.approx(2.8016 * math.sqrt(2 * 0.16 / 100) / 2, rel=0.05)


def test_nothing_is_detectable_without_an_interval() -> None:
    metric = bam.DirectionalBiasAmplification(direction="A->T")
    assert metric.result(TRUTH, AMPLIFIED, sensitive_features=GROUP).detectable is None
    # Of a perfect model every replicate is 0, which says nothing of sampling error.
    assert metric.result(TRUTH, TRUTH, sensitive_features=GROUP, n_boot=50).detectable is None


def test_a_report_shows_what_it_can_see() -> None:
    report = audited()
    detectable = row_of(report, "BA A->T")["detectable"]
    assert json.loads(report.to_json() or "")["metrics"][1]["detectable"] == detectable
    assert "smallest change seen" in report.to_text(full=True)
    # In points, with two digits.
    assert f"| {100 * detectable:.2g} |" in report.to_markdown()
    assert "smallest change seen" not in audited(n_boot=0).to_text(full=True)


def test_four_times_the_rows_for_half_the_change() -> None:
    report = audited()
    row = row_of(report, "BA A->T")
    needed = bam.rows_needed(report, row["detectable"]).set_index(["metric", "direction"])
    key = ("DirectionalBiasAmplification", "A->T")
    assert needed.loc[key, "rows"] == len(TRUTH)
    assert needed.loc[key, "detectable"] == row["detectable"]
    half = bam.rows_needed(report, row["detectable"] / 2).set_index(["metric", "direction"])
    assert half.loc[key, "rows"] == 4 * len(TRUTH)


@pytest.mark.parametrize(
    ("group", "fewest"),
    # 15 rows of the smallest group, or of the smaller class of 40 %; the rows of the report, where
    # these already hold fewer.
    [(50, 15 * 100 / 40), (20, 15 * 100 / 20), (16, 94), (10, 100)],
)
def test_large_changes_need_rows_of_each_group_and_class(
    kind: Kind, group: int, fewest: int
) -> None:
    truth, said = [1] * 40 + [0] * 60, [1, 1, 0, 0, 0] * 20
    groups = [int(i % 50 < group / 2) for i in range(100)]
    report = bam.audit_counts(kind.count(truth, said, groups, **kind.apart), n_boot=200)
    seen = [row["detectable"] is not None for row in report.summary["metrics"]]
    assert any(seen)
    for change in (50, 1e300):
        needed = bam.rows_needed(report, change)
        assert needed["rows"].notna().tolist() == seen
        shown = needed[needed["rows"].notna()]
        assert set(shown["rows"]) == {math.ceil(fewest)}
        assert set(shown["note"]) == {
            "1 row(s) would show it, but there must be 15 of each group and class"
        }


def test_a_metric_without_an_interval_says_why() -> None:
    needed = bam.rows_needed(audited(), 0.1)
    names = ["model", "metric", "direction", "detectable", "rows", "note"]
    assert list(needed.columns) == names
    assert len(needed) == len(audited().summary["metrics"])
    lacking = needed[needed["detectable"].isna()]
    assert lacking["rows"].isna().all()
    assert lacking["note"].str.contains("no interval|every replicate").all()
    assert (needed.loc[needed["rows"].notna(), "note"] == "").all()


@pytest.mark.parametrize(
    "change", [0, -0.1, math.nan, math.inf, "0.1", None, np.array([0.1]), 0.1 + 0j]
)
def test_a_change_is_a_finite_number_above_0(change: Any) -> None:
    with pytest.raises(ValueError, match="change must be a finite number above 0; received"):
        bam.rows_needed(audited(n_boot=40), change)


def test_no_number_of_rows_shows_next_to_nothing() -> None:
    with pytest.raises(ValueError, match=r"change must be one that at most 2\^53 rows show"):
        bam.rows_needed(audited(n_boot=40), 1e-300)


def test_reports_from_which_nothing_follows() -> None:
    with pytest.raises(ValueError, match=r"report must have intervals.*no replicates were drawn"):
        bam.rows_needed(audited(n_boot=0), 0.1)
    runs = summarize_reports({"1": audited(n_boot=40), "2": audited(n_boot=40)})
    assert {row["detectable"] for row in runs.summary["metrics"]} == {None}
    with pytest.raises(ValueError, match=r"must be of one audit.*received a summary of 2 runs"):
        bam.rows_needed(runs, 0.1)
