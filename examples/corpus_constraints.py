"""Zhao et al. 2017 and [W21] 3.3: MALS before and after constraints on a corpus.

The authors published, for the dev splits of COCO (66 objects) and imSitu (212 verbs), the share of
men for each task in the training data and in the predictions, without and with the constraints. The
shares are rates set by hand (`BaseRates`), and a row with its weight stands for predictions.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from _study import Tables, number, run, verdict

import biasamp_adapters as bam

COLUMNS = {"before": "gender_ratio_before_RBA", "after": "gender_ratio_after_RBA"}
#: Of [W21] 3.3: what is printed, the value, its decimals.
PRINTED = [
    ("MALS of COCO, before the constraints", 0.040, 3),
    ("MALS of COCO, after the constraints", 0.021, 3),
    ("oven: share of men", 0.56, 2),
    ("oven: change of the share", -0.10, 2),
    ("oven: 0.0103 of 0.0129/0.712, at least", 0.56, 2),
    ("keyboard: share of men", 0.70, 2),
    ("keyboard: predicted share of men", 0.83, 2),
    ("times as many men as women: 0.712/0.288", 2.5, 1),
    ("papers without error bars (A.2): 25 of 48", 0.52, 2),
]
#: Of the same text: these need rows of labels and predictions, which are lost.
NEED_ROWS = [
    ("keyboard among men: predicted rate", 0.0020, 4),
    ("keyboard among men: rate in the labels", 0.0032, 4),
    ("images with a keyboard: predicted share of men", 0.78, 2),
    ("predicted share of men", 0.756, 3),
    ("MALS of COCO, with a calibrated threshold", 0.001, 3),
]


def read(data_home: Path, name: str) -> pd.DataFrame:
    """Return the shares of men by task."""
    ratios = pd.read_csv(data_home / f"mals_{name}_dev_ratios.csv", keep_default_na=False)
    return ratios.set_index(ratios.columns[0]).apply(pd.to_numeric)


def mals(ratios: pd.DataFrame, column: str) -> float:
    """Return MALS of predicted shares; tasks that were never predicted are left out."""
    present = ratios[ratios[column].notna()]
    rates = {task: {"man": p, "woman": 1 - p} for task, p in present["training_ratio"].items()}
    metric = bam.MALSBiasAmplification(reference=bam.BaseRates(rates, direction="T->A"))
    share, tasks = present[column], list(present.index)
    groups = ["man"] * len(tasks) + ["woman"] * len(tasks)
    weights = [*share, *(1 - share)]
    return metric(None, tasks * 2, sensitive_features=groups, sample_weight=weights)


def find(data_home: Path) -> Tables:
    """Return MALS of both data sets, and the numbers of the text next to ours."""
    rows, values = [], {}
    for label, name in (("COCO", "coco"), ("imSitu", "imsitu")):
        ratios = read(data_home, name)
        values[name] = {when: mals(ratios, column) for when, column in COLUMNS.items()}
        rows.append((label, len(ratios), *(number(value) for value in values[name].values())))
    coco = read(data_home, "coco")
    trained, before = coco["training_ratio"], coco[COLUMNS["before"]]
    ours = [
        *values["coco"].values(),
        trained["oven"],
        before["oven"] - trained["oven"],
        0.01025 / 0.01295 * 0.7115,  # The printed numbers are rounded.
        trained["keyboard"],
        before["keyboard"],
        0.712 / 0.288,
        25 / 48,
    ]
    text = []
    for (what, printed, decimals), value in zip(PRINTED, ours, strict=True):
        found = verdict(printed, decimals, value)
        if what.startswith("MALS"):
            found = "not computable: scores of the test split are lost"
        elif found == "refuted":
            found = f"not exact: prints as {number(value, decimals)}"
        text.append((what, number(printed, decimals), number(value), found))
    for what, printed, decimals in NEED_ROWS:
        text.append((what, number(printed, decimals), "–", "not computable: the rows are lost"))
    return {
        "mals": pd.DataFrame(rows, columns=["dev split of", "tasks", *COLUMNS]),
        "text": pd.DataFrame(text, columns=["[W21] 3.3", "paper", "ours", "verdict"]),
    }


if __name__ == "__main__":
    run(find)
