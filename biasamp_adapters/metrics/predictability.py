"""Directional predictability amplification, DPA, and what it shares with leakage."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

import numpy as np

from biasamp_adapters._typing import RandomState, generator, is_whole
from biasamp_adapters.metrics.attack import attack
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.bound import Bound, arrow, require
from biasamp_adapters.quality import get_quality
from biasamp_adapters.reference import Evaluation

Equalize: TypeAlias = Literal["auto", "expected", "sampled"] | None
Evaluate: TypeAlias = Literal["auto", "resubstitution", "loo"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PredictabilityMetric(Metric):
    """A metric of how well an attacker predicts one variable from another.

    Parameters
    ----------
    attacker : "exact"
        The contingency table itself: closed form, no seed, no training.
    quality : str
        What the attacker's success is worth, one of ``quality_names()``.
    equalize : {"auto", "expected", "sampled"} or None
        How the truth is made as wrong as the model: in expectation, by drawn flips, by whichever
        is unbiased for this table, or not at all.
    evaluation : {"auto", "resubstitution", "loo"}
        Score the attacker on the rows it knows ("auto"), or by leave-one-out (log loss only).
    n_trials : int
        Draws of flips that a value averages over.
    random_state : int or numpy.random.Generator, optional
        Of the flips. None is the fixed seed 0.
    """

    attacker: Literal["exact"] = "exact"
    quality: str = "inverse_cross_entropy"
    equalize: Equalize = "auto"
    evaluation: Evaluate = "auto"
    n_trials: int = 100
    random_state: RandomState = None

    def __post_init__(self) -> None:
        super().__post_init__()
        get_quality(self.quality)
        if isinstance(self.random_state, np.random.Generator):
            # A number, so that every call of this metric draws the same flips.
            self._set("random_state", int(self.random_state.integers(2**32)))
        generator(self.random_state)
        for name, allowed in (
            ("attacker", ("exact",)),
            ("equalize", ("auto", "expected", "sampled", None)),
            ("evaluation", ("auto", "resubstitution", "loo")),
        ):
            if getattr(self, name) not in allowed:
                raise ValueError(
                    f"{name} must be one of {list(allowed)}; received {getattr(self, name)!r}"
                )
        if not (is_whole(self.n_trials) and self.n_trials >= 1):
            raise ValueError(
                f"n_trials must be a whole number of at least 1; received {self.n_trials!r}"
            )
        if self.evaluation == "loo":
            if self.quality != "inverse_cross_entropy":
                raise ValueError(
                    "evaluation='loo' is for quality='inverse_cross_entropy' only; "
                    f"received {self.quality!r}"
                )
            if self.equalize == "expected":
                raise ValueError(
                    "evaluation='loo' needs rows, so equalize='sampled', 'auto' or None; "
                    "received 'expected'"
                )
        if self.quality == "uncertainty_coefficient" and self.equalize == "expected":
            raise ValueError(
                "uncertainty_coefficient near 0 makes a ratio of noise under the expected channel: "
                "equalize must be 'sampled', 'auto' or None; received 'expected'"
            )

    @property
    def _reads_rows(self) -> bool:
        return True

    @property
    def _title(self) -> str:
        """The class name, with the quality where it is not the default one."""
        usual = {field.name: field.default for field in fields(self)}["quality"]
        name = type(self).__qualname__
        return name if self.quality == usual else f"{name} ({self.quality})"

    def _attack(self, evaluation: Evaluation, model: str, direction: str, leakage: bool) -> Bound:
        require(evaluation, model, direction)
        return attack(
            evaluation_rule=self.evaluation,
            metric=self._title,
            direction=direction,
            evaluation=evaluation,
            model=model,
            leakage=leakage,
            quality=get_quality(self.quality),
            equalize=self.equalize,
            loo=self.evaluation == "loo",
            n_trials=self.n_trials,
            random_state=self.random_state,
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DirectionalPredictabilityAmplification(PredictabilityMetric):
    """How much better the attribute predicts the model's task than the true one, or the reverse.

    DPA = (Psi_M - Psi_D) / (Psi_M + Psi_D), where Psi is the quality of the best attacker:

    - A->T: Psi_D predicts the true task from the attribute, Psi_M the predicted task;
    - T->A: Psi_D predicts the true attribute from the task, Psi_M the predicted attribute.

    The truth is first made as wrong as the model, so that mistakes alone do not look like less
    bias. Range [-1, 1], without a unit; 0 is no amplification and worse is positive; 0/0 is 0.

    Parameters
    ----------
    direction : {"attribute_to_task", "task_to_attribute"}
        Also "A->T" and "T->A". T->A needs ``sensitive_features_pred``.
    attacker, quality, equalize, evaluation, n_trials, random_state
        See :class:`~biasamp_adapters.LeakageAmplification`.
    labels, groups, missing
        As in every metric: explicit label lists and the rule for missing values.

    Notes
    -----
    Accuracy and 1/cross-entropy also reward skewed predictions: a model that always says "no"
    gets +1. ``quality="uncertainty_coefficient"`` does not; where neither dataset nor model shows
    a dependence, its ratio would be noise, so the difference U_M - U_D is given, with a warning.

    References
    ----------
    Tokas, Nair and Kerner, "DPA", 2025, Eq. 1-6.

    Examples
    --------
    Half of each group is positive, so the attribute tells nothing: log 2 is the cross-entropy. The
    model is right in 90 of 100 rows; its predictions are less even.

    >>> from biasamp_adapters import DirectionalPredictabilityAmplification
    >>> group = ["a"] * 50 + ["b"] * 50
    >>> y_true = ([1] * 25 + [0] * 25) * 2
    >>> y_pred = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> metric = DirectionalPredictabilityAmplification(equalize="expected")
    >>> round(metric(y_true, y_pred, sensitive_features=group), 4)
    0.0147
    """

    direction: str = "attribute_to_task"

    def __post_init__(self) -> None:
        super().__post_init__()
        arrow(self.direction)

    @property
    def __name__(self) -> str:
        return f"{self._title} {arrow(self.direction)}"

    def bind(self, evaluation: Evaluation, model: str) -> Bound:
        """Fix the way to equalise."""
        return self._attack(evaluation, model, arrow(self.direction), leakage=False)
