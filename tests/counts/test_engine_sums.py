"""Engines add up label matrices themselves: the counts of rows in memory, without their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biasamp_adapters import CooccurrenceCounts, Indicators

Engine = Callable[[pd.DataFrame], Any]
TASKS, MADE, OTHER = (["x", "y", "z"], ["px", "py", "pz"], ["ox", "oy", "oz"])
N = 90


@pytest.fixture
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {name: rng.integers(0, 2, N) for name in (*TASKS, *MADE, *OTHER)}
    columns |= {"g": rng.choice(["a", "b", "c"], N), "h": rng.choice(["a", "b", "c"], N)}
    columns |= {name: rng.integers(0, 2, N) for name in ("m", "w", "pm", "pw")}
    # Quarters: sums of them and of their squares are exact in any order.
    columns["weight"] = rng.integers(0, 8, N) / 4
    return pd.DataFrame(columns)


@pytest.fixture(autouse=True)
def no_rows(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Whatever would fetch distinct rows fails, unless the test says that it may."""
    if "fetches" in request.keywords:
        return

    def fetch(*arguments: Any) -> None:
        raise AssertionError("the rows of the frame were fetched")

    monkeypatch.setattr("biasamp_adapters.counts.frame_sources._distinct_rows", fetch)


def _holes(rows: pd.DataFrame) -> pd.DataFrame:
    """Some predictions, some truths and some groups are missing; each as a whole."""
    out = rows.astype(dict.fromkeys((*TASKS, *MADE), float))
    out.loc[3:9, MADE] = np.nan
    out.loc[8:12, TASKS] = np.nan
    out["g"] = out["g"].astype(object).where(np.arange(N) > 1, None)
    return out


OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"weight": "weight"},
    "predicted groups": {"attribute_prediction": "h"},
    "two models": {"prediction": {"old": MADE, "new": OTHER}},
    "label sets": {"label_sets": [["x"], ["x", "y"], ["z", "x", "y"]]},
    "groups that are columns": {
        "attribute": Indicators(["m", "w"]),
        "attribute_prediction": Indicators(["pm", "pw"]),
    },
    "no attribute": {"attribute": None},
    "no prediction": {"prediction": None},
    "no truth": {"task": None},
    "names and groups": {"labels": ["one", "two", "three"], "groups": ["c", "b", "a", "d"]},
    "all at once": {
        "weight": "weight",
        "prediction": {"old": MADE, "new": OTHER},
        "attribute_prediction": {"old": "h", "new": "g"},
        "label_sets": [["y"], ["x", "z"]],
    },
}


def _same(frame: Any, rows: pd.DataFrame, options: dict[str, Any]) -> CooccurrenceCounts:
    """The counts of a frame, once they are those of pandas."""
    columns: dict[str, Any] = {"task": TASKS, "prediction": MADE, "attribute": "g", **options}
    counts = CooccurrenceCounts.from_frame(frame, **columns)
    assert counts == CooccurrenceCounts.from_frame(rows, **columns)
    assert counts.soft_axes == CooccurrenceCounts.from_frame(rows, **columns).soft_axes
    return counts


@pytest.mark.parametrize("name", OPTIONS)
def test_sums_are_those_of_rows(rows: pd.DataFrame, engine: Engine, name: str) -> None:
    counts = _same(engine(rows), rows, OPTIONS[name])
    assert counts.n_rows == N
    assert counts.rows is None


@pytest.mark.parametrize("missing", ["drop", "abstain"])
@pytest.mark.parametrize("name", ["plain", "all at once"])
def test_missing_rows(rows: pd.DataFrame, engine: Engine, missing: str, name: str) -> None:
    holes = _holes(rows)
    if missing == "abstain":
        # Only predictions may be missing.
        holes[[*TASKS, "g"]] = rows[[*TASKS, "g"]]
    counts = _same(engine(holes), holes, {**OPTIONS[name], "missing": missing})
    # Of predictions 3 to 9 are missing, of truths 8 to 12, of groups 0 and 1.
    assert counts.dropped == (len({0, 1, *range(3, 13)}) if missing == "drop" else 0)


def test_missing_whole_numbers(rows: pd.DataFrame, engine: Engine) -> None:
    rows = rows.astype(dict.fromkeys(MADE, object))
    rows.loc[3:9, MADE] = None
    _same(engine(rows), rows, {"missing": "abstain", "label_sets": [["x"], ["x", "y"]]})
    rows.loc[3, "px"] = 1
    columns: dict[str, Any] = {"task": TASKS, "prediction": MADE, "attribute": "g"}
    with pytest.raises(ValueError, match=r"as a whole or not at all; .* 2 of 3 values missing"):
        CooccurrenceCounts.from_frame(engine(rows), **columns)


