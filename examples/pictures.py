"""The pictures of `biasamp_adapters.plot`: [W21] Fig. 2 and 6, [T25] Fig. 6, and those of an audit.

Run it: `python examples/pictures.py --out FOLDER`. The papers' figures are drawn anew from their
designs; that of COMPAS needs the table (`--data-home`), and is left out where it is not.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import biasamp_adapters as bam
from biasamp_adapters.datasets import fetch_compas, load_diabetes_audit

A_TO_T = bam.DirectionalBiasAmplification(direction="A->T")


def painting() -> tuple[list[float], dict[str, list[float]]]:
    """[W21] Fig. 2: 40 women of whom 30 paint, 40 men of whom 10 do; the model errs on women only.

    Returns the share of women who are said to paint, and of each metric its values over it.
    """
    gender = ["woman"] * 40 + ["man"] * 40
    truth = np.array([1] * 30 + [0] * 10 + [1] * 10 + [0] * 30)
    shares, found = [], {"FPR difference": [], "TPR difference": [], "BA A->T": [], "MALS": []}
    for said in range(1, 41):
        predicted = np.concatenate([np.arange(40) < said, truth[40:]]).astype(int)
        shares.append(said / 40)
        # Women only: men are predicted without error.
        found["FPR difference"].append(max(said - 30, 0) / 10)
        found["TPR difference"].append(min(said, 30) / 30 - 1)
        found["BA A->T"].append(A_TO_T(truth, predicted, sensitive_features=gender))
        mals = bam.MALS(pos_label=1)
        found["MALS"].append(mals(truth, predicted, sensitive_features=gender))
    return shares, found


def behaviour(metric: Callable[..., float], steps: int) -> pd.DataFrame:
    """[T25] Fig. 6: a metric for datasets and models of growing bias.

    A dataset with ``alpha`` has the probability .25 + alpha where both are 0, .25 - alpha where
    both are 1, and .25 elsewhere; a model has such rates of its own in the groups of the dataset.
    """
    alphas = np.linspace(-0.245, 0.245, steps)
    rows = [(a, t, p) for a in (0, 1) for t in (0, 1) for p in (0, 1)]
    attribute, truth, predicted = np.array(rows).T

    def rate_of_1(alpha: float) -> np.ndarray:
        return np.array([0.25 / (0.5 + alpha), (0.25 - alpha) / (0.5 - alpha)])

    def value(dataset: float, model: float) -> float:
        share = np.array([0.5 + dataset, 0.5 - dataset])[attribute]
        true, said = rate_of_1(dataset)[attribute], rate_of_1(model)[attribute]
        weight = share * np.where(truth, true, 1 - true) * np.where(predicted, said, 1 - said)
        return metric(truth, predicted, sensitive_features=attribute, sample_weight=weight)

    values = [[value(dataset, model) for dataset in alphas] for model in alphas]
    index = pd.Index(alphas, name="alpha of the model")
    return pd.DataFrame(values, index, pd.Index(alphas, name="alpha of the dataset"))


def draw(out: Path, data_home: str | None, steps: int) -> None:
    """Write all pictures to a folder."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "pictures", "font.size": 9}
    from matplotlib import pyplot as plt

    def save(name: str) -> None:
        # The same numbers give the same file.
        plt.savefig(out / f"{name}.svg", metadata={"Date": None, "Creator": None})
        plt.close()

    shares, found = painting()
    ax = bam.plot.curves(shares, found, at=0.75)
    ax.set_xlabel("share of women predicted to be painting")
    save("painting")

    raw = {"equalize": None, "quality": "accuracy"}
    metrics = {
        "BA A->T": A_TO_T,
        "DPA A->T": bam.DirectionalPredictabilityAmplification(**raw),
        "Multi A->T": bam.MultiAttributeBiasAmplification(direction="A->T"),
    }
    _, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained", sharey=True)
    for ax, (name, metric) in zip(axes, metrics.items(), strict=True):
        bam.plot.behaviour(behaviour(metric, steps), ax=ax).set_title(name)
    save("behaviour")

    demo = load_diabetes_audit()
    models = {"tree": demo.y_pred, "body mass": (demo.frame["bmi"] > 26).astype(int)}
    report = bam.audit(demo.y_true, models, sensitive_features=demo.sensitive_features)
    name = "DirectionalBiasAmplification A->T"
    bam.plot.intervals({model: report.results[model, name] for model in models})
    save("intervals")
    pairs = report.to_frame("pairs")
    bam.plot.pairs(pairs[pairs["model"] == "tree"])
    save("pairs")
    seeds = [load_diabetes_audit(random_state=seed) for seed in range(5)]
    bam.plot.runs(
        [A_TO_T.result(run.y_true, run.y_pred, sensitive_features=run.sensitive_features)
         for run in seeds]
    )  # fmt: skip
    save("runs")

    try:
        compas = fetch_compas(data_home=data_home, download_if_missing=False)
    except OSError:
        print("COMPAS is not there, and its picture is left out")
        return
    score, race = compas.frame["decile_score"], compas.frame["race"]
    report = bam.audit(
        compas.target, (score >= 5).astype(int), sensitive_features=race, y_score=score
    )
    (curve,) = report.summary["sweeps"]
    bam.plot.sweep(
        {
            name: pd.DataFrame([point[part] for point in curve["points"]]).assign(
                share=[point["share"] for point in curve["points"]]
            )
            for name, part in (("BA A->T", "amplification"), ("FPR difference", "fpr_difference"))
        },
        at=curve["audited_share"],
    )
    save("thresholds")


def main() -> None:
    """Read the options, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(), help="folder to write to")
    parser.add_argument("--data-home", help="folder of compas-scores-two-years.csv(.gz)")
    parser.add_argument("--steps", type=int, default=41, help="datasets and models of [T25] Fig. 6")
    options = parser.parse_args()
    if not options.out.is_dir():
        parser.error(f"--out must be a folder; received {str(options.out)!r}")
    draw(options.out, options.data_home, options.steps)


if __name__ == "__main__":
    main()
