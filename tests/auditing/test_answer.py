"""The answer of each direction: its headline, the named gaps, BA, and what stands around them."""

import pytest
from summaries import (
    BY_TASK,
    OF_MODEL,
    TASKS,
    THREE_CLASSES,
    difference,
    error,
    gap,
    gaps,
    groups,
    make,
    members,
    metric,
    number,
    of_gaps,
    unjudged,
    verdict,
)

from biasamp_adapters.auditing.answer import Answer, answers
from biasamp_adapters.auditing.subject import subject_of

THREE = groups("ABC")
#: A rate moves clearly, but not the size of the gap: which side is higher is not clear.
MOVES = gap(status="unclear", band=(3, 12), clear=(False, False))


def answer(**parts) -> Answer:
    (only,) = answers(make(**parts))
    return only


HEADLINES = {
    "model predicts the same tasks for every row, so all predicted gaps are 0.": TASKS
    | {"verdicts": [verdict("reduces", constant=[1])]},
    "model predicts man for every row, so all predicted gaps are 0.": BY_TASK
    | of_gaps(direction="T->A", shrinks=3)
    | {"verdicts": [verdict(constant=["man"], direction="T->A")]},
    "3 of 10 gaps between groups clearly grow, 1 clearly appears and 6 "
    "do not clearly change.": THREE | of_gaps(grows=3, appears=1, unclear=6),
    "33 of 2,211 gaps between tasks clearly grow, 1 clearly appears, 15 clearly shrink and 2,162 "
    "do not clearly change.": BY_TASK
    | of_gaps("mixed", direction="T->A", grows=33, appears=1, shrinks=15, unclear=2162),
    "1 of 5 gaps between groups clearly grows, 1 clearly appears, 1 clearly shrinks, 1 clearly "
    "reverses and 1 does not clearly change.": THREE
    | of_gaps("mixed", grows=1, appears=1, shrinks=1, reverses=1, unclear=1),
    "2 of 3 gaps between man and woman clearly grow and 1 does not clearly change.": TASKS
    | of_gaps(grows=2, unclear=1),
    # With what is not clear, it would have more than 30 words.
    "2 of 8 gaps between the elder of the two and the younger of the two clearly grow, 2 clearly "
    "appear and 2 clearly shrink.": groups(["the elder of the two", "the younger of the two"])
    | of_gaps("mixed", grows=2, appears=2, shrinks=2, unclear=2),
    "no single gap between groups clearly changes, but the 7 gaps with a certain direction grow on "
    "average: +3 points (+0.4 to +6).": THREE | of_gaps(mean=(3, 0.4, 6), named=(), unclear=10),
    "1 of 10 gaps between groups clearly grows, but the gaps shrink on average: −2.4 points (−3.9 "
    "to −0.9).": THREE | of_gaps("mixed", (-2.4, -3.9, -0.9), n_in_mean=10, grows=1, unclear=9),
    "no gap between groups clearly changes.": THREE
    | of_gaps("no_clear_change", (1, -2, 4), named=(), unclear=10),
    "no gap between groups and all rows clearly changes.": THREE
    | {
        "gaps": gaps(unclear=2),
        "verdicts": [verdict("no_clear_change", (), comparison="all rows")],
    },
    "no gap between groups clearly grows or shrinks.": THREE
    | of_gaps("no_clear_change", (1, -2, 4), [MOVES] * 2, named=()),
}


@pytest.mark.parametrize(("headline", "parts"), HEADLINES.items())
def test_headline_follows_the_gaps(headline, parts):
    assert answer(**parts).headline == f"In these rows, {headline}"


