"""What mitigations leave of the amplification on COMPAS, and what they cost in accuracy.

A logistic regression that does not read race is fitted on 40 % of the rows, mitigations are set on
30 %, and all are compared on the other 30 %, for twelve splits. Thresholds of each group keep the
gap of the data; tools that ask for demographic parity or equal error rates turn it around, and
change as much as they wanted to undo.

Fairlearn, AIF360 and OxonFair are compared where they are installed.

    python examples/mitigations.py --data-home DIR
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from _study import Tables, run
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import biasamp_adapters as bam
from biasamp_adapters.datasets import fetch_compas
from biasamp_adapters.sklearn import PrevalenceThresholdClassifier

#: Numbers of splits, and tolerances of the thresholds of each group.
SEEDS, TOLERANCES = 12, (0.0, 0.02, 0.05, 0.1)


class Rows(NamedTuple):
    """Features, label and race of the same people."""

    features: pd.DataFrame
    label: pd.Series
    race: pd.Series


class Split(NamedTuple):
    """Rows to fit a model on, to set a mitigation on, and to compare on."""

    train: Rows
    valid: Rows
    test: Rows

    @classmethod
    def of(cls, rows: Rows, seed: int) -> Split:
        """40, 30 and 30 % of the rows, with the same share of each race and label."""
        train, rest = _parted(rows, 0.6, seed)
        return cls(train, *_parted(rest, 0.5, seed))

    @property
    def model(self) -> Any:
        """The regression, fitted on the training rows."""
        return regression().fit(self.train.features, self.train.label)

    def scores(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores of the rows for the mitigation and of those for the comparison."""
        model = self.model
        first, second = (
            model.predict_proba(rows.features)[:, 1] for rows in (self.valid, self.test)
        )
        return first, second


def _parted(rows: Rows, share: float, seed: int) -> tuple[Rows, Rows]:
    strata = rows.race.astype(str) + rows.label.astype(str)
    parts = train_test_split(*rows, test_size=share, random_state=seed, stratify=strata)
    return Rows(*parts[::2]), Rows(*parts[1::2])


def regression() -> Any:
    """A logistic regression of standardised features."""
    return make_pipeline(StandardScaler(), LogisticRegression())


#: What a method predicts for the rows to compare on.
Method = Callable[[Split], Any]


def none(split: Split) -> Any:
    """The regression as it is."""
    return split.model.predict(split.test.features)


def one_threshold(split: Split) -> Any:
    """One threshold at which as many are predicted positive as there are."""
    valid, test = split.scores()
    return (test >= bam.calibrated_threshold(valid, split.valid.label.mean())).astype(int)


def by_group(tolerance: float) -> Method:
    """A threshold for each race, set on the rows for it."""

    def method(split: Split) -> Any:
        valid, test = split.scores()
        fitted = bam.group_thresholds(
            split.valid.label, valid, sensitive_features=split.valid.race, tolerance=tolerance
        )
        return fitted.predict(test, sensitive_features=split.test.race)

    return method


def cross_fitted(split: Split) -> Any:
    """A threshold for each race, set on scores of all rows but the test's, by cross-validation."""
    rows = Rows(*(pd.concat(pair) for pair in zip(split.train, split.valid, strict=True)))
    model = PrevalenceThresholdClassifier(regression(), by="metadata")
    model.fit(rows.features, rows.label, sensitive_features=rows.race)
    return model.predict(split.test.features, sensitive_features=split.test.race)


def fairlearn_thresholds(constraint: str) -> Method:
    """Fairlearn's ``ThresholdOptimizer``."""
    from fairlearn.postprocessing import ThresholdOptimizer

    def method(split: Split) -> Any:
        optimizer = ThresholdOptimizer(
            estimator=split.model,
            constraints=constraint,
            prefit=True,
            predict_method="predict_proba",
        )
        valid = split.valid
        optimizer.fit(valid.features, valid.label, sensitive_features=valid.race)
        return optimizer.predict(
            split.test.features, sensitive_features=split.test.race, random_state=0
        )

    return method


