"""The tables that are folded: lists of fields of the records of one part of the summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from biasamp_adapters import words
from biasamp_adapters.auditing.facts import head
from biasamp_adapters.auditing.gap_sentences import largest_sentences, measure_of
from biasamp_adapters.auditing.subject import Names, Subject, subject_of
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.figures import MINUS, NONE, Digits, error_rate, percent, ratio, sign_of
from biasamp_adapters.inference.verdict import ALL_ROWS
from biasamp_adapters.report import tables
from biasamp_adapters.report.document import Cell, Column, Kind, Table
from biasamp_adapters.report.pictures import class_drawn

#: Keys whose column is left out where all records have the same value.
_SAME = ("model", "of_class")
_TEXT = ("text", "member", "counted", "sides", "status", "models", "threshold", "measure")
_SIGNS = {1: "+", 0: "0", -1: MINUS}

#: Tables of each model and direction. {members} and {noun} are compared, {of} is counted.
_OF_VERDICT = {
    "gaps": "Gaps between {members}, most certain change first, in points",
    "rates": "Rates by {noun}",
    "pairs": "Rates behind BA, in points",
    "largest": "Largest differences between groups",
    "frequency": "Frequency of each {of} in {true} and predictions",
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
#: The columns of each table, by their names in _FIELDS.
_COLUMNS = {
    "gaps": "sides of true_gap predicted_gap change band status",
    "rates": "member of rows true_rate predicted_rate rate_change fpr tpr",
    "pairs": "member of true_rate predicted_rate sign part_of_ba band",
    "metrics": "model metric number interval_of_number",
    "levels": "model metric true_level predicted_level",
    "equal_errors": "model metric actual equal_errors excess interval",
    "differences": "metric models difference band",
    "largest": "measure lowest highest largest_difference interval impact_ratio",
    "thresholds": "model threshold positive gap ba equal_errors_ba fpr_difference accuracy",
    "strata": "stratum model metric rows value interval",
    "frequency": "of true_share predicted_share ratio_of_shares",
    "aif360": "measure_of_aif360 plain_value ideal",
    "members": "name rows share",
}


class Field(NamedTuple):
    """A column: its head, the key that it reads ("" for the whole record), and its format."""

    head: str
    key: str
    form: str


_FIELDS = {
    "model": Field("model", "model", "text"),
    "metric": Field("metric", "name", "text"),
    "member": Field("{noun}", "group", "member"),
    "of": Field("{of}", "of_class", "counted"),
    "rows": Field("rows", "rows", "count"),
    "value": Field("value", "value", "change"),
    "change": Field("change", "value", "change"),
    "interval": Field("interval", "", "interval"),
    "band": Field("band", "", "interval"),
    "sides": Field("{members}", "", "sides"),
    "true_gap": Field("gap in the {true}", "true", "points"),
    "predicted_gap": Field("predicted gap", "predicted", "points"),
    "status": Field("status", "", "status"),
    "true_rate": Field("{label_rate}", "true", "rate"),
    "predicted_rate": Field("predicted rate", "predicted", "rate"),
    "rate_change": Field("change, points", "change", "change"),
    "fpr": Field("FPR", "fpr", "errors"),
    "tpr": Field("TPR", "tpr", "errors"),
    "sign": Field("sign in the reference", "sign", "sign"),
    "part_of_ba": Field("part of BA", "value", "change"),
    "number": Field("value", "", "number"),
    "interval_of_number": Field("interval", "", "interval of number"),
    "true_level": Field("level in the labels", "true", "points"),
    "predicted_level": Field("level in the predictions", "predicted", "points"),
    "actual": Field("value", "actual", "change"),
    "equal_errors": Field("with equal error rates", "equal_errors", "change"),
    "excess": Field("excess", "value", "change"),
    "models": Field("models", "", "models"),
    "difference": Field("difference", "value", "change"),
    "measure": Field("measure", "", "measure"),
    "lowest": Field("lowest", "rates", "lowest"),
    "highest": Field("highest", "rates", "highest"),
    "largest_difference": Field("difference, points", "value", "points"),
    "impact_ratio": Field("ratio", "", "ratio"),
    "threshold": Field("threshold", "", "threshold"),
    "positive": Field("predicted positive", "predicted_positive", "share"),
    "gap": Field("gap, points", "gap", "points"),
    "ba": Field("BA, points", "ba", "change"),
    "equal_errors_ba": Field("BA with equal error rates", "ba_equal_errors", "change"),
    "fpr_difference": Field("FPR difference, points", "fpr_difference", "change"),
    "accuracy": Field("accuracy", "accuracy", "share"),
    "stratum": Field("stratum", "stratum", "text"),
    "true_share": Field("{true}", "true", "share"),
    "predicted_share": Field("predictions", "predicted", "share"),
    "ratio_of_shares": Field("ratio, %", "ratio", "points"),
    "measure_of_aif360": Field("measure", "measure", "text"),
    "plain_value": Field("value", "value", "plain"),
    "ideal": Field("ideal", "ideal", "plain"),
    "name": Field("{noun}", "name", "member"),
    "share": Field("share of rows", "share", "share"),
}


def folded_tables(summary: Summary) -> Iterator[Table]:
    """Yield all folded tables that have rows."""
    parts: Mapping[str, Any] = summary
    for verdict in summary["verdicts"]:
        subject, leading = Subject(summary, verdict), subject_of(summary, verdict["direction"])
        names, compared = subject.names, _compared(subject)
        about = [subject.name] if len(summary["data"]["models"]) > 1 else []
        if len(summary["data"]["directions"]) > 1:
            about.append(head(summary, verdict["direction"]))
        for part, caption in _OF_VERDICT.items():
            records = subject.records(part)
            if part in ("rates", "pairs"):
                records = [x for x in records if x["of_class"] in compared]
            table = _table(part, caption, records, names)
            if part == "largest" and verdict is leading.verdict:
                table = replace(table, lines=[*largest_sentences(leading), *table.lines])
            yield replace(table, caption=", ".join([table.caption, *about]))
    names = Names(summary["data"]["directions"][0], summary["data"])
    for part, caption in _OF_ALL.items():
        yield _table(part, caption, parts.get(part, []), names)
    for direction in ("A->T", "T->A"):
        names = Names(direction, summary["data"])
        members = names.members if any(row["rows"] for row in names.members) else []
        yield replace(_table("members", names.nouns.capitalize(), members, names), part="")


def _compared(model: Subject) -> set[Any]:
    """Return the classes that are compared: one of two; FPR and TPR of the other are exchanged."""
    if model.verdict["signs"] < len(model.rates):
        return {class_drawn(model)}
    return {rate["of_class"] for rate in model.rates}


def _table(part: str, caption: str, records: Sequence[Any], names: Names) -> Table:
    """Return the table of some records, without columns in which nothing stands.

    The caption names the class that all records are of.
    """
    texts = {
        "noun": names.noun,
        "members": names.nouns,
        "of": "group" if names.compares_classes else Names("T->A", names.data).noun,
        "true": names.true,
        "label_rate": "label rate" if names.has_labels else "given rate",
    }
    forms = _forms(names, Digits.of(*(record for record in records if "low" in record)))
    columns, filled, captions = [], [], [caption.format(**texts)]
    for field in (_FIELDS[name] for name in _COLUMNS[part].split()):
        values = [record[field.key] if field.key else record for record in records]
        column = [NONE if value is None else forms[field.form](value) for value in values]
        if field.key in _SAME and len(set(column)) == 1:
            if field.key == "of_class":
                share = words.SHARE_OF.format(of=column[0])
                captions.append(share if names.compares_classes else column[0])
        elif set(column) - {NONE}:
            kind: Kind = "text" if field.form in _TEXT else "number"
            columns.append(Column(field.head.format(**texts), kind))
            filled.append(column)
    rows = [[Cell(text) for text in row] for row in zip(*filled, strict=True)]
    return Table(", ".join(captions), columns, rows, _lines(part, records, names), part=part)


def _lines(part: str, records: Sequence[Any], names: Names) -> list[str]:
    """Return what stands below a table: how gaps are rounded, why numbers have no interval."""
    if part == "gaps":
        return tables.rounding(records, Digits.of(*records))
    if part == "largest":
        ratios = [x for x in records if x["ratio"] is not None and x["low"] is not None]
        measures = (words.RATIO_OF.format(measure=measure_of(x, names)) for x in ratios)
        return tables.reasons(zip(measures, (x["ratio_reason"] for x in ratios), strict=True))
    if part not in ("metrics", "strata"):
        return []
    key = "name" if part == "metrics" else "stratum"
    reasons = tables.reasons((_text(names, record[key]), record["reason"]) for record in records)
    rows = ALL_ROWS if names.data["reference"] is None else words.THE_REFERENCE
    return [words.STRATA.format(rows=rows), *reasons] if part == "strata" else reasons


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
        "sign": _SIGNS.__getitem__,
        "measure": partial(measure_of, names=names),
        "sides": partial(tables.sides, names=names),
        "status": tables.status_of,
        "models": partial(_models, names),
        "threshold": _threshold,
        "interval": partial(_interval, digits),
        "number": _number,
        "interval of number": _interval_of_number,
        "ratio": _ratio,
    }


def _text(names: Names, value: Any) -> str:
    """Return a name; that of a metric has its direction."""
    return names.text(value).replace("->", tables.ARROW)


def _plain(value: float) -> str:
    """Return a number as it is, with at most four decimals."""
    return f"{round(value, 4):zg}".replace("-", MINUS)


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


def _interval(digits: Digits, record: Any) -> str:
    """Return an interval, or the band for all rates; those of sizes have no signs."""
    sign = "" if "measure" in record else "+"
    ends = {key: record.get(f"band_{key}", record[key]) for key in ("low", "high")}
    return tables.interval(ends, digits, sign)


def _number(record: Any) -> str:
    """Return a number of any kind, with its own decimals."""
    value, digits = record["value"], Digits.of(record)
    if value is None:
        return NONE
    is_accuracy = record["key"] == "accuracy"
    return digits.rate(value) if is_accuracy else digits.number(value, sign_of(record["key"]))


def _interval_of_number(record: Any) -> str:
    """Return the interval of a number of any kind."""
    return tables.interval(record, Digits.of(record), sign_of(record["key"]))


def _ratio(record: Any) -> str:
    """Return an impact ratio with its interval."""
    value, low, high = record["ratio"], record["ratio_low"], record["ratio_high"]
    if value is None or low is None:
        return NONE if value is None else ratio(value)
    return f"{ratio(value)} ({ratio(low)} to {ratio(high)})"
