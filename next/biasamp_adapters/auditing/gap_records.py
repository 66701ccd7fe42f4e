"""Records of verdicts and gaps: what is judged, and what is known of each gap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.auditing.compute import Computed
from biasamp_adapters.auditing.evaluate import ROLES
from biasamp_adapters.auditing.summary import ErrorRecord, GapRecord, Number, VerdictRecord
from biasamp_adapters.counting.labels import TASK, Array
from biasamp_adapters.inference.bands import NOISE, family_quantile, largest_t, measure
from biasamp_adapters.inference.gaps import Gap
from biasamp_adapters.inference.intervals import FEW_ROWS, Estimate, reason_of_number
from biasamp_adapters.inference.verdict import Judgement
from biasamp_adapters.metrics.base import A_TO_T

#: Rows of a kind that error rates need, but for rounding: a rate times rows may be 14.99999.
_ENOUGH_ROWS = FEW_ROWS * (1 - 1e-9)

#: What happens to gaps that get larger, and to those that get smaller or turn round.
LARGER, SMALLER = ("grows", "appears"), ("shrinks", "reverses")


def as_number(value: float, low: float = np.nan, high: float = np.nan, reason: str = "") -> Number:
    """Return a number with its interval as plain values; what does not exist is None."""
    return Number(value=_plain(value), low=_plain(low), high=_plain(high), reason=reason)


def _plain(x: float) -> float | None:
    """Return a number without rounding noise, which would lie on one side of 0."""
    if not math.isfinite(x):
        return None
    return 0.0 if abs(x) < NOISE else float(x)


def from_estimate(estimate: Estimate) -> Number:
    """Return an estimate as plain values."""
    return as_number(estimate.value, estimate.low, estimate.high, estimate.reason)


def from_draws(draws: Array, confidence: float, reason: str = "") -> Number:
    """Return a number whose draws are the data's and those of replicates, with percentiles."""
    defined = draws[1:][np.isfinite(draws[1:])]
    if not math.isfinite(draws[0]):
        reason = reason or words.UNDEFINED
    if len(draws) == 1:
        reason = reason or words.TOO_MANY_RATES
    reason = reason or reason_of_number(len(defined), len(draws) - 1, confidence)
    if reason:
        return as_number(draws[0], reason=reason)
    return as_number(draws[0], *np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]))


def sort_gaps(judgement: Judgement) -> list[Gap]:
    """Return the gaps from the most certain change on: that with the band farthest from 0.

    Gaps that are not clear come last, even if their rates move clearly.
    """
    return sorted(
        judgement.gaps,
        key=lambda gap: (gap.status != "unclear", max(gap.low, -gap.high)),
        reverse=True,
    )


def name_gaps(gaps: Sequence[Gap]) -> list[int]:
    """Return the positions of the gaps that are named: the most certain one on each side."""
    if len(gaps) == 1:
        return [0]
    sides = [[i for i, gap in enumerate(gaps) if gap.status in side] for side in (LARGER, SMALLER)]
    return [side[0] for side in sides if side]


def verdict_records(computed: Computed) -> Iterator[VerdictRecord]:
    """Yield the verdict on each model in each direction."""
    for (direction, model), judgement in computed.judgements.items():
        ba = computed.results[direction, model][0].measurement
        members, gaps = computed.members[direction], sort_gaps(judgement)
        predicted = computed.rates[direction, model]["predicted"][0, -1]
        is_constant = predicted.max() > 1 - NOISE
        is_constant &= not ba.evaluation.rows.is_matrix(ROLES[direction][1])
        pairs = ba.pairs()
        signs = pairs["sign"] if direction == A_TO_T else pairs["sign"].T
        mean = from_estimate(judgement.mean_change)
        if judgement.reason == "no_interval":
            mean["reason"] = computed.reason or computed.results[direction, model][0].reason
        yield VerdictRecord(
            **mean,
            model=model,
            direction=direction,
            code=judgement.code,
            why=judgement.reason,
            comparison=judgement.comparison,
            n_gaps=judgement.n_gaps,
            n_in_mean=sum(gap.in_mean for gap in gaps),
            named=name_gaps(gaps),
            no_errors=_has_no_errors(computed, direction, model),
            constant=[members.classes[int(predicted.argmax())]] if is_constant else [],
            signs=int(signs.size),
            signs_unclear=int(pairs["uncertain"].sum()),
            half=_is_half(computed, direction, gaps, signs),
        )


def _has_no_errors(computed: Computed, direction: str, model: str) -> bool:
    rates = computed.rates[direction, model]
    return "accuracy" in rates and bool(rates["accuracy"][0, -1] > 1 - NOISE)


