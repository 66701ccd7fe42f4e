"""The table of the models, which the first screen shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from biasamp_adapters import words
from biasamp_adapters.audit.names import Names
from biasamp_adapters.audit.summary import GapRecord, Summary, VerdictRecord
from biasamp_adapters.figures import NONE, Digits, name
from biasamp_adapters.report import cells
from biasamp_adapters.report.document import Cell, Column, Mark, Table
from biasamp_adapters.report.pictures import scale_of

_NO_NUMBER: dict[str, Any] = {"value": None, "low": None, "high": None, "reason": ""}
_BA_KEYS = {"A->T": "ba_a_to_t", "T->A": "ba_t_to_a"}


def models(
    summary: Summary, verdicts: Sequence[VerdictRecord], names: Names, caption: str, line: str
) -> Table:
    """Return the table of the first screen: a row for each model, in the order given."""
    gaps = [cells.named_gap(summary, verdict) for verdict in verdicts]
    bas = [cells.metric_of(summary, x, _BA_KEYS[x["direction"]]) or _NO_NUMBER for x in verdicts]
    accuracies = [cells.metric_of(summary, x, "accuracy") or _NO_NUMBER for x in verdicts]
    digits = Digits.of(*accuracies)
    columns = [
        (Column("model"), [Cell(name(verdict["model"])) for verdict in verdicts]),
        (Column("verdict", "tag"), [_tag(verdict) for verdict in verdicts]),
        (
            Column("accuracy", "number", term="accuracy"),
            [Cell(digits.rate(accuracy["value"])) for accuracy in accuracies],
        ),
        *_gap_columns(summary, verdicts, gaps, names),
        (
            Column("bias amplification (BA), points", "number", term="BA"),
            [Cell(cells.number(ba).text) for ba in bas],
        ),
        (
            Column("interval", "number", wide=True, term="interval"),
            [cells.ends(ba, Digits.of(ba)) for ba in bas],
        ),
    ]
    if len(verdicts) > 1:
        head = Column("gap beyond equal error rates, points", "number", term="equal error rates")
        columns.append((head, [_beyond(gap) for gap in gaps]))
    reasons = cells.reasons(("BA", ba["reason"]) for ba in bas)
    lines = [line, *reasons] if line else reasons
    return _table(caption, "verdicts", columns, lines)


def _gap_columns(
    summary: Summary,
    verdicts: Sequence[VerdictRecord],
    gaps: Sequence[GapRecord | None],
    names: Names,
) -> list[tuple[Column, list[Cell]]]:
    """Return the named gaps, and the change of the only gap or the mean change of several."""
    judged = [verdict for verdict in verdicts if verdict["n_gaps"]]
    if not judged:
        return []
    heads = ("gap, points", "change, points")
    changes: list[Mapping[str, Any]] = [gap or _NO_NUMBER for gap in gaps]
    tones = [cells.tone_of(gap["status"]) if gap else "unclear" for gap in gaps]
    texts = [cells.number(change) for change in changes]
    if any(verdict["n_gaps"] > 1 for verdict in judged):
        counts = {f"{verdict['n_in_mean']:,} of {verdict['n_gaps']:,}" for verdict in judged}
        of_gaps = f"{counts.pop()} gaps" if len(counts) == 1 else "gaps"
        heads = ("gap with the most certain change, points", f"mean change of {of_gaps}, points")
        changes = list(verdicts)
        tones = [cells.tone_of_mean(verdict) for verdict in verdicts]
        texts = [_mean(verdict, bool(counts)) for verdict in verdicts]
    ends = [change[end] for change in changes for end in ("value", "low", "high")]
    marks = [_strip(change) for change in changes]
    strips = [Cell(tone=tone, mark=mark) for tone, mark in zip(tones, marks, strict=True)]
    named = [
        _named(summary, verdict, gap, names) for verdict, gap in zip(verdicts, gaps, strict=True)
    ]
    scale = scale_of(ends, symmetric=True, most=4)
    return [
        (Column(heads[0], "number", term="gap"), named),
        (Column(heads[1], "number", term="band"), texts),
        (Column("", "strip", scale, wide=True), strips),
    ]


def _tag(verdict: VerdictRecord) -> Cell:
    """Return the code in words."""
    return Cell(words.VERDICTS[verdict["code"]], tone=cells.tone_of(verdict["code"]))


def _strip(change: Mapping[str, Any]) -> Mark | None:
    """Return the interval of a change as a picture."""
    if change["low"] is None:
        return None
    return Mark("point", change["value"], low=change["low"], high=change["high"], guide=0.0)


def _mean(verdict: VerdictRecord, differs: bool) -> Cell:
    """Return the mean change and, where it differs between models, its number of gaps."""
    cell = cells.number(verdict)
    if not differs or cell.text == NONE:
        return cell
    of_gaps = f"{verdict['n_in_mean']:,} of {verdict['n_gaps']:,}"
    return Cell(cell.text, f"{cell.note}, {of_gaps}".removeprefix(", "))


def _named(summary: Summary, verdict: VerdictRecord, gap: GapRecord | None, names: Names) -> Cell:
    """Return the named gap and, of several gaps, how many change."""
    if gap is None:
        return Cell(NONE)
    text, tone = cells.arrow(gap, names, Digits.of(gap)), cells.tone_of(gap["status"])
    if verdict["n_gaps"] == 1:
        return Cell(text, tone=tone)
    statuses = [one["status"] for one in cells.gaps_of(summary, verdict)]
    numbers = [(statuses.count(status), verbs) for status, verbs in words.STATUSES.items()]
    counts = [f"{n:,} {verbs[n > 1]}" for n, verbs in numbers if n]
    first = counts[0].replace(" ", f" of {verdict['n_gaps']:,} ", 1)
    return Cell(text, ", ".join([first, *counts[1:]]), tone)


def _beyond(gap: GapRecord | None) -> Cell:
    """Return the predicted gap minus the one with equal error rates."""
    if gap is None or gap["beyond"] is None:
        return Cell(NONE)
    ends = {"low": gap["beyond_low"], "high": gap["beyond_high"]}
    return cells.number({"value": gap["beyond"], **ends})


def _table(
    caption: str, part: str, columns: Sequence[tuple[Column, Sequence[Cell]]], lines: Sequence[str]
) -> Table:
    """Return a table of whole columns."""
    rows = list(zip(*(column for _, column in columns), strict=True))
    return Table(caption, [head for head, _ in columns], rows, lines, part=part)
