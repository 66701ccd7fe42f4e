"""Counts: what metrics and audits need to know of the data. Counts of parts add up."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from biasamp_adapters.counting import arrays, reading
from biasamp_adapters.counting.labels import (
    ATTRIBUTE,
    ATTRIBUTE_PREDICTION,
    LISTS,
    PREDICTION,
    TASK,
    Label,
    listing,
    show,
)
from biasamp_adapters.counting.margins import margins_of_data
from biasamp_adapters.counting.reading import Key
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import Codes, Variable

#: The name of the only model where none is given.
MODEL = "model"


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
        if not isinstance(rows, Rows):
            raise ValueError(
                f"counts are made by Counts.from_frame, from_arrays or from_chunks; received a "
                f"{type(rows).__name__}"
            )
        self.rows = rows

    @classmethod
    def from_arrays(
        cls,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        sensitive_features: Any = None,
        sensitive_features_pred: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        count: Any = None,
        class_labels: Sequence[Label] | None = None,
        group_labels: Sequence[Label] | None = None,
        missing: str = "error",
        missing_values: Sequence[Label] = (),
    ) -> Counts:
        """Count the rows of arrays.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (rows,) or (rows, columns)
            Labels, or matrices of 0 and 1; predictions may be probabilities. A mapping as
            ``y_pred`` names several models.
        sensitive_features, sensitive_features_pred : array-like of shape (rows,)
            Groups; several columns are crossed. A text names a level of ``y_true``'s index.
        sample_weight, clusters, count : array-like of shape (rows,), optional
            Weights, names of clusters, and how many equal rows each row stands for.
        class_labels, group_labels : sequence of labels, optional
            All classes and groups, in their order.
        missing : {"error", "drop", "abstain"}
            What becomes of rows with missing values; "abstain" keeps missing predictions.
        missing_values : sequence of labels
            Labels that mean a missing value.

        Raises
        ------
        ValueError
            If an input cannot be read, or the inputs do not fit together.
        """
        rows = read_rows(
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            sensitive_features_pred=sensitive_features_pred,
            sample_weight=sample_weight,
            clusters=clusters,
            count=count,
            class_labels=class_labels,
            group_labels=group_labels,
            missing_values=missing_values,
        )
        return cls(finish_rows(rows, missing))

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
            ``sample_weight``, ``clusters`` and ``count`` as names of columns: a list or a pattern
            such as "true_*" for a label matrix, a list for crossed groups, a pattern for groups
            that are columns of 0 and 1, a mapping of several models to names.
            ``class_labels``, ``group_labels``, ``missing`` and ``missing_values`` are those of
            :meth:`from_arrays`.

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

        Parameters
        ----------
        frames : iterable of frames
        **columns
            As in :meth:`from_frame`.
        """
        from biasamp_adapters.counting.tables import read_table

        if isinstance(frames, str | os.PathLike) or hasattr(frames, "columns"):
            raise ValueError("from_chunks takes several frames; one, or a path, is for from_frame")
        allowed = [*inspect.signature(read_rows).parameters, "missing"]
        unknown = [name for name in columns if name not in allowed]
        if unknown:
            raise ValueError(f"unknown argument {unknown[0]!r}; arguments are {', '.join(allowed)}")
        missing, missing_values = columns.pop("missing", "error"), columns.pop("missing_values", ())
        lists = {name: columns.pop(name) for name in LISTS.values() if name in columns}
        parts: list[Rows] = []
        for frame in frames:
            for inputs in read_table(frame, columns, missing_values):
                names = inputs.pop("names")
                rows = read_rows(**inputs, **lists, missing_values=missing_values)
                parts.append(replace(on_common_labels(rows), names=names))
                # Parts of about the same size are added, so that no row is copied often.
                while len(parts) > 1 and 2 * len(parts[-1]) > len(parts[-2]):
                    parts[-2:] = [parts[-2] + parts[-1]]
        if not parts:
            raise ValueError("data must have at least one row; received none")
        return cls(finish_rows(reduce(add, parts), missing))

    @classmethod
    def load(cls, path: Any) -> Counts:
        """Read counts that :meth:`save` wrote, and check that the file is unchanged."""
        from biasamp_adapters.counting.saved import load

        return cls(load(path))

    def save(self, path: Any, rows: bool = True) -> None:
        """Write the counts to a JSON file with a checksum.

        Parameters
        ----------
        path : path
        rows : bool
            False keeps sums of random blocks of rows and nothing about a row: at least 20 blocks of
            50 rows, with about ten rows of every group in every block. A smaller group is kept as
            one sum, and numbers about it have no interval; so are fewer rows. Add counts first:
            sums of blocks are not added.

        Warns
        -----
        AmplificationWarning
            If distinct rows that stand for fewer than five rows are written.
        """
        from biasamp_adapters.counting.saved import save, without_rows

        save(self.rows.merged() if rows else without_rows(self.rows), path)

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
        return _frame_of_rows(self.rows)

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        return Counts(self.rows + other.rows)

    def __radd__(self, other: Any) -> Counts:
        """Return the counts themselves for the 0 that ``sum`` begins with."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counts) and self.to_frame().equals(other.to_frame())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kinds = " x ".join(
            role if model is None else f"{role}[{model}]" for role, model in self.rows.variables
        )
        return f"<Counts: {self.n_rows:,} rows of {kinds}>"


def read_rows(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    sensitive_features: Any = None,
    sensitive_features_pred: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    count: Any = None,
    class_labels: Any = None,
    group_labels: Any = None,
    missing_values: Sequence[Label] = (),
) -> Rows:
    """Return the distinct rows of arrays, with missing values; see :meth:`Counts.from_arrays`."""
    if isinstance(sensitive_features, str):
        sensitive_features = arrays.level_of_index(y_true, sensitive_features, "sensitive_features")
    inputs: dict[Key, Any] = {(TASK, None): y_true, (ATTRIBUTE, None): sensitive_features}
    for role, given in ((PREDICTION, y_pred), (ATTRIBUTE_PREDICTION, sensitive_features_pred)):
        by_model = given if isinstance(given, Mapping) else {MODEL: given}
        inputs |= {(role, model): values for model, values in by_model.items()}
    inputs = {key: values for key, values in inputs.items() if values is not None}
    _check_models(y_pred, sensitive_features_pred)
    arrays.warn_of_order((role, values) for (role, _), values in inputs.items())
    inputs = {key: arrays.read_input(values, key[0]) for key, values in inputs.items()}
    listed = {TASK: class_labels, ATTRIBUTE: group_labels}
    variables = reading.read_variables(inputs, listed, missing_values)
    rows = Rows(
        variables,
        **_read_sizes(variables, count, sample_weight, clusters),
        names={truth: _name_of(inputs.get((truth, None))) for truth in listed},
        listed=listed,
    )
    if (count is not None or sample_weight is not None) and rows.weight.min(initial=1) <= 0:
        rows = rows.take(np.flatnonzero(rows.weight > 0))
    return rows.tallied()


def _check_models(y_pred: Any, sensitive_features_pred: Any) -> None:
    """Raise if both predictions are given, and are not of the same models."""
    if y_pred is None or sensitive_features_pred is None:
        return
    first, second = (
        list(given) if isinstance(given, Mapping) else [MODEL]
        for given in (y_pred, sensitive_features_pred)
    )
    if set(first) != set(second):
        raise ValueError(
            f"sensitive_features_pred must be a mapping of the models {listing(first)}; "
            f"received {listing(second)}"
        )


def finish_rows(rows: Rows, missing: str) -> Rows:
    """Return the rows of all data without missing values, or raise."""
    rows = on_common_labels(rows.complete(missing))
    if not len(rows):
        raise ValueError("data must have at least one row without missing values; received none")
    reading.compare_labels(rows.variables, rows.listed)
    return rows


def on_common_labels(rows: Rows) -> Rows:
    """Return the rows with the labels of each truth and its predictions on one list."""
    return replace(rows, variables=reading.on_common_labels(rows.variables, rows.listed))


def _name_of(values: Any) -> Any:
    """Return the name of a column, or those of several columns that are crossed, or None."""
    if isinstance(values, arrays.Table):
        is_named = not values.are_groups and all(isinstance(name, str) for name in values.names)
        return values.names if is_named else None
    name = getattr(values, "name", None)
    return name if isinstance(name, str) else None


def _read_sizes(
    variables: Mapping[Key, Any], count: Any, sample_weight: Any, clusters: Any
) -> dict[str, Any]:
    """Return the number, weights and cluster of each row, as many as the variables have."""
    lengths = {
        role if model in (None, MODEL) else f"{role} of {model}": len(variable)
        for (role, model), variable in variables.items()
    }
    n = np.broadcast_to(np.int64(1), next(iter(lengths.values()), 0))
    w = w2 = cluster = None
    if count is not None:
        n = arrays.read_count(count)
        lengths["count"] = len(n)
    if clusters is not None:
        cluster = arrays.read_clusters(clusters)
        lengths["clusters"] = len(cluster)
    if sample_weight is not None:
        w = arrays.read_weights(sample_weight)
        lengths["sample_weight"] = len(w)
    if len(set(lengths.values())) != 1:
        received = ", ".join(f"{name} {length}" for name, length in list(lengths.items())[:6])
        raise ValueError(f"all inputs must have as many rows; received {received or 'none'}")
    if w is not None:
        w, w2 = w * n, w**2 * n
    return {"n": n, "w": w, "w2": w2, "cluster": cluster}


# Counts as a frame.


def _frame_of_rows(rows: Rows) -> pd.DataFrame:
    """Return one row for each distinct row; of matrices one for each group and column."""
    if rows.is_matrix(TASK) or rows.is_matrix(ATTRIBUTE) or rows.block_sums is not None:
        return _frame_of_pairs(rows)
    rows = replace(rows, cluster=None).merged()
    columns: dict[str, Any] = {}
    for (role, model), variable in rows.variables.items():
        name = model if role == PREDICTION and model is not None else role
        if role == ATTRIBUTE_PREDICTION:
            name = f"{role}[{model}]"
        columns[name] = _column(variable)
    columns["count"] = rows.n
    if rows.w is not None:
        columns |= {"sum_of_weights": rows.w, "sum_of_squared_weights": rows.w2}
    return pd.DataFrame(columns)


def _column(variable: Variable) -> Any:
    """Return the labels of the rows, or the probabilities of class 1."""
    if not isinstance(variable, Codes):
        return variable.values[:, 1]
    labels = np.empty(len(variable.labels) + 1, dtype=object)
    labels[:-1] = [show(x) if isinstance(x, tuple) else x for x in variable.labels]
    return pd.Series(labels[variable.codes], dtype=object).infer_objects()


def _frame_of_pairs(rows: Rows) -> pd.DataFrame:
    """Return sums of truth and predictions for each group and class or column."""
    margins = margins_of_data(rows)
    index = pd.MultiIndex.from_product(
        [map(show, rows.group_labels), rows.class_labels], names=["group", "class"]
    )
    columns: dict[str, tuple[str, str | None]] = {TASK: (TASK, None)}
    columns |= {model: (PREDICTION, model) for model in rows.models}
    sums = {
        name: margins.of_model(model).joint(ATTRIBUTE, role)[0].ravel()
        for name, (role, model) in columns.items()
        if rows.has(role, model)
    }
    return pd.DataFrame(sums, index=index).reset_index()


# The two ways in which data come: as arrays, or as data with names of columns.


def read_counts(
    data: Any, y_pred: Any, *, columns: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[Counts, Mapping[str, Any] | None]:
    """Return counts of arrays, or of data by names of columns.

    Parameters
    ----------
    data, y_pred : object
        One positional argument is data; two that hold values are ``y_true`` and ``y_pred``.
    columns : mapping of str to object
        The other arguments: arrays, or names of columns.
    options : mapping of str to object
        Lists of labels, and what becomes of missing values.

    Returns
    -------
    counts : Counts
    names : mapping of str to object, or None
        Names of columns; None if the data are arrays or counts.
    """
    given = {name: value for name, value in columns.items() if value is not None}
    if data is None or _are_two_arrays(data, y_pred, given):
        if data is not None:
            given["y_true"] = data
        return Counts.from_arrays(y_pred=y_pred, **given, **options), None
    if y_pred is not None:
        given["y_pred"] = y_pred
    if isinstance(data, Counts):
        return _check_counts(data, given, options), None
    paths = _paths(data)
    if paths:
        from biasamp_adapters.counting.paths import find_files, is_saved_counts

        files = [file for path in paths for file in find_files(path)]
        if all(map(is_saved_counts, files)):
            return _check_counts(reduce(add, map(Counts.load, files)), given, options), None
    return Counts.from_frame(data, **given, **options), given


def _are_two_arrays(data: Any, y_pred: Any, given: Mapping[str, Any]) -> bool:
    """Return whether the two positional arguments are the values of y_true and y_pred."""
    if "y_true" in given or y_pred is None or isinstance(data, Counts):
        return False
    models = list(y_pred.values()) if isinstance(y_pred, Mapping) else [y_pred]
    if all(isinstance(names, str) for names in models):
        return False
    # Two lists of text are labels: a list of paths comes with y_true.
    is_table = isinstance(data, str | os.PathLike) or hasattr(data, "columns")
    return not (is_table and all(_is_list_of_text(names) for names in models))


def _is_list_of_text(names: Any) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


def _check_counts(counts: Counts, given: Mapping[str, Any], options: Mapping[str, Any]) -> Counts:
    """Return counts, without missing predictions if asked; raise if columns are given too."""
    if given:
        raise ValueError(
            f"counts hold all variables already, so {next(iter(given))} must not be given with them"
        )
    if options["missing_values"]:
        raise ValueError("missing_values is read where rows are counted, as in Counts.from_frame")
    return Counts(finish_rows(counts.rows, "drop")) if options["missing"] == "drop" else counts


def _paths(data: Any) -> list[Any]:
    """Return one path or several as a list; an empty one for a frame."""
    if isinstance(data, str | os.PathLike):
        return [data]
    if isinstance(data, list | tuple) and all(isinstance(x, str | os.PathLike) for x in data):
        return list(data)
    return []
