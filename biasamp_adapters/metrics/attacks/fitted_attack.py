"""LA and DPA with an attacker that is fitted on rows, of counts or of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from biasamp_adapters._progress import progress
from biasamp_adapters._roles import ARGUMENTS
from biasamp_adapters._typing import Array, RandomState, generator
from biasamp_adapters.attackers.weights import takes_weights
from biasamp_adapters.inference.rules import Sampling
from biasamp_adapters.metrics.attacks.cross_fit import CrossFit, seed_names
from biasamp_adapters.metrics.attacks.rows import AttackRows, Variable
from biasamp_adapters.metrics.attacks.table_attack import (
    TableAttack,
    below_chance,
    no_dependence,
)
from biasamp_adapters.metrics.attacks.two_way_tables import Roles
from biasamp_adapters.quality import BALANCED, Quality, entropy

#: Folds of the cross-fitting.
FOLDS = 5

#: What a warning says of fits that will take minutes.
_SHORTER = (
    "fewer trials (n_trials), several at once (n_jobs=-1) and a sample of the rows take less time"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
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
    quality : Quality
    equalize : {"auto", "sampled"} or None
    n_trials : int
    random_state : int, Generator or None
    n_jobs : int or None
        Trials that run in parallel.
    """

    rows: AttackRows
    roles: Roles
    attacker: Any
    resubstitution: bool
    quality: Quality
    equalize: str | None
    n_trials: int
    random_state: RandomState
    n_jobs: int | None

    @property
    def sampling(self) -> Sampling:
        """No draws: the attacker would have to be fitted to each."""
        return Sampling(fitted=type(self.attacker).__name__)

    @property
    def evaluation_in_words(self) -> str:
        """What the attacker is scored on."""
        return "on the rows it was fitted on" if self.resubstitution else f"in {FOLDS} folds"

    @cached_property
    def _sides(self) -> tuple[tuple[Variable, Variable], tuple[Variable, Variable]]:
        """Input and target, of the dataset and of the model.

        Raises
        ------
        ValueError
            If the attacker, or the quality, does not suit the targets.
        """
        variables = self.rows.variables
        source, first = (variables[role] for role in self.roles.dataset)
        source_of_model, second = (variables[role] for role in self.roles.model)
        if self.quality.name == "inverse_rmse":
            if first.kind != second.kind:
                first, second = first.as_numbers(), second.as_numbers()
        elif first.kind == "numbers":
            raise ValueError(
                f"{first.argument} holds numbers: a regressor must be the attacker, and "
                "quality='inverse_rmse'; received a classifier"
            )
        if (first.kind, first.columns.shape) != (second.kind, second.columns.shape):
            raise ValueError(
                "an attacker must predict the same from dataset and model; received "
                f"{first.columns.shape[1]} column(s) of {first.kind} in {first.argument} and "
                f"{second.columns.shape[1]} of {second.kind} in {second.argument}"
            )
        return (source, first), (source_of_model, second)

    @cached_property
    def _accuracy(self) -> Array | None:
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
    def _is_random(self) -> bool:
        """Whether trials differ: by flips, folds or seeds."""
        flips_or_folds = self._accuracy is not None or not self.resubstitution
        return flips_or_folds or bool(seed_names(self.attacker))

    @cached_property
    def _scores(self) -> tuple[Array, Array, int]:
        """Scores of dataset and model, (trials, targets) each; how many predictions were clipped.

        Raises
        ------
        ValueError
            If an attacker, a quality or a way to equalise does not suit the variables.
        """
        sides = self._sides
        n_trials = self.n_trials if self._is_random else 1
        generators = generator(self.random_state).spawn(n_trials)
        workers = Parallel(n_jobs=self.n_jobs, return_as="generator")
        trials = workers(delayed(self._trial)(*sides, rng) for rng in generators)
        each = ((1, scores) for scores in trials)
        scored = progress(each, n_trials, "Fitting attackers", _SHORTER)
        dataset, model, clipped = zip(*scored, strict=True)
        return np.array(dataset), np.array(model), sum(clipped)

    @cached_property
    def difference(self) -> Array:
        """For which targets DPA is the difference of the levels: both show no dependence."""
        if self.quality.name != "uncertainty_coefficient" or self.roles.of_leakage:
            return np.asarray(False)
        dataset, model, _ = self._scores
        (source, target), _ = self._sides
        weight = self.rows.weight
        classes = np.stack([weight @ shares for shares in target.targets()])
        n_rows = weight.sum() ** 2 / (weight**2).sum()
        return finds_nothing(dataset, model, classes, n_rows, source.n_inputs)

    @cached_property
    def _by_trial(self) -> dict[str, Array]:
        dataset, model, _ = self._scores
        absolute = self.difference | self.roles.of_leakage
        return self.quality.compare(dataset, model, absolute)

    def point(self) -> dict[str, float]:
        """The value and both levels, averaged over trials and targets."""
        return {name: float(score.mean()) for name, score in self._by_trial.items()}

    def trials(self) -> dict[str, Array]:
        """The same of each trial, of shape (trials, targets), if anything in them is random."""
        return self._by_trial if self._is_random else {}

    def notes(self) -> Iterator[str]:
        """Notes on the value."""
        *_, clipped = self._scores
        flipped = self.rows.variables[self.roles.flipped]
        if self._accuracy is not None:
            yield from below_chance(float(np.min(self._accuracy)), flipped.n_classes)
        elif self.equalize == "auto" and flipped.kind != "numbers":
            yield (
                f"not equalised: {ARGUMENTS[self.roles.flipped.prediction]} holds numbers, which "
                "have no accuracy; labels and probabilities have one"
            )
        if clipped:
            yield (
                f"attackers gave the probability 0 to what was there in {clipped} "
                "prediction(s), of all trials: the log loss of each is clipped at 36"
            )
        if self._favours_large_classes:
            yield (
                f"the fit of {type(self.attacker).__name__} takes no sample_weight, so large "
                "classes are favoured, which lowers its balanced accuracy: choose an attacker "
                "whose fit takes sample_weight"
            )
        yield from no_dependence(self.difference)

    @property
    def _favours_large_classes(self) -> bool:
        """Whether classes that shall weigh the same do not, as the attacker takes no weights."""
        if self.quality.name != BALANCED or takes_weights(self.attacker):
            return False
        targets = self._sides[0][1].targets()
        return any(np.ptp(self.rows.weight @ shares) > 0 for shares in targets)

    def _trial(
        self,
        dataset: tuple[Variable, Variable],
        model: tuple[Variable, Variable],
        rng: np.random.Generator,
    ) -> tuple[Array, Array, int]:
        """Scores of one trial, of shape (targets,) each, and how many predictions were clipped."""
        one_fold = np.zeros(len(self.rows.weight))
        folds = one_fold if self.resubstitution else self.rows.folds(FOLDS, rng)
        variables = [*dataset]
        if self._accuracy is not None:
            axis = self.roles.axis
            variables[axis] = variables[axis].flipped(self._accuracy, rng)
        fit = CrossFit(self.attacker, self.quality, self.rows.weight, folds, rng)
        scores = [np.array(self._attack(fit, *side)) for side in (variables, model)]
        return scores[0], scores[1], fit.n_clipped

    def _attack(self, fit: CrossFit, source: Variable, target: Variable) -> list[float]:
        inputs = source.read
        if self.quality.name == "inverse_rmse":
            return [fit.of_numbers(inputs, *numbers) for numbers in target.numeric_targets()]
        if target.kind == "columns" and self._together:
            return fit.of_columns(inputs, target.columns.astype(np.int64))
        return [fit.of_classes(inputs, shares) for shares in target.targets()]

    @cached_property
    def _together(self) -> bool:
        """Whether the attacker predicts all columns of a matrix at once, of dataset and model.

        The classes of each column have weights of their own where they are to weigh the same.
        """
        if self.quality.name == BALANCED and takes_weights(self.attacker):
            return False
        targets = [target for _, target in self._sides]
        if len(targets[0].columns.T) < 2 or not all(target.hard for target in targets):
            return False
        tags = get_tags(self.attacker)
        return bool(tags.classifier_tags and tags.classifier_tags.multi_label)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedAttack(TableAttack):
    """LA or DPA with a fitted attacker. Pairs are scored by their tables.

    Attributes
    ----------
    experiment : Experiment
    """

    experiment: Experiment

    @property
    def sampling(self) -> Sampling:
        """Those of the experiment."""
        return self.experiment.sampling

    @property
    def _attacker_in_words(self) -> str:
        words = " ".join(repr(self.experiment.attacker).split())
        return f"{words}, scored {self.experiment.evaluation_in_words}"

    def equalised(self) -> Self:
        """The same with the way to equalise, and with notes of the experiment."""
        return replace(
            self,
            mode="sampled" if self.equalize else None,
            notes=(*self.notes, *self.experiment.notes()),
            difference=self.experiment.difference,
        )

    def point(self) -> dict[str, Any]:
        """The value and both levels, averaged over trials."""
        return self.experiment.point()

    def trials(self) -> dict[str, Array]:
        """The same of each trial, of shape (trials, targets), if anything in them is random."""
        return self.experiment.trials()


def finds_nothing(
    dataset: Array, model: Array, classes: Array, n_rows: float, inputs: int
) -> Array:
    """Whether attackers find no dependence in the dataset nor in the model's output.

    Parameters
    ----------
    dataset, model : arrays of shape (trials, targets)
        Uncertainty coefficients.
    classes : array of shape (classes,) or (targets, classes)
        Weight of each class.
    n_rows : float
        Rows of equal weight.
    inputs : int
        Columns that attackers read and that vary freely.
    """
    from scipy.stats import chi2

    g = 2 * n_rows * entropy(classes[..., None, :])
    threshold = chi2.ppf(0.95, inputs * (classes.shape[-1] - 1))
    larger = np.maximum(dataset.mean(axis=0), model.mean(axis=0))
    return np.asarray(larger * g <= threshold)
