"""The table of the models, and the folded tables."""

from __future__ import annotations

from whole_audits import summary_of

from biasamp_adapters.auditing.subject import Subject
from biasamp_adapters.figures import Digits
from biasamp_adapters.report.folded import folded_tables
from biasamp_adapters.report.tables import models, rounding, status_of

RATES, LARGEST = "Rates by group, two_year_recid = 1", "Largest differences between groups"
GAPS = "Gaps between groups, most certain change first, in points, two_year_recid = 1"


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


def folded(name, **changes):
    """The folded tables of an audit by caption; parts, and keys of `data`, are changed."""
    summary = summary_of(name)
    summary["data"] |= {key: changes.pop(key) for key in summary["data"].keys() & changes.keys()}
    return {table.caption: table for table in folded_tables(summary | changes) if table.rows}


BA = ["bias amplification (BA), points", "interval"]


def test_models_one_gap_has_gap_and_change():
    table = models_of(summary_of("compas"), line="BA is not balanced accuracy.")
    assert heads(table) == [
        "model",
        "verdict",
        "accuracy",
        "gap, points",
        "change, points",
        "",
        *BA,
    ]
    assert rows(table) == [
        [
            "decile_score",
            "larger gaps",
            "65.1%",
            "12 → 24",
            "+12 (+9 to +15)",
            "+6.0",
            "+4.4 to +7.2",
        ]
    ]
    assert table.lines == ["BA is not balanced accuracy."]


def test_models_several_gaps_counts_them():
    table = models_of(summary_of("five_groups"))
    assert heads(table)[3] == "gap with the most certain change, points"
    assert heads(table)[4] == "mean change of 5 of 10 gaps, points"
    assert rows(table)[0][3:5] == ["16 → 37 3 of 10 grow, 1 appears", "+13 (+7 to +19)"]


def test_models_several_stand_in_the_order_given():
    table = models_of(summary_of("two_models"))
    assert heads(table)[-1] == "gap beyond equal error rates, points"
    assert [(row[0], row[1], row[-1]) for row in rows(table)] == [
        ("old", "larger gaps", "+20.4 (+18.2 to +22.7)"),
        ("coin", "smaller gaps", "+2 (−1 to +4)"),
    ]


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


def test_models_without_verdict_have_no_gaps():
    assert heads(models_of(summary_of("no_verdict"))) == ["model", "verdict", "accuracy", *BA]


def test_models_no_gap_clear_shows_none():
    summary = summary_of("five_groups")
    for gap in summary["gaps"]:
        gap["status"] = "unclear"
    assert rows(models_of(summary))[0][3] == "–"


def test_models_without_interval_says_why():
    summary = summary_of("compas")
    for record in summary["metrics"]:
        record |= {"low": None, "high": None, "reason": "no intervals were requested (n_boot=0)"}
    table = models_of(summary)
    assert table.lines == ["No interval of BA: no intervals were requested (n_boot=0)."]
    assert rows(table)[0][-2:] == ["+6.0", "–"]


def test_rounding_change_off_by_one_is_told():
    exact = {"true": 0.132, "predicted": 0.242, "value": 0.11}
    off = {"true": 0.132, "predicted": 0.246, "value": 0.114}
    assert rounding([exact], Digits(0)) == []
    assert rounding([exact, off], Digits(0)) == [
        "Changes are rounded after subtraction, so 13 → 25 can be +11."
    ]


def test_status_of_a_gap_that_moves_is_not_clear_in_size():
    bands = {"not clear": (-0.1, 0.2), "size not clear": (0.01, 0.2)}
    for text, (low, high) in bands.items():
        assert status_of({"status": "unclear", "low": low, "high": high}) == text
    assert status_of({"status": "grows", "low": 0.01, "high": 0.2}) == "grows"


def test_folded_tables_of_two_groups():
    tables = folded("compas")
    assert [*tables] == [
        GAPS,
        RATES,
        "Rates behind BA, in points, two_year_recid = 1",
        LARGEST,
        "Frequency of each class in labels and predictions",
        "All metrics, times 100",
        "The levels behind LA and DPA, times 100",
        "Compared with equal error rates, in points",
        "Thresholds of the score",
        "Groups",
        "Classes",
    ]
    assert heads(tables[GAPS]) == [
        "groups",
        "gap in the labels",
        "predicted gap",
        "change",
        "band",
        "status",
    ]
    assert rows(tables[GAPS]) == [
        ["African-American − Caucasian", "12", "24", "+12", "+9 to +15", "grows"]
    ]
    # The rates of the class that is not compared are left out: its FPR and TPR are exchanged.
    assert rows(tables[RATES]) == [
        ["African-American", "3,696", "51.4%", "58.8%", "+7.4", "45%", "72%"],
        ["Caucasian", "2,454", "39.4%", "34.8%", "−4.6", "23%", "52%"],
    ]
    assert rows(tables["Groups"]) == [
        ["African-American", "3,696", "60.1%"],
        ["Caucasian", "2,454", "39.9%"],
    ]
    assert (tables["Groups"].part, tables[RATES].part) == ("", "rates")


def test_folded_numbers_have_their_own_units():
    tables = folded("compas")
    assert rows(tables[LARGEST])[0] == [
        "selection rates",
        "34.8%",
        "58.8%",
        "24.0",
        "21.6 to 26.4",
        "0.59 (0.56 to 0.63)",
    ]
    assert tables[LARGEST].lines[0].startswith("The selection rates differ by 24.0 points (21.6 to")
    metrics = {name: cells for name, *cells in rows(tables["All metrics, times 100"])}
    assert metrics["BA A→T"] == ["+6.0", "+4.4 to +7.2"]
    assert metrics["Multi A→T"] == ["6.0", "4.4 to 7.2"]
    assert metrics["accuracy"] == ["65.1%", "63.9 to 66.3"]
    equal = tables["Compared with equal error rates, in points"]
    assert heads(equal) == ["metric", "value", "with equal error rates", "excess", "interval"]
    assert rows(equal)[0][:4] == ["BA A→T", "+6.0", "−4.2", "+10.2"]
    thresholds = [row[0] for row in rows(tables["Thresholds of the score"])]
    assert thresholds == [*map(str, range(2, 11)), "one for each group"]


def test_folded_two_directions_name_theirs():
    tables = folded("matrix")
    captions = [*tables]
    gaps = "Gaps between groups, most certain change first, in points, tasks by gender (A→T)"
    assert (captions[0], captions[-2:]) == (gaps, ["Groups", "Tasks"])
    assert "Rates by task, share of woman, gender by tasks (T→A)" in captions
    counted = "Frequency of each group in labels and predictions, gender by tasks (T→A)"
    assert heads(tables[counted]) == ["group", "labels", "predictions", "ratio, %"]
    assert [row[0] for row in rows(tables[counted])] == ["man", "woman"]


def test_folded_tables_of_models_name_them():
    tables = folded("two_models")
    caption = "Differences from the first model, in points (bands for all models)"
    assert rows(tables[caption])[0][:3] == ["BA", "coin − old", "−11.2"]
    # Sentences stand below the table of the named model alone.
    assert [len(tables[f"{LARGEST}, {model}"].lines) > 0 for model in ("old", "coin")] == [
        True,
        False,
    ]


def test_folded_given_rates_are_not_called_labels():
    tables = folded("compas", compared_with="given rates")
    assert heads(tables[RATES])[2] == "given rate"
    assert heads(tables[GAPS])[1] == "gap in the given rates"
