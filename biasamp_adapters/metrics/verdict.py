"""The verdict on a value of BA->: what it says of a model, or why it cannot say anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import show
from biasamp_adapters.inference.estimates import Estimate, side_of_zero

#: The verdicts, in the words of a table.
WORDS = {
    "cannot_say": "cannot say",
    "no_errors": "no errors",
    "constant": "says the same of everybody",
    "reverses": "reverses the gap",
    "amplifies": "amplifies",
    "amplifies_beneath_errors": "amplifies beneath its errors",
    "mistakes_only": "mistakes only",
    "reduces": "reduces",
    "no_clear_change": "no clear change",
}

#: The colours of verdicts that see more bias or less; of others there is none.
TONES = {
    "amplifies": "above",
    "amplifies_beneath_errors": "above",
    "reverses": "above",
    "reduces": "below",
}

#: Verdicts that the value of BA-> says nothing about.
WITHOUT_NUMBERS = ("cannot_say", "no_errors", "constant")

#: Pairs of uncertain sign may carry this share of all movement.
_MOST_UNCERTAIN = 0.5

#: Changes smaller than this are given with more digits, and those up to rounding are none.
_SMALL_CHANGE, _NONE = 0.02, 1e-12


class Verdict(NamedTuple):
    """What a value of BA-> says of a model.

    Attributes
    ----------
    code : str
        One of the keys of ``WORDS``.
    reason : str or None
        Of "cannot_say": "one_group", "reference_balanced", "direction_unknown", "silence_differs",
        "few_rows" or "no_interval".
    sentence : str
        The verdict with its numbers.
    constant : str or None
        What predictions say of everybody, if it is the same: "class 0".
    gap : Gap or None
        The largest movement that the verdict speaks of; None where no rate is defined.
    """

    code: str
    reason: str | None
    sentence: str
    constant: str | None = None
    gap: Gap | None = None

    @property
    def words(self) -> str:
        """The verdict in a few words."""
        return WORDS[self.code]


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


@dataclass(frozen=True, eq=False, kw_only=True)
class Facts:
    """What is known of a model in one direction.

    Attributes
    ----------
    of_task : bool
        Whether rates are those of tasks in a group (A->T), and not of groups in a task (T->A).
    groups : tuple of labels
    subjects : tuple of str
        Each task as a sentence names it.
    told : list of int
        The tasks that sentences may name: of two classes, the positive one.
    by_column : bool
        Whether tasks are columns of a matrix.
    sign, uncertain : ndarray of shape (groups, tasks)
        The reference's signs, and whether each may be noise.
    true, predicted : ndarray of shape (groups, tasks)
        Rates of the truth, or those set by hand, and of the predictions.
    overall : ndarray of shape (tasks,), of T->A (groups,), or None
        The rates of all rows of the reference, from which its signs are read; None if unknown.
    blind : ndarray of shape (groups, tasks), or None
        The rates that blind errors give.
    accuracy : float or None
        The share of predictions that are right, of all task columns together.
    has_truth : bool
        Whether predictions are compared with a truth, and not with rates set by hand.
    is_right : bool
        Whether predictions equal the truth.
    constant : str or None
        What predictions say of everybody, if it is the same.
    only_group : label or None
        The only group that has rows.
    few_rows : str or None
        Which cells that decide have too few rows, in words.
    followed : float
        How far the rates of the truth follow the reference's signs, on average.
    association : Estimate
        The same of the predictions.
    silence : Estimate or None
        The largest less the smallest share of abstentions in a group.
    silent : ndarray of shape (groups,), or None
        The share of abstentions in each group.
    value, excess : Estimate or None
        BA->, and BA-> less that of blind errors.
    doubtful_value, doubtful_excess : Estimate or None
        The same with intervals that hold for other signs too, where signs are uncertain; None where
        they are not.
    """

    of_task: bool
    groups: tuple[Label, ...]
    subjects: tuple[str, ...]
    told: list[int]
    by_column: bool
    sign: Array
    uncertain: Array
    true: Array
    predicted: Array
    overall: Array | None
    blind: Array | None
    accuracy: float | None
    has_truth: bool
    is_right: bool
    constant: str | None
    only_group: Label | None
    followed: float
    silent: Array | None
    few_rows: str | None
    value: Estimate
    association: Estimate
    excess: Estimate | None = None
    silence: Estimate | None = None
    doubtful_value: Estimate | None = None
    doubtful_excess: Estimate | None = None

    @property
    def delta(self) -> Array:
        """How far the rate of each pair moves."""
        return self.predicted - self.true

    @property
    def uncertain_share(self) -> float:
        """Share of all movement that is in pairs without a sign that can be told."""
        moved = np.nan_to_num(np.abs(self.delta))
        total = moved.sum()
        return float(moved[self.uncertain | (self.sign == 0)].sum() / total) if total else 0.0

    @property
    def direction_unknown(self) -> bool:
        """Whether what is clear is so for the reference's signs only, which may be noise.

        Where nothing is clear, whether most movement is in pairs of uncertain sign.
        """
        pairs = ((self.value, self.doubtful_value), (self.excess, self.doubtful_excess))
        sides = [(_side(sure), _side(doubtful or sure)) for sure, doubtful in pairs if sure]
        clear = [(side, doubtful) for side, doubtful in sides if side]
        if not clear:
            return self.uncertain_share > _MOST_UNCERTAIN
        return any(side != doubtful for side, doubtful in clear)

    @property
    def is_balanced(self) -> bool:
        """Whether no pair has a sign that can be told from a tie."""
        return bool((self.uncertain | (self.sign == 0)).all())

    @property
    def is_silent(self) -> bool:
        """Whether the model abstains from every prediction."""
        return self.silent is not None and bool(np.nanmin(self.silent) >= 1 - _NONE)

    @property
    def silence_differs(self) -> bool:
        """Whether groups differ clearly in abstentions, and by more than BA-> may be."""
        silence, value = self.silence, self.value
        if silence is None or silence.interval is None or value.interval is None:
            return False
        return silence.interval[0] > 0 and silence.value > max(map(abs, value.interval))

    @property
    def reverses(self) -> bool:
        """Whether predictions clearly go against signs that the truth follows."""
        return self.followed > 0 and _side(self.association) == -1

    @property
    def lacks_interval(self) -> str | None:
        """Reason why value or excess has no interval, or None."""
        if self.excess is None and self.has_truth:
            return "what mistakes alone would do is known only where counts keep rows"
        for estimate in filter(None, (self.value, self.excess)):
            if estimate.interval is None:
                return estimate.reason
        return None

    @property
    def side(self) -> int | None:
        """The side of 0 on which BA-> clearly lies; 0 where it does not."""
        return _side(self.value)

    @property
    def excess_side(self) -> int | None:
        """The same of the excess; without a truth there are no mistakes, and it is BA->."""
        return self.side if self.excess is None else _side(self.excess)


def _side(estimate: Estimate) -> int | None:
    return None if estimate.interval is None else side_of_zero(estimate.interval)


class Case(NamedTuple):
    """A verdict, its reason, the test whether it is the one, and its sentence."""

    code: str
    reason: str | None
    applies: Callable[[Facts], bool]
    sentence: Callable[[Facts], str]


# How rates move, in words.


def percent(rate: float, digits: int = 0) -> str:
    """A rate in per cent."""
    return f"{100 * rate:z.{digits}f}%"


def points(change: float, digits: int | None = None) -> str:
    """A difference of rates in percentage points, with the unit; a small one has more digits."""
    digits = _digits_of(change) if digits is None else digits
    text = f"{100 * change:z.{digits}f}"
    return f"{text} point" if text in ("1", "-1") else f"{text} points"


def _digits_of(*changes: float) -> int:
    """Decimals of a percentage that show the smallest of some changes."""
    smallest = min((abs(change) for change in changes if abs(change) > _NONE), default=1.0)
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


def _largest(facts: Facts, score: Array) -> Movement | None:
    """The pair of groups, or else the group, and the task whose rates move most.

    Parameters
    ----------
    facts : Facts
    score : ndarray of shape (groups, tasks)
        How far each pair moves; along the reference's sign, it is positive times the sign.
    """
    told = np.isin(np.arange(score.shape[1]), facts.told)
    score = np.where(np.isnan(score) | ~told, -np.inf, score)
    if np.isinf(score).all():
        return None
    if facts.of_task:
        along, against = (np.where(facts.sign == s, score, -np.inf) for s in (1, -1))
        together = along.max(axis=0) + against.max(axis=0)
        task = int(together.argmax())
        if np.isfinite(together[task]):
            return Movement(task, (int(along[:, task].argmax()), int(against[:, task].argmax())))
    group, task = divmod(int(score.argmax()), score.shape[1])
    return Movement(task, (group,))


def _movement(facts: Facts, side: int) -> Movement | None:
    """The largest movement along (1) or against (-1) the reference's signs."""
    return _largest(facts, side * facts.sign * facts.delta)


