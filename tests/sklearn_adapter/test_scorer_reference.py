"""The training data a scorer compares with: when they must be given, and that they fix the sign."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from search_cases import METRICS, tree

from biasamp_adapters import MALS, DirectionalBiasAmplification, MultiAttributeBiasAmplification
from biasamp_adapters.sklearn import amplification_scorer


@pytest.mark.parametrize(
    "metric",
    [
        MALS(),
        DirectionalBiasAmplification(),
        DirectionalBiasAmplification(direction="T->A"),
        MultiAttributeBiasAmplification(direction="undirected"),
    ],
    ids=repr,
)
def test_a_sign_without_a_reference_has_to_be_wanted(metric: Any) -> None:
    of_attribute = getattr(metric, "direction", "") == "T->A"
    options: Any = {"predicts": "attribute" if of_attribute else "task"}
    message = r"must have a reference, from training data: \w+\(reference=\(y_train, sensitive_f"
    with pytest.raises(ValueError, match=message):
        amplification_scorer(metric, **options)
    assert amplification_scorer(metric, reference="evaluated", **options)


@pytest.mark.parametrize("way", ["A->T", "T->A"])
def test_a_metric_without_a_sign_needs_no_reference(way: Any) -> None:
    metric = MultiAttributeBiasAmplification(direction=way)
    predicts: Any = "task" if way == "A->T" else "attribute"
    assert amplification_scorer(metric, predicts=predicts)


@pytest.mark.parametrize("metric", METRICS[:3], ids=repr)
def test_a_reference_and_the_evaluated_data_are_one_too_many(metric: Any) -> None:
    with pytest.raises(ValueError, match="reference='evaluated' is for a metric without a refer"):
        amplification_scorer(metric, reference="evaluated")


GROUPS = np.repeat(["a", "b"], 10)


def positive(of_a: int, of_b: int) -> np.ndarray:
    """The task of ten "a", so many of them positive, and ten "b"."""
    return (np.tile(np.arange(10), 2) < np.repeat([of_a, of_b], 10)).astype(int)


@pytest.mark.parametrize(
    ("positives", "options", "score"),
    [
        # The model says "positive" of 6 "a" and 4 "b": +.2 for "a", -.2 for "b".
        ((7, 3), {}, -0.2),  # with the correlation of the training data
        ((9, 1), {}, -0.2),  # however strong that is
        ((3, 7), {}, 0.2),  # against it
        (None, {"reference": "evaluated"}, 0.2),  # against that of the fold
    ],
)
def test_the_reference_fixes_the_sign_and_the_fold_does_not(
    positives: tuple[int, int] | None, options: Any, score: float
) -> None:
    # Of the fold's ten "a" 4 are positive and of its ten "b" 6.
    reference = None if positives is None else (positive(*positives), GROUPS)
    metric = DirectionalBiasAmplification(reference=reference)
    scorer = amplification_scorer(metric, objective="signed", **options)
    features, said = np.eye(20), positive(6, 4)
    model = tree(20).fit(features, said)
    assert model.predict(features).tolist() == said.tolist()
    found = scorer(model, features, positive(4, 6), sensitive_features=GROUPS)
    assert found == pytest.approx(score, abs=1e-12)
