"""Tables of a report against its own summary, cell by cell: row i is record i."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from contradictions.below_tables import MEASURES
from contradictions.directions import CODES, Direction, is_clear
from contradictions.printed import (
    NUMBER,
    are_ends,
    is_change,
    is_near,
    is_rate,
    shown,
    spaced,
    tables,
    value,
)

Cell = Callable[[Direction, str, Any], Any]


def point(key: str) -> Cell:
    return lambda d, text, x: text == "–" if x[key] is None else is_near(text, x[key])


def rate(key: str) -> Cell:
    return lambda d, text, x: is_rate(text, x[key])


def whole(key: str) -> Cell:
    return lambda d, text, x: value(text) == x[key]


def ends(low: str = "low", high: str = "high", unit: str = "") -> Cell:
    def check(d: Direction, text: str, x: Any) -> bool:
        if x[low] is None or text == "–":
            return text == "–" and x[low] is None
        numbers = re.findall(NUMBER, text.replace("%", ""))
        return are_ends(numbers, {"low": x[low], "high": x[high]})

    return check


def named(key: str, namer: str) -> Cell:
    return lambda d, text, x: text == spaced(getattr(d, namer)(x[key]))


def label(key: str) -> Cell:
    return lambda d, text, x: text == spaced(shown(x[key])).replace("->", "→")


def metric_value(d: Direction, text: str, x: Any) -> bool:
    return is_rate(text, x["value"]) if x["key"] == "accuracy" else point("value")(d, text, x)


def sides(d: Direction, text: str, x: Any) -> bool:
    return text == spaced(f"{d.member(x['first'])} − {d.member(x['second'])}")


def ratio(d: Direction, text: str, x: Any) -> bool:
    known = [x["ratio"], x["ratio_low"], x["ratio_high"]]
    numbers = re.findall(NUMBER, text)
    return all(is_near(n, y, 1) for n, y in zip(numbers, known, strict=False)) and (
        len(numbers) == sum(y is not None for y in known)
    )


def extreme(choose: Any) -> Cell:
    def check(d: Direction, text: str, x: Any) -> bool:
        rates = x["rates"]
        return is_rate(text, None if None in rates or not rates else choose(rates))

    return check


def status(d: Direction, text: str, x: Any) -> bool:
    unclear = "size not clear" if is_clear(x) else "not clear"
    return text == {"unclear": unclear}.get(x["status"], x["status"])


def models(d: Direction, text: str, x: Any) -> bool:
    return text == spaced(f"{shown(x['model'])} − {shown(x['first'])}")


def sign(d: Direction, text: str, x: Any) -> bool:
    return text == {1: "+", 0: "0", -1: "−"}[x["sign"]]


def arrow(d: Direction, text: str, gap: Any) -> bool:
    """Return whether "12 → 24", or "North +10 → South +8", is a gap."""
    for printed, number in zip(text.split(" → "), (gap["true"], gap["predicted"]), strict=True):
        size = re.search(rf"(?:^|(.*) )({NUMBER})$", printed)
        if not size or not is_near(size[2].lstrip("+"), abs(number)):
            return False
        side = spaced(d.member(gap["first" if number > 0 else "second"]))
        if value(size[2]) and (size[1] or spaced(d.member(gap["first"]))) != side:
            return False
    return True


SIDE = {"groups": sides, "classes": sides, "tasks": sides}
OF = {"class": named("of_class", "counted"), "task": named("of_class", "counted")}
OF |= {"group": named("of_class", "counted")}
MEMBER = {
    "group": named("group", "member"),
    "class": named("group", "member"),
    "task": named("group", "member"),
}
MODEL = {"model": label("model"), "metric": label("name")}
RATES = {
    "label rate": rate("true"),
    "given rate": rate("true"),
    "predicted rate": rate("predicted"),
}

#: By the beginning of the caption: the part of the summary, and the check of each column.
PARTS: dict[str, tuple[str, dict[str, Cell]]] = {
    "Gaps between": (
        "gaps",
        SIDE
        | OF
        | {
            "gap in the labels": point("true"),
            "gap in the given rates": point("true"),
            "predicted gap": point("predicted"),
            "change": point("value"),
            "band": ends(),
            "status": status,
        },
    ),
    "Rates by": (
        "rates",
        MEMBER
        | RATES
        | {"rows": whole("rows"), "change, points": point("change"), "FPR": rate("fpr")}
        | {"TPR": rate("tpr")},
    ),
    "Rates behind BA": (
        "pairs",
        MEMBER
        | RATES
        | {
            "sign in the reference": sign,
            "part of BA": point("value"),
            "band": ends("band_low", "band_high"),
        },
    ),
    "All metrics": ("metrics", MODEL | {"value": metric_value, "interval": ends()}),
    "The levels behind": (
        "levels",
        MODEL
        | {"level in the labels": point("true"), "level in the predictions": point("predicted")},
    ),
    "Compared with equal error rates": (
        "equal_errors",
        MODEL
        | {
            "value": point("actual"),
            "with equal error rates": point("equal_errors"),
            "excess": point("value"),
            "interval": ends(),
        },
    ),
    "Differences from the first model": (
        "differences",
        MODEL | {"models": models, "difference": point("value"), "band": ends()},
    ),
    "Largest differences": (
        "largest",
        MODEL
        | {
            "measure": lambda d, text, x: MEASURES[text] == x["measure"],
            "lowest": extreme(min),
            "highest": extreme(max),
            "difference, points": point("value"),
            "interval": ends(),
            "ratio": lambda d, text, x: text == "–" if x["ratio"] is None else ratio(d, text, x),
        },
    ),
    "Frequency of each": (
        "frequency",
        {
            **OF,
            "labels": rate("true"),
            "given rates": rate("true"),
            "predictions": rate("predicted"),
            "ratio, %": point("ratio"),
        },
    ),
}
PARTS["Thresholds of the score"] = (
    "thresholds",
    MODEL
    | {
        "threshold": lambda d, text, x: (
            text == ("one for each group" if x["threshold"] is None else f"{x['threshold']:g}")
        ),
        "predicted positive": rate("predicted_positive"),
        "gap, points": point("gap"),
        "BA, points": point("ba"),
        "BA with equal error rates": point("ba_equal_errors"),
        "FPR difference, points": point("fpr_difference"),
        "accuracy": rate("accuracy"),
    },
)
PARTS["Strata"] = (
    "strata",
    MODEL
    | {
        "stratum": label("stratum"),
        "rows": whole("rows"),
        "value": point("value"),
        "interval": ends(),
    },
)
MEMBERS: dict[str, Cell] = {"rows": whole("rows"), "share of rows": rate("share")}
CHANGE_HEADS = ("change, points", "mean change of")


def wrong_cells(report: Any) -> Iterator[str]:
    """Yield the cells that differ from the summary, and the heads that are not known."""
    summary = report.summary
    directions = {name: Direction(summary, name) for name in summary["data"]["directions"]}
    for caption, (head, *rows) in tables(report.to_markdown()):
        texts = [[spaced(text) for text in row] for row in rows]
        for direction, records, checks in _records(summary, directions, caption, head):
            for column, name in enumerate(head):
                check = _check_of(checks, name, column)
                if check is None:
                    yield f"{caption}: head {name!r}"
                    continue
                for row, record in zip(texts, records, strict=False):
                    if not check(direction, row[column], record):
                        yield f"{caption}, {name}: {row}"
            if len(texts) != min(len(records), 40):
                yield f"{caption}: {len(texts)} rows of {len(records)}"


def _check_of(checks: dict[str, Cell], name: str, column: int) -> Cell | None:
    """Return the check of a column; a second one of a name is what a rate counts."""
    if column == 1 and name in OF and ("rows" in checks or "sign in the reference" in checks):
        return OF[name]
    if column == 0 and name in OF and name in MEMBER and "status" not in checks:
        return checks.get(name)
    return checks.get(name) or next(
        (check for key, check in checks.items() if key.endswith("*") and name.startswith(key[:-1])),
        None,
    )


def _records(
    summary: Any, directions: dict[str, Direction], caption: str, head: list[str]
) -> Iterator[tuple[Direction, list[Any], dict[str, Cell]]]:
    """Yield the direction, the records and the checks of a table; pictures are left out."""
    own = [d for name, d in directions.items() if f"({name.replace('->', '→')})" in caption]
    direction = (own or list(directions.values()))[0]
    if head[:2] == ["model", "verdict"]:
        yield direction, _models(direction), OF_MODELS
    if caption in ("Groups", "Classes", "Tasks"):
        part = "groups" if caption == "Groups" else "classes"
        name: Cell = named("name", "group" if caption == "Groups" else "class_")
        yield direction, summary["data"][part], MEMBERS | {head[0]: name}
    for start, (part, checks) in PARTS.items():
        if (
            not caption.startswith(start)
            or "most certain changes of" in caption
            or head[0] == "gap"
        ):
            continue
        records = summary[part]
        if part in ("gaps", "rates", "pairs", "frequency", "largest"):
            records = [x for x in records if x.get("direction", direction.name) == direction.name]
            if part in ("rates", "pairs"):
                records = [x for x in records if direction.is_compared(x)]
            several = len(summary["data"]["models"]) > 1
            models = [x["model"] for x in direction.verdicts]
            told = (
                [x for x in models if f", {spaced(shown(x))}" in spaced(caption)]
                if several
                else models
            )
            records = [x for x in records if x["model"] == told[-1]]
        yield direction, records, checks


def _models(d: Direction) -> list[Any]:
    """Return what the first table says of each model."""
    records = []
    for verdict in d.verdicts:
        model = verdict["model"]
        gaps = [gap for gap in d.every_gap if gap["model"] == model]
        changed = [gap for gap in gaps if gap["status"] != "unclear"]
        gap = gaps[0] if len(gaps) == 1 else (changed or [None])[0]
        ba, accuracy = (d.metric(key, model) for key in (f"ba_{d.suffix}", "accuracy"))
        nothing = {"value": None, "low": None, "high": None}
        change = gaps[0] if len(gaps) == 1 else verdict
        records.append(
            {
                "model": model,
                "code": verdict["code"],
                "accuracy": None if accuracy is None or d.is_reversed else accuracy["value"],
                "gap": gap,
                "gaps": gaps,
                "verdict": verdict,
                "change": change,
                **(ba or nothing),
                "beyond": None if gap is None else gap["beyond"],
                "beyond_low": None if gap is None else gap["beyond_low"],
                "beyond_high": None if gap is None else gap["beyond_high"],
            }
        )
    return records


def gap_cell(d: Direction, text: str, x: Any) -> bool:
    if x["gap"] is None:
        return text == "–"
    counts = re.search(r", (\d[\d,]* of .*)$", text) if len(x["gaps"]) > 1 else None
    if len(x["gaps"]) > 1:
        changed = [gap["status"] for gap in x["gaps"] if gap["status"] != "unclear"]
        numbers = [
            int(value(n)) for n in re.findall(r"(?:^|, )([\d,]*\d)", counts[1] if counts else "")
        ]
        if (
            sum(numbers) != len(changed)
            or not counts
            or f" of {len(x['gaps']):,} " not in counts[0]
        ):
            return False
        text = text[: counts.start()]
    return arrow(d, text, x["gap"])


def change_cell(d: Direction, text: str, x: Any) -> bool:
    if x["change"]["value"] is None:
        return text == "–"
    counts = re.search(r", ([\d,]+) of ([\d,]+)$", text)
    if counts:
        numbers = [int(value(n)) for n in counts.groups()]
        if numbers != [x["verdict"]["n_in_mean"], x["verdict"]["n_gaps"]]:
            return False
        text = text[: counts.start()]
    return is_change(text.replace(" (", " points ("), x["change"])


def beyond_cell(d: Direction, text: str, x: Any) -> bool:
    if text == "–":  # A constant prediction leaves 0 on both sides.
        return x["beyond"] in (None, 0) and x["beyond_low"] in (None, 0)
    number = {"value": x["beyond"], "low": x["beyond_low"], "high": x["beyond_high"]}
    return is_change(text.replace(" (", " points ("), number)


OF_MODELS: dict[str, Cell] = {
    "model": label("model"),
    "verdict": lambda d, text, x: CODES[text] == x["code"],
    "accuracy": rate("accuracy"),
    "gap, points": gap_cell,
    "gap with the most certain change, points": gap_cell,
    "change, points": change_cell,
    "mean change of*": change_cell,
    "bias amplification (BA), points": point("value"),
    "interval": ends(),
    "gap beyond equal error rates, points": beyond_cell,
}
