"""Fits of an attacker to dataset and model, which all qualities of the same answers score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from biasamp_adapters._progress import progress
from biasamp_adapters._typing import Array, Label, RandomState, generator
from biasamp_adapters.attackers.weights import takes_weights
from biasamp_adapters.counts.rows import compact
from biasamp_adapters.metrics.attacks.attack_rows import AttackRows, Variable, numbers_of_rows
from biasamp_adapters.metrics.attacks.cross_fit import CrossFit, seed_names
from biasamp_adapters.metrics.attacks.target_values import positive_of
from biasamp_adapters.metrics.attacks.two_way_tables import Roles
from biasamp_adapters.quality import BALANCED, OF_NUMBERS, get_quality

#: Folds of the cross-fitting.
FOLDS = 5

#: What a warning says of fits that will take minutes.
_SHORTER = (
    "fewer trials (n_trials), several at once (n_jobs=-1) and a sample of the rows take less time"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Fits:
    """An attacker to be fitted to dataset and model, which share the folds, over several trials.

    Attributes
    ----------
    rows : AttackRows
    roles : Roles
        The input and the target of the attack.
    attacker : estimator
        Cloned for every fit.
    resubstitution : bool
        Whether attackers are scored on the rows they were fitted on, and not cross-fitted.
    qualities : tuple of str
        Those that score the same answers.
    equalize : {"auto", "sampled"} or None
    n_trials : int
    planned : bool
        Whether there are fewer trials than usual because there are many rows.
    random_state : int, Generator or None
    n_jobs : int or None
        Trials that run in parallel.
    pos_label : label or None
        The positive class of a target of labels, for a quality that reads one.
    merges : bool
        Whether equal rows are fitted as one with the sum of their weights. The attacker must learn
        the same from both.
    """

    rows: AttackRows
    roles: Roles
    attacker: Any
    resubstitution: bool
    qualities: tuple[str, ...]
    equalize: str | None
    n_trials: int
    planned: bool
    random_state: RandomState
    n_jobs: int | None
    pos_label: Label | None = None
    merges: bool = False

    @cached_property
    def sides(self) -> tuple[tuple[Variable, Variable], tuple[Variable, Variable]]:
        """Input and target, of the dataset and of the model.

        Raises
        ------
        ValueError
            If the attacker, or the quality, does not suit the targets.
        """
        variables = self.rows.variables
        source, first = (variables[role] for role in self.roles.dataset)
        source_of_model, second = (variables[role] for role in self.roles.model)
        if self._of_numbers:
            if first.kind != second.kind:
                quality = self.qualities[0]
                first, second = first.as_numbers(quality), second.as_numbers(quality)
        elif first.kind == "numbers":
            raise ValueError(
                f"{first.argument} holds numbers: a regressor must be the attacker, and "
                "quality='inverse_rmse' or 'inverse_mse'; received a classifier"
            )
        if (first.kind, first.columns.shape) != (second.kind, second.columns.shape):
            raise ValueError(
                "an attacker must predict the same from dataset and model; received "
                f"{first.columns.shape[1]} column(s) of {first.kind} in {first.argument} and "
                f"{second.columns.shape[1]} of {second.kind} in {second.argument}"
            )
        return (source, first), (source_of_model, second)

    @property
    def _of_numbers(self) -> bool:
        return self.qualities[0] in OF_NUMBERS

    @cached_property
    def _positive(self) -> int | None:
        """The position of the positive class, for a quality that reads one; None for each class."""
        if get_quality(self.qualities[0]).reads != "positive":
            return None
        (_, target), _ = self.sides
        return positive_of(target.labels, self.pos_label)

    @cached_property
    def accuracy(self) -> Array | None:
        """Accuracy of the model on the variable to flip; None to leave the dataset as it is.

        Raises
        ------
        ValueError
            If the truth is to be made as wrong as numbers, which have no accuracy.
        """
        flipped, variables = self.roles.flipped, self.rows.variables
        if self.equalize is None:
            return None
        accuracy = variables[flipped].accuracy(variables[flipped.prediction], self.rows.weight)
        if accuracy is None and self.equalize == "sampled":
            raise ValueError(
                "numbers have no accuracy to equalise: equalize must be None or 'auto' where they "
                "err, or predict what does; received 'sampled'"
            )
        return accuracy

    @property
    def is_random(self) -> bool:
        """Whether trials differ: by flips, folds or seeds."""
        flips_or_folds = self.accuracy is not None or not self.resubstitution
        return flips_or_folds or bool(seed_names(self.attacker))

    @cached_property
    def scores(self) -> tuple[Array, Array, int]:
        """Scores of dataset and model, and how many predictions were clipped.

        The scores have the shape (trials, targets, qualities).

        Raises
        ------
        ValueError
            If an attacker, a quality or a way to equalise does not suit the variables.
        """
        sides = self.sides
        n_trials = self.n_trials if self.is_random else 1
        generators = generator(self.random_state).spawn(n_trials)
        workers = Parallel(n_jobs=self.n_jobs, return_as="generator")
        trials = workers(delayed(self._trial)(*sides, rng) for rng in generators)
        weighted = ((1, scores) for scores in trials)
        scored = progress(weighted, n_trials, "Fitting attackers", _SHORTER)
        dataset, model, clipped = zip(*scored, strict=True)
        return np.array(dataset), np.array(model), sum(clipped)

    def _trial(
        self,
        dataset: tuple[Variable, Variable],
        model: tuple[Variable, Variable],
        rng: np.random.Generator,
    ) -> tuple[Array, Array, int]:
        """Scores of one trial, (targets, qualities) each, and how many predictions were clipped."""
        one_fold = np.zeros(len(self.rows.weight))
        folds = one_fold if self.resubstitution else self.rows.folds(FOLDS, rng)
        variables = [*dataset]
        if self.accuracy is not None:
            axis = self.roles.axis
            variables[axis] = variables[axis].flipped(self.accuracy, rng)
        fit = CrossFit(self.attacker, self.qualities, self.rows.weight, folds, rng, self._positive)
        sides = zip((variables, model), self._alike, strict=True)
        scores = [np.array(self._attack(fit, *side)) for side in sides]
        return scores[0], scores[1], fit.n_clipped

    @cached_property
    def _alike(self) -> tuple[Array | None, Array | None]:
        """Numbers of the distinct inputs of dataset and model; None where rows are not merged."""
        (dataset, _), (model, _) = self.sides
        of_model = numbers_of_rows(model.read) if self.merges else None
        if dataset is model:
            return of_model, of_model
        # Inputs that are flipped differ in every trial, and few of them are equal.
        merges = self.merges and self.accuracy is None
        return numbers_of_rows(dataset.read) if merges else None, of_model

    def _attack(
        self, fit: CrossFit, side: Sequence[Variable], alike: Array | None
    ) -> list[list[float]]:
        source, target = side
        inputs = source.read
        if self._of_numbers:
            targets = target.numeric_targets(self.qualities[0])
            return [fit.of_numbers(inputs, *numbers) for numbers in targets]
        if target.kind == "columns" and self._together:
            return fit.of_columns(inputs, target.columns.astype(np.int64))
        inputs = compact(inputs) if self._sparse and inputs.dtype.kind == "i" else inputs
        return [fit.of_classes(inputs, shares, alike) for shares in target.targets()]

    @cached_property
    def _sparse(self) -> bool:
        """Whether the attacker learns the same, and faster, from a sparse matrix of few ones."""
        return self.merges and bool(get_tags(self.attacker).input_tags.sparse)

    @cached_property
    def _together(self) -> bool:
        """Whether the attacker predicts all columns of a matrix at once, of dataset and model.

        The classes of each column have weights of their own where they are to weigh the same.
        """
        if BALANCED in self.qualities and takes_weights(self.attacker):
            return False
        targets = [target for _, target in self.sides]
        if len(targets[0].columns.T) < 2 or not all(target.hard for target in targets):
            return False
        tags = get_tags(self.attacker)
        return bool(tags.classifier_tags and tags.classifier_tags.multi_label)
