"""LA and DPA with the exact attacker: the table of input against target is the attacker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np

from biasamp_adapters._typing import Array, Label, RandomState, generator, seed_of
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.tables import JointTables, Tables
from biasamp_adapters.metrics.bound import T_TO_A, Bound
from biasamp_adapters.metrics.equalize import accuracy_of, flip, flip_table, scaled_flips
from biasamp_adapters.metrics.pairs import group_means, indicator_attacks
from biasamp_adapters.metrics.sparse import expected_channel_is_unbiased
from biasamp_adapters.metrics.trust import Trust
from biasamp_adapters.quality import OF_GUESSES, Quality, is_dependent, loo_cross_entropy
from biasamp_adapters.uncertainty import Interval, IntervalMethod

#: Rounded scores that differ by less than this share of them are equal.
_ROUNDING = 1e-12


class Roles(NamedTuple):
    """The variables of an attack: input and target in the dataset and in the model's output."""

    dataset: tuple[str, str]
    model: tuple[str, str]
    flipped: str

    @property
    def axis(self) -> int:
        """The axis of the dataset's table whose labels are made as wrong as the model."""
        return self.dataset.index(self.flipped) - 2

    @classmethod
    def of(cls, direction: str, leakage: bool) -> Self:
        """Who predicts whom."""
        if leakage:
            return cls(("task", "attribute"), ("prediction", "attribute"), "task")
        if direction == T_TO_A:
            return cls(("task", "attribute"), ("task", "attribute_prediction"), "attribute")
        return cls(("attribute", "task"), ("attribute", "prediction"), "task")