def _is_half(computed: Computed, direction: str, gaps: Sequence[Gap], signs: Array) -> bool:
    """Return whether BA is half of the change of the only gap, along its direction."""
    members = computed.members[direction]
    if len(gaps) != 1 or len(members.groups) != 2 or len(members.compared) != 1:
        return False
    of_sides = signs[:, members.compared[0]]  # Two tasks may have the same sign.
    first = members.groups.index(gaps[0].first)
    return bool(of_sides[first] > 0 > of_sides[1 - first])


def main_gap(computed: Computed, direction: str, model: str) -> tuple[int | None, Gap | None]:
    """Return the named gap with the most certain change, and its position.

    If no gap is named, there is no position, and the gap is the first one.
    """
    gaps = sort_gaps(computed.judgements[direction, model])
    position = min(name_gaps(gaps), default=None)
    return position, gaps[position or 0] if gaps else None


def gap_records(computed: Computed) -> Iterator[GapRecord]:
    """Yield the gaps of each model, from the most certain change on."""
    for (direction, model), judgement in computed.judgements.items():
        rates = computed.rates[direction, model]
        for gap in sort_gaps(judgement):
            equal, beyond = (None, None), as_number(np.nan)
            if "equal" in rates:
                first, second, of_class = places_of(computed, direction, gap)
                by_group = rates["equal"][:, [first, second], of_class]
                predicted = rates["predicted"][:, [first, second], of_class]
                equal = tuple(by_group[0].tolist())
                draws = -np.diff(predicted - by_group, axis=1)[:, 0]
                beyond = from_draws(draws, computed.confidence, computed.reason)
            yield GapRecord(
                **as_number(gap.change, gap.low, gap.high),
                model=model,
                direction=direction,
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
                first_equal=equal[0],
                second_equal=equal[1],
                equal_errors=None if equal[0] is None else equal[0] - equal[1],
                beyond=beyond["value"],
                beyond_low=beyond["low"],
                beyond_high=beyond["high"],
            )


def places_of(computed: Computed, direction: str, gap: Gap) -> tuple[int, int, int]:
    """Return the positions of both sides of a gap, of which -1 is all rows, and of its class."""
    members = computed.members[direction]
    position = {label: i for i, label in enumerate(members.groups)}
    of_class = members.classes.index(gap.of_class)
    return position.get(gap.first, -1), position.get(gap.second, -1), of_class


def error_records(computed: Computed) -> Iterator[ErrorRecord]:
    """Yield the error rates of the two groups of each gap that is named."""
    for (direction, model), judgement in computed.judgements.items():
        rates, members = computed.rates[direction, model], computed.members[direction]
        is_matrix = computed.evaluation.rows.is_matrix(TASK)
        has_two_classes = len(members.compared) == 1 or is_matrix
        if direction != A_TO_T or "fpr" not in rates or not has_two_classes:
            continue
        gaps = sort_gaps(judgement)
        for i in name_gaps(gaps):
            first, second, of_class = places_of(computed, direction, gaps[i])
            labelled = rates["true"][0, :-1, of_class] * members.sizes
            for kind, name, sizes in (
                ("negative", "fpr", members.sizes - labelled),
                ("positive", "tpr", labelled),
            ):
                if min(first, second) < 0 or sizes[[first, second]].min() < _ENOUGH_ROWS:
                    continue
                drawn = rates[name][:, :-1, of_class]
                yield ErrorRecord(
                    **_pair_band(drawn, sizes, first, second, computed),
                    model=model,
                    direction=direction,
                    gap=i,
                    labelled=kind,
                    first=float(drawn[0, first]),
                    second=float(drawn[0, second]),
                )


def _pair_band(draws: Array, sizes: Array, first: int, second: int, computed: Computed) -> Number:
    """Return the difference of two groups, with its band among those of all large groups."""
    value = float(draws[0, first] - draws[0, second])
    if computed.reason:
        return as_number(value, reason=computed.reason)
    large = np.flatnonzero(sizes >= _ENOUGH_ROWS)
    i, j = np.triu_indices(len(large), 1)
    pairs = draws[:, large[i]] - draws[:, large[j]]
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    k = family_quantile([largest_t(pairs, measure(pairs))], computed.confidence)
    own = draws[:, [first]] - draws[:, [second]]
    half_row = 0.5 / sizes[[first, second]].min()
    reach = measure(own[np.isfinite(own[:, 0])]).reach(k, half_row).item()
    return as_number(value, value - reach, value + reach)
