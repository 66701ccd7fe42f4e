"""Which attack the data call for."""

from __future__ import annotations

from typing import Any

from biasamp_adapters.counts.matrix_counts import MatrixCounts
from biasamp_adapters.metrics.columns import ColumnAttack, OneColumnAttack, PairsAttack
from biasamp_adapters.metrics.exact import ExactAttack
from biasamp_adapters.metrics.fitted import FittedAttack


def attack(*, evaluation_rule: str, **arguments: Any) -> ExactAttack:
    """LA or DPA, bound to counts of labels or of matrices.

    Where the input is a matrix and no attacker can be fitted, for want of rows or because what is
    asked for is a closed form, pairs alone are scored.
    """
    bound = ExactAttack(**arguments)
    counts, (source, target) = bound.evaluation.counts, bound.roles.dataset
    if not counts.is_matrix(source) or (counts.one_each(source) and not bound.leakage):
        return (ColumnAttack if counts.is_matrix(target) else ExactAttack).of(**arguments)
    if counts.n_labels(source) == 1 and not counts.is_matrix(target):
        return OneColumnAttack.of(**arguments)
    exact_only = bound.equalize == "expected" or bound.loo or bound.quality.name == "inverse_rmse"
    if exact_only or not isinstance(counts, MatrixCounts) or counts.rows is None:
        return PairsAttack.of(**arguments)
    return FittedAttack.of(**arguments, resubstitution=evaluation_rule == "resubstitution")
