"""Scores of two classes: the steps from labels to decisions, and what other thresholds give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.compute import Computed
from biasamp_adapters.auditing.evaluate import GroupMeasurement, position_of_positive
from biasamp_adapters.auditing.gap_records import as_number, from_draws, main_gap, places_of
from biasamp_adapters.auditing.summary import ScoreRecord, ThresholdRecord
from biasamp_adapters.counting.labels import ATTRIBUTE, PREDICTION, SCORE, TASK, Array, Label
from biasamp_adapters.counting.margins import Margins, accuracy_of
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Codes, Variables
from biasamp_adapters.figures import name
from biasamp_adapters.inference.gaps import Gap
from biasamp_adapters.inference.replicates import replicate
from biasamp_adapters.metrics.base import A_TO_T
from biasamp_adapters.metrics.rates import DirectionalBiasAmplification
from biasamp_adapters.thresholds.score_or_threshold import bin_scores, decision_rule

#: Fewer rows do not tell score and threshold apart.
_FEWEST_ROWS = 200

#: The decisions of the model, and those of a threshold for each group, beside other thresholds.
_OWN, _BY_GROUP = "decisions", "by group"


class _Accuracies(NamedTuple):
    """The accuracies that other thresholds give, which are drawn beside the rates of the model."""

    evaluation: Evaluation
    positive: int
    model: str = _OWN
    n_pairs: int = 0
    width: int = 0

    def score(self, margins: Margins, origin: Any = None, rng: Any = None) -> dict[str, Array]:
        """Return the accuracy at the lowest score of each bin but the first, and that by group."""
        by_bin = margins.joint(TASK, SCORE)
        below, total = by_bin.cumsum(axis=2)[..., :-1], by_bin.sum(axis=2, keepdims=True)
        right = np.where(np.arange(2)[:, None] == self.positive, total - below, below).sum(axis=1)
        accuracies = [right / margins.total[:, 0]]
        if margins.rows.has(PREDICTION, _BY_GROUP):
            accuracies.append(accuracy_of(margins.of_model(_BY_GROUP), TASK))
        return {"accuracies": np.concatenate(accuracies, axis=1)}


@dataclass(frozen=True, eq=False)
class Score:
    """What the score of a model tells.

    Attributes
    ----------
    n_values : int
        Distinct scores.
    rule : str
        How the decisions follow from the score, such as "5 or more"; empty if no threshold gives
        them, or there are not two classes.
    note : str
        What is wrong with the score, if anything is.
    rates : dict of str to ndarray
        Those of the model, and those that its scores imply, of the data and then of replicates.
    others : dict of str to (GroupMeasurement, ndarray of shape (1 + replicates,))
        What other thresholds would give, and one for each group; and by how much the accuracy would
        change.
    """

    n_values: int
    rule: str
    note: str
    rates: dict[str, Array]
    others: dict[str, tuple[GroupMeasurement, Array]]


def without_scores(evaluation: Evaluation) -> Evaluation:
    """Return the rows without scores, of which few are distinct."""
    if not evaluation.rows.has(SCORE):
        return evaluation
    return replace(evaluation, rows=evaluation.rows.without(SCORE).merged())


def measure_scores(
    evaluation: Evaluation,
    computed: Computed,
    pos_label: Label | None,
    threshold: float | None,
    seed: int,
) -> dict[str, Score]:
    """Return the score of each model that has one; a threshold is the one that made predictions."""
    rows, classes, scores = evaluation.rows, evaluation.rows.class_labels, {}
    for model in rows.models:
        if not rows.has(SCORE, model) or evaluation.base_rates is not None:
            continue
        score = Score(len(np.unique(rows.scores(model))), "", "", {}, {})
        if len(classes) == 2 and not rows.is_matrix(TASK):
            positive = position_of_positive(classes, A_TO_T, pos_label)
            rule, note = _find_rule(rows, model, positive, threshold)
            score = replace(score, rule=rule, note=note)
            if computed.judgements[A_TO_T, model].gaps:
                rates, others = _draw(evaluation, computed, model, positive, seed)
                score = replace(score, rates=rates, others=others)
        scores[model] = score
    return scores


def _find_rule(rows: Rows, model: str, positive: int, threshold: float | None) -> tuple[str, str]:
    """Return the rule that decisions follow, or a note if no threshold of the score gives them."""
    prediction, score = rows.variable(PREDICTION, model), rows.scores(model)
    if threshold is not None:
        return words.OR_MORE.format(threshold=f"{threshold:.15g}"), ""
    if not isinstance(prediction, Codes) or prediction.has_missing:
        return "", ""
    is_positive = prediction.codes == positive
    rule = decision_rule(score, is_positive)
    if rule is not None:
        return rule, ""
    if decision_rule(-score, is_positive) is not None:
        return "", words.SCORES_REVERSED.format(model=name(model))
    return "", words.NO_THRESHOLD_GIVES.format(model=name(model))


def _draw(
    evaluation: Evaluation, computed: Computed, model: str, positive: int, seed: int
) -> tuple[dict[str, Array], dict[str, tuple[GroupMeasurement, Array]]]:
    """Draw the rates of a model and what other thresholds would give, as models of the same rows.

    The threshold that predicts all rows positive is left out.
    """
    rows, score = evaluation.rows, evaluation.rows.scores(model)
    bins = bin_scores(score, rows.weight)
    variables: Variables = {key: rows.variables[key] for key in ((TASK, None), (ATTRIBUTE, None))}
    variables |= {(PREDICTION, _OWN): rows.variable(PREDICTION, model), (SCORE, _OWN): bins}
    decisions = {repr(lowest): score >= lowest for lowest in bins.labels[1:]}
    for rule, is_positive in (decisions | _decide_by_group(rows, score, positive)).items():
        codes = np.where(is_positive, positive, 1 - positive).astype(np.uint8)
        variables[PREDICTION, rule] = Codes(rows.class_labels, codes)
    rows = replace(rows, variables=variables).merged()
    evaluation, metric = replace(evaluation, rows=rows), DirectionalBiasAmplification()
    own, *measured = (
        GroupMeasurement(metric.measure(evaluation, rule, seed), computed.members[A_TO_T])
        for rule in rows.models
    )
    to_draw = [own, _Accuracies(evaluation, positive)]
    (draws, others), _ = replicate(to_draw, rows, None, computed.n_boot, seed)
    rates = {key: np.concatenate([x, draws[key]]) for key, x in own.point.items()}
    alternatives = {}
    for m, drawn in zip(measured, others["accuracies"].T, strict=True):
        accuracy = np.append(m.point["accuracy"][:, -1], drawn)
        alternatives[str(m.model)] = m, accuracy - rates["accuracy"][:, -1]
    return rates, alternatives


def _decide_by_group(rows: Rows, score: Array, positive: int) -> dict[str, Array]:
    """Return which rows PrevalenceThreshold predicts positive, if it can be fitted."""
    from biasamp_adapters.thresholds.prevalence import PrevalenceThreshold  # Slow to import.

    truth, groups = rows.variable(TASK), rows.variable(ATTRIBUTE)
    if not isinstance(truth, Codes) or not isinstance(groups, Codes) or len(truth.seen) < 2:
        return {}
    rule = PrevalenceThreshold(unknown_groups="pooled").fit(
        score, truth.codes == positive, sensitive_features=groups.codes, sample_weight=rows.weight
    )
    return {_BY_GROUP: rule.predict(score, sensitive_features=groups.codes)}


def score_records(computed: Computed, scores: Mapping[str, Score]) -> Iterator[ScoreRecord]:
    """Yield the named gap of each model in two steps, if any model has a score."""
    for model in computed.models if scores else ():
        position, gap = main_gap(computed, A_TO_T, model)
        score, rows = scores.get(model), computed.evaluation.rows
        reason = _why_not_apart(rows, score, None if position is None else gap)
        ends, numbers = (None, None), [as_number(np.nan)] * 2
        if gap is not None and score is not None and not reason:
            rates, (first, second, of_class) = score.rates, places_of(computed, A_TO_T, gap)
            ends = tuple(rates["implied"][0, [first, second], of_class].tolist())
            true, implied, predicted = (
                rates[key][:, first, of_class] - rates[key][:, second, of_class]
                for key in ("true", "implied", "predicted")
            )
            steps = implied - true, predicted - implied
            numbers = [from_draws(step, computed.confidence, computed.reason) for step in steps]
        yield ScoreRecord(
            model=model,
            gap=position,
            rule="" if score is None else score.rule,
            first=ends[0],
            second=ends[1],
            by_score=numbers[0],
            by_threshold=numbers[1],
            reason=reason,
        )


def _why_not_apart(rows: Rows, score: Score | None, gap: Gap | None) -> str:
    """Return why score and threshold of a model are not told apart; empty if they are."""
    if len(rows.class_labels) != 2 or rows.is_matrix(TASK):
        return words.NEEDS_TWO_CLASSES
    if score is None:
        return words.NEEDS_SCORE
    if rows.n_rows < _FEWEST_ROWS:
        return words.FEW_ROWS_OF_SCORE.format(n=_FEWEST_ROWS)
    if score.n_values <= 2:
        return words.TWO_VALUES
    if gap is None:
        return words.NO_GAP_NAMED
    if not gap.true_clear:
        return words.UNCLEAR_IN_LABELS
    return "" if score.rule else words.NO_ONE_THRESHOLD


def threshold_records(computed: Computed, scores: Mapping[str, Score]) -> Iterator[ThresholdRecord]:
    """Yield what other thresholds would give for the gap that is named, else the first one."""
    for model, score in scores.items():
        _, gap = main_gap(computed, A_TO_T, model)
        if gap is None:
            continue
        first, second, of_class = places_of(computed, A_TO_T, gap)
        for rule, (m, accuracy_change) in score.others.items():
            ba = m.ba.point()
            rates = {key: m.point[key][0, :, of_class] for key in ("predicted", "fpr")}
            difference = {key: float(x[first] - x[second]) for key, x in rates.items()}
            change = from_draws(accuracy_change, computed.confidence)
            yield ThresholdRecord(
                model=model,
                threshold=None if rule == _BY_GROUP else float(rule),
                predicted_positive=float(rates["predicted"][-1]),
                gap=difference["predicted"],
                ba=ba["value"],
                ba_equal_errors=ba["equal_errors"],
                fpr_difference=as_number(difference["fpr"])["value"],
                accuracy=float(m.point["accuracy"][0, -1]),
                accuracy_falls=change["high"] is not None and change["high"] < 0,
            )
