"""Data frame engines, with queries that one would write by hand on each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd

from benchmarks.data import Cells

#: Of each group: the group, its rows, and the sum of each column.
Sums = dict[Any, list[int]]

#: Files that the rows are spread over, and so the partitions of dask and Spark.
_FILES = 4


class Engine(NamedTuple):
    """Functions that open a folder of Parquet files and run two queries written by hand.

    Attributes
    ----------
    open : callable
        From a folder to a frame, in memory but for dask; ImportError where a library is missing.
    count : callable
        Rows of each combination of some columns of a frame.
    add : callable
        Rows and sums of columns by another column.
    takes_sql : bool
        Whether what is added up may be expressions of SQL.
    """

    open: Callable[[Path], Any]
    count: Callable[[Any, Sequence[str]], Cells]
    add: Callable[[Any, str, Sequence[str]], Sums]
    takes_sql: bool = False


def write_parquet(frame: pd.DataFrame, folder: Path) -> None:
    """Write a frame as some files of Parquet."""
    folder.mkdir()
    step = -(-len(frame) // _FILES)
    for i in range(_FILES):
        part = frame.iloc[i * step : (i + 1) * step]
        with duckdb.connect() as connection:
            connection.register("part", part)
            connection.execute(f"COPY (FROM part) TO '{folder / f'{i}.parquet'}'")


def _by_key(rows: Sequence[Sequence[Any]]) -> Sums:
    return {row[0]: [int(value) for value in row[1:]] for row in rows}


def _cells(rows: Sequence[Sequence[Any]]) -> Cells:
    return {tuple(row[:-1]): row[-1] for row in rows}


def _open_duckdb(folder: Path) -> Any:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE predictions AS FROM '{folder}/*.parquet'")
    return connection.table("predictions")


def _count_duckdb(frame: Any, keys: Sequence[str]) -> Cells:
    names = ", ".join(keys)
    return _cells(
        frame.query("rows", f"SELECT {names}, count(*) FROM rows GROUP BY ALL").fetchall()
    )


def _add_duckdb(frame: Any, key: str, columns: Sequence[str]) -> Sums:
    sums = ", ".join(f"sum({column})" for column in columns)
    query = f"SELECT {key}, count(*), {sums} FROM rows GROUP BY {key}"
    return _by_key(frame.query("rows", query).fetchall())


def _open_polars(folder: Path) -> Any:
    import polars as pl

    return pl.read_parquet(folder / "*.parquet").lazy()


def _count_polars(frame: Any, keys: Sequence[str]) -> Cells:
    import polars as pl

    return _cells(frame.group_by(keys).agg(pl.len()).collect().rows())


def _add_polars(frame: Any, key: str, columns: Sequence[str]) -> Sums:
    import polars as pl

    sums = [pl.sql_expr(column).sum().alias(f"s{i}") for i, column in enumerate(columns)]
    return _by_key(frame.group_by(key).agg(pl.len(), *sums).collect().rows())


def _open_dask(folder: Path) -> Any:
    import dask.dataframe as dd

    # Not persisted: dask would hash the rows themselves for every expression on them.
    return dd.read_parquet(folder)


def _count_dask(frame: Any, keys: Sequence[str]) -> Cells:
    sizes = frame.groupby(list(keys)).size().compute()
    return dict(zip(sizes.index, sizes.tolist(), strict=True))


def _add_dask(frame: Any, key: str, columns: Sequence[str]) -> Sums:
    import dask

    groups = frame.groupby(key)
    sizes, sums = dask.compute(groups.size(), groups[list(columns)].sum())
    return _by_key([(of, sizes[of], *sums.loc[of]) for of in sizes.index])


@cache
def spark() -> Any:
    """The session of Spark."""
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master(f"local[{os.cpu_count()}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", 2)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session


def _open_spark(folder: Path) -> Any:
    frame = spark().read.parquet(str(folder)).cache()
    frame.count()
    return frame


def _count_spark(frame: Any, keys: Sequence[str]) -> Cells:
    return _cells(frame.groupBy(*keys).count().collect())


def _add_spark(frame: Any, key: str, columns: Sequence[str]) -> Sums:
    from pyspark.sql import functions

    sums = [functions.expr(f"sum({column})") for column in columns]
    return _by_key(frame.groupBy(key).agg(functions.count("*"), *sums).collect())


def _open_ibis(folder: Path) -> Any:
    import ibis

    connection = ibis.duckdb.connect()
    connection.con.execute(f"CREATE TABLE predictions AS FROM '{folder}/*.parquet'")
    return connection.table("predictions")


def _count_ibis(frame: Any, keys: Sequence[str]) -> Cells:
    counted = frame.group_by(list(keys)).agg(n=frame.count()).to_pandas()
    return _cells(counted.to_numpy().tolist())


def _add_ibis(frame: Any, key: str, columns: Sequence[str]) -> Sums:
    sums = {column: frame[column].sum() for column in columns}
    added = frame.group_by(key).agg(bam_rows=frame.count(), **sums)
    return _by_key(added.to_pandas().to_numpy().tolist())


ENGINES = {
    "duckdb": Engine(_open_duckdb, _count_duckdb, _add_duckdb, takes_sql=True),
    "polars lazy": Engine(_open_polars, _count_polars, _add_polars, takes_sql=True),
    "dask": Engine(_open_dask, _count_dask, _add_dask),
    "ibis on duckdb": Engine(_open_ibis, _count_ibis, _add_ibis),
    "pyspark": Engine(_open_spark, _count_spark, _add_spark, takes_sql=True),
}
