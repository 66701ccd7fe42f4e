"""Counts: what metrics and audits need to know of the data. Counts of parts add up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters.counting import arrays, saved
from biasamp_adapters.counting.labels import (
    ATTRIBUTE,
    ATTRIBUTE_PREDICTION,
    CONTROL,
    MODEL,
    PREDICTED,
    PREDICTION,
    SCORE,
    TASK,
    Key,
    Label,
    check_distinguishable,
    check_order,
    check_text,
    listing,
    read_lists,
)
from biasamp_adapters.counting.paths import are_paths, find_files, is_saved_counts
from biasamp_adapters.counting.reading import (
    NUMBERS,
    check_threshold,
    decide,
    on_common_labels,
    read_row_numbers,
    read_variables,
)
from biasamp_adapters.counting.rows import Rows, digest_of
from biasamp_adapters.counting.tables import read_table

#: Arguments that are columns.
_COLUMNS = (*PREDICTED, ATTRIBUTE_PREDICTION, CONTROL, SCORE, *NUMBERS, PREDICTION)

#: Arguments that are not columns, and what they are by default.
_OPTIONS: dict[str, Any] = {
    "class_labels": None,
    "group_labels": None,
    "missing": "error",
    "missing_values": (),
    "threshold": None,
    "pos_label": None,
}


class Counts:
    """The distinct rows of the data, and how often each occurs.

    Metrics, comparisons and audits take counts in place of data. They are made by
    :meth:`from_arrays`, :meth:`from_frame` and :meth:`from_chunks`, and read by :meth:`load`.

    Examples
    --------
    >>> counts = Counts.from_arrays([0, 1, 1], [0, 1, 0], sensitive_features=["a", "b", "b"])
    >>> counts
    <Counts: 3 rows of y_true x sensitive_features x y_pred[model]>
    >>> (counts + counts).n_rows
    6
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    @classmethod
    def from_arrays(cls, y_true: Any = None, y_pred: Any = None, **columns: Any) -> Counts:
        """Count the rows of arrays.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (rows,) or (rows, columns)
            Labels, or matrices of 0 and 1; predictions may be probabilities. A mapping as
            ``y_pred`` names several models.
        sensitive_features, sensitive_features_pred : array-like of shape (rows,)
            Groups; several columns are crossed. A text names a level of ``y_true``'s index.
        y_score : array-like of shape (rows,), optional
            Scores of the positive class, finite numbers; a mapping has models of ``y_pred``.
        threshold : float, optional
            Without ``y_pred``, the positive class is predicted where ``y_score`` is at least this.
        pos_label : label, optional
            The class of two that scores predict; by default 1, or the last.
        sample_weight, clusters, count : array-like of shape (rows,), optional
            Weights, names of clusters, and how many equal rows each row stands for.
        class_labels, group_labels : sequence of labels, optional
            All classes and groups, in their order.
        missing : {"error", "drop", "abstain"}
            What becomes of rows with missing values; "abstain" keeps missing predictions. The
            default is "error".
        missing_values : sequence of labels
            Labels that mean a missing value.

        Raises
        ------
        ValueError
            If an input cannot be read, or the inputs do not fit together.
        """
        inputs, options = _split({"y_true": y_true, "y_pred": y_pred} | columns)
        return cls(count_arrays(inputs, options))

    @classmethod
    def from_frame(cls, frame: Any, **columns: Any) -> Counts:
        """Count the rows of a frame of any engine, or of files, by the names of columns.

        Labels are grouped by the engine of the frame, so that only distinct rows come into memory;
        label matrices are read in chunks.

        Parameters
        ----------
        frame : frame that Narwhals reads, mapping of columns, path, or list of paths
        **columns
            ``y_true``, ``y_pred``, ``sensitive_features``, ``sensitive_features_pred``,
            ``y_score``, ``sample_weight``, ``clusters`` and ``count`` as names of columns: a list
            or a pattern such as "true_*" for a label matrix, a list for crossed groups, a pattern
            for groups that are columns of 0 and 1, a mapping of several models to names.
            The other arguments are those of :meth:`from_arrays`.

        Examples
        --------
        >>> frame = {"y": [0, 1, 1], "p": [0, 1, 0], "g": ["a", "b", "b"]}
        >>> Counts.from_frame(frame, y_true="y", y_pred="p", sensitive_features="g").n_rows
        3
        """
        return cls.from_chunks([frame], **columns)

    @classmethod
    def from_chunks(cls, frames: Iterable[Any], **columns: Any) -> Counts:
        """Count the frames of a stream, which need not fit into memory together.

        A name means the same cluster in all frames. Clusters of counts that are added are
        taken to be different ones.

        Parameters
        ----------
        frames : iterable of frames
        **columns
            As in :meth:`from_frame`.
        """
        is_one = isinstance(frames, str | os.PathLike | Mapping) or hasattr(frames, "columns")
        if is_one or not isinstance(frames, Iterable):
            rule = "from_chunks takes several frames; one, or a path, is for from_frame"
            raise ValueError(f"{rule}; received {type(frames).__name__}")
        return cls(_count_frames(frames, *_split(columns)))

    @classmethod
    def load(cls, path: Any) -> Counts:
        """Read counts that :meth:`save` wrote, and check that the file is unchanged."""
        return cls(saved.load(path))

    def save(self, path: Any, rows: bool = True) -> None:
        """Write the counts to a JSON file with a checksum.

        Parameters
        ----------
        path : path
        rows : bool
            False keeps sums of random blocks in place of rows: at least 20 blocks of 50 rows, with
            about ten rows of every group in every block. A smaller group is kept as one sum, and
            numbers about it have no interval; so are fewer rows. Add counts first: sums of blocks
            are not added, and have no scores.

        Warns
        -----
        AmplificationWarning
            If distinct rows, or sums of all blocks, stand for fewer than five rows.
        """
        saved.save(self.rows.merged() if rows else saved.without_rows(self.rows), path)

    @property
    def class_labels(self) -> tuple[Label, ...]:
        """Classes, or the columns of a label matrix."""
        return self.rows.class_labels

    @property
    def group_labels(self) -> tuple[Label, ...]:
        """Groups."""
        return self.rows.group_labels

    @property
    def n_rows(self) -> int:
        """Rows of the data."""
        return self.rows.n_rows

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each distinct row; of matrices one for each group and column."""
        return saved.frame_of(self.rows)

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        ours, theirs = self.rows, other.rows
        if ours.n_clusters is not None and theirs.cluster is not None:
            theirs = replace(theirs, cluster=theirs.cluster + ours.n_clusters)
        return Counts(ours.append(theirs))

    def __radd__(self, other: Any) -> Counts:
        """Return the counts themselves for the 0 that ``sum`` begins with."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counts) and self.to_frame().equals(other.to_frame())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Counts: {self.n_rows:,} rows of {' x '.join(self.rows.variable_names)}>"


