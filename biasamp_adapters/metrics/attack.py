"""Which attack the data call for."""

from __future__ import annotations

from typing import Any

from biasamp_adapters.counts.matrix_counts import MatrixCounts
from biasamp_adapters.metrics.columns import ColumnAttack, PairsAttack
from biasamp_adapters.metrics.exact import ExactAttack
from biasamp_adapters.metrics.fitted import FittedAttack


def attack(*, evaluation_rule: str, **arguments: Any) -> ExactAttack:
    """LA or DPA, bound to counts of labels or of matrices.

    Raises
    ------
    ValueError
        If the metric is not one of a matrix as the attacker's input.
    """
    bound = ExactAttack(**arguments)
    counts, (source, target) = bound.evaluation.counts, bound.roles.dataset
    if not counts.is_matrix(source) or (counts.one_each(source) and not bound.leakage):
        return (ColumnAttack if counts.is_matrix(target) else ExactAttack).of(**arguments)
    if not isinstance(counts, MatrixCounts) or counts.rows is None:
        return PairsAttack.of(**arguments)
    for name, refused in (("equalize", "expected"), ("evaluation", "loo")):
        given = bound.equalize if name == "equalize" else evaluation_rule
        if given == refused:
            raise ValueError(
                f"{name} must not be {refused!r} where {source} is a matrix, which a fitted "
                "attacker reads"
            )
    if bound.quality.name == "inverse_rmse":
        raise ValueError(
            f"inverse_rmse needs the exact attacker, and {source} is a matrix that it cannot read"
        )
    return FittedAttack.of(**arguments, resubstitution=evaluation_rule == "resubstitution")
