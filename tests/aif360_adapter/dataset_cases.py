"""AIF360 datasets of the rows of a frame, and those rows for the core metrics."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

import biasamp_adapters.aif360 as baa

# isort: split
# After the adapter, which keeps AIF360's import out of the log and its warnings out of pytest's.
from aif360.datasets import BinaryLabelDataset, StandardDataset
from aif360.datasets.multiclass_label_dataset import MulticlassLabelDataset
from aif360.metrics import ClassificationMetric
from conftest import rows_of
from drawn_rows import row_of
from hypothesis import strategies as st

import biasamp_adapters as bam

__all__ = [
    "BinaryLabelDataset",
    "ClassificationMetric",
    "MulticlassLabelDataset",
    "StandardDataset",
    "rows_of",
]

SEXES = {"unprivileged_groups": [{"sex": 0}], "privileged_groups": [{"sex": 1}]}

#: A method of the AIF360 metric, the core metric behind it, and parameters of both.
CASES: list[tuple[str, Any, dict[str, Any]]] = [
    ("mals", bam.MALS, {}),
    ("mals", bam.MALS, {"pos_label": 0.0}),
    *(
        ("directional_bias_amplification", bam.DirectionalBiasAmplification, {"direction": way})
        for way in ("A->T", "T->A")
    ),
    *(
        (
            "multi_attribute_bias_amplification",
            bam.MultiAttributeBiasAmplification,
            {"direction": way},
        )
        for way in ("A->T", "T->A", "undirected")
    ),
    ("leakage_amplification", bam.LeakageAmplification, {"equalize": "expected"}),
    ("leakage_amplification", bam.LeakageAmplification, {"equalize": None}),
    ("leakage_amplification", bam.LeakageAmplification, {"equalize": "sampled", "random_state": 3}),
    *(
        (
            "directional_predictability_amplification",
            bam.DirectionalPredictabilityAmplification,
            {"direction": way, **options},
        )
        for way in ("A->T", "T->A")
        for options in ({"equalize": "expected"}, {"quality": "accuracy", "random_state": 3})
    ),
]


def case_name(case: Any) -> str:
    """The id of a case."""
    method, _, parameters = case
    return f"{method} {' '.join(map(str, parameters.values()))}".strip()


def row_frames(n_labels: int = 2) -> st.SearchStrategy[pd.DataFrame]:
    """Frames of rows with two protected attributes, all predictions, and weights; two sexes."""
    labels, codes = range(n_labels), [0, 1]
    row = row_of(codes, codes, labels, labels, codes, codes, [0.5, 1.0, 2.0, 3.25])
    names = ["sex", "age", "T", "T_pred", "sex_pred", "age_pred"]

    def frame(drawn: list[Any]) -> pd.DataFrame:
        table = pd.DataFrame(drawn, columns=[*names, "weight"], dtype=float)
        # The last rows have each sex and label, so that a model can predict both.
        ends = table.index[-n_labels:]
        table.loc[ends, "T"] = np.arange(n_labels, dtype=float)
        table.loc[ends[:2], ["sex", "age"]] = [[0.0, 1.0], [1.0, 0.0]]
        return table

    return st.lists(row, min_size=n_labels, max_size=20).map(frame)


def dataset(frame: pd.DataFrame, *, weighted: bool = False, **options: Any) -> Any:
    """The true labels of a frame; multi-class if it has more than two."""
    columns = [name for name in ("sex", "age") if name in frame]
    kind: Any = BinaryLabelDataset
    labels = frame[[name for name in ("T", "T_pred") if name in frame]]
    if len(np.unique(labels)) > 2:
        kind = MulticlassLabelDataset
        options = {"favorable_label": [1.0, 2.0], "unfavorable_label": [0.0], **options}
    return kind(
        df=frame[[*columns, "T", *(["weight"] if weighted else [])]].copy(),
        label_names=["T"],
        protected_attribute_names=columns,
        instance_weights_name="weight" if weighted else None,
        **options,
    )


def classified(truth: Any, labels: Any) -> Any:
    """The same dataset with predicted labels, that shares nothing with it."""
    out = truth.copy(deepcopy=True)
    out.labels[:] = np.asarray(labels, dtype=float)[:, None]
    return out


def metric_of(frame: pd.DataFrame, *, weighted: bool = False, **options: Any) -> Any:
    """The AIF360 metric of a frame's truth and predictions."""
    truth = dataset(frame, weighted=weighted)
    return baa.BiasAmplificationMetric(truth, classified(truth, frame["T_pred"]), **options)


def core_result(
    metric: Any, frame: pd.DataFrame, groups: Any, guess: Any = None, *, weighted: bool = False
) -> bam.AmplificationResult:
    """The core metric on the rows of a frame, with the groups spelled out.

    Weights that are all 1 are AIF360's word for none; flips are then drawn for rows.
    """
    weight = frame["weight"].to_numpy()
    return quiet(
        metric.result,
        frame["T"].to_numpy(),
        frame["T_pred"].to_numpy(),
        sensitive_features=groups,
        sensitive_features_pred=guess,
        sample_weight=weight if weighted and (weight != 1).any() else None,
    )


def sides(codes: Any) -> np.ndarray:
    """The names of the groups of 0 and 1 as AIF360 calls them."""
    return np.where(np.asarray(codes) == 1, "privileged", "unprivileged")


def quiet(function: Any, *given: Any, **named: Any) -> Any:
    """What a function returns, where caveats are likely and their warnings tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        return function(*given, **named)


def fixed_frame(n: int = 120, n_labels: int = 2) -> pd.DataFrame:
    """Rows drawn once, in which every rate is defined and every metric moves."""
    rng = np.random.default_rng(0)
    sex, age = rng.integers(0, 2, (2, n))
    truth = np.where(rng.random(n) < 0.3 + 0.4 * sex, rng.integers(1, n_labels, n), 0)
    pred = np.where(rng.random(n) < 0.7, truth, rng.integers(0, n_labels, n))
    frame = pd.DataFrame({"sex": sex, "age": age, "T": truth, "T_pred": pred}, dtype=float)
    for name in ("sex", "age"):
        right = rng.random(n) < 0.8
        frame[f"{name}_pred"] = np.where(right, frame[name], 1 - frame[name])
    return frame.assign(weight=rng.choice([0.5, 1.0, 2.0, 3.25], n))


def hiring(*, group: str = "sex") -> pd.DataFrame:
    """Of 50 rows a sex, 40 and 10 are hired; the model never hires sex 0 ([W21] 3.2)."""
    frame = rows_of([[40, 10], [10, 40]], group, "T").astype(float)
    return frame.assign(T_pred=frame["T"] * frame[group])
