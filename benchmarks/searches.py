"""Searches that score accuracy and three metrics: one scorer against a dictionary of scorers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_validate

import biasamp_adapters as bam
from benchmarks.table import Scale, Table, seconds
from biasamp_adapters.sklearn import amplification_scorer, amplification_scorers

_FOLDS = 5


class _Forest(RandomForestClassifier):
    """A forest that counts how often it predicts."""

    predictions = 0

    def predict(self, X: Any) -> Any:  # noqa: N803
        _Forest.predictions += 1
        return super().predict(X)


def searches(table: Table, scale: Scale) -> None:
    """Cross-validation in five folds with accuracy and three metrics of ours."""
    rng = np.random.default_rng(0)
    n_rows = scale.of(20_000)
    group = rng.integers(0, 2, n_rows)
    features = rng.normal(size=(n_rows, 5)) + group[:, None]
    label = (features.sum(axis=1) + 3 * rng.normal(size=n_rows) > 0).astype(int)
    y = pd.Series(label, pd.Index(group, name="group"))
    reference = (label, group)
    metrics = {
        "ba": bam.DirectionalBiasAmplification(reference=reference),
        "mals": bam.MALS(reference=reference),
        "multi": bam.MultiAttributeBiasAmplification(),
    }
    place = {"sensitive_features": "group"}
    one = amplification_scorers(metrics, others={"accuracy": "accuracy"}, **place)
    several = {name: amplification_scorer(metric, **place) for name, metric in metrics.items()}
    several["accuracy"] = "accuracy"
    forest = _Forest(n_estimators=20, max_depth=8, random_state=0)
    run = partial(cross_validate, forest, features, y, cv=_FOLDS, error_score="raise")
    found, asked = [], []
    for scoring in (one, several):
        _Forest.predictions = 0
        found.append(run(scoring=scoring))
        asked.append(_Forest.predictions)
    names = [f"test_{name}" for name in several]
    table.close("scores are equal", *([scores[name] for name in names] for scores in found))
    table.ratio("predictions, one scorer", asked[0], f"<= {_FOLDS}", f"{asked[1]} with four", "")
    together, alone = (float(np.median(scores["score_time"])) for scores in found)
    table.ratio(
        "scoring a fold, four scorers / one", alone / together, ">= 2", seconds(alone, together)
    )
