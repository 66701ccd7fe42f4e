"""scikit-learn: scorers for searches, a rule for refit, thresholds, and attackers."""

from biasamp_adapters.sklearn.attackers import ContingencyAttacker, DenseAttacker
from biasamp_adapters.sklearn.search import MostAccurateWithin, amplification_scorer
from biasamp_adapters.sklearn.threshold_classifier import PrevalenceThresholdClassifier
from biasamp_adapters.sklearn.with_sensitive_features import WithSensitiveFeatures

__all__ = [
    "ContingencyAttacker",
    "DenseAttacker",
    "MostAccurateWithin",
    "PrevalenceThresholdClassifier",
    "WithSensitiveFeatures",
    "amplification_scorer",
]
