"""The notes that follow from a summary; expected texts are those of the design's section 8."""

from __future__ import annotations

import pytest

from auditing.summaries import gap, make, members, metric, number, verdict
from biasamp_adapters.auditing.notes import notes

ALWAYS = [
    "No reference was given, so the labels of these rows decide the signs of BA.",
    "Compare values of one metric, one direction and one data set only.",
    "A model without larger gaps need not be fair: one that repeats the gaps of its labels has "
    "BA 0.",
    "The labels are taken as they are; where they record arrests or forecasts, agreement with them "
    "may not be the goal.",
]


def test_plain_audit_has_the_notes_that_always_hold():
    assert notes(make()) == ALWAYS


def test_notes_that_came_with_numbers_stand_among_the_others_once():
    assert notes(make(notes=["A caveat.", "A caveat."])) == ["A caveat.", *ALWAYS]


def of_models(*verdicts):
    """The parts of a summary with several models."""
    models = ["compas", "strict"]
    told = [{**row, "model": model} for row, model in zip(verdicts, models, strict=True)]
    return {"verdicts": told, "gaps": [gap(model=model) for model in models], "models": models}


def frequency(true, predicted, of_class=1, low=None, high=None, model="model"):
    """How often a class occurs and is predicted, in per cent."""
    numbers = {"true": true, "predicted": predicted, "ratio": 100 * predicted / true}
    numbers |= {"ratio_low": low, "ratio_high": high}
    shares = {key: None if x is None else x / 100 for key, x in numbers.items()}
    return {"model": model, "direction": "A->T", "of_class": of_class} | shares


def no_rates(measure, **groups):
    """The rates of groups in a measure, some of which do not exist."""
    record = {"model": "model", "measure": measure, "groups": [*groups]}
    return [number(None) | record | {"rates": [*groups.values()]}]


RATES = [
    {"model": "model", "direction": "A->T", "true": rate, "predicted": rate, "sign": 1}
    for rate in (0, 0, 0.3)
]


