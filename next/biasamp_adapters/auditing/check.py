"""The gate: bounds on the numbers of a report, and verdicts that are forbidden."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biasamp_adapters import words
from biasamp_adapters.auditing.subject import gaps_of
from biasamp_adapters.auditing.summary import GapRecord, Summary
from biasamp_adapters.figures import MINUS, Digits, name, ratio, sign_of, with_unit

#: The ranges of numbers by the beginnings of their keys; of all others -1 to 1.
_RANGES = {"multi_undirected": (0, 2), "multi": (0, 1), "accuracy": (0, 1)}
_RANGES |= dict.fromkeys(("selection_rate", "true_positive_rate", "false_positive_rate"), (0, 1))

#: Rules that only numbers may have of which more is better.
_FROM_BELOW = ("fail_below", "require_above")


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


@dataclass(frozen=True)
class _Checked:
    """A number that a bound is put on."""

    model: str
    name: str
    key: str
    value: float | None
    low: float | None
    high: float | None
    reason: str


def check(
    summary: Summary,
    *,
    fail_above: Mapping[str, Any] | None = None,
    require_below: Mapping[str, Any] | None = None,
    fail_below: Mapping[str, Any] | None = None,
    require_above: Mapping[str, Any] | None = None,
    require_within: Mapping[str, Any] | None = None,
    forbid: Sequence[str] = (),
) -> list[Failure]:
    """Return the checks of a report that fail or cannot be judged; see AuditReport.check."""
    rules = {
        "fail_above": fail_above,
        "require_below": require_below,
        "fail_below": fail_below,
        "require_above": require_above,
        "require_within": require_within,
    }
    if not any(rules.values()) and not forbid:
        raise ValueError("a check needs at least one bound.")
    for bounds in rules.values():
        if bounds is not None and not isinstance(bounds, Mapping):
            raise ValueError('bounds are a mapping, as in {"BA": 0.02}.')
    failures = []
    for rule, bounds in rules.items():
        for asked, bound in (bounds or {}).items():
            numbers = _find(summary, asked, rule)
            limit = read_bound(asked, bound, numbers[0].key)
            failures += [f for x in numbers for f in _judge(rule, x, limit)]
    codes = [forbid] if isinstance(forbid, str) else forbid
    return failures + [f for code in codes for f in _forbidden(summary, code)]


def _find(summary: Summary, asked: str, rule: str) -> list[_Checked]:
    """Return a number of each model by its name or key, or all gaps."""
    plain = str(asked).replace("→", "->")
    if plain in ("gaps", "gaps A->T", "gaps T->A") and rule == "require_within":
        direction = plain.removeprefix("gaps").strip() or "A->T"
        if direction not in summary["data"]["directions"]:
            raise ValueError(f"{plain} must be of a direction of the report; it has none of these")
        return list(_gaps(summary, direction))
    numbers = list(_numbers(summary))
    found = [x for x in numbers if plain in (x.name, x.key, x.name.removesuffix(" A->T"))]
    if not found:
        known = list(dict.fromkeys(x.name for x in numbers))
        nearest = difflib.get_close_matches(plain, known, 1)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else "."
        listed = textwrap.shorten(", ".join(known), 200, placeholder=" ...")
        raise ValueError(f"unknown number {plain[:40]!r}{hint} The numbers are: {listed}")
    is_good = found[0].key == "accuracy" or found[0].key.endswith("_ratio")
    if rule in _FROM_BELOW and not is_good:
        raise ValueError(f"{rule} is for accuracy and ratios; received {plain!r}.")
    return found


def _numbers(summary: Summary) -> Iterator[_Checked]:
    """Yield the numbers that have names and keys."""
    ends = ("value", "low", "high", "reason")
    for record in summary["metrics"]:
        numbers = {end: record[end] for end in ends}  # type: ignore[literal-required]
        yield _Checked(record["model"], record["name"], record["key"], **numbers)
    for largest in summary["largest"]:
        key, numbers = largest["measure"], {end: largest[end] for end in ends}  # type: ignore[literal-required]
        measure = key.replace("_", " ")
        yield _Checked(largest["model"], f"{measure} difference", f"{key}_difference", **numbers)
        yield _Checked(
            largest["model"],
            f"{measure} ratio",
            f"{key}_ratio",
            largest["ratio"],
            largest["ratio_low"],
            largest["ratio_high"],
            largest["ratio_reason"],
        )


def _gaps(summary: Summary, direction: str) -> Iterator[_Checked]:
    """Yield the changes of all gaps of a direction; of models without gaps the reason."""
    for verdict in summary["verdicts"]:
        if verdict["direction"] != direction:
            continue
        gaps = gaps_of(summary, verdict)
        for gap in gaps:
            text = words.CHANGE_OF_GAP.format(gap=_name_of_gap(gap))
            yield _Checked(
                gap["model"], text, "gaps", gap["value"], gap["low"], gap["high"], gap["reason"]
            )
        if not gaps:
            reason = verdict["why"].replace("_", " ")
            yield _Checked(verdict["model"], "gaps", "gaps", None, None, None, reason)


def _name_of_gap(gap: GapRecord) -> str:
    return f"the gap between {name(gap['first'])} and {name(gap['second'])}"


def read_bound(asked: str, bound: Any, key: str) -> float:
    """Return a bound as a fraction: 0.02, "2pt" and "2%" are the same."""
    try:
        text = str(bound).strip()
        number = float(text.removesuffix("pt").removesuffix("%"))
    except ValueError:
        raise ValueError(f"the bound of {asked} must be a number; received {bound!r:.40}") from None
    if text.endswith(("pt", "%")):
        number /= 100
    low, high = next((r for start, r in _RANGES.items() if key.startswith(start)), (-1, 1))
    if isinstance(bound, bool) or not low <= number <= high:
        points = f" {number:g} points are {number / 100:g}." if abs(number) > 1 else ""
        raise ValueError(
            f"The bound of {asked} must lie between {low} and {high}; received {bound}.{points}"
        )
    return number


def _judge(rule: str, number: _Checked, bound: float) -> Iterator[Failure]:
    """Yield the failure of a number, if it fails or has no interval."""
    model, low, high = name(number.model), number.low, number.high
    if low is None or high is None:
        sentence = words.CANNOT_BE_CHECKED.format(
            model=model, name=_shown(number), reason=number.reason or "it has no interval"
        )
        yield _failure(number, bound, False, sentence)
        return
    passes = {
        "fail_above": low <= bound,
        "require_below": high < bound,
        "fail_below": high >= bound,
        "require_above": low > bound,
        "require_within": -bound < low and high < bound,
    }[rule]
    if not passes:
        yield _failure(number, bound, True, _sentence(rule, number, bound))


def _failure(number: _Checked, bound: float, judged: bool, sentence: str) -> Failure:
    ends = number.value, number.low, number.high
    return Failure(number.model, number.name, *ends, bound, judged, sentence)


def _sentence(rule: str, number: _Checked, bound: float) -> str:
    """Return the sentence of a failed check, in fractions and in points."""
    numbers = (number.value or 0.0, number.low or 0.0, number.high or 0.0)
    limit = f"{bound:g}"
    if number.key.endswith("_ratio"):
        value, low, high = (ratio(x, bound) for x in numbers)
    else:
        digits, sign = Digits.of({"low": number.low, "high": number.high}), sign_of(number.key)
        fraction = f"{numbers[0]:{sign}.{digits.decimals + 2}f}".replace("-", MINUS)
        value = f"{fraction} or {with_unit(digits.number(numbers[0], sign))}"
        low, high = (digits.end(x, sign, bound) for x in numbers[1:])
        limit += f" or {with_unit(f'{100 * bound:.6g}')}"
    what = words.CHECK[rule].format(bound=limit)
    ends = f"{low} to {high}"
    return words.FAILED.format(
        model=name(number.model), name=_shown(number), value=value, ends=ends, what=what
    )


def _shown(number: _Checked) -> str:
    """Return the name of a number as reports print it."""
    return number.name.replace("->", "→")


def _forbidden(summary: Summary, code: str) -> Iterator[Failure]:
    """Yield failures for a verdict or the status of a gap that must not occur."""
    allowed = [*words.VERDICTS, *words.STATUSES]
    if code not in allowed:
        raise ValueError(f"forbid must name {', '.join(allowed)}; received {code!r:.40}")
    for verdict in summary["verdicts"]:
        model = name(verdict["model"])
        if verdict["code"] == "cannot_say" and code != "cannot_say":
            reason = verdict["why"].replace("_", " ")
            sentence = words.CANNOT_BE_CHECKED.format(model=model, name="verdict", reason=reason)
            yield Failure(verdict["model"], "verdict", None, None, None, code, False, sentence)
        elif code in words.STATUSES:
            for gap in gaps_of(summary, verdict):
                if gap["status"] == code:
                    sentence = words.FORBIDDEN_STATUS.format(
                        model=model, gap=_name_of_gap(gap), status=code
                    )
                    ends = gap["value"], gap["low"], gap["high"]
                    yield Failure(verdict["model"], "gaps", *ends, code, True, sentence)
        elif verdict["code"] == code:
            sentence = words.FORBIDDEN.format(model=model, words=words.VERDICTS[code], code=code)
            yield Failure(verdict["model"], "verdict", None, None, None, code, True, sentence)


def exit_code(failures: Sequence[Failure]) -> int:
    """Return 0 if all checks passed, 1 if one failed, 3 if some cannot be judged."""
    if any(failure.judged for failure in failures):
        return 1
    return 3 if failures else 0
