"""Several runs as one report: means over runs with Student's t, never pooled rows."""

from __future__ import annotations

import json
import re
from math import inf, sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from report_cases import AMPLIFIED, ERRORS, GROUP, TRUTH, fairness_of, has_note, names, row_of

import biasamp_adapters as bam
from biasamp_adapters.auditing.runs import summarize_reports

#: The 97.5 % and 95 % quantiles of Student's t, as printed in any table.
T_975 = {1: 12.7062, 2: 4.30265}
T_95 = {2: 2.91999}


def run(y_pred: list[int], times: int = 1, n_boot: int = 50) -> bam.AuditReport:
    """One run: the plain table, each row so many times."""
    rows = [TRUTH * times, y_pred * times, GROUP * times]
    return bam.audit(rows[0], rows[1], sensitive_features=rows[2], n_boot=n_boot)


#: Rates move by +5/50, by -2/50 and not at all, so that is BA A->T of each.
MOVES = [5 / 50, -2 / 50, 0]
MEAN = sum(MOVES) / 3
SPREAD = sqrt(sum((move - MEAN) ** 2 for move in MOVES) / 2)


@pytest.fixture(scope="module")
def reports() -> dict[str, bam.AuditReport]:
    """Runs of different sizes."""
    return {"1": run(AMPLIFIED, times=4), "2": run(ERRORS), "3": run(TRUTH)}


def test_mean_and_interval_by_hand(reports: dict[str, bam.AuditReport]) -> None:
    row = row_of(summarize_reports(reports), "BA A->T")
    half = T_975[2] * SPREAD / sqrt(3)
    # The first run has four times the rows: pooled, the mean would be (4 * .1 - .04) / 6 = .06.
    assert row["value"] == pytest.approx(MEAN) == pytest.approx(0.02)
    assert [row["low"], row["high"]] == pytest.approx([MEAN - half, MEAN + half], rel=1e-5)
    assert row["reading"] == "no clear change"
    assert "mean of 3 runs" in row["note"]


def test_runs_with_one_title_keep_it() -> None:
    runs = {i: bam.audit(TRUTH, TRUTH, sensitive_features=GROUP, title=f"{i}") for i in range(2)}
    assert summarize_reports({1: runs[1], 2: runs[1]}).summary["title"] == "1"
    assert summarize_reports(runs).summary["title"] == "class 1 by group"
    assert summarize_reports(runs, title="both").summary["title"] == "both"


def test_level_of_the_interval(reports: dict[str, bam.AuditReport]) -> None:
    summary = summarize_reports(reports, confidence=0.9)
    row = row_of(summary, "BA A->T")
    assert row["high"] - MEAN == pytest.approx(T_95[2] * SPREAD / sqrt(3), rel=1e-5)
    assert summary.summary["method"]["confidence"] == 0.9


def test_two_runs(reports: dict[str, bam.AuditReport]) -> None:
    row = row_of(summarize_reports({name: reports[name] for name in "12"}), "BA A->T")
    # Of two values the standard error is half their distance.
    half = T_975[1] * (0.1 + 0.04) / 2
    assert [row["low"], row["high"]] == pytest.approx([0.03 - half, 0.03 + half], rel=1e-5)


