"""Zhao et al. 2017: corpus-level constraints on predicted objects and genders, and what they cost.

The constraints ask that, of the predictions of each object, the share with a man is that of the
training data, within a margin. Predictions of the whole corpus depend on one another then; a
Lagrangian makes them independent again, given one price per object and side of its margin.

Images, objects and genders are those of COCO, the validation images as the training data. The
scores are *synthetic*, with parameters that are stated below: a model whose scores of objects lean
to the gender with which they occur. So the numbers show what the method does, and not how well a
published model would fare.

    python examples/corpus_constraints.py --data-home DIR
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from _study import Tables, run
from coco_captions import matrix, read
from sklearn.metrics import f1_score

import biasamp_adapters as bam

#: Mean score of a gender or object that is there (the negative if not), and of the lean of objects
#: to a gender per unit of their correlation with it; the noise is normal with deviation 1.
GENDER, OBJECT, ABSENT, LEAN = 1.2, 4.5, -2.5, 3.0

#: Margins of the constraints, and rounds in which prices are set.
MARGINS, ROUNDS = (0.0, 0.01, 0.05), 300


class Images(NamedTuple):
    """Which objects images show, and whether they show a man."""

    objects: np.ndarray
    man: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """Of the images with each object, the share with a man."""
        return self.objects[self.man].sum(axis=0) / self.objects.sum(axis=0)


class Scores(NamedTuple):
    """Scores of a man, positive where it is likelier, and of each object."""

    man: np.ndarray
    objects: np.ndarray


def synthetic(images: Images, train: Images, seed: int = 0) -> Scores:
    """Scores that lean to the correlations of the training data."""
    rng = np.random.default_rng(seed)
    side = np.where(images.man, 1.0, -1.0)
    man = GENDER * side + rng.normal(size=len(side))
    lean = LEAN * (train.shares - train.man.mean())
    means = np.where(images.objects == 1, OBJECT, 0.0) + ABSENT + side[:, None] * lean
    return Scores(man, means + rng.normal(size=images.objects.shape))


def unconstrained(scores: Scores) -> Images:
    """Each gender and object on its own."""
    return Images((scores.objects > 0).astype(int), scores.man > 0)


def constrained(scores: Scores, shares: np.ndarray, margin: float) -> Images:
    """The predictions of the whole corpus with the largest sum of scores within the margins.

    The share of an object with a man is at most ``shares + margin`` if the sum over its predictions
    of (1 if with a man) - shares - margin is at most 0, and likewise from below. With a price for
    each, an image is predicted alone: for either gender the objects whose score exceeds their
    price, and the gender with the larger sum (Zhao et al. 2017, Sec. 4).
    """
    high, low = shares + margin, shares - margin
    prices = np.zeros((2, len(shares)))
    for step in range(ROUNDS):
        found = _at(scores, prices, high, low)
        with_man, any_gender = (
            found.objects[rows].sum(axis=0) for rows in (found.man, slice(None))
        )
        excess = np.stack([with_man - high * any_gender, low * any_gender - with_man])
        # Relative to how often an object is predicted; steps that shrink let prices settle.
        slope = excess / np.maximum(any_gender, 1)
        prices = np.maximum(prices + 4 / np.sqrt(step + 1) * slope, 0)
    return _at(scores, prices, high, low)


def _at(scores: Scores, prices: np.ndarray, high: np.ndarray, low: np.ndarray) -> Images:
    """The best predictions for these prices."""
    above, below = prices
    with_man = scores.objects - above * (1 - high) - below * (low - 1)
    with_woman = scores.objects + above * high - below * low
    sums = [np.maximum(each, 0).sum(axis=1) for each in (with_man, with_woman)]
    man = sums[0] + scores.man > sums[1]
    return Images((np.where(man[:, None], with_man, with_woman) > 0).astype(int), man)


def by_gender(scores: Scores, free: Images, train: Images, test: Images) -> Images:
    """A threshold of each object and gender, at which the object is as frequent as in training.

    They are set on scores of the training images, and read the true gender.
    """
    trained = synthetic(train, train, seed=1)
    fitted = bam.group_thresholds(
        train.objects, trained.objects, sensitive_features=train.man, other_groups="pooled"
    )
    return Images(fitted.predict(scores.objects, sensitive_features=test.man), free.man)


def measured(found: Images, truth: Images, train: Images, objects: list[str]) -> dict[str, Any]:
    """MALS and its size over objects, BA A->T, F1 of objects, and right genders."""
    names = np.array(["woman", "man"])
    tables = [pd.DataFrame(each.objects, columns=objects) for each in (truth, found, train)]
    truths, predictions, trained = tables
    reference = (trained, names[train.man.astype(int)])
    options: dict[str, Any] = {
        "sensitive_features": names[truth.man.astype(int)],
        "sensitive_features_pred": names[found.man.astype(int)],
    }
    mals = bam.MALS(reference=reference).result(truths, predictions, **options)
    moved = (found.shares - train.shares)[found.objects.sum(axis=0) > 0]
    ba = bam.DirectionalBiasAmplification(direction="A->T", reference=reference)
    options["sensitive_features_pred"] = None
    return {
        "MALS": mals.value,
        "mean change of shares": float(np.abs(moved).mean()),
        "BA A->T": ba(truths, predictions, **options),
        "F1 of objects": f1_score(truth.objects, found.objects, average="micro"),
        "right genders": float(np.mean(found.man == truth.man)),
    }


def corpus(data_home: Path) -> tuple[Images, Images, list[str]]:
    """The validation images, the test images, and the objects that both show."""
    images, _, objects = read(data_home)
    shown = matrix(images["objects"], objects)
    parts = [
        Images(shown[images["split"] == split].to_numpy(), of["gender"].to_numpy() == "man")
        for split, of in ((split, images[images["split"] == split]) for split in ("val", "test"))
    ]
    both = np.all([(part.objects.sum(axis=0) > 0) for part in parts], axis=0)
    train, test = (Images(part.objects[:, both], part.man) for part in parts)
    return train, test, [name for name, kept in zip(objects, both, strict=True) if kept]


def find(data_home: Path) -> Tables:
    """One row without constraints, and one for each margin."""
    train, test, objects = corpus(data_home)
    scores = synthetic(test, train)
    found = {"none": unconstrained(scores)}
    found |= {f"{margin:g}": constrained(scores, train.shares, margin) for margin in MARGINS}
    found["thresholds by gender"] = by_gender(scores, found["none"], train, test)
    rows = {name: measured(each, test, train, objects) for name, each in found.items()}
    shares = {"training": train.shares, **{name: found[name].shares for name in ("none", "0")}}
    return {
        "margins": pd.DataFrame(rows).T.rename_axis("margin"),
        "_shares": pd.DataFrame(shares, index=objects),
    }


def draw(tables: Tables) -> Any:
    """The share with a man of each object, predicted against trained."""
    from matplotlib import pyplot as plt

    shares = tables["_shares"]
    _, ax = plt.subplots(figsize=(4.4, 4.2), layout="constrained")
    ax.plot([0, 1], [0, 1], color="black", linewidth=0.8)
    for name, label, colour in (
        ("none", "without constraints", "#d55e00"),
        ("0", "margin 0", "#0072b2"),
    ):
        ax.scatter(shares["training"], shares[name], s=14, color=colour, label=label)
    ax.set_xlabel("share with a man, training data")
    ax.set_ylabel("share with a man, predictions")
    ax.legend(frameon=False)
    return ax


if __name__ == "__main__":
    run(find, draw)
