"""The recipe for Hugging Face Evaluate."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipe_cases import ignoring_warnings, recipe

pytestmark = ignoring_warnings

#: Of 50 rows a group, 30 and 20 are positive; the model says so of 35 and 15.
ROWS = {
    "groups": ["a"] * 50 + ["b"] * 50,
    "references": [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30,
    "predictions": [1] * 35 + [0] * 15 + [1] * 15 + [0] * 35,
}


def test_at_once_and_in_batches(tmp_path: Path) -> None:
    module = recipe("hf_evaluate", "evaluate")
    metric = module.BiasAmplification(cache_dir=str(tmp_path))
    found = metric.compute(**ROWS, n_boot=0)
    # Each rate moves by 5/50 along the correlation.
    assert found["ba_a_to_t"] == pytest.approx(0.1)
    assert {"mals", "la", "multi_undirected", "dpa_u_a_to_t"} <= {*found}
    for start in range(0, 100, 30):
        metric.add_batch(**{name: column[start : start + 30] for name, column in ROWS.items()})
    assert metric.compute(n_boot=0) == found
