"""CooccurrenceCounts: the counts of label matrices and of groups that are columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters._roles import Inputs, Role
from biasamp_adapters._typing import Label
from biasamp_adapters.counts.addition import added
from biasamp_adapters.counts.counting import count, finished
from biasamp_adapters.counts.frame_sources import (
    balanced_sum,
    count_on_engine,
    each_chunk,
    read_frame,
)
from biasamp_adapters.counts.joint import JointCounts
from biasamp_adapters.counts.labels import show
from biasamp_adapters.counts.options import LabelSets, Options
from biasamp_adapters.counts.rows import MOST_ROWS
from biasamp_adapters.counts.saved import SavableCounts
from biasamp_adapters.counts.sources import FrameColumns, Names, read_arrays
from biasamp_adapters.counts.variables import Missing


@dataclass(frozen=True, eq=False, repr=False)
class CooccurrenceCounts(SavableCounts):
    """Co-occurrences of groups and tasks where tasks, or groups, are columns of a matrix.

    Make one with :meth:`from_arrays`, :meth:`from_frame` or :meth:`load`. Counts add: those of two
    parts of the data are summed with ``+`` or ``sum``, exactly for 0 and 1 without weights.
    Clusters of two parts are taken to be different ones, whatever they were called: what belongs
    to one cluster must be in one part, or intervals are too narrow, as results and reports then
    note.

    Attributes
    ----------
    labels : tuple
        Names of the task columns.
    groups : tuple
        Groups of the protected attribute.
    attributes : tuple of str
        Names of the protected attributes.
    task_name : str or None
        Name of the task, where its labels had one; None for columns of a matrix, which are named.
    axes : tuple of Axis
        The variables.
    matrices : frozenset of str
        Which of "labels" and "groups" were columns of a matrix, each a variable of its own.
    moments : dict of str to ndarray
        ``n``: sums over rows of the products of (1, A, A^, silence) with all columns, which hold
        the co-occurrences, column sums and agreements; with weights also ``w`` and ``w2``.
    label_sets : tuple of tuple
        Label sets whose rows were counted.
    soft_axes : frozenset of Axis
        The predictions that hold probabilities.
    declared : frozenset of str
        Which of "labels" and "groups" were listed explicitly.
    dropped : int
        Rows that ``missing="drop"`` left out.
    rows : Rows or None
        The distinct rows, if they were kept: variables with one label per row as ``codes``, others
        as ``indicators``.

    Examples
    --------
    >>> import biasamp_adapters as bam
    >>> images = bam.CooccurrenceCounts.from_arrays(
    ...     y_true=[[1, 0], [1, 1], [0, 1]],
    ...     y_pred=[[1, 0], [0, 1], [0, 1]],
    ...     sensitive_features=["man", "woman", "woman"],
    ...     labels=["surfboard", "umbrella"],
    ... )
    >>> images.to_frame()
      attribute       task  n  model
    0       man  surfboard  1      1
    1       man   umbrella  0      0
    2     woman  surfboard  1      0
    3     woman   umbrella  2      2
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
        label_sets: LabelSets = None,
        keep_rows: bool = False,
        second_moments: bool = False,
    ) -> CooccurrenceCounts:
        """Count the rows of arrays, in chunks of bounded memory.

        Parameters
        ----------
        y_true : array-like of shape (n, tasks) or (n,), optional
            0 and 1, one column per task: numpy, pandas, polars, pyarrow, scipy.sparse or a list of
            rows. Labels, one per row, are read as one column per class.
        y_pred : same as ``y_true``, or mapping of str to such, optional
            Predictions, or probabilities. A mapping names several models.
        sensitive_features : array-like of shape (n,) or (n, attributes), or Indicators, optional
            Protected attribute: labels, of which several columns are crossed, or a matrix whose
            columns are the groups.
        sensitive_features_pred : same as ``sensitive_features``, optional
            Predicted attribute; as Indicators it may be probabilities.
        sample_weight : array-like of shape (n,), optional
            Sampling weights, finite and not negative.
        clusters : array-like of shape (n,), optional
            Which rows belong together, such as the images of one video: draws take whole clusters.
            They need ``keep_rows=True``.
        labels, groups : sequence, optional
            Explicit lists; for a matrix without column names the names of its columns.
        missing : {"error", "drop", "abstain"}
            A row is missing if all its values are. ``"drop"`` leaves such rows out; ``"abstain"``
            keeps rows whose prediction is missing, with none of its indicators 1.
        label_sets : sequence of sequences of labels, or "observed", optional
            Label sets to count for Multi: those of a reference, or the ones that rows show.
        keep_rows : bool
            Keep the distinct rows, compactly: intervals and label sets found later need them.
        second_moments : bool
            Keep the sums of all products of columns, from which intervals can be drawn where rows
            are too many to be kept, or may not be: a matrix of the size of columns times columns
            for each combination of groups, true and predicted.

        Returns
        -------
        CooccurrenceCounts

        Raises
        ------
        ValueError
            If shapes or names of columns differ, values are missing or neither 0 nor 1, or a
            weight is negative.
        """
        options = Options.of_matrices(
            labels, groups, clusters, missing, label_sets, keep_rows, second_moments
        )
        inputs = Inputs(
            y_true, y_pred, sensitive_features, sensitive_features_pred, sample_weight, clusters
        )
        return finished(cls(**count(read_arrays(inputs, matrices=True), options)), options)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        task: str | Sequence[str] | None = None,
        prediction: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        attribute: Names | None = None,
        attribute_prediction: Names | Mapping[str, Names] | None = None,
        weight: str | None = None,
        clusters: str | None = None,
        labels: Sequence[Label] | None = None,
        groups: Sequence[Label] | None = None,
        missing: Missing = "error",
        label_sets: LabelSets = None,
        keep_rows: bool = False,
        second_moments: bool = False,
    ) -> CooccurrenceCounts:
        """Count the rows of a frame that Narwhals reads.

        If the frame is not in memory, its engine groups the rows by the attributes and adds up the
        columns of the tasks; only these sums are fetched. If rows are kept or label sets observed,
        the distinct rows are fetched.

        Parameters
        ----------
        frame : frame or relation
            For example a pandas, polars or pyarrow table, or a DuckDB relation.
        task : list of str, optional
            Columns of the tasks, of 0 and 1; a single name is a column of labels.
        prediction : list of str, or mapping of str to list of str, optional
            Columns of the predictions, in the order of ``task``. A mapping names several models.
        attribute : str, list of str or Indicators, optional
            Column of the protected attribute; several are crossed. ``Indicators`` of column names
            are groups that are columns.
        attribute_prediction : same as ``attribute``, or mapping of str to such, optional
            Columns of the predicted attribute. A mapping names the models of ``prediction``.
        weight, clusters : str, optional
            Columns of the sampling weights and of the clusters.
        labels : sequence, optional
            Names of the tasks. By default the columns of ``task``.
        groups, missing, label_sets, keep_rows, second_moments
            As in :meth:`from_arrays`.

        Returns
        -------
        CooccurrenceCounts

        Raises
        ------
        ValueError
            As in :meth:`from_arrays`, and if a column is not there.
        """
        options = Options.of_matrices(
            labels, groups, clusters, missing, label_sets, keep_rows, second_moments
        )
        columns = FrameColumns.of_matrices(
            task, prediction, attribute, attribute_prediction, weight, clusters
        )
        return finished(cls._of_frame(frame, columns, options), options)

    @classmethod
    def from_chunks(
        cls,
        chunks: Iterable[Any],
        *,
        task: str | Sequence[str] | None = None,
        prediction: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        attribute: Names | None = None,
        attribute_prediction: Names | Mapping[str, Names] | None = None,
        weight: str | None = None,
        clusters: str | None = None,
        labels: Sequence[Label] | None = None,
        groups: Sequence[Label] | None = None,
        missing: Missing = "error",
        label_sets: LabelSets = None,
        keep_rows: bool = False,
        second_moments: bool = False,
        total: int | None = None,
    ) -> CooccurrenceCounts:
        """Count the rows of a stream of frames, of which one at a time is in memory.

        On a terminal, a bar shows the progress.

        Parameters
        ----------
        chunks : iterable of frames
            For example the record batches of a Parquet file; chunks without rows are skipped.
        task, prediction, attribute, attribute_prediction, weight, clusters
            Columns, as in :meth:`from_frame`. A cluster may have rows in several chunks.
        labels, groups, missing, label_sets, keep_rows, second_moments
            As in :meth:`from_arrays`.
        total : int, optional
            How many chunks there are, for the bar.

        Returns
        -------
        CooccurrenceCounts
            The counts that all chunks as one frame would give.

        Raises
        ------
        ValueError
            As in :meth:`from_frame`, with the number of the chunk, and if no chunk has a row.
        """
        options = Options.of_matrices(
            labels, groups, clusters, missing, label_sets, keep_rows, second_moments
        )
        columns = FrameColumns.of_matrices(
            task, prediction, attribute, attribute_prediction, weight, clusters
        )
        of_chunks = options.of_chunks()

        def counted(chunk: Any) -> CooccurrenceCounts:
            return cls._of_frame(chunk, columns, of_chunks)

        # Chunks share the numbers of their clusters.
        add = partial(added, same_clusters=True)
        return finished(balanced_sum(each_chunk(chunks, counted, total), add), options)

    @classmethod
    def _of_frame(cls, frame: Any, columns: FrameColumns, options: Options) -> CooccurrenceCounts:
        """Counts of a frame, computed by its engine if no rows are needed."""
        counted = None
        if not (options.collects_rows or options.second_moments):
            counted = count_on_engine(frame, columns, options)
        if counted is None:
            counted = count(read_frame(frame, columns, options), options)
        return cls(**counted)

    @classmethod
    def from_joint(cls, counts: JointCounts) -> CooccurrenceCounts:
        """The same rows with a column for each label and group.

        Parameters
        ----------
        counts : JointCounts

        Raises
        ------
        ValueError
            If the counts hold only sums of weights.
        """
        if not counts.knows_rows:
            raise ValueError(
                "columns of indicators need the weight of each row; received counts that hold only "
                "sums of weights (count with by_weight=True)"
            )
        return cls(**{field.name: getattr(counts, field.name) for field in fields(counts)})

    def __add__(self, other: object) -> CooccurrenceCounts:
        return added(self, other) if isinstance(other, CooccurrenceCounts) else NotImplemented

    def __repr__(self) -> str:
        dropped = f", {self.dropped} dropped" if self.dropped else ""
        sets = f", {len(self.sets)} label sets" if self.sets else ""
        return (
            f"<CooccurrenceCounts: {self.n_rows} rows of {len(self.groups)} groups and "
            f"{len(self.labels)} tasks, {self._axes_in_words()}{sets}{dropped}>"
        )

    def to_frame(self) -> pd.DataFrame:
        """The co-occurrences as a pandas DataFrame.

        Returns
        -------
        DataFrame
            One row per pair: ``attribute``, ``task``, ``n`` rows of the truth with both, and under
            the models' names the rows of a group that are predicted to have the task. With weights
            these are their sums.
        """
        if not self.has(Role.ATTRIBUTE):
            raise ValueError("co-occurrences need sensitive_features; these counts hold none")
        first, second = np.indices((len(self.groups), len(self.labels))).reshape(2, -1)
        crossed = len(self.attributes) > 1
        columns: dict[str, Any] = {
            "attribute": [show(self.groups[i]) if crossed else self.groups[i] for i in first],
            "task": [self.labels[i] for i in second],
        }
        if self.has(Role.TASK):
            columns["n"] = self._pairs(Role.TASK, None)
        for model in self.models:
            if self.has(Role.PREDICTION, model):
                name = model
                while name in columns:
                    name += "_"
                columns[name] = self._pairs(Role.PREDICTION, model)
        return pd.DataFrame(columns)

    def _pairs(self, role: Role, model: str | None) -> Any:
        """Co-occurrences of all pairs, as integers where they are whole."""
        joint = self.tables(model).joint(Role.ATTRIBUTE, role).reshape(-1)
        whole = (joint == np.floor(joint)).all() and joint.max(initial=0) < MOST_ROWS
        return joint.astype(np.int64) if whole else joint
