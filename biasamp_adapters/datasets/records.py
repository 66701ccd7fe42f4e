"""Records that are kept as counts in files of this folder."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pandas as pd

#: The order of the rows. The generator is one whose numbers never change between versions.
_SEED = 20160523

_SCORES = range(1, 11)


def read_records(file_name: str, score: str) -> pd.DataFrame:
    """Return one row for each record that a file counts, in a fixed random order.

    A row of the file has the values that its records share, and in the columns ``score_1`` to
    ``score_10`` how many of them have that score. ``score`` names the column of the score.
    """
    source = files("biasamp_adapters.datasets") / file_name
    with source.open(encoding="utf-8") as file:
        counts = pd.read_csv(file)
    columns = [f"score_{value}" for value in _SCORES]
    cells = counts.drop(columns=columns)
    n = counts[columns].to_numpy()
    cell, position = np.nonzero(n)
    row = np.repeat(np.arange(len(cell)), n[cell, position])
    records = cells.iloc[cell[row]].assign(**{score: np.array(_SCORES)[position[row]]})
    order = np.random.RandomState(_SEED).permutation(len(records))
    return records.iloc[order].reset_index(drop=True)
