"""What is said of one gap, in the answer of a summary that holds it."""

import pytest
from summaries import BY_TASK, TASKS, error, gap, groups, make, number, of_gaps, verdict

from biasamp_adapters.auditing.answer import Answer, answers


def answer(record, *others, **parts) -> Answer:
    """The answer of a summary in which these are the gaps, the first of which is named."""
    parts = of_gaps(records=[record, *others], direction=record["direction"]) | parts
    (only,) = answers(make(**parts))
    return only


def horse(labels, predictions, band, **more):
    sides = {"labels": labels, "predictions": predictions, "rows": (266, 293)}
    return gap("horse", "umbrella", "man", band=band, direction="T->A", **sides, **more)


def clear_not_in_labels(labels, predictions, band, status):
    sides = {"labels": labels, "predictions": predictions}
    return gap(band=band, status=status, clear=(False, status == "appears"), **sides)


SHRINKS = gap(predictions=(28, 24), band=(-11, -5), status="shrinks")
REVERSES = gap(labels=(40, 30), predictions=(30, 38), band=(-21, -15), status="reverses")
SHARES = "for horse (65% to 83%; 266 rows)"


ONE_GAP = {
    "In these rows, the gap between sex = 1 and sex = 0 in hired = 1 grows from 10 points "
    "in the labels to 25 points in the predictions. Compared with the labels, the mean "
    "probability of hired = 1 is higher for sex = 1 (30% to 45%; 3,000 rows) and equally "
    "high for sex = 0 (20%; 2,000 rows). The gap changes by +15 points (+9 to +15).": (
        gap(1, 0, labels=(30, 20), predictions=(45, 20)),
        {"feature": "sex", "probabilities": ["model"]},
    ),
    "In these rows, a gap between A and B in hired = 1 appears in the predictions: the "
    "labels show no clear gap. Compared with the labels, hired = 1 is predicted less "
    "often for A (39.0% to 35.0%; 3,000 rows) and for B (38.0% to 32.0%; 2,000 rows). The "
    "gap in the predictions is larger than in the labels by at least 0.8 points.": (
        clear_not_in_labels((39, 38), (35, 32), (0.8, 3.2), "appears"),
        {},
    ),
    "In these rows, the gap between A and B in hired = 1 shrinks from 12 points in the "
    "labels to 4 points in the predictions. Compared with the labels, hired = 1 is "
    "predicted less often for A (51% to 28%; 3,000 rows) and for B (39% to 24%; 2,000 "
    "rows). The gap changes by −8 points (−11 to −5).": (SHRINKS, {}),
    "In these rows, the gap between A and B in hired = 1 shrinks: it is 12 points in the "
    "labels, and the predictions show no clear gap. Compared with the labels, hired = 1 "
    "is predicted less often for A (51% to 50%; 3,000 rows) and more often for B (39% to "
    "49%; 2,000 rows). As A minus B, the gap goes from +12 points to +1 point, a change "
    "of −11 points (−17 to −5).": (
        gap(predictions=(50, 49), band=(-17, -5), status="shrinks", clear=(True, False)),
        {},
    ),
    "In these rows, the gap between A and B in hired = 1 shrinks from 3 points (higher "
    "for A) to 1 point (higher for B). Compared with the labels, hired = 1 is predicted "
    "less often for A (33% to 30%; 3,000 rows) and more often for B (30% to 31%; 2,000 "
    "rows). As A minus B, the gap goes from +3 points to −1 point, a change of −4 points "
    "(−7 to −1).": (clear_not_in_labels((33, 30), (30, 31), (-7, -1), "shrinks"), {}),
    "In these rows, the gap between A and B in hired = 1 shrinks from 3 points (higher "
    "for A) to 0 points. Compared with the labels, hired = 1 is predicted less often for "
    "A (33% to 30%; 3,000 rows) and equally often for B (30%; 2,000 rows). As A minus B, "
    "the gap goes from +3 points to 0 points, a change of −3 points (−6 to −1).": (
        clear_not_in_labels((33, 30), (30, 30), (-6, -1), "shrinks"),
        {},
    ),
    "In these rows, the gap between A and B in hired = 1 reverses: the rate in the labels "
    "is higher for A, the predicted rate for B. Compared with the labels, hired = 1 is "
    "predicted less often for A (40% to 30%; 3,000 rows) and more often for B (30% to "
    "38%; 2,000 rows). The gap goes from +10 points for A to +8 points for B, a change of "
    "−18 points (−21 to −15).": (REVERSES, {}),
    "In these rows, the gap between A and B in hired = 1 reverses: the given rate is "
    "higher for A, the predicted rate for B. Compared with the given rates, hired = 1 is "
    "predicted less often for A (40% to 30%; 3,000 rows) and more often for B (30% to "
    "38%; 2,000 rows). The gap goes from +10 points for A to +8 points for B, a change of "
    "−18 points (−21 to −15).": (REVERSES, {"compared_with": "given rates"}),
    "In these rows, the gap between A and B in hired = 1 does not clearly change. "
    "Compared with the labels, hired = 1 is predicted more often for A (51% to 54%; 3,000 "
    "rows) and equally often for B (39%; 2,000 rows). As A minus B, the gap goes from +12 "
    "points to +15 points, a change of +3 points (−0.05 to +6). A change of more than 6 "
    "points is excluded at the 95% level; a smaller one is possible.": (
        gap(predictions=(54, 39), band=(-0.047, 6.05), status="unclear"),
        {},
    ),
    "In these rows, the gap between A and B in hired = 1 does not clearly grow or shrink. "
    "Compared with the labels, hired = 1 is predicted more often for A (30% to 38%; 3,000 "
    "rows) and equally often for B (29%; 2,000 rows). As A minus B, the gap goes from +1 "
    "point to +9 points, a change of +8 points (+3 to +12). A change of more than 12 points is "
    "excluded at the 95% level; a smaller one is possible.": (
        gap(
            labels=(30, 29),
            predictions=(38, 29),
            band=(3, 12),
            status="unclear",
            clear=(False, False),
        ),
        {},
    ),
    f"In these rows, the gap between horse and umbrella in the share of man grows from 26 "
    f"points in the labels to 57 points in the predictions. Compared with the labels, the "
    f"share of man is larger {SHARES} and smaller for umbrella (39% to 26%; 293 rows). "
    f"The gap changes by +31 points (+20 to +42).": (horse((65, 39), (83, 26), (20, 42)), BY_TASK),
    f"In these rows, the gap between horse and umbrella in the share of man grows from 26 "
    f"points in the labels to 37 points in the predictions. Compared with the labels, the "
    f"share of man is larger {SHARES} and for umbrella (39% to 46%; 293 rows). The gap "
    f"changes by +11 points (+1 to +21).": (horse((65, 39), (83, 46), (1, 21)), BY_TASK),
    "In these rows, a gap between horse and umbrella in the share of man appears in the "
    "predictions: the labels show no clear gap. Compared with the labels, the share of "
    "man is larger for horse (40% to 60%; 266 rows) and the same for umbrella (39%; 293 "
    "rows). The gap in the predictions is larger than in the labels by at least 8 points.": (
        horse((40, 39), (60, 39), (8, 32), status="appears", clear=(False, True)),
        BY_TASK,
    ),
    "In these rows, the gap between horse and umbrella in the share of man reverses: the "
    "share of man in the labels is higher for horse, the predicted share of man for "
    "umbrella. Compared with the labels, the share of man is smaller for horse (65% to "
    "30%; 266 rows) and larger for umbrella (39% to 40%; 293 rows). The gap goes from +26 "
    "points for horse to +10 points for umbrella, a change of −36 points (−46 to −26).": (
        horse((65, 39), (30, 40), (-46, -26), status="reverses"),
        BY_TASK,
    ),
}