def test_everything_is_a_mean_over_runs(reports: dict[str, bam.AuditReport]) -> None:
    found = summarize_reports(reports)
    assert names(found) == names(reports["1"])
    # One of the runs has no ratio of U, and a mean of ratios and differences is none of anything.
    ratios = row_of(found, "DPA(U) A->T")
    assert ratios["value"] is None
    assert "a ratio of levels in some runs and a difference in others" in ratios["note"]
    for name in set(names(found)) - {"DPA(U) A->T"}:
        values = [row_of(report, name)["value"] for report in reports.values()]
        assert row_of(found, name)["value"] == pytest.approx(sum(values) / 3)
    for beside in ("blind_errors", "excess"):
        values = [row_of(report, "BA A->T")[beside]["value"] for report in reports.values()]
        assert row_of(found, "BA A->T")[beside]["value"] == pytest.approx(sum(values) / 3)

    selection = fairness_of(found, "selection_rate_difference", "1")
    # 35 - 15, 28 - 22 and 30 - 20 of 50.
    assert selection["value"] == pytest.approx((20 + 6 + 10) / 50 / 3)
    by_group = {of["group"]: of["value"] for of in selection["groups"]}
    assert by_group == pytest.approx({"a": (35 + 28 + 30) / 150, "b": (15 + 22 + 20) / 150})

    for trend in found.summary["trends"]:
        assert trend["contribution"]["value"] == pytest.approx(MEAN)
        assert trend["contribution"]["low"] < MEAN < trend["contribution"]["high"]
        assert trend["mean_abs_delta"]["low"] is not None
    for pair in found.summary["pairs"]:
        assert pair["value"] == pytest.approx(MEAN)
        assert pair["high"] - MEAN == pytest.approx(T_975[2] * SPREAD / sqrt(3), rel=1e-5)


def test_runs_are_listed_with_their_own_intervals(reports: dict[str, bam.AuditReport]) -> None:
    found = summarize_reports(reports)
    listed = found.summary["runs"]
    assert len(listed) == 3 * len(names(found))
    of_metric = {row["run"]: row for row in listed if row["name"] == "BA A->T"}
    assert [row["value"] for row in of_metric.values()] == pytest.approx(MOVES)
    for name, report in reports.items():
        assert of_metric[name]["low"] == row_of(report, "BA A->T")["low"]
    assert has_note(found, "The runs were not pooled")
    for text in (found.to_text(full=True), found.to_markdown(), found.to_html()):
        assert text is not None
        assert "Student" in text


def test_notes_of_the_runs_are_kept_once(reports: dict[str, bam.AuditReport]) -> None:
    notes = summarize_reports(reports).summary["notes"]
    assert len(notes) == len(set(notes))
    for run, report in reports.items():
        for note in report.summary["notes"]:
            # What holds of one run only says of which.
            assert note in notes or any(
                said.endswith(note) and run in said.partition(":")[0] for said in notes
            )


def test_undefined_in_one_run_is_undefined() -> None:
    # Nothing is called positive in the second run, so that MALS has no rate to compare.
    found = summarize_reports({"1": run(AMPLIFIED), "2": run([0] * 100)})
    row = row_of(found, "MALS")
    assert (row["value"], row["low"], row["high"]) == (None, None, None)
    assert "undefined in 1 of 2 runs" in row["note"]
    assert row["reading"] == "no interval"
    assert row_of(found, "BA A->T")["value"] is not None
    json.loads(found.to_json() or "", parse_constant=pytest.fail)


def test_metric_that_one_run_lacks_says_so() -> None:
    with_attribute = bam.audit(
        TRUTH, AMPLIFIED, sensitive_features=GROUP, sensitive_features_pred=GROUP, n_boot=50
    )
    found = summarize_reports({"1": with_attribute, "2": run(AMPLIFIED)})
    assert "not there in 1 of 2 runs" in row_of(found, "BA T->A")["note"]
    assert row_of(found, "BA T->A")["low"] is None


def test_equal_runs_say_nothing_of_chance() -> None:
    found = summarize_reports({"1": run(AMPLIFIED), "2": run(AMPLIFIED)})
    for name in names(found):
        row = row_of(found, name)
        assert (row["low"], row["high"]) == (None, None)
        assert "both runs gave the same value" in row["note"]
    row = row_of(found, "BA A->T")
    assert row["value"] == pytest.approx(0.1)
    assert (row["excess"]["low"], row["excess"]["note"]) == (None, "both runs gave the same value")
    assert [pair["clear"] for pair in found.summary["pairs"]] == [False] * 4
    (verdict,) = found.verdicts
    # A group of 50 rows each: without the bootstrap of a run, its signs may be noise.
    assert verdict["verdict"] == "cannot_say"


