"""The answer of each direction; expected texts are those of the design's sections 2 and 3."""

from __future__ import annotations

import pytest

from auditing.summaries import gap, gaps, make, members, metric, number, verdict
from biasamp_adapters.auditing.answer import answers
from biasamp_adapters.auditing.subject import subject_of

FIVE = {"groups": members(dict.fromkeys(["African-American", "Asian", "Caucasian"], 99))}
#: A rate moves clearly, but not the size of the gap: which side is higher is not clear.
MOVES = {"status": "unclear", "band": (3, 12), "clear": (False, False)}
MATRIX = {
    "kind": "tasks",
    "feature": "gender",
    "positive": None,
    "directions": ["T->A"],
    "groups": members({"man": 900, "woman": 900}),
    "classes": members({"horse": 266, "umbrella": 293, "car": 99}),
}


def answer(**parts):
    (only,) = answers(make(**parts))
    return only


def of_gaps(
    code="amplifies", mean=(12, 9, 15), n_in_mean=7, named=(0,), direction="A->T", **counts
):
    """The parts of a summary with so many gaps of each status."""
    records = [{**record, "direction": direction} for record in gaps(**counts)]
    told = verdict(
        code,
        number(*mean),
        n_gaps=len(records),
        n_in_mean=n_in_mean,
        named=named,
        half=False,
        direction=direction,
    )
    return {"gaps": records, "verdicts": [told]}


# The headline.


@pytest.mark.parametrize(
    ("parts", "headline"),
    [
        (
            {},
            "In these rows, the gap between African-American and Caucasian in two_year_recid = 1 "
            "grows from 12 points in the labels to 24 points in the predictions.",
        ),
        (
            {"verdicts": [verdict("no_clear_change", no_errors=True, named=())]},
            "In these rows, model makes no errors, so no gap changes.",
        ),
        (
            {"label": "hired", "verdicts": [verdict("reduces", constant=(0,))]},
            "In these rows, model predicts hired = 0 for every row, so all predicted gaps are 0.",
        ),
        (
            MATRIX | {"directions": ["A->T"], "verdicts": [verdict("reduces", constant=(1,))]},
            "In these rows, model predicts the same tasks for every row, so all predicted gaps "
            "are 0.",
        ),
        (
            MATRIX
            | of_gaps("reduces", direction="T->A", shrinks=3)
            | {"verdicts": [verdict("reduces", constant=("man",), direction="T->A")]},
            "In these rows, model predicts man for every row, so all predicted gaps are 0.",
        ),
        (
            FIVE | of_gaps(grows=3, appears=1, unclear=6),
            "In these rows, 3 of 10 gaps between groups clearly grow, 1 clearly appears and 6 do "
            "not clearly change.",
        ),
        (
            MATRIX
            | of_gaps("mixed", direction="T->A", grows=33, appears=1, shrinks=15, unclear=2162),
            "In these rows, 33 of 2,211 gaps between tasks clearly grow, 1 clearly appears, 15 "
            "clearly shrink and 2,162 do not clearly change.",
        ),
        (
            FIVE | of_gaps("mixed", grows=1, appears=1, shrinks=1, reverses=1, unclear=1),
            "In these rows, 1 of 5 gaps between groups clearly grows, 1 clearly appears, 1 clearly "
            "shrinks, 1 clearly reverses and 1 does not clearly change.",
        ),
        (
            MATRIX | {"directions": ["A->T"]} | of_gaps(grows=2, unclear=1),
            "In these rows, 2 of 3 gaps between man and woman clearly grow and 1 does not "
            "clearly change.",
        ),
        (
            FIVE | of_gaps(mean=(3, 0.4, 6), named=(), unclear=10),
            "In these rows, no single gap between groups clearly changes, but the gaps grow on "
            "average: +3 points (+0.4 to +6).",
        ),
        (
            FIVE | of_gaps("mixed", mean=(-2.4, -3.9, -0.9), grows=1, unclear=9),
            "In these rows, 1 of 10 gaps between groups clearly grows, but the gaps shrink on "
            "average: −2.4 points (−3.9 to −0.9).",
        ),
        (
            FIVE | of_gaps("no_clear_change", mean=(1, -2, 4), named=(), unclear=10),
            "In these rows, no gap between groups clearly changes.",
        ),
        (
            FIVE
            | of_gaps("no_clear_change", mean=(1, -2, 4), named=(), unclear=2)
            | {"gaps": [gap(**MOVES)] * 2},
            "In these rows, no gap between groups clearly grows or shrinks.",
        ),
        (
            {"gaps": [gap(**MOVES)], "verdicts": [verdict("no_clear_change")]},
            "In these rows, the gap between African-American and Caucasian in two_year_recid = 1 "
            "does not clearly grow or shrink.",
        ),
    ],
)
def test_headline_follows_the_gaps(parts, headline):
    assert answer(**parts).headline == headline


