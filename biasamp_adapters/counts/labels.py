"""Label lists: checks, order and display."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Sequence

import numpy as np

from biasamp_adapters._typing import Array, Label


def ordered(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Distinct labels in their natural order; mixed types by the name of the type, then as text."""
    distinct = list(dict.fromkeys(labels))
    try:
        return tuple(sorted(distinct))  # type: ignore[type-var]  # TypeError is handled here
    except TypeError:
        return tuple(sorted(distinct, key=lambda label: (type(label).__name__, str(label))))


def check_labels(labels: Iterable[Label], argument: str) -> None:
    """Raise for labels that cannot be classes, or cannot be written to a file."""
    for label in labels:
        for part in label if isinstance(label, tuple) else (label,):
            if isinstance(part, float) and math.isinf(part):
                raise ValueError(f"{argument} must hold finite numbers as labels; received {part}")
            if isinstance(part, str) and not _is_unicode(part):
                raise ValueError(
                    f"{argument} must hold text without lone surrogates; received {part!r}"
                )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def declared(labels: Sequence[Label] | None, name: str) -> tuple[Label, ...] | None:
    """An explicit label list, checked: a sequence, in the order given, without repeats."""
    if labels is None:
        return None
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        what = "the string " if isinstance(labels, str) else ""
        raise ValueError(f"{name} must be a list of labels; received {what}{labels!r}")
    listed = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
    # NaN is not equal to itself.
    strange = [x for x in listed if not isinstance(x, Hashable) or x is None or x != x]
    if strange or len(set(listed)) < len(listed) or not listed:
        raise ValueError(f"{name} must list at least one label, each once; received {list(listed)}")
    check_labels(listed, name)
    return listed


def lookup(labels: Sequence[Label], domain: Sequence[Label]) -> Array:
    """Position of each label in ``domain``, -1 where it is not listed."""
    position = {label: i for i, label in enumerate(domain)}
    return np.array([position.get(label, -1) for label in labels], dtype=np.int32)


def as_array(labels: Sequence[Label]) -> Array:
    """Labels as an array of their common type; of objects if types are mixed, or for tuples."""
    if len({type(label) for label in labels}) == 1 and not isinstance(labels[0], tuple):
        return np.asarray(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def positive_class(labels: Sequence[Label]) -> Label | None:
    """The default positive class of labels; None unless they are binary.

    It is 1 of 0 and 1, of -1 and 1 and of booleans, in whatever order they are listed, and the last
    of two other labels.
    """
    if 1 in labels and (set(labels) <= {0, 1} or set(labels) <= {-1, 1}):
        return labels[labels.index(1)]
    return labels[-1] if len(labels) == 2 else None


def show(label: Label) -> str:
    """A label as text; the levels of crossed attributes joined by a cross, as one group."""
    return " × ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def task_in_words(task: Label, name: str | None, *, is_column: bool) -> str:
    """A task as a sentence names it: a column, "recid = 1" or, without a name, "class 1"."""
    if is_column:
        return show(task)
    return f"class {show(task)}" if name is None else f"{name} = {show(task)}"


def each_of(kind: str, labels: Collection[Label]) -> str:
    """Labels of a kind for a sentence: "the group 'x'", or "each of the groups 'x', 'y'"."""
    if len(labels) == 1:
        return f"the {kind} {listing(labels)}"
    return f"each of the {kind}{'es' if kind.endswith('s') else 's'} {listing(labels)}"


def listing(labels: Collection[Label], limit: int = 10) -> str:
    """The first labels for a message, and the number of others; '1' and 1 look different."""
    named = [repr(show(label) if isinstance(label, tuple) else label) for label in labels]
    rest = len(named) - limit
    return ", ".join(named[:limit]) + (f" and {rest} more" if rest > 0 else "")