def test_excess_that_is_equal_in_all_runs_is_not_clear() -> None:
    """Each run has the errors of the other, so that BA differs between them."""
    same, more = run(AMPLIFIED, times=20), run(ERRORS, times=20)
    for reports in ({"1": same, "2": same, "3": same}, {"1": more, "2": more}):
        (verdict,) = summarize_reports(reports).verdicts
        assert (verdict["verdict"], verdict["reason"]) == ("cannot_say", "no_interval")
        assert "runs gave the same value" in verdict["sentence"]
        assert verdict["excess"]["low"] is None


@pytest.mark.parametrize("n_runs", [2, 3])
def test_intervals_stay_in_the_range_of_the_number(n_runs: int) -> None:
    """One run keeps the truth, and one turns it round."""
    turned = [1 - label for label in TRUTH]
    predictions = [TRUTH, turned, ERRORS][:n_runs]
    found = summarize_reports({i: run(y_pred) for i, y_pred in enumerate(predictions)})
    for name in names(found):
        row = row_of(found, name)
        least = 0 if name.startswith("Multi") else -1
        most = 2 if name == "Multi undirected" else 1
        for number, low, high in (
            (row, least, most),
            (row["spread"], 0, 1),
            (row["excess"], -1, 1),
            *((level, 0, inf) for level in row["levels"].values()),
        ):
            if number is not None and number["low"] is not None:
                assert low <= number["low"] <= number["value"] <= number["high"] <= high
    multi = row_of(found, "Multi A->T")
    # All rates move by .2 in the second run only.
    assert multi["low"] == 0 < multi["value"]
    for row in found.summary["fairness"]:
        for share in (row, *row["groups"]):
            assert share["low"] is None or 0 <= share["low"] <= share["high"] <= 1


def test_interval_of_the_whole_range_excludes_no_change() -> None:
    turned = [1 - label for label in TRUTH]
    found = summarize_reports({1: run(AMPLIFIED, times=20), 2: run(turned, times=20)})
    # Student's 12.7 times the standard error of .1 and -.2, which is .15.
    assert row_of(found, "BA A->T")["low"] == -1
    (verdict,) = found.verdicts
    assert verdict["verdict"] == "no_clear_change"
    assert verdict["sentence"].endswith("told from chance, and none that is excluded.")


def test_difference_of_models_may_be_twice_the_range() -> None:
    def both(second: list[int]) -> bam.AuditReport:
        models = {"truth": TRUTH, "other": second}
        return bam.audit(TRUTH, models, sensitive_features=GROUP, n_boot=0)

    found = summarize_reports({1: both(TRUTH), 2: both([1 - label for label in TRUTH])})
    rows = {row["name"]: row for row in found.summary["differences"]}
    # Student's 12.7 times the standard error of 0 and .2, which is .1.
    assert (rows["Multi A->T"]["low"], rows["Multi A->T"]["high"]) == (-1, 1)
    assert rows["BA A->T"]["low"] == pytest.approx(-0.1 - T_975[1] * 0.1, rel=1e-5)


def test_runs_without_bootstrap_have_an_interval_over_runs() -> None:
    found = summarize_reports({"1": run(AMPLIFIED, n_boot=0), "2": run(ERRORS, n_boot=0)})
    assert row_of(found, "BA A->T")["low"] is not None
    # The note would be wrong of the summary, whose intervals come from the runs.
    assert not has_note(found, "No intervals were asked for")


def test_differences_between_models_are_means_over_runs() -> None:
    def both(second: list[int]) -> bam.AuditReport:
        models = {"truth": TRUTH, "other": second}
        return bam.audit(TRUTH, models, sensitive_features=GROUP, n_boot=50)

    found = summarize_reports({"1": both(AMPLIFIED), "2": both(ERRORS)})
    (row,) = (row for row in found.summary["differences"] if row["name"] == "BA A->T")
    assert row["value"] == pytest.approx((0.1 - 0.04) / 2)
    assert row["high"] - row["value"] == pytest.approx(T_975[1] * 0.14 / 2, rel=1e-5)


