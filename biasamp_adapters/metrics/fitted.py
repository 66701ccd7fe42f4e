"""LA and DPA from a matrix as input: an attacker that is fitted on rows.

The table of all columns of a matrix would have a cell a row, so it is no attacker. A logistic
regression, cross-fitted, takes its place; dataset and model share the folds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from biasamp_adapters._progress import progress
from biasamp_adapters._typing import Array, generator
from biasamp_adapters.counts.layout import SILENT
from biasamp_adapters.counts.matrix_counts import MatrixCounts
from biasamp_adapters.metrics.columns import PairsAttack
from biasamp_adapters.metrics.equalize import accuracy_of, accuracy_with_silence
from biasamp_adapters.quality import entropy
from biasamp_adapters.reference import ARGUMENTS

#: Folds of the cross-fitting.
FOLDS = 5

NOISE = (
    "neither dataset nor model shows a dependence at the 95 % level: the difference of the "
    "uncertainty coefficients is given, not their ratio"
)


class Target(NamedTuple):
    """What an attacker predicts: one variable, or a column of a matrix.

    A row that a model predicts with a probability is there once for each label, with that share.
    """

    row: Array
    label: Array
    share: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedAttack(PairsAttack):
    """LA or DPA with a logistic regression as attacker, on the rows that counts have kept.

    Attributes
    ----------
    resubstitution : bool
        Whether the attacker is scored on the rows it was fitted on, and not cross-fitted.
    """

    resubstitution: bool = False

    @property
    def _reason(self) -> str:
        return "the attacker is a logistic regression, which is not fitted again on replicates"

    def _accuracy_notes(self) -> Iterator[str]:
        how = "on the rows it was fitted on" if self.resubstitution else f"in {FOLDS} folds"
        yield (
            f"{ARGUMENTS[self.roles.dataset[0]]} is a matrix, which the exact attacker cannot "
            f"read: the value is that of a logistic regression, scored {how}"
        )

    @cached_property
    def _counts(self) -> MatrixCounts:
        counts = self.evaluation.counts
        if not isinstance(counts, MatrixCounts) or counts.rows is None:
            raise ValueError("a fitted attacker needs rows; received counts without them")
        return counts

    @cached_property
    def _row(self) -> Array:
        """The distinct row that each row of the data is."""
        rows = self._counts.rows
        return np.empty(0) if rows is None else np.repeat(np.arange(len(rows.n)), rows.n)

    @cached_property
    def _weight(self) -> Array:
        rows = self._counts.rows
        unit = None if rows is None else rows.unit
        return np.ones(len(self._row)) if unit is None else unit[self._row]

    def _read(self, block: slice) -> Array:
        rows = self._counts.rows
        if rows is None:
            raise ValueError("a fitted attacker needs rows; received counts without them")
        return rows.dense(slice(None), block).astype(np.float64)[self._row]

    def _columns(self, role: str) -> Array:
        """A variable of every row, of shape (rows, labels)."""
        counts = self._counts
        return self._read(counts.layout.in_base(counts.axis(role, self.model)))

    def _silent(self, role: str) -> Array:
        """Where the model predicted nothing, of shape (rows, 1); no column if it always did."""
        if role not in SILENT or not self._counts.abstentions(role, self.model):
            return np.zeros((len(self._row), 0))
        layout = self._counts.layout
        mark = layout.blocks[SILENT[role], self.model]
        return self._read(slice(mark.start - layout.base.start, mark.stop - layout.base.start))

    def _flipped_columns(self, rng: np.random.Generator) -> Array:
        """The true variable that errs, with errors as frequent as the model's; silence is one."""
        truth = self._columns(self.roles.flipped)
        if self.equalize is None:
            return truth
        if self._counts.is_matrix(self.roles.flipped):
            accuracy = accuracy_with_silence(self._tables, self.roles.flipped)
            return np.abs(truth - (rng.random(truth.shape) >= accuracy))
        wrong = rng.random(len(truth)) >= accuracy_of(self._tables, self.roles.flipped)
        own = truth.argmax(axis=1)
        moved = (own + rng.integers(1, max(truth.shape[1], 2), len(own))) % truth.shape[1]
        return np.eye(truth.shape[1])[np.where(wrong, moved, own)]

    @cached_property
    def _scored(self) -> tuple[Array, Array]:
        """Scores on the dataset, of shape (trials, columns), and on the model's output."""
        rng = generator(self.random_state)
        folds = rng.integers(FOLDS, size=len(self._row))
        source, target = self.roles.model
        read = np.hstack([self._columns(source), self._silent(source)])
        model = self._score(read, self._columns(target), self._silent(target), folds)
        trials = self.n_trials if self.equalize is not None else 1
        datasets = []
        for _ in progress(((1, i) for i in range(trials)), trials, "Fitting attackers"):
            flipped = self._flipped_columns(rng)
            inputs, truth = (
                flipped if role == self.roles.flipped else self._columns(role)
                for role in self.roles.dataset
            )
            datasets.append(self._score(inputs, truth, np.zeros((len(truth), 0)), folds))
        return np.array(datasets), model

    @classmethod
    def of(cls, **arguments: Any) -> Self:
        """Bind, fit, and note what the value is."""
        bound = super().of(**arguments)
        if bound.quality.name == "uncertainty_coefficient" and not bound.leakage:
            noise = bound._is_noise()
            if noise.any():
                scored = bound._scored
                bound = replace(bound, difference=noise, notes=(*bound.notes, NOISE))
                bound.__dict__["_scored"] = scored
        return bound

    def _is_noise(self) -> Array:
        """Whether the attacker finds no dependence in the dataset nor in the model's output."""
        from scipy.stats import chi2

        datasets, model = self._scored
        target = self._tables.marginal(self.roles.dataset[1])
        total = self._tables.total
        by_column = self._counts.is_matrix(self.roles.dataset[1])
        classes = np.stack([total - target, target], axis=-1) if by_column else target
        g = 2 * self._counts.effective_rows * entropy(classes[..., None, :])
        inputs = self._counts.n_labels(self.roles.dataset[0])
        threshold = chi2.ppf(0.95, inputs * (classes.shape[-1] - 1))
        return np.maximum(datasets.mean(axis=0), model) * g <= threshold

    def point(self) -> dict[str, Any]:
        """The value and both levels, averaged over trials of flips."""
        datasets, model = self._scored
        scores = self.compare_scores(datasets, model[None], self.difference)
        return {name: float(score.mean()) for name, score in scores.items()}

    def _score(self, inputs: Array, target: Array, silent: Array, folds: Array) -> Array:
        """Scores of the attacker: of each column of a matrix, or of one variable, (columns,).

        Silence is one more class.
        """
        targets = [np.hstack([target, silent])]
        if self._counts.is_matrix(self.roles.dataset[1]):
            spoken = 1 - silent.sum(axis=1)
            targets = [np.column_stack([spoken - column, column, silent]) for column in target.T]
        return np.array([self._attack(inputs, as_target(each), folds) for each in targets])

    def _attack(self, inputs: Array, target: Target, folds: Array) -> float:
        from biasamp_adapters.metrics.scoring import score_probabilities

        weight = self._weight[target.row] * target.share
        classes = int(target.label.max()) + 1
        chances = np.zeros((len(target.row), classes))
        every = np.ones(len(target.row), dtype=bool)
        parts = [every] if self.resubstitution else [folds[target.row] == k for k in range(FOLDS)]
        for held_out in parts:
            known = every if self.resubstitution else ~held_out
            if held_out.any():
                chances[held_out] = fitted_chances(
                    inputs[target.row[known]],
                    target.label[known],
                    weight[known],
                    inputs[target.row[held_out]],
                    classes,
                )
        return score_probabilities(self.quality.name, target.label, chances, weight)


def as_target(columns: Array) -> Target:
    """The labels of rows, from the share of each label in each row."""
    row, label = np.nonzero(columns)
    return Target(row, label, columns[row, label])


def fitted_chances(inputs: Array, label: Array, weight: Array, asked: Array, classes: int) -> Array:
    """Probabilities of the classes for rows that are asked for, from an attacker fitted on others.

    A class that the attacker saw no row of gets half a row: it cannot be ruled out.
    """
    from sklearn.linear_model import LogisticRegression

    present = np.unique(label)
    chances = np.full((len(asked), classes), 0.5 / (len(label) + 1))
    if len(present) == 1:
        chances[:, present] = 1
    else:
        attacker = LogisticRegression(max_iter=1000)
        chances[:, present] = attacker.fit(inputs, label, weight).predict_proba(asked)
    return chances / chances.sum(axis=1, keepdims=True)