# Arguments.


def columns_among(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the arguments of a function that are columns."""
    return {name: arguments[name] for name in _COLUMNS if name in arguments}


def options_among(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of reading, which have their defaults unless arguments say more."""
    return {name: arguments.get(name, default) for name, default in _OPTIONS.items()}


def _split(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return columns, and options with their defaults; raise if an argument is neither."""
    allowed = [*PREDICTED, *PREDICTED.values(), SCORE, *NUMBERS, *_OPTIONS]
    unknown = [name for name in arguments if name not in allowed]
    if unknown:
        received = listing(unknown[:1])
        raise ValueError(f"unknown argument {received}; arguments are {', '.join(allowed)}")
    columns, options = columns_among(arguments), options_among(arguments)
    check_threshold(columns, options)
    if options["pos_label"] is not None and options["threshold"] is None:
        raise ValueError("pos_label needs threshold=: it is the class that y_score predicts.")
    return columns, options


def _count_frames(
    frames: Iterable[Any], names: Mapping[str, Any], options: Mapping[str, Any]
) -> Rows:
    """Return the distinct rows of frames; see :meth:`Counts.from_chunks`."""
    read_lists(options)  # Raises before files are read.
    parts: list[Rows] = []
    clusters: dict[Any, int] = {}
    for frame in frames:
        for inputs in read_table(frame, names, options["missing_values"]):
            rows = _read_rows(inputs, options)
            variables = on_common_labels(rows.variables, rows.listed)
            rows = replace(rows, variables=variables, names=inputs["names"])
            if rows.cluster is not None:
                names_of_clusters = pd.unique(arrays.to_array(inputs["clusters"], "clusters"))
                codes = [clusters.setdefault(x, len(clusters)) for x in names_of_clusters.tolist()]
                rows = replace(rows, cluster=np.array(codes)[rows.cluster])
            parts.append(rows)
            # Parts of about the same size are added, so that no row is copied often.
            while len(parts) > 1 and 2 * len(parts[-1]) > len(parts[-2]):
                parts[-2:] = [parts[-2].append(parts[-1])]
    if not parts:
        raise ValueError("data must have at least one row; received none")
    arrays.read_numbers(list(clusters), "clusters")  # Refuses names that look the same.
    return finish_rows(reduce(Rows.append, parts), options)


def count_arrays(columns: Mapping[str, Any], options: Mapping[str, Any]) -> Rows:
    """Return the distinct rows of arrays without missing values."""
    return finish_rows(_read_rows(columns, options), options)


def _read_rows(columns: Mapping[str, Any], options: Mapping[str, Any]) -> Rows:
    """Return the distinct rows of arrays, with missing values; see :meth:`Counts.from_arrays`."""
    rows = read_rows(columns, options)
    has_sizes = rows.w is not None or columns.get("count") is not None
    if has_sizes and not (rows.weight > 0).all():
        kept = np.flatnonzero(rows.weight)
        cluster = None if rows.cluster is None else rows.cluster[kept]
        rows = replace(rows.take(kept), cluster=cluster)
    return rows.tallied()


def read_rows(columns: Mapping[str, Any], options: Mapping[str, Any] = _OPTIONS) -> Rows:
    """Return the rows of arrays in their order; see :meth:`Counts.from_arrays`."""
    inputs: dict[Key, Any] = {(role, None): columns.get(role) for role in (*PREDICTED, CONTROL)}
    truth = columns.get(TASK)
    for role in (ATTRIBUTE, CONTROL):
        groups = columns.get(role)
        if isinstance(groups, str) and not isinstance(truth, str):
            inputs[role, None] = arrays.level_of_index(truth, groups)
    roles = (*PREDICTED.values(), SCORE)
    for role in roles:
        given = columns.get(role)
        by_model = given if isinstance(given, Mapping) else {MODEL: given}
        inputs |= {(role, model): values for model, values in by_model.items()}
    inputs = {key: values for key, values in inputs.items() if values is not None}
    first, second, scored = ([m for role, m in inputs if role == name] for name in roles)
    models = first or scored or second
    if None in models:
        raise ValueError("y_pred must have a name for each model; received None")
    if models != [MODEL]:
        check_distinguishable(models, PREDICTION, "give the models other names")
    for role, given, needed in ((ATTRIBUTE_PREDICTION, second, models), (SCORE, scored, [])):
        if given and not set(needed) <= set(given) <= set(models):
            one = "one column, as y_pred is"
            form = one if models == [MODEL] else f"a mapping of the models {listing(models, 3)}"
            received = "one column" if given == [MODEL] else listing(given, 2)
            raise ValueError(f"{role} must be {form}; received {received}")
    given = [(role, values) for (role, _), values in inputs.items()]
    arrays.warn_of_order(given + [(name, columns.get(name)) for name in NUMBERS])
    inputs = {key: arrays.read_input(values, key[0]) for key, values in inputs.items()}
    listed = read_lists(options)
    variables = read_variables(inputs, listed, options["missing_values"])
    names = {truth: arrays.name_of(inputs.get((truth, None))) for truth in PREDICTED}
    for model in second:
        role = ATTRIBUTE_PREDICTION
        check_order(arrays.name_of(inputs[role, model]), names[ATTRIBUTE], role)
    # Engines return counted rows in an order of their own.
    has_order = (TASK, None) in variables and columns.get("count") is None
    digest = digest_of(variables) if has_order and options.get("needs_digest") else None
    numbers = read_row_numbers(columns, variables)
    return Rows(variables, **numbers, names=names, listed=listed, digest=digest)


def finish_rows(rows: Rows, options: Mapping[str, Any]) -> Rows:
    """Return the rows of all data without missing values, or raise.

    A threshold of the scores gives predictions.
    """
    rows = rows.complete(options["missing"])
    if not len(rows):
        raise ValueError("data must have at least one row without missing values; received none")
    variables = dict(rows.variables)
    if options.get("threshold") is not None:
        variables |= decide(rows, options["threshold"], options["pos_label"])
    for (role, model), variable in variables.items():
        if role != SCORE:
            check_text([rows.names.get(role), model, *variable.labels], role)
    cluster = None
    if rows.cluster is not None:  # Some may have had rows of weight 0 alone.
        cluster = np.unique(rows.cluster, return_inverse=True)[1]
    return replace(rows, variables=on_common_labels(variables, rows.listed), cluster=cluster)


def read_counts(
    data: Any, columns: Mapping[str, Any], options: Mapping[str, Any], second: str = PREDICTION
) -> tuple[Counts, Mapping[str, Any] | None]:
    """Return counts, and the names of columns if the data have any.

    One positional argument is data, and columns are given by their names. Two that hold values are
    ``y_true`` and, by its name, the ``second`` one, and all columns are arrays. Options are lists
    of labels, and what becomes of missing values.
    """
    given = {name: values for name, values in columns.items() if values is not None}
    for name in (PREDICTION, SCORE, ATTRIBUTE_PREDICTION):
        if isinstance(given.get(name), Mapping) and not given[name]:
            raise ValueError(f"{name} must name at least one model; received an empty mapping")
    check_threshold(given, options)
    if data is None or _are_values(data, given, second):
        true = {} if data is None else {TASK: data}
        return Counts(count_arrays(given | true, options)), None
    counts = load_counts(data)
    if counts is None:
        return Counts(_count_frames([data], given, options)), given
    if given:
        raise ValueError(f"counts hold all variables, so {next(iter(given))} must not be given")
    if np.size(options["missing_values"]):
        rule = "missing_values is read where rows are counted"
        raise ValueError(f"{rule}, by Counts.from_frame or biasamp count")
    if options["missing"] == "drop":
        counts = Counts(finish_rows(counts.rows, {"missing": "drop"}))
    return counts, None


def _are_values(data: Any, given: Mapping[str, Any], second: str) -> bool:
    """Return whether data are the values of y_true, and the second argument holds values too."""
    if TASK in given or second not in given or isinstance(data, Counts):
        return False
    models = given[second]
    models = list(models.values()) if isinstance(models, Mapping) else [models]
    # Two lists of text are labels: a list of paths comes with y_true.
    is_table = isinstance(data, str | os.PathLike) or hasattr(data, "columns")
    kinds = str | list if is_table else str
    are_names = all(isinstance(names, kinds) and are_paths(names) for names in models)
    return not are_names or not (models or is_table)


def load_counts(data: Any) -> Counts | None:
    """Return counts, or those of one path or several; None of other data."""
    if isinstance(data, Counts):
        return data
    files = find_files(data) if are_paths(data) else []
    if not files or not all(map(is_saved_counts, files)):
        return None
    return reduce(add, map(Counts.load, files))
