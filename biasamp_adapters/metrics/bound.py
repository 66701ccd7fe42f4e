"""A metric bound to counts: all that is fixed before any table is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from biasamp_adapters._progress import progress
from biasamp_adapters._typing import Array, Label, RandomState, generator
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.metrics.equalize import SharedDraws
from biasamp_adapters.metrics.jackknife import accelerations
from biasamp_adapters.metrics.means import mean_over_tasks
from biasamp_adapters.metrics.result import AmplificationResult
from biasamp_adapters.metrics.track import Track
from biasamp_adapters.reference import Evaluation
from biasamp_adapters.uncertainty import (
    Interval,
    IntervalMethod,
    joined,
)

K = TypeVar("K", bound=Hashable)

A_TO_T, T_TO_A, UNDIRECTED = "A->T", "T->A", "undirected"

_DIRECTIONS = {
    "attribute_to_task": A_TO_T,
    "a->t": A_TO_T,
    "task_to_attribute": T_TO_A,
    "t->a": T_TO_A,
    "undirected": UNDIRECTED,
}


def as_arrow(direction: object) -> str | None:
    """The short form of a direction in any case, with an arrow of one or two characters."""
    if not isinstance(direction, str):
        return None
    return _DIRECTIONS.get(direction.replace("\u2192", "->").lower())


def arrow(direction: str, *, undirected: bool = False) -> str:
    """The short form of a direction.

    Raises
    ------
    ValueError
        If there is no such direction.
    """
    short = as_arrow(direction)
    if short is None or (short == UNDIRECTED and not undirected):
        allowed = "'attribute_to_task' (A->T) or 'task_to_attribute' (T->A)"
        allowed += ", or 'undirected'" if undirected else ""
        raise ValueError(f"direction must be {allowed}; received {direction!r}")
    return short


def require(evaluation: Evaluation, model: str, direction: str) -> None:
    """Raise unless the counts hold what a metric reads in ``direction``."""
    counts = evaluation.counts
    if direction == T_TO_A and not counts.has("attribute_prediction", model):
        raise ValueError(
            "T->A needs the predicted attribute: sensitive_features_pred must be given; "
            "received None"
        )
    if direction != T_TO_A and not counts.has("prediction", model):
        raise ValueError(f"{direction} needs predictions: y_pred must be given; received None")
    without_truth = evaluation.base_rates is not None and direction == A_TO_T
    if not (counts.has("task") or direction == UNDIRECTED or without_truth):
        raise ValueError(f"y_true must be given ({direction} needs the truth); received None")
    without_attribute = evaluation.base_rates is not None and direction == T_TO_A
    named = counts.has("attribute") or counts.has("attribute_prediction", model)
    if not (counts.has("attribute") or without_attribute or (direction == UNDIRECTED and named)):
        raise ValueError(f"{direction} needs the attribute: sensitive_features must be given")


@dataclass(frozen=True, eq=False, kw_only=True)
class Scored(ABC):
    """Something to score on tables drawn from an evaluation.

    Attributes
    ----------
    evaluation : Evaluation
        Counts and reference.
    model : str
        The model whose predictions are read.
    """

    evaluation: Evaluation
    model: str

    #: Whether replicates read values, not only signs, from a reference of its own.
    reads_reference = False

    @property
    def no_interval(self) -> str | None:
        """Why these counts allow no interval, if they do not."""
        reference = self.evaluation.reference
        if reference is not None and self.reads_reference and reference.no_draws:
            return f"of the reference, {reference.no_draws}"
        return self.evaluation.counts.no_draws

    @property
    @abstractmethod
    def width(self) -> int:
        """Numbers that one replicate takes."""

    @abstractmethod
    def scores(
        self, tables: Tables, reference: Tables | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Named scores, each of shape (..., *) for tables of batch shape (...)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Bound(Scored):
    """One metric on one model of an evaluation; its score is called "value".

    Attributes
    ----------
    metric : str
        Name of the metric.
    direction : str
    notes : tuple of str
        Caveats found while binding.
    by_group : bool
        Whether scores include "groups", the mean over the pairs of each group.
    """

    metric: str
    direction: str
    notes: tuple[str, ...] = ()
    by_group: bool = False

    def reestimating(self) -> Bound:
        """The same metric with directions found anew in each replicate, if it has directions."""
        return self

    @property
    def caveats(self) -> tuple[str, ...]:
        """What to say of the value: the notes, and what only its pairs show."""
        return self.notes

    @property
    def value(self) -> float:
        """The value for the counts themselves."""
        return float(self.point()["value"])

    @abstractmethod
    def point(self) -> dict[str, Any]:
        """The same scores for the counts themselves."""

    @abstractmethod
    def pairs(self) -> dict[str, Array]:
        """Columns of the table of pairs, each of shape (groups, tasks)."""

    @property
    def recipe(self) -> dict[str, str]:
        """How the value is computed, in words, where that is not said by the metric's name."""
        return {}

    @property
    def only_class(self) -> Label | None:
        """The one class that is looked at, if it is one of several classes."""
        return None

    def trials(self) -> dict[str, Array]:
        """The scores of the trials that the value is a mean of, each (trials, *), if it is one."""
        return {}

    def group_means(self) -> Array:
        """Mean over the defined pairs of each group, of shape (groups,)."""
        pairs = self.pairs()
        return mean_over_tasks(pairs["contribution" if "contribution" in pairs else "value"])

    def settled(
        self,
        name: str,
        value: float,
        replicates: Array,
        method: IntervalMethod = "percentile",
    ) -> tuple[Array, str | None]:
        """Replicates as an interval around ``value`` reads them, or why they say nothing of it."""
        return replicates, None

    def settled_group(self, value: float, replicates: Array) -> tuple[Array, str | None]:
        """The same for the mean over the pairs of a group."""
        return replicates, None

    def margin(self, name: str) -> tuple[float, float]:
        """By how much an interval must reach further down and up than replicates do."""
        return 0.0, 0.0

    def limits(self, name: str) -> Interval:
        """The range of a score."""
        return -np.inf, np.inf

    def noise(self, name: str) -> float:
        """How far a score may be from what it estimates, for want of draws."""
        return 0.0

    def track(
        self,
        name: str,
        value: float,
        replicates: Array | None,
        method: IntervalMethod = "percentile",
    ) -> Track:
        """A score with its replicates, as an interval around it reads them."""
        if replicates is None:
            return Track(value)
        settled, reason = self.settled(name, value, replicates, method)
        return Track(value, settled, reason, self.margin(name), self.limits(name), self.noise(name))

    def smooth(self, tables: Tables, reference: Tables | None) -> dict[str, Array]:
        """The scores of tables with nothing drawn at random: what the jackknife compares."""
        return self.scores(tables, reference, np.random.default_rng(0))

    @abstractmethod
    def pair_labels(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Groups and tasks of the table of pairs."""

    def result(
        self,
        replicates: Mapping[str, Array] | None,
        confidence: float,
        method: IntervalMethod = "percentile",
    ) -> AmplificationResult:
        """The result, with intervals from ``replicates`` if there are any."""
        point = {name: x for name, x in self.point().items() if name not in ("pairs", "groups")}
        notes, reason = list(self.caveats), None if replicates is None else self.no_interval
        drawn = {} if replicates is None or reason else replicates
        skewed = accelerations([self], [1]) if method == "bca" and drawn else {}
        estimates = {}
        for name, value in point.items():
            track = self.track(name, value, drawn.get(name), method)
            if reason:
                track = Track(value, reason=reason)
            # Levels come mirrored already, which the other methods would undo.
            once: IntervalMethod = "percentile" if name.startswith("psi") else method
            estimates[name] = track.estimate(confidence, once, skewed.get(name, 0.0))
        value = estimates["value"]
        if replicates is not None and value.reason:
            notes.append(f"no interval: {value.reason}")
        elif undefined := int(np.isnan(drawn.get("value", np.zeros(0))).sum()):
            notes.append(f"{undefined} undefined bootstrap replicates are left out of the interval")
        return AmplificationResult(
            metric=self.metric,
            direction=self.direction,
            value=value.value,
            n=self.evaluation.counts.n_rows,
            interval=value.interval,
            confidence=confidence,
            baseline=estimates.get("random_error"),
            spread=estimates.get("variance"),
            levels={name: estimates[name] for name in estimates if name.startswith("psi")},
            n_boot=len(drawn.get("value", ())),
            notes=tuple(notes),
            bound=self,
        )


def replicate(
    bounds: Mapping[K, Scored],
    evaluation: Evaluation,
    n_boot: int,
    random_state: RandomState,
    source: Counts | None = None,
) -> dict[K, dict[str, Array]]:
    """Scores of all bound metrics on the same drawn tables.

    A reference that is a sample of its own is drawn independently, and only where a metric reads
    values from it. Metrics that allow no interval are left out. Without a ``source``, tables are
    drawn from the counts of the evaluation. Several models share their random flips.
    """
    bounds = {key: bound for key, bound in bounds.items() if bound.no_interval is None}
    if not bounds:
        return {}
    table_rng, reference_rng, flip_rng = generator(random_state).spawn(3)
    counts, reference = source or evaluation.counts, evaluation.reference
    if not any(bound.reads_reference for bound in bounds.values()):
        reference = None
    block = counts.replicates_at_once(max((bound.width for bound in bounds.values()), default=1))
    if reference is not None:
        block = min(block, reference.replicates_at_once(1))
    references = None if reference is None else reference.draw(n_boot, reference_rng, block)
    blocks: dict[K, list[dict[str, Array]]] = {key: [] for key in bounds}
    several = len({bound.model for bound in bounds.values()}) > 1
    drawn_tables = ((len(each), each) for each in counts.draw(n_boot, table_rng, block))
    for tables in progress(drawn_tables, n_boot, "Drawing tables"):
        drawn = None if references is None else next(references)
        seed = int(flip_rng.integers(2**63))
        for key, bound in bounds.items():
            own = bound.evaluation.counts.drawn(tables).for_model(bound.model)
            flips: Any = SharedDraws(seed) if several else np.random.default_rng(seed)
            scores = bound.scores(own, drawn, flips)
            blocks[key].append(scores)
    return {key: joined(parts) for key, parts in blocks.items()}