NO_VERDICT = {
    "There is no gap to judge: these rows hold one group only (A).": unjudged(
        "one_group", groups=members({"A": 30, "B": 0})
    ),
    "No gap can be judged in these 30 rows: only A has 15 rows or more, and a gap needs two such "
    "groups.": unjudged("too_few_rows", rows=30, groups=members({"A": 18, "B": 12})),
    "No gap can be judged in these 20 rows: no group has 15 rows, and a "
    "gap needs two such groups.": unjudged(
        "too_few_rows", rows=20, groups=members({"A": 10, "B": 10})
    ),
    "No gap can be judged in these 99 rows: no group has 15 clusters, and a gap needs two such "
    "groups.": unjudged(
        "too_few_rows", rows=99, groups=members({"A": 10, "B": 10}), unit="clusters"
    ),
    "The gaps cannot be judged: even where each group is compared with all rows together there "
    "are 6,200, and at most 5,000 are judged.": unjudged("too_many_gaps"),
}


@pytest.mark.parametrize(("headline", "parts"), NO_VERDICT.items())
def test_verdict_that_cannot_be_given_says_why(headline, parts):
    told = answer(**parts)
    assert (told.headline, told.named, told.closing) == (headline, [], "")
    assert told.last == f"Verdict: no verdict (cannot_say). {headline}"


# The named gaps. test_gap_sentences has what is said of one.

GROWS = gap("B", "A", labels=(30, 20), predictions=(45, 20), band=(12, 18))
SHRINKS = gap("C", "B", labels=(60, 30), predictions=(62, 45), band=(-16, -10), status="shrinks")
REVERSES = gap("C", "A", labels=(60, 20), predictions=(20, 62), band=(-86, -78), status="reverses")


def test_several_gaps_name_the_most_certain_change():
    (sentences,) = answer(**THREE, **of_gaps(records=[GROWS, gap()])).named
    assert sentences[0] == (
        "Most certain change: the gap between B and A in hired = 1 grows from 10 points in the "
        "labels to 25 points in the predictions."
    )
    assert [text.split()[0] for text in sentences] == ["Most", "Compared", "The"]


def test_mixed_changes_name_a_gap_of_each_kind():
    records = [GROWS, SHRINKS, REVERSES]
    first, second = answer(**THREE, **of_gaps("mixed", records=records, named=(0, 1))).named
    assert first[0].startswith("Most certain change to a larger gap: the gap between B and A")
    assert second[0].startswith("Most certain change to a smaller gap: the gap between C and B")
    _, third = answer(**THREE, **of_gaps("mixed", records=records, named=(0, 2))).named
    assert third[0].startswith("Most certain change to a reversed gap: the gap between C and A")


def test_no_clear_gap_of_several_or_of_models_is_told_by_the_bound():
    bound = (
        "For every gap, a change of more than 8 points is excluded at the 95% level; a smaller "
        "one is possible."
    )
    several = of_gaps("no_clear_change", (1, -2, 4), named=(), unclear=10)
    models = of_gaps("no_clear_change", named=(), models="ab", unclear=1) | {"models": ["a", "b"]}
    for parts in (several, models):
        assert answer(**THREE, **parts).named == [[bound]]
    several["gaps"][0]["low"] = -1.28  # Of more than 100 points, a bound says nothing.
    assert answer(**THREE, **several).named == [[]]


def test_model_without_errors_names_no_gap():
    told = answer(verdicts=[verdict("no_clear_change", no_errors=True)])
    assert (told.named, told.closing) == ([], "")


def test_mean_and_bound_of_the_others_stand_behind_the_verdict():
    told = answer(**THREE, **of_gaps(mean=(14, 8, 20), grows=4, unclear=6))
    assert told.details == [
        "The mean change of the 7 gaps with a certain direction is +14 points (+8 to +20).",
        "For the 6 gaps that do not clearly change, a change of more than 8 points is excluded.",
    ]
    assert answer(**THREE, **of_gaps(mean=(), grows=1, unclear=1)).details == [
        "No gap has a certain direction, so there is no mean change.",
        "For the 1 gap that does not clearly change, a change of more than 8 points is excluded.",
    ]


