"""Numbers, estimates and verdicts as plain Python objects, ready for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from biasamp_adapters.inference.estimates import Estimate
from biasamp_adapters.metrics.verdict import Verdict

#: Numbers nearer to 0 than this are rounding errors of 0.
ROUNDING = 1e-15

#: Replicates that differ by less are the same: floating-point sums in another order.
_SAME = 1e-12

#: Shown in place of a quality that is infinite because its loss is 0.
UNBOUNDED = 1 / float(np.finfo(np.float64).eps)


def plain(value: float | None) -> float | None:
    """A float for JSON: None for NaN, infinities clipped, rounding errors of 0 set to 0."""
    if value is None or np.isnan(value):
        return None
    if abs(value) < ROUNDING:
        return 0.0
    return float(np.clip(value, -UNBOUNDED, UNBOUNDED))


def plain_verdict(verdict: Verdict) -> dict[str, Any]:
    """A verdict as dicts, strings and numbers."""
    gap, accuracy = verdict.gap, verdict.accuracy
    return verdict._asdict() | {
        "gap": None if gap is None else gap.to_dict(),
        "accuracy": None if accuracy is None else numbers(accuracy),
    }


def numbers(estimate: Estimate) -> dict[str, Any]:
    """An estimate for JSON: value, low, high, and a note if an end is missing."""
    low, high = estimate.interval or (None, None)
    note = estimate.reason or ""
    if low is not None and high is not None and high - low <= _SAME:
        note = "every replicate gave the same value, so the interval says nothing of sampling error"
    return {"value": plain(estimate.value), "low": plain(low), "high": plain(high), "note": note}
