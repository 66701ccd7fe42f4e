"""Data for examples and tests."""

from biasamp_adapters.datasets.compas import fetch_compas
from biasamp_adapters.datasets.counted import load_compas, load_diabetes_audit

__all__ = ["fetch_compas", "load_compas", "load_diabetes_audit"]
