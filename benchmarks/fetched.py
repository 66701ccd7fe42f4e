"""What engines hand over, and what the driver holds meanwhile, as the rows of a frame grow."""

from __future__ import annotations

import tempfile
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import duckdb
import pandas as pd

import biasamp_adapters as bam
from benchmarks.engines import spark
from benchmarks.measure import peak_megabytes
from benchmarks.table import Scale, Table
from biasamp_adapters.inputs import grouped_sums

_TASKS = 10

#: Rows of two groups and two classes, ten tasks and five weights. They are in 100 clusters, and in
#: clusters of 100 rows each.
_ROWS = f"""
SELECT A, T, (T + (hash(64 * i + 3) % 10 < 1)::INT) % 2 AS T_pred,
    (A + (hash(64 * i + 4) % 10 < 2)::INT) % 2 AS A_pred,
    {", ".join(f"(hash(64 * i + {10 + j}) % 10 < 3)::TINYINT AS t{j}" for j in range(_TASKS))},
    {", ".join(f"(hash(64 * i + {30 + j}) % 10 < 3)::TINYINT AS p{j}" for j in range(_TASKS))},
    hash(64 * i + 5) % 5 / 4 + 1 AS w, hash(64 * i + 6) % 100 AS c, i // 100 AS many
FROM (SELECT i, A, (hash(64 * i + 2) % 100 < 30 + 20 * A)::INT AS T
    FROM (SELECT i, (hash(64 * i + 1) % 2)::INT AS A FROM range({{start}}, {{stop}}) AS each(i)))
"""

#: Rows of a file, and so of a partition of dask and Spark.
_IN_FILE = 250_000

_LABELS = {
    "task": "T",
    "prediction": "T_pred",
    "attribute": "A",
    "attribute_prediction": "A_pred",
}
_MATRIX = {
    "task": [f"t{j}" for j in range(_TASKS)],
    "prediction": [f"p{j}" for j in range(_TASKS)],
    "attribute": "A",
    "attribute_prediction": "A_pred",
}

#: Each kind of counts, and the most rows that it fetches; None for clusters that grow in number.
_KINDS: dict[str, tuple[Callable[[Any], Any], int | None]] = {
    "joint": (partial(bam.JointCounts.from_frame, **_LABELS), 2**4),
    "weighted": (
        partial(bam.JointCounts.from_frame, **_LABELS, weight="w", by_weight=True),
        2**4 * 5,
    ),
    "matrix": (partial(bam.CooccurrenceCounts.from_frame, **_MATRIX), 2**2),
    "100 clusters": (partial(bam.JointCounts.from_frame, **_LABELS, clusters="c"), 2**4 * 100),
    "n/100 clusters": (partial(bam.JointCounts.from_frame, **_LABELS, clusters="many"), None),
}


class Cost(NamedTuple):
    """What one count fetched, and the most that Python held before and after: the driver's part.

    What is held while an engine collects is not counted, as dask works in this process.
    """

    rows: int
    bytes: int
    peak: float


def fetched(table: Table, scale: Scale) -> None:
    """Rows, bytes and the driver's memory of counts of frames on local engines."""
    sizes = [10**i for i in range(5, 7 if scale.quick else 8)]
    with tempfile.TemporaryDirectory() as scratch:
        folders = {n: Path(scratch) / str(n) for n in sizes}
        for n_rows, folder in folders.items():
            _write(n_rows, folder)
        for name, read in _ENGINES.items():
            try:
                opened = {n: read(folder) for n, folder in folders.items()}
            except ImportError as error:
                table.text(f"  {name} is skipped: {error}")
                continue
            for kind, (count, most) in _KINDS.items():
                # What is imported and cached at first does not count.
                count(opened[sizes[0]])
                costs = {n: _cost(partial(count, frame)) for n, frame in opened.items()}
                _show(table, f"{name}, {kind}", costs, most)


def _show(table: Table, what: str, costs: dict[int, Cost], most: int | None) -> None:
    table.text(f"  {what}")
    rows = [
        (f"{n:,}", f"{cost.rows:,}", f"{cost.bytes / 1e3:,.1f}", f"{cost.peak:.2f}")
        for n, cost in costs.items()
    ]
    table.small(("rows", "fetched", "kB fetched", "driver MB"), rows)
    if most is not None:
        *_, before, last = costs.values()
        # Python's own caches differ by some hundred kilobytes from call to call.
        same = last.rows <= most and last.peak <= before.peak * 1.1 + 0.5
        table.check(f"{what}: at most {most:,} rows, and the driver's memory does not grow", same)


def _read_dask(folder: Path) -> Any:
    import dask.dataframe as dd

    return dd.read_parquet(folder)


#: Functions from a folder of Parquet files to a frame that is not in memory.
_ENGINES: dict[str, Callable[[Path], Any]] = {
    "duckdb": lambda folder: duckdb.read_parquet(str(folder / "*.parquet")),
    "dask": _read_dask,
    "pyspark": lambda folder: spark().read.parquet(str(folder)),
}


def _write(n_rows: int, folder: Path) -> None:
    folder.mkdir()
    with duckdb.connect() as connection:
        for number, start in enumerate(range(0, n_rows, _IN_FILE)):
            rows = _ROWS.format(start=start, stop=min(start + _IN_FILE, n_rows))
            connection.execute(f"COPY ({rows}) TO '{folder / f'{number}.parquet'}'")


def _cost(count: Callable[[], Any]) -> Cost:
    tables: list[pd.DataFrame] = []
    peaks: list[int] = []
    collected = grouped_sums.collected

    def collect(frame: Any) -> pd.DataFrame:
        peaks.append(tracemalloc.get_traced_memory()[1])
        tables.append(collected(frame))
        tracemalloc.reset_peak()
        return tables[-1]

    with mock.patch.object(grouped_sums, "collected", collect):
        peak = peak_megabytes(count)
    return Cost(
        sum(map(len, tables)),
        sum(int(table.memory_usage(deep=True).sum()) for table in tables),
        max(peak, *(held / 1e6 for held in peaks)),
    )
