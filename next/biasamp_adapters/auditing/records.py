"""Records of numbers: metrics, rates, largest differences, and models against the first one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.compute import Computed
from biasamp_adapters.auditing.evaluate import Members
from biasamp_adapters.auditing.gap_records import as_number, from_draws, from_estimate
from biasamp_adapters.auditing.summary import (
    DifferenceRecord,
    LargestRecord,
    MetricRecord,
    MissingRecord,
    Number,
    RateRecord,
)
from biasamp_adapters.counting.labels import PREDICTION, Array
from biasamp_adapters.counting.margins import divide
from biasamp_adapters.inference.bands import simultaneous_bands
from biasamp_adapters.inference.intervals import FEW_ROWS, Estimate
from biasamp_adapters.inference.largest import largest_gap
from biasamp_adapters.metrics.base import A_TO_T
from biasamp_adapters.result import AmplificationResult

#: The numbers in which models are compared, and how their keys begin.
COMPARED = {"BA": "ba", "mean change": "mean_change", "excess": "excess", "accuracy": "accuracy"}

#: The measures of groups, by their keys: the rate, and the rows that it is a share of.
MEASURES = {
    "selection_rate": ("predicted", "{unit}"),
    "true_positive_rate": ("tpr", "{unit} labelled {positive}"),
    "false_positive_rate": ("fpr", "{unit} labelled {negative}"),
    "accuracy": ("accuracy", "{unit}"),
}

#: A mean over strata has no interval if strata without one hold more than this share of the rows.
_MOST_WITHOUT = 0.05


def metric_records(computed: Computed) -> Iterator[MetricRecord]:
    """Yield the published metrics, excess, mean change and accuracy of each model."""
    for (direction, model), results in computed.results.items():
        suffix = "a_to_t" if direction == A_TO_T else "t_to_a"
        numbers = [(x.metric, x.key, from_estimate(x.estimate)) for x in results]
        excess = results[0].excess
        if excess is not None:
            numbers.append((f"excess {direction}", f"excess_{suffix}", from_estimate(excess)))
        mean = from_estimate(computed.judgements[direction, model].mean_change)
        numbers.append((f"mean change {direction}", f"mean_change_{suffix}", mean))
        accuracy = computed.rates[direction, model].get("accuracy")
        if direction == A_TO_T and accuracy is not None:
            number = from_draws(accuracy[:, -1], computed.confidence, computed.reason)
            numbers.append(("accuracy", "accuracy", number))
        for name, key, number in numbers:
            yield MetricRecord(**number, name=name, key=key, model=model, direction=direction)


def rate_records(computed: Computed) -> Iterator[RateRecord]:
    """Yield the rate of each class in each group, with the band of its change."""
    for (direction, model), rates in computed.rates.items():
        members = computed.members[direction]
        true, predicted = (rates[name][:, :-1] for name in ("true", "predicted"))
        low, high = _bands_of_changes(predicted - true, members.sizes, computed)
        pairs = computed.results[direction, model][0].measurement.pairs()
        if direction != A_TO_T:
            pairs = {name: table.T for name, table in pairs.items()}
        errors = {name: rates[name][0] for name in ("fpr", "tpr") if name in rates}
        for i, group in enumerate(members.groups):
            for j, of_class in enumerate(members.classes):
                yield RateRecord(
                    model=model,
                    direction=direction,
                    group=group,
                    of_class=of_class,
                    rows=round(members.rows[i]),
                    true=_finite(true[0, i, j]),
                    predicted=_finite(predicted[0, i, j]),
                    change=_finite(predicted[0, i, j] - true[0, i, j]),
                    low=_finite(low[i, j]),
                    high=_finite(high[i, j]),
                    overall=float(rates["predicted"][0, -1, j]),
                    fpr=_finite(errors["fpr"][i, j]) if direction == A_TO_T and errors else None,
                    tpr=_finite(errors["tpr"][i, j]) if direction == A_TO_T and errors else None,
                    sign=int(pairs["sign"][i, j]),
                    part=_finite(pairs["contribution"][i, j]),
                )


def _bands_of_changes(changes: Array, sizes: Array, computed: Computed) -> tuple[Array, Array]:
    """Return bands of the changes of all rates, one family; NaN without replicates."""
    shape = changes.shape[1:]
    flat = changes.reshape(len(changes), -1)
    half_row = np.repeat(0.5 / np.maximum(sizes, 1), shape[1])
    low, high = simultaneous_bands(flat[0], flat[1:], half_row, computed.confidence)
    return low.reshape(shape), high.reshape(shape)


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def largest_records(computed: Computed) -> Iterator[LargestRecord]:
    """Yield the largest difference and the ratio of each measure of two classes."""
    members = computed.members.get(A_TO_T)
    if members is None or len(members.compared) != 1 or len(members.classes) != 2:
        return
    [positive] = members.compared
    labels = {"positive": members.classes[positive], "negative": members.classes[1 - positive]}
    for model in computed.models:
        rates = computed.rates[A_TO_T, model]
        for measure, (name, unit) in MEASURES.items():
            if name not in rates:
                continue
            draws = rates[name][:, :-1] if name == "accuracy" else rates[name][:, :-1, positive]
            sizes = members.sizes
            if name in ("fpr", "tpr"):
                labelled = rates["true"][0, :-1, positive] * sizes
                sizes = labelled if name == "tpr" else sizes - labelled
            found = largest_gap(
                draws,
                sizes,
                members.groups,
                unit=unit.format(unit=members.unit, **labels),
                confidence=computed.confidence,
            )
            ratio = from_estimate(found.ratio)
            yield LargestRecord(
                **from_estimate(found.difference),
                model=model,
                measure=measure,
                groups=list(members.groups),
                rates=[_finite(x) for x in draws[0]],
                ratio=ratio["value"],
                ratio_low=ratio["low"],
                ratio_high=ratio["high"],
                ratio_reason=ratio["reason"],
            )


def difference_records(computed: Computed) -> Iterator[DifferenceRecord]:
    """Yield how models differ from the first one: one family for each number and direction."""
    first, *others = computed.models
    if not others:
        return
    for direction, members in computed.members.items():
        suffix = "a_to_t" if direction == A_TO_T else "t_to_a"
        for name in COMPARED:
            key = name if name == "accuracy" else f"{COMPARED[name]}_{suffix}"
            draws = {m: draws_of(computed, direction, m, name) for m in computed.models}
            if any(x is None for x in draws.values()):
                continue
            changes = np.column_stack([draws[m] - draws[first] for m in others])
            low, high = simultaneous_bands(
                changes[0], changes[1:], half_row_of(name, members), computed.confidence
            )
            for i, model in enumerate(others):
                number = as_number(changes[0, i], low[i], high[i], computed.reason)
                yield DifferenceRecord(
                    **number, name=name, key=key, direction=direction, first=first, model=model
                )


def half_row_of(name: str, members: Members) -> float:
    """Return half a row of the smallest group; of accuracy, half of one of all rows."""
    if name == "accuracy":
        return float(0.5 / members.rows.sum())
    return float(0.5 / max(members.sizes[members.sizes > 0].min(initial=np.inf), 1))


def draws_of(computed: Computed, direction: str, model: str, name: str) -> Any:
    """Return a number of a model, in the data and in replicates; None if it has none."""
    if name == "accuracy":
        rates = computed.rates[direction, model]
        return rates["accuracy"][:, -1] if direction == A_TO_T and "accuracy" in rates else None
    ba = computed.results[direction, model][0]
    estimate = {
        "BA": ba.estimate,
        "excess": ba.excess,
        "mean change": computed.judgements[direction, model].mean_change,
    }[name]
    if estimate is None or not np.isfinite(estimate.value):
        return None
    return np.concatenate([[estimate.value], estimate.replicates])


def missing_records(computed: Computed, seed: int) -> Iterator[MissingRecord]:
    """Yield which groups' rates of missing predictions clearly differ; none of label matrices."""
    for (direction, model), rates in computed.rates.items():
        if "missing" not in rates:
            continue
        pairs = list(_missing_by_label(rates, computed.members[direction], computed.confidence))
        ba = from_estimate(_ba_of_answered(computed, model, seed)) if pairs else as_number(np.nan)
        for label, first, second in pairs:
            yield MissingRecord(
                model=model,
                labelled=label,
                first=first[1],
                second=second[1],
                first_rate=first[0],
                second_rate=second[0],
                ba=ba,
            )


