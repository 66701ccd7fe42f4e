"""A number with its replicates: quantiles, differences, and what an interval must respect."""

from __future__ import annotations

import numpy as np
import pytest

from biasamp_adapters.inference.estimates import Replicated
from biasamp_adapters.inference.rules import Evidence

#: 0, .01 and so on to 1: the 2.5 % quantile is .025, whatever is resampled.
DRAWS = np.arange(101) / 100


def test_a_difference_reaches_as_far_as_both() -> None:
    first = Replicated(0.5, DRAWS, evidence=Evidence(margin=(0.1, 0.2), noise=0.01))
    second = Replicated(0.4, DRAWS / 2, evidence=Evidence(margin=(0.3, 0.4), noise=0.02))
    gap = first.minus(second)
    assert gap.value == pytest.approx(0.1)
    np.testing.assert_allclose(gap.replicates, DRAWS / 2)
    # Down by the first's way down and the second's way up.
    assert gap.evidence.margin == pytest.approx((0.1 + 0.4, 0.2 + 0.3))
    assert gap.evidence.noise == pytest.approx(0.03)
    assert first.minus(Replicated(0.4)).replicates is None


def test_an_interval_has_its_margins_within_the_limits() -> None:
    evidence = Evidence(margin=(0.01, 0.5), limits=(0.0, 1.0))
    found = Replicated(0.5, DRAWS, evidence=evidence).estimate(0.95)
    assert found.interval == pytest.approx((0.025 - 0.01, 1.0))
    assert Replicated(0.5).estimate(0.95).interval is None
    assert Replicated(0.5, DRAWS, "because").estimate(0.95).reason == "because"


def test_quantiles_move_by_their_margin() -> None:
    number = Replicated(0.5, DRAWS, evidence=Evidence(margin=(0.01, 0.02)))
    np.testing.assert_allclose(number.quantiles([0.025, 0.5, 0.975]), [0.015, 0.5, 0.995])
    assert np.isnan(Replicated(0.5).quantiles([0.5])).all()
    assert np.isnan(Replicated(0.5, DRAWS, "because").quantiles([0.5])).all()
    # The value is not among what was drawn.
    away = Replicated(2.0, DRAWS)
    assert "chance explains too much of it" in str(away.no_quantiles([0.025, 0.975]))
    assert np.isnan(away.quantiles([0.025, 0.975])).all()
