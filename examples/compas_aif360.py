"""Audit what AIF360's mitigations do on COMPAS, with its own measures beside ours.

A shallow decision tree is trained on half of the rows: alone, with the weights of ``Reweighing``
(before training), and with ``EqOddsPostprocessing`` (after it). The held-out half is audited, one
``BiasAmplificationMetric`` per model. Race is not a feature; the post-processing depends
on it. No model predicts race, so there is no direction T->A.

Reads ProPublica's table from the folder given with ``--data-home``, or from scikit-learn's data
folder. If the latter has none, scikit-learn's diabetes table is used instead.

    python examples/compas_aif360.py --html compas.html
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

# Imported before other modules of AIF360, so that these log no messages.
from biasamp_adapters.aif360 import BiasAmplificationMetric, audit_report

# isort: split
from aif360.algorithms.postprocessing import EqOddsPostprocessing
from aif360.algorithms.preprocessing import Reweighing
from aif360.datasets import BinaryLabelDataset
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import DirectionalBiasAmplification, DirectionalPredictabilityAmplification
from biasamp_adapters.datasets import fetch_compas

#: The tree alone, with a mitigation before it, and with one after it.
MODELS = ("tree", "reweighing", "equalized odds")


class Rows(NamedTuple):
    """Features, task and protected attribute of the same rows."""

    features: pd.DataFrame
    task: pd.Series
    attribute: pd.Series


class Setting(NamedTuple):
    """Rows, the group that the outcome favours, and what its codes mean."""

    rows: Rows
    privileged: str
    outcomes: dict[float, str]

    @property
    def groups(self) -> dict[str, list[dict[str, float]]]:
        """The two groups, by the names that AIF360's classes share."""
        name = str(self.rows.attribute.name)
        return {"unprivileged_groups": [{name: 0.0}], "privileged_groups": [{name: 1.0}]}


def compas(data_home: str | None = None) -> Setting:
    """COMPAS, if its table is there: whether an arrest was recorded again, and race."""
    table = fetch_compas(data_home=data_home, download_if_missing=False, label="is_recid")
    rows = Rows(table.data, table.target, table.sensitive_features)
    return Setting(rows, "Caucasian", {0.0: "no new arrest", 1.0: "new arrest"})


def diabetes() -> Setting:
    """The rows of ``load_diabetes_audit``: whether the disease progressed much, and sex."""
    table = load_diabetes(scaled=False, as_frame=True).frame
    progression, sex = table.pop("target"), table.pop("sex")
    high = (progression > progression.median()).astype(int).rename("high_progression")
    rows = Rows(table, high, "sex " + sex.astype(int).astype(str))
    return Setting(rows, "sex 1", {0.0: "low progression", 1.0: "high progression"})


def dataset(setting: Setting, part: Rows) -> BinaryLabelDataset:
    """Rows as AIF360 takes them: all of it numbers, the attribute 1 where it is privileged.

    ``CompasDataset`` would read the published file from inside AIF360's own folder, and ends the
    program with ``sys.exit`` where that is missing. Where it is there, it fails on pandas 3, as
    ``StandardDataset`` does on every column of strings.
    """
    privileged = (part.attribute == setting.privileged).astype(float)
    others = " or ".join(sorted(set(part.attribute) - {setting.privileged}))
    return BinaryLabelDataset(
        favorable_label=0.0,
        unfavorable_label=1.0,
        df=part.features.assign(**{str(each.name): each for each in (privileged, part.task)}),
        label_names=[part.task.name],
        protected_attribute_names=[privileged.name],
        metadata={
            "label_maps": [setting.outcomes],
            "protected_attribute_maps": [{1.0: setting.privileged, 0.0: others}],
        },
    )


def halves(setting: Setting, seed: int = 0) -> tuple[BinaryLabelDataset, BinaryLabelDataset]:
    """Rows to train on and rows held out, with the same share of each group and class."""
    rows = setting.rows
    # ``BinaryLabelDataset.split`` knows no strata, and seeds numpy for the whole program.
    strata = rows.attribute + " " + rows.task.astype(str)
    parts = train_test_split(*rows, test_size=0.5, random_state=seed, stratify=strata)
    return dataset(setting, Rows(*parts[::2])), dataset(setting, Rows(*parts[1::2]))


def features(data: BinaryLabelDataset) -> np.ndarray:
    """What a model may read: AIF360 has the protected attributes among the features."""
    allowed = [name not in data.protected_attribute_names for name in data.feature_names]
    return data.features[:, allowed]


def fitted(train: BinaryLabelDataset, depth: int | None = 3) -> DecisionTreeClassifier:
    """The tree, on rows with their weights."""
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    return tree.fit(features(train), train.labels.ravel(), sample_weight=train.instance_weights)


