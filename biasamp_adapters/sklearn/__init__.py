"""scikit-learn: attackers, scorers for model selection, and thresholds that keep a prevalence."""

from biasamp_adapters.attackers import ContingencyAttacker, DenseAttacker
from biasamp_adapters.quality import get_quality, quality_names

__all__ = ["ContingencyAttacker", "DenseAttacker", "get_quality", "quality_names"]
