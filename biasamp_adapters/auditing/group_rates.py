"""Rates of the groups: fairness measures and abstentions, and how far the groups are apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.bands import largest_gap
from biasamp_adapters.inference.estimates import Estimate, Replicated
from biasamp_adapters.inference.replicates import BlockDraws, Scored
from biasamp_adapters.metrics.means import rate

#: Most tasks of a fairness measure in a report.
MOST_TASKS = 10

#: The share of predictions that are right, of all task columns together.
ACCURACY = "accuracy"

#: How often a model predicted nothing, by what it did not predict.
ABSTENTION = {Role.TASK: "abstention_rate", Role.ATTRIBUTE: "attribute_abstention_rate"}

#: The fairness measures of whole rows; the others look at one task column each.
OF_ROWS = (ACCURACY, *ABSTENTION.values())


class Disparity(NamedTuple):
    """A rate of the groups for one task, and how far they are apart.

    Attributes
    ----------
    column : int or None
        Position of the task label; None for measures of whole rows.
    gap : Estimate
        The largest less the smallest rate.
    groups : list of Estimate
        The rate of each group; empty if several tasks are evaluated.
    """

    column: int | None
    gap: Estimate
    groups: list[Estimate]


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupRates(Scored):
    """Selection rate, TPR, FPR and accuracy of each group.

    Where the model abstained, the rates of abstention too.

    Attributes
    ----------
    columns : ndarray of int
        Positions of the task labels that are evaluated as positives.
    """

    columns: Array

    @property
    def width(self) -> int:
        return 6 * len(self.evaluation.counts.groups) * len(self.evaluation.counts.labels)

    @property
    def measured(self) -> bool:
        """Whether the counts hold what any of the rates needs."""
        has_groups = self.evaluation.counts.has(Role.ATTRIBUTE)
        return has_groups and bool(self._compares_tasks or self._silent)

    @property
    def _compares_tasks(self) -> bool:
        """Whether there are a truth and predictions of it."""
        counts = self.evaluation.counts
        return counts.has(Role.TASK) and counts.has(Role.PREDICTION, self.model)

    @cached_property
    def _silent(self) -> tuple[Role, ...]:
        """The variables of which some predictions are missing."""
        counts, model = self.evaluation.counts, self.model
        return tuple(
            role
            for role in ABSTENTION
            if counts.has(role.prediction, model) and counts.abstentions(role.prediction, model)
        )

    def _fractions(self, tables: Tables) -> dict[str, tuple[Array, Array]]:
        """Numerators and denominators, (..., groups, labels); ``OF_ROWS`` have one column."""
        rows = tables.marginal(Role.ATTRIBUTE)[..., :, None]
        silence = {
            ABSTENTION[role]: (tables.silent(role, by=Role.ATTRIBUTE)[..., :, None], rows)
            for role in self._silent
        }
        return (self._task_fractions(tables) if self._compares_tasks else {}) | silence

    def _task_fractions(self, tables: Tables) -> dict[str, tuple[Array, Array]]:
        """The same of the measures that compare predictions with a truth."""
        truth = tables.joint(Role.ATTRIBUTE, Role.TASK)
        predicted = tables.joint(Role.ATTRIBUTE, Role.PREDICTION)
        hits = tables.agreement(Role.TASK, by_group=True)
        rows = tables.marginal(Role.ATTRIBUTE)[..., :, None]
        if tables.counts.is_matrix(Role.TASK):
            # Each column is a task; the accuracy is the mean over tasks.
            right = rows - (truth + predicted - 2 * hits).mean(axis=-1, keepdims=True)
        else:
            right = hits.sum(axis=-1, keepdims=True)
        of_columns = {
            "selection_rate": (predicted, np.broadcast_to(rows, predicted.shape)),
            "true_positive_rate": (hits, truth),
            "false_positive_rate": (predicted - hits, rows - truth),
        }
        return of_columns | {ACCURACY: (right, rows)}

    def _columns(self, name: str) -> Array:
        """Where the columns of a measure are in its fractions."""
        return np.zeros(1, dtype=int) if name in OF_ROWS else self.columns

    @cached_property
    def _observed(self) -> dict[str, tuple[Array, Array]]:
        fractions = self._fractions(self.evaluation.counts.tables(self.model))
        return {
            name: (part[..., self._columns(name)], whole[..., self._columns(name)])
            for name, (part, whole) in fractions.items()
        }

    @cached_property
    def _shown(self) -> dict[str, Array]:
        """For each measure, the positions of the columns with the largest differences."""
        out = {}
        for name, fraction in self._observed.items():
            rates = rate(*fraction)
            defined = (~np.isnan(rates)).sum(axis=0) > 1
            gap = np.fmax.reduce(rates, axis=0) - np.fmin.reduce(rates, axis=0)
            order = np.argsort(-np.where(defined, gap, -1.0), kind="stable")
            out[name] = order[:MOST_TASKS]
        return out

    def scores(
        self, tables: Tables, reference: Tables | None, draws: BlockDraws
    ) -> dict[str, Array]:
        """Rates of the columns that are shown, of shape (..., groups, columns)."""
        fractions, out = self._fractions(tables), {}
        for name, shown in self._shown.items():
            (part, whole), at = fractions[name], self._columns(name)[shown]
            out[name] = rate(part[..., at], whole[..., at])
        return out

    def disparities(
        self, drawn: Mapping[str, Array], no_draws: str | None, confidence: float
    ) -> dict[str, list[Disparity]]:
        """The tasks with the largest differences, for each measure, the largest first.

        Parameters
        ----------
        drawn : mapping of str to ndarray
            The scores of replicates; empty if there are none.
        no_draws : str or None
            Why there can be none.
        confidence : float
        """
        counts = self.evaluation.counts
        worth = counts.effective_rows / float(counts.tables(self.model).total)
        out: dict[str, list[Disparity]] = {}
        for name, rates in self.point().items():
            shown, rows = self._shown[name], self._observed[name][1] * worth
            out[name] = []
            for i, column in enumerate(shown):
                replicates = drawn[name][..., i] if drawn else None
                gap = largest_gap(rates[:, i], replicates, confidence, rows[:, column])
                task = None if name in OF_ROWS else int(self.columns[column])
                gap = replace(gap, reason=no_draws or gap.reason)
                groups: list[Estimate] = []
                if len(shown) == 1:
                    by_group = [None] * len(rates) if replicates is None else replicates.T
                    groups = [
                        Replicated(*number, no_draws).estimate(confidence)
                        for number in zip(rates[:, i], by_group, strict=True)
                    ]
                out[name].append(Disparity(task, gap, groups))
        return out
