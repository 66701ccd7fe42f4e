"""The three boxes; expected texts are those of the design's section 7."""

from __future__ import annotations

import pytest

from auditing.summaries import gap, gaps, make, members, metric, number, verdict
from biasamp_adapters.auditing.advice import boxes

SIX = {"groups": members(dict.fromkeys("ABCDEF", 99))}
THREE_CLASSES = {"classes": members({0: 9, 1: 9, 2: 9}), "positive": None}
UNKNOWN = (
    "The report does not know whether two_year_recid = 1 is good or bad for a person; "
    "favorable_label= says so."
)
SAMPLING = "Intervals cover sampling variation, not wrong labels or missing rows."
PREDICTED = {"directions": ["T->A"], "feature": "gender"}


def of_gaps(*records, code="amplifies", n_in_mean=1, direction="A->T", models=("model",)):
    """The parts of a summary with these gaps of each model."""
    told = [
        verdict(code, n_gaps=len(records), n_in_mean=n_in_mean, direction=direction, model=model)
        for model in models
    ]
    every = [
        {**record, "direction": direction, "model": model} for model in models for record in records
    ]
    return {"gaps": every, "verdicts": told}


def unjudged(why, **parts):
    told = verdict("cannot_say", number(), why=why, named=(), half=False, n_in_mean=0)
    return {"gaps": [], "verdicts": [told], **parts}


CLEAR, NOT_CLEAR = gap(), gap(clear=(False, True), status="appears")
TEN = [*[CLEAR] * 7, *[NOT_CLEAR] * 3]


@pytest.mark.parametrize(
    ("parts", "texts"),
    [
        (
            {},
            [
                "The verdict uses the 95% band of one change.",
                "In the labels it is clear which group has the higher rate.",
                UNKNOWN,
                SAMPLING,
            ],
        ),
        (
            {"favorable": 0, **of_gaps(NOT_CLEAR)},
            [
                "The verdict uses 95% bands that allow for either direction of the gap in the "
                "labels.",
                SAMPLING,
            ],
        ),
        (
            {"favorable": 0, **of_gaps(*TEN)},
            [
                "The verdict uses 95% bands that hold at once for all 10 gaps and their mean.",
                "3 of 10 gaps are not clear in the labels.",
                SAMPLING,
            ],
        ),
        (
            {"favorable": 0, **of_gaps(*[CLEAR] * 10, n_in_mean=0)},
            [
                "The verdict uses 95% bands that hold at once for all 10 gaps.",
                "In the labels it is clear which group has the higher rate, for every gap.",
                SAMPLING,
            ],
        ),
        (
            {"favorable": 0, **of_gaps(CLEAR, models="abc")},
            [
                "The verdict uses 95% bands that hold at once for the gap of all 3 models.",
                "In the labels it is clear which group has the higher rate.",
                SAMPLING,
            ],
        ),
        (
            {"favorable": 0, **of_gaps(*TEN, models="abc")},
            [
                "The verdict uses 95% bands that hold at once for the 10 gaps of each of 3 models "
                "and their means.",
                "3 of 10 gaps are not clear in the labels.",
                SAMPLING,
            ],
        ),
        (
            THREE_CLASSES | unjudged("too_few_rows"),
            [
                "The report does not know which classes are good or bad for a person; "
                "favorable_label= says so.",
                SAMPLING,
            ],
        ),
        (
            PREDICTED | of_gaps(CLEAR, direction="T->A"),
            [
                "The verdict uses the 95% band of one change.",
                "In the labels it is clear which class has the higher rate.",
                SAMPLING,
            ],
        ),
        (
            unjudged("too_few_rows", favorable=0, n_boot=0),
            ["No number here has an interval, so no change is called clear."],
        ),
        (
            unjudged("no_interval", favorable=0),
            ["No number here has an interval, so no change is called clear."],
        ),
    ],
)
def test_how_sure_says_what_the_verdict_rests_on(parts, texts):
    assert boxes(make(**parts))["How sure"] == texts


