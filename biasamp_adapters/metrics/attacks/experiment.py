"""Attackers that are fitted: flips, folds, fits and scores, repeated over trials."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from biasamp_adapters._progress import progress
from biasamp_adapters._typing import Array, RandomState, generator
from biasamp_adapters.metrics.attacks.cross_fit import CrossFit, seed_names
from biasamp_adapters.metrics.attacks.rows import Variable
from biasamp_adapters.quality import Quality


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
    flipped : {-2, -1}
        Which of the two in the dataset is made as wrong as the model.
    accuracy : array or None
        Of the model on this variable, or on each of its columns; None to leave it as it is.
    weight : array of shape (rows,)
        Above 0: rows without weight are left out beforehand.
    folds : int
        With one fold, attackers are scored on the rows that they were fitted on.
    """

    attacker: Any
    quality: Quality
    dataset: tuple[Variable, Variable]
    model: tuple[Variable, Variable]
    flipped: int
    accuracy: Array | None
    weight: Array
    folds: int

    def scores(self, n_trials: int, random_state: RandomState, n_jobs: int | None) -> Scores:
        """Scores of ``n_trials`` trials, or of one where nothing in a trial is random."""
        fixed = self.accuracy is None and self.folds == 1 and not seed_names(self.attacker)
        generators = generator(random_state).spawn(1 if fixed else n_trials)
        trials = ((1, scores) for scores in self._run(generators, n_jobs))
        scored = progress(trials, len(generators), "Fitting attackers")
        datasets, models, clipped = zip(*scored, strict=True)
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
        folds = np.zeros(n_rows) if self.folds == 1 else rng.permutation(n_rows) % self.folds
        dataset = list(self.dataset)
        if self.accuracy is not None:
            dataset[self.flipped] = dataset[self.flipped].flipped(self.accuracy, rng)
        fit = CrossFit(self.attacker, self.weight, folds, rng)
        dataset_scores, first = self._attack(fit, *dataset)
        model_scores, second = self._attack(fit, *self.model)
        return dataset_scores, model_scores, first + second

    def _attack(self, fit: CrossFit, source: Variable, target: Variable) -> tuple[Array, int]:
        inputs = source.read
        if target.kind == "numbers":
            return np.array([fit.of_numbers(inputs, column) for column in target.columns.T]), 0
        if target.values is not None:
            values = target.values
            return np.array([fit.of_values(inputs, t, values) for t in target.targets()]), 0
        if target.kind == "columns" and self._together:
            parts = fit.of_columns(self.quality, inputs, target.columns.astype(np.int64))
        else:
            parts = [fit.of_classes(self.quality, inputs, shares) for shares in target.targets()]
        scores, clipped = zip(*parts, strict=True)
        return np.array(scores), sum(clipped)

    @cached_property
    def _together(self) -> bool:
        """Whether the attacker predicts all columns of a matrix at once, of dataset and model."""
        targets = self.dataset[1], self.model[1]
        if len(targets[0].columns.T) < 2 or not all(target.hard for target in targets):
            return False
        tags = get_tags(self.attacker)
        return bool(tags.classifier_tags and tags.classifier_tags.multi_label)
