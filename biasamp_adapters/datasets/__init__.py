"""Data for examples and tests."""

from biasamp_adapters.datasets.tables import fetch_compas, load_compas, load_diabetes_audit

__all__ = ["fetch_compas", "load_compas", "load_diabetes_audit"]
