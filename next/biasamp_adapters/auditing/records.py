"""Records of numbers: metrics, rates, largest differences, strata, and models compared."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.model_audit import (
    ModelAudit,
    bands_of,
    draws_of,
    finite,
    key_of,
    to_number,
)
from biasamp_adapters.auditing.summary import (
    ERROR_RATES,
    MEASURES,
    DifferenceRecord,
    LargestRecord,
    MetricRecord,
    RateRecord,
)
from biasamp_adapters.counting.margins import divide
from biasamp_adapters.inference.bands import simultaneous_bands
from biasamp_adapters.inference.intervals import Estimate
from biasamp_adapters.inference.largest import largest_gap
from biasamp_adapters.metrics.base import A_TO_T

#: A mean over strata has no interval if strata without one hold more than this share of the rows.
_MOST_WITHOUT = 0.05

#: An interval excludes 0 with a probability of .8 if the number is so many standard errors from 0.
_POWER = 2.8


def metric_records(audit: ModelAudit) -> Iterator[MetricRecord]:
    """Yield the published metrics, excess, mean change and accuracy."""
    numbers = [(x.metric, x.key, x.estimate) for x in audit.results]
    for name in ("excess", "mean change", "accuracy"):
        if name in audit.numbers:
            full_name = name if name == "accuracy" else f"{name} {audit.direction}"
            numbers.append((full_name, key_of(name, audit.direction), audit.numbers[name]))
    for name, key, number in numbers:
        yield MetricRecord(**to_number(number), name=name, key=key, **audit.about)


def rate_records(audit: ModelAudit) -> Iterator[RateRecord]:
    """Yield the rate of each class in each group, with the band of its change: one family."""
    rates, members, pairs = audit.rates, audit.members, audit.pairs
    changes = rates["predicted"][:, :-1] - rates["true"][:, :-1]
    flat, shape = changes.reshape(len(changes), -1), changes.shape[1:]
    half_row = np.repeat(0.5 / np.maximum(members.sizes, 1), shape[1])
    bands = simultaneous_bands(flat[0], flat[1:], half_row, audit.confidence)
    low, high = (ends.reshape(shape) for ends in bands)
    nothing = np.full_like(rates["predicted"][0], np.nan)
    has_errors = audit.direction == A_TO_T and "fpr" in rates
    errors = {name: rates[name][0] if has_errors else nothing for name in ERROR_RATES}
    pairs_of_labels = itertools.product(enumerate(members.groups), enumerate(members.classes))
    for (i, group), (j, of_class) in pairs_of_labels:
        yield RateRecord(
            **audit.about,
            group=group,
            of_class=of_class,
            rows=round(members.rows[i]),
            true=finite(rates["true"][0, i, j]),
            predicted=finite(rates["predicted"][0, i, j]),
            change=finite(changes[0, i, j]),
            low=finite(low[i, j]),
            high=finite(high[i, j]),
            overall=float(rates["predicted"][0, -1, j]),
            **{name: finite(rate[i, j]) for name, rate in errors.items()},  # type: ignore[typeddict-item]
            sign=int(pairs["sign"][i, j]),
            part=finite(pairs["contribution"][i, j]),
        )


def pair_records(audit: ModelAudit, rates: Sequence[RateRecord]) -> Iterator[dict[str, Any]]:
    """Yield the rates behind BA: the number is the change along the sign, with its own interval."""
    changes = audit.rates["predicted"][:, :-1] - audit.rates["true"][:, :-1]
    for record, change in zip(rates, changes.reshape(len(changes), -1).T, strict=True):
        sign, low, high = record["sign"], record["low"], record["high"]
        if low is not None and high is not None:
            low, high = sorted((sign * low, sign * high))
        yield {
            **audit.about,
            "group": record["group"],
            "of_class": record["of_class"],
            "true": record["true"],
            "predicted": record["predicted"],
            "sign": sign,
            **audit.number(sign * change),
            "band_low": low,
            "band_high": high,
            "clear": low is not None and high is not None and (low > 0 or high < 0),
        }


def frequency_records(audit: ModelAudit) -> Iterator[dict[str, Any]]:
    """Yield how often each class occurs in the labels, and how often it is predicted."""
    true, predicted = audit.rates["true"], audit.rates["predicted"]
    for j, label in enumerate(audit.members.classes):
        ratio = audit.number(divide(predicted[:, -1, j], true[:, -1, j]))
        yield {
            **audit.about,
            "of_class": label,
            "true": float(true[0, -1, j]),
            "predicted": float(predicted[0, -1, j]),
            "ratio": ratio["value"],
            "ratio_low": ratio["low"],
            "ratio_high": ratio["high"],
        }


def largest_records(audit: ModelAudit) -> Iterator[LargestRecord]:
    """Yield the largest difference and the ratio of each measure of two classes."""
    members, labels = audit.members, audit.members.classes
    if audit.direction != A_TO_T or len(members.compared) != 1 or len(labels) != 2:
        return
    [positive] = members.compared
    names = {"positive": labels[positive], "negative": labels[1 - positive]}
    for key, measure in MEASURES.items():
        if measure.rate not in audit.rates:
            continue
        draws, sizes = audit.rate(measure.rate, positive)
        unit = members.unit
        if measure.labelled:
            unit = f"{unit} labelled {names[measure.labelled]}"
        found = largest_gap(draws, sizes, members.groups, unit=unit, confidence=audit.confidence)
        ratio = to_number(found.ratio)
        yield LargestRecord(
            **to_number(found.difference),
            model=audit.model,
            measure=key,
            groups=list(members.groups),
            rates=[finite(x) for x in draws[0]],
            ratio=ratio["value"],
            ratio_low=ratio["low"],
            ratio_high=ratio["high"],
            ratio_reason=ratio["reason"],
        )


def difference_records(audits: Sequence[ModelAudit]) -> Iterator[DifferenceRecord]:
    """Yield how models differ from the first one in a direction; each number is one family."""
    first, *others = audits
    for name in first.numbers:
        draws = draws_of(audits, name)
        if draws is None or not others:
            continue
        changes = np.column_stack(draws[1:]) - draws[0][:, None]
        low, high = bands_of(changes, name, first)
        for i, audit in enumerate(others):
            yield DifferenceRecord(
                **to_number(Estimate(changes[0, i], low[i], high[i], first.reason)),
                name=name,
                key=key_of(name, first.direction),
                direction=first.direction,
                first=first.model,
                model=audit.model,
            )


def equal_error_records(audit: ModelAudit) -> Iterator[dict[str, Any]]:
    """Yield what metrics would be with equal error rates; the number is the excess."""
    for result in audit.results:
        if result.excess is not None and result.equal_errors is not None:
            yield {
                "model": audit.model,
                "name": result.metric,
                "actual": finite(result.value),
                "equal_errors": finite(result.equal_errors.value),
                **to_number(result.excess),
            }


def level_records(audit: ModelAudit) -> Iterator[dict[str, Any]]:
    """Yield the levels of LA and DPA in the labels and in the predictions."""
    for result in audit.results:
        if "psi_model" in result.estimates:
            names = {"true": "psi_dataset", "predicted": "psi_model"}
            levels = {key: finite(result.estimates[name].value) for key, name in names.items()}
            yield {"model": audit.model, "name": result.metric, **levels}


def stratum_records(audit: ModelAudit) -> Iterator[dict[str, Any]]:
    """Yield BA of each stratum, its mean over strata, weighted by rows, and BA of all rows."""
    if not audit.strata:
        return
    ba = audit.ba
    numbers = [(x.measurement.evaluation.stratum, x.n_rows, x.estimate) for x in audit.strata]
    numbers.append((words.MEAN_OF_STRATA, ba.n_rows, _mean_of_strata(audit)))
    numbers.append((words.ALL_STRATA, ba.n_rows, ba.estimate))
    about = {"name": ba.metric, "key": ba.key, **audit.about}
    for stratum, n_rows, number in numbers:
        yield {"stratum": stratum, **about, "rows": n_rows, **to_number(number)}


def _mean_of_strata(audit: ModelAudit) -> Estimate:
    """Return the mean over strata; in each draw, of those that are defined."""
    strata, reason = audit.strata, audit.reason
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
    return audit.estimate(mean, reason)


def rows_needed_records(audit: ModelAudit) -> Iterator[dict[str, Any]]:
    """Yield the rows at which a BA of 1 would be clear in 80 % of samples."""
    replicates, rows = audit.ba.estimate.replicates, None
    if len(replicates):
        rows = audit.ba.n_rows * (_POWER * float(np.nanstd(replicates))) ** 2
    yield {**audit.about, "rows": rows}