FIRST = (
    "Read the gap first, then FPR and TPR by group. BA is for comparison with published results."
)
NO_MALS = "Ignore MALS here: it mixes both directions."
EVEN = {"groups": members(dict.fromkeys("AB", 99)), "classes": members({0: 99, 1: 99})}
UNEVEN = {"groups": members({"A": 99, "B": 999}), "classes": members({0: 99, 1: 99})}
METRICS = ("mals", "la", "dpa_a_to_t", "dpa_u_a_to_t", "multi_a_to_t")
COMPUTED = {"metrics": [metric(key, 1) for key in METRICS]}


@pytest.mark.parametrize(
    ("parts", "texts"),
    [
        (
            unjudged("too_few_rows"),
            [
                "Read the rates as a description of these rows; no difference between groups can "
                "be judged."
            ],
        ),
        (
            {"compared_with": "given rates"},
            [
                "Read the gap first, then BA: both compare the predictions with the given rates. "
                "Other given rates give other numbers. LA and DPA need labels and are not computed."
            ],
        ),
        (
            PREDICTED | of_gaps(CLEAR, CLEAR, direction="T->A"),
            [
                "Read the gaps first. BA is for comparison with published results of the same "
                "direction."
            ],
        ),
        (
            COMPUTED | of_gaps(NOT_CLEAR),
            [
                "The rates of the groups in the labels are so close that their order is not clear, "
                "so BA may have the wrong sign. Read the gaps and selection rates first, then "
                "DPA(U) and Multi. Ignore BA and MALS here."
            ],
        ),
        (
            of_gaps(gap(labels=(50, 50), clear=(False, True))),
            [
                "The rates of the groups in the labels are equal, so BA is 0 for every model. Read "
                "the gaps and selection rates first. Ignore BA here."
            ],
        ),
        (
            COMPUTED | {"kind": "tasks"} | of_gaps(CLEAR, CLEAR),
            [
                "Read the count of gaps first, then the most certain changes by task, with FPR and "
                "TPR by group. BA is for comparison with published results. A mean over tasks can "
                "hide opposite changes. " + NO_MALS
            ],
        ),
        (
            COMPUTED | UNEVEN,
            [
                f"{FIRST} Also read LA and DPA(U), which give no credit for guessing the largest "
                "group or class. Ignore DPA here: 1/cross-entropy gives such credit."
            ],
        ),
        (COMPUTED | EVEN, [f"{FIRST} {NO_MALS}"]),
        (UNEVEN, [FIRST]),
        (
            {"scored": ["model"], **EVEN},
            [
                FIRST,
                "If the label stands in for something else, such as an arrest for a crime, "
                "agreement with it is not the goal by itself.",
            ],
        ),
    ],
)
def test_what_to_read_is_the_first_situation_that_holds(parts, texts):
    assert boxes(make(**parts))["What to read"] == texts


def test_models_of_different_accuracy_are_told():
    accuracies = [
        metric("accuracy", 50.8, 49.6, 52, "coin"),
        metric("accuracy", 65.8, 64.6, 67, "compas"),
    ]
    differs = {"key": "accuracy", "name": "accuracy", "direction": "", "first": "compas"}
    difference = number(-15, -17, -13) | differs | {"model": "coin"}
    parts = of_gaps(CLEAR, models=("compas", "coin"))
    told = boxes(make(**parts, metrics=accuracies, differences=[difference]))["What to read"]
    assert told[-1] == (
        "The accuracies differ (coin 50.8%, compas 65.8%). With equal error rates, more errors "
        'usually mean smaller gaps: compare the column "gap beyond equal error rates".'
    )


COMPARE = "Compare FPR and TPR by group: they show which errors differ, if any do."
PASS_SCORE = "Pass y_score= to see whether the change is in the scores or in the decisions."


