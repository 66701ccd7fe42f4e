"""[T25] Tables 6 and 7: what follows from the published counts of COMPAS.

Table 6 counts race against recidivism, true and predicted; Table 7 prints three metrics of them.
BA and Multi follow from the counts to the last digit. DPA also depends on how many predictions are
right, to which the truth is made wrong. The paper prints that once (about .69, race in the
unbalanced set). So here is DPA of the exact attacker for every accuracy that the counts allow, from
1/2 on, with four qualities.

One of them gives all four values of Table 7: 1/cross-entropy of hard guesses, the default of the
authors' package. This is a fit after the fact; docs/replication.md has its limits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from _study import Tables, run

import biasamp_adapters as bam
from biasamp_adapters.datasets import load_published

HARD = "hard_inverse_cross_entropy"
QUALITIES = (HARD, "inverse_cross_entropy", "accuracy", "balanced_accuracy")
STEP = 0.01
SETS = [(split, way) for split in ("unbalanced", "balanced") for way in ("T->A", "A->T")]
#: Accuracies to look at closely: the paper's, one just below it, and some for the other values.
CLOSE = {
    ("unbalanced", "T->A"): (0.69, 0.685),
    ("unbalanced", "A->T"): (0.74,),
    ("balanced", "T->A"): (0.51, 0.69, 0.9),
    ("balanced", "A->T"): (0.51, 0.69, 0.9),
}


def rates(split: str, way: str) -> tuple[np.ndarray, np.ndarray]:
    """Counts of what is predicted (columns) given what it is predicted from: true, and said."""
    counts = load_published("t25_table_6").query("split == @split")
    said = "attribute" if way == "T->A" else "task"
    given = "task" if way == "T->A" else "attribute"
    true_given = counts[counts[f"{given}_label"] == "true"]
    true, predicted = (
        true_given[true_given[f"{said}_label"] == label].pivot(index=given, columns=said)["count"]
        for label in ("true", "predicted")
    )
    return true.to_numpy(), predicted.to_numpy()


def overlaps(true: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The fewest and the most rows of each given value that are 0 and predicted 0."""
    fewest = np.maximum(0, true[:, 0] + predicted[:, 0] - true.sum(axis=1))
    return fewest, np.minimum(true[:, 0], predicted[:, 0])


