"""The table of the models, and the folded tables, where the sample reports do not show them."""

from whole_audits import summary_of

from biasamp_adapters.auditing.subject import Subject
from biasamp_adapters.figures import Digits
from biasamp_adapters.report.folded import folded_tables
from biasamp_adapters.report.tables import models, rounding, status_of


def models_of(summary, direction="A->T", line=""):
    verdicts = [x for x in summary["verdicts"] if x["direction"] == direction]
    return models([Subject(summary, verdict) for verdict in verdicts], "", line)


def rows(table):
    """The cells of a table with their notes, and without those of pictures."""
    return [
        [f"{cell.text} {cell.note}".strip() for cell in row if cell.mark is None]
        for row in table.rows
    ]


def heads(table):
    return [column.head for column in table.columns]


def test_models_different_numbers_of_gaps_stand_in_the_cell():
    summary = summary_of("five_groups")
    summary["verdicts"] += [x | {"model": "other", "n_in_mean": 4} for x in summary["verdicts"]]
    summary["gaps"] += [record | {"model": "other"} for record in summary["gaps"]]
    table = models_of(summary)
    assert heads(table)[4] == "mean change of gaps, points"
    assert [row[4][-9:] for row in rows(table)] == [", 5 of 10", ", 4 of 10"]


def test_models_reversed_gap_names_both_sides():
    table = models_of(summary_of("reverses"))
    assert rows(table)[0][3] == "North +10.0 → South +8.0"
    assert table.rows[0][5].tone == "turned"


def test_models_no_gap_clear_shows_none():
    summary = summary_of("five_groups")
    for gap in summary["gaps"]:
        gap["status"] = "unclear"
    assert rows(models_of(summary))[0][3] == "–"
    for part in ("verdicts", "gaps"):  # Of two models, nothing stands in the last column.
        summary[part] += [record | {"model": "other"} for record in summary[part]]
    assert heads(models_of(summary))[-1] == "interval"


def test_rounding_change_off_by_one_is_told():
    exact = {"true": 0.132, "predicted": 0.242, "value": 0.11}
    off = {"true": 0.132, "predicted": 0.246, "value": 0.114}
    turned = {"true": 0.114, "predicted": -0.194, "value": -0.308}
    line = "Changes are rounded after subtraction, so 13 → 25 can be +11."
    assert rounding([exact, off, turned], Digits(0)) == [line]
    assert rounding([turned], Digits(0)) == [
        line.replace("13 → 25 can be +11", "11 → −19 can be −31")
    ]


def test_status_of_a_gap_that_moves_is_not_clear_in_size():
    bands = {"not clear": (-0.1, 0.2), "size not clear": (0.01, 0.2)}
    for text, (low, high) in bands.items():
        assert status_of({"status": "unclear", "low": low, "high": high}) == text
    assert status_of({"status": "grows", "low": 0.01, "high": 0.2}) == "grows"


def test_folded_tables_are_parts_of_frames_but_for_groups_and_classes():
    tables = {table.caption: table for table in folded_tables(summary_of("compas")) if table.rows}
    parts = ["gaps", "rates", "pairs", "largest", "frequency", "metrics", "levels", "equal_errors"]
    assert [table.part for table in tables.values()] == [*parts, "thresholds", "", ""]
    metrics = {name: cells for name, *cells in rows(tables["All metrics, times 100"])}
    assert metrics["BA A→T"] == ["+6.0", "+4.4 to +7.2"]
    assert metrics["Multi A→T"] == ["6.0", "4.4 to 7.2"]  # A size has no sign.
    assert metrics["accuracy"] == ["65.1%", "63.9 to 66.3"]


def test_folded_largest_of_models_have_sentences_of_the_named_one():
    tables = {table.caption: table for table in folded_tables(summary_of("two_models"))}
    lines = [tables[f"Largest differences between groups, {x}"].lines for x in ("old", "coin")]
    assert [len(x) > 0 for x in lines] == [True, False]
