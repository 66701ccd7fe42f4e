"""Multi: bias amplification of attribute groups with sets of tasks, without a sign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from biasamp_adapters._roles import ARGUMENTS, Role
from biasamp_adapters._typing import Array, Label, is_whole
from biasamp_adapters.counts import Counts
from biasamp_adapters.counts.label_sets import MAX_SETS
from biasamp_adapters.counts.variables import LabelSet
from biasamp_adapters.metrics.measurement import A_TO_T, T_TO_A, UNDIRECTED
from biasamp_adapters.metrics.rate_changes import Cooccurrence, CooccurrenceMetric
from biasamp_adapters.metrics.result import About
from biasamp_adapters.reference import Evaluation


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MultiAttributeBiasAmplification(CooccurrenceMetric):
    """How far predictions move the rates of groups and task sets, whichever way.

    The mean of ``|D_gm|`` over groups g and task sets m, with D as in
    :class:`DirectionalBiasAmplification`; the result also gives ``variance``, the population
    variance of the signed D_gm. Range [0, 1], undirected [0, 2) or,
    where groups overlap, ``[0, |A|]``; without a unit. There is no sign: movement against the bias
    counts like movement along it. For single labels the sets are the labels themselves.

    Parameters
    ----------
    direction : {"attribute_to_task", "task_to_attribute", "undirected"}
        Also "A->T" and "T->A", in any case. T->A needs ``sensitive_features_pred``. "undirected"
        compares, as MALS does, the predictions' P(A^ | T^) with the reference's P(A | T), for
        groups that the reference over-represents, and averages over sets; without a predicted
        attribute the true one takes its place.
    reference : (y_true, sensitive_features), counts or BaseRates, optional
        The training data, which fix the sets. By default the evaluated truth does.
    pos_label : label, optional
        The one task to evaluate.
    combinations : {"observed", "subsets"}
        The exact label sets that rows of the reference show, or every set that rows of it contain;
        the same for single labels.
    min_size, max_size : int
        Sizes of the sets; a single label is a set of size 1.
    min_support : int
        Rows that must support a set: in the reference rows with exactly this set ("observed") or
        that contain it ("subsets"); in the evaluated truth rows that contain it.
    labels, groups, missing
        As in every metric: explicit label lists and the rule for missing values.

    Raises
    ------
    ValueError
        If no set is left, more than 100,000 are, or predictions are probabilities.

    Notes
    -----
    Sets of groups, such as old women beside all women, are columns of ``sensitive_features``:
    see :func:`~biasamp_adapters.group_sets`.

    References
    ----------
    Zhao et al. (2023), as Eq. 10-12 of Tokas et al., "DPA", 2025.

    Examples
    --------
    >>> from biasamp_adapters import MultiAttributeBiasAmplification
    >>> y_true = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    >>> y_pred = [0] * 10 + [1] * 40 + [0] * 40 + [0] * 10
    >>> metric = MultiAttributeBiasAmplification(direction="A->T")
    >>> round(metric(y_true, y_pred, sensitive_features=[1] * 50 + [2] * 50), 4)
    0.1
    """

    about = About(
        short="Multi",
        source="Zhao et al. 2023; [T25] Eq. 10-12",
        directions=(A_TO_T, T_TO_A, UNDIRECTED),
        signed=False,
        note="Multi has no sign: it counts a change of rates the same whichever way it goes, and "
        "noise alone makes it positive.",
        function="multi_attribute_bias_amplification",
        example="0.1",
        name="Multi-Attribute Bias Amplification",
        zero="no rate changes; it has no sign, and chance alone makes it positive",
        description="Computed as the mean size, over groups and labels, of the change that "
        "predictions make to P(label | group) (A->T) or P(group | label) (T->A), whichever way it "
        "goes.",
        reading="It has no sign: a larger value means larger changes, which is worse if they are "
        "not due to chance. Chance alone makes it positive.",
    )

    direction: str = "attribute_to_task"
    combinations: Literal["observed", "subsets"] = "observed"
    min_size: int = 1
    max_size: int | None = None
    min_support: int = 1

    _reads_rows = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.combinations not in ("observed", "subsets"):
            raise ValueError(
                f"combinations must be 'observed' or 'subsets'; received {self.combinations!r}"
            )
        check_sizes(self.min_size, self.max_size, self.min_support)

    @classmethod
    def of_audit(
        cls, evaluation: Evaluation, model: str, pos_label: Label | None
    ) -> Iterator[Self]:
        for metric in super().of_audit(evaluation, model, pos_label):
            readable = evaluation.counts.knows_sets and not metric._soft(evaluation.counts)
            if readable and not too_many_sets(evaluation):
                yield metric

    def _soft(self, counts: Counts) -> list[str]:
        """The arguments that are read and hold probabilities."""
        soft = self.predictions & counts.soft
        return [ARGUMENTS[role] for role in Role if role in soft]

    def prepare(self, evaluation: Evaluation) -> Evaluation:
        """The evaluation with the label sets of the reference counted."""
        if not reads_sets(evaluation):
            return evaluation
        sets = tuple(self._candidates(evaluation.origin))
        reference = evaluation.reference
        return replace(
            evaluation,
            counts=evaluation.counts.with_sets(sets),
            reference=None if reference is None else reference.with_sets(sets),
        )

    def applies(self, evaluation: Evaluation) -> bool:
        """Whether there is a label set to evaluate."""
        return len(self._columns(evaluation)[1]) > 0

    def _candidates(self, origin: Counts) -> dict[LabelSet, int]:
        """Label sets of the reference with enough support, and how many rows support each."""
        if self.combinations == "observed":
            support = self.min_support, self.max_size
            n_sets = origin.n_observed_sets(*support)
            if n_sets > MAX_SETS:
                raise ValueError(
                    f"more than {MAX_SETS:,} label sets, {n_sets:,}, are shown by min_support="
                    f"{self.min_support} rows or more: raise it, or give a smaller max_size"
                )
            sets = origin.observed_sets(*support)
        else:
            sets = origin.observed_sets()
            if not origin.knows_all_sets:
                raise ValueError(
                    "combinations='subsets' needs all label sets that rows show: count with "
                    "label_sets='observed' or keep_rows=True"
                )
            sets = subsets_by_support(sets, len(origin.labels), self.max_size, self.min_support)
        return {members: n for members, n in sets.items() if len(members) >= self.min_size}

    def _columns(self, evaluation: Evaluation) -> tuple[tuple[LabelSet, ...], Array]:
        """The label sets that were counted, if there are any, and the columns to evaluate."""
        if reads_sets(evaluation):
            sets = evaluation.counts.sets
            chosen = self._candidates(evaluation.origin)
            columns = np.array([i for i, x in enumerate(sets) if x in chosen], dtype=np.intp)
            supports, role = [evaluation.counts], "task_sets"
        else:
            sets = ()
            columns = np.arange(len(evaluation.counts.labels) if self.min_size == 1 else 0)
            supports, role = [evaluation.origin, evaluation.counts], "task"
        for part in supports:
            if len(columns) and part.has(Role.TASK) and evaluation.base_rates is None:
                enough = part.tables_of_rows.marginal(role) >= self.min_support
                columns = columns[enough[columns]]
        return sets, columns

    def measure(self, evaluation: Evaluation, model: str, **options: Any) -> Cooccurrence:
        """Fix the task sets."""
        soft = self._soft(evaluation.counts)
        if soft:
            raise ValueError(f"Multi reads 0/1 predictions only; {soft[0]} holds probabilities")
        sets, columns = self._columns(evaluation)
        undirected = self.short_direction == UNDIRECTED
        others = f"rows show other label sets than the {len(sets)} that were counted"
        measurement = super().measure(
            evaluation,
            model,
            columns=columns,
            coefficient="over_represented" if undirected else "one",
            magnitude=True,
            per_task=undirected,
            sets=sets,
            notes=() if evaluation.origin.knows_all_sets else (others,),
        )
        if not len(measurement.columns if sets else columns):
            raise ValueError(
                "Multi needs task sets of the asked size and support; single labels are sets of "
                f"size 1, received min_size={self.min_size} and min_support={self.min_support}"
            )
        return measurement


def check_sizes(min_size: int, max_size: int | None, min_support: int) -> None:
    """Raise unless the limits of sets are whole numbers in the right order."""
    limits = {"min_size": min_size, "max_size": max_size, "min_support": min_support}
    for name, value in limits.items():
        if name == "max_size" and value is None:
            continue
        if value is None or not (is_whole(value) and value >= 1):
            raise ValueError(f"{name} must be a whole number of at least 1; received {value!r}")
    if max_size is not None and max_size < min_size:
        raise ValueError(f"max_size must not be below min_size; received {max_size} and {min_size}")


def reads_sets(evaluation: Evaluation) -> bool:
    """Whether Multi reads label sets, and not single labels or base rates."""
    return evaluation.counts.is_matrix(Role.TASK) and evaluation.base_rates is None


def too_many_sets(evaluation: Evaluation) -> int:
    """The number of label sets of the reference if they are more than Multi reads, and else 0."""
    if not reads_sets(evaluation) or not evaluation.origin.knows_sets:
        return 0
    n_sets = evaluation.origin.n_observed_sets()
    return n_sets if n_sets > MAX_SETS else 0


def subsets_by_support(
    observed: Mapping[LabelSet, int], n_labels: int, max_size: int | None, min_support: int
) -> dict[LabelSet, int]:
    """Sets of labels that rows contain, and how many rows contain each.

    A set is grown label by label, and only while enough rows contain it.

    Parameters
    ----------
    observed : mapping of LabelSet to int
        Exact label sets of rows, and how many rows show each.
    n_labels : int
    max_size : int, optional
        Largest size of a set.
    min_support : int
        Rows that must contain a set.

    Raises
    ------
    ValueError
        If more than 100,000 sets have that support.
    """
    n = np.array(list(observed.values()))
    holds = np.zeros((n_labels, len(n)), dtype=bool)
    for i, members in enumerate(observed):
        holds[list(members), i] = True
    found: dict[LabelSet, int] = {}
    growing: list[tuple[LabelSet, Array]] = [((), np.ones(len(n), dtype=bool))]
    while growing:
        members, rows = growing.pop()
        for label in range(members[-1] + 1 if members else 0, n_labels):
            both = rows & holds[label]
            support = int(n[both].sum())
            if support < min_support or not support:
                continue
            found[*members, label] = support
            if len(found) > MAX_SETS:
                raise ValueError(
                    f"more than {MAX_SETS:,} label sets have the support min_support="
                    f"{min_support}: raise it, or give a smaller max_size"
                )
            if max_size is None or len(members) + 1 < max_size:
                growing.append(((*members, label), both))
    return dict(sorted(found.items()))
