"""[W21] Fig. 2 by arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
from documented import assert_documented


def test_metrics_are_those_of_the_figure(example: Any) -> None:
    tables = example.find()
    assert_documented("painting", tables)
    table = tables["_metrics"]
    share = table["share"]
    # Women are half of the people; those said to paint are of 10 painting men and share x 40 women.
    np.testing.assert_allclose(table["BA A->T"], (share - 0.75) / 2, atol=1e-12)
    # Those who do not paint are 30 men and (1 - share) x 40 women.
    tasks = share / (share + 0.25), 0.75 / (1.75 - share)
    np.testing.assert_allclose(table["MALS"], (tasks[0] + tasks[1]) / 2 - 0.75, atol=1e-12)
    # 10 of 40 women do not paint, 30 do.
    np.testing.assert_allclose(table["FPR difference"], np.maximum(share - 0.75, 0) / 0.25)
    np.testing.assert_allclose(table["TPR difference"], np.minimum(share / 0.75, 1) - 1, atol=1e-12)
    np.testing.assert_allclose(table["accuracy difference"], -abs(share - 0.75), atol=1e-12)
    # The paper's point: only these two tell over-prediction from under-prediction.
    below, above = share < 0.75, share > 0.75
    for name in ("BA A->T", "MALS"):
        assert (table[name][below] < 0).all()
        assert (table[name][above] > 0).all()
