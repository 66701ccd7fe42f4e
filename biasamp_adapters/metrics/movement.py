"""How the rates of groups move from the truth to the predictions, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from biasamp_adapters._text import MINUS
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import show
from biasamp_adapters.metrics.facts import NONE, Facts

#: Changes smaller than this are given with more digits.
_SMALL_CHANGE = 0.02


def percent(rate: float, digits: int = 0) -> str:
    """A rate in per cent."""
    return f"{100 * rate:z.{digits}f}%"


def points(change: float, digits: int | None = None) -> str:
    """A difference of rates in percentage points, with the unit; a small one has more digits."""
    digits = digits_of(change) if digits is None else digits
    text = f"{100 * change:z.{digits}f}".replace("-", MINUS)
    return f"{text} point" if text.strip(MINUS) == "1" else f"{text} points"


def digits_of(*changes: float) -> int:
    """Decimals of a percentage that show the smallest of some changes."""
    smallest = min((abs(change) for change in changes if abs(change) > NONE), default=1.0)
    return 0 if smallest >= _SMALL_CHANGE else max(1, -math.floor(math.log10(100 * smallest)))


@dataclass(frozen=True)
class Movement:
    """How one pair of groups, or one group in a task, moves from the truth to the predictions.

    Attributes
    ----------
    task : int
    groups : tuple of int
        The group that the reference joins with the task and one that it does not; or one group.
    """

    task: int
    groups: tuple[int, ...]

    def gap(self, rates: Array) -> float:
        """The difference of rates between two groups, or the rate of one."""
        first, *second = (float(rates[group, self.task]) for group in self.groups)
        return first - second[0] if second else first


def largest(facts: Facts, score: Array) -> Movement | None:
    """The pair of groups, or else the group, and the task whose rates move most.

    Parameters
    ----------
    facts : Facts
    score : ndarray of shape (groups, tasks)
        How far each pair moves; along the reference's sign, it is positive times the sign.
    """
    is_named = np.isin(np.arange(score.shape[1]), facts.named_tasks)
    score = np.where(np.isnan(score) | ~is_named, -np.inf, score)
    # A sentence should not rest on a sign that may be noise, if there are others.
    sure = np.where(facts.uncertain, -np.inf, score)
    ways = [_between(facts, one) for one in (sure, score) if facts.of_task]
    ways += [_alone(one) for one in (sure, score)]
    along = [way for way in ways if way is not None and way[0] > 0]
    # Where nothing moves the way that is told of, what moves least against it.
    found = [*along, *filter(None, ways[1::2])]
    return found[0][1] if found else None


def _between(facts: Facts, score: Array) -> tuple[float, Movement] | None:
    """The two groups, one along and one against the reference, that move most in one task."""
    along, against = (np.where(facts.sign == s, score, -np.inf) for s in (1, -1))
    together = along.max(axis=0) + against.max(axis=0)
    task = int(together.argmax())
    if np.isinf(together[task]):
        return None
    groups = int(along[:, task].argmax()), int(against[:, task].argmax())
    return float(together[task]), Movement(task, groups)


def _alone(score: Array) -> tuple[float, Movement] | None:
    """The group that moves most in one task."""
    group, task = divmod(int(score.argmax()), score.shape[1])
    size = float(score[group, task])
    return None if np.isinf(size) else (size, Movement(task, (group,)))


def movement_along(facts: Facts, side: int) -> Movement | None:
    """The largest movement along (1) or against (-1) the reference's signs."""
    return largest(facts, side * facts.sign * facts.delta)


def decimals(facts: Facts, movement: Movement) -> int:
    """Decimals that tell truth, predictions and blind errors apart."""
    after = movement.gap(facts.predicted)
    others = [rates for rates in (facts.true, facts.blind) if rates is not None]
    return digits_of(*(after - movement.gap(rates) for rates in others))


