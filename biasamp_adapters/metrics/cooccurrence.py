"""The formula that MALS, BA-> and Multi share: how far predictions move a conditional rate.

Each pair of group a and task t has a rate, P(t | a) or P(a | t), in the truth and in the
predictions. Their difference D_at, weighted by a coefficient, is the pair's contribution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.labels import listing, show
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.counts.variables import LabelSet
from biasamp_adapters.metrics.bound import A_TO_T, T_TO_A, Bound
from biasamp_adapters.metrics.equalize import random_errors
from biasamp_adapters.metrics.means import mean_over_tasks, rate, sum_defined
from biasamp_adapters.reference import (
    correlation_sign,
    correlation_z,
    over_representation_z,
    over_represented,
)
from biasamp_adapters.uncertainty import IntervalMethod

#: A sign whose |z| is smaller may be the other one.
_CERTAIN = 1.96

#: Share of its standard deviation by which noise may shift a magnitude, and the same where the
#: replicates are mirrored, which undoes the shift (docs: coverage).
_MAX_SHIFT = (0.25, 1.0)

#: Replicates that tell a shift from chance; fewer give no interval at 95 % anyway.
_FEWEST = 40

#: Differences that floating-point sums in another order may make.
_ROUNDING = 1e-12

Coefficient: TypeAlias = Literal["sign", "over_represented", "one"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Cooccurrence(Bound):
    """A metric of co-occurrences, bound to counts.

    Attributes
    ----------
    columns : ndarray of int
        Task labels that are columns.
    coefficient : {"sign", "over_represented", "one"}
        What multiplies a difference: the sign of the reference correlation, 1 where the reference
        over-represents the group and else 0, or 1.
    magnitude : bool
        Whether |D| counts instead of D.
    per_task : bool
        Whether the sum over groups is averaged over tasks, as [W21] Eq. 1 does, and not over
        pairs.
    reestimate : bool
        Whether replicates find their own coefficients.
    selected : ndarray of int, optional
        Pairs whose contributions are scored too, as flat positions.
    sets : tuple of LabelSet
        The label sets that ``columns`` are positions in, where columns are sets and not labels.
    """

    columns: Array
    coefficient: Coefficient
    magnitude: bool = False
    per_task: bool = False
    reestimate: bool = False
    selected: Array | None = None
    sets: tuple[LabelSet, ...] = ()

    @property
    def undirected(self) -> bool:
        """Whether predictions are compared with predictions, as MALS does."""
        return self.direction not in (A_TO_T, T_TO_A)

    @property
    def reads_reference(self) -> bool:  # type: ignore[override]  # a constant elsewhere
        """Whether the rates of the truth are those of the reference."""
        return self.undirected or self.reestimate

    @property
    def width(self) -> int:
        """Numbers that one replicate takes: a few tables of pairs."""
        counts = self.evaluation.counts
        return 4 * len(counts.groups) * max(len(counts.labels), len(counts.groups), len(self.sets))

    @property
    def recipe(self) -> dict[str, str]:
        """How many pairs there are."""
        counts = self.evaluation.counts
        tasks = "tasks" if counts.is_matrix("task") else "classes"
        what = "label sets" if self.sets else tasks
        return {"pairs": f"{len(counts.groups)} groups with {len(self.columns)} {what}"}

    @property
    def only_class(self) -> Label | None:
        labels = self.evaluation.counts.labels
        if self.sets or len(self.columns) != 1 or self.evaluation.counts.is_matrix("task"):
            return None
        return labels[self.columns[0]] if len(labels) > 1 else None

    def reestimating(self) -> Cooccurrence:
        """The same with coefficients found anew in each replicate."""
        return replace(self, reestimate=True)

    def _columns_of(self, tables: Tables) -> Array:
        """Where the columns are among the labels, or the label sets, of some counts."""
        if not self.sets:
            return self.columns
        counted = tables.counts.sets
        if counted not in self._found:
            position = {of: i for i, of in enumerate(counted)}
            found = [position[self.sets[i]] for i in self.columns]
            self._found[counted] = np.array(found, dtype=np.intp)
        return self._found[counted]

    @cached_property
    def _found(self) -> dict[tuple[LabelSet, ...], Array]:
        return {}

    def _joint(self, tables: Tables, attribute: str, task: str) -> Array:
        """Co-occurrences of groups with the columns, which may be label sets."""
        table = tables.joint(attribute, f"{task}_sets" if self.sets else task)
        return table[..., self._columns_of(tables)]

    def _marginal(self, tables: Tables, task: str) -> Array:
        counts = tables.marginal(f"{task}_sets" if self.sets else task)
        return counts[..., self._columns_of(tables)]

    def _origin(self, tables: Tables, reference: Tables | None) -> tuple[Array, ...]:
        """Joint, attribute, task and total counts that set directions (and, undirected, rates)."""
        fixed = self.evaluation.reference
        source = reference
        if source is None:
            source = tables if fixed is None else fixed.tables()
        joint = self._joint(source, "attribute", "task")
        return joint, source.marginal("attribute"), self._marginal(source, "task"), source.labelled

    def coefficients(self, tables: Tables, reference: Tables | None = None) -> Array:
        """Coefficient of each pair, of shape (..., groups, columns)."""
        base = self.evaluation.base_rates
        if self.coefficient == "one":
            return np.ones((len(tables.counts.groups), len(self.columns)), dtype=np.int64)
        if base is not None:
            by_sign = self.coefficient == "sign"
            out = base.sign(self.direction, self._shares) if by_sign else base.over_represented()
            return out[:, self.columns]
        if self.coefficient == "sign":
            return correlation_sign(*self._origin(tables, reference))
        joint, _, task, _ = self._origin(tables, reference)
        return over_represented(joint, task)

    @cached_property
    def _shares(self) -> Array | None:
        """Shares of the groups in the data, which together are 1."""
        if not self.evaluation.counts.has("attribute"):
            return None
        rows = self._tables.marginal("attribute")
        return rows / rows.sum()

    @cached_property
    def _fixed(self) -> Array:
        return self.coefficients(self._tables)

    @cached_property
    def _tables(self) -> Tables:
        return self.evaluation.counts.tables(self.model)

    def _predicted(self, tables: Tables) -> tuple[Array, Array]:
        """Co-occurrences with the predictions in their place, and predicted task counts."""
        named = tables.counts.has("attribute_prediction", tables.model)
        attribute = "attribute_prediction" if self.direction != A_TO_T and named else "attribute"
        task = "task" if self.direction == T_TO_A else "prediction"
        return self._joint(tables, attribute, task), self._marginal(tables, task)

    def _random_errors(self, tables: Tables) -> tuple[Array, Array] | None:
        """The same if errors of the model's accuracy fell at random; None without a truth."""
        counts = tables.counts
        if self.magnitude or self.evaluation.base_rates is not None or not counts.has("task"):
            return None
        attribute, made = tables.marginal("attribute"), tables.marginal("task")
        joint = tables.joint("attribute", "task")
        if self.direction != T_TO_A:
            joint, made = random_errors(tables, "task", joint, attribute, made)
        if self.direction != A_TO_T and counts.has("attribute_prediction", tables.model):
            joint, _ = random_errors(tables, "attribute", joint, made, attribute)
        return joint[..., self.columns], made[..., self.columns]

    def _true_rates(self, tables: Tables, reference: Tables | None) -> Array:
        """P(t | a) for A->T, else P(a | t): of the truth, or undirected of the reference."""
        base = self.evaluation.base_rates
        given = "attribute" if self.direction == A_TO_T else "task"
        if base is not None:
            return base.rates(given)[:, self.columns]
        if self.undirected:
            joint, _, task, _ = self._origin(tables, reference)
            return rate(joint, task[..., None, :])
        return rate(self._joint(tables, "attribute", "task"), self._given(tables))

    def _given(self, tables: Tables) -> Array:
        """Counts of the condition, that broadcast to (..., groups, tasks)."""
        if self.direction == A_TO_T:
            return tables.marginal("attribute")[..., :, None]
        return self._marginal(tables, "task")[..., None, :]

    def _deltas(self, tables: Tables, reference: Tables | None, joint: Array, made: Array) -> Array:
        """D_at for predicted co-occurrences; (..., groups, columns), NaN where undefined."""
        given = made[..., None, :] if self.undirected else self._given(tables)
        return rate(joint, given) - self._true_rates(tables, reference)

    def _mean(self, contributions: Array) -> Array:
        total, pairs = sum_defined(contributions)
        if not self.per_task:
            return rate(total, pairs)
        return rate(total, (~np.isnan(contributions)).any(axis=-2).sum(axis=-1))

    def scores(
        self, tables: Tables, reference: Tables | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """The value, the random-error baseline, Multi's variance, and the selected pairs."""
        weight = self.coefficients(tables, reference) if self.reestimate else self._fixed
        deltas = self._deltas(tables, reference, *self._predicted(tables))
        contributions = weight * (np.abs(deltas) if self.magnitude else deltas) + 0.0
        out = {"value": self._mean(contributions)}
        if self.magnitude:
            signed = weight * deltas
            mean = rate(*sum_defined(signed))
            out["variance"] = rate(*sum_defined((signed - mean[..., None, None]) ** 2))
        errors = self._random_errors(tables)
        if errors is not None:
            out["random_error"] = self._mean(weight * self._deltas(tables, reference, *errors))
        if self.selected is not None:
            flat = contributions.reshape(*contributions.shape[:-2], -1)
            out["pairs"] = flat[..., self.selected]
        if self.by_group:
            out["groups"] = mean_over_tasks(contributions)
        return out

    def settled(
        self,
        name: str,
        value: float,
        replicates: Array,
        method: IntervalMethod = "percentile",
    ) -> tuple[Array, str | None]:
        """Replicates as they are; of a magnitude, only if noise does not raise them by much."""
        drawn = replicates[np.isfinite(replicates)]
        judged = self.magnitude and name in ("value", "variance")
        if not (judged and len(drawn) >= _FEWEST):
            return replicates, None
        shift, spread = drawn.mean() - value, drawn.std()
        if abs(shift) <= _MAX_SHIFT[method == "basic"] * spread + _ROUNDING:
            return replicates, None
        return replicates, (
            f"noise adds to a magnitude: resampling shifts it by {shift:+.4f}, where its standard "
            f"deviation is {spread:.4f}"
        )

    def settled_group(self, value: float, replicates: Array) -> tuple[Array, str | None]:
        return self.settled("value", value, replicates)

    def point(self) -> dict[str, Any]:
        """The scores of the counts themselves."""
        scores = self.scores(self._tables, None, np.random.default_rng(0))
        return {name: value if value.ndim else float(value) for name, value in scores.items()}

    def pairs(self) -> dict[str, Array]:
        """``sign``, ``delta``, ``contribution``, and whether the sign is ``uncertain``."""
        return self._pairs

    @cached_property
    def _pairs(self) -> dict[str, Array]:
        deltas = self._deltas(self._tables, None, *self._predicted(self._tables))
        sign, z = self._fixed, np.full(deltas.shape, np.inf)
        base = self.evaluation.base_rates
        if base is None:
            joint, attribute, task, total = self._origin(self._tables, None)
            origin = self.evaluation.origin
            rows = origin.effective_rows * float(total / origin.tables().total)
            if self.coefficient == "over_represented":
                z = over_representation_z(joint, task, rows, float(total))
            else:
                z = correlation_z(joint, attribute, task, total, rows)
            if self.coefficient == "one":
                sign = correlation_sign(joint, attribute, task, total)
        elif self.coefficient == "one" and base.tells_sign(self._shares):
            sign = base.sign(self.direction, self._shares)[:, self.columns]
        elif self.coefficient == "one":
            sign = np.zeros(deltas.shape, dtype=np.int64)
        return {
            "sign": sign,
            "delta": deltas,
            "contribution": self._fixed * (np.abs(deltas) if self.magnitude else deltas) + 0.0,
            "uncertain": (np.abs(z) < _CERTAIN) & (z != 0),
        }

    def pair_labels(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Groups, and the tasks or label sets that are columns."""
        counts = self.evaluation.counts
        if not self.sets:
            return counts.groups, tuple(counts.labels[i] for i in self.columns)
        chosen = [self.sets[i] for i in self.columns]
        return counts.groups, tuple(
            counts.labels[of[0]] if len(of) == 1 else " + ".join(show(counts.labels[i]) for i in of)
            for of in chosen
        )

    @classmethod
    def of(cls, *, pos_label: Label | None, **arguments: Any) -> Self:
        """Bind to the task columns that ``pos_label`` names, or all; note what is undefined."""
        labels = arguments["evaluation"].counts.labels
        if pos_label is not None and pos_label not in labels:
            raise ValueError(
                f"pos_label must be one of the labels {listing(labels)}; received {pos_label!r}"
            )
        sets: tuple[LabelSet, ...] = arguments.get("sets", ())
        columns = arguments.pop("columns", np.arange(len(labels)))
        if pos_label is not None:
            only = labels.index(pos_label)
            columns = [i for i in columns if (sets[i] == (only,) if sets else i == only)]
        arguments["columns"] = np.asarray(columns, dtype=np.intp)
        bound = cls(**arguments)
        return replace(bound, notes=(*bound.notes, *bound._caveats()))

    def _caveats(self) -> Iterator[str]:
        groups, tasks = self.pair_labels()
        undefined = np.isnan(self.pairs()["delta"])
        if undefined.all():
            yield "every pair is undefined"
        elif undefined.any():
            by_group = self.direction == A_TO_T
            what, labels = ("group", groups) if by_group else ("task", tasks)
            empty = np.flatnonzero(undefined.all(axis=1 if by_group else 0))
            names = listing([labels[i] for i in empty])
            where = " in the reference or the predictions" if self.undirected else ""
            yield (
                f"{undefined.sum()} of {undefined.size} pairs are undefined and left out of the "
                f"mean: no rows of {what} {names}{where}"
            )
        if self.evaluation.reference is not None:
            attribute = self._origin(self._tables, None)[1]
            absent = [show(group) for group, n in zip(groups, attribute, strict=True) if n == 0]
            if absent:
                yield f"the reference has no rows of group {listing(absent)}: their sign is 0"
