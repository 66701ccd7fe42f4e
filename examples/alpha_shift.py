"""[T25] Fig. 6: three metrics for datasets and models of growing bias.

A dataset and a model are balanced tables of two groups and two classes, each shifted by an alpha
(`make_alpha_shift`). BA A->T is 0 along the balanced dataset, whatever the model does. DPA is not.
Multi is nowhere below 0, and so cannot tell more bias from less. BA A->T is above 0 where the
model's shift is the larger in size, so it is 0 on both diagonals: the difference of the groups'
rates is alpha squared / (.25 - alpha squared), the same for a shift either way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, run

import biasamp_adapters as bam
from biasamp_adapters.datasets import make_alpha_shift

METRICS = {
    "BA A->T": bam.DirectionalBiasAmplification(),
    # The model's rates are set and do not come from errors, so no labels are flipped.
    "DPA A->T": bam.DirectionalPredictabilityAmplification(equalize=None, quality="accuracy"),
    "Multi A->T": bam.MultiAttributeBiasAmplification(),
}


def behaviour(metric: Callable[..., float], alphas: np.ndarray) -> pd.DataFrame:
    """The metric for each dataset (columns) and model (rows)."""

    def value(dataset: float, model: float) -> float:
        rows = make_alpha_shift(dataset, model)
        return metric(
            rows["task"],
            rows["task_pred"],
            sensitive_features=rows["attribute"],
            sample_weight=rows["weight"],
        )

    values = [[value(dataset, model) for dataset in alphas] for model in alphas]
    index = pd.Index(alphas, name="alpha of the model")
    return pd.DataFrame(values, index, pd.Index(alphas, name="alpha of the dataset"))


def find(steps: int = 25) -> Tables:
    """One table per metric."""
    alphas = np.linspace(-0.245, 0.245, steps)
    return {f"_{name}": behaviour(metric, alphas) for name, metric in METRICS.items()}


def draw(tables: Tables) -> Any:
    """One heat map per metric."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained", sharey=True)
    for ax, (name, table) in zip(axes, tables.items(), strict=True):
        bam.plot.behaviour(table, ax=ax).set_title(name.lstrip("_"))
    return figure


if __name__ == "__main__":
    run(find, draw)
