"""[W21] 3.2 and 4.1: three tables of counts on which MALS is wrong, and BA A->T is not.

1. Three groups: a model that amplifies the bias scores 0, because the group whose correlation is
   the strongest is the only one that counts. With two groups, two models that amplify it alike
   score .2 and .033.
2. Groups of different size: the larger group is taken for the correlated one, and a model that
   amplifies the bias as much as it can scores -.6.
3. MALS mixes directions: here all groups are predicted without error, so that T->A is 0.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from _study import Tables, run

import biasamp_adapters as bam
from biasamp_adapters.datasets import load_published

METRICS = {
    "MALS": bam.MALS(),
    "BA A->T": bam.DirectionalBiasAmplification(pos_label=1),
    "BA T->A": bam.DirectionalBiasAmplification(direction="T->A", pos_label=1),
}


def find() -> Tables:
    """The metrics of each scenario."""
    rows = []
    for scenario, cells in load_published("w21_shortcomings").groupby("scenario", sort=False):
        people = cells.loc[cells.index.repeat(cells["count"])]
        # A metric by name, as the paper prints it: groups are predicted without error.
        values = {
            name: metric(
                people["y_true"],
                people["y_pred"],
                sensitive_features=people["group"],
                sensitive_features_pred=people["group"],
            )
            for name, metric in METRICS.items()
        }
        rows.append({"scenario": scenario, **values})
    return {"metrics": pd.DataFrame(rows)}


def draw(tables: Tables) -> Any:
    """MALS and BA A->T side by side."""
    from matplotlib import pyplot as plt

    table = tables["metrics"].set_index("scenario")
    figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
    table[["MALS", "BA A->T"]].plot.barh(ax=ax, color=["#999999", "#d95f02"])
    ax.axvline(0, color="black", linewidth=0.8)
    ax.invert_yaxis()
    ax.set(xlabel="value", ylabel="")
    return figure


if __name__ == "__main__":
    run(find, draw)
