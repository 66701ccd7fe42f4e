"""Attackers that are fitted: flips, folds, fits and scores, on variables of every row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from biasamp_adapters._progress import progress
from biasamp_adapters._typing import Array, RandomState, generator
from biasamp_adapters.metrics.fitting import CrossFit, seed_names
from biasamp_adapters.quality import Quality

#: Folds of the cross-fitting.
FOLDS = 5


class Variable(NamedTuple):
    """A variable of every row, as an attacker reads or predicts it.

    Attributes
    ----------
    kind : {"label", "columns", "numbers"}
        One label a row; columns that are each a variable of two classes; or numbers.
    columns : array of shape (rows, k)
        Indicators of the labels, or of each column, probabilities allowed; or the numbers.
    silent : array of shape (rows, 0 or 1)
        Where the model predicted nothing; no column where it always did.
    values : array of shape (classes,) or None
        The numbers that classes stand for, to be predicted by a regressor.
    """

    kind: Literal["label", "columns", "numbers"]
    columns: Array
    silent: Array
    values: Array | None = None

    @property
    def read(self) -> Array:
        """What an attacker sees of it, of shape (rows, columns)."""
        return np.hstack([self.columns, self.silent])

    @property
    def n_inputs(self) -> int:
        """Columns that vary freely: of labels that are there, all but one."""
        there = int((self.columns != 0).any(axis=0).sum())
        return max(there - 1, 1) if self.kind == "label" else there

    @property
    def hard(self) -> bool:
        """Whether there is neither a probability nor a silence."""
        return self.silent.size == 0 and bool(np.isin(self.columns, (0, 1)).all())

    @property
    def n_classes(self) -> int:
        """Classes of the label, or of each column."""
        return 2 if self.kind == "columns" else len(self.columns.T)

    def targets(self) -> Iterator[Array]:
        """What an attacker predicts, one after the other: shares of classes, (rows, classes)."""
        if self.kind == "label":
            yield self.read
            return
        spoken = 1 - self.silent.sum(axis=1)
        for column in self.columns.T:
            yield np.column_stack([spoken - column, column, self.silent])

    def as_numbers(self) -> Variable:
        """Columns of numbers, of classes the mean of those they stand for."""
        if self.kind != "label" or self.values is None:
            return self._replace(kind="numbers")
        return self._replace(kind="numbers", columns=self.columns @ self.values[:, None])

    def flipped(self, accuracy: Array, rng: np.random.Generator) -> Variable:
        """The same with errors at random: of each column, or to another label."""
        if self.kind == "columns":
            wrong = rng.random(self.columns.shape) >= accuracy
            return self._replace(columns=np.abs(self.columns - wrong))
        n_rows, n_labels = self.columns.shape
        own = self.columns.argmax(axis=1)
        moved = (own + rng.integers(1, max(n_labels, 2), n_rows)) % n_labels
        wrong = rng.random(n_rows) >= accuracy
        return self._replace(columns=np.eye(n_labels)[np.where(wrong, moved, own)])


class Scores(NamedTuple):
    """Scores of attackers, or their losses.

    Attributes
    ----------
    dataset, model : arrays of shape (trials, targets)
    clipped : int
        Predictions that gave what was there the probability 0.
    random : bool
        Whether anything in a trial was drawn.
    """

    dataset: Array
    model: Array
    clipped: int
    random: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """Two attacks to compare, repeated over trials; in each, dataset and model share the folds.

    Attributes
    ----------
    attacker : estimator
        Cloned for every fit.
    quality : Quality
    dataset, model : (Variable, Variable)
        Input and target.
    flipped : int or None
        Which of the two in the dataset is made as wrong as the model.
    accuracy : array or None
        Of the model on the variable that errs, or on each of its columns; None of numbers.
    weight : array of shape (rows,)
        Above 0: rows without weight are left out beforehand.
    resubstitution : bool
        Whether attackers are scored on the rows that they were fitted on.
    """

    attacker: Any
    quality: Quality
    dataset: tuple[Variable, Variable]
    model: tuple[Variable, Variable]
    flipped: int | None
    accuracy: Array | None
    weight: Array
    resubstitution: bool

    def scores(self, n_trials: int, random_state: RandomState, n_jobs: int | None) -> Scores:
        """Scores of ``n_trials`` trials, or of one where nothing in a trial is random."""
        fixed = self.flipped is None and self.resubstitution and not seed_names(self.attacker)
        generators = generator(random_state).spawn(1 if fixed else n_trials)
        trials = ((1, scores) for scores in self._run(generators, n_jobs))
        found = progress(trials, len(generators), "Fitting attackers")
        datasets, models, clipped = zip(*found, strict=True)
        return Scores(np.array(datasets), np.array(models), sum(clipped), not fixed)

    def _run(self, generators: list[np.random.Generator], n_jobs: int | None) -> Iterator[Any]:
        if n_jobs in (None, 1):
            yield from map(self.trial, generators)
            return
        workers = Parallel(n_jobs=n_jobs, return_as="generator")
        yield from workers(delayed(self.trial)(rng) for rng in generators)

    def trial(self, rng: np.random.Generator) -> tuple[Array, Array, int]:
        """Scores of one trial, of shape (targets,) each, and how many predictions were clipped."""
        n_rows = len(self.weight)
        folds = np.zeros(n_rows) if self.resubstitution else rng.permutation(n_rows) % FOLDS
        dataset = list(self.dataset)
        if self.flipped is not None and self.accuracy is not None:
            dataset[self.flipped] = dataset[self.flipped].flipped(self.accuracy, rng)
        fit = CrossFit(self.attacker, self.weight, folds, rng)
        sides = [self._attack(fit, *each) for each in (dataset, self.model)]
        (of_dataset, first), (of_model, second) = sides
        return of_dataset, of_model, first + second

    def _attack(self, fit: CrossFit, source: Variable, target: Variable) -> tuple[Array, int]:
        inputs = source.read
        if target.kind == "numbers":
            return np.array([fit.of_numbers(inputs, column) for column in target.columns.T]), 0
        if target.values is not None:
            every = target.targets()
            return np.array([fit.of_values(inputs, each, target.values) for each in every]), 0
        if target.kind == "columns" and self._together:
            parts = fit.of_columns(self.quality, inputs, target.columns.astype(np.int64))
        else:
            parts = [fit.of_classes(self.quality, inputs, shares) for shares in target.targets()]
        values, clipped = zip(*parts, strict=True)
        return np.array(values), sum(clipped)

    @cached_property
    def _together(self) -> bool:
        """Whether the attacker predicts all columns of a matrix at once, of dataset and model."""
        targets = self.dataset[1], self.model[1]
        if len(targets[0].columns.T) < 2 or not all(target.hard for target in targets):
            return False
        tags = get_tags(self.attacker)
        return bool(tags.classifier_tags and tags.classifier_tags.multi_label)
