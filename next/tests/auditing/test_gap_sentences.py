"""The sentences of one gap; expected texts are those of the design's sections 2, 4 and 5."""

from __future__ import annotations

import pytest

from auditing.summaries import gap, make, members, number
from biasamp_adapters.auditing.gap_sentences import GapSentences
from biasamp_adapters.auditing.names import names_of

HIRED = {"label": "hired", "groups": members({"North": 3000, "South": 3000})}
HORSES = {
    "label": None,
    "feature": "gender",
    "kind": "tasks",
    "positive": None,
    "directions": ["A->T", "T->A"],
    "groups": members({"man": 900, "woman": 900}),
    "classes": members({"horse": 266, "umbrella": 293}),
}


def sentences(record, *others, **parts):
    names = names_of(make(**parts), record["direction"])
    return GapSentences(record, names, [record, *others])


def north(labels, predictions, band, status, **more):
    rates = {"labels": labels, "predictions": predictions, "band": band, "status": status}
    return gap("North", "South", rows=(3000, 3000), **rates, **more)


def horse(labels, predictions, band, status, **more):
    rates = {"labels": labels, "predictions": predictions, "band": band, "status": status}
    more |= {"direction": "T->A", "rows": (266, 293)}
    return gap("horse", "umbrella", "man", **rates, **more)


GROWS = gap()
APPEARS = gap(
    "Caucasian",
    "Other",
    labels=(39, 38),
    predictions=(35, 32),
    band=(0.8, 3.2),
    status="appears",
    clear=(False, True),
)
SHRINKS = gap(predictions=(28, 24), band=(-11, -5), status="shrinks")
SHRINKS_AWAY = gap(
    labels=(51.9, 38.9), predictions=(50, 49), band=(-18, -6), status="shrinks", clear=(True, False)
)
SHRINKS_UNCLEAR = north((33, 30), (30, 31), (-7, -1), "shrinks", clear=(False, False))
REVERSES = north((40, 30), (30, 38), (-21, -15), "reverses")
UNCLEAR = gap(labels=(52, 39), predictions=(53, 37), band=(-0.047, 6.05), status="unclear")
SHARE_GROWS = horse((65, 39), (83, 26), (20, 42), "grows")
SHARE_APPEARS = horse((40, 39), (60, 39), (8, 32), "appears", clear=(False, True))
SHARE_REVERSES = horse((65, 39), (30, 40), (-46, -26), "reverses")


@pytest.mark.parametrize(
    ("record", "parts", "headline"),
    [
        (
            GROWS,
            {},
            "the gap between African-American and Caucasian in two_year_recid = 1 grows from 12 "
            "points in the labels to 24 points in the predictions",
        ),
        (
            GROWS,
            {"compared_with": "given rates", "label": None},
            "the gap between African-American and Caucasian in class 1 grows from 12 points in "
            "the given rates to 24 points in the predictions",
        ),
        (
            APPEARS,
            {},
            "a gap between Caucasian and Other in two_year_recid = 1 appears in the predictions: "
            "the labels show no clear gap",
        ),
        (
            SHRINKS,
            {},
            "the gap between African-American and Caucasian in two_year_recid = 1 shrinks from 12 "
            "points in the labels to 4 points in the predictions",
        ),
        (
            SHRINKS_AWAY,
            {},
            "the gap between African-American and Caucasian in two_year_recid = 1 shrinks: it is "
            "13 points in the labels, and the predictions show no clear gap",
        ),
        (
            SHRINKS_UNCLEAR,
            {"label": None},
            "the gap between North and South in class 1 shrinks from 3 points (higher for North) "
            "to 1 point (higher for South)",
        ),
        (
            north((33, 30), (31, 31), (-6, -1), "shrinks", clear=(False, False)),
            {"label": None},
            "the gap between North and South in class 1 shrinks from 3 points (higher for North) "
            "to 0 points",
        ),
        (
            REVERSES,
            HIRED,
            "the gap between North and South in hired = 1 reverses: the rate in the labels is "
            "higher for North, the predicted rate for South",
        ),
        (
            REVERSES,
            HIRED | {"compared_with": "given rates"},
            "the gap between North and South in hired = 1 reverses: the given rate is "
            "higher for North, the predicted rate for South",
        ),
        (
            UNCLEAR,
            {},
            "the gap between African-American and Caucasian in two_year_recid = 1 does not "
            "clearly change",
        ),
        (
            SHARE_APPEARS,
            HORSES,
            "a gap between horse and umbrella in the share of man appears in the predictions: "
            "the labels show no clear gap",
        ),
        (
            SHARE_REVERSES,
            HORSES,
            "the gap between horse and umbrella in the share of man reverses: the share of man in "
            "the labels is higher for horse, the predicted share of man for umbrella",
        ),
        (
            gap(1, 0, band=(9, 15)),
            {"feature": "sex"},
            "the gap between sex = 1 and sex = 0 in two_year_recid = 1 grows from 12 points in "
            "the labels to 24 points in the predictions",
        ),
    ],
)
def test_headline_says_what_happens_to_the_gap(record, parts, headline):
    assert sentences(record, **parts).headline() == headline


