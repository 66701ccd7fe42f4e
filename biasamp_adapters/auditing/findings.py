"""Everything that an audit computes: all metrics and fairness measures, on the same draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label, Row
from biasamp_adapters.auditing.drift import Drift
from biasamp_adapters.auditing.group_rates import ACCURACY, Disparity, GroupRates
from biasamp_adapters.auditing.prevalence import Prevalence
from biasamp_adapters.counts import Counts
from biasamp_adapters.inference.bands import simultaneous
from biasamp_adapters.inference.estimates import (
    NOT_DRAWN,
    DefaultReplicates,
    Estimate,
    IntervalOptions,
    Replicated,
    side_of_zero,
)
from biasamp_adapters.inference.replicates import Scored, replicate
from biasamp_adapters.inference.rules import FEW_ROWS
from biasamp_adapters.metrics import METRICS, AmplificationResult
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.metrics.paired import paired_difference
from biasamp_adapters.metrics.rate_changes import Cooccurrence
from biasamp_adapters.reference import Evaluation

#: Most pairs of a model and direction in a report.
MOST_PAIRS = 500

#: Most pairs of a model and direction that are judged, and most of their replicates that are kept.
_MOST_JUDGED, _MOST_SCORES = 5_000, 10_000_000

#: The numbers that the tables of all replicates may have together, unless replicates are asked for:
#: about ten seconds. At least so many replicates shall lie beyond the ends of an interval.
_MOST_NUMBERS, _BEYOND = 2**28, 10

#: The names of BA->, whose sign and size are the easiest to read, and of Multi.
DIRECTIONAL, MULTI = "DirectionalBiasAmplification", "MultiAttributeBiasAmplification"

#: A model and the name of a metric, or of a kind of rates.
Key = tuple[str, str]

R = TypeVar("R", GroupRates, Prevalence, Drift)

#: Why a pair has no interval.
_FEW = f"its rates are shares of fewer than {FEW_ROWS} rows"


class PairOfBA(NamedTuple):
    """What one pair of a group and a task contributes to BA->.

    Attributes
    ----------
    position : int
        Where it is among all pairs, in the order of ``by_pair``.
    number : Replicated
        Its contribution, with the replicates for an interval of its own.
    band : Estimate
        The same with an interval that holds for all pairs of this model and direction at once.
    """

    position: int
    number: Replicated
    band: Estimate

    @property
    def is_clear(self) -> bool:
        """Whether it differs from 0 by more than chance explains in any of so many pairs."""
        return self.band.interval is not None and side_of_zero(self.band.interval) != 0


class Trend(NamedTuple):
    """The pairs of one group with one sign: their contribution to BA->, and how far they move."""

    group: Label
    sign: int
    pairs: int
    contribution: Replicated
    size: Replicated


@dataclass(frozen=True)
class Findings:
    """The results of an audit, from which the summary is made.

    Attributes
    ----------
    evaluation : Evaluation
    options : IntervalOptions
        ``n_boot`` is 0 if no tables can be drawn.
    results : dict of (model, metric name) to AmplificationResult
    differences : dict of (model, metric name) to Estimate
        The paired differences from the first model.
    pairs : dict of (model, metric name) to list of PairOfBA
        The pairs of BA-> that are defined, strongest first.
    trends : dict of (model, metric name) to list of Trend
        The pairs of BA-> by group and sign.
    rates : dict of model to dict of str to list of Disparity
        For each fairness measure, the tasks with the largest differences between groups.
    prevalences : list of dict
        How often each model predicts a task, as a multiple of how often it is true.
    drifts : list of dict
        How far gaps in a reference of its own are from those in the truth.
    columns : ndarray of int
        Positions of the task labels that are evaluated as positives.
    """

    evaluation: Evaluation
    options: IntervalOptions
    results: dict[Key, AmplificationResult]
    differences: dict[Key, Estimate]
    pairs: dict[Key, list[PairOfBA]]
    trends: dict[Key, list[Trend]]
    rates: dict[str, dict[str, list[Disparity]]]
    prevalences: list[Row]
    drifts: list[Row]
    columns: Array

    @property
    def counts(self) -> Counts:
        """The audited counts."""
        return self.evaluation.counts

    @property
    def compares_tasks(self) -> bool:
        """Whether rates of predictions are compared with a truth."""
        return any(ACCURACY in rates for rates in self.rates.values())

    def of(self, metric: str) -> list[AmplificationResult]:
        """The results of one metric, in all directions and for all models."""
        return [result for result in self.results.values() if result.metric == metric]


def evaluate(
    evaluation: Evaluation,
    options: IntervalOptions,
    metrics: Mapping[str, Sequence[Metric]],
    pos_label: Label | None,
) -> Findings:
    """Compute metrics and fairness measures, with intervals from the same draws.

    Parameters
    ----------
    evaluation : Evaluation
    options : IntervalOptions
    metrics : mapping of str to sequence of Metric
        The metrics of each model.
    pos_label : label, optional
        The only class to evaluate.
    """
    for metric in chain.from_iterable(metrics.values()):
        evaluation = metric.prepare(evaluation)
    scored_pairs = min(_MOST_JUDGED, max(MOST_PAIRS, _MOST_SCORES // max(options.n_boot, 1)))
    measurements = {
        (model, metric.__name__): _with_pairs(metric.measure(evaluation, model), scored_pairs)
        for model, chosen in metrics.items()
        for metric in chosen
        if metric.applies(evaluation)
    }
    counts, columns = evaluation.counts, positive_columns(evaluation, pos_label)
    rates = _measured(GroupRates, evaluation, metrics, columns)
    prevalences = _measured(Prevalence, evaluation, metrics, columns)
    drifts = _measured(Drift, evaluation, [counts.first_model], columns)
    draws = _Draws.of({**measurements, **rates, **prevalences, **drifts}, evaluation, options)
    confidence = draws.options.confidence
    results = {
        key: AmplificationResult.of(measured, draws[key] if draws.asked else None, confidence)
        for key, measured in measurements.items()
    }
    with_pairs = {
        key: measured
        for key, measured in measurements.items()
        if isinstance(measured, Cooccurrence) and measured.selected is not None
    }
    return Findings(
        evaluation,
        draws.options,
        results,
        differences=dict(_differences(results, counts.models[0], draws)),
        pairs={key: _pairs(measured, draws, key) for key, measured in with_pairs.items()},
        trends={key: _trends(measured, draws, key) for key, measured in with_pairs.items()},
        rates={
            key[0]: measured.disparities(draws[key], draws.impossible, confidence)
            for key, measured in rates.items()
        },
        prevalences=[
            row
            for key, measured in prevalences.items()
            for row in measured.rows(draws[key].get("ratio"), draws.impossible, confidence)
        ],
        drifts=[
            row
            for key, measured in drifts.items()
            for row in measured.rows(
                draws[key].get("drift"), measured.no_interval if draws.asked else None, confidence
            )
        ],
        columns=columns,
    )


@dataclass(frozen=True)
class _Draws:
    """The scores of replicates, by what was scored.

    Attributes
    ----------
    scores : dict of (model, name) to dict of str to ndarray
        Without what has no interval.
    asked : bool
        Whether replicates were asked for.
    impossible : str or None
        Why there are none although they were asked for.
    options : IntervalOptions
        ``n_boot`` is 0 if there are none.
    """

    scores: Mapping[Key, dict[str, Array]]
    asked: bool
    impossible: str | None
    options: IntervalOptions

    @classmethod
    def of(
        cls, scored: Mapping[Key, Scored], evaluation: Evaluation, options: IntervalOptions
    ) -> _Draws:
        """Draw all scores from the same tables."""
        asked = options.n_boot > 0
        impossible = evaluation.counts.no_draws if asked else None
        # NumPy scalars become numbers that json can write.
        n_boot = 0 if impossible else _n_boot(scored, evaluation.counts, options)
        confidence = float(options.confidence)
        scores = replicate(scored, evaluation, n_boot, options.random_state) if n_boot else {}
        options = replace(options, n_boot=n_boot, confidence=confidence)
        return cls(scores, asked, impossible, options)

    def __getitem__(self, key: Key) -> dict[str, Array]:
        return self.scores.get(key, {})


def _n_boot(scored: Mapping[Key, Scored], counts: Counts, options: IntervalOptions) -> int:
    """The number of replicates: what was asked for or, by default, fewer of large tables."""
    rows = counts.rows
    if not isinstance(options.n_boot, DefaultReplicates) or rows is None or rows.indicators:
        return int(options.n_boot)
    widest = max((score.width for score in scored.values()), default=1)
    numbers = len(counts.models) * max(len(rows), widest)
    fewest = math.ceil(_BEYOND / (1 - options.confidence) - 1e-9)
    return DefaultReplicates(min(options.n_boot, max(_MOST_NUMBERS // numbers, fewest)))


def _measured(
    kind: type[R], evaluation: Evaluation, models: Iterable[str], columns: Array
) -> dict[Key, R]:
    """Rates of one kind, of each model for which the counts hold what they need."""
    every = {
        (model, kind.__name__): kind(evaluation=evaluation, model=model, columns=columns)
        for model in models
    }
    return {key: rates for key, rates in every.items() if rates.measured}


def _differences(
    results: Mapping[Key, AmplificationResult], first_model: str, draws: _Draws
) -> Iterator[tuple[Key, Estimate]]:
    """The paired differences of other models from the first."""
    for (model, metric), result in results.items():
        first = results.get((first_model, metric))
        if model != first_model and first is not None:
            compared = {model: result, first_model: first}
            difference = paired_difference(compared, draws.options.confidence)
            reason = draws.impossible or difference.reason
            yield (model, metric), replace(difference, reason=reason)


def _trends(measurement: Cooccurrence, draws: _Draws, key: Key) -> list[Trend]:
    """The trends of BA->."""
    point, groups = measurement.point(), measurement.evaluation.counts.groups

    def number(name: str, i: int) -> Replicated:
        value = float(point[name][i])
        if draws.impossible:
            return Replicated(value, None, draws.impossible)
        of_name = {score: x[:, i] for score, x in draws[key].items() if score.startswith(name)}
        return measurement.replicated(name, value, of_name)

    return [
        Trend(groups[group], sign, len(columns), number("trends", i), number("trend sizes", i))
        for i, (group, sign, columns) in enumerate(measurement.trends)
    ]


def _with_pairs(measurement: Measurement, most: int) -> Measurement:
    """The same measurement; one of BA-> scores its pairs too, the strongest if there are many."""
    if not isinstance(measurement, Cooccurrence) or measurement.coefficient != "sign":
        return measurement
    strength = np.abs(measurement.pairs()["contribution"].reshape(-1))
    order = np.argsort(-strength, kind="stable")
    defined = order[~np.isnan(strength[order])]
    return replace(measurement, selected=defined[:most])


def _pairs(measurement: Cooccurrence, draws: _Draws, key: Key) -> list[PairOfBA]:
    """The scored pairs, with an interval that holds for all that are defined."""
    drawn = draws[key].get("pairs")
    contributions = measurement.pairs()["contribution"].reshape(-1)
    selected = [] if measurement.selected is None else measurement.selected.tolist()
    few = measurement.rests_on_few.reshape(-1)
    family = int((~np.isnan(contributions) & ~few).sum())
    bands: dict[int, Estimate] = {}
    if drawn is not None:
        judged = np.flatnonzero(~few[selected])
        values = contributions[selected][judged]
        # Without a copy where all are judged, since there may be many replicates.
        of_judged = drawn if len(judged) == drawn.shape[1] else drawn[:, judged]
        at_once = simultaneous(values, of_judged, draws.options.confidence, family)
        bands = dict(zip(judged.tolist(), at_once, strict=True))
    out = []
    for i, position in enumerate(selected):
        value, replicates = float(contributions[position]), None if drawn is None else drawn[:, i]
        reason = draws.impossible or (_FEW if few[position] and drawn is not None else None)
        band = bands.get(i, Estimate(value, None, reason or NOT_DRAWN))
        out.append(PairOfBA(position, Replicated(value, replicates, reason), band))
    return out


def positive_columns(evaluation: Evaluation, pos_label: Label | None) -> Array:
    """The tasks to evaluate: the positive class of two, or all."""
    labels = evaluation.counts.labels
    only = evaluation.positive if pos_label is None else pos_label
    return np.arange(len(labels)) if only is None else np.array([labels.index(only)])


def default_metrics(
    evaluation: Evaluation, model: str, pos_label: Label | None
) -> Iterator[Metric]:
    """The metrics and directions that the counts of a model, or base rates, allow."""
    for metric in METRICS:
        yield from metric.of_audit(evaluation, model, pos_label)


def by_column(counts: Counts) -> bool:
    """Whether tasks or groups are the columns of a matrix."""
    return counts.is_matrix(Role.TASK) or counts.is_matrix(Role.ATTRIBUTE)