def of_models(codes, accuracies=(), differences=()):
    statuses = {"amplifies": ("grows", (9, 15)), "reduces": ("shrinks", (-11, -5))}
    records = []
    for model, code in codes.items():
        status, band = statuses.get(code, ("unclear", (-3, 3)))
        records.append(gap(status=status, band=band, model=model))
    values = zip(codes, accuracies, strict=False)
    return {
        "models": [*codes],
        "gaps": records,
        "verdicts": [verdict(code, model=model) for model, code in codes.items()],
        "metrics": [metric("accuracy", x, x - 1, x + 1, model) for model, x in values],
        "differences": [
            difference(key, model, next(iter(codes)), *x) for key, model, x in differences
        ],
    }


MANY = {f"m{i}": "no_clear_change" for i in range(9)} | {"x": "amplifies", "y": "amplifies"}
SCORES = {"score >= 5": "amplifies", "score >= 8": "amplifies", "coin": "reduces"}
MODELS = {
    "the labels of these rows, old shows larger gaps, new shows smaller gaps and strict shows no "
    "clear change.": of_models({"old": "amplifies", "new": "reduces", "strict": "no_clear_change"}),
    "the labels of these rows, score >= 5 and score >= 8 show larger gaps and coin shows smaller "
    "gaps; accuracy is 50% for coin and 65% for score >= 5.": of_models(
        SCORES, (65, 60, 50), [("accuracy", "coin", (-15, -17, -13))]
    ),
    "the labels of these rows, both models show larger gaps; accuracy is 51% for old and 66% for "
    "new.": of_models(
        {"new": "amplifies", "old": "amplifies"}, (66, 51), [("accuracy", "old", (-15, -17, -13))]
    ),
    "the labels of these rows, 2 of 11 models show larger gaps and "
    "9 show no clear change.": of_models(MANY),
    "the labels of these rows, all 3 models show larger gaps.": of_models(
        dict.fromkeys("abc", "amplifies")
    ),
    # Not all of their gaps change.
    "the labels of these rows, both models show some smaller gaps.": BY_TASK
    | {"models": ["a", "b"]}
    | of_gaps("reduces", direction="T->A", models=("a", "b"), shrinks=2, unclear=8),
    # None of them does, and the mean alone is clear.
    "the labels of these rows, both models show smaller gaps on average.": THREE
    | {"models": ["a", "b"]}
    | of_gaps("reduces", (-3, -5, -1), named=(), models="ab", unclear=3),
    "the given rates, a shows larger gaps and b shows smaller gaps.": of_models(
        {"a": "amplifies", "b": "reduces"}
    )
    | {"compared_with": "given rates"},
}


@pytest.mark.parametrize(("headline", "parts"), MODELS.items())
def test_models_are_named_or_counted(headline, parts):
    told, headline = answer(**parts), f"Compared with {headline}"
    assert (told.headline, told.tag, told.last) == (headline, "", f"Verdict: {headline}")


def test_gap_of_several_models_names_its_model():
    parts = of_models({"strict": "no_clear_change", "new": "amplifies"})
    assert answer(**parts).named[0][0].startswith("Most certain change, new: the gap between A and")


def test_model_with_a_gap_that_grows_goes_before_one_whose_rates_only_move():
    records = [MOVES | {"model": "old", "low": 0.2, "high": 0.4}, gap(model="new", band=(1, 15))]
    verdicts = [verdict("no_clear_change", model="old", named=[]), verdict(model="new")]
    summary = make(models=["old", "new"], verdicts=verdicts, gaps=records)
    assert subject_of(summary, "A->T").name == "new"


def test_difference_from_the_first_model_gives_both_accuracies():
    differences = [("ba_a_to_t", "coin", (-12, -14.1, -9.9)), ("ba_a_to_t", "strict", (1, -1, 3))]
    codes = {"old": "amplifies", "strict": "amplifies", "coin": "reduces"}
    assert answer(**of_models(codes, (65.8, 60, 50.8), differences)).details == [
        "BA of coin differs from that of old by −12.0 points (−14.1 to −9.9, a band for 3 "
        "models); the accuracies are 50.8% and 65.8%."
    ]
    told = answer(**of_models(codes, (), differences[1:]))
    assert told.details == ["BA of no model clearly differs from that of old."]


