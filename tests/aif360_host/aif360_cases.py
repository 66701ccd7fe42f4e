"""Datasets of AIF360 with the rows of a frame."""

from typing import Any

import numpy as np
import pandas as pd

import biasamp_adapters as bam
from biasamp_adapters.aif360 import BiasAmplificationMetric

# isort: split
from aif360.datasets import BinaryLabelDataset
from aif360.datasets.multiclass_label_dataset import MulticlassLabelDataset

#: Arguments of metrics: the two groups of sex.
SEXES: dict[str, Any] = {"unprivileged_groups": [{"sex": 0}], "privileged_groups": [{"sex": 1}]}


def hiring() -> pd.DataFrame:
    """Of 50 rows of each sex, 40 and 10 are hired; the model hires none of sex 0."""
    hired = [0.0] * 10 + [1.0] * 40 + [0.0] * 40 + [1.0] * 10
    frame = pd.DataFrame({"sex": [1.0] * 50 + [0.0] * 50, "y": hired})
    return frame.assign(y_pred=frame["y"] * frame["sex"])


def drawn(n_labels: int = 2, n: int = 240) -> pd.DataFrame:
    """Rows in which every rate is defined and every metric moves."""
    rng = np.random.default_rng(0)
    sex, age = rng.integers(0, 2, (2, n))
    y = np.where(rng.random(n) < 0.3 + 0.4 * sex, rng.integers(1, n_labels, n), 0)
    y_pred = np.where(rng.random(n) < 0.7, y, rng.integers(0, n_labels, n))
    frame = pd.DataFrame({"sex": sex, "age": age, "y": y, "y_pred": y_pred}, dtype=float)
    for name in ("sex", "age"):
        frame[f"{name}_pred"] = np.where(rng.random(n) < 0.8, frame[name], 1 - frame[name])
    return frame.assign(weight=rng.choice([0.5, 1.0, 2.0, 3.25], n))


def dataset(frame: pd.DataFrame, *, weighted: bool = False, **options: Any) -> Any:
    """The labels of a frame; those of a multi-class dataset if there are more than two."""
    attributes = [name for name in ("sex", "age") if name in frame]
    kind: Any = BinaryLabelDataset
    if frame["y"].nunique() > 2:
        kind = MulticlassLabelDataset
        options = {"favorable_label": [1.0, 2.0], "unfavorable_label": [0.0], **options}
    return kind(
        df=frame[[*attributes, "y", *(["weight"] if weighted else [])]],
        label_names=["y"],
        protected_attribute_names=attributes,
        instance_weights_name="weight" if weighted else None,
        **options,
    )


def classified(truth: Any, labels: Any, scores: Any = None) -> Any:
    """The same dataset with predicted labels, and with scores if they are given."""
    predicted = truth.copy(deepcopy=True)
    predicted.labels = np.array(labels, dtype=float)[:, None]
    if scores is not None:
        predicted.scores = np.array(scores, dtype=float)[:, None]
    return predicted


def metric_of(frame: pd.DataFrame, *, weighted: bool = False, **options: Any) -> Any:
    truth = dataset(frame, weighted=weighted)
    return BiasAmplificationMetric(truth, classified(truth, frame["y_pred"]), **options)


def compas() -> tuple[Any, Any]:
    """Labels, with the favourable label 0, and predictions with scores of two races."""
    frame = bam.datasets.load_compas().query("race in ['African-American', 'Caucasian']")
    table = frame[["two_year_recid"]].assign(r=frame["race"] == "Caucasian").astype(float)
    test = BinaryLabelDataset(
        df=table,
        label_names=["two_year_recid"],
        protected_attribute_names=["r"],
        favorable_label=0,
        unfavorable_label=1,
    )
    predicted = test.copy()
    predicted.labels = (frame[["decile_score"]] >= 5).to_numpy(float)
    predicted.scores = 1 - frame[["decile_score"]].to_numpy() / 10
    return test, predicted
