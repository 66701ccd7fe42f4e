"""The notes that follow from a summary."""

import pytest
from summaries import OF_MODEL, gap, groups, make, members, metric, number, verdict

from biasamp_adapters.auditing.notes import notes

ALWAYS = [
    "No reference was given, so the labels of these rows decide the signs of BA.",
    "Compare values of one metric, one direction and one data set only.",
    "A model without larger gaps need not be fair: one that repeats the gaps of its labels has BA "
    "0.",
    "The labels are taken as they are; where they record arrests or forecasts, agreement with "
    "them may not be the goal.",
]


def test_plain_audit_has_the_notes_that_always_hold():
    assert notes(make()) == ALWAYS


def test_notes_that_came_with_numbers_stand_among_the_others_once():
    assert notes(make(notes=["A caveat.", "A caveat."])) == ["A caveat.", *ALWAYS]


def second_model(**of_verdict):
    """The parts of a summary with two models, and the verdict on the second."""
    verdicts = [verdict(model="old"), verdict("reduces", model="new", **of_verdict)]
    gaps = [gap(model="old"), gap(model="new")]
    return {"verdicts": verdicts, "gaps": gaps, "models": ["old", "new"]}


def frequency(true, predicted, of_class=1, low=None, high=None):
    """How often a class occurs and is predicted, in per cent."""
    points = {"true": true, "predicted": predicted, "ratio": 100 * predicted / true}
    points |= {"ratio_low": low, "ratio_high": high}
    shares = {key: None if x is None else x / 100 for key, x in points.items()}
    return [OF_MODEL | {"of_class": of_class} | shares]


def rates_of(measure, **rates):
    """The rates of groups in a measure, some of which do not exist."""
    record = {"model": "model", "measure": measure, "groups": [*rates], "rates": [*rates.values()]}
    return {"largest": [number() | record]}


def accuracy(value, constant=54):
    parts = {"metrics": [metric("accuracy", value, value - 2, value + 2)]}
    return parts | {"frequency": frequency(constant, constant, 0)}