def _missing_by_label(
    rates: dict[str, Array], members: Members, confidence: float
) -> Iterator[tuple[Any, ...]]:
    """Yield labels within whose rows rates clearly differ, and the two groups farthest apart.

    The bands of all pairs of groups and of all labels hold at once.
    """
    sizes = rates["true"][0, :-1] * members.sizes[:, None]
    are_large = sizes >= FEW_ROWS * (1 - 1e-9)
    labels = np.flatnonzero(are_large.sum(axis=0) > 1)
    for j in labels:
        large = np.flatnonzero(are_large[:, j])
        groups, draws = [members.groups[i] for i in large], rates["missing"][:, large, j]
        level = 1 - (1 - confidence) / len(labels)
        if largest_gap(draws, sizes[large, j], groups, confidence=level).difference.low > 0:
            in_order = sorted(zip(draws[0].tolist(), groups, strict=True), key=itemgetter(0))
            yield members.classes[j], in_order[-1], in_order[0]


def _ba_of_answered(computed: Computed, model: str, seed: int) -> Estimate:
    """Return BA of the rows that have a prediction, with the signs of all rows."""
    rows = computed.evaluation.rows
    variables = {key: v for key, v in rows.variables.items() if key[1] in (None, model)}
    evaluation = replace(computed.evaluation, rows=replace(rows, variables=variables))
    answered = evaluation.part(np.flatnonzero(~rows.variable(PREDICTION, model).missing))
    metric = computed.results[A_TO_T, model][0].measurement.metric
    return metric.results(answered, computed.n_boot, computed.confidence, seed)[model].estimate


