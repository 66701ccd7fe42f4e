"""The pictures of rates and of gaps."""

from __future__ import annotations

import pytest
import whole_summaries as summaries

from biasamp_adapters.auditing.subject import Subject
from biasamp_adapters.report.pictures import gaps_picture, on_one_scale, rates_picture


def model_of(summary, position=0):
    return Subject(summary, summary["verdicts"][position])


def texts(table):
    return [(row[0].text, row[2].text, row[1].tone) for row in table.rows]


def test_rates_named_gap_is_coloured_and_has_bars():
    table = rates_picture(model_of(summaries.compas()), "")
    assert texts(table) == [
        ("African-American", "51 → 59%", "up"),
        ("Caucasian", "39 → 35%", "up"),
        ("gap in the labels", "12 points", "unclear"),
        ("gap that the scores imply", "10 points", "unclear"),
        ("gap in the predictions", "24 points", "up"),
        ("with equal error rates", "4 points", "unclear"),
    ]
    assert [cell.text for cell in table.rows[0][3:]] == ["45%", "72%"]
    assert table.rows[0][0].note == "3,696 rows"
    assert table.rows[0][0].narrow == "FPR 45% · TPR 72%"


def test_rates_marks_join_labels_and_predictions():
    table = rates_picture(model_of(summaries.compas()), "")
    dots, bar = table.rows[0][1].mark, table.rows[4][1].mark
    assert (dots.shape, dots.start, dots.end) == ("dumbbell", 0.514, 0.588)
    assert dots.guide == pytest.approx((0.588 * 3696 + 0.348 * 2454) / 6150)
    assert (bar.shape, bar.end, bar.start) == ("bar", 0.588, 0.348)


def test_rates_of_several_gaps_leave_out_small_groups():
    table = rates_picture(model_of(summaries.five_groups()), "")
    assert [(group, tone) for group, _, tone in texts(table)[:5]] == [
        ("African-American", "up"),
        ("Caucasian", "unclear"),
        ("Hispanic", "unclear"),
        ("Other", "up"),
        ("Asian", "unclear"),
    ]


def test_rates_without_verdict_are_grey_and_without_bars():
    table = rates_picture(model_of(summaries.no_verdict()), "")
    assert texts(table) == [
        ("African-American", "50.0 → 60.0%", "unclear"),
        ("Caucasian", "40.0 → 30.0%", "unclear"),
    ]


def test_rates_reversed_gap_names_the_other_side():
    table = rates_picture(model_of(summaries.reverses()), "")
    assert ("gap in the predictions", "South +8 points", "turned") in texts(table)


def test_rates_of_classes_have_no_errors():
    table = rates_picture(model_of(summaries.matrix(), 1), "")
    assert [column.head for column in table.columns] == ["task", "", "rate"]
    assert len(table.rows) == 12 + 3


def test_rates_many_groups_keeps_named_and_large_ones():
    rows = {f"g{i:02}": 1000 + i for i in range(20)} | {"small": 200}
    rates = dict.fromkeys(rows, (0.3, 0.3, 0.1, 0.9)) | {"small": (0.1, 0.6, 0.1, 0.9)}
    table = rates_picture(model_of(summaries.summary(rows, {"m": {1: rates}}, {0: 9, 1: 9})), "")
    groups = [group for group, *_ in texts(table)[:12]]
    assert "small" in groups
    assert "g19" in groups
    assert "g02" not in groups
    assert len(table.rows) == 12 + 3
    assert table.lines == ["12 of 21 rows are shown; to_frame('rates') has all."]


def test_rates_on_one_scale_have_the_widest():
    summary = summaries.two_models()
    panels = on_one_scale([rates_picture(model_of(summary, i), "") for i in (0, 1)])
    assert panels[0].columns[1].scale == panels[1].columns[1].scale
    assert panels[0].columns[1].scale.high == pytest.approx(0.6)


def test_gaps_most_certain_ones_have_bands():
    table = gaps_picture(model_of(summaries.mixed()), "")
    assert [[cell.text for cell in row if not cell.mark] for row in table.rows] == [
        ["B − A", "10 → 25", "grows"],
        ["C − B", "30 → 17", "shrinks"],
        ["C − A", "40 → 42", "not clear"],
    ]
    assert [row[3].note for row in table.rows] == [
        "+15 (+12 to +18)",
        "−13 (−16 to −10)",
        "+2 (−1 to +5)",
    ]
    mark = table.rows[1][1].mark
    assert (mark.low, mark.high) == pytest.approx((0.14, 0.2), abs=0.003)


def test_gaps_of_tasks_name_the_task():
    table = gaps_picture(model_of(summaries.matrix()), "")
    assert (table.rows[0][0].text, table.rows[0][0].note) == ("task 11", "man − woman")
    assert len(table.rows) == 10


def test_gaps_without_bands_are_drawn_without():
    summary = summaries.mixed()
    for gap in summary["gaps"]:
        gap |= {"low": None, "high": None}
    mark = gaps_picture(model_of(summary), "").rows[0][1].mark
    assert (mark.low, mark.high) == (None, None)
