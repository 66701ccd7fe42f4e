"""Leakage amplification, LA."""

from __future__ import annotations

from dataclasses import dataclass

from biasamp_adapters.metrics.predictability import PredictabilityMetric


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LeakageAmplification(PredictabilityMetric):
    """How much better the attribute can be predicted from the model's task than from the true one.

    LA = Psi_M - Psi_D: the quality of the best attacker on the attribute that sees the predicted
    task, less that of one that sees the true task, made as wrong as the model. For accuracy the
    range is [-1, 1], without a unit; 0 is no amplification and worse is positive. Not directional.

    Parameters
    ----------
    attacker : "exact", classifier or regressor
        The contingency table itself: closed form, no seed, no training. It is the best there is
        for log loss, accuracy, balanced accuracy and RMSE. Or an estimator of scikit-learn, such as
        a network or a Pipeline. Fresh clones of it are fitted in every trial, to the dataset and to
        the model; each parameter called ``random_state`` gets a seed of its own. Labels reach it as
        one column of 0 and 1 each, matrices and numbers as they are. An attacker that takes label
        matrices is fitted once for all columns of a matrix it predicts, others once for each.
    quality : str
        What the attacker's success is worth: "accuracy", "balanced_accuracy", "f1_macro",
        "inverse_cross_entropy" (natural logarithm), "hard_inverse_cross_entropy" (the same of
        guesses that are certain: 1 / (100 x share of wrong ones)), "inverse_rmse" (numeric target)
        or "uncertainty_coefficient" (Theil's U, 0 under independence).
    equalize : {"auto", "expected", "sampled"} or None
        How the truth is made as wrong as the model: "expected" passes it through a channel,
        "sampled" averages over ``n_trials`` drawn flips, "auto" takes the first where its bias is
        negligible, None leaves the truth as it is. For an attacker that is fitted "auto" is
        "sampled", or None where what would be flipped, or its prediction, is numbers.
    evaluation : {"auto", "resubstitution", "loo", "cv"}
        "resubstitution" scores the attacker on the rows it knows, "cv" in five folds that dataset
        and model share, drawn anew in each trial; "auto" is the first for the exact attacker and
        the second for one that is fitted. "loo" is leave-one-out of the exact attacker, for
        "inverse_cross_entropy" only.
    n_trials : int
        Draws of flips, and of folds and seeds of attackers, that a value averages over.
    random_state : int or numpy.random.Generator, optional
        Of all that is drawn. None is the fixed seed 0.
    n_jobs : int, optional
        Trials of fitted attackers that run side by side; -1 is one a processor. The value does not
        depend on it.
    labels, groups, missing
        As in every metric: explicit label lists and the rule for missing values.

    References
    ----------
    Wang et al. (2019), as in Tokas et al., "DPA", 2025, Sec. 1 and Appendix I.

    Examples
    --------
    From the true task the attacker guesses the group right in 60 of 100 rows, from the predicted
    task in 100, were the truth not made as wrong as the model.

    >>> from biasamp_adapters import LeakageAmplification
    >>> group = ["a"] * 50 + ["b"] * 50
    >>> y_true = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    >>> y_pred = [1] * 50 + [0] * 50
    >>> round(LeakageAmplification(equalize=None)(y_true, y_pred, sensitive_features=group), 4)
    0.4
    """

    quality: str = "accuracy"

    @property
    def __name__(self) -> str:
        return self._title

    @property
    def _leakage(self) -> bool:
        return True
