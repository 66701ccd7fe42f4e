"""[W21] 5.1, Fig. 3: what six captioning models do to gender and objects, on 10,840 COCO images.

A caption predicts the objects that it names (65 of the papers' 66; no label is "person") and a
gender, unless it names none. [W21] shows captions in which a model that was trained for correct
gender words (Equalizer) lowers T->A and raises A->T; it prints no numbers. Here are all six models,
both directions, with intervals; captions without a gender left out, and kept as abstentions; and
what the mean over pairs hides: objects that lean to men and objects that lean to women move in
opposite ways. Equalizer moves rates of gender least and those of objects most, as the paper shows;
its mean T->A is the highest of the six all the same, where captions without a gender are left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, run

import biasamp_adapters as bam


def matrix(lists: pd.Series, objects: list[str]) -> pd.DataFrame:
    """One column per object: whether the list of a row contains it."""
    return lists.str.get_dummies("|").reindex(columns=objects, fill_value=0)


def read(data_home: Path) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Images, captions, and the papers' objects that the images' labels hold."""
    kept = {"keep_default_na": False}
    images = pd.read_csv(data_home / "coco_labels.csv.gz", **kept).set_index("image_id")
    captions = pd.read_csv(data_home / "coco_caption_predictions.csv.gz", **kept)
    listed = pd.read_csv(data_home / "coco_objects.csv").query("in_66 == 1")["object"]
    held = set().union(*images["objects"].str.split("|"))
    return images, captions, [name for name in listed if name in held]


def audit(
    images: pd.DataFrame, captions: pd.DataFrame, objects: list[str], missing: str, n_boot: int
) -> dict[str, bam.AmplificationResult]:
    """BA of one model, in both directions."""
    images = images.loc[captions["image_id"]]
    gender = captions["gender_pred"].to_numpy(dtype=object)
    return {
        direction: bam.DirectionalBiasAmplification(direction=direction, missing=missing).result(
            matrix(images["objects"], objects),
            matrix(captions["objects_pred"], objects).set_axis(images.index),
            sensitive_features=images["gender"],
            sensitive_features_pred=np.where(gender == "", None, gender),
            n_boot=n_boot,
        )
        for direction in ("A->T", "T->A")
    }


def find(data_home: Path, n_boot: int = 1000) -> Tables:
    """BA of each model, its parts, and BA of each object for two of them."""
    images, captions, objects = read(data_home)
    rows, hidden, by_object = [], [], []
    for model, part in captions.groupby("model", sort=False):
        named = part[part["gender_pred"] != ""]
        for rule, kept in (("left out", named), ("abstain", part)):
            missing = "error" if rule == "left out" else "abstain"
            found = audit(images, kept, objects, missing, n_boot)
            for direction, result in found.items():
                low, high = result.interval
                row = {"model": model, "direction": direction, "no gender": rule}
                rows.append(
                    row
                    | {"captions": len(kept), "value": result.value, "low": low, "high": high}
                    | {"blind errors": result.blind_errors.value}
                )
                if rule == "abstain":
                    continue
                parts = result.by_attribute_and_sign["contribution"]
                leaning = {f"{group}, {sign:+d}": value for (group, sign), value in parts.items()}
                hidden.append(row | {"mean size of D": result.mean_abs_delta} | leaning)
                task = result.by_task.rename_axis("object").reset_index(name=direction)
                by_object.append(task.assign(model=model))
    of_objects = pd.concat(by_object).groupby(["model", "object"]).first()
    return {
        "models": pd.DataFrame(rows),
        "hidden": pd.DataFrame(hidden).drop(columns="no gender"),
        "objects": widest(of_objects),
        "_objects": of_objects.reset_index(),
    }


def widest(of_objects: pd.DataFrame, models: tuple[str, str] = ("baseline_ft", "equalizer")) -> Any:
    """Both directions of two models, for the objects whose T->A is furthest from 0 in the first."""
    found = pd.concat({name: of_objects.loc[name] for name in models}, axis=1)
    order = found[models[0], "T->A"].sort_values()
    found = found.loc[[*order.index[:6], *order.index[-6:]]]
    return found.set_axis([f"{model} {direction}" for model, direction in found], axis=1)


def draw(tables: Tables) -> Any:
    """One dot per object: both directions of each model."""
    from matplotlib import pyplot as plt

    table = tables["_objects"]
    figure, axes = plt.subplots(
        2, 3, figsize=(9, 5), layout="constrained", sharex=True, sharey=True
    )
    for ax, model in zip(axes.flat, table["model"].unique(), strict=True):
        part = table[table["model"] == model]
        ax.axhline(0, color="#999999", linewidth=0.8)
        ax.axvline(0, color="#999999", linewidth=0.8)
        ax.plot(part["A->T"], part["T->A"], ".", color="#d95f02")
        ax.set_title(model)
    figure.supxlabel("BA A->T of an object")
    figure.supylabel("BA T->A")
    return figure


if __name__ == "__main__":
    run(find, draw)