B_AND_A = {"label": "hired", "groups": members({"B": 3000, "A": 3000})}


def b_and_a(labels, predictions):
    rates = {"labels": labels, "predictions": predictions}
    return gap("B", "A", rows=(3000, 3000), band=(10, 20), **rates)


@pytest.mark.parametrize(
    ("record", "parts", "rates"),
    [
        (
            GROWS,
            {},
            "Compared with the labels, two_year_recid = 1 is predicted more often for "
            "African-American (51% to 59%; 3,696 rows) and less often for Caucasian (39% to 35%; "
            "2,454 rows).",
        ),
        (
            gap(predictions=(28.1, 11), status="unclear", band=(-1, 11)),
            {},
            "Compared with the labels, two_year_recid = 1 is predicted less often for "
            "African-American (51% to 28%; 3,696 rows) and for Caucasian (39% to 11%; 2,454 rows).",
        ),
        (
            b_and_a((30, 20), (45, 20)),
            B_AND_A,
            "Compared with the labels, hired = 1 is predicted more often for B (30% to 45%; "
            "3,000 rows) and equally often for A (20%; 3,000 rows).",
        ),
        (
            b_and_a((30, 20), (30, 20)),
            B_AND_A,
            "Compared with the labels, hired = 1 is predicted equally often for B (30%; 3,000 "
            "rows) and for A (20%; 3,000 rows).",
        ),
        (
            b_and_a((30, 20), (45, 20)),
            B_AND_A | {"probabilities": True},
            "Compared with the labels, the mean probability of hired = 1 is higher for B (30% to "
            "45%; 3,000 rows) and equally high for A (20%; 3,000 rows).",
        ),
        (
            SHARE_GROWS,
            HORSES,
            "Compared with the labels, the share of man is larger for horse (65% to 83%; 266 "
            "rows) and smaller for umbrella (39% to 26%; 293 rows).",
        ),
        (
            horse((65, 39), (83, 46), (1, 21), "grows"),
            HORSES,
            "Compared with the labels, the share of man is larger for horse (65% to 83%; 266 "
            "rows) and for umbrella (39% to 46%; 293 rows).",
        ),
        (
            horse((65, 39), (65, 26), (3, 23), "grows"),
            HORSES,
            "Compared with the labels, the share of man is the same for horse (65%; 266 rows) and "
            "smaller for umbrella (39% to 26%; 293 rows).",
        ),
    ],
)
def test_rates_say_in_which_direction_each_goes(record, parts, rates):
    assert sentences(record, **parts).rates() == rates


@pytest.mark.parametrize(
    ("record", "change"),
    [
        (GROWS, "The gap changes by +12 points (+9 to +15)."),
        (SHRINKS, "The gap changes by −8 points (−11 to −5)."),
        (
            APPEARS,
            "The gap in the predictions is larger than in the labels by at least 0.8 points.",
        ),
        (
            REVERSES,
            "The gap goes from +10 points for North to +8 points for South, a change of −18 points "
            "(−21 to −15).",
        ),
        (
            UNCLEAR,
            "As African-American minus Caucasian, the gap goes from +13 points to +16 points, a "
            "change of +3 points (−0.05 to +6).",
        ),
        (
            SHRINKS_UNCLEAR,
            "As North minus South, the gap goes from +3 points to −1 point, a change of −4 points "
            "(−7 to −1).",
        ),
        (
            SHRINKS_AWAY,
            "As African-American minus Caucasian, the gap goes from +13 points to +1 point, a "
            "change of −12 points (−18 to −6).",
        ),
    ],
)
def test_change_is_told_with_its_band(record, change):
    assert sentences(record).change() == change


