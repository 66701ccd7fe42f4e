"""The columns of a table that arguments name: by a name, a list of names, or a pattern."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from biasamp_adapters.counting.labels import (
    ATTRIBUTE,
    ATTRIBUTE_PREDICTION,
    PREDICTION,
    TASK,
    listing,
    name_list,
)

#: Arguments that may have columns for each model, and the truth that each is paired with.
_BY_MODEL = {PREDICTION: TASK, "y_score": "", ATTRIBUTE_PREDICTION: ATTRIBUTE}

#: Arguments whose lists and patterns are matrices of classes, and whose patterns are of groups.
_CLASSES, _GROUPS = (TASK, PREDICTION), (ATTRIBUTE, ATTRIBUTE_PREDICTION)

_SEVERAL = (*_CLASSES, *_GROUPS, "control_features")

#: Arguments whose columns hold numbers and not labels.
_NUMBERS = ("y_score", "sample_weight", "count")

_LONGEST_MESSAGE, _MOST_NAMES = 300, 10

#: The positions of each name in a table; the same name may stand there twice.
Positions: TypeAlias = Mapping[Any, Sequence[int]]


class UnknownColumnError(ValueError):
    """A name is that of no column."""


@dataclass(frozen=True)
class Choice:
    """The columns that one argument names, for one model.

    Attributes
    ----------
    argument : str
    names : tuple
    positions : tuple of int
        Where they stand in the table.
    labels : tuple or None
        The classes or groups of a matrix. Without them the columns hold labels, and several are
        crossed.
    title : str, tuple or None
        The name of the column, those of several, or of a pattern the text beside its star.
    model : str, int or None
        None for arguments that are the same for all models.
    pattern : str
    stems : dict of str to int
        The position of the column for each text in the place of the star.
    """

    argument: str
    names: tuple[Any, ...]
    positions: tuple[int, ...]
    labels: tuple[Any, ...] | None
    title: Any
    model: Any = None
    pattern: str = ""
    stems: dict[str, int] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, int]:
        """The positions by names that tell whether a column is read as labels or as numbers."""
        holds_numbers = self.labels is not None or self.argument in _NUMBERS
        kind = "number" if holds_numbers else "label"
        return {f"{kind}{position}": position for position in self.positions}


def find_columns(names: Iterable[Any], arguments: Mapping[str, Any]) -> list[Choice]:
    """Return the columns that arguments name, of a table with such names of columns."""
    table = positions_of(names)
    given = {argument: value for argument, value in arguments.items() if value is not None}
    choices = [
        _choose(argument, value, table)
        for argument, value in given.items()
        if argument not in _BY_MODEL
    ]
    truths = {choice.argument: choice for choice in choices}
    models: list[Any] = []
    for argument in [name for name in _BY_MODEL if name in given]:
        chosen = _choose_of_models(argument, given[argument], table, models)
        models = models or [choice.model for choice in chosen]
        truth = truths.get(_BY_MODEL[argument])
        for choice in chosen:
            owner = argument if len(chosen) == 1 else f"{argument} of {listing([choice.model])}"
            choices.append(_pair(owner, choice, truth) if truth else choice)
    if not choices:
        raise ValueError(f"{TASK}, {PREDICTION} or {ATTRIBUTE} must name a column of the data.")
    return choices


def positions_of(names: Iterable[Any]) -> Positions:
    """Return where the columns of each name stand."""
    table: dict[Any, list[int]] = {}
    for position, name in enumerate(names):
        table.setdefault(name, []).append(position)
    return table


def position_of(name: Any, table: Positions) -> int:
    """Return where a column stands; raise unless there is exactly one of the name."""
    if name not in table:
        raise unknown_column(name, table)
    if len(table[name]) > 1:
        n_columns = len(table[name])
        raise ValueError(f"{n_columns} columns have the name {listing([name])}: rename them.")
    return table[name][0]


def _choose_of_models(
    argument: str, given: Any, table: Positions, models: Sequence[Any]
) -> list[Choice]:
    """Return the columns of each model."""
    if isinstance(given, Mapping):
        chosen = [
            replace(_choose(argument, names, table), model=model) for model, names in given.items()
        ]
    else:
        choice = _choose(argument, given, table)
        title = "model" if isinstance(choice.title, tuple) else choice.title
        chosen = [replace(choice, model=models[0] if len(models) == 1 else title)]
    unknown = [choice.model for choice in chosen if models and choice.model not in models]
    if unknown:
        raise ValueError(
            f"{argument} must be a mapping of the models {quote(models)} to columns; received "
            f"{listing(unknown[:1])}."
        )
    return chosen


def _choose(argument: str, given: Any, table: Positions) -> Choice:
    """Return the columns of a name, a list of names or a pattern."""
    if isinstance(given, str) and "*" in given and given not in table:
        return _match(argument, given, table)
    is_list = isinstance(given, list | tuple) and not _is_name(given, table)
    names = tuple(given) if is_list else (given,)
    if not all(_is_name(name, table) for name in names):
        raise ValueError(
            f"With data, arguments are names of columns, and {argument} holds values. Pass arrays "
            f"for all, or data.assign({argument}=...)."
        )
    if len(set(names)) != len(names) or not names or (len(names) > 1 and argument not in _SEVERAL):
        several = "different columns" if argument in _SEVERAL else "one column"
        raise ValueError(f"{argument} must name {several}; received {quote(names)}.")
    positions = tuple(position_of(name, table) for name in names)
    labels = names if is_list and argument in _CLASSES else None
    title = names if len(names) > 1 else names[0]
    return Choice(argument, names, positions, labels, title)


def _match(argument: str, pattern: str, table: Positions) -> Choice:
    """Return the columns of a pattern."""
    before, _, after = pattern.partition("*")
    stems: dict[str, int] = {}
    names, labels = [], []
    for name in table:
        fits = isinstance(name, str) and name.startswith(before) and name.endswith(after)
        if fits and len(name) > len(before) + len(after):
            stems[name[len(before) : len(name) - len(after)]] = position_of(name, table)
            names.append(name)
            labels.append(_shorten(name, before, after if argument in _CLASSES else ""))
    if not names:
        raise unknown_column(pattern, table)
    if argument not in (*_CLASSES, *_GROUPS):
        return _choose(argument, names, table)
    title = (before + after).strip("_-. ") or "model"
    positions = tuple(stems.values())
    return Choice(
        argument, tuple(names), positions, tuple(labels), title, pattern=pattern, stems=stems
    )


def _is_name(value: Any, table: Positions) -> bool:
    """Return whether a value may name a column; frames of pandas have numbers and tuples too."""
    if isinstance(value, tuple):
        return all(isinstance(level, str | int) for level in value) and value in table
    return isinstance(value, str) or (isinstance(value, int) and value in table)


def _shorten(name: str, before: str, after: str) -> str:
    """Return a name without the text beside the star, unless this would cut a word."""
    if before and not before[-1].isalnum():
        name = name.removeprefix(before)
    return name.removesuffix(after) if after and not after[0].isalnum() else name


def _pair(owner: str, choice: Choice, truth: Choice) -> Choice:
    """Return the columns of a prediction in the order of those of its truth."""
    if truth.argument == ATTRIBUTE and (choice.labels is None) != (truth.labels is None):
        return choice  # Labels of groups beside a column for each group.
    if choice.pattern and truth.pattern:
        for here, there in ((choice, truth), (truth, choice)):
            missing = [stem for stem in there.stems if stem not in here.stems]
            if missing:
                absent, other = (x.pattern.replace("*", missing[0]) for x in (here, there))
                beside = f"{listing([absent])} beside {listing([other])}"
                raise ValueError(f"{owner}: there is no column {beside}.")
        choice = replace(choice, positions=tuple(choice.stems[stem] for stem in truth.stems))
    elif len(choice.names) != len(truth.names):
        raise ValueError(
            f"{owner} must name as many columns as {truth.argument}; received "
            f"{quote(choice.names)} for {quote(truth.names)}. Several models are a mapping."
        )
    return replace(choice, labels=truth.labels)


# Words.


def unknown_column(name: Any, table: Iterable[Any]) -> UnknownColumnError:
    """Return the error that names the first columns, and the one that may be meant."""
    texts = [column for column in table if isinstance(column, str)]
    plain = str(name).strip().casefold()
    guesses = [column for column in texts if column.strip().casefold() == plain]
    guesses += difflib.get_close_matches(str(name), texts, 1)
    end = f" Did you mean {listing(guesses[:1])}?" if guesses else ""
    for limit in range(_MOST_NAMES, 0, -1):
        columns = quote(list(table), limit)
        message = f"There is no column {listing([name])}. The columns are {columns}.{end}"
        if len(message) <= _LONGEST_MESSAGE:
            break
    return UnknownColumnError(message)


def quote(names: Sequence[Any], limit: int = 3) -> str:
    """Return names as a message shows them: with their spaces, and cut if they are long."""
    return name_list([listing([name]) for name in names], limit) if names else "none"
