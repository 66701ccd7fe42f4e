"""An attack on the data: how well a variable is guessed from another, before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, Array
from biasamp_adapters.counting.margins import (
    Margins,
    accuracy_by_label,
    accuracy_of,
    divide,
    margins_of_data,
)
from biasamp_adapters.inference.intervals import Trust, mean_and_spread
from biasamp_adapters.inference.replicates import FLIPS, generator
from biasamp_adapters.metrics.attack_tables import ATTACKS, Attack, attack_tables, indicator_tables
from biasamp_adapters.metrics.flips import bias_of_expectation, drawn_flips, expected_flips
from biasamp_adapters.metrics.quality import (
    BALANCED,
    LOSS,
    UNCERTAINTY,
    Quality,
    chance_share,
    cross_entropy,
    is_dependent,
)
from biasamp_adapters.metrics.ties import has_clear_winners, mean_gain, tie_margin
from biasamp_adapters.result import Measurement

#: The bias of flips in expectation that "auto" allows, and trials of drawn flips.
_MAX_BIAS, TRIALS = 0.0005, 100

#: Intervals need this many rows, at most this share of rows alone in their cell, and a ratio of
#: uncertainty coefficients at most this share of chance.
_FEWEST_ROWS, _MAX_ALONE, _MAX_CHANCE = 20, 0.03, 0.03


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackMeasurement(Measurement):
    """An attack on the data: tables of dataset and model, and how they are compared.

    Attributes
    ----------
    quality : Quality
    values : ndarray or None
        What the targets stand for, for a quality that reads it.
    seed : int
        The seed of the flips of the value.
    is_difference : bool or ndarray of bool
        Where the value is the difference of the levels, and not their relative change.
    fitted : dict or None
        The value and both levels of each trial of a fitted attacker.
    """

    quality: Quality
    values: Array | None
    seed: int
    is_difference: Any = False
    fitted: dict[str, Array] | None = None

    @property
    def attack(self) -> Attack:
        """What is seen, guessed and flipped."""
        return ATTACKS[self.metric.direction]

    @property
    def by_column(self) -> bool:
        """Whether the target is a matrix, of which each column is guessed by itself."""
        return self.evaluation.rows.is_matrix(self.attack.data[1])

    @property
    def is_ratio(self) -> bool:
        return not bool(np.any(self.is_difference))

    @property
    def further_notes(self) -> tuple[str, ...]:
        return (words.CONSTANT_PREDICTIONS,) if np.isinf(self.point()["psi_model"]) else ()

    @property
    def value(self) -> float:
        return self.point()["value"]

    def point(self) -> dict[str, float]:
        scores = self.fitted
        if scores is None:
            scores = self.compare(self.data_tables, self.model_tables)
        return {name: float(score.mean()) for name, score in scores.items()}

    @property
    def reason_not_to_draw(self) -> str:
        if self.fitted is not None:
            attacker = self.metric.attacker
            name = attacker if isinstance(attacker, str) else type(attacker).__name__
            if name == "exact":
                name = "logistic regression"
            return words.FITTED.format(attacker=name)
        if self.metric.evaluation == "loo":
            return words.LEAVE_ONE_OUT
        return super().reason_not_to_draw

    # The formula.

    def score(
        self, margins: Margins, origin: Margins | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Return the value and both levels of a batch, each table with one draw of flips."""
        return self.compare(self.flip(margins, rng), self._tables(margins, self.attack.model))

    def compare(self, dataset: Array, model: Array) -> dict[str, Array]:
        """Return the value and both levels, averaged over columns."""
        scores = self.quality.compare(
            self.quality.score(dataset, self.values),
            self.quality.score(model, self.values),
            self.is_difference,
        )
        if self.by_column:
            return {name: score.mean(axis=-1) for name, score in scores.items()}
        return scores

    def flip(self, margins: Margins, rng: np.random.Generator | None, n_trials: int = 1) -> Array:
        """Return tables of the dataset, made as wrong as the model; without rng in expectation."""
        table = self._tables(margins, self.attack.data)
        if self.metric.equalize is None:
            return table
        accuracy = self._accuracy(margins)
        if rng is None:
            return expected_flips(table, accuracy, self.attack.axis)
        unit = None
        if margins.rows.w is not None:
            unit = divide(self._tables(margins.squared, self.attack.data), table, 0.0)
        if n_trials > 1:
            table = np.broadcast_to(table, (n_trials, *table.shape[1:]))
        return drawn_flips(table, accuracy, self.attack.axis, rng, unit)

    def _accuracy(self, margins: Margins) -> Array:
        """Return the share of right predictions of what is flipped, for each table of a batch."""
        flipped = self.attack.flipped
        if self.by_column and margins.variable(flipped).is_matrix:
            return accuracy_by_label(margins, flipped)
        accuracy = accuracy_of(margins, flipped)
        return accuracy if self.by_column else accuracy[:, 0]

    def _tables(self, margins: Margins, roles: tuple[str, str]) -> Array:
        return attack_tables(margins, *roles, by_column=self.by_column)

    # The data.

    @cached_property
    def model_tables(self) -> Array:
        """Tables of the model's output."""
        return self._tables(self.margins, self.attack.model)

    @cached_property
    def drawn_tables(self) -> Array:
        """Tables of the dataset with drawn flips, (trials, ...)."""
        n_trials = 1 if self.metric.equalize is None else self.metric.n_trials or TRIALS
        return self.flip(self.margins, generator(FLIPS, self.seed), n_trials)

    @cached_property
    def expected_tables(self) -> Array:
        """Tables of the dataset with flips in expectation."""
        return self.flip(self.margins, None)

    @cached_property
    def _drawn_scores(self) -> dict[str, Array]:
        return self.compare(self.drawn_tables, self.model_tables)

    @cached_property
    def _expected_scores(self) -> dict[str, Array]:
        return self.compare(self.expected_tables, self.model_tables)

    @cached_property
    def is_in_expectation(self) -> bool:
        """Whether the value is that of flips in expectation, which hide chance on sparse tables.

        "auto" takes it where its bias is known to be small.
        """
        if self.metric.equalize != "auto":
            return self.metric.equalize != "sampled"
        if self.metric.evaluation == "loo":
            return False
        n_rows, axis = self.evaluation.rows.effective_rows, self.attack.axis
        if self.quality.name == LOSS:
            table = self._tables(self.margins, self.attack.data)
            accuracy = self._accuracy(self.margins)
            bias = bias_of_expectation(table, self.expected_tables, accuracy, axis, n_rows)
            total = cross_entropy(self.expected_tables) + cross_entropy(self.model_tables)
            return bool((bias <= _MAX_BIAS * total).all())
        has_rule = self.quality.name == "accuracy" or (self.quality.name, axis) == (BALANCED, -2)
        return has_rule and has_clear_winners(self.quality, self.expected_tables, n_rows)

    @property
    def data_tables(self) -> Array:
        """Tables of the dataset as the value compares them."""
        return self.expected_tables if self.is_in_expectation else self.drawn_tables

    # Intervals.

    @cached_property
    def _tie_gains(self) -> tuple[float, float]:
        """How much choices among ties gain, in the dataset and in the model's output."""
        n_rows = self.evaluation.rows.effective_rows
        in_data = mean_gain(self.quality, self.data_tables, n_rows)
        return in_data, mean_gain(self.quality, self.model_tables, n_rows)

    def trust(self, name: str, value: float, scores: Mapping[str, Array]) -> Trust:
        """Return replicates moved to the value: resampling takes chance for real dependence."""
        trials, margin = self._drawn_scores[name], (0.0, 0.0)
        if self.quality.guesses:
            levels = self.point()
            margin = tie_margin(
                name,
                self.quality,
                is_absolute=self.metric.is_absolute,
                levels=(levels["psi_dataset"], levels["psi_model"]),
                gains=self._tie_gains,
            )
        return Trust(
            self._recentred(name, scores[name]),
            self._reason_for_no_interval(name, scores[name]),
            margin,
            noise=3 * mean_and_spread(trials)[1] / np.sqrt(len(trials)),
            limits=self._limits(name),
        )

    def _recentred(self, name: str, replicates: Array) -> Array:
        """Return replicates around the value of drawn flips; those of levels are mirrored."""
        mean_of_trials = mean_and_spread(self._drawn_scores[name])[0]
        if name != "value":
            centre = mean_of_trials + float(self._expected_scores[name][0])
            if not np.isfinite(centre):
                return replicates
            return np.maximum(centre - replicates, 0)
        mean, spread = mean_and_spread(replicates)
        shift = mean_of_trials - mean
        if abs(shift) > 3 * spread / np.sqrt(len(replicates)):
            return replicates + shift
        return replicates

    def _reason_for_no_interval(self, name: str, replicates: Array) -> str:
        """Return why the table is too sparse, or shows too little dependence, for an interval."""
        rows = self.evaluation.rows.effective_rows
        if rows < _FEWEST_ROWS:
            return words.TOO_FEW_ROWS
        if self._share_alone > _MAX_ALONE:
            return words.ALONE.format(share=self._share_alone)
        tables = {"psi_dataset": self.data_tables, "psi_model": self.model_tables}
        if name in tables and not is_dependent(tables[name], rows).any():
            return words.NO_DEPENDENCE_SHOWN
        mean, spread = mean_and_spread(replicates)
        shift = abs(mean - float(self._expected_scores[name][0]))
        if not self.quality.guesses and shift > spread + 1e-12:
            return words.SHIFTED
        if name == "value" and self._is_ratio_of_chance(rows):
            return words.RATIO_OF_CHANCE
        return ""

    @cached_property
    def _share_alone(self) -> float:
        """The share of the rows that are alone in their cell, in the data or in the output."""
        margins = margins_of_data(self.evaluation.rows.unweighted()).of_model(self.model)
        shares = [
            (self._tables(margins, roles) == 1).sum(axis=(-2, -1)).mean()
            for roles in (self.attack.data, self.attack.model)
        ]
        return float(max(shares) / margins.total[0, 0, 0])

    def _is_ratio_of_chance(self, rows: float) -> bool:
        """Return whether chance explains too much of a ratio of uncertainty coefficients."""
        if self.quality.name != UNCERTAINTY or self.metric.is_absolute:
            return False
        is_ratio = ~np.broadcast_to(self.is_difference, self.model_tables.shape[1:-2])
        share = chance_share(self.data_tables, self.model_tables, rows)
        return bool(is_ratio.any() and share[is_ratio].mean() > _MAX_CHANCE)

    def _limits(self, name: str) -> tuple[float, float]:
        """Return the range of a score."""
        lowest, highest = self.quality.lowest, self.quality.highest
        if self.quality.name in ("accuracy", BALANCED):  # The best guess is not below chance.
            lowest = 1 / self.model_tables.shape[-1]
        if name != "value":
            return lowest, highest
        return (lowest - highest, highest - lowest) if self.metric.is_absolute else (-1.0, 1.0)

    # Pairs.

    def pairs(self) -> dict[str, Array]:
        """Return scores of each pair of indicators; NaN where a group does not vary."""
        attack, values = self.attack, np.array([0.0, 1.0])
        before = self._flip_indicators(indicator_tables(self.margins, *attack.data))
        after = indicator_tables(self.margins, *attack.model)[None]
        is_difference: Any = self.metric.is_absolute
        if self.quality.name == UNCERTAINTY and not self.metric.is_absolute:
            rows = self.evaluation.rows.effective_rows
            is_difference = ~(is_dependent(before, rows) | is_dependent(after, rows))
        scores = self.quality.compare(
            self.quality.score(before, values), self.quality.score(after, values), is_difference
        )
        group = self.margins.joint(ATTRIBUTE, ALL)[0]
        varies = (group > 0) & (group < self.margins.total[0] * (1 - 1e-12))
        shape = before.shape[:3]
        return {
            name: np.where(varies, np.broadcast_to(score, shape).mean(axis=0), np.nan)
            for name, score in scores.items()
        }

    def _flip_indicators(self, tables: Array) -> Array:
        """Return tables of indicators, each as wrong as that of the model, (trials, ...)."""
        attack = self.attack
        if self.metric.equalize is None:
            return tables[None]
        accuracy = accuracy_by_label(self.margins, attack.flipped, missing_is_wrong=False)[0]
        if attack.flipped == ATTRIBUTE:
            accuracy = accuracy[:, None]
        accuracy = np.broadcast_to(accuracy, tables.shape[:-2])
        if self.fitted is None and self.is_in_expectation:
            return expected_flips(tables, accuracy, attack.axis)[None]
        unit = None
        if self.margins.rows.w is not None:
            unit = divide(indicator_tables(self.margins.squared, *attack.data), tables, 0.0)
        n_trials = self.metric.n_trials or TRIALS
        tables = np.broadcast_to(tables, (n_trials, *tables.shape))
        return drawn_flips(tables, accuracy, attack.axis, generator(FLIPS, self.seed), unit)