def test_change_of_one_prediction_for_all_rows_is_signed():
    record = gap(predictions=(0, 0), band=(-15, -9), status="shrinks", clear=(True, False))
    assert sentences(record).change(is_constant=True) == (
        "As African-American minus Caucasian, the gap goes from +12 points to 0 points, a change "
        "of −12 points (−15 to −9)."
    )


def error(labelled, first, second, low, high):
    rates = {"first": first / 100, "second": second / 100}
    return number(first - second, low, high) | rates | {"labelled": labelled}


@pytest.mark.parametrize(
    ("records", "parts", "text"),
    [
        (
            [error("positive", 72, 52.3, 16, 24), error("negative", 44.8, 23.4, 18, 25)],
            {},
            "Among rows labelled 0, 45% of African-American and 23% of Caucasian are predicted 1; "
            "among rows labelled 1, 72% and 52%.",
        ),
        (
            [error("negative", 3, 3, -3, 3), error("positive", 88, 88, -3, 3)],
            {},
            "Among rows labelled 0, 3% of African-American and 3% of Caucasian are predicted 1; "
            "among rows labelled 1, 88% and 88% (no clear difference in either).",
        ),
        (
            [error("positive", 72, 52.3, 16, 24)],
            {"favorable": 0},
            "Among rows labelled 1, 72% of African-American and 52% of Caucasian are predicted 1. "
            "two_year_recid = 1 is marked as unfavourable.",
        ),
        (
            [error("negative", 45, 23, 18, 25), error("positive", 72, 52, 16, 24)],
            {"probabilities": True},
            "Among rows labelled 0, the mean probability of 1 is 45% for African-American and 23% "
            "for Caucasian; among rows labelled 1, 72% and 52%.",
        ),
    ],
)
def test_errors_by_group_follow_the_gap(records, parts, text):
    assert sentences(GROWS, **parts).errors(records) == text


def test_errors_of_a_task_are_told_with_and_without_it():
    record = gap("man", "woman", "horse", rows=(900, 900))
    records = [error("negative", 3, 2, -2, 4), error("positive", 75, 28, 40, 54)]
    assert sentences(record, **HORSES).errors(records) == (
        "Among rows labelled without horse, 3% of man and 2% of woman are predicted with horse "
        "(no clear difference); among rows labelled with horse, 75% and 28%."
    )


SIX = {"groups": members(dict.fromkeys(["African-American", "Other", "Caucasian"], 99))}
TO_OTHER = gap("African-American", "Other", equal=5)


@pytest.mark.parametrize(
    ("record", "others", "parts", "texts"),
    [
        (
            gap(equal=4, beyond=(18, 23)),
            [],
            {},
            [
                "With the same error rates in both groups, the gap would be 4 points.",
                "The gap in the predictions is 20 points larger (18 to 23) than with equal error "
                "rates.",
            ],
        ),
        (
            TO_OTHER,
            [GROWS],
            SIX,
            [
                "With the same error rates in all groups, the gap between African-American and "
                "Other would be 5 points."
            ],
        ),
        (
            TO_OTHER,
            [gap(of_class=2)],
            SIX,
            [
                "With the same error rates in all groups, the gap between African-American and "
                "Other in two_year_recid = 1 would be 5 points."
            ],
        ),
        (
            gap(predictions=(58.8, 34.8), equal=23, beyond=(-2, 4)),
            [],
            {},
            [
                "With the same error rates in both groups, the gap would be 23 points.",
                "The gap in the predictions does not clearly differ from that with equal error "
                "rates (difference +1, −2 to +4).",
            ],
        ),
        (
            gap(equal=-2, beyond=(23, 29)),
            [],
            {},
            [
                "With the same error rates in both groups, the gap would be 2 points the other "
                "way round.",
                "As African-American minus Caucasian, the gap in the predictions differs from that "
                "with equal error rates by +26 points (+23 to +29).",
            ],
        ),
        (
            horse((65, 39), (83, 26), (20, 42), "grows", equal=12),
            [horse((65, 39), (83, 26), (20, 42), "grows") | {"of_class": "child"}],
            HORSES,
            [
                "With the same error rates in both tasks, the gap between horse and umbrella in "
                "the share of man would be 12 points."
            ],
        ),
        (gap(), [], {}, []),
    ],
)
def test_equal_error_rates_stand_beside_the_gap(record, others, parts, texts):
    assert sentences(record, *others, **parts).equal_errors("error") == texts


