"""[W21] 5.2 and Fig. 4: what five runs can tell apart, on COMPAS in place of faces.

The paper's networks and figure values are not published. Three kinds of models learn from random
halves of COMPAS, with race among their features as gender is in a face, and are evaluated on the
other halves. For the ratios, a training half keeps as many rows whatever the ratio is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from _study import Tables, over_runs, run
from compas_thresholds import read
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from trees_on_compas import FEATURES

import biasamp_adapters as bam

MODELS = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
    "forest": RandomForestClassifier(100, max_depth=8, random_state=0),
}
RATIOS = (1.0, 1.5, 2.0, 3.0, 4.0)
MEASURES = ["average precision", "FPR difference", "BA A→T"]


def halves(people: pd.DataFrame, seed: int) -> list[pd.DataFrame]:
    """Return a training half and a test half with the same shares of pairs."""
    pairs = people["race"] + people["task"].astype(str)
    return list(train_test_split(people, test_size=0.5, stratify=pairs, random_state=seed))


def at_ratio(rows: pd.DataFrame, ratio: float, seed: int) -> pd.DataFrame:
    """Return rows of each race, ``ratio`` times as many of its majority class as of the other."""
    is_major = rows["task"].eq(1) == rows["race"].eq("African-American")
    least = rows.groupby(["race", "task"]).size().min()
    kept = []
    for (_, major), part in rows.groupby(["race", is_major]):
        share = ratio / (1 + ratio) if major else 1 / (1 + ratio)
        kept.append(part.sample(round(share * least), random_state=seed))
    return pd.concat(kept)


def measure(model: Any, train: pd.DataFrame, test: pd.DataFrame) -> list[float]:
    """Return three measures of a model; BA has the signs of the training data."""
    columns = [
        rows[FEATURES].assign(race=rows["race"].eq("African-American")) for rows in (train, test)
    ]
    score = model.fit(columns[0], train["task"]).predict_proba(columns[1])[:, 1]
    # As many positives as the training data have, as the paper sets its thresholds.
    threshold = bam.PrevalenceThreshold(train["task"].mean())
    predicted = pd.Series(threshold.fit(score, test["task"]).predict(score), test.index)
    is_negative = test["task"] == 0
    rates = predicted[is_negative].groupby(test["race"]).mean()
    metric = bam.DirectionalBiasAmplification(reference=(train["task"], train["race"]))
    return [
        average_precision_score(test["task"], score),
        rates["African-American"] - rates["Caucasian"],
        metric(test["task"], predicted, sensitive_features=test["race"]),
    ]


def find(data_home: Path) -> Tables:
    """Return the measures of each kind of model, and of one kind at each ratio."""
    people = read(data_home).rename(columns={"two_year_recid": "task"})
    data = [halves(people, seed) for seed in range(5)]
    models = [
        (name, *map(over_runs, zip(*(measure(model, *rows) for rows in data), strict=True)))
        for name, model in MODELS.items()
    ]
    ratios = []
    for ratio in RATIOS:
        kept = [(at_ratio(train, ratio, seed), test) for seed, (train, test) in enumerate(data)]
        runs = [measure(MODELS["logistic regression"], *rows) for rows in kept]
        ratios.append((ratio, *map(over_runs, zip(*runs, strict=True))))
    return {
        "models": pd.DataFrame(models, columns=["model", *MEASURES]),
        "ratios": pd.DataFrame(ratios, columns=["ratio", *MEASURES]),
    }


if __name__ == "__main__":
    run(find)
