"""LA and DPA: how much better an attacker guesses from the model's output than from the labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from biasamp_adapters.counting.labels import listing
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.metrics.attack_measurement import AttackMeasurement
from biasamp_adapters.metrics.attack_tables import ATTACKS
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A, Metric, check_choice, check_whole
from biasamp_adapters.metrics.quality import LEAVE_ONE_OUT, LOSS, UNCERTAINTY, get_quality, name_of

_CHOICES = {
    "equalize": ("auto", "expected", "sampled", None),
    "evaluation": ("auto", "resubstitution", "loo", "cv"),
    "change": ("relative", "absolute"),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackMetric(Metric):
    """A change of how well the best attacker guesses, from the labels to the model's output.

    :class:`LeakageAmplification` describes the settings.
    """

    attacker: Any = "exact"
    quality: Any = "inverse_cross_entropy"
    equalize: str | None = "auto"
    evaluation: str = "auto"
    n_trials: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, allowed in _CHOICES.items():
            check_choice(name, getattr(self, name, "absolute"), allowed)
        if self.n_trials is not None:
            check_whole("n_trials", self.n_trials, 1)
        if not isinstance(self.quality, str) and not callable(self.quality):
            received = listing([self.quality])
            raise ValueError(f"quality must be a name or a function; received {received}")
        if self.equalize == "expected" and (self.quality == UNCERTAINTY or self.is_fitted):
            rule = f"equalize='expected' is for the exact attacker, and not for {UNCERTAINTY!r}"
            raise ValueError(f"{rule}; received {self!r:.150}")
        get_quality(self.quality, is_fitted=self.is_fitted)
        if self.is_fitted:
            if self.evaluation == "loo":
                raise ValueError("evaluation='loo' is of attacker='exact'; received another one")
            from biasamp_adapters.metrics.fitted import Attacker

            Attacker(self.attacker, self.quality).check_quality()

    @property
    def is_absolute(self) -> bool:
        """Whether the value is the difference of the levels, and not their relative change."""
        return getattr(self, "change", "absolute") == "absolute"

    @property
    def is_fitted(self) -> bool:
        """Whether an attacker is fitted."""
        is_exact = isinstance(self.attacker, str) and self.attacker == "exact"
        return not is_exact or self.evaluation == "cv"

    @property
    def name(self) -> str:
        variants = []
        if self.quality != type(self).quality:
            variants.append("U" if self.quality == UNCERTAINTY else name_of(self.quality))
        if self.is_absolute and self.directions:
            variants.append("absolute")
        if not variants:
            return super().name
        return super().name.replace(self.short, f"{self.short}({', '.join(variants)})")

    def needs_fitting(self, rows: Rows) -> bool:
        """Return whether an attacker is fitted on these rows: one that sees a matrix always is."""
        return self.is_fitted or rows.is_matrix(ATTACKS[self.direction].data[0])

    def measure(self, evaluation: Evaluation, model: str | None, seed: int) -> AttackMeasurement:
        """Return the attack on the data; a matrix that is seen needs a fitted attacker."""
        rows, attack, attacker = evaluation.rows, ATTACKS[self.direction], None
        if self.needs_fitting(rows):
            from biasamp_adapters.metrics.fitted import Attacker

            attacker = Attacker(self.attacker, self.quality)
            if not self.is_fitted:
                metric = replace(self, attacker=attacker.estimator)
                return metric.measure(evaluation, model, seed)
        kind = "columns" if rows.is_matrix(attack.data[1]) else "labels"
        attack = replace(attack, kind=kind, is_equalized=self.equalize is not None)
        self.check_has(rows, model, (*attack.data, *attack.model))
        check_choice("pos_label", self.pos_label, (None, *rows.class_labels, *rows.group_labels))
        quality = get_quality(self.quality, is_fitted=self.is_fitted)
        if self.evaluation == "loo":
            if rows.w is not None or quality.name != LOSS:
                raise ValueError(f"evaluation='loo' is for unweighted rows and quality={LOSS!r}")
            quality = LEAVE_ONE_OUT
        if (attacker or rows.w is not None) and rows.block_sums is not None:
            raise ValueError(f"{self.name} needs rows here; received counts of block sums")
        margins, origin = evaluation.margins(model)
        return AttackMeasurement(
            metric=self,
            evaluation=evaluation,
            model=model,
            margins=margins,
            origin=origin,
            quality=quality,
            seed=seed,
            attack=attack,
            attacker=attacker,
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LeakageAmplification(AttackMetric):
    """LA: how much better the group is guessed from predictions than from equally wrong labels.

    LA = Q(f'(T^), A) - Q(f(T~), A), where f and f' are the best attackers and T~ are the labels,
    made as inaccurate as the predictions. It is not directional. With balanced accuracy it lies
    between -1 and 1.

    Parameters
    ----------
    attacker : "exact", "logistic", "dense" or scikit-learn estimator
        "exact" is the best attacker of categorical data, computed from the count table; of a label
        matrix as its input it is a logistic regression. "dense" is a network of two layers. Others
        than "exact" are fitted on rows, five folds at a time, and judged on rows that they have not
        seen. Probabilities are parts of a row; those of a label matrix are seen as numbers.
    quality : str or callable
        How guesses are scored, balanced accuracy by default: "accuracy", "balanced_accuracy",
        "f1_macro", "f1", "inverse_cross_entropy", "hard_inverse_cross_entropy",
        "one_minus_cross_entropy", "uncertainty_coefficient" (U), "inverse_mse", "inverse_rmse".
        With a fitted attacker also the name of a scikit-learn scorer, or a function of labels and
        guesses; with the exact one also a function of tables (..., inputs, targets) and the numbers
        of the targets.
    equalize : {"auto", "expected", "sampled", None}
        How the labels are made as inaccurate as the predictions: in expectation, by draws of label
        flips, or not. "auto" takes the expectation where its bias is known to be small.
    evaluation : {"auto", "resubstitution", "loo", "cv"}
        "auto" is resubstitution for the exact attacker, and cross-fitting for others.
    n_trials : int, optional
        Draws of flips (100), and fits of an attacker (100, fewer of many rows).
    reference : pair (y_true, sensitive_features), Counts, BaseRates, frame or path, optional
        Data whose classes and groups are known too; by default the evaluated labels. A frame or a
        path has the columns of the data.
    pos_label : label, optional
        The class of which "f1" is the score, and the positive one of two for scorers of guesses.
        Other qualities read all classes.
    class_labels, group_labels, missing, missing_values
        How data are read, as in :class:`DirectionalBiasAmplification`.

    References
    ----------
    Wang et al., "Balanced Datasets Are Not Enough", ICCV 2019; Sec. 1 of [T25].

    Examples
    --------
    Labels tell nothing about the group, so guesses are right in one half of each group. Of the
    predictions, all of group a and one half of group b are 1, so guesses of a where 1 is predicted
    are right in all of a and in one half of b:

    >>> import biasamp_adapters as bam
    >>> metric = bam.LeakageAmplification(equalize="expected")
    >>> metric([1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=["a", "a", "b", "b"])
    0.25
    """

    quality: Any = "balanced_accuracy"

    short = "LA"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DirectionalPredictabilityAmplification(AttackMetric):
    """DPA: the relative change of how well one variable is predicted from the other.

    DPA = (Psi_M - Psi_D) / (Psi_M + Psi_D), between -1 and 1. For "A->T", Psi_D = Q(f(A), T~) and
    Psi_M = Q(f'(A), T^); for "T->A", Psi_D = Q(f(T), A~) and Psi_M = Q(f'(T), A^). T~ and A~ are
    labels made as inaccurate as the predictions.

    Parameters
    ----------
    direction : {"A->T", "T->A"}
    change : {"relative", "absolute"}
        "absolute" is Psi_M - Psi_D.
    quality : str or callable
        How guesses are scored, 1/cross-entropy by default; others as in
        :class:`LeakageAmplification`. Where one is below 0, as "one_minus_cross_entropy" of three
        or more classes may be, a relative change is NaN, and a note says so.
    attacker, equalize, evaluation, n_trials, reference, pos_label
        As in :class:`LeakageAmplification`.
    class_labels, group_labels, missing, missing_values
        How data are read, as in :class:`DirectionalBiasAmplification`.

    References
    ----------
    [T25], Eq. 1 to 6.

    Examples
    --------
    Each loses half of ln 2 in the labels; the predictions follow from the group:

    >>> import biasamp_adapters as bam
    >>> metric = bam.DirectionalPredictabilityAmplification(equalize=None)
    >>> metric([1, 1, 1, 0], [1, 1, 0, 0], sensitive_features=["a", "a", "b", "b"])
    1.0
    """

    direction: str = A_TO_T
    change: str = "relative"

    short = "DPA"
    directions = (A_TO_T, T_TO_A)
