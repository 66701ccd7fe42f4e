"""Generated data: columns of labels, matrices of labels, and counts as plain dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np

TASKS = 66

#: The order in which counts keep their variables.
COLUMNS = ("A", "T", "A_pred", "T_pred")

#: Rows of each combination of labels.
Cells = dict[tuple[Any, ...], int]


def columns(n_rows: int, dtype: Any = np.int64, groups: int = 2) -> dict[str, Any]:
    """Columns of attribute, task and predictions that depend on each other."""
    rng = np.random.default_rng(0)

    def noisy(values: Any, share: float, n_labels: int) -> Any:
        changed = np.flatnonzero(rng.random(n_rows, dtype=np.float32) < share)
        out = values.copy()
        out[changed] = rng.integers(0, n_labels, len(changed), dtype=dtype)
        return out

    group = rng.integers(0, groups, n_rows, dtype=dtype)
    task = noisy((group % 2).astype(dtype), 0.8, 2)
    return {
        "A": group,
        "T": task,
        "A_pred": noisy(group, 0.3, groups),
        "T_pred": noisy(task, 0.3, 2),
    }


def arguments(data: dict[str, Any]) -> tuple[Any, Any, Any, Any]:
    """The columns in the order of ``from_arrays`` and ``audit``."""
    return data["T"], data["T_pred"], data["A"], data["A_pred"]


def images(n_rows: int, tasks: int = TASKS) -> tuple[Any, Any, Any, Any]:
    """Truth and predictions of many tasks, attribute and predicted attribute, all 0 or 1."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, n_rows)
    guess = np.where(rng.random(n_rows) < 0.1, 1 - group, group)
    rates = rng.uniform(0.01, 0.1, (2, tasks)).astype(np.float32)
    truth, predicted = (np.empty((n_rows, tasks), dtype=np.int8) for _ in range(2))
    # In parts, because draws of all rows at once would need more memory than what is measured.
    for start in range(0, n_rows, 2**16):
        rows = slice(start, start + 2**16)
        chance = rates[group[rows]]
        truth[rows] = rng.random(chance.shape, dtype=np.float32) < chance
        wrong = rng.random(chance.shape, dtype=np.float32) < 0.02
        predicted[rows] = np.where(wrong, 1 - truth[rows], truth[rows])
    return truth, predicted, group, guess


def cells(counts: Any) -> Cells:
    """The counts as a dictionary, keys in the order of ``COLUMNS``."""
    table = counts.to_frame()
    keys = map(tuple, table.drop(columns="n").to_numpy().tolist())
    return dict(zip(keys, table["n"].tolist(), strict=True))
