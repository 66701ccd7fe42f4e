"""MALS and BA->: how far predictions change the rate of each pair of a group and a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import (
    ALL,
    ATTRIBUTE,
    ATTRIBUTE_PREDICTION,
    PREDICTED,
    RIGHT,
    TASK,
    Array,
    Label,
    listing,
    name_list,
)
from biasamp_adapters.counting.margins import (
    Margins,
    certainty,
    certainty_of_dominance,
    correlation_signs,
    divide,
    dominance_signs,
    mean_of_pairs,
)
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.inference.intervals import Trust, share_of_few_rows
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A, UNDIRECTED, Metric, check_has
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.metrics.rate_table import (
    CLASS_BY_GROUP,
    GROUP_BY_CLASS,
    GROUP_BY_PREDICTED_CLASS,
    PREDICTED_GROUP_BY_PREDICTED_CLASS,
    Contrast,
    Terms,
    add_up,
)

#: A sign whose |z| is smaller may be the other one.
_CERTAIN = 1.96


@dataclass(frozen=True, eq=False, kw_only=True)
class RateMeasurement(Measurement):
    """Changes of rates, (groups, classes), and the coefficients that multiply them.

    Attributes
    ----------
    contrast : Contrast
    classes : ndarray of int
        The positions of the classes that are evaluated.
    coefficients : ndarray
        The sign of the correlation of each pair, or 1 where a group counts and 0 elsewhere.
    changes : ndarray
        Predicted rates minus true ones; NaN where a pair has no rows.
    notes : tuple of str
        Caveats on the value.
    """

    contrast: Contrast
    classes: Array
    coefficients: Array
    changes: Array
    notes: tuple[str, ...] = ()

    @property
    def is_undirected(self) -> bool:
        """Whether rates are P(group | predicted class), and those of the truth the reference's."""
        return self.metric.measured_direction == UNDIRECTED

    @property
    def reads_reference(self) -> bool:
        return self.is_undirected

    @property
    def pair_labels(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        groups, classes = super().pair_labels
        return groups, tuple(classes[i] for i in self.classes)

    @property
    def value(self) -> float:
        return float(self.mean(self.contributions(self.changes[None]))[0])

    def contributions(self, changes: Array) -> Array:
        """Return what each pair adds to the mean, (batch, groups, classes)."""
        return self.coefficients * changes

    def mean(self, contributions: Array) -> Array:
        """Return the mean over pairs; of undirected metrics over classes of the sum over groups."""
        if not self.contrast.true_of_reference:
            return mean_of_pairs(contributions)
        defined = ~np.isnan(contributions)
        total = np.where(defined, contributions, 0).sum(axis=(1, 2))
        return divide(total, defined.any(axis=-2).sum(axis=-1))

    def rates(self, margins: Margins, origin: Margins | None) -> tuple[Array, Array]:
        """Return true and predicted rates of the evaluated classes, (batch, groups, classes)."""
        if self.evaluation.reference is None:
            origin = margins
        elif origin is None:
            origin = self.origin
        true, predicted = measure_rates(self.contrast, self.evaluation, margins, origin)
        return self.evaluated(true), self.evaluated(predicted)

    def evaluated(self, rates: Array) -> Array:
        """Return the rates of the evaluated classes, (batch, groups, classes)."""
        if len(self.classes) == rates.shape[-1]:
            return rates
        return rates.take(self.classes, axis=-1)

    def score(self, margins: Margins, origin: Margins | None, rng: Any = None) -> dict[str, Array]:
        """Return the value, that of equal error rates, and the excess over it, of a batch."""
        true, predicted = self.rates(margins, origin)
        value = self.mean(self.contributions(predicted - true))
        equal = self.equal_error_rates(margins)
        if equal is None:
            return {"value": value}
        value_of_equal = self.mean(self.contributions(equal - true))
        return {"value": value, "equal_errors": value_of_equal, "excess": value - value_of_equal}

    def point(self) -> dict[str, float]:
        scores = self.score(self.margins, self.origin)
        return {name: float(score[0]) for name, score in scores.items()}

    def equal_error_rates(self, margins: Margins) -> Array | None:
        """Return predicted rates if all groups had the same error rates; None without a truth."""
        if self.evaluation.base_rates is not None or not margins.has(TASK):
            return None
        pairs, denominator = margins.joint(ATTRIBUTE, TASK), self.contrast.predicted.denominator
        if self.metric.measured_direction != T_TO_A:
            pairs = pass_errors(margins, TASK, pairs, margins.joint(ATTRIBUTE, ALL))
        if ATTRIBUTE_PREDICTION in self.contrast.predicted_roles:
            others = add_up(margins, denominator).swapaxes(-1, -2)
            pairs = pass_errors(margins, ATTRIBUTE, pairs.swapaxes(-1, -2), others)
            pairs = pairs.swapaxes(-1, -2)
        return self.evaluated(divide(pairs, add_up(margins, denominator)))

    @cached_property
    def rows_of_rates(self) -> Array:
        """The rows of equal weight that each rate is a share of, (groups, classes)."""
        evaluation = self.evaluation
        rows = _effective(self.margins, self.contrast.predicted.denominator, evaluation.rows)
        if self.contrast.true_of_reference and evaluation.base_rates is None:
            true = _effective(self.origin, self.contrast.true.denominator, evaluation.origin)
            rows = np.minimum(rows, true)
        shape = len(evaluation.rows.group_labels), len(evaluation.rows.class_labels)
        return np.broadcast_to(rows, shape)[:, self.classes]

    @cached_property
    def reason_of_few_rows(self) -> str:
        """Why rates of few rows give no interval; empty if they do."""
        counted = ~np.isnan(self.changes) & (self.coefficients != 0)
        share, few = share_of_few_rows(self.rows_of_rates, counted)
        if not share:
            return ""
        groups, classes = self.pair_labels
        labels, axis = (groups, 1) if self.contrast.given == ATTRIBUTE else (classes, 0)
        names = list(compress(labels, np.any(few, axis=axis)))
        return words.SMALL_GROUPS.format(names=name_list(names), share=share)

    def trust(self, name: str, value: float, scores: Mapping[str, Array]) -> Trust:
        """Return the replicates, or no interval where rates of few rows carry the variance."""
        most = 1.0
        if self.is_undirected:
            most = float(len(self.evaluation.rows.group_labels))
        return Trust(scores[name], self.reason_of_few_rows, limits=(-most, most))

    @property
    def half_row(self) -> float:
        rows = self.rows_of_rates
        return float(0.5 / rows[rows > 0].min()) if (rows > 0).any() else 0.0

    @property
    def further_notes(self) -> tuple[str, ...]:
        """How many signs may be the other one; nothing if none may, or if they are given."""
        if self.evaluation.base_rates is not None:
            return ()
        n_uncertain = int(self._are_signs_uncertain()[:, self.classes].sum())
        if not n_uncertain:
            return ()
        note = words.UNCERTAIN_SHARES if self.is_undirected else words.UNCERTAIN_SIGNS
        return (note.format(k=n_uncertain, m=self.changes.size),)

    def _are_signs_uncertain(self) -> Array:
        """Return which signs may be the other one, (groups, all classes); ties are certain."""
        rows = self.evaluation.origin.effective_rows
        if self.is_undirected:
            signs, z = dominance_signs(self.origin), certainty_of_dominance(self.origin, rows)
        else:
            signs, z = correlation_signs(self.origin), certainty(self.origin, rows)
        return (np.abs(z) < _CERTAIN) & (signs[0] != 0)

    def pairs(self) -> dict[str, Array]:
        """Return ``sign``, ``change``, ``contribution`` and ``uncertain`` of each pair."""
        contributions = self.contributions(self.changes) + 0.0  # Zeros have no minus sign.
        is_uncertain = np.zeros(self.changes.shape, dtype=bool)
        if self.evaluation.base_rates is None:
            is_uncertain = self._are_signs_uncertain()[:, self.classes]
        return {
            "sign": self.coefficients.astype(int),
            "change": self.changes,
            "contribution": contributions,
            "uncertain": is_uncertain,
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RateMetric(Metric):
    """A mean over pairs of a coefficient, from the reference, times the change of a rate."""

    measurement_type: ClassVar[type[RateMeasurement]] = RateMeasurement

    def contrast(self, margins: Margins) -> Contrast:
        """Return the rates that are compared."""
        if self.measured_direction == A_TO_T:
            return CLASS_BY_GROUP
        if self.measured_direction == T_TO_A:
            return GROUP_BY_CLASS
        if margins.has(ATTRIBUTE_PREDICTION):
            return PREDICTED_GROUP_BY_PREDICTED_CLASS
        return GROUP_BY_PREDICTED_CLASS

    def measure(self, evaluation: Evaluation, model: str | None, seed: int) -> RateMeasurement:
        """Return the changes of the data, with the signs of the reference."""
        margins, origin = evaluation.margins(model)
        contrast = self.contrast(margins)
        needed = contrast.predicted.roles
        if evaluation.base_rates is None and self.measured_direction != UNDIRECTED:
            needed = (*needed, *contrast.true.roles)
        check_has(evaluation.rows, model, needed, self.name)
        classes = self.classes(evaluation)
        true, predicted = measure_rates(contrast, evaluation, margins, origin)
        changes = (predicted - true)[0][:, classes]
        undefined = np.isnan(changes)
        notes: tuple[str, ...] = ()
        if undefined.any():
            notes = (self.note_on_undefined(evaluation, classes, undefined),)
        return self.measurement_type(
            metric=self,
            evaluation=evaluation,
            model=model,
            margins=margins,
            origin=origin,
            notes=notes,
            contrast=contrast,
            classes=classes,
            coefficients=self.coefficients(evaluation, margins, origin)[:, classes],
            changes=changes,
        )

    def classes(self, evaluation: Evaluation) -> Array:
        """Return the positions of the classes to evaluate: all, or the positive one."""
        labels = evaluation.rows.labels_of(TASK)
        if self.pos_label is None:
            return np.arange(len(labels))
        if self.pos_label not in labels:
            raise ValueError(
                f"pos_label must be one of {listing(labels)}; received {self.pos_label!r}"
            )
        return np.array([labels.index(self.pos_label)])

    def coefficients(self, evaluation: Evaluation, margins: Margins, origin: Margins) -> Array:
        """Return what multiplies the change of each pair, (groups, all classes)."""
        base_rates = evaluation.base_rates
        if base_rates is None:
            if self.measured_direction == UNDIRECTED:
                return np.maximum(dominance_signs(origin)[0], 0)
            return correlation_signs(origin)[0]
        if self.measured_direction == UNDIRECTED:
            even = (1 + 1e-12) / len(base_rates.group_labels)
            return np.where(base_rates.rates(TASK) > even, 1.0, 0.0)
        sizes = margins.joint(ATTRIBUTE, ALL)[0] if margins.has(ATTRIBUTE) else None
        return base_rates.signs(sizes)

    def note_on_undefined(self, evaluation: Evaluation, classes: Array, undefined: Array) -> str:
        """Return a note on pairs that are undefined, which the mean leaves out."""
        if self.measured_direction == A_TO_T:
            labels, axis = evaluation.rows.group_labels, 1
        else:
            labels, axis = tuple(evaluation.rows.class_labels[i] for i in classes), 0
        named = list(compress(labels, np.all(undefined, axis=axis)))
        return words.RATES_UNDEFINED.format(
            k=undefined.sum(), m=undefined.size, names=name_list(named)
        )


def _effective(margins: Margins, denominator: Terms, rows: Rows) -> Array:
    """Return the rows of equal weight in the denominators of rates."""
    return add_up(margins, denominator)[0] * rows.effective_rows / margins.total[0]


def measure_rates(
    contrast: Contrast, evaluation: Evaluation, margins: Margins, origin: Margins
) -> tuple[Array, Array]:
    """Return the true and the predicted rates of a contrast, (batch, groups, classes)."""
    if evaluation.base_rates is not None:
        true = evaluation.base_rates.rates(contrast.given)[None]
    else:
        true = contrast.true.measure(origin if contrast.true_of_reference else margins)
    return true, contrast.predicted.measure(margins)


def pass_errors(margins: Margins, truth: str, joint: Array, others: Array) -> Array:
    """Return sums by another variable and predictions whose errors do not depend on it.

    Parameters
    ----------
    joint : ndarray of shape (batch, others, labels)
        Sums by the other variable and the true one.
    others : ndarray of shape (batch, others, 1)
        Sums by the other variable.
    """
    total = margins.joint(ALL, truth)
    if not margins.variable(truth).is_matrix:
        confusion = divide(margins.joint(truth, PREDICTED[truth]), total.swapaxes(-1, -2), 0.0)
        return joint @ confusion
    hits, predicted = margins.joint(ALL, RIGHT[truth]), margins.joint(ALL, PREDICTED[truth])
    hit_rate = divide(hits, total, 0.0)
    false_rate = divide(predicted - hits, margins.joint(ALL, ALL) - total, 0.0)
    return hit_rate * joint + false_rate * (others - joint)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DirectionalBiasAmplification(RateMetric):
    """BA->, directional bias amplification: how far predictions strengthen correlations.

    BA is the mean over groups a and classes t of s(a, t) D(a, t), where s is the sign of
    P(a, t) - P(a) P(t) in the reference, and D = P(T^ = t | a) - P(T = t | a) for "A->T",
    D = P(A^ = a | t) - P(A = a | t) for "T->A". It lies between -1 and 1; 0 means that rates do not
    change on average along the correlations of the reference, which is not a pass.

    Of label matrices, rows with no label and no group are outside of P(a), P(t) and P(a, t).

    Parameters
    ----------
    direction : {"A->T", "T->A"}
        Whether rates of classes in groups are compared, or shares of predicted groups in classes.
    reference : pair (y_true, sensitive_features), Counts, BaseRates, frame or path, optional
        Data that decide the signs; by default the evaluated labels. A frame or a path has the
        columns of the data.
    pos_label : label, optional
        The only class that is evaluated; by default all.
    class_labels, group_labels : sequence of labels, optional
        All classes and groups, in their order; by default those that occur.
    missing : {"error", "drop", "abstain"}
        What becomes of rows with missing values: an error, left out, or missing predictions stay in
        every rate and count as wrong.
    missing_values : sequence of labels
        Labels that mean a missing value, such as "NA" or "?".

    References
    ----------
    Wang and Russakovsky, "Directional Bias Amplification", ICML 2021, Eq. 2.

    Examples
    --------
    The rate of group a rises from 1/2 to 1, and that of group b falls from 1/4 to 0:

    >>> import biasamp_adapters as bam
    >>> groups = ["a", "a", "b", "b", "b", "b"]
    >>> metric = bam.DirectionalBiasAmplification()
    >>> metric([1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], sensitive_features=groups)
    0.375
    """

    direction: str = A_TO_T

    short = "BA"
    directions = (A_TO_T, T_TO_A)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MALSBiasAmplification(RateMetric):
    """BiasAmp_MALS: how much more over-represented groups dominate the predicted classes.

    MALS is 1/|T| times the sum over groups a and classes t of
    y(a, t) (P(A^ = a | T^ = t) - P(A = a | T = t)), where y is 1 if P(A = a | T = t) > 1/|A| in the
    reference, which also gives P(A | T). It lies between -1 and 1, and mixes both directions. Of
    two classes the positive one is evaluated. Without predicted groups, A^ is A.

    Parameters
    ----------
    reference : pair (y_true, sensitive_features), Counts, BaseRates, frame or path, optional
        Data that decide which groups are over-represented, and their shares; by default the
        evaluated labels. A frame or a path has the columns of the data.
    pos_label : label, optional
        The only class that is evaluated; by default the positive one of two, else all.
    class_labels, group_labels : sequence of labels, optional
        All classes and groups, in their order; by default those that occur.
    missing : {"error", "drop", "abstain"}
        What becomes of rows with missing values: an error, left out, or missing predictions stay in
        every rate and count as wrong.
    missing_values : sequence of labels
        Labels that mean a missing value, such as "NA" or "?".

    References
    ----------
    Zhao et al., "Men Also Like Shopping", EMNLP 2017; as Eq. 1 of Wang and Russakovsky, ICML 2021.

    Examples
    --------
    Two of three positives are of group a, and all predicted ones:

    >>> import biasamp_adapters as bam
    >>> metric = bam.MALSBiasAmplification()
    >>> metric([1, 1, 1, 0], [1, 1, 0, 0], sensitive_features=["a", "a", "b", "b"])
    0.33333333333333337
    """

    short = "MALS"

    def classes(self, evaluation: Evaluation) -> Array:
        positive = evaluation.positive_class
        if self.pos_label is None and positive is not None:
            return np.array([evaluation.rows.class_labels.index(positive)])
        return super().classes(evaluation)
