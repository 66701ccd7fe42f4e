"""The attackers of single-label data, by plain loops over rows and in exact fractions.

Slow and simple on purpose: it follows the definitions to the letter, so that the fast code can be
held against it. Rows carry weights, which makes random errors easy: a row whose label may flip
becomes one row per label, weighted by the probability of that label. None stands for undefined.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import log, sqrt
from typing import Any, NamedTuple


class Row(NamedTuple):
    """Attribute, task, their predictions, and the weight."""

    a: Any
    t: Any
    a_hat: Any
    t_hat: Any
    w: Fraction = Fraction(1)


class Scores(NamedTuple):
    """What a co-occurrence metric gives: by pair, the coefficient and D; then the numbers."""

    coefficients: dict[tuple[Any, Any], int]
    deltas: dict[tuple[Any, Any], Fraction | None]
    value: Fraction | None
    variance: Fraction | None = None


def mean(values: Iterable[Fraction | None]) -> Fraction | None:
    defined = [value for value in values if value is not None]
    return sum(defined, Fraction(0)) / len(defined) if defined else None


def accuracy(rows: Sequence[Row], variable: str) -> Fraction:
    right = sum(row.w for row in rows if getattr(row, variable) == getattr(row, f"{variable}_hat"))
    return Fraction(right) / sum(row.w for row in rows)


def with_random_errors(rows: Sequence[Row], variable: str, labels: Sequence[Any]) -> list[Row]:
    """Rows whose prediction is the truth with random errors, as many as the model makes."""
    right = accuracy(rows, variable)
    out = []
    for row, label in product(rows, labels):
        same = label == getattr(row, variable)
        chance = right if same else (1 - right) / (len(labels) - 1)
        out.append(row._replace(**{f"{variable}_hat": label}, w=row.w * chance))
    return out


def with_truth(rows: Sequence[Row], variable: str) -> list[Row]:
    return [row._replace(**{f"{variable}_hat": getattr(row, variable)}) for row in rows]


def _cells(rows: Sequence[Row], source: str, target: str) -> tuple[list, list, dict]:
    cells: dict[tuple[Any, Any], Fraction] = {}
    for row in rows:
        key = getattr(row, source), getattr(row, target)
        cells[key] = cells.get(key, Fraction(0)) + row.w
    cells = {key: weight for key, weight in cells.items() if weight}
    inputs, targets = (list(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    total = sum(cells.values())
    return inputs, targets, {p: cells.get(p, 0) / total for p in product(inputs, targets)}


def q_accuracy(rows: Sequence[Row], source: str, target: str) -> Fraction:
    """The attacker names the likeliest target of each input."""
    inputs, targets, p = _cells(rows, source, target)
    return sum(max(p[x, y] for y in targets) for x in inputs)


def q_balanced_accuracy(rows: Sequence[Row], source: str, target: str) -> Fraction:
    """Its mean recall is best when each input names the target that it is the best sign of."""
    inputs, targets, p = _cells(rows, source, target)
    size = {y: sum(p[x, y] for x in inputs) for y in targets}
    return sum(max(p[x, y] / size[y] for y in targets) for x in inputs) / Fraction(len(targets))


def q_f1_macro(rows: Sequence[Row], source: str, target: str) -> Fraction:
    """The likeliest targets of an input share its predictions equally."""
    inputs, targets, p = _cells(rows, source, target)
    hits, named = dict.fromkeys(targets, Fraction(0)), dict.fromkeys(targets, Fraction(0))
    for x in inputs:
        best = [y for y in targets if p[x, y] == max(p[x, other] for other in targets)]
        for y in best:
            hits[y] += p[x, y] / len(best)
            named[y] += sum(p[x, other] for other in targets) / len(best)
    size = {y: sum(p[x, y] for x in inputs) for y in targets}
    return mean(2 * hits[y] / (named[y] + size[y]) for y in targets)


def loss_cross_entropy(rows: Sequence[Row], source: str, target: str) -> float:
    """The attacker states P(target | input)."""
    inputs, targets, p = _cells(rows, source, target)
    size = {x: sum(p[x, y] for y in targets) for x in inputs}
    return -sum(p[x, y] * log(p[x, y] / size[x]) for x in inputs for y in targets if p[x, y])


def loss_of_guesses(rows: Sequence[Row], source: str, target: str) -> Fraction:
    """The attacker names the likeliest target: a wrong guess costs 100, a right one nothing."""
    return 100 * (1 - q_accuracy(rows, source, target))


def q_one_minus_cross_entropy(rows: Sequence[Row], source: str, target: str) -> float:
    """The same as a quality without a lower bound."""
    return 1 - loss_cross_entropy(rows, source, target)


def q_f1(rows: Sequence[Row], source: str, target: str) -> Fraction:
    """For each class, the attacker names it for the inputs that give the largest F1 score.

    All sets of inputs are tried. The mean over classes.
    """
    inputs, targets, p = _cells(rows, source, target)
    sets = [[x for x, named in zip(inputs, which, strict=True) if named]
            for which in product([False, True], repeat=len(inputs))]  # fmt: skip

    def f1(y: Any, named: Sequence[Any]) -> Fraction:
        size = sum(p[x, y] for x in inputs)
        guesses = sum(p[x, other] for x in named for other in targets)
        return 2 * sum((p[x, y] for x in named), Fraction(0)) / (size + guesses)

    return mean(max(f1(y, named) for named in sets) for y in targets)


def loss_mse(rows: Sequence[Row], source: str, target: str) -> Fraction:
    """The attacker states E(target | input)."""
    inputs, targets, p = _cells(rows, source, target)
    square = Fraction(0)
    for x in inputs:
        centre = sum(p[x, y] * y for y in targets) / sum(p[x, y] for y in targets)
        square += sum(p[x, y] * (y - centre) ** 2 for y in targets)
    return square


def loss_rmse(rows: Sequence[Row], source: str, target: str) -> float:
    """The root of it."""
    return sqrt(loss_mse(rows, source, target))


#: Whether each score is a loss, whose inverse is the quality.
SCORES: dict[str, tuple[Callable[..., Any], bool]] = {
    "accuracy": (q_accuracy, False),
    "balanced_accuracy": (q_balanced_accuracy, False),
    "f1_macro": (q_f1_macro, False),
    "inverse_cross_entropy": (loss_cross_entropy, True),
    "hard_inverse_cross_entropy": (loss_of_guesses, True),
    "inverse_rmse": (loss_rmse, True),
    "inverse_mse": (loss_mse, True),
    "one_minus_cross_entropy": (q_one_minus_cross_entropy, False),
    "f1": (q_f1, False),
}
