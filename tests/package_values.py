"""The numbers of a random case by the package, from rows in the forms that users have.

They are compared with those of loops in exact fractions.
"""

import warnings
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from fraction_attacks import attack_numbers
from fraction_case import Case
from fraction_values import Number, matrix_numbers, rate_numbers, scores_of_base_rates
from random_rows import METRICS, draw_case
from scipy import sparse

import biasamp_adapters as bam

#: Numbers that differ by less are equal.
TOLERANCE = 1e-12

CLASSES = {
    "BA": bam.DirectionalBiasAmplification,
    "MALS": bam.MALSBiasAmplification,
    "Multi": bam.MultiAttributeBiasAmplification,
    "LA": bam.LeakageAmplification,
    "DPA": bam.DirectionalPredictabilityAmplification,
}


def package_numbers(case: Case) -> dict[str, float]:
    metric = CLASSES[case.name](**settings_of(case))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bam.AmplificationWarning)
        result = _result_of(metric, case)
        numbers = {"call": metric(**{"y_true": None, "y_pred": None} | arguments(case))}
    numbers |= {name: estimate.value for name, estimate in result.estimates.items()}
    return numbers | numbers_of_pairs(result.by_pair)


def numbers_of_pairs(table: pd.DataFrame) -> dict[str, float]:
    """Return the numbers of a table of pairs by the name of each and its pair."""
    kinds = {"change": "change", "contribution": "contribution", "sign": "sign", "value": "pair"}
    pairs = list(zip(table["group"], table["class"], strict=True))
    return {
        f"{kind} {group} | {label}": value
        for column, kind in kinds.items()
        if column in table
        for (group, label), value in zip(pairs, table[column].tolist(), strict=True)
    }


def settings_of(case: Case) -> dict[str, Any]:
    settings = dict(case.options)
    if case.name in ("BA", "Multi", "DPA"):
        settings["direction"] = case.direction
    if case.pos_label is not None:
        settings["pos_label"] = case.pos_label
    if case.reference is not None:
        settings["reference"] = _package_reference(case)
    if case.base_rates is not None:
        settings["reference"] = _package_base_rates(case)
    return settings | _reading_options(case)


def _reading_options(case: Case) -> dict[str, Any]:
    """Return the rule for missing values, and lists of labels."""
    options: dict[str, Any] = {"missing": case.missing}
    if case.lists_labels and not case.tasks_are_matrix:
        options["class_labels"] = case.class_labels
    if case.lists_labels and not case.groups_are_matrix:
        options["group_labels"] = case.group_labels
    return options


def arguments(case: Case) -> dict[str, Any]:
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
    if case.container == "sparse":
        return sparse.csr_array(values)
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


# Comparing.


def expected_numbers(case: Case) -> dict[str, Number]:
    """Return all numbers of the case that an oracle gives."""
    case = case.kept()
    if case.is_attack:
        return attack_numbers(case)
    if case.base_rates is not None:
        return rate_numbers(case, scores_of_base_rates(case))
    return matrix_numbers(case)


def compare_numbers(seed: int) -> dict[str, tuple[Number, float]]:
    """Return each number of a seed by the oracle and by the package."""
    case = draw_case(seed)
    expected = expected_numbers(case)
    try:
        computed = package_numbers(case)
    except Exception as error:
        error.add_note(f"seed {seed}: {case}")
        raise
    expected["call"] = expected["value"]
    return {name: (number, computed[name]) for name, number in expected.items()}


def difference(expected: Number, computed: float) -> float:
    """Return how far a number is from the oracle's; infinite if only one of them is defined."""
    value = float("nan") if expected.value is None else float(expected.value)
    if isnan(value):
        return 0.0 if isnan(computed) else float("inf")
    if value == computed:
        return 0.0
    gap = abs(value - computed) / expected.scale
    return float("inf") if isnan(gap) else gap


def differing_numbers(seed: int) -> list[str]:
    return [
        describe(seed, name, expected, computed)
        for name, (expected, computed) in compare_numbers(seed).items()
        if not difference(expected, computed) <= TOLERANCE
    ]


def describe(seed: int, name: str, expected: Number, computed: float) -> str:
    metric = METRICS[seed % len(METRICS)]
    return f"seed {seed}, {metric}: {name} is {computed}, by the oracle {expected.value}"
