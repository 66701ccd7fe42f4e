"""Margins that are read from others, asked for before, are those of the rows."""

from __future__ import annotations

import numpy as np
import pytest

from biasamp_adapters import JointCounts
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.tables import Tables

GROUP = ["a", "a", "a", "b", "b", "c"]
TRUTH = [0, 1, 2, 1, 1, 0]
PREDICTED = [0, 1, 1, 1, None, 0]

#: By hand: groups a, b, c; classes 0, 1, 2.
BY_GROUP = [[1, 1, 1], [0, 2, 0], [1, 0, 0]]


@pytest.mark.parametrize("weight", [None, [0.5, 1, 1, 2, 1, 1]], ids=["rows", "weights"])
def test_margins_do_not_depend_on_what_was_asked_before(weight: list[float] | None) -> None:
    counts = JointCounts.from_arrays(
        TRUTH, PREDICTED, GROUP, sample_weight=weight, missing="abstain"
    )

    def draw() -> Tables:
        return next(counts.draw(7, np.random.default_rng(0), 7))

    def margins(tables: Tables) -> list[Array]:
        parts = tables.joint("attribute", "task"), tables.agreement("task", by_group=True)
        return [*parts, tables.joint("task", "attribute"), tables.marginal("task")]

    tables = draw()
    by_group, _, turned, total = margins(tables)
    assert turned == pytest.approx(by_group.swapaxes(-1, -2), abs=0)
    assert total == pytest.approx(by_group.sum(axis=-2), rel=1e-15)
    assert tables.agreement("task") == pytest.approx(draw().agreement("task"), abs=0)
    assert total == pytest.approx(draw().marginal("task"), abs=0)
    assert turned == pytest.approx(draw().joint("task", "attribute"), abs=0)
    if weight is None:
        assert counts.tables().joint("attribute", "task").tolist() == BY_GROUP
        assert counts.tables().joint("task", "attribute").T.tolist() == BY_GROUP


def test_pairs_are_summed_once() -> None:
    tables = JointCounts.from_arrays(TRUTH, TRUTH, GROUP).tables()
    first, second = (tables.pairs("attribute", "task") for _ in range(2))
    assert first is second
