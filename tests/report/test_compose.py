"""Documents, from whole audits."""

import pytest
from whole_audits import summary_of

from biasamp_adapters.report import compose as module
from biasamp_adapters.report.compose import compose

LABELS = (
    "○ rate in the labels, ● rate in the predictions; the dashed line is the predicted rate of "
    "all rows."
)


def test_compose_two_groups_has_the_first_screen():
    document = compose(summary_of("compas"))
    (verdict,), (picture,) = document.verdicts, document.pictures
    assert (verdict.head, verdict.tag, verdict.tone) == ("", "larger gaps", "up")
    assert verdict.headline.endswith("12 points in the labels to 24 points in the predictions.")
    assert picture.heading == "Rates of two_year_recid = 1 by group"
    assert picture.intro == f"{LABELS} Bars: the gap between African-American and Caucasian."
    assert document.more == "All tables and 5 notes: --full, or to_text(full=True)."
    assert document.alternative == f"{verdict.headline} Label rates and predicted rates by group."


def test_compose_page_has_four_folds():
    summary = summary_of("compas")
    summary["method"] |= {"files": {"compas.csv": "9f86"}, "versions": {"numpy": "2.3.0"}}
    folds = compose(summary, date="2026-11-26").folds
    headings = ["Behind the verdict", "Tables", "How to read this", "Notes and facts"]
    assert [part.heading for part in folds] == headings
    assert "Multi has no sign: sampling variation alone makes it positive." in folds[3].points
    terms = [("replicates", "200"), ("seed", "0"), ("date", "2026-11-26"), ("numpy", "2.3.0")]
    assert folds[3].terms == [*terms, ("compas.csv", "SHA-256 9f86")]


def test_compose_models_that_differ_have_a_grey_box_and_panels():
    document = compose(summary_of("two_models"))
    assert (document.verdicts[0].tag, document.verdicts[0].tone) == ("", "unclear")
    (picture,) = document.pictures
    assert [table.caption for table in picture.tables] == ["old", "coin"]
    assert [table.caption for table in picture.brief] == ["old"]
    assert picture.intro == LABELS


def test_compose_models_of_several_gaps_name_those_of_the_bars():
    summary = summary_of("five_groups")
    for part in ("verdicts", "gaps", "rates", "metrics"):
        summary[part] += [record | {"model": "other"} for record in summary[part]]
    summary["data"]["models"].append("other")
    rates, gaps = compose(summary).pictures
    assert [table.caption for table in rates.tables] == [
        "model, bars: African-American − Other",
        "other, bars: African-American − Other",
    ]
    assert [table.caption for table in gaps.tables] == ["model"]


def test_compose_several_gaps_have_a_picture_with_colours_that_occur():
    picture = compose(summary_of("mixed")).pictures[1]
    assert picture.heading == "Gaps between groups, most certain change first"
    assert picture.intro == (
        "○ gap in the labels, ● gap in the predictions. Orange: the gap grows or appears. Blue: "
        "it shrinks. Grey: it does not clearly change. Pale band: where the predicted gap would "
        "lie at the ends of its band."
    )
    assert picture.brief == ()


def test_compose_without_rates_has_no_picture():
    assert compose(summary_of("no_verdict") | {"rates": []}).pictures == []


@pytest.mark.parametrize(
    ("sure", "read", "do", "boxes"),
    [
        (["Short."], ["Also short."], ["A.", "B."], [["do"], ["sure", "read"]]),
        (["Short."], ["A.", "B."], [], [["sure"], ["read"]]),
        (["word " * 15], ["word " * 16], [], [["sure"], ["read"]]),
    ],
)
def test_compose_short_boxes_are_joined(monkeypatch, sure, read, do, boxes):
    advice = {"sure": sure, "read": read, "do": do}
    monkeypatch.setattr(module, "boxes", lambda summary: advice)
    found = compose(summary_of("mixed")).boxes
    assert found == [[(title, advice[title]) for title in titles] for titles in boxes]