def stratum_records(computed: Computed) -> Iterator[dict[str, Any]]:
    """Yield BA of each stratum, its mean over strata, weighted by rows, and BA of all rows."""
    for (direction, model), strata in computed.strata.items():
        ba = computed.results[direction, model][0]
        about = {"model": model, "name": ba.metric, "key": ba.key, "direction": direction}
        numbers = [
            (x.measurement.evaluation.stratum, x.n_rows, from_estimate(x.estimate)) for x in strata
        ]
        if strata:
            numbers.append(
                (words.MEAN_OF_STRATA, ba.n_rows, _mean_of_strata(strata, computed.reason))
            )
            numbers.append((words.ALL_STRATA, ba.n_rows, from_estimate(ba.estimate)))
        for label, n_rows, number in numbers:
            yield {"stratum": label, **about, "rows": n_rows, **number}


def _mean_of_strata(strata: Sequence[AmplificationResult], reason: str) -> Number:
    """Return the mean over strata; in each draw, of those that are defined."""
    weights = np.array([x.measurement.margins.total.item() for x in strata])
    n_boot = max(x.n_boot for x in strata)
    draws = np.array(
        [[x.value, *(x.estimate.replicates if x.n_boot else [x.value] * n_boot)] for x in strata]
    )
    is_defined = np.isfinite(draws)
    mean = divide(weights @ np.where(is_defined, draws, 0), weights @ is_defined)
    without = weights[[x.interval is None for x in strata]].sum() / weights.sum()
    if not reason and without > _MOST_WITHOUT:
        reason = words.STRATA_WITHOUT.format(share=f"{without:.0%}")
    return from_draws(mean, strata[0].confidence, reason)
