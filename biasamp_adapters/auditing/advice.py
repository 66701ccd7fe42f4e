"""The three boxes: how sure the answer is, what to read and what to do."""

from __future__ import annotations

import math
from collections.abc import Iterator

from biasamp_adapters import words
from biasamp_adapters.auditing.facts import level
from biasamp_adapters.auditing.gap_sentences import GapSentences, size_along
from biasamp_adapters.auditing.subject import Subject, all_models, is_small, subject_of
from biasamp_adapters.auditing.summary import UP, Summary, ThresholdRecord
from biasamp_adapters.figures import Digits, agree, count, is_clear, join, percent, plural

#: With more gaps, the advice says where to start.
_MANY_GAPS = 10

#: Labels are unbalanced if the largest group or class is so many times as large as the smallest.
_UNBALANCED = 2

#: Replicates that are enough for a verdict.
_USUAL_N_BOOT = 2000

#: Sizes of BA that more rows could show, in points.
_BA_POINTS = (10, 5, 2, 1, 0.5, 0.2, 0.1)


def boxes(summary: Summary) -> dict[str, list[str]]:
    """Return the sentences of each box, about the model that is named."""
    subjects = [subject_of(summary, direction) for direction in summary["data"]["directions"]]
    advice = {
        words.HOW_SURE: _how_sure,
        words.WHAT_TO_READ: _what_to_read,
        words.WHAT_TO_DO: _what_to_do,
    }
    return {
        heading: merge_directions({x.names.direction: list(advise(x)) for x in subjects})
        for heading, advise in advice.items()
    }


def merge_directions(sentences: dict[str, list[str]]) -> list[str]:
    """Return the sentences of both directions; one that only one of them has says of which."""
    first, *others = sentences.values()
    if not others:
        return first
    common = [sentence for sentence in first if sentence in others[0]]
    own = [
        words.OF_DIRECTION.format(direction=words.DIRECTIONS[direction], sentence=sentence)
        for direction, of_direction in sentences.items()
        for sentence in of_direction
        if sentence not in common
    ]
    return common + own


# How sure.


def _how_sure(subject: Subject) -> Iterator[str]:
    verdict, names, gaps = subject.verdict, subject.names, subject.gaps
    data, true = names.data, names.true
    if verdict["code"] != "cannot_say":
        unclear = sum(not gap["true_clear"] for gap in gaps)
        of_gaps = count(len(gaps), "gap")
        yield _bands(subject, bool(unclear))
        if not unclear:
            every = words.FOR_EVERY_GAP if len(gaps) > 1 else ""
            yield words.SURE_DIRECTION.format(true=true, member=names.noun, every=every)
        elif len(gaps) > 1:
            are = agree(unclear, "is", "are")
            yield words.SURE_UNCLEAR.format(k=unclear, gaps=of_gaps, are=are, true=true)
    if data["favorable"] is None and data["kind"] == "classes" and not names.compares_classes:
        if data["positive"] is None:
            yield words.UNMARKED_CLASSES
        else:
            yield words.UNMARKED.format(of=names.class_(data["positive"]))
    if verdict["why"] == "no_interval" or not subject.summary["method"]["n_boot"]:
        yield words.SURE_NOTHING
    else:
        yield words.SAMPLING_ONLY.format(true=true)


def _bands(subject: Subject, is_unclear: bool) -> str:
    """Return what bands the verdict rests on."""
    several, n_models = subject.has_several_models, len(subject.models)
    template, mean, models = words.SURE_ONE, "", count(n_models, "model")
    if len(subject.gaps) > 1:
        template = words.SURE_SEVERAL_MODELS if several else words.SURE_SEVERAL
        mean = words.AND_THEIR_MEANS if several else words.AND_THEIR_MEAN
    elif several:
        template, models = words.SURE_MODELS, all_models(n_models)
    elif is_unclear:
        template = words.SURE_ONE_UNCLEAR
    return template.format(
        level=level(subject.summary),
        true=subject.names.true,
        gaps=count(len(subject.gaps), "gap"),
        models=models,
        mean=mean if any(x.verdict["n_in_mean"] for x in subject.models) else "",
    )


