"""One metric, measured on one model: all that is fixed before any table is drawn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import show
from biasamp_adapters.inference.estimates import UNLIMITED, Estimate, Interval, Replicated
from biasamp_adapters.inference.replicates import Scored
from biasamp_adapters.inference.rules import Evidence
from biasamp_adapters.metrics.facts import Facts
from biasamp_adapters.metrics.means import mean_over_tasks

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


@dataclass(frozen=True, eq=False, kw_only=True)
class Measurement(Scored):
    """One metric, measured on one model of an evaluation; its score is called "value".

    Attributes
    ----------
    metric : str
        Name of the metric.
    direction : str
    notes : tuple of str
        Caveats found while measuring.
    by_group : bool
        Whether scores include "groups", the mean over the pairs of each group.
    difference : bool or array of bool
        Whether DPA is given as a difference because its ratio would be one of noise.
    """

    metric: str
    direction: str
    notes: tuple[str, ...] = ()
    by_group: bool = False
    difference: Array | bool = False

    def reestimating(self) -> Measurement:
        """The same metric with directions found anew in each replicate, if it has directions."""
        return self

    @property
    def zero_by_construction(self) -> bool:
        """Whether the value is 0 whatever the model does, as with a balanced reference."""
        return False

    @property
    def caveats(self) -> tuple[str, ...]:
        """The notes, and the caveats that follow from the pairs."""
        return self.notes

    @property
    def value(self) -> float:
        """The value for the counts themselves."""
        return float(self.point()["value"])

    @abstractmethod
    def pairs(self) -> dict[str, Array]:
        """Columns of the table of pairs, each of shape (groups, tasks)."""

    @property
    def recipe(self) -> dict[str, str]:
        """How the value is computed, in words, as far as the name of the metric does not tell."""
        return {}

    @property
    def only_class(self) -> Label | None:
        """The only class that is evaluated, if there are several."""
        return None

    def trials(self) -> dict[str, Array]:
        """Scores of the trials that the value averages, each (trials, *); empty if none."""
        return {}

    def group_means(self) -> Array:
        """Mean over the defined pairs of each group, of shape (groups,)."""
        pairs = self.pairs()
        return mean_over_tasks(pairs["contribution" if "contribution" in pairs else "value"])

    def limits(self, name: str) -> Interval:
        """The range of a score."""
        return UNLIMITED

    def evidence(
        self, name: str, value: float, drawn: Mapping[str, Array] = MappingProxyType({})
    ) -> Evidence:
        """What is known of a score, or of "groups", the mean over the pairs of one group.

        ``drawn`` has the replicates of this score and, with suffixes, of others that tell of it.
        """
        return Evidence()

    def behaviour(
        self,
        estimates: Mapping[str, Estimate],
        replicates: Mapping[str, Array],
        confidence: float,
    ) -> dict[str, Estimate]:
        """The estimates that a verdict reads; empty for metrics without one."""
        return {}

    def facts(self, behaviour: Mapping[str, Estimate]) -> Facts | None:
        """What the verdict is judged by; None for metrics without one."""
        return None

    def replicated(
        self,
        name: str,
        value: float,
        drawn: Mapping[str, Array],
    ) -> Replicated:
        """A score with its replicates, prepared for an interval."""
        if name not in drawn:
            return Replicated(value)
        return Replicated.read(value, drawn[name], self.evidence(name, value, drawn))

    @abstractmethod
    def pair_labels(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Groups and tasks of the table of pairs."""

    def table_of_pairs(self) -> pd.DataFrame:
        """One row per pair: its group, its task and the columns of :meth:`pairs`.

        Crossed attributes have one label, as text, and a column each.
        """
        groups, tasks = self.pair_labels()
        names = self.evaluation.counts.attributes
        first, second = np.indices((len(groups), len(tasks))).reshape(2, -1)
        crossed = len(names) > 1
        columns: dict[str, Any] = {
            "attribute": [show(groups[i]) if crossed else groups[i] for i in first],
            "task": [tasks[i] for i in second],
        }
        columns |= {name: values.reshape(-1) for name, values in self.pairs().items()}
        if crossed:
            for j, name in enumerate(names):
                key = name if name not in columns else f"attribute:{name}"
                columns[key] = [groups[i][j] for i in first]
        return pd.DataFrame(columns)
