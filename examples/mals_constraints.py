"""Zhao et al. 2017: MALS of image models before and after corpus-level constraints.

The authors published, for the dev splits of COCO (66 objects) and imSitu (212 verbs), P(man given
object) in the training data and in the predictions, without and with their constraints. MALS needs
no more: the rates are set by hand (`BaseRates`), and a row with its weight stands for a share of
predictions. COCO .0317 -> .0217, imSitu .0502 -> .0239. The .040 -> .021 of [W21] 3.3 is of the
test split of COCO, whose scores were not at hand, and does not compare.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, run

import biasamp_adapters as bam

COLUMNS = {"before": "gender_ratio_before_RBA", "after": "gender_ratio_after_RBA"}


def mals(ratios: pd.DataFrame, column: str) -> bam.AmplificationResult:
    """MALS of the predicted ratios, one task per row of ``ratios``."""
    known = ratios[ratios[column].notna()]
    tasks = known.iloc[:, 0].to_numpy()
    trained = known["training_ratio"].to_numpy()
    rates = pd.DataFrame({"man": trained, "woman": 1 - trained}, index=tasks)
    metric = bam.MALS(reference=bam.BaseRates(attribute_given_task=rates))
    man = known[column].to_numpy()
    return metric.result(
        None,
        np.tile(tasks, 2),
        sensitive_features=np.repeat(["man", "woman"], len(tasks)),
        sample_weight=np.concatenate([man, 1 - man]),
    )


def find(data_home: Path) -> Tables:
    """MALS of both datasets, and the contribution of each task."""
    rows, parts = [], []
    for name, file in (("COCO", "coco"), ("imSitu", "imsitu")):
        ratios = pd.read_csv(data_home / f"mals_{file}_dev_ratios.csv", keep_default_na=False)
        ratios.iloc[:, 1:] = ratios.iloc[:, 1:].apply(pd.to_numeric)
        results = {when: mals(ratios, column) for when, column in COLUMNS.items()}
        by_task = pd.DataFrame({when: result.by_task for when, result in results.items()})
        rows.append(
            {"dataset": name, "tasks": len(by_task)} | {w: r.value for w, r in results.items()}
        )
        parts.append(by_task.rename_axis("task").reset_index().assign(dataset=name))
    return {"mals": pd.DataFrame(rows), "_tasks": pd.concat(parts, ignore_index=True)}


def draw(tables: Tables) -> Any:
    """What each task adds, before and after."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained")
    for ax, (name, part) in zip(axes, tables["_tasks"].groupby("dataset"), strict=True):
        ax.axline((0, 0), slope=1, color="#999999", linewidth=0.8)
        ax.plot(part["before"], part["after"], ".", color="#d95f02")
        ax.set(title=name, xlabel="before the constraints", ylabel="after")
    return figure


if __name__ == "__main__":
    run(find, draw)
