"""Several runs of one model, and models in order: means, steps and their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from biasamp_adapters import words
from biasamp_adapters.auditing.compute import Computed
from biasamp_adapters.auditing.records import COMPARED, draws_of, half_row_of
from biasamp_adapters.counting.labels import Array
from biasamp_adapters.inference.bands import simultaneous_bands


def mean_over_runs(audits: Sequence[Computed]) -> pd.DataFrame:
    """Return the means over the models of one audit, or over audits of one model each."""
    are_folds = len(audits) > 1
    if are_folds and any(len(audit.models) > 1 for audit in audits):
        raise ValueError("each report of a list must have one model; received one with several")
    digests = [audit.evaluation.rows.digest for audit in audits]
    if any(digest is not None and digests.count(digest) > 1 for digest in digests):
        rule = "each report of a list must be of a fold with its own rows; two have the same labels"
        raise ValueError(f"{rule}. {words.ONE_AUDIT_OF_SEEDS}")
    first, records = audits[0], []
    for direction in first.members:
        for name in COMPARED:
            draws = [
                draws_of(audit, direction, model, name)
                for audit in audits
                for model in audit.models
            ]
            if name == "accuracy" and any(x is None for x in draws):
                continue
            record = {"metric": name, "direction": direction, "runs": len(draws)}
            records.append(record | _mean(draws, first.confidence, are_folds))
    return pd.DataFrame(records)


def _mean(draws: Sequence[Array | None], confidence: float, are_folds: bool) -> dict[str, Any]:
    """Return the mean of a number over runs, with its interval or why there is none.

    Folds share rows of training, so only the spread between them is known. Runs on the same rows
    also share the chance of these rows, which replicates show.
    """
    nothing = {"mean": np.nan, "low": np.nan, "high": np.nan}
    known = [x for x in draws if x is not None]
    if len(known) < len(draws):
        return nothing | {"reason": words.NO_DIRECTION}
    values, n = np.array([x[0] for x in known]), len(known)
    mean = float(values.mean())
    if n < 2:
        return nothing | {"mean": mean, "reason": words.ONE_RUN}
    spread = values.std(ddof=1)
    if spread == 0:
        return nothing | {"mean": mean, "reason": words.EQUAL_RUNS}
    level = (1 + confidence) / 2
    variance = (stdtrit(n - 1, level) * spread) ** 2 / n
    if not are_folds:
        if len(known[0]) < 2:
            return nothing | {"mean": mean, "reason": words.NOT_REQUESTED}
        of_mean = np.mean([x[1:] for x in known], axis=0)
        variance += (ndtri(level) * np.nanstd(of_mean)) ** 2
    reach = float(np.sqrt(variance))
    return {"mean": mean, "low": mean - reach, "high": mean + reach, "reason": ""}


def track_models(computed: Computed) -> pd.DataFrame:
    """Return the numbers of each model, and their steps from the model before it."""
    if len(computed.models) < 2:
        raise ValueError("track needs at least two models, as a dict of epochs to predictions")
    return pd.DataFrame(record for d in computed.members for record in _steps(computed, d))


def _steps(computed: Computed, direction: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a direction; the steps of one number are one family."""
    members, tails = computed.members[direction], (1 - computed.confidence) / 2
    for name in COMPARED:
        draws = [draws_of(computed, direction, model, name) for model in computed.models]
        known = [x for x in draws if x is not None]
        if len(known) < len(draws):
            continue
        table = np.column_stack(known)
        steps = np.diff(table, axis=1)
        size = half_row_of(name, members)
        low, high = simultaneous_bands(steps[0], steps[1:], size, computed.confidence)
        ends = np.full((2, len(known)), np.nan)
        if len(table) > 1:
            ends = np.nanquantile(table[1:], [tails, 1 - tails], axis=0)
        step, low, high = (np.insert(x, 0, np.nan) for x in (steps[0], low, high))
        for i, model in enumerate(computed.models):
            yield {
                "model": model,
                "metric": name,
                "direction": direction,
                "value": table[0, i],
                "low": ends[0, i],
                "high": ends[1, i],
                "difference": step[i],
                "difference_low": low[i],
                "difference_high": high[i],
                "clear": bool(low[i] > 0 or high[i] < 0),
            }
