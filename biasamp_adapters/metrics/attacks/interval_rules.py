"""When an interval of LA or DPA can be trusted, and how its replicates are to be read.

The sample is the bootstrap's population, and in it the errors that the model made by chance are
real dependence. Replicates therefore scatter around another centre than the value. This module
moves them back, and lists the rules for when that is not enough (docs: sparse tables).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.metrics.attacks.sparse_tables import tie_optimism
from biasamp_adapters.quality import HARD_LOSS, OF_GUESSES, Quality, chance_share, is_dependent

#: A ratio of two uncertainty coefficients has an interval up to this share of chance in them.
_MAX_CHANCE = 0.03

#: Intervals are given up to this share of rows that are alone in their cell.
_MAX_ALONE = 0.03

#: With fewer rows there is no interval.
_FEWEST_ROWS = 20

#: Replicates may be shifted by this many of their standard deviations.
_MAX_SHIFT = 1.0

#: The mean over trials is within this many standard errors of what it estimates.
_MONTE_CARLO = 3.0

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """What is known of an attack on the counts themselves, before replicates are read.

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
        return _MONTE_CARLO * float(scores.std() / np.sqrt(len(scores)))

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


class Replicated(NamedTuple):
    """A score with its replicates, to be judged.

    Attributes
    ----------
    evidence : Evidence
    name : str
        "value", "psi_dataset" or "psi_model", or "groups" for the mean over the pairs of a group.
    shift, spread : float
        How far the mean of the replicates is from their expected centre, and their standard
        deviation.
    """

    evidence: Evidence
    name: str
    shift: float
    spread: float

    @property
    def is_level(self) -> bool:
        """Whether the score is the predictability of one side."""
        return self.name in self.evidence.tables

    @property
    def is_independent(self) -> bool:
        """Whether the table of a level shows no dependence at the 95 % level."""
        tables = self.evidence.tables[self.name]
        return not is_dependent(tables, self.evidence.n_rows).any()


class Rule(NamedTuple):
    """A rule for trusting an interval.

    Attributes
    ----------
    name : str
    breaks : callable
        Whether a score with its replicates breaks the rule.
    sentence : callable
        Why there is then no interval.
    """

    name: str
    breaks: Callable[[Replicated], bool]
    sentence: Callable[[Replicated], str]


#: Asked in this order; the first rule that is broken gives the reason.
RULES = (
    Rule(
        "enough rows",
        lambda score: score.evidence.n_rows < _FEWEST_ROWS,
        lambda score: f"{score.evidence.n_rows:.0f} rows are too few: it needs {_FEWEST_ROWS}",
    ),
    Rule(
        "few rows alone in their cell",
        lambda score: score.evidence.alone > _MAX_ALONE,
        lambda score: f"{score.evidence.alone:.0%} of the rows are alone in their cell",
    ),
    Rule(
        "a level shows a dependence",
        lambda score: score.is_level and score.is_independent,
        lambda score: "its table shows no dependence at the 95 % level",
    ),
    Rule(
        "resampling does not shift it",
        # Qualities of guesses are shifted by ties, which the margin makes up for.
        lambda score: (
            score.evidence.quality.name not in OF_GUESSES
            and abs(score.shift) > _MAX_SHIFT * score.spread + _ROUNDING
        ),
        lambda score: (
            f"resampling shifts it by {score.shift:+.4f}, more than its standard deviation of "
            f"{score.spread:.4f}"
        ),
    ),
    Rule(
        "little of a ratio is chance",
        lambda score: not score.is_level and score.evidence.chance > _MAX_CHANCE,
        lambda score: (
            f"chance explains more than {_MAX_CHANCE:.0%} of the dependence that dataset and "
            "model show, too much for a ratio of the two"
        ),
    ),
)


def first_reason(rules: Sequence[Rule], score: Replicated) -> str | None:
    """Why there is no interval, by the first rule that is broken; None if none is."""
    return next((rule.sentence(score) for rule in rules if rule.breaks(score)), None)


def read_replicates(
    evidence: Evidence, name: str, value: float, replicates: Array
) -> tuple[Array, str | None]:
    """Replicates moved to where the score lies, and the reason why they cannot be trusted, if any.

    Parameters
    ----------
    evidence : Evidence
    name : str
        As in :class:`Replicated`.
    value : float
    replicates : array of shape (n_boot,)
    """
    centre = evidence.expected.get(name, value)
    base = float(np.mean(evidence.drawn.get(name, value)))
    drawn = replicates[np.isfinite(replicates)]
    if not (np.isfinite([value, centre, base]).all() and len(drawn)):
        return replicates, None
    score = Replicated(evidence, name, float(drawn.mean() - centre), float(drawn.std()))
    reason = first_reason(RULES, score)
    if score.is_level and reason is None:
        # A level is mirrored: resampling raises it by about as much as the sample raised it.
        return np.maximum(base + centre - replicates, 0), None
    move = base - drawn.mean()
    if abs(move) <= _MONTE_CARLO * score.spread / np.sqrt(len(drawn)):
        return replicates, reason
    return replicates + move, reason
