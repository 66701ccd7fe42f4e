"""The rows that counts hold, as variables that an attacker reads and predicts."""

from __future__ import annotations

from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from biasamp_adapters._typing import Array
from biasamp_adapters.counts import CooccurrenceCounts, Counts, JointCounts
from biasamp_adapters.counts.labels import listing
from biasamp_adapters.counts.layout import SILENT
from biasamp_adapters.counts.matrix_counts import MatrixCounts

if TYPE_CHECKING:
    from biasamp_adapters.metrics.experiment import Variable


class RowsOfCounts:
    """Every row of the data, as often as it was there, in an order that does not depend on theirs.

    Parameters
    ----------
    counts : Counts
        With rows: cells that rows of one weight share, or a matrix whose rows were kept.
    model : str
        The model whose predictions are read.

    Raises
    ------
    ValueError
        If the counts hold only sums.
    """

    def __init__(self, counts: Counts, model: str) -> None:
        if isinstance(counts, JointCounts) and counts.knows_rows:
            counts = CooccurrenceCounts.from_joint(counts)
        if not isinstance(counts, MatrixCounts) or counts.rows is None:
            raise ValueError("a fitted attacker needs rows; received counts that hold only sums")
        self._counts, self._model, self._kept = counts, model, counts.rows

    @cached_property
    def _row(self) -> Array:
        """The distinct row that each row of the data with some weight is."""
        n, unit = self._kept.n, self._kept.unit
        return np.repeat(np.arange(len(n)), n if unit is None else np.where(unit > 0, n, 0))

    @cached_property
    def weight(self) -> Array:
        """Weight of each row."""
        unit = self._kept.unit
        return np.ones(len(self._row)) if unit is None else unit[self._row]

    def variable(self, role: str) -> Variable:
        """The variable of a role: its labels, or the columns of a matrix."""
        from biasamp_adapters.metrics.experiment import Variable

        counts, layout = self._counts, self._counts.layout
        columns = self._read(layout.in_base(counts.axis(role, self._model)))
        silent = np.zeros((len(columns), 0))
        if role in SILENT and counts.abstentions(role, self._model):
            mark, start = layout.blocks[SILENT[role], self._model], layout.base.start
            silent = self._read(slice(mark.start - start, mark.stop - start))
        return Variable("columns" if counts.is_matrix(role) else "label", columns, silent)

    def numbers(self, role: str) -> Variable:
        """The same as numbers: those that labels are, or the 0 and 1 of columns.

        Raises
        ------
        ValueError
            If a label is no number, or predictions are missing.
        """
        counts, found = self._counts, self.variable(role)
        if found.silent.size:
            raise ValueError("inverse_rmse needs a numeric target; received abstained predictions")
        columns = found.columns
        if found.kind == "label":
            labels = counts.groups if role.startswith("attribute") else counts.labels
            if not all(isinstance(label, Real) for label in labels):
                raise ValueError(
                    f"inverse_rmse needs a numeric target; received the labels {listing(labels)}"
                )
            columns = columns @ np.array(labels, dtype=np.float64)[:, None]
        return found._replace(kind="numbers", columns=columns)

    def _read(self, block: slice) -> Array:
        return self._kept.dense(slice(None), block).astype(np.float64)[self._row]
