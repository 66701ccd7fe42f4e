"""Rows for Hypothesis, drawn whole: most of the time of an example goes into its draws."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from hypothesis import strategies as st


def row_of(*columns: Iterable[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """A value of each column, in one draw instead of one per column."""
    return st.sampled_from([*product(*columns)])
