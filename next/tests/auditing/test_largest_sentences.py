"""Largest differences between groups; expected texts are those of the design's section 6."""

from __future__ import annotations

import pytest

from auditing.summaries import make, number
from biasamp_adapters.auditing.largest import largest_sentences
from biasamp_adapters.auditing.subject import subject_of

BLACK, WHITE = "African-American", "Caucasian"


def record(measure, rates, low=None, high=None, reason="", ratio=(None,) * 3, why=""):
    """A record; groups, rates and differences in points."""
    value = max(rates.values(), default=0) - min(rates.values(), default=0)
    value = None if len(rates) < 2 else value
    names = ("ratio", "ratio_low", "ratio_high")
    return (
        number(value, low, high, reason)
        | {"model": "model", "measure": measure, "groups": [*rates]}
        | {"rates": [rate / 100 for rate in rates.values()], "ratio_reason": why}
        | dict(zip(names, ratio, strict=True))
    )


def sentences(**parts):
    return largest_sentences(subject_of(make(**parts), "A->T"))


TWO = {BLACK: 58.8, WHITE: 34.8}
SEVERAL = {BLACK: 58, WHITE: 35, "Other": 20.4}
ERRORS = {BLACK: 44.8, WHITE: 23.4}


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (
            record("accuracy", TWO, low=21, high=27),
            "The accuracies differ by 24 points (21 to 27): 59% for African-American and 35% for "
            "Caucasian.",
        ),
        (
            record("accuracy", SEVERAL, low=29, high=45),
            "The accuracies range from 20% for Other to 58% for African-American; the largest "
            "difference is between 29 and 45 points.",
        ),
        (
            record("accuracy", SEVERAL, low=0, high=39),
            "The accuracies do not clearly differ between groups; a difference of more than 39 "
            "points is excluded.",
        ),
        (
            record("true_positive_rate", TWO, reason="a group has fewer than 15 rows labelled 1"),
            "The true positive rates have no interval: a group has fewer than 15 rows labelled 1.",
        ),
        (
            record("true_positive_rate", {BLACK: 50}),
            "The true positive rates are not compared: fewer than two groups have 15 rows of that "
            "kind.",
        ),
        (
            record("false_positive_rate", ERRORS, low=18, high=25),
            "Among rows labelled 0, 45% of African-American and 23% of Caucasian are predicted 1 "
            "(FPR; they differ by 18 to 25 points).",
        ),
        (
            record("false_positive_rate", {BLACK: 50, WHITE: 47}, low=0, high=7),
            "Among rows labelled 0, 50% of African-American and 47% of Caucasian are predicted 1 "
            "(FPR; no clear difference, at most 7 points).",
        ),
        (
            record("true_positive_rate", {WHITE: 52, BLACK: 72}, low=16, high=24),
            "Among rows labelled 1, 72% of African-American and 52% of Caucasian are predicted 1 "
            "(TPR; they differ by 16 to 24 points).",
        ),
    ],
)
def test_difference_is_told_with_its_interval(told, text):
    assert sentences(largest=[told]) == [text]


def test_errors_without_positive_class_are_rates():
    told = record("false_positive_rate", ERRORS, low=18, high=25)
    assert sentences(largest=[told], positive=None) == [
        "The false positive rates differ by 21 points (18 to 25): 45% for African-American and 23% "
        "for Caucasian."
    ]


def impact(*ratio, why="", rates=TWO, **parts):
    ratio = (*ratio, None, None, None)[:3]
    told = record("selection_rate", rates, low=21, high=27, ratio=ratio, why=why)
    return sentences(largest=[told], **parts)


RATIO = (
    "The lowest selection rate, that of Caucasian, is 0.59 times the highest, that of "
    "African-American (0.56 to 0.63)."
)
RULE = "The interval lies below 0.8, the bound of the four-fifths screening rule"


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        (
            {},
            f"{RULE}. The rule is about favourable outcomes; check that two_year_recid = 1 is one.",
        ),
        ({"favorable": 1}, f"{RULE}."),
        ({"favorable": 0}, f"{RULE}; two_year_recid = 1 is marked as unfavourable."),
    ],
)
def test_impact_ratio_names_the_four_fifths_rule(parts, rule):
    assert impact(0.59, 0.56, 0.63, **parts)[1:] == [RATIO, rule]


def test_selection_rates_are_told_before_the_ratio():
    assert impact(0.59, 0.56, 0.63)[0] == (
        "The selection rates differ by 24 points (21 to 27): 59% for African-American and 35% for "
        "Caucasian."
    )


@pytest.mark.parametrize(
    ("ends", "place"),
    [
        ((0.7, 0.79), "lies below"),
        ((0.7, 0.9), "includes"),
        ((0.7, 0.8), "includes"),
        ((0.81, 0.9), "lies above"),
    ],
)
def test_interval_of_the_ratio_lies_on_a_side_of_0_8(ends, place):
    assert f" interval {place} 0.8, " in impact(0.75, *ends)[2]


def test_end_close_to_0_8_does_not_print_as_0_80():
    assert "(0.8004 to 1.00)" in impact(0.9, 0.8004, 1)[1]


def test_ratio_without_interval_or_of_probabilities_is_not_told():
    assert impact(0.59, why="Other has fewer than 5 positives")[1:] == []
    assert impact(0.59, 0.56, 0.63, probabilities=True)[1:] == []


def test_differences_without_requested_intervals_have_no_sentences():
    told = record("accuracy", TWO, reason="no intervals were requested (n_boot=0)")
    assert sentences(largest=[told]) == []


def test_ratio_of_no_positive_prediction_is_undefined():
    assert impact(rates={BLACK: 0, WHITE: 0})[1:] == [
        "The impact ratio is undefined, as no row is predicted positive."
    ]
