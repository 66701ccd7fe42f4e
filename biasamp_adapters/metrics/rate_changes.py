"""The formula that MALS, BA-> and Multi share: how far predictions move a conditional rate.

The difference D_at of the rates of a pair, weighted by its coefficient, is its contribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from biasamp_adapters._roles import Role
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.labels import each_of, listing
from biasamp_adapters.counts.tables import Tables
from biasamp_adapters.inference.estimates import Interval
from biasamp_adapters.inference.replicates import BlockDraws
from biasamp_adapters.inference.rules import FEW_ROWS, Evidence, Sampling
from biasamp_adapters.metrics.base import ReferencedMetric, lacking
from biasamp_adapters.metrics.blind_errors import MOST_DENSE
from biasamp_adapters.metrics.magnitude import (
    ADDED,
    BY_CHANCE,
    evidence_of_magnitude,
    magnitudes,
    noise_of,
)
from biasamp_adapters.metrics.means import mean_over_tasks, rate, sum_defined
from biasamp_adapters.metrics.measurement import A_TO_T, UNDIRECTED
from biasamp_adapters.metrics.pair_rates import Coefficient, PairRates
from biasamp_adapters.reference import (
    Evaluation,
)

#: Relative differences that floating-point sums in another order may make.
_ROUNDING = 1e-9

#: A sign whose |z| is smaller may be the other one.
_CERTAIN = 1.96


@dataclass(frozen=True, eq=False, kw_only=True)
class Cooccurrence(PairRates):
    """A metric of co-occurrences, measured on counts.

    Attributes
    ----------
    magnitude : bool
        Whether |D| counts instead of D.
    per_task : bool
        Whether the sum over groups is averaged over tasks, as [W21] Eq. 1 does, and not over
        pairs.
    reestimate : bool
        Whether replicates find their own coefficients.
    selected : ndarray of int, optional
        Pairs whose contributions are scored too, as flat positions.
    """

    magnitude: bool = False
    per_task: bool = False
    reestimate: bool = False
    selected: Array | None = None

    @property
    def reads_reference(self) -> bool:  # type: ignore[override]  # a constant elsewhere
        """Whether the rates of the truth are those of the reference."""
        return self.direction == UNDIRECTED or self.reestimate

    @property
    def reads_sets(self) -> bool:  # type: ignore[override]  # a constant elsewhere
        """Whether the columns are label sets."""
        return bool(self.sets)

    @property
    def sampling(self) -> Sampling:
        """Draws of rows; of label sets, what these lack."""
        drawn, counts = super().sampling, self.evaluation.counts
        if not self.sets or not counts.has(Role.TASK):
            return drawn
        rows = counts.tables_of_rows.marginal("task_sets")[self.columns]
        lone = float((rows == 1).mean())
        return replace(drawn, lone_sets=lone, sets_of_many_rows=counts.has_many_rows)

    @property
    def width(self) -> int:
        """Numbers that one replicate takes: a few tables of pairs, and of confusions."""
        counts = self.evaluation.counts
        largest = max(len(counts.labels), len(counts.groups), len(self.sets))
        confusions = largest**2
        if largest > MOST_DENSE and counts.rows is not None:
            confusions = min(confusions, len(counts.rows))
        return 4 * len(counts.groups) * largest + confusions

    @property
    def recipe(self) -> dict[str, str]:
        """How many pairs there are."""
        counts = self.evaluation.counts
        tasks = "tasks" if counts.is_matrix(Role.TASK) else "classes"
        what = "label sets" if self.sets else tasks
        return {"pairs": f"{len(counts.groups)} groups with {len(self.columns)} {what}"}

    @property
    def only_class(self) -> Label | None:
        labels = self.evaluation.counts.labels
        if self.sets or len(self.columns) != 1 or self.evaluation.counts.is_matrix(Role.TASK):
            return None
        return labels[self.columns[0]] if len(labels) > 1 else None

    def reestimating(self) -> Cooccurrence:
        """The same with coefficients found anew in each replicate."""
        return replace(self, reestimate=True)

    @property
    def zero_by_construction(self) -> bool:
        """Whether the coefficients of all pairs are 0."""
        return not self._observed.weight.any()

    # Scores.

    def _contributions(self, weight: Array, deltas: Array) -> Array:
        """The contribution of each pair; zeros have no minus sign."""
        return weight * (np.abs(deltas) if self.magnitude else deltas) + 0.0

    def _mean(self, contributions: Array) -> Array:
        total, pairs = sum_defined(contributions)
        if self.per_task:
            pairs = (~np.isnan(contributions)).any(axis=-2).sum(axis=-1)
        return rate(total, pairs)

    def scores(
        self, tables: Tables, reference: Tables | None, draws: BlockDraws
    ) -> dict[str, Array]:
        """The value, beside it what blind errors give, Multi's variance, and selected pairs."""
        observed = self._observed
        origin = tables if self.evaluation.reference is None else observed.origin
        if reference is not None:
            origin = reference
        weight = observed.weight
        if self.reestimate:
            weight = self.coefficients(self.coefficient, origin)
        # MALS reads those of Multi, and BA-> those of Multi A->T, unless columns are label sets.
        key = ("rates", self.evaluation, self.model, self.direction, self.columns.tobytes())
        true, predicted = draws.once((*key, self.sets), lambda: self._rates(tables, origin))
        deltas = predicted - true
        contributions = self._contributions(weight, deltas)
        if self.magnitude:
            changes, known = weight * deltas, weight * observed.deltas
            out = magnitudes("value", changes, known, self.rests_on_few, self._mean)
            out["variance"] = _variance(changes)
            out["variance" + BY_CHANCE] = _variance(noise_of(changes, known, self.rests_on_few))
        else:
            out = {"value": self._mean(contributions)}
        blind = None if self.magnitude else self._blind_rates(tables, draws)
        if blind is not None:
            out["blind_errors"] = self._mean(weight * (blind - true))
            out["excess"] = out["value"] - out["blind_errors"]
        out |= self._further(tables, weight, predicted)
        if self.selected is not None:
            flat = contributions.reshape(*contributions.shape[:-2], -1)
            out["pairs"] = flat[..., self.selected]
            if self.trends:
                out["trends"] = self._by_trend(contributions)
                out |= magnitudes(
                    "trend sizes", deltas, observed.deltas, self.rests_on_few, self._by_trend
                )
        if self.by_group and self.magnitude:
            out |= magnitudes("groups", changes, known, self.rests_on_few, mean_over_tasks)
        elif self.by_group:
            out["groups"] = mean_over_tasks(contributions)
        return out

    def _further(self, tables: Tables, weight: Array, predicted: Array) -> dict[str, Array]:
        """Further scores, of the rates that are predicted."""
        return {}

    @property
    def value(self) -> float:
        """The value for the counts themselves."""
        observed = self._observed
        return float(self._mean(self._contributions(observed.weight, observed.deltas)))

    def point(self) -> dict[str, Any]:
        """The scores of the counts themselves."""
        return self._scores_of_data

    @cached_property
    def _scores_of_data(self) -> dict[str, Any]:
        scores = self.scores(self._observed.tables, None, BlockDraws())
        return {
            name: value if value.ndim else float(value)
            for name, value in scores.items()
            if not name.endswith((BY_CHANCE, ADDED))
        }

    @cached_property
    def _rows_given(self) -> Array:
        """Rows of equal weight, at least, that the rates of each pair are shares of."""
        tables, origin, _, deltas = self._observed

        def rows(tables: Tables, counts: Counts, role: Role) -> Array:
            by_group = role is Role.ATTRIBUTE
            table = tables.marginal(role)[:, None] if by_group else self._by_column(tables, role)
            return np.asarray(table * (counts.effective_rows / float(tables.total)))

        counts = self.evaluation.counts
        if self.direction != UNDIRECTED:
            role = Role.ATTRIBUTE if self.direction == A_TO_T else Role.TASK
            return np.broadcast_to(rows(tables, counts, role), deltas.shape)
        predicted = rows(tables, counts, Role.PREDICTION)
        if self.evaluation.base_rates is None:
            true = rows(origin, self.evaluation.origin, Role.TASK)
            predicted = np.minimum(predicted, true)
        return np.broadcast_to(predicted, deltas.shape)

    @cached_property
    def rests_on_few(self) -> Array:
        """Whether the rates of each pair are shares of too few rows for an interval."""
        return self._rows_given < FEW_ROWS * (1 - _ROUNDING)

    @cached_property
    def _few(self) -> tuple[float, list[Label]]:
        """The share of the variance that is due to few rows, and the labels that have so few.

        The variance of a rate falls with its rows, and every pair counts alike in the mean.
        """
        counted = ~np.isnan(self._observed.deltas) & (self._observed.weight != 0)
        variance = np.divide(1.0, self._rows_given, out=np.zeros(counted.shape), where=counted)
        few = counted & self.rests_on_few
        if not few.any():
            return 0.0, []
        groups, tasks = self.pair_labels()
        labels = groups if self.direction == A_TO_T else tasks
        named = np.flatnonzero(few.any(axis=1 if self.direction == A_TO_T else 0))
        return float(variance[few].sum() / variance.sum()), [labels[i] for i in named]

    @property
    def _kind(self) -> str:
        """What the columns are, in words."""
        if self.sets:
            return "label set"
        return "task" if self.evaluation.counts.is_matrix(Role.TASK) else "class"

    @property
    def _given(self) -> str:
        """What rates are given: a group or, of P(a | t), a column."""
        return "group" if self.direction == A_TO_T else self._kind

    @property
    def _few_in_words(self) -> str:
        return f"fewer than {FEW_ROWS} rows have {each_of(self._given, self._few[1])}"

    @property
    def few_rows(self) -> bool:
        """Whether the value has no interval because too few rows decide it."""
        return Evidence(few_share=self._few[0]).has_few_rows

    def limits(self, name: str) -> Interval:
        """The range of a score: of mean differences of rates, or of their sizes."""
        if name in ("variance", "trend sizes"):
            return 0.0, 1.0
        most = 1.0
        if self.per_task and name in ("value", "blind_errors", "excess"):
            # A mean over tasks of sums over groups; groups that overlap do not share a sum.
            counts = self.evaluation.counts
            most = 2.0 if self.magnitude else 1.0
            if counts.is_matrix(Role.ATTRIBUTE):
                most = max(most, float(len(counts.groups)))
        return (0.0 if name == "value" and self.magnitude else -most), most

    def evidence(
        self, name: str, value: float, drawn: Mapping[str, Array] = MappingProxyType({})
    ) -> Evidence:
        """How much of a magnitude may be chance, and whether few rows decide."""
        largest = self.limits(name)[1]
        evidence = evidence_of_magnitude(
            name, value, drawn, largest=largest, squared=name == "variance"
        )
        if name.startswith("trend") or (name == "groups" and self.direction == A_TO_T):
            # The mean of each group rests on its own rows alone.
            return evidence
        share, labels = self._few
        return replace(evidence, few_share=share, few_labels=f"{self._given} {listing(labels)}")

    @cached_property
    def trends(self) -> list[tuple[int, int, Array]]:
        """Group, sign of the reference and columns of the defined pairs that have both."""
        _, _, sign, deltas = self._observed
        return [
            (group, int(value), np.flatnonzero(defined & (of_group == value)))
            for group, (of_group, defined) in enumerate(zip(sign, ~np.isnan(deltas), strict=True))
            for value in dict.fromkeys(of_group[defined])
        ]

    def _by_trend(self, pairs: Array) -> Array:
        """Mean over the pairs of each trend: (..., groups, columns) to (..., trends)."""
        group, sign, members, n = self._members
        by_group = pairs.reshape(-1, *pairs.shape[-2:]).swapaxes(0, 1)
        total = by_group @ members
        if np.isnan(total).any():
            defined = ~np.isnan(by_group)
            total, n = (x @ members for x in (np.where(defined, by_group, 0), defined * 1.0))
        return rate(total, n)[group, :, sign].T.reshape(*pairs.shape[:-2], len(group))

    @cached_property
    def _members(self) -> tuple[Array, Array, Array, Array]:
        """The group and the sign of each trend, (trends,), and which and how many pairs have each.

        Signs are numbered in the order of their values. Pairs have the shape (groups, columns,
        signs), and are 1 or 0; their numbers have the shape (groups, 1, signs).
        """
        _, _, sign, deltas = self._observed
        group, of_trend = np.array([trend[:2] for trend in self.trends]).T
        signs, number = np.unique(of_trend, return_inverse=True)
        members = (sign[..., None] == signs) & ~np.isnan(deltas)[..., None]
        return group, number, members.astype(np.float64), members.sum(axis=1, keepdims=True)

    # Pairs.

    def pairs(self) -> dict[str, Array]:
        """``sign``, ``delta``, ``contribution``, and whether the sign is ``uncertain``."""
        _, origin, weight, deltas = self._observed
        base = self.evaluation.base_rates
        sign, z = weight, self._certainty
        if self.coefficient == "one":
            tells_sign = base is None or base.tells_sign(self._shares)
            sign = self.coefficients("sign", origin) if tells_sign else np.zeros_like(weight)
        return {
            "sign": sign,
            "delta": deltas,
            "contribution": self._contributions(weight, deltas),
            "uncertain": (np.abs(z) < _CERTAIN) & (z != 0),
        }

    @cached_property
    def caveats(self) -> tuple[str, ...]:
        """The notes, which pairs are undefined, and which groups the reference lacks."""
        notes, undefined = [*self.notes], np.isnan(self._observed.deltas)
        n_undefined = np.count_nonzero(undefined)
        if n_undefined == undefined.size:
            notes.append("every pair is undefined")
        elif n_undefined:
            groups, tasks = self.pair_labels()
            by_group = self.direction == A_TO_T
            labels = groups if by_group else tasks
            empty = np.flatnonzero(undefined.all(axis=1 if by_group else 0))
            names = listing([labels[i] for i in empty])
            where = " in the reference or the predictions" if self.direction == UNDIRECTED else ""
            notes.append(
                f"{n_undefined} of {undefined.size} pairs are undefined and left out of the "
                f"mean: no rows of {self._given} {names}{where}"
            )
        notes.extend(self._absent_tasks())
        notes.extend(self._absent_groups())
        return tuple(notes)

    def _absent_tasks(self) -> Iterator[str]:
        """The note on tasks that no row has: their pairs are 0 and yet count in the mean."""
        _, origin, _, deltas = self._observed
        if self.direction != A_TO_T:
            return  # P(a | t) is undefined, and its pair left out.
        held = np.fmax.reduce(np.maximum(*self._observed_rates), axis=0, initial=0.0)
        if self.evaluation.reference is not None:  # What the training data have is meant.
            held = held + self._by_column(origin, Role.TASK)
        if held.all():
            return
        absent = np.flatnonzero(held == 0)
        zeros = np.count_nonzero(~np.isnan(deltas[:, absent]))
        if zeros:
            names = listing([self.pair_labels()[1][i] for i in absent])
            yield (
                f"{zeros} of {deltas.size} pairs are 0 and draw the mean towards 0: neither truth "
                f"nor predictions have rows of {self._kind} {names}"
            )

    def _absent_groups(self) -> Iterator[str]:
        """The notes on groups that the reference lacks."""
        if self.evaluation.base_rates is not None:
            return
        groups = self.evaluation.counts.groups
        rows = self._observed.origin.marginal(Role.ATTRIBUTE).tolist()
        absent = [group for group, n in zip(groups, rows, strict=True) if n == 0]
        if absent and self.evaluation.reference is not None:
            yield f"the reference has no rows of group {listing(absent)}: their sign is 0"
        if absent and self.coefficient == "over_represented":
            yield (
                f"group {listing(absent)} has no rows and counts all the same: a group is favoured "
                f"where it has more than 1/{len(groups)} of the positives"
            )


