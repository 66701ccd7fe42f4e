"""Bootstrap replicates: scores of drawn rows, by the same formula as those of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import ALL, ATTRIBUTE, TASK, Array, listing, name_list
from biasamp_adapters.counting.margins import Margins, margins_of_data
from biasamp_adapters.counting.partition import Partition
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.figures import agree
from biasamp_adapters.progress import watch

#: Numbers that the margins of a batch of replicates may hold.
_BATCH = 2**21

#: Numbers that all replicates of labels may hold together if nobody chose how many there are, and
#: the fewest replicates that lie outside of an interval.
_MOST_NUMBERS, _FEWEST_OUTSIDE = 2**28, 10

#: Intervals that rest on a group with rows in fewer clusters may be too narrow.
_ENOUGH_CLUSTERS = 60

#: Streams of random numbers that no data are made with: rows drawn by ``default_rng(0)`` and
#: replicates of the seed 0 would else share their numbers.
_DRAWS, FLIPS = 5_364_121_094, 5_364_121_095


class UsualNumber(int):
    """The number of replicates where nobody chose it: wide tables may have fewer."""


N_BOOT = UsualNumber(2000)


@dataclass(frozen=True, eq=False)
class FurtherScores:
    """Further scores of a model, which are drawn with its metrics, on the same rows.

    Attributes
    ----------
    evaluation : Evaluation
    model : str or None
    scores : function of Margins
        Returns named scores of a batch, (batch, ...).
    reason_not_to_draw : str
    width, n_pairs : int
        As those of a Measurement.
    """

    evaluation: Any
    model: str | None
    scores: Callable[[Margins], dict[str, Array]]
    reason_not_to_draw: str = ""
    width: int = 0
    n_pairs: int = 0
    reads_reference: ClassVar[bool] = False

    def score(self, margins: Margins, origin: Any = None, rng: Any = None) -> dict[str, Array]:
        """Return the scores of a batch."""
        return self.scores(margins)

    def with_draws(self, margins: Margins, drawn: Mapping[Any, Any]) -> dict[str, Array]:
        """Return the scores of the data, and those of replicates, if there are any, after them."""
        point, draws = self.scores(margins), drawn.get(self)
        return {name: np.concatenate([x, draws[name]]) if draws else x for name, x in point.items()}


def replicates_of(n_boot: int, measurements: Sequence[Any], confidence: float) -> int:
    """Return how many replicates are drawn: what was chosen or, of wide tables, fewer."""
    is_matrix = measurements[0].evaluation.rows.is_matrix(TASK)
    if is_matrix or not isinstance(n_boot, UsualNumber):
        return n_boot
    n_models = len({m.model for m in measurements})
    affordable = _MOST_NUMBERS // (n_models * max(m.width for m in measurements))
    return min(n_boot, max(affordable, round(_FEWEST_OUTSIDE / (1 - confidence))))


def read_seed(random_state: Any) -> int:
    """Return a seed: a whole number itself, else one that is drawn; None is a fresh one."""
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    rule = "random_state must be a whole number from 0 on, None or a numpy Generator"
    raise ValueError(f"{rule}; received {listing([random_state])}")


def generator(stream: int, seed: int) -> np.random.Generator:
    """Return the random numbers of a seed in a stream."""
    return np.random.default_rng([stream, seed])


def _score(measurement: Any, *draw: Any) -> dict[str, Array]:
    """Return the scores of a measurement on a batch of draws."""
    scores: dict[str, Array] = measurement.score(*draw)
    return scores


def replicate(
    measurements: Iterable[Any],
    n_boot: int,
    seed: int,
    score: Callable[..., dict[str, Array]] = _score,
) -> tuple[dict[Any, dict[str, Array]], list[str]]:
    """Return the scores of the measurements that can be drawn, and notes on how their rows are.

    Those on the same rows share the draws. Those of one model share its margins, and all flip
    labels by the same random numbers. A reference is drawn independently. Measurements of strata
    read some of the drawn rows. ``score`` may add others to their scores.
    """
    by_rows: dict[Rows, list[Any]] = {}
    for m in measurements:
        if n_boot and not m.reason_not_to_draw:
            by_rows.setdefault(m.evaluation.drawn, []).append(m)
    scores, notes = dict[Any, dict[str, Array]](), []
    for rows, measurements in by_rows.items():
        n_pairs = max(measurement.n_pairs for measurement in measurements)
        data = Partition.to_draw(rows, n_pairs)
        reference = next((m.evaluation.reference for m in measurements if m.reads_reference), None)
        origin = None if reference is None else Partition.to_draw(reference, n_pairs)
        widest = max(len(data.times), *(measurement.width for measurement in measurements))
        step, n = max(_BATCH // widest, 1), len(measurements)
        sizes = [min(step, n_boot - start) for start in range(0, n_boot, step)]
        rng = generator(_DRAWS, seed)
        batches = _score_batches(measurements, data, origin, sizes, rng, score)
        drawn = list(watch(batches, len(sizes) * n, "replicates", "a smaller n_boot"))
        scores |= {m: _join(drawn[i::n]) for i, m in enumerate(measurements)}
        notes += [data.note, _note_on_clusters(rows)]
    return scores, notes


def _note_on_clusters(rows: Rows) -> str:
    """Return which groups have rows in few clusters; an empty text if none have."""
    if rows.size_unit != "clusters" or not rows.has(ATTRIBUTE):
        return ""
    n = margins_of_data(rows).sizes(ATTRIBUTE, ALL)[0, :, 0].tolist()
    labels = rows.group_labels
    few = [label for label, k in zip(labels, n, strict=True) if 0 < k < _ENOUGH_CLUSTERS]
    names = name_list(few, labels)
    return agree(len(few), *words.FEW_CLUSTERS).format(names=names) if few else ""


def _score_batches(
    measurements: Sequence[Any],
    data: Partition,
    reference: Partition | None,
    sizes: Sequence[int],
    rng: np.random.Generator,
    score: Callable[..., dict[str, Array]],
) -> Iterator[dict[str, Array]]:
    """Yield the scores of each measurement on one batch of draws after the other."""
    keys = [(m.evaluation.stratum, m.model) for m in measurements]
    strata = {stratum: data.stratum(stratum) for stratum, _ in keys}
    for size in sizes:
        seed_of_flips = int(rng.integers(2**32))
        times, origin = data.draw(size, rng), None
        if reference is not None:
            origin = Margins(reference, None, reference.draw(size, rng))
        truth = {stratum: Margins(part, None, times) for stratum, part in strata.items()}
        margins = {key: truth[key[0]].of_model(key[1]) for key in keys}
        for key, m in zip(keys, measurements, strict=True):
            yield score(m, margins[key], origin, generator(FLIPS, seed_of_flips))


def _join(batches: Sequence[dict[str, Array]]) -> dict[str, Array]:
    return {name: np.concatenate([scores[name] for scores in batches]) for name in batches[0]}
