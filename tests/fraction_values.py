"""The numbers of BA, MALS and Multi for a random case, by the oracles in exact fractions.

Single labels are read as a matrix with a column for each class. None stands for undefined.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import matrix_oracle
from exact_oracle import Row, Scores, mean
from fraction_case import Case
from matrix_oracle import Data


class Number(NamedTuple):
    """A number of the oracle; differences from it are divided by ``scale``.

    The scale is 1 but for inverse losses, which have no upper bound: there it is the larger level.
    """

    value: Any
    scale: float = 1.0


Numbers = dict[str, Number]


def rate_numbers(case: Case, scores: Scores, equal_errors: Scores | None = None) -> Numbers:
    numbers = {"value": Number(scores.value)}
    if case.metric.startswith("Multi"):
        numbers["variance"] = Number(scores.variance)
    elif equal_errors is not None:
        excess = None
        if scores.value is not None and equal_errors.value is not None:
            excess = scores.value - equal_errors.value
        numbers["equal_errors"] = Number(equal_errors.value)
        numbers["excess"] = Number(excess)
    for pair, change in scores.deltas.items():
        name = case.pair_name(*pair)
        numbers[f"change {name}"] = Number(change)
        contribution = change
        if change is not None:
            size = abs(change) if case.metric.startswith("Multi") else change
            contribution = scores.coefficients[pair] * size
        numbers[f"contribution {name}"] = Number(contribution)
        if case.metric in ("BA A->T", "BA T->A", "MALS"):
            numbers[f"sign {name}"] = Number(scores.coefficients[pair])
    return numbers


# Single labels.


def label_rows(case: Case) -> list[Row]:
    """Return the rows of single labels; one with a probability is a row for each class."""
    groups_pred = case.groups if case.groups_pred is None else case.groups_pred
    truth = case.y_true or [None] * len(case)
    weights = case.weights or [Fraction(1)] * len(case)
    rows = []
    for a, t, a_hat, t_hat, w in zip(
        case.groups, truth, groups_pred, case.y_pred, weights, strict=True
    ):
        if case.task_kind == "chances" and t_hat is not None:
            rows += [Row(a, t, a_hat, 1, w * t_hat), Row(a, t, a_hat, 0, w * (1 - t_hat))]
        else:
            rows.append(Row(a, t, a_hat, t_hat, w))
    return rows


# Label matrices and overlapping groups.


def one_hot(labels: Sequence[Any], classes: Sequence[Any]) -> list[list[int] | None]:
    """Return a row of indicators for each label; None stays None."""
    return [None if x is None else [int(x == one) for one in classes] for x in labels]


def _chances_of_classes(case: Case) -> list[list[Any] | None]:
    """Return the predicted tasks as rows of indicators or of probabilities."""
    if case.tasks_are_matrix:
        return case.y_pred
    if case.task_kind == "chances":
        ways = [None if p is None else {0: 1 - p, 1: p} for p in case.y_pred]
        return [None if p is None else [p[label] for label in case.class_labels] for p in ways]
    return one_hot(case.y_pred, case.class_labels)


def matrix_data(case: Case) -> Data:
    """Return the rows with a column of indicators for each class, and for overlapping groups."""
    predicted = _chances_of_classes(case)
    if case.y_true is None:  # Rates are set by hand, and no truth is read.
        first = next(row for row in predicted if row is not None)
        truth = [[0] * len(first)] * len(case)
    else:
        truth = case.y_true if case.tasks_are_matrix else one_hot(case.y_true, case.class_labels)
    groups = None if case.groups_are_matrix else case.group_labels
    return matrix_oracle.data(truth, predicted, case.groups, case.groups_pred, case.weights, groups)


def reference_data(case: Case) -> Data | None:
    if case.reference is None:
        return None
    y_true, attribute, weights = case.reference
    truth = y_true if case.tasks_are_matrix else one_hot(y_true, case.class_labels)
    groups = None if case.groups_are_matrix else case.group_labels
    return matrix_oracle.data(truth, None, attribute, weights=weights, groups=groups)


def matrix_numbers(case: Case) -> Numbers:
    rows, reference = matrix_data(case), reference_data(case)
    columns = [(case.class_labels.index(label),) for label in case.evaluated_classes]
    if case.name == "Multi":
        sets = matrix_oracle.task_sets(rows, reference, **case.options)
        if not case.tasks_are_matrix:
            sets = [labels for labels in sets if labels in columns]
        return rate_numbers(case, matrix_oracle.multi(rows, case.direction, sets, reference))
    predicted = {"A->T": "t", "T->A": "a", "undirected": "at"}[case.direction]
    errors = matrix_oracle.with_blind_errors(rows, predicted, not case.tasks_are_matrix)
    if case.name == "MALS":
        scores, equal = (
            matrix_oracle.mals(part, reference or rows, columns) for part in (rows, errors)
        )
        return rate_numbers(case, scores, None if case.y_true is None else equal)
    scores, equal = (
        matrix_oracle.directional(part, case.direction, reference or rows, columns)
        for part in (rows, errors)
    )
    return rate_numbers(case, scores, equal)


# Rates that are set by hand.


def scores_of_base_rates(case: Case) -> Scores:
    """Return the scores of rates that are set by hand: changes from them, and their signs."""
    rows = matrix_data(case)
    coefficients, changes = {}, {}
    for column, label in product(rows.a, case.evaluated_classes):
        group = case.group_labels[column] if case.groups_are_matrix else column
        task = case.class_labels.index(label)
        event, given = {
            "A->T": (rows.t_hat[task], rows.a[column]),
            "T->A": (rows.a_hat[column], rows.t[task]),
            "undirected": (rows.a_hat[column], rows.t_hat[task]),
        }[case.direction]
        rate = matrix_oracle.rate(rows.w, event, given)
        pair = column, (task,)
        changes[pair] = None if rate is None else rate - case.base_rates.rates[group, label]
        coefficients[pair] = _coefficient_of_base_rates(case, rows, group, label)
    signed = [coefficients[pair] * d for pair, d in changes.items() if d is not None]
    sizes = map(abs, signed) if case.name == "Multi" else signed
    value, centre = mean(sizes), mean(signed)
    if case.direction == "undirected" and value is not None:
        value *= len(rows.a)  # The sum is over groups, and the mean over classes.
    return Scores(coefficients, changes, value, mean((d - centre) ** 2 for d in signed))


def _coefficient_of_base_rates(case: Case, rows: Data, group: Any, label: Any) -> int:
    """Return what multiplies the change of a pair: 1 or 0, a sign given by hand, or the rates'."""
    table = case.base_rates
    rate = table.rates[group, label]
    if case.direction == "undirected":
        return int(rate > Fraction(1, len(case.group_labels)))
    if case.name == "Multi":
        return 1
    if table.signs is not None:
        return table.signs[group, label]
    shares = table.group_shares
    if shares is None:
        sizes = [matrix_oracle.measure(rows.w, column) for column in rows.a.values()]
        shares = dict(zip(case.group_labels, sizes, strict=True))
    if not any(shares.values()):
        return 0  # No row has a group, and no change is defined.
    typical = shares[group]
    if case.direction == "A->T":
        weighted = sum(share * table.rates[other, label] for other, share in shares.items())
        typical = Fraction(weighted) / sum(shares.values())
    return (rate > typical) - (rate < typical)
