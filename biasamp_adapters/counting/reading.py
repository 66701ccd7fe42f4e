"""Reading arrays as variables of the rows: labels, matrices, probabilities and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from biasamp_adapters.counting.arrays import Table, check_all, read_numbers, to_numbers, to_objects
from biasamp_adapters.counting.labels import (
    ATTRIBUTE,
    LISTS,
    PREDICTED,
    PREDICTION,
    SCORE,
    TASK,
    TRUTH,
    Array,
    Key,
    Label,
    Lists,
    are_same,
    argument_of,
    find_label,
    listing,
    ordered,
    plain_labels,
    positive_class,
    without,
)
from biasamp_adapters.counting.rows import Rows
from biasamp_adapters.counting.variables import (
    Block,
    Codes,
    Variable,
    Variables,
    cells_of,
    factorize,
    first_rows,
    recode,
)

#: Arguments with a number for each row, and where it is kept.
NUMBERS = {"count": "n", "sample_weight": "w", "clusters": "cluster"}

#: Whole numbers in a range as wide as this are counted by position.
_WIDEST_RANGE = 2**16

#: The hash table of labels is made for so many, and grows if there are more. By default it would be
#: as long as the data, and not fit into the processor's cache.
_USUAL_LABELS = 2**10

# Labels.


def read_column(values: Any, argument: str) -> Codes:
    """Return a column of labels as codes, in the order of its labels."""
    if isinstance(values, pd.Series) and isinstance(values.dtype, np.dtype):
        values = values.to_numpy()
    kind = values.dtype.kind if isinstance(values, np.ndarray) else "O"
    if kind in "bui" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < min(_WIDEST_RANGE, len(values) + 100):
            return _read_whole_numbers(values, low, high)
    if kind == "U" and len(values):
        codes, labels = _factorize_text(values, argument)
    else:
        remedy = ". Label sets are a matrix with one column of 0 and 1 for each label"
        codes, labels = factorize(values, argument, remedy, _USUAL_LABELS)
    with suppress(UnicodeEncodeError):  # The label that cannot be written is refused below.
        labels = pd.Index(labels, tupleize_cols=False)
    distinct = plain_labels(labels.tolist(), argument)
    in_order = ordered(distinct, argument)
    return Codes(in_order, recode(codes, distinct, in_order))  # -1 is a missing value in pandas.


def _read_whole_numbers(values: Array, low: int, high: int) -> Codes:
    """Return whole numbers of a narrow range as codes."""
    codes = np.empty(len(values), dtype=np.min_scalar_type(high - low + 1))
    np.subtract(values, values.dtype.type(low), out=codes, dtype=codes.dtype, casting="unsafe")
    labels = tuple(map(bool if values.dtype == bool else int, range(low, high + 1)))
    everywhere = Codes(labels, codes)
    if len(labels) <= 2:
        return everywhere  # The lowest and the highest number occur.
    return everywhere.with_labels(everywhere.seen)


def _factorize_text(values: Array, argument: str) -> tuple[Array, Any]:
    """Return codes and labels of text, which is read as numbers: unique but for 1 in 2^50."""
    letters = np.ascontiguousarray(values).view(np.uint32).reshape(len(values), -1)
    factors = np.random.default_rng(0).integers(2**63, size=letters.shape[1], dtype=np.uint64)
    codes = pd.factorize(np.einsum("ij,j->i", letters, factors))[0]
    labels = values[first_rows(codes)]
    if "nan" in labels:  # numpy writes a missing value so, and with it Fairlearn's MetricFrame.
        raise ValueError(f"{argument} holds the text 'nan', a missing value of numpy; pass a list")
    return codes, labels


def read_labels(values: Any, argument: str) -> Codes:
    """Return one label for each row; several columns are crossed, into what occurs."""
    if not isinstance(values, Table):
        return read_column(values, argument)
    parts = [read_column(values.column(i), argument) for i in range(len(values.names))]
    lengths = {len(part) for part in parts}
    if len(lengths) != 1:
        raise ValueError(f"columns of {argument} must have one length; received {lengths or 0}")
    cell, first = cells_of([part.codes for part in parts])
    levels = []
    for part in parts:
        labels = [*part.labels, None]
        levels.append([labels[code] for code in part.codes[first].tolist()])
    crossed = list(zip(*levels, strict=True))
    complete = tuple(label for label in crossed if None not in label)
    ordered(complete, argument)  # Refuses crossed labels that look the same.
    return Codes(complete, recode(cell, crossed, complete))


# Matrices and probabilities.


def _clear(values: Array, missing_values: Sequence[Label]) -> Array:
    """Return values with NaN in the place of those that mean a missing value, or their text."""
    numbers = pd.to_numeric(pd.Series(to_objects(missing_values)), errors="coerce").dropna()
    cells = pd.Series(np.ravel(values), dtype=object)
    is_missing = cells.isin([*missing_values, *numbers]).to_numpy().reshape(values.shape)
    return np.where(is_missing, np.nan, values) if is_missing.any() else values


def read_matrix(table: Table, role: str, missing_values: Sequence[Label]) -> Block:
    """Return the columns of a matrix; a row with a missing value is missing as a whole."""
    values, names = table.matrix(), table.names
    if not names or len(names) != values.shape[1] or len(set(names)) != len(names):
        rule = f"{role} must have a distinct name for each of {values.shape[1]} columns"
        raise ValueError(f"{rule}; received {listing(names) or 'none'}")
    missing = np.zeros(values.shape[0], dtype=bool)
    if sparse.issparse(values):
        values = values.astype(np.float64)
        _check_range(values.data, role)
        return Block(names, values, missing, is_matrix=True)
    if missing_values:
        values = _clear(values, missing_values)
    if values.dtype.kind not in "buif":
        values = to_numbers(values, role)
    if values.dtype.kind == "f" and np.isnan(values.sum()):
        missing = np.isnan(values).any(axis=1)
        values = np.where(missing[:, None], 0, values)
    if values.size and values.min() == -1 and (np.abs(values) == 1).all():
        values = values > 0  # Matrices of -1 and 1.
    if _check_range(values, role):
        is_small = values.dtype.itemsize == 1
        values = values.view(np.uint8) if is_small else values.astype(np.uint8)
    return Block(names, values, missing, is_matrix=True)


def _check_range(entries: Array, role: str) -> bool:
    """Return whether entries are all 0 or 1; raise if they are not even probabilities."""
    is_whole = entries.dtype.kind in "bui" or bool((entries % 1 == 0).all())
    in_range = entries.min(initial=0) >= 0 and entries.max(initial=0) <= 1
    allows_probabilities = role in PREDICTED.values()
    if in_range and (is_whole or allows_probabilities):
        return is_whole
    allowed = "0 and 1, or probabilities" if allows_probabilities else "0 and 1"
    received = entries[(entries < 0) | (entries > 1) | (entries % 1 != 0)]
    raise ValueError(f"{role} must hold {allowed} in each column; received {received[0]}")


def read_probabilities(
    values: Any, labels: Sequence[Label], argument: str, missing_values: Sequence[Label]
) -> Block | None:
    """Return probabilities of class 1 as columns of 0 and 1; None if the values are whole."""
    if not set(labels) <= {0, 1} or not (values.dtype.kind == "f" or values.dtype == object):
        return None
    if missing_values:
        values = _clear(np.asarray(values), missing_values)
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").dropna()
    if (np.floor(numbers) == numbers).all():
        return None
    probability = np.array(to_numbers(values, argument))
    missing = np.isnan(probability)
    probability[missing] = 0.0
    in_range = (probability >= 0) & (probability <= 1)
    hint = "(in audit, scores are y_score= with threshold=)"
    rule = f"{argument} must hold probabilities from 0 to 1 {hint}"
    check_all(in_range, probability, rule)
    values = np.column_stack([np.where(missing, 0.0, 1 - probability), probability])
    return Block((0, 1), values, missing, is_matrix=False)


# Scores: numbers in each row, of which a threshold makes predictions.


def read_scores(values: Any, argument: str) -> Codes:
    """Return numbers as codes, in the order of the distinct numbers, which are the labels."""
    if isinstance(values, Table):
        raise ValueError(explain_width(argument, len(values.names), TASK))
    score = to_numbers(values, argument)
    check_all(~np.isinf(score), score, f"{argument} must be finite")
    codes, distinct = pd.factorize(score, sort=True)  # -1 is a missing value in pandas.
    labels = tuple(distinct.tolist())
    codes = np.where(codes < 0, len(labels), codes)
    return Codes(labels, codes.astype(np.min_scalar_type(len(labels))))


def explain_width(role: str, width: int, other: str) -> str:
    """Return why columns do not go with one column of labels."""
    widths = f"{role} has {width} columns and {other} 1"
    if role == TASK:
        return f"{widths}. Pass the column of the labels."
    other = "" if role == SCORE else ", or in audit y_score= with threshold="
    return f"{widths}. Pass predict_proba(X)[:, 1]{other}."


def check_threshold(columns: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raise unless scores come with predictions, or else with a threshold that makes them."""
    has_score, has_prediction = (columns.get(name) is not None for name in (SCORE, PREDICTION))
    has_threshold = options.get("threshold") is not None
    if has_score and not (has_prediction or has_threshold):
        raise ValueError("y_score needs threshold= or y_pred=.")
    if has_threshold and (has_prediction or not has_score):
        raise ValueError("threshold needs y_score= without y_pred=.")