def test_headline_of_over_thirty_words_leaves_out_what_is_not_clear():
    long = {"groups": members({"the elder of the two": 99, "the younger of the two": 99})}
    told = answer(**long, **of_gaps("mixed", grows=2, appears=2, shrinks=2, unclear=2))
    assert told.headline == (
        "In these rows, 2 of 8 gaps between the elder of the two and the younger of the two "
        "clearly grow, 2 clearly appear and 2 clearly shrink."
    )


ONE = members({"Caucasian": 30, "Other": 0})
LARGE_AND_SMALL = members({"African-American": 18, "Other": 12})


@pytest.mark.parametrize(
    ("why", "parts", "headline"),
    [
        (
            "one_group",
            {"groups": ONE},
            "There is no gap to judge: these rows hold one group only (Caucasian).",
        ),
        (
            "too_few_rows",
            {"rows": 30, "groups": LARGE_AND_SMALL},
            "No gap can be judged in these 30 rows: only African-American has 15 rows or more, and "
            "a gap needs two such groups.",
        ),
        (
            "too_few_rows",
            {"rows": 20, "groups": members({"A": 10, "B": 10})},
            "No gap can be judged in these 20 rows: no group has 15 rows, and a gap needs two such "
            "groups.",
        ),
        (
            "too_few_rows",
            {"rows": 200, "groups": members({"A": 10, "B": 10}), "unit": "clusters"},
            "No gap can be judged in these 200 rows: no group has 15 clusters, and a gap needs two "
            "such groups.",
        ),
        (
            "too_many_gaps",
            {},
            "The gaps cannot be judged: even where each group is compared with all rows together "
            "there are 6,200, and at most 5,000 are judged.",
        ),
        (
            "no_interval",
            {"n_boot": 0},
            "The gaps cannot be judged without intervals: no intervals were requested (n_boot=0).",
        ),
    ],
)
def test_verdict_that_cannot_be_given_says_why(why, parts, headline):
    told = verdict("cannot_say", number(), why=why, n_gaps=6200, named=(), half=False)
    only = answer(gaps=[], verdicts=[told], **parts)
    assert (only.headline, only.named, only.closing) == (headline, [], "")
    assert only.last == f"Verdict: no verdict (cannot_say). {headline}"


# The named gaps.

RATES = (
    "Compared with the labels, two_year_recid = 1 is predicted more often for African-American "
    "(51% to 59%; 3,696 rows) and less often for Caucasian (39% to 35%; 2,454 rows)."
)
CHANGE = "The gap changes by +12 points (+9 to +15)."


def test_one_gap_is_told_with_rates_and_change():
    assert answer().named == [[RATES, CHANGE]]


def test_one_unclear_gap_is_told_with_the_bound():
    unclear = gap(predictions=(54.4, 39.3), band=(-0.047, 6), status="unclear")
    told = answer(gaps=[unclear], verdicts=[verdict("no_clear_change")])
    assert told.named[0][1:] == [
        "As African-American minus Caucasian, the gap goes from +12 points to +15 points, a change "
        "of +3 points (−0.05 to +6).",
        "A change of more than 6 points is excluded at the 95% level; a smaller one is possible.",
    ]


