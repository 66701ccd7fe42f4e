"""[W21] Table 1 and 3, [T25] Table 2 on digits: the attribute's pixels are masked step by step.

The papers mask people in COCO images and train a network to say gender and objects. As less of the
person is seen, BA T->A grows and BA A->T falls ([W21]), and DPA T->A grows ([T25]).

Here an image is two digits side by side. The left one shows A: a 3 or an 8. The right one, behind
noise, is T: one of the other eight, and 25 to 75 % of its images come with an 8, in training as in
the test. One network says both, with a sigmoid for each task and one for A, as in [W21]. The left
digit is shown as it is, behind strong noise, behind noise without its lower half, and not at all:
each mask takes away from what the one before it left.

Over five runs, from original to full, BA T->A goes from .005 to .115 and DPA T->A from .007 to
.173: the network says of an image what most images of its task are. BA A->T falls from .008 to
-.006, near the -.007 of mistakes that know nothing of A: it errs as before, but no longer
towards A. MALS, which mixes both directions, grows from .036 to .115, as in [W21]. Task by task,
T->A ends between -.03 and .21, with intervals of up to .12 to either side.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, plus_minus, run
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

import biasamp_adapters as bam

#: The rows of the left digit that each mask leaves. All but the first add noise.
MASKS, SEEDS = {"original": 8, "noisy": 8, "half": 4, "full": 0}, range(5)
#: The digits of A = 0 and A = 1; and of each task, the share of its images that have A = 1.
GLYPHS = (3, 8)
SHARES = {0: 0.25, 1: 0.3, 2: 0.35, 4: 0.4, 5: 0.6, 6: 0.65, 7: 0.7, 9: 0.75}
#: Digits of a task, in training and in the test. In training each is seen with three left ones.
SIZE, REPEATS = 80, 3
#: Standard deviations of the noise on a task and on a masked attribute; the brightest pixel.
TASK_NOISE, MASK_NOISE, BRIGHTEST = 6, 24, 16
METRICS = {
    "MALS": bam.MALS(),
    "BA A->T": bam.DirectionalBiasAmplification(direction="A->T"),
    "BA T->A": bam.DirectionalBiasAmplification(direction="T->A"),
    "Multi A->T": bam.MultiAttributeBiasAmplification(direction="A->T"),
    "Multi T->A": bam.MultiAttributeBiasAmplification(direction="T->A"),
    "LA": bam.LeakageAmplification(quality="accuracy"),
    "DPA A->T": bam.DirectionalPredictabilityAmplification(direction="A->T"),
    "DPA T->A": bam.DirectionalPredictabilityAmplification(direction="T->A"),
}


def digits(ids: dict[int, np.ndarray], wanted: np.ndarray, rng: Any) -> np.ndarray:
    """A random image of each requested digit; all images are used about equally often."""
    rows = np.empty(len(wanted), int)
    for digit in np.unique(wanted):
        where = np.flatnonzero(wanted == digit)
        rows[where] = rng.permutation(np.resize(ids[digit], len(where)))
    return load_digits().images[rows]


def parts(seed: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Of training, then of the test: left digits, their noise, right digits, task, attribute."""
    rng, target = np.random.default_rng(seed), load_digits().target
    order = {digit: rng.permutation(np.flatnonzero(target == digit)) for digit in range(10)}
    for part, size in ((0, SIZE * REPEATS), (1, SIZE)):
        # No image is in both parts.
        ids = {digit: np.array_split(rows, 2)[part][:SIZE] for digit, rows in order.items()}
        task = np.repeat(list(SHARES), size)
        attribute = np.ravel([np.arange(size) < round(share * size) for share in SHARES.values()])
        left, right = digits(ids, np.take(GLYPHS, attribute), rng), digits(ids, task, rng)
        noise = rng.normal(0, MASK_NOISE, left.shape)
        right = (right + rng.normal(0, TASK_NOISE, right.shape)).clip(0, BRIGHTEST)
        yield left, noise, right, task, attribute.astype(int)


def masked(left: np.ndarray, noise: np.ndarray, mask: str) -> np.ndarray:
    """The left digits behind a mask."""
    seen = left.copy() if mask == "original" else (left + noise).clip(0, BRIGHTEST)
    seen[:, MASKS[mask] :] = 0
    return seen


def predictions(seed: int, mask: str) -> list[np.ndarray]:
    """Of the test: task, attribute, and what a network says they are."""
    # The same draws for every mask: runs of a seed differ in the mask alone.
    train, test = (
        (np.concatenate([masked(left, noise, mask), right], axis=2).reshape(-1, 128), *rest)
        for left, noise, right, *rest in parts(seed)
    )
    # Few epochs and a strong penalty, or the network would learn the noise by heart.
    network = MLPClassifier(
        32, alpha=2.0, batch_size=64, learning_rate_init=0.005, max_iter=12, random_state=seed
    )
    tasks = np.array(list(SHARES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.fit(train[0] / BRIGHTEST, np.column_stack([train[1][:, None] == tasks, train[2]]))
    scores = network.predict_proba(test[0] / BRIGHTEST)
    # A = 1 is said as often as it is true in training ([W21] 3.3).
    said = scores[:, -1] >= bam.calibrated_threshold(scores[:, -1], train[2].mean())
    return [*test[1:], tasks[scores[:, :-1].argmax(axis=1)], said.astype(int)]


def outcomes(seed: int, mask: str) -> tuple[dict[str, Any], pd.DataFrame]:
    """Of one run: accuracies, metrics, what blind errors would give; and BA of each task."""
    task, attribute, task_said, said = predictions(seed, mask)
    row = {"mask": mask, "seed": seed, "accuracy of T": (task_said == task).mean()}
    row["accuracy of A"] = (said == attribute).mean()
    by_task = {}
    for name, metric in METRICS.items():
        result = metric.result(
            task, task_said, sensitive_features=attribute, sensitive_features_pred=said
        )
        row[name] = result.value
        if name.startswith("BA"):
            row[f"{name}, blind errors"] = result.blind_errors.value
            by_task[name] = result.by_task
    return row, pd.DataFrame(by_task).rename_axis("task").reset_index().assign(mask=mask)


def find(seeds: Sequence[int] = SEEDS, masks: Sequence[str] = (*MASKS,)) -> Tables:
    """All runs, their means for each mask, and the means of BA for each task and mask."""
    rows, tasks = zip(*(outcomes(seed, mask) for mask in masks for seed in seeds), strict=True)
    runs = pd.DataFrame(rows)
    means = runs.drop(columns="seed").groupby("mask", sort=False).agg(plus_minus)
    by_task = pd.concat(tasks).groupby(["task", "mask"], sort=False).agg(plus_minus).unstack()
    by_task.columns = [f"{name}, {mask}" for name, mask in by_task.columns]
    by_task.insert(0, "share of A = 1", pd.Series(SHARES))
    return {"runs": runs, "masks": means.T.rename_axis("metric"), "tasks": by_task}


def draw(tables: Tables) -> Any:
    """One panel per metric, one row per mask: the runs, and their mean with its interval."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 5), layout="constrained", sharey=True)
    for ax, name in zip(axes.flat, ("BA T->A", "DPA T->A", "BA A->T", "MALS"), strict=True):
        groups = tables["runs"].groupby("mask", sort=False)[name]
        bam.plot.runs({mask: values.tolist() for mask, values in groups}, ax=ax)
        ax.set_xlabel(name)
    return figure


if __name__ == "__main__":
    run(find, draw)
