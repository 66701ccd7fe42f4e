"""Which combination of values the rows of several columns have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from biasamp_adapters._typing import Array, Label
from biasamp_adapters.inputs.columns import Column

#: The values that the rows of a combination share, one per column.
Key: TypeAlias = tuple[Label, ...]


def combinations(columns: Sequence[Column]) -> tuple[Array, list[Key]]:
    """The number of the combination of each row, and the values of each combination.

    Raises
    ------
    ValueError
        If a value is missing.
    """
    books, codes = [], []
    for column in columns:
        code, labels = column.chunk(0, len(column))
        absent = int((code.astype(np.int64) < 0).sum())
        if absent:
            raise ValueError(
                f"{column.name} must not have missing values; received {absent} row(s) with one"
            )
        books.append(labels)
        codes.append(code)
    number, first = np.zeros(len(codes[0]), dtype=np.int64), np.zeros(1, dtype=np.intp)
    for code, labels in zip(codes, books, strict=True):
        # Numbered anew after each column, so that the product of many cannot overflow.
        _, first, number = np.unique(
            number * len(labels) + code, return_index=True, return_inverse=True
        )
    keys = [
        tuple(book[code[row]] for book, code in zip(books, codes, strict=True)) for row in first
    ]
    return number, keys
