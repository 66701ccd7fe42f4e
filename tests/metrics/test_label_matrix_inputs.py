"""A label matrix is the same whatever holds it: arrays, lists, frames, sparse matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matrix_cases import Case, result_of, seeded
from metric_cases import quietly
from scipy import sparse

import biasamp_adapters as bam

Container = Callable[[np.ndarray], Any]


def _frame(values: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(values, columns=[f"c{j}" for j in range(values.shape[1])])


def _polars(values: np.ndarray) -> Any:
    polars = pytest.importorskip("polars", reason="the polars extra is not installed")
    return polars.DataFrame({name: column.tolist() for name, column in _frame(values).items()})


def _pyarrow(values: np.ndarray) -> Any:
    pyarrow = pytest.importorskip("pyarrow", reason="the arrow extra is not installed")
    return pyarrow.table({name: column.tolist() for name, column in _frame(values).items()})


CONTAINERS: dict[str, Container] = {
    "bool": lambda values: values.astype(bool),
    "int8": lambda values: values.astype(np.int8),
    "uint8": lambda values: values.astype(np.uint8),
    "int64, by column": lambda values: np.asfortranarray(values.astype(np.int64)),
    "float32": lambda values: values.astype(np.float32),
    "float64": lambda values: values.astype(np.float64),
    "objects": lambda values: values.astype(object),
    "list of lists": lambda values: values.tolist(),
    "list of lists of bool": lambda values: values.astype(bool).tolist(),
    "list of arrays": list,
    "pandas": _frame,
    "pandas bool": lambda values: _frame(values.astype(bool)),
    "pandas nullable": lambda values: _frame(values).astype("Int64"),
    "pandas with any index": lambda values: _frame(values).set_index(np.arange(len(values))[::-1]),
    "polars": _polars,
    "pyarrow": _pyarrow,
    "csr matrix": sparse.csr_matrix,
    "csr array": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "csc array of bool": lambda values: sparse.csc_array(values.astype(bool)),
    "coo": sparse.coo_matrix,
    "coo array of floats": lambda values: sparse.coo_array(values.astype(np.float64)),
}

METRICS: list[Any] = [
    bam.MALS(),
    bam.DirectionalBiasAmplification(direction="A->T"),
    bam.DirectionalBiasAmplification(direction="T->A"),
    bam.MultiAttributeBiasAmplification(direction="A->T"),
    bam.MultiAttributeBiasAmplification(direction="T->A", combinations="subsets", max_size=2),
]
ids = [metric.__name__ for metric in METRICS]

#: Indicators, hard predictions, and no abstention, which integers cannot say.
CASE = seeded(3, hard=True, indicators=True, reference=True)
CASE = CASE._replace(
    y_pred=[row or [0] * len(CASE.y_true[0]) for row in CASE.y_pred],
    attribute_pred=[row or [0] * len(CASE.attribute[0]) for row in CASE.attribute_pred],
)


def held_by(case: Case, container: Container, *, indicators: bool = True) -> dict[str, Any]:
    """The arguments of a metric, their matrices in a container."""
    parts = [np.array(part) for part in (case.y_true, case.y_pred)]
    out = dict(zip(("y_true", "y_pred"), map(container, parts), strict=True))
    groups = [np.array(part) for part in (case.attribute, case.attribute_pred)]
    wrapped = [bam.Indicators(container(part)) if indicators else part for part in groups]
    out |= {"sensitive_features": wrapped[0], "sensitive_features_pred": wrapped[1]}
    return out | {"sample_weight": case.weights}


@pytest.mark.parametrize("metric", METRICS, ids=ids)
@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_the_container_changes_nothing(container: Container, metric: Any) -> None:
    expected = result_of(metric, CASE)
    result = quietly(metric.result, **held_by(CASE, container))
    assert result.value == expected.value
    assert result.blind_errors == expected.blind_errors
    assert result.excess == expected.excess
    assert result.variance == expected.variance
    columns = ["sign", "delta", "contribution"]
    pd.testing.assert_frame_equal(result.by_pair[columns], expected.by_pair[columns])


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_the_container_of_a_reference_changes_nothing(container: Container) -> None:
    assert CASE.reference is not None
    tasks, groups = (container(np.array(part)) for part in CASE.reference)
    own = held_by(CASE, container)
    metric = bam.DirectionalBiasAmplification(reference=(tasks, bam.Indicators(groups)))
    with_lists = bam.DirectionalBiasAmplification(**CASE.lists)
    assert quietly(metric, **own) == result_of(with_lists, CASE).value


@pytest.mark.parametrize("container", ["pandas", "polars", "pyarrow"])
def test_columns_of_frames_name_tasks_and_groups(container: str) -> None:
    result = quietly(METRICS[1].result, **held_by(CASE, CONTAINERS[container]))
    width, groups = len(CASE.y_true[0]), len(CASE.attribute[0])
    assert list(result.by_task.index) == [f"c{j}" for j in range(width)]
    assert list(result.by_attribute.index) == [f"c{j}" for j in range(groups)]


def test_columns_of_arrays_are_numbered() -> None:
    result = quietly(METRICS[1].result, **held_by(CASE, np.asarray))
    assert list(result.by_task.index) == list(range(len(CASE.y_true[0])))
    assert list(result.by_attribute.index) == list(range(len(CASE.attribute[0])))


def test_names_given_to_indicators_win() -> None:
    names = ["woman", "man", "nobody"][: len(CASE.attribute[0])]
    given = held_by(CASE, _frame)
    for key in ("sensitive_features", "sensitive_features_pred"):
        given[key] = bam.Indicators(given[key].values, names=names)
    result = quietly(METRICS[1].result, **given)
    assert list(result.by_attribute.index) == names


def test_label_sets_are_named_by_their_tasks() -> None:
    tasks = _frame(np.array([[1, 1], [1, 0], [0, 0]]))
    metric = bam.MultiAttributeBiasAmplification(direction="A->T")
    pairs = metric.result(tasks, tasks, sensitive_features=["x", "y", "x"]).by_pair
    assert set(pairs["task"]) == {"c0", "c0 + c1"}


PROBABILITIES = np.array([[0.25, 1.0], [0.5, 0.0], [0.75, 0.125]])


@pytest.mark.parametrize("metric", METRICS[:2], ids=ids[:2])
@pytest.mark.parametrize(
    "name", ["float32", "list of lists", "objects", "pandas", "polars", "csr array", "csc", "coo"]
)
def test_probabilities_in_any_container(name: str, metric: Any) -> None:
    given: dict[str, Any] = {"y_true": [[1, 0], [0, 1], [1, 0]], "sensitive_features": [0, 1, 1]}
    expected = quietly(metric, y_pred=PROBABILITIES, **given)
    container = CONTAINERS[name]
    if name in ("pandas", "polars"):
        given["y_true"] = container(np.array(given["y_true"]))
    assert quietly(metric, y_pred=container(PROBABILITIES), **given) == expected


def test_two_plain_columns_are_crossed_and_not_groups() -> None:
    """Only ``Indicators`` says that columns are groups: here they are two attributes."""
    columns = [[0, 0], [0, 1], [1, 0], [1, 1]]
    result = METRICS[1].result([[1], [0], [1], [0]], [[1]] * 4, sensitive_features=columns)
    assert len(result.by_attribute) == 4


@pytest.mark.parametrize("frame", [_frame, _polars], ids=["pandas", "polars"])
@pytest.mark.parametrize("metric", METRICS, ids=ids)
def test_columns_of_frames_are_matched_by_name(frame: Container, metric: Any) -> None:
    straight = held_by(CASE, frame)
    turned = held_by(CASE, lambda values: frame(values)[_reversed(frame(values))])
    mixed = straight | {name: turned[name] for name in ("y_pred", "sensitive_features_pred")}
    expected = quietly(metric.result, **straight)
    result = quietly(metric.result, **mixed)
    assert result.value == expected.value
    pd.testing.assert_frame_equal(result.by_pair, expected.by_pair)


def _reversed(frame: Any) -> list[str]:
    return list(frame.columns)[::-1]
