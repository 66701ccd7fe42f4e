"""Populations with known values, and samples of their rows.

A population of labels is a table P(group, class, predicted group, predicted class); one of label
matrices is a table P(group, label, predicted label) for each column. `exact.py` has the formulas.
The signs of all pairs are clear: three standard errors or more in samples of the given size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from exact import values_of_matrix, values_of_table

Array = Any
Arrays = dict[str, Any]

#: Of metrics: the name of a number, the class of the metric, and its settings.
_BA, _DPA = "DirectionalBiasAmplification", "DirectionalPredictabilityAmplification"
_A_TO_T = {"BA": (_BA, {}), "MALS": ("MALSBiasAmplification", {}), "DPA": (_DPA, {})}
_MULTI = {"Multi": ("MultiAttributeBiasAmplification", {})}
_LABEL_METRICS = _A_TO_T | {
    **_MULTI,
    "BA T->A": (_BA, {"direction": "T->A"}),
    "Multi T->A": ("MultiAttributeBiasAmplification", {"direction": "T->A"}),
    "LA": ("LeakageAmplification", {}),
    "DPA T->A": (_DPA, {"direction": "T->A"}),
}
_SETS_OF_ONE = {"combinations": "subsets", "max_size": 1}
_MATRIX_METRICS = _A_TO_T | {"Multi": ("MultiAttributeBiasAmplification", _SETS_OF_ONE)}


@dataclass(frozen=True)
class Design:
    """A way to draw samples, and the values of its population.

    Attributes
    ----------
    name : str
    draw : callable
        Takes a generator and returns the arguments of a metric.
    values : dict of str to dict of str to float
        Of each metric: its value, and the numbers that belong to it.
    metrics : dict
    """

    name: str
    draw: Callable[[np.random.Generator], Arrays]
    values: dict[str, dict[str, float]]
    metrics: dict[str, tuple[str, dict[str, Any]]]


# Tables.


def build_table(groups: Any, rates: Any, errors: Any, group_errors: Any) -> Array:
    """Return P(a, t, a^, t^) from P(a), P(t | a), P(t^ | a, t) and P(a^ | a, t)."""
    table = np.einsum("a,at,atu,atb->atbu", groups, rates, errors, group_errors)
    return table / table.sum()


def of_two_classes(rates: Any) -> Array:
    """Return rates of class 1 as those of both classes, along a new last axis."""
    rates = np.asarray(rates, dtype=float)
    return np.stack([1 - rates, rates], axis=-1)


def two_groups(named: Any = ((0.08, 0.15), (0.72, 0.90))) -> Array:
    """Return a table of two groups and two classes, of which the model widens the gap.

    ``named`` are the chances, by group and class, that the second group is predicted.
    """
    return build_table(
        [0.55, 0.45],
        of_two_classes([0.35, 0.60]),
        of_two_classes([[0.18, 0.62], [0.30, 0.84]]),
        of_two_classes(named),
    )


def few_errors(share: float, error: float) -> Array:
    """Return a table of two groups, of which the second has this share, and of few errors."""
    return build_table(
        [1 - share, share],
        of_two_classes([0.30, 0.55]),
        of_two_classes([[error, 1 - error]] * 2),
        of_two_classes(((0.08, 0.15), (0.72, 0.90))),
    )


def small_group() -> Array:
    """Return a table of two classes whose third group has 40 rows in 30,000."""
    return build_table(
        _SMALL,
        of_two_classes([0.35, 0.60, 0.75]),
        of_two_classes([[0.18, 0.62], [0.30, 0.84], [0.25, 0.90]]),
        0.8 * np.eye(3)[:, None, :] + 0.2 * np.array([[0.6, 0.2, 0.2], [0.2, 0.2, 0.6]]),
    )


def three_groups(shares: Any, rates: Any) -> Array:
    """Return a table of three groups and four classes; a fifth of the labels is drawn anew."""
    rates = np.asarray(rates, dtype=float)
    leaning = rates**2 / (rates**2).sum(axis=1, keepdims=True)
    errors = 0.75 * np.eye(4) + 0.25 * leaning[:, None, :]
    shown = np.asarray(shares)[:, None] * rates**1.5
    shown = (shown / shown.sum(axis=0)).T
    group_errors = 0.8 * np.eye(3)[:, None, :] + 0.2 * shown
    return build_table(shares, rates, errors, group_errors)


#: No rate is near that of all rows, and no share of a group is near a third.
_RATES = [[0.40, 0.17, 0.28, 0.15], [0.20, 0.25, 0.20, 0.35], [0.10, 0.50, 0.12, 0.28]]
_EVEN, _SMALL = [0.45, 0.33, 0.22], [0.6, 0.4 - 40 / 30_000, 40 / 30_000]
_WIDE_RATES = [[0.45, 0.25, 0.18, 0.12], [0.25, 0.15, 0.35, 0.25], [0.04, 0.53, 0.02, 0.41]]


# Samples of rows.


def as_arrays(cells: Array, shape: tuple[int, ...]) -> Arrays:
    """Return the labels of cells of a table."""
    group, truth, named, predicted = np.unravel_index(cells, shape)
    return {
        "y_true": truth,
        "y_pred": predicted,
        "sensitive_features": group,
        "sensitive_features_pred": named,
    }


def draw_cells(table: Array, n_rows: int, rng: np.random.Generator) -> Array:
    """Return the cell of each row."""
    return rng.choice(table.size, n_rows, p=table.ravel() / table.sum())


def draw_rows(table: Array, n_rows: int, rng: np.random.Generator) -> Arrays:
    """Return rows that are drawn one by one."""
    return as_arrays(draw_cells(table, n_rows, rng), table.shape)


def draw_clusters(table: Array, n_rows: int, n_clusters: int, rng: np.random.Generator) -> Arrays:
    """Return clusters of one group each, in which 40 % of the rows repeat the first one."""
    first = draw_cells(table, n_clusters, rng)
    cluster = rng.integers(n_clusters, size=n_rows)
    cells, per_group = first[cluster], table[0].size
    group, is_new = cells // per_group, rng.random(n_rows) > 0.4
    for a, part in enumerate(table):
        rows = np.flatnonzero(is_new & (group == a))
        cells[rows] = a * per_group + draw_cells(part, len(rows), rng)
    return as_arrays(cells, table.shape) | {"clusters": cluster}


def draw_weighted(table: Array, n_rows: int, rng: np.random.Generator) -> Arrays:
    """Return rows drawn with unequal chances, with lognormal weights that make up for them."""
    chance = np.linspace(0.5, 2.0, table.size).reshape(table.shape)
    cells = draw_cells(table * chance, n_rows, rng)
    weights = rng.lognormal(0, 0.8, n_rows) / chance.ravel()[cells]
    return as_arrays(cells, table.shape) | {"sample_weight": weights}


def draw_probabilities(table: Array, n_rows: int, rng: np.random.Generator) -> Arrays:
    """Return rows whose predictions are beta numbers with the mean P(t^ = 1 | a, t)."""
    arrays = draw_rows(table, n_rows, rng)
    del arrays["sensitive_features_pred"]
    mean = table.sum(axis=2)[..., 1] / table.sum(axis=(2, 3))
    mean = mean[arrays["sensitive_features"], arrays["y_true"]]
    return arrays | {"y_pred": rng.beta(4 * mean, 4 * (1 - mean))}


def draw_matrix(tables: Array, n_rows: int, rng: np.random.Generator) -> Arrays:
    """Return rows of a label matrix."""
    shares = tables[0].sum(axis=(1, 2))
    group = rng.choice(len(shares), n_rows, p=shares)
    rates = tables.sum(axis=3)[..., 1] / shares  # (columns, groups)
    given = tables[..., 1] / tables.sum(axis=3)  # (columns, groups, labels)
    truth = (draw_uniform(n_rows, len(tables), rng) < rates[:, group].T).astype(np.int8)
    chance = np.where(truth == 1, given[:, group, 1].T, given[:, group, 0].T)
    predicted = (draw_uniform(n_rows, len(tables), rng) < chance).astype(np.int8)
    return {"y_true": truth, "y_pred": predicted, "sensitive_features": group}


def draw_uniform(n_rows: int, n_columns: int, rng: np.random.Generator) -> Array:
    """Return uniform numbers; in a third of the rows all columns share one."""
    numbers, is_shared = rng.random((n_rows, n_columns)), rng.random(n_rows) < 1 / 3
    return np.where(is_shared[:, None], numbers[:, :1], numbers)


def matrix_tables(n_columns: int = 20) -> Array:
    """Return P(a, t, t^) of each column, with 6 % ones and gaps that the model widens."""
    position = np.linspace(0, 1, n_columns)
    base, lean = 0.03 + 0.06 * position, np.where(np.arange(n_columns) % 2, 0.45, -0.45)
    rates = base[:, None] * (1 + np.outer(lean, [-1, 1]))
    hit = 0.75 + np.outer(lean, [-0.3, 0.3])
    false = 0.012 + 0.008 * position[:, None] * (1 + np.outer(lean, [-2, 2]))
    given = of_two_classes(np.stack([false, hit], axis=-1))
    return np.einsum("a,kat,katu->katu", [0.55, 0.45], of_two_classes(rates), given)


# Designs.


def _labels(name: str, draw: Any, table: Array, *sizes: int) -> Design:
    return Design(name, partial(draw, table, *sizes), values_of_table(table), _LABEL_METRICS)


def _matrix(name: str, n_rows: int) -> Design:
    tables = matrix_tables()
    draw = partial(draw_matrix, tables, n_rows)
    return Design(name, draw, values_of_matrix(tables), _MATRIX_METRICS)


def _probabilities(name: str, n_rows: int) -> Design:
    table = two_groups(named=((0, 0), (1, 1)))
    draw = partial(draw_probabilities, table, n_rows)
    return Design(name, draw, values_of_table(table), _A_TO_T)


DESIGNS = (
    _labels("labels, 2,000 rows", draw_rows, two_groups(), 2_000),
    _labels("labels, 50,000 rows", draw_rows, three_groups(_EVEN, _RATES), 50_000),
    _labels("group of 40 in 30,000", draw_rows, small_group(), 30_000),
    # On average the value rests on .6 rows of the small group, which the model moves.
    _labels("group of 40, few errors", draw_rows, three_groups(_SMALL, _WIDE_RATES), 30_000),
    _labels("few errors, 600 rows", draw_rows, few_errors(0.5, 0.01), 600),
    _labels("few errors, 100 of 2,100", draw_rows, few_errors(1 / 21, 0.02), 2_100),
    _matrix("matrix, 4,000 x 20", 4_000),
    _matrix("matrix, 30,000 x 20", 30_000),
    _labels("3,000 clusters", draw_clusters, two_groups(), 30_000, 3_000),
    _labels("25,000 clusters", draw_clusters, two_groups(), 30_000, 25_000),
    _labels("weights", draw_weighted, two_groups(), 30_000),
    _probabilities("probabilities", 30_000),
)
