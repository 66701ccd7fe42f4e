"""Multi: how far predictions change rates of groups and label sets, in either direction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations, compress
from typing import Any

import numpy as np

from biasamp_adapters import words
from biasamp_adapters.counting.labels import ATTRIBUTE, PREDICTED, TASK, Array
from biasamp_adapters.counting.margins import Margins, count_rows, mean_of_pairs
from biasamp_adapters.counting.reference import Evaluation
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Block, Codes, Variable, cells_of, label_sets
from biasamp_adapters.inference.intervals import Trust, are_few, mean_and_spread
from biasamp_adapters.metrics.base import A_TO_T, T_TO_A, UNDIRECTED, check_choice, check_whole
from biasamp_adapters.metrics.rates import RateMeasurement, RateMetric

#: More sets than this are refused.
MOST_SETS = 100_000

#: A value that is so many standard deviations above what chance gives is clear.
_CLEAR = 4

#: Intervals need at most this share of label sets that a single row contains: no draw tells how
#: often other samples contain them.
_MAX_SINGLE = 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class MultiMeasurement(RateMeasurement):
    """Sizes of changes of rates."""

    def contributions(self, changes: Array) -> Array:
        return self.coefficients * np.abs(changes)

    @property
    def notes(self) -> tuple[str, ...]:
        if not len(self.classes):
            return (words.NO_CLASS_COMPARED.format(n=self.metric.min_support),)
        return super().notes

    @cached_property
    def reason_of_few_rows(self) -> str:
        """Why rates of few rows, or label sets of single rows, give no interval."""
        rows = self.evaluation.rows
        if rows.is_matrix(TASK) and rows.has(TASK) and rows.block_sums is None:
            n = count_rows(rows, TASK)
            share = float((n == 1).sum() / max((n > 0).sum(), 1))
            if share > _MAX_SINGLE:
                return words.SETS_OF_ONE_ROW.format(share=share)
        return super().reason_of_few_rows

    @property
    def reason_not_to_draw(self) -> str:
        """Also few rows: draws of very many label sets take long, and would tell nothing."""
        return super().reason_not_to_draw or self.reason_of_few_rows

    def score(self, margins: Margins, origin: Margins | None, rng: Any = None) -> dict[str, Array]:
        """Return the value, the variance, and how large changes are that chance alone makes."""
        true, predicted = self.rates(margins, origin)
        changes = self.coefficients * (predicted - true)
        known = self.coefficients * self.changes
        size, few = np.abs(known), are_few(self.sizes)
        noise = changes - known
        np.copyto(noise, known, where=few & (np.abs(noise) < size))
        variance_by_chance = _variance(noise)
        np.abs(noise, out=noise)
        added = 3 * noise  # Arrays are large here: what follows is done in place.
        added -= size
        np.clip(added, 0, noise, out=added)
        return {
            "value": self.mean(np.abs(changes)),
            "variance": _variance(changes),
            "by_chance": self.mean(noise),
            "variance_by_chance": variance_by_chance,
            "added": self.mean(added),
        }

    def point(self) -> dict[str, float]:
        changes = (self.coefficients * self.changes)[None]
        return {"value": self.value, "variance": float(_variance(changes)[0])}

    def trust(self, name: str, value: float, scores: Mapping[str, Array]) -> Trust:
        """Return replicates moved to the value, from 0 where chance may make such changes."""
        chance, added, size = scores["by_chance"], scores["added"], value
        if name == "variance":  # Roots have a shorter tail.
            chance, size = np.sqrt(scores["variance_by_chance"]), np.sqrt(value)
        replicates = scores[name] + (value - mean_and_spread(scores[name])[0])
        mean_of_chance, spread_of_chance = mean_and_spread(chance)
        below = np.inf
        if size > mean_of_chance + _CLEAR * spread_of_chance:
            below = mean_and_spread(added)[0]
        limits = (0.0, 2.0 if self.reads_reference else 1.0)
        row = self.one_row if name == "value" else 0.0
        return Trust(replicates, self.reason_of_few_rows, (below, 0.0), limits=limits, row=row)

    def pairs(self) -> dict[str, Array]:
        """Return ``change`` and ``contribution`` of each pair."""
        return {"change": self.changes, "contribution": self.contributions(self.changes) + 0.0}


def _variance(changes: Array) -> Array:
    """Return the variance over pairs, (batch,)."""
    return np.maximum(mean_of_pairs(changes**2) - mean_of_pairs(changes) ** 2, 0)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MultiAttributeBiasAmplification(RateMetric):
    """Multi: how far predictions change rates of groups, whatever the sign.

    Multi is the mean over groups g and label sets m of the size of D(g, m), the change of a rate
    as in BA->. Undirected, it is ``1/|M|`` times the sum over g and m of ``y(g, m) |D(g, m)|``,
    with y and D of MALS for every class, so that only over-represented groups count. The result
    also has the variance of D, or of y D. A label set holds for a row when all its labels are
    present. Multi lies between 0 and 1, undirected between 0 and 2, and reads 0/1 predictions
    only. It has no sign: sampling variation alone makes it positive.

    Parameters
    ----------
    direction : {"A->T", "T->A", "undirected"}
        "undirected" is that of Zhao et al. (2023), which compares shares as MALS does.
    combinations : {"observed", "subsets"}
        The label sets that rows of the reference show, or all their subsets.
    min_size, max_size : int
        How many labels a set has.
    min_support : int
        Rows that show a set in the reference, and hold it in the labels.
    group_sets : bool
        Whether groups are all sets of levels of the crossed attributes, such as women, old people
        and old women.
    reference : pair (y_true, sensitive_features), Counts, BaseRates, frame or path, optional
        Data that decide which label sets are compared; by default the evaluated labels. A frame or
        a path has the columns of the data.
    pos_label : label, optional
        The only class that is evaluated; by default all.
    class_labels, group_labels, missing, missing_values
        How data are read, as in :class:`DirectionalBiasAmplification`.

    References
    ----------
    Zhao et al., "Men Also Do Laundry", 2023; as Eq. 10 to 12 of [T25].

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> groups = ["a", "a", "b", "b", "b", "b"]
    >>> metric = bam.MultiAttributeBiasAmplification()
    >>> metric([1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], sensitive_features=groups)
    0.375

    Only b in class 0 is over-represented: it has 3 of 4 labels and all predictions, of two classes.

    >>> metric = bam.MultiAttributeBiasAmplification(direction="undirected")
    >>> metric([1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], sensitive_features=groups)
    0.125
    """

    direction: str = A_TO_T
    combinations: str = "observed"
    min_size: int = 1
    max_size: int | None = None
    min_support: int = 1
    group_sets: bool = False

    short = "Multi"
    directions = (A_TO_T, T_TO_A, UNDIRECTED)

    measurement_type = MultiMeasurement

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("combinations", self.combinations, ("observed", "subsets"))
        check_whole("min_size", self.min_size, 1)
        check_whole("min_support", self.min_support, 1)
        if self.max_size is not None:
            check_whole("max_size", self.max_size, self.min_size)

    def measure(self, evaluation: Evaluation, model: str | None, seed: int) -> RateMeasurement:
        predicted = PREDICTED[ATTRIBUTE if self.direction == T_TO_A else TASK]
        rows = evaluation.rows
        if rows.has(predicted, model) and rows.variable(predicted, model).is_soft:
            raise ValueError(f"Multi reads 0/1 predictions; {predicted} holds probabilities")
        key = self.combinations, self.min_size, self.max_size, self.min_support, self.group_sets
        if key not in evaluation.on_sets:  # Models share it, and so their draws.
            on_sets = on_group_sets(evaluation) if self.group_sets else evaluation
            if rows.is_matrix(TASK) and evaluation.base_rates is None:
                on_sets = self._on_label_sets(on_sets)
            evaluation.on_sets[key] = on_sets
        return super().measure(evaluation.on_sets[key], model, seed)

    def classes(self, evaluation: Evaluation) -> Array:
        """Return the positions of the classes that rows of reference and labels show."""
        positions, rows = super().classes(evaluation), evaluation.rows
        if self.pos_label is not None or rows.is_matrix(TASK) or evaluation.base_rates is not None:
            return positions
        for part in (rows, evaluation.origin):
            if part.has(TASK):
                positions = positions[count_rows(part, TASK)[positions] >= self.min_support]
        return positions

    def coefficients(self, evaluation: Evaluation, margins: Margins, origin: Margins) -> Array:
        if self.direction == UNDIRECTED:
            return super().coefficients(evaluation, margins, origin)
        rows = evaluation.rows
        return np.ones((len(rows.group_labels), len(rows.class_labels)))

    def _on_label_sets(self, evaluation: Evaluation) -> Evaluation:
        """Return the evaluation with label sets of the reference as columns."""
        if evaluation.rows.block_sums is not None:
            raise ValueError("Multi of a label matrix needs rows; received counts of block sums")
        shown = sets_shown(evaluation.origin)
        if self.combinations == "subsets":
            shown = subsets(shown, self.max_size, self.min_support)
        largest = self.max_size or np.inf
        sets = [
            members
            for members, n in sorted(shown.items())
            if self.min_size <= len(members) <= largest and n >= self.min_support
        ]
        check_number(len(sets))
        rows, reference = evaluation.rows, evaluation.reference
        if reference is not None:
            n_rows = label_sets(rows.variable(TASK), sets).sparse.T @ rows.n
            sets = list(compress(sets, n_rows >= self.min_support))
        if not sets:
            rule = f"Multi needs label sets of at least {self.min_size} labels"
            raise ValueError(f"{rule}, in {self.min_support} rows or more; received none")
        return _with_variables(evaluation, TASK, partial(label_sets, sets=sets))


# Sets of labels, and sets of groups of several attributes.


def sets_shown(rows: Rows) -> dict[tuple[int, ...], int]:
    """Return the exact label sets of the rows, and how many rows show each."""
    variable = rows.variable(TASK)
    cell, first = cells_of([variable.keys()])
    has_label = variable.take(first).sparse[:, : len(variable.labels)].toarray() != 0
    n = np.bincount(cell, rows.n).astype(int).tolist()
    sets = [tuple(np.flatnonzero(row).tolist()) for row in has_label]
    return {members: k for members, k in zip(sets, n, strict=True) if members}


def subsets(
    shown: Mapping[tuple[int, ...], int], max_size: int | None, min_support: int
) -> dict[tuple[int, ...], int]:
    """Return all sets that enough rows contain, grown label by label, and how many do."""
    sizes, n_labels = np.array(list(shown.values())), 1 + max(map(max, shown), default=-1)
    holds = np.array([[label in members for members in shown] for label in range(n_labels)])
    supports: dict[tuple[int, ...], int] = {}
    growing: list[tuple[tuple[int, ...], Array]] = [((), np.ones(len(shown), dtype=bool))]
    while growing:
        members, inside = growing.pop()
        first = members[-1] + 1 if members else 0
        for label in range(first, n_labels):
            both, grown = inside & holds[label], (*members, label)
            support = int(sizes[both].sum())
            if support < min_support:
                continue
            supports[grown] = support
            check_number(len(supports))
            if max_size is None or len(grown) < max_size:
                growing.append((grown, both))
    return supports


def check_number(n_sets: int) -> None:
    """Raise if there are too many sets."""
    if n_sets > MOST_SETS:
        rule = f"Multi compares at most {MOST_SETS:,} sets"
        raise ValueError(f"{rule}; received more: set min_support=2 or more")


def on_group_sets(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with sets of levels of the crossed attributes as overlapping groups."""
    rows = evaluation.rows
    crossed = [label for label in rows.group_labels if isinstance(label, tuple)]
    if not crossed or len(crossed) < len(rows.group_labels) or rows.is_matrix(ATTRIBUTE):
        raise ValueError("group_sets=True must have several columns of sensitive_features")
    names = rows.names.get(ATTRIBUTE) or tuple(map(str, range(len(crossed[0]))))
    groups_in = defaultdict[str, list[int]](list)
    for size in range(1, len(crossed[0]) + 1):
        for i, levels in enumerate(crossed):
            named = [f"{name}={level}" for name, level in zip(names, levels, strict=True)]
            for members in combinations(named, size):
                groups_in[" × ".join(members)].append(i)
    check_number(len(groups_in))
    labels = tuple(groups_in)
    belongs = np.zeros((len(crossed) + 1, len(labels)), dtype=np.uint8)
    for column, groups in enumerate(groups_in.values()):
        belongs[groups, column] = 1

    def to_sets(groups: Codes) -> Block:
        return Block(labels, belongs[groups.codes], groups.missing, is_matrix=True)

    return _with_variables(evaluation, ATTRIBUTE, to_sets)


def _with_variables(
    evaluation: Evaluation, truth: str, change: Callable[[Any], Variable]
) -> Evaluation:
    """Return the evaluation with a true variable and its predictions changed."""
    rows, reference = evaluation.rows.with_variables(truth, change), evaluation.reference
    if reference is not None:
        reference = reference.with_variables(truth, change)
    return replace(evaluation, rows=rows, reference=reference, whole=None)
