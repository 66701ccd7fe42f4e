"""Gates for continuous integration: bounds on the numbers of a report, and forbidden verdicts.

A bound is judged on the interval of a number, never on the number alone. Gates read the summary
and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from biasamp_adapters._text import slug
from biasamp_adapters._typing import as_float
from biasamp_adapters.auditing.findings import DIRECTIONAL
from biasamp_adapters.auditing.summary import Row, Summary
from biasamp_adapters.auditing.tables import estimate
from biasamp_adapters.metrics.measurement import as_arrow
from biasamp_adapters.metrics.verdict import WORDS

#: The verdict that says nothing of the others.
_CANNOT_SAY = "cannot_say"

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

    ``slugs`` are the names by which a gate may ask for it, ``of`` is the task that it is about, and
    ``sign`` the format of its sign.
    """

    model: str
    name: str
    row: Row
    slugs: set[str]
    zero_by_construction: bool = False
    of: str = ""
    sign: str = "+"


def _numbers(summary: Summary) -> Iterator[_Number]:
    """The metrics of a report, what they exceed blind errors by, and its fairness measures."""
    for row in summary["metrics"]:
        model, name, direction = row["model"], row["name"], row["direction"]
        zero = row["zero_by_construction"]
        short = name.removesuffix(f" {direction}")
        names = {name, short, row["metric"], f"{row['metric']} {direction}"}
        yield _Number(model, name, row, {*map(slug, names)}, zero)
        if row["excess"] is not None:
            names, shown = {name}, f"excess {name}"
            if row["metric"] == DIRECTIONAL:
                names, shown = {name, direction, ""}, f"excess {direction}"
            yield _Number(model, shown, row["excess"], {slug(f"excess {n}") for n in names}, zero)
    data = summary["data"]
    kind = "class" if data["task"] is None else f"{data['task']} ="
    kind = "task" if data["tasks_are_columns"] else kind
    for row in summary["fairness"]:
        name, task = row["measure"].replace("_", " "), row["task"]
        of = "" if task == "all" else f" of {kind} {task}"
        yield _Number(row["model"], name, row, {row["measure"]}, of=of, sign="")


def _known_names(summary: Summary) -> list[str]:
    verdicts = [f"verdict {row['direction']}" for row in summary["verdicts"]]
    return [*dict.fromkeys([*(number.name for number in _numbers(summary)), *verdicts])]


def _as_slug(name: str) -> str:
    """The slug of a name that a user gave, whose direction may be written in any way."""
    rest, space, direction = name.strip().rpartition(" ")
    return slug(f"{rest}{space}{as_arrow(direction) or direction}")


def _unknown(summary: Summary, name: str) -> ValueError:
    return ValueError(
        f"a gate must name a number or verdict of the report, one of {_known_names(summary)}, or "
        f"several without their direction; received {name!r}"
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
        numbers = [number for number in _numbers(summary) if wanted in number.slugs]
        if not numbers:
            raise _unknown(summary, self.name)
        for number in numbers:
            judged, fault = self._judge(number)
            if fault:
                sentence = f"{number.name}{number.of} {fault}"
                yield GateFailure(number.model, number.name, judged, sentence, summary["title"])

    def _judge(self, number: _Number) -> tuple[bool, str]:
        """Whether a number can be judged, and what is wrong with it."""
        row = number.row
        if number.zero_by_construction:
            return False, f"cannot be judged: {_BALANCED}"
        if row["low"] is None:
            return False, f"cannot be judged: it has no interval ({row['note']})"
        shown = f"is {estimate(row, number.sign)}"
        if not self.required and row["low"] > self.bound:
            return True, f"{shown}, above {self.bound:g}"
        if self.required and not row["high"] < self.bound:
            return True, f"{shown}, not shown to be below {self.bound:g}"
        return True, ""


@dataclass(frozen=True)
class ForbiddenVerdicts:
    """Verdicts that must not be given.

    Attributes
    ----------
    name : str
        "verdict" or, for one direction, "verdict A->T".
    codes : tuple of str
    """

    name: str
    codes: tuple[str, ...]

    def __post_init__(self) -> None:
        unknown = [code for code in self.codes if code not in [*WORDS]]
        if unknown or not self.codes:
            raise ValueError(
                f"forbidden verdicts must be some of {list(WORDS)}; received {unknown} for "
                f"{self.name!r}"
            )

    def failures(self, summary: Summary) -> Iterator[GateFailure]:
        """The forbidden verdicts that a report gives, and where it cannot say."""
        wanted = _as_slug(self.name)
        rows = [
            row
            for row in summary["verdicts"]
            if wanted in ("verdict", slug(f"verdict {row['direction']}"))
        ]
        if not rows:
            raise _unknown(summary, self.name)
        for row in rows:
            name, forbidden = f"verdict {row['direction']}", row["verdict"] in self.codes
            if forbidden or row["verdict"] == _CANNOT_SAY:
                fault = f"is {row['verdict']}" if forbidden else "cannot be judged"
                sentence = f"{name} {fault}: {row['sentence']}"
                yield GateFailure(row["model"], name, forbidden, sentence, summary["title"])


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
    if not _as_slug(name).startswith("verdict"):
        return Bound(name, limit)
    if isinstance(limit, str) or not isinstance(limit, Collection):
        raise ValueError(
            f"{name!r} must have a set of codes, such as {{'amplifies'}}; received {limit!r}"
        )
    return ForbiddenVerdicts(name, tuple(limit))


def parse_bounds(option: str, texts: Iterable[str], *, required: bool = False) -> list[Gate]:
    """The bounds that an option of the command line describes as ``METRIC=X``."""
    return [_parse_bound(option, text, required) for text in texts]


def _parse_bound(option: str, text: str, required: bool) -> Bound:
    name, equals, bound = text.rpartition("=")
    try:
        if not (name.strip() and equals):
            raise ValueError
        return Bound(name.strip(), float(bound), required)
    except ValueError:
        raise ValueError(
            f"{option} must be METRIC=X with a number X, as in 'BA A->T=0.02'; received {text!r}"
        ) from None


def parse_verdicts(texts: Iterable[str]) -> list[Gate]:
    """The verdicts that ``--fail-verdict`` forbids as ``CODE,...`` or ``DIRECTION=CODE,...``."""
    gates: list[Gate] = []
    for text in texts:
        direction, _, codes = text.rpartition("=")
        listed = tuple(code.strip() for code in codes.split(","))
        gates.append(ForbiddenVerdicts(f"verdict {direction}".strip(), listed))
    return gates
