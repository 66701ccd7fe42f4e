"""Values of a population in closed form, written from the papers and not from the package.

The names of numbers are those of a result's estimates. The signs are those of the population.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
Values = dict[str, dict[str, float]]


def values_of_table(table: Array) -> Values:
    """Return the values of P(group, class, predicted group, predicted class)."""
    pairs, named = table.sum(axis=(2, 3)), table.sum(axis=(0, 3)).T  # (a, t), (a^, t)
    predicted, joint_errors = table.sum(axis=(1, 2)), table.sum(axis=(0, 2))  # (a, t^), (t, t^)
    group_errors = table.sum(axis=(1, 3))  # (a, a^)
    right, right_group = np.trace(joint_errors), np.trace(group_errors)
    by_class, by_group = conditional(joint_errors), conditional(group_errors)
    equal, equal_named = pairs @ by_class, by_group.T @ pairs
    groups, classes = pairs.sum(axis=1, keepdims=True), pairs.sum(axis=0, keepdims=True)
    values = change_values("", pairs, predicted, equal, groups)
    values |= change_values(" T->A", pairs, named, equal_named, classes)
    both, equal_both = table.sum(axis=(0, 1)), by_group.T @ equal  # (a^, t^)
    values["MALS"] = mals_values(pairs, both, equal_both, positive=classes.size == 2)
    flipped, named_by_class = flip(pairs, right), named.T
    values["DPA"] = dpa_values(flipped, predicted)
    values["DPA T->A"] = dpa_values(flip(pairs.T, right_group), named_by_class)
    values["LA"] = leakage_values(flipped.T, predicted.T)
    return values | rate_gap_values(predicted, groups)


def values_of_matrix(tables: Array) -> Values:
    """Return the values of P(group, label, predicted label) of each column."""
    groups = tables[0].sum(axis=(1, 2))[:, None]
    pairs, predicted = tables[:, :, 1].sum(axis=2).T, tables[:, :, :, 1].sum(axis=2).T
    rates = conditional(tables.sum(axis=1))[..., 1]  # (columns, labels)
    equal = pairs * rates[:, 1] + (groups - pairs) * rates[:, 0]
    values = change_values("", pairs, predicted, equal, groups)
    values["MALS"] = mals_values(pairs, predicted, equal, positive=False)
    columns = []
    for table in tables:
        right = np.trace(table.sum(axis=0))
        columns.append(dpa_values(flip(table.sum(axis=2), right), table.sum(axis=1)))
    values["DPA"] = {name: float(np.mean([c[name] for c in columns])) for name in columns[0]}
    return values | rate_gap_values(predicted, groups)


def conditional(table: Array) -> Array:
    """Return P(second | first), over the last axis."""
    return table / table.sum(axis=-1, keepdims=True)


def change_values(suffix: str, pairs: Array, predicted: Array, equal: Array, rows: Array) -> Values:
    """Return BA and Multi from P(a, t), the predicted P, and that of equal error rates."""
    groups = pairs.sum(axis=1, keepdims=True) if suffix else rows
    classes = rows if suffix else pairs.sum(axis=0, keepdims=True)
    sign, change = np.sign(pairs - groups * classes), (predicted - pairs) / rows
    value, of_equal = np.mean(sign * change), np.mean(sign * (equal - pairs) / rows)
    return {
        f"BA{suffix}": as_floats(value=value, equal_errors=of_equal, excess=value - of_equal),
        f"Multi{suffix}": as_floats(value=np.abs(change).mean(), variance=change.var()),
    }


def mals_values(
    pairs: Array, predicted: Array, equal: Array, *, positive: bool
) -> dict[str, float]:
    """Return MALS from P(a, t), P(a^, t^) and that of equal error rates."""
    true, made, blind = (x / x.sum(axis=0, keepdims=True) for x in (pairs, predicted, equal))
    counted = (true > 1 / len(true)).astype(float)
    chosen = slice(1, None) if positive else slice(None)
    value, of_equal = (
        (counted * (rates - true))[:, chosen].sum(axis=0).mean() for rates in (made, blind)
    )
    return as_floats(value=value, equal_errors=of_equal, excess=value - of_equal)


def flip(table: Array, right: float) -> Array:
    """Return a table whose last labels are kept with a chance, else another one at random."""
    wrong = (1 - right) / (table.shape[1] - 1)
    return wrong * table.sum(axis=1, keepdims=True) + (right - wrong) * table


def dpa_values(dataset: Array, model: Array) -> dict[str, float]:
    """Return DPA by 1 / cross-entropy, and its levels, from tables (seen, guessed)."""
    losses = [-(table * np.log(conditional(table))).sum() for table in (dataset, model)]
    value = (losses[0] - losses[1]) / (losses[0] + losses[1])
    return as_floats(value=value, psi_dataset=1 / losses[0], psi_model=1 / losses[1])


def leakage_values(dataset: Array, model: Array) -> dict[str, float]:
    """Return LA by balanced accuracy, and its levels, from tables (seen, guessed)."""
    levels = [(x / x.sum(axis=0)).max(axis=1).sum() / x.shape[1] for x in (dataset, model)]
    return as_floats(value=levels[1] - levels[0], psi_dataset=levels[0], psi_model=levels[1])


def rate_gap_values(predicted: Array, groups: Array) -> Values:
    """Return how much more often the last class is predicted for the second group."""
    rates = (predicted / groups)[:, -1]
    return {"rate gap": as_floats(value=rates[1] - rates[0])}


def as_floats(**numbers: Any) -> dict[str, float]:
    """Return numbers as plain floats."""
    return {name: float(number) for name, number in numbers.items()}
