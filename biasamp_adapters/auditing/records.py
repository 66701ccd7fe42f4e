"""The records of a summary: verdicts, gaps, errors, metrics, rates, strata and models compared."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.evaluate import (
    ROLES,
    ModelAudit,
    bands_of,
    draws_of,
    finite,
    key_of,
    labels_of_missing,
    missing_rates,
    plain_numbers,
    to_number,
)
from biasamp_adapters.auditing.summary import (
    ERROR_RATES,
    MEASURES,
    MOST_GROUPS,
    DifferenceRecord,
    ErrorRecord,
    GapRecord,
    LargestRecord,
    LeftOutRecord,
    MetricRecord,
    MissingRecord,
    Number,
    RateRecord,
    VerdictRecord,
    keys_of,
    no_number,
)
from biasamp_adapters.counting.labels import MODEL, PREDICTED, PREDICTION, Array
from biasamp_adapters.counting.margins import Margins, divide, margins_of_data
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.inference.bands import NOISE, largest_gap, simultaneous_bands
from biasamp_adapters.inference.intervals import Estimate, are_few
from biasamp_adapters.inference.replicates import FurtherScores, replicate
from biasamp_adapters.metrics.base import A_TO_T

#: What a record of a gap has as it is.
_OF_GAP = (
    *("first", "second", "of_class", "true", "predicted", "status"),
    *("true_clear", "predicted_clear", "in_mean"),
)


def verdict_records(audit: ModelAudit) -> Iterator[VerdictRecord]:
    """Yield the verdict."""
    judgement, rates, compared = audit.judgement, audit.rates, audit.members.compared
    predicted, signs = rates["predicted"][0, -1], audit.pairs["sign"]
    is_constant = not audit.is_matrix and predicted.max() > 1 - NOISE
    yield VerdictRecord(
        **to_number(audit.numbers["mean change"]),
        **audit.about,
        code=judgement.code,
        why=judgement.reason,
        comparison=judgement.comparison,
        n_gaps=judgement.n_gaps,
        n_in_mean=sum(gap.in_mean for gap in audit.gaps),
        named=audit.named,
        no_errors="accuracy" in rates and bool(rates["accuracy"][0, -1] > 1 - NOISE),
        constant=[audit.members.classes[int(predicted.argmax())]] if is_constant else [],
        signs=int(signs[:, compared].size),
        signs_unclear=int(audit.pairs["uncertain"][:, compared].sum()),
        half=_is_half(audit, signs),
    )


def _is_half(audit: ModelAudit, signs: Array) -> bool:
    """Return whether BA is half of the change of the only gap, along its direction."""
    members = audit.members
    if len(audit.gaps) != 1 or len(members.groups) != 2 or len(members.compared) != 1:
        return False
    groups, of_class = audit.places(audit.gaps[0])
    first, second = signs[groups, of_class]
    return bool(first > 0 > second)  # Two tasks may have the same sign.


def gap_records(audit: ModelAudit) -> Iterator[GapRecord]:
    """Yield the gaps, from the most certain change on."""
    for gap in audit.gaps:
        beyond, equal, (groups, of_class) = no_number(), [None, None], audit.places(gap)
        if "equal" in audit.rates:
            draws, predicted = (audit.rates[x][:, groups, of_class] for x in ("equal", "predicted"))
            equal = draws[0].tolist()
            beyond = audit.number(np.subtract(*predicted.T) - np.subtract(*draws.T))
        sides: dict[str, Any] = {"rows": [*map(round, gap.rows)], "true": gap.true_rates}
        sides |= {"predicted": gap.predicted_rates, "equal": equal}
        yield GapRecord(
            **to_number(Estimate(gap.change, gap.low, gap.high, "")),
            **audit.about,
            **{key: getattr(gap, key) for key in _OF_GAP},  # type: ignore[typeddict-item]
            **{f"first_{key}": first for key, (first, _) in sides.items()},
            **{f"second_{key}": second for key, (_, second) in sides.items()},
            equal_errors=None if equal[0] is None else equal[0] - equal[1],
            **keys_of(beyond, "beyond"),
        )


def error_records(audit: ModelAudit) -> Iterator[ErrorRecord]:
    """Yield the error rates of the two groups of each gap that is named."""
    has_two_classes = len(audit.members.classes) == 2 or audit.is_matrix
    if audit.direction != A_TO_T or "fpr" not in audit.rates or not has_two_classes:
        return
    for position in audit.named:
        groups, of_class = audit.places(audit.gaps[position])
        for labelled, name in (("negative", "fpr"), ("positive", "tpr")):
            draws, sizes = audit.rate(name, of_class, labelled)
            if min(groups) < 0 or are_few(sizes[groups].min()):
                continue
            first, second = draws[0, groups].tolist()
            yield ErrorRecord(
                **_difference(draws, sizes, groups, audit.confidence),
                **audit.about,
                gap=position,
                labelled=labelled,
                first=first,
                second=second,
            )


def _difference(draws: Array, sizes: Array, groups: list[int], confidence: float) -> Number:
    """Return the difference of two groups, with its band among those of all large groups."""
    large = np.flatnonzero(~are_few(sizes))
    i, j = np.triu_indices(len(large), 1)
    pairs = draws[:, [groups[0], *large[i]]] - draws[:, [groups[1], *large[j]]]
    half_row = 0.5 / sizes[groups].min()  # Of the first pair, whose band alone is read.
    low, high = simultaneous_bands(pairs[0], pairs[1:], half_row, confidence)
    return to_number(Estimate(pairs[0, 0], low[0], high[0], ""))


def missing_records(audit: ModelAudit, seed: int) -> Iterator[MissingRecord]:
    """Yield which members' rates of missing predictions clearly differ in rows labelled alike."""
    if "missing" not in audit.rates:
        return
    ba, margins = None, audit.ba.measurement.margins
    for apart in _apart(audit.rates["missing"], audit.direction, margins, audit.confidence):
        ba = ba or to_number(_ba_of_answered(audit, seed))
        yield MissingRecord(**apart, **audit.about, ba=ba)


