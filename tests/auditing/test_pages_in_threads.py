"""Pages that threads write at once are those of one after the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from report_cases import AMPLIFIED, GROUP, TRUTH

import biasamp_adapters as bam


@pytest.fixture(scope="module")
def reports() -> list[bam.AuditReport]:
    """Two reports, one with several models."""
    models = {"model": AMPLIFIED, "truth": TRUTH}
    return [
        bam.audit(TRUTH, y_pred, sensitive_features=GROUP, n_boot=20)
        for y_pred in (AMPLIFIED, models)
    ]


def test_pages_in_threads(reports: list[bam.AuditReport]) -> None:
    methods = [method for report in reports for method in (report.to_html, report._repr_html_)]
    wanted = [method() for method in methods]
    with ThreadPoolExecutor(4) as threads:
        calls = [threads.submit(method) for method in methods]
    assert [call.result() for call in calls] == wanted
