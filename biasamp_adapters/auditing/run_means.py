"""Means over runs: of a number, of signs, and of what a verdict is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from biasamp_adapters._typing import Array, Row
from biasamp_adapters.auditing.summary import as_estimate
from biasamp_adapters.inference.estimates import UNLIMITED, Estimate, Interval, summarize_runs
from biasamp_adapters.metrics.facts import Facts
from biasamp_adapters.metrics.plain import plain
from biasamp_adapters.metrics.verdict import Verdict, judge

#: What holds in more runs than this share holds of the summary.
_HALF = 0.5

#: The rates of a model, which are averaged over runs.
_AVERAGED = ("true", "predicted", "overall", "blind", "followed", "silent")

#: The range of shares of rows, and of the difference of two of them without its sign.
SHARES: Interval = (0.0, 1.0)


def mean(values: Sequence[float | None], confidence: float, limits: Interval = UNLIMITED) -> Row:
    """The mean and its interval, both in the range; undefined if the value of any run is."""
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        note = f"undefined in {len(values) - len(numbers)} of {len(values)} runs"
        return {"value": None, "low": None, "high": None, "note": note}
    # Sorted, so that no order of runs changes the last digit.
    summary = summarize_runs(sorted(numbers), confidence, limits=limits)
    low, high = summary.interval or (None, None)
    return {"value": summary.value, "low": low, "high": high, "note": summary.reason or ""}


def difference(limits: Interval) -> Interval:
    """The range of the difference between two numbers of a range."""
    low, high = limits
    return low - high, high - low


def common_signs(signs: Array, uncertain: Array) -> tuple[Array, Array]:
    """The sign that most runs have, and whether it may be noise.

    Parameters
    ----------
    signs : ndarray of shape (runs, ...)
    uncertain : ndarray of bool, of the same shape

    Returns
    -------
    (sign, uncertain) : ndarray of shape (...)
        A sign is uncertain if more than half of the runs have another one or are not certain of it.
    """
    common = np.sign(np.sum(signs, axis=0))
    return common, np.mean(uncertain | (signs != common), axis=0) > _HALF


def verdict_of(runs: Sequence[Facts | None], confidence: float, limits: Interval) -> Verdict:
    """The verdict on the means over runs.

    Parameters
    ----------
    runs : list of Facts or None
        What is known of a model in each run; None where it is not there.
    confidence : float
    limits : (low, high)
        The range of values and excesses.
    """
    known = [facts for facts in runs if facts is not None]
    pairs = {(facts.groups, facts.subjects) for facts in known}
    if len(known) == len(runs) and len(pairs) == 1:
        return judge(_mean_facts(known, confidence, limits))
    what = "other groups or classes" if len(pairs) > 1 else "no predictions of it"
    sentence = f"Some runs have {what}, so that there is no mean of its rates over runs."
    return Verdict("cannot_say", "runs_differ", sentence)


def _mean_facts(runs: list[Facts], confidence: float, limits: Interval) -> Facts:
    """What is known of a model over runs: means, with intervals over the runs."""

    def average(name: str) -> Any:
        arrays = [getattr(facts, name) for facts in runs]
        known = all(array is not None for array in arrays)
        return np.mean(np.sort(arrays, axis=0), axis=0) if known else None

    def estimate(name: str, limits: Interval = UNLIMITED) -> Estimate | None:
        found = [getattr(facts, name) for facts in runs]
        if any(one is None for one in found):
            return None
        return as_estimate(mean([plain(one.value) for one in found], confidence, limits))

    def doubtful(name: str, mean: Estimate | None) -> Estimate | None:
        """The interval for other signs: the mean of its ends, as runs may share a reference."""
        known = [getattr(facts, f"doubtful_{name}") or getattr(facts, name) for facts in runs]
        ends = [one.interval for one in known if one is not None and one.interval is not None]
        if mean is None or mean.interval is None or len(ends) < len(runs):
            return None
        (low, high), (least, most) = np.mean(ends, axis=0).tolist(), mean.interval
        return Estimate(mean.value, (min(low, least), max(high, most)), None)

    first = runs[0]
    groups = {facts.only_group for facts in runs}
    signs, doubts = (np.array([getattr(f, name) for f in runs]) for name in ("sign", "uncertain"))
    sign, uncertain = common_signs(signs, doubts)
    value, excess = estimate("value", limits), estimate("excess", limits)
    association = estimate("association")
    return replace(
        first,
        **{name: average(name) for name in _AVERAGED},
        sign=sign,
        uncertain=uncertain,
        accuracy=estimate("accuracy", SHARES),
        has_truth=all(facts.has_truth for facts in runs),
        is_right=all(facts.is_right for facts in runs),
        constant=_of_all(facts.constant for facts in runs),
        only_group=groups.pop() if len(groups) == 1 else None,
        value=value or first.value,
        association=association or first.association,
        excess=excess,
        doubtful_value=doubtful("value", value),
        doubtful_excess=doubtful("excess", excess),
        silence=estimate("silence"),
        few_rows=_of_most([facts.few_rows for facts in runs]),
    )


def _of_all(texts: Any) -> str | None:
    """What holds in all runs, in words."""
    found = [*texts]
    return None if None in found else " or ".join(sorted(set(found)))


def _of_most(texts: list[str | None]) -> str | None:
    """What holds in more than half of the runs, in words."""
    found = [text for text in texts if text is not None]
    if len(found) <= _HALF * len(texts):
        return None
    words = " or ".join(sorted(set(found)))
    is_the_same = len(found) == len(texts) and len(set(found)) == 1
    return words if is_the_same else f"in {len(found)} of {len(texts)} runs {words}"
