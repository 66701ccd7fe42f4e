"""What the metrics' tests share: random rows, one of each metric, and calls without warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

import exact_oracle as oracle
import pytest
from drawn_rows import row_of
from exact_oracle import Row
from hypothesis import strategies as st

from biasamp_adapters import (
    MALS,
    AmplificationResult,
    AmplificationWarning,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    JointCounts,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)

GROUPS, LABELS = [0, 1, 2], [0, 1, 2]
#: Declared, so that groups and labels without rows occur too.
LISTS = {"groups": GROUPS, "labels": LABELS}
DIRECTIONS = ["A->T", "T->A"]


def rows_over(groups: list[Any], labels: list[Any]) -> st.SearchStrategy[list[Row]]:
    """Lists of rows whose four labels are drawn freely."""
    row = row_of(groups, labels, groups, labels)
    return st.lists(row.map(lambda values: Row(*values)), min_size=1, max_size=40)


any_rows = rows_over(GROUPS, LABELS)


def arguments(rows: Sequence[Row], **changed: Any) -> dict[str, Any]:
    """The rows as a metric takes them."""
    a, t, a_hat, t_hat, _ = (list(values) for values in zip(*rows, strict=True))
    attributes = {"sensitive_features": a, "sensitive_features_pred": a_hat}
    return {"y_true": t, "y_pred": t_hat, **attributes, **changed}


def reference_of(rows: Sequence[Row] | None) -> tuple[list[Any], list[Any]] | None:
    """The rows as a reference."""
    return None if rows is None else ([row.t for row in rows], [row.a for row in rows])


def quietly(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What ``function`` returns, where caveats are likely and their warnings tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmplificationWarning)
        return function(*given, **named)


def quiet(metric: Any, rows: Sequence[Row], **changed: Any) -> AmplificationResult:
    """The result for the rows, without its warnings."""
    return quietly(metric.result, **arguments(rows, **changed))


def counted(rows: Sequence[Row], **changed: Any) -> JointCounts:
    """The rows as counts, for tests that ask many metrics about the same rows.

    That counts give what rows give is a property of its own, in ``test_properties.py``.
    """
    return quietly(JointCounts.from_arrays, **{**arguments(rows), **LISTS, **changed})


def value_from(metric: Any, counts: JointCounts) -> float:
    """The value of a metric, without its warnings."""
    return quietly(metric.from_counts, counts).value


def same(value: float, expected: Any) -> bool:
    """Whether a float is what the oracle says, NaN where it is undefined."""
    if expected is None:
        return isnan(value)
    return value == pytest.approx(float(expected), abs=1e-12)


def without_draws(**lists: Any) -> list[Any]:
    """One of each metric, with no draw in its value."""
    out: list[Any] = [MALS(pos_label=1, **lists)]
    out += [DirectionalBiasAmplification(direction=way, **lists) for way in DIRECTIONS]
    out += [
        MultiAttributeBiasAmplification(direction=way, **lists)
        for way in [*DIRECTIONS, "undirected"]
    ]
    for quality in oracle.SCORES:
        options = {"quality": quality, "equalize": "expected", **lists}
        out += [DirectionalPredictabilityAmplification(direction=w, **options) for w in DIRECTIONS]
    return out + [LeakageAmplification(equalize=how, **lists) for how in ("expected", None)]
