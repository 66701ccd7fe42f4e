"""[W21] Table 1 and [T25] Table 2 on digits: the attribute's pixels are masked step by step.

An image is two digits side by side. The left one shows A, a 3 or an 8. The right one, behind
noise, is T, one of the other eight, and 25 to 75 % of its images come with an 8. One network
predicts both. The left digit is shown as it is, behind noise, behind noise without its lower half,
and not at all.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, over_runs, run
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

import biasamp_adapters as bam

#: The rows of the left digit that each mask leaves. All but the first add noise.
MASKS = {"original": 8, "noisy": 8, "half": 4, "full": 0}
#: Of each task, the share of its images that have A = 1.
SHARES = {0: 0.25, 1: 0.3, 2: 0.35, 4: 0.4, 5: 0.6, 6: 0.65, 7: 0.7, 9: 0.75}
TASKS = np.array(list(SHARES))
METRICS = {
    "MALS": bam.MALSBiasAmplification(),
    "BA A→T": bam.DirectionalBiasAmplification(),
    "BA T→A": bam.DirectionalBiasAmplification(direction="T->A"),
    "DPA A→T": bam.DirectionalPredictabilityAmplification(),
    "DPA T→A": bam.DirectionalPredictabilityAmplification(direction="T->A"),
}


def digits(ids: dict[int, np.ndarray], wanted: np.ndarray, rng: Any) -> np.ndarray:
    """Return a random image of each digit; all images are used about equally often."""
    rows = np.empty(len(wanted), int)
    for digit in np.unique(wanted):
        where = np.flatnonzero(wanted == digit)
        rows[where] = rng.permutation(np.resize(ids[digit], len(where)))
    return load_digits().images[rows]


def parts(seed: int, mask: str) -> Iterator[tuple[np.ndarray, ...]]:
    """Return images, task and attribute of training and test, which share no digit."""
    rng, target = np.random.default_rng(seed), load_digits().target
    order = {digit: rng.permutation(np.flatnonzero(target == digit)) for digit in range(10)}
    for part, size in ((0, 240), (1, 80)):
        ids = {digit: np.array_split(rows, 2)[part][:80] for digit, rows in order.items()}
        task = np.repeat(TASKS, size)
        attribute = np.ravel([np.arange(size) < round(share * size) for share in SHARES.values()])
        left, right = digits(ids, np.where(attribute, 8, 3), rng), digits(ids, task, rng)
        noise = rng.normal(0, 24, left.shape)
        right = (right + rng.normal(0, 6, right.shape)).clip(0, 16)
        left = left if mask == "original" else (left + noise).clip(0, 16)
        left[:, MASKS[mask] :] = 0
        images = np.concatenate([left, right], axis=2).reshape(-1, 128) / 16
        yield images, task, attribute.astype(int)


def measure(seed: int, mask: str) -> list[float]:
    """Return the accuracy of the task and the metrics of one run."""
    (images, task, attribute), (test, *truth) = parts(seed, mask)
    # Few epochs and a strong penalty, or the network would learn the noise by heart.
    network = MLPClassifier(
        32, alpha=2.0, batch_size=64, learning_rate_init=0.005, max_iter=12, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.fit(images, np.column_stack([task[:, None] == TASKS, attribute]))
    scores = network.predict_proba(test)
    # A = 1 is predicted as often as in training ([W21] 3.3).
    cut = bam.PrevalenceThreshold(attribute.mean()).fit(scores[:, -1], truth[1])
    predicted = TASKS[scores[:, :-1].argmax(axis=1)], cut.predict(scores[:, -1])
    groups = {"sensitive_features": truth[1], "sensitive_features_pred": predicted[1]}
    values = [metric(truth[0], predicted[0], **groups) for metric in METRICS.values()]
    return [(predicted[0] == truth[0]).mean(), *values]


def find(masks: Iterable[str] = MASKS) -> Tables:
    """Return the means over five runs for each mask."""
    rows = []
    for mask in masks:
        runs = zip(*(measure(seed, mask) for seed in range(5)), strict=True)
        rows.append((mask, *map(over_runs, runs)))
    return {"masks": pd.DataFrame(rows, columns=["image", "accuracy of T", *METRICS])}


if __name__ == "__main__":
    run(find)
