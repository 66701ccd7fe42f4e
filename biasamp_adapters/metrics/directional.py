"""BiasAmp directional, BA->."""

from __future__ import annotations

from dataclasses import dataclass

from biasamp_adapters.metrics.base import ReferencedMetric
from biasamp_adapters.metrics.bound import Bound, arrow, require
from biasamp_adapters.metrics.cooccurrence import Cooccurrence
from biasamp_adapters.reference import Evaluation


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DirectionalBiasAmplification(ReferencedMetric):
    """How far predictions strengthen the correlations of the reference, in one direction.

    The mean over groups a and tasks t of s_at D_at, where s_at is the sign of
    P(a, t) - P(a) P(t) in the reference and

    - A->T: D_at = P(T^ = t | a) - P(T = t | a), the attribute's influence on the predicted task;
    - T->A: D_at = P(A^ = a | t) - P(A = a | t), the task's influence on the predicted attribute.

    Range [-1, 1], without a unit; 0 is no amplification and worse is positive. Values compare
    within one direction and one dataset only.

    Parameters
    ----------
    direction : {"attribute_to_task", "task_to_attribute"}
        Also "A->T" and "T->A", in any case. T->A needs ``sensitive_features_pred``.
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, which set the signs. Without, the evaluated truth does.
    pos_label : label, optional
        The one task to look at. Without, every class is a column, which matters to T->A only.
    labels, groups, missing
        As in every metric: explicit label lists and the rule for missing values.

    Raises
    ------
    ValueError
        If the direction is unknown, or T->A lacks the predicted attribute.

    Notes
    -----
    A tie of the reference counts 0, so a balanced reference gives exactly 0, as [T25] Table 7
    reports; the equation read to the letter would count -D. Errors alone pull the value down: see
    ``random_error`` of the result.

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", 2021, Eq. 2.

    Examples
    --------
    >>> from biasamp_adapters import DirectionalBiasAmplification
    >>> y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 40 + [0] * 10
    >>> metric = DirectionalBiasAmplification(direction="A->T")
    >>> round(metric(y_true, y_pred, sensitive_features=[1] * 50 + [2] * 50), 4)
    0.1
    """

    direction: str = "attribute_to_task"

    def __post_init__(self) -> None:
        super().__post_init__()
        arrow(self.direction)

    @property
    def __name__(self) -> str:
        return f"DirectionalBiasAmplification {self.short_direction}"

    def bind(self, evaluation: Evaluation, model: str) -> Bound:
        """Fix the signs and the task columns."""
        require(evaluation, model, self.short_direction)
        return Cooccurrence.of(
            metric="DirectionalBiasAmplification",
            direction=self.short_direction,
            evaluation=evaluation,
            model=model,
            pos_label=self.pos_label,
            coefficient="sign",
        )
