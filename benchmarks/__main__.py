"""Print what counting, auditing and drawing tables cost, against what they replace.

Every line is a ratio of medians that were measured in this run, on this machine, with the results
checked to be equal. Absolute times only give the scale.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tracemalloc

import duckdb
import numpy as np
import pandas as pd

import biasamp_adapters as bam
from benchmarks.matrices import matrices
from benchmarks.measure import line, median


def rows(n_rows: int, tasks: int = 2) -> pd.DataFrame:
    """Integer columns of truth, prediction, attribute and predicted attribute."""
    rng = np.random.default_rng(0)
    draws = {"T": tasks, "T_pred": tasks, "A": 2, "A_pred": 2}
    return pd.DataFrame({name: rng.integers(0, n, n_rows) for name, n in draws.items()})


def counting(n_rows: int) -> None:
    """Counts from arrays and from DuckDB."""
    frame = rows(n_rows)
    columns = [frame[name].to_numpy() for name in ("T", "T_pred", "A", "A_pred")]

    def ours() -> bam.JointCounts:
        return bam.JointCounts.from_arrays(*columns)

    theirs = frame.groupby(["A", "T", "A_pred", "T_pred"]).size()
    if sorted(ours().n.tolist()) != sorted(theirs.tolist()):
        raise RuntimeError("the counts differ from those of pandas")
    seconds = median(ours)
    grouped = median(lambda: frame.groupby(["A", "T", "A_pred", "T_pred"]).size(), 3)
    passes = median(lambda: [column.sum() for column in columns])
    line("pandas groupby / counts of int64 columns", grouped / seconds, ">= 4", f"{seconds:.3f} s")
    line("counts / one pass over the same bytes", seconds / passes, "<= 6", f"{passes:.3f} s")
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    line("extra memory while counting, MB", peak, "<= 10", "")

    counts = ours()
    audited = median(lambda: bam.audit_counts(counts, n_boot=10_000), 3)
    line(
        "counting and audit with 10,000 replicates / counting",
        (seconds + audited) / seconds,
        "<= 2.5",
        f"{audited:.3f} s",
    )

    words = [np.array(["no", "yes"], dtype=object)[column[: n_rows // 5]] for column in columns]
    factorized = median(lambda: [pd.factorize(column) for column in words], 3)
    seconds = median(lambda: bam.JointCounts.from_arrays(*words), 3)
    line("counts of string columns / bare factorize", seconds / factorized, "<= 1.5", "")

    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute("CREATE TABLE predictions AS SELECT * FROM frame")
        relation = connection.sql("SELECT * FROM predictions")
        seconds = median(
            lambda: bam.JointCounts.from_frame(
                relation, task="T", prediction="T_pred", attribute="A"
            )
        )
        query = "SELECT A, T, T_pred, count(*) FROM predictions GROUP BY ALL"
        by_hand = median(lambda: connection.sql(query).fetchall())
    line("counts on DuckDB / a group-by by hand", seconds / by_hand, "<= 1.2", f"{seconds:.3f} s")


def drawing() -> None:
    """A replicate from a table against a replicate from rows."""
    frame = rows(1_000_000)
    counts = bam.JointCounts.from_arrays(frame["T"], frame["T_pred"], frame["A"])
    metric = bam.DirectionalBiasAmplification()
    many, few = 10_000, 3
    drawn = median(lambda: metric.from_counts(counts, n_boot=many), 3) / many
    rng = np.random.default_rng(0)
    truth, predicted, group = (frame[name].to_numpy() for name in ("T", "T_pred", "A"))

    def resample() -> None:
        for _ in range(few):
            drawn_rows = rng.integers(0, len(frame), len(frame))
            metric(truth[drawn_rows], predicted[drawn_rows], sensitive_features=group[drawn_rows])

    resampled = median(resample, 3) / few
    line("a replicate by rows / by tables, n = 1e6", resampled / drawn, ">= 500", f"{drawn:.2e} s")


def importing() -> None:
    """The package's import against that of its light dependencies."""

    def seconds(statement: str) -> float:
        return median(lambda: subprocess.run([sys.executable, "-c", statement], check=True))

    ratio = seconds("import biasamp_adapters") / seconds("import numpy, pandas, narwhals")
    line("import / import of numpy, pandas and narwhals", ratio, "<= 1.2", "")


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e7, help="rows to count")
    n_rows = int(parser.parse_args().rows)
    sys.stdout.write(f"n = {n_rows:,}\n")
    counting(n_rows)
    drawing()
    matrices()
    importing()


if __name__ == "__main__":
    main()