def _digits(facts: Facts, movement: Movement) -> int:
    """Decimals that tell truth, predictions and blind errors apart."""
    after = movement.gap(facts.predicted)
    others = [rates for rates in (facts.true, facts.blind) if rates is not None]
    return _digits_of(*(after - movement.gap(rates) for rates in others))


def _told(facts: Facts, movement: Movement, rates: Array) -> list[str]:
    """The rate of each group of a movement, in per cent."""
    digits = _digits(facts, movement)
    return [percent(float(rates[group, movement.task]), digits) for group in movement.groups]


def _verb(before: float, after: float) -> str:
    if before < 0:
        return "goes"
    return "turns round" if after < 0 else "grows" if after > before else "shrinks"


def _moves(facts: Facts, movement: Movement | None) -> str:
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
    digits = _digits(facts, movement)
    before, after = (movement.gap(rates) for rates in (facts.true, facts.predicted))
    between = f"the gap between {first} and {second[0]} in {subject}"
    if abs(after - before) <= _NONE:
        rates = ", then ".join(dict.fromkeys(" against ".join(told) for told in (true, predicted)))
        return f"{between} stays at {points(before, digits)} ({rates})"
    return (
        f"{between} {_verb(before, after)} from "
        f"{points(before, digits)} ({' against '.join(true)}) to "
        f"{points(after, digits)} ({' against '.join(predicted)})"
    )