# What to read.


def _what_to_read(subject: Subject) -> Iterator[str]:
    yield _situation(subject)
    if subject.names.data["scores"] and not subject.names.compares_classes:
        yield words.READ_RISK
    if subject.compares_beyond and (accuracies := subject.differing_accuracies()):
        parts = subject.names.accuracies(*accuracies, Digits.of(*accuracies))
        yield words.READ_ACCURACIES.format(**parts)


def _situation(subject: Subject) -> str:
    """Return the first situation that holds."""
    names, gaps = subject.names, subject.gaps
    noun = plural(len(gaps), "gap")
    if subject.verdict["code"] == "cannot_say":
        return words.READ_NO_VERDICT.format(members=names.nouns)
    if not names.has_labels:
        text = words.READ_GIVEN_RATES.format(gap=noun)
        return text if names.compares_classes else f"{text} {words.NOT_WITHOUT_LABELS}"
    if names.compares_classes:
        return words.READ_PREDICTED.format(gap=noun)
    ignore_mals = [words.IGNORE_MALS] if _computed(subject, "MALS") else []
    if _is_balanced(subject):
        return _balanced(subject)
    if names.data["kind"] == "tasks":
        return " ".join([words.READ_TASKS, *ignore_mals])
    read_first = words.READ_FIRST.format(gap=noun)
    also = _computed(subject, "LA", "DPA(U)")
    if also and _is_unbalanced(subject):
        give = agree(len(also), "gives", "give")
        ignore_dpa = [words.IGNORE_DPA] if _computed(subject, "DPA") else []
        also_read = words.ALSO_READ.format(metrics=join(also), give=give)
        return " ".join([read_first, also_read, *ignore_dpa])
    return " ".join([read_first, *ignore_mals])


def _is_balanced(subject: Subject) -> bool:
    """Return whether no gap is clear in the labels, so that BA says nothing."""
    return not any(gap["true_clear"] for gap in subject.gaps)


def _balanced(subject: Subject) -> str:
    """Return what to read where no gap is clear in the labels."""
    # Small groups, or those of a reference, may differ where these gaps are 0.
    is_equal = not any(gap["true"] for gap in subject.gaps)
    is_equal &= not any(rate["sign"] for rate in subject.rates)
    then = _computed(subject, "DPA(U)", "Multi")
    return words.READ_BALANCED.format(
        close=words.EQUAL if is_equal else words.CLOSE,
        is_=words.BA_0_FOR_ALL if is_equal else words.BA_WRONG_SIGN,
        then=words.READ_THEN.format(metrics=join(then)) if then else "",
        ignored=join(["BA", *_computed(subject, "MALS")]),
    )


_KEYS = {"MALS": "mals", "LA": "la", "Multi": "multi_a_to_t"}
_KEYS |= {"DPA": "dpa_a_to_t", "DPA(U)": "dpa_u_a_to_t"}


def _computed(subject: Subject, *metrics: str) -> list[str]:
    """Return those of some metrics that were computed."""
    records = ((metric, subject.metric(_KEYS[metric])) for metric in metrics)
    return [metric for metric, record in records if record and record["value"] is not None]


def _is_unbalanced(subject: Subject) -> bool:
    data = subject.names.data
    both = [[x["share"] for x in data[of] if x["rows"]] for of in ("groups", "classes")]
    return any(max(shares) > _UNBALANCED * min(shares) for shares in both)


# What to do.


