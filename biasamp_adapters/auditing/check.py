"""The gate: bounds on the numbers of a report, and verdicts that are forbidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from biasamp_adapters import words
from biasamp_adapters.auditing.gap_sentences import GapSentences
from biasamp_adapters.auditing.subject import Subject, is_small, subjects_of
from biasamp_adapters.auditing.summary import MEASURES, GapRecord, Summary, no_number, number_of
from biasamp_adapters.figures import (
    MINUS,
    Digits,
    join,
    name,
    ratio,
    sign_of,
    unknown_name,
    with_unit,
)
from biasamp_adapters.inference.intervals import FEW_ROWS

#: The ranges of numbers by their keys without the direction.
_RANGES = dict.fromkeys(
    ("ba", "mals", "la", "dpa", "dpa_u", "excess", "mean_change", "gaps"), (-1, 1)
)
_RANGES |= dict.fromkeys(("multi", "accuracy"), (0, 1))
_RANGES |= {f"{key}_{kind}": (0, 1) for key in MEASURES for kind in ("difference", "ratio")}

#: What reports and Fairlearn call numbers, and what their names say.
_SHORT = {"impact": "selection rate", "demographic parity": "selection rate"}
_SHORT |= {"tpr": "true positive rate", "fpr": "false positive rate"}


@dataclass(frozen=True, repr=False)
class Failure:
    """A check that failed, or that cannot be judged.

    Attributes
    ----------
    model, name : str
    value, low, high : float or None
        The number and its interval.
    bound : float or str
        The bound, or what is forbidden.
    judged : bool
        False if the number has no interval, so that nothing can be said.
    sentence : str
        Also the repr, which ``assert not report.check(...)`` prints.
    """

    model: str
    name: str
    value: float | None
    low: float | None
    high: float | None
    bound: float | str
    judged: bool
    sentence: str

    def __repr__(self) -> str:
        return self.sentence


#: A number that a bound is put on, with its model, name and key.
_Checked: TypeAlias = Mapping[str, Any]


def _fail(
    checked: _Checked, bound: float | str, judged: bool, template: str, **parts: str
) -> Failure:
    """Return a failure with its sentence."""
    number = {key: checked[key] for key in ("model", "name", "value", "low", "high")}
    about = {"model": name(checked["model"]), "name": checked["name"].replace("->", "→")}
    sentence = template.format(**about, **parts)
    return Failure(**number, bound=bound, judged=judged, sentence=sentence)


def _not_judged(checked: _Checked, bound: float | str) -> Failure:
    """Return that a number has no interval."""
    reason = checked["reason"] or "it has no interval"
    return _fail(checked, bound, False, words.CANNOT_BE_CHECKED, reason=reason)


def check(summary: Summary, rules: Mapping[str, Any], forbid: Any) -> list[Failure]:
    """Return the checks of a report that fail or cannot be judged; see AuditReport.check."""
    for rule, bounds in rules.items():
        if bounds is not None and not isinstance(bounds, Mapping):
            form = f'{rule} must be a mapping, as in {{"BA": 0.02}}'
            raise ValueError(f"{form}; received {bounds!r:.60}")
    if not any(rules.values()) and not forbid:
        raise ValueError("a check needs at least one bound.")
    failures: list[Failure] = []
    for rule, bounds in rules.items():
        for asked, bound in (bounds or {}).items():
            numbers = _find(summary, asked, rule)
            limit = _read_bound(rule, asked, bound, numbers[0]["key"])
            failures += filter(None, (_judge(rule, x, limit) for x in numbers))
    is_one = isinstance(forbid, str) or not isinstance(forbid, Iterable)
    codes = [forbid] if is_one else list(forbid)
    listed = ", ".join(map(str, codes))
    return [*failures, *dict.fromkeys(f for x in codes for f in _forbidden(summary, x, listed))]


def _find(summary: Summary, asked: str, rule: str) -> Sequence[_Checked]:
    """Return a number of each model by its name or key, or all gaps."""
    plain = str(asked).replace("→", "->")
    if plain in ("gaps", "gaps A->T", "gaps T->A"):
        if rule != "require_within":
            raise ValueError(f"{plain!r} is for require_within; received it in {rule}.")
        direction = plain.removeprefix("gaps").strip() or "A->T"
        if direction not in summary["data"]["directions"]:
            [known] = summary["data"]["directions"]
            raise ValueError(f"gaps must be those of {known} in this report; received {plain!r}")
        return [gap for model in subjects_of(summary, direction) for gap in _gaps(model)]
    numbers = numbers_of(summary)
    found = [x for x in numbers if plain in (x["name"], x["key"], x["name"].removesuffix(" A->T"))]
    if not found:
        names = dict.fromkeys(x["name"] for x in numbers)
        others = [x.removesuffix(" A->T") for x in names]
        others += ["gaps"] if rule == "require_within" else []
        full = plain.lower().replace("_", " ")
        for short, named in _SHORT.items():
            full = full.replace(short, named)
        if _without_direction(full) in {*_RANGES} - {*map(_without_direction, names), "gaps"}:
            raise ValueError(f"{plain!r:.40} is not computed in this report; see to_frame().")
        if full in names:
            raise ValueError(f"unknown number {plain!r}; did you mean {full!r}?")
        raise ValueError(unknown_name("number", plain, names, others))
    key = found[0]["key"]
    is_good = key == "accuracy" or key.endswith("_ratio")
    if rule in ("fail_below", "require_above") and not is_good:
        raise ValueError(f"{rule} is for accuracy and ratios; received {plain!r}.")
    return found


def _without_direction(name: str) -> str:
    """Return the key of a number without its direction, of its name or its key."""
    return re.sub("_[at](_to)?_[at]$", "", re.sub(r"\W+", "_", name.lower()).strip("_"))


def numbers_of(summary: Summary) -> list[_Checked]:
    """Return all numbers that have keys: those of metrics, then largest differences and ratios."""
    numbers: list[_Checked] = [*summary["metrics"]]
    for x in summary["largest"]:
        kinds: dict[str, _Checked] = {"difference": x, "ratio": number_of(x, "ratio")}
        for kind, number in kinds.items():
            key = f"{x['measure']}_{kind}"
            about = {"name": key.replace("_", " "), "key": key, "model": x["model"]}
            ends = {end: number[end] for end in ("value", "low", "high", "reason")}
            numbers.append({**ends, **about, "direction": "A->T"})
    return numbers


def _gaps(subject: Subject) -> Iterator[_Checked]:
    """Yield the changes of all gaps of a model, and those that are not judged, with the reason."""
    names = subject.names
    for gap in subject.gaps:
        text = words.CHANGE_OF_GAP.format(gap=_name_of_gap(subject, gap))
        yield {**gap, "name": text, "key": "gaps"}
    small = [x["name"] for x in names.members if is_small(x)]
    if not subject.gaps:
        yield _nothing(subject, "gaps", _why(subject))
    elif small:
        parts = {"members": names.nouns, "n": FEW_ROWS, "unit": names.data["unit"]}
        of_small = words.GAPS_OF.format(names=join(map(names.text, small)))
        yield _nothing(subject, of_small, words.NEEDS_TWO.format(**parts))


def _name_of_gap(subject: Subject, gap: GapRecord) -> str:
    return f"the {GapSentences(gap, subject.names, subject.gaps).between}"


def _nothing(subject: Subject, name: str, reason: str) -> _Checked:
    """Return what cannot be judged of a model."""
    return {"model": subject.verdict["model"], "name": name, "key": "gaps", **no_number(reason)}


def _why(subject: Subject) -> str:
    """Return why there is no verdict; without intervals, why there are none."""
    why = subject.verdict["why"]
    return subject.verdict["reason"] if why == "no_interval" else why.replace("_", " ")


def _read_bound(rule: str, asked: str, bound: Any, key: str) -> float:
    """Return a bound as a fraction: 0.02, "2pt" and "2%" are the same."""
    text = str(bound).strip()
    digits = text.removesuffix("pt").removesuffix("%")
    try:
        number = float(digits) if digits == text else float(digits) / 100
    except ValueError:
        form = "a number, such as 0.02, '2pt' or '2%'"
        raise ValueError(f"the bound of {asked} must be {form}; received {bound!r:.40}") from None
    low, high = _RANGES[_without_direction(key)]
    low = 0 if rule == "require_within" else low
    if isinstance(bound, bool) or not low <= number <= high:
        are_points = digits == text and 1 < abs(number) <= 100
        points = f" {number:g} points are {number / 100:g}." if are_points else ""
        limits = f"The bound of {asked} must lie between {low} and {high}"
        raise ValueError(f"{limits}; received {bound}.{points}")
    return number


def _judge(rule: str, checked: _Checked, bound: float) -> Failure | None:
    """Return the failure of a number, if it fails or has no interval."""
    value, low, high, key = (checked[x] for x in ("value", "low", "high", "key"))
    if value is None or low is None:
        return _not_judged(checked, bound)
    passes = {
        "fail_above": low <= bound,
        "require_below": high < bound,
        "fail_below": high >= bound,
        "require_above": low > bound,
        "require_within": -bound < low and high < bound,
    }[rule]
    if passes:
        return None
    digits, sign, limit = Digits.of(checked), sign_of(key), f"{bound:g}"
    of_share = Digits(digits.decimals + 2)
    shown = of_share.number(value / 100, sign)
    if key.endswith("_ratio"):
        shown, *ends = (ratio(x, bound) for x in (value, low, high))
    elif key.startswith("dpa"):  # No number of points.
        ends = [of_share.end(x / 100, sign, bound / 100) for x in (low, high)]
    else:
        in_unit = "{}%".format if key == "accuracy" else with_unit
        shown += f" or {in_unit(digits.number(value, sign))}"
        ends = [digits.end(x, sign, bound) for x in (low, high)]
        limit += f" or {in_unit(f'{100 * bound:.6g}')}"
    what = words.CHECK[rule].format(bound=limit.replace("-", MINUS))
    parts = {"ends": " to ".join(ends), "what": what}
    return _fail(checked, bound, True, words.FAILED, value=shown, **parts)


def _forbidden(summary: Summary, code: str, codes: str) -> Iterator[Failure]:
    """Yield failures for a verdict or the status of a gap; what is unknown is so for all codes."""
    allowed = {**words.VERDICTS, **words.STATUSES}
    if code not in allowed:
        raise ValueError(f"forbid must name {', '.join(allowed)}; received {code!r:.40}")
    for verdict in summary["verdicts"]:
        subject = Subject(summary, verdict)
        of = f" {verdict['direction']}" if len(summary["data"]["directions"]) > 1 else ""
        checked = _nothing(subject, f"verdict{of}", _why(subject))
        if verdict["code"] == "cannot_say" != code:
            yield _not_judged(checked, codes)
        elif code in words.STATUSES:
            for gap in (gap for gap in subject.gaps if gap["status"] == code):
                parts = {"gap": _name_of_gap(subject, gap), "status": code}
                yield _fail({**gap, "name": "gaps"}, code, True, words.FORBIDDEN_STATUS, **parts)
            yield from (_not_judged(x, codes) for x in _gaps(subject) if x["value"] is None)
        elif verdict["code"] == code:
            parts = {"words": words.VERDICTS[code], "code": code}
            yield _fail(checked, code, True, words.FORBIDDEN, **parts)