def _average(facts: Facts, clause: str = "", extreme: str = "most of all") -> str:
    """How rates move on average, where there are more than one movement to tell."""
    one = facts.true.size == 1 or (not facts.by_column and facts.sign.shape == (2, 2))
    one = one or (len(facts.groups) == 2 and len(facts.subjects) == 1)
    if one and facts.of_task:
        return ""
    mean, along = facts.value.value, facts.sign * facts.delta
    if abs(mean) <= _NONE:
        return f"on average, rates do not move along the reference's correlations; {extreme} "
    side, where = (-1, "against") if mean < 0 else (1, "along")
    moved, n_pairs = int((side * along > _NONE).sum()), int(np.isfinite(along).sum())
    return (
        f"rates move by {points(abs(mean))} on average {where} the reference's "
        f"correlations{clause}, {moved} of {n_pairs} pairs {where} them; {extreme} "
    )


def _sentence(facts: Facts, side: int, tail: str) -> str:
    """The largest movement along or against the signs; ``tail`` takes what blind errors give."""
    movement = _movement(facts, side)
    return f"{_average(facts)}{_moves(facts, movement)}{_beside(facts, movement, tail)}"


def _beside(facts: Facts, movement: Movement | None, tail: str) -> str:
    """A clause on what blind errors would make of the gap."""
    if facts.blind is None or movement is None:
        return ""
    in_words = points if len(movement.groups) > 1 else percent
    return tail.format(in_words(movement.gap(facts.blind), _digits(facts, movement)))


#: Clauses on blind errors.
_ALONE = "; mistakes that know nothing of the attribute would give {}"
_AS_FAR = ", as far as mistakes that know nothing of the attribute would move it (to {})"
_NOT_AS_FAR = ", where mistakes that know nothing of the attribute would move it further (to {})"
_BENEATH = ", but mistakes as frequent as these, blind to the attribute, would give {}"

