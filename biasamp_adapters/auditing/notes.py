"""The notes: caveats that follow from the summary, and those that came with its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import comb
from typing import Any
from unicodedata import normalize

from biasamp_adapters import words
from biasamp_adapters.auditing.subject import Names, Subject, is_small, subject_of
from biasamp_adapters.auditing.summary import MEASURES, MOST_GROUPS, Data, Summary
from biasamp_adapters.counting.labels import looks_missing
from biasamp_adapters.counting.reference import note_on_missing
from biasamp_adapters.figures import Digits, agree, count, join, name, on_one_line, percent
from biasamp_adapters.inference.intervals import FEW_ROWS
from biasamp_adapters.inference.verdict import ALL_ROWS

#: A difference of shares of rows left out that puts a whole report in doubt.
_MUCH = 0.05

#: Predicted shares of a class outside these times its share in the labels get a note.
_LEAST, _MOST = 0.8, 1.25


def notes(summary: Summary) -> list[str]:
    """Return all notes, each once."""
    subjects = [subject_of(summary, direction) for direction in summary["data"]["directions"]]
    first = subjects[0]
    collected = [*_of_rows(summary, first.names)]
    for subject in subjects:
        collected += _of_members(subject)
    for model in first.models:
        collected += _of_model(model)
    collected += [*_of_spelling(first.names), *_of_missing_labels(first.names)]
    collected += [*summary["notes"], *_of_missing_rates(summary, first.names)]
    collected += [*_of_rates(subjects), *_of_comparison(summary, first.names)]
    return list(dict.fromkeys(collected))


def doubts(subject: Subject) -> list[str]:
    """Return the notes that say that rows are left out unequally, or that labels may be wrong."""
    summary, names = subject.summary, subject.names
    is_much = any(x["first_rate"] - x["second_rate"] >= _MUCH for x in summary["left_out"])
    left_out = list(_of_left_out(summary, names))[:1] if is_much else []
    if names.compares_classes and len(names.data["directions"]) > 1:
        return []
    codings = [note for model in subject.models for note in _of_coding(model)]
    may_be_counts = words.MAY_BE_COUNTS.format(column=names.data["weights"])
    endings = (*words.ENDINGS_OF_DOUBT, may_be_counts)
    others = [*_of_spelling(names), *_of_missing_labels(names), *summary["notes"]]
    of_each_kind: dict[str, str] = {}
    for note in others:
        for ending in filter(note.endswith, endings):
            of_each_kind.setdefault(ending, note)
    return [*left_out, *codings, *of_each_kind.values()]


def _of_rows(summary: Summary, names: Names) -> Iterator[str]:
    """Return which rows or predictions are missing, and how rows count."""
    data = names.data
    if data["left_out"]:
        were = agree(data["left_out"], "was", "were")
        yield words.ROWS_DROPPED.format(rows=count(data["left_out"], "row"), were=were)
    yield from _of_left_out(summary, names)
    if reason := _why_not_compared(data):
        yield words.SHARES_NOT_COMPARED.format(reason=reason)
    of_class = Names("T->A", data).noun
    for part, noun, of in (
        (data["missing"], "prediction", of_class),
        (data["missing_groups"], "predicted group", "group"),
    ):
        is_wrong = names.has_labels and of != "task"
        what = words.WRONG if is_wrong else words.NOT_HAVING.format(noun=of)
        for model, n in part.items():
            parts = {"predictions": count(n, noun), "are": agree(n, "is", "are")}
            parts |= {"model": names.model(model), "what": what}
            yield words.PREDICTIONS_MISSING.format(**parts)
    for record in summary["missing"]:
        ba = Digits.of(record["ba"]).signed(record["ba"]["value"] or 0.0)
        missing = Names(record["direction"], data).missing(record)
        yield _begin(words.MISSING_BY_GROUP.format(ba=ba, **missing))
    if data["weights"] is not None:
        yield words.WEIGHTED.format(column=name(data["weights"]))


def _of_left_out(summary: Summary, names: Names) -> Iterator[str]:
    """Return of which groups rows are left out unequally, the largest difference first."""
    groups = Names("A->T", names.data)
    for record in sorted(summary["left_out"], key=lambda x: x["second_rate"] - x["first_rate"]):
        yield _begin(words.ROWS_LEFT_OUT.format(**groups.shares(record)))


def _why_not_compared(data: Data) -> str:
    """Return why shares of missing values are not compared between groups, if they are not."""
    n_large = sum(not is_small(member) for member in data["groups"])
    if data["left_out_groups"] is None:
        return words.ONLY_NUMBER
    if (data["left_out"] or data["missing"]) and n_large > MOST_GROUPS:
        return words.MANY_GROUPS.format(n=MOST_GROUPS)
    return ""


def _begin(text: str) -> str:
    """Return a text as the beginning of a sentence."""
    text = text.lstrip(", ")
    return text[0].upper() + text[1:]


def _of_members(subject: Subject) -> Iterator[str]:
    """Return which groups or classes the verdict does not compare, or not in pairs."""
    names, verdict = subject.names, subject.verdict
    small = list(filter(is_small, names.members))
    n_small = sum(member["rows"] > 0 for member in small)
    if n_small and verdict["code"] != "cannot_say":
        parts = {"members": count(n_small, names.noun), "unit": names.data["unit"]}
        parts |= {"are": agree(n_small, "is", "are"), "them": agree(n_small, "it", "them")}
        yield words.NOT_COMPARED.format(least=FEW_ROWS, **parts)
    if verdict["comparison"] == ALL_ROWS and subject.gaps:
        n_pairs = comb(len(names.members) - len(small), 2)
        n = n_pairs * len({gap["of_class"] for gap in subject.gaps})
        yield words.VERY_MANY_GAPS.format(n=n, member=names.noun)


def _of_model(subject: Subject) -> Iterator[str]:
    """Return what a model does that explains its numbers."""
    names, verdict, model = subject.names, subject.verdict, subject.name
    if verdict["no_errors"]:
        if subject.has_several_models:
            yield words.MAKES_NO_ERRORS.format(model=model)
    elif verdict["constant"]:
        if subject.has_several_models:
            what = names.counted(verdict["constant"][0])
            yield f"{words.ONE_PREDICTION.format(model=model, what=what)}."
    elif names.has_two_classes:
        yield from _of_prevalence(subject)
        yield from _of_coding(subject)


def _of_prevalence(subject: Subject) -> Iterator[str]:
    """Return how often the positive class is predicted, if that is far from its share."""
    names, template = subject.names, words.PREVALENCE
    if subject.verdict["model"] in names.data["probabilities"] or not names.has_labels:
        template = words.PREVALENCE_OF_RATES
    for row in subject.records("frequency"):
        ratio = row["ratio"]
        if row["of_class"] != names.data["positive"] or ratio is None or _LEAST <= ratio <= _MOST:
            continue
        low, high = row["ratio_low"], row["ratio_high"]
        ends = "" if low is None else f", {Digits(0).ends(low, high)}"
        shares = {key: percent(row[key], 0) for key in ("predicted", "true", "ratio")}
        about = {"given": names.true, "model": subject.name, "of": names.counted(row["of_class"])}
        yield template.format(**about, **shares, ends=ends)


def _of_coding(subject: Subject) -> Iterator[str]:
    """Return whether labels of two classes may be coded the other way round."""
    data = subject.names.data
    if not subject.names.has_two_classes:
        return
    constant = max((row["true"] for row in subject.records("frequency")), default=1)
    accuracy = subject.metric("accuracy")
    # Answers that are missing count as wrong, and might have been right.
    missing = data["missing"].get(subject.verdict["model"], 0) / data["rows"]
    if accuracy and accuracy["high"] is not None and accuracy["high"] + missing < 1 - constant:
        shares = {"accuracy": percent(accuracy["value"], 0), "constant": percent(constant, 0)}
        yield words.CODING.format(model=subject.name, **shares)


def _of_spelling(names: Names) -> Iterator[str]:
    """Return names that look like one, and groups that are numbers."""
    for direction in ("A->T", "T->A"):
        yield from _alike(Names(direction, names.data))
    groups = [row["name"] for row in names.data["groups"]]
    if groups and all(isinstance(label, int | float) for label in groups):
        yield words.NUMBERS.format(feature=names.the_feature, names=join(map(name, groups)))


def _alike(names: Names) -> Iterator[str]:
    """Return pairs of members whose names read alike but for case or spaces."""
    labels, seen = [row["name"] for row in names.members], dict[str, tuple[Any, str]]()
    for label in labels:
        text = " ".join(on_one_line(label).casefold().split())
        key = normalize("NFC", text)
        if key in seen:
            other, its_text = seen[key]
            a, b = (name(x, among=tuple(labels)).strip("'") for x in (other, label))
            template = words.SPELLING if text == its_text else words.UNICODE_FORM
            yield template.format(members=names.nouns.capitalize(), a=a, b=b)
        seen[key] = label, text


def _of_missing_labels(names: Names) -> Iterator[str]:
    """Return labels that often stand for a missing value, with their rows."""
    data = names.data
    columns = {names.the_feature: data["groups"]}
    if data["kind"] != "tasks":
        columns[data["label"] or words.THE_LABELS] = data["classes"]
    for column, members in columns.items():
        rows: Counter[Any] = Counter()
        for row in members:
            levels = row["name"] if isinstance(row["name"], tuple) else (row["name"],)
            rows.update(dict.fromkeys(levels, row["rows"]))
        for label, n in rows.items():
            is_unknown = label == -1 and 0 in rows and 1 in rows
            if n and (is_unknown or looks_missing(label)):
                yield note_on_missing(name(column), label, n)


def _of_missing_rates(summary: Summary, names: Names) -> Iterator[str]:
    """Return groups without positives or negatives, which leave a difference without a value."""
    for record in summary["largest"]:
        rates = zip(record["groups"], record["rates"], strict=True)
        groups = [names.group(group) for group, rate in rates if rate is None]
        measure, have = MEASURES[record["measure"]], agree(len(groups), "has", "have")
        if groups and measure.labelled:
            parts = {"kind": f"{measure.labelled}s", "measure": measure.plural}
            yield words.NO_RATE.format(names=join(groups), have=have, **parts)


def _of_rates(subjects: list[Subject]) -> Iterator[str]:
    """Return how many rates of BA are 0 on both sides."""
    for subject in subjects:
        k = sum(row["true"] == 0 == row["predicted"] for row in subject.rates)
        if k:
            parts = {"are": agree(k, "is", "are"), "true": subject.names.true}
            yield words.RATES_OF_0.format(k=k, m=len(subject.rates), **parts)


def _of_comparison(summary: Summary, names: Names) -> Iterator[str]:
    """Return what decides signs, and what holds of every report."""
    data = names.data
    if data["reference"] is not None:
        rows = count(data["reference"], "reference row")
        yield words.SIGNS_FROM_REFERENCE.format(rows=rows)
    elif names.has_labels:
        yield words.NO_REFERENCE
    else:
        yield words.RATES_ARE_A_CHOICE
    if any(record["key"].startswith("multi") for record in summary["metrics"]):
        yield words.MULTI_HAS_NO_SIGN
    if "T->A" in data["directions"]:
        yield words.MEANING_OF_PREDICTED.format(feature=names.the_feature)
    yield words.COMPARE_LIKE
    yield words.NEED_NOT_BE_FAIR
    if names.has_labels:
        yield words.LABELS_AS_THEY_ARE
