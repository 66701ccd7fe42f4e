"""Data for examples and tests."""

from __future__ import annotations

from biasamp_adapters.datasets.compas import fetch_compas, load_compas

__all__ = ["fetch_compas", "load_compas"]