def test_equal_error_rates_name_missing_predictions():
    (sentence,) = sentences(gap(equal=15)).equal_errors("error and missing")
    assert sentence == (
        "With the same error and missing rates in both groups, the gap would be 15 points."
    )


def score(by_score, by_threshold, gap_of_scores, rule="5 or more", reason=""):
    rates = {"first": 0.5, "second": 0.5 - gap_of_scores / 100}
    numbers = {"by_score": number(*by_score), "by_threshold": number(*by_threshold)}
    return {"model": "model", "gap": 0, "rule": rule, "reason": reason} | rates | numbers


IMPLY = (
    "In the gap that the scores imply, each row counts with the share of two_year_recid = 1 among "
    "all rows of the same or a similar score."
)


@pytest.mark.parametrize(
    ("record", "first", "rest"),
    [
        (
            score((-1.8, -4.1, 0.5), (13.8, 11.9, 15.7), 10.2),
            [
                "The gap clearly grows from the scores to the decisions, and not clearly from the "
                "labels to the scores.",
                "In the decisions at 5 or more, the gap is 13.8 points larger (11.9 to 15.7) than "
                "the scores imply.",
            ],
            [
                "The gap that the scores imply, 10.2 points, does not clearly differ from that of "
                "the labels: the change is −1.8 points (−4.1 to +0.5).",
                IMPLY,
            ],
        ),
        (
            score((3.5, 1.0, 6.0), (0.6, -1.3, 2.5), 15.6, "8 or more"),
            [
                "The gap clearly grows from the labels to the scores, and not clearly from the "
                "scores to the decisions.",
                "The gap that the scores imply is 15.6 points: the change from the labels is +3.5 "
                "points (+1.0 to +6.0).",
            ],
            [
                "In the decisions at 8 or more, the gap does not clearly differ from what the "
                "scores imply: the change is +0.6 points (−1.3 to +2.5).",
                IMPLY,
            ],
        ),
        (
            score((1, -3, 5), (2, -2, 6), 13),
            [
                "The gap clearly grows in neither step alone, from the labels to the scores or on "
                "to the decisions."
            ],
            [
                "The gap that the scores imply, 13 points, does not clearly differ from that of "
                "the labels: the change is +1 point (−3 to +5).",
                "In the decisions at 5 or more, the gap does not clearly differ from what the "
                "scores imply: the change is +2 points (−2 to +6).",
                IMPLY,
            ],
        ),
    ],
)
def test_score_and_threshold_are_judged_each_alone(record, first, rest):
    assert sentences(GROWS).score_or_threshold(record) == (first, rest)


def test_score_and_threshold_that_both_grow_have_a_lead():
    (lead, *_), _ = sentences(GROWS).score_or_threshold(score((5, 2, 8), (7, 4, 10), 17))
    assert lead == (
        "The gap clearly grows in both steps: from the labels to the scores, and on to the "
        "decisions."
    )


def test_score_that_makes_the_gap_smaller_has_no_lead():
    first, _ = sentences(GROWS).score_or_threshold(score((-5, -8, -2), (17, 14, 20), 7))
    assert not any("clearly grows" in sentence for sentence in first)


def test_threshold_of_a_gap_that_turns_is_signed():
    first, _ = sentences(REVERSES).score_or_threshold(score((-12, -15, -9), (-6, -9, -3), -2))
    assert first == [
        "The gap that the scores imply is 2 points the other way round: the change from the labels "
        "is −12 points (−15 to −9).",
        "As North minus South, the gap in the decisions at 5 or more differs from what the scores "
        "imply by −6 points (−9 to −3).",
    ]


def test_score_without_numbers_says_why():
    record = score((0,), (0,), 0, reason="it needs y_score") | {"first": None}
    assert sentences(GROWS).score_or_threshold(record) == (
        [],
        ["Score and threshold are not told apart: it needs y_score."],
    )
