"""COMPAS as datasets of AIF360."""

from __future__ import annotations

from typing import Any

import pytest

import biasamp_adapters as bam


@pytest.fixture
def compas() -> tuple[Any, Any]:
    """Labels, with the favourable label 0, and predictions with scores of two races."""
    from aif360.datasets import BinaryLabelDataset

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
