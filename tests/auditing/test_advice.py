"""The three boxes: how sure the answer is, what to read and what to do."""

import pytest
from summaries import (
    OF_MODEL,
    THREE_CLASSES,
    difference,
    gap,
    groups,
    make,
    members,
    metric,
    of_gaps,
    unjudged,
)

from biasamp_adapters.auditing.advice import boxes

CLEAR, NOT_CLEAR = gap(), gap(clear=(False, True), status="appears")
TEN = [*[CLEAR] * 7, *[NOT_CLEAR] * 3]
MARKED = {"favorable": 0}
PREDICTED = {"directions": ["T->A"], "feature": "gender"}
OF_CLASSES = of_gaps(records=[CLEAR], direction="T->A")


def box(title, **parts) -> str:
    return " ".join(boxes(make(**parts))[title])


SAMPLING = "Intervals cover sampling variation, not wrong labels or missing rows."
IS_CLEAR = "In the labels it is clear which group has the higher rate"
CLASS_IS_CLEAR = IS_CLEAR.replace("group", "class")
OF_TEN = "3 of 10 gaps are not clear in the labels."
ONE_BAND = "The verdict uses the 95% band of one change."
BANDS = "The verdict uses 95% bands that hold at once for"
NO_INTERVAL = "No number here has an interval, so no change is called clear."


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (
            {},
            f"{ONE_BAND} {IS_CLEAR}. The report does not know "
            f"whether hired = 1 is good or bad for a person; favorable_label= says so. {SAMPLING}",
        ),
        (
            MARKED | of_gaps(records=[NOT_CLEAR]),
            f"The verdict uses 95% bands that allow for either direction of the gap in the "
            f"labels. {SAMPLING}",
        ),
        (MARKED | of_gaps(records=TEN), f"{BANDS} all 10 gaps and their mean. {OF_TEN} {SAMPLING}"),
        (
            MARKED | of_gaps(records=[CLEAR] * 10, n_in_mean=0),
            f"{BANDS} all 10 gaps. {IS_CLEAR}, for every gap. {SAMPLING}",
        ),
        (
            MARKED | of_gaps(records=[CLEAR], models="abc"),
            f"{BANDS} the gaps of all 3 models. {IS_CLEAR}. {SAMPLING}",
        ),
        (
            MARKED | of_gaps(records=[CLEAR], models="ab"),
            f"{BANDS} the gaps of both models. {IS_CLEAR}. {SAMPLING}",
        ),
        (
            MARKED | of_gaps(records=TEN, models="abc"),
            f"{BANDS} the 10 gaps of each of 3 models and their means. {OF_TEN} {SAMPLING}",
        ),
        (
            THREE_CLASSES | unjudged("too_few_rows"),
            f"The report does not know which classes are good or bad for a person; "
            f"favorable_label= says so. {SAMPLING}",
        ),
        (PREDICTED | OF_CLASSES, f"{ONE_BAND} {CLASS_IS_CLEAR}. {SAMPLING}"),
        (MARKED | unjudged("too_few_rows", n_boot=0), NO_INTERVAL),
        (MARKED | unjudged("no_interval"), NO_INTERVAL),
    ],
)
def test_how_sure_says_what_the_verdict_rests_on(parts, text):
    assert box("How sure", **parts) == text


def test_two_directions_name_theirs_where_they_differ():
    both = of_gaps(records=[CLEAR])
    parts = {key: both[key] + OF_CLASSES[key] for key in both} | {"directions": ["A->T", "T->A"]}
    text = f"{ONE_BAND} {SAMPLING} A→T: {IS_CLEAR}. T→A: {CLASS_IS_CLEAR}."
    assert box("How sure", **MARKED, **parts) == text


FIRST = (
    "Read the gap first, then FPR and TPR by group. BA is for comparison with published results."
)
TWO = (
    "Read the gap first, then BA: both compare the predictions with the given rates. "
    "Other given rates give other numbers."
)
GIVEN = {"compared_with": "given rates"}
NO_MALS = "Ignore MALS here: it mixes both directions."
EVEN = groups("AB") | {"classes": members({0: 99, 1: 99})}
UNEVEN = {"groups": members({"A": 99, "B": 999}), "classes": members({0: 99, 1: 99})}
METRICS = ("mals", "la", "dpa_a_to_t", "dpa_u_a_to_t", "multi_a_to_t")
COMPUTED = {"metrics": [metric(key, 1) for key in METRICS]}
EQUAL = gap(labels=(50, 50), clear=(False, True))