def left_out_records(audit: ModelAudit, seed: int) -> Iterator[LeftOutRecord]:
    """Yield of which groups clearly different shares are left out of rows labelled alike."""
    rows = audit.evaluation.rows.undropped
    if rows is None:
        return
    shares = FurtherScores(Evaluation(rows), MODEL, partial(missing_rates, A_TO_T))
    drawn, _ = replicate([shares], audit.ba.n_boot, seed)
    margins = margins_of_data(rows).of_model(MODEL)
    rates = shares.with_draws(margins, drawn)
    yield from _apart(rates["missing"], A_TO_T, margins, audit.confidence)


def _apart(
    rates: Array, direction: str, margins: Margins, confidence: float
) -> Iterator[LeftOutRecord]:
    """Yield in which rows labelled alike the rates of groups or, for T->A, classes clearly differ.

    The bands of all pairs of groups and of all labels hold at once.
    """
    given, of = ROLES[direction][0], labels_of_missing(direction, margins)
    groups, labels = margins.rows.labels_of(given), margins.rows.labels_of(of) or (None,)
    sizes = margins.sizes(given, of)[0]
    n_large = (~are_few(sizes)).sum(axis=0)
    judged = np.flatnonzero((n_large > 1) & (n_large <= MOST_GROUPS))
    for j in judged:
        large = np.flatnonzero(~are_few(sizes[:, j]))
        draws, names = rates[:, large, j], [groups[i] for i in large]
        level = 1 - (1 - confidence) / len(judged)
        number = largest_gap(draws, sizes[large, j], names, confidence=level).difference
        # A difference that is the same in every replicate has no interval.
        if number.low > 0 or (number.reason == words.NO_VARIATION and number.value > 0):
            most, least = draws[0].argmax(), draws[0].argmin()
            yield LeftOutRecord(
                labelled=labels[j],
                first=names[most],
                second=names[least],
                first_rate=float(draws[0, most]),
                second_rate=float(draws[0, least]),
            )


def _ba_of_answered(audit: ModelAudit, seed: int) -> Estimate:
    """Return BA of the rows that have a prediction, with the signs of all rows."""
    rows, metric = audit.evaluation.rows, audit.ba.measurement.metric
    variables = {key: v for key, v in rows.variables.items() if key[1] in (None, audit.model)}
    evaluation = replace(audit.evaluation, rows=replace(rows, variables=variables))
    predictions = rows.variable(PREDICTED[ROLES[audit.direction][1]], audit.model)
    answered = evaluation.part(np.flatnonzero(~predictions.missing))
    results = metric.results(answered, audit.ba.n_boot, audit.confidence, seed)
    ba: Estimate = results[audit.model].estimate
    return ba


