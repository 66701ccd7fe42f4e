"""The pictures of rates and of gaps, and their scales."""

import pytest
from whole_audits import audit, summary_of, table_of

from biasamp_adapters.auditing.subject import Subject
from biasamp_adapters.report.document import Cell, Column, Scale, Table
from biasamp_adapters.report.pictures import gaps_picture, rates_pictures


def rates_of(summary, position=0):
    return rates_pictures([Subject(summary, summary["verdicts"][position])], [""])[0]


def gaps_of(summary):
    return gaps_picture(Subject(summary, summary["verdicts"][0]), "")


def texts(table):
    return [(row[0].text, row[2].text, row[1].tone) for row in table.rows]


def test_rates_named_gap_is_coloured_and_has_bars():
    table = rates_of(summary_of("compas"))
    assert texts(table) == [
        ("African-American", "51 → 59%", "up"),
        ("Caucasian", "39 → 35%", "up"),
        ("gap in the labels", "12 points", "unclear"),
        ("gap that the scores imply", "10 points", "unclear"),
        ("gap in the predictions", "24 points", "up"),
        ("with equal error rates", "4 points", "unclear"),
    ]
    first = table.rows[0]
    assert [cell.text for cell in first[3:]] == ["45%", "72%"]
    assert (first[0].note, first[0].narrow) == ("3,696 rows", "FPR 45% · TPR 72%")


def test_rates_marks_join_labels_and_predictions():
    table = rates_of(summary_of("compas"))
    dots, bar = table.rows[0][1].mark, table.rows[4][1].mark
    assert (dots.shape, dots.start, dots.end) == ("dumbbell", 1901 / 3696, 2174 / 3696)
    assert dots.guide == pytest.approx((2174 + 854) / 6150)
    assert (bar.shape, bar.end, bar.start) == ("bar", 2174 / 3696, 854 / 2454)


def test_rates_of_several_gaps_leave_out_small_groups():
    assert [(group, tone) for group, _, tone in texts(rates_of(summary_of("five_groups")))[:5]] == [
        ("African-American", "up"),
        ("Caucasian", "unclear"),
        ("Hispanic", "unclear"),
        ("Other", "up"),
        ("Asian", "unclear"),
    ]


def test_rates_of_classes_have_no_errors():
    table = rates_of(summary_of("matrix"), 1)
    assert [column.head for column in table.columns] == ["task", "", "rate"]
    assert len(table.rows) == 12 + 3


def test_rates_many_groups_keeps_named_and_large_ones():
    sizes = {f"g{i:02}": 200 + 10 * i for i in range(20)}
    cells = {group: (n, n // 2, n // 2, 0) for group, n in sizes.items()}
    table = rates_of(audit(table_of(cells | {"small": (100, 10, 10, 50)})))
    groups = [group for group, *_ in texts(table)[:12]]
    assert ("small" in groups, "g19" in groups, "g02" in groups) == (True, True, False)
    assert len(table.rows) == 12 + 3


def test_rates_on_one_scale_have_the_widest():
    summary = summary_of("two_models")
    panels = rates_pictures([Subject(summary, x) for x in summary["verdicts"]], ["old", "coin"])
    assert panels[0].columns[1].scale == panels[1].columns[1].scale
    assert panels[0].columns[1].scale.high == pytest.approx(0.6)


def test_gaps_most_certain_ones_have_bands():
    table = gaps_of(summary_of("mixed"))
    assert [[cell.text for cell in row if not cell.mark] for row in table.rows] == [
        ["B − A", "10.0 → 25.0", "grows"],
        ["C − B", "30.0 → 17.0", "shrinks"],
        ["C − A", "40.0 → 42.0", "not clear"],
    ]
    changes = ["+15.0 (+12.5 to +17.5)", "−13.0 (−15.6 to −10.4)", "+2.0 (−0.4 to +4.4)"]
    assert [row[3].note for row in table.rows] == changes
    mark = table.rows[1][1].mark
    assert (mark.low, mark.high) == pytest.approx((0.14, 0.2), abs=0.005)


def test_gaps_of_tasks_name_the_task():
    table = gaps_of(summary_of("matrix"))
    assert (table.rows[0][0].text, table.rows[0][0].note) == ("task 10", "man − woman")
    assert len(table.rows) == 10


def test_gaps_without_bands_are_drawn_without():
    summary = summary_of("mixed")
    for gap in summary["gaps"]:
        gap |= {"low": None, "high": None}
    mark = gaps_of(summary).rows[0][1].mark
    assert (mark.low, mark.high) == (None, None)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.12, 0.59], "0% 10% 20% 30% 40% 50% 60%"),
        ([0.004, 0.011], "0% 0.2% 0.4% 0.6% 0.8% 1% 1.2%"),
        ([0.0, None], "0% 0.2%"),
        ([-0.05, 0.1], "−5% 0% 5% 10%"),
        ([0.0, 1.0], "0% 20% 40% 60% 80% 100%"),
    ],
)
def test_scale_values_has_round_ticks(values, ticks):
    assert " ".join(text for _, text in Scale.over(values, "%").ticks) == ticks


def test_scale_symmetric_has_0_in_the_middle_and_ends():
    scale = Scale.over([0.09, 0.15], symmetric=True, most=4)
    assert [text for _, text in scale.ticks] == ["−20", "0", "20"]
    assert (scale.share(0.0), Scale(0.0, 0.5).share(0.6)) == (0.5, 1.0)


def test_table_first_rows_counts_all_and_without_pictures_keeps_text():
    columns = [Column("group"), Column("", "chart", Scale(0.0, 1.0)), Column("rate", "number")]
    table = Table("", columns, [[Cell("A"), Cell(), Cell("51 → 59%")]] * 5)
    short = table.first(2)
    assert (len(short.rows), short.lines) == (2, ["2 of 5 rows are shown."])
    plain = table.without_pictures()
    assert [column.head for column in plain.columns] == ["group", "rate"]
    assert [cell.text for cell in plain.rows[0]] == ["A", "51 → 59%"]
