"""[W21] Fig. 4: what five runs can tell apart, on COMPAS instead of faces.

The paper trains three networks on faces, five times each. Average precision ranks them, but FPR
difference and BA A->T have intervals that overlap. Then it varies the ratio of majority to minority
pairs in the training data, and BA A->T differs by more than its intervals. Here three kinds of
model learn from random halves of COMPAS, race among their features as gender is in a face, and are
read on the other halves. For the ratios a training half keeps as many rows of each race and, of
them, as many of its minority class as the ratio allows; the test half stays as it is.

Both findings come out. BA A->T is .10, .07 and .08, with intervals that overlap; from ratio 1.5 to
4 it goes from .18 to .33, and only 3 and 4 overlap. At ratio 1 it is 0 by construction, while the
FPR difference is -.15.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from _study import Tables, run, whiskers
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import biasamp_adapters as bam
from biasamp_adapters.datasets import fetch_compas

MODELS = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
    "forest": RandomForestClassifier(100, max_depth=8, random_state=0),
}
RATIOS = (1.0, 1.5, 2.0, 3.0, 4.0)
RUNS = 5


def halves(data_home: Path | None, seed: int) -> list[pd.DataFrame]:
    """Features, ``task`` and ``race`` of a training half and a test half."""
    compas = fetch_compas(data_home=data_home)
    rows = compas.data.assign(task=compas.target, race=compas.sensitive_features)
    pairs = rows["race"] + rows["task"].astype(str)
    return list(train_test_split(rows, test_size=0.5, stratify=pairs, random_state=seed))


def at_ratio(rows: pd.DataFrame, ratio: float, seed: int) -> pd.DataFrame:
    """As many rows whatever the ratio: of each race, ``ratio`` times as many of its majority."""
    trend = rows["task"].eq(1) == rows["race"].eq("African-American")
    least = rows.groupby(["race", "task"]).size().min()
    kept = []
    for (_, _), part in rows.groupby(["race", trend]):
        share = ratio / (1 + ratio) if trend[part.index[0]] else 1 / (1 + ratio)
        kept.append(part.sample(round(share * least), random_state=seed))
    return pd.concat(kept)


def measure(model: Any, train: pd.DataFrame, test: pd.DataFrame) -> dict[str, float]:
    """Average precision, FPR difference and BA A->T, with the signs of the training data."""
    seen = [
        rows.drop(columns="task").assign(race=rows["race"].eq("African-American"))
        for rows in (train, test)
    ]
    score = model.fit(seen[0], train["task"]).predict_proba(seen[1])[:, 1]
    # As many positives as the training data have, as the paper sets its thresholds.
    said = (score >= bam.calibrated_threshold(score, train["task"].mean())).astype(int)
    negative = test["task"] == 0
    rates = pd.Series(said, test.index)[negative].groupby(test["race"][negative]).mean()
    metric = bam.DirectionalBiasAmplification(reference=(train["task"], train["race"]))
    return {
        "average precision": average_precision_score(test["task"], score),
        "FPR difference": rates["African-American"] - rates["Caucasian"],
        "BA A->T": metric(test["task"], said, sensitive_features=test["race"]),
    }


def over_runs(values: list[dict[str, float]]) -> pd.DataFrame:
    """Mean and 95 % interval (Student's t) of each measure."""
    table = pd.DataFrame(values)
    rows = []
    for name in table:
        summary = bam.summarize_runs(table[name])
        low, high = summary.interval or (float("nan"), float("nan"))
        rows.append({"measure": name, "mean": summary.value, "low": low, "high": high})
    return pd.DataFrame(rows)


def find(data_home: Path | None = None) -> Tables:
    """The measures of each model, and of one of them at each ratio."""
    data = [halves(data_home, seed) for seed in range(RUNS)]
    models = {
        name: over_runs([measure(model, *rows) for rows in data]) for name, model in MODELS.items()
    }
    ratios = {
        ratio: over_runs(
            [
                measure(MODELS["logistic regression"], at_ratio(train, ratio, i), test)
                for i, (train, test) in enumerate(data)
            ]
        )
        for ratio in RATIOS
    }
    return {
        name: pd.concat(found, names=[key]).droplevel(1).reset_index()
        for name, key, found in (("models", "model", models), ("ratios", "ratio", ratios))
    }


def draw(tables: Tables) -> Any:
    """One panel per measure for the models, and one of BA A->T for the ratios."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(10, 2.4), layout="constrained")
    panels = [(part, "model") for _, part in tables["models"].groupby("measure", sort=False)]
    panels.append((tables["ratios"].query("measure == 'BA A->T'"), "ratio"))
    for ax, (part, of) in zip(axes, panels, strict=True):
        whiskers(ax, part, of, "mean")
        ax.set_title(part["measure"].iloc[0] + (" by ratio" if of == "ratio" else ""))
    for ax in axes[1:3]:
        ax.set_yticklabels([])
    return figure


if __name__ == "__main__":
    run(find, draw)
