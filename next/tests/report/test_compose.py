"""Documents, from whole summaries."""

from __future__ import annotations

import pytest
import whole_summaries as summaries

from biasamp_adapters.report import compose as module
from biasamp_adapters.report.compose import compose


def test_compose_two_groups_has_the_first_screen():
    document = compose(summaries.compas())
    (verdict,) = document.verdicts
    assert document.title == "two_year_recid = 1 by race"
    assert (verdict.head, verdict.tag, verdict.tone) == ("", "larger gaps", "up")
    assert verdict.headline == (
        "In these rows, the gap between African-American and Caucasian in two_year_recid = 1 grows "
        "from 12 points in the labels to 24 points in the predictions."
    )
    assert [part.heading for part in document.pictures] == ["Rates of two_year_recid = 1 by group"]
    assert document.pictures[0].intro == (
        "○ rate in the labels, ● rate in the predictions; the dashed line is the predicted rate of "
        "all rows. Bars: the gap between African-American and Caucasian."
    )
    assert document.more == "All tables and 6 notes: --full, or to_text(full=True)."
    assert document.alternative == (f"{verdict.headline} Label rates and predicted rates by group.")


def test_compose_page_has_four_folds():
    folds = compose(summaries.compas(), date="2026-11-26").folds
    assert [part.heading for part in folds] == [
        "Behind the verdict",
        "Tables",
        "How to read this",
        "Notes and facts",
    ]
    assert folds[3].points[:2] == ["The labels are taken as they are.", "Multi has no sign."]
    assert folds[3].terms == [
        ("replicates", "2,000"),
        ("seed", "0"),
        ("date", "2026-11-26"),
        ("biasamp-adapters", "0.1.0"),
        ("numpy", "2.3.0"),
        ("compas.csv", "SHA-256 9f86d081884c7d659a2feaa0c55ad015"),
    ]


def test_compose_models_that_differ_have_a_grey_box_and_panels():
    document = compose(summaries.two_models())
    assert (document.verdicts[0].tag, document.verdicts[0].tone) == ("", "unclear")
    (picture,) = document.pictures
    assert [table.caption for table in picture.tables] == ["old", "coin"]
    assert [table.caption for table in picture.brief] == ["coin"]
    assert "Bars" not in picture.intro


def test_compose_models_of_several_gaps_name_those_of_the_bars():
    summary = summaries.five_groups()
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
    picture = compose(summaries.mixed()).pictures[1]
    assert picture.heading == "Gaps between groups, most certain change first"
    assert picture.intro == (
        "○ gap in the labels, ● gap in the predictions. Orange: the gap grows or appears. "
        "Blue: it shrinks. Grey: it does not clearly change. "
        "Pale band: where the predicted gap would lie at the ends of its band."
    )
    assert picture.brief == ()


def test_compose_two_directions_have_heads_everywhere():
    document = compose(summaries.matrix())
    heads = ["tasks by gender (A→T)", "gender by tasks (T→A)"]
    assert [verdict.head for verdict in document.verdicts] == heads
    assert [table.caption for table in document.models] == heads
    assert [(part.over, part.heading) for part in document.pictures] == [
        (heads[0], "Rates of task 11 by group"),
        (heads[0], "Gaps between groups: the 10 most certain changes of 12"),
        (heads[1], "Share of woman by task"),
        (heads[1], "Gaps between tasks: the 10 most certain changes of 66"),
    ]
    assert document.pictures[1].intro.startswith(
        "11 of 24 predicted rates are clearly above the rates in the labels, "
        "and 9 are clearly below. ○ gap in the labels"
    )
    assert document.between.endswith("The numbers of the two are not comparable.")
    assert [line.split(":")[0] for line in document.last] == ["Verdict A→T", "Verdict T→A"]


def test_compose_details_of_one_direction_begin_with_it():
    details = compose(summaries.matrix()).folds[0].points
    assert details
    assert all(sentence.startswith(("A→T: ", "T→A: ")) for sentence in details)


def test_compose_without_rates_has_no_picture():
    summary = summaries.no_verdict()
    summary["rates"] = []
    assert compose(summary).pictures == []


def test_compose_given_rates_are_not_called_labels():
    summary = summaries.compas()
    summary["data"]["compared_with"] = "given rates"
    document = compose(summary)
    assert document.pictures[0].intro.startswith("○ given rate, ● rate in the predictions")
    assert "compares the predictions with the given rates." in document.folds[2].intro
    assert "whether the given rates are right" in document.folds[2].intro


@pytest.mark.parametrize(
    ("advice", "boxes"),
    [
        (
            {"How sure": ["Short."], "What to read": ["Also short."], "What to do": ["A.", "B."]},
            [
                [("What to do", ["A.", "B."])],
                [("How sure", ["Short."]), ("What to read", ["Also short."])],
            ],
        ),
        (
            {"How sure": ["Short."], "What to read": ["A.", "B."], "What to do": []},
            [[("How sure", ["Short."])], [("What to read", ["A.", "B."])]],
        ),
        (
            {"How sure": ["word " * 15], "What to read": ["word " * 16], "What to do": []},
            [[("How sure", ["word " * 15])], [("What to read", ["word " * 16])]],
        ),
    ],
)
def test_compose_short_boxes_are_joined(monkeypatch, advice, boxes):
    monkeypatch.setattr(module, "boxes", lambda summary: advice)
    assert compose(summaries.compas()).boxes == boxes
