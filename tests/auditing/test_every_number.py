"""Every number of a report that is an estimate has an interval, or the reason why it has none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from schema_cases import REPORTS

#: Numbers that describe the data and the audit, and are exact.
EXACT = {
    # Of data and their shares, which are counted.
    *("rows", "dropped", "abstained", "share", "audited_share", "reference_share", "runs"),
    *("true", "predicted", "falling"),
    # Of the reference: signs of pairs, how many pairs there are, and the share that may be noise.
    *("sign", "overall", "pairs", "uncertain_signs"),
    # Of the audit.
    *("version", "n", "n_boot", "detectable", "confidence", "random_state", "threshold", "ideal"),
}

#: An estimate, and the ends of its intervals; those of a band hold for a whole family at once.
ENDS = ("value", "ratio", "low", "high", "band_low", "band_high")

#: Numbers that stand for those of an estimate beside them.
REPEATED = {"variance": "spread"}


def estimates(part: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """All objects with a value, and where they stand; other numbers must be exact."""
    if isinstance(part, list):
        for entry in part:
            yield from estimates(entry, f"{where}[]")
    if not isinstance(part, dict):
        return
    if "value" in part or "ratio" in part:
        yield where, part
    for name, entry in part.items():
        if isinstance(entry, dict | list):
            yield from estimates(entry, f"{where}.{name}")
        elif isinstance(entry, int | float) and not isinstance(entry, bool):
            is_end = name in ENDS and {"value", "ratio"} & {*part}
            repeats = part.get(REPEATED.get(name, ""))
            known = (
                name in EXACT or bool(is_end) or (repeats is not None and repeats["value"] == entry)
            )
            assert known, f"{where}.{name} is {entry}, without an interval or a reason"


@pytest.mark.parametrize("name", REPORTS)
def test_every_estimate_has_an_interval_or_a_reason(name: str) -> None:
    found = [*estimates(REPORTS[name]().summary, "$")]
    assert len(found) > 5
    for where, estimate in found:
        assert {"low", "high", "note"} <= set(estimate), where
        assert (estimate["low"] is None) == (estimate["high"] is None), where
        if estimate["low"] is None:
            assert estimate["note"], where
        elif estimate.get("value") is not None:
            slack = 1e-12
            assert estimate["low"] - slack <= estimate["value"] <= estimate["high"] + slack, where


@pytest.mark.parametrize("name", ["several models", "label matrices"])
def test_trends_have_intervals(name: str) -> None:
    rows = REPORTS[name]().summary["trends"]
    assert rows
    for row in rows:
        for number in (row["contribution"], row["mean_abs_delta"]):
            assert number["low"] is not None
            assert number["low"] <= number["value"] <= number["high"]


def test_points_of_sweeps_have_intervals() -> None:
    (sweep,) = REPORTS["scores"]().summary["sweeps"]
    assert any(point["blind_errors"]["low"] is not None for point in sweep["points"])
