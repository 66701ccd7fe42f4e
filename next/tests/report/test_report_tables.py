"""The table of the models, and the folded tables."""

from __future__ import annotations

import whole_summaries as summaries

from biasamp_adapters.auditing.subject import Subject
from biasamp_adapters.figures import Digits
from biasamp_adapters.report.folded import folded_tables
from biasamp_adapters.report.tables import models, rounding, status_of

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


def folded(summary):
    return {table.caption: table for table in folded_tables(summary) if table.rows}


def test_models_one_gap_has_gap_and_change():
    table = models_of(summaries.compas(), line="BA is not balanced accuracy.")
    assert heads(table) == [
        "model",
        "verdict",
        "accuracy",
        "gap, points",
        "change, points",
        "",
        "bias amplification (BA), points",
        "interval",
    ]
    assert rows(table) == [
        [
            "decile_score",
            "larger gaps",
            "65.1%",
            "12 → 24",
            "+12 (+9 to +15)",
            "+5.9",
            "+4.5 to +7.4",
        ]
    ]
    assert table.lines == ["BA is not balanced accuracy."]


def test_models_several_gaps_counts_them():
    table = models_of(summaries.five_groups())
    assert heads(table)[3:5] == [
        "gap with the most certain change, points",
        "mean change of 5 of 10 gaps, points",
    ]
    assert rows(table)[0][3:5] == ["16 → 37 3 of 10 grow, 1 appears", "+13 (+10 to +16)"]


def test_models_several_stand_in_the_order_given():
    table = models_of(summaries.two_models())
    assert heads(table)[-1] == "gap beyond equal error rates, points"
    assert [(row[0], row[1], row[-1]) for row in rows(table)] == [
        ("old", "larger gaps", "+20 (+17 to +23)"),
        ("coin", "smaller gaps", "−5 (−8 to −2)"),
    ]


def test_models_different_numbers_of_gaps_stand_in_the_cell():
    summary = summaries.five_groups()
    other = [record | {"model": "other"} for record in summary["verdicts"]]
    other[0]["n_in_mean"] = 4
    summary["verdicts"] += other
    summary["gaps"] += [record | {"model": "other"} for record in summary["gaps"]]
    table = models_of(summary)
    assert heads(table)[4] == "mean change of gaps, points"
    assert [row[4] for row in rows(table)] == [
        "+13 (+10 to +16), 5 of 10",
        "+13 (+10 to +16), 4 of 10",
    ]


def test_models_reversed_gap_names_both_sides():
    table = models_of(summaries.reverses())
    assert rows(table)[0][3] == "North +10 → South +8"
    assert table.rows[0][5].tone == "turned"


def test_models_without_verdict_have_no_gaps():
    table = models_of(summaries.no_verdict())
    assert heads(table) == [
        "model",
        "verdict",
        "accuracy",
        "bias amplification (BA), points",
        "interval",
    ]


def test_models_no_gap_clear_shows_none():
    summary = summaries.five_groups()
    for gap in summary["gaps"]:
        gap["status"] = "unclear"
    assert rows(models_of(summary))[0][3] == "–"


def test_models_without_interval_says_why():
    summary = summaries.compas()
    for record in summary["metrics"]:
        record |= {"low": None, "high": None, "reason": "no intervals were requested (n_boot=0)"}
    table = models_of(summary)
    assert table.lines == ["No interval of BA: no intervals were requested (n_boot=0)."]
    assert rows(table)[0][-2:] == ["+5.9", "–"]


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


def test_folded_two_groups_lists_what_there_is():
    assert list(folded(summaries.compas())) == [
        GAPS,
        "Rates by group, two_year_recid = 1",
        "Largest differences between groups",
        "All metrics, times 100",
        "Thresholds of the score",
        "Groups",
        "Classes",
    ]


def test_folded_gaps_have_the_decimals_of_the_finest():
    table = folded(summaries.compas())[GAPS]
    assert heads(table) == [
        "groups",
        "gap in the labels",
        "predicted gap",
        "change",
        "band",
        "status",
    ]
    assert rows(table) == [
        ["African-American − Caucasian", "12", "24", "+12", "+9 to +15", "grows"]
    ]


def test_folded_rates_have_errors():
    assert rows(folded(summaries.compas())["Rates by group, two_year_recid = 1"]) == [
        ["African-American", "3,696", "51.4%", "58.8%", "+7.4", "45%", "72%"],
        ["Caucasian", "2,454", "39.3%", "34.8%", "−4.5", "24%", "52%"],
    ]


