"""One sample: the value of every metric, its interval by every method, and what it should hold."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, get_args

import numpy as np

import biasamp_adapters as bam
from benchmarks.coverage_designs import Design, population
from benchmarks.coverage_populations import MatrixPopulation
from biasamp_adapters.inference.estimates import Estimate, IntervalMethod
from biasamp_adapters.inference.replicates import BlockDraws, replicate
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.metrics.paired import paired_difference
from biasamp_adapters.metrics.rate_changes import Cooccurrence
from biasamp_adapters.reference import Evaluation, align

#: Whatever the package offers.
METHODS: tuple[str, ...] = get_args(IntervalMethod)

CONFIDENCE = 0.95

#: Whether label matrices can be drawn without their rows.
_MOMENTS = "second_moments" in inspect.signature(bam.CooccurrenceCounts.from_arrays).parameters


class Way(NamedTuple):
    """A metric, where its replicates take signs from, and what they are drawn from."""

    metric: str
    signs: str = "reference"
    draws: str = "rows"


@dataclass(frozen=True)
class Seen:
    """One metric in one sample.

    Attributes
    ----------
    value : float
    target : float
        What the interval is for: the population's value with the signs of the sample's reference,
        or with the population's own where replicates find theirs.
    own : float
        The population's value with its own signs.
    same_signs : bool
        Whether the reference of the sample has the signs of the population.
    intervals : dict of str to (low, high) or None
        By method.
    reasons : dict of str to str
        By method, why there is none.
    """

    value: float
    target: float
    own: float
    same_signs: bool
    intervals: dict[str, tuple[float, float] | None]
    reasons: dict[str, str]


class Truth:
    """A population, counted and measured once for all samples of it."""

    def __init__(self, data: str) -> None:
        self.population = population(data)
        self.metrics = self.population.metrics()
        self.evaluation = self.prepared(align(self.population.counts(), None), self.metrics)
        self.models = self.evaluation.counts.models
        self.measurements = dict(self._measurements())

    def prepared(self, evaluation: Evaluation, names: Iterable[str]) -> Evaluation:
        """The evaluation with all that some metric reads."""
        for name in names:
            evaluation = self.metrics[name].prepare(evaluation)
        return evaluation

    def _measurements(self) -> Iterator[tuple[tuple[str, str], Measurement]]:
        for name, metric in self.metrics.items():
            if name.startswith(("LA", "DPA")):
                # The mean over all possible flips, as infinitely many rows would have.
                options = {
                    key: getattr(metric, key)
                    for key in ("quality", "direction")
                    if hasattr(metric, key)
                }
                metric = type(metric)(**options, equalize="expected")
            for model in self.models:
                yield (name, model), metric.measure(self.evaluation, model)

    def of_own_signs(self, name: str) -> float:
        """The value of the population; of two models, of the second less that of the first."""
        return _gap([self.measurements[name, model].point()["value"] for model in self.models])

    def of_signs(self, measurements: Sequence[Measurement], name: str) -> float:
        """The same with all that a sample fixed.

        It is the score of that replicate which is the population itself.
        """
        if not all(isinstance(one, Cooccurrence) for one in measurements):
            return self.of_own_signs(name)
        every = [self.evaluation.counts.tables(one.model) for one in measurements]
        pairs = zip(measurements, every, strict=True)
        scores = [one.scores(tables, tables, BlockDraws()) for one, tables in pairs]
        return _gap([float(score["value"]) for score in scores])

    def has_signs(self, measurement: Measurement, name: str) -> bool:
        """Whether a sample has the population's signs; without signs it has."""
        if not _signed(name):
            return True
        own = self.measurements[name, measurement.model]
        return np.array_equal(measurement.pairs()["sign"], own.pairs()["sign"])


def _gap(values: Sequence[float]) -> float:
    return values[0] if len(values) == 1 else values[1] - values[0]


def _signed(name: str) -> bool:
    return name.startswith(("MALS", "BA"))


@cache
def truth(data: str) -> Truth:
    """The population called ``data``, measured."""
    return Truth(data)


def observe(design: Design, seed: int, n_boot: int) -> Iterator[tuple[Way, Seen]]:
    """Draw one sample and look at it with every metric and method."""
    known = truth(design.data)
    people = known.population
    rng = np.random.default_rng([seed, design.rows, *design.data.encode()])
    rows, reference = people.sample(design.rows, rng), None
    if design.reference == "training":
        # Only what a model learns from: the truth.
        others = people.sample(design.rows, rng)
        reference = people.count({key: x for key, x in others.items() if "pred" not in key})
    lists = known.evaluation.counts
    kept = {"rows": people.count(rows)}
    if _MOMENTS and reference is None and isinstance(people, MatrixPopulation):
        kept["moments"] = people.count_moments(rows)
    for draws, counts in kept.items():
        # Label sets need rows; and only signs need a reference.
        names = [
            name
            for name in known.metrics
            if not (draws == "moments" and name.startswith("Multi"))
            and (_signed(name) or reference is None)
        ]
        aligned = align(counts, reference, lists.labels, lists.groups)
        evaluation = known.prepared(aligned, names)
        measurements = dict(_measurements(known, evaluation, names, draws))
        single = {(way, b.model): b for way, pair in measurements.items() for b in pair}
        drawn = replicate(single, evaluation, n_boot, rng)
        for way, pair in measurements.items():
            yield way, _seen(known, way, pair, [drawn.get((way, b.model), {}) for b in pair])


def _measurements(
    known: Truth, evaluation: Evaluation, names: Iterable[str], draws: str
) -> Iterator[tuple[Way, list[Measurement]]]:
    for name in names:
        pair = [known.metrics[name].measure(evaluation, model) for model in known.models]
        yield Way(name, draws=draws), pair
        if _signed(name):
            yield Way(name, "reestimated", draws), [one.reestimating() for one in pair]


def _seen(known: Truth, way: Way, pair: Sequence[Measurement], drawn: list[dict[str, Any]]) -> Seen:
    found = {method: _estimate(pair, drawn, method) for method in METHODS}
    own = known.of_own_signs(way.metric)
    return Seen(
        value=found[METHODS[0]].value,
        target=own if way.signs == "reestimated" else known.of_signs(pair, way.metric),
        own=own,
        same_signs=known.has_signs(pair[0], way.metric),
        intervals={method: one.interval for method, one in found.items()},
        reasons={method: one.reason or "" for method, one in found.items()},
    )


def _estimate(pair: Sequence[Measurement], drawn: list[dict[str, Any]], method: Any) -> Estimate:
    """The value of one model, or the paired difference of two."""
    results = [
        bam.AmplificationResult.of(measurement, scores, CONFIDENCE, method)
        for measurement, scores in zip(pair, drawn, strict=True)
    ]
    if len(pair) == 1:
        reason = next((note for note in results[0].notes if note.startswith("no interval")), None)
        return Estimate(results[0].value, results[0].interval, reason)
    compared = {pair[1].model: results[1], pair[0].model: results[0]}
    return paired_difference(compared, CONFIDENCE, method)
