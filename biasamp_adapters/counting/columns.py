"""The columns of a table that arguments name: by a name, a list of names, or a pattern."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from biasamp_adapters.counting.labels import ATTRIBUTE, CONTROL, PREDICTION, TASK, TRUTH, listing

#: Arguments that may have columns for each model, and the truth that each is paired with.
_BY_MODEL = {argument: truth for argument, truth in TRUTH.items() if argument != truth}

#: Arguments whose lists are matrices of classes.
_CLASSES = (TASK, PREDICTION)

#: Arguments whose columns hold numbers and not labels.
_NUMBERS = ("y_score", "sample_weight", "count")

#: Most names of a message, and the most characters that they have together.
_MOST_NAMES, _LONGEST_LIST = 10, 180


@dataclass(frozen=True)
class Choice:
    """The columns that one argument names, for one model.

    Attributes
    ----------
    argument : str
    names : tuple
    title : str, tuple or None
        The name of the column, those of several, or of a pattern the text around its star.
    labels : tuple or None
        The classes or groups of a matrix. Without them the columns hold labels, and several are
        crossed.
    model : str, int or None
        None for arguments that are the same for all models.
    pattern : str
    """

    argument: str
    names: tuple[Any, ...]
    title: Any
    labels: tuple[Any, ...] | None = None
    model: Any = None
    pattern: str = ""

    @property
    def stems(self) -> list[str]:
        """The text in the place of the star for each column of a pattern."""
        before, _, after = self.pattern.partition("*")
        return [name[len(before) : len(name) - len(after)] for name in self.names]


class Column(NamedTuple):
    """A column of a choice.

    Attributes
    ----------
    name : object
    variable : tuple of str and int, or None
        The truth, and which of the crossed columns it is: columns of one variable hold the same
        labels. None for columns of numbers.
    """

    name: Any
    variable: tuple[str, int] | None


def find_columns(names: Iterable[Any], arguments: Mapping[str, Any]) -> list[Choice]:
    """Return the columns that arguments name, of a table with such names of columns."""
    table = Counter(names)
    given = {argument: value for argument, value in arguments.items() if value is not None}
    if not given:
        raise ValueError(f"{TASK}, {PREDICTION} or {ATTRIBUTE} must name a column of the data.")
    choices = [_choose(name, given[name], table) for name in given if name not in _BY_MODEL]
    truths = {choice.argument: choice for choice in choices}
    models: list[Any] = []
    for argument in [name for name in _BY_MODEL if name in given]:
        chosen = _choose_of_models(argument, given[argument], table, models)
        models = models or [choice.model for choice in chosen]
        truth = truths.get(_BY_MODEL[argument])
        choices += [_pair(choice, truth) for choice in chosen] if truth else chosen
    return choices


def columns_of(choices: Iterable[Choice]) -> dict[str, Column]:
    """Return all chosen columns by an alias, as two names may differ by capital letters alone."""
    columns = []
    for choice in choices:
        truth = TRUTH.get(choice.argument, choice.argument)
        holds_numbers = choice.labels is not None or choice.argument in _NUMBERS
        for level, name in enumerate(choice.names):
            columns.append(Column(name, None if holds_numbers else (truth, level)))
    return {f"biasamp_{i}": column for i, column in enumerate(columns)}


def are_labels(choices: Iterable[Choice]) -> bool:
    """Return whether equal rows can be one: they hold labels, and were not counted before."""
    return all(choice.labels is None and choice.argument != "count" for choice in choices)


def _choose_of_models(
    argument: str, given: Any, table: Counter[Any], models: Sequence[Any]
) -> list[Choice]:
    """Return the columns of each model."""
    if not isinstance(given, Mapping):
        title = _choose(argument, given, table).title
        name = "model" if isinstance(title, tuple) else title
        given = {models[0] if len(models) == 1 else name: given}
    return [replace(_choose(argument, given[model], table), model=model) for model in given]


def _choose(argument: str, given: Any, table: Counter[Any]) -> Choice:
    """Return the columns of a name, a list of names or a pattern."""
    if isinstance(given, str) and "*" in given and given not in table:
        return _match(argument, given, table)
    is_list = isinstance(given, list | tuple) and not _is_name(given, table)
    names = tuple(given) if is_list else (given,)
    # A number may be a name, but a list of numbers holds values.
    if not all(_is_name(name, table) for name in names) and not isinstance(given, int):
        rule = f"With data, arguments are names of columns, and {argument} holds values"
        raise ValueError(f"{rule}. Pass arrays for all, or data.assign({argument}=...).")
    if len(set(names)) != len(names) or not names or (len(names) > 1 and not TRUTH.get(argument)):
        several = "different columns" if TRUTH.get(argument) else "one column"
        several += ", or be a mapping of models to columns" if argument in _BY_MODEL else ""
        raise ValueError(f"{argument} must name {several}; received {listing(names) or 'none'}.")
    for name in names:
        if name not in table:
            raise unknown_column(name, list(table))
        if table[name] > 1:
            raise ValueError(f"{table[name]} columns have the name {listing([name])}: rename them.")
    # One column holds labels, unless a pattern names it.
    labels = names if len(names) > 1 and argument in _CLASSES else None
    return Choice(argument, names, names if len(names) > 1 else names[0], labels)


def _match(argument: str, pattern: str, table: Counter[Any]) -> Choice:
    """Return the columns of a pattern."""
    before, _, after = pattern.partition("*")
    shape = re.compile(f"{re.escape(before)}.+{re.escape(after)}", re.DOTALL)
    names = [name for name in table if isinstance(name, str) and shape.fullmatch(name)]
    choice = _choose(argument, names or [pattern], table)
    if not TRUTH.get(argument) or argument == CONTROL:
        return choice
    labels = names  # Without the text around the star, unless this would cut a word.
    if not before[-1:].isalnum():
        labels = [label.removeprefix(before) for label in labels]
    if argument in _CLASSES and not after[:1].isalnum():
        labels = [label.removesuffix(after) for label in labels]
    title = (before + after).strip("_-. ") or "model"
    return replace(choice, title=title, labels=tuple(labels), pattern=pattern)


def _is_name(value: Any, table: Counter[Any]) -> bool:
    """Return whether a value may name a column; frames of pandas have numbers and tuples too."""
    if isinstance(value, tuple):
        return all(isinstance(level, str | int) for level in value) and value in table
    return isinstance(value, str) or (isinstance(value, int) and value in table)


def _pair(choice: Choice, truth: Choice) -> Choice:
    """Return the columns of a prediction in the order of those of its truth."""
    if truth.argument == ATTRIBUTE and (choice.labels is None) != (truth.labels is None):
        return choice  # Labels of groups go with a column for each group.
    names = choice.names
    if choice.pattern and truth.pattern:
        for here, there in ((choice, truth), (truth, choice)):
            missing = sorted(set(there.stems) - set(here.stems))
            if missing:
                absent, other = (x.pattern.replace("*", missing[0]) for x in (here, there))
                raise ValueError(f"There is no column {absent!r:.80} to go with {other!r:.80}.")
        by_stem = dict(zip(choice.stems, names, strict=True))
        names = tuple(by_stem[stem] for stem in truth.stems)
    elif len(names) != len(truth.names):
        rule = f"{choice.argument} must name as many columns as {truth.argument}"
        hint = ". Several models are a mapping of names to columns" if len(truth.names) == 1 else ""
        raise ValueError(f"{rule}; received {listing(names)} for {listing(truth.names)}{hint}")
    return replace(choice, names=names, labels=truth.labels)


def unknown_column(name: Any, names: Sequence[Any]) -> ValueError:
    """Return the error that names the first columns, and the one that may be meant."""
    folded = {column.casefold(): column for column in names if isinstance(column, str)}
    guesses = difflib.get_close_matches(str(name).casefold(), folded, 1)
    end = f" Did you mean {listing([folded[guesses[0]]])}?" if guesses else ""
    longest = max(len(listing([column])) for column in [name, *names[:_MOST_NAMES]])
    columns = listing(names, min(_MOST_NAMES, _LONGEST_LIST // longest))
    return ValueError(f"There is no column {listing([name])}. The columns are {columns}.{end}")
