"""How many numbers of the papers' tables are exact, within their interval, refuted, or neither.

The verdicts are counted in the tables of the other studies.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from _study import Tables, run

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "studies" / "tables"
KINDS = ["exact", "within the interval", "refuted"]
#: Where the numbers are printed, how many there are, and the table of a study with the verdicts.
PRINTED = [
    ("[W21] 3.2 and 4.1", 8, "worked_examples_values"),
    ("[W21] 3.3 and A.2", 14, "corpus_constraints_text"),
    ("[W21] Table 1", 9, "masks_means"),
    ("[W21] Table 2", 8, "base_rates_table_2"),
    ("[W21] Table 3", 396, ""),
    ("[T25] 3.2", 2, "behaviour_relative"),
    ("[T25] 4.1 and 4.3", 5, "balanced_sets_claims"),
    ("[T25] Tables 2 and 9", 88, "masks_balanced"),
    ("[T25] Tables 3, 4, 10 and 11", 216, "nine_models_checks"),
    ("[T25] Table 6", 24, "trees_on_compas_counts"),
    ("[T25] Table 7", 12, "compas_tables_table_7"),
    ("[T25] Table 8", 28, "shortcuts_table_8"),
]


def count(name: str) -> list[int]:
    """Return how many numbers have each kind of verdict."""
    if not name:
        return [0, 0, 0]
    table = pd.read_csv(FOLDER / f"{name}.csv")
    weights = pd.Series(1, table.index)
    if name == "masks_balanced":
        weights = table["values"]
    if name == "nine_models_checks":
        # Printed ranks are no values of a metric.
        table = table[~table["numbers"].str.contains("ranks")]
        weights = table["printed"].where(table["impossible"] == 0, table["impossible"])
    kinds = [table["verdict"].str.startswith(kind) for kind in KINDS]
    return [int(weights[is_kind].sum()) for is_kind in kinds]


def find() -> Tables:
    """Return the numbers of each kind, and those that are neither."""
    rows = []
    for place, total, name in PRINTED:
        counts = count(name)
        rows.append((place, total, *counts, total - sum(counts)))
    table = pd.DataFrame(rows, columns=["place", "numbers", *KINDS, "neither"])
    sums = table.drop(columns="place").sum()
    table.loc[len(table)] = ["sum", *sums]
    return {"numbers": table}


if __name__ == "__main__":
    run(find)
