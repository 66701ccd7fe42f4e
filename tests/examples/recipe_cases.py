"""The recipes of ``examples/recipes``, whose libraries are no requirements of the tests."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import pytest

#: Warnings of the other libraries are not ours.
ignoring_warnings = pytest.mark.filterwarnings("ignore")


def recipe(name: str, library: str) -> Any:
    """The module of a recipe; the test is skipped where its library is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(library, reason=f"{library} is no requirement of the tests")
        return import_module(f"recipes.{name}")
