"""All numbers of one model in one direction: rates of groups, metrics and the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.summary import DOWN, UP, Number, OfModel
from biasamp_adapters.counting.base_rates import BaseRates
from biasamp_adapters.counting.labels import (
    ALL,
    ATTRIBUTE,
    MISSING,
    PREDICTED,
    RIGHT,
    SCORE,
    TASK,
    UNANSWERED,
    Array,
    Label,
)
from biasamp_adapters.counting.margins import (
    Margins,
    accuracy_by_label,
    count_rows,
    divide,
    margins_of_data,
    pass_errors,
)
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.inference.bands import NOISE, simultaneous_bands, without_noise
from biasamp_adapters.inference.intervals import Estimate, Trust, estimate
from biasamp_adapters.inference.replicates import FurtherScores
from biasamp_adapters.inference.verdict import Gap, Judgement
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A
from biasamp_adapters.metrics.rates import RateMeasurement
from biasamp_adapters.result import AmplificationResult
from biasamp_adapters.thresholds.sweep import implied_rates

#: What the rates of a direction are given, and what they are rates of.
ROLES = {A_TO_T: (ATTRIBUTE, TASK), T_TO_A: (TASK, ATTRIBUTE)}


@dataclass(frozen=True, eq=False)
class Members:
    """What a direction compares: groups in their rates of classes; for "T->A" the reverse.

    Attributes
    ----------
    direction : {"A->T", "T->A"}
    groups, classes : tuples of labels
    rows : ndarray of shape (groups,)
        Rows of the data.
    sizes : ndarray of shape (groups,)
        What decides whether a group is compared: rows, effective rows or clusters.
    compared : sequence of int
        The positions of the classes that are compared.
    """

    direction: str
    groups: tuple[Label, ...]
    classes: tuple[Label, ...]
    rows: Array
    sizes: Array
    compared: Sequence[int]

    @classmethod
    def of(cls, evaluation: Evaluation, direction: str, pos_label: Label | None) -> Members:
        """Return the members of a direction."""
        (given, of), rows = ROLES[direction], evaluation.rows
        sizes = margins_of_data(rows).sizes(given, ALL)[0, :, 0]
        groups, labels = rows.labels_of(given), rows.labels_of(of)
        predictions = [x for (role, _), x in rows.variables.items() if role == PREDICTED[of]]
        compared: Sequence[int] = range(len(labels))
        # Where predictions are missing, the rates of two classes do not add up to 1.
        is_one_of_two = len(labels) == 2 and not any(x.has_missing for x in predictions)
        if is_one_of_two and not rows.is_matrix(of):
            # Of two groups, the second says it all.
            compared = [1 if direction == T_TO_A else labels.index(rows.positive(pos_label))]
        return cls(direction, groups, labels, count_rows(rows, given), sizes, compared)


def measure_groups(ba: RateMeasurement) -> FurtherScores:
    """Return the rates of the model and direction of a BA, to be drawn with it."""
    rates = partial(group_rates, ba.metric.direction, ba.evaluation.base_rates)
    return FurtherScores(ba.evaluation, ba.model, rates, "", 3 * ba.width, ba.n_pairs)


def group_rates(direction: str, base_rates: BaseRates | None, margins: Margins) -> dict[str, Array]:
    """Return rates in labels and predictions, with equal error rates, and error rates.

    They have the shape (batch, groups + 1, classes), and the last group is all rows. Rows with
    scores of two classes also have the rates that the scores imply.
    """
    given, of = ROLES[direction]
    rows = _with_all(margins, given, ALL)
    predicted = _with_all(margins, given, PREDICTED[of])
    # Sums of weights are rounded, so that their ratios can be off by 1e-16.
    rates = {"predicted": divide(predicted, rows).clip(0, 1)}
    if margins.variable(PREDICTED[of]).has_missing:
        rates |= missing_rates(direction, margins)
    if base_rates is not None:
        true = _rates_by_hand(base_rates.rates(direction), given, rows)
        return {"true": np.broadcast_to(true, predicted.shape), **rates}
    true, right = (_with_all(margins, given, role) for role in (of, RIGHT[of]))
    rates["true"] = divide(true, rows)
    rates["equal"] = divide(pass_errors(margins, of, true, rows), rows)
    rates["tpr"] = divide(right, true)
    rates["fpr"] = divide(predicted - right, rows - true)
    if margins.variable(of).is_matrix:
        rates["accuracy"] = accuracy_by_label(margins, of).mean(axis=1, keepdims=True)
    else:
        rates["accuracy"] = divide(right.sum(axis=2), rows[..., 0])
    if given == ATTRIBUTE and margins.has(SCORE):
        by_group = _with_all(margins, ATTRIBUTE, SCORE)
        rates["implied"] = implied_rates(by_group, margins.joint(TASK, SCORE))
    return {name: rate.clip(0, 1) for name, rate in rates.items()}


def missing_rates(direction: str, margins: Margins) -> dict[str, Array]:
    """Return the shares of missing predictions of rows labelled alike, as :func:`group_rates`."""
    given, of = ROLES[direction]
    labelled = labels_of_missing(direction, margins)
    role = MISSING[of] if labelled == ALL else UNANSWERED[of]
    unanswered, all_alike = (_with_all(margins, given, x) for x in (role, labelled))
    return {"missing": divide(unanswered, all_alike)}


def labels_of_missing(direction: str, margins: Margins) -> str:
    """Return by which variable rows are labelled alike; columns and given rates label none."""
    of = ROLES[direction][1]
    is_one_column = margins.has(of) and not margins.variable(of).is_matrix
    return of if is_one_column else ALL


def _with_all(margins: Margins, given: str, role: str) -> Array:
    """Return sums by group and another variable, with those of all rows as a last group."""
    return np.concatenate([margins.joint(given, role), margins.joint(ALL, role)], axis=1)


def _rates_by_hand(rates: Array, given: str, rows: Array) -> Array:
    """Return given rates by group, with their mean over rows as those of a last group."""
    by_group = rates if given == ATTRIBUTE else rates.T
    weights = divide(rows[:, :-1], rows[:, :-1].sum(axis=1, keepdims=True))
    mean = (weights * by_group).sum(axis=1, keepdims=True)
    return np.concatenate([np.broadcast_to(by_group, (len(rows), *by_group.shape)), mean], axis=1)


@dataclass(frozen=True, eq=False)
class ModelAudit:
    """All numbers of one model in one direction.

    Attributes
    ----------
    direction, model : str
    members : Members
    rates : dict of str to ndarray
        As of :func:`group_rates`, those of the data first.
    results : list of AmplificationResult
        BA is the first.
    strata : list of AmplificationResult
        BA of each stratum.
    judgement : Judgement
    confidence : float
    reason : str
        Why there are no replicates; empty if there are some.
    """

    direction: str
    model: str
    members: Members
    rates: dict[str, Array]
    results: list[AmplificationResult]
    strata: list[AmplificationResult]
    judgement: Judgement
    confidence: float
    reason: str

    @property
    def about(self) -> OfModel:
        """What all records of it have."""
        return OfModel(model=self.model, direction=self.direction)

    @property
    def ba(self) -> AmplificationResult:
        """BA of all rows."""
        return self.results[0]

    @property
    def evaluation(self) -> Evaluation:
        """The rows, and what decides the signs."""
        return self.ba.measurement.evaluation

    @property
    def is_matrix(self) -> bool:
        """Whether each class is a column of its own."""
        return self.evaluation.rows.is_matrix(ROLES[self.direction][1])

    @cached_property
    def pairs(self) -> dict[str, Array]:
        """Scores of BA of each pair, in the order of the members."""
        pairs = self.ba.measurement.pairs()
        return pairs if self.direction == A_TO_T else {name: x.T for name, x in pairs.items()}

    @cached_property
    def gaps(self) -> list[Gap]:
        """The gaps from the most certain change on."""
        return sort_gaps(self.judgement.gaps)

    @property
    def named(self) -> list[int]:
        """The positions of the gaps that are named: the most certain of each kind in the code."""
        if len(self.gaps) == 1:
            return [0]
        statuses = [gap.status for gap in self.gaps]
        sides = (DOWN, ("reverses",)) if self.judgement.code == "reverses" else (UP, DOWN)
        first = (next((x for x in statuses if x in side), None) for side in sides)
        return list(dict.fromkeys(statuses.index(status) for status in first if status))

    @cached_property
    def _positions(self) -> dict[Label, int]:
        return {label: i for i, label in enumerate(self.members.groups)}

    def places(self, gap: Gap) -> tuple[list[int], int]:
        """Return the positions of both groups of a gap, of which -1 is all rows, and its class."""
        groups = [self._positions.get(label, -1) for label in (gap.first, gap.second)]
        return groups, self.members.classes.index(gap.of_class)

    def rate(self, name: str, of_class: int, labelled: str) -> tuple[Array, Array]:
        """Return a rate of all groups, and the rows that it is a share of in each group."""
        draws, margins = self.rates[name][:, :-1], self.ba.measurement.margins
        sizes = margins.sizes_of_kind(*ROLES[self.direction], of_class, labelled)
        return draws if name == "accuracy" else draws[..., of_class], sizes

    @cached_property
    def numbers(self) -> dict[str, Estimate]:
        """The numbers in which models are compared; excess and accuracy only if they exist."""
        mean_change = self.explained(self.judgement.mean_change)
        numbers = {"BA": self.ba.estimate, "mean change": mean_change}
        if self.ba.excess is not None:
            numbers["excess"] = self.ba.excess
        if self.direction == A_TO_T and "accuracy" in self.rates:
            numbers["accuracy"] = self.estimate(self.rates["accuracy"][:, -1])
        return numbers

    def explained(self, number: Estimate) -> Estimate:
        """Return a number that has no interval as nothing was drawn with the reason for that."""
        is_drawn = number.reason != words.NOT_REQUESTED
        return number if is_drawn else replace(number, reason=self.reason)

    def estimate(self, draws: Array, reason: str = "") -> Estimate:
        """Return a number with its interval; the first draw is that of the data."""
        too_many = words.TOO_MANY_RATES if len(draws) == 1 else ""
        trust = Trust(draws[1:], reason or self.reason or too_many)
        return estimate(float(draws[0]), trust, self.confidence)

    def number(self, draws: Array) -> Number:
        """Return a number with its interval as plain values."""
        return to_number(self.estimate(draws))


def sort_gaps(gaps: Sequence[Gap]) -> list[Gap]:
    """Return gaps from the most certain change on: that with the band farthest from 0.

    Gaps that are not clear come last, even if their rates move clearly.
    """
    return sorted(
        gaps, key=lambda gap: (gap.status != "unclear", max(gap.low, -gap.high)), reverse=True
    )


def key_of(name: str, direction: str) -> str:
    """Return a name in letters, digits and underscores."""
    suffix = "" if name == "accuracy" else f" {direction.replace('->', '_to_')}"
    return f"{name}{suffix}".replace(" ", "_").lower()


def draws_of(audits: Sequence[ModelAudit], name: str) -> list[Array] | None:
    """Return a number of models, in the data and in replicates; None if it is missing in one."""
    numbers = [audit.numbers.get(name, Estimate(np.nan)) for audit in audits]
    if not all(math.isfinite(number.value) for number in numbers):
        return None
    return [np.r_[number.value, number.replicates] for number in numbers]


def bands_of(changes: Array, name: str, audit: ModelAudit) -> tuple[Array, Array]:
    """Return bands of changes of a number between models, one family; NaN without replicates.

    They have half a row of the smallest group; of accuracy, half of one of all rows.
    """
    sizes = audit.members.sizes
    smallest = max(sizes[sizes > 0].min(initial=np.inf), 1)
    half_row = 0.5 / (audit.evaluation.rows.n_rows if name == "accuracy" else smallest)
    return simultaneous_bands(changes[0], changes[1:], half_row, audit.confidence)


def to_number(number: Estimate) -> Number:
    """Return a number with its interval as plain values; what does not exist is None."""
    value, low, high = map(finite, (number.value, number.low, number.high))
    return Number(value=value, low=low, high=high, reason=number.reason)


def plain_numbers(values: Array) -> list[float | None]:
    """Return numbers of an array, one after the other, as :func:`finite` returns one."""
    numbers = without_noise(values).ravel().tolist()
    return [x if math.isfinite(x) else None for x in numbers]


def finite(x: float) -> float | None:
    """Return a number without rounding noise, which would lie on one side of 0; None of NaN."""
    if not math.isfinite(x):
        return None
    return 0.0 if abs(x) < NOISE else float(x)
