"""Scores of a fitted attacker, from the probabilities that it gives to the classes."""

from __future__ import annotations

import numpy as np

from biasamp_adapters._typing import Array


def score_probabilities(quality: str, label: Array, chances: Array, weight: Array) -> float:
    """The score of a quality; the loss itself for an inverse one.

    Parameters
    ----------
    quality : str
    label : array of int, shape (rows,)
    chances : array of shape (rows, classes)
        Probabilities that are nowhere 0.
    weight : array of shape (rows,)

    Raises
    ------
    ValueError
        If the quality is not one of class probabilities.
    """
    from sklearn import metrics

    share = weight / weight.sum()
    guess = chances.argmax(axis=1)
    if quality in ("inverse_cross_entropy", "uncertainty_coefficient"):
        loss = float(-(share * np.log(chances[np.arange(len(label)), label])).sum())
        if quality == "inverse_cross_entropy":
            return loss
        frequency = np.bincount(label, share)
        entropy = float(-(frequency[frequency > 0] * np.log(frequency[frequency > 0])).sum())
        return max(0.0, 1 - loss / entropy) if entropy > 0 else 0.0
    if quality == "accuracy":
        return float(metrics.accuracy_score(label, guess, sample_weight=weight))
    scores = {"balanced_accuracy": metrics.recall_score, "f1_macro": metrics.f1_score}
    if quality in scores:
        options = {"labels": np.unique(label), "average": "macro", "zero_division": 0}
        return float(scores[quality](label, guess, sample_weight=weight, **options))
    raise ValueError(f"a classifier has no {quality}; it needs the exact attacker")
