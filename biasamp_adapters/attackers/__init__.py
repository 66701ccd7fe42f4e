"""Attackers as scikit-learn estimators."""

from biasamp_adapters.attackers.contingency import ContingencyAttacker
from biasamp_adapters.attackers.dense import DenseAttacker

__all__ = ["ContingencyAttacker", "DenseAttacker"]
