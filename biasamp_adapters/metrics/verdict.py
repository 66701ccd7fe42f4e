"""The verdict on a value of BA->: what it says of a model, or why it cannot say anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from biasamp_adapters.counts.labels import show
from biasamp_adapters.inference.estimates import Estimate
from biasamp_adapters.metrics.facts import MOST_UNCERTAIN, NONE, Facts
from biasamp_adapters.metrics.movement import (
    Gap,
    Movement,
    digits_of,
    gap_of,
    in_words,
    largest,
    movement_along,
    on_average,
    percent,
    points,
    told_with_blind,
)

#: The verdicts, in the words of a table and in the order of ``CASES``.
WORDS = {
    "cannot_say": "cannot say",
    "no_errors": "no errors",
    "constant": "says the same of everybody",
    "reverses": "reverses the gap",
    "amplifies": "amplifies",
    "amplifies_beneath_errors": "amplifies beneath its errors",
    "reduces": "reduces",
    "mistakes_only": "mistakes only",
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


class Verdict(NamedTuple):
    """What a value of BA-> says of a model.

    Attributes
    ----------
    code : str
        One of the keys of ``WORDS``.
    reason : str or None
        Of "cannot_say": "one_group", "reference_balanced", "silence_differs", "direction_unknown",
        "few_rows", "no_interval" or, over runs, "runs_differ".
    sentence : str
        The verdict with its numbers.
    constant : str or None
        What predictions say of everybody, if it is the same: "class 0".
    gap : Gap or None
        The largest movement that the verdict speaks of; None where no rate is defined.
    accuracy : Estimate or None
        The share of predictions that are right; None without a truth.
    """

    code: str
    reason: str | None
    sentence: str
    constant: str | None = None
    gap: Gap | None = None
    accuracy: Estimate | None = None

    @property
    def words(self) -> str:
        """The verdict in a few words."""
        return WORDS[self.code]

    def __repr__(self) -> str:
        return f"{self.words}. {self.sentence}"


class Case(NamedTuple):
    """A verdict, the test whether it is the one, its sentence, and why it is "cannot_say"."""

    code: str
    applies: Callable[[Facts], bool]
    sentence: Callable[[Facts], str]
    reason: str | None = None


#: Clauses on blind errors.
_ALONE = "; mistakes that know nothing of the attribute would give {}"
_AS_FAR = ", as far as mistakes that know nothing of the attribute would move it (to {})"
_NOT_AS_FAR = ", where mistakes that know nothing of the attribute would move it further (to {})"
_BENEATH = ", where mistakes that know nothing of the attribute would give {}"

#: A clause on a model that is never wrong.
_RIGHT = "the model makes no mistakes on these rows"


# The sentences.


def _of_balanced(facts: Facts) -> str:
    text = "the reference is balanced, so BA is 0 whatever the model does"
    if (facts.sign != 0).any():
        text = "the reference cannot be told from a balanced one, so the direction of BA is noise"
    if facts.constant is not None:
        return f"{text}; {_of_everybody(facts)}"
    right = f"{_RIGHT}; " if facts.is_right else ""
    return f"{text}; {right}{_selection(facts)}"


def _selection(facts: Facts) -> str:
    """The predicted rates of one task, or shares of one group, that differ most."""
    # Rows are what is compared: groups in a task, or tasks in their share of a group.
    rates, what, where = facts.predicted[:, facts.named_tasks], "selection rates of", "groups"
    compared, columns = [*map(show, facts.groups)], [facts.subjects[i] for i in facts.named_tasks]
    if not facts.of_task:
        rates, what, where = rates.T, "predicted shares of", "tasks"
        compared, columns = columns, compared
    if np.isnan(rates).all():
        return "no rate is defined"
    highest, lowest = (np.nan_to_num(rates, nan=empty) for empty in (-np.inf, np.inf))
    column = int((highest.max(axis=0) - lowest.min(axis=0)).argmax())
    ends = highest[:, column].argmax(), lowest[:, column].argmin()
    most, least = (float(rates[end, column]) for end in ends)
    if most - least <= NONE:
        return f"{what} {columns[column]} are the same in all {where} ({percent(most)})"
    digits = digits_of(most - least)
    shares = ", ".join(
        f"{percent(share, digits)} in {compared[end]}"
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
    moved = np.nan_to_num(np.abs(facts.delta))[:, facts.named_tasks]
    group, task = divmod(int(moved.argmax()), len(facts.named_tasks))
    movement = Movement(facts.named_tasks[task], (group,))
    where = f"Most of all, {in_words(facts, movement)}"
    if facts.uncertain_share > MOST_UNCERTAIN:
        return (
            f"{percent(facts.uncertain_share)} of all movement is in pairs that the reference "
            f"hardly correlates, so its direction may be noise. {where}"
        )
    return f"what BA says depends on correlations of the reference that may be noise. {where}"


def _of_no_errors(facts: Facts) -> str:
    if facts.of_task:
        return f"there is nothing to amplify: {_RIGHT}"
    return "there is nothing to amplify: the model predicts the attribute without a mistake"


def _of_silence(facts: Facts) -> str:
    silent = np.zeros(len(facts.groups)) if facts.silent is None else facts.silent
    most, least = int(np.nanargmax(silent)), int(np.nanargmin(silent))
    return (
        f"the model abstains from {percent(silent[most])} of {show(facts.groups[most])} and "
        f"{percent(silent[least])} of {show(facts.groups[least])}, which moves rates by itself; "
        "read the abstention rates first"
    )


def _of_no_interval(facts: Facts) -> str:
    value = "undefined" if np.isnan(facts.value.value) else f"{facts.value.value:+z.4f}"
    if facts.value.interval is None:
        return f"BA is {value}, without an interval: {facts.lacks_interval}"
    return (
        f"BA is {value}; there is no interval for how far that exceeds mistakes that know nothing "
        f"of the attribute: {facts.lacks_interval}"
    )


def _of_change(facts: Facts) -> str:
    movement = movement_along(facts, facts.side)
    return told_with_blind(facts, movement, on_average(facts), _ALONE)


def _of_mistakes(facts: Facts) -> str:
    less = facts.excess_side == -facts.side
    movement = movement_along(facts, facts.side)
    how = "less far than" if less else "as far as"
    average = on_average(facts, f", {how} mistakes that know nothing of the attribute would")
    # What holds of the mean over many pairs need not hold of the one that moves most.
    tail = _ALONE if average else _NOT_AS_FAR if less else _AS_FAR
    return told_with_blind(facts, movement, average, tail)


def _above_blind(facts: Facts) -> Movement | None:
    """The largest movement above blind errors, which are known where there is an excess."""
    return largest(facts, facts.sign * (facts.predicted - np.asarray(facts.blind)))


def _of_beneath(facts: Facts) -> str:
    average = on_average(facts, extreme="Farthest above what mistakes alone would give,")
    return told_with_blind(facts, _above_blind(facts), average, _BENEATH)


def _of_reversal(facts: Facts) -> str:
    movement = movement_along(facts, -1)
    if movement is None or len(movement.groups) == 1:
        return told_with_blind(facts, movement, on_average(facts), _ALONE)
    first, second = (show(facts.groups[group]) for group in movement.groups)
    before, after = (points(movement.gap(rates)) for rates in (facts.true, facts.predicted))
    return (
        f"predictions reverse the gap between {first} and {second} in "
        f"{facts.subjects[movement.task]}: {before} in the truth, {after.partition(' ')[0]} in the "
        "predictions"
    )


def _of_no_change(facts: Facts) -> str:
    largest = max(map(abs, facts.value.interval or (np.nan,)))
    if largest >= 1:
        return "no change that can be told from chance, and none that is excluded"
    return (
        "no change along the reference's correlations can be told from chance; an average change "
        f"of more than {points(largest)} is excluded"
    )


#: The verdicts in the order in which they are tried. What needs no interval is said without one.
CASES: Sequence[Case] = (
    Case(
        "cannot_say",
        lambda it: it.only_group is not None,
        lambda it: f"only the group {show(it.only_group)} has rows, so there is no gap",
        "one_group",
    ),
    Case("cannot_say", lambda it: it.is_balanced, _of_balanced, "reference_balanced"),
    Case("no_errors", lambda it: it.is_right, _of_no_errors),
    Case(
        "constant",
        lambda it: it.constant is not None,
        lambda it: f"{_of_everybody(it)}; BA, MALS and DPA describe that, not bias",
    ),
    Case("cannot_say", lambda it: it.silence_differs, _of_silence, "silence_differs"),
    Case("cannot_say", lambda it: it.direction_unknown, _of_unknown_direction, "direction_unknown"),
    Case(
        "cannot_say",
        lambda it: it.few_rows is not None,
        lambda it: f"{it.few_rows}: rates of so few rows are noise",
        "few_rows",
    ),
    Case("cannot_say", lambda it: bool(it.lacks_interval), _of_no_interval, "no_interval"),
    Case("reverses", lambda it: it.reverses, _of_reversal),
    Case("amplifies", lambda it: it.side == 1 and it.excess_side == 1, _of_change),
    Case("amplifies_beneath_errors", lambda it: it.side != 1 and it.excess_side == 1, _of_beneath),
    Case("reduces", lambda it: it.side == -1 and it.excess_side == -1, _of_change),
    Case("mistakes_only", lambda it: bool(it.side), _of_mistakes),
    Case("no_clear_change", lambda it: True, _of_no_change),
)


def judge(facts: Facts) -> Verdict:
    """The first verdict that applies."""
    case = next(case for case in CASES if case.applies(facts))
    sentence = case.sentence(facts)
    said = f"{sentence[0].upper()}{sentence[1:]}."
    gap = gap_of(facts, _told(facts, case.code))
    return Verdict(case.code, case.reason, said, facts.constant, gap, facts.accuracy)


def _told(facts: Facts, code: str) -> Movement | None:
    """The movement that the sentence of a verdict names, or else the largest on BA's side."""
    if code == "amplifies_beneath_errors":
        return _above_blind(facts)
    return movement_along(facts, -1 if code == "reverses" or facts.value.value < 0 else 1)