@pytest.mark.parametrize(("text", "record", "parts"), [(x, *y) for x, y in ONE_GAP.items()])
def test_one_gap_is_told_with_its_rates_and_its_change(record, parts, text):
    told = answer(record, **parts)
    assert " ".join([told.headline, *told.named[0]]) == text


def test_change_to_one_prediction_for_all_rows_is_signed():
    record = gap(predictions=(0, 0), band=(-15, -9), status="shrinks", clear=(True, False))
    told = answer(record, verdicts=[verdict("reduces", constant=[0])])
    assert told.named[0][-1] == (
        "As A minus B, the gap goes from +12 points to 0 points, a change of −12 points (−15 to "
        "−9)."
    )


HIGH = [error("positive", 72, 52.3, 16, 24), error("negative", 44.8, 23.4, 18, 25)]
LOW = [error("negative", 3, 3, -3, 3), error("positive", 88, 88, -3, 3)]
OF_TASK = [error("negative", 3, 2, -2, 4), error("positive", 75, 28, 40, 54)]
ERRORS = {
    "Among rows labelled 0, 45% of A and 23% of B are predicted 1; among rows labelled 1, 72% and "
    "52%.": {"errors": HIGH},
    "Among rows labelled 0, 3% of A and 3% of B are predicted 1; among rows labelled 1, 88% and "
    "88% (no clear difference in either).": {"errors": LOW},
    "Among rows labelled 1, 72% of A and 52% of B are predicted 1. hired = 1 is marked as "
    "unfavourable.": {"errors": HIGH[:1], "favorable": 0},
    "Among rows labelled 0, the mean probability of 1 is 45% for A and 23% for B; among rows "
    "labelled 1, 72% and 52%.": {"errors": HIGH, "probabilities": ["model"]},
    "Among rows labelled with task 1, the mean probability of task 1 is 75% for A and 28% for B.": (
        TASKS | {"errors": OF_TASK[1:], "probabilities": ["model"]}
    ),
    "Among rows labelled without task 1, 3% of A and 2% of B are predicted with task 1 (no clear "
    "difference); among rows labelled with task 1, 75% and 28%.": TASKS | {"errors": OF_TASK},
}


