"""LA and DPA with the exact attacker: the table of input against target is the attacker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, Self

import numpy as np

from biasamp_adapters._roles import ARGUMENTS, Role
from biasamp_adapters._typing import Array, Label, RandomState, generator, seed_of
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.estimates import Interval
from biasamp_adapters.inference.replicates import Draws
from biasamp_adapters.inference.rules import Evidence, Sampling
from biasamp_adapters.metrics.attacks.evidence import AttackScores
from biasamp_adapters.metrics.attacks.sparse_tables import expected_channel_is_unbiased
from biasamp_adapters.metrics.attacks.two_way_tables import Reading, Roles, Sides
from biasamp_adapters.metrics.bound_metric import BoundMetric
from biasamp_adapters.metrics.means import mean_over_tasks
from biasamp_adapters.quality import OF_GUESSES, Quality, is_dependent, loo_cross_entropy

#: Pairs and trials that are flipped at a time.
_BLOCK = 2**20

#: Rounded scores that differ by less than this share of them are equal.
_ROUNDING = 1e-12

_NO_AND_YES = np.array([0.0, 1.0])


def compare_scores(
    quality: Quality, dataset: Array, model: Array, difference: Array | bool, *, exact: bool
) -> dict[str, Array]:
    """The value and both levels of predictability from scores of an attacker, or its losses.

    Parameters
    ----------
    quality : Quality
    dataset, model : arrays of any batch shape
    difference : bool or array of bool
        Whether the value is the difference of the levels and not their relative change.
    exact : bool
        Whether scores are free of rounding; otherwise those that are nearly equal are equal.
    """
    if not exact:
        near = np.abs(model - dataset) <= _ROUNDING * np.maximum(np.abs(model), np.abs(dataset))
        model = np.where(near, dataset, model)
    return quality.compare(dataset, model, difference)


def below_chance(accuracy: float, classes: int) -> Iterator[str]:
    """What to say of a model that is wrong more often than chance."""
    if accuracy < (1 - _ROUNDING) / classes:
        yield (
            f"the model's accuracy of {accuracy:.3f} is below 1/{classes}: labels made as "
            "wrong carry information again, so the dataset's side is not a fair baseline"
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class TableAttack(BoundMetric):
    """LA or DPA, bound to counts.

    The value is the mean over the columns of a target that is a matrix. Of an input that is a
    matrix of several columns there are only pairs: the table of all its columns is too large.

    Attributes
    ----------
    leakage : bool
        Whether this is LA, the difference of qualities, or DPA, their relative change.
    quality : Quality
    equalize : {"auto", "expected", "sampled"} or None
        As given to the metric.
    loo : bool
        Whether the log loss is that of leave-one-out.
    n_trials : int
    random_state : int, Generator or None
    mode : {"expected", "sampled"} or None
        How the value is equalised.
    values : array of shape (targets,) or None
        The numbers that the targets stand for, if the quality reads them.
    """

    leakage: bool
    quality: Quality
    equalize: str | None
    loo: bool
    n_trials: int
    random_state: RandomState
    mode: str | None = None
    values: Array | None = None

    def equalised(self) -> Self:
        """The same with the way to equalise chosen, and notes on what this means.

        Raises
        ------
        ValueError
            If the counts do not suit the quality, or the way to equalise.
        """
        if self.no_value:
            return replace(self, notes=(self.no_value,))
        values = self._target_values()
        counts, sides, mode = self.evaluation.counts, self._sides, self.equalize
        notes: list[str] = []
        if mode is not None:
            classes = sides.dataset.shape[self.roles.axis]
            notes += below_chance(float(sides.accuracy.min()), classes)
        if mode == "auto":
            mode = "expected" if self._in_expectation.all() else "sampled"
            if mode == "expected" and not counts.knows_rows:
                notes.append(
                    "equalised in expectation, which may be biased on sparse tables: sampled flips "
                    "need rows, and these counts hold only sums of weights"
                )
        if mode == "sampled" and not counts.knows_rows:
            raise ValueError(
                "sampled flips need rows; received counts of sums of weights alone (by_weight=True "
                "of joint counts, and keep_rows=True of label matrices, keep them)"
            )
        if self.loo and counts.weighted:
            raise ValueError("leave-one-out needs unweighted rows; received weights")
        bound = replace(self, mode=mode, values=values)
        noise = bound._is_noise(*bound._trials_of_sides)
        if noise.any():
            bound = replace(bound, difference=noise)
            notes.append(bound._no_dependence_note(noise))
        return replace(bound, notes=tuple(notes))

    @cached_property
    def roles(self) -> Roles:
        """Who predicts whom."""
        return Roles.of(self.direction, self.leakage)

    @cached_property
    def reading(self) -> Reading:
        """How the tables behind the value are read.

        A matrix with one label in every row is one label as an input, except that a model may
        predict any number of them (LA).
        """
        counts, (source, target) = self.evaluation.counts, self.roles.dataset
        several = counts.is_matrix(source) and (self.leakage or not counts.one_each(source))
        return Reading(self.roles, (several, counts.is_matrix(target)))

    @cached_property
    def no_value(self) -> str | None:
        """Why there is no overall value, or None."""
        source, (by_column, target_by_column) = self.roles.dataset[0], self.reading.by_column
        one = self.evaluation.counts.n_labels(source) == 1 and not target_by_column
        if one or not by_column:
            return None
        return (
            f"the exact attacker takes one label as its input, and {ARGUMENTS[source]} is a "
            "matrix: only pairs are scored, in by_pair (an attacker can be fitted where rows are "
            "known, except for the expected channel, leave-one-out and inverse_rmse)"
        )

    @property
    def sampling(self) -> Sampling:
        """Draws of rows, and flips of their labels."""
        flips = self.equalize is not None
        return replace(
            super().sampling, no_value=self.no_value, flips=flips, leaves_one_out=self.loo
        )

    @property
    def recipe(self) -> dict[str, str]:
        """Attacker, what it is scored on, its quality, and how the truth was made as wrong."""
        equalised = {
            "sampled": f"mean of {self.n_trials} draws of flips, seed {seed_of(self.random_state)}",
            "expected": "in expectation",
            None: "not",
        }
        return {
            "attacker": self._attacker_in_words,
            "quality": self.quality.name,
            "equalised": equalised[self.mode],
        }

    @property
    def _attacker_in_words(self) -> str:
        how = "evaluated by leave-one-out" if self.loo else "evaluated on the same rows"
        return f"the count table itself, {how}"

    @property
    def width(self) -> int:
        first, second = (self.evaluation.counts.n_labels(role) for role in self.roles.dataset)
        return 4 * first * second

    def limits(self, name: str) -> Interval:
        """The range of DPA is [-1, 1]; that of a level or of LA depends on the quality."""
        if name == "value" and not (self.leakage and self.quality.inverse):
            return -1.0, 1.0
        return (0.0, np.inf) if name.startswith("psi") else (-np.inf, np.inf)

    def _is_noise(self, dataset: Array, model: Array) -> Array:
        """Where a ratio would be one of noise: neither side shows a dependence.

        Parameters
        ----------
        dataset, model : arrays of shape (trials, ..., inputs, targets)

        Returns
        -------
        ndarray of bool, shape (...)
        """
        if self.quality.name != "uncertainty_coefficient" or self.leakage:
            return np.zeros(dataset.shape[1:-2], dtype=bool)
        rows = self.evaluation.counts.effective_rows
        return ~np.asarray(is_dependent(dataset, rows) | is_dependent(model, rows))

    def _no_dependence_note(self, noise: Array) -> str:
        if self.reading.by_column[1]:
            return (
                f"{noise.sum()} of {noise.size} columns show no dependence at the 95 % level in "
                "dataset or model: of these the difference of the uncertainty coefficients enters "
                "the mean, not their ratio"
            )
        return (
            "neither dataset nor model shows a dependence at the 95 % level: the value is "
            "the difference of the uncertainty coefficients, not their ratio"
        )

    # The tables of the counts themselves.

    @cached_property
    def _tables(self) -> Tables:
        return self.evaluation.counts.tables(self.model)

    @cached_property
    def _sides(self) -> Sides:
        return self.reading.sides(self._tables)

    @cached_property
    def _in_expectation(self) -> Array:
        """Where flips may be equalised in expectation, of shape (*columns)."""
        return self._may_be_expected(self._sides)

    @cached_property
    def _drawn(self) -> Array:
        """The dataset's tables with flips, one draw for each trial."""
        return self._sides.flipped(generator(self.random_state), self.n_trials)

    @cached_property
    def dataset(self) -> Array:
        """Tables of the dataset as the value compares them: one, or one for each trial."""
        if self.mode is None:
            return self._sides.dataset
        expected = self._sides.expected()
        if self.mode == "expected":
            return expected
        return np.where(self._in_expectation[..., None, None], expected, self._drawn)

    @property
    def _trials_of_sides(self) -> tuple[Array, Array]:
        """Dataset and model, each of shape (trials, *columns, inputs, targets)."""
        return self.dataset.reshape(-1, *self._sides.dataset.shape), self._sides.model[None]

    # Equalising.

    def _may_be_expected(self, sides: Sides) -> Array:
        """Where tables need no drawn flips: (...) for tables of shape (..., inputs, targets)."""
        shape, quality = sides.dataset.shape[:-2], self.quality.name
        if self.equalize != "auto":
            return np.full(shape, self.equalize != "sampled")
        if self.loo or quality == "uncertainty_coefficient":
            return np.zeros(shape, dtype=bool)
        counts = self.evaluation.counts
        if not counts.knows_rows and quality in ("inverse_cross_entropy", *OF_GUESSES):
            return np.ones(shape, dtype=bool)
        unbiased = expected_channel_is_unbiased(
            quality,
            sides.dataset,
            sides.model,
            sides.accuracy,
            self.roles.axis,
            counts.effective_rows,
        )
        return (sides.accuracy >= 1) | unbiased

    # Scores.

    def _target_values(self) -> Array | None:
        """The numbers that the targets stand for, if the quality reads them.

        Raises
        ------
        ValueError
            If a target is not a number.
        """
        if self.quality.name != "inverse_rmse":
            return None
        labels: Any = self.evaluation.counts.labels_of(self.roles.dataset[1])
        if self.reading.by_column[1]:
            labels = (0, 1)
        if not all(isinstance(label, Real) for label in labels):
            raise ValueError(
                f"inverse_rmse needs a numeric target; received the labels {listing(labels)}"
            )
        if self._sides.model.shape[-1] > len(labels):
            raise ValueError("inverse_rmse needs a numeric target; received abstained predictions")
        return np.array(labels, dtype=np.float64)

    def _compare(
        self, dataset: Array, model: Array, values: Array | None, difference: Array | bool
    ) -> dict[str, Array]:
        """The value and both levels of predictability, from tables of any batch shape."""
        if self.loo:
            scores = loo_cross_entropy(dataset), loo_cross_entropy(model)
        else:
            scores = self.quality.score(dataset, values), self.quality.score(model, values)
        # Shares of whole rows are exact; sums of shares, or of weights, are not.
        exact = self.quality.name == "accuracy" and not self.evaluation.counts.weighted
        return compare_scores(self.quality, *scores, difference | self.leakage, exact=exact)

    def _overall(self, dataset: Array, model: Array) -> dict[str, Array]:
        """The value and both levels, averaged over columns."""
        scores = self._compare(dataset, model, self.values, self.difference)
        if not any(self.reading.by_column):
            return scores
        return {name: score.mean(axis=-1) for name, score in scores.items()}

    def scores(self, tables: Tables, reference: Tables | None, rng: Draws) -> dict[str, Array]:
        """The value and both levels; each table with one draw of flips."""
        sides = self.reading.sides(tables)
        flips = self.equalize is not None
        scores = self._overall(sides.flipped(rng) if flips else sides.dataset, sides.model)
        if self.by_group:
            sides = self._pair_reading.sides(tables)
            dataset = sides.flipped(rng) if flips else sides.dataset
            with np.errstate(divide="ignore", invalid="ignore"):  # of groups that do not vary
                difference = self.pair_scores["difference"]
                value = self._compare(dataset, sides.model, _NO_AND_YES, difference)["value"]
            scores["groups"] = mean_over_tasks(np.where(_varies(tables), value, np.nan))
        return scores

    def smooth(self, tables: Tables, reference: Tables | None) -> dict[str, Array]:
        """The value and both levels with flips in expectation."""
        sides = self.reading.sides(tables)
        flips = self.equalize is not None
        return self._overall(sides.expected() if flips else sides.dataset, sides.model)

    def point(self) -> dict[str, Any]:
        """The value and both levels, averaged over trials where flips are drawn."""
        if self.no_value:
            return dict.fromkeys(("value", "psi_dataset", "psi_model"), np.nan)
        scores = self._overall(self.dataset, self._sides.model)
        return {name: float(np.mean(score)) for name, score in scores.items()}

    def trials(self) -> dict[str, Array]:
        """The same of each draw of flips, if flips are drawn."""
        if self.mode != "sampled":
            return {}
        return self._compare(self.dataset, self._sides.model, self.values, self.difference)

    # Intervals.

    @cached_property
    def attack_scores(self) -> AttackScores:
        """The scores of the counts themselves."""
        drawn = self._sides.dataset if self.mode is None else self._drawn
        by_trial = self._overall(drawn, self._sides.model)
        expected = self.smooth(self._tables, None)
        counts = self.evaluation.counts
        rows = counts.unweighted().tables(self.model)
        sides = self.reading.sides(rows)
        alone = [(t == 1).sum(axis=(-2, -1)).mean() for t in (sides.dataset, sides.model)]
        return AttackScores(
            quality=self.quality,
            leakage=self.leakage,
            difference=self.difference,
            n_rows=counts.effective_rows,
            alone=float(max(alone) / rows.total),
            tables=dict(zip(("psi_dataset", "psi_model"), self._trials_of_sides, strict=True)),
            expected={name: float(np.mean(score)) for name, score in expected.items()},
            drawn={name: np.atleast_1d(score) for name, score in by_trial.items()},
        )

    def evidence(self, name: str, value: float) -> Evidence:
        """How sparse the tables are, and where replicates should lie."""
        limits = self.limits("value" if name == "groups" else name)
        return self.attack_scores.evidence(name, value, limits)

    # Pairs.

    @property
    def _pair_reading(self) -> Reading:
        return Reading(self.roles, (True, True), silence=False)

    def pair_labels(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Groups and task labels."""
        return self.evaluation.counts.groups, self.evaluation.counts.labels

    def pairs(self) -> dict[str, Array]:
        """``psi_dataset``, ``psi_model`` and ``value`` of each pair of indicators."""
        return {name: self.pair_scores[name] for name in ("psi_dataset", "psi_model", "value")}

    @cached_property
    def pair_scores(self) -> dict[str, Array]:
        """Scores on every pair of indicators, of shape (groups, tasks).

        Each pair is equalised with the accuracy of its own indicator. A group that all rows or none
        belong to gives NaN. ``difference`` says for which pairs the value is a difference.
        """
        sides = self._pair_reading.sides(self._tables)
        shape = sides.accuracy.shape
        out = {name: np.full(shape, np.nan) for name in ("psi_dataset", "psi_model", "value")}
        out["difference"] = np.zeros(shape, dtype=bool)
        for pairs, dataset in self._pair_trials(sides):
            model = sides.model[pairs]
            difference = self._is_noise(dataset, model[None])
            out["difference"][pairs] = difference
            for name, score in self._compare(dataset, model, _NO_AND_YES, difference).items():
                out[name][pairs] = np.broadcast_to(score, dataset.shape[:2]).mean(axis=0)
        return out

    def _pair_trials(self, sides: Sides) -> Iterator[tuple[tuple[Array, ...], Array]]:
        """Pairs whose group varies, and the dataset's tables (trials, pairs, 2, 2), in blocks."""
        varies = np.broadcast_to(_varies(self._tables), sides.accuracy.shape)
        in_expectation = varies & self._may_be_expected(sides)
        if in_expectation.any():
            dataset = sides.dataset if self.equalize is None else sides.expected()
            yield np.nonzero(in_expectation), dataset[in_expectation][None]
        rng = generator(self.random_state)
        drawn = np.argwhere(varies & ~in_expectation)
        step = max(1, _BLOCK // self.n_trials)
        for start in range(0, len(drawn), step):
            pairs = tuple(drawn[start : start + step].T)
            yield pairs, sides.flipped(rng, self.n_trials, pairs)


def _varies(tables: Tables) -> Array:
    """Whether some rows belong to a group and some do not, of shape (..., groups, 1)."""
    group, total = tables.marginal(Role.ATTRIBUTE), np.asarray(tables.total)[..., None]
    return ((group > 0) & (group < total))[..., None]
