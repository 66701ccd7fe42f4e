"""Rates of groups and classes, in the data and in each replicate: what the verdict is read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy import sparse

from biasamp_adapters.counting.base_rates import BaseRates
from biasamp_adapters.counting.labels import (
    ALL,
    ATTRIBUTE,
    PREDICTED,
    PREDICTION,
    RIGHT,
    SCORE,
    TASK,
    UNANSWERED,
    Array,
    Label,
    positive_class,
)
from biasamp_adapters.counting.margins import Margins, accuracy_by_label, divide, margins_of_data
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.inference.gaps import MOST_GAPS, choose_comparison
from biasamp_adapters.inference.replicates import FurtherScores
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A
from biasamp_adapters.metrics.rates import RateMeasurement, pass_errors
from biasamp_adapters.thresholds.score_or_threshold import implied_rates

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
    unit : {"rows", "effective rows", "clusters"}
    compared : sequence of int
        The positions of the classes that are compared.
    """

    direction: str
    groups: tuple[Label, ...]
    classes: tuple[Label, ...]
    rows: Array
    sizes: Array
    unit: str
    compared: Sequence[int]

    @classmethod
    def of(cls, evaluation: Evaluation, direction: str, pos_label: Label | None) -> Members:
        """Return the members of a direction."""
        (given, of), rows = ROLES[direction], evaluation.rows
        n_rows = margins_of_data(rows.unweighted()).joint(given, ALL)[0, :, 0]
        sizes, unit = _sizes(evaluation, given, n_rows)
        labels = rows.labels_of(of)
        predictions = [x for (role, _), x in rows.variables.items() if role == PREDICTED[of]]
        compared: Sequence[int] = range(len(labels))
        # Where predictions are missing, the rates of two classes do not add up to 1.
        is_one_of_two = len(labels) == 2 and not any(x.has_missing for x in predictions)
        if is_one_of_two and not rows.is_matrix(of):
            compared = [position_of_positive(labels, direction, pos_label)]
        return cls(direction, rows.labels_of(given), labels, n_rows, sizes, unit, compared)

    @cached_property
    def are_too_many(self) -> bool:
        """Whether no comparison has few enough gaps for a verdict."""
        return len(choose_comparison(self.sizes, self.compared).first) > MOST_GAPS


def position_of_positive(labels: tuple[Label, ...], direction: str, pos_label: Label | None) -> int:
    """Return the class of two that says it all; of two groups the second."""
    if direction == T_TO_A:
        return 1
    return labels.index(positive_class(labels) if pos_label is None else pos_label)


def _sizes(evaluation: Evaluation, given: str, n_rows: Array) -> tuple[Array, str]:
    """Return what counts for each group: clusters that have rows of it, or effective rows."""
    rows = evaluation.rows
    if rows.cluster is not None and rows.block_sums is None:
        members = rows.variable(given).sparse[:, : len(n_rows)]
        entries = np.ones(len(rows)), (rows.cluster, np.arange(len(rows)))
        in_cluster = sparse.csr_array(entries, (rows.n_clusters, len(rows))) @ members
        return (in_cluster > 0).sum(axis=0).astype(np.float64), "clusters"
    if rows.w is None:
        return n_rows, "rows"
    margins = margins_of_data(rows)
    weight, squared = (m.joint(given, ALL)[0, :, 0] for m in (margins, margins.squared))
    return divide(weight**2, squared, 0.0), "effective rows"


def measure_groups(ba: RateMeasurement, members: Members) -> FurtherScores:
    """Return the rates of the model and direction of a BA, to be drawn with it."""
    rates = partial(group_rates, members, ba.evaluation.base_rates)
    return FurtherScores(ba.evaluation, ba.model, rates, 3 * ba.width, ba.n_pairs)


def group_rates(
    members: Members, base_rates: BaseRates | None, margins: Margins
) -> dict[str, Array]:
    """Return rates in labels and predictions, with equal error rates, and error rates.

    They have the shape (batch, groups + 1, classes), and the last group is all rows. Rows with
    scores of two classes also have the rates that the scores imply.
    """
    given, of = ROLES[members.direction]
    rows = _with_all(margins, given, ALL)
    predicted = _with_all(margins, given, PREDICTED[of])
    # Sums of weights are rounded, so that their ratios can be off by 1e-16.
    rates = {"predicted": divide(predicted, rows).clip(0, 1)}
    if base_rates is not None:
        true = _rates_by_hand(base_rates.rates(members.direction), given, rows)
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
        if of == TASK and margins.variable(PREDICTION).has_missing:
            rates["missing"] = divide(_with_all(margins, given, UNANSWERED), true)
    if given == ATTRIBUTE and margins.has(SCORE):
        by_group = _with_all(margins, ATTRIBUTE, SCORE)
        rates["implied"] = implied_rates(by_group, margins.joint(TASK, SCORE))
    return {name: rate.clip(0, 1) for name, rate in rates.items()}


def with_draws(point: Mapping[str, Array], draws: Mapping[str, Array]) -> dict[str, Array]:
    """Return rates of the data, and those of replicates, if there are any, after them."""
    return {name: np.concatenate([x, draws[name]]) if draws else x for name, x in point.items()}


def _with_all(margins: Margins, given: str, role: str) -> Array:
    """Return sums by group and another variable, with those of all rows as a last group."""
    return np.concatenate([margins.joint(given, role), margins.joint(ALL, role)], axis=1)


def _rates_by_hand(rates: Array, given: str, rows: Array) -> Array:
    """Return given rates by group, with their mean over rows as those of a last group."""
    by_group = rates if given == ATTRIBUTE else rates.T
    weights = divide(rows[:, :-1], rows[:, :-1].sum(axis=1, keepdims=True))
    mean = (weights * by_group).sum(axis=1, keepdims=True)
    return np.concatenate([np.broadcast_to(by_group, (len(rows), *by_group.shape)), mean], axis=1)
