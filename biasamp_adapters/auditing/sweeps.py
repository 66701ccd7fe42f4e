"""BA A->T and the difference of false positive rates at the thresholds of a score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from biasamp_adapters._progress import progress
from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.auditing.findings import by_column, evaluate, positive_columns
from biasamp_adapters.auditing.summary import Row, note_of
from biasamp_adapters.counts import Counts, JointCounts
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.estimates import Estimate, IntervalOptions
from biasamp_adapters.inputs.order import index_of, warn_of_order
from biasamp_adapters.metrics import DirectionalBiasAmplification
from biasamp_adapters.metrics.measurement import A_TO_T
from biasamp_adapters.metrics.result import numbers
from biasamp_adapters.reference import Evaluation, align
from biasamp_adapters.thresholds.curve import shares, steps_of
from biasamp_adapters.thresholds.scores import read_scores

#: Shares of rows predicted positive at which a score is evaluated: 1/50, 2/50 and so on. They are
#: slightly smaller, because 600 * .14 rounds to above 84.
LEVELS = np.arange(1, 51) / 50 * (1 - 1e-12)

#: A function of a score. It returns counts whose predictions are the position of the first
#: threshold that a row reaches, and the thresholds, the highest first.
Rank: TypeAlias = Callable[[Any], tuple[JointCounts, Array]]


class Scores(NamedTuple):
    """The scores of an audit, one or a mapping from models, and the function that counts them."""

    y_score: Any
    rank: Rank


def scores_of_arrays(counts: Counts, y_score: Any, inputs: Inputs, **options: Any) -> Scores:
    """Scores that are arrays.

    Parameters
    ----------
    counts : Counts
        What is audited.
    y_score : array-like of shape (n,), or mapping from models
    inputs : Inputs
        The arrays that were counted.
    **options
        ``groups`` and ``missing``, with which they were counted.
    """

    def rank(score: Any) -> tuple[JointCounts, Array]:
        warn_of_order([("y_true", index_of(inputs.y_true)), ("y_score", index_of(score))])
        values, _ = read_scores(score)
        n_rows = counts.n_rows + counts.dropped
        if values.shape != (n_rows,):
            raise ValueError(
                f"y_score must be a vector with a score for each of {n_rows} rows; received the "
                f"shape {values.shape}"
            )
        # The sum turns -0.0 into 0.0.
        thresholds = -np.unique(np.quantile(-values, LEVELS, method="inverted_cdf")) + 0.0
        ranks = np.searchsorted(-thresholds, -values)
        ranked = inputs._replace(y_pred=ranks, sensitive_features_pred=None)
        return JointCounts.from_arrays(*ranked, **options, by_weight=True), thresholds

    return Scores(y_score, rank)


def sweeps(
    evaluation: Evaluation, scores: Scores, pos_label: Label | None, options: IntervalOptions
) -> list[Row]:
    """The sweep of each model that has scores, as a report shows it.

    Each threshold draws its own tables, from the same seed.

    Raises
    ------
    ValueError
        If scores are of a model that is not audited, there is no single task to score or no truth,
        or a score breaks a rule.
    """
    counts, y_score = evaluation.counts, scores.y_score
    if by_column(counts):
        raise ValueError(
            "scores (y_score) are of one task, whose labels are one column; received a matrix"
        )
    if not isinstance(y_score, Mapping):
        if len(counts.models) > 1:
            raise ValueError(
                f"y_score must map the models {listing(counts.models)} to their scores; received "
                f"a {type(y_score).__name__}"
            )
        y_score = {counts.models[0]: y_score}
    unknown = [name for name in y_score if name not in counts.models]
    if unknown:
        raise ValueError(
            f"y_score must be of audited models, {listing(counts.models)}; received "
            f"{listing(unknown)}"
        )
    if evaluation.base_rates is not None or not counts.has(Role.TASK):
        raise ValueError(
            "scores (y_score) need y_true: a sweep compares with a truth; there is none"
        )
    columns = positive_columns(evaluation, pos_label)
    if len(columns) != 1:
        raise ValueError(
            f"scores (y_score) are of one of two classes; received {listing(counts.labels)}"
        )
    return [
        _sweep(evaluation, model, columns[0], *scores.rank(score), options)
        for model, score in y_score.items()
    ]


def _sweep(
    evaluation: Evaluation,
    model: str,
    column: int,
    ranked: JointCounts,
    thresholds: Array,
    options: IntervalOptions,
) -> Row:
    """The sweep of one model: the class of one column against the rest."""
    labels, groups = evaluation.counts.labels, evaluation.counts.groups
    metric = DirectionalBiasAmplification(
        direction=A_TO_T,
        reference=evaluation.reference,
        pos_label=labels[column],
        labels=labels,
        groups=groups,
    )
    steps = steps_of(metric, ranked)
    reached = shares(steps.added)

    def point(step: int) -> Row:
        """BA A->T, that of blind errors, and the FPR difference at one threshold."""
        counts = align(steps.counts(step), evaluation.reference, labels, groups)
        metrics = {counts.counts.first_model: [metric]}
        findings = evaluate(counts, options, metrics, metric.pos_label)
        ((result,), (rates,)) = findings.results.values(), findings.rates.values()
        (of_groups,) = rates["false_positive_rate"]
        return {
            # Above the first threshold, no row is predicted positive.
            "threshold": float(thresholds[steps.ranks[step - 1]]) if step else None,
            "share": float(reached[step]),
            "amplification": {**numbers(result.estimate), "note": note_of(result)},
            "blind_errors": numbers(result.blind_errors or Estimate(float("nan"))),
            "fpr_difference": numbers(of_groups.gap),
        }

    points = ((1, point(step)) for step in range(len(reached)))
    return {
        "model": model,
        "name": f"BA {A_TO_T}",
        "task": show(labels[column]),
        "audited_share": _share(evaluation.counts.tables(model), Role.PREDICTION, column),
        "reference_share": _share(evaluation.origin.tables(), Role.TASK, column),
        "points": list(progress(points, len(reached), "Sweeping thresholds")),
    }


def _share(tables: Tables, role: Role, column: int) -> float:
    return float(tables.marginal(role)[column] / tables.total)
