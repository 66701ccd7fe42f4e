"""[T25] Fig. 6, Fig. 2 and 3.2: three metrics over designed shifts, and relative changes.

A dataset and a model are balanced tables of two groups and two classes, each shifted by an alpha
(`make_alpha_shift`). Fig. 6 prints no numbers; its text says what each metric does.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _study import Tables, number, run, verdict

import biasamp_adapters as bam

METRICS = {
    "BA A→T": bam.DirectionalBiasAmplification(),
    # The model's rates are set and do not come from errors, so no labels are flipped.
    "DPA A→T": bam.DirectionalPredictabilityAmplification(equalize=None, quality="accuracy"),
    "Multi A→T": bam.MultiAttributeBiasAmplification(),
}
ALPHAS = np.linspace(-0.24, 0.24, 17)
EXAMPLES = [(0.0, 0.05, 1.0, 0), (0.9, 0.95, 0.06, 2)]


def shifted(metric: bam.DirectionalBiasAmplification, dataset: float, model: float) -> float:
    """Return a metric of a dataset and a model with these shifts."""
    rows = bam.studies.make_alpha_shift(dataset, model)
    return metric(
        rows["task"],
        rows["task_pred"],
        sensitive_features=rows["attribute"],
        sample_weight=rows["weight"],
    )


def heat_maps() -> pd.DataFrame:
    """Return where each metric is 0, below and above 0."""
    rows = []
    for name, metric in METRICS.items():
        grid = np.array([[shifted(metric, d, m) for d in ALPHAS] for m in ALPHAS]).round(9)
        balanced = grid[:, len(ALPHAS) // 2]
        line = f"{number(balanced.min())} to {number(balanced.max())}"
        opposite = number(shifted(metric, 0.1, -0.1))
        rows.append((name, int((grid < 0).sum()), int((grid > 0).sum()), line, opposite))
    columns = ["metric", "below 0", "above 0", "balanced dataset", "alpha 0.1, model −0.1"]
    return pd.DataFrame(rows, columns=columns)


def find() -> Tables:
    """Return the metrics of Fig. 6, the examples of 3.2, and the slopes of Fig. 2."""
    examples = []
    for dataset, model, printed, decimals in EXAMPLES:
        ours = (model - dataset) / (model + dataset)
        found = number(printed, decimals), number(ours), verdict(printed, decimals, ours)
        ratio = f"{(model - dataset) / dataset:.4f}" if dataset else "infinite"
        examples.append((dataset, model, *found, ratio))
    # The derivative of (m - d) / (m + d) by m is 2 d / (m + d)^2, and 1 / (2 d) at m = d.
    slopes = [(level, "1", number(1 / (2 * level), 2)) for level in (0.1, 1.0, 2.0)]
    columns = ["dataset", "model", "paper", "ours, Eq. 5", "verdict", "change / dataset"]
    return {
        "heat_maps": heat_maps(),
        "relative": pd.DataFrame(examples, columns=columns),
        "slopes": pd.DataFrame(slopes, columns=["dataset", "slope of LA", "slope of DPA"]),
    }


if __name__ == "__main__":
    run(find)