BA, BELOW = metric("ba_a_to_t", 6, 4.5, 7.5), metric("ba_a_to_t", -6, -7.5, -4.5)
UNCLEAR_BA, NOTHING = metric("ba_a_to_t", 2, -4, 7), metric("ba_a_to_t", 0, 0, 0)
UNCLEAR_SIGN = {"verdicts": [verdict("reduces", (), signs=6, signs_unclear=1, half=False)]}
NO_CHANGE = {"verdicts": [verdict("no_clear_change")]}
BA_IS = {
    "BA is +6.0 points (+4.5 to +7.5), half the change of the gap; its own interval differs a "
    "little from half of the gap's.": ({}, BA),
    "BA is 0 points (0 to 0), half the change of the gap.": ({}, NOTHING),
    "BA is +6.0 points (+4.5 to +7.5): the mean change of rates, with the signs of the labels.": (
        THREE | of_gaps(grows=2),
        BA,
    ),
    "The sign of 1 of 6 rates in BA is not clear, so BA may have the wrong sign there.": (
        THREE | of_gaps("reduces", (), shrinks=2) | UNCLEAR_SIGN,
        BELOW,
    ),
}
AVERAGES = "BA averages changes of rates with the signs of"
BA_DIFFERS = {
    "BA is not clearly different from 0, but some gaps grow and some shrink. A mean can hide "
    "opposite changes.": (THREE | of_gaps(mean=(), grows=2, shrinks=1), UNCLEAR_BA),
    # Predictions are missing, so both classes of two groups are compared.
    "BA is clearly above 0, but no gap clearly changes. A mean can be clear where none of its "
    "parts is.": (of_gaps("no_clear_change", named=(), unclear=2), BA),
    f"BA is clearly below 0, but some gaps grow. {AVERAGES} 500 reference rows; the verdict "
    f"compares sizes of gaps.": (THREE | of_gaps(grows=3) | {"reference": 500}, BELOW),
    f"BA is clearly above 0, but the gaps shrink on average. {AVERAGES} the labels; the verdict "
    f"compares sizes of gaps.": (THREE | of_gaps("reduces", (-3, -5, -1), named=(), unclear=3), BA),
    "BA is barely above 0; by the wider band of the gap this is not clear.": (
        NO_CHANGE | {"gaps": gaps(unclear=1)},
        BA,
    ),
    "BA is clearly above 0, but the gap does not clearly grow or shrink, as it is not clear which "
    "group has the higher rate.": (NO_CHANGE | {"gaps": [MOVES]}, BA),
}


@pytest.mark.parametrize(("detail", "parts", "ba"), [(x, *y) for x, y in BA_IS.items()])
def test_ba_stands_behind_the_verdict(detail, parts, ba):
    told = answer(**parts, metrics=[ba])
    assert (detail in told.details, told.more) == (True, [])


@pytest.mark.parametrize(("sentence", "parts", "ba"), [(x, *y) for x, y in BA_DIFFERS.items()])
def test_ba_that_differs_from_the_verdict_is_told_on_the_first_screen(sentence, parts, ba):
    assert " ".join(answer(**parts, metrics=[ba]).more) == sentence


def test_ba_of_another_model_that_differs_from_its_verdict_is_told():
    parts = of_gaps(models="abc", grows=2) | {"models": ["a", "b", "c"]}
    metrics = [BA | {"model": "a"}, *(UNCLEAR_BA | {"model": model} for model in "bc")]
    sentence = "BA is not clearly different from 0, but some gaps grow. A mean can hide opposite"
    assert answer(**THREE | parts, metrics=metrics).more == [f"b and c: {sentence} changes."]


def test_line_below_the_table_says_what_ba_is():
    halves = "; with two groups and two classes it is half of the change of the gap"
    for parts, half in (
        ({}, halves),
        ({"verdicts": [verdict(half=False)]}, ""),
        (THREE | of_gaps(grows=3), ""),
    ):
        assert answer(metrics=[BA], **parts).line == (
            f"BA is the mean change of the rates along the correlations of the labels{half}. It "
            f"is not balanced accuracy, and 0 is not a pass."
        )
    assert answer().line == ""


