"""The cases of ratios.py: their data, their goals, and what is called.

`python cases.py NAME SIDE` measures one case in this process and prints JSON. A side is "package",
which is the one that this interpreter has, or "yardstick", which is what a case is compared with
if that is not the older package. The spelling is the same in both packages unless a function says
otherwise.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

#: Calls are repeated for so many seconds, and at least twice unless the first takes so long.
_SECONDS, _LONG = 0.5, 10.0

_SQL = """SELECT (random() < 0.4)::TINYINT AS y_true, (random() < 0.5)::TINYINT AS y_pred,
(random() < 0.6)::TINYINT AS "group" FROM range({n_rows})"""

_COLUMNS = {"y_true": "y_true", "y_pred": "y_pred", "sensitive_features": "group"}

#: Arguments of a call, or the data of a case.
Data = dict[str, Any]


# Data.


def labels(n_rows: int, groups: int = 2, classes: int = 2) -> Data:
    """Return labels that depend on the group, and predictions that are right in 80 %."""
    rng = np.random.default_rng(1)
    group, drawn, other = (rng.integers(k, size=n_rows) for k in (groups, classes, classes))
    truth = np.where(rng.random(n_rows) < 0.2, group % classes, drawn)
    predicted = np.where(rng.random(n_rows) < 0.8, truth, other)
    return {"y_true": truth, "y_pred": predicted, "sensitive_features": group}


def texts(n_rows: int, dtype: Any = None) -> Data:
    """Return labels that are words, as numpy's own text or as objects."""
    words = np.array(["label 0", "label 1"], dtype=dtype)
    return {name: words[codes] for name, codes in labels(n_rows).items()}


def matrix(n_rows: int, columns: int = 66, groups: int = 2) -> Data:
    """Return a label matrix with 6 % ones, of which 2 % are predicted wrongly."""
    rng = np.random.default_rng(1)
    group = rng.integers(groups, size=n_rows)
    rates = rng.uniform(0.01, 0.1, (groups, columns)).astype(np.float32)
    truth, predicted = np.empty((2, n_rows, columns), dtype=np.int8)
    for start in range(0, n_rows, 2**16):  # All at once would take more memory than the calls.
        rows = slice(start, start + 2**16)
        chance = rates[group[rows]]
        truth[rows] = rng.random(chance.shape, dtype=np.float32) < chance
        predicted[rows] = truth[rows] ^ (rng.random(chance.shape, dtype=np.float32) < 0.02)
    return {"y_true": truth, "y_pred": predicted, "sensitive_features": group}


def probabilities(n_rows: int) -> Data:
    """Return labels with a probability for each row, all of them distinct."""
    arrays, rng = labels(n_rows), np.random.default_rng(2)
    arrays["y_pred"] = 0.7 * rng.random(n_rows) + 0.3 * arrays["y_true"]
    return arrays


def weights(n_rows: int) -> Data:
    """Return labels with weights that all differ."""
    return labels(n_rows) | {"sample_weight": np.random.default_rng(2).lognormal(size=n_rows)}


def clusters(n_rows: int, n_clusters: int) -> Data:
    """Return labels of rows that belong to clusters."""
    cluster = np.random.default_rng(2).integers(n_clusters, size=n_rows)
    return labels(n_rows) | {"clusters": cluster}


def models(n_models: int, n_rows: int) -> Data:
    """Return the predictions of several models of the same rows."""
    arrays, rng = labels(n_rows), np.random.default_rng(2)
    truth = arrays["y_true"]
    wrong = rng.random((n_models, n_rows)) < np.linspace(0.1, 0.3, n_models)[:, None]
    return arrays | {"y_pred": {f"m{i}": truth ^ row for i, row in enumerate(wrong)}}


def duckdb_frame(n_rows: int) -> Data:
    """Return labels as a table of DuckDB, on one thread."""
    import duckdb
    import pandas as pd

    arrays = labels(n_rows)
    columns = pd.DataFrame({name: arrays[role] for role, name in _COLUMNS.items()})
    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", columns)
    connection.execute("CREATE TABLE predictions AS FROM given")
    return {"data": connection.table("predictions")}


def polars_frame(n_rows: int) -> Data:
    """Return labels as a lazy frame of polars."""
    import polars as pl

    arrays = labels(n_rows)
    return {"data": pl.DataFrame({name: arrays[role] for role, name in _COLUMNS.items()}).lazy()}


