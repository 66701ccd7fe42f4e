"""How many rows of each kind are read from a table."""

from collections import Counter
from typing import Any

import pandas as pd

from biasamp_adapters.counting.tables import read_table


def rows_of(data: Any, arguments: dict[str, Any], **options: Any) -> Counter[tuple[Any, ...]]:
    """Return the number of rows with each combination of labels, in the order of arguments."""
    rows: Counter[tuple[Any, ...]] = Counter()
    for chunk in read_table(data, arguments, **options):
        columns = [chunk[argument] for argument in arguments]
        columns = [next(iter(x.values())) if isinstance(x, dict) else x for x in columns]
        lists = [[None if pd.isna(x) else x for x in pd.Series(c).tolist()] for c in columns]
        counts = chunk.get("count", [1] * len(lists[0]))
        for row, n in zip(zip(*lists, strict=True), counts, strict=True):
            rows[row] += int(n)
    return rows
