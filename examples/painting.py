"""[W21] Fig. 2: how fairness metrics respond to errors that strengthen or weaken a correlation.

30 of 40 women and 10 of 40 men paint. The classifier is right about all men; the share of women
whom it says to be painting grows from 1/40 to 1. The true share is .75. The differences of false
and of true positive rates see one kind of error each, the difference of accuracies and the mean
accuracy do not tell the two apart. BA A->T is (share - .75)/2. MALS is the mean of two tasks, to
paint and not to paint, as in the script released with the paper: of share/(share + .25) - .75 and
of .75/(1.75 - share) - .75. Both metrics are below 0 where the correlation is weakened, and above
where it is strengthened.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, run

import biasamp_adapters as bam


def both_tasks(paints: np.ndarray) -> np.ndarray:
    """To paint, and not to paint, as two columns."""
    return np.stack([paints, 1 - paints], axis=1)


def find() -> Tables:
    """The metrics for each number of women who are said to be painting."""
    gender = ["woman"] * 40 + ["man"] * 40
    truth = np.array([1] * 30 + [0] * 10 + [1] * 10 + [0] * 30)
    rows = []
    for said in range(1, 41):
        predicted = np.concatenate([np.arange(40) < said, truth[40:]]).astype(int)
        women = truth[:40] == predicted[:40]
        accuracies = women[truth[:40] == 1].mean(), women[truth[:40] == 0].mean()
        rows.append(
            {
                "share": said / 40,
                # Men are predicted without error.
                "FPR difference": 1 - accuracies[1],
                "TPR difference": accuracies[0] - 1,
                "accuracy difference": women.mean() - 1,
                "mean accuracy": (np.mean(accuracies) + 1) / 2,
                "MALS": bam.MALS()(
                    both_tasks(truth), both_tasks(predicted), sensitive_features=gender
                ),
                "BA A->T": bam.DirectionalBiasAmplification()(
                    truth, predicted, sensitive_features=gender
                ),
            }
        )
    return {"_metrics": pd.DataFrame(rows)}


def draw(tables: Tables) -> Any:
    """A panel for each pair of metrics that respond alike."""
    from matplotlib import pyplot as plt

    table = tables["_metrics"].set_index("share")
    figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
    for ax, names in zip(axes, np.reshape(table.columns, (3, 2)), strict=True):
        bam.plot.curves(
            list(table.index), {name: list(table[name]) for name in names}, at=0.75, ax=ax
        )
        ax.set_xlabel("women said to be painting")
    return figure


if __name__ == "__main__":
    run(find, draw)