def parquet_file(n_rows: int) -> Data:
    """Write a file into this folder, in another process so that its memory is not counted."""
    query = f"COPY ({_SQL.format(n_rows=n_rows)}) TO 'rows.parquet'"
    command = [sys.executable, "-c", f"import duckdb; duckdb.execute({query!r})"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # It may draw a progress bar.
    return {"data": "rows.parquet"}


# What is called. Each function returns a call without arguments, so that it can be repeated.


def call_metric(data: Data) -> Callable[[], Any]:
    """BA as a float."""
    import biasamp_adapters as bam

    return partial(bam.DirectionalBiasAmplification(), **data)


def make_result(
    data: Data, name: str = "DirectionalBiasAmplification", n_boot: int = 2000, **settings: Any
) -> Callable[[], Any]:
    """A result with its interval."""
    import biasamp_adapters as bam

    return partial(getattr(bam, name)(**settings).result, **data, n_boot=n_boot)


def run_audit(data: Data) -> Callable[[], Any]:
    """An audit as it is by default."""
    import biasamp_adapters as bam

    return partial(bam.audit, **data)


def compare_models(data: Data, most: int | None = None) -> Callable[[], Any]:
    """A comparison of all models, or of the first ones."""
    import biasamp_adapters as bam

    chosen = dict(list(data["y_pred"].items())[:most])
    metric = bam.DirectionalBiasAmplification()
    return partial(bam.compare, metric=metric, **data | {"y_pred": chosen}, n_boot=2000)


def count_frame(data: Data) -> Callable[[], Any]:
    """BA of a frame or a file; the older package has another spelling."""
    import biasamp_adapters as bam

    metric, frame = bam.DirectionalBiasAmplification(), data["data"]
    if not hasattr(bam, "JointCounts"):
        return partial(metric.result, data=frame, **_COLUMNS, n_boot=0)

    def count_and_measure() -> Any:
        names = {"task": "y_true", "prediction": "y_pred", "attribute": "group"}
        return metric.from_counts(bam.JointCounts.from_frame(frame, **names))

    return count_and_measure


# Yardsticks.


def group_in_duckdb(data: Data) -> Callable[[], Any]:
    """A plain group-by with the same counts."""
    query = 'SELECT y_true, y_pred, "group", count(*) FROM rows GROUP BY ALL'
    return lambda: data["data"].query("rows", query).fetchall()


def group_in_polars(data: Data) -> Callable[[], Any]:
    """A plain group-by with the same counts."""
    import polars as pl

    return data["data"].group_by(list(_COLUMNS.values())).agg(pl.len()).collect


def eight_lines(data: Data) -> Callable[[], Any]:
    """BA of two classes and its interval, as one would write them by hand."""
    truth, predicted, group = data.values()

    def measure() -> Any:
        cells = np.bincount(group * 4 + truth * 2 + predicted, minlength=16)
        drawn = np.random.default_rng(0).multinomial(cells.sum(), cells / cells.sum(), 1000)
        tables = np.concatenate([cells[None], drawn]).reshape(-1, 4, 2, 2)
        rows = tables.sum(axis=(2, 3))
        true, made = tables[:, :, 1].sum(axis=2) / rows, tables[:, :, :, 1].sum(axis=2) / rows
        sign = np.sign(true[0] - tables[0, :, 1].sum() / cells.sum())
        values = (sign * (made - true)).mean(axis=1)
        return values[0], np.quantile(values[1:], [0.025, 0.975])

    return measure


class Case(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    goal : float
        The most that the call may take, relative to the older package or to the yardstick.
    data : callable
    call : callable
    yardstick : callable or None
        What the call is compared with if that is not the older package.
    is_slow : bool
        Whether the older package takes minutes, so that the goal is in seconds.
    megabytes : float
        The most memory of the process, its data included.
    """

    goal: float
    data: Callable[[], Data]
    call: Callable[[Data], Callable[[], Any]]
    yardstick: Callable[[Data], Callable[[], Any]] | None = None
    is_slow: bool = False
    megabytes: float = 1100


_multi = partial(make_result, name="MultiAttributeBiasAmplification")
_leakage = partial(make_result, name="LeakageAmplification", quality="balanced_accuracy")
_TRIALS = {"equalize": "sampled", "n_trials": 100}
_dpa = partial(make_result, name="DirectionalPredictabilityAmplification", **_TRIALS)
_leakage_of_trials = partial(_leakage, **_TRIALS)

CASES = {
    "BA call, 1,000 labels": Case(0.7, partial(labels, 1000), call_metric),
    "BA, 1e4 labels, n_boot 2,000": Case(0.7, partial(labels, 10_000), make_result),
    "1e6 whole numbers, n_boot 2,000": Case(1.2, partial(labels, 10**6), make_result),
    "1e6 texts, n_boot 2,000": Case(0.4, partial(texts, 10**6), make_result),
    "1e6 texts as objects, n_boot 2,000": Case(1.2, partial(texts, 10**6, object), make_result),
    "matrix 1e5 x 66: value": Case(1.0, partial(matrix, 10**5), call_metric),
    "matrix 1e5 x 66: n_boot 2,000": Case(0.1, partial(matrix, 10**5), make_result),
    "matrix 1e6 x 66: value": Case(1.0, partial(matrix, 10**6), call_metric),
    "matrix 1e6 x 66: n_boot 2,000": Case(0.15, partial(matrix, 10**6), make_result),
    "matrix 20,000 x 66, 6 groups": Case(0.5, partial(matrix, 20_000, groups=6), make_result),
    "matrix 1e5 x 66, 6 groups": Case(0.15, partial(matrix, 10**5, groups=6), make_result),
    "1e6 probabilities": Case(0.2, partial(probabilities, 10**6), make_result),
    "1e6 real weights": Case(0.6, partial(weights, 10**6), make_result),
    "2e6 rows in 1e6 clusters": Case(
        1.0, partial(clusters, 2 * 10**6, 10**6), make_result, is_slow=True
    ),
    "40 groups x 20 classes, 2e6 rows": Case(0.5, partial(labels, 2 * 10**6, 40, 20), make_result),
    "500 x 500 classes, 1e6 rows, n_boot 200": Case(
        0.7, partial(labels, 10**6, 500, 500), partial(make_result, n_boot=200)
    ),
    "Multi on label sets, 20,000 x 20": Case(0.9, partial(matrix, 20_000, 20), _multi),
    "LA, 1e4 labels": Case(0.9, partial(labels, 10_000), _leakage),
    "LA, COMPAS size, 100 trials": Case(0.9, partial(labels, 5278), _leakage_of_trials),
    "DPA, COMPAS size, 100 trials": Case(0.9, partial(labels, 5278), _dpa),
    "compare 50 models x 2,000 rows": Case(0.3, partial(models, 50, 2000), compare_models),
    "compare 200 models x 2,000 rows": Case(0.3, partial(models, 200, 2000), compare_models),
    "compare 200 models / 50 models": Case(
        4.5, partial(models, 200, 2000), compare_models, partial(compare_models, most=50)
    ),
    "audit of 20,000 x 66, 6 groups": Case(0.6, partial(matrix, 20_000, groups=6), run_audit),
    "audit of 40,000 x 80": Case(0.6, partial(matrix, 40_000, 80), run_audit),
    "audit of 1e6 probabilities": Case(0.6, partial(probabilities, 10**6), run_audit),
    "audit of 500 x 500 classes, 1e6 rows": Case(0.6, partial(labels, 10**6, 500, 500), run_audit),
    "5e6 labels on DuckDB / group-by": Case(
        1.7, partial(duckdb_frame, 5 * 10**6), count_frame, group_in_duckdb
    ),
    "5e6 labels on polars / group-by": Case(
        1.7, partial(polars_frame, 5 * 10**6), count_frame, group_in_polars
    ),
    "1e8 rows of a Parquet file: memory": Case(
        np.inf, partial(parquet_file, 10**8), count_frame, is_slow=True, megabytes=300
    ),
    "50,000 rows, 4 groups, n_boot 1,000 / eight lines": Case(
        2.0, partial(labels, 50_000, 4), partial(make_result, n_boot=1000), eight_lines
    ),
}


def best_seconds(call: Callable[[], Any]) -> float:
    """Return the least process time of repeated calls."""
    best, spent, n_calls = np.inf, 0.0, 0
    while n_calls == 0 or (best < _LONG and (n_calls < 2 or spent < _SECONDS)):
        start = time.process_time()
        call()
        seconds = time.process_time() - start
        best, spent, n_calls = min(best, seconds), spent + seconds, n_calls + 1
    return best


def main() -> None:
    """Measure one case."""
    warnings.simplefilter("ignore")
    name, side = sys.argv[1:]
    case = CASES[name]
    call = (case.call if side == "package" else case.yardstick)(case.data())
    seconds = best_seconds(call)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    package = sys.modules.get("biasamp_adapters")
    path = getattr(package, "__file__", None)
    sys.stdout.write(json.dumps({"seconds": seconds, "megabytes": peak, "package": path}))


if __name__ == "__main__":
    main()
