"""[T25] Appendix F on digits: one-pixel shortcuts hide bias in a balanced dataset.

The paper adds shortcuts to COCO images with a sink (T = 0) and without (T = 1), as many of each
gender: to a share beta1 of the sinks with men and of the others with women, to beta2 of the rest.
L = beta1 - beta2. Its text says that only DPA grows with L; in its Table 8, Multi does too.

Here the task is even or odd digits behind noise, and A is drawn by lot: nothing but the shortcuts
can tell it. What the paper leaves open: a shortcut is a pixel that all images *of a class* share,
so each class has its own corner here, set to the brightest (a corner of both classes would be as
frequent in either, and nothing could be learnt of it); and beta1 + beta2 = 1, so that half the
images have one whatever L is. They are most frequent where T and A differ, so a network that learns
them says "odd" less often for A = 1: by L (1 - accuracy without) if it trusts them, at most by L.

Over five runs, BA A->T and MALS are 0 for every L, as they must be of balanced data. DPA, U, Multi
and LA all grow with L: DPA from .000 to .028, LA from -.003 to .125. That shortcuts raise accuracy
(.61 to .74) is no sign of bias: for L = 0 they do so as much. All this is at the threshold that
says "odd" as often as it is true. At one half networks prefer a class, and Multi and DPA count that
as well: DPA is .029 for L = 0 already. U does not.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, plus_minus, run, uncertainty
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

import biasamp_adapters as bam

STRENGTHS, SEEDS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), range(5)
#: Images of each pair of attribute and task. The second number is the paper's.
TRAIN, TEST = 144, 288
#: Standard deviation of the noise, and the brightest that a pixel can be.
NOISE, BRIGHTEST = 16, 16
#: The pixel of even and of odd digits: corners, which digits leave empty.
PIXELS = {"own": (0, 7), "same": (0, 0)}
METRICS = {
    "MALS": bam.MALS(),
    "BA A->T": bam.DirectionalBiasAmplification(),
    "Multi A->T": bam.MultiAttributeBiasAmplification(),
    "LA": bam.LeakageAmplification(quality="accuracy"),
    "DPA A->T": bam.DirectionalPredictabilityAmplification(),
}


def split(rng: Any) -> list[np.ndarray]:
    """Digits to train on and digits to test on, drawn by lot: even ones, then as many odd ones."""
    odd = load_digits().target % 2
    classes = [rng.permutation(np.flatnonzero(odd == t)) for t in (0, 1)]
    parts = (slice(2 * TRAIN), slice(2 * TRAIN, 2 * (TRAIN + TEST)))
    return [np.concatenate([ids[part] for ids in classes]) for part in parts]


def images(ids: np.ndarray, strength: float, pixels: Sequence[int], rng: Any) -> list[np.ndarray]:
    """Noisy digits without and with shortcuts, their task, and the attribute: half of each task."""
    size = len(ids) // 4
    task, attribute = np.indices((2, 2)).reshape(2, -1).repeat(size, axis=1)
    plain = (load_digits().data[ids] + rng.normal(0, NOISE, (len(ids), 64))).clip(0, BRIGHTEST)
    marked = plain.copy()
    for t, a in product((0, 1), repeat=2):
        # beta1 where they differ, as do a sink (0) and a man (1); beta2 elsewhere.
        share = (1 + strength) / 2 if t != a else (1 - strength) / 2
        rows = np.flatnonzero((task == t) & (attribute == a))
        marked[rows[: round(share * size)], pixels[t]] = BRIGHTEST
    return [plain / BRIGHTEST, marked / BRIGHTEST, task, attribute]


def scores(model: str, pixels: str, strength: float, seed: int) -> list[np.ndarray]:
    """Scores of test images without and with shortcuts, and their task and attribute."""
    # The same draws for every strength: runs of a seed differ in the shortcuts alone.
    rng = np.random.default_rng(seed)
    train, test = (images(ids, strength, PIXELS[pixels], rng) for ids in split(rng))
    # Few epochs and a strong penalty, or the network would learn the noise by heart.
    network = MLPClassifier(
        16, alpha=1.0, batch_size=32, learning_rate_init=0.01, max_iter=30, random_state=seed
    )
    fitted = network if model == "network" else LogisticRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted.fit(train[1], train[2])
    return [*(fitted.predict_proba(each)[:, 1] for each in test[:2]), *test[2:]]


def outcomes(*setting: Any) -> Iterator[dict[str, Any]]:
    """One run: accuracies, metrics and U, at the calibrated threshold and at one half."""
    names = ("model", "pixels", "L", "seed")
    *found, task, attribute = scores(*setting)
    for threshold in ("calibrated", "one half"):
        # Half of the training images are odd ([W21] 3.3). No label of the test is looked at.
        half = threshold == "one half"
        ends = [0.5 if half else bam.calibrated_threshold(score, 0.5) for score in found]
        without, said = ((score >= end).astype(int) for score, end in zip(found, ends, strict=True))
        row = dict(zip(names, setting, strict=True)) | {"threshold": threshold}
        row |= {
            "accuracy without": (without == task).mean(),
            "accuracy with": (said == task).mean(),
        }
        for name, metric in METRICS.items():
            row[name] = metric(task, said, sensitive_features=attribute)
        yield row | {"U": uncertainty(said, attribute)}


def over_runs(runs: pd.DataFrame, columns: pd.Series, threshold: str) -> pd.DataFrame:
    """One row per metric, one column per setting."""
    part = runs.loc[
        runs["threshold"] == threshold, ["accuracy without", "accuracy with", *METRICS, "U"]
    ]
    means = part.groupby(columns.loc[part.index], sort=False).agg(plus_minus)
    return means.T.rename_axis(index="metric", columns=None)


def find(seeds: Sequence[int] = SEEDS, strengths: Sequence[float] = STRENGTHS) -> Tables:
    """All runs, the network's means at either threshold, and the means of three designs."""
    settings = [("network", "own", strength) for strength in strengths]
    settings += [("logistic", "own", 0.8), ("network", "same", 0.8)]
    runs = pd.DataFrame([row for each in settings for s in seeds for row in outcomes(*each, s)])
    main, one = runs.query("model == 'network' and pixels == 'own'"), runs.query("L == 0.8")
    return {
        "runs": runs,
        "calibrated": over_runs(main, "L = " + main["L"].astype(str), "calibrated"),
        "one_half": over_runs(main, "L = " + main["L"].astype(str), "one half"),
        "designs": over_runs(one, one["model"] + ", " + one["pixels"], "calibrated"),
    }


