"""Missing rows of label matrices: an error unless dropped, or kept in every denominator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from good_matrices import (
    GROUP,
    GUESSES,
    INDICATORS,
    NAN,
    PREDICTION,
    TRUTH,
    column_sums,
    count,
    joint,
    without,
)

from biasamp_adapters import CooccurrenceCounts, Indicators
from biasamp_adapters.counts import counting

#: The good rows, with groups that are columns.
MATRICES: dict[str, Any] = {
    "y_true": TRUTH,
    "y_pred": PREDICTION,
    "sensitive_features": INDICATORS,
    "sensitive_features_pred": GUESSES,
}


def _count(rows: dict[str, Any], **options: Any) -> CooccurrenceCounts:
    groups = {"sensitive_features", "sensitive_features_pred"}
    wrapped = {
        name: Indicators(values) if name in groups and isinstance(values[0], list) else values
        for name, values in rows.items()
    }
    return CooccurrenceCounts.from_arrays(**wrapped, **options)


@pytest.mark.parametrize("name", MATRICES)
def test_the_error_names_the_argument_and_counts(name: str) -> None:
    rows = MATRICES | {name: without(MATRICES[name], 1, 3)}
    hint = r"\(missing='drop' leaves such rows out\)$"
    if name.endswith("pred"):
        hint = r"\(.*, missing='abstain' counts them as abstentions\)$"
    with pytest.raises(
        ValueError, match=rf"^{name} must not have missing values; received 2 {hint}"
    ):
        _count(rows)


def test_the_error_names_the_model() -> None:
    guesses = {"old": Indicators(without(GUESSES, 5)), "new": Indicators(GUESSES)}
    rows = {"y_pred": dict.fromkeys(guesses, PREDICTION), "sensitive_features_pred": guesses}
    with pytest.raises(ValueError, match=r"^sensitive_features_pred\['old'\] must .* received 1 "):
        count(**rows, sensitive_features=Indicators(INDICATORS))


@pytest.mark.parametrize("name", MATRICES)
def test_dropping_leaves_rows_out(name: str) -> None:
    rows = MATRICES | {name: without(MATRICES[name], 0, 4)}
    rest = {key: values[1:4] + values[5:] for key, values in MATRICES.items()}
    counts = _count(rows, missing="drop")
    assert counts.dropped == 2
    assert counts.n_rows == 4
    np.testing.assert_array_equal(counts.moments["n"], _count(rest).moments["n"])


def test_a_row_that_misses_two_variables_is_dropped_once() -> None:
    rows = {name: without(values, i, 5) for i, (name, values) in enumerate(MATRICES.items())}
    counts = _count(rows, missing="drop")
    # Rows 0, 1, 2 and 3 miss one variable each, row 5 all of them.
    assert counts.dropped == 5
    assert joint(counts, "attribute", "task") == [[0, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("name", ["y_true", "sensitive_features"])
def test_only_predictions_abstain(name: str) -> None:
    rows = MATRICES | {name: without(MATRICES[name], 2)}
    message = rf"^{name} must not have missing values; received 1 \(missing='drop' leaves"
    with pytest.raises(ValueError, match=message):
        _count(rows, missing="abstain")


def test_an_abstention_stays_in_every_denominator() -> None:
    counts = count(y_pred=without(PREDICTION, 0, 4), missing="abstain")
    assert counts.dropped == 0
    assert counts.n_rows == 6
    tables = counts.tables()
    assert tables.marginal("attribute").tolist() == [3, 3]
    # Rows 1 and 2 of group a, rows 3 and 5 of group b.
    assert joint(counts, "attribute", "prediction") == [[0, 0, 1], [0, 1, 2]]
    assert tables.joint("attribute", "prediction", abstained=True).tolist() == [
        [0, 0, 1, 1],
        [0, 1, 2, 1],
    ]
    # Task 2 is right in rows 2 and 3, task 1 in row 3; what was not predicted is not right.
    assert tables.agreement("task").tolist() == [0, 1, 2]
    assert counts.abstentions("prediction", "model") == 2
    # The abstentions have tasks 0 and 2, and task 1.
    assert tables.silent("task", "task").tolist() == [1, 1, 1]
    assert tables.silent("task", "attribute").tolist() == [1, 1]


@pytest.mark.parametrize(
    "guesses", [Indicators(without(GUESSES, 1, 2)), [*"a", None, None, *"bbb"]]
)
def test_abstentions_of_the_predicted_groups(guesses: Any) -> None:
    group = Indicators(INDICATORS, names=["a", "b"])
    counts = count(sensitive_features=group, sensitive_features_pred=guesses, missing="abstain")
    assert counts.abstentions("attribute_prediction", "model") == 2
    # Rows 0, 3 and 4; as a label row 5 is guessed to be in group b, but it has no task.
    assert joint(counts, "attribute_prediction", "task") == [[1, 0, 1], [0, 2, 1]]
    table = counts.tables().joint("attribute_prediction", "task", abstained=True)
    assert table.tolist()[2] == [1, 0, 1]
    assert counts.tables().silent("attribute", "task").tolist() == [1, 0, 1]
    assert counts.tables().agreement("attribute").tolist() == [1, 2]


def test_abstentions_are_counted_by_model() -> None:
    models = {"old": without(PREDICTION, 0), "new": without(TRUTH, 1, 2, 3), "sure": TRUTH}
    guesses = {"old": [*"aab", None, *"bb"], "new": GROUP, "sure": GROUP}
    counts = count(y_pred=models, sensitive_features_pred=guesses, missing="abstain")
    for role, expected in (("prediction", [1, 3, 0]), ("attribute_prediction", [1, 0, 0])):
        assert [counts.abstentions(role, name) for name in models] == expected
        alone = [counts.model(name).abstentions(role, name) for name in models]
        assert alone == expected
    # Only the abstentions of the model that is read make a category.
    shapes = [
        counts.tables(name).joint("attribute", "prediction", abstained=True).shape
        for name in models
    ]
    assert shapes == [(2, 4), (2, 4), (2, 3)]


def test_an_abstention_is_not_a_prediction_of_nothing() -> None:
    nothing = count(y_pred=[[0, 0, 0], *PREDICTION[1:]])
    silent = count(y_pred=without(PREDICTION, 0), missing="abstain")
    assert joint(nothing, "attribute", "prediction") == joint(silent, "attribute", "prediction")
    assert [c.abstentions("prediction", "model") for c in (nothing, silent)] == [0, 1]
    assert nothing != silent


def test_abstentions_beside_probabilities_and_weights() -> None:
    soft = [[0.5, 0, 0.25], [NAN] * 3, [0, 0, 1], [0.25, 1, 0], [0, 0.5, 0], [NAN] * 3]
    weights = [1, 2, 0.5, 4, 1, 0.25]
    counts = count(y_pred=soft, sample_weight=weights, missing="abstain")
    table = counts.tables().joint("attribute", "prediction", abstained=True).tolist()
    assert table[0] == [0.5, 0, 0.25 + 0.5 * 1, 2]
    assert table[1] == [4 * 0.25, 4 * 1 + 0.5, 0, 0.25]
    assert counts.abstentions("prediction", "model") == 2


def test_dropped_rows_have_no_weight() -> None:
    weights = [1, 100, 0.5, 4, 1, 100]
    counts = count(y_pred=without(PREDICTION, 1, 5), sample_weight=weights, missing="drop")
    assert column_sums(counts, "w", "attribute") == [1 + 0.5, 4 + 1]
    assert column_sums(counts, "w2", "attribute") == [1 + 0.25, 16 + 1]


FRAME = pd.DataFrame(without(PREDICTION, 1, 4), columns=["x", "y", "z"])
NULLS = [[None] * 3 if i in (1, 4) else row for i, row in enumerate(PREDICTION)]
CONTAINERS: dict[str, Callable[[], Any]] = {
    "list with nan": lambda: without(PREDICTION, 1, 4),
    "list with None": lambda: NULLS,
    "list with NA": lambda: [[pd.NA if x is None else x for x in row] for row in NULLS],
    "numpy": lambda: np.array(without(PREDICTION, 1, 4)),
    "numpy float32": lambda: np.array(without(PREDICTION, 1, 4), dtype=np.float32),
    "numpy object": lambda: np.array(NULLS, dtype=object),
    "pandas": lambda: FRAME,
    "pandas object": lambda: FRAME.astype(object).where(FRAME.notna(), None),
    "pandas Int64": lambda: FRAME.astype("Int64"),
    "pandas boolean": lambda: FRAME.astype("boolean"),
    "pandas Float64": lambda: FRAME.astype("Float64"),
    "pandas int64[pyarrow]": lambda: FRAME.astype("Int64").astype("int64[pyarrow]"),
    "pandas of several types": lambda: FRAME.astype({"x": "Int64", "y": "boolean"}),
    "polars": lambda: pl.DataFrame(NULLS, schema=["x", "y", "z"], orient="row"),
    "polars Boolean": lambda: CONTAINERS["polars"]().cast(pl.Boolean),
    "polars with NaN": lambda: pl.DataFrame(FRAME.to_dict("list"), nan_to_null=False),
    "arrow": lambda: CONTAINERS["polars"]().to_arrow(),
    "arrow of booleans": lambda: CONTAINERS["polars Boolean"]().to_arrow(),
    "arrow in chunks": lambda: pa.concat_tables(
        [CONTAINERS["arrow"]().slice(i, 2) for i in (0, 2, 4)]
    ),
}


@pytest.mark.parametrize("missing", ["drop", "abstain"])
@pytest.mark.parametrize("chunk_rows", [2**14, 4])
@pytest.mark.parametrize("container", CONTAINERS)
def test_missing_rows_in_any_container(
    container: str, chunk_rows: int, missing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_CHUNK_ROWS", chunk_rows)
    options: dict[str, Any] = {"labels": ["x", "y", "z"], "missing": missing}
    counts = count(y_pred=CONTAINERS[container](), **options)
    assert counts == count(y_pred=without(PREDICTION, 1, 4), **options)
    assert counts.soft == frozenset()
    lost = counts.dropped if missing == "drop" else counts.abstentions("prediction", "model")
    assert lost == 2


@pytest.mark.parametrize("options", [{}, {"keep_rows": True}, {"label_sets": "observed"}], ids=str)
@pytest.mark.parametrize("name", ["y_true", "y_pred"])
def test_a_chunk_of_which_no_row_is_left(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_CHUNK_ROWS", 2)
    rows = {"y_true": TRUTH, "y_pred": PREDICTION}
    holed = rows | {name: without(rows[name], 2, 3)}
    counts = count(**holed, missing="drop", **options)
    rest = {key: values[:2] + values[4:] for key, values in rows.items()}
    expected = count(**rest, sensitive_features=GROUP[:2] + GROUP[4:], **options)
    assert counts.dropped == 2
    np.testing.assert_array_equal(counts.moments["n"], expected.moments["n"])


@pytest.mark.parametrize("missing", ["error", "drop", "abstain"])
@pytest.mark.parametrize("name", MATRICES)
def test_nothing_but_missing_values(name: str, missing: Any) -> None:
    rows = MATRICES | {name: without(MATRICES[name], *range(6))}
    with pytest.raises(ValueError, match=rf"^{name} must hold values; all 6 are missing"):
        _count(rows, missing=missing)
