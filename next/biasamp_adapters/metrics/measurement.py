"""A metric of one model on the data, with all that no draw changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import ATTRIBUTE, TASK, Array, Label, name_list
from biasamp_adapters.counting.margins import Margins
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.inference.intervals import FEW_ROWS, Estimate, Trust, estimate

#: Fewer clusters do not tell how much clusters differ.
_FEWEST_CLUSTERS = 8


@dataclass(frozen=True, eq=False, kw_only=True)
class Measurement(ABC):
    """A metric of one model, with all that no draw changes.

    Attributes
    ----------
    metric : Metric
    evaluation : Evaluation
    model : str or None
    margins, origin : Margins
        Those of the data, and of what decides the signs.
    """

    metric: Any
    evaluation: Evaluation
    model: str | None
    margins: Margins
    origin: Margins

    @property
    def is_ratio(self) -> bool:
        """Whether the value is a relative change, which a difference must not be compared with."""
        return False

    @property
    def half_row(self) -> float:
        """Half a row of the smallest group that is compared, which widens bands of differences."""
        return 0.0

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats on the value."""
        return ()

    @property
    def further_notes(self) -> tuple[str, ...]:
        """Notes that results have, and of which a call for a float does not warn."""
        return ()

    @property
    def reads_reference(self) -> bool:
        """Whether scores read the reference, which is then drawn too."""
        return False

    @property
    def value(self) -> float:
        """The value of the data."""
        return self.point()["value"]

    @abstractmethod
    def point(self) -> dict[str, float]:
        """Return the scores of the data."""

    @abstractmethod
    def score(
        self, margins: Margins, origin: Margins | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Return named scores of a batch, each of shape (batch,)."""

    @abstractmethod
    def pairs(self) -> dict[str, Array]:
        """Return scores of each pair, (groups, classes)."""

    @property
    def pair_labels(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Groups and classes."""
        return self.evaluation.rows.group_labels, self.evaluation.rows.class_labels

    @property
    def width(self) -> int:
        """Numbers that one replicate takes, about."""
        rows = self.evaluation.rows
        n_classes, n_groups = len(rows.class_labels), len(rows.group_labels)
        confusion = 0 if rows.is_matrix(TASK) else max(n_classes, n_groups) ** 2
        return 4 * n_groups * max(n_classes, n_groups) + confusion

    @property
    def n_pairs(self) -> int:
        """Pairs of a group and a class that have rows enough to matter."""
        if not (self.margins.has(TASK) and self.margins.has(ATTRIBUTE)):
            groups, classes = self.pair_labels
            return len(groups) * len(classes)
        return int((self.margins.joint(ATTRIBUTE, TASK) >= FEW_ROWS).sum())

    def trust(self, name: str, value: float, scores: Mapping[str, Array]) -> Trust:
        """Return what is known of a score in addition to its replicates."""
        return Trust(scores[name])

    @property
    def reason_not_to_draw(self) -> str:
        """Why no replicates can be drawn; empty if they can."""
        rows = self.evaluation.rows
        if rows.undrawn:
            return words.ONE_SUM.format(names=name_list(rows.undrawn))
        if rows.n_clusters is None or rows.n_clusters >= _FEWEST_CLUSTERS:
            return ""
        if rows.block_sums is not None:
            return words.ONE_SUM.format(names="all rows")
        return words.FEW_CLUSTERS_IN_ALL.format(n=rows.n_clusters, fewest=_FEWEST_CLUSTERS)

    def estimates(self, scores: Mapping[str, Array], confidence: float) -> dict[str, Estimate]:
        """Return the scores of the data with their intervals, or why they have none."""
        point = self.point()
        if not scores:
            reason = self.reason_not_to_draw or words.NOT_REQUESTED
            return {name: Estimate(value, reason=reason) for name, value in point.items()}
        return {
            name: estimate(value, self.trust(name, value, scores), confidence)
            for name, value in point.items()
        }