#: What the records of pairs have in common with those of rates.
_OF_PAIR = ("model", "direction", "group", "of_class", "true", "predicted", "sign")

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
    low, high = simultaneous_bands(flat[0], flat[1:], half_row, audit.confidence)
    true, predicted = rates["true"][0], rates["predicted"][0]
    has_errors = audit.direction == A_TO_T and "fpr" in rates
    of_groups = {"true": true[:-1], "predicted": predicted[:-1], "change": flat[0]}
    of_groups |= {"low": low, "high": high}
    columns = {name: plain_numbers(numbers) for name, numbers in of_groups.items()}
    columns["overall"] = np.broadcast_to(predicted[-1], shape).ravel().tolist()
    for name in ERROR_RATES:
        columns[name] = plain_numbers(rates[name][0, :-1]) if has_errors else [None] * low.size
    columns["sign"] = pairs["sign"].ravel().tolist()
    columns["part"] = plain_numbers(pairs["contribution"])
    groups = zip(members.groups, map(round, members.rows.tolist()), strict=True)
    labels = itertools.product(groups, members.classes)
    for ((group, rows), of_class), *numbers in zip(labels, *columns.values(), strict=True):
        about = {**audit.about, "group": group, "of_class": of_class, "rows": rows}
        yield RateRecord(**about, **dict(zip(columns, numbers, strict=True)))  # type: ignore[typeddict-item]


def pair_records(audit: ModelAudit, rates: Sequence[RateRecord]) -> Iterator[dict[str, Any]]:
    """Yield the rates behind BA: the number is the change along the sign, with its own interval."""
    changes = audit.rates["predicted"][:, :-1] - audit.rates["true"][:, :-1]
    for record, change in zip(rates, changes.reshape(len(changes), -1).T, strict=True):
        sign, low, high = record["sign"], record["low"], record["high"]
        if low is not None and high is not None:
            low, high = sorted((sign * low, sign * high))
        pair = {key: record[key] for key in _OF_PAIR}  # type: ignore[literal-required]
        clear = low is not None and high is not None and (low > 0 or high < 0)
        band = {"band_low": low, "band_high": high, "clear": clear}
        yield {**pair, **audit.number(sign * change), **band}


def frequency_records(audit: ModelAudit) -> Iterator[dict[str, Any]]:
    """Yield how often each class occurs in the labels, and how often it is predicted."""
    true, predicted = audit.rates["true"], audit.rates["predicted"]
    for j, label in enumerate(audit.members.classes):
        ratio = audit.number(divide(predicted[:, -1, j], true[:, -1, j]))
        rates = {"true": float(true[0, -1, j]), "predicted": float(predicted[0, -1, j])}
        yield {**audit.about, "of_class": label, **rates, **keys_of(ratio, "ratio")}


def largest_records(audit: ModelAudit) -> Iterator[LargestRecord]:
    """Yield the largest difference and the ratio of each measure of two classes."""
    members, labels = audit.members, audit.members.classes
    if audit.direction != A_TO_T or len(members.compared) != 1 or len(labels) != 2:
        return
    [positive] = members.compared
    names = {"positive": labels[positive], "negative": labels[1 - positive]}
    is_soft = audit.evaluation.rows.variable(PREDICTION, audit.model).is_soft
    for key, measure in MEASURES.items():
        if measure.rate not in audit.rates:
            continue
        draws, sizes = audit.rate(measure.rate, positive, measure.labelled)
        unit = audit.evaluation.rows.size_unit
        if measure.labelled:
            unit = f"{unit} labelled {names[measure.labelled]}"
        found = largest_gap(draws, sizes, members.groups, unit=unit, confidence=audit.confidence)
        ratio = to_number(audit.explained(found.ratio))
        if key == "selection_rate" and is_soft:
            ratio = no_number(words.NONE_SELECTED) | {"value": ratio["value"]}
        yield LargestRecord(
            **to_number(audit.explained(found.difference)),
            model=audit.model,
            measure=key,
            groups=list(members.groups),
            rates=plain_numbers(draws[0]),
            **keys_of(ratio, "ratio"),  # type: ignore[typeddict-item]
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
            actual, equal = finite(result.value), finite(result.equal_errors.value)
            numbers = {"actual": actual, "equal_errors": equal, **to_number(result.excess)}
            yield {"model": audit.model, "name": result.metric, **numbers}


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
    is_weighted = audit.evaluation.rows.w is not None
    mean = words.WEIGHTED_MEAN_OF_STRATA if is_weighted else words.MEAN_OF_STRATA
    numbers.append((mean, ba.n_rows, _mean_of_strata(audit)))
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
    ba, rows = audit.ba, None
    if ba.interval is not None and (error := float(np.nanstd(ba.estimate.replicates))) > NOISE:
        rows = ba.n_rows * (_POWER * error) ** 2
    yield {**audit.about, "rows": rows}
