"""Sufficient statistics: small, exact and additive. Nothing after them walks over rows."""

from biasamp_adapters.counts.joint import JointCounts

__all__ = ["JointCounts"]