def fairlearn_reduction(moment: Callable[[], Any]) -> Method:
    """Fairlearn's ``ExponentiatedGradient``, which does not read race to predict."""
    from fairlearn.reductions import ExponentiatedGradient

    def method(split: Split) -> Any:
        rows = Rows(*(pd.concat(pair) for pair in zip(split.train, split.valid, strict=True)))
        scaler = StandardScaler().fit(rows.features)
        reduction = ExponentiatedGradient(LogisticRegression(), moment())
        with warnings.catch_warnings():
            # Fairlearn 0.15 writes into a Series in two ways that pandas 3.1 deprecates.
            changes = "Setting (a value on a Series via .at|an item of incompatible dtype)"
            warnings.filterwarnings("ignore", changes, DeprecationWarning, "fairlearn")
            features = scaler.transform(rows.features)
            reduction.fit(features, rows.label, sensitive_features=rows.race)
        return reduction.predict(scaler.transform(split.test.features), random_state=0)

    return method


def aif360(make: Callable[[], Any]) -> Method:
    """A post-processing of AIF360; no new arrest is the favourable label."""
    from aif360.datasets import BinaryLabelDataset

    def dataset(rows: Rows, labels: Any, scores: Any = None) -> Any:
        table = pd.DataFrame({"race": (rows.race == "Caucasian") * 1.0, "label": labels})
        out = BinaryLabelDataset(
            favorable_label=0.0,
            unfavorable_label=1.0,
            df=table.astype(float).reset_index(drop=True),
            label_names=["label"],
            protected_attribute_names=["race"],
        )
        if scores is not None:
            # Those of the favourable label.
            out.scores = 1 - scores[:, None]
        return out

    def method(split: Split) -> Any:
        (_, valid, test), scores, fitted = split, split.scores(), make()
        predicted = [
            dataset(rows, score > 0.5, score)
            for rows, score in zip((valid, test), scores, strict=True)
        ]
        fitted.fit(dataset(valid, valid.label), predicted[0])
        return fitted.predict(predicted[1]).labels.ravel().astype(int)

    return method


def aif360_odds() -> Any:
    """AIF360's ``EqOddsPostprocessing``."""
    from aif360.algorithms.postprocessing import EqOddsPostprocessing

    return EqOddsPostprocessing([{"race": 0}], [{"race": 1}], seed=0)


def aif360_thresholds() -> Any:
    """This package's post-processing for AIF360."""
    from biasamp_adapters.aif360 import PrevalenceThresholdPostprocessing

    return PrevalenceThresholdPostprocessing()


def oxonfair_bound(split: Split) -> Any:
    """OxonFair, with the mean over groups of its bias amplification bounded by .01."""
    import oxonfair

    def data(rows: Rows) -> dict[str, Any]:
        return {
            "target": rows.label.to_numpy(),
            "groups": rows.race.to_numpy(),
            "data": model.predict_proba(rows.features),
        }

    model = split.model
    fair = oxonfair.FairPredictor(None, data(split.valid))
    metrics = oxonfair.group_metrics
    fair.fit(metrics.accuracy, metrics.bias_amplification.average, 0.01)
    return np.asarray(fair.predict(data(split.test)))


def methods() -> dict[str, Method]:
    """All methods, by what a table calls them; those of other packages if these are installed."""
    found: dict[str, Method] = {"none": none, "one threshold": one_threshold}
    found |= {f"threshold per group, {each:g}": by_group(each) for each in TOLERANCES}
    found["PrevalenceThresholdClassifier"] = cross_fitted
    try:
        from fairlearn.reductions import DemographicParity

        from biasamp_adapters.fairlearn import ZeroAmplification
    except ImportError:
        pass
    else:
        found |= {
            "ThresholdOptimizer, parity": fairlearn_thresholds("demographic_parity"),
            "ThresholdOptimizer, odds": fairlearn_thresholds("equalized_odds"),
            "ExponentiatedGradient, parity": fairlearn_reduction(
                lambda: DemographicParity(difference_bound=0.01)
            ),
            "ExponentiatedGradient, zero amplification": fairlearn_reduction(
                lambda: ZeroAmplification(difference_bound=0.01)
            ),
        }
    return found | _of_others()


