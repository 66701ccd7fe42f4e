"""Scores of two classes: the steps from labels to decisions, and what other thresholds give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.compute import Computed
from biasamp_adapters.auditing.evaluate import ModelAudit, finite, group_rates, measure_groups
from biasamp_adapters.auditing.summary import ScoreRecord, ThresholdRecord, no_number
from biasamp_adapters.counting.labels import ATTRIBUTE, PREDICTION, SCORE, TASK, Array, Label
from biasamp_adapters.counting.margins import Margins, accuracy_of
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Codes, Variables
from biasamp_adapters.figures import name
from biasamp_adapters.inference.replicates import FurtherScores, replicate
from biasamp_adapters.metrics.base import A_TO_T
from biasamp_adapters.metrics.rates import DirectionalBiasAmplification, RateMeasurement
from biasamp_adapters.thresholds.sweep import bin_scores, decision_rule, nearest_threshold

#: Score and threshold are not separated in fewer rows.
_FEWEST_ROWS = 200

#: The decisions of the model, and those of a threshold for each group, in addition to others.
_OWN, _BY_GROUP = "decisions", "by group"


class Scores(NamedTuple):
    """What the scores of models tell."""

    models: list[str]
    records: list[ScoreRecord]
    thresholds: list[ThresholdRecord]
    notes: list[str]


def without_scores(evaluation: Evaluation) -> Evaluation:
    """Return the rows without scores, of which few are distinct."""
    if not evaluation.rows.has(SCORE):
        return evaluation
    return replace(evaluation, rows=evaluation.rows.without(SCORE).merged())


def measure_scores(
    evaluation: Evaluation, computed: Computed, pos_label: Label | None, threshold: float | None
) -> Scores:
    """Return what scores tell; a threshold is the one that made the predictions.

    Each audit from A to T has a record if any model has a score.
    """
    rows = evaluation.rows
    models = [model for model in rows.models if rows.has(SCORE, model)]
    scores = Scores(models if evaluation.base_rates is None else [], [], [], [])
    has_two_classes = len(rows.class_labels) == 2 and not rows.is_matrix(TASK)
    audits = computed.by_direction.get(A_TO_T, [])
    for audit in audits if scores.models else ():
        rule, rates = "", dict[str, Array]()
        if audit.model in models and has_two_classes:
            positive = rows.class_labels.index(rows.positive(pos_label))
            rule, note = _find_rule(rows, audit.model, positive, threshold)
            scores.notes.append(note)
            if audit.gaps:
                rates, thresholds = _draw(evaluation, audit, positive, computed.seed)
                scores.thresholds.extend(thresholds)
        scores.records.append(_score_record(rows, audit, rule, rates))
    return scores


def _find_rule(rows: Rows, model: str, positive: int, threshold: float | None) -> tuple[str, str]:
    """Return the rule that decisions follow, or a note if no threshold of the score gives them."""
    prediction, score = rows.variable(PREDICTION, model), rows.scores(model)
    if threshold is not None:
        return words.OR_MORE.format(threshold=f"{threshold:.15g}"), ""
    if not isinstance(prediction, Codes) or prediction.has_missing:
        return "", ""
    is_positive = prediction.codes == positive
    if rule := decision_rule(score, is_positive):
        return rule, ""
    if decision_rule(-score, is_positive) is not None:
        return "", words.SCORES_REVERSED.format(model=name(model, among=rows.models))
    return "", words.NO_THRESHOLD_GIVES.format(model=name(model, among=rows.models))


def _draw(
    evaluation: Evaluation, audit: ModelAudit, positive: int, seed: int
) -> tuple[dict[str, Array], list[ThresholdRecord]]:
    """Return the rates of a model, and what other thresholds would give.

    These are models of the same rows. The threshold that predicts all rows positive is left out.
    """
    rows, score = evaluation.rows, evaluation.rows.scores(audit.model)
    bins = bin_scores(score, rows.weight)
    variables: Variables = {key: rows.variables[key] for key in ((TASK, None), (ATTRIBUTE, None))}
    variables |= {(PREDICTION, _OWN): rows.variable(PREDICTION, audit.model), (SCORE, _OWN): bins}
    decisions = {repr(lowest): score >= lowest for lowest in bins.labels[1:]}
    for rule, is_positive in (decisions | _decide_by_group(rows, score, positive)).items():
        codes = np.where(is_positive, positive, 1 - positive).astype(np.uint8)
        variables[PREDICTION, rule] = Codes(rows.class_labels, codes)
    rows = replace(rows, variables=variables).merged()
    evaluation, metric = replace(evaluation, rows=rows), DirectionalBiasAmplification()
    own, *others = (metric.measure(evaluation, rule, seed) for rule in rows.models)
    groups = measure_groups(own)
    accuracies = {ba: FurtherScores(evaluation, ba.model, _accuracy) for ba in others}
    draws, _ = replicate([groups, *accuracies.values()], audit.ba.n_boot, seed)
    rates = groups.with_draws(own.margins, draws)
    accuracy = rates["accuracy"][:, -1]
    return rates, [
        _threshold_record(audit, ba, draws[further]["accuracy"], accuracy)
        for ba, further in accuracies.items()
    ]


def _accuracy(margins: Margins) -> dict[str, Array]:
    return {"accuracy": accuracy_of(margins, TASK)[:, 0]}


def _decide_by_group(rows: Rows, score: Array, positive: int) -> dict[str, Array]:
    """Return which rows are positive with a threshold for each group, as of PrevalenceThreshold.

    Groups that cannot be cut have the threshold of all rows. There is none without two classes.
    """
    truth, groups = rows.variable(TASK), rows.variable(ATTRIBUTE)
    if not isinstance(truth, Codes) or not isinstance(groups, Codes) or len(truth.seen) < 2:
        return {}
    data = np.array([score, truth.codes == positive, rows.weight])
    pooled, threshold = nearest_threshold(data), np.empty(len(rows))
    for code in np.unique(groups.codes):
        is_member = groups.codes == code
        threshold[is_member] = nearest_threshold(data[:, is_member], pooled=pooled)
    return {_BY_GROUP: score >= threshold}


def _threshold_record(
    audit: ModelAudit, ba: RateMeasurement, draws: Array, accuracy_of_model: Array
) -> ThresholdRecord:
    """Return what a threshold would give for the gap that is named, else the first one."""
    (first, second), of_class = audit.places(audit.gaps[min(audit.named, default=0)])
    rates, scores = group_rates(A_TO_T, None, ba.margins), ba.point()
    predicted, fpr = (rates[key][0, :, of_class] for key in ("predicted", "fpr"))
    accuracy = float(rates["accuracy"][0, -1])
    change = audit.estimate(np.r_[accuracy, draws] - accuracy_of_model)
    prediction = audit.evaluation.rows.variable(PREDICTION, audit.model)
    are_decisions = not (prediction.is_soft or prediction.has_missing)
    return ThresholdRecord(
        model=audit.model,
        threshold=None if ba.model in (None, _BY_GROUP) else float(ba.model),
        predicted_positive=float(predicted[-1]),
        gap=float(predicted[first] - predicted[second]),
        ba=scores["value"],
        ba_equal_errors=scores["equal_errors"],
        fpr_difference=finite(fpr[first] - fpr[second]),
        accuracy=accuracy,
        accuracy_falls=change.high < 0 if are_decisions else None,
    )


def _score_record(
    rows: Rows, audit: ModelAudit, rule: str, rates: Mapping[str, Array]
) -> ScoreRecord:
    """Return the named gap in two steps, or why they are not separated."""
    record = ScoreRecord(
        model=audit.model,
        gap=min(audit.named, default=None),
        rule=rule,
        first=None,
        second=None,
        by_score=no_number(),
        by_threshold=no_number(),
        reason=_why_not_apart(rows, audit, rule),
    )
    if record["gap"] is not None and not record["reason"]:
        groups, of_class = audit.places(audit.gaps[record["gap"]])
        record["first"], record["second"] = rates["implied"][0, groups, of_class].tolist()
        true, implied, predicted = (
            np.subtract(*rates[key][:, groups, of_class].T)
            for key in ("true", "implied", "predicted")
        )
        record["by_score"] = audit.number(implied - true)
        record["by_threshold"] = audit.number(predicted - implied)
    return record


def _why_not_apart(rows: Rows, audit: ModelAudit, rule: str) -> str:
    """Return why score and threshold of a model are not separated; empty if they are."""
    if len(rows.class_labels) != 2 or rows.is_matrix(TASK):
        return words.NEEDS_TWO_CLASSES
    if not rows.has(SCORE, audit.model):
        return words.NEEDS_SCORE
    if rows.n_rows < _FEWEST_ROWS:
        return words.FEW_ROWS_OF_SCORE.format(n=_FEWEST_ROWS)
    if len(rows.variable(SCORE, audit.model).seen) <= 2:
        return words.TWO_VALUES
    if not audit.named:
        return words.NO_GAP_NAMED
    if not audit.gaps[min(audit.named)].true_clear:
        return words.UNCLEAR_IN_LABELS
    return "" if rule else words.NO_ONE_THRESHOLD
