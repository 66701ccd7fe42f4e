"""LA and DPA with an attacker that is fitted on rows, of counts or of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from biasamp_adapters._typing import Array, RandomState
from biasamp_adapters.metrics.attacks.rows import AttackRows, Variable, rows_of_counts
from biasamp_adapters.metrics.attacks.table_attack import (
    TableAttack,
    below_chance,
    compare_scores,
)
from biasamp_adapters.metrics.attacks.two_way_tables import Roles
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.quality import Quality, entropy
from biasamp_adapters.reference import ARGUMENTS
from biasamp_adapters.uncertainty import Estimate

if TYPE_CHECKING:
    from biasamp_adapters.metrics.attacks.experiment import Scores

#: Folds of the cross-fitting.
FOLDS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackerFit:
    """How an attacker is fitted, and what its success is worth.

    Attributes
    ----------
    attacker : estimator
    resubstitution : bool
        Whether the attacker is scored on the rows it was fitted on, and not cross-fitted.
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

    attacker: Any
    resubstitution: bool = False
    quality: Quality
    leakage: bool
    direction: str
    equalize: str | None
    n_trials: int
    random_state: RandomState
    n_jobs: int | None = None

    @property
    def no_interval(self) -> str:
        """Why a fitted attacker allows no interval."""
        return (
            f"the attacker is a fitted {type(self.attacker).__name__}, which is not fitted again "
            "on replicates; by_trial has the spread over flips, folds and fits"
        )

    @property
    def evaluation_in_words(self) -> str:
        """What the attacker is scored on."""
        return "on the rows it was fitted on" if self.resubstitution else f"in {FOLDS} folds"

    def compare(self, rows: AttackRows) -> Compared:
        """Fit the attacker to dataset and model, and compare its scores.

        Raises
        ------
        ValueError
            If an attacker, a quality or a way to equalise does not suit the variables.
        """
        from biasamp_adapters.metrics.attacks.experiment import Experiment

        roles = Roles.of(self.direction, self.leakage)
        dataset, model = self._sides(rows, roles)
        flipped, prediction = (
            rows.variables[role] for role in (roles.flipped, roles.flipped.prediction)
        )
        accuracy = None
        if self.equalize is not None:
            accuracy = flipped.accuracy(prediction, rows.weight)
        notes = [*self._accuracy_notes(flipped, prediction, accuracy)]
        experiment = Experiment(
            attacker=self.attacker,
            quality=self.quality,
            dataset=dataset,
            model=model,
            flipped=roles.axis,
            accuracy=accuracy,
            weight=rows.weight,
            folds=1 if self.resubstitution else FOLDS,
        )
        scores = experiment.scores(self.n_trials, self.random_state, self.n_jobs)
        if scores.clipped:
            notes.append(
                f"attackers gave the probability 0 to what was there in {scores.clipped} "
                "prediction(s), of all trials: the log loss of each is clipped at 36"
            )
        difference = np.asarray(False)
        if self.quality.name == "uncertainty_coefficient" and not self.leakage:
            source, target = dataset
            classes = np.stack([rows.weight @ shares for shares in target.targets()])
            n_rows = rows.weight.sum() ** 2 / (rows.weight**2).sum()
            difference = finds_nothing(scores, classes, n_rows, source.n_inputs)
            if difference.any():
                notes.append(
                    "neither dataset nor model shows a dependence at the 95 % level: the "
                    "difference of the uncertainty coefficients is given, not their ratio"
                )
        trials = compare_scores(
            self.quality, scores.dataset, scores.model, difference | self.leakage, exact=False
        )
        return Compared(trials, scores.random, difference, tuple(notes))

    def _sides(
        self, rows: AttackRows, roles: Roles
    ) -> tuple[tuple[Variable, Variable], tuple[Variable, Variable]]:
        """Input and target, of the dataset and of the model, as the attacker reads them."""
        sources, targets = zip(roles.dataset, roles.model, strict=True)
        inputs = [rows.variables[role] for role in sources]
        first, second = (rows.variables[role] for role in targets)
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

    def _accuracy_notes(
        self, flipped: Variable, prediction: Variable, accuracy: Array | None
    ) -> Iterator[str]:
        """What to say of truth that cannot, or should not, be made as wrong as the model.

        Raises
        ------
        ValueError
            If that is asked for, and there is no accuracy.
        """
        if accuracy is not None:
            yield from below_chance(float(np.min(accuracy)), flipped.n_classes)
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

    def result(self, rows: AttackRows, metric: str) -> AmplificationResult:
        """The result for rows that no counts hold, which has no table of pairs."""
        compared = self.compare(rows)
        means = compared.means
        return AmplificationResult(
            metric=metric,
            direction=self.direction,
            value=means.pop("value"),
            n=rows.n_rows,
            levels={name: Estimate(level) for name, level in means.items()},
            notes=compared.notes,
            trials=compared.shown_trials,
        )


