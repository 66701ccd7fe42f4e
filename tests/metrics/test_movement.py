"""The movement that a sentence tells of: the way of the verdict first, then sure signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biasamp_adapters import Estimate
from biasamp_adapters.metrics.facts import Facts
from biasamp_adapters.metrics.movement import Movement, movement_along

NOTHING = Estimate(0.0, None, None)


def facts(true: Any, predicted: Any, uncertain: Any) -> Facts:
    """Two groups, of which the reference joins the first with every task."""
    rates = np.array(true, dtype=float)
    return Facts(
        of_task=True,
        groups=("a", "b"),
        subjects=tuple(f"t{task}" for task in range(rates.shape[1])),
        named_tasks=[*range(rates.shape[1])],
        by_column=True,
        sign=np.array([[1] * rates.shape[1], [-1] * rates.shape[1]]),
        uncertain=np.array(uncertain, dtype=bool),
        true=rates,
        predicted=np.array(predicted, dtype=float),
        overall=None,
        blind=None,
        has_truth=True,
        is_right=False,
        constant=None,
        only_group=None,
        followed=1.0,
        silent=None,
        few_rows=None,
        value=NOTHING,
        association=NOTHING,
    )


#: In t0 the gap grows from .1 to .42, in t1 it shrinks from .1 to .08, in t2 it grows to .2.
TRUE = [[0.5, 0.5, 0.5], [0.4, 0.4, 0.4]]
PREDICTED = [[0.72, 0.5, 0.55], [0.3, 0.42, 0.35]]


@pytest.mark.parametrize(
    ("uncertain", "task"),
    [
        ([[0, 0, 0], [0, 0, 0]], 0),
        # A sure gap that grows less.
        ([[0, 0, 0], [1, 0, 0]], 2),
        # The only sure gap shrinks, which a model that amplifies should not be told of.
        ([[0, 0, 0], [1, 0, 1]], 0),
        ([[1, 1, 1], [1, 1, 1]], 0),
    ],
)
def test_sure_gaps_that_move_the_way_of_the_verdict_come_first(uncertain: Any, task: int) -> None:
    assert movement_along(facts(TRUE, PREDICTED, uncertain), 1) == Movement(task, (0, 1))


def test_where_nothing_moves_that_way_the_gap_that_moves_least() -> None:
    shrinks = facts([[0.5, 0.5], [0.4, 0.4]], [[0.48, 0.42], [0.4, 0.4]], [[0, 0], [0, 0]])
    assert movement_along(shrinks, 1) == Movement(0, (0, 1))
    assert movement_along(shrinks, -1) == Movement(1, (0, 1))
