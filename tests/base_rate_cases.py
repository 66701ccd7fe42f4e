"""What the tests of base rates share: a model that fills in a pronoun, or the job of one.

The probabilities are few, so that each rate is a mean of two; no word of them is the right one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

import biasamp_adapters as bam

Table = dict[str, dict[str, float]]

PRONOUNS, JOBS = ["he", "she"], ["cook", "nurse"]
HALF_OF_JOBS: Table = {pronoun: dict.fromkeys(JOBS, 0.5) for pronoun in PRONOUNS}
HALF_OF_PRONOUNS: Table = {job: dict.fromkeys(PRONOUNS, 0.5) for job in JOBS}
LEANS: Table = {"he": {"cook": 1, "nurse": -1}, "she": {"cook": -1, "nurse": 1}}

#: With even shares, cooks are .55 of all: directions as in ``LEANS``.
LEANING: Table = {"he": {"cook": 0.7, "nurse": 0.3}, "she": {"cook": 0.4, "nurse": 0.6}}

#: Cooks are "he" by (.9 + .7) / 2, nurses by (.3 + .1) / 2.
JOB = ["cook", "nurse", "cook", "nurse"]
HE = [0.9, 0.3, 0.7, 0.1]

#: "he" cooks by (.7 + .5) / 2, "she" by (.2 + .4) / 2.
PRONOUN = ["he", "she", "he", "she"]
COOK = [0.7, 0.2, 0.5, 0.4]

#: Against rates of one half each of the four pairs moves along its direction.
VALUES = {
    "T->A": (2 * (0.8 - 0.5) + 2 * (0.5 - 0.2)) / 4,
    "A->T": (2 * (0.6 - 0.5) + 2 * (0.5 - 0.3)) / 4,
}


def t_to_a(chances: Any = None, names: list[str] = PRONOUNS, **changed: Any) -> dict[str, Any]:
    """Arguments of T->A: sentences with a job, of which a model fills in the pronoun."""
    chances = [[p, 1 - p] for p in HE] if chances is None else chances
    made = bam.Indicators(chances, names=names)
    rows: dict[str, Any] = {"y_true": JOB, "y_pred": None, "sensitive_features": None}
    return {**rows, "sensitive_features_pred": made, **changed}


def a_to_t(**changed: Any) -> dict[str, Any]:
    """Arguments of A->T: sentences with a pronoun, of which a model fills in the job."""
    # In another order than the rates: columns are matched by name.
    chances = pd.DataFrame({"nurse": [1 - p for p in COOK], "cook": COOK})
    return {"y_true": None, "y_pred": chances, "sensitive_features": PRONOUN, **changed}


ARGUMENTS: dict[str, Callable[..., dict[str, Any]]] = {"A->T": a_to_t, "T->A": t_to_a}


def near_one_half(size: float) -> Table:
    """Rates that lean by ``size``, in the directions of ``LEANS``."""
    return {a: {t: 0.5 + size * LEANS[a][t] for t in JOBS} for a in PRONOUNS}


def turned(table: Table) -> Table:
    """The same table, its inner keys outside."""
    return {b: {a: table[a][b] for a in table} for b in next(iter(table.values()))}
