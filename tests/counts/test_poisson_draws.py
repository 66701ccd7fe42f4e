"""Sums of weights that are drawn cell by cell."""

from __future__ import annotations

import numpy as np

from biasamp_adapters.counts.draws import poisson_sums


def test_a_cell_without_weight_stays_empty() -> None:
    # The second cell is 3 rows of weight 2: w = 3 * 2 and w2 = 3 * 4, drawn in steps of 2.
    drawn = poisson_sums(
        np.array([0.0, 6.0]), np.array([0.0, 12.0]), 1000, np.random.default_rng(0)
    )
    assert (drawn[:, 0] == 0).all()
    assert (drawn[:, 1] % 2 == 0).all()
    assert abs(drawn[:, 1].mean() - 6) < 5 * np.sqrt(12 / 1000)