def test_missing_rows_are_an_error(rows: pd.DataFrame, engine: Engine) -> None:
    holes = _holes(rows)
    columns: dict[str, Any] = {"task": TASKS, "prediction": MADE, "attribute": "g"}
    with pytest.raises(ValueError, match=r"must not have missing values; received 2 \("):
        CooccurrenceCounts.from_frame(engine(holes), **columns)
    holes["g"] = rows["g"]
    with pytest.raises(ValueError, match=r"task column.*x.* must not have .* received 5 \("):
        CooccurrenceCounts.from_frame(engine(holes), **columns)
    holes.loc[:, MADE] = np.nan
    with pytest.raises(ValueError, match="must hold values; all 90 are missing"):
        CooccurrenceCounts.from_frame(engine(holes), prediction=MADE, missing="abstain")


def test_probabilities(rows: pd.DataFrame, engine: Engine) -> None:
    # Eighths: exact in any order.
    rows[MADE] = np.random.default_rng(1).integers(0, 9, (N, 3)) / 8
    counts = _same(engine(rows), rows, {})
    assert counts.soft == {"prediction"}


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("px", 1.5, r"0 and 1, or probabilities between them; received 1\.5 in column"),
        ("px", -1.0, r"0 and 1, or probabilities between them; received -1 in column"),
        ("y", 0.5, r"must hold 0 and 1; received 0\.5 in column"),
        ("z", None, r"missing as a whole or not at all; received one with 1 of 3 values missing"),
    ],
)
def test_rows_that_break_a_rule(
    rows: pd.DataFrame, engine: Engine, column: str, value: float | None, message: str
) -> None:
    rows = rows.astype({column: float})
    rows.loc[40, column] = value
    frame = engine(rows)
    with pytest.raises(ValueError, match=message):
        CooccurrenceCounts.from_frame(frame, task=TASKS, prediction=MADE, attribute="g")


def test_truth_values(rows: pd.DataFrame, engine: Engine) -> None:
    rows = rows.astype(dict.fromkeys((*TASKS, *MADE), bool))
    _same(engine(rows), rows, {})


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "float32", "bool"])
@pytest.mark.parametrize("module", ["duckdb", "polars"])
def test_columns_of_every_width(rows: pd.DataFrame, dtype: str, module: str) -> None:
    rows = rows.astype(dict.fromkeys((*TASKS, *MADE), dtype))
    _same(_opened(rows, module), rows, {})


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_sums_within_a_row_do_not_wrap_around(dtype: str) -> None:
    # Every row has all of 256 tasks: modulo 256 it would have none.
    names = [f"t{i}" for i in range(256)]
    rows = pd.DataFrame(dict.fromkeys(names, np.ones(3, dtype=dtype)))
    counts = _same(
        _opened(rows, "polars"), rows, {"task": names, "prediction": None, "attribute": None}
    )
    # All tasks and the constant; no row has no task or one.
    assert counts.moments["n"].sum() == 3 * (256 + 1)


@pytest.mark.parametrize("value", [127, -128, 100])
@pytest.mark.parametrize("module", ["duckdb", "polars"])
def test_large_narrow_numbers_are_refused(value: int, module: str) -> None:
    rows = pd.DataFrame({"x": np.array([0, value, 1], np.int8), "px": np.int8(value)})
    with pytest.raises(ValueError, match=rf"must hold 0 and 1.*; received {value} in column"):
        CooccurrenceCounts.from_frame(_opened(rows, module), task=["x"], prediction=["px"])


def _opened(rows: pd.DataFrame, module: str) -> Any:
    """The rows with their own types, which the other tests do not keep."""
    if module == "duckdb":
        import duckdb

        return duckdb.from_df(rows)
    return pytest.importorskip("polars").from_pandas(rows).lazy()


@pytest.mark.fetches
def test_rows_are_fetched_where_sums_would_save_nothing(
    rows: pd.DataFrame, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biasamp_adapters.counts.frame_sources._MAX_GROUPS", 20)
    rows["pm"] = np.random.default_rng(1).integers(0, 65, N) / 64
    guess = Indicators(["pm", "pw"], names=["m", "w"])
    groups = {"attribute": Indicators(["m", "w"]), "attribute_prediction": guess}
    counts = _same(engine(rows), rows, groups)
    assert counts.soft == {"attribute_prediction"}


def test_large_whole_numbers_beside_nulls(rows: pd.DataFrame, engine: Engine) -> None:
    # As floats 2^53 and 2^53 + 1 would be one group.
    groups = pd.Series(np.where(rows["x"], 2**53, 2**53 + 1)).astype(object)
    groups[0] = None
    rows["g"] = groups
    counts = _same(engine(rows), rows, {"missing": "drop"})
    assert counts.groups == (2**53, 2**53 + 1)
