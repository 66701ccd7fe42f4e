"""Roles and labels of variables: their names, order, and how messages show them."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np

from biasamp_adapters.figures import join, name

Array: TypeAlias = np.ndarray
Label: TypeAlias = Hashable

#: The role of a variable and its model, which is None for the truth.
Key: TypeAlias = tuple[str, str | None]

#: The labels of true variables that were listed.
Lists: TypeAlias = dict[str, tuple[Label, ...]]

# Roles: the names of the variables that are read, and of those that follow from them.

TASK, PREDICTION = "y_true", "y_pred"
ATTRIBUTE, ATTRIBUTE_PREDICTION = "sensitive_features", "sensitive_features_pred"
SCORE = "y_score"

#: What strata of an audit are made of.
CONTROL = "control_features"

#: The prediction of each true variable, and what stands for it in a reference.
PREDICTED = {TASK: PREDICTION, ATTRIBUTE: ATTRIBUTE_PREDICTION}
REFERENCE = {TASK: "y_true of the reference", ATTRIBUTE: "sensitive_features of the reference"}

#: The true variable whose labels a variable shares. Those of a score are its own numbers.
TRUTH = {TASK: TASK, PREDICTION: TASK, SCORE: ""}
TRUTH |= {ATTRIBUTE: ATTRIBUTE, ATTRIBUTE_PREDICTION: ATTRIBUTE}
TRUTH |= {REFERENCE[truth]: truth for truth in REFERENCE} | {CONTROL: CONTROL}

#: One label for all rows, and one for the rows that have a group or a class.
ALL, LABELLED = "all rows", "labelled rows"

#: Variables that are the same for all models.
SHARED = (TASK, ATTRIBUTE, ALL, LABELLED)

#: The label of a true variable where it is predicted right, missing elsewhere.
RIGHT = {TASK: "right y_pred", ATTRIBUTE: "right sensitive_features_pred"}

#: One label where a prediction is missing.
MISSING = {TASK: "missing y_pred", ATTRIBUTE: "missing sensitive_features_pred"}

#: The label of a true variable where its prediction is missing, missing elsewhere.
UNANSWERED = {truth: f"{truth} of {role}" for truth, role in MISSING.items()}

#: The argument that lists the labels of a true variable.
LISTS = {TASK: "class_labels", ATTRIBUTE: "group_labels"}

#: Labels that often stand for a missing value.
_MISSING = ("", "na", "n/a", "nan", "null", "none", "?", "unknown")

#: The name of the only model where none is given.
MODEL = "model"


def argument_of(key: Key) -> str:
    """Return what messages call a variable: "y_pred", or of several models "y_pred of old"."""
    role, model = key
    return role if model in (None, MODEL) else f"{role} of {name(model)}"


# Labels.


def plain_labels(labels: Iterable[Label], argument: str) -> list[Label]:
    """Return labels as plain values: whole floats are integers, midnights dates, zones UTC."""
    return [_plain_label(label, argument) for label in labels]


def distinct_labels(labels: Iterable[Label], argument: str) -> tuple[Label, ...]:
    """Return listed labels as plain values; raise if one is missing, or two look the same."""
    plain = plain_labels(labels, argument)
    check_text(plain, argument)
    are_labels = all(isinstance(label, Hashable) for label in plain)
    n = min(len(set(plain)), len(set(map(show, plain)))) if are_labels else 0
    if n < len(plain) or None in plain:
        raise ValueError(f"{argument} must list different labels; received {listing(plain)}")
    return tuple(plain)


def _plain_label(label: Any, argument: str) -> Label:
    if isinstance(label, tuple):  # Levels of crossed attributes.
        return tuple(plain_labels(label, argument))
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float | Decimal):
        if not math.isfinite(label):
            raise ValueError(f"{argument} must hold finite labels; received {label}")
        if label == int(label):  # Decimals of many digits have no remainder.
            return int(label)
        number = float(label)
        return number if Decimal(repr(number)) == label or number == label else label
    if isinstance(label, dt.datetime) and label.tzinfo:
        return label.astimezone(dt.UTC)
    if isinstance(label, dt.datetime) and label.time() == dt.time():
        return label if getattr(label, "nanosecond", 0) else label.date()
    return label


def read_lists(lists: Mapping[str, Any]) -> Lists:
    """Return the labels of each true variable that were listed, in their order.

    Those that mean a missing value are a list too, or else this raises.
    """
    listed = {}
    for truth, argument in LISTS.items():
        labels = lists[argument]
        if labels is None:
            continue
        if not np.iterable(labels) or isinstance(labels, set | frozenset | dict | str):
            kind = type(labels).__name__
            raise ValueError(f"{argument} must be in an order, as in a list; received a {kind}")
        listed[truth] = distinct_labels(labels, argument)
    missing = lists["missing_values"]
    if isinstance(missing, str) or not np.iterable(missing):
        raise ValueError(f"missing_values must be a list of labels; received {listing([missing])}")
    return listed


def without(labels: Iterable[Label], others: Iterable[Label]) -> list[Label]:
    """Return the labels that are not among others."""
    known = set(others)
    return [label for label in labels if label not in known]


def are_same(labels: Sequence[Label], others: Sequence[Label]) -> bool:
    """Return whether two lists hold the same labels, of the same types: True equals 1."""
    return labels == others and all(type(x) is type(y) for x, y in zip(labels, others, strict=True))


def ordered(labels: Iterable[Label], argument: str = "a variable") -> tuple[Label, ...]:
    """Return distinct labels in their natural order; those of several types by type."""
    distinct = list(dict.fromkeys(_on_one_coding(list(labels))))
    try:
        in_order = sorted(distinct)  # type: ignore[type-var]
    except TypeError:
        in_order = sorted(distinct, key=lambda label: (type(label).__name__, str(label)))
    remedy = "read the column with one type, for example dtype=str"
    if any(isinstance(label, tuple) for label in distinct):
        remedy = "replace the sign × in them"
    check_distinguishable(in_order, argument, remedy)
    return tuple(in_order)


def _on_one_coding(labels: list[Label]) -> list[Label]:
    """Return booleans as 0 and 1 where there are other numbers, too."""
    types = {type(label) for label in labels}
    if bool in types and len(types) > 1 and types <= {bool, int, float}:
        return [int(x) if isinstance(x, bool) else x for x in labels]
    return labels


def check_text(labels: Iterable[Label], argument: str) -> None:
    """Raise if a label or name cannot be written."""
    for label in labels:
        text = show(label)
        if not text.isascii() and re.search("[\ud800-\udfff]", text):
            raise ValueError(f"{argument} must be text that fits UTF-8; received {label!a:.60}")


def check_distinguishable(labels: Iterable[Label], argument: str, remedy: str) -> None:
    """Raise if two labels differ but look the same as text."""
    by_text: dict[str, Label] = {}
    for label in labels:
        other = by_text.setdefault(show(label), label)
        if isinstance(label, int):  # Whole floats are integers, which come before text.
            by_text[f"{label}.0"] = label
        if other != label:
            both = f"{argument} holds {listing([other])} and {listing([label])}"
            raise ValueError(f"{both}, which look the same; {remedy}")


def positive_class(labels: Sequence[Label], chosen: Label | None = None) -> Label | None:
    """Return the chosen class; else 1 of 0 or -1 and 1, the last of two, or None of more."""
    if chosen is not None:
        return find_label(chosen, labels)
    if 1 in labels and (set(labels) <= {0, 1} or set(labels) <= {-1, 1}):
        return labels[labels.index(1)]
    return labels[-1] if len(labels) == 2 else None


def looks_missing(label: Label) -> bool:
    """Return whether a label often stands for a missing value."""
    return str(label).strip().casefold() in _MISSING


def show(label: Label) -> str:
    """Return a label as text; levels of crossed attributes are joined by a cross."""
    return " × ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def check_order(names: Any, others: Any, argument: str) -> None:
    """Raise if two inputs name the same crossed columns in another order, which mixes groups up."""
    are_crossed = isinstance(names, tuple) and isinstance(others, tuple) and names != others
    if are_crossed and set(names) == set(others):
        rule = f"{argument} must have its columns in the order of {ATTRIBUTE}"
        raise ValueError(f"{rule}, {listing([others])}; received {listing([names])}: reorder them")


def find_label(label: Label, labels: Iterable[Label]) -> Label:
    """Return the label that a text stands for: itself, or the one that looks like it."""
    return {x: known for known in labels for x in (show(known), known)}.get(label, label)


def show_set(labels: Sequence[Label]) -> Label:
    """Return a label set as text; a set of one label is that label."""
    return labels[0] if len(labels) == 1 else " + ".join(map(show, labels))


def listing(labels: Iterable[Label], limit: int = 5) -> str:
    """Return the first labels for a message, in a line, each at most 40 characters long."""
    texts = [repr(show(x) if isinstance(x, tuple) else x).replace("\n", " ") for x in labels]
    more = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(x if len(x) <= 40 else f"{x[:39]}…" for x in texts[:limit]) + more


def name_list(labels: Iterable[Label], among: Iterable[Label] = ()) -> str:
    """Return names for a sentence: "A, B and C", or "A, B, C and 4 more"."""
    listed = list(labels)
    apart = (*listed, *among)
    return join(name(label, among=apart) for label in listed)
