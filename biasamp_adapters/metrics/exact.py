"""LA and DPA with the exact attacker: the table of input against target is the attacker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np

from biasamp_adapters._typing import Array, Label, RandomState, generator
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.metrics.bound import T_TO_A, Bound
from biasamp_adapters.metrics.equalize import (
    accuracy_of,
    clear_winners,
    expected_flips,
    flip,
    predicted_bias,
)
from biasamp_adapters.metrics.pairs import indicator_attacks
from biasamp_adapters.quality import Quality, cross_entropy, is_dependent, loo_cross_entropy

#: The expected channel is used for log loss up to this predicted bias (docs: predictability).
_MAX_BIAS = 0.0005


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


def expected_channel_is_unbiased(
    quality: str, table: Array, model: Array, accuracy: Array, axis: int, n_rows: float
) -> Array:
    """Whether the expected channel may stand for sampled flips (docs: predictability).

    Parameters
    ----------
    quality : str
    table, model : arrays of shape (..., inputs, targets)
        Dataset and model.
    accuracy : array of shape (...)
    axis : {-2, -1}
        The axis of ``table`` that is flipped.
    n_rows : float
        Rows of equal weight that the table is worth.

    Returns
    -------
    ndarray of bool, shape (...)
    """
    flipped = expected_flips(table, accuracy, axis)
    if quality == "inverse_cross_entropy":
        bias = predicted_bias(table, flipped, accuracy, axis, np.asarray(n_rows))
        return bias <= _MAX_BIAS * (cross_entropy(flipped) + cross_entropy(model))
    if quality == "accuracy":
        return clear_winners(flipped, n_rows / table.sum(axis=(-2, -1)))
    return np.zeros(table.shape[:-2], dtype=bool)


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
        """Why these counts allow no interval, if they do not."""
        if self.evaluation.counts.no_draws:
            return self.evaluation.counts.no_draws
        if self.equalize is not None and not self.evaluation.counts.knows_rows:
            return "its flips need rows, and these counts hold only sums of weights"
        if self.loo:
            return "a resampled row may be there twice, and then leaving one out leaves one in"
        return None

    @property
    def width(self) -> int:
        """Numbers that one replicate takes."""
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
                "sampled flips need rows; received counts with only sums of weights (count with "
                "by_weight=True)"
            )
        if bound.loo and counts.weighted:
            raise ValueError("leave-one-out needs unweighted rows; received weights")
        bound = replace(bound, mode=mode)
        if bound.quality.name == "uncertainty_coefficient" and not bound.leakage:
            difference = bound._is_noise()
            if difference.any():
                bound = replace(bound, difference=difference)
                notes.append(bound._noise_note())
        return replace(bound, notes=tuple(notes))

    def _is_noise(self) -> Array:
        """Whether neither the dataset nor the model shows a dependence."""
        rows = self.evaluation.counts.effective_rows
        model = self._model(self._tables)
        dataset = self._dataset.reshape(-1, *self._plain(self._tables).shape)
        return ~np.asarray(is_dependent(dataset, rows) | is_dependent(model[None], rows))

    def _noise_note(self) -> str:
        return (
            "neither dataset nor model shows a dependence at the 95 % level: the value is "
            "the difference of the uncertainty coefficients, not their ratio"
        )

    @property
    def _channel_allowed(self) -> bool:
        return self.quality.name in ("inverse_cross_entropy", "accuracy") and not self.loo

    def _check_target(self) -> None:
        if self.quality.name == "inverse_rmse":
            labels = self._target_labels
            if not all(isinstance(label, Real) for label in labels):
                raise ValueError(
                    f"inverse_rmse needs a numeric target; received the labels {listing(labels)}"
                )
            if self._model(self._tables).shape[-1] > len(labels):
                raise ValueError(
                    "inverse_rmse needs a numeric target; received abstained predictions"
                )

    def _accuracy_notes(self) -> Iterator[str]:
        if self.equalize is None:
            return
        accuracy = float(self._accuracy(self._tables).min())
        classes = self._plain(self._tables).shape[self.roles.axis]
        if accuracy < (1 - 1e-12) / classes:
            yield (
                f"the model's accuracy of {accuracy:.3f} is below 1/{classes}: labels made as "
                "wrong carry information again, so the dataset's side is not a fair baseline"
            )

    @property
    def _target_labels(self) -> tuple[Label, ...]:
        counts = self.evaluation.counts
        return counts.groups if self.roles.dataset[1] == "attribute" else counts.labels

    @cached_property
    def _values(self) -> Array | None:
        if self.quality.name != "inverse_rmse":
            return None
        return np.array(self._target_labels, dtype=np.float64)

    def _accuracy(self, tables: Tables) -> Array:
        return accuracy_of(tables, self.roles.flipped)

    def _plain(self, tables: Tables) -> Array:
        return tables.joint(*self.roles.dataset)

    def _model(self, tables: Tables) -> Array:
        return tables.joint(*self.roles.model, abstained=True)

    def _flipped(
        self, tables: Tables, accuracy: Array, rng: np.random.Generator, trials: int | None = None
    ) -> Array:
        return flip(tables, self.roles.dataset, self.roles.axis, accuracy, rng, trials)

    @cached_property
    def _channel(self) -> Array:
        """Where the channel may stand for drawn flips."""
        tables = self._tables
        return self.uses_channel(self._plain(tables), self._model(tables), self._accuracy(tables))

    @cached_property
    def _dataset(self) -> Array:
        """Tables of the dataset as the value compares them: one, or one a trial."""
        plain, accuracy = self._plain(self._tables), self._accuracy(self._tables)
        if self.mode is None:
            return plain
        smooth = expected_flips(plain, accuracy, self.roles.axis)
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
        scores = dataset, model
        value = self.quality.absolute_change(*scores)
        if not self.leakage:
            value = np.where(difference, value, self.quality.relative_change(*scores))
        psi_dataset, psi_model = map(self.quality.level, scores)
        return {"value": value, "psi_dataset": psi_dataset, "psi_model": psi_model}

    def overall(self, scores: dict[str, Array]) -> dict[str, Array]:
        """The scores of the attack as a whole."""
        return scores

    def scores(
        self, tables: Tables, reference: Tables | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """The value and both levels; each table with one draw of flips."""
        if self.equalize is None:
            dataset = self._plain(tables)
        else:
            dataset = self._flipped(tables, self._accuracy(tables), rng)
        scores = self.compare(dataset, self._model(tables), self._values, self.difference)
        return self.overall(scores)

    def point(self) -> dict[str, Any]:
        """The value and both levels, averaged over trials where flips are drawn."""
        model = self._model(self._tables)
        scores = self.compare(self._dataset, model, self._values, self.difference)
        return {name: float(np.mean(score)) for name, score in self.overall(scores).items()}

    def pairs(self) -> dict[str, Array]:
        """``psi_dataset``, ``psi_model`` and ``value`` of each pair of indicators."""
        return indicator_attacks(self)

    def pair_labels(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Groups and task labels."""
        return self.evaluation.counts.groups, self.evaluation.counts.labels
