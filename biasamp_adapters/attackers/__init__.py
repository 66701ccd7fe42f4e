"""Attackers as scikit-learn estimators, for where a table of counts is not enough."""

from biasamp_adapters.attackers.contingency import ContingencyAttacker
from biasamp_adapters.attackers.dense import DenseAttacker

__all__ = ["ContingencyAttacker", "DenseAttacker"]
