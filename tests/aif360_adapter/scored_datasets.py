"""AIF360 datasets with scores, for post-processing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from dataset_cases import dataset


def scored(truth: Any, scores: Any) -> Any:
    """A copy of a dataset with scores, whose labels are those at a threshold of .5."""
    out = truth.copy(deepcopy=True)
    out.scores = np.asarray(scores, dtype=float).reshape(len(out.labels), -1)
    if out.scores.shape[1] == 1:
        out.labels = np.where(out.scores > 0.5, out.favorable_label, out.unfavorable_label)
    return out


def labels_of(data: Any) -> list[float]:
    """The labels of a dataset as a list."""
    return list(data.labels.ravel().tolist())


def two_sexes(favorable: float = 1.0, unfavorable: float = 0.0) -> tuple[Any, Any]:
    """Three of four rows of sex 1 have the favourable label, and one of four of sex 0.

    The scores rank all rows rightly; at .5 they predict four and none.
    """
    favourable = np.array([1, 1, 1, 0, 1, 0, 0, 0]) == 1
    frame = pd.DataFrame({"sex": [1.0] * 4 + [0.0] * 4})
    frame["T"] = np.where(favourable, favorable, unfavorable)
    truth = dataset(frame, favorable_label=favorable, unfavorable_label=unfavorable)
    return truth, scored(truth, [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])


def three_grades() -> tuple[Any, Any]:
    """Grades 0, 1 and 2, of which a model never predicts 2 for sex 0."""
    frame = pd.DataFrame({"sex": [1.0] * 3 + [0.0] * 4, "T": [0.0, 1, 2, 0, 1, 2, 2]})
    truth = dataset(frame)
    scores = [[3, 1, 1], [1, 3, 1], [1, 1, 3], [6, 4, 0], [4, 6, 1], [5, 4, 3], [4, 5, 3]]
    return truth, scored(truth, np.array(scores) / 10)


def applicants(n: int, seed: int) -> tuple[Any, Any]:
    """Rows with a gap between sexes and ages, and a score that doubles it; truth and scores."""
    rng = np.random.default_rng(seed)
    sex, age = rng.integers(0, 2, (2, n))
    merit = rng.normal(size=n)
    tilt = sex + 0.5 * age - 0.75
    hired = rng.logistic(size=n) < 1.5 * merit + tilt
    frame = pd.DataFrame({"sex": sex, "age": age, "T": hired}, dtype=float)
    truth = dataset(frame)
    return truth, scored(truth, 1 / (1 + np.exp(-1.5 * merit - 2 * tilt)))
