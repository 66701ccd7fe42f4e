"""LA and DPA with an attacker that is fitted on rows, of counts or of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from biasamp_adapters._progress import progress
from biasamp_adapters._typing import Array, RandomState, generator
from biasamp_adapters.inference.estimates import Estimate, Replicated
from biasamp_adapters.inference.rules import SAMPLING_RULES, Sampling, first_reason
from biasamp_adapters.metrics.attacks.cross_fit import CrossFit, seed_names
from biasamp_adapters.metrics.attacks.rows import AttackRows, Variable
from biasamp_adapters.metrics.attacks.table_attack import (
    TableAttack,
    below_chance,
    compare_scores,
)
from biasamp_adapters.metrics.attacks.two_way_tables import Roles
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.quality import Quality, entropy

#: Folds of the cross-fitting.
FOLDS = 5


class Compared(NamedTuple):
    """What fitted attackers make of dataset and model.

    Attributes
    ----------
    means : mapping of score to float
        The value and both levels, averaged over trials and targets.
    trials : mapping of score to array of shape (trials, targets)
        The same of each trial; empty if nothing in them is random.
    difference : array of bool
        For which targets DPA is the difference of the levels, because both show no dependence.
    notes : tuple of str
    """

    means: dict[str, float]
    trials: dict[str, Array]
    difference: Array
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """An attacker to be fitted to dataset and model, which share the folds, over several trials.

    Attributes
    ----------
    rows : AttackRows
    attacker : estimator
        Cloned for every fit.
    resubstitution : bool
        Whether attackers are scored on the rows they were fitted on, and not cross-fitted.
    quality : Quality
    leakage : bool
        LA, the difference of qualities, or DPA, their relative change.
    direction : str
    equalize : {"auto", "sampled"} or None
    n_trials : int
    random_state : int, Generator or None
    n_jobs : int or None
        Trials that run side by side.
    """

    rows: AttackRows
    attacker: Any
    resubstitution: bool
    quality: Quality
    leakage: bool
    direction: str
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
    def _roles(self) -> Roles:
        return Roles.of(self.direction, self.leakage)

    @cached_property
    def _sides(self) -> tuple[tuple[Variable, Variable], tuple[Variable, Variable]]:
        """Input and target, of the dataset and of the model.

        Raises
        ------
        ValueError
            If the attacker, or the quality, does not suit the targets.
        """
        sources, targets = zip(self._roles.dataset, self._roles.model, strict=True)
        inputs = [self.rows.variables[role] for role in sources]
        first, second = (self.rows.variables[role] for role in targets)
        if self.quality.name == "inverse_rmse":
            first, second = first.with_values(), second.with_values()
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
        return (inputs[0], first), (inputs[1], second)

    @cached_property
    def _accuracy(self) -> Array | None:
        """Of the model on the variable to flip; None to leave the dataset as it is."""
        flipped, variables = self._roles.flipped, self.rows.variables
        if self.equalize is None:
            return None
        return variables[flipped].accuracy(variables[flipped.prediction], self.rows.weight)

    def _accuracy_notes(self) -> Iterator[str]:
        """What to say of truth that cannot, or should not, be made as wrong as the model.

        Raises
        ------
        ValueError
            If that is asked for, and there is no accuracy.
        """
        flipped = self.rows.variables[self._roles.flipped]
        prediction = self.rows.variables[self._roles.flipped.prediction]
        if self._accuracy is not None:
            yield from below_chance(float(np.min(self._accuracy)), flipped.n_classes)
        elif self.equalize == "sampled":
            raise ValueError(
                "numbers have no accuracy to equalise: equalize must be None or 'auto' where they "
                "err, or predict what does; received 'sampled'"
            )
        elif self.equalize == "auto" and flipped.kind != "numbers":
            yield (
                f"not equalised: {prediction.argument} holds numbers, which have no accuracy; "
                "labels and probabilities have one"
            )

    def compare(self) -> Compared:
        """Fit the attacker to dataset and model in every trial, and compare its scores.

        Raises
        ------
        ValueError
            If an attacker, a quality or a way to equalise does not suit the variables.
        """
        (source, target), _ = self._sides
        notes = [*self._accuracy_notes()]
        fixed = self._accuracy is None and self.resubstitution and not seed_names(self.attacker)
        generators = generator(self.random_state).spawn(1 if fixed else self.n_trials)
        trials = ((1, scores) for scores in self._run(generators))
        scored = progress(trials, len(generators), "Fitting attackers")
        datasets, models, clipped = zip(*scored, strict=True)
        dataset, model = np.array(datasets), np.array(models)
        if sum(clipped):
            notes.append(
                f"attackers gave the probability 0 to what was there in {sum(clipped)} "
                "prediction(s), of all trials: the log loss of each is clipped at 36"
            )
        difference = np.asarray(False)
        if self.quality.name == "uncertainty_coefficient" and not self.leakage:
            weight = self.rows.weight
            classes = np.stack([weight @ shares for shares in target.targets()])
            n_rows = weight.sum() ** 2 / (weight**2).sum()
            difference = finds_nothing(dataset, model, classes, n_rows, source.n_inputs)
            if difference.any():
                notes.append(
                    "neither dataset nor model shows a dependence at the 95 % level: the "
                    "difference of the uncertainty coefficients is given, not their ratio"
                )
        absolute = difference | self.leakage
        by_trial = compare_scores(self.quality, dataset, model, absolute, exact=False)
        means = {name: float(score.mean()) for name, score in by_trial.items()}
        return Compared(means, {} if fixed else by_trial, difference, tuple(notes))

    def _run(self, generators: list[np.random.Generator]) -> Iterator[Any]:
        if self.n_jobs in (None, 1):
            yield from map(self.trial, generators)
            return
        workers = Parallel(n_jobs=self.n_jobs, return_as="generator")
        yield from workers(delayed(self.trial)(rng) for rng in generators)

    def trial(self, rng: np.random.Generator) -> tuple[Array, Array, int]:
        """Scores of one trial, of shape (targets,) each, and how many predictions were clipped."""
        n_rows = len(self.rows.weight)
        folds = np.zeros(n_rows) if self.resubstitution else rng.permutation(n_rows) % FOLDS
        dataset, model = [*self._sides[0]], self._sides[1]
        if self._accuracy is not None:
            flipped = dataset[self._roles.axis]
            dataset[self._roles.axis] = flipped.flipped(self._accuracy, rng)
        fit = CrossFit(self.attacker, self.rows.weight, folds, rng)
        dataset_scores, first = self._attack(fit, *dataset)
        model_scores, second = self._attack(fit, *model)
        return dataset_scores, model_scores, first + second

    def _attack(self, fit: CrossFit, source: Variable, target: Variable) -> tuple[Array, int]:
        inputs = source.read
        if target.kind == "numbers":
            numbers = target.columns.T[..., None]
            parts = [fit.of_numbers(inputs, np.ones_like(x), x) for x in numbers]
        elif target.values is not None:
            parts = [fit.of_numbers(inputs, t, target.values) for t in target.targets()]
        elif target.kind == "columns" and self._together:
            parts = fit.of_columns(self.quality, inputs, target.columns.astype(np.int64))
        else:
            parts = [fit.of_classes(self.quality, inputs, shares) for shares in target.targets()]
        scores, clipped = zip(*parts, strict=True)
        return np.array(scores), sum(clipped)

    @cached_property
    def _together(self) -> bool:
        """Whether the attacker predicts all columns of a matrix at once, of dataset and model."""
        targets = [target for _, target in self._sides]
        if len(targets[0].columns.T) < 2 or not all(target.hard for target in targets):
            return False
        tags = get_tags(self.attacker)
        return bool(tags.classifier_tags and tags.classifier_tags.multi_label)

    def result(self, metric: str) -> AmplificationResult:
        """The result for rows that no counts hold, which has no table of pairs."""
        compared, reason = self.compare(), first_reason(SAMPLING_RULES, self.sampling)
        levels = {name: Estimate(mean) for name, mean in compared.means.items() if name != "value"}
        return AmplificationResult(
            metric=metric,
            direction=self.direction,
            value=compared.means["value"],
            n=self.rows.n_rows,
            levels=levels,
            notes=compared.notes,
            trials=compared.trials,
            replicated=Replicated(compared.means["value"], None, reason),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedAttack(TableAttack):
    """LA or DPA with a fitted attacker. Pairs are scored by their tables.

    Attributes
    ----------
    experiment : Experiment
    compared : Compared
        Its outcome.
    """

    experiment: Experiment
    compared: Compared

    @classmethod
    def of(cls, experiment: Experiment, notes: tuple[str, ...] = (), **arguments: Any) -> Self:
        """Fit the attacker, and bind what it found.

        Parameters
        ----------
        experiment : Experiment
        notes : tuple of str
            Caveats that come first.
        **arguments
            Those of :class:`TableAttack`.
        """
        compared = experiment.compare()
        return cls(
            **arguments,
            mode=None if experiment.equalize is None else "sampled",
            notes=(*notes, *compared.notes),
            difference=compared.difference,
            experiment=experiment,
            compared=compared,
        )

    @property
    def sampling(self) -> Sampling:
        """No draws: the attacker would have to be fitted to each."""
        return self.experiment.sampling

    @property
    def _attacker_in_words(self) -> str:
        words = " ".join(repr(self.experiment.attacker).split())
        return f"{words}, scored {self.experiment.evaluation_in_words}"

    def point(self) -> dict[str, Any]:
        """The value and both levels, averaged over trials."""
        return self.compared.means

    def trials(self) -> dict[str, Array]:
        """The same of each trial, of shape (trials, targets), if anything in them is random."""
        return self.compared.trials


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
