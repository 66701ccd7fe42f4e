"""What the choice of a threshold changes: BA A->T and the gap of false positives over a score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from biasamp_adapters._progress import progress
from biasamp_adapters._typing import Array, Label, RandomState
from biasamp_adapters.auditing.evaluate import positive_columns
from biasamp_adapters.auditing.standard import GroupRates
from biasamp_adapters.auditing.summarise import note_of
from biasamp_adapters.counts import Counts, JointCounts
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.inputs.order import index_of, warn_of_order
from biasamp_adapters.metrics import DirectionalBiasAmplification
from biasamp_adapters.metrics.bound import A_TO_T, replicate
from biasamp_adapters.metrics.result import numbers, plain
from biasamp_adapters.reference import Evaluation, align, as_reference
from biasamp_adapters.thresholds.curve import steps_of
from biasamp_adapters.thresholds.scores import read_scores
from biasamp_adapters.uncertainty import estimate

#: Shares of rows predicted positive at which a score is looked at: 1/50, 2/50 and so on, but a
#: little less, since 600 * .14 rounds to above 84.
LEVELS = np.arange(1, 51) / 50 * (1 - 1e-12)

_GAP = "false_positive_rate"


def sweeps_of_arrays(
    counts: Counts,
    y_score: Any,
    rows: Mapping[str, Any],
    reference: Any,
    options: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """The sweep of each model that has scores.

    Parameters
    ----------
    counts : Counts
        What is audited.
    y_score : array-like of shape (n,), or mapping from models
    rows : mapping
        What was counted, as ``JointCounts.from_arrays`` takes it, but for the predictions.
    reference, options
        As :func:`sweep` takes them.

    Raises
    ------
    ValueError
        If there is not one finite score for each row.
    """
    labelled, scores = by_model(counts, y_score)
    sweeps = []
    for model, given in scores.items():
        warn_of_order([("y_true", index_of(rows["y_true"])), ("y_score", index_of(given))])
        values, _ = read_scores(given)
        n_rows = counts.n_rows + counts.dropped
        if values.shape != (n_rows,):
            raise ValueError(
                f"y_score must be a vector with a score for each of {n_rows} rows; received the "
                f"shape {values.shape}"
            )
        # The sum makes 0 of a zero that has a minus.
        thresholds = -np.unique(np.quantile(-values, LEVELS, method="inverted_cdf")) + 0.0
        ranks = np.searchsorted(-thresholds, -values)
        ranked = JointCounts.from_arrays(y_pred=ranks, by_weight=True, **rows)
        sweeps.append(sweep(labelled, model, ranked, thresholds, reference, **options))
    return sweeps


def by_model(counts: Counts, given: Any) -> tuple[JointCounts, dict[str, Any]]:
    """The counts, which must be of labels, and the scores of each model that has some.

    Raises
    ------
    ValueError
        If scores are of a model that is not audited, or there is no single task to score.
    """
    if not isinstance(counts, JointCounts):
        raise ValueError(
            "scores (y_score) are of one task, whose labels are one column; received a matrix"
        )
    scores = dict(given) if isinstance(given, Mapping) else {counts.models[0]: given}
    if not isinstance(given, Mapping) and len(counts.models) > 1:
        raise ValueError(
            f"y_score must map the models {listing(counts.models)} to their scores; received a "
            f"{type(given).__name__}"
        )
    unknown = [name for name in scores if name not in counts.models]
    if unknown:
        raise ValueError(
            f"y_score must be of audited models, {listing(counts.models)}; received "
            f"{listing(unknown)}"
        )
    return counts, scores


def sweep(
    counts: JointCounts,
    model: str,
    ranked: JointCounts,
    thresholds: Array,
    reference: Any,
    *,
    pos_label: Label | None,
    **draws: Any,
) -> dict[str, Any]:
    """The sweep of one model, as a report shows it.

    Parameters
    ----------
    counts : JointCounts
        What is audited.
    model : str
    ranked : JointCounts
        The same rows, with the first threshold that each reaches, as a position, for a prediction.
    thresholds : array of shape (thresholds,)
        Highest first.
    reference, pos_label
        As in an audit.
    **draws
        ``n_boot``, ``confidence`` and ``random_state``. Each threshold draws its own tables, from
        the same seed.
    """
    aligned = align(counts, as_reference(reference))
    if aligned.base_rates is not None or not counts.has("task"):
        raise ValueError(
            "scores (y_score) need y_true: a sweep compares with a truth; there is none"
        )
    labels, groups = aligned.counts.labels, aligned.counts.groups
    columns = positive_columns(aligned, pos_label)
    if len(columns) != 1:
        raise ValueError(f"scores (y_score) are of one of two classes; received {listing(labels)}")
    metric = DirectionalBiasAmplification(
        direction=A_TO_T,
        reference=aligned.reference,
        pos_label=labels[columns[0]],
        labels=labels,
        groups=groups,
    )
    steps = steps_of(metric, ranked)
    reached = np.cumsum([0.0, *steps.added])
    evaluations = (
        align(steps.counts(step), aligned.reference, labels, groups)
        for step in range(len(steps.ranks) + 1)
    )
    measured = progress(
        ((1, _point(metric, each, columns, **draws)) for each in evaluations),
        len(reached),
        "Sweeping thresholds",
    )
    return {
        "model": model,
        "name": f"BA {A_TO_T}",
        "task": show(labels[columns[0]]),
        "audited_share": _share(aligned.counts, model, "prediction", columns[0]),
        "reference_share": _share(aligned.origin, None, "task", columns[0]),
        "points": [
            {"threshold": threshold, "share": share, **point}
            for threshold, share, point in zip(
                # Above the first, no row is predicted positive.
                [None, *thresholds[steps.ranks].tolist()],
                (reached / reached[-1]).tolist(),
                measured,
                strict=True,
            )
        ],
    }


def _point(
    metric: DirectionalBiasAmplification,
    evaluation: Evaluation,
    columns: Array,
    *,
    n_boot: int,
    confidence: float,
    random_state: RandomState,
) -> dict[str, Any]:
    """BA A->T, its baseline and the gap of false positive rates, where some rows are positive."""
    (model,) = evaluation.counts.models
    bound = metric.bind(evaluation, model)
    rates = GroupRates(evaluation=evaluation, model=model, columns=columns)
    drawn: dict[str, dict[str, Array]] = {}
    if n_boot:
        drawn = replicate({"value": bound, "gap": rates}, evaluation, n_boot, random_state)
    result = bound.result(drawn.get("value") if n_boot else None, confidence)
    (gap,) = rates.scores(evaluation.counts.tables(model), None, np.random.default_rng(0))[_GAP]
    gaps = drawn["gap"][_GAP][:, 0] if "gap" in drawn else None
    amplification = result.to_dict()
    return {
        "amplification": {
            **{name: amplification[name] for name in ("value", "low", "high")},
            "note": note_of(result),
        },
        "random_error": plain(result.random_error),
        "fpr_difference": numbers(estimate(gap, gaps, confidence)),
    }


def _share(counts: Counts, model: str | None, role: str, column: int) -> float:
    tables = counts.tables() if model is None else counts.tables(model)
    return float(tables.marginal(role)[column] / tables.total)
