"""What the thresholds of a score would give: BA->, and what is read beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from biasamp_adapters._progress import progress
from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label, Row
from biasamp_adapters.auditing.findings import by_column, evaluate, positive_columns
from biasamp_adapters.auditing.ranked_scores import Scores
from biasamp_adapters.auditing.summary import note_of
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.estimates import Estimate, IntervalOptions
from biasamp_adapters.inference.replicates import SHORTER
from biasamp_adapters.metrics import MALS, DirectionalBiasAmplification
from biasamp_adapters.metrics.base import Metric
from biasamp_adapters.metrics.equalize import accuracy_of
from biasamp_adapters.metrics.measurement import A_TO_T, T_TO_A
from biasamp_adapters.metrics.plain import numbers
from biasamp_adapters.reference import Evaluation, align
from biasamp_adapters.thresholds.all_thresholds import AllThresholds, drawn_at_all
from biasamp_adapters.thresholds.curve import Steps, steps_of
from biasamp_adapters.thresholds.swept import Swept

#: Why numbers of thresholds of each group have no interval.
_ON_THESE = "these rows set the thresholds, so that they do not tell how others would vary"


def sweeps(
    evaluation: Evaluation, scores: Scores, pos_label: Label | None, options: IntervalOptions
) -> list[Row]:
    """The sweep of each model that has scores, as a report shows it.

    Each threshold draws its own tables, from the same seed.

    Raises
    ------
    ValueError
        If scores are of a model that is not audited, what they predict does not have two labels,
        there is no truth, or a score breaks a rule.
    """
    counts, swept = evaluation.counts, scores.swept
    if evaluation.base_rates is not None or not counts.has(Role.TASK):
        raise ValueError(
            f"scores ({swept.argument}) need y_true: a sweep compares with a truth; there is none"
        )
    if swept.role.of_attribute:
        _check_groups(counts, swept)
        of_model = partial(_of_attribute, evaluation, swept, pos_label, options)
    else:
        of_model = partial(_of_task, evaluation, _column(evaluation, pos_label), options)
    return [
        of_model(model, *scores.rank(model, score))
        for model, score in _by_model(counts, scores).items()
    ]


def _by_model(counts: Counts, scores: Scores) -> Mapping[str, Any]:
    """The scores of each model that has any."""
    by_model, argument = scores.given, scores.swept.argument
    if not isinstance(by_model, Mapping):
        if len(counts.models) > 1:
            raise ValueError(
                f"{argument} must map the models {listing(counts.models)} to their scores; "
                f"received a {type(by_model).__name__}"
            )
        by_model = {counts.first_model: by_model}
    unknown = [name for name in by_model if name not in counts.models]
    if unknown:
        raise ValueError(
            f"{argument} must be of audited models, {listing(counts.models)}; received "
            f"{listing(unknown)}"
        )
    return by_model


def _column(evaluation: Evaluation, pos_label: Label | None) -> int:
    """The position of the class that scores are of."""
    counts = evaluation.counts
    if by_column(counts):
        raise ValueError(
            "scores (y_score) are of one task, whose labels are one column; received a matrix"
        )
    columns = positive_columns(evaluation, pos_label)
    if len(columns) != 1:
        raise ValueError(
            f"scores (y_score) are of one of two classes; received {listing(counts.labels)}"
        )
    return int(columns[0])


def _check_groups(counts: Counts, swept: Swept) -> None:
    """Raise unless there are two groups, in one column."""
    if counts.is_matrix(Role.ATTRIBUTE) or len(counts.attributes) > 1:
        received = "a matrix" if counts.is_matrix(Role.ATTRIBUTE) else listing(counts.attributes)
        raise ValueError(
            "scores (attribute_score) are of one attribute, whose groups are one column; received "
            f"{received}"
        )
    swept.position(counts.groups)


@dataclass(frozen=True)
class _Sweep:
    """What the thresholds of one score would give.

    Attributes
    ----------
    evaluation : Evaluation
        What is audited.
    steps : Steps
        The counts at every threshold.
    thresholds : ndarray of shape (ranks,)
        What the ranks stand for.
    """

    evaluation: Evaluation
    steps: Steps
    thresholds: Array

    def threshold(self, step: int) -> float | None:
        """The threshold of a step; None above all scores, where no row is predicted positive."""
        return float(self.thresholds[self.steps.ranks[step - 1]]) if step else None

    def row(
        self, model: str, role: Role, points: Iterable[Row], free: Mapping[str, Estimate | None]
    ) -> Row:
        """The part of a report, of points without their thresholds, and of integrals over them."""
        counts, column = self.evaluation.counts, self.steps.positive
        audited = counts.tables(model) if counts.has(role, model) else None
        return {
            "model": model,
            "audited_share": None if audited is None else _share(audited, role, column),
            "reference_share": _share(self.evaluation.origin.tables(), role.truth, column),
            "points": [
                {"threshold": self.threshold(step), "share": float(share), **point}
                for step, (share, point) in enumerate(zip(self.steps.share, points, strict=True))
            ],
            "threshold_free": {name: number and numbers(number) for name, number in free.items()},
        }


def _of_task(
    evaluation: Evaluation,
    column: int,
    options: IntervalOptions,
    model: str,
    ranked: Counts,
    thresholds: Array,
) -> Row:
    """The sweep of a score of the task: the class of one column against the rest."""
    label, role = evaluation.counts.labels[column], Role.PREDICTION
    metric = DirectionalBiasAmplification(direction=A_TO_T, pos_label=label, **_options(evaluation))
    steps = steps_of(metric, ranked, Swept(role, label))
    sweep, undefined = _Sweep(evaluation, steps, thresholds), Estimate(float("nan"))

    def point(step: int) -> Row:
        """BA A->T, that of blind errors, and the FPR difference at one threshold."""
        lists = evaluation.counts.labels, evaluation.counts.groups
        counts = align(steps.counts(step), evaluation.reference, *lists)
        metrics = {counts.counts.first_model: [metric]}
        findings = evaluate(counts, options, metrics, metric.pos_label)
        ((result,), (rates,)) = findings.results.values(), findings.rates.values()
        right = None if result.facts is None else result.facts.accuracy
        (of_groups,) = rates["false_positive_rate"]
        return {
            "amplification": {**numbers(result.estimate), "note": note_of(result)},
            "blind_errors": numbers(result.blind_errors or undefined),
            "fpr_difference": numbers(of_groups.gap),
            "accuracy": numbers(right or undefined),
        }

    n_steps = len(steps.share)
    points = ((1, point(step)) for step in range(n_steps))
    ((_, free),) = _at_all({"amplification": metric}, steps, role, options).values()
    drawn = progress(points, n_steps, "Sweeping thresholds", SHORTER)
    return {
        **sweep.row(model, role, drawn, {"amplification": free}),
        "name": f"BA {A_TO_T}",
        "task": show(label),
        "by_group": _by_group(sweep, metric),
    }


def _of_attribute(
    evaluation: Evaluation,
    swept: Swept,
    pos_label: Label | None,
    options: IntervalOptions,
    model: str,
    ranked: Counts,
    thresholds: Array,
) -> Row:
    """The sweep of a score of the attribute: BA T->A, and MALS where the task is predicted."""
    given: dict[str, Any] = {"pos_label": pos_label, **_options(evaluation)}
    metric = DirectionalBiasAmplification(direction=T_TO_A, **given)
    steps, metrics = steps_of(metric, ranked, swept), dict[str, Metric](amplification=metric)
    if ranked.has(Role.PREDICTION):
        metrics["mals"] = MALS(**given)
    found = _at_all(metrics, steps, swept.role, options)
    at_each, free = found["amplification"]
    mals, free_mals = found.get("mals", ([{}] * len(at_each), None))
    points = (
        {
            "amplification": of_step["value"],
            "blind_errors": of_step["blind_errors"],
            "mals": of_mals.get("value"),
            "accuracy": of_step["accuracy"],
        }
        for of_step, of_mals in zip(at_each, mals, strict=True)
    )
    sweep = _Sweep(evaluation, steps, thresholds)
    return {
        **sweep.row(model, swept.role, points, {"amplification": free, "mals": free_mals}),
        "name": f"BA {T_TO_A}",
        "attribute": show(evaluation.counts.groups[steps.positive]),
    }


def _at_all(
    metrics: Mapping[str, Metric], steps: Steps, role: Role, options: IntervalOptions
) -> dict[str, tuple[list[dict[str, Row]], Estimate]]:
    """The numbers of metrics at each threshold, with the caveats of values, and the integrals."""
    at_all = {name: AllThresholds.of(metric, steps, role) for name, metric in metrics.items()}
    drawn, found = drawn_at_all(at_all, options), {}
    for name, metric in at_all.items():
        at_each, free = metric.estimates(drawn.get(name, {}), options)
        rows = [{key: numbers(number) for key, number in point.items()} for point in at_each]
        for row in rows:
            notes = [*metric.measurement.caveats, row["value"]["note"]]
            row["value"]["note"] = "; ".join(filter(None, notes))
        found[name] = rows, free
    return found


def _options(evaluation: Evaluation) -> dict[str, Any]:
    """What metrics of an audit have in common."""
    counts = evaluation.counts
    return {"reference": evaluation.reference, "labels": counts.labels, "groups": counts.groups}


def _by_group(sweep: _Sweep, metric: DirectionalBiasAmplification) -> Row:
    """What thresholds of each group, set on these rows, would give on them."""
    steps = sweep.steps
    found, counts = steps.by_group(len(sweep.evaluation.counts.groups))
    result, tables = metric.from_counts(counts), counts.tables(counts.first_model)
    reached = tables.joint(Role.ATTRIBUTE, Role.PREDICTION)[:, steps.positive]
    rows = tables.marginal(Role.ATTRIBUTE)
    truth = tables.joint(Role.ATTRIBUTE, Role.TASK)
    true, rest = truth[:, steps.positive], np.delete(truth, steps.positive, axis=1).sum(axis=1)
    values, reason = [float(result.value), float(accuracy_of(tables, Role.TASK))], _ON_THESE
    lacking = np.flatnonzero((rows > 0) & ((true == 0) | (rest == 0)))
    if len(lacking):
        # group_thresholds refuses them, so that no numbers of it can be promised.
        lacks = listing([counts.groups[code] for code in lacking])
        values, reason = [float("nan")] * 2, f"a class is missing in {lacks}: merge small groups"
    amplification, accuracy = (numbers(Estimate(value, None, reason)) for value in values)
    return {
        "amplification": amplification,
        "accuracy": accuracy,
        "groups": [
            {
                "attribute": show(group),
                "threshold": sweep.threshold(int(step)),
                "share": float(n / n_rows) if n_rows else None,
            }
            for group, step, n, n_rows in zip(counts.groups, found, reached, rows, strict=True)
        ],
    }


def _share(tables: Tables, role: Role, column: int) -> float:
    return float(tables.marginal(role)[column] / tables.total)
