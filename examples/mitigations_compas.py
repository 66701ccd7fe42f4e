"""Compare mitigations on COMPAS, by accuracy and by the bias amplification that is left.

Each split has 40 % of the people to train on, 30 % to set thresholds on and 30 % to test on. The
model is a logistic regression without race. Each method is a function of a split that returns
predictions for its test rows; ``METHODS`` names them. The table holds means over the splits.

    python examples/mitigations_compas.py --data-home FOLDER
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from _study import Tables, run
from fairlearn.reductions import DemographicParity, ExponentiatedGradient
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from biasamp_adapters import DirectionalBiasAmplification, MultiAttributeBiasAmplification
from biasamp_adapters.datasets import fetch_compas
from biasamp_adapters.fairlearn import ZeroAmplification

SEEDS = range(12)


class Part(NamedTuple):
    """Standardised features, whether there was a new arrest, and race, of the same people."""

    features: np.ndarray
    task: np.ndarray
    attribute: np.ndarray


class Split(NamedTuple):
    """The parts to train on, to set thresholds on, and to test on."""

    train: Part
    validation: Part
    test: Part


def split(rows: Any, seed: int) -> Split:
    """Deal the rows of ``fetch_compas`` to the three parts at random."""
    train, rest = train_test_split(np.arange(len(rows.target)), test_size=0.6, random_state=seed)
    parts = train, *train_test_split(rest, test_size=0.5, random_state=seed)
    scaler = StandardScaler().fit(rows.data.iloc[train])
    return Split(
        *(
            Part(
                scaler.transform(rows.data.iloc[part]),
                rows.target.to_numpy()[part],
                rows.sensitive_features.to_numpy()[part],
            )
            for part in parts
        )
    )


def none(parts: Split) -> np.ndarray:
    """The regression alone."""
    model = LogisticRegression().fit(parts.train.features, parts.train.task)
    return np.asarray(model.predict(parts.test.features))


def _reduced(parts: Split, constraint: Any) -> np.ndarray:
    """Exponentiated gradient under a constraint; race is read while it is trained."""
    model, train = ExponentiatedGradient(LogisticRegression(), constraint), parts.train
    with warnings.catch_warnings():
        # Fairlearn 0.15 writes into a Series in two ways that pandas 3.1 deprecates.
        changes = "Setting (a value on a Series via .at|an item of incompatible dtype)"
        warnings.filterwarnings("ignore", changes, DeprecationWarning, "fairlearn")
        model.fit(train.features, train.task, sensitive_features=train.attribute)
    return np.asarray(model.predict(parts.test.features, random_state=0))


def reduction_parity(parts: Split) -> np.ndarray:
    """Equal rates of predicted positives in both groups, to .01."""
    return _reduced(parts, DemographicParity(difference_bound=0.01))


def reduction_zero(parts: Split) -> np.ndarray:
    """The rates of the training labels in both groups, to .01."""
    return _reduced(parts, ZeroAmplification(difference_bound=0.01))


METHODS: dict[str, Callable[[Split], np.ndarray]] = {
    "none": none,
    "ExponentiatedGradient, parity": reduction_parity,
    "ExponentiatedGradient, zero amplification": reduction_zero,
}


def scored(parts: Split, predicted: np.ndarray) -> dict[str, float]:
    """Accuracy and amplification on the test rows."""
    train, test = parts.train, parts.test
    reference = (train.task, train.attribute)
    rows = {"sensitive_features": test.attribute}
    value = DirectionalBiasAmplification(reference=reference)(test.task, predicted, **rows)
    return {
        "accuracy": float((predicted == test.task).mean()),
        "BA A->T": value,
        "|BA A->T|": abs(value),
        "Multi A->T": MultiAttributeBiasAmplification(direction="A->T", reference=reference)(
            test.task, predicted, **rows
        ),
    }


def find(data_home: Path) -> Tables:
    """Means over the splits, one row per method."""
    rows = fetch_compas(data_home=data_home, download_if_missing=False)
    splits = [split(rows, seed) for seed in SEEDS]
    means = {
        name: pd.DataFrame([scored(parts, method(parts)) for parts in splits]).mean()
        for name, method in METHODS.items()
    }
    return {"methods": pd.DataFrame(means).T.rename_axis("method").reset_index()}


if __name__ == "__main__":
    run(find)
