"""The title and the facts of an audit."""

import pytest
from summaries import THREE_CLASSES, make, members, unjudged

from biasamp_adapters.auditing.facts import facts, head, title, two_directions

ONE_TASK = {"kind": "tasks", "classes": members({"a": 9})}
PREDICTED = {"directions": ["A->T", "T->A"]}
ONLY_PREDICTED = {"directions": ["T->A"]}


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "hired = 1 by race"),
        ({"label": None, "feature": None}, "class 1 by group"),
        ({"positive": None, "label": "colour", "classes": members({"a": 9})}, "colour by race"),
        (ONE_TASK | {"feature": "gender"}, "1 task by gender"),
        (PREDICTED, "hired = 1 by race, and race predicted"),
        (ONLY_PREDICTED | {"positive": "A"}, "race by hired"),
        (ONLY_PREDICTED | ONE_TASK, "race by 1 task"),
        ({"title": "My\naudit"}, "My audit"),
    ],
)
def test_title_says_what_is_compared_by_which_feature(parts, text):
    assert title(make(**parts)) == text


def test_facts_are_the_subject_rows_kind_comparison_and_level():
    plain = ["5,000 rows", "predictions are classes", "compared with the labels of these rows"]
    plain.append("95% intervals")
    assert facts(make()) == plain
    assert facts(make(title="My audit")) == ["hired = 1 by race", *plain]


def of_b(size, unit):
    return {"groups": members({"A": 99, "B": size}), "unit": unit}


SMALL = {"groups": members({"A": 3696, "B": 32, "C": 2454, "Native American": 11})}
SIZES = {"A": 3, "B": 9, "C": 11, "D": 14, "E": 12, "F": 1, "G": 99, "H": 99, "I": 99, "J": 99}
TEN = {"groups": members(SIZES)}
FACTS = {
    "3 of 4 groups compared: Native American (11 rows) is too small": SMALL,
    "4 of 10 groups compared: A (3 rows), B (9 rows), C (11 rows) and 3 more are too small": TEN,
    "1 of 2 groups compared: B (9 clusters) is too small": of_b(9, "clusters"),
    "1 of 2 groups compared: B (14.9 effective rows) is too small": of_b(14.96, "effective rows"),
    "predictions are classes, those of b probabilities": {"probabilities": ["b"], "models": "ab"},
    "hired = 1 is marked as unfavourable": {"favorable": 0},
    "hired = 2 is marked as favourable": THREE_CLASSES | {"favorable": 2},
    "compared with given rates, without labels": {"compared_with": "given rates"},
    "compared with given rates": {"compared_with": "given rates", "directions": ["T->A"]},
    "signs of BA from 500 reference rows": {"reference": 500},
    "weighted by w": {"weights": "w"},
    "812 clusters of person": {"clusters": "person", "n_clusters": 812},
    "812 clusters": {"clusters": "clusters", "n_clusters": 812},
    "266 predictions missing": {"missing_predictions": {"model": 266}},
    "1 predicted group missing": {"missing_groups": {"model": 1}},
    "12 rows with missing values left out": {"left_out": 12},
    "12 rows with missing values left out, 5 of them without a group": {
        "left_out": 12,
        "left_out_groups": 5,
    },
    "140 of 5,000 rows are in none of these groups": {"in_no_group": 140},
    "1 of 5,000 rows is in several of these groups": {"in_several_groups": 1},
    "99.9% intervals": {"confidence": 0.999},
}


@pytest.mark.parametrize(("fact", "parts"), FACTS.items())
def test_fact_is_told_where_it_holds(fact, parts):
    assert fact in facts(make(**parts))


def test_small_groups_and_level_without_intervals_are_not_told():
    told = facts(make(**SMALL, **unjudged("no_interval")))
    assert not any("too small" in fact or "intervals" in fact for fact in told)


def test_two_directions_have_heads_and_a_sentence():
    summary = make(label="object", feature="gender", **PREDICTED)
    assert head(summary, "A->T") == "object by gender (A→T)"
    assert head(summary, "T->A") == "gender by object (T→A)"
    assert head(make(**ONE_TASK, feature="gender"), "A->T") == "tasks by gender (A→T)"
    assert two_directions(make()) == ""
    assert two_directions(summary) == (
        "By gender (A→T), groups are compared in the share of a class; by object (T→A), classes "
        "are compared in the share of a group. The numbers of the two are not comparable."
    )