def test_single_run_is_no_summary() -> None:
    with pytest.raises(ValueError, match=r"needs at least two; received \['only'\]"):
        summarize_reports({"only": run(TRUTH, n_boot=0)})


def test_whole_numbers_are_names_of_runs() -> None:
    reports = {0: run(AMPLIFIED, n_boot=0), np.int64(1): run(ERRORS, n_boot=0)}
    found = summarize_reports(reports)
    assert [row["run"] for row in found.summary["runs"]][:: len(names(found))] == ["0", "1"]


@pytest.mark.parametrize("key", [None, 0.5, ("seed", 1), True, b"1"])
def test_other_names_of_runs_are_refused(key: Any) -> None:
    reports = {"1": run(AMPLIFIED, n_boot=0), key: run(ERRORS, n_boot=0)}
    rule = "runs must be named by strings or whole numbers; received "
    with pytest.raises(ValueError, match=re.escape(f"{rule}{key!r}")):
        summarize_reports(reports)


def test_names_that_are_the_same_as_text_are_refused() -> None:
    reports: Any = {1: run(AMPLIFIED, n_boot=0), "1": run(ERRORS, n_boot=0)}
    with pytest.raises(ValueError, match=r"must differ as text; received 1, '1', of which two"):
        summarize_reports(reports)


def test_what_is_no_mapping_to_reports() -> None:
    report: Any = run(AMPLIFIED, n_boot=0)
    with pytest.raises(TypeError, match=r"reports must be a mapping .* received a list"):
        summarize_reports([report, report])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="of type AuditReport; received a dict for 2"):
        summarize_reports({1: report, 2: report.summary})
    twice = summarize_reports({1: report, 2: report})
    with pytest.raises(ValueError, match="one run each; received a summary of runs for 2"):
        summarize_reports({1: report, 2: twice})


def test_runs_of_another_task_are_refused() -> None:
    def named(task: str) -> bam.AuditReport:
        truth = pd.Series(TRUTH, name=task)
        return bam.audit(truth, AMPLIFIED, sensitive_features=GROUP, n_boot=0)

    with pytest.raises(ValueError, match="runs must be of the same task; received 'x' and 'y'"):
        summarize_reports({1: named("x"), 2: named("y")})


def test_level_must_be_one() -> None:
    runs = {"1": run(TRUTH, n_boot=0), "2": run(TRUTH, n_boot=0)}
    with pytest.raises(ValueError, match="confidence must lie strictly between 0 and 1"):
        summarize_reports(runs, confidence=95)


def test_differences_from_different_models_stay_apart() -> None:
    models = {"a": TRUTH, "b": AMPLIFIED, "c": ERRORS}
    reports = {
        order: bam.audit(
            TRUTH, {name: models[name] for name in order}, sensitive_features=GROUP, n_boot=0
        )
        for order in ("abc", "bac")
    }
    rows = summarize_reports(reports).summary["differences"]
    found = {
        (row["model"], row["compared_with"]): row["value"]
        for row in rows
        if row["name"] == "BA A->T"
    }
    expected = {("b", "a"): 0.1, ("c", "a"): -0.04, ("a", "b"): -0.1, ("c", "b"): -0.14}
    assert found == pytest.approx(expected)


def test_no_order_of_runs_changes_a_verdict() -> None:
    """In a run of 100 rows, signs of the reference may be noise; of 2,000 they are sure."""
    more = [1] * 36 + [0] * 14 + [1] * 14 + [0] * 36
    few, many, other = (
        bam.audit(TRUTH * n, y_pred * n, sensitive_features=GROUP * n, n_boot=200)
        for n, y_pred in ((1, AMPLIFIED), (20, AMPLIFIED), (20, more))
    )
    assert few.verdicts[0]["verdict"] == "cannot_say"
    for order in ([few, many, other, many, other], [other, many, other, many, few]):
        summary = summarize_reports({str(i): report for i, report in enumerate(order)})
        assert summary.verdicts[0]["verdict"] == "amplifies"