def test_several_gaps_name_the_most_certain_change():
    other = gap("African-American", "Other", labels=(51, 35), predictions=(58, 21), band=(15, 27))
    parts = of_gaps(grows=2) | {"gaps": [other, gap()]}
    (sentences,) = answer(**FIVE, **parts).named
    assert sentences[0] == (
        "Most certain change: the gap between African-American and Other in two_year_recid = 1 "
        "grows from 16 points in the labels to 37 points in the predictions."
    )
    assert len(sentences) == 3


def test_mixed_changes_name_a_gap_of_each_kind():
    records = [
        gap("B", "A", labels=(30, 20), predictions=(45, 20), band=(12, 18)),
        gap("C", "B", labels=(60, 30), predictions=(62, 45), band=(-16, -10), status="shrinks"),
        gap("C", "A", labels=(60, 20), predictions=(20, 62), band=(-86, -78), status="reverses"),
    ]
    groups = {"label": "hired", "groups": members({"A": 3000, "B": 3000, "C": 3000})}
    first, second = answer(
        **groups, **of_gaps("mixed", named=(0, 1), grows=3) | {"gaps": records}
    ).named
    assert first[0] == (
        "Most certain change to a larger gap: the gap between B and A in hired = 1 grows from 10 "
        "points in the labels to 25 points in the predictions."
    )
    assert second[0] == (
        "Most certain change to a smaller gap: the gap between C and B in hired = 1 shrinks from "
        "30 points in the labels to 17 points in the predictions."
    )
    _, third = answer(**groups, **of_gaps("mixed", named=(0, 2), grows=3) | {"gaps": records}).named
    assert third[0].startswith("Most certain change to a reversed gap: the gap between C and A")


def test_no_clear_gap_of_several_is_told_by_the_bound():
    told = answer(**FIVE, **of_gaps("no_clear_change", (1, -2, 4), named=(), unclear=10))
    assert told.named == [
        [
            "For every gap, a change of more than 8 points is excluded at the 95% level; a smaller "
            "one is possible."
        ]
    ]


def test_model_without_errors_names_no_gap():
    told = answer(verdicts=[verdict("no_clear_change", no_errors=True)])
    assert (told.named, told.closing) == ([], "")


def test_mean_and_bound_of_the_others_stand_behind_the_verdict():
    told = answer(**FIVE, **of_gaps(mean=(14, 8, 20), grows=4, unclear=6))
    assert told.details == [
        "The mean change of the 7 gaps with a certain direction is +14 points (+8 to +20).",
        "For the 6 gaps that do not clearly change, a change of more than 8 points is excluded.",
    ]
    none = answer(**FIVE, **of_gaps(mean=(None, None, None), grows=1, unclear=1))
    assert none.details == [
        "No gap has a certain direction, so there is no mean change.",
        "For the 1 gap that does not clearly change, a change of more than 8 points is excluded.",
    ]


# Several models.


def of_models(codes, accuracies=(), differences=()):
    """The parts of a summary with one gap for each model."""
    statuses = {"amplifies": "grows", "reduces": "shrinks"}
    records, told = [], []
    for model, code in codes.items():
        status = statuses.get(code, "unclear")
        band = {"grows": (9, 15), "shrinks": (-11, -5), "unclear": (-3, 3)}[status]
        records.append(gap(status=status, band=band, model=model))
        told.append(verdict(code, model=model))
    metrics = [
        metric("accuracy", value, value - 1, value + 1, model)
        for model, value in zip(codes, accuracies, strict=False)
    ]
    first = next(iter(codes))
    compared = [
        number(*values) | {"name": key, "key": key, "direction": "", "first": first, "model": model}
        for key, model, values in differences
    ]
    return {
        "models": [*codes],
        "gaps": records,
        "verdicts": told,
        "metrics": metrics,
        "differences": compared,
    }


LOWER = ("accuracy", "coin", (-15, -17, -13))
MANY = {f"m{i}": "no_clear_change" for i in range(9)} | {"x": "amplifies", "y": "amplifies"}