ZERO, OTHER = (OF_MODEL | {"true": rate, "predicted": rate, "sign": 1} for rate in (0, 0.3))
RATES = {"rates": [ZERO, ZERO, OTHER]}
MULTI = {"metrics": [metric("multi_a_to_t", 3)]}
MORE = {"frequency": frequency(22, 72)}
ACCENTS = ["É", "E\u0301"]  # One letter, and a letter with its accent.
MISSING = OF_MODEL | {"labelled": 1, "first": "F", "second": "M", "first_rate": 0.14}
MISSING |= {"second_rate": 0.04, "ba": number(-2.1, -3, -1.2)}
MISSING_GROUPS = MISSING | {"direction": "T->A", "labelled": "F", "first": 1, "second": 0}
NOT_COMPARED = "Shares of missing values are not compared between groups, as"
CROSSED = {"groups": members({(" NA", "m"): 1, ("a", "m"): 99})}
OFTEN = "which often means a missing value; missing_values= names such labels."
BOTH = {"directions": ["A->T", "T->A"], "verdicts": [verdict(), verdict(direction="T->A")]}
BOTH |= {"gaps": [gap(), gap(direction="T->A")]}
NOTES = {
    "12 rows with missing values were left out.": {"left_out": 12},
    "266 predictions of model are missing; these rows count as wrong and stay in every rate.": {
        "missing_predictions": {"model": 266}
    },
    "266 predicted groups of model are missing; these rows count as wrong "
    "and stay in every rate.": {"missing_groups": {"model": 266}, "kind": "tasks"},
    "1 prediction of model is missing; these rows count as not having any task and stay in every "
    "rate.": {"missing_predictions": {"model": 1}, "kind": "tasks"},
    "Within rows labelled 1, predictions are missing for 14% of F and 4% of M; BA of the answered "
    "rows is −2.1 points.": {"missing": [MISSING]},
    "Predictions are missing for 14% of F and 4% of M; BA of the answered rows is −2.1 points.": {
        "missing": [MISSING | {"labelled": None}]
    },
    "Within rows of F, predicted groups are missing for 14% of hired = 1 and 4% of hired = 0; BA "
    "of the answered rows is −2.1 points.": {"missing": [MISSING_GROUPS]},
    f"{NOT_COMPARED} saved or added counts keep only the number of rows left out.": {
        "left_out": 12,
        "left_out_groups": None,
    },
    f"{NOT_COMPARED} there are more than 100.": groups(range(101)) | {"left_out": 12},
    "Rates are weighted by w; numbers of rows are not.": {"weights": "w"},
    "1 group with fewer than 15 rows is not compared in the verdict; BA and accuracy include it.": {
        "groups": members({"A": 99, "B": 99, "C": 9})
    },
    "2 groups with fewer than 15 rows are not compared in the verdict; BA and accuracy include "
    "them.": {"groups": members({"A": 99, "B": 9, "C": 9})},
    "8,515 gaps between pairs are too many, so each group is compared "
    "with all rows together.": groups(range(131)) | {"verdicts": [verdict(comparison="all rows")]},
    "new makes no errors in these rows, so no gap changes.": second_model(no_errors=True),
    "new predicts class 0 for every row, so all predicted gaps are 0.": second_model(constant=[0])
    | {"label": None},
    "model predicts hired = 1 for 20% of the rows, against 47% in the labels (43% as many, 41 to "
    "45).": {"frequency": frequency(47, 20.2, low=41.2, high=45.1)},
    "model predicts hired = 1 for 72% of the rows, against 22% in the labels (327% as many).": MORE,
    "The share of hired = 1 is 72% in the predictions of model and 22% in the given rates (327% as "
    "much).": MORE | {"compared_with": "given rates"},
    "The share of hired = 1 is 72% in the predictions of model and 22% in the labels (327% as "
    "much).": MORE | {"probabilities": ["model"]},
    "Groups 'f' and 'f ' differ only in case or spaces.": groups(["f", "f ", "m"]),
    "Groups 'f × 1' and 'f × 1' differ only in case or spaces.": groups([("f", 1), ("f\n", 1)]),
    "Groups 'É' and 'E\u0301' differ only in case, spaces or Unicode form.": groups(ACCENTS),
    "The groups of race are numbers: 0 and 1.": groups([0, 1]),
    "The accuracy of model is clearly below that of one constant prediction (31% and 54%); the "
    "labels may be coded the other way round.": accuracy(31),
    f"41 rows of race hold '?', {OFTEN}": {"groups": members({"?": 41, "a": 99})},
    f"1 row of the sensitive feature holds ' NA', {OFTEN}": CROSSED | {"feature": None},
    f"20 rows of hired hold -1, {OFTEN}": {"classes": members({-1: 20, 0: 99, 1: 99})},
    "Asian has no positives, so the difference of true positive rates has no value.": rates_of(
        "true_positive_rate", a=0.8, Asian=None
    ),
    "a and c have no negatives, so the difference of false positive rates has no value.": rates_of(
        "false_positive_rate", a=None, b=0.1, c=None
    ),
    "2 of 3 rates in BA are 0 in labels and predictions, which draws BA towards 0.": RATES,
    "The signs of BA come from 500 reference rows; only MALS and undirected Multi also compare "
    "with their rates.": {"reference": 500},
    "The given rates are a choice; say where they come from, because BA and the gaps depend on "
    "them.": {"compared_with": "given rates"},
    "Multi has no sign: sampling variation alone makes it positive.": MULTI,
    "T→A means that the model predicts race; a model that does not predict it has no T→A "
    "amplification.": BOTH,
}


@pytest.mark.parametrize(("note", "parts"), NOTES.items())
def test_note_is_told_where_it_holds(note, parts):
    assert note in notes(make(**parts))
    assert note not in ALWAYS


@pytest.mark.parametrize(
    "parts",
    [
        {"classes": members({-1: 99, 1: 99})},
        {"classes": members({"none": 99, "horse": 99}), "kind": "tasks"},
        groups(["unknowns", "NAB"]),
        {"groups": members({"A": 99, "B": 99, "NA": 0})},
        rates_of("true_positive_rate", a=0.8, b=0.0),
        {"rates": [OTHER] * 19},
        {"frequency": frequency(50, 45)},
        accuracy(50),
    ],
)
def test_note_is_not_told_where_it_does_not_hold(parts):
    assert notes(make(**parts)) == ALWAYS
