"""A picture of each metric's worked example in docs/user_guide/metrics.rst.

The arrows are rates that a model moved, orange where that amplifies the bias and blue where it
reduces it; bars are how well an attacker guesses, in the truth and in the predictions.

    python examples/metric_pictures.py --out docs/_static/metrics
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from _study import folder, picture

import biasamp_adapters as bam

MORE, LESS, TRUTH = "#d95f02", "#1f78b4", "#999999"


def coloured(change: float) -> str:
    """Orange if bias grows, blue if it shrinks."""
    return MORE if change > 0 else LESS if change < 0 else TRUTH


def moved(
    ax: Any,
    pairs: pd.DataFrame,
    before: list[float],
    labels: list[str],
    rate: str,
    colour_of: Callable[[float], str] = coloured,
) -> None:
    """One arrow per pair, from the true rate to the predicted one."""
    for y, (start, pair) in enumerate(zip(before, pairs.itertuples(), strict=True)):
        colour = colour_of(pair.contribution)
        ax.plot(start, y, "o", color=TRUTH)
        arrow = {"arrowstyle": "->", "color": colour, "linewidth": 2}
        ax.annotate("", (start + pair.delta, y), (start, y), arrowprops=arrow)
        ax.text(start + pair.delta / 2, y - 0.12, f"{pair.contribution:+.3f}", ha="center")
    ax.set_yticks(range(len(labels)), labels)
    ax.set(xlim=(-0.03, 1.03), ylim=(len(labels) - 0.5, -0.5), xlabel=rate)


def guessed(ax: Any, levels: dict[str, Any], names: tuple[str, str], quality: str) -> None:
    """A bar for the truth and one for the predictions."""
    values = [level.value for level in list(levels.values())[:2]]
    colours = [TRUTH, coloured(values[1] - values[0])]
    bars = ax.barh(["truth, made as wrong", "predictions"], values, color=colours)
    ax.bar_label(bars, [f"{n} = {v:.4f}" for n, v in zip(names, values, strict=True)], padding=3)
    ax.set(xlabel=quality, xlim=(0, 1.5 * max(values)))
    ax.invert_yaxis()


def mals(ax: Any) -> None:
    """[W21] 3.2: 40 of 50 positives are of group 1, and 40 of 40 that are predicted."""
    group = [1] * 50 + [2] * 50
    truth = [0] * 10 + [1] * 40 + [0] * 40 + [1] * 10
    result = bam.MALS().result(truth, truth[:50] + [0] * 50, sensitive_features=group)
    moved(ax, result.by_pair, [40 / 50, 10 / 50], ["group 1", "group 2"], "P(group | T = 1)")
    ax.axvline(1 / 2, color="black", linestyle=":")


def directional(ax: Any) -> None:
    """[W21] 3.2: group 2 goes with T = 1, and the model makes the rates 0 and 1."""
    group = [1] * 90 + [2] * 30
    truth = [0] * 60 + [1] * 30 + [0] * 10 + [1] * 20
    metric = bam.DirectionalBiasAmplification(pos_label=1)
    result = metric.result(truth, [0] * 90 + [1] * 30, sensitive_features=group)
    moved(ax, result.by_pair, [30 / 90, 20 / 30], ["group 1", "group 2"], "P(T = 1 | group)")


def multi(ax: Any) -> None:
    """[T25] Table 6, balanced: rates of T = 0 of 1/2 become 1145/1748 and 948/1748."""
    race = [0] * 1748 + [1] * 1748
    task = ([0] * 874 + [1] * 874) * 2
    said = [0] * 1145 + [1] * 603 + [0] * 948 + [1] * 800
    metric = bam.MultiAttributeBiasAmplification()
    pairs = metric.result(task, said, sensitive_features=race).by_pair
    pairs = pairs[pairs["task"].astype(str) == "0"]
    labels = ["race 0", "race 1"]
    # Black: a movement without a sign.
    moved(ax, pairs, [1 / 2, 1 / 2], labels, "P(T = 0 | race)", lambda _: "black")


def leakage(ax: Any) -> None:
    """Of each group 40 of 50 have the class of the group; the model errs in 10 rows."""
    group = ["a"] * 50 + ["b"] * 50
    truth = [0] * 40 + [1] * 10 + [0] * 10 + [1] * 40
    said = [0] * 35 + [1] * 15 + [0] * 15 + [1] * 35
    metric = bam.LeakageAmplification(equalize="expected")
    levels = metric.result(truth, said, sensitive_features=group).levels
    guessed(ax, levels, ("$\\lambda_D$", "$\\lambda_M$"), "accuracy of guessing the group")


def predictability(ax: Any) -> None:
    """Half of each group is positive; the model says 30 and 20 of 50."""
    group = ["a"] * 50 + ["b"] * 50
    truth = ([1] * 25 + [0] * 25) * 2
    said = [1] * 30 + [0] * 20 + [1] * 20 + [0] * 30
    metric = bam.DirectionalPredictabilityAmplification(equalize="expected")
    levels = metric.result(truth, said, sensitive_features=group).levels
    guessed(ax, levels, ("$\\Psi_D$", "$\\Psi_M$"), "1/cross-entropy of guessing the task")


PICTURES: dict[str, Callable[[Any], None]] = {
    "mals": mals,
    "directional": directional,
    "multi": multi,
    "leakage": leakage,
    "predictability": predictability,
}


def main() -> None:
    """Draw all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=folder, default=Path(), help="folder to write to")
    options = parser.parse_args()
    for name, draw in PICTURES.items():
        with picture(options.out / f"{name}.svg", "metrics"):
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(figsize=(5.5, 1.5), layout="constrained")
            ax.spines[["top", "right"]].set_visible(False)
            draw(ax)


if __name__ == "__main__":
    main()
