"""The numbers of LA and DPA for a random case, by the oracles in exact fractions.

Each column of a matrix, or pair of columns, is single-label data of its own.
"""

from collections.abc import Sequence
from itertools import product
from math import inf
from typing import Any, NamedTuple

import exact_oracle
import matrix_oracle
from exact_oracle import Row
from fraction_case import Case
from fraction_values import Number, Numbers, label_rows, matrix_data
from matrix_oracle import Column, Columns
from scipy.stats import chi2

UNCERTAINTY = "uncertainty_coefficient"

#: Pairs are attacked one by one up to this many, as fractions are slow.
_MOST_PAIRS = 6

#: Which variable the channel flips, and who predicts whom.
ATTACKS = {
    "A->T": ("t", ("a", "t_hat")),
    "T->A": ("a", ("t", "a_hat")),
    "LA": ("t", ("t_hat", "a")),
}


class Levels(NamedTuple):
    value: Any
    of_dataset: Any
    of_model: Any

    @property
    def scale(self) -> float:
        """The larger level that is finite, and 1 at least."""
        levels = [abs(level) for level in (self.of_dataset, self.of_model) if level != inf]
        return float(max([1, *levels]))


def attack_numbers(case: Case) -> Numbers:
    """Return the value and both levels, averaged over columns, and the value of each pair."""
    is_flipped = case.options["equalize"] is not None
    parts = [
        attack(rows, case, labels if is_flipped else None)
        for rows, labels in _columns_of_target(case)
    ]
    scale = max(part.scale for part in parts)
    means = (
        None if None in column else sum(column) / len(parts) for column in zip(*parts, strict=True)
    )
    names = ("value", "psi_dataset", "psi_model")
    numbers = {name: Number(x, scale) for name, x in zip(names, means, strict=True)}
    n_pairs = len(case.group_labels) * len(case.class_labels)
    if n_pairs <= _MOST_PAIRS and case.options["quality"] != "f1":
        # The package has the F1 score of the indicator itself, the oracle the mean of both values.
        numbers |= _pair_numbers(case)
    return numbers


def _columns_of_target(case: Case) -> list[tuple[list[Row], Sequence[Any]]]:
    """Return the rows of each column that is guessed, and the labels that are flipped."""
    flipped, (_, target) = ATTACKS[case.attack]
    labels = case.class_labels if flipped == "t" else case.group_labels
    if not case.has_matrix:
        return [(label_rows(case), labels)]
    rows, nothing = matrix_data(case), [None] * len(case)
    if case.tasks_are_matrix:
        return [
            (_indicators(case.groups, rows.t[column], nothing, guess, w=rows.w), [0, 1])
            for column, guess in _with_missing(rows.t_hat, case.y_pred).items()
        ]
    if target == "a_hat":
        return [
            (_indicators(rows.a[group], case.y_true, guess, nothing, w=rows.w), [0, 1])
            for group, guess in _with_missing(rows.a_hat, case.groups_pred).items()
        ]
    return [
        ([row._replace(a=a) for row, a in zip(label_rows(case), column, strict=True)], labels)
        for column in rows.a.values()
    ]


def _with_missing(columns: Columns, predicted: Sequence[Any]) -> Columns:
    return {
        name: [None if row is None else x for x, row in zip(column, predicted, strict=True)]
        for name, column in columns.items()
    }


def _pair_numbers(case: Case) -> Numbers:
    """Return the value of the attack on the indicators of each group and class."""
    rows, numbers = matrix_data(case), {}
    labels = None if case.options["equalize"] is None else [0, 1]
    for group, column in product(rows.a, rows.t):
        name = f"pair {case.pair_name(group, (column,))}"
        if matrix_oracle.measure(rows.w, rows.a[group]) in (0, sum(rows.w)):
            numbers[name] = Number(None)  # The indicator of the group does not vary.
            continue
        columns = rows.a[group], rows.t[column], rows.a_hat[group], rows.t_hat[column]
        levels = attack(_indicators(*columns, w=rows.w), case, labels)
        numbers[name] = Number(levels.value, levels.scale)
    return numbers


def attack(rows: Sequence[Row], case: Case, labels: Sequence[Any] | None) -> Levels:
    """Return the attack on single labels; ``labels`` are those that are flipped."""
    flipped, roles = ATTACKS[case.attack]
    truth = exact_oracle.with_truth(rows, flipped)
    if labels is not None:
        truth = exact_oracle.with_random_errors(rows, flipped, labels)
    quality = case.options["quality"]
    if quality == UNCERTAINTY:
        return _attack_of_uncertainty(truth, rows, roles, case)
    score, is_loss = exact_oracle.SCORES[quality]
    dataset, model = score(truth, *roles), score(rows, *roles)
    levels = [dataset, model]
    if is_loss:
        levels = [1 / loss if loss else inf for loss in levels]
    if abs(dataset - model) <= 1e-12 * max(abs(dataset), abs(model)):
        return Levels(0, *levels)
    if case.is_absolute:
        return Levels(levels[1] - levels[0], *levels)
    if min(dataset, model) < 0:
        return Levels(None, *levels)  # A ratio of levels below 0 means nothing.
    gain = dataset - model if is_loss else model - dataset
    return Levels(gain / (dataset + model), *levels)


def _attack_of_uncertainty(
    truth: Sequence[Row], rows: Sequence[Row], roles: tuple[str, str], case: Case
) -> Levels:
    """Return the attack by Theil's U; a difference where neither table shows a dependence."""
    dataset, model = uncertainty(truth, *roles), uncertainty(rows, *roles)
    is_ratio = any(is_dependent(part, *roles, case.effective_rows) for part in (truth, rows))
    change, total = model - dataset, model + dataset
    if is_ratio and not case.is_absolute:
        change = change / total if total else 0.0
    return Levels(change, dataset, model)


def entropies(rows: Sequence[Row], source: str, target: str) -> tuple[float, float]:
    """Return H(target) and H(target | source) in nats."""
    constant = [row._replace(**{source: 0}) for row in rows]
    return tuple(exact_oracle.loss_cross_entropy(part, source, target) for part in (constant, rows))


def uncertainty(rows: Sequence[Row], source: str, target: str) -> float:
    """Return Theil's U, the share of H(target) that the source explains."""
    whole, left = entropies(rows, source, target)
    return max(whole - left, 0.0) / whole if whole else 0.0


def is_dependent(rows: Sequence[Row], source: str, target: str, n_rows: float) -> bool:
    """Return whether G = 2 n (H(target) - H(target | source)) is above chi-square's 95 %."""
    whole, left = entropies(rows, source, target)
    inputs, targets = ({getattr(r, name) for r in rows if r.w} for name in (source, target))
    degrees = (len(inputs) - 1) * (len(targets) - 1)
    return degrees > 0 and 2 * n_rows * (whole - left) > chi2.ppf(0.95, degrees)


def _certain(row: Row) -> list[Row]:
    """The row with 0/1 predictions, each as heavy as it is likely; None is an abstention."""
    out = [row]
    for name in ("a_hat", "t_hat"):
        chance = getattr(row, name)
        if chance is not None:
            likely = {1: chance, 0: 1 - chance}
            out = [r._replace(**{name: x}, w=r.w * p) for r in out for x, p in likely.items() if p]
    return out


def _indicators(*columns: Column, w: Column) -> list[Row]:
    rows = (Row(*parts) for parts in zip(*columns, w, strict=True))
    return [part for row in rows for part in _certain(row)]