@pytest.mark.parametrize(
    ("parts", "headline"),
    [
        (
            of_models({"old": "amplifies", "new": "reduces", "strict": "no_clear_change"}),
            "Compared with the labels of these rows, old shows larger gaps, new shows smaller gaps "
            "and strict shows no clear change.",
        ),
        (
            of_models(
                {"score >= 5": "amplifies", "score >= 8": "amplifies", "coin": "reduces"},
                (65, 60, 50),
                [LOWER],
            ),
            "Compared with the labels of these rows, score >= 5 and score >= 8 show larger gaps "
            "and coin shows smaller gaps; accuracy is 50% for coin and 65% for score >= 5.",
        ),
        (
            of_models(MANY),
            "Compared with the labels of these rows, 2 of 11 models show larger gaps and 9 show no "
            "clear change.",
        ),
        (
            of_models(
                {"new": "amplifies", "old": "amplifies"},
                (66, 51),
                [("accuracy", "old", (-15, -17, -13))],
            ),
            "Compared with the labels of these rows, both models show larger gaps; accuracy is 51% "
            "for old and 66% for new.",
        ),
        (
            of_models(dict.fromkeys("abc", "amplifies")),
            "Compared with the labels of these rows, all 3 models show larger gaps.",
        ),
        (
            of_models({"a": "amplifies", "b": "reduces"}) | {"compared_with": "given rates"},
            "Compared with the given rates, a shows larger gaps and b shows smaller gaps.",
        ),
    ],
)
def test_models_are_named_or_counted(parts, headline):
    told = answer(**parts)
    assert (told.headline, told.tag) == (headline, "")
    assert told.last == f"Verdict: {headline}"


def test_gap_of_several_models_names_its_model():
    parts = of_models({"strict": "no_clear_change", "compas": "amplifies"})
    told = answer(**parts)
    assert told.named[0][0].startswith("Most certain change, compas: the gap between African")
    assert subject_of(make(**parts), "A->T").verdict["model"] == "compas"


def test_model_with_a_gap_that_grows_goes_before_one_whose_rates_only_move():
    verdicts = [verdict("no_clear_change", model="old", named=()), verdict(model="new")]
    records = [gap(model="old", **MOVES | {"band": (20, 40)}), gap(model="new", band=(1, 15))]
    parts = {"models": ["old", "new"], "verdicts": verdicts, "gaps": records}
    assert subject_of(make(**parts), "A->T").name == "new"


def test_models_without_clear_gap_share_one_bound():
    told = answer(**of_models(dict.fromkeys("ab", "no_clear_change")))
    assert told.named == [
        [
            "For every gap, a change of more than 3 points is excluded at the 95% level; a smaller "
            "one is possible."
        ]
    ]


def test_difference_from_the_first_model_gives_both_accuracies():
    parts = of_models(
        {"compas": "amplifies", "strict": "amplifies", "coin": "reduces"},
        (65.8, 60, 50.8),
        [("ba_a_to_t", "coin", (-12, -14.1, -9.9)), ("ba_a_to_t", "strict", (1, -1, 3))],
    )
    assert answer(**parts).details == [
        "BA of coin differs from that of compas by −12.0 points (−14.1 to −9.9, a band for 3 "
        "models); the accuracies are 50.8% and 65.8%."
    ]
    parts["differences"] = parts["differences"][1:]
    assert answer(**parts).details == ["BA of no model clearly differs from that of compas."]


# BA.


BA = metric("ba_a_to_t", 6, 4.5, 7.5)
SIX = {"groups": members(dict.fromkeys("ABCDEF", 99))}
SHRINK = of_gaps("reduces", mean=(None, None, None), shrinks=2)
REFERENCE = {"reference": 500}


