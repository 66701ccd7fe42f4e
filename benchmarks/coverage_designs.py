"""Five kinds of data, and the numbers and sizes of their samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_populations import (
    MatrixPopulation,
    PairPopulation,
    Population,
    TablePopulation,
)
from benchmarks.simulation import of_both_classes, people_of

Array = NDArray[Any]

#: Rows of a population of label matrices, from which samples are drawn with replacement.
_IMAGES = 50_000

#: Reference of a sample: its own truth, or another sample of as many rows, as training data are.
Reference = Literal["own", "training"]


@dataclass(frozen=True)
class Design:
    """The population, the number of rows and the source of directions.

    Attributes
    ----------
    data : str
        Name of the population.
    reference : {"own", "training"}
    rows : int
        Rows of a sample.
    samples : int
    """

    data: str
    reference: Reference
    rows: int
    samples: int


def _table(group: Any, task: Any, named: Any, predicted: Any, stratum: Any = None) -> Array:
    """Whole numbers of people from P(a), P(t|a), P(a^|a,t), P(t^|a,t,s) and P(s|a,t)."""
    group, task, named, predicted = map(np.asarray, (group, task, named, predicted))
    if stratum is None:
        stratum, predicted = np.ones((*task.shape, 1)), predicted[:, :, None]
    joint = np.einsum("a,at,atb,atsp,ats->atbps", group, task, named, predicted, stratum)
    return people_of(joint / joint.sum())


def _two_groups(rates: tuple[float, float], predicted: Any) -> tuple[Array, ...]:
    named = of_both_classes([[0.10, 0.25], [0.75, 0.90]])
    return np.array([0.5, 0.5]), of_both_classes(rates), named, of_both_classes(predicted)


_CLEAR = _two_groups((0.30, 0.55), [[0.15, 0.60], [0.35, 0.80]])

#: The two rates differ by .01, which is less than the noise of any sample.
_TIED = _two_groups((0.500, 0.510), [[0.25, 0.65], [0.35, 0.75]])


def _binary(parts: tuple[Array, ...]) -> TablePopulation:
    return TablePopulation(_table(*parts), ("a", "b"), np.ones(1))


def _twenty() -> tuple[Array, ...]:
    """Ten classes depend on groups, ten hardly; the model doubles the dependence."""
    rng = np.random.default_rng(20)
    size = np.arange(1.0, 21) ** -0.7
    tilt = rng.normal(0, 0.5, (3, 20)) * (np.arange(20) % 2 == 0)
    group, task, guess = np.array([0.5, 0.3, 0.2]), size * np.exp(tilt), size * np.exp(2 * tilt)
    task, guess = (each / each.sum(axis=1, keepdims=True) for each in (task, guess))
    predicted = 0.65 * np.eye(20) + 0.35 * guess[:, None, :]
    named = (group[:, None] * task**2).T
    named = 0.8 * np.eye(3)[:, None, :] + 0.2 * (named / named.sum(axis=1, keepdims=True))
    return group, task, named, predicted


def _twenty_classes() -> TablePopulation:
    return TablePopulation(_table(*_twenty()), ("a", "b", "c"), np.ones(1))


def _two_models(parts: tuple[Array, ...]) -> PairPopulation:
    """A second model that corrects a fifth of what the first one says."""
    task = parts[1].shape[1]
    second = 0.8 * np.eye(task)[None] + 0.2 * np.eye(task)[:, None]
    joint = np.einsum("a,at,atb,atp,tpq->atbpq", *parts, second)
    table = people_of(joint / joint.sum())
    return PairPopulation(table, tuple("abc"[: len(parts[0])]), np.ones(1))


def _intersections() -> TablePopulation:
    """Two attributes, crossed to six groups, of which two are small."""
    group = np.array([0.38, 0.34, 0.12, 0.10, 0.045, 0.015])
    rate = np.array([0.30, 0.45, 0.40, 0.55, 0.60, 0.25])
    right, wrong = 0.72 + 0.5 * (rate - 0.42), 0.20 + 0.5 * (rate - 0.42)
    named = 0.8 * np.eye(6) + 0.2 * group
    table = _table(
        group,
        of_both_classes(rate),
        np.stack([named] * 2, 1),
        of_both_classes(np.stack([wrong, right], 1)),
    )
    crossed = tuple(product(("f", "m"), ("x", "y", "z")))
    groups = tuple(crossed[i] for i in (0, 3, 1, 4, 2, 5))
    return TablePopulation(table, groups, np.ones(1))


def _weighted(by_weight: bool) -> TablePopulation:
    """Three strata, drawn with very different chances, in which the model errs differently."""
    stratum = np.array([[[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]], [[0.4, 0.3, 0.3], [0.6, 0.3, 0.1]]])
    # The strata that are drawn too often have hardly any amplification.
    more = np.multiply.outer([-1, 1], [-0.06, 0.04, 0.16])
    predicted = np.array([[0.22, 0.60], [0.35, 0.78]])[:, :, None] + more[:, None, :]
    named = of_both_classes([[0.10, 0.25], [0.75, 0.90]])
    table = _table(
        [0.6, 0.4], of_both_classes([0.25, 0.60]), named, of_both_classes(predicted), stratum
    )
    return TablePopulation(table, ("a", "b"), np.array([1.0, 0.4, 0.1]), by_weight)


def _matrix(tasks: int, largest_set: int) -> MatrixPopulation:
    """Labels with three common causes; some depend on the group, more so in predictions."""
    from scipy.stats import norm

    rng = np.random.default_rng(tasks)
    group = (rng.random(_IMAGES) < 0.4).astype(int)
    often = np.linspace(0.40, 0.02, tasks)
    lean = rng.normal(0, 0.35, tasks) * (np.arange(tasks) % 3 < 2)
    loading = rng.normal(0, 0.45, (3, tasks))
    own = np.sqrt(np.maximum(1 - (loading**2).sum(axis=0), 0.1))
    shared = rng.normal(size=(_IMAGES, 3)) @ loading
    side = group[:, None] - 0.4
    noise = rng.normal(size=(_IMAGES, tasks))
    truth = shared + own * noise + lean * side + norm.ppf(often) > 0
    blurred = 0.8 * noise + 0.6 * rng.normal(size=(_IMAGES, tasks))
    made = shared + own * blurred + 1.5 * lean * side + norm.ppf(0.9 * often) > 0
    # The predicted group depends on what else is in the image.
    seen = 1.2 * (truth * lean).sum(axis=1) + 2.2 * side[:, 0] + rng.normal(size=_IMAGES)
    return MatrixPopulation(
        {
            "y_true": truth.astype(np.int8),
            "y_pred": made.astype(np.int8),
            "sensitive_features": np.array(["a", "b"])[group],
            "sensitive_features_pred": np.array(["a", "b"])[(seen > 0.2).astype(int)],
        },
        largest_set,
    )


_POPULATIONS = {
    "binary": lambda: _binary(_CLEAR),
    "binary, near ties": lambda: _binary(_TIED),
    "20 classes": _twenty_classes,
    "intersections": _intersections,
    "weights": lambda: _weighted(True),
    "weights, sums only": lambda: _weighted(False),
    "12 labels": lambda: _matrix(12, 2),
    "66 labels": lambda: _matrix(66, 1),
    "two models, binary": lambda: _two_models(_CLEAR),
    "two models, 20 classes": lambda: _two_models(_twenty()),
}


@cache
def population(data: str) -> Population:
    """The population called ``data``."""
    return _POPULATIONS[data]()


#: Samples of 200, 1,000 and 10,000 rows: fewer where they take longer.
_SAMPLES = {
    "20 classes": (300, 300, 100),
    "12 labels": (300, 300, 80),
    "66 labels": (200, 150, 40),
    "two models, 20 classes": (200, 200, 30),
}
_USUAL = (300, 300, 300)

#: Number of samples in a quick run.
_QUICK = 0.03


def designs(quick: bool, times: float) -> Iterator[Design]:
    """All kinds of data, sizes and references."""
    references: tuple[Reference, ...] = ("own", "training")
    for data in _POPULATIONS:
        for reference in references[: 1 if data.startswith("two models") else 2]:
            sizes = zip((200, 1_000, 10_000), _SAMPLES.get(data, _USUAL), strict=True)
            for rows, samples in sizes:
                if not (quick and rows > 1_000):
                    share = times * (_QUICK if quick else 1)
                    yield Design(data, reference, rows, max(5, round(samples * share)))
