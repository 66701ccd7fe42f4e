"""Labels and probabilities that break a rule: the message states it and what was received."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from good_rows import GROUP, PREDICTION, TRUTH, count, measure

from biasamp_adapters import AmplificationWarning, DirectionalBiasAmplification, JointCounts


def test_a_predicted_label_that_nothing_knows() -> None:
    message = r"^y_pred must hold only labels .*labels=.*; received 'eel'"
    with pytest.raises(ValueError, match=message + ", known are 'cat', 'dog'"):
        measure(["cat", "dog"], ["cat", "eel"], ["a", "b"])
    # A reference or a list may know it.
    reference = (["cat", "dog", "eel"], ["a", "b", "a"])
    with pytest.warns(AmplificationWarning, match="'eel' only in the reference"):
        measure(["cat", "dog"], ["cat", "eel"], ["a", "b"], reference=reference)
    measure(["cat", "dog"], ["cat", "eel"], ["a", "b"], labels=["cat", "dog", "eel"])


def test_a_predicted_group_that_nothing_knows() -> None:
    message = r"^sensitive_features_pred must hold only labels .*groups=.*; received 'c', known"
    with pytest.raises(ValueError, match=message):
        measure(TRUTH, PREDICTION, GROUP, ["a", "b", "a", "c"], direction="T->A")


def test_a_string_where_the_truth_is_a_number() -> None:
    # To be told apart, '0' and 0 must not look the same in the message.
    with pytest.raises(ValueError, match=r"received '0', '1', known are 0, 1"):
        measure(TRUTH, [str(label) for label in PREDICTION], GROUP)
    with pytest.raises(ValueError, match=r"received '0' in 2 row\(s\), listed are 0, 1"):
        count(y_pred=["0", "1", "0", "1"], labels=[0, 1])


def test_many_labels_are_cut_short() -> None:
    with pytest.raises(ValueError, match=r"'l09' and 10 more$"):
        measure([f"l{i:02}" for i in range(20)], ["x"] * 20, ["a", "b"] * 10)


@pytest.mark.parametrize(
    ("argument", "listed"), [("y_true", "labels"), ("y_pred", "labels"),
                             ("sensitive_features", "groups"),
                             ("sensitive_features_pred", "groups")],
)  # fmt: skip
def test_a_label_that_is_not_listed(argument: str, listed: str) -> None:
    good = {"labels": ["no", "yes"], "groups": ["a", "b"]}
    rows: dict[str, Any] = {
        "y_true": ["no", "yes", "yes", "no"],
        "y_pred": ["no", "yes", "yes", "no"],
    }
    rows[argument] = [good[listed][0], "x", "x", good[listed][1]]
    names = ", ".join(map(repr, good[listed]))
    message = (
        rf"^{argument} must hold only labels listed in {listed}; "
        rf"received 'x' in 2 row\(s\), listed are {names}"
    )
    with pytest.raises(ValueError, match=message):
        count(**rows, **good)


@pytest.mark.parametrize(
    ("listed", "received"),
    [
        ([0, 1, 1], r"\[0, 1, 1\]"),
        ([0, 1, True], r"\[0, 1, True\]"),
        (np.array([0, 0]), r"\[0, 0\]"),
        ([], r"\[\]"),
        ("01", "the string '01'"),
        (3, "3"),
        ([[0], [1]], r"\[\[0\], \[1\]\]"),
        ([0, 1, None], "None"),
        ([0, 1, float("nan")], "nan"),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["labels", "groups"])
def test_lists_of_labels(name: str, listed: Any, received: str) -> None:
    message = rf"^{name} must .*; received .*{received}"
    with pytest.raises(ValueError, match=message):
        JointCounts.from_arrays(TRUTH, sensitive_features=TRUTH, **{name: listed})
    with pytest.raises(ValueError, match=message):
        DirectionalBiasAmplification(**{name: listed})


@pytest.mark.parametrize("value", [1.2, -0.1, 2, -1, np.inf, -np.inf])
def test_probabilities_outside_their_range(value: float) -> None:
    message = rf"^probabilities in y_pred must lie in \[0, 1\]; received {float(value)}"
    with pytest.raises(ValueError, match=message):
        count(y_pred=np.array([0.5, value, 0, 1]))


def test_probabilities_that_are_nan() -> None:
    with pytest.raises(ValueError, match=r"^y_pred must not have missing values; received 2 "):
        count(y_pred=[0.5, np.nan, np.nan, 0.25])


@pytest.mark.parametrize("truth", [["n", "y", "y", "n"], [0, 1, 2, 0]], ids=str)
def test_probabilities_of_something_else_than_zero_and_one(truth: list[Any]) -> None:
    message = r"^y_pred must hold only labels .*labels=.*; received .*0\.25.*, known are "
    with pytest.raises(ValueError, match=message):
        measure(truth, [0.25, 0.5, 0.5, 0.25], GROUP)


@pytest.mark.parametrize("label", [0, 1])
def test_probabilities_where_only_one_class_is_listed(label: int) -> None:
    with pytest.raises(ValueError, match=r"labels must list .*0 and 1"):
        measure([label] * 4, [0.25, 0.5, 0.5, 0.25], GROUP, labels=[label])
