"""All numbers of an audit: metrics, rates and verdicts of all models, from the same draws."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.evaluate import ROLES, Members, ModelAudit, measure_groups
from biasamp_adapters.counting.labels import MODEL, PREDICTED, TASK, Array, Label
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.inference.replicates import FurtherScores, replicate, replicates_of
from biasamp_adapters.inference.verdict import MOST_GAPS, GroupRates, choose_comparison, judge
from biasamp_adapters.metrics.attacks import AttackMetric
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A
from biasamp_adapters.metrics.functions import get_metric
from biasamp_adapters.result import Measurement

#: The metrics of each direction, BA first.
_METRICS = {
    A_TO_T: ("BA", "MALS", "Multi", "LA", "DPA", "DPA(U)"),
    T_TO_A: ("BA T->A", "Multi T->A", "DPA T->A", "DPA(U) T->A"),
}


@dataclass(frozen=True, eq=False)
class Computed:
    """The numbers of an audit.

    Attributes
    ----------
    evaluation : Evaluation
    models : tuple of str
    members : dict of str to Members
        By direction.
    audits : list of ModelAudit
        One for each model in each direction.
    seed : int
    notes : list of str
    """

    evaluation: Evaluation
    models: tuple[str, ...]
    members: dict[str, Members]
    audits: list[ModelAudit]
    seed: int
    notes: list[str]

    @property
    def by_direction(self) -> dict[str, list[ModelAudit]]:
        """The audits of all models in each direction."""
        return {d: [x for x in self.audits if x.direction == d] for d in self.members}


class _Measured(NamedTuple):
    """What is measured of a model in a direction: metrics, BA of strata, and rates of groups."""

    members: Members
    model: str
    metrics: list[Any]
    strata: list[Any]
    groups: FurtherScores


def compute(
    evaluation: Evaluation, pos_label: Label | None, n_boot: int, confidence: float, seed: int
) -> Computed:
    """Return the metrics, rates and verdicts of all models and directions."""
    n_classes = len(evaluation.rows.class_labels)
    if pos_label is not None and n_classes > 2:
        rule = f"pos_label is the class of two that is compared, and there are {n_classes} classes"
        raise ValueError(f"{rule}; received {pos_label!r:.60}")
    models = evaluation.rows.models or (MODEL,)
    directions = [d for d, (_, of) in ROLES.items() if evaluation.rows.has(PREDICTED[of])]
    if not directions:
        raise ValueError("y_pred or sensitive_features_pred must be given; received neither")
    notes = list[str]()
    if evaluation.base_rates and evaluation.rows.has(TASK) and directions == [A_TO_T]:
        evaluation = replace(evaluation, rows=evaluation.rows.without(TASK).merged())
        notes.append(words.NOT_READ)
    members: dict[str, Members] = {}
    parts = list(evaluation.strata())
    measured = []
    for direction, model in itertools.product(directions, models):
        metrics = _measure(evaluation, direction, model, pos_label, seed, notes)
        if direction not in members:  # Once metrics have found all that they need.
            members[direction] = Members.of(evaluation, direction, pos_label)
        strata = [metrics[0].metric.measure(part, model, seed) for part in parts]
        groups = measure_groups(metrics[0])
        measured.append(_Measured(members[direction], model, metrics, strata, groups))
    reason = words.NOT_REQUESTED if n_boot == 0 else measured[0].metrics[0].reason_not_to_draw
    drawn = {} if reason else _draw(measured, n_boot, confidence, seed, notes)
    audits = list[ModelAudit]()
    for of in members.values():
        of_direction = [x for x in measured if x.members is of]
        audits += _judge(evaluation, of_direction, drawn, confidence, reason)
    printed = {note for audit in audits for note in audit.results[0].measurement.further_notes}
    notes += [n for audit in audits for x in audit.results for n in x.notes if n not in printed]
    notes = list(dict.fromkeys(filter(None, notes)))
    return Computed(evaluation, models, members, audits, seed, notes)


def _judge(
    evaluation: Evaluation,
    measured: Sequence[_Measured],
    drawn: Mapping[Any, dict[str, Array]],
    confidence: float,
    reason: str,
) -> list[ModelAudit]:
    """Return the numbers of all models of a direction, whose verdicts are one family."""
    members = measured[0].members
    rates = {x.model: x.groups.with_draws(x.metrics[0].margins, drawn) for x in measured}
    data = GroupRates(
        true=rates[measured[0].model]["true"],
        predicted={model: of_model["predicted"] for model, of_model in rates.items()},
        rows=np.append(members.rows, evaluation.rows.n_rows),
        sizes=members.sizes,
        groups=members.groups,
        classes=members.classes,
    )
    judgements = judge(data, compared=members.compared, confidence=confidence)
    return [
        ModelAudit(
            direction=members.direction,
            model=x.model,
            members=members,
            rates=rates[x.model],
            results=[m.result(drawn.get(m, {}), (), confidence) for m in x.metrics],
            strata=[m.result(drawn.get(m, {}), (), confidence) for m in x.strata],
            judgement=judgement,
            confidence=confidence,
            reason=reason,
        )
        for x, judgement in zip(measured, judgements, strict=True)
    ]


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
    for name in _METRICS[direction]:
        # BA is over all classes; of two, the positive one is asked for by MALS.
        metric = get_metric(name, **({"pos_label": pos_label} if name == "MALS" else {}))
        reason = words.NEEDS_FITTING
        if not (isinstance(metric, AttackMetric) and metric.needs_fitting(evaluation.rows)):
            try:
                measurements.append(metric.measure(evaluation, model, seed))
                continue
            except ValueError as error:
                if not measurements:  # Without BA there is no audit.
                    raise
                has_labels = evaluation.base_rates is None
                reason = str(error).rstrip(".") if has_labels else words.NEEDS_LABELS
        name = metric.name.replace("->", "→")
        notes.append(words.NOT_COMPUTED.format(name=name, reason=reason))
    return measurements


def _draw(
    measured: Sequence[_Measured], n_boot: int, confidence: float, seed: int, notes: list[str]
) -> dict[Any, dict[str, Array]]:
    """Return the replicates of all measurements; notes get how they were drawn.

    Label sets make rows of their own.
    """
    metrics = [m for x in measured for m in x.metrics]
    n_drawn = replicates_of(n_boot, metrics, confidence)
    if n_drawn < n_boot:
        notes.append(words.FEWER_REPLICATES.format(n=n_drawn, usual=n_boot))
    further = [m for x in measured for m in x.strata]
    for x in measured:
        n_gaps = len(choose_comparison(x.members.sizes, x.members.compared).first)
        further += [x.groups] if n_gaps <= MOST_GAPS else []
    drawn, notes_on_draws = replicate([*metrics, *further], n_drawn, seed)
    notes += notes_on_draws
    return drawn
