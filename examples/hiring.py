"""[T25] 5.1: hiring and the indoors, two datasets that metrics call biased or not.

200 men and 100 women apply, and a quarter of each is hired; of 300 people, 75 of each kind are
indoors or outdoors. For BA the first is unbiased, because rates are equal; for DPA of
1/cross-entropy or accuracy it is not, because classes differ in size. Four models say why that
matters: one repeats the truth; one takes as many of each group, half of them others; one takes
nobody; one takes men twice as often. BA is 0 for all four, on both datasets: equal rates are ties.
The paper calls BA the better choice for hiring; it is blind there to the model that prefers men.
The levels of the uncertainty coefficient U ask for dependence alone, and see that model only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, run, uncertainty

import biasamp_adapters as bam

#: Rows of each group, and how many of them have class 1.
DATASETS = {
    "hiring": {"man": (200, 50), "woman": (100, 25)},
    "indoors": {"man": (150, 75), "woman": (150, 75)},
}
METRICS = {
    "BA A->T": bam.DirectionalBiasAmplification(),
    "Multi A->T": bam.MultiAttributeBiasAmplification(),
    "DPA 1/CE": bam.DirectionalPredictabilityAmplification(equalize="expected"),
    "DPA accuracy": bam.DirectionalPredictabilityAmplification(
        quality="accuracy", equalize="expected"
    ),
}


def models(truth: np.ndarray, group: np.ndarray) -> dict[str, np.ndarray]:
    """What four models say of the rows of a dataset, whose positives come first in each group."""
    rank = pd.Series(truth).groupby(group).cumcount().to_numpy()
    positives = pd.Series(truth).groupby(group).transform("sum").to_numpy()
    favoured = np.where(group == "man", 4 / 3, 2 / 3)
    return {
        "the truth": truth,
        "half of them others": (rank >= positives // 2).astype(int)
        * (rank < positives // 2 + positives),
        "nobody": np.zeros_like(truth),
        "men twice as often": (rank < np.rint(favoured * positives)).astype(int),
    }


def find() -> Tables:
    """The metrics of each model on each dataset."""
    rows = []
    for dataset, sizes in DATASETS.items():
        group = np.repeat(list(sizes), [n for n, _ in sizes.values()])
        truth = np.concatenate([np.arange(n) < ones for n, ones in sizes.values()]).astype(int)
        for model, said in models(truth, group).items():
            values = {
                name: metric(truth, said, sensitive_features=group)
                for name, metric in METRICS.items()
            }
            values["U of the model"] = uncertainty(said, group)
            rows.append({"dataset": dataset, "model": model, **values})
    return {"metrics": pd.DataFrame(rows)}


def draw(tables: Tables) -> Any:
    """One panel per metric, one group of bars per dataset."""
    from matplotlib import pyplot as plt

    table = tables["metrics"].pivot(index="model", columns="dataset")
    names = list(tables["metrics"].columns[2:])
    figure, axes = plt.subplots(1, len(names), figsize=(10, 2.6), layout="constrained", sharey=True)
    for ax, name in zip(axes, names, strict=True):
        table[name].plot.barh(ax=ax, legend=ax is axes[-1], color=["#1f78b4", "#d95f02"])
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set(title=name, xlim=(-1.05, 1.05), ylabel="")
    return figure


if __name__ == "__main__":
    run(find, draw)
