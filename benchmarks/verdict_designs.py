"""The designs of the trials of the verdict. Rates, rows and names (the seeds) stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from verdict_samples import Array, Design


def scaled(rates: Any, factor: Any) -> Array:
    """Return rates whose gaps are multiplied, around the mean of each column."""
    mean = np.mean(rates, axis=0)
    return (mean + factor * (rates - mean)).clip(0, 1)


def rare_rates(rng: np.random.Generator, shape: Any) -> Array:
    return rng.beta(1, 14, shape).clip(0.005, 0.4)


TWO, GROWN = [0.35, 0.55], [0.30, 0.60]
FOUR = [0.3, 0.5, 0.4, 0.6]
SIX = np.array([0.2, 0.3, 0.35, 0.5, 0.6, 0.7])
TWELVE = np.linspace(0.2, 0.7, 12)
THREE_CLASSES = np.array([[0.6, 0.3, 0.1], [0.4, 0.35, 0.25], [0.3, 0.3, 0.4]])
TEN_CLASSES = np.random.default_rng(3).dirichlet(np.full(10, 3.0), 4)
TWENTY_CLASSES = np.random.default_rng(4).dirichlet(np.full(20, 3.0), 2)
UNEVEN = tuple(np.array([30, 20, 10, 10, 5, 5, 5, 5, 4, 3, 2, 1]) / 100)
RARE = np.random.default_rng(5)
TASKS, TASKS_OF_THREE = rare_rates(RARE, (2, 20)), rare_rates(RARE, (3, 20))
VERBS, MANY = rare_rates(RARE, (2, 66)), rare_rates(RARE, 500)
FLAT, WEAK, MANY = scaled(VERBS, 0), scaled(VERBS, 0.25), np.tile(MANY.clip(0.01, 0.25), (2, 1))
HALF_UP_HALF_DOWN = np.where(np.arange(20) % 2, 1.8, 0.3)
MANY_TASKS = rare_rates(np.random.default_rng(6), (12, 100))


def designs() -> Iterator[Design]:
    """Yield all designs: gaps are kept, vanish, change."""
    parts = {
        "kept": (kept_at_two_sizes, kept, kept_in_rows, kept_in_review),
        "vanish": (vanishing,),
        "change": (changing_at_two_sizes, changing, changing_in_review),
    }
    for truth, functions in parts.items():
        for function in functions:
            for design in function():
                yield replace(design, truth=truth)


def kept_at_two_sizes() -> Iterator[Design]:
    for rows in (1000, 6000):
        yield Design("gap kept, 2 groups", TWO, TWO, rows)
        yield Design("no gap, 2 groups", [0.4, 0.4], [0.4, 0.4], rows)
        yield Design("no gap, 6 groups", [0.4] * 6, [0.4] * 6, rows)
        yield Design("tiny gap kept, 2 groups", [0.40, 0.43], [0.40, 0.43], rows)
        yield Design("gaps kept, 6 groups", SIX, SIX, rows)
        fallen = [0.20, 0.25, 0.60]
        yield Design("rates fall, gaps kept, 3 groups", [0.30, 0.35, 0.70], fallen, rows)
        yield Design("rates rise, gap kept, 2 groups", TWO, [0.45, 0.65], rows)
        yield Design("equal groups, rates fall, 4 groups", [0.4] * 4, [0.3] * 4, rows)
        yield Design("a group of 5 %, kept", TWO, TWO, rows, shares=(0.95, 0.05))


def kept() -> Iterator[Design]:
    small = (0.95, 0.05)
    yield Design("gaps kept, 12 groups", TWELVE, TWELVE, 6000)
    yield Design("12 cells of 30 rows, kept", TWELVE, TWELVE, 360)
    yield Design("12 cells of 1 to 30 %, kept", TWELVE, TWELVE, 2000, shares=UNEVEN)
    yield Design("a group of 2 %, kept", TWO, TWO, 2000, 0.8, (0.98, 0.02))
    high, low = [0.3, 0.9], [0.3, 0.5]
    yield Design("a group of 5 %, high rate, kept", high, high, 1000, shares=small)
    yield Design("a group of 5 %, rates fall, kept", low, [0.05, 0.25], 1000, shares=small)
    yield Design("positives of 1 and 2 %, kept", [0.01, 0.02], [0.01, 0.02], 2000)
    yield Design("nearly perfect, some 6 errors, kept", TWO, TWO, 600, 0.98)
    yield Design("predictions independent of labels, kept", TWO, TWO, 1000, 0.0)
    yield Design("2 groups of 40 rows, kept", low, low, 80)
    yield Design("4 groups of 20 rows, kept", FOUR, FOUR, 80)
    yield Design("3 classes, 3 groups, kept", THREE_CLASSES, THREE_CLASSES, 600)
    yield Design("10 classes, 4 groups, kept", TEN_CLASSES, TEN_CLASSES, 2000)
    yield Design("truth by hand, kept", TWO, TWO, 1000, true_given=True)


def kept_in_rows() -> Iterator[Design]:
    """Several models, weights, clusters and label matrices."""
    for models in (2, 6, 21):
        yield Design(f"{models} equal models, 2 groups, kept", TWO, TWO, 1000, models=models)
    for sigma in (0.5, 1.0):
        yield Design(f"lognormal weights, sigma {sigma}, kept", TWO, TWO, 1000, sigma=sigma)
    crossed, nested = (
        "60 clusters of 15, groups crossed, kept",
        "60 clusters of 15, groups nested, kept",
    )
    yield Design(crossed, TWO, TWO, 900, clusters=60)
    yield Design(nested, TWO, TWO, 900, clusters=60, nested=True)
    yield Design("matrix 2 x 20, kept", TASKS, TASKS, 3000, columns=True)
    yield Design("matrix 3 x 20, kept", TASKS_OF_THREE, TASKS_OF_THREE, 2000, columns=True)
    small = (0.95, 0.05)
    yield Design(
        "matrix 2 x 20, a group of 5 %, kept", TASKS, TASKS, 3000, shares=small, columns=True
    )
    yield Design("matrix 2 x 66, kept", VERBS, VERBS, 1500, columns=True)
    yield Design("matrix 2 x 66, no gaps, independent", FLAT, FLAT, 1500, 0.0, columns=True)
    risen = WEAK + FLAT
    yield Design("matrix 2 x 66, weak gaps kept, rates rise", WEAK, risen, 1500, 0.3, columns=True)
    yield Design("matrix 2 x 500, no gaps, rates x 3", MANY, MANY * 3, 500, 0.3, columns=True)
    each_with_all = "12 groups x 100 columns, each with all rows, kept"
    yield Design(each_with_all, MANY_TASKS, MANY_TASKS, 3000, columns=True)


def kept_in_review() -> Iterator[Design]:
    """Designs of the review of the statistics in which every gap is kept."""
    rare = [0.01, 0.02, 0.03]
    for rows in (1000, 20000):
        yield Design("review: 3 groups, positives of 1 to 3 %, kept", rare, rare, rows)
    for rows in (1000, 5000):
        shares = (0.32, 0.32, 0.32, 0.04)
        yield Design("review: 4 groups, one of 4 %, kept", FOUR, FOUR, rows, shares=shares)
    for rows in (500, 2000):
        yield Design("review: 20 classes, kept", TWENTY_CLASSES, TWENTY_CLASSES, rows)
    for groups, rows in ((2, 1000), (6, 1200), (12, 2400), (12, 300)):
        equal = [0.4] * groups
        yield Design(f"review: {groups} equal groups, coins", equal, equal, rows, 0.0)
    fpr, tpr = false_positives(TWO, TWO, 0.7), [0.7, 0.7]
    yield of_errors("rates kept, FNR .3", TWO, fpr, tpr, 2000)
    yield Design("review: 12 groups, rates kept", TWELVE, TWELVE, 2400)
    for tail in (1.5, 2.2):
        yield Design(f"review: Pareto weights, {tail}, kept", TWO, TWO, 1000, weight_tail=tail)
    for clusters in (60, 400):
        name = f"review: {clusters} clusters, Pareto sizes of 1.2, kept"
        yield Design(name, TWO, TWO, 15 * clusters, clusters=clusters, cluster_tail=1.2)


def vanishing() -> Iterator[Design]:
    """Gaps vanish: reduces is right, reverses and mixed are wrong."""
    yield Design("equal predictions, 2 groups", TWO, [0.45, 0.45], 1000)
    yield Design("equal predictions, 6 groups", SIX, scaled(SIX, 0), 2000)
    yield Design("equal predictions, 12 groups", TWELVE, [0.44] * 12, 4000)
    yield Design("matrix 2 x 66, equal predictions", VERBS, FLAT, 1500, columns=True)
    yield Design("one prediction for all, 6 groups", SIX, [0.0] * 6, 1000)
    for rows in (300, 5000):
        yield Design("review: selection equalised, 2 groups", TWO, [0.45, 0.45], rows)


def changing_at_two_sizes() -> Iterator[Design]:
    for rows, six, outer in ((1000, 0.86, 0.85), (6000, 1.0, 1.0)):
        power = {"code": "amplifies", "power": 0.92} if rows == 1000 else {}
        yield Design("gap 20 -> 30", TWO, GROWN, rows, **power)
        power = {"code": "reduces", "power": 0.92} if rows == 1000 else {}
        yield Design("gap 20 -> 10", TWO, [0.40, 0.50], rows, **power)
        grown = scaled(SIX, 1.3)
        yield Design("gaps x 1.3, 6 groups", SIX, grown, rows, code="amplifies", power=six)
        yield Design("gaps x .8, 6 groups", SIX, scaled(SIX, 0.8), rows)
        name, true, mixed = (
            "outer gaps grow, inner shrink",
            [0.2, 0.4, 0.6, 0.8],
            [0.12, 0.48, 0.52, 0.88],
        )
        yield Design(name, true, mixed, rows, code="mixed", power=outer)
        yield Design("reverses 20 -> -28", [0.30, 0.50], [0.54, 0.26], rows)
        yield Design("reverses 20 -> -20", [0.30, 0.50], [0.50, 0.30], rows)
        yield Design("created, .40/.40 -> .36/.44", [0.40, 0.40], [0.36, 0.44], rows)


def changing() -> Iterator[Design]:
    """Other changes, and label matrices."""
    yield from created()
    six = [0.2, 0.3, 0.35, 0.5, 0.6, 0.82]
    yield Design("one of six grows by 12", SIX, six, 2000)
    yield Design("6 groups reversed to .4 of their gaps", SIX, scaled(SIX, -0.4), 2000)
    yield Design("mean kept, parts move", [0.3, 0.5, 0.7], [0.3, 0.4, 0.7], 1500)
    yield Design("a group of 5 %, 20 -> 30", TWO, [0.35, 0.65], 2000, shares=(0.95, 0.05))
    grown = scaled(TEN_CLASSES, 1.5)
    yield Design("10 classes, 4 groups, gaps x 1.5", TEN_CLASSES, grown, 2000)
    yield Design("truth by hand, 20 -> 30", TWO, GROWN, 1000, true_given=True)
    yield Design("6 models, 20 -> 30", TWO, GROWN, 1000, models=6)
    name = "matrix 2 x 20, gaps x .7, rates x .7"
    yield Design(name, TASKS, TASKS * 0.7, 3000, columns=True)
    name, grown = "matrix 2 x 20, gaps x 1.5", scaled(TASKS, 1.5)
    yield Design(name, TASKS, grown, 3000, columns=True, code="amplifies", power=1.0)
    name, mixed = "matrix 2 x 20, half x 1.8, half x .3", scaled(TASKS, HALF_UP_HALF_DOWN)
    yield Design(name, TASKS, mixed, 6000, columns=True)
    yield Design("matrix 2 x 66, gaps x 1.1", VERBS, scaled(VERBS, 1.1), 2000, columns=True)
    name, grown = "matrix 2 x 66, weak gaps x 1.5", scaled(WEAK, 1.5)
    yield Design(name, WEAK, grown, 4000, columns=True)


def created() -> Iterator[Design]:
    """Gaps that are not in the labels, or hardly."""
    true, made = [0.40, 0.41], [0.40, 0.495]
    name = "created, .40/.41 -> .40/.495"
    yield Design(name, true, made, 5000, code="amplifies", power=0.99)
    name = "created beside .70 -> .70"
    yield Design(name, [*true, 0.70], [*made, 0.70], 5000, code="mixed", power=0.86)
    yield Design("created in one of six", [0.4] * 6, [0.4] * 5 + [0.5], 3000)
    yield Design("review: created, .40/.41 -> .40/.495", true, made, 1000)


def cells_of_errors(true: list[float], fpr: list[float], tpr: list[float]) -> Array:
    """Return the chances of label and prediction of each group."""
    rows = zip(true, fpr, tpr, strict=True)
    return np.array([[[(1 - p) * (1 - f), (1 - p) * f], [p * (1 - t), p * t]] for p, f, t in rows])


def of_errors(
    name: str, true: list[float], fpr: list[float], tpr: list[float], rows: int
) -> Design:
    """Return a design with error rates by group instead of shared uniform numbers."""
    cells = cells_of_errors(true, fpr, tpr)
    return Design(f"review: {name}", true, cells[:, :, 1].sum(axis=1), rows, cells=cells)


def false_positives(true: list[float], predicted: list[float], tpr: float) -> list[float]:
    """Return the false positive rates that give the predicted rates."""
    return [(q - tpr * p) / (1 - p) for p, q in zip(true, predicted, strict=True)]


def changing_in_review() -> Iterator[Design]:
    """Designs of the review of the statistics in which gaps change."""
    fpr, tpr = false_positives(TWO, [0.38, 0.52], 0.7), [0.7, 0.7]
    yield of_errors("gap 20 -> 14, FNR .3", TWO, fpr, tpr, 20000)
    for rows in (300, 500, 1000, 3000):
        yield Design("review: gap 20 -> 4", TWO, [0.43, 0.47], rows)
        yield Design("review: gap 20 -> 15", TWO, [0.375, 0.525], rows)
    for groups, rows in ((2, 1000), (4, 1000), (8, 2000), (12, 2000)):
        name, halves = f"review: {groups} groups move by 3 points", groups // 2
        yield Design(name, TWO * halves, [0.32, 0.58] * halves, rows)
    true, predicted = [0.1, 0.9, 0.4, 0.6, 0.42, 0.58], [0.47, 0.53, 0.57, 0.43, 0.57, 0.43]
    yield Design("review: partly reversed, 6 groups", true, predicted, 6000, 0.0)
    rare = [0.01, 0.02, 0.03]
    for rows in (1000, 20000):
        name = "positives of 1 to 3 %, FPR .01, FNR .5"
        yield of_errors(name, rare, [0.01] * 3, [0.5] * 3, rows)
    for rows in (1000, 5000):
        yield of_errors("worse than chance", TWO, [0.7, 0.7], [0.3, 0.3], rows)
        yield silent(rows)
    true, grown, shrunk = [[0.30], [0.45]], [[0.24], [0.51]], [[0.36], [0.39]]
    predicted = np.where(np.arange(10) % 2, grown, shrunk)
    name = "review: matrix 2 x 10, 5 gaps + 12, 5 - 12"
    yield Design(name, np.tile(true, 10), predicted, 6000, columns=True)


def silent(rows: int) -> Design:
    """Never wrong, but silent for some positives of one group and negatives of the other."""
    cells = np.zeros((2, 3, 3))
    cells[0, :2] = [[0.65, 0, 0], [0, 0.35 * 0.71, 0.35 * 0.29]]
    cells[1, :2] = [[0.45 * 0.78, 0, 0.45 * 0.22], [0, 0.55, 0]]
    true, predicted = cells.sum(axis=2), cells.sum(axis=1)
    return Design("review: silence that depends on the label", true, predicted, rows, cells=cells)
