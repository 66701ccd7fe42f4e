"""Bootstrap replicates: scores of drawn rows, by the same formula as those of the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from biasamp_adapters.counting.labels import Array
from biasamp_adapters.counting.margins import Margins
from biasamp_adapters.counting.partition import Partition
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.progress import watch

#: Numbers that the margins of a batch of replicates may hold.
_BATCH = 2**21

#: Streams of random numbers that no data are made with: rows drawn by ``default_rng(0)`` and
#: replicates of the seed 0 would else share their numbers.
_DRAWS, FLIPS = 5_364_121_094, 5_364_121_095


class Scored(Protocol):
    """A metric of one model that is fixed on the data."""

    @property
    def model(self) -> str | None:
        """Whose predictions are scored."""

    @property
    def width(self) -> int:
        """Numbers that one replicate takes, about."""

    @property
    def n_pairs(self) -> int:
        """Pairs of a group and a class that have rows enough to matter."""

    def score(
        self, margins: Margins, origin: Margins | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Return named scores of a batch."""


def read_seed(random_state: Any) -> int:
    """Return a seed: a whole number itself, else one that is drawn; None is a fresh one."""
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    raise ValueError(
        "random_state must be a whole number from 0 on, None or a numpy Generator; "
        f"received {random_state!r:.60}"
    )


def generator(stream: int, seed: int) -> np.random.Generator:
    """Return the random numbers of a seed in a stream."""
    return np.random.default_rng([stream, seed])


class Replicates(NamedTuple):
    """Scores of drawn rows, for each measurement, and a note on what was drawn."""

    scores: list[dict[str, Array]]
    note: str


def replicate(
    measurements: Sequence[Scored], rows: Rows, reference: Rows | None, n_boot: int, seed: int
) -> Replicates:
    """Return the scores of all measurements on the same drawn rows.

    Those of one model share its margins, and all flip labels by the same random numbers. A
    reference is drawn independently.
    """
    n_pairs = max(measurement.n_pairs for measurement in measurements)
    rng, data = generator(_DRAWS, seed), Partition.to_draw(rows, n_pairs)
    drawn_reference = None if reference is None else Partition.to_draw(reference, n_pairs)
    widest = max(len(data.times), *(measurement.width for measurement in measurements))
    batches: list[list[dict[str, Array]]] = [[] for _ in measurements]
    sizes = _batch_sizes(n_boot, _BATCH // widest)
    draws = _draw_margins(data, drawn_reference, measurements, sizes, rng)
    n_steps = len(sizes) * len(measurements)
    for i, margins, origin, seed_of_flips in watch(
        draws, n_steps, "replicates", "a smaller n_boot"
    ):
        flips = generator(FLIPS, seed_of_flips)
        batches[i].append(measurements[i].score(margins, origin, flips))
    return Replicates([_join(scores) for scores in batches], data.note)


def _draw_margins(
    data: Partition,
    reference: Partition | None,
    measurements: Sequence[Scored],
    sizes: Sequence[int],
    rng: np.random.Generator,
) -> Iterator[tuple[int, Margins, Margins | None, int]]:
    """Yield drawn margins of data and reference for each measurement, and a seed of flips."""
    for size in sizes:
        seed_of_flips = int(rng.integers(2**32))
        truth, origin = Margins(data, None, data.draw(size, rng)), None
        if reference is not None:
            origin = Margins(reference, None, reference.draw(size, rng))
        margins = {m.model: truth.of_model(m.model) for m in measurements}
        for i, measurement in enumerate(measurements):
            yield i, margins[measurement.model], origin, seed_of_flips


def _batch_sizes(n_boot: int, most: int) -> list[int]:
    """Return the sizes of batches of replicates."""
    step = max(most, 1)
    return [min(step, n_boot - start) for start in range(0, n_boot, step)]


def _join(batches: Sequence[dict[str, Array]]) -> dict[str, Array]:
    return {name: np.concatenate([scores[name] for scores in batches]) for name in batches[0]}