def draw(tables: Tables) -> Any:
    """A panel each for accuracy, for four metrics, and for DPA at two thresholds."""
    from matplotlib import pyplot as plt

    runs = tables["runs"].query("model == 'network' and pixels == 'own'")

    def curve(name: str, threshold: str = "calibrated") -> dict[str, Any]:
        part = runs[runs["threshold"] == threshold].groupby("L")[name]
        means = [bam.summarize_runs(values) for _, values in part]
        low, high = np.transpose([mean.interval or (mean.value,) * 2 for mean in means])
        return {"value": [mean.value for mean in means], "low": low, "high": high}

    panels = {
        "accuracy": {
            f"{name} shortcuts": curve(f"accuracy {name}") for name in ("with", "without")
        },
        "value": {name: curve(name) for name in ("BA A->T", "MALS", "Multi A->T", "LA")},
        "DPA A->T": {name: curve("DPA A->T", name) for name in ("calibrated", "one half")},
    }
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
    axes[0].set_ylim(0.5, 0.8)
    for ax, (name, curves) in zip(axes, panels.items(), strict=True):
        bam.plot.curves(sorted(runs["L"].unique()), curves, ax=ax)
        ax.set(xlabel="strength L of the shortcuts", ylabel=name)
    return figure


if __name__ == "__main__":
    run(find, draw)
