"""Loaders of real tables, and the audits that ``biasamp demo`` shows."""

from biasamp_adapters.datasets.compas import fetch_compas
from biasamp_adapters.datasets.demo import DemoData, load_compas_audit, load_diabetes_audit

__all__ = ["DemoData", "fetch_compas", "load_compas_audit", "load_diabetes_audit"]
