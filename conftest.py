"""What every test shares, those in the documentation and in docstrings too."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

#: Pages with commands: tests/test_documented_commands.py runs them from top to bottom, and doctests
#: with them. Pytest collects one where it is named: ``python -m pytest docs/user_guide/gates.rst``.
collect_ignore = [
    "docs/getting_started.rst",
    "docs/user_guide/base_rates.rst",
    "docs/user_guide/command_line.rst",
    "docs/user_guide/engines.rst",
    "docs/user_guide/fairlearn.rst",
    "docs/user_guide/gates.rst",
    "docs/user_guide/label_matrices.rst",
    "docs/user_guide/spark_and_dask.rst",
]


@pytest.fixture(autouse=True)
def closes_figures() -> Iterator[None]:
    """Close what an example drew: matplotlib warns of more than 20 open figures."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
