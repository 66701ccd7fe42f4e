"""The audit of what six captioning models predict of the COCO images of [W21]."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

import biasamp_adapters as bam
from benchmarks.released import data_home
from benchmarks.table import Scale, Table

#: Seconds of process time that the audit may take, and its replicates.
_SECONDS, _REPLICATES = 10, 200


def captions(table: Table, scale: Scale) -> None:
    """Process time of audits of six models on 10,840 images and 65 objects."""
    folder = data_home()
    images = pd.read_csv(folder / "coco_labels.csv.gz", keep_default_na=False)
    made = pd.read_csv(folder / "coco_caption_predictions.csv.gz", keep_default_na=False)
    truth, models = images.set_index("image_id"), dict(list(made.groupby("model", sort=False)))
    shown = next(iter(models.values()))["image_id"]
    truth = truth.loc[shown[:: 20 if scale.quick else 1]]
    models = {name: rows.set_index("image_id").loc[truth.index] for name, rows in models.items()}
    objects = pd.read_csv(folder / "coco_objects.csv").query("in_66 == 1")["object"]
    named = truth["objects"].str.get_dummies("|").columns.intersection(objects)

    def matrix(lists: pd.Series) -> np.ndarray:
        return lists.str.get_dummies("|").reindex(columns=named, fill_value=0).to_numpy()

    rows = {
        "y_true": matrix(truth["objects"]),
        "y_pred": {name: matrix(rows["objects_pred"]) for name, rows in models.items()},
        "sensitive_features": truth["gender"].tolist(),
    }
    # A caption without a gender is an abstention.
    genders = {name: [x or None for x in rows["gender_pred"]] for name, rows in models.items()}
    for what, more in {"A->T": {}, "both ways": {"sensitive_features_pred": genders}}.items():
        start = time.process_time()
        bam.audit(**rows, **more, missing="abstain", n_boot=_REPLICATES)
        what = f"audit of {len(models)} models, {len(truth):,} captions x {len(named)}, {what}"
        table.ratio(what, time.process_time() - start, f"<= {_SECONDS}", "", " s")