#: A clause on a model that is never wrong.
_RIGHT = "the model makes no mistakes on these rows; "


# The sentences.


def _of_balanced(facts: Facts) -> str:
    text = "the reference is balanced, so BA is 0 whatever the model does"
    if (facts.sign != 0).any():
        text = "the reference cannot be told from a balanced one, so the direction of BA is noise"
    if facts.constant is not None:
        return f"{text}; {_of_everybody(facts)}"
    return f"{text}; {_RIGHT if facts.is_right else ''}{_selection(facts)}"


def _selection(facts: Facts) -> str:
    """The predicted rates of one task, or shares of one group, that differ most."""
    named = [[*map(show, facts.groups)], [*facts.subjects]]
    # Rows are what is compared: groups in a task, or tasks in their share of a group.
    rates = facts.predicted[:, facts.told] if facts.of_task else facts.predicted.T
    compared, columns = named if facts.of_task else reversed(named)
    columns = [columns[i] for i in facts.told] if facts.of_task else columns
    if np.isnan(rates).all():
        return "no rate is defined"
    highest, lowest = (np.nan_to_num(rates, nan=empty) for empty in (-np.inf, np.inf))
    column = int((highest.max(axis=0) - lowest.min(axis=0)).argmax())
    ends = highest[:, column].argmax(), lowest[:, column].argmin()
    most, least = (float(rates[end, column]) for end in ends)
    what = "selection rates of" if facts.of_task else "predicted shares of"
    if most - least <= _NONE:
        where = "groups" if facts.of_task else "tasks"
        return f"{what} {columns[column]} are the same in all {where} ({percent(most)})"
    digits = _digits_of(most - least)
    shares = ", ".join(
        f"{compared[end]} {percent(share, digits)}"
        for end, share in zip(ends, (most, least), strict=True)
    )
    return f"{what} {columns[column]} differ by {points(most - least)} ({shares})"


def _of_everybody(facts: Facts) -> str:
    """What a model says of all rows."""
    variable = "task" if facts.of_task else "attribute"
    if facts.is_silent:
        return f"the model abstains from every prediction of the {variable}"
    return f"predictions of the {variable} say the same of everybody ({facts.constant})"


def _of_unknown_direction(facts: Facts) -> str:
    moved = np.nan_to_num(np.abs(facts.delta))[:, facts.told]
    group, told = divmod(int(moved.argmax()), len(facts.told))
    movement = Movement(facts.told[told], (group,))
    where = f"most of all {_moves(facts, movement)}"
    if facts.uncertain_share > _MOST_UNCERTAIN:
        return (
            f"{percent(facts.uncertain_share)} of all movement is in pairs that the reference "
            f"hardly correlates, so its direction may be noise; {where}"
        )
    return f"what BA says depends on correlations of the reference that may be noise; {where}"


def _of_silence(facts: Facts) -> str:
    silent = np.zeros(len(facts.groups)) if facts.silent is None else facts.silent
    most, least = int(np.nanargmax(silent)), int(np.nanargmin(silent))
    return (
        f"the model is silent on {percent(silent[most])} of {show(facts.groups[most])} and "
        f"{percent(silent[least])} of {show(facts.groups[least])}, which moves rates by itself; "
        "read the abstention rates first"
    )


def _of_no_interval(facts: Facts) -> str:
    value = "undefined" if np.isnan(facts.value.value) else f"{facts.value.value:+z.4f}"
    return f"BA is {value}, without an interval: {facts.lacks_interval}"


def _of_mistakes(facts: Facts) -> str:
    side = facts.side or 1
    less = facts.excess_side == -side
    movement = _movement(facts, side)
    how = "less far than" if less else "as far as"
    average = _average(facts, f", {how} mistakes that know nothing of the attribute would")
    # What holds of the mean over many pairs need not hold of the one that moves most.
    tail = _ALONE if average else _NOT_AS_FAR if less else _AS_FAR
    return f"{average}{_moves(facts, movement)}{_beside(facts, movement, tail)}"