@pytest.mark.parametrize(
    ("parts", "note"),
    [
        ({"left_out": 12}, "12 rows with missing values were left out."),
        (
            {"missing_predictions": {"model": 266}},
            "266 predictions of model are missing; these rows count as wrong and stay in every "
            "rate.",
        ),
        (
            {"missing_groups": {"model": 266}, "kind": "tasks"},
            "266 predicted groups of model are missing; these rows count as wrong and stay in "
            "every rate.",
        ),
        (
            {"missing_predictions": {"model": 1}, "kind": "tasks"},
            "1 prediction of model is missing; these rows count as not having any task and stay in "
            "every rate.",
        ),
        (
            {
                "missing": [
                    {"model": "model", "labelled": 1, "first": "F", "second": "M"}
                    | {"first_rate": 0.14, "second_rate": 0.04, "ba": number(-2.1, -3, -1.2)}
                ]
            },
            "Within rows labelled 1, predictions are missing for 14% of F and 4% of M; BA of the "
            "answered rows is −2.1 points.",
        ),
        ({"weights": "w"}, "Rates are weighted by w; numbers of rows are not."),
        (
            {"groups": members({"A": 99, "B": 99, "C": 9})},
            "1 group with fewer than 15 rows is not compared in the verdict; BA and accuracy "
            "include it.",
        ),
        (
            {"groups": members({"A": 99, "B": 9, "C": 9})},
            "2 groups with fewer than 15 rows are not compared in the verdict; BA and accuracy "
            "include them.",
        ),
        (
            {
                "groups": members(dict.fromkeys(range(131), 99)),
                "verdicts": [{**verdict(), "comparison": "all rows"}],
            },
            "8,515 gaps between pairs are too many, so each group is compared with all rows "
            "together.",
        ),
        (
            of_models(verdict(), verdict("no_clear_change", no_errors=True)),
            "strict makes no errors in these rows, so no gap changes.",
        ),
        (
            of_models(verdict(), verdict("reduces", constant=(0,))) | {"label": None},
            "strict predicts class 0 for every row, so all predicted gaps are 0.",
        ),
        ({"left_out": 1}, "1 row with missing values was left out."),
        (
            {"frequency": [frequency(47, 20.2, low=41.2, high=45.1)]},
            "model predicts two_year_recid = 1 for 20% of the rows, and 47% have it (43% as many, "
            "41 to 45).",
        ),
        (
            {"frequency": [frequency(22, 72)]},
            "model predicts two_year_recid = 1 for 72% of the rows, and 22% have it (327% as "
            "many).",
        ),
        (
            {"groups": members({"f": 99, "f ": 99, "m": 99})},
            "Groups 'f' and 'f ' differ only in case or spaces.",
        ),
        ({"groups": members({0: 99, 1: 99})}, "The groups of race are numbers: 0 and 1."),
        (
            {"metrics": [metric("accuracy", 31, 29, 33)], "frequency": [frequency(54, 54, 0)]},
            "The accuracy of model is clearly below that of one constant prediction (31% and 54%); "
            "the labels may be coded the other way round.",
        ),
        (
            {"groups": members({"?": 41, "a": 99})},
            "41 rows of race hold '?', which often means a missing value; missing_values= names "
            "such labels.",
        ),
        (
            {"groups": members({(" NA", "m"): 1, ("a", "m"): 99}), "feature": None},
            "1 row of the sensitive feature holds ' NA', which often means a missing value; "
            "missing_values= names such labels.",
        ),
        (
            {"classes": members({-1: 20, 0: 99, 1: 99})},
            "20 rows of two_year_recid hold -1, which often means a missing value; "
            "missing_values= names such labels.",
        ),
        (
            {"largest": no_rates("true_positive_rate", a=0.8, Asian=None)},
            "Asian has no positives, so the difference of true positive rates has no value.",
        ),
        (
            {"largest": no_rates("false_positive_rate", a=None, b=0.1, c=None)},
            "a and c have no negatives, so the difference of false positive rates has no value.",
        ),
        (
            {"rates": RATES},
            "2 of 3 rates in BA are 0 in labels and predictions, which draws BA towards 0.",
        ),
        (
            {"reference": 500},
            "The signs of BA come from 500 reference rows; only MALS and undirected Multi also "
            "compare with their rates.",
        ),
        (
            {"compared_with": "given rates"},
            "The given rates are a choice; say where they come from, because BA and the gaps "
            "depend on them.",
        ),
        (
            {"metrics": [metric("multi_a_to_t", 3)]},
            "Multi has no sign: sampling variation alone makes it positive.",
        ),
        (
            {
                "directions": ["A->T", "T->A"],
                "verdicts": [verdict(), verdict(direction="T->A")],
                "gaps": [gap(), gap(direction="T->A")],
            },
            "T→A means that the model predicts race; a model that does not predict it has no T→A "
            "amplification.",
        ),
    ],
)
def test_note_is_told_where_it_holds(parts, note):
    told = notes(make(**parts))
    assert note in told
    assert note not in ALWAYS


@pytest.mark.parametrize(
    "parts",
    [
        {"classes": members({-1: 99, 1: 99})},
        {"classes": members({"none": 99, "horse": 99}), "kind": "tasks"},
        {"groups": members({"unknowns": 99, "NAB": 99})},
        {"largest": no_rates("true_positive_rate", a=0.8, b=0.0)},
        {"rates": [RATES[2]] * 19},
        {"rates": [RATES[2]] * 132, "n_boot": 0},
        {"frequency": [frequency(50, 45)]},
    ],
)
def test_note_is_not_told_where_it_does_not_hold(parts):
    assert notes(make(**parts)) == ALWAYS


def test_accuracy_of_a_coin_does_not_doubt_the_coding():
    parts = {"metrics": [metric("accuracy", 50, 48, 52)], "frequency": [frequency(54, 54, 0)]}
    assert notes(make(**parts)) == ALWAYS
