"""The jackknife of count tables: the scores without one row of each kind, for BCa."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.uncertainty import acceleration_of, joined

if TYPE_CHECKING:
    from biasamp_adapters.counts import Counts
    from biasamp_adapters.counts.tables import Tables
    from biasamp_adapters.metrics.bound import Bound


def accelerations(bounds: Sequence[Bound], factors: Sequence[int]) -> dict[str, float | str]:
    """Accelerations of BCa for a linear combination of the scores of metrics of the same rows.

    A reference whose values are read is a sample too, of which each row is left out in turn.
    """
    first = bounds[0].evaluation
    samples = [first.counts]
    if first.reference is not None and any(bound.reads_reference for bound in bounds):
        samples.append(first.reference)
    reason = next((each.no_jackknife for each in samples if each.no_jackknife), None)
    if reason:
        return dict.fromkeys(bounds[0].point(), reason)
    parts: list[dict[str, Array]] = []
    rows: list[Array] = []
    for sample in samples:
        for tables, n in sample.without_one(max(bound.width for bound in bounds)):
            scores = [_without_one(bound, tables, of=sample) for bound in bounds]
            parts.append(
                {
                    name: np.sum(
                        [
                            factor * np.broadcast_to(score[name], len(n))
                            for factor, score in zip(factors, scores, strict=True)
                        ],
                        axis=0,
                    )
                    for name in scores[0]
                    if np.ndim(scores[0][name]) < 2
                }
            )
            rows.append(n)
    weights = np.concatenate(rows)
    return {name: acceleration_of(x, weights) for name, x in joined(parts).items()}


def _without_one(bound: Bound, tables: Tables, of: Counts) -> dict[str, Array]:
    """Scores of tables without one row, which are those of the counts or of the reference."""
    counts = bound.evaluation.counts
    if of is counts:
        return bound.smooth(tables.for_model(bound.model), None)
    return bound.smooth(counts.tables(bound.model), tables)
