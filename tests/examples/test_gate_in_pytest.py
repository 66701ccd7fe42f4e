"""The test suite of the recipe: pytest collects here what it shows."""

from __future__ import annotations

from recipes.gate_in_pytest import (  # noqa: F401  # a fixture, and tests
    report,
    test_large_amplification_is_not_shown,
    test_the_gap_is_not_reversed,
    test_the_gap_is_shown_to_be_small,
)
