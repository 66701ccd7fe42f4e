"""BiasAmp_MALS, the metric of "Men Also Like Shopping"."""

from __future__ import annotations

from dataclasses import dataclass

from biasamp_adapters.metrics.base import ReferencedMetric
from biasamp_adapters.metrics.bound import UNDIRECTED, Bound, require
from biasamp_adapters.metrics.cooccurrence import Cooccurrence
from biasamp_adapters.reference import Evaluation


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MALS(ReferencedMetric):
    """How much more the predictions join a task with the group that it already favours.

    The mean over tasks of the sum, over groups that the reference over-represents among the
    positives of the task, of P(A^ = a | T^ = t) - P(A = a | T = t). Range ``[-1, 1 - 1/|A|]``,
    without a unit; 0 is no amplification and worse is positive. Predicted and true attribute, and
    both directions, are mixed in one number: prefer
    :class:`DirectionalBiasAmplification` where the truth is known.

    Parameters
    ----------
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, which set both the favoured groups and P(A | T). Without, the evaluated
        truth does; with one, no test truth is needed and ``y_true`` may be None.
    pos_label : label, optional
        The one task to look at. Without, the positive class of two labels (1 of 0/1, -1/1 and
        booleans, else the last in their order), and every class where there are more.
    labels, groups, missing
        As in every metric: explicit label lists and the rule for missing values.

    Notes
    -----
    Without ``sensitive_features_pred`` the true attribute takes its place, as in [W21] Fig. 2.
    The value is 0 by construction where ``P(A | T) = 1/|A|``.

    References
    ----------
    Zhao et al. (2017), as Eq. 1 of Wang and Russakovsky, "Directional Bias Amplification", 2021.

    Examples
    --------
    Of 50 positives 40 are of group 1. The model predicts no positive in group 2, so all of its 40
    are of group 1: 40/40 - 40/50 ([W21] 3.2).

    >>> from biasamp_adapters import MALS
    >>> y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 40 + [0] * 10
    >>> round(MALS()(y_true, y_pred, sensitive_features=[1] * 50 + [2] * 50), 4)
    0.2
    """

    @property
    def __name__(self) -> str:
        return "MALS"

    def bind(self, evaluation: Evaluation, model: str) -> Bound:
        """Fix the favoured groups and the task columns."""
        require(evaluation, model, UNDIRECTED)
        return Cooccurrence.of(
            metric="MALS",
            direction=UNDIRECTED,
            evaluation=evaluation,
            model=model,
            pos_label=evaluation.positive if self.pos_label is None else self.pos_label,
            coefficient="over_represented",
            per_task=True,
        )
