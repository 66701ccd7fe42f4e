"""[T25] Appendix F and Table 8: one-pixel shortcuts in a balanced set, and what its numbers allow.

Predictions were not published. If all pairs of two groups and two classes have as many rows, some
numbers of the same predictions limit each other. Let m be Multi, the mean of |P(T^ | A) − 1/2|. A
group that is predicted positive at the rate p is right in at most 1 − |p − 1/2| of its rows, so
accuracy is at most 1 − m. The cross-entropy of the predictions by group is at most the entropy H of
a rate of 1/2 + m, so DPA of the best attacker is at least (ln 2 − H) / (ln 2 + H).

The design itself is in `make_hidden_bias`: a shortcut reveals the class, more often where group and
class are equal. A model that follows it is evaluated on such rows.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _study import Tables, number, over_runs, run

import biasamp_adapters as bam

METRICS = {
    "MALS": bam.mals_bias_amplification,
    "BA A→T": bam.directional_bias_amplification,
    "Multi A→T": bam.multi_attribute_bias_amplification,
    "LA": bam.leakage_amplification,
    "DPA A→T": bam.directional_predictability_amplification,
}


ACCURACIES = ["accuracy without", "accuracy with"]


def entropy(p: float) -> float:
    """Return the entropy of a rate, in nats."""
    return float(-p * np.log(p) - (1 - p) * np.log(1 - p))


def limits() -> pd.DataFrame:
    """Return the printed numbers next to what those of Multi allow."""
    table, rows = bam.studies.load_published("t25_table_8"), []
    for strength, part in table.groupby("shortcut_difference"):
        values = part.set_index("metric")["value"]
        accuracy, multi = part["accuracy_with"].iloc[0] / 100, values["Multi"]
        h = entropy(0.5 + multi)
        least = (np.log(2) - h) / (np.log(2) + h)
        found = {
            "BA": ("0", values["BA"] == 0),
            "MALS": ("0", values["MALS"] == 0),
            "DPA": (f"at least {number(least)}", values["DPA"] >= least),
            "accuracy": (f"at most {number(1 - multi)}", accuracy <= 1 - multi),
        }
        for name, (allowed, is_possible) in found.items():
            printed = accuracy if name == "accuracy" else values[name]
            words = "refuted" if not is_possible else "exact" if allowed == "0" else "possible"
            if name == "DPA" and not is_possible:
                words += " for the best attacker"
            rows.append((strength, name, number(printed), allowed, words))
    return pd.DataFrame(rows, columns=["L", "number", "paper", "balanced, by Multi", "verdict"])


def design(strength: float, seed: int) -> dict[str, float]:
    """Return the metrics of a model that follows the shortcut, else the signal."""
    rows = bam.studies.make_hidden_bias(1152, strength=strength, noise=3.0, random_state=seed)
    followed = rows["shortcut"].where(rows["shortcut"] != 0, rows["signal"])
    without, predicted = (
        bam.PrevalenceThreshold().fit(score, rows["task"]).predict(score)
        for score in (rows["signal"], followed)
    )
    values = {
        name: metric(rows["task"], predicted, sensitive_features=rows["attribute"])
        for name, metric in METRICS.items()
    }
    accuracies = [(said == rows["task"]).mean() for said in (without, predicted)]
    return dict(zip(ACCURACIES, accuracies, strict=True)) | values


def find() -> Tables:
    """Return what Table 8 allows, and the metrics of the design."""
    rows = []
    for strength in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        runs = pd.DataFrame([design(strength, seed) for seed in range(5)])
        rows.append((strength, *(over_runs(runs[name]) for name in runs)))
    return {"table_8": limits(), "design": pd.DataFrame(rows, columns=["L", *ACCURACIES, *METRICS])}


if __name__ == "__main__":
    run(find)
