"""Replicates: scores of metrics on drawn tables, and on tables without one of the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np

from biasamp_adapters._progress import progress
from biasamp_adapters._shared import Shared
from biasamp_adapters._typing import Array, RandomState, generator
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.rules import SAMPLING_RULES, Sampling, first_reason
from biasamp_adapters.reference import Evaluation

K = TypeVar("K", bound=Hashable)

#: What a warning says of draws that will take minutes.
SHORTER = "fewer replicates (n_boot) take less time, and make intervals less precise"

#: A quantile takes about two microseconds; larger draws are not made from quantiles.
_MOST_QUANTILES = 2**18


class SharedDraws(np.random.Generator):
    """A generator whose binomial and multinomial draws are quantiles of uniform numbers.

    Each draw takes as many uniform numbers as it has entries, whatever its parameters. From the
    same seed, models that err nearly as often therefore flip nearly the same labels, and their
    difference has little of the noise of flips (common random numbers).

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int) -> None:
        super().__init__(np.random.PCG64(seed))

    def __reduce__(self) -> Any:
        # A copy would be a plain generator, whose binomial draws are others.
        raise TypeError("shared draws cannot be copied: they are made anew from their seed")

    def binomial(self, n: Any, p: Any) -> Array:  # type: ignore[override]  # nobody gives a size
        """Binomial numbers, in the shape that ``n`` and ``p`` broadcast to."""
        n, p = np.broadcast_arrays(n, p)
        if n.size > _MOST_QUANTILES:
            return np.asarray(super().binomial(n, p))
        from scipy.stats import binom

        uniform = self.random(n.shape)
        out = np.where(p >= 1, n, 0).astype(np.int64)
        uncertain = (n > 0) & (p > 0) & (p < 1)
        out[uncertain] = binom.ppf(uniform[uncertain], n[uncertain], p[uncertain])
        return out

    def multinomial(self, n: Any, pvals: Array) -> Array:  # type: ignore[override]
        """Multinomial numbers, in the shape of ``n`` with one more axis."""
        left, out, rest = np.asarray(n), [], 1.0
        for p in pvals[:-1]:
            out.append(self.binomial(left, min(p / rest, 1.0)))
            left, rest = left - out[-1], rest - p
        return np.stack([*out, left], axis=-1)