WHAT_TO_READ = {
    "Read the rates as a description of these rows; no difference between groups can be "
    "judged.": unjudged("too_few_rows"),
    f"{TWO} LA and DPA need labels and are not computed.": GIVEN,
    TWO: GIVEN | PREDICTED | OF_CLASSES,
    "Read the gaps first. BA is for comparison with published results of the same "
    "direction.": PREDICTED | of_gaps(direction="T->A", grows=2),
    "The rates of the groups in the labels are so close that their order is not clear, so "
    "BA may have the wrong sign. Read the gaps and selection rates first, then DPA(U) and "
    "Multi. Ignore BA and MALS here.": COMPUTED | of_gaps(records=[NOT_CLEAR]),
    "The rates of the groups in the labels are equal, so BA is 0 for every model. Read "
    "the gaps and selection rates first. Ignore BA here.": of_gaps(records=[EQUAL]),
    f"Read the count of gaps first, then the most certain changes by task, with FPR and "
    f"TPR by group. BA is for comparison with published results. A mean over tasks can "
    f"hide opposite changes. {NO_MALS}": COMPUTED | {"kind": "tasks"} | of_gaps(grows=2),
    f"{FIRST} Also read LA and DPA(U), which give no credit for guessing the largest "
    f"group or class. Ignore DPA here: 1/cross-entropy gives such credit.": COMPUTED | UNEVEN,
    f"{FIRST} {NO_MALS}": COMPUTED | EVEN,
    FIRST: UNEVEN,
    f"{FIRST} If the label stands in for something else, such as an arrest for a crime, "
    f"agreement with it is not the goal by itself.": EVEN | {"scored": ["model"]},
}


@pytest.mark.parametrize(("text", "parts"), WHAT_TO_READ.items())
def test_what_to_read_is_the_first_situation_that_holds(parts, text):
    assert box("What to read", **parts) == text


def test_models_of_different_accuracy_are_told():
    accuracies = [metric("accuracy", 50.8, 49.6, 52, "coin")]
    accuracies += [metric("accuracy", 65.8, 64.6, 67, "old")]
    parts = {"differences": [difference("accuracy", "coin", "old", -15, -17, -13)]}
    parts |= of_gaps(records=[CLEAR], models=["old", "coin"]) | {"metrics": accuracies}
    assert "accuracies" not in box("What to read", **parts)  # Nothing stands in the column.
    parts["gaps"] = [row | {"beyond": 0.2} for row in parts["gaps"]]
    assert box("What to read", **parts).endswith(
        "The accuracies differ (coin 50.8%, old 65.8%). With equal error rates, more errors "
        'usually mean smaller gaps: compare the column "gap beyond equal error rates".'
    )
    assert "accuracies" not in box("What to read", **parts, probabilities=["old"])