@pytest.mark.parametrize(
    ("parts", "first", "details"),
    [
        (
            {"metrics": [BA]},
            [],
            "BA is +6.0 points (+4.5 to +7.5), half the change of the gap; its own interval "
            "differs a little from half of the gap's.",
        ),
        (
            {"metrics": [metric("ba_a_to_t", 0, 0, 0)]},
            [],
            "BA is 0 points (0 to 0), half the change of the gap.",
        ),
        (
            SIX
            | of_gaps(mean=(None, None, None), grows=2, shrinks=1)
            | {"metrics": [metric("ba_a_to_t", 2, -4, 7)]},
            [
                "BA is not clearly different from 0, but some gaps grow and some shrink. A mean "
                "can hide opposite changes."
            ],
            "BA is +2 points (−4 to +7): the mean change of rates, with the signs of the labels.",
        ),
        (
            SIX | of_gaps("no_clear_change", (1, -1, 3), named=(), unclear=3) | {"metrics": [BA]},
            [
                "BA is clearly above 0, but no gap clearly changes. Rates can move together "
                "without a change in any gap."
            ],
            None,
        ),
        (
            SIX
            | of_gaps(mean=(3, 1, 5), grows=3)
            | REFERENCE
            | {"metrics": [metric("ba_a_to_t", -6, -7.5, -4.5)]},
            [
                "BA is clearly below 0, but some gaps grow. BA averages changes of rates with the "
                "signs of 500 reference rows; the verdict compares sizes of gaps."
            ],
            None,
        ),
        (
            SIX | of_gaps("reduces", (-3, -5, -1), named=(), unclear=3) | {"metrics": [BA]},
            [
                "BA is clearly above 0, but the gaps shrink on average. BA averages changes of "
                "rates with the signs of the labels; the verdict compares sizes of gaps."
            ],
            None,
        ),
        (
            {"verdicts": [verdict("no_clear_change")], "gaps": gaps(unclear=1), "metrics": [BA]},
            ["BA is barely above 0; by the wider band of the gap this is not clear."],
            None,
        ),
        (
            {"verdicts": [verdict("no_clear_change")], "gaps": [gap(**MOVES)], "metrics": [BA]},
            [
                "BA is clearly above 0, but the gap does not clearly grow or shrink, as it is not "
                "clear which group has the higher rate."
            ],
            None,
        ),
        (  # Predictions are missing, so both classes are compared.
            of_gaps("no_clear_change", named=(), unclear=2) | {"metrics": [BA]},
            [
                "BA is clearly above 0, but no gap clearly changes. Rates can move together "
                "without a change in any gap."
            ],
            None,
        ),
        (
            SIX
            | SHRINK
            | {
                "verdicts": [verdict("reduces", number(), signs=6, signs_unclear=1, half=False)],
                "metrics": [metric("ba_a_to_t", -6, -7.5, -4.5)],
            },
            [],
            "The sign of 1 of 6 rates in BA is not clear, so BA may have the wrong sign there.",
        ),
        (
            {
                "metrics": [metric("ba_a_to_t", 0, 0, 0)],
                "rates": [{"model": "model", "direction": "A->T", "sign": 0}],
            },
            [],
            "BA is 0 for every model here: all groups have the same rates in the labels.",
        ),
    ],
)
def test_ba_stands_behind_the_verdict_unless_it_differs(parts, first, details):
    told = answer(**parts)
    assert told.more == first
    if details:
        assert details in told.details


LINE = "BA is the mean change of the rates along the correlations of the labels{}. {}"
HALF = "; with two groups and two classes it is half of the change of the gap"
IS_NOT = "It is not balanced accuracy, and 0 is not a pass."


def test_line_below_the_table_says_what_ba_is():
    assert answer(metrics=[BA]).line == LINE.format(HALF, IS_NOT)
    assert answer(metrics=[BA], verdicts=[verdict(half=False)]).line == LINE.format("", IS_NOT)
    assert answer(metrics=[BA], **SIX, **of_gaps(grows=3)).line == LINE.format("", IS_NOT)
    assert answer().line == ""


def test_ba_stands_for_the_gap_where_no_gap_is_named():
    parts = of_gaps("no_clear_change", (1, -2, 4), named=(), unclear=3)
    metrics = [metric("ba_a_to_t", 1.4, 0.4, 2.4), metric("excess_a_to_t", 6.5, 5.5, 7.5)]
    told = answer(**parts, metrics=metrics)
    assert told.details[-1] == (
        "With the same error rates in both groups, BA would be −5.1 points. The excess of BA is "
        "+6.5 points (+5.5 to +7.5)."
    )


# The first screen.


def error(labelled, first, second, low, high):
    rates = {"first": first / 100, "second": second / 100, "labelled": labelled, "gap": 0}
    return number(first - second, low, high) | rates | {"model": "model", "direction": "A->T"}


