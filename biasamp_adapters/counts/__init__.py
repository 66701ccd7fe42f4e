"""Sufficient statistics: small, exact and additive. Nothing after them walks over rows."""

from biasamp_adapters.counts.arrays import count_arrays
from biasamp_adapters.counts.cooccurrence import CooccurrenceCounts
from biasamp_adapters.counts.counts import Counts
from biasamp_adapters.counts.joint import JointCounts

__all__ = ["CooccurrenceCounts", "Counts", "JointCounts", "count_arrays"]
