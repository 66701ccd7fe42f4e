"""Records of one model in one direction: the verdict, its gaps, and the errors of their groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from biasamp_adapters.auditing.model_audit import ModelAudit, to_number
from biasamp_adapters.auditing.summary import (
    ErrorRecord,
    GapRecord,
    MissingRecord,
    Number,
    VerdictRecord,
)
from biasamp_adapters.counting.labels import PREDICTION, Array
from biasamp_adapters.inference.bands import NOISE, simultaneous_bands
from biasamp_adapters.inference.intervals import FEW_ROWS, Estimate
from biasamp_adapters.inference.largest import largest_gap
from biasamp_adapters.metrics.base import A_TO_T

#: Rows that rates of a kind need, but for rounding: a rate times rows may be 14.99999.
_ENOUGH_ROWS = FEW_ROWS * (1 - 1e-9)


def verdict_records(audit: ModelAudit) -> Iterator[VerdictRecord]:
    """Yield the verdict."""
    judgement, rates, compared = audit.judgement, audit.rates, audit.members.compared
    predicted, signs = rates["predicted"][0, -1], audit.pairs["sign"]
    is_constant = not audit.is_matrix and predicted.max() > 1 - NOISE
    mean = to_number(judgement.mean_change)
    if judgement.reason == "no_interval":
        mean["reason"] = audit.reason or audit.ba.reason
    yield VerdictRecord(
        **mean,
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
        first_equal = second_equal = equal_errors = None
        beyond = Number(value=None, low=None, high=None, reason="")
        if "equal" in audit.rates:
            groups, of_class = audit.places(gap)
            first_equal, second_equal = audit.rates["equal"][0, groups, of_class].tolist()
            equal_errors = first_equal - second_equal
            equal, predicted = (audit.difference(x, gap) for x in ("equal", "predicted"))
            beyond = audit.number(predicted - equal)
        yield GapRecord(
            **to_number(Estimate(gap.change, gap.low, gap.high, "")),
            **audit.about,
            first=gap.first,
            second=gap.second,
            of_class=gap.of_class,
            first_rows=round(gap.rows[0]),
            second_rows=round(gap.rows[1]),
            first_true=gap.true_rates[0],
            second_true=gap.true_rates[1],
            first_predicted=gap.predicted_rates[0],
            second_predicted=gap.predicted_rates[1],
            true=gap.true,
            predicted=gap.predicted,
            status=gap.status,
            true_clear=gap.true_clear,
            predicted_clear=gap.predicted_clear,
            in_mean=gap.in_mean,
            first_equal=first_equal,
            second_equal=second_equal,
            equal_errors=equal_errors,
            beyond=beyond["value"],
            beyond_low=beyond["low"],
            beyond_high=beyond["high"],
        )


def error_records(audit: ModelAudit) -> Iterator[ErrorRecord]:
    """Yield the error rates of the two groups of each gap that is named."""
    has_two_classes = len(audit.members.compared) == 1 or audit.is_matrix
    if audit.direction != A_TO_T or "fpr" not in audit.rates or not has_two_classes:
        return
    for position in audit.named:
        groups, of_class = audit.places(audit.gaps[position])
        for labelled, name in (("negative", "fpr"), ("positive", "tpr")):
            draws, sizes = audit.rate(name, of_class)
            if min(groups) < 0 or sizes[groups].min() < _ENOUGH_ROWS:
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
    large = np.flatnonzero(sizes >= _ENOUGH_ROWS)
    i, j = np.triu_indices(len(large), 1)
    pairs = draws[:, [groups[0], *large[i]]] - draws[:, [groups[1], *large[j]]]
    half_row = 0.5 / sizes[groups].min()  # Of the first pair, whose band alone is read.
    low, high = simultaneous_bands(pairs[0], pairs[1:], half_row, confidence)
    return to_number(Estimate(pairs[0, 0], low[0], high[0], ""))


def missing_records(audit: ModelAudit, seed: int) -> Iterator[MissingRecord]:
    """Yield which groups' rates of missing predictions clearly differ in rows labelled alike.

    The bands of all pairs of groups and of all labels hold at once. Label matrices have none.
    """
    if "missing" not in audit.rates:
        return
    ba, members = None, audit.members
    rates = {label: audit.rate("missing", j) for j, label in enumerate(members.classes)}
    large = {label: np.flatnonzero(sizes >= _ENOUGH_ROWS) for label, (_, sizes) in rates.items()}
    labels = [label for label in large if len(large[label]) > 1]
    for label in labels:
        kept, (draws, sizes) = large[label], rates[label]
        groups, level = [members.groups[i] for i in kept], (1 - audit.confidence) / len(labels)
        found = largest_gap(draws[:, kept], sizes[kept], groups, confidence=1 - level)
        if found.difference.low > 0:
            ba = ba or to_number(_ba_of_answered(audit, seed))
            most, least = draws[0, kept].argmax(), draws[0, kept].argmin()
            yield MissingRecord(
                model=audit.model,
                labelled=label,
                first=groups[most],
                second=groups[least],
                first_rate=float(draws[0, kept[most]]),
                second_rate=float(draws[0, kept[least]]),
                ba=ba,
            )


def _ba_of_answered(audit: ModelAudit, seed: int) -> Estimate:
    """Return BA of the rows that have a prediction, with the signs of all rows."""
    rows, metric = audit.evaluation.rows, audit.ba.measurement.metric
    variables = {key: v for key, v in rows.variables.items() if key[1] in (None, audit.model)}
    evaluation = replace(audit.evaluation, rows=replace(rows, variables=variables))
    answered = evaluation.part(np.flatnonzero(~rows.variable(PREDICTION, audit.model).missing))
    results = metric.results(answered, audit.ba.n_boot, audit.confidence, seed)
    ba: Estimate = results[audit.model].estimate
    return ba
