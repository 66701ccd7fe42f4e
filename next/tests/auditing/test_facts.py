"""The title and the facts of an audit; expected texts are those of the design's section 1."""

from __future__ import annotations

import pytest

from auditing.summaries import make, members, verdict
from biasamp_adapters.auditing.facts import facts, head, title, two_directions

GROUPS = {"African-American": 3696, "Asian": 32, "Caucasian": 2454, "Native American": 11}
TEN = {"A": 3, "B": 9, "C": 11, "D": 14, "E": 12, "F": 1, "G": 99, "H": 99, "I": 99, "J": 99}
PREDICTED = {"directions": ["A->T", "T->A"]}


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "two_year_recid = 1 by race"),
        ({"label": None}, "class 1 by race"),
        ({"label": None, "feature": None}, "class 1 by group"),
        ({"positive": None, "label": "colour", "classes": members({"a": 9})}, "colour by race"),
        ({"kind": "tasks", "feature": "gender", "classes": members({"a": 9})}, "1 task by gender"),
        (PREDICTED, "two_year_recid = 1 by race, and race predicted"),
        ({"directions": ["T->A"], "positive": "Caucasian"}, "race by two_year_recid"),
        ({"directions": ["T->A"], "kind": "tasks", "classes": members({"a": 9})}, "race by 1 task"),
        ({"title": "My\naudit"}, "My audit"),
    ],
)
def test_title_says_what_is_compared_by_which_feature(parts, text):
    assert title(make(**parts)) == text


def test_facts_of_plain_audit_are_rows_kind_comparison_and_level():
    assert facts(make()) == [
        "6,150 rows",
        "predictions are classes",
        "compared with the labels of these rows",
        "95% intervals",
    ]


@pytest.mark.parametrize(
    ("parts", "fact"),
    [
        ({"models": ["a", "b", "c"]}, "3 models"),
        (
            {"groups": members(GROUPS)},
            "3 of 4 groups compared: Native American (11 rows) is too small",
        ),
        (
            {"groups": members(TEN)},
            "4 of 10 groups compared: A (3 rows), B (9 rows), C (11 rows) and 3 more are too small",
        ),
        (
            {"groups": members({"A": 99, "B": 9}), "unit": "clusters"},
            "1 of 2 groups compared: B (9 clusters) is too small",
        ),
        (
            {"groups": members({"A": 99, "B": 14.96}), "unit": "effective rows"},
            "1 of 2 groups compared: B (14.9 effective rows) is too small",
        ),
        ({"probabilities": True}, "predictions are probabilities"),
        ({"favorable": 0}, "two_year_recid = 1 is marked as unfavourable"),
        ({"favorable": 1}, "two_year_recid = 1 is marked as favourable"),
        (
            {"favorable": 2, "positive": None, "classes": members({0: 9, 1: 9, 2: 9})},
            "two_year_recid = 2 is marked as favourable",
        ),
        ({"compared_with": "given rates"}, "compared with given rates, without labels"),
        ({"reference": 500}, "signs of BA from 500 reference rows"),
        ({"weights": "w"}, "weighted by w"),
        ({"clusters": "person", "n_clusters": 812}, "812 clusters of person"),
        ({"left_out": 12}, "12 rows with missing values left out"),
        ({"in_no_group": 140}, "140 of 6,150 rows are in none of these groups"),
        ({"in_several_groups": 1}, "1 of 6,150 rows is in several of these groups"),
        ({"confidence": 0.999}, "99.9% intervals"),
    ],
)
def test_fact_is_told_where_it_holds(parts, fact):
    assert fact in facts(make(**parts))


def test_missing_predictions_are_counted():
    summary = make(missing_predictions={"model": 266})
    assert "266 predictions missing" in facts(summary)


def test_small_groups_without_verdict_are_not_told():
    summary = make(groups=members(GROUPS), verdicts=[verdict("cannot_say", why="no_interval")])
    assert not any("too small" in fact for fact in facts(summary))


def test_own_title_leaves_the_subject_to_the_facts():
    assert facts(make(title="My audit"))[0] == "two_year_recid = 1 by race"


def test_two_directions_have_heads_and_a_sentence():
    summary = make(label="object", feature="gender", **PREDICTED)
    assert head(summary, "A->T") == "object by gender (A→T)"
    assert head(summary, "T->A") == "gender by object (T→A)"
    assert two_directions(summary) == (
        "By gender (A→T), groups are compared in the share of a class; by object (T→A), classes "
        "are compared in the share of a group. The numbers of the two are not comparable."
    )
    assert head(make(kind="tasks", feature="gender"), "A->T") == "tasks by gender (A→T)"
    assert two_directions(make()) == ""
