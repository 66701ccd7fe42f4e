"""LA and DPA of label matrices: each column, or pair of columns, is single-label data of its own.

What an attack on single labels is worth stays with the oracle of single labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import exact_oracle
from exact_oracle import SCORES, Row
from matrix_oracle import Column, Data, measure

#: Which variable the channel flips, and who predicts whom.
ATTACKS = {
    "A->T": ("t", ("a", "t_hat")),
    "T->A": ("a", ("t", "a_hat")),
    "LA": ("t", ("t_hat", "a")),
}


class Attack(NamedTuple):
    """The value of LA or DPA, and the scores behind it: losses, where the quality has one.

    Where a loss is 0, LA of its inverse has no value.
    """

    value: float | None
    of_dataset: float
    of_model: float


def attack(rows: Sequence[Row], metric: str, quality: str, channel: bool) -> Attack:
    """LA or DPA of rows whose variables are 0 or 1."""
    flipped, roles = ATTACKS[metric]
    score, is_loss = SCORES[quality]
    if channel:
        truth = exact_oracle.with_random_errors(rows, flipped, [0, 1])
    else:
        truth = exact_oracle.with_truth(rows, flipped)
    of_dataset, of_model = float(score(truth, *roles)), float(score(rows, *roles))
    labels = [0, 1] if channel else None
    if metric != "LA":
        value = exact_oracle.dpa(rows, metric, quality, labels)
    elif is_loss and 0 in (of_dataset, of_model):
        value = None
    else:
        value = exact_oracle.leakage(rows, quality, labels)
    return Attack(value, of_dataset, of_model)


def _certain(row: Row) -> list[Row]:
    """The row with 0/1 predictions, each as heavy as it is likely; None is an abstention."""
    out = [row]
    for name in ("a_hat", "t_hat"):
        chance = getattr(row, name)
        if chance is not None:
            likely = {1: chance, 0: 1 - chance}
            out = [r._replace(**{name: x}, w=r.w * p) for r in out for x, p in likely.items() if p]
    return out


def _indicators(*columns: Column, w: Column) -> list[Row]:
    rows = (Row(*parts) for parts in zip(*columns, w, strict=True))
    return [part for row in rows for part in _certain(row)]


def dpa(rows: Data, quality: str, channel: bool) -> float:
    """DPA A->T with attribute labels: the mean over tasks, each a variable of two classes."""
    group = [next(g for g in rows.a if rows.a[g][i]) for i in range(len(rows.w))]
    says_nothing = [None] * len(group)
    values = []
    for task, column in rows.t.items():
        made = [
            None if silent else p for p, silent in zip(rows.t_hat[task], rows.silent, strict=True)
        ]
        single = _indicators(group, column, says_nothing, made, w=rows.w)
        values.append(attack(single, "A->T", quality, channel).value)
    return sum(values) / len(values)


def pairs(rows: Data, metric: str, quality: str, channel: bool) -> dict[Any, Attack | None]:
    """LA or DPA of the indicators of each group and task; a constant group has none."""
    out: dict[Any, Attack | None] = {}
    for group, task in product(rows.a, rows.t):
        size = measure(rows.w, rows.a[group])
        if size in (0, sum(rows.w)):
            out[group, (task,)] = None
            continue
        columns = (rows.a[group], rows.t[task], rows.a_hat[group], rows.t_hat[task])
        out[group, (task,)] = attack(_indicators(*columns, w=rows.w), metric, quality, channel)
    return out