class Compared(NamedTuple):
    """What a fitted attacker makes of dataset and model.

    Attributes
    ----------
    trials : mapping of score to array of shape (trials, targets)
        The value and both levels.
    random : bool
        Whether anything in a trial was drawn.
    difference : array of bool
        For which targets DPA is the difference of the levels, because both show no dependence.
    notes : tuple of str
    """

    trials: dict[str, Array]
    random: bool
    difference: Array
    notes: tuple[str, ...]

    @property
    def means(self) -> dict[str, float]:
        """The value and both levels, averaged over trials and targets."""
        return {name: float(score.mean()) for name, score in self.trials.items()}

    @property
    def shown_trials(self) -> dict[str, Array]:
        """The scores of each trial, if trials differ."""
        return self.trials if self.random else {}


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedAttack(TableAttack):
    """LA or DPA with a fitted attacker. Pairs are scored by their tables.

    Attributes
    ----------
    fit : AttackerFit
    compared : Compared
    """

    fit: AttackerFit
    compared: Compared

    @classmethod
    def of_rows(cls, fit: AttackerFit, *, chosen: bool = False, **arguments: Any) -> Self:
        """Fit the attacker on the rows of counts.

        Parameters
        ----------
        fit : AttackerFit
        chosen : bool
            Whether it takes the place of the exact attacker, which cannot read a matrix.
        **arguments
            Those of :class:`TableAttack`.
        """
        roles, counts = Roles.of(fit.direction, fit.leakage), arguments["evaluation"].counts
        read = {*roles.dataset, *roles.model}
        compared = fit.compare(rows_of_counts(counts, arguments["model"], read))
        notes = compared.notes
        if chosen:
            notes = (
                f"{ARGUMENTS[roles.dataset[0]]} is a matrix, which the exact attacker cannot "
                "read: the value is that of a logistic regression, scored "
                f"{fit.evaluation_in_words}",
                *notes,
            )
        mode = None if fit.equalize is None else "sampled"
        return cls(
            **arguments,
            mode=mode,
            notes=notes,
            difference=compared.difference,
            fit=fit,
            compared=compared,
        )

    @property
    def no_interval(self) -> str:
        return self.fit.no_interval

    @property
    def _attacker_in_words(self) -> str:
        words = " ".join(repr(self.fit.attacker).split())
        return f"{words}, scored {self.fit.evaluation_in_words}"

    def point(self) -> dict[str, Any]:
        """The value and both levels, averaged over trials."""
        return self.compared.means

    def trials(self) -> dict[str, Array]:
        """The same of each trial, of shape (trials, targets), if anything in them is random."""
        return self.compared.shown_trials


def finds_nothing(scores: Scores, classes: Array, n_rows: float, inputs: int) -> Array:
    """Whether attackers find no dependence in the dataset nor in the model's output.

    Parameters
    ----------
    scores : Scores
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
    return np.asarray(
        np.maximum(scores.dataset.mean(axis=0), scores.model.mean(axis=0)) * g <= threshold
    )
