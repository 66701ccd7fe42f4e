"""MALS and BA->: how far predictions change the rate of each pair of a group and a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, NamedTuple

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, PREDICTED, TASK, Array, name_list
from biasamp_adapters.counting.margins import (
    Margins,
    accuracy_by_label,
    certainty,
    divide,
    mean_of_pairs,
    pass_errors,
    signs,
)
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.figures import agree
from biasamp_adapters.inference.bands import reason_of_few
from biasamp_adapters.inference.intervals import Trust, share_of_few_rows, widening
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A, UNDIRECTED, Metric, check_choice
from biasamp_adapters.result import Measurement

#: A sign whose |z| is smaller may be the other one.
_CERTAIN = 1.96


class Rate(NamedTuple):
    """A share of rows by group and class: sums by two variables over sums by two variables."""

    numerator: tuple[str, str]
    denominator: tuple[str, str]

    def measure(self, margins: Margins) -> Array:
        """Return the rate, (batch, groups, classes); NaN where it has no rows."""
        return divide(margins.joint(*self.numerator), margins.joint(*self.denominator))


def reason_of_small_groups(margins: Margins) -> str:
    """Return why groups of few rows or clusters give no interval, or an empty text."""
    rows, sizes = margins.rows, margins.sizes(ATTRIBUTE, ALL)[0, :, 0]
    share, few = share_of_few_rows(sizes, sizes > 0)
    return reason_of_few(rows.group_labels, few, rows.size_unit) if share else ""


@dataclass(frozen=True, eq=False, kw_only=True)
class RateMeasurement(Measurement):
    """Changes of rates, (groups, classes), and the coefficients that multiply them.

    Attributes
    ----------
    true_rate, predicted_rate : Rate
    classes : ndarray of int
        The positions of the classes that are evaluated.
    coefficients : ndarray
        The sign of the correlation of each pair, or 1 where a group counts and 0 elsewhere.
    """

    true_rate: Rate
    predicted_rate: Rate
    classes: Array
    coefficients: Array

    @property
    def pair_labels(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        groups, classes = super().pair_labels
        return groups, tuple(classes[i] for i in self.classes)

    @cached_property
    def changes(self) -> Array:
        """Predicted rates minus true ones, (groups, classes); NaN where a pair has no rows."""
        true, predicted = self.rates(self.margins, self.origin)
        return (predicted - true)[0]

    @property
    def value(self) -> float:
        return float(self.mean(self.contributions(self.changes[None]))[0])

    def contributions(self, changes: Array) -> Array:
        """Return what each pair adds to the mean, (batch, groups, classes)."""
        return self.coefficients * changes

    @property
    def notes(self) -> tuple[str, ...]:
        is_undefined = np.isnan(self.changes)
        if not is_undefined.any():
            return ()
        template = words.SHARES_UNDEFINED if self.reads_reference else words.RATES_UNDEFINED
        name, k = self.metric.name.replace("->", "→"), int(is_undefined.sum())
        parts = {"k": k, "m": is_undefined.size, "metric": name, "are": agree(k, "is", "are")}
        return (template.format(names=self.conditions(is_undefined)[1], **parts),)

    def mean(self, contributions: Array) -> Array:
        """Return the mean over pairs; of undirected metrics over classes of the sum over groups."""
        if not self.reads_reference:
            return mean_of_pairs(contributions)
        defined = ~np.isnan(contributions)
        total = np.where(defined, contributions, 0).sum(axis=(1, 2))
        return divide(total, defined.any(axis=-2).sum(axis=-1))

    def rates(self, margins: Margins, origin: Margins | None) -> tuple[Array, Array]:
        """Return true and predicted rates of the evaluated classes, (batch, groups, classes)."""
        base_rates = self.evaluation.base_rates
        if base_rates is not None:
            true = base_rates.rates(self.metric.direction)[None]
        elif self.reads_reference and origin is not None:
            true = self.true_rate.measure(origin)
        else:
            true = self.true_rate.measure(margins)
        return self.evaluated(true), self.evaluated(self.predicted_rate.measure(margins))

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

    def by_group(self, margins: Margins, origin: Margins | None, rng: Any = None) -> Array:
        true, predicted = self.rates(margins, origin)
        return mean_of_pairs(self.contributions(predicted - true), 2)

    def equal_error_rates(self, margins: Margins) -> Array | None:
        """Return predicted rates if all groups had the same error rates; None without a truth."""
        if self.evaluation.base_rates is not None or not margins.has(TASK):
            return None
        roles, denominator = self.predicted_rate
        pairs, total = margins.joint(ATTRIBUTE, TASK), margins.joint(*denominator)
        if PREDICTED[TASK] in roles:
            pairs = margins.equal_errors
        if PREDICTED[ATTRIBUTE] in roles:
            pairs, others = pairs.swapaxes(-1, -2), total.swapaxes(-1, -2)
            pairs = pass_errors(margins, ATTRIBUTE, pairs, others).swapaxes(-1, -2)
        return self.evaluated(divide(pairs, total))

    @cached_property
    def sizes(self) -> Array:
        """How many effective rows, or clusters, each rate is a share of, (groups, classes).

        Of two shares it is the fewer.
        """
        sizes = self.margins.sizes(*self.predicted_rate.denominator)[0]
        if self.reads_reference and self.evaluation.base_rates is None:
            sizes = np.minimum(sizes, self.origin.sizes(*self.true_rate.denominator)[0])
        shape = len(self.evaluation.rows.group_labels), len(self.evaluation.rows.class_labels)
        return np.broadcast_to(sizes, shape)[:, self.classes]

    def conditions(self, are_meant: Array) -> tuple[int, str]:
        """Return in how many groups, or else classes, some rates are meant, and their names."""
        labels, axis = self.pair_labels[0], 1
        if self.metric.direction != A_TO_T:
            labels, axis = self.pair_labels[1], 0
        meant = list(compress(labels, np.any(are_meant, axis=axis)))
        return len(meant), name_list(meant, labels)

    @property
    def reason_for_0(self) -> str:
        if self.coefficients.any() or not np.isfinite(self.value):
            return ""
        has_rates = self.evaluation.base_rates is not None
        if not has_rates and len(self.evaluation.rows.variable(ATTRIBUTE).seen) < 2:
            return words.IS_0_FOR_ONE_GROUP
        template = words.NONE_FREQUENT if self.reads_reference else words.NO_SIGNS
        return template.format(decided_by=words.THE_GIVEN_RATES if has_rates else self.decided_by)

    @property
    def decided_by(self) -> str:
        """What decides the signs, unless rates are given."""
        return words.THE_LABELS if self.evaluation.reference is None else words.THE_REFERENCE

    @cached_property
    def reason_of_few_rows(self) -> str:
        """Why rates of few rows give no interval; empty if they do."""
        counted = ~np.isnan(self.changes) & (self.coefficients != 0)
        share, few = share_of_few_rows(self.sizes, counted)
        unit = self.evaluation.rows.size_unit
        if share:
            n, names = self.conditions(few)
            if self.metric.direction != A_TO_T and not self.evaluation.rows.is_matrix(TASK):
                names = f"{agree(n, 'class', 'classes')} {names}"
            return agree(n, *words.SMALL_GROUPS).format(names=names, unit=unit, share=share)
        if self.reads_reference and unit != "rows" and self.margins.has(ATTRIBUTE):
            # A few rows of much weight, or in large clusters, may be most positives of a group.
            return reason_of_small_groups(self.margins)
        return ""

    def trust(self, name: str, value: float, scores: Mapping[str, Array]) -> Trust:
        """Return the replicates, or no interval where rates of few rows carry the variance.

        Those of clusters are wide enough, as fewer clusters are drawn than there are.
        """
        most, replicates = 1.0, scores[name]
        if self.reads_reference:
            most = float(len(self.evaluation.rows.group_labels))
        if self.evaluation.rows.cluster is None:
            conditions = self.sizes[:, :1] if self.metric.direction == A_TO_T else self.sizes[:1]
            replicates = value + widening(conditions) * (replicates - value)
        limits = -most, most
        return Trust(replicates, self.reason_of_few_rows, limits=limits, row=self.one_row)

    @cached_property
    def one_row(self) -> float:
        """How far one row, or cluster, of the smallest group moves the value.

        It is 0 of predictions without errors, and of chances, which always vary.
        """
        roles, margins = self.predicted_rate.numerator, self.margins
        truths = [truth for truth, predicted in PREDICTED.items() if predicted in roles]
        predicted = [margins.variable(PREDICTED[truth]) for truth in truths]
        rows = self.sizes[(self.coefficients != 0) & (self.sizes > 0)]
        if not len(rows) or any(variable.is_soft for variable in predicted):
            return 0.0
        if self.evaluation.base_rates is None and all(map(margins.has, truths)):
            accuracies = [accuracy_by_label(margins, truth) for truth in truths]
            if all((accuracy == 1).all() for accuracy in accuracies):
                return 0.0
        defined = np.isfinite(self.changes)
        if self.reads_reference:  # A mean over classes of sums over groups.
            moved, n_rates = 1, defined.any(axis=0).sum()
        else:  # A row leaves one label for another, if both are evaluated.
            n_labels = defined.shape[1 if self.metric.direction == A_TO_T else 0]
            is_matrix = all(variable.is_matrix for variable in predicted)
            moved, n_rates = 1 if is_matrix else min(2, n_labels), defined.sum()
        return float(moved / rows.min() / n_rates)

    @property
    def half_row(self) -> float:
        return float(0.5 / self.sizes[self.sizes > 0].min(initial=np.inf))

    @property
    def further_notes(self) -> tuple[str, ...]:
        """How many signs may be the other one; nothing if none may, or if they are given."""
        n_uncertain = int(self.pairs().get("uncertain", np.zeros(0)).sum())
        if not n_uncertain:
            return ()
        note = words.UNCERTAIN_SHARES if self.reads_reference else words.UNCERTAIN_SIGNS
        return (note.format(k=n_uncertain, m=self.changes.size, decided_by=self.decided_by),)

    def pairs(self) -> dict[str, Array]:
        """Return ``sign``, ``change``, ``contribution`` and ``uncertain`` of each pair."""
        is_uncertain = np.zeros(self.changes.shape, dtype=bool)
        if self.evaluation.base_rates is None:  # Signs of given rates and of ties are certain.
            is_tie = signs(self.origin, is_even=self.reads_reference)[0] == 0
            z = certainty(self.origin, is_even=self.reads_reference)
            is_uncertain = (~is_tie & (np.abs(z) < _CERTAIN))[:, self.classes]
        return {
            "sign": self.coefficients.astype(int),
            "change": self.changes,
            "contribution": self.contributions(self.changes) + 0.0,  # Zeros have no minus sign.
            "uncertain": is_uncertain,
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RateMetric(Metric):
    """A mean over pairs of a coefficient, from the reference, times the change of a rate."""

    measurement_type: ClassVar[type[RateMeasurement]] = RateMeasurement

    def rates(self, margins: Margins) -> tuple[Rate, Rate]:
        """Return the true and the predicted rate: P(class | group), or P(group | class).

        Undirected metrics read the share of groups, or of predicted groups, in predicted classes.
        """
        group, label = PREDICTED[ATTRIBUTE], PREDICTED[TASK]
        if self.direction == A_TO_T:
            predicted = Rate((ATTRIBUTE, label), (ATTRIBUTE, ALL))
            return Rate((ATTRIBUTE, TASK), (ATTRIBUTE, ALL)), predicted
        true = Rate((ATTRIBUTE, TASK), (ALL, TASK))
        if self.direction == T_TO_A:
            return true, Rate((group, TASK), (ALL, TASK))
        group = group if margins.has(group) else ATTRIBUTE
        return true, Rate((group, label), (ALL, label))

    def measure(self, evaluation: Evaluation, model: str | None, seed: int) -> RateMeasurement:
        """Return the changes of the data, with the signs of the reference."""
        margins, origin = evaluation.margins(model)
        true_rate, predicted_rate = self.rates(margins)
        needed, is_undirected = [*predicted_rate.numerator], self.direction == UNDIRECTED
        if evaluation.base_rates is None and not is_undirected:
            needed += true_rate.numerator
        self.check_has(evaluation.rows, model, needed)
        classes = self.classes(evaluation)
        return self.measurement_type(
            metric=self,
            evaluation=evaluation,
            model=model,
            margins=margins,
            origin=origin,
            reads_reference=is_undirected,
            true_rate=true_rate,
            predicted_rate=predicted_rate,
            classes=classes,
            coefficients=self.coefficients(evaluation, margins, origin)[:, classes],
        )

    def classes(self, evaluation: Evaluation) -> Array:
        """Return the positions of the classes to evaluate: all, or the positive one."""
        labels = evaluation.rows.labels_of(TASK)
        if self.pos_label is None:
            return np.arange(len(labels))
        check_choice("pos_label", self.pos_label, labels)
        return np.array([labels.index(self.pos_label)])

    def coefficients(self, evaluation: Evaluation, margins: Margins, origin: Margins) -> Array:
        """Return what multiplies the change of each pair, (groups, all classes)."""
        is_even = self.direction == UNDIRECTED
        if evaluation.base_rates is None:
            known = signs(origin, is_even=is_even)[0]
        else:
            sizes = margins.joint(ATTRIBUTE, ALL)[0] if margins.has(ATTRIBUTE) else None
            known = evaluation.base_rates.signs(self.direction, sizes)
        return np.maximum(known, 0) if is_even else known


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
        columns of the data; those of weights and clusters it may lack, and then rows count alike.
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

    MALS is ``1/|T|`` times the sum over groups a and classes t of
    ``y(a, t) (P(A^ = a | T^ = t) - P(A = a | T = t))``, where y is 1 if
    ``P(A = a | T = t) > 1/|A|`` in the reference, which also gives ``P(A | T)``. It
    lies between -1 and 1, and mixes both directions. Of two classes the positive one is evaluated.
    Without predicted groups, A^ is A.

    Parameters
    ----------
    reference : pair (y_true, sensitive_features), Counts, BaseRates, frame or path, optional
        Data that decide which groups are over-represented, and their shares; by default the
        evaluated labels. A frame or a path has the columns of the data.
    pos_label : label, optional
        The only class that is evaluated; by default the positive one of two, else all.
    class_labels, group_labels, missing, missing_values
        How data are read, as in :class:`DirectionalBiasAmplification`.

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
        rows, positive = evaluation.rows, evaluation.rows.positive()
        if self.pos_label is None and positive is not None:
            return np.array([rows.class_labels.index(positive)])
        return super().classes(evaluation)
