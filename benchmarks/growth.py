"""How time and memory grow: with rows, with tasks, with groups, and for a file of 1e8 rows."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import biasamp_adapters as bam
from benchmarks.data import Cells, arguments, columns, images
from benchmarks.measure import median, peak_megabytes, run_process
from benchmarks.table import Scale, Table, seconds

_METRIC = bam.DirectionalBiasAmplification()


def growth(table: Table, scale: Scale) -> None:
    """Small tables of seconds, nanoseconds a row and extra memory."""
    steps = [10**i for i in range(4, 7 if scale.quick else 9)]
    _curve(table, "rows (int8, 4 columns)", steps, lambda n: (n, _labels(n)))
    tasks = [2, 10, 66, 300] if scale.quick else [2, 10, 66, 300, 1000]
    n_rows = scale.of(100_000)
    _curve(table, f"tasks (n = {n_rows:.0e})", tasks, lambda k: (n_rows, _matrix(n_rows, k)))
    n_rows = scale.of(1_000_000)
    groups = [2, 10, 100, 500]
    _curve(table, f"groups (n = {n_rows:.0e})", groups, lambda g: (n_rows, _labels(n_rows, g)))


def _labels(n_rows: int, groups: int = 2) -> Callable[[], Any]:
    # The smallest type that holds the groups.
    dtype = np.int8 if groups <= 100 else np.int16
    return partial(bam.JointCounts.from_arrays, *arguments(columns(n_rows, dtype, groups)))


def _matrix(n_rows: int, tasks: int) -> Callable[[], Any]:
    return partial(bam.CooccurrenceCounts.from_arrays, *images(n_rows, tasks))


def _curve(
    table: Table, name: str, sizes: list[int], of: Callable[[int], tuple[int, Callable[[], Any]]]
) -> None:
    rows = []
    for size in sizes:
        n_rows, count = of(size)
        counts = count()
        taken = median(count, 3)
        metric = median(partial(_METRIC.from_counts, counts), 3)
        cost = f"{taken / n_rows * 1e9:.3g}"
        rows.append(
            (f"{size:,}", seconds(taken), cost, f"{peak_megabytes(count):.2f}", seconds(metric))
        )
    table.text(f"  {name}")
    table.small((name.split(" (")[0], "counting", "ns a row", "extra MB", "BA-> of counts"), rows)


#: A model that is right in nine rows of ten, and groups whose shares of T differ.
_ROWS = """
SELECT A, T, (T + (hash(i, 3) % 10 < 1)::INT) % 2 AS T_pred,
    (A + (hash(i, 4) % 10 < 2)::INT) % 2 AS A_pred
FROM (SELECT i, A, (hash(i, 2) % 100 < 30 + 20 * A)::TINYINT AS T
    FROM (SELECT i, (hash(i, 1) % 2)::TINYINT AS A FROM range({n}) AS each(i)))
"""


def command(table: Table, scale: Scale) -> None:
    """``biasamp audit`` on a Parquet file of 1e8 rows, made for it."""
    n_rows = scale.of(100_000_000)
    with tempfile.TemporaryDirectory() as scratch:
        data, out = Path(scratch) / "rows.parquet", Path(scratch) / "audit.json"
        with duckdb.connect() as connection:
            made = f"SELECT COLUMNS(*)::TINYINT FROM ({_ROWS.format(n=n_rows)})"
            connection.execute(f"COPY ({made}) TO '{data}'")
            query = f"SELECT A, T, T_pred, count(*) FROM '{data}' GROUP BY ALL"
            cells = {row[:3]: row[3] for row in connection.sql(query).fetchall()}
        words = f"audit {data} --task T --prediction T_pred --attribute A --json {out}".split()
        words += ["--attribute-prediction", "A_pred"]
        done = run_process([sys.executable, "-m", "biasamp_adapters.cli", *words])
        summary = json.loads(out.read_text())
        size = data.stat().st_size / 1e6
    table.check("the command read every row", summary["data"]["rows"] == n_rows)
    found = next(each["value"] for each in summary["metrics"] if each["name"] == "BA A->T")
    table.close("its BA A->T equals the cells of DuckDB", found, _of_cells(cells))
    what = f"peak RSS of biasamp audit, Parquet, n = {n_rows:.0e}"
    scale_text = f"{done.seconds:.1f} s, file of {size:.0f} MB"
    table.ratio(what, done.megabytes, "<= 1000", scale_text, unit="MB")


def _of_cells(cells: Cells) -> float:
    """BA-> A->T of two groups and two classes, from rows of each (A, T, T_pred)."""

    def rows(**wanted: int) -> int:
        names = ("A", "T", "made")
        return sum(
            n
            for key, n in cells.items()
            if all(dict(zip(names, key, strict=True))[name] == x for name, x in wanted.items())
        )

    total = 0.0
    for a in (0, 1):
        for t in (0, 1):
            y = rows() * rows(A=a, T=t) - rows(A=a) * rows(T=t)
            total += np.sign(y) * (rows(A=a, made=t) - rows(A=a, T=t)) / rows(A=a)
    return total / 4
