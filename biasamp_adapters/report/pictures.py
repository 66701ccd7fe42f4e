"""The pictures of a report: rates by group with the named gap below them, and the gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from biasamp_adapters.auditing.subject import Subject, Tone, tone_of
from biasamp_adapters.auditing.summary import GapRecord, RateRecord
from biasamp_adapters.figures import MINUS, Digits, count, error_rate, unit_of, with_unit
from biasamp_adapters.report import tables
from biasamp_adapters.report.document import Cell, Column, Mark, Scale, Table

#: More gaps or groups are not drawn.
MOST_GAPS, MOST_GROUPS = 10, 12


def class_drawn(model: Subject) -> Any:
    """Return the class (for T->A, the group) whose rates are drawn: that of the first gap."""
    if model.gap or model.gaps:
        return (model.gap or model.gaps[0])["of_class"]
    positive = model.summary["data"]["positive"]
    if positive is None or model.names.compares_classes:
        return model.rates[-1]["of_class"]
    return positive


def rates_compared(model: Subject) -> list[RateRecord]:
    """Return the rates of the class, the highest first; without a verdict those of all groups."""
    of_class = class_drawn(model)
    gaps = [gap for gap in model.gaps if gap["of_class"] == of_class]
    compared = [side for gap in gaps for side in (gap["first"], gap["second"])]
    return [
        rate
        for rate in sorted(model.rates, key=lambda rate: -(rate["true"] or 0.0))
        if rate["of_class"] == of_class and (not gaps or rate["group"] in compared)
    ]


def rates_drawn(model: Subject) -> list[RateRecord]:
    """Return the rates of the class, without the smallest groups if there are many."""
    compared = rates_compared(model)
    kept = sorted(compared, key=lambda x: (_is_named(model, x["group"]), x["rows"]), reverse=True)
    return [rate for rate in compared if rate in kept[:MOST_GROUPS]]


def _is_named(model: Subject, group: Any) -> bool:
    """Return whether a group is one of the two of the named gap."""
    return model.gap is not None and group in (model.gap["first"], model.gap["second"])


def rates_picture(model: Subject, caption: str) -> Table:
    """Return the rates by group of one class, and the named gap as bars below them."""
    drawn = rates_drawn(model)
    digits = Digits.of(model.gap) if model.gap else Digits.of(*drawn)
    rows = [*(_rate(model, rate, digits) for rate in drawn), *_bars(model)]
    marks = [row[1].mark for row in rows if row[1].mark]
    columns = [
        Column(model.names.noun),
        Column("", "chart", Scale.over([end for x in marks for end in (x.start, x.end)], "%")),
        Column("rate", "number"),
        Column("FPR", "number", wide=True, term="FPR, TPR"),
        Column("TPR", "number", wide=True, term="FPR, TPR"),
    ]
    table = Table(caption, columns, rows, part="rates")
    has_errors = any(rate["fpr"] is not None or rate["tpr"] is not None for rate in drawn)
    return table if has_errors else table.with_columns([0, 1, 2])


def on_one_scale(pictures: Sequence[Table]) -> list[Table]:
    """Return pictures that share the axis of the rates."""
    scales = [picture.columns[1].scale for picture in pictures]
    scale = Scale.over([end for x in scales if x for end in (x.low, x.high)], "%")
    return [
        replace(x, columns=[x.columns[0], replace(x.columns[1], scale=scale), *x.columns[2:]])
        for x in pictures
    ]


def _rate(model: Subject, rate: RateRecord, digits: Digits) -> list[Cell]:
    """Return the row of a group: its rates, and its errors."""
    tone: Tone = "unclear"
    if model.gap and _is_named(model, rate["group"]):
        tone = tone_of(model.gap["status"])
    mark = None
    if rate["predicted"] is not None:
        mark = Mark("dumbbell", rate["predicted"], rate["true"], guide=rate["overall"])
    true, predicted = digits.rate(rate["true"]), digits.rate(rate["predicted"])
    fpr, tpr = error_rate(rate["fpr"]), error_rate(rate["tpr"])
    return [
        Cell(
            model.names.member(rate["group"]),
            count(rate["rows"], "row"),
            narrow="" if rate["fpr"] is None else f"FPR {fpr} · TPR {tpr}",
        ),
        Cell(tone=tone, mark=mark),
        Cell(f"{true.removesuffix('%')} {tables.ARROW} {predicted}", tone=tone),
        Cell(fpr),
        Cell(tpr),
    ]


def _bars(model: Subject) -> list[list[Cell]]:
    """Return the named gap in labels, scores and predictions, and with equal error rates."""
    gap = model.gap
    if gap is None:
        return []
    score = model.score(model.gaps.index(gap))
    implied = (score["first"], score["second"]) if score else (None, None)
    bars = [
        (f"gap in the {model.names.true}", gap["first_true"], gap["second_true"]),
        ("gap that the scores imply", *implied),
        ("gap in the predictions", gap["first_predicted"], gap["second_predicted"]),
        ("with equal error rates", gap["first_equal"], gap["second_equal"]),
    ]
    rows = []
    for text, first, second in bars:
        if first is None or second is None:
            continue
        is_predicted = text == "gap in the predictions"
        tone = tone_of(gap["status"]) if is_predicted else "unclear"
        mark = Mark("bar" if is_predicted else "hollow bar", first, second)
        size = Cell(_size(model, gap, first - second), tone=tone)
        rows.append([Cell(text), Cell(tone=tone, mark=mark), size, Cell(), Cell()])
    return rows


def _size(model: Subject, gap: GapRecord, size: float) -> str:
    """Return what stands at a bar: "12 points", "South +8 points"."""
    digits = Digits.of(gap)
    text = digits.number(size)
    if text.startswith(MINUS):
        return tables.size_with_side(size, gap, model.names, digits) + unit_of(text)
    return with_unit(text)


def gaps_picture(model: Subject, caption: str) -> Table:
    """Return the most certain changes of gaps, from the labels to the predictions."""
    gaps, names = model.gaps[:MOST_GAPS], model.names
    digits = Digits.of(*gaps)
    several = any(gap["of_class"] != gaps[0]["of_class"] for gap in model.gaps)
    rows, ends = [], []
    for gap in gaps:
        tone, pair = tone_of(gap["status"]), tables.sides(gap, names)
        mark = Mark("dumbbell", gap["predicted"], gap["true"], *_band(gap), guide=0.0)
        ends += [mark.start, mark.end, mark.low, mark.high]
        rows.append(
            [
                Cell(names.counted(gap["of_class"]), pair) if several else Cell(pair),
                Cell(tone=tone, mark=mark),
                Cell(tables.arrow(gap, names, digits), tone=tone),
                Cell(tables.status_of(gap), digits.change(gap), tone),
            ]
        )
    columns = [
        Column("gap"),
        Column("", "chart", Scale.over(ends)),
        Column("points", "number"),
        Column("change, with its band", wide=True, term="band"),
    ]
    return Table(caption, columns, rows, tables.rounding(gaps, digits), part="gaps")


def _band(gap: GapRecord) -> tuple[float | None, float | None]:
    """Return where the predicted gap would lie at the ends of the band of its change."""
    if gap["low"] is None or gap["high"] is None:
        return None, None
    return gap["true"] + gap["low"], gap["true"] + gap["high"]