def _of_others() -> dict[str, Method]:
    found: dict[str, Method] = {}
    if find_spec("aif360") is not None:
        found |= {
            "EqOddsPostprocessing (AIF360)": aif360(aif360_odds),
            "PrevalenceThresholdPostprocessing (AIF360)": aif360(aif360_thresholds),
        }
    if find_spec("oxonfair") is not None:
        found["OxonFair, bias amplification <= .01"] = oxonfair_bound
    return found


def measured(rows: Rows, method: Method, seeds: int = SEEDS) -> dict[str, float]:
    """Means over splits of the accuracy, BA A->T, its size, and Multi."""
    ba = bam.DirectionalBiasAmplification(direction="A->T", pos_label=1)
    multi = bam.MultiAttributeBiasAmplification(direction="A->T", pos_label=1)
    found = []
    for seed in range(seeds):
        split = Split.of(rows, seed)
        test, predicted = split.test, method(split)
        found.append(
            {
                "accuracy": float(np.mean(predicted == test.label)),
                "BA A->T": ba(test.label, predicted, sensitive_features=test.race),
                "Multi A->T": multi(test.label, predicted, sensitive_features=test.race),
            }
        )
    table = pd.DataFrame(found)
    table.insert(2, "mean size of BA", table["BA A->T"].abs())
    return table.mean().to_dict()


def compas(data_home: str | Path | None = None) -> Rows:
    """The people of COMPAS of two races, and whether they were arrested again."""
    table = fetch_compas(data_home=data_home, download_if_missing=False)
    return Rows(table.data, table.target, table.sensitive_features)


def of_classes(rows: Rows, seeds: int = SEEDS) -> pd.DataFrame:
    """How many earlier offences there are, in three classes, from age and juvenile counts.

    No other tool that is compared here takes three classes.
    """
    classes = pd.cut(rows.features["priors_count"], [-1, 0, 3, np.inf], labels=False)
    features = rows.features.drop(columns="priors_count")
    task = Rows(features, classes.rename("earlier offences"), rows.race)
    ba = bam.DirectionalBiasAmplification(direction="A->T")
    multi = bam.MultiAttributeBiasAmplification(direction="A->T")
    found: dict[str, list[dict[str, float]]] = {"none": [], "threshold per group": []}
    for seed in range(seeds):
        split = Split.of(task, seed)
        test, model = split.test, split.model
        valid, scores = (model.predict_proba(part.features) for part in (split.valid, split.test))
        fitted = bam.group_thresholds(split.valid.label, valid, sensitive_features=split.valid.race)
        predicted = {
            "none": model.predict(test.features),
            "threshold per group": fitted.predict(scores, sensitive_features=test.race),
        }
        for name, each in predicted.items():
            value = ba(test.label, each, sensitive_features=test.race)
            found[name].append(
                {
                    "accuracy": float(np.mean(each == test.label)),
                    "BA A->T": value,
                    "mean size of BA": abs(value),
                    "Multi A->T": multi(test.label, each, sensitive_features=test.race),
                }
            )
    means = {name: pd.DataFrame(runs).mean() for name, runs in found.items()}
    return pd.DataFrame(means).T.rename_axis("method")


def find(data_home: Path | None = None) -> Tables:
    """One row for each method, of two classes and of three."""
    rows = compas(data_home)
    table = pd.DataFrame({name: measured(rows, method) for name, method in methods().items()}).T
    return {"methods": table.rename_axis("method"), "classes": of_classes(rows)}


def draw(tables: Tables) -> Any:
    """Accuracy against the mean size of BA A->T, one dot a method."""
    from matplotlib import pyplot as plt

    table = tables["methods"].sort_values("mean size of BA")
    _, (ax, other) = plt.subplots(1, 2, figsize=(7.2, 3.6), sharey=True, layout="constrained")
    for axes, column, colour in (
        (ax, "mean size of BA", "#d55e00"),
        (other, "accuracy", "#0072b2"),
    ):
        axes.plot(100 * table[column], table.index, "o", color=colour)
        axes.grid(axis="y", linewidth=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    ax.set_xlim(left=0)
    ax.set_xlabel("mean size of BA A→T, points")
    other.set_xlabel("accuracy, %")
    ax.invert_yaxis()
    return ax


if __name__ == "__main__":
    run(find, draw)
