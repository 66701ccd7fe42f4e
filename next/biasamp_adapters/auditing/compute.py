"""All numbers of an audit: metrics, rates and verdicts of all models, from the same draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.evaluate import GroupMeasurement, Members
from biasamp_adapters.counting.counts import MODEL
from biasamp_adapters.counting.labels import ATTRIBUTE_PREDICTION, PREDICTION, Array, Label
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.inference.gaps import GroupRates
from biasamp_adapters.inference.replicates import replicate, replicates_of
from biasamp_adapters.inference.verdict import Judgement, judge
from biasamp_adapters.metrics.attacks import AttackMetric
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A
from biasamp_adapters.metrics.functions import get_metric
from biasamp_adapters.result import AmplificationResult, Measurement

#: The metrics of each direction, BA first.
_METRICS = {
    A_TO_T: ("BA", "MALS", "Multi", "LA", "DPA", "DPA(U)"),
    T_TO_A: ("BA T->A", "Multi T->A", "DPA T->A", "DPA(U) T->A"),
}
_PREDICTIONS = {A_TO_T: PREDICTION, T_TO_A: ATTRIBUTE_PREDICTION}


@dataclass(frozen=True, eq=False)
class Computed:
    """The numbers of an audit.

    Attributes
    ----------
    evaluation : Evaluation
    models : tuple of str
    members : dict of str to Members
        By direction.
    rates : dict of (direction, model) to dict of str to ndarray
        Scores of :class:`GroupMeasurement`, those of the data first.
    results : dict of (direction, model) to list of AmplificationResult
        BA is the first.
    strata : dict of (direction, model) to list of AmplificationResult
        BA of each stratum.
    judgements : dict of (direction, model) to Judgement
    reason : str
        Why there are no replicates; empty if there are some.
    n_boot : int
    confidence : float
    notes : list of str
    """

    evaluation: Evaluation
    models: tuple[str, ...]
    members: dict[str, Members]
    rates: dict[tuple[str, str], dict[str, Array]]
    results: dict[tuple[str, str], list[AmplificationResult]]
    strata: dict[tuple[str, str], list[AmplificationResult]]
    judgements: dict[tuple[str, str], Judgement]
    reason: str
    n_boot: int
    confidence: float
    notes: list[str]


def compute(
    evaluation: Evaluation, pos_label: Label | None, n_boot: int, confidence: float, seed: int
) -> Computed:
    """Return the metrics, rates and verdicts of all models and directions."""
    models = evaluation.rows.models or (MODEL,)
    directions = [d for d, role in _PREDICTIONS.items() if evaluation.rows.has(role)]
    if not directions:
        raise ValueError("y_pred or sensitive_features_pred must be given; received neither")
    members = {d: Members.of(evaluation, d, pos_label) for d in directions}
    notes: list[str] = []
    measured = {
        (direction, model): _measure(evaluation, direction, model, pos_label, seed, notes)
        for direction in directions
        for model in models
    }
    groups = {key: GroupMeasurement(of_key[0], members[key[0]]) for key, of_key in measured.items()}
    parts = list(evaluation.strata())
    strata = {
        key: [ba.metric.measure(part, ba.model, seed) for part in parts]
        for key, (ba, *_) in measured.items()
    }
    drawn: dict[int, dict[str, Array]] = {}
    reason = next(iter(measured.values()))[0].reason_not_to_draw
    if n_boot == 0:
        reason = words.NOT_REQUESTED
    if not reason:
        metrics = [m for measurements in measured.values() for m in measurements]
        beside = [group for group in groups.values() if not group.members.are_too_many]
        beside += [m for of_key in strata.values() for m in of_key if not m.reason_not_to_draw]
        n_drawn = replicates_of(n_boot, metrics, confidence)
        if n_drawn < n_boot:
            notes.append(words.FEWER_REPLICATES.format(n=n_drawn, usual=n_boot))
        drawn, further = _draw(metrics, beside, n_drawn, seed)
        notes += further
    results = _results(measured, drawn, confidence)
    rates = {key: _with_draws(m.point, drawn.get(id(m), {})) for key, m in groups.items()}
    notes += [note for of_key in results.values() for x in of_key for note in x.notes]
    judgements = _judge(members, rates, models, confidence)
    return Computed(
        evaluation=evaluation,
        models=models,
        members=members,
        rates=rates,
        results=results,
        strata=_results(strata, drawn, confidence),
        judgements=judgements,
        reason=reason,
        n_boot=results[directions[0], models[0]][0].n_boot,
        confidence=confidence,
        notes=list(dict.fromkeys(filter(None, notes))),
    )


def _results(
    measured: Mapping[tuple[str, str], Sequence[Any]],
    drawn: Mapping[int, dict[str, Array]],
    confidence: float,
) -> dict[tuple[str, str], list[AmplificationResult]]:
    """Return the result of each measurement, from its replicates if there are any."""
    return {
        key: [m.result(drawn.get(id(m), {}), (), confidence) for m in measurements]
        for key, measurements in measured.items()
    }


def _draw(
    metrics: Sequence[Any], beside: Sequence[Any], n_boot: int, seed: int
) -> tuple[dict[int, dict[str, Array]], list[str]]:
    """Return the replicates of each measurement by its id, and notes on what was drawn.

    Those on the same rows share their draws; label sets make rows of their own. What stands beside
    the metrics reads the rows of the first one.
    """
    by_rows: dict[int, list[Any]] = {}
    for m in metrics:
        if not m.reason_not_to_draw:
            by_rows.setdefault(id(m.evaluation.rows), []).append(m)
    references = {
        key: next((m.evaluation.reference for m in of_rows if m.reads_reference), None)
        for key, of_rows in by_rows.items()
    }
    by_rows[id(metrics[0].evaluation.rows)] += beside
    drawn: dict[int, dict[str, Array]] = {}
    notes = []
    for key, of_rows in by_rows.items():
        rows = of_rows[0].evaluation.rows
        scores, note = replicate(of_rows, rows, references.get(key), n_boot, seed)
        drawn |= {id(m): of_m for m, of_m in zip(of_rows, scores, strict=True)}
        notes.append(note)
    return drawn, notes


def _measure(
    evaluation: Evaluation,
    direction: str,
    model: str,
    pos_label: Label | None,
    seed: int,
    notes: list[str],
) -> list[Any]:
    """Return the metrics that suit the data; notes get the reasons why others do not."""
    measurements: list[Measurement] = []
    reasons = {}
    for name in _METRICS[direction]:
        # BA is over all classes; of two, the positive one is asked for by MALS.
        metric = get_metric(name, **({"pos_label": pos_label} if name == "MALS" else {}))
        if isinstance(metric, AttackMetric) and metric.needs_fitting(evaluation.rows):
            reasons[metric.name] = words.NEEDS_FITTING
            continue
        try:
            measurements.append(metric.measure(evaluation, model, seed))
        except ValueError as error:
            if not measurements:  # Without BA there is no audit.
                raise
            reasons[metric.name] = str(error).rstrip(".")
            if evaluation.base_rates is not None:
                reasons[metric.name] = words.NEEDS_LABELS
    for name, reason in reasons.items():
        notes.append(words.NOT_COMPUTED.format(name=name.replace("->", "→"), reason=reason))
    return measurements


def _with_draws(point: Mapping[str, Array], drawn: Mapping[str, Array]) -> dict[str, Array]:
    """Return scores of the data, and those of replicates after them."""
    return {name: np.concatenate([x, drawn[name]]) if drawn else x for name, x in point.items()}


def _judge(
    members: Mapping[str, Members],
    rates: Mapping[tuple[str, str], Mapping[str, Array]],
    models: tuple[str, ...],
    confidence: float,
) -> dict[tuple[str, str], Judgement]:
    """Return the verdicts; all models of a direction are one family."""
    judgements: dict[tuple[str, Any], Judgement] = {}
    for direction, of in members.items():
        predicted: dict[Any, Array] = {m: rates[direction, m]["predicted"] for m in models}
        data = GroupRates(
            true=rates[direction, models[0]]["true"],
            predicted=predicted,
            rows=np.append(of.rows, of.rows.sum()),
            sizes=of.sizes,
            groups=of.groups,
            classes=of.classes,
        )
        judged = judge(data, compared=of.compared, confidence=confidence)
        judgements |= {(direction, j.model): j for j in judged}
    return judgements
