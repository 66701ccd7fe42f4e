"""Everything that an audit computes: all metrics and fairness measures, on the same draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label, RandomState
from biasamp_adapters.auditing.drift import Drift, Drifts
from biasamp_adapters.auditing.prevalence import Prevalence, Ratios
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.bands import largest_gap, simultaneous
from biasamp_adapters.inference.estimates import (
    NOT_DRAWN,
    Estimate,
    IntervalOptions,
    Replicated,
    side_of_zero,
)
from biasamp_adapters.inference.replicates import Draws, Scored, replicate
from biasamp_adapters.inference.rules import FEW_ROWS
from biasamp_adapters.metrics import METRICS, AmplificationResult
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.cooccurrence import Cooccurrence
from biasamp_adapters.metrics.means import rate
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.metrics.paired import paired_difference
from biasamp_adapters.reference import Evaluation

#: Most pairs of a model and direction, and most tasks of a fairness measure, in a report.
MOST_PAIRS, MOST_TASKS = 500, 10

#: Most replicates of pairs that are kept of a model and direction: 5,000 pairs of 2,000 replicates.
_MOST_SCORES = 10_000_000

#: The names of BA->, whose sign and size are the easiest to read, and of Multi.
DIRECTIONAL, MULTI = "DirectionalBiasAmplification", "MultiAttributeBiasAmplification"

#: A model and the name of a metric.
Key = tuple[str, str]

#: The share of predictions that are right, of all task columns together.
ACCURACY = "accuracy"

#: Why a pair has no interval.
_FEW = f"its rates are shares of fewer than {FEW_ROWS} rows"

#: How often a model predicted nothing, by what it did not predict.
ABSTENTION = {Role.TASK: "abstention_rate", Role.ATTRIBUTE: "attribute_abstention_rate"}

#: The fairness measures of whole rows; the others look at one task column each.
OF_ROWS = (ACCURACY, *ABSTENTION.values())

#: Take the place of the metric in the keys of the draws of what is not a metric.
_RATES, _PREVALENCE, _DRIFT = "rates by group", "prevalence", "drift"


class Disparity(NamedTuple):
    """A rate of the groups for one task, and how far they are apart.

    Attributes
    ----------
    column : int or None
        Position of the task label; None for measures of whole rows.
    gap : Estimate
        The largest less the smallest rate.
    groups : list of Estimate
        The rate of each group; empty if several tasks are evaluated.
    """

    column: int | None
    gap: Estimate
    groups: list[Estimate]


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupRates(Scored):
    """Selection rate, TPR, FPR and accuracy of each group.

    Where the model abstained, the rates of abstention too.

    Attributes
    ----------
    columns : ndarray of int
        Positions of the task labels that are evaluated as positives.
    """

    columns: Array

    @property
    def width(self) -> int:
        return 6 * len(self.evaluation.counts.groups) * len(self.evaluation.counts.labels)

    @property
    def measured(self) -> bool:
        """Whether the counts hold what any of the rates needs."""
        has_groups = self.evaluation.counts.has(Role.ATTRIBUTE)
        return has_groups and bool(self._compares_tasks or self._silent)

    @property
    def _compares_tasks(self) -> bool:
        """Whether there are a truth and predictions of it."""
        counts = self.evaluation.counts
        return counts.has(Role.TASK) and counts.has(Role.PREDICTION, self.model)

    @cached_property
    def _silent(self) -> tuple[Role, ...]:
        """The variables of which some predictions are missing."""
        counts, model = self.evaluation.counts, self.model
        return tuple(
            role
            for role in ABSTENTION
            if counts.has(role.prediction, model) and counts.abstentions(role.prediction, model)
        )

    def _fractions(self, tables: Tables) -> dict[str, tuple[Array, Array]]:
        """Numerators and denominators, (..., groups, columns); ``OF_ROWS`` have one column."""
        rows = tables.marginal(Role.ATTRIBUTE)[..., :, None]
        silence = {
            ABSTENTION[role]: (tables.silent(role, by=Role.ATTRIBUTE)[..., :, None], rows)
            for role in self._silent
        }
        return (self._task_fractions(tables) if self._compares_tasks else {}) | silence

    def _task_fractions(self, tables: Tables) -> dict[str, tuple[Array, Array]]:
        """The same of the measures that compare predictions with a truth."""
        truth = tables.joint(Role.ATTRIBUTE, Role.TASK)
        predicted = tables.joint(Role.ATTRIBUTE, Role.PREDICTION)
        hits = tables.agreement(Role.TASK, by_group=True)
        rows = tables.marginal(Role.ATTRIBUTE)[..., :, None]
        if tables.counts.is_matrix(Role.TASK):
            # Each column is a task; the accuracy is the mean over tasks.
            right = rows - (truth + predicted - 2 * hits).mean(axis=-1, keepdims=True)
        else:
            right = hits.sum(axis=-1, keepdims=True)
        of_columns = {
            "selection_rate": (predicted, np.broadcast_to(rows, predicted.shape)),
            "true_positive_rate": (hits, truth),
            "false_positive_rate": (predicted - hits, rows - truth),
        }
        return {
            name: (part[..., self.columns], whole[..., self.columns])
            for name, (part, whole) in of_columns.items()
        } | {ACCURACY: (right, rows)}

    @cached_property
    def _observed(self) -> dict[str, tuple[Array, Array]]:
        return self._fractions(self.evaluation.counts.tables(self.model))

    @cached_property
    def _shown(self) -> dict[str, Array]:
        """For each measure, the positions of the columns with the largest differences."""
        out = {}
        for name, fraction in self._observed.items():
            rates = rate(*fraction)
            defined = (~np.isnan(rates)).sum(axis=0) > 1
            gap = np.where(np.isnan(rates), -np.inf, rates).max(axis=0)
            gap = gap - np.where(np.isnan(rates), np.inf, rates).min(axis=0)
            order = np.argsort(-np.where(defined, gap, -1.0), kind="stable")
            out[name] = order[:MOST_TASKS]
        return out

    def scores(self, tables: Tables, reference: Tables | None, rng: Draws) -> dict[str, Array]:
        """Rates of the columns that are shown, of shape (..., groups, columns)."""
        fractions = self._fractions(tables)
        return {name: rate(*fractions[name])[..., shown] for name, shown in self._shown.items()}

    def point(self) -> dict[str, Array]:
        """The same rates for the observed counts."""
        tables = self.evaluation.counts.tables(self.model)
        return self.scores(tables, None, np.random.default_rng(0))

    def disparities(
        self, drawn: Mapping[str, Array], no_draws: str | None, confidence: float
    ) -> dict[str, list[Disparity]]:
        """The tasks with the largest differences, for each measure, the largest first.

        Parameters
        ----------
        drawn : mapping of str to ndarray
            The scores of replicates; empty if there are none.
        no_draws : str or None
            Why there can be none.
        confidence : float
        """
        counts = self.evaluation.counts
        worth = counts.effective_rows / float(counts.tables(self.model).total)
        out: dict[str, list[Disparity]] = {}
        for name, rates in self.point().items():
            shown, rows = self._shown[name], self._observed[name][1] * worth
            out[name] = []
            for i, column in enumerate(shown):
                replicates = drawn[name][..., i] if drawn else None
                gap = largest_gap(rates[:, i], replicates, confidence, rows[:, column])
                by_group = [None] * len(rates) if replicates is None else replicates.T
                groups = [
                    Replicated(*number, no_draws).estimate(confidence)
                    for number in zip(rates[:, i], by_group, strict=True)
                ]
                task = None if name in OF_ROWS else int(self.columns[column])
                reason = no_draws or gap.reason
                out[name].append(
                    Disparity(task, replace(gap, reason=reason), groups if len(shown) == 1 else [])
                )
        return out


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
    prevalences : list of Ratios
        How often each model predicts a task, as a multiple of how often it is true.
    drifts : Drifts or None
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
    prevalences: list[Ratios]
    drifts: Drifts | None
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


def interval_options(n_boot: int, confidence: float, random_state: RandomState) -> IntervalOptions:
    """The options for the intervals of an audit; raise ValueError if a value is out of range."""
    return IntervalOptions(n_boot, confidence, "percentile", "reference", random_state)


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
    for metric in (metric for chosen in metrics.values() for metric in chosen):
        evaluation = metric.prepare(evaluation)
    scored_pairs = max(MOST_PAIRS, _MOST_SCORES // max(options.n_boot, 1))
    measurements = {
        (model, metric.__name__): _with_pairs(metric.measure(evaluation, model), scored_pairs)
        for model, chosen in metrics.items()
        for metric in chosen
        if metric.applies(evaluation)
    }
    # NumPy scalars become numbers that json can write.
    counts, confidence = evaluation.counts, float(options.confidence)
    columns = positive_columns(evaluation, pos_label)
    rates = {
        (model, _RATES): group_rates
        for model in metrics
        if (group_rates := GroupRates(evaluation=evaluation, model=model, columns=columns)).measured
    }
    prevalences = {
        (model, _PREVALENCE): prevalence
        for model in metrics
        if (prevalence := Prevalence(evaluation=evaluation, model=model, columns=columns)).measured
    }
    drift = Drift(evaluation=evaluation, model=counts.first_model, columns=columns)
    drift_key = (drift.model, _DRIFT)
    asked, no_draws = options.n_boot > 0, counts.no_draws if options.n_boot else None
    n_boot = 0 if no_draws else int(options.n_boot)
    draws: dict[Key, dict[str, Array]] = {}
    if n_boot:
        scored: dict[Key, Scored] = {**measurements, **rates, **prevalences}
        if drift.measured:
            scored[drift_key] = drift
        draws = replicate(scored, evaluation, n_boot, options.random_state)

    results, differences, pairs, trends = {}, {}, {}, {}
    for key, measurement in measurements.items():
        replicates = draws.get(key, {}) if asked else None
        results[key] = AmplificationResult.of(measurement, replicates, confidence)
        first = (counts.models[0], key[1])
        if key != first and first in results:
            compared = {key[0]: results[key], first[0]: results[first]}
            difference = paired_difference(compared, confidence)
            differences[key] = replace(difference, reason=no_draws or difference.reason)
        if isinstance(measurement, Cooccurrence) and measurement.selected is not None:
            pairs[key] = _pairs(measurement, (replicates or {}).get("pairs"), no_draws, confidence)
            trends[key] = _trends(measurement, draws.get(key, {}), no_draws)
    measures = {
        key[0]: group_rates.disparities(draws.get(key, {}), no_draws, confidence)
        for key, group_rates in rates.items()
    }
    ratios = [
        Ratios.of_draws(prevalence, draws.get(key, {}).get("ratio"), no_draws)
        for key, prevalence in prevalences.items()
    ]
    drifts = None
    if drift.measured:
        drawn = draws.get(drift_key, {}).get("drift")
        reason = drift.no_interval if asked else None
        drifts = Drifts(drift, drift.estimates(drawn, confidence, reason))
    options = replace(options, n_boot=n_boot, confidence=confidence)
    return Findings(
        evaluation, options, results, differences, pairs, trends, measures, ratios, drifts, columns
    )


def _trends(
    measurement: Cooccurrence, drawn: Mapping[str, Array], no_draws: str | None
) -> list[Trend]:
    """The trends of BA->, with the drawn scores of a model."""
    point, groups = measurement.point(), measurement.evaluation.counts.groups

    def number(name: str, i: int) -> Replicated:
        value = float(point[name][i])
        if no_draws:
            return Replicated(value, None, no_draws)
        of_name = {key: x[:, i] for key, x in drawn.items() if key.startswith(name)}
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


def _pairs(
    measurement: Cooccurrence, drawn: Array | None, no_draws: str | None, confidence: float
) -> list[PairOfBA]:
    """The scored pairs, with an interval that holds for all that are defined."""
    contributions = measurement.pairs()["contribution"].reshape(-1)
    selected = [] if measurement.selected is None else measurement.selected.tolist()
    few = measurement.rests_on_few.reshape(-1)
    family = int((~np.isnan(contributions) & ~few).sum())
    judged = [] if drawn is None else np.flatnonzero(~few[selected]).tolist()
    bands = {}
    if drawn is not None:
        values = contributions[selected][judged]
        bands = dict(
            zip(judged, simultaneous(values, drawn[:, judged], confidence, family), strict=True)
        )
    out = []
    for i, position in enumerate(selected):
        value, replicates = float(contributions[position]), None if drawn is None else drawn[:, i]
        reason = no_draws or (_FEW if few[position] and drawn is not None else None)
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
