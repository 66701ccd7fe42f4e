"""scikit-learn: scorers for searches, a rule for refit, thresholds, and attackers."""

from biasamp_adapters.sklearn.attackers import ContingencyAttacker, DenseAttacker
from biasamp_adapters.sklearn.groups import PrevalenceThresholdClassifier, WithSensitiveFeatures
from biasamp_adapters.sklearn.search import MostAccurateWithin, amplification_scorer

__all__ = [
    "ContingencyAttacker",
    "DenseAttacker",
    "MostAccurateWithin",
    "PrevalenceThresholdClassifier",
    "WithSensitiveFeatures",
    "amplification_scorer",
]
