"""The tables that are folded: lists of fields of the records of one part of the summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from biasamp_adapters import words
from biasamp_adapters.auditing.facts import head
from biasamp_adapters.auditing.gap_sentences import largest_sentences, measure_of
from biasamp_adapters.auditing.subject import Names, Subject, names_of, subject_of
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.figures import MINUS, NONE, Digits, error_rate, percent, ratio, sign_of
from biasamp_adapters.report import tables
from biasamp_adapters.report.document import Cell, Column, Kind, Table
from biasamp_adapters.report.pictures import class_drawn

#: Keys whose column is left out where all records have the same value.
_SAME = ("model", "of_class")
_TEXT = ("text", "member", "counted", "sides", "status", "models", "threshold", "measure")


class Field(NamedTuple):
    """A column: the key that it reads ("" for the whole record), its head, and its format."""

    key: str
    head: str
    form: str


_MODEL, _METRIC = Field("model", "model", "text"), Field("name", "metric", "text")
_MEMBER, _OF = Field("group", "{noun}", "member"), Field("of_class", "{of}", "counted")
_LABEL_RATE = Field("true", "{label_rate}", "rate")
_PREDICTED_RATE = Field("predicted", "predicted rate", "rate")
_ROWS, _INTERVAL = Field("rows", "rows", "count"), Field("", "interval", "interval")

#: Tables of each model and direction. {members} and {noun} are compared, {of} is counted.
_OF_VERDICT = {
    "gaps": "Gaps between {members}, most certain change first, in points",
    "rates": "Rates by {noun}",
    "pairs": "Rates behind BA, in points",
    "largest": "Largest differences between groups",
    "frequency": "Frequency of each {of} in labels and predictions",
}
#: Tables of all models.
_OF_ALL = {
    "metrics": "All metrics, times 100",
    "levels": "The levels behind LA and DPA, times 100",
    "equal_errors": "Compared with equal error rates, in points",
    "differences": "Differences from the first model, in points (bands for all models)",
    "thresholds": "Thresholds of the score",
    "strata": "Strata, in points",
    "aif360": "AIF360's own measures",
}
_FIELDS = {
    "gaps": [
        Field("", "{members}", "sides"),
        _OF,
        Field("true", "gap in the {true}", "points"),
        Field("predicted", "predicted gap", "points"),
        Field("value", "change", "change"),
        Field("", "band", "interval"),
        Field("", "status", "status"),
    ],
    "rates": [
        _MEMBER,
        _OF,
        _ROWS,
        _LABEL_RATE,
        _PREDICTED_RATE,
        Field("change", "change, points", "change"),
        Field("fpr", "FPR", "errors"),
        Field("tpr", "TPR", "errors"),
    ],
    "pairs": [
        _MEMBER,
        _OF,
        _LABEL_RATE,
        _PREDICTED_RATE,
        Field("sign", "sign in the reference", "sign"),
        Field("value", "part of BA", "change"),
        Field("", "band", "band"),
    ],
    "metrics": [
        _MODEL,
        _METRIC,
        Field("", "value", "metric"),
        Field("", "interval", "interval of metric"),
    ],
    "levels": [
        _MODEL,
        _METRIC,
        Field("true", "level in the labels", "points"),
        Field("predicted", "level in the predictions", "points"),
    ],
    "equal_errors": [
        _MODEL,
        _METRIC,
        Field("actual", "value", "change"),
        Field("equal_errors", "with equal error rates", "change"),
        Field("value", "excess", "change"),
        _INTERVAL,
    ],
    "differences": [
        _METRIC,
        Field("", "models", "models"),
        Field("value", "difference", "change"),
        Field("", "band", "interval"),
    ],
    "largest": [
        Field("", "measure", "measure"),
        Field("rates", "lowest", "lowest"),
        Field("rates", "highest", "highest"),
        Field("value", "difference, points", "points"),
        _INTERVAL,
        Field("", "ratio", "ratio"),
    ],
    "thresholds": [
        _MODEL,
        Field("", "threshold", "threshold"),
        Field("predicted_positive", "predicted positive", "share"),
        Field("gap", "gap, points", "points"),
        Field("ba", "BA, points", "change"),
        Field("ba_equal_errors", "BA with equal error rates", "change"),
        Field("fpr_difference", "FPR difference, points", "change"),
        Field("accuracy", "accuracy", "share"),
    ],
    "strata": [
        Field("stratum", "stratum", "text"),
        _MODEL,
        _METRIC,
        _ROWS,
        Field("value", "value", "change"),
        _INTERVAL,
    ],
    "frequency": [
        Field("of_class", "{of}", "counted"),
        Field("true", "{true}", "share"),
        Field("predicted", "predictions", "share"),
        Field("ratio", "ratio, %", "points"),
    ],
    "aif360": [
        Field("measure", "measure", "text"),
        Field("value", "value", "plain"),
        Field("ideal", "ideal", "plain"),
    ],
    "members": [Field("name", "{noun}", "member"), _ROWS, Field("share", "share of rows", "share")],
}


def folded_tables(summary: Summary) -> Iterator[Table]:
    """Yield all folded tables that have rows."""
    parts: Mapping[str, Any] = summary
    for verdict in summary["verdicts"]:
        key = verdict["model"], verdict["direction"]
        subject, leading = Subject(summary, verdict), subject_of(summary, key[1])
        names, compared = subject.names, _compared(subject)
        about = [subject.name] if len(summary["data"]["models"]) > 1 else []
        if len(summary["data"]["directions"]) > 1:
            about.append(head(summary, verdict["direction"]))
        for part, caption in _OF_VERDICT.items():
            records = [x for x in parts[part] if (x["model"], x.get("direction", "A->T")) == key]
            if part in ("rates", "pairs"):
                records = [x for x in records if x["of_class"] in compared]
            table = _table(part, caption, records, names)
            if part == "largest" and verdict is leading.verdict:
                table = replace(table, lines=largest_sentences(leading))
            yield replace(table, caption=", ".join([table.caption, *about]))
    names = names_of(summary, summary["data"]["directions"][0])
    for part, caption in _OF_ALL.items():
        table = _table(part, caption, parts.get(part, []), names)
        yield replace(table, lines=_lines(summary, part, names))
    for names in (names_of(summary, "A->T"), names_of(summary, "T->A")):
        members = names.members if any(row["rows"] for row in names.members) else []
        table = _table("members", names.nouns.capitalize(), members, names)
        yield replace(table, part="")


def _compared(model: Subject) -> set[Any]:
    """Return the classes that are compared: one of two; FPR and TPR of the other are exchanged."""
    if model.rates and model.verdict["signs"] == len(model.names.members):
        return {class_drawn(model)}
    return {rate["of_class"] for rate in model.rates}


def _lines(summary: Summary, part: str, names: Names) -> list[str]:
    """Return what stands below a table of all models: why numbers have no interval."""
    if part == "metrics":
        return tables.reasons((_text(names, x["name"]), x["reason"]) for x in summary["metrics"])
    if part == "strata":
        strata = ((_text(names, x["stratum"]), x["reason"]) for x in summary["strata"])
        return [words.STRATA, *tables.reasons(strata)]
    return []


def _table(part: str, caption: str, records: Sequence[Any], names: Names) -> Table:
    """Return the table of some records, without columns in which nothing stands.

    The caption names the class that all records are of.
    """
    texts = {
        "noun": names.noun,
        "members": names.nouns,
        "of": "group" if names.compares_classes else Names("T->A", names.data).noun,
        "true": names.true,
        "label_rate": "label rate" if names.true == words.LABELS else "given rate",
    }
    digits = Digits.of(*(record for record in records if "low" in record))
    forms = _forms(names, digits)
    columns, filled, captions = [], [], [caption.format(**texts)]
    for field in _FIELDS[part]:
        column = [_cell(record, field, forms[field.form]) for record in records]
        if field.key in _SAME and len(set(column)) == 1:
            if field.key == "of_class":
                share = words.SHARE_OF.format(of=column[0])
                captions.append(share if names.compares_classes else column[0])
        elif set(column) - {NONE}:
            kind: Kind = "text" if field.form in _TEXT else "number"
            columns.append(Column(field.head.format(**texts), kind))
            filled.append(column)
    rows = [[Cell(text) for text in row] for row in zip(*filled, strict=True)]
    lines = tables.rounding(records, digits) if part == "gaps" else []
    return Table(", ".join(captions), columns, rows, lines, part=part)


def _cell(record: Any, field: Field, form: Callable[[Any], str]) -> str:
    """Return the text of a cell."""
    value = record.get(field.key) if field.key else record
    return NONE if value is None else form(value)


def _forms(names: Names, digits: Digits) -> dict[str, Callable[[Any], str]]:
    """Return the formats of a table, of values and of whole records."""
    return {
        "text": partial(_text, names),
        "member": names.member,
        "counted": names.counted,
        "count": "{:,}".format,
        "share": percent,
        "plain": _plain,
        "errors": error_rate,
        "rate": digits.rate,
        "points": digits.number,
        "change": partial(digits.number, sign="+"),
        "lowest": partial(_rate_of_some, min, digits),
        "highest": partial(_rate_of_some, max, digits),
        "sign": _side,
        "measure": partial(measure_of, names=names),
        "sides": partial(tables.sides, names=names),
        "status": tables.status_of,
        "models": partial(_models, names),
        "threshold": _threshold,
        "interval": partial(_interval, digits=digits),
        "band": partial(_band, digits=digits),
        "metric": _metric,
        "interval of metric": _interval_of_metric,
        "ratio": _ratio,
    }


def _text(names: Names, value: Any) -> str:
    """Return a name; that of a metric has its direction."""
    return names.text(value).replace("->", tables.ARROW)


def _plain(value: float) -> str:
    """Return a number as it is, with at most four decimals."""
    return f"{round(value, 4):zg}".replace("-", MINUS)


def _side(value: int) -> str:
    """Return a sign."""
    return "+" if value > 0 else MINUS if value < 0 else "0"


def _rate_of_some(choose: Callable[..., Any], digits: Digits, rates: Sequence[Any]) -> str:
    """Return the lowest or the highest rate, which exists if every group has one."""
    return digits.rate(None if None in rates else choose(rates, default=None))


def _models(names: Names, record: Any) -> str:
    """Return which models differ."""
    return f"{names.model(record['model'])} {MINUS} {names.model(record['first'])}"


def _threshold(record: Any) -> str:
    """Return a threshold; without one, each group has its own."""
    value = record["threshold"]
    return "one for each group" if value is None else f"{value:g}"


def _interval(record: Any, digits: Digits) -> str:
    """Return an interval; those of sizes have no signs."""
    sign = "" if "measure" in record else "+"
    return tables.interval(record, digits, sign).text


def _band(record: Any, digits: Digits) -> str:
    """Return the band for all rates."""
    low, high = record.get("band_low"), record.get("band_high")
    return NONE if low is None or high is None else digits.ends(low, high, "+")


def _metric(record: Any) -> str:
    """Return a number of any kind, with its own decimals."""
    value, digits = record["value"], Digits.of(record)
    if value is None:
        return NONE
    if "accuracy" in record["key"]:
        return digits.rate(value)
    return (
        ratio(value) if "ratio" in record["key"] else digits.number(value, sign_of(record["key"]))
    )


def _interval_of_metric(record: Any) -> str:
    """Return the interval of a number of any kind."""
    if "ratio" in record["key"] and record["low"] is not None:
        return f"{ratio(record['low'])} to {ratio(record['high'])}"
    return tables.interval(record, Digits.of(record), sign_of(record["key"])).text


def _ratio(record: Any) -> str:
    """Return an impact ratio with its interval."""
    if record["ratio"] is None:
        return NONE
    if record["ratio_low"] is None:
        return ratio(record["ratio"])
    ends = f"{ratio(record['ratio_low'])} to {ratio(record['ratio_high'])}"
    return f"{ratio(record['ratio'])} ({ends})"
