"""[W21] 5.1 and Fig. 3: what six captioning models do to genders and objects of COCO.

A caption predicts the objects that it names (65 of the paper's 66; no label is "person") and a
gender, unless it names none. The paper shows captions in which Equalizer lowers T→A and raises A→T,
and prints no numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, number, run, with_interval

import biasamp_adapters as bam


def read(data_home: Path) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Return images, captions, and the objects of the paper that occur among the labels."""
    images = pd.read_csv(data_home / "coco_labels.csv.gz", keep_default_na=False)
    captions = pd.read_csv(data_home / "coco_caption_predictions.csv.gz", keep_default_na=False)
    listed = pd.read_csv(data_home / "coco_objects.csv").query("in_66 == 1")["object"]
    labels = set().union(*images["objects"].str.split("|"))
    return images.set_index("image_id"), captions, [name for name in listed if name in labels]


def results(images: pd.DataFrame, part: pd.DataFrame, objects: list[str], missing: str) -> Any:
    """Return BA of a model's captions in both directions."""
    labels = images.loc[part["image_id"]]
    true, predicted = (
        lists.str.get_dummies("|").reindex(columns=objects, fill_value=0).to_numpy()
        for lists in (labels["objects"], part["objects_pred"])
    )
    gender = part["gender_pred"].to_numpy(dtype=object)
    return {
        direction: bam.DirectionalBiasAmplification(
            direction=direction, missing=missing, class_labels=objects
        ).result(
            true,
            predicted,
            sensitive_features=labels["gender"].to_numpy(),
            sensitive_features_pred=np.where(gender == "", None, gender),
            n_boot=500,
        )
        for direction in ("A->T", "T->A")
    }


def find(data_home: Path) -> Tables:
    """Return BA of each model, and what its mean over pairs hides."""
    images, captions, objects = read(data_home)
    values, hidden = [], []
    for model, part in captions.groupby("model", sort=False):
        named = part[part["gender_pred"] != ""]
        for rule, rows in (("left out", named), ("missing", part)):
            missing = "error" if rule == "left out" else "abstain"
            found = results(images, rows, objects, missing)
            texts = [with_interval(result.value, result.interval) for result in found.values()]
            errors = [number(r.estimates["equal_errors"].value) for r in found.values()]
            values.append((model, rule, len(rows), *texts, *errors))
            if rule == "left out":
                tables = [result.by_pair for result in found.values()]
                sizes = [number(table["change"].abs().mean()) for table in tables]
                leans = tables[1].query("group == 'man'").groupby("sign")["contribution"].mean()
                hidden.append((model, *sizes, number(leans[1]), number(leans[-1])))
    columns = ["model", "captions without a gender", "captions", "BA A→T", "BA T→A"]
    columns += ["A→T of equal error rates", "T→A of equal error rates"]
    sizes = ["mean size A→T", "mean size T→A", "T→A, objects of men", "T→A, objects of women"]
    return {
        "models": pd.DataFrame(values, columns=columns),
        "hidden": pd.DataFrame(hidden, columns=["model", *sizes]),
    }


if __name__ == "__main__":
    run(find)
