"""[W21] Fig. 6."""

from __future__ import annotations

from typing import Any

from documented import assert_documented


def test_little_amplification_beside_a_gap_of_false_positives(example: Any) -> None:
    tables = example.find()
    assert_documented("compas_thresholds", tables)
    table = tables["sweep"].set_index("share")
    assert table["BA A->T value"].abs().max() < 0.07
    assert table["FPR difference value"].max() > 0.2
    inside = table[(table.index > 0) & (table.index < 1)]
    assert len(inside) == 9
    assert (inside["BA A->T low"] > 0).sum() == 6
    # Whoever is called alike differs in nothing: the correlation of the data is lost.
    ends = table.loc[[0.0, 1.0]]
    assert (ends["FPR difference value"] == 0).all()
    assert (ends["BA A->T high"] < 0).all()
