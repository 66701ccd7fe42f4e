"""An attack on the data: how well a variable is guessed from another, before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np

from biasamp_adapters import figures, words
from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, Array, Label, positive_class
from biasamp_adapters.counting.margins import Margins, margins_of_data, mean_of_pairs
from biasamp_adapters.inference.intervals import Trust, mean_and_spread
from biasamp_adapters.inference.replicates import FLIPS, generator
from biasamp_adapters.metrics import quality as qualities
from biasamp_adapters.metrics.attack_tables import Attack, bias_of_expectation
from biasamp_adapters.metrics.rates import reason_of_small_groups
from biasamp_adapters.result import Measurement

#: The bias of flips in expectation that "auto" allows, and trials of drawn flips: fewer, but at
#: least five, of tables so wide that all trials would have more cells than this.
_MAX_BIAS, TRIALS, _FEWEST_TRIALS, _MOST_CELLS = 0.0005, 100, 5, 2**22

#: A fitted attacker is noted if its value is so far from that of the exact one, of tables with so
#: many rows for each cell: folds alone move LA of 4 x 400 rows by up to that.
_FAR, _ROWS_OF_CELL = 0.02, 500

#: Intervals need this many rows, at most this share of rows alone in their cell, and a ratio of
#: uncertainty coefficients at most this share of chance.
_FEWEST_ROWS, _MAX_ALONE, _MAX_CHANCE = 20, 0.03, 0.03

Trials: TypeAlias = tuple[dict[str, Array], tuple[str, ...]]


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackMeasurement(Measurement):
    """An attack on the data: tables of dataset and model, and how they are compared.

    Attributes
    ----------
    quality : Quality
    seed : int
        The seed of the flips of the value.
    attack : Attack
        What is seen, guessed and flipped, as tables; scores of tables of columns are averaged.
    attacker : Attacker or None
        What is fitted; None if the tables tell all.
    """

    quality: qualities.Quality
    seed: int
    attack: Attack
    attacker: Any

    @property
    def target_labels(self) -> tuple[Label, ...]:
        """The labels of the target; of a column 0 and 1."""
        if self.attack.kind != "labels":
            return 0, 1
        return self.evaluation.rows.labels_of(self.attack.data[1])

    @property
    def positive(self) -> Label | None:
        """The label of the target whose F1 is asked for; None for all."""
        if self.attack.kind == "labels" and self.metric.pos_label in self.target_labels:
            return self.metric.pos_label
        return positive_class(self.target_labels)

    @cached_property
    def values(self) -> Array | None:
        """The numbers that targets stand for, or 1 for the class whose F1 is asked for."""
        return self.quality.values_of(self.target_labels, self.positive)

    @property
    def is_ratio(self) -> bool:
        return not bool(np.any(self.is_difference))

    @property
    def notes(self) -> tuple[str, ...]:
        attack, margins, model = self.attack, self.margins, figures.name(self.model)
        labels = words.AS_INACCURATE if attack.is_equalized else words.LABELS
        note = words.NO_DEPENDENCE.format(model=model, labels=labels)
        notes = [] if self.metric.is_absolute or self.is_ratio else [note]
        notes += self._trials[1]
        flipped = margins.variable(attack.flipped)
        n_labels = 1 if flipped.is_matrix else len(flipped.labels)
        is_flipped = attack.is_equalized and words.NUMBERS_NOT_FLIPPED not in notes
        if is_flipped and n_labels > 1 and attack.accuracy(margins).flat[0] < 1 / n_labels:
            of_groups = attack.flipped == ATTRIBUTE
            template = words.BELOW_CHANCE_OF_GROUPS if of_groups else words.BELOW_CHANCE
            notes.append(template.format(model=model, k=n_labels))
        if self.quality.lowest < 0 and np.isnan(self.value):
            notes.append(words.NO_RELATIVE_CHANGE.format(quality=self.quality.name))
        return tuple(notes)

    @property
    def further_notes(self) -> tuple[str, ...]:
        return (words.CONSTANT_PREDICTIONS,) if np.isinf(self.point()["psi_model"]) else ()

    def point(self) -> dict[str, float]:
        return {name: float(score.mean()) for name, score in self._trials[0].items()}

    @cached_property
    def reason_not_to_draw(self) -> str:
        if self.attacker is not None:
            return words.FITTED.format(attacker=self.attacker.name)
        if self.metric.evaluation == "loo":
            return words.LEAVE_ONE_OUT
        rows = self.evaluation.rows
        if rows.effective_rows < _FEWEST_ROWS:
            return words.TOO_FEW_ROWS.format(unit="rows" if rows.w is None else "effective rows")
        if rows.size_unit == "clusters" and (reason := reason_of_small_groups(self.margins)):
            return reason
        margins = margins_of_data(rows.unweighted()).of_model(self.model)
        both = (self.attack.tables(margins, x) for x in (self.attack.data, self.attack.model))
        alone = max((table == 1).sum(axis=(-2, -1)).mean() for table in both)
        if alone > _MAX_ALONE * margins.total[0, 0, 0]:
            return words.ALONE
        return super().reason_not_to_draw

    @property
    def reason_for_0(self) -> str:
        target, rows = self.attack.data[1], self.evaluation.rows
        if target != self.attack.model[1] or rows.is_matrix(target):
            return ""
        return words.IS_0_FOR_ONE_GROUP if len(rows.variable(target).seen) < 2 else ""

    # The formula.

    def score(self, margins: Margins, origin: Margins | None, rng: Any = None) -> dict[str, Array]:
        """Return the value and both levels of a batch, each table with one draw of flips."""
        model = self.attack.tables(margins, self.attack.model)
        return self.compare(self.attack.flip(margins, rng), model)

    def compare(self, dataset: Array, model: Array) -> dict[str, Array]:
        """Return the value and both levels, averaged over columns."""
        before, after = (self.quality.score(table, self.values) for table in (dataset, model))
        scores = self.quality.compare(before, after, self.is_difference)
        if self.attack.kind == "columns":
            with np.errstate(invalid="ignore"):  # Of infinite levels, up and down.
                return {name: score.mean(axis=-1) for name, score in scores.items()}
        return scores

    # The data.

    @cached_property
    def model_tables(self) -> Array:
        """Tables of the model's output."""
        return self.attack.tables(self.margins, self.attack.model)

    @cached_property
    def drawn_tables(self) -> Array:
        """Tables of the dataset with drawn flips, (trials, ...)."""
        usual = max(min(TRIALS, _MOST_CELLS // self.model_tables.size), _FEWEST_TRIALS)
        n_trials = self.metric.n_trials or usual
        return self.attack.flip(self.margins, generator(FLIPS, self.seed), n_trials)

    @cached_property
    def expected_tables(self) -> Array:
        """Tables of the dataset with flips in expectation."""
        return self.attack.flip(self.margins, None)

    @property
    def data_tables(self) -> Array:
        """Tables of the dataset as the value compares them."""
        return self.expected_tables if self.is_in_expectation else self.drawn_tables

    @cached_property
    def is_difference(self) -> Any:
        """Where the value is the difference of the levels, and not their relative change.

        A ratio of uncertainty coefficients would be noise where neither shows a dependence.
        """
        if self.metric.is_absolute or self.quality.name != qualities.UNCERTAINTY:
            return self.metric.is_absolute
        rows = self.evaluation.rows.effective_rows
        return ~(
            qualities.is_dependent(self.drawn_tables, rows)
            | qualities.is_dependent(self.model_tables, rows)
        )

    @cached_property
    def is_in_expectation(self) -> bool:
        """Whether the value is that of flips in expectation, which hide chance on sparse tables.

        "auto" takes it where its bias is known to be small.
        """
        if self.attacker is not None:
            return False
        if self.metric.equalize != "auto":
            return self.metric.equalize != "sampled"
        n_rows, score = self.evaluation.rows.effective_rows, self.quality.score
        if self.quality.name == qualities.LOSS:
            labels = self.attack.tables(self.margins, self.attack.data)
            accuracy, axis = self.attack.accuracy(self.margins), self.attack.axis
            bias = bias_of_expectation(labels, self.expected_tables, accuracy, axis, n_rows)
            total = score(self.expected_tables, None) + score(self.model_tables, None)
            return bool((bias <= _MAX_BIAS * total).all())
        return self.quality.has_clear_winners(self.expected_tables, n_rows, self.attack.axis)

    @cached_property
    def _trials(self) -> Trials:
        """The value and both levels of each draw of flips, and notes on them."""
        notes: tuple[str, ...] = ()
        if self.attacker is None:
            scores = self.compare(self.data_tables, self.model_tables)
        else:
            scores, notes = self.attacker.cross_fit(self)
            notes += self._compare_with_exact(float(scores["value"].mean()))
        n_trials = len(scores["value"])
        if self.metric.n_trials is None and 1 < n_trials < TRIALS:
            error = scores["value"].std(ddof=1) / np.sqrt(n_trials)
            notes = (*notes, words.TRIALS.format(k=n_trials, error=error))
        return scores, notes

    def _compare_with_exact(self, value: float) -> tuple[str, ...]:
        """Return a note if the value of the exact attacker is far, where rows are many."""
        sizes = [self.margins.variable(role).width for role in self.attack.data]
        is_sparse = _ROWS_OF_CELL * prod(sizes) > self.evaluation.rows.effective_rows
        if is_sparse or self.evaluation.rows.is_matrix(self.attack.data[0]):
            return ()
        exact = replace(self, attacker=None).point()["value"]
        note = words.FAR_FROM_EXACT.format(exact=exact, attacker=self.attacker.name)
        return (note,) if abs(exact - value) > _FAR else ()

    @cached_property
    def _drawn_scores(self) -> dict[str, Array]:
        return self.compare(self.drawn_tables, self.model_tables)

    @cached_property
    def _expected_scores(self) -> dict[str, Array]:
        return self.compare(self.expected_tables, self.model_tables)

    # Intervals.

    def trust(self, name: str, value: float, scores: Mapping[str, Array]) -> Trust:
        """Return replicates moved to the value: resampling takes chance for real dependence."""
        trials, margin, others, row = self._drawn_scores[name], (0.0, 0.0), None, 0.0
        if name != "value" and self.quality.name not in qualities.SMOOTH:
            # The largest of shares that may be tied has a lower bound, which mirroring turns round.
            others = scores[name]
        if self.quality.guesses:
            levels = self.point()["psi_dataset"], self.point()["psi_model"]
            both, rows = (self.data_tables, self.model_tables), self.evaluation.rows
            gains = [self.quality.mean_gain(tables, rows.effective_rows) for tables in both]
            margin = self.quality.tie_margin(name, levels, gains, self.metric.is_absolute)
        if name != "value" and self.quality.name == qualities.BALANCED:  # A mean of recalls.
            labels = self.model_tables[0].sum(axis=-2)
            share = labels[labels > 0].min() / labels.sum()
            row = float(1 / (share * rows.effective_rows * (labels > 0).sum()))
        return Trust(
            self._recentred(name, scores[name]),
            self._reason_for_no_interval(name, scores[name]),
            margin,
            noise=3 * mean_and_spread(trials)[1] / np.sqrt(len(trials)),
            limits=self._limits(name),
            others=others,
            row=row,
        )

    def _recentred(self, name: str, replicates: Array) -> Array:
        """Return replicates around the value of drawn flips.

        Levels are skewed, so smooth ones are moved by twice their bias; those that jump between
        guesses are mirrored.
        """
        centre, mean = (mean_and_spread(x)[0] for x in (self._drawn_scores[name], replicates))
        if name == "value":
            return replicates + (centre - mean)
        centre += float(self._expected_scores[name][0])
        if not np.isfinite(centre):
            return replicates
        if self.quality.name in qualities.SMOOTH:
            return replicates + (centre - 2 * mean)
        return np.maximum(centre - replicates, 0)

    def _reason_for_no_interval(self, name: str, replicates: Array) -> str:
        """Return why the table is too sparse, or shows too little dependence, for an interval."""
        rows = self.evaluation.rows.effective_rows
        tables = {"psi_dataset": self.data_tables, "psi_model": self.model_tables}
        if name in tables and not qualities.is_dependent(tables[name], rows).any():
            return words.NO_DEPENDENCE_SHOWN
        mean, spread = mean_and_spread(replicates)
        shift = abs(mean - float(self._expected_scores[name][0]))
        if not self.quality.guesses and shift > spread + 1e-12:
            return words.SHIFTED
        if name == "value" and self.quality.name == qualities.UNCERTAINTY:
            is_ratio = ~np.broadcast_to(self.is_difference, self.model_tables.shape[1:-2])
            share = qualities.chance_share(self.data_tables, self.model_tables, rows)
            if is_ratio.any() and share[is_ratio].mean() > _MAX_CHANCE:
                return words.RATIO_OF_CHANCE
        return ""

    def _limits(self, name: str) -> tuple[float, float]:
        """Return the range of a score."""
        lowest, highest = self.quality.lowest, self.quality.highest
        if self.quality.guesses and not self.quality.inverse:  # The best guess is not below chance.
            lowest = 1 / self.model_tables.shape[-1]
        if name != "value":
            return lowest, highest
        return (lowest - highest, highest - lowest) if self.metric.is_absolute else (-1.0, 1.0)

    # Pairs.

    def by_group(self, margins: Margins, origin: Margins | None, rng: Any = None) -> Array:
        pairs = replace(self, attack=replace(self.attack, kind="pairs"))
        values = pairs.score(margins, origin, rng)["value"]
        return mean_of_pairs(np.where(_vary(margins), values, np.nan), 2)

    def pairs(self) -> dict[str, Array]:
        """Return scores of each pair of indicators; NaN where a group does not vary."""
        pairs = replace(self, attack=replace(self.attack, kind="pairs"))
        dataset = pairs.expected_tables if self.is_in_expectation else pairs.drawn_tables
        scores = pairs.compare(dataset, pairs.model_tables)
        varies = _vary(self.margins)[0]
        return {name: np.where(varies, x.mean(axis=0), np.nan) for name, x in scores.items()}


def _vary(margins: Margins) -> Array:
    """Return whether each group has some rows and not all, (batch, groups, 1)."""
    group = margins.joint(ATTRIBUTE, ALL)
    return (group > 0) & (group < margins.total * (1 - 1e-12))