def _variance(changes: Array) -> Array:
    """Population variance over the defined pairs."""
    mean = rate(*sum_defined(changes))
    return rate(*sum_defined((changes - mean[..., None, None]) ** 2))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CooccurrenceMetric(ReferencedMetric):
    """A metric whose value is a mean over pairs of coefficients times differences of rates."""

    _measurement: ClassVar[type[Cooccurrence]] = Cooccurrence
    _coefficient: ClassVar[Coefficient] = "sign"
    _per_task: ClassVar[bool] = False
    #: Whether only the positive class is evaluated if no ``pos_label`` is given.
    _of_positive: ClassVar[bool] = False

    def measure(self, evaluation: Evaluation, model: str, **options: Any) -> Cooccurrence:
        """Fix the coefficients and the task columns; ``options`` are those of Cooccurrence."""
        reason = lacking(evaluation, model, self.short_direction)
        if reason:
            raise ValueError(reason)
        labels, only = evaluation.counts.labels, self.pos_label
        if only is None and self._of_positive:
            only = evaluation.positive
        columns, sets = options.pop("columns", np.arange(len(labels))), options.get("sets")
        if only is not None:
            if only not in labels:
                raise ValueError(
                    f"pos_label must be one of the labels {listing(labels)}; received {only!r}"
                )
            label = labels.index(only)
            columns = [i for i in columns if (sets[i] == (label,) if sets else i == label)]
        fixed = {"coefficient": self._coefficient, "per_task": self._per_task} | options
        return self._measurement(
            metric=self.title,
            direction=self.short_direction,
            evaluation=evaluation,
            model=model,
            columns=np.asarray(columns, dtype=np.intp),
            **fixed,
        )