def _told(facts: Facts, movement: Movement, rates: Array) -> list[str]:
    """The rate of each group of a movement, in per cent."""
    digits = decimals(facts, movement)
    return [percent(float(rates[group, movement.task]), digits) for group in movement.groups]


def _verb(before: float, after: float) -> str:
    if before < 0:
        return "goes"
    return "turns round" if after < 0 else "grows" if after > before else "shrinks"


def in_words(facts: Facts, movement: Movement | None) -> str:
    """How the gap between two groups, or the share of one, changes."""
    if movement is None:
        return "rates are undefined"
    subject = facts.subjects[movement.task]
    first, *second = (show(facts.groups[group]) for group in movement.groups)
    true, predicted = (_told(facts, movement, rates) for rates in (facts.true, facts.predicted))
    if not second:
        what = f"the rate of {subject} in {first}"
        if not facts.of_task:
            what = f"the share of {first} among rows with {subject}"
        return f"{what} goes from {true[0]} to {predicted[0]}"
    digits = decimals(facts, movement)
    before, after = (movement.gap(rates) for rates in (facts.true, facts.predicted))
    between = f"the gap between {first} and {second[0]} in {subject}"
    if abs(after - before) <= NONE:
        rates = ", then ".join(dict.fromkeys(" against ".join(pair) for pair in (true, predicted)))
        return f"{between} stays at {points(before, digits)} ({rates})"
    return (
        f"{between} {_verb(before, after)} from "
        f"{points(before, digits)} ({' against '.join(true)}) to "
        f"{points(after, digits)} ({' against '.join(predicted)})"
    )


def on_average(facts: Facts, clause: str = "", extreme: str = "Most of all,") -> str:
    """How rates move on average, where there are more than one movement to tell."""
    one = facts.true.size == 1 or (not facts.by_column and facts.sign.shape == (2, 2))
    one = one or (len(facts.groups) == 2 and len(facts.subjects) == 1)
    if one and facts.of_task:
        return ""
    mean, along = facts.value.value, (facts.sign * facts.delta)[:, facts.named_tasks]
    if abs(mean) <= NONE:
        return f"on average, rates do not move along the reference's correlations. {extreme} "
    side, where = (-1, "against") if mean < 0 else (1, "along")
    moved, n_pairs = int((side * along > NONE).sum()), int(np.isfinite(along).sum())
    return (
        f"rates move by {points(abs(mean))} on average {where} the reference's "
        f"correlations{clause}; {moved} of {n_pairs} pairs move{'s' * (moved == 1)} that way. "
        f"{extreme} "
    )


def told_with_blind(facts: Facts, movement: Movement | None, average: str, tail: str) -> str:
    """What holds on average, a movement, and what blind errors would make of it: ``tail``."""
    sentence = f"{average}{in_words(facts, movement)}"
    if facts.blind is None or movement is None:
        return sentence
    in_unit = points if len(movement.groups) > 1 else percent
    return sentence + tail.format(in_unit(movement.gap(facts.blind), decimals(facts, movement)))


class Gap(NamedTuple):
    """The difference of rates between two groups that moves most, or the rate that does.

    Attributes
    ----------
    task : str
        As a sentence names it.
    group : label
    other : label or None
        The group that is subtracted; None where it is the rate of one group.
    true, predicted : float
        The difference, or the rate, in the truth and in the predictions.
    """

    task: str
    group: Label
    other: Label | None
    true: float
    predicted: float

    def to_dict(self) -> dict[str, Any]:
        """The same with the names of groups as text."""
        other = None if self.other is None else show(self.other)
        return {**self._asdict(), "group": show(self.group), "other": other}


def gap_of(facts: Facts, movement: Movement | None) -> Gap | None:
    """A movement with its names."""
    if movement is None:
        return None
    first, *second = (facts.groups[group] for group in movement.groups)
    rates = (movement.gap(rates) for rates in (facts.true, facts.predicted))
    return Gap(facts.subjects[movement.task], first, second[0] if second else None, *rates)