def decide(rows: Rows, threshold: Any, pos_label: Label | None) -> Variables:
    """Return the positive class where a score is at least the threshold, else the other class."""
    if not isinstance(threshold, int | float | np.number) or not np.isfinite(threshold):
        raise ValueError(f"threshold must be a finite number; received {listing([threshold])}")
    classes = rows.listed.get(TASK, rows.class_labels)
    if len(classes) < 2 and set(classes) <= {0, 1}:  # The other class may not occur.
        classes = (0, 1)
    positive = positive_class(classes, pos_label)
    if rows.is_matrix(TASK) or len(classes) != 2 or positive not in classes:
        rule = "threshold needs two classes in y_true, one of which is pos_label"
        raise ValueError(f"{rule}; received {listing(classes)}")
    code = classes.index(positive)
    predictions: Variables = {}
    for (role, model), score in rows.variables.items():
        if role == SCORE and isinstance(score, Codes):
            codes = np.where(_reach(np.array(score.labels), threshold), code, 1 - code)
            predictions[PREDICTION, model] = Codes(classes, codes.astype(np.uint8)[score.codes])
    return predictions


def _reach(scores: Array, threshold: Any) -> Array:
    """Return which scores are at least a threshold; single scores are compared as numpy does."""
    with np.errstate(over="ignore"):
        nearest = np.float32(threshold)
        is_single = (scores == scores.astype(np.float32)).all() and float(str(nearest)) == threshold
    return np.asarray(scores >= (float(nearest) if is_single else threshold))


