"""What a frame shows, from counts: bind each metric to each slice, draw, and read off."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, RandomState
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.fairlearn.frame import FrameColumn, FrameData
from biasamp_adapters.fairlearn.host import HostMetric
from biasamp_adapters.fairlearn.slices import Lists, Sliced
from biasamp_adapters.metrics import AmplificationResult, MultiAttributeBiasAmplification
from biasamp_adapters.metrics.base import Metric, ReferencedMetric
from biasamp_adapters.metrics.bound import Bound, replicate
from biasamp_adapters.metrics.track import Track, outer_level
from biasamp_adapters.reference import Evaluation, align

#: Level of the intervals of results where the quantiles name none.
_CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class SliceScores:
    """One metric in one slice.

    Attributes
    ----------
    evaluation : Evaluation
    scored : Bound, HostMetric or None
        None where the metric can say nothing of the slice.
    draws : dict of str to ndarray, or None
        Scores of the replicates; empty where none are possible, None where none were asked for.
    """

    evaluation: Evaluation
    scored: Bound | HostMetric | None
    draws: Mapping[str, Array] | None

    def value(self) -> Track:
        """The metric inside the slice."""
        return self._track("value", None if self.scored is None else self.scored.point()["value"])

    def by_group(self) -> Iterator[Track]:
        """What each group that has rows adds."""
        counts = self.evaluation.counts
        seen = counts.seen(Role.ATTRIBUTE)
        means = None if self.scored is None else self.scored.group_means()
        for i, group in enumerate(counts.groups):
            if group in seen:
                yield self._track("groups", None if means is None else means[i], i)

    def _track(self, name: str, value: Any, group: int | None = None) -> Track:
        if self.scored is None:
            return Track(float("nan"), None, "no two groups have rows with a weight there")
        value, drawn = float(value), (self.draws or {}).get(name)
        if drawn is None:
            return Track(value, None, None if self.draws is None else self.scored.no_interval)
        replicates = drawn if group is None else drawn[:, group]
        if isinstance(self.scored, HostMetric):
            return Track(value, replicates)
        if group is None:
            return self.scored.track(name, value, replicates)
        settled, reason = self.scored.settled_group(value, replicates)
        return Track(value, settled, reason, limits=self.scored.limits("value"))


def compute(
    sliced: Sliced,
    metrics: Mapping[Hashable, Any],
    lists: Lists,
    n_boot: int,
    quantiles: Sequence[float] | None,
    seed: RandomState,
) -> FrameData:
    """All that a frame shows.

    Parameters
    ----------
    sliced : Sliced
    metrics : mapping of name to metric
        Metric objects, or functions of the host.
    lists : (labels, groups)
        Explicit lists.
    n_boot : int
    quantiles : sequence of float, optional
    seed : int, Generator or None
    """
    if isinstance(seed, np.random.Generator):
        # A number, so that metrics of every reference see the same draws.
        seed = int(seed.integers(2**32))
    families: dict[Any, dict[Hashable, Any]] = {}
    for name, metric in metrics.items():
        family = id(getattr(metric, "reference", None)) if isinstance(metric, Metric) else "host"
        families.setdefault(family, {})[name] = metric
    scores: dict[Hashable, list[SliceScores]] = {}
    notes: list[str] = []
    for members in families.values():
        whole = _evaluation(sliced, list(members.values()), lists)
        notes += whole.notes
        scores |= _scores(sliced, members, whole, n_boot, seed)
    n_controls = len(sliced.controls)
    first = next(iter(scores.values()))
    data = FrameData(
        control_names=sliced.control_names,
        sensitive_names=sliced.group_names or sliced.attribute_names,
        control_levels=sliced.controls,
        combinations=sliced.combinations([part.evaluation for part in first[:n_controls]]),
        notes=notes,
    )
    for name, metric in metrics.items():
        for i, (key, part) in enumerate(zip(sliced.keys, scores[name], strict=True)):
            if isinstance(part.scored, Bound):
                _add_result(data, name, key, part.scored, part.draws, quantiles, i < n_controls)
        controls, parts = scores[name][:n_controls], scores[name][n_controls:]
        overall = [part.value() for part in controls]
        groups = [part.value() for part in parts]
        if not sliced.group_names:
            groups = [track for part in controls for track in part.by_group()]
        if isinstance(metric, Metric):
            signed = not isinstance(metric, MultiAttributeBiasAmplification)
        else:
            signed = any(track.value < 0 for track in (*overall, *groups))
        data.columns.append(FrameColumn(name, overall, groups, signed))
        data.notes.extend(_gaps(data, data.columns[-1], quantiles))
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
    seed: RandomState,
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
        draws = replicate(scored, whole, n_boot, seed, sliced.source(evaluations))
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
) -> Bound | HostMetric | None:
    """A metric on one slice; None where it can say nothing of it."""
    model = evaluation.counts.first_model
    if not isinstance(metric, Metric):
        return HostMetric(evaluation=evaluation, model=model, name=str(name), function=metric)
    if not _has_groups(metric, evaluation):
        return None
    return replace(metric.bind(evaluation, model), by_group=by_group)


def _has_groups(metric: Metric, evaluation: Evaluation) -> bool:
    """Whether a metric can say something of a slice: its attribute varies, or is compared."""
    counts = evaluation.counts
    if not counts.tables().total > 0:
        return False
    compared = evaluation.reference is not None or evaluation.base_rates is not None
    if compared and isinstance(metric, ReferencedMetric):
        return True
    return not counts.one_each(Role.ATTRIBUTE) or len(counts.seen(Role.ATTRIBUTE)) > 1


def _add_result(
    data: FrameData,
    name: Hashable,
    key: tuple[Any, ...],
    bound: Bound,
    draws: Mapping[str, Array] | None,
    quantiles: Sequence[float] | None,
    is_control: bool,
) -> None:
    """Add what is to be said of a metric in a slice and, of a control level, its result."""
    where = f"{name} in {listing([key])}" if key else f"{name}"
    data.notes.extend(f"{where}: {note}" for note in bound.notes)
    if not is_control:
        return
    confidence = (outer_level(quantiles) if quantiles else 0) or _CONFIDENCE
    result = bound.result(draws, confidence)
    level = key[0] if len(key) == 1 else key
    data.results[(name, level) if key else name] = result
    data.remarks.extend(f"{where}: {remark}" for remark in _remarks(bound, result))


def _remarks(bound: Bound, result: AmplificationResult) -> Iterator[str]:
    """What a value should be read with, though nothing is wrong with it."""
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
    for key, track in zip(keys, [*column.overall, *column.groups], strict=True):
        if np.isnan(track.value):
            what, reason = "undefined", track.reason
        else:
            what, reason = "no interval", track.doubt(quantiles) if quantiles else None
        if reason:
            reasons.setdefault(f"{what}: {reason}", []).append(key)
    for reason, places in reasons.items():
        levels = [key for key in places if key]
        named = ["all rows"] * (len(levels) < len(places)) + [listing(levels)] * bool(levels)
        yield f"{column.name}, {', '.join(named)}: {reason}"
