"""All metrics that an input allows, on the same drawn tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from biasamp_adapters._typing import Array, Label, RandomState
from biasamp_adapters.auditing.standard import GroupRates
from biasamp_adapters.counts import Counts
from biasamp_adapters.metrics import (
    MALS,
    AmplificationResult,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.bound import A_TO_T, T_TO_A, UNDIRECTED, Bound, Scored, replicate
from biasamp_adapters.metrics.cooccurrence import Cooccurrence
from biasamp_adapters.metrics.paired import paired_difference
from biasamp_adapters.reference import Evaluation
from biasamp_adapters.uncertainty import Estimate, estimate

#: An audit fits attackers on at most this many rows.
MOST_FITTED = 20_000

#: Draws of flips where an attacker is fitted for each, and where it is the table itself.
FITTED_TRIALS, EXACT_TRIALS = 5, 100

#: Pairs of a model and direction, and tasks of a fairness measure, that a report has.
MOST_PAIRS, MOST_TASKS = 500, 10

#: Key of one metric of one model.
Key = tuple[str, str]


@dataclass(frozen=True)
class Findings:
    """What an audit computed, before it is put into words.

    Attributes
    ----------
    evaluation : Evaluation
    results : dict of (model, metric name) to AmplificationResult
    differences : dict of (model, metric name) to Estimate
        Value less that of the first model, paired.
    pairs : dict of (model, metric name) to (positions, estimates)
        The strongest pairs of BA->, strongest first.
    rates : dict of model to (GroupRates, estimates by name)
    n_boot : int
    confidence : float
    """

    evaluation: Evaluation
    results: dict[Key, AmplificationResult]
    differences: dict[Key, Estimate]
    pairs: dict[Key, tuple[Array, list[Estimate]]]
    rates: dict[str, tuple[GroupRates, dict[str, list[Estimate]]]]
    n_boot: int
    confidence: float


def default_metrics(
    evaluation: Evaluation, model: str, pos_label: Label | None
) -> Iterator[Metric]:
    """The metrics and directions that the counts of a model, or base rates, allow."""
    counts, base = evaluation.counts, evaluation.base_rates
    predicts = counts.has("prediction", model)
    named = counts.has("attribute_prediction", model)
    true_task, true_group = counts.has("task"), counts.has("attribute")
    compared = []
    if predicts and true_group and (true_task if base is None else base.has(A_TO_T)):
        compared.append(A_TO_T)
    if named and true_task and (base is None or base.has(T_TO_A)):
        compared.append(T_TO_A)
    undirected = predicts and (true_group or named) and (base is None or base.has(UNDIRECTED))
    if undirected:
        yield MALS(pos_label=pos_label)
    for direction in compared:
        yield DirectionalBiasAmplification(direction=direction, pos_label=pos_label)
    soft = {
        A_TO_T: {"prediction"},
        T_TO_A: {"attribute_prediction"},
        UNDIRECTED: {"prediction", "attribute_prediction"},
    }
    for direction in [*compared, *[UNDIRECTED] * undirected]:
        if counts.knows_sets and not soft[direction] & counts.soft:
            yield MultiAttributeBiasAmplification(direction=direction, pos_label=pos_label)
    if not (true_task and true_group):
        return
    fitted = counts.is_matrix("task") and len(counts.labels) > 1
    trials = FITTED_TRIALS if fitted else EXACT_TRIALS
    if predicts and allows_attack(counts, "task"):
        yield LeakageAmplification(n_trials=trials)
    directions = [A_TO_T] if predicts and allows_attack(counts, "attribute") else []
    if named and allows_attack(counts, "task"):
        directions.append(T_TO_A)
    # The uncertainty coefficient is never equalised in expectation: it needs rows to flip.
    for quality in ("inverse_cross_entropy", *["uncertainty_coefficient"] * counts.knows_rows):
        for direction in directions:
            yield DirectionalPredictabilityAmplification(
                direction=direction,
                quality=quality,
                n_trials=trials if direction == T_TO_A else EXACT_TRIALS,
            )


def allows_attack(counts: Counts, source: str) -> bool:
    """Whether an attacker can read a variable: exactly, or fitted on rows that are not too many."""
    if not counts.is_matrix(source) or (source == "attribute" and counts.one_each(source)):
        return True
    if counts.n_labels(source) == 1 and not counts.is_matrix("attribute"):
        return True
    has_rows = counts.no_draws is None and not counts.is_normal
    return has_rows and counts.n_rows <= MOST_FITTED


def positive_columns(evaluation: Evaluation, pos_label: Label | None) -> Array:
    """The tasks to look at: the positive class of two, or all."""
    labels = evaluation.counts.labels
    only = evaluation.positive if pos_label is None else pos_label
    return np.arange(len(labels)) if only is None else np.array([labels.index(only)])


def evaluate(
    evaluation: Evaluation,
    *,
    pos_label: Label | None,
    n_boot: int,
    confidence: float,
    random_state: RandomState,
) -> Findings:
    """Compute every metric of every model, with intervals from the same draws."""
    evaluation, bounds = _bind(evaluation, pos_label)
    rates = _group_rates(evaluation, pos_label)
    counts = evaluation.counts
    scored: dict[Key, Scored] = {**bounds, **{(model, ""): of for model, of in rates.items()}}
    reason = counts.no_draws if n_boot else None
    n_boot = 0 if reason else n_boot
    draws = replicate(scored, evaluation, n_boot, random_state) if n_boot else {}

    results, differences, pairs = {}, {}, {}
    for key, bound in bounds.items():
        replicates = draws.get(key, {}) if n_boot or reason else None
        results[key] = bound.result(replicates, confidence)
        first = (counts.models[0], key[1])
        if key[0] != counts.models[0] and first in results:
            gap = paired_difference(
                (results[key], results[first]),
                (key[0], first[0]),
                (draws.get(key), draws.get(first)) if n_boot else None,
                confidence,
            )
            differences[key] = _because(gap, reason)
        if isinstance(bound, Cooccurrence) and bound.selected is not None:
            values = bound.pairs()["contribution"].reshape(-1)[bound.selected]
            drawn = draws[key]["pairs"].T if key in draws else [None] * len(values)
            found = [estimate(*each, confidence) for each in zip(values, drawn, strict=True)]
            pairs[key] = bound.selected, [_because(each, reason) for each in found]
    estimates = {
        model: (of, _rate_estimates(of, draws.get((model, "")), confidence, reason))
        for model, of in rates.items()
    }
    return Findings(evaluation, results, differences, pairs, estimates, n_boot, confidence)


def _bind(evaluation: Evaluation, pos_label: Label | None) -> tuple[Evaluation, dict[Key, Bound]]:
    """The evaluation with all that the metrics read, and the metrics bound to it."""
    metrics = {
        model: list(default_metrics(evaluation, model, pos_label))
        for model in evaluation.counts.models
    }
    if not any(metrics.values()):
        raise ValueError(
            "no metric applies: A->T needs task_given_attribute, the attribute and predictions of "
            "the task; T->A needs attribute_given_task, the task and predictions of the attribute; "
            f"received {evaluation.base_rates!r} for {evaluation.counts!r}"
        )
    for metric in (metric for each in metrics.values() for metric in each):
        evaluation = metric.prepare(evaluation)
    bounds = {
        (model, metric.__name__): _selecting(metric.bind(evaluation, model))
        for model, each in metrics.items()
        for metric in each
        if metric.applies(evaluation)
    }
    return evaluation, bounds


def _group_rates(evaluation: Evaluation, pos_label: Label | None) -> dict[str, GroupRates]:
    """The fairness measures of each model, where there is a truth to measure them by."""
    counts = evaluation.counts
    if not (counts.has("task") and counts.has("attribute")):
        return {}
    columns = positive_columns(evaluation, pos_label)
    return {
        model: GroupRates(evaluation=evaluation, model=model, columns=columns)
        for model in counts.models
        if counts.has("prediction", model)
    }


def _selecting(bound: Bound) -> Bound:
    """The same bound metric, its strongest pairs scored too if it is one of BA->."""
    if not isinstance(bound, Cooccurrence) or bound.coefficient != "sign":
        return bound
    strength = np.abs(bound.pairs()["contribution"].reshape(-1))
    order = np.argsort(-strength, kind="stable")
    defined = order[~np.isnan(strength[order])]
    return replace(bound, selected=defined[:MOST_PAIRS])


def _because(found: Estimate, reason: str | None) -> Estimate:
    """The same number; where tables could not be drawn, with the reason for it."""
    return found if reason is None else replace(found, reason=reason)


def _rate_estimates(
    of: GroupRates, draws: dict[str, Array] | None, confidence: float, reason: str | None
) -> dict[str, list[Estimate]]:
    tables = of.evaluation.counts.tables(of.model)
    out = {}
    for name, values in of.scores(tables, None, np.random.default_rng(0)).items():
        drawn = [None] * len(values) if draws is None else draws[name].T
        out[name] = [
            _because(estimate(value, replicates, confidence), reason)
            for value, replicates in zip(values, drawn, strict=True)
        ]
    return out