def _of_beneath(facts: Facts) -> str:
    blind = facts.true if facts.blind is None else facts.blind
    movement = _largest(facts, facts.sign * (facts.predicted - blind))
    average = _average(facts, extreme="farthest above what mistakes would give,")
    return f"{average}{_moves(facts, movement)}{_beside(facts, movement, _BENEATH)}"


def _of_reversal(facts: Facts) -> str:
    movement = _movement(facts, -1)
    if movement is None or len(movement.groups) == 1:
        return _sentence(facts, -1, _ALONE)
    first, second = (show(facts.groups[group]) for group in movement.groups)
    before, after = (points(movement.gap(rates)) for rates in (facts.true, facts.predicted))
    return (
        f"predictions reverse the gap between {first} and {second} in "
        f"{facts.subjects[movement.task]}: {before} in the truth, {after.partition(' ')[0]} in the "
        "predictions"
    )


def _of_no_change(facts: Facts) -> str:
    interval = facts.value.interval or (np.nan, np.nan)
    return (
        "no change along the reference's correlations can be told from chance; an average change "
        f"by more than {points(max(map(abs, interval)))} is excluded"
    )


#: The verdicts in the order in which they are tried. What needs no interval is said without one.
CASES: Sequence[Case] = (
    Case(
        "cannot_say",
        "one_group",
        lambda it: it.only_group is not None,
        lambda it: f"only the group {show(it.only_group)} has rows, so there is no gap",
    ),
    Case("cannot_say", "reference_balanced", lambda it: it.is_balanced, _of_balanced),
    Case(
        "no_errors",
        None,
        lambda it: it.is_right,
        lambda it: (
            "nothing to amplify: the model makes no mistakes on these rows"
            if it.of_task
            else "nothing to amplify: the model predicts the attribute without a mistake"
        ),
    ),
    Case(
        "constant",
        None,
        lambda it: it.constant is not None,
        lambda it: f"{_of_everybody(it)}; BA, MALS and DPA describe that, not bias",
    ),
    Case("cannot_say", "silence_differs", lambda it: it.silence_differs, _of_silence),
    Case(
        "cannot_say",
        "direction_unknown",
        lambda it: it.direction_unknown,
        _of_unknown_direction,
    ),
    Case(
        "cannot_say",
        "few_rows",
        lambda it: it.few_rows is not None,
        lambda it: f"{it.few_rows}: rates of so few rows are noise",
    ),
    Case("cannot_say", "no_interval", lambda it: bool(it.lacks_interval), _of_no_interval),
    Case("reverses", None, lambda it: it.reverses, _of_reversal),
    Case(
        "amplifies",
        None,
        lambda it: it.side == 1 and it.excess_side == 1,
        lambda it: _sentence(it, 1, _ALONE),
    ),
    Case(
        "amplifies_beneath_errors",
        None,
        lambda it: it.side != 1 and it.excess_side == 1,
        _of_beneath,
    ),
    Case(
        "reduces",
        None,
        lambda it: it.side == -1 and it.excess_side == -1,
        lambda it: _sentence(it, -1, _ALONE),
    ),
    Case("mistakes_only", None, lambda it: bool(it.side), _of_mistakes),
    Case("no_clear_change", None, lambda it: True, _of_no_change),
)


def judge(facts: Facts) -> Verdict:
    """The first verdict that applies."""
    case = next(case for case in CASES if case.applies(facts))
    sentence = case.sentence(facts)
    said = f"{sentence[0].upper()}{sentence[1:]}."
    return Verdict(case.code, case.reason, said, facts.constant, _gap(facts, case.code))


def _gap(facts: Facts, code: str) -> Gap | None:
    """The movement that the sentence of a verdict names, or else the largest on BA's side."""
    if code == "amplifies_beneath_errors" and facts.blind is not None:
        movement = _largest(facts, facts.sign * (facts.predicted - facts.blind))
    else:
        movement = _movement(facts, -1 if code == "reverses" or facts.value.value < 0 else 1)
    if movement is None:
        return None
    first, *second = (facts.groups[group] for group in movement.groups)
    rates = (movement.gap(rates) for rates in (facts.true, facts.predicted))
    return Gap(facts.subjects[movement.task], first, second[0] if second else None, *rates)
