"""What is known of the scores of LA and DPA: the evidence that the rules for intervals read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.inference.estimates import MONTE_CARLO, Interval
from biasamp_adapters.inference.rules import Evidence
from biasamp_adapters.metrics.attacks.sparse_tables import tie_optimism
from biasamp_adapters.quality import HARD_LOSS, OF_GUESSES, Quality, chance_share, is_dependent


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackScores:
    """The scores of an attack on the counts themselves, and what they say of its replicates.

    Attributes
    ----------
    quality : Quality
    leakage : bool
    difference : array of bool that broadcasts to (*columns)
        Where DPA is the difference of the levels and not their ratio.
    n_rows : float
        Rows of equal weight.
    alone : float
        Share of the rows that are alone in their cell.
    tables : mapping of score to array of shape (trials, *columns, inputs, targets)
        The tables behind "psi_dataset" and "psi_model".
    expected : mapping of score to float
        The scores with flips in expectation: the centre of replicates without noise.
    drawn : mapping of score to array of shape (trials,)
        The scores by drawn flips, whichever way the value is equalised.
    """

    quality: Quality
    leakage: bool
    difference: Array | bool
    n_rows: float
    alone: float
    tables: dict[str, Array]
    expected: dict[str, float]
    drawn: dict[str, Array]

    def evidence(self, name: str, value: float, limits: Interval) -> Evidence:
        """What is known of "value", of a level, or of "groups", the mean over pairs of a group."""
        is_level, is_group = name in self.tables, name == "groups"
        return Evidence(
            limits=limits,
            margin=(0.0, 0.0) if is_group else self.margin(name),
            noise=0.0 if is_group else self.noise(name),
            is_level=is_level,
            centre=self.expected.get(name, value),
            base=float(np.mean(self.drawn.get(name, value))),
            n_rows=self.n_rows,
            alone=self.alone,
            is_dependent=not is_level or bool(is_dependent(self.tables[name], self.n_rows).any()),
            has_ties=self.quality.name in OF_GUESSES,
            chance=0.0 if is_level else self.chance,
        )

    @cached_property
    def chance(self) -> float:
        """Share of chance in the dependence behind a ratio of uncertainty coefficients."""
        if self.quality.name != "uncertainty_coefficient" or self.leakage:
            return 0.0
        share = chance_share(self.tables["psi_dataset"], self.tables["psi_model"], self.n_rows)
        ratios = ~np.broadcast_to(self.difference, share.shape)
        return float(share[ratios].mean()) if ratios.any() else 0.0

    def noise(self, name: str) -> float:
        """How far drawn flips may be from what they estimate, for want of more trials."""
        scores = self.drawn[name]
        if not np.isfinite(scores).all():
            return 0.0
        return MONTE_CARLO * float(scores.std() / np.sqrt(len(scores)))

    def margin(self, name: str) -> tuple[float, float]:
        """What ties may have added to a score, or taken from it: the best of equals looks better.

        Near-ties are broken by noise, which raises accuracy, and which resampling repeats.
        """
        if self.quality.name not in OF_GUESSES:
            return 0.0, 0.0
        dataset, model = (
            float(np.mean(tie_optimism(tables, self.n_rows))) for tables in self.tables.values()
        )
        # Shares of right guesses or, where the quality is an inverse loss, of wrong ones.
        d, m = (self._share(side) for side in self.tables)
        if name == "value" and not self.leakage:
            # (m - d) / (m + d), by its derivatives.
            total = (d + m) ** 2 or 1.0
            return 2 * d * model / total, 2 * m * dataset / total
        if self.quality.inverse:
            # A level is the inverse of the share; where that is 0 there are no ties.
            dataset /= HARD_LOSS * d**2 or 1.0
            model /= HARD_LOSS * m**2 or 1.0
        if name == "value":
            return model, dataset
        return (dataset if name == "psi_dataset" else model), 0.0

    def _share(self, side: str) -> float:
        levels = self.drawn[side]
        return float(np.mean(1 / (HARD_LOSS * levels) if self.quality.inverse else levels))
