"""Intervals: audits with many replicates, and a replicate from a table against one from rows."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

import biasamp_adapters as bam
from benchmarks.data import arguments, columns
from benchmarks.measure import median, side_by_side
from benchmarks.table import Scale, Table, seconds

_REPLICATES = 10_000


def audits(table: Table, scale: Scale) -> None:
    """Counting and an audit with 10,000 replicates, against counting."""
    data = arguments(columns(scale.rows))

    def count() -> bam.JointCounts:
        return bam.JointCounts.from_arrays(*data)

    def audit(n_boot: int = _REPLICATES) -> Any:
        truth, predicted, group, guess = data
        return bam.audit(
            truth,
            predicted,
            sensitive_features=group,
            sensitive_features_pred=guess,
            n_boot=n_boot,
        )

    report = audit().to_frame().set_index(["metric", "direction"])["value"]
    found = report["DirectionalBiasAmplification", "A->T"]
    table.close("the audit's BA A->T equals masks over rows", found, by_masks(*data[:3]))
    audited, without, counted = side_by_side(audit, partial(audit, 0), count)
    what = f"counting and audit, 10,000 replicates / counting, n = {scale.rows:.0e}"
    table.ratio(what, audited / counted, "<= 2.5", seconds(audited, counted))
    table.ratio("  the same without replicates", without / counted, "", seconds(without, counted))


def by_masks(truth: Any, predicted: Any, group: Any) -> float:
    """BA-> A->T of two groups and two classes, from rows."""
    terms = []
    for a in (0, 1):
        for t in (0, 1):
            of_group, of_task = group == a, truth == t
            y = len(group) * np.sum(of_group & of_task) - np.sum(of_group) * np.sum(of_task)
            made = np.sum(of_group & (predicted == t)) - np.sum(of_group & of_task)
            terms.append(np.sign(y) * made / np.sum(of_group))
    return float(np.mean(terms))


def bootstrap(table: Table, scale: Scale) -> None:
    """A replicate of one metric, drawn as a table and drawn as rows."""
    n_rows = scale.of(1_000_000)
    truth, predicted, group, _ = arguments(columns(n_rows))
    counts = bam.JointCounts.from_arrays(truth, predicted, group)
    metric = bam.DirectionalBiasAmplification()
    result = metric.from_counts(counts, n_boot=_REPLICATES)
    n_drawn = 20 if scale.quick else 200
    drawn = by_rows(truth, predicted, group, n_drawn)
    table.close("the value equals masks over rows", result.value, by_masks(truth, predicted, group))
    low, high = result.interval or (np.nan, np.nan)
    # Of a normal distribution; the spread of n draws is known to one part in sqrt(2 n).
    ratio = np.std(drawn, ddof=1) / ((high - low) / 3.92)
    detail = f"(their spread over ours: {ratio:.3f} of {n_drawn} draws)"
    near = abs(ratio - 1) < 4 / np.sqrt(2 * n_drawn)
    table.check("replicates by rows spread as ours", bool(near), detail)
    mine = median(partial(metric.from_counts, counts, n_boot=_REPLICATES)) / _REPLICATES
    theirs = median(partial(by_rows, truth, predicted, group, 10), 3) / 10
    what = f"a replicate, rows by numpy / tables, binary, n = {n_rows:.0e}"
    table.ratio(what, theirs / mine, ">= 500", seconds(theirs, mine))
    _metric_frame(table, truth, predicted, group)


def by_rows(truth: Any, predicted: Any, group: Any, n_boot: int) -> list[float]:
    """BA-> A->T of resampled rows, as fast as numpy counts them; the signs stay fixed."""
    key = (4 * group + 2 * truth + predicted).astype(np.uint8)
    rng = np.random.default_rng(0)
    counted = np.bincount(key, minlength=8).reshape(2, 2, 2)
    pairs = counted.sum(axis=2)
    sign = np.sign(
        pairs / len(key) - np.outer(pairs.sum(axis=1), pairs.sum(axis=0)) / len(key) ** 2
    )
    values = []
    for _ in range(n_boot):
        rows = rng.integers(0, len(key), len(key))
        n = np.bincount(key[rows], minlength=8).reshape(2, 2, 2)
        moved = (n.sum(axis=1) - n.sum(axis=2)) / n.sum(axis=(1, 2))[:, None]
        values.append(float(np.mean(sign * moved)))
    return values


def _metric_frame(table: Table, truth: Any, predicted: Any, group: Any) -> None:
    """A replicate of the metric in all rows and in two slices, ours and Fairlearn's."""
    try:
        from fairlearn.metrics import MetricFrame
    except ImportError as error:
        table.text(f"  MetricFrame is skipped: {error}")
        return
    from biasamp_adapters.fairlearn import amplification_frame, directional_bias_amplification

    region = np.random.default_rng(1).integers(0, 2, len(group))

    def frame(**options: Any) -> Any:
        return MetricFrame(
            metrics=directional_bias_amplification,
            y_true=truth,
            y_pred=predicted,
            sensitive_features=region,
            sample_params={"sensitive_features": group},
            **options,
        )

    start = time.perf_counter()
    plain = frame()
    alone = time.perf_counter() - start
    start = time.perf_counter()
    frame(n_boot=2, ci_quantiles=[0.025, 0.975], random_state=0)
    theirs = (time.perf_counter() - start - alone) / 2
    slices = [np.ones(len(group), dtype=bool), region == 0, region == 1]
    counted = [bam.JointCounts.from_arrays(truth[s], predicted[s], group[s]) for s in slices]
    metric = bam.DirectionalBiasAmplification()
    values = [metric.from_counts(counts).value for counts in counted]
    table.close("the frame's values equal ours", values, [plain.overall, *plain.by_group])

    def ours() -> None:
        for counts in counted:
            metric.from_counts(counts, n_boot=_REPLICATES)

    mine = median(ours) / _REPLICATES
    what = f"a replicate, MetricFrame's n_boot / tables, n = {len(group):.0e}"
    table.ratio(what, theirs / mine, ">= 1e5", seconds(theirs, mine))

    def whole() -> Any:
        return amplification_frame(
            truth,
            predicted,
            sensitive_features=group,
            group_features=region,
            metrics={"BA": metric},
            n_boot=_REPLICATES,
            ci_quantiles=[0.025, 0.975],
        )

    whole()
    mine = median(whole, 3) / _REPLICATES
    what = "  the same, amplification_frame as a whole with 10,000 replicates"
    table.ratio(what, theirs / mine, "", seconds(theirs, mine))
