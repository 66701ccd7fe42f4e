"""The numbers of a frame: bind each metric to each slice of the counts, draw, and read them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.fairlearn.frame import FrameColumn, FrameData
from biasamp_adapters.fairlearn.host import HostMetric
from biasamp_adapters.fairlearn.slices import Lists, Sliced
from biasamp_adapters.inference.estimates import Replicated, outer_level
from biasamp_adapters.inference.replicates import replicate
from biasamp_adapters.metrics import AmplificationResult, MultiAttributeBiasAmplification
from biasamp_adapters.metrics.base import Metric, ReferencedMetric
from biasamp_adapters.metrics.bound_metric import BoundMetric
from biasamp_adapters.reference import Evaluation, align

#: Level of the intervals of results where the quantiles name none.
_CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class SliceScores:
    """One metric in one slice.

    Attributes
    ----------
    evaluation : Evaluation
    scored : BoundMetric, HostMetric or None
        None where the metric is undefined, as there is only one group.
    draws : dict of str to ndarray, or None
        Scores of the replicates; empty where none are possible, None where none were asked for.
    """

    evaluation: Evaluation
    scored: BoundMetric | HostMetric | None
    draws: Mapping[str, Array] | None

    def value(self) -> Replicated:
        """The metric inside the slice."""
        return self._replicated(
            "value", None if self.scored is None else self.scored.point()["value"]
        )

    def by_group(self) -> Iterator[Replicated]:
        """What each group that has rows adds."""
        counts = self.evaluation.counts
        seen = counts.seen(Role.ATTRIBUTE)
        means = None if self.scored is None else self.scored.group_means()
        for i, group in enumerate(counts.groups):
            if group in seen:
                yield self._replicated("groups", None if means is None else means[i], i)

    def _replicated(self, name: str, value: Any, group: int | None = None) -> Replicated:
        if self.scored is None:
            return Replicated(float("nan"), None, "no two groups have rows with a weight there")
        value, drawn = float(value), (self.draws or {}).get(name)
        if drawn is None:
            return Replicated(value, None, None if self.draws is None else self.scored.no_interval)
        replicates = drawn if group is None else drawn[:, group]
        if isinstance(self.scored, HostMetric):
            return Replicated(value, replicates)
        return self.scored.replicated(name, value, replicates)


def compute(
    sliced: Sliced,
    metrics: Mapping[Hashable, Any],
    lists: Lists,
    n_boot: int,
    quantiles: Sequence[float] | None,
    seed: int | None,
) -> FrameData:
    """The numbers of a frame, with results and notes.

    Parameters
    ----------
    sliced : Sliced
    metrics : mapping of name to metric
        Metric objects, or functions of the host.
    lists : (labels, groups)
        Explicit lists.
    n_boot : int
    quantiles : sequence of float, optional
    seed : int or None
        The same for every family, so that all metrics see the same draws.
    """
    # Metrics that were given the same reference are bound to the same counts and drawn together.
    families: dict[Any, dict[Hashable, Any]] = {}
    for name, metric in metrics.items():
        family = id(getattr(metric, "reference", None)) if isinstance(metric, Metric) else "host"
        families.setdefault(family, {})[name] = metric
    notes: list[str] = []
    scores: dict[Hashable, list[SliceScores]] = {}
    for members in families.values():
        whole = _evaluation(sliced, list(members.values()), lists)
        notes += whole.notes
        scores |= _scores(sliced, members, whole, n_boot, seed)
    first = next(iter(scores.values()))[: len(sliced.controls)]
    data = FrameData(
        control_names=sliced.control_names,
        sensitive_names=sliced.group_names or sliced.attribute_names,
        control_levels=sliced.controls,
        combinations=sliced.combinations([part.evaluation for part in first]),
        notes=notes,
    )
    for name, metric in metrics.items():
        _add_column(data, sliced, name, metric, scores[name], quantiles)
    return data


def _evaluation(sliced: Sliced, metrics: Sequence[Any], lists: Lists) -> Evaluation:
    """The counts of all rows, with all that metrics of one reference read."""
    if not isinstance(metrics[0], Metric):
        return Evaluation(sliced.whole)
    whole = align(sliced.whole, getattr(metrics[0], "reference", None), *lists)
    for metric in metrics:
        whole = metric.prepare(whole)
    return whole


def _scores(
    sliced: Sliced,
    metrics: Mapping[Hashable, Any],
    whole: Evaluation,
    n_boot: int,
    seed: int | None,
) -> dict[Hashable, list[SliceScores]]:
    """Bind metrics of one reference to every slice, and draw."""
    evaluations = sliced.evaluations(whole)
    scored = {
        (name, i): bound
        for name, metric in metrics.items()
        for i, evaluation in enumerate(evaluations)
        if (bound := _bind(name, metric, evaluation, not sliced.group_names)) is not None
    }
    draws: dict[tuple[Hashable, int], dict[str, Array]] = {}
    if n_boot and scored:
        draws = replicate(scored, whole, n_boot, seed, sliced.source)
    return {
        name: [
            SliceScores(
                evaluation, scored.get((name, i)), draws.get((name, i), {}) if n_boot else None
            )
            for i, evaluation in enumerate(evaluations)
        ]
        for name in metrics
    }


def _bind(
    name: Hashable, metric: Any, evaluation: Evaluation, by_group: bool
) -> BoundMetric | HostMetric | None:
    """A metric on one slice; None where it is undefined."""
    model = evaluation.counts.first_model
    if not isinstance(metric, Metric):
        return HostMetric(evaluation=evaluation, model=model, name=str(name), function=metric)
    if not _has_groups(metric, evaluation):
        return None
    return replace(metric.bind(evaluation, model), by_group=by_group)


def _has_groups(metric: Metric, evaluation: Evaluation) -> bool:
    """Whether a slice has rows of several groups, or a reference to compare one group with."""
    counts = evaluation.counts
    if not counts.tables().total > 0:
        return False
    compared = evaluation.reference is not None or evaluation.base_rates is not None
    if compared and isinstance(metric, ReferencedMetric):
        return True
    return not counts.one_each(Role.ATTRIBUTE) or len(counts.seen(Role.ATTRIBUTE)) > 1


def _add_column(
    data: FrameData,
    sliced: Sliced,
    name: Hashable,
    metric: Any,
    scores: Sequence[SliceScores],
    quantiles: Sequence[float] | None,
) -> None:
    """Add the numbers of a metric, the results behind them, and notes."""
    n_controls = len(sliced.controls)
    confidence = (outer_level(quantiles) if quantiles else 0) or _CONFIDENCE
    for i, (key, part) in enumerate(zip(sliced.keys, scores, strict=True)):
        if isinstance(part.scored, BoundMetric):
            where = f"{name} in {listing([key])}" if key else f"{name}"
            data.notes.extend(f"{where}: {note}" for note in part.scored.caveats)
            if i < n_controls:
                result = AmplificationResult.of(part.scored, part.draws, confidence)
                level = key[0] if len(key) == 1 else key
                data.results[(name, level) if key else name] = result
                remarks = _remarks(part.scored, result)
                data.remarks.extend(f"{where}: {remark}" for remark in remarks)
    overall = [part.value() for part in scores[:n_controls]]
    if sliced.group_names:
        groups = [part.value() for part in scores[n_controls:]]
    else:
        groups = [number for part in scores for number in part.by_group()]
    if isinstance(metric, Metric):
        signed = not isinstance(metric, MultiAttributeBiasAmplification)
    else:
        signed = any(number.value < 0 for number in (*overall, *groups))
    column = FrameColumn(name, overall, groups, signed)
    data.columns.append(column)
    data.notes.extend(_gaps(data, column, quantiles))


def _remarks(bound: BoundMetric, result: AmplificationResult) -> Iterator[str]:
    """What helps to read a value, though nothing is wrong with it."""
    if result.baseline is not None:
        yield f"random errors of the same accuracy would give {result.baseline.text()}"
    pairs = bound.pairs()
    if "uncertain" in pairs and pairs["uncertain"].any():
        doubtful = pairs["uncertain"].sum()
        yield f"{doubtful} of {pairs['sign'].size} signs of the reference may be noise (|z| < 1.96)"


def _gaps(data: FrameData, column: FrameColumn, quantiles: Sequence[float] | None) -> Iterator[str]:
    """Where a number is undefined or has no interval, and why."""
    keys = [*data.control_levels, *data.combinations]
    reasons: dict[str, list[Any]] = {}
    for key, number in zip(keys, [*column.overall, *column.groups], strict=True):
        if np.isnan(number.value):
            what, reason = "undefined", number.reason
        else:
            what, reason = "no interval", number.no_quantiles(quantiles) if quantiles else None
        if reason:
            reasons.setdefault(f"{what}: {reason}", []).append(key)
    for reason, places in reasons.items():
        levels = [key for key in places if key]
        named = ["all rows"] * (len(levels) < len(places)) + [listing(levels)] * bool(levels)
        yield f"{column.name}, {', '.join(named)}: {reason}"