def accuracies(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The accuracies, better than a coin's, that predictions with these counts can have."""
    lowest, highest = (
        1 - (true[:, 0] + predicted[:, 0] - 2 * both).sum() / true.sum()
        for both in overlaps(true, predicted)
    )
    steps = np.arange(round(0.5 / STEP) + 1, round(1 / STEP)) * STEP
    return steps[(steps >= lowest) & (steps <= highest)].round(2)


def rows(true: np.ndarray, predicted: np.ndarray, accuracy: float) -> dict[str, np.ndarray]:
    """Rows with both tables, of which this share is predicted right."""
    fewest, most = overlaps(true, predicted)
    wanted = (true[:, 0].sum() + predicted[:, 0].sum() - (1 - accuracy) * true.sum()) / 2
    share = (wanted - fewest.sum()) / (most - fewest).sum()
    first = round(fewest[0] + share * (most[0] - fewest[0]))
    both = np.array([first, round(wanted) - first])
    cells = np.empty((2, 2, 2), dtype=int)
    cells[:, 0, 0], cells[:, 0, 1] = both, true[:, 0] - both
    cells[:, 1, 0] = predicted[:, 0] - both
    cells[:, 1, 1] = true[:, 1] - cells[:, 1, 0]
    given, label, said = np.repeat(np.indices((2, 2, 2)).reshape(3, -1), cells.ravel(), axis=1)
    return {"given": given, "label": label, "said": said}


def value(metric: Any, way: str, cells: dict[str, np.ndarray]) -> float:
    """A metric of the rows: the given variable is the attribute A->T, and the task T->A."""
    given, label, said = cells.values()
    if way == "A->T":
        return metric(label, said, sensitive_features=given)
    return metric(given, given, sensitive_features=label, sensitive_features_pred=said)


def dpa(quality: str, way: str, cells: dict[str, np.ndarray], **options: Any) -> float:
    """DPA by drawn flips, as in the paper, unless the options say otherwise."""
    options = {"equalize": "sampled", "n_trials": 4000} | options
    metric = bam.DirectionalPredictabilityAmplification(direction=way, quality=quality, **options)
    return value(metric, way, cells)


def held_out(
    true: np.ndarray, predicted: np.ndarray, accuracy: float, draws: int = 20_000
) -> float:
    """DPA of hard guesses that know about four fifths of the rows, and are scored on the others."""
    rng = np.random.default_rng(0)

    def error(tables: np.ndarray) -> np.ndarray:
        scored = rng.binomial(tables, 0.2)
        guess = (tables - scored).argmax(axis=-1, keepdims=True)
        right = np.take_along_axis(scored, guess, axis=-1)
        return 1 - right.sum(axis=(-2, -1)) / scored.sum(axis=(-2, -1))

    kept = rng.binomial(np.broadcast_to(true, (draws, 2, 2)), accuracy)
    dataset = error(kept + (true - kept)[..., ::-1])
    model = error(np.broadcast_to(predicted, (draws, 2, 2)))
    return float(((dataset - model) / (dataset + model)).mean())


def inside(curve: pd.DataFrame, printed: float, half_width: float) -> tuple[float, float]:
    """The first and the last accuracy whose DPA lies in the printed interval."""
    found = curve["accuracy"][(curve["DPA"] - printed).abs() <= half_width]
    return found.min(), found.max()


def find() -> Tables:
    """Each value of Table 7 beside ours, DPA of each quality, and that of hard guesses closely."""
    printed = load_published("t25_table_7")
    exact, possible, close, curves = [], [], [], []
    for split, way in SETS:
        of_set = printed.query("split == @split and direction == @way").set_index("metric")
        true, predicted = rates(split, way)
        may_be = {a: rows(true, predicted, a) for a in accuracies(true, predicted)}
        for name, kind in (
            ("BA", bam.DirectionalBiasAmplification),
            ("Multi", bam.MultiAttributeBiasAmplification),
        ):
            # Neither depends on which predictions are right.
            ours = value(kind(direction=way), way, next(iter(may_be.values())))
            exact.append([split, way, name, of_set.loc[name, "value"], ours])
        of_dpa = of_set.loc["DPA", ["value", "half_width"]].tolist()
        for quality in QUALITIES:
            values = [dpa(quality, way, cells) for cells in may_be.values()]
            curve = pd.DataFrame({"accuracy": list(may_be), "DPA": values})
            curves.append(curve.assign(set=split, direction=way, quality=quality))
            least, most = curve["DPA"].min(), curve["DPA"].max()
            possible.append([split, way, quality, *of_dpa, least, most, *inside(curve, *of_dpa)])
        for accuracy in CLOSE[split, way]:
            cells = rows(true, predicted, accuracy)
            ours = (
                dpa(HARD, way, cells),
                dpa(HARD, way, cells, equalize="expected"),
                held_out(true, predicted, accuracy),
            )
            close.append([split, way, accuracy, *of_dpa, *ours])
    columns = ["set", "direction"]
    of_table_7 = ["Table 7", "half-width"]
    ways = ["drawn flips", "in expectation", "held out"]
    reach = ["lowest", "highest", "inside from", "inside to"]
    return {
        "co_occurrence": pd.DataFrame(exact, columns=[*columns, "metric", "Table 7", "ours"]),
        "dpa": pd.DataFrame(possible, columns=[*columns, "quality", *of_table_7, *reach]),
        "hard_guesses": pd.DataFrame(close, columns=[*columns, "accuracy", *of_table_7, *ways]),
        "_curves": pd.concat(curves),
    }


def draw(tables: Tables) -> Any:
    """DPA over the accuracy, and the printed interval as a band, one panel per case."""
    from matplotlib import pyplot as plt

    printed = tables["dpa"].groupby(["set", "direction"])[["Table 7", "half-width"]].first()
    figure, axes = plt.subplots(1, 4, figsize=(10, 2.8), layout="constrained", sharey=True)
    for ax, (split, way) in zip(axes, SETS, strict=True):
        part = tables["_curves"].query("set == @split and direction == @way")
        for quality, curve in part.groupby("quality", sort=False):
            ax.plot(curve["accuracy"], curve["DPA"], label=quality.replace("_", " "))
        centre, half = printed.loc[(split, way)]
        ax.axhspan(centre - half, centre + half, color="black", alpha=0.15, label="Table 7")
        ax.set(title=f"{split} {way}", xlabel="accuracy of the model")
    axes[0].set_ylabel("DPA")
    axes[1].legend(fontsize=7, loc="upper right")
    return figure


if __name__ == "__main__":
    run(find, draw)
