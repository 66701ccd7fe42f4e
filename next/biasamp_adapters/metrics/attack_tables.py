"""What an attacker sees and guesses, as tables of inputs by targets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biasamp_adapters.counting.labels import (
    ALL,
    ATTRIBUTE,
    ATTRIBUTE_PREDICTION,
    PREDICTION,
    TASK,
    TRUTH,
    Array,
)
from biasamp_adapters.counting.margins import Margins
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A, UNDIRECTED

#: Shares of sums of weights up to this are rounding.
_ROUNDING = 1e-12


class Attack(NamedTuple):
    """What an attacker sees and guesses, in the dataset and in the model's output.

    Attributes
    ----------
    data, model : (str, str)
        Input and target.
    flipped : str
        The true variable whose labels are flipped.
    """

    data: tuple[str, str]
    model: tuple[str, str]
    flipped: str

    @property
    def axis(self) -> int:
        """The axis of the table of the dataset that is flipped."""
        return -1 if self.flipped == self.data[1] else -2


ATTACKS = {
    A_TO_T: Attack((ATTRIBUTE, TASK), (ATTRIBUTE, PREDICTION), TASK),
    T_TO_A: Attack((TASK, ATTRIBUTE), (TASK, ATTRIBUTE_PREDICTION), ATTRIBUTE),
    UNDIRECTED: Attack((TASK, ATTRIBUTE), (PREDICTION, ATTRIBUTE), TASK),
}


def attack_tables(margins: Margins, source: str, target: str, *, by_column: bool) -> Array:
    """Return tables (batch, inputs, targets); with ``by_column`` one for each target column."""
    joint = margins.joint(source, target, missing=True)
    if not by_column:
        return joint
    n_labels = len(margins.variable(target).labels)
    yes, missing = joint[..., :n_labels], joint[..., n_labels:]
    rows = margins.joint(source, ALL, missing=True)
    no = _subtract(rows, yes + missing.sum(axis=-1, keepdims=True))
    parts = [no, yes]
    if missing.shape[-1]:
        parts.append(np.broadcast_to(missing, yes.shape))
    return np.stack(parts, axis=-1).swapaxes(-2, -3)


def indicator_tables(margins: Margins, source: str, target: str) -> Array:
    """Return 2 x 2 tables of all pairs of indicators, (groups, classes, inputs, targets)."""
    both = margins.joint(source, target)[0]
    seen, guessed = margins.joint(source, ALL)[0], margins.joint(ALL, target)[0]
    only_seen, only_guessed = _subtract(seen, both), _subtract(guessed, both)
    neither = _subtract(margins.total[0], both + only_seen + only_guessed)
    rows = [np.stack([neither, only_guessed], -1), np.stack([only_seen, both], -1)]
    tables = np.stack(rows, axis=-2)
    return tables.swapaxes(0, 1) if TRUTH[source] == TASK else tables


def _subtract(whole: Array, part: Array) -> Array:
    """Return what is left of sums of weights; what rounding leaves is nothing."""
    left = whole - part
    return np.where(left > _ROUNDING * whole, left, 0.0)