def classified(tree: DecisionTreeClassifier, data: BinaryLabelDataset) -> BinaryLabelDataset:
    """A copy of the data with a tree's labels."""
    # Without deepcopy the arrays would be shared, and writing into one changes both.
    out = data.copy(deepcopy=True)
    out.labels = tree.predict(features(data))[:, None]
    return out


def predictions(
    setting: Setting, train: BinaryLabelDataset, test: BinaryLabelDataset, depth: int | None = 3
) -> dict[str, BinaryLabelDataset]:
    """What the tree and its two mitigations predict for the rows held out."""
    tree = fitted(train, depth)
    # A dataset with other weights, which is for training only: a ClassificationMetric refuses two
    # datasets that differ in weights, and the rows held out are people, one each.
    reweighed = fitted(Reweighing(**setting.groups).fit_transform(train), depth)
    # ``seed`` also seeds numpy for the whole program.
    equal = EqOddsPostprocessing(**setting.groups, seed=0).fit(train, classified(tree, train))
    found = [classified(tree, test), classified(reweighed, test)]
    return dict(zip(MODELS, [*found, equal.predict(found[0])], strict=True))


def audit(
    setting: Setting, seed: int = 0, depth: int | None = 3
) -> dict[str, BiasAmplificationMetric]:
    """Split, train and predict; one metric a model, of the rows held out."""
    train, test = halves(setting, seed)
    return {
        model: BiasAmplificationMetric(test, predicted, **setting.groups, reference_dataset=train)
        for model, predicted in predictions(setting, train, test, depth).items()
    }


#: AIF360's own measures, and what to call them in a table. "Foulds et al." is in its name a bias
#: amplification as well: of another kind, without a direction.
HOST = {
    "parity difference": "statistical_parity_difference",
    "average odds difference": "average_odds_difference",
    "Foulds et al.": "differential_fairness_bias_amplification",
    "accuracy": "accuracy",
}


def table(metrics: dict[str, BiasAmplificationMetric], n_boot: int = 1000) -> pd.DataFrame:
    """One row per model, with the value and the ends of the interval of each quantity."""
    rows = {}
    for model, metric in metrics.items():
        ba = metric.amplification(DirectionalBiasAmplification(direction="A->T"), n_boot=n_boot)
        dpa = metric.amplification(
            DirectionalPredictabilityAmplification(direction="A->T"), n_boot=n_boot
        )
        # What mistakes as frequent as these would score if they knew nothing of the attribute, and
        # the rest of the value.
        parts = {"blind errors": ba.blind_errors, "excess": ba.excess}
        estimates = {"BA A->T": ba, **parts, "DPA A->T": dpa}
        found: dict[str, tuple[float, ...]] = {
            name: (each.value, *(each.interval or (np.nan, np.nan)))
            for name, each in estimates.items()
        }
        # AIF360 has no intervals.
        found |= {name: (getattr(metric, of)(), np.nan, np.nan) for name, of in HOST.items()}
        rows[model] = pd.DataFrame(found, index=["value", "low", "high"]).unstack()
    return pd.DataFrame(rows).T


def as_text(found: pd.DataFrame) -> str:
    """A table for a terminal; intervals where there are some."""

    def cell(value: float, low: float, high: float) -> str:
        return f"{value:+.3f}" + ("" if np.isnan(low) else f" [{low:+.3f}, {high:+.3f}]")

    cells: dict[str, Any] = {
        name: [cell(*ends) for ends in found[name].to_numpy()] for name in found.columns.unique(0)
    }
    return pd.DataFrame(cells, index=found.index).to_string(line_width=100)


def main() -> None:
    """Print the table, and write a report if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-home", help="folder of compas-scores-two-years.csv(.gz)")
    parser.add_argument("--seed", type=int, default=0, help="of the split into halves")
    parser.add_argument("--depth", type=int, default=3, help="of the tree; 0 is no limit")
    parser.add_argument("--n-boot", type=int, default=1000, help="replicates of the intervals")
    parser.add_argument("--html", help="write the whole audit of one model")
    parser.add_argument("--model", choices=MODELS, default="tree", help="which one")
    options = parser.parse_args()
    try:
        setting = compas(options.data_home)
    except OSError as error:
        if options.data_home:
            parser.error(str(error))
        print("COMPAS is not in scikit-learn's data folder: this is its diabetes table.")
        setting = diabetes()
    metrics = audit(setting, options.seed, options.depth or None)
    rows = setting.rows
    print(f"Attribute {rows.attribute.name}, task {rows.task.name}; 95% intervals\n")
    print(as_text(table(metrics, options.n_boot)))
    if options.html:
        title = f"{rows.task.name} and {rows.attribute.name}: {options.model}"
        report = audit_report(metrics[options.model], n_boot=options.n_boot, title=title)
        report.to_html(options.html)


if __name__ == "__main__":
    main()
