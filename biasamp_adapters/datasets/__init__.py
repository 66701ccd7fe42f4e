"""Real data and their counts, audits of a demonstration, and designs and tables of the papers."""

from biasamp_adapters.datasets.compas import fetch_compas
from biasamp_adapters.datasets.compas_counts import load_compas_cells, load_compas_counts
from biasamp_adapters.datasets.demo import DemoData, load_compas_audit, load_diabetes_audit
from biasamp_adapters.datasets.designs import make_alpha_shift, make_hidden_bias
from biasamp_adapters.datasets.published import load_published

__all__ = [
    "DemoData",
    "fetch_compas",
    "load_compas_audit",
    "load_compas_cells",
    "load_compas_counts",
    "load_diabetes_audit",
    "load_published",
    "make_alpha_shift",
    "make_hidden_bias",
]
