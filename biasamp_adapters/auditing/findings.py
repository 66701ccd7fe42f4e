"""Everything that an audit computes: all metrics and fairness measures, on the same draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label, RandomState
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.estimates import Estimate, IntervalOptions, Replicated
from biasamp_adapters.inference.replicates import Draws, Scored, replicate
from biasamp_adapters.metrics import METRICS, AmplificationResult
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.cooccurrence import Cooccurrence
from biasamp_adapters.metrics.means import rate
from biasamp_adapters.metrics.measurement import Measurement
from biasamp_adapters.metrics.paired import paired_difference
from biasamp_adapters.reference import Evaluation

#: Most pairs of a model and direction, and most tasks of a fairness measure, in a report.
MOST_PAIRS, MOST_TASKS = 500, 10

#: The names of BA->, whose sign and size are the easiest to read, and of Multi.
DIRECTIONAL, MULTI = "DirectionalBiasAmplification", "MultiAttributeBiasAmplification"

#: A model and the name of a metric.
Key = tuple[str, str]

#: The fairness measure of all task columns together; the others look at one column each.
ACCURACY = "accuracy"

#: Suffix of the names of rates by group.
BY_GROUP = "_by_group"

#: Takes the place of the metric in the keys of the draws of fairness measures.
_RATES = "rates by group"


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupRates(Scored):
    """Selection rate, TPR, FPR and accuracy of each group, and their differences.

    Attributes
    ----------
    columns : ndarray of int
        Positions of the task labels that are evaluated as positives.
    """

    columns: Array

    @property
    def width(self) -> int:
        return 6 * len(self.evaluation.counts.groups) * len(self.evaluation.counts.labels)

    def rates(self, tables: Tables) -> dict[str, Array]:
        """Rates of shape (..., groups, columns); the accuracy of shape (..., groups, 1)."""
        truth = tables.joint(Role.ATTRIBUTE, Role.TASK)
        predicted = tables.joint(Role.ATTRIBUTE, Role.PREDICTION)
        hits = tables.agreement(Role.TASK, by_group=True)
        rows = tables.marginal(Role.ATTRIBUTE)[..., :, None]
        if tables.counts.is_matrix(Role.TASK):
            # Each column is a task; the accuracy is the mean over tasks.
            right = rows - (truth + predicted - 2 * hits).mean(axis=-1, keepdims=True)
        else:
            right = hits.sum(axis=-1, keepdims=True)
        return {
            "selection_rate": rate(predicted, rows)[..., self.columns],
            "true_positive_rate": rate(hits, truth)[..., self.columns],
            "false_positive_rate": rate(predicted - hits, rows - truth)[..., self.columns],
            ACCURACY: rate(right, rows),
        }

    @cached_property
    def _extremes(self) -> dict[str, tuple[Array, Array]]:
        """For each rate, the groups with the highest and lowest value in the observed counts."""
        rates = self.rates(self.evaluation.counts.tables(self.model))
        last = len(self.evaluation.counts.groups) - 1
        return {
            name: (
                np.where(np.isnan(values), -np.inf, values).argmax(axis=0),
                # The last of equal values, so that two groups are compared even if all are equal.
                last - np.where(np.isnan(values), np.inf, values)[::-1].argmin(axis=0),
            )
            for name, values in rates.items()
        }

    def scores(self, tables: Tables, reference: Tables | None, rng: Draws) -> dict[str, Array]:
        """The highest minus the lowest rate, and the rates by group if there is one column.

        The two groups are those of the observed counts. If each replicate chose them again, noise
        alone would make the difference positive, and no interval could reach 0.
        """
        out = {}
        for name, values in self.rates(tables).items():
            defined = (~np.isnan(values)).sum(axis=-2) > 1
            columns = np.arange(values.shape[-1])
            high, low = (values[..., group, columns] for group in self._extremes[name])
            out[name] = np.where(defined, high - low, np.nan)
            if values.shape[-1] == 1:
                out[name + BY_GROUP] = values[..., 0]
        return out

    def point(self) -> dict[str, Array]:
        """The same scores for the observed counts."""
        tables = self.evaluation.counts.tables(self.model)
        return self.scores(tables, None, np.random.default_rng(0))


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
    pairs : dict of (model, metric name) to (positions, numbers)
        The strongest pairs of BA->, strongest first.
    trends : dict of (model, metric name) to list of Trend
        The pairs of BA-> by group and sign.
    rates : dict of model to dict of str to list of Replicated
        For each fairness measure, the differences between groups, one per column. The name with
        the suffix ``BY_GROUP`` holds the rate of each group.
    columns : ndarray of int
        Positions of the task labels that are evaluated as positives.
    """

    evaluation: Evaluation
    options: IntervalOptions
    results: dict[Key, AmplificationResult]
    differences: dict[Key, Estimate]
    pairs: dict[Key, tuple[Array, list[Replicated]]]
    trends: dict[Key, list[Trend]]
    rates: dict[str, dict[str, list[Replicated]]]
    columns: Array

    @property
    def counts(self) -> Counts:
        """The audited counts."""
        return self.evaluation.counts

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
    measurements = {
        (model, metric.__name__): _with_strongest_pairs(metric.measure(evaluation, model))
        for model, chosen in metrics.items()
        for metric in chosen
        if metric.applies(evaluation)
    }
    # NumPy scalars become numbers that json can write.
    counts, confidence = evaluation.counts, float(options.confidence)
    columns = positive_columns(evaluation, pos_label)
    measured = counts.has(Role.TASK) and counts.has(Role.ATTRIBUTE)
    rates = {
        (model, _RATES): GroupRates(evaluation=evaluation, model=model, columns=columns)
        for model in metrics
        if measured and counts.has(Role.PREDICTION, model)
    }
    asked, no_draws = options.n_boot > 0, counts.no_draws if options.n_boot else None
    n_boot = 0 if no_draws else int(options.n_boot)
    draws: dict[Key, dict[str, Array]] = {}
    if n_boot:
        scored: dict[Key, Scored] = {**measurements, **rates}
        draws = replicate(scored, evaluation, n_boot, options.random_state)

    def replicated(key: Key, name: str, values: Array) -> list[Replicated]:
        """Numbers with the drawn scores of this name."""
        drawn = draws[key][name].T if key in draws else [None] * len(values)
        return [Replicated(*number, no_draws) for number in zip(values, drawn, strict=True)]

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
            values = measurement.pairs()["contribution"].reshape(-1)[measurement.selected]
            pairs[key] = measurement.selected, replicated(key, "pairs", values)
            trends[key] = _trends(measurement, draws.get(key, {}), no_draws)
    measures = {
        key[0]: {
            name: replicated(key, name, values) for name, values in group_rates.point().items()
        }
        for key, group_rates in rates.items()
    }
    options = replace(options, n_boot=n_boot, confidence=confidence)
    return Findings(evaluation, options, results, differences, pairs, trends, measures, columns)


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


def _with_strongest_pairs(measurement: Measurement) -> Measurement:
    """The same measurement; one of BA-> scores its strongest pairs too."""
    if not isinstance(measurement, Cooccurrence) or measurement.coefficient != "sign":
        return measurement
    strength = np.abs(measurement.pairs()["contribution"].reshape(-1))
    order = np.argsort(-strength, kind="stable")
    defined = order[~np.isnan(strength[order])]
    return replace(measurement, selected=defined[:MOST_PAIRS])


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