class BlockDraws(Shared):
    """What metrics draw for one block of tables, each from the same random numbers.

    What several metrics draw alike is therefore the same, and need be drawn only once.

    Parameters
    ----------
    seed : int
    several : bool
        Whether there are several models, whose flips shall differ little.
    """

    def __init__(self, seed: int = 0, *, several: bool = False) -> None:
        super().__init__()
        self._seed, self._several = seed, several

    def generator(self) -> np.random.Generator:
        """The random numbers, from the first one on."""
        return SharedDraws(self._seed) if self._several else np.random.default_rng(self._seed)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scored(ABC):
    """A quantity that is scored on tables drawn from an evaluation.

    Attributes
    ----------
    evaluation : Evaluation
        Counts and reference.
    model : str
        The model whose predictions are read.
    """

    evaluation: Evaluation
    model: str

    def __getstate__(self) -> dict[str, Any]:
        """The fields; what was computed from them is computed again where it is needed."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    #: Whether replicates read values, not only signs, from a reference of its own.
    reads_reference = False

    #: Whether replicates read label sets.
    reads_sets = False

    @property
    def sampling(self) -> Sampling:
        """What has to be drawn for replicates."""
        reference = self.evaluation.reference if self.reads_reference else None
        no_reference = None if reference is None else reference.no_draws
        return Sampling(no_draws=self.evaluation.counts.no_draws, no_reference=no_reference)

    @property
    def no_interval(self) -> str | None:
        """Reason why no interval is available, or None."""
        return first_reason(SAMPLING_RULES, self.sampling)

    @property
    @abstractmethod
    def width(self) -> int:
        """Numbers that one replicate takes."""

    @abstractmethod
    def scores(
        self, tables: Tables, reference: Tables | None, draws: BlockDraws
    ) -> dict[str, Array]:
        """Named scores, each of shape (..., *) for tables of batch shape (...)."""

    def point(self) -> dict[str, Any]:
        """The same scores for the counts themselves."""
        return self.smooth(self.evaluation.counts.tables(self.model), None)

    def smooth(self, tables: Tables, reference: Tables | None) -> dict[str, Array]:
        """The scores of tables with nothing drawn at random: what the jackknife compares."""
        return self.scores(tables, reference, BlockDraws())


def replicate(
    metrics: Mapping[K, Scored],
    evaluation: Evaluation,
    n_boot: int,
    random_state: RandomState,
    source: Counts | None = None,
) -> dict[K, dict[str, Array]]:
    """Scores of all metrics on the same drawn tables.

    A reference that is a sample of its own is drawn independently, and only where a metric reads
    values from it. Metrics that allow no interval are left out. Without a ``source``, tables are
    drawn from the counts of the evaluation. Several models share their random flips.
    """
    metrics = {key: metric for key, metric in metrics.items() if metric.no_interval is None}
    if not metrics:
        return {}
    table_rng, reference_rng, flip_rng = generator(random_state).spawn(3)
    counts, reference = source or evaluation.counts, evaluation.reference
    if not any(metric.reads_reference for metric in metrics.values()):
        reference = None
    if not any(metric.reads_sets for metric in metrics.values()):
        counts = counts.without_sets
    block = counts.replicates_at_once(max((metric.width for metric in metrics.values()), default=1))
    if reference is not None:
        block = min(block, reference.replicates_at_once(1))
    references = None if reference is None else reference.draw(n_boot, reference_rng, block)
    scores: dict[K, dict[str, Array]] = {key: {} for key in metrics}
    n_drawn = 0
    several = len({metric.model for metric in metrics.values()}) > 1
    drawn_tables = ((len(tables), tables) for tables in counts.draw(n_boot, table_rng, block))
    for tables in progress(drawn_tables, n_boot, "Drawing tables", SHORTER):
        drawn = None if references is None else next(references)
        flips = BlockDraws(int(flip_rng.integers(2**63)), several=several)
        for key, metric in metrics.items():
            of_metric = metric.evaluation.counts.drawn(tables).for_model(metric.model)
            _put(metric.scores(of_metric, drawn, flips), scores[key], n_drawn, n_boot)
        n_drawn += len(tables)
    return scores


def _put(block: dict[str, Array], scores: dict[str, Array], start: int, n_boot: int) -> None:
    """Write the scores of a block of replicates into those of all, from ``start`` on.

    Those of many pairs are too large to be held twice, in blocks and as a whole.
    """
    for name, score in block.items():
        whole = (n_boot, *score.shape[1:])
        out = scores.setdefault(name, np.empty(whole, dtype=score.dtype))
        out[start : start + len(score)] = score


def accelerations(metrics: Sequence[Scored], factors: Sequence[int]) -> dict[str, float | str]:
    """Accelerations of BCa for a linear combination of the scores of metrics of the same rows.

    A reference whose values are read is a sample too, of which each row is left out in turn.
    """
    first = metrics[0].evaluation
    samples = [first.counts]
    if first.reference is not None and any(metric.reads_reference for metric in metrics):
        samples.append(first.reference)
    reason = next(filter(None, (sample.no_jackknife for sample in samples)), None)
    if reason:
        return dict.fromkeys(metrics[0].point(), reason)
    parts: list[dict[str, Array]] = []
    rows: list[Array] = []
    for sample in samples:
        for tables, n in sample.without_one(max(metric.width for metric in metrics)):
            scores = [
                metric.smooth(tables.for_model(metric.model), None)
                if sample is first.counts
                else metric.smooth(metric.evaluation.counts.tables(metric.model), tables)
                for metric in metrics
            ]
            names = [name for name, score in scores[0].items() if np.ndim(score) < 2]
            combined = {
                name: np.dot(factors, [np.broadcast_to(score[name], len(n)) for score in scores])
                for name in names
            }
            parts.append(combined)
            rows.append(n)
    weights = np.concatenate(rows)
    return {
        name: acceleration_of(np.concatenate([part[name] for part in parts]), weights)
        for name in parts[0]
    }


def acceleration_of(scores: Array, n: Array) -> float | str:
    """Acceleration of BCa from the jackknife, or why it is not known.

    Parameters
    ----------
    scores : array of shape (kinds,)
        The score without one row of each kind.
    n : array of shape (kinds,)
        Rows of each kind.
    """
    if not np.isfinite(scores).all():
        return "without one of the rows it is undefined, and BCa leaves out each"
    gap = np.average(scores, weights=n) - scores
    spread = float((n * gap**2).sum())
    return 0.0 if spread == 0 else float((n * gap**3).sum() / (6 * spread**1.5))