def test_folded_rates_of_the_class_that_is_not_compared_are_left_out():
    summary = summaries.compas()
    summary["rates"] += [rate | {"of_class": 0} for rate in summary["rates"]]
    assert len(folded(summary)["Rates by group, two_year_recid = 1"].rows) == 2


def test_folded_frequency_names_what_a_direction_counts():
    summary = summaries.matrix()
    numbers = {"model": "model", "true": 0.6, "predicted": 0.7, "ratio": 1.2}
    summary["frequency"] = [
        numbers | {"direction": direction, "of_class": of_class}
        for direction, of_classes in (("A->T", ("task 0", "task 1")), ("T->A", ("man", "woman")))
        for of_class in of_classes
    ]
    table = folded(summary)[
        "Frequency of each group in labels and predictions, gender by tasks (T→A)"
    ]
    assert heads(table) == ["group", "labels", "predictions", "ratio, %"]
    assert [row[0] for row in rows(table)] == ["man", "woman"]


def test_folded_largest_of_models_have_a_table_each():
    summary = summaries.compas() | {"verdicts": summaries.two_models()["verdicts"]}
    summary["data"]["models"] = ["old", "coin"]
    summary["largest"] = [
        record | {"model": model} for model in ("old", "coin") for record in summary["largest"]
    ]
    tables = folded(summary)
    lines = [
        tables[f"Largest differences between groups, {model}"].lines for model in ("old", "coin")
    ]
    assert [len(x) > 0 for x in lines] == [True, False]


def test_folded_largest_has_ratio_and_sentences():
    table = folded(summaries.compas())["Largest differences between groups"]
    assert rows(table) == [
        ["selection rates", "35%", "59%", "24", "21 to 27", "0.59 (0.56 to 0.63)"]
    ]
    assert table.lines[0].startswith("The selection rates differ by 24 points (21 to 27)")


def test_folded_thresholds_without_number_are_those_of_groups():
    table = folded(summaries.compas())["Thresholds of the score"]
    assert [row[0] for row in rows(table)] == ["3", "5", "one for each group"]


def test_folded_metrics_have_their_own_units():
    assert rows(folded(summaries.compas())["All metrics, times 100"]) == [
        ["BA A→T", "+5.9", "+4.5 to +7.4"],
        ["accuracy", "65.1%", "63.9 to 66.3"],
    ]


def test_folded_differences_name_both_models():
    caption = "Differences from the first model, in points (bands for all models)"
    table = folded(summaries.two_models())[caption]
    assert rows(table) == [["BA A→T", "coin − old", "−12.0", "−14.0 to −10.0"]]


def test_folded_two_directions_name_theirs():
    captions = list(folded(summaries.matrix()))
    assert captions[0] == (
        "Gaps between groups, most certain change first, in points, tasks by gender (A→T)"
    )
    assert "Rates by task, share of woman, gender by tasks (T→A)" in captions
    assert captions[-2:] == ["Groups", "Tasks"]


def test_folded_groups_are_no_part_of_a_frame():
    tables = folded(summaries.compas())
    rates = tables["Rates by group, two_year_recid = 1"]
    assert (tables["Groups"].part, rates.part) == ("", "rates")
    assert rows(tables["Groups"]) == [
        ["African-American", "3,696", "60.1%"],
        ["Caucasian", "2,454", "39.9%"],
    ]


def test_folded_open_parts_show_the_keys_they_have():
    summary = summaries.compas()
    record = {"model": "decile_score", "name": "BA A->T", "actual": 0.06, "equal_errors": 0.01}
    summary["equal_errors"] = [record | {"value": 0.05, "low": 0.035, "high": 0.065}]
    table = folded(summary)["Compared with equal error rates, in points"]
    assert heads(table) == ["metric", "value", "with equal error rates", "excess", "interval"]
    assert rows(table) == [["BA A→T", "+6.0", "+1.0", "+5.0", "+3.5 to +6.5"]]


def test_folded_given_rates_are_not_called_labels():
    summary = summaries.compas()
    summary["data"]["compared_with"] = "given rates"
    tables = folded(summary)
    assert heads(tables["Rates by group, two_year_recid = 1"])[2] == "given rate"
    assert heads(tables[GAPS])[1] == "gap in the given rates"