@pytest.mark.parametrize(("text", "parts"), ERRORS.items())
def test_errors_by_group_follow_the_gap(text, parts):
    assert answer(gap(equal=4), **parts).more == [text]


EQUAL_ERRORS = {
    "With the same error rates in both groups, the gap would be 4 points. The gap in the "
    "predictions is 20 points larger (18 to 23) than with equal error rates.": [
        gap(equal=4, beyond=(18, 23))
    ],
    "With the same error rates in both groups, the gap would be 23 points. The gap in the "
    "predictions does not clearly differ from that with equal error rates (difference +1, −2 to "
    "+4).": [gap(equal=23, beyond=(-2, 4))],
    "With the same error rates in both groups, the gap would be 2 points the other way round. As "
    "A minus B, the gap in the predictions differs from that with equal error rates by +26 points "
    "(+23 to +29).": [gap(equal=-2, beyond=(23, 29))],
    "With the same error rates in both groups, the gap between A and C would be 5 points.": [
        gap("A", "C", equal=5),
        gap(),
    ],
    "With the same error rates in both groups, the gap between A and C in hired = 1 would be 5 "
    "points.": [gap("A", "C", equal=5), gap(of_class=2)],
    "": [gap()],
}


@pytest.mark.parametrize(("text", "records"), EQUAL_ERRORS.items())
def test_equal_error_rates_stand_behind_the_verdict(text, records):
    assert " ".join(answer(*records).details[len(records) > 1 :]) == text