# All inputs together.


def read_variables(inputs: Mapping[Key, Any], listed: Lists, missing_values: Any) -> Variables:
    """Return the variables of the rows, each on its own list of labels."""
    missing_values = list(missing_values)
    are_columns = {truth: _are_columns_labels(inputs, truth) for truth in PREDICTED}
    variables: Variables = {}
    for (role, model), given in inputs.items():
        variable: Variable | None = None
        if role == SCORE:
            variable = read_scores(given, role)
        elif are_columns.get(TRUTH[role]):
            variable = _read_columns(given, role, missing_values)
        elif role == PREDICTION:
            true_labels = variables[TASK, None].labels if (TASK, None) in variables else ()
            labels = listed.get(TASK, true_labels)
            variable = read_probabilities(given, labels, role, missing_values)
        if variable is None:
            variable = read_labels(given, role)
        if missing_values and isinstance(variable, Codes):
            missing = {find_label(label, variable.labels) for label in missing_values}
            variable = variable.with_labels(without(variable.labels, missing))
        variables[role, model] = variable
    return variables


def _are_columns_labels(inputs: Mapping[Key, Any], truth: str) -> bool:
    """Return whether each column is a label; raise if only truth or prediction has columns."""
    same = [(role, given) for (role, _), given in inputs.items() if TRUTH[role] == truth]
    tables = [(role, given) for role, given in same if isinstance(given, Table)]
    if truth == ATTRIBUTE:
        return any(table.are_groups for _, table in tables)
    others = [role for role, given in same if not isinstance(given, Table)]
    if tables and others:
        role, table = tables[0]
        raise ValueError(explain_width(role, len(table.names), others[0]))
    return bool(tables)


