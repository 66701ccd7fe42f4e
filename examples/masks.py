"""[W21] Tables 1 and 3, [T25] Tables 2 and 9: networks that see less and less of a person.

Predictions were not published, so what can be checked is whether the tables agree: the mean of the
66 objects of [W21] Table 3 is Table 1, and BA and MALS of balanced sets are 0 by definition.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from _study import Tables, number, run, verdict

import biasamp_adapters as bam

MASKS = {"original": "orig", "noisy mask": "noisy", "full mask": "full"}


def means(objects: pd.DataFrame) -> pd.DataFrame:
    """Return Table 1 next to the means of Table 3, whose values are printed times 100."""
    rows = []
    for row in bam.studies.load_published("w21_table_1").itertuples():
        name = "MALS" if row.metric == "MALS" else f"BA {row.direction.replace('->', '→')}"
        printed = row.image, name, number(row.value, 4, row.half_width)
        if row.metric == "MALS":
            rows.append((*printed, "", "", "not computable: Table 3 has no MALS"))
            continue
        column = f"{MASKS[row.image]}_{row.direction.replace('->', '')}"
        mean = objects[f"{column}_mean"].mean() / 100
        # The half-width of a mean over objects is at most the mean of their half-widths.
        widest = objects[f"{column}_ci"].mean() / 100
        found = verdict(row.value, 4, mean, row.half_width)
        if row.half_width > widest:
            found += f"; ± refuted, at most {widest:.4f}"
        rows.append((*printed, number(mean), number(widest), found))
    columns = ["image", "metric", "Table 1", "mean of Table 3", "mean of its ±", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def spread(objects: pd.DataFrame) -> pd.DataFrame:
    """Return how many objects have an interval without 0, and the mean size of their values."""
    rows = []
    for direction in ("A→T", "T→A"):
        for mask, prefix in MASKS.items():
            column = f"{prefix}_{direction.replace('→', '')}"
            value, half = objects[f"{column}_mean"] / 100, objects[f"{column}_ci"] / 100
            sides = int((value > half).sum()), int((value < -half).sum())
            rows.append((direction, mask, *sides, number(value.abs().mean())))
    columns = ["direction", "image", "objects above 0", "objects below 0", "mean size"]
    return pd.DataFrame(rows, columns=columns)


def balanced() -> pd.DataFrame:
    """Return how many values of balanced sets are printed as 0, as they must be."""
    rows = []
    for name in ("t25_table_2", "t25_table_9"):
        table = bam.studies.load_published(name).query("split == 'balanced'")
        for metric in ("BA", "MALS"):
            values = table.loc[table["metric"] == metric, "value"]
            if len(values):
                exact = "exact" if (values == 0).all() else "refuted"
                number_of = name.rpartition("_")[2]
                rows.append((f"Table {number_of}", metric, len(values), "0.0000", exact))
    return pd.DataFrame(rows, columns=["[T25]", "metric", "values", "by definition", "verdict"])


def find(data_home: Path) -> Tables:
    """Return what the tables of both papers say of each other."""
    objects = pd.read_csv(data_home / "w21_table3.csv")
    return {"means": means(objects), "objects": spread(objects), "balanced": balanced()}


if __name__ == "__main__":
    run(find)
