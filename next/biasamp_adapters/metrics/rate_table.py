"""Rates as data: each is the quotient of two sums of margins, by group and class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from biasamp_adapters.counting.labels import (
    ALL,
    ATTRIBUTE,
    ATTRIBUTE_PREDICTION,
    PREDICTION,
    TASK,
    TRUTH,
    Array,
)
from biasamp_adapters.counting.margins import Margins, divide

#: Margins of two variables, and by what each is multiplied.
Terms: TypeAlias = dict[tuple[str, str], int]


def add_up(margins: Margins, terms: Terms) -> Array:
    """Return a sum of margins, which broadcasts to (batch, groups, classes)."""
    tables = [
        margins.joint(first, second) if factor == 1 else factor * margins.joint(first, second)
        for (first, second), factor in terms.items()
    ]
    total = tables[0]
    for table in tables[1:]:
        total = total + table
    return total


@dataclass(frozen=True)
class Rate:
    """A share of rows by group and class."""

    numerator: Terms
    denominator: Terms

    def measure(self, margins: Margins) -> Array:
        """Return the rate, (batch, groups, classes); NaN where it has no rows."""
        return divide(add_up(margins, self.numerator), add_up(margins, self.denominator))

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The variables that it reads."""
        pairs = [*self.numerator, *self.denominator]
        return tuple(dict.fromkeys(role for pair in pairs for role in pair if role in TRUTH))


class Contrast(NamedTuple):
    """A predicted rate minus a true one.

    Attributes
    ----------
    given : str
        The true variable of which rates are shares: P( . | given).
    true, predicted : Rate
    predicted_roles : tuple of str
        The predictions that take the place of true variables.
    true_of_reference : bool
        Whether true rates are those of the reference.
    """

    given: str
    true: Rate
    predicted: Rate
    predicted_roles: tuple[str, ...]
    true_of_reference: bool = False


_GROUP_AND_CLASS, _GROUP, _CLASS = {(ATTRIBUTE, TASK): 1}, {(ATTRIBUTE, ALL): 1}, {(ALL, TASK): 1}
_PREDICTED_CLASS = {(ALL, PREDICTION): 1}

#: P(class | group), and P(group | class) of predicted groups.
CLASS_BY_GROUP = Contrast(
    given=ATTRIBUTE,
    true=Rate(_GROUP_AND_CLASS, _GROUP),
    predicted=Rate({(ATTRIBUTE, PREDICTION): 1}, _GROUP),
    predicted_roles=(PREDICTION,),
)
GROUP_BY_CLASS = Contrast(
    given=TASK,
    true=Rate(_GROUP_AND_CLASS, _CLASS),
    predicted=Rate({(ATTRIBUTE_PREDICTION, TASK): 1}, _CLASS),
    predicted_roles=(ATTRIBUTE_PREDICTION,),
)

#: P(group | predicted class), of the true groups or of predicted ones.
GROUP_BY_PREDICTED_CLASS = Contrast(
    given=TASK,
    true=Rate(_GROUP_AND_CLASS, _CLASS),
    predicted=Rate({(ATTRIBUTE, PREDICTION): 1}, _PREDICTED_CLASS),
    predicted_roles=(PREDICTION,),
    true_of_reference=True,
)
PREDICTED_GROUP_BY_PREDICTED_CLASS = Contrast(
    given=TASK,
    true=Rate(_GROUP_AND_CLASS, _CLASS),
    predicted=Rate({(ATTRIBUTE_PREDICTION, PREDICTION): 1}, _PREDICTED_CLASS),
    predicted_roles=(PREDICTION, ATTRIBUTE_PREDICTION),
    true_of_reference=True,
)
