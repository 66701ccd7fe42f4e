"""JointCounts: the table of counts over (A, T, A^, T^) of single-label data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from biasamp_adapters._roles import Inputs
from biasamp_adapters._typing import Array, Label
from biasamp_adapters.counts.addition import added
from biasamp_adapters.counts.counting import count
from biasamp_adapters.counts.frame_sources import FrameCounter, each_chunk
from biasamp_adapters.counts.options import Options
from biasamp_adapters.counts.rows import MOST_ROWS
from biasamp_adapters.counts.saved import SavableCounts
from biasamp_adapters.counts.sources import FrameColumns, read_arrays
from biasamp_adapters.counts.variables import Missing


class Cells(NamedTuple):
    """The cells of joint counts.

    Attributes
    ----------
    codes : ndarray of int32, shape (cells, axes)
    n : ndarray of int64, shape (cells,)
        Rows.
    w, w2 : ndarray of float64, shape (cells,), or None
        Sum of the weights and of their squares; None without weights.
    unit : ndarray of float64, shape (cells,), or None
        Weight of every row of a cell, where rows with different weights are in different cells.
    cluster : ndarray of int64, shape (cells,), or None
        Number of the cluster of every row of a cell, from 0.
    """

    codes: Array
    n: Array
    w: Array | None
    w2: Array | None
    unit: Array | None
    cluster: Array | None = None


@dataclass(frozen=True, eq=False, repr=False)
class JointCounts(SavableCounts):
    """Counts of every combination of attribute, task and predictions that occurs.

    Make one with :meth:`from_arrays`, :meth:`from_frame` or :meth:`load`. Counts add: the counts
    of two parts of a table are summed with ``+`` or ``sum``, exactly for integers. Beside a
    weighted part, unweighted rows weigh 1; rows of different weights stay apart only if they do
    in both parts. Clusters of two parts are taken to be different ones, whatever they were called:
    what belongs to one cluster must be in one part, or intervals are too narrow, as results and
    reports then note.

    Attributes
    ----------
    labels : tuple
        Task labels, in order.
    groups : tuple
        Groups of the protected attribute, in order; tuples where several attributes are crossed.
    attributes : tuple of str
        Names of the protected attributes.
    task_name : str or None
        Name of the task, where its labels had one.
    axes : tuple of Axis
        The variables.
    cells : Cells
        Codes of shape (cells, axes) with their sums: rows ``n``, and with weights their sum ``w``
        and the sum of their squares ``w2``. A code is a position in ``labels`` or ``groups``; the
        code after the last label is an abstention; higher ones are positions in ``levels``.
    levels : ndarray of float64
        Probabilities strictly between 0 and 1 that predictions hold.
    probability_step : float or None
        Width of the steps within which probabilities were merged into their mean, as there were too
        many to keep each apart: .001, .01 or .1. None if they are as they were given.
    declared : frozenset of str
        Which of "labels" and "groups" were listed explicitly.
    dropped : int
        Rows that ``missing="drop"`` left out.

    Examples
    --------
    >>> from biasamp_adapters import JointCounts
    >>> monday = JointCounts.from_arrays([0, 1], [0, 0], sensitive_features=["a", "b"])
    >>> tuesday = JointCounts.from_arrays([1, 1], [1, 0], sensitive_features=["a", "b"])
    >>> (monday + tuesday).to_frame()
      sensitive_features  task  model  n
    0                  a     0      0  1
    1                  a     1      1  1
    2                  b     1      0  2
    """

    @classmethod
    def from_arrays(
        cls,
        y_true: Any = None,
        y_pred: Any = None,
        sensitive_features: Any = None,
        sensitive_features_pred: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        *,
        labels: Sequence[Label] | None = None,
        groups: Sequence[Label] | None = None,
        missing: Missing = "error",
        by_weight: bool = False,
    ) -> JointCounts:
        """Count the rows of arrays: lists, numpy, pandas, polars or pyarrow.

        Parameters
        ----------
        y_true : array-like of shape (n,), optional
            Task labels.
        y_pred : array-like of shape (n,) or mapping of str to array-like, optional
            Predicted task labels, or probabilities of class 1 where the truth is 0 or 1; beyond
            131,072 cells, those within a step of .001 are merged into their mean (.01 or .1 if
            that is not enough). A mapping names several models that predicted the same rows.
        sensitive_features : array-like of shape (n,) or (n, attributes), or mapping, optional
            Protected attribute; several columns are crossed.
        sensitive_features_pred : same as ``sensitive_features``, optional
            Predicted attribute. With several models, a mapping from their names.
        sample_weight : array-like of shape (n,), optional
            Sampling weights, finite and not negative.
        clusters : array-like of shape (n,), optional
            Which rows belong together, such as those of one person: draws take whole clusters.
            Only numbers of the clusters are kept, not these values.
        labels, groups : sequence, optional
            Explicit label lists; a label outside them is an error.
        missing : {"error", "drop", "abstain"}
            ``"drop"`` leaves rows with a missing value out; ``"abstain"`` keeps rows whose
            prediction is missing, as wrong.
        by_weight : bool
            Keep rows of different weights in different cells, if that makes no more than 131,072
            of them. Resampling and label flips of weighted data are exact with it; LA and DPA need
            it for their intervals.

        Returns
        -------
        JointCounts

        Raises
        ------
        ValueError
            If the lengths differ, values are missing, a label is not listed, a weight is negative
            or a probability lies outside [0, 1].
        """
        inputs = Inputs(
            y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, clusters
        )
        options = Options.of(labels, groups, missing=missing, by_weight=by_weight)
        return cls(**count(read_arrays(inputs, matrices=False), options))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        task: str | None = None,
        prediction: str | Sequence[str] | Mapping[str, str] | None = None,
        attribute: str | Sequence[str] | None = None,
        attribute_prediction: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None = None,
        weight: str | None = None,
        clusters: str | None = None,
        labels: Sequence[Label] | None = None,
        groups: Sequence[Label] | None = None,
        missing: Missing = "error",
        by_weight: bool = False,
    ) -> JointCounts:
        """Count the rows of a frame that Narwhals reads, on the frame's own engine.

        The engine groups the rows; only the count table is fetched.

        Parameters
        ----------
        frame : frame or relation
            For example a pandas, polars or pyarrow table, or a DuckDB relation.
        task, weight, clusters : str, optional
            Columns of the task labels, of the sampling weights and of the clusters.
        prediction : str, list of str, or mapping of str to str, optional
            Column of the predicted task labels; several are models on the same rows, which a
            mapping names.
        attribute : str or list of str, optional
            Column of the protected attribute; several are crossed.
        attribute_prediction : str, list of str, or mapping from models, optional
            Columns of the predicted attribute, in the order of ``attribute``; with several models,
            those of the first model, then those of the second, or a mapping from their names.
        labels, groups, missing, by_weight
            As in :meth:`from_arrays`.

        Returns
        -------
        JointCounts

        Raises
        ------
        ValueError
            As in :meth:`from_arrays`, and if a column is not there.
        """
        columns = FrameColumns.of_labels(
            task, prediction, attribute, attribute_prediction, weight, clusters
        )
        options = Options.of(labels, groups, missing=missing, by_weight=by_weight)
        counter = FrameCounter(columns, options)
        counter.add(frame)
        return cls(**counter.counted())

    @classmethod
    def from_chunks(
        cls,
        chunks: Iterable[Any],
        *,
        task: str | None = None,
        prediction: str | Sequence[str] | Mapping[str, str] | None = None,
        attribute: str | Sequence[str] | None = None,
        attribute_prediction: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None = None,
        weight: str | None = None,
        clusters: str | None = None,
        labels: Sequence[Label] | None = None,
        groups: Sequence[Label] | None = None,
        missing: Missing = "error",
        by_weight: bool = False,
        total: int | None = None,
    ) -> JointCounts:
        """Count the rows of a stream of frames, of which one at a time is in memory.

        On a terminal, a bar shows the progress.

        Parameters
        ----------
        chunks : iterable of frames
            For example ``pandas.read_csv(..., chunksize=...)`` or the record batches of a Parquet
            file; chunks without rows are skipped.
        task, prediction, attribute, attribute_prediction, weight, clusters
            Columns, as in :meth:`from_frame`. A cluster may have rows in several chunks.
        labels, groups, missing, by_weight
            As in :meth:`from_arrays`.
        total : int, optional
            How many chunks there are, for the bar.

        Returns
        -------
        JointCounts
            The counts that all chunks as one frame would give.

        Raises
        ------
        ValueError
            As in :meth:`from_frame`, with the number of the chunk, and if no chunk has a row.

        Examples
        --------
        >>> import pandas as pd
        >>> from biasamp_adapters import JointCounts
        >>> chunks = (pd.DataFrame({"t": [0, 1], "a": [group] * 2}) for group in "xyx")
        >>> JointCounts.from_chunks(chunks, task="t", attribute="a")
        <JointCounts: 6 rows in 4 cells of attribute x task>
        """
        columns = FrameColumns.of_labels(
            task, prediction, attribute, attribute_prediction, weight, clusters
        )
        options = Options.of(labels, groups, missing=missing, by_weight=by_weight)
        counter = FrameCounter(columns, options)
        for _ in each_chunk(chunks, counter.add, total):
            pass
        return cls(**counter.counted())

    @property
    def cells(self) -> Cells:
        """The distinct cells, with their sums."""
        rows = self.values.rows
        codes = np.stack([rows.codes[axis] for axis in self.axes], axis=1)
        return Cells(codes, rows.n, rows.w, rows.w2, rows.unit, rows.cluster)

    @property
    def n(self) -> Array:
        """Rows of each cell."""
        return self.values.rows.n

    @property
    def w(self) -> Array | None:
        """Sum of the weights of each cell; None without weights."""
        return self.values.rows.w

    def as_frequencies(self) -> JointCounts:
        """The counts with integer weights read as numbers of rows: frequency weights.

        Sampling weights, the default, stand for rows that were seen once: their flips and draws
        move a row with all its weight.

        Raises
        ------
        ValueError
            If the sums of weights are not whole.

        Examples
        --------
        >>> from biasamp_adapters import JointCounts
        >>> weighted = JointCounts.from_arrays([0, 1], sample_weight=[3, 1])
        >>> weighted.as_frequencies() == JointCounts.from_arrays([0, 0, 0, 1])
        True
        """
        cells = self.values.rows
        if cells.w is None:
            return self
        broken = cells.w[cells.w != np.floor(cells.w)]
        if len(broken):
            raise ValueError(f"frequency weights must be whole; received a sum of {broken[0]}")
        if not cells.w.sum() < MOST_ROWS:
            raise ValueError(
                f"frequency weights must sum to less than 2**63; received {cells.w.sum()}"
            )
        rows = replace(cells.unweighted(), n=cells.w.astype(np.int64)).taken(cells.w > 0)
        return replace(self, rows=rows.merged())

    def _comparable(self) -> dict[Any, Array]:
        rows = replace(self.values.rows, part=None, origin=None).merged()
        clusters = {} if rows.cluster is None else {"cluster": rows.cluster}
        return {**rows.sums(), **rows.codes, **clusters, "levels": self.levels}

    def __add__(self, other: object) -> JointCounts:
        return added(self, other) if isinstance(other, JointCounts) else NotImplemented

    def __repr__(self) -> str:
        weights = "" if self.w is None else f", weights summing to {self.w.sum():g}"
        dropped = f", {self.dropped} dropped" if self.dropped else ""
        return (
            f"<JointCounts: {self.n_rows} rows in {len(self.n)} cells of {self._axes_in_words()}"
            f"{weights}{dropped}>"
        )

    def to_frame(self) -> pd.DataFrame:
        """The cells as a pandas DataFrame.

        Returns
        -------
        DataFrame
            One row per cell: the attributes, one column each; ``task``; the predictions under the
            models' names; the number of the ``cluster``, if there are any; ``n``, and with weights
            ``w`` and ``w2``. An abstention is None.
        """
        columns: dict[str, Any] = {}

        def put(name: str, values: Any) -> None:
            # Two columns may have the same name, such as an attribute called "task".
            while name in columns:
                name += "_"
            columns[name] = values

        for axis in self.axes:
            labels = [*self.labels_of(axis.role), None, *self.levels.tolist()]
            values = [labels[code] for code in self.axis_codes(*axis).tolist()]
            # As objects where a None among them would turn numbers into floats.
            dtype = object if None in values else None
            suffix = "" if axis.model is None else f"_{axis.model}"
            if not axis.role.of_attribute:
                put("task" if axis.model is None else axis.model, pd.Series(values, dtype=dtype))
                continue
            for i, name in enumerate(self.attributes or ("attribute",)):
                crossed = len(self.attributes) > 1
                level = [x[i] if crossed and x is not None else x for x in values]
                put(f"{name}{suffix}", pd.Series(level, dtype=dtype))
        if (cluster := self.values.rows.cluster) is not None:
            put("cluster", cluster)
        for name in ("n", "w", "w2"):
            if name in (sums := self.values.rows.sums()):
                put(name, sums[name])
        return pd.DataFrame(columns)