@dataclass(frozen=True, eq=False, kw_only=True)
class ExactAttack(Bound):
    """LA or DPA, bound to counts.

    Attributes
    ----------
    leakage : bool
        LA, the difference of qualities, or DPA, their relative change.
    quality : Quality
    equalize : {"auto", "expected", "sampled"} or None
        As asked for.
    loo : bool
        Whether the log loss is that of leave-one-out.
    n_trials : int
    random_state : int, Generator or None
    mode : {"expected", "sampled"} or None
        How the value is equalised.
    difference : bool
        Whether DPA is given as a difference because its ratio would be one of noise.
    """

    leakage: bool
    quality: Quality
    equalize: str | None
    loo: bool
    n_trials: int
    random_state: RandomState
    mode: str | None = None
    difference: Array | bool = False

    @cached_property
    def roles(self) -> Roles:
        """Who predicts whom."""
        return Roles.of(self.direction, self.leakage)

    @cached_property
    def _tables(self) -> Tables:
        return self.evaluation.counts.tables(self.model)

    @property
    def no_interval(self) -> str | None:
        if self.evaluation.counts.no_draws:
            return self.evaluation.counts.no_draws
        if self.equalize is not None and not self.evaluation.counts.knows_rows:
            return "its flips need rows, and these counts hold only sums of weights"
        if self.loo:
            return "a resampled row may be there twice, and then leaving one out leaves one in"
        return None

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
        return "exact, scored " + ("by leave-one-out" if self.loo else "on the table that it is")

    @property
    def width(self) -> int:
        counts = self.evaluation.counts
        sizes = [counts.n_labels(role) for role in self.roles.dataset]
        return 4 * sizes[0] * sizes[1]

    @classmethod
    def of(cls, **arguments: Any) -> Self:
        """Bind, choose how to equalise, and note what the choice means."""
        bound = cls(**arguments)
        bound._check_target()
        notes = list(bound._accuracy_notes())
        counts = bound.evaluation.counts
        mode = bound.equalize
        if mode == "auto":
            mode = "expected" if bound._channel.all() else "sampled"
            if mode == "expected" and not counts.knows_rows:
                notes.append(
                    "equalised in expectation, which may be biased on sparse tables: sampled flips "
                    "need rows, and these counts hold only sums of weights"
                )
        if mode == "sampled" and not counts.knows_rows:
            raise ValueError(
                "sampled flips need rows; received counts with only sums of weights (joint counts "
                "keep rows with by_weight=True)"
            )
        if bound.loo and counts.weighted:
            raise ValueError("leave-one-out needs unweighted rows; received weights")
        bound = replace(bound, mode=mode)
        if bound.quality.name == "uncertainty_coefficient" and not bound.leakage:
            noise = bound._is_noise()
            if noise.any():
                bound = replace(bound, difference=noise)
                notes.append(bound._noise_note(noise))
        return replace(bound, notes=tuple(notes))

    def _is_noise(self) -> Array:
        """Whether neither the dataset nor the model shows a dependence."""
        rows = self.evaluation.counts.effective_rows
        dataset = self.dataset.reshape(-1, *self.plain(self._tables).shape)
        model = self.of_model(self._tables)[None]
        return ~np.asarray(is_dependent(dataset, rows) | is_dependent(model, rows))

    def _noise_note(self, noise: Array) -> str:
        return (
            "neither dataset nor model shows a dependence at the 95 % level: the value is "
            "the difference of the uncertainty coefficients, not their ratio"
        )

    @cached_property
    def _trust(self) -> Trust:
        return Trust(self)

    def settled(
        self,
        name: str,
        value: float,
        replicates: Array,
        method: IntervalMethod = "percentile",
    ) -> tuple[Array, str | None]:
        """Replicates moved to where the score lies, or why they say nothing of it."""
        return self._trust.settled(name, value, replicates)

    def settled_group(self, value: float, replicates: Array) -> tuple[Array, str | None]:
        return self._trust.settled_group(value, replicates)

    def margin(self, name: str) -> tuple[float, float]:
        return self._trust.margin(name)

    def limits(self, name: str) -> Interval:
        """The range of DPA is [-1, 1]; that of a level or of LA depends on the quality."""
        if name == "value" and not (self.leakage and self.quality.inverse):
            return -1.0, 1.0
        return (0.0, np.inf) if name.startswith("psi") else (-np.inf, np.inf)

    def noise(self, name: str) -> float:
        """How far a score averaged over drawn flips may be from what it estimates."""
        return self._trust.noise(name)

    @property
    def _channel_allowed(self) -> bool:
        return self.quality.name in ("inverse_cross_entropy", *OF_GUESSES) and not self.loo

    def _check_target(self) -> None:
        if self.quality.name == "inverse_rmse":
            labels = self._target_labels
            if not all(isinstance(label, Real) for label in labels):
                raise ValueError(
                    f"inverse_rmse needs a numeric target; received the labels {listing(labels)}"
                )
            if self.of_model(self._tables).shape[-1] > len(labels):
                raise ValueError(
                    "inverse_rmse needs a numeric target; received abstained predictions"
                )

    def _accuracy_notes(self) -> Iterator[str]:
        if self.equalize is None:
            return
        accuracy = float(self.accuracy_in(self._tables).min())
        yield from self.below_chance(accuracy, self.plain(self._tables).shape[self.roles.axis])

    @staticmethod
    def below_chance(accuracy: float, classes: int) -> Iterator[str]:
        """What to say of a model that is wrong more often than chance."""
        if accuracy < (1 - 1e-12) / classes:
            yield (
                f"the model's accuracy of {accuracy:.3f} is below 1/{classes}: labels made as "
                "wrong carry information again, so the dataset's side is not a fair baseline"
            )

    @property
    def _target_labels(self) -> tuple[Label, ...]:
        return self.evaluation.counts.labels_of(self.roles.dataset[1])

    @cached_property
    def _values(self) -> Array | None:
        if self.quality.name != "inverse_rmse":
            return None
        return np.array(self._target_labels, dtype=np.float64)

    def accuracy_in(self, tables: Tables) -> Array:
        """Accuracy of the model on the variable that is flipped, of shape (...)."""
        return accuracy_of(tables, self.roles.flipped)

    def plain(self, tables: Tables) -> Array:
        """Input against true target, of shape (..., inputs, targets)."""
        return tables.joint(*self.roles.dataset)

    def of_model(self, tables: Tables) -> Array:
        """Input against target as the model has them, of shape (..., inputs, targets)."""
        return tables.joint(*self.roles.model, abstained=True)

    def _flipped(
        self, tables: Tables, accuracy: Array, rng: np.random.Generator, trials: int | None = None
    ) -> Array:
        if isinstance(tables, JointTables):
            return flip(tables, self.roles.dataset, self.roles.axis, accuracy, rng, trials)
        rows = np.rint(self.plain(tables)).astype(np.int64)
        repeated = rows if trials is None else np.broadcast_to(rows, (trials, *rows.shape))
        return flip_table(repeated, self.roles.axis, accuracy, rng)

    @cached_property
    def _channel(self) -> Array:
        """Where the channel may stand for drawn flips."""
        tables = self._tables
        return self.uses_channel(
            self.plain(tables), self.of_model(tables), self.accuracy_in(tables)
        )

    @cached_property
    def dataset(self) -> Array:
        """Tables of the dataset as the value compares them: one, or one a trial."""
        plain, accuracy = self.plain(self._tables), self.accuracy_in(self._tables)
        if self.mode is None:
            return plain
        smooth = scaled_flips(plain, accuracy, self.roles.axis)
        if self.mode == "expected":
            return smooth
        rng = generator(self.random_state)
        drawn = self._flipped(self._tables, accuracy, rng, self.n_trials)
        return np.where(self._channel[..., None, None], smooth, drawn)

    def uses_channel(self, dataset: Array, model: Array, accuracy: Array) -> Array:
        """Where tables need no drawn flips: (...) for tables of shape (..., inputs, targets)."""
        shape = dataset.shape[:-2]
        if self.equalize != "auto":
            return np.full(shape, self.equalize != "sampled")
        if self.loo or self.quality.name == "uncertainty_coefficient":
            return np.zeros(shape, dtype=bool)
        if not self.evaluation.counts.knows_rows and self._channel_allowed:
            return np.ones(shape, dtype=bool)
        rows = self.evaluation.counts.effective_rows
        return (accuracy >= 1) | expected_channel_is_unbiased(
            self.quality.name, dataset, model, accuracy, self.roles.axis, rows
        )

    def compare(
        self, dataset: Array, model: Array, values: Array | None, difference: Array | bool
    ) -> dict[str, Array]:
        """The value and both levels of predictability, from tables of any batch shape.

        ``difference`` says where DPA is the difference of the levels instead of a ratio.
        """
        if self.loo:
            scores = loo_cross_entropy(dataset), loo_cross_entropy(model)
        else:
            scores = self.quality.score(dataset, values), self.quality.score(model, values)
        return self.compare_scores(*scores, difference)

    def compare_scores(
        self, dataset: Array, model: Array, difference: Array | bool
    ) -> dict[str, Array]:
        """The value and both levels from the scores of the attacker, or its losses."""
        if self.quality.name != "accuracy" or self.evaluation.counts.weighted:
            # Shares of whole rows are exact; sums of shares, or of weights, are not.
            near = np.abs(model - dataset) <= _ROUNDING * np.maximum(np.abs(model), np.abs(dataset))
            model = np.where(near, dataset, model)
        return self.quality.compare(dataset, model, difference | self.leakage)

    def overall(self, scores: dict[str, Array]) -> dict[str, Array]:
        """The scores of the attack as a whole."""
        return scores

    def scores(
        self, tables: Tables, reference: Tables | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """The value and both levels; each table with one draw of flips."""
        if self.equalize is None:
            dataset = self.plain(tables)
        else:
            dataset = self._flipped(tables, self.accuracy_in(tables), rng)
        scores = self.compare(dataset, self.of_model(tables), self._values, self.difference)
        scores = self.overall(scores)
        if self.by_group:
            scores["groups"] = group_means(self, tables, rng)
        return scores

    def smooth(self, tables: Tables, reference: Tables | None) -> dict[str, Array]:
        """The value and both levels with flips in expectation."""
        dataset = self.plain(tables)
        if self.equalize is not None:
            dataset = scaled_flips(dataset, self.accuracy_in(tables), self.roles.axis)
        return self.overall(
            self.compare(dataset, self.of_model(tables), self._values, self.difference)
        )

    def point(self) -> dict[str, Any]:
        """The value and both levels, averaged over trials where flips are drawn."""
        model = self.of_model(self._tables)
        scores = self.compare(self.dataset, model, self._values, self.difference)
        return {name: float(np.mean(score)) for name, score in self.overall(scores).items()}

    def trials(self) -> dict[str, Array]:
        """The same of each draw of flips, if flips are drawn."""
        if self.mode != "sampled":
            return {}
        return self.compare(
            self.dataset, self.of_model(self._tables), self._values, self.difference
        )

    def by_drawn_flips(self) -> dict[str, Array]:
        """The scores by drawn flips, one a trial, whichever way the value is equalised."""
        drawn = self
        if self.mode is not None and self._channel.any():
            drawn = replace(self, mode="sampled", equalize="sampled")
        model = self.of_model(self._tables)
        scores = self.compare(drawn.dataset, model, self._values, self.difference)
        return {name: np.atleast_1d(score) for name, score in self.overall(scores).items()}

    def pairs(self) -> dict[str, Array]:
        """``psi_dataset``, ``psi_model`` and ``value`` of each pair of indicators."""
        return {name: self.pair_scores[name] for name in ("psi_dataset", "psi_model", "value")}

    @cached_property
    def pair_scores(self) -> dict[str, Array]:
        """The same, and for which pairs the value is a difference."""
        return indicator_attacks(self)

    def pair_labels(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Groups and task labels."""
        return self.evaluation.counts.groups, self.evaluation.counts.labels
