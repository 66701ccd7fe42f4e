"""LA and DPA with an attacker that is fitted on rows.

Counts of labels, and those of matrices that have kept their distinct rows, hold the rows again,
in an order of their own: the value does not depend on the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.metrics.columns import PairsAttack
from biasamp_adapters.metrics.equalize import accuracy_of, accuracy_with_silence
from biasamp_adapters.metrics.rows import RowsOfCounts
from biasamp_adapters.quality import entropy
from biasamp_adapters.reference import ARGUMENTS

if TYPE_CHECKING:
    from biasamp_adapters.metrics.experiment import Experiment, Scores

NOISE = (
    "neither dataset nor model shows a dependence at the 95 % level: the difference of the "
    "uncertainty coefficients is given, not their ratio"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedAttack(PairsAttack):
    """LA or DPA with a fitted attacker. Pairs are scored exactly.

    Attributes
    ----------
    attacker : estimator
    chosen : bool
        Whether it takes the place of the exact attacker, which cannot read a matrix.
    resubstitution : bool
        Whether the attacker is scored on the rows it was fitted on, and not cross-fitted.
    n_jobs : int or None
        Trials that run side by side.
    """

    attacker: Any
    chosen: bool = False
    resubstitution: bool = False
    n_jobs: int | None = None

    @property
    def _reason(self) -> str:
        return no_interval(self.attacker)

    def _accuracy_notes(self) -> Iterator[str]:
        if self.chosen:
            from biasamp_adapters.metrics.experiment import FOLDS

            how = "on the rows it was fitted on" if self.resubstitution else f"in {FOLDS} folds"
            yield (
                f"{ARGUMENTS[self.roles.dataset[0]]} is a matrix, which the exact attacker cannot "
                f"read: the value is that of a logistic regression, scored {how}"
            )
        if self.mode is not None:
            classes = 2 if self._by_column else self.evaluation.counts.n_labels(self.roles.flipped)
            yield from self.below_chance(float(np.min(self._accuracy)), classes)

    @property
    def _attacker_in_words(self) -> str:
        from biasamp_adapters.metrics.experiment import FOLDS

        how = "on the rows it was fitted on" if self.resubstitution else f"in {FOLDS} folds"
        return f"{' '.join(repr(self.attacker).split())}, scored {how}"

    @property
    def _by_column(self) -> bool:
        """Whether the variable that errs is a matrix."""
        return self.evaluation.counts.is_matrix(self.roles.flipped)

    @cached_property
    def _accuracy(self) -> Array:
        of = accuracy_with_silence if self._by_column else accuracy_of
        return of(self._tables, self.roles.flipped)

    @cached_property
    def _experiment(self) -> Experiment:
        from biasamp_adapters.metrics.experiment import Experiment

        read = {*self.roles.dataset, *self.roles.model}
        rows = RowsOfCounts(self.evaluation.counts, self.model, read)
        as_numbers = self.quality.name == "inverse_rmse"
        sides = []
        for source, target in (self.roles.dataset, self.roles.model):
            predicted = rows.numbers(target) if as_numbers else rows.variable(target)
            sides.append((rows.variable(source), predicted))
        return Experiment(
            attacker=self.attacker,
            quality=self.quality,
            dataset=sides[0],
            model=sides[1],
            flipped=None if self.mode is None else self.roles.axis + 2,
            accuracy=self._accuracy,
            weight=rows.weight,
            resubstitution=self.resubstitution,
        )

    @cached_property
    def _scored(self) -> Scores:
        return self._experiment.scores(self.n_trials, self.random_state, self.n_jobs)

    @classmethod
    def of(cls, **arguments: Any) -> Self:
        """Bind, fit, and note what the value is."""
        bound = cls(**arguments)
        bound = replace(bound, mode=None if bound.equalize is None else "sampled")
        scored, notes = bound._scored, list(bound._accuracy_notes())
        noise: Array | bool = False
        if scored.clipped:
            notes.append(clipped_note(scored.clipped))
        if bound.quality.name == "uncertainty_coefficient" and not bound.leakage:
            noise = bound._is_noise()
            if noise.any():
                notes.append(NOISE)
        made = replace(bound, difference=noise, notes=tuple(notes))
        made.__dict__["_scored"] = scored
        return made

    def _is_noise(self) -> Array:
        counts = self.evaluation.counts
        target = self._tables.marginal(self.roles.dataset[1])
        by_column = counts.is_matrix(self.roles.dataset[1])
        classes = np.stack([self._tables.total - target, target], -1) if by_column else target
        inputs = self._experiment.dataset[0].n_inputs
        return finds_nothing(self._scored, classes, counts.effective_rows, inputs)

    def point(self) -> dict[str, Any]:
        """The value and both levels, averaged over trials."""
        return {name: float(score.mean()) for name, score in self._compared().items()}

    def trials(self) -> dict[str, Array]:
        """The same of each trial, of shape (trials, targets), if anything in them is random."""
        return self._compared() if self._scored.random else {}

    def _compared(self) -> dict[str, Array]:
        return self.compare_scores(self._scored.dataset, self._scored.model, self.difference)


def finds_nothing(scored: Scores, classes: Array, n_rows: float, inputs: int) -> Array:
    """Whether attackers find no dependence in the dataset nor in the model's output.

    Parameters
    ----------
    scored : Scores
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
    return np.maximum(scored.dataset.mean(axis=0), scored.model.mean(axis=0)) * g <= threshold


def no_interval(attacker: Any) -> str:
    """Why a fitted attacker allows no interval."""
    return (
        f"the attacker is a fitted {type(attacker).__name__}, which is not fitted again on "
        "replicates; by_trial has the spread over flips, folds and fits"
    )


def clipped_note(clipped: int) -> str:
    """What probabilities of 0 did to a log loss."""
    return (
        f"attackers gave the probability 0 to what was there in {clipped} prediction(s), of all "
        "trials: the log loss of each is clipped at 36"
    )
