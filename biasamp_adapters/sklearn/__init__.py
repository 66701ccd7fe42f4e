"""scikit-learn: attackers, scorers for model selection, and thresholds that keep a prevalence."""

from biasamp_adapters.attackers import ContingencyAttacker, DenseAttacker
from biasamp_adapters.quality import get_quality, quality_names
from biasamp_adapters.sklearn.multi_metric import AmplificationScorers, amplification_scorers
from biasamp_adapters.sklearn.prevalence_threshold import PrevalenceThresholdClassifier
from biasamp_adapters.sklearn.refit import MostAccurateWithin
from biasamp_adapters.sklearn.scorer import (
    AmplificationLoss,
    AmplificationScorer,
    amplification_scorer,
)
from biasamp_adapters.sklearn.with_sensitive_features import WithSensitiveFeatures

__all__ = [
    "AmplificationLoss",
    "AmplificationScorer",
    "AmplificationScorers",
    "ContingencyAttacker",
    "DenseAttacker",
    "MostAccurateWithin",
    "PrevalenceThresholdClassifier",
    "WithSensitiveFeatures",
    "amplification_scorer",
    "amplification_scorers",
    "get_quality",
    "quality_names",
]
