"""What the scripts need that compute the papers' tables again, or examine a metric."""

from __future__ import annotations

from biasamp_adapters.studies.data import load_published, make_alpha_shift, make_hidden_bias
from biasamp_adapters.studies.label_errors import label_error_sensitivity
from biasamp_adapters.studies.rank_agreement import rank_agreement
from biasamp_adapters.studies.subsets import balanced_subset, ratio_subset

__all__ = [
    "balanced_subset",
    "label_error_sensitivity",
    "load_published",
    "make_alpha_shift",
    "make_hidden_bias",
    "rank_agreement",
    "ratio_subset",
]