def _what_to_do(subject: Subject) -> Iterator[str]:
    names, verdict = subject.names, subject.verdict
    code, is_larger = verdict["code"], verdict["code"] in ("amplifies", "mixed")
    if not names.compares_classes and names.has_labels:
        if advice := words.READ_ERRORS.get(code):
            is_of_all = all(x.verdict["code"] == code for x in subject.models)
            yield advice if is_of_all else subject.with_model(advice)
        if is_larger and names.has_two_classes:
            yield from map(subject.with_model, _thresholds(subject))
    if any(map(is_small, names.members)) and verdict["why"] != "one_group":
        unit = names.data["unit"].removeprefix("effective ")
        yield words.SMALL_MEMBERS.format(unit=unit, members=names.nouns, member=names.noun)
    growing = sum(gap["status"] in UP for gap in subject.gaps)
    if is_larger and len(subject.gaps) > _MANY_GAPS and growing > 1:
        yield subject.with_model(words.START_WITH.format(gaps=count(growing, "gap")))
    if is_larger and names.compares_classes:
        yield words.PREDICT_FEATURE.format(feature=names.the_feature)
    if code == "no_clear_change" and not verdict["no_errors"]:
        yield from map(subject.with_model, _more_rows(subject))
    for record in subject.records("missing")[:1]:
        yield words.WHY_MISSING.format(**names.missing(record))
    if verdict["why"] == "one_group":
        yield words.SECOND_MEMBER.format(member=names.noun)
    is_few = 0 < subject.summary["method"]["n_boot"] < _USUAL_N_BOOT
    if verdict["why"] == "no_interval" and (is_few or verdict["reason"] == words.NOT_REQUESTED):
        yield words.SET_N_BOOT.format(n_boot=_USUAL_N_BOOT)


def _thresholds(subject: Subject) -> Iterator[str]:
    """Return what other thresholds of the score would give, if they undo half of the change."""
    model, names, main = subject.verdict["model"], subject.names, subject.main
    if model not in names.data["scores"]:
        if model not in names.data["probabilities"]:
            yield words.PASS_SCORES
        return
    records = subject.records("thresholds")
    if any(record["accuracy"] > 1 - 1e-9 for record in records):
        return  # The score is the label, or as good as it.
    if main is None or not records or records[0]["accuracy_falls"] is None:
        return
    gap = subject.gaps[main]
    of_gap = GapSentences(gap, names, subject.gaps)
    half = abs(gap["predicted"] - gap["true"]) / 2
    useful = [x for x in records if not x["accuracy_falls"] and abs(x["gap"] - gap["true"]) <= half]
    for_all = [record for record in useful if record["threshold"] is not None]
    if for_all:
        best = min(for_all, key=lambda record: abs(record["gap"] - gap["true"]))
        outcome = _outcome(subject, of_gap, best)
        shares = subject.records("frequency")
        [share] = [x["true"] for x in shares if x["of_class"] == gap["of_class"]]
        about = {"predicted": percent(best["predicted_positive"]), "labelled": percent(share)}
        about |= {"threshold": f"{best['threshold']:g}", "pos": names.labelled(gap["of_class"])}
        yield words.ONE_THRESHOLD.format(**about, outcome=outcome)
    elif any(record["threshold"] is not None for record in records):
        yield words.NO_THRESHOLD.format(gap=of_gap.short_gap)
    for record in useful:
        if record["threshold"] is None:
            outcome = _outcome(subject, of_gap, record)
            yield words.THRESHOLD_EACH.format(feature=names.the_feature, outcome=outcome)


def _outcome(subject: Subject, of_gap: GapSentences, record: ThresholdRecord) -> str:
    """Return the gap, BA and accuracy that a threshold gives."""
    ba = subject.number("ba")
    digits = Digits.of(ba) if ba else of_gap.digits
    gap, size = of_gap.short_gap, size_along(record["gap"], of_gap.digits)
    numbers = {"ba": digits.signed(record["ba"]), "accuracy": percent(record["accuracy"])}
    return words.THRESHOLD_OUTCOME.format(gap=gap, size=size, **numbers)


def _more_rows(subject: Subject) -> Iterator[str]:
    """Return the rows that would show the largest BA for which these are too few."""
    rows = subject.names.data["rows"]
    rows_of_1 = next((row["rows"] for row in subject.records("rows_needed")), None)
    ba = subject.number("ba")
    if rows_of_1 is None or _is_balanced(subject) or (ba and is_clear(ba)):
        return
    for points in _BA_POINTS:
        needed = rows_of_1 / (points / 100) ** 2
        if needed > rows:
            step = 10 ** max(math.floor(math.log10(needed)) - 1, 0)
            enough = count(math.ceil(needed / step) * step, "row")
            size = Digits(0 if points >= 1 else 1).size(points / 100)
            yield words.MORE_ROWS.format(rows=enough, ba=size)
            return
