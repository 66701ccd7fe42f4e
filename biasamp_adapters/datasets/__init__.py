"""Data for examples and tests."""

from __future__ import annotations

from biasamp_adapters.datasets.compas import fetch_compas, load_compas
from biasamp_adapters.datasets.diabetes import load_diabetes_audit

__all__ = ["fetch_compas", "load_compas", "load_diabetes_audit"]
