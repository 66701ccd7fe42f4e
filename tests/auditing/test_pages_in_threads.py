"""Pages that threads write at once are those of one after the other, and settings stay."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import matplotlib as mpl
import pytest
from report_cases import AMPLIFIED, GROUP, TRUTH

import biasamp_adapters as bam

#: What a notebook may have chosen; a page has settings of its own.
CHOSEN = {"font.size": 22.0, "svg.fonttype": "path", "text.parse_math": True, "axes.grid": True}


@pytest.fixture(scope="module")
def reports() -> list[bam.AuditReport]:
    """Two reports with several pictures each."""
    models = {"model": AMPLIFIED, "truth": TRUTH}
    return [
        bam.audit(TRUTH, y_pred, sensitive_features=GROUP, n_boot=20)
        for y_pred in (AMPLIFIED, models)
    ]


def test_pages_in_threads(reports: list[bam.AuditReport]) -> None:
    methods = [method for report in reports for method in (report.to_html, report._repr_html_)]
    wanted = [method() for method in methods]
    with mpl.rc_context(CHOSEN):
        before = dict(mpl.rcParams)
        with ThreadPoolExecutor(4) as threads:
            calls = [threads.submit(method) for method in methods]
        assert [call.result() for call in calls] == wanted
        assert dict(mpl.rcParams) == before


def test_settings_stay_after_an_error() -> None:
    from biasamp_adapters.auditing.pictures import drawn

    def fail(_: object) -> None:
        raise ValueError("no picture")

    before = dict(mpl.rcParams)
    for _ in range(2):
        # Were the lock kept, the second call would wait for ever.
        with pytest.raises(ValueError, match="no picture"):
            drawn(fail, 1, 1, "p", "nothing")
    assert dict(mpl.rcParams) == before


def test_what_somebody_sets_meanwhile_stays() -> None:
    from biasamp_adapters.auditing.pictures import drawn

    def draw(figure: object) -> None:
        # As another thread may do at that moment.
        mpl.rcParams["font.size"] = 31.0

    with mpl.rc_context(CHOSEN):
        before = dict(mpl.rcParams)
        drawn(draw, 2, 2, "name", "alt")
        assert dict(mpl.rcParams) == before | {"font.size": 31.0}
