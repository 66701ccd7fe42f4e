"""Numbers as variables of an attack: what is read as numbers, and what breaks a rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from attacker_cases import FITS, NotingNeighbors, metric_of, result_of, value_of
from metric_cases import quietly
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from biasamp_adapters import AmplificationWarning, Indicators

N = 60
_rng = np.random.default_rng(0)
GROUP, TASK, MADE = _rng.integers(2, size=(3, N))
AGE, SCORE = _rng.normal(size=(2, N))
CHANCE = np.round(_rng.random(N), 3)
CLASSIFIER: dict[str, Any] = {"attacker": LogisticRegression(), "n_trials": 1}
REGRESSOR: dict[str, Any] = {
    "attacker": LinearRegression(), "quality": "inverse_rmse", "n_trials": 1,
}  # fmt: skip


def rows(**changed: Any) -> dict[str, Any]:
    """A continuous attribute and labels of the task, with some arguments changed."""
    return {"y_true": TASK, "y_pred": MADE, "sensitive_features": AGE, **changed}


def with_value(values: Any, value: float) -> np.ndarray:
    """The numbers with another one in row 3."""
    out = np.array(values, dtype=float)
    out[3] = value
    return out


def inputs_of(**changed: Any) -> np.ndarray:
    """What the attacker of the dataset reads."""
    FITS.clear()
    options: dict[str, Any] = {"evaluation": "resubstitution", "equalize": None, "n_trials": 1}
    value_of("A->T", rows(**changed), attacker=NotingNeighbors(), **options)
    return FITS[0].inputs


def test_numbers_are_read_as_they_are() -> None:
    assert inputs_of().tolist() == AGE[:, None].tolist()


def test_whole_numbers_are_labels_however_they_are_stored() -> None:
    years = np.arange(N) % 3 + 20.0
    read = inputs_of(sensitive_features=years)
    of_each = sorted(read.tolist())
    assert of_each == [[0, 0, 1]] * 20 + [[0, 1, 0]] * 20 + [[1, 0, 0]] * 20


def test_one_number_that_is_not_whole_makes_a_column_of_numbers() -> None:
    years = with_value(np.arange(N) % 3 + 20.0, 20.5)
    assert inputs_of(sensitive_features=years).tolist() == years[:, None].tolist()


def test_a_table_of_numbers_is_read_column_by_column() -> None:
    frame = pd.DataFrame({"age": AGE, "group": GROUP})
    assert inputs_of(sensitive_features=frame).tolist() == frame.to_numpy().tolist()


def test_labels_beside_numbers_are_indicators() -> None:
    FITS.clear()
    leakage = metric_of("LA", attacker=NotingNeighbors(), evaluation="resubstitution", n_trials=1)
    quietly(leakage, SCORE, SCORE, sensitive_features=GROUP)
    assert FITS[0].target.tolist() == GROUP.tolist()
    reversed_ = metric_of(
        "LA", attacker=NotingNeighbors(), evaluation="resubstitution", n_trials=1, groups=[1, 0]
    )
    quietly(reversed_, SCORE, SCORE, sensitive_features=GROUP)
    assert FITS[2].target.tolist() == (1 - GROUP).tolist()


@pytest.mark.parametrize("kind", [list, pd.Series, np.float32])
def test_containers_do_not_matter(kind: Any) -> None:
    ages = np.float32(AGE).astype(float)
    expected = value_of("A->T", rows(sensitive_features=ages), **CLASSIFIER)
    assert value_of("A->T", rows(sensitive_features=kind(ages)), **CLASSIFIER) == expected


@pytest.mark.parametrize("names", [("no", "yes"), (10, 20), (False, True)])
def test_names_of_labels_do_not_matter(names: tuple[Any, Any]) -> None:
    given = np.array(names)
    named = rows(y_true=given[TASK], y_pred=given[MADE])
    assert value_of("A->T", named, **CLASSIFIER) == value_of("A->T", rows(), **CLASSIFIER)


def test_a_list_of_labels_may_come_in_any_order() -> None:
    """Probabilities are those of 1, wherever it is in the list."""
    listed = [
        value_of("A->T", rows(y_pred=CHANCE), **CLASSIFIER, equalize=None, labels=labels)
        for labels in (None, [0, 1], [1, 0])
    ]
    assert listed == pytest.approx([listed[0]] * 3, abs=1e-6)


def test_probabilities_are_not_of_a_third_label() -> None:
    """As where the attribute is a label: probabilities of 1 and 0 say nothing of a third."""
    for attribute in (GROUP, AGE):
        given = rows(y_pred=CHANCE, sensitive_features=attribute)
        with pytest.raises(ValueError, match=r"y_pred must|1 of numbers in y_pred"):
            value_of("A->T", given, **CLASSIFIER, labels=[0, 1, 2])


@pytest.mark.parametrize(
    ("attack", "changed", "options", "rule"),
    [
        (
            "A->T",
            {"y_true": SCORE, "y_pred": SCORE},
            CLASSIFIER,
            "y_true holds numbers: a regressor must be the attacker, and quality='inverse_rmse'",
        ),
        (
            "LA",
            {},
            CLASSIFIER,
            "sensitive_features holds numbers: a regressor must be the attacker",
        ),
        (
            "A->T",
            {"y_pred": SCORE},
            CLASSIFIER,
            r"must predict the same from dataset and model; received 2 column\(s\) of label in "
            r"y_true and 1 of numbers in y_pred",
        ),
        (
            "A->T",
            {"y_true": np.array(["no", "yes"])[TASK], "y_pred": CHANCE},
            CLASSIFIER,
            "must predict the same from dataset and model; received 2 .* 1 of numbers in y_pred",
        ),
        (
            "A->T",
            {"y_true": np.stack([AGE, SCORE], 1), "y_pred": np.stack([AGE] * 3, 1)},
            REGRESSOR,
            r"received 2 column\(s\) of numbers in y_true and 3 of numbers in y_pred",
        ),
        (
            "A->T",
            {name: np.array(["no", "yes"])[TASK] for name in ("y_true", "y_pred")},
            REGRESSOR,
            "inverse_rmse needs a numeric target; received the labels 'no', 'yes'",
        ),
        (
            "A->T",
            {"y_pred": MADE + 5},
            CLASSIFIER,
            "y_pred must hold only labels known from y_true or a list; received 5, 6, known",
        ),
        (
            "A->T",
            {"sensitive_features": pd.DataFrame({"age": AGE, "name": ["a", "b"] * 30})},
            CLASSIFIER,
            r"sensitive_features\['name'\] must hold numbers; received values such as '[ab]'",
        ),
        ("A->T", {"y_pred": None}, CLASSIFIER, "A->T needs predictions: y_pred must be given"),
        ("T->A", {}, REGRESSOR, "T->A needs the predicted attribute"),
        (
            "LA",
            {"y_true": SCORE, "y_pred": SCORE, "sensitive_features": ["a"] * N},
            CLASSIFIER,
            "sensitive_features must have at least two groups; received only 'a'",
        ),
        ("A->T", {"y_true": TASK[:-1]}, CLASSIFIER, "received y_true 59, y_pred 60, sensitive"),
    ],
)
def test_variables_that_do_not_suit_an_attack(
    attack: str, changed: dict[str, Any], options: dict[str, Any], rule: str
) -> None:
    with pytest.raises(ValueError, match=rule):
        value_of(attack, rows(**changed), **options)


@pytest.mark.parametrize("argument", ["sensitive_features", "y_true", "y_pred"])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_numbers_must_be_finite(argument: str, value: float) -> None:
    given = rows(y_true=SCORE, y_pred=AGE)
    given[argument] = with_value(given[argument], value)
    with pytest.raises(ValueError, match=f"{argument} must be finite; received infinite values"):
        value_of("A->T", given, **REGRESSOR)


@pytest.mark.parametrize("missing", ["error", "abstain"])
@pytest.mark.parametrize("argument", ["sensitive_features", "y_true", "y_pred"])
def test_missing_numbers_are_errors(argument: str, missing: Any) -> None:
    given = rows(y_true=SCORE, y_pred=AGE)
    given[argument] = with_value(given[argument], np.nan)
    rule = f"{argument} must not have missing values; received 1"
    if missing == "abstain" and argument == "y_pred":
        rule += r".*; missing='abstain' is for variables that are all labels"
    with pytest.raises(ValueError, match=rule):
        value_of("A->T", given, **REGRESSOR, missing=missing)


@pytest.mark.parametrize("argument", ["sensitive_features", "y_true", "y_pred"])
def test_rows_with_missing_numbers_may_be_dropped(argument: str) -> None:
    given = rows(y_true=SCORE, y_pred=AGE)
    dropped = {**given, argument: with_value(given[argument], np.nan)}
    left = {name: np.delete(values, 3) for name, values in given.items()}
    metric = metric_of("A->T", **REGRESSOR, missing="drop")
    with pytest.warns(AmplificationWarning, match=r"1 row\(s\) with missing values were left out"):
        result = metric.result(**dropped)
    assert result.n == N - 1
    assert result.value == value_of("A->T", left, **REGRESSOR)


def test_dropped_rows_may_hold_anything_else() -> None:
    """An infinite score in a row that is left out is no score."""
    given = rows(y_pred=with_value(SCORE, np.inf), sensitive_features=with_value(AGE, np.nan))
    left = {name: np.delete(values, 3) for name, values in given.items()}
    expected = value_of("A->T", left, **REGRESSOR)
    assert value_of("A->T", given, **REGRESSOR, missing="drop") == expected


def test_some_rows_must_be_left() -> None:
    nothing = np.full(N, np.nan)
    with pytest.raises(ValueError, match="missing='drop' must leave rows; all 60 have missing"):
        value_of("A->T", rows(y_true=SCORE, y_pred=nothing), **REGRESSOR, missing="drop")


@pytest.mark.parametrize(
    ("weight", "rule"),
    [
        (np.ones(3), "inputs must have the same length; received .* sample_weight 3"),
        (-np.ones(N), "sample_weight must be finite and not negative; received -1.0 in 60"),
        (np.full(N, np.inf), "sample_weight must be finite and not negative; received inf"),
        (np.zeros(N), "weights must have a positive sum; received only zeros"),
    ],
)
def test_bad_weights_beside_numbers(weight: np.ndarray, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        value_of("A->T", rows(sample_weight=weight), **CLASSIFIER)


def test_weights_beside_numbers_need_an_attacker_that_takes_them() -> None:
    given = rows(sample_weight=np.tile([1, 2], N // 2))
    with pytest.raises(ValueError, match="takes sample_weight; received KNeighborsClassifier"):
        value_of("A->T", given, attacker=KNeighborsClassifier(), n_trials=1)


def test_labels_of_a_matrix_beside_a_number() -> None:
    """The value is the mean over columns, as elsewhere; known rows, so that no fold differs."""
    matrix, made = np.stack([TASK, GROUP], 1), np.stack([MADE, TASK], 1)
    options = {**CLASSIFIER, "evaluation": "resubstitution", "equalize": None}
    alone = [
        value_of("A->T", rows(y_true=matrix[:, t], y_pred=made[:, t]), **options) for t in (0, 1)
    ]
    both = value_of("A->T", rows(y_true=matrix, y_pred=made), **options)
    assert both == pytest.approx(np.mean(alone), abs=1e-12)
    swapped = {
        "y_true": AGE, "y_pred": None, "sensitive_features": Indicators(matrix),
        "sensitive_features_pred": Indicators(made),
    }  # fmt: skip
    assert value_of("T->A", swapped, **options) == pytest.approx(both, abs=1e-12)


def test_results_of_numbers_have_no_pairs_and_no_interval() -> None:
    result = result_of("A->T", rows(n_boot=20), **CLASSIFIER)
    assert result.interval is None
    assert any(note.startswith("no interval: the attacker is a fitted") for note in result.notes)
    for table in ("by_pair", "by_attribute", "by_task"):
        with pytest.raises(ValueError, match="made without counts; it has no pairs"):
            getattr(result, table)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"confidence": 3}, "confidence must lie strictly between 0 and 1; received 3"),
        ({"interval_method": "exact"}, "interval_method must be one of .*; received 'exact'"),
        ({"signs": "none"}, "signs must be 'reference' or 'reestimated'; received 'none'"),
        ({"random_state": -1}, "must be a whole number, not negative, .*; received -1"),
        ({"n_boot": -1}, "n_boot must be a whole number from 0 to 1,000,000; received -1"),
    ],
)
@pytest.mark.parametrize("attribute", [GROUP, AGE], ids=["labels", "numbers"])
def test_options_of_an_interval_are_checked_though_there_is_none(
    attribute: np.ndarray, options: dict[str, Any], rule: str
) -> None:
    with pytest.raises(ValueError, match=rule):
        result_of("A->T", rows(sensitive_features=attribute, **options), **CLASSIFIER)
