"""What the scorers' tests share: rows, a model, the places of an attribute, values by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from biasamp_adapters import (
    MALS,
    DirectionalBiasAmplification,
    DirectionalPredictabilityAmplification,
    LeakageAmplification,
    MultiAttributeBiasAmplification,
)

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
N = 240
DEPTHS = [1, 2, 4]
SPLITS = list(KFold(3).split(np.empty(N)))


def drawn() -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Three noisy features, task, group, age and weights of 240 rows."""
    rng = np.random.default_rng(0)
    group = np.array(["a", "b"], dtype=object)[rng.integers(0, 2, N)]
    age = np.array(["old", "young"], dtype=object)[rng.integers(0, 2, N)]
    features = rng.normal(size=(N, 3)) + np.c_[group == "a", age == "old", np.zeros(N)]
    task = (features[:, 0] + features[:, 1] + rng.normal(size=N) > 1).astype(int)
    frame = pd.DataFrame(features, columns=["u", "v", "z"])
    return frame, task, group, age, rng.integers(1, 4, N)


X, Y, GROUP, AGE, WEIGHT = drawn()
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
REFERENCE = (Y[::2], GROUP[::2])
SIGNED = DirectionalBiasAmplification(reference=REFERENCE)
#: Metrics for what predicts the task.
METRICS = [
    MALS(reference=REFERENCE),
    MALS(reference=REFERENCE, pos_label=0),
    SIGNED,
    MultiAttributeBiasAmplification(),
    MultiAttributeBiasAmplification(reference=REFERENCE, direction="undirected"),
    LeakageAmplification(),
    LeakageAmplification(equalize="expected"),
    DirectionalPredictabilityAmplification(),
    DirectionalPredictabilityAmplification(quality="accuracy", equalize="expected"),
]
#: Metrics for what predicts the attribute.
OF_ATTRIBUTES = [
    DirectionalBiasAmplification(reference=REFERENCE, direction="T->A"),
    MultiAttributeBiasAmplification(direction="task_to_attribute"),
    DirectionalPredictabilityAmplification(direction="T->A"),
]
SIZES: dict[str, Callable[[float], float]] = {"signed": float, "absolute": abs}


@contextmanager
def routing(enabled: bool = True) -> Iterator[None]:
    """Metadata routing, on or off."""
    with sklearn.config_context(enable_metadata_routing=enabled):
        yield


def values(
    metric: Any,
    estimator: Any = TREE,
    *,
    y: Any = Y,
    fit_weight: Any = None,
    splits: Any = SPLITS,
    **columns: Any,
) -> list[float]:
    """The metric on each test fold, of an estimator fitted on the rest."""
    out = []
    for train, test in splits:
        fit = {} if fit_weight is None else {"sample_weight": fit_weight[train]}
        model = clone(estimator).fit(X.iloc[train], y[train], **fit)
        rows = {name: column[test] for name, column in columns.items()}
        out.append(metric(y[test], model.predict(X.iloc[test]), **rows))
    return out


def scores(
    metric: Any, estimator: Any = TREE, objective: str = "absolute", **of: Any
) -> list[float]:
    """Minus the size, or the value, on each test fold."""
    columns = {"sensitive_features": GROUP, **of}
    return [-SIZES[objective](value) for value in values(metric, estimator, **columns)]


def tree(depth: int) -> Any:
    """The model with another depth."""
    return clone(TREE).set_params(max_depth=depth)


def best(metric: Any, **of: Any) -> int:
    """The depth with the least mean amplification."""
    return max(DEPTHS, key=lambda depth: np.mean(scores(metric, tree(depth), **of)))


class Given(NamedTuple):
    """How an attribute reaches the scorer."""

    X: Any
    y: Any
    metadata: dict[str, Any]
    place: Any
    features: Any


def keep(features: Any, model: Any = TREE) -> Pipeline:
    """A pipeline that drops all columns but the features."""
    return Pipeline(
        [("keep", ColumnTransformer([("keep", "passthrough", features)])), ("tree", model)]
    )


def _polars(frame: pd.DataFrame) -> Any:
    polars = pytest.importorskip("polars", reason="the polars extra is not installed")
    return polars.DataFrame({name: column.tolist() for name, column in frame.items()})


_NAMES = list(X.columns)
_WIDE = X.assign(group=GROUP)
_MATRIX = np.column_stack([X.to_numpy(), GROUP])
#: As metadata, as a level of y's index, and as a column of X.
WAYS: dict[str, Callable[[], Given]] = {
    "metadata": lambda: Given(X, Y, {"sensitive_features": GROUP}, None, _NAMES),
    "level": lambda: Given(X, pd.Series(Y, pd.Index(GROUP, name="group")), {}, "group", _NAMES),
    "column of pandas": lambda: Given(_WIDE, Y, {}, "group", _NAMES),
    "column of polars": lambda: Given(_polars(_WIDE), Y, {}, "group", _NAMES),
    "column of numpy": lambda: Given(_MATRIX, Y, {}, 3, [0, 1, 2]),
}
