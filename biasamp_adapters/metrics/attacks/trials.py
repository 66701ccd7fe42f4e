"""Statistics of tables that are drawn several times, without all tables at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from biasamp_adapters._typing import Array


@dataclass(frozen=True, eq=False)
class Trials:
    """Statistics of batches of tables, by name.

    Attributes
    ----------
    tables : callable
        Gives an iterator of batches of tables, of shape (trials, ...).
    statistics : mapping of str to callable
        Each takes a batch of tables to an array of shape (trials, ...).
    fits : bool
        Whether there is a single batch that is small enough to be kept. Its statistics are computed
        when they are asked for. Otherwise all are computed as soon as one is, since no batch stays.
    """

    tables: Callable[[], Iterator[Array]]
    statistics: Mapping[str, Callable[[Array], Array]]
    fits: bool = True
    _known: dict[str, Array] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Array:
        """A statistic of all tables, of shape (trials, ...)."""
        if name not in self._known:
            if self.fits:
                self._known[name] = self.statistics[name](self._only)
            else:
                self._known.update(self._every())
        return self._known[name]

    @cached_property
    def _only(self) -> Array:
        (batch,) = self.tables()
        return batch

    def _every(self) -> dict[str, Array]:
        batches = [
            {name: statistic(batch) for name, statistic in self.statistics.items()}
            for batch in self.tables()
        ]
        return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}
