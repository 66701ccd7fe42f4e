"""Where the bootstrap of LA and DPA can be trusted (docs: sparse tables).

The sample is the bootstrap's population, and in it the errors that the model made by chance are
real dependence. Replicates therefore scatter around another centre than the value; on sparse
tables that cannot be put right.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.metrics.sparse import tie_optimism
from biasamp_adapters.quality import HARD_LOSS, OF_GUESSES, chance_share, is_dependent

if TYPE_CHECKING:
    from biasamp_adapters.metrics.exact import ExactAttack

#: A ratio of two uncertainty coefficients has an interval up to this share of chance in them.
_MAX_CHANCE = 0.03

#: Intervals are given up to this share of rows that are alone in their cell.
_MAX_ALONE = 0.03

#: With fewer rows there is no interval.
_FEWEST_ROWS = 20

#: Replicates may be shifted by this many of their standard deviations.
_MAX_SHIFT = 1.0

#: The mean over trials is within so many standard errors of what it estimates.
_NOISE = 3.0

_ROUNDING = 1e-12


def _rows_alone(attack: ExactAttack) -> float:
    """Share of the rows that are alone in their cell: the mass of cells yet unseen (Good, 1953)."""
    tables = attack.evaluation.counts.unweighted().tables(attack.model)
    both = attack.plain(tables), attack.of_model(tables)
    return max(float((table == 1).sum(axis=(-2, -1)).mean() / tables.total) for table in both)


class Trust:
    """What an attack's replicates say of its scores.

    Parameters
    ----------
    attack : ExactAttack
    """

    def __init__(self, attack: ExactAttack) -> None:
        self._attack = attack
        self._tables = attack.evaluation.counts.tables(attack.model)
        self._rows = attack.evaluation.counts.effective_rows

    @cached_property
    def _centres(self) -> dict[str, float]:
        """The scores that replicates would have without noise: their flips are in expectation."""
        found = self._attack.smooth(self._tables, None)
        return {name: float(np.mean(score)) for name, score in found.items()}

    @cached_property
    def _trials(self) -> dict[str, Array]:
        return self._attack.by_drawn_flips()

    @cached_property
    def _drawn(self) -> dict[str, float]:
        """The scores by drawn flips, whichever way the value is equalised."""
        return {name: float(scores.mean()) for name, scores in self._trials.items()}

    def noise(self, name: str) -> float:
        """How far drawn flips may be from what they estimate, for want of more trials."""
        scores = self._trials[name]
        if not np.isfinite(scores).all():
            return 0.0
        return _NOISE * float(scores.std() / np.sqrt(len(scores)))

    @cached_property
    def _sides(self) -> dict[str, Array]:
        """The tables behind each level, those of all draws."""
        return {
            "psi_dataset": self._attack.dataset,
            "psi_model": self._attack.of_model(self._tables)[None],
        }

    def margin(self, name: str) -> tuple[float, float]:
        """What ties may have added to a score, or taken from it: the best of equals looks better.

        Half of the choices among likeliest targets that are nearly tied go the way of the noise,
        which resampling repeats instead of undoing.
        """
        if self._attack.quality.name not in OF_GUESSES:
            return 0.0, 0.0
        gain = {
            side: float(np.mean(tie_optimism(tables, self._rows)))
            for side, tables in self._sides.items()
        }
        # Of a ratio of (m - d) to (m + d), by its derivatives; d and m are shares of right guesses,
        # or of wrong ones, which gains lower.
        d, m = (self._share(side) for side in ("psi_dataset", "psi_model"))
        if name == "value" and not self._attack.leakage:
            total = (d + m) ** 2 or 1.0
            return 2 * d * gain["psi_model"] / total, 2 * m * gain["psi_dataset"] / total
        if self._attack.quality.inverse:
            # A level is the inverse of the wrong share; where that is 0 there are no ties.
            for side, share in (("psi_dataset", d), ("psi_model", m)):
                gain[side] /= HARD_LOSS * share**2 or 1.0
        return (gain[name], 0.0) if name != "value" else (gain["psi_model"], gain["psi_dataset"])

    def _share(self, side: str) -> float:
        """The share of right guesses by drawn flips, or that of wrong ones for an inverse loss."""
        levels = self._trials[side]
        return float(np.mean(1 / (HARD_LOSS * levels) if self._attack.quality.inverse else levels))

    @cached_property
    def _is_ratio_of_chance(self) -> bool:
        """Whether the value is a ratio of uncertainty coefficients that are largely chance."""
        attack = self._attack
        if attack.quality.name != "uncertainty_coefficient" or attack.leakage:
            return False
        shape = attack.plain(self._tables).shape
        dataset = attack.dataset.reshape(-1, *shape)
        chance = chance_share(dataset, attack.of_model(self._tables)[None], self._rows)
        ratios = ~np.broadcast_to(attack.difference, chance.shape)
        return bool(ratios.any() and chance[ratios].mean() > _MAX_CHANCE)

    def _independent(self, name: str) -> bool:
        """Whether the table of a level shows no dependence at the 95 % level."""
        tables = self._sides[name]
        shape = self._attack.plain(self._tables).shape[:-2]
        tables = tables.reshape(-1, *shape, *tables.shape[-2:])
        return not is_dependent(tables, self._rows).any()

    def settled(self, name: str, value: float, replicates: Array) -> tuple[Array, str | None]:
        """Replicates moved to where the score lies, or why they say nothing of it."""
        centre, base = self._centres[name], self._drawn[name]
        drawn = replicates[np.isfinite(replicates)]
        if not (np.isfinite([value, centre, base]).all() and len(drawn)):
            return replicates, None
        reason = self._few_rows
        if reason is None and name != "value" and self._independent(name):
            reason = "its table shows no dependence at the 95 % level"
        reason = reason or self._shifted(centre, drawn)
        if reason is None and name == "value":
            reason = self._of_chance
        if reason or name == "value":
            return _moved(base, replicates), reason
        # A level is mirrored: resampling raises it by about as much as the sample raised it.
        return np.maximum(base + centre - replicates, 0), None

    def settled_group(self, value: float, replicates: Array) -> tuple[Array, str | None]:
        """The same for the mean score over the pairs of a group."""
        drawn = replicates[np.isfinite(replicates)]
        if not (np.isfinite(value) and len(drawn)):
            return replicates, None
        reason = self._few_rows or self._shifted(value, drawn) or self._of_chance
        return _moved(value, replicates), reason

    @cached_property
    def _few_rows(self) -> str | None:
        if self._rows < _FEWEST_ROWS:
            return f"{self._rows:.0f} rows are too few: it needs {_FEWEST_ROWS}"
        alone = _rows_alone(self._attack)
        return f"{alone:.0%} of the rows are alone in their cell" if alone > _MAX_ALONE else None

    def _shifted(self, centre: float, drawn: Array) -> str | None:
        spread, shift = drawn.std(), drawn.mean() - centre
        # Of guesses, ties are what shifts: the margin makes up for them.
        if self._attack.quality.name in OF_GUESSES or abs(shift) <= _MAX_SHIFT * spread + _ROUNDING:
            return None
        return (
            f"resampling shifts it by {shift:+.4f}, more than its standard deviation of "
            f"{spread:.4f}"
        )

    @property
    def _of_chance(self) -> str | None:
        if not self._is_ratio_of_chance:
            return None
        return (
            f"chance explains more than {_MAX_CHANCE:.0%} of the dependence that dataset and "
            "model show, too much for a ratio of the two"
        )


def _moved(base: float, replicates: Array) -> Array:
    """Replicates with their mean at ``base``, unless it is there but for Monte Carlo error."""
    drawn = replicates[np.isfinite(replicates)]
    move = base - drawn.mean()
    if abs(move) <= _NOISE * drawn.std() / np.sqrt(len(drawn)):
        return replicates
    return replicates + move
