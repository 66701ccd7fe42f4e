"""[W21] Tables 1 and 3: the published values of 66 objects, against the published means.

Table 3 prints BA of each object under three masks of the person, with intervals over five runs;
Table 1 prints their means. T->A agrees. A->T does not: the means of Table 3 are all near 0, where
Table 1 has .0009, -.0042 and -.0051. The mean also says little of the objects: about three in four
have an interval without 0, on either side. (The study of masked digits makes such a table from
runs.)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from _study import Tables, run

from biasamp_adapters.datasets import load_published

MASKS = {"original": "orig", "noisy mask": "noisy", "full mask": "full"}


def find(data_home: Path) -> Tables:
    """The mean of each column of Table 3, in the units of Table 1, and what lies behind it."""
    objects = pd.read_csv(data_home / "w21_table3.csv").set_index("object")
    printed = load_published("w21_table_1")
    rows = []
    for direction in ("A->T", "T->A"):
        for mask, prefix in MASKS.items():
            column = f"{prefix}_{direction.replace('->', '')}"
            value, half = objects[f"{column}_mean"], objects[f"{column}_ci"]
            of_table_1 = printed.query("direction == @direction and image == @mask")
            rows.append(
                {
                    "direction": direction,
                    "mask": mask,
                    "Table 1": of_table_1["value"].item(),
                    "mean of Table 3": value.mean() / 100,
                    "objects above 0": int((value - half > 0).sum()),
                    "objects below 0": int((value + half < 0).sum()),
                    "mean size": value.abs().mean() / 100,
                }
            )
    return {"means": pd.DataFrame(rows), "_objects": objects}


def draw(tables: Tables) -> Any:
    """T->A of each object with its interval, in the order of the unmasked images."""
    from matplotlib import pyplot as plt

    objects = tables["_objects"].sort_values("orig_TA_mean")
    figure, axes = plt.subplots(
        1, 3, figsize=(8, 9), layout="constrained", sharex=True, sharey=True
    )
    for ax, (mask, prefix) in zip(axes, MASKS.items(), strict=True):
        ax.errorbar(
            objects[f"{prefix}_TA_mean"] / 100,
            objects.index,
            xerr=objects[f"{prefix}_TA_ci"] / 100,
            fmt=".",
            color="#d95f02",
            elinewidth=0.8,
        )
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set(title=mask, xlabel="BA T->A", ylim=(-1, len(objects)))
        ax.tick_params(axis="y", labelsize=6)
    return figure


if __name__ == "__main__":
    run(find, draw)
