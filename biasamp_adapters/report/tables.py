"""The table of the models, which the first screen shows, and what stands in cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from biasamp_adapters import words
from biasamp_adapters.auditing.subject import Names, Subject, Tone, subject_of, tone_of
from biasamp_adapters.auditing.summary import GapRecord, VerdictRecord, no_number
from biasamp_adapters.figures import MINUS, NONE, Digits, agree, is_clear, join
from biasamp_adapters.report.document import Cell, Column, Mark, Scale, Table

ARROW = "→"


def models(models: Sequence[Subject], caption: str, line: str) -> Table:
    """Return the table of the first screen: a row for each model, in the order given."""
    compares_classes = models[0].names.compares_classes
    key = "ba_t_to_a" if compares_classes else "ba_a_to_t"
    bas = [model.metric(key) or no_number() for model in models]
    accuracies = [model.metric("accuracy") or no_number() for model in models]
    digits = Digits.of(*accuracies)
    changes = [model.gaps[0] if len(model.gaps) == 1 else model.verdict for model in models]
    ends = [change[end] for change in changes for end in ("value", "low", "high")]
    gap_head, change_head = _heads(models)
    columns = [
        Column("model"),
        Column("verdict", "tag"),
        Column("accuracy", "number", term="accuracy"),
        Column(gap_head, "number", term="gap"),
        Column(change_head, "number", term="band"),
        Column("", "strip", Scale.over(ends, symmetric=True, most=4), wide=True),
        Column("bias amplification (BA), points", "number", term="BA"),
        Column("interval", "number", wide=True, term="interval"),
        Column("gap beyond equal error rates, points", "number", term="equal error rates"),
    ]
    rows = [
        [
            Cell(model.name),
            Cell(words.VERDICTS[model.verdict["code"]], tone=tone_of(model.verdict["code"])),
            Cell(digits.rate(accuracy["value"])),
            _gap(model),
            _change(model, change, "mean change of gaps" in change_head),
            _strip(model, change),
            Cell(number(ba).text),
            Cell(interval(ba, Digits.of(ba))),
            number(model.beyond),
        ]
        for model, accuracy, change, ba in zip(models, accuracies, changes, bas, strict=True)
    ]
    kept = list(range(9 if models[0].compares_beyond else 8))
    if not any(model.gaps for model in models):
        kept = [0, 1, 2, 6, 7]
    if compares_classes:
        kept.remove(2)  # The accuracy of predicted classes says nothing of predicted groups.
    lines = [line] if line else []
    shown = [model.gaps[0] for model in models if len(model.gaps) == 1]
    shown += subject_of(models[0].summary, models[0].verdict["direction"]).named
    lines += [text for gap in shown for text in rounding([gap], Digits.of(gap))][:1]
    lines += reasons(("BA", ba["reason"]) for ba in bas)
    return Table(caption, columns, rows, lines, part="verdicts").with_columns(kept)


def _heads(models: Sequence[Subject]) -> tuple[str, str]:
    """Return the heads of the gap and of its change."""
    judged = [model.verdict for model in models if model.gaps]
    if all(verdict["n_gaps"] == 1 for verdict in judged):
        return "gap, points", "change, points"
    counts = {_in_mean(verdict) for verdict in judged}
    gaps = f"{counts.pop()} gaps" if len(counts) == 1 else "gaps"
    return "gap with the most certain change, points", f"mean change of {gaps}, points"


def _in_mean(verdict: VerdictRecord) -> str:
    """Return how many gaps are in a mean: "5 of 10"."""
    return f"{verdict['n_in_mean']:,} of {verdict['n_gaps']:,}"


def _change(model: Subject, change: Mapping[str, Any], differs: bool) -> Cell:
    """Return a change and, where it differs between models, the number of gaps in a mean."""
    cell = number(change)
    if not differs or cell.text == NONE:
        return cell
    return replace(cell, note=", ".join(filter(None, [cell.note, _in_mean(model.verdict)])))


def _strip(model: Subject, change: Mapping[str, Any]) -> Cell:
    """Return the interval of a change as a picture."""
    if change["low"] is None:
        return Cell()
    tone: Tone = "unclear"
    if len(model.gaps) == 1:
        tone = tone_of(model.gaps[0]["status"])
    elif is_clear(change):
        tone = "up" if change["low"] > 0 else "down"
    mark = Mark("point", change["value"], low=change["low"], high=change["high"], guide=0.0)
    return Cell(tone=tone, mark=mark)


def _gap(model: Subject) -> Cell:
    """Return the named gap and, of several gaps, how many change."""
    if model.gap is None:
        return Cell(NONE)
    statuses, total = Counter(gap["status"] for gap in model.gaps), len(model.gaps)
    counts: list[str] = []
    for status, verbs in words.STATUSES.items():
        if total > 1 and (n := statuses[status]):
            of = "" if counts else f" of {total:,}"
            counts.append(f"{n:,}{of} {agree(n, *verbs)}")
    text = arrow(model.gap, model.names, Digits.of(model.gap))
    return Cell(text, ", ".join(counts), tone_of(model.gap["status"]))


# Cells.


def status_of(gap: GapRecord) -> str:
    """Return what happens to a gap, in a word; one that changes may do so in size or not."""
    unclear = words.SIZE_NOT_CLEAR if is_clear(gap) else words.NOT_CLEAR
    return words.STATUSES.get(gap["status"], (unclear, ""))[0]


def number(record: Mapping[str, Any]) -> Cell:
    """Return a number with its interval as a note."""
    if record["value"] is None:
        return Cell(NONE)
    text, _, ends = Digits.of(record).change(record).partition(" (")
    return Cell(text, f"({ends}" if ends else "")


def interval(record: Mapping[str, Any], digits: Digits, sign: str = "+") -> str:
    """Return an interval alone."""
    if record["low"] is None or record["high"] is None:
        return NONE
    return digits.ends(record["low"], record["high"], sign)


def sides(gap: GapRecord, names: Names) -> str:
    """Return what a gap compares: "North − South"."""
    return f"{names.member(gap['first'])} {MINUS} {names.member(gap['second'])}"


def arrow(gap: GapRecord, names: Names, digits: Digits) -> str:
    """Return a gap in the labels and in the predictions: "12 → 24", "North +10 → South +8"."""
    sizes = [gap["true"], gap["predicted"]]
    texts = [digits.number(size) for size in sizes]
    if any(text.startswith(MINUS) for text in texts):
        texts = [size_with_side(size, gap, names, digits) for size in sizes]
    return f" {ARROW} ".join(texts)


def size_with_side(size: float, gap: GapRecord, names: Names, digits: Digits) -> str:
    """Return the size of a gap with the side that has the higher rate: "South +8"."""
    text = digits.number(abs(size), "+")
    if not text.startswith("+"):
        return text
    return f"{names.member(gap['first' if size > 0 else 'second'])} {text}"


# Lines below tables.


def reasons(numbers: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each reason why numbers have no interval, with their names."""
    names: dict[str, list[str]] = {}
    for name, reason in numbers:
        if reason and name not in names.setdefault(reason, []):
            names[reason].append(name)
    return [
        words.NO_INTERVAL_OF.format(names=join(of, limit=8), reason=reason)
        for reason, of in names.items()
    ]


def rounding(gaps: Sequence[GapRecord], digits: Digits) -> list[str]:
    """Return a line on the first change that is not the difference of two gaps as printed."""
    for gap in gaps:
        values = (gap["true"], gap["predicted"], gap["value"] or 0.0)
        true, predicted, change = (round(100 * value, digits.decimals) for value in values)
        if not math.isclose(predicted - true, change, abs_tol=1e-9):
            before, after = map(digits.number, values[:2])
            change_in_words = digits.number(values[2], "+")
            return [words.ROUNDED.format(before=before, after=after, change=change_in_words)]
    return []
