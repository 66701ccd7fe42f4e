"""The numbers of a random case by the package, from rows in the forms that users have."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from fraction_case import Case

import biasamp_adapters as bam


def package_numbers(case: Case) -> dict[str, float]:
    """Return all numbers of the case by the package."""
    metric = metric_of(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        result = _result_of(metric, case)
        numbers = {"call": metric(**{"y_true": None, "y_pred": None} | arguments(case))}
    numbers |= {name: estimate.value for name, estimate in result.estimates.items()}
    kinds = {"change": "change", "contribution": "contribution", "sign": "sign", "value": "pair"}
    table = result.by_pair
    for column, kind in kinds.items():
        if column in table:
            numbers |= {
                f"{kind} {group} | {label}": value
                for group, label, value in table[["group", "class", column]].itertuples(index=False)
            }
    return numbers


def metric_of(case: Case) -> Any:
    """Return the metric of the case as the package has it."""
    kinds = {
        "BA": bam.DirectionalBiasAmplification,
        "MALS": bam.MALSBiasAmplification,
        "Multi": bam.MultiAttributeBiasAmplification,
        "LA": bam.LeakageAmplification,
        "DPA": bam.DirectionalPredictabilityAmplification,
    }
    settings = dict(case.options)
    if case.name in ("BA", "Multi", "DPA"):
        settings["direction"] = case.direction
    if case.pos_label is not None:
        settings["pos_label"] = case.pos_label
    if case.reference is not None:
        settings["reference"] = _package_reference(case)
    if case.base_rates is not None:
        settings["reference"] = _package_base_rates(case)
    return kinds[case.name](**settings, **_reading_options(case))


def _reading_options(case: Case) -> dict[str, Any]:
    """Return the rule for missing values, and lists of labels."""
    options: dict[str, Any] = {"missing": case.missing}
    if case.lists_labels and not case.tasks_are_matrix:
        options["class_labels"] = case.class_labels
    if case.lists_labels and not case.groups_are_matrix:
        options["group_labels"] = case.group_labels
    return options


def arguments(case: Case) -> dict[str, Any]:
    """Return the columns of the case as the package takes them."""
    columns = {"y_true": _tasks(case, case.y_true), "y_pred": _tasks(case, case.y_pred)}
    if case.reads_groups:
        columns["sensitive_features"] = _groups(case, case.groups, is_predicted=False)
    columns["sensitive_features_pred"] = _groups(case, case.groups_pred, is_predicted=True)
    if case.weights is not None:
        columns["sample_weight"] = [float(w) for w in case.weights]
    return {name: column for name, column in columns.items() if column is not None}


def _tasks(case: Case, column: list[Any] | None) -> Any:
    if column is None:
        return None
    if case.tasks_are_matrix:
        return _matrix(case, column, case.class_labels)
    if case.task_kind == "chances":
        column = [None if x is None else float(x) for x in column]
    return _vector(case, column)


def _groups(case: Case, column: list[Any] | None, *, is_predicted: bool) -> Any:
    if column is None:
        return None
    if case.group_kind == "mixed" and not is_predicted:
        labels = [None if x is None else case.group_labels[x.index(1)] for x in column]
        return _vector(case, labels)
    if case.groups_are_matrix:
        values = np.array(_with_nan(column, len(case.group_labels)), dtype=float)
        return bam.OverlappingGroups(values, names=case.group_labels)
    if case.group_kind == "crossed":
        pairs = [(None, None) if x is None else x for x in column]
        return pd.DataFrame(pairs, columns=["sex", "age"])
    return _vector(case, column)


def _vector(case: Case, column: list[Any]) -> Any:
    if case.container == "list":
        return column
    array = np.array(column, dtype=object if None in column else None)
    return array if case.container == "array" else pd.Series(array)


def _matrix(case: Case, rows: list[Any], names: list[Any]) -> Any:
    """Return rows of indicators; names other than positions need a frame."""
    values = np.array(_with_nan(rows, len(names)), dtype=float)
    if case.container == "frame" or names != list(range(len(names))):
        return pd.DataFrame(values, columns=names)
    return values if case.container == "array" else values.tolist()


def _with_nan(rows: list[Any], width: int) -> list[list[float]]:
    missing = [float("nan")] * width
    return [missing if row is None else [float(x) for x in row] for row in rows]


def _package_reference(case: Case) -> Any:
    """Return the reference as a pair of columns, or as counts if its rows have weights."""
    y_true, groups, weights = case.reference
    pair = _tasks(case, y_true), _groups(case, groups, is_predicted=False)
    if weights is None:
        return pair
    return bam.Counts.from_arrays(
        pair[0], sensitive_features=pair[1], sample_weight=[float(w) for w in weights]
    )


def _package_base_rates(case: Case) -> Any:
    """Return rates that are set by hand as nested mappings."""
    rates, signs, shares = case.base_rates
    direction = "A->T" if case.direction == "A->T" else "T->A"
    if shares is not None:
        shares = {group: float(share) for group, share in shares.items()}
    return bam.BaseRates(
        _nested(rates, direction),
        direction=direction,
        signs=None if signs is None else _nested(signs, direction),
        group_shares=shares,
    )


def _nested(table: dict[tuple[Any, Any], Any], direction: str) -> dict[Any, dict[Any, float]]:
    """Return a table by (group, class) as a mapping of mappings; of T->A by class, then group."""
    nested: dict[Any, dict[Any, float]] = {}
    for (group, label), value in table.items():
        outer, inner = (group, label) if direction == "A->T" else (label, group)
        nested.setdefault(outer, {})[inner] = float(value)
    return nested


def _result_of(metric: Any, case: Case) -> Any:
    """Return the result, from rows as the case gives them."""
    columns = arguments(case)
    if case.route == "result":
        return metric.result(**columns, n_boot=0)
    return metric.result(data=_counts(case, columns), n_boot=0)


def _counts(case: Case, columns: dict[str, Any]) -> Any:
    """Return counts of the rows, made in the way of the case."""
    options = _reading_options(case)
    if case.route == "counts":
        return bam.Counts.from_arrays(**columns, **options)
    if case.route == "sum":
        return sum(_counts_of_parts(case))
    names = {name: name for name in columns}
    frame = pd.DataFrame({name: pd.Series(list(x), dtype=object) for name, x in columns.items()})
    if case.route == "count":
        frame = frame.value_counts(dropna=False).reset_index(name="n")
        names["count"] = "n"
    return bam.Counts.from_frame(frame, **names, **options)


def _counts_of_parts(case: Case) -> list[Any]:
    """Return counts of two parts of the rows, each of which has a weight above 0."""
    positive = [i for i in range(len(case)) if case.weights is None or case.weights[i]]
    cut = positive[len(positive) // 2]
    listed = replace(case, lists_labels=True)
    parts = (listed.taken(range(cut)), listed.taken(range(cut, len(case))))
    return [bam.Counts.from_arrays(**arguments(part), **_reading_options(part)) for part in parts]