@pytest.mark.parametrize(
    ("parts", "texts"),
    [
        ({}, [COMPARE, PASS_SCORE]),
        ({"probabilities": True}, [COMPARE]),
        (THREE_CLASSES, [COMPARE]),
        ({"compared_with": "given rates"}, []),
        (
            of_gaps(gap(status="reverses"), code="reverses"),
            ["Read FPR and TPR by group: they show which errors turn the gap round."],
        ),
        (
            of_gaps(gap(status="shrinks"), code="reduces"),
            ["Read FPR and TPR by group before calling a smaller gap an improvement."],
        ),
        (
            of_gaps(*gaps(grows=1, shrinks=1), code="mixed"),
            ["Read FPR and TPR by group before calling a smaller gap an improvement.", PASS_SCORE],
        ),
        (
            THREE_CLASSES | {"groups": members({"A": 99, "B": 99, "C": 9})},
            [
                COMPARE,
                "Collect more rows, or merge groups where that makes sense; a group that is left "
                "out is not checked.",
            ],
        ),
        (
            THREE_CLASSES | of_gaps(*gaps(grows=15, appears=5, unclear=3)),
            [COMPARE, "Start with the 20 gaps that grow or appear; to_frame('gaps') lists them."],
        ),
        (
            PREDICTED | of_gaps(CLEAR, direction="T->A"),
            [
                "Ask whether the model has to predict gender. If it does not, leaving that out "
                "also ends T→A amplification."
            ],
        ),
        (
            {
                "rows": 1000,
                "metrics": [metric("ba_a_to_t", 0, -3.4, 3.4)],
                **of_gaps(*gaps(unclear=1), code="no_clear_change"),
            },
            [
                "With about 5,900 rows of the same kind, a BA of 2 points would be clear in 80% of "
                "samples."
            ],
        ),
        (
            THREE_CLASSES
            | {
                "missing": [
                    {"model": "model", "first": "F", "second": "M", "labelled": 1}
                    | {"first_rate": 0.14, "second_rate": 0.04}
                ]
            },
            [
                COMPARE,
                "Find out why, within rows labelled 1, predictions are missing for 14% of F and 4% "
                "of M.",
            ],
        ),
        (unjudged("one_group"), ["Add rows of a second group."]),
        (unjudged("no_interval", n_boot=2000), []),
        (unjudged("no_interval", n_boot=0), ["Set n_boot=2000 to get intervals and a verdict."]),
    ],
)
def test_what_to_do_follows_the_verdict(parts, texts):
    assert boxes(make(**parts))["What to do"] == texts


def threshold(at, gap_then, ba, accuracy, falls=False):
    values = {"gap": gap_then / 100, "ba": ba / 100, "accuracy": accuracy / 100}
    return values | {"model": "model", "threshold": at, "accuracy_falls": falls}


def do_with(*thresholds):
    metrics = [metric("ba_a_to_t", 6, 4.5, 7.5)]
    return boxes(make(scored=["model"], thresholds=[*thresholds], metrics=metrics))["What to do"]


def test_best_threshold_that_keeps_accuracy_is_named():
    told = do_with(
        threshold(0.4, 17, 3, 72),
        threshold(0.6, 14, 1.2, 71),
        threshold(0.7, 12, 0, 60, falls=True),
    )
    assert told == [
        COMPARE,
        "With a threshold of 0.6 for all rows, the gap would be 14 points, BA +1.2 points and the "
        "accuracy 71.0%.",
    ]


def test_threshold_that_undoes_too_little_is_not_named():
    assert do_with(threshold(0.4, 19, 3, 72)) == [
        COMPARE,
        "No other threshold for all rows undoes at least half of the change of the gap without a "
        "clear fall in accuracy; the Thresholds table has the gap at each.",
    ]


def test_threshold_for_each_group_begins_with_the_warning():
    assert do_with(threshold(None, 14, 1, 65.3)) == [
        COMPARE,
        "A threshold for each group reads race to decide, which may be unlawful. It aims at the "
        "rate of each group in the labels, and so at their gap; that is not fairness. With it "
        "(PrevalenceThreshold), the gap would be 14 points, BA +1.0 points and the accuracy 65.3% "
        "in the rows that set the thresholds.",
    ]


def test_two_directions_name_theirs_where_they_differ():
    both = of_gaps(CLEAR)
    other = of_gaps(CLEAR, direction="T->A")
    parts = {key: both[key] + other[key] for key in both} | {"directions": ["A->T", "T->A"]}
    assert boxes(make(**parts, favorable=0))["How sure"] == [
        "A→T: In the labels it is clear which group has the higher rate.",
        "T→A: In the labels it is clear which class has the higher rate.",
        "The verdict uses the 95% band of one change.",
        SAMPLING,
    ]
