"""Audit what Fairlearn's mitigations do on COMPAS, and see what demographic parity does not show.

A shallow decision tree is trained on half of the rows: alone, inside ``ExponentiatedGradient`` (a
"reduction") and inside ``ThresholdOptimizer`` ("thresholds"), each of the two with the constraints
demographic parity and equalized odds. The held-out half is audited, one frame per model. Race is
no feature; the thresholds depend on it. No model predicts race, so there is no direction T->A.

Reads ProPublica's table from the folder given with ``--data-home``, or from scikit-learn's data
folder. If the latter has none, scikit-learn's diabetes table is used instead.

    python examples/compas_fairlearn.py --plot compas.svg
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from fairlearn.metrics import (
    demographic_parity_difference,
    equalized_odds_difference,
    false_positive_rate,
    selection_rate,
)
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import DemographicParity, EqualizedOdds, ExponentiatedGradient
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import DirectionalBiasAmplification, DirectionalPredictabilityAmplification
from biasamp_adapters.datasets import fetch_compas
from biasamp_adapters.fairlearn import AmplificationFrame, amplification_frame

#: Names of the constraints, for the reduction and for the thresholds.
CONSTRAINTS = {
    "parity": (DemographicParity, "demographic_parity"),
    "odds": (EqualizedOdds, "equalized_odds"),
}


class Rows(NamedTuple):
    """Features, task and protected attribute of the same rows."""

    features: pd.DataFrame
    task: pd.Series
    attribute: pd.Series


def compas(data_home: str | None = None) -> Rows:
    """COMPAS, if its table is there: whether an arrest was recorded again, and race."""
    table = fetch_compas(data_home=data_home, download_if_missing=False, label="is_recid")
    return Rows(table.data, table.target, table.sensitive_features)


def diabetes() -> Rows:
    """The rows of ``load_diabetes_audit``: whether the disease progressed much, and sex."""
    table = load_diabetes(scaled=False, as_frame=True).frame
    progression, sex = table.pop("target"), table.pop("sex")
    high = (progression > progression.median()).astype(int).rename("high_progression")
    return Rows(table, high, "sex " + sex.astype(int).astype(str))


def halves(rows: Rows, seed: int = 0) -> tuple[Rows, Rows]:
    """Rows to train on and rows held out, with the same share of each group and class."""
    strata = rows.attribute + " " + rows.task.astype(str)
    parts = train_test_split(*rows, test_size=0.5, random_state=seed, stratify=strata)
    return Rows(*parts[::2]), Rows(*parts[1::2])


def predictions(train: Rows, test: Rows) -> dict[str, np.ndarray]:
    """What the tree and its four mitigations predict for the rows held out."""
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    found = {"tree": clone(tree).fit(train.features, train.task).predict(test.features)}
    for name, (moment, constraint) in CONSTRAINTS.items():
        reduction = ExponentiatedGradient(tree, moment())
        with warnings.catch_warnings():
            # Fairlearn 0.15 writes into a Series in two ways that pandas 3.1 deprecates.
            changes = "Setting (a value on a Series via .at|an item of incompatible dtype)"
            warnings.filterwarnings("ignore", changes, DeprecationWarning, "fairlearn")
            reduction.fit(train.features, train.task, sensitive_features=train.attribute)
        found[f"reduction, {name}"] = reduction.predict(test.features, random_state=0)
        thresholds = ThresholdOptimizer(
            estimator=tree, constraints=constraint, predict_method="predict_proba"
        ).fit(train.features, train.task, sensitive_features=train.attribute)
        found[f"thresholds, {name}"] = thresholds.predict(
            test.features, sensitive_features=test.attribute, random_state=0
        )
    return found


def fpr_gap(y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any) -> float:
    """False positive rate of the first of two groups less that of the second.

    Fairlearn's ``false_positive_rate_difference`` is the largest minus the smallest rate: it cannot
    tell which group is worse off, and its intervals never reach 0.
    """
    group = np.asarray(sensitive_features).ravel()
    first, second = (
        np.average(y_pred[negative], weights=sample_weight[negative])
        for negative in ((y_true == 0) & (group == each) for each in np.unique(group))
    )
    return first - second


METRICS = {
    "BA A->T": DirectionalBiasAmplification(direction="A->T"),
    "DPA A->T": DirectionalPredictabilityAmplification(direction="A->T"),
    "DP difference": demographic_parity_difference,
    "EO difference": equalized_odds_difference,
    "FPR gap": fpr_gap,
    "selection rate": selection_rate,
    "accuracy": accuracy_score,
    "FPR": false_positive_rate,
}

#: The two parts of BA, and the quantities of the table in its order.
ERRORS = {"blind errors": "blind_errors", "excess": "excess"}
QUANTITIES = ["BA A->T", *ERRORS, *(name for name in list(METRICS)[1:] if name != "FPR")]


def audit(rows: Rows, n_boot: int = 1000, seed: int = 0) -> dict[str, AmplificationFrame]:
    """Split, train and predict; one frame per model, of the rows held out."""
    train, test = halves(rows, seed)
    return {
        model: amplification_frame(
            test.task,
            predicted,
            sensitive_features=test.attribute,
            metrics=METRICS,
            reference=(train.task, train.attribute),
            n_boot=n_boot,
            ci_quantiles=[0.025, 0.975],
        )
        for model, predicted in predictions(train, test).items()
    }


def numbers(ends: list[Any]) -> pd.DataFrame:
    """Values and the two ends of their intervals, side by side."""
    return pd.concat(ends, axis=1, keys=["value", "low", "high"])


def table(frames: dict[str, AmplificationFrame]) -> pd.DataFrame:
    """One row per model, with the value and the ends of the interval of each quantity."""
    rows = {}
    for model, frame in frames.items():
        found = numbers([frame.overall, *frame.overall_ci])
        # What mistakes that know nothing of the attribute would score, and the rest of the value.
        for name, attribute in ERRORS.items():
            part = getattr(frame.results["BA A->T"], attribute)
            found.loc[name] = [part.value, *(part.interval or (np.nan, np.nan))]
        rows[model] = found.loc[QUANTITIES].T.unstack()
    return pd.DataFrame(rows).T


def by_group(frames: dict[str, AmplificationFrame], name: str) -> pd.DataFrame:
    """The same for one metric, with one column per group."""
    rows = {
        model: numbers([each[name] for each in (frame.by_group, *frame.by_group_ci)]).T.unstack()
        for model, frame in frames.items()
    }
    return pd.DataFrame(rows).T


def as_text(found: pd.DataFrame) -> str:
    """A table for a terminal, at most three quantities side by side."""
    cells = {
        name: [
            f"{value:+.3f} [{low:+.3f}, {high:+.3f}]" for value, low, high in found[name].to_numpy()
        ]
        for name in found.columns.unique(0)
    }
    return pd.DataFrame(cells, index=found.index).to_string(line_width=100)


def plot(found: pd.DataFrame, path: str) -> None:
    """Dots with whiskers, one row per model; zero is in the middle of each panel."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    panels = [["DP difference"], ["BA A->T", "blind errors"], ["DPA A->T"], ["FPR gap"]]
    # Two colours that most readers can distinguish, and two shapes for all others.
    styles = [{"fmt": "o", "color": "#0072B2"}, {"fmt": "D", "color": "#D55E00", "mfc": "white"}]
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "compas", "font.size": 8}):
        figure, axes = plt.subplots(1, len(panels), figsize=(8, 2.4), sharey=True)
        for ax, names in zip(axes, panels, strict=True):
            for i, (name, style) in enumerate(zip(names, styles, strict=False)):
                part = found[name]
                whiskers = [part["value"] - part["low"], part["high"] - part["value"]]
                height = np.arange(len(part)) + 0.25 * i
                ax.errorbar(part["value"], height, xerr=whiskers, label=name, ms=4, **style)
            ax.axvline(0, color="0.6", linewidth=0.8, zorder=0)
            reach = 1.1 * np.abs(found[names].to_numpy()).max()
            ax.set(xlim=(-reach, reach), title=names[0])
            ax.spines[["top", "right"]].set_visible(False)
        axes[0].set_yticks(range(len(found)), found.index)
        axes[0].set_ylim(len(found) - 0.4, -0.6)
        figure.legend(*axes[1].get_legend_handles_labels(), loc="lower center", ncols=2)
        figure.tight_layout(rect=(0, 0.1, 1, 1))
        # Equal numbers give equal files.
        undated = {"Date": None, "Creator": None} if path.endswith(".svg") else None
        figure.savefig(path, metadata=undated)
        plt.close(figure)


def main() -> None:
    """Print the tables, and write the plot if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-home", help="folder of compas-scores-two-years.csv(.gz)")
    parser.add_argument("--seed", type=int, default=0, help="of the split into halves")
    parser.add_argument("--n-boot", type=int, default=1000, help="replicates of the intervals")
    parser.add_argument("--plot", help="write a figure, as PNG, SVG or PDF by its ending")
    options = parser.parse_args()
    try:
        rows = compas(options.data_home)
    except OSError as error:
        if options.data_home:
            parser.error(str(error))
        print("COMPAS is not in scikit-learn's data folder: this is its diabetes table.")
        rows = diabetes()
    frames = audit(rows, options.n_boot, options.seed)
    found = table(frames)
    print(f"Attribute {rows.attribute.name}, task {rows.task.name}; 95% intervals\n")
    print(as_text(found))
    print(f"\nFalse positive rate by {rows.attribute.name}\n")
    print(as_text(by_group(frames, "FPR")))
    uncertain = frames["tree"].results["BA A->T"].by_pair["uncertain"]
    print(f"\n{sum(uncertain)} of {len(uncertain)} signs of BA A->T may be noise in the reference.")
    if options.plot:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