def _read_columns(given: Any, role: str, missing_values: Sequence[Label]) -> Block:
    """Return a matrix; labels that go with overlapping groups become columns."""
    if isinstance(given, Table) and (TRUTH[role] == TASK or given.are_groups):
        return read_matrix(given, role, missing_values)
    column = read_labels(given, role)
    return Block(column.labels, column.values, column.missing, is_matrix=True)


# Numbers of rows.


def read_row_numbers(
    columns: Mapping[str, Any], variables: Mapping[Key, Variable]
) -> dict[str, Any]:
    """Return the number, weight and cluster of each row, as many as the variables have."""
    lengths: dict[Key, int] = {key: len(variable) for key, variable in variables.items()}
    numbers = {"n": np.broadcast_to(np.int64(1), next(iter(lengths.values()), 0))}
    for argument, key in NUMBERS.items():
        if columns.get(argument) is not None:
            numbers[key] = read_numbers(columns[argument], argument, numbers["n"])
            lengths[argument, None] = len(numbers[key])
    if not lengths:
        raise ValueError("y_true and y_pred, or data, must be given; received neither")
    if len(set(lengths.values())) != 1:
        received = ", ".join(f"{argument_of(key)} {n}" for key, n in list(lengths.items())[:5])
        is_list_of_features = lengths.get((ATTRIBUTE, None)) in (2, 3)
        hint = ". Several features are the columns of a frame" if is_list_of_features else ""
        raise ValueError(f"all inputs must have as many rows; received {received}{hint}")
    return numbers


# Lists of labels.


def on_common_labels(variables: Variables, listed: Lists) -> Variables:
    """Return variables of one truth on one list of labels: the given one, or all that occur."""
    moved = dict(variables)
    for truth in PREDICTED:
        same = {key: v for key, v in variables.items() if TRUTH[key[0]] == truth}
        if matrices := {key: v for key, v in same.items() if v.is_matrix}:
            same |= _with_column_names(matrices, listed.get(truth))
        if same:
            common = _common_labels(same, listed, truth)
            moved |= {key: v.with_labels(common) for key, v in same.items()}
    return moved


def _common_labels(same: Variables, listed: Lists, truth: str) -> tuple[Label, ...]:
    """Return the listed labels if they hold all that occur, else those that occur, in order."""
    lists = [variable.seen for variable in same.values()]
    if truth not in listed and all(are_same(labels, lists[0]) for labels in lists):
        return tuple(lists[0])  # They are in order already.
    roles = " or ".join(dict.fromkeys(role for role, _ in same))
    seen = ordered([label for labels in lists for label in labels], roles)
    common = listed.get(truth, seen)
    unknown = without(seen, common)
    if unknown:
        form = f", as {unknown[0]!r:.60}" if isinstance(unknown[0], tuple) else ""
        rule = f"{LISTS[truth]} must list every label{form}"
        raise ValueError(f"{rule}; received {listing(unknown)} too")
    return common


def _with_column_names(matrices: Variables, listed: tuple[Label, ...] | None) -> Variables:
    """Return matrices whose unnamed columns take the names of the others, or the listed ones."""
    lists = [v.labels for v in matrices.values()]
    renamed: Variables = {}
    named = [labels for labels in lists if not _are_positions(labels)]
    names = listed or next(iter(named or lists), ())
    for (role, model), variable in matrices.items():
        labels = variable.labels
        if _are_positions(labels) and len(labels) == len(names):
            variable = replace(variable, labels=names)
        elif set(labels) != set(names):
            differ = [*without(names, labels), *without(labels, names)]
            rule = f"{role} must have the same columns as the others, or those listed"
            raise ValueError(f"{rule}; in one alone: {listing(differ)}")
        renamed[role, model] = variable.with_labels(names)
    return renamed


def _are_positions(labels: tuple[Label, ...]) -> bool:
    """Return whether columns have no names but their positions."""
    return labels == tuple(range(len(labels)))