def test_ba_stands_for_the_gap_where_no_gap_is_named():
    parts = of_gaps("no_clear_change", (1, -2, 4), named=(), unclear=3)
    metrics = [metric("ba_a_to_t", 1.4, 0.4, 2.4), metric("excess_a_to_t", 6.5, 5.5, 7.5)]
    assert answer(**parts, metrics=metrics).details[-1] == (
        "With the same error rates in both groups, BA would be −5.1 points. The excess of BA is "
        "+6.5 points (+5.5 to +7.5)."
    )


ERRORS = [error("negative", 44.8, 23.4, 18, 25), error("positive", 72, 52.3, 16, 24)]
SCORE = {"model": "model", "gap": 0, "rule": "5 or more", "first": 0.5, "second": 0.398}
SCORE |= {"by_score": number(-1.8, -4.1, 0.5), "by_threshold": number(13.8, 11.9, 15.7)}
WITH_ERRORS = {"gaps": [gap(equal=4, beyond=(18, 23))], "errors": ERRORS}


def test_first_screen_has_errors_and_the_steps_that_are_clear():
    told = answer(**WITH_ERRORS, scores=[SCORE | {"reason": ""}], metrics=[BA])
    heads = [" ".join(sentence.split()[:2]) for sentence in told.more]
    assert heads == ["Among rows", "The gap", "In the"]
    assert [sentence.split()[0] for sentence in told.details] == ["BA", "With", "The", "The", "In"]
    assert told.tag == "larger gaps"
    assert told.last == f"Verdict: larger gaps (amplifies). {told.headline}"


def test_three_classes_have_equal_error_rates_on_the_first_screen():
    told = answer(**WITH_ERRORS, **THREE_CLASSES)
    assert told.more == ["With the same error rates in both groups, the gap would be 4 points."]
    assert "The gap in the predictions is 20 points larger" in told.details[0]


@pytest.mark.parametrize(
    "parts",
    [
        {"compared_with": "given rates"},
        {"verdicts": [verdict("no_clear_change", no_errors=True)]},
        {"verdicts": [verdict("reduces", constant=[0])]},
        {"kind": "tasks", "rates": [OF_MODEL | {"of_class": 1, "overall": 0.0}]},
    ],
)
def test_errors_are_left_out_without_labels_errors_or_variation(parts):
    told = answer(**WITH_ERRORS, **parts)
    assert (told.more, told.details) == ([], [])


LARGER = (
    "Larger means further apart than in the labels; whether the labels are right is not tested."
)
SMALLER = "Smaller is not better by itself: random predictions also shrink gaps."
CLOSING = {
    LARGER: {},
    SMALLER: {"verdicts": [verdict("reduces")]},
    f"{LARGER} {SMALLER}": of_models({"a": "reduces", "b": "amplifies"}),
    "The order of the groups is exchanged; the size of the gap alone does not show it.": {
        "verdicts": [verdict("reverses")]
    },
    "Where a gap reverses, the order of the two groups is exchanged; the size of the gap alone "
    "does not show it.": THREE | of_gaps("reverses", reverses=2),
    "Mixed does not mean balanced: a gap that shrinks or reverses does not make up for another "
    "that grows.": {"verdicts": [verdict("mixed")]},
    "Not clear is not the same as no change.": {"verdicts": [verdict("no_clear_change")]},
}


@pytest.mark.parametrize(("closing", "parts"), CLOSING.items())
def test_last_line_of_the_box_says_what_the_codes_do_not_mean(closing, parts):
    assert answer(**parts).closing == closing


def test_last_lines_of_two_directions_say_which():
    both = make(**TASKS | of_gaps(direction="T->A", grows=2) | {"directions": ["A->T", "T->A"]})
    both["gaps"].append(gap("man", "woman", "horse"))
    both["verdicts"].append(verdict())
    assert [told.last.split(":")[0] for told in answers(both)] == ["Verdict A→T", "Verdict T→A"]