ERRORS = [error("negative", 44.8, 23.4, 18, 25), error("positive", 72, 52.3, 16, 24)]
SCORE = {
    "model": "model",
    "gap": 0,
    "rule": "5 or more",
    "first": 0.5,
    "second": 0.398,
    "by_score": number(-1.8, -4.1, 0.5),
    "by_threshold": number(13.8, 11.9, 15.7),
    "reason": "",
}
NEVER_PREDICTED = {"model": "model", "direction": "A->T", "of_class": 1, "overall": 0.0}
EQUAL = [gap(equal=4, beyond=(18, 23))]


def test_first_screen_of_compas_is_that_of_the_examples():
    told = answer(gaps=EQUAL, errors=ERRORS, scores=[SCORE], metrics=[BA])
    assert told.tag == "larger gaps"
    assert told.more == [
        "Among rows labelled 0, 45% of African-American and 23% of Caucasian are predicted 1; "
        "among rows labelled 1, 72% and 52%.",
        "The gap clearly grows from the scores to the decisions, and not clearly from the labels "
        "to the scores.",
        "In the decisions at 5 or more, the gap is 13.8 points larger (11.9 to 15.7) than the "
        "scores imply.",
    ]
    assert told.closing == (
        "Larger means further apart than in the labels; whether the labels are right is not tested."
    )
    assert told.last == f"Verdict: larger gaps (amplifies). {told.headline}"
    assert [sentence.split()[0] for sentence in told.details] == ["BA", "With", "The", "The", "In"]


def test_three_classes_have_equal_error_rates_on_the_first_screen():
    three = {"classes": members({0: 9, 1: 9, 2: 9}), "positive": None}
    told = answer(gaps=EQUAL, errors=ERRORS, **three)
    assert told.more == ["With the same error rates in both groups, the gap would be 4 points."]
    assert "The gap in the predictions is 20 points larger" in told.details[0]


@pytest.mark.parametrize(
    "parts",
    [
        {"compared_with": "given rates"},
        {"verdicts": [verdict("no_clear_change", no_errors=True)]},
        {"verdicts": [verdict("reduces", constant=(0,))]},
        {"kind": "tasks", "rates": [NEVER_PREDICTED]},
    ],
)
def test_errors_are_left_out_without_labels_errors_or_variation(parts):
    told = answer(gaps=EQUAL, errors=ERRORS, **parts)
    assert (told.more, told.details) == ([], [])


@pytest.mark.parametrize(
    ("code", "closing"),
    [
        ("reduces", "Smaller is not better by itself: random predictions also shrink gaps."),
        (
            "reverses",
            "The order of the groups is exchanged; the size of the gap alone does not show it.",
        ),
        (
            "mixed",
            "Mixed does not mean balanced: a gap that shrinks or reverses does not make up for "
            "another that grows.",
        ),
        ("no_clear_change", "Not clear is not the same as no change."),
    ],
)
def test_last_line_of_the_box_says_what_the_code_does_not_mean(code, closing):
    assert answer(verdicts=[verdict(code)]).closing == closing


def test_reversals_among_several_gaps_and_models_have_their_own_last_line():
    told = answer(**FIVE, **of_gaps("reverses", reverses=2))
    assert told.closing == (
        "Where a gap reverses, the order of the two groups is exchanged; the size of the gap alone "
        "does not show it."
    )
    told = answer(**of_models({"a": "reduces", "b": "amplifies"}))
    assert told.closing == (
        "Larger means further apart than in the labels; whether the labels are right is not "
        "tested. Smaller is not better by itself: random predictions also shrink gaps."
    )


def test_last_lines_of_two_directions_say_which():
    parts = MATRIX | of_gaps(direction="T->A", grows=2)
    both = make(**parts | {"directions": ["A->T", "T->A"]})
    both["gaps"].append(gap("man", "woman", "horse"))
    both["verdicts"].append(verdict())
    assert [told.last[:30] for told in answers(both)] == [
        "Verdict A→T: larger gaps (ampl",
        "Verdict T→A: larger gaps (ampl",
    ]
