"""Six good rows of label matrices, for tests that change one thing about them."""

from __future__ import annotations

from typing import Any

import numpy as np

from biasamp_adapters import CooccurrenceCounts
from biasamp_adapters.counts.tables import Tables

#: Three rows of group a, then three of group b; one column per task.
TRUTH = [[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0], [0, 0, 0]]
PREDICTION = [[1, 1, 1], [0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 1], [0, 0, 1]]
GROUP = ["a", "a", "a", "b", "b", "b"]

#: The columns added up over the rows of each group.
TRUE = [[2, 0, 2], [0, 2, 1]]
PREDICTED = [[1, 1, 2], [0, 2, 3]]
#: Task 0 is right in the first row, task 1 in rows 3 and 4, task 2 in rows 0, 2 and 3.
AGREED = [1, 2, 3]

#: Groups that are columns: row 2 is in both, row 5 in none, and the predictions differ in row 1.
INDICATORS = [[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 0]]
GUESSES = [[1, 0], [0, 1], [1, 1], [0, 1], [0, 1], [0, 0]]

NAN = float("nan")


def count(**changed: Any) -> CooccurrenceCounts:
    """Counts of the good rows, with some arguments changed."""
    rows: dict[str, Any] = {"y_true": TRUTH, "y_pred": PREDICTION, "sensitive_features": GROUP}
    return CooccurrenceCounts.from_arrays(**rows | changed)


def joint(counts: CooccurrenceCounts, first: str, second: str, model: str | None = None) -> Any:
    """Rows that have both labels, as lists: a row for each label of the first variable."""
    return counts.tables(model).joint(first, second).tolist()


def column_sums(counts: CooccurrenceCounts, name: str, role: str) -> list[float]:
    """The moments "n", "w" or "w2" of the columns of a true variable."""
    where = counts.layout.blocks[role, None]
    return counts.moments[name][0, where].tolist()


def without(rows: list[Any], *lost: int) -> list[Any]:
    """The rows, those at the positions ``lost`` missing."""
    width = np.ndim(rows[0]) and len(rows[0])
    none = [NAN] * width if width else None
    return [none if i in lost else row for i, row in enumerate(rows)]


def moments_of(tables: Tables) -> np.ndarray:
    """The sums over rows of the products of all blocks, as ``counts.moments`` has them."""
    layout = tables.counts.layout  # type: ignore[attr-defined]  # of counts, not of any schema
    return np.concatenate(
        [
            np.concatenate([tables.margins(left, right) for right in layout.blocks], axis=-1)
            for left in layout.left_blocks
        ],
        axis=-2,
    )