def test_equal_error_rates_of_all_groups_and_of_missing_predictions_are_named():
    told = answer(gap(equal=15), missing_predictions={"model": 9}, **groups("ABC"))
    assert told.details == [
        "With the same error and missing rates in all groups, the gap would be 15 points."
    ]
    of_tasks = [horse((65, 39), (83, 26), (20, 42), equal=12) | {"of_class": x} for x in "ab"]
    assert answer(*of_tasks, **BY_TASK).more == [
        "With the same error rates in all tasks, the gap between horse and umbrella in the share "
        "of a would be 12 points."
    ]


def score(by_score, by_threshold, size, rule="5 or more", **more):
    """A gap of so many points that the scores imply, and how it changes in both steps."""
    record = {"model": "model", "gap": 0, "rule": rule, "reason": "", "first": 0.5}
    record |= {"second": 0.5 - size / 100, "by_score": number(*by_score)}
    return record | {"by_threshold": number(*by_threshold)} | more


IMPLY = (
    "In the gap that the scores imply, each row counts with the share of hired = 1 among all rows "
    "of the same or a similar score."
)


@pytest.mark.parametrize(
    ("record", "first", "rest"),
    [
        (
            score((-1.8, -4.1, 0.5), (13.8, 11.9, 15.7), 10.2),
            "The gap clearly grows from the scores to the decisions, and not clearly from the "
            "labels to the scores. In the decisions at 5 or more, the gap is 13.8 points larger "
            "(11.9 to 15.7) than the scores imply.",
            f"The gap that the scores imply, 10.2 points, does not clearly differ from that of "
            f"the labels: the change is −1.8 points (−4.1 to +0.5). {IMPLY}",
        ),
        (
            score((3.5, 1.0, 6.0), (0.6, -1.3, 2.5), 15.6, "8 or more"),
            "The gap clearly grows from the labels to the scores, and not clearly from the scores "
            "to the decisions. The gap that the scores imply is 15.6 points: the change from the "
            "labels is +3.5 points (+1.0 to +6.0).",
            f"In the decisions at 8 or more, the gap does not clearly differ from what the scores "
            f"imply: the change is +0.6 points (−1.3 to +2.5). {IMPLY}",
        ),
        (
            score((1, -3, 5), (2, -2, 6), 13),
            "The gap clearly grows in neither step alone, from the labels to the scores or on to "
            "the decisions.",
            f"The gap that the scores imply, 13 points, does not clearly differ from that of the "
            f"labels: the change is +1 point (−3 to +5). In the decisions at 5 or more, the gap "
            f"does not clearly differ from what the scores imply: the change is +2 points (−2 to "
            f"+6). {IMPLY}",
        ),
        (
            score((5, 2, 8), (7, 4, 10), 17),
            "The gap clearly grows in both steps: from the labels to the scores, and on to the "
            "decisions. The gap that the scores imply is 17 points: the change from the labels is "
            "+5 points (+2 to +8). In the decisions at 5 or more, the gap is 7 points larger (4 "
            "to 10) than the scores imply.",
            IMPLY,
        ),
        (
            score((-5, -8, -2), (17, 14, 20), 7),
            "The gap that the scores imply is 7 points: the change from the labels is −5 points "
            "(−8 to −2). In the decisions at 5 or more, the gap is 17 points larger (14 to 20) "
            "than the scores imply.",
            IMPLY,
        ),
        (
            score((), (), 0, reason="it needs y_score", first=None),
            "",
            "Score and threshold are not separated: it needs y_score.",
        ),
    ],
)
def test_score_and_threshold_are_judged_each_alone(record, first, rest):
    told = answer(gap(), scores=[record])
    assert (" ".join(told.more), " ".join(told.details)) == (first, rest)


def test_score_and_threshold_of_a_gap_that_turns_are_signed():
    told = answer(REVERSES, scores=[score((-12, -15, -9), (-6, -9, -3), -2)])
    assert " ".join(told.more) == (
        "The gap that the scores imply is 2 points the other way round: the change from the "
        "labels is −12 points (−15 to −9). As A minus B, the gap in the decisions at 5 or more "
        "differs from what the scores imply by −6 points (−9 to −3)."
    )
