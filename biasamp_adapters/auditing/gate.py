"""Gates for continuous integration: bounds on the numbers of a report, and forbidden verdicts.

A bound is judged on the interval of a number, never on the number alone. Gates read the summary
and nothing else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from biasamp_adapters._text import did_you_mean, slug
from biasamp_adapters._typing import Row, as_float
from biasamp_adapters.auditing.findings import DIRECTIONAL
from biasamp_adapters.auditing.summary import Summary
from biasamp_adapters.auditing.text_tables import estimate
from biasamp_adapters.metrics.verdict import WORDS

#: The verdict that says nothing of the others.
_CANNOT_SAY = "cannot_say"

#: Its reasons for which the sign of a value of BA-> may be the other one.
_SIGN_UNKNOWN = {"reference_balanced", "direction_unknown"}

_BALANCED = (
    "the reference is balanced, or of one class or group: it is 0 by construction, whatever the "
    "model does"
)


@dataclass(frozen=True, repr=False)
class GateFailure:
    """A number or a verdict that a gate does not let pass; ``str`` gives the sentence.

    Attributes
    ----------
    model : str
    name : str
        The number or verdict, as the report shows it: "BA A->T".
    judged : bool
        False if the report cannot tell whether the gate is passed.
    sentence : str
        What is wrong.
    report : str
        The title of the report.
    """

    model: str
    name: str
    judged: bool
    sentence: str
    report: str

    def __str__(self) -> str:
        return f"{self.model}: {self.sentence}"

    def __repr__(self) -> str:
        return f"<GateFailure: {self}>"


class _Number(NamedTuple):
    """A number of a report that can be bounded.

    A gate may ask for it by any of ``names``. ``of`` is the task that it is about, and ``sign`` the
    format of its sign.
    """

    model: str
    name: str
    row: Row
    names: set[str]
    zero_by_construction: bool = False
    has_sign: bool = True
    suffix: str = ""
    sign: str = "+"

    @property
    def shown(self) -> str:
        """The name in sentences, with the task."""
        return f"{self.name}{self.suffix}"


def _numbers(summary: Summary) -> Iterator[_Number]:
    """The metrics of a report, what they exceed blind errors by, and its fairness measures."""
    doubtful = {
        (row["model"], f"BA {row['direction']}")
        for row in summary["verdicts"]
        if row["reason"] in _SIGN_UNKNOWN
    }
    for row in summary["metrics"]:
        model, name, direction = row["model"], row["name"], row["direction"]
        zero, has_sign = row["zero_by_construction"], (model, name) not in doubtful
        names = _names(name.removesuffix(f" {direction}"), row["metric"], direction)
        yield _Number(model, name, row, names, zero, has_sign)
        if row["excess"] is not None:
            shown = f"excess {name}"
            excess = {f"excess {short}" for short in names} | {f"{short} excess" for short in names}
            if row["metric"] == DIRECTIONAL:
                shown = f"excess {direction}"
                excess |= {"excess", shown}
            yield _Number(model, shown, row["excess"], excess, zero, has_sign)
    data = summary["data"]
    kind = "class" if data["task"] is None else f"{data['task']} ="
    kind = "task" if data["tasks_are_columns"] else kind
    for row in summary["fairness"]:
        name, task = row["measure"].replace("_", " "), row["task"]
        suffix = "" if task == "all" else f" of {kind} {task}"
        yield _Number(row["model"], name, row, {row["measure"]}, suffix=suffix, sign="")


def _names(short: str, metric: str, direction: str) -> set[str]:
    """The names of a metric in one direction, and those of the metric in all directions.

    Papers write directional metrics with an arrow: "BA->".
    """
    names = {short, metric} if direction == "undirected" else {short, metric, f"{short}->"}
    return names | {f"{name} {direction}" for name in names}


def _by_slug(names: Iterable[str]) -> dict[str, str]:
    """Names by their slugs."""
    return {slug(name): name for name in sorted(names)}


#: What the names of a report consist of, besides arrows; "|BA|" and "BA<" mean something else.
_NAME = re.compile(r"\w[\w\s()/.-]*", re.ASCII)


def _as_slug(name: str) -> str:
    """The slug of a name that a user gave, whose direction may be written out.

    What is no name stays as it is, and so is like none.
    """
    name = name.strip()
    if not _NAME.fullmatch(name.replace("\u2192", "").replace("->", "")):
        return name
    words = slug(name).replace("attribute_to_task", "a_to_t")
    return words.replace("task_to_attribute", "t_to_a")


def _unknown(what: str, shown: Iterable[str], known: Iterable[str], name: str) -> ValueError:
    """The error for a name that is not among the ``known``."""
    return ValueError(
        f"a gate must name a {what} of the report, one of {[*dict.fromkeys(shown)]}, or several "
        f"without their direction; received {name!r}"
        f"{did_you_mean([_as_slug(name)], _by_slug(known))}"
    )


def _no_bound(received: str) -> ValueError:
    return ValueError(
        "a verdict has no bound, as it is no number: --fail-verdict amplifies, or "
        f"failures({{'verdict': {{'amplifies'}}}}), forbids it by its code; received {received}"
    )


@dataclass(frozen=True)
class Bound:
    """A bound on a number of the report.

    Attributes
    ----------
    name : str
        The number or, without a direction, several numbers.
    bound : float
    required : bool
        Whether the whole interval must lie below the bound; otherwise it must not lie above.
    """

    name: str
    bound: float
    required: bool = False

    def __post_init__(self) -> None:
        if _as_slug(self.name).startswith("verdict"):
            raise _no_bound(f"{self.bound!r} for {self.name!r}")
        number = as_float(self.bound)
        if isinstance(self.bound, bool) or not math.isfinite(number):
            raise ValueError(
                f"the bound of a gate must be a finite number; received {self.bound!r} for "
                f"{self.name!r}"
            )
        object.__setattr__(self, "bound", number)

    def failures(self, summary: Summary) -> Iterator[GateFailure]:
        """What a report has beyond the bound, and what it cannot tell."""
        wanted = _as_slug(self.name)
        known = [*_numbers(summary)]
        numbers = [x for x in known if wanted in _by_slug(x.names) or self.name.strip() == x.shown]
        if not numbers:
            names = [name for number in known for name in number.names]
            raise _unknown("number", (x.name for x in known), names, self.name)
        for number in numbers:
            judged, fault = self._judge(number)
            if fault:
                sentence = f"{number.shown} {fault}"
                yield GateFailure(number.model, number.name, judged, sentence, summary["title"])

    def _judge(self, number: _Number) -> tuple[bool, str]:
        """Whether a number can be judged, and what is wrong with it."""
        row = number.row
        if number.zero_by_construction:
            return False, f"cannot be judged: {_BALANCED}"
        if row["low"] is None:
            reason = row["note"].replace("no interval: ", "")
            return False, f"cannot be judged: it has no interval ({reason})"
        shown = f"is {estimate(row, number.sign)}"
        if not self.required and row["low"] > self.bound:
            return True, f"{shown}, above {self.bound:g}"
        if self.required and not row["high"] < self.bound:
            return True, f"{shown}, not shown to be below {self.bound:g}"
        if self.required and not number.has_sign and -row["low"] >= self.bound:
            return False, f"{shown}, and cannot be judged: its direction may be noise"
        return True, ""


@dataclass(frozen=True)
class ForbiddenVerdicts:
    """Verdicts that must not be given.

    Attributes
    ----------
    name : str
        "verdict" or, for one direction, "verdict A->T". The first word may be left out.
    codes : tuple of str
        Capitals do not matter.
    """

    name: str
    codes: tuple[str, ...]

    def __post_init__(self) -> None:
        codes = tuple(slug(code) if isinstance(code, str) else "" for code in self.codes)
        unknown = [
            given for given, code in zip(self.codes, codes, strict=True) if code not in WORDS
        ]
        if unknown or not codes:
            known = {slug(words): code for code, words in WORDS.items()} | {x: x for x in WORDS}
            raise ValueError(
                f"forbidden verdicts must be some of {list(WORDS)}; received {unknown} for "
                f"{self.name!r}{did_you_mean([slug(str(code)) for code in unknown], known)}"
            )
        object.__setattr__(self, "codes", codes)

    def failures(self, summary: Summary) -> Iterator[GateFailure]:
        """The forbidden verdicts that a report gives, and where it cannot say."""
        wanted = _as_slug(self.name).removeprefix("verdict").strip("_")
        rows = [row for row in summary["verdicts"] if wanted in _slugs_of_verdict(row)]
        if not rows:
            names = [f"verdict {row['direction']}" for row in summary["verdicts"]]
            raise _unknown("verdict", names, names, self.name)
        for row in rows:
            name, forbidden = f"verdict {row['direction']}", row["verdict"] in self.codes
            if forbidden or row["verdict"] == _CANNOT_SAY:
                fault = f"is {row['verdict']}" if forbidden else "cannot be judged"
                sentence = f"{name} {fault}: {row['sentence']}"
                yield GateFailure(row["model"], name, forbidden, sentence, summary["title"])


def _slugs_of_verdict(row: Row) -> set[str]:
    """What may follow "verdict": nothing, the direction, or a name of BA."""
    direction = row["direction"]
    return {slug(name) for name in {"", direction, *_names("BA", DIRECTIONAL, direction)}}


Gate: TypeAlias = Bound | ForbiddenVerdicts


def failures(summaries: Iterable[Summary], gates: Sequence[Gate]) -> list[GateFailure]:
    """What gates do not let pass in some reports; first what was judged, then what cannot be.

    Raises
    ------
    ValueError
        If a report has nothing of the name of a gate.
    """
    reports = [*summaries]
    found = [failure for gate in gates for report in reports for failure in gate.failures(report)]
    return sorted(found, key=lambda failure: not failure.judged)


def gates_of(
    above: Mapping[str, float | Collection[str]], require_below: Mapping[str, float]
) -> list[Gate]:
    """The gates that mappings of names describe; see :meth:`AuditReport.failures`."""
    for limits in (above, require_below):
        if not (isinstance(limits, Mapping) and all(isinstance(name, str) for name in limits)):
            raise ValueError(f"gates must be a mapping from names to bounds; received {limits!r}")
    gates = [_gate(name, limit) for name, limit in above.items()]
    gates += [Bound(name, bound, required=True) for name, bound in require_below.items()]
    if not gates:
        raise ValueError("a gate needs at least one bound or set of verdicts; received none")
    return gates


def _gate(name: str, limit: Any) -> Gate:
    is_code = isinstance(limit, str) and _as_slug(name).startswith("verdict")
    if is_code or (isinstance(limit, Collection) and not isinstance(limit, str)):
        return ForbiddenVerdicts(name, (limit,) if is_code else tuple(limit))
    return Bound(name, limit)


def parse_gate(option: str, text: str) -> Gate:
    """The gate that an option of the command line describes.

    ``--fail-above`` and ``--require-below`` take ``METRIC=X``, and ``--fail-verdict`` takes
    ``CODE,...`` or ``DIRECTION=CODE,...``.
    """
    name, _, limit = text.rpartition("=")
    name = name.strip()
    if option == "--fail-verdict":
        return ForbiddenVerdicts(name or "verdict", tuple(map(str.strip, limit.split(","))))
    if _as_slug(name or text).startswith("verdict"):
        raise _no_bound(repr(text))
    try:
        bound = float(limit)
    except ValueError:
        bound = math.nan
    if not (name and math.isfinite(bound)):
        raise ValueError(
            f"{option} must be METRIC=X with a number X, as in 'BA A->T=0.02'; received {text!r}"
        )
    return Bound(name, bound, required=option == "--require-below")
