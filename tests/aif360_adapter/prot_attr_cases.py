"""What the tests of the functions share: rows with protected attributes in the index of y."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("aif360", reason="the aif360 extra is not installed")

from dataset_cases import fixed_frame, row_frames

import biasamp_adapters as bam
import biasamp_adapters.aif360 as baa

#: Each function with the metric object that computes the same, and parameters of both.
FUNCTIONS: list[tuple[Callable[..., float], Any, dict[str, Any]]] = [
    (baa.mals_bias_amplification, bam.MALS, {}),
    (baa.mals_bias_amplification, bam.MALS, {"pos_label": "no"}),
    *(
        (baa.directional_bias_amplification, bam.DirectionalBiasAmplification, {"direction": way})
        for way in ("A->T", "T->A")
    ),
    *(
        (
            baa.multi_attribute_bias_amplification,
            bam.MultiAttributeBiasAmplification,
            {"direction": way},
        )
        for way in ("A->T", "T->A", "undirected")
    ),
    (baa.leakage_amplification, bam.LeakageAmplification, {"equalize": "expected"}),
    *(
        (
            baa.directional_predictability_amplification,
            bam.DirectionalPredictabilityAmplification,
            {"direction": way, "quality": "accuracy", "equalize": "expected"},
        )
        for way in ("A->T", "T->A")
    ),
]
REFERENCED = [case for case in FUNCTIONS if hasattr(case[1](), "reference")]


def function_name(case: Any) -> str:
    """The id of a case."""
    function, _, parameters = case
    return f"{function.__name__} {' '.join(map(str, parameters.values()))}".strip()


def in_words(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with words for codes."""
    out = frame.copy()
    for name, words in (("T", ["no", "yes"]), ("sex", ["female", "male"]), ("age", ["old", "you"])):
        for column in (name, f"{name}_pred"):
            out[column] = np.array(words, dtype=object)[frame[column].astype(int)]
    return out


def indexed(frame: pd.DataFrame) -> pd.Series:
    """The true labels, with sex and age as levels of the index."""
    return frame.set_index(["sex", "age"])["T"]


worded_frames = row_frames().map(in_words)
WORDS = in_words(fixed_frame())
Y = indexed(WORDS)
PRED = WORDS["T_pred"].to_numpy()
