"""Rates of pairs of a group and a task, in the truth and in the predictions, and their weights.

Each pair of group a and task t has a rate, P(t | a) or P(a | t), in the truth and in the
predictions. Their difference is D_at; the coefficient that multiplies it comes from the reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._shared import Shared
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import lookup, show
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.counts.variables import LabelSet
from biasamp_adapters.metrics.blind_errors import blind_errors, can_be_blind
from biasamp_adapters.metrics.means import rate
from biasamp_adapters.metrics.measurement import A_TO_T, T_TO_A, UNDIRECTED, Measurement
from biasamp_adapters.reference import (
    correlation_sign,
    correlation_z,
    over_representation_z,
    over_represented,
)

Coefficient: TypeAlias = Literal["sign", "over_represented", "one"]


class Observed(NamedTuple):
    """Quantities computed from the counts themselves.

    Attributes
    ----------
    tables, origin : Tables
        Those of the counts, and those that set directions and, if undirected, rates.
    weight : ndarray
        The coefficient of each pair.
    deltas : ndarray
        D_at of each pair, NaN where it is undefined.
    """

    tables: Tables
    origin: Tables
    weight: Array
    deltas: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class PairRates(Measurement):
    """A metric that compares rates of pairs, measured on counts.

    Attributes
    ----------
    columns : ndarray of int
        Task labels that are columns.
    coefficient : {"sign", "over_represented", "one"}
        What multiplies a difference: the sign of the reference correlation, 1 where the reference
        over-represents the group and else 0, or 1.
    sets : tuple of LabelSet
        The label sets that ``columns`` index, if columns are sets and not labels.
    """

    columns: Array
    coefficient: Coefficient
    sets: tuple[LabelSet, ...] = ()

    def _by_column(self, tables: Tables, task: Role, attribute: Role | None = None) -> Array:
        """Rows of each column or, with an attribute, its co-occurrences with them."""
        role = f"{task}_sets" if self.sets else task
        table = tables.marginal(role) if attribute is None else tables.joint(attribute, role)
        counted = tables.counts.sets
        if self.sets in ((), counted):
            return self._of_columns(table)
        return table[..., lookup([self.sets[i] for i in self.columns], counted)]

    def _of_columns(self, table: Array) -> Array:
        """The columns of (..., labels); the array itself, without a copy, if they are all."""
        return table if len(self.columns) == table.shape[-1] else table[..., self.columns]

    def _rate(self, tables: Tables, task: Role, attribute: Role) -> Array:
        """P(t | a) for A->T, else P(a | t): (..., groups, columns), NaN where undefined."""
        joint = self._by_column(tables, task, attribute)
        if self.direction == A_TO_T:
            return rate(joint, tables.marginal(attribute)[..., :, None])
        return rate(joint, self._by_column(tables, task)[..., None, :])

    def _rates(self, tables: Tables, origin: Tables) -> tuple[Array, Array]:
        """Rates of the truth or, undirected, of the reference; and those of the predictions."""
        base, attribute = self.evaluation.base_rates, Role.ATTRIBUTE
        if base is not None:
            given = Role.ATTRIBUTE if self.direction == A_TO_T else Role.TASK
            true = base.rates(given)[:, self.columns]
        else:
            source = origin if self.direction == UNDIRECTED else tables
            true = self._rate(source, Role.TASK, Role.ATTRIBUTE)
        task = Role.TASK if self.direction == T_TO_A else Role.PREDICTION
        if self.direction != A_TO_T and tables.counts.has(attribute.prediction, tables.model):
            attribute = attribute.prediction
        return true, self._rate(tables, task, attribute)

    def _blind_rates(self, tables: Tables, shared: Shared | None = None) -> Array | None:
        """The rates that blind errors give; None if they are not known.

        Errors in the task are the same for all metrics of an evaluation and model.
        """
        counts = tables.counts
        if self.evaluation.base_rates is not None or not counts.has(Role.TASK):
            return None
        attribute, task = tables.marginal(Role.ATTRIBUTE), tables.marginal(Role.TASK)
        joint = tables.joint(Role.ATTRIBUTE, Role.TASK)
        if self.direction != T_TO_A:
            if not can_be_blind(tables, Role.TASK):
                return None
            true, key = joint, ("blind errors", self.evaluation, self.model)
            shared = Shared() if shared is None else shared
            joint = shared.once(key, lambda: blind_errors(tables, Role.TASK, true, attribute))
            task = tables.marginal(Role.PREDICTION)
        if self.direction == A_TO_T:
            return self._of_columns(rate(joint, attribute[..., :, None]))
        if counts.has(Role.ATTRIBUTE_PREDICTION, tables.model):
            joint = blind_errors(tables, Role.ATTRIBUTE, joint, task)
        return self._of_columns(rate(joint, task[..., None, :]))

    def coefficients(self, kind: Coefficient, origin: Tables) -> Array:
        """Coefficient of each pair, of shape (..., groups, columns)."""
        base = self.evaluation.base_rates
        if kind == "one":
            return np.ones((len(origin.counts.groups), len(self.columns)), dtype=np.int64)
        if base is not None:
            by_sign = kind == "sign"
            out = base.sign(self.direction, self._shares) if by_sign else base.over_represented()
            return out[:, self.columns]
        joint = self._by_column(origin, Role.TASK, Role.ATTRIBUTE)
        task = self._by_column(origin, Role.TASK)
        if kind == "over_represented":
            return over_represented(joint, task)
        return correlation_sign(joint, origin.marginal(Role.ATTRIBUTE), task, origin.labelled)

    @property
    def _shares(self) -> Array | None:
        """Shares of the groups in the data, which together are 1."""
        counts = self.evaluation.counts
        if not counts.has(Role.ATTRIBUTE):
            return None
        rows = self._observed_tables[0].marginal(Role.ATTRIBUTE)
        return rows / rows.sum()

    @cached_property
    def _observed_tables(self) -> tuple[Tables, Tables]:
        reference, tables = self.evaluation.reference, self.evaluation.counts.tables(self.model)
        return tables, tables if reference is None else reference.tables()

    @cached_property
    def _observed_rates(self) -> tuple[Array, Array]:
        return self._rates(*self._observed_tables)

    @cached_property
    def _observed(self) -> Observed:
        (tables, origin), (true, predicted) = self._observed_tables, self._observed_rates
        weight = self.coefficients(self.coefficient, origin)
        return Observed(tables, origin, weight, predicted - true)

    @property
    def _certainty(self) -> Array:
        """How many standard errors each sign is from the other one."""
        origin = self._observed.origin
        if self.evaluation.base_rates is not None:
            return np.full(self._observed.deltas.shape, np.inf)
        joint = self._by_column(origin, Role.TASK, Role.ATTRIBUTE)
        task, total = self._by_column(origin, Role.TASK), origin.labelled
        rows = self.evaluation.origin.effective_rows * float(total / origin.total)
        if self.coefficient == "over_represented":
            return over_representation_z(joint, task, rows, float(total))
        return correlation_z(joint, origin.marginal(Role.ATTRIBUTE), task, total, rows)

    def pair_labels(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Groups, and the tasks or label sets that are columns."""
        labels, groups = self.evaluation.counts.labels, self.evaluation.counts.groups
        if not self.sets:
            return groups, tuple(labels[i] for i in self.columns)
        chosen = [[labels[i] for i in self.sets[column]] for column in self.columns]
        return groups, tuple(
            members[0] if len(members) == 1 else " + ".join(map(show, members))
            for members in chosen
        )
