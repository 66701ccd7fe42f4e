"""The pictures of a report: rates by group with the named gap below them, and the gaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from biasamp_adapters import words
from biasamp_adapters.auditing.subject import Subject, Tone, tone_of, verb_of_unclear
from biasamp_adapters.auditing.summary import RateRecord
from biasamp_adapters.figures import MINUS, NONE, Digits, agree, count, error_rate, unit_of
from biasamp_adapters.report.document import Cell, Column, Mark, Part, Scale, Table
from biasamp_adapters.report.tables import ARROW, arrow, rounding, sides, size_with_side, status_of

#: More gaps, groups or models are not drawn.
MOST_GAPS, MOST_GROUPS, MOST_PANELS = 10, 12, 3
_PREDICTED = "gap in the predictions"


def pictures(first: Subject, over: str) -> Iterator[Part]:
    """Yield the rates by group, in the order of models, and the gaps of the leading one."""
    if not first.rates:
        return
    has_several = first.has_several_models
    others = [model for model in first.models if model != first]
    left_out = others[MOST_PANELS - 1 :]
    drawn = [model for model in first.models if model not in left_out]
    panels = rates_pictures(drawn, [_caption(model) if has_several else "" for model in drawn])
    heading, brief = _heading_of_rates(first), [panels[drawn.index(first)]]
    yield Part(heading, _legend_of_rates(first), panels, over=over, brief=brief)
    total = len(first.gaps)
    if total > 1:
        which = ", most certain change first"
        if total > MOST_GAPS:
            which = f": the {MOST_GAPS} most certain changes of {total:,}"
        picture = gaps_picture(first, first.name if has_several else "")
        heading = f"Gaps between {first.names.nouns}{which}"
        yield Part(heading, _legend_of_gaps(first), [picture], over=over)


# Rates.


def class_drawn(model: Subject) -> Any:
    """Return the class (for T->A, the group) whose rates are drawn: that of the first gap."""
    if model.gap or model.gaps:
        return (model.gap or model.gaps[0])["of_class"]
    positive = model.summary["data"]["positive"]
    if positive is None or model.names.compares_classes:
        return model.rates[-1]["of_class"]
    return positive


def _rates_drawn(model: Subject, most: int | None = MOST_GROUPS) -> list[RateRecord]:
    """Return the rates of the class, the highest first, without the smallest groups if many.

    They are those of the groups that are compared; without a verdict, those of all groups.
    """
    of_class = class_drawn(model)
    gaps = [gap for gap in model.gaps if gap["of_class"] == of_class]
    compared = {side for gap in gaps for side in (gap["first"], gap["second"])}
    rates = [
        rate
        for rate in sorted(model.rates, key=lambda rate: -(rate["true"] or 0.0))
        if rate["of_class"] == of_class and (not gaps or rate["group"] in compared)
    ]
    named = _named(model)
    largest = sorted(rates, key=lambda x: (x["group"] in named, x["rows"]), reverse=True)[:most]
    kept = {rate["group"] for rate in largest}
    return [rate for rate in rates if rate["group"] in kept]


def _named(model: Subject) -> tuple[Any, ...]:
    """Return the two groups of the named gap, if there is one."""
    return (model.gap["first"], model.gap["second"]) if model.gap else ()


def _heading_of_rates(model: Subject) -> str:
    """Return what is drawn and, of many groups, of how many."""
    names, counted = model.names, model.names.counted(class_drawn(model))
    heading = f"Rates of {counted} by group"
    if names.compares_classes:
        heading = f"Share of {counted} by {names.noun}"
    n_drawn, n_rows = len(_rates_drawn(model)), len(_rates_drawn(model, None))
    return heading if n_drawn == n_rows else f"{heading}: {n_drawn} of {n_rows:,} {names.nouns}"


def _caption(model: Subject) -> str:
    """Return the name of a model and, of several gaps, the one of the bars."""
    if model.gap is None or len(_rates_drawn(model)) == 2:
        return model.name
    return f"{model.name}, bars: {sides(model.gap, model.names)}"


def _legend_of_rates(model: Subject) -> str:
    """Return what dots and line of the rates are and, of one model, the bars."""
    rate = words.RATE_IN_LABELS if model.names.has_labels else words.GIVEN_RATE
    legend = words.LEGEND_RATES.format(rate=rate)
    if model.gap is None or model.has_several_models:
        return legend
    a, b = map(model.names.member, _named(model))
    return f"{legend} {words.LEGEND_BARS.format(a=a, b=b)}"


def rates_pictures(models: Sequence[Subject], captions: Sequence[str]) -> list[Table]:
    """Return the rates by group of one class, and the named gap as bars below, on one axis."""
    rows = [[*_rates(model), *_bars(model)] for model in models]
    marks = [row[1].mark for of_model in rows for row in of_model if row[1].mark]
    columns = [
        Column(models[0].names.noun),
        Column("", "chart", Scale.over([end for x in marks for end in (x.start, x.end)], "%")),
        Column("rate", "number"),
        Column("FPR", "number", wide=True, term="FPR, TPR"),
        Column("TPR", "number", wide=True, term="FPR, TPR"),
    ]
    drawn = []
    for caption, of_model in zip(captions, rows, strict=True):
        table = Table(caption, columns, of_model, part="rates")
        has_errors = {cell.text for row in of_model for cell in row[3:]} - {"", NONE}
        drawn.append(table if has_errors else table.with_columns([0, 1, 2]))
    return drawn


def _rates(model: Subject) -> Iterator[list[Cell]]:
    """Yield the rows of groups: their rates, and their errors."""
    drawn = _rates_drawn(model)
    digits = Digits.of(model.gap) if model.gap else Digits.of(*drawn)
    for rate in drawn:
        tone: Tone = "unclear"
        if model.gap and rate["group"] in _named(model):
            tone = tone_of(model.gap["status"])
        mark = None
        if rate["predicted"] is not None:
            mark = Mark("dumbbell", rate["predicted"], rate["true"], guide=rate["overall"])
        true, predicted = digits.rate(rate["true"]), digits.rate(rate["predicted"])
        fpr, tpr = error_rate(rate["fpr"]), error_rate(rate["tpr"])
        narrow = "" if rate["fpr"] is None else f"FPR {fpr} · TPR {tpr}"
        yield [
            Cell(model.names.member(rate["group"]), count(rate["rows"], "row"), narrow=narrow),
            Cell(tone=tone, mark=mark),
            Cell(f"{true.removesuffix('%')} {ARROW} {predicted}", tone=tone),
            Cell(fpr),
            Cell(tpr),
        ]


def _bars(model: Subject) -> Iterator[list[Cell]]:
    """Yield the named gap in labels, scores and predictions, and with equal error rates."""
    gap = model.gap
    if gap is None:
        return
    digits, score = Digits.of(gap), model.score(model.gaps.index(gap))
    bars = {
        f"gap in the {model.names.true}": (gap["first_true"], gap["second_true"]),
        "gap that the scores imply": (score["first"], score["second"]) if score else (None, None),
        _PREDICTED: (gap["first_predicted"], gap["second_predicted"]),
        "with equal error rates": (gap["first_equal"], gap["second_equal"]),
    }
    for name, (first, second) in bars.items():
        if first is None or second is None:
            continue
        tone: Tone = tone_of(gap["status"]) if name == _PREDICTED else "unclear"
        mark = Mark("bar" if name == _PREDICTED else "hollow bar", first, second)
        text = side = digits.number(first - second)
        if text.startswith(MINUS):
            side = size_with_side(first - second, gap, model.names, digits)
        size = Cell(side + unit_of(text), tone=tone)
        yield [Cell(name), Cell(tone=tone, mark=mark), size, Cell(), Cell()]


# Gaps.


def gaps_picture(model: Subject, caption: str) -> Table:
    """Return the most certain changes of gaps, from the labels to the predictions."""
    gaps, names = model.gaps[:MOST_GAPS], model.names
    digits, rows, ends = Digits.of(*gaps), [], []
    for gap in gaps:
        tone, pair = tone_of(gap["status"]), sides(gap, names)
        # Where the predicted gap would lie at the ends of the band of its change.
        low, high = (None if x is None else gap["true"] + x for x in (gap["low"], gap["high"]))
        mark = Mark("dumbbell", gap["predicted"], gap["true"], low, high, guide=0.0)
        ends += [mark.start, mark.end, low, high]
        of_class = names.counted(gap["of_class"])
        rows.append(
            [
                Cell(of_class, pair) if model.has_several_classes else Cell(pair),
                Cell(tone=tone, mark=mark),
                Cell(arrow(gap, names, digits), tone=tone),
                Cell(status_of(gap), digits.change(gap), tone),
            ]
        )
    columns = [
        Column("gap"),
        Column("", "chart", Scale.over(ends)),
        Column("points", "number"),
        Column("change, with its band", wide=True, term="band"),
    ]
    return Table(caption, columns, rows, rounding(gaps, digits), part="gaps")


def _legend_of_gaps(model: Subject) -> str:
    """Return what dots, colours and bands of the gaps are."""
    gaps, legend = model.gaps[:MOST_GAPS], []
    if model.summary["data"]["kind"] == "tasks":
        legend.append(_rates_that_moved(model))
    legend.append(words.LEGEND_GAPS.format(true=model.names.true))
    gap, tones, (verb, _) = "the gap", {tone_of(x["status"]) for x in gaps}, verb_of_unclear(gaps)
    for tone, text in words.LEGEND_COLOURS.items():
        if tone in tones:
            legend.append(text.format(gap=gap, verb=verb))
            gap = "it"
    return " ".join([*legend, words.LEGEND_BAND])


def _rates_that_moved(model: Subject) -> str:
    """Return how many predicted rates are clearly above or below the rates in the labels."""
    compared = {gap["of_class"] for gap in model.gaps}
    rates = [rate for rate in model.rates if rate["of_class"] in compared]
    up = sum(rate["low"] is not None and rate["low"] > 0 for rate in rates)
    down = sum(rate["high"] is not None and rate["high"] < 0 for rate in rates)
    are, are_down = agree(up, "is", "are"), agree(down, "is", "are")
    counts = {"up": up, "m": len(rates), "down": down}
    return words.RATES_MOVED.format(**counts, are=are, are_down=are_down, true=model.names.true)
