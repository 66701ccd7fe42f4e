"""[T25] 4.1 and 4.3, Wang et al. 2019: the balanced and unbalanced sets of imSitu and COCO.

[T25] takes a balanced set, in which each verb has as many men as women, and an unbalanced one, in
which no verb has three times as many of one. Wang et al. published images within ratios 1, 2 and 3.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _study import Tables, number, run

import biasamp_adapters as bam

UNCERTAINTY = bam.LeakageAmplification(quality="uncertainty_coefficient", equalize=None)


def describe(rows: pd.DataFrame) -> tuple[int | str, ...]:
    """Return counts of a set, its ties of BA, and how much a verb tells of the gender."""
    data = {"y_true": rows["verb"], "y_pred": rows["verb"], "sensitive_features": rows["gender"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        signs = bam.DirectionalBiasAmplification().result(**data, n_boot=0).by_pair["sign"]
        level = UNCERTAINTY.result(**data, n_boot=0).estimates["psi_dataset"].value
    genders = rows["gender"].value_counts()
    counts = len(rows), int(genders["man"]), int(genders["woman"]), rows["verb"].nunique()
    return (*counts, int((signs == 0).sum()), number(level))


def claims(train: pd.DataFrame, balanced: pd.DataFrame) -> pd.DataFrame:
    """Return what the text says of its sets next to the counts of the data."""
    counts = train.groupby("verb")["gender"].value_counts().unstack(fill_value=0)
    ratios = counts.max(axis=1) / counts.min(axis=1)
    kept = counts[ratios < 3]
    # 211 - 205 verbs, and (14,684 - 14,600) / 2 pairs, have to be left out.
    ways = choices(counts.min(axis=1), 6, (len(balanced) - 14_600) // 2)
    possible = f"possible: {ways:,} choices of six verbs to leave out"
    _, men, women, *_ = describe(train)
    within = f"{kept.to_numpy().sum():,} of {len(kept)} verbs"
    rows = [
        ("imSitu unbalanced", "24,301 = 14,199 + 10,102", f"{men + women:,}", "exact"),
        ("the same by its Eq. 9", "24,301 of 205 verbs", within, "refuted"),
        ("imSitu balanced", "14,600 of 205 verbs", f"{len(balanced):,} of 211 verbs", possible),
        ("COCO unbalanced", "15,743 = 8,885 + 6,588", f"{8885 + 6588:,}", "refuted"),
        ("COCO balanced", "6,156 = 2 · 3,078", f"{2 * 3078:,}", "exact"),
    ]
    return pd.DataFrame(rows, columns=["set", "paper", "ours", "verdict"])


def choices(least: pd.Series, verbs: int, pairs: int) -> int:
    """Return how many choices of so many verbs have so many pairs of a man and a woman."""
    ways = np.zeros((verbs + 1, pairs + 1), dtype=int)
    ways[0, 0] = 1
    for size in least[least <= pairs]:
        ways[1:, size:] = ways[1:, size:] + ways[:-1, : pairs + 1 - size]
    return int(ways[verbs, pairs])


def find(data_home: Path) -> Tables:
    """Return the sets of imSitu's train split, the claims on them, and subsets of COCO."""
    images = pd.read_csv(data_home / "imsitu_verbs.csv.gz", keep_default_na=False)
    train = images[images["split"] == "train"]
    sets = {"all": train} | {f"ratio {k}": train[train[f"ratio_{k}"] == 1] for k in (3, 2, 1)}
    sets["Eq. 7"] = train.iloc[bam.studies.balanced_subset(train["verb"], train["gender"])]
    columns = ["set", "images", "men", "women", "verbs", "ties", "U of gender by verb"]
    described = [(name, *describe(rows)) for name, rows in sets.items()]
    coco, subsets = pd.read_csv(data_home / "coco_labels.csv.gz", keep_default_na=False), []
    for split, rows in coco.groupby("split", sort=False):
        objects = rows["objects"].str.get_dummies("|")
        for ratio in (1, 2, 3):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", bam.AmplificationWarning)
                largest = bam.studies.ratio_subset(objects, rows["gender"], max_ratio=ratio)
            published = (rows[f"ratio_{ratio}"] == 1).to_numpy()
            n_objects = objects.to_numpy().sum(axis=1)
            means = [number(n_objects[kept].mean(), 2) for kept in (published, largest)]
            subsets.append((split, len(rows), ratio, published.sum(), len(largest), *means))
    names = ["COCO", "images", "ratio", "published", "largest"]
    names += ["objects in an image, published", "objects in an image, largest"]
    return {
        "sets": pd.DataFrame(described, columns=columns),
        "claims": claims(train, sets["Eq. 7"]),
        "coco": pd.DataFrame(subsets, columns=names),
    }


if __name__ == "__main__":
    run(find)
