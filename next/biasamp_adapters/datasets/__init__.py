"""Data for examples and tests."""

from __future__ import annotations

from biasamp_adapters.datasets.compas import load_compas

__all__ = ["load_compas"]