COMPARE = "Compare FPR and TPR by group: they show which errors differ, if any do."
BY_GROUP = "Read FPR and TPR by group"
SMALLER = f"{BY_GROUP} before calling a smaller gap an improvement."
PASS_SCORE = "Pass y_score= to see whether the change is in the scores or in the decisions."
# A standard error of 1.735 points in 1,000 rows: 1,000 (2.8 * .01735)^2 is 2.36.
UNCLEAR_BA = {"rows": 1000, "rows_needed": [OF_MODEL | {"rows": 2.36}]}
SET_N_BOOT = "Set n_boot=2000 to get intervals and a verdict."
MISSING = OF_MODEL | {"first": "F", "second": "M", "labelled": 1}
MISSING |= {"first_rate": 0.14, "second_rate": 0.04}


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, f"{COMPARE} {PASS_SCORE}"),
        ({"probabilities": ["model"]}, COMPARE),
        (THREE_CLASSES, COMPARE),
        (GIVEN, ""),
        (of_gaps("reverses", reverses=1), f"{BY_GROUP}: they show which errors turn a gap round."),
        (of_gaps("reduces", shrinks=1), SMALLER),
        (of_gaps("mixed", grows=1, shrinks=1), f"{SMALLER} {PASS_SCORE}"),
        (
            THREE_CLASSES | {"groups": members({"A": 99, "B": 99, "C": 9}), "unit": "clusters"},
            f"{COMPARE} Collect more clusters, or merge groups where that makes sense; a group "
            f"that is left out is not checked.",
        ),
        (
            THREE_CLASSES | of_gaps(grows=15, appears=5, unclear=3),
            f"{COMPARE} Start with the 20 gaps that grow or appear; to_frame('gaps') lists them.",
        ),
        (
            PREDICTED | OF_CLASSES,
            "Ask whether the model has to predict gender. If it does not, leaving that out also "
            "ends T→A amplification.",
        ),
        (
            UNCLEAR_BA | of_gaps("no_clear_change", unclear=1),
            "With about 5,900 rows of the same kind, a BA of 2 points would be clear in 80% of "
            "samples.",
        ),
        (UNCLEAR_BA | of_gaps("no_clear_change", records=[gap(clear=(False, False))]), ""),
        (
            THREE_CLASSES | {"missing": [MISSING]},
            f"{COMPARE} Find out why, within rows labelled 1, predictions are missing for 14% of "
            f"F and 4% of M.",
        ),
        (unjudged("one_group"), "Add rows of a second group."),
        (unjudged("no_interval", n_boot=2000), ""),
        (unjudged("no_interval", "no intervals were requested (n_boot=0)", n_boot=0), SET_N_BOOT),
        (unjudged("no_interval", "a level of 95% needs 40 replicates", n_boot=9), SET_N_BOOT),
    ],
)
def test_what_to_do_follows_the_verdict(parts, text):
    assert box("What to do", **parts) == text


def threshold(at, gap_then, ba, accuracy, falls=False):
    points = {"gap": gap_then, "ba": ba, "accuracy": accuracy, "predicted_positive": 15}
    record = {key: x / 100 for key, x in points.items()}
    return record | {"model": "model", "threshold": at, "accuracy_falls": falls}


def test_what_to_do_with_several_models_names_the_one_that_it_is_about():
    parts = of_gaps(records=[CLEAR], models=["old", "new"]) | {"models": ["old", "new"]}
    assert box("What to do", **parts) == f"{COMPARE} old: {PASS_SCORE}"
    parts["verdicts"][1]["code"] = "reduces"
    assert box("What to do", **parts) == f"old: {COMPARE} old: {PASS_SCORE}"


UNDONE = [threshold(0.4, 17, 3, 72), threshold(0.6, 14, 1.2, 71), threshold(0.7, 12, 0, 60, True)]
THRESHOLDS = {
    "With a threshold of 0.6 for all rows, the gap would be 14 points, BA +1.2 points and the "
    "accuracy 71.0%; 15.0% of the rows would be predicted 1, and 46.0% are labelled 1.": UNDONE,
    "No other threshold for all rows undoes at least half of the change of the gap without a "
    "clear fall in accuracy; the Thresholds table has the gap at each.": [
        threshold(0.4, 19, 3, 72)
    ],
    "A threshold for each group reads race to decide, which may be unlawful. It aims at the rate "
    "of each group in the labels, and so at their gap; that is not fairness. With it "
    "(PrevalenceThreshold), the gap would be 14 points, BA +1.0 points and the accuracy 65.3% in "
    "the rows that set the thresholds.": [threshold(None, 14, 1, 65.3)],
}


@pytest.mark.parametrize(("text", "thresholds"), THRESHOLDS.items())
def test_thresholds_that_undo_half_of_the_change_are_named(text, thresholds):
    parts = {"metrics": [metric("ba_a_to_t", 6, 4.5, 7.5)], "scored": ["model"]}
    parts["frequency"] = [OF_MODEL | {"of_class": 1, "true": 0.46}]
    assert box("What to do", **parts, thresholds=thresholds) == f"{COMPARE} {text}"
    assert box("What to do", **parts, thresholds=[*thresholds, threshold(1, 12, 0, 100)]) == COMPARE
