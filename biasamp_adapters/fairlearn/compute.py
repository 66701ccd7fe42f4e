"""What a frame shows, from counts: bind each metric to each slice, draw, and read off."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from biasamp_adapters._typing import Array, Label, RandomState
from biasamp_adapters.counts import JointCounts
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.fairlearn.columns import FrameColumn, Levels
from biasamp_adapters.fairlearn.host import HostMetric
from biasamp_adapters.fairlearn.sliced import Sliced, check_varies
from biasamp_adapters.metrics import AmplificationResult, MultiAttributeBiasAmplification
from biasamp_adapters.metrics.base import Metric, ReferencedMetric
from biasamp_adapters.metrics.bound import Bound, Scored, replicate
from biasamp_adapters.metrics.track import Track, outer_level
from biasamp_adapters.reference import Evaluation, align

#: Level of the intervals of results where the quantiles name none.
_CONFIDENCE = 0.95

_ONE_GROUP = "no two groups have rows with a weight there"

Lists: TypeAlias = tuple[Sequence[Label] | None, Sequence[Label] | None]

#: One metric in one slice.
Place: TypeAlias = tuple[Hashable, int]


@dataclass
class Computed:
    """The columns of a frame, with what is to be said of them: notes are warnings, remarks not."""

    columns: list[FrameColumn]
    levels: Levels
    results: dict[Any, AmplificationResult] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Family:
    """Metrics that share a reference: their evaluations, of control levels and then of parts."""

    evaluations: list[Evaluation]
    scored: dict[Place, Scored]
    draws: dict[Place, dict[str, Array]]


def compute(
    sliced: Sliced,
    metrics: Mapping[Hashable, Any],
    lists: Lists,
    n_boot: int,
    quantiles: Sequence[float] | None,
    seed: RandomState,
) -> Computed:
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
    families: dict[Any, list[Hashable]] = {}
    for name, metric in metrics.items():
        key = "host" if not isinstance(metric, Metric) else id(getattr(metric, "reference", None))
        families.setdefault(key, []).append(name)
    seed = _repeatable(seed)
    found: dict[Hashable, Family] = {}
    for names in families.values():
        members = {name: metrics[name] for name in names}
        found |= dict.fromkeys(names, _family(sliced, members, lists, n_boot, seed))
    reader = _Reader(sliced, found, n_boot, quantiles)
    columns = [reader.column(name, metric) for name, metric in metrics.items()]
    notes, remarks = (tuple(dict.fromkeys(each)) for each in (reader.notes, reader.remarks))
    return Computed(columns, reader.levels, reader.results, notes, remarks)


def _repeatable(seed: RandomState) -> RandomState:
    """A seed that gives every family the same draws."""
    return int(seed.integers(2**32)) if isinstance(seed, np.random.Generator) else seed


def _family(
    sliced: Sliced, metrics: Mapping[Hashable, Any], lists: Lists, n_boot: int, seed: RandomState
) -> Family:
    """Bind metrics of one reference to every slice, and draw."""
    first = next(iter(metrics.values()))
    model = sliced.whole.first_model
    if isinstance(first, Metric):
        whole = align(sliced.whole, getattr(first, "reference", None), *lists)
        for metric in metrics.values():
            whole = metric.prepare(whole)
    else:
        whole = Evaluation(sliced.whole)
    evaluations = _slice(sliced, whole)
    check_varies(sliced, evaluations[len(sliced.controls) if sliced.group_names else 0 :])
    scored: dict[Place, Scored] = {}
    for name, metric in metrics.items():
        for i, evaluation in enumerate(evaluations):
            if not isinstance(metric, Metric):
                scored[name, i] = HostMetric(
                    evaluation=evaluation, model=model, name=str(name), function=metric
                )
            elif _has_groups(metric, evaluation):
                bound = metric.bind(evaluation, model)
                scored[name, i] = replace(bound, by_group=not sliced.group_names)
    draws: dict[Place, dict[str, Array]] = {}
    if n_boot and scored:
        counts = [evaluation.counts for evaluation in evaluations]
        n_controls = len(sliced.controls)
        source = sliced.source(counts[:n_controls], counts[n_controls:] or counts)
        draws = replicate(scored, whole, n_boot, seed, source)
    return Family(evaluations, scored, draws)


def _slice(sliced: Sliced, whole: Evaluation) -> list[Evaluation]:
    """The evaluation of each control level and, where the frame is split by others, each part."""
    if len(sliced.parts) == 1 and not sliced.control_names and not sliced.group_names:
        return [whole]
    if not isinstance(whole.counts, JointCounts):
        raise ValueError(
            "slices by control_features or group_features need a reference of labels; received one "
            "of label matrices"
        )
    counts = [sliced.inside(control) for control in sliced.controls]
    if sliced.group_names:
        counts += [sliced.parts[key] for key in sliced.keys]
    lists = whole.counts.labels, whole.counts.groups
    return [
        whole if each is sliced.whole else replace(whole, counts=each.align(*lists))
        for each in counts
    ]


def _has_groups(metric: Metric, evaluation: Evaluation) -> bool:
    """Whether a metric can say something of a slice: its attribute varies, or is compared."""
    counts = evaluation.counts
    if not counts.tables().total > 0:
        return False
    compared = evaluation.reference is not None or evaluation.base_rates is not None
    if compared and isinstance(metric, ReferencedMetric):
        return True
    return not counts.one_each("attribute") or len(counts.seen("attribute")) > 1


class _Reader:
    """Reads the numbers of a frame off bound metrics and their replicates."""

    def __init__(
        self,
        sliced: Sliced,
        families: Mapping[Hashable, Family],
        n_boot: int,
        quantiles: Sequence[float] | None,
    ) -> None:
        self._sliced, self._families, self._n_boot = sliced, families, n_boot
        self._quantiles = quantiles
        self.results: dict[Any, AmplificationResult] = {}
        self.notes: list[str] = [
            note for family in families.values() for note in family.evaluations[0].notes
        ]
        self.remarks: list[str] = []
        first = next(iter(families.values())).evaluations
        self._controls = sliced.controls
        self.levels = Levels(
            sliced.control_names,
            sliced.group_names or sliced.attribute_names,
            self._controls,
            sliced.combinations(first[: len(self._controls)]),
        )

    def column(self, name: Hashable, metric: Any) -> FrameColumn:
        """One metric in all slices."""
        family, n_controls = self._families[name], len(self._controls)
        overall = [self._overall(name, i) for i in range(n_controls)]
        if self._sliced.group_names:
            parts = range(n_controls, n_controls + len(self._sliced.keys))
            groups = [self._value(family, (name, i)) for i in parts]
        else:
            groups = list(self._by_attribute(name))
        if isinstance(metric, Metric):
            signed = not isinstance(metric, MultiAttributeBiasAmplification)
        else:
            signed = any(track.value < 0 for track in (*overall, *groups))
        column = FrameColumn(name, overall, groups, signed)
        self._note(column)
        return column

    def _overall(self, name: Hashable, i: int) -> Track:
        family = self._families[name]
        scored = family.scored.get((name, i))
        if isinstance(scored, Bound):
            level = outer_level(self._quantiles) if self._quantiles else 0
            draws = family.draws.get((name, i), {}) if self._n_boot else None
            result = scored.result(draws, level or _CONFIDENCE)
            control = self._controls[i]
            place = control[0] if len(control) == 1 else control
            self.results[(name, place) if control else name] = result
            where = f" in {listing([control])}" if control else ""
            self.notes += [f"{name}{where}: {note}" for note in scored.notes]
            self.remarks += [f"{name}{where}: {remark}" for remark in _remarks(scored, result)]
        return self._value(family, (name, i))

    def _value(self, family: Family, place: Place) -> Track:
        """The metric inside one slice."""
        scored = family.scored.get(place)
        if isinstance(scored, Bound) and place[1] >= len(self._controls):
            where = listing([self._sliced.keys[place[1] - len(self._controls)]])
            self.notes += [f"{place[0]} in {where}: {note}" for note in scored.notes]
        if scored is None:
            return Track(float("nan"), None, _ONE_GROUP)
        value = float(_point(scored)["value"])
        drawn = family.draws.get(place, {}).get("value")
        if drawn is None or not isinstance(scored, Bound):
            return Track(value, drawn, self._reason(scored))
        return scored.track("value", value, drawn)

    def _reason(self, scored: Scored) -> str | None:
        return scored.no_interval if self._n_boot else None

    def _by_attribute(self, name: Hashable) -> Iterator[Track]:
        """What each group adds, in each control level."""
        family = self._families[name]
        for i, evaluation in enumerate(family.evaluations):
            counts, scored = evaluation.counts, family.scored.get((name, i))
            seen = counts.seen("attribute")
            means = None if scored is None else _point(scored)["groups"]
            drawn = family.draws.get((name, i), {}).get("groups")
            for g, group in enumerate(counts.groups):
                if group not in seen:
                    continue
                if scored is None or means is None:
                    yield Track(float("nan"), None, _ONE_GROUP)
                    continue
                value, replicates = float(means[g]), None if drawn is None else drawn[:, g]
                if replicates is None or not isinstance(scored, Bound):
                    yield Track(value, replicates, self._reason(scored))
                    continue
                settled, reason = scored.settled_group(value, replicates)
                yield Track(value, settled, reason, limits=scored.limits("value"))

    def _note(self, column: FrameColumn) -> None:
        """Say where a number is undefined or has no interval, and why."""
        tracks = [*zip(self._controls, column.overall, strict=True)]
        tracks += [*zip(self.levels.combinations, column.groups, strict=True)]
        reasons: dict[str, list[Any]] = {}
        for key, track in tracks:
            if np.isnan(track.value):
                what, reason = "undefined", track.reason
            elif self._quantiles is not None:
                what, reason = "no interval", track.doubt(self._quantiles)
            else:
                continue
            if reason:
                reasons.setdefault(f"{what}: {reason}", []).append(key)
        for reason, keys in reasons.items():
            self.notes.append(f"{column.name}, {_places(keys)}: {reason}")


def _places(keys: Sequence[Any]) -> str:
    """Slices for a message; the empty key is that of all rows."""
    named = [key for key in keys if key]
    return ", ".join(["all rows"] * (len(named) < len(keys)) + [listing(named)] * bool(named))


def _remarks(bound: Bound, result: AmplificationResult) -> Iterator[str]:
    """What a value should be read with, though nothing is wrong with it."""
    if result.baseline is not None:
        yield f"random errors of the same accuracy would give {result.baseline.text()}"
    pairs = bound.pairs()
    if "uncertain" in pairs and pairs["uncertain"].any():
        doubtful = pairs["uncertain"].sum()
        yield f"{doubtful} of {pairs['sign'].size} signs of the reference may be noise (|z| < 1.96)"


def _point(scored: Any) -> Mapping[str, Any]:
    """The value of the counts themselves, and the mean of each group."""
    if not isinstance(scored, Bound):
        return scored.point()
    return {"value": scored.point()["value"], "groups": scored.group_means()}
