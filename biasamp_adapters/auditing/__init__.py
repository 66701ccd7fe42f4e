"""The audit: findings, their summary, and its renderings."""

from biasamp_adapters.auditing.audits import audit, audit_counts
from biasamp_adapters.auditing.report import AuditReport

__all__ = ["AuditReport", "audit", "audit_counts"]
