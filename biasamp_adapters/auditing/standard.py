"""The fairness measures that stand beside bias amplification: rates by group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.metrics.bound import Scored
from biasamp_adapters.metrics.cooccurrence import rate

#: Measures of one task column, and the one of all columns together.
RATES = ("selection_rate", "true_positive_rate", "false_positive_rate")
ACCURACY = "accuracy"


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupRates(Scored):
    """Selection rate, TPR, FPR and accuracy of each group, and how far groups are apart.

    Attributes
    ----------
    columns : ndarray of int
        The task labels that are looked at as positives.
    """

    columns: Array

    @property
    def width(self) -> int:
        """Numbers that one replicate takes."""
        return 6 * len(self.evaluation.counts.groups) * len(self.evaluation.counts.labels)

    def rates(self, tables: Tables) -> dict[str, Array]:
        """Rates of shape (..., groups, columns); the accuracy of shape (..., groups, 1)."""
        truth = tables.joint("attribute", "task")
        predicted = tables.joint("attribute", "prediction")
        hits = tables.agreement("task", by_group=True)
        rows = tables.marginal("attribute")[..., :, None]
        out = {
            "selection_rate": rate(predicted, rows),
            "true_positive_rate": rate(hits, truth),
            "false_positive_rate": rate(predicted - hits, rows - truth),
        }
        out = {name: values[..., self.columns] for name, values in out.items()}
        return out | {ACCURACY: rate(hits.sum(axis=-1, keepdims=True), rows)}

    def scores(
        self, tables: Tables, reference: Tables | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Largest less smallest rate over groups, and the rates where one column is looked at."""
        out = {}
        for name, values in self.rates(tables).items():
            defined = ~np.isnan(values)
            high = np.where(defined, values, -np.inf).max(axis=-2)
            low = np.where(defined, values, np.inf).min(axis=-2)
            apart = np.full(high.shape, np.nan)
            out[name] = np.subtract(high, low, out=apart, where=defined.sum(axis=-2) > 1)
            if values.shape[-1] == 1:
                out[f"{name}_by_group"] = values[..., 0]
        return out
