"""Columns, names, label lists and references that do not fit the label matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from good_matrices import GROUP, INDICATORS, NAN, PREDICTION, TRUTH, count

from biasamp_adapters import (
    BaseRates,
    CooccurrenceCounts,
    DirectionalBiasAmplification,
    Indicators,
)


def _frame(rows: list[list[int]], *names: Any) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(names))


@pytest.mark.parametrize("name", ["y_pred", "sensitive_features_pred"])
def test_predictions_of_other_columns(name: str) -> None:
    attribute = name.startswith("sensitive")

    def held(*names: str) -> Any:
        frame = _frame([row[: len(names)] for row in TRUTH], *names)
        return Indicators(frame) if attribute else frame

    truth = "sensitive_features" if attribute else "y_true"
    message = rf"^{name} must have the same columns as {truth}; received one "
    with pytest.raises(ValueError, match=rf"{message}without 'y' and with 'z'$"):
        count(**{truth: held("x", "y"), name: held("x", "z")})
    with pytest.raises(ValueError, match=rf"{message}without 'y'$"):
        count(**{truth: held("x", "y"), name: held("x")})


def test_columns_that_are_not_those_listed() -> None:
    named = _frame(TRUTH, "x", "y", "z")
    with pytest.raises(ValueError, match=r"same columns as labels; received one with 'z'$"):
        count(y_true=named, labels=["x", "y"])
    message = r"^y_true must have a column for each of the 2 of labels; received 3"
    with pytest.raises(ValueError, match=message):
        count(labels=["x", "y"])
    message = r"must have a column for each of the 3 of groups; received 2"
    with pytest.raises(ValueError, match=message):
        count(sensitive_features=Indicators(INDICATORS), groups=["a", "b", "c"])


@pytest.mark.parametrize("listed", ["xyz", 5, [], ["x", "x", "y"], ["x", None, "y"]])
def test_lists_that_are_none(listed: Any) -> None:
    with pytest.raises(ValueError, match=r"^labels must (be a list of labels|list at least one)"):
        count(labels=listed)


def test_names_of_columns_that_repeat() -> None:
    message = r"^y_true must have distinct columns; received \['x', 'y', 'x'\]"
    with pytest.raises(ValueError, match=message):
        count(y_true=_frame(TRUTH, "x", "y", "x"))
    message = r"^sensitive_features must have distinct columns; received \['m', 'm'\]"
    with pytest.raises(ValueError, match=message):
        count(sensitive_features=Indicators(INDICATORS, names=["m", "m"]))


@pytest.mark.parametrize("names", [["m"], ["m", "w", "x"], []])
def test_names_of_another_number(names: list[str]) -> None:
    message = r"^names must name each of the 2 columns of sensitive_features; received \["
    with pytest.raises(ValueError, match=message):
        count(sensitive_features=Indicators(INDICATORS, names=names))


@pytest.mark.parametrize("names", [["m", None], ["m", NAN], [["m"], ["w"]], "mw"], ids=str)
def test_names_that_are_no_labels(names: Any) -> None:
    # The rule that lists of labels and groups follow.
    with pytest.raises(ValueError, match="names"):
        count(sensitive_features=Indicators(INDICATORS, names=names))


def test_labels_that_are_no_column() -> None:
    group = Indicators(INDICATORS, names=["m", "w"])
    message = (
        r"^sensitive_features_pred must hold only labels listed in sensitive_features; "
        r"received 'x' in 1 row\(s\), listed are 'm', 'w'"
    )
    with pytest.raises(ValueError, match=message):
        count(sensitive_features=group, sensitive_features_pred=["m", "w", "x", "m", "w", "m"])
    with pytest.raises(ValueError, match=r"only labels listed in groups; received 'b' in "):
        count(groups=["a"])
    with pytest.raises(ValueError, match=r"^y_true must hold only labels listed in labels; .* 5"):
        count(y_true=[0, 1, 5, 0, 1, 0], y_pred=None, labels=[0, 1])


def test_crossed_attributes_of_another_number() -> None:
    message = r"sensitive_features_pred must have one column for each of the 2 attribute\(s\)"
    with pytest.raises(ValueError, match=message):
        count(sensitive_features={"s": GROUP, "r": [1, 2] * 3}, sensitive_features_pred=GROUP)


def test_models() -> None:
    with pytest.raises(ValueError, match="y_pred must name at least one model"):
        count(y_pred={})
    with pytest.raises(ValueError, match=r"names of models in y_pred must be strings; .*\[1\]"):
        count(y_pred={1: PREDICTION})
    with pytest.raises(ValueError, match=r"must name the models of y_pred, \['old', 'new'\]; "
                       r"received \['old'\]"):  # fmt: skip
        count(y_pred={"old": TRUTH, "new": TRUTH}, sensitive_features_pred={"old": GROUP})
    with pytest.raises(ValueError, match=r"model must be one of \['model'\]; received 'other'"):
        count().model("other")


SETS: list[tuple[Any, str]] = [
    ("observe", r"must be 'observed' or a list of sets of labels; received 'observe'"),
    ([[0, 7]], r"must be sets of known labels; received \[0, 7\]"),
    ([[]], r"must be sets of known labels; received \[\]"),
    ([["0"]], r"must be sets of known labels; received \['0'\]"),
    ([0, 1], r"must be .*; received .*0"),
    (5, r"must be .*; received 5"),
    ([[[0]]], r"must be .*; received .*\[0\]"),
]


@pytest.mark.parametrize(("sets", "message"), SETS, ids=lambda value: str(value)[:12])
def test_label_sets(sets: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^label_sets {message}"):
        count(label_sets=sets)


def test_label_sets_of_no_truth() -> None:
    with pytest.raises(ValueError, match="counts must hold the task; these hold attribute, pred"):
        CooccurrenceCounts.from_arrays(None, PREDICTION, GROUP, label_sets="observed")


def test_what_was_not_kept() -> None:
    counts = count()
    with pytest.raises(ValueError, match=r"label sets need rows: .*keep_rows=True or label_sets="):
        counts.observed_sets()
    with pytest.raises(ValueError, match=r"label sets of the reference must be counted with the"):
        counts.with_sets(((0, 2),))
    with pytest.raises(ValueError, match=r"label sets were not counted; count with label_sets="):
        counts.tables().marginal("task_sets")
    with pytest.raises(ValueError, match=r"hold only their sums: count with keep_rows=True"):
        next(counts.draw(1, np.random.default_rng(0), 1))
    with pytest.raises(ValueError, match=r"counts must hold the attribute_prediction; these hold"):
        counts.tables().marginal("attribute_prediction")
    with pytest.raises(ValueError, match=r"co-occurrences need sensitive_features; .* hold none"):
        count(sensitive_features=None).to_frame()


@pytest.mark.parametrize("lists", [([0, 1], ["a", "b"]), ([0, 1, 2], ["a"])], ids=str)
def test_aligning_to_fewer_labels(lists: tuple[list[Any], list[Any]]) -> None:
    with pytest.raises(ValueError, match="label lists must contain every label that was counted"):
        count().align(*lists)


REFERENCES: list[tuple[Any, str]] = [
    ((TRUTH, GROUP[:5]), r"^in the reference, inputs must have the same length; .*_features 5"),
    (([[2, 0, 0]] * 6, GROUP), r"^in the reference, y_true must hold 0 and 1; received 2"),
    (count(sensitive_features=None), "a reference must count task and attribute; received <Cooc"),
]


@pytest.mark.parametrize(("reference", "message"), REFERENCES, ids=["lengths", "values", "counts"])
def test_references(reference: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DirectionalBiasAmplification(reference=reference)


EVEN = {0: 0.5, 1: 0.5}
FOREIGN: dict[str, tuple[Any, str]] = {
    "fewer": (
        ([row[:2] for row in TRUTH], GROUP),
        r"same columns as the data; received 0, 1 for 0, 1, 2",
    ),
    "labels": (([0, 1] * 3, GROUP), r"tasks of the same kind as the data, labels or the columns"),
    "groups": ((TRUTH, list("cdcdcd")), r"same groups as the data; received 'c', 'd' for 'a'"),
    "rates": (BaseRates(task_given_attribute={"a": EVEN, "b": EVEN}), r"BaseRates must cover .* 2"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_references_of_something_else(kind: str) -> None:
    reference, message = FOREIGN[kind]
    metric = DirectionalBiasAmplification(reference=reference)
    with pytest.raises(ValueError, match=message):
        metric.from_counts(count())
