"""Ratios of times measured in one run: ``python -m benchmarks``. Not part of the tests."""
