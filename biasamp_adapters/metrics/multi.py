"""Multi: bias amplification of attribute groups with sets of tasks, without a sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from biasamp_adapters.metrics.base import ReferencedMetric
from biasamp_adapters.metrics.bound import UNDIRECTED, Bound, arrow, require
from biasamp_adapters.metrics.cooccurrence import Cooccurrence
from biasamp_adapters.reference import Evaluation


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MultiAttributeBiasAmplification(ReferencedMetric):
    """How far predictions move the rates of groups and task sets, whichever way.

    The mean of ``|D_gm|`` over groups g and task sets m, with D as in
    :class:`DirectionalBiasAmplification`; the result also gives ``variance``, the population
    variance of the signed D_gm. Range [0, 1], undirected
    [0, 2), without a unit. There is no sign: movement against
    the bias counts like movement along it. For single labels the sets are the labels themselves.

    Parameters
    ----------
    direction : {"attribute_to_task", "task_to_attribute", "undirected"}
        Also "A->T" and "T->A". T->A needs ``sensitive_features_pred``. "undirected" compares, as
        MALS does, the predictions' P(A^ | T^) with the reference's P(A | T), for groups that the
        reference over-represents, and averages over sets; without a predicted attribute the true
        one takes its place.
    reference : (y_true, sensitive_features) or JointCounts, optional
        The training data, which fix the sets. Without, the evaluated truth does.
    pos_label : label, optional
        The one task to look at.
    combinations : {"observed", "subsets"}
        Label sets that occur, or all subsets of them up to ``max_size``; the same for single
        labels.
    min_size, max_size : int
        Sizes of the sets; a single label is a set of size 1.
    min_support : int
        Rows that a set must have, exactly in the reference and contained in the truth.
    labels, groups, missing
        As in every metric: explicit label lists and the rule for missing values.

    Raises
    ------
    ValueError
        If no set is left, or predictions are probabilities.

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

    direction: str = "attribute_to_task"
    combinations: Literal["observed", "subsets"] = "observed"
    min_size: int = 1
    max_size: int | None = None
    min_support: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        arrow(self.direction, undirected=True)
        if self.combinations not in ("observed", "subsets"):
            raise ValueError(
                f"combinations must be 'observed' or 'subsets'; received {self.combinations!r}"
            )
        for name in ("min_size", "max_size", "min_support"):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            if value is not None and not (whole and value >= 1):
                raise ValueError(f"{name} must be a whole number of at least 1; received {value!r}")
        if self.max_size is not None and self.max_size < self.min_size:
            raise ValueError(
                f"max_size must not be below min_size; received {self.max_size} and {self.min_size}"
            )

    @property
    def __name__(self) -> str:
        return f"MultiAttributeBiasAmplification {arrow(self.direction, undirected=True)}"

    def bind(self, evaluation: Evaluation, model: str) -> Bound:
        """Fix the task sets."""
        direction = arrow(self.direction, undirected=True)
        require(evaluation, model, direction)
        counts, truth = evaluation.counts, evaluation.truth
        if direction != "T->A" and len(counts.levels):
            raise ValueError(
                "Multi reads 0/1 predictions only; received probabilities such as "
                f"{counts.levels[0]}"
            )
        supports = [truth, counts] if counts.has("task") else [truth]
        enough = np.all(
            [part.unweighted().tables().marginal("task") >= self.min_support for part in supports],
            axis=0,
        )
        columns = np.flatnonzero(enough) if self.min_size == 1 else np.array([], dtype=np.intp)
        if not len(columns):
            raise ValueError(
                "Multi needs task sets of the asked size and support; single labels are sets of "
                f"size 1, received min_size={self.min_size} and min_support={self.min_support}"
            )
        undirected = direction == UNDIRECTED
        return Cooccurrence.of(
            metric="MultiAttributeBiasAmplification",
            direction=direction,
            evaluation=evaluation,
            model=model,
            pos_label=self.pos_label,
            columns=columns,
            coefficient="over_represented" if undirected else "one",
            magnitude=True,
            per_task=undirected,
        )
