"""BiasAmp_MALS: how much more predictions join tasks with the groups that the data favour."""

from __future__ import annotations

from dataclasses import dataclass

from biasamp_adapters.metrics.rate_changes import CooccurrenceMetric
from biasamp_adapters.metrics.result import About


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MALS(CooccurrenceMetric):
    """How much more the predictions join a task with the group that it already favours.

    The mean over tasks of the sum, over groups that the reference over-represents among the
    positives of the task, of P(A^ = a | T^ = t) - P(A = a | T = t). Range ``[-1, 1 - 1/|A|)``,
    and of groups that overlap, as :class:`Indicators` may, ``[-|A|, |A| - 1)``; without a unit, 0
    is no amplification and worse is positive. Predicted and true attribute, and both directions,
    are mixed in one number: prefer :class:`DirectionalBiasAmplification` where the truth is known.

    Parameters
    ----------
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, which set both the favoured groups and P(A | T). By default the evaluated
        truth does; with a reference, ``y_true`` is not needed and may be None.
    pos_label : label, optional
        The one task to evaluate. By default the positive class of two labels (1 of 0/1, -1/1 and
        booleans, else the last in their order), and every class if there are more.
    labels, groups, missing
        As in every metric: explicit label lists and the rule for missing values.

    Notes
    -----
    Without ``sensitive_features_pred`` the true attribute takes its place, as in [W21] Fig. 2.
    The value is 0 by construction where ``P(A | T) = 1/|A|``. ``|A|`` counts all groups that are
    listed, also those without rows.

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

    about = About(
        short="MALS",
        source="Zhao et al. 2017; [W21] Eq. 1",
        function="mals_bias_amplification",
        method="mals",
        example="0.2",
        name="BiasAmp_MALS",
        zero="no amplification",
        description="Computed as the mean over labels of how much more the predictions join a "
        "label with the groups that it favours in the reference, P(group | predicted label) less "
        "P(group | label). It mixes both directions.",
        reading="A value of > 0 implies that predictions join labels with the groups that they "
        "favour more often than the data do, which is worse; a value of < 0 implies that they do "
        "so less often, or that the model makes mistakes.",
    )
    _coefficient = "over_represented"
    _per_task = True
    _of_positive = True

    @property
    def looks_at_one_task(self) -> bool:
        return True
