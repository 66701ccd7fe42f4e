"""[W21] 3.2, 4.1 and Fig. 2: counts on which MALS fails, and six metrics of one classifier.

In Fig. 2, 30 of 40 women and 10 of 40 men paint. A classifier is right about all men, and predicts
of a growing share of the women that they paint. The figure prints no numbers, but its caption says
which metrics tell under-prediction (below .75) from over-prediction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, number, run, verdict

import biasamp_adapters as bam

#: Scenario, metric, value in the text and its decimals.
PRINTED = [
    ("three groups", "MALS", 0, 0),
    ("two groups, first model", "MALS", 0.2, 1),
    ("two groups, second model", "MALS", 0.033, 3),
    ("imbalanced groups", "MALS", -0.6, 1),
    ("three groups", "BA A→T", 0.1778, 4),
    ("imbalanced groups", "BA A→T", 0.3333, 4),
    ("three groups", "BA T→A", 0, 0),
    ("imbalanced groups", "BA T→A", 0, 0),
]
METRICS = {
    "MALS": bam.MALSBiasAmplification(),
    "BA A→T": bam.DirectionalBiasAmplification(pos_label=1),
    "BA T→A": bam.DirectionalBiasAmplification(direction="T->A", pos_label=1),
}


def shortcomings() -> pd.DataFrame:
    """Return the values of the text next to ours."""
    counts, rows = bam.studies.load_published("w21_shortcomings"), []
    for scenario, metric, printed, decimals in PRINTED:
        cells = counts[counts["scenario"] == scenario]
        ours = METRICS[metric](
            cells["y_true"],
            cells["y_pred"],
            sensitive_features=cells["group"],
            sensitive_features_pred=cells["group"],
            sample_weight=cells["count"],
        )
        found = number(printed, decimals), number(ours), verdict(printed, decimals, ours)
        rows.append((scenario, metric, *found))
    return pd.DataFrame(rows, columns=["scenario", "metric", "paper", "ours", "verdict"])


def paint(share: float) -> dict[str, float]:
    """Return six metrics if this share of women is predicted to paint."""
    women, men = np.arange(40) < 30, np.arange(40) < 10
    predicted = np.arange(40) < round(share * 40)
    truth, said = np.r_[women, men].astype(int), np.r_[predicted, men].astype(int)
    group = np.repeat(["woman", "man"], 40)
    # As in the authors' script: the mean of two tasks, to paint and not to paint.
    both: Any = np.column_stack([truth, 1 - truth]), np.column_stack([said, 1 - said])
    right = predicted == women
    return {
        "FPR difference": predicted[30:].mean(),
        "TPR difference": 1 - predicted[:30].mean(),
        "accuracy difference": 1 - right.mean(),
        "mean accuracy": (2 + right[:30].mean() + right[30:].mean()) / 4,
        "MALS": METRICS["MALS"](*both, sensitive_features=group),
        "BA A→T": METRICS["BA A→T"](truth, said, sensitive_features=group),
    }


def painting() -> pd.DataFrame:
    """Return six metrics at three shares of women who are predicted to paint."""
    table = pd.DataFrame({f"{share} predicted": paint(share) for share in (0.5, 0.75, 1.0)})
    below, right, above = table.round(9).to_numpy().T
    words = np.where((below - right) * (above - right) < 0, "yes", "no")
    table = table.map(number).assign(**{"tells the two sides apart": words})
    return table.rename_axis("metric").reset_index()


def find() -> Tables:
    """Return the worked examples, and the metrics of Fig. 2."""
    return {"values": shortcomings(), "painting": painting()}


if __name__ == "__main__":
    run(find)
