"""The pictures of a report: rates by group with the named gap below them, and the gaps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from biasamp_adapters import words
from biasamp_adapters.audit.names import Names
from biasamp_adapters.audit.summary import GapRecord, RateRecord, Summary, VerdictRecord
from biasamp_adapters.figures import MINUS, Digits, count, error_rate, name, unit_of, with_unit
from biasamp_adapters.report import cells
from biasamp_adapters.report.document import Cell, Column, Mark, Scale, Table, Tone

#: More groups, gaps or steps of an axis are not drawn.
MOST_GROUPS, MOST_GAPS, MOST_STEPS = 12, 10, 6


def rates_pictures(
    summary: Summary, verdicts: Sequence[VerdictRecord], names: Names
) -> list[Table]:
    """Return the rates by group of each model, all on one scale."""
    shown = [_rates_shown(summary, verdict) for verdict in verdicts]
    rows = [
        _rows(summary, verdict, rates, names)
        for verdict, rates in zip(verdicts, shown, strict=True)
    ]
    marks = [row[1].mark for panel in rows for row in panel if row[1].mark is not None]
    columns = [
        Column(names.noun),
        Column("", "chart", scale_of((end for x in marks for end in (x.start, x.end)), "%")),
        Column("rate", "number"),
        Column("FPR", "number", wide=True, term="FPR, TPR"),
        Column("TPR", "number", wide=True, term="FPR, TPR"),
    ]
    if not any(rate["fpr"] is not None for rates in shown for rate in rates):
        columns = columns[:3]
    tables = []
    for verdict, rates, panel in zip(verdicts, shown, rows, strict=True):
        caption = _caption(summary, verdict, names, len(rates)) if len(verdicts) > 1 else ""
        left_out = len(_rates_compared(summary, verdict)) - len(rates)
        total = len(panel) + left_out if left_out else 0
        panel = [row[: len(columns)] for row in panel]
        tables.append(Table(caption, columns, panel, total=total, part="rates"))
    return tables


def class_shown(summary: Summary, verdict: VerdictRecord) -> object:
    """Return the class whose rates are drawn: that of the named gap, or of the first one."""
    gap = cells.named_gap(summary, verdict)
    if gap:
        return gap["of_class"]
    gaps = cells.gaps_of(summary, verdict)
    if gaps:
        return gaps[0]["of_class"]
    positive = summary["data"]["positive"]
    if positive is not None and verdict["direction"] == "A->T":
        return positive
    return rates_of(summary, verdict)[-1]["of_class"]


def rates_of(summary: Summary, verdict: VerdictRecord) -> list[RateRecord]:
    """Return the rates of one model in one direction."""
    key = (verdict["model"], verdict["direction"])
    return [rate for rate in summary["rates"] if (rate["model"], rate["direction"]) == key]


def _rates_compared(summary: Summary, verdict: VerdictRecord) -> list[RateRecord]:
    """Return the rates of one class; of all groups only without a verdict."""
    of_class, gaps = class_shown(summary, verdict), cells.gaps_of(summary, verdict)
    rates = [rate for rate in rates_of(summary, verdict) if rate["of_class"] == of_class]
    gaps = [gap for gap in gaps if gap["of_class"] == of_class]
    compared = [side for gap in gaps for side in (gap["first"], gap["second"])]
    return [rate for rate in rates if rate["group"] in compared] if gaps else rates


def _rates_shown(summary: Summary, verdict: VerdictRecord) -> list[RateRecord]:
    """Return the rates to draw, the highest first: those of the named gap, and of large groups."""
    gap = cells.named_gap(summary, verdict)
    named = (gap["first"], gap["second"]) if gap else ()

    def importance(rate: RateRecord) -> tuple[bool, int]:
        return rate["group"] in named, rate["rows"]

    rates = sorted(_rates_compared(summary, verdict), key=importance, reverse=True)
    return sorted(rates[:MOST_GROUPS], key=lambda rate: rate["true"] or 0.0, reverse=True)


def _caption(summary: Summary, verdict: VerdictRecord, names: Names, groups: int) -> str:
    """Return the name of a model and, of several gaps, the one of the bars."""
    gap = cells.named_gap(summary, verdict)
    if gap is None or groups == 2:
        return name(verdict["model"])
    return f"{name(verdict['model'])}, bars: {cells.sides(gap, names)}"


def _rows(
    summary: Summary, verdict: VerdictRecord, rates: Sequence[RateRecord], names: Names
) -> list[list[Cell]]:
    """Return the rows of a picture of rates: one for each group, then the bars."""
    gap = cells.named_gap(summary, verdict)
    if gap is None:
        digits = Digits.of(*rates)
        return [_rate_row(rate, names, digits, "unclear") for rate in rates]
    rows, named = [], (gap["first"], gap["second"])
    for rate in rates:
        tone = cells.tone_of(gap["status"]) if rate["group"] in named else "unclear"
        rows.append(_rate_row(rate, names, Digits.of(gap), tone))
    return [*rows, *_bars(summary, verdict, gap, names)]


def _rate_row(rate: RateRecord, names: Names, digits: Digits, tone: Tone) -> list[Cell]:
    """Return the rate of one group, with its errors."""
    mark = None
    if rate["predicted"] is not None:
        mark = Mark("dumbbell", rate["predicted"], rate["true"], guide=rate["overall"])
    fpr, tpr = error_rate(rate["fpr"]), error_rate(rate["tpr"])
    has_errors = rate["fpr"] is not None or rate["tpr"] is not None
    narrow = f"FPR {fpr} · TPR {tpr}" if has_errors else ""
    return [
        Cell(names.member(rate["group"]), count(rate["rows"], "row"), narrow=narrow),
        Cell(tone=tone, mark=mark),
        Cell(cells.rates(rate["true"], rate["predicted"], digits), tone=tone),
        Cell(fpr),
        Cell(tpr),
    ]


def _bars(
    summary: Summary, verdict: VerdictRecord, gap: GapRecord, names: Names
) -> list[list[Cell]]:
    """Return the gap in labels, scores and predictions, and with equal error rates."""
    bars = [(f"gap in the {names.true}", gap["first_true"], gap["second_true"])]
    score = _score_of(summary, verdict, gap)
    if score:
        bars.append(("gap that the scores imply", *score))
    bars.append(("gap in the predictions", gap["first_predicted"], gap["second_predicted"]))
    if gap["first_equal"] is not None and gap["second_equal"] is not None:
        bars.append(("with equal error rates", gap["first_equal"], gap["second_equal"]))
    rows = []
    for text, first, second in bars:
        is_predicted = text == "gap in the predictions"
        tone = cells.tone_of(gap["status"]) if is_predicted else "unclear"
        mark = Mark("bar" if is_predicted else "hollow bar", first, second)
        size = Cell(_size(first - second, gap, names), tone=tone)
        rows.append([Cell(text), Cell(tone=tone, mark=mark), size, Cell(), Cell()])
    return rows


def _score_of(
    summary: Summary, verdict: VerdictRecord, gap: GapRecord
) -> tuple[float, float] | None:
    """Return the rates of the two groups that the scores imply."""
    key = (verdict["model"], cells.gaps_of(summary, verdict).index(gap))
    for score in summary["scores"] if verdict["direction"] == "A->T" else []:
        first, second = score["first"], score["second"]
        if (score["model"], score["gap"]) == key and first is not None and second is not None:
            return first, second
    return None


def _size(size: float, gap: GapRecord, names: Names) -> str:
    """Return what stands beside a bar: "12 points", "South +8 points"."""
    digits = Digits.of(gap)
    text = digits.number(size)
    if text.startswith(MINUS):
        return cells.size_with_side(size, gap, names, digits) + unit_of(text)
    return with_unit(text)


def gaps_picture(summary: Summary, verdict: VerdictRecord, names: Names) -> Table:
    """Return the most certain changes of gaps, from the labels to the predictions."""
    caption = name(verdict["model"]) if len(summary["data"]["models"]) > 1 else ""
    everything = cells.gaps_of(summary, verdict)
    gaps, digits = everything[:MOST_GAPS], Digits.of(*everything[:MOST_GAPS])
    several = any(gap["of_class"] != gaps[0]["of_class"] for gap in everything)
    rows = []
    for gap in gaps:
        tone, pair = cells.tone_of(gap["status"]), cells.sides(gap, names)
        mark = Mark("dumbbell", gap["predicted"], gap["true"], *_band(gap), guide=0.0)
        rows.append(
            [
                Cell(names.counted(gap["of_class"]), pair) if several else Cell(pair),
                Cell(tone=tone, mark=mark),
                Cell(cells.arrow(gap, names, digits), tone=tone),
                Cell(cells.status(gap), digits.change(gap), tone),
            ]
        )
    ends = [end for gap in gaps for end in (gap["true"], gap["predicted"], *_band(gap))]
    columns = [
        Column("gap"),
        Column("", "chart", scale_of(ends)),
        Column("points", "number"),
        Column("change, with its band", wide=True, term="band"),
    ]
    return Table(caption, columns, rows, rounding(gaps, digits), part="gaps")


def _band(gap: GapRecord) -> tuple[float | None, float | None]:
    """Return where the predicted gap would lie at the ends of the band of its change."""
    if gap["low"] is None or gap["high"] is None:
        return None, None
    return gap["true"] + gap["low"], gap["true"] + gap["high"]


def rounding(gaps: Sequence[GapRecord], digits: Digits) -> list[str]:
    """Return a line on the first change that is not the difference of two gaps as printed."""
    for gap in gaps:
        values = (gap["true"], gap["predicted"], gap["value"])
        true, predicted, change = (round(100 * (x or 0.0), digits.decimals) for x in values)
        if gap["value"] is not None and not math.isclose(predicted - true, change, abs_tol=1e-9):
            before, after = digits.number(gap["true"]), digits.number(gap["predicted"])
            u = digits.number(gap["value"], "+")
            return [words.ROUNDED.format(before=before, after=after, change=u)]
    return []


def scale_of(
    values: Iterable[float | None], unit: str = "", symmetric: bool = False, most: int = MOST_STEPS
) -> Scale:
    """Return an axis that holds 0 and all values, with ticks at round numbers."""
    known = [100 * value for value in values if value is not None]
    low, high = min([0.0, *known]), max([0.0, *known])
    if symmetric:
        high = max(high, -low)
        low = -high
    step = _step((high - low) or 1.0, most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    ticks = [
        (i * step / 100, f"{i * step:.4g}{unit}".replace("-", MINUS))
        for i in range(first, last + 1)
    ]
    return Scale(first * step / 100, last * step / 100, ticks)


def _step(width: float, most: int) -> float:
    """Return the smallest of 1, 2, 5, 10 ... that the width holds at most so many times."""
    power = 10.0 ** math.floor(math.log10(width / most))
    steps = (power * first for first in (1, 2, 5, 10, 20))
    return next(step for step in steps if width / step <= most + 1e-9)
