"""A matrix of one column beside a vector is that vector, as MetricFrame has it: ``df[["label"]]``.

Of two such columns nothing says that they are labels: they stay a label matrix of one task.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from metric_cases import quietly
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import biasamp_adapters as bam

RNG = np.random.default_rng(0)
N = 200
GROUP = np.where(RNG.random(N) < 0.4, "a", "b")
TRUTH = (RNG.random(N) < np.where(GROUP == "a", 0.7, 0.4)).astype(int)
SAID = np.where(RNG.random(N) < 0.3, 1 - TRUTH, TRUTH)
GUESS = np.where(RNG.random(N) < 0.2, "a", GROUP)
SCORE = np.clip(0.5 * SAID + 0.5 * RNG.random(N), 0, 1)


def _polars(values: Any) -> Any:
    polars = pytest.importorskip("polars", reason="the polars extra is not installed")
    return polars.DataFrame({"label": list(values)})


def _pyarrow(values: Any) -> Any:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return pyarrow.table({"label": list(values)})


COLUMNS: dict[str, Callable[[Any], Any]] = {
    "pandas": lambda values: pd.DataFrame({"label": values}),
    "numpy": lambda values: np.asarray(values)[:, None],
    "list": lambda values: [[value] for value in values],
    "polars": _polars,
    "pyarrow": _pyarrow,
}
FITTED = LogisticRegression()
METRICS = [
    bam.MALS(),
    bam.DirectionalBiasAmplification(),
    bam.MultiAttributeBiasAmplification(direction="undirected"),
    bam.LeakageAmplification(),
    bam.LeakageAmplification(attacker=FITTED, n_trials=2),
    bam.DirectionalPredictabilityAmplification(),
]


@cache
def of_vectors(metric: Any) -> float:
    """The value of the two vectors."""
    return float(metric(TRUTH, SAID, sensitive_features=GROUP))


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_either_of_the_two_may_be_the_column(metric: Any, column: Callable[[Any], Any]) -> None:
    expected = of_vectors(metric)
    assert metric(column(TRUTH), SAID, sensitive_features=GROUP) == expected
    assert metric(TRUTH, column(SAID), sensitive_features=GROUP) == expected
    assert metric.result(column(TRUTH), SAID, sensitive_features=GROUP).value == expected


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_the_predicted_attribute_may_be_a_column(column: Callable[[Any], Any]) -> None:
    metric = bam.DirectionalBiasAmplification(direction="T->A")
    groups = {"sensitive_features": GROUP, "sensitive_features_pred": GUESS}
    expected = metric(TRUTH, None, **groups)
    guess = {"sensitive_features_pred": column(GUESS)}
    assert metric(TRUTH, None, **groups | guess) == expected
    assert metric(column(TRUTH), SAID, **groups | guess) == expected


def test_a_sparse_column() -> None:
    metric = bam.DirectionalBiasAmplification()
    column = sparse.csr_matrix(TRUTH[:, None])
    expected = metric(TRUTH, SAID, sensitive_features=GROUP)
    assert metric(column, SAID, sensitive_features=GROUP) == expected


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_labels_of_any_kind(column: Callable[[Any], Any]) -> None:
    metric = bam.MALS(pos_label="yes")
    truth, said = (np.where(values == 1, "yes", "no") for values in (TRUTH, SAID))
    expected = metric(truth, said, sensitive_features=GROUP)
    assert metric(column(truth), said, sensitive_features=GROUP) == expected
    assert metric(truth, column(said), sensitive_features=GROUP) == expected


def test_missing_values_of_a_column() -> None:
    said = pd.Series(np.where(SAID == 1, "yes", "no"), dtype=object)
    said[:7] = None
    truth = pd.Series(np.where(TRUTH == 1, "yes", "no"))
    rows = {"sensitive_features": GROUP}
    with pytest.raises(ValueError, match=r"^y_pred must not have missing values; received 7"):
        bam.DirectionalBiasAmplification()(truth, said.to_frame(), **rows)
    for missing in ("drop", "abstain"):
        metric = bam.DirectionalBiasAmplification(missing=missing)
        expected = quietly(metric, truth, said, **rows)
        assert quietly(metric, truth, said.to_frame(), **rows) == expected


@pytest.mark.parametrize("attacker", ["exact", FITTED], ids=["exact", "fitted"])
def test_probabilities_as_a_network_returns_them(attacker: Any) -> None:
    """Of a truth that is 0 or 1, numbers between are the probability of 1."""
    n_trials = 100 if attacker == "exact" else 2
    metric = bam.LeakageAmplification(attacker=attacker, n_trials=n_trials, equalize=None)
    expected = metric(TRUTH, SCORE, sensitive_features=GROUP)
    assert metric(TRUTH, SCORE[:, None], sensitive_features=GROUP) == expected
    assert metric(TRUTH[:, None], SCORE, sensitive_features=GROUP) == expected


def test_one_of_several_models() -> None:
    models = {"one": SAID, "other": TRUTH}
    columns = {"one": SAID[:, None], "other": TRUTH}
    metric, rows = bam.DirectionalBiasAmplification(), {"sensitive_features": GROUP}
    expected = bam.compare(metric, TRUTH, models, n_boot=50, **rows).to_frame()
    for truth in (TRUTH, TRUTH[:, None]):
        found = bam.compare(metric, truth, columns, n_boot=50, **rows).to_frame()
        pd.testing.assert_frame_equal(found, expected)


def test_an_audit_and_its_sweep() -> None:
    rows = {"sensitive_features": GROUP, "sensitive_features_pred": GUESS, "n_boot": 20}
    expected = bam.audit(TRUTH, SAID, y_score=SCORE, **rows)
    found = bam.audit(pd.DataFrame({None: TRUTH}), SAID, y_score=SCORE, **rows)
    assert found.to_json() == expected.to_json()


@pytest.mark.parametrize("metric", [METRICS[1], METRICS[4]], ids=repr)
def test_a_sweep_of_thresholds(metric: Any) -> None:
    rows = {"sensitive_features": GROUP, "q": 3}
    expected = quietly(bam.threshold_sweep, metric, TRUTH, SCORE, **rows)
    for truth, score in ((TRUTH[:, None], SCORE), (TRUTH, SCORE[:, None])):
        found = quietly(bam.threshold_sweep, metric, truth, score, **rows)
        pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize("kind", [bam.JointCounts, bam.CooccurrenceCounts])
def test_counts(kind: Any) -> None:
    expected = kind.from_arrays(TRUTH, SAID, GROUP)
    assert kind.from_arrays(TRUTH[:, None], SAID, GROUP) == expected
    assert kind.from_arrays(TRUTH, SAID[:, None], GROUP) == expected


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_two_columns_stay_a_label_matrix(column: Callable[[Any], Any]) -> None:
    metric = bam.DirectionalBiasAmplification(direction="T->A")
    groups = {"sensitive_features": GROUP, "sensitive_features_pred": GUESS}
    both = metric(column(TRUTH), column(SAID), **groups)
    one_task = bam.DirectionalBiasAmplification(direction="T->A", pos_label=1)
    assert both == pytest.approx(one_task(TRUTH, SAID, **groups), abs=1e-12)
    assert both != pytest.approx(metric(TRUTH, SAID, **groups), abs=1e-3)


@pytest.mark.parametrize(
    "wide", [[[0, 1]] * N, np.zeros((N, 2), dtype=int), pd.DataFrame({"a": TRUTH, "b": TRUTH})]
)
def test_several_columns_beside_a_vector_are_refused(wide: Any) -> None:
    metric = bam.DirectionalBiasAmplification()
    with pytest.raises(ValueError, match=r"must have the shape of y_true; received labels for a"):
        metric(wide, SAID, sensitive_features=GROUP)
    with pytest.raises(ValueError, match=r"must have the shape of y_true; received a matrix for"):
        metric(TRUTH, wide, sensitive_features=GROUP)


def test_a_reference_of_one_column_says_what_to_pass() -> None:
    """No data stand beside a reference when a metric is made, so it stays a matrix."""
    metric = bam.DirectionalBiasAmplification(reference=(TRUTH[:, None], GROUP))
    with pytest.raises(ValueError, match=r"of labels, pass the column, such as frame\['label'\]"):
        metric(TRUTH, SAID, sensitive_features=GROUP)
