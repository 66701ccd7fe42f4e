"""The terms of a report, explained in a sentence each where they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

#: Terms in the order in which a reader meets them. Names of metrics come without a direction.
TERMS = {
    "BA": "Directional bias amplification: how far the rates of groups move on average, from the "
    "truth to the predictions, along the correlations of the reference.",
    "A→T": "From attribute to task: whether the group changes what is predicted of the task.",
    "T→A": "From task to attribute: whether the task changes which group is predicted.",
    "points": "Percentage points: from 40% to 45% are 5 points.",
    "interval": "The values that chance leaves possible, at the level stated. Where it includes 0, "
    "neither more nor less bias is shown.",
    "blind errors": "What the metric would be if mistakes as frequent as the model's knew nothing "
    "of the attribute. Such mistakes usually move rates towards each other.",
    "excess": "A value less that of blind errors: what error rates that differ between groups add.",
    "reference": "The data whose correlations tell which way is more bias: the training data or, "
    "where none were given, the evaluated truth.",
    "pair": "A group with a class or task. Its rate is the share of the group that has the task "
    "or, for T→A, the share of the group among rows with the task.",
    "accuracy": "The share of predictions that are right.",
    "MALS": "How far predictions raise the share of the groups that the reference over-represents "
    "in a task. Both directions are in one number.",
    "Multi": "The average size of the changes of rates, whichever way they go. Noise alone makes "
    "it positive.",
    "LA": "Leakage amplification: how much better the attribute can be told from the predicted "
    "task than from a truth made as wrong as the model.",
    "DPA": "Directional predictability amplification: how much better the predictions can be told "
    "than a truth made as wrong as the model, as a share of both; from −1 to 1.",
    "DPA(U)": "DPA with the uncertainty coefficient, which measures dependence whatever the sizes "
    "of groups and classes.",
    "selection rate": "The share of a group that is predicted positive. A difference of rates is "
    "the largest of a group less the smallest.",
    "true positive rate": "TPR: of the rows of a group that are positive, the share that is "
    "predicted positive.",
    "false positive rate": "FPR: of the rows of a group that are negative, the share that is "
    "predicted positive.",
}

#: Other names of the same.
_SAME = {"TPR": "true positive rate", "FPR": "false positive rate"}

#: A term at the start of a text, or after ": " or ", " in a list; names of models are in brackets.
_NAMED = re.compile(
    r"(?:^|(?<=: )|(?<=, ))("
    + "|".join(re.escape(name) for name in sorted([*TERMS, *_SAME], key=len, reverse=True))
    + r")(?![\w(])"
)


class Part(NamedTuple):
    """A part of a text, with the explanation if it is a term."""

    text: str
    title: str = ""


def parts(text: str) -> Iterator[Part]:
    """A text that lists names of metrics or measures, with its terms explained.

    Examples
    --------
    >>> [part.text for part in parts("First: LA, selection rate difference.") if part.title]
    ['LA', 'selection rate']
    """
    start = 0
    for found in _NAMED.finditer(text):
        if found.start() > start:
            yield Part(text[start : found.start()])
        yield Part(found[0], TERMS[_SAME.get(found[0], found[0])])
        start = found.end()
    if start < len(text):
        yield Part(text[start:])
