"""Largest differences between groups, and the impact ratio."""

import pytest
from summaries import make, number

from biasamp_adapters.auditing.gap_sentences import largest_sentences
from biasamp_adapters.auditing.subject import subject_of


def record(measure, rates, ends=(), reason="", ratio=(None, None, None), why=""):
    """A record; rates of groups and their difference are given in points."""
    values = [*rates.values()]
    value = max(values) - min(values) if len(values) > 1 else None
    of_ratio = dict(zip(("ratio", "ratio_low", "ratio_high"), ratio, strict=True))
    of_ratio |= {"ratio_reason": why, "model": "model", "measure": measure, "groups": [*rates]}
    return number(value, *ends, reason=reason) | of_ratio | {"rates": [x / 100 for x in values]}


def sentences(told, **parts):
    return largest_sentences(subject_of(make(largest=[told], **parts), "A->T"))


TWO, THREE, ERRORS = {"A": 58.8, "B": 34.8}, {"A": 58, "B": 35, "C": 20.4}, {"A": 44.8, "B": 23.4}
NO_INTERVAL = "a group has fewer than 15 rows labelled 1"
FPR, TPR = "false_positive_rate", "true_positive_rate"


DIFFERENCES = {
    "The accuracies differ by 24 points (21 to 27): 59% for A and 35% for B.": record(
        "accuracy", TWO, (21, 27)
    ),
    "The accuracies range from 20% for C to 58% for A; the largest difference is between "
    "29 and 45 points.": record("accuracy", THREE, (29, 45)),
    "The accuracies do not clearly differ between groups; a difference of more than 39 "
    "points is excluded.": record("accuracy", THREE, (0, 39)),
    f"The true positive rates have no interval: {NO_INTERVAL}.": record(
        TPR, TWO, reason=NO_INTERVAL
    ),
    "Among rows labelled 0, 45% of A and 23% of B are predicted 1 (FPR; they differ by 18 "
    "to 25 points).": record(FPR, ERRORS, (18, 25)),
    "Among rows labelled 0, 50% of A and 47% of B are predicted 1 (FPR; no clear "
    "difference, at most 7 points).": record(FPR, {"A": 50, "B": 47}, (0, 7)),
    "Among rows labelled 1, 72% of A and 52% of B are predicted 1 (TPR; they differ by 16 "
    "to 24 points).": record(TPR, {"B": 52, "A": 72}, (16, 24)),
}


@pytest.mark.parametrize(("text", "told"), DIFFERENCES.items())
def test_difference_is_told_with_its_interval(told, text):
    assert sentences(told) == [text]


def test_errors_without_positive_class_are_rates():
    assert sentences(record(FPR, ERRORS, (18, 25)), positive=None) == [
        "The false positive rates differ by 21 points (18 to 25): 45% for A and 23% for B."
    ]


def impact(*ratio, why="", rates=TWO, **parts):
    told = record("selection_rate", rates, (21, 27), ratio=(*ratio, None, None, None)[:3], why=why)
    first, *others = sentences(told, **parts)
    assert first.startswith("The selection rates differ by 24" if rates is TWO else "The selection")
    return others


@pytest.mark.parametrize(
    ("parts", "rest"),
    [
        ({}, ". The rule is about favourable outcomes; check that hired = 1 is one."),
        ({"favorable": 1}, "."),
        ({"favorable": 0}, "; hired = 1 is marked as unfavourable."),
    ],
)
def test_impact_ratio_names_the_four_fifths_rule(parts, rest):
    assert impact(0.59, 0.56, 0.63, **parts) == [
        "The lowest selection rate, that of B, is 0.59 times the highest, that of A (0.56 to "
        "0.63).",
        f"The interval lies below 0.8, the bound of the four-fifths screening rule{rest}",
    ]


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
    assert f" interval {place} 0.8, " in impact(0.75, *ends)[1]


def test_end_close_to_0_8_does_not_print_as_0_80():
    assert "(0.8004 to 1.00)" in impact(0.9, 0.8004, 1)[0]


def test_ratio_without_interval_or_of_probabilities_is_not_told():
    assert impact(0.59, why="C has fewer than 5 rows that the rate counts") == []
    told = record("selection_rate", TWO, (21, 27), ratio=(0.59, 0.56, 0.63))
    [sentence] = sentences(told, probabilities=["model"])
    assert sentence.startswith("The mean probabilities differ by 24 points (21 to 27): 59% for A")


def test_differences_without_requested_intervals_have_no_sentences():
    assert sentences(record("accuracy", TWO, reason="no intervals were requested (n_boot=0)")) == []


def test_ratio_of_no_positive_prediction_is_undefined():
    assert impact(rates={"A": 0, "B": 0}) == [
        "The impact ratio is undefined, as no row is predicted positive."
    ]
