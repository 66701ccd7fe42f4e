"""Counts of arrays: against pandas, polars, scikit-learn, and a bare pass over the bytes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix

import biasamp_adapters as bam
from benchmarks.data import COLUMNS, Cells, arguments, cells, columns, images
from benchmarks.measure import peak_megabytes, side_by_side
from benchmarks.table import Scale, Table, seconds


def integers(table: Table, scale: Scale) -> None:
    """Counts of four columns of int64."""
    data = columns(scale.rows)
    frame = pd.DataFrame(data)
    keys = list(COLUMNS)

    def ours() -> bam.JointCounts:
        return bam.JointCounts.from_arrays(*arguments(data))

    def grouped(sort: bool = True) -> Cells:
        sizes = frame.groupby(keys, sort=sort).size()
        return dict(zip(sizes.index, sizes.tolist(), strict=True))

    found = cells(ours())
    table.check("counts equal those of pandas", found == grouped())
    mine, theirs, unsorted, one_pass, pair = side_by_side(
        ours,
        grouped,
        lambda: grouped(sort=False),
        lambda: [column.sum() for column in data.values()],
        lambda: confusion_matrix(data["T"], data["T_pred"]),
        times=3,
    )
    what = f"int64 columns, n = {scale.rows:.0e}"
    table.ratio(f"pandas groupby / counts, {what}", theirs / mine, ">= 4", seconds(theirs, mine))
    table.ratio(
        "  pandas groupby(sort=False) / counts", unsorted / mine, ">= 4", seconds(unsorted, mine)
    )
    table.ratio(
        "  counts / one pass over the bytes", mine / one_pass, "<= 6", seconds(mine, one_pass)
    )
    table.ratio("  confusion_matrix of one pair / counts", pair / mine, "", seconds(pair, mine))
    of_pair = np.zeros((2, 2), dtype=int)
    for (_, task, _, predicted), n in found.items():
        of_pair[task, predicted] += n
    equal = (of_pair == confusion_matrix(data["T"], data["T_pred"])).all()
    table.check("the margin of one pair equals confusion_matrix", bool(equal))
    try:
        import polars as pl
    except ImportError:
        table.text("  polars is not installed: its group-by is skipped")
        return
    lazy = pl.DataFrame(data).lazy()

    def by_polars() -> Cells:
        counted = lazy.group_by(keys).agg(pl.len()).collect()
        return {row[:-1]: row[-1] for row in counted.rows()}

    table.check("counts equal those of polars", found == by_polars())
    mine, theirs = side_by_side(ours, by_polars)
    table.ratio("  polars lazy group-by / counts", theirs / mine, "", seconds(theirs, mine))


def strings(table: Table, scale: Scale) -> None:
    """Counts of four columns of strings, against factorising them only."""
    words = np.array(["no", "yes"], dtype=object)
    coded = columns(scale.rows, np.int8)
    found = {
        tuple(words[code] for code in key): n
        for key, n in cells(bam.JointCounts.from_arrays(*arguments(coded))).items()
    }
    for kind, as_kind in _TEXT.items():
        data = {name: as_kind(words[codes]) for name, codes in coded.items()}
        ours = partial(bam.JointCounts.from_arrays, *arguments(data))
        table.check(f"counts of {kind} equal those of codes", cells(ours()) == found)
        mine, theirs = side_by_side(ours, partial(_factorize, data), times=3)
        what = f"counts / bare factorize, {kind}, n = {scale.rows:.0e}"
        table.ratio(what, mine / theirs, "<= 1.5", seconds(mine, theirs))


_TEXT = {
    "strings (objects)": lambda values: values,
    "strings (pandas str)": lambda values: pd.Series(values, dtype="str"),
}


def _factorize(data: dict[str, Any]) -> None:
    for values in data.values():
        pd.factorize(values)


def memory(table: Table, scale: Scale) -> None:
    """Memory beyond the data while arrays and matrices are counted."""
    for name, of in _KINDS.items():
        largest = scale.rows if name != "a matrix of 66 tasks" else scale.rows // 10
        for n_rows in (largest // 100, largest // 10, largest):
            work = of(n_rows)
            work()  # What is created once, such as caches of imports, does not belong to the rows.
            table.ratio(
                f"extra memory while counting {name}, n = {n_rows:.0e}",
                peak_megabytes(work),
                "<= 10",
                "",
                unit="MB",
            )


def _integers(n_rows: int) -> Any:
    return partial(bam.JointCounts.from_arrays, *arguments(columns(n_rows)))


def _objects(n_rows: int) -> Any:
    words = np.array(["no", "yes"], dtype=object)
    data = {name: words[codes] for name, codes in columns(n_rows, np.int8).items()}
    return partial(bam.JointCounts.from_arrays, *arguments(data))


def _matrix(n_rows: int) -> Any:
    return partial(bam.CooccurrenceCounts.from_arrays, *images(n_rows))


_KINDS = {
    "int64 columns": _integers,
    "strings (objects)": _objects,
    "a matrix of 66 tasks": _matrix,
}
