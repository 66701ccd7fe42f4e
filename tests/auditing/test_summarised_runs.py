"""Several runs as one report: means over runs with Student's t, never pooled rows."""

from __future__ import annotations

import json
from math import sqrt

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
    for name in names(found):
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


def test_equal_runs_have_an_interval_without_width() -> None:
    row = row_of(summarize_reports({"1": run(AMPLIFIED), "2": run(AMPLIFIED)}), "BA A->T")
    assert [row["low"], row["high"]] == pytest.approx([0.1, 0.1])


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
    few, many = (
        bam.audit(TRUTH * n, AMPLIFIED * n, sensitive_features=GROUP * n, n_boot=200)
        for n in (1, 20)
    )
    assert few.verdicts[0]["verdict"] == "cannot_say"
    for order in ([few, many, many, many, many], [many, many, many, many, few]):
        summary = summarize_reports({str(i): report for i, report in enumerate(order)})
        assert summary.verdicts[0]["verdict"] == "amplifies"
