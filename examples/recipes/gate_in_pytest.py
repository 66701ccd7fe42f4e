"""A gate in a test suite, which a model has to pass before it is released."""

from __future__ import annotations

import pandas as pd
import pytest

import biasamp_adapters as bam


def predictions() -> pd.DataFrame:
    """1,000 applicants of each group: who was hired, and what a model says."""
    return pd.DataFrame(
        {
            "group": ["a"] * 1000 + ["b"] * 1000,
            "hired": [1] * 400 + [0] * 600 + [1] * 300 + [0] * 700,
            "model": [1] * 430 + [0] * 570 + [1] * 270 + [0] * 730,
        }
    )


@pytest.fixture(scope="module")
def report() -> bam.AuditReport:
    rows = predictions()
    return bam.audit(
        rows["hired"],
        rows["model"],
        sensitive_features=rows["group"],
        n_boot=500,
    )


def test_large_amplification_is_not_shown(report: bam.AuditReport) -> None:
    bounds = {"BA A->T": 0.05, "false_positive_rate_difference": 0.1}
    assert not report.failures(bounds)


def test_the_gap_is_not_reversed(report: bam.AuditReport) -> None:
    assert not report.failures({"verdict": {"reverses"}})


def test_the_gap_is_shown_to_be_small(report: bam.AuditReport) -> None:
    bounds = {"BA A->T": 0.05, "selection_rate_difference": 0.25}
    assert not report.failures(require_below=bounds)
