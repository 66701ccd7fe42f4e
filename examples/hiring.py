"""[T25] 5.1: hiring and the indoors, two datasets that metrics call biased or not.

Of 200 men and 100 women a quarter is hired; of 300 people, 75 of each pair are indoors or outdoors.
Four models say what follows: one repeats the labels, one predicts as many of each group but half of
them others, one predicts nobody, and one predicts men twice as often as women.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from _study import Tables, number, run

import biasamp_adapters as bam

#: Rows of each group, and how many of them have class 1.
DATASETS = {
    "hiring": {"man": (200, 50), "woman": (100, 25)},
    "indoors": {"man": (150, 75), "woman": (150, 75)},
}
DPA = bam.DirectionalPredictabilityAmplification
METRICS = {
    "BA A→T": bam.DirectionalBiasAmplification(),
    "Multi A→T": bam.MultiAttributeBiasAmplification(),
    "DPA A→T": DPA(equalize="expected"),
    "DPA A→T, accuracy": DPA(equalize="expected", quality="accuracy"),
}
UNCERTAINTY = DPA(quality="uncertainty_coefficient", equalize=None)


def models(truth: np.ndarray, group: np.ndarray) -> dict[str, np.ndarray]:
    """Return the predictions of four models; the positives of a group come first."""
    rank = pd.Series(truth).groupby(group).cumcount().to_numpy()
    positives = pd.Series(truth).groupby(group).transform("sum").to_numpy()
    half = positives // 2
    share = np.where(group == "man", 4 / 3, 2 / 3)
    return {
        "the labels": truth,
        "half of them others": ((rank >= half) & (rank < half + positives)).astype(int),
        "nobody": np.zeros_like(truth),
        "men twice as often": (rank < np.rint(share * positives)).astype(int),
    }


def find() -> Tables:
    """Return the metrics of each model on each dataset."""
    rows = []
    for dataset, sizes in DATASETS.items():
        group = np.repeat(list(sizes), [n for n, _ in sizes.values()])
        truth = np.concatenate([np.arange(n) < ones for n, ones in sizes.values()]).astype(int)
        for model, predicted in models(truth, group).items():
            data = {"y_true": truth, "y_pred": predicted, "sensitive_features": group}
            found = [number(metric(**data)) for metric in METRICS.values()]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", bam.AmplificationWarning)
                result = UNCERTAINTY.result(**data, n_boot=0)
            found.append(number(result.estimates["psi_model"].value))
            rows.append((dataset, model, *found))
    columns = ["dataset", "model", *METRICS, "U of the model"]
    return {"metrics": pd.DataFrame(rows, columns=columns)}


if __name__ == "__main__":
    run(find)
